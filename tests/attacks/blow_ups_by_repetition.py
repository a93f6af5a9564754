"""Programs that grow by repetition: loops over containers, calls inside of calls, dimensions of arrays. See `blow_ups.py`."""

from __future__ import annotations

import numpy as np

from tests.attacks.blow_ups import HEAD, BlowUp, arrays, body, numbers

# --- loops that are unrolled ------------------------------------------------------------------------------------------

CLASSES = (
    "class A:\n    def __init__(self, k):\n        self.k = k\n    def value(self, x):\n        return self.k * x\n"
    "class B(A):\n    def value(self, x):\n        return self.k + x\n"
)


def loops_over_objects(n: int) -> BlowUp:
    items = ", ".join(f"{'AB'[k % 2]}({k})" for k in range(n))
    lines = [
        f"t = [{items}]",
        "s = 0.0",
        "for a in t:",
        "    for b in t:",
        "        s += a.value(x) * b.value(x)",
        "return s",
    ]
    return BlowUp(CLASSES + body(*lines), numbers)


def objects_of_arrays(n: int) -> BlowUp:
    classes = (
        "class P:\n    def __init__(self, k):\n        self.k = np.full(3, float(k))\n"
        "    def push(self, other):\n        self.k = self.k + other.k\n"
    )
    items = ", ".join(f"P({k})" for k in range(n))
    lines = [f"t = [{items}]", "for a in t:", "    for b in t:", "        a.push(b)", "return t[0].k[0]"]
    return BlowUp(HEAD + classes + body(*lines), numbers)


def arrays_in_a_list(n: int) -> BlowUp:
    lines = [
        f"t = [x + k for k in range({n})]",
        "s = 0.0",
        "for a in t:",
        "    for b in t:",
        "        s += (a * b).sum()",
    ]
    return BlowUp(body(*lines, "return s"), arrays)


def arrays_in_a_display(n: int) -> BlowUp:
    items = ", ".join(f"x + {k}" for k in range(n))
    lines = [f"t = [{items}]", "s = 0.0", "for i in range(3):", "    for a in t:", "        s += a.sum()"]
    return BlowUp(body(*lines, "return s"), arrays)


def arrays_in_a_dict(n: int) -> BlowUp:
    items = ", ".join(f"'k{k}': x + {k}" for k in range(n))
    lines = [f"d = {{{items}}}", "s = 0.0", "for k in d:", "    for v in d.values():", "        s += (d[k] * v).sum()"]
    return BlowUp(body(*lines, "return s"), arrays)


def list_of_arrays(n: int) -> BlowUp:
    lines = ["s = 0.0", "for a in x:", "    for b in x:", "        s += (a * b).sum()", "return s"]
    return BlowUp(body(*lines), lambda: ([np.arange(4.0) + k for k in range(n)], 3))


def dict_of_arrays(n: int) -> BlowUp:
    lines = ["s = 0.0", "for k in x:", "    for v in x.values():", "        s += (x[k] * v).sum()", "return s"]
    return BlowUp(body(*lines), lambda: ({f"k{k}": np.arange(4.0) + k for k in range(n)}, 3))


def unrolled_in_unrolled(n: int) -> BlowUp:
    """`n` loops inside each other, each over a tuple of several types."""
    lines = ["s = 0.0", *("    " * k + f"for i{k} in (1, 2.5, True):" for k in range(n))]
    lines += ["    " * n + "s += x * " + " * ".join(f"i{k}" for k in range(n)), "return s"]
    return BlowUp(body(*lines), numbers)


def comprehension_nest(n: int) -> BlowUp:
    return BlowUp(body("return " + "[" * n + "x" + "".join(f" for i{k} in range(2)]" for k in range(n))), numbers)


def comprehension_loops(n: int) -> BlowUp:
    return BlowUp(body("return sum([x" + "".join(f" for i{k} in (1, 2.0)" for k in range(n)) + "])"), numbers)


def zipped(n: int) -> BlowUp:
    return BlowUp(
        body("s = 0.0", f"for t in zip({', '.join(['x'] * n)}):", "    s += t[0] + t[-1]", "return s"), arrays
    )


def loop_over_a_text(n: int) -> BlowUp:
    return BlowUp(body("s = 0", f"for c in '{'ab' * n}':", "    s += c == 'a'", "return s"), numbers)


# --- calls ------------------------------------------------------------------------------------------------------------


