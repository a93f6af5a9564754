"""Scopes: what functions bind, read and take from outside; liveness."""

from __future__ import annotations

import ast
import textwrap
from typing import Any

import pytest

from soljit.frontend_ast.syntax.liveness import live_after, liveness
from soljit.frontend_ast.syntax.scopes import assigned_names, captured_names, local_names, names_read

LIMIT = 3


def tree(text: str) -> ast.FunctionDef:
    """The function in `text`, or one with these statements."""
    text = textwrap.dedent(text).strip()
    if not text.startswith("def "):
        text = "def f(a, b, n):\n" + textwrap.indent(text, "    ")
    node = ast.parse(text).body[0]
    assert isinstance(node, ast.FunctionDef)
    return node


def names(text: str) -> set[str]:
    return set(text.split())


@pytest.mark.parametrize(
    ("text", "bound", "read"),
    [
        ("x = a + b", "x", "a b"),
        ("x += 1", "x", "x"),
        ("a[i] = v", "", "a i v"),
        ("a[i] += v", "", "a i v"),
        ("a.x, (y, *z) = v", "y z", "a v"),
        ("del x", "x", "x"),
        ("x: list[T] = v", "x", "v"),
        ("for i, j in p: q = r\nelse: s", "i j q", "p r s"),
        ("with m as f: pass", "f", "m"),
        ("import numpy as np, os.path\nfrom math import sin as s", "np os s", ""),
        ("x = [y * k for y in z if y]", "x", "z k"),
        ("x = [t for y in z for t in y[n]]", "x", "z n"),
        ("x = [(last := y) for y in z]", "x last", "z"),
        ("x = {k: v[w] for k, v in d}", "x", "d w"),
        ("x = y if (z := w) else z", "x z", "y w z"),
        ("g = lambda x, y=d: x + y + k", "g", "d k"),
        ("def g(x, y=d):\n    t = x + k\n    return t", "g", "d k"),
        ("@dec\ndef g():\n    nonlocal n\n    n = 1", "g", "dec n"),
        ("try: x = f()\nexcept E as e: pass", "x e", "f E"),
        ("match v:\n    case [p, *q] | {'k': p, **q}: pass\n    case C(w) as r if g: pass", "p q r w", "v C g"),
        ("x = [i for i in i]", "x", "i"),
    ],
)
def test_bound_and_read(text: str, bound: str, read: str) -> None:
    body = ast.parse(text).body
    assert assigned_names(body) == names(bound)
    assert names_read(body) == names(read)


def test_locals_and_captures() -> None:
    f = tree(
        """
        def f(a, *b, c=1, **d):
            global G
            G = x = 1
            def g(y):
                z = y + x + H
                return lambda w: w + z + a
            return [q for q in b]
        """
    )
    assert local_names(f) == names("a b c d x g")
    assert captured_names(f.body) == names("x H a")
    assert captured_names(ast.parse("s = sum(x * k for x in a)").body) == set()
    assert captured_names(ast.parse("s = zip(x * k for x in a)").body) == {"k", "a"}
    assert captured_names(ast.parse("s = (x * k for x in a)").body) == {"k", "a"}


def after(text: str) -> dict[str, str]:
    """Live names after each statement that stands alone on its line, by that line's text."""
    f = tree(text)
    live = live_after(f)
    return {ast.unparse(s).splitlines()[0]: " ".join(sorted(live[s])) for s in ast.walk(f) if s in live}  # type: ignore[index]


def test_straight_line() -> None:
    live = after("x = a\ny = x\nx = b\nreturn x + y")
    assert live["x = a"] == "b x" and live["y = x"] == "b y" and live["x = b"] == "x y"
    assert live["return x + y"] == ""


def test_branches() -> None:
    live = after("x = a\nif n: x = b\nelse: t = 1\nreturn x")
    assert live["x = b"] == "x" and live["t = 1"] == "x" and live["if n:"] == "x" and live["x = a"] == "b n x"


def test_loops_carry_what_the_next_round_reads() -> None:
    live = after("s = 0\nfor i in range(n):\n    t = a[i]\n    s = s + t\n    last = t\nreturn s")
    assert live["s = s + t"] == "a s t" and live["last = t"] == "a s" and live["s = 0"] == "a n range s"
    f = tree("s = 0\nfor i in range(n):\n    s += a[i]\nreturn s")
    assert liveness(f).head[f.body[1]] == {"a", "s"}


