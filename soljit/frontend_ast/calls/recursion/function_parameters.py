"""Functions of the program and their parameters: numbers, sizes and arrays, and what a function knows of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace
from typing import Any

from soljit.base.python.dependency import Path
from soljit.base.records import dataclass
from soljit.frontend_ast.arrays.array_variables import order_of
from soljit.frontend_ast.calls.classes import instance_arguments
from soljit.frontend_ast.calls.recursion.recursive_results import Either, Leaf, Result, Several
from soljit.frontend_ast.lowering.emission import HELD
from soljit.frontend_ast.lowering.frames import Frame
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values.descriptions import describe
from soljit.frontend_ast.values.object_types import ObjectType
from soljit.frontend_ast.values.values import Arr, Func, Instance, Num, Object, Static, Tup, Value, full_view
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.data import Array, Ref
from soljit.ir.core.expr import Const, Expr, Extent, Stride, Sym, const, subexpressions
from soljit.ir.core.types import i64
from soljit.ir.walk import substitute


@dataclass(eq=False)
class Recursive:
    """A function of the program.

    result:  what it returns, of the function's own values; None: not known yet
    reaches: it calls what may change the arrays that Python objects hold
    """

    key: Any
    name: str
    result: Result | None = None
    captures: dict[Path, tuple[object, str, str, Any]] = field(default_factory=dict)
    program: nodes.Program | None = None
    reaches: bool = False
    objects: list[ObjectType] = field(default_factory=list)  # types of its parameters that are objects
    apart: bool = False  # it knows of its arguments what its key says: see `called_often.py`
    attributes: list[tuple[Instance, str]] = field(default_factory=list)  # of arguments of the program, that it reads
    held: set[int] = field(default_factory=set)  # which of its arrays Python objects may hold
    sizes: dict[str, tuple[int, int]] = field(default_factory=dict)  # its symbols → which array's lengths they are
    open: bool = True  # it is being lowered
    early: bool = False  # it was called meanwhile, with what was known then


def order_in_key(cx: Lowering, v: Arr) -> str:
    one_after_another = v.ndim == 1 and len(v.dims) == 1 and v.dims[0].step == const(1) and v.dims[0].axis == 0
    if one_after_another and getattr(cx.data[v.data], "strides", None) is None and not isinstance(cx.data[v.data], Ref):
        return "C"
    return "C" if order_of(cx, v) == "C" else "A"


def is_held(cx: Lowering, a: Arr) -> bool:
    """Tell whether Python objects may hold the array, and what calls them back may change it."""
    return HELD in cx.roots_of(a.data)


def least(cx: Lowering, n: Expr) -> int | None:
    """What is known of the lower bound of an integer, as far as functions ask for it."""
    low, _ = cx.facts.bounds(n)
    return None if low is None or low < 0 else min(low, 2)


class Arguments:
    """Parameters for the values of a call. keyed: what they are in the call is part of the key"""

    keyed = True

    def __init__(self, cx: Lowering) -> None:
        self.cx = cx
        self.objects: list[ObjectType] = []

    def value(self, v: Value, name: str, outer: Frame | None = None) -> Value:
        """What stands for this value inside of the function."""
        cx = self.cx
        match v:
            case Num(expr=Const()) | Static():
                return v
            case Num():
                name = cx.fresh(name)
                cx.params.append(nodes.Param(name, "scalar", v.dtype))
                if v.dtype is i64:
                    cx.facts = cx.facts.with_range(Sym(name, i64), None, None)
                return Num(Sym(name, v.dtype), v.weak)
            case Arr():
                return self._array(v, order_in_key(cx.caller or cx, v), name)
            case Object():
                name = cx.fresh(name)
                cx.params.append(nodes.Param(name, "object"))
                self.objects.append(v.type)
                return Object(name, v.type, True)
            case Tup() if not v.mutable:
                return Tup([self.value(x, name, outer) for x in v.items], v.cls)
            case Func() if outer is not None:
                if not all(isinstance(x, Static) or _is_constant(x) for x in (*v.defaults, *v.kw_defaults.values())):
                    raise cx.unsupported("a function with run-time default values in a recursive one")
                return Func(v.tree, outer, v.defaults, v.kw_defaults)
        raise cx.unsupported(f"{describe(v)} in a recursive function", "pass numbers, arrays and tuples of them")

    def captured(self, v: Value, name: str) -> Value:
        """A global array or container, as one more parameter."""
        if not isinstance(v, Arr):
            return self.value(v, name)
        return self._array(v, "A", name)

    def _array(self, v: Arr, order: str, name: str) -> Arr:
        cx = self.cx
        name = cx.fresh(name)
        cx.params.append(nodes.Param(name, "array", v.dtype))
        shape = tuple(self._symbol(f"{name}_n{k}", Extent(name, k)) for k in range(v.ndim))
        for n in shape:
            cx.facts = cx.facts.with_size(n.name)
        return self._declared(v, order, name, shape)

    def _declared(self, v: Arr, order: str, name: str, shape: tuple[Expr, ...]) -> Arr:
        """The parameter `name` of this shape, in the place of the caller's array."""
        strides: tuple[Expr, ...] | None = None
        if order != "C" and v.ndim:
            strides = tuple(self._symbol(f"{name}_s{k}", Stride(name, k)) for k in range(v.ndim))
        self.cx.data[name] = Array(v.dtype, shape, strides, transient=False, writable=v.writable)
        rank = v.rank if strides is not None else tuple(range(v.ndim))
        return full_view(name, v.dtype, shape, rank, v.writable)

    def _symbol(self, name: str, e: Extent | Stride) -> Sym:
        name = self.cx.fresh(name)
        self.cx.symbols[name] = e
        return Sym(name)


