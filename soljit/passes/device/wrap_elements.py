"""Let the device run statements on single elements where the arrays live there, so that a loop talks to the host less.

    for k in range(n):                                        for k in range(n):
        for i in map(range(k)): s[()] += A[i, k]                  for i in map(range(k)): s[()] += A[i, k]
        t = A[k, k] - s                                   →       for one in map(range(1)):
        A[k, k] = t                                                   t = A[k, k] - s
        for i in map(range(k)): A[i, k] /= t                          A[k, k] = t
                                                                      t_there[()] = t
                                                                  for i in map(range(k)): A[i, k] /= t_there[()]

It looks at the statements of a loop that has maps for the device beside them: so a few launches more an iteration, instead of
copies and waits. It is about arrays that change on the device in the loop; they are left alone if something else in the loop, that stays
on the host, touches them. Scalars that such statements write become arrays without dimensions, symbols that they define and that
others use likewise; the host fetches of these what it asks for.

Statements behind a map of one iteration that a block of threads runs, as the last one of a sum is, become the end of it. split_sums makes
sums of single elements, so it must come before; place_on_device makes kernels of the maps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace

from soljit.analysis.device.offload import why_not_on_device
from soljit.analysis.device.products import why_not_product
from soljit.analysis.memory import array_variables
from soljit.base.records import dataclass
from soljit.ir.core.data import Array, Data, Ref, Scalar
from soljit.ir.core.expr import ONE, ZERO, Expr, Load, Memlet, Range, Sym, subexpressions
from soljit.ir.core.nodes import (
    Alloc,
    Bind,
    Branch,
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
from soljit.ir.walk import (
    ExprFn,
    FreshNames,
    descriptor_exprs,
    loads_of,
    map_exprs,
    memlets_read,
    memlets_written,
    on_regions,
    rewrite,
    same,
    symbols_used,
    values,
    walk,
)
from soljit.ir.walk.spaces import base_of, has_blocks
from soljit.passes.manager import Context


def wrap_elements(program: Program, cx: Context) -> Program:
    """Make maps of one iteration of statements on elements that live on the device, inner loops first."""
    w = _Wrapper(program, dict(program.data), FreshNames(program))
    body = w.region(program.body)
    if body is program.body:
        return program
    first = [Alloc(name, loc=program.loc) for name in w.made]
    return replace(program, body=replace(body, nodes=(*first, *body.nodes)), data=w.data)


@dataclass
class _Wrapper:
    """made: arrays without dimensions that stand for scalars and symbols; ours: maps that it made, by identity

    tied: array variables and arrays that they tie together → one of them
    """

    program: Program
    data: dict[str, Data]
    fresh: FreshNames
    made: list[str] = field(default_factory=list)
    ours: dict[int, Map] = field(default_factory=dict)
    tied: dict[str, str] = field(default_factory=dict)
    _maps: dict[int, tuple[Map, bool]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        described = (x for d in self.data.values() for e in descriptor_exprs(d) for x in subexpressions(e))
        self.used_by_data = {x.name for x in described if isinstance(x, Sym)}
        self.fixed = set(_written_elsewhere(self.program))
        for name, d in self.data.items():
            if isinstance(d, Ref) and name not in self.tied and array_variables.why_not(self.program, name) is None:
                names = array_variables.tied(self.program, name)
                self.tied |= dict.fromkeys(names, min(names))

    def now(self) -> Program:
        """The program with the containers as they are now."""
        return replace(self.program, data=self.data)

    def is_kernel(self, n: Node) -> bool:
        """Tell whether this will become a kernel, or a call of a library of the device."""
        if isinstance(n, LibraryNode):
            return n.attrs.get("by") == "cublas" and why_not_product(self.now(), n) is None
        if not isinstance(n, Map):
            return False
        if id(n) not in self._maps:
            self._maps[id(n)] = n, why_not_on_device(self.now(), n) is None
        return self._maps[id(n)][1]

    # --- loops --------------------------------------------------------------------------------------------------------

    def region(self, region: Region) -> Region:
        """The region with all loops in it done."""
        nodes = tuple(self.node(n) for n in region.nodes)
        return region if same(nodes, region.nodes) else replace(region, nodes=nodes)

    def node(self, n: Node) -> Node:
        match n:
            case Loop() | While():
                body = self.loop(n, self.region(n.body))
                return n if body is n.body else replace(n, body=body)
            case _:
                return on_regions(n, self.region)

    def loop(self, loop: Loop | While, body: Region) -> Region:
        """The body of a loop, with the statements beside its maps as far as they can go to the device."""
        kernels = [n for n in _level(body) if self.is_kernel(n)]
        if not kernels:
            return body
        level = [n for n in _level(body) if isinstance(n, Tasklet)]
        inside = [n for k in kernels for n in walk(k)]
        touched = {self.base(m.data) for n in inside for m in memlets_read(n)} & {self.base(n.out.data) for n in level}
        touched |= {self.base(m.data) for n in inside for m in memlets_written(n)}
        blocked = set(self._host_only(body)) | {self.base(m.data) for m in memlets_read(loop)}
        while True:
            choice = _Choice(self, body, {name for name in touched - blocked if self.is_array(name)}, blocked)
            if choice.blocked == blocked:
                break
            blocked = choice.blocked
        if not choice.chosen:
            return body
        for name in sorted(choice.scalars):
            self.array_for(name, self.data[name])
        return self.wrapped(body, {id(n) for n in choice.chosen})

    def _host_only(self, body: Region) -> Iterator[str]:
        """What host code in the loop touches, other than by statements at its own level."""
        level = {id(n) for n in _level(body) if isinstance(n, (Let, Tasklet))}
        stack: list[Node] = [body]
        while stack:
            n = stack.pop()
            if self.is_kernel(n):
                if isinstance(n, LibraryNode):
                    yield from (self.base(m.data) for m in loads_of(values(n)))  # the host says which part
                continue
            stack += [n.body] if isinstance(n, (Loop, While, Map)) else list(n.nodes) if isinstance(n, Region) else []
            stack += [n.then, n.orelse] if isinstance(n, Branch) else []
            if id(n) not in level and not isinstance(n, (Alloc, Bind, Return, Raise)):
                for m in (*memlets_read(n), *memlets_written(n)):
                    yield self.base(m.data)

    def base(self, name: str) -> str:
        """The container whose memory it is, one name for all that array variables tie together."""
        base = base_of(self.data, name)
        return self.tied.get(base, base)

    def is_array(self, name: str) -> bool:
        d = self.data.get(name)
        return name in self.tied or (isinstance(d, Array) and d.storage == "host")

    def array_for(self, name: str, d: Data) -> None:
        """An array without dimensions, made once on top."""
        self.data[name] = Array(d.dtype, ())
        self.made.append(name)
        self._maps.clear()

    # --- writing ------------------------------------------------------------------------------------------------------

    def wrapped(self, region: Region, chosen: set[int]) -> Region:
        """The region with runs of chosen statements in maps of one iteration."""
        out: list[Node] = []
        run: list[Node] = []
        for n in region.nodes:
            if isinstance(n, Branch):
                n = replace(n, then=self.wrapped(n.then, chosen), orelse=self.wrapped(n.orelse, chosen))
            if id(n) in chosen:
                run.append(n)
            elif run and isinstance(n, Let) and _stands_alone(n, run):
                out.append(n)
            else:
                self._flush(run, out)
                out.append(n)
        self._flush(run, out)
        return replace(region, nodes=tuple(self._with_cells(out)))

    def _flush(self, run: list[Node], out: list[Node]) -> None:
        """The run as a map of one iteration; behind a block of that kind, as its end."""
        if not run:
            return
        m = self._behind(out[-1], run) if out else None
        if m is None:
            one = self.fresh("one")
            m = Map((one,), (Range(ZERO, ONE, ONE),), Region(tuple(run), loc=run[0].loc), loc=run[0].loc)
        else:
            out.pop()
        self.ours[id(m)] = m
        out.append(m)
        run.clear()

    def _behind(self, before: Node, run: list[Node]) -> Map | None:
        """The single block `before` with the run at its end; None if it is none, or cannot have it."""
        one = (Range(ZERO, ONE, ONE),)
        if not isinstance(before, Map) or before.spans != one or not has_blocks(before) or not self.is_kernel(before):
            return None
        m = replace(before, body=replace(before.body, nodes=(*before.body.nodes, *run)))
        return m if self.is_kernel(m) else None

    def _with_cells(self, nodes: list[Node]) -> list[Node]:
        """Give a cell to each symbol that is defined in a map of one iteration and used behind it."""
        k = 0
        while k < len(nodes):
            m = nodes[k]
            if isinstance(m, Map) and id(m) in self.ours:
                for name in [n.name for n in m.body.nodes if isinstance(n, Let)]:
                    if any(name in symbols_used(n) for n in nodes[k + 1 :]):
                        m = self._cell(m, name, nodes, k)
            k += 1
        return nodes

    def _cell(self, m: Map, name: str, nodes: list[Node], k: int) -> Map:
        """Write the symbol into a cell in map number `k`; kernels behind read the cell, and the host fetches it if it asks for it."""
        let = next(n for n in m.body.nodes if isinstance(n, Let) and n.name == name)
        cell, inner, dtype = self.fresh(f"{let.name}_there"), self.fresh(let.name), let.value.dtype
        self.array_for(cell, Scalar(dtype))
        here: dict[str, Expr] = {let.name: Sym(inner, dtype)}
        there: dict[str, Expr] = {let.name: Load(Memlet(cell), dtype)}
        store = Tasklet(Memlet(cell), Sym(inner, dtype), loc=let.loc)
        body: list[Node] = []
        for n in m.body.nodes:
            if n is let:
                body += [replace(let, name=inner), store]
            else:
                body.append(map_exprs(n, _putting(here)))
        nodes[k] = m = replace(m, body=replace(m.body, nodes=tuple(body)))

        def in_kernels(n: Node) -> Node | None:
            if not isinstance(n, Map) or not self.is_kernel(n):
                return None  # what a call asks for beside its operands, the host tells it
            new = replace(n, body=map_exprs(n.body, _putting(there)))
            if id(n) in self.ours:
                self.ours[id(new)] = new
            return new

        nodes[k + 1 :] = [rewrite(n, in_kernels, top_down=True) for n in nodes[k + 1 :]]
        if any(let.name in symbols_used(n) for n in nodes[k + 1 :]):
            nodes.insert(k + 1, replace(let, value=Load(Memlet(cell), dtype)))
        return m


def _stands_alone(let: Let, run: list[Node]) -> bool:
    """Tell whether this definition may stand in front of the run."""
    defined = {n.name for n in run if isinstance(n, Let)}
    return defined.isdisjoint(symbols_used(let)) and not any(True for _ in loads_of((let.value,)))


def _putting(names: dict[str, Expr]) -> ExprFn:
    return lambda e: names.get(e.name) if isinstance(e, Sym) else None


def _level(region: Region) -> Iterator[Node]:
    """The nodes of a loop's body that run at most once an iteration: those in branches, too, but not those in loops."""
    for n in region.nodes:
        yield n
        if isinstance(n, Branch):
            yield from _level(n.then)
            yield from _level(n.orelse)


