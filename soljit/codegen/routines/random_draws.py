"""Draws of random numbers: the condition that draws natively, in front of the call of Python that draws otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from soljit.codegen.memory.containers import memory_of
from soljit.codegen.spelling.expressions import value
from soljit.codegen.spelling.types import cpp_type
from soljit.codegen.writing.context import Context
from soljit.codegen.writing.text import UNARY
from soljit.ir.callbacks.random_distributions import Parameter
from soljit.ir.callbacks.random_draws import Argument, Draw, draw
from soljit.ir.core.data import Ref
from soljit.ir.core.expr import Const, Expr, Memlet, Sym
from soljit.ir.core.nodes import Callback
from soljit.ir.core.types import BY_NAME, DType, f64
from soljit.support import pending


@contextmanager
def unless_drawn(cx: Context, n: Callback) -> Iterator[None]:
    """What is written inside runs if what the call draws, if it is a draw, is not drawn natively."""
    d = draw(cx.program, n)
    if d is None:
        with cx.out.block():
            yield
        return
    cx.tables.headers.add("draws" if d.row.function.startswith("sol_drawn") else "shuffles")
    guarded = pending.parse(n.target) is not None
    results = n.outs[:-1] if guarded else n.outs
    assert len(results) <= 1
    name = results[0] if results else ""
    if guarded and n.outs[-1]:
        cx.out.line(f"{cx.names.data(n.outs[-1])} = 0;")
    if d.into is not None:
        with cx.out.block(), _unless_filled_in_place(cx, d, d.into, name):
            yield
        return
    if d.lengths is not None:
        assert d.dtype is not None
        with cx.out.block(), _unless_filled(cx, d, name, d.dtype, d.lengths):
            yield
        return
    with cx.out.block(f"if (SOL_UNLIKELY(!({_drawn(cx, d, name)})))"):
        yield


def _drawn(cx: Context, d: Draw, name: str) -> str:
    """The condition that is true if a number is drawn, or an array is shuffled."""
    given = _arguments(cx, d)
    if d.dtype is None:
        return f"{_is_open(cx, d)} && {_call(cx, d, [], given)}"
    target = cx.names.data(name) if name else cx.names.fresh("drawn")
    if not name:
        cx.out.line(f"{cpp_type(d.dtype)} {target};")
    return f"{_is_open(cx, d)} && {_call(cx, d, [f'&{target}'], given)}"


@contextmanager
def _unless_filled(cx: Context, d: Draw, name: str, dtype: DType, lengths: tuple[Argument, ...]) -> Iterator[None]:
    """An array is made and filled, and becomes what Ref `name` is bound to."""
    t, out = cpp_type(dtype), cx.out
    cx.tables.uses(dtype)
    given = _once(cx, d)
    dims, room, elements = (cx.names.fresh(x) for x in ("lengths", "room", "elements"))
    out.line(f"const int64_t {dims}[] = {{{', '.join(_length(cx, x) for x in lengths)}}};")
    old = _old_memory(cx, d, name)
    if old:
        own, first, count = old
        again = f"sol_is_free({own}, {first}) && {count} == sol_total({dims}, {len(lengths)}) ? {own} : "
    else:
        again = ""
    out.line(f"sol_buffer* const {room} = {again}sol_room(services, sizeof({t}), {dims}, {len(lengths)});")
    out.line(f"{t}* const {elements} = {room} ? ({t}*){room}->data : nullptr;")
    count = f"sol_total({dims}, {len(lengths)})"
    with out.block(f"if (SOL_LIKELY({room} && {_is_open(cx, d)} && {_filled(cx, d, t, elements, count, given)}))"):
        _bind(cx, name, room, elements, dims, bool(old))
    with out.block("else"):
        other = f"if ({room} != {old[0]}) " if old else ""
        out.line(f"{other}sol_release(services, {room});")
        yield


def _once(cx: Context, d: Draw) -> list[str]:
    """Names of the parameters, which are computed here."""
    given = []
    for k, text in enumerate(_arguments(cx, d)):
        given.append(cx.names.fresh(f"parameter{k}"))
        cx.out.line(f"const auto {given[-1]} = {text};")
    return given


def _filled(cx: Context, d: Draw, t: str, elements: str, count: str, given: list[str]) -> str:
    if d.row.counted:
        return _call(cx, d, [elements], [*given, count])
    return f"sol_filled({elements}, {count}, [&]({t}* each) {{ return {_call(cx, d, ['each'], given)}; }})"


@contextmanager
def _unless_filled_in_place(cx: Context, d: Draw, into: Memlet, name: str) -> Iterator[None]:
    """An array without gaps is filled, and is what Ref `name` is bound to. NumPy says what is wrong with others."""
    memory, given = memory_of(cx), _once(cx, d)
    w = memory.window(into)
    t, elements, count = cpp_type(w.dtype), cx.names.fresh("elements"), cx.names.fresh("count")
    cx.tables.uses(w.dtype)
    cx.out.line(f"{t}* const {elements} = {w.first};")
    cx.out.line(f"const int64_t {count} = {w.lengths[0]};")
    right = f"{count} > 0 && ({count} == 1 || {w.strides[0]} == 1)"
    with cx.out.block(f"if (SOL_LIKELY({right} && {_is_open(cx, d)} && {_filled(cx, d, t, elements, count, given)}))"):
        if name:
            ref, v = cx.data(name), cx.names.data(name)
            assert isinstance(ref, Ref) and ref.ndim == 1
            cx.out.line(f"{v}_own.take(sol_retain({memory.owner(into.data)}));")
            cx.out.line(f"{v} = {elements};")
            cx.out.line(f"{v}_n0 = {count};")
            if ref.order == "A":
                cx.out.line(f"{v}_s0 = 1;")
    with cx.out.block("else"):
        yield


def _old_memory(cx: Context, d: Draw, name: str) -> tuple[str, str, str] | None:
    """Buffer, first element and number of elements of what Ref `name` is bound to, if new numbers may take its place when nothing else has it."""
    ref = cx.data(name) if name else None
    if not isinstance(ref, Ref) or ref.order != "C" or any(isinstance(x, Memlet) for x in d.arguments):
        return None
    v = cx.names.data(name)
    return f"{v}_own.buffer", v, " * ".join(f"{v}_n{k}" for k in range(ref.ndim))


def _bind(cx: Context, name: str, room: str, elements: str, dims: str, again: bool) -> None:
    if not name:
        cx.out.line(f"sol_release(services, {room});")
        return
    ref, v = cx.data(name), cx.names.data(name)
    assert isinstance(ref, Ref)
    cx.out.line(f"{f'if ({room} != {v}_own.buffer) ' if again else ''}{v}_own.take({room});")
    cx.out.line(f"{v} = {elements};")
    for k in range(ref.ndim):
        cx.out.line(f"{v}_n{k} = {dims}[{k}];")
    if ref.order == "A":
        for k in range(ref.ndim):
            cx.out.line(f"{v}_s{k} = {' * '.join(f'{dims}[{j}]' for j in range(k + 1, ref.ndim)) or '1'};")


# --- calls ----------------------------------------------------------------------------------------------------------------


def _is_open(cx: Context, d: Draw) -> str:
    generator = _generator(cx, d.generator)
    return f"sol_is_open(frame, {cx.tables.stream(generator)}, {generator})"


def _call(cx: Context, d: Draw, targets: list[str], given: list[str]) -> str:
    routines = [f"sol_slots[{cx.tables.slot(f'random:{name}')}]" for name in d.row.routine.split()]
    stream = f"&frame->streams[{cx.tables.stream(_generator(cx, d.generator))}]"
    return f"{d.row.function}({', '.join([*routines, stream, *targets, *given])})"


def _generator(cx: Context, g: Memlet | Expr | str) -> str:
    if isinstance(g, str):
        return f"sol_slots[{cx.tables.slot(f'generator:{g}')}]"
    if isinstance(g, Memlet):
        return f"(void*){cx.names.data(g.data)}"
    assert isinstance(g, Sym)
    return f"(void*){cx.names.symbol(g.name)}"


_GIVEN = ("number", "array", "rows", "literal", "truth")


def _arguments(cx: Context, d: Draw) -> list[str]:
    given = [p for p in d.row.specification if p.kind in _GIVEN]
    return [_given(cx, d, x, p) for x, p in zip(d.arguments, given, strict=True)]


def _given(cx: Context, d: Draw, x: Argument, p: Parameter) -> str:
    if isinstance(x, Memlet):
        return _array(cx, x, "" if p.kind == "rows" else "const ")
    if isinstance(x, Expr):
        return _number(cx, x, p.integer)
    element = BY_NAME[p.dtype] if p.dtype else d.dtype
    assert element is not None
    name, t = cx.names.fresh("items"), cpp_type(element)
    cx.tables.uses(element)
    cx.out.line(f"const {t} {name}[] = {{{', '.join(f'({t}){value(cx, item).at(UNARY)}' for item in x)}}};")
    return f"sol_row<const {t}>{{{name}, {len(x)}, 1}}"


def _array(cx: Context, x: Memlet, const: str) -> str:
    w = memory_of(cx).window(x)
    cx.tables.uses(w.dtype)
    dims = ", ".join(str(v) for v in (*w.lengths, *w.strides))
    return f"{'sol_row' if len(w.lengths) == 1 else 'sol_rows'}<{const}{cpp_type(w.dtype)}>{{{w.first}, {dims}}}"


def _number(cx: Context, x: Expr, integer: bool) -> str:
    wanted = "int64_t" if integer else "double"
    if isinstance(x, Const) and not integer:
        x = Const(float(x.value), f64)  # type: ignore[arg-type]
    text = value(cx, x)
    return str(text) if cpp_type(x.dtype) == wanted else f"({wanted}){text.at(UNARY)}"


def _length(cx: Context, x: Argument) -> str:
    if isinstance(x, tuple):
        return str(len(x))
    return str(memory_of(cx).window(x).lengths[0]) if isinstance(x, Memlet) else _number(cx, x, True)
