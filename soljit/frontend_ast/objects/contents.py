"""What Python objects hold: the elements of values, and what happens to a value that goes into a container."""

from __future__ import annotations

import builtins
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from typing import Any, NoReturn, TypeGuard

import numpy as np

from soljit.base.errors import ObjectNeeded
from soljit.base.knowledge import pure
from soljit.base.place import Loc
from soljit.base.python.arrays import is_writable
from soljit.base.python.classes import class_answers_for_itself, is_named_tuple
from soljit.base.python.names import leads_to
from soljit.base.python.object_names import class_name
from soljit.frontend_ast.arrays.array_variables import order_of
from soljit.frontend_ast.arrays.kinds import kind_of
from soljit.frontend_ast.arrays.object_identity import identity_of, views_of
from soljit.frontend_ast.lowering.blocks import Unreachable
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.foreign_arrays import foreign, is_foreign
from soljit.frontend_ast.objects.iterators import refuse_iterators
from soljit.frontend_ast.values.learned import Restart, element_read, give_away, new_slot, widen
from soljit.frontend_ast.values.object_types import ANY, NOTHING, Element, ObjectType, Slot, Unknown
from soljit.frontend_ast.values.values import (
    Arr,
    Dict,
    Instance,
    Lazy,
    Num,
    Object,
    RangeVal,
    SliceVal,
    Static,
    Tup,
    Union,
    Value,
)
from soljit.frontend_ast.values.variables import Kind
from soljit.ir import symbolic
from soljit.ir.core.data import Array
from soljit.ir.core.expr import Const, Expr
from soljit.ir.core.types import PYTHON_TYPES, b1, f64, from_numpy, i64
from soljit.support.declarations import axes_in_memory
from soljit.support.objects import HERE

INT, FLOAT, BOOL = Element("number", i64, True), Element("number", f64, True), Element("number", b1, True)


TEXT = Element("object", object=ObjectType(str))


def of_class(cls: type) -> Element:
    """An object of a class without items. A class that no name leads to, such as those of functions, is not asked for."""
    if "<locals>" in cls.__qualname__ or (cls.__module__ == "builtins" and not hasattr(builtins, cls.__name__)):
        return ANY
    if not leads_to(class_name(cls), cls):
        return ANY
    return TEXT if cls is str else Element("object", object=ObjectType(cls))


def sample_of(cx: Lowering, v: Value, n: int, apart: bool = False) -> Any:
    """An example of what the value is at run time, with lengths `n`: whatever its type tells, and constants as they are.

    Examples for NumPy's functions (`probes.py`) are those of operands, have the lengths that are known, and follow the sizes of a call.
    apart: the numbers in an array, a list or a tuple differ
    """
    match v:
        case Object():
            return v.type.sample(n)
        case Num() if v.weak and isinstance(v.expr, Const):
            return v.expr.value
        case Num():
            return element_of(cx, v).sample(n)
        case Arr() | Lazy():
            return element_of(cx, v).sample(n, int(apart))
        case Tup():
            apart = apart and all(isinstance(x, Num) for x in v.items)
            items = [sample_of(cx, x, n + k if apart else n) for k, x in enumerate(v.items)]
            if v.cls is not None and not is_named_tuple(v.cls):
                raise Unknown  # making an instance may do anything
            return items if v.mutable else tuple.__new__(v.cls or tuple, items)
        case Dict() if v.cls is None:
            return {k: sample_of(cx, x, n) for k, x in v.items.items()}
        case Static():
            try:
                return pure.copied(v.obj)
            except pure.Impure as e:
                raise Unknown from e
        case SliceVal():
            return slice(*[None if x is None else sample_of(cx, x, n) for x in (v.start, v.stop, v.step)])
        case RangeVal():
            return range(n)
    raise Unknown


