"""The largest value of an expression while loops run: a bound that holds in front of them.

    for i in range(n):                            M - i        is at most  M
        k: i64 = count[i]                         min(256, k)  is at most  256

`surroundings(root, node)` tells what the loops and definitions around a node are, `largest(e, names)` the bound; None if none is found.
Values that are loaded may change, so a bound contains none.
"""

from __future__ import annotations

from collections.abc import Mapping

from soljit.analysis.memory.accesses import below
from soljit.ir.core.expr import ONE, Const, Expr, Extent, Load, Op, Range, Stride, Sym, const, subexpressions, symbols
from soljit.ir.core.nodes import Let, Loop, Map, Node, Region
from soljit.ir.symbolic import add, floordiv, linear, maximum, minimum, mul, sub
from soljit.ir.walk import substitute

Names = Mapping[str, Range | Expr]


def surroundings(root: Node, node: Node) -> dict[str, Range | Expr]:
    """Variables of the loops from `root` down to `node` with their spans, and definitions in front of it with their values, outermost first."""
    found: dict[str, Range | Expr] = {}
    chain = next((above for n, above in below(root) if n is node), ())
    for around, inner in zip(chain, (*chain[1:], node)):
        match around:
            case Map():
                found |= dict(zip(around.vars, around.spans))
            case Loop():
                found[around.var] = around.span
            case Region():
                for n in around.nodes:
                    if n is inner:
                        break
                    if isinstance(n, Let):
                        found[n.name] = n.value
    return found


def largest(e: Expr, names: Names) -> Expr | None:
    """What `e` is at most, without these names."""
    return _extreme(e, names, True)


def _extreme(e: Expr, names: Names, up: bool) -> Expr | None:
    """The largest value, or the smallest one."""
    if symbols(e).isdisjoint(names) and not any(isinstance(x, (Load, Extent, Stride)) for x in subexpressions(e)):
        return e
    match e:
        case Sym():
            known = names.get(e.name)
            if isinstance(known, Range):
                end = _end(known, up)
                return None if end is None else _extreme(end, names, up)
            return None if known is None else _extreme(known, names, up)
        case Op("min" | "max" as name, (x, y)):
            a, b = _extreme(x, names, up), _extreme(y, names, up)
            if a is not None and b is not None:
                return minimum(a, b) if name == "min" else maximum(a, b)
            return (b if a is None else a) if up == (name == "min") else None
        case Op("select", (_, x, y)):
            a, b = _extreme(x, names, up), _extreme(y, names, up)
            return None if a is None or b is None else maximum(a, b) if up else minimum(a, b)
        case Op("floordiv", (x, Const() as by)) if by.value.real > 0:
            a = _extreme(x, names, up)
            return None if a is None else floordiv(a, by)
        case _:
            return _sum(e, names, up)


def _sum(e: Expr, names: Names, up: bool) -> Expr | None:
    value = linear(e)
    if any(atom == e for atom, _ in value.terms):
        return None
    inner = next(
        (n for n in reversed([*names]) if n in symbols(e)), ""
    )  # the innermost one: its span may name those around
    factor, known = dict(value.terms).get(Sym(inner), 0), names.get(inner)
    if factor and isinstance(known, Range) and sum(inner in symbols(atom) for atom, _ in value.terms) == 1:
        end = _end(known, up == (factor > 0))
        return None if end is None else _extreme(substitute(e, {inner: end}), names, up)
    out: Expr = const(value.const)
    for atom, c in value.terms:
        bound = _extreme(atom, names, up == (c > 0))
        if bound is None:
            return None
        out = add(out, mul(const(c), bound))
    return out


def _end(span: Range, up: bool) -> Expr | None:
    """The last or first value of a loop variable, if there is any."""
    step = linear(span.step)
    if not step.is_const or step.const == 0:
        return None
    if up == (step.const > 0):
        return sub(span.stop, ONE) if up else add(span.stop, ONE)
    return span.start
