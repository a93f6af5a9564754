"""How many bytes a node moves at least."""

from __future__ import annotations

import pytest

from soljit.analysis.cost.traffic import traffic
from soljit.ir.core.expr import Const, const
from soljit.ir.core.nodes import Map
from soljit.ir.symbolic import simplify
from soljit.ir.text.parser import from_text
from soljit.ir.walk import substitute

HEAD = "@symbols(N=A.shape[0], M=A.shape[1], L=x.shape[0])\ndef f(A: f64[N, M], B: f64[N, M], x: f32[L], k: i64[L], S: i64):\n"
VALUES = {"N": 130, "M": 21, "L": 103, "S": 4}


def moved(body: str) -> int | None:
    """The bytes for these sizes."""
    p = from_text(HEAD + "".join(f"    {line}\n" for line in body.splitlines()))
    found = traffic(p, next(n for n in p.body.nodes if isinstance(n, Map)))
    if found is None:
        return None
    number = simplify(substitute(found, {name: const(n) for name, n in VALUES.items()}))
    assert isinstance(number, Const)
    return int(number.value.real)


@pytest.mark.parametrize(
    ("body", "bytes_"),
    [
        ("with map(i=range(0, L)):\n    x[i] = 1.0", 4 * 103),
        ("with map(i=range(0, L)):\n    x[i] = x[i] + 1.0", 2 * 4 * 103),
        ("with map(i=range(1, L - 1)):\n    x[i] = 2.0\n    x[i - 1] = 2.0", 4 * 102),
        ("with map(i=range(0, N), j=range(0, M)):\n    B[i, j] = A[i, j]", 2 * 8 * 130 * 21),
        ("with map(i=range(0, N), j=range(0, M, 2)):\n    B[i, j] = A[0, j]", 8 * 130 * 11 + 8 * 11),
        ("with map(i=range(0, L)):\n    x[k[i]] = 1.0", None),  # which ones, the data tell
        ("with map(i=range(0, N)):\n    with map(j=range(0, i)):\n        A[i, j] = 1.0", None),  # a triangle
        ("with map(i=range(0, N)):\n    A[i, i] = 1.0", None),
    ],
)
def test_elements_count_once(body: str, bytes_: int | None) -> None:
    assert moved(body) == bytes_


@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        ("0, S", "L * t // S, (L + L * t) // S"),  # strips of threads
        ("0, 4", "t, L, 4"),  # interleaved
        ("0, L, 8", "t, min(t + 8, L)"),  # tiles
        ("0, L", "t, t + 1"),
    ],
)
def test_a_loop_over_pieces_is_the_loop(outer: str, inner: str) -> None:
    assert moved(f"with map(t=range({outer})):\n    with map(i=range({inner})):\n        x[i] = 1.0") == 4 * 103


def test_pieces_that_leave_gaps_or_overlap_are_none() -> None:
    for outer, inner in (
        ("0, S", "t * 5, t * 5 + 4"),
        ("0, S", "t, t + 2"),
        ("0, 5", "t * 3, t * 3 + 3, 2"),
        ("0, S", "t, L"),
    ):
        assert moved(f"with map(t=range({outer})):\n    with map(i=range({inner})):\n        x[i] = 1.0") is None
    assert moved("with map(t=range(0, S)):\n    with map(i=range(t * 5, t * 5 + 5)):\n        A[t, i] = 1.0") is None
