"""House rules that a machine can see: short files with a head, no grab-bags, no shells, nothing of one machine."""

from __future__ import annotations

import ast

import pytest

from tests.architecture import sources

LONGEST = 400
# Files that hold more than one idea and are to be split; each may not grow beyond this.
TO_BE_SPLIT: dict[str, int] = {}


def test_files_are_short() -> None:
    lengths = {p.relative_to(sources.ROOT).as_posix(): len(p.read_text().splitlines()) for p in sources.files()}
    long = {name: n for name, n in lengths.items() if n > TO_BE_SPLIT.get(name, LONGEST)}
    assert not long, f"files of more than {LONGEST} lines hold more than one idea: {long}"


def test_every_file_has_a_head() -> None:
    bare = [p.name for p in sources.files() if p.stat().st_size and not ast.get_docstring(sources.tree(p))]
    assert not bare


def test_no_grab_bags() -> None:
    assert not [p for p in sources.files() if p.stem in {"utils", "util", "helpers", "misc", "common"}]


@pytest.mark.parametrize("phrase", ["NotImplementedError", "/home/", "/work/", "/tmp/w"])
def test_phrases_that_do_not_belong(phrase: str) -> None:
    found = [p.relative_to(sources.ROOT).as_posix() for p in sources.files() if phrase in p.read_text()]
    assert not found


FOR_USERS = {"soljit/base/remarks.py", "soljit/schedule/possible_steps.py", "soljit/schedule/recipe.py"}


def test_classes_are_made_quickly() -> None:
    """Only what users are given is made by the standard library's `dataclass`: `soljit/base/records.py` says why."""
    found = {
        p.relative_to(sources.ROOT).as_posix()
        for p in sources.files()
        for n in ast.walk(sources.tree(p))
        if isinstance(n, ast.ImportFrom) and n.module == "dataclasses" and any(a.name == "dataclass" for a in n.names)
    }
    assert found == {*FOR_USERS, "soljit/base/records.py"}
