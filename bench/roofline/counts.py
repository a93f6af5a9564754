"""What a call must do: operations and bytes, counted in the optimized program with the sizes of the call. Nothing is run.

The program is that of the processor, before loops over time are put into blocks and before threads. Loops are taken exactly where they have few turns; of longer ones two turns
stand for all, one standard deviation before and behind the middle, which is exact for sums of polynomials up to the third degree: triangles and pyramids. A loop
whose length only the data tell, unless the kernel's file has its `turns`, counts as 16 turns, an undecided branch as half of both sides; `guesses` says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from bench.sizes import GUESS, Sizes, program_of
from soljit.analysis.cost.traffic import traffic
from soljit.analysis.memory.accesses import effects
from soljit.base.settings import current
from soljit.ir.core.data import Array, Ref, View
from soljit.ir.core.expr import Cast, Expr, Load, Memlet, Op, Range, subexpressions, symbols
from soljit.ir.core.nodes import (
    Branch,
    Break,
    Call,
    Callback,
    Copy,
    Let,
    LibraryNode,
    Loop,
    Map,
    Node,
    Program,
    Region,
    Return,
    Tasklet,
    While,
)
from soljit.ir.core.ops import LIBM, MATH_BINARY, MATH_UNARY
from soljit.ir.core.types import DType
from soljit.ir.walk import value_exprs, values, walk

SIMPLE, FUSED = "simple", "fused"
LAST = "compare_remainders"  # the pass before skew_loops
_NONE = frozenset({"select", "land", "lor", "lnot", "real", "imag", "conj", "complex", "neg", "threads"})
_SLOW = frozenset({"div", "int_div", "floordiv", "mod", "fmod", "pow", *MATH_UNARY, *MATH_BINARY, *LIBM})
_LAPACK = {
    "cholesky_lo": 1 / 3,
    "solve": 2 / 3,
    "solve1": 2 / 3,
    "det": 2 / 3,
    "inv": 2.0,
}  # operations of n by n over n cubed
_TURNS = 64  # of all loops around a node, as far as they are taken one by one


@dataclass
class Counts:
    """operations: by what and dtype ("simple f64": vector units do them at their peak; "fused f64": of products by the BLAS; "exp f64"); asked: bytes of arrays that its loops ask for,
    each element once a run of a nest; touched: bytes that their iterations load and store; memory: bytes of all arrays; callbacks: calls of Python; libraries: calls of NumPy's routines"""

    operations: dict[str, float] = field(default_factory=dict)
    asked: float = 0
    touched: float = 0
    memory: float = 0
    callbacks: float = 0
    libraries: float = 0
    guesses: list[str] = field(default_factory=list)


def counted(function: Any, arguments: list[Any], turns: float | None = None) -> Counts:
    """What a call takes. turns: of its `while` loop, if they are known"""
    settings = current()._replace(target="null", stop_after=LAST, strict=True)
    program, given = program_of(function, arguments, settings)
    walk = _Walk(program, given, turns)
    walk.node(program.body, 1.0, _TURNS)
    for name in {a.data for a in effects(program.body).accesses}:
        if isinstance(program.data.get(name), Array):
            walk.counts.memory += walk.sizes.bytes_of(name)
    return walk.counts


