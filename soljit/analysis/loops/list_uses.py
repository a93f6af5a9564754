"""What programs do with lists: the uses of each list and iterator, as far as they are known here. `number_lists.py` finds the lists all of whose uses are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from soljit.base.knowledge.pure import known_by_name
from soljit.base.knowledge.table import Facts
from soljit.base.records import dataclass
from soljit.ir.callbacks.item_forms import LIST, Form, Item, dtypes_of, index_of, is_form, item_of, together
from soljit.ir.callbacks.templates import operands_of
from soljit.ir.core.expr import Expr, Load, Memlet, Sym, const, is_const
from soljit.ir.core.nodes import Bind, Branch, Break, Callback, Let, Node, Program, Region, Return, While
from soljit.ir.core.types import DType, b1, obj
from soljit.ir.symbolic import negate
from soljit.ir.walk import walk
from soljit.support.list_pools import DIFFERENT, LOOK
from soljit.support.objects import HERE
from soljit.support.pending import unguarded

_TEXT = {"object": "builtins.str"}
_GIVEN = [LIST, *({"object": f"builtins.{name}"} for name in ("tuple", "set", "frozenset"))]
_TAKING = {"operator.getitem", "builtins.list.pop", HERE + "take"}
RESIZING = {"append", "extend", "pop", "clear"}
MAKING = {"make", "repeat"}
MOVING = {"hold", "take"}
_PUTTING = {"builtins.list.append", "operator.setitem"}


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
            "piece" (it is a piece of another one), "read" (by a function that looks at it), "give" (it is returned), "bind" (to or from `source`),
            "hold" (it is put into the list `source`), "take" (it is what an item of `source` is), "enter" (an argument is looked at)
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
    """

    name: str
    uses: list[Use] = field(default_factory=list)
    form: Form | None = None
    peers: frozenset[str] = frozenset()
    column: Memlet | None = None
    pool: str = ""
    rows: str = ""
    brief: bool = False

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


@dataclass(frozen=True, eq=False)
class Walk:
    """An iterator over the list `over`, and the loop that it runs, in which it gives items of this form."""

    name: str
    over: str
    form: Form
    loop: While


class Uses:
    """What is done with the lists of a program.

    mentions: the nodes that name each Ref of an object, without those around them
    """

    def __init__(self, program: Program, mentions: Mapping[str, list[Node]]) -> None:
        self.program, self.mentions = program, mentions
        self.walks = self._walks()

    def of(self, name: str, n: Node) -> Use | None:
        """What a node does with the list of this name; None: something else than lists of numbers are made for."""
        match n:
            case Return():
                return Use("give", n)
            case Bind():
                return Use("bind", n, source=n.source.data if n.ref == name else n.ref)
            case Callback() if name in n.outs:
                return self._made(n) or self._taken(n) or self._is_another(n)
            case Callback() if name in map(_name_of, n.ins):
                return self._called(name, n)
        return None

    def _called(self, name: str, n: Callback) -> Use | None:
        target = unguarded(n.target)
        if len(n.outs) == 1 and (made := self._made(n)) is not None:
            kind = "piece" if name in {p.name for p in made.pieces} else "hold" if name in made.held else ""
            return Use(kind, n, source=n.outs[0]) if kind else None
        owner, *rest = n.args or (None,)
        if rest and target in _PUTTING and _operand(n, rest[-1]) == name != _operand(n, owner):
            return Use("hold", n, source=_operand(n, owner))
        if target == LOOK:
            return Use("enter", n, LIST if n.args[1] == 2 else None)
        if target == DIFFERENT:
            return Use("keep", n)
        if target == HERE + "same" and len(n.outs) == 1:
            return Use("bind", n, source=n.outs[0])
        if target == "builtins.list.extend" and rest and _operand(n, rest[0]) == name != _operand(n, owner):
            return Use("piece", n, source=_operand(n, owner))
        alone = not n.kwargs and _operand(n, owner) == name and not any(name in _operands(n, t) for t in rest)
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
            case "soljit.support.objects.steps", [] if (w := self.walks.get(n.outs[0])) is not None and w.over == name:
                return Use("steps", n, w.form, rows=self._stepped(w))
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
        item = self._item(n, template)
        return None if item is None else Use(kind, n, pieces=(Piece((item,), form=item.form),), index=index)

    def _item(self, n: Callback, template: object) -> Item | None:
        """An item that is made: a number, a tuple of numbers, or the list of a Ref."""
        name = _operand(n, template)
        return Item(LIST, (Sym(name, obj),)) if name in self.mentions else item_of(self.program, n, template)

    def _taken(self, n: Callback) -> Use | None:
        """A list that was an item of another one."""
        if n.result != LIST or unguarded(n.target) not in _TAKING or not n.args:
            return None
        owner = _operand(n, n.args[0])
        if n.target == HERE + "take":
            owner = self.walks[owner].over if owner in self.walks else ""
        return Use("take", n, source=owner) if owner else None

    @staticmethod
    def _is_another(n: Callback) -> Use | None:
        """The very list that another Ref stands for."""
        source = _operand(n, n.args[0]) if n.target == HERE + "same" and n.args else ""
        return Use("bind", n, source=source) if source and len(n.outs) == 1 else None

    def _made(self, n: Callback) -> Use | None:
        """A new list."""
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

    def _piece(self, n: Callback, template: object) -> Piece | None:
        if name := _operand(n, template):
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
        if (
            steps is None
            or not alone
            or _operand(taken, taken.args[0]) != name
            or not (is_form(taken.result) or taken.result == LIST)
        ):
            return None
        over = _operand(steps, steps.args[0])
        return Walk(name, over, taken.result, loop) if over and len(steps.args) == 1 else None

    @staticmethod
    def _stepped(w: Walk) -> tuple[str, ...]:
        """The Ref of the list that an iterator gives."""
        parts = walk_in(w.loop)
        assert parts is not None
        return tuple(x for x in parts[1].outs[:1] if x and w.form == LIST)


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


def _reads_items(facts: Facts) -> bool:
    """Does a function take the items of a list, or write them down?"""
    return facts.takes in ("all", "each", "some") or facts.gives == "text"
