"""`a.flags`: what is known of an array's memory, as attributes and as items."""

from __future__ import annotations

from typing import Any

import numpy as np

from soljit.base.records import dataclass
from soljit.frontend_ast.arrays.operands import in_memory
from soljit.frontend_ast.arrays.strides import is_contiguous
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import attribute
from soljit.frontend_ast.values.values import Arr, CompileTime, Num, Static, Value
from soljit.frontend_ast.views.reshaping import reversed_axes
from soljit.ir import symbolic
from soljit.ir.core.data import Array
from soljit.ir.core.expr import FALSE, TRUE, Expr, const

_LETTERS = {"C": "c_contiguous", "F": "f_contiguous", "W": "writeable", "A": "aligned", "B": "behaved"}
_LETTERS |= {"O": "owndata", "X": "writebackifcopy", "CA": "carray", "FA": "farray"}
_ATTRIBUTES = [*_LETTERS.values(), "contiguous", "fortran", "fnc", "forc"]
_ITEMS = {name.upper(): name for name in _ATTRIBUTES} | _LETTERS
_BITS = {"c_contiguous": 1, "f_contiguous": 2, "owndata": 4, "aligned": 0x100, "writeable": 0x400}


@dataclass(frozen=True)
class Flags(CompileTime):
    """Stands for the object `a.flags`. owndata: None if only the run could tell."""

    cls = type(np.zeros(0).flags)
    c: Expr
    f: Expr
    writeable: Expr
    owndata: Expr | None

    def attribute(self, cx: Lowering, name: str) -> Value:
        """`a.flags.name`"""
        if name == "num":
            bits = [symbolic.select(self._flag(cx, n), const(b), const(0)) for n, b in _BITS.items()]
            return Num(symbolic.total(bits), True)
        if name not in _ATTRIBUTES:
            cx.raise_("AttributeError", f"'{self.cls.__module__}.{self.cls.__name__}' object has no attribute '{name}'")
            return Static(None)
        return Num(self._flag(cx, name), True)

    def item(self, cx: Lowering, index: Value) -> Value:
        """`a.flags["NAME"]`"""
        name = named(cx, index)
        return Static(None) if name is None else Num(self._flag(cx, name), True)

    def _flag(self, cx: Lowering, name: str) -> Expr:
        match name:
            case "c_contiguous" | "contiguous":
                return self.c
            case "f_contiguous" | "fortran":
                return self.f
            case "fnc":
                return symbolic.conj(self.f, symbolic.negate(self.c))
            case "forc":
                return symbolic.disj(self.f, self.c)
            case "writeable" | "behaved":
                return self.writeable
            case "carray":
                return symbolic.conj(self.c, self.writeable)
            case "farray":
                return symbolic.conj(self.f, symbolic.negate(self.c), self.writeable)
            case "aligned":
                return TRUE
            case "writebackifcopy":
                return FALSE
        if self.owndata is None:
            raise cx.unsupported(
                "who owns the memory of this array, which only the run tells", "leave out flags.owndata"
            )
        return self.owndata


def named(cx: Lowering, index: Value) -> str | None:
    """The attribute that a subscript of `a.flags` stands for; None: there is none, and the KeyError is raised."""
    name = _ITEMS.get(index.obj) if isinstance(index, Static) and isinstance(index.obj, str) else None
    if name is None:
        cx.raise_("KeyError", "Unknown flag")
    return name


@attribute("flags")
def flags(cx: Lowering, a: Any) -> Value:
    """a.flags"""
    if isinstance(a, Num):
        return Static(Flags(TRUE, TRUE, FALSE, TRUE))
    x = in_memory(cx, a)
    return Static(
        Flags(_contiguity(cx, x), _contiguity(cx, reversed_axes(x)), TRUE if x.writable else FALSE, _owns(cx, x))
    )


def _owns(cx: Lowering, x: Arr) -> Expr | None:
    """Tell whether the array owns its memory. A part of another array never does; of an argument itself nothing is known."""
    d = cx.data[x.data]
    if not isinstance(d, Array):  # a view of memory that may have been made for it, as in a.flatten()
        return None
    if x.whole:
        return TRUE if d.transient else None
    if not d.transient:
        return FALSE
    return FALSE if cx.decide(symbolic.ne(cx.size_of(x.shape), cx.size_of(d.shape))) else None


def _contiguity(cx: Lowering, a: Arr) -> Expr:
    """As the flag says it: arrays without elements are contiguous, too."""
    found = is_contiguous(cx, a)
    if found is True:
        return TRUE
    empty = symbolic.eq(cx.size_of(a.shape), const(0))
    if cx.decide(empty):
        return TRUE
    known = FALSE if found is False else found
    assert isinstance(known, Expr)
    return known if cx.prove(empty) is False else symbolic.disj(empty, known)