def test_loop_variables_after_the_loop() -> None:
    live = after("for i in a:\n    pass\nreturn i")
    assert live["pass"] == "i"
    live = after("i = 0\nfor i in a:\n    b = 1\nreturn i")
    assert live["i = 0"] == "a i"


def test_while_true_leaves_only_by_break() -> None:
    live = after("while True:\n    x = a\n    if x:\n        break\n    y = 1\nreturn x")
    assert live["x = a"] == "a x" and live["y = 1"] == "a"
    live = after("while n:\n    n = n - 1\n    continue\nelse:\n    b = 2\nreturn b")
    assert live["n = n - 1"] == "n" and live["while n:"] == "b"


def test_early_return_and_raise() -> None:
    live = after("x = a\nif n:\n    return b\nif b:\n    raise ValueError(n)\nreturn x")
    assert live["x = a"] == "ValueError b n x" and live["return b"] == "ValueError b n x"


def test_try() -> None:
    live = after("x = 1\ntry:\n    x = a\n    y = b\nexcept E:\n    return x\nreturn y")
    assert live["x = a"] == "E b x" and live["y = b"] == "y"
    live = after("x = 1\ntry:\n    return a\nfinally:\n    print(x)")
    assert live["x = 1"] == "a print x"


def test_with_errstate_is_transparent_and_other_managers_may_swallow() -> None:
    text = "x = 1\nwith {}:\n    x = a\nreturn x"
    assert after(text.format("np.errstate(all='ignore')"))["x = 1"] == "a np"
    assert after(text.format("suppress(E)"))["x = 1"] == "E a suppress x"


def test_captured_names_stay_live() -> None:
    live = after("k = 1\ng = lambda x: x + k\ns = g(a)\nk = 2\nreturn s")
    assert live["k = 2"] == "k s"


def test_match() -> None:
    live = after("x = 0\nmatch a:\n    case 1: x = b\n    case y: z = y\nreturn x")
    assert live["x = 0"] == "a b x" and live["z = y"] == "x"


def test_every_read_is_live_at_the_definition_that_reaches_it() -> None:
    """Run a function with a traced interpreter: whatever is read must have been live after the last statement."""
    text = """
    def f(a, b, n):
        x, y, z = a, b, 0
        for i in range(n):
            if i % 3 == 0:
                x = y + i
                continue
            elif i % 5 == 4:
                break
            try:
                z = z // (i - 2)
                y = z
            except ZeroDivisionError:
                w = x
                x = w + 1
            finally:
                y = y + 1
            while z > 3:
                z -= 1
                if z == y:
                    break
            else:
                b = x
        else:
            a = y
        return a + b + x + z
    """
    f = tree(text)
    live = liveness(f).after
    marked = _Marker(live).visit(ast.parse(textwrap.dedent(text)))
    plain: dict[str, Any] = {}
    exec(textwrap.dedent(text), plain)
    space: dict[str, Any] = {"_keep": _keep}
    exec(compile(ast.fix_missing_locations(marked), "<marked>", "exec"), space)
    for args in [(1, 2, 0), (1, 2, 3), (5, 7, 5), (9, 1, 4), (30, 100, 12), (0, 40, 9)]:
        assert space["f"](*args) == plain["f"](*args)


def _keep(variables: dict[str, Any], live: tuple[str, ...]) -> list[Any]:
    return [variables.get(n, "unbound") if n in live else "poison" for n in ("a", "b", "n", "i", "x", "y", "z", "w")]


class _Marker(ast.NodeTransformer):
    """Poisons after every simple statement the variables that are not live there."""

    def __init__(self, live: dict[ast.stmt, frozenset[str]]) -> None:
        self.by_line = {s.lineno: names for s, names in live.items() if isinstance(s, ast.Assign | ast.AugAssign)}

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        return self._mark(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        return self._mark(node)

    def _mark(self, node: ast.stmt) -> list[ast.stmt]:
        line = node.lineno - 1  # the text begins with an empty line, which `tree` strips
        live = tuple(sorted(self.by_line[line]))
        return [node, *ast.parse(f"(a, b, n, i, x, y, z, w) = _keep(locals(), {live!r})").body]
