"""What Python does and compiled code cannot, found out by the run: an int that grows beyond 64 bits, above all.

Where nothing has been done yet that a caller could see, the whole call runs again in plain Python. Elsewhere the error stays, and no
handler of the program takes it, because Python would not have raised it.
"""

from __future__ import annotations

from soljit.base.errors import SoljitError, UnsupportedError
from soljit.base.place import Loc
from soljit.support.unforeseen import Unforeseen

TOO_LARGE = (
    "Python int does not fit 64 bits, and the call cannot run again in plain Python, because it has changed something already: "
    "call the function's .python for such numbers, or compute with np.int64, which wraps around, or with floats"
)
NOT_RAISED, NOTHING_TO_RAISE = "an exception was not raised", "no exception to raise again"
_WHAT = {
    TOO_LARGE: (
        "an int does not fit 64 bits here",
        "plain Python makes it larger; np.int64 wraps around and is fast, floats are rounded",
    )
}


class IntTooLarge(OverflowError):
    """A call back into Python gave an int of more than 64 bits."""

    def __init__(self) -> None:
        super().__init__(TOO_LARGE)

    def at(self, place: Loc, again: bool) -> Exception:
        """What is raised for it; `again`: the whole call may be repeated."""
        error = OverflowError(str(self))
        return Plainly(error, place) if again else error


class Plainly(Exception):
    """The call has to run again in plain Python. error: what it would raise otherwise (None: others did before it); at: where."""

    def __init__(self, error: BaseException | None = None, at: Loc | None = None) -> None:
        super().__init__(error, at)
        self.error, self.at = error, at

    def refusal(self) -> SoljitError | None:
        """What strict settings raise instead: that something is not supported. An int that grows is no such thing."""
        if isinstance(self.error, SoljitError):
            return self.error
        return UnsupportedError(str(self.error)) if isinstance(self.error, Unforeseen) else None

    def what(self) -> tuple[str, str]:
        """The reason, and what helps."""
        return _WHAT.get(str(self.error), (str(self.error), ""))

    def render(self) -> str:
        """What the user is told: the place, and why."""
        what, hint = self.what()
        return UnsupportedError(what, self.at or Loc(), hint).render()


def is_limit(exception: str, message: str | None) -> bool:
    """Tell whether an exception with this dotted name and text is one that Python would not raise."""
    return message in (TOO_LARGE, NOT_RAISED, NOTHING_TO_RAISE) or exception.startswith("soljit.")
