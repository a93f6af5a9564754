"""Whether several iterations of a loop over rows can go through its inner loop together: `jam(loop, …)`.

    for i in range(n):                                       for I in range(0, n, 4):
        for j in range(i): B(i, j)                   →           for j in range(I): B(I, j); B(I + 1, j); B(I + 2, j); B(I + 3, j)
        E(i)                                                     for i in range(I, I + 4):
                                                                     for j in range(I, i): B(i, j)
                                                                     E(i)

**Theorem.** Let the inner loop end at i + c with c <= 0, and let each array that B touches and that the loop writes have a dimension in which

    (1) what B and E write has index i;
    (2) what B reads has index i, or one that is less than I for all j < I + c;
    (3) what E reads has index i, or a lower one.

Let scalars that B writes be written before they are read, and be used nowhere else. Then the loop gives the same values, each by the same operations in the same order.

Proof. What changes its place is B(i, j) with j < I + c: it comes in front of all of iterations i' with I <= i' < i but the B(i', j') with j' <= j. B(i, j) writes to index i, by (1), where i'
touches nothing: it writes to i', and what it reads has an index of at most i', by (2) and (3), as j' < i' + c. B(i, j) reads index i, to which only iteration i writes, and indices below I, to which
no iteration from I on writes. Scalars are one for each row. ∎

The inner loop may be a map that adds up a sum for its row: the terms that it adds together with other rows are then one part of the sum, the others come to it. That is another order, as sums may
have.
"""

from __future__ import annotations

from soljit.analysis.flow.liveness import exposed
from soljit.analysis.loops.affine_region import region_of, substituted, why_overlapping
from soljit.analysis.memory.accesses import Access, Aliases, effects
from soljit.analysis.memory.affine import affine, names_in
from soljit.base.records import dataclass
from soljit.base.sentences import Said, said
from soljit.ir.core.data import Scalar
from soljit.ir.core.expr import ONE, Expr, Range, Sym, loads
from soljit.ir.core.nodes import Alloc, Branch, Let, Loop, Map, Node, Program, Region, Tasklet
from soljit.ir.symbolic import difference, sub
from soljit.ir.walk import is_straight, substitute, walk


@dataclass(frozen=True)
class Jam:
    """The body of the loop: what stands in front of the inner loop, that, and what stands behind it.

    scalars: what the inner loop writes
    total:   the inner loop is a map that adds up terms in this scalar; None: it is a loop in order
    """

    front: tuple[Node, ...]
    inner: Loop | Map
    behind: tuple[Node, ...]
    scalars: tuple[str, ...]
    total: str | None

    @property
    def span(self) -> Range:
        """That of the inner loop."""
        return span_of(self.inner)


def span_of(inner: Loop | Map) -> Range:
    """The range of a loop, or of a map's outermost one."""
    return inner.span if isinstance(inner, Loop) else inner.spans[0]


def jam(loop: Loop, program: Program, alias: Aliases) -> Jam | Said:
    """The loop's parts, or why rows cannot go through the inner one together."""
    found = _parts(loop, program)
    if isinstance(found, Said):
        return found
    own = effects(found.inner)
    here = {a.data for a in own.accesses}
    for name in found.scalars:
        around: Node = loop.body if found.total else found.inner
        used = sum(a.data == name for a in effects(program.body).accesses)
        body = loop.body if isinstance(found.inner, Map) else found.inner.body
        if name in exposed(body) or used != sum(a.data == name for a in effects(around).accesses):
            return said("carries", name=name)
    region = region_of(loop.body)
    for name in sorted(region.written & here - set(found.scalars)):
        if isinstance(program.data.get(name), Scalar):
            return said("carries", name=name)
        reason = why_overlapping((name,), region.touched, alias.may_alias)
        if reason is not None:
            return reason
        inside = [substituted(a, region.lets) for a in own.accesses if a.data == name]
        rest = [x for n in (*found.front, *found.behind) for x in effects(n).accesses]
        if not _has_rows(inside, [substituted(a, region.lets) for a in rest if a.data == name], loop):
            return said("others' elements", name=name)
    return found


def _parts(loop: Loop, program: Program) -> Jam | Said:
    e, nodes = effects(loop.body), loop.body.nodes
    if e.python or e.leaves or e.binds:
        return said("leaves")
    first = next((n for n, x in enumerate(nodes) if isinstance(x, Loop | Map)), None)
    below = list(walk(loop.body))
    plain = all(isinstance(n, Region | Map | Loop | Let | Tasklet | Branch | Alloc) for n in below)
    if first is None or not plain or loop.span.step != ONE or any(n.schedule for n in below if isinstance(n, Map)):
        return said("no rows together")
    front, inner = nodes[:first], nodes[first]
    assert isinstance(inner, Loop | Map)
    own, span = effects(inner), span_of(inner)
    far = difference(span.stop, Sym(loop.var))
    stays = names_in(span.start).isdisjoint(e.defines | {loop.var})
    if span.step != ONE or far is None or far > 0 or not stays or own.allocs or own.private:
        return said("no rows together")
    if any(isinstance(x, Let) and x.name in own.uses for x in front):
        return said("no rows together")
    scalars = tuple(sorted({a.data for a in own.writes if isinstance(program.data.get(a.data), Scalar)}))
    if isinstance(inner, Loop):
        changed = {a.data for a in own.writes}
        seen = {x.memlet.data for n in front if isinstance(n, Let) for x in loads(n.value)}
        right = all(isinstance(x, Let) for x in front) and changed.isdisjoint(seen)
        return Jam(front, inner, nodes[first + 1 :], scalars, None) if right else said("no rows together")
    starts = [x for x in front if isinstance(x, Tasklet)]
    sums = [x for x in inner.body.nodes if isinstance(x, Tasklet)]
    right = len(inner.vars) == len(sums) == len(starts) == len(scalars) == 1 and is_straight(inner.body)
    if not right or sums[0].out.wcr != "add" or starts[0].out.data != scalars[0] or len(front) > 1:
        return said("no rows together")
    if any(a.data == scalars[0] and a.wcr is None for a in own.accesses):
        return said("carries", name=scalars[0])
    return Jam(front, inner, nodes[first + 1 :], scalars, scalars[0])


def _has_rows(inside: list[Access], behind: list[Access], loop: Loop) -> bool:
    """Tell whether one dimension is that of rows for all these accesses."""
    count = max((len(a.subset) for a in (*inside, *behind)), default=0)
    return any(
        all(_is_right(a, d, loop, -1) for a in inside) and all(_is_right(a, d, loop, 0) for a in behind)
        for d in range(count)
    )


def _is_right(a: Access, dim: int, loop: Loop, most: int) -> bool:
    """Tell whether the access is to row i, or reads one that is at most i + most; with -1, in the inner loop, that is the first row of the block."""
    s = a.subset[dim] if dim < len(a.subset) else None
    if not isinstance(s, Expr) or a.wcr is not None:
        return False
    if difference(s, Sym(loop.var)) == 0:
        return True
    if a.write:
        return False
    for n, (var, span) in reversed([*enumerate(a.loops)]):
        if most < 0 and n == 0 and loop.var in names_in(s):
            return False  # only the inner loop ends where the first row of the block has it
        form = affine(s, (var,))
        if form is None or form.of(var) not in (0, 1) or (form.of(var) and span.step != ONE):
            return False
        if form.of(var):
            s = substitute(s, {var: sub(span.stop, ONE)})
    above = difference(s, Sym(loop.var))
    return above is not None and above <= most
