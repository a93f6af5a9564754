"""Random functions that return from anywhere: out of branches, loops, their else clauses, `with` and `try` blocks."""

from __future__ import annotations

import random

CONDITIONS = ("a[0] > {}", "a[1] > {}", "n > {}", "y > {}", "a[0] > a[1] and y < {}", "not y", "len(a) > {}")
STEPS = (
    "y += 1", "y = y * 2", "a[0] += 1", "a[1] = a[1] - 1", "z = y + 1", "y = int(a[0])", "a[n % 2] = y",
)  # fmt: skip
RESULTS = ("y", "1", "n", "a[0]", "a.sum()", "a * 2", "(y, 1)", "None", "-1.0")
LOOPS = ("for i in range(n):", "for i in range(2):", "for q in (y, 2):", "for q in a:", "while y < 3:")


def program(seed: int) -> str:
    """Source of `f(a, n)`, which calls a helper `h` and returns its result with the array."""
    r = random.Random(seed)
    body = "\n".join(_block(r, 3, False, 1))
    result = r.choice(("y", "z", "y + 100", "a.sum()"))
    return f"def h(a, n):\n    y = 0\n    z = 1\n{body}\n    return {result}\n\ndef f(a, n):\n    r = h(a, n)\n    return r, a\n"


def _block(r: random.Random, depth: int, loop: bool, indent: int) -> list[str]:
    out: list[str] = []
    for _ in range(r.randint(1, 3)):
        made = _statement(r, depth, loop, indent)
        out += made
        if made[0].lstrip().startswith("return"):
            break
    return out


def _statement(r: random.Random, depth: int, loop: bool, indent: int) -> list[str]:
    pad, choice = "    " * indent, r.random()
    cond = r.choice(CONDITIONS).format(r.randint(0, 3))

    def inside(in_loop: bool = loop) -> list[str]:
        return _block(r, depth - 1, in_loop, indent + 1)

    if depth == 0 or choice < 0.22:
        return [pad + r.choice(STEPS)]
    if choice < 0.34:
        return [f"{pad}return {r.choice(RESULTS)}"]
    if choice < 0.68:
        out = [f"{pad}if {cond}:", *inside()]
        if r.random() < 0.3:
            out += [f"{pad}elif a[1] > {r.randint(0, 3)}:", *inside()]
        return [*out, f"{pad}else:", *inside()] if r.random() < 0.5 else out
    if choice < 0.86:
        head = r.choice(LOOPS)
        first = [f"{pad}    y += 1"] if head.startswith("while") else []
        out = [pad + head, *first, *inside(True)]
        return [*out, f"{pad}else:", *inside()] if r.random() < 0.4 else out
    if choice < 0.92 and loop:
        return [f"{pad}if {cond}:", f"{pad}    {r.choice(('break', 'continue'))}"]
    if choice < 0.96:
        return [f"{pad}with np.errstate(all='ignore'):", *inside()]
    if r.random() < 0.5:
        return [f"{pad}try:", *inside(), f"{pad}finally:", f"{pad}    a[1] += 1"]
    return [f"{pad}try:", *inside(), f"{pad}except IndexError:", *inside()]
