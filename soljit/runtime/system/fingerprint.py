"""Text that stands for a value across processes: two values with one text make the same compiled code right.

Functions count by what they do (bytecode, constants, names, line table), not by where they stand, so that editing a
file above a function keeps its compiled code and editing the function does not. What a function reads from outside is a
`Dependency` of its own. `Unknown` is raised for values that no text stands for: such code is not kept on disk.
"""

from __future__ import annotations

import enum
import struct
import types
from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any

import numpy as np

from soljit.base.python.arrays import is_writable
from soljit.base.python.dependency import MISSING, Missing, jitted
from soljit.base.python.names import home, leads_to, owner_of, whose
from soljit.base.python.object_names import class_name, is_from_a_statement, ufunc_name
from soljit.ir.core.signature import ArgType, ArrayArg, DictArg, InstanceArg, ObjectArg, ScalarArg, StaticArg, TupleArg

try:  # `hashlib` loads OpenSSL, which takes longer than all the rest of a cache hit
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b


_IN_C = (
    types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType, types.MethodWrapperType, types.ClassMethodDescriptorType,
)  # fmt: skip


class Unknown(Exception):
    """This value has no fingerprint."""


def digest(*parts: str | bytes) -> str:
    """A short name for these texts."""
    h = blake2b(digest_size=20)
    for p in parts:
        data = p.encode("utf-8", "surrogatepass") if isinstance(p, str) else p
        h.update(b"%d:" % len(data))
        h.update(data)
    return h.hexdigest()


def code_text(code: types.CodeType) -> str:
    """What a code object does, and its lines relative to its first."""
    constants = ",".join(
        code_text(c) if isinstance(c, types.CodeType) else value_text(c, in_code=True) for c in code.co_consts
    )
    lines = getattr(code, "co_linetable", b"")
    return digest(
        code.co_code,
        constants,
        repr((code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_name, code.co_flags)),
        repr((code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)),
        lines,
        getattr(code, "co_exceptiontable", b""),
    )


def value_text(value: Any, in_code: bool = False) -> str:  # any: the user's value
    """The text that stands for a captured or static value; it goes into digests only."""
    cls = type(value)
    if value is None or value is Ellipsis or cls in (bool, int, str, bytes):
        return f"{cls.__name__} {value!r}"
    if cls is float:  # to the last bit of a NaN
        return f"float {struct.pack('<d', value).hex()}"
    if cls is complex:
        return f"complex {struct.pack('<dd', value.real, value.imag).hex()}"
    if cls in (tuple, list):
        return f"{cls.__name__}({','.join(value_text(x, in_code) for x in value)})"
    if cls in (set, frozenset):
        return f"{cls.__name__}({','.join(sorted(value_text(x, in_code) for x in value))})"
    if cls is dict:
        return f"dict({','.join(value_text(k) + ':' + value_text(v) for k, v in value.items())})"
    if cls is slice:
        return f"slice{value_text((value.start, value.stop, value.step))}"
    if cls is range:
        return repr(value)
    if isinstance(value, Missing):
        return "missing"
    return _numpy_text(value) or _object_text(value)


def _numpy_text(value: Any) -> str:
    if isinstance(value, np.dtype):
        return f"dtype {value_text(value.__reduce__())}"  # all that there is to see, with metadata and the dtypes of fields
    if isinstance(value, np.ufunc) and (name := ufunc_name(value)) is not None:
        return f"ufunc {name}"
    if isinstance(value, np.generic):
        return f"{type(value).__name__} {_numpy_text(value.dtype)} {value.tobytes().hex()}"
    if type(value) is np.ndarray:
        if value.dtype.hasobject:
            raise Unknown("array of objects")
        data = digest(np.ascontiguousarray(value).tobytes())
        return f"array {_numpy_text(value.dtype)} {value.shape} {value.strides} {is_writable(value)} {data}"
    return ""


