"""What a target is: one record, from the passes that end the pipeline to the function that loads what was built.

    machine → passes → features → emit → build → load

`driver._compile` asks these in this order and knows no language and no tool of any target. Third parties add a target through the
entry point group `soljit.targets`: the entry point is a `Target` (docs/adding_targets.md).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from soljit.base.machine import MachineModel
from soljit.base.records import dataclass
from soljit.base.settings import Settings
from soljit.base.trace import Trace
from soljit.codegen.source import Source
from soljit.passes.manager import Tail
from soljit.runtime.store.cache import Cache
from soljit.runtime.variants.interpreted import RunInPython


@dataclass(frozen=True)
class Machine:
    """What the machine and its tools offer to the passes: threads of the processor (1: no loop runs on threads), bits of its vectors.
    tools: what `features` and `build` of the target need. model: its caches and costs; the setting `machine` may change it.
    """

    threads: int
    vector_bits: int
    tools: Any = None  # any: each target knows its own
    model: MachineModel = MachineModel()


@dataclass(frozen=True)
class Artifact:
    """What was built. library: how the record names it, as `Cache.put` or `Cache.program_name` gives it.
    texts: kind of text → file name in the cache folder, for `f.source()` and others.
    """

    library: str
    texts: tuple[tuple[str, str], ...]


Texts = Mapping[str, str]  # kind → text
Build = Callable[[Source, Texts, Machine, Settings, Cache, Trace], Artifact]
Load = type[RunInPython]


@dataclass(frozen=True)
class Target:
    """What a program is compiled for.

    machine:  what there is on this machine for these settings; ToolchainError if a tool is missing
    tail:     the passes that end the pipeline; None: the program stays as the front end made it, and no pass runs
    features: what `emit` may ask of the machine
    emit:     a pure function from a program to text and tables: the same program and features give the same bytes
    build:    compiles the text, unless that was done before, and keeps the texts of the program (`ir0`, `ir`) beside it
    load:     what makes the artifact callable, a class at the top of a module; None: it is a shared library with the interface of
              `codegen/include/soljit/frame.h`, which the dispatcher calls
    lacks:    of a target with a device: why a feature of the device that the settings name cannot be used, "" if it can;
              None for a target of the processor
    """

    name: str
    machine: Callable[[Settings, Cache], Machine]
    tail: Tail | None
    features: Callable[[Machine], Any]  # any: what its own `emit` takes
    emit: Callable[..., Source]  # (program, *, fp, features) -> Source
    build: Build
    load: Load | None = None
    lacks: Callable[[Settings, str], str] | None = None
