"""Subscripts as sums over loop variables, and how far apart in memory neighbours in a loop are.

`affine(e, variables)` splits an index expression into integer coefficients of the variables and a rest that does not
mention them; None if a variable occurs in any other way (inside a load, a product of symbols, a quotient).

`step(program, memlet, var)` is the distance, in elements, between what two successive values of `var` touch: an int,
`FAR` for a distance that depends on sizes or data, or 0 for the same element.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

from soljit.base.records import dataclass
from soljit.ir.core.data import Array, Data, Ref, Scalar, View
from soljit.ir.core.expr import ONE, Const, Expr, Extent, Memlet, Range, Stride, Sym, is_const, symbols
from soljit.ir.core.types import i64
from soljit.ir.symbolic import Linear, equal, linear, mul, prod, sub, total

FAR = 1 << 20  # a distance that is not a small constant


@dataclass(frozen=True, slots=True)
class Affine:
    """`sum(coefficient * variable) + rest`; `rest` mentions none of the variables."""

    coefficients: Mapping[str, int]
    rest: Linear

    def of(self, var: str) -> int:
        """Coefficient of `var`."""
        return self.coefficients.get(var, 0)


@lru_cache(maxsize=16384)
def names_in(e: Expr) -> frozenset[str]:
    """Names of the symbols in `e`."""
    return frozenset(symbols(e))


def affine(e: Expr, variables: Collection[str]) -> Affine | None:
    """The sum over `variables` that equals `e`, or None if there is none."""
    coefficients: dict[str, int] = {}
    rest: list[tuple[Expr, int]] = []
    value = linear(e)
    for atom, c in value.terms:
        if isinstance(atom, Sym):
            if atom.name in variables:
                coefficients[atom.name] = c
                continue
        elif not names_in(atom).isdisjoint(variables):
            return None
        rest.append((atom, c))
    return Affine(coefficients, Linear(tuple(rest), value.const))


def mentions(s: Expr | Range, var: str) -> bool:
    """Tell whether `var` occurs in a subscript."""
    return any(var in names_in(x) for x in s.children) if isinstance(s, Range) else var in names_in(s)


def step(program_data: Mapping[str, Data], m: Memlet, var: str) -> int:
    """Distance in elements between what neighbouring values of `var` touch; FAR if not a small constant."""
    d, moved = program_data.get(m.data), growth(m, var)
    if moved is None:
        return FAR
    distance = sum(by * element_stride(d, dim) for dim, by in moved.items())
    return distance if -FAR < distance < FAR else FAR


def growth(m: Memlet, var: str) -> dict[int, int] | None:
    """By how much each subscript that mentions `var` grows from one of its values to the next; None if it is not constant."""
    moved = {}
    for dim, s in enumerate(m.subset):
        if mentions(s, var):
            form = affine(s.start if isinstance(s, Range) else s, (var,))
            if form is None:
                return None
            moved[dim] = form.of(var)
    return moved


def element_stride(d: Data | None, dim: int) -> int:
    """Distance in elements along `dim` of a container; FAR if it depends on sizes."""
    match d:
        case Array(strides=None, shape=shape):
            return _trailing(shape, dim)
        case Array(strides=strides) | View(strides=strides) if strides is not None:
            value = linear(strides[dim])
            return value.const if value.is_const else FAR
        case Ref(order="C", ndim=n):
            return 1 if dim == n - 1 else FAR
        case Ref(order="F"):
            return 1 if dim == 0 else FAR
        case _:
            return FAR


def _trailing(shape: tuple[Expr, ...], dim: int) -> int:
    out = 1
    for n in shape[dim + 1 :]:
        value = linear(n)
        if not value.is_const:
            return FAR
        out *= value.const
    return out


def strides(d: Data, name: str) -> tuple[Expr, ...]:
    """Distances in elements along the dimensions of the container `name`, which `d` describes."""
    match d:
        case Ref(order="A", ndim=n):
            return tuple(Stride(name, k) for k in range(n))
        case Ref(order=order, ndim=n):
            lengths = [Extent(name, k) for k in range(n)]
            return tuple(prod(lengths[k + 1 :] if order == "C" else lengths[:k]) for k in range(n))
        case Array(strides=None, shape=shape):
            return tuple(prod(shape[k + 1 :]) for k in range(len(shape)))
        case Array(strides=found) | View(strides=found):
            assert found is not None
            return found
        case Scalar():
            return ()


def distances(
    data: Mapping[str, Data], m: Memlet, names: Sequence[str], spans: Sequence[Range]
) -> tuple[Expr, ...] | None:
    """Elements from one iteration to the next of each of these loops, whose steps are 1; None if that is not known."""
    apart = strides(data[m.data], m.data)
    found = []
    for var, span in zip(names, spans):
        moved = growth(m, var)
        if moved is None or not is_const(span.step, 1):
            return None
        found.append(total(mul(Const(by, i64), apart[dim]) for dim, by in moved.items()))
    return tuple(found)


def follow_each_other(steps: Sequence[Expr] | None, spans: Sequence[Range]) -> bool:
    """Tell whether loops that move so far (`distances`) walk over neighbours in memory, one after the other."""
    expected: Expr = ONE
    for span, s in zip(reversed(spans), reversed(steps or ())):
        if not equal(s, expected):
            return False
        # A loop without iterations reads nothing, whatever the length is.
        expected = mul(expected, sub(span.stop, span.start))
    return steps is not None
