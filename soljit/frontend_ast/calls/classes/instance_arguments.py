"""Instances that are arguments, taken apart: their attributes are values and variables of the program like any others.

An attribute that nothing assigns is the argument that it was at the call. One that the function assigns has an entry in `Frame.env` under a
name that no variable has, in the frame of the entry function and in those of all functions that are compiled along: a call of such a
function begins with what its caller knows, and gives back what it has changed. Wherever Python could look at the instance (calls back,
exceptions, the end of the function), attributes that may have changed are set before (`write_back`).

A call back that may run code of the program could change the attributes: where there is one, the instance is an object, which Python reads.
"""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Iterable, Iterator, MutableMapping, Sequence
from types import NoneType
from typing import Any

import numpy as np

from soljit.base.errors import ObjectNeeded
from soljit.base.knowledge.pure import is_pure_name, known_by_name
from soljit.base.python.classes import is_of_the_user, runs_the_program
from soljit.base.python.members import written_member
from soljit.frontend_ast.joins.binding import bind, named, pin, read_name, write_var
from soljit.frontend_ast.joins.phi import merge_values
from soljit.frontend_ast.joins.type_lattice import without_type
from soljit.frontend_ast.lowering.class_dependencies import depend_on_member, rely_on_class
from soljit.frontend_ast.lowering.frames import Frame, LoopScope
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.assigned_outside import note_assigned_of_argument
from soljit.frontend_ast.objects.captured_attributes import class_constant
from soljit.frontend_ast.objects.contents import escape, is_list_argument
from soljit.frontend_ast.objects.iterators import refuse_iterators
from soljit.frontend_ast.objects.objects import call_by_name
from soljit.frontend_ast.values.learned import Restart, element_read
from soljit.frontend_ast.values.object_types import ANY, ObjectType
from soljit.frontend_ast.values.values import (
    Arr,
    Dict,
    Instance,
    Lazy,
    MaybeUnbound,
    Method,
    Num,
    Object,
    RangeVal,
    SliceVal,
    Static,
    Tup,
    Union,
    Value,
)
from soljit.ir.core import nodes
from soljit.ir.core.signature import InstanceArg
from soljit.support.limits import is_limit
from soljit.support.list_pools import DIFFERENT, LOOK
from soljit.support.numbers import FILL
from soljit.support.objects import HERE

_SET = HERE + "set_attribute"


class Attributes(MutableMapping[str, Value]):
    """The attributes of an instance as they are where this is asked."""

    def __init__(self, cx: Lowering, owner: Instance) -> None:
        self.cx, self.owner = cx, owner

    def __getitem__(self, name: str) -> Value:
        if name not in self.owner.keys:
            raise KeyError(name)
        return attribute(self.cx, self.owner, name)

    def __setitem__(self, name: str, value: Value) -> None:
        set_attribute(self.cx, self.owner, name, value)

    def __delitem__(self, name: str) -> None:
        need_object(self.owner)

    def __iter__(self) -> Iterator[str]:
        return iter(self.owner.keys)

    def __len__(self) -> int:
        return len(self.owner.keys)


def need_object(owner: Instance) -> None:
    """The function has to be compiled for the instance as an object."""
    raise ObjectNeeded(owner.place)


def give_up(cx: Lowering) -> None:
    """The function cannot be compiled so: let it be compiled for the instances as objects, if there are any."""
    if cx.instances:
        raise ObjectNeeded(cx.instances[0].place) from None


def _variable(owner: Instance, name: str) -> str:
    return f"{owner.name}.{name}"


def holder(cx: Lowering) -> Frame | None:
    """The innermost frame that knows the attributes."""
    found: Frame | None = next((f for f in reversed(cx.frames) if f.attributes is not None), None)
    return found


def begin(cx: Lowering, fr: Frame, instances: Sequence[Instance], values: dict[str, dict[str, Value]]) -> None:
    """The entry function begins: `values` are the attributes of each instance."""
    cx.instances = list(instances)
    cx.initial = {_variable(x, k): v for x in instances for k, v in values[x.name].items()}
    fr.attributes = {n: v for n, v in cx.initial.items() if n in cx.learned.attributes}
    fr.env.update(fr.attributes)
    fr.region = cx.region


