"""A statement has the same bits in a map, where vectors compute it, in a loop, and alone: which function computes a value stands in the program."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from soljit.ir.core import ops
from soljit.ir.core.expr import Cast, Expr, Memlet, Op, Sym, const
from soljit.ir.core.nodes import Alloc, Loop, Map, Node, Program, Region, Result, Return, Tasklet
from soljit.ir.core.types import ALL, DType, c64, c128, f16, f32, f64, i64, u64
from soljit.ir.walk.tree import map_exprs
from tests.codegen.harness import FLAGS, Compiled
from tests.codegen.test_operations import load, program, values

ALONE = 3  # the number of the element that a statement alone computes, too


def in_each_way(p: Program) -> Program:
    """The program whose maps are also loops, and also the statement for one element; the results behind each other."""
    data, results, first, last = dict(p.data), list(p.results), list[Node](), list[Node]()
    returned: list[Memlet] = []
    for n in p.body.nodes:
        if isinstance(n, Return):
            returned += [m for m in n.values if isinstance(m, Memlet)]
        elif isinstance(n, Alloc):
            first.append(n)
            for kind in ("loop", "alone"):
                data[f"{n.data}_{kind}"] = p.data[n.data]
                first.append(Alloc(f"{n.data}_{kind}", zero=True))
        elif isinstance(n, Map):
            (t,) = n.body.nodes
            assert isinstance(t, Tasklet)
            looped = replace(t, out=replace(t.out, data=f"{t.out.data}_loop"))
            alone = replace(t, out=replace(t.out, data=f"{t.out.data}_alone"))
            var = n.vars[0]
            single = map_exprs(alone, lambda e, var=var: const(ALONE) if e == Sym(var) else None)
            last += [n, Loop(n.vars[0], n.spans[0], Region((looped,))), single]
    for kind in ("loop", "alone"):
        returned += [replace(m, data=f"{m.data}_{kind}") for m in returned[: len(p.results)]]
        results += [Result("array", r.dtype, 1) for r in p.results]
    return replace(p, data=data, results=tuple(results), body=Region((*first, *last, Return(tuple(returned)))))


def codes(t: DType) -> list[tuple[Expr, DType]]:
    """Functions and conversions of numbers of this type."""
    found: list[tuple[Expr, DType]] = [(Cast(u, load(0, t)), u) for u in ALL if u is not t]
    for name in (*ops.MATH_UNARY, *ops.LIBM):
        if t.kind in ops.OPS[name].args and ops.OPS[name].arity == 1 and t is not f16:
            found.append((Op(name, (load(0, t),), t), t))
    return found


def same(a: np.ndarray, b: np.ndarray) -> bool:
    kept = ~(np.isnan(a) & np.isnan(b))
    return a[kept].tobytes() == b[kept].tobytes()


@pytest.mark.parametrize("t", [f32, f64, f16, i64, u64, c64, c128], ids=str)
def test_statements_keep_their_bits(t: DType) -> None:
    wanted = codes(t)
    compiled = Compiled(in_each_way(program(wanted, [t])), flags=(*FLAGS, "-O3"))
    x = np.concatenate([values(t), np.linspace(-40, 40, 999).astype(t.numpy)])
    got = compiled.run(x)
    n = len(wanted)
    for (code, _), mapped, looped, alone in zip(wanted, got[:n], got[n : 2 * n], got[2 * n :]):
        assert same(mapped, looped), code
        assert same(mapped[ALONE : ALONE + 1], alone[ALONE : ALONE + 1]), code
