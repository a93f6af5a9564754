"""Functions as Python objects: what containers hold, libraries call and callers are given.

Python makes such a function of its source and the values of the variables that it takes from the functions around it. Variables that
change afterwards are seen through boxes (`syntax/boxes.py`). Functions that exist before the call, and other objects that nothing else is known
of, are fetched by the path that leads to them, and called as they are.
"""

from __future__ import annotations
import __future__

import ast
import copy
import types
from typing import Any

from soljit.base.knowledge.pure import looks_at_the_frame
from soljit.base.python.classes import has_a_name
from soljit.base.python.dependency import unwrap
from soljit.base.python.names import leads_to, owner_of, whose
from soljit.base.python.object_names import class_name
from soljit.frontend_ast.lowering import boxing
from soljit.frontend_ast.lowering.frames import Frame
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects import assigned_outside
from soljit.frontend_ast.objects.contents import escape
from soljit.frontend_ast.objects.library_names import name_of
from soljit.frontend_ast.objects.objects import call_by_name, make_object
from soljit.frontend_ast.syntax import boxes
from soljit.frontend_ast.syntax.scopes import annotations_of, captured_by, names_read
from soljit.frontend_ast.values.learned import Restart
from soljit.frontend_ast.values.object_types import ANY
from soljit.frontend_ast.values.values import Func, MaybeUnbound, Method, Object, Static, Value
from soljit.support import functions
from soljit.support.objects import HERE

MAKE = "soljit.support.functions.make"
Tree = ast.FunctionDef | ast.Lambda


def fetched(cx: Lowering, obj: Any) -> Object | None:
    """An object that exists before the call, as it is at each call; None: no path leads to it."""
    owner = cx.owners.get(id(obj))
    if owner is None:
        return None
    assigned_outside.note_assigned_by_function(cx, obj)
    made = cx.capture(*owner, obj)
    assert isinstance(made, Object)
    return made


def by_name(cx: Lowering, function: Any) -> Object | None:
    """A function or class of Python's library, or an exception of NumPy's; None: something else, or one that looks at the running function."""
    of = owner_of(function)
    module = str(getattr(of if isinstance(of, type) else function, "__module__", None) or "builtins")
    name = f"{module}.{getattr(function, '__qualname__', '<')}"
    of_numpy = whose(module) == "numpy" and isinstance(function, type) and issubclass(function, BaseException)
    if not (whose(module) == "python" or of_numpy) or not leads_to(name, function):
        return None
    if looks_at_the_frame(module, function.__name__):
        return None
    made = call_by_name(cx, HERE + "same", [Static(function)], ANY)
    assert isinstance(made, Object)
    return made


def outside(cx: Lowering, obj: Any) -> Object | None:
    """Anything that can be called, as it is; None: nothing leads to it."""
    if not callable(obj):
        return None
    if not has_a_name(obj):
        return fetched(cx, obj)
    if looks_at_the_frame(getattr(obj, "__module__", ""), getattr(obj, "__name__", "")):
        return None
    there = by_name(cx, obj) or fetched(cx, obj)
    owner = owner_of(obj)
    if there is not None or isinstance(owner, types.ModuleType) or fetched(cx, owner) is None:
        return there
    made = call_by_name(
        cx, "builtins.getattr", [Static(owner), Static(obj.__name__)], ANY
    )  # a method of such an object
    assert isinstance(made, Object)
    return made


def of_the_library(cx: Lowering, obj: Any) -> Object | None:
    """A function or method that was written for Python's library, perhaps under a name of the user's, as what its decorators give."""
    function = unwrap(obj) if isinstance(obj, types.MethodType) else obj
    if not isinstance(function, types.FunctionType) or name_of(obj) is not None:
        return None
    if looks_at_the_frame(function.__module__, function.__name__):
        return None
    return fetched(cx, obj) if whose(function.__globals__.get("__name__")) in ("python", "library") else None


def function_object(cx: Lowering, f: Func) -> Object:
    """A nested function or lambda as Python makes it, where it is defined: it is one object."""
    held = cx.function_objects.get(id(f))
    if held is not None:
        there: Object = held[1]
        return there
    key = boxes.key_of(f.frame.file, f.tree)
    if key not in cx.learned.as_objects:
        cx.learned.as_objects.add(key)
        raise Restart
    return _made(cx, f)


def defined(cx: Lowering, f: Func) -> Func:
    """A nested function is defined here."""
    if boxes.key_of(f.frame.file, f.tree) in cx.learned.as_objects:
        cx.function_objects[id(f)] = (f, _made(cx, f))
    return f


def _made(cx: Lowering, f: Func) -> Object:
    made = _Maker(cx)
    target = made.function(f, "")
    resolve = f.frame.resolve
    if resolve.function is None:
        raise cx.unsupported("a function of soljit's own as an object")
    space = cx.capture(resolve.function, "attr", "__globals__", resolve.function.__globals__)
    for n in ast.walk(f.tree):
        for name in n.names if isinstance(n, ast.Global) else ():
            assigned_outside.note_assigned(cx, resolve.function.__globals__, name)
    module = made.module(target, resolve.function.__code__)
    texts = [
        Static(functions.text_of(module)),
        Static(f.frame.file),
        Static(f"{f.frame.name}.<locals>.{name_of_function(f)}"),
    ]
    for v in made.values.values():
        escape(cx, v)
    found = call_by_name(cx, MAKE, [space, *texts, *made.values.values()], ANY)
    assert isinstance(found, Object)
    return found


def name_of_function(f: Func) -> str:
    """A function's `__name__`."""
    return str(getattr(f.tree, "name", "<lambda>"))


