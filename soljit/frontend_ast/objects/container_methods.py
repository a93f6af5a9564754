"""Methods of lists, dicts, sets and deques of run time, and what iterating over a value gives."""

from __future__ import annotations

import collections
import functools
from collections.abc import Callable

import numpy as np

from soljit.base.knowledge import table
from soljit.base.knowledge.pure import first_item
from soljit.base.python.object_names import class_name
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.captured_contents import item_outside
from soljit.frontend_ast.objects.contents import BOOL, INT, element_of, escape, item_of, key_of, put
from soljit.frontend_ast.objects.objects import call_by_name
from soljit.frontend_ast.objects.results import result_of
from soljit.frontend_ast.values.constants import constant
from soljit.frontend_ast.values.learned import element_read, join_elements, join_slots, widen
from soljit.frontend_ast.values.object_types import ANY, Element, ObjectType
from soljit.frontend_ast.values.values import Arr, Dict, Lazy, Num, Object, OneShot, RangeVal, Static, Tup, Value
from soljit.ir.core.expr import const


def join_items(cx: Lowering, kind: ObjectType, v: Value) -> None:
    """The items of `v` go into a container of this type."""
    match v:
        case Object() if v.type.item is not None and kind.item is not None:
            join_slots(cx.learned, kind.item, v.type.item if v.type.key is None else v.type.key)
        case Tup() | OneShot():
            for x in v.items:
                put(cx, kind.item, x)
        case Arr() | Lazy() if v.ndim == 1:
            put(cx, kind.item, Num(v.element((const(0),)), False))
        case RangeVal():
            put(cx, kind.item, Num(const(0), True))
        case Static() if isinstance(v.obj, str):
            put(cx, kind.item, Static(""))
        case _ if kind.item is not None:
            widen(cx.learned, kind.item, items_of(cx, v))


def _plain(name: str, result: Element | None = None) -> Callable[..., Value]:
    """A method that puts nothing in; its result is an item of the container if none is given."""

    def run(cx: Lowering, owner: Object, /, *args: Value, **kwargs: Value) -> Value:
        found = item_of(cx, owner) if result is None else result
        return call_by_name(cx, _target(owner, name), [owner, *args], found, kwargs)

    return run


def _target(owner: Object, name: str) -> str:
    assert owner.type.cls is not None
    return f"{class_name(owner.type.cls)}.{name}"


def _adds(name: str) -> Callable[..., Value]:
    """A method whose last argument becomes an item."""

    def run(cx: Lowering, owner: Object, first: Value, /, *others: Value) -> Value:
        put(cx, owner.type.item, [first, *others][-1])
        return call_by_name(cx, _target(owner, name), [owner, first, *others])

    return run


def _adds_all(name: str) -> Callable[..., Value]:
    """A method whose arguments' items become items."""

    def run(cx: Lowering, owner: Object, /, *args: Value, **kwargs: Value) -> Value:
        for a in args:
            if owner.type.key is not None:
                join_mapping(cx, owner, a)
            else:
                join_items(cx, owner.type, a)
        for k, v in kwargs.items():
            put(cx, owner.type.key, Static(k))
            put(cx, owner.type.item, v)
        return call_by_name(cx, _target(owner, name), [owner, *args], kwargs=kwargs)

    return run


def join_mapping(cx: Lowering, owner: Object, v: Value) -> None:
    """The keys and values of `v`, a mapping or pairs, go into a dict."""
    assert owner.type.key is not None and owner.type.item is not None
    match v:
        case Object() if v.type.key is not None and v.type.item is not None:
            join_slots(cx.learned, owner.type.key, v.type.key)
            join_slots(cx.learned, owner.type.item, v.type.item)
        case Dict():
            for k, x in v.items.items():
                put(cx, owner.type.key, constant(k))
                put(cx, owner.type.item, x)
        case _ if owner.type.cls is collections.Counter:  # counts what is no mapping
            widen(cx.learned, owner.type.key, items_of(cx, v))
            widen(cx.learned, owner.type.item, INT)
        case _:
            for x in v.items if isinstance(v, (Tup, OneShot)) else ():
                escape(cx, x)
            pair = items_of(cx, v)
            known = pair.items if pair.form == "tuple" and len(pair.items) == 2 else (ANY, ANY)
            widen(cx.learned, owner.type.key, known[0])
            widen(cx.learned, owner.type.item, known[1])


def _same_kind(name: str) -> Callable[..., Value]:
    """A method that gives a container like this one."""

    def run(cx: Lowering, owner: Object, /, *args: Value) -> Value:
        for a in args:
            if name in ("union", "symmetric_difference"):
                join_items(cx, owner.type, a)
        return call_by_name(cx, _target(owner, name), [owner, *args], Element("object", object=owner.type))

    return run


