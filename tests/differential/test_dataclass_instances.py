"""How instances of dataclasses and named tuples come about, are returned and given: constructors, `__post_init__`, attributes beside the fields."""

from __future__ import annotations

import abc
import functools
from dataclasses import InitVar, dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from tests.cases import Case, case_tests


@dataclass
class Plain:
    u: Any
    v: Any = 2
    scale = 3

    def area(self) -> Any:
        return self.v * self.scale

    @functools.cached_property
    def slow(self) -> Any:
        print("slow")
        return self.v * 2


class Widened(Plain):
    def __init__(self, u: Any, v: Any = 0.5) -> None:
        print("made")
        super().__init__(u + 1, v)
        self.w = v * 2

    def wide(self, k: Any) -> Any:
        return self.w + k


class ByName(Plain):
    def __init__(self, u: Any, **more: Any) -> None:
        Plain.__init__(self, u, v=u[0], **more)
        self.z = 3


@dataclass
class After:
    u: Any
    v: Any = 1

    def __post_init__(self) -> None:
        print("after", self.v)
        self.u = self.u.astype(np.float32) + 1
        self.w = self.v * 0.5


@dataclass
class AfterAgain(After):
    z: Any = 2.5

    def __post_init__(self) -> None:
        super().__post_init__()
        self.v = self.u[0]


@dataclass
class Settings:
    u: Any
    k: InitVar[Any]
    c: ClassVar[Any] = 4
    v: Any = 2
    w: Any = field(init=False, default=1.5)
    x: list[Any] = field(default_factory=list, kw_only=True)

    def __post_init__(self, k: Any) -> None:
        self.w2 = k + self.c
        self.v += k


@dataclass(frozen=True)
class Frozen:
    u: Any
    v: Any = 3

    def __post_init__(self) -> None:
        object.__setattr__(self, "v", self.u[0] * 2)


@dataclass
class Setting:
    u: Any
    v: Any = 2

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value if name == "u" else value + 1)


@dataclass
class Getting:
    u: Any
    v: Any = 2

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return name


@dataclass
class Said:
    u: Any
    v: Any = 2

    def __new__(cls, *args: Any) -> Any:
        print("new")
        return object.__new__(cls)


class Stored:
    def __set_name__(self, owner: type, name: str) -> None:
        self.name = f"_{name}"

    def __get__(self, owner: Any, cls: Any = None) -> Any:
        if owner is None:
            return 7
        print("get")
        return getattr(owner, self.name)

    def __set__(self, owner: Any, value: Any) -> None:
        print("set")
        setattr(owner, self.name, value)


@dataclass
class Unfinished(abc.ABC):
    u: Any

    @abc.abstractmethod
    def finish(self) -> Any: ...


@dataclass
class WithDescriptor:
    u: Any
    v: Any = Stored()


class Two(NamedTuple):
    u: Any
    v: Any = 2


class TwoOrMany(NamedTuple):
    u: Any
    v: Any = 2

    def __iter__(self) -> Any:
        return iter(self.u)


class TwoAndMore(Two):
    def __init__(self, u: Any, v: Any = 1) -> None:
        print("made")
        self.w = v


class TwoAndWrong(Two):
    def __init__(self, u: Any, v: Any = 1) -> None:
        super().__init__(u + 1, v)


def attribute_of_a_derived_class(a: np.ndarray, n: int) -> Any:
    p = Widened(a)
    for i in range(n):
        p.wide(i)
    p.v = 1
    p.w = a[0] * 2
    return p.w, p.v, p.u


def initialized_by_name(a: np.ndarray, n: int) -> Any:
    p = ByName(a)
    for i in range(n):
        p.z += p.v
    try:
        ByName(a, w=3)
    except TypeError as e:
        print(e)
    return p.z, p.u, p.v


def changed_after(a: np.ndarray, n: int) -> Any:
    ps = [After(a + i, i) for i in range(n)]
    q = ps[n - 1]
    q.v += 1
    for i in range(n):
        q.w += q.u[0]
    return q.u, q.w, q.v, ps[0].w, ps


def returned_once_made(a: np.ndarray, n: int) -> Any:
    p = After(a, n)
    return p, [AfterAgain(a, 3), AfterAgain(a, 3, 4)], {"a": After(a)}


