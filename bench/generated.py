"""Programs of any length, of one kind of statement or of mixed kinds: the benchmark `compile` fits how its cost grows with their length.

A kind makes the text of a module for about so many statements, whose function `f(a, b, xs, n)` takes two arrays of floats, a list of
floats and a number.
"""

from __future__ import annotations

import ast
import linecache
import textwrap
import types
from collections.abc import Callable
from typing import Any

import numpy as np

Kind = Callable[[int], str]
HEAD = "import cmath\nimport math\nimport numpy as np\n\n"


def arguments() -> tuple[Any, ...]:
    """Arguments of generated functions."""
    return np.linspace(0.5, 2.0, 50), np.linspace(1.0, 3.0, 50), [0.5, 1.5, 2.5, 3.5], 50


def _module(body: list[str], before: str = "") -> str:
    return f"{HEAD}{textwrap.dedent(before)}\n\ndef f(a, b, xs, n):\n" + "".join(f"    {x}\n" for x in body)


def chain(statements: int) -> str:
    """Elementwise statements, each on the result of the one before."""
    lines = [f"x{k + 1} = x{k} * {1 + k % 3}.5 + {'ab'[k % 2]}" for k in range(statements - 2)]
    return _module(["x0 = a + b", *lines, f"return x{statements - 2}"])


def scalars(statements: int) -> str:
    """Arithmetic of numbers, each from the two before."""
    lines = ["x0, x1 = a[0], b[1]"]
    for k in range(2, statements - 1):
        lines.append(
            f"x{k} = {('x{0} * 0.5 + x{1}', 'math.sin(x{0}) - x{1}', 'x{0} / (1.5 + x{1} * x{1})')[k % 3]}".format(
                k - 1, k - 2
            )
        )
    return _module([*lines, f"return x{statements - 2}"])


