"""Special methods, properties and other members of classes that are decorated themselves: compiled code finds the functions that they wrap."""

from __future__ import annotations

import copy
import dataclasses
import functools
import operator
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests.oracle import check

Operation = Callable[[Any], Any]
jit = sol.jit(target="interpreter")  # no compiler is needed for the methods themselves


class Meta(type):
    @jit
    def __len__(cls) -> int:
        return 7

    @jit
    def __contains__(cls, x: Any) -> bool:
        return bool(x == 3)


class Number:
    """Each special method decorated."""

    @jit
    def __init__(self, x: float) -> None:
        self.x = x

    @jit
    def __call__(self, y: float = 1.0) -> float:
        return self.x * y

    @jit
    def __add__(self, other: float) -> float:
        return self.x + other

    @jit
    def __radd__(self, other: float) -> float:
        return other - self.x

    @jit
    def __sub__(self, other: float) -> float:
        return self.x - 2 * other

    @jit
    def __mul__(self, other: float) -> Number:
        return Number(self.x * other)

    @jit
    def __rmul__(self, other: float) -> float:
        return 10 * other * self.x

    @jit
    def __matmul__(self, other: float) -> float:
        return self.x + 100 * other

    @jit
    def __truediv__(self, other: float) -> float:
        return self.x / other

    @jit
    def __pow__(self, other: float) -> float:
        return self.x + other

    @jit
    def __iadd__(self, other: float) -> Number:
        self.x += 2 * other
        return self

    @jit
    def __neg__(self) -> float:
        return -self.x + 1

    @jit
    def __abs__(self) -> float:
        return self.x * 5

    @jit
    def __invert__(self) -> float:
        return self.x * 6

    @jit
    def __len__(self) -> int:
        return 3

    @jit
    def __bool__(self) -> bool:
        return self.x > 100

    @jit
    def __eq__(self, other: object) -> bool:
        return bool(self.x == other)

    @jit
    def __hash__(self) -> int:
        return 12

    @jit
    def __lt__(self, other: float) -> bool:
        return self.x < other

    @jit
    def __ge__(self, other: float) -> bool:
        return self.x + 10 >= other

    @jit
    def __contains__(self, other: float) -> bool:
        return self.x == other

    @jit
    def __getitem__(self, k: int) -> float:
        if k >= 4:
            raise IndexError(k)
        return self.x + k

    @jit
    def __setitem__(self, k: int, value: float) -> None:
        self.x = k + value

    @jit
    def __float__(self) -> float:
        return self.x + 0.5

    @jit
    def __int__(self) -> int:
        return 17

    @jit
    def __index__(self) -> int:
        return 1

    @jit
    def __round__(self, n: int = 0) -> float:
        return self.x + n

    @jit
    def __divmod__(self, n: float) -> tuple[float, float]:
        return self.x, n

    @jit
    def __str__(self) -> str:
        return "text of it"

    @jit
    def __repr__(self) -> str:
        return "Number(…)"

    @jit
    def __format__(self, how: str) -> str:
        return "formatted " + how

    @jit
    def __enter__(self) -> float:
        self.x += 1
        return self.x

    @jit
    def __exit__(self, *what: object) -> bool:
        self.x += 1
        return True

    @property
    @jit
    def twice(self) -> float:
        return 2 * self.x

    @twice.setter
    @jit
    def twice(self, value: float) -> None:
        self.x = value / 2

    @staticmethod
    @jit
    def fixed(x: float) -> float:
        return x + 1

    @classmethod
    @jit
    def made(cls, x: float) -> Number:
        return cls(x * 2)

    @functools.cached_property
    def kept(self) -> float:
        return self.x + 3


class Inherited(Number):
    pass


class OfAMetaclass(metaclass=Meta):
    pass


class Overriding(Number):
    @jit
    def __call__(self, y: float = 1.0) -> float:
        return super().__call__(y) + 1000

    @jit
    def __radd__(self, other: float) -> float:
        return super().__radd__(other) + 1000


