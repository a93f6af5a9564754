"""Subscripts, read and written: integers, slices, newaxis, Ellipsis, masks and integer arrays, in any mixture.

Basic indexing makes a view (an `Arr` over the same container) or, when no dimension is left, a number. Indexing with arrays makes
a copy. Bounds are checked before anything is read or written, once per array index.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from soljit.base.errors import UnsupportedError
from soljit.frontend_ast.elementwise import (
    Index,
    broadcast,
    broadcast_into,
    check_weak_int,
    copy_array,
    materialize,
    overlaps,
    store,
)
from soljit.frontend_ast.lowering import Block, Lowering
from soljit.frontend_ast.operators import describe
from soljit.frontend_ast.python_numbers import constant, py_type
from soljit.frontend_ast.values import (
    Arr,
    Array,
    Dict,
    Dim,
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
from soljit.ir.expr import Const, Expr, Op, Sym, const
from soljit.ir.types import b1, i64

_ALL: tuple[Expr, Expr] = (const(0), const(1))  # start and step of a full slice


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
                cx.raise_("KeyError", repr(key))
                return Static(None)
            return owner.items[key]
        case Static() if isinstance(owner.obj, (str, bytes, dict)):
            try:
                place: Any = _static_key(cx, index)
                return constant(cx, owner.obj[place])
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
        case Arr():
            _set_array(cx, owner, index, _as_numeric(cx, value))
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
                raise cx.unsupported("changing a dict that is an argument", "return a new dict")
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


def _constant_index(cx: Lowering, index: Value) -> int | None:
    e = _int(cx, index)
    return int(e.value.real) if isinstance(e, Const) else None


def refuse_argument(cx: Lowering, owner: Tup) -> None:
    """Lists that are arguments were copied into compiled code: changing them would not be seen by the caller."""
    if owner.home < 0:
        raise cx.unsupported("changing a list that is an argument", "pass an array, or return a new list")


def _as_numeric(cx: Lowering, value: Value) -> Num | Array:
    if isinstance(value, (Num, Arr, Lazy)):
        return value
    if isinstance(value, Tup):
        from soljit.frontend_ast.numpy_api.creation import array_of

        return array_of(cx, value)
    raise cx.unsupported(f"storing {describe(value)} in an array")


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


def _int(cx: Lowering, v: Value) -> Expr:
    if isinstance(v, Num) and (v.dtype.is_int or v.dtype is b1):
        return cx.cast(v.expr, i64)
    if isinstance(v, (Arr, Lazy)) and v.ndim == 0 and v.dtype.is_int:
        return cx.cast(v.element(()), i64)
    raise cx.unsupported(f"an index of type {describe(v)}")


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
        return cx.objects.list_of(cx, items) if owner.mutable else Tup(items)  # type: ignore[no-any-return]
    e = _int(cx, index)
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
    e = _int(cx, index)
    cx.check(
        symbolic.conj(symbolic.ge(e, symbolic.neg(n)), symbolic.lt(e, n)),
        "IndexError",
        "range object index out of range",
    )
    e = symbolic.select(symbolic.lt(e, const(0)), symbolic.add(e, n), e)
    return Num(symbolic.add(r.start, symbolic.mul(r.step, e)), True)


# --- one subscript ----------------------------------------------------------------------------------------------------


def position(cx: Lowering, e: Expr, n: Expr, axis: int, message: str = "") -> Expr:
    """A checked, non-negative index into a dimension of length n."""
    message = message or f"index {{0}} is out of bounds for axis {axis} with size {{1}}"
    e = symbolic.simplify(e)
    if cx.decide(symbolic.ge(e, const(0))):
        cx.check(symbolic.lt(e, n), "IndexError", message, [e, n])
        return e
    if cx.decide(symbolic.lt(e, const(0))):
        cx.check(symbolic.ge(e, symbolic.neg(n)), "IndexError", message, [e, n])
        return symbolic.add(e, n)
    e = cx.let(e, "k")
    cx.check(symbolic.conj(symbolic.ge(e, symbolic.neg(n)), symbolic.lt(e, n)), "IndexError", message, [e, n])
    k = Op("select", (symbolic.lt(e, const(0)), symbolic.add(e, n), e), i64)
    name = cx.fresh("k")
    cx.emit(nodes.Let(name, k))
    cx.facts = cx.facts.with_range(name, const(0), n)
    return Sym(name)


def slice_of(cx: Lowering, s: SliceVal, n: Expr) -> tuple[Expr, Expr, Expr]:
    """(start, step, length) of a slice of a dimension of length n; the step is a constant."""
    step = 1 if s.step is None else cx.static_int(_int(cx, s.step))
    if step is None:
        assert s.step is not None
        return _slice_by(cx, s, cx.let(_int(cx, s.step), "step"), n)
    if step == 0:
        cx.raise_("ValueError", "slice step cannot be zero")
        step = 1
    lo, hi = (const(0), n) if step > 0 else (const(-1), symbolic.sub(n, const(1)))
    start = (lo if step > 0 else hi) if s.start is None else clip(cx, _int(cx, s.start), n, lo, hi)
    stop = (hi if step > 0 else lo) if s.stop is None else clip(cx, _int(cx, s.stop), n, lo, hi)
    if step < 0:  # counted downwards: range_length handles it, stop may be -1
        count = cx.range_length(start, stop, const(step))
        return start, const(step), count
    return start, const(step), cx.range_length(start, stop, const(step))


def _slice_by(cx: Lowering, s: SliceVal, step: Expr, n: Expr) -> tuple[Expr, Expr, Expr]:
    """A slice whose step is known only at run time; its sign must be known."""
    cx.check(symbolic.ne(step, const(0)), "ValueError", "slice step cannot be zero")
    up = cx.decide(symbolic.gt(step, const(0)))
    if up is None:
        raise cx.unsupported("a slice step whose sign is not known at compile time")
    lo, hi = (const(0), n) if up else (const(-1), symbolic.sub(n, const(1)))
    start = (lo if up else hi) if s.start is None else clip(cx, _int(cx, s.start), n, lo, hi)
    stop = (hi if up else lo) if s.stop is None else clip(cx, _int(cx, s.stop), n, lo, hi)
    count = cx.let(cx.range_length(start, stop, step), "count")
    cx.facts = cx.facts.with_size(count) if isinstance(count, Sym) else cx.facts
    return start, step, count


def clip(cx: Lowering, e: Expr, n: Expr, lo: Expr, hi: Expr) -> Expr:
    """A slice bound: negative ones count from the end, then clamped to lo..hi."""
    e = symbolic.simplify(e)
    sign = cx.settle(symbolic.ge(e, const(0)))
    if sign is None:
        e = cx.let(Op("select", (symbolic.lt(e, const(0)), symbolic.add(e, n), e), i64), "bound")
    elif sign is False:
        e = symbolic.add(e, n)
    if sign is not True:
        low = cx.settle(symbolic.ge(e, lo))
        e = e if low else lo if low is False else cx.facts.maximum(e, lo)
    high = cx.settle(symbolic.le(e, hi))
    return e if high else hi if high is False else cx.facts.minimum(e, hi)


# --- the whole index --------------------------------------------------------------------------------------------------


def expand(cx: Lowering, index: Value, ndim: int) -> list[Value]:
    """The parts of a subscript, with Ellipsis and missing dimensions replaced by full slices."""
    parts = list(index.items) if isinstance(index, Tup) and not index.mutable else [index]
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
                out.extend([full] * (ndim - used))
            seen = True
            continue
        if isinstance(p, Tup):
            from soljit.frontend_ast.numpy_api.creation import array_of

            a = array_of(cx, p)
            p = a if p.items else Lazy(i64, a.shape, lambda _: const(0), a.rank)
        if isinstance(p, Static) and isinstance(p.obj, slice):
            p = SliceVal(*[None if x is None else constant(cx, x) for x in (p.obj.start, p.obj.stop, p.obj.step)])
        if isinstance(p, Num) and p.dtype is b1:
            raise cx.unsupported("a bool as index of an array", "use a mask array, or an if")
        if isinstance(p, Num) and not p.dtype.is_int:
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


def _consumes(p: Value) -> int:
    if isinstance(p, Static) and (p.obj is None or p.obj is Ellipsis):
        return 0
    if isinstance(p, (Arr, Lazy)) and p.dtype is b1:
        return p.ndim
    return 1


def _is_array_index(p: Value) -> bool:
    return isinstance(p, (Arr, Lazy)) and not (p.ndim == 0 and p.dtype.is_int)


def _get_array(cx: Lowering, a: Array, index: Value) -> Value:
    parts = expand(cx, index, a.ndim)
    if cx.current.done:
        return Num(cx.cast(Const(0, i64), a.dtype), False)
    if not any(_is_array_index(p) for p in parts):
        view = basic_view(cx, materialize(cx, a), parts)
        if view.ndim == 0 and not any(isinstance(p, Static) for p in parts) and not _has_ellipsis(index):
            return Num(view.element(()), False)
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


def basic_view(cx: Lowering, a: Arr, parts: list[Value]) -> Arr:
    """The view that integers, slices and newaxis select."""
    rules: list[tuple[Expr, Expr, int]] = []  # per old axis: offset, step, new axis
    shape: list[Expr] = []
    source: list[int] = []  # per new axis: old axis or -1
    axis = 0
    for p in parts:
        if isinstance(p, Static):
            shape.append(const(1))
            source.append(-1)
            continue
        n = a.shape[axis]
        if isinstance(p, SliceVal):
            if p.start is None and p.stop is None and p.step is None:
                start, step, count = _ALL[0], _ALL[1], n
            else:
                start, step, count = slice_of(cx, p, n)
            rules.append((start, step, len(shape)))
            shape.append(count)
            source.append(axis)
        else:
            rules.append((position(cx, _int(cx, p), n, axis), const(0), -1))
        axis += 1
    dims = []
    for d in a.dims:
        if d.axis < 0:
            dims.append(d)
            continue
        offset, by, new = rules[d.axis]
        at = symbolic.add(d.offset, symbolic.mul(d.step, offset))
        dims.append(Dim(at, symbolic.mul(d.step, by) if new >= 0 else const(1), new))
    return replace(a, shape=tuple(shape), dims=tuple(dims), rank=view_rank(a.rank, source), whole=False)


def view_rank(old: tuple[int, ...], source: list[int]) -> tuple[int, ...]:
    """Memory order of the new axes, given which old axis each came from."""
    new_of = {s: k for k, s in enumerate(source) if s >= 0}
    kept = [new_of[o] for o in old if o in new_of]
    if kept == sorted(kept):
        return tuple(range(len(source)))
    return (*kept, *(k for k, s in enumerate(source) if s < 0))


@dataclass
class Gather:
    """Indexing with integer arrays: the result's shape, and for each index of the result the index into `base`."""

    base: Arr
    shape: Index
    at: Callable[[Index], Index]
    rank: tuple[int, ...] = ()  # NumPy's memory order of the result: the indexed axes are the slowest

    @staticmethod
    def make(cx: Lowering, a: Arr, parts: list[Value]) -> Gather:
        parts = _masks_to_indices(cx, parts)
        arrays: list[Array | Num] = []
        slots: list[tuple[str, int]] = []  # per part: ("array", k) or ("basic", k)
        basic: list[Value] = []
        keep: list[int] = []
        axis = 0
        positions: list[int] = []
        for k, p in enumerate(parts):
            if isinstance(p, (Num, Arr, Lazy)):
                slots.append(("array", len(arrays)))
                arrays.append(p if isinstance(p, Num) else materialize(cx, p))
                basic.append(SliceVal(None, None, None))
                keep.append(axis)
                positions.append(k)
                axis += 1
            else:
                slots.append(("basic", k))
                basic.append(p)
                axis += not isinstance(p, Static)
        view = basic_view(cx, a, basic)  # array-indexed axes are still whole
        where = [k for k, s in enumerate(slots) if s[0] == "array"]
        shapes = [() if isinstance(x, Num) else x.shape for x in arrays]
        shape, maps = broadcast(
            cx, shapes, "IndexError", "shape mismatch: indexing arrays could not be broadcast together with shapes"
        )
        for v, k in enumerate(where):
            arrays[v] = check_indices(cx, arrays[v], view.shape[k], keep[v])
        adjacent = positions == list(range(positions[0], positions[-1] + 1))
        first = where[0] if adjacent else 0
        rest = [k for k in range(len(slots)) if slots[k][0] == "basic"]
        before = [k for k in rest if k < first] if adjacent else []
        after = [k for k in rest if k not in before]
        out_shape = (*(view.shape[k] for k in before), *shape, *(view.shape[k] for k in after))
        n, m = len(before), len(shape)

        def at(index: Index) -> Index:
            inner = index[n : n + m]
            out: list[Expr] = [const(0)] * len(slots)
            for v, k in enumerate(where):
                x = arrays[v]
                e = x.expr if isinstance(x, Num) else cx.cast(x.element(maps[v](inner)), i64)
                out[k] = wrapped(cx, e, view.shape[k])
            for k, i in zip(before, index[:n]):
                out[k] = i
            for k, i in zip(after, index[n + m :]):
                out[k] = i
            return tuple(out)

        fancy = tuple(range(n, n + m))
        rank = (*fancy, *range(n), *range(n + m, len(out_shape)))
        return Gather(view, out_shape, at, rank)


