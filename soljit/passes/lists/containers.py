"""New containers and names in a program whose lists are unboxed. Helpers of `unbox_lists`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from soljit.ir.core.data import Data, Ref
from soljit.ir.core.expr import ONE, ZERO, Const, Expr, Memlet, Range, Sym
from soljit.ir.core.nodes import Bind, Let, Node, Program
from soljit.ir.walk import FreshNames


class Containers:
    """The containers of a program, and those that are added."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.data: dict[str, Data] = dict(program.data)
        self.fresh = FreshNames(program)

    def new(self, base: str, d: Data) -> str:
        """A new container."""
        name = self.fresh(base)
        self.data[name] = d
        return name

    def let(self, base: str, e: Expr, out: list[Node]) -> Expr:
        """The value as a symbol or constant."""
        if isinstance(e, (Sym, Const)):
            return e
        name = self.fresh(base)
        out.append(Let(name, e))
        return Sym(name, e.dtype)

    def bind(self, columns: Sequence[str], source: Sequence[str], size: Expr) -> list[Node]:
        """Let Refs stand for the first elements of arrays or of other Refs."""
        out: list[Node] = []
        for ref, array in zip(columns, source):
            d = self.data[ref]
            assert isinstance(d, Ref)
            self.data[ref] = replace(d, alias=tuple(dict.fromkeys((*d.alias, array))))
            out.append(Bind(ref, Memlet(array, (Range(ZERO, size, ONE),))))
        return out
