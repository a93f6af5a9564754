"""Instances that a function makes and keeps in lists, and in attributes of others: rows of columns where nothing else sees them."""

from __future__ import annotations

import resource
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.analysis.flow.own_instances import MADE, NEW
from soljit.frontend_ast.lower import lower_function
from soljit.ir.core.nodes import Callback
from soljit.ir.walk import walk
from soljit.passes.lists.unbox_lists import unbox_lists
from soljit.passes.manager import Context, run
from soljit.passes.simplify.unbox_instances import unbox_instances
from soljit.runtime.values.arguments import describe
from tests.oracle import check


class Body:
    def __init__(self, x: Any, v: Any, m: Any) -> None:
        self.x, self.v, self.m = x, v, m

    def step(self, dt: Any) -> None:
        self.x += dt * self.v

    def split(self) -> Any:
        self.m *= 0.5
        return type(self)(self.x + 1.0, -self.v, self.m)


class Heavy(Body):
    def step(self, dt: Any) -> None:
        self.x -= dt


class Late:
    def __init__(self, x: Any) -> None:
        self.x = x
        if x > 2:
            self.y = x


class Owner:
    def __init__(self, name: int, body: Any) -> None:
        self.name, self.body = name, body


class Slots:
    __slots__ = ("x", "k")

    def __init__(self, x: float, k: int) -> None:
        self.x, self.k = x, k


class Equal:
    def __init__(self, x: float) -> None:
        self.x = x

    def __eq__(self, other: Any) -> Any:
        return self.x == other.x

    __hash__ = None  # type: ignore[assignment]


class Doubled:
    def __init__(self, x: float) -> None:
        self.x = x

    @property
    def x(self) -> Any:
        return self._x * 2

    @x.setter
    def x(self, value: Any) -> None:
        self._x = value


@dataclass
class Point:
    x: float
    y: float = 2.0
    n: int = 0


def made(f: Callable[..., Any], *args: Any) -> int:
    """How many places are left at which instances are made as objects."""
    call = describe(args, f.__code__.co_varnames[: f.__code__.co_argcount])
    program = lower_function(f, call.types, call.leaves).program
    after = run(program, [unbox_instances, unbox_lists], Context(threads=1))
    return sum(isinstance(n, Callback) and n.target in (NEW, MADE) for n in walk(after.body))


def bodies_of(n: int) -> Any:
    return [Body(float(i), 1.0, 1.0 + i) for i in range(n)]


def gravity(n: int, steps: int) -> Any:
    bodies = [Body(float(i), 0.0, 1.0 + i) for i in range(n)]
    for _ in range(steps):
        for i in range(n):
            f = 0.0
            for j in range(n):
                if i != j:
                    d = bodies[j].x - bodies[i].x
                    f += bodies[j].m * d / (abs(d) ** 3 + 1e-3)
            bodies[i].v += 1e-3 * f
        for b in bodies:
            b.x += 1e-3 * b.v
    return sum(b.x for b in bodies)


def four(n: int) -> Any:
    ms = [Body(float(i), 0.5, 1.0 + i) for i in range(4)]
    t = 0.0
    for k in range(n):
        b = ms[k % 4]
        b.x += 0.25 * b.v
        t += b.x
    return t


def stack(n: int) -> Any:
    todo = [Body(1.0, 0.0, float(n))]
    total = 0.0
    while todo:
        b = todo.pop()
        total += b.x
        if b.m > 1:
            todo.append(Body(b.x * 0.5, 0.0, b.m - 1))
            todo.append(Body(b.x * 0.25, 0.0, b.m - 2))
    return total


def same_twice(n: int) -> Any:
    b = Body(1.0, 2.0, 3.0)
    bs = [b, b, Body(4.0, 5.0, 6.0)]
    others = [bs[2], b]
    for _ in range(n):
        bs[0].x += 1
        bs[1].x *= 2
        others[0].v += bs[0].x
    return b.x, bs[1].x, bs[2].v, bs[0] is bs[1], bs[0] is bs[2], others[1] is b, bs[2] is not others[0]