def wrapped(cx: Lowering, e: Expr, n: Expr) -> Expr:
    """A checked index, negative ones counted from the end."""
    if cx.prove(symbolic.ge(e, const(0))):
        return e
    e = cx.let(e, "k")
    return cx.let(Op("select", (Op("lt", (e, const(0)), b1), Op("add", (e, n), i64), e), i64), "k")


def _masks_to_indices(cx: Lowering, parts: list[Value]) -> list[Value]:
    out: list[Value] = []
    for p in parts:
        if isinstance(p, (Arr, Lazy)) and p.dtype is b1:
            from soljit.frontend_ast.numpy_api.selection import nonzero_arrays

            out.extend(nonzero_arrays(cx, p))
        else:
            out.append(p)
    return out


def check_indices(cx: Lowering, x: Array | Num, n: Expr, axis: int) -> Array | Num:
    """Raise IndexError if an index leaves -n..n-1."""
    text = f"index {{0}} is out of bounds for axis {axis} with size {{1}}"
    if isinstance(x, Num):
        return Num(position(cx, cx.cast(x.expr, i64), n, axis), True)
    if x.dtype.kind == "u" and cx.prove(symbolic.ge(n, const(x.dtype.highest + 1))):
        return x
    bad = cx.scalar(b1, "bad")
    cx.write(bad, Const(False, b1))
    with cx.map(x.shape, x.rank) as ix:
        e = cx.let(cx.cast(x.element(ix), i64), "k")
        out = Op("lor", (Op("lt", (e, symbolic.neg(n)), b1), Op("ge", (e, n), b1)), b1)
        cx.write(bad, out, "lor")
    with cx.block() as failed:
        _raise_first(cx, x, n, text)
    cx.branch(cx.read(bad), failed)
    return x


