"""Tests made of a table of functions and the calls they are compared in."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import pytest

from tests.oracle import check

Function = Callable[..., Any]
Case = tuple[Function, list[tuple[Any, ...]]]  # a function and the arguments of each call


def case_tests(cases: Sequence[Case], compiled: Collection[str]) -> tuple[Function, Function]:
    """`test_interpreted, test_compiled = case_tests(...)`: each function on the interpreter, and those named in `compiled` as users run them."""

    @pytest.mark.parametrize(("f", "calls"), cases, ids=[f.__name__ for f, _ in cases])
    def test_interpreted(f: Function, calls: list[tuple[Any, ...]]) -> None:
        check(f, *calls[0], also=calls[1:], settings={"target": "interpreter"})

    def test_compiled() -> None:
        assert set(compiled) <= {f.__name__ for f, _ in cases}
        for f, calls in cases:
            if f.__name__ in compiled:
                check(f, *calls[0], also=calls[1:])

    return test_interpreted, test_compiled
