"""Inequalities over canonical sums: constant intervals of atoms, and a bounded search for lower bounds.

An inequality is a `Linear` that is known to be >= 0. Those of one atom become intervals at once and intervals are
propagated through the others; the search then eliminates from a sum, one by one, the atoms that can make it small, with
inequalities that bound them (Fourier-Motzkin restricted to the goal), among them those that follow from an atom's own
operation and products with factors that are not negative. Both are cut off after a number of steps: what was found
until then is right, only weaker.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator

from soljit.ir.core.expr import Cast, Const, Expr, Extent, Op
from soljit.ir.symbolic.algebra import linear
from soljit.ir.symbolic.linear_sums import Linear, factors, monomial, product
from soljit.ir.symbolic.witnesses import COUNT, Interval, Witness, free_atoms

LARGEST_SIZE = 1 << 47

STEPS = 60  # eliminations tried for one goal
_WIDEST = 12  # sums with more terms are given up
_DEPTH = 8  # eliminations in a row
_ROUNDS = 48  # interval refinements when a fact is added


class Inequalities:
    """Known inequalities and the intervals of atoms. They are added only while the object is being made."""

    __slots__ = ("_bounds", "_index", "_new", "_ranges", "_unequal", "_witnesses")

    def __init__(self, like: Inequalities | None = None) -> None:
        self._index: dict[Expr, tuple[Linear, ...]] = dict(like._index) if like else {}  # by atom, newest first
        self._ranges: dict[Expr, Interval] = dict(like._ranges) if like else {}
        self._unequal: tuple[Linear, ...] = like._unequal if like else ()  # each one is != 0
        self._bounds: dict[Expr, Interval] = {}  # intervals worked out so far
        self._witnesses: tuple[Witness, ...] = like._witnesses if like else tuple(map(Witness, range(COUNT)))
        self._new: list[tuple[Linear, bool]] = list(like._new) if like else []  # what they have not been compared with

    def insert(self, fact: Linear) -> None:
        """Take `fact >= 0` in and refine the intervals that it bears on."""
        fact = tightened(fact)
        if len(fact.terms) > 1:
            if fact in self._index.get(fact.terms[0][0], ()):
                return
            for a, _ in fact.terms:
                self._index[a] = (fact, *self._index.get(a, ()))
        self._new.append((fact, True))
        self._bounds = {}
        queue, rounds = [fact], 0
        while queue and rounds < _ROUNDS:
            rounds += 1
            for atom in self._propagate(queue.pop(0)):
                queue += [k for k in self._index.get(atom, ()) if k not in queue]

    def _propagate(self, fact: Linear) -> list[Expr]:
        """Refine the interval of every atom of `fact >= 0` by the intervals of the others; those that changed."""
        changed: list[Expr] = []
        ends = [self.interval(a)[c > 0] for a, c in fact.terms]
        highest = [None if e is None else e * c for e, (_, c) in zip(ends, fact.terms)]
        unknown = highest.count(None)
        if unknown > 1:
            return changed
        top = fact.const + sum(x for x in highest if x is not None)
        for (atom, c), mine in zip(fact.terms, highest):
            if unknown and mine is not None:
                continue
            rest = top - (mine or 0)  # c * atom >= -rest
            lo, hi = self.interval(atom)
            new = -(rest // c) if c > 0 else rest // -c
            if c > 0 and (lo is None or new > lo):
                self._ranges[atom] = (new, hi)
            elif c < 0 and (hi is None or new < hi):
                self._ranges[atom] = (lo, new)
            else:
                continue
            self._bounds.clear()
            changed.append(atom)
        return changed

    # --- counterexamples ----------------------------------------------------------------------------------------------

    def about(self, free: Expr) -> Iterator[tuple[Linear, bool]]:
        """What is known that depends on this atom: sums that are >= 0 (True) or not 0 (False)."""
        for atom, facts in self._index.items():
            if free in free_atoms(atom):
                yield from ((f, True) for f in facts)
        for atom, (lo, hi) in self._ranges.items():
            if free in free_atoms(atom):
                if lo is not None:
                    yield Linear(((atom, 1),), -lo), True
                if hi is not None:
                    yield Linear(((atom, -1),), hi), True
        for form in self._unequal:
            if any(free in free_atoms(a) for a, _ in form.terms):
                yield form, False

    def _settle(self, repair: bool = True) -> None:
        """Bring the witnesses in line with what is new; those for which that does not work go."""
        if not self._new:
            return
        new, self._new = self._new, []
        kept: list[Witness] = []
        for w in self._witnesses:
            now: Witness | None = w
            for form, positive in new:
                if now is not None and not now.agrees(form, positive, self):
                    now = now.repaired(form, positive, self) if repair else None
            if now is not None:
                kept.append(now)
        self._witnesses = tuple(kept)

    def highest(self, goal: Linear) -> int | None:
        """A number that no lower bound of `goal` exceeds."""
        self._settle()
        return min((x for w in self._witnesses if (x := w.sum(goal, self)) is not None), default=None)

    def refuted(self, goal: Linear) -> bool:
        """Tell whether it is known that nobody can prove `goal >= 0`."""
        self._settle()
        return any((x := w.sum(goal, self)) is not None and x < 0 for w in self._witnesses)

    # --- lower bounds of sums -----------------------------------------------------------------------------------------

    def lower(
        self, goal: Linear, want: int | None, seen: dict[Expr, None] | None = None, steps: int = STEPS
    ) -> int | None:
        """A certain lower bound of `goal`; ends when it reaches `want`. Gathers in `seen` the atoms worth a split."""
        best: int | None = None
        queue = [(self._badness(goal), 0, goal, 1, 0)]  # scale * goal >= sum; the most promising sum first
        visited, tried = {goal}, 0
        while queue:
            (open_ends, deficit), _, value, scale, depth = heapq.heappop(queue)
            if not open_ends:
                low = -(deficit // scale)
                best = low if best is None else max(best, low)
                if want is not None and best >= want:
                    return best
            if seen is not None:
                seen.update((f, None) for a, _ in value.terms for f in factors(a) if splits(f))
            if depth == _DEPTH:
                continue
            for atom, c in value.terms:
                end = self.interval(atom)[c < 0]
                if end is not None and end * c >= 0:
                    continue  # this term does no harm
                for fact in self._about(atom):
                    k = next(k for a, k in fact.terms if a == atom)
                    if (k > 0) != (c > 0):
                        continue
                    tried += 1
                    if tried > steps:
                        return best
                    new, by = _cancelled(value, fact, c, k, scale)
                    if new not in visited and len(new.terms) <= _WIDEST:
                        visited.add(new)
                        heapq.heappush(queue, (self._badness(new), tried, new, by, depth + 1))
        return best

    def _badness(self, value: Linear) -> tuple[int, int]:
        """How far the intervals are from a lower bound: number of open ends, then minus the bound of the rest."""
        open_ends, low = 0, value.const
        for a, c in value.terms:
            end = self.interval(a)[c < 0]
            if end is None:
                open_ends += 1
            else:
                low += c * end
        return open_ends, -low

    def _about(self, atom: Expr) -> Iterator[Linear]:
        """Inequalities with at least two atoms that mention `atom`, implied ones included."""
        yield from self._index.get(atom, ())
        if isinstance(atom, Op):
            yield from self._by_meaning(atom)

    def _by_meaning(self, atom: Op) -> Iterator[Linear]:
        me = Linear(((atom, 1),), 0)
        match atom.name, atom.args:
            case "floordiv", (x, Const(value=by)) if by.real > 0:
                gap = linear(x) - me.scaled(int(by.real))
                yield from (gap, gap.scaled(-1).shifted(int(by.real) - 1))
            case "min", args:
                yield from (linear(x) - me for x in args)
            case "max", args:
                yield from (me - linear(x) for x in args)
            case "abs", (x,):
                yield from (me - linear(x), me + linear(x))
            case "mod", (x, by):
                if (low := self.interval_lower(linear(x))) is not None and low >= 0:
                    yield linear(x) - me
                if (low := self.interval_lower(linear(by))) is not None and low >= 1:
                    yield (linear(by) - me).shifted(-1)
            case "mul", _:
                yield from self._products(atom)

    def _products(self, atom: Expr) -> Iterator[Linear]:
        """Facts about one factor, times the other factors if they are not negative."""
        parts = factors(atom)
        for k, part in enumerate(parts):
            if part in parts[:k]:
                continue
            others = monomial(parts[:k] + parts[k + 1 :])
            low = self.interval(others)[0]
            if low is None or low < 0:
                continue
            lo, hi = self.interval(part)
            me, rest = Linear(((atom, 1),), 0), Linear(((others, 1),), 0)
            if lo is not None:
                yield me - rest.scaled(lo)
            if hi is not None:
                yield rest.scaled(hi) - me
            for fact in self._about(part):
                yield product(fact, rest)

    # --- intervals ----------------------------------------------------------------------------------------------------

    def interval_lower(self, value: Linear) -> int | None:
        out = value.const
        for a, c in value.terms:
            lo, hi = self.interval(a)
            end = lo if c > 0 else hi
            if end is None:
                return None
            out += c * end
        return out

    def _upper(self, value: Linear) -> int | None:
        out = value.const
        for a, c in value.terms:
            end = self.interval(a)[c > 0]
            if end is None:
                return None
            out += c * end
        return out

    def interval(self, atom: Expr) -> Interval:
        """Constant interval of one atom, without elimination."""
        got = self._bounds.get(atom)
        if got is None:
            got = self._bounds[atom] = _meet(self._ranges.get(atom, (None, None)), self._natural(atom))
        return got

    def _of(self, e: Expr) -> Interval:
        value = linear(e)
        return self.interval_lower(value), self._upper(value)

    def _natural(self, atom: Expr) -> Interval:
        """What the atom's own operation says."""
        match atom:
            case Extent():
                return 0, LARGEST_SIZE
            case Cast(arg=x) if x.dtype.kind in "biu" and (x.dtype.kind == "b" or x.dtype.size < 8):
                return x.dtype.lowest, x.dtype.highest
            case Op(name="mul"):
                out: Interval = (1, 1)
                for part in factors(atom):
                    out = _times(out, self.interval(part))
                return out
            case Op(name="min" | "max" | "select", args=args):
                (a, b), (c, d) = self._of(args[-2]), self._of(args[-1])
                if atom.name == "min":
                    return _least(a, c), min((x for x in (b, d) if x is not None), default=None)
                if atom.name == "max":
                    return max((x for x in (a, c) if x is not None), default=None), _most(b, d)
                return _least(a, c), _most(b, d)
            case Op(name="mod", args=(x, by)):
                lo, hi = self._of(by)
                return (0, None if hi is None else max(hi - 1, 0)) if lo is not None and lo >= 0 else (None, None)
            case Op(name="floordiv", args=(x, by)):
                (a, b), (lo, hi) = self._of(x), self._of(by)
                if lo is None or lo < 1:
                    return None, None
                return _quotient(a, lo, hi, down=True), _quotient(b, lo, hi, down=False)
            case Op(name="abs", args=(x,)):
                a, b = self._of(x)
                return 0, None if a is None or b is None else max(abs(a), abs(b))
            case Op(name="band" | "bor" | "bxor" | "shr" | "invert"):
                return _of_bits(atom.name, [self._of(a) for a in atom.args])
            case Op(name="sign"):
                return -1, 1
            case Op(name="popcount"):
                return 0, 64
        return None, None


