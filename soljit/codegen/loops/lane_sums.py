"""Sums of which the processor keeps the eight parts of a block in registers.

    for (; at + 8 <= block; at += 8)
      for (lane = 0; lane < 8; ++lane) s_lanes[lane] = s_lanes[lane] + (contribution of k = done + (at + lane));
    s_block = sol_lanes_sum(s_lanes);
    for (; at < block; ++at) s_block = s_block + (contribution of k = done + at);

NumPy adds up a block in eight parts, each of every eighth element, then the parts, then what is left; in a block of fewer than eight elements one after the other. Parts
begin at -0.0, to which each number is added as it is, and eight of them are -0.0 together. So the sum is that of `sol_block_sum`, which reads contributions from a buffer, without the buffer.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from soljit.codegen.loops.call_strips import calls_of
from soljit.codegen.loops.nests import Nest, position, pragma
from soljit.codegen.memory.combine import identity
from soljit.codegen.memory.placement import declare_locals
from soljit.codegen.spelling.types import cpp_type
from soljit.codegen.writing.context import Accumulator
from soljit.codegen.writing.text import SUM, Text
from soljit.ir.core.data import Scalar
from soljit.ir.core.expr import Load, Op, subexpressions
from soljit.ir.core.nodes import Let, Node, Tasklet
from soljit.ir.walk import computed

_MOST = 40  # operations of an iteration, which is written out twice
_SUMS = 8  # which are in registers at the same time


def stay_in_registers(n: Nest) -> bool:
    """Tell whether an iteration computes nothing but contributions to a few sums."""
    cx, body = n.cx, n.map.body
    plain = all(r.wcr == "add" and r.dtype.name in ("f32", "f64") and r.single for r in n.blocked)
    if cx.in_kernel or not plain or len(n.blocked) > _SUMS:
        return False
    targets, own = [r.target for r in n.blocked], cx.homes.get(id(body), ())

    def stays(x: Node) -> bool:
        if isinstance(x, Tasklet) and x.out not in targets:
            return x.out.data in own and isinstance(cx.data(x.out.data), Scalar)
        return isinstance(x, Let | Tasklet)

    operations = sum(isinstance(x, Op | Load) for e in computed(body) for x in subexpressions(e))
    return operations <= _MOST and all(stays(x) for x in body.nodes) and not calls_of(cx, n.map)


def add_up(n: Nest, block: str, start: Text, done: str) -> list[str]:
    """Add up a block of contributions, behind `done` others; the names of the sums."""
    cx, m, targets = n.cx, n.map, [r.target for r in n.blocked]
    at, lane = cx.names.fresh("at"), cx.names.fresh("lane")
    parts = [cx.names.fresh(f"{t.data}_lanes") for t in targets]
    totals = [cx.names.fresh(f"{t.data}_block") for t in targets]

    @contextmanager
    def into(names: list[str], kind: str) -> Iterator[None]:
        cx.accumulators += [Accumulator(t, kind, name) for t, name in zip(targets, names)]
        yield
        del cx.accumulators[-len(names) :]

    def contribute(k: str, names: list[str]) -> None:
        here = position(cx, start, m.spans[-1], Text(f"{done} + {k}", SUM))
        cx.out.line(f"const int64_t {cx.names.symbol(m.vars[-1])} = {here};")
        with into(names, "variable"):
            declare_locals(cx, m)
            n.region(cx, m.body)

    for r, part in zip(n.blocked, parts):
        cx.out.line(f"{cpp_type(r.dtype)} {part}[8] = {{{', '.join([identity('add', r.dtype)] * 8)}}};")
    cx.out.line(f"int64_t {at} = 0;")
    with cx.out.block(f"for (; {at} + 8 <= {block}; {at} += 8)"):
        slots = [f"{part}[{lane}]" for part in parts]
        with into(slots, "slot"):
            pragma(cx, m, m.vars[-1])
        with cx.out.block(f"for (int {lane} = 0; {lane} < 8; ++{lane})"):
            contribute(f"({at} + {lane})", slots)
    for r, part, total in zip(n.blocked, parts, totals):
        cx.out.line(f"{cpp_type(r.dtype)} {total} = sol_lanes_sum({part});")
    with cx.out.block(f"for (; {at} < {block}; ++{at})"):
        contribute(at, totals)
    return totals
