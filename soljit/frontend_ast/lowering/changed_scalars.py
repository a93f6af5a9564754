"""Which mutable scalars a node under construction may change."""

from __future__ import annotations

from collections.abc import Container, Mapping

from soljit.frontend_ast.lowering.blocks import below
from soljit.ir.core import nodes
from soljit.ir.core.data import Data, Scalar
from soljit.ir.core.expr import TRUE
from soljit.ir.walk import memlets_written

_WRITES_NOTHING = (nodes.Let, nodes.Alloc, nodes.Bind, nodes.Raise, nodes.Return, nodes.Break, nodes.Continue)


def scalars_changed(node: nodes.Node, data: Mapping[str, Data], steady: Container[str]) -> tuple[set[str], set[str]]:
    """The scalars that the node and those below it write; apart from them, those of `steady` to which they write TRUE."""
    changed: set[str] = set()
    bound: set[str] = set()
    if isinstance(node, _WRITES_NOTHING):
        return changed, bound
    for n in below(node):
        written = {m.data for m in memlets_written(n) if isinstance(data.get(m.data), Scalar)}
        true = isinstance(n, nodes.Tasklet) and n.code == TRUE and n.out.wcr is None and n.out.data in steady
        (bound if true else changed).update(written)
    return changed, bound
