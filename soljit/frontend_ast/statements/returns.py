"""`return` of the entry function: the value's leaves, and the tree that puts them together again.

A leaf is a number or an array; `None`, strings and other constants are part of the structure. An argument that is returned
itself stays the same object, a view of an argument keeps sharing its memory. Returns that differ in structure or types
are alternatives: they share the leaves that fit, and one more leaf tells which alternative was returned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from soljit.base.python.classes import has_a_name, is_class_with_a_name, is_users_function
from soljit.base.python.object_names import class_name, member_name, ufunc_name
from soljit.base.python.unnamed import has_name
from soljit.frontend_ast.arrays.elementwise import materialize
from soljit.frontend_ast.arrays.object_identity import choice_among, identity_of, params_of
from soljit.frontend_ast.arrays.strides import strided
from soljit.frontend_ast.joins.binding import narrow
from soljit.frontend_ast.joins.unions import act, choose, unions_in
from soljit.frontend_ast.lowering.emission import HELD
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.contents import grow
from soljit.frontend_ast.objects.functions import fetched
from soljit.frontend_ast.objects.iterators import needed, refuse_iterators
from soljit.frontend_ast.objects.objects import make_object, view_of
from soljit.frontend_ast.values.array_identity import Identity
from soljit.frontend_ast.values.descriptions import describe
from soljit.frontend_ast.values.values import (
    NONE,
    Arr,
    Dict,
    DictView,
    Func,
    Instance,
    Lazy,
    Num,
    Object,
    OneShot,
    RangeVal,
    SliceVal,
    Static,
    Tup,
    Union,
    Value,
)
from soljit.ir.core import nodes
from soljit.ir.core import types as ir_types
from soljit.ir.core.data import Ref
from soljit.ir.core.expr import Expr, Memlet, const
from soljit.ir.core.types import from_numpy, i64

IDENTITIES = "identities"  # key of `seen` for leaves and what is known of their objects


def emit_return(cx: Lowering, value: Value) -> None:
    """Leave the program with this value."""
    apart = next((u for u in unions_in(value) if not all(map(_is_scalar, u.kinds))), None)
    if apart is not None:
        _return_each(cx, value, apart)
        return
    values: list[Expr | Memlet] = []
    results: list[nodes.Result] = []
    seen: dict[Any, Any] = {}
    tree = _tree(cx, value, values, results, seen)
    if cx.current.done:
        return
    _mark_objects(cx, values, results, seen.get(IDENTITIES, []))
    leaves = cx.returned.places(results)
    alternative = cx.returned.alternative(_renumbered(tree, leaves))
    if alternative:
        values.append(const(alternative))
        leaves.append(cx.returned.tag_leaf())
    cx.emit(nodes.Return(tuple(values), () if leaves == list(range(len(leaves))) else tuple(leaves)))


def _return_each(cx: Lowering, value: Value, union: Union) -> None:
    """Leave the program with this value, once for each type of a union in it."""

    def option(k: int) -> Value:
        emit_return(cx, _with(value, union, narrow(cx, union, k)))
        return NONE

    if _with(value, union, NONE) is value:  # it is in what cannot be taken apart here
        act(cx, [value], lambda vs: emit_return(cx, vs[0]))
    else:
        choose(cx, cx.let(union.tag, "type"), len(union.kinds), option)


def _with(value: Value, old: Value, new: Value) -> Value:
    """The value with another one in the place of one in it; itself, if that is not found."""
    if value is old:
        return new
    match value:
        case Instance() | DictView():
            return value
        case Tup():
            items = [_with(x, old, new) for x in value.items]
            if any(x is not y for x, y in zip(items, value.items)):
                return Tup(items, value.cls, value.mutable, value.home, value.site)
        case Dict():
            held = {k: _with(x, old, new) for k, x in value.items.items()}
            if any(x is not value.items[k] for k, x in held.items()):
                return replace(value, items=held)
    return value


def _is_scalar(kind: Any) -> bool:
    return kind.form == "scalar" or (kind.form == "static" and isinstance(kind.value, Static))


def _mark_objects(
    cx: Lowering, values: list[Expr | Memlet], results: list[nodes.Result], found: Sequence[tuple[int, Identity]]
) -> None:
    """Where several leaves may be one array object, because variables are among them, add leaves that tell their objects."""
    names = [v.data for k, _ in found if isinstance(v := values[k], Memlet)]
    if len(names) < 2 or not any(isinstance(cx.data[n], Ref) for n in names):
        return
    for k, identity in found:
        values.append(identity.which)
        results.append(nodes.Result("python", i64))
        results[k] = replace(results[k], itself=len(results) - 1)


def _renumbered(tree: Any, leaves: Sequence[int]) -> Any:
    match tree:
        case {"leaf": k}:
            return {"leaf": leaves[k]}
        case {"either": [k, trees]}:
            return {"either": [leaves[k], [_renumbered(x, leaves) for x in trees]]}
        case {"const": _} | {"param": _}:
            return tree
        case dict():
            return {k: _renumbered(x, leaves) for k, x in tree.items()}
        case list():
            return [_renumbered(x, leaves) for x in tree]
    return tree


def _tree(
    cx: Lowering,
    value: Value,
    values: list[Expr | Memlet],
    results: list[nodes.Result],
    seen: dict[Arr | int | str, Any],
) -> Any:
    """`seen`: the leaves of the array objects so far, since one may occur twice (a view: if it is the same value)."""
    match value:
        case Num():
            values.append(value.expr)
            results.append(nodes.Result("python" if value.weak else "scalar", value.dtype))
            return {"leaf": len(results) - 1}
        case Union():
            values.append(value.tag)
            results.append(nodes.Result("python", i64))
            tag = len(results) - 1
            options = [narrow(cx, value, k) for k in range(len(value.kinds))]
            return {"either": [tag, [_tree(cx, x, values, results, seen) for x in options]]}
        case Arr() | Lazy():
            return _array_leaf(cx, value, values, results, seen)
        case Instance(object=Object(data=name)):
            return {"param": name}
        case Tup() | Dict() if _is_given(cx, value):
            return grow(cx, value)
        case DictView():
            return _tree(cx, view_of(cx, value), values, results, seen)
        case Tup() | Dict() if f"twice {id(value)}" in seen:  # one object in two places
            return grow(cx, value)
        case OneShot():
            return refuse_iterators(cx, value)
        case Tup():
            return _tuple_tree(cx, value, values, results, seen)
        case Dict():
            return _dict_tree(cx, value, values, results, seen)
        case Static() if type(value.obj) in (bytes, int):
            return _tree(cx, make_object(cx, value), values, results, seen)
        case Static() if is_users_function(value.obj) and (found := fetched(cx, value.obj)) is not None:
            return _tree(cx, found, values, results, seen)
        case Static(obj=None):
            return None
        case Static() if (known := _constant(value.obj)) is not None:
            return known
        case Static():
            return _tree(cx, make_object(cx, value), values, results, seen)
        case Object() if value.param:
            return {"param": value.data}
        case Object():
            if (key := value.data) not in seen:
                values.append(Memlet(value.data))
                results.append(nodes.Result("object", ir_types.obj))
                seen[key] = len(results) - 1
            return {"leaf": seen[key]}
        case RangeVal() | SliceVal() | Func():
            return _tree(cx, make_object(cx, value), values, results, seen)
    needed(cx, value)
    raise cx.unsupported(f"returning {describe(value)}")


def _is_given(cx: Lowering, value: Tup | Dict) -> bool:
    """Tell whether this is a container that came from outside, and that may be changed there."""
    return any(given is value and (isinstance(value, Dict) or value.mutable) for given, _ in cx.containers)


def _tuple_tree(
    cx: Lowering,
    value: Tup,
    values: list[Expr | Memlet],
    results: list[nodes.Result],
    seen: dict[Arr | int | str, Any],
) -> Any:
    """A list, a tuple or a named tuple."""
    if value.mutable and value.site is not None:
        seen[f"twice {id(value)}"] = True
    items = [_tree(cx, x, values, results, seen) for x in value.items]
    if value.cls is not None and not hasattr(value.cls, "_fields"):  # Python alone makes those
        raise cx.unsupported(f"returning {describe(value)}")
    if value.cls is not None:
        return {"namedtuple": [class_name(value.cls), items]}
    return {"list" if value.mutable else "tuple": items}


def _dict_tree(
    cx: Lowering,
    value: Dict,
    values: list[Expr | Memlet],
    results: list[nodes.Result],
    seen: dict[Arr | int | str, Any],
) -> Any:
    """A dict or an instance of a dataclass."""
    if value.site is not None:
        seen[f"twice {id(value)}"] = True
    if value.cls is not None:
        items = [[k, _tree(cx, x, values, results, seen)] for k, x in value.items.items()]
        return {"dataclass": [class_name(value.cls), items]}
    if not all(type(k) in (str, int, float, bool) for k in value.items):
        return _tree(cx, make_object(cx, value), values, results, seen)
    return {"dict": [[k, _tree(cx, x, values, results, seen)] for k, x in value.items.items()]}


def _constant(obj: Any) -> Any:
    """A constant as part of the structure, where nothing is called as in templates of arguments; None: it has to be made."""
    if type(obj) in (str, bool, int, float):
        return {"const": obj}
    if (name := member_name(obj) or ufunc_name(obj)) is not None:
        return {"const": {"name": name}}
    if isinstance(obj, np.dtype) and obj.metadata is None and (t := from_numpy(obj)) is not None:
        return {"const": {"dtype": t.name}}
    if is_class_with_a_name(obj):
        return {"const": {"name": class_name(obj)}}
    if (
        not isinstance(obj, type)
        and callable(obj)
        and has_a_name(obj)
        and getattr(obj, "__module__", None)
        and has_name(obj)
    ):
        return {"const": {"name": f"{obj.__module__}.{obj.__qualname__}"}}
    return None


def _array_leaf(
    cx: Lowering,
    value: Arr | Lazy,
    values: list[Expr | Memlet],
    results: list[nodes.Result],
    seen: dict[Arr | int | str, Any],
) -> Any:
    a = materialize(cx, value, "result")
    key = a if a.whole else id(a)
    if key in seen:
        return seen[key]
    if not a.whole and HELD in cx.roots_of(a.data) and a.window() is not None:
        seen[key] = _tree(cx, make_object(cx, a), values, results, seen)  # it may show all of an object, but is another
        return seen[key]
    window = a.window()
    if window is None:
        a = strided(cx, a)
        window = a.window()
        assert window is not None
    elif a.units:
        window = strided(cx, a).window()
        assert window is not None
    params = {p.name for p in cx.params if p.kind == "array"}
    roots = sorted(cx.alias_of(a.data) & params)
    base = roots[0] if roots else None
    identity = identity_of(cx, a)
    objects = params_of(identity.objects)
    same = objects[0] if len(identity.objects) == 1 and objects else None
    tree: Any = {"leaf": len(results)}
    values.append(window)
    if same is None and (a.whole or a.made):
        seen.setdefault(IDENTITIES, []).append((len(results), identity))
    results.append(nodes.Result("array", a.dtype, a.ndim, base, same, a.writable or same is not None))
    if objects and same is None:
        values.append(choice_among(cx, identity, objects))
        results.append(nodes.Result("python", i64))
        tree = {"either": [len(results) - 1, [tree, *({"param": name} for name in objects)]]}
    seen[key] = tree
    return tree