def _default(name: str, puts: bool) -> Callable[..., Value]:
    """dict.get, dict.pop and dict.setdefault."""

    def run(cx: Lowering, owner: Object, /, *args: Value) -> Value:
        if owner.type.key is None:
            return call_by_name(cx, _target(owner, name), [owner, *args], item_of(cx, owner))
        if len(args) > 1 and puts:
            put(cx, owner.type.key, args[0])
            put(cx, owner.type.item, args[1])
            found = item_of(cx, owner)
        elif len(args) > 1:
            escape(cx, args[1])
            found = _or_default(cx, owner, element_of(cx, args[1]))
        else:
            found = ANY if name == "get" else item_of(cx, owner)
        return call_by_name(cx, _target(owner, name), [owner, *args], found)

    return run


def _or_default(cx: Lowering, owner: Object, default: Element) -> Element:
    """An item of a dict, or the default. As long as nothing is known of its items it is that: what is made of it may be the first
    of them, as in `d[k] = d.get(k, 0) + 1`."""
    assert owner.type.item is not None
    known = element_read(cx.learned, owner.type.item)
    if known is None and owner.type.item.root.site not in cx.learned.empty:
        return default
    return join_elements(cx.learned, item_of(cx, owner), default)


def _items(cx: Lowering, owner: Object) -> Value:
    both = Element("object", object=ObjectType(None, items=lambda: _pair(cx, owner)))
    return call_by_name(cx, _target(owner, "items"), [owner], both)


def _pair(cx: Lowering, owner: Object) -> Element:
    return Element("tuple", items=(key_of(cx, owner), item_of(cx, owner)))


def _keys(cx: Lowering, owner: Object) -> Value:
    return call_by_name(cx, _target(owner, "keys"), [owner], Element("object", object=ObjectType(None, owner.type.key)))


def _values(cx: Lowering, owner: Object) -> Value:
    return call_by_name(
        cx, _target(owner, "values"), [owner], Element("object", object=ObjectType(None, owner.type.item))
    )


def _popitem(cx: Lowering, owner: Object, *args: Value, **kwargs: Value) -> Value:
    return call_by_name(cx, _target(owner, "popitem"), [owner, *args], _pair(cx, owner), kwargs)


def _get(cx: Lowering, owner: Object, *args: Value, **kwargs: Value) -> Value:
    found: Value | None = item_outside(cx, owner, args[0]) if len(args) in (1, 2) and not kwargs else None
    return _default("get", False)(cx, owner, *args, **kwargs) if found is None else found


_NOTHING = Element("none")


METHODS: dict[str, Callable[..., Value]] = {
    **{n: _adds(n) for n in ("append", "insert", "add", "appendleft")},
    **{n: _adds_all(n) for n in ("extend", "update", "extendleft")},
    **{n: _plain(n, _NOTHING) for n in ("remove", "discard", "clear", "reverse", "sort", "rotate")},
    **{n: _plain(n, INT) for n in ("index", "count")},
    **{n: _plain(n, BOOL) for n in ("issubset", "issuperset", "isdisjoint")},
    **{n: _same_kind(n) for n in ("copy", "union", "intersection", "difference", "symmetric_difference")},
    "popleft": _plain("popleft"),
    "pop": _default("pop", False),
    "get": _get,
    "setdefault": _default("setdefault", True),
    "items": _items,
    "keys": _keys,
    "values": _values,
    "popitem": _popitem,
}


def fields_of(cx: Lowering, v: Object) -> tuple[Element, ...]:
    """What the fields of a record are; nothing if that is not known."""
    return result_of(cx, tuple, [v]).items if v.type.cls is not None and issubclass(v.type.cls, np.void) else ()


def items_of(cx: Lowering, v: Value) -> Element:
    """What iterating over a value gives."""
    match v:
        case Object() if v.type.items is not None:
            return v.type.items()
        case Object() if v.type.key is not None:
            return key_of(cx, v)
        case Object() if v.type.item is not None or v.type.cls in (bytes, bytearray):
            return item_of(cx, v)
        case Object() if v.type.cls is not None and issubclass(v.type.cls, np.void):
            fields = fields_of(cx, v)
            return fields[0] if len({repr(f.declaration) for f in fields}) == 1 else ANY
        case Object() if v.type.cls is not None:
            return result_of(cx, first_item, [v])
        case Tup() | OneShot() if v.items:
            found = element_of(cx, v.items[0])
            for x in v.items[1:]:
                found = join_elements(cx.learned, found, element_of(cx, x))
            return found
        case Arr() if v.ndim == 1:
            return Element("number", v.dtype)
        case RangeVal():
            return INT
    return ANY


@functools.cache
def keeping_methods(but: str = "") -> frozenset[str]:
    """The names of methods of containers that keep an argument, or its items; but: not those that take these so."""
    kept = (n.rpartition(".") for n in table.named("keeps") if not but or table.rows()[n].takes != but)
    return frozenset(name for owner, _, name in kept if owner.startswith(("builtins.", "collections.")))


def adopt_items(cx: Lowering, kind: ObjectType, v: Value) -> None:
    """A variable of this type is assigned `v`, whose items its readers will see."""
    if kind.item is not None and isinstance(v, Tup):
        join_items(cx, kind, v)
