"""Lowering of Python expressions: `evaluate(cx, fr, node)` gives the value of an AST expression, emitting what it needs.

Evaluation order is Python's. `and`, `or` and the conditional expression evaluate an operand only when Python would: if that operand
emits nothing it becomes a lazy IR operation, else a Branch.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from soljit.base.errors import UnsupportedError
from soljit.base.place import Loc
from soljit.frontend_ast import calls, choices, comprehensions, indexing
from soljit.frontend_ast.attributes import attribute_of
from soljit.frontend_ast.binding import bind, pin, read_name
from soljit.frontend_ast.blocks import Block, Unreachable
from soljit.frontend_ast.exceptions import CONVERSIONS
from soljit.frontend_ast.frames import Frame
from soljit.frontend_ast.identity import same_object
from soljit.frontend_ast.joins import branch_that_leaves, merge_values
from soljit.frontend_ast.kinds import CannotMerge
from soljit.frontend_ast.lowering import HELD, Lowering
from soljit.frontend_ast.operators import binary, describe, equal_item, is_numeric, to_bool, unary
from soljit.frontend_ast.python_numbers import PYTHON, constant
from soljit.frontend_ast.values import (
    NONE,
    Arr,
    Dict,
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
    RangeVal,
    SliceVal,
    Static,
    Tup,
    Value,
)
from soljit.ir import symbolic
from soljit.ir.expr import FALSE, TRUE, Const, Expr, Op
from soljit.ir.types import b1


def evaluate(cx: Lowering, fr: Frame, node: ast.expr) -> Value:
    """The value of an expression."""
    handler = _HANDLERS.get(type(node))
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


def consumed(cx: Lowering, fr: Frame, node: ast.ListComp) -> Value:
    """A list comprehension that is the argument of a function."""
    saved = cx.loc
    cx.loc = place(fr, node)
    try:
        return comprehensions.lower(cx, fr, node, True)
    finally:
        cx.loc = saved


def place(fr: Frame, node: ast.AST) -> Loc:
    """The place of a node in the user's file."""
    line, col = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
    return Loc(
        fr.file,
        line,
        col,
        getattr(node, "end_lineno", line) or line,
        getattr(node, "end_col_offset", col) or col,
        fr.name,
    )


def _constant(cx: Lowering, fr: Frame, node: ast.Constant) -> Value:
    return constant(cx, node.value)


def _name(cx: Lowering, fr: Frame, node: ast.Name) -> Value:
    frame: Frame | None = fr
    while frame is not None:
        if node.id in frame.env:
            v = frame.env[node.id]
            if isinstance(v, MaybeUnbound):
                if node.id in frame.locals:
                    text = f"cannot access local variable '{node.id}' where it is not associated with a value"
                    cx.check(v.bound, "UnboundLocalError", text)
                return read_name(cx, v.value)
            if isinstance(v, (Iteration, Generated, Generator, OneShot)) and _used_again(fr, frame, node.id):
                raise cx.unsupported(
                    f"'{node.id}', an iterator, is used more than once", "make a list of it, or write the call twice"
                )
            return read_name(cx, v)
        if node.id in frame.locals:
            cx.raise_(
                "UnboundLocalError", f"cannot access local variable '{node.id}' where it is not associated with a value"
            )
            return Static(None)
        if frame.parent is None:
            break
        frame = frame.parent
    assert frame is not None
    value: Value = frame.resolve(cx, node.id)
    return value


def _used_again(fr: Frame, owner: Frame, name: str) -> bool:
    """May this name be read again after the present statement, or twice in it?"""
    s = fr.statement
    if s is None or fr is not owner or isinstance(s, ast.While):
        return True
    reads = [n for n in ast.walk(s) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)]
    return len(reads) > 1 or name in fr.live.get(s, set())


def _attribute(cx: Lowering, fr: Frame, node: ast.Attribute) -> Value:
    owner = evaluate(cx, fr, node.value)
    if choices.has_choice(owner) and node.attr in choices.METHOD_NAMES:
        return Method(owner, node.attr)  # looked up where it is called, once the type is known
    return choices.split(cx, [owner], lambda vs: attribute_of(cx, vs[0], node.attr))


