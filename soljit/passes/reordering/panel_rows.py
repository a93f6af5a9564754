"""What is put aside for the rows outside of a panel (`delay_loops.py`), and what a part does for them: expressions of one row in one step, and (b), the columns of the panel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import reduce

from soljit.analysis.memory.affine import names_in
from soljit.analysis.reordering.panel_parts import Item, Part, Sweep
from soljit.analysis.reordering.panels import Panels
from soljit.base.records import dataclass
from soljit.ir.core.data import Array, Data, Ref, View
from soljit.ir.core.expr import ONE, ZERO, Expr, Extent, Load, Memlet, Range, Sym, const, loads
from soljit.ir.core.nodes import Alloc, Let, Loop, Map, Node, Region, Tasklet
from soljit.ir.core.types import DType
from soljit.ir.symbolic import add, maximum, minimum, simplify, sub
from soljit.ir.walk import rewrite_expr, rewrite_value, substitute
from soljit.passes.reordering.time_blocks import Writer


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


Key = Load | str  # an element of the row, or a number of the iteration


@dataclass
class RowTexts:
    """Expressions of a part for rows outside of the panel. late: which version of row k they see"""

    arrays: PanelArrays
    n: int
    part: Part
    late: Expr

    def needs(self, s: Sweep) -> dict[Key, DType]:
        """What the sweep reads of its row beside its own element, and numbers of the iteration."""
        defined = {x.name: x.value.dtype for x in self.part.items if isinstance(x, Let)}
        found: dict[Key, DType] = {}
        for x in loads(s.value):
            if self._is_own(x.memlet) and not same_element(x.memlet, s.out):
                found[x] = x.dtype
        outside = names_in(rewrite_expr(s.value, lambda e: ZERO if e in found else None))
        return found | {n: defined[n] for n in defined if n in outside}

    def put_aside(self, key: Key, s: Sweep, dtype: DType) -> str:
        """The array for what the sweep needs."""
        versions = const(2 * self.arrays.count if s.in_order else self.arrays.count)
        rows = self.arrays.most_rows()
        return self.arrays.aside(("need", self.n, id(s), key), "needed", dtype, (versions, rows))

    def _is_own(self, m: Memlet) -> bool:
        return m.data in self.arrays.found.rows and not self.arrays.is_pivot(m)

    def of(self, v: Expr, k: Expr, at: Expr, r: Expr) -> Expr:
        """An expression of row r in step k, the panel's step `at`: its own elements are those that were put aside."""
        return self._moved(rewrite_expr(v, lambda e: self._load(e, at, r) if isinstance(e, Load) else None), k, at, r)

    def target(self, m: Memlet, k: Expr, at: Expr, r: Expr) -> Memlet:
        """Where an element of the row is written."""
        if len(m.subset) == 2:
            return Memlet(self.arrays.columns_of(m.data), (at, r))
        return rewrite_value(m, lambda e: self._named(e, k, at, r))

    def swept(self, s: Sweep, k: Expr, at: Expr, r: Expr, column: Expr, own: Expr, names: Mapping[Key, Expr]) -> Expr:
        """The sweep's value for an element. own: what it was; names: what else it needs of its row"""

        def fn(e: Expr) -> Expr | None:
            if isinstance(e, Load):
                if same_element(e.memlet, s.out):
                    return own
                return names[e] if e in names else self._load(e, at, r)
            return names.get(e.name) if isinstance(e, Sym) else None

        value = rewrite_expr(s.value, fn)
        value = substitute(value, {s.var: sub(column, sub(s.column, Sym(s.var)))})
        return self._moved(value, k, at, r)

    def _load(self, e: Load, at: Expr, r: Expr) -> Expr | None:
        m, arrays = e.memlet, self.arrays
        if arrays.is_pivot(m):
            rest = [m.subset[d] for d in arrays.others(m.data)]
            version = add(at, self.late) if self.part.in_order else at
            return Load(Memlet(arrays.pivot(self.n, self.part, m.data), (version, *rest)), e.dtype)
        if self._is_own(m) and len(m.subset) == 2:
            return Load(Memlet(arrays.columns_of(m.data), (at, r)), e.dtype)
        return None

    def _moved(self, v: Expr, k: Expr, at: Expr, r: Expr) -> Expr:
        return simplify(rewrite_value(v, lambda e: self._named(e, k, at, r)))

    def _named(self, e: Expr, k: Expr, at: Expr, r: Expr) -> Expr | None:
        if not isinstance(e, Sym):
            return None
        arrays, p = self.arrays, self.part
        if e.name == arrays.loop.var:
            return k
        if e.name == p.var:
            return sub(r, substitute(sub(p.row, Sym(p.var)), {arrays.loop.var: k}))
        if arrays.is_number(e.name):
            return Load(Memlet(arrays.number(e.name, e.dtype), (at,)), e.dtype)
        return None


