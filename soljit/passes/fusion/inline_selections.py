"""Use selected elements where they stand, without gathering them.

    k = 0                                                  for i in map(range(n)):
    for i in range(n):                                         if mask[i]:
        if mask[i]:                                                s += x[i] * 2.0
            t[k] = x[i]                              →
            k = k + 1
    for j in map(range(m)): s += t[j] * 2.0

    (the same gathering, then)                             for i in map(range(n)):
    for j in map(range(m)): u[j] = exp(t[j])         →         if mask[i]:
    q = 0                                                          x[i] = exp(x[i])
    for i in range(n):
        if mask[i]:
            x[i] = u[q]
            q = q + 1

So `x[x > 0].sum()` and `x[m] = f(x[m])` make one pass over `x`.

Proof: the gathering loop puts the elements for which the condition holds into t[0], t[1], … in order; a map over t's
length whose subscripts of such arrays are all its own variable therefore sees exactly these elements, once each; so
does a loop that counts under an equal condition. Conditions are equal if they are equal trees over equal spans and
nothing that they load is written in between; the same holds for the gathered values. If one reader of t cannot be
rewritten, none is.

canonicalize, share_maps (one mask for equal conditions) and share_values must come earlier; eliminate_dead_code removes
what was gathered, and fuse_maps joins the computation of the mask.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeGuard

from soljit.analysis.memory.accesses import aliases, effects, names_written
from soljit.analysis.memory.occurrences import Place, exposed, places
from soljit.analysis.memory.overlap import meet_only_in_same_iteration
from soljit.base.records import dataclass
from soljit.ir.core.data import Array, Scalar
from soljit.ir.core.expr import Expr, Extent, Load, Memlet, Op, Range, Stride, Sym, is_const, subexpressions
from soljit.ir.core.nodes import Branch, Let, Loop, Map, Node, Program, Region, Tasklet
from soljit.ir.core.types import i64
from soljit.ir.symbolic import equal
from soljit.ir.walk import fresh_name, names_taken, on_regions, rewrite_expr, same, substitute
from soljit.passes.manager import Context


@dataclass(frozen=True, slots=True)
class _Walk:
    """`for names in spans: if cond: stores; counter = counter + step`, the counter from 0."""

    names: tuple[str, ...]
    spans: tuple[Range, ...]
    cond: Expr
    counter: str
    step: Expr
    stores: tuple[Tasklet, ...]


@dataclass(frozen=True, slots=True)
class _Selected:
    """What `name[j]` is: `value` for the j-th element that `walk` takes, as it was at place `at` in the list of nodes."""

    walk: _Walk
    value: Expr
    at: int


def inline_selections(program: Program, cx: Context) -> Program:
    """Rewrite the readers of gathered elements in every region."""
    work = _Inliner(program, cx)
    body = work.region(program.body)
    return program if body is program.body else replace(program, body=body)


class _Inliner:
    """Walks the regions; in each it looks for gathering loops and for their readers."""

    def __init__(self, program: Program, cx: Context) -> None:
        self.program, self.cx = program, cx
        self.alias = aliases(program)
        self.places = places(program)
        self.held = exposed(program)
        self._taken: set[str] | None = None

    def region(self, region: Region) -> Region:
        """The region with its readers rewritten, and those below it."""
        nodes = self._rewritten(region.nodes)
        done = [on_regions(n, self.region) for n in nodes]
        return region if same(done, region.nodes) else replace(region, nodes=tuple(done))

    # --- one list of nodes --------------------------------------------------------------------------------------------

    def _rewritten(self, nodes: Sequence[Node]) -> Sequence[Node]:
        selected: dict[str, _Selected] = {}
        readers: dict[int, set[str]] = {}
        defines: dict[int, set[str]] = {}
        plans: dict[int, Node] = {}
        for k, node in enumerate(nodes):
            walk = self._walk(node)
            if walk is not None:
                self._gathered(walk, k, selected)
            uses = {a.data for a in effects(node).accesses if not a.write and a.data in selected} if selected else set()
            if not uses:
                continue
            readers[k] = uses
            if walk is not None:
                new: Node | None = self._scattered(walk, node, k, uses, selected, nodes)
            elif isinstance(node, Map):
                found = self._mapped(node, k, uses, selected, nodes)
                new = None if found is None else found[0]
                if found is not None:
                    defines[k] = set(found[1])
                    selected.update(found[1])
            else:
                new = None
            if new is not None:
                plans[k] = new
        self._drop_broken(nodes, selected, readers, defines, plans)
        if not any(plan is not nodes[k] for k, plan in plans.items()):
            return nodes
        for k, plan in plans.items():
            if plan is not nodes[k]:
                self.cx.note(nodes[k].loc, "selected in place")
        return [plans.get(k, n) for k, n in enumerate(nodes)]

    def _drop_broken(
        self,
        nodes: Sequence[Node],
        selected: Mapping[str, _Selected],
        readers: Mapping[int, set[str]],
        defines: Mapping[int, set[str]],
        plans: dict[int, Node],
    ) -> None:
        """Give up every plan that reads something which somebody else still needs as an array."""
        good = set(selected)
        while True:
            planned = {id(nodes[k]) for k in plans}
            bad = {t for t in good if not all(_is_below(p, planned) for p in self.places[t] if p.kind == "load")}
            if not bad:
                return
            good -= bad
            for k in [k for k in plans if readers[k] & bad or defines.get(k, set()) & bad]:
                del plans[k]

    def _gathered(self, walk: _Walk, k: int, selected: dict[str, _Selected]) -> None:
        """Take the arrays into which `walk` gathers up."""
        if not is_const(walk.step, 1):
            return
        for store in walk.stores:
            name, counter = store.out.data, Load(Memlet(walk.counter), i64)
            if store.out.subset == (counter,) and counter not in subexpressions(store.code) and self._is_own(name):
                selected[name] = _Selected(walk, store.code, k)

    def _is_own(self, name: str) -> bool:
        """Tell whether this is a temporary of one dimension with one store, and loads otherwise."""
        d, found = self.program.data.get(name), self.places.get(name, [])
        if not isinstance(d, Array) or not d.transient or len(d.shape) != 1 or name in self.held:
            return False
        kinds = [p.kind for p in found]
        return kinds.count("store") == kinds.count("alloc") == 1 and "other" not in kinds

    def _mapped(
        self, m: Map, k: int, uses: set[str], selected: Mapping[str, _Selected], nodes: Sequence[Node]
    ) -> tuple[Node, dict[str, _Selected]] | None:
        """A map over selected elements: what stands for it, and what it defines elementwise."""
        if len(m.vars) != 1 or m.schedule or m.private or not is_const(m.spans[0].start, 0):
            return None
        lengths = [self._length(t) for t in sorted(uses)]
        if not is_const(m.spans[0].step, 1) or any(not equal(n, m.spans[0].stop) for n in lengths):
            return None
        first = self._common(sorted(uses), k, selected, nodes)
        if first is None:
            return None
        start = min(selected[t].at for t in uses)
        values: dict[str, Expr] = {}
        stores: list[Tasklet] = []
        new: dict[str, _Selected] = {}
        for n in m.body.nodes:
            code = n.value if isinstance(n, Let) else n.code if isinstance(n, Tasklet) else None
            value = None if code is None else self._spelled(code, Sym(m.vars[0]), first, selected, values)
            if value is None:
                return None
            if isinstance(n, Let):
                values[n.name] = value
            elif isinstance(n, Tasklet) and self._is_sum(n):
                stores.append(replace(n, code=value))
            elif isinstance(n, Tasklet) and n.out.subset == (Sym(m.vars[0]),) and self._is_own(n.out.data):
                if n.out.wcr is not None or not equal(self._length(n.out.data), m.spans[0].stop):
                    return None
                new[n.out.data] = _Selected(first, value, start)
            else:
                return None
        if not stores:
            return m, new  # nobody reads it any more, if all goes well
        made = self._as_map(first, stores, m)
        read = {a.data for a in effects(made).accesses if not a.write}
        return (made, new) if not new and not self.alias.any_alias(read, [n.out.data for n in stores]) else None

    def _scattered(
        self, walk: _Walk, node: Node, k: int, uses: set[str], selected: Mapping[str, _Selected], nodes: Sequence[Node]
    ) -> Node | None:
        """A loop that puts selected elements back under an equal condition: a map."""
        first = self._common(sorted(uses), k, selected, nodes)
        if first is None or _condition(first) != _condition(walk):
            return None
        if not is_const(walk.step, 1) and not all(_is_stretch(walk.step, self._length(t)) for t in uses):
            return None
        stores = []
        for store in walk.stores:
            value = self._spelled(store.code, Load(Memlet(walk.counter), i64), walk, selected, {})
            if value is None or store.out.wcr is not None or not all(isinstance(s, Expr) for s in store.out.subset):
                return None
            if any(walk.counter == x.memlet.data for e in store.out.children for x in subexpressions(e) if _loads(x)):
                return None
            stores.append(replace(store, code=value))
        made = self._as_map(walk, stores, node)
        inner = Region(made.body.nodes)
        accesses = list(dict.fromkeys(effects(inner).accesses))
        for p in (a for a in accesses if a.write):
            for q in accesses:
                if self.alias.may_alias(p.data, q.data) and not meet_only_in_same_iteration(p, q, made.vars):
                    return None
        return made

    # --- pieces -------------------------------------------------------------------------------------------------------

    def _common(
        self, uses: Sequence[str], k: int, selected: Mapping[str, _Selected], nodes: Sequence[Node]
    ) -> _Walk | None:
        """The one walk that selected all of these, if what it and they depend on is still what it was."""
        first = selected[uses[0]].walk
        for t in uses:
            s = selected[t]
            if _condition(s.walk) != _condition(first):
                return None
            sources = {x.memlet.data for e in (s.value, s.walk.cond) for x in subexpressions(e) if _loads(x)}
            if any(isinstance(x, (Extent, Stride)) for e in (s.value, s.walk.cond) for x in subexpressions(e)):
                return None
            for n in nodes[s.at + 1 : k]:
                if self.alias.any_alias(sources, names_written(n)):
                    return None
        return first

    def _spelled(
        self, e: Expr, index: Expr, walk: _Walk, selected: Mapping[str, _Selected], values: Mapping[str, Expr]
    ) -> Expr | None:
        """`e` with selected elements at `index` replaced by their values in terms of `walk`'s variables."""
        wrong = False

        def fn(x: Expr) -> Expr | None:
            nonlocal wrong
            if isinstance(x, Sym):
                return values.get(x.name)
            if isinstance(x, Load) and x.memlet.data in selected:
                s = selected[x.memlet.data]
                (at,) = x.memlet.subset
                if not (isinstance(at, Expr) and _is_index(at, index, self._length(x.memlet.data))):
                    wrong = True
                    return None
                return substitute(s.value, {a: Sym(b) for a, b in zip(s.walk.names, walk.names)})
            return None

        out = rewrite_expr(e, fn)
        return None if wrong or any(x == index for x in subexpressions(out)) else out

    def _length(self, name: str) -> Expr:
        d = self.program.data[name]
        assert isinstance(d, Array)
        return d.shape[0]

    def _is_sum(self, n: Tasklet) -> bool:
        return n.out.wcr is not None and isinstance(self.program.data.get(n.out.data), Scalar)

    def _as_map(self, walk: _Walk, stores: Sequence[Tasklet], instead: Node) -> Map:
        """The stores for all elements that the walk takes, in any order."""
        names: dict[str, Expr] = {}
        for v in walk.names:
            if self._taken is None:
                self._taken = names_taken(self.program)
            name = fresh_name(v, self._taken)
            self._taken.add(name)
            names[v] = Sym(name)
        spans = tuple(substitute(s, names) for s in walk.spans)
        body = tuple(
            replace(s, out=substitute(s.out, names), code=substitute(s.code, names), loc=instead.loc) for s in stores
        )
        branch = Branch(substitute(walk.cond, names), Region(body, loc=instead.loc), loc=instead.loc)
        variables = tuple(x.name for x in names.values() if isinstance(x, Sym))
        return Map(variables, spans, Region((branch,), loc=instead.loc), loc=instead.loc)

    def _walk(self, node: Node) -> _Walk | None:
        """The loop as a walk over selected elements, or None."""
        names: list[str] = []
        spans: list[Range] = []
        while isinstance(node, Loop) and len(node.body.nodes) == 1:
            names.append(node.var)
            spans.append(node.span)
            node = node.body.nodes[0]
        if not names or not isinstance(node, Branch) or node.orelse.nodes or len(node.then.nodes) < 2:
            return None
        *stores, last = node.then.nodes
        if not isinstance(last, Tasklet) or not all(isinstance(n, Tasklet) for n in stores):
            return None
        counter = last.out.data
        step = _step(last)
        if last.out.wcr is not None or not isinstance(self.program.data.get(counter), Scalar) or step is None:
            return None
        if any(isinstance(x, Load) and x.memlet.data == counter for x in subexpressions(node.cond)):
            return None
        outside = [p for p in self.places[counter] if not any(a is node for a in p.above)]
        if len(outside) != 1 or not isinstance(outside[0].node, Tasklet) or not is_const(outside[0].node.code, 0):
            return None
        written = {n.out.data for n in stores if isinstance(n, Tasklet)}
        if self.alias.any_alias(written, [x.memlet.data for x in subexpressions(node.cond) if isinstance(x, Load)]):
            return None
        return _Walk(
            tuple(names), tuple(spans), node.cond, counter, step, tuple(n for n in stores if isinstance(n, Tasklet))
        )


