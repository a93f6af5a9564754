"""`while` loops that count: with a step of constant size at every iteration, `while k < n` runs over a range.

Such a loop knows where its subscripts lie, asks for what its checks need in front of it, and may become a map. What the condition asks behind the
comparison (`while k < n and …`) ends the loop like a `break`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from soljit.base.records import dataclass
from soljit.frontend_ast.expressions.expressions import evaluate
from soljit.frontend_ast.joins.binding import read_name
from soljit.frontend_ast.lowering.frames import Frame
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.syntax.scopes import assigned_names, names_of_changed_objects, own_statements
from soljit.frontend_ast.values.values import Arr, Num, Static
from soljit.frontend_ast.values.variables import ArrayVar, ScalarVar
from soljit.ir import symbolic
from soljit.ir.core.expr import Expr, Range, const
from soljit.ir.core.types import i64

FAR = 1 << 62  # bounds up to which a step cannot leave 64 bits
_TOWARDS = {ast.Lt: 1, ast.LtE: 1, ast.Gt: -1, ast.GtE: -1}
_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}
_LENGTHS = ("shape", "size", "ndim")


@dataclass(frozen=True)
class Counting:
    """A loop that counts `name` through `span`; `others`: what else must hold for another iteration."""

    name: str
    span: Range
    others: ast.expr | None


def counting(cx: Lowering, fr: Frame, s: ast.While) -> Counting | None:
    """How a loop counts; None if it does not, or if that cannot be told in front of it."""
    first, *rest = s.test.values if isinstance(s.test, ast.BoolOp) and isinstance(s.test.op, ast.And) else [s.test]
    for name, relation, bound in _comparisons(first):
        step = _step(fr, s, name)
        if step is None or step * _TOWARDS[relation] <= 0 or not _stays(cx, fr, s, bound):
            continue
        start = read_name(cx, fr.env[name]) if isinstance(fr.env.get(name), (Num, ScalarVar)) else None
        stop = evaluate(cx, fr, bound)
        if not isinstance(start, Num) or not isinstance(stop, Num) or not _is_int(start) or not _is_int(stop):
            continue
        span = _span(cx, cx.let(start.expr), cx.let(stop.expr), relation, step)
        if span is not None:
            others = ast.copy_location(ast.BoolOp(ast.And(), rest), s.test) if len(rest) > 1 else [*rest, None][0]
            return Counting(name, span, others)
    return None


def _is_int(v: Num) -> bool:
    return v.weak and v.dtype is i64


def _span(cx: Lowering, start: Expr, stop: Expr, relation: type[ast.cmpop], step: int) -> Range | None:
    """The range; None if a step behind its end might leave 64 bits."""
    cx.moderate(start)
    cx.moderate(stop)
    inclusive = relation in (ast.LtE, ast.GtE)
    if inclusive or abs(step) > 1:
        low, high = cx.facts.bounds(stop)
        if low is None or high is None or low < -FAR or high > FAR or abs(step) > FAR:
            return None
    return Range(start, symbolic.add(stop, const(_TOWARDS[relation] * inclusive)), const(step))


def _comparisons(e: ast.expr) -> Iterator[tuple[str, type[ast.cmpop], ast.expr]]:
    """The names that a comparison compares with something."""
    if not isinstance(e, ast.Compare) or len(e.ops) > 1 or type(e.ops[0]) not in _TOWARDS:
        return
    relation, a, b = type(e.ops[0]), e.left, e.comparators[0]
    if isinstance(a, ast.Name):
        yield a.id, relation, b
    if isinstance(b, ast.Name):
        yield b.id, _TURNED[relation], a


def _step(fr: Frame, s: ast.While, name: str) -> int | None:
    """What every iteration adds to a name that nothing else in the loop binds."""
    if name in fr.shared | fr.globals | fr.outside:
        return None
    found = [x for x in s.body if name in assigned_names([x])]
    every = [x for n in (s.test, *s.body) for x in ast.walk(n)]
    if len(found) != 1 or any(isinstance(x, (ast.Yield, ast.YieldFrom)) for x in every):
        return None
    if any(isinstance(x, ast.Continue) for x in own_statements(s.body)) or name in assigned_names([ast.Expr(s.test)]):
        return None
    match found[0]:
        case ast.AugAssign(target=ast.Name(), op=ast.Add() | ast.Sub() as op, value=ast.Constant(value=step)):
            pass
        case ast.Assign(
            targets=[ast.Name()],
            value=ast.BinOp(left=ast.Name(id=old), op=ast.Add() | ast.Sub() as op, right=ast.Constant(value=step)),
        ) if old == name:
            pass
        case _:
            return None
    if type(step) is not int:
        return None
    return step if isinstance(op, ast.Add) else -step


def _stays(cx: Lowering, fr: Frame, s: ast.While, bound: ast.expr) -> bool:
    """Tell whether an expression has one value in all iterations, and evaluating it does nothing else."""
    match bound:
        case ast.Constant(value=value):
            return type(value) is int
        case ast.Name(id=name):
            changed = assigned_names([ast.Expr(s.test), *s.body]) | fr.shared | fr.globals | fr.outside
            if name in changed or names_of_changed_objects(s.body):
                return False
            if name in fr.env:
                return isinstance(fr.env[name], (Num, ScalarVar, Arr, ArrayVar))
            return fr.parent is None and name not in fr.locals
        case ast.BinOp(left=a, op=ast.Add() | ast.Sub() | ast.Mult() | ast.FloorDiv(), right=b):
            return _stays(cx, fr, s, a) and _stays(cx, fr, s, b)
        case ast.Call(func=ast.Name(id="len") as func, args=[ast.Name() as x], keywords=[]):
            if "len" in fr.env or "len" in fr.locals or not isinstance(fr.env.get(x.id), (Arr, ArrayVar)):
                return False
            known = evaluate(cx, fr, func)
            return isinstance(known, Static) and known.obj is len and _stays(cx, fr, s, x)
        case ast.Subscript(value=ast.Attribute(value=ast.Name() as x, attr="shape"), slice=ast.Constant()):
            return isinstance(fr.env.get(x.id), (Arr, ArrayVar)) and _stays(cx, fr, s, x)
        case ast.Attribute(value=ast.Name() as x, attr="size"):
            return isinstance(fr.env.get(x.id), (Arr, ArrayVar)) and _stays(cx, fr, s, x)
    return False
