"""Take out of loops what is the same in every iteration: allocations, and symbols that depend on nothing inside.

    for k in range(n):                                    alloc(t)
        alloc(t, zero=True)                               for k in range(n):
        Let c = 2.0 * x                         →             for i in map(range(m)): t[i] = 0.0
        for i in map(range(m)): t[i] += c * a[i, k]           …

An array that is made anew in each iteration is made once, if its lengths are known in front of the loop and no
iteration can hold on to it: it is bound to no Ref, viewed by nobody, and given to no callee. What was filled with zeros
is then filled explicitly. Values leave a loop only if they load nothing but scalars that the loop does not write,
because a load may be in bounds only when the iteration runs. Neither leaves a map: what is made there is private.

contract_temporaries must come earlier, as it wants to see that the memory is fresh in each iteration.
"""

from __future__ import annotations

from dataclasses import replace

from soljit.analysis.memory.accesses import aliases, effects, names_written
from soljit.analysis.memory.occurrences import exposed, places
from soljit.analysis.memory.zeros import zeros
from soljit.ir.core.data import Array, Scalar
from soljit.ir.core.expr import Expr, Extent, Load, Stride, Sym, subexpressions
from soljit.ir.core.nodes import (
    Alloc,
    Branch,
    Call,
    Callback,
    Let,
    Loop,
    Map,
    Node,
    Program,
    Region,
    Return,
    While,
)
from soljit.ir.walk import FreshNames, descriptor_exprs, same
from soljit.passes.manager import Context


def hoist_invariants(program: Program, cx: Context) -> Program:
    """Hoist allocations and values out of all loops."""
    body = _Hoister(program, cx).region(program.body)
    return program if body is program.body else replace(program, body=body)


class _Hoister:
    """Inner loops first, so that what leaves an inner loop may leave the outer one as well."""

    def __init__(self, program: Program, cx: Context) -> None:
        self.program, self.cx = program, cx
        self.alias = aliases(program)
        self.held = exposed(program)
        self._fresh: FreshNames | None = None
        self._kept: dict[str, bool] = {}

    def region(self, region: Region) -> Region:
        """The region with its loops emptied of what can stand in front of them."""
        out: list[Node] = []
        for node in region.nodes:
            match node:
                case Loop() | While():
                    body = self.region(node.body)
                    before, body = self._out_of(node, body)
                    out += before
                    out.append(node if body is node.body else replace(node, body=body))
                case Map():
                    body = self.region(node.body)
                    out.append(node if body is node.body else replace(node, body=body))
                case Branch():
                    then, orelse = self.region(node.then), self.region(node.orelse)
                    same_arms = then is node.then and orelse is node.orelse
                    out.append(node if same_arms else replace(node, then=then, orelse=orelse))
                case _:
                    out.append(node)
        return region if same(out, region.nodes) else replace(region, nodes=tuple(out))

    def _out_of(self, loop: Loop | While, body: Region) -> tuple[list[Node], Region]:
        """What goes in front of the loop, and what stays in its body."""
        inside = set(effects(body).defines)
        if isinstance(loop, Loop):
            inside.add(loop.var)
        written = names_written(body)
        before: list[Node] = []
        stay: list[Node] = []
        for node in body.nodes:
            if isinstance(node, Let) and self._is_invariant(node.value, inside, written):
                inside.discard(node.name)
                before.append(node)
            elif isinstance(node, Alloc) and self._can_live_longer(node.data, inside, written):
                before.append(replace(node, zero=False))
                if node.zero:
                    stay.append(self._fill(node))
                self.cx.note(loop.loc, "allocated once", name=node.data)
            else:
                stay.append(node)
        return (before, replace(body, nodes=tuple(stay))) if before else ([], body)

    def _is_invariant(self, e: Expr, inside: set[str], written: frozenset[str]) -> bool:
        for x in subexpressions(e):
            match x:
                case Sym() if x.name in inside:
                    return False
                case Load() if not isinstance(self.program.data.get(x.memlet.data), Scalar) or x.memlet.data in written:
                    return False
                case Extent() | Stride() if self.alias.any_alias([x.data], written):
                    return False
                case _:
                    pass
        return True

    def _can_live_longer(self, name: str, inside: set[str], written: frozenset[str]) -> bool:
        d = self.program.data[name]
        if not isinstance(d, Array) or name in self.held or self._is_kept(name):
            return False
        return all(self._is_invariant(e, inside, written) for e in descriptor_exprs(d))

    def _is_kept(self, name: str) -> bool:
        """Tell whether somebody may hold on to the memory, so that the next iteration must not reuse it."""
        if name not in self._kept:
            found = places(self.program).get(name, [])
            self._kept[name] = (
                any(p.kind == "other" and isinstance(p.node, (Call, Callback, Return)) for p in found)
                or sum(p.kind == "alloc" for p in found) != 1
            )
        return self._kept[name]

    def _fill(self, alloc: Alloc) -> Node:
        """Zeros, explicitly."""
        d = self.program.data[alloc.data]
        assert isinstance(d, Array)
        fresh = self._fresh = self._fresh or FreshNames(self.program)
        return zeros(alloc, d, lambda _: fresh("z0"))
