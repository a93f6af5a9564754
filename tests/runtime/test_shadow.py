"""`check="shadow"`: calls are run undecorated, too; what differs, and what could not be compared, is told."""

from __future__ import annotations

import array
import collections
import dataclasses
import enum
import fractions
import functools
import io
import os
import random
import subprocess
import sys
import threading
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.runtime.shadow.copies import copied
from soljit.runtime.shadow.differences import Comparison, Pairs, worst
from soljit.runtime.shadow.report import CheckedFunction
from soljit.runtime.shadow.shadowed import shadowed


@pytest.fixture(autouse=True)
def shadow() -> Iterator[None]:
    sol.shadow_report(clear=True)
    with sol.settings(check="shadow"):
        yield
    sol.shadow_report(clear=True)


def told() -> CheckedFunction:
    """The one function that was called."""
    (row,) = sol.shadow_report().functions
    return row


def planted(plain: Any, wrong: Callable[..., Any], *args: Any) -> tuple[str, str]:
    """What is told of a function whose compiled form is `wrong`."""
    sol.shadow_report(clear=True)
    shadowed(plain, wrong, lambda: True)(*args)
    (d,) = told().differences
    return d.kind, d.where


def test_calls_that_agree() -> None:
    @sol.jit
    def f(a, n):
        a[0] += n
        return a[1:], {"n": n, "s": a.sum()}

    a = np.arange(4.0)
    assert f(a, 2)[0].base is a
    f(a[::2], 1)
    f(np.arange(3, dtype="f4"), 2.0)
    row = told()
    assert (row.calls, row.checked, row.differences, row.unchecked, row.is_compiled) == (3, 3, (), {}, True)
    assert a.tolist() == [3.0, 1.0, 2.0, 3.0]
    assert row.name.endswith("f") and row.file == __file__ and "no differences" in str(sol.shadow_report())


def test_nothing_is_checked_without_the_setting() -> None:
    @sol.jit
    def f(a):
        return a + 1

    with sol.settings(check=False):
        f(np.ones(2))
        assert not sol.shadow_report().functions
    f(np.ones(2))
    assert told().calls == 1


def test_planted_differences_are_told() -> None:
    def f(a):
        return a * 1.1

    a = np.arange(1.0, 4.0)
    assert planted(f, lambda a: a * 1.2, a) == ("values", "result")
    assert planted(f, lambda a: a * 1.1 * (1 + 1e-15), a) == ("last places", "result")
    assert planted(f, lambda a: (a * 1.1).astype("f4"), a) == ("dtype", "result")
    assert planted(f, lambda a: (a * 1.1)[None], a) == ("shape", "result")
    assert planted(f, lambda a: list(a * 1.1), a) == ("type", "result")
    assert planted(f, lambda a: np.repeat(a * 1.1, 2)[::2], a) == ("layout", "result")
    assert planted(f, lambda a: sol.freeze(a * 1.1), a) == ("layout", "result")


def test_planted_effects_on_arguments_are_told() -> None:
    def f(a, b):
        a[0] = 3
        return b

    def copies(a, b):
        a[0] = 3
        return b.copy()

    a, b = np.zeros(3), np.zeros(2)
    assert planted(f, lambda a, b: b, a, b) == ("values", "argument a")
    assert planted(f, copies, a, b) == ("identity", "result")
    assert planted(lambda a: a[1:], lambda a: a[1:].copy(), a) == ("identity", "result")
    assert planted(lambda a: a[1:].copy(), lambda a: a[1:], a) == ("identity", "result")


def test_planted_exceptions_are_told() -> None:
    def f(x):
        raise ValueError(f"no {x}")

    def other(x):
        raise ValueError("no")

    with pytest.raises(ValueError, match="no$"):
        planted(f, other, 1)
    assert [d.kind for d in told().differences] == ["exception"]
    sol.shadow_report(clear=True)
    assert shadowed(f, lambda x: x, lambda: True)(1) == 1  # type: ignore[arg-type]
    assert told().differences[0].text == "no exception instead of ValueError: no 1"


def test_exceptions_that_agree() -> None:
    @sol.jit
    def f(a, i):
        a[0] = 1
        return a[i]

    for i in (1, 7):
        if i == 7:
            with pytest.raises(IndexError) as e:
                f(np.zeros(3), i)
            assert [t.name for t in e.traceback] == ["test_exceptions_that_agree", "f"]
        else:
            f(np.zeros(3), i)
    assert (told().checked, told().differences) == (2, ())


