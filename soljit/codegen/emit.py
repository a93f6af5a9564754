"""A Program as a C++ file: the one public function `emit`.

Every function of the program becomes a C++ function `int32_t f(frame, out, arguments…)`; `sol_kernel` unpacks the argument
words and calls the first. The text depends on nothing but the program, the floating-point mode and the features.
"""

from __future__ import annotations

import hashlib
import re

from soljit.analysis.cost.looks import Looks, called_in_try, looks_of
from soljit.analysis.cost.python_work import is_hardly_computing
from soljit.analysis.memory.escaping import escaping
from soljit.analysis.memory.homes import borrowers, homes_of
from soljit.codegen import statements
from soljit.codegen.device import offload
from soljit.codegen.loops import profile, shared_nests
from soljit.codegen.memory.containers import Memory
from soljit.codegen.memory.placement import declare_locals
from soljit.codegen.routines.products import compiled_once
from soljit.codegen.routines.words import scalar_words
from soljit.codegen.source import Features, Kernel, Source, Timed
from soljit.codegen.spelling.expressions import value
from soljit.codegen.spelling.types import cpp_type
from soljit.codegen.writing.context import Context
from soljit.codegen.writing.names import Names, spelled
from soljit.codegen.writing.tables import HEADER_ORDER, Tables
from soljit.codegen.writing.text import UNARY
from soljit.codegen.writing.writer import Writer
from soljit.ir.callbacks.repeatable import early_limits
from soljit.ir.core.data import Array
from soljit.ir.core.expr import Extent
from soljit.ir.core.nodes import Call, Param, Program, Raise, Return
from soljit.ir.walk import symbols_defined, walk

FEATURES = Features()


def emit(program: Program, *, fp: str = "strict", features: Features = FEATURES) -> Source:
    """The program in C++, with its tables."""
    functions = _functions(program)
    tables = Tables(fp, features, functions, early_limits(program), main=program)
    if features.profile:
        tables.places = [Timed("kernel function", program.loc, (program.loc,), program.name)]
    taken = {"sol_kernel", "sol_guard"}
    for name in functions:
        text = _distinct(f"{spelled(name)}_f", taken)
        tables.function_names[name] = text
    main = _distinct(f"{spelled(program.name)}_main", taken)
    called = [(tables.function_names[k], p) for k, p in functions.items()]
    in_try = called_in_try([program, *functions.values()], tables.reached)
    bodies = [_function(tables, tables.function_names[k], p, k, k not in in_try) for k, p in functions.items()]
    body = _function(tables, main, program)
    guard = _guard(tables, program)
    out = Writer()
    if called:
        out.line('#include "soljit/stack.h"')
    for name, p in called:
        out.line(_declaration(tables, name, p))
    parts = [*bodies, body, _kernel(tables, main, program, bool(called)), guard]
    device_text, image, kernels = _device(tables, program)
    if kernels:
        out.lines += offload.kernels_table([k.name for k in kernels], image)
    return Source(
        "\n".join([_head(tables, program), *([out.text] if called or kernels else []), *parts]),
        tuple(tables.imports),
        tuple(tables.raises),
        tuple(tables.callbacks),
        tables.openmp or bool(tables.products),
        parts=tuple(map(compiled_once, sorted(tables.products))),
        device_text=device_text,
        kernels=kernels,
        image=image,
        device_libraries=tuple(sorted(tables.device_libraries)),
        calls=tuple(tables.calls),
        light=is_hardly_computing(program),
        timed=tuple(tables.places or ()),
    )


def _device(tables: Tables, program: Program) -> tuple[str, int, tuple[Kernel, ...]]:
    """The text of the kernels, the number of the image that they become, and what launches must know of them."""
    if tables.device is None:
        return "", 0, ()
    where = f" of {program.loc.file.rsplit('/', 1)[-1]}" if program.loc.file else ""
    first = f"// Kernels of {program.name}{where}, compiled by soljit, floating point {tables.fp}."
    text = "\n".join([first, '#include "soljit/kernel.h"', *tables.device.out.lines]) + "\n"
    image = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")
    return text, image, tuple(tables.device.kernels)