def element_of(cx: Lowering, v: Value) -> Element:
    """What a container that holds this value holds."""
    match v:
        case Num():
            return Element("number", v.dtype, v.weak)
        case Arr() | Lazy():
            order = order_of(cx, v) if isinstance(v, Arr) else "C" if v.rank == tuple(range(v.ndim)) else "A"
            return Element(
                "array", v.dtype, ndim=v.ndim, order=order, rank=v.rank, writable=not isinstance(v, Arr) or v.writable
            )
        case Object():
            return Element("object", object=v.type)
        case Tup() if not v.mutable and (v.cls is None or is_named_tuple(v.cls)):
            return tuple_of(cx, [element_of(cx, x) for x in v.items], v.cls)
        case Static():
            return element_of_static(v)
        case Union() if is_float_of_either(v):
            return Element("number", f64, None)
    return ANY


def element_of_kind(cx: Lowering, k: Kind) -> Element:
    """What a container of values of this type holds."""
    match k.form:
        case "scalar":
            return Element("number", k.dtype, k.weak)
        case "union" if _are_floats(k.items):
            return Element("number", f64, None)
        case "tuple" if k.cls is None or is_named_tuple(k.cls):
            return tuple_of(cx, [element_of_kind(cx, x) for x in k.items], k.cls)
        case "object":
            return Element("object", object=k.object)
        case "static" if isinstance(k.value, Static):
            return element_of_static(k.value)
    return ANY


def float_of_either(cx: Lowering, tag: Expr, number: Expr) -> Union:
    """A float of Python's (the tag is 0) or of NumPy's (1)."""
    return Union(tag, tuple(kind_of(cx, Num(number, weak)) for weak in (True, False)), (), number)


def is_float_of_either(v: Value) -> bool:
    """Tell whether it is a float of Python's or of NumPy's, as the run tells."""
    return isinstance(v, Union) and v.wide is not None and _are_floats(v.kinds)


def _are_floats(kinds: Sequence[Kind]) -> bool:
    return all(k.form == "scalar" and k.dtype is f64 for k in kinds)


def seen_by_python(cx: Lowering, a: Arr, operand: Any) -> Any:  # templates
    """The template of an array that a container may hold: the dispatcher takes what shows all of an array for that array itself."""
    d = cx.data[a.data]
    as_given = isinstance(d, Array) and not d.transient and (a.whole or not d.writable)
    if not a.writable and not as_given:
        return {"call": [HERE + ("frozen" if a.whole else "frozen_view"), [operand]]}
    if a.whole or not any(_may_show_all(cx, a, root) for root in cx.roots_of(a.data)):
        return operand
    return {"call": [HERE + "view", [operand]]}


def _may_show_all(cx: Lowering, a: Arr, root: str) -> bool:
    """Tell whether this view may show all of the array that was made as `root`, or of one that only the run knows."""
    d = cx.data[root]
    if not isinstance(d, Array):
        return True
    if (d.dtype, len(d.shape)) != (a.dtype, a.ndim):
        return False
    return all(cx.prove(symbolic.eq(n, m)) is not False for n, m in zip(a.shape, d.shape))


def tuple_of(cx: Lowering, items: Sequence[Element], cls: type | None) -> Element:
    """A tuple, taken apart into its items, unless it matters which object it is."""
    return ANY if cx.learned.tuples else Element("tuple", items=tuple(items), cls=cls)


def element_of_static(v: Static) -> Element:
    """What a container that holds this constant holds."""
    if type(v.obj) is int:  # beyond 64 bits
        return Element("object", object=ObjectType(int, make=lambda n: v.obj))
    return NOTHING if v.obj is None else of_class(type(v.obj))


