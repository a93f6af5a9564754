"""What may be called while a function is compiled: functions known to have no effect, on operands made for the call.

The front end finds out what calls give by making them on examples. A call is made only if

* the function's row in `base/knowledge` says that it has no effect on them, and it is the very object that Python or NumPy ships: no wrapper, no subclass, nothing
  that was put in its place,
* each operand is of a class that Python or NumPy ships, made for the call or immutable, down to the items of containers, and
* the cost does not grow with a number among the operands.

Everything else raises `Impure`, and the result is then whatever the run gives.
"""

from __future__ import annotations

import contextlib
import enum
import functools
import os
import sys
import types
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from soljit.base.knowledge import table
from soljit.base.knowledge.bounded import MOST_ELEMENTS, is_bounded
from soljit.base.knowledge.table import LOOKS, Facts
from soljit.base.python.members import written_member
from soljit.base.python.names import is_made_by_namedtuple, owner_of, reached, whose
from soljit.base.python.object_names import is_from_a_statement, ufunc_name

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_SHIPPED = (os.path.dirname(os.__file__), os.path.dirname(np.__file__), _PACKAGE)  # folders of Python, NumPy, soljit
_WRITTEN_IN_C = (
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.ClassMethodDescriptorType,
    types.MethodWrapperType,
)
_DISPATCHER: Any = type(np.sum)  # NumPy's own functions, which look for __array_function__ first
_CYTHON = type(np.random.Generator.normal)
_DRAWING = {"ranf": "random_sample", "sample": "random_sample"}
_METHODS = (types.MethodType, types.BuiltinMethodType)
_SCALARS = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis), type(NotImplemented))
_LISTS = (list, tuple, set, frozenset)
_UNCHANGING = (*_SCALARS, tuple, frozenset, range, slice, np.generic, np.dtype, np.ufunc, enum.Enum)


class Impure(Exception):
    """This call is not made while compiling: it may have an effect, or take for ever."""


class Anything:
    """Stands for any object in examples: it can become a number, and nothing more is known of it."""

    def __float__(self) -> float:
        return 1.0

    def __int__(self) -> int:
        return 1


def nothing(*args: object) -> None:
    """Stands for a function of the program in examples."""


def first_item(items: Iterable[Any]) -> Any:
    """The first item of what can be iterated over."""
    return next(iter(items))


def attempt(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any] | None = None) -> Any:
    """Call a pure function on operands; `Impure` if it is not known to be one, else what it gives or raises.

    Neither the warnings nor the flags and streams of the program show that it was called.
    """
    named = dict(kwargs or {})
    check_pure(function, args, named)
    if _is_of_global_stream(function):
        function = getattr(np.random.RandomState(0), _DRAWING.get(function.__name__, function.__name__))
    decimal = sys.modules.get("decimal")
    flags = contextlib.nullcontext() if decimal is None else decimal.localcontext()
    with warnings.catch_warnings(), np.errstate(all="ignore"), flags:
        warnings.simplefilter("ignore")
        return function(*args, **named)


def attempt_method(owner: Any, name: str, args: Sequence[Any], kwargs: Mapping[str, Any] | None = None) -> Any:
    """Call a method of an operand likewise."""
    attempt(getattr, (owner, name))
    held = written_member(type(owner), name)
    alone = isinstance(held, (staticmethod, classmethod, types.ClassMethodDescriptorType))
    return attempt(getattr(type(owner), name, None), args if alone else (owner, *args), kwargs)


def error_of(function: Any, args: Sequence[Any]) -> Exception | None:
    """What a pure function raises for these operands; None: nothing, or it may not be called."""
    try:
        attempt(function, args)
    except Impure:
        return None
    except RecursionError:
        raise
    except Exception as e:
        return e
    return None


