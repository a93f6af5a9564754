"""Attributes of instances that nobody else sees become variables.

    callback(new, outs=[p], args=[Point])
    callback(setattr, p, "x", a[i])                     p_x = a[i]
    bind(q, p)                                   →      q_x = p_x
    callback(getattr, outs=[x], q, "x")                 x = q_x

Proof: the object is made here, and all that is done with it is to set and get attributes by their names, to bind variables to it and to ask whether two are
one; its class decides nothing about that (the front end lets Python do it under another name where it does). Every variable has attributes of its own, and
what is set by one is set for all others that stand for the same instance: where that depends on the way, instances have numbers. An attribute is set on every
way to where it is read. No exception and no call back shows the object, so nobody can tell that there is none. One that is returned is made there, if all ways
have set its attributes in one order.

Must come first: sizes, ints that may leave 64 bits, and effects that cannot be taken back depend on it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from soljit.analysis.flow.instance_states import Aliases, Alike, Assigned, Later, Order, Orders
from soljit.analysis.flow.own_instances import (
    MADE,
    NEW,
    SET,
    Attribute,
    Held,
    attribute_of,
    own_variables,
    returned,
    single,
)
from soljit.ir.core.expr import Expr, Memlet
from soljit.ir.core.nodes import Callback, Node, Program
from soljit.ir.walk import rename_data, rewrite
from soljit.passes.manager import Context
from soljit.passes.simplify.instance_columns import Columns
from soljit.passes.simplify.instance_forms import UNREAD, Forms

_MOST = 256  # variables that may stand for one instance


def unbox_instances(program: Program, cx: Context) -> Program:
    """The program with attributes of such instances as variables."""
    while (after := _some(program, cx)) is not program:  # one less in an attribute of another one may be the next
        program = after
    return program


def _some(program: Program, cx: Context) -> Program:
    wanted = own_variables(apart(program))
    wanted = wanted.without({x for x, group in wanted.groups.items() if len(group) > _MOST})
    while wanted.groups:
        stepped = apart(program, wanted.groups.keys())
        shown = frozenset(wanted.groups.keys() & returned(stepped))
        held = Held(cx.facts(program), objects=set(wanted.alone - shown), single=single(stepped))
        held.region(stepped.body, frozenset())
        names = held.names()
        if held.found:
            return _without(apart(program, {a[0] for a in held.found}), held.found.keys(), names)
        aliases = Aliases(cx.facts(program), variables=wanted, used=Later(stepped, wanted, sets=True))
        aliases.region(stepped.body, Alike())
        assigned = Assigned(cx.facts(program), aliases=aliases)
        assigned.region(stepped.body, assigned.start())
        forms = Forms(stepped, wanted, shown, aliases, Later(stepped, wanted))
        orders = Order(cx.facts(program), aliases=aliases)
        orders.region(stepped.body, Orders({}))
        refused = assigned.unset | forms.refused
        refused |= orders.unclear(stepped, [a for a, form in forms.of.items() if form != UNREAD])
        if not refused:
            return Columns(stepped, forms, assigned, orders).program_with()
        wanted = wanted.without(refused)
    return program


def apart(program: Program, owners: Collection[str] | None = None) -> Program:
    """The program with dataclass instances made in steps: an instance, and then each of its fields. owners: those that are; None: all"""

    def node(n: Node) -> Node | tuple[Node, ...] | None:
        if not isinstance(n, Callback) or n.target != MADE or (owners is not None and n.outs[0] not in owners):
            return None
        cls, names, *values = n.args
        (owner,) = n.outs
        steps: list[Node] = [Callback(NEW, n.outs, (), (cls,), {}, (), n.result, loc=n.loc)]
        for name, v in zip(str(names).split(","), values, strict=True):
            ins: tuple[Memlet | Expr, ...] = (Memlet(owner),)
            match v:
                case {"$": int() as k, **how}:
                    ins, v = (*ins, n.ins[k]), {"$": 1, **how}
                case dict() | list():
                    return None
            steps.append(Callback(SET, (), ins, ({"$": 0}, name, v), {}, (owner,), loc=n.loc))
        return tuple(steps)

    body = rewrite(program.body, node)
    return program if body is program.body else replace(program, body=body)


# --- objects in attributes ----------------------------------------------------------------------------------------------


def _without(program: Program, attributes: Collection[Attribute], names: Mapping[str, str]) -> Program:
    """The program without these attributes: what they hold has a name already."""
    body = rewrite(program.body, lambda n: () if attribute_of(n) in attributes else None)
    chain = {x: names.get(y, y) for x, y in names.items()}
    while chain != (longer := {x: names.get(y, y) for x, y in chain.items()}):
        chain = longer
    data = {k: d for k, d in program.data.items() if k not in chain}
    return rename_data(replace(program, body=body, data=data), chain)