def helpers_that_call_twice(n: int) -> BlowUp:
    helpers = "def h0(x):\n    return x * 0.5\n"
    helpers += "".join(f"def h{k}(x):\n    return h{k - 1}(x) + h{k - 1}(x + 1)\n" for k in range(1, n + 1))
    return BlowUp(helpers + f"def f(x, n):\n    return h{n}(x)\n", numbers)


def helpers_with_arrays(n: int) -> BlowUp:
    helpers = "def h0(x, y):\n    y[0] += x[1]\n    return x * 0.5\n"
    helpers += "".join(
        f"def h{k}(x, y):\n    a = h{k - 1}(x, y)\n    return h{k - 1}(a + 1, y) + a\n" for k in range(1, n + 1)
    )
    return BlowUp(helpers + f"def f(x, n):\n    return h{n}(x, x.copy())\n", arrays)


def helpers_with_constants(n: int) -> BlowUp:
    helpers = "def h0(x, k):\n    return x * k\n"
    helpers += "".join(
        f"def h{k}(x, k):\n    return h{k - 1}(x, 2 * k) + h{k - 1}(x, 2 * k + 1)\n" for k in range(1, n + 1)
    )
    return BlowUp(helpers + f"def f(x, n):\n    return h{n}(x, 1)\n", numbers)


def helpers_in_a_chain(n: int) -> BlowUp:
    helpers = "def h0(x):\n    return x * 0.5\n"
    helpers += "".join(f"def h{k}(x):\n    return h{k - 1}(x) + 1\n" for k in range(1, n + 1))
    return BlowUp(helpers + f"def f(x, n):\n    return h{n}(x)\n", numbers)


def helper_called_often(n: int) -> BlowUp:
    helper = "def h(x, k):\n    if k > 3:\n        return x - k\n    return x + k\n"
    return BlowUp(helper + body("s = x", *(f"s = h(s, n + {k})" for k in range(n)), "return s"), numbers)


def methods_that_call_twice(n: int) -> BlowUp:
    methods = "".join(
        f"    def m{k}(self, x):\n        return self.m{k - 1}(x) + self.m{k - 1}(x + self.k)\n"
        for k in range(1, n + 1)
    )
    head = "class A:\n    def __init__(self, k):\n        self.k = k\n    def m0(self, x):\n        return x * self.k\n"
    return BlowUp(head + methods + f"def f(x, n):\n    return A(n).m{n}(x)\n", numbers)


def nested_closures(n: int) -> BlowUp:
    lines = ["    " * k + f"def g{k}(y{k}):" for k in range(n)]
    lines.append("    " * n + "return x + " + " + ".join(f"y{k}" for k in range(n)))
    lines += ["    " * k + f"return g{k}({k})" for k in reversed(range(n))]
    return BlowUp(body(*lines), numbers)


def closures_that_call_twice(n: int) -> BlowUp:
    lines = ["def g0(y):", "    return x * y"]
    lines += [part for k in range(1, n + 1) for part in (f"def g{k}(y):", f"    return g{k - 1}(y) - g{k - 1}(y + 1)")]
    return BlowUp(body(*lines, f"return g{n}(1.0)"), numbers)


def lambdas_of_lambdas(n: int) -> BlowUp:
    lines = ["g = lambda y: y + x", *("g = (lambda h: lambda y: h(h(y)))(g)" for _ in range(n)), "return g(1.0)"]
    return BlowUp(body(*lines), numbers)


def mutual_recursion(n: int) -> BlowUp:
    names = [f"r{k}" for k in range(n)]
    text = "".join(
        f"def {name}(x, n):\n    if n <= 0:\n        return x\n    return {' + '.join(f'{m}(x, n - 1)' for m in names)}\n"
        for name in names
    )
    return BlowUp(text + "def f(x, n):\n    return r0(x, n)\n", lambda: (1.5, 2))


def recursion_over_constants(n: int) -> BlowUp:
    text = "def r(x, k):\n    if k == 0:\n        return x\n    return r(x + 1, k - 1) + r(x + 2, k - 1)\n"
    return BlowUp(text + f"def f(x, n):\n    return r(x, {n})\n", numbers)


def recursion_over_tuples(n: int) -> BlowUp:
    text = "def r(t):\n    if not t:\n        return 0.0\n    return t[0] + r(t[1:])\n"
    return BlowUp(text + f"def f(x, n):\n    return r(({', '.join(['x'] * n)},))\n", numbers)


def growing_tuple_recursion(n: int) -> BlowUp:
    text = f"def r(t):\n    if len(t) > {n}:\n        return t\n    return r((*t, t[0]))\n"
    return BlowUp(text + "def f(x, n):\n    return len(r((x,)))\n", numbers)


