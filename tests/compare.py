"""What differs between two observations, in words, or nothing.

NaNs are equal to each other whatever their bits; +0.0 and -0.0 differ unless a tolerance is given.
"""

from __future__ import annotations

import dataclasses
import enum
import inspect
import sys
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

DEEPEST = 8  # instances within instances


@dataclasses.dataclass(frozen=True)
class Tolerance:
    """How far floating-point values may be apart; all zero means the same bits."""

    rtol: float = 0.0
    atol: float = 0.0
    ulps: int = 0
    infinities: bool = True  # must complex numbers that are not finite have the same parts?
    of_largest: int = 0  # rounding errors of the largest value of an array, as sums in another order have them

    @property
    def exact(self) -> bool:
        return not (self.rtol or self.atol or self.ulps or self.of_largest)


def differences(path: str, want: Any, got: Any, tol: Tolerance) -> Iterator[str]:
    """Every difference between two values, type and layout included."""
    if type(want) is not type(got):
        yield f"{path}: type {_type(got)} instead of {_type(want)} ({_short(got)} instead of {_short(want)})"
    elif isinstance(want, enum.Enum):
        if want is not got:
            yield f"{path}: {_short(got)} instead of {_short(want)}"
    elif isinstance(want, np.ma.MaskedArray) and want is not np.ma.masked:
        yield from _arrays(f"{path}.mask", np.ma.getmaskarray(want), np.ma.getmaskarray(got), tol)
        yield from _arrays(path, want.filled(), got.filled(), tol)
    elif isinstance(want, np.ndarray) and want is not np.ma.masked:
        yield from _arrays(path, want, got, tol)
    elif isinstance(want, np.dtype):
        if parts_of_dtype(want) != parts_of_dtype(got):
            yield f"{path}: dtype {parts_of_dtype(got)} instead of {parts_of_dtype(want)}"
    elif isinstance(want, (np.generic, bool, int, float, complex)):
        yield from _values(path, np.asarray(want), np.asarray(got), tol)
    elif isinstance(want, (tuple, list, dict)):
        yield from _containers(path, want, got, tol)
    elif dataclasses.is_dataclass(want) and not isinstance(want, type):
        yield from _dataclasses(path, want, got, tol)
    elif isinstance(want, types.GeneratorType):
        yield from differences(f"{path} (its items)", list(want), list(got), tol)
    elif isinstance(want, types.FunctionType):
        if (want.__qualname__, want.__code__) != (got.__qualname__, got.__code__):
            yield f"{path}: {got} instead of {want}"
    elif _is_record(want):
        if path.count(".") < DEEPEST:
            yield from differences(f"{path}.__dict__", attributes_of(want), attributes_of(got), tol)
    elif want is not got and want != got:
        yield f"{path}: {_short(got)} instead of {_short(want)}"


def _containers(path: str, want: Any, got: Any, tol: Tolerance) -> Iterator[str]:
    """Lists, tuples and dicts by their items."""
    if isinstance(want, dict):
        if list(want) != list(got):
            yield f"{path}: keys {list(got)} instead of {list(want)}"
        for k in want.keys() & got.keys():
            yield from differences(f"{path}[{k!r}]", want[k], got[k], tol)
        return
    wanted, found = items_of(want), items_of(got)
    if len(wanted) != len(found):
        yield f"{path}: {len(found)} items instead of {len(wanted)}"
    for k, (w, g) in enumerate(zip(wanted, found)):
        yield from differences(f"{path}[{k}]", w, g, tol)
    if hasattr(want, "__dict__"):
        yield from differences(f"{path}.__dict__", want.__dict__, got.__dict__, tol)


def _dataclasses(path: str, want: Any, got: Any, tol: Tolerance) -> Iterator[str]:
    """Instances of dataclasses by their fields, and by what else they hold."""
    if path.count(".") >= DEEPEST:  # it may hold itself
        return
    for f in dataclasses.fields(want):
        yield from differences(f"{path}.{f.name}", getattr(want, f.name), getattr(got, f.name), tol)
    fields = {f.name for f in dataclasses.fields(want)}
    more = [{k: v for k, v in getattr(x, "__dict__", {}).items() if k not in fields} for x in (want, got)]
    yield from differences(f"{path}.__dict__", *more, tol)


def parts_of_dtype(t: np.dtype) -> Any:
    """All that anybody can see of a dtype; `==` leaves out alignment, metadata and the class of records."""
    if t.metadata is None and t.names is None and t.subdtype is None:
        return t
    fields = [(k, parts_of_dtype(f[0]), *f[1:]) for k, f in (t.fields or {}).items()]
    base = parts_of_dtype(t.base) if t.subdtype else None
    whole = (t.type, t.str, t.names, t.itemsize, t.shape, t.alignment, t.isalignedstruct)
    return (*whole, None if t.metadata is None else dict(t.metadata), base, fields)


def items_of(x: Any) -> list[Any]:
    """The items of a list or tuple, whatever methods a class made from it has."""
    return list((list if isinstance(x, list) else tuple).__iter__(x))  # type: ignore[arg-type]


