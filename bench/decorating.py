"""Packages whose functions and methods are decorated with `sol.jit` when their modules are loaded.

Left alone are generators, coroutines, lambdas, functions that another decorator wraps or made (their text is not in the module's file), and modules of tests.
"""

from __future__ import annotations

import functools
import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import sys
import types
from collections.abc import Sequence
from typing import Any

import soljit as sol

_NOT_COMPILED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class Decorating(importlib.abc.MetaPathFinder):
    """A finder of modules; `install` puts it before the others. `made` has what was decorated by its whole name.

    early: modules of the packages that were loaded before, and are as they were.
    """

    def __init__(self, packages: Sequence[str], options: dict[str, Any]) -> None:
        self.packages, self.options = tuple(packages), options
        self.made: dict[str, sol.Jitted[..., Any]] = {}
        self.early = sorted(name for name in sys.modules if self._is_meant(name))
        self._known: dict[int, sol.Jitted[..., Any]] = {}

    def install(self) -> None:
        """From now on modules of the packages are decorated."""
        sys.meta_path.insert(0, self)

    def find_spec(self, name: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        """What the other finders find, with a loader that decorates."""
        if not self._is_meant(name):
            return None
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            if type(finder).__module__.startswith("_pytest."):  # it would write `assert` statements otherwise
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                if type(spec.loader) is importlib.machinery.SourceFileLoader:
                    spec.loader = _Loader(spec.loader.name, spec.loader.path, self)
                return spec
        return None

    def _is_meant(self, name: str) -> bool:
        parts = name.split(".")
        tests = {"tests", "test", "conftest"} & {*parts} or parts[-1].startswith("test_")
        return not tests and any(name == p or name.startswith(f"{p}.") for p in self.packages)

    def decorate(self, module: types.ModuleType) -> None:
        """Decorate all that the module defines."""
        for name, x in list(vars(module).items()):
            if isinstance(x, types.FunctionType):
                setattr(module, name, self._one(x, module))
            elif isinstance(x, type):
                self._decorate_class(x, module, x.__qualname__)

    def _decorate_class(self, cls: type, module: types.ModuleType, name: str) -> None:
        if cls.__module__ != module.__name__ or cls.__qualname__ != name:
            return
        for key, x in list(vars(cls).items()):
            if isinstance(x, type):
                self._decorate_class(x, module, f"{name}.{key}")
                continue
            new = self._member(x, module)
            if new is not x:
                try:
                    setattr(cls, key, new)
                except (AttributeError, TypeError):
                    continue  # its metaclass does not allow it

    def _member(self, x: Any, module: types.ModuleType) -> Any:
        """An entry of a class's `__dict__`, decorated if there is a function in it."""
        if isinstance(x, types.FunctionType):
            return self._one(x, module)
        if type(x) in (staticmethod, classmethod):
            f = self._one(x.__func__, module)
            return x if f is x.__func__ else type(x)(f)
        if type(x) is property:
            parts = [self._one(f, module) for f in (x.fget, x.fset, x.fdel)]
            return x if parts == [x.fget, x.fset, x.fdel] else property(*parts, x.__doc__)
        if type(x) is functools.cached_property:
            x.func = self._one(x.func, module)
        return x

    def _one(self, f: Any, module: types.ModuleType) -> Any:
        """The function decorated, under all its names the same one; or as it is."""
        if not isinstance(f, types.FunctionType) or f.__module__ != module.__name__ or hasattr(f, "__wrapped__"):
            return f
        code = f.__code__
        if f.__name__ == "<lambda>" or code.co_flags & _NOT_COMPILED or code.co_filename != module.__file__:
            return f
        made = self._known.get(id(f))
        if made is None:
            made = self._known[id(f)] = sol.jit(**self.options)(f)
            name = f"{f.__module__}.{f.__qualname__}"
            self.made[f"{name}:{code.co_firstlineno}" if name in self.made else name] = made  # a setter, say
        return made


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, path: str, decorating: Decorating) -> None:
        super().__init__(name, path)
        self._decorating = decorating

    def exec_module(self, module: types.ModuleType) -> None:
        super().exec_module(module)
        self._decorating.decorate(module)
