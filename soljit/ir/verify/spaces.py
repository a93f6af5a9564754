"""Whether host code and kernels keep to their memory. The part of `ir/verify/program.py` about the device.

A kernel touches memory of the device, registers, and memory that its blocks share; it may read `Scalar`s of the host, which it
gets by value, and lengths and strides. Host code touches memory of the host; memory of the device stands there only in `Alloc`,
`Copy`, `Bind`, and as operands of library calls that the device runs, all of them. A `Bind` keeps to one memory, and in front of that
of an array variable stands that of its mirror. A kernel holds no library call, call, call back or `Bind`, and allocates nothing but
shared memory. "grid" stands in no other map, "block" and "cluster" only in kernels, or in a map of which a kernel is to be made: in the outermost maps of
its body, all of which have it then. What all threads of a block share is in memory: no register array, and no Scalar that only some of them
write. A cluster of blocks does one iteration of a kernel, with block maps in it, and uses no memory that blocks have for themselves. A mirror of a read-only argument is not written.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from soljit.ir.core.data import Array, Ref, Scalar
from soljit.ir.core.expr import Memlet, is_const
from soljit.ir.core.libraries import DEVICE_LIBRARIES
from soljit.ir.core.nodes import Alloc, Bind, Call, Callback, Copy, LibraryNode, Map, Node, Program, Region
from soljit.ir.symbolic import range_length
from soljit.ir.walk import (
    children_nodes,
    data_used,
    loads_of,
    memlets_read,
    memlets_written,
    outermost_maps,
    symbols_of,
    values,
    walk,
)
from soljit.ir.walk.spaces import (
    DEVICE,
    HOST,
    base_of,
    has_blocks,
    is_device_call,
    is_kernel,
    is_spread,
    mirrors,
    storage_of,
)

MOST_THREADS = 1024  # of a block


def space_faults(program: Program, fault: Callable[[str], None]) -> None:
    """Report all uses of memory in the wrong place."""
    _host(program, program.body, fault, False)
    twins = {d.mirror: k for k, d in program.data.items() if isinstance(d, Ref) and d.mirror is not None}
    bound = {n.ref for n in walk(program.body) if isinstance(n, Bind)} if twins else set()
    twins = {home: device for home, device in twins.items() if {home, device} <= bound}
    for region in walk(program.body) if twins else ():
        if isinstance(region, Region):
            _bound_together(program, region, twins, fault)


def _bound_together(program: Program, region: Region, twins: Mapping[str, str], fault: Callable[[str], None]) -> None:
    """Tell whether each array variable of this region is bound behind its mirror, to what that mirrors."""
    of, ready = mirrors(program), dict[str, Memlet]()
    for n in region.nodes:
        if not isinstance(n, Bind):
            continue
        if (home := of.get(n.ref, "")) in twins:
            ready[home] = n.source
        elif n.ref in twins:
            there = ready.pop(n.ref, None)
            if (
                there is None
                or of.get(base_of(program.data, there.data)) != base_of(program.data, n.source.data)
                or (there.subset, there.axes) != (n.source.subset, n.source.axes)
            ):
                fault(f"{n.ref} is bound, and {twins[n.ref]} not to the mirror of the same")
    for name in ready:
        fault(f"{twins[name]} is bound, and {name} is not")


def _host(program: Program, node: Node, fault: Callable[[str], None], in_map: bool) -> None:
    """Check host code down to its kernels."""
    if isinstance(node, Map):
        if is_kernel(node):
            if in_map:
                fault("a kernel stands in a map")
            _kernel(program, node, fault)
            return
        if is_spread(node):
            fault("a block map stands in no kernel")
        if has_blocks(node):
            if node.schedule:
                fault("block maps stand in a map that is no kernel")
            _blocks(program, node, fault)
            return
        in_map = True
    if isinstance(node, LibraryNode) and is_device_call(node, program.data):
        _call(program, node, fault)
    elif isinstance(node, Bind):
        if (storage_of(program.data, node.ref) == DEVICE) != (storage_of(program.data, node.source.data) == DEVICE):
            fault(f"{node.ref} is bound to {node.source.data}, which lies in another memory")
    elif not isinstance(node, (Alloc, Copy)):
        for m in (*memlets_read(node), *memlets_written(node)):
            if storage_of(program.data, m.data) in (DEVICE, "shared"):
                fault(f"{m.data} is memory of the device, touched by host code")
    for child in children_nodes(node):
        _host(program, child, fault, in_map)


def _call(program: Program, call: LibraryNode, fault: Callable[[str], None]) -> None:
    """A library call of the device: its operands lie there, whatever else it asks for is the host's."""
    if call.op not in DEVICE_LIBRARIES:
        fault(f"{call.op} is not done by a device")
    for m in (*call.outs, *(x for x in call.ins if isinstance(x, Memlet))):
        if storage_of(program.data, m.data) != DEVICE:
            fault(f"{m.data} is no memory of the device, and an operand of a call there")
    for m in call.outs:
        _not_read_only(program, m.data, fault)
    for m in loads_of(values(call)):
        if storage_of(program.data, m.data) in (DEVICE, "shared"):
            fault(f"{m.data} is memory of the device, touched by host code")


