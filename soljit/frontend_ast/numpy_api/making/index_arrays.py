"""Arrays of indices and iterations over them: ix_, diag_indices, mask_indices, broadcast, ndindex, ndenumerate."""

from __future__ import annotations

import numpy as np

from soljit.base.place import Loc
from soljit.frontend_ast.arrays.elementwise import broadcast
from soljit.frontend_ast.arrays.operands import as_array, in_memory
from soljit.frontend_ast.calls.attribute_reads import attribute_of
from soljit.frontend_ast.calls.calls import call_value
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements
from soljit.frontend_ast.lowering.static_values import static_of
from soljit.frontend_ast.numpy_api.computing.selection import nonzero
from soljit.frontend_ast.numpy_api.making import patterns
from soljit.frontend_ast.numpy_api.making.creation import ones
from soljit.frontend_ast.objects.objects import make_object
from soljit.frontend_ast.values.values import CompileTime, Flat, Iteration, Num, Static, Tup, Value
from soljit.frontend_ast.views import flat_elements
from soljit.frontend_ast.views.numpy_arguments import integer_of
from soljit.frontend_ast.views.reshaping import insert_axes, with_units
from soljit.frontend_ast.views.shape_arguments import shape_of
from soljit.ir import symbolic
from soljit.ir.core.expr import Expr, const
from soljit.ir.core.types import b1


@implements(np.ix_)
def ix_(cx: Lowering, *args: Value) -> Value:
    """np.ix_: each sequence along an axis of its own; masks become the indices of their true elements."""
    out: list[Value] = []
    for k, v in enumerate(args):
        x = in_memory(cx, v)
        if isinstance(v, Tup) and not v.items:
            raise cx.unsupported("np.ix_ of an empty sequence")
        if x.ndim != 1:
            cx.raise_("ValueError", "Cross index must be 1 dimensional")
            return Tup([])
        if x.dtype is b1:
            found = nonzero(cx, x)
            assert isinstance(found, Tup)
            x = in_memory(cx, found.items[0])
        out.append(with_units(cx, insert_axes(x, [d for d in range(len(args)) if d != k])))
    return Tup(out)


def _repeated(cx: Lowering, n: Expr, ndim: int) -> Tup:
    indices = patterns.arange(cx, Num(n, True))
    return Tup([indices] * ndim)


@implements(np.diag_indices)
def diag_indices(cx: Lowering, n: Value, ndim: Value | None = None) -> Value:
    """np.diag_indices: one array of indices, named once for each dimension."""
    return _repeated(cx, integer_of(cx, n), static_of(cx, ndim) if ndim is not None else 2)


@implements(np.diag_indices_from)
def diag_indices_from(cx: Lowering, arr: Value) -> Value:
    """np.diag_indices_from"""
    x = as_array(cx, arr)
    if x.ndim < 2:
        cx.raise_("ValueError", "input array must be at least 2-d")
        return Tup([])
    same = symbolic.conj(*(symbolic.eq(n, x.shape[0]) for n in x.shape[1:]))
    cx.check(same, "ValueError", "All dimensions of input must be of equal length")
    return _repeated(cx, x.shape[0], x.ndim)


@implements(np.mask_indices)
def mask_indices(cx: Lowering, n: Value, mask_func: Value, k: Value | None = None) -> Value:
    """np.mask_indices: where the function keeps something of a matrix of ones."""
    square = ones(cx, Tup([n, n]), Static(np.dtype(int)))
    kept = call_value(cx, mask_func, [square, k if k is not None else Num(const(0), True)])
    return nonzero(cx, call_value(cx, Static(np.not_equal), [kept, Num(const(0), True)]))


class Broadcast(CompileTime):
    """Stands for np.broadcast objects, of which only the shape is known."""

    cls = np.broadcast

    def __init__(self, known: dict[str, Value], site: Loc | None) -> None:
        self.known, self.site = known, site

    def attribute(self, cx: Lowering, name: str) -> Value:
        """The shape, size and numbers of dimensions and operands; for anything else Python makes the object."""
        if name in self.known:
            return self.known[name]
        return attribute_of(cx, make_object(cx, Static(self)), name)


@implements(np.broadcast)
def broadcast_object(cx: Lowering, *args: Value) -> Value:
    """np.broadcast"""
    message = "shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is between"
    shape, _ = broadcast(cx, [as_array(cx, v).shape for v in args], text=message)
    numbers = {"ndim": len(shape), "nd": len(shape), "numiter": len(args)}
    known: dict[str, Value] = {name: Num(const(n), True) for name, n in numbers.items()}
    known |= {"shape": Tup([Num(n, True) for n in shape]), "size": Num(cx.size_of(shape), True)}
    return Static(Broadcast(known, cx.loc))


@implements(np.ndindex)
def ndindex(cx: Lowering, *shape: Value) -> Value:
    """np.ndindex: all index tuples, the last index fastest."""
    lengths = shape[0] if len(shape) == 1 and isinstance(shape[0], Tup) else Tup(list(shape))
    sizes = shape_of(cx, lengths)
    return Iteration(cx.let(cx.size_of(sizes), "size"), lambda k: _index(cx, sizes, k))


def _index(cx: Lowering, shape: tuple[Expr, ...], k: Expr) -> Tup:
    """The k-th index tuple."""
    return Tup([Num(i, True) for i in flat_elements.index_in(cx, shape, k)])


@implements(np.ndenumerate)
def ndenumerate(cx: Lowering, arr: Value) -> Value:
    """np.ndenumerate: index tuples with the elements, in C order."""
    x = in_memory(cx, arr)
    whole = Flat(x)
    return Iteration(
        cx.let(cx.size_of(x.shape), "size"),
        lambda k: Tup([_index(cx, x.shape, k), flat_elements.element(cx, whole, k)]),
    )
