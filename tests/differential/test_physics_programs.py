"""Equations of physics, solved as people solve them: grids, elements, particles, rays."""

# ruff: noqa (programs as users write them)
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from tests.oracle import check, observe


def heat_explicit(u0, alpha, dx, dt, n):
    u = u0.astype(float).copy()
    r = alpha * dt / dx**2
    if r > 0.5:
        raise ValueError(f"unstable: r={r:.3f}")
    hist = [u.copy()]
    for k in range(n):
        u[1:-1] = u[1:-1] + r * (u[2:] - 2 * u[1:-1] + u[:-2])
        if k % 5 == 4:
            hist.append(u.copy())
    return np.array(hist)


def thomas(a, b, c, d):
    n = len(d)
    cp = np.empty(n)
    dp = np.empty(n)
    cp[0] = c[0] / b[0]
    dp[0] = d[0] / b[0]
    for i in range(1, n):
        m = b[i] - a[i] * cp[i - 1]
        cp[i] = c[i] / m if i < n - 1 else 0.0
        dp[i] = (d[i] - a[i] * dp[i - 1]) / m
    x = np.empty(n)
    x[-1] = dp[-1]
    for i in range(n - 2, -1, -1):
        x[i] = dp[i] - cp[i] * x[i + 1]
    return x


def crank_nicolson(u, r, steps):
    n = len(u) - 2
    a = np.full(n, -r / 2)
    b = np.full(n, 1 + r)
    c = np.full(n, -r / 2)
    for _ in range(steps):
        d = r / 2 * u[:-2] + (1 - r) * u[1:-1] + r / 2 * u[2:]
        d[0] += r / 2 * u[0]
        d[-1] += r / 2 * u[-1]
        u = np.concatenate(([u[0]], thomas(a, b, c, d), [u[-1]]))
    return u


def adi(u, r, steps):
    n = u.shape[0]
    A = np.diag(np.full(n, 1 + 2 * r)) + np.diag(np.full(n - 1, -r), 1) + np.diag(np.full(n - 1, -r), -1)
    Ai = np.linalg.inv(A)
    for _ in range(steps):
        p = np.pad(u, 1)
        rhs = u + r * (p[1:-1, 2:] - 2 * u + p[1:-1, :-2])
        us = Ai @ rhs
        p = np.pad(us, 1)
        rhs = us + r * (p[2:, 1:-1] - 2 * us + p[:-2, 1:-1])
        u = np.linalg.solve(A, rhs.T).T
    return u


def multigrid(f, levels, cycles):

    def relax(u, f, h, n):
        for _ in range(n):
            u[1:-1] = 0.5 * (u[2:] + u[:-2] + h * h * f[1:-1])
        return u

    def resid(u, f, h):
        r = np.zeros_like(u)
        r[1:-1] = f[1:-1] + (u[2:] - 2 * u[1:-1] + u[:-2]) / h**2
        return r

    def vcycle(u, f, h, lev):
        u = relax(u, f, h, 3)
        if lev > 1:
            r = resid(u, f, h)
            rc = r[::2].copy()
            rc[1:-1] = 0.25 * r[1:-2:2] + 0.5 * r[2:-1:2] + 0.25 * r[3::2]
            ec = vcycle(np.zeros_like(rc), rc, 2 * h, lev - 1)
            e = np.zeros_like(u)
            e[::2] = ec
            e[1::2] = 0.5 * (ec[1:] + ec[:-1])
            u = u + e
        return relax(u, f, h, 3)

    u = np.zeros_like(f)
    h = 1.0 / (len(f) - 1)
    norms = []
    for _ in range(cycles):
        u = vcycle(u, f, h, levels)
        norms.append(np.linalg.norm(resid(u, f, h)))
    return (u, norms)


def fem(nodes, elems, f):
    n = len(nodes)
    K = np.zeros((n, n))
    F = np.zeros(n)
    for e in elems:
        x = nodes[e]
        B = np.array(
            [
                [x[1, 1] - x[2, 1], x[2, 1] - x[0, 1], x[0, 1] - x[1, 1]],
                [x[2, 0] - x[1, 0], x[0, 0] - x[2, 0], x[1, 0] - x[0, 0]],
            ]
        )
        area = 0.5 * abs(np.linalg.det(np.column_stack((np.ones(3), x))))
        if area < 1e-14:
            raise ValueError("degenerate element %s" % e)
        ke = B.T @ B / (4 * area)
        K[np.ix_(e, e)] += ke
        F[e] += f * area / 3
    bd = [i for i in range(n) if nodes[i, 0] in (0.0, 1.0) or nodes[i, 1] in (0.0, 1.0)]
    free = np.setdiff1d(np.arange(n), bd)
    u = np.zeros(n)
    u[free] = np.linalg.solve(K[np.ix_(free, free)], F[free])
    return (u, K.trace())


