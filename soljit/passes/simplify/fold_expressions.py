"""Expressions with what is known at compile time worked out.

`fold(e)` looks at one operation whose arguments are already folded. Every rule holds for NaN, infinities, both zeros
and wrap-around; literals are computed by the NumPy functions that the interpreter uses, in the operation's own dtype.
Index algebra (sums of sizes and loop variables, exact integers) is `ir/symbolic/linear_sums.py`'s, and is used by canonicalize only
where a value really is an index.
"""

from __future__ import annotations

import warnings

import numpy as np

from soljit.ir.core.expr import FALSE, TRUE, Cast, Const, Expr, Op, is_const
from soljit.ir.core.ops import OPS
from soljit.ir.core.types import DType
from soljit.ir.symbolic import COMPARE, is_index


def fold(e: Expr) -> Expr | None:
    """A simpler expression with exactly the value of `e`, or None."""
    match e:
        case Op(name="select", args=(c, x, y)):
            if isinstance(c, Const):
                return x if c.value else y
            return x if x == y else None
        case Op(name="land", args=(a, b)):
            return _lazy(a, b, FALSE)
        case Op(name="lor", args=(a, b)):
            return _lazy(a, b, TRUE)
        case Op(name="lnot", args=(Op(name="lnot", args=(x,)),)):
            return x
        case Op(args=args) if all(isinstance(a, Const) for a in args):
            return evaluate(e)
        case Op(name=name, args=(a, b)):
            return _identity(name, a, b)
        case Cast(dtype=t, arg=x):
            return _cast(t, x)
    return None


def fold_index_condition(e: Expr) -> Expr | None:
    """A comparison of indices (exact integers) decided by algebra, or None."""
    if isinstance(e, Op) and e.name in COMPARE and is_index(e.args[0]):
        decided = COMPARE[e.name](*e.args)
        return decided if isinstance(decided, Const) else None
    return None


def evaluate(e: Op) -> Const | None:
    """The literal that an operation on literals gives, or None where NumPy refuses."""
    args = [constant_value(a) for a in e.args if isinstance(a, Const)]
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = OPS[e.name].evaluate(*args)
    except (ValueError, TypeError, OverflowError):
        return None
    return literal(value, e.dtype)


def constant_value(c: Const) -> np.generic:
    """The NumPy scalar that a literal stands for."""
    value: np.generic = c.dtype.numpy.type(c.value)
    return value


def literal(value: object, dtype: DType) -> Const:
    """The literal of a NumPy scalar."""
    item = np.asarray(value).astype(dtype.numpy)[()].item()
    return Const(item, dtype)


def _lazy(a: Expr, b: Expr, absorbing: Const) -> Expr | None:
    """`land` or `lor`: the absorbing literal on the left decides, the other one drops out; operands are pure."""
    for x, y in ((a, b), (b, a)):
        if isinstance(x, Const):
            return absorbing if bool(x.value) == bool(absorbing.value) else y
    return a if a == b else None


def _identity(name: str, a: Expr, b: Expr) -> Expr | None:
    """x*1, x/1, x-0 for every type (−0.0 − 0.0 is −0.0), x+0 for integers only (−0.0 + 0.0 is 0.0)."""
    t = a.dtype
    if t.kind == "c":
        return None
    if name == "mul":
        if is_const(b, 1):
            return a
        return b if is_const(a, 1) else None
    if name in ("div", "floordiv") and is_const(b, 1) and (name == "div" or t.is_int):
        return a
    if name == "sub" and is_const(b, 0):
        return a
    if name == "add" and t.is_int:
        if is_const(b, 0):
            return a
        return b if is_const(a, 0) else None
    if t.is_int and name in _TURNED and isinstance(b, Const):
        return _beyond(name, a, b)
    if t.is_int and name in _TURNED and isinstance(a, Const):
        return _beyond(_TURNED[name], b, a)
    if a == b and t.kind in "biu" and name in ("eq", "le", "ge", "ne", "lt", "gt"):
        return TRUE if name in ("eq", "le", "ge") else FALSE
    return None


_TURNED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}


def _beyond(name: str, a: Expr, b: Const) -> Expr | None:
    """A comparison of an integer with the end of its type, or what lies behind: `x < 0` of an unsigned one is false."""
    t, limit = a.dtype, b.value
    assert isinstance(limit, int)
    if (name in ("lt", "ge") and limit <= t.lowest) or (name in ("le", "gt") and limit >= t.highest):
        return FALSE if name in ("lt", "gt") else TRUE
    return None


def _cast(t: DType, x: Expr) -> Expr | None:
    if x.dtype == t:
        return x
    if isinstance(x, Const):
        if x.dtype.kind in "fc" and t.kind in "iu":
            v = x.value
            if isinstance(v, complex) or v != v or not t.lowest <= v <= t.highest:
                return None  # what the machine makes of these is not ours to say
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return literal(constant_value(x), t)
    if isinstance(x, Cast) and _exact(x.arg.dtype, x.dtype) and x.dtype.kind == t.kind:
        return Cast(t, x.arg) if x.arg.dtype != t else x.arg
    return None


def _exact(a: DType, b: DType) -> bool:
    """Tell whether every value of `a` survives in `b`."""
    return a.kind == b.kind and a.size <= b.size
