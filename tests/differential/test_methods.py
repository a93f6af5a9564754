"""Array methods, sorting and searching, those that work in place."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle import check, check_all
from tests.values import grid

V = np.array([3.0, -1.0, 4.0, -1.5, 5.0, 9.0, -2.0, 6.0])


def test_methods() -> None:
    check_all(
        """
        a.sum()
        a.mean(axis=0)
        a.min()
        a.max(axis=1)
        a.copy()
        a.astype(np.float32)
        a.T
        a.reshape(-1)
        a.ravel()
        a.flatten()
        a.transpose(1, 0)
        a.dot(a.T)
        a.argmax()
        a.argsort(axis=1)
        a.clip(0, 3)
        a.round(1)
        a.round()
        a.cumsum()
        a.prod(axis=1)
        a.std()
        a.var(axis=0)
        a.trace()
        a.diagonal()
        a.nonzero()
        a.squeeze()
        a.swapaxes(0, 1)
        a.repeat(2)
        a.take([1, 0])
        a.tolist()
        a.item(3)
        a[0, 0].item()
        a.flat[3]
        a.conj()
        a.real
        a.imag
        a.any(axis=0)
        a.all()
        a.ptp() if hasattr(a, 'ptp') else 0
        a.size
        a.ndim
        a.shape
        a.itemsize
        a.nbytes
        a.strides
        v.searchsorted(3.0)
        v.compress(v > 0)
        v.argpartition(3)[:3].shape
        v.view(np.int64)
        v.tobytes()
        np.sort(v)[::-1]
        np.argsort(v)
        np.argsort(v, kind='stable')
        np.lexsort((v, v > 0))
        np.partition(v, 3)[3]
        np.argwhere(v > 0)
        np.where(v > 0)
        np.where(v > 0)[0]
        np.nonzero(v > 0)
        np.extract(v > 0, v)
        np.flatnonzero(v)
        np.cumsum(v)[-1]
        np.maximum.accumulate(v)
        np.diff(v, n=2)
        np.round(v * 1.37, 1)
        np.round(2.5)
        np.clip(2.7, 0, 1)
        np.sign(v)
        np.real(v)
        np.ravel(a)
        np.array_equal(v, v[::-1])
        np.max(v) - np.min(v)
        sorted(v.tolist())
        list(v[:2])
        float(v[0])
        int(v[2])
        max(v)
        min(v)
        sum(v)
        any(v > 8)
        all(v > 8)
        abs(v)
        round(v[0] * 1.234, 2)
        len(v)
        """,
        a=np.cos(grid(3, 4)) * 3,
        v=V,
        rtol=1e-14,
    )


def in_place(a: np.ndarray, m: np.ndarray) -> Any:
    a.sort()
    m.sort(axis=0)
    b = a[::-1]
    b.sort()
    c = np.empty(3)
    c.fill(a[0])
    np.copyto(m[0], 5.0)
    np.put(a, [0, 2], [7.0, 8.0])
    np.fill_diagonal(m, -1.0)
    np.place(a, a > 7, [0.5])
    np.putmask(a, a < 0, 100.0)
    m.flat[1] = 33.0
    return b, c


def test_in_place() -> None:
    check(in_place, V, np.cos(grid(3, 4)))


def sort_keeps_nan_last(a: np.ndarray) -> Any:
    return np.sort(a), np.argsort(a, kind="stable"), a.argmin(), np.unique(a)


def test_sorting_special_values() -> None:
    check(sort_keeps_nan_last, np.array([2.0, np.nan, -0.0, 0.0, -np.inf, np.inf, np.nan, 2.0]))


def frozen(a: np.ndarray, name: str) -> Any:
    b, c = a * 2, a + 1
    b.flags["WRITEABLE"] = False
    c.flags["W"] = False
    try:
        b[0] = 1
    except ValueError as e:
        print(e)
    if len(a) > 3:
        c.flags[name] = True
    return b, c, b.flags["W"], c.flags.writeable


def test_flags_are_set_by_name() -> None:
    check(frozen, np.arange(3.0), "W")
    check(frozen, np.arange(4.0), "FOO", raises=KeyError)


class Manager:
    def __enter__(self) -> Any:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> Any:
        return True if kind is not None and issubclass(kind, ValueError) else None


def within(f: Any, *args: Any) -> Any:
    with Manager():
        return f(*args)


def stored_by_name(a: np.ndarray) -> Any:
    b = a * 2
    b[1] = 1
    np.testing.assert_equal(b[1], 1)
    within(b.__setitem__, 1, 2.0)
    np.testing.assert_equal(b[1], 2)
    a.__setitem__(slice(1, 3), b[1:3])
    within(a.fill, 7.0)
    return a[1], b[1], b.sum()


def chosen(a: np.ndarray, i: np.ndarray, out: np.ndarray) -> Any:
    one, two = a[:2], a[1:3]
    np.testing.assert_raises(TypeError, np.equal.reduce, a)
    return (
        i.choose(one, two),
        i.choose([one, two], out),
        i.choose((one, two), out=out),
        i.choose(5, 6, mode="clip"),
        out,
    )


def medians_into(a: np.ndarray, axes: list[int]) -> Any:
    print(axes)
    out = np.empty(tuple([1 if k in axes else a.shape[k] for k in range(a.ndim)]))
    return np.nanmedian(a, axis=1, keepdims=True, out=out) is out, out


def test_methods_that_write_are_seen() -> None:
    check(stored_by_name, np.arange(4.0), settings={"target": "null"})
    check(stored_by_name, np.arange(4.0))


def test_choose_as_a_method() -> None:
    check(chosen, np.array([3.0, 1.0, 2.0]), np.array([0, 1]), np.zeros(2), settings={"target": "null"})


def test_results_into_arrays_whose_shape_only_the_run_tells() -> None:
    check(medians_into, np.arange(24.0).reshape(2, 3, 4), [1])


def of_scalars(n: Any, x: Any) -> Any:
    return n.bit_count(), x.as_integer_ratio(), (x + 1).as_integer_ratio(), x.is_integer()


def of_ufuncs(a: Any, f: Any) -> Any:
    return f(a), [f][0](a), np.maximum.reduce(a), np.add.accumulate(a), np.multiply.outer(a, a)


def test_methods_of_scalars_and_ufuncs() -> None:
    check(
        of_scalars, np.int8(-5), np.float32(0.875), also=[(np.uint64(7), np.float64(2.5))], settings={"target": "null"}
    )
    for a in (np.array([1, 5, 3], object), np.array([1.0, 5.0]), np.array([1, 5, 3])):
        check(of_ufuncs, a, np.add.reduce, also=[(a, np.fmin.reduce)], settings={"target": "null"})


def into_temporaries(a: np.ndarray, o: np.ndarray) -> Any:
    np.dot(a, a.T, o)
    np.testing.assert_equal(o[0, 0], 5.0)
    m = np.median(a, 0, np.empty(3))
    return (
        np.any(a, 0, a[0] > 99),
        np.fft.fft(a[0], out=a[0] + 0j),
        np.add(a, a, out=a * 1),
        a.sum(0, None, a[0] * 1),
        m,
        o,
    )


def test_results_into_temporaries() -> None:
    check(into_temporaries, np.arange(6.0).reshape(2, 3), np.zeros((2, 2)), settings={"target": "null"})


class Fitted:
    """A model whose weights are None until it is fitted."""

    def __init__(self) -> None:
        self.weights: Any = None

    def fit(self, w: Any) -> None:
        self.weights = w

    def predict(self, x: Any) -> Any:
        return x.dot(self.weights)


def test_methods_are_given_what_only_the_run_tells() -> None:
    def products(x, w):
        m = Fitted()
        m.fit(w)
        rows = []
        for row in x:
            rows.append(row.dot(m.weights))
        return rows, m.predict(x), m.predict(2 * x)

    def shaped(a, w):
        m = Fitted()
        m.fit(w)
        b = a.reshape(m.weights)
        b[0] = 7
        return b, a

    def unfitted(x):
        return Fitted().predict(x)

    x = np.arange(6.0).reshape(3, 2)
    check(products, x, np.array([1.0, -2.0]), also=[(x, np.eye(2)), (x, 3.0)])
    check(shaped, np.arange(6.0), (3, 2), also=[(np.arange(6.0), -1)])
    check(unfitted, x, raises=TypeError)
