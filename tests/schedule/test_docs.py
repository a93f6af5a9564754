"""docs/schedules.md: its examples run and print what stands there, and its table lists the steps there are."""

from __future__ import annotations

import contextlib
import io
import linecache
import re
from pathlib import Path
from typing import Any

from soljit.schedule.steps import FORMS

PAGE = Path(__file__).parents[2] / "docs" / "schedules.md"


def test_examples_print_what_stands_below_them() -> None:
    text = PAGE.read_text("utf-8")
    names: dict[str, Any] = {"__name__": "example"}
    blocks = re.findall(r"```(\w*)\n(.*?)```", text, re.DOTALL)
    for k, (language, block) in enumerate(blocks):
        if language != "python":
            continue
        file = f"<example {k} of schedules.md>"
        padded = "\n" * (0 if k == 0 else 100) + block
        linecache.cache[file] = (len(padded), None, padded.splitlines(keepends=True), file)
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(padded, file, "exec"), names)  # noqa: S102
        if out.getvalue():
            assert out.getvalue().strip() == blocks[k + 1][1].strip()


def test_the_table_lists_all_steps() -> None:
    rows = re.findall(r"^\| `(.*?)` \| (.*?) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert rows == [(f.usage, f.does) for f in FORMS.values()]
