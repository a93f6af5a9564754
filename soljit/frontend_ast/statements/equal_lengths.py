"""Arrays that change their length in a loop, but together: `x = x[keep]; y = y[keep]`.

What has equal lengths when the loop starts is taken to have them at the start of every iteration; at its end this must be
proved, else the loop is lowered again without the assumption. So it holds by induction, and `x + y` needs neither a check nor a loop
that can broadcast.
"""

from __future__ import annotations

from collections.abc import Mapping

from soljit.frontend_ast.joins.binding import read_name
from soljit.frontend_ast.lowering.frames import Frame, LoopScope
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values.retries import Again
from soljit.frontend_ast.values.values import Arr, MaybeUnbound, Value
from soljit.frontend_ast.values.variables import ArrayVar
from soljit.ir import symbolic
from soljit.ir.core.expr import Expr, Extent

Length = tuple[str, int]  # a name and a dimension of the array it names


def groups(
    cx: Lowering, before: Mapping[str, Value], scope: LoopScope, apart: set[Length]
) -> tuple[tuple[Length, ...], ...]:
    """The lengths that are equal when the loop starts, as far as the loop changes them; `apart` are known to part."""
    found: dict[Expr, list[Length]] = {}
    for name, kind in scope.kinds.items():
        old = before.get(name)
        if old is None or isinstance(old, MaybeUnbound) or kind.form != "array" or kind.shape is not None:
            continue
        held = read_name(cx, old)
        if isinstance(held, Arr):
            for k, n in enumerate(held.shape):
                if (name, k) not in apart:
                    found.setdefault(n, []).append((name, k))
    return tuple(tuple(g) for g in found.values() if len(g) > 1)


def assume(cx: Lowering, fr: Frame) -> None:
    """At the start of an iteration: one symbol for the lengths of each group."""
    for group in fr.loops[-1].equal:
        first, *others = (_extent(fr, x) for x in group)
        n = cx.measure(first)
        cx.facts = cx.facts.with_size(n)
        for e in others:
            cx.remember(e, n)


def confirm(cx: Lowering, fr: Frame) -> None:
    """At the end of an iteration, find out whether the groups are what they were."""
    scope = next(x for x in reversed(fr.loops) if x.attempt is None)  # the body of a try is a loop only in form
    apart: set[Length] = set()
    for group in scope.equal:
        arrays = [x for x in group if isinstance(fr.env[x[0]], ArrayVar)]
        apart |= {*group}.difference(arrays)  # no longer arrays alone
        if len(arrays) > 1:
            n, *others = (cx.measure(_extent(fr, x)) for x in arrays)
            apart |= {x for x, m in zip(arrays[1:], others) if not cx.prove(symbolic.eq(n, m))}
    if apart:
        scope.found.apart |= apart
        raise Again(scope)


def _extent(fr: Frame, length: Length) -> Extent:
    name, k = length
    var = fr.env[name]
    assert isinstance(var, ArrayVar)
    return Extent(var.data, k)
