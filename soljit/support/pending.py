"""Calls back into Python whose exception the program handles: the call reports a number, and the exception waits here.

Such a `Callback` has a target of the form "try:<slot>:<classes>:<function>" and one more result, a status: 0 if the call
returned, else which of the groups of classes (one-based) the exception belongs to. Exceptions of no group pass on as usual.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from soljit.base.python.names import find
from soljit.base.python.object_names import class_name
from soljit.base.records import dataclass

_waiting = threading.local()


class Diverted(Exception):
    """The exception of a guarded call waits, and belongs to this group."""

    def __init__(self, status: int) -> None:
        self.status = status


@dataclass(frozen=True)
class Guarded:
    """The parts of such a target."""

    slot: str
    groups: tuple[tuple[type[BaseException], ...], ...]
    function: str

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, which raises `Diverted` in place of an exception of the groups."""

        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return function(*args, **kwargs)
            except BaseException as e:
                for k, group in enumerate(self.groups):
                    if isinstance(e, group):
                        keep(self.slot, e)
                        raise Diverted(k + 1) from None
                raise

        return call


def guarded(function: str, slot: str, groups: Sequence[Sequence[type[BaseException]]]) -> str:
    """The target that calls `function`."""
    text = "|".join(",".join(map(class_name, g)) for g in groups)
    return f"try:{slot}:{text}:{function}"


def parse(target: str) -> Guarded | None:
    """The parts of a target; None: it is an ordinary one."""
    if not target.startswith("try:"):
        return None
    _, slot, text, function = target.split(":", 3)
    groups = tuple(tuple(find(c) for c in g.split(",")) for g in text.split("|"))
    return Guarded(slot, groups, function)


def unguarded(target: str) -> str:
    """What is called: the target without the exceptions that the program handles."""
    found = parse(target)
    return target if found is None else found.function


def keep(slot: str, error: BaseException) -> None:
    """Let an exception wait, without the frames that it has seen."""
    error.__traceback__ = None
    error.__context__ = None
    _waiting.__dict__[slot] = error


def raise_again(slot: str) -> None:
    """Raise the exception that waits."""
    raise _waiting.__dict__.pop(slot)


def waiting(slot: str) -> BaseException:
    """The exception that waits."""
    found: BaseException = _waiting.__dict__[slot]
    return found


def text(slot: str) -> str:
    """`str` of the exception that waits."""
    return str(_waiting.__dict__[slot])
