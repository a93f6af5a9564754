"""Arrays whose elements are of no numeric type, as Python objects: of objects, text, dates, records, of swapped byte order; masked arrays, too.

What is done with such an array is a call back, like everything that is done with objects. What it gives, an example tells, in which a record or a
text stands for each other one of its type; of arrays of objects only what does not depend on the objects is known.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from soljit.base.knowledge.pure import Anything, attempt
from soljit.frontend_ast.values.object_types import ANY, Element, ObjectType, Unknown
from soljit.ir.core.types import from_numpy


def is_foreign(sample: Any) -> bool:
    """Tell whether this is an array or a NumPy scalar of a type that soljit does not compile, or an array whose elements lie askew in memory, as in records."""
    if isinstance(sample, np.ndarray):
        return type(sample) is not np.ndarray or from_numpy(sample.dtype) is None or not _is_regular(sample)
    return isinstance(sample, np.generic) and from_numpy(sample.dtype) is None


def _is_regular(a: np.ndarray[Any, Any]) -> bool:
    return a.flags.aligned and not any(s % a.itemsize for s in a.strides if a.itemsize)


def foreign(sample: Any, like: Callable[[Any], Element]) -> Element:
    """The element for such an array or scalar. like: the element of an example."""
    dtype = sample.dtype
    if sample is np.ma.masked:  # where an array has other masked elements, it is a number
        return ANY
    if isinstance(sample, np.void) and dtype.names:

        def record(n: int) -> Any:  # behind another one, where its fields may be unaligned
            rows = np.zeros(2, dtype)
            rows[1] = sample
            return rows[1]

        return Element("object", object=ObjectType(type(sample), make=record))
    if type(sample) is not np.ndarray:
        return Element("object", object=ObjectType(type(sample), make=lambda n: attempt(copy.copy, [sample])))

    def make(n: int) -> Any:
        made = np.empty((n,) * sample.ndim, dtype)
        if not _is_regular(sample) and not dtype.hasobject:  # one field of records: so are its views
            apart = np.dtype({"names": ["it"], "formats": [dtype], "itemsize": dtype.itemsize + 1})
            made = np.empty(made.shape, apart)["it"]
        if dtype.kind == "O":
            made.fill(Anything())
        elif sample.size:
            made[...] = np.resize(sample, made.shape)
        return made

    def items() -> Element:
        return like(make(2)[0]) if sample.ndim else ANY

    form = (dtype.kind, dtype if dtype.kind == "V" else None, sample.ndim)
    return Element("object", object=ObjectType(np.ndarray, make=make, form=form, items=items))


def some_objects() -> Element:
    """An array of objects of which not even the number of dimensions is known."""

    def make(n: int) -> Any:
        raise Unknown

    return Element("object", object=ObjectType(np.ndarray, make=make, form=("O", None, None), items=lambda: ANY))
