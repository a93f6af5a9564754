"""Text → shared library, with the user's C++ compiler.

Flags keep NumPy's meaning: no contraction, no reassociation, NaN and signed zero respected, unless `fp` allows more.
With "fast", NaN and infinity still exist (`isnan` keeps working); only reassociation, reciprocals and the sign of
zero are given up. A compiler that fails leaves its source and log in the cache folder, and the error names them.

The compiler works in a private temporary folder. What it made is looked at before anybody keeps or loads it: it must be a
whole library, with the symbols that are expected, and made of this very text.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from soljit.base.errors import CompilerTimeoutError, NoCompilerError, ToolchainError
from soljit.base.records import dataclass
from soljit.base.settings import DEFAULTS
from soljit.runtime.store.cache import Cache
from soljit.runtime.store.environment import FORMAT
from soljit.runtime.store.temporary import working_folder
from soljit.runtime.system import library
from soljit.runtime.system.commands import Outcome, run
from soljit.runtime.system.elf import why_not_whole
from soljit.runtime.system.find_compiler import compiler_identity, cpu_identity, find_compiler
from soljit.runtime.system.fingerprint import digest
from soljit.runtime.system.guarded_folder import Folder
from soljit.runtime.system.sanitizers import sanitizer_flags

INCLUDE = Path(__file__).resolve().parents[2] / "codegen" / "include"
COMMON = (
    "-std=c++17",
    "-O3",
    "-fPIC",
    "-shared",
    "-fno-exceptions",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-strict-aliasing",
)
LIGHT = ("-Og",)  # of code that runs once in a call: -O3 takes up to forty times as long for it, and -O1 no less
LIMITS = (  # of searches that take g++ minutes in functions of a hundred calls of Python
    "-fno-gcse-after-reload",
    "--param=sccvn-max-alias-queries-per-access=100",
    "--param=max-cselib-memory-locations=50",
)
LEAN = (  # kernels need nothing of libstdc++, whose symbols ld reads for longer than g++ takes for many a program
    ("-nostdlib++",),
    ("-nodefaultlibs", "-lm", "-lgcc", "-lgcc_s", "-lc"),
)
NOWHERE = "compiled code can be kept nowhere: {}"
LIMIT = DEFAULTS.compiler_seconds
QUESTION_LIMIT = 60  # seconds for a question to the compiler; a compilation may take longer
FAST = ("-fassociative-math", "-freciprocal-math", "-fno-signed-zeros")
FP_FLAGS = {
    "strict": ("-ffp-contract=off",),
    "contract": ("-ffp-contract=fast",),
    "fast": ("-ffp-contract=fast", *FAST),
}


@dataclass(frozen=True)
class Toolchain:
    """A compiler and what it can do.

    openmp: the flags that give OpenMP, or None if it has none
    lean:   the flags that link without libstdc++, if it has such
    """

    path: str
    clang: bool
    version: str
    openmp: tuple[str, ...] | None
    lean: tuple[str, ...]
    native: tuple[str, ...]
    defines: frozenset[str]

    @property
    def avx512(self) -> bool:
        """Tell whether code for this machine has the 512-bit vectors that NumPy's vector math uses."""
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

    def flags(
        self, fp: str = "strict", openmp: bool = False, sanitize: str = "", light: bool = False
    ) -> tuple[str, ...]:
        """Flags of a kernel. light: it matters little how fast it is"""
        wide = ("-mprefer-vector-width=512",) if self.avx512 else ()
        scalar = (
            ("-mno-stv",) if "__x86_64__" in self.defines and not self.clang else ()
        )  # max and min of single integers
        separate = ("-mno-fma",) if self.fma and not library.loops_fuse() else ()
        threads = (self.openmp or ()) if openmp else ("-fopenmp-simd",)
        undefined = ("-undefined", "dynamic_lookup") if sys.platform == "darwin" else ()
        return (
            *COMMON,
            *(LIGHT if light and "-O3" in COMMON else ()),
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
            *(self.checks(sanitize, openmp) if sanitize else self.lean),
        )

    def checks(self, sanitize: str, openmp: bool = False) -> tuple[str, ...]:
        """Flags that build the checks `sanitize` in."""
        return sanitizer_flags(self.path, self.clang, sanitize, openmp) if sanitize else ()


HOW_TO_INSTALL = (
    "install one (Debian, Ubuntu: sudo apt install g++; Fedora: sudo dnf install gcc-c++; conda: conda install -c conda-forge gxx; "
    "macOS: xcode-select --install) or name it in SOL_CXX"
)


def compiler_for(wanted: str = "") -> str:
    """Path of the compiler; NoCompilerError if there is none."""
    path = find_compiler(wanted)
    if path is None:
        raise NoCompilerError(f"no C++ compiler was found ({wanted or 'g++, clang++ or c++'}); {HOW_TO_INSTALL}")
    return path


