"""Calls whose results examples do not tell, after something was done: what was guessed never decides, and no error is soljit's own.

Each expression runs after nothing, after writing into an array (which is taken back), and after what cannot be taken back; what it gives is used.
"""

from __future__ import annotations

import datetime
import decimal
import fractions
import functools
import hashlib
import json
import operator
import random
import re
import statistics
import struct
from typing import Any

import numpy as np
import pytest

from tests.oracle import check, function

CUBE = np.arange(24.0).reshape(2, 3, 4)
SQUARE = np.array([[1.0, 2.0], [3.0, 4.0]])
TURN = np.array([[0.0, -1.0], [1.0, 0.0]])
MODULES = {
    m.__name__: m
    for m in (datetime, decimal, fractions, functools, hashlib, json, operator, random, re, statistics, struct)
}

# expression of an array `a` and something else, `x`; their values
CASES: dict[str, tuple[Any, Any]] = {
    # axes and shapes that an array holds
    "np.transpose(a, x)": (CUBE, np.array([2, 0, 1])),
    "a.transpose(x)": (CUBE, np.array([2, 0, 1])),
    "np.transpose(a, list(x))": (CUBE, np.array([2, 0, 1])),
    "np.sum(a, axis=tuple(x))": (CUBE, np.array([2, 0])),
    "np.expand_dims(a, tuple(x))": (CUBE, np.array([2, 0])),
    "np.squeeze(a)": (CUBE[:1], 0),
    "np.reshape(a, x)": (CUBE, np.array([4, 6])),
    "np.full(tuple(x), 2.5)": (CUBE, np.array([4, 3, 2])),
    "np.unravel_index(5, tuple(x))": (CUBE, np.array([4, 3, 2])),
    "np.pad(a, x)": (SQUARE, [(1, 1), (0, 2)]),
    "np.tensordot(a, a, axes=(x, x))": (SQUARE, [0, 1]),
    "np.einsum(x, a)": (SQUARE, "ij->ji"),
    "np.apply_along_axis(lambda r: r.sum(), x, a)": (SQUARE, 1),
    # real or complex, one or several, some dtype
    "np.linalg.eigvals(a)": (TURN, 0),
    "np.linalg.eig(a)": (TURN, 0),
    "np.roots(a)": (np.array([1.0, 0.0, 1.0]), 0),
    "np.emath.sqrt(a)": (-SQUARE, 0),
    "np.array_split(a, x)": (np.arange(10.0), 3),
    "np.histogramdd(a, x)[1]": (np.arange(10.0).reshape(5, 2), 3),
    "np.meshgrid(*x)": (CUBE, [np.arange(2.0), np.arange(3.0)]),
    "np.array(x)": (CUBE, [[1, 2], [3, 4]]),
    "np.sum(x[:len(x) - 2])": (CUBE, [1j, 2.5 + 0j]),
    "np.block(x)": (CUBE, [[np.ones((1, 1)), np.ones((1, 1))]]),
    "np.average(a, axis=x)": (SQUARE, None),
    "np.quantile(a, x)": (SQUARE, [0.5, 0.2]),
    "np.min_scalar_type(x)": (SQUARE, 300),
    "np.result_type(*x)": (SQUARE, [1.0, 2]),
    "np.linalg.lstsq(a, x, rcond=None)[1]": (np.ones((3, 2)), np.ones(3)),
    "np.random.default_rng(1).choice(a, x)": (np.arange(5.0), None),
    # ints of any length
    "int(x)": (CUBE, "7" * 40),
    "int(hashlib.blake2b(a.tobytes()).hexdigest(), 16)": (CUBE, 0),
    "int.from_bytes(a.tobytes(), 'little')": (CUBE, 0),
    "math.factorial(x)": (CUBE, 30),
    "math.comb(100, x)": (CUBE, 50),
    "math.prod(x)": (CUBE, [2**40, 2**40]),
    "math.lcm(*x)": (CUBE, [2**61 - 1, 2**60 - 1]),
    "sum(x)": (CUBE, [2**62, 2**62]),
    "functools.reduce(operator.mul, x)": (CUBE, [2**40, 2**40]),
    "pow(7, x)": (CUBE, 50),
    "1 << x": (CUBE, 100),
    "x * x": (CUBE, 2**40),
    "-x": (CUBE, -(2**63)),
    "(x - 1) * (x + 1) // 7 + x**3": (CUBE, 2**40),
    "[x * k for k in range(3)]": (CUBE, 2**62),
    "round(x)": (CUBE, 1e30),
    "int(x) + 1": (CUBE, 1e30),
    "math.floor(x)": (CUBE, 1e30),
    "random.Random(3).getrandbits(x)": (CUBE, 100),
    "struct.unpack('<Q', x)[0]": (CUBE, b"\xff" * 8),
    "int(np.uint64(x))": (CUBE, 2**63 - 1),
    "fractions.Fraction(x).numerator": (CUBE, "1" * 50 + "/3"),
    # one kind or another
    "re.match(x, 'abc')": (CUBE, "x"),
    "re.findall(x, 'abc')": (CUBE, "(a)(b)"),
    "json.loads(x)": (CUBE, "[1, 2.5, null]"),
    "min(x)": (CUBE, [2, 1.5]),
    "next(iter(x))": (CUBE, [2, 1.5]),
    "{1: 2.5}.get(x)": (CUBE, 1),
    "statistics.mean(x)": (CUBE, [1, 2]),
    "decimal.Decimal(x) * 2": (CUBE, "1.5"),
    "datetime.datetime.fromisoformat(x).year": (CUBE, "2020-01-01"),
    "struct.unpack(x, b'12345678')": (CUBE, "<d"),
    "a.item(x)": (CUBE, 3),
    "np.array([2**70, 1], dtype=object)[x]": (CUBE, 0),
}
BEFORE = {
    "nothing": ("", [0]),
    "an array": ("log[0] = 7", np.zeros(2)),
    "a list": ("log.append(1)", [0]),
    "printed": ("print('so far')", [0]),
}


