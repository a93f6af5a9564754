"""Draws of random numbers: which calls back into Python draw numbers of a known distribution, so that compiled code can draw them.

`draw(program, callback)` is the question. A draw stays a `Callback`, with all that passes know of those: it has an effect, and happens in order.
Compiled code draws from the generator's own state if the generator is exactly one of NumPy's or Python's and the parameters are fine, and makes the call in
all other cases, which then raises what NumPy raises.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from soljit.base.records import dataclass
from soljit.ir.callbacks.random_distributions import OF_MODULES, OWNED, Parameter, Row
from soljit.ir.callbacks.templates import operands_of
from soljit.ir.core.data import Array, Ref, View
from soljit.ir.core.expr import Const, Expr, Memlet, const
from soljit.ir.core.nodes import Callback, Program
from soljit.ir.core.types import BY_NAME, DType, f64
from soljit.ir.walk import is_object
from soljit.support.objects import HERE
from soljit.support.pending import parse, unguarded

Items = tuple[Expr, ...]
Argument = Expr | Memlet | Items


@dataclass(frozen=True, slots=True)
class Draw:
    """One draw.

    generator: the operand that is the generator, or the name of the function whose owner it is
    arguments: parameters, in the row's order; an array may be one that the call makes of these items
    dtype:     of the number, or of the array's elements; None: nothing is given
    lengths:   of the array that is drawn, for an array its length; None: one number, or nothing
    into:      the array that is filled, or None
    """

    row: Row
    generator: Memlet | Expr | str
    arguments: tuple[Argument, ...]
    dtype: DType | None
    lengths: tuple[Argument, ...] | None
    into: Memlet | None = None


def draw(program: Program, n: Callback) -> Draw | None:
    """The draw that a call is; None: another call."""
    owner, _, name = unguarded(n.target).rpartition(".")
    args = list(n.args)
    rows = (OWNED.get(owner) or OF_MODULES.get(owner, {})).get(name, ())
    generator: Memlet | Expr | str = owner
    if rows and owner in OWNED:
        first = _operand(n, args.pop(0)) if args else None
        if first is None or not is_object(first, program.params, program.data):
            return None
        generator = first
    for row in rows:
        bound = _bound(program, n, row, args)
        found = None if bound is None else _given(program, n, row, generator, bound)
        if found is not None:
            return found
    return None


def _operand(n: Callback, template: object) -> Memlet | Expr | None:
    match template:
        case {"$": int() as k, **rest} if rest.keys() <= {"weak"}:
            return n.ins[k]
    return None


@dataclass(slots=True)
class _Bound:
    """What a call gives to the parameters of a row; typed: it asks for a type, which the result has."""

    arguments: list[Argument] = field(default_factory=list)
    lengths: list[Argument] | None = None
    into: Memlet | None = None
    typed: bool = False


# --- results --------------------------------------------------------------------------------------------------------------


def _given(program: Program, n: Callback, row: Row, generator: Memlet | Expr | str, bound: _Bound) -> Draw | None:
    """The draw by this row, if the call gives what the row gives."""
    arguments, lengths = tuple(bound.arguments), bound.lengths
    if row.form == "permutation":
        lengths = [arguments[0]]
    if bound.into is not None:
        fits = lengths is None and _is_writable(program, bound.into) and row.dtype == _element_type(program, bound.into)
        fits = fits and _declared(n.result) == (row.dtype, 1)
        return (
            Draw(row, generator, arguments, BY_NAME[row.dtype], None, bound.into)
            if fits and row.form != "one"
            else None
        )
    if row.form == "place":
        outs = n.outs if parse(n.target) is None else n.outs[:-1]
        fits = _is_writable(program, arguments[0]) and n.result in (None, "none") and not any(outs)
        return Draw(row, generator, arguments, None, None) if fits else None
    if row.form != "any" and (row.form == "one") is not (lengths is None):
        return None
    declared = _declared(n.result)
    dtype = row.dtype or _element_type(program, arguments[0]) or (declared or ("",))[0]
    if declared != (dtype, len(lengths or ())) or (bound.typed and n.result in ("float", "int")):
        return None
    return Draw(row, generator, arguments, BY_NAME[dtype], None if lengths is None else tuple(lengths))


def _declared(result: object) -> tuple[str, int] | None:
    """Type and number of dimensions of what a call gives, 0 for a number."""
    match result:
        case "float":
            return "f64", 0
        case "int":
            return "i64", 0
        case {"numpy": str() as t}:
            return t, 0
        case {"array": [str() as t, int() as ndim]} if ndim:
            return t, ndim
    return None


def _element_type(program: Program, a: Argument) -> str:
    """Of an array; "" of one that the call makes."""
    return program.data[a.data].dtype.name if isinstance(a, Memlet) else ""


def _is_writable(program: Program, a: Argument) -> bool:
    if not isinstance(a, Memlet):
        return False
    d = program.data[a.data]
    while isinstance(d, View):
        d = program.data[d.of]
    return not isinstance(d, Array) or d.writable


# --- parameters -----------------------------------------------------------------------------------------------------------


def _bound(program: Program, n: Callback, row: Row, args: Sequence[object]) -> _Bound | None:
    """What a call gives to the parameters; None: something that is not for compiled code."""
    specs, given, out = row.specification, dict(n.kwargs), _Bound()
    if any(spec.kind == "*size" for spec in specs):
        args = [{"tuple": list(args)}] if args else []
    named = [spec for spec in specs if spec.kind != "literal"]
    for spec, a in zip(named, args):
        if spec.name in given:
            return None
        given[spec.name] = a
    if len(args) > len(named) or not given.keys() <= {spec.name for spec in named}:
        return None
    return out if all(_bind(program, n, out, spec, given) for spec in specs) else None


def _bind(program: Program, n: Callback, out: _Bound, spec: Parameter, given: dict[str, object]) -> bool:
    """Write down what one parameter is; False: it is not for compiled code."""
    value = given.get(spec.name)
    match spec.kind:
        case "literal":
            out.arguments.append(const(int(spec.name)))
        case "none":
            return value is None
        case "false":
            return value is False
        case "true":
            return given.get(spec.name, True) is True
        case "truth":
            out.arguments.append(const(int(value is True)))
            return value in (None, True, False) and type(value) in (type(None), bool)
        case "dtype":
            out.typed = value is not None
            return not list(operands_of(value))
        case "size" | "*size":
            out.lengths = None if value is None else _lengths(program, n, value)
            return value is None or out.lengths is not None
        case "out" if value is not None:
            out.into = _memlet(program, n, value, spec)
            return out.into is not None
        case "out":
            return True
        case "array" | "rows":
            array = _array(program, n, value, spec)
            if array is not None:
                out.arguments.append(array)
            return array is not None
        case _ if spec.integer and spec.name in ("high", "stop") and value is None:  # integers(high)
            out.arguments.insert(0, const(0))
        case _:
            number = _number(program, n, value if spec.name in given else spec.default, spec)
            if number is not None:
                out.arguments.append(number)
            return number is not None
    return True


_CHANGED = {HERE + "view"}  # how arrays are passed: as views, or as what must not be changed
_READ = _CHANGED | {HERE + "frozen", HERE + "frozen_view"}
_LENGTH, _ITEM = Parameter.read("#length"), Parameter.read("item")


def _lengths(program: Program, n: Callback, template: object) -> list[Argument] | None:
    """The lengths that `size` asks for."""
    items = _items(template)
    found = [_number(program, n, x, _LENGTH) for x in ([template] if items is None else items)]
    return [x for x in found if x is not None] if found and None not in found else None


def _items(template: object) -> list[object] | None:
    """The items of a list or tuple."""
    if isinstance(template, dict) and isinstance(template.get("tuple"), list):
        return list(template["tuple"])
    return list(template) if isinstance(template, list | tuple) else None


def _array(program: Program, n: Callback, template: object, spec: Parameter) -> Memlet | Items | None:
    """An array, or a list or tuple of numbers of which the call makes one."""
    items = _items(template)
    if items is not None and spec.kind == "array":
        found = [_number(program, n, x, _ITEM) for x in items]
        return tuple(x for x in found if x is not None) if found and None not in found else None
    return _memlet(program, n, template, spec)


def _memlet(program: Program, n: Callback, template: object, spec: Parameter) -> Memlet | None:
    match template:
        case {"call": [str() as name, [inner]]} if name in (_READ if spec.kind == "array" else _CHANGED):
            template = inner
    found = _operand(n, template)
    if not isinstance(found, Memlet) or is_object(found, program.params, program.data):
        return None
    d = program.data.get(found.data)
    if not isinstance(d, Array | View | Ref) or (spec.dtype and d.dtype.name != spec.dtype):
        return None
    rank = len(found.dims) if found.subset else d.ndim if isinstance(d, Ref) else len(d.shape)
    return found if rank == 1 or (rank == 2 and spec.kind == "rows") else None


def _number(program: Program, n: Callback, template: object, spec: Parameter) -> Expr | None:
    """The number that an argument is; None: something else."""
    found: Memlet | Expr | None = _operand(n, template)
    match template:
        case bool():
            return None
        case int() if -(1 << 63) <= template < 1 << 63:
            found = const(template)
        case float():
            found = Const(template, f64)
    if not isinstance(found, Expr) or is_object(found, program.params, program.data):
        return None
    t = found.dtype
    fits = t.is_int and t.name != "u64" if spec.integer else t.is_int or t.is_float
    weak = not spec.python or not isinstance(template, dict) or bool(template.get("weak"))
    return found if fits and weak else None
