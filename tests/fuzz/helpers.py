"""Random helpers that change their arguments, give views of them, and call each other: called several times in one
expression, in loops, with defaults, keywords and `*args`, so that the order of effects shows.
"""

from __future__ import annotations

import random

from tests.fuzz.growth import Growth, NoName, ending

SIGNATURES = (
    "u, v=2", "u, v", "u, v=1, *, k=3", "u, v=0, *rest", "u, v=1, *rest, k=2", "u, *, v=1", "u, v=1, **more",
)  # fmt: skip
BODY = (
    "u[0] += v", "u *= 2", "u[1:] = u[:-1]", "u = u + 1", "u -= v", "u[-1] = v", "u[:] = u[::-1]", "v += 1", "v = u[0]", "u = u[1:]",
    "print('h', v, u)", "if v > 1:\n    u[0] = 5\nelse:\n    u = u * 1", "if u[0] > v:\n    return u", "if v > 3:\n    return 0.5",
    "for i in range(2):\n    u[0] += i", "v, u[0] = u[0], v", "w = u[::-1]\nw[0] = v", "while v < 3:\n    v += 1\n    u[-1] -= 1", "u.sort()",
    "if u.ndim != 1:\n    raise ValueError(f'bad {v}')", "for i in (0, 2):\n    if u[0] > i:\n        v = u[0]\n    u[-1] += v",
    "for i, s in enumerate([1, 2]):\n    if u[i - 1] > v:\n        v = u[0]\n    else:\n        v = s\n    print('l', v, s)",
    "for s in (u, u[::-1]):\n    try:\n        if s[0] > v:\n            raise ValueError\n        v = s[0]\n    except ValueError:\n        v = 2\n    u[0] += v",
)  # fmt: skip
RESULTS = (
    "u", "u[1:]", "u[::-1]", "(u, v)", "u[0]", "u[0] + v", "v", "None", "u.copy()", "u * 2", "u if v > 2 else u[:-1]", "u[0], u[-1]", "u.sum()",
    "u, u[:2]", "(v, u[0]), u", "[u, v]", "{'u': u, 'v': v}", "u[0] > v", "len(u)",
)  # fmt: skip
CALLS = (
    "<H>(<A>)", "<H>(<A>, <S>)", "<H>(<A>, <S>)", "<H>(<A>, v=<S>)", "<H>(v=<S>, u=<A>)", "<H>(<A>, <S>, <S>)", "<H>(<A>, <S>, k=<S>)",
    "<H>(<A>, *(<S>, <S>))", "<H>(<A>, **{'v': <S>})", "<H>(<E>, <E>)", "<H>(<A>, <E>)", "<H>(<E>)", "<H>(<A>, <S>, *[<E>, 1])",
    "<H>(k=<E>, u=<A>, v=<E>)", "<E>[0]", "<E>[1]",
)  # fmt: skip
TEMPLATES = (
    "<N> = <E>", "<N> = <E>", "<N1>, <N2> = <E>", "<N> = <E> + <E>", "<N> = (<E> - <E>) * <E>", "<A1>[<I>] = <E>", "<A1>[:] = <E>", "a[<I>] += <E>",
    "a += <E>", "b[0], a[-1] = <E>, <E>", "a[:], b[:] = <E>, <E>", "<N> = [<E>, <E>]", "<N> = (<E>, a[0], <E>)", "print(<E>, <E>, a)",
    "print(f'{<E>} {<E>} {b}')", "<N> = {'p': <E>, 'q': <E>}", "<N> = <E> if <C> else <E>", "<E>", "a[0] = <S>", "for i in range(n):\n    <N> = <E>",
    "for i in range(3):\n    <B>", "if <E> > <E>:\n    <B>\nelse:\n    <B>", "for q in <E>:\n    a[0] += q", "<N> = [<E> for i in range(3)]",
    "<N> = sum(<E> for i in range(n))", "<N> = <E> < <E> < <E>", "<N> = <E> or <E>", "<N> = np.array([<E>, <E>])",
    "<N> = 0\nwhile <N1> < 2:\n    <N1> = <N1> + 1\n    <B>", "<N1> = 0\nwhile <N1> < 2:\n    <N1> += 1\n    <B>", "<N> = max(<E>, <E>)",
    "a[int(<E>) % 2] = <E>", "a[int(<E>) % 2] += <E>", "b[:2] = <E>, <E>", "<N> = a[0] + <E> + a[0]", "<N> = np.where(<A1> > <E>, <A1>, <E>)",
    "<N1>, *<N2> = <E>", "assert <E> is not None", "<N> = <A1> is <E>", "with np.errstate(all='ignore'):\n    <B>", "<N> = <A1>[0] * <E> + <A1>[0]",
)  # fmt: skip


def program(seed: int, size: int = 8) -> str:
    """The source of one program (with `f` and `calls`)."""
    return ending(lambda r: _write(r, size), f"helpers {seed}")


def _write(r: random.Random, size: int) -> str:
    names = [f"h{k}" for k in range(r.randint(1, 3))]
    grown = Growth(r, "\n\n\n".join(_helper(r, name, names[:k]) for k, name in enumerate(names)), TEMPLATES)
    depth = [0]

    def call() -> str:
        depth[0] += 1
        if depth[0] > 40:
            raise NoName
        return r.choice(CALLS)

    grown.places |= {"E": call, "H": lambda: r.choice(names)}
    for _ in range(r.randint(2, 2 + size)):
        depth[0] = 0
        grown.grow(1)
    return grown.finished()


def _helper(r: random.Random, name: str, others: list[str]) -> str:
    """The text of one helper, which may call those before it."""
    signature = r.choice(SIGNATURES)
    body = [*BODY, *(["v += k", "u[0] = k"] * 3 if "k=" in signature else [])]
    body += ["for q in rest:\n    u[0] += q", "v += len(rest)", "u[-1] = sum(rest)"] * 2 if "rest" in signature else []
    body += ["v = len(more)", "v += more.get('k', 1)"] if "more" in signature else []
    for h in others:
        body += [f"v = {h}(u)", f"{h}(u[1:])", f"{h}(u)", f"u = {h}(u)", f"u[0] = {h}(u, v=2)", f"p = {h}(u)\nv += 1"]
    lines = [line for _ in range(r.randint(0, 4)) for line in r.choice(body).split("\n")]
    results = [*RESULTS, *(f"{h}(u, v=v)" for h in others), *(f"({h}(u), u[0])" for h in others)]
    lines += [f"return {r.choice(results)}"] if r.random() < 0.93 else ["v += 1"]
    return f"def {name}({signature}):\n" + "\n".join("    " + s for s in lines)
