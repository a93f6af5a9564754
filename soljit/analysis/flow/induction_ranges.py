"""How far an integer can get that a loop counts: `reach(loop, scalar, here, start)` is an interval, or None if unknown.

Every value that the loop gives the scalar is an earlier one with something added, or one set anew. So no value lies
further from those it may begin with than the sum of all that is ever added: for each addition the most it can add, times
the most often it can happen. Nothing happens more than 2**56 times, a year of two iterations a nanosecond.
"""

from __future__ import annotations

from soljit.analysis.flow.program_point import Situation
from soljit.ir.core.expr import Expr, Load, Op, Range, Sym
from soljit.ir.core.nodes import Branch, Let, Loop, Map, Node, Region, Tasklet, While
from soljit.ir.symbolic import range_length
from soljit.ir.walk import data_written, walk

Reach = tuple[int, int]  # the smallest and the largest value
_EVER = 1 << 56


def reach(loop: Loop | While, scalar: str, here: Situation, start: Reach) -> Reach | None:
    """The values that `scalar` may have in and behind `loop`, if they lie in `start` in front of it."""
    counter = _Counter(scalar, _readers(loop, scalar), start)
    if not counter.node(loop, here, 1):
        return None
    (low, high), most = counter.begins, counter.added
    return low - most, high + most


def _readers(node: Node, scalar: str) -> frozenset[str]:
    """The symbols below `node` that hold a value of `scalar`."""
    found = (n for n in walk(node) if isinstance(n, Let) and isinstance(n.value, Load))
    return frozenset(n.name for n in found if isinstance(n.value, Load) and n.value.memlet.data == scalar)


def interval(e: Expr, here: Situation) -> Reach | None:
    """The constant interval that is known to hold `e`."""
    low, high = here.facts.bounds(e)
    return None if low is None or high is None else (low, high)


class _Counter:
    """What is added to one scalar. `node` answers False where that cannot be told."""

    def __init__(self, scalar: str, readers: frozenset[str], begins: Reach) -> None:
        self.scalar, self.readers, self.begins = scalar, readers, begins
        self.added = 0

    def node(self, n: Node, here: Situation, times: int) -> bool:
        """Take in what `n` adds, if it runs so many times."""
        match n:
            case Region():
                for x in n.nodes:
                    if not self.node(x, here, times):
                        return False
                    if isinstance(x, Let):
                        here = here.after(x)
                return True
            case _ if self.scalar not in data_written(n):
                return True
            case Loop():
                return self.node(n.body, here.in_loop(n.var, n.span), min(_EVER, times * _most(n.span, here)))
            case While():
                return self.node(n.body, here, _EVER)
            case Map():
                for v, s in zip(n.vars, n.spans):
                    here, times = here.in_loop(v, s), min(_EVER, times * _most(s, here))
                return self.node(n.body, here, times)
            case Branch():
                return self.node(n.then, here.where(n.cond), times) and self.node(n.orelse, here, times)
            case Tasklet() if n.out.data == self.scalar and n.out.wcr is None:
                return self._step(n.code, here, times)
            case _:
                return False

    def _step(self, code: Expr, here: Situation, times: int) -> bool:
        match code:
            case Op(name="add" | "sub", args=(a, b)) if self._is_old(a):
                part = interval(b, here)
            case Op(name="add", args=(a, b)) if self._is_old(b):
                part = interval(a, here)
            case _:
                new = interval(code, here)
                if new is not None:
                    self.begins = min(self.begins[0], new[0]), max(self.begins[1], new[1])
                return new is not None
        if part is None:
            return False
        self.added += times * max(abs(part[0]), abs(part[1]))
        return True

    def _is_old(self, e: Expr) -> bool:
        match e:
            case Sym():
                return e.name in self.readers
            case Load():
                return e.memlet.data == self.scalar
        return False


def _most(span: Range, here: Situation) -> int:
    """The most iterations of a loop."""
    length = interval(range_length(span), here)
    return _EVER if length is None else max(0, length[1])
