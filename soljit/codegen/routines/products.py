"""Products through `blas.h`: NumPy's own BLAS for the types it knows, loops for the others.

A vector is a matrix with one row or column; whatever a product needs besides its operands (alpha, beta, which triangle of the
output is wanted) is an argument, so that one call serves all.
"""

from __future__ import annotations

from soljit.codegen.memory.windows import Window
from soljit.codegen.spelling.types import cpp_type
from soljit.codegen.writing.context import Context
from soljit.codegen.writing.text import PRODUCT, Text
from soljit.ir.core.types import DType

_LETTER = {"f32": "s", "f64": "d", "c64": "c", "c128": "z"}
_TRIANGLE = {"": "0", "lower": "SOL_LOWER", "upper": "SOL_UPPER"}


def routines(cx: Context, t: DType) -> str:
    """The addresses of gemm, gemv, dot and syrk for a type, and of the number of threads, as an initializer."""
    letter = _LETTER[t.name]
    dot = f"cblas_{letter}dot" + ("u_sub" if letter in "cz" else "")
    names = [f"blas:{f}" for f in (f"cblas_{letter}gemm", f"cblas_{letter}gemv", dot, f"cblas_{letter}syrk")]
    return (
        "sol_blas{" + ", ".join([*(f"sol_slots[{cx.tables.slot(f)}]" for f in names), cx.tables.blas_threads()]) + "}"
    )


def emit_product(cx: Context, a: Window, b: Window, out: Window, scales: list[Text], triangle: str) -> None:
    """`out = alpha * (a @ b) + beta * out`; `out` of two vectors is the window of one element."""
    t = a.dtype
    kind = cpp_type(t)
    cx.tables.headers.add("blas")
    cx.tables.uses(t)
    left = _matrix(a, True, f"const {kind}")
    right = _matrix(b, False, f"const {kind}")
    target = _target(a, b, out, kind)
    alpha, beta = scales or (Text(f"{kind}{{}}"), Text(f"{kind}{{}}"))
    factors = f"{{{alpha}, {beta}, {'false' if scales else 'true'}}}"
    if t.name in _LETTER and not scales:
        one = f"{kind}{{1, 0}}" if t.is_complex else "1"
        factors = f"{{{one}, {kind}{{}}, true}}"
    first, last = [left, right, target, factors], [_TRIANGLE[triangle]]
    if t.name in _LETTER and cx.tables.features.blas:
        cx.tables.products.add(kind)
        first.insert(0, routines(cx, t))
        function = "sol_matmul_triangle" if triangle else "sol_matmul"
        last = last if triangle else []
    else:
        function = "sol_product_simple" if t.name in _LETTER else "sol_product_loops"
    cx.out.line(f"{function}<{kind}>({', '.join(first + last)});")


def compiled_once(kind: str) -> str:
    """The text of the products of a type, in C++: compiled once, and linked to all programs that have such products."""
    headers = ["prelude", "real", *(["complex"] if kind.startswith("sol_c") else []), "blas"]
    return "".join(f'#include "soljit/{h}.h"\n' for h in headers) + f"SOL_PRODUCTS_HERE({kind})\n"


def _matrix(w: Window, row: bool, kind: str) -> str:
    """An operand as a matrix: a vector is a row on the left and a column on the right."""
    if len(w.lengths) == 2:
        sizes = [*w.lengths, *w.strides]
    elif row:
        sizes = [
            Text("1"),
            w.lengths[0],
            Text(f"{w.lengths[0].at(PRODUCT)} * {w.strides[0].at(PRODUCT + 1)}"),
            w.strides[0],
        ]
    else:
        sizes = [w.lengths[0], Text("1"), w.strides[0], Text("1")]
    return f"sol_matrix<{kind}>{{{w.first}, {', '.join(map(str, sizes))}}}"


def _target(a: Window, b: Window, out: Window, kind: str) -> str:
    rows = a.lengths[0] if len(a.lengths) == 2 else Text("1")
    columns = b.lengths[1] if len(b.lengths) == 2 else Text("1")
    strides = list(out.strides)
    down = strides.pop(0) if len(a.lengths) == 2 else columns
    right = strides.pop(0) if len(b.lengths) == 2 else Text("1")
    return f"sol_matrix<{kind}>{{{out.first}, {rows}, {columns}, {down}, {right}}}"
