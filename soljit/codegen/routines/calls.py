"""Calls of other functions and of Python."""

from __future__ import annotations

from soljit.analysis.memory.escaping import is_owned, shares_memory
from soljit.codegen.loops.profile import timed_call
from soljit.codegen.memory.containers import Memory, memory_of
from soljit.codegen.routines.random_draws import unless_drawn
from soljit.codegen.routines.words import put, put_array, receive, scalar_words, sizes_of
from soljit.codegen.source import CallbackEntry, Leaf, Operand
from soljit.codegen.spelling.expressions import value
from soljit.codegen.writing.context import Context
from soljit.ir.core.data import Ref, Scalar
from soljit.ir.core.expr import Expr, Load, Memlet, Sym
from soljit.ir.core.nodes import Call, Callback, Param
from soljit.ir.core.types import DType, obj
from soljit.ir.walk import is_object

# --- calls of other functions ---------------------------------------------------------------------------------------------


def call(cx: Context, n: Call) -> None:
    """Arguments go over as C++ arguments, results come back as words."""
    memory = memory_of(cx)
    callee = cx.tables.functions[n.function]
    gives_arrays = shares_memory(callee)
    with cx.out.block():
        args = ["frame"]
        size = sum(2 + 2 * r.ndim if is_owned(r) else scalar_words(r.dtype) for r in callee.results)
        words = cx.names.fresh("results")
        cx.out.line(f"int64_t {words}[{max(1, size)}];")
        args.append(words)
        for p, a in zip(callee.params, n.ins, strict=True):
            args += _argument(cx, memory, p, a, gives_arrays)
        status = cx.names.fresh("status")
        cx.out.line(f"const int32_t {status} = {cx.tables.function_names[n.function]}({', '.join(args)});")
        failed = status
        if cx.program.name not in cx.tables.reached(n.function):  # a function that calls itself is shown once
            cx.tables.calls.append(n.loc)
            failed = f"sol_through(frame, {status}, {len(cx.tables.calls) - 1})"
        cx.out.line(f"if (SOL_UNLIKELY({status} != SOL_OK)) return {failed};")
        if n.outs:
            leaves = tuple((is_owned(r), r.dtype, r.ndim) for r in callee.results)
            receive(cx, words, n.outs, leaves)
        elif gives_arrays:
            receive(
                cx,
                words,
                ("",) * len(callee.results),
                tuple((is_owned(r), r.dtype, r.ndim) for r in callee.results),
            )


def _argument(cx: Context, memory: Memory, p: Param, a: Memlet | Expr, owned: bool) -> list[str]:
    if p.kind != "array":
        return [object_word(cx, a) if p.kind == "object" else _scalar_text(cx, a)]
    assert isinstance(a, Memlet)
    w = memory.window(a)
    dims = sizes_of(w)
    name = cx.names.fresh(f"{p.name}_dims")
    cx.out.line(f"const int64_t {name}[{max(1, len(dims))}] = {{{', '.join(dims)}}};")
    owner = memory.owner(a.data) if owned else "nullptr"
    return [str(w.first), owner, name]


def _scalar_text(cx: Context, a: Memlet | Expr) -> str:
    if isinstance(a, Memlet):
        return str(value(cx, Load(a, cx.data(a.data).dtype)))
    return str(value(cx, a))


def object_word(cx: Context, a: Memlet | Expr) -> str:
    """The word of an object."""
    if isinstance(a, Memlet) and a.data in cx.program.data:
        return f"(int64_t){cx.names.data(a.data)}"
    return cx.names.symbol(a.name if isinstance(a, Sym) else a.data if isinstance(a, Memlet) else "")


# --- calls of Python ------------------------------------------------------------------------------------------------------


def callback(cx: Context, n: Callback) -> None:
    """Words in, words out; a Python exception leaves the function."""
    memory, ins = memory_of(cx), n.ins
    if n.target.startswith("param:"):
        ins = (Sym(n.target[6:]), *ins)
    operands = tuple(_operand(cx, memory, a) for a in ins)
    leaves = tuple(_leaf(cx, name) for name in n.outs)
    first = len(ins) - len(n.ins)
    effects = tuple(k - first for k, a in enumerate(ins) if isinstance(a, Memlet) and a.data in n.effects)
    entry = CallbackEntry(n.target, n.args, n.kwargs, operands, leaves, effects, n.loc, n.result)
    cx.tables.callbacks.append(entry)
    number = len(cx.tables.callbacks) - 1
    with unless_drawn(cx, n):
        words, results = cx.names.fresh("words"), cx.names.fresh("results")
        n_in = sum(_words(o.kind, o.dtype, o.ndim) for o in operands)
        n_out = sum(_words(o.kind, o.dtype, o.ndim) for o in leaves)
        cx.out.line(f"int64_t {words}[{max(1, n_in)}], {results}[{max(1, n_out)}];")
        at = 0
        for a, o in zip(ins, operands):
            at = _put_operand(cx, memory, words, at, a, o)
        status = cx.names.fresh("status")
        said = f"services->callback(frame, {number}, {words}, {results});  // {n.target}"
        if cx.tables.places is None:
            cx.out.line(f"const int32_t {status} = {said}")
        else:
            cx.out.line(f"int32_t {status};")
            with timed_call(cx, n):
                cx.out.line(f"{status} = {said}")
        cx.out.line("sol_clean_registers();")
        cx.out.line(f"if (SOL_UNLIKELY({status} != SOL_OK)) return {status};")
        kept = [(name, leaf) for name, leaf in zip(n.outs, leaves) if leaf.kind != "drop"]
        shape = tuple((leaf.kind in ("array", "object"), _dtype(leaf.dtype), leaf.ndim) for _, leaf in kept)
        receive(cx, results, tuple(name for name, _ in kept), shape)


def _dtype(t: DType | None) -> DType:
    assert t is not None
    return t


def _words(kind: str, t: DType | None, ndim: int) -> int:
    if kind == "array" or (kind == "object" and t is not None):  # a held object has an owner, a parameter has none
        return 2 + 2 * ndim
    return 0 if kind == "drop" else 1 if t is None else scalar_words(t)


def _operand(cx: Context, memory: Memory, a: Memlet | Expr) -> Operand:
    if is_object(a, cx.program.params, cx.program.data):
        return Operand("object")
    if isinstance(a, Expr):
        return Operand("scalar", a.dtype)
    d = cx.data(a.data)
    if isinstance(d, Scalar):
        return Operand("scalar", d.dtype)
    return Operand("array", d.dtype, len(memory.whole(a).dims))


def _leaf(cx: Context, name: str) -> Leaf:
    if not name:
        return Leaf("drop")
    d = cx.data(name)
    if d.dtype is obj:
        return Leaf("object", d.dtype)
    if isinstance(d, Ref):
        return Leaf("array", d.dtype, d.ndim, d.order)
    return Leaf("scalar", d.dtype)


def _put_operand(cx: Context, memory: Memory, words: str, at: int, a: Memlet | Expr, o: Operand) -> int:
    if o.kind == "object":
        cx.out.line(f"{words}[{at}] = {object_word(cx, a)};")
        return at + 1
    if o.kind == "scalar":
        e = Load(a, cx.data(a.data).dtype) if isinstance(a, Memlet) else a
        return put(cx, words, at, e)
    assert isinstance(a, Memlet)
    return put_array(cx, words, at, memory.window(a), memory.owner(a.data))
