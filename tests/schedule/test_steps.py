"""Each step of a schedule does what it says, with the arguments that it gives; and each refusal, as a whole sentence."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.base.errors import ScheduleError
from soljit.ir.text.printer import to_text
from soljit.schedule.given import recipe_of
from tests.schedule.programs import lowered, optimized, steps

A = np.arange(40.0)
M = np.arange(400.0).reshape(20, 20)
C = np.arange(7 * 9 * 11.0).reshape(7, 9, 11)


def stencil(a):  # type: ignore[no-untyped-def]
    t = a + 1.0
    lap = t[2:] + t[:-2]
    return lap * 2.0


def two_loops(a, b):  # type: ignore[no-untyped-def]
    for i in range(len(a)):
        a[i] = a[i] * 2.0
    for j in range(1, len(b)):
        b[j] = b[j - 1] + 1.0


def transposed(a):  # type: ignore[no-untyped-def]
    b = np.empty_like(a)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            b[i, j] = a[j, i]
    return b


def triangle(a):  # type: ignore[no-untyped-def]
    s = np.zeros((len(a), len(a)))
    for i in range(len(a)):
        for j in range(i // 2):
            s[i, j] = a[j]
    return s


def sums_of_planes(a):  # type: ignore[no-untyped-def]
    s = np.zeros(a.shape[2], dtype=a.dtype)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            for k in range(a.shape[2]):
                s[k] += a[i, j, k]
    return s


def layers(a):  # type: ignore[no-untyped-def]
    b = np.zeros_like(a)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            for k in range(j, a.shape[2]):
                b[i, j, k] = a[i, j, k] + a[0, 0, k]
    return b


def counted(a):  # type: ignore[no-untyped-def]
    s = np.zeros(len(a), dtype=np.int64)
    for i in range(len(a)):
        for j in range(len(a)):
            s[j] += a[i]
    return s


def program(function: Any, *args: Any, schedule: str) -> str:
    recipe = recipe_of(f"function(f, line=1)\n{schedule}", function)
    return to_text(optimized(lowered(function, *args), recipe)[0])


def test_what_passes_choose_is_listed() -> None:
    found = [s.split("when")[0] for s in steps(stencil, A)]
    assert found == [
        "fuse(L3.i0, L4.i0)",
        "contract(lap, L3.i0)",
        "inline(t)",
        "parallel(L3.i0, pieces='equal', ",
        "vectorize(L3.i0)",
    ]


def test_a_line_that_is_deleted_leaves_its_step_out() -> None:
    assert steps(stencil, A, schedule="fuse(L3.i0, L4.i0)\ninline(t)") == ["fuse(L3.i0, L4.i0)", "inline(t)"]
    assert "alloc(lap)" in program(stencil, A, schedule="fuse(L3.i0, L4.i0)\ninline(t)")
    assert "alloc(lap)" not in program(stencil, A, schedule="fuse(L3.i0, L4.i0)\ncontract(lap)")


def test_loops_stay_in_order_unless_they_are_named() -> None:
    assert "map(" not in program(two_loops, A.copy(), A.copy(), schedule="")
    assert "map(i=" in program(two_loops, A.copy(), A.copy(), schedule="map(L2.i)")


def test_threads_and_thresholds_are_what_is_asked_for() -> None:
    nest = "map(L4.j)\nmap(L3.i)\ncollapse(L3.i)\n"
    text = program(transposed, M, schedule=nest + 'parallel(L3.i.j, when="10 <= a_n0 * a_n1")\nvectorize(L3.i.j)')
    assert 'schedule("threads", "lanes"), when(10 <= a_n0 * a_n1)' in text
    text = program(transposed, M, schedule=nest + "parallel(L3.i.j, loops=2)")
    assert 'schedule("threads", "threads"):' in text
    text = program(transposed, M, schedule=nest + 'parallel(L3.i.j, pieces="interleaved")')
    assert "range(thread, a_n0, 4)" in text


def test_orders_and_sizes_are_what_is_asked_for() -> None:
    nest = "map(L4.j)\nmap(L3.i)\ncollapse(L3.i)\n"
    assert "map(j=range(0, a_n1), i=range(0, a_n0))" in program(
        transposed, M, schedule=nest + "interchange(L3.i.j, j, i)"
    )
    text = program(transposed, M, schedule=nest + "tile(L3.i.j, i=32, j=4)")
    assert "range(0, a_n0, 32)" in text
    assert "i_tile + 32" in text
    assert "j_tile + 4)" in text


@pytest.mark.parametrize(
    ("function", "sizes"),
    [
        (layers, "i=4"),
        (layers, "j=3"),
        (layers, "k=4"),
        (layers, "i=2, j=5"),
        (layers, "i=3, k=4"),
        (sums_of_planes, "i=4"),
        (sums_of_planes, "k=4"),
        (sums_of_planes, "j=2, k=4"),
    ],
)
def test_any_loops_run_in_pieces(function: Any, sizes: str) -> None:
    lines = ["function(f, line=1)", "map(L5.k)", "map(L4.j)", "map(L3.i)", "collapse(L4.j)", "collapse(L3.i)"]
    jitted = sol.jit(function, strict=True, schedule="\n".join([*lines, f"tile(L3.i.j.k, {sizes})"]))
    for shape in ((7, 9, 11), (4, 6, 8), (9, 2, 3)):
        a = np.arange(np.prod(shape)).reshape(shape)
        np.testing.assert_array_equal(jitted(a), function(a))


@pytest.mark.parametrize(
    ("function", "args", "schedule", "message"),
    [
        (
            two_loops,
            (A.copy(), A.copy()),
            "map(L2.i)\nmap(L4.j)",
            "line 3 of the schedule, map(L4.j): an iteration may need elements of b that others write",
        ),
        (
            two_loops,
            (A.copy(), A.copy()),
            "map(L2.k)",
            "line 2 of the schedule, map(L2.k): there is no L2.k: there are L2.i",
        ),
        (
            stencil,
            (A,),
            "map(L2.i0)",
            "line 2 of the schedule, map(L2.i0): it needs a for loop over a range, and there is none at that point",
        ),
        (
            stencil,
            (A,),
            "fuse(L2.i0, L3.i0)",
            "line 2 of the schedule, fuse(L2.i0, L3.i0): the two loops do not run over equal ranges",
        ),
        (
            stencil,
            (A,),
            "fuse(L2.i0, L4.i0)",
            "line 2 of the schedule, fuse(L2.i0, L4.i0): what stands between the two loops has to stay there",
        ),
        (
            stencil,
            (A,),
            "contract(t)",
            "line 2 of the schedule, contract(t): no loop holds all of its uses",
        ),
        (
            stencil,
            (A,),
            "vectorize(L2.i0)\nparallel(L2.i0, loops=2)",
            "line 3 of the schedule, parallel(L2.i0, loops=2): it has 1 loops",
        ),
        (
            stencil,
            (A,),
            'parallel(L2.i0, when="q < 3")',
            "line 2 of the schedule, parallel(L2.i0, when='q < 3'): when= is a comparison of sizes, of a_n0",
        ),
        (
            triangle,
            (A,),
            "map(L4.j)\nmap(L3.i)\ncollapse(L3.i)\ninterchange(L3.i.j, j, i)",
            "line 5 of the schedule, interchange(L3.i.j, j, i): the range of j depends on a loop that would run inside it",
        ),
        (
            counted,
            (np.arange(9),),
            "map(L4.j)\nmap(L3.i)\nparallel(L3.i)",
            "line 4 of the schedule, parallel(L3.i): several iterations of i add to the same elements of zeros; "
            "privatize makes sums of each thread's own",
        ),
        (
            stencil,
            (A,),
            "tile(L2.i0, j=8)",
            "line 2 of the schedule, tile(L2.i0, j=8): its loops are i0: at least one of them is cut, as in i0=8",
        ),
        (
            triangle,
            (A,),
            "map(L4.j)\nmap(L3.i)\ncollapse(L3.i)\ntile(L3.i.j, i=4, j=4)",
            "line 5 of the schedule, tile(L3.i.j, i=4, j=4): the range of i depends on loops that are cut, or on memory, "
            "a range around the tiles depends on it, or its step is not 1",
        ),
        (
            sums_of_planes,
            (C.astype(np.int64),),
            "map(L5.k)\nmap(L4.j)\nmap(L3.i)\ncollapse(L4.j)\ncollapse(L3.i)\ntile(L3.i.j.k, i=4, j=4)",
            "line 7 of the schedule, tile(L3.i.j.k, i=4, j=4): elements that are added to would get their parts in another order",
        ),
    ],
)
def test_refusals_are_sentences(function: Any, args: tuple[Any, ...], schedule: str, message: str) -> None:
    with pytest.raises(ScheduleError) as found:
        steps(function, *args, schedule=schedule)
    first = function.__code__.co_firstlineno
    assert str(found.value) == _moved(message, first - 1)


def _moved(message: str, by: int) -> str:
    """The message with the lines of this file."""
    return re.sub(r"\bL(\d+)\.", lambda m: f"L{int(m[1]) + by}.", message)