class _Walk:
    """A walk through a program; `around` is the loop whose body is looked at."""

    def __init__(self, program: Program, arguments: list[Any], turns: float | None) -> None:
        self.program, self.counts, self.while_turns = program, Counts(), turns
        self.sizes = Sizes(program, arguments, self.counts.guesses)
        self.values = {p.name for p in program.params if p.kind == "scalar" and p.dtype and not p.dtype.is_int}
        self.nest = False  # inside of a nest whose bytes are counted
        self.around: str = ""
        self.moving: set[str] = set()  # what is worked out in loops
        self.seen: set[Memlet] = set()

    def node(self, n: Node, times: float, turns: float) -> None:
        """Count what `times` runs of a node take. turns: how many may be taken one by one"""
        c = self.counts
        match n:
            case Region():
                for inner in n.nodes:
                    self.node(inner, times, turns)
            case Let():
                self.let(n, times)
            case Tasklet():
                self.expression(n.code, times)
                if n.out.wcr:
                    self.operation(n.out.wcr, self.program.data[n.out.data].dtype, times)
                self.access(n.out, times)
            case Map():
                self.loops([*zip(n.vars, n.spans)], n, times, turns)
            case Loop():
                self.loops([(n.var, n.span)], n, times, turns)
            case While():
                if self.while_turns is None:
                    self.guess("a while loop")
                often = times * (GUESS if self.while_turns is None else self.while_turns)
                self.node(n.body, often, turns)
                self.expression(n.cond, often)
            case Branch():
                taken = min(1.0, max(0.0, self.sizes.number(n.cond, 0.5, "a branch")))
                if any(isinstance(x, Load) for x in subexpressions(n.cond)):
                    self.expression(n.cond, times)
                self.node(n.then, times * taken, turns)
                self.node(n.orelse, times * (1 - taken), turns)
            case LibraryNode():
                self.library(n, times)
            case Copy():
                self.bytes_of(n, times)
            case Callback():
                c.callbacks += times
                self.guess(f"a call of {n.target}")
            case Call():
                self.guess(f"a call of {n.function}")
            case Break() | Return() if turns < _TURNS:
                self.guess("a loop may end early")
            case _:
                pass

    def guess(self, what: str) -> None:
        if what not in self.counts.guesses:
            self.counts.guesses.append(what)

    def let(self, n: Let, times: float) -> None:
        """A number of the data, which is work, or one of sizes and subscripts, which is none."""
        self.sizes.define(n.name, self.sizes.known(n.value), n.value.dtype)
        if self.around:
            self.moving.add(n.name)
        loads = any(isinstance(x, Load) for x in subexpressions(n.value))
        if loads or not n.value.dtype.is_int or symbols(n.value) & self.values:
            self.values.add(n.name)
            self.expression(n.value, times)

    # --- loops ---

    def loops(self, rest: list[tuple[str, Range]], n: Map | Loop, times: float, turns: float) -> None:
        """The loops of a node, one by one; the bytes of a nest when it is entered."""
        outermost = not self.nest and (isinstance(n, Map) or not any(isinstance(x, Map) for x in walk(n.body)))
        if outermost and rest and (len(rest) == len(n.vars) if isinstance(n, Map) else True):
            self.bytes_of(n, times)
            self.nest = True
            self.loops(rest, n, times, turns)
            self.nest = False
            return
        if not rest:
            self.node(n.body, times, turns)
            return
        (var, span), *others = rest
        outer, seen, self.around = self.around, self.seen, var
        for value, weight, left in self.turns(var, span, [*(s for _, s in others), n.body], turns):
            self.seen = set()
            self.sizes.define(var, value)
            self.loops(others, n, times * weight, left)
        self.around, self.seen = outer, seen

    def turns(
        self, var: str, span: Range, inside: Iterable[Node | Range], most: float
    ) -> Iterator[tuple[float, float, float]]:
        """Values of a variable, how many turns each stands for, and how many may be taken one by one inside of it."""
        start, step, count = self.sizes.turns(span)
        if not count:
            return
        middle = (count - 1) / 2
        if not any(_depends(x, var) for x in inside):
            yield start + step * int(middle), count, most
        elif count <= most:
            for k in range(int(count)):
                yield start + step * k, 1.0, most / count
        else:
            apart = math.sqrt((count * count - 1) / 12)
            for k in (middle - apart, middle + apart):
                yield start + step * round(k), count / 2, most / 2

    # --- leaves ---

    def expression(self, e: Expr, times: float) -> None:
        """The operations that make a value, not those of subscripts; what it loads."""
        match e:
            case Load():
                self.access(e.memlet, times)
            case Op() if e.name == "select":
                condition, *arms = e.args
                self.expression(condition, times)
                for arm in arms:
                    self.expression(arm, times / 2)
            case Op():
                self.operation(e.name, e.args[0].dtype if e.args else e.dtype, times)
                for x in e.args:
                    self.expression(x, times)
            case Cast():
                self.expression(e.arg, times)

    def operation(self, name: str, dtype: DType, times: float) -> None:
        """One operation of so many elements; complex ones as those of their parts."""
        if name in _NONE:
            return
        if name in _SLOW and not (dtype.is_complex and name == "div"):
            self.add(LIBM.get(name, name), dtype, times)
        elif not dtype.is_complex:
            self.add(SIMPLE, dtype, times)
        elif name == "div":
            self.add(SIMPLE, dtype.real, 9 * times)
            self.add("div", dtype.real, 2 * times)
        else:
            self.add(SIMPLE, dtype.real, times * (6 if name in ("mul", "scalar_mul") else 3 if "abs" in name else 2))

    def add(self, what: str, dtype: DType, count: float) -> None:
        """So many operations of a kind."""
        key = f"{what} {dtype.name}"
        self.counts.operations[key] = self.counts.operations.get(key, 0.0) + count

    def access(self, m: Memlet, times: float) -> None:
        """An element that an iteration of the innermost loop loads or stores; once if it is the same as one before, not if it is that of all iterations."""
        d = self.program.data.get(m.data)
        if not m.subset or m in self.seen or not isinstance(d, (Array, Ref, View)):
            return
        named = {name for e in m.children for name in symbols(e)}
        if self.around and self.around not in named and not named & self.moving:
            return
        self.seen.add(m)
        self.counts.touched += times * d.dtype.size

    def library(self, n: LibraryNode, times: float) -> None:
        """Products by the BLAS are counted, others are only told."""
        self.counts.libraries += times
        self.bytes_of(n, times)
        operands = [m for m in (*n.outs, *n.ins) if isinstance(m, Memlet)]
        dtype = self.program.data[operands[0].data].dtype
        each = 8 if dtype.is_complex else 2
        if n.op == "matmul":
            a = next(m for m in n.ins if isinstance(m, Memlet))
            s = a.subset[a.dims[-1]]
            inner = self.sizes.turns(s)[2] if isinstance(s, Range) else 1.0
            half = 0.5 if "triangle" in n.attrs else 1.0
            self.add(FUSED, dtype.real, times * half * each * inner * self.elements(n.outs[0]))
        elif n.op == "ger":
            self.add(FUSED, dtype.real, times * each * self.elements(n.outs[0]))
        elif n.op in ("argmin", "argmax"):
            self.add(SIMPLE, dtype, times * self.elements(operands[1]))
        elif n.op == "loop" and (part := _LAPACK.get(str(n.attrs["function"]).rpartition(".")[2])):
            a = next(m for m in n.ins if isinstance(m, Memlet))
            size = [self.sizes.turns(s)[2] for s in a.subset if isinstance(s, Range)][-1]
            self.add(FUSED, dtype.real, times * part * each / 2 * size * self.elements(a))
        else:
            self.guess(f"the work of {n.op}")

    def elements(self, m: Memlet) -> float:
        return math.prod(self.sizes.turns(s)[2] for s in m.subset if isinstance(s, Range))

    def bytes_of(self, n: Node, times: float) -> None:
        """What a nest, a copy or a routine reads and writes."""
        if isinstance(n, (LibraryNode, Copy)):
            operands = (*n.outs, *n.ins) if isinstance(n, LibraryNode) else (n.dst, n.src)
            of = [m for m in operands if isinstance(m, Memlet)]
            self.counts.asked += times * sum(self.elements(m) * self.program.data[m.data].dtype.size for m in of)
            return
        found = traffic(self.program, n)
        known = None if found is None else self.sizes.known(found)
        if known is None:
            moved: dict[tuple[str, bool], float] = {}
            e = effects(n)
            for a in (*e.reads, *e.writes):
                self.sizes.touch(moved, a, {}, self.enter)
            known = sum(moved.values())
        self.counts.asked += times * max(0.0, known)

    def enter(self, var: str, span: Range) -> float:
        """How many turns a loop takes; its variable gets the middle value."""
        start, step, count = self.sizes.turns(span)
        self.sizes.define(var, start + step * int(max(0.0, count - 1) / 2))
        return count


def _depends(inside: Node | Range, var: str) -> bool:
    """Tell whether sizes of what is inside of a loop depend on its variable, or may."""
    if isinstance(inside, Range):
        return any(var in symbols(x) for x in inside.children)
    for n in walk(inside):
        if isinstance(n, (Loop, Map, Let, Branch, LibraryNode, Copy)):
            if any(var in symbols(e) for v in values(n) for e in value_exprs(v)):
                return True
    return False
