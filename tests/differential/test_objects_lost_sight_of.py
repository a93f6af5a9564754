"""Lists, dicts and instances of known types that are changed through objects of which nothing is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.oracle import check


class Weight:
    def __init__(self, k: Any = 1.0) -> None:
        self.k, self.seen = k, []


class Heavy(Weight):
    pass


def a_list_in_a_dict(a, n):
    inner = [1.5]
    d = {"a": inner, "b": 2}
    for i in range(n):
        d[str(i)] = i
    d["a"].append("x")
    d["a"].append(n)
    return inner[2] + 1, len(inner), inner


def an_item(a, n):
    inner = [1.5]
    d = {"a": inner, "b": 2}
    for i in range(n):
        d[str(i)] = i
    d["a"][0] = 7
    return inner[0] // 2


def a_dict_in_a_list(a, n):
    inner = {"q": 1.5}
    d = [inner, n, a]
    for i in range(n):
        d.append(i)
    d[0]["q"] = n
    return inner["q"]


def nested_lists(a, n):
    inner = [[1.5]]
    d = [inner, n, a]
    for i in range(n):
        d.append(i)
    d[0][0] += [n]
    return inner[0][-1]


def an_instance_in_a_list(a, n):
    w = Weight()
    d = [w, n, a]
    for i in range(n):
        d.append(i)
        w.seen.append(i)
    d[0].k = n
    d[0].seen.append(2.5)
    return w.k, w.seen[-1]


def one_of_two_classes(a, n):
    def heavier(w):
        return w if w.k else Weight(3)

    w = Heavy(1 + float(a[0]))
    v = heavier(w)
    v.k = n
    return w.k, v is w


def its_own_or_a_given_one(a, n, given):
    w = Weight(2.0 * a[0])
    v = w if n > 2 else given
    v.k = v.k + n
    for x in (w, given):
        x.seen.append(v.k)
    return w.k, v.k, given.k, w.seen[0]


@pytest.mark.parametrize(
    "f", [a_list_in_a_dict, an_item, a_dict_in_a_list, nested_lists, an_instance_in_a_list, one_of_two_classes]
)
def test_changes_are_seen(f: Any) -> None:
    check(f, np.ones(2), 3)


def successors(n):
    after = {}
    for i in range(n):
        after.setdefault(i % 3, []).append(i + 1)
    far = np.zeros(n + 2)
    for i in range(5):
        for j in after.get(i, ()):
            far[j] += i
        for j in after.get(i, (0, n)):
            far[j] -= 1
        for j in after.get(i, []):
            far[j] *= 2
    some = after.get(1, (7, 8, 9))
    return far, some, some[0] + 1, some[1:], len(some)


def sequences_of_several_classes(n, keys):
    d = {}
    some = []
    for i in range(n):
        d[i] = [i, i + 1]
        some.append((i, 2.5))
    some.append(d.get(0, ()))
    some.append(d.keys() if keys else {4})
    total = 0
    for x in some:
        for y in x:
            total += y
    d[0].append("x")
    return total, some[-2][-1], d.keys().isdisjoint([n])


def keys_or_text(n, keys):
    d = {}
    words = []
    for i in range(n):
        d[i] = "a" * i
        words.append(str(i))
    some = []
    some.append(d.keys() if keys else words)
    some.append("xyz")
    return [y for x in some for y in x]


def changed_unseen(n):
    d = {}
    for i in range(n):
        d[i] = [i]
    x = d.get(0, (1,))
    try:
        d.get(n, ()).append(n)
    except AttributeError as e:
        print(e)
    x.append("x")
    x += [2.5]
    return d[0][-2:], sum(d[1])


def test_sequences_of_which_only_the_run_tells_the_class() -> None:
    check(successors, 4, also=[(0,), (9,)])
    check(sequences_of_several_classes, 3, True, also=[(3, False)])
    check(keys_or_text, 3, True, also=[(3, False)])
    check(changed_unseen, 2)


@pytest.mark.parametrize("k", [1, -1.5, np.float64(3)], ids=["int", "float", "float64"])
def test_an_instance_that_may_be_one_from_outside(k: Any) -> None:
    check(its_own_or_a_given_one, np.arange(4.0), 3, Weight(k), also=[(np.arange(4.0), 2, Weight(k))])
    check(its_own_or_a_given_one, np.arange(4.0), 2, Weight(k), also=[(np.arange(4.0), 3, Weight(2.5))])
