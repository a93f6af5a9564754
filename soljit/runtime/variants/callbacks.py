"""Calls from compiled code back into Python: templates → arguments, results → declared leaves.

`caller` makes the function that the dispatcher calls with the operands. It returns a tuple of NumPy scalars and
arrays of exactly the declared dtypes, dimensions and orders; what cannot be made so without changing a value is a
TypeError.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from soljit.base.place import Loc
from soljit.base.python.arrays import is_writable
from soljit.base.python.names import find
from soljit.ir.callbacks.templates import fill
from soljit.ir.core.types import BY_NAME
from soljit.runtime.variants.expected import test_of
from soljit.runtime.variants.variant import CallbackTable, Json, LeafRecord
from soljit.support import declarations, pending
from soljit.support.limits import IntTooLarge
from soljit.support.objects import is_seen_elsewhere
from soljit.support.unforeseen import Site, Unforeseen


def caller(table: CallbackTable) -> Callable[..., tuple[Any, ...]]:
    """The function for one entry of the table of callbacks."""
    guarded = pending.parse(table.target)
    if guarded is not None:
        return reporting(table, guarded)
    return _caller(table, lambda function: function)


def reporting(table: CallbackTable, guarded: pending.Guarded) -> Callable[..., tuple[Any, ...]]:
    """The call in a try: its last result is the status of `support/pending.py`, the others are made up where it failed."""
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
        if not table.outs and table.result is None:
            return target
        if table.result is not None:
            return checked(target, table)
    return checked(_filling(table, around, target, first), table, first)


def _filling(
    table: CallbackTable, around: Callable[[Any], Any], target: Callable[..., Any] | None, first: int
) -> Callable[..., Any]:
    """The target on what the templates say of the operands."""
    arguments = [filler(a) for a in table.args]
    named = {k: filler(a) for k, a in table.kwargs.items()}

    def call(*operands: Any) -> Any:
        function = target if target is not None else around(operands[0])
        values = operands[first:] if first else operands
        return function(*[f(values) for f in arguments], **{k: f(values) for k, f in named.items()})

    return call


def checked(target: Callable[..., Any], table: CallbackTable, first: int = 0) -> Callable[..., tuple[Any, ...]]:
    """The target on the operands as they come; its result's leaves."""
    found = test_of(table)
    if found is None:
        return lambda *operands: leaves_of(target(*operands), table, operands[first:])
    test, several = found

    def call(*operands: Any) -> tuple[Any, ...]:
        result = target(*operands)
        if test(result):
            return tuple(result) if several else (result,)
        return leaves_of(result, table, operands[first:])

    return call


def filler(template: Json) -> Callable[[Sequence[Any]], Any]:
    """`fill` for one template, prepared."""
    if not isinstance(template, (list, tuple, dict)):
        return lambda operands: template
    match template:
        case {"$": int() as k, **rest} if not rest:
            return lambda operands: operands[k]
        case {"dtype": name}:
            dtype = BY_NAME[name].numpy if name in BY_NAME else np.dtype(name)
            return lambda operands: dtype
        case {"tuple": items}:
            fillers = [filler(x) for x in items]
            return lambda operands: tuple([f(operands) for f in fillers])
    return lambda operands: fill(template, operands)


def leaves_of(result: Any, table: CallbackTable, operands: Sequence[Any]) -> tuple[Any, ...]:
    """The leaves of what the callee returned, checked against the declaration; dropped ones are left out."""
    outs = table.outs
    if not outs and table.result is None:
        return ()
    try:
        if table.result is None:
            parts = flatten(result) if len(outs) > 1 or isinstance(result, (tuple, list)) else [result]
            if len(parts) != len(outs):
                raise Unforeseen(f"{table.target} returned {len(parts)} values where compiled code expects {len(outs)}")
        elif declarations.same_operand(table.result, result, operands):
            return ()
        else:
            parts = declarations.leaves_of(table.result, result)
        return tuple(p if o.kind == "object" else check(p, o, table) for p, o in zip(parts, outs) if o.kind != "drop")
    except IntTooLarge as e:
        raise e.at(Loc(*table.site), table.again) from None
    except Unforeseen as e:
        raise e.at(Site(*table.site, pending.unguarded(table.target)), table.again, result) from None


def flatten(value: Any) -> list[Any]:
    """Leaves of nested tuples and lists."""
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in flatten(item)]
    return [value]


def check(value: Any, leaf: LeafRecord, table: CallbackTable) -> Any:
    """`value` as the leaf was declared. A copy in another memory order is better than no result."""
    dtype = BY_NAME[leaf.dtype or "f64"].numpy
    if leaf.kind != "array":
        return _scalar(value, dtype, table.target)
    if not isinstance(value, np.ndarray) or value.dtype != dtype or value.ndim != leaf.ndim:
        given = describe(value)
        raise Unforeseen(f"{table.target} returned {given} where compiled code expects {dtype}, {leaf.ndim}-d")
    array = value if type(value) is np.ndarray else np.asarray(value)
    if not array.flags.aligned or any(s % dtype.itemsize for s in array.strides):
        if array.base is not None and is_writable(array):  # a copy would not be seen where this is a view of
            raise Unforeseen(f"{table.target} returned an array in unaligned memory")
        array = array.copy("K")
    wanted = {"C": array.flags.c_contiguous, "F": array.flags.f_contiguous}.get(leaf.order, True)
    if not wanted and (table.again and leaf.ndim > 1 or is_seen_elsewhere(array)):
        raise Unforeseen(f"{table.target} returned an array in another memory order than {leaf.order}")
    if not wanted:
        array = np.array(array, order=leaf.order if leaf.order in ("C", "F") else "K")  # type: ignore[call-overload]
    return array


def _scalar(value: Any, dtype: np.dtype[Any], target: str) -> np.generic:
    if isinstance(value, int) and dtype.kind == "i" and not -(1 << 63) <= value < 1 << 63:
        raise IntTooLarge
    given = np.asarray(value)
    if given.ndim == 0 and given.dtype.kind in "biufc":
        made = given.astype(dtype, casting="unsafe") if np.can_cast(given.dtype, dtype, "same_kind") else None
        if made is None and given.dtype.kind in "biu" and dtype.kind in "biu":
            made = given.astype(dtype)
        if made is not None and (np.array_equal(made, given, equal_nan=True)):
            return dtype.type(made[()])  # type: ignore[no-any-return]
    raise Unforeseen(f"{target} returned {describe(value)} where compiled code expects a number of dtype {dtype}")


def describe(value: Any) -> str:
    """What a message says about a returned value."""
    if isinstance(value, np.ndarray):
        return f"an array of dtype {value.dtype}, {value.ndim}-d"
    return (
        f"{type(value).__name__} {value!r}" if isinstance(value, (int, float, complex)) else f"a {type(value).__name__}"
    )
