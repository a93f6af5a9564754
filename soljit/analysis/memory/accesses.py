"""What a piece of the program touches: element accesses with symbolic subscripts, and who may overlap whom.

`effects(node)` sums up a node and all below it. Accesses keep their subscripts as written, and the loops *inside* the
node that give values to the variables in them; memory made inside (an `Alloc` in the body of a loop) is still listed,
as it may leave through a `Ref`. Nodes never change, so the answer is remembered for as long as the node lives.

`Aliases(program)` answers whether two container names may share memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from weakref import WeakKeyDictionary

from soljit.base.errors import InternalError
from soljit.base.records import dataclass
from soljit.ir.core.data import Array, Data, Ref, Scalar, View
from soljit.ir.core.expr import Expr, Extent, Load, Memlet, Range, Stride, Sym
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
from soljit.ir.walk import Value, children_nodes, reached, reads_outs, value_exprs, values


@dataclass(frozen=True, slots=True)
class Access:
    """One textual access.

    subset:  as in a memlet; empty for a container with dimensions means all of it
    loops:   the loops and maps between the asked node and the access, outermost first
    certain: the access happens whenever its innermost loop body runs (it is below no Branch, While or lazy operand)
    """

    data: str
    subset: tuple[Expr | Range, ...]
    write: bool
    wcr: str | None = None
    loops: tuple[tuple[str, Range], ...] = ()
    certain: bool = True


@dataclass(frozen=True, slots=True)
class Effects:
    """Sum of a node and all below it.

    binds:   Refs that are bound again (their lengths and strides change)
    bindings: pairs (Ref, container it is bound to)
    asks:    containers whose lengths or strides are read, or that are bound to a Ref
    allocs:  transients that are allocated
    private: containers that are private to a map inside
    uses, defines: names of symbols
    leaves:  control may leave the node other than at its end: Raise, Return, or a Break or Continue of a loop outside
    python:  calls back into Python
    """

    accesses: tuple[Access, ...] = ()
    binds: frozenset[str] = frozenset()
    asks: frozenset[str] = frozenset()
    allocs: frozenset[str] = frozenset()
    private: frozenset[str] = frozenset()
    uses: frozenset[str] = frozenset()
    defines: frozenset[str] = frozenset()
    leaves: frozenset[str] = frozenset()
    python: bool = False
    bindings: frozenset[tuple[str, str]] = frozenset()

    @property
    def reads(self) -> Iterator[Access]:
        return (a for a in self.accesses if not a.write or a.wcr)

    @property
    def writes(self) -> Iterator[Access]:
        return (a for a in self.accesses if a.write)

    def touching(self, names: Iterable[str]) -> Iterator[Access]:
        """The accesses of these containers."""
        wanted = frozenset(names)
        return (a for a in self.accesses if a.data in wanted)


_EFFECTS: WeakKeyDictionary[Node, Effects] = WeakKeyDictionary()
_TOUCHED: WeakKeyDictionary[Node, tuple[frozenset[str], frozenset[str]]] = WeakKeyDictionary()


def effects(node: Node) -> Effects:
    """What `node` and everything below it reads, writes, binds, defines, and how control leaves it."""
    known = _EFFECTS.get(node)
    if known is None:
        known = _EFFECTS[node] = _effects(node)
    return known


def names_read(node: Node) -> frozenset[str]:
    """Names of the containers whose elements or lengths are read in `node`."""
    return _touched(node)[0]


def names_written(node: Node) -> frozenset[str]:
    """Names of the containers that are written, allocated or bound in `node`."""
    return _touched(node)[1]


def touched(node: Node) -> frozenset[str]:
    """Names of the containers whose elements or lengths are read or written in `node`, or that are bound there."""
    e = effects(node)
    return frozenset(a.data for a in e.accesses) | e.asks


def _touched(node: Node) -> tuple[frozenset[str], frozenset[str]]:
    known = _TOUCHED.get(node)
    if known is None:
        e = effects(node)
        reads = frozenset(a.data for a in e.reads) | e.asks
        known = _TOUCHED[node] = (reads, frozenset(a.data for a in e.writes) | e.binds | e.allocs)
    return known


# --- summing up -------------------------------------------------------------------------------------------------------


def _effects(node: Node) -> Effects:
    own = _Own()
    for v in values(node):
        own.value(v)
    match node:
        case Region():
            return _join(own, [effects(n) for n in node.nodes])
        case Loop() | Map() | While():
            return _loop(node, own)
        case Branch():
            then, orelse = effects(node.then), effects(node.orelse)
            return _join(own, [_uncertain(then), _uncertain(orelse)])
        case Tasklet():
            own.write(node.out)
        case Copy():
            own.read(node.src)
            own.write(node.dst)
        case LibraryNode():
            own.operands(node.ins)
            for m in node.outs:
                if reads_outs(node):
                    own.read(m)
                own.write(m)
        case Alloc():
            own.allocs.add(node.data)
            own.write(Memlet(node.data))
        case Bind():
            own.asks.add(node.source.data)
            own.binds.add(node.ref)
            own.bindings.add((node.ref, node.source.data))
        case Call() | Callback():
            own.call(node)
        case Return():
            own.operands(v for v in node.values if isinstance(v, Memlet))
            own.leaves.add("return")
        case Raise():
            own.leaves.add("raise")
        case Break() | Continue():
            own.leaves.add("break")
        case Let():
            own.defines.add(node.name)
        case _:
            raise InternalError(f"unknown node {node!r}")
    return own.effects()


class _Own:
    """Gathers the effects of one node apart from its children's."""

    def __init__(self) -> None:
        self.accesses: list[Access] = []
        self.binds: set[str] = set()
        self.asks: set[str] = set()
        self.allocs: set[str] = set()
        self.uses: set[str] = set()
        self.defines: set[str] = set()
        self.leaves: set[str] = set()
        self.python = False
        self.bindings: set[tuple[str, str]] = set()

    def value(self, v: Value) -> None:
        """Loads, symbols and lengths in the expressions of a value; the memlet itself is the caller's business."""
        for e in value_exprs(v):
            self._expr(e)

    def _expr(self, e: Expr) -> None:
        if isinstance(e, Sym):
            self.uses.add(e.name)
        elif isinstance(e, Load):
            self.read(e.memlet)
        elif isinstance(e, (Extent, Stride)):
            self.asks.add(e.data)
        for c in e.children:
            self._expr(c)

    def read(self, m: Memlet) -> None:
        self.accesses.append(Access(m.data, m.subset, False))

    def write(self, m: Memlet) -> None:
        self.accesses.append(Access(m.data, m.subset, True, m.wcr))

    def operands(self, ins: Iterable[object]) -> None:
        for m in ins:
            if isinstance(m, Memlet):
                self.read(m)

    def call(self, node: Call | Callback) -> None:
        """A compiled callee may write every array that it gets; a Python callee says what it may write, of others, too."""
        self.operands(node.ins)
        for name in reached(node):
            self.accesses += [Access(name, (), False, certain=False), Access(name, (), True, certain=False)]
        if isinstance(node, Callback):
            for m in node.ins:
                if isinstance(m, Memlet) and m.data in node.effects:
                    self.accesses.append(Access(m.data, m.subset, True, certain=False))
            self.python = True
        else:
            for m in node.ins:
                if isinstance(m, Memlet):
                    self.accesses.append(Access(m.data, m.subset, True, certain=False))
        for name in node.outs:
            if name:
                self.binds.add(name)
                self.accesses.append(Access(name, (), True))
        self.leaves.add("raise")

    def effects(self) -> Effects:
        f = frozenset
        return Effects(
            tuple(self.accesses), f(self.binds), f(self.asks), f(self.allocs), f(), f(self.uses), f(self.defines),
            f(self.leaves), self.python, f(self.bindings),
        )  # fmt: skip


