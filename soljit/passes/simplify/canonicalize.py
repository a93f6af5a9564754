"""Bring a program into one plain form: fold, propagate, unroll what runs once, drop what never runs.

    Let n = N - 2                                   for i in map(range(0, N - 2)):
    for k in range(1):                                  A[i, 0] = 0.0
        for i in map(range(0, n)):          →
            A[i, k] = where(True, 0.0, x)
    if False: …

* Symbols with a literal, another symbol, or a short sum of sizes and loop variables as value are replaced by it.
* Subscripts and spans made of sizes and loop variables get the canonical form of index algebra, so that equal ones are
  equal as trees; what may have wrapped around (computed from loaded values) is left alone.
* Behind `if c: raise …`, and in the arms of a branch, `c` is known; the same check is made only once;
  branches in a row on one condition become one.
* Loops of one iteration are replaced by their body, of none are dropped; branches on literals by their arm; code behind
  a Raise, Return, Break or Continue is dropped.
* A `Copy` between host arrays is spelled as a map, for fusion.

Nothing must come before. Dead code is `eliminate_dead_code`'s.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from soljit.analysis.memory.accesses import effects
from soljit.base.errors import InternalError
from soljit.ir.core.data import Array, Data, View
from soljit.ir.core.expr import (
    FALSE,
    TRUE,
    Cast,
    Const,
    Expr,
    Extent,
    Load,
    Memlet,
    Op,
    Range,
    Stride,
    Sym,
    const,
    subexpressions,
)
from soljit.ir.core.nodes import (
    Branch,
    Break,
    Continue,
    Copy,
    Let,
    Loop,
    Map,
    Node,
    Program,
    Raise,
    Region,
    Return,
    Tasklet,
    While,
)
from soljit.ir.core.types import b1, i64
from soljit.ir.symbolic import Facts, add, arms, equal, linear, mul, range_length, simplify
from soljit.ir.walk import Value, fresh_name, map_values, names_taken, rewrite_value, same
from soljit.ir.walk.spaces import has_blocks
from soljit.passes.manager import Context
from soljit.passes.simplify.fold_expressions import fold, fold_index_condition

_SHORT = 16  # a symbol's value with at most so many parts is written where the symbol stood


def canonicalize(program: Program, cx: Context) -> Program:
    """Fold, propagate and unroll; see the head of the file."""
    work = _Canonicalizer(program, cx.facts(program))
    body = work.region(program.body)
    data = {k: map_descriptor(d, work.value) for k, d in program.data.items()}
    if body is program.body and same(list(data.values()), list(program.data.values())):
        return program
    return replace(program, body=body, data=data)


def map_descriptor(d: Data, value: Callable[[Value], Value]) -> Data:
    """The descriptor with its expressions rewritten; itself if none changed."""
    if isinstance(d, Array):
        shape = tuple([value(x) for x in d.shape])
        strides = None if d.strides is None else tuple([value(x) for x in d.strides])
        unchanged = same(shape, d.shape) and (strides is None or same(strides, d.strides or ()))
        return d if unchanged else replace(d, shape=shape, strides=strides)  # type: ignore[arg-type]
    if isinstance(d, View):
        offset = value(d.offset)
        shape, strides = tuple([value(x) for x in d.shape]), tuple([value(x) for x in d.strides])
        unchanged = offset is d.offset and same(shape, d.shape) and same(strides, d.strides)
        return d if unchanged else replace(d, offset=offset, shape=shape, strides=strides)  # type: ignore[arg-type]
    return d


class _Canonicalizer:
    """One walk, outside first. `env` holds what symbols are replaced by; `index` the symbols that are exact indices."""

    def __init__(self, program: Program, facts: Facts) -> None:
        self.program = program
        self.facts = facts
        self.env: dict[str, Expr] = {}
        self.known: dict[Expr, Const] = {}  # conditions whose value is known where the walk stands
        self.index: set[str] = set(program.symbols)
        self.index |= {p.name for p in program.params if p.kind == "scalar" and p.dtype is i64}
        self._taken: set[str] | None = None
        self._pure: dict[Expr, bool] = {}

    # --- values -------------------------------------------------------------------------------------------------------

    def value(self, v: Value) -> Value:
        """A value on a node: substituted, folded, and canonical where it is an index."""
        v = rewrite_value(v, self._fold)
        if isinstance(v, Memlet):
            return self._memlet(v)
        if isinstance(v, Range):
            return self._range(v)
        if v.dtype is i64 and not isinstance(v, (Const, Sym)):
            return self._canonical(v)
        return v

    def _fold(self, e: Expr) -> Expr | None:
        if isinstance(e, Sym):
            return self.env.get(e.name)
        if isinstance(e, Load):
            m = self._memlet(e.memlet)
            return None if m is e.memlet else Load(m, e.dtype)
        if isinstance(e, (Op, Cast)):
            done: Expr = e
            while (simpler := fold(done)) is not None:
                done = simpler
                if not isinstance(done, (Op, Cast)):
                    return done
            if done.dtype is b1 and self.is_index(done) and (decided := fold_index_condition(done)) is not None:
                return decided
            return None if done is e else done
        return None

    def _memlet(self, m: Memlet) -> Memlet:
        subset = tuple([self._range(s) if isinstance(s, Range) else self._canonical(s) for s in m.subset])
        return m if same(subset, m.subset) else replace(m, subset=subset)

    def _range(self, r: Range) -> Range:
        start, stop, step = self._canonical(r.start), self._canonical(r.stop), self._canonical(r.step)
        return r if start is r.start and stop is r.stop and step is r.step else Range(start, stop, step)

    def _canonical(self, e: Expr) -> Expr:
        if isinstance(e, (Const, Sym)) or not self.is_index(e):
            return e
        new = simplify(e)
        return e if new == e else new

    def is_index(self, e: Expr) -> bool:
        """Tell whether `e` is made of sizes and loop variables only, so that index algebra (exact integers) applies."""
        if isinstance(e, Sym):
            return e.name in self.index
        if isinstance(e, Const):
            return True
        if isinstance(e, (Load, Extent, Stride, Cast)) or e.dtype.kind not in "ib":
            return False
        known = self._pure.get(e)
        if known is None:
            known = self._pure[e] = all(self.is_index(c) for c in e.children)
        return known

    # --- nodes --------------------------------------------------------------------------------------------------------

    def region(self, region: Region) -> Region:
        """The region with its nodes rewritten, up to the first that control does not get past."""
        out: list[Node] = []
        outside = self.known
        for node in region.nodes:
            for new in self.node(node):
                merged = _merged(out[-1], new) if out else None
                if merged is None:
                    out.append(new)
                else:
                    out[-1] = merged
            if out and ends(out[-1]):
                break
            if out and isinstance(out[-1], Branch):
                self._learn(out[-1])
        self.known = outside
        return region if same(out, region.nodes) else replace(region, nodes=tuple(out))

    def node(self, node: Node) -> tuple[Node, ...]:
        """What stands in place of `node`."""
        node = map_values(node, self.value)
        match node:
            case Let():
                return self._let(node)
            case Loop():
                return self._loop(node)
            case Map():
                return self._map(node)
            case Branch():
                return self._branch(node)
            case While():
                if isinstance(node.cond, Const) and not node.cond.value:
                    return ()
                body = self.region(node.body)
                return (node if body is node.body else replace(node, body=body),)
            case Copy():
                return self._copy(node)
            case Region():
                return self.region(node).nodes
            case _:
                return (node,)

    def _let(self, node: Let) -> tuple[Node, ...]:
        value = node.value
        if isinstance(value, (Const, Sym)):
            self.env[node.name] = value
            return ()
        if self.is_index(value) and value.dtype.kind in "ib":
            if value.dtype is i64:
                self.index.add(node.name)
            if sum(1 for _ in subexpressions(value)) <= _SHORT:
                self.env[node.name] = value
                return ()
        return (node,)

    def _loop(self, node: Loop) -> tuple[Node, ...]:
        self.index.add(node.var)
        length = _length(node.span)
        if length == 0:
            return ()
        if length == 1 and "break" not in effects(node.body).leaves:
            self.env[node.var] = node.span.start
            return self.region(node.body).nodes
        self.env.pop(node.var, None)
        body = self.region(node.body)
        if not body.nodes:
            return ()
        return (node if body is node.body else replace(node, body=body),)

    def _map(self, node: Map) -> tuple[Node, ...]:
        self.index.update(node.vars)
        keep = []
        for k, (var, span) in enumerate(zip(node.vars, node.spans)):
            length = _length(span)
            if length == 0:
                return ()
            if length == 1 and "grid" not in node.schedule and not has_blocks(node):  # a kernel keeps its shape
                self.env[var] = span.start
            else:
                self.env.pop(var, None)  # another map may have had a variable of this name
                keep.append(k)
        if not keep and not node.private:
            return self.region(node.body).nodes
        if not keep:
            keep = [0]
            self.env.pop(node.vars[0], None)
        body = self.region(node.body)
        if not body.nodes:
            return ()
        if body is node.body and len(keep) == len(node.vars):
            return (node,)
        spans = tuple(self._inner_span(node.spans[k]) for k in keep)
        schedule = tuple(node.schedule[k] for k in keep) if node.schedule else ()
        return (replace(node, vars=tuple(node.vars[k] for k in keep), spans=spans, schedule=schedule, body=body),)

    def _inner_span(self, span: Range) -> Range:
        """A span may use variables of the same map that have been replaced."""
        new = self.value(span)
        assert isinstance(new, Range)
        return new

    def _branch(self, node: Branch) -> tuple[Node, ...]:
        cond = self.known.get(node.cond, node.cond)
        if isinstance(cond, Const):
            return self.region(node.then if cond.value else node.orelse).nodes
        then, orelse = self._arm(node.then, cond, TRUE), self._arm(node.orelse, cond, FALSE)
        if not then.nodes and not orelse.nodes:
            return ()
        return (node if then is node.then and orelse is node.orelse else replace(node, then=then, orelse=orelse),)

    def _arm(self, region: Region, cond: Expr, value: Const) -> Region:
        """An arm of a branch, in which the condition has a known value."""
        outside, self.known = self.known, self._with(cond, value)
        out = self.region(region)
        self.known = outside
        return out

    def _learn(self, branch: Branch) -> None:
        """Behind `if cond: raise …` the condition is known to be false."""
        if branch.then.nodes and ends(branch.then.nodes[-1]):
            self.known = self._with(branch.cond, FALSE)
        elif branch.orelse.nodes and ends(branch.orelse.nodes[-1]):
            self.known = self._with(branch.cond, TRUE)

    def _with(self, cond: Expr, value: Const) -> dict[Expr, Const]:
        """What is known, and that `cond` has this value; only what cannot change is kept."""
        if any(isinstance(x, (Load, Extent, Stride)) for x in subexpressions(cond)):
            return self.known
        parts = arms("land" if value == TRUE else "lor", cond)
        return {**self.known, cond: value, **dict.fromkeys(parts, value)}

    def _copy(self, node: Copy) -> tuple[Node, ...]:
        """`dst[…] = src[…]` as a map over what the operands walk."""
        d, s = self.program.data.get(node.dst.data), self.program.data.get(node.src.data)
        if d is None or s is None or d.dtype != s.dtype:
            return (node,)
        if any(getattr(x, "storage", "host") != "host" for x in (d, s)):
            return (node,)
        dst, src = node.dst, node.src
        ranged = [k for k, x in enumerate(dst.subset) if isinstance(x, Range)]
        if not dst.subset or not src.subset or dst.dims != tuple(ranged) or len(src.dims) != len(ranged):
            return (node,)
        if self._taken is None:
            self._taken = names_taken(self.program)
        names: list[str] = []
        for _ in ranged:
            names.append(fresh_name("c0", self._taken))
            self._taken.add(names[-1])
        self.index.update(names)
        if any(_length_of(dst.subset[k]) is None for k in ranged):
            return (node,)
        lengths = [range_length(dst.subset[k]) for k in ranged]  # type: ignore[arg-type]
        spans = tuple(Range(const(0), self.facts.simplify(n), const(1)) for n in lengths)
        at_dst = _elements(dst, names)
        at_src = _elements(src, names)
        if at_src is None or at_dst is None:
            return (node,)
        body = Tasklet(replace(dst, subset=at_dst, axes=None), Load(Memlet(src.data, at_src), s.dtype), loc=node.loc)
        if not names:
            return (body,)
        return (Map(tuple(names), spans, Region((body,), loc=node.loc), loc=node.loc),)


def _merged(first: Node, second: Node) -> Branch | None:
    """Two branches in a row on one condition that cannot change in between, as one."""
    if not isinstance(first, Branch) or not isinstance(second, Branch) or first.cond != second.cond:
        return None
    if any(isinstance(x, (Load, Extent, Stride)) for x in subexpressions(first.cond)):
        return None
    if ends(first) or any(r.nodes and ends(r.nodes[-1]) for r in (first.then, first.orelse)):
        return None
    then = Region((*first.then.nodes, *second.then.nodes), loc=first.then.loc)
    orelse = Region((*first.orelse.nodes, *second.orelse.nodes), loc=first.orelse.loc)
    return replace(first, then=then, orelse=orelse)


def ends(node: Node) -> bool:
    """Tell whether control never gets past `node`."""
    if isinstance(node, (Raise, Return, Break, Continue)):
        return True
    if isinstance(node, Branch):
        arms = (node.then.nodes, node.orelse.nodes)
        return all(arm and ends(arm[-1]) for arm in arms)
    return False


def _length(span: Range) -> int | None:
    """The number of iterations if it is the same whatever the sizes are."""
    if equal(span.start, span.stop):
        return 0
    step = linear(span.step)
    if not step.is_const or step.const == 0:
        return None
    length = linear(range_length(span))
    return length.const if length.is_const else None


def _length_of(r: Expr | Range) -> Expr | None:
    if not isinstance(r, Range) or not linear(r.step).is_const or linear(r.step).const == 0:
        return None
    return range_length(r)


def _elements(m: Memlet, names: list[str]) -> tuple[Expr, ...] | None:
    """The subset of the element that operand index `names` walks to."""
    out: list[Expr] = []
    walked = {dim: name for name, dim in zip(names, m.dims) if dim >= 0}
    for k, s in enumerate(m.subset):
        if isinstance(s, Range):
            if k not in walked:
                return None
            out.append(add(s.start, mul(Sym(walked[k]), s.step)))
        else:
            out.append(s)
    if any(not isinstance(x, Expr) for x in out):
        raise InternalError(f"subset of {m.data} is not made of expressions")
    return tuple(out)