def methods(n: int) -> Any:
    bs = bodies_of(n)
    for i in range(n):
        bs[i].step(0.1)
        bs[-1].step(0.5)
    s = bs[0].split()
    bs.append(s)
    for b in reversed(bs):
        b.step(1.0)
    return [b.x for b in bs], s.m


def slices(n: int) -> Any:
    bs = bodies_of(n + 2)
    part = bs[1:]
    more = part + bs[:1] + bs[::-2]
    part[0].x = 50.0
    bs[0], bs[1] = bs[1], bs[0]
    more.extend(part)
    copy = list(bs)
    copy.append(bs[0])
    t = 0.0
    for k, b in enumerate(more):
        t += b.x * (k + 1)
        b.x += 1
    for b, c in zip(bs, copy):
        t += b.x - c.m
    return t, len(more), bs[0].x, copy[-1] is bs[0], bool(part), len(copy[5:])


def grows_while_running(n: int) -> Any:
    bs = bodies_of(2)
    t = 0.0
    for b in bs:
        t += b.x
        if len(bs) < n:
            bs.append(Body(b.x + 2.0, 0.0, 0.0))
    return t, len(bs)


def rows_of_rows(n: int) -> Any:
    grid = [[Body(i + 0.5 * j, 1.0, 2.0) for j in range(3)] for i in range(n)]
    for row in grid:
        for b in row:
            b.x += 1
    grid.append(grid[0])
    grid[-1][0].x = 100.0
    row = grid[n // 2]
    row.append(Body(7.0, 7.0, 7.0))
    return [[b.x for b in r] for r in grid], grid[0][0].x


def nested(n: int) -> Any:
    owners = [Owner(i, Body(float(i), 1.0, 2.0)) for i in range(n)]
    shared = Body(9.0, 9.0, 9.0)
    for o in owners:
        if o.name % 2:
            o.body = shared
        o.body.x += o.name
    return [o.body.x for o in owners], shared.x, owners[1].body is owners[3].body, owners[0].body is shared


def nested_rows_used_again(n: int) -> Any:
    owners = [Owner(i, Body(float(i), 1.0, 2.0)) for i in range(3)]
    t = 0.0
    for k in range(n):
        owners[k % 3].body = Body(owners[(k + 1) % 3].body.x * 0.5 + k, 1.0, 2.0)
        if k % 7 == 0:
            owners[k % 2] = Owner(k, owners[2].body)
        t += owners[0].body.x + owners[1].name
    return t


def rows_used_again(n: int) -> Any:
    kept = [Body(-1.0, 0.0, 0.0)]
    last = kept[0]
    ring = [kept[0]] * 5
    for k in range(n):
        b = Body(float(k), last.x, kept[-1].x)
        if k % 1000 == 0:
            kept.append(b)
        ring[k % 5] = b
        last = ring[(k * 3) % 5]
    return [b.x for b in kept], [b.x for b in ring], last.v, last.m


def rows_used_again_in_pools(n: int) -> Any:
    groups = [[Body(0.0, 0.0, 1.0)], [Body(1.0, 0.0, 1.0)]]
    t = 0.0
    for k in range(n):
        g = groups[k % 2]
        g.append(Body(float(k), g[-1].x, 0.0))
        if len(g) > 9:
            t += g[0].x + g[-1].v
            groups[k % 2] = [g[3], g[-1]]
    return t, [[b.x for b in g] for g in groups]


def made_anew(n: int) -> Any:
    old = bodies_of(4)
    for _ in range(n):
        new = [Body(b.x + 1.0, b.v, b.m * 0.5) for b in old]
        new.append(old[0])
        old = new[1:]
    return [(b.x, b.m) for b in old]


def made_while_running_over(n: int) -> Any:
    old = bodies_of(3)
    t = 0.0
    for b in old:
        old = [Body(b.x + k, 0.0, 0.0) for k in range(n)]
        t += b.x + old[-1].x
    return t


def kept_best(n: int) -> Any:
    bs = bodies_of(n)
    best = bs[0]
    second = best
    for b in bs:
        if b.m > best.m:
            second = best
            best = b
    best.x = -1.0
    return best.x, second.x, best is second, bs[-1].x


def out_of_range(n: int) -> Any:
    bs = bodies_of(n)
    bs[0].x = 3.0
    return bs[n - 5].x + bs[5 - n].x


def handled(n: int) -> Any:
    bs = bodies_of(n)
    t = 0.0
    for k in range(-4, 4):
        try:
            b = bs[k]
            t += 1 / b.x
        except IndexError as e:
            t += len(str(e))
        except ZeroDivisionError:
            b.x = 2.0
            bs.pop()
    return t, len(bs)


def in_a_try(n: int) -> Any:
    bs: Any = []
    try:
        for i in range(n):
            bs.append(Body(1.0 / (3 - i), 1.0, 1.0))
    except ZeroDivisionError:
        bs.append(Body(100.0, 1.0, 1.0))
    return [b.x for b in bs]


def ends(n: int) -> Any:
    bs = bodies_of(n)
    for b in bs:
        b.x = 1.0 / (2.0 - b.x)
    return bs[0].x


def empty(n: int) -> Any:
    bs: Any = []
    t = 0.0
    for b in bs:
        t += b.x
    if n > 3:
        bs.append(Body(1.0, 1.0, 1.0))
    return t, len(bs), not bs, sum(b.x for b in bs)


def dataclasses(n: int) -> Any:
    ps = [Point(0.5 * i, n=i) for i in range(n)]
    ps[0].y, ps[1].n = 3.0, 2**40
    return sum(p.x * p.y for p in ps), [p.n for p in ps]


def with_slots(n: int) -> Any:
    ps = [Slots(0.5 * i, i) for i in range(n)]
    for p in ps:
        p.k += 1
    return [p.x * p.k for p in ps]


def numbers_of_two_kinds(n: int) -> Any:
    bs = [Body(np.float64(i) if i % 2 else 0.5, True, 1j) for i in range(n)]
    return [b.x for b in bs], bs[0].v, bs[1].m


def pairs(n: int) -> Any:
    ps = [(float(i), Body(i * 1.0, 1.0, 1.0)) for i in range(n)]
    ps[0] = (3.0, ps[1][1])
    t = 0.0
    for w, b in ps:
        b.x += w
        t += b.x
    return t, ps[0][1] is ps[1][1]


def tuple_attributes(n: int) -> Any:
    bs = [Body((1.0 * i, i), 0.0, 0.0) for i in range(n)]
    for b in bs:
        x, k = b.x
        b.x = (x + k, k - 1)
    return [b.x[0] for b in bs]


def arrays_beside(n: int, a: Any) -> Any:
    bs = [Body(a[i], 0.0, 0.0) for i in range(n)]
    for i, b in enumerate(bs):
        a[i] += b.x
    return bs[0].x


def list_of_an_argument(xs: Any, n: int) -> Any:
    bs = [Body(x, 1.0, 2.0) for x in xs]
    for i in range(n):
        xs[i] = bs[i].x + bs[-1 - i].x
    return bs[n].x


def sorted_by(n: int) -> Any:
    bs = bodies_of(n)
    bs.sort(key=lambda b: -b.x)
    least = min(bs, key=lambda b: b.m)
    return bs[0].x, least.x, sorted(bs, key=lambda b: b.m)[0] is least


def by_several_keys(n: int) -> Any:
    bs = [Body((k * 7) % 5 * 0.5, float(k), k % 3) for k in range(n)]
    up = sorted(bs, key=lambda b: b.x)
    down = sorted(up, key=lambda b: b.m, reverse=True)
    down[0].v = -1.0
    up[:] = down[1:]
    up.append(max(bs, key=lambda b: b.v))
    bs.sort(key=lambda b: b.v > 2)
    return [(b.x, b.v, b.m) for b in up], [b.v for b in bs], min(down, key=lambda b: b.m * 2) is down[-1]


def nan_keys(n: int) -> Any:
    bs = [Body(float("nan") if k % 3 == 1 else (k * 5) % 7 * 1.0, float(k), 0.0) for k in range(n)]
    return [b.v for b in sorted(bs, key=lambda b: b.x)], min(bs, key=lambda b: b.x).v, max(bs, key=lambda b: b.x).v


ROWS: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (gravity, [(5, 3), (0, 2), (1, 1), (300, 0)]),
    (four, [(50,), (0,)]),
    (stack, [(12,), (1,)]),
    (same_twice, [(3,), (0,)]),
    (methods, [(4,), (1,), (0,), (300,)]),
    (slices, [(4,), (0,), (7,)]),
    (grows_while_running, [(9,), (0,), (700,)]),
    (rows_of_rows, [(4,), (1,), (200,)]),
    (nested, [(5,), (4,), (600,)]),
    (nested_rows_used_again, [(3000,), (2,)]),
    (rows_used_again, [(20000,), (3,)]),
    (rows_used_again_in_pools, [(9000,), (5,)]),
    (made_anew, [(2000,), (1,)]),
    (kept_best, [(6,), (1,), (0,)]),
    (out_of_range, [(6,), (4,), (1,)]),
    (handled, [(4,), (2,), (0,)]),
    (in_a_try, [(3,), (6,)]),
    (ends, [(2,), (5,)]),
    (empty, [(5,), (0,)]),
    (sorted_by, [(4,), (7,), (1,), (0,)]),
    (by_several_keys, [(6,), (40,), (1,), (0,)]),
    (nan_keys, [(9,), (20,), (2,)]),
    (dataclasses, [(5,), (2,), (1,)]),
    (with_slots, [(5,), (0,)]),
    (numbers_of_two_kinds, [(5,), (2,)]),
    (pairs, [(5,), (2,), (1,)]),
    (tuple_attributes, [(5,), (0,)]),
    (arrays_beside, [(3, np.arange(4.0)), (0, np.ones(2))]),
]