def check_pure(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """Raise `Impure` unless the call may be made now."""
    name = name_of(function)
    if name is None:
        raise Impure(f"{getattr(function, '__name__', function)!r} is not known to have no effect")
    given = [*args, *kwargs.values()]
    if not all(map(is_operand, given)):
        classes = ", ".join(type(x).__name__ for x in given)
        if not (name in table.named("stops") and all(is_operand(x) or _class_among(x, "endless") for x in given)):
            raise Impure(f"{name} of {classes}, not all of which are known to have no effect")
    if not is_bounded(name, given):
        raise Impure(f"{name}, whose cost grows with a number that it is given")


def is_pure(function: Any) -> bool:
    """Tell whether this function, class or method has no effect."""
    return name_of(function) is not None


def is_pure_name(dotted: str) -> bool:
    """Tell whether the dotted name leads to something that has no effect, whatever it is given."""
    try:
        name = name_of(reached(dotted))
    except LookupError:
        return False
    return name is not None and "calls" not in (table.rows().get(name) or LOOKS)


def known(function: Any) -> Facts | None:
    """What is known of this function, class or method, if it is the one that Python or NumPy ships."""
    name = _name(function)
    if name is None:
        return None
    if isinstance(owner_of(function), np.ufunc):
        return _AT if name.endswith(".at") else LOOKS
    return table.rows().get(name, LOOKS)


def looks_at_the_frame(module: str, name: str) -> bool:
    """Tell whether this function of Python's library looks at the running function, at the interpreter or at the outside world."""
    facts = table.rows().get(f"{module}.{name}")
    return facts is not None and "frame" in facts


def known_by_name(dotted: str) -> Facts | None:
    """What is known of the function to which this name leads."""
    try:
        return known(reached(dotted))
    except LookupError:
        return None


# --- functions ----------------------------------------------------------------------------------------------------------


_AT = Facts(changes="0")  # what a method `at` of a ufunc does
_UFUNC_METHODS = frozenset({"accumulate", "at", "outer", "reduce", "reduceat", "resolve_dtypes"})


def name_of(function: Any) -> str | None:
    """The name of a function, class or method without effect; None: it is another one, or not the one that Python or NumPy ships."""
    name = _name(function)
    return name if name is None or table.rows().get(name, LOOKS).tried else None


def _name(function: Any) -> str | None:
    """The name under which a function, class or method has a row; None: it has none, or is not the one that Python or NumPy ships."""
    found = _index().get(id(function))
    if found is not None:
        return found[1] if found[0] is function else None
    if isinstance(function, np.ufunc):
        return _name_of_ufunc(function)
    if _is_of_global_stream(function):
        return _listed(vars(np.random.RandomState).get(_DRAWING.get(function.__name__, function.__name__)))
    owner = owner_of(function)
    if isinstance(function, types.WrapperDescriptorType):
        return (
            f"{function.__objclass__.__qualname__}.{function.__name__}"
            if is_known_class(function.__objclass__)
            else None
        )
    if owner is None or isinstance(owner, types.ModuleType):
        return None
    name: str = function.__name__
    if isinstance(owner, np.ufunc):
        of = _name_of_ufunc(owner)
        return f"{of}.{name}" if of is not None and name in _UFUNC_METHODS else None
    if isinstance(owner, type):
        member = (
            next((vars(c)[name] for c in owner.__mro__ if name in vars(c)), None) if is_known_class(owner) else None
        )
        return _listed(member)
    if is_unchanging(owner):
        return _listed(next((vars(c)[name] for c in type(owner).__mro__ if name in vars(c)), None))
    return None


def _listed(member: Any) -> str | None:
    """The name of what the dict of a class holds."""
    found = _index().get(id(getattr(member, "__func__", member)))
    return None if found is None else found[1]


def _is_of_global_stream(function: Any) -> bool:
    """Tell whether this is a method of the generator behind the functions of `numpy.random`, or another name of one."""
    if isinstance(function, _METHODS):
        return function.__self__ is np.random.mtrand._rand
    return isinstance(function, _CYTHON) and any(function is vars(np.random.mtrand).get(name) for name in _DRAWING)


def _name_of_ufunc(ufunc: np.ufunc) -> str | None:
    """The name of a ufunc of NumPy or SciPy; not of one that calls a Python function."""
    if type(ufunc) is not np.ufunc or all(set(t) <= set("O->") for t in ufunc.types):
        return None
    return ufunc_name(ufunc)


_known: dict[int, tuple[Any, str]] = {}
_loaded: tuple[bool, ...] = ()
_seen: tuple[int, str] = (0, "")  # how many modules were loaded when that was looked up, and which came last


def _index() -> dict[int, tuple[Any, str]]:
    """The objects of the table, as far as their modules are loaded, by their ids."""
    global _known, _loaded, _seen
    now = len(sys.modules), next(reversed(sys.modules), "")
    if now != _seen and (loaded := tuple(m in sys.modules for m in _modules())) != _loaded:
        _known, _loaded = dict(_objects()), loaded
    _seen = now
    return _known


@functools.cache
def _modules() -> tuple[str, ...]:
    return tuple(o for o in table.owners() if not o.rpartition(".")[2][:1].isupper())


def _objects() -> Iterable[tuple[int, tuple[Any, str]]]:
    """The rows of the table, each name with what it leads to where that is shipped."""
    for row, names in table.owners().items():
        space = _space_of(row)
        for name in names:
            member = space.get(name)
            function = getattr(member, "__func__", member)  # what a staticmethod or classmethod holds
            if function is not None and is_shipped(function):
                yield id(function), (function, f"{row}.{name}")


def _space_of(row: str) -> Mapping[str, Any]:
    """The dict of a module or class by its name; an empty one if its module is not loaded."""
    parts = row.split(".")
    for k in range(len(parts), 0, -1):
        found: Any = sys.modules.get(".".join(parts[:k]))
        if found is not None:
            for part in parts[k:]:
                found = vars(found).get(part, type(None))
            return {} if found is type(None) else dict(vars(found))
    return {}


def is_shipped(value: Any) -> bool:
    """Tell whether this is a function or class that Python or NumPy ships, not something that was put in its place."""
    if isinstance(value, types.FunctionType):
        return is_shipped_code(value.__code__)
    if isinstance(value, _DISPATCHER):
        return is_shipped(value._implementation)
    module = getattr(getattr(value, "__objclass__", value), "__module__", None) or ""
    if isinstance(value, (type, *_WRITTEN_IN_C, np.ufunc, _CYTHON)) or whose(type(value).__module__) == "numpy":
        return not module or whose(module) in ("python", "numpy", "soljit")
    return False


def is_shipped_code(code: types.CodeType) -> bool:
    """Tell whether this code comes from the files of Python, NumPy or soljit."""
    file = code.co_filename
    installed = f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}"
    of_python, *others = (f"{folder}{os.sep}" for folder in _SHIPPED)
    if file.startswith((*others, "<frozen ")):
        return True
    return file.startswith(of_python) and not any(part in file for part in installed)


