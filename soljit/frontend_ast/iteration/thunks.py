"""Thunks: items that are computed when they are taken, which `map` and generator expressions of known items give where that can be seen."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from soljit.frontend_ast.lowering.blocks import Block, below
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.syntax.side_effects import may_have_effects
from soljit.frontend_ast.values.values import Generated, Iteration, OneShot, Thunk, Value
from soljit.ir.core import nodes
from soljit.ir.walk import memlets_read, memlets_written

SEEN = (nodes.Raise, nodes.Callback, nodes.Call, nodes.Break)  # a Break: what raises inside of try


class Watch:
    """What has been lowered since this was made."""

    def __init__(self, cx: Lowering) -> None:
        self.cx, self.mark = cx, cx.snapshot()
        self.known, self.start = set(cx.data), len(cx.current.items)

    def forget_seen(self) -> bool:
        """Roll back what was lowered since, if nobody could tell that it runs later; tell whether somebody could."""
        seen = any(_seen(n, self.known) for top in self.cx.current.items[self.start :] for n in below(top))
        if seen:
            self.cx.restore(self.mark)
        return seen


def one_shot(
    cx: Lowering,
    compute: Sequence[Callable[[], Value]],
    effects: bool,
    generator: Callable[[], Value] | None = None,
) -> OneShot:
    """Items that can be taken once. They are computed at once if nobody can tell, else each when it is taken.

    effects: they may change names and static objects, which cannot be tried
    """

    def item(k: int) -> Value:
        with cx.on_way(k):
            return compute[k]()

    if not effects:
        watch = Watch(cx)
        items = [item(k) for k in range(len(compute))]
        if not watch.forget_seen():
            return OneShot(items, again=_thunks(cx, item, len(compute)))
    return OneShot([*_thunks(cx, item, len(compute))], generator=generator)


def _thunks(cx: Lowering, item: Callable[[int], Value], count: int) -> list[Thunk]:
    return [thunk(cx, functools.partial(item, k)) for k in range(count)]


def _seen(n: nodes.Node, known: set[str]) -> bool:
    """Tell whether it matters when this node runs: it touches memory that was there before, or does anything else that is seen."""
    if isinstance(n, Block):
        return False
    if isinstance(n, SEEN):
        return True
    return any(m.data in known for m in (*memlets_read(n), *memlets_written(n)))


def thunk(cx: Lowering, compute: Callable[[], Value]) -> Thunk:
    """An item that `compute` lowers where it is taken, once as long as that stays in the program."""

    def make() -> tuple[Value, Callable[[], bool]]:
        block, before = cx.current, len(cx.current.items)
        value = compute()
        count = len(block.items)
        last = block.items[-1] if count > before else None

        def stands() -> bool:
            if not any(b is block for b in cx.blocks):
                return False
            return last is None or (len(block.items) >= count and block.items[count - 1] is last)

        return value, stands

    return Thunk(make)


def is_once(v: Value) -> bool:
    """Tell whether anybody could tell when, and how often, an item of this is computed."""
    match v:
        case OneShot():
            return any(isinstance(x, Thunk) for x in v.steps)
        case Generated():
            return not v.is_list and (is_once(v.source) or may_have_effects(v.node.elt))
        case Iteration():
            return v.once
    return False
