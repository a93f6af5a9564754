"""Targets without a compiler: what they emit is kept as a text, and Python runs it."""

from __future__ import annotations

from soljit.base.settings import Settings
from soljit.base.trace import Trace
from soljit.codegen.source import Source
from soljit.ir.core.nodes import Program
from soljit.ir.text import codec
from soljit.runtime.store.cache import Cache
from soljit.runtime.system.fingerprint import digest
from soljit.targets.target import Artifact, Machine, Texts


def one_thread(settings: Settings, cache: Cache) -> Machine:
    """A machine for programs that are run in order."""
    return Machine(1, 512)


def any_machine(settings: Settings, cache: Cache) -> Machine:
    """A machine that has all that passes may ask for, whatever this one has."""
    return Machine(4 if settings.parallel else 1, 512)


def no_features(machine: Machine) -> None:
    """Nothing is asked of the machine."""


def as_json(program: Program, *, fp: str, features: None) -> Source:
    """The program itself, for the interpreter of the IR."""
    return Source(codec.to_json(program))


def keep(source: Source, texts: Texts, machine: Machine, settings: Settings, cache: Cache, trace: Trace) -> Artifact:
    """Keep the text, which is in JSON, as it is."""
    stem = digest(source.text)
    for kind, text in {"json": source.text, **texts}.items():
        cache.keep(f"{stem}.{kind}", text)
    return Artifact(cache.program_name(stem), tuple((kind, f"{stem}.{kind}") for kind in texts))
