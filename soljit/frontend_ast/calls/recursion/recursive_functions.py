"""Functions of the program: Python functions that call themselves, lowered on their own.

Numbers, sizes and arrays are parameters of the function, and so are the variables of enclosing functions and the global arrays that it
reads. Of the types of its results nothing is known at first: paths that need them are cut off, and the others tell. Then it is
lowered again with what was found, until nothing changes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from soljit.frontend_ast.calls.recursion.function_parameters import Arguments, Known, Recursive
from soljit.frontend_ast.calls.recursion.recursive_results import Result, describe_result, join_result_types
from soljit.frontend_ast.lowering import dominance
from soljit.frontend_ast.lowering.blocks import Unreachable, below, freeze
from soljit.frontend_ast.lowering.emission import HELD
from soljit.frontend_ast.lowering.frames import Frame
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values.values import (
    Arr,
    Instance,
    Lazy,
    Num,
    Static,
    Tup,
    Union,
    Value,
)
from soljit.frontend_ast.values.variables import ScalarVar
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.expr import Expr, Memlet, Sym, const
from soljit.ir.core.types import i64
from soljit.ir.walk import reached

MAX_ROUNDS = 8


DEEPEST = 100_000  # calls inside one another at least; the generated code looks at the stack itself, too


Run = Callable[[Lowering, Frame, Any], Value]


def compiled(
    cx: Lowering,
    fr: Frame,
    tree: Any,
    identity: object,
    key: Any,
    closure: dict[str, Value],
    run: Run,
    apart: bool = False,
) -> Recursive:
    """Lower the function until its results, and the global arrays that it reads, are known."""
    name = cx.function_name(fr.name.rpartition(".")[2].strip("<>"))
    function = cx.functions[key] = Recursive(key, name, apart=apart)
    try:
        for _ in range(MAX_ROUNDS):
            known = set(cx.functions)
            before, captured = (function.result, function.reaches), _outside(function)
            function.early = False
            _lower(cx, function, fr, tree, identity, closure, run)
            if apart and function.captures:
                raise cx.unsupported("an array from outside, in a function of the program")
            settled = _outside(function) == captured
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


def _outside(function: Recursive) -> tuple[object, ...]:
    return (*function.captures, *((x.name, name) for x, name in function.attributes))


def disjoint(cx: Lowering, arrays: Iterable[Arr]) -> bool:
    """Tell whether no two of these arrays share memory."""
    seen: set[str] = set()
    for a in arrays:
        roots = cx.roots_of(a.data)
        if not seen.isdisjoint(roots):
            return False
        seen |= roots
    return True


def _lower(
    cx: Lowering, function: Recursive, fr: Frame, tree: Any, identity: object, closure: dict[str, Value], run: Run
) -> None:
    inner = cx.function_lowering(function.name, function.apart)
    arguments = Known(inner, function) if function.apart else Arguments(inner)
    inner.params.append(nodes.Param("depth", "scalar", i64))
    inner.taken.add("depth")
    function.objects.clear()
    arguments.objects = function.objects
    env = {n: arguments.value(v, n) for n, v in fr.env.items()}
    outer: Frame | None = None
    if fr.parent is not None:
        outer = Frame(fr.parent.name, fr.file, {}, fr.resolve, fr.parent.live, set(), tree=fr.parent.tree)
        outer.env.update({n: arguments.value(v, n, outer) for n, v in closure.items()})
    arguments.keyed = False
    inner.capture = partial(_capture, inner, arguments, function)
    for path, (owner, kind, name, array) in function.captures.items():
        inner.captures[path] = arguments.captured(cx.capture(owner, kind, name, array), name)
    if isinstance(arguments, Known):
        inner.attribute_outside = partial(_attribute, inner, arguments, function)
        for owner, name in function.attributes:
            arguments.attribute(owner, name)
        arguments.relate()
    if not function.apart:
        inner.learned.held |= {p.name for p in inner.params if p.kind == "array"}  # Python objects may hold them, too
        inner.share_arrays()
    frame = Frame(fr.name, fr.file, env, fr.resolve, fr.live, fr.locals, returns=[], parent=outer, tree=fr.tree)
    frame.first = fr.first
    limit = max(sys.getrecursionlimit(), DEEPEST)
    inner.loc = cx.loc
    if not function.apart:
        inner.check(symbolic.lt(Sym("depth"), const(limit)), "RecursionError", "maximum recursion depth exceeded")
    inner.active.append(function.key)
    try:
        value: Value | None = run(inner, frame, tree)
    except Unreachable:
        value = None
    if inner.current.done:
        value = None
    results: list[nodes.Result] = []
    made: list[tuple[Arr, Any]] = []
    if value is not None:
        values: list[Expr | Memlet] = []
        if function.apart and not _is_new(value):
            raise cx.unsupported("a function of the program that returns what its arguments hold, or an object")
        tree_ = describe_result(inner, value, values, results, made)
        if function.result is not None:
            join_result_types(inner, function.result.tree, tree_)
        function.result = Result(tree_)
        inner.emit(nodes.Return(tuple(values)))
    elif function.result is None:  # it never returns
        function.result = Result(Static(None))
    if isinstance(arguments, Known):
        function.result = Result(arguments.of_parameters(function.result.tree, iter([a for a, _ in made])))
    else:
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


def _capture(
    inner: Lowering, arguments: Arguments, function: Recursive, owner: object, kind: str, name: str, value: Any
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


def _attribute(inner: Lowering, arguments: Known, function: Recursive, owner: Instance, name: str) -> Value:
    """An attribute of an argument of the program, asked for in the function."""
    if not any(x is owner and n == name for x, n in function.attributes):
        function.attributes.append((owner, name))
    return arguments.attribute(owner, name)


def _is_new(v: Value) -> bool:
    """Tell whether this is a result that a function of the program may have, which knows of its arguments what its key says: numbers and arrays."""
    if isinstance(v, Tup):
        return not v.mutable and all(map(_is_new, v.items))
    if isinstance(v, Union):
        return v.wide is not None or all(isinstance(x, (ScalarVar, Num, Static)) for x in v.options)
    return isinstance(v, (Num, Static, Arr, Lazy))
