"""What Python allows and a compiler may refuse: here it is either right, or refused with the place shown."""

from __future__ import annotations

import enum
import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.base.errors import FallbackWarning
from tests.oracle import check
from tests.values import grid


def stack(n: int) -> list[int]:
    out, todo = [], [n]
    while todo:
        k = todo.pop()
        out.append(k)
        if k > 1:
            todo.append(k - 1)
            if k % 2:
                todo.append(k // 2)
    return out


def matches(x: int, y: float) -> Any:
    match x:
        case 0:
            return "zero"
        case 1 | 2:
            y += 1
        case k if k > 5:
            return k
        case _:
            y -= 1
    return y


class Custom(Exception):
    pass


def custom(x: int) -> int:
    if x > 3:
        raise Custom("too much", x)
    return x


def sometimes_none(x: float) -> Any:
    if x > 0:
        return x


def type_changes_in_branch(flag: int) -> Any:
    x = 1
    if flag > 2:
        x = 2.5
    return x * 2


def type_changes_in_loop(n: int) -> Any:
    x = 1
    for _ in range(n):
        x = x / 2
    return x


def growing_list(n: int) -> Any:
    x = []
    for k in range(n):
        x.append(k * 1.5)
    y = [x[0], x[-1]]
    y[0] = 9.0
    return len(x), y, np.array(x)


def inconsistent(a: np.ndarray, k: int) -> Any:
    if k == 0:
        return a
    if k == 1:
        return a[0]
    if k == 2:
        return (a, 1)
    return None


def int_or_float(k: int) -> Any:
    if k > 0:
        return 1
    return 2.5


def seeded(n: int, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    return rng.random(n) * 2, rng.normal(size=(2, n)), rng.integers(0, 10, n)


def try_except(a: np.ndarray, i: int) -> float:
    try:
        x = a[i]
    except IndexError:
        x = -1.0
    finally:
        a[0] += 1
    return x


def try_else(x: int, y: int) -> Any:
    try:
        r = x // y
    except ZeroDivisionError as e:
        return str(e)
    else:
        r += 1
    return r


def formats_with_percent(n: int) -> None:
    raise IndexError("entry %d" % n)


def deletes_item(n: int) -> Any:
    x = [1, 2, n]
    del x[0]
    return x


def returns_generator(n: int) -> Any:
    return sum((k for k in range(n)), 0.5)


def set_of(n: int) -> Any:
    s = {n, 1, 2}
    return len(s), n in s


def strings(n: int) -> str:
    s = "x" * n
    return s + str(n) + f"{n:03d}" + s.upper()


def big_integers(n: int) -> int:
    return 2**n // 3


def dict_grows(a: np.ndarray) -> Any:
    d: dict[int, float] = {}
    for k in range(len(a)):
        d[k % 2] = d.get(k % 2, 0.0) + a[k]
    return d


def attributes(a: np.ndarray) -> Any:
    a.shape = (3, 2)
    return a.base is None, a.flags.owndata


def vectorizes(a: np.ndarray) -> Any:
    return np.vectorize(lambda x: x + 1 if x > 2 else -x)(a)


def applies(m: np.ndarray) -> Any:
    return np.apply_along_axis(lambda r: r.max() - r, 1, m)


def nested_return(a: np.ndarray) -> Any:
    def inner(k: int) -> Any:
        if k > 2:
            return "many"
        return k

    return inner(len(a))


def nonlocal_counter(n: int) -> int:
    count = 0

    def step(k: int) -> None:
        nonlocal count
        count += k

    for k in range(n):
        step(k)
    return count


def sorts_with_key(n: int) -> Any:
    return sorted([3, -5, n], key=abs), sorted(["b", "a"])


def with_statement(a: np.ndarray) -> Any:
    with np.printoptions(precision=2):
        return a * 2


def object_array(n: int) -> Any:
    return np.array([n, "x", None], dtype=object)


def made_read_only(a: np.ndarray) -> Any:
    a.flags.writeable = False
    a[0] = 1
    return a


def made_read_only_by_name(a: np.ndarray) -> Any:
    a.flags["WRITEABLE"] = False
    a[0] = 1
    return a


CALLS: list[tuple[Callable[..., Any], Any]] = [
    (stack, (5,)),
    (matches, (0, 0.5)),
    (matches, (2, 0.5)),
    (matches, (9, 0.5)),
    (custom, (2,)),
    (custom, (5,)),
    (sometimes_none, (1.0,)),
    (sometimes_none, (-1.0,)),
    (type_changes_in_branch, (1,)),
    (type_changes_in_branch, (5,)),
    (type_changes_in_loop, (0,)),
    (type_changes_in_loop, (3,)),
    (growing_list, (4,)),
    *((inconsistent, (grid(3), k)) for k in range(4)),
    (int_or_float, (1,)),
    (int_or_float, (-1,)),
    (seeded, (4, 42)),
    (try_except, (grid(3), 1)),
    (try_except, (grid(3), 9)),
    (try_else, (7, 2)),
    (try_else, (7, 0)),
    (formats_with_percent, (3,)),
    (deletes_item, (3,)),
    (returns_generator, (5,)),
    (set_of, (3,)),
    (strings, (3,)),
    (big_integers, (10,)),
    (big_integers, (100,)),
    (dict_grows, (grid(5),)),
    (attributes, (grid(6),)),
    (vectorizes, (grid(5),)),
    (applies, (grid(2, 3),)),
    (nested_return, (grid(2),)),
    (nested_return, (grid(4),)),
    (nonlocal_counter, (4,)),
    (sorts_with_key, (2,)),
    (with_statement, (grid(3),)),
    (object_array, (3,)),
    (made_read_only, (grid(3),)),
    (made_read_only_by_name, (grid(3),)),
]


@pytest.mark.parametrize(("f", "args"), CALLS, ids=[f"{f.__name__}-{k}" for k, (f, _) in enumerate(CALLS)])
def test_right_or_refused(f: Callable[..., Any], args: Any) -> None:
    check(f, *args, or_refused=True, plainly=f is big_integers)


def reshaped(q: Any) -> None:
    q.shape = (2, 3)


def frozen(q: Any) -> None:
    q.setflags(write=False)


@pytest.mark.parametrize("change", [reshaped, frozen])
@pytest.mark.parametrize("way", ["called", "in a list", "one of two", "nested"])
def test_array_objects_that_others_hold(change: Callable[[Any], None], way: str) -> None:
    def called(n: int, v: Any) -> Any:
        x = np.arange(6.0)
        change(x)
        return x, v

    def in_a_list(n: int, v: Any) -> Any:
        x = np.arange(6.0)
        held = [x]
        change(x)
        return held[0], x

    def one_of_two(n: int, v: Any) -> Any:
        x = np.arange(6.0)
        y = x if n > 2 else v
        y.shape = (2, 3)
        return x, y

    def nested(n: int, v: Any) -> Any:
        x = np.arange(6.0)

        def g() -> None:
            x.shape = (2, 3)

        g()
        return x

    f = {"called": called, "in a list": in_a_list, "one of two": one_of_two, "nested": nested}[way]
    check(f, 3, np.ones(6), or_refused=True, settings={"target": "interpreter"})


def _twice(a: Any) -> Any:
    f = a.flat
    return [x + 1 for x in f], list(f)


def _in_part(a: Any) -> Any:
    f = a.flat
    return next(f), list(f)


def _in_a_loop(a: Any) -> Any:
    f, seen = a.flat, []
    for _ in range(2):
        seen += [x * 2 for x in f]
    return seen


def _sums(f: Any) -> Any:
    return sum(f), sum(f)


def _given_to_a_function(a: Any) -> Any:
    return _sums(a.flat)


def _one_of_two(a: Any) -> Any:
    f = a.flat if a.size > 2 else a.T.flat
    return 3.0 in f, [*f]


def _indexed_on_the_way(a: Any) -> Any:
    f = a.flat
    return [x + f[1] for _, x in zip(range(9), f)]


def _only_once(a: Any) -> Any:
    f = a.flat
    f[1:3] = 7
    g = a.T.flat
    return f[0], len(f), f[::2], list(f), [x * 2 for x in g], sum(a.flat), sum(a.flat)


FLAT = [_twice, _in_part, _in_a_loop, _given_to_a_function, _one_of_two, _indexed_on_the_way]


@pytest.mark.parametrize("f", FLAT, ids=lambda f: f.__name__)
def test_flat_iterators_go_on_where_they_stopped(f: Callable[[Any], Any]) -> None:
    check(f, grid(2, 3), or_refused=True, settings={"target": "interpreter"})


def _changed_on_the_way(a: Any) -> Any:
    f, g = iter(a.flat), enumerate(a.flat)
    first = next(f), next(g)
    a[0, 1] = 7
    return first, list(f), list(g)


def _place(a: Any) -> Any:
    f = a.flat
    first = next(f)
    f[2] = 9
    return first, next(f), f.index, f.coords, f[3], f.base is a, f.copy()


def _arrays(a: Any) -> Any:
    b, c = np.array(a.flat), np.asarray(a.flat)
    b[0] = -1
    return b + 1, c, a.flat.copy(), a[0, 0]


@pytest.mark.parametrize(
    "f", [*(f for f in FLAT if f is not _one_of_two), _changed_on_the_way, _place], ids=lambda f: f.__name__
)
def test_flat_iterators_that_keep_their_place_are_numpys(f: Callable[[Any], Any]) -> None:
    check(f, grid(2, 3), also=[(grid(3, 2).T,)], settings={"target": "interpreter"})


def test_arrays_made_of_flat_iterators() -> None:
    check(_arrays, grid(2, 3))


def test_flat_iterators_that_are_stepped_through_once() -> None:
    check(_only_once, grid(2, 3))


class Plain:
    pass


class Color(enum.Enum):
    RED = 1
    BLUE = 2


def half_a_character(d: Any, x: float) -> Any:
    return "\ud800" + "a", len("\udc80") + x, d["\udc80"] * x, f"{x}\udc80"


def over_a_class(x: int) -> int:
    for _ in Plain:  # type: ignore[attr-defined]
        x += 1
    return x


def over_an_enum(x: int) -> Any:
    for color in Color:
        x += color.value
    return x, [c.name for c in Color]


def in_itself(x: int) -> Any:
    a: list[Any] = [x]
    a.append(a)
    d: dict[str, Any] = {"x": x}
    d["d"] = d
    return a[1][0], len(a[1]), a[1] is a, d["d"]["d"]["x"], repr(a)


def first_of(a: Any) -> Any:
    return a[0], len(a)


def sum_of(a: Any) -> Any:
    return np.sum(a)


def both_equal(a: Any, b: Any) -> Any:
    return a == b


class Asked:
    def __init__(self) -> None:
        self.asked = 0

    @property
    def there(self) -> int:
        self.asked += 1
        return 1

    @property
    def missing(self) -> int:
        self.asked += 1
        raise AttributeError("missing")

    @functools.cached_property
    def kept(self) -> int:
        self.asked += 1
        return 1

    def method(self) -> int:
        return 1


def has_what_properties_compute(o: Any) -> Any:
    return hasattr(o, "there"), hasattr(o, "missing"), hasattr(o, "kept"), hasattr(o, "kept"), o.asked


def has_a_method(o: Any) -> Any:
    return hasattr(o, "method"), hasattr(o, "asked"), hasattr(o, "nothing"), o.asked


def has_what_is_made_here(x: int) -> Any:
    o = Asked()
    return hasattr(o, "there"), hasattr(o, "missing"), hasattr(o, "method"), o.asked + x


def arrays_of_ranges(n: int) -> Any:
    return [f(r) for f in (np.asarray, np.array) for r in (range(n), range(0), range(n, 0))]


def containing_itself() -> list[Any]:
    a: list[Any] = [1]
    a.append(a)
    return a


CORNERS: list[tuple[Callable[..., Any], Callable[[], Any]]] = [
    (half_a_character, lambda: ({"\udc80": 3}, 2.0)),
    (over_a_class, lambda: (1,)),
    (over_an_enum, lambda: (1,)),
    (in_itself, lambda: (3,)),
    (first_of, lambda: (containing_itself(),)),
    (sum_of, lambda: (containing_itself(),)),
    (both_equal, lambda: (containing_itself(), containing_itself())),
    (has_what_properties_compute, lambda: (Asked(),)),
    (has_a_method, lambda: (Asked(),)),
    (has_what_is_made_here, lambda: (3,)),
    (arrays_of_ranges, lambda: (0,)),
    (arrays_of_ranges, lambda: (3,)),
]


@pytest.mark.parametrize("target", ["null", ""])
@pytest.mark.parametrize(("f", "made"), CORNERS, ids=[f"{f.__name__}-{k}" for k, (f, _) in enumerate(CORNERS)])
def test_calls_are_right_where_the_function_is_refused(
    f: Callable[..., Any], made: Callable[[], Any], target: str
) -> None:
    def told(g: Callable[..., Any]) -> str:
        try:
            return ascii(g(*made()))
        except Exception as e:
            return f"{type(e).__name__}: {e}"

    jitted = sol.jit(target=target)(f)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        assert [told(jitted) for _ in range(2)] == [told(f)] * 2
