"""Generator expressions as the generator functions that they stand for."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from soljit.frontend_ast.lowering.frames import Frame
from soljit.frontend_ast.syntax.liveness import live_after
from soljit.frontend_ast.syntax.scopes import local_names
from soljit.frontend_ast.values.values import Generated, Generator, Value

NO_ARGUMENTS = ast.arguments([], [], None, [], [], None, [])


def nested_loops(node: ast.ListComp | ast.GeneratorExp, body: ast.stmt) -> ast.stmt:
    """The loops and conditions of a comprehension around a statement; the first loop runs over "<items>"."""
    for k, g in reversed(list(enumerate(node.generators))):
        for test in reversed(g.ifs):
            body = ast.If(test, [body], [])
        body = ast.For(g.target, g.iter if k else ast.Name("<items>", ast.Load()), [body], [])
    return ast.fix_missing_locations(ast.copy_location(body, node))


def as_generator_function(v: Generated) -> Generator:
    """A generator expression as the generator function that it stands for."""
    return generator_of(v.frame, v.node, v.source)


def generator_of(fr: Frame, node: Any, items: Value) -> Generator:
    """A generator expression over these items; `fr` is its own frame."""
    body = nested_loops(node, ast.Expr(ast.Yield(node.elt)))
    tree = ast.copy_location(ast.FunctionDef("<genexpr>", NO_ARGUMENTS, [body], []), node)
    own = replace(fr, env={"<items>": items}, live=live_after(tree), locals=local_names(tree), returns=[])
    return Generator(own, tree)
