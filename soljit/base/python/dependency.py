"""What a compiled variant relied on outside its arguments: globals, closure cells, attributes, other functions.

The front end gives a `Dependency` for every captured value that it read at compile time. Before a variant runs, in this
process or found on disk by another, each dependency is looked up again by its path and compared with what it was; a
variant whose dependencies changed is never used.

A path starts at the jitted function and goes step by step:

    (("global", "K"),)                          global K of the function's module, or the builtin of that name
    (("cell", "n"),)                            closure variable n
    (("global", "helper"), ("global", "K"))     global K of function `helper`
    (("global", "config"), ("attr", "width"))   config.width
    (("global", "pair"), ("item", "0"))         the first item of the tuple `pair`
    (("global", "OPTIONS"), ("key", "width"))   OPTIONS["width"] of a dict
    (("global", "OPTIONS"), ("contents", ""))   what the list or dict OPTIONS holds
    (("global", "OPTIONS"), ("keys", ""))       the keys of the dict OPTIONS, in their order
    (("class", "mine:Model"), ("member", "k"))  what mine.Model or one of its bases holds as k, which nobody is asked for
    (("class", "mine:Model"), ("special", ""))  the bases of mine.Model, and the special methods that it has (`base/python/special_members.py`)
    (("global", "config"), ("type", ""))        the class of config
    (("static", "2"), ("cell", "n"))            closure variable n of the function passed as parameter leaf 2
    (("module", "heapq"), ("attr", "heappop"))  heapq.heappop, of a module that the function imports
    (("static", "0"), ("same", "…"))            whether that is the very object to which the path leads that is written there as JSON
    (("loaded", "mine"), ("attr", "f"))         mine.f, where importing that module may do something: as long as it is loaded
"""

from __future__ import annotations

import builtins
import importlib
import json
import sys
from collections.abc import Sequence
from types import CellType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any, NamedTuple

from soljit.base.other_compilers import compiled_along
from soljit.base.python.names import reached, whose
from soljit.base.python.special_members import special_members

Path = tuple[tuple[str, str], ...]


class Missing:
    """What a path that leads nowhere gives."""

    def __repr__(self) -> str:
        return "<missing>"


MISSING = Missing()


class Dependency(NamedTuple):
    """The variant is right only while `path` leads to `value` (functions: to a function with this code)."""

    path: Path
    value: object


def unwrap(function: Any) -> Any:
    """The plain function inside a jitted function or a bound method, else the object itself: also what `functools.wraps` has marked."""
    if not isinstance(function, FunctionType):
        function = held(function, "__wrapped__", function)
    return function.__func__ if isinstance(function, (MethodType, classmethod, staticmethod)) else function


def held(value: Any, name: str, otherwise: Any = None) -> Any:
    """An attribute that the object itself holds: no method of its class is asked for it."""
    try:
        attributes = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return otherwise
    return attributes.get(name, otherwise) if isinstance(attributes, (dict, MappingProxyType)) else otherwise


def jitted(value: Any) -> FunctionType | None:
    """The plain function inside a jitted one, soljit's or Numba's; None: it is something else."""
    if whose(type(value).__module__) != "soljit":
        return compiled_along(value)
    function = getattr(value, "python", None)
    return function if isinstance(function, FunctionType) else None


def attribute_of_plain(value: Any) -> str:
    """The attribute of a jitted function that holds the plain one; "": it is something else."""
    if jitted(value) is None:
        return ""
    return "python" if whose(type(value).__module__) == "soljit" else "py_func"


def cell_of(function: Any, name: str) -> CellType | None:
    """The closure cell of variable `name`, if the function has one."""
    function = unwrap(function)
    code = getattr(function, "__code__", None)
    if code is None or name not in code.co_freevars:
        return None
    cell: CellType = function.__closure__[code.co_freevars.index(name)]
    return cell


def builtins_of(function: Any) -> dict[str, Any]:
    """The names that a function finds behind those of its module: they were chosen when it was made."""
    space: dict[str, Any] = getattr(unwrap(function), "__builtins__", None) or vars(builtins)
    return space


def member(cls: type, name: str) -> Any:
    """What a class or one of its bases holds under this name; no descriptor and no metaclass is asked."""
    for c in type.__dict__["__mro__"].__get__(cls):
        found = vars(c).get(name, MISSING)
        if found is not MISSING:
            return found
    return MISSING


def imported(name: str) -> Any:
    """The module of this name, or MISSING."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return MISSING


def step(owner: Any, kind: str, name: str, statics: Sequence[object] = ()) -> Any:
    """One step of a path, or MISSING."""
    match kind:
        case "global":
            space = getattr(unwrap(owner), "__globals__", None)
            if space is None:
                return MISSING
            return space[name] if name in space else builtins_of(owner).get(name, MISSING)
        case "cell":
            cell = cell_of(owner, name)
            try:
                return MISSING if cell is None else cell.cell_contents
            except ValueError:  # the variable has no value yet
                return MISSING
        case "module":
            return imported(name)
        case "loaded":
            return MISSING if sys.modules.get(name) is None else sys.modules[name]
        case "attr":
            if isinstance(owner, ModuleType) and whose(owner.__name__) not in ("python", "numpy"):
                return vars(owner).get(name, MISSING)  # not what its `__getattr__` makes up
            return getattr(owner, name, MISSING)
        case "member":
            return member(owner, name) if isinstance(owner, type) else MISSING
        case "special":
            return special_members(owner) if isinstance(owner, type) else MISSING
        case "type":
            return type(owner)
        case "item":
            return owner[int(name)] if isinstance(owner, tuple) and int(name) < len(owner) else MISSING
        case "key":
            return owner.get(name, MISSING) if type(owner) is dict else MISSING
        case "contents":
            return contents(owner)
        case "keys":
            return tuple(owner) if type(owner) is dict else MISSING
        case "subclass":
            return _is_subclass(name, owner)
        case "class":
            module, _, names = name.partition(":")
            found: Any = sys.modules.get(module, MISSING)
            for part in names.split("."):
                found = getattr(found, part, MISSING)
            return found
        case "static":
            return statics[int(name)] if int(name) < len(statics) else MISSING
    raise ValueError(f"unknown step {kind!r} in the path of a dependency")


def _is_subclass(name: str, owner: Any) -> object:
    """Tell whether the class of this dotted name is one of `owner`'s. MISSING where nothing is found."""
    try:
        return issubclass(reached(name), owner)
    except (LookupError, TypeError):
        return MISSING


def contents(owner: Any) -> Any:
    """What a list or dict holds now; MISSING for anything else."""
    if type(owner) is dict:
        return tuple(owner.items())
    return tuple(owner) if type(owner) is list else MISSING


def resolve(function: Any, path: Path, statics: Sequence[object] = ()) -> Any:
    """Where `path` leads now, starting from `function`; MISSING if nowhere. `statics` are the argument leaves."""
    value: Any = function
    for kind, name in path:
        if kind == "same":
            return value is resolve(function, tuple((k, n) for k, n in json.loads(name)), statics)
        value = step(value, kind, name, statics)
        if value is MISSING:
            break
    return value
