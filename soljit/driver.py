"""The way of a function, on one screen: `compile_function`.

What surrounds it makes the record for the runtime, and reports of our bugs.
"""

from __future__ import annotations

import inspect
import os
import platform
import sys
import traceback
import types
from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Any

from soljit.analysis import page as pages
from soljit.analysis.python_work import python_work
from soljit.analysis.remarks import remarks
from soljit.base import unnamed
from soljit.base.dependency import Dependency, Path, resolve
from soljit.base.errors import InternalError, SoljitError, UnsupportedError
from soljit.base.place import Loc
from soljit.base.settings import Settings
from soljit.base.trace import Trace
from soljit.base.unforeseen import Foreseen, Site
from soljit.base.version import __version__
from soljit.codegen.source import CallbackEntry, Features, RaiseEntry, Source
from soljit.frontend_ast.lower import Lowered, lower_function
from soljit.ir import codec, verify
from soljit.ir.data import Array
from soljit.ir.effects import writes_outside
from soljit.ir.nodes import Param, Program
from soljit.ir.parser import from_text
from soljit.ir.pending import unguarded
from soljit.ir.printer import to_text
from soljit.ir.repeatable import changes_objects, repeatable
from soljit.ir.signature import ArgType, ArrayArg
from soljit.ir.spelling import spell
from soljit.ir.templates import weak_operands
from soljit.passes.manager import Context, dump_to, verify_with
from soljit.passes.pipeline import optimize
from soljit.runtime import library, toolchain
from soljit.runtime.alias_groups import alias_groups
from soljit.runtime.arguments import type_of_leaf, type_text
from soljit.runtime.cache import Cache
from soljit.runtime.fingerprint import Unknown, digest, fingerprint, type_fingerprint
from soljit.runtime.variant import CallbackTable, LeafRecord, Place, RaiseRecord, Record
from soljit.targets.table import find_target
from soljit.targets.target import Target

Compiled = tuple[Record, tuple[Dependency, ...]]


def compile_function(
    function: types.FunctionType,
    types_: Sequence[ArgType],
    leaves: Sequence[Any],  # any: the user's values
    settings: Settings,
    cache: Cache,
    undecided: bool = False,
    foreseen: Foreseen = MappingProxyType({}),
) -> Compiled:
    """Compile `function` for a call with these types and values; anything unexpected becomes an InternalError with a
    report. foreseen: what calls back into Python have given.
    """
    trace = Trace(function.__qualname__, settings.debug)
    stages: list[tuple[str, str]] = []
    try:
        target = find_target(settings.target)
        with trace.step("lower"):
            lowered = lower_function(function, types_, leaves, undecided=undecided, fp=settings.fp, foreseen=foreseen)
        stages.append(("program as lowered", to_text(lowered.program)))
        trace.say(4, "\n".join(stages[-1]))
        tools = None
        if target.emit is not None:
            with trace.step("toolchain"):
                tools = toolchain.toolchain(settings.cxx, cache, settings.compiler_seconds)
        cx = context(settings, target, tools)
        program = lowered.program
        if target.optimized:
            with trace.step("optimize"):
                program = optimize(program, cx)
            stages.append(("program as optimized", to_text(program)))
            trace.say(4, "\n".join(stages[-1]))
        check_overlap(function, lowered, leaves, program)
        if target.emit is None or tools is None:
            trace.say(1, trace.summary())
            return interpreted(function, lowered, program, leaves, cx, cache, trace), lowered.dependencies
        with trace.step("emit"):
            source = target.emit(program, fp=settings.fp, features=features(tools))
        stages.append(("code", source.text))
        with trace.step("c++"):
            made = build(function, source, program, lowered, settings, tools, cache, trace)
        trace.say(1, trace.summary())
        return record_of(function, lowered, leaves, program, source, cx, made, trace), lowered.dependencies
    except SoljitError as e:
        if isinstance(e, InternalError):
            raise InternalError(report_bug(function, types_, stages, cache)) from e
        raise
    except Exception as e:
        raise InternalError(report_bug(function, types_, stages, cache)) from e


def context(settings: Settings, target: Target, tools: toolchain.Toolchain | None) -> Context:
    """What the passes may know, and the hooks that the settings ask for. Without a compiler: of a machine that has all."""
    openmp, bits = (tools.openmp, tools.vector_bits) if tools else (True, 512)
    count = max(2, os.cpu_count() or 1) if tools else 4  # the run asks again: code is kept for other processes
    threads = count if target.parallel and settings.parallel and openmp else 1
    cx = Context(threads=threads, vector_bits=bits, fp=settings.fp, stop_after=settings.stop_after)
    wanted = "all" if settings.debug >= 5 else settings.dump
    if wanted and wanted != "source":
        cx.hooks.append(dump_to(to_text, sys.stderr, "" if wanted == "all" else wanted))
    if settings.check:
        cx.hooks.append(verify_with(verify.check))
    return cx


def features(tools: toolchain.Toolchain) -> Features:
    """What generated code may use to have the bits of NumPy's loops on this machine."""
    return Features(
        avx512=tools.avx512 and library.loops_are_wide(),
        fma=tools.fma and library.loops_fuse(),
        clang=tools.clang,
        whole_rows=library.buffers_hold_whole_rows(),
        svml=library.has_svml(),
        blas=library.has_blas(),
    )


