"""One jitted function at run time: its variants, and the slow path of a call.

The fast path is the dispatcher in C. It comes here when no variant fits: the call's types are described, a variant is
sought among those of this process (captured values may be equal without being the same objects), then on disk, and at
last one is compiled. What cannot be compiled runs in plain Python, with one warning, unless the settings are strict.
"""

from __future__ import annotations

import inspect
import time
import types
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from soljit.base.deep import has_room
from soljit.base.device_arrays import CLASS
from soljit.base.errors import (
    ArgPlace,
    ArgumentError,
    InternalError,
    SoljitError,
    ToolchainError,
)
from soljit.base.python import shipped
from soljit.base.python.dependency import Dependency, Path, resolve
from soljit.base.settings import Settings, on_change
from soljit.runtime.build.native_dispatcher import loaded
from soljit.runtime.calls.dispatchers import NativeDispatcher, Trial, dispatcher_of
from soljit.runtime.calls.maker import Compiler, Maker
from soljit.runtime.calls.patience import NotNow, Patience, load_dispatcher, wait_seconds_of
from soljit.runtime.calls.plain_calls import PlainCalls
from soljit.runtime.calls.tables import Refusal, Table
from soljit.runtime.profile import recorder
from soljit.runtime.store.cache import Cache, open_cache
from soljit.runtime.system import error_states
from soljit.runtime.system.compile_lock import compiling
from soljit.runtime.values.arguments import Described, UnalignedError, describe
from soljit.runtime.values.attribute_names import AttributeNames
from soljit.runtime.values.own_code import OwnCode
from soljit.runtime.values.parameters import parameters_of
from soljit.runtime.values.same_types import same_types
from soljit.runtime.variants.captured import captured_hold
from soljit.runtime.variants.failures import without_ours
from soljit.runtime.variants.object_parameters import MOST_FORMS, ObjectParameters
from soljit.runtime.variants.variant import Variant
from soljit.runtime.variants.variant_bounds import MOST_RESULTS
from soljit.support.limits import Plainly
from soljit.support.unforeseen import NOT_TAKEN, Foreseen, Repeatable, Site

_entries: weakref.WeakSet[Entry] = weakref.WeakSet()
_ASKED = ("__getattribute__", "__class__")  # methods that any look at an argument calls: dispatching would not end


