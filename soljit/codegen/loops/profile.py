"""What is timed of a program that is compiled under `soljit.profile()`: `include/soljit/profile.h` holds the clock, this says where it runs.

A place is a nest of loops, a call of a library, a copy of an array, a call of Python or a kernel of a device, never an iteration. What stands in a loop is a place of its own if it
has enough work in one run for a clock not to matter, which its sizes tell, or calls Python; else its time is that of the loop around it, whose lines name it. A loop that holds nothing but another
one of its kind is one place with it. Within a loop whose iterations are spread over threads, nothing is timed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from soljit.analysis.cost.traffic import traffic
from soljit.analysis.cost.work import work
from soljit.analysis.explain.calls import Called, call
from soljit.analysis.explain.lines import Lines
from soljit.analysis.explain.program_remarks import home_first
from soljit.analysis.explain.wording import Words, is_loop_statement, of_the_user
from soljit.codegen.source import Timed
from soljit.codegen.spelling.expressions import index
from soljit.codegen.writing.context import Context
from soljit.codegen.writing.tables import Tables
from soljit.codegen.writing.text import SUM
from soljit.ir.core.data import Scalar
from soljit.ir.core.expr import Const, Expr
from soljit.ir.core.nodes import Branch, Call, Callback, Copy, LibraryNode, Loop, Map, Node, Region, While
from soljit.ir.walk import walk
from soljit.ir.walk.spaces import is_device_call, is_kernel, is_transfer
from soljit.ir.walk.tree import children_nodes
from soljit.support.pending import unguarded

LEAST = 8000  # operations of `work` from which a place in a loop is timed: some microseconds
_LOOPS = (Loop, While, Map)
_BLAS = ("f32", "f64", "c64", "c128")


def slot(tables: Tables) -> str:
    """What all places of the process share, as an expression."""
    tables.headers.add("profile")
    return f"sol_slots[{tables.slot('shared:profile')}]"


@contextmanager
def timed(cx: Context, n: Node) -> Iterator[str]:
    """What is written inside is the code of this node, with its time taken if it is a place; gives what C++ calls that, "" if it is none."""
    if cx.tables.places is None:
        yield ""
        return
    outer, place, cx.timed = cx.timed, cx.place, ""
    opened = _opened(cx, n)
    with cx.out.block() if opened else nullcontext():
        for line in opened:
            cx.out.line(line)
        yield cx.timed
    cx.timed, cx.place = outer, place


def _opened(cx: Context, n: Node) -> list[str]:
    """The lines that start the clock of a node, none if it is no place."""
    kind = _kind(cx, n) if not cx.in_kernel and cx.block is None and id(n) not in cx.merged else ""
    on_host = kind in ("loop", "library", "copy")
    if isinstance(n, _LOOPS):
        cx.merged |= _merged(n)
    size = work(n) if on_host and _is_repeated(cx) and not _calls_python(cx, n) else None
    if not kind or isinstance(size, Const) and size.value.real < LEAST:
        return []
    moved = traffic(cx.program, n) if on_host else None
    cx.timed = cx.names.fresh("timed")
    number = cx.place = _add(cx, _entry(cx, n, kind, moved))
    when = f", {index(cx, size).at(SUM)} >= {LEAST}" if size is not None else ""
    lines = [f"sol_timed {cx.timed}({slot(cx.tables)}, sol_places + {number}{when});"]
    return lines + ([f"if ({cx.timed}.thread) {cx.timed}.bytes = {index(cx, moved)};"] if moved is not None else [])


@contextmanager
def timed_call(cx: Context, n: Callback) -> Iterator[None]:
    """What is written inside calls Python."""
    if cx.tables.places is None:
        yield
        return
    number = _add(cx, _entry(cx, n, "call", None))
    name = cx.names.fresh("timed")
    with cx.out.block():
        cx.out.line(f"sol_timed {name}({slot(cx.tables)}, sol_places + {number});")
        yield


def time_function(cx: Context) -> None:
    """A function of the program, from here to its end; one without anything to time is part of the lines that call it."""
    if cx.tables.places is None:
        return
    p = cx.program
    if not any(isinstance(n, (*_LOOPS, LibraryNode, Callback)) for n in walk(p.body)):
        _add(cx, Timed("within", p.loc, (p.loc,), p.name))
        return
    number = cx.place = _add(cx, Timed("function", p.loc, (p.loc,), p.name))
    when = "" if _calls_python(cx, p.body) else f", {index(cx, work(p.body)).at(SUM)} >= {LEAST}"
    cx.out.line(f"sol_timed {cx.names.fresh('timed')}({slot(cx.tables)}, sol_places + {number}{when});")


def team(cx: Context, many: str) -> str:
    """Tell the place of a parallel loop how many threads run it; the line that times the piece of one, "" if nothing is timed."""
    if not cx.timed:
        return ""
    cx.out.line(f"{cx.timed}.team({many});")
    return f"sol_timed_piece {cx.names.fresh('piece')}({cx.timed});"


def _add(cx: Context, entry: Timed) -> int:
    places = cx.tables.places
    assert places is not None
    places.append(entry)
    return len(places) - 1


def _calls_python(cx: Context, n: Node) -> bool:
    """Tell whether it may call Python, which takes longer than a clock."""
    called = {x.function for x in walk(n) if isinstance(x, Call)}
    called.update(*map(cx.tables.reached, called))
    return any(
        isinstance(x, Callback) for body in (n, *(cx.tables.functions[f].body for f in called)) for x in walk(body)
    )


def _is_repeated(cx: Context) -> bool:
    """Tell whether the text that is written may run many times in a call."""
    return bool(cx.in_loop or cx.in_map or cx.program is not cx.tables.main)


def _kind(cx: Context, n: Node) -> str:
    match n:
        case Map() if is_kernel(n):
            return "kernel"
        case LibraryNode() if is_device_call(n, cx.program.data):
            return "kernel"
        case Copy() if is_transfer(n, cx.program.data):
            return "transfer"
        case Map() | Loop() | While():
            return "loop"
        case LibraryNode():
            return "library"
        case Copy() if not isinstance(cx.data(n.dst.data), Scalar):
            return "copy"
    return ""


def _merged(n: Node) -> frozenset[int]:
    """A loop of the same kind that is all there is to time in the body of this one."""
    inner = list(_below(n))
    same = [x for x in inner if isinstance(x, Map) == isinstance(n, Map) and isinstance(x, _LOOPS)]
    return frozenset({id(same[0])}) if len(inner) == len(same) == 1 else frozenset()


def _below(n: Node) -> Iterator[Node]:
    """The outermost nodes in the body of a loop that may be places."""
    for x in children_nodes(n):
        if isinstance(x, (*_LOOPS, LibraryNode, Copy, Callback)):
            yield x
        elif isinstance(x, Region | Branch):
            yield from _below(x)


def _entry(cx: Context, n: Node, kind: str, moved: Expr | None) -> Timed:
    lines = _lines(cx)
    under = list(lines.under.get(id(n), {}).values()) if isinstance(n, _LOOPS) else []
    here = n.loc if n.loc.line else cx.program.loc
    home = of_the_user(here)
    if under and not is_loop_statement(here):
        home = home_first(under)[0]
    return Timed(kind, home, tuple(dict.fromkeys((home, *under))), *_named(cx, n), moved is not None, cx.place)


def _lines(cx: Context) -> Lines:
    if cx.lines is None:
        cx.lines = Lines(cx.program)
    return cx.lines


def _named(cx: Context, n: Node) -> tuple[str, bool]:
    """What a place calls, and whether that is NumPy or its BLAS."""
    match n:
        case LibraryNode():
            d = cx.program.data.get(n.outs[0].data) if n.outs else None
            if n.op in ("matmul", "ger"):
                by_blas = n.op == "matmul" and "loops" not in n.attrs and d is not None and d.dtype.name in _BLAS
                return ("BLAS" if by_blas else ""), by_blas
            routine = str(n.attrs.get("function", "")).rpartition(".")[2]
            return f"NumPy's {routine}" if routine else f"np.{n.op}", True
        case Callback():
            target = unguarded(n.target)
            made = {out: x for x, _ in _lines(cx).nodes if isinstance(x, Callback) for out in x.outs}
            found = call(cx.program, n, False, made, Words(cx.program, (), cx.program))
            if isinstance(found, Called):
                return found.short, target.startswith("numpy.")
            if target.startswith("numpy."):
                return f"np.{target.removeprefix('numpy.')}()", True
            return f"{target.rpartition('.')[2]}()", False
    return "", False


def places(count: int) -> str:
    """The definition of the counts of all places, which the runtime reads."""
    return f'extern "C" {{ SOL_EXPORT sol_timed_place sol_places[{max(1, count)}] = {{}}; }}'
