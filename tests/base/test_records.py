"""`soljit.base.records.dataclass` beside the standard library's."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from soljit.base import records


def classes(dataclass: Callable[..., Any], frozen: bool, slots: bool, eq: bool) -> SimpleNamespace:
    """The same classes by one of the two decorators."""

    @dataclass(frozen=frozen, slots=slots, eq=eq)
    class Point:
        x: int
        y: Any = 2
        note: str = dataclasses.field(default="", compare=False)
        hidden: tuple[int, ...] = dataclasses.field(default_factory=tuple, repr=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "note", self.note or f"at {self.x}")

    @dataclass(frozen=frozen, slots=slots, eq=eq)
    class Place(Point):
        name: str = "here"

    @dataclass(frozen=frozen, eq=eq)
    class Own:
        x: int

        def __eq__(self, other: object) -> bool:
            return isinstance(other, int)

        def __hash__(self) -> int:
            return 7

        def __repr__(self) -> str:
            return "own"

    @dataclass(frozen=frozen, slots=slots, eq=eq)
    class Empty:
        pass

    return SimpleNamespace(Point=Point, Place=Place, Own=Own, Empty=Empty)


def told(c: SimpleNamespace) -> Iterator[Any]:
    """What instances of the classes do."""
    made = [
        c.Point(1), c.Point(1), c.Point(1, 3), c.Point(1, 2, "other"), c.Place(1), c.Place(1, name="there"),
        c.Place(x=1), c.Empty(), c.Empty(), c.Own(1), c.Own(2),
    ]  # fmt: skip
    yield [repr(x).split("<locals>")[-1] for x in made]
    yield [[a == b for b in [*made, 3, (1, 2)]] for a in made]
    hashes = [hash(a) if type(a).__hash__ else None for a in made]
    yield [[a == b for b in hashes] for a in hashes]
    yield [type(a).__match_args__ for a in made]
    yield [[f.name for f in dataclasses.fields(a)] for a in made]
    yield [copy.copy(a) == a for a in made]
    yield repr(dataclasses.replace(c.Place(1), y=5)).split("<locals>")[-1]
    yield [hasattr(a, "__dict__") for a in made]
    yield [bool(type(a).__doc__) for a in made]


@pytest.mark.parametrize("eq", [True, False])
@pytest.mark.parametrize("slots", [True, False])
@pytest.mark.parametrize("frozen", [True, False])
def test_as_the_standard_library(frozen: bool, slots: bool, eq: bool) -> None:
    own, standard = (told(classes(f, frozen, slots, eq)) for f in (records.dataclass, dataclasses.dataclass))
    for a, b in zip(own, standard, strict=True):
        assert a == b


def test_errors_are_those_of_the_standard_library() -> None:
    with pytest.raises(TypeError, match="non-default argument 'y' follows default argument"):

        @records.dataclass
        class Wrong:
            x: int = 1
            y: int  # type: ignore[misc]

    point = classes(records.dataclass, True, True, True).Point
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        point()


def test_a_cycle_is_printed() -> None:
    @records.dataclass
    class Node:
        next: Any = None

    node = Node()
    node.next = node
    assert repr(node).endswith("Node(next=...)")


def test_instances_are_pickled() -> None:
    from soljit.base.place import Loc

    loc = Loc("f.py", 3)
    assert pickle.loads(pickle.dumps(loc)) == loc
