"""Whole small programs with lists, dicts and text, as people write them."""

from __future__ import annotations

import collections
import fractions
from typing import Any

import numpy as np

from tests.oracle import check
from tests.values import grid


def gradient(a: np.ndarray, n: int) -> Any:
    losses = []
    w = np.zeros(a.shape[1])
    for i in range(n):
        r = a @ w - 1.0
        loss = float((r * r).mean())
        losses.append(loss)
        w -= 0.01 * (a.T @ r)
        if i % 2 == 0:
            print(f"iter {i:3d}: loss={loss:.4f}")
    return w, np.array(losses), losses


def breadth_first(adjacent: np.ndarray, start: int) -> Any:
    seen = {start}
    queue = collections.deque([start])
    order = []
    while queue:
        u = queue.popleft()
        order.append(u)
        for v in range(len(adjacent)):
            if adjacent[u, v] > 0 and v not in seen:
                seen.add(v)
                queue.append(v)
    return order


def grouped(a: np.ndarray, labels: np.ndarray) -> Any:
    groups = {}
    for i in range(len(a)):
        k = int(labels[i])
        if k not in groups:
            groups[k] = []
        groups[k].append(a[i])
    return {k: np.mean(v) for k, v in groups.items()}


def calculator(text: str) -> float:
    stack = []
    for word in text.split():
        if word == "+":
            stack.append(stack.pop() + stack.pop())
        elif word == "*":
            stack.append(stack.pop() * stack.pop())
        else:
            stack.append(float(word))
    return stack[0]


def triangle(n: int) -> Any:
    rows = [[1]]
    for _ in range(1, n):
        before = rows[-1]
        row = [1]
        for j in range(len(before) - 1):
            row.append(before[j] + before[j + 1])
        row.append(1)
        rows.append(row)
    return rows, list(zip(*rows[:2]))


def random_walk(n: int, seed: int) -> Any:
    rng = np.random.RandomState(seed)
    place = 0
    path = [place]
    for _ in range(n):
        place += 1 if rng.rand() < 0.5 else -1
        path.append(place)
    return path


def mixed(n: int) -> Any:
    out = []
    for i in range(n):
        if i % 2 == 0:
            out.append(i)
        else:
            out.append(i / 2)
    f = fractions.Fraction(1, 3)
    for i in range(n):
        f = f + fractions.Fraction(i, 7)
    return out, out[0] + out[1], f, f.numerator, float(f)


def words(text: str) -> Any:
    counts = {}
    for w in text.split():
        counts[w] = counts.get(w, 0) + 1
    return sorted(counts.items()), max(counts, key=lambda k: counts[k]), "-".join(counts)


def test_programs() -> None:
    check(gradient, grid(4, 3) / 7, 4, rtol=1e-12)
    check(breadth_first, np.array([[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]), 0)
    check(grouped, grid(4), np.array([0, 1, 0, 1]))
    check(calculator, "3 4 + 2 *")
    check(triangle, 5)
    check(random_walk, 9, 1)
    check(mixed, 4)
    check(words, "a b a c b a")


def quicksort(values: list[Any]) -> list[Any]:
    if len(values) <= 1:
        return values
    first = values[0]
    rest = values[1:]
    return quicksort([x for x in rest if x < first]) + [first] + quicksort([x for x in rest if x >= first])


def sorts(a: np.ndarray) -> Any:
    return quicksort(list(a))


def move(n: int, a: str, b: str, c: str, moves: list[Any]) -> None:
    if n > 0:
        move(n - 1, a, c, b, moves)
        moves.append((a, c))
        move(n - 1, b, a, c, moves)


def hanoi(n: int) -> Any:
    moves = []
    move(n, "A", "B", "C", moves)
    return moves


def remembered(n: int) -> Any:
    memo = {}

    def fibonacci(k: int) -> int:
        if k < 2:
            return k
        if k in memo:
            return memo[k]
        memo[k] = fibonacci(k - 1) + fibonacci(k - 2)
        return memo[k]

    return fibonacci(n), memo


def test_recursion() -> None:
    check(sorts, np.array([3.0, 1.0, 2.0, 5.0, 4.0]))
    check(hanoi, 3)
    check(remembered, 10)