def test_functions_that_are_given_back_are_compared_by_their_source() -> None:
    def wrapping(fn):
        @functools.wraps(fn)
        def wrapper(x):
            return np.asarray(fn(x))

        return wrapper

    def other(fn):
        @functools.wraps(fn)
        def wrapper(x):
            return np.abs(fn(x))

        return wrapper

    sol.jit(wrapping)(abs)
    assert (told().checked, told().differences) == (1, ())
    assert planted(wrapping, other, abs) == ("values", "result")


def test_a_difference_of_both_in_plain_python_is_the_functions_own() -> None:
    counted = []

    def f():
        counted.append(1)
        return len(counted)

    shadowed(f, f, lambda: False)()
    assert told().differences[0].kind == "not the same twice"


def test_a_difference_of_a_function_that_is_called() -> None:
    inner = shadowed(lambda x: x, lambda x: x + 1, lambda: True)

    def outer(x):
        return inner(x)

    shadowed(outer, outer, lambda: False)(1)
    assert [d.kind for d in sol.shadow_report().differences] == ["values", "values"]


class Kind(enum.Enum):
    A = 1


@dataclasses.dataclass
class Node:
    x: Any
    next: Any = None

    def __eq__(self, other: object) -> bool:
        raise AssertionError("no __eq__ is called")


class Slots:
    __slots__ = ("a", "b")

    def __init__(self, a: Any) -> None:
        self.a = a


def made(change: int) -> dict[str, Any]:
    """Values of many types; with `change`, one within each is another one."""
    node = Node(np.arange(3) + change)
    node.next = node  # a circle
    objects = np.empty(2, object)
    objects[:] = [[1, change], None]
    return {
        "node": node,
        "slots": Slots(change),
        "set": {1, 2, 3 + change},
        "tuples": {("a", change)},
        "order": {"a": 1, "b": 2} if not change else {"b": 2, "a": 1},
        "objects": objects,
        "masked": np.ma.array([1.0, 2.0], mask=[False, bool(change)]),
        "record": np.array([(1, 2.0 + change)], dtype=[("i", "i4"), ("x", "f8")]),
        "text": np.array(["a", "b" * (1 + change)]),
        "dates": np.array(["NaT", f"2020-01-0{1 + change}"], "M8[D]"),
        "nan": [float("nan"), np.float64("nan"), np.array([np.nan, change])],
        "error": ValueError("x", change),
        "function": (lambda: 1) if not change else (lambda: 2),
        "closure": (lambda n: lambda: n)(change),
        "generator": np.random.default_rng(change),
        "python_generator": random.Random(change),
        "bytes": bytearray([change]),
        "complex": 1 + change * 1j,
        "zero": np.array([-0.0 if change else 0.0]),
        "method": Slots(change).__init__,
        "namespace": types.SimpleNamespace(a=np.arange(2) + change),
        "deque": collections.deque([change], 3),
        "partial": functools.partial(max, change),
        "fraction": fractions.Fraction(change, 3),
        "iterator": iter([1, change]),
        "text_file": io.StringIO("x" * change),
        "array": array.array("d", [change]),
    }


@pytest.mark.parametrize("name", sorted(made(0)))
def test_values_are_compared(name: str) -> None:
    same = worst(Comparison(Pairs())(made(0)[name], made(0)[name], name))
    assert same is None
    found = worst(Comparison(Pairs())(made(0)[name], made(1)[name], name))
    assert found is not None and (found.kind == "last places") == (name == "zero")
    if name in ("function", "closure", "method"):
        return
    value = (made(0)[name],)
    assert worst(Comparison(Pairs(), before=True)(copied(value)[0], value, name)) is None


def test_enumerations_and_identities() -> None:
    a = [1]
    compare = Comparison(Pairs())
    assert worst(compare((Kind.A, a, a), (Kind.A, [1], [1]), "x")).kind == "identity"  # type: ignore[union-attr]


