"""What a thread of a device combines values in: registers.

    for i in range(n): s = s + a[i]    →    acc = lost = -0.0
                                            for turn in range(n // 8):
                                                v0 = a[8 * turn]; v1 = a[8 * turn + 1]; …
                                                acc = acc + v0; lost = lost + …; acc = acc + v1; …
                                            for i in range(n // 8 * 8, n): acc = acc + a[i]; lost = lost + …
                                            s = s + (acc + lost)

Values that are there before the first of them is combined are on their way from memory at the same time; they are combined in the order of the loop.
A helper of `split_sums`, which tells why the order may be as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from soljit.analysis.loops.sums import Fold, identity
from soljit.base.place import Loc
from soljit.base.records import dataclass
from soljit.ir.core.data import Data, Scalar
from soljit.ir.core.expr import ONE, ZERO, Cast, Const, Expr, Load, Memlet, Op, Range, Sym, const
from soljit.ir.core.nodes import Let, Loop, Map, Node, Program, Region, Tasklet
from soljit.ir.core.types import DType, b1, c128, f64
from soljit.ir.symbolic import add, floordiv, mul, range_length
from soljit.ir.walk import ExprFn, FreshNames, map_exprs, rewrite


@dataclass
class _Register:
    """Where a thread combines the values of one fold: one scalar and, for compensated sums, what it lost; two of each for complex numbers."""

    fold: Fold
    dtype: DType
    parts: list[tuple[str, str]]  # names of the scalar and of its compensation ("" for none)


@dataclass
class Registers:
    """Writes loops with registers. data: the containers, which get them; made: the registers, and what else a thread has for itself"""

    program: Program
    data: dict[str, Data]
    fresh: FreshNames
    made: list[str] = field(default_factory=list)

    def in_thread(
        self,
        found: Sequence[Fold],
        loops: Sequence[tuple[str, Range]],
        body: Region,
        m: Map,
        out: Sequence[Memlet] = (),
        ahead: int = 1,
    ) -> list[Node]:
        """Registers, the loops with their body, and what was combined: to the targets, or stored to `out`.

        ahead: values of so many iterations of the innermost loop are there before the first of them is combined
        """
        registers = [self._register(f) for f in found]
        nodes: list[Node] = [self._start(r, name) for r in registers for pair in r.parts for name in pair if name]
        by_target = {r.fold.target: r for r in registers}

        inner = self._innermost(loops[-1], body, by_target, ahead, m)
        for v, span in reversed(loops[:-1]):
            inner = Region((Loop(v, span, inner, loc=m.loc),), loc=m.loc)
        nodes += inner.nodes
        for k, r in enumerate(registers):
            to, value = out[k] if out else r.fold.target, self._value(r)
            t = self.data[to.data].dtype
            nodes.append(Tasklet(to, value if value.dtype == t else Cast(t, value), loc=m.loc))
        return nodes

    def _innermost(
        self, loop: tuple[str, Range], body: Region, by_target: Mapping[Memlet, _Register], ahead: int, m: Map
    ) -> Region:
        """The loop over `body`, whose values go to registers."""

        def fn(n: Node) -> Node | tuple[Node, ...] | None:
            if isinstance(n, Tasklet) and n.out in by_target:
                return tuple(self._combine(by_target[n.out], n))
            return None

        v, span = loop
        one = Loop(v, span, rewrite(body, fn), loc=m.loc)
        straight = all(isinstance(n, Let) or (isinstance(n, Tasklet) and n.out in by_target) for n in body.nodes)
        if ahead == 1 or not straight:
            return Region((one,), loc=m.loc)
        turns, rest = self._let("turns", floordiv(range_length(span), const(ahead)), m.loc)
        turn = self.fresh("turn")
        values: list[Node] = []
        combined: list[Node] = []
        for k in range(ahead):
            at = add(span.start, mul(add(mul(Sym(turn), const(ahead)), const(k)), span.step))
            here = self.fresh.other_symbols(body)
            for n in map_exprs(here, _putting(v, at)).nodes:
                if isinstance(n, Tasklet):
                    let, value = self._let("value", n.code, n.loc)
                    combined += self._combine(by_target[n.out], replace(n, code=value))
                    n = let
                values.append(n)
        several = Loop(turn, Range(ZERO, rest, ONE), Region((*values, *combined), loc=m.loc), loc=m.loc)
        after = Range(add(span.start, mul(mul(rest, const(ahead)), span.step)), span.stop, span.step)
        return Region((turns, several, replace(one, span=after)), loc=m.loc)

    def _register(self, f: Fold) -> _Register:
        t = wide(f)
        compensated = f.wcr == "add" and f.dtype in (f64, c128)
        count = 2 if f.wcr == "add" and f.dtype.is_complex else 1
        single = f64 if count == 2 else t
        parts = []
        for _ in range(count):
            acc = self._scalar(f"{f.target.data}_acc", single)
            parts.append((acc, self._scalar(f"{f.target.data}_lost", single) if compensated else ""))
        return _Register(f, t, parts)

    def _scalar(self, base: str, t: DType) -> str:
        name = self.fresh(base)
        self.data[name] = Scalar(t)
        self.made.append(name)
        return name

    def _start(self, r: _Register, name: str) -> Node:
        t = self.data[name].dtype
        return Tasklet(Memlet(name), identity(r.fold.wcr, t))

    def _combine(self, r: _Register, n: Tasklet) -> list[Node]:
        """`n`, whose value goes to a register."""
        value = n.code if n.code.dtype == r.dtype else Cast(r.dtype, n.code)
        if len(r.parts) == 1 and not r.parts[0][1]:
            acc = r.parts[0][0]
            old = Load(Memlet(acc), r.dtype)
            return [Tasklet(Memlet(acc), Op(r.fold.wcr, (old, value), r.dtype), loc=n.loc)]
        x = self._let("term", value, n.loc)
        values: list[Expr] = [Op(name, (x[1],), f64) for name in ("real", "imag")] if len(r.parts) == 2 else [x[1]]
        out: list[Node] = [x[0]]
        for (acc, lost), term in zip(r.parts, values):
            if lost:
                out += self._compensated(acc, lost, term, n)
            else:
                old = Load(Memlet(acc), f64)
                out.append(Tasklet(Memlet(acc), Op("add", (old, term), f64), loc=n.loc))
        return out

    def _compensated(self, acc: str, lost: str, term: Expr, n: Tasklet) -> list[Node]:
        """Add a term, and what the sum loses by that to what it has lost."""
        old = self._let("old", Load(Memlet(acc), f64), n.loc)
        new = self._let("new", Op("add", (old[1], term), f64), n.loc)
        larger = Op("ge", (Op("abs", (old[1],), f64), Op("abs", (term,), f64)), b1)
        of_term = Op("add", (Op("sub", (old[1], new[1]), f64), term), f64)
        of_old = Op("add", (Op("sub", (term, new[1]), f64), old[1]), f64)
        loss = Op("select", (larger, of_term, of_old), f64)
        more = Op("add", (Load(Memlet(lost), f64), loss), f64)
        return [old[0], new[0], Tasklet(Memlet(lost), more, loc=n.loc), Tasklet(Memlet(acc), new[1], loc=n.loc)]

    def _let(self, base: str, value: Expr, loc: Loc) -> tuple[Let, Expr]:
        name = self.fresh(base)
        return Let(name, value, loc=loc), Sym(name, value.dtype)

    def _value(self, r: _Register) -> Expr:
        """What a register holds, in the type of its target."""
        singles = [self._single(acc, lost) for acc, lost in r.parts]
        return singles[0] if len(singles) == 1 else Op("complex", tuple(singles), c128)

    def _single(self, acc: str, lost: str) -> Expr:
        t = self.data[acc].dtype
        sum_ = Load(Memlet(acc), t)
        if not lost:
            return sum_
        rest = Load(Memlet(lost), t)  # NaN behind infinities; a zero that is added could change the sign of one
        nothing = Op("lor", (Op("eq", (rest, Const(0.0, t)), b1), Op("isnan", (rest,), b1)), b1)
        return Op("select", (nothing, sum_, Op("add", (sum_, rest), t)), t)


def wide(f: Fold) -> DType:
    """The type in which a fold combines: floats are added up in doubles."""
    if f.wcr != "add" or f.dtype.kind not in "fc":
        return f.dtype
    return c128 if f.dtype.is_complex else f64


def _putting(name: str, value: Expr) -> ExprFn:
    return lambda e: value if isinstance(e, Sym) and e.name == name else None