def _of_bits(name: str, args: list[Interval]) -> Interval:
    """Bit operations of 64-bit integers: exact on two's complement."""
    if name == "invert":
        lo, hi = args[0]
        return (None if hi is None else -hi - 1, None if lo is None else -lo - 1)
    (a, b), (c, d) = args
    if name == "shr":
        if c is None or c != d or not 0 <= c < 64:
            return (0, b) if a is not None and a >= 0 and c is not None and c >= 0 else (None, None)
        return (None if a is None else a >> c, None if b is None else b >> c)
    positive = [h for lo, h in args if lo is not None and lo >= 0]
    if name == "band" and positive:
        return 0, min((h for h in positive if h is not None), default=None)
    if name != "band" and len(positive) == 2 and b is not None and d is not None:
        return 0, (1 << max(b, d).bit_length()) - 1
    return None, None


# --- arithmetic of inequalities and intervals -------------------------------------------------------------------------


def splits(atom: Expr) -> bool:
    """Tell whether the atom has cases worth telling apart."""
    return isinstance(atom, Op) and atom.name in ("min", "max", "abs", "select")


def tightened(fact: Linear) -> Linear:
    """`fact >= 0` over the integers, divided by its coefficients' common divisor."""
    by = fact.divisor
    return fact if by <= 1 else Linear(tuple((a, c // by) for a, c in fact.terms), fact.const // by)


def _cancelled(value: Linear, fact: Linear, c: int, k: int, scale: int) -> tuple[Linear, int]:
    """`value` without the atom that has coefficient `c` there and `k` in `fact >= 0`, and the new scale.

    From scale * goal >= value follows scale' * goal >= result; dividing by a common divisor rounds the constant up.
    """
    common = math.gcd(c, k)
    out, scale = value.combine(abs(k) // common, fact, -abs(c) // common), scale * abs(k) // common
    by = math.gcd(scale, out.divisor)
    if by > 1:
        out = Linear(tuple((a, x // by) for a, x in out.terms), -(-out.const // by))
    return out, scale // by


def _meet(a: Interval, b: Interval) -> Interval:
    lo = a[0] if b[0] is None else b[0] if a[0] is None else max(a[0], b[0])
    hi = a[1] if b[1] is None else b[1] if a[1] is None else min(a[1], b[1])
    return lo, hi


def _least(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else min(a, b)


def _most(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else max(a, b)


def _times(a: Interval, b: Interval) -> Interval:
    """The interval of a product."""
    (p, q), (r, s) = a, b
    if p is not None and q is not None and r is not None and s is not None:
        ends = (p * r, p * s, q * r, q * s)
        return min(ends), max(ends)
    if p is not None and p >= 0 and r is not None and r >= 0:
        return p * r, None
    return None, None


def _quotient(x: int | None, lo: int, hi: int | None, *, down: bool) -> int | None:
    """A bound of `x // d` for d in [lo, hi], lo >= 1: from below if `down`."""
    if x is None:
        return None
    widest = (x >= 0) == down  # the divisor at which the quotient is extreme is the largest one
    if not widest:
        return x // lo
    return x // max(hi, lo) if hi is not None else (0 if x >= 0 else -1)
