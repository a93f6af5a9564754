"""The state of lowering one program, and the services that every part of the front end uses.

`Lowering` owns the containers, symbols, guards and the block under construction. Its methods emit IR (`emit`, `let`,
`alloc`, `store`, `loop`, `branch`), settle questions (`decide`, `prove`, `check`) and make names. It knows nothing of Python
syntax; `frames.py`, `statements.py` and `expressions.py` do.

`decide(cond)` answers a question about argument sizes and scalar arguments from the values of the call being compiled and records
the answer as a guard. An equality between symbols makes the second a name for the first: the caller
(`lower.py`) lowers again with the substitution in force, so that the IR is free of aliases.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

from soljit.base.dependency import Dependency, Path
from soljit.base.errors import UnsupportedError
from soljit.base.place import NOWHERE, Loc
from soljit.base.unforeseen import Site
from soljit.frontend_ast.object_types import Learned
from soljit.frontend_ast.returned import Returned
from soljit.frontend_ast.values import Arr, Num, Value, full_view
from soljit.ir import nodes, symbolic
from soljit.ir.data import Array, Data, Ref, Scalar, View
from soljit.ir.expr import (
    FALSE,
    TRUE,
    Cast,
    Const,
    Expr,
    Extent,
    Load,
    Memlet,
    Op,
    Range,
    Stride,
    Sym,
    const,
    is_const,
    subexpressions,
)
from soljit.ir.ops import OPS
from soljit.ir.symbolic import Facts
from soljit.ir.types import DType, b1, c128, f64, from_numpy, i64, obj

HELD = "held_by_objects"
SIZE_LIMIT = 1 << 47  # no dimension is longer


Snapshot = tuple[
    int,
    bool,
    Facts,
    Loc,
    set[str],
    dict[str, Data],
    dict[str, frozenset[str]],
    set[str],
    Returned,
    dict[str, Any],
    int,
]


class Block(nodes.Node):
    """A region under construction. `done`: control does not reach its end (it ends in Return, Raise, Break or Continue)."""

    __slots__ = ("attempts", "done", "items")

    def __init__(self) -> None:
        object.__setattr__(self, "items", [])
        object.__setattr__(self, "attempts", [])
        object.__setattr__(self, "done", False)
        object.__setattr__(self, "loc", NOWHERE)

    items: list[nodes.Node]
    done: bool
    attempts: list[Any]  # the try statements whose exceptions leave this block, if it is the body of a loop

    def finish(self) -> None:
        """Control does not go on after what has been emitted."""
        object.__setattr__(self, "done", True)


_SHARED = (
    "evaluate", "run", "call", "call_back", "objects", "functional", "consumed", "guard_callback", "after_callback", "share", "over_generator", "over_items", "give", "listed", "numbered",
    "dependencies", "paths", "notes",
    "learned", "functions", "depth", "unrolled", "entered", "containers",
)  # fmt: skip  # what lowering a function has in common with lowering its caller


def freeze(node: nodes.Node) -> nodes.Node:
    """The node with all blocks below it turned into regions."""
    match node:
        case Block():
            return nodes.Region(tuple(freeze(n) for n in node.items))
        case nodes.Branch():
            return replace(node, then=freeze(node.then), orelse=freeze(node.orelse))  # type: ignore[arg-type]
        case nodes.Loop() | nodes.While() | nodes.Map():
            return replace(node, body=freeze(node.body))  # type: ignore[arg-type]
    return node


def below(node: nodes.Node) -> Iterator[nodes.Node]:
    """All nodes inside a block under construction."""
    stack: list[nodes.Node] = [node]
    while stack:
        n = stack.pop()
        yield n
        match n:
            case Block():
                stack.extend(n.items)
            case nodes.Branch():
                stack.extend((n.then, n.orelse))
            case nodes.Loop() | nodes.While() | nodes.Map():
                stack.append(n.body)


class Unreachable(Exception):
    """What follows is not lowered, because the type of a recursive call's result is not known yet (`recursion.py`)."""


