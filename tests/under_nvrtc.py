"""Kernels that tests have kept (`kept_kernels.py`), compiled by NVRTC for several GPUs: `python -m tests.under_nvrtc FOLDER`.

A fault is a warning, a kernel that spills or has a stack although nothing in it asks for one, or one that takes more than 64 registers. Kernels with loops of
their own, arrays of their own, or functions that the compiler calls may take what they need.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from soljit.base.errors import SoljitError
from soljit.runtime.devices import nvrtc
from soljit.runtime.devices.images import Resources

ARCHS = ("sm_80", "sm_90", "sm_120")
MOST_REGISTERS = 64
_KERNEL = re.compile(r'extern "C" __global__ void\s+(?:__launch_bounds__\(\s*\d+\s*(?:,\s*\d+\s*)?\)\s+)?(\w+)\(')


def faults(text: str, fp: str, archs: Sequence[str] = ARCHS) -> Iterator[str]:
    """What is wrong with the kernels of one program."""
    flat = {name for name, body in bodies(text).items() if is_flat(body)}
    for arch in archs:
        try:
            image = nvrtc.compile_kernels(text, arch, fp)
        except SoljitError as e:
            yield f"{arch}: {e}"
            continue
        if "warning" in image.log:
            yield f"{arch}: {image.log.strip()[:300]}"
        if set(image.resources) != set(bodies(text)):
            yield f"{arch}: kernels {sorted(image.resources)} instead of {sorted(bodies(text))}"
        for name, taken in image.resources.items():
            if name in flat and (why := too_much(taken)):
                yield f"{arch}: {name} {why}"


def too_much(taken: Resources) -> str:
    """Why a flat kernel should not take that; "" if it may."""
    if taken.spill_stores or taken.spill_loads:
        return f"spills {taken.spill_stores} and {taken.spill_loads} bytes"
    return f"takes {taken.registers} registers" if taken.registers > MOST_REGISTERS else ""


def bodies(text: str) -> dict[str, str]:
    """The text of each kernel by its name."""
    parts = _KERNEL.split(text)[1:]
    return dict(zip(parts[::2], parts[1::2]))


def is_flat(body: str) -> bool:
    """Is this a map without loops of its own (but those over the rest of a grid), and without functions that take many registers?"""
    own_loops = re.findall(r"\bfor \((?!int64_t \w+ = sol_thread_)", body)
    return not own_loops and not re.search(
        r"\bwhile\b|\[\d+\];|sol_(pow|sin|cos|tan|gamma|lgamma|erf|fmod|block)", body
    )


def check(folder: Path, archs: Sequence[str] = ARCHS) -> list[str]:
    """All faults of the kernels in a folder."""
    found = []
    for path in sorted(folder.glob("*.cu")):
        found += [f"{path.name}: {fault}" for fault in faults(path.read_text(), path.stem.rpartition("-")[2], archs)]
    return found


if __name__ == "__main__":
    told = check(Path(sys.argv[1]), sys.argv[2:] or ARCHS)
    print(*told, sep="\n")
    print(f"{len(list(Path(sys.argv[1]).glob('*.cu')))} programs, {len(told)} faults")
    sys.exit(bool(told))
