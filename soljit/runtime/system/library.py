"""Shared libraries: loading compiled kernels, and the foreign functions that they import.

A kernel names what it needs in `sol_imports`; `load` writes addresses into `sol_slots`, NULL for what this machine
lacks, and the kernel has other code for that case.

* "blas:cblas_dgemm", "lapack:dgetrf": the OpenBLAS that NumPy's wheel brings, with its prefix and its 64-bit suffix.
  Another BLAS is used only if its 64-bit integers are beyond doubt (the suffix `64_`), since a wrong integer size
  corrupts memory.
* "svml:__svml_exp8_ha": Intel's vector math inside NumPy's own extension module.
* "shared:blas_threads": what kernels share about that BLAS, see `blas_threads.py`; "shared:profile": about their times, see `profile_memory.py`.
* "random:random_normal": a distribution of NumPy's; "generator:numpy.random": the generator behind a module's functions.
* "sort:…", "argsort:…", "argmin:…", "argmax:…", "loop:…": routines of NumPy, see `support/numpy_routines.py`.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import sys
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

from soljit.runtime.system import blas_threads, profile_memory
from soljit.support import random_streams
from soljit.support.numpy_routines import routine

_WAITING = {"GOMP_SPINCOUNT": "2000", "KMP_BLOCKTIME": "1"}  # turns of a loop; milliseconds
_PREFIXES, _SUFFIXES = ("scipy_", ""), ("64_", "_64_", "_64")


class Library(NamedTuple):
    """A loaded kernel. `set_threads` is the address of `omp_set_num_threads`, 0 if the kernel has no OpenMP.

    What runs in Python (`interpreted.py`) is a text in the place of a shared library, and has no addresses.
    """

    path: str
    handle: ctypes.CDLL | None
    kernel: int
    guard: int
    set_threads: int
    program: str = ""

    @classmethod
    def of_program(cls, path: str, program: str) -> Library:
        """What Python runs."""
        return cls(path, None, 0, 0, 0, program)

    @property
    def runs_in_python(self) -> bool:
        return self.handle is None


_loaded: dict[str, Library] = {}


def load(path: str) -> Library:
    """Load a compiled kernel, once a process."""
    library = _loaded.get(path)
    if library is None:
        with _threads_that_sleep():
            handle = ctypes.CDLL(path)
        _fill_slots(handle)
        library = Library(
            path,
            handle,
            address(handle, "sol_kernel"),
            address(handle, "sol_guard"),
            address(handle, "omp_set_num_threads") if _links_openmp(handle) else 0,
        )
        if not library.kernel:
            raise OSError(f"{path} is no kernel")
        _loaded[path] = library
    return library


def uses_openmp() -> bool:
    """Tell whether a kernel that is loaded uses threads."""
    return any(x.set_threads for x in _loaded.values())


def is_loaded(name: str) -> bool:
    """Tell whether a shared library of this name is part of the process."""
    return _already_loaded(name) is not None


@contextlib.contextmanager
def _threads_that_sleep() -> Iterator[None]:
    """Let OpenMP's runtime, if it is loaded in here, send idle threads to sleep soon.

    GCC's waits actively for some milliseconds after each parallel region by default, clang's for 200: cores that NumPy's BLAS has a
    better use for. Both read the environment when they are loaded, and only then; what the user has set stays.
    """
    if any(name in os.environ for name in ("OMP_WAIT_POLICY", *_WAITING)):
        yield
        return
    for name, value in _WAITING.items():
        os.putenv(name, value)
    try:
        yield
    finally:
        for name in _WAITING:
            os.unsetenv(name)


def address(handle: ctypes.CDLL, name: str) -> int:
    """Address of a symbol, 0 if there is none."""
    try:
        return ctypes.cast(getattr(handle, name), ctypes.c_void_p).value or 0
    except AttributeError:
        return 0


def _links_openmp(handle: ctypes.CDLL) -> bool:
    """Tell whether this library itself depends on an OpenMP runtime. (The handle also finds symbols of its dependencies.)"""
    return bool(address(handle, "omp_set_num_threads"))


def _fill_slots(handle: ctypes.CDLL) -> None:
    first = address(handle, "sol_imports")
    slots = address(handle, "sol_slots")
    if not first or not slots:
        return
    names = ctypes.cast(first, ctypes.POINTER(ctypes.c_char_p))
    table = ctypes.cast(slots, ctypes.POINTER(ctypes.c_void_p))
    k = 0
    while names[k]:
        table[k] = import_address(names[k].decode()) or None
        k += 1


@functools.cache
def import_address(name: str) -> int:
    """Address of an import such as "blas:cblas_dgemm", 0 if it cannot be had."""
    kind, _, symbol = name.partition(":")
    if kind in ("sort", "argsort", "argmin", "argmax", "loop"):
        return routine(name)
    if name == "shared:profile":
        return profile_memory.address()
    if kind == "shared":
        _give_jobs_away()
        return blas_threads.shared(*(import_address(f"openblas:openblas_{x}_num_threads") for x in ("get", "set")))
    if kind == "random":
        return random_streams.address(symbol)
    if kind == "generator":
        generator = random_streams.owner(symbol)
        return 0 if generator is None else id(generator)
    if kind == "svml":
        umath = _umath()
        return address(umath, symbol) if umath else 0
    if kind in ("blas", "lapack", "openblas"):
        blas = _blas()
        if blas is None:
            return 0
        for prefix in _PREFIXES:
            for suffix in _SUFFIXES:
                found = address(blas, f"{prefix}{symbol}{suffix}")
                if found:
                    return found
    return 0


def _give_jobs_away() -> None:
    blas, config = _blas(), import_address("openblas:openblas_get_config")
    if blas is not None and config:
        names = ("openblas_threads_callback_", "exec_blas_async", "exec_blas_async_wait")
        text = ctypes.CFUNCTYPE(ctypes.c_char_p)(config)() or b""
        first, second, third = (address(blas, name) for name in names)
        blas_threads.gives_jobs((first, second, third), text.decode("ascii", "replace"), os.cpu_count() or 1)


def has_svml() -> bool:
    """Tell whether NumPy's vector math is there."""
    return bool(import_address("svml:__svml_exp8_ha"))


