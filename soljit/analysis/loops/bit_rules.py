"""Loops of which each bit of the result is a sum, modulo 2, of bits that they begin with: `bit_rule(loop, inner, program)`.

    for byte in data:                                what the inner loop makes of crc is f(crc) with f(a ^ b) = f(a) ^ f(b) ^ f(0):
        crc ^= byte                                  shifts and selections of bits move bits or drop them, ^ adds them up, and
        for _ in range(8):                           `poly` is added where a bit is set
            if crc & 1: crc = (crc >> 1) ^ poly
            else: crc >>= 1

**Theorem.** Let the inner loop's body be assignments to integers (*state*), and let what it assigns be affine over bits: made of the state and of values that are the
same in all iterations of the outer loop by exclusive or, inversion, shifts, conjunction and disjunction with such values, conversions between integers, comparison of a single
bit with zero, and choices by an affine bit between values that differ by a value that is the same. Then the state after the inner loop is an affine function f of the state in front
of it: f(0), and f(x_k) ^ f(0) for each byte x_k of the state, the others being zero, all added by exclusive or.

Proof. Each of these operations is affine in the bits of its operand: a choice c ? a : b is b ^ (c & d), d being a ^ b, which does not depend on the state. Affine functions of
affine functions are affine; so is the inner loop, which runs as often whatever the state is. It is the same function in all iterations of the outer loop, as nothing else that
it reads changes there. ∎
"""

from __future__ import annotations

from collections.abc import Sequence

from soljit.analysis.memory.accesses import effects
from soljit.base.records import dataclass
from soljit.ir.core.data import Scalar
from soljit.ir.core.expr import Cast, Const, Expr, Load, Memlet, Op, Sym, is_const, loads, subexpressions, symbols
from soljit.ir.core.nodes import Branch, Let, Loop, Node, Program, Tasklet
from soljit.ir.walk import rewrite_expr, symbols_defined

_LARGEST = 200  # parts of what an iteration assigns to an integer


@dataclass(frozen=True)
class BitRule:
    """An inner loop that is such a function of its state, and what of the state it changes."""

    state: tuple[str, ...]
    changed: tuple[str, ...]


def bit_rule(loop: Loop, inner: Loop, program: Program) -> BitRule | None:
    """What the inner loop makes of its state, if it is such a function."""
    around, e = effects(loop), effects(inner.body)
    changed = frozenset(a.data for a in around.writes)
    state = sorted({a.data for a in e.accesses if a.data in changed})
    numbers = all(isinstance(d := program.data.get(n), Scalar) and d.dtype.kind in "iu" for n in state)
    arrays = any(not isinstance(program.data.get(a.data), Scalar) for a in e.accesses)
    stored = any(not isinstance(program.data.get(n), Scalar) for n in changed)
    if not numbers or around.python or around.binds or (arrays and stored):
        return None
    rule = _Rule(frozenset({loop.var, *symbols_defined(loop.body)} - {inner.var}), changed)
    if not all(map(rule.same, inner.span.children)):
        return None
    before: dict[str, Expr] = {n: Load(Memlet(n), program.data[n].dtype) for n in state}
    after = _after(inner.body.nodes, dict(before), {})
    if after is None or not all(map(rule.affine, after.values())):
        return None
    return BitRule(tuple(state), tuple(n for n in state if after[n] != before[n]))


def _after(nodes: Sequence[Node], numbers: dict[str, Expr], names: dict[str, Expr]) -> dict[str, Expr] | None:
    """What the numbers are behind these statements, in terms of those in front of the first one; None: they are not plain, or too many."""

    def said(e: Expr) -> Expr | None:
        if isinstance(e, Sym):
            return names.get(e.name)
        return numbers.get(e.memlet.data) if isinstance(e, Load) else None

    for n in nodes:
        match n:
            case Let():
                names[n.name] = rewrite_expr(n.value, said)
            case Tasklet() if n.out.wcr is None:
                numbers[n.out.data] = rewrite_expr(n.code, said)
            case Branch():
                cond = rewrite_expr(n.cond, said)
                then, orelse = (_after(r.nodes, dict(numbers), dict(names)) for r in (n.then, n.orelse))
                if then is None or orelse is None:
                    return None
                for x, a in then.items():
                    numbers[x] = a if a == orelse[x] else Op("select", (cond, a, orelse[x]), a.dtype)
            case _:
                return None
        if sum(1 for x in numbers.values() for _ in subexpressions(x)) > _LARGEST:
            return None
    return numbers


@dataclass(frozen=True)
class _Rule:
    """moving: symbols that differ between iterations of the outer loop; changed: containers that it writes"""

    moving: frozenset[str]
    changed: frozenset[str]

    def same(self, e: Expr) -> bool:
        """Tell whether it has one value in all iterations of the outer loop."""
        return symbols(e).isdisjoint(self.moving) and all(x.memlet.data not in self.changed for x in loads(e))

    def affine(self, e: Expr) -> bool:
        """Tell whether it is affine in the bits of the state."""
        if e.dtype.kind not in "biu":
            return False
        if self.same(e):
            return True
        match e:
            case Load():
                return not e.memlet.subset  # of the state: nothing else that changes is read
            case Cast():
                narrow = e.dtype.kind != "b" or e.arg.dtype.kind == "b" or _one_bit(e.arg)
                return narrow and self.affine(e.arg)
            case Op("bxor" | "invert" | "lnot", args):
                return all(map(self.affine, args))
            case Op("band" | "bor", (a, b)):
                return (self.same(a) and self.affine(b)) or (self.same(b) and self.affine(a))
            case Op("shl" | "shr", (a, by)):
                return self.same(by) and self.affine(a)
            case Op("ne" | "eq", (a, b)):
                return is_const(b, 0) and _one_bit(a) and self.affine(a)
            case Op("select", (cond, a, b)):
                apart = self.same(cond) or (self.affine(cond) and all(map(self.same, _terms(a) ^ _terms(b))))
                return apart and self.affine(a) and self.affine(b)
        return False


def _terms(e: Expr) -> frozenset[Expr]:
    """What is added up by exclusive or; what stands there twice is gone."""
    if isinstance(e, Op) and e.name == "bxor":
        return _terms(e.args[0]) ^ _terms(e.args[1])
    return frozenset((e,))


def _one_bit(e: Expr) -> bool:
    return _bits(e) >= 0 and _bits(e).bit_count() <= 1


def _bits(e: Expr) -> int:
    """The bits that may be set; -1: all."""
    width = 8 * e.dtype.size
    whole = 1 if e.dtype.kind == "b" else (1 << width) - 1 if e.dtype.kind == "u" else -1
    match e:
        case Const() if e.dtype.kind in "biu":
            return int(e.value.real)
        case Op("band", (a, b)):
            return _bits(a) & _bits(b)
        case Op("bxor" | "bor", (a, b)):
            return _bits(a) | _bits(b)
        case Op("shr", (a, Const(value=by))) if _bits(a) >= 0 and by.real >= 0:
            return _bits(a) >> int(by.real)
        case Cast(arg=arg) if arg.dtype.kind in "biu" and e.dtype.kind != "b":
            kept = _bits(arg) & ((1 << width) - 1)
            return kept if e.dtype.kind == "u" or kept >> (width - 1) == 0 else -1
    return whole