def burgers_fvm(u, dx, T, cfl=0.5):
    t = 0.0
    n = 0
    while t < T:
        dt = min(cfl * dx / max(np.abs(u).max(), 1e-12), T - t)
        ul = u
        ur = np.roll(u, -1)
        s = 0.5 * (ul + ur)
        flux = np.where(
            ul > ur,
            np.where(s > 0, 0.5 * ul**2, 0.5 * ur**2),
            np.where(ul > 0, 0.5 * ul**2, np.where(ur < 0, 0.5 * ur**2, 0)),
        )
        u = u - dt / dx * (flux - np.roll(flux, 1))
        t += dt
        n += 1
    return (u, n)


@dataclass
class Body:
    name: str
    mass: float
    pos: np.ndarray
    vel: np.ndarray


def nbody(n, steps, dt):
    bodies = [
        Body(
            f"b{i}", 1.0 + i, np.array([math.cos(i), math.sin(i), 0.1 * i]), np.array([-math.sin(i), math.cos(i), 0.0])
        )
        for i in range(n)
    ]

    def energy():
        e = 0.0
        for i, b in enumerate(bodies):
            e += 0.5 * b.mass * np.dot(b.vel, b.vel)
            for c in bodies[i + 1 :]:
                e -= b.mass * c.mass / np.linalg.norm(b.pos - c.pos)
        return e

    e0 = energy()
    for _ in range(steps):
        for i in range(n):
            for j in range(i + 1, n):
                a, b = (bodies[i], bodies[j])
                d = a.pos - b.pos
                m = dt / (d @ d + 0.001) ** 1.5
                a.vel -= d * b.mass * m
                b.vel += d * a.mass * m
        for b in bodies:
            b.pos += dt * b.vel
    print(f"{bodies[0].name}: {e0:.6f} -> {energy():.6f}")
    return np.array([b.pos for b in bodies])


def pic(n, ng, steps, seed):
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 1, n)
    v = rng.normal(0, 0.1, n)
    dx = 1 / ng
    Es = []
    for _ in range(steps):
        j = np.floor(x / dx).astype(int)
        w = x / dx - j
        jp = (j + 1) % ng
        rho = np.bincount(j, weights=1 - w, minlength=ng) + np.bincount(jp, weights=w, minlength=ng)
        rho = rho / (n * dx) - 1
        k = 2 * np.pi * np.fft.rfftfreq(ng, dx)
        rk = np.fft.rfft(rho)
        phik = np.zeros_like(rk)
        phik[1:] = rk[1:] / k[1:] ** 2
        E = np.fft.irfft(-1j * k * phik, ng)
        v -= ((1 - w) * E[j] + w * E[jp]) * 0.05
        x = (x + v * 0.05) % 1.0
        Es.append(0.5 * np.sum(E**2) * dx)
    return (np.array(Es), x.mean())


class Vec:
    __slots__ = ("x", "y", "z")

    def __init__(self, x, y, z):
        self.x = x
        self.y = y
        self.z = z

    def __add__(self, o):
        return Vec(self.x + o.x, self.y + o.y, self.z + o.z)

    def __sub__(self, o):
        return Vec(self.x - o.x, self.y - o.y, self.z - o.z)

    def __mul__(self, s):
        return Vec(self.x * s, self.y * s, self.z * s)

    def dot(self, o):
        return self.x * o.x + self.y * o.y + self.z * o.z

    def norm(self):
        n = math.sqrt(self.dot(self))
        return self * (1 / n)


def ray(w, h):
    spheres = [(Vec(0, 0, 5), 1.0, 0.8), (Vec(1.5, 0.5, 4), 0.5, 0.5)]
    light = Vec(5, 5, -5)
    img = np.zeros((h, w))
    for j in range(h):
        for i in range(w):
            d = Vec((i - w / 2) / w * 2, (j - h / 2) / h * 2, 1.0).norm()
            o = Vec(0, 0, 0)
            best = None
            bt = 1000000000.0
            for c, r, col in spheres:
                oc = o - c
                b = oc.dot(d)
                q = oc.dot(oc) - r * r
                disc = b * b - q
                if disc > 0:
                    t = -b - math.sqrt(disc)
                    if 0.0001 < t < bt:
                        bt = t
                        best = (c, r, col)
            if best is not None:
                c, r, col = best
                p = o + d * bt
                nrm = (p - c).norm()
                img[j, i] = max(0.0, nrm.dot((light - p).norm())) * col
    return img


