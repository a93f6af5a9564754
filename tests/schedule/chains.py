"""Random sequences of statements over whole arrays: stencils with temporaries, in place, over columns, with sums in rows and numbers between them."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np


@dataclass
class Chain:
    """A program as text, its function is `f(*arrays)` and returns arrays; and the arrays of a call."""

    text: str
    arrays: list[np.ndarray]

    def copies(self) -> tuple[np.ndarray, ...]:
        """Fresh arguments."""
        return tuple(a.copy(order="K") for a in self.arrays)


def random_chain(seed: int) -> Chain:
    """The program of this number."""
    rng = random.Random(seed)
    ndim = rng.choice((2, 2, 2, 3))
    dtype = rng.choice((np.float64, np.float64, np.float32, np.int64))
    shape = (rng.randint(14, 40), *(rng.randint(14, 16) for _ in range(ndim - 1)))
    names = ["A", "B"][: rng.randint(1, 2)]
    margins = dict.fromkeys(names, 0)
    lines: list[str] = []
    for k in range(rng.randint(3, 7)):
        kind = rng.random()
        if kind < 0.75 or len(margins) == len(names):
            name = f"t{k}"
            value, margin = _value(rng, margins, ndim, dtype)
            lines.append(f"{name} = {value}")
            margins[name] = margin
        else:
            lines.append(_other(rng, margins, names, ndim, k))
    made = [n for n in margins if n not in names]
    results = dict.fromkeys([made[-1], *rng.sample(made, rng.choice((0, 0, 0, 1)))])
    values = np.random.default_rng(seed)
    arrays = [(values.standard_normal(shape) * 8).astype(dtype) for _ in names]
    if rng.random() < 0.1:
        arrays = [np.asfortranarray(a) for a in arrays]
    body = "".join(f"    {line}\n" for line in lines)
    if rng.random() < 0.2:
        body = "    for k in range(2):\n" + "".join(f"        {line}\n" for line in lines)
    text = f"def f({', '.join(names)}):\n{body}    return {', '.join(results)},\n"
    return Chain(text, arrays)


def _value(rng: random.Random, margins: dict[str, int], ndim: int, dtype: type) -> tuple[str, int]:
    """An expression over elements of some arrays, and by how much the result is shorter than the arguments on each side."""
    sources = [rng.choice(list(margins)[-3:]) for _ in range(rng.randint(1, 3))]
    reach = rng.choice((0, 1, 1, 2)) if max(margins[s] for s in sources) < 4 else 0
    margin = max(margins[s] for s in sources) + reach
    parts = []
    for s in sources:
        gap = margin - margins[s]
        for _ in range(rng.randint(1, 3)):
            at = [rng.randint(-min(gap, reach), min(gap, reach)) for _ in range(ndim)]
            slices = [f"{gap + c}:{-(gap - c) or ''}" if gap else ":" for c in at]
            parts.append(f"{s}[{', '.join(slices)}]")
    value = " + ".join(parts)
    if dtype is np.int64:
        return f"({value}) % 1009 // 3 % 101 // 2", margin
    form = rng.choice(("np.sqrt(np.abs({}))", "np.where({0} > 0.5, {0} / 3, 0.25)", "np.sin({}) / 2", "0.5 * ({})"))
    return form.format(f"({value})"), margin


def _other(rng: random.Random, margins: dict[str, int], names: list[str], ndim: int, k: int) -> str:
    """A statement that changes what there is, or adds some of it up."""
    made = [n for n in margins if n not in names]
    t, a = rng.choice(made), rng.choice(names)
    m = margins[t]
    inner = ", ".join([f"{m}:-{m}" if m else ":"] * ndim)
    forms = [
        f"{t} *= 2",
        f"{t}[0] = {t}[-1]",
        f"{t}[1] = {t}[2]",
        f"{t}[:, 0] = {t}[:, 1]",
        f"{t}[:, 1:-1] = {t}[:, :-2]",
        f"{t}[1:-1] += {t}[1:-1]",
        f"{a}[{inner}] = {t}",
        f"{a}[{inner}] += {t}",
        f"{t} -= {t}.max()",
        f"{t} += {t}.sum(axis={ndim - 1}, keepdims=True)",
        f"{t} += {t}.sum(axis=0)",
        f"{t} = np.maximum({t}, np.mean({t}))",
        f"{t} = {t}[::-1].copy()",
        f"z{k} = np.zeros_like({t}); z{k}[1:-1] = {t}[1:-1] * 2; {t} = z{k}",
    ]
    return rng.choice(forms)


def random_pyramid(seed: int) -> Chain:
    """A program whose statements have rows at different rates: stencils, pooling, every second row, rows twice."""
    rng = random.Random(seed)
    dtype = rng.choice((np.float64, np.float64, np.float32, np.int64))
    rows, columns = rng.choice((rng.randint(20, 50), rng.randint(60, 90))), rng.randint(12, 14)
    counts = {"A": rows}
    lines: list[str] = []
    for k in range(rng.randint(3, 7)):
        source = rng.choice(list(counts)[-2:])
        value, count = _at_rate(rng, source, counts)
        form = rng.choice(("np.sqrt(np.abs({}))", "np.sin({}) / 2", "{} * {}"))
        if dtype is np.int64:
            form = "({}) % 1009 // 3"
        lines.append(f"x{k} = {value}")
        lines.append(f"t{k} = {form.format(f'x{k}', f'x{k}')}")
        counts[f"t{k}"] = count
    made = list(counts)[1:]
    results = dict.fromkeys([made[-1], *rng.sample(made, rng.choice((0, 0, 0, 1)))])
    values = np.random.default_rng(seed)
    arrays = [(values.standard_normal((rows, columns)) * 8).astype(dtype)]
    body = "".join(f"    {line}\n" for line in lines)
    end = rng.choice(("", "", "", ".sum(axis=1)", ".max(axis=1)"))
    return Chain(f"def f(A):\n{body}    return {f'{end}, '.join(results)}{end},\n", arrays)


def _at_rate(rng: random.Random, s: str, counts: dict[str, int]) -> tuple[str, int]:
    """An expression over rows of an array, and how many rows it has."""
    n = counts[s]
    kind = rng.randint(0, 9)
    half = n // 2
    if kind == 0 and n > 8:
        return f"np.maximum({s}[0:{2 * half}:2], {s}[1:{2 * half}:2])", half
    if kind == 1 and n > 8:
        return f"{s}[:{2 * half}].reshape({half}, 2, -1).{rng.choice(('max', 'min'))}(axis=1)", half
    if kind == 2 and n > 8:
        first, by = rng.randint(0, 2), rng.choice((2, 2, 3))
        return f"{s}[{first}::{by}] + 1", len(range(first, n, by))
    if kind == 3 and n < 70:
        return f"np.repeat({s}, 2, axis=0)", 2 * n
    if kind == 4 and n < 70:
        return f"np.array([[{s}[i // 2, j] + {s}[(i + 1) // 2, j] for j in range({s}.shape[1])] for i in range({2 * n - 2})])", 2 * n - 2  # fmt: skip
    if kind == 5 and len(counts) > 1:
        other = rng.choice(list(counts)[-3:])
        least = min(n, counts[other])
        return f"{s}[:{least}] + {other}[{counts[other] - least}:]", least
    if kind == 6 and n > 12:
        return f"{s}[0:{2 * half - 3}:2] + {s}[1:{2 * half - 2}:2] + {s}[3::2][:{half - 1}]", half - 1
    reach = rng.choice((1, 2)) if n > 8 else 0
    return " + ".join(f"{s}[{c}:{n - 2 * reach + c}]" for c in range(2 * reach + 1)), n - 2 * reach
