"""Write a product to the array that it is copied to.

    alloc(t)
    lib.matmul(outs=[t[0:n, 0:m]], ins=[A, B])             →    lib.matmul(outs=[C[1:n + 1, 0:m]], ins=[A, B])
    for i, j in map(range(n), range(m)): C[i + 1, j] = t[i, j]

Proof: t is a temporary that nothing else uses. C is no operand of the product and overlaps none, and what stands between product and copy does
not touch C, cannot leave and does not call Python, so that nobody sees C change earlier. The copy takes all of t, each element once, without a
change of type. The last axis of C has stride 1, as a BLAS wants it: the library computes the same bits as into t.
"""

from __future__ import annotations

from dataclasses import replace

from soljit.analysis.memory.accesses import Aliases, aliases, effects
from soljit.analysis.memory.affine import mentions
from soljit.analysis.memory.occurrences import Place, exposed, places
from soljit.base.records import dataclass
from soljit.ir.core.data import Array
from soljit.ir.core.expr import ONE, Expr, Load, Memlet, Range, Sym, symbols
from soljit.ir.core.nodes import LibraryNode, Map, Node, Program, Region, Tasklet
from soljit.ir.symbolic import add, sub
from soljit.ir.walk import loads_of, on_regions, reads_outs, same
from soljit.passes.manager import Context


def store_products(program: Program, cx: Context) -> Program:
    """Let products write where they are copied to. The temporaries are left without a use."""
    s = _Storer(program, places(program), aliases(program), exposed(program))
    body = s.region(program.body)
    return program if body is program.body else replace(program, body=body)


@dataclass
class _Storer:
    program: Program
    places: dict[str, list[Place]]
    alias: Aliases
    shown: set[str]

    def region(self, region: Region) -> Region:
        """Look for products here and below."""
        nodes = [on_regions(n, self.region) for n in region.nodes]
        for k, n in enumerate(nodes):
            if not isinstance(n, LibraryNode) or (copy := self.copy_of(n)) is None or copy not in nodes[k + 1 :]:
                continue
            at = nodes.index(copy, k + 1)
            out = _stored(n.outs[0], copy)
            if out is None or not self.may_store(n, out, nodes[k + 1 : at]):
                continue
            nodes[k] = replace(n, outs=(out,))
            del nodes[at]
        return region if same(nodes, region.nodes) else replace(region, nodes=tuple(nodes))

    def copy_of(self, n: LibraryNode) -> Map | None:
        """The map that reads a product's result, if the result is a temporary which nothing else uses."""
        if n.op != "matmul" or n.attrs or reads_outs(n):
            return None
        name = n.outs[0].data
        d = self.program.data[name]
        found = [p for p in self.places[name] if p.kind != "alloc"]
        if not isinstance(d, Array) or not d.transient or name in self.shown or len(found) != 2:
            return None
        if found[0].node is not n or found[1].kind != "load":
            return None
        around = found[1].above[-2:]
        return around[0] if len(around) == 2 and isinstance(around[0], Map) else None

    def may_store(self, n: LibraryNode, out: Memlet, between: list[Node]) -> bool:
        """Tell whether the product may write `out` before the nodes between run."""
        target, source = self.program.data[out.data], self.program.data[n.outs[0].data]
        if not isinstance(target, Array) or not isinstance(source, Array) or target.dtype is not source.dtype:
            return False
        last = target.strides[-1] if target.strides is not None else ONE
        if last != ONE or not isinstance(out.subset[-1], Range):
            return False
        if next(loads_of(out.children), None) is not None:
            return False
        named = {name for x in out.children for name in symbols(x)}
        operands = [m.data for m in n.ins if isinstance(m, Memlet)]
        if self.alias.any_alias([out.data], operands):
            return False
        for node in between:
            e = effects(node)
            if e.leaves or e.python or e.asks or e.binds or e.defines & named:
                return False
            if self.alias.any_alias([out.data], {a.data for a in e.accesses}):
                return False
        return True


def _stored(out: Memlet, copy: Map) -> Memlet | None:
    """Where the copy puts the whole of `out`; None if it does anything else."""
    if copy.schedule or copy.private or len(copy.body.nodes) != 1 or out.axes is not None:
        return None
    t = copy.body.nodes[0]
    if not isinstance(t, Tasklet) or t.out.wcr is not None or not isinstance(t.code, Load):
        return None
    if t.code.memlet.subset != tuple(map(Sym, copy.vars)) or len(copy.vars) != len(out.subset):
        return None
    if out.subset != copy.spans or any(s.step != ONE for s in copy.spans):
        return None
    left = list(zip(copy.vars, copy.spans))
    subset: list[Expr | Range] = []
    for index in t.out.subset:
        assert isinstance(index, Expr)
        if left and mentions(index, left[0][0]):
            name, span = left.pop(0)
            offset = sub(index, Sym(name))
            if any(mentions(offset, v) for v in copy.vars):
                return None
            subset.append(Range(add(span.start, offset), add(span.stop, offset), ONE))
        elif any(mentions(index, v) for v in copy.vars):
            return None
        else:
            subset.append(index)
    return None if left else Memlet(t.out.data, tuple(subset))
