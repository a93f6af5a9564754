"""Operators and builtins on instances of the user's classes: their special methods, compiled along, in the order in which Python tries them."""

from __future__ import annotations

import ast
import dataclasses
import operator
import types
from collections.abc import Sequence
from typing import Any

from soljit.base.python.members import as_written, written_member
from soljit.frontend_ast.calls.attribute_reads import attribute_of
from soljit.frontend_ast.calls.inlining import inline_function
from soljit.frontend_ast.calls.partials import Partial
from soljit.frontend_ast.lowering import class_dependencies
from soljit.frontend_ast.lowering.frames import Frame
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.user_methods import users_class, written_method
from soljit.frontend_ast.numbers.operators import binary, to_bool
from soljit.frontend_ast.objects import captured_attributes
from soljit.frontend_ast.objects.contents import escape, grow
from soljit.frontend_ast.objects.functions import fetched
from soljit.frontend_ast.objects.objects import call_by_name
from soljit.frontend_ast.values.descriptions import is_numpys, py_type
from soljit.frontend_ast.values.object_types import ANY
from soljit.frontend_ast.values.python_operators import SYMBOL, name_of_operator
from soljit.frontend_ast.values.values import Arr, CompileTime, Dict, Lazy, Num, Object, Static, Tup, Union, Value
from soljit.ir import symbolic
from soljit.ir.core.expr import FALSE, TRUE, Expr
from soljit.ir.core.types import b1, f64, i64, u64

NAMES: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.Pow: "pow",
    ast.MatMult: "matmul", ast.LShift: "lshift", ast.RShift: "rshift", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
}  # fmt: skip
COMPARISONS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Eq: ("__eq__", "__eq__"),
    ast.NotEq: ("__ne__", "__ne__"),
    ast.Lt: ("__lt__", "__gt__"),
    ast.Gt: ("__gt__", "__lt__"),
    ast.LtE: ("__le__", "__ge__"),
    ast.GtE: ("__ge__", "__le__"),
}
UNARY: dict[type[ast.AST], str] = {ast.USub: "__neg__", ast.UAdd: "__pos__", ast.Invert: "__invert__"}
BUILTINS: dict[Any, str] = {
    abs: "__abs__", len: "__len__", float: "__float__", int: "__int__", complex: "__complex__", round: "__round__", str: "__str__",
    repr: "__repr__", iter: "__iter__", next: "__next__", reversed: "__reversed__", divmod: "__divmod__", hash: "__hash__",
    operator.index: "__index__",
}  # fmt: skip
_NO = Static(NotImplemented)


def call_special(cx: Lowering, v: Value, name: str, *args: Value) -> Value | None:
    """`v.<name>(…)`; None: the user has not written it, or it is not implemented for these."""
    method = written_method(v, name)
    if method is None:
        return None
    cls = users_class(v)
    assert cls is not None
    class_dependencies.depend_on_member(cx, cls, name)
    made = inline_function(cx, method, [v, *args], {})
    if isinstance(made, Union) and any(k.form == "static" and k.value == _NO for k in made.kinds):
        raise cx.unsupported(f"'{name}', which returns NotImplemented on some paths only")
    return None if made == _NO else made


def _whose(owner: Value) -> type | None:
    """The class in whose order `super()` looks: of an instance, or the one that a class method is given."""
    return owner.obj if isinstance(owner, Static) and isinstance(owner.obj, type) else users_class(owner)


class Super(CompileTime):
    """`super()` in a method: what the classes after `cls` have for the instance, or for the class."""

    def __init__(self, cls: type, owner: Value) -> None:
        self.cls, self.owner = cls, owner

    def attribute(self, cx: Lowering, name: str) -> Value:
        """An attribute of the object."""
        of = _whose(self.owner)
        order = [] if of is None else of.__mro__[of.__mro__.index(self.cls) + 1 :]
        if of is not None:
            class_dependencies.rely_on_class(cx, of)
        found = None
        for c in order:
            class_dependencies.depend_on_member(cx, c, name)
            if name in vars(c):
                found = as_written(vars(c)[name])
                break
        if isinstance(found, classmethod):
            return Static(Partial(Static(found.__func__), [Static(of)], {}))
        if isinstance(found, staticmethod) or (found is not None and not hasattr(found, "__get__")):
            return captured_attributes.attribute(cx, c, name)
        if (
            isinstance(self.owner, Static)
            and isinstance(self.owner.obj, type)
            and isinstance(found, types.FunctionType)
        ):
            return Static(found)
        if isinstance(found, property):
            result: Value = cx.above.call(cx, Static(found.fget), [self.owner])
            return result
        if found is object.__init__:
            found = _nothing
        if not isinstance(found, types.FunctionType):
            raise cx.unsupported(f"super().{name}", "name the class")
        return Static(Partial(Static(found), [self.owner], {}))


