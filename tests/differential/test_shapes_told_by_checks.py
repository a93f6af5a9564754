"""Shapes that only the run tells, of which a check or the function's own rule leaves one: of the operand that is not 1, or of the argument."""

import numpy as np
import pytest

from tests.oracle import check


def _sums(a, b, n):
    c = a[a > n]  # only the run tells how long it is
    d = c * b
    e = d + b
    f = b - e
    return d, e, f


@pytest.mark.parametrize("n", [4, 3, 1, -1, 2])
@pytest.mark.parametrize("length", [3, 1, 0, 2])
def test_one_length_of_the_run(n: int, length: int) -> None:
    check(_sums, np.arange(5.0), np.arange(float(length)), n)


@pytest.mark.parametrize("n", [4, 3, 1, 0])
@pytest.mark.parametrize("m", [4, 3, 1, 0])
def test_both_lengths_of_the_run(n: int, m: int) -> None:
    def f(a, n, m):
        c, d = a[a > n], a[a < m]
        e = c + d
        return e, e * c, e - d

    check(f, np.arange(5.0), n, m)


@pytest.mark.parametrize("shape", [(4, 4), (1, 4), (4, 1), (1, 1), (3, 4)])
def test_shapes_that_a_loop_carries(shape: tuple[int, int]) -> None:
    def f(k, w, steps):
        wh = np.fft.fft2(w)
        for _ in range(steps):
            u = np.real(np.fft.ifft2(1j * k * wh))
            wh = wh + 0.5 * np.fft.fft2(u * k)
        return np.real(np.fft.ifft2(wh)), wh

    rng = np.random.default_rng(3)
    check(f, rng.random((4, 4)), rng.random(shape), 2)
    check(f, rng.random((1, 4)), rng.random(shape), 2)


@pytest.mark.parametrize(
    "function", [np.fft.fft, np.fft.ifft, np.fft.fft2, np.fft.fftn, np.fft.ifftn, np.fft.fftshift, np.linalg.inv]
)
def test_results_of_the_shape_of_the_argument(function) -> None:
    def f(a, b):
        c = function(a)
        return c + b, c.shape, c[0] * a[1], c.strides

    a = np.array([[2.0, 1.0, 0.5], [0.25, 3.0, 1.0], [1.0, 0.125, 4.0]])
    check(f, a, a + 1, rtol=1e-12)
    check(f, a.T, a[:1], rtol=1e-12)
    check(f, a, a[:2], rtol=1e-12)


def test_with_other_arguments_the_shape_is_another() -> None:
    def f(a, n):
        c = np.fft.fft(a, n)
        d = np.fft.fft(a, axis=0)
        e = np.fft.fft2(a, (n, n))
        return c * 2, d + a, e, c.shape, e.shape

    check(f, np.arange(12.0).reshape(3, 4), 2)
    check(f, np.arange(12.0).reshape(3, 4), 7)
