"""Programs that grow: each small to write and large to compile, in one direction, by a number.

Compiling one that is too large must end soon, and the call must give what Python gives.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

HEAD = "import numpy as np\nimport math\n"


@dataclass(frozen=True)
class BlowUp:
    """A program that has `f`, and what `f` is called with. `several`: each is one call of its own."""

    source: str
    args: Callable[[], tuple[Any, ...]]
    several: int = 1


def function_of(text: str, name: str) -> Any:
    """The function `f` of a program whose source can be found."""
    file = f"<blow-up {name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    made: dict[str, Any] = {"__name__": "__blow_up__"}
    exec(compile(text, file, "exec"), made)  # noqa: S102 (the program is ours)
    return made["f"]


def body(*lines: str, arguments: str = "x, n") -> str:
    return HEAD + f"def f({arguments}):\n" + "".join(f"    {line}\n" for line in lines)


def numbers() -> tuple[Any, ...]:
    return 1.5, 3


def arrays() -> tuple[Any, ...]:
    return np.arange(6.0), 3


def families(names: dict[str, Any]) -> dict[str, Callable[[int], BlowUp]]:
    """The makers of programs among the names of a module."""
    return {n: f for n, f in names.items() if getattr(f, "__annotations__", {}).get("return") == "BlowUp"}


# --- deep and long ----------------------------------------------------------------------------------------------------


def nested_ifs(n: int) -> BlowUp:
    lines = ["y = 0.0", *("    " * k + f"if x > {-k}:" for k in range(n)), "    " * n + "y = x", "return y"]
    return BlowUp(body(*lines), numbers)


def nested_loops(n: int) -> BlowUp:
    lines = ["y = 0.0", *("    " * k + f"for i{k} in range(1):" for k in range(n)), "    " * n + "y += x", "return y"]
    return BlowUp(body(*lines), numbers)


def nested_tries(n: int) -> BlowUp:
    lines = ["y = 0.0", *("    " * k + "try:" for k in range(n)), "    " * n + "y = 1 / x"]
    lines += ["    " * k + part for k in reversed(range(n)) for part in ("except ZeroDivisionError:", f"    y += {k}")]
    return BlowUp(body(*lines, "return y"), numbers)


def nested_withs(n: int) -> BlowUp:
    lines = [*("    " * k + "with np.errstate(all='ignore'):" for k in range(n)), "    " * n + "y = x + 1", "return y"]
    return BlowUp(body(*lines), numbers)


def elifs(n: int) -> BlowUp:
    lines = ["if n == 0:", "    y = 0.5"]
    for k in range(1, n):
        lines += [f"elif n == {k}:", f"    y = x + {k}"]
    return BlowUp(body(*lines, "else:", "    y = x", "return y"), numbers)


def early_returns(n: int) -> BlowUp:
    lines = [line for k in range(n) for line in (f"if n == {k + 7}:", f"    return x + {k}")]
    return BlowUp(body(*lines, "return x"), numbers)


def returns_of_many_types(n: int) -> BlowUp:
    values = ["x", "n", "None", "(x, n)", "'a'", "[x]", "(n,)", "(x, x, x)", "True", "1j"]
    lines = [line for k in range(n) for line in (f"if n == {k + 7}:", f"    return {values[k % len(values)]}, {k}")]
    return BlowUp(body(*lines, "return x"), numbers)


def ifs_in_a_row(n: int) -> BlowUp:
    return BlowUp(
        body("y = x", *(line for k in range(n) for line in (f"if y > {k}:", f"    y -= x * {k}")), "return y"), numbers
    )


def types_in_a_row(n: int) -> BlowUp:
    """Variables that are an int or a float, all of them alive."""
    lines = [line for k in range(n) for line in (f"v{k} = 1", f"if x > {k}:", f"    v{k} = np.float32(x)")]
    return BlowUp(body(*lines, "return " + " + ".join(f"v{k}" for k in range(n))), numbers)


def none_or_arrays(n: int) -> BlowUp:
    lines = [line for k in range(n) for line in (f"v{k} = None", f"if n > {k}:", f"    v{k} = x + {k}")]
    return BlowUp(body(*lines, "return (" + ", ".join(f"v{k}" for k in range(n)) + ",)"), arrays)


def match_arms(n: int) -> BlowUp:
    arms = [line for k in range(n) for line in (f"    case {k}:", f"        y = x * {k}")]
    return BlowUp(body("match n:", *arms, "    case _:", "        y = x", "return y"), numbers)


def long_sum(n: int) -> BlowUp:
    return BlowUp(body("return " + " + ".join(f"x * {k}.5" for k in range(n))), numbers)


def long_sum_of_arrays(n: int) -> BlowUp:
    return BlowUp(body("return " + " + ".join(f"x * {k}.5" for k in range(n))), arrays)


def nested_parentheses(n: int) -> BlowUp:
    return BlowUp(body("return " + "(1 + " * n + "x" + ")" * n), numbers)


def nested_calls(n: int) -> BlowUp:
    return BlowUp(body("return " + "np.sqrt(" * n + "x" + ")" * n), numbers)


def chained_methods(n: int) -> BlowUp:
    return BlowUp(body("return x" + ".copy()" * n), arrays)


def chained_texts(n: int) -> BlowUp:
    return BlowUp(body("return str(n)" + ".strip()" * n), arrays)


def chained_subscripts(n: int) -> BlowUp:
    return BlowUp(body("return x" + "[:]" * n), arrays)


def long_and(n: int) -> BlowUp:
    return BlowUp(body("return " + " and ".join(f"x > {-k}" for k in range(n))), numbers)


def long_or(n: int) -> BlowUp:
    return BlowUp(body("return " + " or ".join(f"n == {k + 9}" for k in range(n))), numbers)


def long_comparison(n: int) -> BlowUp:
    return BlowUp(body("return " + " < ".join(["x"] * n)), numbers)


def nested_conditionals(n: int) -> BlowUp:
    return BlowUp(body("return " + "".join(f"{k} if n == {k + 5} else " for k in range(n)) + "x"), numbers)


def nested_nots(n: int) -> BlowUp:
    return BlowUp(body("return " + "not " * n + "x"), numbers)


def many_statements(n: int) -> BlowUp:
    return BlowUp(body("y = x", *(f"y = y * 0.5 + {k}" for k in range(n)), "return y"), numbers)


def many_array_statements(n: int) -> BlowUp:
    return BlowUp(body("y = x", *(f"y = y * 0.5 + {k}" for k in range(n)), "return y"), arrays)


def many_names(n: int) -> BlowUp:
    return BlowUp(body(*(f"v{k} = x + {k}" for k in range(n)), "return " + "v0 + v" + str(n - 1)), numbers)


def many_loops(n: int) -> BlowUp:
    lines = [line for k in range(n) for line in ("for i in range(len(x)):", f"    x[i] += {k}")]
    return BlowUp(body(*lines), arrays)


def doubled_expression(n: int) -> BlowUp:
    return BlowUp(body("y = x", *("y = y + y" for _ in range(n)), "return y"), numbers)


def doubled_array(n: int) -> BlowUp:
    return BlowUp(body("y = x", *("y = y + y[::-1]" for _ in range(n)), "return y"), arrays)


def doubled_tuple(n: int) -> BlowUp:
    return BlowUp(body("y = (x, n)", *("y = (y, y)" for _ in range(n)), "return y[0]" + "[1]" * (n - 1)), numbers)


def doubled_list(n: int) -> BlowUp:
    return BlowUp(body("y = [x]", *("y = y + y" for _ in range(n)), "return len(y)"), numbers)


def doubled_text(n: int) -> BlowUp:
    return BlowUp(body("y = 'ab'", *("y = y + y" for _ in range(n)), "return len(y)"), numbers)


# --- wide -------------------------------------------------------------------------------------------------------------


def large_tuple(n: int) -> BlowUp:
    return BlowUp(body("t = (" + ", ".join(f"x + {k}" for k in range(n)) + ",)", "return t[-1], len(t)"), numbers)


def large_list(n: int) -> BlowUp:
    return BlowUp(body("t = [" + ", ".join(f"x + {k}" for k in range(n)) + "]", "return t[n], len(t)"), numbers)


def list_of_constants(n: int) -> BlowUp:
    return BlowUp(body("t = [" + ", ".join(map(str, range(n))) + "]", "return t[n]"), numbers)


def list_of_many_types(n: int) -> BlowUp:
    kinds = ["x", "n", "'a'", "None", "(x,)", "True", "[n]", "{'k': x}"]
    items = ", ".join(kinds[k % len(kinds)] for k in range(n))
    return BlowUp(body(f"t = [{items}]", "return t[n], len(t)"), numbers)


def large_dict(n: int) -> BlowUp:
    return BlowUp(
        body("d = {" + ", ".join(f"'k{k}': x + {k}" for k in range(n)) + "}", "return d['k1'], sum(d.values())"),
        numbers,
    )


def array_of_constants(n: int) -> BlowUp:
    return BlowUp(body("return np.array([" + ", ".join(f"{k}.5" for k in range(n)) + "])[n]"), numbers)


def table_of_constants(n: int) -> BlowUp:
    row = "[" + ", ".join(map(str, range(20))) + "]"
    return BlowUp(body(f"return np.array([{', '.join([row] * n)}])[n]"), numbers)


def long_argument_list(n: int) -> BlowUp:
    names = [f"a{k}" for k in range(n)]
    source = HEAD + f"def g({', '.join(names)}):\n    return {' + '.join(names)}\n"
    return BlowUp(source + f"def f(x, n):\n    return g({', '.join(['x'] * n)})\n", numbers)


def many_parameters(n: int) -> BlowUp:
    names = ", ".join(f"a{k}" for k in range(n))
    return BlowUp(body(f"return a0 + a{n - 1}", arguments=names), lambda: (1.5,) * n)


def many_array_parameters(n: int) -> BlowUp:
    names = [f"a{k}" for k in range(n)]
    return BlowUp(
        body("return " + " + ".join(names), arguments=", ".join(names)),
        lambda: tuple(np.arange(4.0) for _ in range(n)),
    )


def long_format(n: int) -> BlowUp:
    return BlowUp(body("return f'" + "".join(f"{{x + {k}}} " for k in range(n)) + "'"), numbers)


def huge_text(n: int) -> BlowUp:
    return BlowUp(body(f"t = '{'a' * n}'", "return len(t), t[n]"), numbers)


def huge_integer(n: int) -> BlowUp:
    return BlowUp(body("y = 1" + "0" * n, "return y % 7 + n"), numbers)


def power_of_constants(n: int) -> BlowUp:
    return BlowUp(body(f"return (7 ** {n}) % 11 + n"), numbers)


def repeated_text(n: int) -> BlowUp:
    return BlowUp(body(f"return len('ab' * {n})"), numbers)


def repeated_list(n: int) -> BlowUp:
    return BlowUp(body(f"t = [x] * {n}", "return len(t), t[n]"), numbers)


def range_as_list(n: int) -> BlowUp:
    return BlowUp(body(f"t = list(range({n}))", "return t[n]"), numbers)
