"""What Python does with objects of run time: subscripts, attributes, iteration, comprehensions."""

from __future__ import annotations

import ast
import collections
import operator
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from soljit.base.classes import does_not_get_the_object, has_method, is_of_the_user
from soljit.base.limits import NOT_RAISED
from soljit.base.objects import HERE, class_name, index_array
from soljit.base.signatures import takes
from soljit.frontend_ast.calls.classes import instances
from soljit.frontend_ast.joins.unions import act, has_choice, split
from soljit.frontend_ast.lowering.blocks import Block
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.contents import (
    BOOL,
    INT,
    METHODS_OF_LISTS,
    TEXT,
    container,
    element_of_kind,
    escape,
    is_float_of_either,
    is_list_argument,
    item_of,
    put,
    write_into,
)
from soljit.frontend_ast.objects.iterators import needed, refuse_iterators
from soljit.frontend_ast.objects.methods import METHODS, fields_of, items_of, join_items
from soljit.frontend_ast.objects.objects import call, call_like
from soljit.frontend_ast.objects.results import member_result, result_of
from soljit.frontend_ast.python_api.builtins.folds import visit_any
from soljit.frontend_ast.python_api.library.random_choices import chosen
from soljit.frontend_ast.values.findings import join_slots, new_slot, widen
from soljit.frontend_ast.values.object_types import ANY, Element, ObjectType
from soljit.frontend_ast.values.python_operators import name_of_operator
from soljit.frontend_ast.values.values import (
    ENDLESS,
    NONE,
    Arr,
    Flat,
    Generated,
    Iteration,
    Method,
    Num,
    Object,
    OneShot,
    SliceVal,
    Static,
    Tup,
    Value,
    is_lazy,
    taken,
)
from soljit.frontend_ast.values.variables import Kind
from soljit.ir import nodes, symbolic
from soljit.ir.expr import TRUE, Const, const

_ADDING = ("append", "appendleft", "extend", "extendleft", "insert", "add", "update", "setdefault")
_KEEPING = ("append", "appendleft", "add", "insert", "setdefault")  # methods that keep an argument itself


def identical(cx: Lowering, a: Value, b: Value) -> Value:
    """`a is b`."""
    for x, y in ((a, b), (b, a)):
        may_be = isinstance(y, Object) and (y.type.cls is None or issubclass(y.type.cls, tuple))
        if may_be and isinstance(x, Tup) and not x.mutable and x.items:
            raise cx.unsupported("'is' between tuples that may or may not be one object", "compare with ==")
    if isinstance(a, Object) and isinstance(b, Object) and a.data == b.data:
        return Num(TRUE, True)
    return call(cx, HERE + "is_same", [a, b], BOOL)


def throw(cx: Lowering, name: str, args: list[Value]) -> None:
    """Raise an exception of this dotted name, whose arguments only the run tells."""
    call(cx, HERE + "throw", [Static(name), *args])
    cx.raise_("SystemError", NOT_RAISED)


def contains(cx: Lowering, owner: Value, item: Value) -> Value:
    """`item in owner`."""
    return call(cx, "operator.contains", [owner, item], BOOL)


# --- subscripts and attributes --------------------------------------------------------------------------------------------


def get_item(cx: Lowering, owner: Object, index: Value) -> Value:
    """`owner[index]`."""
    cls = owner.type.cls
    part = isinstance(index, SliceVal)
    if cls in (list, tuple, str, bytes, bytearray) or (part and cls is None and owner.type.item is not None):
        found = Element("object", object=owner.type) if part else item_of(cx, owner)
    elif cls is np.ndarray and isinstance(index, Num) and index.dtype.is_int and owner.type.items is not None:
        found = owner.type.items()
    elif owner.type.item is not None:
        found = item_of(cx, owner)
        if cls is not None and hasattr(cls, "__missing__"):  # reading may put a key into the dict
            put(cx, owner.type.key, index)
    else:
        found = result_of(cx, operator.getitem, [owner, index])
    return call(cx, "operator.getitem", [owner, index], found)


def get_in_text(cx: Lowering, text: Static, index: Value) -> Value:
    """`text[index]` of a text that is known."""
    return call(cx, "operator.getitem", [text, index], TEXT)


def set_item(cx: Lowering, owner: Object, index: Value, value: Value) -> None:
    """`owner[index] = value`."""
    if is_float_of_either(value):
        act(cx, [value], lambda vs: set_item(cx, owner, index, vs[0]))
        return
    write_into(cx, owner)
    if isinstance(index, SliceVal):
        value = settled(cx, value)
        join_items(cx, owner.type, value)
    else:
        refuse_iterators(cx, value)
        put(cx, owner.type.key, index)
        put(cx, owner.type.item, value)
    call(cx, "operator.setitem", [owner, index, value], changes=owner.type.cls is None)


