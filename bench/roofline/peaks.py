"""What this machine can do: operations a second of its vector units, and bytes a second of its caches and its memory, measured.

Additions and multiplications are chains in registers, many at a time, separate (as NumPy's bits want them) and fused (as the BLAS has them). Divisions and functions are
loops over an array in the second cache, NumPy's own or soljit's, whichever are faster. Bytes are those that a loop of vector loads and stores moves, and of memory those of a copy.
"""

from __future__ import annotations

import ctypes
import functools
import math
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import soljit as sol
from bench.roofline.counts import FUSED, SIMPLE
from soljit.base.settings import current
from soljit.ir.core.ops import LIBM, OPS
from soljit.ir.core.types import BY_NAME
from soljit.runtime.build.toolchain import Toolchain, toolchain
from soljit.runtime.profile.bandwidth import measured, together
from soljit.runtime.store.cache import open_cache
from soljit.runtime.system.caches import caches

SOURCE = """
#define EXPORT extern "C" __attribute__((visibility("default")))
template <class T> static double arithmetic(long rounds) {
    typedef T vector __attribute__((vector_size(%(bytes)d)));
    vector sum{}, factor = sum + T(0.999), term = sum + T(0.001);
    vector %(set)s;
    for (long r = 0; r < rounds; ++r) {
        %(step)s;
    }
    %(sum)s;
    return sum[0];
}
EXPORT double sol_kernel(long rounds) { return arithmetic<double>(rounds); }
EXPORT double sol_singles(long rounds) { return arithmetic<float>(rounds); }
EXPORT void sol_move(double *to, const double *from, long count, long rounds) {
    typedef double vector __attribute__((vector_size(%(bytes)d), aligned(8), may_alias));
    const long step = %(bytes)d / 8;
    for (long r = 0; r < rounds; ++r) {
        for (long i = 0; i + 2 * step <= count; i += 2 * step) {
            *(vector *)(to + i) = *(const vector *)(from + i) + 1.0;
            *(vector *)(to + i + step) = *(const vector *)(from + i + step) + 1.0;
        }
        asm volatile("" ::: "memory");
    }
}
"""
MEMORY = "memory"
_TIMES = 30  # short ones, so that some are not interrupted
_ROUNDS = 3
_ELEMENTS = 32768  # of arrays for functions
_WEIGHTS = {"f64": 1, "i64": 1, "u64": 1, "f32": 2, "i32": 2, "u32": 2, "i16": 4, "u16": 4, "i8": 8, "u8": 8, "b1": 8}


@dataclass
class Peaks:
    """threads: all rates are those of so many together. bytes: bytes a second, by level ("L1", …, "memory"); sizes: bytes that the caches hold; operations: operations a second,
    by what and dtype ("simple f64", "fused f64", "exp f64")."""

    threads: int
    bytes: dict[str, float] = field(default_factory=dict)
    sizes: dict[str, float] = field(default_factory=dict)
    operations: dict[str, float] = field(default_factory=dict)

    def level(self, size: float) -> str:
        """The nearest level that holds so many bytes."""
        return next((name for name, holds in self.sizes.items() if size <= holds), MEMORY)

    def seconds(self, operations: dict[str, float]) -> float:
        """The least time of these operations; rates that are missing are measured."""
        for what in operations.keys() - self.operations.keys():
            self.operations[what] = _results(*what.split()) * self.threads
        return sum(count / self.operations[what] for what, count in operations.items())


