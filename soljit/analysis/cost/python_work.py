"""Whether a program does hardly anything but call Python, as a whole or in parts of it, or hardly anything at all. Then plain Python may be as fast."""

from __future__ import annotations

from collections.abc import Iterator

from soljit.ir.callbacks.random_draws import draw
from soljit.ir.core.nodes import Call, Callback, Copy, Let, LibraryNode, Loop, Map, Node, Program, Tasklet, While
from soljit.ir.walk import walk

WHOLE, PART, SHORT, NONE = "whole", "part", "short", ""
_MOST = 8  # steps of compiled code for each call of Python: then a run in Python takes some times as long at the most
_LONG = (Loop, While, Map, LibraryNode, Copy, Call, Callback)


def python_work(program: Program) -> str:
    """WHOLE: there is a call of Python among every few steps of every innermost loop (or of the whole, if there is no loop).
    PART: there are calls of Python, and only the times of a run tell how much it does between them. SHORT: each step runs at most once, and calls
    nothing, so that a run takes about as long as finding the variant and making the result. NONE: nothing of that.

    Calls of NumPy's functions make no WHOLE, nor do programs that compute whole arrays: compiled code gains there. Draws of random
    numbers do not count.
    """
    if not any(isinstance(n, _LONG) for n in walk(program.body)):
        return SHORT
    programs = [program, *program.functions.values()]
    loops = [(p, n) for p in programs for n in _innermost(p.body)]
    if all(_is_calls(p, n) for p, n in loops or [(p, p.body) for p in programs]):
        return WHOLE
    calls = any(isinstance(n, Callback) and draw(p, n) is None for p in programs for n in walk(p.body))
    return PART if calls else NONE


def is_hardly_computing(program: Program) -> bool:
    """Tell whether it matters little how fast the steps of a program are: each runs at most once in a call, or Python is called among every few of them."""
    loops = any(isinstance(n, (Loop, While, Map, LibraryNode)) for n in walk(program.body))
    return not loops and not program.functions or python_work(program) == WHOLE


def _innermost(node: Node) -> Iterator[Node]:
    """Loops without loops in them."""
    loops = [n for n in walk(node) if isinstance(n, (Loop, While, Map, LibraryNode))]
    for n in loops:
        if not any(isinstance(x, (Loop, While, Map, LibraryNode)) for x in walk(n) if x is not n):
            yield n


def _is_calls(program: Program, body: Node) -> bool:
    calls = sum(isinstance(n, Callback) and _is_python(program, n) for n in walk(body))
    steps = sum(isinstance(n, (Tasklet, Let)) for n in walk(body))
    return calls > 0 and steps <= _MOST * calls


def _is_python(program: Program, n: Callback) -> bool:
    """Tell whether the work of this call takes place in Python's own code."""
    return not n.target.startswith("numpy.") and draw(program, n) is None
