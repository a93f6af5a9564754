"""Matrices through the loops of NumPy's own linear algebra: solve, inv, det, slogdet, cholesky, eigh, eigvalsh."""

from __future__ import annotations

import numpy as np
from numpy.linalg import _linalg, _umath_linalg

from soljit.frontend_ast.arrays.elementwise import cast_elements, materialize
from soljit.frontend_ast.arrays.memlets import in_window, part
from soljit.frontend_ast.arrays.operands import as_array
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements
from soljit.frontend_ast.lowering.static_values import static_of
from soljit.frontend_ast.values.values import Arr, Array, Num, Tup, Value
from soljit.frontend_ast.views.numpy_arguments import flag_of, given
from soljit.ir.core import nodes
from soljit.ir.core.expr import Expr, Memlet
from soljit.ir.core.libraries import core_dimensions
from soljit.ir.core.types import DType, b1, c64, c128, f16, f32, f64
from soljit.support.numpy_routines import routine

_SINGULAR = "Singular matrix"
_CHARS = {"d": f64, "D": c128}


def _matrix(cx: Lowering, v: Value) -> Array:
    """A square matrix. Stacks, and what raises an exception, are left to NumPy."""
    a = as_array(cx, v)
    if a.ndim != 2 or a.dtype is f16 or cx.same_size(*a.shape) is not True:
        raise cx.unsupported("linear algebra of something else than one square matrix")
    return a


def _types(*arrays: Array) -> tuple[DType, DType]:
    """In which type NumPy computes, and of which type the result is."""
    single = all(a.dtype in (f32, c64) for a in arrays)
    if any(a.dtype.is_complex for a in arrays):
        return c128, c64 if single else c128
    return f64, f32 if single else f64


def _call(cx: Lowering, name: str, operands: list[Array], t: DType, error: str = "") -> list[Num | Arr]:
    """The results of a generalized ufunc; `error`: LinAlgError with this text if there is none."""
    ufunc: np.ufunc | None = getattr(_umath_linalg, name, None)
    chars = t.numpy.char * len(operands)
    types = next((s for s in ufunc.types if s.startswith(f"{chars}->")), "") if ufunc is not None else ""
    dotted = f"{_umath_linalg.__name__}.{name}"
    if ufunc is None or not types or not routine(f"loop:{dotted}:{types}"):
        raise cx.unsupported(f"np.linalg with another {name} than NumPy's own")
    signature = str(ufunc.signature)
    ins = [in_window(cx, cast_elements(a, t)) for a in operands]
    cores = core_dimensions(signature)
    lengths: dict[str, Expr] = {}
    for (a, _), core in zip(ins, cores):
        lengths |= zip(core, a.shape)
    outs: list[Memlet] = []
    arrays: list[Arr | None] = []
    for char, core in zip(types.partition("->")[2], cores[len(ins) :]):
        out = cx.alloc(_CHARS[char], [lengths[n] for n in core], hint=name) if core else None
        arrays.append(out)
        outs.append(Memlet(cx.scalar(_CHARS[char], name)) if out is None else part(out, {}))
    ok = cx.scalar(b1, "ok")
    attrs = {"function": dotted, "types": types, "signature": signature}
    cx.emit(nodes.LibraryNode("loop", (*outs, Memlet(ok)), tuple(w for _, w in ins), attrs))
    if error:
        cx.check(cx.read(ok), "numpy.linalg.LinAlgError", error)
    return [Num(cx.let(cx.read(m.data), name), False) if a is None else a for a, m in zip(arrays, outs)]


def _as(cx: Lowering, value: Num | Arr, t: DType) -> Value:
    """The result in its type, which may be smaller than that of the computation."""
    if isinstance(value, Num):
        return Num(cx.cast(value.expr, t), False)
    return materialize(cx, cast_elements(value, t))


def _real(t: DType) -> DType:
    return {c64: f32, c128: f64}.get(t, t)


@implements(np.linalg.solve, remark="of one system; stacks are called back")
def solve(cx: Lowering, a: Value, b: Value) -> Value:
    """np.linalg.solve"""
    x, y = _matrix(cx, a), as_array(cx, b)
    if y.ndim not in (1, 2) or y.dtype is f16 or cx.same_size(x.shape[0], y.shape[0]) is not True:
        raise cx.unsupported("np.linalg.solve in this form")
    t, result = _types(x, y)
    (out,) = _call(cx, "solve1" if y.ndim == 1 else "solve", [x, y], t, _SINGULAR)
    return _as(cx, out, result)


@implements(np.linalg.inv, remark="of one matrix; stacks are called back")
def inv(cx: Lowering, a: Value) -> Value:
    """np.linalg.inv"""
    x = _matrix(cx, a)
    t, result = _types(x)
    return _as(cx, _call(cx, "inv", [x], t, _SINGULAR)[0], result)


@implements(np.linalg.det, remark="of one matrix; stacks are called back")
def det(cx: Lowering, a: Value) -> Value:
    """np.linalg.det"""
    x = _matrix(cx, a)
    t, result = _types(x)
    return _as(cx, _call(cx, "det", [x], t)[0], result)


@implements(np.linalg.slogdet, remark="of one matrix; stacks are called back")
def slogdet(cx: Lowering, a: Value) -> Value:
    """np.linalg.slogdet"""
    x = _matrix(cx, a)
    t, result = _types(x)
    sign, logarithm = _call(cx, "slogdet", [x], t)
    return Tup([_as(cx, sign, result), _as(cx, logarithm, _real(result))], _linalg.SlogdetResult)


@implements(np.linalg.cholesky, remark="of one matrix; stacks are called back")
def cholesky(cx: Lowering, a: Value, /, *, upper: Value | None = None) -> Value:
    """np.linalg.cholesky"""
    x = _matrix(cx, a)
    t, result = _types(x)
    name = "cholesky_up" if flag_of(cx, upper) else "cholesky_lo"
    return _as(cx, _call(cx, name, [x], t, "Matrix is not positive definite")[0], result)


def _half(cx: Lowering, name: str, uplo: Value | None) -> str:
    which = static_of(cx, uplo) if given(uplo) else "L"
    if not isinstance(which, str) or which.upper() not in ("L", "U"):
        raise cx.unsupported(f"UPLO={which!r}")
    return f"{name}_{'lo' if which.upper() == 'L' else 'up'}"


@implements(np.linalg.eigh, remark="of one matrix; stacks are called back")
def eigh(cx: Lowering, a: Value, UPLO: Value | None = None) -> Value:  # noqa: N803
    """np.linalg.eigh"""
    x = _matrix(cx, a)
    t, result = _types(x)
    values, vectors = _call(cx, _half(cx, "eigh", UPLO), [x], t, "Eigenvalues did not converge")
    return Tup([_as(cx, values, _real(result)), _as(cx, vectors, result)], _linalg.EighResult)


@implements(np.linalg.eigvalsh, remark="of one matrix; stacks are called back")
def eigvalsh(cx: Lowering, a: Value, UPLO: Value | None = None) -> Value:  # noqa: N803
    """np.linalg.eigvalsh"""
    x = _matrix(cx, a)
    t, result = _types(x)
    (values,) = _call(cx, _half(cx, "eigvalsh", UPLO), [x], t, "Eigenvalues did not converge")
    return _as(cx, values, _real(result))
