"""functools.reduce and partial, the functions of `operator`, and the methods of Python's numbers."""

from __future__ import annotations

import ast
import functools
import operator
from typing import Any

import numpy as np

from soljit.base.place import Loc
from soljit.frontend_ast.arrays.ufunc_kernels import op
from soljit.frontend_ast.calls import calls
from soljit.frontend_ast.calls.attributes import attribute_of
from soljit.frontend_ast.calls.inlining import inline_function
from soljit.frontend_ast.joins.binding import pin
from soljit.frontend_ast.joins.unions import act
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements
from soljit.frontend_ast.numbers.operators import binary, to_bool, unary
from soljit.frontend_ast.objects.captured_attributes import outside_partial
from soljit.frontend_ast.objects.objects import call_like
from soljit.frontend_ast.python_api.builtins.folds import as_generator, fold
from soljit.frontend_ast.values.constants import constant
from soljit.frontend_ast.values.object_types import ANY
from soljit.frontend_ast.values.values import (
    NONE,
    Arr,
    CompileTime,
    Generated,
    Lazy,
    Num,
    OneShot,
    RangeVal,
    Static,
    Tup,
    Value,
    taken,
)
from soljit.frontend_ast.views.indexing import delete_item, get_item, set_item
from soljit.frontend_ast.views.numpy_arguments import static_of
from soljit.ir import symbolic
from soljit.ir.expr import Const, Op
from soljit.ir.types import b1, c128, f64, i64

# --- functools --------------------------------------------------------------------------------------------------------


def _reduce(function: Any, sequence: Any, initial: Any) -> Any:
    """functools.reduce with a start, in Python: this is compiled."""
    value = initial
    for item in sequence:
        value = function(value, item)
    return value


def _reduce_from_first(function: Any, sequence: Any, empty: Any) -> Any:
    """functools.reduce without a start, of a sequence that has items."""
    value = sequence[0]
    for k in range(1, len(sequence)):
        value = function(value, sequence[k])
    return value


@implements(functools.reduce)
def reduce(cx: Lowering, function: Value, iterable: Value, initial: Value | None = None) -> Value:
    """functools.reduce"""
    text = "reduce() of empty iterable with no initial value"
    no_sequence = isinstance(iterable, Static) and not hasattr(iterable.obj, "__iter__")
    if isinstance(iterable, Num) or no_sequence or (isinstance(iterable, (Arr, Lazy)) and not iterable.ndim):
        cx.raise_("TypeError", "reduce() arg 2 must support iteration")
        return NONE
    if isinstance(iterable, (Tup, OneShot)):
        items = list(iterable.steps if isinstance(iterable, OneShot) else iterable.items)
        if initial is None and not items:
            cx.raise_("TypeError", text)
            return NONE
        value = taken(items.pop(0)) if initial is None else initial
        for x in items:
            value = pin(cx, calls.call_value(cx, function, [value, taken(x)]))
        return value
    if isinstance(iterable, Generated) and not iterable.is_list:
        stepped: Value | None = cx.stepped(
            cx, functools.reduce, [function, as_generator(cx, iterable), *([] if initial is None else [initial])]
        )
        if stepped is not None:
            return stepped
    if not isinstance(iterable, (Arr, Lazy, RangeVal)) and (initial is None or isinstance(initial, Num)):
        source = cx.objects.settled(cx, iterable)
        return fold(cx, source, initial, lambda a, b: calls.call_value(cx, function, [a, b]), "reduce")
    if initial is not None:
        return inline_function(cx, _reduce, [function, iterable, initial], {})  # type: ignore[arg-type]
    length = calls.call_object(cx, len, [iterable])
    assert isinstance(length, Num)
    cx.check(symbolic.gt(length.expr, Const(0, i64)), "TypeError", text)
    return inline_function(cx, _reduce_from_first, [function, iterable, Static(None)], {})  # type: ignore[arg-type]


# --- operator ---------------------------------------------------------------------------------------------------------

_BINARY: dict[str, type[ast.AST]] = {
    "add": ast.Add, "sub": ast.Sub, "mul": ast.Mult, "truediv": ast.Div, "floordiv": ast.FloorDiv, "mod": ast.Mod, "pow": ast.Pow,
    "and_": ast.BitAnd, "or_": ast.BitOr, "xor": ast.BitXor, "lshift": ast.LShift, "rshift": ast.RShift, "eq": ast.Eq, "ne": ast.NotEq,
    "lt": ast.Lt, "le": ast.LtE, "gt": ast.Gt, "ge": ast.GtE,
}  # fmt: skip
_UNARY: dict[str, type[ast.AST]] = {"neg": ast.USub, "pos": ast.UAdd, "invert": ast.Invert, "inv": ast.Invert}


def _binary(kind: type[ast.AST], function: object) -> None:
    @implements(function)
    def handler(cx: Lowering, a: Value, b: Value) -> Value:
        return binary(cx, kind, a, b)


def _unary(kind: type[ast.AST], function: object) -> None:
    @implements(function)
    def handler(cx: Lowering, a: Value) -> Value:
        return unary(cx, kind, a)


for _name, _kind in _BINARY.items():
    _binary(_kind, getattr(operator, _name))
for _name, _kind in _UNARY.items():
    _unary(_kind, getattr(operator, _name))


@implements(operator.matmul)
def matmul(cx: Lowering, a: Value, b: Value) -> Value:
    """operator.matmul"""
    return calls.call_numpy(cx, np.matmul, [a, b])


