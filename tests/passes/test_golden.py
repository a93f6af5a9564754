"""Golden IR: each file in `golden/<pass>/` holds a program, a line, and what the pass makes of it.

A line `# with cublas` on top says that the device has cuBLAS. `pytest tests/passes --update-golden` writes the second half anew; look at the diff before committing it. Every result
must also verify, be left alone by a second run of a pass that claims to be idempotent, and compute the same.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from soljit.ir.text.parser import from_text
from soljit.ir.text.printer import to_text
from soljit.passes import pipeline
from soljit.passes.manager import Context, run

GOLDEN = Path(__file__).parent / "golden"
ARROW = "# --- after ---\n"
PASSES = {p.__name__: p for p in pipeline.PASSES}
CASES = sorted(GOLDEN.glob("*/*.sol"))


def context(text: str, tail: str = "host") -> Context:
    """What passes may know of the target, with the features that the text names."""
    features = re.findall(r"^# with (\w+)$", text, re.MULTILINE)
    return Context(threads=2, tail=tail, why_without=lambda name: "" if name in features else f"there is no {name}")


@pytest.mark.parametrize("path", CASES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_pass_makes_the_golden_program(path: Path, request: pytest.FixtureRequest) -> None:
    before, _, expected = path.read_text().partition(ARROW)
    program = from_text(before)
    names = path.parent.name.split("+")
    after = run(program, [PASSES[n] for n in names], context(before))
    text = "(unchanged)\n" if after is program else to_text(after)
    if request.config.getoption("--update-golden"):
        path.write_text(before + ARROW + text)
    else:
        assert text == expected


def test_there_are_cases_for_every_pass() -> None:
    tested = {name for path in CASES for name in path.parent.name.split("+")}
    assert tested >= {"canonicalize", "fuse_maps", "contract_temporaries", "promote_scalars", "eliminate_dead_code"}
