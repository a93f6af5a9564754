"""The dataflow view of a program: states, access nodes, tasklets, maps, memlets as edges. Derived, never stored.

Control flow is nested boxes, in order: a loop, a branch, or a *state*, a run of leaves and maps without control flow
between them. In a state every container that is read has an access node, every write makes a new one, and edges say
which elements flow. A map without control flow in it lies in its state as a box of its own, and what it writes leaves
it through an access node inside; a map with control flow in it holds states again.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from types import MappingProxyType

from soljit.base.errors import InternalError
from soljit.base.records import dataclass
from soljit.ir.core.data import Ref, Scalar
from soljit.ir.core.expr import Memlet
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
from soljit.ir.text.spelling import spell
from soljit.ir.walk import memlets_read, memlets_written, walk

Renamed = Mapping[str, Mapping[str, str]]
_NAME = re.compile(r"[A-Za-z_]\w*(?!\w*\()")  # not of what is called


@dataclass(frozen=True, slots=True)
class Point:
    """A node of the graph.

    kind:   "access" (a container), "tasklet", "library", "call", "symbol" (a Let), "bind", or "exit" (return, raise …)
    detail: of an access node: type and shape of the container, which is the label
    """

    id: int
    kind: str
    label: str
    detail: str = ""
    line: int = 0


@dataclass(slots=True)
class Box:
    """A nested part: "program", "state", "map", "loop", "while", "branch", "then" or "else"."""

    id: int
    kind: str
    label: str
    line: int = 0
    items: list[Point | Box] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Edge:
    """Elements flow from one point to another; `label` is the memlet."""

    source: int
    target: int
    label: str
    wcr: bool = False


@dataclass(slots=True)
class Dataflow:
    """The whole view: one box a program (the function and what it calls), and all edges."""

    programs: list[Box]
    edges: list[Edge]

    def points(self) -> Iterator[Point]:
        """All points, in order."""
        stack: list[Point | Box] = list(reversed(self.programs))
        while stack:
            item = stack.pop()
            if isinstance(item, Point):
                yield item
            else:
                stack.extend(reversed(item.items))


def dataflow(program: Program, renamed: Renamed = MappingProxyType({})) -> Dataflow:
    """The dataflow view of a program and its functions. renamed: what labels call otherwise, in the program, "", and in each function"""
    builder = _Builder(program, renamed.get("", {}))
    boxes = [builder.program(program, program.name)]
    for name, f in program.functions.items():
        builder.owner, builder.names = f, renamed.get(name, {})
        boxes.append(builder.program(f, name))
    return Dataflow(boxes, builder.edges)


_KINDS: dict[type[Node], str] = {
    Tasklet: "tasklet",
    LibraryNode: "library",
    Call: "call",
    Callback: "call",
    Let: "symbol",
    Bind: "bind",
    Return: "exit",
    Raise: "exit",
    Break: "exit",
    Continue: "exit",
}


class _Builder:
    """Numbers boxes and points and collects edges."""

    def __init__(self, owner: Program, names: Mapping[str, str]) -> None:
        self.owner, self.names = owner, names
        self.ids = itertools.count()
        self.edges: list[Edge] = []

    def box(self, kind: str, label: str, node: Node) -> Box:
        return Box(next(self.ids), kind, self.said(label), node.loc.line)

    def said(self, label: str) -> str:
        """The label in the words of the source."""
        return _NAME.sub(lambda m: self.names.get(m[0], m[0]), label)

    def edge(self, source: Point, target: Point, label: str, wcr: bool = False) -> None:
        self.edges.append(Edge(source.id, target.id, self.said(label), wcr))

    def program(self, p: Program, name: str) -> Box:
        root = self.box("program", f"{name}({', '.join(a.name for a in p.params)})", p)
        self.sequence(p.body, root)
        return root

    def sequence(self, r: Region, into: Box) -> None:
        """Control flow and states of a region, in order."""
        state: list[Node] = []
        for n in r.nodes:
            if _flows(n):
                state.append(n)
            else:
                self.state(state, into)
                state = []
                into.items.append(self.control(n))
        self.state(state, into)

    def state(self, leaves: list[Node], into: Box) -> None:
        if leaves and not all(isinstance(n, Alloc) for n in leaves):
            box = self.box("state", "", leaves[0])
            into.items.append(box)
            self.flow(leaves, box, {})

    def control(self, n: Node) -> Box:
        match n:
            case Loop():
                box = self.box("loop", f"for {n.var} in {spell(n.span)}", n)
                self.sequence(n.body, box)
            case While():
                box = self.box("while", f"while {spell(n.cond)}", n)
                self.sequence(n.body, box)
            case Branch():
                box = self.box("branch", f"if {spell(n.cond)}", n)
                for word, arm in (("then", n.then), ("else", n.orelse)):
                    if arm.nodes:
                        inner = self.box(word, word, arm)
                        self.sequence(arm, inner)
                        box.items.append(inner)
            case Map():
                box = self.box("map", map_label(n), n)
                self.sequence(n.body, box)
            case _:
                raise InternalError(f"{n!r} is no control flow")
        return box

    def flow(self, nodes: tuple[Node, ...] | list[Node], box: Box, current: dict[str, Point]) -> None:
        """Points and edges of leaves and maps; `current` holds the newest access node of each container."""
        for n in nodes:
            match n:
                case Alloc():
                    pass
                case Map():
                    self.map(n, box, current)
                case Copy():
                    source = self.read(n.src, box, current)
                    label = f"{spell(n.src)} → {spell(n.dst)}"
                    self.edge(source, self.written(n.dst, box, current), label)
                case _:
                    self.leaf(n, box, current)

    def leaf(self, n: Node, box: Box, current: dict[str, Point]) -> None:
        # A write that combines is one edge out, not a read.
        reads = {spell(m): self.read(m, box, current) for m in reversed(memlets_read(n)) if m.wcr is None}
        point = self.point(_KINDS.get(type(n), "tasklet"), leaf_label(n), box, line=n.loc.line)
        for label, source in reads.items():
            self.edge(source, point, label)
        for m in memlets_written(n):
            label = spell(m) if m.wcr is None else f"{m.wcr} {spell(replace(m, wcr=None))}"
            self.edge(point, self.written(m, box, current), label, m.wcr is not None)

    def map(self, n: Map, box: Box, current: dict[str, Point]) -> None:
        """A map in a state: it reads from outside; what it writes has an access node inside and one behind it."""
        inner = self.box("map", map_label(n), n)
        inside = {k: v for k, v in current.items() if k not in n.private}
        for m in _reads_first(n):  # containers that come from outside have their access node outside
            if m.data not in inside and m.data not in n.private:
                inside[m.data] = self.read(m, box, current)
        before = dict(inside)
        box.items.append(inner)
        self.flow(n.body.nodes, inner, inside)
        for name, last in inside.items():
            if name not in n.private and before.get(name) is not last:
                outer = self.point("access", name, box)
                current[name] = outer
                self.edge(last, outer, name)

    def point(self, kind: str, label: str, box: Box, line: int = 0) -> Point:
        detail = container_text(self.owner, label) if kind == "access" else ""
        p = Point(next(self.ids), kind, self.said(label), self.said(detail), line)
        box.items.append(p)
        return p

    def read(self, m: Memlet, box: Box, current: dict[str, Point]) -> Point:
        if m.data not in current:
            current[m.data] = self.point("access", m.data, box)
        return current[m.data]

    def written(self, m: Memlet, box: Box, current: dict[str, Point]) -> Point:
        current[m.data] = self.point("access", m.data, box)
        return current[m.data]


def _flows(n: Node) -> bool:
    """Tell whether this is a leaf, or a map with nothing but leaves and such maps in it."""
    return not any(isinstance(x, (Loop, While, Branch)) for x in walk(n))


def _reads_first(n: Map) -> Iterator[Memlet]:
    """What a map may read from outside: everything that it reads and did not write before, in order."""
    written: set[str] = set()
    for x in walk(n):
        for m in memlets_read(x):
            if m.data not in written and m.wcr is None:
                yield m
        written.update(m.data for m in memlets_written(x) if m.wcr is None)


def map_label(n: Map) -> str:
    """`i in range(0, N), j in range(0, M)`, and how it runs."""
    spans = ", ".join(f"{v} in {spell(s)}" for v, s in zip(n.vars, n.spans))
    return f"map {spans}" + (f" · {' '.join(n.schedule)}" if n.schedule else "")


def leaf_label(n: Node) -> str:
    """What a leaf does, in a line."""
    match n:
        case Tasklet():
            return f"{'' if n.out.wcr is None else n.out.wcr + ' '}{spell(n.code)}"
        case LibraryNode():
            return n.op
        case Call():
            return f"{n.function}()"
        case Callback():
            return f"{n.target}()"
        case Let():
            return f"{n.name} = {spell(n.value)}"
        case Bind():
            return f"bind {n.ref}"
        case Return():
            return "return " + ", ".join(map(spell, n.values))
        case Raise():
            return f"raise {n.exception.removeprefix('builtins.')}"
        case _:
            return type(n).__name__.lower()


def container_text(program: Program, name: str) -> str:
    """What a container is, in a line: its type and shape."""
    match program.data.get(name):
        case None:
            return ""
        case Scalar() as d:
            return str(d.dtype)
        case Ref() as d:
            return f"{d.dtype}[{', '.join(':' * d.ndim)}]"
        case d:
            return f"{d.dtype}[{', '.join(map(spell, d.shape))}]"