def _raise_first(cx: Lowering, x: Array, n: Expr, text: str) -> None:
    """Find the first bad index in C order and raise for it."""

    def nest(k: int, ix: Index) -> None:
        if k == x.ndim:
            e = cx.let(cx.cast(x.element(ix), i64), "k")
            with cx.block() as failed:
                cx.raise_("IndexError", text, [e, n])
            cx.branch(Op("lor", (Op("lt", (e, symbolic.neg(n)), b1), Op("ge", (e, n), b1)), b1), failed)
            return
        with cx.loop(x.shape[k]) as i:
            nest(k + 1, (*ix, i))

    nest(0, ())


def nest_loops(cx: Lowering, shape: Index, body: Callable[[Index], None], done: Index = ()) -> None:
    """Sequential loops over an index space in C order; `body(index)` emits the innermost statements."""
    if len(done) == len(shape):
        body(done)
        return
    with cx.loop(shape[len(done)]) as i:
        nest_loops(cx, shape, body, (*done, i))


def check_mask(cx: Lowering, a: Array, mask: Array) -> None:
    """A mask must have the shape of what it selects from."""
    for k, (n, m) in enumerate(zip(a.shape, mask.shape)):
        text = f"boolean index did not match indexed array along axis {k}; size of axis is {{0}} but size of corresponding boolean axis is {{1}}"
        if n != m:
            cx.check(symbolic.eq(n, m), "IndexError", text, [n, m])


