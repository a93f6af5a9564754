"""What leaves the flow of plain statements: results, array variables, library routines, calls back, calls of other programs."""

from __future__ import annotations

from soljit.base.errors import InternalError
from soljit.codegen.context import Context, cpp_type
from soljit.codegen.expressions import value
from soljit.codegen.memory import Memory, Window
from soljit.codegen.source import CallbackEntry, Leaf, Operand
from soljit.ir import nodes
from soljit.ir.data import Array, Ref, Scalar
from soljit.ir.expr import Expr, Memlet
from soljit.ir.types import DType


def _memory(cx: Context) -> Memory:
    assert isinstance(cx.places, Memory)
    return cx.places


def words_of(t: DType) -> int:
    """Words of a scalar."""
    return 2 if t.name == "c128" else 1


def _owner(cx: Context, data: str) -> str:
    root = cx.root(data)
    if isinstance(cx.data(root), Array) and _memory(cx).is_register(root):
        raise InternalError(f"{root} is on the stack")
    return _memory(cx).owner(data)


def _put_window(cx: Context, w: Window, words: str, at: int, owner: str) -> int:
    """Write an array leaf: data, owner, lengths, strides in bytes; the number of the next word."""
    out = cx.out
    out.line(f"{words}[{at}] = (int64_t)({w.first});")
    out.line(f"{words}[{at + 1}] = (int64_t){owner};")
    n = len(w.lengths)
    for k, (length, stride) in enumerate(zip(w.lengths, w.strides)):
        out.line(f"{words}[{at + 2 + k}] = {length};")
        out.line(f"{words}[{at + 2 + n + k}] = {stride.at(3)} * {w.dtype.size};")
    return at + 2 + 2 * n


def emit_return(cx: Context, n: nodes.Return) -> None:
    """Write the leaves and leave."""
    at = 0
    for v in n.values:
        if isinstance(v, Memlet):
            w = _memory(cx).window(v)
            at = _put_window(cx, w, "out", at, f"sol_retain({_owner(cx, v.data)})")
        else:
            cx.out.line(f"sol_put<{cpp_type(v.dtype)}>(out + {at}, {value(cx, v)});")
            at += words_of(v.dtype)
    cx.out.line("return SOL_OK;")


def bind(cx: Context, n: nodes.Bind) -> None:
    """Point a Ref at a window; the new values are read before the old ones are overwritten."""
    d = cx.data(n.ref)
    assert isinstance(d, Ref)
    w = _memory(cx).window(n.source)
    name = cx.names.data(n.ref)
    with cx.out.block():
        cx.out.line(f"{cpp_type(d.dtype)}* const to = ({cpp_type(d.dtype)}*)({w.first});")
        cx.out.line(f"sol_buffer* const owner = sol_retain({_owner(cx, n.source.data)});")
        for k, length in enumerate(w.lengths):
            cx.out.line(f"const int64_t n{k} = {length};")
        if d.order == "A":
            for k, s in enumerate(w.strides):
                cx.out.line(f"const int64_t s{k} = {s};")
        cx.out.line(f"{name} = to;")
        cx.out.line(f"{name}_own.take(owner);")
        for k in range(d.ndim):
            cx.out.line(f"{name}_n{k} = n{k};")
            if d.order == "A":
                cx.out.line(f"{name}_s{k} = s{k};")


# --- library routines -------------------------------------------------------------------------------------------------

_LETTER = {"f32": "s", "f64": "d", "c64": "c", "c128": "z"}


def library(cx: Context, n: nodes.LibraryNode) -> None:
    """A library node."""
    match n.op:
        case "matmul":
            _matmul(cx, n)
        case "ger":
            _ger(cx, n)
        case _:
            raise InternalError(f"unknown library operation {n.op}")


def _routines(cx: Context, t: DType) -> str:
    cx.tables.headers.add("blas")
    cx.tables.uses(t)
    letter = _LETTER.get(t.name)
    if letter is None or not cx.tables.features.blas:
        return "sol_blas{nullptr, nullptr, nullptr}"
    dot = f"cblas_{letter}dot" + ("u_sub" if letter in "cz" else "")
    slots = [cx.tables.slot(f"blas:{f}") for f in (f"cblas_{letter}gemm", f"cblas_{letter}gemv", dot)]
    return "sol_blas{" + ", ".join(f"sol_slots[{k}]" for k in slots) + "}"


