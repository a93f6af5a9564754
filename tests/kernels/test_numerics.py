"""Numerical kernels of many fields: each a whole function, checked in every observable."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle import check
from tests.values import grid

RNG = np.random.default_rng(42)


def life(world: np.ndarray, steps: int) -> np.ndarray:
    for _ in range(steps):
        neighbours = (
            world[:-2, :-2]
            + world[:-2, 1:-1]
            + world[:-2, 2:]
            + world[1:-1, :-2]
            + world[1:-1, 2:]
            + world[2:, :-2]
            + world[2:, 1:-1]
            + world[2:, 2:]
        )
        inner = world[1:-1, 1:-1]
        birth = (neighbours == 3) & (inner == 0)
        survive = ((neighbours == 2) | (neighbours == 3)) & (inner == 1)
        world[...] = 0
        world[1:-1, 1:-1][birth | survive] = 1
    return world


def gray_scott(u: np.ndarray, v: np.ndarray, steps: int, du: float, dv: float, f: float, k: float) -> Any:
    for _ in range(steps):
        lu = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]
        lv = v[:-2, 1:-1] + v[2:, 1:-1] + v[1:-1, :-2] + v[1:-1, 2:] - 4 * v[1:-1, 1:-1]
        uu, vv = u[1:-1, 1:-1], v[1:-1, 1:-1]
        uvv = uu * vv * vv
        uu += du * lu - uvv + f * (1 - uu)
        vv += dv * lv + uvv - (f + k) * vv
    return u.mean(), v.max()


def test_grids() -> None:
    check(life, RNG.integers(0, 2, (12, 10)), 4)
    check(gray_scott, RNG.random((9, 8)), RNG.random((9, 8)), 5, 0.16, 0.08, 0.06, 0.062, rtol=1e-13)


def black_scholes(s: np.ndarray, k: np.ndarray, t: np.ndarray, r: float, sigma: float) -> Any:
    d1 = (np.log(s / k) + (r + 0.5 * sigma**2) * t) / (sigma * np.sqrt(t))
    d2 = d1 - sigma * np.sqrt(t)
    n1 = 1.0 / (1.0 + np.exp(-1.702 * d1))
    n2 = 1.0 / (1.0 + np.exp(-1.702 * d2))
    call = s * n1 - k * np.exp(-r * t) * n2
    return call, call - s + k * np.exp(-r * t)


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def attention(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    scores = q @ k.T / np.sqrt(q.shape[-1])
    mask = np.tril(np.ones((q.shape[0], k.shape[0]), dtype=bool))
    scores = np.where(mask, scores, -np.inf)
    return softmax(scores) @ v


def layer_norm(x: np.ndarray, gamma: np.ndarray, beta: np.ndarray, eps: float = 1e-5) -> np.ndarray:
    mean = x.mean(axis=1, keepdims=True)
    var = x.var(axis=1, keepdims=True)
    return gamma * (x - mean) / np.sqrt(var + eps) + beta


def relu(x: np.ndarray) -> np.ndarray:
    return np.maximum(x, 0)


def train_step(x: np.ndarray, y: np.ndarray, w1: np.ndarray, w2: np.ndarray, rate: float) -> float:
    h = relu(x @ w1)
    p = h @ w2
    d = 2.0 * (p - y) / y.size
    g2 = h.T @ d
    g1 = x.T @ ((d @ w2.T) * (h > 0))
    w1 -= rate * g1
    w2 -= rate * g2
    return np.mean((p - y) ** 2)


def test_models() -> None:
    s, k, t = RNG.random(50) * 50 + 50, RNG.random(50) * 50 + 50, RNG.random(50) + 0.5
    check(black_scholes, s, k, t, 0.05, 0.2, rtol=1e-12, atol=1e-12)
    q = RNG.normal(size=(6, 4))
    check(softmax, q, rtol=1e-14)
    check(attention, q, q * 0.5, q + 1, rtol=1e-13)
    check(layer_norm, q, np.ones(4), np.zeros(4), rtol=1e-12, atol=1e-14)
    check(
        train_step,
        RNG.normal(size=(7, 3)),
        RNG.normal(size=(7, 2)),
        RNG.normal(size=(3, 5)),
        RNG.normal(size=(5, 2)),
        0.1,
        rtol=1e-12,
    )


def thomas(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    n = len(d)
    cp, dp = np.zeros(n), np.zeros(n)
    cp[0] = c[0] / b[0]
    dp[0] = d[0] / b[0]
    for i in range(1, n):
        m = b[i] - a[i] * cp[i - 1]
        cp[i] = c[i] / m
        dp[i] = (d[i] - a[i] * dp[i - 1]) / m
    x = np.zeros(n)
    x[-1] = dp[-1]
    for i in range(n - 2, -1, -1):
        x[i] = dp[i] - cp[i] * x[i + 1]
    return x


def gauss_jordan(a: np.ndarray) -> np.ndarray:
    n = a.shape[0]
    m = np.concatenate((a, np.eye(n)), axis=1)
    for k in range(n):
        p = k + np.argmax(np.abs(m[k:, k]))
        if m[p, k] == 0:
            raise np.linalg.LinAlgError("singular")
        if p != k:
            m[[k, p]] = m[[p, k]]
        m[k] /= m[k, k]
        for i in range(n):
            if i != k:
                m[i] -= m[i, k] * m[k]
    return m[:, n:]


def conjugate_gradient(a: np.ndarray, b: np.ndarray, tol: float) -> Any:
    x = np.zeros_like(b)
    r = b - a @ x
    p = r.copy()
    rs = r @ r
    steps = 0
    while np.sqrt(rs) > tol and steps < 50:
        ap = a @ p
        alpha = rs / (p @ ap)
        x += alpha * p
        r -= alpha * ap
        new = r @ r
        p = r + new / rs * p
        rs = new
        steps += 1
    return x, steps


def jacobi_solver(a: np.ndarray, b: np.ndarray, steps: int) -> np.ndarray:
    d = np.diag(a)
    r = a - np.diag(d)
    x = np.zeros(len(b))
    for _ in range(steps):
        x = (b - r @ x) / d
    return x


def givens_qr(a: np.ndarray) -> np.ndarray:
    m, n = a.shape
    r = a.copy()
    for j in range(n):
        for i in range(m - 1, j, -1):
            h = np.hypot(r[i - 1, j], r[i, j])
            if h == 0.0:
                continue
            c, s = r[i - 1, j] / h, r[i, j] / h
            top, low = r[i - 1].copy(), r[i].copy()
            r[i - 1] = c * top + s * low
            r[i] = c * low - s * top
    return r


def test_solvers() -> None:
    n = 8
    a, d = RNG.random((n, n)) + n * np.eye(n), RNG.random(n)
    check(thomas, np.full(n, 0.5), np.full(n, 2.0), np.full(n, 0.25), d)
    check(gauss_jordan, a, rtol=1e-12, atol=1e-14)
    check(gauss_jordan, np.zeros((3, 3)), raises=np.linalg.LinAlgError)
    check(conjugate_gradient, a @ a.T, d, 1e-10, rtol=1e-8, atol=1e-10)
    check(jacobi_solver, a, d, 20, rtol=1e-12)
    check(givens_qr, a, rtol=1e-12, atol=1e-13)


def lorenz(p: np.ndarray) -> np.ndarray:
    x, y, z = p
    return np.array([10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z])


def rk4(p: np.ndarray, h: float, n: int) -> np.ndarray:
    path = np.empty((n, 3))
    for i in range(n):
        k1 = lorenz(p)
        k2 = lorenz(p + 0.5 * h * k1)
        k3 = lorenz(p + 0.5 * h * k2)
        k4 = lorenz(p + h * k3)
        p = p + h / 6.0 * (k1 + 2 * k2 + 2 * k3 + k4)
        path[i] = p
    return path


def gravity(pos: np.ndarray, vel: np.ndarray, mass: np.ndarray, dt: float, steps: int) -> float:
    for _ in range(steps):
        d = pos[None, :, :] - pos[:, None, :]
        r2 = (d**2).sum(axis=-1) + 0.01
        acc = (d * (mass[None, :] / r2**1.5)[:, :, None]).sum(axis=1)
        vel += acc * dt
        pos += vel * dt
    return 0.5 * np.sum(mass * np.sum(vel**2, axis=1))


def kalman(z: np.ndarray, q: float, r: float) -> np.ndarray:
    x, p = np.zeros(2), np.eye(2)
    f = np.array([[1.0, 1.0], [0.0, 1.0]])
    h = np.array([[1.0, 0.0]])
    out = np.zeros((len(z), 2))
    for k in range(len(z)):
        x = f @ x
        p = f @ p @ f.T + q * np.eye(2)
        s = h @ p @ h.T + r
        g = p @ h.T / s
        x = x + (g @ (z[k : k + 1] - h @ x))
        p = (np.eye(2) - g @ h) @ p
        out[k] = x
    return out


def test_dynamics() -> None:
    check(rk4, np.array([1.0, 1.0, 1.0]), 0.01, 30, rtol=1e-11)
    check(gravity, RNG.normal(size=(5, 3)), np.zeros((5, 3)), RNG.random(5) + 0.5, 0.01, 4, rtol=1e-10, atol=1e-14)
    check(kalman, np.cumsum(RNG.normal(size=12)), 0.01, 0.5, rtol=1e-10)


def distances(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.sqrt(np.maximum((x**2).sum(axis=1)[:, None] + (y**2).sum(axis=1) - 2 * x @ y.T, 0))


def k_means(x: np.ndarray, centers: np.ndarray, steps: int) -> Any:
    label = np.zeros(len(x), dtype=np.int64)
    for _ in range(steps):
        d = ((x[:, None, :] - centers[None]) ** 2).sum(axis=2)
        label = d.argmin(axis=1)
        for k in range(len(centers)):
            members = x[label == k]
            if len(members) > 0:
                centers[k] = members.mean(axis=0)
    return label, centers


def page_rank(links: np.ndarray, damping: float, steps: int) -> np.ndarray:
    n = links.shape[0]
    out = links.sum(axis=0)
    m = np.where(out > 0, links / np.where(out > 0, out, 1), 1.0 / n)
    r = np.ones(n) / n
    for _ in range(steps):
        r = damping * (m @ r) + (1 - damping) / n
    return r / r.sum()


def convolve(image: np.ndarray, kernel: np.ndarray) -> np.ndarray:
    kh, kw = kernel.shape
    h, w = image.shape[0] - kh + 1, image.shape[1] - kw + 1
    out = np.zeros((h, w), dtype=image.dtype)
    for i in range(kh):
        for j in range(kw):
            out += image[i : i + h, j : j + w] * kernel[i, j]
    return out


def equalize(image: np.ndarray) -> np.ndarray:
    hist = np.zeros(256, dtype=np.int64)
    for v in image.ravel():
        hist[v] += 1
    cdf = hist.cumsum()
    low = cdf[cdf > 0][0]
    table = np.round((cdf - low) / max(image.size - low, 1) * 255).astype(np.uint8)
    return table[image]


def median_filter(a: np.ndarray, w: int) -> np.ndarray:
    out = a.copy()
    for i in range(w, len(a) - w):
        out[i] = np.sort(a[i - w : i + w + 1])[w]
    return out


def test_data() -> None:
    x = RNG.normal(size=(20, 2))
    check(distances, x, x[:5] + 1, rtol=1e-12, atol=1e-12)
    check(k_means, x, x[:3].copy(), 4, rtol=1e-12)
    check(page_rank, RNG.integers(0, 2, (6, 6)).astype(float), 0.85, 20, rtol=1e-12)
    check(convolve, RNG.random((8, 9)), RNG.random((3, 2)))
    check(convolve, RNG.integers(0, 255, (8, 9)).astype(np.uint8), np.array([[1, 2], [3, 4]], np.uint8))
    check(equalize, RNG.integers(0, 60, (7, 8)).astype(np.uint8))
    check(median_filter, RNG.random(15), 2)


def mandelbrot(n: int, limit: int) -> np.ndarray:
    out = np.zeros((n, n), dtype=np.int32)
    for i in range(n):
        for j in range(n):
            c = complex(-2 + 3 * j / n, -1.5 + 3 * i / n)
            z = 0j
            k = 0
            while k < limit and z.real * z.real + z.imag * z.imag <= 4:
                z = z * z + c
                k += 1
            out[i, j] = k
    return out


def fft(x: np.ndarray) -> np.ndarray:
    n = x.shape[0]
    if n == 1:
        return x
    even, odd = fft(x[::2]), fft(x[1::2])
    w = np.exp(-2j * np.pi * np.arange(n // 2) / n) * odd
    return np.concatenate((even + w, even - w))


def test_complex_kernels() -> None:
    check(mandelbrot, 14, 30)
    check(fft, grid(8).astype(complex), rtol=1e-13, atol=1e-13)