@dataclass
class Note:
    """A remark for `explain()` about a place in the user's source."""

    loc: Loc
    text: str


@dataclass
class Lowering:
    """See the head of this file.

    concrete:  values of this call's sizes and scalar parameters, by symbol name
    renamed:   symbols that guards made equal to other expressions (from an earlier attempt)
    undecided: answer no questions by the call's values (bounds the number of variants)
    """

    name: str
    concrete: Mapping[str, Any]
    renamed: dict[str, Expr]
    undecided: bool = False
    fp: str = "strict"
    data: dict[str, Data] = field(default_factory=dict)
    params: list[nodes.Param] = field(default_factory=list)
    symbols: dict[str, Extent | Stride] = field(default_factory=dict)
    guards: list[Expr] = field(default_factory=list)
    equalities: dict[str, Expr] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    dependencies: dict[Path, Dependency] = field(default_factory=dict)
    captures: dict[Path, Any] = field(
        default_factory=dict
    )  # global and closure arrays and containers: extra parameters
    capture: Any = None  # (owner, kind, name, array or container) -> Arr or Object: set by lower.py
    kept: dict[str, Data] = field(default_factory=dict)
    kept_names: set[str] = field(default_factory=set)
    paths: dict[int, Path] = field(default_factory=dict)  # how functions, modules and classes are reached, by id
    loc: Loc = NOWHERE
    facts: Facts = field(default_factory=Facts)
    taken: set[str] = field(default_factory=set)
    origins: dict[str, frozenset[str]] = field(default_factory=dict)  # Ref → parameters it may be bound to
    rebindable: set[str] = field(default_factory=set)  # Refs that a loop may bind again
    view_numbers: dict[str, int] = field(default_factory=dict)  # place where a view got its name → number (identity.py)
    identities: dict[str, Any] = field(default_factory=dict)  # Ref → identity.Identity, if it may be a parameter itself
    overlapping: set[str] = field(default_factory=set)  # views by as_strided

    returned: Returned = field(default_factory=Returned)
    evaluate: Any = None  # expressions.evaluate and statements.run: set by lower.py, since calls stand below both
    run: Any = None
    call: Any = None
    guard_callback: Any = None  # of attempts.py, which stands above: set by lower.py
    after_callback: Any = None
    share: Any = None
    over_generator: Any = None
    give: Any = None
    listed: Any = None
    numbered: Any = None
    over_items: Any = None
    attempts: list[Any] = field(
        default_factory=list
    )  # the try statements (attempts.Attempt) around what is being lowered
    containers: list[tuple[Value, int]] = field(
        default_factory=list
    )  # lists and dicts in arguments, with the parameter
    objects: Any = None  # the module frontend_ast/object_operations.py: set by lower.py
    functional: Any = None  # the module numpy_api/functional.py
    consumed: Any = None  # lowers a list comprehension that a function steps through
    learned: Learned = field(default_factory=Learned)  # by earlier rounds
    call_back: Any = None  # callback.call: what NumPy itself makes of a call
    spans: dict[str, Range] = field(default_factory=dict)  # enclosing loops with constant steps, outermost first
    foreseen: Mapping[Site, object] = field(default_factory=dict)  # what calls back gave that samples did not show
    parsed: dict[Any, Any] = field(default_factory=dict)  # code object or AST → (source, liveness, local names)
    depth: int = 0  # nesting of inlined calls
    active: list[Any] = field(default_factory=list)  # the functions being lowered (`recursion.key_of`)
    entered: list[object] = field(default_factory=list)  # the same, whatever their arguments are, in all programs
    unrolled: dict[int, int] = field(default_factory=dict)  # recursive calls lowered in place so far
    functions: dict[Any, Any] = field(default_factory=dict)  # of the program (`recursion.Recursive`), by keys
    caller: Lowering | None = None  # of a function of the program: what the first call of it stands in
    conditional: int = 0  # nesting of branches and loops

    def __post_init__(self) -> None:
        self.blocks: list[Block] = [Block()]
        self._saved: list[Facts] = []
        self._guarded: set[Expr] = set()
        self.lengths: dict[str, tuple[Expr, ...]] = {}  # of Refs whose every binding has this shape
        self.counts: dict[
            object, tuple[Block, nodes.Node, Sym]
        ] = {}  # of true elements: mask → where and what was counted
        self._measures: dict[Extent | Stride, tuple[Block, nodes.Node, Expr]] = {}

    # --- names, refusals ------------------------------------------------------------------------------------------

    def fresh(self, base: str) -> str:
        """A name that nothing has yet, like `base`."""
        base = base if base.isidentifier() else "t"
        name, k = base, 1
        while name in self.taken:
            k += 1
            name = f"{base}_{k}"
        self.taken.add(name)
        return name

    def function_name(self, base: str) -> str:
        """A name for a function of the program."""
        names = {f.name for f in self.functions.values()} | {self.name}
        base = base if base.isidentifier() else "function"
        return next(n for n in (base, *(f"{base}_{k}" for k in range(2, len(names) + 3))) if n not in names)

    def function_lowering(self, name: str) -> Lowering:
        """The state for lowering a function of the program, which knows no values of a call."""
        inner = Lowering(name, {}, {}, True, self.fp, parsed=self.parsed, caller=self)
        for shared in _SHARED:
            setattr(inner, shared, getattr(self, shared))
        inner.taken |= {"sol", "f", "rt"}
        return inner

    def share_arrays(self) -> None:
        """Any two array parameters may overlap."""
        names = [p.name for p in self.params if p.kind == "array"]
        for n in names if len(names) > 1 else ():
            d = self.data[n]
            assert isinstance(d, Array)
            self.data[n] = replace(d, alias="arguments")

    def unsupported(self, message: str, hint: str = "") -> UnsupportedError:
        """The error to raise for what cannot be compiled at the present place."""
        return UnsupportedError(message, self.loc, hint)

    def note(self, text: str) -> None:
        """Remember a remark for `explain()`."""
        self.notes.append(Note(self.loc, text))

    def depend(self, owner: object, kind: str, name: str, value: object) -> Path:
        """This variant is right only while `name` of `owner` (a global, cell or attr) is `value`."""
        path = (*self.paths.get(id(owner), ()), (kind, name))
        self.dependencies.setdefault(path, Dependency(path, value))
        if callable(value) or isinstance(value, ModuleType):
            self.paths.setdefault(id(value), path)
        return path

    # --- emission -------------------------------------------------------------------------------------------------

    @property
    def current(self) -> Block:
        return self.blocks[-1]

    def emit(self, node: nodes.Node) -> None:
        """Append a node to the block under construction (nothing, once its end cannot be reached)."""
        if self.current.done:
            return
        if isinstance(node, nodes.Tasklet) and node.out.data in self.overlapping:
            raise self.unsupported(
                "writing through as_strided, whose elements may overlap", "write to the array itself"
            )
        status = ""
        if isinstance(node, nodes.Callback) and self.attempts and not node.target.startswith("try:"):
            node, status = self.guard_callback(self, node)
        self.current.items.append(replace(node, loc=self.loc) if node.loc is NOWHERE else node)
        if status:
            self.after_callback(self, status)
        if isinstance(node, (nodes.Loop, nodes.While)) and isinstance(node.body, Block):
            left_by = list(node.body.attempts)
            node.body.attempts.clear()
            for a in left_by:
                a.pass_on(self)
        if isinstance(node, (nodes.Return, nodes.Raise, nodes.Break, nodes.Continue)):
            self.current.finish()
        if isinstance(node, nodes.Bind):
            self._measures = {e: m for e, m in self._measures.items() if e.data != node.ref}
            for k, d in enumerate(node.source.dims):
                s = node.source.subset[d] if d >= 0 else None
                if isinstance(s, Range) and is_const(s.step, 1):
                    n = symbolic.sub(s.stop, s.start)
                    if self.is_pure(n):
                        self.remember(Extent(node.ref, k), n)

    @contextmanager
    def block(self, *conditions: Expr) -> Iterator[Block]:
        """Emit into a new block (which the caller puts into a node), in which `conditions` are known to hold (TRUE for the body of a loop)."""
        b = Block()
        self.blocks.append(b)
        self._saved.append(self.facts)
        for c in conditions:
            self.facts = self.facts.assume(c)
        self.conditional += bool(conditions)
        try:
            yield b
        finally:
            self.conditional -= bool(conditions)
            self.facts = self._saved.pop()
            self.blocks.pop()

    @contextmanager
    def reopen(self, block: Block) -> Iterator[None]:
        """Emit at the end of a block that was left before (even one that ends in a return of an inlined function)."""
        done = block.done
        object.__setattr__(block, "done", False)
        self.blocks.append(block)
        self._saved.append(self.facts)
        try:
            yield
        finally:
            self.facts = self._saved.pop()
            self.blocks.pop()
            object.__setattr__(block, "done", done)

    def branch(self, cond: Expr, then: Block, orelse: Block | None = None) -> None:
        """Emit `if cond`."""
        other = orelse if orelse is not None else Block()
        self.emit(nodes.Branch(cond, then, other))  # type: ignore[arg-type]
        if then.done and other.done:
            self.current.finish()

    def let(self, value: Expr, hint: str = "t") -> Expr:
        """The present value of an expression as something that cannot change: itself if simple, else a new symbol."""
        if isinstance(value, (Const, Sym)):
            return value
        if value.dtype is i64 and self.is_pure(value):
            value = symbolic.simplify(value)
            if sum(1 for _ in subexpressions(value)) <= 16:
                return value
        name = self.fresh(hint)
        self.emit(nodes.Let(name, value))
        sym = Sym(name, value.dtype)
        if value.dtype is i64 and not self.current.done:
            lo, hi = self.facts.bounds(value)
            if lo is not None or hi is not None:
                self.facts = self.facts.with_range(
                    name, None if lo is None else const(lo), None if hi is None else const(hi + 1)
                )
        return sym

    def measure(self, e: Extent | Stride, hint: str = "n") -> Expr:
        """The present length or stride of a Ref: one symbol as long as nothing binds it again."""
        if isinstance(e, Extent) and e.data in self.lengths:
            return self.lengths[e.data][e.dim]
        found = self._measures.get(e)
        if found is not None:
            block, let, sym = found
            seen = [self.current] if e.data in self.rebindable else self.blocks
            if any(b is block for b in seen) and any(n is let for n in reversed(block.items)):
                return sym
        sym = self.let(e, hint)
        if not self.current.done:
            self._measures[e] = (self.current, self.current.items[-1], sym)
        return sym

    def remember(self, e: Extent, n: Expr) -> None:
        """From here on, as long as nothing binds the Ref again, this is its length."""
        if not self.current.done and self.current.items:
            self._measures[e] = (self.current, self.current.items[-1], n)

    def opaque(self, value: Expr) -> Expr:
        """An i64 of NumPy's, which wraps: kept away from the index algebra, which reasons about exact integers."""
        if value.dtype is not i64 or isinstance(value, (Const, Sym, Load)):
            return value
        name = self.fresh("t")
        self.emit(nodes.Let(name, value))
        return Sym(name)

    @staticmethod
    def is_pure(e: Expr) -> bool:
        """No loads: the value can't change."""
        return not any(isinstance(x, (Load, Extent, Stride)) for x in subexpressions(e))

    def scalar(self, dtype: DType, hint: str = "v") -> str:
        """A new mutable scalar."""
        name = self.fresh(hint)
        self.data[name] = Scalar(dtype)
        return name

    def read(self, scalar: str) -> Expr:
        """The load of a mutable scalar."""
        d = self.data[scalar]
        return Load(Memlet(scalar), d.dtype)

    def write(self, scalar: str, value: Expr, wcr: str | None = None) -> None:
        """Assign (or combine into) a mutable scalar."""
        self.emit(nodes.Tasklet(Memlet(scalar, (), None, wcr), value))

    def alloc(
        self,
        dtype: DType,
        shape: Sequence[Expr],
        rank: tuple[int, ...] | None = None,
        *,
        zero: bool = False,
        hint: str = "t",
    ) -> Arr:
        """A new array; `rank` gives the axes from slowest to fastest (C order if None)."""
        shape = tuple(self.let(n) for n in shape)
        n = len(shape)
        rank = tuple(range(n)) if rank is None else rank
        strides: tuple[Expr, ...] | None = None
        if rank != tuple(range(n)):
            by_axis: dict[int, Expr] = {}
            step: Expr = const(1)
            for axis in reversed(rank):
                by_axis[axis] = step
                step = symbolic.mul(step, shape[axis])
            strides = tuple(by_axis[k] for k in range(n))
        name = self.fresh(hint)
        self.data[name] = Array(dtype, shape, strides)
        self.emit(nodes.Alloc(name, zero))
        return full_view(name, dtype, shape, rank)

    @contextmanager
    def loop(self, n: Expr, hint: str = "i", start: Expr | None = None) -> Iterator[Sym]:
        """`for i in range(start or 0, n)`, in order."""
        var = self.fresh(hint)
        first = start if start is not None else const(0)
        with self.block(TRUE) as body:
            self.facts = self.facts.with_range(var, first, n)
            yield Sym(var)
        self.emit(nodes.Loop(var, Range(first, n, const(1)), body))  # type: ignore[arg-type]

    @contextmanager
    def map(
        self, shape: Sequence[Expr], rank: Sequence[int] | None = None, hint: str = "i"
    ) -> Iterator[tuple[Expr, ...]]:
        """Independent iterations over an index space; `rank` orders the loops from outermost to innermost."""
        order = tuple(rank) if rank is not None else tuple(range(len(shape)))
        names = [self.fresh(f"{hint}{k}") for k in range(len(shape))]
        before = set(self.data)
        with self.block(TRUE) as body:
            for v, n in zip(names, shape):
                self.facts = self.facts.with_range(v, const(0), n)
            yield tuple(Sym(v) for v in names)
        if not shape:  # a single element
            for node in body.items:
                self.emit(node)
            return
        spans = tuple(Range(const(0), shape[k], const(1)) for k in order)
        inner = {p for n in below(body) if isinstance(n, nodes.Map) for p in n.private}
        own = [m for m, d in self.data.items() if isinstance(d, Scalar) and m not in before and m not in inner]
        self.emit(nodes.Map(tuple(names[k] for k in order), spans, body, private=tuple(own)))  # type: ignore[arg-type]

    def raise_(self, exception: str, message: str | None = None, operands: Sequence[Expr] = ()) -> None:
        """Emit a raise; `exception` is a name of builtins or a dotted name. The handler of a try around it is entered directly."""
        dotted = exception if "." in exception else f"builtins.{exception}"
        if any(a.catch(self, dotted, message, operands) for a in reversed(self.attempts)):
            return
        self.emit(nodes.Raise(dotted, message, tuple(operands)))

    # --- questions ------------------------------------------------------------------------------------------------

    def prove(self, cond: Expr) -> bool | None:
        """Is this known from facts alone?"""
        if isinstance(cond, Const):
            return bool(cond.value)
        return self.facts.prove(cond)

    def decide(self, cond: Expr) -> bool | None:
        """Is `cond` true? From facts; else, if it speaks of entry symbols only, from this call, with a guard; else None."""
        known = self.prove(cond)
        if known is not None:
            return known
        if self.undecided or not self._at_entry(cond):
            return None
        answer = bool(self._evaluate(cond))
        guard = cond if answer else symbolic.negate(cond)
        if guard not in self._guarded:
            self._guarded.add(guard)
            self.guards.append(guard)
            if answer and isinstance(cond, Op) and cond.name == "eq":
                self._unify(cond.args[0], cond.args[1])
        self.facts = self.facts.assume(guard)
        self._saved[:] = [f.assume(guard) for f in self._saved]
        return answer

    def moderate(self, e: Expr) -> None:
        """A scalar argument is almost always far from the ends of 64 bits: make that a guard, which saves overflow checks."""
        if not isinstance(e, Const):
            self.decide(symbolic.conj(symbolic.ge(e, const(-(1 << 31))), symbolic.lt(e, const(1 << 31))))

    def settle(self, cond: Expr) -> bool | None:
        """`decide`, which also says yes to what can be guarded to hold in every iteration of the enclosing loops."""
        answer = self.decide(cond)
        if answer is None and self.spans and self._for_all_iterations(cond):
            self.facts = self.facts.assume(cond)
            return True
        return answer

    def static_int(self, e: Expr) -> int | None:
        """The value of an integer expression, specializing on a scalar parameter if need be."""
        e = symbolic.simplify(e) if e.dtype is i64 else e
        if isinstance(e, Const):
            return int(e.value.real)
        if not self._at_entry(e):
            return None
        value = int(self._evaluate(e))
        return value if self.decide(symbolic.eq(e, Const(value, e.dtype))) else None

    def value_now(self, e: Expr) -> Any:
        """The value in the call that is being compiled, without a guard: good for examples only. None: not known."""
        return self._evaluate(e).item() if self._at_entry(e) else None

    def _at_entry(self, e: Expr) -> bool:
        return self.is_pure(e) and all(x.name in self.concrete for x in subexpressions(e) if isinstance(x, Sym))

    def _evaluate(self, e: Expr) -> Any:
        match e:
            case Const():
                return e.dtype.numpy.type(e.value)
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

    def param_dtype(self, name: str) -> DType:
        """The type of a scalar parameter or size."""
        for p in self.params:
            if p.name == name and p.dtype is not None:
                return p.dtype
        return i64

    def _for_all_iterations(self, cond: Expr) -> bool:
        """Does `cond` hold in every iteration of the enclosing loops, by a question that can be settled now?"""
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
        worst = symbolic.gt(gap, const(0)) if cond.name in ("lt", "gt") else symbolic.ge(gap, const(0))
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
        """Are two lengths equal?"""
        return True if a == b else self.decide(symbolic.eq(a, b))

    def roots_of(self, name: str) -> frozenset[str]:
        """The arguments and allocations whose memory `name` may stand for; overlapping arguments count as one another."""
        roots = self._roots_of(name)
        return roots if roots.isdisjoint(self.learned.held) else roots | {self.held_root()}

    def held_root(self) -> str:
        """A container that stands for all arrays that Python objects may hold; nothing but `alias` names it."""
        self.data.setdefault(HELD, Ref(obj, 0))
        self.taken.add(HELD)
        return HELD

    def declare_held(self) -> None:
        """At the end: which arrays of the program objects may hold."""
        if HELD in self.data:
            self.data[HELD] = Ref(obj, 0, alias=tuple(sorted(n for n in self.learned.held if n in self.data)))

    def _roots_of(self, name: str) -> frozenset[str]:
        d = self.data[name]
        if isinstance(d, Ref):
            return self.origins.get(name, frozenset()) or frozenset((name,))
        if isinstance(d, View):
            return self._roots_of(d.of)
        if isinstance(d, Array) and d.alias is not None:
            return frozenset(m for m, e in self.data.items() if isinstance(e, Array) and e.alias == d.alias)
        return frozenset((name,))

    def alias_of(self, name: str) -> frozenset[str]:
        """Containers whose memory `name` may share, itself included."""
        roots = self.roots_of(name)
        return frozenset(m for m in list(self.data) if m == name or not roots.isdisjoint(self.roots_of(m)))

    def snapshot(self) -> Snapshot:
        """What `restore` needs to forget everything emitted from here on."""
        counts = (
            len(self.current.items),
            self.current.done,
            self.facts,
            self.loc,
            set(self.taken),
            dict(self.data),
            dict(self.origins),
        )
        return (*counts, set(self.rebindable), replace(self.returned), dict(self.identities), len(self.learned.undo))

    def keep(self, data: str) -> None:
        """A parameter found on the way (a captured array) outlives every `restore`."""
        self.kept[data] = self.data[data]
        self.kept_names |= {data, *(n for n, e in self.symbols.items() if e.data == data)}
        sizes = [n for n, e in self.symbols.items() if e.data == data and isinstance(e, Extent)]
        self._saved[:] = [f.with_size(*sizes) for f in self._saved]

    def restore(self, s: Snapshot) -> None:
        """Forget what was emitted since the snapshot (guards stay), so that a second try makes the same names."""
        del self.current.items[s[0] :]
        object.__setattr__(self.current, "done", s[1])
        self.facts, self.loc = s[2], s[3]
        self.taken, self.data = set(s[4]) | self.kept_names, {**s[5], **self.kept}
        self.origins, self.rebindable, self.returned = dict(s[6]), set(s[7]), replace(s[8])
        self.identities = dict(s[9])
        self.learned.back_to(s[10])

    def is_fortran(self, name: str) -> bool:
        """Is this array's descriptor that of Fortran order?"""
        d = self.data[name]
        if not isinstance(d, Array) or d.strides is None:
            return False
        step: Expr = const(1)
        for n, stride in zip(d.shape, d.strides):
            if stride != step:
                return False
            step = symbolic.mul(step, n)
        return True

    # --- small conveniences --------------------------------------------------------------------------------------

    def cast(self, e: Expr, dtype: DType) -> Expr:
        """`e` as `dtype`."""
        if e.dtype is dtype:
            return e
        if isinstance(e, Const):
            return fold_cast(e, dtype)
        return Cast(dtype, e)

    def size_of(self, shape: Sequence[Expr]) -> Expr:
        """Number of elements."""
        n: Expr = const(1)
        for s in shape:
            n = symbolic.mul(n, s)
        return n

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


