"""The example of docs/adding_passes.md is a pass that works."""

from __future__ import annotations

import re
from typing import Any

from soljit.ir.text.parser import from_text
from soljit.ir.text.printer import to_text
from soljit.passes.manager import Context, run
from tests.architecture.sources import ROOT

PROGRAM = """\
def f(a: f64[2], c: b1):
    if {}c:
        a[0] = {}
    else:
        a[0] = {}
"""


def test_the_documented_pass() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "adding_passes.md").read_text(), re.DOTALL)
    space: dict[str, Any] = {}
    exec(code, space)
    steps = [space["swap_negated_branches"]]
    swapped = run(from_text(PROGRAM.format("not ", 1.0, 2.0)), steps, Context())
    assert to_text(swapped) == to_text(from_text(PROGRAM.format("", 2.0, 1.0)))
    assert run(swapped, steps, Context()) is swapped
