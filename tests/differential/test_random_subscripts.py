"""Random subscripts, read and written, on random arrays: what an index means is decided in the front end, so the interpreter runs them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.oracle import check, function

DTYPES = ["float64", "int64", "int8", "uint8", "float32", "complex128", "bool"]


class Case:
    """One function with a subscript, and its arguments."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        low = 0 if self.chance(0.1) else 1
        shape = tuple(int(n) for n in self.rng.integers(low, 5, int(self.rng.integers(1, 5))))
        self.dtype = str(self.rng.choice(DTYPES))
        self.array = self.laid_out(shape, self.dtype)
        self.arguments: dict[str, Any] = {}
        self.index = self.subscript(shape)
        self.body = self.statements()

    def chance(self, p: float) -> bool:
        return bool(self.rng.random() < p)

    def argument(self, value: Any) -> str:
        name = f"i{len(self.arguments)}"
        self.arguments[name] = value
        return name

    def laid_out(self, shape: tuple[int, ...], dtype: str) -> np.ndarray:
        """An array in one of several memory layouts."""
        a = (np.arange(int(np.prod(shape))) % 11).reshape(shape).astype(dtype)
        kind = int(self.rng.integers(0, 5))
        if kind < 2 or not shape:
            return a
        if kind == 2:
            order = self.rng.permutation(len(shape))
            return np.ascontiguousarray(a.transpose(order)).transpose(np.argsort(order))
        if kind == 3:
            wide = np.zeros([2 * n + 1 for n in shape], dtype)
            wide[tuple(slice(1, 2 * n + 1, 2) for n in shape)] = a
            return wide[tuple(slice(1, 2 * n + 1, 2) for n in shape)]
        back = (slice(None, None, -1),) * len(shape)
        return np.ascontiguousarray(a[back])[back]

    def subscript(self, shape: tuple[int, ...]) -> str:
        """Integers, slices, newaxis, Ellipsis, bools, integer arrays and masks; now and then out of bounds."""
        parts: list[str] = []
        axis, length, ellipsis = 0, int(self.rng.integers(0, 4)), False
        while axis < len(shape) and not self.chance(0.12):
            n, kind = shape[axis], self.rng.random()
            if kind < 0.08:
                parts.append("None")
                continue
            if kind < 0.13 and not ellipsis:
                ellipsis = True
                parts.append("...")
                axis += int(self.rng.integers(0, len(shape) - axis))
                continue
            if kind < 0.15:
                parts.append(str(self.chance(0.5)))
                continue
            if kind < 0.38:
                parts.append(self.integer(n))
            elif kind < 0.65:
                parts.append(self.slice(n))
            elif kind < 0.9:
                parts.append(self.positions(n, length))
            else:
                axes = int(self.rng.integers(1, min(3, len(shape) - axis) + 1))
                parts.append(self.argument(self.rng.random(shape[axis : axis + axes]) < 0.5))
                axis += axes - 1
            axis += 1
        return ", ".join(parts) + ("," if len(parts) == 1 and self.chance(0.2) else "") if parts else "..."

    def integer(self, n: int) -> str:
        v = n + 1 if self.chance(0.02) else int(self.rng.integers(-n, n)) if n else 0
        if self.chance(0.5):
            return str(v)
        return self.argument(v if self.chance(0.7) else np.int64(v))

    def slice(self, n: int) -> str:
        ends = []
        for _ in range(2):
            v = int(self.rng.integers(-n - 2, n + 3))
            ends.append("" if self.chance(0.4) else str(v) if self.chance(0.5) else self.argument(v))
        step = str(self.rng.choice(["", "", "", "2", "-1", "-2", "3"]))
        if self.chance(0.1):
            step = self.argument(int(self.rng.choice([1, 2, -1])))
        return ":".join([*ends, step] if step else ends)

    def positions(self, n: int, length: int) -> str:
        shapes: list[tuple[int, ...]] = [(length,), (length,), (2, length), (1,), (), (length, 1)]
        shape = shapes[int(self.rng.integers(0, len(shapes)))]
        v = np.asarray(self.rng.integers(-n, n, shape) if n else np.zeros(shape, int))
        if v.ndim == 1 and self.chance(0.2):
            return str(v.tolist())
        if (v >= 0).all() and self.chance(0.2):
            return self.argument(v.astype(np.uint8))
        return self.argument(v.astype(str(self.rng.choice(["int64", "int32", "int8"]))))

    def statements(self) -> str:
        a, kind = f"a[{self.index}]", self.rng.random()
        if kind < 0.4:
            return f"return {a}"
        if kind < 0.55:
            return f"{a} = 3; return a"
        if kind < 0.65:
            return f"{a} += 1; return a"
        if kind < 0.7:
            return f"{a} = {a} * 2; return a"
        self.arguments["v"] = self.value()
        if kind < 0.9:
            return f"{a} = v; return a"
        return f"{a} -= v; return a" if kind < 0.95 else f"x = {a}; x[...] = v; return a, x"

    def value(self) -> np.ndarray:
        """Something to store: mostly of a shape that can be stretched to the right one."""
        try:
            shape = list(np.shape(eval(f"a[{self.index}]", {"a": self.array, **self.arguments})))
        except IndexError:
            shape = []
        shape = [1 if self.chance(0.2) else n for n in shape]
        if self.chance(0.2):
            shape = shape[1:]
        if self.chance(0.03) and shape:
            shape[0] += 1
        return self.laid_out(tuple(shape), str(self.rng.choice([self.dtype, "float64", "int64"])))


@pytest.mark.parametrize("seed", range(8))
def test_random_subscripts(seed: int) -> None:
    for k in range(25):
        case = Case(1000 * seed + k)
        names = "".join(f", {n}" for n in case.arguments)
        f = function(f"def f(a{names}):\n    {case.body}\n", "f")
        check(f, case.array, *case.arguments.values(), settings={"target": "interpreter"})
