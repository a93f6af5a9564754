"""The record of a program: everything that the runtime has to know of what was compiled, so that it can do without the compiler."""

from __future__ import annotations

import dataclasses
import json
import types
from collections.abc import Callable, Sequence
from typing import Any

from soljit.analysis.cost.python_work import python_work
from soljit.analysis.explain.explanation import Processor, remarks, renamed
from soljit.analysis.explain.program_remarks import Origin, Told
from soljit.analysis.explain.where_made import where_made
from soljit.base.device_arrays import host_array
from soljit.base.errors import UnsupportedError
from soljit.base.place import Loc
from soljit.base.python import unnamed
from soljit.base.python.dependency import Dependency, Path, resolve
from soljit.base.trace import Trace
from soljit.codegen.source import CallbackEntry, RaiseEntry, Source, Timed
from soljit.frontend_ast.lower import Lowered
from soljit.ir.callbacks.own_objects import changes_objects
from soljit.ir.callbacks.repeatable import put_back, repeatable
from soljit.ir.callbacks.templates import weak_operands
from soljit.ir.core.data import Array
from soljit.ir.core.nodes import Param, Program
from soljit.ir.core.signature import ArgType, ArrayArg, StaticArg
from soljit.ir.text.printer import to_text
from soljit.ir.text.spelling import spell
from soljit.ir.walk import writes_outside
from soljit.passes.manager import Context
from soljit.runtime.system.fingerprint import Unknown, fingerprint, type_fingerprint
from soljit.runtime.values.alias_groups import alias_groups
from soljit.runtime.values.arguments import leaf_types, type_of_leaf
from soljit.runtime.variants.inspected_lines import relative_lines
from soljit.runtime.variants.variant import (
    CallbackTable,
    LeafRecord,
    Place,
    RaiseRecord,
    Record,
    RemarkRecord,
    TimedRecord,
)
from soljit.support.pending import unguarded
from soljit.support.unforeseen import Site
from soljit.targets.target import Load


def record_of(
    function: types.FunctionType,
    lowered: Lowered,
    leaves: Sequence[Any],
    program: Program,
    source: Source,
    cx: Context,
    load: Load | None,
    trace: Trace,
) -> Record:
    """Everything the runtime needs to know of the program; what is built of it names its library and its texts."""
    place, early = placer(function), repeatable(program)
    return Record(
        name=program.name,
        library="",
        load=f"{load.__module__}:{load.__qualname__}" if load else "",
        **parts(function, lowered, program, leaves, cx, trace),
        raises=tuple(raise_record(r, place) for r in source.raises),
        callbacks=tuple(callback_table(c, place, early) for c in source.callbacks),
        calls=tuple(map(place, source.calls)),
        image=f"{source.image:016x}" if source.device_text else "",
        kernels=tuple((k.name, place(k.loc).file, place(k.loc).line) for k in source.kernels),
        device_libraries=source.device_libraries,
        timed=tuple(timed_record(t, place) for t in source.timed),
    )


def parts(
    function: types.FunctionType, lowered: Lowered, program: Program, leaves: Sequence[Any], cx: Context, trace: Trace
) -> dict[str, Any]:
    """What compiled and interpreted variants have in common."""
    place = placer(function)
    origin = Origin(lowered.program, lowered.asked_at, lowered.names, lowered.grown, lowered.spellings)
    notes = [*((n.loc, n.said) for n in lowered.notes), *((n.loc, n.said) for n in cx.notes)]
    told = remarks(program, origin, notes, Processor(cx.threads, cx.vector_bits, cx.in_turn))
    first = function.__code__.co_firstlineno
    return {
        "params": tuple(_param(program, p) for p in program.params),
        "results": tuple(
            LeafRecord(r.kind, r.dtype.name, r.ndim, base=r.base, same=r.same, writable=r.writable, itself=r.itself)
            for r in program.results
        ),
        "structure": program.structure,
        "writes": writes_outside(program),
        "put_back": put_back(program),
        "identity": lowered.identity,
        "changes_objects": changes_objects(program),
        "python_work": python_work(program),
        "guards": tuple(spell(g) for g in program.guards),
        "captured": fingerprints(lowered.dependencies) + of_this_process(lowered, program),
        "remarks": tuple(_remark(x, place, first) for x in told),
        "steps": (*trace.steps, *((f"pass {name}", s) for name, s in cx.timings.items())),
        "fetched": tuple((path, type_fingerprint(t)) for path, t in captured_arrays(function, lowered, leaves)),
        "twins": lowered.twins,
        "features": tuple(sorted(cx.asked.items())),
        "renamed": renamed(program, origin),
        "schedule": cx.policy.taken.to_json(),
        "made_at": tuple(
            (name, place(loc).file, place(loc).line)
            for name, loc in where_made(cx.policy.taken.names(), lowered.program).items()
        ),
    }


