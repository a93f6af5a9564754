"""List, set, dict comprehensions and generator expressions.

Over sequences of static length they are unrolled. Over run-time ranges and arrays a generator expression of numbers is an
`Iteration`, which reductions such as `sum(...)` and `max(...)` consume, and a list of numbers becomes an array in disguise (its length
is known only at run time).
"""

from __future__ import annotations

import ast
import functools
import sys
from typing import Any

from soljit.base.errors import UnsupportedError
from soljit.frontend_ast.calls import calls
from soljit.frontend_ast.calls.object_methods import call_object_method
from soljit.frontend_ast.expressions.conditionals import condition
from soljit.frontend_ast.expressions.object_displays import set_of
from soljit.frontend_ast.iteration import counted_loops
from soljit.frontend_ast.iteration.folds import visit_any
from soljit.frontend_ast.iteration.heads import evaluate_head
from soljit.frontend_ast.iteration.static_items import counted_items, iterate_static, steps_in
from soljit.frontend_ast.iteration.targets import bind_target
from soljit.frontend_ast.iteration.thunks import Watch, one_shot
from soljit.frontend_ast.joins.binding import named, pin
from soljit.frontend_ast.joins.unions import act, split
from soljit.frontend_ast.lowering.frames import Frame, place
from soljit.frontend_ast.lowering.generator_expressions import generator_of, nested_loops
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.captured_contents import steps_outside
from soljit.frontend_ast.objects.iterators import needed
from soljit.frontend_ast.objects.objects import dict_of, list_of, make_object
from soljit.frontend_ast.syntax.desugar_comprehensions import shares_its_variables
from soljit.frontend_ast.syntax.side_effects import may_have_effects
from soljit.frontend_ast.values.values import (
    NONE,
    Arr,
    Dict,
    Generated,
    Generator,
    Iteration,
    Lazy,
    Num,
    Object,
    OneShot,
    RangeVal,
    Static,
    Tup,
    Union,
    Value,
    taken,
)
from soljit.frontend_ast.views.object_items import set_object_item
from soljit.ir.core.expr import Const, Expr, Sym, subexpressions
from soljit.ir.core.types import i64

LONGEST_UNROLLED = 64
MOST_AXES = 8  # of an array
Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


def lower(cx: Lowering, fr: Frame, node: Comprehension, consumed: bool = False) -> Value:
    """The value of a comprehension. `consumed`: a list that is an argument of a function, which steps through it, or a generator
    of whose items a function may take only some."""
    inner = Frame(fr.name, fr.file, {}, fr.resolve, {}, set(), returns=[], parent=fr, caller=fr.caller)
    inner.comprehension = node
    inner.in_place = sys.version_info >= (3, 12) and not isinstance(node, ast.GeneratorExp)
    first = node.generators[0]
    seq = calls.iterated(cx, evaluate_head(cx, fr, first.iter))
    if not isinstance(node, ast.GeneratorExp):
        seq = steps_outside(cx, seq) or seq
    some = consumed and not _run_time(cx, seq) and may_have_effects(node)
    some = some or (isinstance(node, ast.GeneratorExp) and shares_its_variables(node))
    if isinstance(node, ast.GeneratorExp) and (isinstance(seq, (Generator, Object)) or some):
        return generator_of(inner, node, seq)
    if isinstance(seq, Generator):
        if not isinstance(node, ast.ListComp):
            needed(cx, seq)
            raise cx.unsupported("this comprehension over a generator", "make a list of its items first")
        return list_comprehension_over_generator(cx, inner, node, seq)
    if isinstance(seq, Union):
        if isinstance(node, ast.GeneratorExp):
            raise cx.unsupported("a generator expression over a value of several types", "make it a list")
        return split(cx, [seq], lambda vs: _over(cx, inner, node, vs[0], False), "list")
    return _over(cx, inner, node, seq, consumed)


