"""Variants that are made beside the program: the C++ compiler works, or another process goes on with soljit's own part.

When Python ends before a compiler has, another process finishes that, so that the next program finds the variant on disk.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import time
import weakref
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from soljit.base.errors import ArgPlace, ObjectNeeded, SoljitError, ToolchainError, UnsupportedError
from soljit.base.notice import Notice
from soljit.base.python.dependency import Dependency, Path
from soljit.ir.core.signature import ArgType
from soljit.runtime.build.native_dispatcher import preparing
from soljit.runtime.store import temporary
from soljit.runtime.store.cache import Cache
from soljit.runtime.system.continuation import Continuation
from soljit.runtime.values.same_types import same_types
from soljit.runtime.variants.captured import captured_hold, twins_hold
from soljit.runtime.variants.variant import Record, Variant
from soljit.support.unforeseen import Foreseen

if TYPE_CHECKING:
    from soljit.runtime.system.beside import Beside


class Begun(NamedTuple):
    """What soljit's own part of a compilation gives.

    record: complete but for its library, texts and the time of building, if there is something to build
    build:  makes the complete record, with the C++ compiler; None: there is nothing to build
    """

    record: Record
    dependencies: tuple[Dependency, ...]
    build: Callable[[], Record] | None = None

    def built(self) -> Record:
        """The complete record."""
        return self.record if self.build is None else self.build()


class Keep(NamedTuple):
    """Where a record is kept: in this cache under this key (None: nowhere), which holds so many MiB."""

    cache: Cache
    key: str | None
    size: int

    def __call__(self, record: Record) -> str:
        """Keep it; its name there."""
        return "" if self.key is None else self.cache.store(self.key, record, self.size)


class Wanted(NamedTuple):
    """What a variant is made for: the function's name, types of arguments, what is known of calls back, and where its record is kept."""

    name: str
    types: tuple[ArgType, ...]
    foreseen: Foreseen
    keep: Keep


class Needed(NamedTuple):
    """What another process gives instead of a record: the places of arguments that have to be objects."""

    places: tuple[ArgPlace, ...]


class Building:
    """A variant that is made beside the program, until a call of its types takes it.

    begun:   soljit's own part of it; None: another process does that
    fetched: as in `Variant`
    """

    def __init__(
        self, wanted: Wanted, begun: Begun | Continuation, fetched: tuple[tuple[Path, ArgType], ...] = ()
    ) -> None:
        self.wanted, self.fetched = wanted, fetched
        self.name = ""  # of the record in the cache
        self._process, self._variant = os.getpid(), list[Variant]()
        self.begun = begun if isinstance(begun, Begun) else None
        self._work: Beside[Record] | Continuation
        if isinstance(begun, Begun):
            from soljit.runtime.system.beside import Beside

            self._work = Beside(lambda: self._built(begun))
            _compiled_here.add(self)
        else:
            self._work = begun

    def _built(self, begun: Begun) -> Record:
        record = begun.built()
        self.name = self.wanted.keep(record)
        return record

    def is_for(self, types: tuple[ArgType, ...], foreseen: Foreseen) -> bool:
        """Tell whether it is made for calls of these types, with functions made from the same code, that know this of calls back."""
        return same_types(self.wanted.types, types, made_anew=True) and self.wanted.foreseen == foreseen

    def is_over(self) -> bool:
        """Tell whether a call can take the variant, or be told why there is none."""
        return not self._work.is_running() and not any(x.is_running() for x in preparing())

    def is_lost(self) -> bool:
        """Tell whether this is a forked child, in which nobody works on it."""
        return os.getpid() != self._process

    def wait(self, seconds: float | None) -> None:
        """Wait until it is over, at most so long (None: for ever). Afterwards the compiler makes room for the program."""
        end = None if seconds is None else time.perf_counter() + seconds
        waited: list[Beside[Any] | Continuation] = [self._work, *preparing()]
        with Notice(self.wanted.name):
            for x in waited:
                x.wait(None if end is None else max(0.0, end - time.perf_counter()))
        if not self.is_over():
            self._work.yield_to_others()

    def holds(self, function: FunctionType, leaves: Sequence[object]) -> bool:
        """Tell whether what the code relies on is so for a call with these leaves."""
        if self.begun is None:
            return False
        holds = captured_hold(self.begun.dependencies, function, leaves)
        return holds and twins_hold(self.begun.record.twins, function, leaves)

    def record(self) -> Record:
        """The complete record, when it is over; what went wrong is raised."""
        try:
            found = self._work.result()
        except EOFError as e:
            raise ToolchainError(f"compiling beside the program failed: {e}") from None
        if isinstance(found, str):
            raise UnsupportedError(found)
        if isinstance(found, Needed):
            raise ObjectNeeded(*found.places)
        return found

    def has_made(self, record: Record) -> bool:
        """Tell whether this record is the one that was made here."""
        if not self.is_over():
            return False
        with contextlib.suppress(SoljitError):
            return self.record().library == record.library
        return False

    def variant(self) -> Variant:
        """The variant, when it is over; what went wrong is raised."""
        if not self._variant:
            record = self.record()
            library = self.wanted.keep.cache.load_new(record.library)
            captured = self.begun.dependencies if self.begun is not None else ()
            self._variant.append(Variant(self.wanted.types, record, library, captured, self.fetched, "beside"))
        return self._variant[0]


def _told(error: SoljitError) -> str | Needed:
    """What the program is told of an error."""
    return Needed(tuple(error.places)) if isinstance(error, ObjectNeeded) else str(error)


def end_there(process: Continuation, begun: Begun | SoljitError, keep: Keep) -> NoReturn:
    """In the process that goes on: finish what is begun, and keep it."""
    try:
        record = begun.built() if isinstance(begun, Begun) else _told(begun)
        if isinstance(record, Record):
            keep(record)
    except SoljitError as e:
        record = str(e)
    finally:
        temporary.give_back()
        process.end(record)


_compiled_here: weakref.WeakSet[Building] = weakref.WeakSet()


def _finish_elsewhere() -> None:
    """At the end of Python."""
    left = [b for b in _compiled_here if b.wanted.keep.key is not None and not (b.is_lost() or b.is_over())]
    if not left:
        return
    process = Continuation()
    if process.begin():
        try:
            for b in left:
                with contextlib.suppress(SoljitError):
                    assert b.begun is not None
                    b.wanted.keep(b.begun.built())
        finally:
            temporary.give_back()
            process.end(None)


atexit.register(_finish_elsewhere)
