"""No compiled code is used when something that it relied on has changed: the table of `staleness.txt`, in one process and in a second one.

Each change is made after the function was compiled, and the compiled function must then do what the undecorated one does. The quick tests take each
change in one place and without a C++ compiler; the slow ones take all places, and the dispatcher in C.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from tests.attacks import staleness
from tests.attacks.staleness import Case

EVERY = list(staleness.cases())
PLACES = list(staleness.PLACES)
QUICK = [
    c
    for k, (_, group) in enumerate(itertools.groupby(EVERY, lambda c: (c.thing, c.number)))
    for c in [list(group)[k % len(PLACES)]]
]
_SECOND = """
import json, sys, warnings
warnings.simplefilter("ignore")
from tests.attacks import staleness
folder, what = sys.argv[1:]
sys.path.insert(0, folder)
print(json.dumps(staleness.in_process(json.load(open(folder + "/cases.json")), changed=what == "changed")))
"""


def both(case: Case, folder: Path) -> None:
    """The function before and after the change, plain and compiled."""
    staleness.write(case, folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        f, space = staleness.load(case)
        before = staleness.seen(f.python, 2)
        assert staleness.seen(f, 2) == before
        assert staleness.seen(f, 2) == before
        shared = staleness.shared_modules()
        try:
            staleness.change(case, space)
            after, found = staleness.seen(f.python, 2), [staleness.seen(f, 2) for _ in range(2)]
        finally:
            staleness.undo(shared)
    assert after != before, "the change changes nothing: the test cannot fail"
    stale = [x for x in found if x != after and not x.startswith("Unforeseen")]  # which says that something has changed
    assert not stale, (case.change, after)


# An instance has no fingerprint, so what calls a method of one that exists before the call is compiled anew in each process.
NEVER_KEPT = {"method of an instance outside"}


def in_second_process(cases: list[Case], folder: Path) -> None:
    """What one process compiled, a second one finds on disk: it must see what has changed in between."""
    for case in cases:
        staleness.write(case, folder)
    (folder / "cases.json").write_text(json.dumps([c.id for c in cases]))
    environment = {
        **os.environ,
        "SOL_CACHE": "1",
        "SOL_CACHE_DIR": str(folder / "cache"),
        "SOL_TARGET": os.environ.get("SOL_TARGET", "null"),
    }
    said = {}
    for what in ("first", "again", "changed"):
        root = Path(__file__).parents[2]
        command = [sys.executable, "-c", _SECOND, str(folder), what]
        made = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=root, check=False)
        assert made.returncode == 0, made.stderr
        said[what] = json.loads(made.stdout)
    for what in said:
        right = [(i, want, got) for i, (want, got, _) in said[what].items() if not got.startswith("Unforeseen")]
        wrong = [(i, want, got) for i, want, got in right if want != got]
        assert not wrong, what
    found = [i for i, (_, _, origin) in said["again"].items() if origin == "cache"]
    if {c.place for c in cases} <= NEVER_KEPT:
        assert not found, "this is kept now: test it, and say so in docs/runtime.md"
        return
    assert len(found) > len(cases) / 2, "hardly anything is found on disk: the test tests nothing"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("SOL_CACHE", "0")
    return tmp_path


@pytest.mark.share(0.3)
@pytest.mark.parametrize("case", QUICK, ids=lambda c: c.id)
def test_nothing_is_stale(case: Case, folder: Path) -> None:
    with staleness.target("null"):
        both(case, folder)


@pytest.mark.slow
@pytest.mark.parametrize("case", [c for c in EVERY if c not in QUICK], ids=lambda c: c.id)
def test_nothing_is_stale_in_other_places(case: Case, folder: Path) -> None:
    with staleness.target("null"):
        both(case, folder)


@pytest.mark.slow
@pytest.mark.parametrize("case", QUICK, ids=lambda c: c.id)
def test_the_dispatcher_in_c_sees_it(case: Case, folder: Path) -> None:
    with staleness.target("openmp"):
        both(case, folder)


@pytest.mark.parametrize("case", QUICK[::12], ids=lambda c: c.id)
def test_the_dispatcher_in_c_sees_some(case: Case, folder: Path) -> None:
    with staleness.target("openmp"):
        both(case, folder)


def test_nothing_is_stale_in_a_second_process(folder: Path) -> None:
    in_second_process(QUICK[::6], folder)


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_nothing_is_stale_in_a_second_process_wherever(place: str, folder: Path) -> None:
    in_second_process([c for c in EVERY if c.place == place], folder)
