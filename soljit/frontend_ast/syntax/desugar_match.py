"""`match` statements, written as `if` statements before anything is lowered: a pattern is a condition on the subject and assignments.

What a pattern may look at is looked at again where its names are bound, which for items and attributes gives the same. Patterns that cannot be written so
stay, and are refused.
"""

from __future__ import annotations

import ast
import collections
import copy
from collections.abc import Iterator
from typing import Any

import numpy as np

_IS_SEQUENCE = 1 << 5  # Py_TPFLAGS_SEQUENCE: matches patterns of sequences, as arrays do since NumPy 2.5
_SEQUENCES = (list, tuple, range, collections.deque, *([np.ndarray] if np.ndarray.__flags__ & _IS_SEQUENCE else []))
_THEMSELVES = {"bool", "bytearray", "bytes", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple"}
Bindings = list[tuple[str, ast.expr]]


class Untranslated(Exception):
    """This pattern stays as it is."""


def without_match(tree: ast.FunctionDef) -> ast.FunctionDef:
    """The function with its match statements written as ifs; trees are shared, so what changes is copied."""
    if not any(isinstance(n, ast.Match) for n in ast.walk(tree)):
        return tree
    used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    made = _Rewriter(f"subject_{k}" for k in range(len(used) + 1000) if f"subject_{k}" not in used)
    return made.visit(copy.deepcopy(tree))  # type: ignore[no-any-return]


class _Rewriter(ast.NodeTransformer):
    def __init__(self, names: Iterator[str]) -> None:
        self.names = names

    def visit_Match(self, node: ast.Match) -> Any:  # noqa: N802 (the visitor's name)
        self.generic_visit(node)
        name = next(self.names)
        subject = ast.copy_location(ast.Name(name, ast.Load()), node.subject)
        rest: list[ast.stmt] = []
        try:
            for case in reversed(node.cases):
                rest = _branch(case, subject, rest)
        except Untranslated:
            return node
        first = ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], node.subject), node.subject)
        return [ast.fix_missing_locations(s) for s in (first, *rest)]


def _branch(case: ast.match_case, subject: ast.expr, rest: list[ast.stmt]) -> list[ast.stmt]:
    """The statements of one case, with those of the cases after it."""
    conditions, bindings = pattern(case.pattern, subject)
    body: list[ast.stmt] = list(case.body)
    if case.guard is None:
        body = [ast.copy_location(ast.Assign([ast.Name(n, ast.Store())], e), case.pattern) for n, e in bindings] + body
    else:
        conditions += [_bound(n, e) for n, e in bindings] + [case.guard]
    if not conditions:
        return body
    test = conditions[0] if len(conditions) == 1 else ast.BoolOp(ast.And(), conditions)
    return [ast.copy_location(ast.If(_at(test, case.pattern), body, rest), case.pattern)]


def _bound(name: str, value: ast.expr) -> ast.expr:
    """An expression that binds a name and is true."""
    walrus = ast.NamedExpr(ast.Name(name, ast.Store()), value)
    return ast.Subscript(ast.Tuple([walrus, ast.Constant(True)], ast.Load()), ast.Constant(1), ast.Load())


def _at(e: ast.expr, place: ast.AST) -> ast.expr:
    return ast.fix_missing_locations(ast.copy_location(e, place))


def _object(value: Any) -> ast.expr:  # any object, which no name can hide
    return ast.Constant(value)


def _call(function: Any, *args: ast.expr) -> ast.expr:
    return ast.Call(_object(function), list(args), [])


def _item(subject: ast.expr, index: ast.expr) -> ast.expr:
    return ast.Subscript(subject, index, ast.Load())


def pattern(p: ast.pattern, subject: ast.expr) -> tuple[list[ast.expr], Bindings]:
    """The conditions under which a pattern fits the subject, in order, and what its names are bound to."""
    match p:
        case ast.MatchValue():
            return [ast.Compare(subject, [ast.Eq()], [p.value])], []
        case ast.MatchSingleton():
            return [ast.Compare(subject, [ast.Is()], [ast.Constant(p.value)])], []
        case ast.MatchAs():
            conditions, bindings = ([], []) if p.pattern is None else pattern(p.pattern, subject)
            return conditions, bindings if p.name is None else [*bindings, (p.name, subject)]
        case ast.MatchOr():
            parts = [pattern(x, subject) for x in p.patterns]
            if any(bindings for _, bindings in parts):
                return _bound_by_one(p, parts)
            if not all(conditions for conditions, _ in parts):
                return [], []
            return [ast.BoolOp(ast.Or(), [_all(conditions) for conditions, _ in parts])], []
        case ast.MatchSequence():
            return _sequence(p, subject)
        case ast.MatchMapping():
            present: list[ast.expr] = [ast.Compare(k, [ast.In()], [subject]) for k in p.keys]
            parts_ = [(x, _item(subject, k)) for k, x in zip(p.keys, p.patterns)]
            conditions, bindings = _together([_call(isinstance, subject, _object(dict)), *present], parts_)
            return conditions, bindings if p.rest is None else [*bindings, (p.rest, _rest(subject, p.keys))]
        case ast.MatchClass():
            return _class(p, subject)
    raise Untranslated


