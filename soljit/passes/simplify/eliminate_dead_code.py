"""Remove what nobody sees: stores into memory that is never read, and all that only they needed.

    tmp = alloc; map: tmp[i] = exp(x[i])            (nothing, if tmp is never read)
    s = 0.0;     Let n = len(x)             →

What is seen: memory of arguments, what is returned or given to Python, what decides on control flow that is seen,
`Raise`, and what the device computes of arguments, which goes home before an exception. From there the containers and symbols that are needed
are found by going backwards; every store that is not into needed memory, every unused `Let`, `Alloc` and `Bind`, and every loop and branch
that becomes empty is dropped, and descriptors that nothing names. Everything that can fail is a `Raise` of its own, so no exception is lost.

Nothing must come before.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from soljit.analysis.memory.accesses import Aliases, aliases, effects
from soljit.ir.core.data import Array, Data, Ref, View
from soljit.ir.core.expr import Expr, Extent, Load, Memlet, Stride, Sym, subexpressions
from soljit.ir.core.nodes import (
    Alloc,
    Bind,
    Branch,
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
from soljit.ir.walk import descriptor_exprs, reached, rewrite, value_exprs, values
from soljit.passes.manager import Context
from soljit.support.texts import CHARACTER, CODES, KNOWN, WIDE

_LOOKING_ONLY = (CODES, KNOWN, WIDE, CHARACTER)  # of Python's: they have no effect, and do not fail


def eliminate_dead_code(program: Program, cx: Context) -> Program:
    """Drop stores, definitions and allocations that nothing needs."""
    needed = _Needed(program)
    body = rewrite(program.body, needed.keep)
    used = _names(body) | {p.name for p in program.params}
    pending = list(used)
    while pending:  # what a View stands on, what a Ref may be bound to, and what device memory mirrors, stays
        d = program.data.get(pending.pop())
        more = [d.of] if isinstance(d, View) else list(d.alias) if isinstance(d, Ref) else []
        more += [d.mirror] if isinstance(d, (Array, Ref)) and d.mirror is not None else []
        pending += [m for m in more if m not in used]
        used.update(more)
    data = {k: d for k, d in program.data.items() if k in used}
    if body is program.body and len(data) == len(program.data):
        return program
    return replace(program, body=body, data=data)


def _names(body: Region) -> set[str]:
    e = effects(body)
    return {a.data for a in e.accesses} | e.asks | e.binds | e.allocs | e.private


class _Needed:
    """The containers (by home) and symbols that something seen depends on."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.alias: Aliases = aliases(program)
        self.homes: set[str] = set()
        self.symbols: set[str] = set()
        self._stores: dict[str, list[tuple[Node, tuple[Node, ...]]]] = {}
        self._lets: dict[str, list[tuple[Node, tuple[Node, ...]]]] = {}
        self._made: dict[str, list[tuple[Node, tuple[Node, ...]]]] = {}
        self._done: set[int] = set()
        self._pending: list[tuple[Node, tuple[Node, ...]]] = []
        self._start()
        while self._pending:
            self._need(*self._pending.pop())

    def _start(self) -> None:
        """Index the stores by home, and need what is seen from outside."""
        self._index(self.program.body, ())
        for name, d in self.program.data.items():
            if (
                isinstance(d, Array)
                and not d.transient
                or isinstance(d, (Array, Ref))
                and d.mirror is not None
                and self._goes_home(name, d.mirror)
            ):
                self._need_data(name)
        for g in self.program.guards:
            self._need_expr(g)

    def _goes_home(self, name: str, home: str) -> bool:
        """Tell whether the device computes elements of an argument: these go home before an exception, without a copy in the program."""
        behind = (self.program.data.get(h) for h in self.alias.homes(home))
        if not any(isinstance(d, Array) and not d.transient for d in behind):
            return False
        stores = (n for piece in self.alias.homes(name) for n, _ in self._stores.get(piece, ()))
        return any(not isinstance(n, Alloc) and not (isinstance(n, Copy) and n.src.data == home) for n in stores)

    def _index(self, node: Node, above: tuple[Node, ...]) -> None:
        match node:
            case Region():
                for n in node.nodes:
                    self._index(n, above)
            case Loop() | Map():
                self._index(node.body, (*above, node))
            case While():  # may run for ever, and that is seen
                self._pending.append((node, above))
                self._index(node.body, (*above, node))
            case Branch():
                self._index(node.then, (*above, node))
                self._index(node.orelse, (*above, node))
            case Tasklet() | Copy() | LibraryNode() | Bind() | Alloc():
                for name in written(node):
                    for home in self.alias.homes(name):
                        self._stores.setdefault(home, []).append((node, above))
                if isinstance(node, LibraryNode) and may_raise(node):
                    self._pending.append((node, above))
            case Callback() if node.target in _LOOKING_ONLY:
                for name in node.outs:  # Refs, which are bound here: what is seen is seen by their names
                    self._made.setdefault(name, []).append((node, above))
            case Let():
                self._lets.setdefault(node.name, []).append((node, above))
            case _:  # Raise, Return, Break, Continue, Call, Callback
                self._pending.append((node, above))

    def _need(self, node: Node, above: tuple[Node, ...]) -> None:
        for n in (*above, node):  # one node may stand in several places, each with others above it
            if id(n) not in self._done:
                self._done.add(id(n))
                self._need_values(n)

    def _need_values(self, node: Node) -> None:
        for v in values(node):
            for e in value_exprs(v):
                self._need_expr(e)
        for name in operands(node):
            self._need_data(name)

    def _need_expr(self, e: Expr) -> None:
        for x in subexpressions(e):
            match x:
                case Sym():
                    if x.name not in self.symbols:
                        self.symbols.add(x.name)
                        self._pending += self._lets.get(x.name, [])
                case Load():
                    self._need_data(x.memlet.data)
                case Extent() | Stride():
                    self._need_data(x.data)
                case _:
                    pass

    def _need_data(self, name: str) -> None:
        for home in self.alias.homes(name) - self.homes:
            self.homes.add(home)
            self._pending += self._stores.get(home, [])
        self._pending += self._made.pop(name, [])
        d: Data | None = self.program.data.get(name)
        if isinstance(d, View):
            self._need_data(d.of)
        for e in () if d is None else descriptor_exprs(d):
            self._need_expr(e)

    # --- removal ------------------------------------------------------------------------------------------------------

    def keep(self, node: Node) -> tuple[Node, ...] | Node | None:
        """For `rewrite`, inside first: drop what was not needed and what has become empty."""
        match node:
            case Let():
                return None if node.name in self.symbols else ()
            case Tasklet() | Copy() | LibraryNode() | Bind() | Alloc():
                return None if id(node) in self._done else ()
            case Callback() if node.target in _LOOKING_ONLY:
                return None if id(node) in self._done else ()
            case Loop() | Map():
                return None if node.body.nodes else ()
            case Branch():
                return None if node.then.nodes or node.orelse.nodes else ()
            case _:
                return None


