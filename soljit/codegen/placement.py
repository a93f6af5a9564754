"""Where mutable scalars and array variables are declared: in the body of the innermost map that holds all their uses, else at the
top of the function.

A map's iterations are independent, so what only one map's body uses belongs to the iteration.
"""

from __future__ import annotations

from functools import lru_cache

from soljit.codegen.context import Context, cpp_type
from soljit.ir import nodes
from soljit.ir.data import Ref, Scalar
from soljit.ir.effects import data_used
from soljit.ir.tree import walk


@lru_cache(maxsize=64)
def _homes(program: nodes.Program) -> dict[str, nodes.Map | None]:
    """For each Scalar and Ref the map whose body declares it (None: the function)."""
    names = {n for n, d in program.data.items() if isinstance(d, (Scalar, Ref))}
    homes: dict[str, nodes.Map | None] = {}

    def visit(region: nodes.Node, owner: nodes.Map | None) -> None:
        counts: dict[str, list[nodes.Map]] = {}
        for m in _maps(region):
            for name in data_used(m.body) & names:
                counts.setdefault(name, []).append(m)
        for name, maps in counts.items():
            if len(maps) == 1 and not _used_outside(region, maps[0], name):
                homes[name] = maps[0]
        for m in _maps(region):
            visit(m.body, m)

    visit(program.body, None)
    for m in walk(program.body):
        if isinstance(m, nodes.Map):
            for name in m.private:
                if name in names:
                    homes[name] = m
    return homes


def _maps(region: nodes.Node) -> list[nodes.Map]:
    """The outermost maps below a node."""
    out: list[nodes.Map] = []
    stack = [region]
    while stack:
        n = stack.pop()
        if isinstance(n, nodes.Map) and n is not region:
            out.append(n)
            continue
        match n:
            case nodes.Region():
                stack.extend(n.nodes)
            case nodes.Loop() | nodes.While():
                stack.append(n.body)
            case nodes.Branch():
                stack += [n.then, n.orelse]
    return out


def _used_outside(region: nodes.Node, inside: nodes.Map, name: str) -> bool:
    """Does anything below `region` but outside the body of `inside` use the container?"""
    stack = [region]
    while stack:
        n = stack.pop()
        if n is inside:
            continue
        match n:
            case nodes.Region():
                stack.extend(n.nodes)
            case nodes.Loop() | nodes.While():
                if name in data_used(_without_body(n)):
                    return True
                stack.append(n.body)
            case nodes.Branch():
                if name in data_used(_without_body(n)):
                    return True
                stack += [n.then, n.orelse]
            case _:
                if name in data_used(n):
                    return True
    return False


def _without_body(n: nodes.Loop | nodes.While | nodes.Branch) -> nodes.Node:
    from dataclasses import replace

    if isinstance(n, nodes.Branch):
        return replace(n, then=nodes.Region(), orelse=nodes.Region())
    return replace(n, body=nodes.Region())


def locals_of(cx: Context, m: nodes.Map) -> set[str]:
    """Scalars and Refs that the body of a map declares."""
    return {n for n, home in _homes(cx.program).items() if home is m}


def declare_locals(cx: Context, m: nodes.Map) -> None:
    """Declare them."""
    for name in sorted(locals_of(cx, m)):
        declare(cx, name)


def declare_function(cx: Context) -> None:
    """Declare what belongs to the function itself."""
    homes = _homes(cx.program)
    used = data_used(cx.program.body)
    for name, d in cx.program.data.items():
        if isinstance(d, (Scalar, Ref)) and name in used and homes.get(name) is None:
            declare(cx, name)


def declare(cx: Context, name: str) -> None:
    """Define a Scalar or Ref."""
    from soljit.codegen.statements import memory

    d = cx.data(name)
    if isinstance(d, Scalar):
        cx.tables.uses(d.dtype)
        start = "{}" if d.dtype.is_complex or d.dtype.name == "f16" else " = 0"
        cx.out.line(f"{cpp_type(d.dtype)} {cx.names.data(name)}{start};")
    else:
        memory(cx).declare_ref(name)