class Entry:
    """See the head of this file. `install` puts a callable into the function's `__call__` slot."""

    def __init__(
        self,
        function: types.FunctionType,
        options: Mapping[str, Any],  # any: the settings' types
        compile_variant: Compiler,
        install: Callable[[Callable[..., Any]], None],
    ) -> None:
        self.function, self.options = function, dict(options)
        self.install = install
        self.plain = PlainCalls(function, self.options)
        self.patience = Patience(function)
        self.maker = Maker(function, compile_variant, self.patience, self._add)
        self.resting: NativeDispatcher | None = None  # what makes calls in Python for now
        self.installed: Callable[..., Any] | None = None  # None: `slow`, which would be a circle
        self.begin()
        _entries.add(self)

    def begin(self) -> None:
        """Forget everything that was compiled: at first, and when the function gets other code or defaults."""
        self.own = OwnCode(self.function)
        self.parameters = parameters_of(self.function)
        self.tables: dict[tuple[object, ...], Table] = {}
        self.objects = ObjectParameters()
        self.attributes = AttributeNames(self.function)
        self.outside: frozenset[Path] = frozenset()  # of lists, dicts and arrays that variants fetch
        self.changes_objects = False  # does a variant?
        self.settings_changed()

    @property
    def settings(self) -> Settings:
        """The settings of this function now."""
        return self.plain.settings

    def settings_changed(self) -> None:
        """Choose what a call does from now on."""
        settings = self.settings
        self.maker.wait_seconds = self.wait_seconds = wait_seconds_of(settings)
        self._end_rest()
        table = self.tables.get(settings.compilation())
        ready = table and table.variants and table.results == settings.results
        compiled = table.dispatcher.callable if table and ready else None
        asked = self.function.__name__ in _ASKED
        self.installed = self.function if settings.disable or asked else compiled
        self.install(self.installed or self.slow)

    # --- the slow path ----------------------------------------------------------------------------------------------

    def slow(self, *args: Any, **kwargs: Any) -> Any:  # any: the user's values
        """A call that no variant took so far. Of an exception's traceback the user sees the frames that are not soljit's."""
        if (name := shipped.replaced_builtin()) is not None:  # which all that follows may use
            if self.settings.strict:
                raise ArgumentError(f"{name} is not what it was when soljit was imported")
            return self.plain.run(f"{name} is not what it was when soljit was imported", args, kwargs)
        self._end_rest()
        try:
            if self.wait_seconds and self.patience.rests():
                return self._for_now_in_python(args, kwargs)
            return self._slow(args, kwargs)
        except BaseException as e:
            if not self.settings.debug:
                e.__traceback__ = without_ours(e)
            raise

    def _slow(self, args: tuple[object, ...], kwargs: dict[str, object]) -> Any:
        settings = self.settings
        if self.own.changed:
            self.begin()
        bound = self.parameters.bind(self.function, args, kwargs)
        if bound is None or settings.disable or not (settings.strict or has_room()):
            return self.plain.run("it is not called as it is defined, or calls are nested too deeply", args, kwargs)
        if not error_states.is_quiet(warned=not settings.strict):
            if settings.strict:
                raise error_states.refusal()
            return self.plain.run(error_states.WHY, args, kwargs)
        begin = self.patience.now()
        try:
            return self._call(bound, settings)
        except Refusal as e:
            error: SoljitError | None = e.error
        except NotNow:
            error = None
        except Plainly as e:
            return self.plain.again(e, args, kwargs)
        self.patience.looked_in_vain(begin)
        if error is None:
            return self._for_now_in_python(args, kwargs)
        if self.objects.answer(error):
            return self._slow(args, kwargs)
        if settings.strict:
            raise error from error.__cause__
        self.plain.warn(error)
        if self.plain.is_for_good(error, open_cache(settings)) and not self.variants:
            self.install(self.function)
        return self.patience.run(args, kwargs)

    def _for_now_in_python(self, args: tuple[object, ...], kwargs: dict[str, object]) -> Any:
        """A call for which nothing is compiled yet. While it runs, the function is the undecorated one, at whatever depth it calls itself. The
        dispatcher in C, if it is there, makes the next ones.
        """
        self.install(self.function)
        try:
            return self.patience.run(args, kwargs)
        finally:
            if load_dispatcher(self.settings) and not CLASS:
                dispatcher = self._table(self.settings)[0].dispatcher
                self.patience.begin_rest(dispatcher)
                self.resting, self.installed = dispatcher, dispatcher.callable
            self.install(self.installed or self.slow)

    def _end_rest(self) -> None:
        """The next call looks for a variant."""
        if self.resting is not None:
            self.patience.end_rest(self.resting)
            self.resting = None

    def compile(self, args: tuple[object, ...], kwargs: dict[str, object]) -> None:
        """Compile for a call with these arguments, without making it; what cannot be compiled raises."""
        settings = self.settings
        if self.own.changed:
            self.begin()
        bound = self.parameters.bind(self.function, args, kwargs)
        if bound is None:
            inspect.signature(self.function).bind(*args, **kwargs)
            raise ArgumentError(f"{self.function.__qualname__} is compiled for no call with such arguments")
        while True:
            try:
                table, library = self._table(settings)
                call = self._described(bound)
                with compiling.lock:
                    made = self.maker.sought(table, library, call, settings)
                if made is None:
                    return
                made.wait(None)
            except Refusal as e:
                if not self.objects.answer(e.error):
                    raise e.error from e.error.__cause__

    def _call(self, bound: tuple[object, ...], settings: Settings) -> Any:
        try:
            call = self._described(bound)
        except UnalignedError as e:
            with compiling.lock:
                from soljit.runtime.values.alignment import realign

            aligned = realign(bound)
            if aligned is None:
                raise Refusal(e) from None
            try:
                return aligned.restore(self._run(self._described(aligned.arguments), aligned.arguments, settings))
            finally:
                aligned.give_back()
        except ArgumentError as e:
            raise Refusal(e) from None
        return self._run(call, bound, settings)

    def _described(self, bound: tuple[object, ...], more: frozenset[ArgPlace] = frozenset()) -> Described:
        """Types and leaves of a call. more: places of objects"""
        objects = self.objects.among(bound, self.variants) | more
        call = describe(bound, self.parameters.names, objects, attributes=self.attributes)
        if not (self.outside or self.changes_objects):
            return call
        outside = [resolve(self.function, path, call.leaves) for path in self.outside]
        return describe(bound, self.parameters.names, objects, outside, self.changes_objects, self.attributes)

    def _run(self, call: Described, bound: tuple[object, ...], settings: Settings) -> Any:
        """Run a variant; where a call back gives what no variant was compiled for, compile one for it and run that."""
        foreseen: dict[Site, tuple[object, ...]] = {}
        while True:
            try:
                return self._run_foreseen(call, bound, settings, foreseen)
            except Repeatable as e:
                site = e.site and self._place_now(e.site)
                if site is None or len(foreseen.get(site, ())) >= MOST_RESULTS:
                    raise Plainly(e) from None
                foreseen[site] = (*foreseen.get(site, ()), e.result)

    def _place_now(self, site: Site) -> Site:
        """The place as the front end calls it."""
        code = self.function.__code__
        return site if site.file else site._replace(file=code.co_filename, line=site.line + code.co_firstlineno)

    def _run_foreseen(self, call: Described, bound: tuple[object, ...], settings: Settings, foreseen: Foreseen) -> Any:
        with recorder.searching(self.function):
            table, library = self._table(settings)
        sought = False  # in the cache
        while True:
            known = len(table.variants) + len(table.refused)
            result = self._try_variants(table, library, call, bound) if not foreseen else NOT_TAKEN
            if result is not NOT_TAKEN:
                return result
            for refused, error in table.refused:
                if not (settings.strict or foreseen) and same_types(refused, call.types, made_anew=True):
                    raise Refusal(error)
            if (name := shipped.replaced()) is not None:
                raise Refusal(ArgumentError(f"{name} is not what it was when soljit was imported"))
            if compiling.is_mine():
                raise Plainly  # a signal handler, or a destructor, called what is being compiled
            if compiling.was_cut_off:
                raise Refusal(ToolchainError("this process was forked while another thread compiled"))
            more: frozenset[ArgPlace] = frozenset()
            with recorder.searching(self.function), compiling.lock:
                if not foreseen and not sought:
                    more = self.maker.look_into_cache(
                        table, library, call, settings, lambda x: self._described(bound, x)
                    )
                sought = True
                is_news = not foreseen and len(table.variants) + len(table.refused) != known  # from another thread, say
                if not is_news:
                    limit, begin = self.maker.limit(table, library, call, settings, foreseen), time.perf_counter()
                    made = self.maker.made(table, library, call, settings, foreseen, limit)
            if more:
                self.objects.needed |= more
                return self._call(bound, settings)
            if is_news:
                continue
            if isinstance(made, Variant):
                variant = made
                break
            if made is not None:
                left = None if limit is None else max(0.0, begin + limit - time.perf_counter())
                self.maker.wait(made, left, library, settings)
            sought = False
        if foreseen:
            return table.dispatcher.run(variant, bound)
        result = table.dispatcher.run(variant, bound)
        if result is NOT_TAKEN:
            before = self.outside, self.changes_objects
            self.outside |= {path for path, _ in variant.fetched}
            self.changes_objects |= variant.record.changes_objects
            is_news = before != (self.outside, self.changes_objects)  # an argument may also be in one of these objects
            if is_news or variant.origin != "compiled":  # or it was made for a call with other values
                return self._call(bound, settings)
            raise Refusal(
                InternalError(f"{self.function.__qualname__}: the new variant does not take the call it was made for")
            )
        return result

    def _table(self, settings: Settings) -> tuple[Table, Cache]:
        cache = open_cache(settings)
        key = settings.compilation()
        table = self.tables.get(key)
        if table is None:
            if settings.device != "cpu" and not settings.target:  # plain Python would not be what was asked for
                from soljit.runtime.devices.device import find_device

                find_device(settings.device, settings)
            table = self.tables.setdefault(key, Table(lambda: self._dispatcher(cache, settings)))
        if table.follow(settings):
            self.settings_changed()
        return table, cache

    def _dispatcher(self, cache: Cache, settings: Settings) -> Any:  # any: a NativeDispatcher or a Portable
        return dispatcher_of(self.function, self.slow, self.plain.again, cache, settings)

    def _try_variants(self, table: Table, cache: Cache, call: Described, bound: tuple[object, ...]) -> Any:
        unforeseen: Repeatable | None = None
        for v in list(table.variants):
            if not v.takes(call.types):
                continue
            if not captured_hold(v.captured, self.function, call.leaves):
                continue
            self._refresh(table, v, call)
            try:
                result = table.dispatcher.run(v, bound)
            except Repeatable as e:
                unforeseen = e
                continue
            if result is not NOT_TAKEN:
                return result
        if unforeseen is not None:
            raise unforeseen
        return NOT_TAKEN

    def _refresh(self, table: Table, v: Variant, call: Described) -> None:
        """Captured values may be equal, but other objects than before: let the fast path know these."""
        now = tuple(Dependency(d.path, resolve(self.function, d.path, call.leaves)) for d in v.captured)
        if any(a.value is not b.value for a, b in zip(now, v.captured)):
            v.captured = now
            if v.is_now_for(call.types) > MOST_FORMS:
                self.objects.note_others(call.types)
            table.dispatcher.replace(v, call.leaves)

    # --- new variants -------------------------------------------------------------------------------------------------

    def _add(self, table: Table, v: Variant, leaves: Sequence[object]) -> None:
        """Let calls find a variant."""
        recorder.takes_times(self.function, v)
        v.reports = 1 if self.settings.strict else 2
        v.tried = bool(v.record.python_work) and not self.settings.strict
        table.dispatcher.add(v, leaves)
        table.variants.append(v)
        table.follow(self.settings)
        if self.settings.compilation() in self.tables and self.tables[self.settings.compilation()] is table:
            self.installed = table.dispatcher.callable
            self.install(self.installed)
        if self.settings.debug and v.origin == "cache":
            from soljit.runtime.calls import inspection

            inspection.tell_found(self, v)

    # --- what is known ------------------------------------------------------------------------------------------------

    @property
    def variants(self) -> list[Variant]:
        """All variants under the settings of now; those that are being built are not among them."""
        table = self.tables.get(self.settings.compilation())
        return table.variants if table else []

    def all_variants(self) -> list[Variant]:
        """All variants under the settings of now, after those are there that are being built."""
        table = self.tables.get(self.settings.compilation())
        return self.maker.finished(table) if table else []

    def journal(self, v: Variant) -> list[str]:
        """What an interpreting target wrote down of the last call of this variant."""
        lines: list[str] = self.tables[self.settings.compilation()].dispatcher.journal(v)
        return lines

    def given_up(self, v: Variant) -> tuple[int, int]:
        """How many calls ran again in plain Python, and how many ran there at once because of that."""
        counts: tuple[int, int] = self.tables[self.settings.compilation()].dispatcher.given_up(v)
        return counts

    def trial(self, v: Variant) -> Trial | None:
        """How compiled code and plain Python compared, where calls of this variant may go either way."""
        found: Trial | None = self.tables[self.settings.compilation()].dispatcher.trial(v)
        return found

    def signatures(self) -> list[str]:
        """The argument types of each variant, as text."""
        return [v.signature() for v in self.variants]


def _settings_changed(settings: Settings) -> None:
    library = loaded()
    if library is not None:
        library.set_threads(settings.num_threads)
    for entry in list(_entries):
        entry.settings_changed()


on_change(_settings_changed)