def element_like(cx: Lowering, sample: Any, part: str = "result") -> Element:
    """The element that an example stands for."""
    if sample is None:
        return Element("none")  # not NOTHING: that it is None is looked at
    if is_foreign(sample):
        return foreign(sample, partial(element_like, cx))
    if isinstance(sample, np.generic):
        return Element("number", from_numpy(sample.dtype))
    if type(sample) in PYTHON_TYPES:
        return Element("number", PYTHON_TYPES[type(sample)], True)
    if isinstance(sample, np.ndarray):
        dtype = from_numpy(sample.dtype)
        assert dtype is not None
        order = "C" if sample.flags.c_contiguous else "F" if sample.flags.f_contiguous else "A"
        rank = axes_in_memory(sample) if order == "A" else rank_of(order, sample.ndim)
        return Element("array", dtype, ndim=sample.ndim, order=order, rank=rank, writable=is_writable(sample))
    if type(sample) is tuple or is_named_tuple(type(sample)):
        cls = None if type(sample) is tuple else type(sample)
        return tuple_of(cx, [element_like(cx, x, part) for x in sample], cls)
    if type(sample) in (list, set, frozenset):
        return Element("object", object=ObjectType(type(sample), slot_like(cx, sample, part)))
    if isinstance(sample, dict):
        key, item = slot_like(cx, dict.keys(sample), part + " key"), slot_like(cx, dict.values(sample), part)
        return Element("object", object=ObjectType(type(sample), item, key))
    return ANY if type(sample) is pure.Anything else of_class(type(sample))


def type_of_outside(cls: type) -> ObjectType:
    """The type of an object outside that is looked up at each call; of which class it is then, is known of generators only."""
    return type_of_argument(cls) if cls in (np.random.Generator, np.random.RandomState) else ObjectType(None)


def type_of_argument(cls: type) -> ObjectType:
    """The type of an argument of this class."""
    if issubclass(cls, (list, set, frozenset, dict)):
        return ObjectType(None)
    if class_answers_for_itself(cls):
        return ObjectType(None)
    if cls is np.random.Generator:
        return ObjectType(cls, make=lambda n: np.random.default_rng(0))
    return ObjectType(cls)


def type_of_container(cx: Lowering, value: Any, name: str) -> ObjectType:
    """The type of a list, dict or set that exists already, by what it holds now."""
    found = element_like(cx, value, f"global {name}").object
    assert found is not None
    return found


def type_of_array(cx: Lowering, dtype: np.dtype[Any], ndim: int) -> ObjectType:
    """The type of an array whose elements are of no type of soljit's."""
    found = foreign(np.zeros((2,) * ndim, dtype), partial(element_like, cx)).object
    assert found is not None
    return found


def rank_of(order: str, ndim: int) -> tuple[int, ...]:
    """The axes of a contiguous array from slowest to fastest."""
    return tuple(range(ndim)) if order == "C" else tuple(range(ndim))[::-1]


def slot_like(cx: Lowering, items: Any, part: str) -> Slot:
    """A slot for the items of an example."""
    slot = new_slot(cx.learned, cx.loc, part)
    for x in items:
        widen(cx.learned, slot, element_like(cx, x, part + " item"))
    return slot


def container(
    cx: Lowering, cls: type, items: Sequence[Value] = (), keys: Sequence[Value] | None = None, part: str = ""
) -> ObjectType:
    """The type of a container made here that holds these items. `part`: what it is, where several are made at one place."""
    item = new_slot(cx.learned, cx.loc, part + "item")
    for x in items:
        put(cx, item, x)
    if keys is None:
        return ObjectType(cls, item)
    key = new_slot(cx.learned, cx.loc, part + "key")
    for x in keys:
        put(cx, key, x)
    return ObjectType(cls, item, key)


def put(cx: Lowering, slot: Slot | None, v: Value) -> None:
    """An item goes into a container: the container's type learns of it, and arrays in it are held from now on."""
    refuse_iterators(cx, v)
    escape(cx, v)
    if slot is not None:
        widen(cx.learned, slot, element_of(cx, v))


def write_into(cx: Lowering, owner: Object) -> None:
    """The object is about to change. Where nothing is known of it, it may be any of those that were lost sight of."""
    if owner.type.cls is None and not cx.learned.blind:
        cx.learned.blind = cx.learned.changed = True


def hand_over(cx: Lowering, values: Collection[Value]) -> None:
    """Code that nobody has looked at gets these values, keeps them, and may put anything into the containers in them."""
    grow_all(cx, [v for v in values if is_growing(v)])
    for v in values:
        escape(cx, v)
        give_away(cx.learned, element_of(cx, v))


