"""Indexing with arrays: integer arrays and masks, read and written."""

from __future__ import annotations

from collections.abc import Callable

from soljit.base.records import dataclass
from soljit.frontend_ast.arrays.axis_order import copy_order, k_order
from soljit.frontend_ast.arrays.elementwise import Index, broadcast, copy_array, materialize, overlaps, truth
from soljit.frontend_ast.lowering.blocks import Block
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.written_since import unchanged_since
from soljit.frontend_ast.values import numpy_versions
from soljit.frontend_ast.values.values import Arr, Array, Lazy, Num, SliceVal, Static, Value
from soljit.frontend_ast.views.subscripts import basic_view, position
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.expr import Const, Expr, Op, Sym, const
from soljit.ir.core.types import b1, i64


@dataclass
class Gather:
    """Indexing with integer arrays: the result's shape, and for each index of the result the index into `base`."""

    base: Arr
    shape: Index
    at: Callable[[Index], Index]
    rank: tuple[int, ...] = ()  # NumPy's memory order of the result: the indexed axes are the slowest

    @staticmethod
    def make(
        cx: Lowering,
        a: Arr,
        parts: list[Value],
        first_check: Callable[[Index], None] | None = None,
        unchecked: bool = numpy_versions.EMPTY_RESULTS_ARE_UNCHECKED,
    ) -> Gather:
        """An indexing expression.

        first_check: of what is to be stored, with the shape of the result; NumPy looks at index arrays after that
        unchecked: indices may be out of bounds where the result has no elements
        """
        parts = _masks_to_indices(cx, a, parts)
        arrays: list[Array | Num] = []
        slots: list[tuple[str, int]] = []  # per part: ("array", k) or ("basic", k)
        basic: list[Value] = []
        keep: list[int] = []
        axis = 0
        positions: list[int] = []
        for k, p in enumerate(parts):
            if isinstance(p, Static) and p.obj is Ellipsis:  # stands for no axis
                continue
            if isinstance(p, Num) and p.dtype is b1:  # a new axis of length 1, taken once or not at all
                slots.append(("array", len(arrays)))
                arrays.append(Lazy(i64, (cx.let(cx.cast(p.expr, i64), "n"),), lambda _: const(0), (0,)))
                basic.append(Static(None))
                keep.append(-1)
                positions.append(k)
            elif isinstance(p, (Num, Arr, Lazy)):
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
        for v, k in enumerate(where):
            if keep[v] >= 0 and not shapes[v]:
                arrays[v] = check_indices(cx, arrays[v], view.shape[k], keep[v])
        stretched = [k for k, s in enumerate(shapes) if s]  # NumPy's message names no others
        shape, found = broadcast(
            cx,
            [shapes[k] for k in stretched],
            "IndexError",
            "shape mismatch: indexing arrays could not be broadcast together with shapes",
        )
        maps: list[Callable[[Index], Index]] = [lambda _: () for _ in shapes]
        for k, rule in zip(stretched, found):
            maps[k] = rule
        adjacent = positions == list(range(positions[0], positions[-1] + 1))
        first = where[0] if adjacent else 0
        rest = [k for k in range(len(slots)) if slots[k][0] == "basic"]
        before = [k for k in rest if k < first] if adjacent else []
        after = [k for k in rest if k not in before]
        out_shape = (*(view.shape[k] for k in before), *shape, *(view.shape[k] for k in after))
        if first_check is not None:
            first_check(out_shape)
        unchecked = unchecked and bool(rest)  # without other axes there is nothing to check where there is no result
        some = symbolic.gt(
            cx.size_of(out_shape if unchecked else shape), const(0)
        )  # what is broadcast away is not checked
        with cx.block() as checks:
            for v, k in enumerate(where):
                if keep[v] >= 0 and shapes[v]:
                    check_indices(cx, arrays[v], view.shape[k], keep[v])
        if (not unchecked and all(shapes[k] == shape for k in stretched)) or cx.prove(some):
            for node in checks.items:
                cx.emit(node)
        else:
            cx.branch(some, checks)
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

        own = k_order(cx, [x for x in arrays if not isinstance(x, Num)], m)
        if own != tuple(range(m)) and not cx.decide(symbolic.eq(cx.size_of([view.shape[k] for k in rest]), const(1))):
            own = tuple(
                range(m)
            )  # NumPy iterates over the index arrays in their own order where they choose single elements
        place = {k: j for j, k in enumerate(before)} | {k: n + m + j for j, k in enumerate(after)}
        rank = (*(n + k for k in own), *(place[k] for k in copy_order(cx, view) if k in place))
        return Gather(view, out_shape, at, rank)


def wrapped(cx: Lowering, e: Expr, n: Expr) -> Expr:
    """A checked index, negative ones counted from the end."""
    if cx.prove(symbolic.ge(e, const(0))):
        return e
    e = cx.let(e, "k")
    return cx.let(Op("select", (Op("lt", (e, const(0)), b1), Op("add", (e, n), i64), e), i64), "k")


def _masks_to_indices(cx: Lowering, a: Arr, parts: list[Value]) -> list[Value]:
    out: list[Value] = []
    axis = 0
    for p in parts:
        if isinstance(p, (Arr, Lazy)) and p.dtype is b1:
            check_mask(cx, a.shape, p, axis)
            axis += p.ndim
        elif not isinstance(p, Static) and not (isinstance(p, Num) and p.dtype is b1):
            axis += 1
    for p in parts:
        if isinstance(p, (Arr, Lazy)) and p.dtype is b1:
            out.extend(nonzero_arrays(cx, p) if p.ndim else [Num(cx.let(p.element(())), False)])
        else:
            out.append(p)
    return out


