"""Check an array of subscripts once, if all of it passes, and its parts only if not.

                                                             if m <= 16 * n:                                     m: elements of c
                                                                 some = False
                                                                 with map(q=range(0, m)): some = wcr.lor(c[q] < 0 or c[q] >= k)
    for i in range(n):                                       else:
        bad = False                                              some = True
        with map(j=range(first[i], first[i + 1])):     →     for i in range(n):
            bad = wcr.lor(c[j] < 0 or c[j] >= k)                 bad = False
        if bad: …                                                if some:
        …                                                            with map(j=range(first[i], first[i + 1])):
                                                                         bad = wcr.lor(c[j] < 0 or c[j] >= k)
                                                                 if bad: …

Rows of a sparse matrix have a few elements: what it takes to set out for a row's check is more than the check.

Proof. Each iteration checks elements of the array, which nothing in the loop writes, by a condition that depends on the element and on what stays the same in the loop. If it holds for no
element of the array, it holds for none of a row, and the row's truth value is what it was before. The array is read where it is: all of it is there. For each iteration of the loop at most
16 elements are looked at, which vectors do in a nanosecond or two.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace

from soljit.analysis.memory.accesses import Aliases, Effects, aliases, effects
from soljit.base.records import dataclass
from soljit.ir.core.data import Array, Data, Scalar
from soljit.ir.core.expr import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    Expr,
    Extent,
    Load,
    Memlet,
    Range,
    Stride,
    Sym,
    const,
    symbols,
)
from soljit.ir.core.nodes import Alloc, Branch, Let, Loop, Map, Node, Program, Raise, Region, Tasklet
from soljit.ir.core.types import b1
from soljit.ir.symbolic import le, mul, prod, range_length
from soljit.ir.walk import FreshNames, before_loops, map_exprs, same, substitute, symbols_defined, walk
from soljit.passes.manager import Context

_MOST = 16  # elements for each iteration


def check_arrays(program: Program, cx: Context) -> Program:
    """Check arrays in front of loops that check parts of them."""
    if not any(isinstance(n, Raise) for n in walk(program.body)):
        return program
    worker = _Checker(program, aliases(program), FreshNames(program))
    body = before_loops(program.body, worker.loop)
    return program if body is program.body else replace(program, body=body, data={**program.data, **worker.made})


@dataclass
class _Checker:
    program: Program
    alias: Aliases
    fresh: FreshNames
    made: dict[str, Data] = field(default_factory=dict)

    def loop(self, loop: Loop, out: list[Node]) -> Loop:
        """The loop whose checks depend on those in front of it, which `out` gets."""
        nodes = loop.body.nodes
        if not any(isinstance(n, Map) for n in nodes) or not any(map(_raises, nodes)):
            return loop
        done, inner = effects(loop.body), symbols_defined(loop.body) | {loop.var}
        new: list[Node] = []
        for k, n in enumerate(nodes):
            check = self.check(n, loop, done, inner) if _is_asked(n, nodes[k + 1 :]) else None
            if check is not None:
                some, before = check
                out += before
                n = Branch(some, Region((n,), loc=n.loc), loc=n.loc)
            new.append(n)
        return loop if same(new, nodes) else replace(loop, body=replace(loop.body, nodes=tuple(new)))

    def check(self, n: Node, loop: Loop, done: Effects, inner: set[str]) -> tuple[Sym, list[Node]] | None:
        """The name of the whole array's check, and what does it; None if there is none."""
        assert isinstance(n, Map)
        *lets, last = n.body.nodes
        assert isinstance(last, Tasklet)
        code = last.code
        for let in reversed(lets):
            if not isinstance(let, Let):
                return None
            code = substitute(code, {let.name: let.value})
        found = set(_outermost(code))
        load = next(iter(found), None)
        if len(found) != 1 or not isinstance(load, Load):
            return None
        d = self.program.data[load.memlet.data]
        if not isinstance(d, Array) or not d.shape or not self.stays(load.memlet.data, loop, done):
            return None
        names = tuple(self.fresh("q") for _ in d.shape)
        whole = Load(Memlet(load.memlet.data, tuple(map(Sym, names))), load.dtype)
        some, target = self.fresh("some"), self.fresh("some")
        scan = Tasklet(Memlet(target, wcr="lor"), code, loc=n.loc)
        scan = map_exprs(scan, lambda e: whole if e == load else None)
        if symbols(scan.code) & inner or symbols_of(d) & inner:
            return None
        self.made[target] = Scalar(b1)
        over = Map(names, tuple(Range(ZERO, s, ONE) for s in d.shape), Region((scan,), loc=n.loc), loc=n.loc)
        first = Tasklet(Memlet(target), FALSE, loc=n.loc)
        fits = le(prod(d.shape), mul(const(_MOST), range_length(loop.span)))
        otherwise = Tasklet(Memlet(target), TRUE, loc=n.loc)
        arms = Region((first, over), loc=n.loc), Region((otherwise,), loc=n.loc)
        known = Let(some, Load(Memlet(target), b1), loc=n.loc)
        return Sym(some, b1), [Branch(fits, *arms, loc=n.loc), known]

    def stays(self, name: str, loop: Loop, done: Effects) -> bool:
        """Tell whether the array is there before the loop, and nothing in the loop changes it."""
        if done.python or name in done.binds or any(isinstance(n, Alloc) and n.data == name for n in walk(loop.body)):
            return False
        return not any(self.alias.may_alias(name, a.data) for a in done.writes)


def symbols_of(d: Array) -> set[str]:
    """The symbols of an array's lengths."""
    return {name for s in d.shape for name in symbols(s)}


def _outermost(e: Expr) -> Iterator[Expr]:
    """What is read from memory and its descriptors, without what that is found by."""
    if isinstance(e, Load | Extent | Stride):
        yield e
    else:
        for x in e.children:
            yield from _outermost(x)


def _raises(n: Node) -> bool:
    return any(isinstance(x, Raise) for x in walk(n))


def _is_asked(n: Node, later: tuple[Node, ...]) -> bool:
    """Tell whether a map finds nothing but a truth value, under which something is raised."""
    match n:
        case Map(body=Region(nodes=(*_, Tasklet(out=Memlet(wcr="lor", subset=()) as out)))):
            for x in later:
                if isinstance(x, Branch) and isinstance(x.cond, Load) and x.cond.memlet.data == out.data:
                    return _raises(x.then) and not x.orelse.nodes
    return False
