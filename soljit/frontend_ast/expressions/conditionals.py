"""Expressions of which Python evaluates only a part: `and`, `or`, `a if c else b`, `a < b < c`; and conditions.

If an operand that may not be evaluated emits nothing it becomes a lazy IR operation, else a Branch.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import field

from soljit.base.records import dataclass
from soljit.frontend_ast.expressions.comparison_operators import compare
from soljit.frontend_ast.joins import unions
from soljit.frontend_ast.joins.binding import pin
from soljit.frontend_ast.joins.operands import point, taken_before
from soljit.frontend_ast.joins.phi import branch_that_leaves, merge_envs, merge_values
from soljit.frontend_ast.joins.tagged_numbers import are_floats, pick
from soljit.frontend_ast.joins.type_lattice import CannotMerge
from soljit.frontend_ast.lowering.blocks import Block, Unreachable
from soljit.frontend_ast.lowering.frames import Frame, place
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.numbers.operators import to_bool
from soljit.frontend_ast.syntax.side_effects import may_have_effects
from soljit.frontend_ast.values.values import NONE, Num, Object, Value
from soljit.ir import symbolic
from soljit.ir.core.expr import Expr, Op, subexpressions
from soljit.ir.core.nodes import Let, Node
from soljit.ir.core.types import b1


def lower_comparison(cx: Lowering, fr: Frame, node: ast.Compare, only_truth: bool = False) -> Value:
    left = cx.above.evaluate(cx, fr, node.left)
    if len(node.ops) == 1:
        if may_have_effects(node.comparators[0]):
            left = pin(cx, left)
        then = point(cx)
        right = cx.above.evaluate(cx, fr, _in_turn(node.ops[0], left, node.comparators[0]))
        (left,) = taken_before(cx, then, [left])
        return compare(cx, node.ops[0], left, right, only_truth)
    # a < b < c: each operand once, later ones only if needed
    left = pin(cx, left)

    def rest(k: int, left: Value) -> Callable[[], Value]:
        def step() -> Value:
            right = pin(cx, cx.above.evaluate(cx, fr, _in_turn(node.ops[k], left, node.comparators[k])))
            v = compare(cx, node.ops[k], left, right)
            if k + 1 == len(node.ops):
                return v
            return short_circuit(cx, v, rest(k + 1, right), ast.And, bound_in(fr, *node.comparators[k + 1 :]))

        return step

    return rest(0, left)()


def _in_turn(op: ast.cmpop, left: Value, right: ast.expr) -> ast.expr:
    """The right operand: constants of which a number or a character may be one as a tuple, where they stand as a set."""
    simple = isinstance(left, Num) or (isinstance(left, Object) and left.code is not None)
    if simple and isinstance(op, (ast.In, ast.NotIn)) and isinstance(right, ast.Set):
        if all(isinstance(e, ast.Constant) for e in right.elts):
            return ast.copy_location(ast.Tuple(right.elts, ast.Load()), right)
    return right


@dataclass
class Bound:
    """Names that `:=` binds in an operand that may not be evaluated, and what they stand for where it is and where it is not."""

    frame: Frame
    names: set[str]
    then: dict[str, Value] = field(default_factory=dict)
    orelse: dict[str, Value] = field(default_factory=dict)

    @contextmanager
    def arm(self, then: bool) -> Iterator[None]:
        """Lower one arm with an environment of its own."""
        env = self.frame.env
        self.frame.env = dict(env)
        try:
            yield
        finally:
            arm, self.frame.env = self.frame.env, env
            if then:
                self.then = arm
            else:
                self.orelse = arm

    def take(self, then: bool) -> None:
        """Only this arm comes here."""
        self.frame.env = self.then if then else self.orelse

    def merge(self, cx: Lowering, then: Block, orelse: Block) -> None:
        """Both arms come here."""
        self.frame.env = merge_envs(cx, self.names, (then, self.then), (orelse, self.orelse))


def bound_in(fr: Frame, *nodes: ast.expr) -> Bound | None:
    """The names that these operands bind; None if there are none."""
    names = {n.target.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.NamedExpr)}
    return Bound(fr, names) if names else None


def short_circuit(
    cx: Lowering, left: Value, right: Callable[[], Value], kind: type[ast.boolop], bound: Bound | None = None
) -> Value:
    """`left and right`, `left or right`: the operand itself is the value."""
    cond = unions.truth_of(cx, left)
    known = cx.prove(cond)
    if known is not None:
        return right() if known == (kind is ast.And) else left
    fact = cond if kind is ast.And else symbolic.negate(cond)
    cond = cx.let(cond, "cond")
    left = pin(cx, left)
    go = cond if kind is ast.And else symbolic.negate(cond)
    with cx.block(fact) as evaluated, bound.arm(True) if bound else nullcontext():
        value = _in_arm(cx, right)
    if bound:
        bound.orelse = dict(bound.frame.env)
    if (
        all(map(_costs_little, evaluated.items))
        and bound is None
        and isinstance(left, Num)
        and isinstance(value, Num)
        and left.dtype is b1
        and value.dtype is b1
        and left.weak == value.weak
    ):
        cx.move_here(evaluated.items)
        return Num(Op("land" if kind is ast.And else "lor", (cond, value.expr), b1), left.weak)
    return join(cx, go, (evaluated, value), (Block(), left), fact, bound)


def _costs_little(n: Node) -> bool:
    """Tell whether a node may run where nobody asks for its value: a truth value, computed from numbers by a few operations that cannot fail."""
    return (
        isinstance(n, Let)
        and n.value.dtype is b1
        and Lowering.is_pure(n.value)
        and sum(1 for _ in subexpressions(n.value)) <= 8
    )


def _in_arm(cx: Lowering, value: Callable[[], Value]) -> Value:
    try:
        return value()
    except Unreachable:
        cx.current.finish()
        return NONE


def join(
    cx: Lowering,
    cond: Expr,
    then: tuple[Block, Value],
    orelse: tuple[Block, Value],
    fact: Expr | None = None,
    bound: Bound | None = None,
) -> Value:
    """The value of a conditional whose arms were lowered into blocks."""
    if then[0].done or orelse[0].done:
        branch_that_leaves(cx, cond, then[0], orelse[0])
        if bound:
            bound.take(orelse[0].done)
        return orelse[1] if then[0].done else then[1]
    a, b = then[1], orelse[1]
    if isinstance(a, Num) and isinstance(b, Num) and not (then[0].items or orelse[0].items or bound):
        if a.dtype is b.dtype and a.weak == b.weak:
            return a if a == b else Num(Op("select", (cond, a.expr, b.expr), a.dtype), a.weak)
    floats = are_floats(a, b)
    if floats and not (then[0].items or orelse[0].items or bound):
        picked = pick(cx, cond, a, b)
        if picked is not None:
            return picked
    differ = (
        type(a) is not type(b) or isinstance(a, Num) and isinstance(b, Num) and (a.dtype, a.weak) != (b.dtype, b.weak)
    )
    if differ and not floats:
        known = cx.decide(
            cond if fact is None else fact
        )  # the type depends on the condition: settle it by this call's values if possible
        if known is not None:
            block, value = then if known else orelse
            for n in block.items:
                cx.emit(n)
            if bound:
                bound.take(known)
            return value
    arms = []
    for block, v in (then, orelse):
        with cx.reopen(block):
            arms.append((block, pin(cx, v)))
    try:
        with cx.aside() as holder:  # reads of the result come after the branch
            value = merge_values(cx, arms, "value")
            if bound:
                bound.merge(cx, then[0], orelse[0])
    except CannotMerge as e:
        raise cx.unsupported(f"the two sides of a conditional have different types: {e.text}") from None
    cx.branch(cond, then[0], orelse[0])
    cx.append(holder)
    return value


def lower_boolop(cx: Lowering, fr: Frame, node: ast.BoolOp) -> Value:
    def chain(k: int) -> Value:
        v = cx.above.evaluate(cx, fr, node.values[k])
        if k + 1 == len(node.values):
            return v
        return short_circuit(cx, v, lambda: chain(k + 1), type(node.op), bound_in(fr, *node.values[k + 1 :]))

    return chain(0)


def condition(cx: Lowering, fr: Frame, node: ast.expr) -> Expr:
    """The truth of an expression, where the operand that `and` or `or` would give does not matter."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return symbolic.negate(condition(cx, fr, node.operand))
    if isinstance(node, ast.Compare):
        saved, cx.loc = cx.loc, place(fr, node)
        try:
            return unions.truth_of(cx, lower_comparison(cx, fr, node, True))
        finally:
            cx.loc = saved
    if not isinstance(node, ast.BoolOp):
        return unions.truth_of(cx, cx.above.evaluate(cx, fr, node))

    def chain(k: int) -> Value:
        v = Num(condition(cx, fr, node.values[k]), True)
        if k + 1 == len(node.values):
            return v
        return short_circuit(cx, v, lambda: chain(k + 1), type(node.op), bound_in(fr, *node.values[k + 1 :]))

    return to_bool(cx, chain(0))


def lower_conditional(cx: Lowering, fr: Frame, node: ast.IfExp) -> Value:
    cond = condition(cx, fr, node.test)
    known = cx.prove(cond)
    if known is not None:
        return cx.above.evaluate(cx, fr, node.body if known else node.orelse)
    fact = cond
    cond = cx.let(cond, "cond")
    bound = bound_in(fr, node.body, node.orelse)
    with cx.block(fact) as then, bound.arm(True) if bound else nullcontext():
        a = _in_arm(cx, lambda: cx.above.evaluate(cx, fr, node.body))
    with cx.block(symbolic.negate(fact)) as orelse, bound.arm(False) if bound else nullcontext():
        b = _in_arm(cx, lambda: cx.above.evaluate(cx, fr, node.orelse))
    return join(cx, cond, (then, a), (orelse, b), fact, bound)
