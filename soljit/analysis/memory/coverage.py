"""Whether a piece of the program writes all of a container before it reads any of it.

    for i in map(range(n)):                 all of A: i and j walk whole dimensions, and what iteration i reads of A,
        for j in map(range(m)):             it has written itself
            A[m - 1 - j, i] = x[i]
        s += A[0, i]

`written_whole(node, name, shape)` asks it of a node, `covers(region, name, dims, shape)` of some dimensions of a container
whose other subscripts are known not to change. Loops may stand in any order, run backwards, and be shifted; each dimension is
walked by a loop of its own, in steps of one. "Not proved" is the answer to all else. Only accesses by this very name are seen:
who else looks at the memory is the caller's business.
"""

from __future__ import annotations

from dataclasses import replace

from soljit.analysis.memory.accesses import effects
from soljit.ir.core.expr import ONE, ZERO, Expr, Extent, Load, Memlet, Range, Stride, Sym, subexpressions
from soljit.ir.core.nodes import Branch, Copy, LibraryNode, Loop, Map, Node, Region, Tasklet
from soljit.ir.symbolic import Facts, add, equal, linear, lt, sub
from soljit.ir.walk import memlets_read, reads_outs

_NO_FACTS = Facts()


def written_whole(node: Node, name: str, shape: tuple[Expr, ...], facts: Facts = _NO_FACTS) -> bool:
    """Tell whether every element of container `name` is written whenever `node` runs to its end, and none read before."""
    region = node if isinstance(node, Region) else Region((node,))
    return _first_use(region, name, tuple(range(len(shape))), shape, facts) is True


def covers(region: Region, name: str, dims: tuple[int, ...], shape: tuple[Expr, ...]) -> bool:
    """Tell whether a run of `region` writes all values of these dimensions of `name` before it reads any. (True if it reads none.)"""
    return _first_use(region, name, dims, shape, _NO_FACTS) is not False


def is_whole(m: Memlet, shape: tuple[Expr, ...], facts: Facts = _NO_FACTS) -> bool:
    """Tell whether a memlet walks all elements of a container of this shape, dimension by dimension."""
    if m.axes is not None and m.axes != tuple(range(len(shape))):
        return False
    return not m.subset or all(
        isinstance(s, Range) and _same(s.start, ZERO, facts) and _same(s.step, ONE, facts) and _same(s.stop, n, facts)
        for s, n in zip(m.subset, shape)
    )


def runs(span: Range, facts: Facts = _NO_FACTS) -> bool:
    """Tell whether a loop over `span` is known to have an iteration."""
    step = linear(span.step)
    if not step.is_const or step.const == 0:
        return False
    return facts.holds(lt(span.start, span.stop) if step.const > 0 else lt(span.stop, span.start))


def _same(a: Expr, b: Expr, facts: Facts) -> bool:
    return equal(a, b) or (facts is not _NO_FACTS and facts.equal(a, b))


def _touches(node: Node, name: str) -> bool:
    return any(a.data == name for a in effects(node).accesses)


def _first_use(region: Region, name: str, dims: tuple[int, ...], shape: tuple[Expr, ...], facts: Facts) -> bool | None:
    """True: everything is written before anything is read; False: not so; None: nothing is read or written for sure."""
    for node in region.nodes:
        if not _touches(node, name):
            continue
        match node:
            case Tasklet():
                return not dims and node.out.data == name and not _reads(node, name)
            case Branch():
                if any(x.memlet.data == name for x in subexpressions(node.cond) if isinstance(x, Load)):
                    return False
                arms = {_first_use(arm, name, dims, shape, facts) for arm in (node.then, node.orelse)}
                if False in arms:
                    return False
                if arms == {True}:
                    return True
            case Map():
                return _walks_all(node, list(zip(node.vars, node.spans)), name, dims, shape, facts)
            case Loop():
                return _walks_all(node, [(node.var, node.span)], name, dims, shape, facts)
            case Copy():
                return node.src.data != name and node.dst.data == name and is_whole(node.dst, shape, facts)
            case LibraryNode():
                wholes = [m for m in node.outs if m.data == name and is_whole(m, shape, facts)]
                return bool(wholes) and not reads_outs(node) and not _reads(node, name)
            case _:
                return False
    return None


def _reads(node: Node, name: str) -> bool:
    return any(m.data == name for m in memlets_read(node))


def _walks_all(
    node: Map | Loop,
    loops: list[tuple[str, Range]],
    name: str,
    dims: tuple[int, ...],
    shape: tuple[Expr, ...],
    facts: Facts,
) -> bool:
    """Tell whether these loops, and what is in the body, walk all values of the dimensions.

    A loop walks dimension k if all accesses in its body have one and the same subscript there, which runs over the whole
    dimension: then an iteration has nothing to do with elements of others. A loop that walks none must have an iteration.
    """
    body = node.body
    if "break" in effects(body).leaves or any(_mentions(span, name) for _, span in loops):
        return False
    subsets = [a.subset for a in effects(body).accesses if a.data == name]
    inner = facts
    for var, span in loops:
        found = [k for k in dims if _walks(subsets, k, var, span, shape[k], facts)]
        if found:
            dims = tuple(k for k in dims if k != found[0])
        elif not runs(span, inner):
            return False
        if facts is not _NO_FACTS:
            inner = inner.with_loop(var, span)
    return _first_use(body, name, dims, shape, inner) is True


def _mentions(span: Range, name: str) -> bool:
    return any(isinstance(x, Load) and x.memlet.data == name for e in span.children for x in subexpressions(e))


def _walks(subsets: list[tuple[Expr | Range, ...]], k: int, var: str, span: Range, length: Expr, facts: Facts) -> bool:
    """Tell whether subscript `k` is the same everywhere, and runs over `length` values from 0 when `var` runs over `span`."""
    first = subsets[0][k] if k < len(subsets[0]) else span
    if isinstance(first, Range) or any(k >= len(s) or s[k] != first for s in subsets[1:]):
        return False
    if any(isinstance(x, (Load, Extent, Stride)) for x in subexpressions(first)):
        return False
    value, step = linear(first), linear(span.step)
    factor = dict(value.terms).get(Sym(var), 0)
    if abs(factor) != 1 or not step.is_const or abs(step.const) != 1:
        return False
    rest = replace(value, terms=tuple(t for t in value.terms if t[0] != Sym(var))).expr
    if any(isinstance(x, Sym) and x.name == var for x in subexpressions(rest)):
        return False
    ends = (span.start, sub(span.stop, ONE)) if step.const == 1 else (add(span.stop, ONE), span.start)
    low, high = ends if factor == 1 else (sub(ZERO, ends[1]), sub(ZERO, ends[0]))
    return _same(add(low, rest), ZERO, facts) and _same(add(high, rest), sub(length, ONE), facts)
