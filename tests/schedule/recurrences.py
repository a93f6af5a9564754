"""Random recurrences in two or three loops: elements that need those of the row before, of the column before and of the sweep before; rows with temporaries; conditions, triangles, several arrays."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np


@dataclass
class Recurrence:
    """A program as text, its function is `f(steps, *arrays, x, y)`; and the arrays of a call."""

    text: str
    steps: int
    arrays: list[np.ndarray]
    x: np.ndarray
    y: np.ndarray

    def copies(self) -> tuple[object, ...]:
        """Fresh arguments."""
        return (self.steps, *(a.copy(order="K") for a in self.arrays), self.x.copy(), self.y.copy())


def random_recurrence(seed: int) -> Recurrence:
    """The program of this number."""
    rng = random.Random(seed)
    names = ["A", "B", "C"][: rng.choice((1, 1, 2, 2, 3))]
    dtype = rng.choice((np.float64, np.float64, np.float32, np.int64))
    whole = dtype is np.int64
    lines = _sweeps(rng, names, whole) if rng.random() < 0.35 else _points(rng, names, whole)
    text = f"def f(steps, {', '.join(names)}, x, y):\n    n, m = A.shape\n" + "".join(f"    {line}\n" for line in lines)
    values = np.random.default_rng(seed)
    shape = rng.randint(5, 22), rng.randint(5, 30)
    arrays = [(values.standard_normal(shape) * 8).astype(dtype) for _ in names]
    if rng.random() < 0.15:
        arrays = [np.asfortranarray(a) for a in arrays]
    x, y = (values.integers(0, 4, 64) for _ in "xy")
    return Recurrence(text, rng.choice((0, 1, 3, 4, 5, 9)), arrays, x, y)


def _points(rng: random.Random, names: list[str], whole: bool) -> list[str]:
    """Two loops over points, or three with one over time."""
    low, high = (tuple(rng.randint(0, 3) for _ in "ij") for _ in "ab")
    rows, columns = (f"range({a}, {n} - {b})" for a, b, n in zip(low, high, "nm"))
    if rng.random() < 0.2:
        columns = rng.choice(
            (f"range({low[1]}, min(i + 1, m - {high[1]}))", f"range(min(max(i, {low[1]}), m), m - {high[1]})")
        )
    lines = [f"for i in {rows}:"]
    if rng.random() < 0.2:
        lines.append("    w = x[i] + 1")
    lines.append(f"    for j in {columns}:")
    lines += ["        " + s for s in _statements(rng, names, low, high, whole, "w" in lines[1])]
    return ["for t in range(steps):", *("    " + x for x in lines)] if rng.random() < 0.3 else lines


def _statements(
    rng: random.Random, names: list[str], low: tuple[int, ...], high: tuple[int, ...], whole: bool, extra: bool
) -> list[str]:
    lines: list[str] = []

    def element(name: str, at: tuple[int, int] | None = None) -> str:
        i, j = at or (rng.randint(-low[0], high[0]), rng.randint(-low[1], high[1]))
        return f"{name}[i{i:+d}, j{j:+d}]".replace("+0", "").replace("-0", "")

    def value() -> str:
        parts = [element(rng.choice(names)) for _ in range(rng.randint(1, 3))]
        parts.append(element(names[0], (0, -1 if low[1] else 0)))
        if rng.random() < 0.4:
            parts.append("(0 if x[i] == y[j] else 1)")
        if extra:
            parts.append("w")
        form = rng.random()
        if form < 0.3:
            e = f"{rng.choice(('min', 'max'))}({', '.join(parts)}, 3)"
        else:
            e = rng.choice((" + ", " - ")).join(parts)
        if whole:
            return f"({e}) % 1009"
        return rng.choice((f"({e}) / 9.0", f"0.25 * ({e})", f"abs({e}) * 0.5", f"np.sqrt(abs({e}))"))

    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        target = element(rng.choice(names), (0, 0) if rng.random() < 0.8 else None)
        form = rng.random()
        if form < 0.55:
            lines.append(f"{target} = {value()}")
        elif form < 0.7:
            lines += ["if x[i] == y[j]:", f"    {target} = {value()}", "else:", f"    {target} = {value()}"]
        elif form < 0.8:
            lines += [f"if {element(names[-1])} > 0:", f"    {target} = {value()}"]
        elif form < 0.9:
            lines += [f"v = {value()}", f"{target} = v - {element(names[0])}"]
        else:
            lines += ["v = 1", f"if {element(names[0])} > 1:", f"    v = {value()}", f"{target} = v"]
    return lines


def _sweeps(rng: random.Random, names: list[str], whole: bool) -> list[str]:
    """A loop over time around rows, each with what is done to the whole row, and a recurrence along it."""
    back, far = rng.randint(0, 2), rng.randint(0, 2)

    def row(name: str, cut: int) -> str:
        by = rng.randint(-back, far)
        return f"{name}[i{by:+d}, {cut}:m-{2 - cut}]".replace("+0", "").replace("m-0", "m")

    a, b = names[0], rng.choice(names)
    lines = [f"rest = {row(a, 1)} + {row(b, rng.randint(0, 2))}"]
    if rng.random() < 0.6:
        lines.append(f"rest += {row(a, 0)} + {row(b, 2)}")
    if rng.random() < 0.3:
        lines.append(f"{b}[i, :] = {b}[i, :] * 2 - {a}[i]")
    e = rng.choice(
        (f"{a}[i, j - 1] + rest[j - 1]", f"rest[j - 1] - {a}[i, j - 1] + {b}[i, j]", f"max({a}[i, j - 1], rest[j - 1])")
    )
    lines += ["for j in range(1, m - 1):", f"    {a}[i, j] = ({e}) {'% 1009' if whole else '/ 9.0'}"]
    if rng.random() < 0.2:
        lines += ["    " + f"{b}[i, j] = {a}[i, j - 1]"]
    return ["for t in range(steps):", f"    for i in range({back}, n - {far}):", *("        " + x for x in lines)]
