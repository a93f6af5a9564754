"""Arrays from comprehensions: `np.array([f(i) for i in range(n)])` fills an array, without a list of Python's.

That needs items of one type and shape. A condition or a second generator leaves open how many there are; such lists are made as
Python makes them.
"""

from __future__ import annotations

import ast

from soljit.frontend_ast import comprehensions, iteration
from soljit.frontend_ast.choices import split
from soljit.frontend_ast.elementwise import store
from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.numpy_api.creation import array_of
from soljit.frontend_ast.subscripts import basic_view
from soljit.frontend_ast.values import Arr, Choice, Generated, Iteration, Lazy, Num, Tup, Value
from soljit.ir import symbolic
from soljit.ir.expr import Expr, Sym, const, subexpressions
from soljit.ir.types import f64


def gathered(cx: Lowering, g: Generated) -> Arr | None:
    """The array that NumPy makes of the items, or None if their number, type or shape is open."""
    if len(g.node.generators) > 1 or g.node.generators[0].ifs:
        return None
    n = g.source.length
    some = cx.decide(symbolic.gt(n, const(0)))
    if some is None:
        return None
    if not some:
        return cx.alloc(f64, (const(0),))
    before, mark = frozenset(cx.taken), cx.snapshot()
    with iteration.counted(cx, Iteration(n, g.source.item), "i") as (_, x):
        sample = _item(cx, g, x)
    known = sample is not None and all(
        e.name in before for s in _shape(sample) for e in subexpressions(s) if isinstance(e, Sym)
    )
    cx.restore(mark)
    if sample is None or not known:
        return None
    out = cx.alloc(sample.dtype, (n, *_shape(sample)))
    steps: list[Expr] = []

    def item(k: Expr) -> Value:
        steps.append(k)
        return g.source.item(k)

    with iteration.counted(cx, Iteration(n, item), "i") as (_, x):
        made = _item(cx, g, x)
        assert made is not None
        store(cx, basic_view(cx, out, [Num(steps[-1], True)]), made)
    return out


def _shape(item: Num | Arr | Lazy) -> tuple[Expr, ...]:
    return () if isinstance(item, Num) else item.shape


def _item(cx: Lowering, g: Generated, x: Value) -> Num | Arr | Lazy | None:
    comprehensions.bind_target(cx, g.frame, g.node.generators[0].target, x)
    inner = g.node.elt
    if isinstance(inner, ast.ListComp):
        v = comprehensions.lower(cx, g.frame, inner, True)
    else:
        v = cx.evaluate(cx, g.frame, inner)
    if isinstance(v, Generated):
        return gathered(cx, v)
    if isinstance(v, Choice) and all(k.form == "scalar" for k in v.kinds) and len({k.dtype for k in v.kinds}) == 1:
        v = split(cx, [v], _strong)  # a float of Python or of NumPy
    if isinstance(v, Tup) and all(isinstance(i, (Num, Arr, Lazy, Tup)) for i in v.items):
        return array_of(cx, v)
    return v if isinstance(v, (Num, Arr, Lazy)) else None


def _strong(values: list[Value]) -> Value:
    (x,) = values
    assert isinstance(x, Num)
    return Num(x.expr, False)
