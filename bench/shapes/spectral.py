"""A flow in Fourier space: a class whose Runge-Kutta step calls its right-hand side four times."""

from typing import Any

import numpy as np

TARGET = 4.0


class Spectral:
    def __init__(self, n, nu, length):  # type: ignore[no-untyped-def]
        self.n = n
        self.nu = nu
        k = np.fft.fftfreq(n, 1.0 / n) * 2 * np.pi / length
        self.kx, self.ky = np.meshgrid(k, k, indexing="ij")
        self.k2 = self.kx**2 + self.ky**2
        self.ik2 = np.where(self.k2 == 0, 1.0, self.k2)
        most = 2 / 3 * np.abs(k).max()
        self.mask = (np.abs(self.kx) < most) & (np.abs(self.ky) < most)

    def velocity(self, wh):  # type: ignore[no-untyped-def]
        psi = wh / self.ik2
        u = np.real(np.fft.ifft2(1j * self.ky * psi))
        v = np.real(np.fft.ifft2(-1j * self.kx * psi))
        return u, v

    def rhs(self, wh):  # type: ignore[no-untyped-def]
        u, v = self.velocity(wh)
        wx = np.real(np.fft.ifft2(1j * self.kx * wh))
        wy = np.real(np.fft.ifft2(1j * self.ky * wh))
        adv = np.fft.fft2(u * wx + v * wy)
        adv = adv * self.mask
        return -adv - self.nu * self.k2 * wh

    def step(self, wh, dt):  # type: ignore[no-untyped-def]
        k1 = self.rhs(wh)
        k2 = self.rhs(wh + 0.5 * dt * k1)
        k3 = self.rhs(wh + 0.5 * dt * k2)
        k4 = self.rhs(wh + dt * k3)
        return wh + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def f(s, w, dt, steps):  # type: ignore[no-untyped-def]
    wh = np.fft.fft2(w)
    for _ in range(steps):
        wh = s.step(wh, dt)
    return np.real(np.fft.ifft2(wh))


def arguments() -> list[tuple[Any, ...]]:
    """The calls."""
    return [(Spectral(16, 1e-3, 2 * np.pi), np.random.default_rng(0).random((16, 16)), 0.01, 3)]
