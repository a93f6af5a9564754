"""The zeros of new memory as a map that writes them: `zeros(alloc, array, fresh)`."""

from __future__ import annotations

from collections.abc import Callable

from soljit.ir.core.data import Array
from soljit.ir.core.expr import ONE, ZERO, Memlet, Range, Sym, zero_of
from soljit.ir.core.nodes import Alloc, Map, Node, Region, Tasklet


def zeros(n: Alloc, d: Array, fresh: Callable[[str], str]) -> Node:
    """Zeros for what `n` makes, explicitly."""
    names = tuple(fresh("z") for _ in d.shape)
    store = Tasklet(Memlet(n.data, tuple(Sym(v) for v in names)), zero_of(d.dtype), loc=n.loc)
    spans = tuple(Range(ZERO, k, ONE) for k in d.shape)
    return Map(names, spans, Region((store,), loc=n.loc), loc=n.loc) if names else store
