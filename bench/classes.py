"""Programs written as a class, whose method is compiled, and as a function of the same arrays: the class should cost nothing.

Both run by turns in one process, on the same starting values, and the least of each counts.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import soljit as sol
from soljit.cli.screen import print_table


class Heat:
    """Heat on a square plate: two arrays that are swapped after every step."""

    def __init__(self, n: int = 300) -> None:
        self.alpha, self.dt, self.time = 0.1, 0.5, 0.0
        self.u = np.random.default_rng(1).random((n, n))
        self.next = self.u.copy()

    def step(self) -> None:
        u, k = self.u, self.alpha * self.dt
        self.next[1:-1, 1:-1] = u[1:-1, 1:-1] + k * (
            u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
        )
        self.u, self.next = self.next, self.u
        self.time += self.dt

    def run(self, steps: int) -> float:
        for _ in range(steps):
            self.step()
        return self.time


def heat(u: Any, next: Any, alpha: float, dt: float, now: float, steps: int) -> Any:
    for _ in range(steps):
        k = alpha * dt
        next[1:-1, 1:-1] = u[1:-1, 1:-1] + k * (
            u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
        )
        u, next = next, u
        now += dt
    return u, now


class Kalman:
    """Position and speed from noisy positions: products of small matrices, one measurement after the other."""

    def __init__(self, dt: float = 0.1) -> None:
        self.x, self.p = np.zeros(2), np.eye(2) * 10
        self.f = np.array([[1.0, dt], [0.0, 1.0]])
        self.q, self.r, self.seen = np.eye(2) * 0.01, 0.5, 0

    def predict(self) -> None:
        self.x = self.f @ self.x
        self.p = self.f @ self.p @ self.f.T + self.q

    def update(self, z: float) -> None:
        gain = self.p[:, 0] / (self.p[0, 0] + self.r)
        self.x = self.x + gain * (z - self.x[0])
        self.p = self.p - np.outer(gain, self.p[0])
        self.seen += 1

    def run(self, measured: Any) -> float:
        for z in measured:
            self.predict()
            self.update(z)
        return float(self.x[1])


def kalman(x: Any, p: Any, f: Any, q: Any, r: float, seen: int, measured: Any) -> Any:
    for z in measured:
        x = f @ x
        p = f @ p @ f.T + q
        gain = p[:, 0] / (p[0, 0] + r)
        x = x + gain * (z - x[0])
        p = p - np.outer(gain, p[0])
        seen += 1
    return x, p, seen


class Lorenz:
    """A differential equation of three numbers, by the method of Runge and Kutta."""

    def __init__(self) -> None:
        self.sigma, self.rho, self.beta, self.dt = 10.0, 28.0, 8.0 / 3.0, 0.001
        self.x, self.y, self.z, self.steps = 1.0, 1.0, 1.0, 0

    def slope(self, x: float, y: float, z: float) -> tuple[float, float, float]:
        return self.sigma * (y - x), x * (self.rho - z) - y, x * y - self.beta * z

    def step(self) -> None:
        h, x, y, z = self.dt, self.x, self.y, self.z
        a, b, c = self.slope(x, y, z)
        d, e, f = self.slope(x + h / 2 * a, y + h / 2 * b, z + h / 2 * c)
        g, i, j = self.slope(x + h / 2 * d, y + h / 2 * e, z + h / 2 * f)
        k, m, n = self.slope(x + h * g, y + h * i, z + h * j)
        self.x += h / 6 * (a + 2 * d + 2 * g + k)
        self.y += h / 6 * (b + 2 * e + 2 * i + m)
        self.z += h / 6 * (c + 2 * f + 2 * j + n)
        self.steps += 1

    def run(self, steps: int) -> float:
        for _ in range(steps):
            self.step()
        return self.x


def _slope(sigma: float, rho: float, beta: float, x: float, y: float, z: float) -> tuple[float, float, float]:
    return sigma * (y - x), x * (rho - z) - y, x * y - beta * z


def lorenz(x: float, y: float, z: float, s: float, r: float, q: float, h: float, steps: int) -> Any:
    for _ in range(steps):
        a, b, c = _slope(s, r, q, x, y, z)
        d, e, f = _slope(s, r, q, x + h / 2 * a, y + h / 2 * b, z + h / 2 * c)
        g, i, j = _slope(s, r, q, x + h / 2 * d, y + h / 2 * e, z + h / 2 * f)
        k, m, n = _slope(s, r, q, x + h * g, y + h * i, z + h * j)
        x += h / 6 * (a + 2 * d + 2 * g + k)
        y += h / 6 * (b + 2 * e + 2 * i + m)
        z += h / 6 * (c + 2 * f + 2 * j + n)
    return x, y, z


class Particles:
    """Particles that attract each other, pair by pair."""

    def __init__(self, n: int = 60) -> None:
        rng = np.random.default_rng(1)
        self.n, self.dt, self.soft, self.energy = n, 0.001, 0.01, 0.0
        self.position, self.speed, self.mass = rng.random((n, 3)), np.zeros((n, 3)), np.full(n, 1 / n)
        self.force = np.zeros((n, 3))

    def attract(self) -> None:
        self.force[:] = 0.0
        self.energy = 0.0
        for i in range(self.n):
            for j in range(i + 1, self.n):
                d2 = self.soft
                for k in range(3):
                    d = self.position[j, k] - self.position[i, k]
                    d2 += d * d
                w = self.mass[i] * self.mass[j] / (d2 * np.sqrt(d2))
                for k in range(3):
                    d = self.position[j, k] - self.position[i, k]
                    self.force[i, k] += w * d
                    self.force[j, k] -= w * d
                self.energy -= self.mass[i] * self.mass[j] / np.sqrt(d2)

    def run(self, steps: int) -> float:
        for _ in range(steps):
            self.attract()
            self.speed += self.dt * self.force / self.mass[:, None]
            self.position += self.dt * self.speed
        return self.energy


def particles(x: Any, v: Any, mass: Any, force: Any, dt: float, soft: float, steps: int) -> float:
    n, energy = len(mass), 0.0
    for _ in range(steps):
        force[:] = 0.0
        energy = 0.0
        for i in range(n):
            for j in range(i + 1, n):
                d2 = soft
                for k in range(3):
                    d = x[j, k] - x[i, k]
                    d2 += d * d
                w = mass[i] * mass[j] / (d2 * np.sqrt(d2))
                for k in range(3):
                    d = x[j, k] - x[i, k]
                    force[i, k] += w * d
                    force[j, k] -= w * d
                energy -= mass[i] * mass[j] / np.sqrt(d2)
        v += dt * force / mass[:, None]
        x += dt * v
    return energy


class Layer:
    """A layer of neurons: forward, backward, and a step against the gradient."""

    def __init__(self, inputs: int = 64, outputs: int = 32) -> None:
        rng = np.random.default_rng(1)
        self.w, self.b = rng.standard_normal((inputs, outputs)) / 8, np.zeros(outputs)
        self.rate, self.loss, self.rounds = 0.01, 0.0, 0

    def forward(self, x: Any) -> Any:
        self.y = np.maximum(x @ self.w + self.b, 0.0)
        return self.y

    def run(self, x: Any, target: Any, rounds: int) -> float:
        for _ in range(rounds):
            d = np.where(self.forward(x) > 0, self.y - target, 0.0) / len(x)
            self.loss = float((d * d).sum())
            self.w -= self.rate * (x.T @ d)
            self.b -= self.rate * d.sum(axis=0)
            self.rounds += 1
        return self.loss


def layer(w: Any, b: Any, rate: float, x: Any, target: Any, rounds: int) -> float:
    loss = 0.0
    for _ in range(rounds):
        y = np.maximum(x @ w + b, 0.0)
        d = np.where(y > 0, y - target, 0.0) / len(x)
        loss = float((d * d).sum())
        w -= rate * (x.T @ d)
        b -= rate * d.sum(axis=0)
    return loss


Program = tuple[type, Callable[..., Any], Callable[[], tuple[Any, ...]], Callable[[Any], tuple[Any, ...]]]
PROGRAMS: dict[
    str, Program
] = {  # a class; a function; what both are given at last; what the function is given of the class
    "stencil": (Heat, heat, lambda: (50,), lambda s: (s.u, s.next, s.alpha, s.dt, s.time)),
    "Kalman filter": (
        Kalman,
        kalman,
        lambda: (np.random.default_rng(2).random(2000),),
        lambda s: (s.x, s.p, s.f, s.q, s.r, s.seen),
    ),
    "ODE integrator": (Lorenz, lorenz, lambda: (20_000,), lambda s: (s.x, s.y, s.z, s.sigma, s.rho, s.beta, s.dt)),
    "particles": (
        Particles,
        particles,
        lambda: (10,),
        lambda s: (s.position, s.speed, s.mass, s.force, s.dt, s.soft),
    ),
    "neural layer": (
        Layer,
        layer,
        lambda: (np.random.default_rng(2).random((128, 64)), np.random.default_rng(3).random((128, 32)), 50),
        lambda s: (s.w, s.b, s.rate),
    ),
}


def classes(options: argparse.Namespace) -> int:
    """Time the programs."""
    rows = []
    for name, (cls, function, last, parts) in PROGRAMS.items():
        if options.only in name:
            method: Any = cls.run  # type: ignore[attr-defined]
            compiled, plain = sol.jit(method, strict=True), sol.jit(function, strict=True)
            ways: list[Callable[[Any], Any]] = [
                lambda s, f=method, last=last: f(s, *last()),  # type: ignore[misc]
                lambda s, f=compiled, last=last: f(s, *last()),  # type: ignore[misc]
                lambda s, f=plain, last=last, parts=parts: f(*parts(s), *last()),  # type: ignore[misc]
            ]
            python, one, other = times(cls, ways, options.repeat)
            rows.append([name, *(f"{x * 1e3:.2f}" for x in (python, one, other)), f"{one / other:.2f}"])
    print_table("milliseconds a call", ["program", "Python", "class", "function", "class / function"], rows)
    return 0


def times(cls: type, ways: list[Callable[[Any], Any]], repeat: int) -> list[float]:
    """The least time of each way in seconds, on new instances; Python's way runs three times."""
    least = [float("inf")] * len(ways)
    for turn in range(repeat + 1):
        for k, way in enumerate(ways):
            if k == 0 and turn > 3:
                continue
            instance = cls()
            start = time.perf_counter()
            way(instance)
            if turn:  # the first one compiles
                least[k] = min(least[k], time.perf_counter() - start)
    return least
