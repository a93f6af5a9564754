"""C++ for processors, and the host's half of programs for a GPU: what the compiler and NumPy offer, and text → shared library."""

from __future__ import annotations

import contextlib
import os

from soljit.base.settings import Settings
from soljit.base.trace import Trace
from soljit.codegen.source import Features, Source
from soljit.runtime.build import toolchain
from soljit.runtime.store.cache import Cache
from soljit.runtime.system import caches, library
from soljit.runtime.system.fingerprint import digest
from soljit.targets.target import Artifact, Machine, Texts


def with_threads(settings: Settings, cache: Cache) -> Machine:
    """The machine with all its threads, if the compiler has OpenMP."""
    machine = without_threads(settings, cache)
    if not settings.parallel or not machine.tools.openmp:
        return machine
    count = max(2, os.cpu_count() or 1)  # the run asks again: code is kept for other processes
    return Machine(count, machine.vector_bits, machine.tools, machine.model)


def without_threads(settings: Settings, cache: Cache) -> Machine:
    """The machine with one thread."""
    tools = toolchain.toolchain(settings.cxx, cache, settings.compiler_seconds, settings.vectors)
    return Machine(1, tools.vector_bits, tools, caches.machine())


def features(machine: Machine) -> Features:
    """What generated code may use to have the bits of NumPy's loops on this machine."""
    tools: toolchain.Toolchain = machine.tools
    return Features(
        avx512=tools.avx512 and library.loops_are_wide(),
        fma=tools.fma and library.loops_fuse(),
        clang=tools.clang,
        whole_rows=library.buffers_hold_whole_rows(),
        svml=library.has_svml(),
        blas=library.has_blas(),
    )


def build(source: Source, texts: Texts, machine: Machine, settings: Settings, cache: Cache, trace: Trace) -> Artifact:
    """Compile the text, unless the same text was compiled before."""
    tools: toolchain.Toolchain = machine.tools
    flags = tools.flags(settings.fp, source.needs_openmp, settings.sanitize, source.light)
    stem = digest(source.text, repr(flags), tools.identity)
    texts = {"cpp": source.text, **texts}
    if source.device_text:
        texts = {**texts, "cu": source.device_text}
    made = cache.library_name(stem)
    if not made:
        for kind, text in texts.items():
            cache.keep(f"{stem}.{kind}", text)
        alone = ("-DSOL_ALONE",) if source.parts else ()  # what whoever repeats the command needs
        words = toolchain.words_of(cache.object(f"{stem}.cpp"), cache.object(f"{stem}.so"), (*alone, *flags))
        trace.say(3, " ".join((tools.path, *words)))
        with _kernels(source, cache, settings):
            same = tools.flags(settings.fp, source.needs_openmp, settings.sanitize)  # whatever else the program does
            limit = settings.compiler_seconds
            parts = [toolchain.compile_part(tools, x, same, cache, limit) for x in source.parts]
            made = toolchain.compile_text(tools.path, stem, source.text, flags, cache, limit, parts=parts)
    return Artifact(made, tuple((kind, f"{stem}.{kind}") for kind in texts))


def _kernels(source: Source, cache: Cache, settings: Settings) -> contextlib.AbstractContextManager[None]:
    """What compiles the program's kernels, if it has any, beside the program itself."""
    if not source.device_text:
        return contextlib.nullcontext()
    from soljit.runtime.devices.attach import kernels_beside

    return kernels_beside(source.device_text, cache, settings)
