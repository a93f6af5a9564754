"""What emitting one function needs to know, and what emitting a file gathers.

`Tables` belong to the file: raises, callbacks, imports, headers. `Context` belongs to one function of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from soljit.base.errors import InternalError
from soljit.base.place import Loc
from soljit.codegen.source import CallbackEntry, Features, Kernel, RaiseEntry
from soljit.codegen.writing.names import Names
from soljit.codegen.writing.text import Text
from soljit.codegen.writing.writer import Writer
from soljit.ir.core.data import Data, View
from soljit.ir.core.expr import Expr, Memlet
from soljit.ir.core.nodes import Program
from soljit.ir.core.types import DType

CPP_TYPES = {
    "b1": "bool",
    "f16": "sol_f16",
    "f32": "float",
    "f64": "double",
    "c64": "sol_c64",
    "c128": "sol_c128",
    "obj": "void",  # a Ref holds a pointer to it
} | {f"{k}{n}": f"{p}int{n}_t" for k, p in (("i", ""), ("u", "u")) for n in (8, 16, 32, 64)}

STREAMS = 4  # in a frame, see frame.h
HEADER_ORDER = (
    "real",
    "special",
    "half",
    "complex",
    "floats",
    "vector",
    "reduce",
    "blas",
    "routines",
    "draws",
    "shuffles",
    "openmp",
    "offload",
)


def cpp_type(t: DType) -> str:
    """The C++ type of an element."""
    return CPP_TYPES[t.name]


@dataclass
class DeviceTables:
    """The kernels of a file, and their text."""

    out: Writer
    kernels: list[Kernel] = field(default_factory=list)


@dataclass
class Tables:
    """What the functions of one file share."""

    fp: str
    features: Features
    functions: Mapping[str, Program]
    early: frozenset[int] = frozenset()  # limits before everything that a caller could see: `repeatable.early_limits`
    raises: list[RaiseEntry] = field(default_factory=list)
    callbacks: list[CallbackEntry] = field(default_factory=list)
    imports: dict[str, int] = field(default_factory=dict)
    streams: dict[str, int] = field(default_factory=dict)
    headers: set[str] = field(default_factory=set)
    vector_math: dict[str, str] = field(default_factory=dict)  # C++ name → definition
    openmp: bool = False
    function_names: dict[str, str] = field(default_factory=dict)  # program function → C++ function
    device: DeviceTables | None = None
    device_libraries: set[str] = field(default_factory=set)

    def slot(self, name: str) -> int:
        """Number of the import `name`."""
        return self.imports.setdefault(name, len(self.imports))

    def stream(self, generator: str) -> int:
        """Number of the stream that draws from what this C++ expression gives; there are few, and several expressions may share one."""
        return self.streams.setdefault(generator, len(self.streams) % STREAMS)

    def raising(
        self, exception: str, message: str | None, operands: tuple[DType, ...], loc: Loc, again: bool = False
    ) -> int:
        """Number of a raise; equal ones that are reached by the same calls share it."""
        entry = RaiseEntry(exception, message, operands, loc, again)
        for k, known in enumerate(self.raises):
            if known == entry and known.loc.chain() == loc.chain():
                return k
        self.raises.append(entry)
        return len(self.raises) - 1

    def uses(self, t: DType) -> None:
        """Remember the header that an element type needs."""
        if t.name == "f16":
            self.headers |= {"half", "real"}
        elif t.is_complex:
            self.headers |= {"complex", "real"}
        elif t.is_float:
            self.headers.add("real")


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
class Pending:
    """What the threads of a block have touched since they met at a barrier: containers of memory that they share.

    by_all: by several threads; by_first: by the first one alone; `threads`: how many there are; `lane`: the number of the own one, in C++
    """

    threads: int
    lane: str
    read_by_all: set[str] = field(default_factory=set)
    written_by_all: set[str] = field(default_factory=set)
    read_by_first: set[str] = field(default_factory=set)
    written_by_first: set[str] = field(default_factory=set)


@dataclass
class Context:
    """One function being written.

    escaping:     containers whose memory may outlive their scope
    exit_label:   inside a parallel region: how to leave it when memory runs out, because one cannot return from there
    in_map:       inside a Map: of two spellings with the same bits the one for lanes of vectors is used
    in_kernel:    the text is for the device
    block:        in a kernel whose iterations are blocks, outside of its block maps: what waits for a barrier (`device/blocks_of_threads.py`)
    atomic:       arrays to which threads of a kernel add at the same time
    homes:        which containers each map declares (`analysis/memory/homes.py`)
    divisors:     integers by which all turns of a loop divide: what the code calls them (`loops/divisors.py`)
    positions:    subscripts that may count from the end, put right (`memory/positions.py`)
    accumulators: what stands for reduced elements, innermost last
    """

    program: Program
    tables: Tables
    names: Names
    out: Writer
    escaping: frozenset[str] = frozenset()
    places: Places = field(init=False)
    exit_label: str | None = None
    in_map: int = 0
    in_kernel: bool = False
    block: Pending | None = None
    atomic: frozenset[str] = frozenset()
    divisors: Mapping[Expr, str] = field(default_factory=dict)
    positions: Mapping[Expr, str] = field(default_factory=dict)
    accumulators: list[Accumulator] = field(default_factory=list)
    homes: Mapping[int, tuple[str, ...]] = field(default_factory=dict)

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
