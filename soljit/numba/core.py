"""What programs import from `numba.core`."""

from __future__ import annotations

from types import SimpleNamespace

from soljit.numba import errors, extending, types

config = SimpleNamespace(DISABLE_JIT=False, NUMBA_NUM_THREADS=0, THREADING_LAYER="omp", CACHE_DIR="")

__all__ = ["config", "errors", "extending", "types"]
