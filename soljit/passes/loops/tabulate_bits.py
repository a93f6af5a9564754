"""Look up in tables what an inner loop makes of the bytes of integers, where that is a sum of bits (checksums, shift registers).

    for b in range(n):                              if n >= 512:
        crc = crc ^ data[b]                             for each bit: what the inner loop makes of it; table[k, …]: of each value of byte k
        for i in range(8):                   →          for b in range(n):
            if crc & 1: crc = crc >> 1 ^ poly               crc = crc ^ data[b]
            else: crc = crc >> 1                            crc = table[0, crc & 255] ^ table[1, crc >> 8 & 255] ^ … ^ zero
                                                    else: as before

A step of the inner loop waits for the one before, some three cycles; loads from a table of 16 KB do not wait for each other. Why that is the same value: `analysis/loops/bit_rules.py`.
Entry v of byte k is the entry without v's highest bit, and what that bit comes to; `zero` is what 0 comes to. Of integers of eight bytes, four are looked up where the others are zero.

canonicalize must come earlier, schedule_maps and eliminate_dead_code later. Loops in maps stay as they are.
"""

from __future__ import annotations

from dataclasses import replace

from soljit.analysis.loops.bit_rules import BitRule, bit_rule
from soljit.base.records import dataclass
from soljit.ir.core.data import Array, Data, Scalar
from soljit.ir.core.expr import FALSE, ONE, ZERO, Cast, Const, Expr, Load, Memlet, Op, Range, Sym, const
from soljit.ir.core.nodes import Alloc, Branch, Let, Loop, Map, Node, Program, Region, Tasklet
from soljit.ir.core.types import DType, i64
from soljit.ir.symbolic import add, conj, eq, le, lt, range_length
from soljit.ir.walk import FreshNames, anew, rename_data, replace_loops
from soljit.passes.manager import Context

_SHORTEST = 5  # iterations of the inner loop that take longer than looking it up
_FEW = 4  # bytes, to which the others are often zero
_FEWEST = 512  # iterations of the outer loop that are worth the tables


def tabulate_bits(program: Program, cx: Context) -> Program:
    """Look up what such loops make of bytes."""
    worker = _Tables(program, cx, dict(program.data), FreshNames(program))
    body = replace_loops(program.body, worker.tabulated)
    return program if body is program.body else replace(program, body=body, data=worker.data)


def _steps_evenly(loop: Loop) -> bool:
    """Tell whether the step is known, so that iterations can be counted."""
    return isinstance(loop.span.step, Const) and loop.span.step.value != 0


