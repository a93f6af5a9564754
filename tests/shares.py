"""A share of the tests, drawn by a seed: `pytest tests/differential --share 0.1 --share-seed 7` runs about a tenth of them, the same ones each time."""

from __future__ import annotations

import hashlib

import pytest


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


def drawn(nodeid: str, seed: str) -> float:
    """A number in [0, 1) that hangs on nothing but the test's name and the seed."""
    return int.from_bytes(hashlib.sha256(f"{seed} {nodeid}".encode()).digest()[:8], "big") / 2**64