@implements(operator.not_)
def not_(cx: Lowering, a: Value) -> Value:
    """operator.not_"""
    return Num(symbolic.negate(to_bool(cx, a)), True)


@implements(operator.truth)
def truth(cx: Lowering, a: Value) -> Value:
    """operator.truth"""
    return Num(to_bool(cx, a), True)


@implements(operator.abs)
def absolute(cx: Lowering, a: Value) -> Value:
    """operator.abs"""
    return calls.call_object(cx, abs, [a])


@implements(operator.getitem)
def getitem(cx: Lowering, a: Value, b: Value) -> Value:
    """operator.getitem"""
    return get_item(cx, a, b)


@implements(operator.setitem)
def setitem(cx: Lowering, a: Value, b: Value, c: Value) -> Value:
    """operator.setitem"""
    act(cx, [a, b, c], lambda vs: set_item(cx, *vs))
    return Static(None)


@implements(operator.delitem)
def delitem(cx: Lowering, a: Value, b: Value) -> Value:
    """operator.delitem"""
    act(cx, [a, b], lambda vs: delete_item(cx, *vs))
    return Static(None)


# --- objects that are called ------------------------------------------------------------------------------------------


def call_instance(cx: Lowering, obj: Any, args: list[Value], kwargs: dict[str, Value]) -> Value | None:
    """A call of a partial, itemgetter or attrgetter that exists already; None: it is something else."""
    if isinstance(obj, Partial):
        return obj.call(cx, args, kwargs)
    if isinstance(obj, functools.partial):
        function, first, named = outside_partial(cx, obj)
        return calls.call_value(cx, function, [*first, *args], named | kwargs)
    if isinstance(obj, (operator.itemgetter, operator.attrgetter)) and len(args) == 1 and not kwargs:
        keys = obj.__reduce__()[1]
        if isinstance(obj, operator.itemgetter):
            found = [get_item(cx, args[0], constant(k)) for k in keys]
        else:
            found = [_attribute(cx, args[0], k) for k in keys]
        return found[0] if len(found) == 1 else Tup(found)
    return None


def _attribute(cx: Lowering, v: Value, dotted: str) -> Value:
    for name in dotted.split("."):
        v = attribute_of(cx, v, name)
    return v


def make_instance(cx: Lowering, cls: type, args: list[Value], kwargs: dict[str, Value]) -> Value | None:
    """`partial(…)`, `itemgetter(…)`, `attrgetter(…)`; None: another class."""
    if cls is functools.partial:
        if cx.loc in cx.learned.dynamic:
            return _by_python(cx, args, kwargs)
        first, *others = [pin(cx, v) for v in args]
        return Static(Partial(first, others, {k: pin(cx, v) for k, v in kwargs.items()}, cx.loc))
    if cls in (operator.itemgetter, operator.attrgetter):
        return Static(cls(*(static_of(cx, a) for a in args)))
    return None


def _by_python(cx: Lowering, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """`partial(…)` as an object."""
    given_ = [cx.objects.as_object(cx, v) for v in args]
    for v in (*given_, *kwargs.values()):
        cx.objects.escape(cx, v)
    made: Value = cx.objects.call(cx, "functools.partial", given_, ANY, kwargs)
    return made


class Partial(CompileTime):
    """A partial made in compiled code."""

    cls = functools.partial
    is_callable = True

    def __init__(self, function: Value, args: list[Value], kwargs: dict[str, Value], site: Loc | None = None) -> None:
        self.function, self.args, self.kwargs, self.site = function, args, kwargs, site

    def attribute(self, cx: Lowering, name: str) -> Value:
        """`func`, `args` and `keywords`."""
        match name:
            case "func":
                return self.function
            case "args":
                return Tup(list(self.args))
        raise cx.unsupported(f"attribute '{name}' of a partial")

    def call(self, cx: Lowering, args: list[Value], kwargs: dict[str, Value]) -> Value:
        """Call the function with the arguments given before and now."""
        return calls.call_value(cx, self.function, [*self.args, *args], self.kwargs | kwargs)

    def as_object(self, cx: Lowering) -> Value:
        """The partial that Python has made, or one like it that no name stands for."""
        return Static(self) if self.site else _by_python(cx, [self.function, *self.args], self.kwargs)


# --- methods of Python's numbers --------------------------------------------------------------------------------------

_CLASSES: dict[Any, type] = {b1: bool, i64: int, f64: float, c128: complex}


def is_method(v: Num, name: str) -> bool:
    """Is this a method of the number's class?"""
    if name == "is_integer" and not v.weak:
        return v.dtype.is_float or v.dtype.is_int
    return v.dtype in _CLASSES and callable(getattr(_CLASSES[v.dtype], name, None))


def call_method(cx: Lowering, v: Num, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """A method of a Python number."""
    if name == "is_integer" and v.dtype not in _CLASSES:
        v = Num(cx.cast(v.expr, f64 if v.dtype.is_float else i64), True)
    cls = _CLASSES[v.dtype]
    if name == "conjugate":
        return Num(op("conj", v.expr), True) if v.dtype is c128 else unary(cx, ast.UAdd, v)
    if name == "is_integer" and v.dtype is f64:
        whole = Op("eq", (op("floor", v.expr), v.expr), b1)
        return Num(Op("land", (op("isfinite", v.expr), whole), b1), True)
    if name == "bit_count" and v.dtype is i64:
        return Num(op("popcount", op("abs", v.expr)), True)
    return call_like(cx, f"builtins.{cls.__name__}.{name}", getattr(cls, name), [v, *args], **kwargs)
