"""Text → shared library, with the user's C++ compiler.

Flags keep NumPy's meaning: no contraction, no reassociation, NaN and signed zero respected, unless `fp` allows more.
With "fast", NaN and infinity still exist (`isnan` keeps working); only reassociation, reciprocals and the sign of
zero are given up. A compiler that fails leaves its source and log in the cache folder, and the error names them.
"""

from __future__ import annotations

import functools
import json
import os
import shlex
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from soljit.base.errors import ToolchainError
from soljit.runtime import library
from soljit.runtime.cache import FORMAT
from soljit.runtime.cache_files import new_part, put_library, read_text, write_text
from soljit.runtime.compiler import compiler_identity, cpu_identity, find_compiler
from soljit.runtime.fingerprint import digest
from soljit.runtime.sanitizers import sanitizer_flags

INCLUDE = Path(__file__).resolve().parent.parent / "codegen" / "include"
COMMON = ("-std=c++17", "-O3", "-fPIC", "-shared", "-fno-math-errno", "-fno-trapping-math", "-fno-strict-aliasing")
LIMITS = (  # of searches that take g++ minutes in functions of a hundred calls of Python
    "-fno-gcse-after-reload",
    "--param=sccvn-max-alias-queries-per-access=100",
    "--param=max-cselib-memory-locations=50",
)
FAST = ("-fassociative-math", "-freciprocal-math", "-fno-signed-zeros")
FP_FLAGS = {
    "strict": ("-ffp-contract=off",),
    "contract": ("-ffp-contract=fast",),
    "fast": ("-ffp-contract=fast", *FAST),
}


@dataclass(frozen=True)
class Toolchain:
    """A compiler and what it can do. `openmp`: the flags that give OpenMP, or None if it has none."""

    path: str
    clang: bool
    version: str
    openmp: tuple[str, ...] | None
    native: tuple[str, ...]
    defines: frozenset[str]

    @property
    def avx512(self) -> bool:
        """Does code for this machine have the 512-bit vectors that NumPy's vector math uses?"""
        return {"__AVX512F__", "__AVX512DQ__", "__AVX512BW__", "__AVX512VL__"} <= self.defines

    @property
    def fma(self) -> bool:
        return "__FMA__" in self.defines

    @property
    def vector_bits(self) -> int:
        return 512 if self.avx512 else 256 if "__AVX__" in self.defines else 128

    @property
    def identity(self) -> str:
        """Part of the key of everything compiled."""
        return "\n".join((compiler_identity(self.path), cpu_identity(), *self.native))

    def flags(self, fp: str = "strict", openmp: bool = False, sanitize: str = "") -> tuple[str, ...]:
        """Flags of a kernel."""
        wide = ("-mprefer-vector-width=512",) if self.avx512 else ()
        scalar = (
            ("-mno-stv",) if "__x86_64__" in self.defines and not self.clang else ()
        )  # max and min of single integers
        separate = ("-mno-fma",) if self.fma and not library.loops_fuse() else ()
        threads = (self.openmp or ()) if openmp else ("-fopenmp-simd",)
        undefined = ("-undefined", "dynamic_lookup") if sys.platform == "darwin" else ()
        return (
            *COMMON,
            *(() if self.clang else LIMITS),
            *self.native,
            *wide,
            *scalar,
            *separate,
            *FP_FLAGS[fp],
            *threads,
            "-I",
            str(INCLUDE),
            *undefined,
            *self.checks(sanitize, openmp),
        )

    def checks(self, sanitize: str, openmp: bool = False) -> tuple[str, ...]:
        """Flags that build the checks `sanitize` in."""
        return sanitizer_flags(self.path, self.clang, sanitize, openmp) if sanitize else ()


