"""Functions that call themselves: compiled once as functions of the program, for the types of their arguments, and called.

A Python function is lowered where it is called (`calls.py`), until a call comes back to a function that is being lowered with
arguments of the same types. That call becomes a `Call`. The function's program is lowered on its own: numbers, sizes and
arrays are its parameters, and so are the variables of enclosing functions and the global arrays that it reads. Of the types of its
results nothing is known at first: paths that need them are cut off, and the others tell. Then it is lowered again with
what was found, until nothing changes.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from soljit.base.dependency import Path
from soljit.frontend_ast.binding import read_name
from soljit.frontend_ast.blocks import Unreachable, freeze
from soljit.frontend_ast.elementwise import copy_array
from soljit.frontend_ast.frames import Frame
from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.names import local_names, names_read
from soljit.frontend_ast.object_types import ObjectType, join_types
from soljit.frontend_ast.operators import describe
from soljit.frontend_ast.recursive_results import Result, describe_result, join_result_types, read_result, receive
from soljit.frontend_ast.refs import order_of
from soljit.frontend_ast.values import (
    Arr,
    Dict,
    Func,
    MaybeUnbound,
    Num,
    Object,
    Static,
    Tup,
    Value,
    full_view,
)
from soljit.ir import nodes, symbolic
from soljit.ir.data import Array, Ref
from soljit.ir.expr import Const, Expr, Extent, Memlet, Stride, Sym, const
from soljit.ir.types import i64
from soljit.ir.walk import walk

MAX_ROUNDS = 8
DEEPEST = 100_000  # calls inside one another at least; the generated code looks at the stack itself, too
DEEPEST_IN_PLACE = 3  # calls of one function inside one another that are lowered in place for the sake of static lists
MAX_UNROLLED = 12  # calls with other constants that are lowered in place before the constants become arguments

Run = Callable[[Lowering, Frame, Any], Value]


@dataclass(eq=False)
class Recursive:
    """A function of the program. result: what it returns, of the function's own values; None: not known yet."""

    key: Any
    name: str
    result: Result | None = None
    captures: dict[Path, tuple[object, str, str, Any]] = field(default_factory=dict)
    program: nodes.Program | None = None
    objects: list[ObjectType] = field(default_factory=list)  # types of its parameters that are objects


# --- which calls ------------------------------------------------------------------------------------------------------


def enter(cx: Lowering, fr: Frame, tree: Any, identity: object, run: Run) -> Value:
    """Call a Python function whose arguments are bound in `fr`: in place, or as a function of the program."""
    closure = _closure(cx, fr, tree) if fr.parent is not None else {}
    key = key_of(cx, identity, fr.env, closure)
    mine = [k for k in cx.active if k is not None and k[0] is identity]
    if sum(f is identity for f in cx.entered) > DEEPEST_IN_PLACE:
        for v in (*fr.env.values(), *closure.values()):
            if (isinstance(v, Dict) and v.cls is None) or (isinstance(v, Tup) and v.mutable):
                cx.objects.grow(cx, v)  # lists and dicts go into a function of the program as objects
    if mine and key not in cx.functions and key not in mine:
        cx.unrolled[id(identity)] = cx.unrolled.get(id(identity), 0) + 1
    if cx.unrolled.get(id(identity), 0) > MAX_UNROLLED:
        for env in (fr.env, closure):
            for n, v in env.items():
                env[n] = _general(cx, v)
        key = key_of(cx, identity, fr.env, closure)
    if key is not None and (key in cx.functions or key in mine):
        function = cx.functions.get(key)
        if function is None:
            function = _compiled(cx, fr, tree, identity, key, closure, run)
        return _call(cx, function, fr.env, closure)
    cx.active.append(key)
    cx.entered.append(identity)
    try:
        return run(cx, fr, tree)
    finally:
        cx.active.pop()
        cx.entered.pop()


def key_of(cx: Lowering, identity: object, env: dict[str, Value], closure: dict[str, Value]) -> Any:
    """What two calls must share to be calls of one function; None: this call can only be lowered in place."""
    parts = []
    for values in (env, closure):
        for n, v in values.items():
            kind = _kind(cx, v)
            if kind is None:
                return None
            parts.append((n, kind))
    return (identity, tuple(parts))


def _kind(cx: Lowering, v: Value) -> Any:
    match v:
        case Num(expr=Const() as c):
            return ("constant", c, v.weak)
        case Num():
            return ("number", v.dtype, v.weak)
        case Arr():
            return ("array", v.dtype, v.ndim, _order(cx, v), v.writable)
        case Tup() if not v.mutable:
            kinds = tuple(_kind(cx, x) for x in v.items)
            return None if None in kinds else ("tuple", v.cls, kinds)
        case Static():
            return ("static", v)
        case Object():
            return ("object", v.type.cls)
        case Func():
            return ("function", v.tree)
    return None


def _order(cx: Lowering, v: Arr) -> str:
    one_after_another = v.ndim == 1 and len(v.dims) == 1 and v.dims[0].step == const(1) and v.dims[0].axis == 0
    if one_after_another and getattr(cx.data[v.data], "strides", None) is None and not isinstance(cx.data[v.data], Ref):
        return "C"
    return "C" if order_of(cx, v) == "C" else "A"


