"""The type that a variable needs to hold a value; `joins/type_lattice.py` joins such types."""

from __future__ import annotations

from soljit.frontend_ast.arrays.array_variables import order_of, walk_of
from soljit.frontend_ast.arrays.object_identity import identity_of
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values.array_identity import ANOTHER
from soljit.frontend_ast.values.composites import class_of_parts, parts_of
from soljit.frontend_ast.values.object_types import CHARACTER, LATIN
from soljit.frontend_ast.values.values import (
    Arr,
    Flat,
    Lazy,
    MaybeUnbound,
    Method,
    Num,
    Object,
    RangeVal,
    SliceVal,
    Tup,
    Union,
    Value,
)
from soljit.frontend_ast.values.variables import ArrayVar, Kind, Narrowed, ObjectVar, ScalarVar, TupleVar, UnionVar


def kind_of(cx: Lowering, v: Value) -> Kind:
    """The type a variable needs to hold this value."""
    match v:
        case Num():
            return Kind("scalar", v.dtype, v.weak)
        case ScalarVar():
            return Kind("scalar", v.dtype, v.weak)
        case Arr():
            return Kind(
                "array",
                v.dtype,
                ndim=v.ndim,
                order=order_of(cx, v),
                walk=walk_of(cx, v),
                shape=v.shape,
                origins=cx.roots_of(v.data),
                objects=identity_of(cx, v).objects,
                writable=v.writable,
            )
        case Lazy():
            order = (
                "F"
                if v.ndim > 1 and v.rank == tuple(range(v.ndim))[::-1]
                else "C"
                if v.rank == tuple(range(v.ndim))
                else "A"
            )
            return Kind("array", v.dtype, ndim=v.ndim, order=order, walk=walk_of(cx, v), shape=v.shape)
        case ArrayVar():
            return Kind(
                "array",
                v.dtype,
                ndim=v.ndim,
                order=v.order,
                walk=v.walk,
                shape=v.shape,
                origins=cx.roots_of(v.data),
                objects=cx.identities.get(v.data, ANOTHER).objects,
                writable=v.writable,
            )
        case Tup() if v.mutable:
            return Kind("static", value=v)  # a list changes in loops and branches only as an object
        case Tup() | SliceVal() | RangeVal() | Flat() | Method():
            return Kind("tuple", items=tuple(kind_of(cx, x) for x in parts_of(v)), cls=class_of_parts(v))
        case TupleVar():
            return Kind("tuple", items=tuple(kind_of(cx, x) for x in v.items), cls=v.cls)
        case Object():
            return Kind("object", object=LATIN if v.latin else CHARACTER if v.code is not None else v.type)
        case ObjectVar():
            return Kind("object", object=v.type)
        case Union() | UnionVar():
            held = v.options if isinstance(v, Union) else v.items
            items = tuple(kind_of(cx, x) if isinstance(x, ArrayVar) else k for x, k in zip(held, v.kinds))
            return Kind("union", items=items or v.kinds, wide=v.wide is not None)
        case Narrowed():
            return kind_of(cx, v.var)
        case MaybeUnbound():
            return kind_of(cx, v.value)
    return Kind("static", value=v)
