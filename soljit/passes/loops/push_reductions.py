"""Combine what earlier iterations found when they find it, for all later iterations at once, instead of by each of these later.

    for j in range(a, b):                                    alloc(sums); with map(q=range(a, b)): sums[q] = -inf
        s = …                                                for j in range(a, b):
        with map(k=range(a, j)):                                 s = …
            s = wcr.max(best[i, k] + best[k + 1, j])      →      s = wcr.max(sums[j])
        best[i, j] = s                                           best[i, j] = s
                                                                 found = best[i, j]
                                                                 with map(q=range(j + 1, b)):
                                                                     sums[q] = max(sums[q], found + best[j + 1, q])

The loads that go down a column, a row apart each, go along a row; and the map runs in vectors without gathering. Programs that look for the best place to cut an interval
are of this kind: folding of sequences, orders of products,
trees for searching, parsing.

Right if (`why_not_push`)

* the map combines one term an iteration into a scalar, by an operation on integers or truth values whose result does not depend on the order; k runs from what does not
  change in the loop to j;
* what the term reads and the loop writes is only the element S(k), where S(j) is the only element of its container that iteration j writes, another one for each j; or
  elements that no iteration of the loop writes;
* the loop ends at its end, and the term uses nothing else of its iteration.

Proof. The pairs (k, j) with a <= k < j < b are the same. The term of a pair is computed in iteration k behind S(k), instead of in iteration j > k: S(k) is written in no
iteration between, the rest that it reads in none of the loop, so
it is the same value. `sums[j]` has been given the terms of all k < j before iteration j reads it, and the order in which they are combined with each other and with what
`s` was before does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from typing import TypeVar

from soljit.analysis.loops.affine_region import region_of
from soljit.analysis.memory.accesses import Access, aliases, effects
from soljit.analysis.memory.affine import affine, names_in, step
from soljit.base.records import dataclass
from soljit.base.sentences import Said, said
from soljit.ir.core.data import Array, Data, Scalar
from soljit.ir.core.expr import (
    ONE,
    ZERO,
    Const,
    Expr,
    Extent,
    Load,
    Memlet,
    Op,
    Range,
    Stride,
    Sym,
    loads,
    subexpressions,
)
from soljit.ir.core.nodes import Alloc, Branch, Let, Loop, Map, Node, Program, Region, Tasklet
from soljit.ir.core.types import DType
from soljit.ir.symbolic import Facts, add, equal, is_index, le, lt, maximum, sub
from soljit.ir.walk import FreshNames, map_exprs, on_regions, rename_symbols, substitute, substitute_in, walk
from soljit.passes.loops.held_elements import hold, why_not_hold
from soljit.passes.manager import Context
from soljit.schedule.policy import YES, Choice

_EXACT = {"add": 0, "mul": 1, "bor": 0, "bxor": 0, "band": -1}  # with what they begin
_ORDERED = ("min", "max")
_NEAR = 8  # elements
T = TypeVar("T")


def push_reductions(program: Program, cx: Context) -> Program:
    """Push where that is right and brings neighbours in memory together."""
    worker = _Pusher(program, cx, FreshNames(program))
    body = worker.region(program.body, cx.facts(program))
    return program if body is program.body else replace(program, body=body, data={**program.data, **worker.made})


@dataclass(frozen=True)
class Pull:
    """A map that combines terms of earlier iterations.

    lets, code: the term; out: the scalar, with its wcr
    target:     S(j)
    """

    map: Map
    lets: tuple[Let, ...]
    code: Expr
    out: Memlet
    target: Memlet


class _Pusher:
    def __init__(self, program: Program, cx: Context, fresh: FreshNames) -> None:
        self.program, self.cx, self.fresh = program, cx, fresh
        self.made: dict[str, Data] = {}

    def region(self, region: Region, facts: Facts) -> Region:
        """The region with its loops pushing. facts: what holds in it."""
        out: list[Node] = []
        changed = False
        for n in region.nodes:
            if isinstance(n, Let) and is_index(n.value):
                facts = facts.define(Sym(n.name), n.value)
            inside = facts.with_loop(n.var, n.span) if isinstance(n, Loop) else facts
            new = n if isinstance(n, Map) else on_regions(n, partial(self.region, facts=inside))
            found = self.pushed(new, facts) if isinstance(new, Loop) else None
            out += [new] if found is None else found
            changed |= found is not None or new is not n
        return replace(region, nodes=tuple(out)) if changed else region

    def pushed(self, loop: Loop, facts: Facts) -> list[Node] | None:
        """The loop with its first map that combines terms of earlier iterations doing so when they are found; None if there is none."""
        for at, m in enumerate(loop.body.nodes):
            if not isinstance(m, Map) or not any(isinstance(n, Tasklet) and n.out.wcr for n in m.body.nodes):
                continue
            program, whole, at = self.with_scalar(loop, at, m, facts)
            m = whole.body.nodes[at]
            assert isinstance(m, Map)
            found = why_not_push(program, whole, m, facts)
            wanted, reason = _wanted(program, whole, found), found if isinstance(found, Said) else None
            choice = self.cx.policy.decide("push", (m,), _always(wanted), _always(reason))
            if isinstance(found, Pull) and isinstance(choice, Choice):
                self.cx.note(m.loc, "pushed", name=found.target.data)
                self.made.update({found.out.data: program.data[found.out.data]})
                return self._write(whole, at, found, facts)
        return None

    def with_scalar(self, loop: Loop, at: int, m: Map, facts: Facts) -> tuple[Program, Loop, int]:
        """The loop with a scalar for the element of an array into which the map combines integers, if there is one, and the map's place in it."""
        last = m.body.nodes[-1]
        d = self.program.data.get(last.out.data) if isinstance(last, Tasklet) else None
        if not isinstance(last, Tasklet) or not isinstance(d, Array) or d.dtype.kind not in "iu":
            return self.program, loop, at
        element = replace(last.out, wcr=None)
        if why_not_hold(self.program, loop, element, facts) is not None:
            return self.program, loop, at
        name = self.fresh(f"{element.data}_element")
        program = replace(self.program, data={**self.program.data, name: Scalar(d.dtype)})
        return program, hold(loop, element, Load(Memlet(name), d.dtype)), at + 1

    def _write(self, loop: Loop, at: int, found: Pull, facts: Facts) -> list[Node]:
        m, loc, span = found.map, found.map.loc, loop.span
        dtype = self.made[found.out.data].dtype
        base = ZERO if facts.holds(le(ZERO, span.start)) else span.start
        name, first, q = self.fresh("sums"), Sym(self.fresh(loop.var)), Sym(self.fresh(loop.var))
        length = sub(span.stop, base)
        self.made[name] = Array(dtype, (length if facts.holds(le(ZERO, length)) else maximum(ZERO, length),))

        def element(j: Expr) -> Memlet:
            return Memlet(name, (sub(j, base),))

        value = Load(found.target, self.program.data[found.target.data].dtype)
        known = Sym(self.fresh("found"), value.dtype)
        at_k = substitute(found.target, {loop.var: Sym(m.vars[0])})
        body = map_exprs(
            Region((*found.lets, Tasklet(element(Sym(loop.var)), found.code, loc=loc))), _known(at_k, known)
        )
        body = rename_symbols(body, {n.name: self.fresh(n.name) for n in found.lets})
        body = substitute_in(body, {m.vars[0]: Sym(loop.var), loop.var: q})
        *lets, last = body.nodes
        assert isinstance(last, Tasklet) and found.out.wcr is not None
        code = Op(found.out.wcr, (Load(last.out, dtype), last.code), dtype)
        inner = Region((*lets, replace(last, code=code)), loc=m.body.loc)
        push: list[Node] = [Let(known.name, value, loc=loc)]
        push.append(Map((q.name,), (Range(add(Sym(loop.var), ONE), span.stop, ONE),), inner, loc=loc))
        if not facts.equal(m.spans[0].start, span.start):
            push = [Branch(le(m.spans[0].start, Sym(loop.var)), Region(tuple(push), loc=loc), loc=loc)]
        pulled = Tasklet(found.out, Load(element(Sym(loop.var)), dtype), loc=loc)
        nodes = (*loop.body.nodes[:at], pulled, *loop.body.nodes[at + 1 :], *push)
        begin = Tasklet(element(first), _identity(found.out.wcr, dtype), loc=loc)
        filled = Map((first.name,), (span,), Region((begin,), loc=loc), loc=loc)
        return [Alloc(name, loc=loc), filled, replace(loop, body=replace(loop.body, nodes=nodes))]


