"""`for` and `while`, with their `else`; loops over static sequences are unrolled."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from soljit.base.errors import UnsupportedError
from soljit.base.place import Loc
from soljit.frontend_ast.calls.classes.special_methods import call_special
from soljit.frontend_ast.expressions.conditionals import condition
from soljit.frontend_ast.iteration import counted_loops
from soljit.frontend_ast.iteration.counted_loops import steps_of_object
from soljit.frontend_ast.iteration.heads import evaluate_head
from soljit.frontend_ast.iteration.static_items import steps_in
from soljit.frontend_ast.iteration.tables import is_table, table_of
from soljit.frontend_ast.iteration.thunks import thunk
from soljit.frontend_ast.joins.binding import bind, narrow
from soljit.frontend_ast.lowering.blocks import Block
from soljit.frontend_ast.lowering.frames import Frame, Step, place
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.captured_contents import steps_outside
from soljit.frontend_ast.objects.contents import grow
from soljit.frontend_ast.objects.iterators import needed
from soljit.frontend_ast.objects.objects import make_object
from soljit.frontend_ast.statements import equal_lengths
from soljit.frontend_ast.statements.assignments import assign
from soljit.frontend_ast.statements.counting_while import Counting, counting
from soljit.frontend_ast.statements.generator_loops import loop_and_close, loop_over_generator
from soljit.frontend_ast.statements.loop_else import loop_else
from soljit.frontend_ast.statements.loop_fixpoint import carried, end_of_iteration, with_variables
from soljit.frontend_ast.statements.split_by_type import by_type, for_each_type, has_types, with_named_sources
from soljit.frontend_ast.syntax.scopes import assigned_names, maybe_deleted, names_read, own_statements, surely_bound
from soljit.frontend_ast.values.learned import Restart
from soljit.frontend_ast.values.values import (
    NONE,
    Dict,
    DictView,
    Generated,
    Generator,
    Iteration,
    Num,
    Object,
    OneShot,
    RangeVal,
    Thunk,
    Tup,
    Union,
    Value,
    taken,
)
from soljit.frontend_ast.values.variables import ScalarVar
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.expr import TRUE, Const, const, is_const
from soljit.ir.core.types import i64
from soljit.ir.symbolic import cases

Steps = AbstractContextManager[tuple[Block, Value]]  # a loop under construction: its body, and the item of the step


def lower_for(cx: Lowering, fr: Frame, s: ast.For) -> None:
    again = with_named_sources(cx, fr, s)
    if cx.current.done:
        return
    if again is not None:
        s = again
        if has_types(cx, fr, s):
            by_type(cx, fr, s, lower_for)
            return
    seq = evaluate_head(cx, fr, s.iter)
    if cx.current.done:
        return
    seq = steps_outside(cx, seq) or seq
    if isinstance(seq, (Generator, Generated)):
        loop_over_generator(cx, fr, s, seq)
        return
    if isinstance(seq, Object) and isinstance(s.iter, ast.Call) and place(fr, s.iter) in cx.learned.closing:
        loop_and_close(cx, fr, s, seq)
        return
    if isinstance(seq, Union):
        for_each_type(cx, fr, s, seq, lambda k: _for_in(cx, fr, s, narrow(cx, seq, k)))
        return
    _for_in(cx, fr, s, seq)


def _for_in(cx: Lowering, fr: Frame, s: ast.For, seq: Value) -> None:
    special: Value | None = call_special(cx, seq, "__iter__") if not isinstance(seq, Object) else None
    if isinstance(special, Generator):
        loop_over_generator(cx, fr, s, special)
        return
    seq = seq if special is None else special
    seq = _as_range(cx, s, seq) or seq
    if isinstance(seq, Object):
        _for_object(cx, fr, s, seq)
        return
    it = counted_loops.iteration_of(cx, seq)
    if it is None:
        items = steps_in(cx, seq)
        if not cx.current.done:
            _over_known(cx, fr, s, items, seq)
        return
    runs = _runs(cx, it)
    if runs is False:
        cx.above.run(cx, fr, s.orelse)
        return
    count = int(it.length.value.real) if isinstance(it.length, Const) else MOST_UNROLLED + 1
    if count <= MOST_UNROLLED and cx.loc in cx.learned.unrolled and cx.work.unrolls(cx.copies, count):
        _unrolled(cx, fr, s, [thunk(cx, functools.partial(it.item, const(k))) for k in range(count)], seq)
        return

    _counted(cx, fr, s, it, runs is True)


def _counted(cx: Lowering, fr: Frame, s: ast.For, it: Iteration, at_least_once: bool) -> None:
    """A loop that counts its steps. If it is short, and something needs to know while compiling which step it is, it will be unrolled."""
    place, short = cx.loc, isinstance(it.length, Const) and it.length.value.real <= MOST_UNROLLED
    short = short and (it.span is not None or place in cx.learned.tables)

    @contextmanager
    def counted() -> Iterator[tuple[Block, Value]]:
        with counted_loops.counted(cx, it, _hint(s.target)) as (body, item):
            if short:
                cx.short_loops[next(reversed(cx.spans))] = place
            yield body, item

    name = s.target.id if isinstance(s.target, ast.Name) else ""
    steps_only = name not in assigned_names([*s.body, *s.orelse]) | fr.shared and (at_least_once or name not in fr.env)
    _stepped(cx, fr, s, counted, at_least_once)
    if steps_only and it.span is not None:
        counted_loops.know_after(cx, fr.env.get(name), it.span, at_least_once)


def _runs(cx: Lowering, it: Iteration) -> bool | None:
    """Tell whether the loop runs at least once. Its bounds may depend on loops around it: then whether it does in all their iterations."""
    answer = cx.decide(symbolic.gt(it.length, const(0)))
    if answer is not None or it.span is None or not is_const(it.span.step, 1):
        return answer
    firsts, ends = cases.alternatives("max", it.span.start), cases.alternatives("min", it.span.stop)
    return cx.settle(symbolic.conj(*(symbolic.lt(a, b) for a in firsts for b in ends)))


MOST_UNROLLED = 8  # steps of a loop that is unrolled because something needs to know its counter
LARGE_BODY = 250  # what lowering the body of a loop costs (`Work.cost`) …
LARGE_COPIES = 750  # … and all its copies, if known numbers are put into a table instead
MOST_COPIES = 8  # of a loop in unrolled loops


def _as_range(cx: Lowering, s: ast.For, seq: Value) -> RangeVal | None:
    """Evenly spaced integers `(-1, 0, 1)` as the range that they are, in unrolled loops whose body would become too many loops."""
    if not isinstance(seq, Tup) or seq.cls is not None or (seq.mutable and not isinstance(s.iter, ast.List)):
        return None
    numbers = [
        int(x.expr.value.real)
        for x in seq.items
        if isinstance(x, Num) and x.weak and x.dtype is i64 and isinstance(x.expr, Const)
    ]
    loops = any(isinstance(n, (ast.For, ast.While, ast.Yield)) for b in s.body for n in ast.walk(b))
    if not loops or cx.copies == 1 or cx.copies * len(seq.items) <= MOST_COPIES or len(numbers) < len(seq.items):
        return None
    steps = {b - a for a, b in zip(numbers, numbers[1:])}
    if len(steps) != 1 or 0 in steps:
        return None
    step = steps.pop()
    return RangeVal(const(numbers[0]), const(numbers[-1] + step), const(step))


def _for_object(cx: Lowering, fr: Frame, s: ast.For, seq: Object) -> None:
    """A loop over an object, whose items Python gives one by one."""
    _stepped(cx, fr, s, lambda: steps_of_object(cx, seq), False)


def _stepped(cx: Lowering, fr: Frame, s: ast.For, steps: Callable[[], Steps], at_least_once: bool) -> None:
    """The loop that `steps` makes, with the statement's body in it and its else clause behind it."""
    targets = assigned_names([ast.copy_location(ast.Assign([s.target], ast.Constant(None)), s)])
    names = carried(cx, fr, s, targets)

    def lower() -> None:
        with steps() as (body, item):
            equal_lengths.assume(cx, fr)
            assign(cx, fr, s.target, item)
            cx.above.run(cx, fr, s.body)
            if not body.done:
                end_of_iteration(cx, fr, names)
                equal_lengths.confirm(cx, fr)

    bound = targets - maybe_deleted(s.body) | surely_bound(s.body)
    scope = with_variables(cx, fr, names, at_least_once, lower, bool(s.orelse), bound)
    loop_else(cx, fr, s, scope)