def sph(x, m, h):
    n = len(x)
    rho = np.zeros(n)
    d = np.abs(x[:, None] - x[None, :]) / h
    W = np.where(d < 1, 1 - 1.5 * d**2 + 0.75 * d**3, np.where(d < 2, 0.25 * (2 - d) ** 3, 0)) * (2 / (3 * h))
    rho = W @ m
    P = rho**1.4
    g = np.gradient(P, x) if n > 1 else np.zeros(n)
    return (rho, P, g)


def leapfrog_kepler(e, n, dt):
    q = np.array([1 - e, 0.0])
    p = np.array([0.0, np.sqrt((1 + e) / (1 - e))])
    out = np.empty((n, 4))
    for i in range(n):
        r3 = np.linalg.norm(q) ** 3
        p -= 0.5 * dt * q / r3
        q += dt * p
        r3 = np.hypot(*q) ** 3
        p -= 0.5 * dt * q / r3
        out[i] = (*q, *p)
    return out


def stiff_newton(k1, k2, k3, t, n):
    y = np.array([1.0, 0, 0])
    h = t / n

    def f(y):
        return np.array([-k1 * y[0] + k3 * y[1] * y[2], k1 * y[0] - k2 * y[1] ** 2 - k3 * y[1] * y[2], k2 * y[1] ** 2])

    def jac(y):
        return np.array(
            [[-k1, k3 * y[2], k3 * y[1]], [k1, -2 * k2 * y[1] - k3 * y[2], -k3 * y[1]], [0, 2 * k2 * y[1], 0]]
        )

    its = 0
    for _ in range(n):
        z = y.copy()
        for k in range(20):
            g = z - y - h * f(z)
            dz = np.linalg.solve(np.eye(3) - h * jac(z), -g)
            z += dz
            its += 1
            if np.linalg.norm(dz, np.inf) < 1e-12:
                break
        else:
            raise RuntimeError("Newton failed")
        y = z
    return (y, its)


def wave2d(n, steps):
    u = np.zeros((n, n))
    up = np.zeros((n, n))
    u[n // 2, n // 2] = 1
    for s in range(steps):
        lap = -4 * u + np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1)
        up, u = (u, 2 * u - up + 0.25 * lap)
        u[[0, -1], :] = 0
        u[:, [0, -1]] = 0
    return (u, np.unravel_index(np.argmax(u), u.shape))


R = np.random.default_rng(2)
g = np.linspace(0, 1, 5)
nodes = np.array([(x, y) for x in g for y in g])
elems = np.array(
    [
        t
        for i in range(4)
        for j in range(4)
        for t in ((5 * i + j, 5 * i + j + 5, 5 * i + j + 1), (5 * i + j + 1, 5 * i + j + 5, 5 * i + j + 6))
    ]
)

CALLS: list[Any] = [
    (
        heat_explicit,
        [
            (np.sin(np.linspace(0, 3, 20)), 1.0, 0.1, 0.004, 20),
            (np.arange(6), 1, 1, 0.25, 7),
            (np.ones(5), 1.0, 0.1, 1.0, 2),
            (np.ones(2, np.float32), 0.1, 0.1, 0.01, 5),
        ],
    ),
    (crank_nicolson, [(np.sin(np.linspace(0, 3, 20)), 0.5, 5), (np.ones(3), 1.0, 2), (np.arange(5), 1, 1)]),
    (adi, [(R.random((8, 8)), 0.1, 3)]),
    (multigrid, [(np.sin(np.linspace(0, np.pi, 33)), 4, 3)]),
    (fem, [(nodes, elems, 1.0), (nodes, elems[:, ::-1].astype(np.int32), 2), (nodes, np.array([[0, 1, 2]]), 1.0)]),
    (burgers_fvm, [(np.sin(np.linspace(0, 6, 50)), 0.1, 0.5), (np.zeros(3), 1.0, 1.0)]),
    (nbody, [(4, 10, 0.01), (1, 3, 0.1)]),
    (pic, [(200, 16, 4, 0)]),
    (ray, [(12, 10)]),
    (sph, [(np.sort(R.random(20)), np.ones(20) / 20, 0.1), (np.zeros(1), np.ones(1), 0.1)]),
    (leapfrog_kepler, [(0.5, 50, 0.05), (0, 1, 0.1)]),
    (stiff_newton, [(0.04, 30000000.0, 10000.0, 1.0, 10)]),
    (wave2d, [(12, 10)]),
]


@pytest.mark.parametrize("f, calls", CALLS, ids=lambda x: getattr(x, "__name__", ""))
def test_interpreted(f: Any, calls: list[tuple[Any, ...]]) -> None:
    for call in calls:
        error = observe(f, call, {}, False).error
        check(
            f, *call, rtol=1e-9, atol=1e-11, raises=type(error) if error else None, settings={"target": "interpreter"}
        )
