"""Instances of the user's classes, made in compiled code: Python objects whose methods are compiled along.

What an attribute holds is found out like the items of a container, by class and name. A dataclass instance is a static `Dict` until its
attributes change in a loop or under a condition, or until a container holds it.
"""

from __future__ import annotations

import abc
import dataclasses
import inspect
import types
from typing import Any

from soljit.base.python.classes import has_plain_fields, is_transparent, is_written_by_dataclass
from soljit.base.python.dependency import cell_of
from soljit.base.python.members import written_member
from soljit.base.python.names import whose
from soljit.base.python.object_names import class_name
from soljit.frontend_ast.calls.classes.instance_attributes import field_of
from soljit.frontend_ast.calls.inlining import inline_function
from soljit.frontend_ast.joins.binding import named, pin
from soljit.frontend_ast.lowering.class_dependencies import depend_on_member
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.user_methods import written_method
from soljit.frontend_ast.objects.captured_attributes import outside_value
from soljit.frontend_ast.objects.contents import grow, put
from soljit.frontend_ast.objects.iterators import settled
from soljit.frontend_ast.objects.objects import call_by_name
from soljit.frontend_ast.objects.results import given_by
from soljit.frontend_ast.values.constants import constant
from soljit.frontend_ast.values.learned import widen
from soljit.frontend_ast.values.object_types import Element, ObjectType
from soljit.frontend_ast.values.values import Dict, Generated, Object, Static, Value
from soljit.support.objects import HERE

_PLAIN_DEFAULTS = (bool, int, float, complex, str, types.NoneType)  # that any call can be given
_PLAIN_DESCRIPTORS = (property, types.MemberDescriptorType, types.GetSetDescriptorType)


def is_users(cls: type) -> bool:
    """Tell whether this is a plain class of the user's, whose instances are nothing but their attributes."""
    of_a_program = whose(cls.__module__) in ("program", "soljit")  # soljit.support.box.Box
    if not of_a_program or type(cls) not in (type, abc.ABCMeta) or not is_transparent(cls):
        return False
    made = written_member(cls, "__init__")
    return made is object.__init__ or isinstance(made, types.FunctionType)


def _listed(cx: Lowering, v: Value) -> Value:
    """A list that a comprehension makes, as an instance holds it."""
    return settled(cx, v) if isinstance(v, Generated) and v.is_list else v


def make(cx: Lowering, cls: type, args: list[Value], kwargs: dict[str, Value]) -> Value | None:
    """`cls(...)` as an object; None: not one of these classes."""
    if not is_users(cls):
        return None
    args, kwargs = [_listed(cx, a) for a in args], {k: _listed(cx, v) for k, v in kwargs.items()}
    kind = ObjectType(cls, fields={}, site=cx.loc)
    whole = Element("object", object=kind)
    init = written_member(cls, "__init__")
    if dataclasses.is_dataclass(cls) and _sets_fields_only(cls, init):
        fields = {f.name: f for f in dataclasses.fields(cls) if f.init}
        given = dict(zip(fields, args)) | kwargs
        depend_on_member(cx, cls, "__init__")
        values: list[Value] = []  # of fields whose values are known here
        for name, f in fields.items():
            if name in given:
                values.append(given[name])
                put(cx, field_of(cx, kind, name), given[name])
            elif f.default_factory is not dataclasses.MISSING:
                widen(cx.learned, field_of(cx, kind, name), given_by(cx, Static(f.default_factory)))
            elif f.default is not dataclasses.MISSING:
                values += [constant(f.default)] if type(f.default) in _PLAIN_DEFAULTS else []
                put(cx, field_of(cx, kind, name), constant(f.default))
        fits = len(given) == len(args) + len(kwargs) and given.keys() <= fields.keys()
        if not fits or len(values) < len(fields) or _watches(cls):
            return call_by_name(cx, class_name(cls), args, whole, kwargs)
        depend_on_member(cx, cls, "__del__")
        return call_by_name(cx, HERE + "made", [Static(cls), Static(",".join(fields)), *values], whole)
    depend_on_member(cx, cls, "__del__")
    watches: dict[str, Value] = {"watches": Static(True)} if _watches(cls) else {}
    made = call_by_name(cx, HERE + "new", [Static(cls)], whole, watches)
    depend_on_member(cx, cls, "__init__")
    if isinstance(init, types.FunctionType):
        inline_function(cx, init, [made, *args], kwargs)
    elif args or kwargs:
        cx.raise_("TypeError", f"{cls.__name__}() takes no arguments")
    return made


