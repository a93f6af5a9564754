"""Why a loop stays in order: the whole sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from soljit.base.place import Loc
from soljit.ir.core.nodes import Loop
from soljit.ir.text.parser import from_text
from soljit.ir.walk import rewrite
from soljit.passes.loops.parallelize_loops import parallelize_loops
from soljit.passes.manager import Context, run

HEAD = "@symbols(N=x.shape[0])\ndef f(x: f64[N], y: f64[N], n: i64) -> scalar(f64):\n    s: f64\n    r: f64[:].ref('C', x)\n"


@pytest.mark.parametrize(
    "body, reason",
    [
        ("    x[i] = x[i - 1]", "an iteration may need elements of x that others write"),
        ("    x[0] = y[i]", "different iterations may write the same element of x"),
        ("    y[i] = s\n    s = x[i]", "s carries a value from one iteration to the next"),
        ("    s = x[i]\n    y[i] = s", "the last value of s is used after the loop"),
        ("    x[i] = 0.0\n    if x[i] > 1.0:\n        break", "it may end early (break)"),
        ("    if x[i] > 1.0:\n        return 0.0", "it returns from inside"),
        (
            "    if x[i] > 1.0:\n        raise builtins.ValueError('large')\n    y[i] = x[i]",
            "it may raise ValueError, and Python would raise for the first such iteration",
        ),
        (
            "    if n > 1:\n        raise builtins.IndexError('far')\n    y[i] = x[i]",
            "it may raise IndexError, and Python would raise for the first such iteration",
        ),
        ("    callback('builtins.print', ins=[x[i]])\n    y[i] = 1.0", "it calls back into Python"),
        ("    bind(r, x[0:i])\n    r[0] = 1.0", "the array variable r gets other memory in each iteration"),
    ],
)
def test_the_reason_is_told(body: str, reason: str) -> None:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    text = f"{HEAD}    s = 0.0\n    for i in range(1, N):\n{lines}    return s\n"
    here = Loc("file.py", 7)
    program = from_text(text.replace("'", '"'))
    program = rewrite(program, lambda n: replace(n, loc=here) if isinstance(n, Loop) else None)
    cx = Context()
    assert run(program, (parallelize_loops,), cx) is program
    assert [(str(n.loc), n.text, n.done) for n in cx.notes] == [
        ("file.py:7", f"iterations stay in order: {reason}", False)
    ]
