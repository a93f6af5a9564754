"""Statements over whole arrays a few rows at a time: random sequences keep their bits, by any number of rows and pieces; and what is refused, why."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

import soljit as sol
from soljit.analysis.memory.accesses import aliases
from soljit.analysis.reordering.row_streams import RowStream, row_stream
from soljit.base.sentences import Said
from soljit.ir.core.nodes import Map, Program
from soljit.ir.interpret.interpreter import run as interpret
from soljit.ir.text.parser import from_text
from soljit.ir.verify import program as verifier
from soljit.passes.manager import Context
from soljit.passes.pipeline import optimize
from soljit.schedule.policy import Policy
from soljit.schedule.recipe import Recipe, Step
from tests.oracle import check, function
from tests.schedule.chains import Chain, random_chain, random_pyramid
from tests.schedule.programs import lowered

LOCAL = ("t", "s")


def stream_of(body: str, arrays: str = "a: f64[N, M], b: f64[N, M]") -> RowStream | Said:
    """That of these maps. t and s are temporaries that only they use."""
    lines = "".join(f"    {x}\n" for x in body.split("\n"))
    made = "    t: f64[N, M]\n    s: f64[N, M]\n    x: f64\n    alloc(t)\n    alloc(s)\n"
    program = from_text(f"@symbols(N=a.shape[0], M=a.shape[1])\ndef f({arrays}):\n{made}{lines}")
    maps = [n for n in program.body.nodes if isinstance(n, Map)]
    return row_stream(maps, program.data, aliases(program).may_alias, LOCAL)


def sweep(target: str, value: str, rows: str = "2, N - 2", operator: str = "=") -> str:
    return f"with map(i=range({rows}), j=range(0, M)):\n    {target} {operator} {value}"


FILL, USE = sweep("t[i, j]", "a[i, j]", "0, N"), sweep("b[i, j]", "t[i - 1, j] + t[i + 1, j]")


@pytest.mark.parametrize(
    ("body", "shifts", "leads", "buffers"),
    [
        (f"{FILL}\n{USE}", (0, 1), (2, 0), {"t": 2}),
        (f"{FILL}\n{sweep('b[i, j]', 't[i, j]')}", (0, 0), (0, 0), {"t": 0}),
        (f"{FILL}\n{sweep('b[i, j]', 't[i + 2, j]')}", (0, 2), (0, 0), {"t": 0}),
        (f"{FILL}\n{sweep('b[i, j]', 't[i - 2, j]')}", (0, 0), (2, 0), {"t": 2}),
        (f"{FILL}\n{sweep('s[i, j]', 't[i + 1, j] + t[i - 1, j]')}\n{sweep('b[i, j]', 's[i, j - 1] + s[i + 1, j] + t[i, j]')}", (0, 1, 2), (3, 1, 0), {"t": 2, "s": 1}),
        (f"{FILL}\n{sweep('t[i, j]', '2.0', operator='*=')}\n{USE}", (0, 0, 1), (2, 2, 0), {"t": 2}),
        (f"{sweep('t[i, j]', '0.0')}\nwith map(i=range(2, N - 2), k=range(0, M)):\n    t[i, 0] += a[i, k]\n{sweep('b[i, j]', 't[i, 0]')}", (0, 0, 0), (0, 0, 0), {"t": 0}),
    ],
    ids=["both sides", "itself", "above", "below", "two temporaries", "changed in place", "sums in rows"],
)  # fmt: skip
def test_distances(body: str, shifts: tuple[int, ...], leads: tuple[int, ...], buffers: dict[str, int]) -> None:
    found = stream_of(body)
    assert isinstance(found, RowStream)
    assert (found.shifts, found.leads, found.buffers, found.alone) == (shifts, leads, buffers, None)


@pytest.mark.parametrize(
    ("value", "shifts", "rates", "buffers"),
    [
        ("t[2 * i, j] + t[2 * i + 1, j]", (0, 1), (1, 2), {"t": 1}),
        ("t[3 * i - 2, j]", (0, 0), (1, 3), {"t": 2}),
        ("t[i // 2, j]", (0, 0), (2, 1), {"t": 1}),
        ("t[(i + 3) // 2 - 1, j]", (0, 1), (2, 1), {"t": 1}),
        ("t[(3 * i + 1) // 2, j]", (0, 1), (2, 3), {"t": 1}),
    ],
)
def test_rates(value: str, shifts: tuple[int, ...], rates: tuple[int, ...], buffers: dict[str, int]) -> None:
    found = stream_of(f"{FILL}\n{sweep('b[i, j]', value)}")
    assert isinstance(found, RowStream)
    assert (found.shifts, tuple(s.rate for s in found.sweeps), found.buffers) == (shifts, rates, buffers)


REFUSED = {
    "any row": (f"{FILL}\n{sweep('b[i, j]', 't[N - i, j]')}", "not all accesses to t are"),
    "two rates": (f"{FILL}\n{sweep('b[i, j]', 't[i * 2, j] + t[i, j]')}", "not all accesses to t are"),
    "rates that do not meet": (f"{FILL}\n{sweep('s[i, j]', 't[i * 2, j]')}\n{sweep('b[i, j]', 's[i, j] + t[i, j]')}", "not all accesses to t are"),
    "any row of a block": (f"{FILL}\nwith map(i=range(0, N), k=range(0, M), j=range(0, M)):\n    b[i, j] += t[i * 2 + k, j]", "not all accesses to t are"),
    "a row for all": (f"{FILL}\n{sweep('b[i, j]', 't[1, j]')}", "not all accesses to b are"),
    "columns": (f"{FILL}\n{sweep('b[j, i]', 't[j, i]')}", "the rows are not the outermost loop"),
    "far": (f"{FILL}\n{sweep('b[i, j]', 't[i + 100, j]')}", "rows that are far away"),
    "a sum": (f"{FILL}\n{sweep('x', 't[i, j]', operator='+=')}", "x carries a value"),
    "seen": (f"{sweep('b[i, j]', 'a[i, j]')}\n{sweep('a[i, j]', 'b[i, j]')}", "no temporary of which"),
}  # fmt: skip


@pytest.mark.parametrize("body", REFUSED)
def test_what_is_no_stream(body: str) -> None:
    found = stream_of(REFUSED[body][0])
    assert isinstance(found, Said)
    assert REFUSED[body][1] in found.text


def test_arrays_that_may_overlap_stay_in_order() -> None:
    found = stream_of(f"{FILL}\n{USE}", 'a: f64[N, M].alias("g"), b: f64[N, M].alias("g")')
    assert isinstance(found, Said)
    assert found.id == "overlap"


@pytest.mark.parametrize(
    "body",
    [
        f"{FILL}\n{sweep('a[i, j]', 't[i - 1, j] + t[i + 1, j]')}",
        f"with map(i=range(0, N), j=range(0, M)):\n    t[i, j] = a[i, j]\n    b[i, j] = 1.0\n{sweep('s[i, j]', 't[i - 1, j]')}",
    ],
    ids=["read before it changes", "written twice"],
)
def test_what_others_see_is_for_one_thread(body: str) -> None:
    found = stream_of(body)
    assert isinstance(found, RowStream)
    assert found.alone is not None
    assert found.alone.id == "computed twice"


# --- random sequences -------------------------------------------------------------------------------------------------


def streamed(program: Program, rng: random.Random) -> tuple[Program, Program, int]:
    """The program with its streams by few rows and without, and how many there are."""
    threads = rng.choice((1, 2, 3, 4))
    policy = Policy()
    optimize(program, Context(threads=threads, policy=policy))
    options = (("rows", rng.randint(1, 6)),) if rng.random() < 0.8 else ()
    steps = [Step(s.name, s.operands, options) if s.name == "stream" else s for s in policy.taken]
    cx = Context(threads=threads, policy=Policy(Recipe(tuple(steps))))
    after = verifier.check(optimize(program, cx))
    cx.finish()
    others = Recipe(tuple(s for s in steps if s.name != "stream"))
    plain = optimize(program, Context(threads=threads, policy=Policy(others)))
    return after, plain, len(policy.taken.steps) - len(others.steps)


def compare(chain: Chain, seed: int) -> int:
    """The number of streams: of which the results have the same bits as without."""
    after, plain, count = streamed(lowered(function(chain.text), *chain.copies()), random.Random(seed))
    outcomes = []
    for program in (after, plain) if count else ():
        arrays = list(chain.copies())
        with np.errstate(all="ignore"):
            outcomes.append([*arrays, *(x for x in interpret(program, list(arrays)) if isinstance(x, np.ndarray))])
    for a, b in zip(*outcomes, strict=True):
        np.testing.assert_array_equal(a, b, strict=True)
    return count


@pytest.mark.parametrize("seed", range(40))
def test_random_sequences_keep_their_bits(seed: int) -> None:
    """Also with the pieces from the last to the first, as the interpreter walks them."""
    compare(random_chain(seed), seed)


@pytest.mark.parametrize("seed", range(40))
def test_random_sequences_at_different_rates_keep_their_bits(seed: int) -> None:
    compare(random_pyramid(seed), seed)


def test_many_random_sequences_are_streams() -> None:
    assert sum(compare(random_chain(seed), seed) for seed in range(40, 52)) >= 3


# --- machine code -----------------------------------------------------------------------------------------------------

CHAINS = {
    "outlines": """
