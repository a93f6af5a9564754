"""Random nests of try, except, else and finally with break, continue and return, around changes of arrays and
exceptions that Python and NumPy really raise: subscripts, divisions, shapes, keys, own exceptions.
"""

from __future__ import annotations

import random

from tests.fuzz.growth import INDENT, Growth, ending

PRELUDE = """class Own(ValueError):
    pass


class Other(Exception):
    def __init__(self, code, u=None):
        super().__init__(f'code {code}')
        self.code = code


def risky(u, k):
    u[0] += 1
    if k > 2:
        raise Own(f'k is {k}')
    u[k] = 7
    return 1 // k


def careful(u, k):
    try:
        return risky(u, k)
    except IndexError:
        u[-1] = -1
        return 0.5
    finally:
        u[0] -= 2


class Guard:
    def __init__(self, u, quiet):
        self.u = u
        self.quiet = quiet

    def __enter__(self):
        self.u[0] += 10
        return self

    def __exit__(self, kind, error, at):
        self.u[0] -= 5
        return self.quiet and kind is not None
"""
# What may raise, depending on the values.
RISKS = (
    "a[k] = y", "y = a[k + y]", "y = 6 // k", "y = 7 % (k - 1)", "a[:2] = b", "a += b[1:]", "a[:] = b[:2]", "y = risky(a, k)", "risky(b, k)",
    "y = careful(a, k + 2)", "y = careful(b, k)", "raise Own('own')", "raise Other(k)", "raise ValueError(f'y {y}')", "raise KeyError(k)",
    "if a[0] > 3:\n    raise Own('big')", "if k > 1:\n    raise IndexError('k')", "assert a[0] < 4, 'no'", "assert k < 2",
    "y = {'p': 1, 'q': a}['pqr'[k]]", "y = [1, a[0]][k]", "y = int('12x'[:k + 1])", "y = np.zeros(3).reshape(k, 3)[0, 0]", "y = a @ b[:k]",
    "y = math.sqrt(k - 1)", "y = float('nope'[k:])", "b[3 * k] += 1", "y = np.arange(3)[k * 2]", "y = a.reshape(2, -1).sum()", "y = (1, 2)[k]",
    "z, y = a[:k]", "y = np.linalg.inv(np.zeros((k, 2)))[0, 0]", "np.add(a, b, out=b[1:])", "y = [3, 4].index(k)", "y = max(a[k:])",
    "y = a[k:].max()", "raise StopIteration", "y = next(iter(()))",
)  # fmt: skip
STEPS = (
    "a[0] += 1", "b[-1] = k", "y += 1", "y = k", "a *= 2", "print('at', k, y)", "z = y", "a = a + 1", "b = a", "y = a[0]", "log.append(k)", "k += 1",
    "print(a)", "pass", "b[:] = b[::-1]",
)  # fmt: skip
RESULTS = ("y", "k", "a", "a[0]", "(y, k)", "None", "a * 2", "b", "-1", "'r'", "a[1:]", "1 // k", "log")
CLASSES = (
    "IndexError", "ValueError", "ZeroDivisionError", "Own", "Other", "KeyError", "Exception", "LookupError", "(IndexError, ValueError)",
    "ArithmeticError", "AssertionError", "TypeError", "RuntimeError", "StopIteration",
)  # fmt: skip
HEADS = (
    "for k in range(4):", "for k in range(n):", "for q in (1, 0, 2):", "for i in range(2):", "while y < 3 and w < 9:", "for k, q in enumerate(a):",
    "for k in (0, 2, 5):",
)  # fmt: skip


def program(seed: int, size: int = 4) -> str:
    """The source of one program (with `f` and `calls`)."""
    return ending(lambda r: _write(r, size), f"tries {seed}")


