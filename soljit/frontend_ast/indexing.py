"""Subscripts, read and written: integers, slices, newaxis, Ellipsis, masks and integer arrays, in any mixture.

Basic indexing makes a view (an `Arr` over the same container) or, when no dimension is left, a number. Indexing with arrays makes
a copy. Bounds are checked before anything is read or written, once per array index.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from soljit.base.errors import UnsupportedError
from soljit.frontend_ast.elementwise import (
    Index,
    broadcast_into,
    copy_array,
    drop_leading_ones,
    k_order,
    materialize,
    store,
    truth,
)
from soljit.frontend_ast.fancy_indexing import Gather, compress, nest_loops, private, store_masked
from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.numpy_api.numpy_scalars import as_element
from soljit.frontend_ast.operators import describe
from soljit.frontend_ast.python_numbers import constant, py_type
from soljit.frontend_ast.subscripts import basic_view, integer_index, slice_of
from soljit.frontend_ast.values import (
    Arr,
    Array,
    Dict,
    Flat,
    Lazy,
    Num,
    Object,
    RangeVal,
    SliceVal,
    Static,
    Tup,
    Value,
)
from soljit.ir import nodes, symbolic
from soljit.ir.expr import FALSE, TRUE, Const, Expr, Op, const
from soljit.ir.types import DType, b1, i64


def get_item(cx: Lowering, owner: Value, index: Value) -> Value:
    """`owner[index]`."""
    if isinstance(owner, Object):
        return cx.objects.get_item(cx, owner, index)  # type: ignore[no-any-return]
    if isinstance(index, Object):
        if isinstance(owner, (Dict, Static)):
            return cx.objects.get_item(cx, cx.objects.make(cx, owner), index)  # type: ignore[no-any-return]
        index = cx.objects.as_index(cx, index)
    match owner:
        case Arr() | Lazy():
            return _get_array(cx, owner, index)
        case Tup():
            return _get_tuple(cx, owner, index)
        case Flat():
            from soljit.frontend_ast.numpy_api import flat

            return flat.get(cx, owner, index)
        case Dict():
            try:
                key = _static_key(cx, index)
            except UnsupportedError:
                if owner.cls is not None or owner.site is None:
                    raise
                cx.objects.grow(cx, owner)
            if key not in owner.items:
                if isinstance(key, str):
                    cx.raise_("KeyError", key.replace("{", "{{").replace("}", "}}"))
                else:
                    cx.objects.throw(cx, "builtins.KeyError", [index])
                return Static(None)
            return owner.items[key]
        case Static() if isinstance(owner.obj, (str, bytes, dict)):
            try:
                place: Any = _static_key(cx, index)
                return constant(cx, owner.obj[place])
            except UnsupportedError:
                return cx.objects.get_item(cx, cx.objects.make(cx, owner), index)  # type: ignore[no-any-return]
            except (KeyError, IndexError) as e:
                cx.raise_(type(e).__name__, str(e))
                return Static(None)
        case Static() if hasattr(owner.obj, "__class_getitem__") or hasattr(owner.obj, "__getitem__"):
            return _grid(cx, owner, index)
        case RangeVal():
            return _get_range(cx, owner, index)
        case Num():
            if not owner.weak:
                cx.raise_("IndexError", "invalid index to scalar variable.")
                return owner
            cx.raise_("TypeError", f"'{describe(owner)}' object is not subscriptable")
            return owner
    raise cx.unsupported(f"indexing {describe(owner)}")


def _grid(cx: Lowering, owner: Static, index: Value) -> Value:
    from soljit.frontend_ast.numpy_api import grids  # mgrid, ogrid, r_, c_ live with the creation families

    return grids.get_item(cx, owner.obj, index)


def set_item(cx: Lowering, owner: Value, index: Value, value: Value) -> None:
    """`owner[index] = value`."""
    if isinstance(owner, Object):
        cx.objects.set_item(cx, owner, index, value)
        return
    if isinstance(index, Object) and not isinstance(owner, Dict):
        index = cx.objects.as_index(cx, index)
    match owner:
        case Arr() if isinstance(value, Object):
            cx.objects.store(cx, owner, index, value)
        case Arr():
            _set_array(cx, owner, index, value)
        case Tup() if owner.mutable:
            refuse_argument(cx, owner)
            i = None if isinstance(index, SliceVal) else _constant_index(cx, index)
            if i is None or cx.conditional > owner.home:
                cx.objects.grow(cx, owner)
            assert i is not None
            if not -len(owner.items) <= i < len(owner.items):
                cx.raise_("IndexError", "list assignment index out of range")
                return
            owner.items[i] = value
        case Flat():
            from soljit.frontend_ast.numpy_api import flat

            flat.put(cx, owner, index, value)
        case Dict():
            if owner.argument:
                cx.objects.grow(cx, owner)
            try:
                place = _static_key(cx, index)
            except UnsupportedError:
                cx.objects.grow(cx, owner)
            if cx.conditional > owner.home:
                cx.objects.grow(cx, owner)
            owner.items[place] = value
        case Tup():
            cx.raise_("TypeError", "'tuple' object does not support item assignment")
        case Num() | Static(obj=None | str() | bool()):
            cx.raise_("TypeError", f"'{py_type(owner)}' object does not support item assignment")
        case _:
            raise cx.unsupported(f"item assignment to {describe(owner)}")


def delete_item(cx: Lowering, owner: Value, index: Value) -> None:
    """`del owner[index]`."""
    match owner:
        case Object():
            cx.objects.delete_item(cx, owner, index)
        case Arr() | Lazy():
            cx.raise_("ValueError", "cannot delete array elements")
        case Tup() if not owner.mutable:
            cx.raise_("TypeError", "'tuple' object doesn't support item deletion")
        case Tup() | Dict() if owner.cls is None:
            cx.objects.grow(cx, owner)
        case _:
            raise cx.unsupported(f"del of an item of {describe(owner)}")


def _constant_index(cx: Lowering, index: Value) -> int | None:
    e = integer_index(cx, index)
    return int(e.value.real) if isinstance(e, Const) else None


def refuse_argument(cx: Lowering, owner: Tup) -> None:
    """Lists that are arguments were taken apart: who changes one needs the object itself."""
    if owner.home < 0:
        cx.objects.grow(cx, owner)


def _as_numeric(cx: Lowering, value: Value, dtype: DType) -> Num | Array:
    if isinstance(value, (Num, Arr, Lazy)):
        return value
    if isinstance(value, Tup):
        from soljit.frontend_ast.numpy_api.creation import array_of

        return array_of(cx, value, dtype)
    if isinstance(value, Static) and (value.obj is None or isinstance(value.obj, (str, bytes))):
        return _converted(cx, value.obj, dtype)
    raise cx.unsupported(f"storing {describe(value)} in an array")


def _converted(cx: Lowering, value: str | bytes | None, dtype: DType) -> Num:
    """What NumPy stores for None or a string."""
    example = np.zeros(1, dtype.numpy)
    try:
        example[0] = value
    except (TypeError, ValueError) as e:
        cx.raise_(type(e).__name__, str(e).replace("{", "{{").replace("}", "}}"))
    return Num(Const(example[0].item(), dtype), False)


def _static_key(cx: Lowering, v: Value) -> object:
    match v:
        case Static():
            return v.obj
        case Num():
            if isinstance(v.expr, Const):
                return v.expr.value
            i = cx.static_int(v.expr) if v.dtype is i64 else None
            if i is not None:
                return i
        case Tup():
            return tuple(_static_key(cx, x) for x in v.items)
        case SliceVal():
            return slice(*[None if p is None else _static_key(cx, p) for p in (v.start, v.stop, v.step)])
    raise cx.unsupported("a key that is not known at compile time")


def _get_tuple(cx: Lowering, owner: Tup, index: Value) -> Value:
    if isinstance(index, SliceVal):
        try:
            s = _static_key(cx, index)
        except UnsupportedError:
            if not owner.mutable or owner.site is None:
                return cx.objects.get_item(cx, cx.objects.make(cx, owner), index)  # type: ignore[no-any-return]
            cx.objects.grow(cx, owner)
        assert isinstance(s, slice)
        items = owner.items[s]
        return cx.objects.list_of(cx, items) if owner.mutable else Tup(items)
    e = integer_index(cx, index)
    i = e.value if isinstance(e, Const) else None
    if i is None:
        i = cx.static_int(e) if not _uniform_numbers(owner) else None
        if i is None:
            return _pick(cx, owner, e)
    i = int(i.real)
    if not -len(owner.items) <= i < len(owner.items):
        cx.raise_("IndexError", f"{'list' if owner.mutable else 'tuple'} index out of range")
        return Static(None)
    return owner.items[i]


def _uniform_numbers(owner: Tup) -> bool:
    kinds = {(x.dtype, x.weak) if isinstance(x, Num) else None for x in owner.items}
    return len(kinds) == 1 and None not in kinds


def _pick(cx: Lowering, owner: Tup, e: Expr) -> Value:
    """An item of a tuple of equal types at a run-time index."""
    if not owner.items or not _uniform_numbers(owner):
        if owner.mutable and owner.site is not None:
            cx.objects.grow(cx, owner)
        return cx.objects.get_item(cx, cx.objects.make(cx, owner), Num(e, True))  # type: ignore[no-any-return]
    n = len(owner.items)
    text = f"{'list' if owner.mutable else 'tuple'} index out of range"
    cx.check(symbolic.conj(symbolic.ge(e, const(-n)), symbolic.lt(e, const(n))), "IndexError", text)
    e = cx.let(symbolic.select(symbolic.lt(e, const(0)), symbolic.add(e, const(n)), e), "k")
    numbers = [x for x in owner.items if isinstance(x, Num)]
    result = numbers[-1].expr
    for k in range(n - 2, -1, -1):
        result = Op("select", (symbolic.eq(e, const(k)), numbers[k].expr, result), result.dtype)
    return Num(result, numbers[0].weak)


def _get_range(cx: Lowering, r: RangeVal, index: Value) -> Value:
    n = cx.range_length(r.start, r.stop, r.step)
    if isinstance(index, SliceVal):
        start, step, count = slice_of(cx, index, n)
        first = symbolic.add(r.start, symbolic.mul(r.step, start))
        s = symbolic.mul(r.step, step)
        return RangeVal(first, symbolic.add(first, symbolic.mul(s, count)), s)
    e = integer_index(cx, index)
    cx.check(
        symbolic.conj(symbolic.ge(e, symbolic.neg(n)), symbolic.lt(e, n)),
        "IndexError",
        "range object index out of range",
    )
    e = symbolic.select(symbolic.lt(e, const(0)), symbolic.add(e, n), e)
    return Num(symbolic.add(r.start, symbolic.mul(r.step, e)), True)


# --- the whole index --------------------------------------------------------------------------------------------------


def expand(cx: Lowering, index: Value, ndim: int) -> list[Value]:
    """The parts of a subscript, with Ellipsis and missing dimensions replaced by full slices."""
    given = list(index.items) if isinstance(index, Tup) and not index.mutable else [index]
    parts = [_index_array(cx, p) if isinstance(p, Tup) else p for p in given]
    out: list[Value] = []
    used = sum(_consumes(p) for p in parts)
    if sum(1 for p in parts if isinstance(p, Static) and p.obj is Ellipsis) > 1:
        cx.raise_("IndexError", "an index can only have a single ellipsis ('...')")
    full = SliceVal(None, None, None)
    if used > ndim:
        cx.raise_("IndexError", f"too many indices for array: array is {ndim}-dimensional, but {used} were indexed")
        return [full] * ndim
    seen = False
    for p in parts:
        if isinstance(p, Static) and p.obj is Ellipsis:
            if not seen:
                out.extend([full] * (ndim - used) or [p])  # even for no axis it keeps index arrays apart
            seen = True
            continue
        if isinstance(p, Static) and isinstance(p.obj, slice):
            p = SliceVal(*[None if x is None else constant(cx, x) for x in (p.obj.start, p.obj.stop, p.obj.step)])
        no_index = isinstance(p, Num) and not p.dtype.is_int and p.dtype is not b1
        if no_index or (isinstance(p, Static) and p.obj is not None):
            cx.raise_(
                "IndexError",
                "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid indices",
            )
            return [full] * ndim
        if isinstance(p, (Arr, Lazy)) and p.dtype is not b1 and not p.dtype.is_int:
            cx.raise_("IndexError", "arrays used as indices must be of integer (or boolean) type")
            return [full] * ndim
        out.append(p)
    if not seen:
        out.extend([full] * (ndim - used))
    return out


def _index_array(cx: Lowering, p: Tup) -> Array:
    from soljit.frontend_ast.numpy_api.creation import array_of

    a = array_of(cx, p)
    return a if p.items else Lazy(i64, a.shape, lambda _: const(0), a.rank)


def _consumes(p: Value) -> int:
    if isinstance(p, Static) and (p.obj is None or p.obj is Ellipsis) or isinstance(p, Num) and p.dtype is b1:
        return 0
    if isinstance(p, (Arr, Lazy)) and p.dtype is b1:
        return p.ndim
    return 1


def _is_array_index(p: Value) -> bool:
    return isinstance(p, (Arr, Lazy)) and not (p.ndim == 0 and p.dtype.is_int) or isinstance(p, Num) and p.dtype is b1


def _get_array(cx: Lowering, a: Array, index: Value) -> Value:
    parts = expand(cx, index, a.ndim)
    if cx.current.done:
        return Num(cx.cast(Const(0, i64), a.dtype), False)
    if not any(_is_array_index(p) for p in parts):
        view = basic_view(cx, materialize(cx, a), parts)
        if view.ndim == 0 and not any(isinstance(p, Static) for p in parts) and not _has_ellipsis(index):
            return Num(view.element(()), False)
        if any(isinstance(p, (Arr, Lazy)) for p in parts):  # an integer that is an array makes a copy
            return copy_array(cx, view, k_order([view], view.ndim))
        return view
    if len(parts) == 1 and isinstance(parts[0], (Arr, Lazy)) and parts[0].dtype is b1 and a.ndim == parts[0].ndim:
        return compress(cx, a, parts[0])
    a = materialize(cx, a)
    gather = Gather.make(cx, a, parts)
    shape, element, arr = gather.shape, gather.at, gather.base
    return materialize(cx, Lazy(a.dtype, shape, lambda ix: arr.element(element(ix)), gather.rank))


def _has_ellipsis(index: Value) -> bool:
    parts = index.items if isinstance(index, Tup) else [index]
    return any(isinstance(p, Static) and p.obj is Ellipsis for p in parts)


# --- writing ----------------------------------------------------------------------------------------------------------


def _set_array(cx: Lowering, a: Arr, index: Value, value: Value) -> None:
    parts = expand(cx, index, a.ndim)
    if cx.current.done:
        return
    if not a.writable:
        cx.raise_("ValueError", "assignment destination is read-only")
        return
    if not any(_is_array_index(p) for p in parts):
        view = basic_view(cx, a, parts)
        if not cx.current.done:
            element = view.ndim == 0 and not any(isinstance(p, Static) for p in parts) and not _has_ellipsis(index)
            _store_in_view(cx, view, value, element)
        return
    value = _as_numeric(cx, value, a.dtype)
    if isinstance(value, Num) and value.weak:
        value = Num(as_element(cx, value, a.dtype), False)
    parts = [private(cx, a, p) if isinstance(p, Arr) else p for p in parts]
    if len(parts) == 1 and isinstance(parts[0], (Arr, Lazy)) and parts[0].dtype is b1 and a.ndim == parts[0].ndim:
        store_masked(cx, a, parts[0], value)
        return
    gather = Gather.make(cx, a, parts)
    if not isinstance(value, Num):
        value = private(cx, a, value)
        shape = drop_leading_ones(cx, value.shape, len(gather.shape))
        skip = (const(0),) * (value.ndim - len(shape))
        fits = broadcast_into(
            cx,
            shape,
            gather.shape,
            "shape mismatch: value array of shape {0} could not be broadcast to indexing result of shape {1}",
        )
        if fits is None:
            return
    at, base = gather.at, gather.base

    def body(ix: Index) -> None:
        if isinstance(value, Num):
            code = value.expr
        else:
            assert fits is not None
            code = value.element((*skip, *fits(ix)))
        cx.emit(nodes.Tasklet(base.at(at(ix)), cx.cast(code, a.dtype)))

    nest_loops(cx, gather.shape, body)


def _element_of(cx: Lowering, value: Value, dtype: DType) -> Value | None:
    """What is put into one element; None if it raises, as an example tells."""
    if isinstance(value, (Arr, Lazy)) and value.ndim == 0 or not isinstance(value, (Arr, Lazy, Tup)):
        return value
    if dtype is b1:  # its truth value
        if isinstance(value, Tup):
            return Num(TRUE if value.items else FALSE, True)
        one = symbolic.eq(cx.size_of(value.shape), const(1))
        cx.check(one, "ValueError", "setting an array element with a sequence.")
        return Num(truth(cx, value.element((const(0),) * value.ndim)), False)
    example = np.zeros(1, dtype.numpy)
    kinds: dict[bool, Any] = {True: [1], False: (1,)}
    try:
        example[0] = kinds[value.mutable] if isinstance(value, Tup) else np.ones(1)
    except (TypeError, ValueError) as e:
        cx.raise_(type(e).__name__, str(e))
    return None


def _store_in_view(cx: Lowering, view: Arr, value: Value, element: bool) -> None:
    """`view[...] = value`; what does not fit a single element raises otherwise than what does not fit an array."""
    sequence = isinstance(value, Tup)
    if element and not isinstance(value, Num):
        converted = _element_of(cx, value, view.dtype)
        if converted is None:
            return
        value = converted
    x = _as_numeric(cx, value, view.dtype)
    if isinstance(x, Num):
        x = Num(as_element(cx, x, view.dtype), False)
    elif sequence and x.ndim > view.ndim:
        text = f"setting an array element with a sequence. The requested array would exceed the maximum number of dimension of {view.ndim}."
        cx.raise_("ValueError", text)
        return
    store(cx, view, x)