def _join(own: _Own, parts: list[Effects]) -> Effects:
    parts = [own.effects(), *parts]
    f: frozenset[str] = frozenset()
    return Effects(
        accesses=tuple(a for p in parts for a in p.accesses),
        binds=f.union(*(p.binds for p in parts)),
        asks=f.union(*(p.asks for p in parts)),
        allocs=f.union(*(p.allocs for p in parts)),
        private=f.union(*(p.private for p in parts)),
        uses=f.union(*(p.uses for p in parts)),
        defines=f.union(*(p.defines for p in parts)),
        leaves=f.union(*(p.leaves for p in parts)),
        python=any(p.python for p in parts),
        bindings=frozenset().union(*(p.bindings for p in parts)),
    )


def _uncertain(e: Effects) -> Effects:
    return replace(e, accesses=tuple(replace(a, certain=False) for a in e.accesses))


def _loop(node: Loop | Map | While, own: _Own) -> Effects:
    """Accesses in the body get the loop around them; a break in it ends here."""
    body = effects(node.body)
    binders: tuple[tuple[str, Range], ...] = ()
    match node:
        case Loop():
            binders = ((node.var, node.span),)
        case Map():
            binders = tuple(zip(node.vars, node.spans))
        case While():
            body = _uncertain(body)
    if binders:
        around = (Access(a.data, a.subset, a.write, a.wcr, binders + a.loops, a.certain) for a in body.accesses)
        body = replace(body, accesses=tuple(around))
    if "break" in body.leaves:  # what stands behind the break need not run
        body = replace(_uncertain(body), leaves=body.leaves - {"break"})
    out = _join(own, [body])
    private = out.private | frozenset(node.private if isinstance(node, Map) else ())
    return replace(out, defines=out.defines | {v for v, _ in binders}, private=private)


