"""What calls back give: its declaration, the containers that receive it, the values read out of them.

A result is known by an example of it: numbers, arrays, None, and tuples and lists of these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from soljit.base.python.object_names import class_name
from soljit.frontend_ast.arrays.array_variables import new_ref
from soljit.frontend_ast.joins.unions import choose
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.foreign_arrays import is_foreign
from soljit.frontend_ast.objects.objects import list_of
from soljit.frontend_ast.values.values import NONE, Num, Tup, Value, full_view
from soljit.ir.core.expr import Extent, Sym
from soljit.ir.core.types import from_numpy
from soljit.support.declarations import axes_in_memory, declared_array, element_name, order_in_memory


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


def declaration_of(sample: Any, ordered: bool = False) -> Any:
    """The declaration of a result like `sample` (`support/declarations.py`); ordered: of arrays in its memory order only."""
    if isinstance(sample, Either):
        alike = len({repr(declaration_of(x)) for x in sample.options}) < len(sample.options)
        return {"either": [declaration_of(x, ordered=alike) for x in sample.options]}
    if isinstance(sample, np.ndarray):
        found = declared_array(element_name(sample.dtype), sample.ndim, sample.flags.writeable)
        return found | {"order": order_in_memory(sample)} if ordered else found
    if isinstance(sample, tuple):
        parts = {"tuple": [declaration_of(x, ordered) for x in sample]}
        return parts if type(sample) is tuple else parts | {"class": class_name(type(sample))}
    if isinstance(sample, list):
        return {"list": [declaration_of(x, ordered) for x in sample]}
    if isinstance(sample, np.generic):
        return {"numpy": element_name(sample.dtype)}
    return "none" if sample is None else type(sample).__name__


def has_objects(x: Any) -> bool:
    """Tell whether there is a string, a dict or the like in a result."""
    if isinstance(x, (tuple, list)):
        return any(map(has_objects, x))
    return isinstance(x, (str, bytes, dict, set)) or x is NotImplemented or is_foreign(x)


class _Slot:
    """Where one leaf of the result arrives."""

    def __init__(self, name: str, sample: Any, order: str = "C") -> None:
        self.name, self.sample, self.order = name, sample, order


def declare(cx: Lowering, sample: Any, outs: list[str], hint: str) -> Any:
    """Containers for the leaves of a result like `sample`: a tree of slots and constants."""
    short = hint.rpartition(".")[2]
    if isinstance(sample, Either):
        return ("either", None, [declare(cx, x, outs, hint) for x in (0, *sample.options)])
    if isinstance(sample, np.ndarray):
        dtype = from_numpy(sample.dtype)
        if dtype is None:
            raise cx.unsupported(f"np.{hint}, whose result has dtype {sample.dtype}")
        order = "C" if sample.flags.c_contiguous else "F" if sample.flags.f_contiguous else "A"
        name = new_ref(cx, dtype, sample.ndim, order, frozenset(), short)
        outs.append(name)
        return _Slot(name, sample, order)
    if isinstance(sample, tuple):
        items = [declare(cx, x, outs, hint) for x in sample]
        return ("tuple", type(sample), items)
    if isinstance(sample, list):
        return ("list", list, [declare(cx, x, outs, hint) for x in sample])
    if isinstance(sample, (bool, int, float, complex, np.generic)):
        dtype = from_numpy(np.asarray(sample).dtype)
        if dtype is None:
            raise cx.unsupported(f"np.{hint}, whose result has dtype {np.asarray(sample).dtype}")
        name = cx.scalar(dtype, short)
        outs.append(name)
        return _Slot(name, sample)
    if sample is None:
        return None
    raise cx.unsupported(f"np.{hint}, whose result is a {type(sample).__name__}")


def read(cx: Lowering, tree: Any) -> Value:
    if tree is None:
        return NONE
    if isinstance(tree, _Slot):
        if not isinstance(tree.sample, np.ndarray):
            weak = not isinstance(tree.sample, np.generic)
            return Num(cx.let(cx.read(tree.name), tree.name), weak)
        n = tree.sample.ndim
        shape = tuple(cx.measure(Extent(tree.name, k)) for k in range(n))
        for s in shape:
            if isinstance(s, Sym):
                cx.facts = cx.facts.with_size(s)
        rank = {"C": tuple(range(n)), "F": tuple(range(n))[::-1]}.get(tree.order) or axes_in_memory(tree.sample)
        dtype = from_numpy(tree.sample.dtype)
        assert dtype is not None
        return full_view(tree.name, dtype, shape, rank, tree.sample.flags.writeable)
    kind, cls, items = tree
    if kind == "either":
        return choose(cx, cx.let(cx.read(items[0].name), "which"), len(items) - 1, lambda k: read(cx, items[k + 1]))
    values = [read(cx, x) for x in items]
    return list_of(cx, values) if kind == "list" else Tup(values, None if cls is tuple else cls)
