"""What was compiled of one function under one choice of settings, what is being built, and what was refused."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NoReturn

from soljit.base.errors import ObjectNeeded, SoljitError
from soljit.base.settings import Settings
from soljit.ir.core.signature import ArgType
from soljit.runtime.calls.building import Building
from soljit.runtime.variants.variant import Variant
from soljit.runtime.variants.variant_bounds import MOST_REFUSED


class Refusal(Exception):
    """Nothing can be compiled for this call; `error` is what the user is told."""

    def __init__(self, error: SoljitError) -> None:
        self.error = error
        super().__init__(str(error))


class Table:
    """Variants, and the types that were refused.

    The dispatcher is made when there is a first variant for it: its library may have to be compiled, too.
    """

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self.variants: list[Variant] = []
        self.building: list[Building] = []
        self.refused: list[tuple[tuple[ArgType, ...], SoljitError]] = []
        self.results = ""  # the setting `results` that the dispatcher goes by
        self.records: set[str] = set()  # names of those in the cache that are among the variants, or do not fit

    @functools.cached_property
    def dispatcher(self) -> Any:  # any: a NativeDispatcher or a Portable
        """What calls the variants."""
        return self._make()

    def follow(self, settings: Settings) -> bool:
        """Let results stay on a device if the settings say so, once there are variants; was that news?"""
        if not self.variants or self.results == settings.results:
            return False
        self.dispatcher.keep_results(settings)
        self.results = settings.results
        return True

    def refuse(self, types_: tuple[ArgType, ...], error: SoljitError, settings: Settings) -> NoReturn:
        """Calls of these types are not compiled, from now on; with `strict` each is tried again."""
        again = isinstance(error, ObjectNeeded)  # in another form
        if not settings.strict or again:
            error.__traceback__ = error.__context__ = None  # its frames hold the arguments
        if not settings.strict and not again and len(self.refused) < MOST_REFUSED:
            self.refused.append((types_, error))
        raise Refusal(error) from None
