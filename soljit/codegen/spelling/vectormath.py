"""Mathematical functions: which C++ function computes `exp`, `sin`, … of floats.

With AVX-512 under g++ NumPy computes most of them with Intel's vector library, whose functions its own shared library
exports. Calling the same ones gives NumPy's bits, and the C++ compiler uses them inside vectorized loops (`vector.h`).
Elsewhere libm does the work, but for tanh: there NumPy has a vector loop of its own on every processor with fused multiply-add,
which is called for as many numbers as a vector holds.

Of doubles NumPy computes sin and cos with libm; the vector functions, which are as accurate, take their place, because they are five times as
fast: `passes/scheduling/choose_functions.py` says where not. For exp, log, sin and cos of floats NumPy has loops of its own: `floats.h` computes
what they do. The functions of Python's own numbers and of NumPy's scalars (`libm_…`) are those of the C
library everywhere.
"""

from __future__ import annotations

from soljit.codegen.source import Features
from soljit.codegen.writing.tables import Tables
from soljit.ir.core.ops import LIBM as LIBM_OPS
from soljit.ir.core.types import DType

LIBM = {
    "sqrt": "sqrt",
    "cbrt": "cbrt",
    "exp": "exp",
    "exp2": "exp2",
    "expm1": "expm1",
    "log": "log",
    "log2": "log2",
    "log10": "log10",
    "log1p": "log1p",
    "sin": "sin",
    "cos": "cos",
    "tan": "tan",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "sinh": "sinh",
    "cosh": "cosh",
    "tanh": "tanh",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
    "pow": "pow",
    "arctan2": "atan2",
}
_TWO = ("pow", "atan2")
_OF_FLOATS = ("exp", "log", "sin", "cos")
_LOOPS = ("tanh",)
_PLAIN = frozenset({"tanh"})  # NumPy takes the faster of two variants for doubles


def math_function(tables: Tables, name: str, t: DType, in_map: bool) -> str | None:
    """The C++ function for operation `name` of floats of type `t`, or None if it is no mathematical function.

    in_map: of two functions with the same bits, the one that lanes of vectors can compute is wanted.
    """
    scalars, name = name in LIBM_OPS, LIBM_OPS.get(name, name)
    if name not in LIBM:
        return None
    f = LIBM[name]
    if t.name == "f32" and f in _OF_FLOATS and not scalars and tables.features.fma:
        return _of_floats(tables, f, in_map)
    available = _lanes(tables) and tables.features.svml
    if f in _LOOPS and not available and not scalars and tables.features.fma and not tables.features.clang:
        return _loop_of_numpy(tables, f, t)
    if f == "sqrt" or not available or scalars:
        return f"sol_{f}"
    return _vector_function(tables, f, t)


def how(features: Features, name: str, t: DType) -> str:
    """How `name` of an array of floats of type `t` is computed: in "vectors", by a "call" for each of them, by a "loop" of NumPy's, or for "one" number after the other."""
    scalars, name = name in LIBM_OPS, LIBM_OPS.get(name, name)
    f = LIBM.get(name, "sqrt")
    if f == "sqrt" or t.name not in ("f32", "f64"):
        return "vectors"
    if scalars or features.clang or not features.fma:
        return "one"
    lanes = features.avx512 and features.svml
    if t.name == "f32" and f in _OF_FLOATS:
        return "vectors" if f in ("exp", "log") or lanes else "loop"
    return "loop" if f in _LOOPS else "call" if lanes else "one"


def in_turn(features: Features, name: str, t: DType) -> bool:
    """Tell whether no vector instruction computes `name` of arrays of type `t`."""
    return how(features, name, t) in ("loop", "one")