def _is_record(x: Any) -> bool:
    """Is this an instance of a class of the user's, compared by what it holds?"""
    cls = type(x)
    written = bool(cls.__flags__ & 1 << 9) and (hasattr(x, "__dict__") or bool(_slots(cls)))
    called = _is_function(inspect.getattr_static(cls, "__call__", None)) or not callable(x)
    users = cls.__module__.partition(".")[0] not in sys.stdlib_module_names
    said = cls.__eq__ is object.__eq__ or (users and _is_function(cls.__eq__))
    return said and written and called


def _is_function(x: Any) -> bool:
    """Is this written in Python, perhaps jitted?"""
    return isinstance(getattr(x, "__wrapped__", x), types.FunctionType)


def _slots(cls: type) -> list[str]:
    """The attributes that the `__slots__` of a class and its bases name."""
    return [k for c in cls.__mro__ for k, v in vars(c).items() if isinstance(v, types.MemberDescriptorType)]


def attributes_of(x: Any) -> dict[str, Any]:
    """All that the instance holds."""
    return {k: getattr(x, k) for k in _slots(type(x)) if hasattr(x, k)} | getattr(x, "__dict__", {})


def _arrays(path: str, want: np.ndarray, got: np.ndarray, tol: Tolerance) -> Iterator[str]:
    yield from differences(f"{path}.dtype", want.dtype, got.dtype, tol)
    if want.shape != got.shape:
        yield f"{path}: shape {got.shape} instead of {want.shape}"
        return
    if want.flags.writeable != got.flags.writeable:
        yield f"{path}: writeable is {got.flags.writeable} instead of {want.flags.writeable}"
    for flag in ("c_contiguous", "f_contiguous"):
        if getattr(want.flags, flag) != getattr(got.flags, flag):
            yield f"{path}: {flag} is {getattr(got.flags, flag)} (strides {got.strides} instead of {want.strides})"
            break
    else:
        real = [k for k, n in enumerate(want.shape) if n > 1] if want.size else []
        if any(want.strides[k] != got.strides[k] for k in real) and want.dtype == got.dtype:
            yield f"{path}: strides {got.strides} instead of {want.strides}"
    if want.dtype == got.dtype:
        yield from _values(path, want, got, tol)


def _values(path: str, want: np.ndarray, got: np.ndarray, tol: Tolerance) -> Iterator[str]:
    if want.dtype.kind == "O" and not want.ndim:  # Python integers outside of 64 bits
        if want.item() != got.item():
            yield f"{path}: {got.item()!r} instead of {want.item()!r}"
        return
    if want.dtype.kind == "O":
        for k, (w, g) in enumerate(zip(want.ravel().tolist(), got.ravel().tolist())):
            yield from differences(f"{path}.flat[{k}]", w, g, tol)
        return
    bad = ~(_close(want, got, tol) if want.dtype.kind in "fc" else np.asarray(want == got))
    if not bad.any():
        return
    if not want.ndim:
        yield f"{path}: {got.item()!r} instead of {want.item()!r}"
        return
    first = tuple(int(i) for i in np.argwhere(bad)[0])
    count = int(bad.sum())
    text = f"{path}[{', '.join(map(str, first))}]: {got[first]!r} instead of {want[first]!r}"
    if count > 1:
        text += f" (and {count - 1} more of {want.size})"
    if want.size <= 40:
        text += f"\n      whole: {_short(got)}\n    instead: {_short(want)}"
    yield text


def _close(want: np.ndarray, got: np.ndarray, tol: Tolerance) -> np.ndarray:
    if want.dtype.kind == "c":
        if tol.exact:
            return _close(want.real, got.real, tol) & _close(want.imag, got.imag, tol)
        with np.errstate(all="ignore"):
            near = np.abs(want - got) <= tol.atol + (tol.rtol + tol.ulps * np.finfo(want.dtype).eps) * np.abs(want)
            near |= np.abs(want - got) <= _of_largest(want, tol)
        if not tol.infinities:
            near |= ~np.isfinite(want) & ~np.isfinite(got)
        return near | (_close(want.real, got.real, tol) & _close(want.imag, got.imag, tol))
    with np.errstate(all="ignore"):
        nan = np.isnan(want) & np.isnan(got)
        same = want == got
        if tol.exact:
            return nan | (same & (np.signbit(want) == np.signbit(got)))
        finite = np.isfinite(want) & np.isfinite(got)
        distance = np.abs(want.astype(np.longdouble) - got.astype(np.longdouble))
        limit = tol.atol + tol.rtol * np.abs(want.astype(np.longdouble))
        limit = np.maximum(limit, tol.ulps * np.spacing(np.abs(want)).astype(np.longdouble))
        limit = np.maximum(limit, _of_largest(want, tol))
        return nan | same | (finite & (distance <= limit))


def _of_largest(want: np.ndarray, tol: Tolerance) -> float:
    """The bound that `tol.of_largest` sets: a part of the largest finite value."""
    sizes = np.abs(want[np.isfinite(want)])
    return tol.of_largest * float(np.finfo(want.dtype).eps) * float(sizes.max(initial=0.0))


def _type(x: Any) -> str:
    t = type(x)
    return t.__name__ if t.__module__ == "builtins" else f"{t.__module__}.{t.__name__}"


def _short(x: Any) -> str:
    text = repr(x)
    return text if len(text) <= 600 else text[:600] + " …"