def toolchain(wanted: str = "", cache: Cache | None = None, limit: int = LIMIT, vectors: int = 0) -> Toolchain:
    """The toolchain of this machine; ToolchainError if there is no compiler or it does not work.

    vectors: bits of the longest vectors that code may use; 0: as the machine has them

    What was found out about a compiler is kept in `cache`, if one is given: asking takes some runs of it.
    """
    path = compiler_for(wanted)
    try:
        identity = compiler_identity(path) + cpu_identity()
    except OSError as e:
        raise ToolchainError(f"the C++ compiler is gone: {e}") from e
    hung = _hung.get(identity)
    if hung is not None and hung[0] == limit:
        raise CompilerTimeoutError(hung[1])
    try:
        return _known(path, identity, cache, limit, _narrower(vectors))
    except CompilerTimeoutError as e:
        _hung[identity] = limit, str(e)
        raise
    except OSError as e:
        raise ToolchainError(f"the C++ compiler cannot work: no temporary folder can be used: {e}") from e


_hung: dict[str, tuple[int, str]] = {}  # compilers that did not answer are asked once a process, not at each function


@functools.lru_cache(maxsize=8)
def _known(path: str, identity: str, cache: Cache | None, limit: int, narrower: tuple[str, ...]) -> Toolchain:
    name = f"toolchain-{digest(FORMAT, identity, *narrower)[:16]}.json"
    try:
        kept = json.loads(cache.text(name) if cache else "")
        openmp = None if kept["openmp"] is None else tuple(kept["openmp"])
        lean, native = tuple(kept["lean"]), tuple(kept["native"])
        return Toolchain(path, kept["clang"], kept["version"], openmp, lean, native, frozenset(kept["defines"]))
    except (ValueError, KeyError, TypeError):
        pass  # asked again below
    with working_folder() as folder:
        tools = _probe(path, _Questions(path, min(limit, QUESTION_LIMIT) if limit else 0, folder), narrower)
    if cache:
        cache.keep(name, json.dumps({**asdict(tools), "defines": sorted(tools.defines)}))
    return tools


@dataclass(frozen=True)
class _Questions:
    """Questions to a compiler. A "no" is believed only if the compiler does the same without the feature: else it is not
    the feature that fails, but the disk, say.
    """

    path: str
    limit: float
    folder: str

    def run(self, *words: str) -> Outcome:
        return run([self.path, *words], self.limit, self.folder)

    def must(self, *words: str) -> Outcome:
        """What a compiler that works does."""
        done = self.run(*words)
        if done.status:
            command = shlex.join([self.path, *words])
            raise ToolchainError(
                f"the C++ compiler does not work: {command}: exit status {done.status}\n{done.err[:500]}"
            )
        return done

    def macros(self, *flags: str) -> frozenset[str] | None:
        """Names of the macros that the compiler defines with these flags; None if it refuses them."""
        asked = ("-dM", "-E", "-x", "c++", os.devnull)
        done = self.run(*flags, *asked)
        if done.status:
            self.must(*asked)
            return None
        found = frozenset(line.split()[1] for line in done.out.splitlines() if line.startswith("#define "))
        if "__cplusplus" not in found:
            raise ToolchainError(f"the C++ compiler does not work: {self.path} tells nothing about itself")
        return found

    def links(self, *flags: str) -> bool:
        """Tell whether the compiler can make libraries with these flags, of OpenMP or of what to link."""
        if self.run(*self.library(*flags)).status == 0:
            return True
        self.must(*self.library())
        return False

    def library(self, *flags: str) -> tuple[str, ...]:
        """What follows the compiler's name in the command that makes a library with these flags."""
        source = os.path.join(self.folder, "probe.cpp")
        with open(source, "w") as f:
            f.write(PROBE)
        strictly = () if sys.platform == "darwin" else ("-Wl,--no-undefined",)
        words = ("-shared", "-fPIC", "-fno-exceptions", *strictly, *flags)
        return words_of(source, os.path.join(self.folder, "probe.so"), words)


PROBE = """#ifdef _OPENMP
extern "C" int omp_get_max_threads(void);
int threads(void) { return omp_get_max_threads(); }
#endif
extern "C" double sin(double);
extern "C" void* malloc(__SIZE_TYPE__);
double sine(double x) { return sin(x); }
void* memory(void) { return malloc(1); }
_Complex long double product(_Complex long double x, _Complex long double y) { return x * y; }
"""


def words_of(source: str, target: str, flags: Sequence[str]) -> tuple[str, ...]:
    """What follows the compiler's name in a command; libraries stand behind what needs them, as linkers want it."""
    libraries = tuple(f for f in flags if f.startswith("-l"))
    return *(f for f in flags if f not in libraries), source, "-o", target, *libraries


def _narrower(vectors: int) -> tuple[str, ...]:
    """Flags that keep a compiler from what has longer vectors."""
    return ("-mno-avx512f",) if vectors == 256 else ()


