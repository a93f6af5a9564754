"""Array variables that stand for different memory in the course of a function."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle import check
from tests.values import grid


def ping_pong(a: np.ndarray, n: int) -> np.ndarray:
    b = np.empty_like(a)
    b[0], b[-1] = a[0], a[-1]
    for _ in range(n):
        b[1:-1] = 0.5 * (a[:-2] + a[2:])
        a, b = b, a
    return a


def ping_pong_both(a: np.ndarray, b: np.ndarray, n: int) -> None:
    for _ in range(n):
        b[1:-1] = a[:-2] + a[2:] - a[1:-1]
        t = a
        a = b
        b = t
    a[0] = -1.0


def rotate_three(a: np.ndarray, b: np.ndarray, c: np.ndarray, n: int) -> Any:
    for k in range(n):
        a[k] += 1
        b[k] += a[k]
        a, b, c = b, c, a
    return a, c


def test_swaps_in_loops() -> None:
    for n in (0, 1, 2, 5):
        check(ping_pong, np.cos(grid(8)), n)
    check(ping_pong_both, np.cos(grid(8)), np.sin(grid(8)), 3, also=[(np.cos(grid(8)), np.sin(grid(8)), 4)])
    check(rotate_three, grid(6), grid(6) * 2, grid(6) * 3, 4)


def branch(a: np.ndarray, flag: bool) -> np.ndarray:
    if flag:
        b = a
    else:
        b = a.copy()
    b += 1
    return b


def branch_of_views(a: np.ndarray, k: int) -> np.ndarray:
    if k == 0:
        b = a[1:]
    elif k == 1:
        b = a[::2]
    else:
        b = a * 2
    b[0] = 77.0
    return b


def branch_of_shapes(a: np.ndarray, flag: bool) -> Any:
    b = a[:2] if flag else np.zeros(5)
    c = b + 1
    return c, b.shape[0], c.sum()


def branch_of_dtypes(a: np.ndarray, flag: bool) -> Any:
    b = a
    if flag:
        b = a.astype(np.float32)
    return b * 2


def test_branches() -> None:
    for flag in (True, False):
        check(branch, grid(4), flag)
        check(branch_of_shapes, grid(4), flag)
        check(branch_of_dtypes, grid(4), flag)
    for k in range(3):
        check(branch_of_views, grid(5), k)


def grows(a: np.ndarray, n: int) -> np.ndarray:
    for k in range(n):
        a = np.concatenate((a, a[:1] + k))
    return a


def shrinks(a: np.ndarray) -> np.ndarray:
    while a.shape[0] > 1:
        a = a[::2] + a[: (a.shape[0] + 1) // 2]
    return a


def reduces_rank(m: np.ndarray) -> Any:
    m = m.sum(axis=0)
    m = m * 2
    m = m.sum()
    return m


def rebinds_in_loop(a: np.ndarray, n: int) -> Any:
    x = a
    for _ in range(n):
        x = x * 0.5 + 1
    a[0] = -5
    return x


def history(a: np.ndarray, n: int) -> Any:
    old = a
    for _ in range(n):
        new = old + 1
        delta = new - old
        old = new
    return old, delta.sum()


def test_rebinding_in_loops() -> None:
    check(grows, grid(2), 3, also=[(grid(2), 0)])
    check(shrinks, grid(8), also=[(grid(7),), (grid(1),)])
    check(reduces_rank, grid(3, 4))
    check(rebinds_in_loop, grid(4), 3, also=[(grid(4), 0), (grid(4), 1)])
    check(history, grid(4), 3)


def pick(a: np.ndarray, b: np.ndarray, k: int) -> np.ndarray:
    return a if k > 0 else b


def pick_in_loop(a: np.ndarray, b: np.ndarray) -> float:
    s = 0.0
    for k in range(6):
        c = a if k % 2 else b
        c[k % len(c)] += k
        s += c.sum()
    return s


def list_of_arrays(a: np.ndarray, b: np.ndarray) -> Any:
    xs = [a, b, a + b]
    for x in xs:
        x[0] += 1
    xs[1] = xs[2]
    return xs[1], xs[0]


def row_variable(m: np.ndarray) -> np.ndarray:
    row = m[0]
    for i in range(1, m.shape[0]):
        m[i] += row
        row = m[i]
    row[:] = 0
    return row


def none_first(a: np.ndarray, n: int) -> Any:
    best = None
    for k in range(n):
        if best is None or a[k] > best:
            best = a[k]
    return best


def test_choices() -> None:
    check(pick, grid(3), grid(3) + 1, 1)
    check(pick, grid(3), grid(3) + 1, -1)
    check(pick_in_loop, grid(3), grid(4))
    check(list_of_arrays, grid(3), grid(3) + 1)
    check(row_variable, grid(3, 4))
    check(none_first, np.array([3.0, 5.0, 1.0]), 3)
    check(none_first, np.array([3.0, 5.0, 1.0]), 0)


def alias_then_rebind(a: np.ndarray) -> Any:
    b = a
    a = a + 1
    b[0] = 9
    a[1] = 8
    c = b
    b = b[1:]
    b[0] = 7
    return a, b, c


def temporary_reused(a: np.ndarray, n: int) -> np.ndarray:
    t = np.zeros_like(a)
    out = np.zeros((n,) + a.shape)
    for k in range(n):
        t[:] = a * k
        out[k] = t
        t += 1
        out[k] += t[::-1]
    return out


def test_aliases() -> None:
    check(alias_then_rebind, grid(4))
    check(temporary_reused, grid(4), 3)


def object_or_view(a: np.ndarray, b: np.ndarray, k: int) -> Any:
    x = a
    for i in range(k):
        if i == 0:
            x = b
        elif i == 1:
            x = a[:]
        elif i == 2:
            x = a[1:]
        elif i == 3:
            x = a + b
    y = x if k != 5 else a
    return x, y, a


def larger(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if a.sum() > b.sum():
        return a
    return b


def larger_called(a: np.ndarray, b: np.ndarray) -> Any:
    c = larger(a, b)
    d = larger(b, b)
    c[0] = 9.0
    return c, d, larger(a.copy(), d)


def chosen_in_tuple(a: np.ndarray, b: np.ndarray, n: int) -> Any:
    pair = (a, b)
    for _ in range(n):
        pair = (pair[1], pair[0])
    return pair


def tells_objects_apart(a: np.ndarray, b: np.ndarray, n: int) -> Any:
    x = a
    for _ in range(n):
        x = b
    return x is a, x is b, x is not a, a is a, a[:] is a, a is None


def same_new_object(a: np.ndarray, n: int) -> Any:
    x = a + 1
    y = a * 2
    for _ in range(n):
        x, y = y, x
    return x, y, x


def test_identity_of_what_is_returned() -> None:
    a, b = grid(4), grid(4) + 1
    check(object_or_view, a, b, 0, also=[(a, b, k) for k in range(1, 7)])
    check(larger, a, b, also=[(b, a)])
    check(larger_called, a, b, also=[(b, a)])
    check(chosen_in_tuple, a, b, 0, also=[(a, b, 1), (a, b, 2)])
    check(tells_objects_apart, a, b, 0, also=[(a, b, 2)])
    check(same_new_object, a, 3, also=[(a, 0)])
    both = grid(3)
    check(larger, both, both)


def writes_what_was_chosen(a: np.ndarray, b: np.ndarray, flag: bool) -> Any:
    c = a if flag else b
    c[0] = 5.0
    return c


def test_a_read_only_array_among_the_choices() -> None:
    a, b = grid(3), grid(3)
    a.flags.writeable = False
    check(writes_what_was_chosen, a, b, False, also=[(b, b.copy(), True), (b, a, True)])
    check(writes_what_was_chosen, a, b, True, raises=ValueError)


def views_that_show_the_same(a: np.ndarray, b: np.ndarray, flag: bool) -> Any:
    u = a[1:]
    v = a
    w = b
    for _ in range(3):
        w = a[1:]
    if flag:
        u, v = v, u
        u = a + b
    t = w if flag else u
    return u, v, w, t, w is w


def test_views_that_show_the_same() -> None:
    check(views_that_show_the_same, grid(4), grid(4) + 1, True)
    check(views_that_show_the_same, grid(4), grid(4) + 1, False)


def rolled_rows(a: np.ndarray, n: int) -> np.ndarray:
    v = np.broadcast_to(a, (2, len(a)))
    for _ in range(n):
        v = np.roll(v, 1, axis=0) * 2
    return v


def tried_in_place(a: np.ndarray, n: int) -> Any:
    try:
        a += n
    except ValueError:
        pass
    return np.sin(a), a * 2, np.zeros_like(a)


def turned_in_a_loop(a: np.ndarray, n: int) -> Any:
    x = None
    for k in range(3):
        if k > n:
            a = a.T
        a = -a
        x = a if x is None else (x @ a.T).T
    return a, -x, a.sum(axis=0)


def chosen_order(a: np.ndarray, b: np.ndarray, n: int) -> Any:
    r = a if n else b
    t = a.reshape(2, -1, 2).transpose(2, 0, 1) if n else a.reshape(2, -1, 2) * 2
    return r * 2, r.copy(), np.exp(r + r), t + 1, np.empty_like(t).shape


def rotated_axes(a: np.ndarray, n: int) -> np.ndarray:
    t = a.reshape(2, 2, -1)[:, :, :2]
    for _ in range(n):
        t = np.transpose(t, (1, 2, 0)) + 1
    return t


def test_memory_order_of_what_variables_hold() -> None:
    c = grid(4, 4)
    layouts = [c, np.asfortranarray(c), np.asfortranarray(grid(8, 4))[::2], c[:, ::-1], grid(4, 8)[:, ::2]]
    for a in layouts:
        check(tried_in_place, a.copy("K"), 1)
        for n in (0, 1, 5):
            check(turned_in_a_loop, a, n)
            check(chosen_order, a, layouts[1], n)
            check(rotated_axes, a, n)
    check(rolled_rows, c[0], 0, also=[(c[0], 1), (c[0], 3)])


def parts_of_what_numpy_made(a: np.ndarray, n: int) -> Any:
    x = np.insert(a, 0, 1.0, axis=0)[:3]
    y = np.nan_to_num(a)[:, :2]
    for k in range(n):
        x = np.insert(x + k, 0, 2.0, axis=0)[:3]
        y = np.nan_to_num(y + k)[::-1, :2]
    return x, y, x * 2, y + 1


def repeated_rows(a: np.ndarray, n: int) -> Any:
    v = np.broadcast_to(a[0], (3, a.shape[1]))
    u = a if n else v
    for _ in range(n):
        v = v[::-1] if v.shape[0] > 2 else a
    a[0, 0] = 9
    return v[:], u[::-1], v * 2, u + v


def test_views_bound_to_variables() -> None:
    for a in (grid(4, 3), np.asfortranarray(grid(4, 3)), grid(3, 4).T):
        for n in (0, 1, 2):
            check(parts_of_what_numpy_made, a, n)
    for n in (0, 1):
        check(repeated_rows, grid(3, 3), n)