class Stepped:
    """An iterator, an array, and what answers for missing attributes."""

    @jit
    def __init__(self, n: int) -> None:
        self.n = n

    @jit
    def __iter__(self) -> Stepped:
        return self

    @jit
    def __next__(self) -> int:
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        return self.n

    @jit
    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.arange(3.0)


class Guarded:
    """Attributes by methods."""

    def __init__(self, n: int) -> None:
        object.__setattr__(self, "n", n)

    @jit
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return len(name) + 0.5

    @jit
    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value * 2)


@dataclasses.dataclass
class Point:
    a: float
    b: float = 0.0

    @jit
    def __post_init__(self) -> None:
        self.b = self.a + 1


@dataclasses.dataclass(order=True)
class Ordered:
    a: float

    @jit
    def __eq__(self, other: object) -> bool:
        return True


class Cell:
    """A descriptor of the program's."""

    @jit
    def __get__(self, owner: Any, cls: Any = None) -> float:
        return 41.0

    @jit
    def __set__(self, owner: Any, value: float) -> None:
        owner.__dict__["seen"] = value


class Described:
    cell = Cell()

    def __init__(self, x: float) -> None:
        self.x = x


class Ready:
    @jit
    def __new__(cls, x: float) -> Any:
        made = object.__new__(cls)
        made.y = x + 5
        return made

    @jit
    def __init__(self, x: float) -> None:
        self.x = x


def added_in_place(j: Any) -> Any:
    j += 4.0
    return j.x


def entered(j: Any) -> Any:
    with j as x:
        y = x * 2
    return y, j.x


def stored(j: Any) -> Any:
    j[2] = 5.0
    return j.x


def set_twice(j: Any) -> Any:
    j.twice = 11.0
    return j.x


def branched(j: Any) -> Any:
    if j:
        return 1
    return "no" if not j else "yes"


def stepped(j: Any) -> Any:
    s = 0.0
    for x in j:
        s += x
    return s


def counted(j: Any) -> Any:
    while not j:
        j.x += 60.0
    return j.x


def caught(j: Any) -> Any:
    with j:
        raise ValueError("nothing")
    return j.x


OPERATIONS: dict[str, Operation] = {
    "call": lambda j: (j(), j(3.0)),
    "call_by_name": lambda j: j.__call__(2.0),
    "add": lambda j: j + 2.0,
    "radd": lambda j: 2.0 + j,
    "sub": lambda j: j - 1.0,
    "mul": lambda j: (j * 3.0).x,
    "rmul": lambda j: 3.0 * j,
    "matmul": lambda j: j @ 2.0,
    "truediv": lambda j: j / 4.0,
    "pow": lambda j: j**2.0,
    "neg": lambda j: -j,
    "abs": lambda j: abs(j),
    "invert": lambda j: ~j,
    "len": lambda j: len(j),
    "not": lambda j: not j,
    "bool": lambda j: bool(j),
    "and": lambda j: (j and 3) is j,
    "or": lambda j: j or 4,
    "eq": lambda j: j == 2.0,
    "ne": lambda j: j != 2.0,
    "eq_mirrored": lambda j: 2.0 == j,
    "lt": lambda j: j < 5.0,
    "gt_mirrored": lambda j: 5.0 > j,
    "ge": lambda j: j >= 11.0,
    "le_mirrored": lambda j: 11.0 <= j,
    "contains": lambda j: (2.0 in j, 7.0 in j, 3.0 not in j),
    "getitem": lambda j: j[3],
    "float": lambda j: float(j),
    "int": lambda j: int(j),
    "index": lambda j: [10, 20, 30][j],
    "operator_index": lambda j: operator.index(j),
    "round": lambda j: (round(j), round(j, 2)),
    "divmod": lambda j: divmod(j, 2.0),
    "str": lambda j: str(j),
    "repr": lambda j: repr(j),
    "hash": lambda j: hash(j),
    "format": lambda j: f"{j:abc} {j}",
    "sum": lambda j: sum([j], 1.0),
    "dict": lambda j: {j: 3}[j],
    "sorted": lambda j: max([j], key=lambda x: x.x).x,
    "list": lambda j: list(j),
    "star": lambda j: (*j,),
    "operator": lambda j: operator.add(j, 3.0),
    "map": lambda j: list(map(j, [1.0, 2.0])),
    "property": lambda j: j.twice,
    "static": lambda j: j.fixed(3.0),
    "class_method": lambda j: j.made(3.0).x,
    "cached": lambda j: j.kept,
    "callable": lambda j: callable(j),
    "of_the_class": lambda j: type(j).__add__(j, 3.0),
    "numpy_scalar": lambda j: np.float64(3.0) + j,
    "numpy_array": lambda j: len(np.arange(2.0) * 2.0) + j(),
    "has": lambda j: (hasattr(j, "__iadd__"), hasattr(j, "__iter__")),
    "get": lambda j: getattr(j, "__add__")(4.0),  # noqa: B009
    **{f.__name__: f for f in (added_in_place, entered, stored, set_twice, branched, stepped, counted, caught)},
}

