"""The threads of NumPy's BLAS: their number, as compiled code holds it down (`codegen/include/soljit/blas_threads.h`), and who they are.

OpenBLAS has one number for the whole process (`openblas_set_num_threads_local` of builds without OpenMP sets the same one). Kernels set it for as long
as they call the BLAS from threads of their own, and for calls under `sol.set_num_threads`, and put it back.

A product's jobs run on the team of threads that runs a kernel's loops, where OpenBLAS gives them away (`runtime/native/openblas.h`): its own threads
wait actively for some 26 ms after each product, on the cores that these loops need.
"""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Callable


class _Shared(ctypes.Structure):
    """`sol_blas_threads`."""

    _fields_ = (
        ("get", ctypes.c_void_p),
        ("set", ctypes.c_void_p),
        ("use", ctypes.c_void_p),
        *((name, ctypes.c_int32) for name in ("most", "holders", "before", "lower", "locked")),
    )


_shared = _Shared()
_GIVES_JOBS = (0, 3, 28)  # the first version of OpenBLAS with buffers for threads that are not its own
_jobs: tuple[ctypes.Array[ctypes.c_void_p], int] | None = None
_hand_over: Callable[[ctypes.Array[ctypes.c_void_p], int], None] | None = None


def handed_over(by: Callable[[ctypes.Array[ctypes.c_void_p], int], None], use: int) -> None:
    """`sol_hand_over_jobs`, and the address of `sol_use_crew`."""
    global _hand_over
    _hand_over, _shared.use = by, use
    _begin()


def gives_jobs(addresses: tuple[int, int, int], config: str, processors: int) -> None:
    """What `openblas.h` imports, 0 for what there is not, and how OpenBLAS describes itself."""
    global _jobs
    buffers = job_buffers(config, processors)
    _jobs = ((ctypes.c_void_p * 3)(*addresses), buffers) if all(addresses) and buffers else None
    _begin()


def job_buffers(config: str, processors: int) -> int:
    """How many buffers for jobs OpenBLAS has; 0 if they are too few for threads beside its own, or it gives no jobs away."""
    version = re.match(r"OpenBLAS (\d+)\.(\d+)\.(\d+)", config)
    most = re.search(r"\bMAX_THREADS=(\d+)", config)
    if not (version and most) or tuple(map(int, version.groups())) < _GIVES_JOBS:
        return 0
    return int(most[1]) if int(most[1]) > 2 * processors else 0


def _begin() -> None:
    if _hand_over and _jobs:
        _hand_over(*_jobs)


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
