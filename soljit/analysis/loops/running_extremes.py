"""Scalars that a loop only ever replaces by greater values, or by smaller ones: `running_extremes(program, loop, signs)`.

    for i in range(n):                                          for i in range(n):
        d = abs(v[i] - u[i])                                        err = max(err, abs(v[i] - u[i]))
        if d > err:
            err = d; kind = 1

An *update* is `s = x if x > s else s`, or `if x > s: s = x`, where x does not need s; with it scalars may be set to constants, its *marks*, also by `m = 1 if x > s else m`.
(Python's `max(s, x)` is one, `max(x, s)` is none: it keeps an x that is no number.)

**Theorem.** Let a loop touch s, and the marks of its updates, in updates of s alone, all of one comparison and with the same marks; let values x of floats never be -0.0, and let there
be no marks where the comparison is >= or <=. Let p be the greatest of all x that are numbers, of all iterations in which the update is reached, and minus infinity if there is none.
Then the loop leaves s and the marks as one update with x = p does, behind the loop.

Proof. If s is NaN in front of the loop, no comparison holds, and p > s does not hold. Otherwise s never becomes NaN, as an x that is NaN is not greater. So s becomes the greatest
of what it was and the x that are numbers: p, if p > s, with that value's sign of zero, since equal values among the x are the same; and otherwise it stays, as no x > s. A mark is
set if and only if some x > s, which is p > s. With >= in the place of >, s may be replaced by what equals it: so it is by p (also by minus infinity, if there is no x). Downwards
likewise. ∎
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace

from soljit.analysis.loops.zero_signs import ZeroSigns
from soljit.base.records import dataclass
from soljit.ir.core.data import Data, Scalar
from soljit.ir.core.expr import Const, Expr, Load, Memlet, Op, Sym, loads, subexpressions, symbols
from soljit.ir.core.nodes import Branch, Let, Loop, Node, Program, Region, Tasklet
from soljit.ir.core.types import DType
from soljit.ir.symbolic import arms, conj
from soljit.ir.walk import data_used, rewrite, substitute, symbols_used, walk

_MOST = 8  # statements with an update
_TURNED = {"gt": "lt", "ge": "le", "lt": "gt", "le": "ge"}


@dataclass(frozen=True)
class Update:
    """`s = value if (value compare s) else s`, where `condition` holds.

    compare: gt, ge, lt or le
    marks:   scalars that are set with it, and to what
    lets:    definitions that only serve it
    gone:    these, and what sets marks beside it
    flags:   marks that are 0 or 1
    """

    scalar: str
    dtype: DType
    compare: str
    value: Expr
    condition: Expr
    marks: tuple[tuple[str, Const], ...]
    lets: frozenset[str]
    gone: frozenset[Node]
    flags: frozenset[str]

    @property
    def up(self) -> bool:
        """Tell whether it is replaced by greater values."""
        return self.compare in ("gt", "ge")

    @property
    def strict(self) -> bool:
        """Tell whether what equals it does not replace it."""
        return self.compare in ("gt", "lt")


def running_extremes(program: Program, loop: Loop, signs: ZeroSigns) -> dict[str, Update]:
    """One update for each scalar that the loop touches in its updates alone."""
    found: dict[str, list[Update]] = {}
    for region in walk(loop.body):
        if isinstance(region, Region):
            for k in range(len(region.nodes)):
                u = update_at(region, k, program.data)
                if u is not None:
                    found.setdefault(u.scalar, []).append(u)
    alike = {s: us[0] for s, us in sorted(found.items()) if len({(u.compare, u.marks) for u in us}) == 1}
    alike = {s: u for s, u in alike.items() if u.strict or not u.marks}
    alike = {s: u for s, u in alike.items() if all(map(signs.is_flag, u.flags))}
    plain = {s: u for s, u in alike.items() if all(_is_exact(x, signs) for x in found[s])}
    while plain:
        rest = without_updates(loop, plain, program.data, lambda _: ())
        used = data_used(rest) | symbols_used(rest)
        shared = Counter(name for s, u in plain.items() for name in {s, *(m for m, _ in u.marks)})
        used |= {name for name, count in shared.items() if count > 1}
        touched = {s for s, u in plain.items() if not used.isdisjoint({s, *u.lets, *(m for m, _ in u.marks)})}
        if not touched:
            break
        plain = {s: u for s, u in plain.items() if s not in touched}
    return plain


def _is_exact(u: Update, signs: ZeroSigns) -> bool:
    return u.dtype.kind in "iu" or (u.dtype.name in ("f32", "f64") and signs.without_minus(u.value, u.condition))


# --- updates ----------------------------------------------------------------------------------------------------------


def without_updates(
    loop: Loop, wanted: Collection[str], data: Mapping[str, Data], instead: Callable[[Update], Iterable[Node]]
) -> Loop:
    """The loop with something else in the place of its updates of these scalars."""

    def fn(n: Node) -> Node | None:
        if not isinstance(n, Region):
            return None
        found = {k: u for k in range(len(n.nodes)) if (u := update_at(n, k, data)) is not None and u.scalar in wanted}
        if not found:
            return None
        gone = {x for u in found.values() for x in u.gone}
        nodes: list[Node] = []
        for k, x in enumerate(n.nodes):
            nodes += instead(found[k]) if k in found else () if x in gone else (x,)
        return replace(n, nodes=tuple(nodes))

    return rewrite(loop, fn)


def update_at(region: Region, k: int, data: Mapping[str, Data]) -> Update | None:
    """The update that node number k of a region is."""
    match region.nodes[k]:
        case Tasklet(out=out, code=code) if out.wcr is None:
            d = data.get(out.data)
            if not isinstance(d, Scalar) or d.dtype.kind != "f" or not isinstance(code, Op | Sym):
                return None  # that of integers is an accumulation as it is
            front = _Front(region, k, data, out.data)
            found = _chosen(substitute(code, front.own), out)
            return None if found is None else front.update(found, front.marks(found.test))
        case Branch() as n if not n.orelse.nodes and len(n.then.nodes) <= _MOST:
            written = [x for x in n.then.nodes if isinstance(x, Tasklet)]
            for t in written:
                front = _Front(region, k, data, t.out.data)
                found = _guarded(n, t, front.own)
                if found is not None:
                    marks = ((x.out.data, x.code) for x in written if x is not t and isinstance(x.code, Const))
                    return front.update(found, {name: (value, {}) for name, value in marks})
    return None


@dataclass(frozen=True)
class _Found:
    """test: the comparison with the scalar"""

    compare: str
    test: Expr
    value: Expr
    condition: Expr


_Marks = dict[str, tuple[Const, Mapping[str, Expr]]]  # scalar → what it is set to, and definitions by it


class _Front:
    """What stands close in front of node k of a region: definitions, and scalars that are set.

    own: what is defined by the scalar `name`, without symbols that are
    """

    def __init__(self, region: Region, k: int, data: Mapping[str, Data], name: str) -> None:
        self.data, self.name = data, name
        first = k
        while first and self._is_of_it(region.nodes[first - 1]):
            first -= 1
        self.nodes = region.nodes[first:k]
        self.own = self._defined_by(name)

    def _is_of_it(self, n: Node) -> bool:
        if isinstance(n, Tasklet):
            return n.out.data != self.name and isinstance(self.data.get(n.out.data), Scalar)
        return isinstance(n, Let)

    def _defined_by(self, name: str) -> dict[str, Expr]:
        own: dict[str, Expr] = {}
        for n in self.nodes:
            if isinstance(n, Let):
                value = substitute(n.value, own)
                if any(x.memlet.data == name for x in loads(value)):
                    own[n.name] = value
        return own

    def marks(self, test: Expr) -> _Marks:
        """Flags that are set where the comparison holds, and stay as they are where it does not."""
        found: _Marks = {}
        for n in self.nodes:
            if isinstance(n, Tasklet) and n.out.wcr is None and n.out.data not in found:
                by_it = self._defined_by(n.out.data)
                code = substitute(n.code, {**self.own, **by_it})
                value = _set_by(code, test, Load(n.out, n.code.dtype))
                if value is not None:
                    found[n.out.data] = Const(value, n.code.dtype), by_it
        return found

    def update(self, found: _Found, marks: _Marks) -> Update | None:
        """The update, if what it needs is the same in front of all this."""
        d = self.data.get(self.name)
        read = {x.memlet.data for e in (found.value, found.condition) for x in loads(e)}
        between = {n.out.data for n in self.nodes if isinstance(n, Tasklet)}
        lets = {*self.own, *(name for _, by_it in marks.values() for name in by_it)}
        used = symbols(found.value) | symbols(found.condition)
        if not isinstance(d, Scalar) or self.name in read or not read.isdisjoint(between) or not lets.isdisjoint(used):
            return None
        gone: set[Node] = {n for n in self.nodes if isinstance(n, Let) and n.name in lets}
        setting = [n for n in self.nodes if isinstance(n, Tasklet) and n.out.data in marks]
        gone.update(setting)
        flags = frozenset(n.out.data for n in setting)
        plain = tuple((name, value) for name, (value, _) in marks.items())
        return Update(
            self.name,
            d.dtype,
            found.compare,
            found.value,
            found.condition,
            plain,
            frozenset(lets),
            frozenset(gone),
            flags,
        )


def _set_by(code: Expr, test: Expr, old: Load) -> int | None:
    """What a flag is set to, 0 or 1, where the test holds, if it keeps what it was where it does not."""
    if test not in subexpressions(code):
        return None
    held = [[_number(code, {test: t, old: m}) for m in (0, 1)] for t in (1, 0)]
    return held[0][0] if held[1] == [0, 1] and held[0][0] == held[0][1] else None


def _number(e: Expr, known: Mapping[Expr, int]) -> int | None:
    """An expression of truth values by numbers, if these are all that it needs."""
    if e in known:
        return known[e]
    match e:
        case Const(value=bool() | int() as v):
            return int(v)
        case Op("select", (c, a, b)):
            chosen = _number(c, known)
            return None if chosen is None else _number(a if chosen else b, known)
        case Op("eq" | "ne" as name, (a, b)):
            x, y = _number(a, known), _number(b, known)
            return None if x is None or y is None else int((x == y) == (name == "eq"))
    return None


def _chosen(code: Expr, out: Memlet) -> _Found | None:
    """Of `x if x > s else s`, with conditions besides."""
    match code:
        case Op("select", (condition, value, Load(memlet=old))) if old == out:
            return _compared(condition, value, out)
    return None


def _guarded(n: Branch, t: Tasklet, own: Mapping[str, Expr]) -> _Found | None:
    """Of `if x > s: s = x`, with conditions besides, and scalars that are set to constants."""
    inside = dict(own)
    for x in n.then.nodes:
        match x:
            case Let():
                inside[x.name] = substitute(x.value, inside)
            case Tasklet() if x.out.subset or x.out.wcr is not None:
                return None
            case Tasklet() if x is not t and not isinstance(x.code, Const):
                return None
            case Tasklet():
                pass
            case _:
                return None
    return _compared(substitute(n.cond, own), substitute(t.code, inside), t.out)


def _compared(condition: Expr, value: Expr, out: Memlet) -> _Found | None:
    parts = arms("land", condition)
    for c in parts:
        match c:
            case Op("gt" | "ge" | "lt" | "le", (a, Load(memlet=old))) if old == out and a == value:
                compare = c.name
            case Op("gt" | "ge" | "lt" | "le", (Load(memlet=old), a)) if old == out and a == value:
                compare = _TURNED[c.name]
            case _:
                continue
        return _Found(compare, c, value, conj(*(x for x in parts if x is not c)))
    return None
