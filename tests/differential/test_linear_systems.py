"""Single matrices through the loops of NumPy's linear algebra: the same bits, types, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.oracle import check


def _matrix(n: int, t: str) -> Any:
    rng = np.random.default_rng(n)
    a = rng.random((n, n)) * 4 - 2 + n * np.eye(n)
    if np.dtype(t).kind == "c":
        a = a + 1j * rng.random((n, n))
    return a.astype(t)


@pytest.mark.parametrize("t", "dfDFil?")
def test_types(t: str) -> None:
    def f(a, b, c):
        return np.linalg.solve(a, b), np.linalg.solve(a, c), np.linalg.inv(a), np.linalg.det(a), np.linalg.slogdet(a)

    calls = [(_matrix(n, t), np.ones(n, t), np.ones((n, 3), t)) for n in (4, 0, 1, 2, 7, 40)]
    a, b, c = calls[0]
    calls += [(a.T, b[::-1], c[:, ::2]), (np.asfortranarray(a)[::-1, ::-1], b, np.asfortranarray(c))]
    if t == "?":
        calls = [(np.eye(n, dtype=t), b, c) for n, (_, b, c) in zip((4, 0, 1), calls)]
    check(f, *calls[0], also=calls[1:])


@pytest.mark.parametrize("t", "dfDF")
def test_symmetric(t: str) -> None:
    def f(a):
        s = a @ a.conj().T
        w, v = np.linalg.eigh(s)
        pair = np.linalg.eigh(s, UPLO="U")
        return np.linalg.cholesky(s), np.linalg.eigvalsh(s), w, v, pair, pair.eigenvalues

    check(f, _matrix(4, t), also=[(_matrix(n, t),) for n in (1, 2, 6)], rtol=1e-5 if t in "fF" else 1e-12, atol=1e-4)


def test_other_arguments() -> None:
    def mixed(a, b):
        return np.linalg.solve(a, b)

    def lists(x):
        return np.linalg.det([[x, 2.0], [3.0, 4.0]]), np.linalg.inv([[x, 0], [0, 2]])

    def stacks(a):
        return np.linalg.inv(a), np.linalg.det(a), np.linalg.solve(a, np.ones((len(a), 2, 1)))

    def named(a):
        r = np.linalg.slogdet(a)
        return r.sign * np.exp(r.logabsdet), type(r) is tuple

    check(
        mixed,
        _matrix(3, "f"),
        np.ones(3),
        also=[(_matrix(3, "d"), np.ones(3, "F")), (_matrix(3, "l"), np.ones(3, "f"))],
    )
    check(lists, 5.0, also=[(2,)])
    check(stacks, np.random.default_rng(0).random((3, 2, 2)))
    check(named, _matrix(3, "d"))


def test_errors() -> None:
    def solve(a, b):
        b[0] = 7
        return np.linalg.solve(a, b)

    def inv(a):
        return np.linalg.inv(a)

    def cholesky(a):
        return np.linalg.cholesky(a)

    def eigh(a):
        return np.linalg.eigh(a)

    def caught(a):
        try:
            return np.linalg.inv(a)
        except np.linalg.LinAlgError as e:
            return str(e)

    error = np.linalg.LinAlgError
    check(solve, np.zeros((3, 3)), np.ones(3), raises=error)
    check(solve, np.ones((2, 3)), np.ones(2), raises=error)
    check(solve, np.ones((2, 2)), np.ones(3), raises=ValueError)
    check(solve, np.ones((2, 2), "e"), np.ones(2), raises=TypeError)
    check(inv, np.ones((2, 2)), raises=error)
    check(inv, np.ones(2), raises=error)
    check(cholesky, -np.eye(2), raises=error)
    check(eigh, np.full((2, 2), np.nan))
    check(caught, np.ones((2, 2)), also=[(np.eye(2),)])


def test_in_loops() -> None:
    def kalman(z, q):
        x = np.zeros(2)
        p = np.eye(2)
        f = np.array([[1.0, 0.1], [0.0, 1.0]])
        h = np.array([[1.0, 0.0]])
        out = np.empty((len(z), 2))
        for k in range(len(z)):
            x = f @ x
            p = f @ p @ f.T + q * np.eye(2)
            s = h @ p @ h.T + 0.5
            gain = p @ h.T @ np.linalg.inv(s)
            x = x + (gain @ (z[k] - h @ x)).ravel()
            p = (np.eye(2) - gain @ h) @ p
            out[k] = x
        return out, np.linalg.det(p)

    def newton(x):
        for _ in range(8):
            f = np.array([x[0] ** 2 + x[1] - 3, x[0] - x[1] ** 2 + 1])
            j = np.array([[2 * x[0], 1.0], [1.0, -2 * x[1]]])
            x = x - np.linalg.solve(j, f)
        return x

    def first_singular(stack):
        for k in range(len(stack)):
            stack[k, 0, 0] += 1
            np.linalg.inv(stack[k])

    check(kalman, np.sin(np.arange(30) / 5), 0.01, rtol=1e-12)
    check(newton, np.array([1.0, 1.0]), rtol=1e-12)
    check(first_singular, np.array([np.eye(2), -np.eye(2), np.eye(2)]), raises=np.linalg.LinAlgError)


def test_tensors_as_matrices_after_something_was_changed() -> None:
    def f(a, m):
        a[0] = 1
        t = np.eye(6).reshape(2, 3, 6) * 3
        return np.linalg.tensorsolve(t, np.ones((2, 3))), np.linalg.tensorinv(m, 2), np.linalg.tensorinv(t.T, 1)

    check(f, np.arange(6.0), np.eye(6).reshape(2, 3, 6) * 3)
