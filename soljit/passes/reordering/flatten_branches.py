"""Conditions as values: in a chain of operations that is waited for, a branch that is guessed wrongly costs more than both of its arms.

    if c:                                                t = d[i - 1, j - 1] + 1
        t = d[i - 1, j - 1] + 1                          u = max(d[i - 1, j], d[i, j - 1])
        d[i, j] = t                               →      d[i, j] = t if c else u
    else:
        u = max(d[i - 1, j], d[i, j - 1])
        d[i, j] = u

    s = 3.0 if c else -3.0                        →      s = table[c], where table = [-3.0, 3.0]

The first is right where arms are definitions and stores whose loads are in bounds whatever the condition says, which is proved from lengths and ranges of loops, and where no
operation can trap. An element that one arm alone stores gets the value that it has. The second is for numbers that no instruction selects by an integer comparison: floats.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace

from soljit.analysis.cost.work import operations
from soljit.base.records import dataclass
from soljit.ir.core.data import Array, Data, Scalar
from soljit.ir.core.expr import ZERO, Cast, Const, Expr, Load, Memlet, Op, Sym, const, loads, subexpressions
from soljit.ir.core.nodes import Branch, Let, Node, Region, Tasklet
from soljit.ir.core.types import b1, i64
from soljit.ir.symbolic import Facts, is_index, le, lt
from soljit.ir.walk import FreshNames, map_exprs

_LONG = 16  # operations of an arm that are not worth it
_TOTAL = {
    "add",
    "sub",
    "mul",
    "div",
    "min",
    "max",
    "neg",
    "abs",
    "sqrt",
    "select",
    "lt",
    "le",
    "gt",
    "ge",
    "eq",
    "ne",
    "land",
    "lor",
    "lnot",
}


@dataclass
class Flat:
    """Makes bodies without branches. facts: what holds in the body; `made` gets the tables, `filled` what fills them."""

    data: Mapping[str, Data]
    facts: Facts
    fresh: FreshNames
    made: dict[str, Data] = field(default_factory=dict)
    filled: list[Node] = field(default_factory=list)
    _tables: dict[tuple[Const, Const], str] = field(default_factory=dict)

    def body(self, region: Region) -> Region:
        """The body with values for its conditions, where that is right."""
        return map_exprs(replace(region, nodes=tuple(self._nodes(region))), self._looked_up)

    def _nodes(self, region: Region) -> Iterator[Node]:
        known: set[str] = set()  # scalars that have a value
        for n in region.nodes:
            flat = self._flat(n, known) if isinstance(n, Branch) else None
            for x in flat or (n,):
                if isinstance(x, Let) and is_index(x.value):
                    self.facts = self.facts.define(Sym(x.name), x.value)
                if isinstance(x, Tasklet) and not x.out.subset:
                    known.add(x.out.data)
                yield x

    def _flat(self, n: Branch, known: set[str]) -> list[Node] | None:
        first, second = self._arm(n.then, known), self._arm(n.orelse, known)
        if first is None or second is None:
            return None
        (lets, then), (more, orelse) = first, second
        out: list[Node] = [*lets, *more]
        outs = dict.fromkeys((*then, *orelse))
        cond = n.cond
        if len(outs) > 1 and next(loads(cond), None) is not None:  # which the first store may change
            cond = Sym(self.fresh("cond"), b1)
            out.append(Let(cond.name, n.cond, loc=n.loc))
        for m in outs:
            if m not in then or m not in orelse:
                old = self.data[m.data]
                if isinstance(old, Scalar) and m.data not in known or not is_there(self.data, self.facts, m):
                    return None
            now = Load(m, self.data[m.data].dtype)
            value = Op("select", (cond, then.get(m, now), orelse.get(m, now)), now.dtype)
            out.append(Tasklet(m, value, loc=n.loc))
        return out

    def _arm(self, region: Region, known: set[str]) -> tuple[list[Node], dict[Memlet, Expr]] | None:
        """The definitions of an arm, and the values that it stores; None if it has to stay an arm."""
        lets: list[Node] = []
        stores: dict[Memlet, Expr] = {}
        cost = 0
        for n in region.nodes:
            if not isinstance(n, Let | Tasklet):
                return None
            value = n.value if isinstance(n, Let) else n.code
            cost += operations(value)
            if any(x.memlet.data in {m.data for m in stores} for x in loads(value)) or not self._is_total(value, known):
                return None
            if isinstance(n, Let):
                lets.append(n)
            elif n.out.wcr or n.out in stores or not all(isinstance(s, Expr) for s in n.out.subset):
                return None
            else:
                stores[n.out] = value
        others = len({m.data for m in stores}) < len(stores)
        return None if cost > _LONG or others else (lets, stores)

    def _is_total(self, e: Expr, known: set[str]) -> bool:
        """Tell whether it can be computed whatever conditions say."""
        for x in subexpressions(e):
            if isinstance(x, Op) and x.name not in _TOTAL:
                return False
            if isinstance(x, Load) and not (x.memlet.data in known or is_there(self.data, self.facts, x.memlet)):
                return False
        return True

    def _looked_up(self, e: Expr) -> Expr | None:
        match e:
            case Op("select", (cond, Const() as a, Const() as b)) if e.dtype.kind == "f" and not isinstance(
                cond, Const
            ):
                if (a, b) not in self._tables:
                    name = self._tables[a, b] = self.fresh("table")
                    self.made[name] = Array(e.dtype, (const(2),), storage="register")
                    self.filled += [Tasklet(Memlet(name, (const(k),)), v) for k, v in enumerate((b, a))]
                return Load(Memlet(self._tables[a, b], (Cast(i64, cond),)), e.dtype)
        return None


def is_there(data: Mapping[str, Data], facts: Facts, m: Memlet) -> bool:
    """Tell whether there is such an element."""
    d = data.get(m.data)
    if not isinstance(d, Array) or len(d.shape) != len(m.subset):
        return False
    return all(
        isinstance(s, Expr) and facts.holds(le(ZERO, s)) and facts.holds(lt(s, n)) for s, n in zip(m.subset, d.shape)
    )


def waits_for_guesses(body: Region) -> bool:
    """Tell whether the compiler may make branches of conditions in the body: of branches, and of floats that are not chosen by comparing floats."""
    lets = {n.name: n.value for n in body.nodes if isinstance(n, Let)}
    for n in body.nodes:
        if isinstance(n, Branch):
            return True
        value = n.value if isinstance(n, Let) else n.code if isinstance(n, Tasklet) else ZERO
        for x in subexpressions(value):
            if isinstance(x, Op) and x.name == "select" and x.dtype.kind in "fc":
                cond = x.args[0]
                while isinstance(cond, Sym) and cond.name in lets:
                    cond = lets[cond.name]
                if not isinstance(cond, Op) or cond.args[0].dtype.kind != "f":
                    return True
    return False