def _bound_by_one(p: ast.MatchOr, parts: list[tuple[list[ast.expr], Bindings]]) -> tuple[list[ast.expr], Bindings]:
    """Alternatives that bind names, which get the values that the first fitting one has bound to names of its own."""
    own = {n: f"{n} at {p.lineno}:{p.col_offset}" for n, _ in parts[0][1]}
    chosen = [_all([*conditions, *(_bound(own[n], e) for n, e in bindings)]) for conditions, bindings in parts]
    return [ast.BoolOp(ast.Or(), chosen)], [(n, ast.Name(name, ast.Load())) for n, name in own.items()]


def _all(conditions: list[ast.expr]) -> ast.expr:
    return conditions[0] if len(conditions) == 1 else ast.BoolOp(ast.And(), conditions)


def _together(conditions: list[ast.expr], parts: list[tuple[ast.pattern, ast.expr]]) -> tuple[list[ast.expr], Bindings]:
    """Conditions, then those of patterns for parts of the subject."""
    bindings: Bindings = []
    for p, e in parts:
        more, names = pattern(p, e)
        conditions = conditions + more
        bindings += names
    return conditions, bindings


def _sequence(p: ast.MatchSequence, subject: ast.expr) -> tuple[list[ast.expr], Bindings]:
    length = _call(len, subject)
    stars = [k for k, x in enumerate(p.patterns) if isinstance(x, ast.MatchStar)]
    n = len(p.patterns) - len(stars)
    compare = ast.Compare(length, [ast.GtE() if stars else ast.Eq()], [ast.Constant(n)])
    conditions = [_call(isinstance, subject, _object(_SEQUENCES)), compare]
    parts: list[tuple[ast.pattern, ast.expr]] = []
    bindings: Bindings = []
    for k, x in enumerate(p.patterns):
        if isinstance(x, ast.MatchStar):
            end = ast.BinOp(length, ast.Sub(), ast.Constant(len(p.patterns) - 1 - k))
            rest = _call(list, _item(subject, ast.Slice(ast.Constant(k), end)))
            bindings += [] if x.name is None else [(x.name, rest)]
            continue
        after = bool(stars) and k > stars[0]
        parts.append((x, _item(subject, ast.Constant(k - len(p.patterns) if after else k))))
    conditions, names = _together(conditions, parts)
    return conditions, names + bindings


def _rest(subject: ast.expr, keys: list[ast.expr]) -> ast.expr:
    """A dict of the items with other keys."""
    k, v = ast.Name("key", ast.Load()), ast.Name("value", ast.Load())
    target = ast.Tuple([ast.Name("key", ast.Store()), ast.Name("value", ast.Store())], ast.Store())
    items = ast.Call(ast.Attribute(subject, "items", ast.Load()), [], [])
    other = ast.Compare(k, [ast.NotIn()], [ast.Tuple(keys, ast.Load())])
    return ast.DictComp(k, v, [ast.comprehension(target, items, [other], 0)])


def _class(p: ast.MatchClass, subject: ast.expr) -> tuple[list[ast.expr], Bindings]:
    parts: list[tuple[ast.pattern, ast.expr]] = []
    present: list[ast.expr] = []
    if isinstance(p.cls, ast.Name) and p.cls.id in _THEMSELVES and len(p.patterns) == 1:
        parts.append((p.patterns[0], subject))
    else:
        names = ast.Attribute(p.cls, "__match_args__", ast.Load())
        for k, x in enumerate(p.patterns):
            name = _item(names, ast.Constant(k))
            present.append(_call(hasattr, subject, name))
            parts.append((x, _call(getattr, subject, name)))
    for attribute, x in zip(p.kwd_attrs, p.kwd_patterns):
        present.append(_call(hasattr, subject, ast.Constant(attribute)))
        parts.append((x, ast.Attribute(subject, attribute, ast.Load())))
    return _together([_call(isinstance, subject, p.cls), *present], parts)