def _write(r: random.Random, size: int) -> str:
    grown = Growth(r, "import math\n\n\n" + PRELUDE)
    body = ["y = 0", "z = 1", "w = 0", f"k = {r.choice('n012')}", "log = []"]
    body += [s for _ in range(r.randint(1, 2)) for s in _statement(r, 2 + (size > 3), False, False)]
    result = r.choice(("y, a, b", "y, z, k", "a", "y, a, log", "k, b, a"))
    if r.random() < 0.4:  # as a helper, whose exceptions are handled by its caller
        text = "def h(a, b, n):\n" + "\n".join(INDENT + s for s in [*body, f"return {result}"])
        grown.prelude += "\n\n" + text + "\n"
        body = [
            "y = 1",
            "for k in range(n):",
            "    try:",
            "        y = h(a, b, k)",
            f"    except {r.choice(CLASSES)} as e:",
            "        print(repr(e))",
            "        y = k",
        ]
        result = "y, a"
    grown.lines = body
    return grown.source(result)


def _block(r: random.Random, depth: int, loop: bool, handler: bool) -> list[str]:
    out = [s for _ in range(r.randint(1, 2)) for s in _statement(r, depth, loop, handler)]
    return [INDENT + s for s in out]


def _statement(r: random.Random, depth: int, loop: bool, handler: bool) -> list[str]:
    kind = r.random()
    if depth == 0 or kind < 0.2:
        return r.choice(STEPS).split("\n")
    if kind < 0.4:
        return r.choice(RISKS).split("\n")
    if kind < 0.5:
        leave = [
            f"return {r.choice(RESULTS)}",
            *(["break", "continue"] if loop else []),
            *(["raise", "raise", "raise Own('again')", "raise Other(2) from None"] if handler else []),
        ]
        test = r.choice(("a[0] > 2", "y > 1", "k == 1", "k < 1", "b[0] < a[0]", "not y", ""))
        return [f"if {test}:", INDENT + r.choice(leave)] if test else [r.choice(leave)]
    if kind < 0.58:
        test = r.choice(("a[0] > 2", "y > 1", "k == 1", "k < n"))
        out = [f"if {test}:", *_block(r, depth - 1, loop, handler)]
        return [*out, "else:", *_block(r, depth - 1, loop, handler)] if r.random() < 0.5 else out
    if kind < 0.7:
        head = r.choice(HEADS)
        out = [
            head,
            *([INDENT + "y += 1", INDENT + "w += 1"] if head.startswith("while") else []),
            *_block(r, depth - 1, True, handler),
        ]
        return [*out, "else:", *_block(r, depth - 1, loop, handler)] if r.random() < 0.25 else out
    if kind < 0.76:
        return [
            f"with Guard({r.choice('ab')}, {r.choice(('True', 'False', 'k > 1'))}){r.choice(('', ' as g'))}:",
            *_block(r, depth - 1, loop, handler),
        ]
    return _try(r, depth, loop, handler)


def _try(r: random.Random, depth: int, loop: bool, handler: bool) -> list[str]:
    out = ["try:", *_block(r, depth - 1, loop, handler)]
    if r.random() < 0.8:
        out += [INDENT + s for s in r.choice(RISKS).split("\n")]
    handlers = 0 if r.random() < 0.2 else r.choice((1, 1, 2))
    for kind in r.sample(CLASSES, handlers):
        named = r.random() < 0.5
        out += [f"except {kind}{' as e' if named else ''}:"]
        if named:
            out += [
                INDENT
                + r.choice(
                    (
                        "print(e)",
                        "print(type(e).__name__, e)",
                        "log.append(str(e))",
                        "y = len(str(e))",
                        "print(repr(e))",
                        "y = len(e.args)",
                    )
                )
            ]
        out += _block(r, depth - 1, loop, True)
    if handlers and r.random() < 0.15:
        out += ["except:", *_block(r, depth - 1, loop, True)]
    if handlers and r.random() < 0.35:
        out += ["else:", *_block(r, depth - 1, loop, handler)]
    if not handlers or r.random() < 0.4:
        out += ["finally:", *_block(r, depth - 1, loop, handler)]
    return out
