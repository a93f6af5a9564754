"""What a device would have been told while the interpreter ran a program: memory, copies, launches, libraries, calls back.

One line an event, in order; maps inside a map belong to its launch. Transfers that a pass should have taken away show
here on any machine, without a device.
"""

from __future__ import annotations

from soljit.ir.evaluate import Frame, NDArray
from soljit.ir.nodes import Alloc, Callback, Copy, LibraryNode, Map, Node
from soljit.ir.spelling import spell

_MOST = 1000  # lines that are kept


class Journal:
    """The events of one call; `lines()` as text."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._more = 0
        self._depth = 0  # maps around
        self._runs = 0  # of the outermost one's body

    def lines(self) -> list[str]:
        """The first events, and how many more there were."""
        return [*self._lines, *([f"… and {self._more} more"] if self._more else [])]

    def enter(self) -> None:
        """A map begins."""
        if self._depth == 0:
            self._runs = 0
        self._depth += 1

    def run(self) -> None:
        """The body of the innermost map begins."""
        self._runs += self._depth == 1

    def leave(self, n: Map) -> None:
        """The map `n` is done."""
        self._depth -= 1
        if self._depth == 0:
            spans = ", ".join(f"{v}={spell(s)}" for v, s in zip(n.vars, n.spans))
            self._write(n, f"launch {spans}: {self._runs} iterations")

    def write(self, n: Node, frame: Frame) -> None:
        """A leaf has run."""
        if self._depth:
            return
        match n:
            case Alloc():
                a = frame.array(n.data)
                self._write(n, f"allocate {n.data}: {_sized(a)}")
            case Copy():
                self._write(n, f"copy {spell(n.src)} to {spell(n.dst)}: {_sized(frame.elements(n.dst))}")
            case LibraryNode():
                self._write(n, f"library {n.op} to {spell(n.outs[0])}: {_sized(frame.elements(n.outs[0]))}")
            case Callback():
                self._write(n, f"call back {n.target}")
            case _:
                pass

    def _write(self, n: Node, text: str) -> None:
        if len(self._lines) == _MOST:
            self._more += 1
            return
        self._lines.append(f"line {n.loc.line}: {text}" if n.loc.line else text)


def _sized(a: NDArray) -> str:
    return f"{a.dtype}{list(a.shape)}, {a.nbytes} bytes"
