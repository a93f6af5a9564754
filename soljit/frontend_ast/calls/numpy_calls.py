"""Calls of NumPy's functions, ufuncs and methods: by their handlers, and back into NumPy where a handler refuses."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from soljit.base.errors import UnsupportedError
from soljit.base.python.signatures import signature_of, takes, unlike
from soljit.frontend_ast.arrays.ufunc_kernels import KERNELS
from soljit.frontend_ast.calls import ufunc_calls
from soljit.frontend_ast.calls.callbacks import callback
from soljit.frontend_ast.calls.constructors import call_by_python
from soljit.frontend_ast.lowering import registry
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects import library_names
from soljit.frontend_ast.values.descriptions import is_numpys
from soljit.frontend_ast.values.values import NONE, Arr, Lazy, Num, Static, Tup, Value
from soljit.frontend_ast.views.out_arguments import number_in

Otherwise = Callable[[UnsupportedError], Value]  # what is done with a call that was refused so

# functions that call the method of the same name if their argument is a NumPy scalar
_BY_METHOD = {
    np.all, np.amax, np.amin, np.any, np.argmax, np.argmin, np.around, np.clip, np.max, np.mean, np.min, np.prod, np.round, np.std,
    np.sum, np.var,
}  # fmt: skip


def _of_a_scalar(cx: Lowering, result: Value, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """What a method of a NumPy scalar gives: never a 0-d array, be it the `out` that was passed."""
    if not (isinstance(result, Arr) and result.ndim == 0 and args and isinstance(args[0], Num) and not args[0].weak):
        return result
    return number_in(cx, result) if any(result is v for v in (*args, *kwargs.values())) else result


def _gives_none(function: Any, args: list[Value], kwargs: dict[str, Value]) -> bool:
    """Tell whether None is passed for what has another default. Handlers take it for an argument that is left out."""
    if function is np.clip or not any(
        v is NONE or v == NONE for v in (*args, *kwargs.values()) if isinstance(v, Static)
    ):
        return False
    signature = signature_of(function)
    defaults = {} if signature is None else {p.name: p.default for p in signature.parameters.values()}
    named = {**dict(zip(defaults, args)), **kwargs}
    others = (k for k, d in defaults.items() if d is not None and d is not inspect.Parameter.empty)
    return any(isinstance(named.get(k), Static) and named[k] == NONE for k in others)


def call_entry(cx: Lowering, obj: Any, entry: registry.Entry, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """A function of the tables."""

    def call_back(why: UnsupportedError | None = None) -> Value:
        return callback.call_back(cx, obj, args, kwargs, why)

    if cx.raising and any(obj is f for f in (sum, pow, divmod)) and is_numpys(*args):
        raise cx.unsupported(f"{obj.__name__} of NumPy's values where floating-point errors raise")
    if library_names.is_numpy(obj) and (not takes(obj, *args, **kwargs) or _gives_none(obj, args, kwargs)):
        return call_back()
    name = str(getattr(obj, "__name__", obj))

    otherwise: Otherwise | None = None
    if library_names.is_numpy(obj):
        name, otherwise = (library_names.dotted_name(obj) or name).replace("numpy", "np", 1), call_back
    elif getattr(obj, "__module__", None) == "math":
        name = f"math.{name}"

        def by_python(why: UnsupportedError) -> Value:
            return call_by_python(cx, obj, args, kwargs, f"{name} in this form")

        otherwise = by_python
    result = _by_handler(cx, name, entry.handler, args, kwargs, otherwise)
    return _of_a_scalar(cx, result, args, kwargs) if obj in _BY_METHOD else result


def _by_handler(
    cx: Lowering,
    name: str,
    handler: registry.Handler,
    args: Sequence[Any],
    kwargs: dict[str, Value],
    otherwise: Otherwise | None,
) -> Value:
    """What a handler makes of a call."""

    def handled() -> Value:
        if form := unlike(handler, cx, *args, **kwargs):
            raise cx.unsupported(f"{name} {form}")
        return handler(cx, *args, **kwargs)

    return _natively(cx, handled, otherwise)


def _natively(cx: Lowering, handled: Callable[[], Value], otherwise: Otherwise | None) -> Value:
    """What `handled` gives; what it does not compile is left to `otherwise`, as if it had not been tried."""
    if cx.raising and otherwise is not None:
        return otherwise(cx.unsupported("arithmetic whose floating-point errors NumPy raises or tells"))
    mark = cx.snapshot()
    try:
        return handled()
    except UnsupportedError as error:
        if otherwise is None:
            raise
        cx.restore(mark)
        try:
            return otherwise(error)
        except UnsupportedError:
            raise error from None


def call_ufunc(cx: Lowering, ufunc: np.ufunc, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """`ufunc(...)`"""
    if ufunc.nin < len(args) <= ufunc.nin + ufunc.nout and "out" not in kwargs:  # where results go, as in out=
        places = [*args[ufunc.nin :], *(NONE for _ in range(ufunc.nin + ufunc.nout - len(args)))]
        args, kwargs = args[: ufunc.nin], kwargs | {"out": places[0] if ufunc.nout == 1 else Tup(places)}

    return _natively(
        cx, partial(ufunc_calls.call, cx, ufunc, args, kwargs), partial(callback.call_back, cx, ufunc, args, kwargs)
    )


def call_ufunc_method(cx: Lowering, obj: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """`ufunc.reduce` and so on."""
    ufunc: np.ufunc = obj.__self__
    handler = ufunc_calls.METHODS.get(obj.__name__)

    call_back = partial(callback.call_back, cx, obj, args, kwargs)
    if handler is None or ufunc.__name__ not in KERNELS:
        return call_back()
    return _by_handler(cx, f"np.{ufunc.__name__}.{obj.__name__}", handler, [ufunc, *args], kwargs, call_back)


def call_array_method(
    cx: Lowering, owner: Arr | Lazy | Num, name: str, args: list[Value], kwargs: dict[str, Value]
) -> Value:
    """A method of an array or a number."""
    call_back = partial(callback.call_method, cx, owner, name, args, kwargs)
    handler = registry.METHODS.get(name)
    if handler is None:
        return call_back()
    python = isinstance(owner, Num) and owner.weak
    result = _by_handler(cx, f"method '{name}'", handler, [owner, *args], kwargs, None if python else call_back)
    return _of_a_scalar(cx, result, [owner, *args], kwargs)