def f(a):
    m = np.sqrt((a[1:, 1:] - a[:-1, :-1]) ** 2 + (a[1:, :-1] - a[:-1, 1:]) ** 2)
    blurred = (m[:-2] + m[1:-1] + m[2:]) / 3.0
    return np.where(m[1:-1] > blurred, m[1:-1], 0.0)
""",
    "corners": """
def gradient(a):
    d = a[:, 2:] - a[:, :-2]
    return (d[:-2] + 2.0 * d[1:-1] + d[2:]) / 8.0

def blur(u):
    return (u[:-4] + 4.0 * u[1:-3] + 6.0 * u[2:-2] + 4.0 * u[3:-1] + u[4:]) / 16.0

def f(a):
    dx, dy = gradient(a), gradient(a.T).T
    xx, yy, xy = (blur(blur(u).T).T for u in (dx * dx, dy * dy, dx * dy))
    return xx * yy - xy * xy - 0.04 * (xx + yy) ** 2
""",
    "in place": """
def f(a):
    t = np.sqrt(np.abs(a)) / 3.0
    t[1:-1] *= 0.5
    t[0, :] = t[1, :]
    t[:, -1] = t[:, -2]
    u = np.sqrt(np.abs(t[:-2] + t[1:-1] - t[2:])) / 3.0
    a[3:-3, 1:-1] = u[:-4, 2:] + u[4:, 1:-1] - u[2:-2, :-2]
    return u[1:] + u[:-1]
