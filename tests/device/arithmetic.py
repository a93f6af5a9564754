"""Every operation on every type as a kernel, for NVRTC and for g++.

`text(t)` is one kernel that computes all operations on arguments of type `t`, and all conversions from it. g++ compiles it twice: on the layer
of processors, and on the layer of devices with the C library's functions in the place of CUDA's.
"""

from __future__ import annotations

import ctypes
import hashlib
import itertools
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from soljit.codegen.source import Features
from soljit.codegen.spelling.expressions import value
from soljit.codegen.spelling.types import cpp_type
from soljit.codegen.writing.context import Context
from soljit.codegen.writing.names import Names
from soljit.codegen.writing.tables import Tables
from soljit.codegen.writing.text import Text
from soljit.codegen.writing.writer import Writer
from soljit.ir.core.device_ops import why_not
from soljit.ir.core.expr import Cast, Expr, Load, Memlet, Op, Sym
from soljit.ir.core.nodes import Program, Region
from soljit.ir.core.ops import OPS
from soljit.ir.core.types import ALL, DType, b1
from soljit.runtime.build.toolchain import toolchain, words_of
from tests.codegen.test_operations import values

_folder = tempfile.TemporaryDirectory(prefix="soljit-device-")

# What a kernel is to g++, on either layer: one thread that does everything.
ONE_THREAD = """
#include "soljit/numbers.h"
#define __global__ __attribute__((visibility("default")))
static int64_t sol_thread_x() { return 0; }
static int64_t sol_blocks_x() { return 1; }
static int64_t sol_width() { return 1; }
"""
# What NVRTC knows without a header, by what g++ knows.
CUDA_BY_GCC = """
#include <math.h>
#include <string.h>
#define __CUDACC_RTC__ 1
#define SOL_HALF_BY_HAND 1
template <class To, class From> static To bits_as(From x) { To y; static_assert(sizeof x == sizeof y, ""); memcpy(&y, &x, sizeof y); return y; }
static double __longlong_as_double(long long x) { return bits_as<double>(x); }
static long long __double_as_longlong(double x) { return bits_as<long long>(x); }
static float __uint_as_float(unsigned x) { return bits_as<float>(x); }
static unsigned __float_as_uint(float x) { return bits_as<unsigned>(x); }
static int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
static int __ffsll(long long x) { return __builtin_ffsll(x); }
static int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
"""


class _Elements:
    """Element i of arrays x, y and z."""

    def element(self, m: Memlet) -> Text:
        return Text(f"{m.data}[i]")

    def extent(self, data: str, dim: int) -> Text:
        raise AssertionError

    stride = extent


def argument(k: int, t: DType) -> Load:
    return Load(Memlet("xyz"[k], (Sym("i"),)), t)


def codes(t: DType, refused: bool = False) -> dict[str, Expr]:
    """Operations on arguments of type `t` and conversions from it, by name: those of the device, or those that it has not."""
    out: dict[str, Expr] = {}
    for name, info in OPS.items():
        if (
            t.kind not in info.args
            or (t.name == "f16" and name == "complex")
            or (why_not(name, t) is not None) != refused
        ):
            continue
        args: tuple[Expr, ...] = tuple(argument(k, t) for k in range(info.arity))
        if name == "select":
            args = (Op("lt", args[:2], b1), *args[1:])
        out[name] = Op(name, args, info.result(t))
    if not refused:
        out |= {f"to {u}": Cast(u, argument(0, t)) for u in ALL if u != t}
    return out


def arguments(t: DType) -> tuple[np.ndarray, ...]:
    """Each pair of the values that matter, and a third one."""
    pairs = np.array(list(itertools.product(values(t), values(t))), t.numpy)
    x, y = np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])
    return x, y, np.roll(y, 7)


def text(t: DType, fma: bool = True, refused: bool = False) -> str:
    """The kernel: element i of array k of `out`, each as long as if its elements had 16 bytes, is what code k gives for elements i of x, y and z."""
    tables = Tables("strict", Features(fma=fma), {})
    cx = Context(Program("operations", body=Region(())), tables, Names(), Writer(1), in_map=1, in_kernel=True)
    cx.places = _Elements()
    arguments = ", ".join(f"const {cpp_type(t)}* {a}" for a in "xyz")
    lines = [f'extern "C" __global__ void operations_{t}(char* out, {arguments}, const int64_t n) {{']
    lines += ["  for (int64_t i = sol_thread_x(); i < n; i += sol_blocks_x() * sol_width()) {"]
    for k, (name, e) in enumerate(codes(t, refused).items()):
        lines.append(f"    (({cpp_type(e.dtype)}*)(out + {16 * k} * n))[i] = {value(cx, e)};  // {name}")
    return "\n".join([*lines, "  }", "}", ""])


def results(t: DType, out: np.ndarray, n: int) -> dict[str, np.ndarray]:
    """The arrays in `out`, by the codes' names."""
    arrays = {}
    for k, (name, e) in enumerate(codes(t).items()):
        arrays[name] = out[16 * k * n : 16 * k * n + e.dtype.size * n].view(e.dtype.numpy)
    return arrays


def computed_by_gcc(t: DType, device: bool, args: tuple[np.ndarray, ...], fma: bool) -> dict[str, np.ndarray]:
    """The results of every code, on the layer of devices or on that of processors."""
    tools = toolchain()
    whole = f"{CUDA_BY_GCC if device else ''}{ONE_THREAD}{text(t, fma)}"
    path = Path(_folder.name) / f"{hashlib.sha256(whole.encode()).hexdigest()[:20]}.so"
    if not path.exists():
        source = path.with_suffix(".cpp")
        source.write_text(whole)
        flags = [f for f in tools.flags("strict") if f != "-O3"]
        words = words_of(str(source), str(path), (*flags, "-O1"))
        done = subprocess.run([tools.path, *words], capture_output=True, text=True)
        assert done.returncode == 0, f"{source}\n{done.stderr[:4000]}"
    out = np.zeros(16 * len(args[0]) * len(codes(t)), np.uint8)
    function = getattr(ctypes.CDLL(str(path)), f"operations_{t}")
    function(*[ctypes.c_void_p(a.ctypes.data) for a in (out, *args)], ctypes.c_int64(len(args[0])))
    return results(t, out, len(args[0]))