def fold_cast(e: Const, dtype: DType) -> Expr:
    """A constant converted to another type, folded when the conversion is well defined."""
    v: Any = e.value
    if isinstance(v, complex) and not dtype.is_complex:
        v = v.real
    try:
        if dtype is b1:
            return TRUE if v else FALSE
        if dtype.is_int:
            if isinstance(v, float) and (v != v or abs(v) >= 2.0**63):
                return Cast(dtype, e)
            n = int(v) & ((1 << (8 * dtype.size)) - 1)
            return Const(n - (1 << (8 * dtype.size)) if n > dtype.highest else n, dtype)
        if dtype.is_float:
            return Const(float(dtype.numpy.type(v)), dtype)
        return Const(complex(dtype.numpy.type(v)), dtype)
    except (OverflowError, ValueError):
        return Cast(dtype, e)


def number(value: Any) -> Num | None:
    """The Num of a Python or NumPy number, or None. Python ints must fit 64 bits."""
    import numpy as np

    if isinstance(value, bool):
        return Num(Const(value, b1), True)
    if isinstance(value, int) and not isinstance(value, np.generic):
        if not -(1 << 63) <= value < 1 << 63:
            return None
        return Num(Const(int(value), i64), True)
    if isinstance(value, np.generic):
        dtype = from_numpy(value.dtype)
        return Num(Const(value.item(), dtype), False) if dtype is not None else None
    if isinstance(value, float):
        return Num(Const(float(value), f64), True)
    if isinstance(value, complex):
        return Num(Const(complex(value), c128), True)
    return None
