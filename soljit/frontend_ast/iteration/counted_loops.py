"""What a `for` loop can run over: ranges, arrays, and enumerate, zip, reversed, map and filter of those; objects in Python's own way.

`iteration_of` gives an `Iteration` (a length and the value of step k) or None for sequences of static length, whose loops are
unrolled. `counted` emits the IR loop.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from soljit.frontend_ast.arrays.literals import array_of
from soljit.frontend_ast.iteration.targets import generated_item
from soljit.frontend_ast.joins.binding import pin
from soljit.frontend_ast.lowering.blocks import Block
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects import characters
from soljit.frontend_ast.objects.container_methods import items_of
from soljit.frontend_ast.objects.contents import BOOL
from soljit.frontend_ast.objects.objects import call_by_name
from soljit.frontend_ast.syntax.side_effects import may_have_effects
from soljit.frontend_ast.values.descriptions import describe, py_type
from soljit.frontend_ast.values.object_types import Element, ObjectType
from soljit.frontend_ast.values.values import (
    NONE,
    Arr,
    Dict,
    Flat,
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
    Static,
    Tup,
    Value,
)
from soljit.frontend_ast.views import flat_elements
from soljit.frontend_ast.views.indexing import get_item
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.expr import TRUE, Range, Sym, const
from soljit.ir.core.types import i64
from soljit.support.objects import HERE

UNIFORM = 8  # longer tuples and lists of numbers of one type become arrays, shorter ones are unrolled
LONG_TEXT = 16  # loops over longer ones are not unrolled


def iteration_of(cx: Lowering, v: Value) -> Iteration | None:
    """How to step through a value; None if its items are static (a tuple, a string)."""
    match v:
        case Iteration():
            return v
        case Generator():
            raise cx.unsupported("a generator here", "loop over it with for, or make a list of it")
        case Generated() if len(v.node.generators) == 1 and not v.node.generators[0].ifs and not v.is_list:
            once = v.source.once or may_have_effects(v.node.elt)
            return Iteration(v.source.length, lambda k: generated_item(cx, v, v.source.item(k)), once=once)
        case Generated():
            raise cx.unsupported("a comprehension here", "give the list a name first")
        case RangeVal():
            r = v
            n = cx.range_length(r.start, r.stop, r.step)
            n = cx.let(n, "n")
            return Iteration(n, lambda k: Num(symbolic.add(r.start, symbolic.mul(r.step, k)), True), r)
        case Arr() | Lazy():
            if v.ndim == 0:
                cx.raise_("TypeError", "iteration over a 0-d array")
                return Iteration(const(0), lambda k: Num(k, True))
            a = pin(cx, v)
            return Iteration(v.shape[0], lambda k: get_item(cx, a, Num(k, True)))
        case Flat():
            return Iteration(flat_elements.size(cx, v), lambda k: flat_elements.element(cx, v, k))
        case Tup() if len(v.items) > UNIFORM and _uniform(v):
            values = array_of(cx, v)
            weak = isinstance(v.items[0], Num) and v.items[0].weak
            return Iteration(const(len(v.items)), lambda k: Num(values.element((k,)), weak))
        case Static() if isinstance(v.obj, (str, bytes)) and len(v.obj) > LONG_TEXT:
            return Iteration(const(len(v.obj)), lambda k: get_item(cx, v, Num(k, True)))
        case Object() if characters.is_text(v):
            codes = characters.codes_to_step_through(cx, v)
            return Iteration(codes.shape[0], lambda k: characters.item(cx, v, codes, k))
        case Tup() | OneShot() | Dict() | Static():
            return None
    if not isinstance(v, (Num, Func, Method)):
        raise cx.unsupported(f"iterating over {describe(v)} here")
    cx.raise_("TypeError", f"'{py_type(v)}' object is not iterable")
    return Iteration(const(0), lambda k: Num(k, True))


def _uniform(v: Tup) -> bool:
    kinds = {(x.dtype, x.weak) if isinstance(x, Num) else None for x in v.items}
    return len(kinds) == 1 and None not in kinds


@contextmanager
def counted(cx: Lowering, it: Iteration, hint: str) -> Iterator[tuple[Block, Value]]:
    """`for k in range(it.length)` (or over the range itself) with the item of the step."""
    var, place = cx.fresh(hint), cx.loc
    r = it.span
    step = cx.static_step(r.step) if r is not None else None
    with cx.block(TRUE) as body:
        if r is not None and step is not None:
            span = Range(cx.let(r.start), cx.let(r.stop), const(step))
            cx.moderate(span.start)
            cx.moderate(span.stop)
            cx.facts = cx.facts.with_loop(var, span)
            item: Value = Num(Sym(var), True)
        else:
            span = Range(const(0), it.length, const(1))
            cx.facts = cx.facts.with_range(var, const(0), it.length)
            item = NONE
        cx.spans[var] = span
        try:
            yield body, item if item is not NONE else it.item(Sym(var))
        finally:
            del cx.spans[var]
    cx.loc = place
    cx.emit(nodes.Loop(var, span, body))  # type: ignore[arg-type]


def know_after(cx: Lowering, v: Value | None, span: RangeVal, has_run: bool) -> None:
    """After a loop over a range: its variable, if that is bound, is in the range. has_run: the loop has surely run"""
    held = v.value if isinstance(v, MaybeUnbound) else v
    if not (isinstance(held, Num) and isinstance(held.expr, Sym) and held.weak and held.dtype is i64):
        return
    if has_run:
        cx.facts = cx.facts.with_loop(held.expr.name, Range(span.start, span.stop, span.step))
        return
    limits = [x for e in (span.start, span.stop) for x in cx.facts.bounds(e)]
    known = [x for x in limits if x is not None]
    if len(known) == len(limits):
        cx.facts = cx.facts.with_range(held.expr, const(min(known)), const(max(known) + 1))


# --- iteration --------------------------------------------------------------------------------------------------------


@contextmanager
def steps_of_object(cx: Lowering, v: Value) -> Iterator[tuple[Block, Value]]:
    """A loop over the items of an object, in Python's own way: the body and the item."""
    place = cx.loc
    it = call_by_name(cx, HERE + "steps", [v], Element("object", object=ObjectType(None)))
    with cx.block(TRUE) as body:
        more = call_by_name(cx, HERE + "has_next", [it], BOOL)
        assert isinstance(more, Num)
        with cx.block() as leave:
            cx.emit(nodes.Break())
        cx.branch(symbolic.negate(more.expr), leave)
        yield body, call_by_name(cx, HERE + "take", [it], items_of(cx, v))
    cx.loc = place
    cx.emit(nodes.While(TRUE, body))  # type: ignore[arg-type]
