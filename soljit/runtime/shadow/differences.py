"""What differs between what the undecorated and what the compiled function left behind, in words.

No `__eq__` and no `__repr__` of the program's classes is called: instances are compared by what they hold. Identity counts: where one side has an
object that it had before, the other has its counterpart.
"""

from __future__ import annotations

import array
import collections
import enum
import functools
import random
import re
import types
import weakref
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from soljit.runtime.shadow.arrays import array_differences, elements
from soljit.runtime.shadow.attributes import attributes, is_jitted, is_of_python, type_name
from soljit.runtime.shadow.copies import root

_FLOATS = (float, complex, np.inexact)
_TEXTS = (int, str, bytes)
_ATOMS = (*_TEXTS, type(None), range, np.dtype, np.ufunc, types.ModuleType)
_IMMUTABLE = (tuple, frozenset, np.generic, type, slice, *_FLOATS, *_ATOMS)
_CODE = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.MethodWrapperType)


def _text_of(code: types.CodeType) -> tuple[object, ...]:
    """What of its source a code object shows. Python compiles calls of imported names otherwise in the module that imports them."""
    consts = [(type(c), _text_of(c) if isinstance(c, types.CodeType) else repr(c)) for c in code.co_consts]
    names = code.co_varnames, code.co_freevars, code.co_cellvars, sorted(code.co_names)
    return code.co_name, code.co_filename, code.co_firstlineno, code.co_flags, names, consts


class Difference(NamedTuple):
    """kind: "exception", "type", "dtype", "shape", "items", "identity", "layout", "values" or, the least of them, "last places"."""

    kind: str
    where: str
    text: str


class Pairs:
    """Which objects of the two sides stand for each other, and the memory of the arguments of both."""

    def __init__(self) -> None:
        self._there: dict[int, Any] = {}
        self._back: dict[int, Any] = {}
        self._memory: dict[int, Any] = {}
        self._memory_back: dict[int, Any] = {}
        self._alive: list[Any] = []  # so that no number is used twice

    def agree(self, x: object, y: object) -> bool:
        """Do the two stand for each other? From now on they do, if neither was seen before."""
        if self._there.setdefault(id(x), y) is not y or self._back.setdefault(id(y), x) is not x:
            return False
        self._alive.append((x, y))
        return True

    def remember_memory(self, x: np.ndarray, y: np.ndarray) -> bool:
        """Arrays of the arguments: do they lie in memory that stands for each other?"""
        one, other = root(x), root(y)
        self._alive.append((one, other))
        return self._memory.setdefault(id(one), other) is other and self._memory_back.setdefault(id(other), one) is one

    def same_memory(self, x: np.ndarray, y: np.ndarray) -> bool:
        """Arrays afterwards: is neither in memory of the arguments, or both in the same?"""
        one, other = root(x), root(y)
        return self._memory.get(id(one), other) is other and self._memory_back.get(id(other), one) is one