def _nothing(owner: object) -> None:
    """object.__init__, in Python: this is compiled."""


def super_of(cx: Lowering, fr: Frame, args: Sequence[Value]) -> Value:
    """`super()`, `super(C, self)`."""
    cls = args[0] if args else fr.resolve(cx, "__class__") if fr.first else None
    owner = args[1] if args else fr.env.get(fr.first)
    of = None if owner is None else _whose(owner)
    if isinstance(cls, Static) and isinstance(cls.obj, type) and isinstance(owner, Object) and of is None:
        there = fetched(cx, cls.obj)
        if there is not None:  # Python finds what the classes after it have
            return call_by_name(cx, "builtins.super", [there, owner], ANY, changes=True)
    if not isinstance(cls, Static) or owner is None or of is None or cls.obj not in of.__mro__:
        raise cx.unsupported("super() here", "name the class")
    return Static(Super(cls.obj, owner))


def binary_special(
    cx: Lowering, kind: type[ast.AST], left: Value, right: Value, in_place: bool = False
) -> Value | None:
    """`left <op> right` (`left <op>= right`); None: neither is an instance of the user's."""
    classes = users_class(left), users_class(right)
    if classes == (None, None):
        return None
    name, mirrored = COMPARISONS.get(kind) or (f"__{NAMES[kind]}__", f"__r{NAMES[kind]}__")
    tries = [(left, name, right)]
    if classes[0] is not classes[1] or kind in COMPARISONS:
        tries.append((right, mirrored, left))
        a, b = classes
        if a is not None and b is not None and b is not a and issubclass(b, a):
            tries.reverse()
    known = any(written_method(x, n) for x, n, _ in tries)
    if is_numpys(left, right) and (known or _is_left_to_numpy(kind, left, right)):
        return _asked_first(cx, kind, left, right, (name, mirrored)) or _by_python(cx, kind, left, right, in_place)
    for owner, n, other in tries:
        made = call_special(cx, owner, n, other)
        if made is not None:
            return made
    if kind is ast.NotEq and any(written_method(v, "__eq__") for v in (left, right)):
        equal = binary_special(cx, ast.Eq, left, right)
        return None if equal is None else Num(symbolic.negate(to_bool(cx, equal)), True)
    return _generated(cx, kind, left, right) or _refused(cx, kind, left, right, in_place)


_OF_ARRAYS = (
    "__array__", "__array_ufunc__", "__array_priority__", "__array_interface__", "__array_struct__", "__buffer__", "__getitem__", "__len__",
    "__getattr__",
)  # fmt: skip

_GIVING_UP = frozenset(("NotImplemented", "super"))


def _asked_first(cx: Lowering, kind: type[ast.AST], left: Value, right: Value, names: tuple[str, str]) -> Value | None:
    """`left <op> right` of an instance and a NumPy value: the method of an instance on the left, or of one on the right of a single number, which NumPy takes
    for an object and gives a number of Python's (`@` gives it the number itself). None: NumPy has to be asked, or the method may leave it to others.
    """
    of_left = users_class(left) is not None
    owner, name, other = (left, names[0], right) if of_left else (right, names[1], left)
    cls, method = users_class(owner), written_method(owner, name)
    if cls is None or method is None or not _GIVING_UP.isdisjoint(method.__code__.co_names):
        return None
    if not of_left:
        real = isinstance(left, Num) and not left.dtype.is_complex and left.dtype is not u64
        if not real or kind in COMPARISONS or cls.__base__ is not object or any(hasattr(cls, x) for x in _OF_ARRAYS):
            return None
        assert isinstance(left, Num)
        t = f64 if left.dtype.is_float else b1 if left.dtype is b1 else i64
        other = left if kind is ast.MatMult else Num(cx.cast(left.expr, t), True)
        for x in _OF_ARRAYS:
            class_dependencies.depend_on_member(cx, cls, x)
    made = call_special(cx, owner, name, other)
    if made is None:
        raise cx.unsupported(f"'{name}', which leaves an operation with a NumPy value to others")
    return made


def _is_left_to_numpy(kind: type[ast.AST], left: Value, right: Value) -> bool:
    """Tell whether a NumPy scalar finds out what to do with an instance, or says why it cannot."""
    classes = [users_class(v) for v in (left, right)]
    read = any(hasattr(c, n) for c in classes if c is not None for n in ("__getitem__", "__len__", "__array__"))
    instance = any(isinstance(v, Dict) for v in (left, right))
    return (
        instance
        and (read or kind not in (ast.Eq, ast.NotEq))
        and not any(isinstance(v, (Arr, Lazy)) for v in (left, right))
    )


