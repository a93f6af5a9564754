"""Random programs: text of a function `f` and of `calls()`, which returns argument tuples.

Statements are run while they are written, on the first call's arguments, so that most programs do something before
they end; the other calls (other values, layouts, overlaps, lengths 0 and 1, NaN) may raise, and then compiled code
must raise the same.
"""

from __future__ import annotations

import contextlib
import copy
import io
import math
import random
import warnings
from typing import Any

import numpy as np

from tests.fuzz.calls import calls, signature
from tests.fuzz.limits import TooLong, work_limit
from tests.fuzz.overlaps import depends_on_overlaps
from tests.fuzz.scope import IN_LOOP, STORES, NoName, Scope

INDENT = "    "
LARGEST = 400  # elements of an array
HELPERS = [
    "def h0(x, y):\n    return x * 2 - y\n",
    "def h0(x, y):\n    if y > 1:\n        return x + y\n    return x - 1\n",
    "def h0(x, y):\n    z = x + 0.5\n    for k in range(3):\n        z = z * y\n    return z\n",
    "def h0(x, y=1):\n    lo, hi = h1(x, y)\n    return hi - lo\n\n\ndef h1(x, y):\n    return x + y, x * y\n",
    "def h0(x, y):\n    return np.where(x > 0, x, y)\n",
    "def h0(x, y):\n    if isinstance(x, np.ndarray):\n        x[0] = 1\n        return x\n    return x + y\n",
    "def h0(x, y):\n    k = 0\n    while k < 3:\n        if k * y > 2:\n            return x\n        k += 1\n    return x * k\n",
]
INEXACT = ("sum", "mean", "dot", "@", "cumprod", "exp", "sin", "tanh", "log", "std", "prod", "var", "hypot", "arctan2")
INEXACT += ("einsum", "trapezoid", "interp", "norm", "convolve", "fft", "trace", "accumulate", "reduce", "gradient")
INEXACT += ("linspace", "cross", "kron")


