"""Python objects of run time: made, held, read, and given to callbacks.

`call` is the one way to do something with an object: a callback of a Python function, whose result is declared as an `Element`. What a result is
follows from the classes of the operands: by the container's slot, or by trying the function on examples.
"""

from __future__ import annotations

import enum
import operator
import types
from collections.abc import Sequence
from typing import Any

import numpy as np

from soljit.base.errors import UnsupportedError
from soljit.base.place import Loc
from soljit.base.python.classes import is_class_with_a_name, is_found, is_users_function
from soljit.base.python.names import leads_to
from soljit.base.python.object_names import class_name, member_name, ufunc_name
from soljit.frontend_ast.arrays.array_variables import bound_array, new_ref
from soljit.frontend_ast.arrays.memlets import as_it_is
from soljit.frontend_ast.lowering.caught import Caught
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.contents import (
    BOOL,
    INT,
    container,
    element_like,
    escape,
    float_of_either,
    grow,
    seen_by_python,
)
from soljit.frontend_ast.objects.exposure import expose
from soljit.frontend_ast.objects.held_by_results import held_by_result
from soljit.frontend_ast.objects.iterators import needed
from soljit.frontend_ast.objects.results import result_of
from soljit.frontend_ast.values.constants import constant
from soljit.frontend_ast.values.descriptions import describe
from soljit.frontend_ast.values.learned import Restart
from soljit.frontend_ast.values.object_types import ANY, NOTHING, Element, ObjectType
from soljit.frontend_ast.values.values import (
    NONE,
    Arr,
    CompileTime,
    Dict,
    DictView,
    Func,
    Lazy,
    Method,
    Num,
    Object,
    RangeVal,
    SliceVal,
    Static,
    Tup,
    Union,
    Value,
)
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.expr import Const, Expr, Memlet, Sym, const
from soljit.ir.core.types import PYTHON_NAMES, from_numpy, i64, obj
from soljit.support.objects import HERE
from soljit.support.unforeseen import Site

# --- operands ---------------------------------------------------------------------------------------------------------


