"""What is known to be written whole before any of it is read."""

from __future__ import annotations

import pytest

from soljit.analysis.flow.program_point import facts_of
from soljit.analysis.memory.coverage import is_whole, runs, written_whole
from soljit.ir.core.data import Array
from soljit.ir.core.nodes import Copy, Loop
from soljit.ir.text.parser import from_text
from soljit.ir.walk import walk

HEAD = """
@symbols(N=A.shape[0], M=A.shape[1], K=v.shape[0])
@guards(K == N, 2 <= M)
def f(A: f64[N, M], B: f64[N, M], v: f64[K], w: f64[N], x: f64, n: i64):
    s: f64
    k0: i64
"""


def program(body: str):
    return from_text(HEAD + "".join(f"    {line}\n" for line in body.strip("\n").split("\n")))


def whole(body: str, name: str = "A") -> bool:
    p = program(body)
    d = p.data[name]
    assert isinstance(d, Array)
    return written_whole(p.body, name, d.shape, facts_of(p))


ALL = {
    "transposed": """
with map(j=range(0, M), i=range(0, N)):
    A[i, j] = x
""",
    "backwards and shifted": """
for i in range(N, 0, -1):
    with map(j=range(1, M + 1)):
        A[N - i, j - 1] = x
""",
    "rows that are read behind": """
with map(i=range(0, N)):
    s = 0.0
    for j in range(0, M):
        A[i, j] = B[i, j]
    for k in range(1, M):
        s = s + A[i, k] * A[i, k - 1]
    w[i] = s
""",
    "both arms": """
with map(i=range(0, N), j=range(0, M)):
    if B[i, j] > x:
        A[i, j] = x
    else:
        A[i, j] = B[i, j]
""",
    "a loop that has an iteration": """
for t in range(0, M):
    with map(i=range(0, N), j=range(0, M)):
        A[i, j] = f64(t)
""",
    "a copy": "copy(A[0:N, 0:M], B[0:N, 0:M])",
    "a product": 'lib.matmul(outs=[A[0:N, 0:M]], ins=[B[0:N, 0:N], B[0:N, 0:M]], attrs={})',
    "a length that is known to be equal": """
with map(i=range(0, K), j=range(0, M)):
    A[i, j] = v[i]
""",
    "what comes behind": """
with map(i=range(0, N), j=range(0, M)):
    A[i, j] = x
A[0, 0] = A[1, 1]
""",
}  # fmt: skip
NOT_ALL = {
    "a row is missing": """
with map(i=range(1, N), j=range(0, M)):
    A[i, j] = x
""",
    "every other row": """
with map(i=range(0, N, 2), j=range(0, M)):
    A[i, j] = x
""",
    "a triangle": """
with map(i=range(0, N), j=range(0, i)):
    A[i, j] = x
""",
    "the diagonal": """
with map(i=range(0, N), j=range(0, M)):
    A[i, i] = x
""",
    "one arm": """
with map(i=range(0, N), j=range(0, M)):
    if B[i, j] > x:
        A[i, j] = x
""",
    "sums": """
with map(i=range(0, N), j=range(0, M)):
    A[i, j] += x
""",
    "its own elements": """
with map(i=range(0, N), j=range(0, M)):
    A[i, j] = A[i, j] * 2.0
""",
    "elements of others": """
for i in range(0, N):
    for j in range(0, M):
        A[i, j] = x
        w[i] = A[N - 1 - i, j]
""",
    "read before": """
w[0] = A[0, 0]
with map(i=range(0, N), j=range(0, M)):
    A[i, j] = x
""",
    "a loop that may not run": """
for t in range(0, n):
    with map(i=range(0, N), j=range(0, M)):
        A[i, j] = f64(t)
""",
    "a loop that is left": """
for i in range(0, N):
    if B[i, 0] > x:
        break
    with map(j=range(0, M)):
        A[i, j] = x
""",
    "a subscript that only the run knows": """
k0 = n
with map(i=range(0, N), j=range(0, M)):
    A[(i + k0) % N, j] = x
""",
    "an element only": "A[0, 0] = x",
    "nothing": "w[0] = x",
    "a part of it is copied": "copy(A[1:N, 0:M], B[1:N, 0:M])",
    "a copy of itself": "copy(A[0:N, 0:M], A[0:N, 0:M])",
}  # fmt: skip


@pytest.mark.parametrize("body", ALL.values(), ids=ALL.keys())
def test_all_is_written(body: str) -> None:
    assert whole(body)


@pytest.mark.parametrize("body", NOT_ALL.values(), ids=NOT_ALL.keys())
def test_not_all_is_known_to_be_written(body: str) -> None:
    assert not whole(body)


def test_whole_memlets_and_loops_that_run() -> None:
    p = program(
        "copy(v[0:K], w[0:N])\nfor t in range(1, M):\n    copy(v[0:K - 1], w[1:N])\nfor u in range(0, n):\n    w[0] = x"
    )
    facts = facts_of(p)
    first, second = [n for n in walk(p.body) if isinstance(n, Copy)]
    v = p.data["v"]
    assert isinstance(v, Array)
    assert is_whole(first.dst, v.shape) and is_whole(first.src, v.shape, facts) and not is_whole(first.src, v.shape)
    assert not is_whole(second.dst, v.shape, facts) and not is_whole(second.src, v.shape, facts)
    known, unknown = [n for n in walk(p.body) if isinstance(n, Loop)]
    assert runs(known.span, facts) and not runs(known.span) and not runs(unknown.span, facts)
