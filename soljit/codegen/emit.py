"""From a program to a C++ file: the entry point, the guard, the functions it calls, and the tables that go with them.

`emit` is pure: the same program gives the same text. It decides nothing: what runs on threads, what is vectorized and what is
fused stands in the program.
"""

from __future__ import annotations

from soljit.codegen import placement
from soljit.codegen.calls import words_of
from soljit.codegen.context import HEADER_ORDER, Context, Tables, cpp_type
from soljit.codegen.expressions import value
from soljit.codegen.memory import Memory
from soljit.codegen.names import Names
from soljit.codegen.source import Features, Source
from soljit.codegen.statements import statements
from soljit.codegen.writer import Writer
from soljit.ir import nodes
from soljit.ir.data import Array, Ref
from soljit.ir.expr import Extent, Memlet
from soljit.ir.names import symbols_defined
from soljit.ir.tree import walk
from soljit.ir.types import DType


def emit(program: nodes.Program, *, fp: str = "strict", features: Features | None = None) -> Source:
    """The translation unit of a program."""
    tables = Tables(fp, features or Features(), dict(program.functions))
    for name in program.functions:
        tables.function_names[name] = f"sol_fn_{name}"
    parts: list[str] = []
    for name, inner in program.functions.items():
        parts.append(_function(tables, inner, f"static int32_t {tables.function_names[name]}(sol_frame* frame, const int64_t* in, int64_t* out)"))
    kernel = _function(tables, program, 'extern "C" int32_t sol_kernel(sol_frame* frame)', entry=True)
    guard = _guard(tables, program)
    out = Writer()
    out.line(f"// {program.name}{f' ({program.loc})' if program.loc.line else ''}")
    out.line('#include "soljit/prelude.h"')
    for header in HEADER_ORDER:
        if header in tables.headers:
            out.line(f'#include "soljit/{header}.h"')
    out.line()
    names = ", ".join(f'"{n}"' for n in tables.imports)
    out.line('extern "C" {')
    out.line(f"extern const char* const sol_imports[]; const char* const sol_imports[] = {{{names + ', ' if names else ''}nullptr}};")
    out.line(f"extern void* sol_slots[]; void* sol_slots[{max(1, len(tables.imports))}];")
    out.line("int32_t sol_kernel(sol_frame* frame);")
    out.line("int32_t sol_guard(const int64_t* in);")
    out.line("}")
    for text in tables.vector_math.values():
        out.line(text)
    for name in program.functions:
        out.line(f"static int32_t {tables.function_names[name]}(sol_frame* frame, const int64_t* in, int64_t* out);")
    text = out.text + "\n" + guard + "\n" + "\n".join(parts) + "\n" + kernel
    return Source(text, tuple(tables.imports), tuple(tables.raises), tuple(tables.callbacks), tables.openmp)


def _context(tables: Tables, program: nodes.Program) -> Context:
    names = Names()
    params = [p.name for p in program.params if p.kind == "scalar"]
    objects = [p.name for p in program.params if p.kind == "object"]
    names.declare([*program.data, *objects], [])
    names.declare([], [*params, *program.symbols, *sorted(symbols_defined(program.body))])
    cx = Context(program, tables, names, Writer())
    cx.places = Memory(cx)
    cx.escaping = frozenset(_escaping(program))
    return cx


def _escaping(program: nodes.Program) -> set[str]:
    """Transient arrays that a Ref, a result or Python may hold on to."""
    from soljit.ir.data import View

    def root(name: str) -> str:
        d = program.data[name]
        while isinstance(d, View):
            name = d.of
            d = program.data[name]
        return name

    out: set[str] = set()
    for n in walk(program.body):
        match n:
            case nodes.Bind():
                out.add(root(n.source.data))
            case nodes.Return(values=items) | nodes.Callback(ins=items):
                out |= {root(v.data) for v in items if isinstance(v, Memlet)}
    return {n for n in out if isinstance(program.data[n], Array)}


def _params(cx: Context, used: set[str] | None = None) -> None:
    """Arguments and size symbols from the words."""
    at = 0
    program, out = cx.program, cx.out
    places: dict[str, tuple[int, int]] = {}
    for p in program.params:
        if p.kind == "object":
            out.line(f"void* const {cx.names.data(p.name)} = (void*)in[{at}];")
            at += 1
        elif p.kind == "scalar":
            assert p.dtype is not None
            cx.tables.uses(p.dtype)
            out.line(f"const {cpp_type(p.dtype)} {cx.names.symbol(p.name)} = sol_get<{cpp_type(p.dtype)}>(in + {at});")
            at += words_of(p.dtype)
        else:
            d = program.data[p.name]
            assert isinstance(d, Array)
            cx.tables.uses(d.dtype)
            name = cx.names.data(p.name)
            restrict = "" if _shared(cx, p.name) else "__restrict "
            out.line(f"{cpp_type(d.dtype)}* const {restrict}{name} = ({cpp_type(d.dtype)}*)in[{at}];")
            out.line(f"sol_buffer* const {name}_buf = nullptr;")
            places[p.name] = (at, len(d.shape))
            at += 1 + 2 * len(d.shape)
    for symbol, source in program.symbols.items():
        first, n = places[source.data]
        if isinstance(source, Extent):
            text = f"in[{first + 1 + source.dim}]"
        else:
            d = program.data[source.data]
            assert isinstance(d, Array)
            text = f"in[{first + 1 + n + source.dim}] / {d.dtype.size}"
        out.line(f"const int64_t {cx.names.symbol(symbol)} = {text};")


def _shared(cx: Context, name: str) -> bool:
    """May anything else in the program point into this argument?"""
    d = cx.data(name)
    assert isinstance(d, Array)
    if d.alias is not None:
        return True
    for other in cx.program.data.values():
        if isinstance(other, Ref) and (name in other.alias or not other.alias):
            return True
        if getattr(other, "of", None) == name:
            return True
    return False


def _function(tables: Tables, program: nodes.Program, head: str, entry: bool = False) -> str:
    cx = _context(tables, program)
    with cx.out.block(head):
        cx.out.line("const sol_services* const services = frame->services;")
        if entry:
            cx.out.line("const int64_t* const in = frame->in;")
            cx.out.line("int64_t* const out = frame->out;")
        _params(cx)
        placement.declare_function(cx)
        statements(cx, program.body)
        if not program.body.nodes or not isinstance(program.body.nodes[-1], (nodes.Return, nodes.Raise)):
            cx.out.line("return SOL_OK;")
    return cx.out.text


def _guard(tables: Tables, program: nodes.Program) -> str:
    cx = _context(tables, program)
    with cx.out.block('extern "C" int32_t sol_guard(const int64_t* in)'):
        _params(cx)
        conditions = [str(value(cx, g).at(4)) for g in program.guards]
        cx.out.line(f"return {' && '.join(conditions) if conditions else '1'};")
    return cx.out.text


__all__ = ["DType", "emit"]
