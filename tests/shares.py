"""A share of the tests, drawn by a seed: `pytest tests/differential --share 0.1 --share-seed 7` runs about a tenth of them, the same ones each time.

Of a test that is marked with `@pytest.mark.share(0.3)` about a third of the cases run, drawn by SOL_TEST_SEED; the others are slow tests. So are
tables marked of which each case takes its time and is much like its neighbours: another seed runs others, `-m share` runs all. Of other tables with
more than a dozen cases a third runs. Tests that are named (`file.py::test`, `-k`) run whole.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter

import pytest

MANY = 12  # cases of a table
SHARE_OF_MANY = 0.35
SEED = os.environ.get("SOL_TEST_SEED", "1")


def add_options(parser: pytest.Parser) -> None:
    """The options."""
    parser.addoption("--share", type=float, default=1.0, help="run this share of the tests, drawn by --share-seed")
    parser.addoption("--share-seed", default="1", help="which tests a share has")


def choose(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not in the share."""
    share, seed = config.getoption("--share"), config.getoption("--share-seed")
    if share >= 1:
        return
    left_out = [item for item in items if drawn(item.nodeid, seed) >= share]
    items[:] = [item for item in items if drawn(item.nodeid, seed) < share]
    config.hook.pytest_deselected(items=left_out)


def mark_slow(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Make slow tests of the cases that the share of their test does not have, unless tests are named one by one."""
    if config.option.keyword or any("::" in argument for argument in config.args):
        return
    counts = Counter(table(item) for item in items)
    for item in items:
        marked = item.get_closest_marker("share") or item.get_closest_marker("slow")
        if not marked and counts[table(item)] > MANY:
            item.add_marker(pytest.mark.share(SHARE_OF_MANY))
        share = item.get_closest_marker("share")
        if share is not None and drawn(item.nodeid, f"case {SEED}") >= share.args[0]:
            item.add_marker("slow")


def table(item: pytest.Item) -> str:
    """The test, without the case."""
    return item.nodeid.partition("[")[0]


def drawn(nodeid: str, seed: str) -> float:
    """A number in [0, 1) that hangs on nothing but the test's name and the seed."""
    return int.from_bytes(hashlib.sha256(f"{seed} {nodeid}".encode()).digest()[:8], "big") / 2**64
