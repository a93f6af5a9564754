"""Sums of integer coefficients times atoms: the canonical form of index expressions (`ir/symbolic/algebra.py` computes it).

Invariants: no zero coefficient, no atom twice, atoms sorted by `order`, which depends on their text only; so equal
sums are equal objects and `expr` builds the same expression for them. An atom is whatever is not a sum; a product of
atoms is one atom, its factors sorted (`monomial`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import lru_cache
from hashlib import blake2b

from soljit.base.records import dataclass
from soljit.ir.core.expr import FALSE, ONE, TRUE, Expr, Op, Sym, const
from soljit.ir.core.types import b1, i64

_WIDEST_PRODUCT = 64  # a product of sums is multiplied out up to this many terms
_LIMIT = 1 << 63
_LONGEST_TEXT = 4000


@dataclass(frozen=True, slots=True)
class Linear:
    """`sum(c * atom for atom, c in terms) + const`: no zero coefficient, no atom twice, atoms in canonical order."""

    terms: tuple[tuple[Expr, int], ...]
    const: int

    @staticmethod
    def of(terms: Mapping[Expr, int], const: int) -> Linear:
        """The sum with these coefficients."""
        return Linear(tuple(sorted(((a, c) for a, c in terms.items() if c), key=_term_order)), const)

    def combine(self, scale: int, other: Linear, factor: int) -> Linear:
        """`scale * self + factor * other`."""
        out = {a: c * scale for a, c in self.terms}
        for a, c in other.terms:
            out[a] = out.get(a, 0) + c * factor
        return Linear.of(out, self.const * scale + other.const * factor)

    def __add__(self, other: Linear) -> Linear:
        return self.combine(1, other, 1)

    def __sub__(self, other: Linear) -> Linear:
        return self.combine(1, other, -1)

    def scaled(self, by: int) -> Linear:
        """`by * self`."""
        return Linear(tuple((a, c * by) for a, c in self.terms) if by else (), self.const * by)

    def shifted(self, by: int) -> Linear:
        """`self + by`."""
        return Linear(self.terms, self.const + by)

    @property
    def is_const(self) -> bool:
        return not self.terms

    @property
    def divisor(self) -> int:
        """Greatest common divisor of the coefficients (0 without terms)."""
        return math.gcd(*(c for _, c in self.terms))

    @property
    def expr(self) -> Expr:
        """The canonical expression of this value."""
        return _build(self)


@lru_cache(maxsize=16384)
def order(e: Expr) -> str:
    """Sort key of an atom: symbols by name first, then everything else by its text."""
    return "0" + e.name if isinstance(e, Sym) else "1" + _text(e)


@lru_cache(maxsize=16384)
def _text(e: Expr) -> str:
    """The text of an expression. Parts are shared, so that of a deep one may be long without end: its beginning, and a digest of it, stand for it."""
    match e:
        case Op(name=name, args=args, dtype=t):
            text = f"Op(name={name!r}, args=({', '.join(map(_text, args))}{',' * (len(args) == 1)}), dtype={t!r})"
        case _:
            text = repr(e)
    return (
        text
        if len(text) <= _LONGEST_TEXT
        else text[:_LONGEST_TEXT] + blake2b(text.encode(), digest_size=16).hexdigest()
    )


def _term_order(term: tuple[Expr, int]) -> str:
    return order(term[0])


def is_index(e: Expr) -> bool:
    """Tell whether `e` is an i64 expression, so that index algebra applies."""
    return e.dtype is i64 or e.dtype.name == "i64"


@lru_cache(maxsize=16384)
def _build(value: Linear) -> Expr:
    """Positive terms first, then what is subtracted, then the constant."""
    plus = [_scaled(a, c) for a, c in value.terms if c > 0]
    minus = [_scaled(a, -c) for a, c in value.terms if c < 0]
    rest = (value.const + _LIMIT) % (2 * _LIMIT) - _LIMIT
    if not plus and minus and rest == 0:
        plus = [Op("neg", (minus.pop(0),), i64)]
    elif not plus:
        plus, rest = [const(rest)], 0
    out = plus[0]
    for term in plus[1:]:
        out = Op("add", (out, term), i64)
    for term in minus:
        out = Op("sub", (out, term), i64)
    if rest > 0:
        out = Op("add", (out, const(rest)), i64)
    elif rest < 0:
        out = Op("sub", (out, const(-rest)), i64) if rest != -_LIMIT else Op("add", (out, const(rest)), i64)
    return out


def _scaled(atom: Expr, by: int) -> Expr:
    return atom if by == 1 else Op("mul", (const((by + _LIMIT) % (2 * _LIMIT) - _LIMIT), atom), i64)


def factors(atom: Expr) -> tuple[Expr, ...]:
    """The factors of a monomial; an atom that is no product is its own factor."""
    if isinstance(atom, Op) and atom.name == "mul" and is_index(atom):
        return factors(atom.args[0]) + factors(atom.args[1])
    return (atom,)


def monomial(parts: Iterable[Expr]) -> Expr:
    """The product of atoms as one atom (1 for none)."""
    ordered = sorted(parts, key=order)
    if not ordered:
        return ONE
    out = ordered[0]
    for p in ordered[1:]:
        out = Op("mul", (out, p), i64)
    return out


def product(a: Linear, b: Linear) -> Linear:
    """`a * b`, multiplied out unless that explodes."""
    if a.is_const:
        return b.scaled(a.const)
    if b.is_const:
        return a.scaled(b.const)
    if (len(a.terms) + 1) * (len(b.terms) + 1) > _WIDEST_PRODUCT:
        return Linear(((monomial((a.expr, b.expr)), 1),), 0)
    out: dict[Expr, int] = {}
    for x, c in (*a.terms, (ONE, a.const)):
        for y, d in (*b.terms, (ONE, b.const)):
            atom = monomial([f for f in (*factors(x), *factors(y)) if f is not ONE])
            out[atom] = out.get(atom, 0) + c * d
    rest = out.pop(ONE, 0)
    return Linear.of(out, rest)


def single_bound(atom: Expr, above: bool, rest: int) -> Expr:
    """`atom + rest >= 0` (above) or `rest - atom >= 0`, without a sum: that might leave 64 bits."""
    limit = -rest if above else rest
    if limit <= i64.lowest if above else limit >= i64.highest:
        return TRUE
    if limit > i64.highest if above else limit < i64.lowest:
        return FALSE
    if rest == -1:
        return Op("lt", (const(0), atom) if above else (atom, const(0)), b1)
    return Op("le", (const(limit), atom) if above else (atom, const(limit)), b1)
