"""Sweeps from one array into another that then change names: no temporary where the arrays are apart, the right values where they are not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests.oracle import IDENTITY, check
from tests.values import grid


def copied(u: Any, n: int) -> Any:
    for _ in range(n):
        new = u.copy()
        new[1:-1] = 0.5 * (u[:-2] + u[2:])
        u = new
    return u


def swapped(u: Any, n: int) -> Any:
    u, new = u.copy(), u.copy()
    for _ in range(n):
        new[1:-1] = 0.5 * (u[:-2] + u[2:])
        u, new = new, u
    return u


def three(u: Any, n: int) -> Any:
    a, b, c = u.copy(), u * 2, u * 3
    for _ in range(n):
        c[1:-1] = 2 * b[1:-1] - a[1:-1] + 0.25 * (b[:-2] - b[2:])
        a, b, c = b, c, a
    return a, b


def helper(u: Any) -> Any:
    new = u.copy()
    new[1:-1] = u[:-2] - u[2:]
    return new


def by_helper(u: Any, n: int) -> Any:
    for _ in range(n):
        u = helper(u)
    return u


class Field:
    def __init__(self, u: Any) -> None:
        self.u = u
        self.old = u.copy()

    def step(self) -> None:
        self.old[1:-1] = 0.5 * (self.u[:-2] + self.u[2:])
        self.u, self.old = self.old, self.u


def by_method(field: Any, n: int) -> Any:
    for _ in range(n):
        field.step()
    return field.u


TOGETHER = (copied, swapped, three, by_helper)


@pytest.mark.parametrize("f", TOGETHER, ids=lambda f: f.__name__)
def test_values(f: Callable[..., Any]) -> None:
    for n in (0, 1, 2, 5):
        check(f, np.cos(grid(9)), n, also=[(np.sin(grid(40)), 3)])


@pytest.mark.skipif(IDENTITY, reason="about compiled code")
@pytest.mark.parametrize("f", TOGETHER, ids=lambda f: f.__name__)
def test_no_temporary(f: Callable[..., Any]) -> None:
    compiled = sol.jit(strict=True)(f)
    compiled.compile(np.cos(grid(9)), 3)
    assert "into an array of its own" not in compiled.explain()


def test_methods() -> None:
    check(by_method, Field(np.cos(grid(9))), 4)


# --- the arrays are not apart, or not always --------------------------------------------------------------------------


def same_from_the_start(u: Any, n: int) -> Any:
    u = u.copy()
    new = u
    for _ in range(n):
        new[1:-1] = 0.5 * (u[:-2] + u[2:])
        u, new = new, u
    return u


def same_at_times(u: Any, n: int) -> Any:
    u, new = u.copy(), u.copy()
    for k in range(n):
        new[1:-1] = 0.5 * (u[:-2] + u[2:])
        if k % 3 == 1:
            u = new
        else:
            u, new = new, u
    return u, new


def same_after_a_break(u: Any, n: int) -> Any:
    u, new = u.copy(), u.copy()
    for k in range(n):
        for j in range(3):
            if j + k == 3:
                new = u
                break
        new[1:-1] = u[:-2] + u[2:]
    return u, new


def same_after_continue(u: Any, n: int) -> Any:
    u, new = u.copy(), u.copy()
    for k in range(n):
        new[1:-1] = u[:-2] - u[2:]
        if k == 1:
            new = u
            continue
        u, new = new, u
    return u, new


def half_a_swap(u: Any, n: int) -> Any:
    a, b, c = u.copy(), u * 2, u * 3
    for _ in range(n):
        c[1:-1] = b[:-2] + a[2:]
        a = b
        b[1:-1] = a[:-2] + c[2:]
        b, c = c, b
    return a, b, c


def two_statements(u: Any, n: int) -> Any:
    u, new = u.copy(), u.copy()
    for _ in range(n):
        new[1:-1] = u[:-2] + u[2:]
        old = new
        new = u
        u = old
        u[1:-1] = u[:-2] + new[2:]
    return u, new


def views(u: Any, n: int) -> Any:
    a = u.copy()
    left, right = a[:-2], a[2:]
    for _ in range(n):
        left[:] = right[::-1] * 0.5 + left
        left, right = right, left
    return a


def arguments(u: Any, new: Any, n: int) -> Any:
    for _ in range(n):
        new[1:-1] = 0.5 * (u[:-2] + u[2:])
        u, new = new, u
    return u


def kept(u: Any, n: int) -> Any:
    """Every array stays alive, and is not written again."""
    found = []
    for _ in range(n):
        new = u.copy()
        new[1:-1] = u[:-2] - u[2:]
        found.append(new)
        u = new
    return found


def written_through_the_old_name(u: Any, n: int) -> Any:
    old = u
    for _ in range(n):
        new = u.copy()
        new[1:-1] = old[:-2] + u[2:]
        old, u = u, new
        old[0] += 1.0
    return old, u


def while_loop(u: Any, limit: float) -> Any:
    u, new = u.copy(), u.copy()
    k = 0
    while abs(u).max() > limit and k < 50:
        new[1:-1] = 0.3 * (u[:-2] + u[2:])
        new[0] = new[-1] = 0.0
        u, new = new, u
        k += 1
    return u, k


OTHERS = (
    same_from_the_start,
    same_at_times,
    same_after_a_break,
    same_after_continue,
    half_a_swap,
    two_statements,
    views,
)
OTHERS += (kept, written_through_the_old_name)


@pytest.mark.parametrize("f", OTHERS, ids=lambda f: f.__name__)
def test_not_apart(f: Callable[..., Any]) -> None:
    for n in (1, 2, 4, 7):
        check(f, np.cos(grid(9)), n)


def test_arguments_may_overlap() -> None:
    a = np.cos(grid(12))
    check(arguments, a, a.copy(), 3, also=[(a, a, 3), (a, a, 4)])
    both = np.cos(grid(14))
    check(arguments, both[:12], both[2:], 3)


def test_until_it_is_small() -> None:
    check(while_loop, np.cos(grid(9)), 0.01)
