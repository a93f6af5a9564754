"""Changes of array objects themselves, which all their names see: `a.shape = …`, `a.flags.writeable = …`, `a.setflags`, `a.resize`.

An array under a plain name is another value from then on. Where something else holds the array, too, a container or a function around, it is refused.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from soljit.frontend_ast.arrays.elementwise import store
from soljit.frontend_ast.arrays.strides import is_contiguous
from soljit.frontend_ast.expressions.expressions import evaluate
from soljit.frontend_ast.joins.binding import bind
from soljit.frontend_ast.lowering.frames import Frame
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.static_values import static_of
from soljit.frontend_ast.values import numpy_versions
from soljit.frontend_ast.values.descriptions import describe
from soljit.frontend_ast.values.values import Arr, Dict, Func, MaybeUnbound, Num, OneShot, Static, Tup, Value
from soljit.frontend_ast.values.variables import ArrayVar, Narrowed, TupleVar, UnionVar
from soljit.frontend_ast.views.flags import Flags, flags
from soljit.frontend_ast.views.numpy_arguments import given
from soljit.frontend_ast.views.reshaping import shaped_view
from soljit.frontend_ast.views.shape_arguments import shape_of
from soljit.ir import symbolic
from soljit.ir.core.data import Array
from soljit.ir.core.expr import FALSE, TRUE, Expr, const

_HELD_BY_OTHERS = "changing an array object that something else holds, too"


def replace_everywhere(cx: Lowering, fr: Frame, node: ast.expr, old: Value, new: Value) -> None:
    """The array that `node` names is `new` from now on, under all its names."""
    if not isinstance(node, ast.Name) or not isinstance(old, Arr):
        raise cx.unsupported("changing an array object that has no name", "give it one")
    held = fr.env.get(node.id)
    if isinstance(held, Narrowed) and held.var.wide is None:
        held = held.var.items[held.k]
    others = [v for f, name, v in _variables(cx, fr) if not (f is fr and name == node.id)]
    if isinstance(held, ArrayVar):
        if any(_may_be(cx, x, held.data) for v in others for x in _inside(v, set())):
            raise cx.unsupported(_HELD_BY_OTHERS)
        if isinstance(new, Arr) and new.writable != old.writable:
            raise cx.unsupported("changing the flags of an array in a loop")
        bind(cx, fr, node.id, new)
        return
    here = [(f, name) for f, name, v in _variables(cx, fr) if _is(v, old)]
    if (id(fr), node.id) not in ((id(f), name) for f, name in here):
        raise cx.unsupported(f"changing '{node.id}', whose type depends on the path", "give it a name of its own")
    inside = (x for f, name, v in _variables(cx, fr) for x in _inside(v, set()) if x is not v)
    if any(f is not fr for f, _ in here) or any(_is(x, old) or _may_be(cx, x, old.data, True) for x in inside):
        raise cx.unsupported(_HELD_BY_OTHERS)
    if old.whole and cx.roots_of(old.data) & cx.learned.held:
        raise cx.unsupported(_HELD_BY_OTHERS)
    several = old.whole and not isinstance(cx.data[old.data], Array)
    if any(isinstance(v, ArrayVar) and _may_be(cx, v, old.data, True) for v in others):
        raise cx.unsupported(_HELD_BY_OTHERS)
    if several and any(_may_be(cx, v, old.data) and not _is(v, old) for v in others):
        raise cx.unsupported(_HELD_BY_OTHERS)
    for _, name in here:
        fr.env[name] = new


def _variables(cx: Lowering, fr: Frame) -> list[tuple[Frame, str, Value]]:
    """The variables of all functions that are being lowered."""
    frames = {id(f): f for f in cx.frames}
    around: Frame | None = fr
    while around is not None:
        frames[id(around)] = around
        around = around.parent
    return [(f, name, v) for f in frames.values() for name, v in f.env.items()]


def _inside(v: Value, seen: set[int]) -> Iterator[Value]:
    """The value, and those that it holds."""
    if id(v) in seen:
        return
    seen.add(id(v))
    yield v
    match v:
        case Tup() | OneShot() | TupleVar() | UnionVar():
            parts = list(v.items)
        case Dict():
            parts = list(v.items.values())
        case MaybeUnbound():
            parts = [v.value]
        case Func():
            parts = [*v.frame.env.values(), *v.defaults, *v.kw_defaults.values()]
        case _:
            parts = []
    for x in parts:
        yield from _inside(x, seen)


def _is(v: Value, old: Arr) -> bool:
    """Tell whether this is the same array object."""
    if not isinstance(v, Arr):
        return False
    return v is old or (v == old and v.made == old.made) or (old.whole and v.whole and v.data == old.data)


def _may_be(cx: Lowering, v: Value, data: str, variables: bool = False) -> bool:
    """Tell whether this may be an array in the memory of `data`. variables: only those that may be bound to several arrays are asked."""
    if isinstance(v, ArrayVar) or (isinstance(v, Arr) and not variables):
        return bool(cx.roots_of(v.data) & cx.roots_of(data))
    return False


# --- flags and lengths --------------------------------------------------------------------------------------------------


def set_flag(cx: Lowering, fr: Frame, node: ast.expr, name: str, value: Value) -> None:
    """`a.flags.name = value`"""
    a = evaluate(cx, fr, node)
    if not isinstance(a, Arr) or name != "writeable":
        raise cx.unsupported(f"changing the flag '{name}' of {describe(a)}")
    set_writeable(cx, fr, node, a, value)


def set_writeable(cx: Lowering, fr: Frame, node: ast.expr, a: Arr, value: Value) -> None:
    """`a.flags.writeable = value`"""
    flag = bool(static_of(cx, value))
    if flag == a.writable:
        return
    if a.whole and not _is_made(cx, a):
        raise cx.unsupported("changing the flags of an argument", "copy it")
    if flag and _owns(cx, a) is not True:
        raise cx.unsupported("making a view writeable", "copy it")
    replace_everywhere(cx, fr, node, a, replace(a, writable=flag))


def _is_made(cx: Lowering, a: Arr) -> bool:
    """Tell whether this array was made here, so that nobody outside sees the object."""
    params = {p.name for p in cx.params}
    return not any(n in params or n == cx.held_root() for n in cx.roots_of(a.data))


def _owns(cx: Lowering, a: Arr) -> bool | None:
    """Tell whether the array owns its memory. None: only the run could tell."""
    made = flags(cx, a)
    assert isinstance(made, Static) and isinstance(made.obj, Flags)
    owns = made.obj.owndata
    return None if owns not in (TRUE, FALSE) else owns == TRUE


def call_on_object(cx: Lowering, fr: Frame, node: ast.Call) -> bool:
    """`a.setflags(…)` and `a.resize(…)` as statements; False: something else."""
    f = node.func
    if not isinstance(f, ast.Attribute) or f.attr not in ("setflags", "resize") or not isinstance(f.value, ast.Name):
        return False
    a = evaluate(cx, fr, f.value)
    if not isinstance(a, Arr) or any(isinstance(x, ast.Starred) for x in node.args):
        return False
    if any(k.arg is None for k in node.keywords):
        return False
    args = [evaluate(cx, fr, x) for x in node.args]
    kwargs = {str(k.arg): evaluate(cx, fr, k.value) for k in node.keywords}
    if f.attr == "resize":
        _resize(cx, fr, f.value, a, args, kwargs)
        return True
    names = dict(zip(("write", "align", "uic"), args)) | kwargs
    if names.keys() - {"write"}:
        raise cx.unsupported("setflags with align or uic")
    if given(names.get("write")):
        set_writeable(cx, fr, f.value, a, names["write"])
    return True


def _resize(cx: Lowering, fr: Frame, node: ast.Name, a: Arr, args: list[Value], kwargs: dict[str, Value]) -> None:
    """`a.resize(…)`: new memory with the elements that fit, and zeros behind."""
    check = bool(static_of(cx, kwargs.pop("refcheck"))) if "refcheck" in kwargs else True
    if kwargs or not args:
        raise cx.unsupported("resize with these arguments")
    given_shape = args[0] if len(args) == 1 else Tup(args)
    for n in given_shape.items if isinstance(given_shape, Tup) else [given_shape]:
        if isinstance(n, Num) and n.dtype.is_int:
            cx.check(symbolic.ge(n.expr, const(0)), "ValueError", "negative dimensions not allowed")
    shape = shape_of(cx, given_shape)
    owns = _owns(cx, a)
    if owns is False:
        cx.raise_("ValueError", "cannot resize this array: it does not own its data")
        return
    if owns is None or not _is_made(cx, a) or is_contiguous(cx, a) is not True or not a.writable:
        raise cx.unsupported(f"resize of {describe(a)} that is an argument or not contiguous", "use np.resize")
    others = [x for f, name, v in _variables(cx, fr) if not (f is fr and name == node.id) for x in _inside(v, set())]
    if any(_may_be(cx, x, a.data) for x in others):
        if not check or any(isinstance(x, ArrayVar) for x in others):
            raise cx.unsupported(_HELD_BY_OTHERS)
        cx.raise_("ValueError", numpy_versions.RESIZE_OF_SHARED)
        return
    old, new = cx.size_of(a.shape), cx.let(cx.size_of(shape), "size")
    made = cx.alloc(a.dtype, shape, zero=True, hint=node.id)
    before, after = shaped_view(cx, a, (old,)), shaped_view(cx, made, (new,))
    assert before is not None and after is not None
    count = cx.let(symbolic.minimum(old, new), "kept")
    store(cx, _first(after, count), _first(before, count))
    replace_everywhere(cx, fr, node, a, made)


def _first(a: Arr, count: Expr) -> Arr:
    return replace(a, shape=(count,), whole=False)
