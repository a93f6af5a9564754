"""Classes that no dotted name leads to: defined in functions, made by calls, hidden by another of the same name."""

from __future__ import annotations

import collections
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest

import soljit as sol
from soljit.base.python import unnamed
from tests.oracle import compiled

Hidden = collections.namedtuple("Hidden", "x y z")


@dataclass
class Box:
    """Another class than the one in `classes`."""

    width: float = 9.0


def classes() -> Any:
    Hidden = collections.namedtuple("Hidden", "x y")  # noqa: PYI024

    class Pair(NamedTuple):
        x: int
        y: int

    @dataclass
    class Box:
        a: int
        b: int = 2

    class Plain:
        def __init__(self, a: int) -> None:
            self.a = a

        def more(self) -> int:
            return self.a + 1

    class Failure(Exception):
        pass

    Made = type("Made", (), {"k": 3, "value": lambda self: self.k})
    return Hidden, Pair, Box, Plain, Failure, Made


def functions() -> list[tuple[Callable[..., Any], Any]]:
    Hidden, Pair, Box, Plain, Failure, Made = classes()

    def named(n: int) -> Any:
        pairs = [Pair(n, k) for k in range(n)]
        table = {1: Hidden(n, 2)}
        table[n] = Hidden(1, n)
        return Pair(n, 1), Hidden(n, 2), pairs, pairs[-1].y, table[n].y, table

    def asked(n: int) -> Any:
        p = Pair(n, 1)
        return isinstance(p, Pair), type(p) is Pair, p, Box(n), Pair, [Hidden]

    def given(p: Any) -> Any:
        return p.x + p.y, p, p._replace(x=7)

    def instances(n: int) -> Any:
        boxes = []
        for k in range(n):
            boxes.append(Box(k))
        boxes[0].b = 5
        return boxes, boxes[0].b, Plain(n).more(), Plain(n).a, Made().value() + n

    def caught(n: int) -> Any:
        try:
            if n:
                raise Failure(n)
        except Failure as e:
            return str(e), type(e) is Failure
        return None

    return [
        (named, 2),
        (asked, 2),
        (given, Hidden(1, 2)),
        (given, Pair(3, 4)),
        (instances, 2),
        (caught, 2),
        (caught, 0),
    ]


@pytest.mark.parametrize("target", ["openmp", "null"])
def test_local_classes(target: str) -> None:
    for f, x in functions():
        want, got = f(x), compiled(f, target=target)(x)
        assert repr(got) == repr(want)
        assert type(got) is type(want)
        if f.__name__ == "named":
            assert [type(v) for v in got] == [type(v) for v in want]


def test_classes_of_two_calls_are_two() -> None:
    for _ in range(2):
        for f, x in functions()[:2]:
            want, got = f(x), sol.jit(strict=True)(f)(x)
            assert type(got[0]) is type(want[0])


def test_exceptions_of_a_local_class_leave_the_function() -> None:
    Failure = classes()[4]

    def raises(n: int) -> int:
        if n > 1:
            raise Failure(n)
        return n

    jitted = sol.jit(strict=True, target="null")(raises)
    assert jitted(1) == 1
    with pytest.raises(Failure, match="2"):
        jitted(2)


def test_names_of_classes_without_one() -> None:
    Pair = classes()[1]
    assert not unnamed.has_name(Pair)
    assert unnamed.has_name(Box)
    name = unnamed.name_of(Pair)
    assert name == unnamed.name_of(Pair) and name.startswith(unnamed.PREFIX)
    assert getattr(unnamed, name.removeprefix(unnamed.PREFIX)) is Pair
    with pytest.raises(AttributeError, match="nothing"):
        unnamed.nothing  # noqa: B018
