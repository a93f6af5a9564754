"""Long functions that are called several times with arguments of the same types: compiled once, as functions of the program, and called.

A function is lowered where it is called as long as that is little work (`SPENT`): then it takes part in what surrounds it, and nothing is
called at run time. Of one that is long (`LONG`) and has been lowered in place that often, further calls become a `Call` of a function of the
program (`recursive_functions.py`). What that must know of the caller is part of the key: which lengths are equal, constant, or made of the
sizes of the program's own arguments. About these it can ask as code in place can: guards are of the program as a whole.

What a function of the program cannot express is lowered in place as before: arguments that may be one memory, lists, closures, attributes that the
program assigns, results that are views or objects.
"""

from __future__ import annotations

import ast
from typing import Any, TypeGuard

from soljit.base.errors import ObjectNeeded, UnsupportedError
from soljit.base.place import Loc, is_ours
from soljit.frontend_ast.calls.recursion.function_parameters import least, order_in_key
from soljit.frontend_ast.calls.recursion.recursion import emit_call, general
from soljit.frontend_ast.calls.recursion.recursive_functions import Run, compiled, disjoint
from soljit.frontend_ast.lowering.frames import Frame
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.syntax.boxes import key_of as key_in_file
from soljit.frontend_ast.values.values import Arr, Instance, Num, Static, Tup, Value
from soljit.ir.core.expr import Const, Expr
from soljit.ir.core.types import f64, i64

LONG = 60  # what lowering the function costs (`Work.cost`)
SPENT = 400  # what lowering it in place may cost in all
AT_LEAST = 3  # so many calls of it there must be


def called(cx: Lowering, fr: Frame, tree: ast.AST, identity: object, key: Any, run: Run) -> Value | None:
    """The result of a call of a function of the program; None: lower it in place."""
    if key not in cx.learned.often or key in cx.learned.in_place:
        return None
    function, env = cx.functions.get(key), dict(fr.env)
    try:
        for n, v in env.items():
            if _is_float(v):
                fr.env[n] = general(cx, v, set())
        if function is None:
            function = compiled(cx, fr, tree, identity, key, {}, run, True)
        return emit_call(cx, function, fr.env, {})
    except (UnsupportedError, ObjectNeeded):
        cx.learned.in_place.add(key)
        fr.env.update(env)
        return None


def note(cx: Lowering, key: Any, place: Loc, cost: int) -> None:
    """The function has been lowered in place, at this place."""
    if key is None or cost < LONG:
        return
    places = cx.work.in_place.setdefault(key, set())
    places.add((place.chain(), cx.way))
    if len(places) >= AT_LEAST and len(places) * cost >= SPENT and key not in cx.learned.in_place:
        cx.learned.often.add(key)
        cx.learned.changed |= any(_has_arrays(part) for _, part in key[1][:-1])  # loops are costly to compile


def key_of(cx: Lowering, fr: Frame, tree: ast.FunctionDef | ast.Lambda, identity: object) -> Any:
    """What two calls must have in common to be calls of one function of the program; None: that cannot be one."""
    usual = isinstance(tree, ast.FunctionDef) and fr.parent is None and not cx.raising and not cx.work.general
    if not (cx.work.shares and usual) or any(a.groups for a in cx.attempts):
        return None
    if any(f is identity for f in cx.entered) or any(k is not None and k[0] is identity for k in cx.active):
        return None
    if is_ours(fr.file) or key_in_file(fr.file, tree) in cx.learned.recursive:
        return None
    lengths: dict[Expr, int] = {}
    arrays: list[Arr] = []
    parts = tuple((n, ("float", v.weak) if _is_float(v) else _part(cx, v, lengths, arrays)) for n, v in fr.env.items())
    if any(part is None for _, part in parts) or not disjoint(cx, arrays):
        return None
    if cx.repeating and not any(_is_long(a) for a in arrays):
        return None  # in place it can become part of the loop
    return identity, (*parts, ("", "apart"))  # no other key (`recursion.key_of`) has this


def _is_float(v: Value) -> TypeGuard[Num]:
    """Tell whether this is a constant that is a number of run time for a function of the program: text that is compiled depends on ints only."""
    return isinstance(v, Num) and isinstance(v.expr, Const) and v.dtype is f64


def _part(cx: Lowering, v: Value, lengths: dict[Expr, int], arrays: list[Arr]) -> Any:
    match v:
        case Num(expr=Const() as c):
            return "constant", c, v.weak
        case Num(dtype=t) if t is f64:
            return "float", v.weak
        case Num():
            known = lengths.get(v.expr) if v.dtype is i64 else None
            return "number", v.dtype, v.weak, known, least(cx, v.expr) if v.dtype is i64 else None
        case Arr():
            arrays.append(v)
            order = order_in_key(cx, v)
            shape = tuple(_length(cx, n, lengths) for n in v.shape)
            return "array", v.dtype, v.ndim, order, v.writable, v.rank if order == "A" else (), shape
        case Tup() if not v.mutable:
            parts = tuple(_part(cx, x, lengths, arrays) for x in v.items)
            return None if None in parts else ("tuple", v.cls, parts)
        case Static():
            return "static", v
        case Instance() if any(x is v for x in cx.root.instances):
            return "instance", v.name
    return None


def _length(cx: Lowering, n: Expr, lengths: dict[Expr, int]) -> Any:
    """A length: constant, made of the sizes of the program's arguments, or one of those that only the run tells."""
    if isinstance(n, Const):
        return n
    number = lengths.setdefault(n, len(lengths))
    if cx.is_at_entry(n):
        return "size", cx.of_program(n), number
    return "length", number, least(cx, n)


def _has_arrays(part: Any) -> bool:
    return part[0] == "array" or (part[0] == "tuple" and any(map(_has_arrays, part[2])))


def _is_long(a: Arr) -> bool:
    """Tell whether the number of elements is not known, so that work on them is worth a call."""
    return not all(isinstance(n, Const) for n in a.shape)
