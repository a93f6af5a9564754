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


def test_indexing() -> None:
    m = np.cos(grid(3, 4))
    all_raise(
        """
        a[5]
        a[1.0]
        a['x']
        a[1:3.0]
        z[0]
        m[1, 2, 3]
        m[0, -5]
        m[..., ...]
        a[[0, 7]]
        m[[0, 1], [1, 2, 3]]
        m[b[:2]]
        t[b.T]
        m[i > 0]
        a[k] = a
        a[1:3] = [1, 2, 3]
        m[:, 1] = v
        m[1] = [[1, 2, 3, 4]]
        m[[0, 2]] = v[:3]
        m[i, j] = v[:3]
        m[b] = v
        m[b] = 1j
        n8[0] = 300
        n8[1] = np.int64(300)
        n8[1] = 1j
        n8[:] = 300
        n8[n8 == 0] = 300
        cm[0, 0] = np.nan
        cm[0] = 'x'
        a[0] = [1]
        a[0] = np.array([[3.5, 1]])
        a[0:2] = np.ones((2, 1))
        a.itemset(1, 2)
        np.take(m, [0, 9], axis=0)
        np.add.at(a, [0, 9], 1)
        a[::2] += a[1::2]
        n8[i] += 1.5
        n8[[0, 1]] -= v[:3]
        m[b] = np.ones((1, 1))
        c[0] = np.ones(2)
        cm[0, 0] = [1]
        t[i, 7, :2] = 0
        v += m
        m @= v
        """,
        a=grid(5) * 1.5,
        m=m,
        t=grid(3, 4, 5),
        b=m > 0,
        i=np.array([2, 0, -1, 2]),
        j=np.array([1, 1, 0, -2]),
        v=np.arange(4.0),
        z=np.array(2.5),
        k=2,
        n8=np.zeros(6, np.int8),
        c=np.zeros(3, complex),
        cm=np.arange(12).reshape(3, 4),
    )


def test_keywords_of_ufuncs() -> None:
    all_raise(
        """
        np.add(m, v, out=v)
        np.add(v, 1, out=v, where=b)
        np.add(m, m, out=m[:2])
        np.sin(m, v)
        np.add(m, 1, out=m, where=i)
        np.add(m)
        np.add(m, m, out=i)
        np.add(m, 1, casting='no', dtype=np.float32)
        np.modf(m, out=m)
        np.add(m, m, foo=3)
        np.add(u, 300, out=u[:1])
        u @ 300
        300 @ u
        u @ 3
        """,
        m=np.cos(grid(3, 4)),
        v=np.arange(4.0),
        i=np.arange(12).reshape(3, 4),
        b=grid(3, 4) > 3,
        u=np.arange(3, dtype=np.uint8),
    )


def test_integers_beyond_64_bits() -> None:
    all_raise(
        """
        m[2 ** 63]
        m[0, 2 ** 63]
        m[-(2 ** 63) - 1]
        m[2 ** 64, 0] = 3
        np.zeros(2 ** 63)
        np.ones((2, 2 ** 64))
        np.full(-(2 ** 64), 1)
        m.reshape(2 ** 63, -1)
        np.reshape(m, (-1, 2 ** 64))
        np.broadcast_to(m, (2 ** 64, 3))
        m.sum(axis=2 ** 64)
        np.sort(m, axis=-(2 ** 70))
        np.repeat(m, 2 ** 64)
        m.item(2 ** 64)
        len(range(2 ** 64))
        """,
        m=np.ones((2, 3)),
    )


def test_counts_and_copies() -> None:
    all_raise(
        """
        np.repeat(m, u)
        np.repeat(m, u[0], 1); np.repeat(m, u[:1], 1)
        np.repeat(m, np.array(3, np.uint64))
        m.reshape(-1, copy='never')
        np.einsum('...->', m)
        np.r_[u.astype(np.int8), 200]
        np.einsum('i...,j->ij', m, m[0])
        """,
        m=np.ones((2, 3)),
        u=np.array([1, 2], np.uint64),
    )
