"""Random programs: text of a function `f` and of `calls()`, which returns argument tuples.

Statements are run while they are written, on the first call's arguments, so that most programs do something before
they end; the other calls (other values, layouts, overlaps, lengths 0 and 1, NaN) may raise, and then compiled code
must raise the same.
"""

from __future__ import annotations

import copy
import random
import warnings
from typing import Any

import numpy as np

from tests.fuzz.expressions import BINARY, COMPARE, INEXACT, Scope

INDENT = "    "
HELPERS = [
    "def h0(x, y):\n    return x * 2 - y\n",
    "def h0(x, y):\n    if y > 1:\n        return x + y\n    return x - 1\n",
    "def h0(x, y):\n    z = x + 0.5\n    for k in range(3):\n        z = z * y\n    return z\n",
]


def program(seed: int, size: int = 8) -> str:
    """The source of one program (with `f` and `calls`)."""
    for attempt in range(20):
        text = _Writer(random.Random(f"{seed}/{attempt}"), size).write()
        if text:
            return text
    raise AssertionError(f"no program for seed {seed}")


def is_exact(source: str) -> bool:
    """Do results have one right bit pattern (nothing that may be reassociated or is a mathematical function)?"""
    return not any(word in source for word in INEXACT)


class _Writer:
    def __init__(self, rng: random.Random, size: int) -> None:
        self.rng, self.size = rng, size
        self.count = 0

    def write(self) -> str | None:
        r = self.rng
        params, calls = _calls(r)
        helper = r.choice(HELPERS) if r.random() < 0.3 else ""
        names: dict[str, Any] = {"np": np}
        exec(helper + calls, names)
        values = dict(zip(params, copy.deepcopy(names["calls"]()[0])))
        self.scope = Scope(r, values, {"h0": names["h0"]} if helper else {})
        lines = self.block(self.size, INDENT, loops=2)
        lines += self.result()
        source = (
            "import numpy as np\n\n\n"
            + helper
            + ("\n\n" if helper else "")
            + f"def f({', '.join(params)}):\n"
            + "\n".join(lines)
            + "\n\n\n"
            + calls
        )
        return source if _sane(source) else None

    # -- statements ----------------------------------------------------------------------------------------------------

    def block(self, count: int, indent: str, loops: int, fixed: bool = False) -> list[str]:
        """`count` statements; with `fixed` no new names and no changed types (bodies that may run repeatedly)."""
        out: list[str] = []
        for _ in range(count):
            for _ in range(6):
                before = copy.deepcopy(self.scope.values)  # keeps aliases among the values
                lines = self.statement(indent, loops, fixed)
                if self.run(lines, indent, before):
                    out += lines
                    break
        return out or [indent + "pass"]

    def run(self, lines: list[str], indent: str, before: dict[str, Any]) -> bool:
        """Execute the statement; restore the values and say no if it raises, or types change where they must not."""
        text = "\n".join(s[len(indent) :] for s in lines)
        values = copy.deepcopy(before)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            warnings.filterwarnings("error", message=".*in cast")
            try:
                exec(text, {"np": np} | self.scope.helpers, values)
            except Exception:
                self.scope.values = before
                return False
        sizes = [v.size for v in values.values() if isinstance(v, np.ndarray)]
        huge = any(isinstance(v, int) and abs(v) > 2**40 for v in values.values())
        changed = any(n in before and _kind(before[n]) != _kind(v) for n, v in values.items())
        if huge or changed or max(sizes, default=0) > 400:
            self.scope.values = before
            return False
        if self.rng.random() < 0.85:  # else they may be used, bound or not
            values = {n: v for n, v in values.items() if n in before or n[0] not in "ij"}
        self.scope.values = values
        return True

    def statement(self, indent: str, loops: int, fixed: bool) -> list[str]:
        r, s = self.rng, self.scope
        kind = r.randrange(20)
        if kind < 5 and not fixed:
            return [f"{indent}{self.fresh()} = {s.array(2) if r.random() < 0.75 else s.number(2)}"]
        if kind < 8:
            return [indent + self.store()]
        if kind < 11:
            return [indent + self.update()]
        if kind < 13:
            return [indent + self.rebind()]
        if kind == 13:
            pair = r.sample(s.arrays(), 2) if len(s.arrays()) > 1 else ["0", "0"]
            return [f"{indent}{pair[0]}, {pair[1]} = {pair[1]}, {pair[0]}"]
        if kind == 14 and s.helpers:
            return [f"{indent}{self.fresh() if not fixed else r.choice(s.arrays())} = h0({s.array(1)}, {s.number(0)})"]
        if loops and kind < 18:
            return self.loop(indent, loops - 1)
        if len(indent) < 16:
            return self.branch(indent, loops)
        return [indent + self.store()]

    def fresh(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def store(self) -> str:
        """An assignment to a part of an array."""
        r, s = self.rng, self.scope
        name = r.choice(s.arrays())
        op = r.choice(["=", "=", "=", "+=", "-=", "*="])
        value = s.values[name]
        index, ndim = self.target(name, value)
        if ndim == 0:
            return f"{name}[{index}] {op} {s.number(1)}"
        part = s.evaluate(f"{name}[{index}]")
        shape = part.shape if isinstance(part, np.ndarray) else ()

        def fits(v: Any) -> bool:
            return v.shape == shape or v.size == 1

        source = s.number(1) if r.random() < 0.3 else s.array(2, fits)
        return f"{name}[{index}] {op} {source}"

    def target(self, name: str, value: np.ndarray) -> tuple[str, int]:
        r, s = self.rng, self.scope
        one = [":", "1:", ":-1", "1:-1", "::2", "::-1", "2:", ":-2", "1::2"]
        for n in s.numbers(integer=True):
            one += [f"{n}:", f":{n}", f"{n}:{n} + 2"]
        if r.random() < 0.3:
            return s.index(name), 0
        if r.random() < 0.15:
            return (f"{name} {r.choice(COMPARE)} {s.number(0)}", 1) if r.random() < 0.5 else (s.indices(name), 1)
        if value.ndim == 2:
            return r.choice(
                [f"{r.choice(one)}, {r.choice(one)}", f"{r.choice(one)}, 0", "0", r.choice(one), "-1, " + r.choice(one)]
            ), 1
        return r.choice(one), 1

    def update(self) -> str:
        r, s = self.rng, self.scope
        if r.random() < 0.7:
            name = r.choice(s.arrays())
            v = s.values[name]
            value = s.array(1, lambda w: w.shape == v.shape) if r.random() < 0.7 else s.number(1)
            return f"{name} {r.choice(['+=', '-=', '*=', '/='])} {value}"
        names = s.numbers() or ["_"]
        return f"{r.choice(names)} {r.choice(['+=', '-=', '*='])} {s.number(1)}"

    def rebind(self) -> str:
        """`name = …` with a value of the same type."""
        r, s = self.rng, self.scope
        name = r.choice(s.arrays() + s.numbers())
        kind = _kind(s.values[name])
        if isinstance(s.values[name], np.ndarray):
            return f"{name} = {s.array(2, lambda v: _kind(v) == kind)}"
        return f"{name} = {s.number(2, lambda v: _kind(v) == kind)}"

    def loop(self, indent: str, loops: int) -> list[str]:
        r, s = self.rng, self.scope
        var = f"i{loops}" if f"i{loops}" not in s.values else f"j{loops}"
        x = r.choice(s.arrays())
        spans = [
            f"range(len({x}))",
            f"range(1, len({x}))",
            f"range(len({x}) - 1)",
            f"range(1, len({x}) - 1)",
            "range(3)",
            f"range(len({x}) - 1, -1, -1)",
        ]
        spans += [f"range({n})" for n in s.numbers(integer=True)] + [f"range(0, len({x}), 2)"]
        span = r.choice(spans)
        values = s.evaluate(f"list({span})") or []
        if not values or len(values) > 40:
            return [indent + "raise TypeError"]
        saved = copy.deepcopy(s.values)
        s.values[var] = r.choice(values)
        body = []
        for _ in range(r.randint(1, 3)):
            if r.random() < 0.5:
                lines = [indent + INDENT + self.element(var)]
                before = copy.deepcopy(s.values)
                if self.run(lines, indent + INDENT, before):
                    body += lines
            else:
                body += self.block(1, indent + INDENT, loops, fixed=True)
        if r.random() < 0.15:
            body += [
                f"{indent}{INDENT}if {s.condition()}:",
                f"{indent}{INDENT}{INDENT}{r.choice(['break', 'continue'])}",
            ]
            body += self.block(1, indent + INDENT, 0, fixed=True)
        s.values = saved
        return [f"{indent}for {var} in {span}:", *(body or [indent + INDENT + "pass"])]

    def element(self, var: str) -> str:
        """A statement on single elements near the loop variable."""
        r, s = self.rng, self.scope
        name = r.choice(s.arrays())

        def at(n: str) -> str:
            subs = [r.choice([var, var, var, f"{var} - 1", f"{var} + 1", f"-{var}", f"{var} // 2"])]
            if s.values[n].ndim == 2:
                subs.append(r.choice([var, "0", "-1", ":", "1:", f":{var}"]))
            return f"{n}[{', '.join(subs)}]"

        rhs = r.choice(
            [
                f"{at(r.choice(s.arrays()))} {r.choice(BINARY)} {at(r.choice(s.arrays()))}",
                f"{at(name)} {r.choice(BINARY)} {s.number(0)}",
                s.number(1),
            ]
        )
        return f"{at(name)} {r.choice(['=', '=', '+=', '*='])} {rhs}"

    def branch(self, indent: str, loops: int) -> list[str]:
        s = self.scope
        test = s.condition()
        saved = copy.deepcopy(s.values)
        then = self.block(self.rng.randint(1, 2), indent + INDENT, max(0, loops - 1), fixed=True)
        s.values = copy.deepcopy(saved)
        lines = [f"{indent}if {test}:", *then]
        if self.rng.random() < 0.5:
            lines += [f"{indent}else:", *self.block(1, indent + INDENT, max(0, loops - 1), fixed=True)]
        s.values = saved
        return lines

    def result(self) -> list[str]:
        names = self.scope.arrays() + self.scope.numbers()
        chosen = self.rng.sample(names, min(len(names), self.rng.randint(1, 5)))
        return [f"{INDENT}return {', '.join(chosen)}"]


def _kind(v: Any) -> Any:
    return (v.dtype, v.ndim) if isinstance(v, np.ndarray) else type(v)


def _sane(source: str) -> bool:
    """Does the program end quickly, and without behaviour that C leaves undefined, on all its calls?"""
    names: dict[str, Any] = {}
    exec(source, names)
    good = 0
    for args in names["calls"]():
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            warnings.filterwarnings("error", message=".*in cast")
            try:
                names["f"](*args)
                good += 1
            except RuntimeWarning:
                return False
            except Exception:
                continue
    return good > 0


# --- arguments --------------------------------------------------------------------------------------------------------

DTYPES = ["float64"] * 6 + ["float32", "int64", "int64", "int32", "uint8", "complex128"]
ODD = "[np.nan, -0.0, np.inf, 0.0, -np.inf, 1.0]"


def _calls(r: random.Random) -> tuple[list[str], str]:
    """Parameter names, and the text of `calls()`: four calls with different shapes, layouts, overlaps."""
    params = {"a": (r.choice(DTYPES), 1), "b": (r.choice(DTYPES), 1)}
    if r.random() < 0.3:
        params["b"] = params["a"]
    if r.random() < 0.4:
        params["m"] = (r.choice(DTYPES), 2)
    if r.random() < 0.3:
        params["p"] = ("index", 1)
    numbers = [x for x in ("n", "x") if r.random() < 0.5]
    tuples = []
    for number in range(4):
        size = [8, r.choice([5, 9, 12]), 1, 0][number] if number < 3 or r.random() < 0.6 else 8
        tuples.append(_call(r, params, size, number))
    lines = ["def calls():", f"{INDENT}return ["]
    for arrays, where in tuples:
        items = arrays + [
            str(r.randint(0, 4)) if n == "n" else r.choice(["0.5", "-1.5", "2.0", "0.0"]) for n in numbers
        ]
        inner = ", ".join(items)
        lines.append(f"{INDENT}{INDENT}" + (f"(lambda u: ({inner},))({where})," if where else f"({inner},),"))
    return [*params, *numbers], "\n".join([*lines, f"{INDENT}]", ""])


def _call(r: random.Random, params: dict[str, tuple[str, int]], size: int, number: int) -> tuple[list[str], str]:
    overlap = ""
    if number == 1 and params["a"] == params["b"] and r.random() < 0.8:
        overlap = _vector(r, params["a"][0], size + 3)
    out = []
    for name, (dtype, ndim) in params.items():
        if dtype == "index":
            entries = ", ".join(str(r.randrange(-size, size)) for _ in range(size))
            out.append(f"np.array([{entries}], dtype=np.int64)")
        elif overlap and name in "ab":
            k = r.randint(0, 3)
            out.append(f"u[{k}:{k + size}]")
        elif ndim == 2:
            out.append(_layout(r, f"{_vector(r, dtype, size * size)}.reshape({size}, {size})", number, dtype))
        else:
            out.append(_layout(r, _vector(r, dtype, size), number, dtype))
    return out, overlap


def _vector(r: random.Random, dtype: str, n: int) -> str:
    if n > 16:
        low, unit = (0, 1) if dtype == "uint8" else (-5, 1) if "int" in dtype else (-12, 4)
        return f"((np.arange({n}) * {r.choice([7, 9, 11])} % 23 + {low}) / {unit}).astype(np.{dtype})"
    if dtype in ("float64", "float32", "complex128"):
        values = [f"{r.randint(-12, 12) / 4}" for _ in range(n)]
        if r.random() < 0.15 and n > 3:
            values[r.randrange(n)] = r.choice(["np.nan", "-0.0", "np.inf"])
        if dtype == "complex128":
            values = [f"{v} + {r.randint(-4, 4) / 2}j" for v in values]
    else:
        values = [str(r.randint(0 if dtype == "uint8" else -6, 9)) for _ in range(n)]
    return f"np.array([{', '.join(values)}], dtype=np.{dtype})"


def _layout(r: random.Random, text: str, number: int, dtype: str) -> str:
    if number == 0 or r.random() < 0.6:
        return text
    if "reshape" in text:
        return r.choice(
            [f"np.asfortranarray({text})", f"{text}[::-1]", f"{text}.T", f"np.repeat({text}, 2, axis=1)[:, ::2]"]
        )
    return r.choice([f"{text}[::-1]", f"np.repeat({text}, 2)[::2]"])