def may_have_effects(node: ast.AST) -> bool:
    """Could evaluating this change memory that an earlier operand still reads? Calls (but of plain module functions) and `:=`."""
    for n in ast.walk(node):
        if isinstance(n, ast.NamedExpr):
            return True
        if isinstance(n, ast.Call):
            f = n.func
            if not (
                isinstance(f, ast.Attribute) and isinstance(f.value, ast.Name) and f.value.id in ("np", "numpy", "math")
            ):
                return True
            if any(k.arg == "out" for k in n.keywords) or f.attr in (
                "put",
                "place",
                "copyto",
                "add",
                "multiply",
                "shuffle",
            ):
                return True
    return False


def _binop(cx: Lowering, fr: Frame, node: ast.BinOp) -> Value:
    left = evaluate(cx, fr, node.left)
    if may_have_effects(node.right):
        left = pin(cx, left)
    right = evaluate(cx, fr, node.right)
    return binary_operation(cx, node.op, left, right)


def binary_operation(cx: Lowering, op: ast.operator, left: Value, right: Value) -> Value:
    """`left <op> right` of any operator and values."""

    def lower(a: Value, b: Value) -> Value:
        if isinstance(op, ast.MatMult):
            return calls.call_numpy(cx, np.matmul, [a, b])
        return binary(cx, type(op), a, b)

    return choices.operate(cx, type(op), left, right, lower)


def _unary(cx: Lowering, fr: Frame, node: ast.UnaryOp) -> Value:
    if isinstance(node.op, ast.Not):
        return Num(condition(cx, fr, node), True)
    v = evaluate(cx, fr, node.operand)
    return choices.split(cx, [v], lambda vs: unary(cx, type(node.op), vs[0]))


def _compare(cx: Lowering, fr: Frame, node: ast.Compare, only_truth: bool = False) -> Value:
    left = evaluate(cx, fr, node.left)
    if len(node.ops) == 1:
        if may_have_effects(node.comparators[0]):
            left = pin(cx, left)
        return compare(cx, node.ops[0], left, evaluate(cx, fr, node.comparators[0]), only_truth)
    # a < b < c: each operand once, later ones only if needed
    left = pin(cx, left)

    def rest(k: int, left: Value) -> Callable[[], Value]:
        def step() -> Value:
            right = pin(cx, evaluate(cx, fr, node.comparators[k]))
            v = compare(cx, node.ops[k], left, right)
            if k + 1 == len(node.ops):
                return v
            return short_circuit(cx, v, rest(k + 1, right), ast.And)

        return step

    return rest(0, left)()


def compare(cx: Lowering, op: ast.cmpop, left: Value, right: Value, only_truth: bool = False) -> Value:
    """One comparison. only_truth: Python's bool and NumPy's are the same to its user."""
    return choices.operate(cx, type(op), left, right, lambda a, b: _compare_values(cx, op, a, b), only_truth)


def _compare_values(cx: Lowering, op: ast.cmpop, left: Value, right: Value) -> Value:
    match op:
        case ast.Is() | ast.IsNot():
            if isinstance(left, Object) or isinstance(right, Object):
                found = cx.objects.identical(cx, left, right)
                return found if isinstance(op, ast.Is) else Num(symbolic.negate(to_bool(cx, found)), True)
            if isinstance(left, Arr) and isinstance(right, Arr) and left.whole and right.whole:
                if HELD in cx.roots_of(left.data) & cx.roots_of(right.data):
                    found = cx.objects.identical(cx, left, right)
                    return found if isinstance(op, ast.Is) else Num(symbolic.negate(to_bool(cx, found)), True)
            same = _identical(cx, left, right)
            return Num(same if isinstance(op, ast.Is) else symbolic.negate(same), True)
        case ast.In() | ast.NotIn():
            found = _contains(cx, right, left)
            return found if isinstance(op, ast.In) else Num(symbolic.negate(to_bool(cx, found)), True)
    return binary(cx, type(op), left, right)


def _identical(cx: Lowering, a: Value, b: Value) -> Expr:
    if isinstance(a, Arr) and isinstance(b, Arr):
        same = same_object(cx, a, b)
        if same is not None:
            return same
        raise cx.unsupported("'is' between arrays that may or may not be one object", "use np.shares_memory")
    return TRUE if _identical_static(cx, a, b) else FALSE


