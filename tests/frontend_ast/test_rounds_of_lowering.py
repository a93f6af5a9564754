"""How often the parts of a function are lowered: sizes that turn out to be equal are known from the beginning of the second round."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bench.compile_time import KINDS, counted_work, generated, lowered
from soljit.ir.core.expr import Sym
from soljit.ir.text.printer import to_text


@pytest.mark.parametrize("kind", KINDS)
def test_statements_are_lowered_once(tmp_path: Path, kind: str) -> None:
    function = generated(KINDS[kind](80), str(tmp_path))
    with counted_work() as works:
        lowered(function, [np.ones(9), np.ones(9), 9])
    (work,) = works
    assert work.steps > 100
    assert work.total <= 0.1 * work.steps


def test_equal_sizes_that_are_found_one_after_the_other() -> None:
    def f(a, b, c, d):  # type: ignore[no-untyped-def]
        x = a + b
        y = x * c
        z = y - d
        return x * y * z

    result = lowered(f, [np.ones(7) for _ in range(4)])
    sizes = {x for p in result.program.data.values() for x in getattr(p, "shape", ()) if isinstance(x, Sym)}
    assert len({s.name for s in sizes}) == 1, to_text(result.program)
