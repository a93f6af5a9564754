"""A fixed set of random programs, the cases that fuzzing found, and the fuzzer's own parts."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import oracle
from tests.fuzz.__main__ import GRAMMARS, attempt
from tests.fuzz.grammar import program
from tests.fuzz.growth import contents
from tests.fuzz.judge import FAILURES, judge, verdict
from tests.fuzz.limits import TooLong, work_limit
from tests.fuzz.modes import mode
from tests.fuzz.shrink import shrink
from tests.fuzz.workers import Pool

CASES = sorted((Path(__file__).parent / "cases").glob("*.py"))
GROWN = [kind for kind in GRAMMARS if kind != "arrays"]
BATCH = 25
ACCEPTED = ["ok", "skip", "unsupported"]
if os.environ.get("SOL_SANITIZE") == "thread":
    ACCEPTED.append("hang")  # the checker holds back the signal that ends programs which do not end themselves


def _run(seeds: range, size: int, modes: str, kind: str = "arrays") -> None:
    """Run the programs in each mode; "quick/5": every fifth program."""
    tasks = []
    for part in modes.split(","):
        name, _, every = part.partition("/")
        tasks += [(kind, seed, name, size) for seed in seeds if seed % int(every or 1) == 0]
    failed, accepted = [], 0
    with Pool(attempt, 1) as pool:
        for (_, seed, name, _), answer, trouble in pool.run(((t, t) for t in tasks), 600):
            outcome, detail = answer or (trouble.partition(":")[0], trouble)
            accepted += outcome in ("ok", "skip")
            if outcome not in ACCEPTED:
                command = f"python -m tests.fuzz --grammar {kind} --seed {seed} --count 1 --size {size} --modes '{name}' --shrink"
                failed.append(f"{command}\n{outcome}: {detail}")
    assert not failed, f"{len(failed)} programs fail\n" + "\n\n".join(failed[:3])
    assert accepted >= len(tasks) // 2, "most programs are refused"


@pytest.mark.share(0.25)
@pytest.mark.parametrize("batch", range(8))
def test_small_programs(batch: int) -> None:
    _run(range(batch * BATCH, (batch + 1) * BATCH), 4, "optimized,interpreted/5,scheduled/5,walked/8,device/6,quick/12")


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(40))
def test_larger_programs(batch: int) -> None:
    _run(
        range(1000 + batch * BATCH, 1000 + (batch + 1) * BATCH),
        10,
        "optimized,interpreted/3,scheduled,walked/3,device/3,without/3,compiled/3",
    )


@pytest.mark.share(0.3)
@pytest.mark.parametrize("kind", GROWN)
def test_small_programs_of_one_kind(kind: str) -> None:
    _run(range(9), 6, "interpreted/2,optimized/4,quick/9", kind)


@pytest.mark.slow
@pytest.mark.parametrize("kind", GROWN)
@pytest.mark.parametrize("batch", range(4))
def test_programs_of_one_kind(kind: str, batch: int) -> None:
    _run(range(1000 + batch * BATCH, 1000 + (batch + 1) * BATCH), 10, "interpreted,optimized/3,compiled/8", kind)


@pytest.mark.share(0.4)
@pytest.mark.parametrize("name", ["interpreted", "optimized", "device", "quick"])
@pytest.mark.parametrize("case", CASES, ids=lambda p: p.stem)
def test_cases_that_failed_once(case: Path, name: str) -> None:
    outcome, detail = verdict(case.read_text(), mode(name))
    assert outcome in ("ok", "skip"), detail


def test_programs_are_the_same_every_time() -> None:
    assert program(5) == program(5)
    assert program(5) != program(6)
    assert all(make(3, 6) == make(3, 6) for make in GRAMMARS.values())
    for seed in range(10):
        names = {n.name for n in ast.walk(ast.parse(program(seed))) if isinstance(n, ast.FunctionDef)}
        assert {"f", "calls"} <= names


def test_the_judge_sees_wrong_results_crashes_and_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    source = "import numpy as np\n"
    source += "def f(a):\n    a[0] = 2\n    return a.sum()\ndef calls():\n    return [(np.arange(3.0),)]\n"
    original = oracle._jit
    for text, wanted, seconds in (
        ("a.sum()", "value", 600),
        ("__import__('os').abort()", "crash", 600),
        ("[0 for _ in iter(int, 1)]", "hang", 3),
    ):
        wrong = source.replace("a.sum()", text if wanted != "value" else "a.sum() + 1")
        monkeypatch.setattr(oracle, "_jit", lambda f, settings, wrong=wrong: oracle.function(wrong, "f"))
        outcome, _ = judge(source, timeout=seconds)
        assert outcome == wanted
        assert outcome in FAILURES
    monkeypatch.setattr(oracle, "_jit", lambda f, settings: oracle.function(source, "f"))
    assert judge(source, timeout=600)[0] == "ok"
    monkeypatch.setattr(oracle, "_jit", original)


def test_values_are_looked_at_without_the_methods_of_their_classes() -> None:
    class Odd(tuple[int, ...]):
        def __iter__(self) -> Iterator[int]:
            raise TypeError

        def __len__(self) -> int:
            raise TypeError

    assert contents(Odd((1, 2))) == [1, 2]
    assert contents({"a": 1}) == [1]


def test_shrinking_keeps_what_fails_and_little_else() -> None:
    source = next(p for p in map(program, range(200)) if "np.where" in p and "for " in p)

    def fails(text: str) -> bool:
        tree = ast.parse(text)
        return any(isinstance(n, ast.Attribute) and n.attr == "where" for n in ast.walk(tree))

    small = shrink(source, fails, seconds=600)
    assert fails(small)
    assert len(small.split("\n")) <= 9, small


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_work_is_counted_not_time() -> None:
    names: dict[str, Any] = {}
    text = """
def lines(n):
    while n:
        n -= 1

def one_line(n):
    while n: n -= 1

def items(n):
    return [k for k in range(n)]

def catches(n):
    try:
        lines(n)
    except BaseException:
        pass

class Dies:
    def __del__(self):
        lines(1000)

def dies(n):
    for k in range(n): Dies()
"""
    exec(compile(text, "program", "exec"), names)  # noqa: S102
    for f in ("lines", "one_line", "items", "catches"):
        with work_limit(1000):
            names[f](20)
        with pytest.raises(TooLong), work_limit(1000):
            names[f](10_000)
    with pytest.raises(TooLong), work_limit(1000):
        names["dies"](3)
