"""Let the device run the maps that it can, on copies of what they touch.

                                                         alloc(A_dev); alloc(B_dev)
    for t in range(T):                                   for t in range(T):
        for i in map(range(n)): B[i] = A[i] * 2.0    →       copy(A_dev, A); copy(B_dev, B)
                                                             for i in map(range(n)), schedule("grid"), threads(256): B_dev[i] = …
                                                             copy(B, B_dev)

Correct by construction, and slow: every kernel is given all that it touches and gives back all that it wrote. The passes behind it
take transfers away. A temporary that only kernels touch lies on the device and has no host memory.

An array variable that kernels touch has a mirror, too, which is bound to the mirror of whatever the variable is bound to: so all that
is tied to it by bindings gets mirrors. A kernel that writes through the variable may write an argument: that is copied as a whole
around it, because an exception would copy it home as a whole.

The loops whose iterations write apart become the grid, the last of them along neighbouring threads (`analysis/device/offload.py`). It must
come after all passes that change maps, and before schedule_maps, which sees to the maps that stay on the host.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace

from soljit.analysis.device.offload import order_of, why_not_on_device
from soljit.analysis.device.pairs import lengths
from soljit.analysis.device.products import why_not_product
from soljit.analysis.memory import array_variables
from soljit.analysis.memory.accesses import aliases, effects
from soljit.analysis.memory.occurrences import exposed, places
from soljit.base.records import dataclass
from soljit.ir.core.data import Array, Data, Ref, View
from soljit.ir.core.nodes import Alloc, Bind, Copy, LibraryNode, Map, Node, Program
from soljit.ir.walk import FreshNames, children_nodes, data_written, outermost_maps, rename_data, rewrite
from soljit.ir.walk.spaces import HOST, base_of, has_blocks, is_spread, storage_of
from soljit.passes.manager import Context
from soljit.passes.transfers.copies import copy_of_all

THREADS = {1: (256,), 2: (8, 32), 3: (2, 4, 32)}  # of a block, by dimensions of the grid


BLOCK = 512  # threads of a block that works as one: a guess, between registers for each thread and memory accesses at a time

Work = Map | LibraryNode  # what the device runs: kernels, and calls of its libraries


def place_on_device(program: Program, cx: Context) -> Program:
    """Make kernels of all maps that the device can run, and let its libraries do what is marked for them."""
    placed: list[Work] = [*_placeable(program, cx), *_calls(program, program.body)]
    if not placed:
        return program
    return _Placer(program, placed, FreshNames(program)).program_on_device()


def _placeable(program: Program, cx: Context) -> Iterator[Map]:
    """The outermost maps that the device can run; tells why of the others."""
    for m in outermost_maps(program.body):
        why = why_not_on_device(program, m)
        if why is None:
            cx.note(m.loc, "on the device")
            yield m
        else:
            cx.note(m.loc, "on the host", why=why)


def _calls(program: Program, node: Node) -> Iterator[LibraryNode]:
    """The products outside of maps that a library of the device computes."""
    if isinstance(node, LibraryNode) and node.attrs.get("by") == "cublas" and why_not_product(program, node) is None:
        yield node
    for n in () if isinstance(node, Map) else children_nodes(node):
        yield from _calls(program, n)


@dataclass
class _Placer:
    """Gives containers their device memory, and kernels their copies.

    mirror: host container → its device memory; moved: temporaries that lie on the device only
    """

    program: Program
    placed: list[Work]
    fresh: FreshNames
    data: dict[str, Data] = field(default_factory=dict)
    mirror: dict[str, str] = field(default_factory=dict)
    moved: set[str] = field(default_factory=set)
    views: dict[str, str] = field(default_factory=dict)

    def program_on_device(self) -> Program:
        self.data = dict(self.program.data)
        touched = {base_of(self.data, name) for m in self.placed for name in self._arrays(m)}
        touched |= {tied for name in touched for tied in array_variables.tied(self.program, name)}
        self.moved = {name for name in touched if self._only_kernels(name)}
        for name in sorted(touched):
            d = self.data[name]
            assert isinstance(d, (Array, Ref))
            if name in self.moved:
                self.data[name] = replace(d, storage="cuda")
                continue
            self.mirror[name] = device = self.fresh(f"{name}_dev")
            if isinstance(d, Ref):
                self.data[device] = replace(d, storage="cuda", mirror=name)
            else:
                self.data[device] = replace(d, storage="cuda", mirror=name, transient=True, alias=None, writable=True)
        self._clone_views()
        for device in self.mirror.values():
            if isinstance(d := self.data[device], Ref):
                self.data[device] = replace(d, alias=tuple(self._view(a) for a in d.alias))
        kernels = {id(m): self._kernel(m) for m in self.placed}
        arguments = {name for name in self.mirror if self._is_argument(name)}

        def fn(n: Node) -> Node | tuple[Node, ...] | None:
            if id(n) in kernels:
                return kernels[id(n)]
            if isinstance(n, Alloc) and n.data in self.mirror:
                return n, Alloc(self.mirror[n.data], n.zero, loc=n.loc)
            if isinstance(n, Bind) and n.ref in self.mirror:
                return replace(n, ref=self.mirror[n.ref], source=replace(n.source, data=self._view(n.source.data))), n
            return None

        body = rewrite(self.program.body, fn, top_down=True)
        loc = self.program.loc
        first = [Alloc(device, loc=loc) for name, device in self.mirror.items() if name in arguments]
        return replace(self.program, body=replace(body, nodes=(*first, *body.nodes)), data=self.data)

    def _is_argument(self, name: str) -> bool:
        d = self.program.data[name]
        return isinstance(d, Array) and not d.transient

    def _arrays(self, m: Work) -> Iterator[str]:
        """The containers in memory that a map or call touches."""
        for a in effects(m).accesses:
            if storage_of(self.program.data, a.data) == HOST:
                yield a.data

    def _only_kernels(self, name: str) -> bool:
        """Tell whether this is a temporary that no host code touches."""
        d = self.program.data[name]
        if not isinstance(d, Array) or not d.transient or name in exposed(self.program):
            return False
        inside = {id(m) for m in self.placed}
        found = places(self.program).get(name, [])
        return all(p.kind == "alloc" or any(id(n) in inside for n in (*p.above, p.node)) for p in found)

    def _clone_views(self) -> None:
        """Views of mirrored memory get a twin that looks at the mirror."""
        names = {a.data for m in self.placed for a in effects(m).accesses}
        names |= {source for ref, source in effects(self.program.body).bindings if ref in self.mirror}
        for name in sorted(names):
            self._view(name)

    def _view(self, name: str) -> str:
        """The name under which a kernel knows a container."""
        d = self.program.data.get(name)
        if not isinstance(d, View):
            return self.mirror.get(name, name)
        if name not in self.views:
            of = self._view(d.of)
            if of == d.of:
                self.views[name] = name
            else:
                self.views[name] = new = self.fresh(f"{name}_dev")
                self.data[new] = replace(d, of=of)
        return self.views[name]

    def _kernel(self, m: Work) -> tuple[Node, ...]:
        """The map as a kernel, or the call, between the copies that it needs."""
        used = {base_of(self.program.data, name) for name in self._arrays(m)} & self.mirror.keys()
        written = {base_of(self.program.data, name) for name in data_written(m)} & self.mirror.keys()
        behind = {other for name in written for other in self._arguments_behind(name)}
        used, written = used | behind, written | behind
        before = tuple(self._copy(self.mirror[name], name, m) for name in sorted(used))
        after = tuple(self._copy(name, self.mirror[name], m) for name in sorted(written))
        if isinstance(m, LibraryNode):
            return *before, rename_data(m, self._names()), *after
        order = order_of(self.program, m)
        ranks = (*order.grid, *order.rest)
        body = rewrite(m.body, lambda n: _in_kernel(n) if isinstance(n, Map) else None)
        kernel = replace(
            m,
            vars=tuple(m.vars[k] for k in ranks),
            spans=tuple(m.spans[k] for k in ranks),
            body=body,
            schedule=("grid",) * len(order.grid) + ("seq",) * len(order.rest),
            threads=m.threads or ((BLOCK,) if has_blocks(m) else THREADS[len(order.grid)]),
        )
        return *before, rename_data(kernel, self._names()), *after

    def _arguments_behind(self, name: str) -> Iterator[str]:
        """The arguments that an array variable may stand for and that can be written."""
        if isinstance(self.program.data[name], Ref):
            for home in aliases(self.program).homes(name) & self.mirror.keys():
                d = self.program.data[home]
                if isinstance(d, Array) and not d.transient and d.writable:
                    yield home

    def _names(self) -> Mapping[str, str]:
        return {**self.mirror, **self.views}

    def _copy(self, to: str, source: str, m: Work) -> Copy:
        home = source if source in self.mirror else to
        d = self.data[home]
        assert isinstance(d, (Array, Ref))
        return copy_of_all(to, source, lengths(home, d), m.loc)


def _in_kernel(m: Map) -> Map:
    """A map in the body of a kernel: spread over a block, or run by a thread."""
    return m if is_spread(m) else replace(m, schedule=("seq",) * len(m.vars))
