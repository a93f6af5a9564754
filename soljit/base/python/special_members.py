"""Special methods of a class: what Python asks a class for where no name of theirs stands in the program.

Operators, truth, iteration, calls and attributes go through them, and one that is added to a class later changes what all these mean. So code that
relied on a class relied on the special methods that it has, on those that it does not have, and on the order of its bases.
"""

from __future__ import annotations

import types
from typing import Any

from soljit.base.python.names import whose

_NOT_ASKED = {
    "__annotations__", "__annotate__", "__annotate_func__", "__annotations_cache__", "__dataclass_fields__", "__dataclass_params__", "__dict__", "__doc__",
    "__firstlineno__", "__match_args__", "__module__", "__name__", "__orig_bases__", "__parameters__", "__qualname__", "__slots__",
    "__static_attributes__", "__weakref__",
}  # fmt: skip  # what no operation asks a class for


def special_members(cls: type) -> tuple[Any, ...]:
    """The class's bases in their order, and the names and values of the special members that classes of the program among them have."""
    order = type.__dict__["__mro__"].__get__(cls)
    found: list[Any] = [order]
    for c in order:
        if c.__flags__ & 1 << 9 and whose(vars(c).get("__module__")) == "program":  # Py_TPFLAGS_HEAPTYPE
            found += [(name, value) for name, value in vars(c).items() if _is_special(name, value)]
    return tuple(found)


def _is_special(name: str, value: object) -> bool:
    if not (name.startswith("__") and name.endswith("__")) or name in _NOT_ASKED:
        return False
    return not isinstance(value, (types.GetSetDescriptorType, types.MemberDescriptorType))
