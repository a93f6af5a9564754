"""What differs between two arrays of one type: dtype, shape, layout, elements, or only the last places of these."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

_LARGE = 1e6  # larger arguments are marks rather than numbers to compute with
Found = tuple[str, str]  # the kind of difference, and a text


def array_differences(x: np.ndarray, y: np.ndarray, scale: float = 0.0) -> Iterator[Found]:
    """All but the elements of object arrays. x: what the undecorated function gave, y: the compiled one; scale: the largest number that both got."""
    if x.dtype != y.dtype or x.dtype.isalignedstruct != y.dtype.isalignedstruct:
        yield "dtype", f"{y.dtype} instead of {x.dtype}"
    if x.shape != y.shape:
        yield "shape", f"{y.shape} instead of {x.shape}"
        return
    yield from _layout(x, y)
    if x.dtype == y.dtype and x.dtype.kind != "O":
        yield from elements(x, y, scale)


def _layout(x: np.ndarray, y: np.ndarray) -> Iterator[Found]:
    if x.flags.writeable != y.flags.writeable:
        yield "layout", f"writable: {y.flags.writeable} instead of {x.flags.writeable}"
    orders = [(a.flags.c_contiguous, a.flags.f_contiguous) for a in (x, y)]
    real = [k for k, n in enumerate(x.shape) if n > 1] if x.size else []
    if orders[0] != orders[1] or any(x.strides[k] != y.strides[k] for k in real):
        yield "layout", f"strides {y.strides} instead of {x.strides}"


def elements(x: np.ndarray, y: np.ndarray, scale: float = 0.0, at: str = "") -> Iterator[Found]:
    """Where the elements differ: the first place, and how many there are. NaNs are equal."""
    if x.dtype.names is not None:
        for name in x.dtype.names:
            yield from elements(x[name], y[name], scale, f"{at}[{name!r}]")
        return
    if x.dtype.kind == "O":
        return
    same, near = _compared(x, y, scale)
    if same.all():
        return
    kind = "last places" if (same | near).all() else "values"
    places = np.argwhere(~same if kind == "last places" else ~(same | near))
    first = tuple(map(int, places[0]))
    index = at + (f"[{', '.join(map(str, first))}]" if first else "")
    count = f" ({len(places)} of {x.size} elements)" if x.size > 1 else ""
    yield kind, f"{index + ': ' if index else ''}{_text(y[first])} instead of {_text(x[first])}{count}"


def _text(x: Any) -> str:
    return f"{x if isinstance(x, np.ndarray) else x.item() if isinstance(x, np.generic) else x!r:.60}"


def _compared(x: np.ndarray, y: np.ndarray, scale: float) -> tuple[np.ndarray, np.ndarray]:
    """Which elements are the same, and which differ by rounding alone."""
    if x.dtype.kind == "c":
        pairs = [_floats(x.real, y.real, abs(x), scale), _floats(x.imag, y.imag, abs(x), scale)]
        (same, near), (others, also) = pairs
        return same & others, (same | near) & (others | also)
    if x.dtype.kind == "f":
        return _floats(x, y, x, scale)
    nothing = np.zeros(x.shape, bool)
    if x.dtype.kind in "mM":  # NaT is not equal to itself
        return np.asarray(x.astype(np.int64) == y.astype(np.int64)), nothing
    if x.dtype.kind == "V":
        return np.full(x.shape, x.tobytes() == y.tobytes()), nothing
    return np.asarray(x == y), nothing


def _floats(x: np.ndarray, y: np.ndarray, sizes: np.ndarray, scale: float) -> tuple[np.ndarray, np.ndarray]:
    """Sums in another order differ in relation to the largest value, of arguments, too, where it cancels out; a zero of the other sign counts as near."""
    eps = float(np.finfo(x.dtype).eps)
    with np.errstate(all="ignore"):
        equal = x == y
        same = (equal & (np.signbit(x) == np.signbit(y))) | (np.isnan(x) & np.isnan(y))
        finite = np.isfinite(x) & np.isfinite(y)
        size = np.abs(sizes)
        largest = float(np.max(size[np.isfinite(size)], initial=0.0))
        limit = eps**0.575 * size + eps**0.75 * largest + 16 * eps * min(scale, _LARGE)  # float64: 1e-9, 2e-12, 4e-15
        near = finite & (np.abs(x - y) <= limit)
    return np.asarray(same), np.asarray(near | equal)
