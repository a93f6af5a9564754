"""Which writes of a map combine values over its iterations: the element that receives them, and the loops that move it.

A `Fold` is found for an element if nothing else in the map touches its container, and if its subscripts name nothing that the body
defines. The loops `kept` tell its elements apart; all other loops combine values into each of them.
"""

from __future__ import annotations

from soljit.analysis.loops.reductions import colliding_sums
from soljit.analysis.memory.accesses import effects, may_alias
from soljit.base.errors import InternalError
from soljit.base.records import dataclass
from soljit.ir.core.data import Scalar
from soljit.ir.core.expr import Const, Load, Memlet, Range, is_const, subexpressions
from soljit.ir.core.nodes import Map, Program, Tasklet
from soljit.ir.core.types import DType, f32
from soljit.ir.symbolic import range_length
from soljit.ir.walk import memlets_read, memlets_written, symbols_defined, symbols_of, walk
from soljit.ir.walk.spaces import SPREAD, base_of


@dataclass(frozen=True, slots=True)
class Fold:
    """`target` (with its wcr) receives values of type `dtype`; the loops with the numbers `kept` move it."""

    target: Memlet
    dtype: DType
    kept: tuple[int, ...]

    @property
    def wcr(self) -> str:
        assert self.target.wcr is not None
        return self.target.wcr


def accumulated(t: DType, wcr: str) -> DType:
    """The type in which values of type `t` are combined: NumPy adds up and multiplies halves in float."""
    return f32 if t.name == "f16" and wcr in ("add", "mul") else t


def folds(program: Program, m: Map) -> list[Fold] | None:
    """The folds of a map over its iterations, each element once; None if something is combined over them in another way."""
    inner = symbols_defined(m.body)
    own = {name for x in walk(m) if isinstance(x, Map) for name in x.private} | effects(m.body).allocs
    found: dict[Memlet, DType] = {}
    for x in walk(m.body):
        if isinstance(x, Tasklet) and x.out.wcr is not None and base_of(program.data, x.out.data) not in own:
            if x.out.data not in colliding_sums(m, m.vars, program.data) and not is_number(program, x.out):
                continue  # each iteration has elements of its own
            names = symbols_of(x.out)
            if names & inner or any(isinstance(y, Load) for e in x.out.children for y in subexpressions(e)):
                return None
            found.setdefault(x.out, x.code.dtype)
    out = []
    for target, dtype in found.items():
        names = symbols_of(target)
        kept = tuple(k for k, v in enumerate(m.vars) if v in names)
        if any(isinstance(s, Range) for s in target.subset) or is_touched(program, m, target):
            return None
        if kept and target.data in colliding_sums(m, [m.vars[k] for k in kept], program.data):
            return None
        out.append(Fold(target, dtype, kept))
    return out


def block_folds(program: Program, m: Map) -> list[Fold] | None:
    """The folds of a block map, for which all threads of the block work together; None if something is combined in a way that they cannot.

    What the threads combine into elements apart from each other, each does by itself.
    """
    spread = {v for v, word in zip(m.vars, m.schedule) if word in SPREAD}
    several = [v for v, s in zip(m.vars, m.spans) if v in spread and not is_const(range_length(s), 1)]
    inner = symbols_defined(m.body) | {*m.vars} - spread
    own = {name for x in walk(m) if isinstance(x, Map) for name in x.private}
    found: dict[Memlet, DType] = {}
    for x in walk(m.body):
        if not isinstance(x, Tasklet) or x.out.wcr is None or base_of(program.data, x.out.data) in own:
            continue
        names = symbols_of(x.out)
        if not names & spread and (is_number(program, x.out) or several):
            if names & inner or any(isinstance(y, Load) for e in x.out.children for y in subexpressions(e)):
                return None
            found.setdefault(x.out, x.code.dtype)
        elif several and x.out.data in colliding_sums(m, several, program.data):
            return None
    if any(isinstance(s, Range) for t in found for s in t.subset) or any(is_touched(program, m, t) for t in found):
        return None
    return [Fold(target, dtype, ()) for target, dtype in found.items()]


def is_touched(program: Program, m: Map, target: Memlet) -> bool:
    """Tell whether anything in the body but the writes of `target` itself touches its container."""
    home = base_of(program.data, target.data)
    for n in walk(m.body):
        others = [*memlets_read(n), *memlets_written(n)]
        if isinstance(n, Tasklet) and n.out == target:
            others = [x for x in memlets_read(n) if x is not n.out]
        for x in others:
            if base_of(program.data, x.data) == home or may_alias(program, x.data, target.data):
                return True
    return False


def is_number(program: Program, target: Memlet) -> bool:
    """Tell whether it is a scalar of the program, no element of an array."""
    return isinstance(program.data.get(target.data), Scalar)


def identity(wcr: str, t: DType) -> Const:
    """The value that changes nothing. The zero of a float sum is negative: it leaves even a sum of -0.0 alone."""
    match wcr:
        case "add":
            zero: object = (
                complex(-0.0, -0.0) if t.is_complex else -0.0 if t.is_float else False if t.kind == "b" else 0
            )
            return Const(zero, t)  # type: ignore[arg-type]
        case "mul":
            return Const(1.0 if t.is_float else 1 + 0j if t.is_complex else True if t.kind == "b" else 1, t)
        case "min" | "max":
            low = wcr == "max"
            if t.kind == "b":
                return Const(not low, t)
            if t.is_int:
                return Const(t.lowest if low else t.highest, t)
            bound = float("-inf") if low else float("inf")
            return Const(complex(bound, bound) if t.is_complex else bound, t)
        case "land" | "lor":
            return Const(wcr == "land", t)
        case "band":
            return Const(True if t.kind == "b" else t.highest if t.kind == "u" else -1, t)
        case "bor" | "bxor":
            return Const(False if t.kind == "b" else 0, t)
        case _:
            raise InternalError(f"unknown combination {wcr!r}")