def _hint(target: ast.expr) -> str:
    return target.id if isinstance(target, ast.Name) and target.id != "_" else "i"


def _over_known(cx: Lowering, fr: Frame, s: ast.For, items: list[Value], seq: Value) -> None:
    """A loop over a static sequence: unrolled, unless it is left from its middle, or that would be too much work."""
    much = not cx.work.unrolls(cx.copies, len(items))
    place = cx.loc
    if items and place in cx.learned.tables - cx.learned.unrolled and is_table(items):
        try:
            _one_by_one(cx, fr, s, items)
        except UnsupportedError:  # as a loop: unrolled it may do
            cx.learned.unrolled.add(place)
            raise Restart from None
    elif not much and not any(isinstance(n, (ast.Break, ast.Continue)) for n in own_statements(s.body)):
        _unrolled(cx, fr, s, items, seq)
    elif isinstance(seq, OneShot) and any(isinstance(x, Thunk) for x in items):
        _over_thunks(cx, fr, s, seq)
    else:
        if much:
            _grow_source(cx, seq)
        _one_by_one(cx, fr, s, list(map(taken, items)))


def _grow_source(cx: Lowering, seq: Value) -> None:
    """A list or dict of the program that a loop runs over must be an object, if it is no list of numbers and it is known where it is made."""
    source = seq.source if isinstance(seq, DictView) else seq
    if isinstance(source, Tup) and (not source.mutable or all(isinstance(x, Num) for x in source.items)):
        return
    if not isinstance(source, (Tup, Dict)):
        return
    made_here = source.site is not None and source.site not in cx.learned.dynamic
    if made_here or any(given is source for given, _ in cx.containers):
        grow(cx, source)


