"""What the user sees: `jit`, and the functions it makes."""

from __future__ import annotations

import functools
import os
import sys
import types
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, Generic, Literal, ParamSpec, Protocol, TypeVar, overload

from soljit.base import other_compilers
from soljit.base.errors import ArgumentError
from soljit.base.remarks import Remark
from soljit.base.settings import KEYWORDS, checked, current
from soljit.base.texts import Text
from soljit.runtime.build.native_dispatcher import Native, when_loaded
from soljit.runtime.calls.building import Begun
from soljit.runtime.calls.entry import Entry
from soljit.runtime.system.garbage_collection import fewer_collections
from soljit.runtime.variants.failures import without_ours

if TYPE_CHECKING:
    from soljit.base.python.sent_sources import Piece
    from soljit.runtime.profile.profile import Profile
    from soljit.runtime.shadow.report import ShadowReport
    from soljit.schedule.possible_steps import Moves
    from soljit.schedule.recipe import Recipe

P = ParamSpec("P")  # the parameters of a function,
R = TypeVar("R", covariant=True)  # and what it returns
Q = ParamSpec("Q")  # its parameters without `self`,
S = TypeVar("S", contravariant=True)  # and the class of that


def compile_variant(*args: Any) -> Begun:
    """`driver.compile_function`, loaded when it is needed: a cache hit must not pay for the compiler."""
    with fewer_collections():
        from soljit import driver

        return driver.compile_function(*args)


class _Decorator(Protocol):
    """What `jit(...)` with keywords alone gives."""

    def __call__(self, function: Callable[P, R], /) -> Jitted[P, R]: ...


_OF_THE_FUNCTION = ("__code__", "__defaults__", "__kwdefaults__", "__globals__", "__closure__")


_MADE_BY_CLASSES = {"__new__": staticmethod, "__init_subclass__": classmethod, "__class_getitem__": classmethod}


