"""Each item of an iterator is computed once, in order, and not before it is asked for; some iterators have no end."""

# ruff: noqa: C400, C402, C416, C417, C419
from __future__ import annotations

import collections
import heapq
import itertools
import random
import statistics
from typing import Any

import numpy as np

from tests.oracle import check


def shown(x: Any) -> Any:
    print("item", x)
    return x


def test_iterators_without_end() -> None:
    def stopped(n):
        small = list(itertools.takewhile(lambda x: x < n, itertools.count(1, 2)))
        third = list(itertools.islice(itertools.filterfalse(lambda x: x % 3, itertools.count()), n))
        first = next(filter(lambda x: x > n, itertools.count(1)))
        sums = list(itertools.islice(itertools.accumulate(itertools.count(1)), n))
        groups = [
            k for k, _ in itertools.groupby(itertools.takewhile(lambda x: x < 9, itertools.count()), lambda x: x // n)
        ]
        return small, third, first, sums, groups, list(itertools.compress(itertools.count(), [1, 0, 1]))

    def in_loops(n):
        xs = []
        for k in range(n):
            xs.append(k)
        for x in filter(lambda x: x > n, itertools.count(1)):
            if x > n + 3:
                break
        turns = [(a, b) for a, b in zip(xs, itertools.cycle(xs))]
        return x, turns, list(zip(xs, itertools.count(n))), dict(zip(xs, itertools.repeat(0)))

    check(stopped, 3)
    check(in_loops, 3)


def test_items_of_neighbours_and_products() -> None:
    def numbers(n):
        r = random.Random(1)
        steps = [b - a for a, b in itertools.pairwise(r.random() for _ in range(n))]
        turns = [x for x, _ in zip(itertools.cycle(r.random() for _ in range(n)), range(2 * n))]
        later = list(itertools.islice((r.random() for _ in range(n)), 1, 3))
        pairs = list(itertools.product((r.random() for _ in range(n)), range(2)))
        chosen = list(itertools.combinations(map(lambda _: r.random(), range(n)), 2))
        return steps, turns, later, pairs, chosen, list(itertools.permutations(map(lambda _: r.random(), range(n)), 2))

    def seen(n):
        for a, b in itertools.pairwise(shown(k) for k in range(n)):
            print("then", a, b)
        for v in itertools.islice(map(shown, range(n)), 1, n - 1):
            print("then", v)
        for v in itertools.cycle(shown(k) for k in range(n)):
            print("then", v)
            if v == n - 1:
                break
        return {a: b for a, b in itertools.pairwise(map(shown, range(n)))}

    check(numbers, 4)
    check(seen, 4)


def test_items_of_few_are_taken_one_by_one() -> None:
    def f(xs):
        for v in itertools.starmap(lambda a, b: shown(a * b), [(1, 2), (3, 4)]):
            print("then", v)
        for v in itertools.islice((shown(v) for v in [4, 5, 6, 7]), 2):
            print("then", v)
        for v in itertools.chain((shown(v) for v in [4, 5]), (shown(v) for v in [6, 7])):
            print("then", v)
        for w in itertools.zip_longest((shown(v) for v in [4, 5, 6]), [1]):
            print("then", w)
        for v in itertools.chain.from_iterable([shown(v)] * 2 for v in xs):
            print("then", v)
        for v in itertools.accumulate(shown(v) for v in xs):
            print("then", v)
        return (
            any(filter(None, map(shown, xs))),
            [*filter(None, map(shown, xs))],
            next(filter(None, map(shown, [1, 2]))),
        )

    def raising(xs):
        try:
            for x in itertools.takewhile(lambda v: v < 5, map(lambda v: 1 // (v - 2), range(4))):
                print(x)
        except ZeroDivisionError as e:
            return str(e)
        return xs

    check(f, [1, 2, 3])
    check(raising, [1])


def test_iterators_beside_growing_lists() -> None:
    def f(n):
        it = map(shown, range(n))
        first, rest = next(it), list(it)
        xs = []
        for k in range(n):
            xs.append(k)
        for a, b in zip(xs, map(shown, range(n))):
            print("then", a, b)
        for a, b in zip(xs, (shown(x) for x in range(n))):
            print("then", a, b)
        for v in map(lambda a, b: shown(a + b), xs, map(shown, range(9))):
            print("then", v)
        return first, rest, list(map(lambda a, b, c: a + b + c, xs, xs, itertools.count()))

    check(f, 3)


def test_stars_before_iterators() -> None:
    def f(n):
        rows = [[1]]
        for _ in range(n):
            p = rows[-1]
            rows.append([1, *(a + b for a, b in zip(p, p[1:])), 1])
        out = []
        for k in range(n):
            out.append([*map(lambda x, k=k: x + k, range(k))])
            out.append([k, *(x * k for x in range(k))])
        print(*(shown(v) for v in rows[-1]), sep=",")
        return rows, out, {*(x % 2 for x in rows[-1])}

    check(f, 4)


def test_random_numbers_beside_arrays() -> None:
    def f(n):
        a = np.random.default_rng(0).random(n)
        r = random.Random(3)
        products = list(itertools.starmap(lambda x, y: x * y, zip(a, (r.random() for _ in range(n)))))
        walk = list(itertools.accumulate(r.choice((-1, 1)) for _ in range(n)))
        return products, walk, list(enumerate(r.randint(1, 6) for _ in range(n))), r.random()

    check(f, 5)


def test_means_of_ints_are_ints_or_floats() -> None:
    def f(xs):
        return statistics.pvariance(xs), statistics.mean(xs), statistics.median(xs)

    def g(a, b):
        return (
            statistics.pstdev([1, 2, 3.5]),
            statistics.mean([a, b]),
            statistics.mean((a, b)),
            statistics.median([a, b, 9]),
        )

    check(f, [3, 4], also=[([1, 3],), ([1.5, 2],)])
    check(g, 3, 4, also=[(1, 3)])


def given(k: Any) -> Any:
    for i in range(k):
        print("give", i)
        yield i


def test_names_of_iterators_whose_parts_change() -> None:
    def numbers(n):
        k = 0
        g = (k + v for v in range(2))
        k = 10
        a = list(g)
        m = map(lambda v: v + k, [1, 2])
        k = 100
        h = (i * n for i in range(3))
        n = 7
        return a, list(m), list(h)

    def lists(n):
        xs = [1, 2]
        g = (v for v in xs)
        xs.append(n)
        ys = [1]
        z = zip(ys, range(5))
        ys.append(9)
        e = enumerate(ys)
        ys.append(10)
        return list(g), list(z), list(e)

    check(numbers, 5)
    check(lists, 5)


def test_a_generator_beside_what_has_no_numbered_items() -> None:
    def f(d, n):
        pairs = list(zip(given(3), d)), list(zip(d, given(3))), list(zip(given(2), {"x": 1, "y": 2}))
        for a, b in zip(given(n), (v for v in given(n) if v % 2)):
            print("use", a, b)
        return pairs, dict(zip(d, given(5))), list(zip(map(shown, [1, 2, 3]), given(2)))

    check(f, {"a": 1, "b": 2}, 5)


def test_a_comprehension_takes_items_one_by_one() -> None:
    def f(xs):
        total = 0

        def add(v):
            nonlocal total
            total += v
            return total

        return [x + total for x in map(add, xs)], [x * total for x in map(add, (1, 2))], total

    check(f, [3, 1, 2])


def test_an_item_is_taken_before_a_later_iterator_is_found_empty() -> None:
    def f(n, x):
        r = random.Random(1)
        products = [p * q for p, q in zip((r.random() for _ in range(n)), x)]
        drawn = list(zip((r.random() for _ in x), (r.random() for _ in range(2)))), r.random()
        letters = list(zip((shown(k) for k in range(n)), "ab")), list(zip(map(shown, [1, 2, 3]), (7, 8)))
        for a, b in zip(map(shown, range(5)), range(n)):
            print("then", a, b)
        return products, drawn, letters, list(map(lambda x, y: x + y, map(shown, range(5)), [1]))

    check(f, 3, np.arange(3.0))


def test_tee_and_merge_wait() -> None:
    def f(n):
        one, two = itertools.tee(map(shown, range(n)))
        merged = heapq.merge([1, 4], (shown(v) for v in [2, 3]))
        print("made")
        return list(one), list(two), list(merged)

    check(f, 2)


def test_functions_that_change_variables_are_called_once_an_item() -> None:
    def f(n, buffer):
        total = 0

        def add(v):
            nonlocal total
            total += v
            return total

        def gather(v):
            buffer[0] += v
            return buffer[0]

        pairs = list(itertools.pairwise(map(add, range(n)))), list(itertools.product(map(gather, range(2)), range(2)))
        later = (
            list(itertools.islice(map(gather, range(n)), 1, 3)),
            [a for a, _ in zip(itertools.cycle(map(add, range(2))), range(5))],
        )
        return pairs, later, total

    check(f, 4, np.zeros(2))


def test_a_loop_may_name_its_items_as_the_generator_does() -> None:
    def f(x, n):
        g = (v * n for v in x)
        total = 0.0
        for v in g:
            total += v
        h = (v * total for v in x)
        n = 0
        for v in h:
            total += v
        return total, n, v

    check(f, np.arange(4.0), 3)


def test_containers_grow_item_by_item() -> None:
    """What an item is may depend on those before it, and an exception leaves these in the container."""

    def f(l: list[int], n: int, a: np.ndarray) -> Any:
        one, two, three, four = [0], [0], [5], {0}
        one.extend(v + len(one) for v in l)
        two += (v + len(two) for v in range(n))
        three.extend(map(lambda v: v + three[-1], l))
        four.update(v + len(four) for v in l)
        five = {0: 0}
        five.update((v, len(five)) for v in l)
        six = collections.deque([1.0])
        six.extend(v + len(six) for v in a)
        six.extendleft(v + six[0] for v in a)
        five.update(zip(range(10, 10 + n), l))
        one.extend([v + len(one) for v in l])
        return one, two, three, four, five, list(six)

    def raises(l: list[int], n: int) -> Any:
        one, two, three = [9], {9}, {9: 9}
        try:
            one.extend(6 // v for v in l)
        except ZeroDivisionError:
            one.append(-1)
        try:
            two.update(6 // (2 - k) for k in range(n))
        except ZeroDivisionError:
            two.add(-1)
        try:
            three.update((v, 6 // v) for v in l)
        except ZeroDivisionError:
            one += (k * len(one) for k in range(n))
        return one, two, three

    check(f, [1, 2, 3], 3, np.arange(3.0))
    check(raises, [2, 1, 0, 3], 4)


def test_iterators_in_a_named_one() -> None:
    def f(l: list[int], a: np.ndarray, k: int) -> Any:
        x = enumerate(v + k for v in a)
        y = zip((v + k for v in l), enumerate(v * k for v in l))
        k = 7
        return list(x), list(y)

    check(f, [3, 1, 2], np.arange(3.0), 1)


def test_keys_of_what_can_be_taken_only_once() -> None:
    def f(x: int) -> Any:
        it = iter([x, 5, 1])
        first = next(it)
        least = min(it, key=lambda v: -v)
        most = max(iter([x, 4]), key=shown), max(iter(()), key=shown, default=-1)
        return first, least, list(it), most, sorted(iter([x, 4]), key=shown), sorted(iter((x, 4)), key=lambda v: -v)

    check(f, 2)
