"""What has been written since some point of the block under construction."""

from __future__ import annotations

from soljit.frontend_ast.lowering.blocks import Block, below
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.ir.core import nodes
from soljit.ir.core.expr import Memlet


def unchanged_since(cx: Lowering, point: nodes.Node, block: Block, data: str) -> bool:
    """Tell whether the content of `data` is certainly what it was when `point` was emitted into `block`, the present one."""
    if block is not cx.current:
        return False  # a loop in between could come back with other content
    roots = cx.roots_of(data)
    for node in reversed(block.items):
        if node is point:
            return True
        if _may_write(cx, node, roots):
            return False
    return False


def written_since(cx: Lowering, count: int, data: str) -> bool:
    """Tell whether what stands in the present block, but for its first nodes, may write into `data`."""
    roots = cx.roots_of(data)
    return any(_may_write(cx, node, roots) for node in cx.current.items[count:])


def roots_written_since(cx: Lowering, count: int) -> frozenset[str]:
    """The memory, and the array variables, that what stands in the present block may write into, but for its first nodes."""
    names = {name for node in cx.current.items[count:] for n in below(node) for name in _written(n) if name}
    return frozenset(names).union(*map(cx.roots_of, names))


def _may_write(cx: Lowering, node: nodes.Node, roots: frozenset[str]) -> bool:
    return any(not roots.isdisjoint(cx.roots_of(name)) for n in below(node) for name in _written(n))


def _written(node: nodes.Node) -> tuple[str, ...]:
    match node:
        case nodes.Tasklet():
            return (node.out.data,)
        case nodes.Copy():
            return (node.dst.data,)
        case nodes.LibraryNode():
            return tuple(m.data for m in node.outs)
        case nodes.Callback():
            return (*node.outs, *node.effects)
        case nodes.Call():
            return (*node.outs, *node.effects, *(m.data for m in node.ins if isinstance(m, Memlet)))
        case nodes.Bind():
            return (node.ref,)
    return ()
