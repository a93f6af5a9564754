"""Programs as JSON, without loss: for the cache, saved bug reports and viewers.

    {"format": 1, "places": [[file, line, col, end_line, end_col, function], …], "program": …}

An object of the IR is `{"is": class name, field: …}`; fields with their default are left out, `loc` is an index into
`places`. A dtype is its name, a tuple a list, a constant `{"f64": "nan"}`: its type and its value as text, so that
NaN, infinities and -0.0 survive. Templates that are JSON-able already (attrs, kwargs, a callback's args, the
structure of the result) are kept, with `{"a float": "nan"}` and `{"a complex": ["1.0", "-0.0"]}` for what JSON lacks.
"""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any, cast

from soljit.base.errors import InternalError
from soljit.base.place import NOWHERE, Loc
from soljit.ir.core import data, expr, nodes
from soljit.ir.core.expr import Const
from soljit.ir.core.nodes import Program, Region
from soljit.ir.core.types import BY_NAME, DType
from soljit.ir.text.spelling import python_class

FORMAT = 1

_CLASSES: dict[str, type[Any]] = {
    c.__name__: c
    for module in (data, expr, nodes)
    for c in vars(module).values()
    if isinstance(c, type) and dataclasses.is_dataclass(c) and c is not Const and c.__module__ == module.__name__
}
# Fields that hold plain JSON, so that lists in them stay lists.
_PLAIN = {
    ("LibraryNode", "attrs"),
    ("Callback", "args"),
    ("Callback", "kwargs"),
    ("Callback", "result"),
    ("Program", "structure"),
}


def to_json(program: Program) -> str:
    """The program as one line of JSON."""
    places: dict[Loc, int] = {}
    tree = _encode(program, places)
    table = [[p.file, p.line, p.col, p.end_line, p.end_col, p.function, p.first] for p in places]
    return json.dumps({"format": FORMAT, "places": table, "program": tree}, allow_nan=False, separators=(",", ":"))


def from_json(text: str) -> Program:
    """The program of `to_json`."""
    whole = json.loads(text)
    if whole.get("format") != FORMAT:
        raise InternalError(f"this program was saved in format {whole.get('format')}, not {FORMAT}")
    program = _decode(whole["program"], [Loc(*p) for p in whole["places"]])
    assert isinstance(program, Program)
    return program


def equal(a: object, b: object) -> bool:
    """Tell whether two pieces of IR are alike, places left aside. (Nodes compare by identity.)"""
    return bool(_encode(a, None) == _encode(b, None))


def _encode(x: object, places: dict[Loc, int] | None) -> Any:  # JSON
    match x:
        case DType():
            return x.name
        case Const():
            return {x.dtype.name: repr(python_class(x.value)(x.value))}
        case None | bool() | int() | str():
            return x
        case tuple():
            return [_encode(y, places) for y in x]
        case dict():
            return {k: _encode(y, places) for k, y in x.items()}
        case _ if type(x).__name__ in _CLASSES:
            return _encode_object(x, places)
        case _:
            raise InternalError(f"no JSON for {x!r}")


def _encode_object(x: Any, places: dict[Loc, int] | None) -> dict[str, Any]:  # any class of the IR
    name = type(x).__name__
    out: dict[str, Any] = {"is": name}
    for f in dataclasses.fields(x):
        value = getattr(x, f.name)
        if f.name == "loc":
            if places is not None and value != NOWHERE:
                out["loc"] = places.setdefault(value, len(places))
        elif (name, f.name) in _PLAIN:
            if value:
                out[f.name] = _encode_plain(value)
        elif not _is_default(f, value, places is None):
            out[f.name] = _encode(value, places)
    return out


def _is_default(f: dataclasses.Field[Any], value: object, placeless: bool) -> bool:
    if isinstance(value, Region) and isinstance(f.default, Region):
        return not value.nodes and (placeless or value.loc == NOWHERE)
    if f.default is dataclasses.MISSING:
        return f.default_factory is not dataclasses.MISSING and not value
    return type(value) is type(f.default) and bool(value == f.default)


def _encode_plain(x: object) -> Any:  # JSON
    match x:
        case dict():
            return {k: _encode_plain(v) for k, v in x.items()}
        case list() | tuple():
            return [_encode_plain(v) for v in x]
        case complex():
            return {"a complex": [repr(x.real), repr(x.imag)]}
        case float() if not math.isfinite(x):
            return {"a float": repr(float(x))}
        case DType():
            return x.name
        case _:
            return x


def _decode(x: Any, places: list[Loc]) -> Any:  # JSON in, IR out
    if isinstance(x, list):
        return tuple(_decode(y, places) for y in x)
    if isinstance(x, dict):
        if isinstance(x.get("is"), str):
            return _decode_object(x, places)
        if len(x) == 1 and isinstance(text := next(iter(x.values())), str):
            return _constant(next(iter(x)), text)
        return {k: _decode(y, places) for k, y in x.items()}
    return x


def _decode_object(x: dict[str, Any], places: list[Loc]) -> object:
    cls = _CLASSES[x["is"]]
    fields: dict[str, Any] = {}
    for k, v in x.items():
        if k == "is":
            continue
        if k == "loc":
            fields[k] = places[v]
        elif k == "dtype":
            fields[k] = None if v is None else BY_NAME[v]
        elif (x["is"], k) in _PLAIN:
            plain = _decode_plain(v)
            fields[k] = tuple(plain) if k == "args" else plain
        else:
            fields[k] = _decode(v, places)
    return cast(object, cls(**fields))


def _decode_plain(x: Any) -> Any:  # JSON
    if isinstance(x, list):
        return [_decode_plain(v) for v in x]
    if isinstance(x, dict):
        if x.keys() == {"a float"}:
            return float(x["a float"])
        if x.keys() == {"a complex"}:
            return complex(*map(float, x["a complex"]))
        return {k: _decode_plain(v) for k, v in x.items()}
    return x


def _constant(dtype: str, text: str) -> Const:
    t = BY_NAME[dtype]
    if text in ("True", "False"):
        return Const(text == "True", t)
    try:
        return Const(int(text), t)
    except ValueError:
        return Const(complex(text) if "j" in text else float(text), t)