def adopt(cx: Lowering, kind: ObjectType, v: Value) -> None:
    """A variable of this type is assigned `v`, whose items its readers will see."""
    if kind.item is not None and isinstance(v, Tup):
        join_items(cx, kind, v)


def tuple_of_kinds(cx: Lowering, kinds: Sequence[Kind]) -> ObjectType:
    """The type of a tuple whose length only the run tells."""
    made = replace(container(cx, tuple), gathers=True)
    assert made.item is not None
    for k in kinds:
        if k.form == "object":
            assert k.object is not None and k.object.item is not None
            join_slots(cx.learned, made.item, k.object.item)
        else:
            for x in k.items:
                widen(cx.learned, made.item, element_of_kind(cx, x))
    return made


def unpack(cx: Lowering, v: Object, count: int, star: int) -> list[Value]:
    """The items of an object for `count` targets."""
    rest = Element("object", object=ObjectType(list, v.type.item))
    parts = fields_of(cx, v) if star < 0 else ()
    if len(parts) != count:
        parts = tuple(rest if k == star else items_of(cx, v) for k in range(count))
    found = call(cx, HERE + "unpack", [v, *(Num(const(k), True) for k in (count, star))], Element("tuple", items=parts))
    assert isinstance(found, Tup)
    return found.items


def store(cx: Lowering, owner: Arr | Flat, index: Value, value: Value) -> None:
    """`owner[index] = value` for an array or its `flat`, as NumPy converts the object."""
    function, a = (HERE + "set_flat", owner.array) if isinstance(owner, Flat) else ("operator.setitem", owner)
    _whole_window(cx, a)
    call(cx, function, [a, index, value], changes=True)


def update_array(cx: Lowering, kind: type[ast.AST], target: Arr, value: Value) -> None:
    """`target <op>= value` for an array."""
    _whole_window(cx, target)
    call(cx, HERE + "in_place", [Static(name_of_operator(kind, in_place=True)), target, value], changes=True)


def _whole_window(cx: Lowering, a: Arr) -> None:
    if a.window() is None or not a.writable:
        raise cx.unsupported("storing an object in an array that is read-only or repeats elements")


def delete_item(cx: Lowering, owner: Object, index: Value) -> None:
    """`del owner[index]`."""
    call(cx, "operator.delitem", [owner, index])


def attribute(cx: Lowering, owner: Object, name: str) -> Value:
    """`owner.name`."""
    cls = owner.type.cls
    if owner.type.fields is not None:
        return instances.attribute(cx, owner, name)
    of_list = cls is None and name in METHODS_OF_LISTS and is_list_argument(cx, owner)
    if of_list or (has_method(cls, name) if cls is not None else owner.type.item is not None):
        return Method(owner, name)
    if cls is None:
        if name in _ADDING:
            write_into(cx, owner)
        return call(cx, "builtins.getattr", [owner, Static(name)], ANY)
    like = member_result(cx, owner, name, (), {})
    return call(cx, "builtins.getattr", [owner, Static(name)], ANY if like.form == "none" else like)