class Comparison:
    """Of one call, or of arguments with their copies (`before`). `opaque`: types of objects that nothing can be told of;
    scale: the largest floating-point number in the arguments."""

    def __init__(self, pairs: Pairs, before: bool = False, scale: float = 0.0) -> None:
        self.pairs, self.before, self.scale = pairs, before, scale
        self.opaque: set[str] = set()
        self._seen: set[tuple[int, int]] = set()
        self._alive: list[Any] = []

    def __call__(self, x: Any, y: Any, at: str) -> Iterator[Difference]:
        """Every difference of two values. x: what the undecorated function left, y: the compiled one."""
        if x is y or (id(x), id(y)) in self._seen:
            return
        if type(x) is not type(y):
            yield Difference("type", at, f"{type_name(type(y))} instead of {type_name(type(x))}")
            return
        if type(x) in _ATOMS:
            if x != y:
                yield Difference("values", at, f"{y!r:.80} instead of {x!r:.80}")
            return
        self._seen.add((id(x), id(y)))
        self._alive.append((x, y))
        if not isinstance(x, (*_IMMUTABLE, *_CODE, enum.Enum, weakref.ref)) and not self.pairs.agree(x, y):
            yield Difference("identity", at, f"another {type_name(type(x))} than the one that was there before")
        for kinds, compare in _ROWS:
            if isinstance(x, kinds):
                yield from compare(self, x, y, at)
                return
        yield from self._instances(x, y, at)

    def _atoms(self, x: Any, y: Any, at: str) -> Iterator[Difference]:
        kind: Any = next((k for k in _TEXTS if isinstance(x, k)), object)  # whatever methods a class made from it has
        if kind.__ne__(x, y):
            yield Difference("values", at, f"{kind.__repr__(y):.80} instead of {kind.__repr__(x):.80}")
        if kind is not object:
            yield from self._attributes(x, y, at)

    def _numbers(self, x: Any, y: Any, at: str) -> Iterator[Difference]:
        for kind, text in elements(np.asarray(x), np.asarray(y), self.scale):
            yield Difference(kind, at, text)

    def _arrays(self, x: Any, y: Any, at: str) -> Iterator[Difference]:
        if isinstance(x, np.ma.MaskedArray):
            yield from self(np.ma.getmask(x), np.ma.getmask(y), f"{at}.mask")
            yield from self(x.fill_value, y.fill_value, f"{at}.fill_value")
        one, other = (np.ndarray.view(a, np.ndarray) for a in (x, y))
        for kind, text in array_differences(one, other, self.scale):
            yield Difference(kind, at, text)
        if one.shape == other.shape and one.dtype == other.dtype == object:
            yield from self._items(one.ravel().tolist(), other.ravel().tolist(), f"{at}.flat")
        if one.size and not (self.pairs.remember_memory if self.before else self.pairs.same_memory)(one, other):
            yield Difference("identity", at, "shares memory with an argument in one of them only")
        if type(x) is not np.ndarray and not isinstance(x, np.ma.MaskedArray):
            yield from self._attributes(x, y, at)

    def _items(self, x: Any, y: Any, at: str) -> Iterator[Difference]:
        kind = list if isinstance(x, list) else tuple if isinstance(x, tuple) else collections.deque
        one, other = [*kind.__iter__(x)], [*kind.__iter__(y)]
        self._alive.append((one, other))
        if len(one) != len(other):
            yield Difference("items", at, f"{len(other)} items instead of {len(one)}")
        for k, (p, q) in enumerate(zip(one, other)):
            yield from self(p, q, f"{at}[{k}]")
        yield from self._attributes(x, y, at)

    def _dicts(self, x: Any, y: Any, at: str) -> Iterator[Difference]:
        one, other = [*dict.items(x)], [*dict.items(y)]
        if len(one) != len(other):
            yield Difference("items", at, f"{len(other)} keys instead of {len(one)}")
        for k, ((p, a), (q, b)) in enumerate(zip(one, other)):
            yield from self(p, q, f"key {k} of {at}")
            yield from self(a, b, f"{at}[{p!r:.40}]" if isinstance(p, (*_ATOMS, float)) else f"{at}[key {k}]")
        yield from self._attributes(x, y, at)

    def _sets(self, x: Any, y: Any, at: str) -> Iterator[Difference]:
        kind = set if isinstance(x, set) else frozenset
        one, other = (sorted(_key(i) for i in kind.__iter__(s)) for s in (x, y))
        if one != other:
            more = [k for k in other if k not in one] + [k for k in one if k not in other]
            yield Difference("items", at, f"sets differ in {', '.join(more[:3]):.80}")
        yield from self._attributes(x, y, at)

    def _functions(self, x: types.FunctionType, y: types.FunctionType, at: str) -> Iterator[Difference]:
        if (x.__qualname__, _text_of(x.__code__)) != (y.__qualname__, _text_of(y.__code__)):
            yield Difference("values", at, f"the function {y.__qualname__} instead of {x.__qualname__}")
            return
        yield from self(x.__defaults__, y.__defaults__, f"{at}.__defaults__")
        yield from self(x.__kwdefaults__, y.__kwdefaults__, f"{at}.__kwdefaults__")
        for name, p, q in zip(x.__code__.co_freevars, x.__closure__ or (), y.__closure__ or ()):
            try:
                yield from self(p.cell_contents, q.cell_contents, f"{name} of {at}")
            except ValueError:
                continue  # an empty cell

    def _methods(self, x: Any, y: Any, at: str) -> Iterator[Difference]:
        if (name := getattr(x, "__name__", "")) != getattr(y, "__name__", ""):
            yield Difference("values", at, f"{y.__name__} instead of {name}")
        if not isinstance(x.__self__, types.ModuleType):
            yield from self(x.__self__, y.__self__, f"{at}.__self__")

    def _partials(self, x: Any, y: Any, at: str) -> Iterator[Difference]:
        for name in ("func", "args", "keywords"):
            yield from self(getattr(x, name), getattr(y, name), f"{at}.{name}")

    def _exceptions(self, x: BaseException, y: BaseException, at: str) -> Iterator[Difference]:
        yield from self(x.args, y.args, f"{at}.args")
        yield from self._attributes(x, y, at)

    def _classes(self, x: type, y: type, at: str) -> Iterator[Difference]:
        if (x.__module__, x.__qualname__) != (y.__module__, y.__qualname__):
            yield Difference("values", at, f"the class {type_name(y)} instead of {type_name(x)}")

    def _members(self, x: enum.Enum, y: enum.Enum, at: str) -> Iterator[Difference]:
        if x._name_ != y._name_:
            yield Difference("values", at, f"{y._name_} instead of {x._name_}")

    def _generators(self, x: Any, y: Any, at: str) -> Iterator[Difference]:
        yield from self(_state(x), _state(y), f"the state of {at}")

    def _slices(self, x: slice, y: slice, at: str) -> Iterator[Difference]:
        yield from self((x.start, x.stop, x.step), (y.start, y.stop, y.step), at)

    def _weak(self, x: Any, y: Any, at: str) -> Iterator[Difference]:
        yield from self(x(), y(), f"{at}()")

    def _bytes(self, x: Any, y: Any, at: str) -> Iterator[Difference]:
        if bytes(x) != bytes(y):
            yield Difference("values", at, "other bytes")

    def _instances(self, x: Any, y: Any, at: str) -> Iterator[Difference]:
        if is_jitted(x):
            yield from self(x.python, y.python, at)
            return
        if is_of_python(type(x)):
            if not (x == y or (x != x and y != y)):
                yield Difference("values", at, f"{y!r:.80} instead of {x!r:.80}")
            return
        held = yield from self._attributes(x, y, at)
        if not held and type(x) is not object:  # of a class written in C, or without attributes
            try:
                one, other = x.__reduce_ex__(4), y.__reduce_ex__(4)
            except Exception:  # it cannot be pickled
                self.opaque.add(type_name(type(x)))
                return
            yield from self(one, other, at)

    def _attributes(self, x: Any, y: Any, at: str) -> Any:  # a generator that returns whether there are any
        one, other = attributes(x), attributes(y)
        if [*one] != [*other]:
            yield Difference("items", at, f"attributes {', '.join(other):.60} instead of {', '.join(one):.60}")
        for name in (n for n in one if n in other):
            yield from self(one[name], other[name], f"{at}.{name}")
        return bool(one or other)


