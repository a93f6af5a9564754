"""What soljit leaves to NumPy's own routines: linalg, fft, random state, with compiled code around them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.frontend_ast.calls.callbacks import callback_results
from tests.oracle import check, check_all
from tests.values import grid

A = np.cos(grid(4, 4)) + 4 * np.eye(4)


def test_linear_algebra() -> None:
    check_all(
        """
        np.linalg.solve(a, b)
        np.linalg.solve(a, a)
        np.linalg.inv(a)
        np.linalg.det(a)
        np.linalg.eigh(a + a.T)[0]
        np.linalg.eigvalsh(a + a.T)
        np.linalg.svd(a)[1]
        np.linalg.cholesky(a @ a.T)
        np.linalg.qr(a)[1]
        np.linalg.lstsq(a, b)[0]
        np.linalg.pinv(a)
        np.linalg.matrix_rank(a)
        np.linalg.matrix_power(a, 3)
        np.linalg.slogdet(a)[1]
        np.linalg.norm(b)
        np.linalg.norm(a, 'fro')
        np.linalg.norm(a, axis=0)
        np.linalg.norm(b, 1)
        np.linalg.norm(b, np.inf)
        np.linalg.cond(a)
        np.linalg.multi_dot([a, a, b])
        a @ np.linalg.inv(a) - np.eye(4)
        """,
        a=A,
        b=np.sin(grid(4)),
        rtol=1e-10,
        atol=1e-12,
    )


def test_fft() -> None:
    check_all(
        """
        np.fft.fft(b)
        np.fft.ifft(np.fft.fft(b))
        np.fft.rfft(b)
        np.fft.irfft(np.fft.rfft(b))
        np.fft.fft2(a)
        np.fft.fft(a, axis=0)
        np.fft.fftfreq(8, 0.1)
        np.fft.fftshift(b)
        np.abs(np.fft.fft(b)) ** 2
        """,
        a=A,
        b=np.sin(grid(8)),
        rtol=1e-12,
        atol=1e-13,
    )


def around(a: np.ndarray, n: int) -> Any:
    for k in range(n):
        w, v = np.linalg.eigh(a + a.T)
        a = v * (w + k) @ v.T
        a[0, 0] += w[-1]
    return a, w


def singular(a: np.ndarray) -> Any:
    return np.linalg.inv(a)


def test_around_callbacks() -> None:
    check(around, A, 2, rtol=1e-9, atol=1e-9)
    check(singular, A, rtol=1e-12)
    check(singular, np.zeros((3, 3)), raises=np.linalg.LinAlgError)
    check(singular, np.zeros((3, 2)), raises=np.linalg.LinAlgError)


def prints(a: np.ndarray, n: int) -> None:
    for k in range(n):
        print("step", k, a[k])
        a[k] = -a[k]
    print(f"{n} steps, sum {a.sum():.3f}", end="!\n")
    print()
    print(a[0] > 0, n * 2, 1.5, None, "x", sep=",")


def test_prints() -> None:
    check(prints, grid(4) + 1, 3)
    check(prints, grid(4) + 1, 0)


def print_before_error(a: np.ndarray, n: int) -> None:
    for k in range(n):
        print(k)
        a[k] = 0.0


def test_effects_before_an_error() -> None:
    check(print_before_error, grid(3), 3)
    check(print_before_error, grid(3), 5, raises=IndexError)


def spectrum(a: np.ndarray) -> Any:
    w = np.linalg.eigvals(a)
    return w, abs(w).max(), w.dtype


def test_result_types_that_depend_on_values() -> None:
    turn, stretch = np.array([[0.0, 1.0], [-1.0, 0.0]]), np.array([[2.0, 1.0], [1.0, 3.0]])
    check(spectrum, stretch, also=[(turn,), (stretch,), (turn,)], rtol=1e-12)
    check(spectrum, turn, also=[(stretch,)], rtol=1e-12)
    check(spectrum, turn, rtol=1e-12, settings={"target": "interpreter"})
    check_all(
        "np.emath.sqrt(v)\nnp.emath.log(v)\nnp.roots([1.0, 0.0, 1.0])\nnp.emath.sqrt(-v)", v=np.array([1.0, -4.0])
    )


def factor(a: np.ndarray) -> Any:
    return np.linalg.cholesky(a)


def test_calls_that_no_sample_pleases() -> None:
    """Samples of integers are not positive definite: the type of the result shows at run time."""
    check(factor, np.array([[2, 1], [1, 2]]), also=[(np.array([[4, 0], [0, 9]]),)], rtol=1e-12)
    check(factor, np.array([[0, 1], [1, -2]]), raises=np.linalg.LinAlgError)


def change_then_ask(a: np.ndarray) -> Any:
    a[0, 0] += 1
    return np.emath.sqrt(a)


def test_nothing_is_done_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(callback_results, "_FROM_COMPLEX", {})  # as of a function of which nothing is known
    f = sol.jit(strict=True)(change_then_ask)
    a = np.array([[0.0, 1.0], [-1.0, 0.0]])
    assert np.array_equal(f(a), np.emath.sqrt([[1.0, 1.0], [-1.0, 0.0]]))
    assert a[0, 0] == 1


def eigenvalues_after_lists(p: Any, n: int) -> Any:
    sizes = [p.copy()]
    sums = {}
    v = np.ones(len(p))
    for k in range(n):
        v = p @ v
        sizes.append(p * k)
        sums[k] = sizes[k].sum()
    last = len(sizes)
    return np.linalg.eigvals(sizes[-1]), sums, last, v


def test_lists_of_its_own_do_not_keep_a_call_from_being_made_again() -> None:
    real, turned = np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([[0.0, -1.0], [1.0, 0.0]])
    check(eigenvalues_after_lists, real, 3, also=[(turned, 3), (real, 2)], rtol=1e-12)


def copied_nowhere(a: Any) -> Any:
    print("begun")
    b = a[a <= -1]
    np.copyto(b, True, where=np.diff(np.ones(1)) < 0)
    return b


def test_calls_that_only_arrays_without_elements_fit() -> None:
    check(copied_nowhere, np.arange(5.0), also=[(np.zeros(0),)])
    check(copied_nowhere, np.array([-2.0]))
    check(copied_nowhere, np.array([-2.0, -3.0]), raises=ValueError)


def test_ufuncs_of_scipy() -> None:
    special = pytest.importorskip("scipy.special")

    def summed(a: Any) -> Any:
        total = 0.0
        for k in range(len(a)):
            total += special.gammaln(a[k])
        return total, special.erf(a) * 2, special.jv(1, a)

    check(summed, np.arange(1, 5.0))
    check(summed, np.arange(1, 4), settings={"target": "interpreter"})


def test_flags_decide_what_a_call_back_gives() -> None:
    def f(a, keepdims):
        seen = []
        try:
            seen.append(1)
            r = np.nanmedian(a, keepdims=keepdims)
        except ValueError as e:
            return str(e), len(seen)
        return r

    check(f, A + 1j, False, also=[(A + 1j, True)])


def fitted_after_noting(a: Any, m: Any, seen: Any) -> Any:
    seen.append(len(seen))
    slope = np.polyfit(a[m], [1.0, 2.5, 2.0, 4.0, 5.0, 7.0], 1)
    return slope.shape, np.asarray([a[m], np.arange(6.0), [1, 2, 3, 4, 5, 6]])


def test_lengths_that_only_the_run_tells_may_be_those_of_other_arguments() -> None:
    m = np.array([1, 1, 1, 0, 1, 1, 0, 1], bool)
    check(fitted_after_noting, np.arange(8.0), m, [1])
    check(fitted_after_noting, np.arange(8.0), ~m, [1], raises=TypeError)
