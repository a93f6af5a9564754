"""Which variables may still be read after a statement: decides what has to be merged where control flow joins.

Backward over the syntax tree, for all of Python's control flow; sets only grow until nothing changes. A name is live
after a statement if some path from there reads it before binding it again. What a nested function captures is live
everywhere, because the function may be called at any time. Too large a set costs work, too small a one would be
wrong: where exceptions or `with` make paths that cannot be followed, names stay live.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable
from dataclasses import field, replace
from typing import Any

from soljit.base.errors import InternalError
from soljit.base.records import dataclass
from soljit.frontend_ast.syntax.scopes import assigned_names, captured_names, declared, names_read, target_names

Names = frozenset[str]
_NONE: Names = frozenset()
_LETS_EXCEPTIONS_PASS = ("errstate", "catch_warnings", "printoptions")


@dataclass
class Liveness:
    """after: names live when a statement has finished (when a handler begins); head: each time a loop decides whether to go on."""

    after: dict[ast.AST, Names] = field(default_factory=dict)
    head: dict[ast.stmt, Names] = field(default_factory=dict)


@dataclass(frozen=True)
class _Exits:
    """What is live where control can jump to."""

    leave: Names = _NONE  # return
    error: Names = _NONE  # an exception
    stop: Names = _NONE  # break
    again: Names = _NONE  # continue


def live_after(tree: ast.FunctionDef | ast.Lambda) -> dict[ast.AST, set[str]]:
    """For each statement the names that may be read after it; for each handler, when it begins."""
    return {s: set(names) for s, names in liveness(tree).after.items()}


@functools.lru_cache(1024)
def liveness(tree: ast.FunctionDef | ast.Lambda) -> Liveness:
    """Live names at every statement of a function (not inside nested ones)."""
    out = Liveness()
    if isinstance(tree, ast.Lambda):
        return out
    always = frozenset(captured_names(tree.body) | declared(tree.body, ast.Global) | declared(tree.body, ast.Nonlocal))
    _block(tree.body, always, _Exits(leave=always, error=always), out)
    if always:
        out.after = {s: names | always for s, names in out.after.items()}
        out.head = {s: names | always for s, names in out.head.items()}
    return out


def _reads(*nodes: ast.AST | None) -> Names:
    return frozenset(names_read(n for n in nodes if n is not None))


def _binds(targets: Iterable[ast.AST]) -> Names:
    return frozenset(n for t in targets for n in target_names(t))


def _block(stmts: list[ast.stmt], live: Names, exits: _Exits, out: Liveness) -> Names:
    """Names live before the statements, given those live behind them."""
    for s in reversed(stmts):
        out.after[s] = out.after.get(s, _NONE) | live
        live = _before(s, live, exits, out) | exits.error
    return live


def _before(s: ast.stmt, live: Names, exits: _Exits, out: Liveness) -> Names:
    match s:
        case ast.Assign(targets=targets, value=value):
            return (live - _binds(targets)) | _reads(value, *targets)
        case ast.AnnAssign(target=target, value=value):
            return (live - _binds([target]) if value else live) | _reads(s)
        case ast.AugAssign() | ast.Expr() | ast.Assert() | ast.Delete():
            return live | _reads(s)
        case ast.Pass() | ast.Global() | ast.Nonlocal():
            return live
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return live - frozenset(assigned_names(names))
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return (live - {name}) | _reads(s)
        case ast.Return(value=value):
            return exits.leave | _reads(value)
        case ast.Raise(exc=exc, cause=cause):
            return exits.error | _reads(exc, cause)
        case ast.Break():
            return exits.stop
        case ast.Continue():
            return exits.again
        case ast.If(test=test, body=body, orelse=orelse):
            return _reads(test) | _block(body, live, exits, out) | _block(orelse, live, exits, out)
        case ast.While() | ast.For() | ast.AsyncFor():
            return _loop(s, live, exits, out)
        case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
            inner = exits if _passes_exceptions(items) else replace(exits, error=exits.error | live)
            bound = _binds(i.optional_vars for i in items if i.optional_vars)
            return (_block(body, live, inner, out) - bound) | _reads(*items)
        case ast.Match(subject=subject, cases=cases):
            arms = live | _reads(subject)
            for c in cases:
                arms |= (_block(c.body, live, exits, out) | _reads(c.guard)) - frozenset(assigned_names(c.pattern))
                arms |= _reads(c.pattern)
            return arms
        case _ if hasattr(s, "handlers"):  # Try, and TryStar of Python 3.11
            return _try(s, live, exits, out)
    raise InternalError(f"no liveness for {type(s).__name__}")


def _loop(s: ast.While | ast.For | ast.AsyncFor, live: Names, exits: _Exits, out: Liveness) -> Names:
    done = _block(s.orelse, live, exits, out)
    head = out.head.get(s, _NONE)
    while True:
        inside = _block(s.body, head, replace(exits, stop=live, again=head), out)
        if isinstance(s, ast.While):
            forever = isinstance(s.test, ast.Constant) and bool(s.test.value)
            new = _reads(s.test) | inside | (_NONE if forever else done)
        else:
            new = (inside - _binds([s.target])) | _reads(s.target) | done
        new |= exits.error
        if new <= head:
            break
        head |= new
    out.head[s] = head
    return head if isinstance(s, ast.While) else head | _reads(s.iter)


def _try(s: Any, live: Names, exits: _Exits, out: Liveness) -> Names:  # ast.TryStar does not exist in Python 3.10
    if s.finalbody:  # every way out leads through it
        out_of_it = live | exits.leave | exits.error | exits.stop | exits.again
        live = _block(s.finalbody, out_of_it, exits, out)
        exits = _Exits(live, live, live, live)
    caught = exits.error
    for h in s.handlers:
        inner = _block(h.body, live, exits, out)
        out.after[h] = out.after.get(h, _NONE) | inner
        caught |= (inner - {h.name} if h.name else inner) | _reads(h.type)
    orelse = _block(s.orelse, live, exits, out)
    return _block(s.body, orelse, replace(exits, error=caught), out)


def _passes_exceptions(items: list[ast.withitem]) -> bool:
    """Tell whether all these context managers let exceptions through, as np.errstate does."""
    for item in items:
        call = item.context_expr
        function = call.func if isinstance(call, ast.Call) else call
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        if name not in _LETS_EXCEPTIONS_PASS:
            return False
    return True
