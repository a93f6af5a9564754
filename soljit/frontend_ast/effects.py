"""Could evaluating an expression change memory?"""

from __future__ import annotations

import ast


def may_have_effects(node: ast.AST) -> bool:
    """Could evaluating this change memory that an earlier operand still reads? Calls (but of plain module functions) and `:=`."""
    for n in ast.walk(node):
        if isinstance(n, ast.NamedExpr):
            return True
        if isinstance(n, ast.Call):
            f = n.func
            if not (
                isinstance(f, ast.Attribute) and isinstance(f.value, ast.Name) and f.value.id in ("np", "numpy", "math")
            ):
                return True
            if any(k.arg == "out" for k in n.keywords) or f.attr in (
                "put",
                "place",
                "copyto",
                "add",
                "multiply",
                "shuffle",
            ):
                return True
    return False
