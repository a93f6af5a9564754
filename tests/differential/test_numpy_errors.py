"""Errors that NumPy raises for types, shapes and keywords: the same class and the same text.

Each line is a function of its own, run by the interpreter of the IR: what raises is decided in the front end.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from tests.oracle import check, function
from tests.values import grid, plain


def all_raise(text: str, **arguments: Any) -> None:
    """Each line (statements apart by semicolons, or an expression) raises what NumPy raises."""
    for line in (s.strip() for s in text.split("\n") if s.strip()):
        tree = ast.parse(line)
        last = tree.body[-1]
        if isinstance(last, ast.Expr):
            tree.body[-1] = ast.copy_location(ast.Return(last.value), last)
        names = sorted({n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} & set(arguments))
        body = "\n".join(f"    {ast.unparse(s)}" for s in tree.body)
        f = function(f"def f({', '.join(names)}):\n{body}\n", "f")
        values = [arguments[n] for n in names]
        copies = [v.copy() if isinstance(v, np.ndarray) else v for v in values]
        try:
            f(*copies)
        except Exception as e:
            check(f, *values, raises=type(e), settings={"target": "interpreter"})
        else:
            raise AssertionError(f"NumPy does not raise: {line}")


def test_types_without_a_loop() -> None:
    all_raise(
        """
        b - b
        -b
        ~x
        x & 1
        x << 1
        x ^ x
        c % 2
        c // 2
        u64 >> i64
        np.ldexp(x, u64)
        np.ldexp(x, 2.0)
        np.gcd(x, 2)
        np.lcm(u64, i64)
        np.bitwise_count(x)
        np.cbrt(c)
        np.arctan2(c, 2)
        np.sign(b)
        np.positive(b)
        np.fabs(c)
        np.signbit(c)
        np.trunc(c)
        np.ptp(b)
        x -= c
        i64 += x
        """,
        b=plain("bool", (2, 3)),
        x=plain("float64", (2, 3)),
        c=plain("complex128", (2, 3)),
        i64=plain("int64", (2, 3)),
        u64=plain("uint64", (2, 3)),
    )


def test_reductions() -> None:
    all_raise(
        """
        np.sum(m, axis=2)
        np.sum(m, axis=(0, 0))
        np.sum(m, axis='x')
        np.sum(m, axis=1.0)
        np.max(m, where=b)
        np.max(u, initial=300)
        np.argmax(m, axis=0, out=o)
        np.sum(m, axis=0, out=o[:2])
        np.subtract.reduce(m, axis=(0, 1))
        np.add.reduceat(m[0], [0, 4])
        np.add.accumulate(3)
        np.std(m, ddof=1, correction=1)
        m.sum(foo=3)
        """,
        m=grid(3, 4),
        b=grid(3, 4) > 3,
        u=np.arange(4, dtype=np.uint8),
        o=np.zeros(4),
    )
