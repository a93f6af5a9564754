"""raise, assert, with and try.

An exception leaves the compiled program with its type and message; operands in an f-string message are formatted when it is raised.
`with np.errstate(...)` runs its body (compiled code raises no floating-point warnings). `try` without handlers that could run is
its body; others are refused.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from soljit.frontend_ast.calls import ExceptionValue
from soljit.frontend_ast.frames import Frame
from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.operators import describe
from soljit.frontend_ast.values import Num, Static, Tup, Value
from soljit.ir.expr import Const, Expr

CONVERSIONS: dict[int, Callable[[Any], Any]] = {-1: lambda o: o, 115: str, 114: repr, 97: ascii}  # of f-strings


def dotted(cls: type) -> str:
    """The dotted name of an exception class."""
    return f"{cls.__module__}.{cls.__qualname__}"


def raise_statement(cx: Lowering, fr: Frame, s: ast.Raise) -> None:
    """`raise X(message)`."""
    if s.exc is None:
        raise cx.unsupported("raise without an exception")
    target, args = s.exc, []
    if isinstance(target, ast.Call) and not target.keywords:
        args, target = target.args, target.func
    value = cx.evaluate(cx, fr, target)
    cls = value.obj if isinstance(value, Static) else None
    if isinstance(cls, ExceptionValue) and not args:
        _raise_with(cx, cls.cls, list(cls.args))
        return
    if not (isinstance(cls, type) and issubclass(cls, BaseException)):
        raise cx.unsupported(f"raising {describe(value)}")
    if "<locals>" in cls.__qualname__:
        raise cx.unsupported("raising an exception class defined in a function", "define the class in the module")
    if len(args) > 1:
        raise cx.unsupported("an exception with several arguments", "use one message")
    if not args:
        cx.raise_(dotted(cls))
        return
    text, operands = message_of(cx, fr, args[0])
    cx.raise_(dotted(cls), text, operands)


def _raise_with(cx: Lowering, cls: type[BaseException], args: list[Value]) -> None:
    if not args:
        cx.raise_(dotted(cls))
        return
    obj = args[0].obj if isinstance(args[0], Static) else None
    if len(args) == 1 and isinstance(obj, str):
        cx.raise_(dotted(cls), escape(obj))
        return
    raise cx.unsupported("an exception with arguments that are not known at compile time", "raise it where it is made")


def raise_assertion(cx: Lowering, fr: Frame, message: ast.expr | None) -> None:
    """The failure of `assert`."""
    if message is None:
        cx.raise_("AssertionError")
        return
    text, operands = message_of(cx, fr, message)
    cx.raise_("AssertionError", text, operands)


def escape(text: str) -> str:
    """A literal text as a message template."""
    return text.replace("{", "{{").replace("}", "}}")


def message_of(cx: Lowering, fr: Frame, node: ast.expr) -> tuple[str, list[Expr]]:
    """The message template of an expression: a string, an f-string, or a concatenation of them."""
    operands: list[Expr] = []

    def template(n: ast.expr) -> str:
        if isinstance(n, ast.JoinedStr):
            return "".join(template(p) for p in n.values)
        if isinstance(n, ast.FormattedValue):
            v = cx.evaluate(cx, fr, n.value)
            spec = template(n.format_spec) if n.format_spec is not None else ""
            return formatted(v, spec, n.conversion)
        if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Add):
            return template(n.left) + template(n.right)
        v = cx.evaluate(cx, fr, n)
        return formatted(v, "", -1)

    def formatted(v: Value, spec: str, conversion: int) -> str:
        if isinstance(v, Static):
            obj: Any = v.obj
            obj = CONVERSIONS[conversion](obj)
            return escape(format(obj, spec))
        if isinstance(v, Num):
            if isinstance(v.expr, Const) and v.weak:
                return escape(format(v.expr.value, spec))
            operands.append(v.expr)
            tail = (f"!{chr(conversion)}" if conversion != -1 else "") + (f":{spec}" if spec else "")
            return "{" + str(len(operands) - 1) + tail + "}"
        if isinstance(v, Tup) and not spec:
            parts = [formatted(x, "", 114 if not isinstance(x, Num) else -1) for x in v.items]
            inner = ", ".join(parts) + ("," if len(parts) == 1 and not v.mutable else "")
            return f"[{inner}]" if v.mutable else f"({inner})"
        raise cx.unsupported(f"a message that contains {describe(v)}", "put numbers and strings into the message")

    text = template(node)
    if len(operands) > 8:
        raise cx.unsupported("a message with more than 8 run-time values")
    return text, [cx.let(e, "operand") for e in operands]


def with_statement(cx: Lowering, fr: Frame, s: ast.With) -> None:
    """`with np.errstate(...)`."""
    for item in s.items:
        call = item.context_expr
        if not isinstance(call, ast.Call) or item.optional_vars is not None:
            raise cx.unsupported("this with statement", "only `with np.errstate(...)` is compiled")
        f = cx.evaluate(cx, fr, call.func)
        if not (isinstance(f, Static) and f.obj is np.errstate):
            raise cx.unsupported("this with statement", "only `with np.errstate(...)` is compiled")
        for k in call.keywords:
            if isinstance(k.value, ast.Constant) and k.value.value in ("raise", "call", "log", "print"):
                raise cx.unsupported(f"np.errstate({k.arg}={k.value.value!r})", "use 'ignore' or 'warn'")
    cx.run(cx, fr, s.body)


def try_statement(cx: Lowering, fr: Frame, s: ast.Try) -> None:
    """`try`: refused where a handler or `finally` could have to run."""
    raise cx.unsupported(
        "try statements are not compiled yet", "test the condition before, or keep the try outside the jitted function"
    )
