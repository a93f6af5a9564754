"""Functions of higher rooms that lower rooms call: expressions and statements hold one another, and so do values, calls and objects.

What stands above is imported nowhere below; `lower.py` makes the record once, and each part of the lowering finds it as `cx.above`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from soljit.base.records import dataclass
from soljit.frontend_ast.values.values import Func, Object, Union, Value
from soljit.ir.core import nodes
from soljit.ir.core.expr import Expr

if TYPE_CHECKING:
    from soljit.frontend_ast.lowering.frames import Frame
    from soljit.frontend_ast.lowering.lowering import Lowering


class Call(Protocol):
    """`f(*args, **kwargs)` of a function value."""

    def __call__(self, cx: Lowering, f: Value, args: list[Value], kwargs: dict[str, Value] | None = None) -> Value: ...


class BinarySpecial(Protocol):
    """`left <op> right`, or `left <op>= right`, of which one may be an instance of the user's; None: neither is."""

    def __call__(
        self, cx: Lowering, kind: type[ast.AST], left: Value, right: Value, in_place: bool = False
    ) -> Value | None: ...


class CallSpecial(Protocol):
    """A special method that the user has written; None: he has not, or it is not implemented for these."""

    def __call__(self, cx: Lowering, v: Value, name: str, *args: Value) -> Value | None: ...


class Assign(Protocol):
    """`target = value`, as a part of statement `s`."""

    def __call__(self, cx: Lowering, fr: Frame, target: ast.expr, value: Value, s: ast.stmt | None = None) -> None: ...


CallOf = Callable[["Lowering", Any, list[Value], dict[str, Value]], Value]  # of a function of the user's, by its object
SomeCall = Callable[["Lowering", Any, list[Value], dict[str, Value]], "Value | None"]  # None: not one of those


@dataclass(frozen=True)
class Above:
    """One field a function, named like it.

    Syntax:     evaluate, condition, run, share, assign
    Calls:      call, call_back, call_function, call_of_the_library, call_python_object, call_object_method
    Instances:  call_special, binary_special, unary_special, truth_special
    Unions:     truth_of, held_union
    Objects:    fetched, function_object, list_of_steps
    Emission:   guard_callback, after_callback, write_back, before_call: what surrounds calls back into Python
    """

    evaluate: Callable[[Lowering, Frame, ast.expr], Value]
    condition: Callable[[Lowering, Frame, ast.expr], Expr]
    run: Callable[[Lowering, Frame, Sequence[ast.stmt]], None]
    share: Callable[[Lowering, Frame, set[str], Sequence[ast.stmt]], None]
    assign: Assign
    call: Call
    call_back: CallOf
    call_function: SomeCall
    call_of_the_library: SomeCall
    call_python_object: Callable[[Lowering, Object, list[Value], dict[str, Value]], Value]
    call_object_method: Callable[[Lowering, Object, str, list[Value], dict[str, Value]], Value]
    call_special: CallSpecial
    binary_special: BinarySpecial
    unary_special: Callable[[Lowering, type[ast.AST], Value], Value | None]
    truth_special: Callable[[Lowering, Value], Expr | None]
    truth_of: Callable[[Lowering, Value], Expr]
    held_union: Callable[[Lowering, Union], Object]
    fetched: Callable[[Lowering, Any], Object | None]
    function_object: Callable[[Lowering, Func], Object]
    list_of_steps: Callable[[Lowering, Value], Object]
    guard_callback: Callable[
        [Any, nodes.Callback], tuple[nodes.Callback, str]
    ]  # any: `emission.py` makes a part of `Lowering`
    after_callback: Callable[[Any, str], None]
    write_back: Callable[[Any, nodes.Node], None]
    before_call: Callable[[Lowering, str, Sequence[Value]], None]
