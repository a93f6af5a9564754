"""The up-front check: every place at once, whole sentences."""

from __future__ import annotations

import linecache
import textwrap
from typing import Any

import pytest

from soljit.base.errors import UnsupportedError
from soljit.frontend_ast.syntax.source import FunctionSource, function_ast
from soljit.frontend_ast.syntax.subset import check, findings


def source(text: str) -> FunctionSource:
    text = textwrap.dedent(text).lstrip()
    name = f"<subset test {hash(text)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space: dict[str, Any] = {}
    exec(compile(text, name, "exec"), space)
    return function_ast(space["f"])


def error(text: str) -> str:
    src = source(text)
    with pytest.raises(UnsupportedError) as found:
        check(src)
    return str(found.value).replace(src.file, "FILE")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("async def g(): pass", "an async function is not compiled"),
    ],
)
def test_refused(body: str, message: str) -> None:
    assert message in error(f"def f(a):\n    {body}\n")


@pytest.mark.parametrize(
    "body",
    [
        "return a",
        "global G\n    return G",
        "del a",
        "del a[0]",
        "with np.errstate(all='ignore'):\n        return a / 0",
        "if isinstance(a, int):\n        match a:\n            case 1: pass\n    return a",
        "if a is None:\n        return 0\n    async def g(): pass",
        "def g():\n        yield 1\n    return a",
        "return [x for x in a if x]",
        "try:\n        return a\n    finally:\n        print(a)",
        "return eval('a')",
    ],
)
def test_left_to_lowering(body: str) -> None:
    check(source(f"def f(a):\n    {body}\n"))


def test_one_place_reads_like_every_refusal() -> None:
    text = "def f(a):\n    a = a + 1\n    async def g(): pass\n    return a\n"
    assert error(text) == (
        "FILE:3: in f\n"
        "        async def g(): pass\n"
        "        ^^^^^^^^^^^^^^^^^^^\n"
        "an async function is not compiled\n"
        "hint: define it outside the compiled function"
    )


def test_all_places_are_reported_together() -> None:
    text = "def f(a):\n    with open(a) as g:\n        b = g.read()\n    async def g(): pass\n    return locals()\n"
    assert error(text) == (
        "FILE:2: in f\n"
        "        with open(a) as g:\n"
        "             ^^^^^^^\n"
        "input or output is not compiled\n"
        "hint: do it outside the compiled function\n"
        "FILE:4: in f\n"
        "        async def g(): pass\n"
        "        ^^^^^^^^^^^^^^^^^^^\n"
        "an async function is not compiled\n"
        "hint: define it outside the compiled function\n"
        "FILE:5: in f\n"
        "        return locals()\n"
        "               ^^^^^^^^\n"
        "locals, globals or vars is not compiled\n"
        "hint: name the variables"
    )


def test_uncertain_places_are_known_but_refuse_nothing() -> None:
    src = source("def f(a):\n    if a:\n        async def g(): pass\n    return (a and open(a))\n")
    check(src)
    assert [f.message.split(" is not")[0] for f in findings(src)] == [
        "an async function",
        "input or output",
    ]


def test_lambdas() -> None:
    check(source("f = lambda a: a + 1\n"))
