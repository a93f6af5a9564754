"""Compute equal values once.

    Let a = u[i] + u[i + 1]                      Let a = u[i] + u[i + 1]
    Let b = u[i] + u[i + 1]             →        c[i] = a * a
    c[i] = a * b

Symbols of one region (and those below it) with equal values become one, if nothing that the values load is written
between them. inline_producers leaves such pairs; canonicalize must come earlier (equal subscripts are equal trees).
"""

from __future__ import annotations

from dataclasses import replace

from soljit.analysis.flow.available import Available
from soljit.analysis.memory.accesses import Aliases, aliases, effects, names_written
from soljit.ir.core.expr import Expr, Extent, Load, Stride, Sym, subexpressions
from soljit.ir.core.nodes import Branch, Let, Loop, Map, Node, Program, Region, While
from soljit.ir.walk import map_values, rewrite_value, same
from soljit.passes.manager import Context

_READING = (Load, Extent, Stride)


def share_values(program: Program, cx: Context) -> Program:
    """Replace repeated Lets by the first of their kind."""
    sharing = _Sharing(aliases(program))
    body = sharing.region(program.body)
    if body is program.body:
        return program
    # Shapes of temporaries are declared with symbols, too.
    return map_values(replace(program, body=body), lambda v: rewrite_value(v, sharing.renamed))


class _Sharing:
    """`names`: the symbols that went to those that stand for them."""

    def __init__(self, alias: Aliases) -> None:
        self.alias = alias
        self.known = Available[Expr, Sym]()
        self.names: dict[str, Expr] = {}

    def region(self, region: Region) -> Region:
        out: list[Node] = []
        with self.known.region():
            for node in region.nodes:
                if self.names and not self.names.keys().isdisjoint(effects(node).uses):
                    node = map_values(node, lambda v: rewrite_value(v, self.renamed))
                if isinstance(node, Let):
                    first = self.known.get(node.value)
                    if first is not None:
                        self.names[node.name] = first
                        continue
                    self.known.add(node.value, Sym(node.name, node.value.dtype), self._read(node.value))
                else:
                    self.known.forget(
                        self.alias.homes_of(names_written(node))
                    )  # a loop's body runs again after its own writes
                    if isinstance(node, (Loop, While, Map, Branch)):
                        node = self._below(node)
                out.append(node)
        return region if same(out, region.nodes) else replace(region, nodes=tuple(out))

    def _below(self, node: Loop | While | Map | Branch) -> Node:
        if isinstance(node, Branch):
            then, orelse = self.region(node.then), self.region(node.orelse)
            return node if then is node.then and orelse is node.orelse else replace(node, then=then, orelse=orelse)
        body = self.region(node.body)
        return node if body is node.body else replace(node, body=body)

    def renamed(self, e: Expr) -> Expr | None:
        """The symbol that stands for this one now."""
        return self.names.get(e.name) if isinstance(e, Sym) else None

    def _read(self, e: Expr) -> frozenset[str]:
        """The memory whose elements, shape or strides a value depends on."""
        return self.alias.homes_of(
            {x.memlet.data if isinstance(x, Load) else x.data for x in subexpressions(e) if isinstance(x, _READING)}
        )
