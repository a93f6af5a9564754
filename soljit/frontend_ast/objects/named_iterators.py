"""Iterators that get a name: what their items are made of may change before somebody takes them. Then Python makes the iterator."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from soljit.frontend_ast.lowering.frames import Frame, place
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.syntax.side_effects import may_have_effects, only_looks
from soljit.frontend_ast.values.learned import Restart
from soljit.frontend_ast.values.values import ITERATORS, Generated, Value

_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return)


def check_named(cx: Lowering, fr: Frame, s: ast.Assign, value: Value) -> None:
    """`name = iterator`: lower again with one of Python's, if its parts change before it is used."""
    if not (isinstance(value, ITERATORS) or (isinstance(value, Generated) and not value.is_list)):
        return
    match s.targets:
        case [ast.Name(id=name)] if fr.tree is not None and _changes(fr.tree, s, name):
            made = {loc for _, loc in cx.made_at.values()}
            parts = {place(fr, n) for n in ast.walk(s.value) if isinstance(n, (ast.GeneratorExp, ast.Call))} & made
            if not parts <= cx.learned.dynamic:
                cx.learned.dynamic |= parts
                raise Restart
            raise cx.unsupported(f"'{name}', an iterator of what changes before it is used", "make a list of it")


def _changes(tree: ast.AST, s: ast.Assign, name: str) -> bool:
    """Tell whether the statements behind `s`, up to the one that uses `name`, change what its iterator is made of."""
    names = [n for n in ast.walk(s.value) if isinstance(n, ast.Name)]
    own = {n.id for n in names if isinstance(n.ctx, ast.Store)} | {
        n.arg for n in ast.walk(s.value) if isinstance(n, ast.arg)
    }
    parts = {n.id for n in names} - own
    for following in _behind(tree, s):
        uses = any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(following))
        if uses and isinstance(following, _SIMPLE):
            return False
        if any(_touches(n, parts) for n in ast.walk(following)):
            return True
        if uses:
            return False
    return False


def _behind(tree: ast.AST, s: ast.stmt) -> Iterator[ast.stmt]:
    """The statements behind `s` in its block."""
    for n in ast.walk(tree):
        for block in (getattr(n, f, None) for f in ("body", "orelse", "finalbody")):
            if isinstance(block, list) and s in block:
                yield from block[block.index(s) + 1 :]
                return


def _touches(n: ast.AST, names: set[str]) -> bool:
    """Tell whether this node itself changes what one of these names stands for."""
    match n:
        case ast.Name(ctx=ast.Store() | ast.Del()):
            return n.id in names
        case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
            return _root(n) in names
        case ast.Call(func=ast.Attribute()) if not only_looks(n) and _root(n.func) in names:
            return may_have_effects(n)
        case ast.Call():
            given = {a.id for a in n.args if isinstance(a, ast.Name)}
            return bool(given & names) and may_have_effects(n)
    return False


def _root(n: ast.AST) -> str | None:
    while isinstance(n, (ast.Attribute, ast.Subscript)):
        n = n.value
    return n.id if isinstance(n, ast.Name) else None
