"""What is known about integers at a point of a program, and proofs from it.

`Facts` is immutable: `assume` and `with_range` give a new one. It keeps inequalities `L >= 0` over canonical sums,
solved equalities (an atom replaced by what it equals), constant intervals, and other conditions as they stand.

The prover is sound and bounded, not complete: unless it knows a counterexample (`ir/symbolic/witnesses.py`), it looks for
lower bounds of sums (`ir/symbolic/inequalities.py`), then splits `min`, `max`, `abs` and `select` into cases. `None` means "not known".

Only conditions over immutable values are kept: a load, or the extent of a container that can be bound anew, may
have another value later, so conditions that mention one are dropped. From contradictory facts (code that is never
reached) anything may follow.
"""

from __future__ import annotations

from collections.abc import Mapping

from soljit.ir.core.expr import (
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
from soljit.ir.core.types import b1, i64
from soljit.ir.symbolic.algebra import (
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
    negate,
    select,
    simplify,
)
from soljit.ir.symbolic.cases import alternatives, cases, parts, substitute
from soljit.ir.symbolic.inequalities import LARGEST_SIZE, STEPS, Inequalities
from soljit.ir.symbolic.linear_sums import Linear, is_index
from soljit.ir.symbolic.witnesses import Interval, free_atoms

_SPLITS = 2  # nested case distinctions
_LONGEST = 64  # different expressions in a condition that a symbol stands for


class Facts(Inequalities):
    """A set of known conditions. `Facts()` knows nothing but the ranges of extents and of small integer types."""

    __slots__ = ("_defined", "_known", "_memo", "_solved")

    def __init__(self, like: Facts | None = None) -> None:
        super().__init__(like)
        self._solved: dict[Expr, Expr] = dict(like._solved) if like else {}
        self._defined: Mapping[Expr, Expr] = (
            like._defined if like else {}
        )  # symbols of truth values: the conditions that they stand for
        self._known: frozenset[Expr] = like._known if like else frozenset()
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

    def define(self, symbol: Sym, value: Expr) -> Facts:
        """These facts where `symbol` has this value, in which something may stand that changes later.

        A truth value stands for its condition: what is asked or assumed about it is about that. Remainders, minima and maxima have their limits.
        """
        match value:
            case Op(dtype=t) if t is b1:
                meaning = substitute(value, self._defined)
                if not _is_stable(meaning) or len(parts(meaning)) > _LONGEST:
                    return self
                out = Facts(self)
                out._defined = {**self._defined, symbol: meaning}
                return out
            case Op(name="mod", args=(_, b)) if is_index(value) and _is_stable(b) and self.holds(lt(ZERO, b)):
                return self.assume(conj(le(ZERO, symbol), lt(symbol, b)))
            case Op(name="min" | "max" as name, args=args) if is_index(value):
                stable = [a for a in args if _is_stable(a)]
                near, far, side = (le, ge, 0) if name == "min" else (ge, le, 1)
                ends = [end for a in stable if (end := self.bounds(a)[side]) is not None]
                limits = [near(symbol, a) for a in stable]
                if len(ends) == len(args):
                    limits.append(far(symbol, const(min(ends) if name == "min" else max(ends))))
                return self.assume(conj(*limits))
            case _:
                return self

    def assume(self, cond: Expr) -> Facts:
        """These facts and `cond`."""
        cond = simplify(self._meant(cond))
        if cond == TRUE or cond in self._known or not _is_stable(cond):
            return self
        out = Facts(self)
        conditions = arms("land", cond)
        for part in conditions:
            out._add(part if len(conditions) == 1 else simplify(out._substituted(part)))
        return out

    def _add(self, cond: Expr) -> None:
        self._known |= {cond}
        match cond:
            case Const(value=False):
                self.insert(Linear((), -1))
            case Op(name="eq", args=(a, b)) if is_index(a):
                self._equate(linear(a) - linear(b))
            case Op(name="ne", args=(a, b)) if is_index(a):
                self._differ(linear(a) - linear(b))
            case Op(name="le" | "lt", args=(a, b)) if is_index(a):
                for upper in alternatives("min", b):
                    for lower in alternatives("max", a):
                        gap = linear(upper) - linear(lower)
                        self.insert(gap.shifted(-1) if cond.name == "lt" else gap)

    def _equate(self, fact: Linear) -> None:
        """Take `fact == 0` in: replace the newest symbol that it can be solved for."""
        for atom, c in reversed(fact.terms):
            if abs(c) == 1 and isinstance(atom, Sym):
                rest = Linear(tuple(t for t in fact.terms if t[0] != atom), fact.const).scaled(-c)
                if not any(x == atom for t, _ in rest.terms for x in subexpressions(t)):
                    self._solve(atom, rest.expr)
                    return
        self.insert(fact)
        self.insert(fact.scaled(-1))

    def _solve(self, atom: Expr, value: Expr) -> None:
        """`atom` is `value` from now on, in all that is known."""
        lo, hi = self.interval(atom)
        one = {atom: value}
        self._solved = {
            a: simplify(substitute(v, one)) if atom in parts(v) else v for a, v in self._solved.items()
        } | one
        self._ranges = {a: r for a, r in self._ranges.items() if atom not in parts(a)}
        known = [k for k in self._known if atom in parts(k)]
        self._known = self._known.difference(known) | {simplify(substitute(k, one)) for k in known}
        touched = dict.fromkeys(f for a, facts in self._index.items() if atom in parts(a) for f in reversed(facts))
        for a in {a for fact in touched for a, _ in fact.terms}:
            self._index[a] = tuple(f for f in self._index[a] if f not in touched)
        unequal = [u for u in self._unequal if any(atom in parts(a) for a, _ in u.terms)]
        self._unequal = tuple(u for u in self._unequal if u not in unequal)
        self._bounds, self._memo = {}, {}
        for fact in touched:
            self.insert(self._linear(fact.expr))
        same = linear(value)
        if lo is not None:
            self.insert(same.shifted(-lo))
        if hi is not None:
            self.insert(same.scaled(-1).shifted(hi))
        for u in unequal:
            self._differ(self._linear(u.expr))

    def _differ(self, form: Linear) -> None:
        """Take `form != 0` in."""
        self._unequal += (form,)
        self._new.append((form, False))

    def _sharpen(self) -> None:
        """`L >= 0` and `L != 0` make `L >= 1`: tried for each `L` on which something new bears, before a question."""
        if not self._new or not self._unequal:
            return
        touched = {x for form, _ in self._new for a, _ in form.terms for x in free_atoms(a)}
        for fact in self._unequal:
            if fact.is_const:
                if fact.const == 0:
                    self.insert(Linear((), -1))
            elif any(x in touched for a, _ in fact.terms for x in free_atoms(a)):
                for side in (fact, fact.scaled(-1)):
                    if not self.refuted(side) and self.lower(side, 0) == 0:
                        self.insert(side.shifted(-1))

    # --- asking -------------------------------------------------------------------------------------------------------

    def prove(self, cond: Expr) -> bool | None:
        """True or False if that follows for all values that agree with the facts, else None."""
        if isinstance(cond, Const):
            return bool(cond.value)
        if cond not in self._memo:
            self._memo[cond] = self._prove(simplify(self._meant(cond)), _SPLITS)
        return self._memo[cond]

    def holds(self, cond: Expr) -> bool:
        """Tell whether `cond` is proved."""
        return self.prove(cond) is True

    def bounds(self, e: Expr) -> Interval:
        """The smallest constant interval that is known to hold `e` (None: open)."""
        self._sharpen()
        value = self._linear(e)
        lo, upper = (self.lower(v, self.highest(v), steps=STEPS // 3) for v in (value, value.scaled(-1)))
        return lo, None if upper is None else -upper

    def difference(self, a: Expr, b: Expr) -> int | None:
        """`a - b` if it is known to be one constant."""
        return difference(self._substituted(a), self._substituted(b))

    def equal(self, a: Expr, b: Expr) -> bool:
        """Tell whether it is known that `a == b`."""
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

    def _meant(self, cond: Expr) -> Expr:
        return self._substituted(substitute(cond, self._defined) if self._defined else cond)

    def _substituted(self, e: Expr) -> Expr:
        return substitute(e, self._solved) if self._solved else e

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

    def _positive(self, goal: Linear, depth: int) -> bool:
        """Tell whether `goal >= 0` is certain."""
        self._sharpen()
        if self.refuted(goal):
            return False
        seen: dict[Expr, None] = {}
        best = self.lower(goal, 0, seen)
        if best is not None and best >= 0:
            return True
        if not depth or not seen:
            return False
        atom = next(iter(seen))
        for cond, value in cases(atom):
            case = Facts(self)
            case._add(simplify(self._substituted(cond)))
            same = linear(value) - Linear(((atom, 1),), 0)
            case.insert(same)
            case.insert(same.scaled(-1))
            if not case._positive(linear(substitute(goal.expr, {atom: value})), depth - 1):
                return False
        return True


# --- helpers of the prover --------------------------------------------------------------------------------------------


def _is_stable(cond: Expr) -> bool:
    """Tell whether `cond` reads immutable values only."""
    return not any(isinstance(x, (Load, Extent, Stride)) for x in parts(cond))
