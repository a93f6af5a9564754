"""Displays of tuples, lists, dicts and sets, and f-strings."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from soljit.base.python.classes import writes
from soljit.frontend_ast.calls import calls
from soljit.frontend_ast.calls.generator_calls import list_of_generator
from soljit.frontend_ast.calls.object_methods import call_object_method
from soljit.frontend_ast.expressions.object_displays import constant_set, made_of, set_of
from soljit.frontend_ast.iteration.static_items import are_many, iterate_static
from soljit.frontend_ast.joins.binding import items_of, named, pin
from soljit.frontend_ast.joins.unions import split
from soljit.frontend_ast.lowering.frames import Frame
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.iterators import refuse_iterators
from soljit.frontend_ast.objects.objects import dict_of, list_of, make_object
from soljit.frontend_ast.objects.text import formatted, is_plain
from soljit.frontend_ast.syntax.scopes import names_read
from soljit.frontend_ast.syntax.side_effects import may_have_effects
from soljit.frontend_ast.values.values import Dict, Generated, Generator, Num, Object, Static, Tup, Union, Value
from soljit.frontend_ast.views.object_items import set_object_item
from soljit.ir.core.expr import Const


def static_object(v: Value) -> Any:
    """The Python object of a compile-time value (for keys)."""
    if isinstance(v, Static) and not writes(type(v.obj), "__hash__", "__eq__"):
        return v.obj
    if isinstance(v, Num) and isinstance(v.expr, Const):
        return v.expr.value
    if isinstance(v, Tup) and v.cls is None and not v.mutable:
        return tuple(map(static_object, v.items))
    raise KeyError


def _shown(v: Value) -> Any:
    """The Python object of a compile-time value (for texts)."""
    return [_shown(x) for x in v.items] if isinstance(v, Tup) and v.mutable else static_object(v)


def lower_tuple(cx: Lowering, fr: Frame, node: ast.Tuple | ast.List) -> Value:
    items: list[Value] = []
    made: Object | None = None  # a list of Python's, from the first `*x` on whose length only the run tells
    for e in node.elts:
        v = pin(cx, cx.above.evaluate(cx, fr, e.value if isinstance(e, ast.Starred) else e))
        if isinstance(e, ast.Starred):
            v = calls.iterated(cx, v)
        if isinstance(v, Generator) and isinstance(e, ast.Starred):
            v = pin(cx, list_of_generator(cx, v))
        if made is not None:
            call_object_method(cx, made, "extend" if isinstance(e, ast.Starred) else "append", [v], {})
        elif not isinstance(e, ast.Starred):
            refuse_iterators(cx, v)
            items.append(named(cx, v, str(len(items))))
        elif not isinstance(v, (Object, Generated, Union)) and not are_many(cx, v):
            items += items_of(cx, iterate_static(cx, v))
        else:
            made = make_object(cx, Tup(items, None, True, cx.region, cx.loc))
            call_object_method(cx, made, "extend", [v], {})
    if made is not None:
        return made if isinstance(node, ast.List) else made_of(cx, tuple, made)
    return list_of(cx, items) if isinstance(node, ast.List) else Tup(items)


def lower_dict(cx: Lowering, fr: Frame, node: ast.Dict) -> Value:
    """A dict display; from the first key on that only the run tells it is an object, and filled in order."""
    loc, items = cx.loc, dict[Any, Value]()
    made: Object | None = None

    def object_so_far() -> Object:
        cx.loc = loc
        cx.learned.dynamic.add(loc)
        there = dict_of(cx, items)
        assert isinstance(there, Object)
        return there

    for k, v in zip(node.keys, node.values):
        key = pin(cx, cx.above.evaluate(cx, fr, k)) if k is not None else None
        value = named(cx, pin(cx, cx.above.evaluate(cx, fr, v)), str(len(items)))
        refuse_iterators(cx, value)
        if made is None and key is None and isinstance(value, Dict):
            items.update(value.items)
            continue
        if made is None and key is not None:
            try:
                items[static_object(key)] = value
                continue
            except KeyError:
                pass
        made = object_so_far() if made is None else made
        if key is None:
            call_object_method(cx, made, "update", [value], {})
        else:
            set_object_item(cx, made, key, value)
    return made if made is not None else dict_of(cx, items)


def lower_set(cx: Lowering, fr: Frame, node: ast.Set) -> Value:
    """A set display. Python makes one of constants from a frozen set of the code, or leaves it one where a loop runs over it."""
    if any(isinstance(e, ast.Starred) for e in node.elts):
        given = lower_tuple(cx, fr, ast.copy_location(ast.Tuple(node.elts, ast.Load()), node))
        return made_of(cx, set, given)
    items = [pin(cx, cx.above.evaluate(cx, fr, e)) for e in node.elts]
    looped = _is_looped_over(fr, node)
    constant = not names_read(node.elts) and (looped or len(items) > 2)
    frozen = constant_set(cx, fr, items) if constant else None
    if frozen is None:
        return set_of(cx, items)
    return frozen if looped else made_of(cx, set, frozen)


def _is_looped_over(fr: Frame, node: ast.Set) -> bool:
    while fr.tree is None and fr.parent is not None:
        fr = fr.parent
    loops = (n for n in ast.walk(fr.tree) if isinstance(n, (ast.For, ast.comprehension))) if fr.tree is not None else ()
    return any(n.iter is node for n in loops)


def lower_fstring(cx: Lowering, fr: Frame, node: ast.JoinedStr) -> Value:
    """An f-string: text at once if all values are known, else formatted at run time."""
    pieces = _pieces(cx, fr, node)
    if any(not isinstance(p, str) for p in pieces):
        return _formatted(cx, pieces)
    return Static("".join(pieces))


def _formatted(cx: Lowering, pieces: Sequence[Any]) -> Value:
    return split(cx, _values(pieces), lambda vs: formatted(cx, _put(pieces, iter(vs))), "text")


def _values(pieces: Sequence[Any]) -> list[Value]:
    """The values in the pieces of an f-string."""
    return [v for p in pieces if not isinstance(p, str) for v in (p[0], *_values(p[2]))]


def _put(pieces: Sequence[Any], values: Iterator[Value]) -> list[Any]:
    """The pieces with other values."""
    return [p if isinstance(p, str) else (next(values), p[1], _put(p[2], values)) for p in pieces]


def _pieces(cx: Lowering, fr: Frame, node: ast.JoinedStr) -> list[Any]:
    """Texts, and (value, conversion, pieces of its format) for what only the run tells."""
    out: list[Any] = []
    for k, p in enumerate(node.values):
        if isinstance(p, ast.Constant):
            out.append(str(p.value))
            continue
        assert isinstance(p, ast.FormattedValue)
        v = pin(cx, cx.above.evaluate(cx, fr, p.value))
        if cx.current.done:  # control does not come here
            return []
        refuse_iterators(cx, v)
        spec = [] if p.format_spec is None else _pieces(cx, fr, p.format_spec)  # type: ignore[arg-type]
        text = None
        if is_plain(v) and all(isinstance(x, str) for x in spec):
            with contextlib.suppress(TypeError, ValueError):  # a wrong format raises when it is used
                text = format(TEXT_CONVERSIONS[p.conversion](_shown(v)), "".join(spec))
        if text is not None:
            out.append(text)
        else:
            piece = (v, "" if p.conversion < 0 else f"!{chr(p.conversion)}", spec)
            plain = isinstance(v, Num) and not spec
            if not plain and any(map(may_have_effects, node.values[k + 1 :])):  # it is formatted before they come about
                piece = (_formatted(cx, [piece]), "", [])
            out.append(piece)
    return out


TEXT_CONVERSIONS: dict[int, Callable[[Any], Any]] = {-1: lambda o: o, 115: str, 114: repr, 97: ascii}  # of f-strings
