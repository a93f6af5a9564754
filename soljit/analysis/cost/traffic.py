"""How many bytes of arrays a node reads and writes, each element once: what memory has to move at least.

An element that is read and written counts twice; arrays that are made in the node count nothing. The elements of an array are those of the smallest box of subscripts
that holds them, as far as these are sums with one loop variable a dimension over loops of known lengths. A loop over the pieces of another one, as strips of threads and
tiles are, counts as that one. For everything else the answer is None, not an estimate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from soljit.analysis.cost.work import known
from soljit.analysis.memory.accesses import Access, effects
from soljit.analysis.memory.affine import mentions
from soljit.base.records import dataclass
from soljit.ir.core.data import Array, Data, Ref, Scalar, View
from soljit.ir.core.expr import ONE, Expr, Op, Range, Sym, const, subexpressions
from soljit.ir.core.nodes import Call, Map, Node, Program
from soljit.ir.core.types import obj
from soljit.ir.symbolic import add, difference, equal, linear, minimum, mul, prod, range_length, simplify, sub, total
from soljit.ir.symbolic.linear_sums import Linear
from soljit.ir.walk import substitute, walk
from soljit.ir.walk.spaces import base_of


def traffic(program: Program, node: Node) -> Expr | None:
    """The bytes of one run of `node`, over symbols that are known in front of it; None if that is not known."""
    e = effects(node)
    if e.python or e.binds or any(isinstance(n, Call) or (isinstance(n, Map) and n.until) for n in walk(node)):
        return None
    inner = e.allocs | e.private
    groups: dict[tuple[str, bool], list[Access]] = {}
    for a in e.accesses:
        if a.data in inner or not _is_array(program.data.get(a.data)):
            continue
        if not a.certain:
            return None
        for write in {a.write, a.write and a.wcr is None}:  # what is combined is read, too
            groups.setdefault((a.data, write), []).append(a)
    names = {name for name, _ in groups}
    if len({base_of(program.data, name) for name in names}) < len(names):
        return None  # one memory under two names
    sizes = [_bytes(program.data[name], accesses, e.defines) for (name, _), accesses in groups.items()]
    found = [s for s in sizes if s is not None]
    return total(found) if found and len(found) == len(sizes) else None


def _is_array(d: Data | None) -> bool:
    return isinstance(d, Ref) or (d is not None and not isinstance(d, Scalar) and bool(d.shape))


def _bytes(d: Data, accesses: list[Access], inner: frozenset[str]) -> Expr | None:
    """The bytes of the elements that these accesses of one array touch."""
    if d.dtype is obj or not isinstance(d, (Array, Ref, View)):
        return None
    boxes = [_box(a, inner) for a in accesses]
    found = [b for b in boxes if b]
    if len(found) < len(boxes) or len({len(b) for b in found}) > 1:
        return None
    lengths = [_together([b[k] for b in found]) for k in range(len(found[0]))]
    some = [n for n in lengths if n is not None]
    return mul(prod(some), const(d.dtype.size)) if len(some) == len(lengths) else None


@dataclass(frozen=True)
class _Row:
    """Subscripts of one dimension: the first one, how many, and their distance."""

    first: Expr
    length: Expr
    step: int


def _box(a: Access, inner: frozenset[str]) -> list[_Row] | None:
    """The subscripts of an access over its loops, a row a dimension."""
    spans = _whole(a)
    used: list[str] = []
    rows = []
    for s in a.subset:
        row = _of_range(s, inner) if isinstance(s, Range) else _of_subscript(s, spans, inner, used)
        if row is None:
            return None
        rows.append(row)
    return rows if rows and len(used) == len(set(used)) else None


def _whole(a: Access) -> dict[str, Range]:
    """The loops of an access, those over pieces joined; a variable that only told pieces apart is gone."""
    spans = dict(a.loops)
    for k, (t, _) in enumerate(a.loops):
        inner = [v for v, _ in a.loops[k + 1 :] if mentions(spans[v], t)]
        if len(inner) != 1 or any(mentions(s, t) for s in a.subset):
            continue
        if (joined := _joined(t, spans[t], spans[inner[0]])) is not None:
            spans[inner[0]] = joined
            del spans[t]
    return spans


def _joined(t: str, outer: Range, piece: Range) -> Range | None:
    """All of the pieces that a range is for each `t` of `outer`, if one begins where the last one ended, or they interleave."""
    by, step = linear(outer.step), linear(piece.step)
    if not (by.is_const and step.is_const and by.const and step.const):
        return None
    first = _at(piece.start, t, outer.start)
    length = sub(outer.stop, outer.start) if by.const == 1 else range_length(outer)
    if by.const == 1 and not mentions(piece.stop, t) and equal(piece.step, length):
        one_apart = equal(_at(piece.start, t, add(Sym(t), ONE)), add(piece.start, ONE))
        return Range(first, piece.stop, ONE) if one_apart else None
    if any(mentions(x, t) and c % step.const for x, c in linear(piece.start).terms):
        return None  # they do not begin a whole number of steps apart
    following = _at(piece.start, t, add(Sym(t), outer.step))
    last = _at(piece.start, t, add(outer.start, mul(outer.step, length)))
    if equal(piece.stop, following):
        return Range(first, last, piece.step)
    ends = piece.stop.args if isinstance(piece.stop, Op) and piece.stop.name == "min" else ()
    whole = [x for x in ends if not mentions(x, t)]
    if len(ends) == 2 and len(whole) == 1 and any(equal(x, following) for x in ends):
        return Range(first, minimum(last, whole[0]), piece.step)
    return None


def _at(e: Expr, t: str, here: Expr) -> Expr:
    return simplify(substitute(e, {t: here}))


def _of_range(s: Range, inner: frozenset[str]) -> _Row | None:
    if not all(_is_outside(x, inner) for x in s.children):
        return None
    return _row(s, 1)


def _of_subscript(e: Expr, spans: Mapping[str, Range], inner: frozenset[str], used: list[str]) -> _Row | None:
    """Of a sum with one loop variable; `used` gets it."""
    form = linear(e)
    moved = [(x.name, c) for x, c in form.terms if isinstance(x, Sym) and x.name in spans]
    rest = Linear(tuple((x, c) for x, c in form.terms if not (isinstance(x, Sym) and x.name in spans)), form.const)
    if not _is_outside(rest.expr, inner) or len(moved) > 1:
        return None
    if not moved:
        return _Row(rest.expr, const(1), 1)
    ((name, factor),) = moved
    used.append(name)
    span = spans[name]
    if not all(_is_outside(x, inner) for x in span.children):
        return None
    row = _row(span, factor)
    return None if row is None else _Row(add(rest.expr, row.first), row.length, row.step)


def _row(span: Range, factor: int) -> _Row | None:
    """`factor` times the numbers of a range, the least one first."""
    step = linear(span.step)
    if not step.is_const or step.const == 0:
        return None
    length, by = range_length(span), step.const * factor
    first = mul(span.start, const(factor))
    if by < 0:
        first = add(first, mul(add(length, const(-1)), const(by)))
    return _Row(first, length, abs(by))


def _is_outside(e: Expr, inner: frozenset[str]) -> bool:
    """Tell whether the value is known in front of the node."""
    return known(e) and not any(isinstance(x, Sym) and x.name in inner for x in subexpressions(e))


def _together(rows: Iterable[_Row]) -> Expr | None:
    """How many subscripts the rows have, those between them included."""
    first, *others = rows
    if all(r.step == first.step and equal(r.first, first.first) and equal(r.length, first.length) for r in others):
        return first.length
    low, high = 0, 0
    for r in others:
        start, more = difference(r.first, first.first), difference(r.length, first.length)
        if start is None or more is None or r.step != 1 or first.step != 1:
            return None
        low, high = min(low, start), max(high, start + more)
    return add(first.length, const(high - low))
