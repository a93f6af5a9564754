"""Functions whose result is real or complex as the values are: eigenvalues, roots, square roots of negative numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.oracle import check

TURN = np.array([[0.0, 1.0], [-1.0, 0.0]])
REAL = np.array([[2.0, 1.0], [1.0, 3.0]])


@pytest.mark.parametrize("a", [TURN, REAL])
def test_after_a_change_of_an_argument(a: Any) -> None:
    def f(a, out):
        a *= 2
        w = np.linalg.eigvals(a)
        out[0] = w.real.max()
        if np.all(np.isreal(w)):
            w = np.real(w)
            w.sort()
        return w, w.dtype, w[1:], np.prod(w)

    check(f, a, np.zeros(1))


def test_both_in_one_loop() -> None:
    def f(a, out):
        for k in range(4):
            w, v = np.linalg.eig(a)
            i = np.argmax(np.abs(w))
            out[k] = w[i].real
            a[:] = a.T - k
            if np.iscomplexobj(w):
                continue
            u = v[:, i]
            out[k] += np.abs(u).sum()
        return w, v

    check(f, TURN, np.zeros(4))


def test_both_before_anything_is_done() -> None:
    def values(a):
        return np.linalg.eigvals(a)

    def f(n):
        first, second = values(np.array([[0, 1.0], [-1, 0]])), values(np.eye(n))
        return first, second, [np.linalg.eigvals(np.array([[0, 1.0], [s, 0]])) for s in (1, -1)]

    check(f, 2)


def test_a_stopping_rule() -> None:
    def f(a, out):
        def radius(m):
            return np.max(np.abs(np.linalg.eigvals(m)))

        while radius(a) > 0.5:
            a *= 0.7
            out[0] += 1
        return radius(a)

    check(f, TURN * 3, np.zeros(1), also=[(REAL, np.zeros(1))])


def test_errors_pass() -> None:
    def f(a, out):
        out[0] = 1
        try:
            np.linalg.eigvals(a * np.nan)
        except np.linalg.LinAlgError as e:
            print(e)
        return np.linalg.eigvals(a / out[1])

    check(f, REAL, np.zeros(2))


def test_of_other_types() -> None:
    def f(a, z, i, out):
        out[0] = 1
        return np.linalg.eigvals(a), np.linalg.eigvals(z), np.linalg.eigvals(i), np.linalg.eigvals(np.stack([a, -a.T]))

    for turned in (TURN, REAL):
        check(f, turned.astype("f"), turned * 1j, turned.astype("i"), np.zeros(1))


def test_roots() -> None:
    def f(c, out):
        n = 0
        for k in range(-3, 4):
            c[2] = k
            r = np.roots(c)
            n += len(r[np.isreal(r)].real)
            p = np.polynomial.polynomial.polyroots(c)
            out[k] = p.real.max() if np.iscomplexobj(p) else p.min()
        return n

    check(f, np.array([1.0, 2, 1]), np.zeros(7))


def test_roots_of_polynomials() -> None:
    def f(c, out):
        p, q = np.polynomial.Polynomial(c), np.poly1d(c)
        out[0] = 1
        return p.roots(), p.roots().real.max(), q.r, q.roots

    for c in ([2.0, -3, 1], [1.0, 0, 1]):
        check(f, np.array(c), np.zeros(1))

    def g(n):
        return np.poly1d([1, 0, 1]).r, np.polynomial.Polynomial([1, -3, 2]).roots()

    check(g, 1)


def test_coefficients_of_conjugate_roots() -> None:
    def f(z):
        z[0] += 1
        return np.poly(z), np.poly(z.real)

    check(f, np.array([1j, 1 - 1j]), also=[(np.array([1j, 1 - 2j]),)])


def test_square_roots() -> None:
    def f(x):
        x += 1
        found = []
        for k in range(2):
            y = np.emath.sqrt(x - k * 3)
            found.append(y)
            print(y.dtype)
        return found, np.emath.log(x[0] - 9), np.emath.sqrt(x[1])

    check(f, np.array([1.0, 2.0]))