KINDS: dict[str, type] = {"own": Number, "inherited": Inherited, "overriding": Overriding}
CAPTURED = Number(2.0)
CHANGING = (
    "added_in_place",
    "entered",
    "stored",
    "set_twice",
    "counted",
    "caught",
)  # a captured instance, at each call


def of_argument(of: Operation, cls: type) -> Operation:
    return lambda j: of(j)


def of_made(of: Operation, cls: type) -> Operation:
    return lambda j: of(cls(2.0))


def of_listed(of: Operation, cls: type) -> Operation:
    return lambda j: [of(x) for x in [j, cls(5.0)]]


def of_items(of: Operation, cls: type) -> Operation:
    def f(j: Any) -> Any:
        many = []
        for k in range(int(j.x)):
            many.append(cls(2.0 + k))
        return [of(x) for x in many]

    return f


def of_attributes(of: Operation, cls: type) -> Operation:
    def f(j: Any) -> Any:
        held = Described(1.0)
        held.x = j
        return of(held.x)

    return f


def of_captured(of: Operation, cls: type) -> Operation:
    return lambda j: of(CAPTURED) if j.x == 2.0 else None


FORMS = (of_argument, of_made, of_listed, of_attributes)


@pytest.mark.share(0.3)
@pytest.mark.parametrize("form", FORMS, ids=[f.__name__ for f in FORMS])
@pytest.mark.parametrize("name", OPERATIONS)
def test_operations(name: str, form: Callable[[Operation, type], Operation]) -> None:
    if form is of_captured and name in CHANGING:
        return
    f = form(OPERATIONS[name], Number)
    check(f, Number(2.0), settings={"target": "interpreter"}, or_refused=True)


@pytest.mark.share(0.2)
@pytest.mark.parametrize("form", (of_items, of_captured), ids=["of_items", "of_captured"])
@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_of_others(name: str, form: Callable[[Operation, type], Operation]) -> None:
    test_operations(name, form)


@pytest.mark.parametrize("kind", ["inherited", "overriding"])
@pytest.mark.parametrize("form", FORMS[:2], ids=[f.__name__ for f in FORMS[:2]])
def test_inherited(form: Callable[[Operation, type], Operation], kind: str) -> None:
    cls = KINDS[kind]
    for of in OPERATIONS.values():
        check(form(of, cls), cls(2.0), settings={"target": "interpreter"}, or_refused=True)


def point(x: float) -> Any:
    p = Point(x)
    return p.a, p.b, p


def point_in_list(n: int) -> Any:
    many = []
    for k in range(n):
        many.append(Point(k + 0.5))
    return [p.b for p in many]


