"""Count what a loop only marks.

    for i in range(n):                              found = 0
        if a[i] > 0.5:                              for i in range(n):
            s = s + a[i]                     →          if a[i] > 0.5:
            kind = 1                                        s = s + a[i]
                                                            found = max(found, 1)
                                                    if found != 0: kind = 1

A scalar that a loop only ever sets to one constant ties its iterations together: the last one counts. As a maximum the
mark is an accumulation, in which the order does not matter, and the loop may become a map.

Proof: the loop does not read the scalar, so only its value behind the loop can be seen, and that is the constant if
any iteration has set it, else what it was. Loops that may end early stay as they are. parallelize_loops comes next.
"""

from __future__ import annotations

from dataclasses import replace

from soljit.analysis.memory.accesses import effects, names_read, names_written
from soljit.ir.core.data import Data, Scalar
from soljit.ir.core.expr import ONE, ZERO, Const, Expr, Load, Memlet, Op
from soljit.ir.core.nodes import Branch, Break, Loop, Map, Node, Program, Region, Tasklet, While
from soljit.ir.core.types import i64
from soljit.ir.symbolic import ne
from soljit.ir.walk import FreshNames, rewrite, walk
from soljit.passes.manager import Context


def gather_marks(program: Program, cx: Context) -> Program:
    """The program with the marks of its loops gathered."""
    data: dict[str, Data] = dict(program.data)
    fresh = FreshNames(program)

    def gathered(n: Node) -> tuple[Node, ...] | None:
        if not isinstance(n, Loop):
            return None
        before: list[Node] = []
        after: list[Node] = []
        for name, value in _marks(n, program).items():
            found = fresh(f"{name}_found")
            data[found] = Scalar(i64)
            at = Memlet(found)
            before.append(Tasklet(at, ZERO, loc=n.loc))
            n = _counted(n, name, at)
            mark = Region((Tasklet(Memlet(name), value, loc=n.loc),), loc=n.loc)
            after.append(Branch(ne(Load(at, i64), ZERO), mark, Region((), loc=n.loc), loc=n.loc))
            cx.note(n.loc, "set behind", name=name)
        return (*before, n, *after) if before else None

    body = rewrite(program.body, gathered, top_down=True)
    return program if body is program.body else replace(program, body=body, data=data)


def _counted(loop: Loop, name: str, at: Memlet) -> Loop:
    """The loop with `at` set to one wherever it set `name`."""

    def fn(t: Node) -> Node | None:
        if not isinstance(t, Tasklet) or t.out.data != name:
            return None
        return replace(t, out=at, code=Op("max", (Load(at, i64), ONE), i64))

    return rewrite(loop, fn)


def _marks(loop: Loop, program: Program) -> dict[str, Expr]:
    """The scalars that `loop` sets to one constant and does nothing else with, with that constant."""
    e = effects(loop)
    if e.leaves or e.python or any(isinstance(n, (Break, While)) for n in walk(loop)):
        return {}
    names = {a.data for a in e.writes if isinstance(program.data.get(a.data), Scalar)} - names_read(loop) - e.private
    found: dict[str, Expr] = {}
    for n in walk(loop):
        if isinstance(n, Tasklet) and n.out.data in names:
            if not isinstance(n.code, Const) or found.setdefault(n.out.data, n.code) != n.code:
                names.discard(n.out.data)
        elif not isinstance(n, (Region, Loop, Map, Branch)):
            names -= names_written(n)
    return {name: value for name, value in sorted(found.items()) if name in names}
