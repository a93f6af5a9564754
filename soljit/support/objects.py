"""Functions that compiled code calls to work on Python objects."""

from __future__ import annotations

import builtins
import functools
import operator
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from soljit.base.messages import fill_in
from soljit.base.python.arrays import is_writable
from soljit.base.python.names import find

HERE = "soljit.support.objects."  # where compiled code finds the functions below


def same(value: object) -> object:
    """The object itself."""
    return value


def view(a: Any) -> Any:
    """Another array object that shows the same memory."""
    return a.view()


def frozen(a: Any) -> Any:
    """The array, which nobody writes from now on."""
    a.flags.writeable = False
    return a


def frozen_view(a: Any) -> Any:
    """A view that may not be written."""
    return frozen(a.view())


def set_attribute(owner: object, name: str, value: object) -> None:
    """Set an attribute of an instance whose class writes no method for that; a frozen dataclass has one only for others."""
    object.__setattr__(owner, name, value)


def is_integer(value: object) -> bool:
    """Tell whether this index stands for one element. (True and False are masks.)"""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def has_index(value: object) -> bool:
    """Tell whether this is an integer for lists and tuples."""
    return hasattr(type(value), "__index__")


def index_array(items: Sequence[object]) -> np.ndarray[Any, Any]:
    """What NumPy makes of a list in a subscript: one without items holds no floats there."""
    a: np.ndarray[Any, Any] = np.asarray(items)
    return a if a.size else a.astype(np.intp)