def rely_on(cx: Lowering, t: InstanceArg) -> None:
    """How the attributes of an instance are read and set is part of what is compiled: by no code of its class."""
    for name in (*t.keys, *t.absent):
        depend_on_member(cx, t.cls, name)
    rely_on_class(cx, t.cls)


# --- read and set -------------------------------------------------------------------------------------------------------


def attribute(cx: Lowering, owner: Instance, name: str) -> Value:
    """`owner.name`."""
    fr, variable = holder(cx), _variable(owner, name)
    if fr is None or not any(x is owner for x in (cx.instances if cx.attribute_outside is None else cx.root.instances)):
        need_object(owner)
    assert fr is not None and owner.cls is not None
    if cx.attribute_outside is not None and variable in cx.learned.attributes:
        raise cx.unsupported("an attribute that the program assigns, in a function of the program")
    if name in owner.keys and cx.attribute_outside is not None:
        return cx.attribute_outside(owner, name)
    if name in owner.keys:
        if variable not in cx.learned.attributes:
            return cx.initial[variable]
        held = fr.env[variable]
        if isinstance(held, MaybeUnbound):
            need_object(owner)
        return read_name(cx, held)
    found = written_member(owner.cls, name)
    if isinstance(found, property):
        depend_on_member(cx, owner.cls, name)
        result: Value = cx.above.call(cx, Static(found.fget), [owner])
        return result
    if variable in cx.learned.attributes:
        now = fr.env.get(variable)
        if now is not None and not isinstance(now, MaybeUnbound):
            return read_name(cx, now)
        assert owner.object is not None
        return call_by_name(cx, "builtins.getattr", [owner.object, Static(name)], ANY)
    if name not in owner.absent:
        need_object(owner)
    if isinstance(found, types.FunctionType):
        return Method(owner, name)
    return class_constant(cx, owner.cls, name)


def set_attribute(cx: Lowering, owner: Instance, name: str, value: Value) -> None:
    """`owner.name = value`."""
    fr = holder(cx)
    if fr is None or not any(x is owner for x in cx.instances):
        need_object(owner)
    assert fr is not None and owner.cls is not None
    found = written_member(owner.cls, name)
    if isinstance(found, property):
        depend_on_member(cx, owner.cls, name)
        cx.above.call(cx, Static(found.fset), [owner, value])
        return
    if hasattr(type(found), "__set__") and not isinstance(found, types.MemberDescriptorType):
        need_object(owner)
    refuse_iterators(cx, value)
    if isinstance(value, (Tup, Dict)) and not isinstance(value, Instance):
        escape(cx, value)
    elif not isinstance(value, (Num, Arr, Lazy, Object, Static, Union)):
        need_object(owner)
    variable = _variable(owner, name)
    note_assigned_of_argument(cx, owner.cls, name)
    if variable not in cx.learned.attributes:
        others = _stored(fr.tree) & set(owner.keys)
        _learn(cx, cx.learned.attributes, {variable, *(_variable(owner, x) for x in others)})
    value = named(cx, pin(cx, value, name), name)
    if name not in owner.keys:  # a new one: Python has it at once, in the order in which they come
        depend_on_member(cx, owner.cls, name)
        if not is_plain(cx, value, False):
            need_object(owner)
        escape(cx, value)
        _set(cx, owner, name, value)
        _bind(cx, owner, fr, {variable: value})
        return
    if not all(is_plain(cx, v, False) for v in (cx.initial[variable], read_name(cx, fr.env[variable]))):
        need_object(owner)  # what it was may run code when nobody holds it any more
    now = fr.env[variable]
    if value is now or (isinstance(value, Arr) and value.whole and isinstance(now, Arr) and value == now):
        return
    _bind(cx, owner, fr, {variable: value})


def _stored(tree: ast.AST | None) -> set[str]:
    """Names of attributes that a text sets."""
    every = [] if tree is None else ast.walk(tree)
    return {x.attr for x in every if isinstance(x, ast.Attribute) and isinstance(x.ctx, ast.Store)}


