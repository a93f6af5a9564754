"""Lists of numbers, and of tuples of numbers, that the program keeps in memory of its own: what is done with them, and what they are when Python sees them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.analysis.loops.number_lists import number_lists
from soljit.frontend_ast.lower import lower_function
from soljit.runtime.values.arguments import describe
from tests.oracle import check


def unboxed(f: Callable[..., Any], *args: Any) -> int:
    """How many of a function's lists need no Python object."""
    names = f.__code__.co_varnames[: f.__code__.co_argcount]
    call = describe(args, names)
    found = number_lists(lower_function(f, call.types, call.leaves).program)
    return len(found.lists)


def grown(n: int, x: float) -> Any:
    out = []
    for i in range(n):
        x = x * 0.5 + i
        out.append(x)
    return out, len(out), out[-1]


def of_ints(n: int) -> Any:
    v = [0] * n
    for i in range(n):
        v[i] = i * i - 3
    v[0], v[-1] = v[-1], v[0]
    return v, v[1], sum(v), max(v), min(v), any(v), all(v)


def of_bools(n: int) -> Any:
    prime = [True] * (n + 1)
    prime[0] = prime[1] = False
    for i in range(2, n + 1):
        if prime[i]:
            for j in range(i * i, n + 1, i):
                prime[j] = False
    return prime, [k for k in range(n + 1) if prime[k]], any(prime), all(prime)


def of_complex(n: int) -> Any:
    z = [1 + 0j]
    for _ in range(n):
        z.append(z[-1] * (0.5 + 0.5j))
    return z, z[0]


def of_numpy_scalars(a: np.ndarray) -> Any:
    v = []
    for i in range(a.shape[0]):
        v.append(a[i])
    return v, v[0], np.array(v), np.asarray(v)


