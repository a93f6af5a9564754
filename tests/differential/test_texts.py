"""Texts as arguments: words that choose what a function does are known while it is compiled, long and varying ones are objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests.oracle import check


def numbers(text: str) -> Any:
    found = []
    word = ""
    for letter in text:
        if letter.isdigit():
            word += letter
        elif word:
            found.append(int(word))
            word = ""
    return found, text.upper(), text.split()[:1], len(text)


def contents(sequence: str) -> Any:
    counts = np.zeros(4, int)
    for letter in sequence:
        counts["ACGT".index(letter)] += 1
    return counts, {c: sequence.count(c) for c in "ACGT"}, sum(1 for c in sequence if c in "GC")


def hashed(data: bytes) -> Any:
    h = 5381
    for byte in data:
        h = (h * 33 + byte) & 0xFFFFFFFF
    return h, data[:1], len(data)


def search(text: str, pattern: str) -> Any:
    fail = np.zeros(len(pattern), dtype=int)
    k = 0
    for i in range(1, len(pattern)):
        while k > 0 and pattern[k] != pattern[i]:
            k = fail[k - 1]
        k += pattern[k] == pattern[i]
        fail[i] = k
    hits = []
    k = 0
    for i, letter in enumerate(text):
        while k > 0 and pattern[k] != letter:
            k = fail[k - 1]
        if pattern[k] == letter:
            k += 1
        if k == len(pattern):
            hits.append(i - k + 1)
            k = fail[k - 1]
    return hits, fail


def chosen(name: str, a: Any) -> Any:
    return getattr(np, name)(a), getattr(np, "sum" if name == "max" else "mean")(a)


def subscripts(spec: str, a: Any) -> Any:
    return np.einsum(spec, a, a)


A = np.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize("target", ["interpreter", None])
def test_of_any_length(target: str | None) -> None:
    how = {"target": target} if target else {}
    check(numbers, "", also=[("12 3 " + "45 " * k,) for k in (0, 3, 9, 10, 40)], settings=how)
    check(contents, "GATTACA", also=[("GATTACA" * 3,), ("GATTACA" * 30,), ("GATTACAX" * 5,)], settings=how)
    check(hashed, b"abc", also=[(b"abc" * 7,), (b"abc" * 30,)], settings=how)
    check(search, "ACGGTCA" * 40, "GTCA", also=[("ACGGTCA" * 3, "GTCA"), ("ACG" * 20, "CGA" * 15)], settings=how)


def variants_for(f: Callable[..., Any], calls: list[tuple[Any, ...]]) -> int:
    """How many variants there are after these calls, each of which is right."""
    jitted = sol.jit(strict=True, target="interpreter")(f)  # type: ignore[attr-defined]
    for call in calls:
        assert repr(jitted(*call)) == repr(f(*call))
    return len(jitted.signatures)


def test_number_of_variants() -> None:
    assert variants_for(numbers, [("4 " * k,) for k in range(15)]) == 9
    assert variants_for(numbers, [("4 " * k,) for k in range(20, 30)]) == 1
    assert variants_for(hashed, [(b"4 " * k,) for k in range(20, 30)]) == 1


def test_words() -> None:
    names = "sum mean std var max min prod median any all argmin argmax".split()
    assert variants_for(chosen, [(name, A) for name in names]) == 9
    # this one must be known
    check(subscripts, "ij,ij->" + " " * 40, A, settings={"target": "interpreter"})