def _matmul(cx: Context, n: nodes.LibraryNode) -> None:
    a, b = n.ins[0], n.ins[1]
    assert isinstance(a, Memlet) and isinstance(b, Memlet)
    m = _memory(cx)
    x, y = m.window(a), m.window(b)
    t = x.dtype
    f = _routines(cx, t)
    scaled = len(n.ins) > 2
    if len(x.lengths) == 1 and len(y.lengths) == 1:
        call = f"sol_dot<{cpp_type(t)}>({f}, {x.lengths[0]}, {x.first}, {x.strides[0]}, {y.first}, {y.strides[0]})"
        _assign(cx, str(m.element(n.outs[0])), call, n, scaled)
        return
    out = m.window(n.outs[0])
    rows = str(x.lengths[0]) if len(x.lengths) == 2 else "1"
    cols = str(y.lengths[1]) if len(y.lengths) == 2 else "1"
    inner = str(x.lengths[-1])
    ar = str(x.strides[0]) if len(x.lengths) == 2 else str(inner)
    bc = str(y.strides[1]) if len(y.lengths) == 2 else "1"
    cr = str(out.strides[0]) if len(x.lengths) == 2 else "1"
    cc = str(out.strides[-1]) if len(y.lengths) == 2 else "1"
    ctype = cpp_type(t)
    if not scaled:
        target = str(out.first)
        _call_gemm(cx, f"sol_gemm<{ctype}>({f}, {rows}, {cols}, {inner}, {x.first}, {ar}, {x.strides[-1]}, {y.first}, {y.strides[0]}, {bc}, {target}, {cr}, {cc})", n)
        return
    with cx.out.block():  # a product with alpha and beta goes through a temporary
        cx.out.line(f"const int64_t rows = {rows}, cols = {cols};")
        cx.out.line(f"const sol_memory product(sol_malloc(sol_count(rows, cols), sizeof({ctype}), false));")
        cx.out.line(f"{ctype}* const p = ({ctype}*)product.data;")
        _call_gemm(cx, f"p && sol_gemm<{ctype}>({f}, rows, cols, {inner}, {x.first}, {ar}, {x.strides[-1]}, {y.first}, {y.strides[0]}, {bc}, p, cols, 1)", n)
        alpha, beta = n.ins[2], n.ins[3]
        assert not isinstance(alpha, Memlet) and not isinstance(beta, Memlet)
        cx.out.line(f"const {ctype} alpha = {value(cx, alpha)}, beta = {value(cx, beta)};")
        cx.out.line(f"{ctype}* const c = {out.first};")
        cell = f"c[i * ({cr}) + j * ({cc})]"
        triangle = n.attrs.get("triangle")
        first = "i" if triangle == "upper" else "0"
        last = "(i + 1 < cols ? i + 1 : cols)" if triangle == "lower" else "cols"
        zero = f"beta == {ctype}()"
        cx.out.line(f"for (int64_t i = 0; i < rows; ++i) for (int64_t j = {first}; j < {last}; ++j)")
        cx.out.line(f"  {cell} = {zero} ? alpha * p[i * cols + j] : alpha * p[i * cols + j] + beta * {cell};")


def _assign(cx: Context, target: str, call: str, n: nodes.LibraryNode, scaled: bool) -> None:
    if not scaled:
        cx.out.line(f"{target} = {call};")
        return
    alpha, beta = n.ins[2], n.ins[3]
    assert not isinstance(alpha, Memlet) and not isinstance(beta, Memlet)
    b = value(cx, beta)
    cx.out.line(f"{target} = {value(cx, alpha).at(3)} * {call} + ({b} == 0 ? 0 : {b.at(3)} * {target});")


def _call_gemm(cx: Context, call: str, n: nodes.LibraryNode) -> None:
    place = cx.tables.raising("builtins.MemoryError", None, (), n.loc)
    if cx.exit_label is None:
        cx.out.line(f"if (SOL_UNLIKELY(!({call}))) return frame->place = {place}, SOL_RAISE;")
    else:
        cx.out.line(f"if (SOL_UNLIKELY(!({call}))) {{ frame->place = {place}; {cx.exit_label} }}")


def _ger(cx: Context, n: nodes.LibraryNode) -> None:
    alpha, a, b = n.ins
    assert isinstance(a, Memlet) and isinstance(b, Memlet) and not isinstance(alpha, Memlet)
    m = _memory(cx)
    x, y, out = m.window(a), m.window(b), m.window(n.outs[0])
    t = cpp_type(x.dtype)
    with cx.out.block():
        cx.out.line(f"const {t} alpha = {value(cx, alpha)};")
        cx.out.line(f"const {t} *x = {x.first}, *y = {y.first};")
        cx.out.line(f"{t}* c = {out.first};")
        with cx.out.block(f"for (int64_t i = 0; i < {x.lengths[0]}; ++i)"):
            cx.out.line(f"const {t} s = alpha * x[i * ({x.strides[0]})];")
            cx.out.line(
                f"for (int64_t j = 0; j < {y.lengths[0]}; ++j) c[i * ({out.strides[0]}) + j * ({out.strides[1]})] += s * y[j * ({y.strides[0]})];"
            )


# --- calls back into Python -------------------------------------------------------------------------------------------


