"""Threads, `objmode`, and what Numba's compiler needs to be told and soljit's does not."""

from __future__ import annotations

from typing import Any

from soljit.base import settings
from soljit.base.errors import ArgumentError
from soljit.base.processors import default_threads


class objmode:  # noqa: N801 (Numba's name)
    """`with objmode(y="float64[:]"):` the lines are compiled like any others, or run in Python where they must."""

    def __init__(self, **types: Any) -> None:
        pass

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        pass


class parallel_chunksize:  # noqa: N801 (Numba's name)
    """soljit chooses the chunks."""

    def __init__(self, chunks: int) -> None:
        pass

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        pass


def set_num_threads(n: int) -> None:
    """Threads of parallel loops from now on."""
    if not isinstance(n, int) or n < 1:
        raise ValueError(f"The number of threads must be a positive integer, not {n!r}")
    settings.set_num_threads(n)


def get_num_threads() -> int:
    """Threads that parallel loops use."""
    return settings.current().num_threads or default_threads()


def threading_layer() -> str:
    """OpenMP."""
    return "omp"


def literal_unroll(container: Any) -> Any:
    """The container: loops over short tuples are unrolled where their items differ in type."""
    return container


def literally(value: Any) -> Any:
    """The value: what must be known while compiling is taken from the call."""
    return value


def missing(name: str, instead: str) -> Any:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise ArgumentError(f"soljit.numba has no {name}(): {instead}")

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


cfunc = missing("cfunc", "compiled functions have no addresses; import cfunc from Numba itself")
stencil = missing("stencil", "write the stencil with slices, u[1:-1] = (u[:-2] + u[2:]) / 2, or with loops")
carray = missing("carray", "arrays come from NumPy; np.ctypeslib.as_array makes one of an address")
farray = missing("farray", "arrays come from NumPy; np.ctypeslib.as_array makes one of an address")
