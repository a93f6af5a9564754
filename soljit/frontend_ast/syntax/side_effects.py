"""Could evaluating an expression change memory?"""

from __future__ import annotations

import ast

# Of Python and of arrays: they only look at their arguments.
FUNCTIONS = frozenset(
    ["abs", "bool", "complex", "float", "int", "isinstance", "len", "max", "min", "range", "round", "slice", "tuple"]
)
METHODS = frozenset(
    [
        "all",
        "any",
        "argmax",
        "argmin",
        "astype",
        "conj",
        "copy",
        "flatten",
        "item",
        "max",
        "mean",
        "min",
        "ravel",
        "reshape",
        "std",
        "sum",
        "transpose",
        "var",
    ]
)


def may_have_effects(node: ast.AST) -> bool:
    """Could evaluating this change memory that an earlier operand still reads? Calls (but of plain module functions) and `:=`."""
    for n in ast.walk(node):
        if isinstance(n, ast.NamedExpr):
            return True
        if isinstance(n, ast.Call):
            f = n.func
            if isinstance(f, ast.Name) and f.id in FUNCTIONS and not n.keywords:
                continue
            if isinstance(f, ast.Attribute) and f.attr in METHODS and not n.keywords:
                continue
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