class Known(Arguments):
    """Parameters of a function of the program that knows of its arguments what its key says."""

    def __init__(self, cx: Lowering, function: Recursive) -> None:
        super().__init__(cx)
        self.function, self.arrays = function, 0
        self.known: dict[Expr, Expr] = {}  # lengths as the caller says them → as the function does
        self.attributes: dict[tuple[str, str], Value] = {}
        function.sizes.clear()
        function.held.clear()

    @property
    def caller(self) -> Lowering:
        """The lowering of what calls the function first."""
        assert self.cx.caller is not None
        return self.cx.caller

    def value(self, v: Value, name: str, outer: Frame | None = None) -> Value:
        match v:
            case Num() if v.dtype is i64 and not isinstance(v.expr, Const):
                made = super().value(v, name, outer)
                assert isinstance(made, Num)
                if v.expr in self.known:
                    return Num(self.known[v.expr], v.weak)
                self._bound(made.expr, v.expr)
                return made
            case Instance():
                return v
        return super().value(v, name, outer)

    def captured(self, v: Value, name: str) -> Value:
        if not isinstance(v, Arr):
            return self.value(v, name)
        return self._array(v, order_in_key(self.caller, v), name)

    def _array(self, v: Arr, order: str, name: str) -> Arr:
        cx, number = self.cx, self.arrays
        self.arrays += 1
        name = cx.fresh(f"{self.function.name}_{name}")
        cx.params.append(nodes.Param(name, "array", v.dtype))
        if is_held(self.caller, v):
            cx.learned.held.add(name)
            self.function.held.add(number)
        shape = tuple(self._length(n, name, number, k) for k, n in enumerate(v.shape))
        return self._declared(v, order, name, shape)

    def _length(self, n: Expr, array: str, number: int, axis: int) -> Expr:
        cx = self.cx
        if isinstance(n, Const):
            return n
        if n in self.known:
            return self.known[n]
        s = self._symbol(f"{array}_n{axis}", Extent(array, axis))
        self.known[n] = s
        self.function.sizes[s.name] = number, axis
        cx.facts = cx.facts.with_size(s.name)
        if not self.caller.is_at_entry(n):
            self._bound(s, n)
        cx.know_outside(s.name, n)
        return s

    def _bound(self, inside: Expr, outside: Expr) -> None:
        """What is part of the key: a lower bound where the function is called."""
        low = least(self.caller, outside)
        if low is not None and self.keyed:
            self.cx.facts = self.cx.facts.assume(symbolic.ge(inside, const(low)))

    def relate(self) -> None:
        """What is known of the program's sizes is known of the function's, and how these are made of one another."""
        cx = self.cx
        given = {n: s for n, s in self.known.items() if self.caller.is_at_entry(n)}
        plain = {n.name: s for n, s in given.items() if isinstance(n, Sym)}
        for n, s in given.items():
            if not isinstance(n, Sym) and _symbols(n) <= plain.keys():
                cx.facts = cx.facts.assume(symbolic.eq(s, substitute(n, plain)))
        sizes = {e.name: Sym(s) for s, e in cx.outside.items() if isinstance(e, Sym)}
        for guard in cx.root.guards:
            if _symbols(guard) <= sizes.keys():
                cx.facts = cx.facts.assume(substitute(guard, sizes))

    def attribute(self, owner: Instance, name: str) -> Value:
        """An attribute of an argument of the program: one more parameter, or more of them."""
        if (owner.name, name) not in self.attributes:
            given = instance_arguments.attribute(self.caller, owner, name)
            before = len(self.cx.params)
            self.attributes[owner.name, name] = self.captured(given, name)
            for p in self.cx.params[before:]:
                self.cx.kept_names.add(p.name)
                if p.kind == "array":
                    self.cx.keep(p.name)
        return self.attributes[owner.name, name]

    def of_parameters(self, tree: Any, arrays: Iterator[Arr]) -> Any:
        """The description of the result, with the shapes of arrays that are made of parameters. It must be numbers, constants and new arrays."""
        cx = self.cx
        match tree:
            case Several():
                return replace(tree, items=tuple(self.of_parameters(x, arrays) for x in tree.items))
            case Leaf(element=e, views=False, itself=False) if e.form == "number":
                return tree
            case Leaf(element=e, views=False, itself=False) if e.form == "array":
                shape = tuple(substitute(n, cx.defined) for n in next(arrays).shape)
                given = {*self.function.sizes, *(p.name for p in cx.params if p.kind == "scalar" and p.dtype is i64)}
                return replace(tree, shape=shape if set().union(*map(_symbols, shape)) <= given else None)
            case Either() | Static():
                return tree
        raise cx.unsupported("a function of the program that returns what its arguments hold, or an object")


def _symbols(e: Expr) -> set[str]:
    return {x.name for x in subexpressions(e) if isinstance(x, Sym)}


def _is_constant(v: Value) -> bool:
    return isinstance(v, Num) and isinstance(v.expr, Const)
