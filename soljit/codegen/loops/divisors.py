"""Divisors of whole loops: what makes dividing by them quick (`sol_divisor`) is worked out in front of the loops."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from soljit.codegen.spelling.expressions import value
from soljit.codegen.writing.context import Context
from soljit.ir.core.nodes import Loop, Map


@contextmanager
def with_divisors(cx: Context, n: Map | Loop) -> Iterator[None]:
    """Declare the divisors of a map or a loop, and divide by them inside."""
    before = cx.divisors
    cx.divisors = dict(before)
    for d in n.divisors:
        cx.divisors[d] = cx.names.fresh("divisor")
        cx.out.line(f"const sol_divisor {cx.divisors[d]}({value(cx, d)});")
    yield
    cx.divisors = before
