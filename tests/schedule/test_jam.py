"""Rows that go through a loop together: random loops over rows keep their values, with any number of rows; and what is refused, why."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import numpy as np
import pytest

import soljit as sol
from soljit.analysis.memory.accesses import aliases
from soljit.analysis.reordering.jams import Jam, jam
from soljit.base.sentences import Said
from soljit.ir.core.nodes import Loop, Program
from soljit.ir.interpret.interpreter import run as interpret
from soljit.ir.text.parser import from_text
from soljit.ir.verify import program as verifier
from soljit.passes.manager import Context
from soljit.passes.pipeline import optimize
from soljit.schedule.policy import Policy
from soljit.schedule.recipe import Recipe, Step
from tests.oracle import function
from tests.schedule.programs import lowered

TERMS = ("A[i, k] * A[j, k]",) * 3 + ("A[i, k] * A[k, j]", "A[k, i] * A[j, k]", "A[i, k] * W[k, j]", "A[i, k] * b[j]", "W[i, j + k] * b[i]", "A[i, k] * A[i, j]")  # fmt: skip


def random_rows(seed: int) -> str:
    """A loop over rows of ints: `f(A, b, W)`."""
    rng = random.Random(seed)
    n, x = rng.choice(("n", "n", "n - 1")), rng.choice(("A[i, j]",) * 6 + ("b[i]", "A[j, i]"))
    first = rng.choice(("", "", "1, "))
    term = rng.choice(TERMS)
    stop = rng.choice(("i", "i", "i", "i", "i - 1", "i + 1", "n"))
    inner = [f"for j in range({first}{stop}):", "    s = 0", f"    for k in range({rng.choice(('j', 'j', 'j', 'i', 'j + 1'))}):", f"        s += {term}"]  # fmt: skip
    inner.append(f"    {x} = ({x} - s{rng.choice(('', ' + A[j, j]', ' * b[i]', ' + W[i, j]'))}) % 101")
    if rng.random() < 0.2:
        inner.append("    b[i] += A[i, j] % 7")
    behind = rng.sample(
        ["A[i, i] = (A[i, i] + A[i, :i] @ A[i, :i]) % 101", "b[i] = A[i, i] + i", "A[i, i:] = (A[i, i:] + A[i - 1, i:]) % 101",
         "for j in range(i, n):\n            A[i, j] = (A[i, j] - A[i, :i] @ A[:i, j]) % 101", "A[0, 0] = i", "A[i + 1 - n, 0] = 3", "b[0] = A[n - 1, 0]"],
        rng.choice((0, 0, 1, 1, 2)),
    )  # fmt: skip
    lines = [*inner, *behind]
    return f"def f(A, b, W):\n    n = A.shape[0]\n    for i in range({rng.choice(('', '', '2, '))}{n}):\n" + "".join(
        f"        {line}\n" for line in lines
    )


def random_sums(seed: int) -> str:
    """A loop over rows of ints that begins with a sum: `f(A, b, W)`."""
    rng = random.Random(seed)
    term = rng.choice(("W[i, k] * b[k]", "W[i, k] * b[k]", "A[i, k] * b[k]", "b[k]", "A[i, k] * A[k, 0]", "b[i] * b[k]", "W[i, k] * b[i - k]"))  # fmt: skip
    behind = rng.sample(["b[i] = (b[i] - s) % 101", "A[i, 0] = (A[i, 0] + s) % 101", "A[i, i] = b[i]", "b[i] += A[i - 1, 0] % 9", "b[0] = s % 5", "A[0, i] = s % 7"], rng.randint(1, 3))  # fmt: skip
    lines = [f"s = {rng.choice(('0', '0', 'b[i]', '3'))}", f"for k in range({rng.choice(('i', 'i', '1, i', 'i - 1'))}):", f"    s += {term}", *behind]  # fmt: skip
    return f"def f(A, b, W):\n    n = A.shape[0]\n    for i in range({rng.choice(('', '', '2, '))}n):\n" + "".join(
        f"        {line}\n" for line in lines
    )


def jammed(program: Program, rng: random.Random) -> tuple[Program, int]:
    """The program with as many of its loops in blocks of rows as may be, and how many those are."""
    policy = Policy()
    optimize(program, Context(policy=policy))
    count = (("blocks", rng.randint(1, 3)), ("rows", rng.randint(1, 5)))
    steps = [Step(s.name, s.operands, count) if s.name == "jam" else s for s in policy.taken if s.name != "vectorize"]
    cx = Context(policy=Policy(Recipe(tuple(steps))))
    after = verifier.check(optimize(program, cx))
    cx.finish()
    return after, sum(s.name == "jam" for s in steps)


@pytest.mark.parametrize("made", [random_rows, random_sums])
@pytest.mark.parametrize("seed", range(60))
def test_random_rows_keep_their_values(seed: int, made: Callable[[int], str]) -> None:
    f = function(made(seed))
    values = np.random.default_rng(seed)
    n = 3 + seed % 9
    arrays = [values.integers(0, 50, (n, n)), values.integers(0, 50, n), values.integers(0, 50, (n, 2 * n))]
    expected, found = [a.copy() for a in arrays], [a.copy() for a in arrays]
    f(*expected)
    after, _ = jammed(lowered(f, *arrays), random.Random(seed))
    interpret(after, list(found))
    for a, b in zip(expected, found):
        np.testing.assert_array_equal(b, a, strict=True)


def test_many_random_rows_go_together() -> None:
    arrays = np.ones((6, 6), np.int64), np.ones(6, np.int64), np.ones((6, 12), np.int64)
    for made in (random_rows, random_sums):
        programs = [lowered(function(made(seed)), *arrays) for seed in range(40)]
        assert sum(jammed(p, random.Random(seed))[1] for seed, p in enumerate(programs)) >= 5


KERNELS = {
    "LU": """
