"""Python objects of run time: text, lists that grow, dicts, sets, random generators, arrays in lists."""

from __future__ import annotations

import bisect
import collections
import heapq
from typing import Any

import numpy as np
import pytest

from tests.oracle import check, check_all, compiled
from tests.values import grid


def test_text() -> None:
    check_all(
        """
        f"{n} and {x:.3f} {n!r:>5}|{x!s:{n}}|{{}}"
        f"{y} {y!r} {a} {a!r} {(n, x)} {[y, None]}"
        "%d of %s, %.2f" % (n, x, x)
        "{} {:>6} {name}".format(n, x, name=y)
        str(n) + "," + repr(x)
        str(a)
        repr(y)
        ", ".join([str(n), str(x)])
        f"{n}".zfill(5)
        str(n) == "4"
        "4" in str(n * 10)
        len(str(x))
        str(x).split(".")
        [str(k) for k in range(n)]
        int(str(n)) + float(str(x))
        str(n) * 3
        str(n)[0]
        (str(n) + "abc")[1:3].upper()
        format(x, ".2f")
        bin(n), hex(n), chr(n + 60), ord(chr(n))
        str(n).isdigit() and n
        """,
        n=4,
        x=2.5,
        y=np.float64(1.5),
        a=grid(3),
    )


def text_in_loops(n: int) -> Any:
    s = ""
    t = "start"
    for i in range(n):
        s += f"{i},"
        if i == 2:
            t = "two"
    return s, t, s == "", len(s)


def prints(n: int, a: np.ndarray) -> None:
    for i in range(n):
        label = f"step {i}"
        print(label, a[i], end="; ")
    print("done", [n, a[0]], (np.float64(n),), sep="|")


def raises_text(n: int) -> int:
    text = f"bad {n}"
    if n > 2:
        raise ValueError(text)
    return n


def test_text_in_statements() -> None:
    check(text_in_loops, 4, also=[(0,), (1,)])
    check(prints, 3, grid(4))
    check(raises_text, 3, raises=ValueError)
    check(raises_text, 1)


def grows(n: int, a: np.ndarray) -> Any:
    r = []
    t = [a[0]]
    pairs = []
    for i in range(n):
        r.append(i * 0.5)
        if a[i % 3] > 0:
            t.append(a[i % 3])
        pairs.append((i, a[i % 3]))
    total = 0.0
    for x in r:
        total += x
    for k, v in pairs:
        total += k * v
    return r, t, pairs, total, len(r), sum(r), r[-1], r[1:], max(r), 0.5 in r, np.array(r), sorted(r, reverse=True)


