"""Give a compiled variant the device that it runs on: find it, have the kernels compiled for it, hand it their image and the libraries it calls."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator

from soljit.base.errors import DeviceError, ToolchainError
from soljit.base.settings import Settings
from soljit.runtime.devices import images
from soljit.runtime.devices.cublas import cublas
from soljit.runtime.devices.device import Device, dotted, find_device
from soljit.runtime.store.cache import Cache
from soljit.runtime.system.beside import Beside
from soljit.runtime.variants.variant import Variant

_begun: dict[str, Beside[images.Image]] = {}  # images that are made, or were, since the last compilation began


@contextlib.contextmanager
def kernels_beside(text: str, cache: Cache, settings: Settings) -> Iterator[None]:
    """Have kernels compiled while the body runs. What became of it is told by `attach`; if the body fails, nobody will ask."""
    _begun.clear()
    try:
        device = find_device(settings.device, settings)
    except (DeviceError, ToolchainError):  # `attach` says so
        yield
        return
    key = _key(text, device, settings)
    _begun[key] = beside = Beside(lambda: _image(text, device, cache, settings))
    try:
        yield
    except BaseException:
        del _begun[key]
        beside.stop()
        raise
    beside.wait()


def attach(v: Variant, cache: Cache, settings: Settings) -> None:
    """Make variant `v`, which uses a device, ready to run. DeviceError without one, or a library of it; ToolchainError without a compiler of kernels."""
    device = find_device(settings.device, settings)
    if "cublas" in v.record.device_libraries and (reason := device.why_without_cublas(cublas(settings))):
        raise DeviceError(f"cuBLAS cannot be used: {reason}")
    v.device = device.services
    if v.record.image:
        _provide_kernels(v, cache, settings, device)


def _provide_kernels(v: Variant, cache: Cache, settings: Settings, device: Device) -> None:
    """Let the device find the kernels of `v`."""
    text = cache.text(dict(v.record.texts)["cu"])
    if not text:
        raise OSError(f"the kernels of {v.record.name} are not in the cache any more")
    begun = _begun.pop(_key(text, device, settings), None)
    made = begun.result() if begun else _image(text, device, cache, settings)
    device.provide(int(v.record.image, 16), made.data)
    v.resources = made.resources


def _key(text: str, device: Device, settings: Settings) -> str:
    return f"{images.image_id(text, settings.fp)}-{device.text}-{settings.cuda_driver}"


def _image(text: str, device: Device, cache: Cache, settings: Settings) -> images.Image:
    """The image of these kernels: the kept one, or a new one."""
    id, compiler = images.image_id(text, settings.fp), _compiler(cache, settings, device)
    return images.image(cache, id, text, device.arch, settings.fp, compiler)


def _compiler(cache: Cache, settings: Settings, device: Device) -> images.Compile:
    """What compiles kernels for this device."""
    if device.arch == "emulated":
        return functools.partial(_by_emulator, cache, settings)
    return functools.partial(_by_nvrtc, device)


def _by_emulator(cache: Cache, settings: Settings, text: str, arch: str, fp: str) -> images.Image:
    from soljit.runtime.build.toolchain import toolchain
    from soljit.runtime.devices.emulated import compile_kernels

    tools = toolchain(settings.cxx, cache, settings.compiler_seconds)
    return compile_kernels(text, fp, tools, cache, settings.compiler_seconds)


def _by_nvrtc(device: Device, text: str, arch: str, fp: str) -> images.Image:
    """NVRTC's image; DeviceError if the driver could not load it."""
    from soljit.runtime.devices.nvrtc import compile_kernels, nvrtc

    major, minor = nvrtc().version
    if major > device.driver // 1000:
        raise DeviceError(
            f"the device '{device.text}' cannot be used: its driver is for CUDA {dotted(device.driver)}, and the NVRTC at hand, {major}.{minor}, "
            f"makes kernels for newer ones: install a newer driver, or soljit[cuda{device.driver // 1000}]"
        )
    return compile_kernels(text, arch, fp)
