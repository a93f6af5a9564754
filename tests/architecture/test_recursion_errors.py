"""A RecursionError while a function is compiled says that the stack is full there, and nothing of the program."""

from __future__ import annotations

import ast

from tests.architecture import sources

COMPILER = ("frontend_ast", "passes", "analysis", "codegen", "ir")
AT_RUN_TIME = {"soljit/support/pending.py"}  # what the program itself raises
BROAD = {"Exception", "RuntimeError", "BaseException"}


def _names(handler: ast.ExceptHandler) -> set[str]:
    match handler.type:
        case None:
            return {"BaseException"}
        case ast.Tuple(elts=types):
            return {ast.unparse(t) for t in types}
        case one:
            return {ast.unparse(one)}


def _ends_in_a_raise(handler: ast.ExceptHandler) -> bool:
    last = handler.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


def _swallow(node: ast.Try) -> bool:
    """Would one of the handlers take a RecursionError for something else?"""
    for handler in node.handlers:
        if "RecursionError" in _names(handler):
            return not _ends_in_a_raise(handler)
        if _names(handler) & BROAD:
            return not _ends_in_a_raise(handler)
    return False


def test_a_full_stack_is_not_taken_for_what_the_program_raises() -> None:
    files = [p for p in sources.files() if p.relative_to(sources.PACKAGE).parts[0] in COMPILER]
    files.append(sources.PACKAGE / "base" / "knowledge" / "pure.py")
    found = [
        f"{p.relative_to(sources.ROOT).as_posix()}:{n.lineno}"
        for p in files
        if p.relative_to(sources.ROOT).as_posix() not in AT_RUN_TIME
        for n in ast.walk(sources.tree(p))
        if isinstance(n, ast.Try) and _swallow(n)
    ]
    assert not found, f"put `except RecursionError: raise` before the handler: {found}"
