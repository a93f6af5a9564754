"""How large a program is, and whether passes and compilers should be spared it."""

from __future__ import annotations

from soljit.ir.core.expr import subexpressions
from soljit.ir.core.nodes import Loop, Map, Node, Program, While
from soljit.ir.walk.tree import children_nodes, value_exprs, values

MOST_PARTS = 60_000  # nodes and expressions of a program
DEEPEST_NEST = 24  # loops inside each other: C++ compilers take exponential time beyond some 30


def why_too_large(program: Program) -> str | None:
    """What of the program is too large to be compiled; None: nothing is."""
    parts = 0
    for p in (program, *program.functions.values()):
        stack: list[tuple[Node, int]] = [(p.body, 0)]
        while stack:
            node, depth = stack.pop()
            if depth > DEEPEST_NEST:
                return f"loops are nested more than {DEEPEST_NEST} deep, one for each dimension of an array among them"
            parts += 1 + sum(1 for v in values(node) for e in value_exprs(v) for _ in subexpressions(e))
            if parts > MOST_PARTS:
                return f"the program has more than {MOST_PARTS} operations"
            inside = depth + (len(node.vars) if isinstance(node, Map) else isinstance(node, (Loop, While)))
            stack.extend((child, inside) for child in children_nodes(node))
    return None