@pytest.mark.parametrize("target", ["", "interpreter"])
@pytest.mark.parametrize(("f", "calls"), ROWS, ids=lambda x: getattr(x, "__name__", None))
def test_rows(f: Callable[..., Any], calls: list[tuple[Any, ...]], target: str) -> None:
    assert made(f, *calls[0]) == 0
    calls = [c for c in calls if not target or c[0] != 20000]
    check(f, *calls[0], also=calls[1:], settings={"target": target} if target else None, plainly=True)


# --- instances that stay objects ------------------------------------------------------------------------------------------


def two_classes(n: int) -> Any:
    bs = [Heavy(1.0 * i, 1.0, 1.0) if i % 2 else Body(1.0 * i, 1.0, 1.0) for i in range(n)]
    for b in bs:
        b.step(0.5)
    return [b.x for b in bs]


def numbers_beside(n: int) -> Any:
    bs: Any = [Body(1.0, 1.0, 1.0), 3]
    bs[0], bs[1] = bs[1], bs[0]
    return bs[0], bs[1].x


def with_none(n: int) -> Any:
    bs: Any = [None] * n
    for i in range(0, n, 2):
        bs[i] = Body(1.0 * i, 1.0, 1.0)
    return [b is None or b.x for b in bs]


def linked(n: int) -> Any:
    head: Any = None
    for i in range(n):
        head = Owner(i, head)
    t = 0
    while head is not None:
        t += head.name
        head = head.body
    return t