class Operands:
    """Collects the operands of a callback while templates of its arguments are made."""

    def __init__(self, cx: Lowering) -> None:
        self.cx = cx
        self.ins: list[Memlet | Expr] = []
        self.values: list[Num | Arr | Object] = []  # what these are

    def _operand(self, v: Num | Arr | Object, x: Memlet | Expr) -> dict[str, int]:
        self.values.append(v)
        self.ins.append(x)
        return {"$": len(self.ins) - 1} | ({"weak": True} if isinstance(v, Num) and v.weak else {})

    def array(self, a: Arr, operand: dict[str, int]) -> Any:  # JSON
        """The template of an array that is this operand."""
        return seen_by_python(self.cx, a, operand)

    def template(self, v: Value) -> Any:  # JSON
        """The template of one argument."""
        cx = self.cx
        match v:
            case Object():
                return self._operand(v, Sym(v.data) if v.param else Memlet(v.data))
            case Num() if v.weak and isinstance(v.expr, Const):
                value = v.expr.value
                return {"complex": [value.real, value.imag]} if isinstance(value, complex) else value
            case Num():
                return self._operand(v, cx.let(v.expr))
            case Arr() | Lazy():
                a, window = as_it_is(cx, v)
                return self.array(a, self._operand(a, window))
            case DictView():
                return self.template(view_of(cx, v))
            case Tup():
                items = [self.template(x) for x in v.items]
                if v.cls is not None and hasattr(v.cls, "_fields"):
                    return {
                        "call": ["soljit.support.instances.make_named_tuple", [{"name": class_name(v.cls)}, *items]]
                    }
                if v.cls is not None:
                    return {"call": [class_name(v.cls), items]}
                return items if v.mutable else {"tuple": items}
            case Dict() if v.cls is None:
                pairs = [{"tuple": [self.template(constant(k)), self.template(x)]} for k, x in v.items.items()]
                return {"call": [HERE + "make_dict", [pairs]]}
            case Dict():
                grow(cx, v)
            case Union():
                return self.template(cx.above.held_union(cx, v))
            case Static(obj=Caught() as caught):
                return self.template(exception_of(cx, caught))
            case Func():
                return self.template(cx.above.function_object(cx, v))
            case Static(obj=CompileTime(site=Loc() as site)) if site not in cx.learned.dynamic:
                cx.learned.dynamic.add(site)
                raise Restart
            case Static():
                return self.static(v.obj)
            case Method(owner=(Tup() | Dict()) as owner):
                grow(cx, owner)
            case Method(owner=(Object() | Static() | Num() | Arr()) as owner):
                return self.template(call_by_name(cx, "builtins.getattr", [owner, Static(v.name)], ANY))
            case SliceVal():
                return {"slice": [None if x is None else self.template(x) for x in (v.start, v.stop, v.step)]}
            case RangeVal():
                return {"call": ["range", [self.template(Num(e, True)) for e in (v.start, v.stop, v.step)]]}
        needed(cx, v)
        raise cx.unsupported(f"{describe(v)} where a Python object is needed")

    def static(self, value: Any) -> Any:
        """The template of a constant."""
        if value is None or type(value) in (str, bool, float):
            return value
        if type(value) is int:
            return value if i64.lowest <= value <= i64.highest else {"call": ["int", [str(value)]]}
        if value is Ellipsis:
            return {"ellipsis": True}
        if value is np.ma.masked or value is NotImplemented:
            return {"name": "numpy.ma.masked" if value is np.ma.masked else "NotImplemented"}
        if isinstance(value, np.dtype) and value.isbuiltin != 2:
            return self._dtype(value)
        if isinstance(value, (np.finfo, np.iinfo)):
            return {"call": [f"numpy.{type(value).__name__}", [self.static(np.dtype(value.dtype))]]}
        if type(value) is dict:
            pairs = [{"tuple": [self.template(constant(x)) for x in kv]} for kv in value.items()]
            return {"call": [HERE + "make_dict", [pairs]]}
        if type(value) in (set, frozenset):
            return {"call": [type(value).__name__, [[self.template(constant(x)) for x in value]]]}
        if isinstance(value, bytes):
            return {"call": ["bytes", [list(value)]]}
        if isinstance(value, (operator.itemgetter, operator.attrgetter)):
            return {"call": [class_name(type(value)), [self.template(constant(x)) for x in value.__reduce__()[1]]]}
        if isinstance(value, types.UnionType):
            return {"call": ["functools.reduce", [{"name": "operator.or_"}, [*map(self.static, value.__args__)]]]}
        if isinstance(value, slice):
            return {"slice": [self.template(constant(x)) for x in (value.start, value.stop, value.step)]}
        if (name := member_name(value) or ufunc_name(value)) is not None and leads_to(name, value):
            return {"name": name}
        if isinstance(value, enum.Flag):  # several members together
            return {"call": [class_name(type(value)), [value.value]]}
        if (is_users_function(value) or not callable(value)) and (
            found := self.cx.above.fetched(self.cx, value)
        ) is not None:
            return self.template(found)
        if is_class_with_a_name(value) or not isinstance(value, type) and callable(value) and is_found(value):
            return {"name": class_name(value)}
        if (found := self.cx.above.fetched(self.cx, value)) is not None:
            return self.template(found)
        raise self.cx.unsupported(f"{value!r} where a Python object is needed")

    def _dtype(self, value: np.dtype[Any]) -> Any:
        """A dtype: of numbers, the very object if something leads to it, or one that is made of the same parts."""
        if (t := from_numpy(value)) is not None and value.metadata is None:
            return {"dtype": t.name}
        if (found := self.cx.above.fetched(self.cx, value)) is not None:
            return self.template(found)
        try:
            return {"call": [HERE + "make_dtype", [self.template(constant(x)) for x in value.__reduce__()]]}
        except UnsupportedError as e:
            text = f"{value!r}, a dtype to which no name leads, with metadata that cannot be written out: {e.message}"
            raise self.cx.unsupported(text, "give it a name in the module") from None


