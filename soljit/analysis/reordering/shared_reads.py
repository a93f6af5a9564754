"""Whether iterations of a map may take the terms of their sums piece by piece, all of them of one piece before the next: `shared_reads(m, …)`.

    for i in map(range(n)):                          for i: s[i] = 0.0
        s = 0.0                                      for q in range(pieces):
        for j in map(range(m)):                →         for i:
            s += x[j] if x[j] < b[i] else 0.0                for j in map(piece q): s[i] += …
        out[i] = s / m                               for i: out[i] = s[i] / m

**Theorem.** Let the body of a map be statements, and maps over one range, the same in all iterations (*walks*), whose bodies are straight code that writes nothing
but what it combines (sums, minima, maxima) into numbers that each iteration has for itself and that it does not read. Let nothing else be combined over the map's iterations.
Then they may take pieces of the walks in turns. If pieces are those into which NumPy cuts a sum, at one depth of its tree, and their sums are added in pairs as in the tree,
not a bit changes.

Proof. Iterations of a map are independent: they may take their steps in turns if each takes its own in their order. A walk is a map, so its terms may be combined piece
by piece; sums of integers, minima and maxima are the same in any order. A sum of floats is that of the two halves, of which the first is a multiple of 8 long, down to 128 terms
(`reduce.h`); at a depth at which all parts are longer than that, the parts are such sums themselves. ∎

Sums of half precision and of complex numbers, and those that NumPy reads through a buffer, have other trees, and stay as they are; so do those of NumPy before 2.3,
which cuts all sums in pieces of a buffer's length.
"""

from __future__ import annotations

from soljit.analysis.loops.buffers import buffers
from soljit.analysis.loops.map_reductions import Reduction, reductions
from soljit.analysis.loops.sums import accumulated
from soljit.analysis.memory.accesses import effects
from soljit.analysis.memory.affine import names_in
from soljit.analysis.memory.homes import Homes
from soljit.base.records import dataclass
from soljit.base.sentences import Said, said
from soljit.ir.core.data import Scalar
from soljit.ir.core.expr import ONE, Expr, Load, Range, loads, subexpressions
from soljit.ir.core.nodes import Branch, Let, Map, Node, Program, Tasklet
from soljit.ir.walk import is_straight, symbols_defined, walk
from soljit.ir.walk.spaces import is_kernel

_COMBINED = ("add", "min", "max")


@dataclass(frozen=True)
class Walk:
    """A map in the body, and what it combines."""

    map: Map
    sums: tuple[Reduction, ...]


def shared_reads(m: Map, program: Program, homes: Homes, whole_sums: bool) -> list[Walk] | Said:
    """The walks in the map, or why their iterations cannot share them. whole_sums: NumPy does not cut sums in pieces"""
    e = effects(m.body)
    if m.schedule or m.parts or m.blocks is not None or is_kernel(m) or m.spans[-1].step != ONE:
        return said("no shared reads")
    own = all(isinstance(program.data.get(p), Scalar) for p in m.private)
    if e.python or e.leaves or e.binds or e.allocs or not own or not all(_is_plain(n) for n in m.body.nodes):
        return said("no plain rows")
    if any(isinstance(x, Load) for s in m.spans for c in s.children for x in subexpressions(c)):
        return said("no shared reads")
    if any(not names_in(c).isdisjoint(m.vars) for c in m.spans[-1].children):
        return said("no shared reads")  # how many iterations go together is found in front of the map
    made = {*m.vars, *symbols_defined(m.body)}
    found = []
    for n in m.body.nodes:
        if isinstance(n, Map) and not _varies(n, made):
            sums = _combined(n, m, program, homes, whole_sums)
            found += [Walk(n, sums)] if sums else []
    walks = {w.map for w in found}
    for n in m.body.nodes:
        if n in walks:
            continue
        for x in walk(n):
            if isinstance(x, Tasklet) and (x.out.wcr or not x.out.subset) and x.out.data not in _own(n, m):
                return said("combined", name=x.out.data)
    return found or said("no shared reads")


def _own(n: Node, m: Map) -> set[str]:
    return {*m.private, *effects(n).private}


def _is_plain(n: Node) -> bool:
    """Tell whether it is a statement, or a map of such."""
    match n:
        case Map():
            return not n.schedule and all(_is_plain(x) for x in n.body.nodes)
        case Branch():
            return all(_is_plain(x) and not isinstance(x, Let) for x in (*n.then.nodes, *n.orelse.nodes))
        case _:
            return isinstance(n, Let | Tasklet)


def _varies(n: Map, made: set[str]) -> bool:
    """Tell whether the range differs between the iterations, or is read from memory."""
    ends = [x for s in n.spans for x in s.children]
    read = any(isinstance(y, Load) for x in ends for y in subexpressions(x))
    return read or any(not names_in(x).isdisjoint(made) for x in ends)


def _combined(n: Map, m: Map, program: Program, homes: Homes, whole_sums: bool) -> tuple[Reduction, ...]:
    """What the inner map combines into numbers of an iteration; () if it does anything else, or cannot be cut."""
    if len(n.vars) != 1 or n.spans[0].step != ONE or not is_straight(n.body):
        return ()
    found = {r.target: r for r in reductions(program, homes, n)}
    for x in walk(n.body):
        if isinstance(x, Tasklet) and x.out not in found and x.out.data not in n.private:
            return ()
    for r in found.values():
        right = r.target.data in m.private and not r.target.subset and r.wcr in _COMBINED
        if not right or r.dtype.is_complex or accumulated(r.dtype, r.wcr) != r.dtype or r.undecided is not None:
            return ()
    floats = [r for r in found.values() if r.blocked and r.wcr == "add"]
    if floats and (not whole_sums or list(buffers(program.data, n, floats)) != [None]):
        return ()
    return tuple(found.values())


def shared_bytes(walked: Map, m: Map, program: Program) -> dict[str, int]:
    """How many bytes of which arrays a term reads that are the same in all iterations of the map; none if it also reads along memory what each iteration has for itself."""
    moving, own = {*walked.vars}, {m.vars[-1], *symbols_defined(m.body)} - symbols_defined(walked)
    for n in walk(walked.body):
        if isinstance(n, Let):
            read = any(True for _ in loads(n.value))
            moving |= {n.name} if read or names_in(n.value) & moving else set()
            own |= {n.name} if read or names_in(n.value) & own else set()
    found: set[tuple[str, tuple[Expr | Range, ...]]] = set()
    for a in effects(walked.body).reads:
        names = {x for s in a.subset for e in (s.children if isinstance(s, Range) else (s,)) for x in names_in(e)}
        if isinstance(program.data.get(a.data), Scalar) or names.isdisjoint(moving):
            continue
        if names & own:
            return {}
        found.add((a.data, a.subset))
    return {name: sum(program.data[n].dtype.size for n, _ in found if n == name) for name, _ in found}