def strip(tables: Tables, f: str, t: DType) -> str:
    """NumPy's own loop: a function of two arrays and their length."""
    f = LIBM[f]
    name, kind = (f, "double") if t.name == "f64" else (f"{f}f", "float")
    key = f"strip {name}"
    if key not in tables.vector_math:
        tables.headers.add("vector")
        char = t.numpy.char
        slot = tables.slot(f"loop:numpy.{f}:{char}->{char}")
        tables.vector_math[key] = f"SOL_STRIP_LOOP({name}, {kind}, {slot}, sol_{f})"
    return f"sol_strip_{name}"


def wanted_only(tables: Tables, f: str, t: DType) -> str:
    """The function of the vector library with one more operand, 0.0 where its value is not wanted."""
    called = math_function(tables, f, t, True)
    assert called is not None
    name = called.removeprefix("sol_v_")
    key = f"wanted {name}"
    if key not in tables.vector_math:
        kind, vector, lanes = ("double", "sol_8d", 8) if t.name == "f64" else ("float", "sol_16f", 16)
        two = LIBM[f] in _TWO
        tables.vector_math[key] = "\n".join(
            (
                f"#pragma omp declare simd notinbranch simdlen({lanes})",
                f'extern "C" __attribute__((const)) {kind} sol_w_{name}({", ".join((kind,) * (3 if two else 2))}) noexcept;',
                f"SOL_WANTED{2 if two else 1}({name}, {kind}, {vector}, {lanes})",
            )
        )
    return f"sol_w_{name}"


def _lanes(tables: Tables) -> bool:
    return tables.features.avx512 and not tables.features.clang


def _loop_of_numpy(tables: Tables, f: str, t: DType) -> str:
    """NumPy's own loop, for the vectors of AVX2."""
    name, kind, lanes = (f, "double", 4) if t.name == "f64" else (f"{f}f", "float", 8)
    if name not in tables.vector_math:
        tables.headers.add("vector")
        char = t.numpy.char
        slot = tables.slot(f"loop:numpy.{f}:{char}->{char}")
        tables.vector_math[name] = "\n".join(
            (
                f"#pragma omp declare simd notinbranch simdlen({lanes})",
                f'extern "C" __attribute__((const)) {kind} sol_v_{name}({kind}) noexcept;',
                f"SOL_VECTOR_LOOP({name}, {kind}, {lanes}, {slot}, sol_{f})",
            )
        )
    return f"sol_v_{name}"


def _of_floats(tables: Tables, f: str, in_map: bool) -> str:
    """NumPy's own loops of floats. The branch for large numbers would keep g++ from making vectors."""
    tables.headers.add("floats")
    if f in ("exp", "log") or not in_map or not _lanes(tables):
        return f"sol_n_{f}f"
    name = f"{f}f"
    tables.headers.add("vector")
    tables.vector_math[name] = "\n".join(
        (
            "#pragma omp declare simd notinbranch simdlen(16)",
            f'extern "C" __attribute__((const)) float sol_v_{name}(float) noexcept;',
            f"SOL_VECTOR_FLOATS({name}, sol_sine<{int(f == 'cos')}>, SOL_LARGEST_{name})",
        )
    )
    return f"sol_v_{name}"


def _vector_function(tables: Tables, f: str, t: DType) -> str:
    double = t.name == "f64"
    name = f if double else f"{f}f"
    if name not in tables.vector_math:
        tables.headers.add("vector")
        routine = f"__svml_{f}8{'' if f in _PLAIN else '_ha'}" if double else f"__svml_{f}f16"
        slot = tables.slot(f"svml:{routine}")
        kind, vector, lanes = ("double", "sol_8d", 8) if double else ("float", "sol_16f", 16)
        two = f in _TWO
        lines = [
            f"#pragma omp declare simd notinbranch simdlen({lanes})",
            f'extern "C" __attribute__((const)) {kind} sol_v_{name}({kind}{f", {kind}" if two else ""}) noexcept;',
            f"SOL_VECTOR{2 if two else 1}({name}, {kind}, {vector}, {lanes}, {slot}, sol_{f})",
        ]
        tables.vector_math[name] = "\n".join(lines)
    return f"sol_v_{name}"