def _identical_static(cx: Lowering, a: Value, b: Value) -> bool:
    if isinstance(a, Static) and isinstance(b, Static):
        return a.obj is b.obj
    if isinstance(a, Static) or isinstance(b, Static):
        return False
    if isinstance(a, Num) and isinstance(b, Num) and a.dtype is b1 and b.dtype is b1 and a.weak and b.weak:
        if isinstance(a.expr, Const) and isinstance(b.expr, Const):
            return a.expr == b.expr
        raise cx.unsupported("'is' between bools that are not constants", "compare with ==")
    if isinstance(a, (Tup, Dict)) or isinstance(b, (Tup, Dict)):
        return a is b
    raise cx.unsupported(f"'is' between {describe(a)} and {describe(b)}", "compare with ==")


def _contains(cx: Lowering, container: Value, item: Value) -> Value:
    match container:
        case Tup():
            found: Expr = FALSE
            for x in container.items:
                one_static = isinstance(x, Static) != isinstance(item, Static)
                found = symbolic.disj(found, FALSE if one_static else equal_item(cx, item, x))
            return Num(found, True)
        case Object():
            return cx.objects.contains(cx, container, item)  # type: ignore[no-any-return]
        case Static() | Tup() if isinstance(item, Object):
            return cx.objects.contains(cx, cx.objects.make(cx, container), item)  # type: ignore[no-any-return]
        case Dict():
            try:
                key = static_object(item)
            except KeyError:
                return cx.objects.contains(cx, cx.objects.make(cx, container), item)  # type: ignore[no-any-return]
            return Num(Const(key in container.items, b1), True)
        case Static() if isinstance(item, Static):
            return constant(cx, item.obj in container.obj)
        case RangeVal() if isinstance(item, Num) and item.dtype.is_int:
            e = cx.let(item.expr, "x")
            inside = symbolic.conj(symbolic.ge(e, container.start), symbolic.lt(e, container.stop))
            step = cx.static_step(container.step)
            if step == 1:
                return Num(inside, True)
        case Arr() | Lazy():
            return calls.call_numpy(cx, np.any, [binary(cx, ast.Eq, container, item)])
    raise cx.unsupported(f"'in' with {describe(container)}")


def static_object(v: Value) -> Any:
    """The Python object of a compile-time value (for keys)."""
    if isinstance(v, Static):
        return v.obj
    if isinstance(v, Num) and isinstance(v.expr, Const):
        return v.expr.value
    if isinstance(v, Tup):
        return tuple(static_object(x) for x in v.items)
    raise KeyError


def short_circuit(cx: Lowering, left: Value, right: Callable[[], Value], kind: type[ast.boolop]) -> Value:
    """`left and right`, `left or right`: the operand itself is the value."""
    cond = choices.truth_of(cx, left)
    known = cx.prove(cond)
    if known is not None:
        return right() if known == (kind is ast.And) else left
    fact = cond if kind is ast.And else symbolic.negate(cond)
    cond = cx.let(cond, "cond")
    left = pin(cx, left)
    go = cond if kind is ast.And else symbolic.negate(cond)
    with cx.block(fact) as evaluated:
        value = _in_arm(cx, right)
    if (
        not evaluated.items
        and isinstance(left, Num)
        and isinstance(value, Num)
        and left.dtype is b1
        and value.dtype is b1
        and left.weak == value.weak
    ):
        return Num(Op("land" if kind is ast.And else "lor", (cond, value.expr), b1), left.weak)
    return join(cx, go, (evaluated, value), (Block(), left), fact)


def _in_arm(cx: Lowering, value: Callable[[], Value]) -> Value:
    try:
        return value()
    except Unreachable:
        cx.current.finish()
        return NONE


