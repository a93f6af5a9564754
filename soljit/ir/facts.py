"""What is known about integers at a point of a program, and proofs from it.

`Facts` is immutable: `assume` and `with_range` give a new one. It keeps inequalities `L >= 0` over canonical sums,
solved equalities (an atom replaced by what it equals), constant intervals, and other conditions as they stand.

The prover is sound and bounded, not complete: constant intervals first; then the atoms of the goal that can
make it negative are eliminated one by one with inequalities that bound them (Fourier-Motzkin restricted to the goal),
products with non-negative factors included; then `min`, `max`, `abs` and `select` are split into cases. `None` means
"not known".

Only conditions over immutable values are kept: a load, or the extent of a container that can be bound anew, may
have another value later, so conditions that mention one are dropped. From contradictory facts (code that is never
reached) anything may follow.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from functools import lru_cache

from soljit.ir.algebra import (
    COMPARE,
    arms,
    conj,
    difference,
    disj,
    ge,
    le,
    linear,
    lt,
    maximum,
    minimum,
    neg,
    negate,
    select,
    simplify,
)
from soljit.ir.expr import (
    FALSE,
    TRUE,
    ZERO,
    Cast,
    Const,
    Expr,
    Extent,
    Load,
    Op,
    Range,
    Stride,
    Sym,
    const,
    subexpressions,
)
from soljit.ir.linear import Linear, factors, is_index, monomial, product
from soljit.ir.types import i64

LARGEST_SIZE = 1 << 47
Interval = tuple[int | None, int | None]

_STEPS = 60  # eliminations tried for one goal
_WIDEST = 12  # sums with more terms are given up
_DEPTH = 8  # eliminations in a row
_SPLITS = 2  # nested case distinctions
_ROUNDS = 48  # interval refinements when a fact is added


class Facts:
    """A set of known conditions. `Facts()` knows nothing but the ranges of extents and of small integer types."""

    __slots__ = ("_bounds", "_index", "_known", "_memo", "_ranges", "_solved", "_unequal")

    def __init__(self, like: Facts | None = None) -> None:
        self._index: dict[Expr, tuple[Linear, ...]] = dict(like._index) if like else {}  # >= 0, by atom, newest first
        self._unequal: tuple[Linear, ...] = like._unequal if like else ()  # each one is != 0
        self._solved: dict[Expr, Expr] = dict(like._solved) if like else {}
        self._ranges: dict[Expr, Interval] = dict(like._ranges) if like else {}
        self._known: frozenset[Expr] = like._known if like else frozenset()
        self._bounds: dict[Expr, Interval] = {}
        self._memo: dict[Expr, bool | None] = {}

    # --- making -------------------------------------------------------------------------------------------------------

    def with_size(self, *names: str | Expr) -> Facts:
        """These symbols are sizes: from 0 to 2**47."""
        out = self
        for n in names:
            out = out.with_range(n, ZERO, const(LARGEST_SIZE + 1))
        return out

    def with_range(self, sym: str | Expr, lo: Expr | None, hi_exclusive: Expr | None) -> Facts:
        """`lo <= sym < hi_exclusive`; None leaves a side open."""
        s = Sym(sym) if isinstance(sym, str) else sym
        return self.assume(conj(*([le(lo, s)] if lo else []), *([lt(s, hi_exclusive)] if hi_exclusive else [])))

    def with_loop(self, var: str, span: Range) -> Facts:
        """`var` runs over `span`, so the span is not empty. A step of unknown sign tells nothing."""
        step = self._linear(span.step)
        lo, hi = self.bounds(step.expr)
        if lo is not None and lo > 0:
            return self.with_range(var, span.start, span.stop)
        if hi is not None and hi < 0:
            return self.assume(conj(lt(span.stop, Sym(var)), le(Sym(var), span.start)))
        return self

    def assume(self, cond: Expr) -> Facts:
        """These facts and `cond`."""
        cond = simplify(self._substituted(cond))
        if cond == TRUE or cond in self._known or not _is_stable(cond):
            return self
        out = Facts(self)
        parts = arms("land", cond)
        for part in parts:
            out._add(part if len(parts) == 1 else simplify(out._substituted(part)))
        return out

    def _add(self, cond: Expr) -> None:
        self._known |= {cond}
        match cond:
            case Const(value=False):
                self._insert(Linear((), -1))
            case Op(name="eq", args=(a, b)) if is_index(a):
                self._equate(linear(a) - linear(b))
            case Op(name="ne", args=(a, b)) if is_index(a):
                self._unequal += (linear(a) - linear(b),)
                self._sharpen()
            case Op(name="le" | "lt", args=(a, b)) if is_index(a):
                for upper in _alternatives("min", b):
                    for lower in _alternatives("max", a):
                        gap = linear(upper) - linear(lower)
                        self._insert(gap.shifted(-1) if cond.name == "lt" else gap)
                self._sharpen()

    def _insert(self, fact: Linear) -> None:
        """Take `fact >= 0` in and refine the intervals that it bears on."""
        fact = _tightened(fact)
        if len(fact.terms) > 1:
            if fact in self._index.get(fact.terms[0][0], ()):
                return
            for a, _ in fact.terms:
                self._index[a] = (fact, *self._index.get(a, ()))
        self._bounds, self._memo = {}, {}
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

    def _equate(self, fact: Linear) -> None:
        """Take `fact == 0` in: replace the newest symbol that it can be solved for."""
        for atom, c in reversed(fact.terms):
            if abs(c) == 1 and isinstance(atom, Sym):
                rest = Linear(tuple(t for t in fact.terms if t[0] != atom), fact.const).scaled(-c)
                if not any(x == atom for t, _ in rest.terms for x in subexpressions(t)):
                    self._solve(atom, rest.expr)
                    return
        self._insert(fact)
        self._insert(fact.scaled(-1))
        self._sharpen()

    def _solve(self, atom: Expr, value: Expr) -> None:
        """`atom` is `value` from now on, in all that is known."""
        lo, hi = self.interval(atom)
        old = dict.fromkeys(fact for facts in self._index.values() for fact in reversed(facts))
        unequal, self._unequal = self._unequal, ()
        one = {atom: value}
        self._solved = {a: simplify(_substitute(v, one)) for a, v in self._solved.items()} | one
        self._ranges = {a: r for a, r in self._ranges.items() if atom not in _parts(a)}
        self._known = frozenset(simplify(_substitute(k, one)) for k in self._known)
        touched = [fact for fact in old if any(atom in _parts(a) for a, _ in fact.terms)]
        gone = set(touched)
        self._index = {a: tuple(f for f in facts if f not in gone) for a, facts in self._index.items()}
        self._bounds, self._memo = {}, {}
        for fact in touched:
            self._insert(self._linear(fact.expr))
        same = linear(value)
        if lo is not None:
            self._insert(same.shifted(-lo))
        if hi is not None:
            self._insert(same.scaled(-1).shifted(hi))
        self._unequal = tuple(self._linear(u.expr) for u in unequal)
        self._sharpen()

    def _sharpen(self) -> None:
        """`L >= 0` and `L != 0` make `L >= 1`."""
        for fact in self._unequal:
            for side in (fact, fact.scaled(-1)):
                if fact.is_const:
                    if fact.const == 0:
                        self._insert(Linear((), -1))
                elif self._lower(side, 0) == 0:
                    self._insert(side.shifted(-1))

    # --- asking -------------------------------------------------------------------------------------------------------

    def prove(self, cond: Expr) -> bool | None:
        """True or False if that follows for all values that agree with the facts, else None."""
        if isinstance(cond, Const):
            return bool(cond.value)
        if cond not in self._memo:
            self._memo[cond] = self._prove(simplify(self._substituted(cond)), _SPLITS)
        return self._memo[cond]

    def holds(self, cond: Expr) -> bool:
        """Is `cond` proved?"""
        return self.prove(cond) is True

    def bounds(self, e: Expr) -> Interval:
        """The smallest constant interval that is known to hold `e` (None: open)."""
        value = self._linear(e)
        upper = self._lower(value.scaled(-1), None, steps=_STEPS // 3)
        return self._lower(value, None, steps=_STEPS // 3), None if upper is None else -upper

    def difference(self, a: Expr, b: Expr) -> int | None:
        """`a - b` if it is known to be one constant."""
        return difference(self._substituted(a), self._substituted(b))

    def equal(self, a: Expr, b: Expr) -> bool:
        """Is it known that `a == b`?"""
        return self.difference(a, b) == 0 or self.holds(COMPARE["eq"](a, b))

    def minimum(self, a: Expr, b: Expr) -> Expr:
        """The smaller one, decided if possible."""
        return a if self.holds(le(a, b)) else b if self.holds(le(b, a)) else minimum(a, b)

    def maximum(self, a: Expr, b: Expr) -> Expr:
        """The larger one, decided if possible."""
        return a if self.holds(ge(a, b)) else b if self.holds(ge(b, a)) else maximum(a, b)

    def clip(self, e: Expr, lo: Expr, hi: Expr) -> Expr:
        """`min(max(e, lo), hi)`, decided as far as possible."""
        return self.minimum(self.maximum(e, lo), hi)

    def simplify(self, e: Expr) -> Expr:
        """`e` with everything decided that the facts decide: arms of min, max, select; comparisons; remainders."""
        return self._decided(simplify(self._substituted(e)))

    def _decided(self, e: Expr) -> Expr:
        match e:
            case Op(name="min" | "max", args=(a, b)) if is_index(e):
                choose = self.minimum if e.name == "min" else self.maximum
                return choose(self._decided(a), self._decided(b))
            case Op(name="select", args=(c, a, b)):
                c = self._decided(c)
                return select(c, self.assume(c)._decided(a), self.assume(negate(c))._decided(b))
            case Op(name="mod" | "floordiv", args=(a, b)) if is_index(e):
                a, b = self._decided(a), self._decided(b)
                if self.holds(conj(le(ZERO, a), lt(a, b))):
                    return a if e.name == "mod" else ZERO
                return simplify(Op(e.name, (a, b), i64))
            case Op(name=name, args=(a, b)) if name in COMPARE and is_index(a):
                known = self.prove(e)
                return (
                    simplify(Op(name, (self._decided(a), self._decided(b)), e.dtype))
                    if known is None
                    else (TRUE if known else FALSE)
                )
            case Op(name="land" | "lor", args=(a, b)):
                a = self._decided(a)
                later = self.assume(a if e.name == "land" else negate(a))
                return (conj if e.name == "land" else disj)(a, later._decided(b))
            case Sym() | Op(name="lnot") if e.dtype.kind == "b" and (known := self.prove(e)) is not None:
                return TRUE if known else FALSE
            case Op(name=name, args=args, dtype=t):
                return simplify(Op(name, tuple(self._decided(x) for x in args), t))
            case Cast(dtype=t, arg=x):
                return simplify(Cast(t, self._decided(x)))
        return e

    # --- proving ------------------------------------------------------------------------------------------------------

    def _substituted(self, e: Expr) -> Expr:
        return _substitute(e, self._solved) if self._solved else e

    def _linear(self, e: Expr) -> Linear:
        return linear(self._substituted(e))

    def _prove(self, cond: Expr, splits: int) -> bool | None:
        if isinstance(cond, Const):
            return bool(cond.value)
        if cond in self._known:
            return True
        opposite = negate(cond)
        if opposite in self._known:
            return False
        match cond:
            case Op(name="land" | "lor", args=(a, b)):
                strong = cond.name == "lor"  # the value of one arm that decides
                first = self._prove(a, splits)
                if first is strong:
                    return strong
                second = self.assume(negate(a) if strong else a)._prove(b, splits)
                if first is None and second is strong:  # b was proved under an assumption about a
                    return strong if self._prove(b, splits) is strong else None
                return second if first is not None else None
            case Op(name="lnot", args=(a,)):
                inner = self._prove(a, splits)
                return None if inner is None else not inner
            case Op(name="le" | "lt" | "eq" | "ne", args=(a, b)) if is_index(a):
                return self._compare(cond.name, linear(b) - linear(a), splits)
        return None

    def _compare(self, name: str, gap: Linear, splits: int) -> bool | None:
        """The truth of `0 name gap`."""
        if name in ("le", "lt"):
            goal = gap if name == "le" else gap.shifted(-1)
            if self._positive(goal, splits):
                return True
            return False if self._positive(goal.scaled(-1).shifted(-1), splits) else None
        apart = self._positive(gap.shifted(-1), splits) or self._positive(gap.scaled(-1).shifted(-1), splits)
        if apart or any(u == gap or u == gap.scaled(-1) for u in self._unequal):
            return name == "ne"
        if self._positive(gap, splits) and self._positive(gap.scaled(-1), splits):
            return name == "eq"
        return None

    def _positive(self, goal: Linear, splits: int) -> bool:
        """Is `goal >= 0` certain?"""
        seen: dict[Expr, None] = {}
        best = self._lower(goal, 0, seen)
        if best is not None and best >= 0:
            return True
        if not splits or not seen:
            return False
        atom = next(iter(seen))
        for cond, value in _cases(atom):
            case = Facts(self)
            case._add(simplify(self._substituted(cond)))
            same = linear(value) - Linear(((atom, 1),), 0)
            case._insert(same)
            case._insert(same.scaled(-1))
            if not case._positive(linear(_substitute(goal.expr, {atom: value})), splits - 1):
                return False
        return True

    def _lower(
        self, goal: Linear, want: int | None, seen: dict[Expr, None] | None = None, steps: int = _STEPS
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
                seen.update((f, None) for a, _ in value.terms for f in factors(a) if _splits(f))
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
                if (low := self._interval_lower(linear(x))) is not None and low >= 0:
                    yield linear(x) - me
                if (low := self._interval_lower(linear(by))) is not None and low >= 1:
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

    def _interval_lower(self, value: Linear) -> int | None:
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
        return self._interval_lower(value), self._upper(value)

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
            case Op(name="sign"):
                return -1, 1
            case Op(name="popcount"):
                return 0, 64
        return None, None


# --- helpers of the prover --------------------------------------------------------------------------------------------


def _is_stable(cond: Expr) -> bool:
    """Does `cond` read immutable values only?"""
    return not any(isinstance(x, (Load, Extent, Stride)) for x in _parts(cond))


def _splits(atom: Expr) -> bool:
    return isinstance(atom, Op) and atom.name in ("min", "max", "abs", "select")


def _alternatives(name: str, e: Expr) -> list[Expr]:
    """The members of a min (of which every one is an upper bound) or max, a constant shift moved inside; else `e`."""
    value = linear(e)
    if len(value.terms) == 1 and value.terms[0][1] == 1:
        atom = value.terms[0][0]
        if isinstance(atom, Op) and atom.name == name:
            return [linear(m).shifted(value.const).expr for x in atom.args for m in _alternatives(name, x)]
    return [e]


def _tightened(fact: Linear) -> Linear:
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


def _cases(atom: Expr) -> list[tuple[Expr, Expr]]:
    """Conditions that cover everything, and what a `min`, `max`, `abs` or `select` is under each."""
    assert isinstance(atom, Op)
    match atom.name, atom.args:
        case "select", (c, a, b):
            return [(c, a), (negate(c), b)]
        case "abs", (a,):
            return [(le(ZERO, a), a), (lt(a, ZERO), neg(a))]
        case "min", (a, b):
            return [(le(a, b), a), (lt(b, a), b)]
    a, b = atom.args
    return [(le(b, a), a), (lt(a, b), b)]


@lru_cache(maxsize=16384)
def _parts(e: Expr) -> frozenset[Expr]:
    return frozenset(subexpressions(e))


def _substitute(e: Expr, what: dict[Expr, Expr]) -> Expr:
    """`e` with atoms replaced by what they equal."""
    if e in what:
        return what[e]
    if what.keys().isdisjoint(_parts(e)):
        return e
    match e:
        case Op(name=name, args=args, dtype=t):
            return Op(name, tuple(_substitute(x, what) for x in args), t)
        case Cast(dtype=t, arg=x):
            return Cast(t, _substitute(x, what))
    return e
