"""`f = a.flat`: an iterator that keeps its place, where its elements are not just read and written by position.

Compiled code starts at the first element whenever it steps through `a.flat`. That is what Python does only where the name is stepped through
once; in other functions it is a Python object, NumPy's own iterator.
"""

from __future__ import annotations

import ast

import numpy as np

from soljit.base.knowledge.table import named
from soljit.frontend_ast.lowering.frames import Frame
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.iterators import needed
from soljit.frontend_ast.syntax.scopes import COMPREHENSIONS, ways
from soljit.frontend_ast.values.values import Flat, Union, Value

_STEP = {"extend", "update", "fromiter", "join", "from_iterable"}  # NumPy's other functions make arrays of it
_AGAIN = (ast.For, ast.While)


def refuse_stepped_twice(cx: Lowering, fr: Frame, name: str, v: Value) -> None:
    """A name for `a.flat` through which its function may step more than once is one for a Python object, or refused."""
    is_flat = isinstance(v, Flat) or isinstance(v, Union) and any(k.cls is np.flatiter for k in v.kinds)
    if is_flat and fr.tree is not None and _is_stepped_twice(fr.tree, name):
        needed(cx, v)
        hint = f"write a.flat where it is used, or `{name} = iter(a.flat)`"
        raise cx.unsupported(f"'{name}', an a.flat that is stepped through more than once, or in part", hint)


def _is_stepped_twice(tree: ast.AST, name: str) -> bool:
    uses = [way for way in ways(tree) if isinstance(way[-1], ast.Name) and way[-1].id == name]
    steps = [way for way in uses if _steps(way)]
    stored = {id(n) for way in uses if isinstance(way[-1].ctx, ast.Store) for n in way}  # type: ignore[attr-defined]
    if len(steps) > 1 or any(_is_next(way) or _is_repeated(way, stored) for way in steps):
        return True
    loops = [n for way in steps for n in way if isinstance(n, (*_AGAIN, *COMPREHENSIONS))]  # where f[k] starts again
    return any(way not in steps and n in way and isinstance(way[-1].ctx, ast.Load) for n in loops for way in uses)  # type: ignore[attr-defined]


def _steps(way: tuple[ast.AST, ...]) -> bool:
    """Tell whether the name, the last of the way, is stepped through."""
    name, around = way[-1], way[-2]
    match around:
        case ast.For() | ast.comprehension():
            return around.iter is name
        case ast.Starred():
            return isinstance(around.ctx, ast.Load)
        case ast.Compare():
            return any(isinstance(o, (ast.In, ast.NotIn)) and c is name for o, c in zip(around.ops, around.comparators))
        case ast.Assign():
            return around.value is name and any(isinstance(t, (ast.Tuple, ast.List)) for t in around.targets)
        case ast.Call(func=ast.Name(id=function)):
            return around.func is not name and f"builtins.{function}" not in named("takes=none")
        case ast.Call(func=ast.Attribute(attr=function)):
            return function in _STEP
    return isinstance(around, ast.YieldFrom)


def _is_next(way: tuple[ast.AST, ...]) -> bool:
    return isinstance(way[-2], ast.Call) and isinstance(way[-2].func, ast.Name) and way[-2].func.id == "next"


def _is_repeated(way: tuple[ast.AST, ...], stored: set[int]) -> bool:
    """Tell whether the step stands in a loop in which the name is not bound again."""
    for n, inner in zip(way, way[1:]):
        repeated = isinstance(n, _AGAIN) and inner is not getattr(n, "iter", None)
        repeated |= isinstance(n, COMPREHENSIONS) and inner is not n.generators[0]
        if repeated and id(n) not in stored:
            return True
    return False
