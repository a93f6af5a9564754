"""How often the parts of a function are lowered: sizes that turn out to be equal are known from the beginning of the second round."""

from __future__ import annotations

import numpy as np
import pytest

from bench.compile_time import counted_work, lowered
from bench.generated import KINDS, arguments, generated
from soljit.ir.core.expr import Sym
from soljit.ir.text.printer import to_text


@pytest.mark.parametrize("kind", ["chain", "scalars", "loops", "branches", "stencils", "returns"])
def test_statements_are_lowered_once(kind: str) -> None:
    with counted_work() as works:
        lowered(generated(KINDS[kind](80)).f, arguments())
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
