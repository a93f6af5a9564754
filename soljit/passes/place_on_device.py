"""Let the device run the maps that it can, on copies of what they touch.

                                                         alloc(A_dev); alloc(B_dev)
    for t in range(T):                                   for t in range(T):
        for i in map(range(n)): B[i] = A[i] * 2.0    →       copy(A_dev, A); copy(B_dev, B)
                                                             for i in map(range(n)), schedule("grid"), threads(256): B_dev[i] = …
                                                             copy(B, B_dev)

Correct by construction, and slow: every kernel is given all that it touches and gives back all that it wrote. The passes behind it
take transfers away. A temporary that only kernels touch lies on the device and has no host memory.

The loops whose iterations write apart become the grid, the last of them along neighbouring threads (`analysis/offload.py`). It must
come after all passes that change maps, and before schedule_maps, which sees to the maps that stay on the host.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from soljit.analysis.accesses import effects
from soljit.analysis.device_products import why_not_product
from soljit.analysis.offload import order_of, why_not_on_device
from soljit.analysis.places import exposed, places
from soljit.ir.data import Array, Data, View
from soljit.ir.nodes import Alloc, Copy, LibraryNode, Map, Node, Program
from soljit.ir.spaces import base_of
from soljit.ir.tree import children_nodes, outermost_maps, rewrite
from soljit.ir.walk import FreshNames, data_written, rename_data
from soljit.passes.manager import Context
from soljit.passes.transfers import copy_of_all

THREADS = {1: (256,), 2: (8, 32), 3: (2, 4, 32)}  # of a block, by dimensions of the grid


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
            cx.note(m.loc, "runs on the device")
            yield m
        else:
            cx.note(m.loc, f"this loop stays on the host: {why}", done=False)


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
        touched = sorted({base_of(self.data, name) for m in self.placed for name in self._arrays(m)})
        self.moved = {name for name in touched if self._only_kernels(name)}
        for name in touched:
            d = self.data[name]
            assert isinstance(d, Array)
            if name in self.moved:
                self.data[name] = replace(d, storage="cuda")
                continue
            self.mirror[name] = device = self.fresh(f"{name}_dev")
            self.data[device] = replace(d, storage="cuda", mirror=name, transient=True, alias=None, writable=True)
        self._clone_views()
        kernels = {id(m): self._kernel(m) for m in self.placed}
        allocs = {name for name in self.mirror if not self._is_argument(name)}

        def fn(n: Node) -> Node | tuple[Node, ...] | None:
            if id(n) in kernels:
                return kernels[id(n)]
            if isinstance(n, Alloc) and n.data in allocs:
                return n, Alloc(self.mirror[n.data], n.zero, loc=n.loc)
            return None

        body = rewrite(self.program.body, fn, top_down=True)
        loc = self.program.loc
        first = [Alloc(device, loc=loc) for name, device in self.mirror.items() if self._is_argument(name)]
        return replace(self.program, body=replace(body, nodes=(*first, *body.nodes)), data=self.data)

    def _is_argument(self, name: str) -> bool:
        d = self.program.data[name]
        return isinstance(d, Array) and not d.transient

    def _arrays(self, m: Work) -> Iterator[str]:
        """The containers in memory that a map or call touches."""
        for a in effects(m).accesses:
            d = self.program.data.get(base_of(self.program.data, a.data))
            if isinstance(d, Array) and d.storage == "host":
                yield a.data

    def _only_kernels(self, name: str) -> bool:
        """Is this a temporary that no host code touches?"""
        d = self.program.data[name]
        if not isinstance(d, Array) or not d.transient or name in exposed(self.program):
            return False
        inside = {id(m) for m in self.placed}
        found = places(self.program).get(name, [])
        return all(p.kind == "alloc" or any(id(n) in inside for n in (*p.above, p.node)) for p in found)

    def _clone_views(self) -> None:
        """Views of mirrored memory get a twin that looks at the mirror."""
        names = {a.data for m in self.placed for a in effects(m).accesses}
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
        before = tuple(self._copy(self.mirror[name], name, m) for name in sorted(used))
        after = tuple(self._copy(name, self.mirror[name], m) for name in sorted(written))
        if isinstance(m, LibraryNode):
            return *before, rename_data(m, self._names()), *after
        order = order_of(self.program, m)
        ranks = (*order.grid, *order.rest)
        body = rewrite(m.body, lambda n: replace(n, schedule=("seq",) * len(n.vars)) if isinstance(n, Map) else None)
        kernel = replace(
            m,
            vars=tuple(m.vars[k] for k in ranks),
            spans=tuple(m.spans[k] for k in ranks),
            body=body,
            schedule=("grid",) * len(order.grid) + ("seq",) * len(order.rest),
            threads=THREADS[len(order.grid)],
        )
        return *before, rename_data(kernel, self._names()), *after

    def _names(self) -> Mapping[str, str]:
        return {**self.mirror, **self.views}

    def _copy(self, to: str, source: str, m: Work) -> Copy:
        d = self.data[source]
        assert isinstance(d, Array)
        return copy_of_all(to, source, d.shape, m.loc)
