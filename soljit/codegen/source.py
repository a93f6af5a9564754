"""What emitting yields: C++ text and the tables that go with it.

The runtime compiles `text`, fills the import slots, turns a raise's number into the Python exception and a callback's
number into the call. The tables are plain values: they are stored in the cache beside the library.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from soljit.base.place import NOWHERE, Loc
from soljit.base.records import dataclass
from soljit.ir.core.types import DType


@dataclass(frozen=True, slots=True)
class Features:
    """What the compiler and the machine offer.

    avx512:  AVX-512 (F, DQ, BW, VL) is there, NumPy's loops use it, and the compiler is told to use 512-bit vectors
    fma:     fused multiply-add is there, and NumPy's loops use it (complex products, functions of floats)
    clang:   the compiler is clang, otherwise g++
    whole_rows: NumPy's iterators fill their buffers with whole rows, and sums of what needs no buffer are not cut
    svml:    NumPy's vector math can be imported ("svml:…" slots)
    blas:    NumPy's BLAS can be imported ("blas:…" slots)
    profile: the code takes the times of its loops and calls (`loops/profile.py`)
    """

    avx512: bool = False
    fma: bool = False
    clang: bool = False
    whole_rows: bool = True
    svml: bool = True
    blas: bool = True
    profile: bool = False


@dataclass(frozen=True, slots=True)
class RaiseEntry:
    """One place that raises: the frame's `place` is its index. Operands stand in `frame.operands`, complex128 in two.

    again: it is a limit of compiled code, before everything that a caller could see: the call runs again in plain Python.
    """

    exception: str
    message: str | None
    operands: tuple[DType, ...] = ()
    loc: Loc = NOWHERE
    again: bool = False


@dataclass(frozen=True, slots=True)
class Operand:
    """One operand of a callback: "array", "scalar" or "object". Words as results of a kernel, see frame.h."""

    kind: str
    dtype: DType | None = None
    ndim: int = 0


@dataclass(frozen=True, slots=True)
class Leaf:
    """One leaf of a callback's result. kind "drop": nobody wants it, and it has no words."""

    kind: str
    dtype: DType | None = None
    ndim: int = 0
    order: str = "C"


@dataclass(frozen=True, slots=True)
class CallbackEntry:
    """One place that calls Python: `services.callback`'s `id` is its index.

    With a target "param:<name>" the first operand is that object, and {"$": k} of the templates counts from the one after.
    effects: which operands (by number, same counting) the callee may write.
    result:  what the result must be, as in `Callback` of the IR.
    """

    target: str
    args: tuple[object, ...]
    kwargs: Mapping[str, object]
    ins: tuple[Operand, ...]
    outs: tuple[Leaf, ...]
    effects: tuple[int, ...] = ()
    loc: Loc = NOWHERE
    result: object = None


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel of the device: its name, the user's place, threads of a block (outermost loop first), and what it is given."""

    name: str
    loc: Loc
    threads: tuple[int, ...]
    parameters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Timed:
    """A place of which the code takes the time (`loops/profile.py`).

    kind:  "kernel function" (the whole program), "function" (one that it calls), "within" (one whose time is that of the lines that call it), "loop",
           "library", "copy", "call" of Python, "kernel" and "transfer" of a device
    loc:   the line that it counts for; places: all whose work it holds
    name:  what is called, "" if nothing is; numpy: that is NumPy or its BLAS
    moves: the code tells how many bytes its runs move
    inside: the number of the place around it, in the same function; -1: none
    """

    kind: str
    loc: Loc
    places: tuple[Loc, ...]
    name: str = ""
    numpy: bool = False
    moves: bool = False
    inside: int = -1


@dataclass(frozen=True, slots=True)
class Source:
    """A translation unit and its tables.

    parts: texts of their own whose code the library holds, too; many programs have the same.
    device_text: the kernels, for the compiler of the device; "" if there are none. image: the number by which the library asks
    for them. device_libraries: those of the device that are called, "cublas". calls: the places of calls of functions of
    the program, by the numbers that a frame keeps of those which an exception leaves. light: it matters little how fast the code is.
    timed: places whose times are taken, by their numbers in `sol_places`.
    """

    text: str
    imports: tuple[str, ...] = ()
    raises: tuple[RaiseEntry, ...] = ()
    callbacks: tuple[CallbackEntry, ...] = ()
    needs_openmp: bool = False
    includes: tuple[str, ...] = field(default=())
    parts: tuple[str, ...] = ()
    device_text: str = ""
    kernels: tuple[Kernel, ...] = ()
    image: int = 0
    calls: tuple[Loc, ...] = ()
    light: bool = False
    device_libraries: tuple[str, ...] = ()
    timed: tuple[Timed, ...] = ()