def replaced(p: Any) -> Any:
    return dataclasses.replace(p, a=8.0).b


def ordered(x: float) -> Any:
    return Ordered(x) == Ordered(x + 1), Ordered(x) < Ordered(x + 1)


def guarded(n: int) -> Any:
    g = Guarded(n)
    g.m = 4
    return g.n, g.m, g.other


def guarded_argument(g: Any) -> Any:
    g.m = 5
    return g.m, g.missing


def described(x: float) -> Any:
    d = Described(x)
    d.cell = 5.0
    return d.cell, d.seen


def described_argument(d: Any) -> Any:
    d.cell = 6.0
    return d.cell, d.seen


def ready(x: float) -> Any:
    r = Ready(x)
    return r.x, r.y


def steps(n: int) -> Any:
    return list(Stepped(n)), sum(Stepped(n)), next(Stepped(n)), next(Stepped(0), "none")


def steps_of_argument(it: Any) -> Any:
    s = 0
    for x in it:
        s = 10 * s + x
    return s


def as_array(it: Any) -> Any:
    return np.asarray(it), np.sin(it), np.sum(it), np.array([1.0, 2.0, 3.0]) + np.asarray(it)


def as_array_made(n: int) -> Any:
    return np.asarray(Stepped(n))


def of_a_metaclass(n: int) -> Any:
    return len(OfAMetaclass), 3 in OfAMetaclass, n in OfAMetaclass  # type: ignore[arg-type, operator]


OTHERS: list[tuple[Callable[..., Any], Any]] = [
    (point, 2.0),
    (point_in_list, 3),
    (replaced, Point(3.0)),
    (ordered, 2.0),
    (guarded, 3),
    (guarded_argument, Guarded(3)),
    (described, 2.0),
    (described_argument, Described(2.0)),
    (ready, 2.0),
    (steps, 4),
    (steps_of_argument, Stepped(4)),
    (as_array, Stepped(2)),
    (as_array_made, 2),
    (of_a_metaclass, 2),
]


@pytest.mark.parametrize(("f", "argument"), OTHERS, ids=[f.__name__ for f, _ in OTHERS])
def test_others(f: Callable[..., Any], argument: Any) -> None:
    check(f, argument, settings={"target": "interpreter"}, or_refused=True)


def hooks(jit: Any) -> list[Any]:
    """What class bodies make of decorated functions, as Python sees it."""
    seen: list[Any] = []

    class Base:
        @jit
        def __new__(cls, *args: Any) -> Any:
            seen.append("new")
            return super().__new__(cls)

        @jit
        def __init_subclass__(cls, **more: Any) -> None:
            seen.append((cls.__name__, more))

        @jit
        def __class_getitem__(cls, item: Any) -> Any:
            return cls.__name__, item

        @jit
        def __set_name__(self, owner: type, name: str) -> None:
            seen.append((owner.__name__, name))

        @jit
        def __del__(self) -> None:
            seen.append("deleted")

        @jit
        def __reduce__(self) -> Any:
            return (list, ((3, 4),))

        @jit
        def __copy__(self) -> Any:
            return "copied"

        @jit
        def __dir__(self) -> Any:
            return ["b", "a"]

        @jit
        def __getattribute__(self, name: str) -> Any:
            return "fixed" if name == "fixed" else object.__getattribute__(self, name)

    class Derived(Base, more=3):
        pass

    class Owner:
        field = Base()

    x = Base()
    got = [
        Base[3],
        Derived["k"],
        x.fixed,
        pickle.loads(pickle.dumps(x)),
        copy.copy(x),
        dir(x),
        type(Base.__new__(Base)).__name__,
    ]
    del x
    return [got, seen, Owner.__name__]


def test_class_bodies_make_the_same_of_them() -> None:
    assert hooks(jit) == hooks(lambda f: f)
