"""itertools, functools, operator, and iterators that can be used once."""

from __future__ import annotations

import functools
import itertools
import operator
from functools import partial, reduce
from itertools import chain, combinations, count, islice, product
from typing import Any

import numpy as np

from tests.oracle import check
from tests.values import grid


def products(n: int) -> Any:
    s = 0
    for i, j in product(range(n), range(n + 1)):
        s = s * 3 + i * j + j
    for i, x in product((1, 2), (0.5, 1.5)):
        s += i * x
    for i, j, k in product(range(n), repeat=3):
        if i > j:
            continue
        if k > n:
            break
        s += i - k
    else:
        s += 1000
    return s


def pairs(a: np.ndarray) -> Any:
    s = 0.0
    order = 0
    for i, j in combinations(range(len(a)), 2):
        s += abs(a[i] - a[j])
        order = order * 5 % 10007 + 7 * i + j
    for x, y in itertools.combinations_with_replacement(a, 2):
        s = s * 0.5 + x * y
    for i, j in itertools.permutations(range(len(a)), 2):
        order = order * 5 % 10007 + 7 * i + j
    for p in itertools.permutations((1, 2, 3)):
        order = order * 3 % 10007 + p[0] * p[1]
    return s, order, sum(a[i] * a[j] for i, j in combinations(range(len(a)), 2))


def chained(a: np.ndarray) -> float:
    s = 0.0
    for x in chain(a, a[::-1]):
        s = s * 1.5 + x
    for i in chain(range(3), range(10, 12)):
        s += i
    for x in chain((1, 2.5), [3]):
        s += x
    return s


def sliced(a: np.ndarray, n: int) -> float:
    s = 0.0
    for x in islice(a, 1, 4):
        s = s * 2 + x
    for k in islice(count(3), n):
        s += k
    for x in islice(a, None, None, 2):
        s = s * 3 + x
    return s


def endless(n: int) -> Any:
    for k in count():
        if k * k > n:
            break
    s = 0
    for i in count(1, 2):
        s += i
        if s > n:
            break
    return k, s, i


def neighbours(a: np.ndarray) -> float:
    s = 0.0
    for x, y in itertools.pairwise(a):
        s += x * y
    for x, k in zip(a, itertools.repeat(3)):
        s += x * k
    for x, k in zip(a, itertools.cycle((1, 2))):
        s = s * 0.5 + x * k
    for x, y in itertools.zip_longest(a, a[:2], fillvalue=0.5):
        s += x * y
    return s


def test_itertools() -> None:
    check(products, 3, also=[(0,), (1,)])
    check(pairs, np.cos(grid(7)), also=[(grid(1),), (grid(0),), (grid(2),)])
    check(chained, grid(4))
    check(sliced, grid(6), 5)
    check(endless, 30)
    check(neighbours, grid(5), also=[(grid(1),)])


def many_pairs(n: int) -> int:
    bad = 0
    i = 0
    j = 0
    for p, q in combinations(range(n), 2):
        j += 1
        if j == n:
            i += 1
            j = i + 1
        if (p, q) != (i, j):
            bad += 1
    return bad


def test_pairs_come_in_order() -> None:
    check(many_pairs, 3000)


def weighted(x: Any, y: Any, z: Any = 1) -> Any:
    return x + y * z


DOUBLED = partial(weighted, z=2)


def reduced(a: np.ndarray) -> Any:
    total = reduce(lambda x, y: x + y, a)
    scaled = reduce(operator.mul, a, 2.0)
    number = reduce(lambda x, y: x * 10 + y, (1, 2, 3))
    arrays = reduce(np.add, [a, a * 2, a * 3])
    return total, scaled, number, functools.reduce(max, a), reduce(operator.add, range(5)), arrays


def empty_reduce(a: np.ndarray) -> Any:
    return reduce(operator.add, a)


def partials(a: np.ndarray) -> Any:
    f = partial(weighted, a, z=3)
    total = partial(np.sum, axis=0)
    return f(2), total(a), partial(weighted, 1)(2), DOUBLED(1, 2)


def operators(a: np.ndarray, i: int) -> Any:
    return (
        operator.add(i, 2),
        operator.truediv(i, 4),
        operator.not_(i),
        operator.getitem(a, 1),
        operator.itemgetter(2)(a),
        operator.itemgetter(0, 1)(a),
        operator.attrgetter("size")(a),
        operator.neg(a),
        operator.lt(i, 3),
        operator.matmul(a, a),
    )


def test_functools_and_operator() -> None:
    check(reduced, grid(4))
    check(empty_reduce, grid(0), raises=TypeError)
    check(partials, grid(4))
    check(operators, grid(4), 5)


def zip_twice(a: np.ndarray) -> float:
    z = zip(a, a)
    s = 0.0
    for x, y in z:
        s += x * y
    for _ in z:
        s += 100
    return s


