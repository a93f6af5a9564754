"""Calls from compiled code back into Python: templates → arguments, results → declared leaves.

`caller` makes the function that the dispatcher calls with the operands. It returns a tuple of NumPy scalars and
arrays of exactly the declared dtypes, dimensions and orders; what cannot be made so without changing a value is a
TypeError.
"""

from __future__ import annotations

import builtins
import functools
import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from soljit.base import objects
from soljit.ir import pending
from soljit.ir.types import BY_NAME
from soljit.runtime.variant import CallbackTable, Json, LeafRecord


def caller(table: CallbackTable) -> Callable[..., tuple[Any, ...]]:
    """The function for one entry of the table of callbacks."""
    guarded = pending.parse(table.target)
    if guarded is not None:
        return reporting(table, guarded)
    return _caller(table, lambda function: function)


def reporting(table: CallbackTable, guarded: pending.Guarded) -> Callable[..., tuple[Any, ...]]:
    """The call in a try: its last result is the status of `ir/pending.py`, the others are made up where it failed."""
    outs = table.outs[:-1]
    inner = _caller(table._replace(target=guarded.function, outs=outs), guarded.around)
    wanted = [leaf for leaf in outs if leaf.kind != "drop"]
    ok = np.int64(0)

    def call(*operands: Any) -> tuple[Any, ...]:
        try:
            results = inner(*operands)
        except pending.Diverted as e:
            return (*(_made_up(leaf) for leaf in wanted), np.int64(e.status))
        return (*results, ok) if outs else (ok,)

    return call


def _made_up(leaf: LeafRecord) -> Any:
    if leaf.kind == "object":
        return None
    dtype = BY_NAME[leaf.dtype or "f64"].numpy
    return np.zeros((0,) * leaf.ndim, dtype) if leaf.kind == "array" else dtype.type(0)


def _caller(table: CallbackTable, around: Callable[[Any], Any]) -> Callable[..., tuple[Any, ...]]:
    first = 0
    target: Callable[..., Any] | None = None
    if table.target.startswith("param:"):
        first = 1
    else:
        target = around(find(table.target))

    plain = not table.kwargs and all(
        isinstance(a, dict) and a.get("$") == k and a.keys() <= {"$", "weak"} for k, a in enumerate(table.args)
    )
    if plain and target is not None and len(table.args) == len(table.ins):
        if not table.outs:
            return target
        if table.result is not None:
            return checked(target, table)

    def call(*operands: Any) -> tuple[Any, ...]:
        function = target if target is not None else around(operands[0])
        values = operands[first:]
        args = [fill(a, values) for a in table.args]
        kwargs = {k: fill(a, values) for k, a in table.kwargs.items()}
        return leaves_of(function(*args, **kwargs), table)

    return call


def checked(target: Callable[..., Any], table: CallbackTable) -> Callable[..., tuple[Any, ...]]:
    """The target on the operands as they come."""

    def call(*operands: Any) -> tuple[Any, ...]:
        return leaves_of(target(*operands), table)

    return call


def find(dotted: str) -> Any:
    """The object of a dotted name: the longest prefix that is a module, then attributes."""
    parts = dotted.split(".")
    for k in range(len(parts), 0, -1):
        try:
            owner: Any = importlib.import_module(".".join(parts[:k]))
        except ModuleNotFoundError:
            continue
        return functools.reduce(getattr, parts[k:], owner)
    return getattr(builtins, dotted)


def fill(template: Json, operands: Sequence[Any]) -> Any:
    """A template with the operands in their places."""
    if isinstance(template, (list, tuple)):
        return [fill(t, operands) for t in template]
    if not isinstance(template, dict):
        return template
    match template:
        case {"$": k, "weak": True}:
            return operands[k].item() if isinstance(operands[k], np.generic) else operands[k]
        case {"$": k}:
            return operands[k]
        case {"dtype": name}:
            return BY_NAME[name].numpy if name in BY_NAME else np.dtype(name)
        case {"slice": parts}:
            return slice(*(fill(p, operands) for p in parts))
        case {"tuple": items}:
            return tuple(fill(i, operands) for i in items)
        case {"ellipsis": _}:
            return Ellipsis
        case {"complex": [re, im]}:
            return complex(re, im)
        case {"name": name}:
            return find(name)
        case {"call": [name, items]}:
            return find(name)(*(fill(i, operands) for i in items))
    return {k: fill(v, operands) for k, v in template.items()}


def leaves_of(result: Any, table: CallbackTable) -> tuple[Any, ...]:
    """The leaves of what the callee returned, checked against the declaration; dropped ones are left out."""
    outs = table.outs
    if not outs:
        return ()
    if table.result is not None:
        parts = objects.leaves_of(table.result, result)
        return tuple(
            p if o.kind == "object" else check(p, o, table.target) for p, o in zip(parts, outs) if o.kind != "drop"
        )
    parts = flatten(result) if len(outs) > 1 or isinstance(result, (tuple, list)) else [result]
    if len(parts) != len(outs):
        raise TypeError(f"{table.target} returned {len(parts)} values where compiled code expects {len(outs)}")
    return tuple(check(p, leaf, table.target) for p, leaf in zip(parts, outs) if leaf.kind != "drop")


def flatten(value: Any) -> list[Any]:
    """Leaves of nested tuples and lists."""
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in flatten(item)]
    return [value]


def check(value: Any, leaf: LeafRecord, target: str) -> Any:
    """`value` as the leaf was declared."""
    dtype = BY_NAME[leaf.dtype or "f64"].numpy
    if leaf.kind != "array":
        return _scalar(value, dtype, target)
    if not isinstance(value, np.ndarray) or value.dtype != dtype or value.ndim != leaf.ndim:
        raise TypeError(f"{target} returned {describe(value)} where compiled code expects {dtype}, {leaf.ndim}-d")
    array = value if type(value) is np.ndarray else np.asarray(value)
    if not array.dtype.isnative or not array.flags.aligned:
        array = array.astype(dtype.newbyteorder("="))
    wanted = {"C": array.flags.c_contiguous, "F": array.flags.f_contiguous}.get(leaf.order, True)
    if not wanted or any(s % dtype.itemsize for s in array.strides):
        array = np.array(array, order=leaf.order if leaf.order in ("C", "F") else "K")  # type: ignore[call-overload]
    return array


def _scalar(value: Any, dtype: np.dtype[Any], target: str) -> np.generic:
    if isinstance(value, int) and dtype.kind == "i" and not -(1 << 63) <= value < 1 << 63:
        raise OverflowError("Python int does not fit 64 bits")
    given = np.asarray(value)
    if given.ndim == 0 and given.dtype.kind in "biufc":
        made = given.astype(dtype, casting="unsafe") if np.can_cast(given.dtype, dtype, "same_kind") else None
        if made is None and given.dtype.kind in "biu" and dtype.kind in "biu":
            made = given.astype(dtype)
        if made is not None and (np.array_equal(made, given, equal_nan=True)):
            return dtype.type(made[()])  # type: ignore[no-any-return]
    raise TypeError(f"{target} returned {describe(value)} where compiled code expects a number of dtype {dtype}")


def describe(value: Any) -> str:
    """What a message says about a returned value."""
    if isinstance(value, np.ndarray):
        return f"an array of dtype {value.dtype}, {value.ndim}-d"
    return (
        f"{type(value).__name__} {value!r}" if isinstance(value, (int, float, complex)) else f"a {type(value).__name__}"
    )
