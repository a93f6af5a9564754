"""Random loops that update rows of an array by one of them: eliminations, shortest paths, closures; in whole arrays, rows or elements, and with statements that forbid it."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

_FLOATS = (np.float64, np.float64, np.float32)
_INTS = (np.int64, np.int32)


@dataclass
class Elimination:
    """A program as text, its function is `f(*arrays)`; and the arrays of a call."""

    text: str
    arrays: list[np.ndarray]

    def copies(self) -> list[np.ndarray]:
        """Fresh arguments."""
        return [a.copy(order="K") for a in self.arrays]


def random_elimination(seed: int) -> Elimination:
    """The program of this number: `f(A, B, b, W)`, where W does not change."""
    rng = random.Random(seed)
    dtype = rng.choice((*_FLOATS, *_FLOATS, *_INTS, np.bool_))
    n = rng.randint(4, 19)
    m = n if rng.random() < 0.7 else n + rng.randint(1, 5)
    body = _Body(rng, dtype).lines()
    start = rng.choice(("", "", "", "1, ", "2, "))
    text = "def f(A, B, b, W):\n    n = A.shape[0]\n"
    text += f"    for k in range({start}n{rng.choice(('', '', ' - 1', ' // 2'))}):\n"
    text += "".join(f"        {line}\n" for line in body)
    values = np.random.default_rng(seed)
    arrays = [_values(values, s, dtype) for s in ((n, m), (n, rng.randint(1, 9)), (n,), (n, m))]
    if rng.random() < 0.2:
        arrays[0] = np.asfortranarray(arrays[0])
    elif rng.random() < 0.1:
        arrays[0] = _values(values, (n, 2 * m), dtype)[:, ::2]
    return Elimination(text, arrays)


def _values(values: np.random.Generator, shape: tuple[int, ...], dtype: type) -> np.ndarray:
    if dtype is np.bool_:
        return values.random(shape) < 0.2
    return (values.standard_normal(shape) * 8).astype(dtype)


class _Body:
    """The statements of a step."""

    def __init__(self, rng: random.Random, dtype: type) -> None:
        self.rng = rng
        self.dtype = dtype
        self.low = rng.choice(("", "", "k + 1", "k + 1", "k", "1"))  # of rows
        self.left = rng.choice(("", "k + 1", "k + 1", "k", self.low, "2"))  # of columns
        self.operation = rng.choice(self._operations())

    def _operations(self) -> list[str]:
        if self.dtype is np.bool_:
            return ["{x} | ({c} & {r})", "{x} ^ ({c} & {r})", "{x} & ({c} | {r})"]
        common = ["np.minimum({x}, {c} + {r})", "np.maximum({x}, np.minimum({c}, {r}))", "np.minimum({x}, np.maximum({c}, {r}))"]  # fmt: skip
        if self.dtype in _INTS:
            return [*common, "({x} + {c} * {r}) % 1009", "{x} ^ ({c} & {r})", "np.maximum({x}, {c} - {r} + W[{w}] % 7)"]
        return [*common, "{x} - {c} * {r}", "{x} - {c} * {r} * 0.125", "0.5 * {x} + {c} * {r} - W[{w}]"]

    def lines(self) -> list[str]:
        """In front of the update, the update, behind it."""
        rng, out = self.rng, []
        if rng.random() < 0.3:
            out.append(rng.choice(self._pivots()))
        out += rng.choice((self.whole, self.whole, self.by_rows, self.by_rows, self.by_elements))()
        if rng.random() < 0.15:
            out.append(rng.choice(self._pivots()))
        if rng.random() < 0.12:
            out.insert(rng.choice((0, len(out))), rng.choice(self._others()))
        return out

    def _pivots(self) -> list[str]:
        """Statements about row k."""
        if self.dtype is np.bool_:
            return ["A[k, k] = True", "A[k] = A[k] | W[k]", "b[k] = A[k, 0]"]
        if self.dtype in _INTS:
            return ["A[k, k] = 3", "A[k] = A[k] + W[k] % 5", "b[k] = A[k, 1] % 100"]
        return ["A[k] = A[k] / A[k, k]", "A[k, k] = 2.0 + A[k, k]", "b[k] = b[k] / 3 + A[k, 0]", "A[k, 1:] *= 0.5"]

    def _others(self) -> list[str]:
        """What needs rows in another way."""
        return ["A[0] = A[k]", "A[k] = A[k - 1]", "b[0] = A[k, k]", "A[:, 0] = A[:, k]", "b[k] = A[n - 1, 1]", "A[k, :] = A[n - 1 - k, :]"]  # fmt: skip

    def whole(self) -> list[str]:
        """All rows by one statement, and perhaps a factor for each row first."""
        rows, cols = f"{self.low}:", f"{self.left}:"
        if self.rng.random() < 0.05:
            rows = self.rng.choice((":k", ":k + 1", "k + 2:"))
        out, column = [], f"A[{rows}, k, None]"
        choice = self.rng.random()
        if choice < 0.2 and self.dtype not in (*_INTS, np.bool_):
            out.append(
                f"A[{rows}, k] {self.rng.choice(('/=', '*='))} A[k, k]"
                if self.low == "k + 1"
                else f"A[{rows}, k] *= 0.5"
            )
        elif choice < 0.4:
            out += [
                f"c = A[{rows}, k]{self.rng.choice(('.copy()', '.copy()', ' | A[k, k]' if self.dtype is np.bool_ else ' + A[k, k]'))}"
            ]
            column = "c[:, None]"
        row = f"A[k, {cols}]"
        if self.rng.random() < 0.2:
            out.append(f"r = A[k, {cols}].copy()")
            row = "r"
        value = self.operation.format(x=f"A[{rows}, {cols}]", c=column, r=row, w=f"{rows}, {cols}")
        out.append(f"A[{rows}, {cols}] = {value}")
        if self.rng.random() < 0.2:
            out.append(f"B[{rows}] = {self.operation.format(x=f'B[{rows}]', c=column, r='B[k]', w='0, 0')}")
        return out

    def by_rows(self) -> list[str]:
        """A loop over rows."""
        cols, condition = f"{self.left}:", self.rng.choice(("", "", "if i != k:", "if i > k:"))
        out = [f"for i in range({self.low or '0'}, n):"]
        inner = []
        factor = "A[i, k]"
        if self.rng.random() < 0.5:
            inner.append(
                f"c = A[i, k]{self.rng.choice(('', '', ' | A[k, k]' if self.dtype is np.bool_ else ' * A[k, k]'))}"
            )
            factor = "c"
        inner.append(
            f"A[i, {cols}] = {self.operation.format(x=f'A[i, {cols}]', c=factor, r=f'A[k, {cols}]', w=f'i, {cols}')}"
        )
        if self.rng.random() < 0.3:
            inner.append(f"b[i] = {self.operation.format(x='b[i]', c=factor, r='b[k]', w='i, 0')}")
        if self.rng.random() < 0.3:
            inner.append(f"B[i] = {self.operation.format(x='B[i]', c=factor, r='B[k]', w='i, 0')}")
        if self.rng.random() < 0.15:
            inner.append("A[i, k] = c" if factor == "c" else "A[i, k] = b[i]")
        if condition:
            return [*out, f"    {condition}", *(f"        {x}" for x in inner)]
        return [*out, *(f"    {x}" for x in inner)]

    def by_elements(self) -> list[str]:
        """Loops over rows and columns; perhaps the other way round."""
        rows, cols = f"for i in range({self.low or '0'}, n):", f"for j in range({self.left or '0'}, A.shape[1]):"
        value = self.operation.format(x="A[i, j]", c="A[i, k]", r="A[k, j]", w="i, j")
        if self.rng.random() < 0.2:
            return [cols, f"    {rows}", f"        A[i, j] = {value}"]
        inner = [f"    {cols}", f"        A[i, j] = {value}"]
        if self.rng.random() < 0.3:
            inner.append(f"    b[i] = {self.operation.format(x='b[i]', c='A[i, k]', r='b[k]', w='i, 0')}")
        if self.rng.random() < 0.2:
            inner.insert(
                0,
                "    A[i, k] = A[i, k] & A[k, k]"
                if self.dtype is not np.float64 and self.dtype is not np.float32
                else "    A[i, k] = A[i, k] / A[k, k]",
            )
        return [rows, *inner]