def method(cx: Lowering, owner: Object, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """`owner.name(...)`."""
    if any(map(has_choice, args)):
        return split(cx, args, lambda values: method(cx, owner, name, values, kwargs))
    compiled = instances.method(cx, owner, name, args, kwargs)
    if compiled is not None:
        return compiled
    if owner.type.cls is random.Random and name == "choice" and len(args) == 1 and not kwargs:
        at_random = chosen(cx, lambda a: method(cx, owner, "randrange", a, {}), args[0])
        if at_random is not None:
            return at_random
    if name in _KEEPING:
        refuse_iterators(cx, *args)
    if name == "shuffle" and any(isinstance(a, Flat) for a in args):
        raise cx.unsupported("shuffling a.flat", "shuffle the array")
    if len(args) == 1 and not kwargs and is_lazy(args[0]) and (owner.type.cls, name) in _ONE_BY_ONE:
        _add_each(cx, owner, name, args[0])
        return NONE
    args = [settled(cx, a) for a in args]
    if name == "sort" and "key" in kwargs and not cx.objects.is_library(kwargs["key"]):
        return cx.objects.sort_by(cx, owner, kwargs["key"], kwargs.get("reverse"))  # type: ignore[no-any-return]
    cls, handler = owner.type.cls, METHODS.get(name) if owner.type.item is not None else None
    if cls is not None and handler is not None and takes(handler, cx, owner, *args, **kwargs):
        return handler(cx, owner, *args, **kwargs)
    if cls is None and name in _ADDING:
        write_into(cx, owner)
    if cls is None or is_of_the_user(cls):  # the class, or the object itself, may have another method by then
        for a in (*args, *kwargs.values()):
            escape(cx, a)
        if name in METHODS_OF_LISTS and not kwargs and is_list_argument(cx, owner):
            return call(cx, f"builtins.list.{name}", [owner, *args], METHODS_OF_LISTS[name])
        return call(cx, HERE + "call_method", [owner, Static(name), *args], ANY, kwargs, changes=True)
    writes = name in ("shuffle", "bytes") or "out" in kwargs
    generator = issubclass(cls, (np.random.Generator, np.random.RandomState))
    if name == "shuffle" or cls not in (str, bytes) and not generator:
        for a in (*args, *kwargs.values()):
            escape(cx, a)
    if does_not_get_the_object(cls, name):
        alone: Value = cx.call(cx, Static(getattr(cls, name)), args, kwargs)
        return alone
    found = member_result(cx, owner, name, args, kwargs)
    made = call(
        cx,
        f"{class_name(cls)}.{name}",
        [owner, *args],
        found,
        kwargs,
        changes=writes,
        fresh=not issubclass(cls, np.ndarray),
    )
    return kwargs.get("out", made)


_ONE_BY_ONE: dict[tuple[type | None, str], str] = {
    (list, "extend"): "append",
    (collections.deque, "extend"): "append",
    (collections.deque, "extendleft"): "appendleft",
    (set, "update"): "add",
    (dict, "update"): "",
}


def _add_each(cx: Lowering, owner: Object, name: str, v: Value) -> None:
    """`owner.name(v)` for an iterator: each item is computed when those before it are there."""
    each = _ONE_BY_ONE[owner.type.cls, name]

    def add(x: Value) -> None:
        if each:
            method(cx, owner, each, [x], {})
        elif isinstance(x, Tup) and len(x.items) == 2:
            set_item(cx, owner, *x.items)
        else:
            method(cx, owner, "update", [Tup([x])], {})

    if isinstance(v, OneShot):
        for step in v.one_by_one:
            add(taken(step))
    else:
        visit_any(cx, v, add)


# --- iteration --------------------------------------------------------------------------------------------------------


@contextmanager
def steps(cx: Lowering, v: Value) -> Iterator[tuple[Block, Value]]:
    """A loop over the items of an object, in Python's own way: the body and the item."""
    it = call(cx, HERE + "steps", [v], Element("object", object=ObjectType(None)))
    with cx.block(TRUE) as body:
        more = call(cx, HERE + "has_next", [it], BOOL)
        assert isinstance(more, Num)
        with cx.block() as leave:
            cx.emit(nodes.Break())
        cx.branch(symbolic.negate(more.expr), leave)
        yield body, call(cx, HERE + "take", [it], items_of(cx, v))
    cx.emit(nodes.While(TRUE, body))  # type: ignore[arg-type]


def settled(cx: Lowering, v: Value) -> Value:
    """What a function takes the items of: comprehensions and iterations over lengths that only the run tells, as lists."""
    if isinstance(v, OneShot):
        return Tup(v.items)
    if isinstance(v, (Generated, Iteration, Flat)):
        return list_of_steps(cx, v)
    return v


def as_index(cx: Lowering, v: Object) -> Value:
    """An object as an index of an array: an integer, or what Python finds it to be."""
    if v.type.cls in (list, tuple):
        return call_like(cx, HERE + "index_array", index_array, [v])
    return call(cx, "operator.index", [v], INT)


def sample_text(cx: Lowering, v: Value) -> str:
    """How a message shows a value that is known."""
    match v:
        case Num() if isinstance(v.expr, Const):
            return repr(v.expr.value)
        case Static():
            return repr(v.obj)
    raise cx.unsupported("a message about a value that is not known at compile time")


def empty_list(cx: Lowering, part: str) -> Object:
    """A new list for what a call needs on its way. part: which of them; it does not hold what a list that is made here holds"""
    kind = ObjectType(list, new_slot(cx.learned, cx.loc, part))
    made = call(cx, HERE + "same", [Tup([], None, True)], Element("object", object=kind))
    assert isinstance(made, Object)
    return made


def list_of_results(cx: Lowering, v: Value, f: Callable[[Value], Value]) -> Object:
    """A Python list of what `f` gives for each item."""
    made = empty_list(cx, "result")
    visit_any(cx, v, lambda x: method(cx, made, "append", [f(x)], {}))
    return made


def list_of_steps(cx: Lowering, v: Value) -> Object:
    """A Python list of what an iteration gives."""
    source = v.source if isinstance(v, Generated) and not v.is_list else v
    if isinstance(source, Iteration) and cx.prove(symbolic.ge(source.length, const(ENDLESS))):
        needed(cx, v)
        raise cx.unsupported("all items of an iterator that has no end", "use it in a for loop that is left by break")
    return list_of_results(cx, v, lambda x: x)