def program(seed: int, size: int = 8) -> str:
    """The source of one program (with `f` and `calls`)."""
    for attempt in range(40):
        with contextlib.suppress(TooLong), work_limit():
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
        s = signature(r)
        text = calls(r, s)
        helper = r.choice(HELPERS) if r.random() < 0.4 else ""
        names: dict[str, Any] = {"np": np, "math": math}
        exec(helper + "\n" + text, names)
        values = dict(zip(s.names, names["calls"]()[0]))
        helpers = {n: names[n] for n in ("h0", "h1") if n in names}
        self.scope = Scope(r, values, helpers)
        lines = self.block(self.size, INDENT, loops=2)
        lines += self.result()
        parts = ["import math\nimport numpy as np", helper, f"def f({', '.join(s.names)}):\n" + "\n".join(lines), text]
        source = "\n\n\n".join(p.strip("\n") for p in parts if p) + "\n"
        sane = _sane(source, needed=0 if r.random() < 0.1 else 1)
        return source if sane and not depends_on_overlaps(source) else None

    # -- statements ----------------------------------------------------------------------------------------------------

    def block(self, count: int, indent: str, loops: int, fixed: bool = False) -> list[str]:
        """`count` statements; with `fixed` no new names and no changed types (bodies that may run repeatedly)."""
        out: list[str] = []
        for _ in range(count):
            for _ in range(6):
                before = copy.deepcopy(self.scope.values)  # keeps aliases among the values
                try:
                    lines = self.statement(indent, loops, fixed)
                except NoName:
                    continue
                if self.run(lines, indent, before):
                    out += lines
                    break
        return out or [indent + "pass"]

    def run(self, lines: list[str], indent: str, before: dict[str, Any]) -> bool:
        """Execute the statement; restore the values and say no if it raises, or types change where they must not."""
        text = "\n".join(s[len(indent) :] for s in lines)
        self.scope.values = before
        names = {"np": np, "math": math} | self.scope.helpers
        values = names | copy.deepcopy(before)
        with warnings.catch_warnings(), np.errstate(all="ignore"), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            warnings.filterwarnings("error", message=".*in cast")
            try:
                exec(compile(f"for once in [0]:\n{_indented(text)}" if _jumps(text) else text, "f", "exec"), values)
            except Exception:
                return False
        values = {n: v for n, v in values.items() if n not in names and n not in ("__builtins__", "once")}
        sizes = [v.size for v in values.values() if isinstance(v, np.ndarray)]
        huge = any(isinstance(v, int) and abs(v) > 2**40 for v in values.values())
        changed = any(n in before and _kind(before[n]) != _kind(v) for n, v in values.items())
        if huge or (changed and self.rng.random() < 0.85) or max(sizes, default=0) > LARGEST:
            return False
        if self.rng.random() < 0.85:  # else they may be used, bound or not
            values = {n: v for n, v in values.items() if n in before or n[0] not in "ij"}
        self.scope.values = {n: v for n, v in values.items() if n in before or _usable(v)}
        return True

    def statement(self, indent: str, loops: int, fixed: bool) -> list[str]:
        r, s = self.rng, self.scope
        kind = r.randrange(24)
        if kind < 6 and not fixed:
            return [f"{indent}{self.fresh()} = {s.array(2) if r.random() < 0.7 else s.number(2)}"]
        if kind < 12:
            return [indent + s.fill(r.choice(STORES), 2)]
        if kind < 14:
            return [indent + self.rebind()]
        if kind < 18 and loops:
            return self.loop(indent, loops - 1)
        if kind == 18 and loops:
            return self.while_loop(indent, loops - 1)
        if kind == 19 and loops:
            return self.attempt(indent)
        if kind == 20 and not fixed:
            return self.pieces(indent)
        if kind == 21:
            return self.leave(indent)
        if len(indent) < 16:
            return self.branch(indent, loops)
        return [indent + s.fill(r.choice(STORES))]

    def fresh(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def rebind(self) -> str:
        """`name = …`, mostly with a value of the same type."""
        r, s = self.rng, self.scope
        name = s.known(s.arrays() + s.numbers())
        kind = _kind(s.values[name])
        if isinstance(s.values[name], np.ndarray):
            return f"{name} = {s.array(2, lambda v: _kind(v) == kind)}"
        loose = r.random() < 0.2
        return f"{name} = {s.number(2, lambda v: loose or _kind(v) == kind)}"

    def pieces(self, indent: str) -> list[str]:
        """Statements that make or take apart tuples and lists, and nested functions."""
        r, s = self.rng, self.scope
        one, two = self.fresh(), self.fresh()
        match r.randrange(6):
            case 0:
                lines = [f"{one}, {two} = {s.array(1)}, {s.number(1)}"]
            case 1:
                lines = [f"{one}, {two} = {s.fill('{A}.shape[0], {s}')}"]
            case 2:
                item = s.fill("{s}")
                lines = [f"{one} = []", s.fill("for q in {V}:"), f"{INDENT}{one}.append(q {s.fill('{o}')} {item})"]
                lines += [f"{one} = np.array({one})"]
            case 3:
                lines = [f"def {one}(q):", f"{INDENT}return q {s.fill('{o} {S}')}", f"{two} = {one}({s.array(1)})"]
            case 4:
                lines = [f"{one}, *{two} = {s.fill('{s}, {s}')}, 1", f"{two} = len({two})"]
            case _:
                lines = [s.fill("{x}, {s}").join([f"{two} = (", ")"]), f"{one} = {two}[0] + {two}[1]", f"{two} = 0"]
        return [indent + line for line in lines]

    def leave(self, indent: str) -> list[str]:
        """An early return or an exception, under a condition that does not hold now."""
        s = self.scope
        test = s.condition()
        if s.evaluate(f"bool({test})") is not False:
            return [indent + s.fill(self.rng.choice(STORES))]
        what = self.rng.choice(["return {S}", "return {A}", "return {x}, {s}", "raise ValueError('bad')", "return"])
        if self.rng.random() < 0.2:
            what = "raise ValueError(f'bad {{S}} value')".replace("{{S}}", "{" + s.fill("{S}") + "}")
            return [f"{indent}if {test}:", f"{indent}{INDENT}{what}"]
        return [f"{indent}if {test}:", f"{indent}{INDENT}{s.fill(what)}"]

    def attempt(self, indent: str) -> list[str]:
        """try, with a body that may or may not raise."""
        r, s = self.rng, self.scope
        risky = r.choice(["{e} = {s} / {S}", "{S} = {s} // {S}", "{V}[{N} * 2] = {s}", "{A} += {x}", "{S} = {e}"])
        lines = [f"{indent}try:", *self.block(1, indent + INDENT, 0, fixed=True), indent + INDENT + s.fill(risky)]
        kinds = r.choice(["ZeroDivisionError", "(IndexError, ZeroDivisionError)", "ValueError", "Exception"])
        lines += [f"{indent}except {kinds}:", *self.block(1, indent + INDENT, 0, fixed=True)]
        if r.random() < 0.3:
            lines += [f"{indent}finally:", *self.block(1, indent + INDENT, 0, fixed=True)]
        return lines

    # -- loops and branches --------------------------------------------------------------------------------------------

    def loop(self, indent: str, loops: int) -> list[str]:
        r, s = self.rng, self.scope
        var = f"i{loops}" if f"i{loops}" not in s.values else f"j{loops}"
        spans = ["range(len({A}))"] * 3 + ["range(1, len({A}))", "range(len({A}) - 1)", "range(1, len({A}) - 1)"]
        spans += [
            "range(3)",
            "range(len({A}) - 1, -1, -1)",
            "range({N})",
            "range(0, len({A}), 2)",
            "range({A}.shape[-1])",
        ]
        spans += ["reversed(range(len({A})))", "{V}", "{Q}", "enumerate({V})", "zip({V}, {W})", "range({N}, len({A}))"]
        span = s.fill(r.choice(spans))
        values = s.evaluate(f"list({span})") or []
        if not values or len(values) > 40:
            raise NoName
        saved, outer = copy.deepcopy(s.values), list(s.loop_names)
        target = self._targets(span, var, r.choice(values), loops)
        body = self.body(indent + INDENT, loops)
        s.values, s.loop_names = saved, outer
        return [f"{indent}for {target} in {span}:", *body, *self.otherwise(indent, body)]

    def _targets(self, span: str, var: str, value: Any, loops: int) -> str:
        """Bind the loop's variables; how they are written."""
        s = self.scope
        if not span.startswith(("enumerate", "zip")):
            s.values[var] = value
            if isinstance(value, int):
                s.loop_names.append(var)
            return var
        second = f"x{loops}"
        s.values[var], s.values[second] = value
        if span.startswith("enumerate"):
            s.loop_names.append(var)
        return f"{var}, {second}"

    def body(self, indent: str, loops: int) -> list[str]:
        """Statements of a loop: on elements near the loop variable, and any others."""
        r, s = self.rng, self.scope
        out: list[str] = []
        for _ in range(r.randint(1, 3)):
            if r.random() < 0.5 and s.loop_names:
                before = copy.deepcopy(s.values)
                with contextlib.suppress(NoName):
                    lines = [indent + s.fill(r.choice(IN_LOOP))]
                    if self.run(lines, indent, before):
                        out += lines
            else:
                out += self.block(1, indent, loops, fixed=True)
        if r.random() < 0.2:
            out += [f"{indent}if {s.condition()}:", f"{indent}{INDENT}{r.choice(['break', 'continue'])}"]
            out += self.block(1, indent, 0, fixed=True)
        if r.random() < 0.1 and len(s.arrays()) > 1:
            one, two = r.sample(s.arrays(), 2)
            if _kind(s.values[one]) == _kind(s.values[two]):
                out.append(f"{indent}{one}, {two} = {two}, {one}")
        return out or [indent + "pass"]

    def otherwise(self, indent: str, body: list[str]) -> list[str]:
        if not any("break" in line for line in body) or self.rng.random() < 0.5:
            return []
        return [f"{indent}else:", *self.block(1, indent + INDENT, 0, fixed=True)]

    def while_loop(self, indent: str, loops: int) -> list[str]:
        r, s = self.rng, self.scope
        var = self.fresh()
        start, test, step = r.choice(
            [("0", "< 4", "+= 1"), ("5", "> 0", "-= 1"), ("1", "< 20", "*= 2"), ("8", "> 0", "//= 2")]
        )
        extra = f" and {s.condition()}" if r.random() < 0.4 else ""
        saved, outer = copy.deepcopy(s.values), list(s.loop_names)
        s.values[var] = int(start)
        s.loop_names.append(var)
        body = self.body(indent + INDENT, loops)
        s.values, s.loop_names = saved, outer
        first = r.random() < 0.5 or any("continue" in line for line in body)
        inner = [f"{indent}{INDENT}{var} {step}"]
        lines = [f"{indent}{var} = {start}", f"{indent}while {var} {test}{extra}:"]
        return [*lines, *(inner + body if first else body + inner), *self.otherwise(indent, body)]

    def branch(self, indent: str, loops: int) -> list[str]:
        s = self.scope
        test = s.condition()
        saved = copy.deepcopy(s.values)
        lines = [f"{indent}if {test}:", *self.block(self.rng.randint(1, 2), indent + INDENT, max(0, loops - 1), True)]
        s.values = copy.deepcopy(saved)
        if self.rng.random() < 0.2:
            lines += [f"{indent}elif {s.condition()}:", *self.block(1, indent + INDENT, max(0, loops - 1), True)]
            s.values = copy.deepcopy(saved)
        if self.rng.random() < 0.5:
            lines += [f"{indent}else:", *self.block(1, indent + INDENT, max(0, loops - 1), True)]
        s.values = saved
        return lines

    def result(self) -> list[str]:
        r = self.rng
        names = self.scope.arrays() + self.scope.numbers()
        chosen = r.sample(names, min(len(names), r.randint(1, 5)))
        if r.random() < 0.2:
            chosen.append(self.scope.array(1))
        return [f"{INDENT}return {', '.join(chosen)}"]


def _indented(text: str) -> str:
    return "\n".join(INDENT + line for line in text.split("\n"))


def _jumps(text: str) -> bool:
    return any(line.strip() in ("break", "continue") for line in text.split("\n"))


def _usable(v: Any) -> bool:
    """May later statements use such a value?"""
    return (isinstance(v, np.ndarray) and v.dtype.kind in "biufc") or isinstance(v, (int, float, complex, np.generic))


def _kind(v: Any) -> Any:
    return (v.dtype, v.ndim) if isinstance(v, np.ndarray) else type(v)


def _sane(source: str, needed: int) -> bool:
    """Does the program end quickly, without behaviour that C leaves undefined, and normally on `needed` of its calls?"""
    names: dict[str, Any] = {}
    exec(source, names)
    good = 0
    for args in names["calls"]():
        with warnings.catch_warnings(), np.errstate(all="ignore"), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            warnings.filterwarnings("error", message=".*in cast")
            try:
                names["f"](*args)
                good += 1
            except RuntimeWarning:
                return False
            except Exception:
                continue
    return good >= needed
