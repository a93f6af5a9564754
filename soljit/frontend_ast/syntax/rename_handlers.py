"""The names of exceptions: `except E as e` deletes `e` when the handler is left, on every way, whatever `e` was before.

So each handler can have a name of its own: `e` becomes `e@1` in its body, and `e` is deleted where it begins. That makes the
name no variable that loops or other handlers carry. It is left as it is where functions defined nearby use it.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable

from soljit.frontend_ast.syntax.scopes import MARK, assigned_names, captured_names, declared, parameter_names


def with_own_names(tree: ast.FunctionDef) -> ast.FunctionDef:
    """The function with handlers whose names are used for nothing else; trees are shared, so it is copied."""
    if not any(_candidates(f) for f in _functions(tree)):
        return tree
    made = copy.deepcopy(tree)
    numbers: dict[str, int] = {}
    for f in _functions(made):
        while found := _candidates(f):
            h = found[0]
            name = written(h.name or "")
            numbers[name] = numbers.get(name, 0) + 1
            _rename(h, f"{h.name}{MARK}{numbers[name]}")
    return made


def written(name: str) -> str:
    """The name in the user's text."""
    return name.partition(MARK)[0]


def _functions(tree: ast.AST) -> list[ast.FunctionDef]:
    return [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]


def _candidates(f: ast.FunctionDef) -> list[ast.ExceptHandler]:
    """Handlers that need a name of their own, and can have one; a handler comes before those inside of it."""
    own = _own(f.body)
    handlers = [n for n in own if isinstance(n, ast.ExceptHandler) and n.name]
    if not handlers:
        return []
    shared = captured_names(f.body) | declared(f.body, ast.Global) | declared(f.body, ast.Nonlocal)
    in_comprehensions = {n for c in own if isinstance(c, ast.comprehension) for n in assigned_names(c.target)}
    handlers = [h for h in handlers if h.name not in shared | in_comprehensions and not _binds_in_another_way(h)]
    return sorted((h for h in handlers if _is_used_elsewhere(f, own, h)), key=lambda h: (h.lineno, h.col_offset))


def _binds_in_another_way(h: ast.ExceptHandler) -> bool:
    """Tell whether the body binds the name in a way that is not renamed."""
    return any(
        isinstance(n, (ast.alias, ast.FunctionDef, ast.ClassDef, ast.MatchAs, ast.MatchStar, ast.MatchMapping))
        and h.name in assigned_names([n])
        for n in _own(h.body)
    )


def _is_used_elsewhere(f: ast.FunctionDef, own: list[ast.AST], h: ast.ExceptHandler) -> bool:
    if h.name in parameter_names(f.args):
        return True
    inside = {id(n) for n in _own(h.body)}
    outside = [n for n in own if id(n) not in inside and n is not h]
    return any(_mentions(n, h.name or "") for n in outside)


def _mentions(n: ast.AST, name: str) -> bool:
    match n:
        case ast.Name(id=other) | ast.ExceptHandler(name=other):
            return other == name
        case ast.alias() | ast.FunctionDef() | ast.ClassDef() | ast.MatchAs() | ast.MatchStar() | ast.MatchMapping():
            return name in assigned_names([n])
    return False


def _rename(h: ast.ExceptHandler, new: str) -> None:
    old, h.name = h.name, new
    for n in _own(h.body):
        if isinstance(n, ast.Name) and n.id == old:
            n.id = new
        elif isinstance(n, ast.ExceptHandler) and n.name == old:
            n.name = new


def _own(body: Iterable[ast.AST]) -> list[ast.AST]:
    """The nodes of a scope; nested functions without their bodies."""
    out: list[ast.AST] = []
    stack: list[ast.AST] = list(body)
    while stack:
        n = stack.pop()
        out.append(n)
        if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            stack.extend([*n.args.defaults, *(d for d in n.args.kw_defaults if d)])
            stack.extend([] if isinstance(n, ast.Lambda) else n.decorator_list)
        elif isinstance(n, ast.ClassDef):
            stack.extend([*n.decorator_list, *n.bases, *n.keywords])
        else:
            stack.extend(ast.iter_child_nodes(n))
    return out
