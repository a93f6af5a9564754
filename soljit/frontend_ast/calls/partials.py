"""functools.partial, operator.itemgetter and attrgetter: made and called in compiled code."""

from __future__ import annotations

import functools
import operator
from typing import Any

from soljit.base.place import Loc
from soljit.frontend_ast.calls.attribute_reads import attribute_of
from soljit.frontend_ast.joins.binding import pin
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.static_values import static_of
from soljit.frontend_ast.objects.captured_attributes import outside_partial
from soljit.frontend_ast.objects.contents import escape
from soljit.frontend_ast.objects.functions import as_library_argument
from soljit.frontend_ast.objects.objects import call_by_name
from soljit.frontend_ast.values.constants import constant
from soljit.frontend_ast.values.object_types import ANY
from soljit.frontend_ast.values.values import CompileTime, Static, Tup, Value
from soljit.frontend_ast.views.indexing import get_item

# --- objects that are called ------------------------------------------------------------------------------------------


def call_partial(cx: Lowering, obj: Any, args: list[Value], kwargs: dict[str, Value]) -> Value | None:
    """A call of a partial, itemgetter or attrgetter that exists already; None: it is something else."""
    if isinstance(obj, Partial):
        return obj.call(cx, args, kwargs)
    if isinstance(obj, functools.partial):
        function, first, named = outside_partial(cx, obj)
        return cx.above.call(cx, function, [*first, *args], named | kwargs)
    if isinstance(obj, (operator.itemgetter, operator.attrgetter)) and len(args) == 1 and not kwargs:
        keys = obj.__reduce__()[1]
        if isinstance(obj, operator.itemgetter):
            found = [get_item(cx, args[0], constant(k)) for k in keys]
        else:
            found = [_attribute(cx, args[0], k) for k in keys]
        return found[0] if len(found) == 1 else Tup(found)
    return None


def _attribute(cx: Lowering, v: Value, dotted: str) -> Value:
    for name in dotted.split("."):
        v = attribute_of(cx, v, name)
    return v


def make_partial(cx: Lowering, cls: type, args: list[Value], kwargs: dict[str, Value]) -> Value | None:
    """`partial(…)`, `itemgetter(…)`, `attrgetter(…)`; None: another class."""
    if cls is functools.partial:
        if cx.loc in cx.learned.dynamic:
            return _by_python(cx, args, kwargs)
        first, *others = [pin(cx, v) for v in args]
        return Static(Partial(first, others, {k: pin(cx, v) for k, v in kwargs.items()}, cx.loc))
    if cls in (operator.itemgetter, operator.attrgetter):
        return Static(cls(*(static_of(cx, a) for a in args)))
    return None


def _by_python(cx: Lowering, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """`partial(…)` as an object."""
    given_ = [as_library_argument(cx, v) for v in args]
    for v in (*given_, *kwargs.values()):
        escape(cx, v)
    made: Value = call_by_name(cx, "functools.partial", given_, ANY, kwargs)
    return made


class Partial(CompileTime):
    """A partial made in compiled code."""

    cls = functools.partial
    is_callable = True

    def __init__(self, function: Value, args: list[Value], kwargs: dict[str, Value], site: Loc | None = None) -> None:
        self.function, self.args, self.kwargs, self.site = function, args, kwargs, site

    def attribute(self, cx: Lowering, name: str) -> Value:
        """`func`, `args` and `keywords`."""
        match name:
            case "func":
                return self.function
            case "args":
                return Tup(list(self.args))
        raise cx.unsupported(f"attribute '{name}' of a partial")

    def call(self, cx: Lowering, args: list[Value], kwargs: dict[str, Value]) -> Value:
        """Call the function with the arguments given before and now."""
        return cx.above.call(cx, self.function, [*self.args, *args], self.kwargs | kwargs)

    def as_object(self, cx: Lowering) -> Value:
        """The partial that Python has made, or one like it that no name stands for."""
        return Static(self) if self.site else _by_python(cx, [self.function, *self.args], self.kwargs)
