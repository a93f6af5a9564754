"""Library nodes: products of matrices and vectors, rank-one updates, and NumPy's own routines by address."""

from __future__ import annotations

import functools
from collections.abc import Callable

from soljit.base.errors import InternalError
from soljit.codegen.memory.combine import combined
from soljit.codegen.memory.containers import memory_of
from soljit.codegen.memory.windows import ZERO, Window
from soljit.codegen.routines.products import emit_product
from soljit.codegen.spelling.arithmetic import product, total
from soljit.codegen.spelling.expressions import apply, value
from soljit.codegen.spelling.types import cpp_type
from soljit.codegen.writing.context import Context
from soljit.codegen.writing.text import PRIMARY, PRODUCT, UNARY, Text
from soljit.ir.core.expr import Expr, Memlet
from soljit.ir.core.libraries import core_dimensions
from soljit.ir.core.nodes import LibraryNode
from soljit.ir.core.types import DType


def emit_library(cx: Context, n: LibraryNode) -> None:
    """One library node."""
    match n.op:
        case "matmul":
            _matmul(cx, n)
        case "ger":
            _ger(cx, n)
        case "sort" | "argsort":
            _sort(cx, n)
        case "argmin" | "argmax":
            _search(cx, n)
        case "loop":
            _loop(cx, n)
        case _:
            raise InternalError(f"unknown library operation {n.op!r}")


def _operand(cx: Context, m: Memlet | Expr) -> Window:
    assert isinstance(m, Memlet)
    return memory_of(cx).window(m)


def _scalar(cx: Context, m: Memlet | Expr) -> Text:
    return memory_of(cx).element(m) if isinstance(m, Memlet) else value(cx, m)


def _matmul(cx: Context, n: LibraryNode) -> None:
    a, b = _operand(cx, n.ins[0]), _operand(cx, n.ins[1])
    out = _one(cx, n.outs[0]) if len(a.lengths) == len(b.lengths) == 1 else _operand(cx, n.outs[0])
    cx.tables.uses(a.dtype)
    scales = [_scalar(cx, x) for x in n.ins[2:]]
    if len(out.lengths) == 3:
        _stack(cx, a, b, out, scales)
        return
    triangle = str(n.attrs.get("triangle", ""))
    if order := n.attrs.get("loops"):
        with cx.out.block():
            _spelled(cx, a, b, out, scales, str(order))
    else:
        emit_product(cx, a, b, out, scales, triangle)


def _stack(cx: Context, a: Window, b: Window, out: Window, scales: list[Text]) -> None:
    """A product for each matrix of a stack, one after the other."""
    k = Text(cx.names.fresh("k"))
    with cx.out.block(f"for (int64_t {k} = 0; {k} < {out.lengths[0]}; ++{k})"):
        emit_product(cx, _of_stack(a, k), _of_stack(b, k), _of_stack(out, k), scales, "")


def _of_stack(w: Window, k: Text) -> Window:
    """Matrix number `k`; a matrix that is no stack is itself."""
    if len(w.lengths) == 2:
        return w
    offset = total(w.offset, product(k, w.strides[0]))
    return Window(w.dtype, w.pointer, offset, w.lengths[1:], w.strides[1:])


def _one(cx: Context, m: Memlet) -> Window:
    """A single element as a window."""
    d = cx.data(m.data)
    element = memory_of(cx).element(m)
    return Window(d.dtype, Text(f"&{element.at(PRIMARY)}", UNARY), ZERO, (), ())


def _spelled(cx: Context, a: Window, b: Window, out: Window, scales: list[Text], order: str) -> None:
    """Loops over a few elements, added up in an order of `ir/core/libraries.py`."""
    t = a.dtype
    i, j, acc = (Text(cx.names.fresh(v)) for v in ("i", "j", "acc"))
    rows, columns = len(a.lengths) == 2, len(b.lengths) == 2
    if rows:
        cx.out.line(f"for (int64_t {i} = 0; {i} < {a.lengths[0]}; ++{i}) {{")
        cx.out.level += 1
    if columns:
        cx.out.line(f"for (int64_t {j} = 0; {j} < {b.lengths[1]}; ++{j}) {{")
        cx.out.level += 1

    def term(k: Text) -> tuple[Text, Text]:
        return a.at([i, k] if rows else [k]), b.at([k, j] if columns else [k])

    _summed(cx, t, acc, a.lengths[-1], term, order)
    subscripts = ([i] if rows else []) + ([j] if columns else [])
    target = out.at(subscripts) if subscripts else Text(f"*{out.pointer.at(UNARY)}", UNARY)
    result = Text(f"sol_f16({acc})") if t.name == "f16" else acc
    if scales:
        alpha, beta = scales
        result = combined(cx, "add", _times(cx, alpha, result, t), _times(cx, beta, target, t), t)
    cx.out.line(f"{target} = {result};")
    for _ in subscripts:
        cx.out.level -= 1
        cx.out.line("}")


