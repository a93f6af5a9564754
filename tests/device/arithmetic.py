"""Every operation on every type as a kernel, for NVRTC and for g++.

`text(t)` is one kernel that computes all operations on arguments of type `t`, and all conversions from it. g++ compiles it twice: on the layer
of processors, and on the layer of devices with the C library's functions in the place of CUDA's.
"""

from __future__ import annotations

import ctypes
import hashlib
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from soljit.codegen.context import Context, Tables, cpp_type
from soljit.codegen.expressions import value
from soljit.codegen.names import Names
from soljit.codegen.source import Features
from soljit.codegen.text import Text
from soljit.codegen.writer import Writer
from soljit.ir.device_ops import why_not
from soljit.ir.expr import Cast, Expr, Load, Memlet, Op, Sym
from soljit.ir.nodes import Program, Region
from soljit.ir.ops import OPS
from soljit.ir.types import ALL, DType, b1
from soljit.runtime.toolchain import toolchain

_folder = tempfile.TemporaryDirectory(prefix="soljit-device-")

# What a kernel is to g++, on either layer: one thread that does everything.
ONE_THREAD = """
#define __global__ __attribute__((visibility("default")))
struct place { unsigned x, y, z; };
static const place threadIdx = {0, 0, 0}, blockIdx = {0, 0, 0}, blockDim = {1, 1, 1}, gridDim = {1, 1, 1};
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


def text(t: DType, fma: bool = True, refused: bool = False) -> str:
    """The kernel: element i of array k is what code k gives for elements i of x, y and z."""
    tables = Tables("strict", Features(fma=fma), {})
    cx = Context(Program("operations", body=Region(())), tables, Names(), Writer(1), in_map=1, in_kernel=True)
    cx.places = _Elements()
    kind = cpp_type(t)
    lines = [
        f'extern "C" __global__ void operations_{t}(const int64_t n, void* const* out, const {kind}* x, const {kind}* y, const {kind}* z) {{'
    ]
    lines += [
        "  for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x) {"
    ]
    for k, (name, e) in enumerate(codes(t, refused).items()):
        lines.append(f"    (({cpp_type(e.dtype)}*)out[{k}])[i] = {value(cx, e)};  // {name}")
    return "\n".join([*lines, "  }", "}", ""])


def computed_by_gcc(t: DType, device: bool, args: tuple[np.ndarray, ...], fma: bool) -> dict[str, np.ndarray]:
    """The results of every code, on the layer of devices or on that of processors."""
    tools = toolchain()
    whole = f'{CUDA_BY_GCC if device else ""}{ONE_THREAD}#include "soljit/numbers.h"\n{text(t, fma)}'
    path = Path(_folder.name) / f"{hashlib.sha256(whole.encode()).hexdigest()[:20]}.so"
    if not path.exists():
        source = path.with_suffix(".cpp")
        source.write_text(whole)
        flags = [f for f in tools.flags("strict") if f != "-O3"]
        done = subprocess.run([tools.path, *flags, "-O1", str(source), "-o", str(path)], capture_output=True, text=True)
        assert done.returncode == 0, f"{source}\n{done.stderr[:4000]}"
    found = codes(t)
    results = {name: np.zeros(len(args[0]), e.dtype.numpy) for name, e in found.items()}
    out = (ctypes.c_void_p * len(results))(*[a.ctypes.data for a in results.values()])
    function = getattr(ctypes.CDLL(str(path)), f"operations_{t}")
    function(ctypes.c_int64(len(args[0])), out, *[ctypes.c_void_p(a.ctypes.data) for a in args])
    return results
