"""What was compiled of one function under one choice of settings."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from soljit.base.errors import SoljitError
from soljit.ir.signature import ArgType
from soljit.runtime.variant import Variant


class Table:
    """Variants, and the types that were refused.

    The dispatcher is made when there is a first variant for it: its library may have to be compiled, too.
    """

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self.variants: list[Variant] = []
        self.refused: list[tuple[tuple[ArgType, ...], SoljitError]] = []
        self.records: set[str] = set()  # names of those in the cache that are among the variants, or do not fit

    @functools.cached_property
    def dispatcher(self) -> Any:  # any: a NativeDispatcher or a Portable
        """What calls the variants."""
        return self._make()
