"""What the functions of a file gather: raises, callbacks, imports, headers, kernels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from soljit.base.place import Loc
from soljit.base.records import dataclass
from soljit.codegen.source import CallbackEntry, Features, Kernel, RaiseEntry, Timed
from soljit.codegen.writing.writer import Writer
from soljit.ir.core.nodes import Call, Program
from soljit.ir.core.types import DType
from soljit.ir.walk import walk

STREAMS = 4  # in a frame, see frame.h
HEADER_ORDER = (
    "look",
    "real",
    "special",
    "half",
    "complex",
    "floats",
    "vector",
    "reduce",
    "blas_threads",
    "blas",
    "routines",
    "draws",
    "shuffles",
    "openmp",
    "offload",
    "profile",
)


@dataclass
class DeviceTables:
    """The kernels of a file, and their text."""

    out: Writer
    kernels: list[Kernel] = field(default_factory=list)


@dataclass
class Nest:
    """A nest of loops in the text of a function: the names that it declares, scalars outside of it to which it adds, or the like, and its lines."""

    own: frozenset[str]
    reduced: frozenset[str]
    start: int = 0
    stop: int = 0


@dataclass
class Tables:
    """What the functions of one file share."""

    fp: str
    features: Features
    functions: Mapping[str, Program]
    early: frozenset[int] = frozenset()  # limits before everything that a caller could see: `repeatable.early_limits`
    raises: list[RaiseEntry] = field(default_factory=list)
    callbacks: list[CallbackEntry] = field(default_factory=list)
    calls: list[Loc] = field(
        default_factory=list
    )  # of functions of the program that do not call back: what an exception goes through
    imports: dict[str, int] = field(default_factory=dict)
    streams: dict[str, int] = field(default_factory=dict)
    headers: set[str] = field(default_factory=set)
    products: set[str] = field(default_factory=set)  # C++ types of products that are compiled once for all programs
    vector_math: dict[str, str] = field(default_factory=dict)  # C++ name → definition
    nests: dict[str, tuple[str, list[str]]] = field(default_factory=dict)  # text → C++ function and its lines
    openmp: bool = False
    function_names: dict[str, str] = field(default_factory=dict)  # program function → C++ function
    device: DeviceTables | None = None
    device_libraries: set[str] = field(default_factory=set)
    main: Program | None = None  # the function that is compiled
    places: list[Timed] | None = None  # whose times are taken; None: no times are
    _numbers: dict[tuple[RaiseEntry, tuple[Loc, ...]], int] = field(default_factory=dict)  # of raises

    _reached: dict[str, set[str]] = field(default_factory=dict)

    def slot(self, name: str) -> int:
        """Number of the import `name`."""
        return self.imports.setdefault(name, len(self.imports))

    def blas_threads(self) -> str:
        """What kernels share about the threads of NumPy's BLAS, as an expression."""
        self.headers.add("blas_threads")
        return f"sol_slots[{self.slot('shared:blas_threads')}]"

    def stream(self, generator: str) -> int:
        """Number of the stream that draws from what this C++ expression gives; there are few, and several expressions may share one."""
        return self.streams.setdefault(generator, len(self.streams) % STREAMS)

    def raising(
        self, exception: str, message: str | None, operands: tuple[DType, ...], loc: Loc, again: bool = False
    ) -> int:
        """Number of a raise; equal ones that are reached by the same calls share it."""
        entry = RaiseEntry(exception, message, operands, loc, again)
        number = self._numbers.setdefault((entry, loc.chain()), len(self.raises))
        if number == len(self.raises):
            self.raises.append(entry)
        return number

    def reached(self, function: str) -> set[str]:
        """The functions that this one calls, directly or not."""
        if function not in self._reached:
            found: set[str] = set()
            todo = [self.functions[function]]
            while todo:
                names = {n.function for n in walk(todo.pop().body) if isinstance(n, Call)} - found
                found |= names
                todo += [self.functions[n] for n in names]
            self._reached[function] = found
        return self._reached[function]

    def uses(self, t: DType) -> None:
        """Remember the header that an element type needs."""
        if t.name == "f16":
            self.headers |= {"half", "real"}
        elif t.is_complex:
            self.headers |= {"complex", "real"}
        elif t.is_float:
            self.headers.add("real")
