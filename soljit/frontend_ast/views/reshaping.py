"""Views of other shapes: permuted, inserted, reversed and regrouped axes.

Permuting, adding, dropping and reversing axes rewrites the `Dim`s of an `Arr`. Merging or splitting axes needs another
descriptor of the same memory, a `View`, and is possible just where NumPy makes a view, too: each group of merged axes
lies in memory like one axis. Otherwise NumPy copies, and so does `reshaped`. Where only the run-time values can tell,
both are compiled.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from soljit.frontend_ast.arrays.array_variables import new_ref
from soljit.frontend_ast.arrays.elementwise import copy_array
from soljit.frontend_ast.arrays.object_identity import identity_of
from soljit.frontend_ast.arrays.strides import described, is_contiguous, linear_access, pinned, strided
from soljit.frontend_ast.joins.binding import named_array
from soljit.frontend_ast.joins.unions import choose
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values.array_identity import Identity
from soljit.frontend_ast.values.values import Arr, Dim, Value, full_view
from soljit.frontend_ast.views.subscripts import view_rank
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.data import View
from soljit.ir.core.expr import FALSE, TRUE, Expr, Op, const
from soljit.ir.core.types import i64

Shape = tuple[Expr, ...]
Groups = list[tuple[list[int], list[int]]]  # old axes that become new axes, in order


# --- views that only rename axes --------------------------------------------------------------------------------------


def rearranged(a: Arr, shape: Sequence[Expr], source: Sequence[int]) -> Arr:
    """The view whose axis k is axis `source[k]` of `a`, or new (-1). Axes that are not named must have length 1."""
    new_of = {old: k for k, old in enumerate(source) if old >= 0}
    dims = tuple(
        d if d.axis < 0 else Dim(d.offset, d.step if d.axis in new_of else const(1), new_of.get(d.axis, -1))
        for d in a.dims
    )
    units = tuple((new_of[k], s) for k, s in a.units if k in new_of)
    return replace(
        a, shape=tuple(shape), dims=dims, rank=view_rank(a.rank, list(source)), whole=False, made="", units=units
    )


def transposed(a: Arr, axes: Sequence[int]) -> Arr:
    """The view whose axis k is axis `axes[k]` of `a`."""
    place = {old: k for k, old in enumerate(axes)}
    dims = tuple(d if d.axis < 0 else replace(d, axis=place[d.axis]) for d in a.dims)
    shape = tuple(a.shape[k] for k in axes)
    units = tuple((place[k], s) for k, s in a.units)
    return replace(a, shape=shape, dims=dims, rank=tuple(place[k] for k in a.rank), whole=False, made="", units=units)


def insert_axes(a: Arr, axes: Sequence[int]) -> Arr:
    """The view with new axes of length 1 at these positions of the result."""
    ndim = a.ndim + len(axes)
    old = iter(range(a.ndim))
    source = [-1 if k in axes else next(old) for k in range(ndim)]
    return rearranged(a, [const(1) if s < 0 else a.shape[s] for s in source], source)


def with_units(cx: Lowering, a: Arr) -> Arr:
    """The view with the strides that NumPy's reshape gives to new axes of length 1: as if they stepped over all behind them."""
    strides = list(linear_access(cx, a)[1])
    new = set(range(a.ndim)) - {d.axis for d in a.dims}
    return replace(a, units=tuple((k, s) for k, s in enumerate(stepping(a.shape, strides, new)) if k in new))


def stepping(shape: Sequence[Expr], strides: Sequence[Expr], new: Collection[int]) -> list[Expr]:
    """The strides, of which those of the axes `new`, of length 1, step over all behind them; the last ones repeat the one before."""
    out = list(strides)
    old = [k for k in range(len(shape)) if k not in new]
    for k in reversed(range(len(shape))):
        if k in new:
            behind = bool(old) and k < old[-1]
            out[k] = symbolic.mul(shape[k + 1], out[k + 1]) if behind else strides[old[-1]] if old else const(1)
    return out