def _always(answer: T) -> Callable[..., T]:
    return lambda *_: answer


def _known(m: Memlet, value: Expr) -> Callable[[Expr], Expr | None]:
    return lambda e: value if isinstance(e, Load) and _same(e.memlet, m) else None


def _same(a: Memlet, b: Memlet) -> bool:
    return a.data == b.data and all(
        isinstance(s, Expr) and isinstance(t, Expr) and equal(s, t) for s, t in zip(a.subset, b.subset, strict=True)
    )


def _identity(op: str, dtype: DType) -> Const:
    values = {"min": dtype.highest, "max": dtype.lowest}
    return Const(values.get(op, _EXACT.get(op, 0)), dtype)


def _wanted(program: Program, loop: Loop, found: Pull | Said) -> Choice | None:
    """Where loads of the term lie apart for neighbours in k, and together for neighbours in j."""
    if isinstance(found, Said):
        return None
    lets = region_of(found.map.body).lets
    (k,) = found.map.vars
    at_k = substitute(found.target, {loop.var: Sym(k)})
    far = False
    for x in _loads(found):
        m = substitute(x.memlet, lets)
        if not _same_element(m, at_k):
            if abs(step(program.data, m, loop.var)) > 1:
                return None
            far |= abs(step(program.data, m, k)) > _NEAR
    return YES if far else None


