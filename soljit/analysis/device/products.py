"""Products of matrices that a device's cuBLAS can compute.

`why_not_product(program, n)` tells what keeps a product from it for good; `addressable(program, n, facts)` is the condition over strides and lengths
under which it can address the operands, TRUE or FALSE where that is known: of a matrix the elements of each row, or of each column, are neighbours, and
the rows (columns) lie at least their length apart; elements of vectors come forwards.
"""

from __future__ import annotations

from soljit.analysis.device.offload import why_not_container
from soljit.ir.core.data import Array, Data, Ref, View
from soljit.ir.core.expr import FALSE, ONE, TRUE, ZERO, Const, Expr, Extent, Load, Memlet, Range, subexpressions
from soljit.ir.core.nodes import LibraryNode, Program
from soljit.ir.symbolic import Facts, Linear, conj, disj, eq, equal, le, linear, mul, prod, range_length
from soljit.ir.walk.spaces import base_of, storage_of

TYPES = ("f32", "f64", "c64", "c128")
FEW = 32**3  # multiplications: up to so many, when the number is known, a kernel of its own does them


def why_not_product(program: Program, n: LibraryNode) -> str | None:
    """What keeps this product from cuBLAS, as a part of a sentence; None if nothing does, strides aside."""
    out, (a, b, *scale) = n.outs[0], n.ins
    if program.data[out.data].dtype.name not in TYPES:
        return f"it does not know the type {program.data[out.data].dtype.numpy.name}"
    if not isinstance(a, Memlet) or not isinstance(b, Memlet) or len(a.dims) == len(b.dims) == 1:
        return "an inner product of two vectors is a sum"
    if not all(isinstance(x, Const) and x.value != 0 for x in scale):
        return "its factors are not known"
    if is_small(n):
        return "it is small"
    for m in (out, a, b):
        d = program.data[base_of(program.data, m.data)]
        if storage_of(program.data, m.data) not in ("host", "cuda"):
            return f"{m.data} is not memory of the device"
        if isinstance(d, Ref) and d.order == "A":
            return f"{m.data} may stand for memory with any strides"
        if any(d.dtype.name != program.data[m.data].dtype.name for d in _around(program, m.data)):
            return f"{m.data} shows memory of another type"
        if any(isinstance(s, Range) and not _is_step(linear(s.step)) for s in m.subset):
            return f"the step in {m.data} is not known"
        if any(not _is_given(x, program) for s in m.subset for x in (s.children if isinstance(s, Range) else (s,))):
            return f"which part of {m.data} it takes stands in an array"
        if why := why_not_container(program, m.data):
            return str(why)
    return None


def _around(program: Program, name: str) -> list[Data]:
    """The container and, of a view, all that it looks at."""
    out = [d := program.data[name]]
    while isinstance(d, View):
        out.append(d := program.data[d.of])
    return out


def _is_step(step: Linear) -> bool:
    return step.is_const and step.const != 0


def _is_given(e: Expr, program: Program) -> bool:
    """Tell whether the host knows the value, without looking into an array."""
    return all(storage_of(program.data, x.memlet.data) == "" for x in subexpressions(e) if isinstance(x, Load))


def is_small(n: LibraryNode) -> bool:
    """Tell whether the lengths are known, and small."""
    a = n.ins[0]
    assert isinstance(a, Memlet)
    lengths = [*(_length(n.outs[0], k) for k in n.outs[0].dims), _length(a, a.dims[-1])]
    count = 1
    for x in map(linear, lengths):
        if not x.is_const:
            return False
        count *= x.const
    return count <= FEW


def addressable(program: Program, n: LibraryNode, facts: Facts) -> Expr:
    """Under which condition cuBLAS can address the operands."""
    return conj(*(_operand(program, m, facts) for m in (*n.outs, *n.ins) if isinstance(m, Memlet)))


def unreachable(program: Program, n: LibraryNode, facts: Facts) -> str:
    """The operand that cuBLAS is known not to address."""
    operands = [m for m in (*n.outs, *n.ins) if isinstance(m, Memlet)]
    return next((m.data for m in operands if _operand(program, m, facts) == FALSE), "")


