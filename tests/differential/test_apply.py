"""Python functions that NumPy applies: np.vectorize and np.apply_along_axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle import check, check_all
from tests.values import grid


def positive_square(x: Any) -> Any:
    return x * x if x > 0 else -1.0


VECTORIZED = np.vectorize(positive_square)


@np.vectorize
def plus_twice(x: Any, y: Any) -> Any:
    return x + 2 * y


def with_global_objects(m: np.ndarray, v: np.ndarray) -> Any:
    return VECTORIZED(m), VECTORIZED(2.0), plus_twice(m, v), plus_twice(v, 3)


def test_vectorize() -> None:
    check_all(
        """
        np.vectorize(lambda x, y: x * y)(v, m)
        np.vectorize(lambda x: x > 0)(m)
        np.vectorize(lambda x: 1 if x > 0 else 0)(m)
        np.vectorize(lambda x: x // 2)(i)
        np.vectorize(lambda x: (x, x + 0.5))(i)
        np.vectorize(lambda x: x * 2.5, otypes="i")(i)
        np.vectorize(lambda x: x, otypes=[float])(m[:0])
        np.vectorize(lambda x: x + 1)(2)
        np.vectorize(lambda x: x + 1)(m.astype("f4"))
        np.vectorize(lambda x: x + 1)(m.T)
        np.vectorize(lambda x: int(x * 10))(m)
        """,
        m=np.cos(grid(3, 4)),
        v=np.arange(4.0),
        i=np.arange(12).reshape(3, 4),
    )
    check(with_global_objects, np.cos(grid(3, 4)), np.arange(4.0))


def vectorize_nothing(v: np.ndarray) -> Any:
    return np.vectorize(lambda x: x + 1)(v)


def test_vectorize_of_no_elements() -> None:
    check(vectorize_nothing, np.zeros(0), raises=ValueError)


def test_apply_along_axis() -> None:
    check_all(
        """
        np.apply_along_axis(np.sum, 0, m)
        np.apply_along_axis(lambda r: r.max() - r.min(), 1, m)
        np.apply_along_axis(lambda r: r[::-1] / r.sum(), 1, m)
        np.apply_along_axis(np.cumsum, 1, t)
        np.apply_along_axis(lambda r: np.outer(r, r), 1, t)
        np.apply_along_axis(lambda r, k: r[k], 0, m, 1)
        np.apply_along_axis(np.sum, 0, m[0])
        np.apply_along_axis(np.argmax, 1, m)
        """,
        m=np.cos(grid(3, 4)),
        t=grid(2, 3, 4),
        rtol=1e-14,
    )


def changes_what_it_is_applied_to(a: np.ndarray) -> Any:
    def put(q: float) -> float:
        a[0] = q
        return q

    return np.vectorize(put)(a[::-1]), np.vectorize(put, otypes=[float])(a[1:])


def test_vectorize_of_a_function_that_changes_its_array() -> None:
    check(changes_what_it_is_applied_to, np.arange(4.0), settings={"target": "interpreter"})
