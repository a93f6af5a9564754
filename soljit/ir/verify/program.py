"""Whether a program is what the IR promises. All faults at once.

Names. Containers and symbols are Python identifiers, and no name is both. Every container that is used is declared;
views look at declared containers. Every symbol is defined on every path that reaches its use, once, with the type it is
used with: sizes and scalar parameters everywhere, `Let` symbols in the rest of their region, loop and map variables in
the body.

Types. Operations take and give what `ops.OPS` says, conditions are b1, subscripts and bounds of ranges are i64,
constants fit their type, a `Tasklet` writes the type of its container, a `Copy` copies between equal types and ranks.

Memory. A memlet has one entry for each dimension of its container. A transient host array is used only after an `Alloc`
in its region or one around it; a `Ref` that is used is bound somewhere, unless a condition stands in front of the
use (passes may have found that it never holds). Read-only arguments are not written.

Control. `Break` and `Continue` stand in a loop, and no `Map` stands between. Nothing leaves a `Map`: no `Return`, no
`Raise`. A region holds no region. A program with results returns on every path; what it returns has the types of
`Program.results`.

Spaces. A kernel touches memory of the device and registers only, host code memory of the host only; `Copy` alone
crosses (`ir/verify/spaces.py`).

Maps have as many variables as spans (and roles, `ir/verify/schedules.py`); what is private to a map is a `Scalar` or a transient array. Calls
name functions of the program and fit their parameters and results; a `LibraryNode` fits its row in `ir/core/libraries.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from soljit.base.errors import InternalError
from soljit.ir.callbacks.templates import always_returned, operands_of
from soljit.ir.core.data import Array, Ref, Scalar
from soljit.ir.core.expr import TRUE, Expr, Memlet, Sym
from soljit.ir.core.libraries import core_dimensions
from soljit.ir.core.nodes import (
    Alloc,
    Bind,
    Branch,
    Break,
    Call,
    Callback,
    Continue,
    Copy,
    Let,
    LibraryNode,
    Loop,
    Map,
    Node,
    Program,
    Raise,
    Region,
    Return,
    Tasklet,
    While,
)
from soljit.ir.core.ops import INDEX
from soljit.ir.core.types import DType, b1, from_numpy, i64, obj
from soljit.ir.text.spelling import spell
from soljit.ir.verify.declarations import DeclarationVerifier, check_name
from soljit.ir.verify.schedules import loop_faults, schedule_faults
from soljit.ir.verify.spaces import space_faults
from soljit.ir.verify.values import ValueVerifier, rank
from soljit.ir.walk import memlets_written, reached, walk


def faults(program: Program) -> list[str]:
    """All faults of a program and of the functions that it calls, as sentences; none is best."""
    out = _Verifier(program, program.functions).check()
    for f in program.functions.values():
        out += _Verifier(f, program.functions).check()
    return out


def check(program: Program) -> Program:
    """The program itself, if it has no faults; otherwise `InternalError` with all of them."""
    found = faults(program)
    if found:
        raise InternalError(f"{len(found)} faults in the IR of {program.name}:\n  " + "\n  ".join(found))
    return program


class _Verifier:
    """Walks one program in order and keeps what is true at each point.

    allocated: transient arrays that have memory here; bound: Refs that are bound somewhere
    live:      can control come here?
    certain:   does no branch stand around?
    inside:    the loops and maps around, by kind
    broken:    is there a live Break out of the innermost loop?
    """

    def __init__(self, program: Program, functions: Mapping[str, Program]) -> None:
        self.program, self.functions = program, functions
        self.found: list[str] = []
        self.at: Node = program
        self.inside: tuple[str, ...] = ()
        self.allocated: frozenset[str] = frozenset()
        self.bound = {m.data for n in walk(program.body) for m in memlets_written(n) if not isinstance(n, Tasklet)}
        self.live, self.certain, self.broken = True, True, False
        self.values = ValueVerifier(program.data, self.fault)

    def fault(self, text: str) -> None:
        place = f", line {self.at.loc.line}" if self.at.loc.line else ""
        sentence = f"{self.program.name}{place}: {text}"
        if sentence not in self.found:
            self.found.append(sentence)

    def check(self) -> list[str]:
        DeclarationVerifier(self.program, self.values, self.fault).check()
        self.values.missing = self.missing
        self.region(self.program.body)
        space_faults(self.program, self.fault)
        self.at = self.program
        if self.program.results and self.live:
            self.fault("the end is reached without a Return")
        return self.found

    def missing(self, name: str) -> str | None:
        """Why a container cannot be used here, or None."""
        match self.program.data.get(name):
            case Array(transient=True, storage="host" | "cuda" | "shared") if name not in self.allocated:
                return f"{name} is used before it is allocated"
            case Ref() if name not in self.bound and self.certain:
                return f"{name} is never bound"
            case _:
                return None

    def fault_unless(self, holds: bool, text: str) -> None:
        if not holds:
            self.fault(text)

    # --- control ---

    def region(self, r: Region, variables: Sequence[str] = ()) -> None:
        """Check a region; its symbols and allocations end with it."""
        scope, allocated = dict(self.values.scope), self.allocated
        for v in variables:
            self.define(v, INDEX)
        for n in r.nodes:
            self.at = n
            if isinstance(n, Region):
                self.fault("a region stands directly in a region")
            self.node(n)
        self.values.scope, self.allocated = scope, allocated

    def define(self, name: str, dtype: DType) -> None:
        check_name(name, self.fault)
        if name in self.values.scope:
            self.fault(f"symbol {name} is defined again")
        if name in self.program.data:
            self.fault(f"{name} is a symbol and a container")
        self.values.scope[name] = dtype

    def repeated(self, body: Region, kind: str, variables: Sequence[str], endless: bool = False) -> None:
        """A body that may run any number of times; control comes behind an endless one only by a Break."""
        live, inside, broken = self.live, self.inside, self.broken
        self.inside, self.broken = (*inside, kind), False
        self.region(body, variables)
        self.live = live and (self.broken or not endless)
        self.inside, self.broken = inside, broken

    def node(self, n: Node) -> None:
        match n:
            case Region():
                self.region(n)
            case Loop():
                self.values.span(n.span)
                self.values.exprs(n.divisors)
                loop_faults(n, self.fault)
                self.repeated(n.body, "loop", (n.var,))
            case Map():
                self.map(n)
            case While():
                self.values.expr(n.cond, b1, "the condition")
                self.repeated(n.body, "loop", (), endless=n.cond == TRUE)
            case Branch():
                self.branch(n)
            case Break() | Continue():
                self.fault_unless(self.inside[-1:] == ("loop",), f"{type(n).__name__} stands in no loop")
                self.broken |= self.live and isinstance(n, Break)
                self.live = False
            case Raise():
                self.fault_unless("map" not in self.inside, "Raise leaves a Map")
                for e in n.operands:
                    self.values.expr(e)
                self.live = False
            case Return():
                self.fault_unless("map" not in self.inside, "Return leaves a Map")
                self.returned(n)
                self.live = False
            case _:
                self.leaf(n)

    def branch(self, n: Branch) -> None:
        self.values.expr(n.cond, b1, "the condition")
        before, certain = self.live, self.certain
        self.certain = False
        self.region(n.then)
        after, self.live = self.live, before
        self.region(n.orelse)
        self.live |= after
        self.certain = certain

    def map(self, n: Map) -> None:
        count = len(n.vars)
        self.fault_unless(count > 0, "a map has no variables")
        self.fault_unless(len(n.spans) == count, f"a map has {count} variables and {len(n.spans)} spans")
        schedule_faults(n, self.fault)
        for name in n.private:
            d = self.program.data.get(name)
            fits = isinstance(d, Scalar) or (isinstance(d, Array) and d.transient)
            self.fault_unless(fits, f"{name} cannot be private to a map")
        if n.when is not None:
            self.values.expr(n.when, b1, "the condition")
        self.values.exprs((*n.buffered, *n.divisors))
        if n.cluster is not None:
            self.values.expr(n.cluster, INDEX, "the number of blocks")
        scope = dict(self.values.scope)
        for v, s in zip(n.vars, n.spans):
            self.values.span(s)
            self.values.scope.setdefault(v, INDEX)
        self.values.scope = scope
        self.repeated(n.body, "map", n.vars)

    def returned(self, n: Return) -> None:
        results = self.program.results
        leaves = n.leaves or tuple(range(len(n.values)))
        always = always_returned(self.program.structure, [r.itself for r in results])
        missing = always - set(leaves)
        if len(set(leaves)) != len(n.values) or any(not 0 <= k < len(results) for k in leaves) or missing:
            self.fault(f"{len(n.values)} values are returned for {len(results)} results")
        for k, v in n.numbered():
            if not 0 <= k < len(results):
                continue
            r = results[k]
            if isinstance(v, Memlet) != (r.kind in ("array", "object")):
                self.fault(f"{spell(v)} is returned as {r.kind}")
            certain, self.certain = self.certain, self.certain and k in always  # the value of a path that is gone
            self.operand(v, r.dtype, r.ndim, "the result")
            self.certain = certain

    # --- leaves ---

    def leaf(self, n: Node) -> None:
        match n:
            case Let():
                self.values.expr(n.value)
                self.define(n.name, n.value.dtype)
            case Alloc():
                self.alloc(n)
            case Bind():
                d = self.program.data.get(n.ref)
                if isinstance(d, Ref):
                    self.operand(n.source, d.dtype, d.ndim, f"what {n.ref} is bound to,")
                else:
                    self.fault(f"{n.ref} is bound but is no Ref")
            case Tasklet():
                self.values.memlet(n.out, element=True, written=True)
                d = self.program.data.get(n.out.data)
                self.values.expr(n.code, None if d is None else d.dtype, f"what is written to {spell(n.out)},")
            case Copy():
                self.values.memlet(n.dst, written=True)
                d = self.program.data.get(n.dst.data)
                if d is not None:
                    self.operand(n.src, d.dtype, len(n.dst.dims), f"what is copied to {spell(n.dst)},")
            case LibraryNode():
                self.library(n)
            case Call():
                self.call(n)
            case Callback():
                self.callback(n)
            case _:
                self.fault(f"{type(n).__name__} is no node of the IR")

    def alloc(self, n: Alloc) -> None:
        d = self.program.data.get(n.data)
        if not isinstance(d, Array) or not d.transient or d.storage == "register":
            self.fault(f"{n.data} is allocated but is no transient array")
        else:
            self.values.visible(n.data, d)
        self.allocated |= {n.data}

    def operand(self, v: Expr | Memlet, dtype: DType | None, ndim: int, role: str) -> None:
        """Check a memlet or expression that should have this type and number of dimensions."""
        if isinstance(v, Memlet):
            self.values.memlet(v)
            d = self.program.data.get(v.data)
            if d is not None and dtype is not None and (d.dtype, len(v.dims)) != (dtype, ndim):
                self.fault(f"{role} {spell(v)} is {_kind(d.dtype, len(v.dims))}, not {_kind(dtype, ndim)}")
        else:
            self.values.expr(v, dtype, role)
            if ndim:
                self.fault(f"{role} {spell(v)} is a single value, not {_kind(v.dtype, ndim)}")

    def library(self, n: LibraryNode) -> None:
        for m in n.outs:
            self.values.memlet(m, written=True)
        if n.op == "loop":
            self.loop_of_ufunc(n)
            return
        out = self.program.data.get(n.outs[0].data) if len(n.outs) == 1 else None
        if out is None:
            self.fault_unless(len(n.outs) == 1, f"{n.op} has {len(n.outs)} outputs, not 1")
            return
        ranks = [len(x.dims) if isinstance(x, Memlet) else 0 for x in n.ins]
        given = len(n.outs[0].dims)
        match n.op, ranks:
            case ("matmul", [(1 | 2) as a, (1 | 2) as b, *scale]) if scale in ([], [0, 0]):
                sentence = f"matmul of {a} and {b} dimensions gives {a + b - 2}, not {given}"
                self.fault_unless(given == a + b - 2, sentence)
            case ("matmul", [(2 | 3) as a, (2 | 3) as b, *scale]) if scale in ([], [0, 0]):
                self.fault_unless(given == 3, f"matmul of a stack gives 3 dimensions, not {given}")
            case "sort", []:
                self.fault_unless(given == 1, f"sort of {given} dimensions")
            case "argsort" | "argmin" | "argmax", [1]:
                what = "one dimension of" if n.op == "argsort" else "a single"
                self.fault_unless(given == (n.op == "argsort") and out.dtype is i64, f"{n.op} gives {what} i64")
                self.operand(n.ins[0], None, 1, f"an operand of {n.op},")
                return
            case "ger", [0, 1, 1]:
                self.fault_unless(given == 2, f"ger gives 2 dimensions, not {given}")
            case _:
                self.fault(f"there is no {n.op} of operands with {', '.join(map(str, ranks))} dimensions")
        for x, r in zip(n.ins, ranks):
            self.operand(x, out.dtype, r, f"an operand of {n.op},")

    def loop_of_ufunc(self, n: LibraryNode) -> None:
        """Dimensions and types of each operand are those of the function's signature."""
        cores = core_dimensions(str(n.attrs["signature"]))
        chars = str(n.attrs["types"]).replace("->", "")
        operands = (*n.ins, *n.outs[:-1])
        if not len(cores) == len(chars) == len(operands):
            self.fault(f"{n.attrs['function']} takes and gives {len(cores)} operands, not {len(operands)}")
            return
        for x, core, char in zip(operands, cores, chars):
            self.operand(x, from_numpy(np.dtype(char)), len(core), f"an operand of {n.attrs['function']},")
        self.operand(n.outs[-1], b1, 0, f"the success of {n.attrs['function']}")

    def call(self, n: Call) -> None:
        f = self.functions.get(n.function)
        if f is None:
            self.fault(f"there is no function {n.function}")
            return
        self.reaches(n, n.function)
        if len(n.ins) != len(f.params):
            self.fault(f"{n.function} takes {len(f.params)} arguments, not {len(n.ins)}")
        for x, p in zip(n.ins, f.params):
            d = f.data.get(p.name)
            if self.is_object(x):
                continue
            self.operand(x, p.dtype or (d.dtype if d else None), rank(d) if d else 0, f"the argument {p.name}")
        if len(n.outs) != len(f.results):
            self.fault(f"{n.function} gives {len(f.results)} results, not {len(n.outs)}")
        for name, r in zip(n.outs, f.results):
            self.receives(name, r.dtype, r.ndim)

    def reaches(self, n: Call | Callback, what: str) -> None:
        """Without being given it, a call may only write what Python objects hold: a Ref that stands for it."""
        for name in reached(n):
            d = self.program.data.get(name)
            fits = isinstance(d, Ref) and d.dtype is obj
            self.fault_unless(
                fits, f"{what} writes {name}, which it is not given, and which stands for no Python objects"
            )

    def receives(self, name: str, dtype: DType | None, ndim: int) -> None:
        """Check that a result can be given to container `name`."""
        if not name:
            return
        d = self.program.data.get(name)
        if not isinstance(d, (Scalar, Ref)):
            self.fault(f"{name} receives a result but is no Scalar or Ref")
        elif dtype is not None and (d.dtype, rank(d)) != (dtype, ndim):
            self.fault(f"{name}, {_kind(d.dtype, rank(d))}, receives {_kind(dtype, ndim)}")

    def callback(self, n: Callback) -> None:
        for x in n.ins:
            if isinstance(x, Memlet):
                self.operand(x, None, 0, "")
            elif not self.is_object(x):
                self.values.expr(x)
        for k in operands_of([n.args, n.kwargs]):
            self.fault_unless(0 <= k < len(n.ins), f"{n.target} is given operand {k}, which does not exist")
        if n.target.startswith("param:"):
            objects = [a.name for a in self.program.params if a.kind == "object"]
            self.fault_unless(n.target[6:].split(".")[0] in objects, f"{n.target} names no object parameter")
        self.reaches(n, n.target)
        for name in n.outs:
            self.receives(name, None, 0)

    def is_object(self, x: Expr | Memlet) -> bool:
        """Tell whether this operand names a parameter that is an object."""
        return isinstance(x, Sym) and any(a.kind == "object" and a.name == x.name for a in self.program.params)


def _kind(dtype: DType, ndim: int) -> str:
    return f"{ndim}-dimensional {dtype}" if ndim else str(dtype)
