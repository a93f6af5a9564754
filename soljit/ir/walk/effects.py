"""What nodes read and write: memlets of a leaf, container names of a subtree.

Names are those of the program: a `View` or `Ref` and what it stands for have different names here; who overlaps whom is
a question for the analyses. A memlet with an empty subset of a container that has dimensions stands for all of it, or,
for a `Ref`, for what it is bound to.

`Bind` counts as a read of its source and a write of the Ref, `Alloc` as a write, `Extent` and `Stride` as a read,
because a Ref's lengths change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from soljit.ir.core.data import Array, Ref, View
from soljit.ir.core.expr import Extent, Load, Memlet, Stride, subexpressions, symbols
from soljit.ir.core.nodes import Alloc, Bind, Call, Callback, Copy, LibraryNode, Map, Node, Program, Tasklet
from soljit.ir.core.types import obj
from soljit.ir.walk.tree import Value, value_exprs, values, walk


def loads_of(vs: Iterable[Value]) -> Iterator[Memlet]:
    """Memlets of all loads in these values, those in subscripts included, but not the operand memlets themselves."""
    for v in vs:
        for e in value_exprs(v):
            for x in subexpressions(e):
                if isinstance(x, Load):
                    yield x.memlet


def reads_outs(node: LibraryNode) -> bool:
    """Tell whether the operation also reads what stands in its outputs."""
    return node.op in ("ger", "sort") or (node.op == "matmul" and len(node.ins) == 4) or any(m.wcr for m in node.outs)


def reached(node: Node) -> tuple[str, ...]:
    """The containers that a call may read and write without being given them."""
    if not isinstance(node, (Call, Callback)) or not node.effects:
        return ()
    given = {m.data for m in node.ins if isinstance(m, Memlet)}
    return tuple(name for name in node.effects if name not in given)


def memlets_read(node: Node) -> list[Memlet]:
    """What this node itself reads (not the nodes below): conditions and spans, operands of leaves."""
    out = list(loads_of(values(node))) + [Memlet(name) for name in reached(node)]
    match node:
        case Tasklet() if node.out.wcr:
            out.append(node.out)
        case LibraryNode():
            out += [m for m in node.ins if isinstance(m, Memlet)]
            if reads_outs(node):
                out += node.outs
        case Copy():
            out += [node.src, *([node.dst] if node.dst.wcr else [])]
        case Tasklet() | Map():  # what a map says of its sums touches nothing: statements in it do
            pass
        case _:
            out += [v for v in values(node) if isinstance(v, Memlet)]
    return out


def memlets_written(node: Node) -> list[Memlet]:
    """What this node itself writes. A `Call` may write every array that it is given."""
    match node:
        case Tasklet():
            return [node.out]
        case LibraryNode():
            return list(node.outs)
        case Copy():
            return [node.dst]
        case Alloc():
            return [Memlet(node.data)]
        case Bind():
            return [Memlet(node.ref)]
        case Call() | Callback():
            given = [
                m for m in node.ins if isinstance(m, Memlet) and (isinstance(node, Call) or m.data in node.effects)
            ]
            return given + [Memlet(name) for name in (*reached(node), *node.outs) if name]
        case _:
            return []


def data_read(node: Node) -> set[str]:
    """Names of containers that `node` or a node below it reads, or whose lengths or strides it asks for."""
    out: set[str] = set()
    for n in walk(node):
        out.update(m.data for m in memlets_read(n))
        for v in values(n):
            for e in value_exprs(v):
                out.update(x.data for x in subexpressions(e) if isinstance(x, (Extent, Stride)))
    return out


def data_written(node: Node) -> set[str]:
    """Names of containers that `node` or a node below it writes, allocates or binds."""
    return {m.data for n in walk(node) for m in memlets_written(n)}


def writes_outside(program: Program) -> bool:
    """Tell whether running the program may change memory that an argument can see.

    A Ref that is only bound stands for what it is bound to; one that a call gives may stand for anything.
    """
    written: list[str] = []
    behind: dict[str, list[str]] = {}
    for n in walk(program.body):
        if isinstance(n, Bind):
            behind.setdefault(n.ref, []).append(n.source.data)
            continue
        written += [m.data for m in memlets_written(n)]
        if isinstance(n, (Call, Callback)) and any(isinstance(program.data.get(o), Ref) for o in n.outs):
            return True
    seen: set[str] = set()
    while written:
        name = written.pop()
        if name in seen:
            continue
        seen.add(name)
        d = program.data.get(name)
        if isinstance(d, View):
            written.append(d.of)
        elif isinstance(d, Ref):
            if d.dtype is obj or name not in behind:
                return True
            written += behind[name]
        elif isinstance(d, Array) and not d.transient:
            return True
    return bool(program.functions)


def data_used(node: Node) -> set[str]:
    """Names of all containers that occur in `node` or below it."""
    private = {p for n in walk(node) if isinstance(n, Map) for p in n.private}
    return data_read(node) | data_written(node) | private


def symbols_of(v: Value) -> set[str]:
    """Names of all symbols in a value."""
    return set().union(*(symbols(e) for e in value_exprs(v)))