def callback(cx: Context, n: nodes.Callback) -> None:
    """Words in, words out, through the services."""
    ins: list[Operand] = []
    plan: list[tuple[str, Memlet | Expr | str]] = []
    target = n.target
    if target.startswith("param:"):
        name = target.removeprefix("param:").partition(".")[0]
        ins.append(Operand("object"))
        plan.append(("object", name))
    for v in n.ins:
        if isinstance(v, Memlet):
            w = _memory(cx).window(v)
            ins.append(Operand("array", w.dtype, len(w.lengths)))
            plan.append(("array", v))
        else:
            ins.append(Operand("scalar", v.dtype))
            plan.append(("scalar", v))
    outs = [_leaf(cx, o) for o in n.outs]
    effects = tuple(k for k, (kind, v) in enumerate(plan) if kind == "array" and isinstance(v, Memlet) and v.data in n.effects)
    entry = CallbackEntry(target, n.args, dict(n.kwargs), tuple(ins), tuple(outs), effects, n.loc)
    cx.tables.callbacks.append(entry)
    number = len(cx.tables.callbacks) - 1
    size_in = sum(1 if o.kind == "object" else 2 + 2 * o.ndim if o.kind == "array" else words_of(_of(o.dtype)) for o in ins)
    size_out = sum(0 if o.kind == "drop" else 2 + 2 * o.ndim if o.kind == "array" else words_of(_of(o.dtype)) for o in outs)
    with cx.out.block():
        cx.out.line(f"int64_t words[{max(1, size_in)}], results[{max(1, size_out)}];")
        at = 0
        for kind, v in plan:
            if kind == "object":
                assert isinstance(v, str)
                cx.out.line(f"words[{at}] = (int64_t){cx.names.data(v)};")
                at += 1
            elif isinstance(v, Memlet):
                at = _put_window(cx, _memory(cx).window(v), "words", at, _owner(cx, v.data))
            else:
                assert isinstance(v, Expr)
                cx.out.line(f"sol_put<{cpp_type(v.dtype)}>(words + {at}, {value(cx, v)});")
                at += words_of(v.dtype)
        cx.out.line(f"if (services->callback(frame, {number}, words, results) != SOL_OK) return SOL_PYTHON;")
        _take_results(cx, n.outs, outs)


def _of(t: DType | None) -> DType:
    assert t is not None
    return t


def _leaf(cx: Context, name: str) -> Leaf:
    if not name:
        return Leaf("drop")
    d = cx.data(name)
    if isinstance(d, Scalar):
        return Leaf("scalar", d.dtype)
    assert isinstance(d, Ref)
    return Leaf("array", d.dtype, d.ndim, d.order)


def _take_results(cx: Context, names: tuple[str, ...], leaves: list[Leaf]) -> None:
    at = 0
    for name, leaf in zip(names, leaves):
        if leaf.kind == "drop":
            continue
        text = cx.names.data(name)
        t = _of(leaf.dtype)
        if leaf.kind == "scalar":
            cx.out.line(f"{text} = sol_get<{cpp_type(t)}>(results + {at});")
            at += words_of(t)
            continue
        cx.out.line(f"{text} = ({cpp_type(t)}*)results[{at}];")
        cx.out.line(f"{text}_own.take((sol_buffer*)results[{at + 1}]);")
        for k in range(leaf.ndim):
            cx.out.line(f"{text}_n{k} = results[{at + 2 + k}];")
            if leaf.order == "A":
                cx.out.line(f"{text}_s{k} = results[{at + 2 + leaf.ndim + k}] / {t.size};")
        at += 2 + 2 * leaf.ndim


def call(cx: Context, n: nodes.Call) -> None:
    """Call another program of this file: its words are laid out as for the entry point."""
    program = cx.tables.functions[n.function]
    size_in = sum(_param_words(program, p) for p in program.params)
    size_out = sum(2 + 2 * r.ndim if r.kind == "array" else words_of(r.dtype) for r in program.results)
    leaves = [Leaf("drop") if not o else _leaf(cx, o) for o in n.outs]
    with cx.out.block():
        cx.out.line(f"int64_t words[{max(1, size_in)}], results[{max(1, size_out)}];")
        at = 0
        for v, p in zip(n.ins, program.params):
            if isinstance(v, Memlet):
                w = _memory(cx).window(v)
                cx.out.line(f"words[{at}] = (int64_t)({w.first});")
                for k, (length, stride) in enumerate(zip(w.lengths, w.strides)):
                    cx.out.line(f"words[{at + 1 + k}] = {length};")
                    cx.out.line(f"words[{at + 1 + len(w.lengths) + k}] = {stride.at(3)} * {w.dtype.size};")
                at += 1 + 2 * len(w.lengths)
            else:
                cx.out.line(f"sol_put<{cpp_type(v.dtype)}>(words + {at}, {value(cx, v)});")
                at += words_of(v.dtype)
        cx.out.line(f"const int32_t status = {cx.tables.function_names[n.function]}(frame, words, results);")
        cx.out.line("if (status != SOL_OK) return status;")
        _take_results(cx, n.outs, leaves)


def _param_words(program: nodes.Program, p: nodes.Param) -> int:
    if p.kind == "array":
        d = program.data[p.name]
        assert isinstance(d, Array)
        return 1 + 2 * len(d.shape)
    return 1 if p.kind == "object" else words_of(_of(p.dtype))
