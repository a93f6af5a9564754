"""What stands in for a variable that several functions share and that may not be bound yet: `x` is `x_box[0]`."""

from __future__ import annotations

from typing import Any

from soljit.base.messages import unbound_local


class Box:
    """A variable; reading it before anything was assigned raises what Python raises."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.bound = False

    def __getitem__(self, k: int) -> Any:  # any value
        if not self.bound:
            raise UnboundLocalError(unbound_local(self.name))
        return self.value

    def __setitem__(self, k: int, value: Any) -> None:  # any value
        self.value = value
        self.bound = True


def put(box: Any, value: Any) -> Any:  # any value
    """`(x := value)`"""
    box[0] = value
    return value
