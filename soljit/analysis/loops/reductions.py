"""Whether a write is an accumulation: `as_accumulation(tasklet)` gives `s = s + x` as the operation and the x.

The target must not occur in x. `s - x` adds `-x`, which is the same bits. In a chain such as `s + a + b` the rest
`a + b` is what is added: that is a reassociation, which reductions may do. Minima and maxima of floats only by the
operations that pass NaN on; a `select` that compares keeps the old value on NaN and is no accumulation.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from soljit.analysis.memory.accesses import effects
from soljit.analysis.memory.affine import affine, mentions, names_in
from soljit.ir.core.data import Data, Scalar
from soljit.ir.core.expr import Expr, Load, Memlet, Op, Range, loads
from soljit.ir.core.nodes import Let, Map, Node, Region, Tasklet
from soljit.ir.walk import data_written, rewrite, substitute, symbols_used, walk

_ASSOCIATIVE = ("add", "mul", "min", "max", "band", "bor", "bxor")


def as_accumulation(t: Tasklet) -> tuple[str, Expr] | None:
    """Operation and operand if `t` combines its target with a value; None if it does not."""
    out = t.out
    if out.wcr is not None or sum(1 for x in loads(t.code) if x.memlet.data == out.data) < 1:
        return None
    found = _accumulates(t.code, out)
    if found is None or any(x.memlet == out for x in loads(found[1])):
        return None
    return found


def _accumulates(code: Expr, out: Memlet) -> tuple[str, Expr] | None:
    match code:
        case Op(name="sub", args=(a, b)) if code.dtype.kind != "b":
            rest = _without(a, out, "add")
            if rest is None:
                return None
            return "add", _joined("sub", rest[0], b) if rest else Op("neg", (b,), b.dtype)
        case Op(name=name) if name in _ASSOCIATIVE and code.dtype.kind != "b":
            rest = _without(code, out, name)
            return (name, rest[0]) if rest else None
        case Op(name="band" | "bor" | "bxor"):
            rest = _without(code, out, code.name)
            return (code.name, rest[0]) if rest else None
        case Op(name="select", args=(Op(name=compare, args=(x, y)), a, b)) if code.dtype.kind in "iu":
            return _selected(compare, (x, y), (a, b), out)
    return None


def _without(code: Expr, out: Memlet, name: str) -> tuple[Expr, ...] | None:
    """The chain of `name` without the member that loads `out`: () if it was alone, None if it is not there."""
    if isinstance(code, Load):
        return () if code.memlet == out else None
    if not isinstance(code, Op) or code.name not in ((name, "sub") if name == "add" else (name,)):
        return None
    a, b = code.args
    left = _without(a, out, name)
    if left is not None:
        if not left:
            return (b,) if code.name == name else (Op("neg", (b,), b.dtype),)
        return (_joined(code.name, left[0], b),)
    if code.name != name:
        return None
    right = _without(b, out, name)
    if right is None:
        return None
    return (_joined(name, a, right[0]),) if right else (a,)


def _joined(name: str, a: Expr, b: Expr) -> Expr:
    return Op(name, (a, b), a.dtype)


_LESS = {"lt": True, "le": True, "gt": False, "ge": False}


def _selected(
    compare: str, operands: tuple[Expr, Expr], arms: tuple[Expr, Expr], out: Memlet
) -> tuple[str, Expr] | None:
    """`x if x < s else s` and its like, of integers."""
    if compare not in _LESS or set(operands) != set(arms) or operands[0] == operands[1]:
        return None
    smaller = _LESS[compare] == (operands == arms)
    value = [x for x in operands if not (isinstance(x, Load) and x.memlet == out)]
    return ("min" if smaller else "max", value[0]) if len(value) == 1 else None


def with_accumulations(body: Region, var: str) -> Region:
    """`body` of a loop over `var` with its accumulations written as such, wherever iterations may share the target.

    They do if the target's subscripts do not mention `var`, or only inside a load. In other places a chain must not be
    reassociated. Nor where whole arrays of floats are added up by elementwise statements, whose order the user sees in
    the bits: unless that multiplies matrices, which libraries do in an order of their own.
    """
    statements = _elementwise(body)

    def fn(n: Node) -> Node | None:
        if isinstance(n, Region):
            return _read_in_place(n, var)
        if not isinstance(n, Tasklet) or not _shared(n.out, var):
            return None
        found = as_accumulation(n)
        if found is not None and n in statements and n.code.dtype.kind in "fc" and found[0] in ("add", "mul"):
            if found[0] == "mul" or not _multiplies(found[1], {var, *statements[n]}, var):
                return None
        return None if found is None else replace(n, out=replace(n.out, wcr=found[0]), code=found[1])

    return rewrite(rewrite(body, fn), fn)


def _elementwise(body: Region) -> dict[Tasklet, set[str]]:
    """Writes to arrays that a map in `body` walks over, with the variables of all such maps."""
    out: dict[Tasklet, set[str]] = {}
    for m in walk(body):
        if isinstance(m, Map):
            for t in walk(m.body):
                if isinstance(t, Tasklet) and any(mentions(s, v) for s in t.out.subset for v in m.vars):
                    out.setdefault(t, set()).update(m.vars)
    return out


def _multiplies(code: Expr, names: set[str], var: str) -> bool:
    """Tell whether it is a sum of products of two factors with `var` in both, each variable in a dimension of its own."""
    match code:
        case Op(name="add" | "sub", args=(a, b)):
            return _multiplies(a, names, var) and _multiplies(b, names, var)
        case Op(name="neg", args=(a,)):
            return _multiplies(a, names, var)
        case Op(name="mul" | "scalar_mul", args=(a, b)):
            if not (var in names_in(a) and var in names_in(b)):
                return any(_multiplies(x, names, var) and var not in names_in(y) for x, y in ((a, b), (b, a)))
            subscripts = [s for x in loads(code) for s in x.memlet.subset]
            return all(not isinstance(s, Range) and len(names_in(s) & names) <= 1 for s in subscripts)
    return False


def _read_in_place(region: Region, var: str) -> Region | None:
    """`t = s; s = t + x` as `s = s + x`, if nothing else uses t; so with integers of arrays, whose sums are exact."""
    for k, n in enumerate(region.nodes):
        if not isinstance(n, Tasklet) or n.out.wcr is not None or (n.out.subset and n.code.dtype.kind not in "iu"):
            continue
        lets = _readers(region, k, n.out, n.code.dtype.kind in "iu")
        if not lets:
            continue
        kept = tuple(x for x in region.nodes if x not in lets.values())
        code = n.code
        for name in reversed(lets):
            code = substitute(code, {name: lets[name].value})
        new = replace(n, code=code)
        if as_accumulation(new) is not None:
            return replace(region, nodes=tuple(new if x is n else x for x in kept))
    return None


def _readers(region: Region, k: int, out: Memlet, exact: bool) -> dict[str, Let]:
    """The definitions in front of node `k` that read `out`, with `exact` also those made of them, if only that node uses them.

    Behind the first of them nothing writes the scalar; an element of an array may be reached by other names, too, so
    that only definitions may stand in between.
    """
    found: dict[str, Let] = {}
    for x in region.nodes[:k]:
        if out.subset and not isinstance(x, Let):
            found = {}
        elif isinstance(x, Let) and (
            any(m.memlet == out for m in loads(x.value)) or (exact and not found.keys().isdisjoint(symbols_used(x)))
        ):
            found[x.name] = x
        elif out.data in data_written(x):
            return {}
    others = [x for j, x in enumerate(region.nodes) if j != k and not (isinstance(x, Let) and x.name in found)]
    if any(not found.keys().isdisjoint(symbols_used(x)) for x in others):
        return {}
    return found


def colliding_sums(m: Map, names: Sequence[str], data: Mapping[str, Data]) -> frozenset[str]:
    """Arrays of which different iterations of the loops `names` of a map may add to the same element."""
    e = effects(m.body)
    others = {*names, *e.defines}
    found = set()
    for a in e.writes:
        if a.wcr is None or isinstance(data.get(a.data), Scalar) or a.data in e.allocs or a.data in e.private:
            continue
        if not all(any(tied(s, v, others) for s in a.subset) for v in names):
            found.add(a.data)
    return frozenset(found)


def tied(s: Expr | Range, var: str, names: Collection[str]) -> bool:
    """Tell whether different values of `var` make different subscripts, whatever the other `names` are."""
    if isinstance(s, Range):
        return False
    form = affine(s, (var,))
    return form is not None and form.of(var) != 0 and names_in(s).isdisjoint(set(names) - {var})


def _shared(out: Memlet, var: str) -> bool:
    tied = [s for s in out.subset if mentions(s, var)]
    return not tied or any(_indirect(s) for s in tied)


def _indirect(s: Expr | Range) -> bool:
    return not isinstance(s, Range) and next(loads(s), None) is not None