# --- is it right? -----------------------------------------------------------------------------------------------------


def why_not_push(program: Program, loop: Loop, m: Map, facts: Facts) -> Pull | Said:
    """What the map combines, or why each iteration has to do that for itself."""
    e = effects(loop.body)
    if e.python or e.leaves or e.binds or e.allocs or loop.span.step != ONE:
        return said("leaves")
    *lets, last = m.body.nodes
    if len(m.vars) != 1 or m.schedule or m.private or not all(isinstance(n, Let) for n in lets):
        return said("no pull")
    if not isinstance(last, Tasklet) or not isinstance(program.data[last.out.data], Scalar):
        return said("no pull")
    dtype = program.data[last.out.data].dtype
    if last.out.wcr not in (*_EXACT, *_ORDERED) or dtype.kind not in "iu" or last.code.dtype != dtype:
        return said("order of terms")
    (span,), changing = m.spans, e.defines | {loop.var}
    if span.step != ONE or span.stop != Sym(loop.var) or not _stays(span.start, changing):
        return said("no pull")
    if not facts.holds(le(loop.span.start, span.start)):
        return said("no pull")
    made = {n.name for n in lets if isinstance(n, Let)}
    found = Pull(m, tuple(n for n in lets if isinstance(n, Let)), last.code, last.out, Memlet(""))
    if not (effects(m.body).uses & changing) <= {*made, *m.vars, loop.var}:
        return said("no pull")
    return _target(program, loop, found, facts)


def _target(program: Program, loop: Loop, found: Pull, facts: Facts) -> Pull | Said:
    """With S(j), if all that the term reads is there in time."""
    e, alias, lets = effects(loop.body), aliases(program), region_of(found.map.body).lets
    (k,) = found.map.vars
    later = Sym(f"{loop.var}'")
    inside = facts.with_loop(loop.var, loop.span).with_loop(k, found.map.spans[0]).with_loop(later.name, loop.span)
    written = {a.data for a in e.writes}
    target: Memlet | None = None
    for x in _loads(found):
        m = substitute(x.memlet, lets)
        other = next((w for w in sorted(written) if w != m.data and alias.may_alias(w, m.data)), None)
        if other is not None:
            return said("overlap", name=m.data, other=other)
        stores = list(dict.fromkeys(a for a in e.writes if a.data == m.data))
        if not stores:
            continue
        single = _single(loop, stores, e.defines) if len(stores) == 1 else None
        if single is not None and _same_element(m, substitute(single, {loop.var: Sym(k)})):
            if target not in (None, single):
                return said("no pull")
            target = single
        elif not all(_apart(m, a, loop.var, later, inside, e.defines - {k}) for a in stores):
            return said("others' elements", name=m.data)
    return said("no pull") if target is None else replace(found, target=target)


def _loads(found: Pull) -> list[Load]:
    return [x for e in (*(n.value for n in found.lets), found.code) for x in loads(e)]


def _single(loop: Loop, stores: list[Access], defined: frozenset[str]) -> Memlet | None:
    """The element that each iteration writes once, another one each."""
    (a,) = stores
    if a.loops or a.wcr or not a.certain or not a.subset:
        return None
    if not all(isinstance(s, Expr) and _stays(s, defined) for s in a.subset):
        return None
    forms = [affine(s, (loop.var,)) for s in a.subset if isinstance(s, Expr)]
    if any(f is None for f in forms) or not any(f is not None and f.of(loop.var) for f in forms):
        return None
    count = sum(isinstance(n, Tasklet) and n.out.data == a.data for n in walk(loop.body))
    return Memlet(a.data, a.subset) if count == 1 else None


def _apart(m: Memlet, a: Access, var: str, later: Sym, facts: Facts, defined: frozenset[str]) -> bool:
    """Tell whether no iteration writes what is loaded."""
    if a.loops or len(a.subset) != len(m.subset):
        return False
    for s, t in zip(m.subset, a.subset):
        if isinstance(s, Expr) and isinstance(t, Expr) and _stays(s, defined) and _stays(t, defined):
            t = substitute(t, {var: later})
            if facts.holds(lt(s, t)) or facts.holds(lt(t, s)):
                return True
    return False


def _same_element(a: Memlet, b: Memlet) -> bool:
    return len(a.subset) == len(b.subset) and _same(a, b)


def _stays(e: Expr, changing: Collection[str]) -> bool:
    moving = any(isinstance(x, Load | Extent | Stride) for x in subexpressions(e))
    return not moving and names_in(e).isdisjoint(changing)