@dataclass
class RowSteps:
    """A part's step for rows outside of the panel: (b)."""

    arrays: PanelArrays
    n: int
    part: Part
    rows: Range
    k: Sym
    late: Expr

    def nodes(self) -> list[Node]:
        """A map for what stands between two sweeps, and a loop over columns for each sweep."""
        self.texts = RowTexts(self.arrays, self.n, self.part, self.late)
        self.at = sub(self.k, self.arrays.block)
        self.r = Sym(self.arrays.fresh("r"))
        out: list[Node] = []
        own: list[Node] = []
        names: dict[str, Sym] = {}
        for n, x in enumerate(self.part.items):
            if not isinstance(x, Sweep):
                own.append(self._item(x, names))
                continue
            needs = self.texts.needs(x)
            later = {i for y in self.part.items[n + 1 :] for i in names_in(value_of(y))}
            kept: dict[Key, DType] = {i: v.dtype for i, v in names.items() if i in later}
            own += [self._kept(x, key, of, names, ZERO) for key, of in (needs | kept).items()]
            out += [self._map(own), self._columns(x, needs)]
            if x.in_order:
                late = const(self.arrays.count)
                out.append(self._map([self._kept(x, e, of, names, late) for e, of in needs.items()]))
            own, names = self._again(x, kept)
        return [*out, self._map(own)] if any(isinstance(x, Tasklet) for x in own) else out

    def _map(self, nodes: list[Node]) -> Map:
        loc = self.arrays.loop.loc
        return Map((self.r.name,), (self.rows,), Region(tuple(nodes), loc=loc), loc=loc)

    def _item(self, x: Let | Tasklet, names: dict[str, Sym]) -> Node:
        known: dict[str, Expr] = {**names}
        if isinstance(x, Let):
            value = substitute(self.texts.of(x.value, self.k, self.at, self.r), known)
            names[x.name] = Sym(self.arrays.fresh(x.name), x.value.dtype)
            return Let(names[x.name].name, value, loc=x.loc)
        value = substitute(self.texts.of(x.code, self.k, self.at, self.r), known)
        return Tasklet(self.texts.target(x.out, self.k, self.at, self.r), value, loc=x.loc)

    def _kept(self, s: Sweep, key: Key, dtype: DType, names: dict[str, Sym], late: Expr) -> Tasklet:
        there = Memlet(self.texts.put_aside(key, s, dtype), (add(self.at, late), self.r))
        if isinstance(key, Load):
            return Tasklet(there, self.texts.of(key, self.k, self.at, self.r), loc=self.arrays.loop.loc)
        if late is not ZERO:  # a number stays what it was
            old = Memlet(there.data, (self.at, self.r))
            return Tasklet(there, Load(old, dtype), loc=self.arrays.loop.loc)
        return Tasklet(there, names[key], loc=self.arrays.loop.loc)

    def _again(self, s: Sweep, kept: Mapping[Key, DType]) -> tuple[list[Node], dict[str, Sym]]:
        """Numbers that what stands behind the sweep needs."""
        names = {str(key): Sym(self.arrays.fresh(str(key)), dtype) for key, dtype in kept.items()}
        there = {n: Memlet(self.texts.put_aside(n, s, v.dtype), (self.at, self.r)) for n, v in names.items()}
        return [Let(v.name, Load(there[n], v.dtype), loc=self.arrays.loop.loc) for n, v in names.items()], names

    def _columns(self, s: Sweep, needs: Mapping[Key, DType]) -> Loop:
        """The panel's columns of the sweep."""
        arrays, c = self.arrays, Sym(self.arrays.fresh("c"))
        names: dict[Key, Expr] = {}
        for key, dtype in needs.items():
            if s.in_order and isinstance(key, Load):
                names[key] = self.texts.of(key, self.k, self.at, self.r)
            else:
                names[key] = Load(Memlet(self.texts.put_aside(key, s, dtype), (self.at, self.r)), dtype)
        own = Memlet(arrays.columns_of(s.out.data), (sub(c, arrays.block), self.r))
        value = self.texts.swept(s, self.k, self.at, self.r, c, Load(own, self.arrays.data[s.out.data].dtype), names)
        start, stop = (
            substitute(substitute(s.column, {s.var: x}), {arrays.loop.var: self.k}) for x in (s.span.start, s.span.stop)
        )
        span = Range(
            maximum(simplify(start), arrays.block), minimum(simplify(stop), add(arrays.block, const(arrays.count))), ONE
        )
        body = Region((Tasklet(own, value, loc=s.loc),), loc=s.loc)
        inner = Map((self.r.name,), (self.rows,), body, loc=s.loc)
        return Loop(c.name, span, Region((inner,), loc=s.loc), loc=s.loc)