def _over(cx: Lowering, inner: Frame, node: Comprehension, seq: Value, consumed: bool) -> Value:
    """A comprehension whose first generator runs over `seq`."""
    stepwise = isinstance(node, ast.GeneratorExp) or (consumed and isinstance(node, ast.ListComp))
    if _run_time(cx, seq) and stepwise:
        it = counted_loops.iteration_of(cx, seq)
        if it is not None:
            return Generated(it, node, inner, isinstance(node, ast.ListComp))
    much = _is_much(cx, seq)
    if much and isinstance(node, ast.GeneratorExp):
        return generator_of(inner, node, seq)
    mark = cx.snapshot()
    if not (isinstance(seq, Object) or _run_time(cx, seq) or isinstance(node, ast.SetComp) or much):
        try:
            if isinstance(node, ast.GeneratorExp):
                return _lazily(cx, inner, node, seq)
            out: list[Any] = []
            _static(cx, inner, node, 0, steps_in(cx, seq), out)
            if isinstance(node, ast.DictComp):
                return dict_of(cx, dict(out))
            return list_of(cx, out)
        except UnsupportedError:
            cx.restore(mark)
            if stepwise and isinstance(seq, (Arr, Lazy, RangeVal, Iteration)):
                it = counted_loops.iteration_of(cx, seq)
                if it is not None:
                    return Generated(it, node, inner, isinstance(node, ast.ListComp))
    return _object(cx, inner, node, seq)


def _lazily(cx: Lowering, fr: Frame, node: ast.GeneratorExp, seq: Value) -> Value:
    """A generator expression over items whose number is known; what they are is seen when they are taken."""

    def as_generator() -> Value:
        return generator_of(fr, node, seq)

    if len(node.generators) == 1 and not node.generators[0].ifs:

        def item(x: Value) -> Value:
            bind_target(cx, fr, node.generators[0].target, taken(x))
            return pin(cx, cx.above.evaluate(cx, fr, node.elt))

        steps = steps_in(cx, seq)
        effects = may_have_effects(node.elt)
        return one_shot(cx, [functools.partial(item, x) for x in steps], effects, as_generator)
    out: list[Value] = []
    watch = None if may_have_effects(node) else Watch(cx)
    _static(cx, fr, node, 0, iterate_static(cx, seq), out)
    return as_generator() if watch is not None and watch.forget_seen() else OneShot(out)


def _object(cx: Lowering, fr: Frame, node: Comprehension, seq: Value) -> Value:
    """A comprehension as Python makes it, one item after the other."""
    empty: Value = Dict({}, site=cx.loc) if isinstance(node, ast.DictComp) else Tup([], None, True, cx.region, cx.loc)
    made = set_of(cx, []) if isinstance(node, ast.SetComp) else make_object(cx, empty)

    def generator(k: int, item: Value) -> None:
        g = node.generators[k]
        bind_target(cx, fr, g.target, item)
        conditions(k, list(g.ifs))

    def conditions(k: int, rest: list[ast.expr]) -> None:
        if rest:
            c = condition(cx, fr, rest[0])
            with cx.block(c) as yes:
                conditions(k, rest[1:])
            cx.branch(c, yes)
        elif k + 1 < len(node.generators):
            inner = calls.iterated(cx, evaluate_head(cx, fr, node.generators[k + 1].iter))
            visit_any(cx, inner, lambda x: generator(k + 1, x))
        elif isinstance(node, ast.DictComp):
            key = pin(cx, cx.above.evaluate(cx, fr, node.key))
            value = pin(cx, cx.above.evaluate(cx, fr, node.value))
            act(cx, [key, value], lambda kv: set_object_item(cx, made, *kv))
        else:
            name = "add" if isinstance(node, ast.SetComp) else "append"
            call_object_method(cx, made, name, [cx.above.evaluate(cx, fr, node.elt)], {})

    visit_any(cx, seq, lambda x: generator(0, x))
    return made


