"""Functions that call themselves: compiled once as functions of the program, for the types of their arguments, and called.

A Python function is lowered where it is called (`calls/calls.py`), until a call comes back to a function that is being lowered with
arguments of the same types. That call becomes a `Call` of a function of the program (`recursive_functions.py`).
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from types import FunctionType
from typing import Any

from soljit.base.errors import UnsupportedError
from soljit.frontend_ast.arrays.memlets import in_window
from soljit.frontend_ast.calls.classes import instance_arguments
from soljit.frontend_ast.calls.recursion.function_parameters import Recursive, is_held, order_in_key
from soljit.frontend_ast.calls.recursion.recursive_functions import Run, compiled, disjoint
from soljit.frontend_ast.calls.recursion.recursive_results import Leaf, leaves, read_result, receive
from soljit.frontend_ast.joins.binding import read_name
from soljit.frontend_ast.joins.unions import holds_union, split
from soljit.frontend_ast.lowering.blocks import Unreachable
from soljit.frontend_ast.lowering.boxing import box
from soljit.frontend_ast.lowering.frames import Frame
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.contents import grow
from soljit.frontend_ast.objects.functions import function_object
from soljit.frontend_ast.objects.objects import make_object
from soljit.frontend_ast.syntax.boxes import key_of as key_in_file
from soljit.frontend_ast.syntax.scopes import local_names, names_read, names_shared
from soljit.frontend_ast.values.learned import join_types
from soljit.frontend_ast.values.values import Arr, Dict, Func, MaybeUnbound, Num, Object, Static, Tup, Value
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.expr import Const, Expr, Memlet, Sym, const
from soljit.ir.core.types import i64
from soljit.ir.walk import substitute, walk

DEEPEST_IN_PLACE = 3  # calls of one function inside one another that are lowered in place for the sake of static lists


MAX_OF_CIRCLE = 2  # calls, from outside, of functions that call one another that are lowered in place


NEVER = -1_000_000  # so many calls of a function that can only be lowered in place are behind


MAX_UNROLLED = 12  # calls with other constants that are lowered in place before the constants become arguments


def identity_of(function: FunctionType) -> object:
    """What makes two calls calls of one function: its code and, as the functions that a decorator makes share theirs, its closure."""
    return function if function.__closure__ else function.__code__


def enter(cx: Lowering, fr: Frame, tree: Any, identity: object, run: Run) -> Value:
    """Call a Python function whose arguments are bound in `fr`: in place, or as a function of the program."""
    if any(f is identity for f in cx.entered) and any(map(holds_union, fr.env.values())):
        return split(
            cx,
            list(fr.env.values()),
            lambda vs: enter(cx, fr.with_arguments(dict(zip(fr.env, vs))), tree, identity, run),
        )
    closure = _closure(cx, fr, tree, identity) if fr.parent is not None else {}
    key = key_of(cx, identity, fr.env, closure)
    mine = [k for k in cx.active if k is not None and k[0] is identity]
    inside = any(f is identity for f in cx.entered)
    if mine or inside:
        cx.learned.recursive.add(key_in_file(fr.file, tree))
    if inside:
        _note_circle(cx, identity)
    many = not inside and not cx.work.compiles_in_place(identity) and cx.circles.get(id(identity), 0) >= 0
    apart = (isinstance(v, Func) and not _stands_in(v, fr) for v in (*fr.env.values(), *closure.values()))
    if many and (any(a.groups for a in cx.attempts) or any(apart)):
        many, key = False, None
    if many and key is not None:
        key = _with_fewer_constants(cx, fr, identity, key, closure)
    shared = key is not None and not mine and (_is_often_in_place(cx, identity) or many)
    if inside or shared:
        _box_shared(cx, fr, tree, closure)
    if sum(f is identity for f in cx.entered) > DEEPEST_IN_PLACE:
        for v in (*fr.env.values(), *closure.values()):
            if (isinstance(v, Dict) and v.cls is None) or (isinstance(v, Tup) and v.mutable):
                grow(cx, v)  # lists and dicts go into a function of the program as objects
    if mine and key not in cx.functions and key not in mine:
        cx.unrolled[id(identity)] = cx.unrolled.get(id(identity), 0) + 1
    if cx.unrolled.get(id(identity), 0) > MAX_UNROLLED:
        for env in (fr.env, closure):
            for n, v in env.items():
                env[n] = general(cx, v, {dict(part).get(n) for _, part in mine})
        key = key_of(cx, identity, fr.env, closure)
    if key is not None and (key in cx.functions or key in mine):
        function = cx.functions.get(key)
        if function is None:
            function = compiled(cx, fr, tree, identity, key, closure, run)
        return emit_call(cx, function, fr.env, closure)
    if shared:
        try:
            return emit_call(cx, compiled(cx, fr, tree, identity, key, closure, run), fr.env, closure)
        except UnsupportedError:  # as a function of the program: in place it may do
            cx.circles[id(identity)] = NEVER
    cx.active.append(key)
    cx.entered.append(identity)
    try:
        return run(cx, fr, tree)
    finally:
        cx.active.pop()
        cx.entered.pop()


def _with_fewer_constants(cx: Lowering, fr: Frame, identity: object, key: Any, closure: dict[str, Value]) -> Any:
    """The key of a call; without its constants, which are numbers of run time then, if the function was called with several."""
    constants = [kind for _, kind in key[1] if isinstance(kind, tuple) and kind[0] == "constant"]
    if cx.work.keeps_constants(identity, constants):
        return key
    for env in (fr.env, closure):
        for n, v in env.items():
            env[n] = general(cx, v, set())
    return key_of(cx, identity, fr.env, closure)


def _note_circle(cx: Lowering, identity: object) -> None:
    """A call has come back to a function: those on the way call one another."""
    last = max(k for k, f in enumerate(cx.entered) if f is identity)
    for f in cx.entered[last:]:
        cx.circles.setdefault(id(f), 0)


def _is_often_in_place(cx: Lowering, identity: object) -> bool:
    """Tell whether this is one call too many of such a function to be lowered in place. In all the others of its circle would be lowered again."""
    if id(identity) not in cx.circles or any(a.groups for a in cx.attempts):
        return False
    cx.circles[id(identity)] += 1
    return cx.circles[id(identity)] > MAX_OF_CIRCLE


def _box_shared(cx: Lowering, fr: Frame, tree: Any, closure: dict[str, Value]) -> None:
    """Variables of functions around it that a function of the program, or one that it calls, assigns must be in boxes."""
    for t in (tree, *(v.tree for v in closure.values() if isinstance(v, Func))):
        for n in sorted(names_shared(t)) if isinstance(t, ast.FunctionDef) else ():
            owner = fr.parent
            while owner is not None and n not in owner.env and n not in owner.locals:
                owner = owner.parent
            if owner is not None:
                box(cx, owner, n)


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
            return ("array", v.dtype, v.ndim, order_in_key(cx, v), v.writable)
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


def general(cx: Lowering, v: Value, kinds: set[Any]) -> Value:
    """A constant number as one that is known at run time only, and so a text of which the calls around this one have several kinds."""
    if isinstance(v, Static) and isinstance(v.obj, str) and len({*kinds, _kind(cx, v)}) > 1:
        return make_object(cx, v)
    if not (isinstance(v, Num) and isinstance(v.expr, Const)):
        return v
    name = cx.scalar(v.dtype, "n")
    cx.write(name, v.expr)
    return Num(cx.let(cx.read(name), "n"), v.weak)


def _closure(cx: Lowering, fr: Frame, tree: Any, identity: object) -> dict[str, Value]:
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
        if isinstance(v, MaybeUnbound) and isinstance(v.value, Func) and v.value.tree is tree:
            v = v.value  # it is being called
        if isinstance(v, Func) and any(f is identity for f in cx.entered) and not _stands_in(v, fr):
            v = function_object(cx, v)  # its variables are others than those that are looked up here
        out[n] = v if isinstance(v, MaybeUnbound) else read_name(cx, v)
        if isinstance(v, Func):
            todo.extend(sorted(_free(v.tree)))
    return dict(sorted(out.items()))


def _stands_in(f: Func, fr: Frame) -> bool:
    """Tell whether the function was made in one of the functions around this frame."""
    around = fr.parent
    while around is not None and around is not f.frame:
        around = around.parent
    return around is not None


def _free(tree: ast.FunctionDef | ast.Lambda) -> set[str]:
    body: list[ast.AST] = [tree.body] if isinstance(tree, ast.Lambda) else list(tree.body)
    return names_read(body) - local_names(tree)


def emit_call(cx: Lowering, function: Recursive, env: dict[str, Value], closure: dict[str, Value]) -> Value:
    """Emit the call and give its result."""
    function.early |= function.open
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
    for owner, name in list(function.attributes):
        _flatten(cx, instance_arguments.attribute(cx, owner, name), ins, arrays, objects)
    unforeseen = any(is_held(cx, a) and number not in function.held for number, a in enumerate(arrays))
    if function.apart and (unforeseen or not disjoint(cx, arrays)):
        raise cx.unsupported("arrays that may be one memory, given to a function of the program")
    outs: list[str] = []
    roots = frozenset(r for a in arrays for r in cx.roots_of(a.data))
    result = receive(cx, function.result.tree, outs, arrays, roots)
    if function.reaches:
        cx.hold_arguments()
    cx.emit(nodes.Call(function.name, tuple(outs), tuple(ins), (cx.held_root(),) if function.reaches else ()))
    if function.apart:
        know_shapes(cx, function, result, arrays, ins)
    return read_result(cx, result)


def know_shapes(
    cx: Lowering, function: Recursive, result: Any, arrays: list[Arr], ins: Sequence[Expr | Memlet]
) -> None:
    """The shapes of results, where they are made of those of the arguments and of integers."""
    assert function.program is not None and function.result is not None
    known = {s: arrays[number].shape[axis] for s, (number, axis) in function.sizes.items()}
    for p, x in zip(function.program.params, ins):
        if p.kind == "scalar" and p.dtype is i64 and isinstance(x, Expr):
            known[p.name] = x
    for leaf, received in zip(leaves(function.result.tree), leaves(result)):
        if isinstance(leaf, Leaf) and leaf.shape is not None:
            shape = tuple(symbolic.simplify(substitute(n, known)) for n in leaf.shape)
            cx.lengths[received[1]] = tuple(cx.let(n) for n in shape)


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
            v, window = in_window(cx, v)
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
