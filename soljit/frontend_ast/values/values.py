"""What a Python name or expression stands for while a function is lowered.

The front end interprets the function on these values; each operation emits IR and yields a new value.

`Num`     a number: an IR expression; `weak` tells Python numbers from NumPy scalars (NEP 50)
`Arr`     an array in memory: a container and, for each of its dimensions, which view dimension walks it
`Lazy`    an array not in memory yet: shape, dtype and a function from indices to the element's expression. It lives only inside
          one Python expression: binding it to a name, storing it in a tuple or passing it on materializes it
`Tup`     a tuple or (with `mutable`) a list of static length; `Dict` likewise; `Static` any compile-time object
`RangeVal`, `SliceVal`, `Func`, `Method`, `Object`, `MaybeUnbound` as their docstrings say
"""

from __future__ import annotations

import ast
from collections.abc import Callable, MutableMapping
from dataclasses import field
from typing import Any

from soljit.base.errors import ArgPlace, InternalError
from soljit.base.place import Loc
from soljit.base.records import dataclass
from soljit.frontend_ast.values.object_types import Element, ObjectType
from soljit.ir.core.expr import Expr, Load, Memlet, Range, const
from soljit.ir.core.types import DType
from soljit.ir.symbolic import add, mul, sub


class Value:
    """Base of all values."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Num(Value):
    """A number with the IR expression `expr`. `weak`: a Python bool, int, float or complex."""

    expr: Expr
    weak: bool

    @property
    def dtype(self) -> DType:
        return self.expr.dtype


@dataclass(frozen=True, slots=True)
class Dim:
    """How one dimension of a container is walked: index = offset + step * (view index `axis`); axis -1: fixed."""

    offset: Expr
    step: Expr
    axis: int


@dataclass(frozen=True, slots=True)
class Arr(Value):
    """A view of container `data`. View dimensions that no `Dim` names are inserted (length 1) or broadcast.

    rank:   view axes from slowest to fastest in memory, for NumPy's K order
    whole:  this is the very array object named `data` (so `f(x) is x`), not a view made from it
    made:   where a view got its first name, which tells views apart that show the same elements
    units:  strides (in elements) of axes that no `Dim` names, where they are not 0; they show only in `a.strides`
    """

    data: str
    dtype: DType
    shape: tuple[Expr, ...]
    dims: tuple[Dim, ...]
    rank: tuple[int, ...]
    whole: bool = False
    writable: bool = True
    made: str = field(default="", compare=False)
    units: tuple[tuple[int, Expr], ...] = field(default=(), compare=False)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def at(self, index: tuple[Expr, ...]) -> Memlet:
        """The memlet of one element."""
        return Memlet(
            self.data,
            tuple(d.offset if d.axis < 0 else add(d.offset, mul(d.step, index[d.axis])) for d in self.dims),
        )

    def element(self, index: tuple[Expr, ...]) -> Expr:
        """The value of one element."""
        return Load(self.at(index), self.dtype)

    def window(self) -> Memlet | None:
        """The whole view as a memlet operand, or None if it repeats elements (broadcast, diagonal)."""
        where: dict[int, int] = {}
        subset: list[Expr | Range] = []
        for k, d in enumerate(self.dims):
            if d.axis < 0:
                subset.append(d.offset)
                continue
            if d.axis in where:
                return None
            where[d.axis] = k
            stop = add(d.offset, mul(d.step, self.shape[d.axis]))
            subset.append(Range(d.offset, stop, d.step))
        axes = []
        for v, n in enumerate(self.shape):
            if v in where:
                axes.append(where[v])
            elif n == const(1):
                axes.append(-1)
            else:
                return None
        default = tuple(k for k, s in enumerate(subset) if isinstance(s, Range))
        return Memlet(self.data, tuple(subset), None if tuple(axes) == default else tuple(axes))


@dataclass(frozen=True, slots=True)
class Lazy(Value):
    """A deferred elementwise array. `element(index)` may emit `Let`s into the current block."""

    dtype: DType
    shape: tuple[Expr, ...]
    element: Callable[[tuple[Expr, ...]], Expr]
    rank: tuple[int, ...]

    @property
    def ndim(self) -> int:
        return len(self.shape)


Array = Arr | Lazy


@dataclass(frozen=True, slots=True)
class Flat(Value):
    """`array.flat`."""

    array: Arr


@dataclass(slots=True, eq=False)
class Tup(Value):
    """A tuple (named, if `cls`), or a list of static length when `mutable`. Lists are compared by identity.

    home: the branches and loops in which a list was made, where alone its length can change; None: an argument.
    site: where a list was made; one whose length changes elsewhere is made a Python object there in the next round.
    """

    items: list[Value]
    cls: type | None = None
    mutable: bool = False
    home: tuple[int, ...] | None = ()
    site: Loc | None = None


@dataclass(slots=True, eq=False)
class OneShot(Value):
    """What `zip`, `map` and their like give for items whose number is known: items that can be taken once.

    watched: the lists that they come from, with what those held
    """

    steps: list[Value]  # some of them `Later`
    watched: list[tuple[Tup, list[Value], bool]] = field(default_factory=list)  # bool: from the last item to the first
    generator: Callable[[], Value] | None = None  # the same as a `Generator`, where steps are `Later`
    again: list[Thunk] = field(default_factory=list)  # steps that were taken, for whom changes what they may be made of

    @property
    def one_by_one(self) -> list[Value]:
        """The steps for a taker that does something between one and the next."""
        return [*self.again] or self.steps

    @property
    def items(self) -> list[Value]:
        """All items, taken one after the other."""
        return [taken(x) for x in self.steps]


@dataclass(slots=True, eq=False)
class Thunk(Value):
    """An item of an iterator that is computed when it is taken. make: the value, and whether it still stands in the program"""

    make: Callable[[], tuple[Value, Callable[[], bool]]]
    made: tuple[Value, Callable[[], bool]] | None = None


def taken(v: Value) -> Value:
    """The value of an item that may be computed later."""
    if not isinstance(v, Thunk):
        return v
    if v.made is None or not v.made[1]():
        v.made = v.make()
    return v.made[0]


@dataclass(slots=True, eq=False)
class Dict(Value):
    """A dict with static keys, or a dataclass instance of `cls` whose fields are the keys."""

    items: MutableMapping[Any, Value]  # keys are Python constants of any hashable type
    cls: type | None = None
    argument: bool = False  # an argument of the entry function: its changes would not reach the caller
    home: tuple[int, ...] | None = ()
    site: Loc | None = None


@dataclass(slots=True, eq=False)
class Instance(Dict):
    """An instance that is an argument, or an attribute of one: what its attributes are now `calls/classes/instance_arguments.py` knows.

    keys: the attributes that are the instance's own; absent: those of its class that none of its own hides
    object: the instance itself; place: where in the arguments it is
    """

    name: str = ""
    keys: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    object: Object | None = None
    place: ArgPlace = ()


class CompileTime:
    """A compile-time object that stands for an object of run time, of class `cls`. site: where Python could make it instead."""

    cls: type | None = None
    site: Loc | None = None
    is_callable = False

    def attribute(self, cx: Any, name: str) -> Value:
        """An attribute of the object."""
        raise InternalError(f"{type(self).__name__} has no attribute {name}")

    def item(self, cx: Any, index: Value) -> Value:
        """`object[index]`."""
        raise cx.unsupported(f"a subscript of {type(self).__name__}")

    def as_object(self, cx: Any) -> Value:
        """What Python is given in its place, or itself."""
        return Static(self)


@dataclass(slots=True, eq=False)
class DictView(Tup):
    """`keys()`, `values()` or `items()` (`name`) of a dict of static keys."""

    source: Dict | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Static(Value):
    """A compile-time object: None, a string, dtype, module, function, class, Ellipsis …"""

    obj: Any  # any Python object

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Static) and (self.obj is other.obj or _same(self.obj, other.obj))

    def __hash__(self) -> int:
        return id(self.obj)


def _same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and isinstance(a, (str, bytes, tuple)) and a == b


@dataclass(frozen=True, slots=True)
class RangeVal(Value):
    """`range(start, stop, step)` of i64 expressions; `step` is not zero."""

    start: Expr
    stop: Expr
    step: Expr


@dataclass(frozen=True, slots=True)
class SliceVal(Value):
    """`slice(start, stop, step)`; absent parts are None."""

    start: Value | None
    stop: Value | None
    step: Value | None


@dataclass(frozen=True, slots=True, eq=False)
class Func(Value):
    """A function defined inside the function being lowered: its AST and the frame it closes over."""

    tree: ast.FunctionDef | ast.Lambda
    frame: Any  # frames.Frame, kept loose to avoid a cycle
    defaults: tuple[Value, ...] = ()
    kw_defaults: dict[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Method(Value):
    """`owner.name`, not called yet."""

    owner: Value
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Object(Value):
    """A Python object that only callbacks can use: Ref `data` holds it, or it is the object parameter `data`.

    beside_none: the type of number or array that it is of where it is not None, if that is known
    code: of a text of at most one character, its code, -1 if it is empty; latin: a byte holds that code
    """

    data: str
    type: ObjectType
    param: bool = False
    beside_none: Element | None = None
    code: Expr | None = None
    latin: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Union(Value):
    """One of several values of different types: the one whose number is `tag` (i64). See `joins/unions.py`.

    kinds:   the type of each (variables.Kind)
    options: for each the variable that holds it, or the value itself; () if they are numbers that share `wide`
    wide:    the number in a type that holds each of them exactly
    settled: nothing assigns the variables any more
    """

    tag: Expr
    kinds: tuple[Any, ...]  # variables.Kind, kept loose to avoid a cycle
    options: tuple[Value, ...] = ()
    wide: Expr | None = None
    settled: bool = False


@dataclass(frozen=True, slots=True)
class MaybeUnbound(Value):
    """A name assigned on some paths only: `value` if the flag `bound` (b1) holds."""

    value: Value
    bound: Expr


@dataclass(frozen=True, slots=True)
class Iteration(Value):
    """An iteration over `items` values (of `zip`, `enumerate`, `reversed` …) that a `for` loop understands.

    length: number of steps; item: the value of step k; span: the range it steps through, if it is one;
    once: each item must be asked for once, and in order.
    """

    length: Expr
    item: Callable[[Expr], Value]
    span: RangeVal | None = None
    once: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Generator(Value):
    """A call of a generator function: the frame with its arguments, and the function."""

    frame: Any  # frames.Frame
    tree: ast.FunctionDef | ast.Lambda


@dataclass(frozen=True, slots=True, eq=False)
class Generated(Value):
    """A comprehension or generator expression over a run-time length: `node` evaluated in `frame` for each step of `source`."""

    source: Iteration
    node: Any  # ast.ListComp | ast.GeneratorExp
    frame: Any  # frames.Frame
    is_list: bool


ENDLESS = (1 << 62) - 1  # more steps than any loop takes
ITERATORS = (OneShot, Iteration, Generator)  # and a `Generated` that is no list


def is_lazy(v: Value) -> bool:
    """Tell whether the items of this are lowered where they are taken."""
    return isinstance(v, (OneShot, Iteration)) or (isinstance(v, Generated) and not v.is_list)


NONE = Static(None)


def full_view(name: str, dtype: DType, shape: tuple[Expr, ...], rank: tuple[int, ...], writable: bool = True) -> Arr:
    """The value of container `name` itself."""
    zero, one = const(0), const(1)
    dims = tuple(Dim(zero, one, k) for k in range(len(shape)))
    return Arr(name, dtype, shape, dims, rank, True, writable)


def length(r: Range) -> Expr:
    """Number of steps of a range whose step is constant ±1 (general ranges: `Lowering.range_length`)."""
    return sub(r.stop, r.start)
