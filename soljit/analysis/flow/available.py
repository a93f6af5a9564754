"""What was computed before and still is as it was: available expressions, by the memory that they depend on."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Available(Generic[K, V]):
    """What is available at one place of a program, for a walk in program order. What a region adds and forgets is undone at its end.

    Each change is written down as what undoes it, so that neither a region nor a write costs more than what it changes.
    """

    def __init__(self) -> None:
        self._entries: dict[K, V] = {}
        self._readers: dict[str, list[K]] = {}  # by home; keys that are not available any more may be among them
        self._undo: list[tuple[K, V | None] | tuple[str, list[K]]] = []

    def get(self, key: K) -> V | None:
        """What is available under `key`."""
        return self._entries.get(key)

    def add(self, key: K, entry: V, homes: Iterable[str]) -> None:
        """From here on `entry` is available under `key`, which depends on the memory `homes`."""
        self._entries[key] = entry
        self._undo.append((key, None))
        for home in homes:
            self._readers.setdefault(home, []).append(key)

    def forget(self, homes: Iterable[str]) -> None:
        """Something is written to `homes`."""
        for home in homes:
            readers = self._readers.pop(home, None)
            if readers is None:
                continue
            self._undo.append((home, readers))
            for key in readers:
                entry = self._entries.pop(key, None)
                if entry is not None:
                    self._undo.append((key, entry))

    @contextmanager
    def region(self) -> Iterator[None]:
        """Undo at the end what happens within."""
        start = len(self._undo)
        yield
        while len(self._undo) > start:
            match self._undo.pop():
                case str(home), list(readers):
                    self._readers[home] = readers
                case key, None:
                    self._entries.pop(key, None)
                case key, entry:
                    self._entries[key] = entry