def _run_time(cx: Lowering, seq: Value) -> bool:
    """Tell whether the length of a sequence is known only at run time, or too large for a list of values."""
    if isinstance(seq, RangeVal):
        n = cx.range_length(seq.start, seq.stop, seq.step)
        return not (isinstance(n, Const) and n.value <= LONGEST_UNROLLED)  # type: ignore[operator]
    if isinstance(seq, (Arr, Lazy)):
        return seq.ndim > 0 and not isinstance(seq.shape[0], Const)
    return isinstance(seq, Iteration) and not isinstance(seq.length, Const)


def _is_much(cx: Lowering, seq: Value) -> bool:
    """Tell whether writing the items down one by one would be too much work."""
    if isinstance(seq, OneShot):
        return not cx.work.unrolls(cx.copies, len(seq.steps))
    if isinstance(seq, (Tup, Dict)):
        return not cx.work.unrolls(cx.copies, len(seq.items))
    counted = counted_items(cx, seq)
    return (
        counted is not None
        and isinstance(counted[0], Const)
        and not cx.work.unrolls(cx.copies, int(counted[0].value.real))
    )


def _of_integers(e: Expr) -> bool:
    """Tell whether an expression speaks of integers only."""
    return not any(isinstance(x, Sym) and x.dtype is not i64 for x in subexpressions(e))


def _static(cx: Lowering, fr: Frame, node: Any, k: int, items: list[Value], out: list[Any]) -> None:
    """Unroll generator k over `items`."""
    for n, x in enumerate(items):
        with cx.on_way(n, len(items)):
            _item(cx, fr, node, k, x, len(items), out)


def _item(cx: Lowering, fr: Frame, node: Any, k: int, x: Value, count: int, out: list[Any]) -> None:
    """What a comprehension makes of one item of generator k, which has `count`."""
    g = node.generators[k]
    bind_target(cx, fr, g.target, taken(x))
    for cond in g.ifs:
        c = condition(cx, fr, cond)
        known = cx.prove(c)
        if known is None and count <= MOST_AXES and _of_integers(c):  # such as `if k != axis`
            cx.unroll_for(c)
            known = cx.decide(c)
        if known is None:
            raise cx.unsupported("a condition in a comprehension that is not known at compile time", "use a mask")
        if not known:
            return
    if k + 1 < len(node.generators):
        inner = calls.iterated(cx, evaluate_head(cx, fr, node.generators[k + 1].iter))
        _static(cx, fr, node, k + 1, steps_in(cx, inner), out)
    elif isinstance(node, ast.DictComp):
        key = cx.above.evaluate(cx, fr, node.key)
        if isinstance(key, Static):
            name: Any = key.obj
        elif isinstance(key, Num) and isinstance(key.expr, Const):
            name = key.expr.value
        else:
            raise cx.unsupported("a dict key that is not known at compile time")
        out.append((name, named(cx, pin(cx, cx.above.evaluate(cx, fr, node.value)), f"{len(out)}")))
    else:
        out.append(named(cx, pin(cx, cx.above.evaluate(cx, fr, node.elt)), f"{len(out)}"))


def comprehension_for_call(cx: Lowering, fr: Frame, node: ast.ListComp | ast.GeneratorExp) -> Value:
    """A list comprehension that is the argument of a function."""
    saved = cx.loc
    cx.loc = place(fr, node)
    try:
        return lower(cx, fr, node, True)
    finally:
        cx.loc = saved


def list_comprehension_over_generator(cx: Lowering, fr: Frame, node: ast.ListComp, generator: Generator) -> Value:
    """A list comprehension over a generator; `fr` is the comprehension's own frame."""
    fr.env["<items>"] = generator
    add = ast.Attribute(ast.Name("<list>", ast.Load()), "append", ast.Load())
    start = ast.Assign([ast.Name("<list>", ast.Store())], ast.List([], ast.Load()))
    body = nested_loops(node, ast.Expr(ast.Call(add, [node.elt], [])))
    cx.above.run(cx, fr, [ast.fix_missing_locations(ast.copy_location(start, node)), body])
    return NONE if cx.current.done else fr.env["<list>"]