def join(
    cx: Lowering, cond: Expr_, then: tuple[Block, Value], orelse: tuple[Block, Value], fact: Expr_ = None
) -> Value:
    """The value of a conditional whose arms were lowered into blocks."""
    if then[0].done or orelse[0].done:
        branch_that_leaves(cx, cond, then[0], orelse[0])
        return orelse[1] if then[0].done else then[1]
    a, b = then[1], orelse[1]
    if isinstance(a, Num) and isinstance(b, Num) and not then[0].items and not orelse[0].items:
        if a.dtype is b.dtype and a.weak == b.weak:
            return a if a == b else Num(Op("select", (cond, a.expr, b.expr), a.dtype), a.weak)
    if type(a) is not type(b) or (isinstance(a, Num) and isinstance(b, Num) and (a.dtype, a.weak) != (b.dtype, b.weak)):
        known = cx.decide(
            cond if fact is None else fact
        )  # the type depends on the condition: settle it by this call's values if possible
        if known is not None:
            block, value = then if known else orelse
            for n in block.items:
                cx.emit(n)
            return value
    arms = []
    for block, v in (then, orelse):
        with cx.reopen(block):
            arms.append((block, pin(cx, v)))
    holder = Block()  # reads of the result come after the branch
    cx.blocks.append(holder)
    try:
        value = merge_values(cx, arms, "value")
    except CannotMerge as e:
        raise cx.unsupported(f"the two sides of a conditional have different types: {e.text}") from None
    finally:
        cx.blocks.pop()
    cx.branch(cond, then[0], orelse[0])
    for n in holder.items:
        cx.emit(n)
    return value


Expr_ = Any  # an IR b1 expression


def _boolop(cx: Lowering, fr: Frame, node: ast.BoolOp) -> Value:
    def chain(k: int) -> Value:
        v = evaluate(cx, fr, node.values[k])
        if k + 1 == len(node.values):
            return v
        return short_circuit(cx, v, lambda: chain(k + 1), type(node.op))

    return chain(0)


