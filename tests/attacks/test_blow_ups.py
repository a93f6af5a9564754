"""Programs that are small to write and large to compile: compiling ends soon, in general forms or with a refusal at a place of theirs."""

from __future__ import annotations

import dataclasses
import inspect
import sys
import threading
import time
import warnings
from typing import Any

import pytest

import soljit as sol
from soljit import driver
from soljit.base.clock import Clock
from soljit.base.errors import FallbackWarning, SoljitError, UnsupportedError
from soljit.frontend_ast.lower import Lowered, lower_function
from soljit.passes.manager import Context
from soljit.passes.pipeline import optimize
from soljit.runtime.values import arguments
from soljit.targets.table import OPENMP
from tests.attacks import blow_ups, blow_ups_by_repetition
from tests.attacks.blow_ups import BlowUp, body, families, function_of
from tests.compare import Tolerance, differences

FAMILIES = families(vars(blow_ups)) | families(vars(blow_ups_by_repetition))
EXACT = Tolerance(0.0, 0.0, 0, True)
ENOUGH = 300.0  # seconds of a slow processor for the largest of them, which take 4 on a fast one; what grows without bound takes hours

# what the program is like, how often, and does it compile?
IN_GENERAL_FORMS = [
    ("loops_over_objects", 40),
    ("arrays_in_a_list", 40),
    ("arrays_in_a_dict", 40),
    ("unrolled_in_unrolled", 8),
    ("comprehension_nest", 12),
    ("helpers_that_call_twice", 12),
    ("methods_that_call_twice", 10),
]
REFUSED = [("lambdas_of_lambdas", 15), ("comprehension_loops", 14)]


def small(name: str) -> int:
    """A number with which the program is not too large."""
    deep = name.startswith(
        ("nested", "comprehension", "unrolled", "helpers", "methods", "closures", "lambdas", "doubled")
    )
    return 3 if deep or name in ("mutual_recursion", "generators_in_generators", "choices_combined") else 5


def lowered(made: BlowUp, name: str) -> Lowered:
    function = function_of(made.source, name)
    values = made.args()
    types_and_leaves = arguments.describe(list(values), list(inspect.signature(function).parameters))
    with Clock(name, ENOUGH):
        return lower_function(function, types_and_leaves.types, types_and_leaves.leaves)


@pytest.mark.parametrize(("name", "n"), IN_GENERAL_FORMS)
def test_what_is_too_large_is_compiled_in_general_forms(name: str, n: int) -> None:
    start = time.process_time()
    program = lowered(FAMILIES[name](n), name).program
    with Clock(name, ENOUGH):
        optimize(program, Context(threads=4))
    assert time.process_time() - start < ENOUGH


@pytest.mark.parametrize(("name", "n"), REFUSED)
def test_what_is_too_large_in_general_forms_is_refused(name: str, n: int) -> None:
    with pytest.raises(UnsupportedError, match="too large to compile") as e:
        lowered(FAMILIES[name](n), name)
    assert e.value.loc.line > 0


@pytest.mark.parametrize("name", FAMILIES)
def test_small_ones_give_what_python_gives(name: str) -> None:
    agree(FAMILIES[name](small(name)), name)


def cleaning(n: int) -> BlowUp:
    """Generators that are left early and clean up, in a program that is too large."""
    lines = [f"y{k} = h(x, {k})" for k in range(n)]
    loops = ["for a in g(out):", "    for b in g(out):", "        if b == 1:", "            break"]
    loops += ["        out.append(('step', a, b))", "    out.append(('after', a))"]
    lines += ["out = []", *loops, *loops]
    head = "def g(out):\n    try:\n        yield 0\n        yield 1\n        yield 2\n    finally:\n        out.append(('clean', 0))\n"
    helper = "def h(x, k):\n    return " + " + ".join(["x * k"] * 60) + "\n"
    return BlowUp(head + helper + body(*lines, "return out, y0"), lambda: (1.5, 3))


def test_generators_clean_up_in_general_forms_when_they_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("soljit.frontend_ast.lowering.work.CALLS", 0)
    monkeypatch.setattr("soljit.frontend_ast.lowering.work.STEPS", 0)
    agree(cleaning(20), "cleaning")


class Emitted(SoljitError):
    """The code is there, and the C++ compiler is spared it."""