def _is_below(p: Place, nodes: set[int]) -> bool:
    return id(p.node) in nodes or any(id(a) in nodes for a in p.above)


def _loads(x: Expr) -> TypeGuard[Load]:
    return isinstance(x, Load)


def _condition(walk: _Walk) -> tuple[object, ...]:
    """The walk without names: equal conditions select the same elements."""
    names: dict[str, Expr] = {v: Sym(f"%{k}") for k, v in enumerate(walk.names)}
    return tuple(substitute(s, names) for s in walk.spans), substitute(walk.cond, names)


def _is_index(at: Expr, index: Expr, length: Expr) -> bool:
    """Tell whether `at` is the index, or the index stretched as broadcasting does it: times 0 if the length is 1, else times 1."""
    if at == index:
        return True
    match at:
        case Op(name="mul", args=(a, b)):
            return (a == index and _is_stretch(b, length)) or (b == index and _is_stretch(a, length))
        case _:
            return False


def _is_stretch(e: Expr, length: Expr) -> bool:
    match e:
        case Op(name="select", args=(Op(name="eq", args=(n, one)), zero, step)):
            return equal(n, length) and is_const(one, 1) and is_const(zero, 0) and is_const(step, 1)
        case _:
            return False


def _step(last: Tasklet) -> Expr | None:
    """What this statement adds to its own scalar."""
    own = Load(Memlet(last.out.data), i64)
    match last.code:
        case Op(name="add", args=(a, b)):
            return b if a == own else a if b == own else None
        case _:
            return None
