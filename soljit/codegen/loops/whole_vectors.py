"""Innermost loops in whole vectors: the last vector of a row begins earlier, where some of its elements have been computed already.

    if (start + 8 <= stop) {
      for (first = start; first < stop; first += 8)
        for (lane = 0; lane < 8; ++lane) { const int64_t i = sol_imin(first, stop - 8) + lane; … }
    } else {
      for (i = start; i < stop; ++i) …
    }

What is left of a row behind its last whole vector is up to seven iterations one by one otherwise, which take as long as several vectors: half of the time in rows of 30 elements.

**Theorem.** Iterations that combine nothing into what is there, and read nothing that one of them writes, may run twice. Proof. All that an iteration reads has the same value before, between and
behind its two runs, so both write the same. No other iteration writes there, since the map's iterations are independent. ∎

Only for vectors of 64 bytes; with shorter ones it gains nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from soljit.analysis.memory.accesses import aliases, effects
from soljit.codegen.loops.nests import Nest, loop_head, pragma
from soljit.codegen.writing.text import PRODUCT, SUM, Text
from soljit.ir.core.data import Scalar
from soljit.ir.core.expr import Const, Load, Op, subexpressions
from soljit.ir.core.nodes import Tasklet
from soljit.ir.symbolic.algebra import range_length
from soljit.ir.walk import computed, is_straight, walk

_BYTES = 64
_MOST = 100  # operations of an iteration, which is written out twice


def lanes(n: Nest) -> int:
    """How many iterations of the innermost loop are a vector; 0: it runs as it is."""
    cx, m = n.cx, n.map
    wide = cx.tables.features.avx512 and not cx.tables.features.clang and not cx.in_kernel and cx.block is None
    inner = len(m.vars) > 1 and m.schedule[-1:] == ("lanes",) and is_straight(m.body)
    if not wide or not inner or n.plain or n.blocked or not _may_run_twice(n):
        return 0
    values = [x for e in computed(m.body) for x in subexpressions(e) if isinstance(x, Op | Load)]
    moved = [x.dtype for x in values if isinstance(x, Load)]
    moved += [x.code.dtype for x in walk(m.body) if isinstance(x, Tasklet)]
    if len({t.name for t in moved}) != 1 or moved[0].name not in ("f32", "f64") or len(values) > _MOST:
        return 0
    count, row = _BYTES // moved[0].size, range_length(m.spans[-1])
    return 0 if isinstance(row, Const) and row.value.real < count else count


def _may_run_twice(n: Nest) -> bool:
    """Tell whether an iteration leaves what all of them read as it is."""
    cx, e = n.cx, effects(n.map.body)
    if e.python or e.binds:
        return False
    own = {x for x in cx.homes.get(id(n.map.body), ()) if isinstance(cx.data(x), Scalar)}
    written = {a.data for a in e.writes} - own
    alone = all(a.wcr is None for a in e.writes) and not any(isinstance(cx.data(x), Scalar) for x in written)
    return alone and not aliases(cx.program).any_alias(written, {a.data for a in e.reads} - own)


def emit_vectors(n: Nest, start: Text, stop: Text, count: int, iteration: Callable[[], None]) -> None:
    """The innermost loop, so many iterations at a time."""
    cx, var = n.cx, n.map.vars[-1]
    first, lane = cx.names.fresh(f"{var}_first"), cx.names.fresh("lane")
    with (
        cx.out.block(f"if ({start.at(SUM)} + {count} <= {stop.at(SUM)})"),
        cx.out.block(f"for (int64_t {first} = {start}; {first} < {stop.at(SUM)}; {first} += {count})"),
    ):
        at = cx.names.fresh(f"{var}_at")
        cx.out.line(f"const int64_t {at} = sol_imin<int64_t>({first}, {stop.at(PRODUCT)} - {count});")
        pragma(cx, n.map, var)
        with cx.out.block(f"for (int {lane} = 0; {lane} < {count}; ++{lane})"):
            cx.out.line(f"const int64_t {cx.names.symbol(var)} = {at} + {lane};")
            iteration()
    with cx.out.block("else"), cx.out.block(loop_head(cx, var, start, stop, Text("1"))):
        iteration()
        cx.out.line(f"SOL_ONE_BY_ONE({cx.names.symbol(var)});")
