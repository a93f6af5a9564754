"""Array variables that steps of a loop over time pass on, in blocks of these steps (`analysis/reordering/rotations.py` has the proof).

for t in range(T):                     for the blocks:
    sweep of v, from u                     for t in range(…):
    bind(w, u[…])                              if t % 2 == 0: bind(u_here, u[…]); bind(v_here, v[…])
    bind(u, v[…])              →               else:          bind(u_here, v[…]); bind(v_here, u[…])
    bind(v, w[…])                              sweep of v_here, from u_here
                                       for t in range(T): bind(w, u[…]); bind(u, v[…]); bind(v, w[…])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from soljit.analysis.reordering.rotations import Rotation
from soljit.base.records import dataclass
from soljit.ir.core.data import Array, Data, Ref
from soljit.ir.core.expr import ONE, ZERO, Expr, Extent, Memlet, Op, Range, Sym, const
from soljit.ir.core.nodes import Alloc, Bind, Branch, Loop, Map, Node, Region
from soljit.ir.core.types import b1
from soljit.ir.symbolic import eq, mod, select, sub
from soljit.ir.walk import FreshNames, rename_data


@dataclass
class PassedOn:
    """What a loop's steps pass on. `data` gets the variables and arrays for it."""

    loop: Loop
    turns: Rotation
    data: dict[str, Data]
    fresh: FreshNames
    _here: dict[str, str] = field(default_factory=dict)  # first name → the variable that stands for it in a step

    def __post_init__(self) -> None:
        for array, pieces in self.turns.made.items():
            self.data |= dict.fromkeys(pieces, self.data[array])
            for name, d in self.data.items():
                if isinstance(d, Ref) and array in d.alias:
                    self.data[name] = replace(d, alias=tuple(dict.fromkeys((*d.alias, *pieces))))
        for name, several in self.turns.moving.items():
            self._here[name] = self._variable(f"{name}_here", several)

    def made(self) -> list[Node]:
        """The memory that steps take by turns."""
        return [Alloc(piece, loc=self.loop.loc) for pieces in self.turns.made.values() for piece in pieces]

    def bound(self) -> list[Node]:
        """Binds the variables of a step."""
        names, first = self.turns.names, self.turns.first
        step = sub(Sym(self.loop.var), self.loop.span.start)
        turn = mod(step, const(len(names)))
        if first:
            again = mod(sub(step, const(first)), const(len(names) - first))
            turn = select(Op("lt", (step, const(first)), b1), step, Op("add", (again, const(first)), again.dtype))
        return self._by_turns(turn, [{here: step[x] for x, here in self._here.items()} for step in names])

    def renamed(self, m: Map) -> Map:
        """A sweep over what these variables stand for."""
        return rename_data(m, self._here)

    def rest(self) -> Loop:
        """What the steps do besides: variables stand for the right arrays behind the loop."""
        loop, nodes, new = self.loop, list[Node](), dict[str, str]()
        step = sub(Sym(loop.var), loop.span.start)
        for n in self.turns.rest:
            if isinstance(n, Alloc):
                pieces = self.turns.made[n.data]
                new[n.data] = self._variable(n.data, pieces)
                nodes += self._by_turns(mod(step, const(len(pieces))), [{new[n.data]: piece} for piece in pieces])
            else:
                nodes.append(rename_data(n, new))
        again = Loop(loop.var, loop.span, Region(tuple(nodes), loc=loop.body.loc), loc=loop.loc)
        return self.fresh.other_symbols(again)

    def _variable(self, base: str, several: tuple[str, ...]) -> str:
        """A new variable that may stand for each of these."""
        name = self.fresh(base)
        orders = {_order(self.data[x]) for x in several}
        ndim = len(self._lengths(several[0]))
        self.data[name] = Ref(self.data[several[0]].dtype, ndim, orders.pop() if len(orders) == 1 else "A", several)
        return name

    def _by_turns(self, turn: Expr, bindings: list[Mapping[str, str]]) -> list[Node]:
        nodes: list[Node] = []
        for k in reversed(range(len(bindings))):
            here: list[Node] = [Bind(ref, self._whole(x), loc=self.loop.loc) for ref, x in bindings[k].items()]
            then, orelse = (Region(tuple(x), loc=self.loop.body.loc) for x in (here, nodes))
            nodes = [Branch(eq(turn, const(k)), then, orelse, loc=self.loop.loc)] if nodes else here
        return nodes

    def _whole(self, name: str) -> Memlet:
        return Memlet(name, tuple(Range(ZERO, n, ONE) for n in self._lengths(name)))

    def _lengths(self, name: str) -> Sequence[Expr]:
        d = self.data[name]
        return (
            [Extent(name, k) for k in range(d.ndim)] if isinstance(d, Ref) else d.shape if isinstance(d, Array) else ()
        )


def _order(d: Data) -> str:
    """How contiguous the memory is for certain: as the order of a variable."""
    return d.order if isinstance(d, Ref) else "C" if isinstance(d, Array) and d.strides is None else "A"