def flipped(a: Arr, axes: Sequence[int]) -> Arr:
    """The view that walks these axes backwards."""
    dims = []
    for d in a.dims:
        if d.axis in axes:
            last = symbolic.sub(a.shape[d.axis], const(1))
            d = Dim(symbolic.add(d.offset, symbolic.mul(d.step, last)), symbolic.neg(d.step), d.axis)
        dims.append(d)
    return replace(a, dims=tuple(dims), whole=False, made="")


# --- regrouping -------------------------------------------------------------------------------------------------------


def reshaped(cx: Lowering, a: Arr, shape: Sequence[Expr]) -> Arr:
    """`a` with another shape of as many elements, in C order: a view where NumPy makes one, else a copy."""
    shape = tuple(shape)
    if len(shape) == a.ndim and all(x == y for x, y in zip(shape, a.shape)):
        return replace(a, whole=False, made="")
    view = _proven_view(cx, a, shape)
    if view is not None:
        return view
    a = pinned(cx, a)
    groups = _groups(cx, a.shape, shape, ask=True)
    if groups is None:
        return _settled_by_run(cx, a, shape)
    strides = linear_access(cx, a)[1]
    open_questions: list[Expr] = []
    for old, _ in groups:
        for e in _regular(a.shape, strides, old):
            answer = cx.decide(e)
            if answer is False:
                return _as_view(cx, copy_array(cx, a), shape)
            if answer is None:
                open_questions.append(e)
    if not open_questions:
        return _grouped_view(cx, a, shape, groups)
    return view_or_copy(cx, a, shape, _grouped_view(cx, a, shape, groups), symbolic.conj(*open_questions), "A")


def _settled_by_run(cx: Lowering, a: Arr, shape: Shape) -> Arr:
    """`reshaped` when it is not known which axes go together."""
    if is_contiguous(cx, a) is True:
        return _as_view(cx, a, shape)
    old, new = ([k for k, n in enumerate(s) if not cx.prove(symbolic.eq(n, const(1)))] for s in (a.shape, shape))
    if len(old) > 1 and len(new) > 1:
        raise cx.unsupported(
            "reshape of an array of which neither the lengths nor the layout are known at compile time", "copy it first"
        )
    offset, strides = linear_access(cx, a)
    step, is_line = _line(cx, [a.shape[k] for k in old], [strides[k] for k in old])
    view = described(cx, a, shape, offset, _strides(shape, step), tuple(range(len(shape))))
    return view if is_line == TRUE else view_or_copy(cx, a, shape, view, is_line, "A")


def _line(cx: Lowering, shape: Shape | list[Expr], strides: Shape | list[Expr]) -> tuple[Expr, Expr]:
    """The distance between neighbours, and whether all elements are so far apart; axes of length 1 do not count."""
    one = const(1)
    if len(shape) < 2:
        return (strides[0] if strides else one), TRUE
    step: Expr = one
    count: Expr = one
    begun: Expr = FALSE
    ok: Expr = TRUE
    for n, stride in zip(reversed(shape), reversed(strides)):
        counts = symbolic.ne(n, one)
        fits = symbolic.eq(stride, symbolic.mul(step, count))
        ok = symbolic.conj(ok, symbolic.disj(symbolic.negate(counts), symbolic.negate(begun), fits))
        first = symbolic.conj(counts, symbolic.negate(begun))
        step = cx.let(symbolic.select(first, stride, step), "step")
        begun = symbolic.disj(begun, counts)
        count = symbolic.mul(count, n)
    return step, ok


def _strides(shape: Shape, step: Expr) -> Shape:
    """The strides of elements in C order, `step` apart."""
    out: list[Expr] = []
    for n in reversed(shape):
        out.append(step)
        step = symbolic.mul(step, n)
    return tuple(reversed(out))


def shaped_view(cx: Lowering, a: Arr, shape: Sequence[Expr]) -> Arr | None:
    """`a` with another shape if that is certainly a view, else None."""
    shape = tuple(shape)
    view = _proven_view(cx, a, shape)
    if view is not None:
        return view
    groups = _groups(cx, a.shape, shape, ask=True)
    if groups is None:
        return None
    strides = linear_access(cx, a)[1]
    if all(cx.decide(e) for old, _ in groups for e in _regular(a.shape, strides, old)):
        return _grouped_view(cx, pinned(cx, a), shape, groups)
    return None


