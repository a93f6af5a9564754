"""Sums that stay in registers: random convolutions keep their bits, with any number of rows and lanes; and what does not stay there, why."""

from __future__ import annotations

import random

import numpy as np
import pytest

import soljit as sol
from soljit.analysis.memory.accesses import aliases
from soljit.analysis.reordering.held_sums import HeldSums, held_sums
from soljit.base.sentences import Said
from soljit.ir.core.nodes import Map, Program
from soljit.ir.interpret.interpreter import call as interpret
from soljit.ir.text.parser import from_text
from soljit.ir.verify import program as verifier
from soljit.passes.manager import Context
from soljit.passes.pipeline import optimize
from soljit.schedule.policy import Policy
from soljit.schedule.recipe import Recipe, Step
from tests.oracle import check, function
from tests.schedule.programs import lowered

SIZES = ("k = w.shape[0]", "h, v = x.shape[1] - k + 1, x.shape[2] - k + 1")


def random_rows(seed: int) -> str:
    """Sums over a few places around each element: `f(x, w, b)` with x[N, H, W, C], w[K, K, C, D], b[D]."""
    rng = random.Random(seed)
    at, to = rng.choice((("i", "j"), ("i", "j"), ("i", "j"), ("2 * i", "j"), ("i", "2 * j")))
    height, width = "h // 2" if "2" in at else "h", "v // 2" if "2" in to else "v"
    window = f"x[:, {at} : {at} + k, {to} : {to} + k, :, np.newaxis]"
    term = rng.choice((f"{window} * w", f"{window} * w", f"np.maximum({window}, w)", f"{window} * w + b"))
    how = rng.choice(("sum",) * 4 + ("max",))
    value = rng.choice((f"({term}).{how}(axis=(1, 2, 3))", f"np.{how}({term}, axis=(1, 2, 3))"))
    value += rng.choice(("", "", " + b", " * 0.5", " + b[0]", " + i * j"))
    dtype = rng.choice(("x.dtype", "np.float32", "np.float64"))
    lines = [*SIZES, f"out = np.empty((x.shape[0], {height}, {width}, w.shape[3]), {dtype})"]
    lines += [f"for i in range({height}):", f"    for j in range({width}):", f"        out[:, i, j] = {value}"]
    halves = "np.maximum(out[:, 0::2][:, : h // 4], out[:, 1::2][:, : h // 4])"
    normal = "(out - out.mean(axis=0)) / (out.std(axis=0) + 1)"
    ends = ("out", "np.maximum(out, 0) + b", normal, "out.max(axis=1)", halves, "out[:, ::-1] * 2")
    lines.append(f"return {rng.choice(ends)}")
    return "def f(x, w, b):\n" + "".join(f"    {line}\n" for line in lines)


def random_loops(seed: int) -> str:
    """The same by loops: `f(x, w, b)`."""
    rng = random.Random(seed)
    start = rng.choice(("np.zeros(d)", "np.zeros(d)", "b.copy()", "b * j"))
    terms = ("x[n, i, j + p, c] * w[p, 0, c]", "x[n, i + p, j, c] * w[p, p, c]", "w[p, 0, c] * p", "x[n, i, j, c] + w[0, p, c]")  # fmt: skip
    term = rng.choice(terms)
    end = rng.choice(("s", "s", "s * b", "np.sqrt(np.abs(s)) + x[n, i, j, 0]"))
    lines = [*SIZES, "d = w.shape[3]", "out = np.zeros((x.shape[0], h, v, d))"]
    lines += ["for n in range(x.shape[0]):", "    for i in range(h):", "        for j in range(v):"]
    inner = [f"s = {start}", "for p in range(k):", "    for c in range(x.shape[3]):", f"        s += {term}"]
    lines += [f"            {line}" for line in (*inner, f"out[n, i, j] = {end}")]
    return "def f(x, w, b):\n" + "".join(f"    {line}\n" for line in (*lines, "return out"))


