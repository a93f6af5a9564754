"""Walks and rebuilds of a tree: the one place that knows which class of node holds what.

A tree is never changed. A rebuild shares what it did not touch: when nothing changed, the very same object comes back,
so a pass tells "did nothing" by `is`. `Program.functions` are programs of their own and are not descended into.

A node's *values* are what hangs on it directly: expressions, ranges and memlets. Names that stand alone (`Alloc.data`,
`Bind.ref`, `outs` of a call) are no values; `ir/walk/effects.py` reports them with the memlets that are read and written.

Returned by `rewrite`'s function: a `Node` replaces, a tuple of nodes or a `Region` is spliced, `()` deletes, None
keeps.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeVar, cast

from soljit.base.clock import check
from soljit.base.errors import InternalError
from soljit.base.place import NOWHERE, Loc
from soljit.ir.core.data import Array, Data, Ref, Scalar, View
from soljit.ir.core.expr import Cast, Const, Expr, Extent, Load, Memlet, Op, Range, Stride, Sym
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

Value = Expr | Range | Memlet
ExprFn = Callable[[Expr], "Expr | None"]
NodeFn = Callable[[Node], "Node | tuple[Node, ...] | None"]
N = TypeVar("N", bound=Node)
V = TypeVar("V", Expr, Range, Memlet, Value)
T = TypeVar("T")


# --- nodes ------------------------------------------------------------------------------------------------------------


def children_nodes(node: Node) -> tuple[Node, ...]:
    """The nodes directly below."""
    match node:
        case Region():
            return node.nodes
        case Loop() | Map() | While() | Program():
            return (node.body,)
        case Branch():
            return (node.then, node.orelse)
        case _:
            return ()


def walk(node: Node) -> Iterator[Node]:
    """`node` and everything below it, outside first, in program order."""
    stack = [node]
    while stack:
        n = stack.pop()
        yield n
        stack.extend(reversed(children_nodes(n)))


def outermost_maps(node: Node) -> Iterator[Map]:
    """The maps that stand in no other map: `node` itself if it is one, otherwise those below it."""
    if isinstance(node, Map):
        yield node
        return
    for n in children_nodes(node):
        yield from outermost_maps(n)


def rewrite(node: N, fn: NodeFn, *, top_down: bool = False) -> N:
    """Rebuild the tree with `fn` applied to every node: inside first, or outside first with `top_down`.

    Top down, the children of what `fn` returned are asked about, not the returned nodes themselves. The root must be
    replaced by a node of a class that fits its place.
    """
    out = _rewrite(node, fn, top_down)
    if len(out) == 1:
        return cast(N, out[0])
    return cast(N, Region(out, loc=node.loc))


def anew(node: N) -> N:
    """The node with loops of its own, for a program that has them twice: they are told apart by what they are, not by what they say."""
    return rewrite(node, lambda n: replace(n) if isinstance(n, Loop | Map) else None)


def stored_at(m: Map, name: str) -> Loc:
    """The place of the statement in the map that stores into a container."""
    return next((n.loc for n in m.body.nodes if isinstance(n, Tasklet) and n.out.data == name), m.loc)


def with_loc(nodes: Iterable[Node], loc: Loc) -> tuple[Node, ...]:
    """The nodes, those at no place of the source at this one."""
    return tuple(
        rewrite(n, lambda x: replace(x, loc=loc) if x.loc is NOWHERE and loc is not NOWHERE else None) for n in nodes
    )


def _rewrite(node: Node, fn: NodeFn, top_down: bool) -> tuple[Node, ...]:
    if top_down:
        return tuple(_below(n, fn, True) for n in _answer(node, fn(node)))
    rebuilt = _below(node, fn, False)
    return _answer(rebuilt, fn(rebuilt))


def _answer(asked: Node, got: Node | tuple[Node, ...] | None) -> tuple[Node, ...]:
    if got is None:
        return (asked,)
    nodes = got if isinstance(got, tuple) else (got,)
    if isinstance(asked, Region):
        return nodes
    return tuple(n for g in nodes for n in (g.nodes if isinstance(g, Region) else (g,)))


def _below(node: Node, fn: NodeFn, top_down: bool) -> Node:
    match node:
        case Region():
            check()
            nodes = tuple(n for child in node.nodes for n in _rewrite(child, fn, top_down))
            return node if same(nodes, node.nodes) else replace(node, nodes=nodes)
        case Loop() | Map() | While() | Program():
            body = _region(node.body, fn, top_down)
            return node if body is node.body else replace(node, body=body)
        case Branch():
            then, orelse = _region(node.then, fn, top_down), _region(node.orelse, fn, top_down)
            return node if then is node.then and orelse is node.orelse else replace(node, then=then, orelse=orelse)
        case _:
            return node


def _region(region: Region, fn: NodeFn, top_down: bool) -> Region:
    out = _rewrite(region, fn, top_down)
    if len(out) == 1 and isinstance(out[0], Region):
        return out[0]
    return Region(out, loc=region.loc)


def same(a: Collection[T], b: Collection[T]) -> bool:
    """Tell whether these are element for element the same objects."""
    return len(a) == len(b) and all(x is y for x, y in zip(a, b))


# --- values -----------------------------------------------------------------------------------------------------------


def values(node: Node) -> tuple[Value, ...]:
    """The expressions, ranges and memlets that hang on this node itself, not on those below it."""
    match node:
        case Loop():
            return (node.span, *node.divisors)
        case Map():
            conditions = (e for e in (node.when, node.cluster) if e is not None)
            return (*node.spans, *conditions, *node.parts, *node.buffered, *node.until, *node.counted, *node.divisors)
        case While() | Branch():
            return (node.cond,)
        case Raise():
            return node.operands
        case Return():
            return node.values
        case Let():
            return (node.value,)
        case Bind():
            return (node.source,)
        case Tasklet():
            return (node.out, node.code)
        case LibraryNode():
            return (*node.outs, *node.ins)
        case Copy():
            return (node.dst, node.src)
        case Call() | Callback():
            return node.ins
        case Program():
            return (*node.guards, *(x for d in node.data.values() for x in descriptor_exprs(d)))
        case Region() | Break() | Continue() | Alloc():
            return ()
        case _:
            raise InternalError(f"unknown node {node!r}")


def map_values(node: N, fn: Callable[[Value], Value]) -> N:
    """Rebuild one node with `fn` applied to each of its own values; `fn` keeps the kind of value."""
    return cast(N, _map_values(node, cast("Callable[[object], object]", fn)))


def _map_values(node: Node, fn: Callable[[object], object]) -> Node:
    def many(xs: tuple[object, ...]) -> tuple[object, ...]:
        new = tuple(map(fn, xs))
        return xs if same(new, xs) else new

    match node:
        case Loop():
            return with_fields(node, span=fn(node.span), divisors=many(node.divisors))
        case Map():
            when, cluster = (None if e is None else fn(e) for e in (node.when, node.cluster))
            combined = {"parts": many(node.parts), "until": many(node.until), "counted": many(node.counted)}
            numbers = {"buffered": many(node.buffered), "divisors": many(node.divisors)}
            return with_fields(node, spans=many(node.spans), when=when, cluster=cluster, **numbers, **combined)
        case While() | Branch():
            return with_fields(node, cond=fn(node.cond))
        case Raise():
            return with_fields(node, operands=many(node.operands))
        case Return():
            return with_fields(node, values=many(node.values))
        case Let():
            return with_fields(node, value=fn(node.value))
        case Bind():
            return with_fields(node, source=fn(node.source))
        case Tasklet():
            return with_fields(node, out=fn(node.out), code=fn(node.code))
        case LibraryNode():
            return with_fields(node, outs=many(node.outs), ins=many(node.ins))
        case Copy():
            return with_fields(node, dst=fn(node.dst), src=fn(node.src))
        case Call() | Callback():
            return with_fields(node, ins=many(node.ins))
        case Program():
            data = {k: map_descriptor(d, fn) for k, d in node.data.items()}
            unchanged = same(list(data.values()), list(node.data.values()))
            return with_fields(node, guards=many(node.guards), data=node.data if unchanged else data)
        case Region() | Break() | Continue() | Alloc():
            return node
        case _:
            raise InternalError(f"unknown node {node!r}")


def with_fields(node: Node, **fields: object) -> Node:
    """`replace` that returns the same node if nothing is new."""
    if all(getattr(node, k) is v for k, v in fields.items()):
        return node
    return replace(node, **fields)  # type: ignore[arg-type]


def descriptor_exprs(d: Data) -> tuple[Expr, ...]:
    """The expressions in a descriptor."""
    match d:
        case Array():
            return d.shape + (d.strides or ())
        case View():
            return (d.offset, *d.shape, *d.strides)
        case _:
            return ()


def map_descriptor(d: Data, fn: Callable[[Expr], object]) -> Data:
    """The descriptor with `fn` applied to each of its expressions."""
    if isinstance(d, (Scalar, Ref)) or same(new := [fn(x) for x in descriptor_exprs(d)], descriptor_exprs(d)):
        return d
    exprs = cast("list[Expr]", new)
    n = len(d.shape)
    if isinstance(d, Array):
        return replace(d, shape=tuple(exprs[:n]), strides=None if d.strides is None else tuple(exprs[n:]))
    return replace(d, offset=exprs[0], shape=tuple(exprs[1 : n + 1]), strides=tuple(exprs[n + 1 :]))


def replace_loops(region: Region, fn: Callable[[Loop], list[Node] | None]) -> Region:
    """The region with what `fn` gives instead of loops outside of maps, outer ones first; None: the loop stays, and those in it are asked."""
    out: list[Node] = []
    for n in region.nodes:
        found = fn(n) if isinstance(n, Loop) else None
        out += [on_regions(n, lambda r: replace_loops(r, fn))] if found is None else found
    return region if same(out, region.nodes) else replace(region, nodes=tuple(out))


def before_loops(region: Region, fn: Callable[[Loop, list[Node]], Loop]) -> Region:
    """The region with loops outside of maps as `fn` leaves them, inner ones first; `fn` adds to the list what comes in front of the loop. Their steps are constants."""
    out: list[Node] = []
    for n in region.nodes:
        n = on_regions(n, lambda r: before_loops(r, fn))
        out.append(fn(n, out) if isinstance(n, Loop) and isinstance(n.span.step, Const) else n)
    return region if same(out, region.nodes) else replace(region, nodes=tuple(out))


# --- expressions ------------------------------------------------------------------------------------------------------


def on_regions(node: Node, fn: Callable[[Region], Region]) -> Node:
    """The loop or branch with `fn` applied to its regions; other nodes as they are."""
    match node:
        case Loop() | While():
            body = fn(node.body)
            return node if body is node.body else replace(node, body=body)
        case Branch():
            then, orelse = fn(node.then), fn(node.orelse)
            return node if then is node.then and orelse is node.orelse else replace(node, then=then, orelse=orelse)
        case _:
            return node


def rewrite_expr(e: Expr, fn: ExprFn) -> Expr:
    """Rebuild an expression inside first, subscripts included; `fn` returns the new expression or None."""
    match e:
        case Op():
            args = tuple([rewrite_expr(a, fn) for a in e.args])
            new: Expr = e if same(args, e.args) else Op(e.name, args, e.dtype)
        case Cast():
            arg = rewrite_expr(e.arg, fn)
            new = e if arg is e.arg else Cast(e.dtype, arg)
        case Load():
            memlet = rewrite_value(e.memlet, fn)
            new = e if memlet is e.memlet else Load(memlet, e.dtype)
        case Const() | Sym() | Extent() | Stride():
            new = e
        case _:
            raise InternalError(f"unknown expression {e!r}")
    got = fn(new)
    return new if got is None else got


def rewrite_value(v: V, fn: ExprFn) -> V:
    """`rewrite_expr` for an expression, or for all expressions in a range or memlet."""
    return _rewrite_value(v, fn)  # type: ignore[no-any-return]


def _rewrite_value(v: Value, fn: ExprFn) -> Any:  # the kind of value that came in
    if isinstance(v, Memlet):
        subset = tuple([_rewrite_value(s, fn) for s in v.subset])
        return v if same(subset, v.subset) else replace(v, subset=subset)
    if isinstance(v, Range):
        start, stop, step = rewrite_expr(v.start, fn), rewrite_expr(v.stop, fn), rewrite_expr(v.step, fn)
        return v if start is v.start and stop is v.stop and step is v.step else Range(start, stop, step)
    return rewrite_expr(v, fn)


def map_exprs(node: N, fn: ExprFn) -> N:
    """`rewrite_expr` in every value of `node` and of all nodes below it (descriptors and guards of a program, too)."""
    return rewrite(node, lambda n: map_values(n, lambda v: rewrite_value(v, fn)))


def map_exprs_outside_maps(region: Region, fn: ExprFn) -> Region:
    """`rewrite_expr` in every value of a region and below it that stands in no map."""

    def outside(n: Node) -> Node:
        if isinstance(n, Map):
            return n
        return on_regions(map_values(n, lambda v: rewrite_value(v, fn)), lambda r: map_exprs_outside_maps(r, fn))

    nodes = tuple(outside(n) for n in region.nodes)
    return region if same(nodes, region.nodes) else replace(region, nodes=nodes)


def map_memlets(node: N, fn: Callable[[Memlet], Memlet]) -> N:
    """Replace every memlet in `node` and below: operands, outputs, and those of loads; subscripts come first."""

    def in_expr(e: Expr) -> Expr | None:
        if isinstance(e, Load) and (m := fn(e.memlet)) is not e.memlet:
            return Load(m, e.dtype)
        return None

    def in_value(v: Value) -> Value:
        v = rewrite_value(v, in_expr)
        return fn(v) if isinstance(v, Memlet) else v

    return rewrite(node, lambda n: map_values(n, in_value))


def value_exprs(v: Value) -> tuple[Expr, ...]:
    """The outermost expressions of a value: itself, or the members of a range, or the subscripts of a memlet."""
    return (v,) if isinstance(v, Expr) else v.children


def computed(node: Node) -> Iterator[Expr]:
    """What the statements in `node` and below it compute."""
    for n in walk(node):
        if isinstance(n, Let):
            yield n.value
        elif isinstance(n, Tasklet):
            yield n.code


def is_straight(body: Region) -> bool:
    """Tell whether there is nothing in it but computed values and branches: no loop, no call, no memory management."""
    return all(isinstance(n, (Region, Let, Tasklet, Branch)) for n in walk(body))


def exprs(node: Node) -> Iterator[Expr]:
    """All outermost expressions in `node` and below it; `expr.subexpressions` goes into each."""
    for n in walk(node):
        for v in values(n):
            yield from value_exprs(v)
