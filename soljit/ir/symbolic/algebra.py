"""Index algebra: smart constructors over i64 expressions, comparisons and logic, all in canonical form.

Invariants:
* Expressions are read as **exact integers**. What can leave 64 bits is guarded by its maker (the front end's overflow
  checks; sizes stay below 2**47), so `(4*x + 8) // 4` is `x + 2` and `x < x + 1` is true.
* `linear(e).expr` is a function of the value of the sum alone: equal sums give structurally equal expressions, and
  the order of terms depends on names only, never on the order of construction.
* Expressions of other types pass through; comparisons and logic of them are folded only where that is exact (a
  negated float `<` is not `>=`, because of NaN).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache

from soljit.ir.core.expr import FALSE, TRUE, ZERO, Cast, Const, Expr, Load, Memlet, Op, Range, const
from soljit.ir.core.types import b1, i64
from soljit.ir.symbolic.linear_sums import Linear, is_index, order, product, single_bound

_LIMIT = 1 << 63


def _atom(e: Expr) -> Linear:
    return Linear(((e, 1),), 0)


@lru_cache(maxsize=16384)
def linear(e: Expr) -> Linear:
    """The canonical sum that equals the i64 expression `e`."""
    if not is_index(e):
        return _atom(e)
    match e:
        case Const():
            return Linear((), int(e.value.real))
        case Op(name=name, args=args) if name in _ALGEBRA:
            return _ALGEBRA[name](*(linear(x) for x in args))
        case Op(name="select", args=(c, x, y)):
            c, x, y = simplify(c), simplify(x), simplify(y)
            if isinstance(c, Const):
                return linear(x if c.value else y)
            return linear(x) if x == y else _atom(Op("select", (c, x, y), i64))
        case Op(name="abs", args=(x,)) if linear(x).is_const:
            return Linear((), abs(linear(x).const))
        case Cast(arg=x) if is_index(x):
            return linear(x)
        case Cast(arg=Const(value=v, dtype=t)) if t.kind in "biu" and -_LIMIT <= int(v.real) < _LIMIT:
            return Linear((), int(v.real))
    return _atom(_with_simple_children(e))


def _floordiv(a: Linear, b: Linear) -> Linear:
    """Floor division; 0 for a zero divisor. A constant positive divisor lets the multiples out."""
    if not b.is_const:
        return a if a == Linear((), 0) else _atom(Op("floordiv", (a.expr, b.expr), i64))
    by = b.const
    if by == 0:
        return Linear((), 0)
    if by < -1 and not a.is_const:  # the negative of the smallest integer does not fit, its quotient does
        return _atom(Op("floordiv", (a.expr, const(by)), i64))
    if by < 0:
        a, by = a.scaled(-1), -by
    whole = Linear(tuple((x, c // by) for x, c in a.terms if c % by == 0), a.const // by)
    rest = Linear(tuple((x, c) for x, c in a.terms if c % by), a.const % by)
    if rest.is_const:
        return whole
    common = math.gcd(rest.divisor, by)  # floor((g*X + r) / (g*c)) == floor((X + floor(r/g)) / c)
    rest = Linear(tuple((x, c // common) for x, c in rest.terms), rest.const // common)
    by //= common
    if len(rest.terms) == 1 and rest.const == 0 and rest.terms[0][1] == 1:
        inner = rest.terms[0][0]
        if isinstance(inner, Op) and inner.name == "floordiv" and isinstance(inner.args[1], Const):
            if (deep := int(inner.args[1].value.real)) > 0:
                return whole + _floordiv(linear(inner.args[0]), Linear((), deep * by))
    if common > 1:
        return whole + _floordiv(rest, Linear((), by))
    return whole + _atom(Op("floordiv", (rest.expr, const(by)), i64))


def _mod(a: Linear, b: Linear) -> Linear:
    """Remainder with the divisor's sign; 0 for a zero divisor. Multiples of a constant positive divisor vanish."""
    if a == Linear((), 0) or b == Linear((), 0):
        return Linear((), 0)
    if a.is_const and b.is_const:
        return Linear((), a.const % b.const)
    if not b.is_const or b.const < 0:
        return _atom(Op("mod", (a.expr, b.expr), i64))
    by = b.const
    rest = Linear((), a.const % by)
    for x, c in a.terms:
        if isinstance(x, Op) and x.name == "mod" and isinstance(x.args[1], Const):
            if (m := int(x.args[1].value.real)) > 0 and m % by == 0:
                return _mod(a + _atom(x).scaled(-c) + linear(x.args[0]).scaled(c), b)
        rest = rest + _atom(x).scaled(c if abs(c) < by else c % by)
    if rest.is_const:
        return rest
    return _atom(Op("mod", (rest.expr, b.expr), i64))


