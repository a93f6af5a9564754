"""Results of calls back into Python that are just what is declared, recognized in the least time; the others take the long way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from soljit.base.python.arrays import is_writable
from soljit.base.python.names import find
from soljit.base.python.object_names import class_name
from soljit.ir.core.types import BY_NAME
from soljit.runtime.variants.variant import CallbackTable, LeafRecord
from soljit.support.declarations import PYTHON

Test = Callable[[Any], bool]


def test_of(table: CallbackTable) -> tuple[Test, bool] | None:
    """Two tests of a result, whether it is what is declared and whether it is a tuple of the leaves; None where there is no quick answer."""
    outs, tree = table.outs, table.result
    if tree is None or any(o.kind == "drop" for o in outs):
        return None
    parts = tree.get("tuple") if isinstance(tree, dict) else None
    if parts is None:
        test = _leaf(outs[0], tree) if len(outs) == 1 else None
        return (test, False) if test is not None else None
    if len(parts) != len(outs):
        return None
    tests = [_leaf(o, p) for o, p in zip(outs, parts)]
    known = [t for t in tests if t is not None]
    name = tree.get("class", "builtins.tuple") if isinstance(tree, dict) else ""
    return (_tuple(name, known), True) if len(known) == len(tests) else None


def _tuple(name: str, tests: list[Test]) -> Test:
    """A tuple of this class with such items."""
    count = len(tests)
    seen: list[type] = [tuple] if name == "builtins.tuple" else []

    def test(r: Any) -> bool:
        if type(r) not in seen:
            if class_name(type(r)) != name:
                return False
            seen.append(type(r))
        return len(r) == count and all(t(x) for t, x in zip(tests, r))

    return test


def _leaf(leaf: LeafRecord, tree: Any) -> Test | None:
    dtype = BY_NAME[leaf.dtype or "f64"].numpy
    if leaf.kind == "array" and isinstance(tree, dict) and tree.keys() == {"array"} and leaf.order in ("C", "F"):
        return _array(dtype, leaf.ndim, leaf.order == "F")
    if leaf.kind == "scalar" and isinstance(tree, dict) and "numpy" in tree:
        cls = dtype.type
        return lambda r: type(r) is cls
    if leaf.kind == "scalar" and isinstance(tree, str):
        return _python(tree)
    if leaf.kind == "object" and isinstance(tree, dict) and "object" in tree:
        return _object(tree["object"])
    return None


def _python(name: str) -> Test | None:
    """A Python number, which the dispatcher takes as it is."""
    if name == "int":
        return lambda r: type(r) is int and -(1 << 63) <= r < 1 << 63
    cls = PYTHON.get(name)
    return None if cls is None else lambda r: type(r) is cls


def _object(name: str | None) -> Test:
    if name is None:
        return lambda r: True
    cls = find(name)
    return lambda r: type(r) is cls


def _array(dtype: np.dtype[Any], ndim: int, fortran: bool) -> Test:
    def test(r: Any) -> bool:
        if type(r) is not np.ndarray or r.dtype is not dtype or r.ndim != ndim:
            return False
        flags = r.flags
        return (flags.f_contiguous if fortran else flags.c_contiguous) and flags.aligned and is_writable(r)

    return test
