"""Variables in boxes: those that a function which outlives its call, or calls itself, shares with the functions around it.

A box is a list of one item under a name of its own, which never changes; `x` becomes `x_box[0]` wherever it is read or assigned, also
in the nested functions that mean this variable. That a variable needs one shows while the function is lowered; it is lowered again then.
"""

from __future__ import annotations

import ast
import copy
from typing import Any

from soljit.frontend_ast.syntax.desugar_comprehensions import spell
from soljit.frontend_ast.syntax.scopes import (
    COMPREHENSIONS,
    assigned_names,
    captured_by,
    captured_names,
    declared,
    local_names,
    names_read,
    parameter_names,
)
from soljit.support.box import Box, put

Tree = ast.FunctionDef | ast.Lambda
Boxed = dict[tuple[str, int, int], set[str]]  # by file, line and column of the function whose variables they are


def key_of(file: str, tree: ast.AST) -> tuple[str, int, int]:
    """How a function is known over the rounds of lowering."""
    return file, getattr(tree, "lineno", 0), getattr(tree, "col_offset", 0)


def place_in_file(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def own_nodes(tree: ast.AST) -> list[ast.AST]:
    """The nodes of a function's own scope; nested functions without what is in them."""
    out: list[ast.AST] = []
    stack: list[ast.AST] = [tree.body] if isinstance(tree, ast.Lambda) else list(tree.body)  # type: ignore[attr-defined]
    while stack:
        n = stack.pop()
        out.append(n)
        if not isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            stack.extend(ast.iter_child_nodes(n))
    return out


def stores_of(tree: ast.AST, name: str) -> list[ast.AST]:
    """The nodes that bind a name, its parameter apart."""
    return [n for n in own_nodes(tree) if _binds(n, name)]


def _binds(n: ast.AST, name: str) -> bool:
    match n:
        case ast.Name():
            return n.id == name and not isinstance(n.ctx, ast.Load)
        case ast.FunctionDef() | ast.ClassDef() | ast.ExceptHandler():
            return n.name == name
        case ast.alias():
            return (n.asname or n.name.partition(".")[0]) == name
    return False


def shared_names(tree: ast.AST) -> set[str]:
    """Variables of the function that nested functions assign."""
    out: set[str] = set()
    for n in own_nodes(tree):
        if isinstance(n, ast.FunctionDef):
            out |= declared(n.body, ast.Nonlocal) & assigned_names(n.body)
            out |= shared_names(n) - local_names(n)
    return out


def is_boxable(tree: ast.FunctionDef, name: str) -> bool:
    """Tell whether every binding of the name is one that a box can take."""
    if name in {n for c in own_nodes(tree) if isinstance(c, COMPREHENSIONS) for n in targets_of(c)}:
        return False
    if any(isinstance(c, ast.ClassDef) and name in assigned_names(c.body) for c in ast.walk(tree)):
        return False  # of the class there
    stores = stores_of(tree, name)
    if any(isinstance(n, (ast.ExceptHandler, ast.ClassDef, ast.alias)) for n in stores):
        return False
    return not any(isinstance(n, ast.Name) and isinstance(n.ctx, ast.Del) for n in stores)


def targets_of(n: Any) -> set[str]:
    return {x.id for g in n.generators for x in ast.walk(g.target) if isinstance(x, ast.Name)}


def _first_assignment(tree: ast.FunctionDef, name: str) -> ast.Assign | None:
    """`name = value` at the top of the function, before anything else has to do with the name."""
    for s in tree.body:
        if isinstance(s, ast.Assign) and len(s.targets) == 1:
            target = s.targets[0]
            if isinstance(target, ast.Name) and target.id == name:
                return None if name in names_read(s.value) else s
        if name in names_read(s) | assigned_names(s) | captured_names(s):
            return None
    return None


# --- trees with boxes -------------------------------------------------------------------------------------------------


def with_boxes(tree: Tree, file: str, boxed: Boxed) -> Tree:
    """The function with the boxes that are known to be needed; trees are shared, so it is copied."""
    if not boxed or not any(
        key_of(file, n) in boxed for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, *COMPREHENSIONS))
    ):
        return tree
    used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    made = copy.deepcopy(tree)
    spell(made, [n for n in ast.walk(made) if isinstance(n, COMPREHENSIONS) and key_of(file, n) in boxed])
    for n in [n for n in ast.walk(made) if isinstance(n, ast.FunctionDef)]:
        for name in sorted(boxed.get(key_of(file, n), ())):
            new = f"{name}_box"
            while new in used:
                new += "_"
            used.add(new)
            _put_into_box(n, name, new)
    return made