def _extreme(name: str, a: Linear, b: Linear) -> Linear:
    """`min` or `max` as a flat, sorted, left-nested chain without members that another one always beats."""
    sign = 1 if name == "min" else -1
    members: list[Linear] = []
    for new in (*_members(name, a), *_members(name, b)):
        for k, old in enumerate(members):
            gap = new - old
            if gap.is_const:
                if gap.const * sign < 0:
                    members[k] = new
                break
        else:
            members.append(new)
    if len(members) == 1:
        return members[0]
    shift = members[0].const if len({m.const for m in members}) == 1 else 0
    ordered = sorted((m.shifted(-shift).expr for m in members), key=order)
    out = ordered[0]
    for m in ordered[1:]:
        out = Op(name, (out, m), i64)
    return Linear(((out, 1),), shift)


def _members(name: str, value: Linear) -> list[Linear]:
    if len(value.terms) == 1 and value.terms[0][1] == 1:
        atom = value.terms[0][0]
        if isinstance(atom, Op) and atom.name == name and is_index(atom):
            inner = [m for x in atom.args for m in _members(name, linear(x))]
            return [m.shifted(value.const) for m in inner]
    return [value]


_ALGEBRA: dict[str, Callable[..., Linear]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "neg": lambda a: a.scaled(-1),
    "mul": product,
    "floordiv": _floordiv,
    "mod": _mod,
    "min": lambda a, b: _extreme("min", a, b),
    "max": lambda a, b: _extreme("max", a, b),
}


def _with_simple_children(e: Expr) -> Expr:
    match e:
        case Op(name=name, args=args, dtype=t):
            return Op(name, tuple(simplify(x) for x in args), t)
        case Cast(dtype=t, arg=x):
            return Cast(t, simplify(x))
        case Load(memlet=m, dtype=t):
            return Load(replace(m, subset=tuple(_simple_subset(s) for s in m.subset)), t)
    return e


def _simple_subset(s: Expr | Range) -> Expr | Range:
    return Range(*(simplify(x) for x in s.children)) if isinstance(s, Range) else simplify(s)


def simplify_memlet(m: Memlet) -> Memlet:
    """`m` with its subset in canonical form."""
    return replace(m, subset=tuple(_simple_subset(s) for s in m.subset))


@lru_cache(maxsize=16384)
def simplify(e: Expr) -> Expr:
    """`e` in canonical form: index algebra, comparisons and logic folded; other types only below their surface."""
    if is_index(e):
        return linear(e).expr
    match e:
        case Op(name=name, args=(a, b)) if name in COMPARE:
            return COMPARE[name](simplify(a), simplify(b))
        case Op(name="land", args=(a, b)):
            return conj(simplify(a), simplify(b))
        case Op(name="lor", args=(a, b)):
            return disj(simplify(a), simplify(b))
        case Op(name="lnot", args=(a,)):
            return negate(simplify(a))
        case Op(name="select", args=(c, x, y)) if isinstance(c := simplify(c), Const):
            return simplify(x if c.value else y)
    return _with_simple_children(e)


# --- arithmetic -------------------------------------------------------------------------------------------------------


