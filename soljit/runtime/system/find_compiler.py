"""Which C++ compiler there is and what machine this is: cheap questions that a cache hit asks, too.

No compiler is run here: a compiler is identified by the file it is (path, size, time), the processor by the first lines
of the system's description. Where there is none, LLVM finds them, if it is there; else the machine's own name keeps its code apart.
"""

from __future__ import annotations

import os
import platform
import sys
from functools import lru_cache

CANDIDATES = ("g++", "clang++", "c++")


def find_compiler(wanted: str = "") -> str | None:
    """Path of the compiler to use: `wanted` (SOL_CXX) or CXX if given, else the first of CANDIDATES on the PATH."""
    given = wanted or os.environ.get("CXX", "").split(" ")[0]
    for name in (given,) if given else CANDIDATES:
        path = _which(name, os.environ.get("PATH", os.defpath))
        if path:
            return path
    return find_compiler_on_path() if given and not wanted else None


def find_compiler_on_path() -> str | None:
    """The first of CANDIDATES, whatever CXX says."""
    search = os.environ.get("PATH", os.defpath)
    return next((p for p in (_which(n, search) for n in CANDIDATES) if p), None)


def _which(name: str, search: str) -> str | None:
    folders = [""] if os.path.dirname(name) else search.split(os.pathsep)
    for folder in folders:
        path = os.path.join(folder, name)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


@lru_cache(maxsize=8)
def compiler_identity(path: str) -> str:
    """Changes when the compiler is replaced."""
    real = os.path.realpath(path)
    info = os.stat(real)
    return f"{path} {real} {info.st_size} {info.st_mtime_ns}"


@lru_cache(maxsize=1)
def cpu_identity() -> str:
    """Model and features of the processor: code compiled for this machine runs on machines of equal text."""
    try:
        with open("/proc/cpuinfo", "rb") as f:
            text = f.read(6000).decode("ascii", "replace").split("\n\n")[0]
    except OSError:
        return f"{platform.machine()}\n{_processor()}"
    keep = ("vendor_id", "cpu family", "model", "model name", "flags", "Features", "CPU part", "isa")
    lines = [line for line in text.splitlines() if line.split("\t")[0].split(":")[0].strip() in keep]
    return platform.machine() + "\n" + "\n".join(lines)


def _processor() -> str:
    """Name and features of the processor where the system has no such description."""
    try:
        from llvmlite import binding
    except ImportError:
        return f"{platform.processor()} of {platform.node()}"
    features = binding.get_host_cpu_features()
    return f"{binding.get_host_cpu_name()} {' '.join(sorted(k for k, on in features.items() if on))}"


def python_identity() -> str:
    """The interpreter whose structs and bytecode are used."""
    return f"{sys.implementation.cache_tag} {sys.version} {getattr(sys, 'abiflags', '')} {sys.maxsize}"
