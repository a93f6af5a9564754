"""Whether short rows of sums that each iteration of a map has can stay in registers: `held_sums(m, …)`.

    for i, j in map(range(n), range(m)):          for i, J in map(range(n), range(0, m, 4)):
        alloc(s)                                      for C in range(0, c, 16):
        for c in map(range(C)): s[c] = 0      →           alloc(s0), …, alloc(s3) of 16 elements
        for k, c in map(range(K), range(C)):              for c in map(range(16)): s0[c] = 0; …; s3[c] = 0
            s[c] += a[i, j + k] * w[k, c]                 for k, c in map(range(K), range(16)):
        for c in map(range(C)): b[i, j, c] = s[c]             s0[c] += a[i, J + k] * w[k, C + c]; …; s3[c] += a[i, J + 3 + k] * w[k, C + c]
                                                          for c in map(range(16)): b[i, J, C + c] = s0[c]; …

**Theorem.** Let the body of a map be definitions, maps whose innermost loops all run from 0 to one length (*rows*), and maps of such bodies, and let

    (1) each array that the body makes be touched in rows only, and its last subscript be the variable of the innermost loop;
    (2) each other array that the body writes be written by one statement of it, without being combined, and not be read in the map;
    (3) scalars that it writes be private to a row.

Then its iterations may run side by side, statement by statement, and the innermost loops in blocks, outside all others, each block once or several times.

Proof. Iterations of a map are independent, and have arrays and scalars of their own, by (1) and (3). Elements c of arrays of (1) are computed from elements c of these arrays, and from memory that
does not change in the map, by (2): blocks of different c need nothing of one another, and for one c all operations are in the order in which they were. Of the elements that others see, each is
written by one statement, in one iteration of its maps, as they are independent: always with the same value, however often. ∎
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from soljit.analysis.memory.accesses import Aliases, effects
from soljit.analysis.memory.affine import mentions, names_in, step
from soljit.base.records import dataclass
from soljit.base.sentences import Said, said
from soljit.ir.core.data import Array, Scalar
from soljit.ir.core.expr import ONE, ZERO, Expr, Memlet, Sym, loads
from soljit.ir.core.nodes import Alloc, Let, Map, Program, Region, Tasklet
from soljit.ir.symbolic import equal
from soljit.ir.walk import descriptor_exprs, is_straight, walk


@dataclass(frozen=True)
class HeldSums:
    """What the map is.

    names:   the arrays that stay in registers
    length:  how many elements they have
    loop:    the number of the map's loop whose iterations go together
    """

    names: tuple[str, ...]
    length: Expr
    loop: int


def held_sums(m: Map, program: Program, alias: Aliases) -> HeldSums | Said:
    """The sums that each iteration has, or why they cannot stay in registers."""
    rows = list(rows_in(m.body))
    names = tuple(n.data for n in walk(m.body) if isinstance(n, Alloc))
    length = rows[0].spans[-1].stop if rows else ZERO
    e = effects(m.body)
    if e.python or e.leaves or e.binds or m.schedule or not all(_is_row(x, length) for x in rows):
        return said("no held sums")
    if not names or not _is_nest(m.body, {*names}) or not names_in(length).isdisjoint(e.defines | {*m.vars}):
        return said("no held sums")
    at_own = all(a.subset[-1:] == (Sym(x.vars[-1]),) for x in rows for a in effects(x).touching(names))
    inside = e.defines | {*m.vars}
    if not at_own or not e.asks.isdisjoint(names) or not all(_is_own(program, x, inside) for x in names):
        return said("no held sums")
    used = [d for a in e.accesses if a.data not in names and (d := program.data.get(a.data)) is not None]
    if any(not names_in(x).isdisjoint(inside) for d in used for x in descriptor_exprs(d)):
        return said("no held sums")
    reason = _stored_once(m, rows, names, program, alias)
    if reason is not None:
        return reason
    loop = _loop_together(m)
    return said("no held sums") if loop is None else HeldSums(names, length, loop)


def rows_in(body: Region) -> Iterator[Map]:
    """The maps of nothing but statements."""
    for n in body.nodes:
        if isinstance(n, Map):
            yield from [n] if is_straight(n.body) else rows_in(n.body)


def shares(m: Map, held: HeldSums, program: Program) -> bool:
    """Tell whether iterations that go together read the same elements, for sums of several terms. All that is read for them must lie along memory, or be one element."""
    for x in rows_in(m.body):
        sums = [n for n in walk(x) if isinstance(n, Tasklet) and n.out.data in held.names and n.out.wcr]
        read = [y for y in _loaded(x) if y.data not in held.names]
        steps = [step(program.data, y, x.vars[-1]) for y in read]
        once = any(by and not any(mentions(s, m.vars[held.loop]) for s in y.subset) for y, by in zip(read, steps))
        if sums and len(x.vars) > 1 and once and all(by in (0, 1) for by in steps):
            return True
    return False


def _code(n: Tasklet | Let) -> Expr:
    return n.code if isinstance(n, Tasklet) else n.value


def _is_nest(body: Region, names: Collection[str]) -> bool:
    """Tell whether there are only definitions, which read none of these arrays, arrays that are made, and maps."""
    for n in body.nodes:
        if isinstance(n, Let):
            if any(x.memlet.data in names for x in loads(n.value)):
                return False
        elif isinstance(n, Map):
            if n.schedule or not (is_straight(n.body) or _is_nest(n.body, names)):
                return False
        elif not isinstance(n, Alloc) or n.zero:
            return False
    return True


def _is_row(x: Map, length: Expr) -> bool:
    """Tell whether the innermost loop has this length."""
    last = x.spans[-1]
    return last.start == ZERO and last.step == ONE and equal(last.stop, length)


def _is_own(program: Program, name: str, inside: Collection[str]) -> bool:
    """Tell whether it is a plain array, of lengths that no iteration changes."""
    d = program.data.get(name)
    if not isinstance(d, Array) or d.strides is not None or d.storage != "host":
        return False
    return bool(d.shape) and not d.dtype.is_complex and all(names_in(n).isdisjoint(inside) for n in d.shape)


def _stored_once(m: Map, rows: list[Map], names: tuple[str, ...], program: Program, alias: Aliases) -> Said | None:
    """Why what the body writes could not be computed again."""
    e = effects(m.body)
    read = {a.data for a in e.reads if not a.write} | e.asks
    stored = [a for x in rows for a in effects(x).writes if a.data not in (*names, *x.private)]
    for a in stored:
        if isinstance(program.data.get(a.data), Scalar) or a.wcr or sum(a.data == b.data for b in stored) > 1:
            return said("carries", name=a.data)
        others = (read | {b.data for b in stored if b.data != a.data}) - {*names}
        other = next((x for x in sorted(others) if alias.may_alias(a.data, x)), None)
        if other is not None:
            return said("overlap", name=a.data, other=other)
    return None


def _loop_together(m: Map) -> int | None:
    """The loop along which the nearest elements are read, of those that no other loop depends on: inner ones first."""
    below = [n for n in walk(m.body) if isinstance(n, Map)]
    spans = [*m.spans, *(s for x in below for s in x.spans)]
    right = [k for k, v in enumerate(m.vars) if m.spans[k].step == ONE and not any(mentions(s, v) for s in spans)]
    right = [k for k in right if not any(mentions(m.spans[k], v) for v in m.vars)]
    near = {k: max((_place(y, m.vars[k]) for x in rows_in(m.body) for y in _loaded(x)), default=-1) for k in right}
    found = [k for k in right if near[k] >= 0]
    return max(found, key=lambda k: (near[k], k)) if found else None


def _loaded(x: Map) -> list[Memlet]:
    return [y.memlet for n in walk(x) if isinstance(n, Tasklet | Let) for y in loads(_code(n))]


def _place(y: Memlet, var: str) -> int:
    """The last dimension that this variable decides, or -1."""
    return max((k for k, s in enumerate(y.subset) if mentions(s, var)), default=-1)
