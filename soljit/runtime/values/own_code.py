"""The code and the defaults of the jitted function itself: a program may give it others, as IPython does when a file was edited (`%autoreload`)."""

from __future__ import annotations

import types


class OwnCode:
    """What the function was when its variants were compiled."""

    def __init__(self, function: types.FunctionType) -> None:
        self.function = function
        self.then = _parts(function)

    @property
    def changed(self) -> bool:
        """Tell whether it has other code or defaults now."""
        now = _parts(self.function)
        return len(now) != len(self.then) or any(a is not b for a, b in zip(now, self.then))


def _parts(function: types.FunctionType) -> list[object]:
    keyword = function.__kwdefaults__ or {}  # a dict, which may be changed in place
    return [function.__code__, function.__defaults__, *keyword, *keyword.values()]
