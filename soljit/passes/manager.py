"""The runner of passes.

A pass is a plain function `(program, cx, **options) -> Program` that returns **the same object** if it did nothing;
its name is the function's name. `run` executes a tuple of passes and tells every hook of the context what happened;
timing, dumping, verifying and interpreting are such hooks, so a pass knows nothing of them. `Context` also gathers
*notes*: what a pass did to which of the user's lines, or why it did not, for `explain()`.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from typing import Any, TextIO

from soljit.analysis.flow.program_point import facts_of
from soljit.base.clock import check
from soljit.base.machine import MachineModel
from soljit.base.place import NOWHERE, Loc
from soljit.base.records import dataclass
from soljit.base.sentences import Said, said
from soljit.ir.core.nodes import Program
from soljit.ir.core.types import DType
from soljit.ir.symbolic import Facts
from soljit.schedule.policy import Policy

Pass = Callable[..., Program]


@dataclass(frozen=True, slots=True)
class Tail:
    """The passes that end the pipeline for a target.

    passes:  those that change loops; they run again where steps of a schedule are left
    last:    those that follow once
    options: of passes, also of those that come before: pass name → {option: value}
    """

    passes: tuple[Pass, ...]
    last: tuple[Pass, ...]
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # any: each pass knows its own option types


@dataclass(frozen=True, slots=True)
class Note:
    """What pass `step` did at `loc`, or why it did not, in a sentence of `base/sentences.py`."""

    loc: Loc
    step: str
    said: Said

    @property
    def text(self) -> str:
        """The sentence in the program's names."""
        return self.said.text

    @property
    def done(self) -> bool:
        """A deed, not a refusal."""
        return self.said.sentence.done

    def __str__(self) -> str:
        return f"{self.loc}: {self.step}: {self.text}"


@dataclass(frozen=True, slots=True)
class Step:
    """One executed pass: what went in, what came out, and how long it took."""

    name: str
    before: Program
    after: Program
    seconds: float

    @property
    def changed(self) -> bool:
        return self.after is not self.before


Hook = Callable[[Step], None]
OrderOf = Callable[[str, tuple[int, ...], tuple[int, ...], tuple[bool, bool]], str]


@dataclass
class Context:
    """What passes may ask and tell.

    threads, vector_bits: features of the target (1 thread: no parallel loops)
    machine:     its caches and costs, by which default schedules decide
    fp:          "strict", "contract" or "fast"
    tail:        which passes end the pipeline: those of the target, or "host" or "device" for those of `pipeline.TAILS`
    why_without: why a feature of the device cannot be used, "cublas" say; "" if it can
    order_of:    in which order NumPy's BLAS adds up the products of two small vectors or matrices, "" for none that can be written (`runtime/system/blas_orders.py`);
                 None where products need not have its bits
    in_turn:     tells which functions (operation, type) no vector instruction computes: they are called for one number after the other, or for strips of them
    whole_sums:  NumPy adds up what needs no buffer without cutting it in pieces (`codegen/source.py`, `whole_rows`)
    asked:       the features that passes have asked for, and whether they are there
    policy:      decides which steps of a schedule are taken, and writes them down
    options:     keyword options for single passes: pass name → {option: value}
    disabled:    names of passes that are not to run
    stop_after:  name of the pass after which the pipeline ends ("" for none)
    hooks:       called after every pass
    """

    threads: int = 1
    vector_bits: int = 256
    fp: str = "strict"
    tail: Tail | str = "host"
    why_without: Callable[[str], str] = "there is no {}".format
    order_of: OrderOf | None = None
    in_turn: Callable[[str, DType], bool] = lambda name, dtype: False
    whole_sums: bool = True
    asked: dict[str, bool] = field(default_factory=dict)
    policy: Policy = field(default_factory=Policy)
    machine: MachineModel = field(default_factory=MachineModel)
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # any: each pass knows its own option types
    disabled: frozenset[str] = frozenset()
    stop_after: str = ""
    hooks: list[Hook] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)
    stopped: bool = False
    _step: str = ""
    _noted: set[Note] = field(default_factory=set)
    _facts: tuple[object, object, Facts] | None = None
    _settled: dict[str, Program] = field(default_factory=dict)  # pass → a program that it has left as it was

    def facts(self, program: Program) -> Facts:
        """What the guards of `program` and its symbols being sizes tell."""
        if self._facts is None or self._facts[0] is not program.guards or self._facts[1] is not program.symbols:
            self._facts = (program.guards, program.symbols, facts_of(program))
        return self._facts[2]

    def has(self, feature: str) -> bool:
        """Tell whether this feature of the device can be used. What depends on it is right only where the answer is the same."""
        if feature not in self.asked:
            self.asked[feature] = not self.why_without(feature)
        return self.asked[feature]

    def finish(self) -> None:
        """ScheduleError if steps of the schedule were not taken, unless the pipeline was stopped before its end."""
        if not self.stopped:
            self.policy.finish()

    def note(self, loc: Loc, sentence: str, **facts: object) -> None:
        """Remember for `explain()` what the running pass did at `loc`, or why not: the id of a sentence of `base/sentences.py`, and what fills it."""
        note = Note(loc, self._step, said(sentence, **facts))
        if loc is not NOWHERE and note not in self._noted:
            self._noted.add(note)
            self.notes.append(note)


