"""Sums with `min`, `max`, `abs` and `select` in them, case by case; atoms replaced by what they equal."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from soljit.ir.core.expr import ZERO, Cast, Expr, Op, subexpressions
from soljit.ir.symbolic.algebra import le, linear, lt, neg, negate


def alternatives(name: str, e: Expr) -> list[Expr]:
    """The members of a min (of which every one is an upper bound) or max, a constant shift moved inside; else `e`."""
    value = linear(e)
    if len(value.terms) == 1 and value.terms[0][1] == 1:
        atom = value.terms[0][0]
        if isinstance(atom, Op) and atom.name == name:
            return [linear(m).shifted(value.const).expr for x in atom.args for m in alternatives(name, x)]
    return [e]


def by_arguments(e: Expr) -> tuple[list[Expr], list[Expr]]:
    """Sums for a sum with a `min` or `max` in it: it is greater than a number if all of the first are, or if one of the second is."""
    form = linear(e)
    for atom, c in form.terms:
        if isinstance(atom, Op) and atom.name in ("min", "max"):
            sums = [substitute(form.expr, {atom: x}) for x in atom.args]
            return (sums, []) if (atom.name == "min") == (c > 0) else ([], sums)
    return [], []


def cases(atom: Expr) -> list[tuple[Expr, Expr]]:
    """Conditions that cover everything, and what a `min`, `max`, `abs` or `select` is under each."""
    assert isinstance(atom, Op)
    match atom.name, atom.args:
        case "select", (c, a, b):
            return [(c, a), (negate(c), b)]
        case "abs", (a,):
            return [(le(ZERO, a), a), (lt(a, ZERO), neg(a))]
        case "min", (a, b):
            return [(le(a, b), a), (lt(b, a), b)]
    a, b = atom.args
    return [(le(b, a), a), (lt(a, b), b)]


@lru_cache(maxsize=16384)
def parts(e: Expr) -> frozenset[Expr]:
    return frozenset(subexpressions(e))


def substitute(e: Expr, what: Mapping[Expr, Expr]) -> Expr:
    """`e` with atoms replaced by what they equal."""
    if e in what:
        return what[e]
    if what.keys().isdisjoint(parts(e)):
        return e
    match e:
        case Op(name=name, args=args, dtype=t):
            return Op(name, tuple(substitute(x, what) for x in args), t)
        case Cast(dtype=t, arg=x):
            return Cast(t, substitute(x, what))
    return e