def _functions(program: Program) -> dict[str, Program]:
    """All functions that calls may name, those of functions included."""
    out: dict[str, Program] = {}
    stack = [program]
    while stack:
        p = stack.pop()
        for name, f in p.functions.items():
            if name not in out:
                out[name] = f
                stack.append(f)
    called = {n.function for p in (program, *out.values()) for n in walk(p.body) if isinstance(n, Call)}
    if program.name in called and program.name not in out:
        out[program.name] = program
    return dict(sorted(out.items()))


def _distinct(name: str, taken: set[str]) -> str:
    text, k = name, 1
    while text in taken:
        text, k = f"{name}{k}", k + 1
    taken.add(text)
    return text


# --- one function -------------------------------------------------------------------------------------------------------


def _context(tables: Tables, program: Program) -> tuple[Context, Memory]:
    names = Names()
    params = [p.name for p in program.params if p.kind != "array"]
    names.declare(program.data, [*params, *program.symbols, *sorted(symbols_defined(program.body))])
    cx = Context(program, tables, names, Writer(1), escaping(program, tables.functions))
    memory = Memory(cx)
    cx.places = memory
    cx.homes = homes_of(program)
    cx.borrowers = borrowers(program, cx.homes)
    return cx, memory


def _signature(cx: Context, memory: Memory, name: str, attributes: str = "") -> str:
    params = ["sol_frame* frame", "int64_t* out"]
    for p in cx.program.params:
        if p.kind == "array":
            cx.tables.uses(cx.data(p.name).dtype)
            params += memory.parameters(p.name)
        else:
            if p.dtype is not None:
                cx.tables.uses(p.dtype)
            params.append(f"const {_scalar_type(p)} {cx.names.symbol(p.name)}")
    return f"{attributes}static int32_t {name}({', '.join(params)})"


def _scalar_type(p: Param) -> str:
    return "int64_t" if p.dtype is None else cpp_type(p.dtype)


def _declaration(tables: Tables, name: str, program: Program) -> str:
    return _signature(*_context(tables, program), name) + ";"


def _function(tables: Tables, name: str, program: Program, called: str = "", stops: bool = True) -> str:
    """The definition: sizes that are used, then the body. called: how calls name it; then the stack may end. stops: signals may interrupt it."""
    cx, memory = _context(tables, program)
    cx.looks, cx.left = looks_of(program) if stops else Looks(), cx.names.fresh("left")
    signature = _signature(cx, memory, name, "" if called else "SOL_NOINLINE ")
    head, cx.out = cx.out, Writer(1)
    sizes = cx.out
    sizes.line("const sol_services* const services = frame->services;")
    sizes.line(f"int64_t {cx.left} = SOL_LOOK;")
    _sizes(cx)
    for k, d in program.data.items():
        if isinstance(d, Array) and not d.transient:
            memory.settle(k)
    cx.out = head
    if called:
        place = tables.raising("builtins.RecursionError", "maximum recursion depth exceeded", (), program.loc)
        head.line(f"if (SOL_UNLIKELY(SOL_STACK_IS_FULL())) return frame->place = {place}, SOL_RAISE;")
    if called and stops and called in tables.reached(called):
        place = tables.raising("", None, (), program.loc)
        tables.headers.add("look")
        head.line(f"if (SOL_UNLIKELY(--sol_calls_left == 0 && !sol_look_at_call(frame, {place}))) return SOL_PYTHON;")
    declare_locals(cx, None)
    if called:
        profile.time_function(cx)
    offload.begin(cx)
    statements.region(cx, program.body)
    if not program.body.nodes or not isinstance(program.body.nodes[-1], (Return, Raise)):
        head.line("return SOL_OK;")
    head.lines = shared_nests.share(cx, head.lines)
    lines = [f"{signature} {{", *_used(sizes.lines, head.text), *head.lines, "}"]
    return "\n".join(lines) + "\n"


def _sizes(cx: Context) -> None:
    """Size symbols from the words of array arguments."""
    for name, e in cx.program.symbols.items():
        d = cx.data(e.data)
        assert isinstance(d, Array)
        words = f"{cx.names.data(e.data)}_dims"
        if isinstance(e, Extent):
            text = f"{words}[{e.dim}]"
        else:
            text = f"{words}[{len(d.shape) + e.dim}] / {d.dtype.size}"
        cx.out.line(f"const int64_t {cx.names.symbol(name)} = {text};")