def written(node: Node) -> tuple[str, ...]:
    """The containers that this leaf changes."""
    match node:
        case Tasklet():
            return (node.out.data,)
        case Copy():
            return (node.dst.data,)
        case LibraryNode():
            return tuple(m.data for m in node.outs)
        case Bind():
            return (node.ref,)
        case Alloc():
            return (node.data,)
        case _:
            return ()


def operands(node: Node) -> Iterable[str]:
    """The containers that this node needs the contents (or the memory) of, apart from loads in expressions."""
    match node:
        case Copy():
            yield node.src.data
            yield node.dst.data
        case Tasklet():
            yield node.out.data
        case LibraryNode():
            yield from (m.data for m in node.ins if isinstance(m, Memlet))
            yield from (m.data for m in node.outs)
        case Bind():
            yield node.source.data
            yield node.ref
        case Alloc():
            yield node.data
        case Call() | Callback():
            yield from (m.data for m in node.ins if isinstance(m, Memlet))
            yield from (name for name in (*reached(node), *node.outs) if name)
        case Return():
            yield from (m.data for m in node.values if isinstance(m, Memlet))
        case _:
            return


def may_raise(node: LibraryNode) -> bool:
    """Tell whether the operation can itself raise an exception (`np.linalg.solve` of a singular matrix)."""
    return bool(node.attrs.get("raises"))
