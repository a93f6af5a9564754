"""What is known of one function while it is written. What is gathered for its file is in `tables.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Protocol

from soljit.analysis.cost.looks import Looks
from soljit.analysis.device.needed_barriers import Touch
from soljit.analysis.explain.lines import Lines
from soljit.base.errors import InternalError
from soljit.base.records import dataclass
from soljit.codegen.writing.names import Names
from soljit.codegen.writing.tables import Nest, Tables
from soljit.codegen.writing.text import Text
from soljit.codegen.writing.writer import Writer
from soljit.ir.core.data import Data, View
from soljit.ir.core.expr import Expr, Memlet
from soljit.ir.core.nodes import Program


class Places(Protocol):
    """Where containers live: what expressions ask (`Memory` of `memory/containers.py` answers)."""

    def element(self, m: Memlet) -> Text: ...

    def extent(self, data: str, dim: int) -> Text: ...

    def stride(self, data: str, dim: int) -> Text: ...


@dataclass(frozen=True)
class Accumulator:
    """What stands for element `target` of a container while a map reduces into it.

    kind: "variable" (a local to combine with), "count" (a local to which truth values are added), "slot" (written once an iteration)
          or "push" (a cascade that takes partial sums).
    """

    target: Memlet
    kind: str
    text: str


@dataclass
class Block:
    """The block of threads that a kernel's text is about.

    threads:     how many it has; lane: the number of the own one, in C++
    own:         symbols that statements of its kernel define: iterations of a map have different values for them
    rank, ranks: of the blocks of a cluster the number of the own thread among all, and how many there are; "" if the block is alone
    touched:     what the threads have touched of the memory that they share, and have not met since
    """

    threads: int
    lane: str
    own: frozenset[str] = frozenset()
    rank: str = ""
    ranks: str = ""
    touched: tuple[Touch, ...] = ()


@dataclass
class Context:
    """One function being written.

    escaping:     containers whose memory may outlive their scope
    exit_label:   inside a parallel region: how to leave it when memory runs out, because one cannot return from there
    looks:        which loops look for signals; left: operations to the next look, in C++; leave: inside a parallel region, where to go to leave it when one
                  was found; thread: the number of the thread, in C++, of the outermost region ("": none)
    in_map:       inside a Map: of two spellings with the same bits the one for lanes of vectors is used
    in_loop:      inside a Loop or While of the function
    in_kernel:    the text is for the device
    block:        in a kernel whose iterations are blocks, outside of its block maps: what waits for a barrier (`device/blocks_of_threads.py`)
    atomic:       arrays to which threads of a kernel add at the same time
    timed:        the place whose time is taken, in C++ ("": none); place: the number of the place around what is written (-1: none);
                  merged: loops (by id) that are one place with the loop around them; lines: the statements under loops (`loops/profile.py`)
    nests:        nests of loops that could be functions (`loops/shared_nests.py`)
    homes:        which containers each map declares (`analysis/memory/homes.py`)
    borrowers:    array variables that have no share in the memory that they stand for
    divisors:     integers by which all turns of a loop divide: what the code calls them (`loops/divisors.py`)
    positions:    subscripts that may count from the end, put right (`memory/positions.py`)
    ready:        values that have been computed for a strip of iterations, and how they are spelled (`loops/call_strips.py`)
    accumulators: what stands for reduced elements, innermost last
    """

    program: Program
    tables: Tables
    names: Names
    out: Writer
    escaping: frozenset[str] = frozenset()
    places: Places = field(init=False)
    exit_label: str | None = None
    looks: Looks = field(default_factory=Looks)
    left: str = ""
    leave: str = ""
    thread: str = ""
    in_map: int = 0
    in_loop: int = 0
    in_kernel: bool = False
    block: Block | None = None
    atomic: frozenset[str] = frozenset()
    divisors: Mapping[Expr, str] = field(default_factory=dict)
    positions: Mapping[Expr, str] = field(default_factory=dict)
    ready: Mapping[Expr, str] = field(default_factory=dict)
    accumulators: list[Accumulator] = field(default_factory=list)
    homes: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    borrowers: frozenset[str] = frozenset()
    timed: str = ""
    place: int = -1
    merged: frozenset[int] = frozenset()
    lines: Lines | None = None
    nests: list[Nest] = field(default_factory=list)

    def data(self, name: str) -> Data:
        try:
            return self.program.data[name]
        except KeyError:
            raise InternalError(f"no container {name!r} in {self.program.name}") from None

    def root(self, name: str) -> str:
        """The container whose memory `name` looks at."""
        d = self.data(name)
        while isinstance(d, View):
            name = d.of
            d = self.data(name)
        return name
