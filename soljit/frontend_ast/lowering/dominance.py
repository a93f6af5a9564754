"""Values that are used where their definition does not dominate: the block that computes them ends before. They are kept in containers.

What a list, a function or a partial object made in a branch holds keeps the names that it had there. Where a symbol or an array is
used behind its block, it gets a Scalar or a Ref that is written where it was made, and another name from then on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from soljit.base.records import dataclass
from soljit.ir.core.data import Array, Data, Ref, Scalar, View
from soljit.ir.core.expr import Expr, Load, Memlet, Range, Sym, const, subexpressions
from soljit.ir.core.nodes import Alloc, Bind, Let, Node, Program, Region, Tasklet
from soljit.ir.walk import (
    children_nodes,
    data_used,
    descriptor_exprs,
    fresh_name,
    map_descriptor,
    names_taken,
    on_regions,
    rename_data,
    rename_symbols,
    rewrite,
    rewrite_expr,
    symbols_used,
    walk,
)


def kept(program: Program) -> Program:
    """The program with variables for what is used behind the block that made it."""
    if not _is_used_behind(program.body, _Uses(program.data)):
        return program
    keeper = _Keeper(dict(program.data), names_taken(program))
    body = keeper.region(program.body)
    return replace(program, body=body, data=keeper.data)


def _made(n: Node) -> str | None:
    return n.name if isinstance(n, Let) else n.data if isinstance(n, Alloc) else None


def _made_in(n: Node) -> set[str]:
    return {name for x in walk(n) if (name := _made(x)) is not None}


@dataclass
class _Uses:
    """The symbols and arrays that are used."""

    data: Mapping[str, Data]

    def of(self, n: Node) -> set[str]:
        """In a node and below."""
        found = symbols_used(n)
        for name in data_used(n):
            found |= self.of_container(name)
        return found

    def of_container(self, name: str) -> set[str]:
        """A container, what it is a view of, and what its shape is made of."""
        d = self.data.get(name)
        found = {name}
        if d is not None:
            found |= {x.name for e in descriptor_exprs(d) for x in subexpressions(e) if isinstance(x, Sym)}
        return found | self.of_container(d.of) if isinstance(d, View) else found


def _is_used_behind(r: Region, uses: _Uses) -> bool:
    """Tell whether anything in the region is used behind the block that made it."""
    ended: set[str] = set()
    for n in r.nodes:
        regions = children_nodes(n)
        made = _made_in(n)
        ended -= made
        if ended and not ended.isdisjoint(uses.of(n)):
            return True
        if regions:
            ended |= made
            if any(_is_used_behind(x, uses) for x in regions if isinstance(x, Region)):
                return True
    return False


@dataclass
class _Keeper:
    data: dict[str, Data]
    taken: set[str] = field(default_factory=set)

    def region(self, r: Region) -> Region:
        """The region, where nothing is used behind a block in it that made it."""
        out: list[Node] = []
        ended: dict[str, int] = {}  # what was made in a block that has ended → the place of that in `out`
        names: dict[str, str] = {}
        uses = _Uses(self.data)
        for node in r.nodes:
            n = self._renamed(on_regions(node, self.region), names)
            made = _made_in(n)
            for name in made:
                ended.pop(name, None)
            late = sorted(ended.keys() & uses.of(n)) if ended else []
            new: dict[str, str] = {}
            for name in late:
                k = ended.pop(name)
                out[k], new[name] = self._kept_in(out[k], name, out)
            if new:
                names |= new
                n = self._renamed(n, new)
            if children_nodes(n):
                ended |= dict.fromkeys(made, len(out))
            out.append(n)
        return r if not names and all(a is b for a, b in zip(out, r.nodes)) else replace(r, nodes=tuple(out))

    def _kept_in(self, n: Node, name: str, out: list[Node]) -> tuple[Node, str]:
        """The node with what `name` is there kept in a variable, and its name from here on."""
        kept = self._fresh(f"{name}_kept")
        d = self.data.get(name)
        if isinstance(d, Array):
            order = "C" if d.strides is None else "A"
            self.data[kept] = Ref(d.dtype, len(d.shape), order, (name,))
            whole = Memlet(name, tuple(Range(const(0), s, const(1)) for s in d.shape))
            new = kept
        else:
            dtype = next(x.value.dtype for x in walk(n) if isinstance(x, Let) and x.name == name)
            self.data[kept] = Scalar(dtype)
            new = self._fresh(f"{name}_later")
            out.append(Let(new, Load(Memlet(kept), dtype)))

        def keep(x: Node) -> tuple[Node, ...] | None:
            if _made(x) != name:
                return None
            if isinstance(x, Alloc):
                return x, Bind(kept, whole, loc=x.loc)
            assert isinstance(x, Let)
            return x, Tasklet(Memlet(kept), Sym(name, x.value.dtype), loc=x.loc)

        return rewrite(n, keep), new

    def _renamed(self, n: Node, names: dict[str, str]) -> Node:
        """The node with new names, and the views and arrays in it described by these."""
        if not names:
            return n
        views: dict[str, str] = {}
        for name in data_used(n):
            self._describe(name, n, names, views)
        return rename_symbols(rename_data(n, names | views), {k: v for k, v in names.items() if k not in self.data})

    def _describe(self, name: str, n: Node, names: dict[str, str], views: dict[str, str]) -> None:
        d = self.data.get(name)

        def renamed(e: Expr) -> Expr | None:
            return Sym(names[e.name], e.dtype) if isinstance(e, Sym) and e.name in names else None

        if isinstance(d, View):
            self._describe(d.of, n, names, views)
            of = views.get(d.of, names.get(d.of, d.of))
            described = map_descriptor(d, lambda e: rewrite_expr(e, renamed))
            assert isinstance(described, View)
            if of != d.of or described is not d:
                views[name] = self._fresh(f"{name}_later")
                self.data[views[name]] = replace(described, of=of)
        elif isinstance(d, Array) and d.transient and any(isinstance(x, Alloc) and x.data == name for x in walk(n)):
            self.data[name] = map_descriptor(d, lambda e: rewrite_expr(e, renamed))

    def _fresh(self, name: str) -> str:
        made = fresh_name(name, self.taken)
        self.taken.add(made)
        return made
