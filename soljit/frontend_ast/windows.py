"""Array values as memory that one memlet describes: what callbacks, other programs and libraries are given."""

from __future__ import annotations

from soljit.frontend_ast.elementwise import copy_array, materialize
from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.values import Arr, Array
from soljit.ir.expr import Memlet


def in_window(cx: Lowering, value: Array) -> tuple[Arr, Memlet]:
    """The value as an array in memory that a memlet can describe, and that memlet."""
    a = materialize(cx, value)
    window = a.window()
    if window is None:
        a = copy_array(cx, a)
        window = a.window()
        assert window is not None
    return a, window
