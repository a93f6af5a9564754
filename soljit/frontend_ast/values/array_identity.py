"""Which array objects a variable may be bound to, and which one it is bound to now (`arrays/object_identity.py` asks that)."""

from __future__ import annotations

from soljit.base.records import dataclass
from soljit.ir.core.expr import Expr, const

OTHER = ""
AGAIN = "~"  # ends the name of a place in a loop, where each iteration makes another object


@dataclass(frozen=True, slots=True)
class Identity:
    """objects: names of parameters, OTHER for arrays that were made, places of views. which: the number of the present one: above 0 for
    parameters, below for views, 0 for new arrays.
    """

    objects: frozenset[str]
    which: Expr


ANOTHER = Identity(frozenset((OTHER,)), const(0))
