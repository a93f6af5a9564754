"""New variants of one function: found on disk, compiled for a call that waits, or built beside the program."""

from __future__ import annotations

import atexit
import contextlib
import json
import time
import types
import weakref
from collections.abc import Callable, Sequence
from typing import NoReturn

from soljit.base.clock import OutOfTime
from soljit.base.errors import ArgPlace, DeviceError, InternalError, ObjectNeeded, ScheduleError, SoljitError
from soljit.base.python.dependency import Dependency, Path, resolve
from soljit.base.settings import INTERPRETED, Settings
from soljit.ir.core.signature import ArgType
from soljit.runtime.build.native_dispatcher import prepare
from soljit.runtime.calls.building import Begun, Building, Keep, Wanted, end_there
from soljit.runtime.calls.patience import NotNow, Patience, seconds
from soljit.runtime.calls.tables import Refusal, Table
from soljit.runtime.devices.needs import attached, has_features
from soljit.runtime.profile import recorder
from soljit.runtime.store.cache import Cache
from soljit.runtime.store.environment import target_key
from soljit.runtime.system.caches import machine
from soljit.runtime.system.continuation import Continuation, is_possible
from soljit.runtime.system.fingerprint import Unknown, code_text, digest, has_fingerprint, type_fingerprint, types_key
from soljit.runtime.values.arguments import Described, type_of_leaf
from soljit.runtime.variants.captured import captured_hold, twins_hold
from soljit.runtime.variants.link import guard_holds
from soljit.runtime.variants.variant import Record, Variant
from soljit.runtime.variants.variant_bounds import is_undecided, why_no_more
from soljit.support.unforeseen import Foreseen

Compiler = Callable[..., Begun]
LATER = "calls of this function did not pay for compiling in another process"
LONG = 0.5  # seconds after which a refusal is remembered so, too