def _probe(path: str, ask: _Questions, narrower: tuple[str, ...]) -> Toolchain:
    version = ask.must("--version").out
    clang = "clang" in version.lower()
    native: tuple[str, ...] = ("-march=native", *narrower)
    defines = ask.macros(*native)
    if defines is None:
        native = ("-mcpu=native",)
        defines = ask.macros(*native)
    if defines is None:
        native, defines = (), ask.macros() or frozenset()
    openmp, lean = _linking(ask)
    return Toolchain(path, clang, version.splitlines()[0] if version else "", openmp, lean, native, defines)


def _linking(ask: _Questions) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    """The flags for OpenMP and those that link without libstdc++: both at once, as most compilers can; otherwise one after the other."""
    ways = LEAN if sys.platform == "linux" else ()
    for flags in ways:
        if ask.run(*ask.library(*flags, "-fopenmp")).status == 0:
            return ("-fopenmp",), flags
    if ask.links("-fopenmp"):
        return ("-fopenmp",), ()
    return None, next((flags for flags in ways if ask.links(*flags)), ())


def compile_text(
    compiler: str,
    stem: str,
    text: str,
    flags: Sequence[str],
    cache: Cache,
    limit: int = LIMIT,
    symbols: Sequence[str] = ("sol_kernel",),
    parts: Sequence[bytes] = (),
) -> str:
    """Compile a text to the library `stem`.so of the cache, with `parts`; how records name it. ToolchainError with everything one needs.

    The library says in itself whom it is for, so that one which was made of another text (by a compiler behind a cache of
    its own, say) is not believed.
    """
    mark = f"soljit made this of {stem}"
    whole = f'{text}\nextern "C" __attribute__((visibility("default"))) const char sol_made_of[] = "{mark}";\n'
    command, done, content = _compile(compiler, f"{stem}.so", whole, flags, limit, parts)
    if done.status == 0:
        fault = why_not_whole(content, (mark, *symbols))
        if not fault:  # what another process made meanwhile stays: its records name it by its checksum
            try:
                return cache.library_name(stem) or cache.put(f"{stem}.so", content)
            except OSError as e:
                raise ToolchainError(NOWHERE.format(e)) from e
        done = done._replace(
            err=f"error: it says that all went well, but what it wrote is no good: {fault}\n{done.err}"
        )
    raise _failed(stem, command, done, cache)


def compile_part(tools: Toolchain, text: str, flags: Sequence[str], cache: Cache, limit: int = LIMIT) -> bytes:
    """The object file of a text that is a part of many libraries, made with the flags of those: the kept one, or made now and kept."""
    stem = digest("part", text, repr(flags), tools.identity)
    with contextlib.suppress(OSError):
        return cache.content(f"{stem}.o")
    compiling = ("-c", *(x for x in flags if x not in tools.lean and x != "-shared"))
    command, done, content = _compile(tools.path, f"{stem}.o", text, compiling, limit)
    if not content:
        cache.keep(f"{stem}.cpp", text)
        raise _failed(stem, command, done, cache)
    with contextlib.suppress(OSError):  # what no disk wants works all the same
        cache.put(f"{stem}.o", content)
    return content


def _compile(
    compiler: str, name: str, text: str, flags: Sequence[str], limit: int, parts: Sequence[bytes] = ()
) -> tuple[list[str], Outcome, bytes]:
    """Compile a text to a file `name`, with object files: the command, what became of it, and what it wrote, b"" if it failed."""
    try:
        with working_folder() as folder:
            source, made = os.path.join(folder, f"{os.path.splitext(name)[0]}.cpp"), os.path.join(folder, name)
            with open(source, "w", encoding="utf-8") as f:
                f.write(text)
            objects = [os.path.join(folder, f"part{k}.o") for k in range(len(parts))]
            for path, content in zip(objects, parts):
                with open(path, "wb") as binary:
                    binary.write(content)
            command = [compiler, *words_of(source, made, (*flags, *objects))]
            done = run(command, limit, folder)
            return command, done, _made(made) if done.status == 0 else b""
    except OSError as e:
        raise ToolchainError(NOWHERE.format(e)) from e


def _made(library: str) -> bytes:
    """What the compiler wrote, if anything."""
    try:
        with Folder.open(os.path.dirname(library)) as folder:
            return folder.read(os.path.basename(library))
    except OSError:
        return b""


def _failed(stem: str, command: Sequence[str], done: Outcome, cache: Cache) -> ToolchainError:
    shown = shlex.join(command)
    kept = cache.keep(f"{stem}.log", f"{shown}\n\n{done.out}{done.err}")
    errors = [line for line in done.err.splitlines() if "error" in line] or done.err.splitlines()
    head = "\n".join(errors[:5])
    return ToolchainError(
        f"the C++ compiler failed (exit status {done.status})\n  command: {shown}\n"
        f"  source:  {cache.object(f'{stem}.cpp')}\n"
        f"  log:     {cache.object(f'{stem}.log') if kept else '(cannot be written)'}\n{head}"
    )