def build(
    function: types.FunctionType,
    source: Source,
    program: Program,
    lowered: Lowered,
    settings: Settings,
    tools: toolchain.Toolchain,
    cache: Cache,
    trace: Trace,
) -> str:
    """Compile the text, unless the same text was compiled before; how the record names the library."""
    flags = tools.flags(settings.fp, source.needs_openmp, settings.sanitize)
    stem = digest(source.text, repr(flags), tools.identity)
    if settings.dump == "source" or settings.debug >= 5:
        sys.stderr.write(source.text)
    made = cache.library_name(stem)
    if not made:
        cache.keep(f"{stem}.ir0", _kept_text(function, lowered.program))
        cache.keep(f"{stem}.ir", _kept_text(function, program))
        cache.keep(f"{stem}.cpp", source.text)
        trace.say(3, " ".join([tools.path, *flags, cache.object(f"{stem}.cpp"), "-o", cache.object(f"{stem}.so")]))
        made = toolchain.compile_text(tools, stem, source.text, flags, cache, settings.compiler_seconds)
    return made


# --- the record -----------------------------------------------------------------------------------------------------


def record_of(
    function: types.FunctionType,
    lowered: Lowered,
    leaves: Sequence[Any],
    program: Program,
    source: Source,
    cx: Context,
    made: str,
    trace: Trace,
) -> Record:
    """Everything the runtime needs to know of the library."""
    place, early, stem = placer(function), repeatable(program), made.partition(".")[0]
    return Record(
        name=program.name,
        library=made,
        **parts(function, lowered, program, leaves, cx, trace),
        raises=tuple(raise_record(r, place) for r in source.raises),
        callbacks=tuple(callback_table(c, place, early) for c in source.callbacks),
        texts=(("cpp", f"{stem}.cpp"), ("ir", f"{stem}.ir"), ("ir0", f"{stem}.ir0")),
    )


def parts(
    function: types.FunctionType, lowered: Lowered, program: Program, leaves: Sequence[Any], cx: Context, trace: Trace
) -> dict[str, Any]:
    """What compiled and interpreted variants have in common."""
    place = placer(function)
    notes = [(n.loc, n.text) for n in lowered.notes]
    notes += [(n.loc, f"{n.step}: {n.text}") for n in cx.notes]
    notes += remarks(program, cx.threads, cx.vector_bits)
    return {
        "params": tuple(_param(program, p) for p in program.params),
        "results": tuple(
            LeafRecord(r.kind, r.dtype.name, r.ndim, base=r.base, same=r.same, writable=r.writable, itself=r.itself)
            for r in program.results
        ),
        "structure": program.structure,
        "writes": writes_outside(program),
        "identity": lowered.identity,
        "changes_objects": changes_objects(program),
        "python_work": python_work(program),
        "guards": tuple(spell(g) for g in program.guards),
        "captured": fingerprints(lowered.dependencies) + of_this_process(lowered, program),
        "notes": tuple((place(loc).file, place(loc).line, text) for loc, text in notes),
        "steps": (*trace.steps, *((f"pass {name}", s) for name, s in cx.timings.items())),
        "fetched": tuple((path, type_fingerprint(t)) for path, t in captured_arrays(function, lowered, leaves)),
        "twins": lowered.twins,
    }


def _param(program: Program, p: Param) -> LeafRecord:
    d = program.data[p.name] if p.kind == "array" else None
    ndim = len(d.shape) if isinstance(d, Array) else 0
    return LeafRecord(p.kind, p.dtype.name if p.dtype else None, ndim, name=p.name)


def captured_arrays(
    function: types.FunctionType, lowered: Lowered, leaves: Sequence[Any]
) -> list[tuple[Path, ArgType]]:
    """Global and closure arrays that the program takes after its arguments, with their types."""
    found = [(path, resolve(function, path, leaves)) for path in lowered.captures]
    return [(path, type_of_leaf(x, path[-1][1])) for path, x in found]


def check_overlap(function: types.FunctionType, lowered: Lowered, leaves: Sequence[Any], program: Program) -> None:
    """Where something is written, captured arrays may overlap nothing."""
    if not writes_outside(program):
        return
    arguments = [x for x in leaves if isinstance(type_of_leaf(x), ArrayArg)]
    named = [p.name for p in program.params if p.kind == "array"]
    found = [(path, resolve(function, path, leaves)) for path in lowered.captures]
    given = [(path, x) for path, x in found if isinstance(type_of_leaf(x, path[-1][1]), ArrayArg)]
    groups = alias_groups([*arguments, *(x for _, x in given)])
    names = [f"the argument '{n}'" for n in named[: len(arguments)]] + [f"the array '{p[-1][1]}'" for p, _ in given]
    for k, (path, _) in enumerate(given, len(arguments)):
        others = [j for j, group in enumerate(groups) if group is not None and group == groups[k] and j != k]
        if others:
            raise UnsupportedError(
                f"the array '{path[-1][1]}', which is no argument, shares memory with {names[others[0]]}, "
                "and the function changes an array",
                lowered.places.get(path, program.loc),
                "pass both as arguments",
            )


