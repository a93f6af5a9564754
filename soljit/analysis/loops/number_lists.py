"""Lists that need no Python object: made by the program, never seen by other code, with items of one form: numbers, tuples of them, or such lists;
and lists that are arguments, if nothing else sees them while the program runs.

`number_lists(program)` finds them by all that is done with them (`list_uses.py`). Every use must be one that is known there, and everything that is put in or
taken out must be of one form. Lists that only the run tells apart (items of other lists, those that one variable stands for by turns and whose lengths change) lie in
*pools*: all lists that are put into one list, directly or on the way through others, share one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from soljit.analysis.loops.list_uses import (
    GROWING,
    LARGEST,
    MAKING,
    MOVING,
    ORDERED,
    RESIZING,
    SMALLEST,
    NumberList,
    Use,
    Uses,
)
from soljit.analysis.loops.list_walks import Walk, operand
from soljit.base.records import dataclass
from soljit.ir.callbacks.item_forms import LIST, Form, form_of, together
from soljit.ir.callbacks.reach import leaves_lists_alone
from soljit.ir.core.data import Ref
from soljit.ir.core.expr import Memlet
from soljit.ir.core.nodes import Bind, Branch, Callback, Loop, Map, Node, Program, Region, While
from soljit.ir.core.types import BY_NAME, obj
from soljit.ir.walk import memlets_read, memlets_written, symbols_of, values, walk
from soljit.support.declarations import ANY_FLOAT
from soljit.support.list_pools import LOOK
from soljit.support.numbers import FILL
from soljit.support.pending import unguarded

Position = tuple[tuple[int, int], ...]  # (a region, by identity, and a number in it), from the outside
Place = tuple[str, int]  # a list (0), or what its items are (1)


@dataclass(frozen=True)
class Found:
    """The lists of a program, and the iterators over them, by their Refs."""

    lists: Mapping[str, NumberList]
    walks: Mapping[str, Walk]


def number_lists(program: Program, entered: bool = True) -> Found:
    """The lists of this program that need no Python object. entered: arguments that may change, too"""
    search = _Search(program, entered)
    return Found(*search.run()) if search.mentions else Found({}, {})


class _Search:
    """mentions: the nodes that name each Ref of an object, without those around them"""

    def __init__(self, program: Program, entered: bool) -> None:
        self.program = program
        objects = {name for name, d in program.data.items() if isinstance(d, Ref) and d.dtype is obj and d.ndim == 0}
        calls = [n for n in walk(program.body) if isinstance(n, Callback)]
        self.filled = {n.ins[0].name: n for n in calls if n.target == FILL or n.target == LOOK and entered}  # type: ignore[union-attr]
        self.mentions: dict[str, list[Node]] = {}
        self.positions: dict[int, Position] = {}
        if self.filled and not leaves_lists_alone(program, self.filled):
            self.filled = {}
        if self.filled or any(n.result == LIST for n in calls):
            self._gather(program.body, objects)
        self.uses = Uses(program, self.mentions)

    def _gather(self, body: Region, objects: set[str]) -> None:
        mentions: dict[str, list[Node]] = defaultdict(list)
        for n in walk(body):
            if not isinstance(n, Region):
                for name in {m.data for m in (*memlets_read(n), *memlets_written(n))} & objects:
                    mentions[name].append(n)
                for name in self.filled.keys() & set().union(*map(symbols_of, values(n))):
                    mentions[name].append(n)
        self.mentions = mentions

    def run(self) -> tuple[dict[str, NumberList], dict[str, Walk]]:
        lists: dict[str, NumberList] = {}
        for name, nodes in self.mentions.items():
            fill = self.filled.get(name)
            first = 0 if fill is None else nodes.index(fill) + (fill.target == FILL)
            uses = [*(Use("keep", n) for n in nodes[:first]), *(self.uses.of(name, n) for n in nodes[first:])]
            if all(uses):
                lists[name] = NumberList(name, [u for u in uses if u is not None])
            if fill is not None and fill.target == FILL and name in lists:
                column = fill.ins[1]
                assert isinstance(column, Memlet)
                lists[name].column = column
                lists[name].uses.append(Use("keep", fill, form_of(self.program.data[column.data].dtype)))
        while self._sift(lists):
            pass
        return lists, {w.name: w for w in self.uses.walks.values() if w.lists <= lists.keys()}

    def _sift(self, lists: dict[str, NumberList]) -> bool:
        """Drop the lists that depend on one that is none, and those that do not fit together; tell whether there were any."""
        linked = _linked(lists)
        inside = _insides(linked)
        bad: set[Place] = set()
        for group in linked.groups():
            root = linked.root(group[0])
            names = [name for name, level in group if level == 0]
            known = [lists[name] for name in names if name in lists]
            form = _form(known, self._entered(group, lists))
            if names and (form is None or len(known) < len(names) or not _fit_together(known, form, root in inside)):
                bad.add(root)
            if not all(self._walks_fit(one, lists) for one in known):
                bad.add(root)
            for one in known:
                one.form, one.rows = form, str(linked.root((one.name, 1))) if form == LIST else ""
        while more := {root for root, item in inside.items() if item in bad or root in bad} | {
            inside[r] for r in bad & inside.keys()
        }:
            if more <= bad:
                break
            bad |= more
        bad |= _circles(inside)
        out = {name for name in lists if not bad.isdisjoint((linked.root((name, 0)), linked.root((name, 1))))}
        for name in out:
            del lists[name]
        if not out:
            self._share(lists, linked)
        return bool(out)

    def _entered(self, group: list[Place], lists: Mapping[str, NumberList]) -> list[Form]:
        """The forms of numbers in arguments that were looked at."""
        found = []
        for name, level in group:
            for u in lists[name].uses if name in lists else ():
                if u.kind == "enter" and isinstance(u.node, Callback) and (u.form == LIST) == (level == 1):
                    found.append(form_of(BY_NAME[str(u.node.args[2])]))
        return found

    def _walks_fit(self, one: NumberList, lists: Mapping[str, NumberList]) -> bool:
        """Tell whether all that is run through together with a list is one, too, and what it is ordered by."""
        return all(self.uses.made[id(u.node)].lists <= lists.keys() for u in one.uses if u.kind == "steps") and all(
            {operand(u.node, t) for t in u.node.args} <= lists.keys()
            for u in one.uses
            if isinstance(u.node, Callback) and u.node.target in (ORDERED, SMALLEST, LARGEST)
        )

    def _share(self, lists: Mapping[str, NumberList], linked: _Links) -> None:
        """Which lists share a pool."""
        bound = _Links()
        for name, one in lists.items():
            bound.join((name, 0), *((u.source, 0) for u in one.uses if u.kind == "bind"))
        for group in bound.groups():
            peers = frozenset(name for name, _ in group)
            uses = [u for name in peers for u in lists[name].uses]
            resized = any(u.kind in RESIZING for u in uses)
            moving = any(u.kind in MOVING or u.kind == "enter" or u.held for u in uses)
            turns = resized and (len(peers) > 1 or self._made_on_the_way(uses))
            others = len(peers) > 1 or len([u for u in uses if u.kind in MAKING]) > 1
            turns |= others and any(u.kind == "steps" and u.node not in self.uses.last for u in uses)
            for name in peers:
                lists[name].peers = peers
                if moving or turns or lists[name].form == LIST:
                    lists[name].pool = str(linked.root((name, 0)))
                    lists[name].brief = self._is_brief(name)

        for one in lists.values():
            if one.brief:
                making = [u.node for x in lists.values() if x.pool == one.pool for u in x.uses if u.kind in GROWING]
                one.stays = not self._behind(one.name, making)

    def _behind(self, name: str, nodes: list[Node]) -> bool:
        """Tell whether one of these stands behind the place where a brief Ref gets its list, in the same region."""
        if name in self.filled:
            return False  # lists of arguments stay in any case
        region, first = self.positions[id(self._writers(name)[0])][-1]
        return any(dict(self.positions[id(n)]).get(region, -1) > first for n in nodes)

    def _writers(self, name: str) -> list[Node]:
        """Where a Ref gets a list."""
        return [
            n
            for n in self.mentions[name]
            if isinstance(n, Callback) and name in n.outs or isinstance(n, Bind) and n.ref == name
        ]

    def _is_brief(self, name: str) -> bool:
        """Tell whether a Ref gets a list at one place, behind which all that is done with it stands in the same region."""
        if name in self.filled:
            return True
        nodes = self.mentions[name]
        writers = self._writers(name)
        if len(writers) != 1 or isinstance(writers[0], Callback) and unguarded(writers[0].target) != writers[0].target:
            return False
        if not self.positions:
            self.positions.update(_positions(self.program.body, ()))
        region, first = self.positions[id(writers[0])][-1]
        for n in nodes:
            here = dict(self.positions[id(n)])
            if n is not writers[0] and here.get(region, -1) <= first:
                return False
        return True

    def _made_on_the_way(self, uses: list[Use]) -> bool:
        """Tell whether the variable may stand for another list while a loop runs over the one that it stood for."""
        loops = [self.uses.made[id(u.node)].loop for u in uses if u.kind == "steps"]
        made = {id(u.node) for u in uses if u.kind in MAKING}
        return any(id(n) in made for loop in loops for n in walk(loop.body))


def _positions(region: Region, above: Position) -> Iterator[tuple[int, Position]]:
    """Nodes, by identity, with where they and those around them stand in their regions."""
    for k, n in enumerate(region.nodes):
        here = (*above, (id(region), k))
        yield id(n), here
        for inner in (
            (n.then, n.orelse) if isinstance(n, Branch) else (n.body,) if isinstance(n, (Loop, While, Map)) else ()
        ):
            yield from _positions(inner, here)


class _Links:
    """Places that are linked with each other."""

    def __init__(self) -> None:
        self.above: dict[Place, Place] = {}

    def root(self, x: Place) -> Place:
        """The place that stands for all that are linked with this one."""
        self.above.setdefault(x, x)
        while (up := self.above[x]) != x:
            self.above[x] = self.above[up]
            x = up
        return x

    def join(self, x: Place, *others: Place) -> bool:
        """Link places; tell whether any was not linked before."""
        new = False
        for y in others:
            a, b = sorted((self.root(x), self.root(y)))
            self.above[b] = a
            new |= a != b
        self.root(x)
        return new

    def groups(self) -> list[list[Place]]:
        """The places by what they are linked with."""
        found: dict[Place, list[Place]] = defaultdict(list)
        for x in self.above:
            found[self.root(x)].append(x)
        return list(found.values())


def _linked(lists: Mapping[str, NumberList]) -> _Links:
    """Lists with one kind of items, and the lists in them."""
    links = _Links()
    for name, one in lists.items():
        links.join((name, 0))
        for u in one.uses:
            if u.kind in MOVING:
                links.join((u.source, 0))  # it has to be a list, too
                links.join((u.source, 1), (name, 0))
            else:
                links.join((name, 0), *((x, 0) for x in (u.source, *(p.name for p in u.pieces)) if x))
            links.join((name, 1), *((x, 0) for x in u.held))
    new = True
    while new:  # lists of one kind hold lists of one kind
        new = False
        for group in links.groups():
            names = [x for x, level in group if level == 0]
            new |= bool(names) and links.join((names[0], 1), *((x, 1) for x in names[1:]))
    return links


def _insides(links: _Links) -> dict[Place, Place]:
    """The groups of lists that hold lists → the groups of these."""
    groups = {links.root(g[0]): g for g in links.groups()}
    found = {}
    for root, group in groups.items():
        for name, level in group:
            item = links.root((name, 1))
            if level == 0 and any(x == 0 for _, x in groups[item]):
                found[root] = item
    return found


def _circles(inside: Mapping[Place, Place]) -> set[Place]:
    """Lists that may hold themselves."""
    found = set()
    for start in inside:
        x: Place | None = start
        for _ in range(len(inside) + 1):
            x = inside.get(x) if x is not None else None
        if x is not None:
            found.add(start)
    return found


def _form(lists: list[NumberList], entered: list[Form]) -> Form | None:
    uses = [u for one in lists for u in one.uses]
    read = [u.form for u in uses if u.form is not None and (u.kind != "enter" or u.form == LIST)] + entered
    return together(read, [p.form for u in uses for p in u.pieces if p.form is not None])


def _fit_together(lists: list[NumberList], form: Form, holds: bool) -> bool:
    """Tell whether what is done with the lists of a group is what can be done with items of this form."""
    columns = [one for one in lists if one.column is not None]
    if (
        holds != (form == LIST)
        or form == ANY_FLOAT
        and (columns or any(u.kind == "enter" for one in lists for u in one.uses))
    ):
        return False
    if any(u.kind in ("hold", "bind", "set", "give", *RESIZING) for one in columns for u in one.uses):
        return False
    if form not in ("int", "float", "bool") and any(u.kind == "keys" for one in lists for u in one.uses):
        return False
    made = [u for one in lists for u in one.uses if u.kind == "read" and form == LIST]
    return not any(
        isinstance(u.node, Callback) and isinstance(u.node.result, dict) and "object" in u.node.result for u in made
    )
