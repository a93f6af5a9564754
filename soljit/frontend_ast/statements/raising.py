"""raise and assert; the exceptions that handlers deal with (`try_statements.py` lowers try).

An exception leaves the compiled program with its type and message; operands in an f-string message are formatted when it is raised.
"""

from __future__ import annotations

import ast
import re
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from soljit.base.errors import UnsupportedError
from soljit.base.messages import escape
from soljit.base.python.members import as_written
from soljit.base.python.object_names import class_name
from soljit.frontend_ast.calls.object_calls import make_exception
from soljit.frontend_ast.expressions.displays import TEXT_CONVERSIONS
from soljit.frontend_ast.expressions.expressions import evaluate
from soljit.frontend_ast.lowering.caught import Caught
from soljit.frontend_ast.lowering.frames import Frame
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.objects import call_by_name
from soljit.frontend_ast.values.descriptions import describe
from soljit.frontend_ast.values.values import Num, Static, Tup, Value
from soljit.ir.core.expr import Const, Expr
from soljit.support.limits import NOT_RAISED
from soljit.support.objects import HERE

HANDLED = "<handled>"  # the name under which a frame keeps the exception that is being handled: a bare `raise` raises it again


def classes_of(cx: Lowering, fr: Frame, node: ast.expr | None) -> tuple[type[BaseException], ...]:
    """The classes that an `except` names."""
    if node is None:
        return (BaseException,)
    return classes_of_values(cx, [evaluate(cx, fr, node)])


def classes_of_values(cx: Lowering, values: Sequence[Value]) -> tuple[type[BaseException], ...]:
    out: list[type[BaseException]] = []
    for v in values:
        if isinstance(v, Tup):
            out.extend(classes_of_values(cx, v.items))
        elif isinstance(v, Static) and isinstance(v.obj, type) and issubclass(v.obj, BaseException):
            out.append(v.obj)
        else:
            raise cx.unsupported(f"except {describe(v)}", "name exception classes")
    return tuple(out)


def is_text_read(h: ast.ExceptHandler) -> bool:
    """Tell whether all that the handler wants of its exception is the text, or to raise it again. Else the exception is made an object."""
    wanted = {id(n) for s in h.body for n in ast.walk(s) if isinstance(n, ast.Name) and n.id == h.name}
    for s in h.body:
        for n in ast.walk(s):
            match n:
                case ast.FormattedValue(value=value, conversion=-1 | 115, format_spec=None):
                    wanted.discard(id(value))
                case ast.Raise(exc=ast.Name() as value, cause=None):
                    wanted.discard(id(value))
                case ast.Call(func=ast.Name(id="str"), args=[value], keywords=[]):
                    wanted.discard(id(value))
    return not wanted


def raise_statement(cx: Lowering, fr: Frame, s: ast.Raise) -> None:
    """`raise X(message)`, `raise X(message) from cause`, `raise x`, `raise`."""
    if s.exc is None:
        again = fr.env.get(HANDLED)
        if again is None:
            raise cx.unsupported("raise without an exception", "raise inside of the handler")
        raise_again(cx, again)
        return
    unseen = isinstance(s.cause, ast.Constant) and s.cause.value is None and not cx.attempts
    if (s.cause is None or unseen) and _raise_text(cx, fr, s.exc):
        return
    error = evaluate(cx, fr, s.exc)
    if s.cause is None:
        raise_again(cx, error)
    else:
        _throw(cx, error, evaluate(cx, fr, s.cause))


@contextmanager
def handling(fr: Frame, error: Value | None) -> Iterator[None]:
    """While this exception is handled (None: none is)."""
    before = set_handled(fr, error)
    try:
        yield
    finally:
        set_handled(fr, before)


def set_handled(fr: Frame, error: Value | None) -> Value | None:
    """Say which exception is handled; gives the one before."""
    before = fr.env.pop(HANDLED, None)
    if error is not None:
        fr.env[HANDLED] = error
    return before


def raise_again(cx: Lowering, error: Value) -> None:
    """Raise an exception that exists: one that a handler deals with, or an object."""
    if isinstance(error, Static) and isinstance(error.obj, Caught):
        error.obj.raise_again(cx)
    else:
        _throw(cx, error)


def _throw(cx: Lowering, error: Value, *cause: Value) -> None:
    call_by_name(cx, HERE + "throw_object", [error, *cause])
    cx.raise_("SystemError", NOT_RAISED)