# --- operands -----------------------------------------------------------------------------------------------------------


def is_operand(x: Any) -> bool:
    """Tell whether a pure function may be given this without an effect on the program: only code of Python and NumPy works on it."""
    cls = type(x)
    if cls in _SCALARS or x is np._NoValue:
        return True
    if cls in _LISTS:
        return all(map(is_operand, x))
    if cls is dict:
        return all(is_operand(k) and is_operand(v) for k, v in x.items())
    if cls is slice:
        return all(is_operand(p) for p in (x.start, x.stop, x.step))
    if cls is range:
        return len(x) <= MOST_ELEMENTS if -sys.maxsize < x.stop - x.start < sys.maxsize else False
    if cls is np.ndarray:
        return not x.dtype.hasobject or x.size <= MOST_ELEMENTS and all(map(is_operand, x.ravel().tolist()))
    if isinstance(x, np.generic):
        return not is_from_a_statement(cls) or cls is np.record
    if isinstance(x, (np.dtype, enum.Enum)):
        return whose(cls.__module__) in ("python", "numpy")
    if isinstance(x, tuple):
        return _is_named_tuple(cls) and all(map(is_operand, x))
    if isinstance(x, (types.GeneratorType, types.FunctionType)) and _is_ours(x):
        return True
    if cls is functools.partial:
        return is_pure(x.func) and is_operand(x.args) and is_operand(x.keywords)
    if isinstance(x, type):
        return is_pure(x) or _is_without_effect(x)
    if _class_among(x, "operand"):
        factory = getattr(x, "default_factory", None)
        return (factory is None or is_pure(factory)) and (not isinstance(x, dict) or is_operand(dict(x)))
    return callable(x) and is_pure(x)


