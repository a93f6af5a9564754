"""Random programs that hand what one NumPy function gives to the next: every expression of the matrix (`tests/differential/matrix.txt`) on
what the statements before it made, views and rare memory orders among it; results are written to, sliced and looped over.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.differential import test_matrix as matrix
from tests.fuzz.growth import Growth, ending, returnable

NAMES = tuple("a b m v w x y s k n q p o o2".split())  # what expressions of the matrix are about
HOLE = re.compile(rf"\b({'|'.join(NAMES)}|AXIS|AXES|KEEP)\b(?!\s*=[^=])")
LARGEST = 2000  # elements of an array
LOCAL = re.compile(r"lambda|\bfor\b|empty")  # own names, or elements that nobody has set
EXPRESSIONS = [text for text, _ in matrix.lines() if not LOCAL.search(text) and ";;" not in text]
WRITES = [text.split(";;")[0] for text, _ in matrix.lines() if not LOCAL.search(text) and ";;" in text]
NUMBERS = (
    "0",
    "1",
    "2",
    "-1",
    "0.5",
    "True",
    "<A>.sum()",
    "<A>.max()",
    "len(<A>)",
    "<A>.size",
    "<A>.ravel()[0]",
    "<A>.shape[-1]",
)
TEMPLATES = (
    *["<N> = <E>"] * 14, *["<W>"] * 2, "<N> = <A1>[1:]", "<N> = <A1>[::-1]", "<N> = <A>.T", "<N> = <A1>[..., 0]", "<N> = <A>[None]", "<N> = <A>.copy()", "<N> = <A>.reshape(-1)",
    "<N> = <A1>[<A1> > 1]", "<N> = <L> + <L2>", "<N> = <L> * 2 - <L2>", "<N> = <A1> - <A1>.mean()", "<N> = np.where(<L> > 1, <L2>, 0)",
    "<A>[0] = 1", "<A1>[1:] = <A1>[:-1]", "<A>[...] = <S>", "<A> *= 2", "<L> += <L2>", "<A1>[<A1> > 1] = 0", "<A1>[::2] = <S>", "<A>.ravel()[:1] = 3",
    "for i in range(3):\n    <N> = <A>.sum() + i", "for r in <A>:\n    <N> = r * 2", "for i in range(2):\n    <B>", "if <S> > 1:\n    <B>\nelse:\n    <B>",
    "for i in range(len(<A1>)):\n    <N> = <A1>[i] + i", "<N> = [t + 1 for t in <A>]", "<N> = (<A>, <A>)", "<N>, <N2> = <A>, <S>", "<N> = <S> + <S>",
    "<N> = h(<A>)", "<N> = h(<E>)", "<N> = <A1>[[0, -1]]", "<N> = <A1>[k % len(<A1>)]", "<A1>[[0, -1]] = <S>", "<A1>[[0, 0]] += 1", "<N> = <A>[..., [0]]",
    "<A1>[k % len(<A1>)] = <A1>[0]", "<L1>[<L2> > 1] = 2", "<N> = <L1>[<L2> > 1]", "<L1>[:] = <L2>[::-1]", "<N> = <A1>.sum(axis=-1, keepdims=True) + <A1>",
    "np.add(<L1>, <L2>, out=<L1>)", "np.multiply(<L1>, <L2>, out=<L2>, where=<L1> > 1)", "np.clip(<A1>, 0, 1, out=<A1>)", "np.cumsum(<A1>, axis=0, out=<A1>)",
    "np.sum(<A1>, axis=0, out=<A1>[0])", "<N> = <A1>.max(axis=0, initial=0)", "<N> = np.add.reduceat(<A>, [0, -1])", "<N> = <A1>[:, None] - <A1>[None]",
    "<N> = <A1>.view()", "<N>, <N2> = <A1>, <A1>[::2]", "<N> = <A1>[1:] - <A1>[:-1]", "<N> = <A>.astype(<A>.dtype, copy=False)", "<N> = np.asarray(<A>)",
)  # fmt: skip
PRELUDE = "def h(t):\n    return t + t if isinstance(t, tuple) else t * 2"


def program(seed: int, size: int = 8) -> str:
    """The source of one program (with `f` and `calls`)."""
    return ending(lambda r: _write(r, size), f"pipelines {seed}")


def _write(r: random.Random, size: int) -> str:
    grown = Growth(r, PRELUDE, TEMPLATES, NAMES, _calls(r), LARGEST)
    pair: list[str] = []

    def array() -> str:
        return _known(grown, r, _is_array)

    def alike() -> str:
        """Two arrays of one shape, by turns."""
        if not pair:
            one = array()
            other = grown.name(lambda v: _is_array(v) and v.shape == grown.values[one].shape)
            pair.extend((one, other))
        return pair.pop()

    grown.places |= {
        "E": lambda: _expression(grown, r, r.choice(EXPRESSIONS)),
        "W": lambda: _expression(grown, r, r.choice(WRITES)),
        "A": array,
        "L": alike,
        "S": lambda: r.choice(NUMBERS),
    }
    for _ in range(r.randint(3, 4 + size)):
        pair.clear()
        grown.grow(1)
    return grown.source(", ".join(k for k, v in grown.values.items() if k not in NAMES and returnable(v)) or "None")


def _known(grown: Growth, r: random.Random, fits: Callable[[Any], bool]) -> str:
    """The name of a value that fits, mostly of one that the program has made."""
    own = [k for k, v in grown.values.items() if k not in NAMES and fits(v)]
    return r.choice(own) if own and r.random() < 0.6 else grown.name(fits)


def _is_array(v: Any) -> bool:
    return isinstance(v, np.ndarray) and v.ndim > 0 and v.dtype.kind in "biufc"


def _expression(grown: Growth, r: random.Random, text: str) -> str:
    """An expression of the matrix about values that there are."""
    made: dict[str, str] = {}

    def like(name: str) -> Any:
        return grown.values[made[name]] if name in made else None

    def pick(name: str) -> str:
        """A value that can stand for one of the arguments of the matrix; mostly another one than that itself."""
        first = like({"b": "a", "m": "a", "o": "a", "o2": "a", "w": "v", "y": "x"}.get(name, name))

        def fits(v: Any) -> bool:
            if not _is_array(v) or first is not None and v.shape != first.shape:
                return False
            return {"v": v.ndim == 1, "w": v.ndim == 1, "x": v.ndim == 2, "y": v.ndim == 2}.get(name, name in "abmo")

        if name in "skqpn" or name == "o2" or name == "m" and first is None:
            return name
        if name == "m":
            return grown.name(lambda v: fits(v) and v.dtype == bool)
        return _known(grown, r, fits)

    def put(found: re.Match[str]) -> str:
        word = found[1]
        if word == "KEEP":
            return str(r.random() < 0.5)
        if word in ("AXIS", "AXES"):
            ndim = grown.values[made["a"]].ndim if "a" in made else 1
            return r.choice([str(r.randrange(-ndim, ndim)), "None" if word == "AXES" else "0"])
        if word not in made:
            made[word] = pick(word)
        return made[word]

    return HOLE.sub(put, text)


def _calls(r: random.Random) -> str:
    """The text of `calls()`: arguments of the matrix, twice of one type."""
    seeds = [r.randrange(1 << 20)]
    dtype = matrix.arguments(True, seeds[0])[2]
    seeds.append(next(s for s in range(seeds[0] + 1, seeds[0] + 999) if matrix.arguments(True, s)[2] == dtype))
    lines = ["from tests.differential.test_matrix import arguments", "", "", f"def calls():  # of {dtype}"]
    return "\n".join([*lines, f"    return [tuple(arguments(True, seed)[0].values()) for seed in {tuple(seeds)}]"])
