"""Subscripts as sums over loop variables, and how far apart in memory neighbours in a loop are.

`affine(e, variables)` splits an index expression into integer coefficients of the variables and a rest that does not
mention them; None if a variable occurs in any other way (inside a load, a product of symbols, a quotient).

`step(program, memlet, var)` is the distance, in elements, between what two successive values of `var` touch: an int,
`FAR` for a distance that depends on sizes or data, or 0 for the same element.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache

from soljit.base.records import dataclass
from soljit.ir.core.data import Array, Data, Ref, View
from soljit.ir.core.expr import Expr, Memlet, Range, Sym, symbols
from soljit.ir.symbolic import Linear, linear

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
