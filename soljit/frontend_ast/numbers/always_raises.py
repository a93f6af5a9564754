"""What Python raises whatever the numbers are, found by trying: `None + 1`, `abs("a")`, `[].append()`."""

from __future__ import annotations

import ast
import operator
import types
from collections.abc import Callable, Sequence
from typing import Any

from soljit.base.knowledge import pure
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.contents import sample_of
from soljit.frontend_ast.values.object_types import Unknown
from soljit.frontend_ast.values.python_operators import PYTHON, name_of_operator
from soljit.frontend_ast.values.values import (
    Arr,
    Dict,
    Func,
    Generated,
    Generator,
    Lazy,
    Method,
    Num,
    RangeVal,
    SliceVal,
    Static,
    Tup,
    Value,
)
from soljit.ir.core.expr import Const

_BUILTIN = (type(None), str, bytes, bool, int, float, complex, type(Ellipsis), type(NotImplemented), range, frozenset)
_TRIES = (3, 2, 1, 0)  # sizes and numbers that are tried


def is_builtin(function: Any) -> bool:
    """Is this one of Python's builtin functions and classes that have no effect?"""
    facts = pure.known(function) if getattr(function, "__module__", "") == "builtins" else None
    return facts is not None and facts.tried and not isinstance(function, types.MethodType)


def _looks(function: Any) -> bool:
    """Does this neither call functions nor take items of iterators?"""
    if function is reversed or getattr(function, "__module__", "") == "_operator":
        return True
    facts = pure.known(function) if is_builtin(function) else None
    return facts is not None and facts.looks and facts.takes == "none"


def of_operator(cx: Lowering, kind: type[ast.AST], left: Value, right: Value, in_place: bool = False) -> bool:
    """Emit the exception that Python raises for `left <op> right` (`left <op>= right`) of values of these types; tell whether there is one."""
    if all(isinstance(v, Num) and v.weak for v in (left, right)) and kind is not ast.MatMult and not in_place:
        return False
    if kind in (ast.Eq, ast.NotEq):
        return False
    if kind in (ast.Lt, ast.LtE, ast.Gt, ast.GtE):
        return _compared(cx, PYTHON[kind], left, right)
    return raised(cx, getattr(operator, name_of_operator(kind, in_place)), [left, right])


def method_raised(cx: Lowering, f: Method, args: Sequence[Value], kwargs: dict[str, Value]) -> bool:
    """Emit the exception that Python raises for a call of this method of a value of its own types; tell whether there is one."""
    return raised(cx, getattr, [f.owner, *args], kwargs, f.name)


def raised(
    cx: Lowering,
    function: Callable[..., Any],
    args: Sequence[Value],
    kwargs: dict[str, Value] | None = None,
    method: str = "",
) -> bool:
    """Emit the exception that Python's function raises for all arguments of these types; tell whether there is one. method: of the first argument"""
    values = [*args, *(kwargs or {}).values()]
    looking = _looks(function)
    if not all(_is_known(v, looking) for v in values):
        return False
    exact = all(map(_is_exact, values))
    seen: Exception | None = None
    for n in _TRIES[:1] if exact else _TRIES:
        found = _tried(cx, function, args, kwargs or {}, n, method)
        if found is None or not (exact or _tells_types(found)):
            return False
        if seen is not None and (type(found), str(found)) != (type(seen), str(seen)):
            return False
        seen = found
    if isinstance(seen, KeyError) or seen is None:  # whose text is that of the key
        return False
    cx.raise_like(seen)
    return True


def _tells_types(e: Exception) -> bool:
    """Tell whether this is about the types of operands. Whether items are compared may depend on other items."""
    return type(e) is TypeError and " not supported between " not in str(e)


def _compared(cx: Lowering, function: Callable[..., Any], left: Value, right: Value) -> bool:
    """`raised` for a comparison of two values, neither of which has items."""
    if any(isinstance(v, (Tup, Arr, Lazy)) for v in (left, right)):
        return False
    if not all(_is_known(v, True) for v in (left, right)):
        return False
    found = [_tried(cx, function, (left, right), {}, n) for n in _TRIES]
    if type(found[0]) is not TypeError or len({str(e) for e in found}) > 1:
        return False
    cx.raise_like(found[0])
    return True


def _tried(
    cx: Lowering,
    function: Callable[..., Any],
    args: Sequence[Value],
    kwargs: dict[str, Value],
    n: int,
    method: str = "",
) -> Exception | None:
    """What the function raises on an example; None: nothing, or it may not be tried."""
    try:
        positional, named = [_example(cx, a, n) for a in args], {k: _example(cx, v, n) for k, v in kwargs.items()}
        if method:
            pure.attempt_method(positional[0], method, positional[1:], named)
        else:
            pure.attempt(function, positional, named)
    except (Unknown, pure.Impure):
        return None
    except RecursionError:
        raise
    except Exception as e:
        return e
    return None


def _example(cx: Lowering, v: Value, n: int) -> Any:
    """`sample_of`, with something in place of functions and iterators, which are not called or stepped through before the error."""
    match v:
        case Func() | Method():
            return pure.nothing
        case Generated(is_list=False) | Generator():
            return (x for x in "")
        case Generated():
            return list(range(n))
    return sample_of(cx, v, n)


def _is_known(v: Value, looking: bool) -> bool:
    """Tell whether the structure is known, and of Python's and NumPy's own types."""
    match v:
        case Num() | Arr() | Lazy() | RangeVal():
            return True
        case Static():
            if isinstance(v.obj, types.BuiltinFunctionType):
                return looking or is_builtin(v.obj)
            return type(v.obj) in _BUILTIN or isinstance(v.obj, type) and v.obj.__module__ == "builtins"
        case Tup() if v.cls is None:
            return all(_is_known(x, False) for x in v.items)
        case Dict() if v.cls is None:
            return all(_is_known(x, False) for x in v.items.values())
        case SliceVal():
            return all(p is None or _is_known(p, looking) for p in (v.start, v.stop, v.step))
        case Func() | Method() | Generated(is_list=False) | Generator():
            return looking
    return False


def _is_exact(v: Value) -> bool:
    """Tell whether the value is known, not only its type."""
    match v:
        case Num():
            return v.weak and isinstance(v.expr, Const)
        case Static():
            return True
        case Tup():
            return all(map(_is_exact, v.items))
        case Dict():
            return all(map(_is_exact, v.items.values()))
        case SliceVal():
            return all(p is None or _is_exact(p) for p in (v.start, v.stop, v.step))
    return False