def compress(cx: Lowering, a: Array, mask: Array) -> Arr:
    """`a[mask]` with a mask of the same rank: count, allocate, pack in C order."""
    check_mask(cx, a, mask)
    mask = materialize(cx, mask, "mask")
    count = cx.scalar(i64, "count")
    cx.write(count, const(0))
    with cx.map(mask.shape) as ix:
        cx.write(count, cx.cast(mask.element(ix), i64), "add")
    name = cx.fresh("n")
    cx.emit(nodes.Let(name, cx.read(count)))
    n = Sym(name)
    total = cx.size_of(mask.shape)
    cx.facts = cx.facts.with_size(name).assume(symbolic.le(n, total))
    out = cx.alloc(a.dtype, (n,))
    k = cx.scalar(i64, "k")
    cx.write(k, const(0))

    def body(ix: Index) -> None:
        with cx.block() as take:
            at = cx.read(k)
            cx.emit(nodes.Tasklet(out.at((at,)), a.element(ix)))
            cx.write(k, Op("add", (cx.read(k), const(1)), i64))
        cx.branch(mask.element(ix), take)

    nest_loops(cx, mask.shape, body)
    return out


# --- writing ----------------------------------------------------------------------------------------------------------


def _set_array(cx: Lowering, a: Arr, index: Value, value: Num | Array) -> None:
    parts = expand(cx, index, a.ndim)
    if cx.current.done:
        return
    if not a.writable:
        cx.raise_("ValueError", "assignment destination is read-only")
        return
    if not any(_is_array_index(p) for p in parts):
        store(cx, basic_view(cx, a, parts), value)
        return
    if isinstance(value, Num) and value.weak and value.dtype is i64 and a.dtype.is_int:
        check_weak_int(cx, value.expr, a.dtype)
    if len(parts) == 1 and isinstance(parts[0], (Arr, Lazy)) and parts[0].dtype is b1 and a.ndim == parts[0].ndim:
        _store_masked(cx, a, parts[0], value)
        return
    gather = Gather.make(cx, a, parts)
    if not isinstance(value, Num):
        value = _private(cx, a, value)
        fits = broadcast_into(
            cx,
            value.shape,
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
            code = value.element(fits(ix))
        cx.emit(nodes.Tasklet(base.at(at(ix)), cx.cast(code, a.dtype)))

    nest_loops(cx, gather.shape, body)


def _private(cx: Lowering, a: Arr, value: Array) -> Array:
    """The value, copied if it may share memory with the target."""

    if isinstance(value, Lazy):
        return materialize(cx, value)
    return copy_array(cx, value, value.rank) if value.data in cx.alias_of(a.data) else value


def _store_masked(cx: Lowering, a: Arr, mask: Array, value: Num | Array) -> None:
    check_mask(cx, a, mask)
    if isinstance(mask, Arr) and mask.data in cx.alias_of(a.data):
        mask = _private(cx, a, mask)
    if isinstance(value, Num) or (value.ndim <= 1 and all(cx.decide(symbolic.eq(s, const(1))) for s in value.shape)):
        code = value.expr if isinstance(value, Num) else value.element(tuple(const(0) for _ in value.shape))
        code = cx.let(cx.cast(code, a.dtype), "value")
        with cx.map(a.shape, a.rank) as ix:
            cond = mask.element(ix)
            with cx.block() as yes:
                cx.emit(nodes.Tasklet(a.at(ix), code))
            cx.branch(cond, yes)
            body = cx.current
            out = a.at(ix)
        if overlaps(cx, out, cond, _only_lets(body)):
            cx.current.items.pop()
            _store_masked(cx, a, materialize(cx, mask), value)
        return
    mask = materialize(cx, mask, "mask")
    value = _private(cx, a, value)
    if value.ndim > 1:
        raise cx.unsupported("a mask assignment from an array of more than one dimension")
    count = cx.scalar(i64, "count")
    cx.write(count, const(0))
    with cx.map(mask.shape) as ix:
        cx.write(count, cx.cast(mask.element(ix), i64), "add")
    n = cx.let(cx.read(count), "n")
    m = value.shape[0]
    text = "NumPy boolean array indexing assignment cannot assign {0} input values to the {1} output values where the mask is true"
    one = symbolic.eq(m, const(1))
    cx.check(symbolic.disj(symbolic.eq(n, m), one), "ValueError", text, [m, n])
    step = const(1) if cx.prove(one) is False else cx.let(Op("select", (one, const(0), const(1)), i64), "step")
    k = cx.scalar(i64, "k")
    cx.write(k, const(0))
    source, target = value, a

    def put(ix: Index) -> None:
        with cx.block() as yes:
            cx.emit(nodes.Tasklet(target.at(ix), cx.cast(source.element((cx.read(k),)), target.dtype)))
            cx.write(k, Op("add", (cx.read(k), step), i64))
        cx.branch(mask.element(ix), yes)

    nest_loops(cx, a.shape, put)


def _only_lets(body: Block) -> Block:
    """The block without the guarded store, for the overlap test of the condition."""
    b = Block()
    b.items.extend(n for n in body.items if isinstance(n, nodes.Let))
    return b