# Passes that depend on the program alone, so that what they have left as it was need not be given to them again.
_ASK_NOTHING = frozenset(("canonicalize", "eliminate_dead_code", "promote_scalars", "share_values"))


def run(program: Program, passes: Iterable[Pass], cx: Context) -> Program:
    """Run `passes` in order over `program` and over the functions it calls."""
    for step in passes:
        if cx.stopped:
            break
        name = step.__name__
        if name in cx.disabled:
            continue
        program = _run_one(step, name, program, cx)
        cx.stopped |= name == cx.stop_after
    return program


def _run_one(step: Pass, name: str, program: Program, cx: Context) -> Program:
    """One pass over one program: functions first, as callers may look at what their callees do."""
    check()
    cx._step = name
    cx.policy.begin(name, program)
    options = cx.options.get(name, {})
    start = time.perf_counter()
    functions, before = {}, program
    for k, f in program.functions.items():
        cx.policy.see(name, f, k)
        functions[k] = step(f, cx, **options)
    if any(functions[k] is not f for k, f in program.functions.items()):
        program = replace(program, functions=functions)
    cx.policy.see(name, program)
    settled = name in _ASK_NOTHING and cx._settled.get(name) is program
    after = program if settled else step(program, cx, **options)
    if after is before:
        cx._settled[name] = after
    seconds = time.perf_counter() - start
    cx.timings[name] = cx.timings.get(name, 0.0) + seconds
    for hook in cx.hooks:
        hook(Step(name, before, after, seconds))
    return after


# --- hooks ------------------------------------------------------------------------------------------------------------


def dump_to(show: Callable[[Program], str], stream: TextIO = sys.stderr, only: str = "") -> Hook:
    """A hook that prints the program whenever a pass changed it; of the one pass named `only`, also that it changed nothing."""

    def hook(step: Step) -> None:
        if step.changed and only in ("", step.name):
            stream.write(f"# --- after {step.name} ({1000 * step.seconds:.2f} ms)\n{show(step.after)}\n")
        elif only == step.name:
            stream.write(f"# --- {step.name} changed nothing\n")

    return hook


def verify_with(verify: Callable[[Program], object]) -> Hook:
    """A hook that verifies what every pass leaves; the error names the pass."""

    def hook(step: Step) -> None:
        if step.changed:
            try:
                verify(step.after)
            except Exception as e:
                e.args = (f"after pass {step.name}: {e}", *e.args[1:])
                raise

    return hook