def _general(cx: Lowering, v: Value) -> Value:
    """A constant number as one that is known at run time only."""
    if not (isinstance(v, Num) and isinstance(v.expr, Const)):
        return v
    name = cx.scalar(v.dtype, "n")
    cx.write(name, v.expr)
    return Num(cx.let(cx.read(name), "n"), v.weak)


def _closure(cx: Lowering, fr: Frame, tree: Any) -> dict[str, Value]:
    """The variables of enclosing functions that a function, and the functions it can call, may read."""
    out: dict[str, Value] = {}
    todo = sorted(_free(tree))
    while todo:
        n = todo.pop(0)
        frame = fr.parent
        while frame is not None and n not in frame.env:
            frame = frame.parent
        if frame is None or n in out:
            continue
        v = frame.env[n]
        out[n] = v if isinstance(v, MaybeUnbound) else read_name(cx, v)
        if isinstance(v, Func):
            todo.extend(sorted(_free(v.tree)))
    return dict(sorted(out.items()))


def _free(tree: ast.FunctionDef | ast.Lambda) -> set[str]:
    body: list[ast.AST] = [tree.body] if isinstance(tree, ast.Lambda) else list(tree.body)
    return names_read(body) - local_names(tree)


# --- the function -----------------------------------------------------------------------------------------------------


def _compiled(
    cx: Lowering, fr: Frame, tree: Any, identity: object, key: Any, closure: dict[str, Value], run: Run
) -> Recursive:
    """Lower the function until its results, and the global arrays that it reads, are known."""
    name = cx.function_name(fr.name.rpartition(".")[2].strip("<>"))
    function = cx.functions[key] = Recursive(key, name)
    try:
        for _ in range(MAX_ROUNDS):
            known = set(cx.functions)
            before = (function.result, tuple(function.captures))
            _lower(cx, function, fr, tree, identity, closure, run)
            if (function.result, tuple(function.captures)) == before:
                return function
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
        outer = Frame(fr.parent.name, fr.file, {}, fr.resolve, fr.parent.live, set())
        outer.env.update({n: arguments.value(v, n, outer) for n, v in closure.items()})
    inner.capture = partial(_capture, inner, arguments, function)
    for path, (owner, kind, name, array) in function.captures.items():
        inner.captures[path] = arguments.captured(cx.capture(owner, kind, name, array), name)
    if function.objects:  # which may hold the arrays, too
        inner.learned.held |= {p.name for p in inner.params if p.kind == "array"}
    inner.share_arrays()
    frame = Frame(fr.name, fr.file, env, fr.resolve, fr.live, fr.locals, returns=[], parent=outer)
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
    function.program = nodes.Program(
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
                return self._array(v, _order(cx.caller or cx, v), name)
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
    path: Path = (*inner.paths.get(id(owner), ()), (kind, name))
    if path not in inner.captures:
        function.captures[path] = (owner, kind, name, value)
        array = inner.caller.capture(owner, kind, name, value)
        inner.captures[path] = arguments.captured(array, inner.fresh(name))
        if isinstance(array, Arr):
            inner.keep(inner.captures[path].data)
    found: Value = inner.captures[path]
    return found


# --- calls ------------------------------------------------------------------------------------------------------------


def _call(cx: Lowering, function: Recursive, env: dict[str, Value], closure: dict[str, Value]) -> Value:
    """Emit the call and give its result."""
    if any(a.groups for a in cx.attempts):
        raise cx.unsupported("a recursive call in a try", "keep the try outside of the recursion")
    if function.result is None:
        raise Unreachable
    ins: list[Expr | Memlet] = [symbolic.add(Sym("depth"), const(1)) if cx.caller is not None else const(1)]
    arrays: list[Arr] = []
    objects: list[Object] = []
    for v in (*env.values(), *closure.values()):
        _flatten(cx, v, ins, arrays, objects)
    for x, known in zip(objects, function.objects):
        join_types(cx.learned, known, x.type)
    for owner, kind, name, value in list(function.captures.values()):
        _flatten(cx, cx.capture(owner, kind, name, value), ins, arrays, objects)
    outs: list[str] = []
    roots = frozenset(r for a in arrays for r in cx.roots_of(a.data))
    result = receive(cx, function.result.tree, outs, arrays, roots)
    cx.emit(nodes.Call(function.name, tuple(outs), tuple(ins)))
    return read_result(cx, result)


def _flatten(cx: Lowering, v: Value, ins: list[Expr | Memlet], arrays: list[Arr], objects: list[Object]) -> None:
    match v:
        case Num() if not isinstance(v.expr, Const):
            ins.append(cx.let(v.expr, "argument"))
        case Tup():
            for x in v.items:
                _flatten(cx, x, ins, arrays, objects)
        case Object():
            ins.append(Sym(v.data) if v.param else Memlet(v.data))
            objects.append(v)
        case Arr():
            window = v.window()
            if window is None:
                v = copy_array(cx, v)
                window = v.window()
                assert window is not None
            ins.append(window)
            arrays.append(v)


def reached(cx: Lowering, body: nodes.Region) -> set[str]:
    """The functions that a body calls, directly or not."""
    programs = {f.name: f.program for f in cx.functions.values()}
    found: set[str] = set()
    todo: list[nodes.Node] = [body]
    while todo:
        for n in walk(todo.pop()):
            if isinstance(n, nodes.Call) and n.function not in found:
                found.add(n.function)
                program = programs[n.function]
                assert program is not None
                todo.append(program.body)
    return found
