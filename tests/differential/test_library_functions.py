"""Functions of Python's library whose results' types depend on values, and loops over unlike items with jumps."""

from __future__ import annotations

import math
import statistics
from typing import Any

import numpy as np

from tests.oracle import check


def s1(n: Any) -> Any:
    return statistics.mean([1, 2, n])


def s2(n: Any) -> Any:
    return (statistics.median([3, 1, n]), statistics.stdev([1.0, 2.0, n]))


def s3(n: Any) -> Any:
    return (
        math.dist((0, 0), (3, n)),
        math.hypot(3, n),
        math.comb(n, 2),
        math.perm(n, 2),
        math.isqrt(17),
        math.floor(-2.5),
        math.ceil(2.1),
        math.trunc(-2.7),
        math.gcd(12, 18, n),
        math.factorial(n),
        math.log2(8),
        math.copysign(1, -0.0),
        math.isclose(0.1 + 0.2, 0.3),
        math.modf(2.5),
        math.frexp(8.0),
    )


def l1(s: Any) -> Any:
    out = []
    for w in ["a", "bb", s, "zz"]:
        if w == s:
            continue
        if len(w) > 2:
            break
        out.append(w)
    else:
        out.append("end")
    return out


def l2(n: Any) -> Any:
    for name, k in [("a", 1), ("b", 2), ("c", 3)]:
        if k == n:
            break
    else:
        name = "none"
    return (name, k)


def l3(n: Any) -> Any:
    for x in (1, 2.5, "s", None, n):
        if x is None:
            continue
        if x == n:
            return "found"
    return "no"


def l4(a: Any, n: Any) -> Any:
    t = 0.0
    for b in (a, a * 2, a[:1]):
        if b.size < n:
            continue
        t += b.sum()
    return t


def l5(a: Any, n: Any) -> Any:
    for f in (np.sin, np.cos, np.exp):
        r = f(a)
        if r[0] > 0.5:
            break
    return r


def l6(n: Any) -> Any:
    for i, c in enumerate("hello"):
        if c == "l":
            break
    for d in ({"a": 1}, {"a": n}):
        if d["a"] == n:
            break
    return (i, c, d["a"])


def q1(n: Any) -> Any:
    return (
        dict.fromkeys("abc", 0),
        dict.fromkeys(range(n)),
        sorted(["b", "A"], key=str.lower),
        list(map(str.upper, ["a", "b"])),
        int.from_bytes(b"\x01\x02", "big"),
        float.fromhex("0x1p3"),
        bytes.fromhex("ff"),
        (5).bit_length(),
        "x".join(map(str, [1, n])),
    )


def s4(n: Any) -> Any:
    print("a")
    xs = []
    for i in range(n):
        xs.append(i)
    return (statistics.mean([1, 2, n]), statistics.mean(xs), statistics.median(xs))


def test_results_and_loops() -> None:
    check(s1, *(4,), also=[(3,)])
    check(s2, *(4,))
    check(s3, *(4,))
    check(l1, *("a",), also=[("zz",)])
    check(l2, *(2,), also=[(7,)])
    check(l3, *(2,), also=[(7,)])
    check(l4, *(np.arange(3.0), 2))
    check(l5, *(np.arange(3.0), 2))
    check(l6, *(3,))
    check(q1, *(4,))
    check(s4, *(4,), also=[(3,)])


def rounded(a: np.ndarray, n: int) -> Any:
    r: list[Any] = []
    for x in (n * 1j, None, "s", (1,), a[0] + 1j, np.int8(n), np.float32(n), a[0] > 1, a, a[0], n):
        for f in (math.trunc, math.floor, math.ceil):
            try:
                r.append(f(x))  # type: ignore[arg-type]
            except TypeError as e:
                r.append(str(e))
    return r


def test_what_cannot_be_rounded() -> None:
    check(rounded, np.array([1.5, 2]), 3, settings={"target": "interpreter"})