def _learn(cx: Lowering, known: set[str], variables: Iterable[str]) -> None:
    known.update(variables)
    cx.learned.changed = True
    raise Restart


def _bind(cx: Lowering, owner: Instance, fr: Frame, values: dict[str, Value]) -> None:
    """Let the variables of attributes have other values from here on. That holds where the frame's own statements are lowered."""
    if cx.region != fr.region or any(s.consumer is not None for s in fr.loops):
        need_object(owner)
    for scope in fr.loops:
        _carry(cx, fr, scope, set(values))
    for variable, value in values.items():
        bind(cx, fr, variable, value)


def _carry(cx: Lowering, fr: Frame, scope: LoopScope, variables: set[str]) -> None:
    """A loop, or a try statement, sets these variables: lower again, if that was not known, with all that its text sets."""
    if not variables <= scope.names:
        assert scope.place is not None
        here = (scope.place.line, scope.place.col)
        every = ast.walk(fr.tree) if fr.tree is not None else ()
        text = next((x for x in every if (getattr(x, "lineno", 0), getattr(x, "col_offset", 0)) == here), None)
        named_there = _stored(text)
        more = {v for v in cx.learned.attributes if v.rpartition(".")[2] in named_there}
        _learn(cx, cx.learned.attributes_of_loops.setdefault(scope.place, set()), variables | more)


def _owner_of(cx: Lowering, variable: str) -> Instance:
    found: Instance = next(x for x in cx.instances if variable.startswith(x.name + "."))
    return found


# --- functions that are compiled along ----------------------------------------------------------------------------------


def enter(cx: Lowering, fr: Frame) -> None:
    """A function begins that is compiled along: it knows what its caller knows."""
    around = holder(cx)
    if around is None or not cx.instances or fr.consumer is not None:
        return
    known = {n: around.env.get(n) for n in sorted(cx.learned.attributes)}
    fr.attributes = {
        n: pin(cx, read_name(cx, v), n.rpartition(".")[2])
        for n, v in known.items()
        if v is not None and not (isinstance(v, MaybeUnbound) and n not in cx.initial)
    }
    fr.env.update(fr.attributes)
    fr.region = cx.region


def changed_by(cx: Lowering, fr: Frame, apart: bool) -> dict[str, Value]:
    """What the attributes are behind all ways out of a function, where it has changed them."""
    out: dict[str, Value] = {}
    for n in sorted({n for s in fr.returns or () for n in s.attributes}):
        values = [(s.block, s.attributes.get(n)) for s in fr.returns or ()]
        if any(v is not (fr.attributes or {}).get(n) for _, v in values):
            known = [(block, v) for block, v in values if v is not None and not isinstance(v, MaybeUnbound)]
            if len(known) < len(values):  # set on some of the ways
                need_object(_owner_of(cx, n))
            out[n] = merge_values(cx, known, n.rpartition(".")[2], apart=apart)
    return out


def give_back(cx: Lowering, values: dict[str, Value]) -> None:
    """A function is over: its caller goes on with the attributes that it has changed."""
    around = holder(cx)
    if values:
        assert around is not None
        _bind(cx, _owner_of(cx, min(values)), around, values)


def leave_by_exception(cx: Lowering, fr: Frame, scope: Any) -> None:  # any: a LoopScope
    """An exception goes from a function that is compiled along to a handler in `fr`: its variables become what the attributes are now."""
    inner = holder(cx)
    if inner is None or inner is fr or fr.attributes is None:
        return
    between = [f for f in cx.frames[cx.frames.index(fr) + 1 :] if f.attributes is not None]
    changed = {n for n in cx.learned.attributes if any(f.env.get(n) is not f.attributes.get(n) for f in between)}
    if changed:
        _carry(cx, fr, scope, changed)
    for n in sorted(changed):
        if n not in cx.initial or isinstance(fr.env.get(n), (MaybeUnbound, NoneType)):
            need_object(_owner_of(cx, n))
        write_var(cx, fr, n, without_type(fr.env[n]), read_name(cx, inner.env[n]))


# --- where Python can look ----------------------------------------------------------------------------------------------


