"""Counterexamples refute only what the search does not prove, and spare it most searches."""

from __future__ import annotations

import random

import pytest

from soljit.ir.core.expr import Expr, Op, Sym, const
from soljit.ir.core.types import i64
from soljit.ir.symbolic import Facts, add, eq, ge, le, lt, maximum, minimum, mul, ne, select, sub
from soljit.ir.symbolic.inequalities import Inequalities

NAMES = [Sym(f"n{k}") for k in range(5)]


def _number(rng: random.Random, depth: int = 2) -> Expr:
    if not depth or rng.random() < 0.3:
        return rng.choice([*NAMES, const(rng.randrange(-3, 9))])
    a, b = _number(rng, depth - 1), _number(rng, depth - 1)
    return rng.choice(
        [
            add(a, b),
            sub(a, b),
            mul(const(rng.randrange(1, 4)), a),
            minimum(a, b),
            maximum(a, b),
            select(_condition(rng, 0), a, b),
            Op("floordiv", (a, const(rng.randrange(1, 5))), i64),
            Op("mod", (a, const(rng.randrange(1, 5))), i64),
        ]
    )


def _condition(rng: random.Random, depth: int = 2) -> Expr:
    return rng.choice([eq, ne, lt, le, ge])(_number(rng, depth), _number(rng, depth))


@pytest.mark.parametrize("seed", range(60))
def test_the_same_is_proved_without_them(seed: int) -> None:
    rng = random.Random(seed)
    facts = Facts().with_size(*NAMES[:3])
    plain = Facts().with_size(*NAMES[:3])
    plain._witnesses = ()
    for _ in range(rng.randrange(6)):
        cond = _condition(rng)
        if plain.prove(cond) is None:
            facts, plain = facts.assume(cond), plain.assume(cond)
    for _ in range(25):
        cond, number = _condition(rng), _number(rng)
        if facts._witnesses:  # facts that contradict each other have none: then anything may be proved
            assert facts.prove(cond) == plain.prove(cond), cond
            assert facts.bounds(number) == plain.bounds(number), number


def test_a_question_without_a_proof_is_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    searches = 0
    usual = Inequalities.lower

    def counted(*args: object, **options: object) -> int | None:
        nonlocal searches
        searches += 1
        return usual(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Inequalities, "lower", counted)
    facts = Facts().with_size("n", "m", "k").assume(lt(Sym("n"), Sym("m")))
    n, m, k = Sym("n"), Sym("m"), Sym("k")
    for cond in (eq(n, k), le(m, k), eq(minimum(m, k), n), lt(maximum(n, k), m), eq(add(n, k), m)):
        assert facts.prove(cond) is None
    assert searches <= 2
    assert facts.prove(lt(n, add(m, k))) is True