def stack(n: int) -> Any:
    todo = [n]
    seen = []
    while todo:
        k = todo.pop()
        seen.append(k)
        if k > 1:
            todo.append(k // 2)
            todo.extend([k - 2])
    return seen, todo


def edits(n: int) -> Any:
    r = [k + 0 for k in range(n)]
    r.insert(0, -1)
    r[2] += 10
    del_at = r.pop(1)
    r.reverse()
    r.remove(3)
    r[1:2] = [7, 8, 9]
    s = r
    s += [n]
    t = r + [1]
    u = [0] * n
    for i in range(n):
        u[i] = i * i
    return r, s is r, del_at, t, r.index(7), r.count(8), r.copy(), u, r * 2, r == s, [x for x in r if x > 3]


def empty_then_read(n: int) -> Any:
    best = []
    for i in range(n):
        if len(best) == 0 or best[-1] < i % 3:
            best.append(i % 3)
    return best


def out_of_range(n: int) -> Any:
    r = []
    for i in range(n):
        r.append(i)
    return r[n]


def test_lists_that_grow() -> None:
    check(grows, 4, np.array([1.0, -2.0, 3.0]))
    check(stack, 6, also=[(0,)])
    check(edits, 6)
    check(empty_then_read, 5, also=[(0,)])
    check(out_of_range, 3, raises=IndexError)


def frames(u: np.ndarray, n: int) -> Any:
    history = []
    for _ in range(n):
        u = u * 0.5
        history.append(u.copy())
    return history, np.array(history), history[0].sum(), len(history), np.stack(history)[-1]


def shared(u: np.ndarray, n: int) -> Any:
    v = u + 1
    kept = []
    for i in range(n):
        v[i] = -1
        kept.append(v)
    v[0] = 99
    kept[0][1] = 77
    w = kept[1] + v
    kept[-1] += 1
    return kept, v, w, kept[0] is kept[1]


def rows(n: int) -> Any:
    grid_rows = []
    for i in range(n):
        row = []
        for j in range(i):
            row.append(i * j)
        grid_rows.append(row)
    grid_rows[2].append(5)
    return grid_rows, [len(r) for r in grid_rows]


def test_lists_of_arrays_and_lists() -> None:
    check(frames, grid(3) + 1, 4)
    check(shared, grid(4), 3)
    check(rows, 4)


def dicts(n: int) -> Any:
    d = {}
    for i in range(n):
        d[i * i] = i
    counts = {"a": 0, "b": 0}
    for k, v in d.items():
        counts["a" if k > 3 else "b"] += v
    total = 0
    for k in d:
        total += k
    names = {}
    for i in range(n):
        names[f"k{i}"] = i * 0.5
    return (
        d,
        counts,
        total,
        4 in d,
        d.get(9, -1),
        d.get(100, -1),
        list(d.keys()),
        sum(d.values()),
        len(d),
        d.pop(0),
        names,
    )


def missing(n: int) -> Any:
    d = {}
    for i in range(n):
        d[i] = i
    return d[n]


def sets(n: int) -> Any:
    s = set()
    for i in range(n):
        s.add(i % 3)
    t = {k * 2 for k in range(n)}
    return s, len(s), 2 in s, sorted(s | t), s & t, s - t, sorted(t)


def counted(words: int) -> Any:
    d = collections.defaultdict(int)
    q = collections.deque()
    for i in range(words):
        d[i % 2] += 1
        q.append(i)
    first = q.popleft()
    return dict(d), first, len(q)


def test_dicts_and_sets() -> None:
    check(dicts, 4)
    check(missing, 2, raises=KeyError)
    check(sets, 5)
    check(counted, 5)


def generators(seed: int, n: int) -> Any:
    rng = np.random.default_rng(seed)
    a = rng.normal(0.0, 2.0, size=(n, 2))
    total = 0.0
    for _ in range(n):
        total += rng.random()
    rng.shuffle(a)
    old = np.random.RandomState(seed)
    return a, total, rng.integers(0, n, 5), rng.choice(n), rng.permutation(n), old.rand(n), old.randint(n)


def given(rng: np.random.Generator, n: int) -> Any:
    return rng.standard_normal(n) * 2, rng.uniform()


def test_random_generators() -> None:
    check(generators, 3, 4)
    assert np.array_equal(*(f(np.random.default_rng(1), 3)[0] for f in (given, given)))


def test_iterables() -> None:
    check_all(
        """
        sorted(a)
        sorted([n, 3, 1], key=lambda k: -k)
        max((n, 2), key=lambda k: -k)
        list(map(lambda x: x + 1, a))
        list(zip(a, b))
        list(enumerate(a))
        list(reversed(a))
        tuple(x * 2 for x in a if x > 1)
        list(a)
        [x for x in a if x > n]
        {k: k * k for k in range(n)}
        {k % 2 for k in range(n)}
        list(range(n * 30))
        set(range(n))
        [(i, j) for i in range(n) for j in range(i)]
        [f"{x:.1f}" for x in a]
        list(filter(None, [0, n, 2]))
        """,
        a=np.array([3.0, 1.0, 2.0]),
        b=np.arange(3),
        n=4,
    )


def changes(x: list[float], d: dict[str, float], n: int) -> Any:
    for i in range(n):
        x.append(i * 0.5)
    x[0] += 1
    d["n"] = n
    total = 0.0
    for _, v in d.items():
        total += v
    return len(x), total, x


def changes_array(rows: list[np.ndarray], a: np.ndarray) -> Any:
    rows[0][0] = 7.0
    a[1] = rows[0][0] * 2
    return a.sum(), rows[0]


def long_list(x: list[float]) -> Any:
    s = 0.0
    for v in x:
        s += v
    first, *rest = x
    return s / len(x), np.mean(x), min(x), first, len(rest)


def stores(x: list[float], a: np.ndarray) -> Any:
    x.append(2.5)
    for i in range(len(a)):
        a[i] = x[0]
    a[:1] += x[-1]
    return a * x[0]


def test_arguments_that_are_lists_and_dicts() -> None:
    check(changes, [1.0, 2.0], {"a": 1.0}, 3)
    a = grid(3)
    check(changes_array, [a], a)
    check(long_list, [0.5] * 100)
    check(stores, [1.5], grid(3))


def shortest(w: np.ndarray, start: int) -> Any:
    best = {start: 0.0}
    heap = [(0.0, start)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > best[u]:
            continue
        for v in range(len(w)):
            if w[u, v] > 0 and d + float(w[u, v]) < best.get(v, 1e300):
                best[v] = d + float(w[u, v])
                heapq.heappush(heap, (best[v], v))
    return best


def sorted_in(a: np.ndarray) -> Any:
    r = []
    for x in a:
        bisect.insort(r, float(x))
    return r, bisect.bisect_left(r, 1.0)


def test_library() -> None:
    check(shortest, np.array([[0, 2.0, 9, 0], [0, 0, 3, 8], [0, 0, 0, 1], [0, 0, 0, 0]]), 0)
    check(sorted_in, np.array([3.0, 1.0, 2.0]))


def tuples_that_grow(n: int) -> Any:
    t = ()
    for i in range(n):
        t += (i,)
    r = [k for k in range(n) if k]
    return t, len(t), sum(t), (*r, n, *r), [0, *t]


def deletes(n: int) -> Any:
    r = [k * 2 for k in range(n)]
    del r[1]
    del r[-1:]
    d = {"a": 1, "b": 2}
    for i in range(n):
        d[f"k{i}"] = i
    d.update(z=26)
    del d["a"]
    return r, d, [k for k in d if k.startswith("k")], max(d, key=d.get)


def best_list(n: int) -> Any:
    best = None
    row = [0, 0]
    for i in range(n):
        new = [i, (i * 7) % 5]
        if best is None or new[1] > best[1]:
            best = new
        other = row
        row = [i, i]
        row[0] += other[1]
    return best, row


def shared_lists(n: int) -> Any:
    x = [1, 2]
    y = x
    if n > 2:
        x = [3, 4]
    x[0] = 9
    z = [1, 2, 3] if n > 5 else [4]
    z.append(n)
    return x, y, z


def test_values_that_become_objects() -> None:
    check(tuples_that_grow, 4, also=[(0,)])
    check(deletes, 4)
    check(best_list, 5, also=[(1,)])
    check(shared_lists, 3, also=[(1,), (7,)])


def views(k: int) -> Any:
    d = {"a": 1, "b": k}
    print(d.keys())
    return list(d.keys()), f"{d.values()}", str(d.items()), d.keys() == d.keys()


def one_list_twice(k: int) -> Any:
    x = [k]
    y = {"x": x}
    return x is y["x"], x, y


def kept_arrays(n: int) -> Any:
    rows = []
    u = np.zeros(3)
    for i in range(n):
        u[0] = i
        rows.append(u)
        v = np.full(3, float(i))
        rows.append(v)
        v[2] = i + 1
        rows[0][1] += rows[-1].sum()
    u[1] += 5.0
    return rows, sum(x[2] for x in rows), [x.dtype.kind for x in rows]


def swapped(n: int) -> Any:
    rows = []
    a, b = np.zeros(2), np.ones(2)
    for _ in range(n):
        a, b = b, a
        rows.append(a)
        a[0] += 1
    return rows, a, b


def several_types(n: int) -> Any:
    r = []
    for i in range(n):
        r.append(np.int32(i))
        r.append(np.float32(i) / 3)
        try:
            r.append(10 // (i - 1))
        except ZeroDivisionError as e:
            r.append(str(e))
    return r, [type(x).__name__ for x in r]


def test_what_objects_hold() -> None:
    check(views, 2)
    check(one_list_twice, 2)
    check(kept_arrays, 3)
    check(swapped, 3)
    check(several_types, 3)


WEIGHTS = {"a": 1.0, "b": 2.0}
HISTORY = [1.0, 2.0]
LENGTHS = [2, 3]


def globals_now(n: int) -> Any:
    s = 0.0
    for x in HISTORY:
        s += x
    for k in sorted(WEIGHTS):
        s += WEIGHTS[k]
    for _, v in WEIGHTS.items():
        s += v
    HISTORY.append(float(n))
    WEIGHTS["b"] += 1
    return s, len(HISTORY), np.array(HISTORY), np.zeros(LENGTHS), 3 in LENGTHS


def test_containers_of_the_module() -> None:
    state = [list(HISTORY), dict(WEIGHTS)]
    for n in range(3):
        before = [list(HISTORY), dict(WEIGHTS)]
        want = globals_now(n)
        after = [list(HISTORY), dict(WEIGHTS)]
        HISTORY[:], WEIGHTS["b"] = before[0], before[1]["b"]
        got = compiled(globals_now)(n)
        assert [list(HISTORY), dict(WEIGHTS)] == after and str(got) == str(want)
    HISTORY[:], WEIGHTS["b"] = state[0], state[1]["b"]


def views_of_a_dict(x: float) -> Any:
    d = {3: x}
    keys, values, items = d.keys(), d.values(), d.items()
    d[7] = x / 2
    before = len(keys), 7 in keys, sum(values)
    d[3] = -x
    return before, sorted(keys), list(values), list(items)


def parts_of_a_slice(s: slice, n: int) -> Any:
    return s.indices(n), s.indices(2 * n), slice(n, None, -1).indices(n)


def test_views_and_slices() -> None:
    how = {"target": "interpreter"}
    check(views_of_a_dict, 3.0, also=[(-1.5,)], settings=how)
    check(parts_of_a_slice, slice(1, 9, 2), 6, also=[(slice(None, -2), 3)], settings=how)


def order_of_constants(n: int) -> Any:
    s = {70, 6, 38, 102, 134, 2, -1, -2}
    t = {5, n, 69, 37, 101, 133}
    out = []
    for k in {33, 1, 65, 97, 129, 2, 161}:
        out.append(k * n)

    def shifted(d: int) -> list[int]:
        return [k + d for k in {40, 8, 72, 104, 136, 3, 11}]

    return list(s), list(t), out, shifted(n), n in {1, 2, 5}, sum({0.5, 1.5, 32.5}), list(s | {7, 39})


def test_sets_of_constants_have_the_order_that_their_code_gives_them() -> None:
    check(order_of_constants, 2, also=[(5,)])


def limits_as_objects(a: np.ndarray, t: Any) -> Any:
    return np.finfo(a.dtype), np.iinfo(t), np.iinfo(t).max


def trimmed_by_a_number(a: np.ndarray) -> Any:
    return np.trim_zeros(a, 3)  # type: ignore[arg-type]


def test_limits_and_wrong_sides() -> None:
    how = {"target": "interpreter"}
    check(limits_as_objects, np.ones(2, np.float32), np.int16, settings=how)
    check(trimmed_by_a_number, np.arange(3.0), settings=how)


def joined_and_gridded(a: Any, given: Any) -> Any:
    items = [3, None, "x"]
    items.append(a)
    for i in range(int(a[0])):
        items.append(i)
    n, x = items[0], items[3]
    values = []
    for v in a:
        values.append(v)
    return (
        np.r_[x, 1.0], np.c_[x, a], np.r_["0,2", x, a], np.r_[0, x, 5:9:2, [1, 2]], np.r_[0:n], np.r_[1 : 2 : n * 1j],
        np.mgrid[0:n, 0:2], np.ogrid[given, 0:2], np.r_[values, 4], np.c_[values, values], np.r_[tuple(values)],
    )  # fmt: skip


def test_subscripts_that_make_arrays_take_objects() -> None:
    check(joined_and_gridded, np.arange(1, 5), slice(0, 3))


def numbers_of_what_a_library_gives(a: Any, log: Any) -> Any:
    from scipy.optimize import minimize

    log.append(2)
    r = minimize(lambda x: ((x - 2) ** 2).sum(), x0=a, method="Nelder-Mead")
    return np.float64(r.fun) + 1, np.float64(r.x), np.float32(r.x) * a, np.int64(np.round(r.x)), np.bool_(r.success)


def test_classes_of_numbers_called_with_arrays_that_are_objects() -> None:
    pytest.importorskip("scipy.optimize")
    check(numbers_of_what_a_library_gives, np.arange(1, 4.0), [0])


def arrays_of_queues(n: int) -> Any:
    queues = {}
    for i in range(n):
        q = collections.deque(((i, 1.0), (2.0, i)))
        q.append((3.0, 4.0))
        queues[i] = q
    return [np.array(q) for _, q in sorted(queues.items())], max(queues[0]), np.array(collections.deque(range(n)))


def test_arrays_of_queues_have_the_items_of_queues() -> None:
    check(arrays_of_queues, 3)
