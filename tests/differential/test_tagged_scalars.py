"""Numbers whose type depends on the path: every operation on them gives what it gives for the type that the number has."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests.oracle import check, function

MAKERS = {
    "float": "float(y[2])",
    "float64": "y[2]",
    "int": "int(n[0])",
    "small": "3",
    "int64": "n[0]",
    "bool": "bool(b[0])",
    "bool_": "b[0]",
    "float32": "h[0]",
    "complex": "complex(y[2], 1.0)",
}
PAIRS = [
    ("float", "float64"),
    ("small", "float"),
    ("small", "float64"),
    ("int", "float"),
    ("int", "int64"),
    ("bool", "bool_"),
    ("bool", "int"),
    ("float32", "float64"),
    ("float32", "float"),
    ("complex", "float"),
]
ONE = """
-q; +q; abs(q); not q; q is None; q if q else 1.5; q or 2.0; q and 3; (q, 1)[0]; [q][0]; isinstance(q, float); isinstance(q, int); str(type(q))
q * 2; q * 2.0; q + y[2]; q + n[0]; 2 - q; 2.5 - q; q * y; q == 2; q != 2.5; q == y[2]; 1 / q; q / 2; q / y[2]; y[2] / q; q ** 2
np.sin(q); np.abs(q); np.add(q, 1.0); np.add(q, y); np.sqrt(q); np.multiply(q, q); f"{q}"; repr(q); scaled(q); scaled(q, 2)
(q + 1) * (q - 1); q + q * q - q; stored(np.zeros(2), q); (q, (q, 2)); {"a": q}["a"]; summed(q, n); Pair(q).twice()
"""
ONE_REAL = """
int(q); float(q); round(q); math.sqrt(abs(q)); math.atan2(q, 2); math.hypot(q, 2.0); math.copysign(1, q); math.isnan(q); math.exp(q); math.floor(q)
math.fmod(q, 2); math.pow(abs(q), 2); min(q, 2); max(q, 2.5); min(q, y[2]); max(q, n[0]); min(1, q, 2.5); q < 2; q >= 2.5; 1 < q < 3
q // 2; q % 2; q // 2.5; q % 2.5; 7 // q; 7.5 % q; q < y[2]; q > n[0]; q <= y; divmod(q, 2); np.maximum(q, 2); np.arctan2(q, 1); np.floor(q)
np.float64(q); 2 ** q; sorted((q, 1)); sum((q, 1, 2.5)); max((q, 2.0)); round(q, 1)
"""
TWO = """
q + r; q - r; q * r; q / r; q == r; q != r; (q, r); [q, r]; q or r; q and r; np.add(q, r); scaled(q, r); (q + r) * 2 - q
q if y[2] > 1 else r; q if y[0] > 1 else r; {"a": q, "b": r}["b"]; [q, r][n[1]]
"""
TWO_REAL = """
q < r; q <= r; q > r; q // r; q % r; min(q, r); max(q, r); math.atan2(q, r); math.hypot(q, r); np.maximum(q, r); divmod(q, r); min(q, r, 1)
(q, 1) < (r, 2); (q, r) == (r, q)
"""


class Pair:
    def __init__(self, q: Any) -> None:
        self.q = q

    def twice(self) -> Any:
        self.q += self.q
        return self.q


def scaled(q: Any, r: Any = 1) -> Any:
    if q == 2:
        return r
    return q * r


def stored(a: Any, q: Any) -> Any:
    a[0] = q
    a[1] += q
    return a


def summed(q: Any, n: Any) -> Any:
    s = 0
    for _ in range(n[1]):
        s += q
    return s


NAMES: dict[str, Any] = {"np": np, "math": math, "scaled": scaled, "stored": stored, "summed": summed, "Pair": Pair}


def arguments(first: float, second: float, sign: int = 1) -> tuple[Any, ...]:
    """What makes q and r of their types: the first or second of each."""
    y = np.array([first, second, 1.75 * sign])
    return y, np.array([4 * sign, 2]), np.array([True]), np.array([1.5 * sign], np.float32)


CALLS = [arguments(*v) for v in itertools.product((0.1, 0.9), (0.1, 0.9))]
BELOW = [arguments(0.1, 0.1, -1), arguments(0.9, 0.9, -1)]


def source(expressions: list[str], pair: tuple[str, str], other: tuple[str, str]) -> str:
    lines = ["def f(y, n, b, h):"]
    for name, k, (one, two) in (("q", 0, pair), ("r", 1, other)):
        lines += [
            f"    if y[{k}] < 0.5:",
            f"        {name} = {MAKERS[one]}",
            "    else:",
            f"        {name} = {MAKERS[two]}",
        ]
    return "\n".join([*lines, "    return (", *[f"        {e}," for e in expressions], "    )"]) + "\n"


def expressions(text: str, pair: tuple[str, str], other: tuple[str, str], calls: list[tuple[Any, ...]]) -> list[str]:
    """Those that raise nothing."""
    found = []
    for e in (e.strip() for line in text.split("\n") for e in line.split(";") if e.strip()):
        names = dict(NAMES)
        exec(source([e], pair, other), names)  # noqa: S102 (expressions of this file)
        try:
            with np.errstate(all="ignore"):
                for call in calls:
                    names["f"](*call)
        except Exception:  # noqa: BLE001, S112 (what it raises is not the question here)
            continue
        found.append(e)
    return found


def compare(text: str, pair: tuple[str, str], other: tuple[str, str], **settings: Any) -> None:
    calls = CALLS + (BELOW if "complex" not in pair else [])
    some = expressions(text, pair, other, calls)
    assert len(some) > 5
    check(function(source(some, pair, other), "f", **NAMES), *calls[0], also=calls[1:], settings=settings)


@pytest.mark.parametrize("pair", PAIRS, ids=" or ".join)
def test_one_number(pair: tuple[str, str]) -> None:
    real = "" if "complex" in pair else ONE_REAL
    compare(ONE + real, pair, ("float", "float"), target="interpreter")


@pytest.mark.parametrize("pair", PAIRS, ids=" or ".join)
def test_two_numbers(pair: tuple[str, str]) -> None:
    real = "" if "complex" in pair else TWO_REAL
    compare(TWO + real, pair, pair[::-1], target="interpreter")
    compare(TWO + real, pair, ("float64", "float"), target="interpreter")


def test_compiled() -> None:
    compare(ONE + ONE_REAL, ("float", "float64"), ("float", "float"))
    compare(TWO + TWO_REAL, ("small", "float64"), ("float64", "float"))


def divided(y: Any, how: Any) -> Any:
    if y[0] < 0.5:
        q = float(y[1])
    else:
        q = y[1]
    if y[2] < 0.5:
        r = float(y[3])
    else:
        r = y[3]
    if how == 0:
        return q / r
    if how == 1:
        return q // r
    return q % r


@pytest.mark.parametrize("how", range(3))
def test_division_by_zero_raises_for_numbers_of_python_alone(how: int) -> None:
    divisors = (0.0, -0.0, 2.0, math.nan)
    calls = [
        (np.array([a, 1.5, b, d]), how) for a, b, d in itertools.product((0.1, 0.9), (0.1, 0.9), divisors)
    ]  # a float by np.float64, and the other way round, is NumPy's matter
    check(divided, *calls[0], also=calls[1:])


def of_ints(n: Any, how: Any) -> Any:
    q = 3
    if n[0] > 0:
        q = 2.5
    return q / n[1].item() if how else q // float(n[1])


def test_what_a_division_by_zero_says() -> None:
    calls = [(np.array([a, b]), how) for a, b, how in itertools.product((0, 1), (0, 2), (False, True))]
    check(of_ints, *calls[0], also=calls[1:])


def tuples(y: Any) -> Any:
    if y[0] < 0.5:
        a = 1.0, y[1], "x"
    elif y[0] < 0.8:
        a = y[1], 2.0, "x"
    else:
        a = y[1], y[2], "x"
    b, c, _ = a
    return a, b + c, a[0] * 2, a == (1.0, 2.0, "x"), len(a)


def swapped(y: Any) -> Any:
    s, c = math.sin(y[0]), y[1]
    for k in range(3):
        if y[k] > 0.5:
            s, c = c, -s
    return s, c


def helper(y: Any, k: int) -> Any:
    if y[k] < 0.3:
        return 0.0, y[k]
    if y[k] < 0.6:
        if y[k] < 0.4:
            return y[k], 1.0
        k = 0
    return y[k], y[0]


def several(y: Any) -> Any:
    a, b = helper(y, 0)
    c, d = helper(y, 1)
    return a + c, b * d, max(a, b, c, d), (a, b, c, d)


@pytest.mark.parametrize("f", [tuples, swapped, several], ids=lambda f: f.__name__)
def test_numbers_in_tuples(f: Any) -> None:
    calls = [(np.array(v),) for v in itertools.product((0.1, 0.35, 0.55, 0.9), (0.2, 0.45, 0.7), (1.5,))]
    check(f, *calls[0], also=calls[1:])


def many_ends(y: Any, t: Any) -> Any:
    s, tag = 0.0, "none"
    for _ in range(2):
        s += y[0]
    if y[0] < 0.5:
        if y[1] > t:
            return s, tag, 1
        tag = "low"
    else:
        s += 1
    if y[1] < 0.5:
        if y[2] > t:
            return s
        s = s * 2
        if y[0] > t:
            return None
    else:
        tag = "high"
    if y[2] < 0.5:
        if y[0] > 2 * t:
            raise ValueError(tag)
        s -= y[2]
    elif y[1] > t:
        return y[:2].sum()
    if y[2] > 0.7:
        if y[1] < t:
            return y
        s += 2
    for k in range(3):
        if y[k] == 0.3:
            return k, s
    if y[0] > y[1]:
        if y[0] > y[2]:
            return "first", s
        s = -s
    return s, tag


def inlined(y: Any, t: Any) -> Any:
    a = many_ends(y, t)
    b = many_ends(y, 2 * t)
    return a, b


def test_returns_at_many_ends_of_a_function() -> None:
    values = (0.1, 0.3, 0.6, 0.9)
    calls = [(np.array(v), t) for v in itertools.product(values, values, values) for t in (0.2, 0.5)]
    check(inlined, *calls[0], also=calls[1::3])


class Filled:
    def __init__(self) -> None:
        self.x = [1.5, 2.5, 3.5]

    @sol.jit
    def fill(self, c: Any) -> None:
        for k in range(3):
            c[k] = self.x[k]


def filled_elsewhere(filled: Any, n: Any) -> Any:
    c = list(range(n))
    filled.fill(c)
    s = 0
    for k in range(n):
        s += c[k]
    return s, c[1] * 2


def test_a_list_that_unknown_code_fills_with_numbers_of_another_type() -> None:
    check(filled_elsewhere, Filled(), 3)


def least_of(a: Any, start: Any) -> Any:
    b = start
    n = 0
    for v in a:
        if b == 16777217:
            n += 1
        b = v if v < b else b
    return b, n


@pytest.mark.parametrize("dtype", (np.float16, np.float32, np.float64))
def test_a_python_number_beside_a_narrow_float_becomes_one(dtype: Any) -> None:
    """NumPy compares what float32 makes of 5e-324, which is zero."""
    starts = (5e-324, 1e-46, 0.1, np.float64(0.1), 16777217, 1.0)
    calls = [(np.array(v, dtype), s) for s in starts for v in ([0.5, 0.1, 0], [0.1, 0.1], [300.0, 300.0])]
    check(least_of, *calls[0], also=calls[1:])