def ravel(cx: Lowering, a: Arr) -> Arr:
    """All elements in C order: a view if the array is C-contiguous, else a copy."""
    shape = (cx.let(cx.size_of(a.shape), "size"),)
    contiguous = is_contiguous(cx, a)
    if contiguous is True:
        return _as_view(cx, a, shape) if a.ndim != 1 else replace(a, whole=False, made="")
    if contiguous is False:
        return _as_view(cx, copy_array(cx, a), shape)
    a = pinned(cx, a)
    return view_or_copy(cx, a, shape, _as_view(cx, a, shape), contiguous, "C")


def flattened(cx: Lowering, a: Arr) -> Arr:
    """A copy of all elements in C order."""
    out = copy_array(cx, a)
    return out if a.ndim == 1 else _as_view(cx, out, (cx.let(cx.size_of(a.shape), "size"),))


def laid_out(cx: Lowering, a: Arr, fortran: bool) -> Value:
    """The array itself if it is contiguous in this order, else a copy that is."""
    backwards = tuple(range(a.ndim))[::-1]
    x = transposed(a, backwards) if fortran else a
    contiguous = is_contiguous(cx, x)
    if contiguous is True or contiguous is False and cx.decide(symbolic.eq(cx.size_of(a.shape), const(0))):
        return a
    if contiguous is False:
        return copy_array(cx, a, backwards if fortran else None)
    if not a.writable:  # but the copy is

        def option(k: int) -> Arr:
            return copy_array(cx, a, backwards if fortran else None) if k else a

        return choose(cx, Op("select", (contiguous, const(0), const(1)), i64), 2, option, "contiguous")
    return _itself_or_copy(cx, a, contiguous, fortran)


def _itself_or_copy(cx: Lowering, a: Arr, is_itself: Expr, fortran: bool) -> Arr:
    """The very array if a condition holds at run time, under which it is contiguous in this order, else a copy."""
    rank = tuple(range(a.ndim))[::-1] if fortran else tuple(range(a.ndim))
    is_itself = cx.let(is_itself, "contiguous")
    name = new_ref(cx, a.dtype, a.ndim, "F" if fortran else "C", cx.alias_of(a.data), "contiguous")
    itself = pinned(cx, a)
    with cx.block() as yes:
        window = (itself if itself.window() is not None else strided(cx, itself)).window()
        assert window is not None
        cx.emit(nodes.Bind(name, window))
    with cx.block() as no:
        window = copy_array(cx, itself, rank if fortran else None).window()
        assert window is not None
        cx.emit(nodes.Bind(name, window))
    cx.branch(is_itself, yes, no)
    cx.lengths[name] = a.shape
    out = full_view(name, a.dtype, a.shape, rank)
    ours = identity_of(cx, named_array(cx, itself, "itself"))
    made = identity_of(cx, named_array(cx, replace(out, whole=False), "copy"))
    which = cx.let(Op("select", (is_itself, ours.which, made.which), i64), "which")
    cx.identities[name] = Identity(ours.objects | made.objects, which)
    return out


def _proven_view(cx: Lowering, a: Arr, shape: Shape) -> Arr | None:
    """The reshaped view, if no question about this call's sizes needs to be asked for it."""
    groups = _groups(cx, a.shape, shape, ask=False)
    assert groups is not None
    if all(len(old) == len(new) == 1 for old, new in groups):
        source = [-1] * len(shape)
        for old, new in groups:
            source[new[0]] = old[0]
        lengths = tuple(n if k >= 0 else const(1) for n, k in zip(shape, source))
        return with_units(cx, rearranged(a, lengths, source))
    strides = linear_access(cx, a)[1]
    if all(cx.prove(e) for old, _ in groups for e in _regular(a.shape, strides, old)):
        return _grouped_view(cx, pinned(cx, a), shape, groups)
    return None


