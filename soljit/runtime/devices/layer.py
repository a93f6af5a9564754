"""The layer above a GPU's driver: built once for a machine, as the dispatcher is, and called through cffi.

`native/device/device.cpp` holds what generated code calls while it runs; here is what Python asks of it.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from typing import Any

from soljit.base.errors import DeviceError
from soljit.base.settings import Settings, current, lose_devices, on_change
from soljit.runtime.build import native_dispatcher as dispatch
from soljit.runtime.build.c_interface import FFI, interface
from soljit.runtime.build.native_dispatcher import INCLUDE, SOURCES
from soljit.runtime.store.cache import Cache, open_cache
from soljit.runtime.system.beside import Beside
from soljit.runtime.system.fingerprint import digest

FOLDER = os.path.join(SOURCES, "device")
_STRUCTS = (
    "device_services",
    "gpu_counts",
    "gpu_event",
    "gpu_facts",
    "gpu_memory",
    "image",
    "operand",
    "owned_facts",
    "product",
    "span",
    "walk",
)
_ROOM = 1024  # bytes of a text


def declared() -> FFI:
    """What the layer's headers declare."""
    return interface("frame.h", "device.h", os.path.join(FOLDER, "device_api.h"))


class Layer:
    """The loaded library; one a process. `lib` has the functions of `native/device/device_api.h`."""

    def __init__(self, path: str) -> None:
        self.ffi = declared()
        self.lib: Any = self.ffi.dlopen(path, self.ffi.RTLD_NOW | self.ffi.RTLD_NODELETE)
        self.drivers: dict[str, Any] = {}  # path → sol_driver*
        self.used: list[Any] = []  # every sol_gpu* that was asked for
        self.found: dict[tuple[str, str], Any] = {}  # text and driver → Device
        self.forked = False

    def follow(self, settings: Settings) -> None:
        """Take over the settings that concern what is kept between calls."""
        self.lib.sol_layer_keep(settings.device_cache, settings.tracker)

    def self_test(self) -> str:
        """ "" if the compiler lays the structs out as cffi does, else what differs."""
        for k, name in enumerate(_STRUCTS):
            mine, its = self.ffi.sizeof(f"sol_{name}"), self.lib.sol_layer_size(k)
            if mine != its:
                return f"sol_{name} has {its} bytes, not {mine}"
        return "" if self.lib.sol_layer_size(len(_STRUCTS)) == -1 else "there are more structs"

    def text(self, write: Any, *arguments: Any) -> str:
        """What a function writes as a text, of which place and room are the last two arguments."""
        room = self.ffi.new(f"char[{_ROOM}]")
        write(*arguments, room, _ROOM)
        return str(self.ffi.string(room).decode("utf-8", "replace"))

    def open_driver(self, path: str) -> Any:
        """The driver in this library; DeviceError with the driver's reason if it cannot be used."""
        if path not in self.drivers:
            failed, room = self.ffi.new("int32_t*"), self.ffi.new(f"char[{_ROOM}]")
            driver = self.lib.sol_driver_open(os.fsencode(path), failed, room, _ROOM)
            if not driver:
                reason = self.ffi.string(room).decode("utf-8", "replace")
                raise DeviceError(f"cuInit failed with {reason}" if failed[0] else reason)
            if not self.drivers and hasattr(os, "register_at_fork"):
                os.register_at_fork(after_in_child=self._in_child)
            self.drivers[path] = driver
        return self.drivers[path]

    def _in_child(self) -> None:
        """CUDA does not survive a fork: jitted functions run on the processor there."""
        self.forked = True
        lose_devices()

    def open_gpu(self, driver: Any, number: int) -> Any:
        """The device of this number."""
        gpu = self.lib.sol_gpu_open(driver, number)
        if gpu not in self.used:
            self.used.append(gpu)
        return gpu

    def check(self, failed: int) -> None:
        """DeviceError if a call failed that this thread has just made."""
        if failed:
            raise DeviceError(self.text(self.lib.sol_layer_failure))


