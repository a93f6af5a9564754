"""The number of threads of NumPy's BLAS, as compiled code holds it down: `codegen/include/soljit/blas_threads.h`.

OpenBLAS has one number for the whole process (`openblas_set_num_threads_local` of builds without OpenMP sets the same one). Kernels set it for as long
as they call the BLAS from threads of their own, and for calls under `sol.set_num_threads`, and put it back.
"""

from __future__ import annotations

import ctypes
import os


class _Shared(ctypes.Structure):
    """`sol_blas_threads`."""

    _fields_ = (
        ("get", ctypes.c_void_p),
        ("set", ctypes.c_void_p),
        *((name, ctypes.c_int32) for name in ("most", "holders", "before", "lower", "locked")),
    )


_shared = _Shared()


def shared(get: int, set_: int) -> int:
    """Address of what kernels share, given those of the BLAS's functions; 0 if it lacks them."""
    if not (get and set_):
        return 0
    if not _shared.get:
        _shared.get, _shared.set = get, set_
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=_forget)
    return ctypes.addressof(_shared)


def limit(most: int) -> None:
    """Threads that the BLAS may take for a kernel from now on; 0 for as many as it likes."""
    _shared.most = most


def _forget() -> None:
    """In the child of a fork, whose other threads, and what they held, are gone."""
    if _shared.holders:
        number = ctypes.CFUNCTYPE(None, ctypes.c_int)(_shared.set)
        number(_shared.before)
    _shared.holders = _shared.locked = 0