def toolchain(wanted: str = "", folder: str = "") -> Toolchain:
    """The toolchain of this machine; ToolchainError if there is no compiler or it does not work.

    What was found out about a compiler is kept in `folder`, if one is given: asking takes three runs of it.
    """
    path = find_compiler(wanted)
    if path is None:
        looked = wanted or "g++, clang++ or c++"
        raise ToolchainError(f"no C++ compiler was found ({looked}); install one or name it in SOL_CXX")
    return _known(path, compiler_identity(path) + cpu_identity(), folder)


@functools.lru_cache(maxsize=8)
def _known(path: str, identity: str, folder: str) -> Toolchain:
    file = os.path.join(folder, f"toolchain-{digest(FORMAT, identity)[:16]}.json")
    if folder:
        try:
            kept = json.loads(read_text(file))
            openmp = None if kept["openmp"] is None else tuple(kept["openmp"])
            return Toolchain(
                path, kept["clang"], kept["version"], openmp, tuple(kept["native"]), frozenset(kept["defines"])
            )
        except (OSError, ValueError, KeyError, TypeError):
            pass  # asked again below
    tools = _probe(path)
    if folder:
        data = {**asdict(tools), "defines": sorted(tools.defines)}
        write_text(file, json.dumps(data))
    return tools


def _probe(path: str) -> Toolchain:
    asked = _run([path, "--version"])
    if asked.returncode:
        raise ToolchainError(f"the C++ compiler does not run: {path} --version: exit status {asked.returncode}")
    version = asked.stdout
    clang = "clang" in version.lower()
    native: tuple[str, ...] = ("-march=native",)
    defines = _macros(path, native)
    if defines is None:
        native = ("-mcpu=native",)
        defines = _macros(path, native)
    if defines is None:
        native, defines = (), _macros(path, ()) or frozenset()
    openmp = ("-fopenmp",) if _links(path, "-fopenmp") else None
    return Toolchain(path, clang, version.splitlines()[0] if version else "", openmp, native, defines)


def _macros(path: str, flags: tuple[str, ...]) -> frozenset[str] | None:
    """Names of the macros that the compiler defines with these flags; None if it refuses them."""
    done = _run([path, *flags, "-dM", "-E", "-x", "c++", os.devnull])
    if done.returncode:
        return None
    return frozenset(line.split()[1] for line in done.stdout.splitlines() if line.startswith("#define"))


def _links(path: str, flag: str) -> bool:
    with tempfile.TemporaryDirectory(prefix="soljit-probe-") as folder:
        source = os.path.join(folder, "probe.cpp")
        with open(os.open(source, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as f:
            f.write('extern "C" int omp_get_max_threads(void); int f(void) { return omp_get_max_threads(); }\n')
        command = [path, flag, "-shared", "-fPIC", source, "-o", os.path.join(folder, "probe.so"), "-Wl,--no-undefined"]
        if sys.platform == "darwin":
            command.pop()
        return _run(command).returncode == 0


def compile_file(tools: Toolchain, source: str, library: str, flags: tuple[str, ...]) -> None:
    """Compile `source` to `library`, which appears at once and complete; raises ToolchainError with everything one
    needs.
    """
    log = f"{os.path.splitext(library)[0]}.log"
    try:
        with new_part(library) as part:
            command = [tools.path, *flags, source, "-o", part]
            done = _run(command)
            if done.returncode == 0:
                put_library(part, library)
                return
    except OSError as e:
        raise ToolchainError(f"compiled code cannot be kept in {os.path.dirname(library)}: {e}") from e
    kept = write_text(log, f"{shlex.join(command)}\n\n{done.stdout}{done.stderr}")
    errors = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines()
    head = "\n".join(errors[:5])
    raise ToolchainError(
        f"the C++ compiler failed (exit status {done.returncode})\n  command: {shlex.join(command)}\n"
        f"  source:  {source}\n  log:     {log if kept else '(cannot be written)'}\n{head}"
    )


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run the compiler; what it writes is for this user alone."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False, umask=0o077)
    except OSError as e:
        raise ToolchainError(f"the C++ compiler does not run: {shlex.join(command)}: {e}") from e
