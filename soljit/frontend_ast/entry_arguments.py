"""The arguments of the entry function: parameters, symbols and values of their types, and of what is captured from outside."""

from __future__ import annotations

from typing import Any

import numpy as np

from soljit.base.device_arrays import host_array
from soljit.base.errors import ArgPlace
from soljit.base.python.arrays import is_writable
from soljit.base.python.classes import answers_for_itself
from soljit.base.python.dependency import Path
from soljit.frontend_ast.calls import lists_of_numbers
from soljit.frontend_ast.calls.classes import instance_arguments
from soljit.frontend_ast.lowering.emission import HELD
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects import characters, contents
from soljit.frontend_ast.objects.contents import type_of_argument, type_of_outside
from soljit.frontend_ast.values.constants import constant
from soljit.frontend_ast.values.values import Arr, Dict, Instance, Num, Object, Tup, Value, full_view
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.data import Array
from soljit.ir.core.expr import Expr, Extent, Stride, Sym, const
from soljit.ir.core.signature import (
    ArgType,
    ArrayArg,
    DictArg,
    InstanceArg,
    ObjectArg,
    ScalarArg,
    StaticArg,
    TupleArg,
    rank_of,
    shares_elements,
    still_axes,
)
from soljit.ir.core.types import DType, from_numpy, i64


