"""Dtypes as constants and arguments: padded, aligned, offset, overlapping, titled, nested, with metadata, of records; none is taken for another."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.ir.core.signature import ObjectArg, StaticArg
from soljit.runtime.system.fingerprint import fingerprint, same_value, type_fingerprint
from tests.compare import Tolerance, differences
from tests.oracle import check

AB: Any = [("a", "i1"), ("b", "f8")]
DOUBLES: Any = [("a", "f8"), ("b", "f8")]
INNER = np.dtype(AB, align=True)
KINDS: dict[str, np.dtype] = {
    "packed": np.dtype(AB),
    "aligned and padded": INNER,
    "aligned without padding": np.dtype(DOUBLES, align=True),
    "the same, not aligned": np.dtype(DOUBLES),
    "padded": np.dtype({"names": ["a", "b"], "formats": ["i1", "f8"], "offsets": [0, 8], "itemsize": 16}),
    "offset": np.dtype({"names": ["a", "b"], "formats": ["i1", "f8"], "offsets": [4, 16], "itemsize": 32}),
    "out of order": np.dtype({"names": ["a", "b"], "formats": ["i1", "f8"], "offsets": [8, 0]}),
    "overlapping": np.dtype({"names": ["a", "b"], "formats": ["i4", "i2"], "offsets": [0, 0]}),
    "titled": np.dtype([(("A title", "a"), "i1"), ("b", "f8")]),
    "with another title": np.dtype([(("Another", "a"), "i1"), ("b", "f8")]),
    "nested": np.dtype([("p", INNER), ("q", "f4", (2, 3))]),
    "nested and packed": np.dtype([("p", {"names": ["a", "b"], "formats": ["i1", "f8"], "offsets": [0, 8]}), ("q", "f4", (2, 3))]),
    "nested and aligned": np.dtype([("p", INNER), ("q", "f4", (2, 3))], align=True),
    "with metadata": np.dtype(AB, metadata={"unit": "m"}),
    "with other metadata": np.dtype(AB, metadata={"unit": "s"}),
    "metadata inside": np.dtype([("p", np.dtype(AB, metadata={"unit": "m"}))]),
    "no metadata inside": np.dtype([("p", np.dtype(AB))]),
    "of records": np.dtype((np.record, AB)),
    "text": np.dtype("U5"),
    "text with metadata": np.dtype("U5", metadata={"unit": "m"}),
    "of another byte order": np.dtype(">f8"),
    "dates": np.dtype("M8[25s]"),
    "no fields": np.dtype([]),
}  # fmt: skip
THIS = KINDS["packed"]


def read_outside(n: int, d: Any) -> Any:
    a = np.zeros(n, dtype=THIS)
    return a, a.dtype, a.dtype.isalignedstruct, a.dtype is THIS, THIS, THIS.isalignedstruct, THIS.metadata, THIS.fields


def other_makers(n: int, d: Any) -> Any:
    a = np.zeros(n, THIS)
    return np.empty_like(a, dtype=THIS).dtype, np.full(n, a[:1], THIS).dtype, np.concatenate([a, a]).dtype


def given(n: int, d: Any) -> Any:
    a = np.zeros(n, d)
    return a, a.dtype, a.dtype.isalignedstruct, d.isalignedstruct, d.metadata, d.fields, d.type, d


def of_an_array(a: np.ndarray, n: int) -> Any:
    return a.dtype, a.dtype.isalignedstruct, a.dtype.metadata, a.copy(), np.zeros_like(a), a[:n].dtype, type(a[0])


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("f", [read_outside, other_makers, given], ids=lambda f: f.__name__)
def test_every_kind(f: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "THIS", KINDS[name])
    check(f, 3, KINDS[name], settings={"target": "interpreter"})


ALIKE = [(x, y) for x, y in itertools.permutations(KINDS, 2) if KINDS[x] == KINDS[y]]


@pytest.mark.parametrize("x, y", ALIKE)
def test_equal_ones_in_turn(x: str, y: str) -> None:
    check(given, 3, KINDS[x], also=[(3, KINDS[y]), (3, KINDS[x])], settings={"target": "interpreter"})
    compiled = sol.jit(of_an_array, target="interpreter", strict=True)
    for k in (x, y, x):
        a = np.zeros(2, KINDS[k])  # no argument of `check`, which looks at the padding, too
        assert not list(differences(k, of_an_array(a, 1), compiled(a, 1), Tolerance()))


def test_made_in_the_function() -> None:
    def f(n: int) -> Any:
        d = np.dtype({"names": ["a", "b"], "formats": ["i1", "f8"]}, align=True)
        e = np.dtype([("p", d), ("q", "i2")], align=True)
        over = np.dtype({"names": ["a", "b"], "formats": ["i4", "i2"], "offsets": [0, 0]})
        a = np.zeros(n, e)
        a["p"]["b"] = 2.5
        a["q"] = range(n)
        b = np.zeros(n, over)
        b["a"] = 70000
        return a, d, e, a["p"].dtype, a["p"]["b"] * 2, e["p"], b, b["b"], a.view(np.recarray).dtype

    check(f, 3)


def test_compiled_as_users_do(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("aligned without padding", "overlapping", "with metadata"):
        monkeypatch.setitem(globals(), "THIS", KINDS[name])
        check(read_outside, 3, KINDS[name])
        check(given, 3, KINDS[name], also=[(3, d) for d in KINDS.values()])


def test_fingerprints_tell_them_apart() -> None:
    kinds = list(KINDS.values())
    assert len({fingerprint(d) for d in kinds}) == len(kinds)
    assert len({type_fingerprint(StaticArg(d)) for d in kinds}) == len(kinds)
    assert len({type_fingerprint(ObjectArg(np.ndarray, d, 1)) for d in kinds}) == len(kinds)
    assert len({fingerprint(np.zeros(2, d)) for d in kinds}) == len(kinds)
    for x, y in itertools.product(kinds, repeat=2):
        assert same_value(x, y) == (x is y)
