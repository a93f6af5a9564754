"""What programs do with lists: the uses of each list and iterator, as far as they are known here. `number_lists.py` finds the lists all of whose uses are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from soljit.analysis.loops.list_walks import name_of, operand, walks
from soljit.base.knowledge.pure import known_by_name
from soljit.base.knowledge.table import Facts
from soljit.base.records import dataclass
from soljit.ir.callbacks.item_forms import LIST, Form, Item, dtypes_of, index_of, is_form, item_of, together
from soljit.ir.callbacks.templates import operands_of
from soljit.ir.core.expr import Expr, Memlet, Sym, const, is_const
from soljit.ir.core.nodes import Bind, Callback, Node, Program, Return
from soljit.ir.core.types import DType, obj
from soljit.support.instance_rows import MORE_ROWS
from soljit.support.list_pools import DIFFERENT, LOOK
from soljit.support.objects import HERE
from soljit.support.pending import unguarded

_TEXT = {"object": "builtins.str"}
_GIVEN = [LIST, *({"object": f"builtins.{name}"} for name in ("tuple", "set", "frozenset"))]
_TAKING = {"operator.getitem", "builtins.list.pop"}
STEPPING = HERE + "take"
RESIZING = {"append", "extend", "replace", "pop", "clear"}
MAKING = {"make", "repeat"}
GROWING = {*MAKING, "append", "extend", "replace", "enter"}  # room is made
MOVING = {"hold", "take"}
_PUTTING = {"builtins.list.append", "builtins.list.extend", "operator.setitem"}
ORDERED, SMALLEST, LARGEST = (HERE + name for name in ("ordered", "smallest", "largest"))
_WHOLE = {"slice": [None, None, None]}


@dataclass(frozen=True, eq=False)
class Piece:
    """Items that go into a list: `items` themselves, those of the list `name` or a slice of it, or in the order of `keys` (`falling`: reversed), or the numbers of a range."""

    items: tuple[Item, ...] = ()
    name: str = ""
    cut: tuple[Expr | None, Expr | None, int] | None = None
    span: tuple[Expr, Expr, Expr] | None = None
    form: Form | None = None
    keys: str = ""
    falling: bool = False


@dataclass(frozen=True, eq=False)
class Use:
    """One thing that is done with a list.

    kind:   "keep" (it stays as it is), "make" and "repeat" (`count` times) a new list of pieces, "append", "extend", "replace" (all items), "set", "get", "pop", "clear", "len", "truth",
            "steps", "best" (the item with the smallest or largest key), "keys" (by which items are chosen, or put in order),
            "piece" (it is a piece of another one), "read" (by a function that looks at it), "give" (it is returned), "bind" (to or from `source`),
            "hold" (it is put into the list `source`), "take" (it is what an item of `source` is), "enter" (an argument is looked at), "mark" (the instances in it are kept)
    index:  of an item; None: the last one
    rows:   the Refs of lists that are put in, or taken out
    """

    kind: str
    node: Node
    form: Form | None = None
    pieces: tuple[Piece, ...] = ()
    index: Expr | None = None
    count: Expr | None = None
    source: str = ""
    rows: tuple[str, ...] = ()

    @property
    def held(self) -> tuple[str, ...]:
        """All lists that are or become items here."""
        return (*self.rows, *(str(x.columns[0].name) for p in self.pieces for x in p.items if x.form == LIST))  # type: ignore[attr-defined]


@dataclass(eq=False)
class NumberList:
    """What one Ref or parameter stands for.

    form:   of its items
    peers:  the Refs that may stand for the same lists, itself included
    column: of a parameter, all of the array that its numbers are in
    pool:   the name of the memory that it shares with other lists, if only the run tells which list a Ref stands for; "" if there is none
    rows:   the pool of the lists that are its items
    brief:  it is of a pool, gets a list at one place, and all other uses stand behind that in the same region
    stays:  and room is made for no list of the pool behind that there
    """

    name: str
    uses: list[Use] = field(default_factory=list)
    form: Form | None = None
    peers: frozenset[str] = frozenset()
    column: Memlet | None = None
    pool: str = ""
    rows: str = ""
    brief: bool = False
    stays: bool = False

    @property
    def dtypes(self) -> tuple[DType, ...]:
        """Of the columns of an item."""
        return dtypes_of(self.form)

    @property
    def grows(self) -> bool:
        """Tell whether its length can change."""
        return any(u.kind in RESIZING for u in self.uses)

    @property
    def changes(self) -> bool:
        """Tell whether it can hold something else after a while."""
        return any(u.kind in RESIZING or u.kind == "set" for u in self.uses)


class Uses:
    """What is done with the lists of a program.

    mentions: the nodes that name each Ref of an object, without those around them
    """

    def __init__(self, program: Program, mentions: Mapping[str, list[Node]]) -> None:
        self.program, self.mentions = program, mentions
        self.walks = walks(program, mentions)
        self.last = {w.makers[0] for w in self.walks.values()}  # of what iterators are made of, in front of their loops
        self.made = {id(n): w for w in self.walks.values() for n in w.makers}

    def of(self, name: str, n: Node) -> Use | None:
        """What a node does with the list of this name; None: something else than lists of numbers are made for."""
        match n:
            case Return():
                return Use("give", n)
            case Bind():
                return Use("bind", n, source=n.source.data if n.ref == name else n.ref)
            case Callback() if name in n.outs:
                return self._made(n) or self._taken(name, n) or self._is_another(n)
            case Callback() if name in map(name_of, n.ins):
                return self._called(name, n)
        return None

    def _called(self, name: str, n: Callback) -> Use | None:
        target = unguarded(n.target)
        if len(n.outs) == 1 and (made := self._made(n)) is not None:
            kind = "piece" if name in {p.name for p in made.pieces} else "hold" if name in made.held else ""
            if name in {p.keys for p in made.pieces}:
                return Use("keys", n)
            return Use(kind, n, source=n.outs[0]) if kind else None
        if (walked := self._stepped(name, n)) is not None:
            return walked
        owner, *rest = n.args or (None,)
        if rest and target in _PUTTING and operand(n, rest[-1]) == name != operand(n, owner):
            extends = target == "builtins.list.extend" or rest[0] == _WHOLE
            return Use("piece" if extends else "hold", n, source=operand(n, owner))
        if target == LOOK:
            return Use("enter", n, LIST if n.args[1] == 2 else None)
        if target == DIFFERENT:
            return Use("keep", n)
        if target == MORE_ROWS:
            return Use("mark", n)
        if target == HERE + "same" and len(n.outs) == 1:
            return Use("bind", n, source=n.outs[0])
        if n.target in (SMALLEST, LARGEST):
            return self._chosen(name, n)
        alone = not n.kwargs and operand(n, owner) == name and not any(name in _operands(n, t) for t in rest)
        if not alone:
            return self._looked_at(name, n, target)
        form = n.result if is_form(n.result) or n.result == LIST else None
        rows = tuple(n.outs[:1]) if n.result == LIST and any(n.outs[:1]) else ()
        match target.removeprefix("builtins.list."), rest:
            case "append", [item]:
                return self._put("append", n, item)
            case "extend", [items]:
                piece = self._piece(n, items)
                return None if piece is None else Use("extend", n, pieces=(piece,))
            case "operator.setitem", [index, items] if index == _WHOLE:
                piece = self._piece(n, items)
                return None if piece is None else Use("replace", n, pieces=(piece,))
            case "operator.setitem", [index, item] if (at := index_of(self.program, n, index)) is not None:
                return self._put("set", n, item, at)
            case "operator.getitem" | "pop" as what, [index] if (
                at := index_of(self.program, n, index)
            ) is not None and form:
                return Use("pop" if what == "pop" else "get", n, form, index=at, rows=rows)
            case "pop", [] if form:
                return Use("pop", n, form, rows=rows)
            case "clear", []:
                return Use("clear", n)
            case "builtins.len", [] if form == "int":
                return Use("len", n)
            case "builtins.bool", [] if form == "bool":
                return Use("truth", n)
        return self._looked_at(name, n, target)

    @staticmethod
    def _chosen(name: str, n: Callback) -> Use | None:
        """By a function that gives the item with the smallest or largest key."""
        items, keys = operand(n, n.args[0]), operand(n, n.args[-1])
        if n.kwargs or len(n.args) != 2 or not is_form(n.result) or "" in (items, keys) or items == keys:
            return None
        return Use("keys", n) if name == keys else Use("best", n, n.result)

    def _looked_at(self, name: str, n: Callback, target: str) -> Use | None:
        """By a function that gives a number, an array or a new object."""
        facts = known_by_name(target)
        known = facts is not None and facts.looks and facts.tried
        if facts is not None and not target.startswith("numpy."):
            known = known and target.startswith("builtins.") and _reads_items(facts)
        told = is_form(n.result) or isinstance(n.result, dict) and "array" in n.result or n.result == _TEXT
        given = [operand(n, t) for t in (*n.args, *n.kwargs.values())]
        new = n.result in _GIVEN and name in given and target not in ("builtins.max", "builtins.min")
        return (
            Use("read", n) if known and (told or new) else None
        )  # what is new holds the numbers, but not a list that stands in a list

    def _put(self, kind: str, n: Callback, template: object, index: Expr | None = None) -> Use | None:
        item = self._item(n, template)
        return None if item is None else Use(kind, n, pieces=(Piece((item,), form=item.form),), index=index)

    def _item(self, n: Callback, template: object) -> Item | None:
        """An item that is made: a number, a tuple of numbers, or the list of a Ref."""
        name = operand(n, template)
        return Item(LIST, (Sym(name, obj),)) if name in self.mentions else item_of(self.program, n, template)

    def _stepped(self, name: str, n: Callback) -> Use | None:
        """The call that takes the list for an iterator."""
        w = self.made.get(id(n))
        lanes = [x for x in w.lanes if x.maker is n and x.over == name] if w is not None else []
        return Use("steps", n, lanes[0].form, rows=tuple(r for x in lanes for r in x.rows)) if lanes else None

    def _taken(self, name: str, n: Callback) -> Use | None:
        """A list that was an item of another one."""
        if not n.args:
            return None
        owner = operand(n, n.args[0])
        if n.target == STEPPING:
            lanes = self.walks[owner].lanes if owner in self.walks else ()
            owner = next((x.over for x in lanes if name in x.rows), "")
        elif n.result != LIST or unguarded(n.target) not in _TAKING:
            return None
        return Use("take", n, source=owner) if owner else None

    @staticmethod
    def _is_another(n: Callback) -> Use | None:
        """The very list that another Ref stands for."""
        source = operand(n, n.args[0]) if n.target == HERE + "same" and n.args else ""
        return Use("bind", n, source=source) if source and len(n.outs) == 1 else None

    def _made(self, n: Callback) -> Use | None:
        """A new list."""
        if n.target == ORDERED and n.result == LIST and len(n.outs) == 1:
            piece = self._in_order(n)
            return None if piece is None else Use("make", n, pieces=(piece,))
        if n.result != LIST or n.kwargs or unguarded(n.target) != n.target or len(n.outs) != 1:
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

    @staticmethod
    def _in_order(n: Callback) -> Piece | None:
        """The items of a list, ordered by the numbers in another one."""
        if len(n.args) != 2 or not n.kwargs.keys() <= {"reverse"}:
            return None
        name, keys = (operand(n, t) for t in n.args)
        falling = n.kwargs.get("reverse", False)
        return (
            Piece(name=name, keys=keys, falling=falling)
            if name and keys and name != keys and isinstance(falling, bool)
            else None
        )

    def _piece(self, n: Callback, template: object) -> Piece | None:
        if name := operand(n, template):
            return Piece(name=name)
        match template:
            case [*templates]:
                items = [self._item(n, x) for x in templates]
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
        name = operand(n, template)
        if (
            not name
            or not isinstance(step, int)
            or step == 0
            or [start is None, stop is None] != [x is None for x in ends[:2]]
        ):
            return None
        return Piece(name=name, cut=(start, stop, int(step)))


def _operands(n: Callback, template: object) -> set[str]:
    """The containers that a template of arguments names."""
    return {name_of(n.ins[k]) for k in operands_of(template)}


def _reads_items(facts: Facts) -> bool:
    """Does a function take the items of a list, or write them down?"""
    return facts.takes in ("all", "each", "some") or facts.gives == "text"