def fingerprints(dependencies: Sequence[Dependency]) -> tuple[tuple[Any, str], ...]:
    """Path and fingerprint of each; "?" (equal to nothing) for a value that has none, so that no other process uses
    the code.
    """
    found = []
    for d in dependencies:
        try:
            found.append((d.path, fingerprint(d.value)))
        except Unknown:
            found.append((d.path, "?"))
    return tuple(found)


def of_this_process(lowered: Lowered, program: Program) -> tuple[tuple[Any, str], ...]:
    """That no other process can use a program which mentions classes that have names in this one only, or lines of a file that was edited."""
    return (((("module", unnamed.__name__),), "?"),) if lowered.moved or unnamed.PREFIX in to_text(program) else ()


def placer(function: types.FunctionType) -> Callable[[Loc], Place]:
    """Places as records keep them: lines of the function's own file count from its first line."""
    code = function.__code__

    def place(loc: Loc) -> Place:
        own = loc.file == code.co_filename
        file, line = ("", loc.line - code.co_firstlineno) if own else (loc.file, loc.line)
        name = loc.function or (function.__name__ if own else "")
        callers = tuple(place(c) for c in loc.chain()[1:2])
        return Place(file, line, name, max(0, loc.end_line - loc.line), loc.col, loc.end_col, callers)

    return place


def raise_record(r: RaiseEntry, place: Callable[[Loc], Place]) -> RaiseRecord:
    """A row of the table of raises."""
    return RaiseRecord(r.exception, r.message, tuple(t.name for t in r.operands), place(r.loc), r.again)


def callback_table(c: CallbackEntry, place: Callable[[Loc], Place], early: set[Site]) -> CallbackTable:
    """A row of the table of callbacks; `early`: the calls before everything that a caller could see."""
    again = Site.at(c.loc, unguarded(c.target)) in early
    site = (place(c.loc).file, place(c.loc).line, c.loc.col)
    weak = weak_operands([*c.args, *c.kwargs.values()])
    ins = tuple(
        LeafRecord("python" if k in weak else o.kind, o.dtype.name if o.dtype else None, o.ndim)
        for k, o in enumerate(c.ins)
    )
    outs = tuple(LeafRecord(o.kind, o.dtype.name if o.dtype else None, o.ndim, order=o.order) for o in c.outs)
    return CallbackTable(c.target, c.args, dict(c.kwargs), ins, outs, c.effects, c.result, site, again, place(c.loc))


def interpreted(
    function: types.FunctionType,
    lowered: Lowered,
    program: Program,
    leaves: Sequence[Any],
    cx: Context,
    cache: Cache,
    trace: Trace,
) -> Record:
    """A variant that the interpreter of the IR runs: no library, but the program as JSON."""
    text = codec.to_json(program)
    stem = digest(text)
    cache.keep(f"{stem}.json", text)
    cache.keep(f"{stem}.ir", _kept_text(function, program))
    cache.keep(f"{stem}.ir0", _kept_text(function, lowered.program))
    return Record(
        name=program.name,
        library=cache.program_name(stem),
        **parts(function, lowered, program, leaves, cx, trace),
        texts=(("ir", f"{stem}.ir"), ("ir0", f"{stem}.ir0")),
    )


def _kept_text(function: types.FunctionType, program: Program) -> str:
    """The text with the user's lines, counted from the function's first, so that it does not matter where the function stands."""
    code = function.__code__
    return to_text(program, lines=True, within=(code.co_filename, code.co_firstlineno))


# --- our bugs -------------------------------------------------------------------------------------------------------


def report_bug(
    function: types.FunctionType, types_: Sequence[ArgType], stages: Sequence[tuple[str, str]], cache: Cache
) -> str:
    """Save what is needed to find the bug; the message that tells the user where."""
    error = traceback.format_exc()
    versions = f"soljit {__version__}, Python {sys.version.split()[0]}, {platform.platform()}"
    signature = ", ".join(type_text(t, values=False) for t in types_)  # people send reports, and one may be a password
    sections = [("versions", versions), ("function", f"{function.__qualname__}({signature})"), ("error", error)]
    sections += [("source", _source(function)), *stages]
    text = "\n\n".join(f"=== {title}\n{body}" for title, body in sections)
    name = f"{function.__name__.strip('<>')}-{digest(text)[:8]}.txt"
    path = cache.report(name, text.encode("utf-8", "replace").decode())
    last = error.strip().splitlines()[-1]
    where = f"please report it with the file {path}" if path else "please report it"
    return f"a bug in soljit while compiling {function.__qualname__}({signature}): {last}\n{where}"


def _source(function: types.FunctionType) -> str:
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        return "(not available)"


def page(title: str, programs: Sequence[str], first: int, sections: Sequence[tuple[str, str]]) -> pages.Page:
    """A page of HTML with the dataflow of programs in text form ("" is left out), and further (title, text) pairs."""
    return pages.page(title, [from_text(text, first) for text in programs if text], sections)