def is_growing(v: Value) -> TypeGuard[Tup | Dict]:
    """Tell whether this is a list or dict that is known while compiling."""
    return isinstance(v, Dict) or (isinstance(v, Tup) and v.mutable)


def escape(cx: Lowering, v: Value) -> None:
    """An object will hold this value: a list must be a Python object from the start, an array may be seen through the object."""
    match v:
        case Tup() if v.mutable:
            grow(cx, v)
        case Tup():
            for x in v.items:
                escape(cx, x)
        case Dict():
            grow(cx, v)
        case Arr():
            if not cx.learned.views and views_of(identity_of(cx, v).objects):
                cx.learned.views = True
                cx.learned.changed |= cx.learned.identity
            new = cx.roots_of(v.data) - cx.learned.held - {cx.held_root()}
            if new:
                cx.learned.held |= new
                cx.learned.changed = True


def grow(cx: Lowering, v: Tup | Dict) -> NoReturn:
    """This list or dict must be a Python object: lower again with that in mind."""
    grow_all(cx, [v])
    raise Restart


def grow_all(cx: Lowering, values: Sequence[Tup | Dict]) -> None:
    """The same of several, which may be none."""
    if given := [place for x, place in cx.containers if any(x is v for v in values)]:
        raise ObjectNeeded(*given)
    for v in values:
        if v.site is None or v.site in cx.learned.dynamic:
            raise cx.unsupported(
                f"an argument or constant that is a {'dict' if isinstance(v, Dict) else 'list'} changes or is stored",
                "copy it with list(...) or dict(...) first",
            )
    for site in [site for v in values for site in _sites(v)]:
        cx.learned.dynamic.add(site)
        cx.learned.grown.setdefault(site, cx.loc)
    if values:
        raise Restart


def _sites(v: Value) -> Iterator[Loc]:
    """Where a list or dict is made, and those in it, which become objects with it."""
    if isinstance(v, (Tup, Dict)) and not isinstance(v, Instance):
        if v.site is not None:
            yield v.site
        for x in v.items if isinstance(v, Tup) else v.items.values():
            yield from _sites(x)


def grow_if_held(cx: Lowering, owner: Tup | Dict, *values: Value) -> None:
    """A list, dict or instance that is put into itself must be a Python object: what is known while compiling is a tree."""
    if any(_holds(v, owner) for v in values):
        grow(cx, owner)


def _holds(v: Value, owner: Value) -> bool:
    if v is owner:
        return True
    items = v.items if isinstance(v, Tup) else v.items.values() if isinstance(v, Dict) else ()
    return any(_holds(x, owner) for x in items if isinstance(x, (Tup, Dict)))


def item_of(cx: Lowering, owner: Object) -> Element:
    """What reading an item of a container gives."""
    if owner.type.item is None:
        return TEXT if owner.type.cls is str else INT if owner.type.cls in (bytes, bytearray) else ANY
    return read_slot(cx, owner.type.item)


def read_slot(cx: Lowering, slot: Slot) -> Element:
    """What the items are. Where none is known of, the rest of this path is left for the next round; other paths will tell."""
    found = element_read(cx.learned, slot)
    if found is not None:
        return found
    site = slot.root.site
    assert site is not None
    if site in cx.learned.empty:  # nothing is ever put in
        return ANY
    cx.learned.unknown.add(site)
    raise Unreachable


def key_of(cx: Lowering, owner: Object) -> Element:
    """What the keys of a dict are; the items of anything else."""
    return item_of(cx, owner) if owner.type.key is None else read_slot(cx, owner.type.key)


# Methods of lists that run no code of their items, and what they give.
METHODS_OF_LISTS = {**dict.fromkeys(("append", "insert", "clear", "reverse"), Element("none")), "pop": ANY}


def is_list_argument(cx: Lowering, v: Object) -> bool:
    """Tell whether this is an argument that is a list, of which nothing more is known."""
    return v.param and any(p.name == v.data and p.container == "list" for p in cx.params)
