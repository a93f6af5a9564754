"""Drop the overflow checks of Python integers that a loop counts too seldom to leave 64 bits.

    c = 0                                             c = 0
    for i in range(n):                                for i in range(n):
        t = c                                  →          t = c
        if add_overflows(t, 1): raise …                   c = t + 1
        c = t + 1

Proof: `analysis/flow/induction_ranges` bounds all values of the counter, so the check never fails. Without it the loop adds up, which
parallelize_loops makes use of; canonicalize must come earlier, since it decides the checks that do not depend on loops.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from soljit.analysis.flow.induction_ranges import Reach, interval, reach
from soljit.analysis.flow.program_point import Situation
from soljit.ir.core.data import Scalar
from soljit.ir.core.expr import Op
from soljit.ir.core.nodes import Branch, Let, Loop, Map, Node, Program, Raise, Region, Tasklet, While
from soljit.ir.core.types import b1, i64
from soljit.ir.walk import data_written, rewrite, same, walk
from soljit.passes.manager import Context


def drop_overflow_checks(program: Program, cx: Context) -> Program:
    """The program without checks of counters that cannot overflow."""
    checked = any(isinstance(n, Branch) and _is_check(n) for n in walk(program.body))
    if not checked:
        return program
    body = _Dropper(program, cx).region(program.body, Situation(cx.facts(program)), {})
    return program if body is program.body else replace(program, body=body)


class _Dropper:
    def __init__(self, program: Program, cx: Context) -> None:
        self.cx = cx
        self.counters = {name for name, d in program.data.items() if isinstance(d, Scalar) and d.dtype is i64}

    def region(self, region: Region, here: Situation, known: Mapping[str, Reach]) -> Region:
        """The region without such checks; `known`: values of counters in front of it."""
        values = dict(known)
        out: list[Node] = []
        for n in region.nodes:
            match n:
                case Loop() | While():
                    out.append(self.loop(n, here, values))
                    continue
                case Map():
                    inside = here
                    for v, s in zip(n.vars, n.spans):
                        inside = inside.in_loop(v, s)
                    body = self.region(n.body, inside, {})
                    n = n if body is n.body else replace(n, body=body)
                case Branch():
                    then = self.region(n.then, here.where(n.cond), values)
                    orelse = self.region(n.orelse, here, values)
                    same_arms = then is n.then and orelse is n.orelse
                    n = n if same_arms else replace(n, then=then, orelse=orelse)
                case Let():
                    here = here.after(n)
                case _:
                    pass
            out.append(n)
            for name in data_written(n):
                values.pop(name, None)
            if isinstance(n, Tasklet) and n.out.data in self.counters and n.out.wcr is None:
                value = interval(n.code, here)
                if value is not None:
                    values[n.out.data] = value
        return region if same(out, region.nodes) else replace(region, nodes=tuple(out))

    def loop(self, n: Loop | While, here: Situation, values: dict[str, Reach]) -> Loop | While:
        """The loop without the checks of what `values` holds, which are brought up to date."""
        body = n.body
        for name in sorted(data_written(n)):
            start = values.pop(name, None)
            far = None if start is None else reach(n, name, here, start)
            if far is not None and i64.lowest <= far[0] and far[1] <= i64.highest:
                values[name] = far
                body = self._without_checks(body, name)
        body = self.region(body, here.in_loop(n.var, n.span) if isinstance(n, Loop) else here, {})
        return n if body is n.body else replace(n, body=body)

    def _without_checks(self, body: Region, counter: str) -> Region:
        def fn(n: Node) -> Node | None:
            if not isinstance(n, Region):
                return None
            kept = tuple(x for k, x in enumerate(n.nodes) if not self._guards_a_step(n.nodes, k, counter))
            return None if len(kept) == len(n.nodes) else replace(n, nodes=kept)

        return rewrite(body, fn)

    def _guards_a_step(self, nodes: tuple[Node, ...], k: int, counter: str) -> bool:
        """Tell whether node `k` is the check of an addition that certainly comes next, and whose result the counter gets."""
        check = nodes[k]
        if not isinstance(check, Branch) or not _is_check(check) or check.orelse.nodes:
            return False
        for n in nodes[k + 1 :]:
            if isinstance(n, Tasklet) and n.out.data == counter:
                if not isinstance(n.code, Op) or check.cond != Op(f"{n.code.name}_overflows", n.code.args, b1):
                    return False
                self.cx.note(check.loc, "no overflow", name=counter)
                return True
            if not isinstance(n, Let):
                return False
        return False


def _is_check(n: Branch) -> bool:
    overflow = isinstance(n.cond, Op) and n.cond.name in ("add_overflows", "sub_overflows")
    return overflow and len(n.then.nodes) == 1 and isinstance(n.then.nodes[0], Raise)
