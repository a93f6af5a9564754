"""Make memory of the device once in front of a loop, as long as the longest that an iteration needs.

    for k in range(n):                                    alloc(t)                     (t: f64[n])
        alloc(t)                    (t: f64[n - k])       for k in range(n):
        map, schedule("grid"): t[i] = …           →           map, schedule("grid"): t[i] = …
        …                                                     …

hoist_invariants has done it where all iterations need the same. An allocation on a device takes as long as a launch, and is not worth
the few elements that it saves. Proof: nothing holds on to the memory, nothing asks how long it is, and the bound is one of
`analysis/loops/extremes.py`. If the loop may be left early, the longest may never be needed, so then the bound must be a number, and a small one.

It must come behind drop_host_copies: mirrors are as long as what they mirror.
"""

from __future__ import annotations

from dataclasses import replace

from soljit.analysis.loops.extremes import largest, surroundings
from soljit.analysis.memory.accesses import effects
from soljit.analysis.memory.occurrences import exposed, places
from soljit.base.records import dataclass
from soljit.ir.core.data import Array, Data
from soljit.ir.core.expr import ZERO, Const, Expr, Extent, Load, Memlet, Stride, subexpressions, symbols
from soljit.ir.core.nodes import Alloc, LibraryNode, Loop, Node, Program, Region, While
from soljit.ir.core.types import i64
from soljit.ir.symbolic import maximum
from soljit.ir.walk import exprs, on_regions, same
from soljit.ir.walk.spaces import on_device
from soljit.passes.manager import Context

FEW = 1 << 20  # elements that may be in vain
_UNKNOWN = Load(Memlet("?"), i64)


def allocate_once(program: Program, cx: Context) -> Program:
    """Move allocations of device memory out of loops, inner loops first."""
    if not any(on_device(program.data, name) for name in program.data):
        return program
    m = _Mover(program, dict(program.data), exposed(program), _asked(program), cx)
    body = m.region(program.body)
    return program if body is program.body else replace(program, body=body, data=m.data)


def _asked(program: Program) -> set[str]:
    """Containers whose lengths or strides are asked for."""
    return {x.data for e in exprs(program.body) for x in subexpressions(e) if isinstance(x, (Extent, Stride))}


@dataclass
class _Mover:
    """data: the containers as they are now; held: those that others stand for; asked: those whose lengths matter"""

    program: Program
    data: dict[str, Data]
    held: set[str]
    asked: set[str]
    cx: Context

    def region(self, region: Region) -> Region:
        """The region with its loops emptied of allocations."""
        out: list[Node] = []
        for n in region.nodes:
            inner = on_regions(n, self.region)
            if isinstance(inner, (Loop, While)):
                moved = [a for a in inner.body.nodes if isinstance(a, Alloc) and self._widened(inner, a)]
                out += moved
                if moved:
                    kept = tuple(x for x in inner.body.nodes if not any(x is a for a in moved))
                    inner = replace(inner, body=replace(inner.body, nodes=kept))
            out.append(inner)
        return region if same(out, region.nodes) else replace(region, nodes=tuple(out))

    def _widened(self, loop: Loop | While, n: Alloc) -> bool:
        """Make the array long enough for all iterations, if it can be made in front of the loop."""
        d = self.data[n.data]
        if not isinstance(d, Array) or d.storage != "cuda" or d.mirror is not None or d.strides is not None or n.zero:
            return False
        found = places(self.program).get(n.data, [])
        if n.data in self.held or n.data in self.asked or any(isinstance(p.node, LibraryNode) for p in found):
            return False
        if sum(p.kind == "alloc" for p in found) != 1 or any(
            p.kind != "alloc" and not p.memlet.subset for p in found if d.shape
        ):
            return False
        names = surroundings(loop, n)
        longest = [largest(e, names) for e in d.shape]
        shape = tuple(e if e is s else maximum(ZERO, e) for e, s in zip(longest, d.shape) if e is not None)
        if None in longest or (effects(loop.body).leaves and shape != d.shape and not _is_small(shape)):
            return False
        if shape != d.shape:
            self.cx.note(n.loc, "device allocated once")
        self.data[n.data] = replace(d, shape=shape)
        return True


def _is_small(shape: tuple[Expr, ...]) -> bool:
    """Tell whether there are few elements, whatever the sizes of arguments are."""
    count = 1
    for n in shape:
        most = largest(n, dict.fromkeys(symbols(n), _UNKNOWN))
        if not isinstance(most, Const):
            return False
        count *= int(most.value.real)
    return count <= FEW