class Maker:
    """See the head of this file. add: lets calls find a variant that fits the leaves of a call"""

    def __init__(
        self,
        function: types.FunctionType,
        compile_variant: Compiler,
        patience: Patience,
        add: Callable[[Table, Variant, Sequence[object]], None],
    ) -> None:
        self.function, self.compile_variant, self.patience = function, compile_variant, patience
        self.wait_seconds = 0.0  # the setting for this function
        self.unfit = False  # is there code on disk for the types of the call that was looked for last?
        self._add = weakref.WeakMethod(add)  # no circle: a function that nobody uses any more goes at once

    def add(self, table: Table, v: Variant, leaves: Sequence[object]) -> None:
        """Let calls find a variant."""
        add = self._add()
        assert add is not None
        add(table, v, leaves)

    def add_from_cache(self, table: Table, cache: Cache, call: Described, settings: Settings) -> bool:
        """Add the variants on disk that fit a call. Are there any for its types, whether they fit or not?"""
        key = self._key(cache, call, settings)
        if key is None or settings.dump or settings.verifies:  # these watch a compilation
            return False
        for name, record in cache.find(key, table.records):
            captured = tuple(Dependency(path, resolve(self.function, path, call.leaves)) for path, _ in record.captured)
            if not all(has_fingerprint(d.value, text) for d, (_, text) in zip(captured, record.captured)):
                continue
            table.records.add(name)
            if not (twins_hold(record.twins, self.function, call.leaves) and has_features(record, settings)):
                continue
            fetched = self._fetched(record, call.leaves)
            if any(type_fingerprint(t) != text for (_, t), (_, text) in zip(fetched, record.fetched)):
                continue
            try:
                v = Variant(call.types, record, cache.load(record.library), captured, fetched, "cache")
                self.add(table, attached(v, cache, settings), call.leaves)
            except (OSError, SoljitError):
                continue
            table.building = [b for b in table.building if not b.has_made(record)]
        return cache.has(key)

    def look_into_cache(
        self,
        table: Table,
        cache: Cache,
        call: Described,
        settings: Settings,
        described: Callable[[frozenset[ArgPlace]], Described],
    ) -> frozenset[ArgPlace]:
        """Add the variants on disk that fit a call, if need be one whose arguments are objects in some more places, of which another process has found
        that they have to be; these places.

        described: the call with objects in these places, too
        """
        known = len(table.variants) + len(table.refused)
        self.unfit = self.add_from_cache(table, cache, call, settings)
        note = self._note(cache, settings, "object")
        noted = [tuple(place) for place in json.loads(note and cache.text(note) or "[]")]
        for k in range(len(noted)):
            if len(table.variants) + len(table.refused) != known:
                break
            places = frozenset(noted[: k + 1])
            self.unfit |= self.add_from_cache(table, cache, described(places), settings)
            if len(table.variants) != known:
                return places
        return frozenset()

    def limit(
        self, table: Table, cache: Cache, call: Described, settings: Settings, foreseen: Foreseen
    ) -> float | None:
        """How many seconds a call may wait; None: until it is compiled for. NotNow if it does not pay yet, of which later processes are told."""
        if not self.wait_seconds:
            return None
        if any(b.is_for(call.types, foreseen) for b in table.building):
            return self.patience.limit(self.wait_seconds)
        key, note = self._key(cache, call, settings), self._note(cache, settings, "later")
        known = self.unfit or bool(foreseen) or bool(note and cache.text(note))
        try:
            return self.patience.begin(self.wait_seconds, not known, key is not None and is_possible())
        except NotNow:
            if seconds.is_busy():  # it may begin when there is room
                _unbegun[self] = cache, settings
            else:
                self.later(cache, settings)
            raise

    def wait(self, made: Building, limit: float | None, cache: Cache, settings: Settings) -> None:
        """Let a call wait for a variant, at most so long (None: until it is there). NotNow if it is not there then, of which later processes are told."""
        try:
            with recorder.searching(self.function):
                self.patience.wait(made, limit)
        except NotNow:
            self.later(cache, settings)
            raise

    def made(
        self,
        table: Table,
        cache: Cache,
        call: Described,
        settings: Settings,
        foreseen: Foreseen,
        limit: float | None,
    ) -> Variant | Building | None:
        """A new variant for a call, or what is still being built for it; None: nothing has come of that.

        limit: seconds that the call waits; None: until it is there
        """
        table.building = [b for b in table.building if not b.is_lost()]
        for b in table.building:
            if not b.is_for(call.types, foreseen):
                continue
            if not b.is_over():
                return b
            if b.begun is None or b.holds(self.function, call.leaves):
                table.building.remove(b)
                return self._built(table, cache, call, settings, b)
        return self._compile(table, cache, call, settings, foreseen, limit)

    def sought(self, table: Table, cache: Cache, call: Described, settings: Settings) -> Building | None:
        """What has to be waited for before calls like this one find a variant; None: there is one, if need be a new one."""

        def is_there() -> bool:
            fits = (v for v in table.variants if v.takes(call.types) and guard_holds(v, call.leaves, self.function))
            return any(captured_hold(v.captured, self.function, call.leaves) for v in fits)

        if not is_there():
            self.add_from_cache(table, cache, call, settings)
        if is_there():
            return None
        made = self.made(table, cache, call, settings, {}, None)
        return made if isinstance(made, Building) else None

    def finished(self, table: Table) -> list[Variant]:
        """The variants of a table, after those are there that are being built."""
        more = []
        for b in list(table.building):
            b.wait(None)
            with contextlib.suppress(SoljitError):  # of which the next call tells
                more.append(b.variant())
        return table.variants + more

    def _built(self, table: Table, cache: Cache, call: Described, settings: Settings, b: Building) -> Variant | None:
        """Add a variant that was built beside the program. What another process has made, it has kept on disk."""
        known = len(table.variants)
        try:
            if b.begun is None:
                b.record()
                self.add_from_cache(table, cache, call, settings)
            else:
                self.add(table, b.variant(), call.leaves)
                table.records.add(b.name)
        except SoljitError as e:
            self._refuse(table, cache, call, e, settings)
        return table.variants[-1] if len(table.variants) > known else None

    def _compile(
        self,
        table: Table,
        cache: Cache,
        call: Described,
        settings: Settings,
        foreseen: Foreseen,
        limit: float | None,
    ) -> Variant | Building:
        if (error := why_no_more(self.function, table.variants, call.types, call.leaves)) is not None:
            table.refuse(call.types, error, settings)
        if settings.target not in INTERPRETED:
            prepare(cache, settings)
        undecided = is_undecided(table.variants, call.types)
        keep = Keep(cache, self._key(cache, call, settings), settings.cache_size)
        wanted = Wanted(self.function.__qualname__, call.types, foreseen, keep)
        try:
            if limit is not None:
                table.building.append(self._begun(wanted, call, settings, undecided, limit))
                return table.building[-1]
            more = [foreseen] if foreseen else []
            with self.patience.waiting():
                begun = self.compile_variant(self.function, call.types, call.leaves, settings, cache, undecided, *more)
                fetched = self._fetched(begun.record, call.leaves)
                record = begun.built()
            loaded = cache.load_new(record.library)
            v = attached(Variant(call.types, record, loaded, begun.dependencies, fetched), cache, settings)
            self.add(table, v, call.leaves)
        except (DeviceError, ScheduleError, NotNow):
            raise
        except SoljitError as e:
            self._refuse(table, cache, call, e, settings)
        except Exception as e:  # the compiler itself does not load, say
            raise Refusal(InternalError(f"{type(e).__name__}: {e}")) from e
        table.records.add(keep(record))
        return v

    def _begun(self, wanted: Wanted, call: Described, settings: Settings, undecided: bool, limit: float) -> Building:
        """Soljit's own part of a compilation, as far as the call waits for it; then another process goes on, if there can be one."""
        begin, other = time.perf_counter(), Continuation()
        limits: tuple[float | None, Callable[[], bool] | None] = (
            limit,
            other.begin if wanted.keep.key is not None else None,
        )
        f, types, leaves, cache = self.function, call.types, call.leaves, wanted.keep.cache
        try:
            with self.patience.waiting():
                if not limit and limits[1] is not None:
                    if not other.begin():
                        raise OutOfTime
                    limits = None, None
                begun = self.compile_variant(f, types, leaves, settings, cache, undecided, wanted.foreseen, *limits)
            if other.is_here:
                end_there(other, begun, wanted.keep)
            self.patience.needs = time.perf_counter() - begin
            return Building(wanted, begun, self._fetched(begun.record, leaves))
        except OutOfTime:
            if other.has_begun:
                return Building(wanted, other)
            self.patience.given_up(time.perf_counter() - begin, settings.wait_seconds)
            raise NotNow from None
        except SoljitError as e:
            if other.is_here:
                end_there(other, e, wanted.keep)
            if time.perf_counter() - begin > LONG:
                self.later(cache, settings)
            raise
        finally:
            if other.is_here:
                other.end("compiling beside the program failed")

    def _fetched(self, record: Record, leaves: Sequence[object]) -> tuple[tuple[Path, ArgType], ...]:
        """Captured arrays that the variant takes as further arguments, with their types now."""
        now = [(path, resolve(self.function, path, leaves)) for path, _ in record.fetched]
        return tuple((path, type_of_leaf(x)) for path, x in now)

    def _refuse(self, table: Table, cache: Cache, call: Described, error: SoljitError, settings: Settings) -> NoReturn:
        """Nothing is compiled for calls like this one; later processes are told of places that have to be objects, in the order in which this was found."""
        note = self._note(cache, settings, "object")
        if isinstance(error, ObjectNeeded) and note:
            noted = json.loads(cache.text(note) or "[]")
            new = sorted(p for p in map(list, error.places) if p not in noted)
            if new:
                cache.keep(note, json.dumps([*noted, *new]))
        table.refuse(call.types, error, settings)

    def later(self, cache: Cache, settings: Settings) -> None:
        """Later processes do not wait for this function before that pays."""
        if (note := self._note(cache, settings, "later")) and not cache.text(note):
            cache.keep(note, LATER)

    def _note(self, cache: Cache, settings: Settings, kind: str) -> str:
        """The name of a note about the function; "" if none is kept."""
        return f"{self._digest(settings)}.{kind}" if settings.cache and cache.shared else ""

    def _key(self, cache: Cache, call: Described, settings: Settings) -> str | None:
        """The name under which records for these types are kept; None if they are not, or a static value has no fingerprint."""
        if not (settings.cache and cache.shared):
            return None
        try:
            return self._digest(settings, types_key(call.types))
        except Unknown:
            return None

    def _digest(self, settings: Settings, *more: str) -> str:
        f, chosen = self.function, settings._replace(cxx="").compilation()  # the compiler is in the environment's name
        named = f.__qualname__, code_text(f.__code__)
        return digest(*named, repr(chosen), str(machine()), target_key(settings.target), *more)


_unbegun: weakref.WeakKeyDictionary[Maker, tuple[Cache, Settings]] = (
    weakref.WeakKeyDictionary()
)  # since the compilers were busy


def _tell_later_processes() -> None:
    """At the end of Python."""
    for maker, (cache, settings) in list(_unbegun.items()):
        if maker.patience.cost < maker.patience.needs:
            maker.later(cache, settings)


atexit.register(_tell_later_processes)