# --- results ----------------------------------------------------------------------------------------------------------


def call_by_name(
    cx: Lowering,
    target: str,
    args: Sequence[Value],
    result: Element = NOTHING,
    kwargs: dict[str, Value] | None = None,
    *,
    changes: bool = False,
    fresh: bool = False,
) -> Value:
    """Call the Python function of this dotted name.

    changes: it may write into the arrays that it gets
    fresh:   arrays in its result are new
    """
    came = cx.foreseen.get(Site.at(cx.loc, target), ())
    if came and result is not NOTHING:
        kinds = [element_like(cx, x) for x in came]
        result = kinds[0] if all(k.declaration == kinds[0].declaration for k in kinds) else ANY
    held_by_result(cx, result, fresh, (*args, *(kwargs or {}).values()))
    expose(cx, target, (*args, *(kwargs or {}).values()))
    cx.above.before_call(cx, target, (*args, *(kwargs or {}).values()))
    t = Operands(cx)
    templates = tuple(t.template(a) for a in args)
    named = {k: t.template(v) for k, v in (kwargs or {}).items()}
    outs: list[str] = []
    made = declare(cx, result, outs, target.rpartition(".")[2], frozenset() if fresh else None)
    written = {m.data for m in t.ins if isinstance(m, Memlet) and (changes or cx.data[m.data].dtype is obj)}
    declaration = result.declaration if outs or result is not NOTHING else None
    cx.emit(nodes.Callback(target, tuple(outs), tuple(t.ins), templates, named, tuple(sorted(written)), declaration))
    return read(cx, made)


def declare(cx: Lowering, e: Element, outs: list[str], hint: str, origins: frozenset[str] | None = None) -> Any:
    """Containers for the leaves of a result, for `read`. origins: the arrays that those in it may be; None: any that objects hold"""
    match e.form:
        case "number":
            names = [cx.scalar(t, hint) for t in (i64, e.dtype)[e.weak is not None :] if t is not None]
            outs += names
            return (e, names)
        case "array":
            assert e.dtype is not None
            roots = frozenset((cx.held_root(),)) if origins is None else origins
            outs.append(new_ref(cx, e.dtype, e.ndim, e.order, roots, hint))
            return (e, outs[-1])
        case "tuple" | "list":
            return (e, [declare(cx, x, outs, hint, origins) for x in e.items])
        case "none":
            return (e, "")
    outs.append(new_holder(cx, hint))
    return (e, outs[-1])


def new_holder(cx: Lowering, hint: str) -> str:
    """A Ref for an object."""
    return new_ref(cx, obj, 0, "C", frozenset((cx.held_root(),)), hint)


def read(cx: Lowering, made: Any) -> Value:
    """The value that containers received."""
    e, name = made
    match e.form:
        case "number":
            *tags, number = (cx.let(cx.read(n), n) for n in name)
            return float_of_either(cx, tags[0], number) if tags else Num(number, bool(e.weak))
        case "array":
            assert e.dtype is not None
            return bound_array(cx, name, e.dtype, e.rank, e.writable)
        case "tuple":
            return Tup([read(cx, x) for x in name], e.cls)
        case "list":
            return list_of(cx, [read(cx, x) for x in name])
        case "none":
            return NONE
    return Object(name, e.object)


# --- making objects ---------------------------------------------------------------------------------------------------