def write_back(cx: Lowering, node: nodes.Node) -> None:
    """Before a call back, an exception or the end of the function: set the attributes that may have changed."""
    if (
        not cx.learned.attributes
        or cx.writing_back
        or isinstance(node, nodes.Raise)
        and is_limit(node.exception, node.message)
    ):
        return
    fr = holder(cx)
    assert fr is not None
    cx.writing_back = True
    try:
        for owner in cx.instances:
            for name in owner.keys:
                variable = _variable(owner, name)
                if variable in cx.learned.attributes and fr.env[variable] is not cx.initial[variable]:
                    _set(cx, owner, name, read_name(cx, fr.env[variable]))
    finally:
        cx.writing_back = False


def _set(cx: Lowering, owner: Instance, name: str, value: Value) -> None:
    """Let Python set the attribute."""
    assert owner.object is not None
    call_by_name(cx, _SET, [owner.object, Static(name), value])


def before_call(cx: Lowering, target: str, values: Sequence[Value]) -> None:
    """A call back with these operands: it must not run code that could change the attributes."""
    around = cx
    while around.caller is not None:  # a function that calls itself
        around = around.caller
    if around.instances and not around.writing_back and not is_harmless(cx, target, values):
        need_object(around.instances[0])


def is_harmless(cx: Lowering, target: str, values: Sequence[Value]) -> bool:
    """Tell whether a function runs no code of the program on these operands, nor a library's, which may know the instance."""
    owned = bool(values) and any(values[0] is x.object for x in cx.instances)
    if target in (_SET, "builtins.getattr") and owned:
        return True
    if target == "builtins.print" and is_of_the_user(type(sys.stdout)):
        return False
    if _leaves_items_alone(target) or _lets_numbers_go(cx, target, values):
        return all(is_plain(cx, v, True) for v in values)
    if (
        target == "builtins.print"
        or target.startswith(("numpy.random._generator.Generator.", "numpy.random.mtrand.RandomState."))
        or is_pure_name(target)
    ):
        return all(is_plain(cx, v, False) for v in values)
    return False


def _leaves_items_alone(target: str) -> bool:
    """Does this run no code of the items of a list?"""
    if target in (FILL, LOOK, DIFFERENT, HERE + "make_dict"):
        return True
    facts = known_by_name(target)
    return (
        facts is not None and "drops" not in facts and not facts.words.isdisjoint(("blind", "keyed", "steps", "holds"))
    )


def _lets_numbers_go(cx: Lowering, target: str, values: Sequence[Value]) -> bool:
    """Does this change a list in which there are only numbers, or such lists, so that no code runs when items go?"""
    if target != "operator.setitem" and not target.startswith("builtins.list."):
        return False
    facts = known_by_name(target)
    owner = values[0] if values else None
    return facts is not None and facts.changes == "0" and isinstance(owner, Object) and _holds_numbers(cx, owner.type)


def _holds_numbers(cx: Lowering, kind: ObjectType) -> bool:
    if kind.cls is not list or kind.item is None:
        return False
    element = element_read(cx.learned, kind.item)
    if element is None or element.form == "number":
        return True
    return element.form == "object" and element.object is not None and _holds_numbers(cx, element.object)


def is_plain(cx: Lowering, v: Value, lists: bool) -> bool:
    """Tell whether working with this value is Python's and NumPy's business alone. lists: it may be a list of anything."""
    match v:
        case Num() | Arr() | Lazy() | RangeVal() | SliceVal():
            return True
        case Union():
            return v.wide is not None or all(is_plain(cx, x, lists) for x in v.options)
        case Static():
            return not runs_the_program(v.obj)
        case Tup():
            return (v.cls is None or hasattr(v.cls, "_fields")) and all(is_plain(cx, x, lists) for x in v.items)
        case Dict():
            return v.cls is None and all(is_plain(cx, x, lists) for x in v.items.values())
        case Object():
            if v.type.cls in (str, bytes, np.random.Generator, np.random.RandomState):
                return True
            return lists and (v.type.cls is list or bool(is_list_argument(cx, v)))
    return False