class Arguments:
    """Makes parameters, symbols and values of the argument types."""

    def __init__(self, cx: Lowering, function: Any, leaves: list[Any], concrete: dict[str, Any]) -> None:
        self.cx, self.function, self.leaves, self.concrete, self.next = cx, function, leaves, concrete, 0
        self.place: ArgPlace = ()
        self.objects: list[str] = []  # parameters that are objects, but for instances that are taken apart
        self.instances: list[Instance] = []
        self.attributes: dict[str, dict[str, Value]] = {}  # of each instance

    def value(self, t: ArgType, name: str, spelling: str = "") -> Value:
        """The value of one argument. spelling: what it is called in the source, if that is no name"""
        cx, spelling = self.cx, spelling or name
        match t:
            case ArrayArg():
                found = self._array(t, self._param(name, spelling), self._take())
                cx.argument_objects[found.data] = t.same
                return found
            case ScalarArg():
                return self._scalar(t, self._param(name, spelling), self._take())
            case StaticArg():
                leaf = self._take()
                if answers_for_itself(leaf):
                    raise cx.unsupported(
                        f"argument '{name}', a class whose own class decides what it is", "pass a function"
                    )
                cx.follow(self.function, "static", str(self.next - 1), leaf)
                return constant(leaf)
            case ObjectArg():
                there = self._object(t, name)
                self.objects.append(there.data)
                return there
            case TupleArg():
                fields = getattr(t.cls, "_fields", ())
                ways = [f".{fields[k]}" if k < len(fields) else f"[{k}]" for k in range(len(t.items))]
                items = [self.value(x, f"{name}_{k}", spelling + w) for k, (x, w) in enumerate(zip(t.items, ways))]
                made = Tup(items, t.cls, t.mutable, None)
                cx.containers.append((made, self.place))
                return made
            case DictArg():
                given = Dict({}, None, True, None)
                for k, x in zip(t.keys, t.items):
                    given.items[k] = self.value(x, f"{name}_{k}", f"{spelling}[{k!r}]")
                cx.containers.append((given, self.place))
                return given
            case InstanceArg():
                return self._instance(t, name, spelling)

    def _param(self, name: str, spelling: str) -> str:
        """The name of a parameter."""
        param = self.cx.fresh(name)
        if param != spelling:
            self.cx.spellings[param] = spelling
        return param

    def _object(self, t: ObjectArg, name: str) -> Object:
        cx = self.cx
        leaf = self._take()
        param = cx.fresh(name)
        cx.params.append(nodes.Param(param, "object", container=_container_name(t.type)))
        cx.object_classes.add(t.type)
        kind = lists_of_numbers.type_of_list(cx, leaf, param)
        if t.dtype is not None:
            kind = contents.type_of_array(cx, t.dtype, t.ndim)
        made = Object(param, kind or type_of_argument(t.type), True)
        if characters.is_text(made):
            characters.note_argument(cx, made, leaf)
        return made

    def _instance(self, t: InstanceArg, name: str, spelling: str) -> Instance:
        """An instance, with its attributes as values of their own."""
        cx, place = self.cx, self.place
        instance_arguments.rely_on(cx, t)
        there = self._object(ObjectArg(t.cls), name)
        made = Instance({}, t.cls, True, None, None, there.data, t.keys, t.absent, there, place)
        made.items = instance_arguments.Attributes(cx, made)
        cx.containers.append((made, place))
        self.instances.append(made)
        found: dict[str, Value] = {}
        for k, x in zip(t.keys, t.items):
            self.place = (*place, k)
            found[k] = self.value(x, f"{name}_{k}", f"{spelling}.{k}")
        self.attributes[made.name], self.place = found, place
        return made

    def _take(self) -> Any:
        self.next += 1
        return self.leaves[self.next - 1]

    def _scalar(self, t: ScalarArg, name: str, value: Any) -> Num:
        cx = self.cx
        cx.params.append(nodes.Param(name, "scalar", t.dtype))
        self.concrete[name] = value
        if name in cx.renamed:
            return Num(cx.renamed[name], t.weak)
        if t.dtype.is_int and t.dtype is not i64:
            cx.facts = cx.facts.with_range(Sym(name, t.dtype), None, None)
        return Num(Sym(name, t.dtype), t.weak)

    def _array(self, t: ArrayArg, name: str, value: np.ndarray[Any, Any]) -> Arr:
        cx = self.cx
        cx.params.append(nodes.Param(name, "array", t.dtype))
        shape: list[Expr] = []
        for k in range(t.ndim):
            size = f"{name}_n{k}" if f"{name}_n{k}" not in cx.taken else cx.fresh(f"{name}_n{k}")
            cx.taken.add(size)
            cx.symbols[size] = Extent(name, k)
            self.concrete[size] = int(value.shape[k])
            cx.facts = cx.facts.with_size(size)
            shape.append(cx.renamed.get(size, Sym(size)))
        rank = tuple(range(t.ndim))
        strides: tuple[Expr, ...] | None = None
        if t.order == "F" and t.ndim > 1:
            rank = rank[::-1]
            step: Expr = const(1)
            steps = []
            for n in shape:
                steps.append(step)
                step = symbolic.mul(step, n)
            strides = tuple(steps)
        elif t.order == "A":
            rank = t.rank or rank
            still = t.rank[t.ndim - t.still :]
            strides = tuple(const(0) if k in still else self._stride(name, k, value) for k in range(t.ndim))
        alias = None if t.alias is None else f"group{t.alias}"
        cx.data[name] = Array(t.dtype, tuple(shape), strides, transient=False, alias=alias, writable=t.writable)
        if t.shared:
            cx.overlapping.add(name)
        return full_view(name, t.dtype, tuple(shape), rank, t.writable)

    def _stride(self, name: str, k: int, value: np.ndarray[Any, Any]) -> Expr:
        symbol = f"{name}_s{k}"
        self.cx.taken.add(symbol)
        self.cx.symbols[symbol] = Stride(name, k)
        self.concrete[symbol] = value.strides[k] // value.itemsize
        return self.cx.renamed.get(symbol, Sym(symbol))

    def capture(self, owner: object, kind: str, name: str, value: np.ndarray[Any, Any]) -> Arr | Object:
        """A global or closure array: an extra parameter, fetched again at each call. It may be any array, so overlap is possible."""
        cx, value = self.cx, host_array(value)
        path = cx.path_to(owner, kind, name)
        if (first := cx.twins.get(path, path)) in cx.captures:
            found: Arr = cx.captures[first]
            return found
        if answers_for_itself(value) or not isinstance(value, np.ndarray):
            return self._container(path, name, value)  # type: ignore[no-any-return]
        dtype = from_numpy(value.dtype)
        if dtype is None or type(value) is not np.ndarray:
            return self._container(path, name, value)  # type: ignore[no-any-return]
        if id(value) in cx.captured_objects:
            cx.twins[path] = cx.captured_objects[id(value)][0]
            return self.capture(owner, kind, name, value)
        cx.captured_objects[id(value)] = path, value, cx.loc
        arr = self._array(_captured_type(value, dtype), cx.fresh(name), value)
        if HELD in cx.data:
            cx.hold_arguments()
        cx.captures[path] = arr
        cx.keep(arr.data)
        return arr

    def _container(self, path: Path, name: str, value: Any) -> Any:
        """A global or closure list, dict or set: Python's own object, whatever it holds at the call."""
        cx = self.cx
        param = cx.fresh(name)
        opaque = answers_for_itself(value)
        cls = object if opaque else type(value)
        cx.params.append(nodes.Param(param, "object", container=_container_name(cls)))
        cx.object_classes.add(type(value))
        cx.kept_names.add(param)
        known = cls in (list, dict, set, np.ndarray) and name != "__globals__"
        kind = contents.type_of_container(cx, value, str(path)) if known else type_of_outside(cls)
        made = Object(param, kind, True)
        cx.captures[path] = made
        cx.containers_outside[param] = (path, value)
        cx.paths.setdefault(id(value), path)
        cx.hold_arguments()
        return made


def _container_name(cls: type) -> str:
    return cls.__name__ if cls in (list, tuple, dict, set, frozenset, str, bytes) else ""


def _captured_type(a: np.ndarray[Any, Any], dtype: DType) -> ArrayArg:
    """The type of a captured array, as for an argument; a captured array that overlaps another one is refused by the driver."""
    order = "C" if a.flags.c_contiguous else "F" if a.flags.f_contiguous else "A"
    rank, still = (rank_of(a.shape, a.strides), len(still_axes(a.shape, a.strides))) if order == "A" else ((), 0)
    shared = order == "A" and shares_elements(a.shape, a.strides)
    return ArrayArg(dtype, a.ndim, order, rank, is_writable(a), still=still, shared=shared)
