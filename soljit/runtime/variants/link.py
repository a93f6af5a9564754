"""A variant of this process → the tuple that `native/variant.h` parses.

The tuple holds every object that the C side borrows: static values, containers of captured values, constants,
callbacks, and the library itself.
"""

from __future__ import annotations

import ctypes
import functools
import inspect
import itertools
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from soljit.base.errors import InternalError
from soljit.base.python.dependency import jitted, resolve
from soljit.base.python.names import find
from soljit.ir.core import types as ir_types
from soljit.ir.core.signature import (
    ArgType,
    ArrayArg,
    DictArg,
    InstanceArg,
    Nested,
    ObjectArg,
    ScalarArg,
    StaticArg,
    TupleArg,
)
from soljit.runtime.values.arguments import leaf_types
from soljit.runtime.variants.callbacks import caller
from soljit.runtime.variants.captured import captured_rows, fetched_row
from soljit.runtime.variants.direct import direct
from soljit.runtime.variants.failures import raiser
from soljit.runtime.variants.made_anew import fetched_from, is_of, likenesses
from soljit.runtime.variants.variant import LeafRecord, Variant
from soljit.support.instances import make_dataclass, make_named_tuple
from soljit.support.objects import window

Row = tuple[Any, ...]  # any: numbers and objects, as the C side expects them
NUMBER = {t.name: k for k, t in enumerate((*ir_types.ALL, ir_types.obj))}
_ORDER = {"C": 0, "F": 1, "A": 2}
_KIND = {"array": 0, "scalar": 1, "python": 2, "object": 3}
LEAF, CONST, PARAM, ARGUMENT, TUPLE, LIST, DICT, CALL, EITHER, JUMP = range(10)
ONLY_LEAF = {"leaf": 0}
_CHANGED = (
    "the array '{}' has got other memory, another shape or type, or was made read-only, by Python code that was called while compiled "
    "code used it: do that outside of the function, or call the function's .python"
)


def specification(
    v: Variant,
    function: types.FunctionType,
    names: Sequence[str],
    statics: Sequence[object],
    plain: types.FunctionType | None = None,
) -> Row:
    """The tuple for variant `v` of `function`, whose parameters have these names.

    statics: the leaves of a fitting call
    plain:   the function, if calls may run in plain Python where that is faster
    """
    record = v.record
    leaves = leaf_types(v.types) + [t for _, t in v.fetched]
    places = leaf_places(leaves, record.params)
    v.alike = alike = likenesses(v)
    nodes: list[Row] = []
    number = itertools.count()  # of the next leaf
    for t in (*v.types, *(t for _, t in v.fetched)):
        _node(t, nodes, number, alike)
    results = tuple(
        (
            _KIND[r.kind],
            NUMBER[r.dtype or "b1"],
            r.ndim,
            places.get(r.base or "", -1),
            places.get(r.same or "", -1),
            int(r.writable),
            -1 if r.itself is None else r.itself,
        )
        for r in record.results
    )
    arrays = [p for p in record.params if p.kind == "array"]
    numbers = {path: k for k, (path, _) in enumerate(v.fetched)}
    code, constants = build_code(record.structure, places, {n: k for k, n in enumerate(names)})
    callbacks = tuple((caller(c), _operands(c.ins), _operands(c.outs), direct(c, NUMBER)) for c in record.callbacks)
    return (
        v.library.kernel,
        v.library.guard,
        v.library.set_threads,
        len(v.types),
        tuple(nodes),
        int(record.writes) + 2 * int(record.identity) + 4 * int(record.changes_objects) + 8 * v.reports,
        tuple(captured_rows(function, [d for d in v.captured if not is_of(d.path, alike)], statics)),
        (
            *(fetched_from(path, statics, alike) or fetched_row(function, path, statics) for path, _ in v.fetched),
            *((*fetched_row(function, path, statics), numbers[of]) for path, of in record.twins),
        ),
        results,
        tuple(code),
        tuple(constants),
        callbacks,
        raiser(record, function.__code__.co_filename, function.__code__.co_firstlineno),
        v.library,
        plain,
        ("whole", "part", "short").index(record.python_work) if record.python_work else 0,
        tuple(_CHANGED.format(p.name) for p in arrays),
        v.device,
        tuple(k for k, p in enumerate(arrays) if p.name in record.put_back),
    )


