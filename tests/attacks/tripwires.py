"""Objects of which every use is noticed: what compiling must never do, each of them tells."""

from __future__ import annotations

import collections
import concurrent.futures
import dataclasses
import enum
import functools
import queue
import sys
import threading
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

met: list[str] = []  # what was used since the last look


def met_by(what: str) -> Callable[..., Any]:
    """A method that tells it was called, and raises."""

    def method(*args: Any, **kwargs: Any) -> Any:
        met.append(what)
        raise AttributeError(what) if what == "__getattr__" else TypeError(f"used: {what}")

    return method


_SPECIAL = (
    "add radd iadd sub rsub mul rmul truediv floordiv mod pow matmul rmatmul lshift rshift and or xor neg pos abs invert eq ne lt le gt ge bool len "
    "getitem setitem delitem iter next contains call enter exit index int float complex round str repr format hash reversed array getattr "
    "length_hint missing copy deepcopy reduce array_ufunc array_function"
)
Everything = type(
    "Everything",
    (),
    {f"__{n}__": met_by(f"__{n}__") for n in _SPECIAL.split()}
    | {n: property(met_by(n)) for n in ("dtype", "shape", "computed")}
    | {"method": met_by("method"), "__module__": __name__},
)


class Slot:
    def __get__(self, owner: object, cls: type) -> int:
        met.append("descriptor read")
        return 1

    def __set__(self, owner: object, value: object) -> None:
        met.append("descriptor set")


class Asked:
    """Every attribute is asked for."""

    slot = Slot()

    @functools.cached_property
    def slow(self) -> int:
        met.append("cached_property")
        return 1

    @classmethod
    def of_class(cls) -> int:
        met.append("classmethod")
        return 1

    def __getattribute__(self, name: str) -> Any:
        met.append(f"__getattribute__ {name}")
        return object.__getattribute__(self, name)


class Meta(type):
    def __getattr__(cls, name: str) -> Any:
        met.append(f"attribute {name} of the class")
        raise AttributeError(name)

    def __call__(cls, *args: Any) -> Any:
        met.append("call of the class")
        return type.__call__(cls, *args)

    def __instancecheck__(cls, x: object) -> bool:
        met.append("__instancecheck__")
        return False

    def __eq__(cls, other: object) -> bool:
        met.append("== of the class")
        return cls is other

    def __hash__(cls) -> int:
        met.append("hash of the class")
        return 1


class OfMeta(metaclass=Meta):
    pass


class List(list):  # type: ignore[type-arg]
    __getitem__ = __iter__ = __len__ = append = met_by("a list's method")  # type: ignore[assignment]


class Map(dict):  # type: ignore[type-arg]
    __getitem__ = __iter__ = __missing__ = values = get = met_by("a dict's method")  # type: ignore[assignment]


class Text(str):
    upper = __add__ = __eq__ = __hash__ = met_by("a text's method")  # type: ignore[assignment]


class Number(float):
    __add__ = __mul__ = met_by("a number's method")  # type: ignore[assignment]


class Pair(collections.namedtuple("Pair", "a b")):
    __slots__ = ()

    def __new__(cls, a: int, b: int) -> Any:
        met.append("__new__ of a named tuple")
        return super().__new__(cls, a, b)

    __getitem__ = met_by("an item of a named tuple")  # type: ignore[assignment]


class Walked(tuple):  # type: ignore[type-arg]
    __slots__ = ()
    __iter__ = met_by("a tuple's items")  # type: ignore[assignment]


class Array(np.ndarray):
    def __array_finalize__(self, other: object) -> None:
        met.append("__array_finalize__")

    sum = met_by("an array's method")  # type: ignore[assignment]


class Choice(enum.Enum):
    A = 1

    @classmethod
    def _missing_(cls, value: object) -> Choice:
        met.append("_missing_")
        return cls.A

    def __str__(self) -> str:
        met.append("a member's text")
        return "A"


class Level(enum.IntEnum):
    ONE = 1
    __add__ = __format__ = __index__ = met_by("a member's method")  # type: ignore[assignment]


class Made:
    """Making one is noticed."""

    def __new__(cls, *args: Any) -> Any:
        met.append("__new__")
        return object.__new__(cls)

    def __init__(self, *args: Any) -> None:
        met.append("__init__")

    def method(self) -> int:
        met.append("a method")
        return 1


def noticed(x: Any = 1.0) -> Any:
    """A function of the program."""
    met.append("a function")
    return x


def items() -> Iterator[int]:
    """A generator of the program."""
    met.append("a generator")
    yield 1


@dataclasses.dataclass
class Record:
    x: int = 1
    y: list[int] = dataclasses.field(default_factory=lambda: [noticed(1)])

    def __post_init__(self) -> None:
        met.append("__post_init__")


class Proxy:
    @property
    def __class__(self) -> type:  # type: ignore[override]
        met.append("__class__")
        return int

    @__class__.setter
    def __class__(self, cls: type) -> None:
        pass


def _of_module(name: str) -> int:
    if name.startswith("__"):  # which test runners ask all modules for
        raise AttributeError(name)
    met.append(f"attribute {name} of the module")
    return 1


lazy = types.ModuleType("lazy_module_of_the_tests")
lazy.__getattr__ = _of_module  # type: ignore[method-assign]
sys.modules[lazy.__name__] = lazy

t, asked, proxy = Everything(), Asked(), Proxy()
numbers, table, text, number = List([1, 2]), Map(a=1), Text("abc"), Number(2.0)
pair, walked = tuple.__new__(Pair, (1, 2)), tuple.__new__(Walked, (1, 2))
array, made = np.zeros(3).view(Array), object.__new__(Made)
ufunc, vectorized = np.frompyfunc(noticed, 1, 1), np.vectorize(noticed)
partial, cached, wrapped = functools.partial(noticed), functools.lru_cache(noticed), functools.wraps(np.sum)(noticed)
defaults = collections.defaultdict(noticed)
several, by_name, with_it = [t, t], {"a": t}, (t, 1)
objects = np.empty(2, object)
objects.fill(t)
waiting, event, future, lock = queue.Queue[int](), threading.Event(), concurrent.futures.Future[int](), threading.Lock()
lock.acquire()
met.clear()