def program(expression: str, before: str) -> Any:
    """The result of the expression, used; effects before and after it."""
    effect = BEFORE[before][0] or "pass"
    text = f"""
def f(log, a, x):
    {effect}
    r = {expression}
    {effect}
    s = [r, r]
    if isinstance(r, (int, float, np.ndarray)):
        r = r * 2 + 1
    return r, s
"""
    return function(text, **MODULES)


@pytest.mark.share(0.4)
@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("expression", CASES)
def test_what_is_guessed_never_decides(expression: str, before: str) -> None:
    f, (a, x) = program(expression, before), CASES[expression]
    arguments = BEFORE[before][1], a, x
    check(f, *arguments, settings={"target": "interpreter", "strict": False}, plainly=True)
    check(f, *arguments, settings={"target": "interpreter"}, plainly=True, or_refused=True)


@pytest.mark.parametrize("before", ["an array", "a list"])
@pytest.mark.parametrize("expression", ["np.transpose(a, x)", "int(x)", "x * x", "np.min_scalar_type(x)"])
def test_compiled(expression: str, before: str) -> None:
    check(program(expression, before), BEFORE[before][1], *CASES[expression], plainly=True, or_refused=True)


RAISING = [
    "np.random.rand(-1)",
    "np.random.permutation({1, 2})",
    "np.fft.fft(a, n=0)",
    "np.convolve(a, a)",
    "np.unravel_index(99, (2, 3))",
    "np.interp(a, a, a[0])",
    "np.cross(a, a, axis=9)",
    "np.pad(a, -1)",
    "np.linalg.cholesky(-a)",
]


@pytest.mark.parametrize("expression", RAISING)
def test_what_raises_for_every_example_is_no_guess(expression: str) -> None:
    """Neither a refusal nor another error, also where the call cannot be made again."""
    check(program(expression, "a list"), [0], SQUARE, 0, settings={"target": "interpreter"}, plainly=True)


def opaque_axes(a: np.ndarray) -> Any:
    """The sample call raises, since its axes are no permutation."""
    needed(np.float64 in SIZES)
    return np.transpose(a, np.array([a.ndim - 1, 0, 1]))


SIZES = [np.float32, np.float64]


def needed(c: Any) -> None:
    if not c:
        raise AssertionError


def hash_of(a: np.ndarray, seen: list[int]) -> int:
    seen.append(len(seen))
    return int(hashlib.sha1(a.tobytes()).hexdigest(), 16) % 2**80


def counted(words: list[Any], table: dict[Any, int]) -> Any:
    """Ints that grow in a dict of the caller's."""
    for w in words:
        table[w] = table.get(w, 1) * 2**40
    return sorted(table.values())


def emptied(a: Any) -> Any:
    left = [2.5 + 0j, 1j]
    while left:
        left.pop()
    print(left)
    return np.sum(left), np.prod(left), np.array(left)


def several_arrays(a: np.ndarray, b: np.ndarray, n: int) -> int:
    """Views, rows and the whole are put back."""
    a[1:] += b[:-1]
    a[0], b[:] = n, a[::-1]
    np.copyto(b[1:], n)
    v = b if n > 3 else a
    v[0] = -1.0
    b.sort()
    return n**5


def rows(a: np.ndarray, n: int) -> int:
    k = 1
    for i in range(len(a)):
        a[i] = k
        k *= n
    return k


def test_found_in_packages() -> None:
    check(opaque_axes, CUBE, settings={"target": "interpreter"}, or_refused=True)
    check(emptied, 1, settings={"target": "interpreter"}, or_refused=True)
    check(hash_of, CUBE, [1], settings={"target": "interpreter"})
    check(counted, ["a", "b", "a"], {"c": 1}, also=[(["a", "b"], {})], settings={"target": "interpreter"})


@pytest.mark.parametrize("target", ["openmp", "interpreter"])
def test_arrays_are_put_back(target: str) -> None:
    many = np.arange(12.0).reshape(3, 4)
    for a, b in ((np.arange(4.0), np.ones(4)), (many[:, 1], many[:, 2]), (np.arange(8.0)[::-2], np.arange(3.0))):
        check(several_arrays, a, b, 2, also=[(a, b, 2**13), (a, b, 7)], plainly=True, settings={"target": target})
    check(several_arrays, many[0], many[0, ::-1], 2**13, plainly=True, settings={"target": target})
    check(
        rows, np.zeros((5, 2), np.float32), 2**15, also=[(np.zeros((5, 2), np.float32, order="F"), 2**15)], plainly=True
    )
