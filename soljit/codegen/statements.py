"""Nodes as C++ statements: the table from nodes to the code that spells them, and the simple ones."""

from __future__ import annotations

from soljit.base.errors import InternalError
from soljit.codegen.device import blocks_of_threads, offload
from soljit.codegen.loops import looks, maps, nests, profile, selections
from soljit.codegen.loops.divisors import with_divisors
from soljit.codegen.memory.array_variables import bind
from soljit.codegen.memory.combine import combine, is_counted
from soljit.codegen.memory.containers import memory_of
from soljit.codegen.memory.copies import emit_copy
from soljit.codegen.memory.positions import emit_position, positions_of_region
from soljit.codegen.routines import calls, library, words
from soljit.codegen.spelling.expressions import index, value
from soljit.codegen.spelling.types import cpp_type
from soljit.codegen.writing.context import Context
from soljit.ir.core.expr import Cast, Load
from soljit.ir.core.nodes import (
    Alloc,
    Bind,
    Branch,
    Break,
    Call,
    Callback,
    Continue,
    Copy,
    Let,
    LibraryNode,
    Loop,
    Map,
    Node,
    Raise,
    Region,
    Return,
    Tasklet,
    While,
)

OPERAND_WORDS = 32  # of `operands` in frame.h


def region(cx: Context, r: Region) -> None:
    """All nodes of a region, in order."""
    with positions_of_region(cx):
        for n in r.nodes:
            statement(cx, n)


def statement(cx: Context, n: Node) -> None:
    """One node."""
    if not isinstance(n, Region):
        cx.out.mark(n.loc)
    with profile.timed(cx, n) as name:
        _statement(cx, n)
        if name and offload.concerns(n, cx.program.data):
            offload.wait(cx, n, name)


def _statement(cx: Context, n: Node) -> None:
    if not cx.in_kernel and offload.concerns(n, cx.program.data):
        offload.emit(cx, n, region)
        return
    if cx.block is not None:
        blocks_of_threads.statement(cx, n, region)
        return
    match n:
        case Region():
            region(cx, n)
        case Let():
            cx.tables.uses(n.value.dtype)
            cx.out.line(f"const {cpp_type(n.value.dtype)} {cx.names.symbol(n.name)} = {value(cx, n.value)};")
        case Tasklet():
            _tasklet(cx, n)
        case Alloc():
            memory_of(cx).alloc(n.data, n.zero, n.loc)
        case Map():
            (nests.loops_of_thread if cx.in_kernel else maps.emit_map)(cx, n, region)
        case Loop() | While():
            cx.in_loop += 1
            _loop(cx, n)
            cx.in_loop -= 1
        case Branch():
            _branch(cx, n)
        case Break() | Continue():
            cx.out.line("break;" if isinstance(n, Break) else "continue;")
        case Raise():
            _raise(cx, n)
        case Return():
            offload.hand_over(cx, n)
            words.emit_return(cx, n)
        case Bind():
            bind(cx, n)
        case Copy():
            emit_copy(cx, n)
        case LibraryNode():
            library.emit_library(cx, n)
        case Callback():
            calls.callback(cx, n)
        case Call():
            calls.call(cx, n)
        case _:
            raise InternalError(f"unknown node {n!r}")


def _tasklet(cx: Context, n: Tasklet) -> None:
    """An assignment, or a value that is added (or the like) to what is there."""
    match n.code:
        case Load(memlet=source) if n.out.wcr is None:
            combine(cx, n.out, cx.places.element(source), n.code.dtype)
        case Cast(arg=truth) if is_counted(cx, n.out):
            combine(cx, n.out, value(cx, truth), truth.dtype)
        case code:
            combine(cx, n.out, value(cx, code), code.dtype)


def _loop(cx: Context, n: Loop | While) -> None:
    """The span is evaluated once: what the body may change is kept in constants."""
    look = looks.before(cx, n.body)
    if isinstance(n, While):
        with cx.out.block(f"while ({value(cx, n.cond)})"), looks.iteration(cx, look, n.body):
            region(cx, n.body)
        return
    if n.words:
        selections.emit_selection(cx, n, look, region)
        return
    start = index(cx, n.span.start)
    stop, step = (nests.steady(cx, n.var, what, e) for what, e in (("stop", n.span.stop), ("step", n.span.step)))
    with (
        with_divisors(cx, n),
        cx.out.block(nests.loop_head(cx, n.var, start, stop, step)),
        looks.iteration(cx, look, n.body),
    ):
        region(cx, n.body)


def _branch(cx: Context, n: Branch) -> None:
    if emit_position(cx, n, lambda: region(cx, n.then)):
        return
    cx.out.line(f"if ({_condition(cx, n)}) {{")
    while True:
        cx.out.level += 1
        looks.arm(cx, n.then)
        region(cx, n.then)
        cx.out.level -= 1
        match n.orelse.nodes:
            case ():
                break
            case (Branch() as other,):
                n = other
                cx.out.line(f"}} else if ({_condition(cx, n)}) {{")
            case _:
                cx.out.line("} else {")
                cx.out.level += 1
                looks.arm(cx, n.orelse)
                region(cx, n.orelse)
                cx.out.level -= 1
                break
    cx.out.line("}")


def _condition(cx: Context, n: Branch) -> str:
    arm = n.then.nodes
    checks = bool(arm) and all(isinstance(x, Map) and x.until for x in arm)  # which an earlier one makes superfluous
    rare = checks or any(isinstance(x, Raise) for x in arm)
    return f"SOL_UNLIKELY({value(cx, n.cond)})" if rare else str(value(cx, n.cond))


def _raise(cx: Context, n: Raise) -> None:
    place = cx.tables.raising(
        n.exception, n.message, tuple(e.dtype for e in n.operands), n.loc, id(n) in cx.tables.early
    )
    word = 0
    for e in n.operands:
        cx.tables.uses(e.dtype)
        cx.out.line(f"sol_put<{cpp_type(e.dtype)}>(frame->operands + {word}, {value(cx, e)});")
        word += words.scalar_words(e.dtype)
    if word > OPERAND_WORDS:
        raise InternalError(f"a message with {word} words of operands")
    cx.out.line(f"return frame->place = {place}, SOL_RAISE;")