def _written_elsewhere(program: Program) -> Iterator[str]:
    """Scalars that something else than a statement writes, or that are private to a map."""
    for n in walk(program.body):
        if isinstance(n, Map):
            yield from n.private
            yield from (m.data for x in walk(n) if isinstance(x, Tasklet) for m in memlets_written(x))
        elif not isinstance(n, Tasklet):
            yield from (m.data for m in memlets_written(n))


class _Choice:
    """The statements of a loop's level that go to the device.

    living: arrays that change on the device; scalars: those that become arrays; symbols: defined from what lives there
    blocked: arrays that must stay where they are, given and found
    """

    def __init__(self, w: _Wrapper, body: Region, living: set[str], blocked: set[str]) -> None:
        self.w, self.living, self.blocked = w, set(living), set(blocked)
        self.scalars: set[str] = set()
        self.symbols: set[str] = set()
        level = [n for n in _level(body) if isinstance(n, (Let, Tasklet))]
        count = -1
        while count != (count := len(self.living) + len(self.scalars) + len(self.symbols)):
            for n in level:
                if self._concerns(n) and self._goes(n):
                    if isinstance(n, Let):
                        self.symbols.add(n.name)
                    elif isinstance(w.data[n.out.data], Scalar):
                        self.scalars.add(n.out.data)
                    else:
                        self.living.add(w.base(n.out.data))
        self.chosen = [n for n in level if self._concerns(n) and self._goes(n)]
        left = [n for n in level if self._concerns(n) and not self._goes(n)]
        self.blocked |= {a for n in left for a in self._arrays(n)}

    def _concerns(self, n: Node) -> bool:
        """Tell whether the statement touches what lives on the device."""
        names = {self.w.base(m.data) for m in (*memlets_read(n), *memlets_written(n))}
        return not names.isdisjoint(self.living | self.scalars) or not self.symbols.isdisjoint(symbols_used(n))

    def _arrays(self, n: Node) -> Iterator[str]:
        for m in (*memlets_read(n), *memlets_written(n)):
            if self.w.is_array(self.w.base(m.data)):
                yield self.w.base(m.data)

    def _goes(self, n: Node) -> bool:
        """Tell whether the device can run it, and all that it touches may be there."""
        if not self.blocked.isdisjoint(self._arrays(n)):
            return False
        data = dict(self.w.data)
        if isinstance(n, Let):
            if n.name in self.w.used_by_data:
                return False
            probe: Node = Tasklet(Memlet("probe"), n.value)
            data["probe"] = Array(n.value.dtype, ())
        else:
            assert isinstance(n, Tasklet)
            d = data[n.out.data]
            if isinstance(d, Scalar):
                if n.out.data in self.w.fixed:
                    return False
                data[n.out.data] = Array(d.dtype, ())
            probe = n
        one = Map(("one",), (Range(ZERO, ONE, ONE),), Region((probe,)))
        return why_not_on_device(replace(self.w.program, data=data), one) is None
