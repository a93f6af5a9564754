"""Emitting IR: statements, symbols, containers, loops and raises, into the block under construction."""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from soljit.base.messages import escape
from soljit.base.place import NOWHERE, Loc
from soljit.base.python.object_names import class_name
from soljit.frontend_ast.lowering.blocks import Block, below
from soljit.frontend_ast.lowering.changed_scalars import scalars_changed
from soljit.frontend_ast.lowering.state import TEMPORARY, LoweringState
from soljit.ir import symbolic
from soljit.ir.callbacks.reach import runs_code
from soljit.ir.core import nodes
from soljit.ir.core.data import Ref, Scalar
from soljit.ir.core.expr import (
    TRUE,
    Const,
    Expr,
    Extent,
    Load,
    Memlet,
    Range,
    Stride,
    Sym,
    const,
    is_const,
    subexpressions,
)
from soljit.ir.core.types import DType, i64, obj
from soljit.ir.walk import substitute
from soljit.support.limits import TOO_LARGE

HELD = "held_by_objects"
_LONGEST = 64  # terms of what a symbol is defined as, for questions about it


class Emission(LoweringState):
    """Appends to the block under construction."""

    @property
    def current(self) -> Block:
        return self.blocks[-1]

    def emit(self, node: nodes.Node) -> None:
        """Append a node to the block under construction (nothing, once its end cannot be reached)."""
        if self.current.done:
            return
        if isinstance(node, nodes.Tasklet) and node.out.data in self.overlapping and not self._one_element(node.out):
            raise self.unsupported("writing to an array whose own elements may overlap", "write to the array itself")
        first = node.loc is NOWHERE  # it does not come out of a block in which it was emitted
        if first and self.instances and isinstance(node, (nodes.Callback, nodes.Call, nodes.Raise, nodes.Return)):
            self.above.write_back(self, node)
        status = ""
        if isinstance(node, nodes.Callback) and self.attempts and not node.target.startswith("try:"):
            node, status = self.above.guard_callback(self, node)
        if isinstance(node, nodes.Callback):
            node = self.with_what_it_reaches(node)
        if first and isinstance(node, nodes.Map):
            self.work.loops += 1
        self.current.items.append(replace(node, loc=self._place(node)) if first else node)
        self._follow_scalars(node)
        if status:
            self.above.after_callback(self, status)
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

    def _place(self, node: nodes.Node) -> Loc:
        """The present place; of what may take long, with what is known of the exceptions there."""
        if isinstance(node, (nodes.Loop, nodes.While, nodes.Map, nodes.Call)) and any(a.groups for a in self.attempts):
            return replace(self.loc, in_try=True)
        return self.loc

    def with_what_it_reaches(self, n: nodes.Callback) -> nodes.Callback:
        """The call, which may change all that Python objects hold if it runs code that nobody has looked at."""
        if HELD in n.effects or not runs_code(n, self.params, self.data):  # known if it moves into another block
            return n
        self.hold_arguments()
        return replace(n, effects=(*n.effects, self.held_root()))

    def hold_arguments(self) -> None:
        """Python objects may hold any array that came from outside: lower again, if that was not known."""
        new = {p.name for p in self.params if p.kind == "array"} - self.learned.held
        if new:
            self.learned.held |= new
            self.learned.changed = True

    def held_root(self) -> str:
        """A container that stands for all arrays that Python objects may hold; only `alias` and `effects` name it."""
        self.data.setdefault(HELD, Ref(obj, 0))
        self.taken.add(HELD)
        return HELD

    def _one_element(self, m: Memlet) -> bool:
        """Tell whether this is the same element in every iteration."""
        indices = [x for e in m.subset for x in ((e,) if isinstance(e, Range) else subexpressions(e))]
        return all(not isinstance(x, Range) and (not isinstance(x, Sym) or x.name in self.concrete) for x in indices)

    def _follow_scalars(self, node: nodes.Node) -> None:
        """What scalars hold after this node. What is written here is not known either where a block around was begun."""
        changed, bound = scalars_changed(node, self.data, self.steady)
        for held in (self.held, *self._held_outside) if changed or bound else ():
            for name in (*changed, *(x for x in bound if held.get(x) != TRUE)):
                held.pop(name, None)
        if isinstance(node, nodes.Tasklet) and node.out.wcr is None and isinstance(node.code, (Const, Sym)):
            if isinstance(self.data.get(node.out.data), Scalar):
                self.held[node.out.data] = node.code

    @contextmanager
    def _holding(self, held: dict[str, Expr]) -> Iterator[None]:
        """Emit where these scalars hold these values; afterwards it is as before, but for what was written meanwhile."""
        self._held_outside.append(self.held)
        self.held = held
        try:
            yield
        finally:
            self.held = self._held_outside.pop()

    def present(self, e: Expr) -> Expr:
        """What a scalar holds now, if `e` reads one and that is a constant or symbol; else `e`."""
        return self.held.get(e.memlet.data, e) if isinstance(e, Load) else e

    @contextmanager
    def block(self, *conditions: Expr) -> Iterator[Block]:
        """Emit into a new block (which the caller puts into a node), in which `conditions` are known to hold (TRUE for the body of a loop)."""
        b = Block()
        self.blocks.append(b)
        self._saved.append(self.facts)
        # An iteration may come after others, which have written; what bears no condition may be such a body, too.
        arm = bool(conditions) and TRUE not in conditions
        held = dict(self.held) if arm else {k: e for k, e in self.held.items() if k in self.steady and e == TRUE}
        for c in conditions:
            self.facts = self.facts.assume(c)
        region = self.region
        if conditions:
            self.regions += 1
            self.region = (*region, self.regions)
        self.repeating += TRUE in conditions
        try:
            with self._holding(held):
                yield b
        finally:
            self.region = region
            self.repeating -= TRUE in conditions
            self.facts = self._saved.pop()
            self.blocks.pop()

    @contextmanager
    def on_way(self, step: object, steps: int = 1) -> Iterator[None]:
        """In a call that is inlined, or an iteration that is unrolled: views that get their names there are others than those of the next."""
        way, copies = self.way, self.copies
        self.way = f"{way}{step}/"
        if self.work.general:
            self.copies = copies * steps
        try:
            yield
        finally:
            self.way, self.copies = way, copies

    def is_within(self, home: tuple[int, ...] | None) -> bool:
        """Tell whether what was made in the region `home` is there whenever we get here, and once only. None: it was made outside."""
        return home is not None and home[: len(self.region)] == self.region

    @contextmanager
    def aside(self) -> Iterator[Block]:
        """Emit into a block that `append` puts where it belongs later. What becomes known meanwhile stays known."""
        b = Block()
        self.blocks.append(b)
        try:
            with self._holding({}):
                yield b
        finally:
            self.blocks.pop()

    def append(self, block: Block) -> None:
        """Emit what stands in a block."""
        for n in block.items:
            self.emit(n)

    @contextmanager
    def reopen(self, block: Block) -> Iterator[None]:
        """Emit at the end of a block that was left before (even one that ends in a return of an inlined function)."""
        done = block.done
        object.__setattr__(block, "done", False)
        self.blocks.append(block)
        self._saved.append(self.facts)
        try:
            with self._holding({}):
                yield
        finally:
            self.facts = self._saved.pop()
            self.blocks.pop()
            object.__setattr__(block, "done", done)

    def branch(self, cond: Expr, then: Block, orelse: Block | None = None) -> None:
        """Emit `if cond`."""
        other = orelse if orelse is not None else Block()
        self.emit(nodes.Branch(cond, then, other))  # type: ignore[arg-type]
        if then.done and (other.done or cond == TRUE):
            self.current.finish()

    def let(self, value: Expr, hint: str = TEMPORARY) -> Expr:
        """The present value of an expression as something that cannot change: itself if simple, else a new symbol."""
        if isinstance(value, (Const, Sym)):
            return value
        if value.dtype is i64 and self.is_pure(value):
            value = symbolic.simplify(value)
            if sum(1 for _ in subexpressions(value)) <= 16:
                return value
        if value.dtype is i64 and not self.current.done:
            return self.named(value, *self.facts.bounds(value), hint)
        return self.named(value, hint=hint)

    def named(self, value: Expr, lo: int | None = None, hi: int | None = None, hint: str = TEMPORARY) -> Expr:
        """A new symbol for the value, which is known to lie from `lo` to `hi`."""
        if isinstance(value, (Const, Sym)):
            return value
        name = self.fresh(hint)
        if lo is not None or hi is not None:
            self.facts = self.facts.with_range(
                name, None if lo is None else const(lo), None if hi is None else const(hi + 1)
            )
        symbol = self._let(nodes.Let(name, value))
        if isinstance(value, Load) and isinstance(self.data.get(value.memlet.data), Scalar) and not self.current.done:
            self.held[value.memlet.data] = symbol
        return symbol

    def move_here(self, definitions: Sequence[nodes.Node]) -> None:
        """Emit definitions that were emitted into a block of which nothing else is used."""
        for n in definitions:
            assert isinstance(n, nodes.Let)
            self._let(n)

    def _let(self, n: nodes.Let) -> Sym:
        """Emit a definition and remember what it says; its symbol."""
        self.emit(n)
        self.define(n.name, n.value)
        symbol = Sym(n.name, n.value.dtype)
        self.facts = self.facts.define(symbol, n.value)
        return symbol

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
            self._measured.add((e, sym))
        return sym

    def remember(self, e: Extent, n: Expr) -> None:
        """From here on, as long as nothing binds the Ref again, this is its length."""
        if not self.current.done and self.current.items:
            self._measures[e] = (self.current, self.current.items[-1], n)
            self._measured.add((e, n))

    def is_extent(self, n: Expr, e: Extent) -> bool:
        """Tell whether `n` is what the length was found to be, when the array was read whose shape it is in."""
        known = self.lengths.get(e.data)
        return n == e or (known is not None and known[e.dim] == n) or (e, n) in self._measured

    def define(self, symbol: str, value: Expr) -> None:
        """Let questions about a symbol be answered like those about the sizes and scalar parameters that it is made of."""
        meaning = substitute(value, self.defined)
        if self.is_pure(meaning) and _follows_from(meaning, self.concrete):
            self.defined[symbol] = meaning

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

    @contextmanager
    def loop(self, n: Expr, hint: str = "i", start: Expr | None = None) -> Iterator[Sym]:
        """`for i in range(start or 0, n)`, in order."""
        var, place = self.fresh(hint), self.loc
        first = start if start is not None else const(0)
        with self.block(TRUE) as body:
            self.facts = self.facts.with_range(var, first, n)
            yield Sym(var)
        self.emit(nodes.Loop(var, Range(first, n, const(1)), body, loc=place))  # type: ignore[arg-type]

    @contextmanager
    def map(
        self, shape: Sequence[Expr], rank: Sequence[int] | None = None, hint: str = "i"
    ) -> Iterator[tuple[Expr, ...]]:
        """Independent iterations over an index space; `rank` orders the loops from outermost to innermost."""
        order = tuple(rank) if rank is not None else tuple(range(len(shape)))
        names = [self.fresh(f"{hint}{k}") for k in range(len(shape))]
        before = len(self.data)
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
        own = [m for m in self.made_since(before) if isinstance(self.data[m], Scalar) and m not in inner]
        self.emit(nodes.Map(tuple(names[k] for k in order), spans, body, private=tuple(own)))  # type: ignore[arg-type]

    def made_since(self, before: int) -> list[str]:
        """The containers that were made since there were so many."""
        return list(itertools.islice(reversed(self.data), len(self.data) - before))[::-1]

    def raise_(self, exception: str, message: str | None = None, operands: Sequence[Expr] = ()) -> None:
        """Emit a raise; `exception` is a name of builtins or a dotted name. The handler of a try around it is entered directly."""
        dotted = exception if "." in exception else f"builtins.{exception}"
        if any(a.catch(self, dotted, message, operands) for a in reversed(self.attempts)):
            return
        if message == TOO_LARGE and self.loc in self.learned.opaque:
            raise self.unsupported(
                "an int that may leave 64 bits, after something was done that cannot be taken back",
                "compute it before, or with np.int64, which wraps around",
            )
        self.emit(nodes.Raise(dotted, message, tuple(operands)))

    def raise_like(self, e: Exception) -> None:
        """Emit a raise of what Python or NumPy raised for an example: the same class and text."""
        self.raise_(class_name(type(e)), escape(str(e)))


def _follows_from(e: Expr, known: Container[str]) -> bool:
    """Tell whether this is a short expression of known symbols only."""
    parts = list(itertools.islice(subexpressions(e), _LONGEST + 1))
    return len(parts) <= _LONGEST and all(x.name in known for x in parts if isinstance(x, Sym))
