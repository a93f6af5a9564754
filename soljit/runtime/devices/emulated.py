"""The emulated device: kernels as code of the processor, and a driver of CUDA's that runs them and finds mistakes.

The C++ compiler gets the very text that NVRTC gets, behind `native/emulator/kernel_emulated.h`. Checked kernels tell each access to the
emulator: g++ compiles them as for its checker of threads, but they call the emulator's own entry points (`hooks.h`), and that
checker's library is not linked. An image is the library itself behind a mark and its size, as `image.h` reads it.
"""

from __future__ import annotations

import functools
import json
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

from soljit.base.errors import InternalError, ToolchainError
from soljit.base.settings import Settings
from soljit.runtime.build.c_interface import interface
from soljit.runtime.build.toolchain import FP_FLAGS, INCLUDE, LIMIT, Toolchain, compile_text, toolchain
from soljit.runtime.devices.images import Image, Resources
from soljit.runtime.store.cache import Cache
from soljit.runtime.system import library
from soljit.runtime.system.fingerprint import digest

SOURCES = Path(__file__).resolve().parent.parent / "native" / "emulator"
MARK = b"SOLEMU\0\1"
COMMON = ("-std=c++17", "-fPIC", "-shared", "-fvisibility=hidden", "-fno-strict-aliasing")
FLAGS = (
    *COMMON,
    "-O1",
    "-g1",
    "-fno-exceptions",
    "-fstack-clash-protection",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-w",
)
_KERNEL = re.compile(r"__global__\s+void\s+(?:__launch_bounds__\(\s*(\d+)\s*(?:,\s*\d+\s*)?\)\s+)?(\w+)\s*\(([^)]*)\)")
_MOST_THREADS = 1024  # of a block, if a kernel does not say


def compile_kernels(
    text: str, fp: str, tools: Toolchain, cache: Cache, limit: int = LIMIT, checked: bool = True
) -> Image:
    """Compile kernels for the emulator; ToolchainError if the C++ compiler fails.

    `checked`: races, accesses out of bounds and of what nobody has written are found; the kernels take ten times as long.
    """
    kernels = _KERNEL.findall(text)
    if not kernels:
        raise InternalError("a text for a device has no kernel")
    rows = "".join(
        f"  SOL_EMULATED({name}, {most or _MOST_THREADS}, {json.dumps(' '.join(parameters.split()))}),\n"
        for most, name, parameters in kernels
    )
    table = f"SOL_EMULATED_TABLE = {{\n{rows}  {{}}\n}};"
    flags = [*FLAGS, *tools.native, *FP_FLAGS[fp]]
    flags += ["-mno-fma"] if tools.fma and not library.loops_fuse() else []
    flags += ["-I", str(INCLUDE), "-I", str(SOURCES), "-include", "kernel_emulated.h"]
    flags += _checks(tools) if checked else []
    stem = f"emulated-{digest(text, repr(flags), tools.identity, _sources())[:16]}"
    made = cache.library_name(stem)
    if not made:
        cache.keep(f"{stem}.cu", text)
        made = compile_text(tools.path, stem, f"{text}\n{table}", flags, cache, limit, ("sol_emulated_kernels",))
    content: bytes = cache.load_with(made, lambda path: Path(path).read_bytes())
    return Image(MARK + struct.pack("=Q", len(content)) + content, "", {name: Resources() for _, name, _ in kernels})


def _checks(tools: Toolchain) -> list[str]:
    """Flags that let the compiler tell each access, without the library that usually listens."""
    if tools.clang:
        return ["-fsanitize=thread", "-fno-sanitize-link-runtime"]
    return ["-fsanitize=thread", "-nodefaultlibs", "-Wl,--no-as-needed,-lm,-lc,-lgcc_s"]


@functools.cache
def _sources() -> str:
    """What the emulator and the kernels' headers are made of."""
    paths = sorted([*SOURCES.glob("*.h"), *SOURCES.glob("*.cpp"), *(INCLUDE / "soljit").glob("*.h")])
    return digest(*(p.read_bytes() for p in paths))


# --- the driver -----------------------------------------------------------------------------------------------------------


def why_not() -> str:
    """Why there can be no emulated device here; "" if there can."""
    return "" if sys.platform == "linux" else f"the emulated device needs Linux, not {sys.platform}"


def driver(cache: Cache, settings: Settings) -> str:
    """The path of the emulator's driver, built if need be; ToolchainError or OSError if that fails."""
    if reason := why_not():
        raise ToolchainError(reason)
    tools = toolchain(settings.cxx, cache, settings.compiler_seconds)
    flags = [*COMMON, "-O2", "-I", str(SOURCES), "-ldl"]
    stem = f"emulator-{digest(repr(flags), tools.identity, _sources())[:16]}"
    made = cache.library_name(stem)
    if not made:
        text = (SOURCES / "driver.cpp").read_text()
        made = compile_text(
            tools.path, stem, text, flags, cache, settings.compiler_seconds, ("cuInit", "sol_fake_counted")
        )
    path: str = cache.load_with(made, str)
    return path


class Controls:
    """What the emulator's driver counts and finds, and what it is asked for: the functions of `controls.h`.

    It is the same library that the device layer uses, as long as both name one path.
    """

    def __init__(self, path: str, cache: Cache) -> None:
        self.ffi = interface(str(SOURCES / "controls.h"))
        self.library: Any = self.ffi.dlopen(path)  # any: cffi has no types
        self._cache = cache

    def counters(self) -> dict[str, int]:
        """Calls and bytes of each kind since the last reset, and what lives now."""
        out = self.ffi.new("sol_fake_counters*")
        self.library.sol_fake_counted(out)
        return {name: int(getattr(out, name)) for name, _ in self.ffi.typeof(out[0]).fields}

    def faults(self) -> list[str]:
        """What was wrong, the oldest first, with the line of the user where that is known."""
        found = [self.ffi.string(self.library.sol_fake_fault(k)) for k in range(self.library.sol_fake_faults())]
        return [with_lines(fault.decode(), self._cache) for fault in found]


# --- places in kernels ----------------------------------------------------------------------------------------------------

_CODE = re.compile(r" \[code \+(0x[0-9a-f]+) of (emulated-[0-9a-f]+)\]")
_SECONDS = 10


def with_lines(text: str, cache: Cache) -> str:
    """What the driver says, with lines in the place of addresses of code; without them if they cannot be found out."""
    return _CODE.sub(lambda found: _line(found[1], found[2], cache), text)


def _line(address: str, stem: str, cache: Cache) -> str:
    """Where a place in a library of kernels comes from."""
    made = cache.library_name(stem)
    tool = shutil.which("addr2line")  # beside the compiler's own tools
    if not made or not tool:
        return ""
    asked = [tool, "-i", "-e", cache.load_with(made, str), address]
    try:
        said = subprocess.run(asked, capture_output=True, text=True, timeout=_SECONDS, check=False).stdout
    except (OSError, subprocess.SubprocessError):
        return ""
    lines = [int(n) for n in re.findall(rf"{stem}\.cpp:(\d+)", said)]
    text = cache.text(f"{stem}.cu").splitlines()
    return f" [{_place(text, lines[0])}]" if lines and lines[0] <= len(text) else ""


def _place(text: list[str], line: int) -> str:
    """A line of kernels, and the user's line that it was made of."""
    heads = [m[1] for t in text[:line] if (m := re.search(r"// line (\d+)", t))]
    user = f"line {heads[-1]}: " if heads else ""
    return f"{user}`{text[line - 1].strip()}`"