def resumed(a: np.ndarray) -> float:
    z = enumerate(a)
    s = 0.0
    for i, x in z:
        s += x
        if i == 2:
            break
    for _, x in z:
        s += 100 * x
    return s


def generator_twice(a: np.ndarray) -> Any:
    g = (x * 2 for x in a)
    return sum(g), sum(g)


def reversed_twice(n: int) -> Any:
    r = reversed(range(n))
    return sum(r), sum(r)


def once(a: np.ndarray) -> float:
    z = zip(a, a[1:])
    g = (x * 2 for x in a)
    s = sum(g)
    for x, y in z:
        s += x * y
    return s


def counted(n: int) -> Any:
    numbers = itertools.count(n)
    next(numbers)
    second = next(numbers)
    taken = [a * b for a, b in zip(itertools.count(n, 2), range(3))]
    return second, taken


def has_no_length(n: int) -> Any:
    return len(itertools.count(n))  # type: ignore[arg-type]


def of_lazy_items(a: Any) -> Any:
    pairs = itertools.product(filter(lambda x: x > 1, a), map(abs, a))
    return [p * q for p, q in pairs], list(itertools.permutations((x * 2 for x in a if x > 1), 2))


def test_what_itertools_gives() -> None:
    for settings in ({}, {"target": "interpreter"}):
        check(counted, 3, settings=settings)
    check(has_no_length, 3, raises=TypeError, settings={"target": "interpreter"})
    for a in ([1, -2, 3], np.arange(4)):
        check(of_lazy_items, a, settings={"target": "interpreter"})


def test_iterators_are_used_once() -> None:
    check(zip_twice, grid(4), or_refused=True)
    check(resumed, grid(5), or_refused=True)
    check(generator_twice, grid(4), or_refused=True)
    check(reversed_twice, 4, or_refused=True)
    check(once, grid(4))


def filtered(a: np.ndarray, least: float) -> Any:
    positive = sum(x for x in a if x > least)
    return positive, sum(i * 0.5 for i in range(len(a)))


def filtered_extreme(a: np.ndarray, least: float) -> Any:
    return max(x for x in a if x > least)


def test_sums_of_nothing() -> None:
    check(filtered, grid(4), 1.0, also=[(grid(4), 10.0), (grid(0), 1.0)])
    check(filtered_extreme, grid(4), 1.0)
    check(filtered_extreme, grid(4), 10.0, raises=ValueError)


def nditer_statements(a: np.ndarray, f: np.ndarray) -> Any:
    with np.nditer(a, op_flags=["readwrite"]) as it:
        for x in it:
            x[...] = 2 * x
    with np.nditer(f, flags=["multi_index"], op_flags=["readwrite"]) as places:
        for x in places:
            x[...] = places.multi_index[0] - x
    with np.nditer(f, ["buffered"], ["readwrite"], ["f8"], casting="unsafe") as copies:
        for x in copies:
            x[...] = x * 1.5
    found = []
    it = np.nditer(a, flags=["f_index"])
    while not it.finished:
        found.append((it.index, float(it[0])))
        it.iternext()
    return found, a, f


def test_nditer() -> None:
    check(nditer_statements, np.arange(6.0).reshape(2, 3), np.asfortranarray(np.arange(6).reshape(2, 3)))


def kept(m: Any) -> Any:
    held = [map(len, m)]
    return list(held[0]), list(held[0])


def in_a_dict(m: Any) -> Any:
    held = {}
    held["z"] = zip(m, m)
    return list(held["z"]), list(held["z"])


def without_length(m: Any) -> Any:
    return len(map(len, m))


def of_class(m: Any) -> Any:
    return isinstance(zip(m, m), tuple)


def shown(m: Any) -> Any:
    return f"{zip(m, m)}"[:4], str(map(len, m))[:4]


def summed(m: Any) -> Any:
    return np.sum(reversed(m))


def used_up(m: Any) -> Any:
    pairs = dict(zip("ab", m))
    longest, least = max(map(len, m)), min(map(len, m), default=0)
    first, *others = zip(*m)
    return pairs, longest, least, first, others, bool(zip(m, m)), 2 in map(len, m), ",".join(map(str, m))


def test_iterators_are_no_tuples() -> None:
    for f in (kept, in_a_dict, without_length, of_class, shown, summed):
        check(f, [[1, 2], [3, 4]], or_refused=True)
    check(used_up, [[1, 2], [3, 4]])


def reduced_without_items(x: Any, n: int) -> Any:
    texts = []
    for k in range(4):
        try:
            if k == 0:
                reduce(lambda p, q: p + q, n)
            elif k == 1:
                reduce(lambda p, q: p + q, x[0], 3)
            elif k == 2:
                reduce(lambda p, q: p + q, None)
            else:
                reduce(lambda p, q: p + q, x[:1].reshape(()))
        except TypeError as e:
            texts.append(str(e))
    return texts


def test_reduce_of_no_iterable() -> None:
    check(reduced_without_items, np.arange(3.0), 2, settings={"target": "interpreter"})
