"""Every function over types, axes, layouts and sizes: the expressions of matrix.txt and all ufuncs, with drawn arguments.

A fixed seed draws a small share, which the interpreter runs; `-m slow` draws many more, and compiles some.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.architecture import numpy_support
from tests.oracle import Mismatch, check, describe, function
from tests.values import DTYPES, plain, special

TEXT = Path(__file__).with_name("matrix.txt").read_text()
SIZES = (0, 1, 2, 7, 8, 9, 16, 17, 128, 129, 1000)
TOLERANCE = {"float16": 1e-2, "float32": 5e-5, "complex64": 5e-5}

# What has no place in a matrix of types and axes: files, printing, settings, dates, objects of Python's.
ELSEWHERE = set(
    """array2string array_repr array_str base_repr binary_repr format_float_positional format_float_scientific typename mintypecode
    asmatrix bmat busday_count busday_offset is_busday datetime_as_string datetime_data from_dlpack frombuffer fromfile fromregex fromstring
    genfromtxt loadtxt load save savetxt savez savez_compressed frompyfunc get_include get_printoptions set_printoptions printoptions
    getbufsize setbufsize geterr seterr geterrcall seterrcall info nested_iters show_config show_runtime isnat test row_stack einsum_path
    """.split()
)


def lines() -> Iterator[tuple[str, bool]]:
    """(expression, are its numbers ordinary ones)."""
    rounded = False
    for text in TEXT.split("\n"):
        if text.startswith("["):
            rounded = text == "[rounded]"
        elif text and not text.startswith("#") and _exists(text):
            yield text, rounded
    yield from ufuncs()


def _exists(text: str) -> bool:
    """Has this NumPy all the functions of an expression?"""
    names = re.findall(r"\bnp((?:\.[a-z_]\w*)+)", text)
    return all(_found(name.split(".")[1:]) for name in names)


def _found(path: list[str]) -> bool:
    found: Any = np
    for name in path:
        found = getattr(found, name, None)
    return found is not None


def ufuncs() -> Iterator[tuple[str, bool]]:
    """Calls of every ufunc, and its methods."""
    for name in sorted(n for n in dir(np) if isinstance(getattr(np, n), np.ufunc)):
        f = getattr(np, name)
        if f.signature is not None or name == "isnat":
            continue
        given = "a" if f.nin == 1 else "a, b" if f.nin == 2 else "a, b, b"
        many = f.nout > 1
        yield f"np.{name}({given})", False
        yield f"np.{name}({given}, out={'(o, o2)' if many else 'o'}), o", True
        yield f"np.{name}({given}, out={'(o, o2)' if many else 'o'}, where=m), o", True
        yield f"np.{name}({given}, dtype=np.float32)", True
        if f.nin == 2:
            yield f"np.{name}(a, {'1' if f.nout > 1 else '2'}), np.{name}(a[:1], b)", True
            yield f"np.{name}.outer(v[:9], w[:9])", True
        if f.nin == 2 and not many:
            yield f"np.{name}.reduce(a, axis=AXIS, keepdims=KEEP)", True
            yield f"np.{name}.accumulate(a, axis=AXIS)", True
            yield f"np.{name}.reduceat(v, k[:2])", True
            yield f"np.{name}.at(a, [0, 0], b[:1]);; return a", True


def layouts(a: np.ndarray, rng: random.Random) -> np.ndarray:
    """The same numbers in another layout."""
    kind = rng.randrange(6)
    if kind == 0 or a.ndim == 0:
        return a
    if kind == 1:
        return np.asfortranarray(a)
    if kind == 2:
        return np.ascontiguousarray(a[::-1])[::-1]
    wide = np.zeros([2 * n + 1 for n in a.shape], a.dtype)
    wide[tuple(slice(1, 2 * n + 1, 2) for n in a.shape)] = a
    if kind == 3:
        return wide[tuple(slice(1, 2 * n + 1, 2) for n in a.shape)]
    return np.ascontiguousarray(a.T).T if kind == 4 else a


def arguments(rounded: bool, seed: int) -> tuple[dict[str, Any], dict[str, str], str]:
    """(arguments, words to put in, dtype)."""
    rng = random.Random(seed)
    dtype = rng.choice(DTYPES)
    size = rng.choice(SIZES[: 9 if rounded else 11])
    shape = rng.choice([(size,), (size,), (3, size % 20), (size % 20, 4), (2, 3, size % 10), (1, size % 20), (2, 1, 3)])

    def make(wanted: tuple[int, ...], k: int) -> np.ndarray:
        if rounded or rng.random() < 0.4:
            return layouts(plain(dtype, wanted, seed + k), rng)
        found = special(dtype, int(np.prod(wanted)), seed + k)
        np.random.default_rng(seed + k).shuffle(found)
        return layouts(found.reshape(wanted), rng)

    n = rng.choice(SIZES[:9])
    rows, columns = rng.choice([(1, 3), (3, 4), (5, 3), (9, 17)])
    m = rng.choice([1, 2, 3, 5])
    stack = rng.choice([(), (), (2,), (0,)])
    floating = dtype if dtype[0] in "fc" and dtype != "float16" else "float64"
    q = plain(floating, (*stack, m, m), seed)
    made = {
        "a": make(shape, 1),
        "b": make(shape, 2),
        "m": np.random.default_rng(seed).integers(0, 2, shape).astype(bool),
        "v": make((n,), 3),
        "w": make((n,), 4),
        "x": make((rows, columns), 5),
        "y": make((rows, columns), 6),
        "s": np.sort(np.random.default_rng(seed).uniform(0, 9, max(n, 2))),
        "k": np.arange(min(n, 3)),
        "n": np.random.default_rng(seed).integers(0, 9, max(n, 1)),
        "q": q @ q.conj().swapaxes(-1, -2) + 9 * np.eye(m, dtype=floating),
        "p": plain(floating, (m,), seed),
        "o": np.zeros(shape, rng.choice(("float64", "complex128", dtype, "bool", "int16"))),
        "o2": np.zeros(shape),
    }
    axis = rng.randrange(-len(shape), len(shape))
    several = rng.choice([str(axis), str(axis), "None", str(tuple(range(len(shape)))), "(0,)", "(-1,)"])
    words = {"AXIS": str(axis), "AXES": several, "KEEP": str(rng.random() < 0.5)}
    return made, words, dtype


def run(text: str, rounded: bool, seed: int, **settings: Any) -> str | None:
    """What differs for one draw."""
    made, words, dtype = arguments(rounded, seed)
    for word, value in words.items():
        text = text.replace(word, value)
    used = {k: v for k, v in made.items() if re.search(rf"\b{k}\b", text)}
    body = "\n    ".join(s.strip() for s in text.split(";;")) if "return " in text else f"return {text}"
    f = function(f"def f({', '.join(used)}):\n    {body}\n", "f")
    tolerance = {"rtol": TOLERANCE.get(dtype, 1e-10), "atol": TOLERANCE.get(dtype, 1e-10)} if rounded else {"ulps": 4}
    try:
        check(f, *used.values(), settings=settings, **tolerance)  # type: ignore[arg-type]
    except Mismatch as e:
        given = ", ".join(f"{k} = {describe(v)[:90]}" for k, v in used.items())
        return f"{text}   (seed {seed}; {given})\n      {e.kind}: {str(e).split(chr(10))[1].strip()}"
    return None


def compare(share: float, draws: int, seed: int, **settings: Any) -> None:
    rng = random.Random(seed)
    wrong = []
    for text, rounded in lines():
        for _ in range(draws):
            if rng.random() < share:
                found = run(text, rounded, rng.randrange(1 << 30), **settings)
                wrong += [found] if found else []
    if wrong:
        pytest.fail(f"{len(wrong)} differ:\n" + "\n".join(wrong), pytrace=False)


def test_a_share() -> None:
    compare(0.15, 1, 3, target="interpreter")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_many(seed: int) -> None:
    compare(1.0, 5, seed, target="interpreter")


@pytest.mark.slow
def test_compiled() -> None:
    compare(0.25, 1, 2)


def test_every_function_is_in_the_matrix() -> None:
    text = "\n".join(s for s, _ in lines())
    missing = []
    for namespace, short in (("numpy", "np."), ("numpy.linalg", "np.linalg."), ("numpy.fft", "np.fft.")):
        for name, obj in numpy_support.functions(namespace):
            works = numpy_support.status(obj)[0] in (numpy_support.NATIVE, numpy_support.BACK)
            if works and not isinstance(obj, type) and name not in ELSEWHERE:
                if not re.search(rf"{re.escape(short + name)}[(.]", text):
                    missing.append(short + name)
    assert not missing, f"functions without an expression in matrix.txt: {', '.join(missing)}"
