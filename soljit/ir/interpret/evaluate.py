"""The meaning of expressions on NumPy scalars, and of memlets as NumPy views.

A `Frame` holds what names stand for while a program is interpreted: symbols are NumPy scalars, containers are arrays (a
mutable `Scalar` is one with no dimensions). A `View` is looked up anew each time, for what it looks at may be rebound.
Everything that the IR promises is checked: subscripts in bounds, values of the type that the expression names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from soljit.base.errors import InternalError
from soljit.ir.core.data import Array, Data, Ref, Scalar, View
from soljit.ir.core.expr import Cast, Const, Expr, Extent, Load, Memlet, Op, Range, Stride, Sym
from soljit.ir.core.ops import OPS
from soljit.ir.core.types import DType
from soljit.ir.text.spelling import spell

NDArray = npt.NDArray[Any]
Evaluator = Callable[[], Any]  # gives a NumPy scalar


class Frame:
    """Names and their present values in one activation of a program."""

    def __init__(self, data: Mapping[str, Data]) -> None:
        self.data = data
        self.symbols: dict[str, Any] = {}  # NumPy scalars
        self.memory: dict[str, NDArray] = {}
        self.foreign: frozenset[str] = (
            frozenset()
        )  # containers of the other memory: of the device in host code, or vice versa
        self.compiled: dict[int, tuple[Expr, Evaluator]] = {}  # by identity, which the expression itself keeps alive

    # --- expressions ---

    def eval(self, e: Expr) -> Any:  # a NumPy scalar of e.dtype
        """The value of an expression now."""
        known = self.compiled.get(id(e))
        if known is None:
            known = self.compiled[id(e)] = (e, self.compile(e))
        return known[1]()

    def compile(self, e: Expr) -> Evaluator:
        """A function that evaluates `e`; each expression is taken apart only once."""
        match e:
            case Const():
                constant = e.dtype.numpy.type(e.value)
                return lambda: constant
            case Sym():
                return self.checked(e, self.symbol(e.name))
            case Load():
                return self.checked(e, self.load(e.memlet))
            case Op():
                return self.checked(e, self.operation(e))
            case Cast():
                arg, dtype = self.compile(e.arg), e.dtype
                return lambda: convert(arg(), dtype)
            case Extent():
                name, dim = e.data, e.dim
                return lambda: np.int64(0 if self.unbound(name) else self.anywhere(name).shape[dim])
            case Stride():
                name, dim = e.data, e.dim
                return lambda: np.int64(
                    0 if self.unbound(name) else (a := self.anywhere(name)).strides[dim] // a.itemsize
                )
            case _:
                raise InternalError(f"unknown expression {e!r}")

    def checked(self, e: Expr, evaluate: Evaluator) -> Evaluator:
        """`evaluate`, whose value must have the type that the expression names."""
        dtype = e.dtype.numpy

        def run() -> Any:  # a NumPy scalar
            value = evaluate()
            if value.dtype != dtype:
                raise InternalError(f"{spell(e)} is declared {dtype} but has the type {value.dtype}")
            return value

        return run

    def symbol(self, name: str) -> Evaluator:
        symbols = self.symbols

        def run() -> Any:  # a NumPy scalar
            if name not in symbols:
                raise InternalError(f"symbol {name} has no value here")
            return symbols[name]

        return run

    def operation(self, e: Op) -> Evaluator:
        args = [self.compile(a) for a in e.args]
        match e.name, args:
            case "select", [test, yes, no]:
                return lambda: yes() if test() else no()
            case "land", [a, b]:
                return lambda: np.bool_(a() and b())
            case "lor", [a, b]:
                return lambda: np.bool_(a() or b())
        evaluate = OPS[e.name].evaluate
        match args:
            case [a]:
                return lambda: evaluate(a())
            case [a, b]:
                return lambda: evaluate(a(), b())
            case _:
                return lambda: evaluate(*[a() for a in args])

    def load(self, m: Memlet) -> Evaluator:
        """The value of one element."""
        subscripts = [self.compile(s) for s in m.subset if not isinstance(s, Range)]

        def run() -> Any:  # a NumPy scalar
            a = self.array(m.data)
            k = tuple([int(s()) for s in subscripts])
            if len(k) != a.ndim or not all(0 <= i < n for i, n in zip(k, a.shape)):
                return self.element(m)[()]  # which says what is wrong
            return a[k]

        return run

    def index(self, e: Expr) -> int:
        """The value of a size or subscript."""
        return int(self.eval(e))

    def span(self, r: Range) -> range:
        """A range as Python's."""
        return range(self.index(r.start), self.index(r.stop), self.index(r.step))

    # --- memory ---

    def unbound(self, name: str) -> bool:
        """Tell whether this is an array variable that has no memory yet. It has no extent: passes may ask for that before it is needed."""
        return name not in self.memory and isinstance(self.data.get(name), Ref)

    def array(self, name: str) -> NDArray:
        """What a container stands for now; it must lie in the memory that the running code can touch."""
        if name in self.foreign:
            raise InternalError(f"{name} is memory that cannot be touched from here")
        return self.anywhere(name)

    def anywhere(self, name: str) -> NDArray:
        """What a container stands for now, wherever that is: for lengths and strides."""
        if name in self.memory:
            return self.memory[name]
        d = self.data.get(name)
        match d:
            case Scalar():
                return self.memory.setdefault(name, poisoned(d.dtype, ()))
            case View():
                shape = tuple(map(self.index, d.shape))
                strides = tuple(map(self.index, d.strides))
                return viewed(self.anywhere(d.of), d.dtype, self.index(d.offset), shape, strides)
            case Array(storage="register"):
                return self.memory.setdefault(name, self.allocate(d, zero=False))
            case Array() | Ref():
                raise InternalError(f"{name} is used before it is {'bound' if isinstance(d, Ref) else 'allocated'}")
            case _:
                raise InternalError(f"{name} is not declared")

    def allocate(self, d: Array, zero: bool) -> NDArray:
        """Fresh memory for an array: zeros or poison."""
        shape = tuple(map(self.index, d.shape))
        if any(n < 0 for n in shape):
            raise InternalError(f"an array with lengths {shape} cannot be allocated")
        if d.strides is None:
            return np.zeros(shape, d.dtype.numpy) if zero else poisoned(d.dtype, shape)
        strides = tuple(map(self.index, d.strides))
        steps = [(n - 1) * s for n, s in zip(shape, strides)] if 0 not in shape else []
        first = -sum(k for k in steps if k < 0)  # mirrors of arguments may run backwards
        size = 1 + first + sum(k for k in steps if k > 0) if 0 not in shape else 0
        flat = np.zeros(size, d.dtype.numpy) if zero else poisoned(d.dtype, (size,))
        return viewed(flat, d.dtype, first if size else 0, shape, strides)

    def element(self, m: Memlet) -> NDArray:
        """One element, as an array without dimensions that shares the memory."""
        a = self.array(m.data)
        if len(m.subset) != a.ndim:
            raise InternalError(f"{spell(m)} has {len(m.subset)} subscripts but {m.data} has {a.ndim} dimensions")
        index: list[Any] = []
        for s, n in zip(m.subset, a.shape):
            if isinstance(s, Range):
                raise InternalError(f"{spell(m)} is not one element")
            k = self.index(s)
            if not 0 <= k < n:
                raise InternalError(f"{spell(m)}: subscript {k} is out of bounds for length {n}")
            index.append(k)
        one: NDArray = a[tuple(index + [...])]
        return one

    def elements(self, m: Memlet) -> NDArray:
        """What a memlet walks, as an array that shares the memory."""
        a = self.array(m.data)
        if len(m.subset) != a.ndim:
            raise InternalError(f"{spell(m)} has {len(m.subset)} subscripts but {m.data} has {a.ndim} dimensions")
        index: list[Any] = []
        for s, n in zip(m.subset, a.shape):
            span = self.span(s) if isinstance(s, Range) else range(k := self.index(s), k + 1)
            if len(span) and not (0 <= span[0] < n and 0 <= span[-1] < n):
                raise InternalError(f"{spell(m)}: {span} is out of bounds for length {n}")
            index.append(_slice(span) if isinstance(s, Range) else span[0])
        walked: NDArray = a[tuple(index + [...])]
        if m.axes is None:
            return walked
        ranged = [k for k, s in enumerate(m.subset) if isinstance(s, Range)]
        order = [ranged.index(k) for k in m.axes if k >= 0]
        out: NDArray = walked.transpose(order)[tuple(None if k < 0 else slice(None) for k in m.axes)]
        return out


