"""Memory spaces: which containers lie on the device, which maps are kernels, and what a run knows of mirrors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from soljit.ir.core.data import Array, Data, Ref, Scalar, View
from soljit.ir.core.nodes import Copy, LibraryNode, Map, Node, Program
from soljit.ir.walk.tree import outermost_maps, walk

HOST, DEVICE = "host", "cuda"
SPREAD = ("block", "cluster")  # roles of maps that the threads of a block share, or those of a cluster of blocks


def is_kernel(node: Node) -> bool:
    """Tell whether this is a map that the device runs."""
    return isinstance(node, Map) and "grid" in node.schedule


def has_blocks(node: Node) -> bool:
    """Tell whether there are block maps in it. Then an iteration of the kernel around them is a block of threads, or a cluster of blocks."""
    return any(is_spread(n) for n in walk(node))


def is_spread(node: Node) -> bool:
    """Tell whether this is a map that the threads of a block, or of a cluster, share."""
    return isinstance(node, Map) and not {*node.schedule}.isdisjoint(SPREAD)


def kernels(node: Node) -> Iterator[Map]:
    """The kernels in `node`, in program order."""
    return (m for m in outermost_maps(node) if is_kernel(m))


def is_device_call(node: Node, data: Mapping[str, Data]) -> bool:
    """Tell whether this is a library call that the device runs."""
    return isinstance(node, LibraryNode) and on_device(data, node.outs[0].data)


def device_work(program: Program) -> Iterator[Map | LibraryNode]:
    """What the device runs of this program, its functions left aside: kernels and library calls."""
    yield from kernels(program.body)
    for n in walk(program.body):
        if isinstance(n, LibraryNode) and is_device_call(n, program.data):
            yield n


def base_of(data: Mapping[str, Data], name: str) -> str:
    """The container whose memory `name` is: itself, or what a view looks at."""
    while isinstance(d := data.get(name), View):
        name = d.of
    return name


def storage_of(data: Mapping[str, Data], name: str) -> str:
    """Where the elements of a container lie: "host", "cuda", "shared" or "register"; "" for a Scalar, which moves by value."""
    d = data.get(base_of(data, name))
    return "" if isinstance(d, Scalar) else d.storage if isinstance(d, (Array, Ref)) else HOST


def on_device(data: Mapping[str, Data], name: str) -> bool:
    """Tell whether this is memory of the device."""
    return storage_of(data, name) == DEVICE


def mirrors(program: Program) -> dict[str, str]:
    """Device containers that stand for a host container → its name."""
    return {k: d.mirror for k, d in program.data.items() if isinstance(d, (Array, Ref)) and d.mirror is not None}


def is_transfer(node: Node, data: Mapping[str, Data]) -> bool:
    """Tell whether this node moves data between the host and the device."""
    return isinstance(node, Copy) and on_device(data, node.dst.data) != on_device(data, node.src.data)
