"""raise and assert; the exceptions that handlers deal with (`attempts.py` lowers try).

An exception leaves the compiled program with its type and message; operands in an f-string message are formatted when it is raised.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from soljit.base.errors import UnsupportedError
from soljit.base.messages import escape
from soljit.frontend_ast.calls import ExceptionValue
from soljit.frontend_ast.frames import Frame
from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.operators import describe
from soljit.frontend_ast.values import CompileTime, Num, Static, Tup, Value
from soljit.ir import nodes, pending, symbolic
from soljit.ir.data import Scalar
from soljit.ir.expr import Const, Expr, const
from soljit.ir.types import DType

CONVERSIONS: dict[int, Callable[[Any], Any]] = {-1: lambda o: o, 115: str, 114: repr, 97: ascii}  # of f-strings


def dotted(cls: type) -> str:
    """The dotted name of an exception class."""
    return f"{cls.__module__}.{cls.__qualname__}"


@dataclass(frozen=True, eq=False)
class Signature:
    """One kind of exception that leaves the body of a try: `number` stands for it at run time.

    group:    which handler takes it
    operands: scalars that receive the operands of the message, with their containers
    slot:     where the exception of a call back into Python waits; "" for a raise of compiled code
    """

    number: int
    group: int
    exception: str
    message: str | None
    dtypes: tuple[DType, ...]
    operands: tuple[str, ...] = ()
    containers: tuple[Scalar, ...] = ()
    slot: str = ""

    def is_there(self, cx: Lowering) -> bool:
        """Do its scalars still exist? What made it may have been lowered anew."""
        return all(cx.data.get(n) is d for n, d in zip(self.operands, self.containers))


class Caught(CompileTime):
    """The exception that a handler deals with: one of `signatures`, `number` tells which."""

    def __init__(self, signatures: Sequence[Signature], number: Expr) -> None:
        self.signatures, self.number = tuple(signatures), number

    def raise_again(self, cx: Lowering) -> None:
        """`raise` of this exception."""
        *others, last = self.signatures
        for s in others:
            cond = symbolic.eq(self.number, const(s.number))
            with cx.block() as this:
                _raise_signature(cx, s)
            cx.branch(cond, this)
        _raise_signature(cx, last)

    def attribute(self, cx: Lowering, name: str) -> Value:
        """An attribute of it."""
        return cx.objects.attribute(cx, cx.objects.exception_of(cx, self), name)  # type: ignore[no-any-return]

    def only(self, cx: Lowering) -> Signature:
        """What it is, where that is known at compile time."""
        if len(self.signatures) > 1 or self.signatures[0].slot:
            raise cx.unsupported(
                "looking at an exception that NumPy or Python raised", "handle it without using the exception itself"
            )
        return self.signatures[0]

    def text(self, cx: Lowering) -> tuple[str, list[Expr]]:
        """`str` of it, as a template and its operands."""
        s = self.only(cx)
        cls = class_of(s.exception)
        if cls.__str__ is not BaseException.__str__:
            raise cx.unsupported(f"the text of a {cls.__name__}")
        return s.message or "", [cx.let(cx.read(n), n) for n in s.operands]


def _raise_signature(cx: Lowering, s: Signature) -> None:
    if s.slot:
        cx.emit(nodes.Callback("soljit.ir.pending.raise_again", (), (), (s.slot,)))
        cx.raise_("SystemError", "no exception to raise again")
        return
    cx.raise_(s.exception, s.message, [cx.let(cx.read(n), n) for n in s.operands])


def class_of(exception: str) -> type[BaseException]:
    """The class of a dotted name."""
    return pending.class_of(exception)


def classes_of(cx: Lowering, fr: Frame, node: ast.expr | None) -> tuple[type[BaseException], ...]:
    """The classes that an `except` names."""
    if node is None:
        return (BaseException,)
    return classes_of_values(cx, [cx.evaluate(cx, fr, node)])


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


def raise_statement(cx: Lowering, fr: Frame, s: ast.Raise) -> None:
    """`raise X(message)`, `raise`."""
    if s.exc is None:
        again = fr.caught.get(s)
        if again is None:
            raise cx.unsupported("raise without an exception", "raise inside of the handler")
        again.raise_again(cx)
        return
    target, args = s.exc, []
    if isinstance(target, ast.Call) and not target.keywords:
        args, target = target.args, target.func
    value = cx.evaluate(cx, fr, target)
    cls = value.obj if isinstance(value, Static) else None
    if isinstance(cls, Caught) and not args:
        cls.raise_again(cx)
        return
    if s.cause is not None and _raise_from(cx, fr, s.cause, cls, args):
        return
    if isinstance(cls, ExceptionValue) and not args:
        _raise_with(cx, cls.cls, list(cls.args))
        return
    if not (isinstance(cls, type) and issubclass(cls, BaseException)):
        raise cx.unsupported(f"raising {describe(value)}")
    if "<locals>" in cls.__qualname__:
        raise cx.unsupported("raising an exception class defined in a function", "define the class in the module")
    if not args:
        cx.raise_(dotted(cls))
        return
    mark = cx.snapshot()
    try:
        if len(args) > 1 or isinstance(args[0], ast.Starred):
            raise cx.unsupported("an exception with several arguments", "use one message")
        if not isinstance(args[0], (ast.JoinedStr, ast.BinOp)) and isinstance(cx.evaluate(cx, fr, args[0]), Num):
            raise cx.unsupported("an exception with a number", "use a text")
        cx.restore(mark)
        text, operands = message_of(cx, fr, args[0])
    except UnsupportedError:
        cx.restore(mark)
        cx.objects.throw(cx, dotted(cls), [cx.evaluate(cx, fr, a) for a in args])
        return
    cx.raise_(dotted(cls), text, operands)


def _raise_from(cx: Lowering, fr: Frame, cause: ast.expr, cls: Any, args: list[ast.expr]) -> bool:
    """`raise cls(args) from cause`; False: there is no cause that anybody could see."""
    source = cx.evaluate(cx, fr, cause)
    if (
        isinstance(source, Static)
        and not isinstance(source.obj, (Caught, ExceptionValue))
        and not (source.obj is None and cx.attempts)
    ):
        return False
    if isinstance(cls, ExceptionValue):
        values, made = list(cls.args), cls.cls
    elif isinstance(cls, type) and issubclass(cls, BaseException) and "<locals>" not in cls.__qualname__:
        values, made = [cx.evaluate(cx, fr, a) for a in args], cls
    else:
        return False
    cx.objects.call(cx, "soljit.base.objects.throw_from", [Static(dotted(made)), source, *values])
    cx.raise_("SystemError", "an exception was not raised")
    return True


def _raise_with(cx: Lowering, cls: type[BaseException], args: list[Value]) -> None:
    if not args:
        cx.raise_(dotted(cls))
        return
    obj = args[0].obj if isinstance(args[0], Static) else None
    if len(args) == 1 and isinstance(obj, str):
        cx.raise_(dotted(cls), escape(obj))
        return
    cx.objects.throw(cx, dotted(cls), args)


def raise_assertion(cx: Lowering, fr: Frame, message: ast.expr | None) -> None:
    """The failure of `assert`."""
    if message is None:
        cx.raise_("AssertionError")
        return
    mark = cx.snapshot()
    try:
        text, operands = message_of(cx, fr, message)
    except UnsupportedError:
        cx.restore(mark)
        cx.objects.throw(cx, "builtins.AssertionError", [cx.evaluate(cx, fr, message)])
        return
    cx.raise_("AssertionError", text, operands)


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
            v = cx.evaluate(cx, fr, n.value)
            spec = template(n.format_spec) if n.format_spec is not None else ""
            return formatted(v, spec, n.conversion)
        if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Add):
            return template(n.left) + template(n.right)
        v = cx.evaluate(cx, fr, n)
        return formatted(v, "", -1)

    def formatted(v: Value, spec: str, conversion: int) -> str:
        if isinstance(v, Static) and isinstance(v.obj, Caught) and not spec and conversion in (-1, 115):
            text, values = v.obj.text(cx)
            first = len(operands)
            operands.extend(values)
            return renumbered(text, first)
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
