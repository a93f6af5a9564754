"""Kernels written by hand against the binary interface, so that the runtime is tested without the compiler's front.

`handmade(body, results=…, structure=…)` decorates a Python function whose parameters are described by the call;
`body` is the C++ text of the kernel. `words.h` of this module gives the body names: `arg<double>(k)` for word k,
`put(k, x)` for results.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from soljit.api import Jitted
from soljit.base.python.dependency import Dependency, resolve
from soljit.base.settings import Settings
from soljit.ir.core.signature import ArgType, StaticArg
from soljit.runtime.build.toolchain import compile_text, toolchain
from soljit.runtime.calls.building import Begun
from soljit.runtime.calls.entry import Entry
from soljit.runtime.store.cache import Cache
from soljit.runtime.system.fingerprint import digest, fingerprint
from soljit.runtime.values.arguments import leaf_types
from soljit.runtime.variants.variant import CallbackTable, LeafRecord, RaiseRecord, Record

HEAD = """
#include "soljit/frame.h"
#include <stdlib.h>
#include <string.h>
#define EXPORT extern "C" __attribute__((visibility("default")))
template <class T> static T get(const int64_t* w) { T x; memcpy(&x, w, sizeof x); return x; }
template <class T> static void put(int64_t* w, T x) { memcpy(w, &x, sizeof x); }
static sol_buffer* fresh(int64_t bytes) {
  sol_buffer* b = (sol_buffer*)malloc(sizeof *b);
  b->refs = 1; b->data = malloc(bytes ? bytes : 1); b->object = nullptr;
  return b;
}
EXPORT int32_t sol_kernel(sol_frame* f);
"""


def handmade(
    body: str,
    results: Sequence[LeafRecord] = (),
    structure: Any = None,
    *,
    raises: Sequence[RaiseRecord] = (),
    callbacks: Sequence[CallbackTable] = (),
    captured: Sequence[tuple[tuple[str, str], ...]] = (),
    writes: bool = True,
    openmp: bool = False,
    compiled: list[tuple[ArgType, ...]] | None = None,
    **options: Any,
) -> Callable[[Any], Jitted]:
    """Make a jitted function whose compiler is this C++ text. `compiled` gets the types of each compilation."""

    def compile_variant(
        function: Any,
        types: Sequence[ArgType],
        leaves: Sequence[Any],
        settings: Settings,
        cache: Cache,
        undecided: bool,
    ) -> Begun:
        if compiled is not None:
            compiled.append(tuple(types))
        text = HEAD + body
        stem = digest(text, str(openmp), settings.sanitize)
        library = cache.library_name(stem)
        if not library:
            cache.keep(f"{stem}.cpp", text)
            tools = toolchain(settings.cxx)
            library = compile_text(tools.path, stem, text, tools.flags("strict", openmp, settings.sanitize), cache)
        dependencies = tuple(Dependency(p, resolve(function, p, leaves)) for p in captured)
        params = tuple(
            LeafRecord("array", name=f"p{k}") for k, t in enumerate(leaf_types(types)) if not isinstance(t, StaticArg)
        )
        record = Record(
            function.__name__,
            library,
            params=params,
            results=tuple(results),
            structure=structure,
            raises=tuple(raises),
            callbacks=tuple(callbacks),
            writes=writes,
            captured=tuple((d.path, fingerprint(d.value)) for d in dependencies),
        )
        return Begun(record, dependencies)

    def decorate(function: Any) -> Jitted:
        # The key of the cache does not know the kernel's text: only tests of the cache turn it on.
        chosen = {"strict": True, "cache": False, **options}
        f = Jitted(function, chosen)
        f._entry = Entry(function, chosen, compile_variant, f._install)
        return f

    return decorate


leaf = functools.partial(LeafRecord)
f64_scalar = LeafRecord("scalar", "f64")
python_int = LeafRecord("python", "i64")
LEAF = {"leaf": 0}
