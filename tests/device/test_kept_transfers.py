"""Why transfers are kept, in the user's names and lines."""

from __future__ import annotations

import pytest

from soljit.analysis.device.kept_transfers import is_certain, why_kept
from soljit.ir.core.nodes import Copy
from soljit.ir.text.parser import from_text
from soljit.ir.walk import walk
from soljit.passes.manager import Context
from soljit.passes.transfers.drop_dead_transfers import drop_dead_transfers

LOOP = """
@symbols(N=A.shape[0])
def f(A: f64[N], B: f64[N], n: i64) -> scalar(f64):
    A_dev: f64[N].storage("cuda").mirror(A)
    B_dev: f64[N].storage("cuda").mirror(B)
    s: f64
    alloc(A_dev)
    alloc(B_dev)
    copy(B_dev[0:N], B[0:N])
    s = 0.0
    for k in range(0, n):  # line 3
        copy(A_dev[0:N], A[0:N])  # line 4
        with map(i=range(0, N)), schedule("grid"):  # line 4
            A_dev[i] = A_dev[i] + B_dev[i]  # line 4
            if A_dev[i] > 3.0:  # line 4
                B_dev[i] = 0.0  # line 4
        copy(A[0:N], A_dev[0:N])  # line 4
        s = s + A[0]  # line 5
        A[k % N] = s  # line 6
    copy(B[0:N], B_dev[0:N])  # line 7
    return s
"""
WHY = {
    "copy B_dev": "line 4 reads B on the device; it comes from the caller",
    "copy A_dev": "line 4 reads A on the device in every iteration; line 6 writes it on the host in every iteration",
    "copy A": "line 5 reads A on the host in every iteration",
    "copy B": "the caller sees B",
}


@pytest.mark.parametrize("name", WHY)
def test_a_sentence_says_who_needs_it(name: str) -> None:
    program = from_text(LOOP)
    copy = next(n for n in walk(program.body) if isinstance(n, Copy) and f"copy {n.dst.data}" == name)
    assert str(why_kept(program, copy)) == WHY[name] and is_certain(program, copy)


def test_what_is_not_proved_is_not_certain() -> None:
    condition = "            if A_dev[i] > 3.0:  # line 4\n                B_dev[i] = 0.0  # line 4\n"
    assert condition in LOOP
    text = (
        LOOP.replace(condition, "").replace("A_dev[i] + B_dev[i]", "B_dev[i]").replace("range(0, N))", "range(1, N))")
    )
    program = from_text(text)
    copy = next(n for n in walk(program.body) if isinstance(n, Copy) and n.dst.data == "A_dev")
    assert not is_certain(program, copy)
    assert str(why_kept(program, copy)).startswith(
        "line 4 is not known to write all of A on the device in every iteration; "
    )


def test_copies_in_loops_are_remarked() -> None:
    cx = Context()
    drop_dead_transfers(from_text(LOOP), cx)
    assert [(note.loc.line, note.text.partition(":")[0], note.done) for note in cx.notes] == [
        (4, "A is copied to the device again and again", False),
        (4, "A is copied to the host again and again", False),
    ]
