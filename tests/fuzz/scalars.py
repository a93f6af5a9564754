"""Random arithmetic on NumPy scalars of every type mixed with Python's numbers: types of results, wrapping, errors of
conversion, comparisons, in-place operators, and what is printed of them.
"""

from __future__ import annotations

import functools
import random
from typing import Any

import numpy as np

from tests.fuzz.growth import Growth, ending

TYPES = (
    "bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip
INTS = (
    "0", "1", "2", "3", "-1", "7", "100", "127", "-128", "200", "255", "-5", "1000", "65535", "2147483647", "-2147483648", "4294967295",
)  # fmt: skip
FLOATS = (
    "0.5", "-1.5", "0.0", "-0.0", "2.0", "1e10", "float('nan')", "float('inf')", "3.75", "0.1", "1e-7", "-float('inf')", "65504.0",
)  # fmt: skip
OTHERS = ("True", "False", "2j", "1 - 0.5j")
BINARY = ("+", "+", "-", "*", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>")
COMPARE = ("<", "<=", "==", "!=", ">", ">=")
UFUNCS = (
    "np.add", "np.multiply", "np.maximum", "np.minimum", "np.floor_divide", "np.remainder", "np.hypot", "np.copysign", "np.fmax", "np.left_shift",
    "np.bitwise_and", "np.subtract", "np.true_divide", "np.logical_and", "np.power",
)  # fmt: skip
UNARY = (
    "np.sqrt", "np.abs", "np.sign", "np.square", "np.negative", "np.floor", "np.isnan", "np.conj", "np.logical_not", "np.rint", "np.signbit",
    "np.float64", "np.int64", "np.uint8", "np.float32", "np.int32", "np.bool_", "np.complex128", "np.trunc", "np.positive", "np.real", "np.imag",
    "np.isfinite",
)  # fmt: skip
CONVERT = (
    "int", "float", "bool", "abs", "complex", "round", "str", "repr", "hash", "math.floor", "math.sqrt", "math.trunc", "math.isnan", "hex", "type",
    "len", "sum", "np.array", "np.asarray", "bin", "operator.index",
)  # fmt: skip
METHODS = (
    "real", "imag", "item()", "dtype", "conj()", "astype(np.int16)", "astype(np.float32)", "sum()", "max()", "is_integer()", "bit_length()",
    "tolist()", "shape", "ndim", "T", "copy()", "round(1)", "size", "itemsize", "any()", "conjugate()", "clip(0, 3)", "squeeze()", "astype(bool)",
)  # fmt: skip
SPECS = ("", ":.2f", ":5", ":e", ":g", ":d", "!r", ":>8", ":+", ":x", ":.3", ":08.3f", "!s", ":,", ":%", ":b")
TEMPLATES = (
    "<N> = <K> <O> <K>", "<N> = <K> <O> <K>", "<N> = <K> <O> <K>", "<N> = <K> <C> <K>", "<N> = -<K>", "<N> = ~<K>", "<N> = +<K>", "<N> = not <K>",
    "<N> = <U>(<K>, <K>)", "<N> = <F>(<K>)", "<N> = <V>(<K>)", "<N> = <V>(<K>)", "<N> = <K>.<M>", "print(<K>, <K>)", "print(repr(<K>))",
    "print(f'{<K><P>} {<K><P>}')", "print(str(<K>) + '!')", "print('%s %r' % (<K>, <K>))", "print('%g' % <K>)", "print('%d' % <K>)",
    "print('{:.3f}'.format(<K>))", "print([<K>, <K>])", "print((<K>,))", "<Y> += <K>", "<Y> -= <K>", "<Y> *= <K>", "<Y> //= <K>", "<Y> /= <K>",
    "<Y> **= 2", "<Y> %= <K>", "<Y> <O>= <K>", "<N> = <K> if <K> else <K>", "<N> = <K> or <K>", "<N> = <K> and <K>", "<N> = max(<K>, <K>)",
    "<N> = min(<K>, <K>, <K>)", "<N> = sum([<K>, <K>, <K>])", "<N> = sum((<K>, <K>), <K>)", "<N> = divmod(<K>, <K>)", "<N> = pow(<K>, <K>)",
    "<N> = round(<K>, 1)", "<N> = <K> < <K> <= <K>", "<N> = [<K>, <K>]", "<N> = np.array([<K>, <K>])", "<N> = np.where(<K>, <K>, <K>)",
    "e[<I>] = <K>", "e[0] += <K>", "e[:] = <K>", "<N> = e + <K>", "<N> = <K> * e", "<N> = e <O> <K>", "<N> = e <C> <K>", "e += <K>", "e *= <K>",
    "e <O>= <K>", "<N> = np.full(2, <K>)", "<N> = e[<I>]", "<N> = e.sum()", "<N> = e.max() + <K>", "<N> = e.mean()",
    "for i in range(3):\n    <Y> = <Y> + <K>", "for i in range(3):\n    <Y> += <K>", "for i in range(2):\n    <Y> = <K> * i",
    "for q in e:\n    <N> = q + <K>", "for i in range(n):\n    <B>", "if <K> > <K>:\n    <B>\nelse:\n    <B>", "if <K>:\n    <Y> = <K>",
    "<N> = e[int(<K>)]", "<N> = e[<K>]", "<N> = isinstance(<K>, (int, float))", "<N> = isinstance(<K>, np.integer)", "<N> = type(<K>).__name__",
    "<N> = {<K>: 1, 2: 3}", "<N> = <K> in (1, <K>, 2.5)", "<N> = <K> == None", "<N> = <K> is <K>", "<N> = list(range(<K>))", "<N> = [1, 2, 3][<K>]",
    "<N> = np.int8(<K>)", "<N> = np.dtype(<K>.dtype).name", "<N> = np.result_type(<K>, <K>)", "<N> = np.promote_types(<K>.dtype, e.dtype)",
    "<N> = g(<K>, <K>)", "<N> = g(<K>, <K>)", "<N> = [g(q, <K>) for q in e]", "<N> = np.sum(e, dtype=np.float32)", "<N> = sorted([<K>, <K>, <K>])",
    "try:\n    <N> = <K> <O> <K>\nexcept (TypeError, OverflowError, ZeroDivisionError, ValueError) as err:\n    print(type(err).__name__, err)",
    "try:\n    <N> = <V>(<K>)\nexcept (TypeError, OverflowError, ValueError) as err:\n    print(type(err).__name__, err)",
    "while <Y> < 3:\n    <Y> = <Y> + 1", "<N> = np.arange(3, dtype=e.dtype) <O> <K>", "<N> = e.dtype.type(<K>)", "<N> = (<K> <O> <K>) <O> <K>",
    "<N> = abs(<K> - <K>) < 1e-3", "<N> = int(<K>) // 2 + <K>", "<N> = a[0] * <K>", "a[0] = <K>", "<N> = x <O> <K>", "<N> = n <O> <K>",
)  # fmt: skip


def program(seed: int, size: int = 8) -> str:
    """The source of one program (with `f` and `calls`)."""
    return ending(lambda r: _write(r, size), f"scalars {seed}")


def _write(r: random.Random, size: int) -> str:
    grown = Growth(r, "import math\nimport operator\n\n\n" + _helper(r), TEMPLATES)

    def scalar() -> str:
        """A scalar: a variable, or a new one of any type."""
        kind = r.random()
        if kind < 0.55:
            return grown.name(lambda v: isinstance(v, (np.generic, int, float, complex)))
        if kind < 0.62:
            return r.choice(("e[0]", "e[-1]", "a[0]", "e[1]"))
        return r.choice(INTS[:10] + FLOATS + OTHERS) if kind < 0.8 else _new(r)

    def changed() -> str:
        return grown.name(lambda v: isinstance(v, (np.generic, int, float, complex)))

    lists = {"O": BINARY, "C": COMPARE, "U": UFUNCS, "F": UNARY, "V": CONVERT, "M": METHODS, "P": SPECS, "I": "01"}
    grown.places |= {place: functools.partial(r.choice, texts) for place, texts in lists.items()}
    grown.places |= {"K": scalar, "Y": changed}
    chosen = r.choice(TYPES)
    grown.add([f"e = np.array([{_value(r, chosen)}, {_value(r, chosen)}, {_value(r, chosen)}], dtype=np.{chosen})"])
    for k in range(r.randint(1, 3)):
        grown.add([f"w{k} = {_new(r)}"])
    grown.grow(r.randint(3, 3 + size))
    return grown.finished(_plain)


def _plain(v: Any) -> bool:
    if isinstance(v, (tuple, list)):
        return all(map(_plain, v))
    return v is None or isinstance(v, (np.ndarray, np.generic, int, float, complex, str))


def _value(r: random.Random, dtype: str) -> str:
    """A number that the type can hold."""
    pool = (
        (*INTS, *FLOATS, *OTHERS)
        if dtype.startswith(("complex", "bool"))
        else (*INTS[:10], *FLOATS)
        if dtype.startswith("float")
        else INTS
    )
    if dtype.startswith(("int", "uint")):
        info = np.iinfo(dtype)
        pool = (*(x for x in INTS if info.min <= int(x) <= info.max), str(info.max), str(info.min))
    return r.choice(pool)


def _new(r: random.Random) -> str:
    dtype = r.choice(TYPES)
    return f"np.{dtype}({_value(r, dtype)})"


def _helper(r: random.Random) -> str:
    op = r.choice(BINARY[:9])
    return r.choice(
        (
            f"def g(p, q):\n    return p {op} q",
            f"def g(p, q):\n    p {op}= q\n    return p",
            f"def g(p, q=2):\n    if p > q:\n        return p {op} 1\n    return q",
        )
    )
