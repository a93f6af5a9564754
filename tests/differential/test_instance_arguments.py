"""Instances of plain classes as arguments: their attributes are read, set and shared as in Python, whatever way the function is left."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.ir.core.signature import ArgType, InstanceArg, ObjectArg
from tests.oracle import TARGET


class Grid:
    def __init__(self, n: int) -> None:
        self.n, self.dx = n, 0.5


class Base:
    scale = 2.0
    level = 1

    def __init__(self, n: int = 6) -> None:
        self.n, self.dt, self.t, self.k = n, 0.25, 0.0, 0
        self.u = np.arange(n * 1.0)
        self.v = np.ones(n)
        self.w: Any = None
        self.name = "base"
        self.grid = Grid(n)
        self.history: list[float] = []

    def rate(self) -> float:
        return self.dt * self.scale / self.grid.dx

    def step(self) -> None:
        self.v[1:-1] = self.u[1:-1] + self.rate() * (self.u[2:] + self.u[:-2] - 2 * self.u[1:-1])
        self.u, self.v = self.v, self.u
        self.t += self.dt
        self.k += 1

    def fail(self, at: int) -> None:
        self.k += 1
        if self.k == at:
            raise ValueError(f"at {self.k}")
        self.t += 1.0

    def until(self, limit: float) -> int:
        while True:
            self.t += self.dt
            self.k += 1
            if self.t > limit:
                return self.k

    @property
    def energy(self) -> float:
        return float(self.u.sum()) * self.dt

    @energy.setter
    def energy(self, x: float) -> None:
        self.dt = x
        self.t -= x

    @staticmethod
    def half(x: float) -> float:
        return x / 2

    @classmethod
    def of_class(cls) -> float:
        return cls.scale


class Sub(Base):
    scale = 3.0

    def step(self) -> None:
        super().step()
        self.t += 10


class Slots:
    __slots__ = ("count", "u")

    def __init__(self) -> None:
        self.u, self.count = np.ones(3), 0


class Cached:
    def __init__(self) -> None:
        self.u = np.arange(4.0)

    @functools.cached_property
    def total(self) -> float:
        return float(self.u.sum())


class Watched:
    def __init__(self) -> None:
        self.x = 1.0

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value * 2)


class Found:
    def __init__(self) -> None:
        self.x = 1.0

    def __getattr__(self, name: str) -> Any:
        return len(name)


class Clipped:
    def __init__(self) -> None:
        self.data = np.arange(5.0)
        self.reads = 0

    def __getitem__(self, k: int) -> float:
        self.reads += 1
        return self.data[min(k, 4)]

    def __len__(self) -> int:
        return len(self.data)

    def __call__(self, x: float) -> float:
        self.reads += 100
        return x + self.data[0]


@dataclass
class Body:
    x: np.ndarray
    m: float = 1.0
    hits: int = 0


@dataclass(frozen=True)
class Fixed:
    x: np.ndarray
    m: float = 1.0


class Holder:
    """What Python code holds and changes in between."""

    def __init__(self, of: Any) -> None:
        self.of = of

    def poke(self) -> None:
        self.of.t += 100.0
        self.of.u = self.of.u + 1


# --- programs: a function of the arguments that `make` gives -----------------------------------------------------------


def reads(s: Any) -> Any:
    return s.u * s.dt + s.n, s.grid.dx, s.scale, s.half(s.dt), s.of_class(), s.name == "base", s.w is None


def steps(s: Any, m: int) -> Any:
    for _ in range(m):
        s.step()
    return s.u


def sets(s: Any) -> Any:
    s.t = s.t + 1
    s.k = s.k - 3
    s.w = s.u[1:3]
    s.w[0] = 9.0
    return s.t


def sets_in_branches(s: Any, m: int) -> Any:
    if m > 2:
        s.t = 5.0
    elif m > 1:
        s.u = s.u * 2
    else:
        s.k = 7
    x = s.t + s.u[0]
    if m % 2:
        s.w = s.u
    return x, s.w is s.u


def new_attributes(s: Any, m: int) -> Any:
    for i in range(m):
        s.last = i
    s.first = s.u
    if m > 1:
        s.extra = s.t
    return s.first[0] + s.t


def hides_the_class(s: Any) -> Any:
    a = s.scale
    s.scale = a + 1
    return s.scale, s.rate()


def raises_between(s: Any, m: int) -> Any:
    s.t = 3.5
    s.k += 1
    x = s.u[m]
    s.k += 1
    return x


def fails(s: Any, at: int, m: int) -> Any:
    for _ in range(m):
        s.fail(at)
    return s.t


def handled(s: Any, at: int) -> Any:
    out = 0.0
    for i in range(5):
        try:
            s.fail(at)
            out += s.t
        except ValueError:
            out -= 100 * s.k
        finally:
            s.dt += 1
    return out, s.dt


def handled_around(s: Any, at: int) -> Any:
    try:
        for _ in range(9):
            s.fail(at)
    except ValueError as e:
        return str(e), s.k, s.t
    return s.k


def loops_in_methods(s: Any, limit: float) -> Any:
    a = s.until(limit)
    return a, s.until(limit + 1), s.t


def by_property(s: Any) -> Any:
    a = s.energy
    s.energy = 0.125
    return a, s.energy, s.dt


def other_names(s: Any) -> Any:
    r = s
    r.t += 1
    g = r.grid
    g.dx = 4.0
    return s.t, s.grid.dx, s.rate()


def returns_itself(s: Any) -> Any:
    s.t = 8.0
    return s


def arguments_too(s: Any, a: np.ndarray) -> Any:
    a[0] = 50.0
    x = s.u[0]
    s.u[1] = 60.0
    s.v = a
    return x, a[1], s.v is a, s.u is a


def two(a: Any, b: Any) -> Any:
    a.t += 1
    b.t += 10
    a.u, b.u = b.u, a.u
    return a.t, b.t, a.u[0]


def nothing_kept(s: Any) -> Any:
    s.u += 1
    s.v -= s.u
    s.u[0] *= 2


def swaps_in_loops(s: Any, m: int) -> Any:
    for i in range(m):
        s.v[:] = s.u * 2 + i
        s.u, s.v = s.v, s.u
        if s.u[0] > 20:
            break
    return s.v


def histories(s: Any, m: int) -> Any:
    for _ in range(m):
        s.t += s.dt
        s.history.append(s.t)
    return len(s.history)


def printed(s: Any) -> Any:
    s.t = 4.0
    print(s.t, f"{s.k:03d}")
    s.k = 12
    return s.k


def comprehension(s: Any, m: int) -> Any:
    return [s.t + i * s.dt for i in range(m)], sum(x for x in s.u)


def in_lambdas(s: Any, x: float) -> Any:
    f = lambda y: y * s.t  # noqa: E731
    s.t = 7.0
    a = f(x)
    s.t = 8.0
    return a, f(x)


def closures(s: Any, m: int) -> Any:
    def add(d: float) -> None:
        s.t += d

    for i in range(m):
        add(float(i))
    return s.t


def conditional(s: Any, c: bool) -> Any:
    return (s.until(2.0) if c else s.k), s.t


def conditions(s: Any) -> Any:
    n = 0
    while s.until(n * 1.0) < 9:
        n += 1
    return n, s.t, s.k


def generators(s: Any, m: int) -> Any:
    def ticks() -> Any:
        for i in range(m):
            yield i * s.dt

    for x in ticks():
        s.t += x
    return s.t


def python_between(s: Any, holder: Any) -> Any:
    s.t = 1.0
    holder.poke()
    return s.t, s.u[0]


def key_functions(s: Any) -> Any:
    return sorted([3.0, 1.0, 2.0], key=lambda x: -x * s.dt), max(s.u)


def deleted(s: Any) -> Any:
    s.t = 3.0
    del s.w
    return s.t


def dictionary(s: Any) -> Any:
    s.t = 3.0
    return s.__dict__["t"], vars(s)["k"], hasattr(s, "nothing"), getattr(s, "t")  # noqa: B009


def slots(s: Any) -> Any:
    s.count += 2
    s.u = s.u * 3
    return s.count


def cached(s: Any) -> Any:
    return s.total + s.u[0], s.total


def attribute_x(s: Any) -> Any:
    s.x = s.x + 1
    return s.x


def found(s: Any) -> Any:
    s.x += 2
    return s.x, s.nothing


def specials(s: Any, m: int) -> Any:
    return sum(s[i] for i in range(m)), len(s), s(2.0), s.reads, s[m]


def bodies(b: Any, m: int) -> Any:
    for i in range(m):
        b.x += 1.0
        b.hits += 1
    b.x = b.x * 2
    return b


def many_bodies(bs: Any) -> Any:
    t = 0.0
    for b in bs:
        t += b.m * b.x[0]
    return t


def fixed(s: Any) -> Any:
    s.x[0] = 3.0
    a = s.m
    object.__setattr__(s, "m", a + 1)
    return s.m


def cannot_be_set(s: Any) -> Any:
    s.x[0] = 3.0
    s.m = 4.0
    return s.m


def changes_type(s: Any, m: int) -> Any:
    s.w = m
    for i in range(m):
        s.w = s.w + 0.5
    return s.w


def overflows(s: Any) -> Any:
    s.k = s.k + (1 << 62)
    s.k = s.k * 4
    return s.k


def unknown(s: Any) -> Any:
    s.t = 2.0
    return s.missing


def helper(s: Any, f: float) -> float:
    s.t *= f
    return s.t


def helpers(s: Any) -> Any:
    s.t = 1.5
    return helper(s, 2.0) + helper(s, 3.0), s.t


def recursive(s: Any, n: int) -> Any:
    s.k += 1
    if n == 0:
        return s.k
    return recursive(s, n - 1) + s.k


def lists_as_attributes(s: Any) -> Any:
    s.w = [1.0, 2.0]
    s.w.append(s.t)
    return s.w[2], len(s.w)


def matched(s: Any) -> Any:
    match s.k:
        case 0:
            s.k = 5
        case _:
            s.k = 6
    with np.errstate(all="ignore"):
        s.t = s.k / 2
    return s.k


def shared_array() -> Any:
    s = Base()
    return s, s.u


def shared_view() -> Any:
    s = Base()
    return s, s.u[::-1]


def own_views() -> Any:
    s = Base()
    s.v = s.u[:]
    return (s,)


def overlapping() -> Any:
    s = Base()
    whole = np.arange(12.0)
    s.u, s.v = whole[:6], whole[3:9]
    return s, 2


def one_twice() -> Any:
    s = Base()
    return s, s


def sharing() -> Any:
    a, b = Base(), Base()
    b.u = a.u
    return a, b


def held() -> Any:
    s = Base()
    return s, Holder(s)


def hidden_method() -> Any:
    s = Base()
    s.rate = lambda: 77.0  # type: ignore[method-assign]
    return s, 2


def hidden_constant() -> Any:
    s = Base()
    s.scale = 5.0
    return (s,)


def other_types() -> Any:
    s = Base()
    s.u, s.dt, s.t = s.u.astype(np.float32), np.float64(0.5), 1
    return s, 2


def no_memory_order() -> Any:
    s = Base()
    s.u = np.arange(12.0)[::2]
    return s, 2


CASES: list[tuple[Callable[..., Any], Callable[[], Any]]] = [
    (reads, lambda: (Base(),)),
    (reads, lambda: (Sub(),)),
    (reads, hidden_constant),
    (steps, lambda: (Base(), 5)),
    (steps, lambda: (Base(), 0)),
    (steps, lambda: (Sub(), 2)),
    (steps, hidden_method),
    (steps, other_types),
    (steps, no_memory_order),
    (steps, overlapping),
    (sets, lambda: (Base(),)),
    *[(sets_in_branches, lambda k=k: (Base(), k)) for k in range(4)],
    (new_attributes, lambda: (Base(), 3)),
    (new_attributes, lambda: (Base(), 0)),
    (hides_the_class, lambda: (Base(),)),
    (raises_between, lambda: (Base(), 1)),
    (raises_between, lambda: (Base(), 100)),
    (fails, lambda: (Base(), 3, 6)),
    (fails, lambda: (Base(), 30, 6)),
    (handled, lambda: (Base(), 3)),
    (handled_around, lambda: (Base(), 3)),
    (handled_around, lambda: (Base(), 30)),
    (loops_in_methods, lambda: (Base(), 2.0)),
    (by_property, lambda: (Base(),)),
    (other_names, lambda: (Base(),)),
    (returns_itself, lambda: (Base(),)),
    (arguments_too, lambda: (Base(), np.zeros(6))),
    (arguments_too, shared_array),
    (arguments_too, shared_view),
    (two, lambda: (Base(), Base())),
    (two, one_twice),
    (two, sharing),
    (nothing_kept, lambda: (Base(),)),
    (nothing_kept, own_views),
    (swaps_in_loops, lambda: (Base(), 9)),
    (swaps_in_loops, lambda: (Base(), 1)),
    (histories, lambda: (Base(), 4)),
    (printed, lambda: (Base(),)),
    (comprehension, lambda: (Base(), 4)),
    (in_lambdas, lambda: (Base(), 2.0)),
    (closures, lambda: (Base(), 5)),
    (conditional, lambda: (Base(), True)),
    (conditional, lambda: (Base(), False)),
    (conditions, lambda: (Base(),)),
    (generators, lambda: (Base(), 4)),
    (python_between, held),
    (key_functions, lambda: (Base(),)),
    (deleted, lambda: (Base(),)),
    (dictionary, lambda: (Base(),)),
    (slots, lambda: (Slots(),)),
    (cached, lambda: (Cached(),)),
    (attribute_x, lambda: (Watched(),)),
    (found, lambda: (Found(),)),
    (specials, lambda: (Clipped(), 7)),
    (bodies, lambda: (Body(np.ones(3)), 3)),
    (many_bodies, lambda: ([Body(np.ones(3), 2.0), Body(np.ones(3) * 4)],)),
    (fixed, lambda: (Fixed(np.ones(2)),)),
    (cannot_be_set, lambda: (Fixed(np.ones(2)),)),
    (changes_type, lambda: (Base(), 3)),
    (changes_type, lambda: (Base(), 0)),
    (overflows, lambda: (Base(),)),
    (unknown, lambda: (Base(),)),
    (helpers, lambda: (Base(),)),
    (recursive, lambda: (Base(), 4)),
    (lists_as_attributes, lambda: (Base(),)),
    (matched, lambda: (Base(),)),
]


def new_ones(s: Base, x: np.ndarray) -> Any:
    s.y = x * s.dt  # type: ignore[attr-defined]
    for k in range(3):
        s.y[k] += s.u[k]  # type: ignore[attr-defined]
        s.total = s.y.sum()  # type: ignore[attr-defined]
        s.t += s.total  # type: ignore[attr-defined]
    return s.y, s.t  # type: ignore[attr-defined]


def of_either_type(s: Base, n: int) -> Any:
    s.t = 0.0
    for k in range(n):
        s.t -= s.u[k] / np.sqrt(2.0)
    s.k = 0
    return s.t, type(s.t)


CASES += [
    (new_ones, lambda: (Base(), np.ones(6))),
    (of_either_type, lambda: (Base(), 3)),
    (of_either_type, lambda: (Base(), 0)),
]


def state(x: Any, seen: list[Any], memory: list[np.ndarray]) -> Any:
    """All that can be told of a value: types, contents, which objects are the same, which arrays share memory."""
    for k, s in enumerate(seen):
        if s is x and not isinstance(x, (int, float, str, type(None))):
            return f"object {k}"
    seen.append(x)
    if isinstance(x, np.ndarray):
        memory.append(x)
        shares = [k for k, m in enumerate(memory[:-1]) if np.shares_memory(m, x)]
        return "array", str(x.dtype), x.shape, x.strides, x.flags.writeable, x.tolist(), shares
    if isinstance(x, (list, tuple)):
        return type(x).__name__, [state(i, seen, memory) for i in x]
    if isinstance(x, dict):
        return {k: state(v, seen, memory) for k, v in x.items()}
    if callable(x):
        return "function"
    names = [*getattr(x, "__dict__", {}), *(n for c in type(x).__mro__ for n in getattr(c, "__slots__", ()))]
    if names:
        return type(x).__name__, [(n, state(getattr(x, n), seen, memory)) for n in names if hasattr(x, n)]
    return type(x).__name__, repr(x)


def seen_of(f: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    try:
        result = f(*arguments)
    except Exception as e:
        result = type(e).__name__, str(e)
    return state([list(arguments), result], [], [])


_jitted: dict[Any, Any] = {}


def compiled(f: Callable[..., Any]) -> Any:
    if f not in _jitted:
        _jitted[f] = sol.jit(f, **({"target": TARGET} if TARGET else {}))
    return _jitted[f]


@pytest.mark.parametrize("k", range(len(CASES)), ids=[f"{f.__name__}-{k}" for k, (f, _) in enumerate(CASES)])
@pytest.mark.filterwarnings("ignore::soljit.FallbackWarning")
def test_an_instance_is_left_as_in_python(k: int) -> None:
    f, make = CASES[k]
    for _ in range(
        3
    ):  # the first compiles, the second finds attributes that the first has set, all of one function share its variants
        assert seen_of(compiled(f), make()) == seen_of(f, make())


def kinds(f: Any, arguments: tuple[Any, ...]) -> list[type[ArgType]]:
    f(*arguments)
    return [type(t) for t in f._entry.variants[-1].types]


def test_which_instances_are_taken_apart() -> None:
    for f, make in [
        (steps, lambda: (Base(), 2)),
        (handled, lambda: (Base(), 3)),
        (histories, lambda: (Base(), 3)),
        (slots, lambda: (Slots(),)),
        (new_ones, lambda: (Base(), np.ones(6))),
        (of_either_type, lambda: (Base(), 3)),
    ]:
        assert kinds(sol.jit(f, strict=True, target="null"), make())[0] is InstanceArg, f.__name__
    for f, make in [
        (python_between, held),
        (attribute_x, lambda: (Watched(),)),
        (cached, lambda: (Cached(),)),
        (deleted, lambda: (Base(),)),
    ]:
        assert kinds(sol.jit(f, strict=True, target="null"), make())[0] is ObjectArg, f.__name__


class Jitted(Base):
    step = sol.jit(Base.step, **({"target": TARGET} if TARGET else {}))  # type: ignore[assignment]


def test_a_jitted_method() -> None:
    ours, theirs = Jitted(), Base()
    for _ in range(3):
        ours.step()
        theirs.step()
        assert [repr(v) for k, v in vars(ours).items() if k != "grid"] == [
            repr(v) for k, v in vars(theirs).items() if k != "grid"
        ]
    assert type(Jitted.step._entry.variants[-1].types[0]) is InstanceArg  # type: ignore[attr-defined]
    run = compiled(steps)
    assert seen_of(run, (Jitted(), 4))[1][1] == seen_of(steps, (Jitted(), 4))[1][1]


def test_methods_and_attributes_change_between_calls() -> None:
    class_ = type("Changing", (Base,), {"__module__": __name__})
    globals()["Changing"] = class_
    f = sol.jit(steps, **({"target": TARGET} if TARGET else {}))
    s, p = class_(), class_()
    for change in (
        lambda x: None,
        lambda x: setattr(x, "u", np.arange(6)),
        lambda x: setattr(x, "rate", lambda: 2.0),
        lambda x: delattr(x, "rate"),
        lambda x: setattr(x, "u", np.ones(6)),
        lambda x: setattr(class_, "rate", lambda self: self.dt * 3),
        lambda x: setattr(class_, "scale", 9.0),
        lambda x: setattr(x, "dt", 1),
        lambda x: setattr(x.grid, "dx", np.float32(2.0)),
    ):
        change(s)
        change(p)
        for _ in range(2):
            assert seen_of(f, (s, 2)) == seen_of(steps, (p, 2))
