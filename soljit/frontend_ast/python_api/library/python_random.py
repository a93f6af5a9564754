"""Functions of the module `random`: those of its one generator, called as Python calls them; what they give is known."""

from __future__ import annotations

import random
import types
from typing import Any

from soljit.frontend_ast.calls.random_choices import chosen
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.container_methods import items_of, join_items
from soljit.frontend_ast.objects.contents import FLOAT, INT, container, escape
from soljit.frontend_ast.objects.objects import call_by_name
from soljit.frontend_ast.objects.results import unless_opaque
from soljit.frontend_ast.python_api.library.library_objects import as_list
from soljit.frontend_ast.values.object_types import NOTHING, Element
from soljit.frontend_ast.values.values import Value

GENERATOR: Any = random.random.__self__  # type: ignore[attr-defined]
NUMBERS = {
    **dict.fromkeys(("randint", "randrange", "getrandbits"), INT),
    **dict.fromkeys(
        ("random", "uniform", "triangular", "gauss", "normalvariate", "lognormvariate", "expovariate"), FLOAT
    ),
    **dict.fromkeys(("betavariate", "gammavariate", "paretovariate", "weibullvariate", "vonmisesvariate"), FLOAT),
    "seed": NOTHING,
}


def drawn(cx: Lowering, function: Any, args: list[Value], kwargs: dict[str, Value]) -> Value | None:
    """A call of one of these functions; None: another one."""
    if not isinstance(function, (types.MethodType, types.BuiltinMethodType)) or function.__self__ is not GENERATOR:
        return None
    name = function.__name__
    if name in NUMBERS:
        return call_by_name(cx, f"random.{name}", args, unless_opaque(cx, function, NUMBERS[name]), kwargs)
    if name == "shuffle" and len(args) == 1:
        return call_by_name(cx, "random.shuffle", [as_list(cx, args[0])])
    if name == "choice" and len(args) == 1 and not kwargs:
        found = chosen(cx, lambda a: call_by_name(cx, "random.randrange", a, INT), args[0])
        if found is not None:
            return found
        escape(cx, args[0])
        return call_by_name(cx, "random.choice", args, items_of(cx, args[0]))
    if name in ("choices", "sample") and args:
        kind = container(cx, list)
        join_items(cx, kind, args[0])
        return call_by_name(cx, f"random.{name}", args, Element("object", object=kind), kwargs)
    return None
