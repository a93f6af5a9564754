"""Programs for any number of dimensions: subscripts, shapes and axes made as lists, axes counted by loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.oracle import check


def part_of_one_axis(a: np.ndarray, ax: int, n: int) -> Any:
    idx = [slice(None)] * a.ndim
    idx[ax] = slice(0, n)
    return a[tuple(idx)]


def one_axis_cleared(a: np.ndarray, ax: int) -> Any:
    idx = [slice(None)] * a.ndim
    idx[ax] = 0
    a[tuple(idx)] = -1
    return a


def difference_along(a: np.ndarray, ax: int) -> Any:
    lo = [slice(None)] * a.ndim
    hi = [slice(None)] * a.ndim
    lo[ax] = slice(None, -1)
    hi[ax] = slice(1, None)
    return a[tuple(hi)] - a[tuple(lo)]


def differences_in_place(a: np.ndarray) -> Any:
    out = np.zeros_like(a)
    for d in range(a.ndim):
        lo = [slice(None)] * a.ndim
        hi = [slice(None)] * a.ndim
        lo[d] = slice(None, -1)
        hi[d] = slice(1, None)
        out[tuple(lo)] += a[tuple(hi)] - a[tuple(lo)]
    return out


def steps_of_a_subscript(a: np.ndarray, ax: int) -> Any:
    idx = [slice(None)] * a.ndim
    r = []
    for k in range(2):
        idx[ax] = k
        r.append(a[tuple(idx)].sum())
    return r


def mean_along_taken_away(a: np.ndarray, ax: int) -> Any:
    shape = list(a.shape)
    shape[ax] = 1
    m = a.mean(axis=ax).reshape(shape)
    return a - m


def length_of_one_axis(a: np.ndarray, ax: int) -> Any:
    shape = list(a.shape)
    n = shape.pop(ax)
    return np.ones(shape), n


def scaled_along(a: np.ndarray, ax: int, v: np.ndarray) -> Any:
    shape = [1] * a.ndim
    shape[ax] = a.shape[ax]
    w = v[: a.shape[ax]].reshape(shape)
    return a * w


def subscripts_as_tuples(a: np.ndarray, ax: int) -> Any:
    sl = (slice(None),) * (ax % 3) + (0,)
    return a[sl], a[(slice(None),) * ax + (slice(0, 1),)]


def axes_exchanged(a: np.ndarray, ax: int) -> Any:
    perm = list(range(a.ndim))
    perm[0], perm[ax] = perm[ax], perm[0]
    return a.transpose(perm), a.transpose(tuple(perm))


def all_other_axes(a: np.ndarray, ax: int) -> Any:
    axes = tuple(d for d in range(a.ndim) if d != ax)
    return a.sum(axis=axes)


def ellipsis_in_a_name(a: np.ndarray, n: int) -> Any:
    idx = (slice(None), n, ...)
    return a[idx[:2]], a[idx]


def moved_to_the_front_and_back(a: np.ndarray, ax: int, n: int) -> Any:
    a = np.moveaxis(a, ax, 0)
    a[:n] = 0
    return np.moveaxis(a, 0, ax)


def list_of_views(a: np.ndarray, n: int) -> Any:
    parts = [a[..., :n], a[..., n:]]
    parts[n - 1] = parts[n - 1] * 2
    return np.concatenate(parts, axis=-1)


def rest_of_the_axes(a: np.ndarray, ax: int) -> Any:
    rest = [d for d in range(a.ndim) if d != ax]
    return a.transpose([ax] + rest) if 0 <= ax < 3 else 0


def sums_over_the_others(a: np.ndarray) -> Any:
    r = []
    for d in range(a.ndim):
        others = tuple(k for k in range(a.ndim) if k != d)
        r.append(a.sum(axis=others))
    return r


def gradients(a: np.ndarray) -> Any:
    g = []
    for d in range(a.ndim):
        g.append(np.gradient(a, axis=d) if a.shape[d] > 1 else a)
    return g[0], g[-1]


def rolled_along_each(a: np.ndarray, n: int) -> Any:
    for d in range(a.ndim):
        a = np.roll(a, n, axis=d)
    return a


def weights_along_each(a: np.ndarray) -> Any:
    for d in range(a.ndim):
        w = np.ones(a.ndim, int)
        shape = [1] * a.ndim
        shape[d] = a.shape[d]
        a = a * np.arange(a.shape[d]).reshape(shape)
    return a


def list_of_numbers(a: np.ndarray, n: int) -> Any:
    s = 0
    for k in range(4):
        t = [1, 2, 3, 4]
        t[k] = n
        s += sum(t)
    return s


def padded_along_one(a: np.ndarray, n: int) -> Any:
    pads = [(0, 0)] * a.ndim
    pads[n % 3] = (1, 2)
    return np.pad(a, pads)


def padded_along_each(a: np.ndarray, n: int) -> Any:
    for d in range(a.ndim):
        pads = [(0, 0)] * a.ndim
        pads[d] = (1, 1)
        a = np.pad(a, pads, mode="edge")
    return a


def returned_from_the_loop(a: np.ndarray) -> Any:
    for d in range(a.ndim):
        if a.shape[d] == 3:
            return np.take(a, 1, axis=d)
    return None


def moved_zeros(a: np.ndarray) -> Any:
    for d, n in enumerate(a.shape):
        a = a + np.moveaxis(np.zeros(a.shape[d]) + np.zeros(a.shape[:d] + a.shape[d + 1 :] + (1,)), -1, d)
    return a


def sums_over_the_first(a: np.ndarray) -> Any:
    out = []
    for k in range(a.ndim + 1):
        out.append(a.sum(axis=tuple(range(k))))
    return out


def sum_over_axes_appended(a: np.ndarray, n: int) -> Any:
    axes = []
    for k in range(n):
        axes.append(k)
    return a.sum(axis=tuple(axes)) / len(axes)


FUNCTIONS: list[Callable[..., Any]] = [
    part_of_one_axis,
    one_axis_cleared,
    difference_along,
    differences_in_place,
    steps_of_a_subscript,
    mean_along_taken_away,
    length_of_one_axis,
    scaled_along,
    subscripts_as_tuples,
    axes_exchanged,
    all_other_axes,
    ellipsis_in_a_name,
    moved_to_the_front_and_back,
    list_of_views,
    rest_of_the_axes,
    sums_over_the_others,
    gradients,
    rolled_along_each,
    weights_along_each,
    list_of_numbers,
    padded_along_one,
    padded_along_each,
    returned_from_the_loop,
    moved_zeros,
    sums_over_the_first,
    sum_over_axes_appended,
]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_interpreted(f: Callable[..., Any]) -> None:
    names = f.__code__.co_varnames[: f.__code__.co_argcount]
    for ax, n in ((1, 2), (-1, 1), (0, 1), (7, 2)):
        values = {"a": np.arange(24.0).reshape(2, 3, 4), "ax": ax, "n": n, "v": np.arange(5.0)}
        args = [values[name] for name in names]
        check(f, *args, settings={"target": "interpreter"}, raises=_raised(f, args))


def _raised(f: Callable[..., Any], args: list[Any]) -> type[BaseException] | None:
    try:
        f(*[a.copy() if isinstance(a, np.ndarray) else a for a in args])
    except Exception as e:
        return type(e)
    return None


def test_compiled() -> None:
    a = np.arange(24.0).reshape(2, 3, 4)
    check(lambda a, ax: (difference_along(a, ax), all_other_axes(a, ax)), a, 1, also=[(a, 2), (a, 0)])
    check(differences_in_place, a)


def permuted_along(a: np.ndarray, k: int) -> Any:
    r = 0.0
    while k < 9:
        b = np.transpose(a, (k % 3, (k + 1) % 3, (k + 2) % 3))
        c = a.swapaxes(k % 3 - 3, -1)
        d = np.rollaxis(a, k % 3, 2)
        b[0, 0, 0] += 1
        r = r + (b * 2).ravel("K")[1] + (c + 1).ravel("K")[3] + d.ravel("K").sum()
        k += 1
    return r, b, c, d


def moved_until_there_is_no_axis(a: np.ndarray, n: int) -> Any:
    for k in range(n):
        a[0, 0, 0] = k
        b = np.moveaxis(a, k, 0)
        c = np.moveaxis(a, (0, -k), (1, 0)) + 1
    return b, c


def axes_that_may_repeat(a: np.ndarray, n: int) -> Any:
    for k in range(n):
        a[0, 0, 0] = k
        b = np.transpose(a, (k, 1, 2))
    return b


def unique_along(a: np.ndarray, n: int) -> Any:
    s = 0.0
    a[0] = 5
    for k in range(n):
        u = np.unique(a, axis=k)
        s += (u * 2).ravel("K")[1]
    return s, u, u + 1


def test_views_and_orders_along_axes_that_only_the_run_tells() -> None:
    a = np.arange(24.0).reshape(2, 3, 4)
    for f in (permuted_along, moved_until_there_is_no_axis, axes_that_may_repeat, unique_along):
        check(f, a, 1, also=[(a, 2), (a.T, 3), (a.transpose(1, 2, 0), 2), (a, 4)])


def results_along_the_axes(a: np.ndarray) -> Any:
    out = []
    for k in range(a.ndim):
        out.append(np.unique(a, axis=k))
        out.append(np.cross(a, a[::-1], axis=k))
    return out


def test_call_backs_whose_memory_order_depends_on_the_axis() -> None:
    check(results_along_the_axes, np.arange(9.0).reshape(3, 3), also=[(np.arange(9.0).reshape(3, 3).T,)])


def columns_deleted_after_a_write(a: np.ndarray, p: np.ndarray) -> Any:
    a[0, 0] = 3
    return np.delete(a, p, axis=1), np.insert(a, p, 7, axis=1)


def test_call_backs_whose_memory_order_depends_on_a_length() -> None:
    a = np.arange(12.0).reshape(3, 4)
    positions = [np.array([1]), np.array([1, 2]), np.array([0, 1, 2, 3]), np.array([], int)]
    for x in (a, np.asfortranarray(a)):
        check(columns_deleted_after_a_write, x, positions[0], also=[(x, p) for p in positions[1:]])
        check(columns_deleted_after_a_write, x, positions[1], also=[(x, positions[0])])
