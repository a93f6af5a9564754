"""An order written is an order taken: two steps in both orders make two programs with the same results, or one order is refused in a sentence."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.base.errors import ScheduleError
from soljit.ir.interpret.interpreter import run as interpret
from soljit.ir.text.printer import to_text
from soljit.passes.pipeline import HOST
from soljit.schedule.given import recipe_of
from soljit.schedule.steps import FORMS
from tests.schedule.programs import lowered, optimized

N = 13
MATRICES = (np.arange(N * N).reshape(N, N), np.ones((N, N), dtype=np.int64))
VECTORS = (np.arange(40), np.arange(40) % 7)


def moved(a, b):  # type: ignore[no-untyped-def]
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            b[i, j] = a[j, i] * 2


def two_nests(a, b):  # type: ignore[no-untyped-def]
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            b[i, j] = a[i, j] * 2
    for k in range(a.shape[0]):
        for m in range(a.shape[1]):
            a[k, m] = b[k, m] + 1


def parts(a, b):  # type: ignore[no-untyped-def]
    for i in range(a.shape[0]):
        x = a[i, 0] * 2
        for j in range(a.shape[1]):
            b[j, i] = a[i, j] + x
        for k in range(a.shape[1]):
            a[i, k] = x - a[i, k]
    for r in range(a.shape[0]):
        for c in range(a.shape[1]):
            a[r, c] = a[r, c] + 3


def over_time(a, b):  # type: ignore[no-untyped-def]
    for t in range(5):
        for i in range(1, len(a) - 1):
            b[i] = a[i - 1] + a[i + 1]
        for j in range(1, len(a) - 1):
            a[j] = b[j] // 2
        for k in range(1, len(a) - 1):
            b[k] = b[k] + 1


def chain(a, b):  # type: ignore[no-untyped-def]
    t = a + 1
    lap = t[2:] + t[:-2]
    b[1:-1] = lap * 2


MAPS = {
    moved: "map(L3.j)\nmap(L2.i)\n",
    two_nests: "map(L3.j)\nmap(L2.i)\nmap(L6.m)\nmap(L5.k)\n",
    parts: "map(L4.j)\nmap(L6.k)\nmap(L2.i)\nmap(L9.c)\nmap(L8.r)\n",
    over_time: "map(L3.i)\nmap(L5.j)\nmap(L7.k)\n",
    chain: "",
}
NEST = "collapse(L2.i)\n"
NESTS = "collapse(L2.i)\ncollapse(L5.k)\n"


def made(f: Callable[..., Any], schedule: str) -> str:
    """The program by a schedule, which does what the function does; what was taken, taken again, makes it once more."""
    recipe = recipe_of(f"function({f.__name__}, line=1)\n{MAPS[f]}{schedule}", f)
    args = VECTORS if f in (over_time, chain) else MATRICES
    program = lowered(f, *args)
    after, taken = optimized(program, recipe)
    assert sorted(s.name for s in taken) == sorted(s.name for s in recipe)
    again, same = optimized(program, taken)
    assert (to_text(again), same) == (to_text(after), taken)
    want, got = copy.deepcopy(args), copy.deepcopy(args)
    f(*want)
    interpret(after, [*got])
    assert all(np.array_equal(x, y) for x, y in zip(want, got))
    return to_text(after)


def refusal(f: Callable[..., Any], schedule: str) -> str:
    with pytest.raises(ScheduleError) as told:
        made(f, schedule)
    return str(told.value).partition(": ")[2]


@pytest.mark.parametrize(
    ("f", "one", "other"),
    [
        (moved, NEST + "tile(L2.i.j, i=8, j=4)\ninterchange(L2.i.j, j, i)", NEST + "interchange(L2.i.j, j, i)\ntile(L2.j.i, i=8, j=4)"),
        (moved, NEST + "tile(L2.i.j, i=8, j=4)\ntile(L2.i.j, i=4, j=2)", NEST + "tile(L2.i.j, i=4, j=2)\ntile(L2.i.j, i=8, j=4)"),
        (moved, NEST + "tile(L2.i.j, i=8, j=4)\ninterchange(L2.i_tile.j_tile, j_tile, i_tile)\ncollapse(L2.j_tile.i_tile)",
         NEST + "tile(L2.i.j, i=8, j=4)\ncollapse(L2.i_tile.j_tile)\ninterchange(L2.i_tile.j_tile.i.j, i_tile, i, j_tile, j)"),
        (two_nests, NESTS + "fuse(L2.i.j, L5.k.m)\ntile(L2.i.j, i=8, j=4)", NESTS + "tile(L2.i.j, i=8, j=4)\nvectorize(L5.k.m)"),
        (two_nests, "fuse(L2.i, L5.k)\nfuse(L3.j, L6.m)\ncollapse(L2.i)", NESTS + "fuse(L2.i.j, L5.k.m)\ninterchange(L2.i.j, j, i)"),
        (parts, "split(L2.i, L4.j, L6.k)\ncollapse(L8.r)\nfuse(L6.i.k, L8.r.c)", "fuse(L2.i, L8.r)\nsplit(L2.i, L4.j)"),
        (over_time, "fuse(L5.j, L7.k)\nskew(L2.t, rows=4, steps=2)", "skew(L2.t, rows=4, steps=2)\nfuse(L5.j, L7.k)"),
    ],
)  # fmt: skip
def test_orders_make_programs(f: Callable[..., Any], one: str, other: str) -> None:
    assert made(f, one) != made(f, other)


def test_steps_that_have_nothing_to_do_with_each_other_commute() -> None:
    assert made(chain, "inline(t)\nfuse(L3.i0, L4.i0)") == made(chain, "fuse(L3.i0, L4.i0)\ninline(t)")
    assert made(two_nests, NESTS) == made(two_nests, "collapse(L5.k)\ncollapse(L2.i)\n")


def test_there_and_back() -> None:
    there = NEST + "interchange(L2.i.j, j, i)\n"
    back = there + "interchange(L2.j.i, i, j)\n"
    assert made(moved, NEST) == made(moved, back) != made(moved, there) == made(moved, back + there[len(NEST) :])


@pytest.mark.parametrize(
    ("f", "schedule", "why"),
    [
        (chain, "contract(lap)\nfuse(L3.i0, L4.i0)", "no loop holds all of its uses"),
        (chain, "vectorize(L3.i0)\nfuse(L3.i0, L4.i0)", "it changes loops of which line 2 tells how they run; write it in front of that"),
        (parts, "split(L2.i, L4.j)\nfuse(L2.i, L8.r)", "what stands between the two loops has to stay there"),
        (moved, NEST + "interchange(L2.i.j, j, i)\ntile(L2.i.j, i=8, j=4)",
         "it needs a map, that is, a loop whose iterations are independent, and there is none at that point behind line 5"),
        (moved, NEST + "collapse(L2.i)", "it needs a map, that is, a loop whose iterations are independent, with another map as all of its body, and there is none at that point"),
    ],
)  # fmt: skip
def test_the_other_order_is_refused(f: Callable[..., Any], schedule: str, why: str) -> None:
    lines = schedule.splitlines()
    if lines[-1] == lines[-2]:
        assert made(f, schedule) == made(f, "\n".join(lines[:-1])), "a line written twice in a row is one"
    else:
        assert refusal(f, schedule) == why


def test_all_that_cannot_be_taken_is_told() -> None:
    told = refusal(chain, "inline(q)\nfuse(L2.i0, L3.i0)\ninline(t)\ncontract(u)")
    assert [x.split(",")[0] for x in told.splitlines()[1:]] == ["line 3 of the schedule", "line 5 of the schedule"]


def test_moves_go_on_from_the_steps_that_were_taken() -> None:
    a, b = (x.astype(float) for x in MATRICES)
    first = moved.__code__.co_firstlineno
    m = sol.schedule.moves(sol.jit(moved), a, b)
    for step in (
        "tile(L2.i.j, i=8, j=4)",
        "interchange(L2.i.j, j, i)",
        "interchange(L2.i_tile.j_tile, j_tile, i_tile)",
    ):
        m = m.apply(step.replace("L2", f"L{first + 1}"), drop=True)
    names = [s.name for s in m.recipe]
    assert names.index("tile") < names.index("interchange")
    f = sol.jit(moved, schedule=m.recipe)
    want, got = b.copy(), b.copy()
    moved(a, want)
    f(a, got)
    assert np.array_equal(want, got)
    assert f.recipes()[0] == m.recipe


def test_steps_that_come_last_are_those_of_the_last_passes() -> None:
    last = {p.__name__ for p in HOST.last}
    assert {name for name, form in FORMS.items() if not last.isdisjoint(form.passes)} == {
        name for name, form in FORMS.items() if form.last
    }