def _summed(cx: Context, t: DType, acc: Text, n: Text, term: Callable[[Text], tuple[Text, Text]], order: str) -> None:
    """A sum of `n` products in the variable `acc`. NumPy adds up halves in float."""
    how, _, places = order.partition(":")
    kind, wider = cpp_type(t), "float" if t.name == "f16" else "double" if how == "wide" else ""

    def step(s: Text, k: Text) -> Text:
        left, right = term(k)
        if t.name == "f16":
            return Text(f"{s} + (float){left} * (float){right}")
        if t.is_float and how.startswith("fused"):
            return Text(f"sol_fused({left}, {right}, {s})")
        times = _times(cx, left, right, t)
        return Text(f"{s} + {times.at(PRODUCT)}") if wider else combined(cx, "add", s, times, t)

    def chain(s: Text, which: str) -> Text:
        return functools.reduce(lambda s, k: step(s, Text(k)), which, s)

    zero = Text("{}" if t.is_complex else "0")
    if how.endswith("pairs"):
        first, second = (chain(Text(f"{kind}{{}}"), which) for which in (places[:2], places[2:]))
        cx.out.line(f"const {kind} {acc} = {combined(cx, 'add', first, second, t)};")
    elif places:
        cx.out.line(f"const {kind} {acc} = {chain(Text(kind + '{}'), places)};")
    else:
        k = Text(cx.names.fresh("k"))
        cx.out.line(f"{wider or kind} {acc} = {zero};")
        with cx.out.block(f"for (int64_t {k} = 0; {k} < {n}; ++{k})"):
            cx.out.line(f"{acc} = {step(acc, k)};")


def _times(cx: Context, a: Text, b: Text, t: DType) -> Text:
    if t.kind == "b":
        return Text(f"({a} && {b})")
    if t.name == "f16":
        return Text(f"sol_f16((float){a.at(UNARY)} * (float){b.at(UNARY)})")
    return apply(cx, "mul", [a, b], t)


def _ger(cx: Context, n: LibraryNode) -> None:
    alpha = _scalar(cx, n.ins[0])
    x, y, out = _operand(cx, n.ins[1]), _operand(cx, n.ins[2]), _operand(cx, n.outs[0])
    t = out.dtype
    cx.tables.uses(t)
    i, j = (Text(cx.names.fresh(v)) for v in ("i", "j"))
    with cx.out.block(f"for (int64_t {i} = 0; {i} < {x.lengths[0]}; ++{i})"):
        scaled = Text(cx.names.fresh("scaled"))
        cx.out.line(f"const {cpp_type(t)} {scaled} = {_times(cx, alpha, x.at([i]), t)};")
        cx.out.line("SOL_IVDEP")
        with cx.out.block(f"for (int64_t {j} = 0; {j} < {y.lengths[0]}; ++{j})"):
            target = out.at([i, j])
            cx.out.line(f"{target} = {combined(cx, 'add', target, _times(cx, scaled, y.at([j]), t), t)};")


def _sort(cx: Context, n: LibraryNode) -> None:
    """`sort` and `argsort` of one line of neighbours."""
    line = _operand(cx, (*n.ins, *n.outs)[0])
    lines = [line] if n.op == "sort" else [line, _operand(cx, n.outs[0])]
    _neighbours(n, *lines)
    cx.tables.uses(line.dtype)
    routine = _routine(cx, f"{n.op}:{line.dtype.numpy.char}:{n.attrs['kind']}")
    firsts = ", ".join(str(w.first) for w in lines)
    cx.out.line(f"sol_{n.op}<{cpp_type(line.dtype)}>({routine}, {firsts}, {line.lengths[0]});")


def _search(cx: Context, n: LibraryNode) -> None:
    """`argmin` and `argmax` of one line of neighbours."""
    line = _operand(cx, n.ins[0])
    _neighbours(n, line)
    cx.tables.uses(line.dtype)
    routine = _routine(cx, f"{n.op}:{line.dtype.numpy.char}:")
    cx.out.line(f"{memory_of(cx).element(n.outs[0])} = sol_search({routine}, {line.first}, {line.lengths[0]});")


def _neighbours(n: LibraryNode, *lines: Window) -> None:
    if any(w.strides[0].text != "1" for w in lines):
        raise InternalError(f"{n.op} of elements that are no neighbours")


def _loop(cx: Context, n: LibraryNode) -> None:
    """One call of a generalized ufunc's loop: addresses, lengths of its core dimensions, strides in bytes."""
    routine = _routine(cx, f"loop:{n.attrs['function']}:{n.attrs['types']}")
    cores = core_dimensions(str(n.attrs["signature"]))
    operands = [_operand(cx, x) if core else _one_of(cx, x) for x, core in zip((*n.ins, *n.outs[:-1]), cores)]
    lengths: dict[str, Text] = {}
    for w, core in zip(operands, cores):
        cx.tables.uses(w.dtype)
        for name, length in zip(core, w.lengths):
            lengths.setdefault(name, length)
    steps = [f"{s.at(PRODUCT)} * {w.dtype.numpy.itemsize}" for w in operands for s in w.strides]
    names = [cx.names.fresh(v) for v in ("operands", "dims", "steps")]
    ok = memory_of(cx).element(n.outs[-1])
    with cx.out.block():
        cx.out.line(f"char* {names[0]}[] = {{{', '.join(f'(char*)({w.first})' for w in operands)}}};")
        cx.out.line(f"const int64_t {names[1]}[] = {{1, {', '.join(map(str, lengths.values()))}}};")
        cx.out.line(f"const int64_t {names[2]}[] = {{{', '.join(['0'] * len(operands) + steps)}}};")
        cx.out.line(f"{ok} = sol_loop({routine}, {cx.tables.blas_threads()}, {', '.join(names)});")


def _one_of(cx: Context, m: Memlet | Expr) -> Window:
    assert isinstance(m, Memlet)
    return _one(cx, m)


def _routine(cx: Context, name: str) -> str:
    cx.tables.headers.add("routines")
    return f"sol_slots[{cx.tables.slot(name)}]"