def loops_fuse() -> bool:
    """Tell whether NumPy's loops over complex numbers and floats use fused multiply-add here. (`NPY_DISABLE_CPU_FEATURES` may forbid it.)"""
    on = _multiarray_umath.__cpu_features__
    return bool(on.get("X86_V3", on.get("AVX2") and on.get("FMA3")))


def loops_are_wide() -> bool:
    """Tell whether NumPy's loops use AVX-512 here."""
    return bool(_multiarray_umath.__cpu_features__.get("AVX512_SKX"))


@functools.cache
def buffers_hold_whole_rows() -> bool:
    """Tell whether NumPy's iterators read whole rows into their buffers, as since version 2.3. Older ones cut all sums by the buffer's length.

    The large numbers are of one half of the elements if those are halved, and of two halves of the first 8192.
    """
    x = np.zeros(12288)
    x[[0, 5000, 7000]] = 2.0**53, 1, -(2.0**53)
    return bool(np.add.reduce(x) == 0)


def has_blas() -> bool:
    """Tell whether a BLAS with 64-bit integers is there."""
    return bool(import_address("blas:cblas_dgemm"))


@functools.lru_cache(maxsize=1)
def _umath() -> ctypes.CDLL | None:
    return _already_loaded(_multiarray_umath.__file__)


@functools.lru_cache(maxsize=1)
def _blas() -> ctypes.CDLL | None:
    folder = os.path.dirname(np.__file__)
    places = (folder + ".libs", os.path.join(folder, ".dylibs"), os.path.join(folder, ".libs"))
    for place in places:
        names = sorted(os.listdir(place)) if os.path.isdir(place) else []
        for name in names:
            handle = _already_loaded(os.path.join(place, name)) if "openblas" in name else None
            if handle is not None and _is_ilp64(handle):
                return handle
    umath = _umath()  # other builds link their BLAS: its symbols are found through the module that needs it
    return umath if umath is not None and _is_ilp64(umath) else None


def _is_ilp64(handle: ctypes.CDLL) -> bool:
    return any(address(handle, f"{p}cblas_dgemm{s}") for p in _PREFIXES for s in _SUFFIXES)


def _already_loaded(path: str) -> ctypes.CDLL | None:
    """A library of this process by its path, never a second copy of it."""
    mode = getattr(os, "RTLD_NOLOAD", 0) | getattr(os, "RTLD_LAZY", 1)
    if sys.platform == "win32" or not hasattr(os, "RTLD_NOLOAD"):
        return None
    try:
        return ctypes.CDLL(path, mode=mode)
    except OSError:
        return None