def _watches(cls: type) -> bool:
    """Tell whether the class runs code of its own when an attribute is set, or when an instance goes."""
    found = (x for c in cls.__mro__ if c is not object for x in vars(c).values())
    setting = (written_member(type(x), "__set__") for x in found if not isinstance(x, _PLAIN_DESCRIPTORS))
    return written_member(cls, "__del__") is not None or any(x is not None for x in setting)


def _sets_fields_only(cls: type, init: Any) -> bool:
    """Tell whether this is the `__init__` that `dataclass` writes, and one that sets a field for each of its parameters in turn."""
    if not is_written_by_dataclass(init):
        return False
    fields: dict[str, dataclasses.Field[Any]] = getattr(cls, "__dataclass_fields__", {})
    plain = all(f._field_type.name == "_FIELD" and not getattr(f, "kw_only", False) for f in fields.values())  # type: ignore[attr-defined]
    return plain and not hasattr(cls, "__post_init__")


def method(cx: Lowering, owner: Object, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value | None:
    """A method of the user's class, compiled along; None: not one."""
    cls = owner.type.cls
    found = None if cls is None or owner.type.fields is None else written_member(cls, name)
    if cls is not None and isinstance(found, types.FunctionType):
        depend_on_member(cx, cls, name)
        return inline_function(cx, found, [owner, *args], kwargs)
    return None


def changes(cx: Lowering, owner: Dict) -> None:
    """An attribute of a static dataclass instance is set: that is right only where it was made."""
    if not cx.is_within(owner.home):
        grow(cx, owner)


def default_of(cx: Lowering, cls: type, init: Any, f: dataclasses.Field[Any]) -> Value | None:
    """What the `__init__` that `dataclass` has written gives a field without an argument: it keeps defaults as any function does, and the function
    that makes a new one in a cell. None: it gives nothing, or somebody has changed it.
    """
    depend_on_member(cx, cls, "__init__")
    if not cx.can_follow(init):
        return None
    if f.default_factory is not dataclasses.MISSING:
        cells = [n for n in init.__code__.co_freevars if n in (f"_dflt_{f.name}", f"__dataclass_dflt_{f.name}__")]
        made = cell_of(init, cells[0]) if cells else None
        return (
            None
            if made is None
            else cx.above.call(cx, outside_value(cx, init, "cell", cells[0], made.cell_contents), [])
        )
    given = inspect.signature(init).parameters.get(f.name)
    return None if given is None or given.default is given.empty else constant(given.default)


def make_dataclass(cx: Lowering, cls: type, args: list[Value], kwargs: dict[str, Value]) -> Value | None:
    """An instance of a dataclass as the values of its fields; None: not an ordinary one, or not an ordinary call."""
    fields: list[dataclasses.Field[Any]] = list(dataclasses.fields(cls))
    declared: dict[str, Any] = getattr(cls, "__dataclass_fields__", {})
    given = [f for f in fields if f.init and not getattr(f, "kw_only", False)]
    init = written_member(cls, "__init__")
    plain = is_written_by_dataclass(init) and is_transparent(cls) and has_plain_fields(cls)
    if not plain or len(args) > len(given) or not all(f.init for f in fields):
        return None
    bound = dict(zip([f.name for f in given], args))
    if bound.keys() & kwargs or kwargs.keys() - {f.name for f in fields}:
        return None
    if any(f._field_type.name != "_FIELD" for f in declared.values()):  # InitVar, ClassVar
        return None
    bound |= kwargs
    for f in fields:
        depend_on_member(cx, cls, f.name)
    for f in fields:
        if f.name in bound:
            continue
        if (default := default_of(cx, cls, init, f)) is None:
            return None
        bound[f.name] = default
    made = Dict({f.name: named(cx, pin(cx, bound[f.name]), f.name) for f in fields}, cls, home=cx.region, site=cx.loc)
    after = written_method(made, "__post_init__")
    if after is not None:
        depend_on_member(cx, cls, "__post_init__")
        inline_function(cx, after, [made], {})
    return made
