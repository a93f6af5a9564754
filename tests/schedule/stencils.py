"""Random loops over time: sweeps of stencils over one to three arrays, statements about boundary rows and columns, copies, temporaries, arrays that change places."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np


@dataclass
class Stencil:
    """A program as text, its function is `f(steps, *arrays, given)` and returns what the names of the arrays stand for; and the arrays of a call."""

    text: str
    steps: int
    arrays: list[np.ndarray]
    given: np.ndarray

    def copies(self) -> tuple[object, ...]:
        """Fresh arguments."""
        return (self.steps, *(a.copy(order="K") for a in self.arrays), self.given.copy())


def random_stencil(seed: int, passes_on: bool = False, periodic: bool = False, loops: bool = False) -> Stencil:
    """The program of this number. passes_on: its steps pass on arrays to the next ones under other names; periodic: the last rows are neighbours of the first ones; loops: sweeps are loops"""
    rng = random.Random(seed)
    ndim = rng.choice((1, 1, 2, 2, 2, 3)) if not loops else rng.choice((1, 2, 2))
    names = ["A", "B", "C"][: rng.randint(1, 3)]
    least = 5 if rng.random() < 0.2 else 12
    shape = (rng.randint(least, 40), *(rng.randint(5, 7) for _ in range(ndim - 1)))
    dtype = rng.choice((np.float64, np.float64, np.float32, np.int64))
    body = _body(rng, names, ndim, dtype, loops)
    text = f"def f(steps, {', '.join(names)}, given):\n    for t in range({rng.choice(('', '', '2, '))}steps):\n"
    if periodic:
        body = _periodic(rng, body, names, ndim)
    if passes_on:
        body = _passing_on(rng, body, names, ndim)
    text += (
        "".join(f"        {line}\n".replace("\n    ", "\n            ") for line in body)
        + f"    return {', '.join(names)},\n"
    )
    values = np.random.default_rng(seed)
    arrays = [(values.standard_normal(shape) * 8).astype(dtype) for _ in names]
    if ndim > 1 and rng.random() < 0.15:
        arrays = [np.asfortranarray(a) for a in arrays]
    return Stencil(text, rng.choice((0, 1, 2, 5, 9, 12)), arrays, values.standard_normal(16).astype(dtype))


def _body(rng: random.Random, names: list[str], ndim: int, dtype: type, loops: bool) -> list[str]:
    lines: list[str] = []
    made: list[str] = []
    for k in range(rng.randint(1, 4)):
        kind = rng.random()
        if kind < 0.55:
            lines.append(_sweep(rng, [*names, *made], names, ndim, dtype, loops))
        elif kind < 0.8:
            lines.append(_boundary(rng, names, ndim))
        elif kind < 0.9 and len(names) > 1:
            lines.append(f"{rng.choice(names)}[:] = {rng.choice(names)}")
        else:
            made.append(f"M{k}")
            lines.append(f"M{k} = {rng.choice(names)}{rng.choice(('.copy()', ' + 1', ' * 2'))}")
    return [*lines, _sweep(rng, [*names, *made], names, ndim, dtype, loops)]


def _passing_on(rng: random.Random, body: list[str], names: list[str], ndim: int) -> list[str]:
    """The body, in which names are given to other arrays."""
    others = rng.sample(names, len(names))
    inner = ", ".join(["1:-1"] * ndim)
    forms = [
        [f"{', '.join(names)} = {', '.join(others)}"],
        [f"old = {names[0]}", f"{names[0]} = {names[-1]}", f"{names[-1]} = old"],
        [f"fresh = {names[0]}.copy()", f"fresh[{inner}] += 0.25 * {names[-1]}[{inner}]".replace("0.25", rng.choice("12"))]
        + ([f"{names[-1]} = {names[0]}"] if rng.random() < 0.5 else [])
        + [f"{names[0]} = fresh"],
        [f"fresh = np.zeros_like({names[0]})", f"fresh[{inner}] = 2 * {names[0]}[{inner}] - {names[-1]}[{inner}]"]
        + ([f"{names[-1]} = {names[0]}"] if rng.random() < 0.5 else [])
        + [f"{names[0]} = fresh"],
    ]  # fmt: skip
    chosen = rng.choice(forms)
    return [*body, *chosen] if rng.random() < 0.8 else [*chosen, *body]


def _periodic(rng: random.Random, body: list[str], names: list[str], ndim: int) -> list[str]:
    """The body with statements in which rows go round."""
    body = list(body)
    for _ in range(rng.randint(1, 2)):
        a, b, c = (rng.choice(names) for _ in "abc")
        shift, other = rng.choice((1, -1, 2)), rng.choice((1, -1))
        across = f" - np.roll({c}, {other}, 1)" if ndim > 1 else ""
        forms = [
            f"{a}[:] = {b} + 2 * np.roll({b}, {shift}, 0) - {c}{across}",
            f"{a}[:] = np.roll({b}, {shift}, 0) - np.roll({c}, {other}, 0){across}",
            f"{a}[0] = {b}[-2]; {a}[-1] = {b}[1]",
            f"{a}[-1] = {b}[0]",
            f"{a} += np.roll({b}, {shift}, 0)",
        ]
        body.insert(rng.randint(0, len(body)), rng.choice(forms))
    return body


def _sweep(rng: random.Random, sources: list[str], targets: list[str], ndim: int, dtype: type, loops: bool) -> str:
    low, high = ([rng.randint(1, 2) for _ in range(ndim)] for _ in "ab")
    parts = []
    if loops and rng.random() < 0.8:  # an update in place is a recurrence
        targets = [rng.choice(targets)]
        sources = [x for x in sources if x not in targets] or sources
    for _ in range(rng.randint(1, 4)):
        at = [rng.randint(-a, b) if rng.random() < 0.7 else 0 for a, b in zip(low, high)]
        name = rng.choice(sources)
        parts.append(_element(name, at) if loops else _part(name, low, high, at))
    value = " + ".join(parts)
    if dtype is np.int64:
        value = f"({value}) % 1009"
    elif rng.random() < 0.7:
        value = f"{rng.choice(('0.25', '0.5', '-0.125'))} * ({value})"
    name = rng.choice(targets)
    target = _element(name, [0] * ndim) if loops else _part(name, low, high, [0] * ndim)
    operator = rng.choice(("=", "=", "+=", "-=")) if dtype is not np.int64 else "="
    heads = [f"for {v} in range({a}, {name}.shape[{k}] - {b}):\n" for k, (v, a, b) in enumerate(zip("ij", low, high))]
    nest = "".join("    " * k + head for k, head in enumerate(heads)) + "    " * ndim if loops else ""
    return f"{nest}{target} {operator} {value}"


def _element(name: str, at: list[int]) -> str:
    """The element so far from that of the loops."""
    return f"{name}[{', '.join(f'{v} + {c}' if c else v for v, c in zip('ij', at))}]"


def _part(name: str, low: list[int], high: list[int], at: list[int]) -> str:
    """The elements of an array that far from its inner part."""
    slices = [f"{a + c}:{-(b - c) or ''}" for a, b, c in zip(low, high, at)]
    return f"{name}[{', '.join(slices)}]"


def _boundary(rng: random.Random, names: list[str], ndim: int) -> str:
    a, b = rng.choice(names), rng.choice(names)
    row = rng.choice(("0", "1", "-1", "-2"))
    forms = [f"{a}[{row}] = given[t]", f"{a}[{row}] = {b}[{row}] + 1", f"{a}[0] = {a}[1]", f"{a}[-1] = {b}[-3]"]
    if ndim > 1:
        forms += [f"{a}[:, 0] = {b}[:, 1]", f"{a}[:, -1] = 2", f"{a}[0, :] = 0; {a}[-1, :] = 1"]
    return rng.choice(forms)
