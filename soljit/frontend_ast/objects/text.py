"""Text made of values: f-strings, str.format, str, repr, print."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from soljit.base.messages import escape
from soljit.base.python.object_names import class_name
from soljit.frontend_ast.lowering import static_values
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements
from soljit.frontend_ast.objects.contents import TEXT
from soljit.frontend_ast.objects.iterators import refuse_iterators, settled
from soljit.frontend_ast.objects.objects import call_by_name
from soljit.frontend_ast.objects.results import result_of
from soljit.frontend_ast.values.object_types import NOTHING
from soljit.frontend_ast.values.values import DictView, Num, Static, Tup, Value
from soljit.ir.core.expr import Const


def formatted(cx: Lowering, parts: list[Any]) -> Value:
    """An f-string of texts and (value, conversion, parts of its format)."""
    values: list[Value] = []

    def template(pieces: list[Any]) -> str:
        text = ""
        for piece in pieces:
            if isinstance(piece, str):
                text += escape(piece)
                continue
            value, conversion, spec = piece
            values.append(value)
            place = f"{{{len(values) - 1}{conversion}"
            inner = template(spec)
            text += f"{place}:{inner}}}" if inner else place + "}"
        return text

    refuse_iterators(cx, *values)
    return call_by_name(cx, "builtins.str.format", [Static(template(parts)), *values], TEXT)


def is_plain(v: Value) -> bool:
    """Tell whether a value can be written as text now."""
    match v:
        case Num():
            return v.weak and isinstance(v.expr, Const)
        case Static():
            return type(v.obj) in (str, bytes, type(None), bool) or isinstance(v.obj, np.dtype)
        case Tup() if v.cls is None and not isinstance(v, DictView):
            return all(map(is_plain, v.items))
    return False


def text_method(cx: Lowering, owner: Static, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """A method of a string that is known, with arguments that are not."""
    if name == "format":
        refuse_iterators(cx, *args)
    args = [settled(cx, a) for a in args]
    function = getattr(type(owner.obj), name)
    found = (
        TEXT
        if name in ("format", "join") and isinstance(owner.obj, str)
        else result_of(cx, function, [owner, *args], kwargs)
    )
    return call_by_name(cx, f"{class_name(type(owner.obj))}.{name}", [owner, *args], found, kwargs)


def print_values(cx: Lowering, *args: Value, **kwargs: Value) -> Value:
    """print"""
    if set(kwargs) - {"sep", "end", "flush"}:
        raise cx.unsupported("print with file", "print to the standard output")
    return call_by_name(cx, "builtins.print", list(args), NOTHING, kwargs)


@implements(print)
def print_(cx: Lowering, *args: Value, **kwargs: Value) -> Value:
    """print of anything"""
    refuse_iterators(cx, *args)
    return print_values(cx, *[settled(cx, a) for a in args], **kwargs)


def text_function(name: str, function: Any) -> Callable[..., Value]:
    def run(cx: Lowering, v: Value | None = None) -> Value:
        if v is None:
            return Static("")
        refuse_iterators(cx, v)
        v = settled(cx, v)
        if is_plain(v):
            return Static(function(static_values.static_of(cx, v)))
        return call_by_name(cx, f"builtins.{name}", [v], TEXT)

    return run


implements(str)(text_function("str", str))


implements(repr)(text_function("repr", repr))
