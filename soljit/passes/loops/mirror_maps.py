"""Statements that read an array from both ends and overwrite it, without an array in between.

    for i in map(range(n)): t[i] = y[i] + c * y[n - 1 - i]          for i in map(range(n // 2)):
    for i in map(range(n)): y[i] = t[i]                       →         new = y[i] + c * y[n - 1 - i]
                                                                        mirrored = y[n - 1 - i] + c * y[i]
                                                                        y[i] = new
                                                                        y[n - 1 - i] = mirrored
                                                                    for i in map(range(n // 2, n - n // 2)): y[i] = y[i] + c * y[n - 1 - i]

Proof: the second map stores what the first one computed in the same iteration, and nobody else sees t. An iteration reads of y nothing but the element that it writes itself and the one that
its mirror image in the range writes. So a pair of iterations touches two elements of y that no other pair touches, and both values are there before one is stored; what is in the middle of
the range has itself as its image. Other loops of the map (columns, say) have the same range in a pair of iterations, so they are the same in all of this.

Needs maps without schedules. It comes behind the fusion of maps, which leaves a temporary only where it must.
"""

from __future__ import annotations

from dataclasses import field, replace

from soljit.analysis.memory.accesses import Aliases, aliases
from soljit.analysis.memory.occurrences import Place, exposed, places
from soljit.base.records import dataclass
from soljit.base.sentences import Said, said
from soljit.ir.core.data import Array
from soljit.ir.core.expr import ONE, ZERO, Expr, Load, Memlet, Range, Sym, const, loads, symbols
from soljit.ir.core.nodes import Alloc, Let, Map, Node, Program, Region, Tasklet
from soljit.ir.symbolic import add, equal, floordiv, sub
from soljit.ir.walk import (
    FreshNames,
    on_regions,
    rename_symbols,
    rewrite,
    same,
    substitute,
    substitute_in,
)
from soljit.passes.manager import Context
from soljit.schedule.policy import YES, Choice


def mirror_maps(program: Program, cx: Context) -> Program:
    """Let all such statements overwrite what they read."""
    worker = _Mirrors(program, cx, FreshNames(program), aliases(program), exposed(program))
    body = worker.region(program.body)
    if body is program.body:
        return program
    body = rewrite(body, lambda n: () if isinstance(n, Alloc) and n.data in worker.gone else None)
    data = {n: d for n, d in program.data.items() if n not in worker.gone}
    return replace(program, body=body, data=data)


@dataclass(frozen=True, slots=True)
class _Pair:
    """out: what the iteration writes; k: the loop that is mirrored."""

    out: Memlet
    k: int
    image: Expr


