"""Variables and values whose type depends on the path: int or float, None or a number, arrays of different types."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle import check
from tests.values import grid


def halves(n: int) -> Any:
    x = 0
    for _ in range(n):
        x = x + 0.5
    return x


def total(a: np.ndarray, n: int) -> Any:
    s = 0
    for i in range(n):
        s += a[i]
    return s


def largest(a: np.ndarray, n: int) -> Any:
    best = 0
    for k in range(n):
        if a[k] > best:
            best = a[k]
    return best * 2, best, -best, best > 1


def total_of_larger(a: np.ndarray, n: int) -> Any:
    s = 0
    for k in range(n):
        s += max(0, a[k] - 1)
    return s, max(1, a[0]), min(1, 2.5, a[1])


def shrinks(n: int) -> Any:
    err, k = 1, 0
    while err > 0.1:
        err = err * 0.5
        k += 1
        if k > n:
            break
    return err, k


def widens_late(a: np.ndarray, n: int) -> Any:
    x = 2
    y = np.int8(3)
    for k in range(n):
        a[k] = x
        y = y + k
        if k == 1:
            x = x * 1.5
            y = y * 2.0
    return x, y, x // 2, [x]


def large_ints(n: int) -> Any:
    x = 2**53 + 1
    for k in range(n):
        if k == 2:
            x = 0.5
    return x, x + 1, x * 3


def truth(n: int) -> Any:
    x = False
    for k in range(n):
        x = x + k
    return x, not x, x or "zero", 1 if x else 2.5


def test_numbers_in_loops() -> None:
    a = grid(4)
    for f in (total, largest, total_of_larger, widens_late):
        check(f, a, 4, also=[(a, 0), (a, 1), (a[::-1].copy(), 2), (a, 3)])
    for g in (halves, shrinks, large_ints, truth):
        check(g, 4, also=[(0,), (1,), (2,), (3,)])


def numbers_of_branches(a: np.ndarray, n: int) -> Any:
    y = 1 if a[0] > n else 2.5
    if a[1] > 0.5:
        z = y + 1
    else:
        z = True
    w = np.sqrt(y)
    return y, z, w, y > 2, -y, [y], abs(y), float(y), int(y), z == 2, a * y


def of_each_iteration(a: np.ndarray) -> Any:
    out = np.zeros(len(a))
    for k in range(len(a)):
        if k % 2:
            x = 3
        else:
            x = a[k]
        out[k] = x / 2 + x
        out[k] += x // 1
    return out, x


def test_numbers_of_branches() -> None:
    a = grid(4)
    check(numbers_of_branches, a, 4, also=[(a + 1, 0), (a, -1)])
    check(of_each_iteration, a, also=[(a[:1],)])


def first_above(a: np.ndarray, x: float) -> Any:
    found = None
    for k in range(len(a)):
        if found is None and a[k] > x:
            found = k
    if found is None:
        return "nothing"
    return found, a[found]


def last_of(a: np.ndarray, n: int) -> Any:
    last = -1
    for k in range(n):
        if a[k] > 1.5:
            last = k
            x = 1.5
        else:
            last = None
            x = 3
    return last, x


def none_is_no_number(a: np.ndarray, n: int) -> Any:
    x = None
    for k in range(n):
        x = a[k]
    return x + 1


def label(n: int) -> Any:
    name = "few"
    for k in range(n):
        if k > 2:
            name = "many"
        if k > 5:
            name = 7
    return name


def test_none_and_others() -> None:
    a = grid(4)
    check(first_above, a, 0.5, also=[(a, 9.0), (a, -1.0)])
    check(last_of, a, 4, also=[(a, 1), (a, 3)])
    check(none_is_no_number, a, 4)
    check(none_is_no_number, a, 0, raises=TypeError)
    check(label, 0, also=[(4,), (8,)])


def changing_array(a: np.ndarray, n: int) -> Any:
    x = a
    for k in range(n):
        if k == 1:
            x = x.astype(np.float32)
        if k == 2:
            x = x.reshape(2, 2)
        if k == 3:
            x = 7
        if k == 4:
            x += 2
    return x


def in_place_or_not(a: np.ndarray, n: int) -> Any:
    x = 1.5
    for k in range(n):
        x += 1
        if k == 0:
            x = a
        x[0] = 5.0
    return x


def shapes_of_branches(a: np.ndarray, flag: bool) -> Any:
    b = a if flag else np.outer(a, a)
    s = 0.0
    for x in b:
        s = s + x
    return b.shape, b.ndim, b.sum(), len(b), s, b[0], b.T


def pairs(a: np.ndarray, n: int) -> Any:
    p = None
    for k in range(n):
        p = (k, a[k])
    if p is not None:
        i, x = p
        return i, x, p
    return p


def test_arrays_and_tuples() -> None:
    a = grid(4)
    check(changing_array, a, 4, also=[(a, k) for k in (0, 1, 2, 3, 5)])
    check(in_place_or_not, a, 3, also=[(a, 0)])
    check(shapes_of_branches, a, True, also=[(a, False)])
    check(pairs, a, 2, also=[(a, 0)])


def several(k: int, x: float) -> Any:
    if k == 0:
        return None
    if k == 1:
        return x, 2
    for i in range(k):
        if i == 4:
            return i
        if x > 10.0:
            return "large"
    return x


def calls(a: np.ndarray, k: int) -> Any:
    p = several(int(a[k]), a[k] * 3)
    if p is None:
        return "none"
    q = [several(k, x) for x in (1.0, 20.0)]
    return p, q, several(int(a[k]), 1) == 4


def unpacked(a: np.ndarray, k: int) -> Any:
    x, y = several(int(a[k]), 2.0)
    return x + y


def test_called_functions() -> None:
    a = grid(6)
    check(calls, a, 0, also=[(a, k) for k in range(6)])
    check(unpacked, a, 1)
    check(unpacked, a, 0, raises=TypeError)
    check(unpacked, a, 2, raises=TypeError)


def missing_attribute(x: float, k: int) -> Any:
    y = x if k else None
    return y.real


def test_missing_attributes() -> None:
    check(missing_attribute, 2.0, 1)
    check(missing_attribute, 2.0, 0, raises=AttributeError)


def pair_of_choices(a: np.ndarray, k: int) -> Any:
    x = a[0]
    y = True
    q = None
    if a[1] > 0:
        if k > 1:
            x = 1
        y = y * 1.5
        for i in range(k):
            q = (x, y)
            x = k
            y = 2 if i else 0.5
    return q, x, y


def test_choices_inside_of_choices() -> None:
    check(pair_of_choices, grid(3), 0, also=[(grid(3), 1), (grid(3), 3), (-grid(3), 2)])


def counts_from_none(n: int) -> Any:
    r = None
    while r is None or r < n:
        r = 1 if r is None else r + 1.5
    return r


def default_length(a: np.ndarray, n: Any) -> Any:
    if n is None:
        n = len(a)
    s = 0
    for i in range(n):
        s += a[i]
    return s


def chosen_function(a: np.ndarray, n: int) -> Any:
    f = np.sin
    for _ in range(n):
        f = np.cos
    return f(a)


def number_or_array(n: int) -> Any:
    x = 5 if n > 0 else np.array([1, 2])
    x += 1
    x = x * 2
    return x


def range_of(a: np.ndarray, n: int) -> Any:
    lo, hi = None, None
    for v in a:
        lo = v if lo is None else min(lo, v)
        hi = v if hi is None else max(hi, v)
    return lo, hi, (hi - lo) if n else None


def test_everyday_programs() -> None:
    a = grid(4)
    for f in (chosen_function, range_of, default_length):
        check(f, a, 0, also=[(a, 1), (a, 3)])
    check(default_length, a, None)
    check(counts_from_none, 0, also=[(1,), (4,)])
    check(number_or_array, 0, also=[(1,)])


def squeezed(a: np.ndarray, n: float) -> Any:
    a[0] = 7
    u = np.unique(a[a < n])
    return np.squeeze(u) * 2, np.squeeze(u[:, None]), np.array(u[None]).squeeze()


def crossed(a: np.ndarray, n: float) -> Any:
    a[0] = 7
    u = a[a < n]
    try:
        return np.cross(u, u[::-1] + 1)
    except ValueError as e:
        return str(e)


def test_ranks_that_lengths_decide() -> None:
    for f in (squeezed, crossed):
        for n in (1.0, 2.0, 3.0, 4.0, 8.0):
            check(f, np.arange(5.0), n, also=[(np.arange(3.0), n)])


def negated(a: np.ndarray, n: int) -> Any:
    x = None
    for k in range(n):
        x = a if k == 0 else x * 2
    return -x


def test_negated_none() -> None:
    check(negated, grid(3), 2)
    check(negated, grid(3), 0, raises=TypeError)


def full_of_either(a: np.ndarray, n: int) -> Any:
    v = a[0] if n else n
    u = a[1 : n + 2] if n else np.ones(2, bool)
    return np.full(len(a), v), np.ones_like(a) * v, np.full_like(u, 1), u.sum()


def test_what_is_made_of_either() -> None:
    check(full_of_either, grid(3), 0, also=[(grid(3), 1)])


def stretched(a: np.ndarray, n: float) -> Any:
    a[0] = 7
    u = a[a < n]
    v = np.broadcast_to(u, (2, 3))
    w = np.broadcast_to(u[:, None], (len(a[a > 1]), 2))
    return v, v * 2, w + 1, np.broadcast_to(u[None], (2, 1, len(u))) * v


def test_lengths_that_only_the_run_tells_are_stretched() -> None:
    a = np.array([0.0, 2.0, 5.0, 1.0])
    for n in (1.5, 3.0, 6.0, 9.0, 0.0):
        for m in (4, 3, 2):
            check(stretched, a[:m], n)


def reported(a: np.ndarray, n: float) -> Any:
    v = sum(x for x in a if x > n)  # 0 or a float
    text = f"{v} of {len(a)}: {v:.2f} {v!r}"
    if n > 2:
        raise ValueError(f"bad {v}")
    return text, f"{v:{int(n) + 8}}"


def test_text_of_either_type() -> None:
    a = np.arange(4.0)
    check(reported, a, 1.0, also=[(a, 2.5), (a, 9.0), (a[:0], 1.0)], raises=None)


def ordered(z: complex, x: float) -> Any:
    return z > x, x > z, z <= x, x >= z, z == x, x != z


def test_complex_numbers_and_numpy_scalars_in_order() -> None:
    for x in (np.float64(2), np.float32(2), np.int64(2), np.complex128(3), np.float64("nan")):
        check(ordered, 2 + 1j, x)
    check(ordered, 2 + 1j, 2.0, raises=TypeError)


def test_lengths_of_an_array_that_a_variable_is_in_some_iterations() -> None:
    def f(a, b, w, n):
        for i in range(1, n):
            a = np.digitize(a, [2])
            if b.any():
                b = a
                w = b.conj()
            else:
                w[n]
        return a, b, w

    check(f, (0,), np.arange(9), 4, 2, also=[((0,), np.zeros(3), 4, 1)], settings={"target": "interpreter"})
    check(f, (0,), np.zeros(3), 4, 2, settings={"target": "interpreter"}, raises=TypeError)


def test_conditions_of_comprehensions() -> None:
    def f(a, b):
        c = float(a[0]) < 3 and a[1] < 3
        out = [q for q in (1, 2, 3) if c]
        out += [q for q in (1, 2, 3) if float(a[0]) < 3 and a[1] < q]
        out += [q for q in b if q and a[1] < 0]
        out += [k for k in range(3) for q in range(k) if (q if k > 1 else a[q])]
        return out, any(q and a[1] for q in range(3)), all(q or b[0] for q in range(3)), bool(c), not c

    check(
        f,
        np.array([-2, 6, 3], np.float32),
        np.array([5, 0, 4]),
        also=[(np.array([1, -6, 0], np.float32), np.array([0, 1]))],
    )


def test_steps_through_arrays_of_which_only_the_run_tells_the_axes() -> None:
    class Mesh:
        def __init__(self, nodes):
            self.nodes = nodes
            self.known = {"lengths": np.array(nodes)}

    def f(n):
        points = []
        for j in range(n):
            for i in range(n):
                points.append([0.5 * i, 2.0 * j])
        mesh = Mesh(np.array(points))
        total = 0
        for k, (x, y) in enumerate(mesh.nodes):
            total += k * x + y
        for (x, y), z in zip(mesh.known["lengths"], np.asarray(points)):
            if z[0] > 5:
                break
            total += x - z[1]
        else:
            total += 100
        for k, v in enumerate(zip(reversed(mesh.nodes), np.array(points))):
            total += k * v[0][1] - v[1][0]
        return total, k, v

    check(f, 3, also=[(1,), (4,)])


def test_names_that_a_loop_binds_first_and_again_with_another_rank() -> None:
    def ranks(n, x):
        for i in range(n):
            v = x + i
            v = v[None]
            if i == 1:
                v = v[None]
                if x[0] > 5:
                    continue
            w = v.sum()
            w = w * np.ones((2, 2))
        else:
            return v.ndim, v, w
        return None

    def while_deleted(n, x):
        s = 0
        while n > 0:
            v = x * n
            s += v.ndim
            v = v[:, None]
            if n == 2:
                del v
            n -= 1
            for k in range(n):
                v = k
                if k > 1:
                    v = v + x
        return s, v

    check(ranks, 1, np.arange(3.0), also=[(2, np.arange(3.0)), (3, np.arange(3.0) + 6), (0, np.arange(3.0))])
    check(while_deleted, 1, np.arange(3.0), also=[(2, np.arange(3.0)), (4, np.arange(3.0)), (0, np.arange(3.0))])
