"""The tables of handlers: which function lowers which function, method, attribute and subscript of NumPy, math and the builtins.

A handler is a function of the lowering and the call's values, with NumPy's own parameter names and defaults:

    @implements(np.fliplr)
    def fliplr(cx, m): ...

Optional parameters default to None (meaning "not given"). Static arguments arrive as values, too: `static_of`, `axis_of`, `dtype_of`
(`views/numpy_arguments.py`) turn them into Python objects. A handler gives a value; it raises `cx.unsupported(...)` for what it does not compile, and the
call then goes back to NumPy (`calls/callbacks/callback.py`) if the function is one of NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from soljit.base.records import dataclass
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values.values import Value
from soljit.ir.core.types import DType

Handler = Callable[..., Value]


@dataclass(frozen=True)
class Entry:
    """How a function is compiled: by `handler`; `remark` says what part is left to NumPy."""

    handler: Handler
    remark: str = ""


CONVERSIONS: dict[
    type, Callable[[Lowering, Any, DType | None], Value]
] = {}  # values that NumPy's functions get as something else
FUNCTIONS: dict[int, tuple[Any, Entry]] = {}  # id of the function → (function, entry)
CALLED: dict[type, Handler] = {}  # callable objects: handler(cx, object, …)
METHODS: dict[str, Handler] = {}  # array methods: handler(cx, array, …)
ATTRIBUTES: dict[str, Callable[[Lowering, Any], Value]] = {}
CONTAINER_METHODS: dict[
    tuple[type, str], Handler
] = {}  # methods of lists, tuples, dicts, slices: handler(cx, container, …)
READ_ITEM: dict[type, Callable[[Lowering, Any, Value], Value]] = {}  # `owner[index]`: read(cx, owner, index)
STORE_ITEM: dict[type, Callable[[Lowering, Any, Value, Value], None]] = {}  # `owner[index] = value`


def implements(*functions: Any, remark: str = "") -> Callable[[Handler], Handler]:
    """Register the handler of NumPy (or math, builtin) functions; None stands for one that this NumPy lacks."""

    def register(handler: Handler) -> Handler:
        for f in functions:
            if f is not None:
                FUNCTIONS[id(f)] = (f, Entry(handler, remark))
        return handler

    return register


def called(*classes: type) -> Callable[[Handler], Handler]:
    """Register the handler of calls of objects of these classes; the object comes first."""

    def register(handler: Handler) -> Handler:
        for c in classes:
            CALLED[c] = handler
        return handler

    return register


def method(*names: str) -> Callable[[Handler], Handler]:
    """Register the handler of an array method."""

    def register(handler: Handler) -> Handler:
        for n in names:
            METHODS[n] = handler
        return handler

    return register


def attribute(name: str) -> Callable[[Callable[[Lowering, Any], Value]], Callable[[Lowering, Any], Value]]:
    """Register an array attribute."""

    def register(handler: Callable[[Lowering, Any], Value]) -> Callable[[Lowering, Any], Value]:
        ATTRIBUTES[name] = handler
        return handler

    return register


def find(function: Any) -> Entry | None:
    """The entry of a function object."""
    found = FUNCTIONS.get(id(function))
    return found[1] if found is not None and found[0] is function else None
