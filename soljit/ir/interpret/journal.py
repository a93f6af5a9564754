"""What a device would have been told while the interpreter ran a program: memory, copies, launches, libraries, calls back.

One line an event, in order; maps inside a map belong to its launch. Transfers that a pass should have taken away show
here on any machine, without a device; `counts` adds them up.
"""

from __future__ import annotations

from soljit.ir.core.nodes import Alloc, Callback, Copy, LibraryNode, Map, Node
from soljit.ir.interpret.evaluate import Frame, NDArray
from soljit.ir.text.spelling import spell
from soljit.ir.walk.spaces import is_device_call, is_kernel, is_transfer, on_device

_MOST = 1000  # lines that are kept


class Journal:
    """The events of one call; `lines()` as text."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._more = 0
        self._depth = 0  # maps around
        self._runs = 0  # of the outermost one's body
        self._counts: dict[str, int] = {}

    def lines(self) -> list[str]:
        """The first events, and how many more there were."""
        return [*self._lines, *([f"… and {self._more} more"] if self._more else [])]

    def counts(self) -> dict[str, int]:
        """How many events of each kind there were, and the bytes that were moved: "uploads", "uploaded bytes", …"""
        return dict(self._counts)

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
            where = " on the device" if is_kernel(n) else ""
            self._count("launches" if where else "maps", 1)
            self._write(n, f"launch {spans}{where}: {self._runs} iterations")

    def write(self, n: Node, frame: Frame) -> None:
        """A leaf has run."""
        if self._depth:
            return
        foreign, frame.foreign = frame.foreign, frozenset()
        self._leaf(n, frame)
        frame.foreign = foreign

    def _leaf(self, n: Node, frame: Frame) -> None:
        match n:
            case Alloc():
                a = frame.array(n.data)
                self._write(n, f"allocate {n.data}: {_sized(a)}")
            case Copy():
                a, to_device = frame.elements(n.dst), on_device(frame.data, n.dst.data)
                verb = "copy"
                if is_transfer(n, frame.data):
                    verb = "upload" if to_device else "download"
                    self._count(f"{verb}s", 1)
                    self._count(f"{verb}ed bytes", a.nbytes)
                self._write(n, f"{verb} {spell(n.src)} to {spell(n.dst)}: {_sized(a)}")
            case LibraryNode():
                where = " on the device" if is_device_call(n, frame.data) else ""
                if where:
                    self._count("launches", 1)
                self._write(n, f"library {n.op} to {spell(n.outs[0])}{where}: {_sized(frame.elements(n.outs[0]))}")
            case Callback():
                self._write(n, f"call back {n.target}")
            case _:
                pass

    def _count(self, what: str, n: int) -> None:
        self._counts[what] = self._counts.get(what, 0) + n

    def _write(self, n: Node, text: str) -> None:
        if len(self._lines) == _MOST:
            self._more += 1
            return
        self._lines.append(f"line {n.loc.line}: {text}" if n.loc.line else text)


def _sized(a: NDArray) -> str:
    return f"{a.dtype}{list(a.shape)}, {a.nbytes} bytes"
