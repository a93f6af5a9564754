"""What happens where paths join: names whose values differ are merged into a fresh Scalar or Ref."""

from __future__ import annotations

from collections.abc import Sequence

from soljit.frontend_ast.arrays.kinds import kind_of
from soljit.frontend_ast.joins.binding import assign_if_bound, frozen_var, named
from soljit.frontend_ast.joins.new_variables import make_var
from soljit.frontend_ast.joins.type_lattice import (
    CannotMerge,
    fitting,
    join_kinds,
    kind_outside,
    type_number,
    widen,
    without_held,
    without_type,
)
from soljit.frontend_ast.lowering.blocks import Block
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values.descriptions import describe
from soljit.frontend_ast.values.values import Arr, MaybeUnbound, Num, Static, Value
from soljit.frontend_ast.values.variables import VARIABLES, Kind, UnionVar
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.expr import FALSE, TRUE, Expr, Sym, const
from soljit.ir.core.types import b1, i64


def merge_values(
    cx: Lowering,
    arms: Sequence[tuple[Block, Value]],
    hint: str,
    alike: bool = False,
    apart: bool = False,
    bound: Sequence[Expr] = (),
) -> Value:
    """One value for what several arms computed; stores are appended to the arms' blocks, the result is read in the present one.

    alike: of one type, or numbers of one dtype, which may be Python's or NumPy's; apart: what is known in an arm alone is not known here, even if there is only one;
    bound: conditions under which the arms have a value at all
    """
    first = arms[0][1]
    if not apart and all(v is first or (v == first and _one_object(v, first)) for _, v in arms):
        return first
    arms = [(b, named(cx, v, hint)) for b, v in arms]
    kind: Kind | None = None
    for block, v in arms:
        k = _kind_after(cx, block, v)
        kind = k if kind is None else _joined(cx, kind, k, alike)
    assert kind is not None
    for _, v in arms:
        kind = fitting(cx, kind, v)
    kind = without_held(cx, kind)
    if kind.form == "static":
        return first
    var = make_var(cx, kind, hint)
    for (block, v), flag in zip(arms, bound or [TRUE] * len(arms)):
        with cx.reopen(block):
            assign_if_bound(cx, var, v if flag == TRUE else MaybeUnbound(v, flag))
    result = frozen_var(cx, var, hint)
    if not bound and isinstance(result, Num) and isinstance(result.expr, Sym) and result.dtype is i64:
        _limit(cx, result.expr, [v for _, v in arms])
    return result


def _limit(cx: Lowering, symbol: Sym, values: Sequence[Value]) -> None:
    """Remember between which numbers a symbol lies that is one of these integers."""
    limits = [cx.facts.bounds(v.expr) if isinstance(v, Num) and v.dtype is i64 else (None, None) for v in values]
    lows, highs = ([n for x in limits if (n := x[k]) is not None] for k in (0, 1))
    least = const(min(lows)) if len(lows) == len(limits) else None
    beyond = const(max(highs) + 1) if len(highs) == len(limits) else None
    cx.facts = cx.facts.with_range(symbol, least, beyond)


def _joined(cx: Lowering, a: Kind, b: Kind, alike: bool) -> Kind:
    """The type of a variable for values of both types."""
    return (widen if not alike or _one_dtype(a, b) else join_kinds)(cx, a, b)


def _one_dtype(*kinds: Kind) -> bool:
    """Tell whether these are types of numbers of one dtype: they differ in no operation but that which asks for the type."""
    dtypes = {k.dtype if k.form == "scalar" else None for kind in kinds for k in (kind.items or (kind,))}
    return len(dtypes) == 1 and None not in dtypes


def _one_object(a: Value, b: Value) -> bool:
    """Tell whether equal values may stand for one object. Views that got their names at different places do not."""
    return not isinstance(a, Arr) or not isinstance(b, Arr) or a.made == b.made


def _kind_after(cx: Lowering, block: Block, v: Value) -> Kind:
    """The type of a value when the block that made it has ended, and with it the block's symbols."""
    symbols = {n.name for n in block.items if isinstance(n, nodes.Let)}
    return kind_outside(kind_of(cx, v), lambda name: name not in symbols)