def condition(cx: Lowering, fr: Frame, node: ast.expr) -> Expr_:
    """The truth of an expression, where the operand that `and` or `or` would give does not matter."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return symbolic.negate(condition(cx, fr, node.operand))
    if isinstance(node, ast.Compare):
        saved, cx.loc = cx.loc, place(fr, node)
        try:
            return choices.truth_of(cx, _compare(cx, fr, node, True))
        finally:
            cx.loc = saved
    if not isinstance(node, ast.BoolOp):
        return choices.truth_of(cx, evaluate(cx, fr, node))

    def chain(k: int) -> Value:
        v = Num(condition(cx, fr, node.values[k]), True)
        return v if k + 1 == len(node.values) else short_circuit(cx, v, lambda: chain(k + 1), type(node.op))

    return to_bool(cx, chain(0))


def _ifexp(cx: Lowering, fr: Frame, node: ast.IfExp) -> Value:
    cond = condition(cx, fr, node.test)
    known = cx.prove(cond)
    if known is not None:
        return evaluate(cx, fr, node.body if known else node.orelse)
    fact = cond
    cond = cx.let(cond, "cond")
    with cx.block(fact) as then:
        a = _in_arm(cx, lambda: evaluate(cx, fr, node.body))
    with cx.block(symbolic.negate(fact)) as orelse:
        b = _in_arm(cx, lambda: evaluate(cx, fr, node.orelse))
    return join(cx, cond, (then, a), (orelse, b), fact)


def _tuple(cx: Lowering, fr: Frame, node: ast.Tuple | ast.List) -> Value:
    items: list[Value] = []
    made: Value | None = None  # a list of Python's, from the first `*x` on whose length only the run tells
    for e in node.elts:
        v = pin(cx, evaluate(cx, fr, e.value if isinstance(e, ast.Starred) else e))
        if made is not None:
            cx.objects.method(cx, made, "extend" if isinstance(e, ast.Starred) else "append", [v], {})
        elif not isinstance(e, ast.Starred):
            items.append(v)
        elif not isinstance(v, (Object, Generated)):
            items.extend(calls.iterate_static(cx, v))
        else:
            made = cx.objects.make(cx, Tup(items, None, True, cx.conditional, cx.loc))
            cx.objects.method(cx, made, "extend", [v], {})
    if made is not None:
        return made if isinstance(node, ast.List) else cx.objects.made_of(cx, tuple, made)
    return cx.objects.list_of(cx, items) if isinstance(node, ast.List) else Tup(items)


def _dict(cx: Lowering, fr: Frame, node: ast.Dict) -> Value:
    items: dict[Any, Value] = {}
    for k, v in zip(node.keys, node.values):
        value = pin(cx, evaluate(cx, fr, v))
        if k is None:
            if not isinstance(value, Dict):
                raise cx.unsupported("** of something that is not a dict")
            items.update(value.items)
            continue
        try:
            items[static_object(evaluate(cx, fr, k))] = value
        except KeyError:
            return _dict_at_run_time(cx, fr, node)
    return cx.objects.dict_of(cx, items)  # type: ignore[no-any-return]


def _dict_at_run_time(cx: Lowering, fr: Frame, node: ast.Dict) -> Value:
    """A dict display with keys that only the run tells: it becomes an object, and is filled in order."""
    cx.learned.dynamic.add(cx.loc)
    made = cx.objects.dict_of(cx, {})
    for k, v in zip(node.keys, node.values):
        if k is None:
            cx.objects.method(cx, made, "update", [evaluate(cx, fr, v)], {})
            continue
        key = pin(cx, evaluate(cx, fr, k))
        cx.objects.set_item(cx, made, key, pin(cx, evaluate(cx, fr, v)))
    return made  # type: ignore[no-any-return]


def _set(cx: Lowering, fr: Frame, node: ast.Set) -> Value:
    """A set display."""
    items = [pin(cx, evaluate(cx, fr, e)) for e in node.elts]
    return cx.objects.set_of(cx, items)  # type: ignore[no-any-return]


def _subscript(cx: Lowering, fr: Frame, node: ast.Subscript) -> Value:
    owner = evaluate(cx, fr, node.value)
    index = evaluate(cx, fr, node.slice)
    return choices.split(cx, [owner, index], lambda vs: indexing.get_item(cx, *vs))


def _slice(cx: Lowering, fr: Frame, node: ast.Slice) -> Value:
    parts = [None if p is None else evaluate(cx, fr, p) for p in (node.lower, node.upper, node.step)]
    return SliceVal(*[None if isinstance(p, Static) and p.obj is None else p for p in parts])


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
    return Func(node, fr, defaults, kw)


def _named(cx: Lowering, fr: Frame, node: ast.NamedExpr) -> Value:
    value = pin(cx, evaluate(cx, fr, node.value), node.target.id)
    bind(cx, fr, node.target.id, value)
    return value


def _joined(cx: Lowering, fr: Frame, node: ast.JoinedStr) -> Value:
    """An f-string: text at once if all values are known, else formatted at run time."""
    pieces = _pieces(cx, fr, node)
    if any(not isinstance(p, str) for p in pieces):
        return cx.objects.formatted(cx, pieces)  # type: ignore[no-any-return]
    return Static("".join(pieces))


def _pieces(cx: Lowering, fr: Frame, node: ast.JoinedStr) -> list[Any]:
    """Texts, and (value, conversion, pieces of its format) for what only the run tells."""
    out: list[Any] = []
    for p in node.values:
        if isinstance(p, ast.Constant):
            out.append(str(p.value))
            continue
        assert isinstance(p, ast.FormattedValue)
        v = pin(cx, evaluate(cx, fr, p.value))
        spec = [] if p.format_spec is None else _pieces(cx, fr, p.format_spec)  # type: ignore[arg-type]
        if cx.objects.is_plain(v) and all(isinstance(x, str) for x in spec):
            out.append(format(CONVERSIONS[p.conversion](static_object(v)), "".join(spec)))
        else:
            out.append((v, "" if p.conversion < 0 else f"!{chr(p.conversion)}", spec))
    return out


def _call(cx: Lowering, fr: Frame, node: ast.Call) -> Value:
    return calls.call_node(cx, fr, node)


_HANDLERS: dict[type[ast.expr], Callable[[Lowering, Frame, Any], Value]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.BinOp: _binop,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.BoolOp: _boolop,
    ast.IfExp: _ifexp,
    ast.Tuple: _tuple,
    ast.List: _tuple,
    ast.Dict: _dict,
    ast.Set: _set,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.Lambda: _lambda,
    ast.NamedExpr: _named,
    ast.JoinedStr: _joined,
    ast.Call: _call,
    ast.ListComp: comprehensions.lower,
    ast.GeneratorExp: comprehensions.lower,
    ast.SetComp: comprehensions.lower,
    ast.DictComp: comprehensions.lower,
}
__all__ = ["PYTHON", "condition", "evaluate", "is_numeric", "place"]
