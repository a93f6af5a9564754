"""Values that are never -0.0: `ZeroSigns(program).without_minus(e)`. Of such values, equal ones are the same.

Two sets of float expressions, both of which may be NaN: *not negative*, neither below zero nor -0.0; and *without minus*, of any sign, but not -0.0. In rounding to nearest
a + b is -0.0 only if a and b are, a - b only if a is -0.0 and b is 0.0, and x * x never. A scalar is not negative if all that the program writes to it is, as long as it is: it is written
before it is read, so the first of its values that were not would come from others that are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from math import copysign

from soljit.base.records import dataclass
from soljit.ir.core.data import Scalar
from soljit.ir.core.expr import Cast, Const, Expr, Load, Op, Sym
from soljit.ir.core.nodes import Let, Program, Tasklet
from soljit.ir.symbolic import arms
from soljit.ir.walk import memlets_written, walk

_GREATER = {"gt": (0, 1), "lt": (1, 0)}  # where the greater operand stands, and the smaller one
_DEEP = 12  # operations


@dataclass
class ZeroSigns:
    """Questions about the values of one program."""

    program: Program
    _lets: dict[str, Expr | None] = field(default_factory=dict)
    _writes: dict[str, list[Tasklet | None]] = field(default_factory=dict)
    _taken: set[str] = field(default_factory=set)  # scalars that are not negative, or for which that is being asked

    def __post_init__(self) -> None:
        given = {p.name for p in self.program.params}
        for n in walk(self.program.body):
            if isinstance(n, Let):
                self._lets[n.name] = None if n.name in self._lets else n.value
            for m in memlets_written(n):
                name = m.data
                if isinstance(self.program.data.get(name), Scalar):
                    known = isinstance(n, Tasklet) and n.out.wcr in (None, "add", "min", "max") and name not in given
                    self._writes.setdefault(name, []).append(n if known and isinstance(n, Tasklet) else None)

    def without_minus(self, e: Expr, condition: Expr | None = None) -> bool:
        """Tell whether a float is never -0.0 where a condition holds."""
        if condition is not None and any(self._says_positive(c, e) for c in self._parts(condition)):
            return True
        return self._without_minus(e, 0)

    def is_flag(self, scalar: str) -> bool:
        """Tell whether nothing but 0 and 1 is ever written to a scalar."""
        return all(t is not None and t.out.wcr != "add" and _is_flag(t.code) for t in self._writes.get(scalar, [None]))

    def _parts(self, condition: Expr) -> Iterator[Expr]:
        for c in arms("land", condition):
            value = self._lets.get(c.name) if isinstance(c, Sym) else None
            if value is None:
                yield c
            else:
                yield from self._parts(value)

    def _says_positive(self, c: Expr, e: Expr) -> bool:
        if not isinstance(c, Op) or c.name not in ("gt", "lt"):
            return False
        high, low = _GREATER[c.name]
        return c.args[high] == e and self._not_negative(c.args[low], 0)

    def _without_minus(self, e: Expr, deep: int) -> bool:
        if deep > _DEEP:
            return False
        match e:
            case Op("add", (a, b)) if self._without_minus(a, deep + 1) or self._without_minus(b, deep + 1):
                return True
            case Op("sub", (a, _)) if self._without_minus(a, deep + 1):
                return True
            case Op("select", (_, a, b)) if self._without_minus(a, deep + 1) and self._without_minus(b, deep + 1):
                return True
            case Const(value=float() as v):
                return v != 0 or copysign(1, v) > 0
            case Cast(arg=a) if a.dtype.kind in "iub":
                return True
            case Sym() if (value := self._lets.get(e.name)) is not None:
                return self._without_minus(value, deep + 1)
        return self._not_negative(e, deep)

    def _not_negative(self, e: Expr, deep: int) -> bool:
        if deep > _DEEP:
            return False
        match e:
            case Const(value=bool() | int() as v):
                return v >= 0
            case Const(value=float() as v):
                return v >= 0 and copysign(1, v) > 0
            case Op("abs" | "exp" | "exp2" | "hypot"):
                return e.dtype.kind == "f"
            case Op("mul", (a, b)) if a == b and e.dtype.kind == "f":
                return True
            case Op("sqrt", (a,)):
                return self._without_minus(a, deep + 1)
            case Op("add" | "mul" | "div" | "min" | "max", (a, b)) if e.dtype.kind == "f":
                return self._not_negative(a, deep + 1) and self._not_negative(b, deep + 1)
            case Op("select", (c, a, b)):
                return all(self._not_negative(x, deep + 1) or self._is_greater(c, x, (a, b), deep) for x in (a, b))
            case Cast(arg=a) if e.dtype.kind == "f" and a.dtype.kind == "f":
                return self._not_negative(a, deep + 1)
            case Sym() if (value := self._lets.get(e.name)) is not None:
                return self._not_negative(value, deep + 1)
            case Load() if not e.memlet.subset:
                return self._scalar(e.memlet.data, deep)
        return False

    def _is_greater(self, c: Expr, x: Expr, both: tuple[Expr, Expr], deep: int) -> bool:
        """Tell whether `x if c else b` is chosen only where x > b, and b is not negative."""
        if x is not both[0] or not isinstance(c, Op) or c.name not in ("gt", "lt"):
            return False
        high, low = _GREATER[c.name]
        return c.args[high] == x and self._not_negative(c.args[low], deep + 1)

    def _scalar(self, name: str, deep: int) -> bool:
        if name in self._taken:
            return True
        before = set(self._taken)
        self._taken.add(name)
        found = all(t is not None and self._not_negative(t.code, deep + 1) for t in self._writes.get(name, [None]))
        if not found:
            self._taken = before  # what was told meanwhile may rest on it
        return found


def _is_flag(e: Expr) -> bool:
    match e:
        case Const(value=bool() | int() as v):
            return v in (0, 1)
        case Op("select", (_, a, b)):
            return _is_flag(a) and _is_flag(b)
    return e.dtype.kind == "b"
