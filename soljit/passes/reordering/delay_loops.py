"""Delay the steps of a loop that updates an array by one of its rows, so that each element takes several of them at once, in registers.

    for k in range(n):                                        for K in range(0, n, 8):
        for i, j in map(range(n), range(n)):                      for k in range(K, K + 8):                        # (a) rows of the panel
            a[i, j] = f(a[i, j], a[i, k], a[k, j])        →           pivots[k - K, :] = a[k, :]
                                                                      for i, j in map(range(K, K + 8), range(n)): a[i, j] = f(a[i, j], a[i, k], a[k, j])
                                                                  for k in range(K, K + 8):                        # (b) columns of the panel
                                                                      for i in map(other rows): needed[k - K, i] = columns[k - K, i]
                                                                      for j in range(8): for i in map(other rows): columns[j, i] = f(columns[j, i], …)
                                                                  for i, j in map(other rows, range(n)):           # (c)
                                                                      v = a[i, j]
                                                                      v = f(v, needed[0, i], pivots[0, j])
                                                                      …
                                                                      a[i, j] = f(v, needed[7, i], pivots[7, j])

What the body must be, and why each element gets the same operations in the same order, is `analysis/reordering/panels.py`. An array goes through the caches once a panel, not once a step; where it
fits the first one, each element is loaded and stored once a panel; and there is one region of threads a panel. Behind the panels the loop stands once more, for the steps that fill none and those with
few rows.

Needs maps without schedules, and must come before `skew_loops`, which would take such a loop for one over time, and `schedule_maps`.
"""

from __future__ import annotations

from dataclasses import replace

from soljit.analysis.memory.accesses import aliases
from soljit.analysis.reordering.panels import Panels, panels
from soljit.base.records import dataclass
from soljit.base.sentences import Said
from soljit.ir.core.data import Data
from soljit.ir.core.expr import Op, subexpressions
from soljit.ir.core.nodes import Loop, Map, Node, Program
from soljit.ir.symbolic import is_index
from soljit.ir.walk import FreshNames, replace_loops
from soljit.passes.manager import Context
from soljit.passes.reordering.panel_code import PanelCode
from soljit.passes.reordering.panel_rows import PanelArrays
from soljit.schedule.policy import YES, Choice

STEPS = 8  # of a panel
LEAST = 32  # rows
_LIGHT = frozenset(
    ("add", "sub", "mul", "div", "neg", "abs", "sqrt", "min", "max", "fmin", "fmax", "band", "bor", "bxor", "invert")
    + ("select", "eq", "ne", "lt", "le", "gt", "ge", "lnot")
)  # operations of which many in a row stay vector code, and take less time than memory


def delay_loops(program: Program, cx: Context) -> Program:
    """Delay the steps of every loop in which that is right."""
    d = _Delayer(program, cx, FreshNames(program), dict(program.data))
    body = replace_loops(program.body, d.delayed)
    return program if body is program.body else replace(program, body=body, data=d.data)


@dataclass
class _Delayer:
    program: Program
    cx: Context
    _fresh: FreshNames
    data: dict[str, Data]

    def delayed(self, loop: Loop) -> list[Node] | None:
        """The panels, or None if the loop stays as it is."""
        if not any(isinstance(n, Map | Loop) for n in loop.body.nodes):
            self.cx.policy.refuse("delay", (loop,), "there are no loops in it")
            return None
        found = panels(loop, self.program, aliases(self.program))
        reason = found if isinstance(found, Said) else None
        choice = self.cx.policy.decide(
            "delay", (loop,), lambda: YES if isinstance(found, Panels) and _is_light(found) else None, lambda _: reason
        )
        if isinstance(found, Said) or not isinstance(choice, Choice):
            return None
        self.cx.note(loop.loc, "delayed", names=tuple(sorted({s.out.data for p in found.parts for s in p.sweeps})))
        count = int(choice.options.get("steps", STEPS))
        least = 1 if choice.options else LEAST
        return PanelCode(PanelArrays(loop, found, self.data, self._fresh, count), least).nodes()


def _is_light(found: Panels) -> bool:
    """Tell whether memory decides how long a sweep takes."""
    values = [s.value for p in found.parts for s in p.sweeps]
    parts = [x for v in values for x in subexpressions(v) if isinstance(x, Op) and not is_index(x)]
    return all(x.name in _LIGHT for x in parts) and all(
        v.dtype.kind in "biuf" and not (v.dtype.is_float and v.dtype.size < 4) for v in values
    )