def _state(x: Any) -> Any:
    """The numbers that a generator of random numbers goes on with."""
    if isinstance(x, random.Random):
        return x.getstate()
    if isinstance(x, np.random.RandomState):
        return x.get_state(legacy=False)
    return x.bit_generator.state if isinstance(x, np.random.Generator) else x.state


def _key(x: object) -> str:
    """An item of a set as text that does not depend on where it is in memory."""
    if isinstance(x, (*_ATOMS, *_FLOATS)):
        return f"{type(x).__name__} {x!r}"
    if isinstance(x, (tuple, frozenset)):
        return f"{type(x).__name__} {sorted(map(_key, x)) if isinstance(x, frozenset) else [*map(_key, x)]}"
    return type_name(type(x)) + (f".{x._name_}" if isinstance(x, enum.Enum) else "")


def exception_difference(x: BaseException | None, y: BaseException | None) -> Difference | None:
    """Exceptions by type and text; addresses in the text do not count."""
    texts = [e and f"{type_name(type(e))}: {_said(e)}" for e in (x, y)]
    if texts[0] == texts[1]:
        return None
    said = [f"{t:.150}" if t else "no exception" for t in texts]
    return Difference("exception", "call", f"{said[1]} instead of {said[0]}")


def _said(error: BaseException) -> str:
    try:
        return re.sub(r"0x[0-9a-f]{6,}", "0x…", str(error))
    except Exception:  # its __str__ is the program's
        return ""


def worst(found: Iterator[Difference]) -> Difference | None:
    """The first difference, or the first in the last places where there is no other."""
    least = None
    for d in found:
        if d.kind != "last places":
            return d
        least = least or d
    return least


_ROWS: tuple[tuple[Any, Callable[..., Iterator[Difference]]], ...] = (
    (enum.Enum, Comparison._members),
    (np.ndarray, Comparison._arrays),
    ((np.generic, float, complex), Comparison._numbers),
    (_ATOMS, Comparison._atoms),
    ((list, tuple, collections.deque), Comparison._items),
    (dict, Comparison._dicts),
    ((set, frozenset), Comparison._sets),
    (types.FunctionType, Comparison._functions),
    ((types.MethodType, types.BuiltinFunctionType, types.MethodWrapperType), Comparison._methods),
    (functools.partial, Comparison._partials),
    (type, Comparison._classes),
    (BaseException, Comparison._exceptions),
    ((np.random.Generator, np.random.RandomState, np.random.BitGenerator, random.Random), Comparison._generators),
    (slice, Comparison._slices),
    (weakref.ref, Comparison._weak),
    ((bytearray, memoryview, array.array), Comparison._bytes),
)