def below(node: Node) -> Iterator[tuple[Node, tuple[Node, ...]]]:
    """Every node under `node` (itself first) with the chain of nodes above it, outermost first."""
    stack: list[tuple[Node, tuple[Node, ...]]] = [(node, ())]
    while stack:
        n, above = stack.pop()
        yield n, above
        stack.extend((c, (*above, n)) for c in reversed(children_nodes(n)))


# --- who overlaps whom ------------------------------------------------------------------------------------------------


class Aliases:
    """Which containers of a program may share memory.

    Every name has a set of *homes*: itself for a transient, its group for arguments that may overlap, those of what it
    views, is bound to by a `Bind`, or may be bound to by declaration. Two names may overlap if they have a home in
    common.
    """

    def __init__(self, program: Program) -> None:
        self._data = program.data
        self._bound: dict[str, set[str]] = {}
        for ref, source in effects(program.body).bindings:
            self._bound.setdefault(ref, set()).add(source)
        self._homes: dict[str, frozenset[str]] = {}

    def homes(self, name: str) -> frozenset[str]:
        """The pieces of memory that `name` may stand for."""
        if name not in self._homes:
            self._homes[name] = frozenset(self._find(name, set()))
        return self._homes[name]

    def homes_of(self, names: Iterable[str]) -> frozenset[str]:
        """The pieces of memory that these names may stand for."""
        return frozenset().union(*map(self.homes, names))

    def _find(self, name: str, seen: set[str]) -> set[str]:
        if name in seen:
            return set()
        seen.add(name)
        d: Data | None = self._data.get(name)
        match d:
            case View():
                return self._find(d.of, seen)
            case Ref():
                sources = {*d.alias, *self._bound.get(name, ())}
                return {name}.union(*(self._find(a, seen) for a in sources))
            case Array() if d.alias is not None:
                return {name, "group " + d.alias}
            case _:
                return {name}

    def may_alias(self, a: str, b: str) -> bool:
        """Tell whether an element of `a` may lie where an element of `b` lies."""
        return a == b or not self.homes(a).isdisjoint(self.homes(b))

    def any_alias(self, names: Iterable[str], others: Iterable[str]) -> bool:
        """Tell whether one of `names` may share memory with one of `others`."""
        homes = self.homes_of(names)
        return any(not homes.isdisjoint(self.homes(o)) for o in others)

    def is_local(self, name: str) -> bool:
        """Tell whether this is memory that only the program itself sees: a scalar, or a transient that nothing else may stand for.

        (A result that is returned is still local until the Return.)
        """
        d = self._data.get(name)
        return isinstance(d, Scalar) or (isinstance(d, Array) and d.transient)


_ALIASES: WeakKeyDictionary[Program, Aliases] = WeakKeyDictionary()


def aliases(program: Program) -> Aliases:
    """The alias questions of `program`, remembered for as long as it lives."""
    known = _ALIASES.get(program)
    if known is None:
        known = _ALIASES[program] = Aliases(program)
    return known


def may_alias(program: Program, a: str, b: str) -> bool:
    """Tell whether containers `a` and `b` of `program` may share memory."""
    return aliases(program).may_alias(a, b)
