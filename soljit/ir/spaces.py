"""Memory spaces: which containers lie on the device, which maps are kernels, and what a run knows of mirrors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from soljit.base.errors import InternalError
from soljit.ir.data import Array, Data, Ref, Scalar, View
from soljit.ir.effects import memlets_written
from soljit.ir.evaluate import Frame
from soljit.ir.nodes import Copy, LibraryNode, Map, Node, Program
from soljit.ir.tree import outermost_maps, walk

HOST, DEVICE = "host", "cuda"


def is_kernel(node: Node) -> bool:
    """Is this a map that the device runs?"""
    return isinstance(node, Map) and "grid" in node.schedule


def has_blocks(node: Node) -> bool:
    """Are there block maps in it? Then an iteration of the kernel around them is a block of threads."""
    return any(isinstance(n, Map) and "block" in n.schedule for n in walk(node))


def kernels(node: Node) -> Iterator[Map]:
    """The kernels in `node`, in program order."""
    return (m for m in outermost_maps(node) if is_kernel(m))


def is_device_call(node: Node, data: Mapping[str, Data]) -> bool:
    """Is this a library call that the device runs?"""
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
    """Is this memory of the device?"""
    return storage_of(data, name) == DEVICE


def mirrors(program: Program) -> dict[str, str]:
    """Device containers that stand for a host container → its name."""
    return {k: d.mirror for k, d in program.data.items() if isinstance(d, (Array, Ref)) and d.mirror is not None}


def is_transfer(node: Node, data: Mapping[str, Data]) -> bool:
    """Does this node move data between the host and the device?"""
    return isinstance(node, Copy) and on_device(data, node.dst.data) != on_device(data, node.src.data)


class Spaces:
    """Which memory a run may touch now, and which mirrors of arguments are newer than the arguments.

    A program that ends by an exception first copies home every mirror of an argument that was written since the last
    transfer between the two. So Python sees what the program has done so far, and no exception keeps a transfer in a loop.
    """

    def __init__(self, program: Program, frame: Frame) -> None:
        data = program.data
        arguments = {p.name for p in program.params}
        self.program, self.frame = program, frame
        self.of = mirrors(program)
        self.home = {k: v for k, v in self.of.items() if v in arguments}
        self.newer: set[str] = set()
        storage = {name: storage_of(data, name) for name in data}
        self.device = frozenset(k for k, s in storage.items() if s in (DEVICE, "shared"))
        self.host = frozenset(k for k, s in storage.items() if s == HOST)
        self.outside()

    def outside(self) -> None:
        """Host code runs from here on."""
        self.frame.foreign = self.device

    def inside(self) -> None:
        """A kernel, or a library of the device, runs from here on."""
        self.frame.foreign = self.host

    def between(self) -> None:
        """A transfer may touch both memories."""
        self.frame.foreign = frozenset()

    def ran(self, kernel: Map | LibraryNode) -> None:
        """What a kernel, or a library of the device, wrote is newer than the host's copy."""
        for name in {base_of(self.program.data, m.data) for n in walk(kernel) for m in memlets_written(n)}:
            self.newer |= self.stands_for(name)
        self.outside()

    def stands_for(self, name: str) -> set[str]:
        """The mirrors of arguments that a container lies in."""
        if name in self.home or not isinstance(self.program.data.get(name), Ref):
            return {name} & self.home.keys()
        memory = self.frame.memory
        return {k for k in self.home if k in memory and np.may_share_memory(memory[name], memory[k])}

    def copied(self, n: Copy) -> None:
        """A transfer of all of a container makes both sides equal."""
        for device, other in ((n.dst.data, n.src.data), (n.src.data, n.dst.data)):
            if self.of.get(device) == other and self.frame.elements(n.dst).size == self.frame.array(other).size:
                self.newer.discard(device)
        self.outside()

    def flush(self) -> None:
        """Copy home what is newer on the device."""
        self.between()
        for device in sorted(self.newer):
            home = self.frame.array(self.home[device])
            if not home.flags.writeable:
                raise InternalError(f"{self.home[device]} is read-only, and the device wrote its mirror {device}")
            home[...] = self.frame.array(device)
        self.newer.clear()
