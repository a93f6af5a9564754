"""Containers: what a program's names stand for in memory.

Lengths, strides and offsets are counted in elements of the container's own dtype and are `Expr`s over symbols.
"""

from __future__ import annotations

from soljit.base.records import dataclass
from soljit.ir.core.expr import Expr
from soljit.ir.core.types import DType


@dataclass(frozen=True, slots=True)
class Scalar:
    """A mutable local variable of one element. Uninitialised until first written. Lives where first written."""

    dtype: DType


@dataclass(frozen=True, slots=True)
class Array:
    """A block of memory: an argument (`transient=False`) or a temporary made by an `Alloc` node.

    strides: None means C order; otherwise one expression a dimension (Fortran order spelled out, too).
    storage: "host", "register" (small, constant shape, on the stack, needs no Alloc), "cuda" (memory of the device),
             "shared" (memory of one block of threads: private to a kernel).
    mirror:  of device memory: the host Array or Scalar that it stands for, of the same dtype, shape and strides. Copies between
             the two are transfers.
    alias:   arguments with the same group name may overlap in memory; None overlaps nothing.
    writable: False for a read-only argument (the front end makes writing it raise).
    aligned: data and strides are multiples of the element size (always true for what soljit allocates).
    """

    dtype: DType
    shape: tuple[Expr, ...]
    strides: tuple[Expr, ...] | None = None
    storage: str = "host"
    transient: bool = True
    alias: str | None = None
    writable: bool = True
    mirror: str | None = None


@dataclass(frozen=True, slots=True)
class View:
    """Another way to look at the memory of container `of`: reshape, `.real`, `.view(dtype)`, a diagonal.

    Element (i, j, …) lies at `offset + i*strides[0] + j*strides[1] + …`, counted in elements of **this** dtype from
    the first element of `of`. Slices and transposes need no View: memlets express them.
    """

    of: str
    dtype: DType
    offset: Expr
    shape: tuple[Expr, ...]
    strides: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Ref:
    """An array variable that is bound to memory at run time by `Bind` or `Callback`, and can be bound again.

    order:  "C" or "F": whatever is bound is contiguous in that order; "A": strides are known only at run time.
    Its lengths are read with `Extent(name, d)`, its strides with `Stride(name, d)`; both change at a `Bind`, so the
    front end keeps them in `Let` symbols. A Ref shares ownership of what it is bound to.
    alias:  the containers it may be bound to (names), for alias analysis.
    storage: "host" or "cuda": where all that it is bound to lies.
    mirror: of a Ref of device memory: the host Ref that it stands for. Both are always bound together, to the same part of a
            container and of its mirror.
    A Ref of `obj` without dimensions holds a Python object, which it keeps alive; alias: arrays that the object may hold.
    """

    dtype: DType
    ndim: int
    order: str = "C"
    alias: tuple[str, ...] = ()
    storage: str = "host"
    mirror: str | None = None


Data = Scalar | Array | View | Ref