def _arithmetic(name: str, *args: Expr) -> Expr:
    if all(is_index(a) for a in args):
        return _ALGEBRA[name](*(linear(a) for a in args)).expr
    return Op(name, args, args[0].dtype)


def add(a: Expr, b: Expr) -> Expr:
    """`a + b`."""
    return _arithmetic("add", a, b)


def sub(a: Expr, b: Expr) -> Expr:
    """`a - b`."""
    return _arithmetic("sub", a, b)


def mul(a: Expr, b: Expr) -> Expr:
    """`a * b`."""
    return _arithmetic("mul", a, b)


def neg(a: Expr) -> Expr:
    """`-a`."""
    return _arithmetic("neg", a)


def floordiv(a: Expr, b: Expr) -> Expr:
    """`a // b`, rounding down; 0 for a zero divisor."""
    return _arithmetic("floordiv", a, b)


def mod(a: Expr, b: Expr) -> Expr:
    """`a % b` with the divisor's sign; 0 for a zero divisor."""
    return _arithmetic("mod", a, b)


def minimum(a: Expr, b: Expr) -> Expr:
    """The smaller one."""
    return _arithmetic("min", a, b)


def maximum(a: Expr, b: Expr) -> Expr:
    """The larger one."""
    return _arithmetic("max", a, b)


def total(parts: Iterable[Expr]) -> Expr:
    """Sum; 0 for none."""
    out = Linear((), 0)
    for p in parts:
        out = out + linear(p)
    return out.expr


def prod(parts: Iterable[Expr]) -> Expr:
    """Product; 1 for none."""
    out = Linear((), 1)
    for p in parts:
        out = product(out, linear(p))
    return out.expr


def select(cond: Expr, then: Expr, orelse: Expr) -> Expr:
    """`then if cond else orelse`, of any type."""
    if isinstance(cond, Const):
        return then if cond.value else orelse
    return then if then == orelse else Op("select", (cond, then, orelse), then.dtype)


def difference(a: Expr, b: Expr) -> int | None:
    """`a - b` if it is the same integer whatever the symbols are."""
    gap = linear(a) - linear(b)
    return gap.const if gap.is_const else None


def equal(a: Expr, b: Expr) -> bool:
    """Tell whether `a` and `b` are the same number whatever the symbols are. (False: not known to be.)"""
    return a == b or simplify(a) == simplify(b)


def range_length(span: Range) -> Expr:
    """`len(range(start, stop, step))`; the step's sign must be known, so it is a constant."""
    step = linear(span.step)
    if not step.is_const or step.const == 0:
        raise ValueError(f"the length of a range with the step {span.step} is no index expression")
    gap, by = linear(span.stop) - linear(span.start), step.const
    if by < 0:
        gap, by = gap.scaled(-1), -by
    return maximum(ZERO, _floordiv(gap.shifted(by - 1), Linear((), by)).expr)


# --- comparisons ------------------------------------------------------------------------------------------------------


