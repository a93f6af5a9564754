"""Variables: what names are bound to that several paths assign, and the types of those.

`ScalarVar` is a mutable Scalar, `ArrayVar` a Ref; assigning a variable writes its container.
"""

from __future__ import annotations

from soljit.base.records import dataclass
from soljit.frontend_ast.values.array_identity import ANOTHER
from soljit.frontend_ast.values.object_types import ObjectType
from soljit.frontend_ast.values.values import Value
from soljit.ir.core.expr import Expr
from soljit.ir.core.types import DType


@dataclass(frozen=True, slots=True, eq=False)
class ScalarVar(Value):
    """A number in a mutable Scalar."""

    data: str
    dtype: DType
    weak: bool


@dataclass(slots=True, eq=False)
class ArrayVar(Value):
    """An array in a Ref that can be bound again. `shape` is set while every binding is known to have that shape.

    walk: as in Kind
    which: the scalar that tells which parameter's very object it is, if that is not known
    """

    data: str
    dtype: DType
    ndim: int
    order: str
    walk: tuple[int, ...]
    shape: tuple[Expr, ...] | None
    writable: bool = True
    which: str | None = None


@dataclass(slots=True, eq=False)
class ObjectVar(Value):
    """A Python object in a Ref that can be bound again. code: as in `Object`; of type LATIN, there is no Ref"""

    data: str
    type: ObjectType
    code: str = ""


@dataclass(slots=True, eq=False)
class TupleVar(Value):
    """A tuple whose items are variables; a slice, or `a.flat`, whose parts are (`composites.of_parts`)."""

    items: list[Value]
    cls: type | None


@dataclass(slots=True, eq=False)
class UnionVar(Value):
    """A variable for values of several types (`joins/unions.py`): the scalar `tag` tells which it holds.

    items: a variable for each type, or the only value of that type; () if numbers of all types share `wide`
    """

    tag: str
    kinds: tuple[Kind, ...]
    items: tuple[Value, ...]
    wide: ScalarVar | None


@dataclass(slots=True, eq=False)
class Narrowed(Value):
    """A variable for several types where it is known that it holds the one numbered k."""

    var: UnionVar
    k: int


VARIABLES = (ScalarVar, ArrayVar, TupleVar, ObjectVar, UnionVar, Narrowed)


@dataclass(frozen=True, slots=True)
class Kind:
    """The type a variable must have: scalars by dtype and weakness, arrays by dtype, rank and memory order, tuples by their items.

    walk: the axes of an array from slowest to fastest in memory, without those whose stride is 0 (`array_variables.walk_of`)
    origins: the containers an array variable may be bound to; objects: the parameters that it may be itself (`array_identity.py`).
    """

    form: str  # "scalar" "array" "tuple" "static" "object" "union" (items: the types to choose from)
    dtype: DType | None = None
    weak: bool = False
    ndim: int = 0
    order: str = "C"
    walk: tuple[int, ...] = ()
    shape: tuple[Expr, ...] | None = None
    origins: frozenset[str] = frozenset()
    objects: frozenset[str] = ANOTHER.objects
    writable: bool = True
    items: tuple[Kind, ...] = ()
    cls: type | None = None
    value: Value | None = None
    object: ObjectType | None = None
    wide: bool = True  # of unions: all numbers so far fit one type exactly