_layer: list[Layer] = []
_preparing: list[Beside[object]] = []
_lock = threading.Lock()
_waiting: list[Callable[[Layer], None]] = []


def on_load(action: Callable[[Layer], None]) -> None:
    """Call `action` with the layer as soon as it is loaded: now, if it is."""
    _waiting.append(action)
    if _layer:
        action(_layer[0])


def loaded() -> Layer | None:
    """The layer, if it has been loaded."""
    return _layer[0] if _layer else None


def prepare(settings: Settings) -> None:
    """Begin to build the layer and the dispatcher, if that is needed, while the caller builds something else."""
    cache, stem = open_cache(settings), stem_of(settings.sanitize)
    if _layer or _preparing or cache.library_name(stem):
        return
    dispatch.prepare(cache, settings)
    _preparing.append(Beside(lambda: build(cache, stem, settings)))


def layer(settings: Settings) -> Layer:
    """The layer, built if need be; ToolchainError or DeviceError if that does not work."""
    if not _layer:
        with _lock:
            while _preparing:
                _preparing.pop().wait()  # `_load` tries again if that failed, and says why
            if not _layer:
                _layer.append(_load(open_cache(settings), settings))
    return _layer[0]


def _load(cache: Cache, settings: Settings) -> Layer:
    stem = stem_of(settings.sanitize)
    try:
        found = cache.load_with(cache.library_name(stem) or build(cache, stem, settings), Layer)
    except OSError as e:
        raise DeviceError(f"soljit's layer above the driver cannot be loaded: {e}") from e
    if fault := found.self_test():
        raise DeviceError(f"soljit's layer above the driver does not fit this Python: {fault}")
    found.follow(current())
    on_change(found.follow)
    for action in _waiting:
        action(found)
    return found


def stem_of(sanitize: str = "") -> str:
    """The name of the layer's shared library."""
    paths = [os.path.join(FOLDER, n) for n in sorted(os.listdir(FOLDER)) if n.endswith((".h", ".cpp"))]
    texts = []
    for path in (*paths, *(os.path.join(INCLUDE, n) for n in ("frame.h", "device.h"))):
        with open(path, "rb") as f:
            texts.append(f.read())
    return f"device-{digest(sys.platform, sanitize, *texts)[:16]}"


def build(cache: Cache, stem: str, settings: Settings) -> str:
    """Compile the layer; how its library is named with its checksum."""
    from soljit.runtime.build import toolchain

    compiler = toolchain.compiler_for(settings.cxx)
    flags = ["-std=c++17", "-O2", "-fPIC", "-shared", "-pthread", "-I", INCLUDE, "-I", FOLDER]
    if settings.sanitize:
        flags += toolchain.toolchain(settings.cxx, cache, settings.compiler_seconds).checks(settings.sanitize)
    with open(os.path.join(FOLDER, "device.cpp"), encoding="utf-8") as f:
        text = f.read()
    symbols = ("sol_driver_open", "sol_gpu_open", "sol_layer_size")
    return toolchain.compile_text(compiler, stem, text, flags, cache, settings.compiler_seconds, symbols)


def device_error(message: str) -> DeviceError:
    """The exception for a call of the device that failed in compiled code of this thread: the message, and the driver's words."""
    known = loaded()
    reason = with_lines(known.text(known.lib.sol_layer_failure)) if known else ""
    return DeviceError(f"{message}: {reason}" if reason else message)


def with_losses(error: BaseException) -> BaseException:
    """The exception that leaves a program of this thread; a DeviceError that names them, if arguments could not be copied home before."""
    known = loaded()
    names = known.text(known.lib.sol_layer_lost) if known else ""
    if not names:
        return error
    told = error if isinstance(error, DeviceError) else device_error("the device failed")
    more = DeviceError(f"{told}; these arguments could not be brought up to date: {names}")
    more.__cause__ = None if told is error else error
    return more


def with_lines(reason: str) -> str:
    """What the driver says, with the user's lines where the emulated device tells places of code."""
    if "[code +" not in reason:
        return reason
    from soljit.runtime.devices import emulated

    return emulated.with_lines(reason, open_cache(current()))