def returned(n: int) -> Any:
    bs = bodies_of(n)
    bs[0].x = 5.0
    return bs


def one_returned(n: int) -> Any:
    bs = bodies_of(n)
    return bs[1]


def printed(n: int) -> Any:
    bs = bodies_of(n)
    print(len(str(bs[0])) > 3)
    return bs[1].x


def not_set(n: int) -> Any:
    bs = [Late(float(i)) for i in range(n)]
    return bs[n - 1].y


def set_later(n: int) -> Any:
    bs = [Late(1.0) for _ in range(n)]
    for b in bs:
        b.y = 3.0
    return bs[0].y


def deleted(n: int) -> Any:
    bs = bodies_of(n)
    del bs[0].x
    try:
        return bs[0].x
    except AttributeError:
        return bs[1].x


def deleted_items(n: int) -> Any:
    bs = bodies_of(n)
    first = bs[0]
    del bs[1]
    return first.x, bs[1].x


def contained(n: int) -> Any:
    bs = bodies_of(n)
    b = bs[1]
    return b in bs, bs.index(b), bs.count(b), Body(1.0, 1.0, 1.0) in bs, b == bs[1]


def equal(n: int) -> Any:
    bs = [Equal(1.0), Equal(1.0), Equal(2.0)]
    return bs[0] == bs[1], bs[0] in bs[2:], bs.count(bs[0]), bs[n % 3].x


