"""What `explain()` tells, whole, for functions that each show one thing. `pytest tests/explain --update-golden` writes the texts anew: read every sentence against the program.

The target "null" stands for a machine with 4 threads and AVX-512, so the texts are the same everywhere.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import soljit as sol
from tests.explain.functions import CALLS

TEXTS = Path(__file__).with_name("texts")


@pytest.mark.parametrize("name", CALLS)
def test_the_text_is_what_it_was(name: str, request: pytest.FixtureRequest) -> None:
    f, arguments = CALLS[name]
    compiled = sol.jit(target="null", strict=True)(f)
    compiled(*arguments())
    first = f.__code__.co_firstlineno
    told = _without_numbers(compiled.explain(), first, f.__code__.co_filename)
    path = TEXTS / f"{name}.txt"
    if request.config.getoption("--update-golden"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(told)
    assert told == path.read_text()


def _without_numbers(text: str, first: int, file: str) -> str:
    """The text with lines counted from the function's first, so that functions above it may change."""
    from soljit.runtime.variants.inspected_lines import absolute_lines, relative_lines

    text = absolute_lines(relative_lines(text, first), 1)
    lines = [line.rstrip() for line in text.replace(file, "functions.py").splitlines()]
    return (
        "\n".join(
            f"{int(n) - first + 1:4} |{rest}" if (n := line.partition(" |")[0]).strip().isdigit() else line
            for line in lines
            for rest in [line.partition(" |")[2]]
        )
        + "\n"
    )