def guard_holds(v: Variant, leaves: Sequence[object], function: types.FunctionType) -> bool:
    """Tell whether the guard of a variant holds for the leaves of a call of its types."""
    if not v.library.guard:
        return True
    given = [*leaves, *(resolve(function, path, leaves) for path, _ in v.fetched)]
    words = argument_words(given, [*leaf_types(v.types), *(t for _, t in v.fetched)])
    guard = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)(v.library.guard)
    return bool(guard(words.ctypes.data))


def argument_words(leaves: Sequence[Any], leaf_types_: Sequence[ArgType]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The words of a call's arguments."""
    parts: list[Any] = []
    for value, t in zip(leaves, leaf_types_):
        match t:
            case ArrayArg():
                parts.append(np.array([value.__array_interface__["data"][0], *value.shape, *value.strides], np.int64))
            case ScalarArg():
                raw = np.zeros(2 if t.dtype.size > 8 else 1, np.int64)
                raw.view(np.uint8)[: t.dtype.size] = np.frombuffer(np.array(value, t.dtype.numpy).tobytes(), np.uint8)
                parts.append(raw)
            case ObjectArg():
                parts.append(np.array([id(value)], np.int64))
    return np.concatenate([*parts, np.zeros(1, np.int64)]).astype(np.int64)


def leaf_places(leaves: Sequence[ArgType], params: Sequence[LeafRecord]) -> dict[str, int]:
    """Parameter leaf name → number of the leaf, static ones counted."""
    dynamic = [k for k, t in enumerate(leaves) if not isinstance(t, StaticArg)]
    if len(dynamic) != len(params):
        raise InternalError(f"{len(params)} parameters were compiled for {len(dynamic)} argument leaves")
    return {p.name: k for p, k in zip(params, dynamic)}


def _node(t: ArgType, out: list[Row], number: Iterator[int], alike: Mapping[int, Row]) -> None:
    leaf = -1 if isinstance(t, Nested) and not isinstance(t, InstanceArg) else next(number)
    match t:
        case ArrayArg():
            group = -1 if t.alias is None else t.alias
            same = -1 if t.same is None else t.same
            place = (t.rank, int(t.writable), group, t.still, int(t.shared), same)
            out.append((0, NUMBER[t.dtype.name], t.ndim, _ORDER[t.order], *place))
        case ScalarArg():
            out.append((1, NUMBER[t.dtype.name], int(t.weak)))
        case StaticArg():
            out.append((2, t.value, alike.get(leaf)))
        case ObjectArg():
            out.append((3, t.type, t.dtype, t.ndim))
        case TupleArg():
            out.append((4, len(t.items), t.cls, int(t.mutable)))
        case DictArg():
            out.append((5, len(t.items), t.keys))
        case InstanceArg():
            absent = tuple((name, *_read_from_class(t.cls, name)) for name in t.absent)
            out.append((6, len(t.items), t.keys, t.cls, absent))
    if isinstance(t, Nested):
        for item in t.items:
            _node(item, out, number, alike)


def _read_from_class(cls: type, name: str) -> tuple[object, int]:
    """What reading an attribute of an instance gives that has none of its own: an object, or with 1 a method of this function."""
    found = inspect.getattr_static(cls, name, None)
    if isinstance(found, types.FunctionType) or jitted(found) is not None:
        return found, 1
    return getattr(cls, name, None), 0


def _operands(leaves: Sequence[LeafRecord]) -> tuple[Row, ...]:
    """Operands or results of a callback."""
    rows = []
    for leaf in leaves:
        kind = _KIND[leaf.kind] if leaf.kind != "drop" else None
        if kind is not None:
            rows.append((kind, NUMBER[leaf.dtype or "b1"], leaf.ndim))
    return tuple(rows)


def identify(values: list[Any], results: Sequence[LeafRecord], windows: Mapping[int, object] | None = None) -> None:
    """Leaves that are array objects and show the same memory alike become one object. `windows`: what they show."""
    arrays = [(k, r.itself) for k, r in enumerate(results) if r.itself is not None and values[k] is not None]
    seen = {k: window(values[k]) if windows is None else windows[k] for k, _ in arrays}
    for n, (k, which) in enumerate(arrays):
        for j, other in arrays[:n]:
            if values[which] == values[other] and seen[j] == seen[k]:
                values[k] = values[j]


def assemble(
    code: Sequence[int],
    constants: Sequence[Any],
    values: Sequence[Any],
    arguments: Sequence[object],
    leaves: Sequence[Any],
) -> Any:
    """Run the pairs of `build_code` on the leaves of a result, as native/results.h does."""
    if not code:
        return values[0]
    sources = {LEAF: values, CONST: constants, PARAM: leaves, ARGUMENT: arguments}
    stack: list[Any] = []
    at = 0
    while at < len(code):
        op, n = code[at : at + 2]
        at += 2
        if op in sources:
            stack.append(sources[op][n])
            continue
        if op in (EITHER, JUMP):
            at += 2 * (values[n] if op == EITHER else n)
            continue
        items = stack[len(stack) - n :]
        del stack[len(stack) - n :]
        match op:
            case 4:
                stack.append(tuple(items))
            case 5:
                stack.append(items)
            case 6:
                stack.append(dict(zip(items[::2], items[1::2])))
            case _:
                stack.append(items[0](*items[1:]))
    return stack[0]


def build_code(
    structure: Any, leaf_index: Mapping[str, int], parameter_index: Mapping[str, int]
) -> tuple[list[int], list[Any]]:
    """`Program.structure` as pairs (operation, operand) for a stack, and the constants they name.

    EITHER k skips as many pairs as the Python int of leaf k says; a table of JUMPs to the alternatives follows.
    """
    code: list[int] = []
    constants: list[Any] = []

    def constant(value: Any) -> None:
        constants.append(value)
        code.extend((CONST, len(constants) - 1))

    def either(leaf: int, trees: Sequence[Any]) -> None:
        code.extend((EITHER, leaf))
        table = len(code)
        code.extend((JUMP, 0) * len(trees))
        ends = []
        for k, tree in enumerate(trees):
            code[table + 2 * k + 1] = (len(code) - table) // 2 - k - 1
            emit(tree)
            ends.append(len(code))
            code.extend((JUMP, 0))
        for end in ends:
            code[end + 1] = (len(code) - end) // 2 - 1

    def emit(tree: Any) -> None:
        match tree:
            case None:
                constant(None)
            case {"leaf": k}:
                code.extend((LEAF, k))
            case {"const": value}:
                constant(_constant(value))
            case {"either": [k, trees]}:
                either(k, trees)
            case {"param": name}:
                inside = name in parameter_index
                code.extend((ARGUMENT, parameter_index[name]) if inside else (PARAM, leaf_index[name]))
            case {"tuple": items} | {"list": items}:
                for item in items:
                    emit(item)
                code.extend((TUPLE if "tuple" in tree else LIST, len(items)))
            case {"dict": pairs}:
                for key, value in pairs:
                    constant(_constant(key))
                    emit(value)
                code.extend((DICT, 2 * len(pairs)))
            case {"namedtuple": [name, items]}:
                constant(functools.partial(make_named_tuple, find(name)))
                for item in items:
                    emit(item)
                code.extend((CALL, 1 + len(items)))
            case {"dataclass": [name, fields]}:
                names = tuple(n for n, _ in fields)
                constant(functools.partial(make_dataclass, find(name), names))
                for _, item in fields:
                    emit(item)
                code.extend((CALL, 1 + len(fields)))
            case _:
                raise InternalError(f"unknown structure of a result: {tree!r}")

    if structure != ONLY_LEAF:
        emit(structure)
    return code, constants


def _constant(value: Any) -> Any:
    """A JSON-able constant: {"complex": [re, im]}, {"dtype": name}, {"name": dotted} for what JSON lacks."""
    match value:
        case {"complex": [re, im]}:
            return complex(re, im)
        case {"dtype": name}:
            return ir_types.BY_NAME[name].numpy
        case {"name": dotted}:
            return find(dotted)
        case {"ellipsis": _}:
            return Ellipsis
        case {"slice": [a, b, c]}:
            return slice(a, b, c)
        case float() if value != value:
            return np.nan
    return value
