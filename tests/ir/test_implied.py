"""Conditions without what others imply."""

from __future__ import annotations

from soljit.ir.core.expr import Expr, Op, Sym, const
from soljit.ir.core.types import b1
from soljit.ir.symbolic import add, conj, eq, le, lt, without_implied

N, M = Sym("n"), Sym("m")


def test_the_strongest_stands_where_the_first_stood() -> None:
    conds = [lt(const(0), N), eq(M, const(3)), le(N, add(M, const(1))), le(const(5), N), le(N, M)]
    assert without_implied(conds) == [(le(const(5), N), 3), (conds[1], 1), (le(N, M), 4)]


def test_parts_of_a_condition_go_alone() -> None:
    conds = [conj(le(const(-4), N), le(N, const(4))), le(const(2), N)]
    assert without_implied(conds) == [(conj(le(const(2), N), le(N, const(4))), 0)]
    assert without_implied([le(const(2), N), conds[0]]) == [(le(const(2), N), 0), (le(N, const(4)), 1)]


def test_what_differs_by_more_than_a_constant_stays() -> None:
    conds: list[Expr] = [le(N, M), le(M, N), le(add(N, N), M), eq(N, M), Op("lor", (le(N, M), le(M, N)), b1)]
    assert without_implied(conds) == [(c, k) for k, c in enumerate(conds)]
    assert without_implied([conds[0], conds[0]]) == [(conds[0], 0)]
    assert without_implied([]) == []