def _put_into_box(tree: ast.FunctionDef, name: str, new: str) -> None:
    first = _first_assignment(tree, name)
    parameter = name in parameter_names(tree.args)
    item: ast.expr = ast.Call(ast.Constant(Box), [ast.Constant(name)], [])  # type: ignore[arg-type]
    if parameter:
        item = ast.List([ast.Name(name, ast.Load())], ast.Load())
    start = tree.body[0]
    made = ast.fix_missing_locations(ast.copy_location(ast.Assign([ast.Name(new, ast.Store())], item), start))
    rewriter = _Boxing(name, new)
    body: list[ast.stmt] = []
    for s in tree.body:
        if s is first and not parameter:
            items: list[ast.expr] = [rewriter.visit(first.value)]
            target = ast.copy_location(ast.Name(new, ast.Store()), first.targets[0])
            body.append(
                ast.copy_location(ast.Assign([target], ast.copy_location(ast.List(items, ast.Load()), first)), first)
            )
            continue
        found = rewriter.visit(s)
        body.extend(found if isinstance(found, list) else [found])
    tree.body = body if first is not None and not parameter else [made, *body]


class _Boxing(ast.NodeTransformer):
    """Reads and writes of one variable, in its function and in those nested there."""

    def __init__(self, name: str, new: str) -> None:
        self.name, self.new = name, new

    def _item(self, at: ast.AST, ctx: ast.expr_context) -> ast.expr:
        item = ast.Subscript(ast.Name(self.new, ast.Load()), ast.Constant(0), ctx)
        return ast.fix_missing_locations(ast.copy_location(item, at))

    def visit_Name(self, node: ast.Name) -> ast.expr:  # noqa: N802 (the visitor's names)
        return self._item(node, node.ctx) if node.id == self.name else node

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.expr:  # noqa: N802
        value = self.visit(node.value)
        if node.target.id != self.name:
            return ast.copy_location(ast.NamedExpr(node.target, value), node)
        made = ast.Call(ast.Constant(put), [ast.Name(self.new, ast.Load()), value], [])  # type: ignore[arg-type]
        return ast.fix_missing_locations(ast.copy_location(made, node))

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:  # noqa: N802
        if isinstance(node.target, ast.Name) and node.target.id == self.name:
            if node.value is None:
                return ast.copy_location(ast.Pass(), node)
            return self.visit(ast.copy_location(ast.Assign([node.target], node.value), node))
        self.generic_visit(node)
        return node

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.stmt:  # noqa: N802
        names = [n for n in node.names if n != self.name]
        return ast.copy_location(ast.Nonlocal(names) if names else ast.Pass(), node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:  # noqa: N802
        self._nested(node)
        if node.name != self.name:
            return node
        kept = ast.copy_location(ast.Name(self.name, ast.Load()), node)
        return [node, ast.copy_location(ast.Assign([self._item(node, ast.Store())], kept), node)]

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:  # noqa: N802
        self._nested(node)
        return node

    def _nested(self, node: Any) -> None:
        """Defaults and decorators belong to the scope around; the body only if it means this variable."""
        args = node.args
        args.defaults = [self.visit(d) for d in args.defaults]
        args.kw_defaults = [None if d is None else self.visit(d) for d in args.kw_defaults]
        if isinstance(node, ast.FunctionDef):
            node.decorator_list = [self.visit(d) for d in node.decorator_list]
        if self.name not in captured_by(node):
            return
        if isinstance(node, ast.Lambda):
            node.body = self.visit(node.body)
            return
        body: list[ast.stmt] = []
        for s in node.body:
            found = self.visit(s)
            body.extend(found if isinstance(found, list) else [found])
        node.body = body

    def _comprehension(self, node: Any) -> Any:
        if self.name in targets_of(node):
            node.generators[0].iter = self.visit(node.generators[0].iter)
            return node
        self.generic_visit(node)
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension  # noqa: N815