def check_indices(cx: Lowering, x: Array | Num, n: Expr, axis: int, text: str = "") -> Array | Num:
    """Raise IndexError if an index leaves -n..n-1."""
    text = text or f"index {{0}} is out of bounds for axis {axis} with size {{1}}"
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


def check_mask(cx: Lowering, shape: Index, mask: Array, first: int = 0) -> bool:
    """Check that a mask has the shape of what it selects from, along the axes from `first` on.

    An axis of the mask without elements fits any other, too.
    """
    same = True
    for k, (n, m) in enumerate(zip(shape[first:], mask.shape), first):
        text = f"boolean index did not match indexed array along axis {k}; size of axis is {{0}} but size of corresponding boolean axis is {{1}}"
        known = cx.same_size(n, m)
        if not known:
            same = False
            none = symbolic.eq(m, const(0))
            fits = none if known is False else symbolic.disj(symbolic.eq(n, m), none)
            cx.check(fits, "IndexError", text, [n, m])
    return same


def compress(cx: Lowering, a: Array, mask: Array) -> Arr:
    """`a[mask]` with a mask of the same rank: count, allocate, pack in C order."""
    check_mask(cx, a.shape, mask)
    mask = materialize(cx, mask, "mask")
    n = count_true(cx, mask)
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


def count_true(cx: Lowering, mask: Arr) -> Sym:
    """The number of true elements (those that are not 0), counted again only if the mask may have changed."""
    key = (mask.data, mask.dims, mask.shape)
    known = cx.counts.get(key)
    if known is not None and unchanged_since(cx, known[1], known[0], mask.data):
        return known[2]
    count = cx.scalar(i64, "count")
    cx.write(count, const(0))
    with cx.map(mask.shape) as ix:
        cx.write(count, cx.cast(truth(cx, mask.element(ix)), i64), "add")
    name = cx.fresh("n")
    cx.emit(nodes.Let(name, cx.read(count)))
    n = Sym(name)
    cx.facts = cx.facts.with_size(name).assume(symbolic.le(n, cx.size_of(mask.shape)))
    if not cx.current.done:
        cx.counts[key] = (cx.current, cx.current.items[-1], n)
    return n


def nonzero_arrays(cx: Lowering, mask: Array, together: bool = False) -> list[Arr]:
    """The index arrays of the true elements, in C order; `together`: columns of one array, as np.nonzero makes them."""
    m = materialize(cx, mask, "mask")
    n = count_true(cx, m)
    if together:
        table = cx.alloc(i64, (n, const(m.ndim)), hint="index")
        column = SliceVal(None, None, None)
        outs = [basic_view(cx, table, [column, Num(const(d), True)]) for d in range(m.ndim)]
    else:
        outs = [cx.alloc(i64, (n,), hint="index") for _ in m.shape]
    k = cx.scalar(i64, "k")
    cx.write(k, const(0))

    def body(ix: Index) -> None:
        with cx.block() as take:
            for out, i in zip(outs, ix):
                cx.emit(nodes.Tasklet(out.at((cx.read(k),)), i))
            cx.write(k, Op("add", (cx.read(k), const(1)), i64))
        cx.branch(truth(cx, m.element(ix)), take)

    nest_loops(cx, m.shape, body)
    return outs


def private(cx: Lowering, a: Arr, value: Array) -> Array:
    """The value, copied if it may share memory with the target."""
    if isinstance(value, Lazy):
        return materialize(cx, value)
    return copy_array(cx, value, value.rank) if value.data in cx.alias_of(a.data) else value


def store_masked(cx: Lowering, a: Arr, mask: Array, value: Num | Array) -> None:
    same = check_mask(cx, a.shape, mask)
    if cx.current.done:
        return
    shape = a.shape if same else mask.shape
    if isinstance(mask, Arr) and mask.data in cx.alias_of(a.data):
        mask = private(cx, a, mask)
    if isinstance(value, Num) or (value.ndim <= 1 and all(cx.decide(symbolic.eq(s, const(1))) for s in value.shape)):
        code = value.expr if isinstance(value, Num) else value.element(tuple(const(0) for _ in value.shape))
        code = cx.let(cx.cast(code, a.dtype), "value")
        with cx.map(shape, a.rank) as ix:
            cond = mask.element(ix)
            with cx.block() as yes:
                cx.emit(nodes.Tasklet(a.at(ix), code))
            cx.branch(cond, yes)
            body = cx.current
            out = a.at(ix)
        if overlaps(cx, out, cond, _only_lets(body)):
            cx.current.items.pop()
            store_masked(cx, a, materialize(cx, mask), value)
        return
    mask = materialize(cx, mask, "mask")
    value = private(cx, a, value)
    if value.ndim > 1:
        text = "NumPy boolean array indexing assignment requires a 0 or 1-dimensional input"
        cx.raise_("TypeError", f"{text}, input has {value.ndim} dimensions")
        return
    count = cx.scalar(i64, "count")
    cx.write(count, const(0))
    with cx.map(mask.shape) as ix:
        cx.write(count, cx.cast(mask.element(ix), i64), "add")
    n = cx.let(cx.read(count), "n")
    m = value.shape[0]
    text = "NumPy boolean array indexing assignment cannot assign {0} input values to the {1} output values where the mask is true"
    if not same:
        text = "shape mismatch: value array of shape ({0},) could not be broadcast to indexing result of shape ({1},)"
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

    nest_loops(cx, shape, put)


def _only_lets(body: Block) -> Block:
    """The block without the guarded store, for the overlap test of the condition."""
    b = Block()
    b.items.extend(n for n in body.items if isinstance(n, nodes.Let))
    return b
