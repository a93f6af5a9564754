"""Python's garbage collector runs less often while a function is compiled, which makes many objects, hardly any of them garbage in a cycle."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

YOUNG = 20_000  # objects between two collections: a tenth of what a short compilation makes


@contextmanager
def fewer_collections() -> Iterator[None]:
    """Let the youngest generation grow to `YOUNG` objects. What others set meanwhile stays; a collector that is off stays off."""
    first, *others = gc.get_threshold()
    if not 0 < first < YOUNG:
        yield
        return
    gc.set_threshold(YOUNG, *others)
    try:
        yield
    finally:
        if gc.get_threshold() == (YOUNG, *others):
            gc.set_threshold(first, *others)
