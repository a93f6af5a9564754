"""How long calls wait for compiling: as long as it can pay.

Nobody knows how often a function will be called. So a call waits at most `wait_seconds` longer than the calls of its function have cost in Python so far
(which is the rule of whoever rents skis until he has paid their price), and all calls of a process wait at most four times `wait_seconds`
longer than twice what its decorated functions have cost. When that is used up, soljit's own part of a compilation begins when its function has cost as much in Python
as it is expected to take. What the C++ compiler does not finish in time goes on beside the program, whose calls run in Python until then.
"""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from soljit.base.settings import INTERPRETED, Settings
from soljit.runtime.build.native_dispatcher import load_if_there, loaded, why_not_native
from soljit.runtime.store.cache import open_cache
from soljit.runtime.system.compile_lock import compiling
from soljit.runtime.variants.failures import plainly

if TYPE_CHECKING:
    from soljit.runtime.calls.building import Building
    from soljit.runtime.calls.dispatchers import NativeDispatcher

AT_ONCE = 4  # times `wait_seconds` that the calls of a process wait whatever its functions have cost
OWN_SECONDS = 0.05, 0.001  # of soljit's own part: for any function, and for each instruction of its bytecode
MOST_BESIDE = max(1, (os.cpu_count() or 1) // 2)  # compilations beside the program
SMALL_PART = 10.0  # times what it takes to find no variant for a call, calls cost in Python before the next one looks
LOOK_SECONDS = 0.05  # between two looks whether what is built beside the program is over
MORE = 2.0  # times what a compilation took before it was given up for now, the next one gets


EACH = 256  # calls from Python that run in Python for now, between two looks for the dispatcher in C


class NotNow(Exception):
    """The call runs in Python: compiling for it does not pay yet, or goes on beside it."""


class Seconds:
    """Of the process: what its decorated functions took in Python, and how long their calls waited."""

    cost = 0.0
    waited = 0.0

    def __init__(self) -> None:
        self.beside: list[Building] = []  # what is built while nobody waits

    def is_busy(self) -> bool:
        """Tell whether as much is built beside the program as may be."""
        self.beside = [b for b in self.beside if not (b.is_over() or b.is_lost())]
        return len(self.beside) >= MOST_BESIDE


class _Thread(threading.local):
    inside = False  # does a decorated function run in Python?


seconds = Seconds()
_thread = _Thread()


class Patience:
    """That of the calls of one function.

    cost:     seconds that they took in Python
    needs:    seconds that soljit's own part of a compilation is expected to take
    until:    what they must have cost before a compilation may begin
    building: variants that are made beside the program
    """

    def __init__(self, function: FunctionType) -> None:
        self.function = function
        self.cost = self.until = 0.0
        self.needs = OWN_SECONDS[0] + OWN_SECONDS[1] * _instructions(function.__code__)
        self.building: list[Building] = []

    def rests(self) -> bool:
        """Tell whether calls that no variant takes run in Python for now."""
        if self.building:
            left = [b for b in self.building if not (b.is_over() or b.is_lost())]
            if len(left) == len(self.building):
                return True
            self.building, self.until = left, 0.0  # somebody has to look
        return self.cost < self.until

    def limit(self, wait_seconds: float, at_once: bool = True) -> float:
        """Seconds that a call may wait now: for what is begun, or if it is begun at once."""
        in_all = AT_ONCE * wait_seconds
        free = wait_seconds if at_once and seconds.waited + self.needs <= in_all else 0.0
        return max(0.0, min(free + self.cost, in_all + 2 * seconds.cost - seconds.waited))

    def begin(self, wait_seconds: float, at_once: bool, elsewhere: bool) -> float:
        """Seconds that a compilation that begins now may take; NotNow if it does not pay yet.

        at_once:   nobody knows that calls like this one cost too little for it
        elsewhere: another process can do it, so that nobody need wait
        """
        free = at_once and seconds.waited + self.needs <= AT_ONCE * wait_seconds
        if not free and self.cost < self.needs:
            self.until = self.needs
            raise NotNow
        if seconds.is_busy():
            self.until = self.cost + 0.1 * self.needs
            raise NotNow
        return 0.0 if elsewhere and not free else self.limit(wait_seconds, at_once)

    def given_up(self, after: float, wait_seconds: float) -> None:
        """A compilation took too long for now."""
        self.needs = max(self.needs, MORE * after)
        self.until = max(self.needs - wait_seconds, self.cost + 0.1 * self.needs)

    def now(self) -> float:
        """A clock that stands while calls wait."""
        return time.perf_counter() - seconds.waited

    def looked_in_vain(self, begin: float) -> None:
        """Since `begin` a variant was sought for a call, and there is none: that is not done again before it is a small part of what calls cost."""
        self.until = max(self.until, self.cost + SMALL_PART * (self.now() - begin))

    def wait(self, building: Building, limit: float | None) -> None:
        """Let a call wait for a variant, at most so long (None: until it is there); NotNow if it is not there then."""
        with self.waiting():
            building.wait(limit)
        if not building.is_over():
            if building not in self.building:
                self.building.append(building)
                seconds.beside.append(building)
            raise NotNow

    def begin_rest(self, dispatcher: NativeDispatcher) -> None:
        """Let the dispatcher make the calls that no variant takes, until somebody has to look again."""
        dispatcher.run_for_now(
            self.cost, 1e300 if self.building else self.until, LOOK_SECONDS if self.building else 0.0
        )

    def end_rest(self, dispatcher: NativeDispatcher) -> None:
        """A call wants to look: put to account what the dispatcher has counted."""
        mine, of_all = dispatcher.cost_for_now()
        self.cost, seconds.cost = max(self.cost, mine), seconds.cost + of_all
        dispatcher.run_for_now(self.cost, 0.0, 0.0)

    def told(self) -> str:
        """Why nothing is compiled yet."""
        return f"its calls have cost {self.cost:.2g} s in Python, and soljit's part of compiling is expected to take {self.needs:.2g} s"

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """A call waits in the body."""
        start = time.perf_counter()
        try:
            yield
        finally:
            seconds.waited += time.perf_counter() - start
            if (library := loaded()) is not None:
                library.note_waited(seconds.waited)

    def run(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:  # any: the user's values
        """A call in Python, which is put to account."""
        start, waited, inside = time.perf_counter(), seconds.waited, _thread.inside
        _thread.inside = True
        try:
            return plainly(self.function, args, kwargs)
        finally:
            _thread.inside = inside
            spent = max(0.0, time.perf_counter() - start - (seconds.waited - waited))
            self.cost += spent
            if not inside:
                seconds.cost += spent


_calls = itertools.count(1)


def load_dispatcher(settings: Settings) -> bool:
    """Load the dispatcher in C, which makes calls that run in Python for now, if it is built by now. Is it there?"""
    if (
        loaded() is None
        and not next(_calls) % EACH
        and not compiling.is_mine()
        and compiling.lock.acquire(blocking=False)
    ):
        try:
            load_if_there(open_cache(settings), settings)
        finally:
            compiling.lock.release()
    return loaded() is not None


def _instructions(code: CodeType) -> int:
    """How many instructions a function has, those in it included."""
    return len(code.co_code) // 2 + sum(_instructions(c) for c in code.co_consts if isinstance(c, CodeType))


def wait_seconds_of(settings: Settings) -> float:
    """The setting for a function; 0 where each call waits until it is compiled for: somebody has asked for compiled code, or looks at how it is made."""
    asked = (
        settings.strict or settings.device != "cpu" or settings.target in INTERPRETED or settings.schedule is not None
    )
    watched = settings.shadow or settings.verifies or settings.dump or settings.debug or settings.profile
    return 0.0 if asked or watched or why_not_native() else float(settings.wait_seconds)
