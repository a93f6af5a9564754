"""Calls that run in plain Python: what the user is told, once each, and how a call runs again that compiled code has given up."""

from __future__ import annotations

import sys
import types
import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from soljit.base.errors import ArgumentError, FallbackWarning, NoCompilerError, SoljitError
from soljit.base.settings import Settings, with_keywords
from soljit.runtime.profile import recorder
from soljit.runtime.store.cache import Cache
from soljit.runtime.variants.failures import plainly, without_ours
from soljit.support.limits import Plainly

NEVER_COMPILED = 0x20 | 0x80 | 0x200  # flags of code: generators, coroutines and async generators


class PlainCalls:
    """Those of one function with its own settings."""

    def __init__(self, function: types.FunctionType, options: Mapping[str, Any]) -> None:  # any: the settings' types
        self.function, self.options = function, options
        self.warned: set[str] = set()
        self.why = ""  # the last call that was told of ran in plain Python

    @property
    def settings(self) -> Settings:
        """The settings of the function now: the process's, then its own keywords."""
        return with_keywords(self.options)

    def run(self, why: str | Plainly, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """A call in plain Python, for this reason."""
        recorder.runs_plainly(why)
        return plainly(self.function, args, kwargs)

    def again(self, limit: Plainly, args: tuple[Any, ...], kwargs: Mapping[str, Any] | None) -> Any:
        """The call in plain Python; the dispatcher comes here, too. Strict settings raise what is not supported."""
        try:
            refusal = limit.refusal() if self.settings.strict else None
            if refusal is not None:
                raise refusal from None
            if limit.error is not None:
                self._tell(limit)
            return self.run(limit, args, kwargs or {})
        except BaseException as e:
            if not self.settings.debug:
                e.__traceback__ = without_ours(e)
            raise

    def is_for_good(self, error: SoljitError, cache: Cache) -> bool:
        """Tell whether all calls will run in plain Python: nothing can be compiled, and nothing was."""
        no_function = bool(self.function.__code__.co_flags & NEVER_COMPILED)
        return no_function or isinstance(error, NoCompilerError) and cache.is_empty()

    def warn(self, error: SoljitError) -> None:
        """Say once why calls run in plain Python, the one that is being made among them."""
        self.why = recorder.sentence(error)
        recorder.runs_plainly(self.why)
        self._once(": this call runs" if isinstance(error, ArgumentError) else " runs", str(error))

    def _tell(self, limit: Plainly) -> None:
        self.why = recorder.sentence(limit)
        at, code = limit.at, self.function.__code__
        if at is not None and not at.file:  # as records of calls back have it
            limit = Plainly(limit.error, replace(at, file=code.co_filename, line=at.line + code.co_firstlineno))
        self._once(": this call runs again", limit.render())

    def _once(self, what: str, text: str) -> None:
        if text in self.warned:
            return
        self.warned.add(text)
        text = f"{self.function.__qualname__}{what} in plain Python: {text}"
        warnings.warn(text, FallbackWarning, stacklevel=_levels_to_the_user())


def _levels_to_the_user() -> int:
    """How far above the caller of this the first frame stands that is not soljit's, as `warnings` counts."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "soljit":
        frame, level = frame.f_back, level + 1
    return level
