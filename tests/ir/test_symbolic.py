"""Index algebra and the prover, held against brute force over small integers."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from soljit.ir.core.expr import FALSE, ONE, TRUE, ZERO, Cast, Const, Expr, Extent, Load, Memlet, Op, Range, Sym, const
from soljit.ir.core.types import b1, f64, i32, i64
from soljit.ir.symbolic import (
    Facts,
    add,
    conj,
    difference,
    disj,
    eq,
    equal,
    floordiv,
    ge,
    gt,
    le,
    linear,
    lt,
    maximum,
    minimum,
    mod,
    mul,
    ne,
    neg,
    negate,
    prod,
    range_length,
    select,
    simplify,
    sub,
    total,
)

N, M, I, J, K = (Sym(n) for n in ("N", "M", "i", "j", "k"))
NAMES = ("i", "j", "k")


def value(e: Expr, env: Mapping[str, int]) -> int:
    """The meaning of `e` on Python integers."""
    match e:
        case Const(value=v):
            return int(v.real)
        case Sym(name=n):
            return env[n]
        case Op(name="select", args=(c, a, b)):
            return value(a, env) if value(c, env) else value(b, env)
        case Op(name=name, args=args):
            return MEANING[name](*(value(a, env) for a in args))
    raise AssertionError(e)


MEANING = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "neg": lambda a: -a,
    "floordiv": lambda a, b: a // b if b else 0,
    "mod": lambda a, b: a % b if b else 0,
    "min": min,
    "max": max,
    "abs": abs,
    "le": lambda a, b: int(a <= b),
    "lt": lambda a, b: int(a < b),
    "ge": lambda a, b: int(a >= b),
    "gt": lambda a, b: int(a > b),
    "eq": lambda a, b: int(a == b),
    "ne": lambda a, b: int(a != b),
    "land": lambda a, b: a & b,
    "lor": lambda a, b: a | b,
    "lnot": lambda a: 1 - a,
}

leaves = st.one_of(st.sampled_from([Sym(n) for n in NAMES]), st.integers(-4, 6).map(const))


def _node(children: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    two = st.sampled_from(["add", "sub", "add", "sub", "mul", "floordiv", "mod", "min", "max"])
    cond = st.builds(lambda n, a, b: Op(n, (a, b), b1), st.sampled_from(["lt", "le", "eq"]), children, children)
    return st.one_of(
        st.builds(lambda n, a, b: Op(n, (a, b), i64), two, children, children),
        st.builds(lambda n, a: Op(n, (a,), i64), st.sampled_from(["neg", "abs"]), children),
        st.builds(lambda c, a, b: Op("select", (c, a, b), i64), cond, children, children),
    )


expressions = st.recursive(leaves, _node, max_leaves=6)
comparisons = st.builds(
    lambda n, a, b: Op(n, (a, b), b1), st.sampled_from(["le", "lt", "ge", "gt", "eq", "ne"]), expressions, expressions
)
conditions = st.recursive(
    comparisons,
    lambda c: st.one_of(
        st.builds(lambda n, a, b: Op(n, (a, b), b1), st.sampled_from(["land", "lor"]), c, c),
        st.builds(lambda a: Op("lnot", (a,), b1), c),
    ),
    max_leaves=3,
)
points = [dict(zip(NAMES, p)) for p in itertools.product(range(-2, 4), repeat=3)]


@settings(max_examples=100, deadline=None)
@given(expressions)
def test_simplify_keeps_the_value_and_is_canonical(e: Expr) -> None:
    s = simplify(e)
    assert simplify(s) == s
    for env in points[::7]:
        assert value(s, env) == value(e, env)


@settings(max_examples=60, deadline=None)
@given(conditions)
def test_simplify_keeps_conditions(c: Expr) -> None:
    s, n = simplify(c), negate(simplify(c))
    for env in points[::7]:
        assert value(s, env) == value(c, env) == 1 - value(n, env)


@settings(max_examples=60, deadline=None)
@given(expressions, expressions)
def test_sums_do_not_depend_on_the_order_of_construction(a: Expr, b: Expr) -> None:
    assert add(a, b) == add(b, a)
    assert sub(add(a, b), b) == simplify(a)
    assert difference(add(a, const(3)), a) == 3
    assert mul(a, b) == mul(b, a)
    assert minimum(a, b) == minimum(b, a)


@settings(max_examples=120, deadline=None)
@given(st.lists(conditions, max_size=4), conditions, expressions)
def test_what_is_proved_is_true(known: list[Expr], goal: Expr, e: Expr) -> None:
    facts = Facts()
    for n in NAMES:
        facts = facts.with_range(n, const(-2), const(4))
    for c in known:
        facts = facts.assume(c)
    answer, (lo, hi), simple = facts.prove(goal), facts.bounds(e), facts.simplify(e)
    for env in points:
        if all(value(c, env) for c in known):
            assert answer is None or value(goal, env) == answer
            v = value(e, env)
            assert (lo is None or lo <= v) and (hi is None or v <= hi)
            assert value(simple, env) == v


@settings(max_examples=60, deadline=None)
@given(st.integers(-5, 5), st.integers(-5, 5), st.integers(-3, 3).filter(bool))
def test_range_length(start: int, stop: int, step: int) -> None:
    assert range_length(Range(const(start), const(stop), const(step))) == const(len(range(start, stop, step)))
    length = range_length(Range(I, J, const(step)))
    assert value(length, {"i": start, "j": stop}) == len(range(start, stop, step))


def test_canonical_forms() -> None:
    assert sub(add(N, const(3)), mul(const(2), I)) == add(sub(N, mul(I, const(2))), const(3))
    assert floordiv(add(mul(const(4), I), const(10)), const(4)) == add(I, const(2))
    assert mod(add(mul(const(4), I), const(10)), const(4)) == const(2)
    assert mod(mod(I, const(6)), const(3)) == mod(I, const(3))
    assert floordiv(floordiv(I, const(2)), const(3)) == floordiv(I, const(6))
    assert mul(add(I, ONE), M) == add(mul(I, M), M)
    assert neg(sub(I, N)) == sub(N, I)
    assert minimum(I, add(I, ONE)) == I
    assert maximum(minimum(I, J), minimum(J, I)) == minimum(I, J)
    assert total([I, J, neg(I)]) == J and total([]) == ZERO and prod([N, M]) == mul(M, N) and prod([]) == ONE
    assert equal(mul(add(I, J), add(I, J)), add(mul(I, I), add(mul(J, J), mul(const(2), mul(I, J)))))
    assert select(lt(I, J), I, I) == I and select(TRUE, I, J) == I
    assert simplify(Cast(i64, Const(7, i32))) == const(7)
    assert linear(sub(mul(const(2), N), ONE)).terms == ((N, 2),)


def test_comparisons_are_folded_and_normalised() -> None:
    assert lt(I, add(I, ONE)) == TRUE and lt(I, I) == FALSE
    assert le(add(I, ONE), J) == lt(I, J) == gt(J, I) == negate(ge(I, J))
    assert le(mul(const(2), I), const(5)) == le(I, const(2))
    assert eq(mul(const(2), I), const(5)) == FALSE and ne(mul(const(2), I), const(5)) == TRUE
    assert eq(N, M) == eq(M, N) and eq(sub(N, const(5)), ZERO) == Op("eq", (N, const(5)), b1)
    assert conj(lt(I, J), TRUE, lt(I, J)) == lt(I, J) and conj() == TRUE and disj() == FALSE
    assert conj(lt(I, J), ge(I, J)) == FALSE and disj(lt(I, J), ge(I, J)) == TRUE
    assert negate(conj(lt(I, J), eq(I, K))) == disj(le(J, I), ne(I, K))


def test_floats_are_not_reordered() -> None:
    x, y = Sym("x", f64), Sym("y", f64)
    assert negate(lt(x, y)) == Op("lnot", (Op("lt", (x, y), b1),), b1)
    assert eq(x, x) == Op("eq", (x, x), b1)
    assert add(x, y) == Op("add", (x, y), f64)
    assert lt(Const(1.0, f64), Const(float("nan"), f64)) == FALSE


def test_nested_triangular_loops() -> None:
    f = Facts().with_size("N", "M").assume(ge(N, const(2)))
    f = f.with_loop("i", Range(ONE, sub(N, ONE), ONE)).with_loop("j", Range(add(I, ONE), N, ONE))
    assert f.prove(lt(sub(J, I), N)) is True
    assert f.prove(ge(sub(J, ONE), ONE)) is True
    assert f.prove(le(J, I)) is False
    assert f.prove(lt(J, M)) is None
    assert f.assume(eq(N, M)).prove(lt(J, M)) is True
    assert f.assume(eq(N, M)).equal(add(N, ONE), add(M, ONE))
    assert f.bounds(sub(I, J))[1] == -1
    assert f.minimum(J, N) == J and f.maximum(I, J) == J and f.clip(I, ZERO, N) == I


def test_backward_loops() -> None:
    f = Facts().with_size("N").with_loop("i", Range(sub(N, ONE), const(-1), const(-1)))
    assert f.holds(ge(I, ZERO)) and f.holds(lt(I, N))


def test_linearized_subscripts_stay_inside() -> None:
    f = Facts().with_size("N", "M").with_range("i", ZERO, N).with_range("k", ZERO, M)
    flat = add(mul(I, M), K)
    assert f.prove(conj(le(ZERO, flat), lt(flat, mul(N, M)))) is True
    assert f.prove(lt(flat, sub(mul(N, M), ONE))) is None


def test_cases_of_min_max_and_select() -> None:
    f = Facts().with_size("N", "M").with_range("i", ZERO, minimum(N, M))
    assert f.holds(lt(I, N)) and f.holds(lt(I, M))
    assert f.holds(le(minimum(I, K), I))
    assert f.holds(le(ZERO, maximum(K, ZERO)))
    wrapped = select(lt(K, ZERO), add(K, N), K)
    assert f.with_range("k", neg(N), N).holds(conj(le(ZERO, wrapped), lt(wrapped, N)))
    assert f.with_range("k", neg(N), add(N, ONE)).prove(lt(wrapped, N)) is None
    assert f.holds(lt(mod(K, const(4)), const(4))) and f.holds(le(mul(floordiv(N, const(2)), const(2)), N))


def test_minima_and_maxima_that_have_names_lie_between_the_bounds_of_their_arms() -> None:
    f = Facts().with_size("N").with_range("i", const(-3), const(9)).assume(ge(N, ONE))
    f = f.define(J, minimum(I, sub(N, ONE))).define(K, maximum(J, ZERO))
    assert f.bounds(J) == (-3, 8) and f.bounds(K) == (0, 8)
    assert f.define(M, minimum(J, Sym("x"))).bounds(M) == (None, 8)


def test_disequalities_sharpen_bounds() -> None:
    f = Facts().with_size("N").assume(ne(N, ZERO))
    assert f.holds(ge(N, ONE)) and f.prove(eq(N, ZERO)) is False
    g = Facts().with_size("N").assume(ne(N, ONE))
    assert g.prove(ge(N, const(2))) is None
    assert g.assume(ge(N, ONE)).prove(ge(N, const(2))) is True


def test_mutable_values_are_not_remembered() -> None:
    x = Load(Memlet("x", ()), i64)
    f = Facts().assume(lt(x, N)).assume(eq(Extent("r", 0), N))
    assert f.prove(lt(x, N)) is None and f.prove(eq(Extent("r", 0), N)) is None
    assert f.holds(ge(Extent("r", 0), ZERO))


def test_conditions_that_are_no_inequalities_are_kept() -> None:
    flag = Sym("flag", b1)
    assert Facts().assume(flag).prove(flag) is True
    assert Facts().assume(negate(flag)).prove(flag) is False
    assert Facts().assume(flag).simplify(select(flag, I, J)) == I


def test_length_of_a_range_needs_a_known_step() -> None:
    with pytest.raises(ValueError, match="step"):
        range_length(Range(I, J, K))
