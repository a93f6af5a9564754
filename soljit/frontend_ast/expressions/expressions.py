"""Lowering of Python expressions: `evaluate(cx, fr, node)` gives the value of an AST expression, emitting what it needs.

Evaluation order is Python's. Displays, conditionals and comparisons have files of their own; they evaluate what is inside them by `cx.above.evaluate`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from soljit.base.errors import UnsupportedError
from soljit.base.messages import unbound_free, unbound_local
from soljit.frontend_ast.calls import calls
from soljit.frontend_ast.calls.attribute_reads import attribute_of
from soljit.frontend_ast.calls.classes.special_methods import binary_special
from soljit.frontend_ast.calls.object_calls import call_python_object
from soljit.frontend_ast.expressions import call_expressions, comprehensions
from soljit.frontend_ast.expressions.conditionals import condition, lower_boolop, lower_comparison, lower_conditional
from soljit.frontend_ast.expressions.displays import lower_dict, lower_fstring, lower_set, lower_tuple
from soljit.frontend_ast.joins import unions
from soljit.frontend_ast.joins.binding import bind, pin, read_name
from soljit.frontend_ast.joins.operands import point, taken_before
from soljit.frontend_ast.joins.tagged_numbers import one_sign
from soljit.frontend_ast.joins.unions import of_either_type
from soljit.frontend_ast.lowering import boxing
from soljit.frontend_ast.lowering.frames import Frame, Given, place
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.numbers import object_operators
from soljit.frontend_ast.numbers.always_raises import of_operator
from soljit.frontend_ast.numbers.operators import binary, unary
from soljit.frontend_ast.objects import iterators
from soljit.frontend_ast.objects.functions import defined, function_object
from soljit.frontend_ast.syntax.rename_handlers import written
from soljit.frontend_ast.syntax.side_effects import may_have_effects
from soljit.frontend_ast.values.constants import constant, member_number
from soljit.frontend_ast.values.values import (
    Arr,
    Func,
    Generated,
    Generator,
    Iteration,
    Lazy,
    MaybeUnbound,
    Method,
    Num,
    Object,
    OneShot,
    SliceVal,
    Static,
    Tup,
    Value,
)
from soljit.frontend_ast.views import indexing
from soljit.frontend_ast.views.mixed_indices import read_item
from soljit.ir.core.expr import Const


def evaluate(cx: Lowering, fr: Frame, node: ast.expr) -> Value:
    """The value of an expression."""
    handler = _HANDLERS.get(type(node))
    cx.work.step(cx.learned.changed)
    saved = cx.loc
    cx.loc = place(fr, node)
    try:
        if handler is None:
            raise cx.unsupported(f"{type(node).__name__} expressions are not supported")
        return handler(cx, fr, node)
    except UnsupportedError:
        raise
    finally:
        cx.loc = saved


def _constant(cx: Lowering, fr: Frame, node: ast.Constant) -> Value:
    return constant(node.value)


def _unbound(fr: Frame, owner: Frame, name: str) -> tuple[str, str]:
    """The exception for a name that is not bound: where it is local, and in functions nested there."""
    name = written(name)
    while fr is not owner and fr.in_place and fr.parent is not None:
        fr = fr.parent
    if fr is owner:
        return "UnboundLocalError", unbound_local(name)
    return "NameError", unbound_free(name)


def _name(cx: Lowering, fr: Frame, node: ast.Name) -> Value:
    frame: Frame | None = fr
    while frame is not None:
        if node.id in frame.env:
            v = frame.env[node.id]
            if isinstance(v, MaybeUnbound):
                if node.id in frame.locals:
                    cx.check(cx.present(v.bound), *_unbound(fr, frame, node.id))
                return read_name(cx, v.value)
            if isinstance(v, (Iteration, Generated, Generator, OneShot)) and _used_again(fr, frame, node.id):
                iterators.needed(cx, v)
                raise cx.unsupported(
                    f"'{node.id}', an iterator, is used more than once", "make a list of it, or write the call twice"
                )
            return read_name(cx, v)
        if node.id in frame.locals:
            cx.raise_(*_unbound(fr, frame, node.id))
            return Static(None)
        if frame.parent is None:
            break
        frame = frame.parent
    assert frame is not None
    value: Value = frame.resolve(cx, node.id)
    return value


def _used_again(fr: Frame, owner: Frame, name: str) -> bool:
    """Tell whether this name may be read again after the present statement, or twice in it."""
    s = fr.statement
    if s is None or fr is not owner or isinstance(s, ast.While):
        return True
    reads = [n for n in ast.walk(s) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)]
    return len(reads) > 1 or name in fr.live.get(s, set())


def _attribute(cx: Lowering, fr: Frame, node: ast.Attribute) -> Value:
    owner = of_either_type(cx, evaluate(cx, fr, node.value))
    if unions.holds_union(owner) and node.attr in unions.METHOD_NAMES:
        return Method(owner, node.attr)  # looked up where it is called, once the type is known
    return unions.split(cx, [owner], lambda vs: attribute_of(cx, vs[0], node.attr))


def _binop(cx: Lowering, fr: Frame, node: ast.BinOp) -> Value:
    left = evaluate(cx, fr, node.left)
    if may_have_effects(node.right):
        left = pin(cx, left)
    then = point(cx)
    right = evaluate(cx, fr, node.right)
    (left,) = taken_before(cx, then, [left])
    return binary_operation(cx, node.op, left, right)


def binary_operation(cx: Lowering, op: ast.operator, left: Value, right: Value, in_place: bool = False) -> Value:
    """`left <op> right` of any operator and values. in_place: texts of errors are those of `left <op>= right`."""

    iterators.refuse_iterators(cx, left, right)
    left, right = of_either_type(cx, left), of_either_type(cx, right)

    def lower(a: Value, b: Value) -> Value:
        special: Value | None = binary_special(cx, type(op), a, b, in_place)
        if special is not None:
            return special
        arrays = any(isinstance(v, (Arr, Lazy)) for v in (a, b))
        if in_place and not arrays and of_operator(cx, type(op), a, b, True):
            return Static(None)
        if in_place and not arrays and isinstance(b, Object) and not (isinstance(a, Num) and not a.weak):
            return object_operators.binary(cx, type(op), a, b, True)
        if isinstance(op, ast.MatMult) and arrays and not (isinstance(a, Object) or isinstance(b, Object)):
            return calls.call_numpy(cx, np.matmul, [a, b])
        return binary(cx, type(op), a, b)

    return unions.operate(cx, type(op), left, right, lower)


def _unary(cx: Lowering, fr: Frame, node: ast.UnaryOp) -> Value:
    if isinstance(node.op, ast.Not):
        return Num(condition(cx, fr, node), True)
    v = of_either_type(cx, evaluate(cx, fr, node.operand))
    same = one_sign(cx, type(node.op), v, lambda x: unary(cx, type(node.op), x))
    return unions.split(cx, [v], lambda vs: unary(cx, type(node.op), vs[0])) if same is None else same


def _subscript(cx: Lowering, fr: Frame, node: ast.Subscript) -> Value:
    owner = of_either_type(cx, evaluate(cx, fr, node.value))
    then = point(cx)
    index = evaluate(cx, fr, node.slice)
    (owner,) = taken_before(cx, then, [owner])
    iterators.refuse_iterators(cx, owner, index)
    if isinstance(owner, Tup) and isinstance(index, Num) and isinstance(index.expr, Const):
        return indexing.get_item(cx, owner, index)
    return read_item(cx, owner, index, lambda *vs: indexing.get_item(cx, *vs))


def _slice(cx: Lowering, fr: Frame, node: ast.Slice) -> Value:
    parts: list[Value | None] = []
    for p in (node.lower, node.upper, node.step):
        then = point(cx)
        part = None if p is None else evaluate(cx, fr, p)
        parts = [None if x is None else taken_before(cx, then, [x])[0] for x in parts] + [part]
    return SliceVal(
        *[None if p is None or (isinstance(p, Static) and p.obj is None) else member_number(p) for p in parts]
    )


def _lambda(cx: Lowering, fr: Frame, node: ast.Lambda) -> Value:
    return make_function(cx, fr, node)


def make_function(cx: Lowering, fr: Frame, node: ast.Lambda | ast.FunctionDef) -> Func:
    """A closure; default values are evaluated now."""
    defaults = tuple(pin(cx, evaluate(cx, fr, d)) for d in node.args.defaults)
    kw = {
        a.arg: pin(cx, evaluate(cx, fr, d))
        for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults)
        if d is not None
    }
    return defined(cx, Func(node, fr, defaults, kw))


def _named(cx: Lowering, fr: Frame, node: ast.NamedExpr) -> Value:
    owner: Frame | None = fr
    while owner is not None and owner.tree is None:  # a comprehension, which binds the name around it
        owner = owner.parent
    if owner is not None and owner is not fr:
        boxing.box(cx, owner, node.target.id)
    value = pin(cx, evaluate(cx, fr, node.value), node.target.id)
    bind(cx, fr, node.target.id, value)
    return value


def _call(cx: Lowering, fr: Frame, node: ast.Call) -> Value:
    return iterators.remember(cx, call_expressions.call_node(cx, fr, node))


def _generator_expression(cx: Lowering, fr: Frame, node: ast.GeneratorExp) -> Value:
    if cx.loc in cx.learned.dynamic:
        return generator_object(cx, fr, node)
    return iterators.remember(cx, comprehensions.lower(cx, fr, node))


_HANDLERS: dict[type[ast.expr], Callable[[Lowering, Frame, Any], Value]] = {
    ast.Constant: _constant,
    Given: lambda cx, fr, node: node.value,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.BinOp: _binop,
    ast.UnaryOp: _unary,
    ast.Compare: lower_comparison,
    ast.BoolOp: lower_boolop,
    ast.IfExp: lower_conditional,
    ast.Tuple: lower_tuple,
    ast.List: lower_tuple,
    ast.Dict: lower_dict,
    ast.Set: lower_set,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.Lambda: _lambda,
    ast.NamedExpr: _named,
    ast.JoinedStr: lower_fstring,
    ast.Call: _call,
    ast.ListComp: comprehensions.lower,
    ast.GeneratorExp: _generator_expression,
    ast.SetComp: comprehensions.lower,
    ast.DictComp: comprehensions.lower,
}


def generator_object(cx: Lowering, fr: Frame, node: ast.GeneratorExp) -> Value:
    """A generator expression as Python makes it."""
    none = ast.arguments([], [], None, [], [], None, [])
    maker = ast.copy_location(ast.Lambda(none, node), node)
    return call_python_object(cx, function_object(cx, Func(maker, fr)), [], {})
