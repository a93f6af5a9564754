"""Random arguments: the text of `calls()`, which returns argument tuples of other values, sizes, layouts and overlaps.

All calls of one program have the same types, except that layouts may differ.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

INDENT = "    "
DTYPES = (
    ["float64"] * 8
    + ["int64"] * 4
    + ["float32", "float32", "int32", "int32", "uint8", "bool", "complex128"]
    + ["int8", "int16", "uint16", "uint32", "uint64", "complex64", "float16"]
)
NUMBERS = {
    "n": ["0", "1", "2", "3", "4"],
    "k": ["-3", "-1", "0", "2", "5", "7"],
    "x": ["0.5", "-1.5", "2.0", "0.0", "-0.0"],
    "flag": ["True", "False"],
    "f": ["np.float32(0.5)", "np.float32(-2)", "np.float32(3)"],
    "d": ["np.float64(0.5)", "np.float64(0)", "np.float64(-3)", "np.float64('nan')"],
    "l": ["np.int64(3)", "np.int64(-2)", "np.int64(0)"],
    "u": ["np.uint8(200)", "np.uint8(3)", "np.uint8(0)"],
    "z": ["1j", "2 - 0.5j", "0j"],
}


@dataclass
class Signature:
    """Names of the parameters: arrays with dtype ("index": valid subscripts) and rank, and numbers."""

    arrays: dict[str, tuple[str, int]] = field(default_factory=dict)
    numbers: list[str] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        return [*self.arrays, *self.numbers]


def signature(r: random.Random) -> Signature:
    """Two vectors, and now and then more."""
    out = Signature({"a": (r.choice(DTYPES), 1), "b": (r.choice(DTYPES), 1)})
    if r.random() < 0.4:
        out.arrays["b"] = out.arrays["a"]
    for name, chance, ndim in (("m", 0.5, 2), ("w", 0.2, 2), ("t", 0.12, 3), ("o", 0.1, 0)):
        if r.random() < chance:
            out.arrays[name] = (r.choice(DTYPES), ndim)
    if r.random() < 0.35:
        out.arrays["p"] = ("index", 1)
    out.numbers = [name for name in NUMBERS if r.random() < (0.45 if name in "nx" else 0.1)]
    return out


def calls(r: random.Random, s: Signature) -> str:
    """The text of `calls()`: ordinary arguments, then one to three of: others in size and layout, sizes 1 and 0."""
    lines = ["def calls():", f"{INDENT}return ["]
    for number in [0, *sorted(r.sample((1, 2, 3), r.choice((1, 1, 1, 2, 3))))]:
        n = [8, r.choice([5, 9, 12]), r.choice([1, 1, 2]), 0][number]
        k = [r.choice([8, 8, 5]), n, r.choice([1, 3]), r.choice([0, 0, 2])][number]
        if number == 3 and r.random() < 0.3:
            n = k = 7
        arrays, where = _call(r, s, n, k, number)
        inner = ", ".join(arrays + [r.choice(NUMBERS[name]) for name in s.numbers])
        lines.append(f"{INDENT}{INDENT}" + (f"(lambda h: ({inner},))({where})," if where else f"({inner},),"))
    return "\n".join([*lines, f"{INDENT}]", ""])


def _call(r: random.Random, s: Signature, n: int, k: int, number: int) -> tuple[list[str], str]:
    """Texts of the arrays, and of the memory `h` that they share ("" if they share none)."""
    shared = "" if number in (0, 2) or r.random() < 0.5 else _sharing(r, s, n)
    out = []
    for name, (dtype, ndim) in s.arrays.items():
        shape = {0: (), 1: (n,), 2: (n, k), 3: (2, n, 3)}[ndim]
        if name == "w" and r.random() < 0.5:
            shape = (n, n)
        if dtype == "index":
            entries = ", ".join(str(r.randrange(-n, n)) for _ in range(n))
            out.append(f"np.array([{entries}], dtype=np.int64)")
        elif shared and name in "ab":
            out.append(_shared_view(r, s, n, shared, name))
        else:
            out.append(_layout(r, _array(r, dtype, shape), len(shape), number))
    return out, {"": "", "same": "", "twins": _array(r, s.arrays["a"][0], (n,))}.get(
        shared, _array(r, s.arrays["a"][0], (n + 3,) if shared == "overlap" else (n, 2))
    )


def _sharing(r: random.Random, s: Signature, n: int) -> str:
    """How `a` and `b` share memory."""
    return r.choice(["overlap", "overlap", "twins", "columns"]) if s.arrays["a"] == s.arrays["b"] else ""


def _shared_view(r: random.Random, s: Signature, n: int, how: str, name: str) -> str:
    if how == "overlap":
        k = r.randint(0, 3)
        return f"h[{k}:{k + n}]" + r.choice(["", "", "[::-1]"])
    if how == "twins":
        return "h" if name == "a" or r.random() < 0.7 else "h[::-1]"
    return "h[:, 0]" if name == "a" else r.choice(["h[:, 1]", "h[::-1, 0]"])


def _array(r: random.Random, dtype: str, shape: tuple[int, ...]) -> str:
    count = 1
    for extent in shape:
        count *= extent
    text = _vector(r, dtype, count)
    if len(shape) == 1:
        return text
    return f"{text}.reshape({', '.join(map(str, shape))})" if shape else f"{text}.reshape(())"


def _vector(r: random.Random, dtype: str, n: int) -> str:
    signed = not dtype.startswith(("u", "bool"))
    if n > 16:
        low, unit = (-5 if signed else 0, 1) if "int" in dtype or dtype == "bool" else (-12, 4)
        return f"((np.arange({n}) * {r.choice([7, 9, 11])} % 23 + {low}) / {unit}).astype(np.{dtype})"
    if dtype == "bool":
        values = [r.choice(["True", "False"]) for _ in range(n)]
    elif "int" in dtype:
        values = [str(r.randint(-6 if signed else 0, 9)) for _ in range(n)]
        if r.random() < 0.1 and n > 3:
            values[r.randrange(n)] = f"np.iinfo(np.{dtype}).{r.choice(['max', 'min'])}"
    else:
        values = [f"{r.randint(-12, 12) / 4}" for _ in range(n)]
        if r.random() < 0.15 and n > 3:
            values[r.randrange(n)] = r.choice(["np.nan", "-0.0", "np.inf", "-np.inf"])
        if "complex" in dtype:
            values = [f"{v} + {r.randint(-4, 4) / 2}j" for v in values]
    return f"np.array([{', '.join(values)}], dtype=np.{dtype})"


def _layout(r: random.Random, text: str, ndim: int, number: int) -> str:
    if ndim == 0 or r.random() < (0.85 if number == 0 else 0.5):
        return text
    if ndim == 1:
        return r.choice([f"{text}[::-1]", f"np.repeat({text}, 2)[::2]", f"np.repeat({text}, 3)[1::3]"])
    forms = [f"np.asfortranarray({text})", f"{text}[::-1]", f"np.repeat({text}, 2, axis=1)[:, ::2]"]
    return r.choice([*forms, f"{text}[:, ::-1]", f"np.asfortranarray(np.repeat({text}, 2, axis=0))[::2]"])