@dataclass
class _Mirrors:
    program: Program
    cx: Context
    _fresh: FreshNames
    _alias: Aliases
    _exposed: set[str]
    gone: set[str] = field(default_factory=set)  # arrays that are no longer there

    def region(self, region: Region) -> Region:
        """With the mirrored pairs of neighbours among its nodes."""
        out: list[Node] = []
        nodes = [on_regions(n, self.region) for n in region.nodes]
        for n in nodes:
            last = out[-1] if out else None
            found = self.mirrored(last, n) if isinstance(last, Map) and isinstance(n, Map) else None
            out[len(out) - (found is not None) :] = [n] if found is None else found
        return region if same(out, region.nodes) else replace(region, nodes=tuple(out))

    def mirrored(self, first: Map, second: Map) -> list[Node] | None:
        """One map over half of the range, and one over what is in the middle; None if both maps stay as they are."""
        found = self._pair(first, second)
        if found is None:
            return None
        reason = found if isinstance(found, Said) else None
        choice = self.cx.policy.decide("mirror", (first,), lambda: YES, lambda _: reason)
        if isinstance(found, Said) or not isinstance(choice, Choice):
            return None
        self.cx.note(first.loc, "mirrored", name=found.out.data)
        store = first.body.nodes[-1]
        assert isinstance(store, Tasklet)
        self.gone.add(store.out.data)
        span, var = first.spans[found.k], first.vars[found.k]
        half = floordiv(self.cx.facts(self.program).maximum(ZERO, sub(span.stop, span.start)), const(2))
        here, there = self._copy(first), self._copy(first)
        there = substitute_in(there, {var: found.image})
        values = []
        lets: list[Node] = []
        for body in (here, there):
            *before, last = body.nodes
            assert isinstance(last, Tasklet)
            new = self._fresh("new")
            lets += [*before, Let(new, last.code, loc=last.loc)]
            values.append(Sym(new, last.code.dtype))
        places_ = (found.out, substitute(found.out, {var: found.image}))
        stores = [Tasklet(m, v, loc=second.loc) for m, v in zip(places_, values)]
        pairs = replace(
            first,
            spans=_with(first.spans, found.k, Range(span.start, add(span.start, half), ONE)),
            body=Region((*lets, *stores), loc=first.body.loc),
        )
        *before, last = self._copy(first).nodes
        assert isinstance(last, Tasklet)
        middle = replace(
            first,
            spans=_with(first.spans, found.k, Range(add(span.start, half), sub(span.stop, half), ONE)),
            body=Region((*before, replace(last, out=found.out)), loc=first.body.loc),
        )
        names = {v: self._fresh(v) for v in middle.vars}
        return [pairs, rename_symbols(middle, names)]

    def _copy(self, m: Map) -> Region:
        return self._fresh.other_symbols(m.body)

    def _pair(self, first: Map, second: Map) -> _Pair | Said | None:
        """How the two maps are halves of an update from both ends; None if they are no such thing."""
        *lets, store = first.body.nodes
        if len(second.body.nodes) != 1 or len(first.vars) != len(second.vars) or first.schedule or second.schedule:
            return None
        (copy,) = second.body.nodes
        if not isinstance(store, Tasklet) or not isinstance(copy, Tasklet) or not isinstance(copy.code, Load):
            return None
        t = store.out.data
        names = {v: Sym(x) for v, x in zip(second.vars, first.vars)}
        if (
            copy.code.memlet.data != t
            or not self._is_between(t, first, second)
            or not all(isinstance(n, Let) for n in lets)
        ):
            return None
        if not all(_equal_spans(a, substitute(b, names)) for a, b in zip(first.spans, second.spans)):
            return None
        out, value = substitute(copy.out, names), substitute(copy.code.memlet, names)
        if store.out.wcr or out.wcr or not _same(value, store.out):
            return None
        codes = [*(n.value for n in lets if isinstance(n, Let)), store.code]
        read = [x.memlet for e in codes for x in loads(e) if self._alias.may_alias(x.memlet.data, out.data)]
        for k, (var, span) in enumerate(zip(first.vars, first.spans)):
            depends = set(first.vars) & _symbols_of(span) or any(var in _symbols_of(s) for s in first.spans)
            if span.step != ONE or depends:
                continue  # loops around or inside have another range for the image
            image = sub(sub(add(span.start, span.stop), ONE), Sym(var))
            mirror = substitute(out, {var: image})
            if all(m.data == out.data and (_same(m, out) or _same(m, mirror)) for m in read) and not all(
                _same(m, out) for m in read
            ):
                return _Pair(out, k, image)
        return said("no mirror", name=out.data)

    def _is_between(self, t: str, first: Map, second: Map) -> bool:
        """Tell whether nothing but these two maps sees this memory."""
        d = self.program.data.get(t)
        if not isinstance(d, Array) or not d.transient or t in self._exposed:
            return False
        found: list[Place] = places(self.program).get(t, [])
        uses = [p for p in found if p.kind != "alloc"]
        maps = (first, second)
        return len(uses) == 2 and len(found) == 3 and all(any(n is m for n in p.above) for p, m in zip(uses, maps))


def _with(spans: tuple[Range, ...], k: int, span: Range) -> tuple[Range, ...]:
    return (*spans[:k], span, *spans[k + 1 :])


def _symbols_of(span: Range) -> set[str]:
    return {n for e in span.children for n in symbols(e)}


def _equal_spans(a: Range, b: Range) -> bool:
    return all(equal(x, y) for x, y in zip(a.children, b.children, strict=True))


def _same(a: Memlet, b: Memlet) -> bool:
    """Tell whether these are the same element."""
    pairs = list(zip(a.subset, b.subset))
    return len(a.subset) == len(b.subset) and all(
        isinstance(x, Expr) and isinstance(y, Expr) and equal(x, y) for x, y in pairs
    )
