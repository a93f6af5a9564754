"""What programs import from `numba.core`."""

from __future__ import annotations

from types import SimpleNamespace

from soljit.numba import errors, extending, types

config = SimpleNamespace(DISABLE_JIT=False, NUMBA_NUM_THREADS=0, THREADING_LAYER="omp", CACHE_DIR="")
cgutils = SimpleNamespace()  # of intrinsics, which are imported, but not called here

__all__ = ["cgutils", "config", "errors", "extending", "types"]
