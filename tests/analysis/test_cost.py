"""Estimates of work and distances in memory."""

from __future__ import annotations

from soljit.analysis.cost.work import operations, work
from soljit.analysis.memory.affine import FAR, affine, step
from soljit.ir.core.nodes import Let, Map
from soljit.ir.text.parser import from_text
from soljit.ir.text.spelling import spell

TEXT = """
@symbols(N=A.shape[0], M=A.shape[1])
def f(A: f64[N, M], B: f64[N, 4], k: i64[N], F: f64[N, M].strides(1, N)):
    with map(i=range(0, N)):
        for j in range(0, i):
            A[i, j] = A[i, j] + 1.0
        for q in range(0, k[i]):
            B[i, 0] = 0.0
"""


def test_work_counts_triangles_at_their_middle_and_guesses_what_data_tell() -> None:
    assert spell(work(from_text(TEXT).body)) == "N * (N // 2 * 4 + 32)"


def test_names_of_what_the_body_reads_stay_inside() -> None:
    text = """
@symbols(N=A.shape[0])
def f(A: f64[N], k: i64[9]):
    with map(i=range(0, 9)):
        t: i64 = k[i]
        shift: i64 = t % N
        with map(j=range(0, N - shift)):
            A[j] = 0.0
"""
    assert spell(work(from_text(text).body)) == "(N + 11) * 9"


def test_functions_cost_more() -> None:
    p = from_text("def f(x: f64):\n    a: f64 = x + x\n    b: f64 = exp(x)\n    c: f64 = x / x\n")
    costs = [operations(n.value) for n in p.body.nodes if isinstance(n, Let)]
    assert costs == [1, 20, 4]


def test_steps_in_memory() -> None:
    p = from_text(TEXT)
    m = p.body.nodes[0]
    assert isinstance(m, Map)
    data = p.data

    def at(text: str, var: str) -> int:
        q = from_text(
            "@symbols(N=A.shape[0], M=A.shape[1])\ndef f(A: f64[N, M], B: f64[N, 4], k: i64[N], "
            f"F: f64[N, M].strides(1, N)):\n    with map(i=range(0, N), j=range(0, M)):\n        {text} = 0.0\n"
        )
        inner = q.body.nodes[0]
        assert isinstance(inner, Map)
        return step(data, inner.body.nodes[0].out, var)  # type: ignore[attr-defined]

    assert at("A[i, j]", "j") == 1
    assert at("A[i, j]", "i") == FAR
    assert at("B[i, 0]", "i") == 4
    assert at("A[i, M - 1 - j]", "j") == -1
    assert at("F[i, j]", "i") == 1
    assert at("A[k[i], j]", "i") == FAR
    assert at("A[0, j]", "i") == 0


def test_affine_forms() -> None:
    p = from_text(
        "def f(n: i64, i: i64, j: i64, k: i64[n]):\n    a: i64 = 2 * i - j + n\n    b: i64 = i * n\n    c: i64 = k[i]\n"
    )
    a, b, c = (n.value for n in p.body.nodes if isinstance(n, Let))
    form = affine(a, ("i", "j"))
    assert form is not None
    assert (form.of("i"), form.of("j"), spell(form.rest.expr)) == (2, -1, "n")
    assert affine(b, ("i",)) is None
    assert affine(c, ("i",)) is None
