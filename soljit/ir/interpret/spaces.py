"""Which memory a run may touch now, and which mirrors of arguments are newer than the arguments."""

from __future__ import annotations

import numpy as np

from soljit.base.errors import InternalError
from soljit.ir.core.data import Ref
from soljit.ir.core.nodes import Copy, LibraryNode, Map, Program
from soljit.ir.interpret.evaluate import Frame
from soljit.ir.walk import memlets_written, walk
from soljit.ir.walk.spaces import DEVICE, HOST, base_of, mirrors, storage_of


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