def parameters_of_other_kinds(a: np.ndarray, n: int) -> Any:
    r = [Settings(a, i) for i in range(n)]
    s = [Settings(a, v=i, k=1.5, x=[i]) for i in range(n)]
    r[0].w += 1
    r[1].x.append(3)
    return r[n - 1].v, r[0].u, r[1].w2, s[1].v, r[0].w, r[1].w, s[1].x, r[0].x, r[1].x, Settings(k=3, u=a, v=7.5).v


def frozen_after(a: np.ndarray, n: int) -> Any:
    r = Frozen(a, n)
    many = [Frozen(a, i) for i in range(n)]
    try:
        r.v = 3  # type: ignore[misc]
    except AttributeError as e:
        print(e)
    return r.v, r, many[1].v


def own_ways_to_set(a: np.ndarray, n: int) -> Any:
    p = Setting(a)
    p.v = n
    return p.v, Setting(a).v


def own_ways_to_get(a: np.ndarray, n: int) -> Any:
    p = Getting(a, n)
    return p.u, p.other, WithDescriptor(a, 3).v


def own_ways_to_make(a: np.ndarray, n: int) -> Any:
    try:
        Unfinished(a)  # type: ignore[abstract]
    except TypeError:
        print("abstract")
    return Said(a, n).u, Said(a, n).v


def tuple_with_attributes(a: np.ndarray, n: int) -> Any:
    p, q = TwoAndMore(a), TwoAndMore(a, n)
    return p.w, q.w, p.u, q.v, [*p]


def tuple_with_other_items(a: np.ndarray, n: int) -> Any:
    p = TwoOrMany(a, n)
    q = p._replace(v=2.5)
    return q.u, q.v, len(p), p[0], p._asdict(), p.u


def tuple_made_wrongly(a: np.ndarray, n: int) -> Any:
    return TwoAndWrong(a, n).u


def attributes_beside_fields(p: Any, n: int) -> Any:
    return p.w + p.v, p.u, p


def hidden_constant(p: Any, n: int) -> Any:
    q = Plain(p.u, 7)
    return p.scale + p.v, q.scale, q.area(), hasattr(p, "w"), hasattr(q, "w"), hasattr(q, "scale")


def found_by_descriptors(p: Any, n: int) -> Any:
    q = Plain(p.u, 7)
    return p.slow + p.slow, q.slow + q.slow, p.__dict__


def attribute_added(p: Any, n: int) -> Any:
    p.z = n
    p.u += 1
    return p.z, p.v


def given_with_own_ways(p: Any, n: int) -> Any:
    p.v = n
    return p.v, p


def holding_comprehensions(n: int) -> Any:
    kept = [Plain([Plain(k) for k in range(j)]) for j in range(n)]
    kept[-1].u.append(Plain(u=[j for j in range(n)]))  # noqa: C416
    return kept, Plain([k * 2 for k in range(n)])


A = np.array([2.0, -1.0, 3.0])
HIDING = Plain(A)
HIDING.scale, HIDING.w = 5, 1.5  # type: ignore[attr-defined]
CASES: list[Case] = [
    (attribute_of_a_derived_class, [(A, 3), (A, 0)]),
    (initialized_by_name, [(A, 3)]),
    (changed_after, [(A, 3)]),
    (returned_once_made, [(A, 3)]),
    (parameters_of_other_kinds, [(A, 3)]),
    (frozen_after, [(A, 3)]),
    (own_ways_to_set, [(A, 3)]),
    (own_ways_to_get, [(A, 3)]),
    (own_ways_to_make, [(A, 3)]),
    (tuple_with_attributes, [(A, 3)]),
    (tuple_with_other_items, [(A, 3)]),
    (tuple_made_wrongly, [(A, 3)]),
    (attributes_beside_fields, [(After(A), 3), (Widened(A), 3)]),
    (hidden_constant, [(Plain(A), 3), (HIDING, 3), (HIDING, 4)]),
    (found_by_descriptors, [(Plain(A), 3)]),
    (attribute_added, [(Plain(A), 3), (Widened(A), 3)]),
    (holding_comprehensions, [(3,), (1,)]),
    (given_with_own_ways, [(Setting(A), 3), (WithDescriptor(A), 3), (Frozen(A), 3)]),
]
test_interpreted, test_compiled = case_tests(
    CASES, {"attribute_of_a_derived_class", "returned_once_made", "hidden_constant"}
)
