"""The dispatcher of one function: in C, or in Python where that does not work."""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from soljit.base.settings import INTERPRETED, Settings
from soljit.runtime.build.native_dispatcher import Native, native
from soljit.runtime.store.cache import Cache
from soljit.runtime.values.parameters import parameters_of
from soljit.runtime.variants.link import specification
from soljit.runtime.variants.variant import Variant


class Trial(NamedTuple):
    """Calls so far, whether their times have decided, whether for Python, seconds in compiled code and in Python.

    watched: it is not found, or found not to be, worth while to try Python, since parts of the program call Python only
    """

    runs: int
    decided: bool
    plainly: bool
    compiled: float
    python: float
    watched: bool = False


class NativeDispatcher:
    """The dispatcher in C for one function. Variants that run in Python it leaves to one in Python: calls of them come the slow path."""

    def __init__(
        self, library: Native, function: types.FunctionType, slow: Callable[..., Any], again: Callable[..., Any]
    ) -> None:
        p = parameters_of(function)
        self.library, self.function, self.names = library, function, p.names
        self.object = library.make_dispatcher(slow, function, again, p.names, p.shape(), p.all_defaults(function))
        self.callable: Callable[..., Any] = library.callable(self.object)
        self.slow = slow
        self.in_python: Any = None  # any: a Portable, once there is a variant for it

    def add(self, v: Variant, leaves: Sequence[object]) -> None:
        """Let calls find this variant."""
        if v.library.runs_in_python:
            self.in_python = self.in_python or _portable(self.function, self.slow)
            self.in_python.add(v, leaves)
            return
        v.index = self.library.add_variant(self.object, self._specification(v, leaves))

    def replace(self, v: Variant, leaves: Sequence[object]) -> None:
        """Captured values of `v` are other objects now."""
        if not v.library.runs_in_python:
            self.library.replace_variant(self.object, v.index, self._specification(v, leaves))

    def _specification(self, v: Variant, leaves: Sequence[object]) -> tuple[Any, ...]:
        plain = self.function if v.tried else None
        return specification(v, self.function, self.names, leaves, plain)

    def keep_results(self, settings: Settings) -> None:
        """Let array results stay on the device, if the settings say so."""
        device = None
        if settings.results == "device":
            from soljit.runtime.devices.making import device_of_results

            device = device_of_results(settings)
        self.library.keep_results(self.object, device)

    def trial(self, v: Variant) -> Trial | None:
        """How compiled code and Python compared, if calls of `v` may run in plain Python."""
        if v.library.runs_in_python or v.index < 0:
            return None
        seen = self.library.trial(self.object, v.index)
        return None if seen is None else Trial(*seen)

    def given_up(self, v: Variant) -> tuple[int, int]:
        """How many calls compiled code has given up, and how many ran in plain Python at once because of that."""
        if v.library.runs_in_python or v.index < 0:
            return 0, 0
        tried, untried = self.library.given_up(self.object, v.index)
        return tried, untried

    def journal(self, v: Variant) -> list[str]:
        """What was written down of the last call of this variant, if it runs in Python: compiled code writes nothing down."""
        lines: list[str] = self.in_python.journal(v) if v.library.runs_in_python else []
        return lines

    def run_for_now(self, cost: float, until: float, seconds: float) -> None:
        """Calls that no variant takes run in Python from now on, until they have cost so much, or for so many seconds (0: for ever)."""
        self.library.run_for_now(self.object, cost, until, seconds)

    def cost_for_now(self) -> tuple[float, float]:
        """What such calls have cost: of this function, and of all since somebody asked."""
        mine, all_ = self.library.cost_for_now(self.object)
        return mine, all_

    def run(self, v: Variant, bound: tuple[object, ...]) -> Any:
        """Run it on these arguments; NOT_TAKEN if it does not take them."""
        if v.library.runs_in_python:
            return self.in_python.run(v, bound)
        return self.library.run_variant(self.object, v.index, bound)


def dispatcher_of(
    function: types.FunctionType,
    slow: Callable[..., Any],
    again: Callable[..., Any],
    cache: Cache,
    settings: Settings,
) -> Any:  # any: a NativeDispatcher or a Portable
    """The dispatcher in C, or the one in Python where that does not work.

    slow:  what takes a call that no variant takes
    again: what takes a call that has to run again in plain Python: `PlainCalls.again`
    """
    library = native(cache, settings) if settings.target not in INTERPRETED else None
    if library:
        library.set_threads(settings.num_threads)
        return NativeDispatcher(library, function, slow, again)
    return _portable(function, slow)


def _portable(function: types.FunctionType, slow: Callable[..., Any]) -> Any:  # any: a Portable, which imports much
    from soljit.runtime.calls.portable import Portable

    return Portable(function, slow)