def _operand(program: Program, m: Memlet, facts: Facts) -> Expr:
    p = _Place(m, program.data[m.data], facts)
    match m.dims:
        case (k,):
            return p.forwards(k)
        case (i, j):
            return p.matrix(i, j)
        case (s, i, j):
            return conj(p.matrix(i, j), p.apart(s) if s >= 0 else TRUE)
        case _:
            return FALSE


class _Place:
    """Where the elements of one operand lie. Axes are those of its container, -1 for an inserted one."""

    def __init__(self, m: Memlet, d: Data, facts: Facts) -> None:
        self.m, self.facts = m, facts
        self.shape: tuple[Expr, ...] = tuple(Extent(m.data, k) for k in range(d.ndim)) if isinstance(d, Ref) else ()
        given: tuple[Expr, ...] | None = None
        if isinstance(d, (Array, View)):
            self.shape, given = d.shape, d.strides
        elif isinstance(d, Ref) and d.order == "F":
            given = tuple(prod(self.shape[:k]) for k in range(d.ndim))
        in_order = tuple(prod(self.shape[k + 1 :]) for k in range(len(self.shape)))
        self.strides = in_order if given is None else given
        self.fastest = _fastest(self.shape, self.strides)

    def step(self, axis: int) -> Expr:
        """From one element to the next."""
        s = self.m.subset[axis] if axis >= 0 else None
        return mul(s.step, self.strides[axis]) if isinstance(s, Range) else ZERO

    def matrix(self, i: int, j: int) -> Expr:
        by_rows = conj(self._one(j), self._ahead(i, j))
        by_columns = conj(self._one(i), self._ahead(j, i))
        return TRUE if TRUE in (by_rows, by_columns) else disj(by_rows, by_columns)

    def forwards(self, axis: int) -> Expr:
        """Tell whether the dimension runs forwards in memory."""
        if axis < 0 or (self.fastest is not None and self._by(axis) > 0):
            return TRUE  # there is no element, or the strides are products of lengths that are not 0
        return self._decided(le(ONE, self.step(axis)))

    def apart(self, axis: int) -> Expr:
        """The same for the matrices of a stack, which all may be the same one."""
        return self.forwards(axis) if linear(self.step(axis)).terms else self._decided(le(ZERO, self.step(axis)))

    def _one(self, axis: int) -> Expr:
        """Tell whether the elements are neighbours."""
        return TRUE if self._is_short(axis) else self._decided(eq(self.step(axis), ONE))

    def _ahead(self, axis: int, inner: int) -> Expr:
        """Tell whether a step along `axis` goes at least as far as there are elements along `inner`."""
        if self._is_short(axis):
            return TRUE
        known = self.fastest is not None and self._by(axis) > 0
        if known and (inner < 0 or (inner == self.fastest and self._by(inner) == 1)):
            return TRUE
        lengths = [_length(self.m, inner), *([self.shape[inner]] if inner >= 0 and self._by(inner) == 1 else [])]
        if any(self.facts.holds(le(n, self.step(axis))) for n in lengths):
            return TRUE
        return self._decided(le(self.facts.simplify(lengths[0]), self.step(axis)))

    def _is_short(self, axis: int) -> bool:
        """Tell whether there is one element at most."""
        return axis < 0 or self.facts.holds(le(_length(self.m, axis), ONE))

    def _by(self, axis: int) -> int:
        """The step of the range, 0 if it is unknown."""
        s = self.m.subset[axis]
        step = linear(s.step) if isinstance(s, Range) else linear(ZERO)
        return int(step.const) if step.is_const else 0

    def _decided(self, condition: Expr) -> Expr:
        known = self.facts.prove(condition)
        return condition if known is None else TRUE if known else FALSE


def _fastest(shape: tuple[Expr, ...], strides: tuple[Expr, ...]) -> int | None:
    """The axis along which elements are neighbours, if the memory is contiguous in C or Fortran order."""
    if all(equal(s, prod(shape[k + 1 :])) for k, s in enumerate(strides)):
        return len(shape) - 1
    return 0 if all(equal(s, prod(shape[:k])) for k, s in enumerate(strides)) else None


def _length(m: Memlet, axis: int) -> Expr:
    s = m.subset[axis] if axis >= 0 else None
    return range_length(s) if isinstance(s, Range) else ONE