def arrays(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = random.Random(seed)
    values = np.random.default_rng(seed)
    k, c, d = rng.randint(1, 3), rng.choice((0, 1, 2, 3, 5)), rng.choice((0, 2, 3, 4, 5, 6, 8, 9, 17, 33))
    dtypes = [rng.choice((np.float32, np.float32, np.float64, np.int64)) for _ in range(2)]
    x = (values.random((rng.choice((0, 1, 2, 3)), k + rng.randint(0, 6), k + rng.randint(0, 9), c)) * 9 - 4).astype(dtypes[0])  # fmt: skip
    return x, (values.random((k, k, c, d)) * 9 - 4).astype(dtypes[1]), values.random(d).astype(dtypes[1])


def held(program: Program, rng: random.Random) -> tuple[Program, Program, int]:
    """The program without and with all sums in registers that may be there, and how many maps have such."""
    policy = Policy()
    optimize(program, Context(policy=policy))
    steps = [s for s in policy.taken if s.name not in ("vectorize", "parallel")]
    sizes = (("lanes", rng.randint(1, 5)), ("rows", rng.randint(1, 5)))
    made = []
    for wanted in (False, True):
        some = [Step(s.name, s.operands, sizes) if s.name == "hold" else s for s in steps if wanted or s.name != "hold"]
        cx = Context(policy=Policy(Recipe(tuple(some))))
        made.append(verifier.check(optimize(program, cx)))
        cx.finish()
    return made[0], made[1], sum(s.name == "hold" for s in steps)


MADE = (random_rows, random_rows, random_loops)


@pytest.mark.parametrize("seed", range(60))
def test_random_sums_keep_their_bits(seed: int) -> None:
    f, given = function(MADE[seed % 3](seed)), arrays(seed)
    try:
        expected = f(*given)
    except (ValueError, IndexError):
        pytest.skip("a maximum of nothing")
    program = lowered(f, *given)
    plain, found = (interpret(x, [a.copy() for a in given]) for x in held(program, random.Random(seed))[:2])
    np.testing.assert_array_equal(found, plain, strict=True)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


def test_many_random_sums_are_held() -> None:
    given = np.ones((2, 5, 6, 3)), np.ones((2, 2, 3, 5)), np.ones(5)
    found = [held(lowered(function(MADE[s % 3](s)), *given), random.Random(s))[2] for s in range(30)]
    assert sum(n > 0 for n in found) >= 10


@pytest.mark.parametrize("seed", range(6))
def test_machine_code_has_the_same_bits(seed: int) -> None:
    f = function(MADE[seed % 3](seed + 100))
    for size in (2, 3, 4, 6, 8, 13, 16, 21):
        rng = np.random.default_rng(size)
        given = [a.astype(np.float32) for a in (rng.random((3, 9, 11, 2)), rng.random((3, 3, 2, size)), rng.random(size))]  # fmt: skip
        check(f, *given)


def test_threads_share_what_is_held() -> None:
    def blur(x: np.ndarray, w: np.ndarray) -> np.ndarray:
        out = np.empty((x.shape[0], x.shape[1] - 2, x.shape[2] - 2, w.shape[3]), x.dtype)
        for i in range(out.shape[1]):
            for j in range(out.shape[2]):
                out[:, i, j] = np.sum(x[:, i : i + 3, j : j + 3, :, np.newaxis] * w, axis=(1, 2, 3))
        return out

    rng = np.random.default_rng(0)
    x, w = rng.random((4, 50, 47, 3)), rng.random((3, 3, 3, 24))
    compiled = sol.jit(blur, strict=True)
    for threads in (1, 2, 3, 4):
        with sol.settings(num_threads=threads):
            np.testing.assert_array_equal(compiled(x, w), blur(x, w), strict=True)
    assert "hold(" in str(compiled.schedule(0))
    assert "stay in registers" in str(compiled.explain())


def sums_of(body: str, private: str = "s", more: str = "") -> HeldSums | Said:
    """What is found of a map over i, j with this body."""
    text = "@symbols(N=a.shape[0], C=b.shape[2], K=w.shape[0])\ndef f(a: f64[N, N], w: f64[K, C], b: f64[N, N, C]):\n    s: f64[C]\n    t: f64\n    u: f64[C]\n"
    text += f"    with map(i=range(0, N), j=range(0, N)), private({private}):\n        alloc(s)\n"
    program = from_text(text + "".join(f"        {x}\n" for x in body.split("\n")) + more)
    m = program.body.nodes[-1]
    assert isinstance(m, Map)
    return held_sums(m, program, aliases(program))


SUM = "with map(c=range(0, C)):\n    s[c] = 0.0\nwith map(k=range(0, K), c=range(0, C)):\n    s[c] += a[i, j] * w[k, c]\nwith map(c=range(0, C)):\n    b[i, j, c] = s[c]"  # fmt: skip
REFUSED = {
    "another element": (SUM.replace("b[i, j, c] = s[c]", "b[i, j, c] = s[C - 1 - c]"), "its body is not a sequence of loops"),
    "another length": (SUM.replace("k=range(0, K), c=range(0, C)", "k=range(0, K), c=range(0, K)"), "its body is not a sequence of loops"),
    "an update": (SUM.replace("= s[c]", "+= s[c]"), "b carries a value"),
    "what is written is read": (SUM.replace("= s[c]", "= s[c] + b[i, j, c]"), "b"),
    "written twice": (SUM + "\nwith map(c=range(0, C)):\n    b[i, j, C - 1 - c] = 1.0", "b carries a value"),
    "a number of all": (SUM + "\nwith map(c=range(0, C)):\n    t = s[c]", "t carries a value"),
    "an element as a number": (SUM.replace("with map(k", "x: f64 = s[0]\nwith map(k", 1), "its body is not a sequence of loops"),
    "in order": (SUM.replace("with map(c=range(0, C)):\n    b", "for c in range(0, C):\n    b"), "its body is not a sequence of loops"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_held(name: str) -> None:
    body, why = REFUSED[name]
    found = sums_of(body)
    assert isinstance(found, Said)
    assert why in found.text


def test_what_is_held() -> None:
    found = sums_of(SUM)
    assert isinstance(found, HeldSums)
    assert found.names == ("s",)
    assert found.loop == 1