def _object_text(value: Any) -> str:
    function = jitted(value) or value
    if isinstance(function, types.FunctionType):
        defaults = value_text((function.__defaults__ or (), function.__kwdefaults__ or {}))
        return f"function {home(function.__module__ or '')}.{function.__qualname__} {code_text(function.__code__)} {defaults}"
    if isinstance(value, types.ModuleType):
        return f"module {value.__name__}"
    if isinstance(value, type):
        return class_text(value)
    if isinstance(value, enum.Enum):
        inside = type(value) in _inside.get()  # then its value says more than its class
        return f"{class_text(type(value))}.{value.name} {value_text(value._value_) if inside else ''}"
    if isinstance(value, types.CodeType):
        return f"code {code_text(value)}"
    if isinstance(value, property):
        return f"property {value_text((value.fget, value.fset, value.fdel))}"
    if isinstance(value, (staticmethod, classmethod)):
        return f"{type(value).__name__} {value_text(value.__func__)}"
    if isinstance(value, types.MethodType) and leads_to(name := f"numpy.random.{value.__name__}", value):
        return f"numpy {name}"
    if isinstance(value, types.MethodType):
        return f"method {value_text(value.__func__)} {value_text(value.__self__)}"
    if isinstance(value, _IN_C):
        return f"builtin {_builtin_text(value)}"
    if (
        whose(type(value).__module__) in ("numpy", "python")
        and hasattr(value, "__qualname__")
        and leads_to(name := class_name(value), value)
    ):
        return f"shipped {name}"
    raise Unknown(f"{type(value).__module__}.{type(value).__qualname__}")


def _builtin_text(value: Any) -> str:
    """A function or method that is written in C: by its name, one that is bound to an object with that, too."""
    name, owner = class_name(value), owner_of(value)
    if owner is None or isinstance(owner, (type, types.ModuleType)) or leads_to(name, value):
        return name
    return f"{name} of {value_text(owner)}"


def class_text(cls: type) -> str:
    """A class: by name if it is written in C, else with all its methods and plain attributes."""
    name = f"class {home(cls.__module__)}.{cls.__qualname__}"
    if not is_from_a_statement(cls) or cls.__module__ == "builtins" or whose(cls.__module__) == "numpy":
        return name
    if cls in (around := _inside.get()):  # a member leads back to the class, as those of an Enum do
        return name
    token = _inside.set((*around, cls))
    try:
        return f"{name} {digest(name, *_class_parts(cls))}"
    finally:
        _inside.reset(token)


_inside: ContextVar[tuple[type, ...]] = ContextVar("classes being described", default=())


def _class_parts(cls: type) -> list[str]:
    """The bases and members of a class."""
    parts = [class_text(b) for b in cls.__bases__]
    for key, member in sorted(vars(cls).items()):
        function = getattr(member, "__func__", getattr(member, "fget", member))
        if isinstance(function, types.FunctionType):
            parts.append(f"{key} {type(member).__name__} {code_text(function.__code__)}")
        elif not key.startswith("__"):
            try:
                parts.append(f"{key} {value_text(member)}")
            except Unknown:
                parts.append(f"{key} {type(member).__qualname__}")
    return parts


def type_key(t: ArgType) -> str:
    """The text that stands for an argument's type."""
    match t:
        case ArrayArg():
            return f"A {t.dtype} {t.ndim} {t.order} {t.rank} {t.still} {t.shared} {t.writable} {t.alias} {t.same}"
        case ScalarArg():
            return f"S {t.dtype} {t.weak}"
        case StaticArg():
            return f"V {value_text(t.value)}"
        case ObjectArg():
            return f"O {class_text(t.type)} {value_text(t.dtype)} {t.ndim}"
        case TupleArg():
            return f"T {class_text(t.cls) if t.cls else ''} {t.mutable} ({types_key(t.items)})"
        case DictArg():
            return f"D {t.keys} ({types_key(t.items)})"
        case InstanceArg():
            return f"I {class_text(t.cls)} {t.keys} {t.absent} ({types_key(t.items)})"


def types_key(types_: Sequence[ArgType]) -> str:
    """The text that stands for a call's types."""
    return "; ".join(type_key(t) for t in types_)


def same_value(now: object, then: object) -> bool:
    """Tell whether code compiled with `then` would be right with `now`."""
    if now is then:
        return True
    if now is MISSING or then is MISSING or type(now) is not type(then):
        return False
    if isinstance(now, tuple) and isinstance(then, tuple):
        return len(now) == len(then) and all(map(same_value, tuple.__iter__(now), tuple.__iter__(then)))
    try:
        return value_text(now) == value_text(then)
    except Unknown:
        return False


def fingerprint(value: object) -> str:
    """What a record keeps of a captured value: a digest, because the value may be a password and is only compared."""
    return digest(value_text(value))


def has_fingerprint(value: object, wanted: str) -> bool:
    """Tell whether `value` has this fingerprint."""
    try:
        return fingerprint(value) == wanted
    except Unknown:
        return False


def type_fingerprint(t: ArgType) -> str:
    """What a record keeps of the type of a captured array."""
    return digest(type_key(t))
