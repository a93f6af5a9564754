"""Private names of classes: `__name` in the body of a class C is `_C__name` (Python reference, "Private name mangling")."""

from __future__ import annotations

import ast


def mangle(tree: ast.AST) -> None:
    """Write the private names in all classes of a tree as Python calls them."""
    _below(tree, "")


def _below(node: ast.AST, owner: str) -> None:
    """Those under `node`; owner: the class around it, without leading underscores."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            for outside in (*child.decorator_list, *child.bases, *child.keywords):
                _below(ast.Expr(outside), owner)  # type: ignore[arg-type]
            name = child.name.lstrip("_")
            for s in child.body:
                _below(ast.Expr(s), name)  # type: ignore[arg-type]
            continue
        if owner:
            inside = isinstance(node, (ast.FunctionDef, ast.Lambda)) or not isinstance(child, ast.FunctionDef)
            _rename(child, owner, inside)
        _below(child, owner)


def _rename(node: ast.AST, owner: str, function_too: bool) -> None:
    match node:
        case ast.Name():
            node.id = _private(node.id, owner)
        case ast.Attribute():
            node.attr = _private(node.attr, owner)
        case ast.arg():
            node.arg = _private(node.arg, owner)
        case ast.keyword(arg=str(name)):
            node.arg = _private(name, owner)
        case ast.ExceptHandler(name=str(name)):
            node.name = _private(name, owner)
        case ast.Global() | ast.Nonlocal():
            node.names = [_private(n, owner) for n in node.names]
        case ast.FunctionDef() if function_too:  # a method's code keeps the name that is written
            node.name = _private(node.name, owner)


def _private(name: str, owner: str) -> str:
    private = name.startswith("__") and not name.endswith("__") and owner
    return f"_{owner}{name}" if private else name
