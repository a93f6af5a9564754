"""Ways to make compiled code stale: kinds of things that a function relies on × ways to change them × where it is used.

A `Thing` of `staleness.txt` is the text of definitions, an expression of `x` that uses them, and statements each of which changes what the expression
gives. `write` puts the expression into a function, a helper, a method, or the helper of another module.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
import textwrap
import types
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import soljit as sol
from soljit.base.settings import current

PLACES = {
    "function": """
        @sol.jit
        def f(x):
            return {use}
        """,
    "helper": """
        def helper(x):
            return {use}
        @sol.jit
        def f(x):
            return helper(x)
        """,
    "jitted helper": """
        @sol.jit
        def helper(x):
            return {use}
        @sol.jit
        def f(x):
            return helper(x)
        """,
    "method": """
        class User:
            def ask(self, x):
                return {use}
        @sol.jit
        def f(x):
            return User().ask(x)
        """,
    "method of an instance outside": """
        class User:
            def ask(self, x):
                return {use}
        user = User()
        @sol.jit
        def f(x):
            return user.ask(x)
        """,
    "other module": """
        import {name}_other as other
        @sol.jit
        def f(x):
            return other.helper(x)
        """,
}
HEAD = "import builtins, collections, dataclasses, enum, functools, math, numbers, types, warnings\nimport numpy as np\nimport soljit as sol\n\n"


class Thing(NamedTuple):
    """Definitions, an expression that uses them, statements that change what it gives."""

    name: str
    text: str
    use: str
    changes: tuple[str, ...]


def _thing(text: str) -> Thing:
    name, _, body = text.partition("\n")
    first, *changes = f"\n{body}".split("\n>> ")
    definitions, _, use = first.partition("\n-> ")
    return Thing(name, definitions.strip("\n"), use.strip(), tuple(c.strip("\n") for c in changes))


THINGS = tuple(map(_thing, Path(__file__).with_name("staleness.txt").read_text().split("\n== ")[1:]))


class Case(NamedTuple):
    """One way to make one thing stale, in one place."""

    thing: Thing
    change: str
    place: str
    number: int

    @property
    def id(self) -> str:
        """For pytest."""
        return f"{self.thing.name}-{self.number}-{self.place}".replace(" ", "_")

    @property
    def name(self) -> str:
        """Of the module."""
        return "stale_" + "".join(c if c.isalnum() else "_" for c in self.id)


def cases() -> Iterator[Case]:
    """All of them."""
    for thing in THINGS:
        for number, change in enumerate(thing.changes):
            for place in PLACES:
                yield Case(thing, change, place, number)


def write(case: Case, folder: Path) -> None:
    """The module of a case, and the one beside it."""
    defs = HEAD + textwrap.dedent(case.thing.text) + "\n"
    place = textwrap.dedent(PLACES[case.place]).format(use=case.thing.use, name=case.name)
    if case.place == "other module":
        (folder / f"{case.name}_other.py").write_text(defs + f"def helper(x):\n    return {case.thing.use}\n")
        (folder / f"{case.name}.py").write_text(HEAD + place)
    else:
        (folder / f"{case.name}.py").write_text(defs + place)


def load(case: Case) -> tuple[Any, dict[str, Any]]:
    """The jitted function, new, and the namespace in which its thing lives."""
    importlib.invalidate_caches()
    for name in (f"{case.name}_other", case.name):
        sys.modules.pop(name, None)
    module = importlib.import_module(case.name)
    where = module.other if case.place == "other module" else module
    return module.f, vars(where)


def change(case: Case, space: dict[str, Any]) -> None:
    """What makes the compiled code stale."""
    exec(compile(textwrap.dedent(case.change), "<change>", "exec"), space)  # noqa: S102 (a text of the table)


def seen(function: Any, x: Any) -> str:
    """What a call gives, as text that tells bits and types, or what it raises."""
    try:
        return told(function(x))
    except Exception as e:  # noqa: BLE001 (whatever the function raises is compared)
        return f"{type(e).__name__}: {e}"


def told(value: Any) -> str:
    """A text of a result."""
    if isinstance(value, (float, np.generic, np.ndarray)):
        a = np.asarray(value)
        return f"{type(value).__name__} {a.dtype} {a.shape} {a.tobytes().hex() if a.dtype != object else a!r}"
    if isinstance(value, complex):
        return f"complex {told(value.real)} {told(value.imag)}"
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__}({', '.join(map(told, value))})"
    return f"{type(value).__name__} {value!r}"


Shared = list[tuple[dict[str, Any], dict[str, Any]]]
_ERRORS = np.geterr()


def shared_modules() -> Shared:
    """What changes may put into modules that all cases share: their names, and copies of them."""
    found = [vars(importlib.import_module(name)) for name in ("builtins", "math", "numpy", "functools", "operator")]
    return [(space, dict(space)) for space in found]


def undo(shared: Shared) -> None:
    """Put it back."""
    for space, before in shared:
        for name in [n for n, x in space.items() if n not in before and not isinstance(x, types.ModuleType)]:
            del space[name]
        for name, value in before.items():
            if space.get(name) is not value:
                space[name] = value
    np.seterr(**_ERRORS)


@contextlib.contextmanager
def target(name: str) -> Iterator[None]:
    """Compile for this target."""
    before = current().target
    sol.settings(target=name)
    try:
        yield
    finally:
        sol.settings(target=before)


def in_process(ids: Sequence[str], changed: bool) -> dict[str, tuple[str, str, str]]:
    """For each case what the plain function gives and what the compiled one does, and where that came from."""
    known = {c.id: c for c in cases()}
    found = {}
    for i in ids:
        f, space = load(known[i])
        shared = shared_modules()
        try:
            with warnings.catch_warnings():
                if changed:
                    change(known[i], space)
                want, got = seen(f.python, 2), seen(f, 2)
        finally:
            undo(shared)
        found[i] = want, got, f.report()[0]["origin"] if f.signatures else ""
    return found
