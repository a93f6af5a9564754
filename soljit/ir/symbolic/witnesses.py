"""Assignments of numbers to atoms that agree with all that is known: one of them is enough to see that a question has no proof.

Most questions have no proof, and only a search that has tried everything tells so. A `Witness` in which a sum is negative tells at once
that nobody can prove it to be >= 0. It decides no question by itself: what it refutes is what the search could not have proved.
"""

from __future__ import annotations

import operator
import zlib
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Protocol

from soljit.ir.core.expr import Const, Expr, Op
from soljit.ir.symbolic.linear_sums import Linear, order

COUNT = 8  # assignments that are kept at once
_NEAR, _FAR, _HUGE = 4, 90, 1 << 40  # how far from the end of an interval numbers are chosen

_COMPUTED: dict[str, Callable[..., int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "neg": operator.neg,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "min": min,
    "max": max,
    "abs": abs,
    "band": operator.and_,
    "bor": operator.or_,
    "bxor": operator.xor,
    "invert": operator.invert,
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "land": lambda a, b: a and b,
    "lor": lambda a, b: a or b,
    "lnot": operator.not_,
}
Interval = tuple[int | None, int | None]


class Known(Protocol):
    """What a witness has to agree with."""

    def interval(self, atom: Expr) -> Interval:
        """The constant interval of an atom."""
        ...

    def about(self, free: Expr) -> Iterator[tuple[Linear, bool]]:
        """The sums that depend on this atom and are known to be >= 0 (True) or not 0 (False)."""
        ...


class Witness:
    """A number for each atom that is not computed from others. They are chosen when they are asked for."""

    __slots__ = ("_computed", "_number", "_values")

    def __init__(self, number: int, values: dict[Expr, int] | None = None) -> None:
        self._number = number
        self._values = {} if values is None else values
        self._computed: dict[Expr, int] = {}  # of what is computed from atoms: their numbers never change

    def sum(self, form: Linear, known: Known) -> int | None:
        """The value of a sum; None: it divides by zero or is not a number."""
        try:
            return form.const + sum(c * self._value(a, known) for a, c in form.terms)
        except (ZeroDivisionError, OverflowError):
            return None

    def agrees(self, form: Linear, positive: bool, known: Known) -> bool:
        """Tell whether the sum is >= 0 (positive), or is not 0."""
        got = self.sum(form, known)
        return got is not None and (got >= 0 if positive else got != 0)

    def repaired(self, form: Linear, positive: bool, known: Known) -> Witness | None:
        """This one with another number for one atom, so that it agrees with `form`, and still with all else that is known."""
        got = self.sum(form, known)
        if got is None:
            return None
        lacks = -got if positive else 1
        for atom, c in reversed(form.terms):
            for free in free_atoms(atom):
                step = -(-lacks // abs(c)) * (1 if c > 0 else -1)
                old, (lo, hi) = self._value(free, known), known.interval(free)
                for new in (old + step, old - step) if free is not atom or not positive else (old + step,):
                    if (lo is not None and new < lo) or (hi is not None and new > hi):
                        continue
                    other = Witness(self._number, {**self._values, free: new})
                    if other.agrees(form, positive, known) and all(
                        other.agrees(f, p, known) for f, p in known.about(free)
                    ):
                        return other
        return None

    def _value(self, e: Expr, known: Known) -> int:
        if isinstance(e, Const):
            return int(e.value.real)
        if isinstance(e, Op) and _is_computed(e):
            made = self._computed.get(e)
            if made is None:
                made = self._computed[e] = self._made(e, known)
            return made
        got = self._values.get(e)
        if got is None:
            got = self._values[e] = _chosen(e, self._number, known.interval(e) if e.dtype.kind != "b" else (0, 1))
        return got

    def _made(self, e: Op, known: Known) -> int:
        if e.name == "select":
            return self._value(e.args[1 if self._value(e.args[0], known) else 2], known)
        return _COMPUTED[e.name](*[self._value(a, known) for a in e.args])


def _chosen(atom: Expr, number: int, interval: Interval) -> int:
    """A number of the interval: at its end, near it, far from it or huge, as the atom's text and the number of the witness say."""
    lo, hi = interval
    text = zlib.crc32(order(atom).encode())
    kind, spread = (text + number) % 4, (text >> 8) * (2 * number + 3)
    away = (0, 1 + spread % _NEAR, 1 + _NEAR + spread % _FAR, _HUGE + spread % _FAR)[kind]
    if lo is not None:
        return lo + away if hi is None else min(lo + away, hi)
    return hi - away if hi is not None else away * (-1) ** (number // 4)


@lru_cache(maxsize=16384)
def _is_computed(e: Op) -> bool:
    """Tell whether the number of `e` follows from those of its operands, by arithmetic of whole numbers."""
    return (e.name in _COMPUTED or e.name == "select") and all(a.dtype.kind in "biu" for a in (e, *e.args))


@lru_cache(maxsize=16384)
def free_atoms(e: Expr) -> tuple[Expr, ...]:
    """The atoms from which the number of `e` is computed."""
    if isinstance(e, Const):
        return ()
    if isinstance(e, Op) and _is_computed(e):
        return tuple(dict.fromkeys(x for a in e.args for x in free_atoms(a)))
    return (e,)
