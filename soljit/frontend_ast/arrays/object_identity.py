"""Which array object a value is: a parameter itself, or something else.

Memory alone does not tell `a` from `a[:]`. A Ref that is bound to array objects therefore knows which parameters' very objects it
may be bound to, and an expression tells which one it is at present: the number of the parameter, or 0 for any other object.
"""

from __future__ import annotations

from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values.array_identity import AGAIN, ANOTHER, OTHER, Identity
from soljit.frontend_ast.values.values import Arr
from soljit.ir import symbolic
from soljit.ir.core.data import Array
from soljit.ir.core.expr import FALSE, TRUE, Const, Expr, Op, const
from soljit.ir.core.types import i64


def identity_of(cx: Lowering, a: Arr) -> Identity:
    """Which object an array is now."""
    if not a.whole:
        place = f":{a.made}"
        return Identity(frozenset((place,)), const(_view_number(cx, place)))
    if a.data in cx.identities:
        found: Identity = cx.identities[a.data]
        return found
    d = cx.data.get(a.data)
    if isinstance(d, Array) and not d.transient:
        return Identity(frozenset((a.data,)), const(_number(cx, a.data)))
    return ANOTHER


def params_of(objects: frozenset[str]) -> list[str]:
    """The parameters among objects."""
    return sorted(x for x in objects if x != OTHER and not x.startswith(":"))


def views_of(objects: frozenset[str]) -> list[str]:
    """The views among objects."""
    return sorted(x for x in objects if x.startswith(":"))


def number_of(cx: Lowering, name: str) -> int:
    """The number of one of `Identity.objects`."""
    if name == OTHER:
        return 0
    return _view_number(cx, name) if name.startswith(":") else _number(cx, name)


def _view_number(cx: Lowering, place: str) -> int:
    """The number of views that got their first name here."""
    return -1 - cx.view_numbers.setdefault(place, len(cx.view_numbers))


def _number(cx: Lowering, param: str) -> int:
    return 1 + next(k for k, p in enumerate(cx.params) if p.name == param)


def choice_among(cx: Lowering, identity: Identity, objects: list[str]) -> Expr:
    """The place of the present object in a list of parameters, from 1 on; 0 if it is none of them."""
    found: Expr = const(0)
    for k, name in enumerate(objects):
        here = symbolic.eq(identity.which, const(_number(cx, name)))
        found = Op("select", (here, const(k + 1), found), i64)
    return found


def same_object(cx: Lowering, a: Arr, b: Arr) -> Expr | None:
    """Tell whether two arrays are one object. None if it cannot be told."""
    if a.whole and b.whole and a.data == b.data:
        return TRUE
    if not (a.whole or b.whole):
        return Const(a == b and a.made == b.made != "", TRUE.dtype)
    for view, other in ((a, b), (b, a)):
        if not view.whole and f":{view.made}" not in (identity_of(cx, other).objects if view.made else ()):
            return FALSE
    x, y = identity_of(cx, a), identity_of(cx, b)
    if not (a.whole and b.whole):
        return symbolic.eq(x.which, y.which)
    common = (x.objects & y.objects) - set(params_of(x.objects))
    if any(o == OTHER or o.endswith(AGAIN) for o in common):
        refs = any(not isinstance(cx.data[v.data], Array) for v in (a, b))
        return None if refs else Const(False, TRUE.dtype)
    same = symbolic.conj(symbolic.eq(x.which, y.which), symbolic.ne(x.which, const(0)))
    for m in params_of(x.objects):
        for n in params_of(y.objects):
            if m == n:
                continue
            if not {m, n} <= cx.argument_objects.keys():  # arrays from outside, parameters of recursive functions
                return None
            cx.identity_asked = True
            if cx.argument_objects[m] is not None and cx.argument_objects[m] == cx.argument_objects[n]:
                here = (symbolic.eq(i.which, const(_number(cx, p))) for i, p in ((x, m), (y, n)))
                same = symbolic.disj(same, symbolic.conj(*here))
    return same