def branch_that_leaves(cx: Lowering, cond: Expr, then: Block, orelse: Block) -> None:
    """A branch of which one arm (or both) does not reach its end: the other arm goes on here, with the names that it bound."""
    if then.done and orelse.done:
        cx.branch(cond, then, orelse)
        return
    leaves, stays = (then, orelse) if then.done else (orelse, then)
    cx.branch(cond if then.done else symbolic.negate(cond), leaves)
    for n in stays.items:
        cx.emit(n)


def merge_envs(
    cx: Lowering,
    live: set[str],
    then: tuple[Block, dict[str, Value]],
    orelse: tuple[Block, dict[str, Value]],
    alike: bool = False,
) -> dict[str, Value]:
    """The environment after a branch, for the names that may still be read. Raises CannotMerge; with `alike`, also for values of
    different types that could become a union, unless they are numbers of one dtype.
    """
    result: dict[str, Value] = {}
    for name in sorted(set(then[1]) | set(orelse[1])):
        a, b = then[1].get(name), orelse[1].get(name)
        if a is b and a is not None:
            result[name] = a
            continue
        if a is not None and b is not None and _is_one_variable(a, b):
            result[name] = a if type_number(a) == type_number(b) else without_type(a)
            continue
        if name not in live and "." not in name:  # names with a dot: attributes (`calls/classes/instance_arguments.py`)
            continue
        if a is None or b is None:
            present, block = (a, then[0]) if a is not None else (b, orelse[0])
            assert present is not None
            result[name] = _maybe_unbound(cx, name, present, block, then[0] if a is None else orelse[0])
            continue
        if isinstance(a, MaybeUnbound) or isinstance(b, MaybeUnbound):
            result[name] = _merge_maybe(cx, name, (then[0], a), (orelse[0], b))
            continue
        try:
            if alike and isinstance(a, Static) and isinstance(b, Static) and a != b:
                raise CannotMerge(f"{describe(a)} or {describe(b)}")
            result[name] = merge_values(cx, [(then[0], a), (orelse[0], b)], name, alike)
        except CannotMerge as e:
            raise CannotMerge(f"'{name}' is {e.text}") from None
    return result


def _is_one_variable(a: Value, b: Value) -> bool:
    """Tell whether both are one variable of a loop: one that may be unbound, or one for several types, of which different things may be known."""
    a, b = without_type(a), without_type(b)
    if isinstance(a, MaybeUnbound) and isinstance(b, MaybeUnbound) and a.bound == b.bound:
        return isinstance(a.value, VARIABLES) and a.value is b.value
    return isinstance(a, UnionVar) and a is b


def _flag_of(v: Value) -> Expr:
    return v.bound if isinstance(v, MaybeUnbound) else TRUE


def _merge_maybe(cx: Lowering, name: str, a: tuple[Block, Value], b: tuple[Block, Value]) -> Value:
    values = [(blk, v.value if isinstance(v, MaybeUnbound) else v) for blk, v in (a, b)]
    flags: list[tuple[Block, Value]] = [(blk, Num(_flag_of(v), True)) for blk, v in (a, b)]
    flag = merge_values(cx, flags, f"{name}_bound")
    assert isinstance(flag, Num)
    return MaybeUnbound(merge_values(cx, values, name, bound=[_flag_of(a[1]), _flag_of(b[1])]), flag.expr)


def _maybe_unbound(cx: Lowering, name: str, v: Value, block: Block, other: Block) -> Value:
    """A name bound in one arm only."""
    bound = cx.scalar(b1, f"{name}_bound")
    inner = v.value if isinstance(v, MaybeUnbound) else v
    kind = _kind_after(cx, block, inner)
    with cx.reopen(block):
        cx.write(bound, _flag_of(v))
        if kind.form != "static":
            var = make_var(cx, kind, name)
            assign_if_bound(cx, var, v)
    with cx.reopen(other):
        cx.write(bound, FALSE)
    flag = cx.let(cx.read(bound), f"{name}_bound")
    if kind.form == "static":
        return MaybeUnbound(inner, flag)
    return MaybeUnbound(frozen_var(cx, var, name), flag)
