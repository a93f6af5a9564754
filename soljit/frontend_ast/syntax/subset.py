"""What soljit never compiles, found before anything is lowered: all places at once, in one error.

The rules are a table. A place counts as *certain* if every call reaches it, or if it changes what the whole function
is (a generator); code under a condition may be cut away when types are known (`if isinstance(x, float)`), so such
places alone refuse nothing: lowering does, when it gets there. They are listed along with certain ones.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterator
from typing import Any  # nodes by their class, as in a visitor

from soljit.base.errors import UnsupportedError, excerpt
from soljit.base.place import Loc
from soljit.base.records import dataclass
from soljit.frontend_ast.syntax.scopes import assigned_names
from soljit.frontend_ast.syntax.source import FunctionSource


@dataclass(frozen=True)
class Rule:
    """One construct. `applies` looks closer at a node; `always`: refused even where it may not be reached."""

    what: str
    hint: str
    applies: Callable[[Any, ast.AST], bool] = lambda node, function: True
    always: bool = False
    certain: bool = True


@dataclass(frozen=True)
class Finding:
    """A place where a rule applies."""

    rule: Rule
    loc: Loc
    certain: bool

    @property
    def message(self) -> str:
        return f"{self.rule.what} is not compiled"


def _writes_declared(node: Any, function: ast.AST) -> bool:
    body = function.body if isinstance(function, ast.FunctionDef) else []
    return bool(set(node.names) & assigned_names(body))


def _calls(*names: str) -> Callable[[Any, ast.AST], bool]:
    return lambda node, function: isinstance(node.func, ast.Name) and node.func.id in names


_RETURN_INSTEAD = "return the value and let the caller store it"
RULES: dict[str, tuple[Rule, ...]] = {
    "Await": (Rule("await", "await in a plain Python function and pass the result in", always=True),),
    "AsyncFor": (Rule("async for", "gather the items first and pass them in", always=True),),
    "AsyncWith": (Rule("async with", "enter the context outside the compiled function", always=True),),
    "AsyncFunctionDef": (Rule("an async function", "define it outside the compiled function"),),
    "Nonlocal": (Rule("assigning a variable of the enclosing function", _RETURN_INSTEAD, _writes_declared),),
    "Match": (Rule("this pattern of a match statement", "write if / elif"),),
    "TryStar": (Rule("except*", "keep the try outside the compiled function"),),
    "TypeAlias": (Rule("a type alias", "put it at the top of the module"),),
    "Call": (
        Rule("eval or exec", "write the code out", _calls("eval", "exec", "compile"), certain=False),
        Rule("locals, globals or vars", "name the variables", _calls("locals", "globals", "vars"), certain=False),
        Rule("input or output", "do it outside the compiled function", _calls("open", "input"), certain=False),
        Rule("breakpoint()", "debug with SOL_DISABLE=1, which runs plain Python", _calls("breakpoint"), certain=False),
    ),
}


def check(source: FunctionSource) -> None:
    """Raise one UnsupportedError for all that can never be compiled; nothing if there is nothing certain."""
    found = findings(source)
    if any(f.certain for f in found):
        raise UnsupportedError(*_together(found))


def findings(source: FunctionSource) -> list[Finding]:
    """All places where a rule applies, in the order of the text."""
    return list(_findings(source))


@functools.lru_cache(256)
def _findings(source: FunctionSource) -> list[Finding]:
    out = []
    for node, sure in _walk(source.tree):
        for rule in RULES.get(type(node).__name__, ()):
            if rule.applies(node, source.tree):
                out.append(Finding(rule, source.loc(node), rule.always or (sure and rule.certain)))
    return sorted(out, key=lambda f: (f.loc.line, f.loc.col))


def _together(found: list[Finding]) -> tuple[str, Loc, str]:
    """Message, place and hint of one error: the first place as usual, the others below it."""
    first, *others = found
    if not others:
        return first.message, first.loc, first.rule.hint
    lines = [first.message, f"hint: {first.rule.hint}"]
    for f in others:
        lines += [f"{f.loc.file}:{f.loc.line}: in {f.loc.function}", *excerpt(f.loc), f.message]
        if f.rule.hint:
            lines.append(f"hint: {f.rule.hint}")
    return "\n".join(lines), first.loc, ""


# --- what every call reaches ------------------------------------------------------------------------------------------

_LEAVES = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def _walk(tree: ast.FunctionDef | ast.Lambda) -> Iterator[tuple[ast.AST, bool]]:
    """Every node of the function's own scope, and whether every call reaches it. Nested functions: the node alone."""
    if isinstance(tree, ast.Lambda):
        yield from _expression(tree.body, True)
    else:
        yield from _block(tree.body, True)


def _block(stmts: list[ast.stmt], sure: bool) -> Iterator[tuple[ast.AST, bool]]:
    for s in stmts:
        yield s, sure
        if isinstance(s, _INNER):
            continue
        inner = sure and not isinstance(s, ast.If) and type(s).__name__ not in ("Try", "TryStar", "Match")
        for _, part in ast.iter_fields(s):
            for node in part if isinstance(part, list) else [part]:
                if isinstance(node, ast.stmt):
                    yield from _block([node], inner)
                elif isinstance(node, ast.AST):
                    yield from _expression(node, sure)
        if isinstance(s, ast.If) and any(isinstance(n, _LEAVES) for n in ast.walk(s)):
            sure = False  # what follows may be cut away with the test


def _expression(node: ast.AST, sure: bool) -> Iterator[tuple[ast.AST, bool]]:
    yield node, sure
    if isinstance(node, _INNER):
        return
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):  # bodies of handlers and cases
            yield from _block([child], False)
        else:
            yield from _expression(child, sure and not isinstance(node, (ast.IfExp, ast.BoolOp)))
