"""The names of exceptions: `except E as e` deletes `e` when the handler is left, on every way, whatever `e` was before.

So each handler can have a name of its own: `e` becomes `e@1` in its body, and `e` is deleted where it begins. That makes the
name no variable that loops or other handlers carry. It is left as it is where functions defined nearby use it.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator

from soljit.frontend_ast.syntax.scopes import MARK, assigned_names, captured_names, declared, parameter_names


def with_own_names(tree: ast.FunctionDef) -> ast.FunctionDef:
    """The function with handlers whose names are used for nothing else; trees are shared, so it is copied."""
    if not any(any(_candidates(f)) for f in _functions(tree)):
        return tree
    made = copy.deepcopy(tree)
    numbers: dict[str, int] = {}
    for f in _functions(made):
        for h, renamed in _candidates(f):
            name = written(h.name or "")
            numbers[name] = numbers.get(name, 0) + 1
            renamed(f"{h.name}{MARK}{numbers[name]}")
    return made


def written(name: str) -> str:
    """The name in the user's text."""
    return name.partition(MARK)[0]


def _functions(tree: ast.AST) -> list[ast.FunctionDef]:
    return [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]


def _candidates(f: ast.FunctionDef) -> Iterator[tuple[ast.ExceptHandler, Callable[[str], None]]]:
    """Handlers that need a name of their own, and can have one, with what gives it to them; a handler comes before those inside of it."""
    own = _own(f.body)
    handlers = [n for n in own if isinstance(n, ast.ExceptHandler) and n.name]
    if not handlers:
        return
    shared = captured_names(f.body) | declared(f.body, ast.Global) | declared(f.body, ast.Nonlocal)
    shared |= {n for c in own if isinstance(c, ast.comprehension) for n in assigned_names(c.target)}
    parameters = parameter_names(f.args)
    mentions = Counter(name for n in own for name in _mentioned(n))
    for h in sorted(handlers, key=lambda h: (h.lineno, h.col_offset)):
        name, inside = h.name or "", _own(h.body)
        if name in shared or _binds_in_another_way(h, inside):
            continue
        count = 1 + sum(name in _mentioned(n) for n in inside)
        if name in parameters or mentions[name] > count:

            def renamed(new: str, h: ast.ExceptHandler = h, inside: list[ast.AST] = inside, count: int = count) -> None:
                mentions.subtract({h.name or "": count})
                mentions.update({new: count})
                _rename(h, inside, new)

            yield h, renamed


def _binds_in_another_way(h: ast.ExceptHandler, inside: list[ast.AST]) -> bool:
    """Tell whether the body binds the name in a way that is not renamed."""
    return any(isinstance(n, _BINDING) and h.name in assigned_names([n]) for n in inside)


_BINDING = (ast.alias, ast.FunctionDef, ast.ClassDef, ast.MatchAs, ast.MatchStar, ast.MatchMapping)


def _mentioned(n: ast.AST) -> Collection[str]:
    """The names that a node itself reads or binds."""
    match n:
        case ast.Name(id=name) | ast.ExceptHandler(name=str(name)):
            return (name,)
    return assigned_names([n]) if isinstance(n, _BINDING) else ()


def _rename(h: ast.ExceptHandler, inside: list[ast.AST], new: str) -> None:
    old, h.name = h.name, new
    for n in inside:
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