def test_copies_share_memory_as_the_originals_do() -> None:
    base = np.arange(20.0).reshape(4, 5)
    frozen = base[1:]
    frozen.flags.writeable = False
    held = Slots({"v": base[:, ::-2]})
    b, f, t, h = copied((base, frozen, base.T, held))[0]
    assert np.shares_memory(b, f) and np.shares_memory(b, t) and not np.shares_memory(b, base)
    assert not f.flags.writeable and t.flags.f_contiguous and h.a["v"].strides == held.a["v"].strides
    b[1, 4] = -1
    assert f[0, 4] == -1 and h.a["v"][1, 0] == -1
    large = np.zeros(1 << 20)
    (one, other), _ = copied((large[3:7], large[5:9]))
    one[3] = 1
    assert other[1] == 1 and one.base is other.base and one.base.nbytes < 1000
    ((empty,), _) = copied((np.zeros((0, 3))[::2],))
    assert empty.shape == (0, 3)


def test_memory_shared_by_arguments() -> None:
    @sol.jit
    def f(a, b):
        a += 1
        b *= 2
        return a

    base = np.arange(6.0)
    f(base, base[2:])
    f(base[::2], base)
    assert (told().checked, told().differences) == (2, ())


def test_what_cannot_be_copied_is_told(tmp_path: Path) -> None:
    class Closing:
        def __init__(self) -> None:
            self.is_open = True

        def __del__(self) -> None:
            pass

    @sol.jit
    def f(x):
        return 1

    with (tmp_path / "a").open("w") as file:
        for x in (threading.Lock(), (i for i in range(3)), file, [Closing()]):
            f(x)
    row = told()
    assert (row.calls, row.checked, sum(row.unchecked.values())) == (4, 0, 4)
    assert any("finalizer" in r for r in row.unchecked) and any("pickle" in r for r in row.unchecked)


def test_a_copy_that_is_not_like_the_original() -> None:
    class Changing:
        def __init__(self) -> None:
            self.a = [1]

        def __deepcopy__(self, memo: Any) -> Changing:
            other = Changing()
            other.a = [2]
            return other

    shadowed(lambda x: None, lambda x: None, lambda: True)(Changing())
    assert "not like it" in next(iter(told().unchecked))


class Mark:
    def __init__(self, name: str) -> None:
        self.name = name


MISSING, ANY, UNUSED = object(), Mark("any"), Mark("unused")


def test_objects_that_functions_know_by_name_are_themselves() -> None:
    @sol.jit
    def f(x, d):
        return x is MISSING, d["k"] is ANY

    assert f(MISSING, {"k": ANY}) == (True, True)
    assert f(MISSING, {"k": UNUSED}) == (True, False)
    assert (told().checked, told().differences) == (2, ())
    (mark, other), _ = copied((ANY, globals()["UNUSED"]))
    assert mark is ANY and type(other) is Mark


class Once:
    @sol.jit
    def __init__(self, x: Any) -> None:
        if hasattr(self, "x"):
            raise RuntimeError("twice")
        self.x = 2 * x


class OnceInSlots:
    __slots__ = ("x",)

    @sol.jit
    def __init__(self, x: Any) -> None:
        if hasattr(self, "x"):
            raise RuntimeError("twice")
        self.x = 2 * x

    def __getstate__(self) -> Any:
        return self.x


@pytest.mark.parametrize("cls", [Once, OnceInSlots])
def test_instances_without_attributes_are_copied_for_their_methods(cls: Any) -> None:
    assert cls(3).x == 6
    (row,) = sol.shadow_report(clear=True).functions
    assert (row.checked, row.differences, row.unchecked) == (1, (), {})


def test_what_cancels_out_differs_in_the_last_places() -> None:
    a = np.array([1.0, 3.0])
    assert planted(lambda a: 1e-17 * a[0], lambda a: 2e-17 * a[0], a) == ("last places", "result")
    assert planted(lambda a: 1e-9 * a[0], lambda a: 2e-9 * a[0], a) == ("values", "result")


def test_numbers_of_checked_calls_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("soljit.runtime.shadow.report.CALLS", 4)

    @sol.jit
    def f(x):
        return x + 1

    for k in range(20):
        f(k)
    f(0.5)
    row = told()
    assert (row.calls, row.checked) == (21, 7)  # 1 to 4, 8, 16, and the first float
    assert sum(row.unchecked.values()) == 14


