"""Import statements. What importing a module does, the function does when it runs.

Only a module that is loaded, that does nothing when it is imported, or that every call imports first of all, is there while compiling.
Every other module is imported by the run, as an object; once it is loaded, the function is compiled again.
"""

from __future__ import annotations

import ast
import importlib
import itertools
import sys
from importlib.machinery import PathFinder
from importlib.util import resolve_name
from types import ModuleType

from soljit.base.python.dependency import MISSING, Dependency
from soljit.base.python.names import QUIET, is_quiet
from soljit.frontend_ast.calls.attribute_reads import attribute_of
from soljit.frontend_ast.joins.binding import bind
from soljit.frontend_ast.lowering.frames import Frame
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.objects import call_by_name
from soljit.frontend_ast.values.object_types import ANY
from soljit.frontend_ast.values.values import NONE, Object, Static, Value
from soljit.support.objects import HERE


def lower_import(cx: Lowering, fr: Frame, s: ast.Import) -> None:
    """`import a.b`, `import a.b as c`"""
    for a in s.names:
        module = _module(cx, fr, s, a.name)
        name = a.name if a.asname else a.name.partition(".")[0]
        if cx.current.done:
            return
        bind(cx, fr, a.asname or name, module if name == a.name else _module(cx, fr, s, name))


def _module(cx: Lowering, fr: Frame, s: ast.stmt, name: str) -> Value:
    """The module that a function imports, under whose name its attributes are looked up at each call; after an exception None."""
    quiet = is_quiet(name)
    if not quiet and not _comes_first(cx, fr, s):
        path = (("loaded", name),)
        cx.dependencies.setdefault(path, Dependency(path, MISSING))  # once it is loaded, it can be compiled along
        made: Value = call_by_name(cx, "importlib.import_module", [Static(name)], ANY, changes=True)
        return made
    path = (("module" if not quiet or name.partition(".")[0] in QUIET else "loaded", name),)
    try:
        module = importlib.import_module(name)
    except ImportError as e:
        cx.dependencies.setdefault(path, Dependency(path, MISSING))
        cx.raise_like(e)
        return NONE
    cx.paths.setdefault(id(module), path)
    return Static(module)


def _comes_first(cx: Lowering, fr: Frame, s: ast.stmt) -> bool:
    """Tell whether every call of the compiled function begins with this import, but for others."""
    if fr is not cx.entry or not isinstance(fr.tree, ast.FunctionDef):
        return False
    first = itertools.takewhile(lambda t: isinstance(t, (ast.Import, ast.ImportFrom)) or _is_text(t), fr.tree.body)
    return any(t is s for t in first)


def _is_text(s: ast.stmt) -> bool:
    return isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant)


def lower_import_from(cx: Lowering, fr: Frame, s: ast.ImportFrom) -> None:
    """`from a.b import c`"""
    name = s.module or ""
    if s.level:
        function = fr.resolve.function
        package = None if function is None else function.__globals__.get("__package__")
        if not package:
            raise cx.unsupported("a relative import in a function of no package", "import at the top of the module")
        name = resolve_name("." * s.level + name, package)
    owner = _module(cx, fr, s, name)
    module = owner.obj if isinstance(owner, Static) else None
    for a in s.names:
        if cx.current.done:
            return
        if isinstance(module, ModuleType) and (a.name in vars(module) or _is_part(module, a.name)):
            if a.name not in vars(module) and isinstance(_module(cx, fr, s, f"{name}.{a.name}"), Object):
                found = _by_python(cx, name, a.name)
            elif cx.current.done:
                return
            else:
                found = attribute_of(cx, Static(module), a.name)
        else:
            found = _by_python(cx, name, a.name)
        bind(cx, fr, a.asname or a.name, found)


def _is_part(package: ModuleType, name: str) -> bool:
    """Tell whether a module of this name lies in the package, not imported yet; no finder of the program is asked for it."""
    if (
        type(package) is not ModuleType
        or not {"__path__", "__spec__"} <= vars(package).keys()
        or "__getattr__" in vars(package)
    ):
        return False
    whole = f"{package.__name__}.{name}"
    return whole not in sys.modules and PathFinder.find_spec(whole, package.__path__) is not None


def _by_python(cx: Lowering, module: str, name: str) -> Value:
    """What `from module import name` binds, as the import system and the module find it when the function runs."""
    found: Value = call_by_name(cx, HERE + "imported", [Static(module), Static(name)], ANY, changes=True)
    return found