def is_unchanging(x: Any) -> bool:
    """Tell whether this is an operand that no method changes."""
    return _class_among(x, "immutable") or isinstance(x, _UNCHANGING) and is_operand(x)


def copied(x: Any) -> Any:
    """The same value, made for a call: containers anew, what cannot change itself; `Impure` for everything else."""
    cls = type(x)
    if cls in _LISTS:
        return cls(map(copied, x))
    if cls is dict:
        return {copied(k): copied(v) for k, v in x.items()}
    if is_operand(x) and (is_unchanging(x) or callable(x)):
        return x
    raise Impure(f"an object of {cls.__name__}")


def _is_ours(x: Any) -> bool:
    """Tell whether this is soljit's own stand-in for a function or a generator."""
    return x is nothing or isinstance(x, types.GeneratorType) and x.gi_code.co_filename.startswith(_PACKAGE + os.sep)


def _class_among(x: Any, word: str) -> bool:
    """Has its very class, as shipped, a row with this word?"""
    cls = type(x)
    if cls.__module__ == "builtins" and f"builtins.{cls.__name__}" in table.named(word):
        return True
    return id(cls) in _classes(word, sum(_loaded))


@functools.lru_cache(maxsize=8)
def _classes(word: str, loaded: int) -> dict[int, type]:
    """The classes whose rows have this word, as far as their modules are loaded."""
    found = (_space_of(n.rpartition(".")[0]).get(n.rpartition(".")[2]) for n in table.named(word))
    return {id(c): c for c in found if isinstance(c, type) and is_shipped(c)}


def is_known_class(cls: type) -> bool:
    """Tell whether this is a class of Python's or NumPy's of which instances may be operands."""
    if cls in (*_SCALARS, *_LISTS, dict, range, slice):
        return True
    return (
        is_pure(cls)
        or issubclass(cls, np.generic)
        and not is_from_a_statement(cls)
        or id(cls) in _classes("operand", sum(_loaded))
    )


def _is_without_effect(cls: type) -> bool:
    """Tell whether this is an exception of Python's or NumPy's, an abstract class, or a type of elements, of which making instances has no effect."""
    if whose(cls.__module__) not in ("python", "numpy") or not any(
        vars(m).get(cls.__name__) is cls for m in _homes(cls)
    ):
        return False
    return issubclass(cls, (Exception, np.generic, np.dtype)) or bool(getattr(cls, "__abstractmethods__", None))


def _homes(cls: type) -> list[types.ModuleType]:
    return [
        m for m in (sys.modules.get(n) for n in (cls.__module__, "types", "numpy", "collections.abc")) if m is not None
    ]


def _is_named_tuple(cls: type) -> bool:
    """Tell whether this is a class of named tuples, of which no special method was written by the program."""
    if not isinstance(getattr(cls, "_fields", None), tuple):
        return cls.__module__ in ("sys", "time", "os") and not is_from_a_statement(cls)
    written = (f for c in cls.__mro__[:-2] for n, f in vars(c).items() if n.startswith("__"))
    functions = [f for f in written if isinstance(f, types.FunctionType)]
    return all(is_made_by_namedtuple(f) or is_shipped_code(f.__code__) for f in functions)