class _Maker:
    """Gathers a function, the nested functions that it calls, and the values that they take from outside."""

    def __init__(self, cx: Lowering) -> None:
        self.cx = cx
        self.values: dict[str, Value] = {}
        self.body: list[ast.stmt] = []
        self.names: dict[Tree, str] = {}
        self.owners: dict[str, object] = {}

    def function(self, f: Func, name: str) -> str:
        """Add a function under this name, "": under one that nothing else has; its name."""
        if f.tree in self.names:
            return self.names[f.tree]
        if name:
            self._claim(name, f.frame)
            self.names[f.tree] = name
        for n in sorted(captured_by(f.tree) | names_read(annotations_of(f.tree))):
            self._variable(f, n)
        name = self.names.setdefault(
            f.tree, name_of_function(f) if name_of_function(f) not in self.owners else f"{name_of_function(f)} itself"
        )
        tree = copy.deepcopy(f.tree)
        _FindingObjects().visit(tree)
        for k in range(len(tree.args.defaults)):
            tree.args.defaults[k] = self._value(f"{name} default {k}", f.defaults[k])
        for k, a in enumerate(tree.args.kwonlyargs):
            if tree.args.kw_defaults[k] is not None:
                tree.args.kw_defaults[k] = self._value(f"{name} keyword {k}", f.kw_defaults[a.arg])
        if isinstance(tree, ast.FunctionDef):
            tree.decorator_list = [_same(d) for d in tree.decorator_list[:1]]
            tree.name = name
            self.body.append(tree)
        else:
            self.body.append(ast.Assign([ast.Name(name, ast.Store())], tree))
        return name

    def _claim(self, name: str, owner: object) -> None:
        if self.owners.setdefault(name, owner) is not owner:
            raise self.cx.unsupported(
                f"a function as an object, with two different variables '{name}' around it", "rename one"
            )

    def _value(self, name: str, v: Value) -> ast.expr:
        self.values[name] = v
        return ast.Name(name, ast.Load())

    def _variable(self, f: Func, name: str) -> None:
        """A name that the function reads from outside: a variable of a function around it, a closure variable, or a global."""
        cx = self.cx
        fr: Frame | None = f.frame
        while fr is not None and name not in fr.env and name not in fr.locals:
            fr = fr.parent
        if fr is None:
            outside = f.frame.resolve.function
            if outside is not None and name in outside.__code__.co_freevars:
                self._claim(name, outside)
                self.values[name] = f.frame.resolve(cx, name)
            return
        v = fr.env.get(name)
        if (
            isinstance(v, Func)
            and v.frame is fr
            and getattr(v.tree, "name", "") == name
            and boxing.defined_once(fr, name)
        ):
            self.function(v, name)
            return
        if v is None or isinstance(v, MaybeUnbound) or boxing.assigned_later(fr, name, f.tree):
            boxing.box(cx, fr, name)
        self._claim(name, fr)
        if name not in self.values:
            self.values[name] = cx.above.evaluate(cx, fr, ast.copy_location(ast.Name(name, ast.Load()), f.tree))

    def module(self, target: str, code: types.CodeType) -> ast.Module:
        """A module that defines the maker of the function, as the file that `code` comes from would define it."""
        none = ast.arguments([], [ast.arg(n) for n in self.values], None, [], [], None, [])
        body: list[ast.stmt] = [*self.body, ast.Return(ast.Name(target, ast.Load()))]
        made = ast.Module([ast.FunctionDef(functions.MAKER, none, body, [])], [])
        if code.co_flags & __future__.annotations.compiler_flag:
            made.body.insert(0, ast.ImportFrom("__future__", [ast.alias("annotations")], 0))
        return ast.fix_missing_locations(made)


def _same(decorator: ast.expr) -> ast.expr:
    """A decorator that changes nothing: the code of the function begins in the line of its first decorator, which is called elsewhere."""
    x = [ast.arg("x")]
    same = ast.Lambda(ast.arguments([], x, None, [], [], None, []), ast.Name("x", ast.Load()))
    for n in ast.walk(same):
        ast.copy_location(n, decorator)
    return same


def _has_names(value: Any) -> bool:
    """Tell whether this is a function or class, or a tuple of some, that stands in the tree itself."""
    return callable(value) or (isinstance(value, tuple) and any(map(_has_names, value)))


def _found_again(value: Any) -> ast.expr:
    """An expression for it."""
    if isinstance(value, tuple):
        return ast.Tuple([_found_again(x) for x in value], ast.Load())
    objects = ast.Call(
        ast.Name("__import__", ast.Load()),
        [ast.Constant("soljit.support.objects")],
        [ast.keyword("fromlist", ast.List([ast.Constant("find")], ast.Load()))],
    )
    return ast.Call(ast.Attribute(objects, "find", ast.Load()), [ast.Constant(class_name(value))], [])


class _FindingObjects(ast.NodeTransformer):
    """Functions and classes that stand in the tree are found by their names."""

    def visit_Constant(self, node: ast.Constant) -> ast.expr:  # noqa: N802 (the visitor's names)
        return ast.copy_location(_found_again(node.value), node) if _has_names(node.value) else node


def is_compiled_along(f: Value | None) -> bool:
    """Tell whether this is a function that is compiled along."""
    return isinstance(f, Func) or (
        isinstance(f, Static) and isinstance(f.obj, types.FunctionType) and not name_of(f.obj)
    )


def is_library(f: Value) -> bool:
    """Tell whether this is a function that Python calls by its name, or a method of an object."""
    return isinstance(f, (Static, Method)) and not is_compiled_along(f)


def as_library_argument(cx: Lowering, v: Value) -> Value:
    """A function that is compiled along as the object that a library is given."""
    return make_object(cx, v) if is_compiled_along(v) else v
