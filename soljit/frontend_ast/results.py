"""`return` of the entry function: the value's leaves, and the tree that puts them together again.

All returns of a function must give the same structure and types; the first one fixes them. A leaf is a number or an
array; `None`, strings and other constants are part of the structure. An argument that is returned itself stays the same
object, a view of an argument keeps sharing its memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from soljit.frontend_ast.elementwise import materialize
from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.numpy_api.shaping import strided
from soljit.frontend_ast.operators import describe
from soljit.frontend_ast.values import Arr, Dict, Lazy, Num, Opaque, RangeVal, Static, Tup, Value
from soljit.ir import nodes
from soljit.ir.data import Ref
from soljit.ir.expr import Expr, Memlet
from soljit.ir.types import from_numpy


def emit_return(cx: Lowering, value: Value) -> None:
    """Leave the program with this value."""
    values: list[Expr | Memlet] = []
    results: list[nodes.Result] = []
    structure = _tree(cx, value, values, results, {})
    if cx.results is None:
        cx.results, cx.structure = tuple(results), structure
    else:
        merged = _same_results(cx.results, tuple(results))
        if merged is None or structure != cx.structure:
            raise cx.unsupported(
                "the function returns values of different types on different paths: "
                f"{_say(cx.results, cx.structure)} and {_say(tuple(results), structure)}",
                "return the same type everywhere",
            )
        cx.results = merged
    cx.emit(nodes.Return(tuple(values)))


def _same_results(a: tuple[nodes.Result, ...], b: tuple[nodes.Result, ...]) -> tuple[nodes.Result, ...] | None:
    if len(a) != len(b):
        return None
    out = []
    for x, y in zip(a, b):
        if (x.kind, x.dtype, x.ndim, x.same, x.writable) != (y.kind, y.dtype, y.ndim, y.same, y.writable):
            return None
        out.append(x if x.base is not None else y)
    return tuple(out)


def _say(results: tuple[nodes.Result, ...], structure: Any) -> str:
    if not results:
        return "None" if structure is None else str(structure)
    return ", ".join(f"{r.dtype.numpy.name}" + (f" array ({r.ndim}d)" if r.kind == "array" else "") for r in results)


def _tree(
    cx: Lowering, value: Value, values: list[Expr | Memlet], results: list[nodes.Result], seen: dict[Arr | int, int]
) -> Any:
    """`seen`: the leaves of the array objects so far, since one may occur twice (a view: if it is the same value)."""
    match value:
        case Num():
            values.append(value.expr)
            results.append(nodes.Result("python" if value.weak else "scalar", value.dtype))
            return {"leaf": len(results) - 1}
        case Arr() | Lazy():
            return _array_leaf(cx, value, values, results, seen)
        case Tup():
            items = [_tree(cx, x, values, results, seen) for x in value.items]
            if value.cls is not None:
                return {"namedtuple": [f"{value.cls.__module__}.{value.cls.__qualname__}", items]}
            return {"list" if value.mutable else "tuple": items}
        case Dict():
            if value.cls is not None:
                items = [[k, _tree(cx, x, values, results, seen)] for k, x in value.items.items()]
                return {"dataclass": [f"{value.cls.__module__}.{value.cls.__qualname__}", items]}
            return {"dict": [[_key(cx, k), _tree(cx, x, values, results, seen)] for k, x in value.items.items()]}
        case Static():
            return _constant(cx, value.obj)
        case Opaque():
            return {"param": value.param}
        case RangeVal():
            raise cx.unsupported("returning a range", "return an array or a list")
    raise cx.unsupported(f"returning {describe(value)}")


def _key(cx: Lowering, k: Any) -> Any:
    if isinstance(k, (str, int, float)):
        return k
    raise cx.unsupported("returning a dict whose keys are not strings or numbers")


def _constant(cx: Lowering, obj: Any) -> Any:
    if obj is None:
        return None
    if isinstance(obj, (str, bool, int, float)):
        return {"const": obj}
    if isinstance(obj, np.dtype) and (t := from_numpy(obj)) is not None:
        return {"const": {"dtype": t.name}}
    if callable(obj) and getattr(obj, "__module__", None) and "<" not in getattr(obj, "__qualname__", "<"):
        return {"const": {"name": f"{obj.__module__}.{obj.__qualname__}"}}
    raise cx.unsupported(f"returning {obj!r}")


def _array_leaf(
    cx: Lowering,
    value: Arr | Lazy,
    values: list[Expr | Memlet],
    results: list[nodes.Result],
    seen: dict[Arr | int, int],
) -> Any:
    a = materialize(cx, value, "result")
    key = a if a.whole else id(a)
    if key in seen:
        return {"leaf": seen[key]}
    seen[key] = len(results)
    window = a.window()
    if window is None:
        a = strided(cx, a)
        window = a.window()
        assert window is not None
    params = {p.name for p in cx.params if p.kind == "array"}
    roots = sorted(cx.alias_of(a.data) & params)
    same = a.data if a.whole and a.data in params and not isinstance(cx.data[a.data], Ref) else None
    values.append(window)
    results.append(
        nodes.Result("array", a.dtype, a.ndim, roots[0] if roots else None, same, a.writable or same is not None)
    )
    return {"leaf": len(results) - 1}