def _by_python(cx: Lowering, kind: type[ast.AST], left: Value, right: Value, in_place: bool) -> Value:
    """An operation of a NumPy value and an instance, of which NumPy may make an array or a number first."""
    for v in (left, right):
        if isinstance(v, Dict):
            grow(cx, v)
        if isinstance(v, Tup):
            hint = "call the method by its name"
            raise cx.unsupported("an operation of a NumPy value and an instance of a class", hint)
        escape(cx, v)
    name = name_of_operator(kind, in_place)
    made: Value = call_by_name(cx, f"operator.{name}", [left, right], ANY, changes=True)
    return made


def _generated(cx: Lowering, kind: type[ast.AST], left: Value, right: Value) -> Value | None:
    """Comparisons that `dataclass` writes: of the fields, as tuples."""
    cls = users_class(left)
    if kind not in COMPARISONS or cls is None or cls is not users_class(right) or not dataclasses.is_dataclass(cls):
        return None
    made = written_member(cls, "__eq__" if kind is ast.NotEq else COMPARISONS[kind][0])
    if not isinstance(made, types.FunctionType) or isinstance(left, Object) or isinstance(right, Object):
        return None
    names = [f.name for f in dataclasses.fields(cls) if f.compare]
    a, b = (Tup([attribute_of(cx, v, n) for n in names]) for v in (left, right))
    return binary(cx, kind, a, b)


def _refused(cx: Lowering, kind: type[ast.AST], left: Value, right: Value, in_place: bool) -> Value | None:
    """The exception where neither operand takes part; equality is identity then, and named tuples are tuples."""
    if any(isinstance(v, (Tup, Object, Static, Arr, Lazy)) for v in (left, right)):
        return None
    if kind in (ast.Eq, ast.NotEq):
        return Num(TRUE if (left is right) == (kind is ast.Eq) else FALSE, True)
    names = [_type_name(v) for v in (left, right)]
    if kind in COMPARISONS:
        cx.raise_("TypeError", f"'{SYMBOL[kind]}' not supported between instances of '{names[0]}' and '{names[1]}'")
    else:
        symbol = f"{SYMBOL[kind]}=" if in_place else "** or pow()" if kind is ast.Pow else SYMBOL[kind]
        cx.raise_("TypeError", f"unsupported operand type(s) for {symbol}: '{names[0]}' and '{names[1]}'")
    return Static(None)


def _type_name(v: Value) -> str:
    cls = users_class(v)
    return py_type(v) if cls is None else cls.__name__


def unary_special(cx: Lowering, kind: type[ast.AST], v: Value) -> Value | None:
    """`-v`, `+v`, `~v`; None: not an instance of the user's, or none of his methods."""
    if isinstance(v, Dict) and v.cls is not None and not hasattr(v.cls, UNARY[kind]):
        symbol = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}[kind]  # type: ignore[index]
        cx.raise_("TypeError", f"bad operand type for unary {symbol}: '{v.cls.__name__}'")
        return Static(None)
    return call_special(cx, v, UNARY[kind])


def in_place_special(cx: Lowering, kind: type[ast.AST], left: Value, right: Value) -> Value | None:
    """`left <op>= right` by a method that the user has written."""
    return call_special(cx, left, f"__i{NAMES[kind]}__", right)


def truth_special(cx: Lowering, v: Value) -> Expr | None:
    """Whether an instance is true, by its class's own methods."""
    made = call_special(cx, v, "__bool__")
    if made is not None:
        return to_bool(cx, made)
    made = call_special(cx, v, "__len__")
    if made is not None:
        return to_bool(cx, made)
    return TRUE if isinstance(v, Dict) and v.cls is not None else None


def _next_or(it: Any, default: Any) -> Any:
    """next with a default, in Python: this is compiled."""
    try:
        return it.__next__()
    except StopIteration:
        return default


def builtin_special(cx: Lowering, function: Any, args: list[Value]) -> Value | None:
    """`abs(v)`, `len(v)`, … by the method that the user has written."""
    if function is next and len(args) == 2 and written_method(args[0], "__next__") is not None:
        return inline_function(cx, _next_or, args, {})  # type: ignore[arg-type]
    name = next((n for f, n in BUILTINS.items() if f is function), None)
    if name is None or not args or users_class(args[0]) is None:
        return None
    if name == "__str__" and written_method(args[0], name) is None:
        name = "__repr__"
    return call_special(cx, args[0], name, *args[1:])