def of_pairs(n: int) -> Any:
    stack = [(0, n)]
    seen = []
    while stack:
        low, high = stack.pop()
        seen.append((low, high * 0.5))
        if high - low > 1:
            stack.append((low, (low + high) // 2))
            stack.append(((low + high) // 2, high))
    return seen, len(stack)


def queue(n: int) -> Any:
    q = [n]
    order = []
    while len(q) > 0:
        k = q.pop(0)
        order.append(k)
        if k > 1:
            q.append(k // 2)
            q.append(k - k // 2 - 1)
    return order


def exchanged(n: int) -> Any:
    before = list(range(n + 1))
    for i in range(1, n + 1):
        now = [i] + [0] * n
        for j in range(1, n + 1):
            now[j] = min(before[j] + 1, now[j - 1] + 1, before[j - 1] + (i * j) % 2)
        before = now
    return before[n], before


def swapped(n: int) -> Any:
    a, b = [1.0] * n, [2.0] * n
    for i in range(n):
        a, b = b, a
        a[i] = i * 0.5
    return a, b


def changed_while_walked(n: int) -> Any:
    v = [n]
    for x in v:
        if x > 0:
            v.append(x - 1)
    return v


def bound_while_walked(n: int) -> Any:
    v = [1, 2, 3]
    out = []
    for x in v:
        v = [x * 10] * n
        out.append(x)
    return v, out


def left_early(n: int) -> Any:
    v = [3, 1, 4, 1, 5]
    for x in v:
        if x == n:
            break
    else:
        return -1, v
    return x, v


def pieces(n: int, k: int) -> Any:
    v = list(range(n))
    w = v + [7, 8]
    w.extend(v)
    w.extend(range(2, 20, 5))
    return w, v * 2, [1, 2] * k, v[1:], v[::-1], v[k:-1], v[-k::2], v[k:-n:-3], v.copy(), list(v), w[:], [*v, 5]


def emptied(n: int) -> Any:
    v = [1.5] * n
    v.clear()
    v.append(2.5)
    while v:
        v.pop()
    return v, len(v), not v


def not_a_number(x: float) -> Any:
    v = [x, math.nan]
    for _ in range(3):
        v.append(v[-1] + x)
    return v, sum(v), max(v), min(v), math.nan in v


def signed_zeros(n: int) -> Any:
    v = [-0.0] * n
    v.append(0.0)
    return v, sum(v), max(v), min(v)


def sums(n: int) -> Any:
    v = []
    for i in range(n):
        v.append((i % 7) * 0.1 - 1e-9 * i)
    return sum(v)


def taken_out_in_a_try(n: int) -> Any:
    v, found = [1.0, 2.0], 0.0
    for k in range(3):
        try:
            found += v.pop(n - k)
        except IndexError as e:
            found += len(str(e)) * 10
    return found, v


def by_keys(n: int) -> Any:
    v = [(k * 7919) % 101 / 4.0 for k in range(n)]
    w = sorted(v, key=lambda x: -x)
    w.append(3.0)
    w[:] = w[1:]
    ints = [(k * 31) % 17 for k in range(n)]
    ints.sort(key=lambda k: k % 5, reverse=True)
    pairs = [(k, 0.5 * k) for k in ints]
    pairs.sort(key=lambda p: p[1])
    least = min(v, key=lambda x: abs(x - 9)), max(ints, key=lambda k: k % 7), min(w, key=lambda x: x > 5)
    return least, v, w, ints, pairs


def handled(n: int) -> Any:
    v = [1, 2, 3]
    out = []
    for i in range(-5, n):
        try:
            out.append(v[i])
            v[i] = i
        except IndexError as e:
            out.append(len(str(e)))
    try:
        while True:
            v.pop()
    except (ValueError, LookupError):
        out.append(-1)
    return out, v


def in_branches(n: int) -> Any:
    if n > 2:
        v = [n, 2]
    else:
        v = [3] * 4
    v[0] += 1
    return v, v[-1]


def through_functions(n: int) -> Any:
    def put(v: list[int], x: int) -> int:
        v.append(x)
        return len(v)

    v: list[int] = []
    for i in range(n):
        put(v, i + put(v, i))
    return v


def each_time_new(n: int) -> Any:
    total = 0
    kept = [0]
    for i in range(n):
        row = []
        for j in range(i):
            row.append(i * j)
        for x in row:
            total += x
        kept = row
    return total, kept


def of_either_float(n: int, x: Any) -> Any:
    v = [max(0.0, x * k - 1.5) for k in range(n)]
    v[0], v[1] = x, 2.5
    t = 0.0
    for y in v:
        t = t + y * 2
    w = [a / 3 if a > 1 else a for a in v]
    return v, t, v[2], v[0] + v[1], sum(v), max(v), np.array(v), w, -v[0], v[2] ** 2, int(v[1]), v[0] > v[1]


def of_either_float_seen(a: np.ndarray) -> Any:
    out = [1.5, a[0]]
    out.append(2.0)
    d = {"p": 1.0, "q": a[0]}
    total = 0.0
    for k in ("p", "q"):
        d[k] += 1
        total += d[k]
    print(out, d)
    return out, out[0] // out[1], out[1] > 1, d, total, sorted(out), [(x, 1) for x in out]


def looked_at_by_python(a: np.ndarray) -> Any:
    v = [1.5, a[0], a[1]]
    v.append(0.5)
    d = {i: a[i] if i % 2 else 1.0 for i in range(3)}
    total = sum(v)
    x, y, *z = v
    v.sort()
    v.insert(1, a[1])
    return (
        total,
        max(v),
        min(d.values()),
        sorted(v),
        tuple(v),
        np.mean(v),
        math.fsum(v),
        x,
        y,
        z,
        v.index(a[1]),
        d,
        f"{v[0]:.2f} {v[1]}",
    )


def divided(a: np.ndarray, k: int) -> Any:
    v = [a[0], 0.0] * 3
    return 1.0 / v[k], v


def returned_twice(n: int) -> Any:
    v = [n]
    v.append(2)
    return v, v, (v, 1)


def never_asked(n: int) -> Any:
    v = [n]
    v[n] = 3
    return 1


@pytest.mark.parametrize(
    ("f", "calls", "count"),
    [
        (grown, [(5, 1.0), (0, 2.0), (100, 3.5)], 1),
        (of_ints, [(70,), (200,)], 1),
        (of_bools, [(50,), (1,), (2,)], 2),
        (of_complex, [(4,), (40,)], 1),
        (of_numpy_scalars, [(np.arange(4.0),), (np.arange(20, dtype=np.float32),), (np.arange(3, dtype=np.int16),)], 1),
        (of_pairs, [(9,), (0,)], 2),
        (queue, [(20,), (0,)], 2),
        (exchanged, [(5,), (70,)], 5),
        (swapped, [(70,), (90,)], 4),
        (changed_while_walked, [(4,), (0,)], 1),
        (bound_while_walked, [(70,), (90,)], 1),
        (left_early, [(4,), (9,)], 0),
        (pieces, [(70, 3), (80, 20), (100, 0)], 11),
        (emptied, [(70,), (80,)], 1),
        (not_a_number, [(1.0,), (math.inf,), (math.nan,)], 0),
        (signed_zeros, [(70,)], 1),
        (sums, [(1000,)], 1),
        (handled, [(5,), (0,)], 2),
        (by_keys, [(3,), (1,), (0,), (40,)], 5),
        (taken_out_in_a_try, [(2,), (5,), (0,), (9,)], 1),
        (in_branches, [(3,), (1,)], 0),
        (through_functions, [(5,), (50,)], 1),
        (each_time_new, [(6,)], 0),
        (returned_twice, [(3,)], 1),
        (of_either_float, [(5, np.float64(0.7)), (4, 0.7), (6, np.float32(2)), (6, np.float64(np.nan))], 1),
        (of_either_float_seen, [(np.arange(2.0),)], 0),
        (looked_at_by_python, [(np.array([3.0, 1.25, 2.0]),)], 0),
        (divided, [(np.zeros(2), 1), (np.zeros(2), 0), (np.ones(1), 0)], 0),
    ],
    ids=lambda x: getattr(x, "__name__", None),
)
def test_lists(f: Callable[..., Any], calls: list[tuple[Any, ...]], count: int) -> None:
    assert unboxed(f, *calls[-1]) >= count
    check(f, *calls[0], also=calls[1:])


def test_one_list_that_is_returned_twice_is_one() -> None:
    a, b, (c, _) = check(returned_twice, 4)
    assert a is b is c


def read_beyond(n: int) -> Any:
    v = [1.0]
    v.append(2.0)
    return v[n]


def written_beyond(n: int) -> Any:
    v = [1.0]
    v.append(2.0)
    v[n] = 1.5
    return v


def popped_beyond(n: int) -> Any:
    v = [1.0]
    v.append(2.0)
    return v.pop(n), v


def popped_when_empty(n: int) -> Any:
    v = [0]
    for _ in range(n):
        v.pop()
    return v


def largest_of_none(n: int) -> Any:
    v = [1] * n
    v.clear()
    return max(v)


def too_large(n: int) -> Any:
    v = [1]
    for _ in range(n):
        v.append(v[-1] * 10)
    return v


def summed_too_large(n: int) -> Any:
    v = [2**62] * n
    v[0] = 1
    return sum(v)


def too_many(n: int) -> Any:
    v = [0.0] * n
    v[0] = 1.0
    return v


def test_errors_are_those_of_lists() -> None:
    for f in (read_beyond, written_beyond, popped_beyond):
        check(f, 1, also=[(-2,), (2,), (-3,), (0,), (2**62,)])
    check(popped_when_empty, 1, also=[(2,)])
    check(largest_of_none, 70)
    check(too_large, 10, also=[(25,)], plainly=True)
    check(summed_too_large, 70, plainly=True)
    check(too_many, 2**61, raises=MemoryError)


# --- arguments -------------------------------------------------------------------------------------------------------


def walked(xs: list[Any]) -> Any:
    t = xs[0] * 0
    for x in xs:
        t = t + x * 2
    return t, len(xs), xs[-1], xs[3], sum(xs), max(xs)


def copied_and_changed(xs: list[Any]) -> Any:
    ys = [x * 0.5 for x in xs]
    zs = xs + ys[:2]
    return ys, zs, xs[::-1], np.array(xs), xs


def changed(xs: list[Any], x: float) -> Any:
    t = 0.0
    for k in range(len(xs)):
        t += xs[k]
        xs[k] = x
    xs.append(t)
    return t


class Changing:
    def __init__(self, held: list[Any]) -> None:
        self.held = held

    def step(self) -> None:
        self.held[1] = "text"


def changed_elsewhere(xs: list[Any], o: Changing) -> Any:
    before = xs[1]
    o.step()
    return before, xs[1]


FLOATS, INTS = [0.5 * k for k in range(80)], [k * 3 for k in range(90)]


def test_arguments() -> None:
    assert unboxed(walked, FLOATS) == 1
    many = [(INTS,), (FLOATS + [2],), ([True] * 70,), ([1j] * 70,), ([2**70] * 70,), (["a"] * 70,), (FLOATS * 2,)]
    check(walked, FLOATS, also=many)
    check(copied_and_changed, FLOATS, also=[(INTS,), ([*FLOATS, math.nan],)])


def test_arguments_that_change() -> None:
    check(changed, FLOATS, 2.5, also=[(INTS, 1.5)])
    held = list(FLOATS)
    check(changed_elsewhere, held, Changing(held))


def total(w: Any, n: int) -> Any:
    found = 0
    for i in range(n):
        if i % 3 != 1:
            found += w[i]
    return found


def total_after_a_print(w: Any, n: int) -> Any:
    print("before")
    found = 0
    for i in range(n):
        found += w[i] * 3
    return found


def total_into(w: Any, a: Any) -> Any:
    for i in range(len(a)):
        a[i] = 1
        a[i] += w[i] * w[i + 1] % 7
    return a.sum()


def test_ints_of_arguments_beyond_64_bits() -> None:
    """Arithmetic with ints of a list that is an argument may leave 64 bits: the call can be made again, since the list was only looked at."""
    lists = [[1, 2, 3] * 50, [2**61] * 150, [-(2**62)] * 150, [0.5] * 150, [True] * 150, [1, 2.5] * 75, [2**70] * 150]
    check(total, lists[0], 100, also=[(w, n) for w in lists for n in (0, 3, 150, 151)], plainly=True)
    check(total_after_a_print, lists[0], 100, also=[(w, 140) for w in lists[1:]], plainly=True)
    check(total_into, lists[0], np.zeros(100), also=[(w, np.zeros(100)) for w in lists], plainly=True)


def test_sums_of_ints_of_arguments_need_no_python() -> None:
    def f(w: Any, n: int) -> Any:
        found = 0
        for i in range(n):
            found += w[i]
        return found

    jitted = sol.jit(strict=True)(f)  # type: ignore[attr-defined]
    assert jitted([1, 2, 3] * 50, 100) == 199
    assert "an item of w is read" not in jitted.explain()
