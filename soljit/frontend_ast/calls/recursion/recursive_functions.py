"""Functions of the program: Python functions that call themselves, lowered on their own.

Numbers, sizes and arrays are parameters of the function, and so are the variables of enclosing functions and the global arrays that it
reads. Of the types of its results nothing is known at first: paths that need them are cut off, and the others tell. Then it is
lowered again with what was found, until nothing changes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import field
from functools import partial
from typing import Any

from soljit.base.python.dependency import Path
from soljit.base.records import dataclass
from soljit.frontend_ast.arrays.array_variables import order_of
from soljit.frontend_ast.calls.recursion.recursive_results import Result, describe_result, join_result_types
from soljit.frontend_ast.lowering import dominance
from soljit.frontend_ast.lowering.blocks import Unreachable, below, freeze
from soljit.frontend_ast.lowering.emission import HELD
from soljit.frontend_ast.lowering.frames import Frame
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values.descriptions import describe
from soljit.frontend_ast.values.object_types import ObjectType
from soljit.frontend_ast.values.values import Arr, Func, Num, Object, Static, Tup, Value, full_view
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.data import Array, Ref
from soljit.ir.core.expr import Const, Expr, Extent, Memlet, Stride, Sym, const
from soljit.ir.core.types import i64
from soljit.ir.walk import reached

MAX_ROUNDS = 8


DEEPEST = 100_000  # calls inside one another at least; the generated code looks at the stack itself, too


Run = Callable[[Lowering, Frame, Any], Value]


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
    open: bool = True  # it is being lowered
    early: bool = False  # it was called meanwhile, with what was known then


def order_in_key(cx: Lowering, v: Arr) -> str:
    one_after_another = v.ndim == 1 and len(v.dims) == 1 and v.dims[0].step == const(1) and v.dims[0].axis == 0
    if one_after_another and getattr(cx.data[v.data], "strides", None) is None and not isinstance(cx.data[v.data], Ref):
        return "C"
    return "C" if order_of(cx, v) == "C" else "A"


def compiled(
    cx: Lowering, fr: Frame, tree: Any, identity: object, key: Any, closure: dict[str, Value], run: Run
) -> Recursive:
    """Lower the function until its results, and the global arrays that it reads, are known."""
    name = cx.function_name(fr.name.rpartition(".")[2].strip("<>"))
    function = cx.functions[key] = Recursive(key, name)
    try:
        for _ in range(MAX_ROUNDS):
            known = set(cx.functions)
            before, captured = (function.result, function.reaches), tuple(function.captures)
            function.early = False
            _lower(cx, function, fr, tree, identity, closure, run)
            settled = tuple(function.captures) == captured
            if settled and (not function.early or (function.result, function.reaches) == before):
                function.open = False
                return function
            if not function.early:  # nothing depends on what was known of it
                continue
            for other in set(cx.functions) - known:  # lowered with what was known then
                del cx.functions[other]
    except BaseException:
        cx.functions.pop(key, None)
        raise
    raise cx.unsupported(f"the types of what '{fr.name}' returns do not settle", "return the same types everywhere")


def _lower(
    cx: Lowering, function: Recursive, fr: Frame, tree: Any, identity: object, closure: dict[str, Value], run: Run
) -> None:
    inner = cx.function_lowering(function.name)
    arguments = _Arguments(inner)
    inner.params.append(nodes.Param("depth", "scalar", i64))
    inner.taken.add("depth")
    function.objects.clear()
    arguments.objects = function.objects
    env = {n: arguments.value(v, n) for n, v in fr.env.items()}
    outer: Frame | None = None
    if fr.parent is not None:
        outer = Frame(fr.parent.name, fr.file, {}, fr.resolve, fr.parent.live, set(), tree=fr.parent.tree)
        outer.env.update({n: arguments.value(v, n, outer) for n, v in closure.items()})
    inner.capture = partial(_capture, inner, arguments, function)
    for path, (owner, kind, name, array) in function.captures.items():
        inner.captures[path] = arguments.captured(cx.capture(owner, kind, name, array), name)
    inner.learned.held |= {p.name for p in inner.params if p.kind == "array"}  # Python objects may hold them, too
    inner.share_arrays()
    frame = Frame(fr.name, fr.file, env, fr.resolve, fr.live, fr.locals, returns=[], parent=outer, tree=fr.tree)
    frame.first = fr.first
    limit = max(sys.getrecursionlimit(), DEEPEST)
    inner.loc = cx.loc
    inner.check(symbolic.lt(Sym("depth"), const(limit)), "RecursionError", "maximum recursion depth exceeded")
    inner.active.append(function.key)
    try:
        value: Value | None = run(inner, frame, tree)
    except Unreachable:
        value = None
    if inner.current.done:
        value = None
    results: list[nodes.Result] = []
    if value is not None:
        values: list[Expr | Memlet] = []
        tree_ = describe_result(inner, value, values, results, [])
        if function.result is not None:
            join_result_types(inner, function.result.tree, tree_)
        function.result = Result(tree_)
        inner.emit(nodes.Return(tuple(values)))
    elif function.result is None:  # it never returns
        function.result = Result(Static(None))
    inner.share_arrays()
    inner.declare_held()
    function.reaches = any(HELD in reached(n) for block in inner.blocks[:1] for n in below(block))
    program = nodes.Program(
        function.name,
        tuple(inner.params),
        dict(inner.symbols),
        (),
        dict(inner.data),
        tuple(results),
        None,
        freeze(inner.blocks[0]),  # type: ignore[arg-type]
        loc=inner.loc,
    )
    function.program = dominance.kept(program)
    if inner.guards:
        raise cx.unsupported(f"'{fr.name}' is recursive and needs to know values of its arguments")


class _Arguments:
    """Parameters for the values of a call."""

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
        strides: tuple[Expr, ...] | None = None
        if order != "C" and v.ndim:
            strides = tuple(self._symbol(f"{name}_s{k}", Stride(name, k)) for k in range(v.ndim))
        cx.data[name] = Array(v.dtype, shape, strides, transient=False, writable=v.writable)
        rank = v.rank if strides is not None else tuple(range(v.ndim))
        return full_view(name, v.dtype, shape, rank, v.writable)

    def _symbol(self, name: str, e: Extent | Stride) -> Sym:
        name = self.cx.fresh(name)
        self.cx.symbols[name] = e
        return Sym(name)


def _is_constant(v: Value) -> bool:
    return isinstance(v, Num) and isinstance(v.expr, Const)


def _capture(
    inner: Lowering, arguments: _Arguments, function: Recursive, owner: object, kind: str, name: str, value: Any
) -> Value:
    assert inner.caller is not None
    path = inner.path_to(owner, kind, name)
    if path not in inner.captures:
        function.captures[path] = (owner, kind, name, value)
        array = inner.caller.capture(owner, kind, name, value)
        inner.captures[path] = arguments.captured(array, inner.fresh(name))
        if isinstance(array, Arr):
            inner.keep(inner.captures[path].data)
    found: Value = inner.captures[path]
    return found
