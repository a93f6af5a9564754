"""Lists that need no Python object: made by the program, never seen by other code, with numbers of one type for items, or tuples of them; and lists that are
arguments and left alone, whose numbers are in an array already.

`number_lists(program)` finds them by all that is done with them. Every use must be one that is known here, and everything that is put in or
taken out must be of one form. Lists that one variable may stand for by turns keep their lengths.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import field

from soljit.base.knowledge.pure import known_by_name
from soljit.base.knowledge.table import Facts
from soljit.base.records import dataclass
from soljit.ir.callbacks.item_forms import Form, Item, dtypes_of, form_of, index_of, is_form, item_of, together
from soljit.ir.callbacks.reach import leaves_lists_alone
from soljit.ir.callbacks.templates import operands_of
from soljit.ir.core.data import Ref
from soljit.ir.core.expr import Expr, Load, Memlet, Sym, const, is_const
from soljit.ir.core.nodes import Bind, Branch, Break, Callback, Let, Node, Program, Region, Return, While
from soljit.ir.core.types import DType, b1, obj
from soljit.ir.symbolic import negate
from soljit.ir.walk import memlets_read, memlets_written, symbols_of, values, walk
from soljit.support.declarations import ANY_FLOAT
from soljit.support.numbers import FILL
from soljit.support.objects import HERE
from soljit.support.pending import unguarded

_LIST = {"object": "builtins.list"}
_TEXT = {"object": "builtins.str"}
_GIVEN = [_LIST, *({"object": f"builtins.{name}"} for name in ("tuple", "set", "frozenset"))]
RESIZING = {"append", "extend", "pop", "clear"}
MAKING = {"make", "repeat"}


@dataclass(frozen=True, eq=False)
class Piece:
    """Items that go into a list: `items` themselves, those of the list `name` or a slice of it, or the numbers of a range."""

    items: tuple[Item, ...] = ()
    name: str = ""
    cut: tuple[Expr | None, Expr | None, int] | None = None
    span: tuple[Expr, Expr, Expr] | None = None
    form: Form | None = None


@dataclass(frozen=True, eq=False)
class Use:
    """One thing that is done with a list.

    kind:   "keep" (it stays as it is), "make" and "repeat" (`count` times) a new list of pieces, "append", "extend", "set", "get", "pop", "clear", "len", "truth", "steps",
            "piece" (it is a piece of another one), "read" (by a function that looks at it), "give" (it is returned), "bind" (to or from `source`)
    index:  of an item; None: the last one
    """

    kind: str
    node: Node
    form: Form | None = None
    pieces: tuple[Piece, ...] = ()
    index: Expr | None = None
    count: Expr | None = None
    source: str = ""


@dataclass(eq=False)
class NumberList:
    """What one Ref or parameter stands for.

    form:   of its items
    peers:  the Refs that may stand for the same lists, itself included
    column: of a parameter, all of the array that its numbers are in
    """

    name: str
    uses: list[Use] = field(default_factory=list)
    form: Form | None = None
    peers: frozenset[str] = frozenset()
    column: Memlet | None = None

    @property
    def dtypes(self) -> tuple[DType, ...]:
        """Of the columns of an item."""
        return dtypes_of(self.form)

    @property
    def grows(self) -> bool:
        """Tell whether its length can change."""
        return any(u.kind in RESIZING for u in self.uses)


@dataclass(frozen=True, eq=False)
class Walk:
    """An iterator over the list `over`, and the loop that it runs, in which it gives items of this form."""

    name: str
    over: str
    form: Form
    loop: While


@dataclass(frozen=True)
class Found:
    """The lists of a program, and the iterators over them, by their Refs."""

    lists: Mapping[str, NumberList]
    walks: Mapping[str, Walk]


def number_lists(program: Program) -> Found:
    """The lists of this program that need no Python object."""
    search = _Search(program)
    return Found(*search.run()) if search.mentions else Found({}, {})


class _Search:
    """mentions: the nodes that name each Ref of an object, without those around them"""

    def __init__(self, program: Program) -> None:
        self.program = program
        objects = {name for name, d in program.data.items() if isinstance(d, Ref) and d.dtype is obj and d.ndim == 0}
        self.filled = {n.ins[0].name: n for n in walk(program.body) if isinstance(n, Callback) and n.target == FILL}  # type: ignore[union-attr]
        self.mentions: dict[str, list[Node]] = {}
        if self.filled and not leaves_lists_alone(program, self.filled):
            self.filled = {}
        if self.filled or any(isinstance(n, Callback) and n.result == _LIST for n in walk(program.body)):
            self._gather(program.body, objects)
        self.walks = self._walks()

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
            first = 0 if fill is None else nodes.index(fill) + 1
            uses = [*(Use("keep", n) for n in nodes[:first]), *(self._use(name, n) for n in nodes[first:])]
            if all(uses):
                lists[name] = NumberList(name, [u for u in uses if u is not None])
            if fill is not None and name in lists:
                column = fill.ins[1]
                assert isinstance(column, Memlet)
                lists[name].column = column
                lists[name].uses.append(Use("keep", fill, form_of(self.program.data[column.data].dtype)))
        while self._sift(lists):
            pass
        return lists, {w.name: w for w in self.walks.values() if w.over in lists}

    def _sift(self, lists: dict[str, NumberList]) -> bool:
        """Drop the lists that depend on one that is none, and those that do not fit together; tell whether there were any."""
        out: set[str] = set()
        for peers in _groups(lists, _bound):
            uses = [u for name in peers if name in lists for u in lists[name].uses]
            resized = any(u.kind in RESIZING for u in uses)
            if resized and (len(peers) > 1 or self._made_on_the_way(uses)):
                out |= peers
            for name in peers & lists.keys():
                lists[name].peers = frozenset(peers)
        for linked in _groups(lists, _linked):
            uses = [u for name in linked if name in lists for u in lists[name].uses]
            read = [u.form for u in uses if u.form is not None]
            form = together(read, [p.form for u in uses for p in u.pieces if p.form is not None])
            plain = form != ANY_FLOAT or all(lists[x].column is None for x in linked & lists.keys())
            if form is None or not plain or not linked <= lists.keys():
                out |= linked
            for name in linked & lists.keys():
                lists[name].form = form
        for name in out & lists.keys():
            del lists[name]
        return bool(out)

    def _made_on_the_way(self, uses: list[Use]) -> bool:
        """Tell whether the variable may stand for another list while a loop runs over the one that it stood for."""
        loops = [self.walks[u.node.outs[0]].loop for u in uses if u.kind == "steps" and isinstance(u.node, Callback)]
        made = {id(u.node) for u in uses if u.kind in MAKING}
        return any(id(n) in made for loop in loops for n in walk(loop.body))

    # --- what a node does with a list ------------------------------------------------------------------------------------

    def _use(self, name: str, n: Node) -> Use | None:
        match n:
            case Return():
                return Use("give", n)
            case Bind():
                return Use("bind", n, source=n.source.data if n.ref == name else n.ref)
            case Callback() if name in n.outs:
                return self._made(n)
            case Callback() if name in map(_name_of, n.ins):
                return self._called(name, n)
        return None

    def _called(self, name: str, n: Callback) -> Use | None:
        target = unguarded(n.target)
        if len(n.outs) == 1 and (made := self._made(n)) is not None:
            return Use("piece", n, source=n.outs[0]) if name in {p.name for p in made.pieces} else None
        owner, *rest = n.args or (None,)
        if target == "builtins.list.extend" and rest and _operand(n, rest[0]) == name != _operand(n, owner):
            return Use("piece", n, source=_operand(n, owner))
        alone = not n.kwargs and _operand(n, owner) == name and not any(name in _operands(n, t) for t in rest)
        if not alone:
            return self._looked_at(name, n, target)
        form = n.result if is_form(n.result) else None
        match target.removeprefix("builtins.list."), rest:
            case "append", [item]:
                return self._put("append", n, item)
            case "extend", [items]:
                piece = self._piece(n, items)
                return None if piece is None else Use("extend", n, pieces=(piece,))
            case "operator.setitem", [index, item] if (at := index_of(self.program, n, index)) is not None:
                return self._put("set", n, item, at)
            case "operator.getitem" | "pop" as what, [index] if (
                at := index_of(self.program, n, index)
            ) is not None and form:
                return Use("pop" if what == "pop" else "get", n, form, index=at)
            case "pop", [] if form:
                return Use("pop", n, form)
            case "clear", []:
                return Use("clear", n)
            case "builtins.len", [] if form == "int":
                return Use("len", n)
            case "builtins.bool", [] if form == "bool":
                return Use("truth", n)
            case "soljit.support.objects.steps", [] if (w := self.walks.get(n.outs[0])) is not None and w.over == name:
                return Use("steps", n, w.form)
        return self._looked_at(name, n, target)

    def _looked_at(self, name: str, n: Callback, target: str) -> Use | None:
        """By a function that gives a number, an array or a new object."""
        facts = known_by_name(target)
        known = facts is not None and facts.looks and facts.tried
        if facts is not None and not target.startswith("numpy."):
            known = known and target.startswith("builtins.") and _reads_items(facts)
        told = is_form(n.result) or isinstance(n.result, dict) and "array" in n.result or n.result == _TEXT
        given = [_operand(n, t) for t in (*n.args, *n.kwargs.values())]
        new = n.result in _GIVEN and name in given and target not in ("builtins.max", "builtins.min")
        return (
            Use("read", n) if known and (told or new) else None
        )  # what is new holds the numbers, but not a list that stands in a list

    def _put(self, kind: str, n: Callback, template: object, index: Expr | None = None) -> Use | None:
        item = item_of(self.program, n, template)
        return None if item is None else Use(kind, n, pieces=(Piece((item,), form=item.form),), index=index)

    def _made(self, n: Callback) -> Use | None:
        """A new list."""
        if n.result != _LIST or n.kwargs or unguarded(n.target) != n.target or len(n.outs) != 1:
            return None
        match n.target, n.args:
            case "soljit.support.objects.same", ([*_] as items,):
                given: list[object] = [items]
            case "operator.add", (a, b):
                given = [a, b]
            case "builtins.list" | "builtins.list.copy", (a,):
                given = [a]
            case "operator.getitem", (a, {"slice": [*ends]}):
                cut = self._cut(n, a, ends)
                return None if cut is None else Use("make", n, pieces=(cut,))
            case "operator.mul", (a, times):
                count, piece = index_of(self.program, n, times), self._piece(n, a)
                return None if count is None or piece is None else Use("repeat", n, pieces=(piece,), count=count)
            case _:
                return None
        found = [self._piece(n, x) for x in given]
        return (
            None if any(p is None for p in found) else Use("make", n, pieces=tuple(p for p in found if p is not None))
        )

    def _piece(self, n: Callback, template: object) -> Piece | None:
        if name := _operand(n, template):
            return Piece(name=name)
        match template:
            case [*templates]:
                items = [item_of(self.program, n, x) for x in templates]
                known = tuple(x for x in items if x is not None)
                form = together([], [x.form for x in known])
                return Piece(known, form=form) if len(known) == len(items) and (known == () or form) else None
            case {"call": ["range", [*parts]]} if len(parts) in (2, 3):
                start, stop, *more = [index_of(self.program, n, x) for x in parts]
                step = more[0] if more else const(1)
                if start is None or stop is None or not (is_const(step) and not is_const(step, 0)):
                    return None
                return Piece(span=(start, stop, step), form="int")  # type: ignore[arg-type]
        return None

    def _cut(self, n: Callback, template: object, ends: list[object]) -> Piece | None:
        """A slice of a list, with a step that is known."""
        start, stop = (None if x is None else index_of(self.program, n, x) for x in ends[:2])
        step = 1 if ends[2] is None else ends[2]
        name = _operand(n, template)
        if (
            not name
            or not isinstance(step, int)
            or step == 0
            or [start is None, stop is None] != [x is None for x in ends[:2]]
        ):
            return None
        return Piece(name=name, cut=(start, stop, int(step)))

    # --- iterators -------------------------------------------------------------------------------------------------------

    def _walks(self) -> dict[str, Walk]:
        """Iterators that do nothing but run a loop that stands behind them."""
        found: dict[str, Walk] = {}
        for region in walk(self.program.body) if self.mentions else ():
            if not isinstance(region, Region):
                continue
            made: dict[str, Callback] = {}
            for n in region.nodes:
                if isinstance(n, Callback) and n.target == HERE + "steps":
                    made[n.outs[0]] = n
                elif isinstance(n, While) and (one := self._walk(n, made)) is not None:
                    found[one.name] = one
        return found

    def _walk(self, loop: While, made: Mapping[str, Callback]) -> Walk | None:
        parts = walk_in(loop)
        if parts is None:
            return None
        asked, taken = parts
        name = _operand(asked, asked.args[0])
        steps, alone = made.get(name), len(self.mentions.get(name, ())) == 3
        if steps is None or not alone or _operand(taken, taken.args[0]) != name or not is_form(taken.result):
            return None
        over = _operand(steps, steps.args[0])
        return Walk(name, over, taken.result, loop) if over and len(steps.args) == 1 else None


def walk_in(loop: While) -> tuple[Callback, Callback] | None:
    """Find the two calls of a loop that runs through an iterator: it asks, leaves if nothing is left, and takes the item."""
    match loop.body.nodes[:4]:
        case (
            Callback() as asked,
            Let() as answer,
            Branch(then=Region(nodes=(Break(),)), orelse=Region(nodes=())) as left,
            Callback() as taken,
        ) if is_const(loop.cond, True):
            heard = answer.value == Load(Memlet(asked.outs[0]), b1) and left.cond == negate(Sym(answer.name, b1))
            if heard and asked.target == HERE + "has_next" and taken.target == HERE + "take":
                return asked, taken
    return None


def _operand(n: Callback, template: object) -> str:
    """The Ref that a template of arguments stands for; "" if it stands for something else."""
    match template:
        case {"$": int() as k}:
            return _name_of(n.ins[k])
    return ""


def _name_of(x: Memlet | Expr) -> str:
    """The container or symbol that an operand is."""
    return x.data if isinstance(x, Memlet) else x.name if isinstance(x, Sym) else ""


def _operands(n: Callback, template: object) -> set[str]:
    """The containers that a template of arguments names."""
    return {_name_of(n.ins[k]) for k in operands_of(template)}


def _bound(u: Use) -> set[str]:
    """Refs that may stand for the same list."""
    return {u.source} if u.kind == "bind" else set()


def _linked(u: Use) -> set[str]:
    """Refs of lists with the same kind of items."""
    return {x for x in (u.source, *(p.name for p in u.pieces)) if x}


def _groups(lists: Mapping[str, NumberList], links: Callable[[Use], set[str]]) -> list[set[str]]:
    """Refs that are linked with each other by what is done with them."""
    of: dict[str, set[str]] = {name: {name} for name in lists}
    for name, one in lists.items():
        for other in set().union(*map(links, one.uses)):
            joined = of[name] | of.get(other, {other})
            for x in joined:
                of[x] = joined
    return list({id(g): g for g in of.values()}.values())


def _reads_items(facts: Facts) -> bool:
    """Does a function take the items of a list, or write them down?"""
    return facts.takes in ("all", "each", "some") or facts.gives == "text"