def generators_in_generators(n: int) -> BlowUp:
    text = "def g0(x):\n    yield x\n    yield x + 1\n"
    text += "".join(
        f"def g{k}(x):\n    for v in g{k - 1}(x):\n        yield v\n        yield v * 2\n" for k in range(1, n + 1)
    )
    return BlowUp(text + f"def f(x, n):\n    s = 0.0\n    for v in g{n}(x):\n        s += v\n    return s\n", numbers)


def decorators(n: int) -> BlowUp:
    text = "def d(h):\n    def w(*args):\n        return h(*args) + 1\n    return w\n"
    return BlowUp(text + "@d\n" * n + "def g(x):\n    return x\n" + "def f(x, n):\n    return g(x)\n", numbers)


def wide_class_hierarchy(n: int) -> BlowUp:
    text = "class C0:\n    def m(self, x):\n        return x\n"
    text += "".join(
        f"class C{k}(C{k - 1}):\n    def m(self, x):\n        return super().m(x) + {k}\n" for k in range(1, n + 1)
    )
    return BlowUp(text + f"def f(x, n):\n    return C{n}().m(x)\n", numbers)


def choice_of_classes(n: int) -> BlowUp:
    text = "".join(f"class C{k}:\n    def m(self, x):\n        return x + {k}\n" for k in range(n))
    arms = [line for k in range(n) for line in (f"{'el' if k else ''}if n == {k}:", f"    c = C{k}()")]
    return BlowUp(text + body(*arms, "return c.m(x) + c.m(x + 1)"), numbers)


def choice_of_functions(n: int) -> BlowUp:
    text = "".join(f"def g{k}(x):\n    return x + {k}\n" for k in range(n))
    arms = [line for k in range(n) for line in (f"{'el' if k else ''}if n == {k}:", f"    c = g{k}")]
    return BlowUp(text + body(*arms, "return c(x) + c(x + 1)"), numbers)


def choices_combined(n: int) -> BlowUp:
    """Variables of three types each in one call."""
    lines = []
    for k in range(n):
        lines += [f"v{k} = 1", f"if x > {k}:", f"    v{k} = np.float32(x)", f"elif n > {k}:", f"    v{k} = None"]
    return BlowUp(
        HEAD + "def g(*v):\n    return v\n" + body(*lines, f"return g({', '.join(f'v{k}' for k in range(n))})"), numbers
    )


# --- arrays -----------------------------------------------------------------------------------------------------------


def many_dimensions(n: int) -> BlowUp:
    return BlowUp(body("return x + 1.0"), lambda: (np.zeros((1,) * n), 3))


def many_dimensions_and_a_sum(n: int) -> BlowUp:
    return BlowUp(body("return (x * x.T).sum(), x.max(axis=-1)"), lambda: (np.ones((1,) * (n - 2) + (2, 2)), 3))


def many_new_axes(n: int) -> BlowUp:
    return BlowUp(body(f"return x[{'None, ' * n}:] * 2"), arrays)


def strided_dimensions(n: int) -> BlowUp:
    return BlowUp(body("return (x + 1.0).sum()"), lambda: (np.zeros((2,) * n)[(slice(None, None, 2),) * n], 3))


def einsum_of_many(n: int) -> BlowUp:
    return BlowUp(body(f"return np.einsum('{','.join(['i'] * n)}->i', {', '.join(['x'] * n)})"), arrays)


def joined_arrays(n: int) -> BlowUp:
    return BlowUp(body(f"return np.concatenate(({', '.join(['x'] * n)}))"), arrays)


def stacked_arrays(n: int) -> BlowUp:
    return BlowUp(body(f"return np.stack([{', '.join(f'x + {k}' for k in range(n))}]).sum()"), arrays)


def polynomial(n: int) -> BlowUp:
    return BlowUp(body("y = x", *(f"y = y * x + {k}" for k in range(n)), "return y"), arrays)


def stencils_of_stencils(n: int) -> BlowUp:
    return BlowUp(body("y = x", *("y = y + np.roll(y, 1) - np.roll(y, -1)" for _ in range(n)), "return y"), arrays)


def masks_of_masks(n: int) -> BlowUp:
    return BlowUp(body("y = x", *(f"y = y[y > {-k}]" for k in range(n)), "return y"), arrays)


# --- calls that differ ------------------------------------------------------------------------------------------------


def list_lengths(n: int) -> BlowUp:
    return BlowUp(body("s = 0.0", "for v in x:", "    s += v", "return s"), lambda: ([[1.5] * k for k in range(n)],), n)
