"""Loops over lists: iterators that do nothing but run a loop that stands behind them, over lists, in step (`zip`), backwards (`reversed`), and counted (`enumerate`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from soljit.base.records import dataclass
from soljit.ir.callbacks.item_forms import LIST, Form, dtypes_of, is_form
from soljit.ir.core.expr import Expr, Load, Memlet, Sym, is_const
from soljit.ir.core.nodes import Branch, Break, Callback, Let, Node, Program, Region, While
from soljit.ir.core.types import b1
from soljit.ir.symbolic import negate
from soljit.ir.walk import walk
from soljit.support.objects import HERE

STEPS = HERE + "steps"
_CHAINED = {"builtins.enumerate", "builtins.zip", "builtins.reversed"}


@dataclass(frozen=True, eq=False)
class Lane:
    """What a loop is given in each iteration, or a part of it.

    over:  the list whose items these are; "": a number that counts from `start` on
    back:  the items come from the last to the first
    form:  of the items
    maker: the call that takes the list
    outs:  what gets the item
    """

    over: str = ""
    maker: Node | None = None
    back: bool = False
    start: int = 0
    form: Form = "int"
    outs: tuple[str, ...] = ()

    @property
    def rows(self) -> tuple[str, ...]:
        """The Ref of the list that is the item."""
        return tuple(x for x in self.outs if x and self.form == LIST)


@dataclass(frozen=True, eq=False)
class Walk:
    """An iterator, the loop that it runs, and the calls that make it and those it is made of."""

    name: str
    lanes: tuple[Lane, ...]
    loop: While
    makers: tuple[Node, ...]

    @property
    def lists(self) -> set[str]:
        """All lists that are run through."""
        return {x.over for x in self.lanes} - {""}


def walks(program: Program, mentions: Mapping[str, list[Node]]) -> dict[str, Walk]:
    """Such iterators by their Refs. mentions: the nodes that name each Ref of an object"""
    found: dict[str, Walk] = {}
    for region in walk(program.body) if mentions else ():
        if not isinstance(region, Region):
            continue
        made: dict[str, Callback] = {}
        for n in region.nodes:
            if isinstance(n, Callback) and n.target in _CHAINED | {STEPS} and len(n.outs) == 1 and not n.kwargs:
                made[n.outs[0]] = n
            elif isinstance(n, While) and (one := _walk(n, made, mentions)) is not None:
                found[one.name] = one
    return found


def _walk(loop: While, made: Mapping[str, Callback], mentions: Mapping[str, list[Node]]) -> Walk | None:
    parts = walk_in(loop)
    if parts is None:
        return None
    asked, taken = parts
    name = operand(asked, asked.args[0])
    steps = made.get(name)
    if steps is None or steps.target != STEPS or len(steps.args) != 1 or len(mentions.get(name, ())) != 3:
        return None
    if operand(taken, taken.args[0]) != name:
        return None
    makers: list[Node] = [steps]
    lanes = _lanes(steps, steps.args[0], taken.result, made, mentions, makers)
    if lanes is None or not any(x.over for x in lanes):
        return None
    outs, given = list(taken.outs), list[Lane]()
    for x in lanes:
        count = len(dtypes_of(x.form))
        given.append(replace(x, outs=tuple(outs[:count])))
        del outs[:count]
    return None if outs else Walk(name, tuple(given), loop, tuple(makers))


def _lanes(
    n: Callback,
    template: object,
    declared: object,
    made: Mapping[str, Callback],
    mentions: Mapping[str, list[Node]],
    makers: list[Node],
) -> list[Lane] | None:
    """What the operand of a call gives in each step, if that is declared so."""
    name = operand(n, template)
    maker = made.get(name)
    if maker is None or maker.target == STEPS:
        whole = is_form(declared) or declared == LIST
        return [Lane(name, n, form=declared)] if name and whole else None
    if len(mentions.get(name, ())) != 2:
        return None
    makers.append(maker)
    parts = declared.get("tuple") if isinstance(declared, Mapping) and declared.keys() == {"tuple"} else None
    match maker.target.removeprefix("builtins."), maker.args:
        case "reversed", (x,):
            found = _lanes(maker, x, declared, made, mentions, makers)
            return [replace(found[0], back=True)] if found and found[0].maker is maker else None
        case "enumerate", (x, *rest) if parts and len(parts) == 2 and parts[0] == "int":
            start = rest[0] if rest else 0
            if not isinstance(start, int) or not -(1 << 62) < start < 1 << 62:
                return None
            found = _lanes(maker, x, parts[1], made, mentions, makers)
            return None if found is None else [Lane(start=start), *found]
        case "zip", several if parts and len(parts) == len(several):
            each = [_lanes(maker, x, p, made, mentions, makers) for x, p in zip(several, parts)]
            return None if any(x is None for x in each) else [lane for x in each for lane in x or ()]
    return None


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


def operand(n: Callback, template: object) -> str:
    """The Ref that a template of arguments stands for; "" if it stands for something else."""
    match template:
        case {"$": int() as k}:
            return name_of(n.ins[k])
    return ""


def name_of(x: Memlet | Expr) -> str:
    """The container or symbol that an operand is."""
    return x.data if isinstance(x, Memlet) else x.name if isinstance(x, Sym) else ""