def make_object(cx: Lowering, v: Value) -> Object:
    """The value as a Python object."""
    match v:
        case Object():
            return v
        case Tup() if v.mutable and v.cls is None:
            for x in v.items:
                escape(cx, x)
            kind = container(cx, list, v.items)
        case Dict() if v.cls is None:
            for x in v.items.values():
                escape(cx, x)
            kind = container(cx, dict, list(v.items.values()), [constant(k) for k in v.items])
        case Static() if is_users_function(v.obj) and (there := cx.above.fetched(cx, v.obj)) is not None:
            return there
        case Static() if isinstance(v.obj, (dict, set, frozenset)):
            made_like = element_like(cx, v.obj).object
            assert made_like is not None
            kind = made_like
        case Static():
            kind = ObjectType(type(v.obj))
        case RangeVal() | SliceVal():
            kind = ObjectType(range if isinstance(v, RangeVal) else slice)
        case Union():
            return cx.above.held_union(cx, v)
        case Func():
            found: Object = cx.above.function_object(cx, v)
            return found
        case Num() | Arr() | Lazy() | Tup():
            escape(cx, v)
            kind = ObjectType(None)
        case _:
            needed(cx, v)
            raise cx.unsupported(f"{describe(v)} as a Python object")
    made = call_by_name(cx, HERE + "same", [v], Element("object", object=kind))
    assert isinstance(made, Object)
    return made


def view_of(cx: Lowering, v: DictView) -> Object:
    """`d.keys()` and so on as the object that it is."""
    assert v.source is not None
    made = call_by_name(cx, f"builtins.dict.{v.name}", [v.source], ANY)
    assert isinstance(made, Object)
    return made


def hold(cx: Lowering, v: Object) -> Object:
    """The object under a Ref of its own."""
    name = new_holder(cx, v.data)
    if v.param:
        made = call_by_name(cx, HERE + "same", [v], Element("object", object=v.type))
        assert isinstance(made, Object)
        return made
    cx.emit(nodes.Bind(name, Memlet(v.data)))
    code = None if v.code is None else cx.let(cx.present(v.code), "code")
    return Object(name, v.type, code=code)


def list_of(cx: Lowering, items: Sequence[Value]) -> Value:
    """A list display, list(...) or the like of items that are known: static, unless its length changes at run time."""
    made = Tup(list(items), None, True, cx.region, cx.loc)
    return make_object(cx, made) if cx.loc in cx.learned.dynamic else made


def dict_of(cx: Lowering, items: dict[Any, Value], site: Loc | None = None) -> Value:
    """A dict of keys that are known: static, unless it changes at run time. site: what tells it from others, its place if not given"""
    site = site or cx.loc
    made = Dict(items, home=cx.region, site=site)
    return make_object(cx, made) if site in cx.learned.dynamic else made


# --- calls whose results examples tell ----------------------------------------------------------------------------------


def call_like(cx: Lowering, target: str, function: Any, args: Sequence[Value], **kwargs: Value) -> Value:
    """Call a function whose result's type follows from the types of its arguments."""
    return call_by_name(cx, target, args, result_of(cx, function, args, kwargs), kwargs)


def exception_of(cx: Lowering, caught: Caught) -> Object:
    """The exception that a handler deals with."""
    held = new_holder(cx, "exception")
    for s in caught.signatures:
        with cx.block() as this:
            if s.slot:
                made = call_by_name(cx, "soljit.support.pending.waiting", [Static(s.slot)], ANY)
            else:
                values = [Num(cx.let(cx.read(n), n), t in PYTHON_NAMES) for n, t in zip(s.operands, s.dtypes)]
                made = call_by_name(cx, HERE + "make_exception", [Static(s.exception), Static(s.message), *values], ANY)
            assert isinstance(made, Object)
            cx.emit(nodes.Bind(held, Memlet(made.data)))
        cx.branch(symbolic.eq(caught.number, const(s.number)), this)
    return Object(held, ObjectType(None))


def truth(cx: Lowering, v: Object) -> Expr:
    """`bool(v)`."""
    if v.code is not None:
        return symbolic.ge(v.code, const(0))
    found = call_by_name(cx, "builtins.bool", [v], BOOL)
    assert isinstance(found, Num)
    return found.expr


def length(cx: Lowering, v: Object) -> Num:
    """`len(v)`."""
    found = call_by_name(cx, "builtins.len", [v], INT)
    assert isinstance(found, Num)
    return found
