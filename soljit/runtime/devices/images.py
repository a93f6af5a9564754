"""Compiled kernels of one program for one kind of device: the image that a driver loads, and what its compiler says of it.

Images are kept in the cache beside the program's library, one for each kind of device: on another GPU only the compiler of kernels runs. They
are loaded from the bytes that were checked, never by a path.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict

from soljit.base.records import dataclass
from soljit.runtime.store.cache import Cache
from soljit.runtime.system.fingerprint import digest

Compile = Callable[[str, str, str], "Image"]  # text, arch and fp → image


@dataclass(frozen=True, slots=True)
class Resources:
    """What one kernel takes: registers of a thread; bytes of a thread that are spilled, written and read, and of its stack; bytes of a block."""

    registers: int = 0
    spill_stores: int = 0
    spill_loads: int = 0
    stack: int = 0
    shared: int = 0


@dataclass(frozen=True, slots=True)
class Image:
    """What the driver loads, the compiler's log, and what each kernel takes, by name."""

    data: bytes
    log: str
    resources: Mapping[str, Resources]


def image_id(text: str, fp: str) -> str:
    """The name under which images of these kernels are kept. Headers and compilers count in the environment's name."""
    return digest("kernels", text, fp)


def image(cache: Cache, id: str, text: str, arch: str, fp: str, compile_kernels: Compile) -> Image:
    """The image of these kernels for a device, "sm_90" say: the kept one, or made now by `compile_kernels` and kept.

    What is kept nowhere, because no disk wants it, works all the same.
    """
    name = f"{id}-{arch}"
    try:
        return _kept(cache, name)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        pass  # made anew below
    made = compile_kernels(text, arch, fp)
    with contextlib.suppress(OSError):
        facts = {"log": made.log, "resources": {k: asdict(r) for k, r in made.resources.items()}}
        cache.keep(f"{name}.json", json.dumps(facts))
        cache.put(f"{name}.cubin", made.data)
    return made


def _kept(cache: Cache, name: str) -> Image:
    data = cache.content(f"{name}.cubin")
    facts = json.loads(cache.text(f"{name}.json"))
    return Image(data, str(facts["log"]), {k: Resources(**r) for k, r in facts["resources"].items()})