def _remark(t: Told, place: Callable[[Loc], Place], first: int) -> RemarkRecord:
    """A remark with lines of the function's own file counted from its first, in the text, too."""
    places = dict.fromkeys((place(x).file, place(x).line) for x in t.places)
    return RemarkRecord(t.kind, relative_lines(t.text, first), tuple(places), t.done, t.cure, dict(t.facts))


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


def arguments_of(
    function: types.FunctionType, lowered: Lowered, types_: Sequence[ArgType], leaves: Sequence[Any]
) -> list[Any]:
    """One value of the call for each parameter of the program."""
    found = zip(leaves, leaf_types(types_))
    captured = [host_array(resolve(function, path, leaves)) for path in lowered.captures]
    return [x for x, t in found if not isinstance(t, StaticArg)] + captured


def check_overlap(function: types.FunctionType, lowered: Lowered, leaves: Sequence[Any], program: Program) -> None:
    """Where something is written, captured arrays may overlap nothing."""
    if not writes_outside(program):
        return
    arguments = [x for x in leaves if isinstance(type_of_leaf(x), ArrayArg)]
    named = [p.name for p in program.params if p.kind == "array"]
    found = [(path, host_array(resolve(function, path, leaves))) for path in lowered.captures]
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


def with_identities(lowered: Lowered, function: types.FunctionType, leaves: Sequence[Any]) -> Lowered:
    """The program relies on which of the functions that it knows are one object, where they have the same code: whoever compares
    them knows it, and code alone does not tell.
    """
    found: dict[str, list[Path]] = {}
    for d in lowered.dependencies:
        if d.path[-1] == ("attr", "__code__") and isinstance(d.value, types.CodeType):
            found.setdefault(fingerprint(d.value), []).append(d.path[:-1])
    more = []
    for paths in found.values():
        different = paths[:1]
        for path in paths[1:]:
            asked = [(*path, ("same", json.dumps(other))) for other in different]
            more += [Dependency(p, resolve(function, p, leaves)) for p in asked]
            if not any(d.value for d in more[len(more) - len(asked) :]):
                different.append(path)
    return dataclasses.replace(lowered, dependencies=(*lowered.dependencies, *more)) if more else lowered


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
        above = max(0, loc.line - loc.first) if loc.first else 0
        return Place(file, line, name, max(0, loc.end_line - loc.line), loc.col, loc.end_col, callers, above)

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


def timed_record(t: Timed, place: Callable[[Loc], Place]) -> TimedRecord:
    """A place whose time is taken."""
    lines = dict.fromkeys((place(x).file, place(x).line) for x in t.places)
    return TimedRecord(t.kind, place(t.loc), tuple(lines), t.name, t.numpy, t.moves, t.inside)


def kept_text(function: types.FunctionType, program: Program) -> str:
    """The text with the user's lines, counted from the function's first, so that it does not matter where the function stands."""
    code = function.__code__
    return to_text(program, lines=True, within=(code.co_filename, code.co_firstlineno))