def _not_read_only(program: Program, name: str, fault: Callable[[str], None]) -> None:
    d = program.data.get(base_of(program.data, name))
    of = program.data.get(str(d.mirror)) if isinstance(d, Array) and d.mirror is not None else None
    if isinstance(of, Array) and not of.writable:
        fault(f"{name} mirrors a read-only argument and is written")


def _kernel(program: Program, kernel: Map, fault: Callable[[str], None]) -> None:
    data = program.data
    grid = sum(word == "grid" for word in kernel.schedule)
    if tuple(kernel.schedule) != ("grid",) * grid + ("seq",) * (len(kernel.schedule) - grid):
        fault(f"a kernel has the schedule {', '.join(kernel.schedule)}")
    if len(kernel.threads) > grid or not all(t > 0 for t in kernel.threads) or math.prod(kernel.threads) > MOST_THREADS:
        fault(f"a kernel has {' x '.join(map(str, kernel.threads))} threads a block")
    private = {name for n in walk(kernel) if isinstance(n, Map) for name in n.private}
    if has_blocks(kernel):
        _blocks(program, kernel, fault)
    if kernel.cluster is not None:
        _cluster(program, kernel, fault)
    for n in walk(kernel):
        if isinstance(n, (LibraryNode, Call, Callback, Bind, Copy)):
            fault(f"a {type(n).__name__} stands in a kernel")
            continue
        if isinstance(n, Map) and n is not kernel and ("grid" in n.schedule or "threads" in n.schedule):
            fault(f"the schedule {', '.join(n.schedule)} stands in a kernel")
        if isinstance(n, Alloc) and storage_of(data, n.data) != "shared":
            fault(f"{n.data} is allocated in a kernel")
        for m in (*memlets_read(n), *memlets_written(n)):
            if storage_of(data, m.data) == HOST:
                fault(f"{m.data} is memory of the host, touched by a kernel")
        for m in memlets_written(n):
            d = data.get(base := base_of(data, m.data))
            if isinstance(d, Scalar) and base not in private:
                fault(f"{m.data} is a Scalar of the host, written by a kernel")
            _not_read_only(program, m.data, fault)


def _cluster(program: Program, kernel: Map, fault: Callable[[str], None]) -> None:
    """Check what blocks do together."""
    if len(kernel.vars) != 1 or not is_const(range_length(kernel.spans[0]), 1) or not has_blocks(kernel):
        fault("a cluster of blocks has not one iteration with block maps to do")
    if any(storage_of(program.data, name) == "shared" for name in data_used(kernel)):
        fault("a cluster of blocks uses memory that each block has for itself")


def _blocks(program: Program, kernel: Map, fault: Callable[[str], None]) -> None:
    """Check what the threads of a block do together."""
    maps = [m for n in children_nodes(kernel) for m in outermost_maps(n)]
    inside = {id(n) for m in maps for n in walk(m)}
    for m in maps:
        role = "cluster" if "cluster" in m.schedule else "block"
        spread = m.schedule.count(role)
        if not spread or tuple(m.schedule) != (role,) * spread + ("seq",) * (len(m.schedule) - spread):
            fault(f"a map in a block has the schedule {', '.join(m.schedule)}")
        if role == "cluster" and not (isinstance(kernel, Map) and kernel.cluster is not None):
            fault("a block that is alone shares a map with others")
        if any(symbols_of(s) & {*m.vars} for s in m.spans[:spread]):
            fault("the loops of a block map are not independent of each other")
        own = {name for n in walk(m) if isinstance(n, Map) for name in n.private}
        for n in walk(m):
            if n is not m and is_spread(n):
                fault("a block map stands in a block map")
            for x in memlets_written(n):
                d = program.data.get(base_of(program.data, x.data))
                if isinstance(d, Scalar) and x.data not in own and x.wcr is None:
                    fault(f"{x.data} is a number of the whole block, written by one thread")
    for n in walk(kernel):
        for x in (*memlets_read(n), *memlets_written(n)):
            if storage_of(program.data, x.data) == "register" and id(n) not in inside:
                fault(f"{x.data} is a register array that all threads of a block share")
