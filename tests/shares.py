"""A share of the tests, drawn by a seed: `pytest tests/differential --share 0.1 --share-seed 7` runs about a tenth of them, the same ones each time.

Of a test that is marked with `@pytest.mark.share(0.5)` about half of the cases run, drawn by SOL_TEST_SEED; the others are slow tests. So are
tables marked of which each case takes its time and is much like its neighbours: another seed runs others, `-m "slow or not slow"` runs all.
"""

from __future__ import annotations

import hashlib
import os

import pytest

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


def mark_slow(items: list[pytest.Item]) -> None:
    """Make slow tests of the cases that the share of their test does not have."""
    for item in items:
        share = item.get_closest_marker("share")
        if share is not None and drawn(item.nodeid, f"case {SEED}") >= share.args[0]:
            item.add_marker("slow")


def drawn(nodeid: str, seed: str) -> float:
    """A number in [0, 1) that hangs on nothing but the test's name and the seed."""
    return int.from_bytes(hashlib.sha256(f"{seed} {nodeid}".encode()).digest()[:8], "big") / 2**64