def nonneg(value: Linear) -> Expr:
    """The condition `value >= 0`, negative terms moved to the left side."""
    if value.is_const:
        return TRUE if value.const >= 0 else FALSE
    by = value.divisor
    rest = value.const // by
    if len(value.terms) == 1:
        return single_bound(value.terms[0][0], value.terms[0][1] // by > 0, rest)
    plus = Linear(tuple((a, c // by) for a, c in value.terms if c > 0), max(rest, 0))
    minus = Linear(tuple((a, -c // by) for a, c in value.terms if c < 0), max(-rest, 0))
    if rest == -1:
        return Op("lt", (minus.shifted(-1).expr, plus.expr), b1)
    return Op("le", (minus.expr, plus.expr), b1)


def _iszero(value: Linear, name: str) -> Expr:
    """`value == 0` or `value != 0`: the first term on the left, positive."""
    if value.is_const or value.const % value.divisor:
        return TRUE if (value.terms == () and value.const == 0) == (name == "eq") else FALSE
    by = value.divisor * (1 if value.terms[0][1] > 0 else -1)
    left = Linear(tuple((a, c // by) for a, c in value.terms if c // by > 0), max(value.const // by, 0))
    right = Linear(tuple((a, -c // by) for a, c in value.terms if c // by < 0), max(-value.const // by, 0))
    return Op(name, (left.expr, right.expr), b1)


def _fold(name: str, a: Expr, b: Expr) -> Expr:
    """A comparison of another type: folded for literals, and for equal operands that are no floats."""
    if isinstance(a, Const) and isinstance(b, Const) and a.dtype.kind != "c":
        x, y = a.value.real, b.value.real
        outcome = {"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}[name]
        return TRUE if outcome else FALSE
    if a == b and a.dtype.kind in "biu":
        return TRUE if name in ("eq", "le", "ge") else FALSE
    return Op(name, (a, b), b1)


def le(a: Expr, b: Expr) -> Expr:
    """`a <= b`."""
    return nonneg(linear(b) - linear(a)) if is_index(a) else _fold("le", a, b)


def lt(a: Expr, b: Expr) -> Expr:
    """`a < b`."""
    return nonneg((linear(b) - linear(a)).shifted(-1)) if is_index(a) else _fold("lt", a, b)


def ge(a: Expr, b: Expr) -> Expr:
    """`a >= b`."""
    return le(b, a) if is_index(a) else _fold("ge", a, b)


def gt(a: Expr, b: Expr) -> Expr:
    """`a > b`."""
    return lt(b, a) if is_index(a) else _fold("gt", a, b)


def eq(a: Expr, b: Expr) -> Expr:
    """`a == b`."""
    return _iszero(linear(a) - linear(b), "eq") if is_index(a) else _fold("eq", a, b)


def ne(a: Expr, b: Expr) -> Expr:
    """`a != b`."""
    return _iszero(linear(a) - linear(b), "ne") if is_index(a) else _fold("ne", a, b)


COMPARE: dict[str, Callable[[Expr, Expr], Expr]] = {"le": le, "lt": lt, "ge": ge, "gt": gt, "eq": eq, "ne": ne}
_OPPOSITE = {"le": "gt", "lt": "ge", "ge": "lt", "gt": "le", "eq": "ne", "ne": "eq"}


# --- logic ------------------------------------------------------------------------------------------------------------


def negate(cond: Expr) -> Expr:
    """`not cond`."""
    match cond:
        case Const(value=v):
            return FALSE if v else TRUE
        case Op(name="lnot", args=(x,)):
            return x
        case Op(name=name, args=(a, b)) if name in _OPPOSITE and (a.dtype.kind in "biu" or name in ("eq", "ne")):
            return COMPARE[_OPPOSITE[name]](a, b)
        case Op(name="land", args=(a, b)):
            return disj(negate(a), negate(b))
        case Op(name="lor", args=(a, b)):
            return conj(negate(a), negate(b))
    return Op("lnot", (cond,), b1)


def conj(*conds: Expr) -> Expr:
    """All of them, evaluated in this order until one fails; TRUE for none."""
    return _chain("land", conds, TRUE, FALSE)


def disj(*conds: Expr) -> Expr:
    """Any of them, evaluated in this order until one holds; FALSE for none."""
    return _chain("lor", conds, FALSE, TRUE)


def _chain(name: str, conds: Iterable[Expr], unit: Const, zero: Const) -> Expr:
    parts: list[Expr] = []
    for c in (p for cond in conds for p in arms(name, cond)):
        if c == zero or negate(c) in parts:
            return zero
        if c != unit and c not in parts:
            parts.append(c)
    if not parts:
        return unit
    out = parts[0]
    for p in parts[1:]:
        out = Op(name, (out, p), b1)
    return out


def arms(name: str, cond: Expr) -> list[Expr]:
    """The members of a chain of `land` or `lor`, in order."""
    if isinstance(cond, Op) and cond.name == name:
        return arms(name, cond.args[0]) + arms(name, cond.args[1])
    return [cond]
