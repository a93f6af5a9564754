"""What is told of memory: arrays that the program makes and does not return, with their sizes, and those of the source that it does without."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from soljit.analysis.explain.lines import Lines
from soljit.analysis.explain.program_remarks import Told
from soljit.analysis.explain.wording import Words, of_the_user
from soljit.base.place import Loc
from soljit.base.sentences import Said
from soljit.ir.core.data import Array, Scalar
from soljit.ir.core.expr import Memlet
from soljit.ir.core.nodes import Alloc, Loop, Map, Node, Return, While

_MOVED = ("_dev", "_scratch")  # what passes for devices call the memory that stands for another


def memory(lines: Lines, source: Lines, words: Words, notes: Sequence[Said]) -> Iterator[Told]:
    """The arrays that are left, and those that are not. notes: why arrays are stored, which are copies"""
    before, after = _allocated(source), _allocated(lines)
    why = {dict(x.facts)["name"]: x for x in notes if x.id == "stored"}
    orders = {str(dict(x.facts)["name"]): x for x in notes if x.id == "laid out"}
    copies = {dict(x.facts)["name"] for x in notes if x.id == "copied for overlap"}
    given = _returned(lines) | _returned(source)
    for name, (loc, loops) in after.items():
        d = lines.program.data[name]
        if not isinstance(d, Array) or d.storage != "host" or (name in given and name not in copies):
            continue
        old = source.program.data.get(name)
        kept = isinstance(old, Array) and len(old.shape) == len(d.shape)
        if name not in before and not d.shape:
            continue  # a number
        if name not in before:
            facts = {"stored": True, "shape": [words.expr(e) for e in d.shape], "dtype": d.dtype.numpy.name}
            yield Told("memory", f"working memory: {_size(d, loops, words)}", (of_the_user(loc),), facts=facts)
        else:
            end = ""
            if name in orders and kept:
                d, end = _as_written(d, orders[name]), f"; {orders[name].worded(words)}"
            yield _left(name, d, before[name][0], loops, kept, why.get(name), name in copies, words, end)
    for name, (loc, _) in before.items():
        if name in after or name in given or not words.is_own(name) or any(name + end in after for end in _MOVED):
            continue
        now = lines.program.data.get(name)
        where = ": each element is in a register" if isinstance(now, Scalar) else ""
        text = f"{_label(name, words)} needs no memory{where}"
        yield Told("memory", text, (of_the_user(loc),), facts={"stored": False})


def _left(
    name: str,
    d: Array,
    loc: Loc,
    loops: tuple[Node, ...],
    kept: bool,
    why: Said | None,
    copy: bool,
    words: Words,
    end: str,
) -> Told:
    """An array that is in memory. end: how it lies there"""
    size = _size(d, loops, words)
    facts = {"stored": True, "shape": [words.expr(e) for e in d.shape], "dtype": d.dtype.numpy.name}
    here = (of_the_user(loc),)
    if copy:
        text = f"the value is computed into an array of its own first, {size}, since it may need what is overwritten"
        return Told("copy", text, here, False, "write into another array", facts)
    what = "stored" if kept else "stored in pieces"
    text = f"{_label(name, words)} is {what}: {size}{end}"
    if why is None:
        return Told("memory", text, here, facts=facts)
    reason = dict(why.facts)["why"]
    assert isinstance(reason, Said)
    return Told("memory", f"{text}; {reason.worded(words)}", here, False, why.cure(words), facts)


def _as_written(d: Array, order: Said) -> Array:
    """The array with its axes in the order of the source."""
    axes = dict(order.facts)["axes"]
    assert isinstance(axes, tuple)
    return replace(d, shape=tuple(d.shape[axes.index(k)] for k in range(len(axes))))


def _size(d: Array, loops: tuple[Node, ...], words: Words) -> str:
    """The type and lengths of an array, and how often it is made."""
    again = ", new at every step" if any(isinstance(n, Loop | While) for n in loops) else ""
    again = ", for each iteration" if loops and isinstance(loops[-1], Map) else again
    return f"{d.dtype.numpy.name}[{words.shape(d.shape)}]{again}"


def _label(name: str, words: Words) -> str:
    """The array where it is made."""
    return words.name(name) if words.is_own(name) else "an array made here"


def _allocated(lines: Lines) -> dict[str, tuple[Loc, tuple[Node, ...]]]:
    return {n.data: (n.loc, loops) for n, loops in lines.nodes if isinstance(n, Alloc)}


def _returned(lines: Lines) -> set[str]:
    returns = [n for n, _ in lines.nodes if isinstance(n, Return)]
    return {v.data for n in returns for v in n.values if isinstance(v, Memlet)}