def make_dict(pairs: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:  # keys and values of any type
    """A dict of these items."""
    return dict(pairs)


def make_dtype(cls: Any, args: tuple[Any, ...], state: tuple[Any, ...] | None = None) -> np.dtype[Any]:
    """The dtype of these parts, which its `__reduce__` tells."""
    made: Any = cls(*args)
    if state is not None:
        made.__setstate__(state)
    return made  # type: ignore[no-any-return]


def is_same(a: object, b: object) -> bool:
    """`a is b`."""
    return a is b


def contains(container: Any, item: object) -> bool:  # any container
    """`item in container`."""
    return item in container


def steps(iterable: Iterable[object]) -> Iterator[object]:
    """`iter(iterable)` that runs through the items with `has_next` and `take`."""
    return Steps(iterable)


class Steps(Iterator[object]):
    """An iterator that can be asked first."""

    def __init__(self, iterable: Iterable[object]) -> None:
        self.rest = iter(iterable)
        self.item: object = None

    def __next__(self) -> object:
        return next(self.rest)

    def has_next(self) -> bool:
        """Go to the next item, if there is one."""
        try:
            self.item = next(self.rest)
        except StopIteration:
            return False
        return True

    def take(self) -> object:
        """The item that `has_next` found."""
        return self.item


def has_next(it: Steps) -> bool:
    """Go to the next item, if there is one."""
    return it.has_next()


def take(it: Steps) -> object:
    """The item that `has_next` found."""
    return it.item


def set_item(container: Any, key: object, value: object) -> None:  # any container
    """`container[key] = value`."""
    container[key] = value


def in_place(name: str, target: object, value: object) -> None:
    """`target <op>= value`, where the target keeps being the same object."""
    getattr(operator, name)(target, value)


def set_flat(a: Any, index: object, value: object) -> None:  # any array
    """`a.flat[index] = value`."""
    a.flat[index] = value


def new(cls: type, watches: bool = False) -> object:
    """An instance without attributes. watches: its class runs code when attributes are set, or when it goes"""
    return object.__new__(cls)


def made(cls: type, names: str, *values: object) -> object:
    """An instance of a dataclass whose `__init__` sets these fields (names with commas between them) and does nothing else."""
    return cls(*values)


def delete_item(container: Any, key: object) -> None:  # any container
    """`del container[key]`."""
    del container[key]


@functools.cache
def unpacker(count: int, star: int) -> Callable[[Any], tuple[Any, ...]]:
    """The function that unpacks something as `a, b, *c = …` does."""
    names = [f"x{k}" for k in range(count)]
    targets = ", ".join(f"*{n}" if k == star else n for k, n in enumerate(names))
    space: dict[str, Any] = {}
    exec(f"def unpack(o):\n    [{targets}] = o\n    return ({', '.join(names)},)", space)  # noqa: S102 (fixed text)
    made: Callable[[Any], tuple[Any, ...]] = space["unpack"]
    return made


def read_global(space: dict[str, Any], name: str) -> Any:  # any value
    """A global variable, or the builtin of its name."""
    if name in space:
        return space[name]
    if hasattr(builtins, name):
        return getattr(builtins, name)
    raise NameError(f"name '{name}' is not defined")


def of_module(module: str, name: str) -> Any:  # any value
    """An attribute of a module that is loaded."""
    return getattr(sys.modules[module], name)


def imported(module: str, name: str) -> Any:  # any value
    """What `from module import name` binds."""
    space: dict[str, Any] = {}
    exec(f"from {module} import {name} as found", space)  # noqa: S102 (names of a program's statement)
    return space["found"]


def enter(manager: Any) -> Any:  # what any manager gives
    """What `with manager as x` binds."""
    cls = type(manager)
    if not hasattr(cls, "__enter__"):
        raise TypeError(f"'{cls.__name__}' object does not support the context manager protocol")
    if not hasattr(cls, "__exit__"):
        raise TypeError(
            f"'{cls.__name__}' object does not support the context manager protocol (missed __exit__ method)"
        )
    return cls.__enter__(manager)


def leave(manager: Any, kind: object, error: object, trace: object) -> Any:  # what any manager gives
    """Leave a `with`; true: the exception is dealt with."""
    return type(manager).__exit__(manager, kind, error, trace)


def unpack(value: object, count: int, star: int) -> tuple[Any, ...]:
    """The items of `value` for `count` targets, of which number `star` takes a list."""
    return unpacker(count, star)(value)


def ordered(items: Iterable[object], keys: list[Any], reverse: bool = False) -> list[object]:
    """`sorted(items, key=…)` for keys that are known."""
    given = list(items)
    return [given[k] for k in sorted(range(len(given)), key=keys.__getitem__, reverse=reverse)]


def largest(items: Iterable[Any], keys: list[Any], **default: Any) -> Any:
    """`max(items, key=…)` for keys that are known."""
    given = list(items)
    return given[max(range(len(given)), key=keys.__getitem__)] if given else max(given, **default)


def smallest(items: Iterable[Any], keys: list[Any], **default: Any) -> Any:
    """`min(items, key=…)` for keys that are known."""
    given = list(items)
    return given[min(range(len(given)), key=keys.__getitem__)] if given else min(given, **default)


def call_it(function: Callable[..., Any], /, *args: object, **kwargs: object) -> Any:  # any function
    """`function(...)`; `operator.call` of Python 3.11 and later."""
    return function(*args, **kwargs)


def call_with(function: Callable[..., Any], args: Iterable[Any], *named: dict[str, Any]) -> Any:  # any function
    """`function(*args, **named[0], …)`; a name that is given twice is an error."""
    given: dict[str, Any] = {}
    for names in named:
        for twice in given.keys() & names:
            text = f"{function.__module__}.{function.__qualname__}() got multiple values for keyword argument {twice!r}"
            raise TypeError(text)
        given |= names
    return function(*args, **given)


def call_method(owner: object, name: str, /, *args: object, **kwargs: object) -> Any:  # any method
    """`owner.name(...)`."""
    return getattr(owner, name)(*args, **kwargs)


def make_exception(name: str, message: str | None, *operands: object) -> BaseException:
    """The exception that compiled code has raised and caught."""
    cls: Callable[..., BaseException] = find(name)
    return cls() if message is None else cls(fill_in(message, operands))


def throw(name: str, *args: object) -> None:
    """Raise an exception of the class with this dotted name."""
    raise find(name)(*args)


def throw_object(error: Any, *cause: Any) -> None:  # what the user raises, an exception or not
    """`raise error`, `raise error from cause`."""
    if cause:
        raise error from cause[0]
    raise error


def call(name: str, args: list[Any], kwargs: dict[str, Any] | None = None) -> Any:  # any function
    """Call the function with this dotted name."""
    function: Callable[..., Any] = find(name)
    return function(*args, **(kwargs or {}))


def close(iterator: object) -> None:
    """A generator that nothing holds any more ends; other iterators stay what they are."""
    if isinstance(iterator, types.GeneratorType):
        iterator.close()


def window(a: Any) -> tuple[object, ...]:
    """Which elements an array shows, and how: where it has one element along an axis, the stride does not matter."""
    strides = tuple(s for s, n in zip(a.strides, a.shape) if n > 1)
    return a.__array_interface__["data"][0], a.dtype, a.shape, strides


def is_seen_elsewhere(a: np.ndarray[Any, Any]) -> bool:
    """Tell whether what is written into this array may be seen through another one."""
    base = a.base
    only_this = (
        isinstance(base, np.ndarray) and base.base is None and sys.getrefcount(base) <= 3
    )  # a, base, getrefcount
    return is_writable(a) and base is not None and not only_this