def f(A):
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            A[i, j] = (A[i, j] - A[i, :j] @ A[:j, j]) / A[j, j]
        for j in range(i, n):
            A[i, j] -= A[i, :i] @ A[:i, j]
""",
    "Cholesky": """
def f(A):
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] = (A[i, j] - A[i, :j] @ A[j, :j]) / A[j, j]
        A[i, i] = np.sqrt(A[i, i] - A[i, :i] @ A[i, :i])
""",
    "Cholesky by elements": """
def f(A):
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            s = 0.0
            for k in range(j):
                s += A[i, k] * A[j, k]
            A[i, j] = (A[i, j] - s) / A[j, j]
        for k in range(i):
            A[i, i] -= A[i, k] * A[i, k]
        A[i, i] = np.sqrt(A[i, i])
""",
}  # fmt: skip


@pytest.mark.parametrize("name", KERNELS)
def test_machine_code_has_the_bits_that_it_has_without(name: str) -> None:
    f = function(KERNELS[name])
    rng = np.random.default_rng(0)

    def given(n: int) -> np.ndarray:
        a = rng.random((n, n)) / n
        return a @ a.T + np.eye(n)

    first = sol.jit(f, strict=True)
    first(given(30))
    text = str(first.schedule(0))
    assert "jam(" in text
    lines = [x for x in text.split("\n") if "jam(" not in x and "[2]" not in x]
    plain = sol.jit(f, strict=True, schedule="\n".join(lines))
    three = sol.jit(f, strict=True, schedule=re.sub(r"jam\((\S+)\)", r"jam(\1, rows=3)", text))
    for n in (1, 2, 4, 7, 33, 64):
        a = given(n)
        expected, results = a.copy(), [a.copy() for _ in range(3)]
        f(expected)
        for g, x in zip((first, plain, three), results):
            g(x)
            np.testing.assert_allclose(x, expected, rtol=1e-12)
        assert np.array_equal(results[0], results[1])
        assert np.array_equal(results[0], results[2])


def test_long_sums_of_rows() -> None:
    """Of a triangular system, beyond the length from which rows go together."""

    def f(L: np.ndarray, x: np.ndarray, b: np.ndarray) -> None:
        for i in range(len(x)):
            x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]

    compiled = sol.jit(f, strict=True)
    rng = np.random.default_rng(0)
    for n in (5, 401, 805):
        L, b = rng.random((n, n)) + n * np.eye(n), rng.random(n)
        x, y = np.zeros(n), np.zeros(n)
        f(L, x, b)
        compiled(L, y, b)
        np.testing.assert_allclose(y, x, rtol=1e-12)
    assert "jam(" in str(compiled.schedule(0))


def jam_of(inner: str, behind: str = "", stop: str = "i", arrays: str = "a: f64[N, N], b: f64[N]") -> Jam | Said:
    """What is found of a loop over i whose inner loop has this body."""
    lines = [f"for j in range(0, {stop}):", *(f"    {x}" for x in inner.split("\n")), *behind.split("\n")]
    text = f"@symbols(N=a.shape[0])\ndef f({arrays}):\n    s: f64\n    for i in range(0, N):\n"
    program = from_text(text + "".join(f"        {x}\n" for x in lines if x))
    loop = program.body.nodes[-1]
    assert isinstance(loop, Loop)
    return jam(loop, program, aliases(program))


SUM = "s = 0.0\nwith map(k=range(0, j)):\n    s += a[i, k] * a[j, k]\na[i, j] = a[i, j] - s"
REFUSED = {
    "the diagonal": ("a[j, j] = 1.0", "", "i", "an iteration may need elements of a that others write"),
    "up to the row": (SUM.replace("(0, j)", "(0, i)").replace("a[j, k]", "a[k, j]"), "", "i", "an iteration may need elements of a"),
    "a later row": (SUM.replace("a[j, k]", "a[j + 1, k]"), "", "i", "an iteration may need elements of a"),
    "all rows": (SUM, "a[i, i] = a[N - 1, i]", "i", "an iteration may need elements of a that others write"),
    "up to all rows": (SUM, "", "N", "it does not begin with a loop"),
    "a sum that goes on": (SUM.replace("s = 0.0\n", ""), "", "i", "s carries a value"),
    "a sum that is used": (SUM, "b[i] = s", "i", "s carries a value"),
    "an end": (SUM, "if i == 3:\n    break", "i", "may leave early"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_go_together(name: str) -> None:
    inner, behind, stop, why = REFUSED[name]
    found = jam_of(inner, behind, stop)
    assert isinstance(found, Said)
    assert why in found.text


def test_what_goes_together() -> None:
    assert isinstance(jam_of(SUM, "b[i] = a[i, i]\na[i, i] = a[i - 1, i] * b[i]"), Jam)


def test_explain_tells_it() -> None:
    f = sol.jit(function(KERNELS["Cholesky"]), strict=True)
    f(np.eye(9))
    assert "several iterations of i go through this loop together" in str(f.explain())
