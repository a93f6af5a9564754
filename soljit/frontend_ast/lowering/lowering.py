"""Lowering one program: what every part of the front end is given as `cx`.

`Lowering` owns the containers, symbols, guards and the block under construction (`state.py`). Its methods emit IR (`emission.py`),
settle questions (`decisions.py`), and know which memory containers stand for. It knows nothing of Python syntax;
`statements/statements.py` and `expressions/expressions.py` do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from soljit.base.place import Loc
from soljit.base.records import dataclass
from soljit.frontend_ast.lowering.decisions import Questions
from soljit.frontend_ast.lowering.emission import HELD
from soljit.frontend_ast.lowering.result_leaves import Returned
from soljit.frontend_ast.lowering.state import TEMPORARY
from soljit.frontend_ast.values.constants import fold_cast
from soljit.frontend_ast.values.values import Arr, full_view
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.data import Array, Ref, View
from soljit.ir.core.expr import Cast, Const, Expr, Extent, const
from soljit.ir.core.types import DType, obj
from soljit.ir.symbolic import Facts

# What is known of names: a second try gives the same names to other things.
_OF_NAMES = (
    "taken", "numbers", "data", "origins", "rebindable", "identities", "defined", "lengths", "still", "overlapping", "short_loops", "_measures", "_measured", "held", "steady",
)  # fmt: skip
Snapshot = tuple[int, bool, Facts, Loc, Returned, int, dict[str, Any]]

_SHARED = (
    "above", "dependencies", "paths", "owners", "made_at", "function_objects", "notes", "learned", "work", "functions", "depth", "unrolled", "circles", "entered", "containers", "frames",
    "possible", "guessed",
)  # fmt: skip  # what lowering a function has in common with lowering its caller


@dataclass
class Lowering(Questions):
    """See the head of this file."""

    caller: Lowering | None = None

    def function_lowering(self, name: str, knows: bool = False) -> Lowering:
        """The state for lowering a function of the program, which knows no values of a call, or (`knows`) those of the sizes that it is told of."""
        if self.raising:
            raise self.unsupported("a function that calls itself where floating-point errors raise")
        inner = Lowering(name, {}, {}, self.undecided or not knows, self.fp, parsed=self.parsed, caller=self)
        for shared in _SHARED:
            setattr(inner, shared, getattr(self, shared))
        inner.taken |= {"sol", "f", "rt"}
        return inner

    def alloc(
        self,
        dtype: DType,
        shape: Sequence[Expr],
        rank: tuple[int, ...] | None = None,
        *,
        zero: bool = False,
        hint: str = TEMPORARY,
    ) -> Arr:
        """A new array; `rank` gives the axes from slowest to fastest (C order if None)."""
        shape = tuple(self.let(n) for n in shape)
        n = len(shape)
        rank = tuple(range(n)) if rank is None else self.order_of_new(shape, rank)
        strides: tuple[Expr, ...] | None = None
        if rank != tuple(range(n)):
            by_axis: dict[int, Expr] = {}
            step: Expr = const(1)
            for axis in reversed(rank):
                by_axis[axis] = step
                step = symbolic.mul(step, shape[axis])
            strides = tuple(by_axis[k] for k in range(n))
        name = self.fresh(hint)
        self.data[name] = Array(dtype, shape, strides)
        self.emit(nodes.Alloc(name, zero))
        return full_view(name, dtype, shape, rank)

    def order_of_new(self, shape: Sequence[Expr], rank: tuple[int, ...]) -> tuple[int, ...]:
        """The order of a new array that is to have the order `rank`: one without elements has strides of 0, hence C order."""
        in_order = tuple(range(len(rank)))
        if rank == in_order or not any(self.decide(symbolic.eq(n, const(0))) for n in shape):
            return rank
        return in_order

    def share_arrays(self) -> None:
        """Any two array parameters may overlap."""
        names = [p.name for p in self.params if p.kind == "array"]
        for n in names if len(names) > 1 else ():
            d = self.data[n]
            assert isinstance(d, Array)
            self.data[n] = replace(d, alias="arguments")

    def roots_of(self, name: str) -> frozenset[str]:
        """The arguments and allocations whose memory `name` may stand for; overlapping arguments count as one another."""
        roots = self._roots_of(name)
        return roots if roots.isdisjoint(self.learned.held) else roots | {self.held_root()}

    def declare_held(self) -> None:
        """At the end: which arrays of the program objects may hold."""
        if HELD in self.data:
            self.data[HELD] = Ref(obj, 0, alias=tuple(sorted(n for n in self.learned.held if n in self.data)))

    def _roots_of(self, name: str) -> frozenset[str]:
        d = self.data[name]
        if isinstance(d, Ref):
            return self.origins.get(name, frozenset()) or frozenset((name,))
        if isinstance(d, View):
            return self._roots_of(d.of)
        if isinstance(d, Array) and d.alias is not None:
            return frozenset(m for m, e in self.data.items() if isinstance(e, Array) and e.alias == d.alias)
        return frozenset((name,))

    def alias_of(self, name: str) -> frozenset[str]:
        """Containers whose memory `name` may share, itself included."""
        roots = self.roots_of(name)
        return frozenset(m for m in list(self.data) if m == name or not roots.isdisjoint(self.roots_of(m)))

    def snapshot(self) -> Snapshot:
        """What `restore` needs to forget everything emitted from here on."""
        names = {field: getattr(self, field).copy() for field in _OF_NAMES}
        block = self.current
        return len(block.items), block.done, self.facts, self.loc, replace(self.returned), len(self.learned.undo), names

    def keep(self, data: str) -> None:
        """A parameter found on the way (a captured array) outlives every `restore`."""
        self.kept[data] = self.data[data]
        self.kept_names |= {data, *(n for n, e in self.symbols.items() if e.data == data)}
        sizes = [n for n, e in self.symbols.items() if e.data == data and isinstance(e, Extent)]
        self._saved[:] = [f.with_size(*sizes) for f in self._saved]

    def restore(self, s: Snapshot) -> None:
        """Forget what was emitted since the snapshot (guards stay), so that a second try makes the same names."""
        items, done, self.facts, self.loc, returned, learned, names = s
        del self.current.items[items:]
        object.__setattr__(self.current, "done", done)
        self.returned = replace(returned)
        self.learned.back_to(learned)
        overlapping = self.overlapping & self.kept_names
        for field, value in names.items():
            setattr(self, field, value.copy())
        self.taken |= self.kept_names
        self.data |= self.kept
        self.overlapping |= overlapping

    def is_fortran(self, name: str) -> bool:
        """Tell whether this array's descriptor is that of Fortran order."""
        d = self.data[name]
        if not isinstance(d, Array) or d.strides is None:
            return False
        step: Expr = const(1)
        for n, stride in zip(d.shape, d.strides):
            if stride != step:
                return False
            step = symbolic.mul(step, n)
        return True

    def cast(self, e: Expr, dtype: DType) -> Expr:
        """`e` as `dtype`."""
        if e.dtype is dtype:
            return e
        if isinstance(e, Const):
            return fold_cast(e, dtype)
        return Cast(dtype, e)

    def size_of(self, shape: Sequence[Expr]) -> Expr:
        """Number of elements."""
        n: Expr = const(1)
        for s in shape:
            n = symbolic.mul(n, s)
        return n
