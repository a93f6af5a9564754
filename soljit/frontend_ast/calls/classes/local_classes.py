"""Classes defined inside functions: Python makes them, and their instances are objects.

`class C(B): …` is what a function gives in which it stands alone; that function is one of Python's, called where the class is defined.
"""

from __future__ import annotations

import ast
import copy

from soljit.frontend_ast.joins.binding import bind
from soljit.frontend_ast.lowering.frames import Frame
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.functions import defined, function_object
from soljit.frontend_ast.objects.objects import call_by_name
from soljit.frontend_ast.values.object_types import ANY
from soljit.frontend_ast.values.values import Func

CLASS_OF = "soljit.support.functions.class_of"


def lower_class(cx: Lowering, fr: Frame, s: ast.ClassDef) -> None:
    """A class statement."""
    if any(isinstance(n, (ast.Nonlocal, ast.Global)) for n in ast.walk(s)):
        raise cx.unsupported(
            "a class that assigns variables outside of it", "define the class at the top of the module"
        )
    maker = cx.parsed.get(s)
    if maker is None:
        maker = cx.parsed[s] = _maker(s)
    made = function_object(cx, defined(cx, Func(maker, fr)))
    bind(cx, fr, s.name, call_by_name(cx, CLASS_OF, [made], ANY, changes=True))


def _maker(s: ast.ClassDef) -> ast.FunctionDef:
    """A function without arguments that makes the class, under the name that it has in the function around it."""
    made = copy.deepcopy(s)
    none = ast.arguments([], [], None, [], [], None, [])
    function = ast.FunctionDef(f"<class {s.name}>", none, [made, ast.Return(ast.Name(s.name, ast.Load()))], [])
    return ast.fix_missing_locations(ast.copy_location(function, s))