def peaks(threads: int, quick: bool = False) -> Peaks:
    """Measured now. quick: for tests, not to be believed"""
    found, span = Peaks(threads), 0.0005 if quick else 0.01
    settings = current()
    tools = toolchain(settings.cxx, open_cache(settings), vectors=settings.vectors)
    separate, fused = _library(tools, False), _library(tools, True)
    lanes, chains = tools.vector_bits // 64, _chains(tools)
    works = {
        f"{name} {dtype}": (getattr(library, function), 2 * chains * lanes * more)
        for name, library in ((SIMPLE, separate), (FUSED, fused))
        for function, dtype, more in (("sol_kernel", "f64", 1), ("sol_singles", "f32", 2))
    }
    for _ in range(1 if quick else _ROUNDS):  # alternately, and the best of each counts
        for what, (work, each) in works.items():
            rate = each * _rate(lambda _, n, f=work: f(n), threads, span)
            found.operations[what] = max(rate, found.operations.get(what, 0.0))
    for dtype, weight in _WEIGHTS.items():
        of = "f64" if weight == 1 else "f32"
        found.operations.setdefault(f"{SIMPLE} {dtype}", found.operations[f"{SIMPLE} {of}"] * max(1, weight / 2))
    for level, cache in caches().items():
        size = cache.size
        own = size / 2 / (threads if level > 2 else 1)
        found.bytes[f"L{level}"] = _moving(separate, int(own / 16) // 64 * 64, threads, span)
        found.sizes[f"L{level}"] = size * (1 if level > 2 else threads)
    found.bytes[MEMORY] = found.bytes.get("L2", 1e10) if quick else max(measured(threads) for _ in range(3)) * 1e9
    return found


def _chains(tools: Toolchain) -> int:
    """As many as registers hold."""
    return 20 if tools.avx512 else 12


def _source(tools: Toolchain) -> str:
    chains = range(_chains(tools))
    texts = {
        "set": ", ".join(f"x{k} = sum + T({k})" for k in chains),
        "step": "; ".join(f"x{k} = x{k} * factor + term" for k in chains),
        "sum": "; ".join(f"sum += x{k}" for k in chains),
    }
    return SOURCE % {"bytes": tools.vector_bits // 8, **texts}


def _library(tools: Toolchain, fused: bool) -> ctypes.CDLL:
    flags = (*tools.flags("contract" if fused else "strict"), *(("-mfma",) if fused and tools.fma else ()))
    with tempfile.TemporaryDirectory(prefix="roofline-") as folder:
        source, made = Path(folder) / "peaks.cpp", Path(folder) / "peaks.so"
        source.write_text(_source(tools))
        subprocess.run([tools.path, *flags, str(source), "-o", str(made)], check=True)
        library = ctypes.CDLL(str(made))
    for f in (library.sol_kernel, library.sol_singles):
        f.argtypes, f.restype = [ctypes.c_long], ctypes.c_double
    library.sol_move.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long, ctypes.c_long]
    return library


def _rate(work: Callable[[int, int], Any], threads: int, span: float) -> float:
    """Rounds a second of `work(thread, rounds)`, of all threads together: the best of several."""

    def seconds(rounds: int) -> float:
        return together(lambda k: work(k, rounds), threads)

    rounds = 1
    while (took := seconds(rounds)) < span:
        rounds *= 4 if took < span / 8 else 2
    return threads * rounds / min(seconds(rounds) for _ in range(_TIMES))


def _moving(library: ctypes.CDLL, count: int, threads: int, span: float) -> float:
    """Bytes read and written a second, in two arrays of so many numbers for each thread."""
    arrays = [(np.ones(count + 8), np.ones(count + 8)) for _ in range(threads)]
    places = [[x.ctypes.data + -x.ctypes.data % 64 for x in pair] for pair in arrays]
    return _rate(lambda k, n: library.sol_move(*places[k], count, n), threads, span) * 16 * count


def _results(what: str, dtype: str) -> float:
    """Results a second on one thread of an operation on an array in the second cache: by NumPy's loop or by soljit's, whichever is faster."""
    name = LIBM.get(what, what)
    info, kind = OPS[name], BY_NAME[dtype].numpy
    x = np.random.default_rng(3).random(_ELEMENTS) * 0.8 + 0.1
    values = x.astype(kind) if kind.kind in "fc" else (100 * x + 1).astype(kind)
    arguments = [values] * info.arity
    ways = [lambda: info.evaluate(*arguments)]
    text = {"div": "x / x", "floordiv": "x // x", "mod": "x % x", "pow": "np.power(x, x)"}.get(name, "")
    if hasattr(np, name):
        text = f"np.{name}({', '.join('x' * info.arity)})"
    if text:
        results = np.empty_like(info.evaluate(*arguments))
        ways.append(functools.partial(_compiled(text, values, results), values, results))
    return _ELEMENTS / min(_least(way) for way in ways)


def _compiled(text: str, *arguments: Any) -> Callable[..., Any]:
    """A loop over an array, compiled for these arguments."""
    with tempfile.TemporaryDirectory(prefix="roofline-") as folder:
        path = Path(folder) / "loop.py"
        path.write_text(f"import numpy as np\n\n\ndef loop(x, y):\n    y[:] = {text}\n")
        names: dict[str, Any] = {}
        exec(compile(path.read_text(), str(path), "exec"), names)  # noqa: S102
        f: Callable[..., Any] = sol.jit(names["loop"], parallel=False, strict=True)
        f(*arguments)
        return f


def _least(way: Callable[[], Any]) -> float:
    least = math.inf
    for _ in range(_TIMES):
        start = time.perf_counter()
        way()
        least = min(least, time.perf_counter() - start)
    return least
