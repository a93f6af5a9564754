"""Make a failing program small: remove statements, calls, operands, as long as it still fails in the same way."""

from __future__ import annotations

import ast
import copy
import time
from collections.abc import Callable, Iterator


def shrink(source: str, fails: Callable[[str], bool], seconds: float = 120.0) -> str:
    """The smallest program found within the time for which `fails` holds (`fails(source)` holds to begin with)."""
    end = time.monotonic() + seconds
    best = ast.unparse(ast.parse(source))
    tried = {best}
    progress = True
    while progress and time.monotonic() < end:
        progress = False
        for candidate in candidates(best):
            if time.monotonic() > end:
                break
            if candidate in tried or len(candidate) > len(best):
                continue
            tried.add(candidate)
            if fails(candidate):
                best, progress = candidate, True
                break
    return best


def candidates(source: str) -> Iterator[str]:
    """Simpler programs, the boldest first."""
    tree = ast.parse(source)
    for make in (_without_statements, _unwrapped, _without_items, _simpler_expressions):
        yield from make(tree)


def _bodies(tree: ast.AST) -> Iterator[tuple[ast.AST, str, list[ast.stmt]]]:
    for node in ast.walk(tree):
        for field in ("body", "orelse"):
            body = getattr(node, field, None)
            if isinstance(body, list):
                yield node, field, body


def _edited(tree: ast.Module, change: Callable[[list[ast.AST]], bool]) -> str | None:
    """The text of a copy of `tree` after `change`, which gets the copy's nodes in walking order."""
    twin = copy.deepcopy(tree)
    if not change(list(ast.walk(twin))):
        return None
    try:
        return ast.unparse(ast.fix_missing_locations(twin))
    except Exception:
        return None


def _without_statements(tree: ast.Module) -> Iterator[str]:
    places = list(ast.walk(tree))
    where = {id(n): k for k, n in enumerate(places)}
    spots = [(where[id(n)], field, len(body)) for n, field, body in _bodies(tree) if body]
    for width in (8, 4, 2, 1):
        for place, field, count in spots:
            for start in reversed(range(0, count - width + 1)):

                def cut(nodes: list[ast.AST], p: int = place, f: str = field, s: int = start, w: int = width) -> bool:
                    body = getattr(nodes[p], f)
                    del body[s : s + w]
                    if not body and f == "body":
                        body.append(ast.Pass())
                    return True

                text = _edited(tree, cut)
                if text:
                    yield text


def _unwrapped(tree: ast.Module) -> Iterator[str]:
    """A loop or branch replaced by its body, or by its other arm."""
    for k, n in enumerate(ast.walk(tree)):
        for field, body in ((f, b) for f in ("body", "orelse") if isinstance(b := getattr(n, f, None), list)):
            for j, s in enumerate(body):
                for arm in ("body", "orelse"):
                    if isinstance(s, (ast.If, ast.For, ast.While)) and getattr(s, arm):

                        def lift(
                            nodes: list[ast.AST], k: int = k, field: str = field, j: int = j, arm: str = arm
                        ) -> bool:
                            statements = getattr(nodes[k], field)
                            statements[j : j + 1] = getattr(statements[j], arm)
                            return True

                        text = _edited(tree, lift)
                        if text:
                            yield text


def _without_items(tree: ast.Module) -> Iterator[str]:
    """Shorter tuples and lists: returned values, calls, elements of arguments."""
    for k, n in enumerate(ast.walk(tree)):
        if isinstance(n, (ast.Tuple, ast.List)) and len(n.elts) > 1 and isinstance(n.ctx, ast.Load):
            for j in range(len(n.elts)):

                def drop(nodes: list[ast.AST], k: int = k, j: int = j) -> bool:
                    del nodes[k].elts[j]  # type: ignore[attr-defined]
                    return True

                text = _edited(tree, drop)
                if text:
                    yield text


def _simpler_expressions(tree: ast.Module) -> Iterator[str]:
    """An expression replaced by one of its parts, or by 1."""
    for k, n in enumerate(ast.walk(tree)):
        for field, value in ast.iter_fields(n):
            items = value if isinstance(value, list) else [value]
            for j, e in enumerate(items):
                if not isinstance(e, ast.expr) or isinstance(e, (ast.Name, ast.Constant)):
                    continue
                parts = [c for c in ast.iter_child_nodes(e) if isinstance(c, ast.expr) and not isinstance(c, ast.Slice)]
                for i in [*range(len(parts)), -1]:

                    def replace(nodes: list[ast.AST], k: int = k, field: str = field, j: int = j, i: int = i) -> bool:
                        value = getattr(nodes[k], field)
                        old = value[j] if isinstance(value, list) else value
                        kids = [
                            c
                            for c in ast.iter_child_nodes(old)
                            if isinstance(c, ast.expr) and not isinstance(c, ast.Slice)
                        ]
                        new = kids[i] if i >= 0 else ast.Constant(1)
                        if isinstance(value, list):
                            value[j] = new
                        else:
                            setattr(nodes[k], field, new)
                        return True

                    text = _edited(tree, replace)
                    if text:
                        yield text
