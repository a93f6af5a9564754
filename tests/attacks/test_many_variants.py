"""Calls that differ in what a variant is made for: the number of variants is bounded, and a program that is being edited is compiled on."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import soljit as sol
from soljit.base.errors import FallbackWarning, UnsupportedError
from soljit.runtime.variants.variant_bounds import MOST_OF_ONE_TYPE
from tests.attacks.blow_ups import function_of

SOURCE = "K = 0\ndef h(x):\n    return x + 1\ndef f(x):\n    return h(x) * K\n"


def made(name: str, **options: Any) -> tuple[Any, dict[str, Any]]:
    f = function_of(SOURCE, name)
    return sol.jit(target="null", **options)(f), f.__globals__


def test_a_global_that_changes_from_call_to_call_ends_in_plain_python() -> None:
    f, names = made("changing", strict=False)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for k in range(2 * MOST_OF_ONE_TYPE):
            names["K"] = k
            assert f(1.5) == 2.5 * k
    assert len(f.signatures) == MOST_OF_ONE_TYPE
    (warning,) = [str(w.message) for w in told if w.category is FallbackWarning]
    assert "16 variants for arguments of these types are there already, since 'K' had other values each time" in warning
    assert "pass 'K' as an argument" in warning


def test_values_that_come_back_find_their_variants() -> None:
    f, names = made("returning", strict=True)
    for k in (*range(MOST_OF_ONE_TYPE), *range(MOST_OF_ONE_TYPE)):
        names["K"] = k
        assert f(1.5) == 2.5 * k
    names["K"] = -1
    with pytest.raises(UnsupportedError, match="16 variants"):
        f(1.5)


def test_helpers_that_are_edited_again_and_again_are_compiled_again() -> None:
    f, names = made("edited", strict=True)
    names["K"] = 2
    for k in range(MOST_OF_ONE_TYPE + 4):
        names["h"] = function_of(f"def f(x):\n    return x + {k}\n", f"edit {k}")
        assert f(1.5) == (1.5 + k) * 2
    assert len(f.signatures) == MOST_OF_ONE_TYPE + 4