""",
    "maxima of pairs": """
def f(a):
    m = np.sqrt((a[1:, 1:] - a[:-1, 1:]) ** 2 + (a[1:, 1:] - a[1:, :-1]) ** 2)
    b = (m[:-2] + m[1:-1] + m[2:]) / 3.0
    h, w = b.shape[0] // 2 * 2, b.shape[1] // 2 * 2
    rows = np.maximum(b[0:h:2], b[1:h:2])
    p = np.sqrt(np.maximum(rows[:, 0:w:2], rows[:, 1:w:2]))
    s = (p[:-2] + 2.0 * p[1:-1] + p[2:]) / 4.0
    return np.where(s > p[1:-1], 1.0, s)
""",
    "a pyramid": """
def f(a):
    t = np.sqrt(np.abs(a[:-2] + 2.0 * a[1:-1] + a[2:]))
    b = np.sqrt(t[:, :-2] + 2.0 * t[:, 1:-1] + t[:, 2:])
    d = np.sqrt(b[:-2:2] + b[1:-1:2] + b[2::2])
    e = np.sqrt(d[:-2] + d[1:-1] + d[2:])
    u = np.repeat(e, 2, axis=0)
    n = min(u.shape[0], b.shape[0] - 2)
    return b[2 : n + 2] - u[:n]
""",
    "rows of sums": """
def f(a):
    t = np.sqrt(np.abs(a)) / 3.0
    s = t / np.sum(t, axis=1, keepdims=True)
    return s[1:] + np.sqrt(s[:-1]) / t[1:]
""",
}  # fmt: skip


@pytest.mark.parametrize("name", CHAINS)
@pytest.mark.parametrize("options", ["", ", rows=1", ", rows=5"])
def test_machine_code_on_threads(name: str, options: str) -> None:
    f = function(CHAINS[name])
    rng = np.random.default_rng(0)
    first = sol.jit(f, strict=True)
    first(rng.random((40, 19)))
    text = re.sub(r"(stream\([^)]*)\)", rf"\1{options})", str(first.schedule(0)))
    assert "stream(" in text
    compiled = sol.jit(f, strict=True, schedule=text)
    try:
        for threads in (1, 2, 3, 4):
            sol.set_num_threads(threads)
            for shape in ((40, 19), (9, 1100), (300, 260), (1000, 20)):
                a = rng.random(shape) - 0.5
                expected = a.copy()
                result = f(expected)
                np.testing.assert_array_equal(compiled(a), result, strict=True)
                np.testing.assert_array_equal(a, expected, strict=True)
    finally:
        sol.set_num_threads(0)


def test_explain_tells_it() -> None:
    f = sol.jit(function(CHAINS["outlines"]), strict=True)
    f(np.ones((10, 9)))
    assert "of m only the rows that are still needed are kept" in str(f.explain())


def test_a_number_from_memory_that_a_statement_has_changed_under_another_name() -> None:
    def f(x, y, s):
        t = np.sqrt(x[1:] * x[:-1])
        y[:] = t[1:] + t[:-1]
        c = s[0, 0]
        return t[1:] - t[:-1] * c

    x, y = np.random.default_rng(1).random((2, 12, 9))
    check(f, x, y[:10], y[:2])
    check(f, x, y[:10], y[10:])
