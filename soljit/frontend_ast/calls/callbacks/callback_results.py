"""What calls back give: its declaration, the containers that receive it, the values read out of them.

A result is known by an example of it: numbers, arrays, None, and tuples and lists of these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from soljit.base.records import dataclass
from soljit.frontend_ast.joins.unions import choose
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.contents import element_like
from soljit.frontend_ast.objects.foreign_arrays import is_foreign
from soljit.frontend_ast.objects.objects import declare, read
from soljit.frontend_ast.values.object_types import Element
from soljit.frontend_ast.values.values import Value
from soljit.ir.core.types import i64


@dataclass
class Either:
    """The result is like one of these examples; its values decide like which."""

    options: tuple[Any, ...]


_REAL = {np.linalg.eig, np.linalg.eigvals, np.roots} | {
    getattr(np.emath, name) for name in ("sqrt", "log", "log2", "log10", "logn", "power", "arccos", "arcsin", "arctanh")
}
_FROM_COMPLEX: dict[Any, bool] = dict.fromkeys(_REAL, False) | {np.poly: True}  # conjugate roots: real coefficients


def real_or_complex(function: Any, result: Any, given: list[Any]) -> Either | None:
    """What a call may give whose result is real or complex as the values are, which gave `result` for examples; else None."""
    module, name = getattr(function, "__module__", None) or "", getattr(function, "__name__", "")
    of_polynomials = module.startswith("numpy.polynomial.") and name.endswith("roots") and "from" not in name
    from_complex = False if of_polynomials else _FROM_COMPLEX.get(function)
    if from_complex is None or any(np.iscomplexobj(x) for x in items_in(given)) != from_complex:
        return None
    options = (_of_kind("f", result), _of_kind("c", result))
    return Either(options) if all(np.asarray(x).dtype.kind in "fc" for x in items_in(result)) else None


def _of_kind(kind: str, x: Any) -> Any:
    """An example of the same form of real or of complex numbers: of complex arrays the real parts are what is given as real ones."""
    if isinstance(x, tuple):
        items = [_of_kind(kind, y) for y in x]
        return tuple(items) if type(x) is tuple else type(x)(*items)
    if np.asarray(x).dtype.kind == kind:
        return x
    made = np.asarray(x).real if kind == "f" else np.asarray(x).astype(np.result_type(x, np.complex64))
    return made if isinstance(x, np.ndarray) else made[()]


def places_in(x: Any, path: tuple[int, ...] = ()) -> list[tuple[tuple[int, ...], Any]]:
    """The items of nested tuples and lists, with the indices that lead to them."""
    if not isinstance(x, (tuple, list)):
        return [(path, x)]
    return [item for k, y in enumerate(x) for item in places_in(y, (*path, k))]


def items_in(x: Any) -> list[Any]:
    """The same without the indices."""
    return [y for _, y in places_in(x)]


def arrays_in(x: Any) -> list[Any]:
    """All arrays in nested tuples and lists."""
    return [y for y in items_in(x) if isinstance(y, np.ndarray)]


def structure_of(x: Any) -> Any:
    """The structure of a result."""
    if isinstance(x, (tuple, list)):
        return [structure_of(y) for y in x]
    return np.ndim(x), x.dtype if isinstance(x, np.ndarray) else type(x)


def declaration_of(cx: Lowering, sample: Any, ordered: bool = False) -> Any:
    """The declaration of a result like `sample` (`support/declarations.py`); ordered: of arrays in its memory order only."""
    if isinstance(sample, Either):
        alike = len({repr(declaration_of(cx, x)) for x in sample.options}) < len(sample.options)
        return {"either": [declaration_of(cx, x, ordered=alike) for x in sample.options]}
    return _element(cx, sample).declared(ordered)


def has_objects(x: Any) -> bool:
    """Tell whether there is a string, a dict or the like in a result."""
    if isinstance(x, (tuple, list)):
        return any(map(has_objects, x))
    return isinstance(x, (str, bytes, dict, set)) or x is NotImplemented or is_foreign(x)


def receive(cx: Lowering, sample: Any, outs: list[str], hint: str) -> Callable[[], Value]:
    """Make containers for the leaves of a result like `sample`; what reads it out of them."""
    short = hint.rpartition(".")[2]
    if isinstance(sample, Either):
        tag = cx.scalar(i64, short)
        outs.append(tag)
        options = [receive(cx, x, outs, hint) for x in sample.options]
        return lambda: choose(cx, cx.let(cx.read(tag), "which"), len(options), lambda k: options[k]())
    for x in items_in(sample):
        if _element(cx, x).form == "object":
            raise cx.unsupported(f"np.{hint}, whose result is a {type(x).__name__}")
    made = declare(cx, _element(cx, sample), outs, short, frozenset())
    return lambda: read(cx, made)


def _element(cx: Lowering, sample: Any) -> Element:
    """What an example is; tuples and lists are taken apart, whatever is known of the objects that the program has."""
    if not isinstance(sample, (tuple, list)):
        return element_like(cx, sample)
    form, plain = ("tuple", tuple) if isinstance(sample, tuple) else ("list", list)
    cls = None if type(sample) is plain else type(sample)
    return Element(form, items=tuple(_element(cx, x) for x in sample), cls=cls)
