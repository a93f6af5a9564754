"""Variables of run time, one for each type that names can have."""

from __future__ import annotations

from soljit.frontend_ast.arrays.array_variables import new_ref
from soljit.frontend_ast.arrays.object_identity import number_of
from soljit.frontend_ast.joins.type_lattice import (
    wide_dtype,
)
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.objects import new_holder
from soljit.frontend_ast.values.array_identity import Identity
from soljit.frontend_ast.values.object_types import CHARACTERS, LATIN
from soljit.frontend_ast.values.values import (
    Value,
)
from soljit.frontend_ast.values.variables import (
    ArrayVar,
    Kind,
    ObjectVar,
    ScalarVar,
    TupleVar,
    UnionVar,
)
from soljit.ir.core.expr import const
from soljit.ir.core.types import i64


def make_var(cx: Lowering, kind: Kind, hint: str) -> Value:
    """A fresh variable of a type. Unlike the containers of a result (`objects.declare`) it is bound or assigned again."""
    if kind.form in ("scalar", "array") and kind.dtype is None:
        raise cx.unsupported("a value of which no path tells the type", "give it one type before")
    if kind.form == "scalar":
        assert kind.dtype is not None
        return ScalarVar(cx.scalar(kind.dtype, hint), kind.dtype, kind.weak)
    if kind.form == "array":
        assert kind.dtype is not None
        still = frozenset(range(kind.ndim)) - frozenset(kind.walk)
        name = new_ref(cx, kind.dtype, kind.ndim, kind.order, kind.origins, hint, still)
        cx.rebindable.add(name)
        which = None
        if len(kind.objects) == 1:
            cx.identities[name] = Identity(kind.objects, const(number_of(cx, *kind.objects)))
        else:
            which = cx.scalar(i64, f"{hint}_which")
            cx.identities[name] = Identity(kind.objects, cx.read(which))
        return ArrayVar(name, kind.dtype, kind.ndim, kind.order, kind.walk, kind.shape, kind.writable, which)
    if kind.form == "tuple":
        return TupleVar([make_var(cx, k, hint) for k in kind.items], kind.cls)
    if kind.form == "union":
        tag = cx.scalar(i64, f"{hint}_type")
        if kind.wide:
            dtype = wide_dtype(kind)
            shared = ScalarVar(cx.scalar(dtype, hint), dtype, all(k.weak for k in kind.items))
            return UnionVar(tag, kind.items, (), shared)
        return UnionVar(tag, kind.items, tuple(make_var(cx, k, hint) for k in kind.items), None)
    if kind.form == "object":
        assert kind.object is not None
        code = cx.scalar(i64, f"{hint}_code") if kind.object in CHARACTERS else ""
        if kind.object is LATIN:
            return ObjectVar("", kind.object, code)
        name = new_holder(cx, hint)
        cx.rebindable.add(name)
        return ObjectVar(name, kind.object, code)
    assert kind.value is not None
    return kind.value
