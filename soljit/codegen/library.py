"""Library nodes: products of matrices and vectors, by NumPy's own BLAS or by loops."""

from __future__ import annotations

from soljit.base.errors import InternalError
from soljit.codegen import products
from soljit.codegen.combine import combined
from soljit.codegen.context import Context, cpp_type
from soljit.codegen.expressions import value
from soljit.codegen.memory import Window, memory_of
from soljit.codegen.text import Text
from soljit.ir.expr import Expr, Memlet
from soljit.ir.nodes import LibraryNode


def emit_library(cx: Context, n: LibraryNode) -> None:
    """One library node."""
    match n.op:
        case "matmul":
            _matmul(cx, n)
        case "ger":
            _ger(cx, n)
        case _:
            raise InternalError(f"unknown library operation {n.op!r}")


def _operand(cx: Context, m: Memlet | Expr) -> Window:
    assert isinstance(m, Memlet)
    return memory_of(cx).window(m)


def _scalar(cx: Context, m: Memlet | Expr) -> Text:
    return memory_of(cx).element(m) if isinstance(m, Memlet) else value(cx, m)


def _matmul(cx: Context, n: LibraryNode) -> None:
    a, b = _operand(cx, n.ins[0]), _operand(cx, n.ins[1])
    out = n.outs[0]
    target = _operand(cx, out)
    cx.tables.uses(a.dtype)
    scales = [_scalar(cx, x) for x in n.ins[2:]]
    if products.has_routines(a.dtype) and not scales and not n.attrs.get("triangle"):
        products.emit_product(cx, a, b, target, str(memory_of(cx).element(out)) if not target.lengths else "", n.loc)
        return
    with cx.out.block():
        product_loops(cx, a, b, target, scales, str(n.attrs.get("triangle", "")), str(memory_of(cx).element(out)))


def product_loops(
    cx: Context, a: Window, b: Window, out: Window, scales: list[Text], triangle: str, single: str
) -> None:
    """Plain loops: rows of `out`, elements of a row, inner products."""
    t, kind = a.dtype, cpp_type(a.dtype)
    i, j, k = (Text(cx.names.fresh(v)) for v in ("i", "j", "k"))
    loops = 0
    if len(a.lengths) == 2:
        loops += 1
        cx.out.line(f"for (int64_t {i} = 0; {i} < {a.lengths[0]}; ++{i}) {{")
        cx.out.level += 1
    if len(b.lengths) == 2:
        loops += 1
        first = str(i) if triangle == "upper" else "0"
        last = f"{i} + 1" if triangle == "lower" else str(b.lengths[1])
        cx.out.line(f"for (int64_t {j} = {first}; {j} < {last}; ++{j}) {{")
        cx.out.level += 1
    acc = Text(cx.names.fresh("acc"))
    cx.out.line(f"{kind} {acc}{'{}' if t.is_complex or t.name == 'f16' else ' = 0'};")
    left = a.at([i, k] if len(a.lengths) == 2 else [k])
    right = b.at([k, j] if len(b.lengths) == 2 else [k])
    from soljit.codegen.expressions import apply

    term = Text(f"({left} && {right})") if t.kind == "b" else None
    with cx.out.block(f"for (int64_t {k} = 0; {k} < {a.lengths[-1]}; ++{k})"):
        if term is None:
            if t.name == "f16":
                term = Text(f"sol_f16((float){left} * (float){right})")
            else:
                term = apply(cx, "mul", [left, right], t)
        cx.out.line(f"{acc} = {combined(cx, 'add', acc, term, t)};")
    subscripts = ([i] if len(a.lengths) == 2 else []) + ([j] if len(b.lengths) == 2 else [])
    target = out.at(subscripts) if out.lengths else Text(single)
    result: Text = acc
    if scales:
        alpha, beta = scales
        result = combined(cx, "add", _mul(cx, alpha, acc, t), _mul(cx, beta, target, t), t)
    cx.out.line(f"{target} = {result};")
    for _ in range(loops):
        cx.out.level -= 1
        cx.out.line("}")


def _mul(cx: Context, a: Text, b: Text, t: object) -> Text:
    from soljit.codegen.expressions import apply
    from soljit.ir.types import DType

    assert isinstance(t, DType)
    if t.kind == "b":
        return Text(f"({a} && {b})")
    if t.name == "f16":
        return Text(f"sol_f16((float){a.at(4)} * (float){b.at(4)})")
    return apply(cx, "mul", [a, b], t)


def _ger(cx: Context, n: LibraryNode) -> None:
    alpha = _scalar(cx, n.ins[0])
    x, y, out = _operand(cx, n.ins[1]), _operand(cx, n.ins[2]), _operand(cx, n.outs[0])
    t = out.dtype
    cx.tables.uses(t)
    i, j = (Text(cx.names.fresh(v)) for v in ("i", "j"))
    with cx.out.block(f"for (int64_t {i} = 0; {i} < {x.lengths[0]}; ++{i})"):
        scaled = Text(cx.names.fresh("scaled"))
        cx.out.line(f"const {cpp_type(t)} {scaled} = {_mul(cx, alpha, x.at([i]), t)};")
        cx.out.line("SOL_IVDEP")
        with cx.out.block(f"for (int64_t {j} = 0; {j} < {y.lengths[0]}; ++{j})"):
            target = out.at([i, j])
            cx.out.line(f"{target} = {combined(cx, 'add', target, _mul(cx, scaled, y.at([j]), t), t)};")