def test_time_of_checks_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("soljit.runtime.shadow.report.SECONDS", 0.0)
    monkeypatch.setattr("soljit.runtime.shadow.report.SHARE", 0.0)

    @sol.jit
    def f(x):
        return x + 1

    for k in range(5):
        f(k)
    assert (told().calls, told().checked) == (5, 1)


RNG = np.random.default_rng(5)


def test_random_numbers_are_those_of_one_run() -> None:
    @sol.jit
    def f(given):
        return RNG.random(), given.random(), np.random.rand(), random.random()

    def draws() -> list[Any]:
        global RNG
        RNG = np.random.default_rng(5)
        np.random.seed(3)
        random.seed(4)
        given = np.random.default_rng(6)
        return [f(given) for _ in range(3)]

    once = draws()
    with sol.settings(check=False):
        assert draws() == once
    assert (told().checked, told().differences) == (3, ())


class Account:
    rate = 2.0

    @sol.jit
    def __init__(self, x):
        self.x = x

    @sol.jit
    def add(self, y):
        self.x = self.x + y
        return self

    @sol.jit
    def __add__(self, other):
        return Account(self.x + other.x)

    @classmethod
    @sol.jit
    def doubled(cls, x):
        return x * cls.rate

    @staticmethod
    @sol.jit
    def half(x):
        return x / 2

    @property
    @sol.jit
    def size(self):
        return self.x.size


def test_methods() -> None:
    a = Account(np.ones(2))
    assert a.add(1.0) is a
    (a + a).add(2.0)
    add = a.add
    add(3.0)
    Account.doubled(2), Account.half(3.0), a.size
    report = sol.shadow_report()
    assert len(report.functions) == 6 and not report.differences
    assert all(f.checked == f.calls > 0 for f in report.functions)


@sol.jit
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def test_recursion() -> None:
    assert fib(10) == 55
    row = told()
    assert (row.calls, row.checked, row.differences) == (1, 1, ())


def test_threads() -> None:
    @sol.jit
    def f(a):
        a += 1
        return a.sum()

    threads = [threading.Thread(target=lambda: [f(np.ones(4)) for _ in range(10)]) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    row = told()
    assert row.calls == row.checked == 40 and not row.differences


def test_decorated_deepcopy_and_equality_are_not_checked_meanwhile() -> None:
    class Own:
        def __init__(self, x: Any) -> None:
            self.x = x

        @sol.jit
        def __deepcopy__(self, memo):
            return Own(self.x + 0)

        @sol.jit
        def __eq__(self, other):
            return False

    @sol.jit
    def f(o):
        return o.x + 1

    f(Own(np.ones(2)))
    assert (told().name.endswith("f"), told().checked, told().differences) == (True, 1, ())


def test_refusals_are_no_differences() -> None:
    @sol.jit(strict=True)
    def f(x):
        return eval("x + 1")

    with pytest.raises(sol.UnsupportedError):
        f(1)
    assert (told().checked, told().differences) == (0, ())
    assert all(reason.startswith("refused: ") for reason in told().unchecked)


def test_what_check_may_be() -> None:
    for value in ("fast", 2, ""):
        with pytest.raises(ValueError, match="check is 1, 0 or 'shadow', not"):
            sol.settings(check=value)  # type: ignore[arg-type]
    with sol.settings(check=True) as s:
        assert s.verifies and not s.shadow


PROGRAM = """
import numpy as np
import soljit as sol

@sol.jit
def shadowed_in_a_program(a):
    return a * 3 + 7

shadowed_in_a_program(np.ones(3)), shadowed_in_a_program(np.ones(3))
"""


def test_a_program_tells_at_its_end(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    command = [sys.executable, str(path)]
    done = subprocess.run(command, env=os.environ | {"SOL_CHECK": "shadow"}, capture_output=True, text=True)
    assert "soljit checked 2 of 2 calls of 1 function: no differences" in done.stderr and not done.stdout
    assert f"__main__.shadowed_in_a_program ({path}:5)" in done.stderr
    done = subprocess.run(command, env=os.environ | {"SOL_CHECK": "1"}, capture_output=True, text=True)
    assert not done.returncode and not done.stderr
    done = subprocess.run(command, env=os.environ | {"SOL_CHECK": "some"}, capture_output=True, text=True)
    assert "SOL_CHECK='some' is not understood: check is 1, 0 or 'shadow'" in done.stderr