def _used(lines: list[str], text: str) -> list[str]:
    """Those definitions that `text`, or a later one of them, uses."""
    used = set(re.findall(r"\w+", text))
    out = []
    for line in reversed(lines):
        name, _, definition = line.partition(" = ")
        if name.split()[-1] in used:
            out.append(line)
            used.update(re.findall(r"\w+", definition))
    return out[::-1]


# --- what the runtime calls ---------------------------------------------------------------------------------------------


def _arguments(program: Program) -> list[tuple[Param, int]]:
    """Parameters and the words at which they start."""
    out, at = [], 0
    for p in program.params:
        out.append((p, at))
        if p.kind == "array":
            d = program.data[p.name]
            assert isinstance(d, Array)
            at += 1 + 2 * len(d.shape)
        else:
            at += 1 if p.dtype is None else scalar_words(p.dtype)
    return out


def _kernel(tables: Tables, main: str, program: Program, calls: bool) -> str:
    args = ["frame", "frame->out"]
    for p, at in _arguments(program):
        if p.kind == "array":
            args += [f"({cpp_type(program.data[p.name].dtype)}*)in[{at}]", "nullptr", f"in + {at + 1}"]
        elif p.dtype is None:
            args.append(f"in[{at}]")
        else:
            args.append(f"sol_get<{cpp_type(p.dtype)}>(in + {at})")
    out = Writer()
    with out.block('extern "C" SOL_EXPORT int32_t sol_kernel(sol_frame* frame)'):
        out.line("const int64_t* const in = frame->in;")
        out.line("sol_clean_registers();")
        if calls:
            out.line("if (!sol_stack_end) sol_find_stack_end();")
        if tables.places is not None:
            out.line(f"sol_timed_kernel timed({profile.slot(tables)}, sol_places);")
        out.line(f"return {main}({', '.join(args)});")
    return out.text


def _guard(tables: Tables, program: Program) -> str:
    """Tell whether all guards hold for these argument words. (Array arguments have no contents here, only sizes.)"""
    cx, memory = _context(tables, program)
    for p in program.params:
        if p.kind == "array":
            memory.from_words(p.name)
    conditions = [value(cx, g) for g in program.guards]
    sizes = cx.out
    for p, at in _arguments(program):
        if p.kind == "array":
            sizes.line(f"const int64_t* const {cx.names.data(p.name)}_dims = in + {at + 1};")
        elif p.dtype is not None:
            t = cpp_type(p.dtype)
            sizes.line(f"const {t} {cx.names.symbol(p.name)} = sol_get<{t}>(in + {at});")
    _sizes(cx)
    answer = " && ".join(c.at(UNARY) for c in conditions) or "true"
    lines = ['extern "C" SOL_EXPORT int32_t sol_guard(const int64_t* in) {']
    lines += [*_used(sizes.lines, answer), f"  return {answer};", "}"]
    return "\n".join(lines) + "\n"


def _head(tables: Tables, program: Program) -> str:
    """Comment, headers, imports, and the functions that imports need."""
    out = Writer()
    where = f" of {program.loc.file.rsplit('/', 1)[-1]}" if program.loc.file else ""
    out.line(f"// {program.name}{where}, compiled by soljit.")
    out.line('#include "soljit/prelude.h"')
    for h in HEADER_ORDER:
        if h in tables.headers:
            out.line(f'#include "soljit/{h}.h"')
    out.line()
    for kind in sorted(tables.products):
        out.line(f"SOL_PRODUCTS_ELSEWHERE({kind})")
    names = "".join(f'"{n}", ' for n in tables.imports)
    out.line(f'extern "C" {{ SOL_EXPORT extern const char* const sol_imports[] = {{{names}nullptr}}; }}')
    out.line(f'extern "C" {{ SOL_EXPORT void* sol_slots[{max(1, len(tables.imports))}] = {{}}; }}')
    if tables.places is not None:
        out.line(profile.places(len(tables.places)))
    for definition in tables.vector_math.values():
        out.line()
        out.lines += definition.splitlines()
    for _, text in tables.nests.values():
        out.lines += ["", *text]
    return out.text
