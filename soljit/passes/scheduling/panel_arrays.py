"""What is put aside for the rows outside of a panel (`delay_loops.py`), and the arrays for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from functools import reduce

from soljit.analysis.loops.panel_parts import Item, Part
from soljit.analysis.loops.panels import Panels
from soljit.base.records import dataclass
from soljit.ir.core.data import Array, Data, Ref, View
from soljit.ir.core.expr import Expr, Extent, Memlet, Range, Sym, const
from soljit.ir.core.nodes import Alloc, Loop, Node, Tasklet
from soljit.ir.core.types import DType
from soljit.ir.symbolic import maximum, simplify
from soljit.ir.walk import substitute
from soljit.passes.scheduling.time_blocks import Writer


@dataclass
class PanelArrays:
    """The arrays for one loop in panels. count: steps of a panel; block: the first one; data: gets the arrays; front: makes them"""

    loop: Loop
    found: Panels
    data: dict[str, Data]
    fresh: Callable[[str], str]
    count: int
    block: Sym = field(init=False)
    front: list[Node] = field(init=False)
    lengths: dict[tuple[str, int], Expr] = field(default_factory=dict)
    _aside: dict[object, str] = field(default_factory=dict)  # what is put aside → the array for it

    def __post_init__(self) -> None:
        self.block = Sym(self.fresh(f"{self.loop.var}_panel"))
        write = Writer(self.fresh, self.loop.loc)
        self.front = write.nodes
        for name in self.found.rows:
            for k in range(ndim(self.data[name])):
                self.lengths[name, k] = write.let("length", length(self.data[name], name, k))
        for name in self.found.given:
            n = length(self.data[name], name, 0)
            ends = [substitute(n, {self.loop.var: x}) for x in (self.loop.span.start, self.loop.span.stop)]
            self.lengths[name, 0] = write.let("length", reduce(maximum, ends))

    def most_rows(self) -> Expr:
        """How many rows there are in the array that has most of them."""
        return reduce(maximum, dict.fromkeys(self.lengths[n, d] for n, d in self.found.rows.items()))

    def aside(self, key: object, name: str, dtype: DType, shape: tuple[Expr, ...]) -> str:
        """The array for what is put aside under this key."""
        if key not in self._aside:
            found = self._aside[key] = self.fresh(name)
            self.data[found] = Array(dtype, shape)
            self.front.append(Alloc(found, loc=self.loop.loc))
        return self._aside[key]

    def is_number(self, name: str) -> bool:
        """Tell whether a number of each step has an array."""
        return ("number", name) in self._aside

    def number(self, name: str, dtype: DType) -> str:
        """The array with a number of each step."""
        return self.aside(("number", name), f"{name}_steps", dtype, (const(self.count),))

    def is_pivot(self, m: Memlet) -> bool:
        """Tell whether the access is to row k, or to what statements about it write."""
        if m.data in self.found.given:
            return True
        s = m.subset[self.found.rows[m.data]] if m.data in self.found.rows else None
        return isinstance(s, Expr) and simplify(s) == Sym(self.loop.var)

    def pivot(self, k: int, p: Part, name: str) -> str:
        """The array with row k of this array in each step."""
        versions = const(2 * self.count if p.in_order else self.count)
        lengths = tuple(self.lengths[name, d] for d in self.others(name))
        return self.aside(("pivot", k, name), f"{name}_pivots", self.data[name].dtype, (versions, *lengths))

    def others(self, name: str) -> list[int]:
        """The dimensions of the array without that of rows."""
        dims = range(ndim(self.data[name]))
        return [d for d in dims if name in self.found.given or d != self.found.rows[name]]

    def columns_of(self, name: str) -> str:
        """The array with the panel's columns of this array."""
        n = self.lengths[name, self.found.rows[name]]
        return self.aside(("columns", name), f"{name}_columns", self.data[name].dtype, (const(self.count), n))

    def element(self, name: str, row: Expr, column: Expr) -> Memlet:
        """An element of the array by its row and column."""
        return Memlet(name, (row, column) if self.found.rows[name] == 0 else (column, row))


def value_of(x: Item) -> Expr:
    """What the item computes."""
    return x.code if isinstance(x, Tasklet) else x.value


def same_element(a: Memlet, b: Memlet) -> bool:
    """Tell whether the accesses are to one element, whatever the symbols are."""
    return a.data == b.data and tuple(map(_plain, a.subset)) == tuple(map(_plain, b.subset))


def _plain(s: Expr | Range) -> Expr | Range:
    return simplify(s) if isinstance(s, Expr) else s


def ndim(d: Data) -> int:
    """How many dimensions a container has."""
    match d:
        case Array(shape=shape) | View(shape=shape):
            return len(shape)
        case Ref(ndim=n):
            return n
        case _:
            return 0


def length(d: Data, name: str, k: int) -> Expr:
    """The length of a dimension."""
    return d.shape[k] if isinstance(d, Array | View) else Extent(name, k)
