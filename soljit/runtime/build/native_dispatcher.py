"""The dispatcher in C: built once for a machine, checked against this interpreter, fed with variants.

`Native.load` finds or builds the library `native/dispatch.cpp` and compares what its hand-declared structs say about
real arrays with the truth. If anything does not fit (a debug or free-threaded Python, an unknown NumPy),
`runtime/calls/portable.py` takes its place.
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
import sysconfig
import threading
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

from soljit.base.device_arrays import CLASS
from soljit.base.errors import CompilerTimeoutError, ToolchainError
from soljit.base.processors import affine, default_threads
from soljit.base.settings import Settings
from soljit.base.trace import say
from soljit.ir.core import types as ir_types
from soljit.runtime.store.cache import Cache
from soljit.runtime.system import blas_threads, versions
from soljit.runtime.system.error_states import is_quiet
from soljit.runtime.system.find_compiler import python_identity
from soljit.runtime.system.fingerprint import digest
from soljit.runtime.system.forks import forks
from soljit.runtime.system.library import address
from soljit.support import random_streams
from soljit.support.limits import Plainly
from soljit.support.numbers import NAN_IS_TOLD
from soljit.support.unforeseen import NOT_TAKEN, Repeatable

if TYPE_CHECKING:
    from soljit.runtime.system.beside import Beside

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # soljit/runtime
SOURCES = os.path.join(HERE, "native")
INCLUDE = os.path.join(os.path.dirname(HERE), "codegen", "include", "soljit")
TYPE_VERSION_AT = 384  # offset of `tp_version_tag` in types, as far as is known
_ALIASES = {ir_types.i64: np.longlong, ir_types.u64: np.ulonglong}


class Native:
    """The loaded dispatcher library; one a process."""

    def __init__(self, path: str) -> None:
        lib = ctypes.PyDLL(path)
        obj = ctypes.py_object

        def prototype(name: str, result: Any, *arguments: Any) -> Any:  # any: ctypes types
            function = getattr(lib, name)
            function.restype, function.argtypes = result, arguments
            return function

        self.make_dispatcher = prototype("sol_make_dispatcher", *[obj] * 7)
        self.callable = prototype("sol_callable", obj, obj)
        self.bind_method = prototype("sol_bind_method", obj, obj)
        self.add_variant = prototype("sol_add_variant", obj, obj, obj)
        self.keep_results = prototype("sol_keep_results", None, obj, obj)
        self.watch_arrays = prototype("sol_watch_arrays", obj, obj, ctypes.c_long, *[obj] * 4)
        self.replace_variant = prototype("sol_replace_variant", obj, obj, ctypes.c_long, obj)
        self.run_variant = prototype("sol_run_variant", obj, obj, ctypes.c_long, obj)
        self.trial = prototype("sol_trial", obj, obj, ctypes.c_long)
        self.run_for_now = prototype("sol_run_for_now", None, obj, *[ctypes.c_double] * 3)
        self.cost_for_now = prototype("sol_cost_for_now", obj, obj)
        self.note_waited = prototype("sol_note_waited", None, ctypes.c_double)
        self.given_up = prototype("sol_given_up", obj, obj, ctypes.c_long)
        self.describe = prototype("sol_describe", obj, obj)
        self.versions = prototype("sol_versions", obj, obj, obj, ctypes.c_long)
        self.use_versions = prototype("sol_use_versions", None, ctypes.c_int, ctypes.c_long)
        self._set_threads = prototype("sol_set_threads", None, ctypes.c_int, ctypes.c_int)
        crews = address(lib, "sol_use_crew")
        blas_threads.handed_over(prototype("sol_hand_over_jobs", None, ctypes.c_void_p, ctypes.c_int), crews)
        self._after_fork = prototype("sol_after_fork", None, ctypes.c_ulong, ctypes.c_ulong)
        initialize = prototype("sol_initialize", *[obj] * 8)
        rows = tuple((t.numpy, t.numpy.type, _alias(t)) for t in ir_types.ALL)
        nan = np.nan if NAN_IS_TOLD else None
        initialize(_multiarray_umath._ARRAY_API, rows, Repeatable, Plainly, NOT_TAKEN, nan, random_streams.layout)
        forks.tell(self.after_fork)
        watch = prototype("sol_watch_errors", None, obj, obj, obj, obj)
        watch(_multiarray_umath._extobj_contextvar, vars(warnings), "filters", is_quiet)

    def after_fork(self, alone: int) -> None:
        """The thread that runs kernels without others, 0 for none; now and after each fork."""
        self._after_fork(alone, threading.main_thread().ident or 0)

    def set_threads(self, wanted: int) -> None:
        """Threads of parallel kernels; 0 for all."""
        normal = default_threads()
        most = wanted or (normal if normal < affine() else 0)
        self._set_threads(most, normal)
        blas_threads.limit(most)

    def look_for_versions(self) -> None:
        """Find out whether dicts and classes of this interpreter number their changes, so that what has not changed is seen at once."""
        at = TYPE_VERSION_AT if versions.of_classes(lambda cls: self.versions({}, cls, TYPE_VERSION_AT)[1]) else 0
        self.use_versions(versions.of_dicts(lambda d: self.versions(d, int, 0)[0]), at)

    def self_test(self) -> str:
        """ "" if the hand-declared structs fit this interpreter and NumPy, else what does not."""
        frozen = np.arange(6.0)
        frozen.flags.writeable = False
        samples: list[np.ndarray[Any, Any]] = [
            np.zeros(()),
            np.arange(3, dtype=np.int8),
            np.ones((2, 3), np.float32, order="F")[:, ::-1],
            frozen[1:],
        ]
        samples += [np.zeros((2, 0, 4), t.numpy) for t in ir_types.ALL] + [np.zeros(2, ">i4"), np.zeros(2, np.longlong)]
        for a in samples:
            says = self.describe(a)
            if says is None or says != _truth(a):
                return f"{a.dtype} array of shape {a.shape}: {says} is not {_truth(a)}"
        return ""


def _alias(t: ir_types.DType) -> type | None:
    alias = _ALIASES.get(t)
    if alias is None or alias is t.numpy.type:
        alias = {ir_types.i64: np.int_, ir_types.u64: np.uint}.get(t)
    return None if alias is t.numpy.type else alias


def _truth(a: np.ndarray[Any, Any]) -> tuple[Any, ...]:  # any: every dtype comes here
    known = ir_types.from_numpy(a.dtype) if a.dtype.isnative else None
    number = ir_types.ALL.index(known) if known else -1
    f = a.flags
    flags = (f.c_contiguous, f.f_contiguous, f.owndata, f.aligned, f.writeable)
    return (number, a.ndim, a.__array_interface__["data"][0], *a.shape, *a.strides, a.base, *flags, id(a.dtype), True)


@functools.lru_cache(maxsize=1)
def why_not_native() -> str:
    """Why the dispatcher in C is not for this interpreter; "" if it is."""
    if sys.implementation.name != "cpython":
        return f"{sys.implementation.name} is not CPython"
    for flag in ("Py_DEBUG", "Py_TRACE_REFS", "Py_GIL_DISABLED"):
        if sysconfig.get_config_var(flag) and (flag != "Py_DEBUG" or hasattr(sys, "gettotalrefcount")):
            return f"Python was built with {flag}"
    return ""


_native: list[Native | None] = []
_preparing: list[Beside[None]] = []
_waiting: list[Callable[[Native], None]] = []  # for the library
_failed: list[str] = []  # why there is no use in compiling it again


def native(cache: Cache, settings: Settings) -> Native | None:
    """The dispatcher library, built if need be; None where it does not work."""
    while _preparing:
        _preparing.pop().wait()
    if not _native:
        _native.append(_load(cache, settings))
    return _native[0]


def load_if_there(cache: Cache, settings: Settings) -> None:
    """Load the library if it is built and nobody is at work on it."""
    if not (_native or why_not_native() or any(x.is_running() for x in preparing())):
        if cache.library_name(stem_of(settings.sanitize)):
            native(cache, settings)


def prepare(cache: Cache, settings: Settings) -> None:
    """Begin to compile the dispatcher, if that is needed, while the caller compiles something else."""
    if _native or _preparing or why_not_native():
        return
    stem = stem_of(settings.sanitize)
    if not cache.library_name(stem):
        from soljit.runtime.build import toolchain  # noqa: F401 (no thread that a fork leaves behind imports it)
        from soljit.runtime.system.beside import Beside

        _preparing.append(Beside(lambda: _prepare(cache, stem, settings)))


def _prepare(cache: Cache, stem: str, settings: Settings) -> None:
    try:
        build(cache, stem, settings)
    except CompilerTimeoutError as e:
        _failed.append(str(e))
    except ToolchainError:
        return  # `native` tries again and says why


def preparing() -> list[Beside[None]]:
    """What compiles the dispatcher now, if anything does."""
    return _preparing


def when_loaded(tell: Callable[[Native], None]) -> None:
    """Let somebody know when the library is there."""
    _waiting.append(tell)


def loaded() -> Native | None:
    """The dispatcher library, if it has been loaded."""
    return _native[0] if _native else None


def _load(cache: Cache, settings: Settings) -> Native | None:
    reason = why_not_native() or "".join(_failed)
    if not reason:
        try:
            stem = stem_of(settings.sanitize)  # a library that was cut off would end the process, hence its checksum
            library = cache.load_with(cache.library_name(stem) or build(cache, stem, settings), Native)
            reason = library.self_test()
        except (OSError, AttributeError, ToolchainError, SystemError) as e:
            reason = str(e)
        if not reason:
            library.look_for_versions()
            for tell in _waiting:
                tell(library)
            if CLASS:
                from soljit.runtime.devices.making import watch

                watch(library)
            return library
    say(1, f"calls go through cffi: {reason}")
    return None


def stem_of(sanitize: str = "") -> str:
    """The name of the dispatcher's shared library."""
    texts = []
    for path in (
        *(os.path.join(SOURCES, n) for n in _sources()),
        *(os.path.join(INCLUDE, n) for n in ("frame.h", "device.h", "jobs.h")),
    ):
        with open(path, "rb") as f:
            texts.append(f.read())
    return f"dispatch-{digest(python_identity(), np.__version__, sanitize, *texts)[:16]}"


def _sources() -> list[str]:
    return sorted(n for n in os.listdir(SOURCES) if n.endswith((".h", ".cpp")))


def build(cache: Cache, stem: str, settings: Settings) -> str:
    """Compile the dispatcher; how its library is named with its checksum."""
    from soljit.runtime.build import toolchain

    # The first call of all waits for this: g++ is asked nothing, and takes half as long again for -O2, with which calls are no faster.
    compiler = toolchain.compiler_for(settings.cxx)
    flags = ["-std=c++17", "-O1", "-fPIC", "-shared", "-fno-exceptions", "-I", INCLUDE, "-I", SOURCES]
    if sys.platform == "darwin":
        flags += ["-undefined", "dynamic_lookup"]
    if settings.sanitize:
        flags += toolchain.toolchain(settings.cxx, cache, settings.compiler_seconds).checks(settings.sanitize)
    with open(os.path.join(SOURCES, "dispatch.cpp"), encoding="utf-8") as f:
        text = f.read()
    return toolchain.compile_text(
        compiler, stem, text, flags, cache, settings.compiler_seconds, ("sol_make_dispatcher", "sol_initialize")
    )
