"""What a call back gives, as the program declares it: taken apart, and checked.

A declaration is a JSON-able tree: `"float"`, `"int"`, `"bool"`, `"complex"` a Python number; `{"numpy": "f64"}` a NumPy scalar;
`{"array": ["f64", 2]}` an array (with `"writable": false` a read-only one, with `"order"` one that lies so in
memory: "C", "F" or its axes); `{"object": "builtins.str"}` an object of exactly this class, `{"object": null}` any object; `"none"` None,
which has no leaves; `{"tuple": […]}` a tuple of these (with `"class"` a named one), `{"list": […]}` a list; `"never"` nothing: the call is
expected to raise; `{"operand": k}` operand k itself, which `same_operand` checks; `{"either": [a, b]}` what a or b declares: its leaves are
which one that is, those of a, and those of b, of which one half is made up; `"any float"` a float of Python's or of NumPy's: its leaves are which, 0 or 1,
and the number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from soljit.base.python.arrays import is_writable
from soljit.base.python.names import find
from soljit.base.python.object_names import class_name, say
from soljit.support.limits import IntTooLarge
from soljit.support.unforeseen import Unforeseen

ANY_FLOAT = "any float"
PYTHON: dict[str, type] = {"bool": bool, "int": int, "float": float, "complex": complex}


def leaves_of(tree: object, value: object) -> list[Any]:  # leaves of any type
    """The leaves of `value` if it is what `tree` declares, else a TypeError: the program was compiled for other types."""
    match tree:
        case "none" if value is None:
            return []
        case str() if tree in PYTHON and type(value) is PYTHON[tree]:
            if type(value) is int and not -(1 << 63) <= value < 1 << 63:
                raise IntTooLarge
            return [value]
        case "any float" if type(value) in (float, np.float64):
            return [int(type(value) is np.float64), value]
        case {"numpy": str() as name} if isinstance(value, np.generic) and element_name(value.dtype) == name:
            return [value]
        case {"array": [str(), int()], **rest} if type(value) is np.ndarray:
            order = rest.pop("order", None)
            found = declared_array(element_name(value.dtype), value.ndim, is_writable(value))
            if found == {"array": tree["array"], **rest} and (order is None or _lies_in(value, order)):  # type: ignore[index]
                return [value]
        case {"either": list() as options}:
            if (at := next((k for k, t in enumerate(options) if _is_like(t, value)), None)) is not None:
                return [
                    at,
                    *(leaf for k, t in enumerate(options) for leaf in leaves_of(t, value if k == at else _made_up(t))),
                ]
        case {"object": name} if name is None or class_name(type(value)) == name:
            return [value]
        case {"tuple": list() as parts, "class": name} if class_name(type(value)) == name and len(value) == len(parts):  # type: ignore[arg-type]
            return [leaf for p, v in zip(parts, value) for leaf in leaves_of(p, v)]  # type: ignore[call-overload]
        case {"list": list() as parts} if type(value) is list and len(value) == len(parts):
            return [leaf for p, v in zip(parts, value) for leaf in leaves_of(p, v)]
        case {"tuple": list() as parts} if type(value) is tuple and len(value) == len(parts):
            return [leaf for p, v in zip(parts, value) for leaf in leaves_of(p, v)]
    raise Unforeseen(f"a {say(value)} came back from Python where compiled code expects {tree}")


def _is_like(tree: object, value: object) -> bool:
    try:
        leaves_of(tree, value)
    except Unforeseen:
        return False
    return True


def _made_up(tree: object) -> Any:
    """Something that is like the declaration, of numbers and arrays."""
    match tree:
        case "none":
            return None
        case "any float":
            return 0.0
        case str():
            return PYTHON[tree]()
        case {"numpy": str() as name}:
            return _element_type(name).type()
        case {"array": [str() as name, int() as ndim], **rest}:
            order = rest.get("order")
            made = np.empty(
                ((0,) if order is None else (2,)) * ndim, _element_type(name), order="F" if order == "F" else "C"
            )
            if isinstance(order, list):
                made = made.transpose(np.argsort(order))
            made.flags.writeable = bool(rest.get("writable", True))
            return made
        case {"tuple": list() as parts, **rest}:
            items = [_made_up(p) for p in parts]
            return find(str(rest["class"]))(*items) if rest else tuple(items)
        case {"list": list() as parts}:
            return [_made_up(p) for p in parts]
    raise Unforeseen(f"nothing can be made up that is like {tree}")


def _element_type(name: str) -> np.dtype[Any]:
    """The other way from `element_name`."""
    return np.dtype(bool if name == "b1" else f"{name[0]}{int(name[1:]) // 8}" if name[1:].isdigit() else name)


def same_operand(tree: object, value: object, operands: Sequence[object]) -> bool:
    """Tell whether the declaration names an operand; then `value` is that very object, or a TypeError is raised."""
    match tree:
        case {"operand": int() as k}:
            if value is not operands[k]:
                raise Unforeseen(f"a {say(value)} came back from Python where compiled code expects operand {k}", value)
            return True
    return False


def declared_array(element: str, ndim: int, writable: bool) -> dict[str, object]:
    """The declaration of an array in any memory order."""
    found: dict[str, object] = {"array": [element, ndim]}
    return found if writable else found | {"writable": False}


def _lies_in(a: np.ndarray[Any, Any], order: object) -> bool:  # any: every dtype comes here
    if isinstance(order, str):
        return bool(a.flags.c_contiguous if order == "C" else a.flags.f_contiguous)
    return list(axes_in_memory(a)) == order


def axes_in_memory(a: np.ndarray[Any, Any]) -> tuple[int, ...]:  # any: every dtype comes here
    """The axes of an array from slowest to fastest in memory."""
    return tuple(sorted(range(a.ndim), key=lambda k: (-abs(a.strides[k]), k)))


def element_name(dtype: np.dtype[Any]) -> str:
    """How declarations call an element type."""
    kind = dtype.kind
    return "b1" if kind == "b" else f"{kind}{8 * dtype.itemsize}" if dtype.isnative else str(dtype)
