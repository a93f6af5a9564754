"""Lists of lists of numbers: arguments that are read and changed, and lists that are made inside, changed, exchanged and returned."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.frontend_ast.lower import lower_function
from soljit.ir.core.nodes import Callback
from soljit.ir.walk import walk
from soljit.runtime.values.arguments import describe
from soljit.support.list_pools import LOOK
from tests.oracle import check

R = random.Random(7)


def floats(n: int, m: int) -> list[list[float]]:
    return [[R.randrange(-50, 50) / 8 for _ in range(m)] for _ in range(n)]


def ints(n: int, m: int, top: int = 10) -> list[list[int]]:
    return [[R.randrange(top) for _ in range(m)] for _ in range(n)]


def product(a: Any, b: Any, c: Any) -> Any:
    for i in range(len(a)):
        for j in range(len(b[0])):
            for k in range(len(b)):
                c[i][j] += a[i][k] * b[k][j]
    return c


def new_product(a: Any, b: Any) -> Any:
    c = [[0.0] * len(b[0]) for _ in range(len(a))]
    for i in range(len(a)):
        for j in range(len(b[0])):
            s = 0.0
            for k in range(len(b)):
                s += a[i][k] * b[k][j]
            c[i][j] = s
    return c


def solved(a: Any, b: Any) -> Any:
    n = len(a)
    for i in range(n):
        p = i
        for r in range(i + 1, n):
            if abs(a[r][i]) > abs(a[p][i]):
                p = r
        if a[p][i] == 0:
            raise ValueError("singular")
        a[i], a[p] = a[p], a[i]
        b[i], b[p] = b[p], b[i]
        for r in range(i + 1, n):
            f = a[r][i] / a[i][i]
            for c in range(i, n):
                a[r][c] -= f * a[i][c]
            b[r] -= f * b[i]
    x = [0.0] * n
    for i in range(n - 1, -1, -1):
        s = b[i]
        for c in range(i + 1, n):
            s -= a[i][c] * x[c]
        x[i] = s / a[i][i]
    return x


def life(grid: Any, steps: int) -> Any:
    n, m = len(grid), len(grid[0])
    for _ in range(steps):
        new = [row[:] for row in grid]
        for i in range(n):
            for j in range(m):
                s = 0
                for di in (-1, 0, 1):
                    for dj in (-1, 0, 1):
                        if (di or dj) and 0 <= i + di < n and 0 <= j + dj < m:
                            s += grid[i + di][j + dj]
                new[i][j] = 1 if s == 3 or (s == 2 and grid[i][j]) else 0
        grid = new
    return grid


def generations(n: int, steps: int) -> Any:
    grid = [[1 if (i * i + j * 7 + i * j) % 3 == 0 else 0 for j in range(n)] for i in range(n)]
    for _ in range(steps):
        new = [[0] * n for _ in range(n)]
        for i in range(n):
            for j in range(n):
                s = 0
                for di in (-1, 0, 1):
                    for dj in (-1, 0, 1):
                        if di != 0 or dj != 0:
                            s += grid[(i + di) % n][(j + dj) % n]
                if s == 3 or (s == 2 and grid[i][j]):
                    new[i][j] = 1
        grid = new
    return grid


def edit_distance(a: Any, b: Any) -> Any:
    d = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) + 1):
        d[i][0] = i
    for j in range(len(b) + 1):
        d[0][j] = j
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i][j] = min(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + cost)
    return d[-1][-1], d


def knapsack(weights: Any, values: Any, capacity: int) -> Any:
    t = [[0] * (capacity + 1) for _ in range(len(weights) + 1)]
    for i in range(1, len(weights) + 1):
        w, v = weights[i - 1], values[i - 1]
        for c in range(capacity + 1):
            t[i][c] = t[i - 1][c]
            if c >= w and t[i - 1][c - w] + v > t[i][c]:
                t[i][c] = t[i - 1][c - w] + v
    return t


def shortest_paths(d: Any) -> None:
    n = len(d)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i][k] + d[k][j] < d[i][j]:
                    d[i][j] = d[i][k] + d[k][j]


def filled(grid: Any, r: int, c: int, new: int) -> Any:
    old = grid[r][c]
    if old == new:
        return 0
    stack = [(r, c)]
    count = 0
    while stack:
        i, j = stack.pop()
        if 0 <= i < len(grid) and 0 <= j < len(grid[i]) and grid[i][j] == old:
            grid[i][j] = new
            count += 1
            stack.append((i + 1, j))
            stack.append((i - 1, j))
            stack.append((i, j + 1))
            stack.append((i, j - 1))
    return count


def distances(neighbours: Any, start: int) -> Any:
    distance = [-1] * len(neighbours)
    distance[start] = 0
    queue = [start]
    head = 0
    while head < len(queue):
        u = queue[head]
        head += 1
        for v in neighbours[u]:
            if distance[v] < 0:
                distance[v] = distance[u] + 1
                queue.append(v)
    return distance


def ranks(links: Any, steps: int) -> Any:
    n = len(links)
    rank = [1.0 / n] * n
    for _ in range(steps):
        new = [0.15 / n] * n
        for u in range(n):
            if links[u]:
                share = 0.85 * rank[u] / len(links[u])
                for v in links[u]:
                    new[v] += share
        rank = new
    return rank


def by_levels(neighbours: Any, start: int) -> Any:
    seen = [False] * len(neighbours)
    seen[start] = True
    level, levels = [start], []
    while level:
        levels.append(level)
        following = []
        for u in level:
            for v in neighbours[u]:
                if not seen[v]:
                    seen[v] = True
                    following.append(v)
        level = following
    return levels


def transposed(a: Any) -> Any:
    return [[row[j] for row in a] for j in range(len(a[0]))]


def transposed_in_place(a: Any) -> Any:
    for i in range(len(a)):
        for j in range(i):
            a[i][j], a[j][i] = a[j][i], a[i][j]
    return a[0]


def is_sudoku(b: Any) -> Any:
    for i in range(9):
        row, col, box = [False] * 10, [False] * 10, [False] * 10
        for j in range(9):
            x, y, z = b[i][j], b[j][i], b[3 * (i // 3) + j // 3][3 * (i % 3) + j % 3]
            if row[x] or col[y] or box[z]:
                return False
            row[x] = col[y] = box[z] = True
    return True


def triangle(n: int) -> Any:
    rows: list[list[int]] = []
    for i in range(n):
        row = [1] * (i + 1)
        for j in range(1, i):
            row[j] = rows[i - 1][j - 1] + rows[i - 1][j]
        rows.append(row)
    return rows


def buckets(values: Any, count: int) -> Any:
    made: list[list[int]] = [[] for _ in range(count)]
    for v in values:
        made[v % count].append(v)
    sizes = [len(b) for b in made]
    for b in made:
        if len(b) > 2:
            b.pop()
            b.pop(0)
    made.append(made[0])
    return made, sizes, made[1]


def rows_as_values(a: Any) -> Any:
    b = a[1]
    b[0] = 3.5
    a[2] = b
    a.append([1.0, 2.0])
    last = a.pop(0)
    total = 0.0
    for row in a:
        total += sum(row) + max(row) - min(row)
        row.append(total)
    for i, row in enumerate(a):
        row[i % 2] = float(i)
    return b, last, total, len(a), a


SQUARE = [[(3 * (i % 3) + i // 3 + j) % 9 + 1 for j in range(9)] for i in range(9)]
GRAPH = [[R.randrange(90) for _ in range(R.randrange(7))] for _ in range(90)]
CASES: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (product, [(floats(9, 8), floats(8, 9), floats(9, 9)), (floats(12, 8), floats(8, 10), floats(12, 10))]),
    (product, [(ints(9, 8), ints(8, 9), ints(9, 9)), ([[1 << 40] * 9] * 9, ints(9, 9, 1 << 30), ints(9, 9))]),
    (new_product, [(floats(9, 9), floats(9, 8)), (floats(20, 3), floats(3, 30))]),
    (solved, [(floats(9, 9), floats(1, 9)[0]), (floats(40, 40), floats(1, 40)[0]), (floats(1, 70) * 70, [1.0] * 70)]),
    (life, [(ints(9, 10, 2), 3), (ints(12, 12, 2), 2), (ints(70, 1, 2), 1)]),
    (generations, [(11, 40), (3, 9), (1, 2)]),
    (edit_distance, [(ints(1, 20, 3)[0], ints(1, 25, 3)[0]), (ints(1, 80, 4)[0], ints(1, 70, 4)[0]), ([], [1, 2])]),
    (knapsack, [(ints(1, 9)[0], ints(1, 9)[0], 20), (ints(1, 70)[0], ints(1, 70)[0], 100)]),
    (knapsack, [([1, 2], [1 << 62, 1 << 62], 9), ([1, 2] * 40, [1 << 70, 1] * 40, 9)]),
    (shortest_paths, [(floats(9, 9),), (ints(9, 9, 100),), (floats(30, 30),)]),
    (filled, [(ints(12, 12, 2), 5, 5, 7), (ints(90, 4, 3), 0, 0, 1), (GRAPH, 0, 0, 5)]),
    (distances, [(GRAPH, 0), (GRAPH, 89), (GRAPH, 90), (GRAPH, -3)]),
    (ranks, [(GRAPH, 5), ([[]] * 70, 2)]),
    (by_levels, [(GRAPH, 0), (GRAPH, 5)]),
    (transposed, [(floats(9, 9),), (ints(3, 30),), (floats(40, 2),)]),
    (transposed_in_place, [(floats(9, 9),), (ints(9, 9),), ([[1] * 3] * 70,)]),
    (is_sudoku, [(SQUARE,), ([*SQUARE[:8], SQUARE[0]],), ([*SQUARE[:8], [77] * 9],)]),
    (triangle, [(20,), (70,), (0,), (1,)]),
    (buckets, [(ints(1, 80, 100)[0], 7), (ints(1, 9, 100)[0], 3), ([], 2)]),
    (rows_as_values, [(floats(9, 9),), (floats(70, 2),)]),
]


@pytest.mark.parametrize(("f", "calls"), CASES, ids=[f"{f.__name__}-{k}" for k, (f, _) in enumerate(CASES)])
@pytest.mark.parametrize("target", ["null", ""])
def test_programs(f: Callable[..., Any], calls: list[tuple[Any, ...]], target: str) -> None:
    check(f, *calls[0], also=calls[1:], settings={"target": target} if target else None, plainly=True)


def changed(how: str) -> Any:
    """A list of lists of floats in which one thing is otherwise."""
    a: Any = floats(10, 10)
    match how:
        case "ragged":
            a[3] = a[3][:5]
        case "int":
            a[3][3] = 4
        case "none":
            a[3][3] = None
        case "text":
            a[9][9] = "x"
        case "twice":
            a[4] = a[2]
        case "same":
            a = [a[0]] * 10
        case "numpy":
            a[3][3] = np.float64(2.5)
        case "bool":
            a[3][3] = True
        case "tuple":
            a[3] = tuple(a[3])
        case "tuples":
            a = [tuple(row) for row in a]
        case "array":
            a = np.array(a)
        case "deep":
            a = [[[x] for x in row] for row in a]
        case "empty":
            a = []
        case "empty rows":
            a = [[] for _ in range(70)]
        case "one row empty":
            a[0] = []
        case "large":
            a[9][9] = 1 << 70
        case "nan":
            a[3][3] = float("nan")
    return a


KINDS = [
    "ragged",
    "int",
    "none",
    "text",
    "twice",
    "same",
    "numpy",
    "bool",
    "tuple",
    "tuples",
    "array",
    "deep",
    "empty",
    "empty rows",
    "one row empty",
    "large",
    "nan",
]


@pytest.mark.parametrize("how", KINDS)
def test_other_things_in_lists(how: str) -> None:
    good, bad = floats(10, 10), changed(how)
    check(new_product, good, good, also=[(bad, good), (good, bad), (bad, bad)], plainly=True)
    check(
        product,
        good,
        floats(10, 10),
        floats(10, 10),
        also=[(bad, good, floats(10, 10)), (good, good, bad)],
        plainly=True,
    )


@pytest.mark.parametrize("how", KINDS)
def test_other_things_first(how: str) -> None:
    bad = changed(how)
    check(shortest_paths, bad, also=[(floats(10, 10),)], plainly=True)
    check(rows_as_values, bad, also=[(floats(10, 10),)], plainly=True)


def known_items(f: Callable[..., Any], *args: Any) -> bool:
    """Does the program look at all items of its arguments?"""
    call = describe(args, f.__code__.co_varnames[: f.__code__.co_argcount])
    return any(
        isinstance(n, Callback) and n.target == LOOK
        for n in walk(lower_function(f, call.types, call.leaves).program.body)
    )


def one_item(a: Any, i: int) -> Any:
    return a[i][i]


def one_more(a: Any, x: float) -> None:
    a.append(x)


def some_more(a: Any, b: Any) -> None:
    for x in b:
        a.append(x)


def test_all_items_are_looked_at_only_where_a_loop_goes_through_them() -> None:
    long, square = floats(1, 90)[0], floats(70, 70)
    assert known_items(shortest_paths, square)
    assert not known_items(one_item, square, 3)
    assert not known_items(one_more, long, 0.5)
    assert not known_items(some_more, long, long[:])
    check(one_item, square, 3, also=[(square, 10)])
    check(one_more, long, 0.5)
    check(some_more, long, long[:], also=[([], long)])


def in_step(a: Any, b: Any) -> Any:
    s, t = 0.0, 0
    for i, (r, q) in enumerate(zip(a, b), 3):
        for x, y in zip(r, q):
            if x > y:
                s = x - y * i
        for j, x in enumerate(reversed(r)):
            if x > s:
                t += j
                s = x
    return s, t


def steps_over_what_changes(a: Any, n: int) -> Any:
    out = []
    for i, row in enumerate(a):
        for k, x in enumerate(row):
            if len(row) < n:
                row.append(x + 0.5)
            if k == 3:
                row[0] = x
        for x, y in zip(row, a[0]):
            if len(a[0]) < 2 * n and i == 1:
                a[0].append(y)
            out.append(x - y)
        for x in reversed(row):
            if len(row) > 3:
                row.pop()
            out.append(x)
        if i < 5:
            a.append([float(i)])
    return out, a


def another_meanwhile(a: Any) -> Any:
    row = a[0]
    pairs = enumerate(row)
    row = [9.0, 8.0]
    out = [row]
    for i, x in pairs:
        row = a[i % len(a)]
        out.append(row)
        row[0] = x
    return out, row


def emptied_rows(a: Any, n: int) -> Any:
    row = a[0]
    for i in range(n):
        row = [float(i)] * 5
        row[i] = row[0] + 1.0
        a.append(row)
    row.clear()
    row.append(2.5)
    n = len(row)
    while row:
        row.pop()
    return a, n, not row


def three_levels(n: int) -> Any:
    t = [[[0] * n for _ in range(n)] for _ in range(n + 1)]
    for i in range(n):
        for j in range(n):
            for k in range(n):
                t[i][j][k] = (t[i - 1][j][k] + i * j + k) % 7
    t[0], t[1] = t[1], t[0]
    t[0][1] = t[1][0]
    total = 0
    for plane in t:
        for row in plane:
            for x in row:
                total += x
    return t, total


def many_generations(n: int, steps: int) -> Any:
    kept = []
    rows = [[0] * n for _ in range(n)]
    for s in range(steps):
        rows = [[(x + i + s) % 11 for x in row] for i, row in enumerate(rows)]
        if s % 50 == 0:
            kept.append(rows[s % n])
            kept.append([])
        kept[-1].append(s)
    return rows, kept


def changed_before_it_raises(a: Any, k: int) -> Any:
    for i in range(len(a)):
        a[i][0] = 7.5
        a[i][k] += 1.0
    return a


def caught(a: Any, k: int) -> Any:
    found = 0
    for i in range(len(a)):
        try:
            a[i][k] += 1.0
        except IndexError:
            found += 1
            a[i].append(float(k))
    return found


def given_back(a: Any) -> Any:
    b = [row for row in a if len(row) > 2]
    for row in b:
        row[0] = -1.0
    return b, a[1], a


MORE: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (in_step, [(floats(9, 9), floats(9, 9)), (floats(9, 12), floats(30, 10)), ([[]] * 70, [[]] * 70)]),
    (steps_over_what_changes, [(floats(9, 9), 12), (floats(70, 1), 4)]),
    (another_meanwhile, [(floats(9, 9),), (floats(70, 1),)]),
    (emptied_rows, [(floats(9, 9), 4), (floats(70, 1), 0)]),
    (three_levels, [(5,), (1,), (0,)]),
    (many_generations, [(9, 400), (1, 60)]),
    (changed_before_it_raises, [(floats(9, 9), 8), (floats(9, 9), 9), ([*floats(9, 9), [1.0]], 5)]),
    (caught, [(floats(9, 9), 8), (floats(9, 9), 9), ([*floats(9, 9), []], 0)]),
    (given_back, [(floats(9, 9),), ([[1.0], *floats(9, 9)],)]),
]


@pytest.mark.parametrize(("f", "calls"), MORE, ids=[f.__name__ for f, _ in MORE])
@pytest.mark.parametrize("target", ["null", ""])
def test_iterators_and_identity(f: Callable[..., Any], calls: list[tuple[Any, ...]], target: str) -> None:
    check(f, *calls[0], also=calls[1:], settings={"target": target} if target else None, plainly=True)


class Board:
    """Lists as attributes."""

    def __init__(self, n: int) -> None:
        self.cells = [[(i * j + i) % 3 % 2 for j in range(n)] for i in range(n)]
        self.steps = 0
        self.trace: list[int] = []

    def total(self) -> int:
        s = 0
        for row in self.cells:
            for x in row:
                s += x
        return s

    def flip(self, limit: int) -> None:
        for i in range(len(self.cells)):
            for j in range(len(self.cells)):
                self.cells[i][j] = limit // (1 - self.cells[i][j] * 2 + limit % 2)
        self.steps += 1

    def moved(self) -> None:
        self.cells = [row[1:] + row[:1] for row in self.cells]
        self.trace.append(self.steps)


@pytest.mark.parametrize("method", ["total", "flip", "moved"])
def test_attributes(method: str) -> None:
    f = {"total": lambda b: b.total(), "flip": lambda b: b.flip(2), "moved": lambda b: b.moved()}[method]
    plain, compiled = Board(10), Board(10)
    cells, rows = compiled.cells, list(compiled.cells)
    for _ in range(3):
        assert sol.jit(f, strict=True)(compiled) == f(plain)
    assert vars(plain) == vars(compiled)
    if method != "moved":
        assert compiled.cells is cells
        assert all(a is b for a, b in zip(cells, rows))


def test_attributes_before_an_exception() -> None:
    plain, compiled = Board(10), Board(10)
    for f, b in ((Board.flip, plain), (sol.jit(Board.flip), compiled)):
        with pytest.raises(ZeroDivisionError):
            f(b, 1)
    assert vars(plain) == vars(compiled)
