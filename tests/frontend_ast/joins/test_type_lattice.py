"""The smallest type of a variable that holds values of several types."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from soljit.frontend_ast.arrays.kinds import kind_of
from soljit.frontend_ast.joins.type_lattice import MAX_OPTIONS, CannotMerge, join_kinds, join_numbers, widen
from soljit.frontend_ast.values.values import NONE, Static, Tup
from soljit.frontend_ast.values.variables import Kind
from soljit.ir.core.types import b1, c128, f32, f64, i8, i16, i32, i64, u8
from tests.frontend_ast.call import begin

INT, FLOAT, TRUTH = Kind("scalar", i64, True), Kind("scalar", f64, True), Kind("scalar", b1, True)


@pytest.mark.parametrize(
    ("a", "b", "joined"),
    [
        ((i64, True), (f64, True), (f64, True)),
        ((f64, True), (c128, True), (c128, True)),
        ((i64, True), (u8, False), (u8, False)),  # Python's int is weak
        ((f64, True), (f32, False), (f32, False)),
        ((f64, True), (i32, False), (f64, False)),
        ((i8, False), (u8, False), (i16, False)),
        ((f64, False), (f64, True), (f64, False)),
    ],
)
def test_numbers(a: Any, b: Any, joined: Any) -> None:
    assert join_numbers(a, b) == join_numbers(b, a) == joined


@pytest.mark.parametrize("other", [(i64, True), (f64, True), (f32, False)])
def test_bools_are_no_numbers(other: Any) -> None:
    with pytest.raises(CannotMerge, match="bool and a number"):
        join_numbers((b1, True), other)


def test_unlike_types_become_a_union() -> None:
    cx, _ = begin()
    both = widen(cx, INT, FLOAT)
    assert both.form == "union" and both.items == (INT, FLOAT) and both.wide
    assert widen(cx, both, INT) == both
    assert widen(cx, both, TRUTH).items == (INT, FLOAT, TRUTH)
    assert widen(cx, INT, kind_of(cx, NONE)).wide is False  # None is no number


def test_a_union_has_only_so_many_types() -> None:
    cx, _ = begin()
    kinds = [INT, FLOAT, TRUTH, *(kind_of(cx, Static(x)) for x in ("a", None, b"c", 1 << 70, 1 << 71))]
    found = kinds[0]
    with pytest.raises(CannotMerge):
        for k in kinds[1:]:
            found = widen(cx, found, k)
    assert len(found.items) == MAX_OPTIONS


def test_arrays_keep_what_they_have_in_common() -> None:
    cx, (a, b, t) = begin(a=np.ones((2, 3)), b=np.ones((4, 3)), t=np.ones((2, 3), order="F"))
    ka, kb, kt = (kind_of(cx, x) for x in (a, b, t))
    joined = join_kinds(cx, ka, kb)
    assert joined.shape is None and joined.order == "C" and joined.origins == {"a", "b"}
    assert join_kinds(cx, ka, ka).shape == ka.shape
    with pytest.raises(CannotMerge, match="in another memory order"):
        join_kinds(cx, ka, kt)


def test_tuples_are_joined_item_by_item() -> None:
    cx, (x, y) = begin(x=1.5, y=2.5)
    one, two, three = (kind_of(cx, Tup(items)) for items in ([x, y], [y, x], [x, y, x]))
    assert join_kinds(cx, one, two) == one
    with pytest.raises(CannotMerge):
        join_kinds(cx, one, three)
