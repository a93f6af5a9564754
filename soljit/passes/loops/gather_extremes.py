"""Make accumulations of scalars that loops only replace by greater values, or by smaller ones, where a loop becomes a map by that.

    err = 0.0                                            greatest = -inf
    for i in range(n):                                   for i in range(n):
        v[i] = f(u, i)                                       v[i] = f(u, i)
        d = abs(v[i] - u[i])                →                d = abs(v[i] - u[i])
        if d > err:                                          greatest = max(greatest, d if d > -inf else -inf)
            err = d                                      if greatest > err: err = greatest

Why the scalar has the same bits behind the loop is `analysis/loops/running_extremes.py`. The outermost loop comes first.
It is done where threads may share that loop, or vectors the innermost one: the branch costs less than a chain of maxima. parallelize_loops comes next.
"""

from __future__ import annotations

from dataclasses import replace

from soljit.analysis.loops.running_extremes import Update, running_extremes, without_updates
from soljit.analysis.loops.zero_signs import ZeroSigns
from soljit.analysis.memory.accesses import effects
from soljit.base.records import dataclass
from soljit.ir.core.data import Data, Scalar
from soljit.ir.core.expr import TRUE, Const, Expr, Load, Memlet, Op, Sym
from soljit.ir.core.nodes import Branch, Let, Loop, Map, Node, Program, Region, Tasklet, While
from soljit.ir.core.types import b1
from soljit.ir.symbolic import conj, select
from soljit.ir.walk import FreshNames, data_written, rewrite, walk
from soljit.passes.loops.parallelize_loops import parallelized_with
from soljit.passes.manager import Context

_TRIES = 16  # loops of a program that are tried


def gather_extremes(program: Program, cx: Context) -> Program:
    """The program with such accumulations."""
    gatherer = _Gatherer(program, cx, FreshNames(program))
    while gatherer.gathered():
        pass
    return gatherer.program


@dataclass
class _Gatherer:
    program: Program
    cx: Context
    fresh: FreshNames
    tries: int = _TRIES

    def gathered(self) -> bool:
        """Do it for one loop more; False if there is none."""
        signs = ZeroSigns(self.program)
        loops = [n for n in walk(self.program.body) if isinstance(n, Loop | Map)]
        inside = {n for around in loops for n in walk(around.body) if isinstance(n, Loop)}
        for loop in walk(self.program.body):
            if not isinstance(loop, Loop) or effects(loop).leaves or effects(loop).python:
                continue
            updates = running_extremes(self.program, loop, signs)
            updates = {s: u for s, u in updates.items() if loop not in inside or _is_innermost(loop, s)}
            if updates and self.tries > 0:
                self.tries -= 1
                if self._done(loop, updates):
                    return True
        return False

    def _done(self, loop: Loop, updates: dict[str, Update]) -> bool:
        names = {s: self.fresh("greatest" if u.up else "least") for s, u in updates.items()}
        data: dict[str, Data] = {**self.program.data, **{names[s]: Scalar(u.dtype) for s, u in updates.items()}}
        trial = without_updates(loop, updates, self.program.data, lambda u: self._accumulated(u, names[u.scalar]))
        program = replace(self.program, data=data)
        after = parallelized_with(program, loop, trial, self.cx)
        around = next(
            (
                n
                for n in walk(after.body)
                if isinstance(n, Loop | Map)
                and not data_written(n).isdisjoint(names.values())
                and loop.var in _variables(n)
            ),
            None,
        )
        if not isinstance(around, Map):
            return False
        before = [Tasklet(Memlet(names[s]), _nothing(u), loc=loop.loc) for s, u in updates.items()]
        behind = [_again(u, names[u.scalar], loop) for u in updates.values()]
        body = rewrite(program.body, lambda n: (*before, trial, *behind) if n is loop else None, top_down=True)
        self.program = replace(program, body=body)
        return True

    def _accumulated(self, u: Update, name: str) -> list[Node]:
        """The update as one of what is gathered."""
        nodes: list[Node] = []
        value = u.value
        if u.dtype.kind == "f" and not isinstance(value, Sym | Const):
            value = Sym(self.fresh("value"), u.dtype)
            nodes.append(Let(value.name, u.value))
        is_number: Expr = TRUE
        if u.dtype.kind == "f":
            is_number = Op("gt" if u.up else "lt", (value, _nothing(u)), b1)
        value = select(conj(u.condition, is_number), value, _nothing(u))
        at = Memlet(name)
        return [*nodes, Tasklet(at, Op("max" if u.up else "min", (Load(at, u.dtype), value), u.dtype))]


def _is_innermost(loop: Loop, scalar: str) -> bool:
    """Tell whether the scalar is replaced in loops alone that have none inside: these can be vector code."""
    for x in walk(loop):
        if isinstance(x, Loop | Map | While) and scalar in data_written(x):
            below = [y for y in walk(x.body) if isinstance(y, Loop | Map | While)]
            if below and not any(scalar in data_written(y) for y in below):
                return False
    return True


def _variables(n: Loop | Map) -> tuple[str, ...]:
    return (n.var,) if isinstance(n, Loop) else n.vars


def _nothing(u: Update) -> Const:
    """What is replaced by every number."""
    if u.dtype.kind == "f":
        return Const(float("-inf" if u.up else "inf"), u.dtype)
    return Const(u.dtype.lowest if u.up else u.dtype.highest, u.dtype)


def _again(u: Update, name: str, loop: Loop) -> Node:
    """The update by what was gathered."""
    old, new = Load(Memlet(u.scalar), u.dtype), Load(Memlet(name), u.dtype)
    condition = Op(u.compare, (new, old), b1)
    if not u.marks:
        return Tasklet(Memlet(u.scalar), select(condition, new, old), loc=loop.loc)
    marks = (Tasklet(Memlet(mark), value, loc=loop.loc) for mark, value in u.marks)
    then = Region((Tasklet(Memlet(u.scalar), new, loc=loop.loc), *marks), loc=loop.loc)
    return Branch(condition, then, Region((), loc=loop.loc), loc=loop.loc)
