"""The way of a function, on one screen: `_compile`; how much it may cost, and reports of our bugs: `compile_function`."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import inspect
import platform
import sys
import traceback
import types
from collections.abc import Callable, Iterator, Sequence, Set
from types import MappingProxyType
from typing import Any

from soljit.analysis.pictures import page as pages
from soljit.analysis.pictures.dataflow import Renamed
from soljit.base.clock import Clock, OutOfTime
from soljit.base.deep import call_deep
from soljit.base.errors import InternalError, ScheduleError, SoljitError, UnsupportedError
from soljit.base.notice import Notice
from soljit.base.place import Loc
from soljit.base.remarks import Remark
from soljit.base.settings import Settings
from soljit.base.trace import Trace
from soljit.base.version import __version__
from soljit.codegen.source import Features
from soljit.codegen.spelling.vectormath import in_turn
from soljit.frontend_ast.lower import Known, lower_function
from soljit.frontend_ast.syntax.source import with_text
from soljit.ir.callbacks.repeatable import too_late
from soljit.ir.core.signature import ArgType
from soljit.ir.text.parser import from_text
from soljit.ir.text.printer import to_text
from soljit.ir.verify import program as verifier
from soljit.ir.walk.size import why_too_large
from soljit.passes.manager import Context, Step, dump_to, verify_with
from soljit.passes.pipeline import optimize
from soljit.passes.simplify.drop_overflow_checks import drop_overflow_checks
from soljit.placement import placed
from soljit.records import arguments_of, check_overlap, kept_text, record_of, with_identities
from soljit.runtime.calls.building import Begun
from soljit.runtime.calls.entry import Entry
from soljit.runtime.calls.inspection import kept
from soljit.runtime.store.cache import Cache, open_cache
from soljit.runtime.system.blas_orders import order_of
from soljit.runtime.system.compile_lock import compiling
from soljit.runtime.system.fingerprint import digest
from soljit.runtime.values.arguments import type_text
from soljit.runtime.variants.variant import Record
from soljit.schedule.given import first_line
from soljit.schedule.policy import Policy
from soljit.schedule.possible_steps import Found, Moves, explored
from soljit.schedule.recipe import Recipe
from soljit.support.unforeseen import Foreseen
from soljit.targets.table import find_target, on_processor
from soljit.targets.target import Machine, Target

_MOST_ROUNDS = 5  # in which more and more values become objects
_GROWS = (
    "ints that may leave 64 bits, or results of which only the run tells what they are, after something was done that cannot be taken back",
    "compute them before, or with np.int64, which wraps around",
)


def compile_function(
    function: types.FunctionType,
    types_: Sequence[ArgType],
    leaves: Sequence[Any],  # any: the user's values
    settings: Settings,
    cache: Cache,
    undecided: bool = False,
    foreseen: Foreseen = MappingProxyType({}),
    seconds: float | None = None,
    go_on: Callable[[], bool] | None = None,
) -> Begun:
    """Compile `function` for a call with these types and values, up to what the C++ compiler does; anything unexpected becomes an
    InternalError with a report.

    foreseen: what calls back into Python have given
    seconds:  of the clock, after which soljit's own part is given up for now (`OutOfTime`); None: only `compile_limit` ends it
    go_on:    makes another process that goes on then, and tells whether this is it
    """
    stages: list[tuple[str, str]] = []
    with (
        _reported(function, types_, stages, cache),
        Clock(function.__qualname__, settings.compile_limit, seconds, go_on) as clock,
    ):

        def compiled() -> Begun:
            stages.clear()
            clock.start_here()
            return _compile(function, types_, leaves, settings, cache, undecided, foreseen, stages)

        def compiled_in_helper() -> Begun:
            with compiling.in_helper():
                return compiled()

        try:
            try:
                begun = compiled()
            except RecursionError:
                begun = call_deep(compiled_in_helper, clock.give_up)
        except RecursionError:
            raise refusal(
                function,
                "parts of this function are nested too deeply to compile",
                "give names to parts of long expressions, and use a dict or a loop instead of hundreds of branches",
            ) from None
        except OutOfTime:
            if clock.is_for_now:
                raise
            raise refusal(
                function,
                f"compiling this function was given up after {settings.compile_limit} seconds",
                "SOL_COMPILE_LIMIT=0 or sol.settings(compile_limit=0) waits until it is done",
            ) from None

    def build() -> Record:
        waiting = Notice(function.__qualname__) if compiling.is_mine() else contextlib.nullcontext()
        with _reported(function, types_, stages, cache), waiting:
            return begun.built()

    return begun._replace(build=build)


@contextlib.contextmanager
def _reported(
    function: types.FunctionType, types_: Sequence[ArgType], stages: Sequence[tuple[str, str]], cache: Cache
) -> Iterator[None]:
    """Errors of our own in the body become an InternalError with a report."""
    try:
        yield
    except InternalError as e:
        raise InternalError(report_bug(function, types_, stages, cache)) from e
    except SoljitError:
        raise
    except Exception as e:
        raise InternalError(report_bug(function, types_, stages, cache)) from e


def _compile(
    function: types.FunctionType,
    types_: Sequence[ArgType],
    leaves: Sequence[Any],  # any: the user's values
    settings: Settings,
    cache: Cache,
    undecided: bool,
    foreseen: Foreseen,
    stages: list[tuple[str, str]],
    known: Known | None = None,
    rounds: int = 0,
) -> Begun:
    trace = Trace(function.__qualname__, settings.debug)
    target = find_target(settings.target, settings.device)
    with trace.step("toolchain"):
        machine = target.machine(settings, cache)  # first: where there is none, nothing else is worth its time
    known = Known() if known is None else known
    with trace.step("lower"):
        lowered = lower_function(
            function,
            types_,
            leaves,
            undecided=undecided,
            fp=settings.fp,
            foreseen=foreseen,
            shares=target.lacks is None,  # loops of functions of the program do not run on devices
            known=known,
        )
    lowered = with_identities(lowered, function, leaves)
    program = lowered.program
    if reason := why_too_large(program):
        raise refusal(function, f"this function is too large to compile: {reason}", "compile its inner loops alone")
    stages.append(("program as lowered", to_text(program)))
    trace.say(4, "\n".join(stages[-1]))
    cx = context(settings, target, machine)
    if target.tail is not None:
        if target.lacks is None:
            cx.hooks.append(functools.partial(_stop_if_too_late, cx, lowered.guessed, known.learned.opaque))
        with trace.step("optimize"):
            program, cx = optimize(program, cx), cx
            if target.lacks is not None and not cx.stopped:
                on_host = context(settings, on_processor(target), machine)
                always = settings.offload == "always"
                given = arguments_of(function, lowered, types_, leaves)
                program, cx = placed(lowered.program, program, cx, on_host, None if always else given)
            cx.finish()
        stages.append(("program as optimized", to_text(program)))
        trace.say(4, "\n".join(stages[-1]))
    elif settings.schedule is not None:
        raise ScheduleError(f"the target {target.name!r} runs no passes, so it takes no schedule")
    if late := too_late(program, lowered.guessed) - known.learned.opaque:
        if rounds == _MOST_ROUNDS:
            raise refusal(function, *_GROWS)
        known.learned.leave_to_python(late, lowered.guessed)
        return _compile(function, types_, leaves, settings, cache, undecided, foreseen, stages, known, rounds + 1)
    check_overlap(function, lowered, leaves, program)
    with trace.step("emit"):
        offered = target.features(machine)
        if settings.profile and isinstance(offered, Features):
            offered = dataclasses.replace(offered, profile=True)
        source = target.emit(program, fp=settings.fp, features=offered)
    stages.append(("code", source.text))
    if settings.dump == "source" or settings.debug >= 5:
        sys.stderr.write(source.text)
    texts = {"ir": kept_text(function, program), "ir0": kept_text(function, lowered.program)}
    record = record_of(function, lowered, leaves, program, source, cx, target.load, trace)

    def build() -> Record:
        with trace.step("build"):
            made = target.build(source, texts, machine, settings, cache, trace)
        trace.say(1, trace.summary())
        return record._replace(library=made.library, texts=made.texts, steps=(*record.steps, trace.steps[-1]))

    return Begun(record, lowered.dependencies, build)


def _stop_if_too_late(cx: Context, guessed: Set[Loc], opaque: Set[Loc], step: Step) -> None:
    """After the last pass that drops checks of ints: what comes too late there does so at the end, and the function is lowered again."""
    if step.name == drop_overflow_checks.__name__ and too_late(step.after, guessed) - opaque:
        cx.stopped = True


def refusal(function: types.FunctionType, message: str, hint: str) -> UnsupportedError:
    """The error for a function that is not compiled for what it is as a whole."""
    code = function.__code__
    return UnsupportedError(message, Loc(code.co_filename, code.co_firstlineno, function=function.__qualname__), hint)


def name_by_text(function: types.FunctionType) -> None:
    """Let the code of a function that a magic of IPython has just made name its cell as its file."""
    function.__code__ = with_text(function).__code__


def context(settings: Settings, target: Target, machine: Machine) -> Context:
    """What the passes may know, and the hooks that the settings ask for."""
    cx = Context(machine.threads, machine.vector_bits, settings.fp, stop_after=settings.stop_after)
    cx.machine = machine.model.changed(settings.machine)
    offered = target.features(machine)
    if settings.fp == "strict" and target.lacks is None and isinstance(offered, Features) and offered.blas:
        cx.order_of = functools.partial(order_of, offered.fma)
    if isinstance(offered, Features):
        cx.in_turn = functools.partial(in_turn, offered)
        cx.whole_sums = offered.whole_rows
    if target.tail is not None:
        cx.tail = target.tail
    if isinstance(settings.schedule, Recipe):
        cx.policy = Policy(settings.schedule)
    if target.lacks is not None:
        cx.why_without = functools.partial(target.lacks, settings)
    wanted = "all" if settings.debug >= 5 else settings.dump
    if wanted and wanted != "source":
        cx.hooks.append(dump_to(to_text, sys.stderr, "" if wanted == "all" else wanted))
    if settings.verifies:
        cx.hooks.append(verify_with(verifier.check))
    return cx


def moves(entry: Entry) -> Moves:
    """What could be done to the loops of the last variant of a jitted function."""
    settings, text = entry.settings, kept(entry, "ir0")[-1]
    target = find_target(settings.target, settings.device)
    if target.tail is None or target.lacks is not None:
        raise ScheduleError(f"moves are those of programs for processors, not for the target {target.name!r}")
    if not text:
        raise ScheduleError(f"the program of {entry.function.__qualname__} was not kept, for want of a cache")
    cache, code = open_cache(settings), entry.function.__code__
    first = first_line(code)
    program = dataclasses.replace(from_text(text, code.co_firstlineno), loc=Loc(code.co_filename, first))

    def ask(recipe: Recipe | None) -> Found:
        cx = context(settings, target, target.machine(settings, cache))
        cx.policy = Policy(recipe, asked=True)
        optimize(program, cx)
        cx.finish()
        return cx.policy.found

    given = settings.schedule if isinstance(settings.schedule, Recipe) else None
    return explored(ask, given, first)


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


def page(
    title: str,
    programs: Sequence[tuple[str, Renamed]],
    first: int,
    sections: Sequence[tuple[str, str]],
    remarks: Sequence[Remark] = (),
) -> pages.Page:
    """A page of HTML with the dataflow of programs in text form ("" is left out), of which the source calls things otherwise, further (title, text) pairs, and remarks about lines."""
    shown = [(from_text(text, first), renamed) for text, renamed in programs if text]
    return pages.page(title, shown, sections, remarks)