def emit(made: BlowUp, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def build(*_: object) -> None:
        raise Emitted

    target = dataclasses.replace(OPENMP, build=build)
    monkeypatch.setattr("soljit.driver.find_target", lambda *_: target)
    sol.jit(strict=True, target="openmp")(function_of(made.source, name))(*made.args())


@pytest.mark.parametrize(
    ("name", "n"),
    [("elifs", 100), ("long_sum", 400), ("nested_parentheses", 150), ("chained_subscripts", 300), ("long_or", 100)],
)
def test_deep_programs_are_compiled(name: str, n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Emitted):
        emit(FAMILIES[name](n), name, monkeypatch)


def test_a_program_that_is_too_deep_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("soljit.base.deep.FRAMES", 1100)
    with pytest.raises(UnsupportedError, match="nested too deeply to compile"):
        emit(FAMILIES["chained_texts"](500), "chained_texts", monkeypatch)


def test_a_caller_that_is_deep_itself_does_not_matter() -> None:
    @sol.jit(strict=True, target="null")
    def f(x: float) -> float:
        return x * 2 + 1

    def deep(n: int) -> Any:
        return f(1.5) if n == 0 else deep(n - 1)

    assert deep(800 - len(inspect.stack())) == 4.0


def test_a_caller_that_leaves_no_room_for_the_compiler_is_not_told_of_it() -> None:
    @sol.jit(target="null", strict=False)
    def f(x: float) -> float:
        return x * 2 + 1

    def deep(n: int) -> Any:
        return f(1.5) if n == 0 else deep(n - 1)

    frames = sys.getrecursionlimit() - len(inspect.stack())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for room in (20, 40, 60, 100, 140):
            assert deep(frames - room) == 4.0
    assert not f.signatures
    assert f(1.5) == 4.0
    assert f.signatures


def test_what_runs_in_the_thread_of_a_deep_program_does_not_wait_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A destructor, say, that calls a function which is not compiled yet."""
    seen = []
    real = driver.lower_function

    def lower(*args: Any, **kwargs: Any) -> Lowered:
        if threading.current_thread() is threading.main_thread():
            raise RecursionError
        seen.append(other(2.0))
        return real(*args, **kwargs)

    @sol.jit(target="null", strict=True)
    def f(x: float) -> float:
        return x * 2 + 1

    @sol.jit(target="null", strict=True)
    def other(x: float) -> float:
        return x + 40

    monkeypatch.setattr(driver, "lower_function", lower)
    assert f(1.5) == 4.0
    assert seen == [42.0]
    assert not other.signatures


def test_the_time_ends_a_compilation(monkeypatch: pytest.MonkeyPatch) -> None:
    made = FAMILIES["many_array_statements"](40)
    function = function_of(made.source, "time")
    monkeypatch.setattr("soljit.base.clock.EVERY", 1)
    monkeypatch.setattr("soljit.base.settings.Settings.compile_limit", 1e-9)
    with pytest.raises(UnsupportedError, match="given up after .* seconds"):
        sol.jit(strict=True, target="null")(function)(*made.args())


@pytest.mark.parametrize("progress", [True, False])
def test_who_waits_is_told(progress: bool, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    made = FAMILIES["many_array_statements"](40)
    monkeypatch.setattr("soljit.base.notice.NOTICE", 0.01)
    with sol.settings(progress=progress, debug=1):
        sol.jit(strict=True, target="null")(function_of(made.source, "told"))(*made.args())
    line = "soljit: compiling f takes a while (SOL_PROGRESS=0 hides this line)"
    assert (line in capfd.readouterr().err.splitlines()) == progress


def agree(made: BlowUp, name: str) -> None:
    """Compiled for the interpreter, a program gives what Python gives."""
    function = function_of(made.source, name)
    jitted = sol.jit(target="null")(function)
    for k in range(made.several):
        calls = [made.args() if made.several == 1 else (made.args()[0][k], 3) for _ in range(2)]
        want, got = outcome(function, calls[0]), outcome(jitted, calls[1])
        assert type(want) is type(got)
        assert (
            repr(want) == repr(got)
            if isinstance(want, Exception)
            else not list(differences("result", want, got, EXACT))
        )


def outcome(function: Any, args: tuple[Any, ...]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        try:
            return function(*args)
        except Exception as e:
            return e
