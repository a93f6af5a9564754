"""Comprehensions as the nested functions that they stand for: `[lambda: i for i in s]`, whose functions share a variable that changes.

    def <comprehension>(items):
        made = []
        for i in items:
            made.append(lambda: i)
        return made

stands in front of the statement then, and `<comprehension>(s)` in its place. So the variable can be put in a box (`boxes.py`).
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import Any  # fields of nodes

from soljit.frontend_ast.syntax.scopes import COMPREHENSIONS, captured_names, target_names, ways

_MADE, _ITEMS = "<made>", "<items>"  # names that no program has


def can_be_spelled(tree: ast.AST, comprehension: ast.AST) -> bool:
    """Tell whether it may be a function in front of the statement of `tree` in which it stands."""
    way = _way(tree, comprehension)
    if way is None or any(isinstance(n, ast.NamedExpr) for n in ast.walk(comprehension)):
        return False
    last = max((k for k, n in enumerate(way) if isinstance(n, ast.stmt) and n is not tree), default=None)
    inside = [n.generators[0].iter not in way for n in way[:-1] if isinstance(n, COMPREHENSIONS)]
    return (
        last is not None and not any(inside) and not any(isinstance(n, (ast.Lambda, ast.ClassDef)) for n in way[1:-1])
    )


def shares_its_variables(comprehension: Any) -> bool:
    """Tell whether functions that it makes read its variables, which go on changing."""
    targets = {n for g in comprehension.generators for n in target_names(g.target)}
    return not targets.isdisjoint(captured_names(comprehension.elt))


def spell(tree: ast.AST, wanted: Collection[ast.AST]) -> None:
    """Write these comprehensions out as functions, in the tree itself."""
    for node in wanted:
        way = _way(tree, node)
        assert way is not None
        k = max(k for k, n in enumerate(way) if isinstance(n, ast.stmt))
        name = f"<comprehension {node.lineno}:{node.col_offset}>"  # type: ignore[attr-defined]
        function = ast.fix_missing_locations(ast.copy_location(_function(node, name), node))
        call = ast.Call(ast.Name(name, ast.Load()), [node.generators[0].iter], [])  # type: ignore[attr-defined]
        _replace(way[-2], node, [ast.fix_missing_locations(ast.copy_location(call, node))])
        _replace(way[k - 1], way[k], [function, way[k]])


def _function(node: Any, name: str) -> ast.FunctionDef:
    made = ast.Name(_MADE, ast.Load())
    empty: ast.expr | None = None
    match node:
        case ast.GeneratorExp():
            step: ast.expr = ast.Yield(node.elt)
        case ast.DictComp():  # in an assignment the value would come before the key
            empty = ast.Dict([], [])
            step = ast.Call(ast.Attribute(made, "update", ast.Load()), [ast.Dict([node.key], [node.value])], [])
        case ast.SetComp():
            empty = ast.Call(ast.Constant(set), [], [])  # type: ignore[arg-type]
            step = ast.Call(ast.Attribute(made, "add", ast.Load()), [node.elt], [])
        case _:
            empty = ast.List([], ast.Load())
            step = ast.Call(ast.Attribute(made, "append", ast.Load()), [node.elt], [])
    body: ast.stmt = ast.copy_location(ast.Expr(ast.copy_location(step, node.generators[0].target)), node)
    for g in reversed(node.generators):
        for test in reversed(g.ifs):
            body = ast.If(test, [body], [])
        items = ast.Name(_ITEMS, ast.Load()) if g is node.generators[0] else g.iter
        body = ast.For(g.target, items, [body], [])
    statements = [body]
    if empty is not None:
        statements = [ast.Assign([ast.Name(_MADE, ast.Store())], empty), body, ast.Return(made)]
    return ast.FunctionDef(name, ast.arguments([], [ast.arg(_ITEMS)], None, [], [], None, []), statements, [])


def _way(tree: ast.AST, node: ast.AST) -> tuple[ast.AST, ...] | None:
    """The nodes from the tree to one in it."""
    return next((way for way in ways(tree) if way[-1] is node), None)


def _replace(parent: ast.AST, node: ast.AST, by: list[Any]) -> None:
    """Put others where a child is."""
    for name, value in ast.iter_fields(parent):
        if value is node:
            setattr(parent, name, by[0])
        elif isinstance(value, list) and any(x is node for x in value):
            k = next(k for k, x in enumerate(value) if x is node)
            value[k : k + 1] = by
