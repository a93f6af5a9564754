"""Numbers as items of containers: of which form an item is, as call backs declare it, and which numbers it is made of.

A form is `"any float"` (Python's or NumPy's: which, and the number),
`"float"`, `"int"`, `"bool"`, `"complex"` (Python's numbers), `{"numpy": "f64"}` (NumPy's), `{"row": class}` (the number of an instance that has no object), or
`{"tuple": [form, …]}` of these; see `support/declarations.py`. Its *columns* are the numbers that an item consists of.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from soljit.ir.core.expr import Cast, Const, Expr, Memlet, const
from soljit.ir.core.nodes import Callback, Program
from soljit.ir.core.types import BY_NAME, PYTHON_NAMES, PYTHON_TYPES, DType, b1, c128, f64, i64
from soljit.ir.walk import is_object
from soljit.support.declarations import ANY_FLOAT, PYTHON

Form = object
LIST: Form = {"object": "builtins.list"}  # items that are lists themselves: a number says which
FLOATS: tuple[Form, ...] = ("float", {"numpy": "f64"})  # that it may be, by their numbers


class Item(NamedTuple):
    """An item that a program makes: its form and its columns."""

    form: Form
    columns: tuple[Expr, ...]


def is_form(declared: object) -> bool:
    """Tell whether this declares a number, or a tuple of numbers."""
    if isinstance(declared, Mapping) and "tuple" in declared:
        parts = declared["tuple"]
        return len(declared) == 1 and bool(parts) and all(is_number(p) or is_row(p) for p in parts)
    return declared == ANY_FLOAT or is_number(declared) or is_row(declared)


def is_row(declared: object) -> bool:
    """Tell whether this declares the number of an instance that has no object."""
    return isinstance(declared, Mapping) and declared.keys() == {"row"}


def is_number(declared: object) -> bool:
    """Tell whether this declares a number."""
    of_numpy = isinstance(declared, Mapping) and declared.keys() == {"numpy"}
    return of_numpy or isinstance(declared, str) and declared in PYTHON


def rows_in(form: Form) -> list[str]:
    """Of the columns of an item the class of the instance whose number it is, "" for other numbers."""
    match form:
        case {"tuple": list() as parts}:
            return [c for p in parts for c in rows_in(p)]
        case {"row": str() as cls}:
            return [cls]
    return [""] * len(dtypes_of(form))


def dtypes_of(form: Form) -> tuple[DType, ...]:
    """The types of an item's columns."""
    match form:
        case "any float":
            return (i64, f64)
        case {"object": "builtins.list"} | {"row": _}:
            return (i64,)
        case {"tuple": list() as parts}:
            return tuple(t for p in parts for t in dtypes_of(p))
        case {"numpy": str() as name}:
            return (BY_NAME[name],)
    return (PYTHON_TYPES[PYTHON[str(form)]],)


def form_of(t: DType) -> Form:
    """The form of Python's numbers of a type."""
    return PYTHON_NAMES[t]


def together(read: Sequence[Form], put: Sequence[Form]) -> Form | None:
    """The one form of all items of a list of which these are read and those put in; None: there is none."""
    found: Form = ANY_FLOAT if read[:1] == [ANY_FLOAT] or all(f in put for f in FLOATS) else (*read, *put, None)[0]
    fits = all(f == found for f in read) and all(f == found or found == ANY_FLOAT and f in FLOATS for f in put)
    return found if fits else None


def columns_as(form: Form, item: Item) -> tuple[Expr, ...]:
    """The columns of an item in a list of items of a form that holds it."""
    if form == ANY_FLOAT != item.form:
        return (const(FLOATS.index(item.form)), *item.columns)
    return item.columns


def of_python(form: Form) -> bool | str | list[bool]:
    """Tell whether the numbers of an item are Python's. Of tuples one answer for each column; "any": the first column tells."""
    match form:
        case "any float":
            return "any"
        case {"tuple": list() as parts}:
            return [isinstance(p, str) for p in parts]
    return isinstance(form, str)


def item_of(program: Program, n: Callback, template: object) -> Item | None:
    """The item that a template of arguments makes; None: it is none of numbers."""
    match template:
        case bool():
            return Item("bool", (Const(template, b1),))
        case int() if i64.lowest <= template <= i64.highest:
            return Item("int", (Const(template, i64),))
        case float():
            return Item("float", (Const(math.nan if template != template else template, f64),))
        case {"complex": [re, im]}:
            return Item("complex", (Const(complex(re, im), c128),))
        case {"$": int() as k, **how}:
            e = n.ins[k]
            if isinstance(e, Memlet) or is_object(e, program.params, program.data):
                return None
            if "row" in how:
                return Item({"row": how["row"]}, (e,))
            if not how.get("weak"):
                return Item({"numpy": e.dtype.name}, (e,))
            return Item(PYTHON_NAMES[e.dtype], (e,)) if e.dtype in PYTHON_NAMES else None
        case {"tuple": [*parts]} if parts:
            found = [item_of(program, n, p) for p in parts]
            if any(x is None or not (is_number(x.form) or is_row(x.form)) for x in found):
                return None
            columns = tuple(e for x in found if x is not None for e in x.columns)
            return Item({"tuple": [x.form for x in found if x is not None]}, columns)
    return None


def index_of(program: Program, n: Callback, template: object) -> Expr | None:
    """The integer that a template makes, as i64; None if it is no integer, or may be beyond 64 bits."""
    found = item_of(program, n, template)
    if found is None or not is_number(found.form):
        return None
    (e,) = found.columns
    if e.dtype is i64:
        return e
    if e.dtype.name == "u64" or not (e.dtype.is_int or found.form == "bool"):
        return None
    return Const(int(e.value), i64) if isinstance(e, Const) and not isinstance(e.value, complex) else Cast(i64, e)
