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


@pytest.mark.parametrize(
    "f", [a_list_in_a_dict, an_item, a_dict_in_a_list, nested_lists, an_instance_in_a_list, one_of_two_classes]
)
def test_changes_are_seen(f: Any) -> None:
    check(f, np.ones(2), 3)