def _groups(cx: Lowering, old: Shape, new: Shape, ask: bool) -> Groups | None:
    """Runs of old and of new axes with as many elements; None if that cannot be told (only with `ask`)."""
    settle = cx.decide if ask else cx.prove
    one = const(1)

    ones = {n: settle(symbolic.eq(n, one)) for n in (*old, *new)}
    if ask and None in ones.values():
        return None
    xs, ys = ([k for k, n in enumerate(s) if not ones[n]] for s in (old, new))
    groups: Groups = []
    i = j = 0
    start_i = start_j = 0
    left: list[Expr] = [one]
    right: list[Expr] = [one]
    for k in xs:
        left.append(symbolic.mul(left[-1], old[k]))
    for k in ys:
        right.append(symbolic.mul(right[-1], new[k]))
    for i in range(1, len(xs)):
        for j in range(start_j + 1, len(ys)):
            same = left[i] == right[j] or settle(symbolic.eq(left[i], right[j]))
            if same:
                groups.append((xs[start_i:i], ys[start_j:j]))
                start_i, start_j = i, j
                break
            if same is None and ask:
                return None
    if xs[start_i:] or ys[start_j:]:
        groups.append((xs[start_i:], ys[start_j:]))
    return groups


def _regular(shape: Shape, strides: Shape, axes: Sequence[int]) -> list[Expr]:
    """The conditions under which these axes lie in memory like one axis."""
    return [symbolic.eq(strides[k], symbolic.mul(shape[m], strides[m])) for k, m in zip(axes, axes[1:])]


def _grouped_view(cx: Lowering, a: Arr, shape: Shape, groups: Groups) -> Arr:
    offset, old_strides = linear_access(cx, a)
    strides: list[Expr] = [const(1)] * len(shape)
    place: list[tuple[int, list[int]]] = []
    for old, new in groups:
        step = old_strides[old[-1]] if old else const(1)
        for k in reversed(new):
            strides[k] = step
            step = symbolic.mul(step, shape[k])
        place.append((a.rank.index(old[0]) if old else len(place), new))
    grouped = {k for _, new in groups for k in new}
    strides = stepping(shape, strides, set(range(len(shape))) - grouped)
    order = [k for _, new in sorted(place, key=lambda p: p[0]) for k in new]
    source = [order.index(k) if k in order else -1 for k in range(len(shape))]
    return described(cx, a, shape, offset, tuple(strides), view_rank(tuple(range(len(order))), source))


def _as_view(cx: Lowering, a: Arr, shape: Shape) -> Arr:
    """A C-contiguous array with another shape."""
    view = _proven_view(cx, a, shape)
    if view is not None:
        return view
    a = pinned(cx, a)
    strides: list[Expr] = [const(1)] * len(shape)
    for k in reversed(range(len(shape) - 1)):
        strides[k] = symbolic.mul(shape[k + 1], strides[k + 1])
    return described(cx, a, shape, linear_access(cx, a)[0], tuple(strides), tuple(range(len(shape))))


def view_or_copy(cx: Lowering, a: Arr, shape: Shape, view: Arr, is_view: Expr, order: str) -> Arr:
    """The view if a condition holds at run time, else a copy."""
    name = new_ref(cx, a.dtype, len(shape), order, cx.alias_of(a.data), "reshaped")
    with cx.block() as yes:
        window = view.window()
        assert window is not None
        cx.emit(nodes.Bind(name, window))
    with cx.block() as no:
        window = _as_view(cx, copy_array(cx, a), shape).window()
        assert window is not None
        cx.emit(nodes.Bind(name, window))
    cx.branch(is_view, yes, no)
    cx.lengths[name] = shape
    return replace(full_view(name, a.dtype, shape, tuple(range(len(shape))), a.writable), whole=False)


def component_view(cx: Lowering, x: Arr, part: int) -> Arr:
    """The real or imaginary parts of a complex array, as a view."""
    offset, strides = linear_access(cx, x)
    name = cx.fresh(f"{x.data}_{'im' if part else 're'}")
    double = tuple(symbolic.mul(s, const(2)) for s in strides)
    start = symbolic.add(symbolic.mul(offset, const(2)), const(part))
    cx.data[name] = View(x.data, x.dtype.real, start, x.shape, double)
    view = full_view(name, x.dtype.real, x.shape, x.rank, x.writable)
    return Arr(name, view.dtype, view.shape, view.dims, view.rank, False, x.writable)


def reversed_axes(a: Arr) -> Arr:
    """The transpose."""
    return transposed(a, tuple(range(a.ndim))[::-1])
