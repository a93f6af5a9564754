"""Where in a program a question is asked: the loops around, definitions and conditions in front.

Facts are dear to gather and seldom asked for, so a place is a chain of steps down the tree and `facts` are
made when somebody asks, once for each place.
"""

from __future__ import annotations

from functools import cached_property, lru_cache

from soljit.analysis.memory.affine import names_in
from soljit.ir.core.expr import Const, Expr, Extent, Op, Range, Sym, const, loads
from soljit.ir.core.nodes import Let, Program
from soljit.ir.symbolic import Facts, conj, eq, is_index, le, lt


class Situation:
    """A place: what was known further outside, and one thing more."""

    def __init__(
        self, outer: Situation | Facts, loop: tuple[str, Range] | None = None, cond: Expr | None = None
    ) -> None:
        self._outer, self._loop, self._cond = outer, loop, cond

    @cached_property
    def facts(self) -> Facts:
        """All that holds here."""
        facts = self._outer if isinstance(self._outer, Facts) else self._outer.facts
        if self._loop is not None:
            return facts.with_loop(*self._loop)
        return facts if self._cond is None else facts.assume(self._cond)

    @cached_property
    def loops(self) -> tuple[tuple[str, Range], ...]:
        """The loops around, outermost first."""
        outer = () if isinstance(self._outer, Facts) else self._outer.loops
        return outer if self._loop is None else (*outer, self._loop)

    def in_loop(self, var: str, span: Range) -> Situation:
        """In the body of a loop."""
        return Situation(self, loop=(var, span))

    def where(self, cond: Expr) -> Situation:
        """Where a condition holds."""
        return Situation(self, cond=cond)

    def after(self, let: Let) -> Situation:
        """Behind a definition."""
        if not is_index(let.value) or let.name in names_in(let.value):
            return self
        if next(loads(let.value), None) is not None:
            limits = _limits(Sym(let.name), let.value)
            return self if limits is None else Situation(self, cond=limits)
        return Situation(self, cond=eq(Sym(let.name), let.value))


def _limits(symbol: Sym, value: Expr) -> Expr | None:
    """What is known of a value made from memory: remainders and masks have limits."""
    match value:
        case Op(name="mod", args=(_, Const(value=int() as n))) if n > 0:
            return conj(le(const(0), symbol), lt(symbol, const(n)))
        case Op(name="band", args=(_, Const(value=int() as n)) | (Const(value=int() as n), _)) if n >= 0:
            return conj(le(const(0), symbol), le(symbol, const(n)))
    return None


def facts_of(program: Program) -> Facts:
    """What the guards of `program` and its symbols being sizes tell."""
    return _facts(program.guards, tuple(k for k, v in program.symbols.items() if isinstance(v, Extent)))


@lru_cache(maxsize=32)
def _facts(guards: tuple[Expr, ...], sizes: tuple[str, ...]) -> Facts:
    facts = Facts().with_size(*sizes)
    for g in guards:
        facts = facts.assume(g)
    return facts