def doubled(n: int) -> Any:
    bs = [Doubled(1.0 * i) for i in range(n)]
    return [b.x for b in bs]


def array_attributes(n: int) -> Any:
    bs = [Body(np.arange(3.0) + i, 0.0, 0.0) for i in range(n)]
    bs[0].x[1] = 7.0
    return sum(b.x.sum() for b in bs)


def list_attributes(n: int) -> Any:
    bs = [Body([1.0 * i], 0.0, 0.0) for i in range(n)]
    bs[1].x.append(4.0)
    return [len(b.x) for b in bs]


def type_changes(n: int) -> Any:
    bs = [Body(1, 0.0, 0.0) for _ in range(n)]
    bs[1].x = 2.5
    return [b.x for b in bs]


def large_integers(n: int) -> Any:
    bs = [Point(0.0, n=2**61) for _ in range(n)]
    for b in bs:
        b.n *= 4
    return [b.n for b in bs]


def in_a_dict(n: int) -> Any:
    bs = {i: Body(1.0 * i, 1.0, 1.0) for i in range(n)}
    bs[1].x += 3
    return bs[1].x


def in_a_ring(n: int) -> Any:
    a = Owner(1, 0)
    b = Owner(2, a)
    a.body = b
    ring = [a, b]
    return ring[n % 2].body.body is ring[n % 2], ring[0].name


def used_as_an_index(n: int) -> Any:
    bs = bodies_of(n)
    return bs[bs[0]]  # type: ignore[index]


def hashed(n: int) -> Any:
    bs = bodies_of(n)
    return hash(bs[0]) == hash(bs[0]), bs[0].x


KEPT: list[Any] = []


class Half:
    def __init__(self, x: float) -> None:
        self.x = x
        self.y = 1.0 / (x - 2.0)


def raised_half_way(n: int) -> Any:
    hs: Any = []
    h = Half(0.5)
    for k in range(n):
        try:
            h = Half(float(k))
        except ZeroDivisionError:
            hs.append(h)
        hs.append(h)
    return [h.y for h in hs], hs[0] is hs[-1]


def captured_list(n: int) -> Any:
    KEPT.clear()
    b = Body(1.0, 2.0, 3.0)
    for _ in range(n):
        KEPT.append(b)
    b.x = 7.0
    return KEPT[-1].x, len(KEPT)


def given_by_a_generator(n: int) -> Any:
    def some() -> Any:
        for k in range(n):
            yield Body(float(k), 1.0, 2.0)

    bs = list(some())
    bs[0].x += 1
    return sum(b.x for b in bs)


def in_a_closure(n: int) -> Any:
    bs = bodies_of(n)

    def move(k: int) -> None:
        bs[k].x += 1
        bs.append(bs[k])

    for k in range(n):
        move(k)
    return [b.x for b in bs]


def grown_by_recursion(n: int) -> Any:
    bs: Any = []

    def grow(k: int) -> None:
        if k > 0:
            bs.append(Body(float(k), 0.0, 0.0))
            grow(k - 1)

    grow(n)
    return [b.x for b in bs]


def unbound(n: int) -> Any:
    bs = bodies_of(n)
    for b in bs:
        if b.x > 3:
            last = b
    return last.x