def _unrolled(cx: Lowering, fr: Frame, s: ast.For, items: list[Value], seq: Value) -> None:
    """The loop's body once for each item. A list or dict of which the body changes what is to come is an object."""
    cx.note("unrolled", count=len(items))
    if fr.returns is not None and not fr.loops:
        fr.goes_on = [*_laid_out(cx, fr, s, items, seq), *s.orelse]
        return
    place, before = cx.loc, cx.work.cost
    for k, x in enumerate(items):
        if k == 1:
            _bound_copies(cx, place, items, cx.work.cost - before)
        assign(cx, fr, s.target, taken(x))
        if cx.current.done:
            return
        with cx.on_way(k):
            cx.copies *= len(items)
            cx.above.run(cx, fr, s.body)
        if cx.current.done:
            return
        _stay(cx, seq, items, k)
    cx.above.run(cx, fr, s.orelse)


def _bound_copies(cx: Lowering, place: Loc, items: Sequence[Value], cost: int) -> None:
    """The first copy of the body is there. If all of them are too much, the items become a table: lower again with that in mind."""
    much = cost >= LARGE_BODY and cost * len(items) >= LARGE_COPIES
    if much and place not in cx.learned.tables and is_table(items):
        cx.learned.tables.add(place)
        raise Restart


def _laid_out(cx: Lowering, fr: Frame, s: ast.For, items: list[Value], seq: Value) -> Iterator[ast.stmt]:
    """The unrolled loop as statements in a row, for inlined functions: a branch in the body may take with it what is left of the function."""
    way, copies, place, before = cx.way, cx.copies, cx.loc, cx.work.cost

    def enter(k: int) -> None:
        if k:
            _stay(cx, seq, items, k - 1)
        if k == 1:
            _bound_copies(cx, place, items, cx.work.cost - before)
        cx.way = f"{way}{k}/" if k < len(items) else way
        cx.copies = copies * len(items) if k < len(items) else copies
        if k < len(items):
            assign(cx, fr, s.target, taken(items[k]))

    for k in range(len(items) + 1):
        targets = (s.target,) if k < len(items) else ()
        yield ast.copy_location(Step(functools.partial(enter, k), *targets), s)
        yield from s.body if k < len(items) else ()


def _stay(cx: Lowering, seq: Value, items: list[Value], k: int) -> None:
    """The items after number k must still be what they were when the loop began."""
    if isinstance(seq, OneShot):
        for given, held, backwards in seq.watched:
            coming = slice(0, max(0, len(held) - 1 - k)) if backwards else slice(k + 1, None)
            if len(given.items) != len(held) or any(x is not y for x, y in zip(given.items[coming], held[coming])):
                grow(cx, given)
    owner = seq.source if isinstance(seq, DictView) else seq
    if isinstance(seq, DictView):
        assert seq.source is not None
        now = {"items": lambda x: x.items[1], "values": lambda x: x}.get(seq.name)
        same = len(seq.source.items) == len(items) and (
            now is None or all(now(x) is v for x, v in list(zip(items, seq.source.items.values()))[k + 1 :])
        )
    elif isinstance(seq, Tup) and seq.mutable:
        same = len(seq.items) == len(items) and all(x is y for x, y in zip(seq.items[k + 1 :], items[k + 1 :]))
    else:
        same = not isinstance(seq, Dict) or len(seq.items) == len(items)
    if not same and isinstance(owner, (Tup, Dict)):
        grow(cx, owner)


