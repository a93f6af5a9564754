"""The examples of docs/semantics.md: the undecorated function gives what stands there, and the compiled one the same, or the difference that stands there.

A block holds functions and classes, then lines `call  # → result`, `call  # → NameOfAnError`, `call  # NumPy: result, compiled: result`, or
`call  # either: words`, where the page leaves the result open.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import pytest

from tests import oracle

PAGE = Path(__file__).resolve().parents[2] / "docs" / "semantics.md"
LINE = re.compile(r"(?P<call>.+?)  # (?P<kind>→|NumPy:|either:) (?P<want>.+)")


def examples() -> Iterator[tuple[str, str, str, str]]:
    """Definitions, a call, the kind of its comment and what is expected."""
    for block in re.findall(r"^ *```python\n.*?^ *```$", PAGE.read_text(), re.M | re.S):
        text = textwrap.dedent(block).split("\n", 1)[1].rsplit("\n", 1)[0]
        found = [m for line in text.split("\n") if (m := LINE.fullmatch(line))]
        assert found, f"nothing is called in\n{text}"
        code = "\n".join(line for line in text.split("\n") if not LINE.fullmatch(line))
        yield from ((code, m["call"], m["kind"], m["want"]) for m in found)


EXAMPLES = list(examples())
OF_ARGUMENTS_ALONE = [e for e in EXAMPLES if e[2] == "→" and "rng" not in e[0] and "global " not in e[0]]


def outcome(code: str, call: str, compiled: bool) -> str:
    """What the call gives on definitions of its own: the text of its result on one line, or the class of its exception."""
    name = re.match(r"\w+", call)
    assert name is not None
    f = oracle.function(code, name[0])
    space = f.__globals__ | {name[0]: oracle.compiled(f) if compiled else f}
    try:
        return re.sub(r",\s*\n\s*", ", ", repr(eval(call, space)))  # noqa: S307 (examples of our own)
    except Exception as e:
        return type(e).__name__


@pytest.mark.skipif(bool(oracle.TARGET or oracle.DEVICE), reason="differences are those of the default target")
@pytest.mark.parametrize("code, call, kind, want", EXAMPLES, ids=[call for _, call, _, _ in EXAMPLES])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_example(code: str, call: str, kind: str, want: str) -> None:
    plain, ours = outcome(code, call, compiled=False), outcome(code, call, compiled=True)
    if kind == "→":
        assert (plain, ours) == (want, want)
    elif kind == "NumPy:":
        numpys, compileds = want.split(", compiled: ")
        assert (plain, ours) == (numpys, compileds)
    else:
        assert "Error" not in plain + ours


def arguments(f: Callable[..., Any], call: str) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a call in the text."""
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call)
    value: Callable[[ast.expr], Any] = lambda e: eval(ast.unparse(e), f.__globals__)  # noqa: E731, S307
    return [value(a) for a in node.args], {k.arg: value(k.value) for k in node.keywords if k.arg}


@pytest.mark.parametrize("code, call", [e[:2] for e in OF_ARGUMENTS_ALONE], ids=[e[1] for e in OF_ARGUMENTS_ALONE])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_all_that_a_caller_sees(code: str, call: str) -> None:
    """Not the text of the result alone: types, memory, arguments, messages."""
    f = oracle.function(code, call.split("(")[0])
    assert isinstance(f, FunctionType)
    args, named = arguments(f, call)
    raises = {"ZeroDivisionError": ZeroDivisionError, "ValueError": ValueError, "IndexError": IndexError}
    want = next(e[3] for e in EXAMPLES if e[:2] == (code, call))
    oracle.check(f, *args, raises=raises.get(want), plainly=call.startswith("product"), **named)


def test_examples_use_numpy() -> None:
    """The page was found, and read whole."""
    assert len(EXAMPLES) > 40 and np.__name__ in oracle.function(EXAMPLES[0][0]).__globals__["np"].__name__