class Jitted(Generic[P, R]):
    """A function compiled at its first call with new argument types.

    `__call__` is a slot whose value is looked up in the instance: at first a Python function, then the builtin that
    dispatches in C. Everything else looks like the decorated function.
    """

    __slots__ = ("__call__", "__dict__", "__weakref__", "_entry")
    __wrapped__: types.FunctionType

    if TYPE_CHECKING:

        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...

    def __init__(self, function: types.FunctionType, options: Mapping[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self._entry = Entry(function, options, compile_variant, self._install)

    def _install(self, function: Callable[..., Any]) -> None:
        plain: Any = self.__wrapped__
        if current().shadow and function is not plain:
            from soljit.runtime.shadow.shadowed import shadowed

            function = shadowed(plain, function, lambda: bool(self._entry.variants))
        if current().profile:
            from soljit.runtime.calls.inspection import why_plainly
            from soljit.runtime.profile.recorder import profiled

            function = profiled(plain, function, lambda: why_plainly(self._entry))
        self.__call__ = function  # type: ignore[method-assign]

    def __getattr__(self, name: str) -> Any:
        if name in _OF_THE_FUNCTION:
            return getattr(self._entry.function, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)

    def __setattr__(self, name: str, value: Any) -> None:
        """Code and defaults go to the function, as do those that IPython's `%autoreload` assigns; what was compiled is forgotten then."""
        if name in _OF_THE_FUNCTION:
            setattr(self._entry.function, name, value)
            self.__dict__.pop("_twin", None)
            self._entry.begin()
        elif name == "__dict__":
            own = {n: x for n, x in self.__dict__.items() if n in (*functools.WRAPPER_ASSIGNMENTS, "__wrapped__")}
            object.__setattr__(self, name, {n: x for n, x in value.items() if n != "_twin"} | own)
        else:
            object.__setattr__(self, name, value)

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Jitted[P, R]: ...
    @overload
    def __get__(self: Jitted[Concatenate[S, Q], R], instance: S, owner: type | None = None) -> Jitted[Q, R]: ...
    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)  # which has all attributes, too

    def __set_name__(self, owner: type, name: str) -> None:
        """A class body makes class methods and static methods of plain functions of these names: of this one, too."""
        made = _MADE_BY_CLASSES.get(name)
        if made is not None and vars(owner).get(name) is self:
            setattr(owner, name, made(self))

    def __repr__(self) -> str:
        return f"<jit {self.__wrapped__!r}>"

    def __reduce__(self) -> str | tuple[Any, ...]:
        from soljit.base.python import sent_sources

        f: types.FunctionType = self._entry.function
        name, module = f.__qualname__, f.__module__
        here = _named(module, name) is self
        if here and not sent_sources.goes_by_value(module, name, f):
            return name
        text = f.__code__.co_filename, sent_sources.pieces(f)
        if here:
            return _restore, (self._twin, name, self._entry.options, *text)
        return _rebuild, (f, self._entry.options, *text)  # by value, for picklers that can do that

    @functools.cached_property
    def _twin(self) -> types.FunctionType:
        """The undecorated function under a name of its own, by which `pickle` finds it. Picklers that send the functions of
        `__main__` by value, because other processes have another `__main__`, do that with this one, too.
        """
        f = self._entry.function
        twin = types.FunctionType(f.__code__, f.__globals__, f.__name__, f.__defaults__, f.__closure__)
        functools.update_wrapper(twin, f)
        del twin.__wrapped__  # type: ignore[attr-defined]
        twin.__kwdefaults__, twin.__qualname__ = f.__kwdefaults__, f"{f.__qualname__}._twin"
        return twin

    @property
    def python(self) -> types.FunctionType:
        """The undecorated function."""
        function: types.FunctionType = self._entry.function
        return function

    @property
    def signatures(self) -> list[str]:
        """The argument types that compiled variants exist for."""
        return self._entry.signatures()

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Compile for calls like the one with these arguments, without making it, and wait until that is done.

        Raises `UnsupportedError` for what cannot be compiled, whatever the settings are, and TypeError for arguments that do not fit.
        """
        try:
            self._entry.compile(args, kwargs)
        except BaseException as e:
            if not current().debug:
                e.__traceback__ = without_ours(e)
            raise

    def explain(self, brief: bool = False) -> str:
        """What became of the function's loops and statements, at the user's lines, and why not better.

        brief: one line for each statement that calls Python, was refused something, needs memory or runs on threads or in vectors, what costs most first
        """
        from soljit.runtime.calls import explained

        return Text(explained.explain(self._entry, brief))

    def source(self, language: str = "c++") -> str:
        """The generated code of each variant."""
        from soljit.runtime.calls import inspection

        return Text(inspection.texts(self._entry, language))

    def ir(self) -> str:
        """The optimized program of each variant."""
        from soljit.runtime.calls import inspection

        return Text(inspection.texts(self._entry, "ir"))

    def schedule(self, variant: int | None = None) -> str:
        """What was done to the loops of each variant, or of the one with this number: one step a line, as `jit(schedule=…)` takes it."""
        from soljit.runtime.calls import inspection

        return Text(inspection.schedule(self._entry, variant))

    def recipes(self) -> list[Recipe]:
        """The same as values, one for each variant."""
        from soljit.runtime.calls import inspection

        return inspection.recipes(self._entry)

    def moves(self, *args: Any, **kwargs: Any) -> Moves:
        """What could be done to the loops for a call with these arguments, and why not: `soljit.schedule.moves` (`docs/schedules.md`).

        The function is compiled for the call, not called; `UnsupportedError` if it cannot be, `ScheduleError` for programs of a device.
        """
        from soljit import driver

        alone = Jitted[..., Any](
            self._entry.function, self._entry.options
        )  # has no variant but the one of these arguments
        alone.compile(*args, **kwargs)
        return driver.moves(alone._entry)

    def graph(self, path: str | None = None) -> str:
        """A page of HTML with the dataflow of each variant and all texts, which notebooks show; written to `path`, if one is given."""
        from soljit import driver
        from soljit.runtime.calls import inspection

        sections = [("Source", self.explain()), ("Program", self.ir()), ("C++", self.source())]
        page = driver.page(
            self.__wrapped__.__qualname__,
            inspection.programs(self._entry),
            self.python.__code__.co_firstlineno,
            sections,
            explain(self),
        )
        if path is not None:
            Path(path).write_text(page, "utf-8")
        return page

    def report(self) -> list[dict[str, Any]]:
        """For each variant: its types, where it came from, its guards, and how long each step of compiling took.

        Under the targets "interpreter" and "null" also what a device would have been told during its last call.
        """
        from soljit.runtime.calls import inspection

        return inspection.report(self._entry)

    def inspect_types(self) -> str:
        """Types of parameters, variables and results of each variant."""
        from soljit.runtime.calls import inspection

        return Text(inspection.types_text(self._entry))


def _bind_in_c(library: Native) -> None:
    """Methods are made by C, which takes a tenth of the time."""
    Jitted.__get__ = library.bind_method(Jitted)  # type: ignore[method-assign]


when_loaded(_bind_in_c)


def explain(function: Jitted[..., Any]) -> list[Remark]:
    """What was made of the lines of a jitted function, and why not better, as data: what `function.explain()` tells."""
    if not isinstance(function, Jitted):
        raise ArgumentError(f"explain() takes a function that jit() made, not {type(function).__name__}")
    from soljit.runtime.calls import inspection

    return inspection.remarks(function._entry)


def shadow_report(*, clear: bool = False) -> ShadowReport:
    """What comparing calls with the undecorated functions has found so far (`settings(check="shadow")`, `docs/checking.md`).

    clear: and forget it.
    """
    from soljit.runtime.shadow.report import report

    return report(clear)


def profile() -> Profile:
    """Take the times of lines: `with sol.profile() as p: …`, then `print(p)`, `p.rows`, `p.trace("trace.json")` (`docs/profile.md`)."""
    from soljit.runtime.profile.profile import Profile

    return Profile()


def _rebuild(
    function: types.FunctionType, options: Mapping[str, Any], file: str, text: tuple[Piece, ...]
) -> Jitted[..., Any]:
    """A function that was sent by value, with its source text."""
    from soljit.base.python import sent_sources

    sent_sources.receive(function, file, text)
    return Jitted(function, options)


def _restore(
    twin: types.FunctionType, name: str, options: Mapping[str, Any], file: str, text: tuple[Piece, ...]
) -> Jitted[..., Any]:
    """The function that `__reduce__` took apart: the very one if it is here, else one like it."""
    found = _named(twin.__module__, name)
    if isinstance(found, Jitted) and found.__dict__.get("_twin") is twin:
        return found
    twin.__qualname__ = name
    return _rebuild(twin, options, file, text)


def _named(module: str, name: str) -> Any:
    """What stands under a dotted name in a module, or None."""
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


@overload
def jit(function: staticmethod[P, R]) -> staticmethod[P, R]: ...  # type: ignore[overload-overlap]
@overload
def jit(function: classmethod[S, P, R]) -> classmethod[S, P, R]: ...
@overload
def jit(function: Callable[P, R]) -> Jitted[P, R]: ...
@overload
def jit(
    *,
    device: str | None = ...,
    strict: bool | None = ...,
    parallel: bool | None = ...,
    fp: Literal["strict", "contract", "fast"] | None = ...,
    cache: bool | None = ...,
    target: Literal["openmp", "sequential", "interpreter", "null"] | None = ...,
    offload: Literal["auto", "always"] | None = ...,
    schedule: str | os.PathLike[str] | Recipe | None = ...,
    results: Literal["host", "device"] | None = ...,
) -> _Decorator: ...


def jit(function: Any = None, **options: Any) -> Any:
    """Compile a NumPy function: `@jit`, or with keywords, `@jit(strict=True, fp="fast")`.

    device:   "cpu", "cuda" or "cuda:1" (a GPU by its number), "emulated"
    strict:   raise `UnsupportedError` for what cannot be compiled, instead of running it in plain Python
    parallel: may use threads (default True)
    fp:       "strict" (NumPy's bits), "contract" or "fast"
    cache:    keep compiled code on disk (default True)
    target:   "openmp", "sequential", "interpreter", "null" or the name of an installed target
    offload:  "auto" (a call runs on the device where that is faster) or "always"
    schedule: the steps that make it fast, instead of those that soljit would choose: a text as `schedule()` gives it, the path of a
              file, or a `Recipe`. Each is proved before it is taken; `ScheduleError` tells which cannot be
    results:  "host" or "device": array results are `soljit.Array`s, which stay there
    """
    if function is not None and not callable(function) and not isinstance(function, (staticmethod, classmethod)):
        return _decorate(function, {})  # which says what is wrong
    chosen = checked(options, KEYWORDS, "jit()")
    if function is None:
        return functools.partial(_decorate, options=chosen)
    return _decorate(function, chosen)


def _decorate(function: Any, options: Mapping[str, Any]) -> Any:
    if isinstance(function, Jitted):
        plain: types.FunctionType = function._entry.function
        return Jitted(plain, {**function._entry.options, **_with_recipe(options, plain)})
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(_decorate(function.__func__, options))
    if not isinstance(function, types.FunctionType):
        hint = other_compilers.for_no_function(function)
        what = f"jit() takes a Python function, not {type(function).__name__} {function!r:.100}"
        raise ArgumentError(f"{what}\nhint: {hint}" if hint else what)
    if function.__code__.co_filename.startswith("<") and "IPython" in sys.modules:
        from soljit import driver

        driver.name_by_text(function)
    return Jitted(function, _with_recipe(options, function))


def _with_recipe(options: Mapping[str, Any], function: types.FunctionType) -> Mapping[str, Any]:
    """The options with the schedule as a Recipe."""
    if "schedule" not in options:
        return options
    from soljit.schedule.given import recipe_of

    return {**options, "schedule": recipe_of(options["schedule"], function)}