def _slice(span: range) -> slice:
    """Python's slice that takes exactly these elements."""
    if not span:
        return slice(0, 0)
    stop = span[-1] + (1 if span.step > 0 else -1)
    return slice(span[0], stop if stop >= 0 else None, span.step)


def convert(value: Any, dtype: DType) -> Any:  # NumPy scalars
    """NumPy's conversion; a complex number that becomes real loses its imaginary part."""
    if value.dtype.kind == "c" and dtype.kind in "iuf":
        value = value.real
    return value.astype(dtype.numpy)


def poisoned(dtype: DType, shape: tuple[int, ...]) -> NDArray:
    """Memory that nobody may rely on: NaN, or integers that no test computes by chance."""
    match dtype.kind:
        case "b":
            return np.ones(shape, dtype.numpy)
        case "f" | "c":
            return np.full(shape, np.nan, dtype.numpy)
        case _:
            return np.full(shape, dtype.highest // 3 * 2 + 1, dtype.numpy)


class _Window:
    """Memory described to NumPy: any strides, any offset, kept alive by `owner`."""

    def __init__(self, owner: NDArray, t: np.dtype[Any], offset: int, shape: tuple[int, ...], strides: tuple[int, ...]):
        self.owner = owner
        self.__array_interface__ = {
            "version": 3,
            "typestr": t.str,
            "data": (owner.__array_interface__["data"][0] + offset * t.itemsize, not owner.flags.writeable),
            "shape": shape,
            "strides": tuple(s * t.itemsize for s in strides),
        }


def viewed(a: NDArray, dtype: DType, offset: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> NDArray:
    """The memory from the first element of `a` on, looked at with another type, offset and strides (in elements)."""
    return np.asarray(_Window(a, dtype.numpy, offset, shape, strides))
