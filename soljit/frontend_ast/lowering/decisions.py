"""Questions about values, answered by proof, or from the call that is being compiled with a guard, or by a check at run time.

`decide(cond)` answers a question about argument sizes and scalar arguments from the values of the call being compiled and records
the answer as a guard. An equality between symbols makes the second a name for the first: the caller
(`lower.py`) lowers again with the substitution in force, so that the IR is free of aliases.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from soljit.base.place import Loc
from soljit.base.records import dataclass
from soljit.frontend_ast.lowering.emission import Emission
from soljit.frontend_ast.lowering.state import TEMPORARY
from soljit.frontend_ast.values.learned import Restart
from soljit.ir import symbolic
from soljit.ir.core.expr import Cast, Const, Expr, Load, Op, Sym, const, subexpressions
from soljit.ir.core.nodes import Let
from soljit.ir.core.ops import OPS
from soljit.ir.core.types import DType, b1, i64
from soljit.ir.walk import substitute


@dataclass
class Questions(Emission):
    """Settles conditions: by proof, by the values of the call, or at run time.

    caller: of a function of the program: what the first call of it stands in
    """

    caller: Questions | None = None

    @property
    def root(self) -> Questions:
        """The lowering of the program as a whole."""
        return self if self.caller is None else self.caller.root

    def prove(self, cond: Expr) -> bool | None:
        """Tell whether this is known from facts alone."""
        if isinstance(cond, Const):
            return bool(cond.value)
        return self.facts.prove(cond)

    def decide(self, cond: Expr) -> bool | None:
        """Tell whether `cond` is true: from facts; else, if it speaks of entry symbols only, from this call, with a guard; else None."""
        known = self.prove(cond)
        if known is not None:
            return known
        if self.undecided or not self.is_at_entry(cond):
            return None
        answer = bool(self._evaluate(cond))
        found = cond if answer else symbolic.negate(cond)
        self.root.guard(self.of_program(found), answer, self.loc)
        known_here = substitute(found, self.defined)
        if found != known_here:
            self.facts = self.facts.assume(found)
        self.facts = self.facts.assume(known_here)
        self._saved[:] = [f.assume(known_here) for f in self._saved]
        return answer

    def is_decided(self, cond: Expr) -> bool:
        """Tell whether `decide` has an answer."""
        return self.prove(cond) is not None or not self.undecided and self.is_at_entry(cond)

    def guard(self, guard: Expr, answer: bool, loc: Loc) -> None:
        """The program is for calls of which this is true. answer: it is what was asked, not its contrary"""
        if guard in self._guarded:
            return
        self._guarded.add(guard)
        self.guards.append(guard)
        self.asked_at.setdefault(guard, loc)
        if answer and isinstance(guard, Op) and guard.name == "eq":
            self._unify(guard.args[0], guard.args[1])

    def of_program(self, e: Expr) -> Expr:
        """What is made of the sizes and scalar parameters that the program is given, as it says it."""
        return substitute(substitute(e, self.defined), self.outside)

    def know_outside(self, symbol: str, n: Expr) -> None:
        """A symbol of a function of the program is what its caller calls `n`: what the sizes of the program's arguments tell of that is known."""
        around = self.caller
        assert around is not None
        if around.is_at_entry(n):
            self.concrete = {**self.concrete, symbol: around._evaluate(n)}
            self.outside[symbol] = around.of_program(n)

    def moderate(self, e: Expr) -> None:
        """A scalar argument is almost always far from the ends of 64 bits: make that a guard, which saves overflow checks."""
        if not isinstance(e, Const):
            low, high = symbolic.ge(e, const(-(1 << 31))), symbolic.lt(e, const(1 << 31))
            self.decide(high if self.prove(low) else symbolic.conj(low, high))

    def opaque(self, value: Expr) -> Expr:
        """An i64 of NumPy's, which may wrap: then kept away from the index algebra, which reasons about exact integers."""
        if value.dtype is not i64 or isinstance(value, (Const, Sym, Load)):
            return value
        if isinstance(value, Op) and value.name in ("add", "sub", "mul"):
            for e in value.args:
                self.moderate(e)
            lo, hi = self.facts.bounds(value)
            if lo is not None and hi is not None and -(1 << 62) <= lo <= hi < 1 << 62:
                return symbolic.simplify(value)
        if isinstance(value, Op) and value.name == "mod":
            self.decide(symbolic.gt(value.args[1], const(0)))  # remainders by positive numbers lie below them
        name = self.fresh(TEMPORARY)
        self.emit(Let(name, value))
        self.facts = self.facts.define(Sym(name), value)
        if (
            isinstance(value, Op)
            and value.name in ("floordiv", "mod")
            and self.facts.bounds(value.args[0])[0] is not None
        ):
            self.define(name, value)
        return Sym(name)

    def settle(self, cond: Expr) -> bool | None:
        """`decide`, which also says yes to what can be guarded to hold in every iteration of the enclosing loops."""
        answer = self.decide(cond)
        if answer is None and self.spans and self._for_all_iterations(cond):
            self.facts = self.facts.assume(cond)
            return True
        return answer

    def static_int(self, e: Expr) -> int | None:
        """The value of an integer or bool expression, specializing on a scalar parameter if need be."""
        e = symbolic.simplify(e) if e.dtype is i64 else e
        if isinstance(e, Const):
            return int(e.value.real)
        if not self.is_at_entry(e):
            return None
        if e.dtype is b1:
            answer = self.decide(e)
            return None if answer is None else int(answer)
        value = int(self._evaluate(e))
        return value if self.decide(symbolic.eq(e, Const(value, e.dtype))) else None

    def unroll_for(self, e: Expr) -> None:
        """An expression must be known while compiling: if it counts the steps of a short loop, lower again with that unrolled."""
        for x in subexpressions(e):
            if isinstance(x, Sym) and x.name in self.short_loops and x.name in self.spans:
                self.learned.unrolled.add(self.short_loops[x.name])
                raise Restart

    def unroll_short_loops(self) -> None:
        """Lower again with the short loops around unrolled, if there are any."""
        around = {place for var, place in self.short_loops.items() if var in self.spans}
        if around:
            self.learned.unrolled |= around
            raise Restart

    def value_now(self, e: Expr) -> Any:
        """The value in the call that is being compiled, without a guard: good for examples only. None: not known."""
        return self._evaluate(e).item() if self.is_at_entry(e) else None

    def is_at_entry(self, e: Expr) -> bool:
        """Tell whether this is made of sizes and scalar parameters alone, whose values are known."""
        return self.is_pure(e) and all(
            x.name in self.concrete or x.name in self.defined for x in subexpressions(e) if isinstance(x, Sym)
        )

    def _evaluate(self, e: Expr) -> Any:
        match e:
            case Const():
                return e.dtype.numpy.type(e.value)
            case Sym() if e.name in self.defined:
                return self._evaluate(self.defined[e.name])
            case Sym():
                return e.dtype.numpy.type(self.concrete[e.name])
            case Cast():
                return e.dtype.numpy.type(self._evaluate(e.arg))
            case Op(name="land"):
                return self._evaluate(e.args[0]) and self._evaluate(e.args[1])
            case Op(name="lor"):
                return self._evaluate(e.args[0]) or self._evaluate(e.args[1])
            case Op():
                return OPS[e.name].evaluate(*(self._evaluate(a) for a in e.args))
        raise self.unsupported(f"cannot evaluate {e!r} at compile time")

    def _unify(self, a: Expr, b: Expr) -> None:
        if isinstance(b, Sym) and not (isinstance(a, Sym) and a.name > b.name):
            a, b = b, a
        if isinstance(a, Sym) and a.name in self.concrete and a.name not in self.equalities:
            known = {s.name for s in subexpressions(b) if isinstance(s, Sym)}
            if a.name not in known and not known & set(self.equalities):
                self.equalities[a.name] = b
                self.learned.equal_at.setdefault(a.name, self.loc)
                if not isinstance(b, Const):
                    self.work.ends_soon()

    def param_dtype(self, name: str) -> DType:
        """The type of a scalar parameter or size."""
        for p in self.params:
            if p.name == name and p.dtype is not None:
                return p.dtype
        return i64

    def _for_all_iterations(self, cond: Expr) -> bool:
        """Tell whether `cond` holds in every iteration of the enclosing loops, by a question that can be settled now."""
        if isinstance(cond, Op) and cond.name == "land":
            return all(self._for_all_iterations(a) for a in cond.args)
        if not (isinstance(cond, Op) and cond.name in ("lt", "le", "gt", "ge") and self.is_pure(cond)):
            return self.prove(cond) is True
        if self.prove(cond):
            return True
        a, b = cond.args if cond.name in ("lt", "le") else cond.args[::-1]
        if a.dtype is not i64:
            return False
        gap = symbolic.sub(b, a)  # the condition is gap > 0 or gap >= 0
        compare = symbolic.gt if cond.name in ("lt", "gt") else symbolic.ge
        every, some = symbolic.by_arguments(gap)
        if every or some:
            parts = [compare(symbolic.simplify(g), const(0)) for g in every or some]
            return (all if every else any)(map(self._for_all_iterations, parts))
        for var, span in reversed(self.spans.items()):
            form = symbolic.linear(gap)
            factor = next((c for atom, c in form.terms if atom == Sym(var)), 0)
            if factor == 0:
                continue
            rising = int(span.step.value.real) > 0  # type: ignore[attr-defined]
            least = span.start if rising else symbolic.add(span.stop, const(1))
            most = symbolic.sub(span.stop, const(1)) if rising else span.start
            extreme = least if factor > 0 else most
            gap = symbolic.add(gap, symbolic.mul(const(factor), symbolic.sub(extreme, Sym(var))))
        worst = compare(gap, const(0))
        return worst != cond and self.decide(worst) is True

    def check(self, ok: Expr, exception: str, message: str | None = None, operands: Sequence[Expr] = ()) -> None:
        """Raise unless `ok`, at run time only if it cannot be settled now."""
        answer = self.decide(ok)
        if answer is None and self.spans and self._for_all_iterations(ok):
            self.facts = self.facts.assume(ok)
            return
        if answer is True:
            return
        if answer is False:
            self.raise_(exception, message, operands)
            return
        with self.block() as failed:
            self.raise_(exception, message, operands)
        self.branch(symbolic.negate(ok), failed)
        self.facts = self.facts.assume(ok)

    def same_size(self, a: Expr, b: Expr) -> bool | None:
        """Tell whether two lengths are equal."""
        return True if a == b else self.decide(symbolic.eq(a, b))

    def range_length(self, start: Expr, stop: Expr, step: Expr) -> Expr:
        """Number of steps of Python's `range(start, stop, step)`, step not zero."""
        s = self.static_step(step)
        if s is None:
            up = symbolic.floordiv(symbolic.sub(symbolic.add(symbolic.sub(stop, start), step), const(1)), step)
            down = Op(
                "floordiv",
                (symbolic.add(symbolic.sub(symbolic.sub(start, stop), step), const(-1)), symbolic.neg(step)),
                i64,
            )
            n: Expr = Op("select", (symbolic.gt(step, const(0)), up, down), i64)
            return self.facts.maximum(n, const(0))
        span = symbolic.sub(stop, start) if s > 0 else symbolic.sub(start, stop)
        n = span if abs(s) == 1 else symbolic.floordiv(symbolic.add(span, const(abs(s) - 1)), const(abs(s)))
        empty = symbolic.le(span, const(0))
        answer = self.decide(empty)
        if answer is None:
            return self.facts.maximum(n, const(0))
        return const(0) if answer else n

    def static_step(self, step: Expr) -> int | None:
        step = symbolic.simplify(step)
        return int(step.value.real) if isinstance(step, Const) else None