@dataclass
class _Tables:
    program: Program
    cx: Context
    data: dict[str, Data]
    _fresh: FreshNames

    def tabulated(self, loop: Loop) -> list[Node] | None:
        """The loop with tables, beside what it was; None: it stays as it is."""
        count = range_length(loop.span) if _steps_evenly(loop) else ZERO
        if isinstance(count, Const) and count.value.real < _FEWEST:
            return None
        for inner in loop.body.nodes:
            trips = range_length(inner.span) if isinstance(inner, Loop) and _steps_evenly(inner) else ZERO
            if not isinstance(inner, Loop) or not isinstance(trips, Const) or trips.value.real < _SHORTEST:
                continue
            rule = bit_rule(loop, inner, self.program)
            if rule is not None and rule.changed:
                self.cx.note(inner.loc, "bits by tables", count=_FEWEST)
                large = Region(tuple(self._with_tables(loop, inner, rule)), loc=loop.loc)
                small = Region((anew(self._fresh.other_symbols(loop)),), loc=loop.loc)
                return [Branch(le(const(_FEWEST), count), large, small, loc=loop.loc)]
        return None

    def _with_tables(self, loop: Loop, inner: Loop, rule: BitRule) -> list[Node]:
        loc, sizes = inner.loc, [self.data[n].dtype.size for n in rule.state]
        tables = {n: self._fresh(f"{n}_table") for n in rule.changed}
        zeros = {n: self._fresh(f"{n}_zero") for n in rule.changed}
        for n in rule.changed:
            self.data[tables[n]] = Array(self.data[n].dtype, (const(sum(sizes)), const(256)))
            self.data[zeros[n]] = Scalar(self.data[n].dtype)
        nodes: list[Node] = [Alloc(t, loc=loc) for t in tables.values()]
        nodes.append(self._filled(inner, rule, tables, zeros))
        found = [Let(self._fresh(n), Cast(i64, self._number(n)), loc=loc) for n in rule.state]
        wide = [Op("shr", (Sym(x.name), const(8 * _FEW)), i64) for x, size in zip(found, sizes) if size > _FEW]
        looked_up: list[Node] = self._looked_up(found, rule, sizes, tables, zeros, 8)
        if wide:
            few = self._looked_up(found, rule, sizes, tables, zeros, _FEW)
            arms = (Region(tuple(x), loc=loc) for x in (few, looked_up))
            looked_up = [Branch(conj(*(eq(x, ZERO) for x in wide)), *arms, loc=loc)]
        body = tuple(y for x in loop.body.nodes for y in ((*found, *looked_up) if x is inner else (x,)))
        return [*nodes, replace(loop, body=replace(loop.body, nodes=body))]

    def _looked_up(
        self,
        found: list[Let],
        rule: BitRule,
        sizes: list[int],
        tables: dict[str, str],
        zeros: dict[str, str],
        most: int,
    ) -> list[Node]:
        """The state, from its values in front of the loop, of which the bytes from `most` on are zero."""
        loc, new = found[0].loc, []
        first = [sum(sizes[:n]) for n in range(len(sizes))]
        for n in rule.changed:
            dtype = self.data[n].dtype
            terms: list[Expr] = []
            for x, at, size in zip(found, first, sizes):
                for k in range(min(size, most)):
                    value = Op("band", (Op("shr", (Sym(x.name), const(8 * k)), i64), const(255)), i64)
                    terms.append(Load(Memlet(tables[n], (const(at + k), value)), dtype))
            new.append(Let(self._fresh(n), _in_pairs([*terms, self._number(zeros[n])], dtype), loc=loc))
        return [*new, *(Tasklet(Memlet(n), Sym(x.name, x.value.dtype), loc=loc) for n, x in zip(rule.changed, new))]

    def _number(self, name: str) -> Expr:
        return Load(Memlet(name), self.data[name].dtype)

    def _filled(self, inner: Loop, rule: BitRule, tables: dict[str, str], zeros: dict[str, str]) -> Loop:
        """For bit -1, which is none, and each bit of the state: what the inner loop makes of it."""
        loc, bit = inner.loc, Sym(self._fresh("bit"))
        names = {n: self._fresh(n) for n in rule.state}
        self.data |= {names[n]: self.data[n] for n in rule.state}
        nodes: list[Node] = []
        first = 0
        for n in rule.state:
            alone = Op("shl", (ONE, add(bit, const(-first))), i64)
            nodes.append(Tasklet(Memlet(names[n]), Cast(self.data[n].dtype, alone), loc=loc))
            first += 8 * self.data[n].dtype.size
        nodes.append(anew(self._fresh.other_symbols(rename_data(inner, names))))
        none = [Tasklet(Memlet(zeros[n]), self._number(names[n]), loc=loc) for n in rule.changed]
        byte = Let(self._fresh("byte"), Op("shr", (bit, const(3)), i64), loc=loc)
        digit = Let(self._fresh("digit"), Op("band", (bit, const(7)), i64), loc=loc)
        half = Let(self._fresh("half"), Op("shl", (ONE, Sym(digit.name)), i64), loc=loc)
        some: list[Node] = [byte, digit, half]
        k, high, v = Sym(byte.name), Sym(half.name), Sym(self._fresh("v"))
        filled: list[Node] = []
        for n in rule.changed:
            t, dtype = tables[n], self.data[n].dtype
            comes_to = Let(self._fresh(n), Op("bxor", (self._number(names[n]), self._number(zeros[n])), dtype), loc=loc)
            empty = Tasklet(Memlet(t, (k, ZERO)), Const(0, dtype), loc=loc)
            some += [comes_to, Branch(eq(Sym(digit.name), ZERO), Region((empty,), loc=loc), loc=loc)]
            both = Op("bxor", (Load(Memlet(t, (k, v)), dtype), Sym(comes_to.name, dtype)), dtype)
            filled.append(Tasklet(Memlet(t, (k, add(high, v))), both, loc=loc))
        some.append(Map((v.name,), (Range(ZERO, high, ONE),), Region(tuple(filled), loc=loc), when=FALSE, loc=loc))
        nodes.append(Branch(lt(bit, ZERO), Region(tuple(none), loc=loc), Region(tuple(some), loc=loc), loc=loc))
        return Loop(bit.name, Range(const(-1), const(first), ONE), Region(tuple(nodes), loc=loc), loc=loc)


def _in_pairs(terms: list[Expr], dtype: DType) -> Expr:
    """The sum of bits, so that no addition waits for more others than must be."""
    while len(terms) > 1:
        pairs = [terms[k : k + 2] for k in range(0, len(terms), 2)]
        terms = [Op("bxor", tuple(p), dtype) if len(p) == 2 else p[0] for p in pairs]
    return terms[0]
