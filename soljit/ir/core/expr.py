"""Scalar values as frozen trees, compared by structure.

Every expression is **pure and total**: it has no effect and cannot fail. What can fail in Python (a zero divisor, an
index out of bounds, an integer overflow) is a `Branch` with a `Raise` in front of the statement. `land`, `lor` and
`select` evaluate their later arguments only when needed, so a load in an arm need only be in bounds there.

* `Const`   a literal; `Const(0, i64)`, `Const(0.0, f64)`, `Const(False, b1)` and `Const(-0.0, f64)` all differ
* `Sym`     an immutable scalar: a size of an argument, a loop or map variable, a name defined by `Let`
* `Load`    one element of a container now; `Load(Memlet("x", ()))` reads a mutable `Scalar`
* `Op`      an operation of `ir/core/ops.py`; every conversion is explicit, so arguments have the type the op names
* `Cast`    C-style conversion between dtypes, with NumPy's meaning (float → int truncates, complex → real drops imag)
* `Extent`, `Stride`  the present length / element stride of dimension `dim` of a container (mutable for a `Ref`)
* `Range`   `range(start, stop, step)`: the span of a loop, or a piece of a dimension in a memlet
* `Memlet`  which elements of a container: one entry (`Expr` or `Range`) for each dimension of the container
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from soljit.base.records import dataclass
from soljit.ir.core.types import DType, b1, i64


class Expr:
    """Base of scalar expressions. Every expression has a `dtype`."""

    __slots__ = ()
    dtype: DType

    @property
    def children(self) -> tuple[Expr, ...]:
        """Direct subexpressions, those inside memlets included."""
        return ()


@dataclass(frozen=True, slots=True, eq=False)
class Const(Expr):
    """A literal of exactly this type: equal constants have the same type, sign of zero and NaN-ness."""

    value: bool | int | float | complex
    dtype: DType

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Const) or self.dtype != other.dtype or type(self.value) is not type(other.value):
            return False
        return self.value == other.value if isinstance(self.value, int) else repr(self.value) == repr(other.value)

    def __hash__(self) -> int:
        return hash(self.value) if self.value == self.value else 0  # NaN hashes by identity


@dataclass(frozen=True, slots=True)
class Sym(Expr):
    """An immutable named scalar; defined once on every path that reaches a use."""

    name: str
    dtype: DType = i64

    def __hash__(self) -> int:
        return hash(self.name)  # cheap: symbols are looked up all the time


@dataclass(frozen=True, slots=True)
class Range:
    """`range(start, stop, step)`; `step` is not zero. As part of a memlet all its members are in bounds."""

    start: Expr
    stop: Expr
    step: Expr

    @property
    def children(self) -> tuple[Expr, ...]:
        return (self.start, self.stop, self.step)


@dataclass(frozen=True, slots=True)
class Memlet:
    """Elements of container `data`.

    subset: for each dimension of the container an index (`Expr`, already non-negative and in bounds) or a `Range`.
    axes:   for operands with ranges: which dimension of the container each dimension of the operand walks,
            -1 for an inserted dimension of length 1; None means the ranged dimensions in their order.
    wcr:    for a write: how it combines with what is there: None (replace), "add", "mul", "min", "max" (NaN
            propagates, as np.minimum), "land", "lor", "band", "bor", "bxor".
    """

    data: str
    subset: tuple[Expr | Range, ...] = ()
    axes: tuple[int, ...] | None = None
    wcr: str | None = None

    @property
    def children(self) -> tuple[Expr, ...]:
        out: list[Expr] = []
        for s in self.subset:
            out.extend(s.children if isinstance(s, Range) else (s,))
        return tuple(out)

    @property
    def dims(self) -> tuple[int, ...]:
        """Container dimensions that the operand's dimensions walk (-1: inserted)."""
        if self.axes is not None:
            return self.axes
        return tuple(k for k, s in enumerate(self.subset) if isinstance(s, Range))


@dataclass(frozen=True, slots=True)
class Load(Expr):
    """The value of one element (all subset entries are indices)."""

    memlet: Memlet
    dtype: DType

    @property
    def children(self) -> tuple[Expr, ...]:
        return self.memlet.children


class _Hashed(Expr):
    """Keeps its hash: expressions are looked up all the time, and the hash of a tree visits all of it."""

    __slots__ = ("_hash",)
    _hash: int


@dataclass(frozen=True, slots=True)
class Op(_Hashed):
    """`name` is in `ops.OPS`, which gives arity, the meaning, and the result type."""

    name: str
    args: tuple[Expr, ...]
    dtype: DType

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            object.__setattr__(self, "_hash", hash((self.name, self.args)))
            return self._hash

    @property
    def children(self) -> tuple[Expr, ...]:
        return self.args


@dataclass(frozen=True, slots=True)
class Cast(Expr):
    """Conversion to `dtype`."""

    dtype: DType
    arg: Expr

    @property
    def children(self) -> tuple[Expr, ...]:
        return (self.arg,)


@dataclass(frozen=True, slots=True)
class Extent(Expr):
    """Length of dimension `dim` of container `data`, now."""

    data: str
    dim: int

    @property
    def dtype(self) -> DType:  # type: ignore[override]
        return i64


@dataclass(frozen=True, slots=True)
class Stride(Expr):
    """Distance in elements between neighbours along `dim` of container `data`, now."""

    data: str
    dim: int

    @property
    def dtype(self) -> DType:  # type: ignore[override]
        return i64


TRUE, FALSE = Const(True, b1), Const(False, b1)
ZERO, ONE = Const(0, i64), Const(1, i64)


def const(value: int) -> Const:
    """An i64 constant."""
    return Const(value, i64)


def zero_of(dtype: DType) -> Const:
    """Positive zero of this type."""
    return Const({"b": False, "f": 0.0, "c": 0j}.get(dtype.kind, 0), dtype)


def is_const(e: object, value: object = None) -> bool:
    """Tell whether `e` is a constant (of this value, when one is given; NaN equals nothing)."""
    return isinstance(e, Const) and (value is None or (e.value == value and not _negative_zero(e.value)))


def _negative_zero(v: object) -> bool:
    return isinstance(v, float) and v == 0 and math.copysign(1.0, v) < 0


def subexpressions(e: Expr) -> Iterator[Expr]:
    """`e` and everything below it, outside first."""
    stack = [e]
    while stack:
        x = stack.pop()
        yield x
        stack.extend(x.children)


def loads(e: Expr) -> Iterator[Load]:
    """All loads in `e`, those in subscripts included."""
    return (x for x in subexpressions(e) if isinstance(x, Load))


def symbols(e: Expr) -> set[str]:
    """Names of all symbols in `e`."""
    return {x.name for x in subexpressions(e) if isinstance(x, Sym)}