def _raise_text(cx: Lowering, fr: Frame, node: ast.expr) -> bool:
    """`raise X`, `raise X(message)` where only class and text matter; False: the exception must be made by Python."""
    message = None
    if isinstance(node, ast.Call):
        if node.keywords or len(node.args) > 1 or any(isinstance(a, ast.Starred) for a in node.args):
            return False
        message, node = node.args[0] if node.args else None, node.func
    if not isinstance(node, (ast.Name, ast.Attribute)):
        return False
    mark = cx.snapshot()
    value = evaluate(cx, fr, node)
    cls = value.obj if isinstance(value, Static) else None
    if isinstance(cls, type) and issubclass(cls, BaseException) and _is_plain(cls):
        if message is None:
            cx.raise_(class_name(cls))
            return True
        found = _text_of(cx, fr, message)
        if found is not None:
            cx.raise_(class_name(cls), *found)
            return True
    cx.restore(mark)
    return False


def _is_plain(cls: type[BaseException]) -> bool:
    """Tell whether an exception of this class is nothing but what it was called with."""
    written = any(isinstance(as_written(getattr(cls, n)), types.FunctionType) for n in ("__init__", "__new__"))
    return not written and "<locals>" not in cls.__qualname__


def raise_assertion(cx: Lowering, fr: Frame, message: ast.expr | None) -> None:
    """The failure of `assert`."""
    if message is None:
        cx.raise_("AssertionError")
        return
    found = _text_of(cx, fr, message)
    if found is not None:
        cx.raise_("AssertionError", *found)
        return
    _throw(cx, make_exception(cx, AssertionError, [evaluate(cx, fr, message)], {}))


def _text_of(cx: Lowering, fr: Frame, node: ast.expr) -> tuple[str, list[Expr]] | None:
    """The message template of an expression that is text made of numbers; None if it is none."""
    mark = cx.snapshot()
    try:
        if _is_text(cx, fr, node):
            cx.restore(mark)
            return message_of(cx, fr, node)
    except UnsupportedError:
        pass
    cx.restore(mark)
    return None


def _is_text(cx: Lowering, fr: Frame, node: ast.expr) -> bool:
    if isinstance(node, ast.JoinedStr):
        return True
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _is_text(cx, fr, node.left) and _is_text(cx, fr, node.right)
    v = evaluate(cx, fr, node)
    return isinstance(v, Static) and type(v.obj) is str


def renumbered(text: str, first: int) -> str:
    """A message template whose operands are numbered from `first`."""
    return re.sub(r"(?<!\{)((?:\{\{)*)\{(\d+)", lambda m: f"{m[1]}{{{int(m[2]) + first}", text) if first else text


def message_of(cx: Lowering, fr: Frame, node: ast.expr) -> tuple[str, list[Expr]]:
    """The message template of an expression: a string, an f-string, or a concatenation of them."""
    operands: list[Expr] = []

    def template(n: ast.expr) -> str:
        if isinstance(n, ast.JoinedStr):
            return "".join(template(p) for p in n.values)
        if isinstance(n, ast.FormattedValue):
            v = evaluate(cx, fr, n.value)
            spec = template(n.format_spec) if n.format_spec is not None else ""
            return formatted(v, spec, n.conversion)
        if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Add):
            return template(n.left) + template(n.right)
        v = evaluate(cx, fr, n)
        return formatted(v, "", -1)

    def formatted(v: Value, spec: str, conversion: int) -> str:
        if isinstance(v, Static) and isinstance(v.obj, Caught) and not spec and conversion in (-1, 115):
            text, values = v.obj.text(cx)
            first = len(operands)
            operands.extend(values)
            return renumbered(text, first)
        number = v.expr if isinstance(v, Num) and v.weak else None
        if isinstance(v, Static) or isinstance(number, Const):
            known: Any = v.obj if isinstance(v, Static) else number.value  # type: ignore[union-attr]
            try:
                return escape(format(TEXT_CONVERSIONS[conversion](known), spec))
            except (TypeError, ValueError):
                raise cx.unsupported("a message in a wrong format") from None
        if isinstance(v, Num):
            operands.append(v.expr)
            tail = (f"!{chr(conversion)}" if conversion != -1 else "") + (f":{spec}" if spec else "")
            return "{" + str(len(operands) - 1) + tail + "}"
        if isinstance(v, Tup) and v.cls is None and not spec:
            parts = [formatted(x, "", 114) for x in v.items]
            inner = ", ".join(parts) + ("," if len(parts) == 1 and not v.mutable else "")
            return f"[{inner}]" if v.mutable else f"({inner})"
        raise cx.unsupported(f"a message that contains {describe(v)}", "put numbers and strings into the message")

    text = template(node)
    if len(operands) > 8:
        raise cx.unsupported("a message with more than 8 run-time values")
    return text, [cx.let(e, "operand") for e in operands]