def _over_thunks(cx: Lowering, fr: Frame, s: ast.For, seq: OneShot) -> None:
    """break and continue in a loop over items that are computed when they are taken."""
    if seq.generator is None:
        needed(cx, seq)
        raise cx.unsupported("break or continue in a loop over this iterator", "make a list of its items")
    generator = seq.generator()
    assert isinstance(generator, Generator)
    loop_over_generator(cx, fr, s, generator)


def _one_by_one(cx: Lowering, fr: Frame, s: ast.For, items: list[Value]) -> None:
    """A loop over known items that is not unrolled: numbers, and tuples of numbers, stand in tables; other items in a list of Python's."""
    if not items:
        cx.above.run(cx, fr, s.orelse)
    elif is_table(items):
        it = Iteration(const(len(items)), table_of(cx, items))
        _counted(cx, fr, s, it, True)
    else:
        _for_object(cx, fr, s, make_object(cx, Tup(items, None, True)))


def lower_while(cx: Lowering, fr: Frame, s: ast.While) -> None:
    names = carried(cx, fr, s, assigned_names([ast.copy_location(ast.Expr(s.test), s)]))
    names |= assigned_names(s.body) & names_read([ast.copy_location(ast.Expr(s.test), s)])
    counts = counting(cx, fr, s)
    if counts is not None:
        _lower_counting(cx, fr, s, counts, names)
        return
    endless, place = False, cx.loc

    def lower() -> None:
        nonlocal endless
        with cx.block(TRUE) as body:
            equal_lengths.assume(cx, fr)
            cond = condition(cx, fr, s.test)
            known = cx.prove(cond)
            endless = known is True
            if known is False:
                cx.emit(nodes.Break())
            simple = not body.items and known is None
            if known is None and not simple:
                with cx.block() as leave:
                    cx.emit(nodes.Break())
                cx.branch(symbolic.negate(cond), leave)
            cx.facts = cx.facts.assume(cond)
            cx.above.run(cx, fr, s.body)
            if not body.done:
                end_of_iteration(cx, fr, names)
                equal_lengths.confirm(cx, fr)
        cx.loc = place
        cx.emit(nodes.While(cond if simple else TRUE, body))  # type: ignore[arg-type]

    scope = with_variables(cx, fr, names, False, lower, bool(s.orelse))
    if endless and not any(isinstance(n, ast.Break) for n in own_statements(s.body)):
        if fr.left_by_return:
            fr.endless = True
        else:
            cx.current.finish()
        return
    loop_else(cx, fr, s, scope)


def _lower_counting(cx: Lowering, fr: Frame, s: ast.While, counts: Counting, names: set[str]) -> None:
    """A `while` over a range; where the loop steps, the counter is written, too."""
    cx.note("counted", name=counts.name)
    r = counts.span
    length = cx.range_length(r.start, r.stop, r.step)
    it = Iteration(cx.let(length, "n"), lambda k: NONE, RangeVal(r.start, r.stop, r.step))
    runs = _runs(cx, it)
    if runs is False:
        cx.above.run(cx, fr, s.orelse)
        return

    def lower() -> None:
        with counted_loops.counted(cx, it, counts.name) as (body, item):
            counter = fr.env[counts.name]
            if isinstance(counter, ScalarVar) and isinstance(item, Num) and counter.dtype is i64:
                cx.held[counter.data] = item.expr  # since the last step, or since the loop began
            else:
                bind(cx, fr, counts.name, item)
            equal_lengths.assume(cx, fr)
            if counts.others is not None:
                cond = condition(cx, fr, counts.others)
                with cx.block() as leave:
                    cx.emit(nodes.Break())
                cx.branch(symbolic.negate(cond), leave)
                cx.facts = cx.facts.assume(cond)
            cx.above.run(cx, fr, s.body)
            if not body.done:
                end_of_iteration(cx, fr, names)
                equal_lengths.confirm(cx, fr)

    at_least_once = runs is True and counts.others is None
    scope = with_variables(cx, fr, names, at_least_once, lower, bool(s.orelse), surely_bound(s.body))
    loop_else(cx, fr, s, scope)
