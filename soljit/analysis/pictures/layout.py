"""Places for a dataflow view on paper: nested boxes, layers inside.

Sizes come first, from the inside out; then positions, from the outside in. Control flow stands one below the other, the
arms of a branch side by side. In a state or map, what flows comes in layers: an item lies below all that it gets its
elements from, and stands in its layer near the middle of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from soljit.analysis.pictures.dataflow import Box, Dataflow, Point
from soljit.base.messages import cut
from soljit.base.records import dataclass

LETTER, LINE, PAD, GAP, LAYER = 7.0, 26.0, 10.0, 18.0, 30.0
LONGEST = 48  # letters of a label that are shown


@dataclass(slots=True)
class Place:
    """A rectangle; x and y are its upper left corner."""

    x: float
    y: float
    width: float
    height: float


def layout(view: Dataflow) -> dict[int, Place]:
    """The place of every point and box by its id."""
    parents: dict[int, int] = {}
    for p in view.programs:
        _parents(p, parents)
    edges = [(e.source, e.target) for e in view.edges]
    places: dict[int, Place] = {}
    top = PAD
    for p in view.programs:
        rows = _measure(p, places, edges, parents)
        _move(p, places, rows, PAD, top)
        top += places[p.id].height + GAP
    return places


def shown(label: str) -> str:
    """A label cut to what fits."""
    return cut(label, LONGEST)


_Rows = dict[int, list[list["Point | Box"]]]


def _parents(box: Box, parents: dict[int, int]) -> None:
    for x in box.items:
        parents[x.id] = box.id
        if isinstance(x, Box):
            _parents(x, parents)


def _measure(
    item: Point | Box, places: dict[int, Place], edges: Sequence[tuple[int, int]], parents: dict[int, int]
) -> _Rows:
    """Sizes of an item and of all in it; the rows of items that each box consists of."""
    label = len(shown(item.label)) * LETTER + 2 * PAD
    if isinstance(item, Point):
        places[item.id] = Place(0, 0, max(label, 40.0), LINE)
        return {}
    rows: _Rows = {}
    for x in item.items:
        rows |= _measure(x, places, edges, parents)
    rows[item.id] = own = _rows(item, edges, parents)
    gap = LAYER if item.kind in ("state", "map") else GAP
    widths = [sum(places[x.id].width for x in row) + GAP * (len(row) - 1) for row in own]
    heights = [max(places[x.id].height for x in row) for row in own]
    width = max([label, *widths]) + 2 * PAD
    head = LINE if item.label else PAD
    places[item.id] = Place(0, 0, width, head + sum(heights) + gap * max(0, len(own) - 1) + PAD)
    return rows


def _rows(box: Box, edges: Sequence[tuple[int, int]], parents: dict[int, int]) -> list[list[Point | Box]]:
    """The items of a box in rows, from above."""
    if box.kind == "branch":
        return [list(box.items)] if box.items else []
    if not any(isinstance(x, Point) for x in box.items) and box.kind not in ("state", "map"):
        return [[x] for x in box.items]
    before = _flows_between(box, edges, parents)
    depth: dict[int, int] = {}
    for x in box.items:  # items are in program order: what flows into one comes before it
        depth[x.id] = 1 + max((depth[y] for y in before[x.id] if y in depth), default=-1)
    rows: list[list[Point | Box]] = [[] for _ in range(1 + max(depth.values(), default=-1))]
    for x in box.items:
        rows[depth[x.id]].append(x)
    _order(rows, before)
    return rows


def _flows_between(box: Box, edges: Sequence[tuple[int, int]], parents: dict[int, int]) -> dict[int, set[int]]:
    """For each item of a box the items that elements come from."""
    mine = {x.id for x in box.items}

    def lifted(i: int) -> int | None:
        while i not in mine:
            if i not in parents:
                return None
            i = parents[i]
        return i

    before: dict[int, set[int]] = {i: set() for i in mine}
    for s, t in edges:
        a, b = lifted(s), lifted(t)
        if a is not None and b is not None and a != b:
            before[b].add(a)
    return before


def _order(rows: list[list[Point | Box]], before: dict[int, set[int]]) -> None:
    """Sort each row by the middle of what its items come from, to have few crossings."""
    at: dict[int, float] = {}
    for row in rows:
        middle = {x.id: [at[y] for y in before[x.id] if y in at] for x in row}
        row.sort(key=lambda x: sum(middle[x.id]) / len(middle[x.id]) if middle[x.id] else 0.5)
        at.update({x.id: (k + 0.5) / len(row) for k, x in enumerate(row)})


def _move(item: Point | Box, places: dict[int, Place], rows: _Rows, x: float, y: float) -> None:
    """Give an item its position and, relative to it, all in it theirs."""
    place = places[item.id]
    place.x, place.y = x, y
    if isinstance(item, Point):
        return
    gap = LAYER if item.kind in ("state", "map") else GAP
    down = y + (LINE if item.label else PAD)
    for row in rows[item.id]:
        width = sum(places[i.id].width for i in row) + GAP * (len(row) - 1)
        across = x + (place.width - width) / 2
        for i in row:
            _move(i, places, rows, across, down)
            across += places[i.id].width + GAP
        down += max(places[i.id].height for i in row) + gap
