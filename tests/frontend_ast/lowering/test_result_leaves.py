"""Returns that differ share the leaves that fit; one more leaf tells which it was."""

from __future__ import annotations

from soljit.frontend_ast.lowering.result_leaves import Returned
from soljit.ir.core.nodes import Result
from soljit.ir.core.types import f64, i64

NUMBER, INT = Result("scalar", f64), Result("python", i64)


def test_one_return_needs_no_alternatives() -> None:
    r = Returned()
    assert r.places([NUMBER]) == [0]
    assert r.alternative({"leaf": 0}) == 0
    assert r.structure == {"leaf": 0} and r.leaves == (NUMBER,)


def test_leaves_of_an_earlier_return_serve() -> None:
    r = Returned()
    r.places([NUMBER, INT])
    assert r.places([INT]) == [1]
    assert r.places([NUMBER, NUMBER]) == [0, 2]


def test_alternatives_are_told_apart() -> None:
    r = Returned()
    r.places([NUMBER])
    assert r.alternative({"leaf": 0}) == 0
    assert r.alternative(None) == 1
    assert r.tag_leaf() == 1
    assert r.structure == {"either": [1, [{"leaf": 0}, None]]}
    assert r.alternative({"leaf": 0}) == 0