def loops(statements: int) -> str:
    """Loops over single elements, and numbers between them."""
    lines = ["s = 0.0"]
    for k in range(statements // 4):
        lines += [
            "for i in range(1, n):",
            f"    t{k} = a[i - 1] * {k}.5",
            f"    b[i] = b[i] + t{k}",
            f"s = s + b[{k % 7}]",
        ]
    return _module([*lines, "return s"])


def branches(statements: int) -> str:
    """Branches on numbers."""
    lines = ["x, y = a[0], b[1]"]
    for k in range(statements // 4):
        lines += [f"if x > {k}.0 * y:", f"    x = x * 0.5 + {k}.0", "else:", f"    y = y + x * {k}.25"]
    return _module([*lines, "return x, y"])


def merges(statements: int) -> str:
    """Branches that give a name another type: a Python float or one of NumPy's, an int or a float."""
    lines = []
    for k in range(statements // 4):
        other = f"math.exp(-a[{k % 50}])" if k % 2 else str(k % 3)
        lines += [f"if a[{k % 50}] < 1.0:", f"    q{k} = b[{k % 50}] * 2.0", "else:", f"    q{k} = {other}"]
    return _module([*lines, "return " + " + ".join(f"q{k}" for k in range(statements // 4))])


def cells(statements: int) -> str:
    """Intermediates of a cell model: a branch each, which reads the one before; then sums of them."""
    lines = ["v = a[0]"]
    count = statements // 4
    for k in range(count):
        before = f"r{k - 1}" if k else "v"
        lines += [f"if v < {k % 30}.5:", f"    r{k} = 0.1 * math.exp(-(v + {k}.0) / 20.0)"]
        lines += ["else:", f"    r{k} = b[{k % 5}] * 0.{k + 1} + {before} * 0.01"]
    lines += [f"b[{k}] = " + " + ".join(["v", *(f"r{j}" for j in range(k, count, 5))]) for k in range(5)]
    return _module([*lines, "return v"])


def rules(statements: int) -> str:
    """Chained `and` and `or` of comparisons, and a helper of any number of arguments."""
    lines = [
        f"res = np.zeros((20, {statements}), bool)",
        "for i in range(20):",
        "    p, q, r = int(a[i]), i % 7, i % 11",
    ]
    for k in range(statements - 5):
        lines.append(
            f"    res[i, {k}] = is_in(q, {k}, {k + 4}, {k % 7}) and (not r or {k % 5} <= r <= {k + 25} or p > {k})"
        )
    helper = """
        def is_in(x, *values):
            for v in values:
                if x == v:
                    return True
            return False
        """
    return _module([*lines, "return res"], helper)


def helpers(statements: int) -> str:
    """A helper of a few lines, called with numbers over and over."""
    lines = ["s = 0.0"] + [f"s = s + limited(a[{k % 50}], s, {k}.5)" for k in range(statements - 2)]
    helper = """
        def limited(x, y, k):
            z = x * y + k
            if z > 10.0:
                z = 10.0 - 1.0 / z
            w = math.sqrt(z * z + 1.0)
            return w - z * 0.25
        """
    return _module([*lines, "return s"], helper)


def helper_levels(statements: int) -> str:
    """Functions that call functions, each of two statements, on arrays and numbers."""
    count = max(statements // 4, 1)
    made = ["def g0(x, s):\n    y = x * s\n    return y + 1.0\n"]
    for k in range(1, count):
        made.append(
            f"def g{k}(x, s):\n    y = g{(k - 1) // 2}(x, s * 0.5)\n    return y * {k % 3 + 1}.0 + s\n"
            if k < 8
            else f"def g{k}(x, s):\n    y = g{k % 4}(x, s) - x\n    return y + {k}.0\n"
        )
    lines = ["y = a"] + [f"y = y + g{k}(b, {k}.0) * 0.5" for k in range(count)]
    return _module([*lines, "return y"], "\n\n".join(made))


def methods(statements: int) -> str:
    """A class whose methods call each other, and calls of them."""
    made = """
        class Model:
            def __init__(self, k, c):
                self.k = k
                self.c = c
                self.count = 0

            def force(self, x, v):
                self.count += 1
                return -self.k * x - self.c * v

            def step(self, x, v, dt):
                v = v + self.force(x, v) * dt
                return x + v * dt, v

            def energy(self, x, v):
                return 0.5 * (self.k * x * x + v * v) + self.force(x, v) * 0.0
        """
    lines = ["m = Model(2.0, 0.25)", "x, v, e = a[0], b[0], 0.0"]
    for k in range((statements - 3) // 2):
        lines += [f"x, v = m.step(x, v, 0.0{k % 9 + 1})", "e = e + m.energy(x, v)"]
    return _module([*lines, "return x, v, e, m.count"], made)


def tables(statements: int) -> str:
    """Loops over a constant list and a constant tuple."""
    made = """
        C = [-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560]
        D = (0.5, 0.25, 0.125)
        """
    lines = ["m = len(a) - 8", "x = np.zeros(m)", "s = 0.0"]
    for k in range((statements - 4) // 4):
        lines += [
            "for j, c in enumerate(C):",
            f"    x += c * {k + 1}.0 * a[j : j + m]",
            "for d in D:",
            f"    s += d * b[{k % 50}]",
        ]
    return _module([*lines, "return x, s"], made)


def recursion(statements: int) -> str:
    """Recursion over lists, each function with another combination."""
    count = max(statements // 8, 1)
    made = []
    for k in range(count):
        made.append(
            f"def r{k}(x):\n    m = len(x)\n    if m == 1:\n        return x\n    e = r{k}(x[0::2])\n    o = r{k}(x[1::2])\n"
            f"    return [e[i] + o[i] * {k}.5 for i in range(m // 2)] + [e[i] - o[i] for i in range(m // 2)]\n"
        )
    lines = ["y = xs"] + [f"y = r{k}(y)" for k in range(count)]
    return _module([*lines, "return y"], "\n\n".join(made))


def varargs(statements: int) -> str:
    """Helpers with `*args` and `**kwargs`, called with different numbers of arguments."""
    made = """
        def total(*values, scale=1.0):
            s = 0.0
            for v in values:
                s += v * scale
            return s

        def named(x, **options):
            return x * options.get("gain", 2.0) + options["shift"]
        """
    lines = ["s = 1.0"]
    for k in range((statements - 2) // 2):
        given = ", ".join(f"a[{(k + j) % 50}]" for j in range(k % 4 + 1))
        lines += [
            f"s = s * 0.5 + total({given}, scale={k % 5}.5)",
            f"s = s - named(s, shift={k}.0{', gain=0.5' if k % 2 else ''})",
        ]
    return _module([*lines, "return s"], made)


def stencils(statements: int) -> str:
    """Stencils on slices, in place and into new arrays."""
    lines = ["u = a.copy()", "v = b.copy()"]
    for k in range((statements - 3) // 2):
        lines += [f"u[1:-1] = u[1:-1] + 0.{k % 9 + 1} * (v[2:] - 2.0 * v[1:-1] + v[:-2])", f"v = v * 0.5 + u * {k}.0"]
    return _module([*lines, "return u, v"])


def ffts(statements: int) -> str:
    """Transforms, products with spectra, transforms back."""
    lines = ["k = np.fft.fftfreq(50)", "w = np.fft.fft(a)"]
    for j in range((statements - 3) // 2):
        lines += [f"u{j} = np.real(np.fft.ifft(1j * k * w))", f"w = w + 0.{j % 9 + 1} * np.fft.fft(u{j} * b)"]
    return _module([*lines, "return np.real(np.fft.ifft(w))"])


def comprehensions(statements: int) -> str:
    """Comprehensions, generator expressions, and functions of them."""
    lines = ["y = xs"]
    for k in range((statements - 2) // 2):
        lines += [
            f"y = [v * 0.5 + {k}.0 for v in y if v > -{k}.5]",
            f"s{k} = sum(v * {k}.0 for v in y) + max(a[i] for i in range(5))",
        ]
    return _module([*lines, "return y, " + " + ".join(f"s{k}" for k in range((statements - 2) // 2))])


def containers(statements: int) -> str:
    """Lists that grow and a dict that counts."""
    lines = ["out = []", "seen = {}"]
    for k in range((statements - 3) // 4):
        lines += [
            f"for i in range({k % 5 + 2}):",
            f"    out.append(a[i] * {k}.0)",
            f"seen[{k % 13}] = seen.get({k % 13}, 0) + len(out)",
        ]
        lines += [f"out[{k}] = out[{k}] + 1.0"]
    return _module([*lines, "return out, seen"])


def whiles(statements: int) -> str:
    """While loops with breaks."""
    lines = ["s, x = 0.0, a[0]"]
    for k in range((statements - 2) // 6):
        lines += [
            "i = 0",
            f"while i < n and x > -{k}.0:",
            f"    x = x * 0.5 + b[i] - {k}.25",
            f"    if x > {k}.5:",
            "        break",
            "    i += 1",
            "s += x",
        ]
    return _module([*lines, "return s, x"])


def nested(statements: int) -> str:
    """Branches inside branches, and loops around them."""
    lines = ["s, t = a[0], 0.0"]
    for k in range((statements - 2) // 8):
        lines += [
            f"for i in range({k % 4}, n):",
            f"    if a[i] > 0.{k + 1}:",
            f"        if b[i] < {k}.5:",
            "            s += a[i] * 0.5",
            "        elif s > 10.0:",
            "            t += s",
            "        else:",
            f"            s -= {k}.0",
        ]
    return _module([*lines, "return s, t"])


def returns(statements: int) -> str:
    """Returns from the middle of a function, at every third statement."""
    lines = ["s = a[0]"]
    for k in range((statements - 2) // 3):
        lines += [f"s = s * 0.75 + b[{k % 50}]", f"if s > {k + 90}.0:", f"    return s - {k}.0"]
    return _module([*lines, "return s"])


def tries(statements: int) -> str:
    """Exceptions that the program handles."""
    lines = ["s = 0.0"]
    for k in range((statements - 2) // 5):
        lines += [
            "try:",
            f"    if a[{k % 50}] > {k}.5:",
            f"        raise ValueError('{k}')",
            f"    s += a[{k % 50}]",
            "except ValueError:",
            f"    s -= {k}.0",
        ]
    return _module([*lines, "return s"])


MIXED = (scalars, loops, branches, merges, stencils, whiles, nested, containers, comprehensions, tries)


def mixed(statements: int) -> str:
    """Functions of several kinds, called one after the other."""
    share = max(statements // len(MIXED), 4)
    made, lines = [], []
    for kind in MIXED:
        text = kind(share).removeprefix(HEAD).replace("def f(", f"def {kind.__name__}(").strip("\n")
        made.append(text)
        lines.append(f"r_{kind.__name__} = {kind.__name__}(a, b, xs, n)")
    return _module([*lines, "return " + ", ".join(f"r_{kind.__name__}" for kind in MIXED)], "\n\n\n".join(made) + "\n")


KINDS: dict[str, Kind] = {
    k.__name__: k
    for k in (
        chain,
        scalars,
        loops,
        branches,
        merges,
        cells,
        rules,
        helpers,
        helper_levels,
        methods,
        tables,
        recursion,
        varargs,
        stencils,
        ffts,
        comprehensions,
        containers,
        whiles,
        nested,
        returns,
        tries,
        mixed,
    )
}


def length(text: str) -> int:
    """How many statements a program has."""
    return sum(isinstance(n, ast.stmt) for n in ast.walk(ast.parse(text)))


def generated(text: str, name: str = "generated") -> types.ModuleType:
    """A module of this text, whose functions have their source."""
    file = f"{name}.py"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    module = types.ModuleType(name)
    exec(compile(text, file, "exec"), module.__dict__)
    return module
