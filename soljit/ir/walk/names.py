"""Names in programs: substitute and rename symbols and containers, ask for them, find fresh ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from soljit.ir.core.data import Array, Data, Ref, View
from soljit.ir.core.expr import Expr, Extent, Memlet, Stride, Sym, subexpressions
from soljit.ir.core.nodes import Alloc, Bind, Call, Callback, Let, Loop, Map, Node, Param, Program
from soljit.ir.core.types import obj
from soljit.ir.walk.tree import N, V, exprs, map_exprs, map_memlets, rewrite, rewrite_value, walk, with_fields


def substitute(x: V, names: Mapping[str, Expr]) -> V:
    """Replace symbols by expressions in a value. `substitute_in` does it in nodes."""
    return rewrite_value(x, lambda e: names.get(e.name) if isinstance(e, Sym) else None)


def substitute_in(node: N, names: Mapping[str, Expr]) -> N:
    """Replace uses of symbols in all of `node`, which must not define them, nor a symbol of the new expressions."""
    return map_exprs(node, lambda e: names.get(e.name) if isinstance(e, Sym) else None)


def rename_symbols(node: N, names: Mapping[str, str]) -> N:
    """Rename symbols where they are used and where `Let`, `Loop` and `Map` define them."""

    def fn(n: Node) -> Node | None:
        match n:
            case Let() if n.name in names:
                return replace(n, name=names[n.name])
            case Loop() if n.var in names:
                return replace(n, var=names[n.var])
            case Map() if not names.keys().isdisjoint(n.vars):
                return replace(n, vars=tuple(names.get(v, v) for v in n.vars))
            case _:
                return None

    node = map_exprs(node, lambda e: Sym(names[e.name], e.dtype) if isinstance(e, Sym) and e.name in names else None)
    return rewrite(node, fn)


def rename_data(node: N, names: Mapping[str, str]) -> N:
    """Rename containers where they are used, allocated and bound; in a `Program` also where declared."""

    def in_expr(e: Expr) -> Expr | None:
        if isinstance(e, (Extent, Stride)) and e.data in names:
            return replace(e, data=names[e.data])
        return None

    def many(xs: tuple[str, ...]) -> tuple[str, ...]:
        return xs if names.keys().isdisjoint(xs) else tuple(names.get(x, x) for x in xs)

    def in_node(n: Node) -> Node | None:
        match n:
            case Alloc():
                return with_fields(n, data=names.get(n.data, n.data))
            case Bind():
                return with_fields(n, ref=names.get(n.ref, n.ref))
            case Call() | Callback():
                return with_fields(n, outs=many(n.outs), effects=many(n.effects))
            case Map():
                return with_fields(n, private=many(n.private))
            case Program():
                return replace(n, data={names.get(k, k): in_descriptor(d) for k, d in n.data.items()})
            case _:
                return None

    def in_descriptor(d: Data) -> Data:
        if isinstance(d, View) and d.of in names:
            return replace(d, of=names[d.of])
        if isinstance(d, (Array, Ref)) and d.mirror is not None and d.mirror in names:
            d = replace(d, mirror=names[d.mirror])
        return replace(d, alias=many(d.alias)) if isinstance(d, Ref) else d

    node = map_memlets(node, lambda m: replace(m, data=names[m.data]) if m.data in names else m)
    return rewrite(map_exprs(node, in_expr), in_node)


def symbols_used(node: Node) -> set[str]:
    """Names of all symbols that occur in expressions of `node` and below, wherever they are defined."""
    return {x.name for e in exprs(node) for x in subexpressions(e) if isinstance(x, Sym)}


def symbols_defined(node: Node) -> set[str]:
    """Names that `Let`, `Loop` and `Map` define in `node` and below."""
    out: set[str] = set()
    for n in walk(node):
        match n:
            case Let():
                out.add(n.name)
            case Loop():
                out.add(n.var)
            case Map():
                out.update(n.vars)
            case _:
                pass
    return out


def fresh_name(base: str, taken: Collection[str]) -> str:
    """`base` if it is not taken, otherwise `base_1`, `base_2`, …"""
    if base not in taken:
        return base
    k = 1
    while f"{base}_{k}" in taken:
        k += 1
    return f"{base}_{k}"


class FreshNames:
    """Gives names that neither a program nor this object has given to anything. What the program has is found out when the first is asked for."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._taken: set[str] | None = None

    def __call__(self, base: str) -> str:
        """`base`, or `base_1`, `base_2`, …"""
        if self._taken is None:
            self._taken = names_taken(self._program)
        name = fresh_name(base, self._taken)
        self._taken.add(name)
        return name

    def other_symbols(self, node: N) -> N:
        """The node with other names for the symbols that it defines."""
        return rename_symbols(node, {x: self(x) for x in sorted(symbols_defined(node))})

    def copy(self, node: N, data: dict[str, Data]) -> N:
        """The node with names of its own for its symbols and for what iterations of its maps have for themselves, which `data` gets, too."""
        private = sorted({p for n in walk(node) if isinstance(n, Map) for p in n.private})
        names = {p: self(p) for p in private}
        data |= {new: data[old] for old, new in names.items()}
        return self.other_symbols(rename_data(node, names))


def names_taken(program: Program) -> set[str]:
    """Every name a new container or symbol of this program must differ from."""
    return {*program.data, *program.symbols, *(p.name for p in program.params), *symbols_defined(program.body)}


def is_object(a: Memlet | Expr, params: Iterable[Param], data: Mapping[str, Data]) -> bool:
    """Tell whether this operand is a Python object: a parameter, or what a Ref holds."""
    name = a.name if isinstance(a, Sym) else a.data if isinstance(a, Memlet) else ""
    held = isinstance(a, Memlet) and name in data and data[name].dtype is obj
    return held or any(p.kind == "object" and p.name == name for p in params)