def let_go(n: int) -> Any:
    bs = bodies_of(n)
    b = bs.pop()
    del b
    try:
        return b.x  # type: ignore[has-type]
    except NameError:
        return len(bs)


def not_of_the_first_call(n: int) -> Any:
    bs: Any = bodies_of(n)
    if n == 7:
        bs.append(3.0)
    return bs[-1].x


def whole_numbers_by_floats(n: int) -> Any:
    bs = bodies_of(n)
    bs[n / 2].x = 1.0  # type: ignore[call-overload]
    return bs[0].x


def exchanged_attributes(n: int) -> Any:
    owners = [Owner(k, Body(float(k), 0.0, 0.0)) for k in range(n)]
    for k in range(n):
        a, b = owners[k], owners[-1 - k]
        a.body, b.body = b.body, a.body
        a.name, b.body.x = int(b.body.x), float(a.name)
    first, *_ = owners
    return [(o.name, o.body.x) for o in owners], first.body is owners[0].body


def there_or_not(n: int) -> Any:
    bs = bodies_of(n)
    t = 0.0
    for k in range(600):
        if k <= n:
            extra = [Body(k + 0.5, 0.0, 0.0)]
        else:
            t += extra[-1].x
        b = Body(float(k), t, 0.0)
        bs[k % n] = b
        extra.append(b)
        if len(extra) > 20:
            extra = extra[10:]
    return t, [b.v for b in bs]


def replaced_inside(n: int) -> Any:
    bs = bodies_of(n)
    t = 0.0
    for k in range(3):
        for b in bs:
            t += b.x
            bs = [Body(b.x + j, 0.0, 0.0) for j in range(100 * (k + 1))]
    return t, len(bs)


def chosen(n: int) -> Any:
    left, right = bodies_of(n), bodies_of(2)
    side = left if n > 3 else right
    other = right if n > 3 else left
    side[0].x, other[-1].v = 5.0, 6.0
    side.append(other[0])
    for k in range(600):
        side = other if k % 2 else left
        side[k % 2] = Body(float(k), side[0].x, 0.0)
    return [(b.x, b.v) for b in left], [(b.x, b.v) for b in right]


OBJECTS: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (f, [(4,), (2,), (7,)])
    for f in (
        two_classes, numbers_beside, with_none, linked, returned, one_returned, printed, not_set, set_later, deleted, deleted_items, contained, equal,
        doubled, array_attributes, list_attributes, type_changes, large_integers, in_a_dict, in_a_ring, used_as_an_index, hashed,
        made_while_running_over, raised_half_way, captured_list, given_by_a_generator, in_a_closure, grown_by_recursion, unbound, let_go, not_of_the_first_call,
        whole_numbers_by_floats, exchanged_attributes, chosen, there_or_not, replaced_inside,
    )
] + [(list_of_an_argument, [([1.0, 2.5] * 40, 5), ([1.0, 2.0], 2), ([1.0, 2.0], 3)])]  # fmt: skip


@pytest.mark.parametrize(("f", "calls"), OBJECTS, ids=lambda x: getattr(x, "__name__", None))
def test_objects(f: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    check(f, *calls[0], also=calls[1:], plainly=True)


@pytest.mark.parametrize(
    ("f", "reason"),
    [
        (stack, "instances made here are rows of arrays"),
        (two_classes, "a variable or a list holds instances of several classes"),
        (with_none, "a list that holds them holds other things, too, or is needed as an object"),
        (set_later, "an attribute may be read, or the instance be seen elsewhere, before it is set"),
        (type_changes, "an attribute does not hold numbers of one type"),
        (contained, "needs them as such"),
    ],
)
def test_told(f: Callable[..., Any], reason: str) -> None:
    compiled = sol.jit(f, strict=True)
    compiled(4)
    assert reason in str(compiled.explain())


def test_memory_does_not_grow() -> None:
    """Rows that nothing leads to are used again."""
    f = sol.jit(rows_used_again, strict=True)
    f(10)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    f(4_000_000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000  # KiB; the rows would take 128 MB
