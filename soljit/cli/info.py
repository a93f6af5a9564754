"""`python -m soljit info`: what soljit found on this machine, for users and for bug reports."""

from __future__ import annotations

import os
import platform

import numpy as np

import soljit
from soljit.base import settings
from soljit.base.errors import DeviceError, ToolchainError
from soljit.base.processors import affine, cores
from soljit.cli.cache import usage
from soljit.runtime.build.toolchain import toolchain
from soljit.runtime.devices.control import tracker
from soljit.runtime.devices.cublas import cublas, why_without
from soljit.runtime.devices.device import all_devices, dotted
from soljit.runtime.devices.nvrtc import nvrtc, why_not
from soljit.runtime.store.cache import open_cache, why_private
from soljit.runtime.system.caches import machine
from soljit.runtime.system.find_compiler import cpu_identity
from soljit.runtime.system.library import has_blas, has_svml


def processor() -> str:
    """The processor's name."""
    names = [line.split(":", 1)[1].strip() for line in cpu_identity().splitlines() if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def compiler_rows() -> list[tuple[str, str]]:
    """The compiler and what it can do, or what is wrong."""
    try:
        tools = toolchain(settings.current().cxx)
    except ToolchainError as e:
        return [("compiler", f"NONE: {e}")]
    return [
        ("compiler", f"{tools.path} ({tools.version})"),
        ("OpenMP", "yes" if tools.openmp is not None else "no: kernels run on one core"),
        ("vectors", f"{tools.vector_bits} bits" + (", FMA" if tools.fma else "")),
    ]


def device_rows() -> list[tuple[str, str]]:
    """The GPUs and their driver, or why none can be used."""
    try:
        found = all_devices("cuda")
    except (DeviceError, ToolchainError) as e:
        return [("GPU", f"none: {e}")]
    rows = [
        (f"GPU {d.number}", f"{d.name}, {d.arch}, {d.memory / 2**30:.1f} GiB, {d.processors} multiprocessors")
        for d in found
    ]
    libraries = [("NVRTC", compiler_of_kernels()), ("cuBLAS", cublas_row())]
    libraries.append(("changes of arrays", f"tracker: {tracker(found[0].layer)}"))
    return [("CUDA's driver", f"for CUDA {dotted(found[0].driver)}"), *rows, *libraries]


def compiler_of_kernels() -> str:
    """NVRTC and where it is, or why there is none."""
    if reason := why_not():
        return f"none: {reason}"
    found = nvrtc()
    return f"{'.'.join(map(str, found.version))} ({found.path})"


def cublas_row() -> str:
    """Where cuBLAS is, or why products of matrices go without it."""
    now = settings.current()._replace(device="cuda", target="")
    reason = why_without(now, "cublas")
    return f"none: {reason}" if reason else cublas(now)


def info() -> int:
    """Print everything; the exit status is 1 if nothing can be compiled here."""
    now = settings.current()
    opened = open_cache(now)
    compiler = compiler_rows()
    rows = [
        ("soljit", f"{soljit.__version__} ({os.path.dirname(soljit.__file__)})"),
        ("Python", f"{platform.python_implementation()} {platform.python_version()}"),
        ("NumPy", np.__version__),
        ("system", f"{platform.system()} {platform.release()} {platform.machine()}"),
        ("processor", processor()),
        ("threads", f"{now.num_threads or cores()} of {affine()} cores"),
        ("machine", str(machine().changed(now.machine))),
        *compiler,
        ("NumPy's OpenBLAS", "found" if has_blas() else "not found: products use soljit's own loops or NumPy"),
        ("NumPy's SVML", "found" if has_svml() else "not found: exp, log, sin … come from elsewhere"),
        *device_rows(),
        ("cache", f"{opened.root}, {usage(opened)}" if opened.shared else f"off: {why_private(now)}"),
        ("settings", repr(settings.settings())),
    ]
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        print(f"{name:{width}s}  {value}")
    return 1 if compiler[0][1].startswith("NONE") else 0
