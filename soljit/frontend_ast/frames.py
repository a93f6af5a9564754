"""Names of one function while it is lowered: binding, reading, and what happens where paths join.

A name is bound to a `Value`. Inside a loop, a name that carries a value from one iteration to the next is bound to a *variable*:
`ScalarVar` (a mutable Scalar) or `ArrayVar` (a Ref); assigning it writes the container. If an assignment does not fit the type of its
variable, `Retype` unwinds to the loop, which starts again with the merged type. After a branch, names whose values differ are merged
into a fresh Scalar or Ref.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from soljit.frontend_ast.elementwise import copy_array, materialize
from soljit.frontend_ast.identity import ANOTHER, Identity, identity_of
from soljit.frontend_ast.lowering import Block, Lowering
from soljit.frontend_ast.object_types import ObjectType, join_types
from soljit.frontend_ast.operators import describe
from soljit.frontend_ast.values import Arr, Generated, Lazy, MaybeUnbound, Num, Object, Static, Tup, Value, full_view
from soljit.ir import nodes, symbolic
from soljit.ir.data import Ref, View
from soljit.ir.expr import FALSE, TRUE, Const, Expr, Extent, Load, Sym, Memlet
from soljit.ir.types import DType, b1, c128, f64, i64, promote


@dataclass(frozen=True, slots=True, eq=False)
class ScalarVar(Value):
    """A number in a mutable Scalar."""

    data: str
    dtype: DType
    weak: bool


@dataclass(slots=True, eq=False)
class ArrayVar(Value):
    """An array in a Ref that can be bound again. `shape` is set while every binding is known to have that shape.

    which: the scalar that tells which parameter's very object it is, if that is not known
    """

    data: str
    dtype: DType
    ndim: int
    order: str
    shape: tuple[Expr, ...] | None
    writable: bool = True
    which: str | None = None


@dataclass(slots=True, eq=False)
class ObjectVar(Value):
    """A Python object in a Ref that can be bound again."""

    data: str
    type: ObjectType


@dataclass(slots=True, eq=False)
class TupleVar(Value):
    """A tuple whose items are variables."""

    items: list[Value]
    cls: type | None
    mutable: bool


VARIABLES = (ScalarVar, ArrayVar, TupleVar, ObjectVar)


@dataclass(frozen=True, slots=True)
class Kind:
    """The type a variable must have: scalars by dtype and weakness, arrays by dtype, rank and order, tuples by their items.

    origins: the containers an array variable may be bound to; objects: the parameters that it may be itself (identity.py).
    """

    form: str  # "scalar" "array" "tuple" "static" "object"
    dtype: DType | None = None
    weak: bool = False
    ndim: int = 0
    order: str = "C"
    shape: tuple[Expr, ...] | None = None
    origins: frozenset[str] = frozenset()
    objects: frozenset[str] = ANOTHER.objects
    writable: bool = True
    items: tuple[Kind, ...] = ()
    cls: type | None = None
    mutable: bool = False
    value: Value | None = None
    object: ObjectType | None = None


class Retype(Exception):
    """A loop variable needs a wider type; caught by the loop that owns it."""

    def __init__(self, owner: object, name: str, kind: Kind) -> None:
        self.owner, self.name, self.kind = owner, name, kind


class RetypeResult(Exception):
    """A return inside a loop of an inlined function needs a variable of this type; caught where the function is inlined."""

    def __init__(self, frame: Frame, kind: Kind) -> None:
        self.frame, self.kind = frame, kind


class CannotMerge(Exception):
    """Two values have no common representation."""

    def __init__(self, text: str) -> None:
        self.text = text


@dataclass(eq=False)
class LoopScope:
    """An enclosing loop: its variables (name → Kind) and the block that an `else` or a flag needs."""

    kinds: dict[str, Kind]
    broke: str | None = None  # flag scalar that `break` sets, if the loop has an else clause
    names: frozenset[str] = frozenset()  # names that carry values out of an iteration
    returns: bool = False  # an inlined function returns from inside this loop
    attempt: Any = None  # the body of a try, lowered as a loop that runs once (attempts.Attempt),
    jumps: list[nodes.Break | nodes.Continue] = field(default_factory=list)  # and what leaves it for a loop around it


@dataclass(eq=False)
class ReturnSite:
    """A `return` of an inlined function: where control left, and with what."""

    block: Block
    value: Value


@dataclass(eq=False)
class Frame:
    """One activation of a function. `returns` is None for the entry function, else where an inlined one collects its results."""

    name: str
    file: str
    env: dict[str, Value]
    resolve: Any  # (Lowering, name) -> Value: globals, builtins, closure
    live: dict[ast.stmt, set[str]]
    locals: set[str]
    returns: list[ReturnSite] | None = None
    loops: list[LoopScope] = field(default_factory=list)
    parent: Frame | None = None
    result_kind: Kind | None = None  # type of what is returned from inside loops of an inlined function,
    result: Value | None = None  # its variable,
    returned: str = ""  # and the flag that such a return sets
    left_by_return: bool = False  # the loop just lowered may have been left by a return
    copies: int = 0  # how often the rest of a block was duplicated
    caught: dict[ast.Raise, Any] = field(default_factory=dict)  # what a `raise` in a handler raises again
    outside: set[str] = field(default_factory=set)  # names that `global` and `nonlocal` declare: they can only be read


# --- binding ----------------------------------------------------------------------------------------------------------


def pin(cx: Lowering, v: Value, hint: str = "t") -> Value:
    """A value that later statements cannot change: loads are taken now, deferred arrays are computed."""
    match v:
        case Num():
            return Num(cx.let(v.expr, hint), v.weak)
        case Lazy():
            return materialize(cx, v, hint)
        case Arr() if isinstance(cx.data.get(v.data), Ref) and v.data in cx.rebindable:
            return rebound(cx, v, hint)
        case Object() if v.data in cx.rebindable:
            return cx.objects.hold(cx, v)  # type: ignore[no-any-return]
        case Generated() if v.is_list:
            return cx.objects.list_of_steps(cx, v)  # type: ignore[no-any-return]
        case Tup() if not v.mutable:
            return Tup([pin(cx, x, hint) for x in v.items], v.cls)
    return v


def rebound(cx: Lowering, v: Arr, hint: str) -> Arr:
    """The same memory under a Ref of its own, which nothing binds again."""
    name = new_ref(cx, v.dtype, v.ndim, order_of(cx, v), cx.roots_of(v.data), hint)
    identity = identity_of(cx, v)
    if identity is not ANOTHER:
        cx.identities[name] = Identity(identity.objects, cx.let(identity.which, "which"))
    window = v.window()
    if window is None:
        return materialize(cx, Lazy(v.dtype, v.shape, v.element, v.rank), hint)
    cx.emit(nodes.Bind(name, window))
    cx.lengths[name] = v.shape
    return Arr(name, v.dtype, v.shape, full_view(name, v.dtype, v.shape, v.rank).dims, v.rank, v.whole, v.writable)


def new_ref(cx: Lowering, dtype: DType, ndim: int, order: str, origins: frozenset[str], hint: str) -> str:
    name = cx.fresh(hint)
    origins = frozenset(o for o in origins if o != name)
    cx.lengths.pop(name, None)
    cx.identities.pop(name, None)
    cx.data[name] = Ref(dtype, ndim, order, tuple(sorted(origins)))
    cx.origins[name] = origins
    return name


def order_of(cx: Lowering, v: Arr) -> str:
    """ "C" or "F" if the view certainly is contiguous in that order, else "A"."""
    d = cx.data[v.data]
    n = v.ndim
    if n == 0:
        return "C"
    whole = len(v.dims) == n and sorted(x.axis for x in v.dims) == list(range(n))
    shape = getattr(d, "shape", None)
    if not whole or any(x.offset != Const(0, i64) or x.step != Const(1, i64) for x in v.dims):
        return "A"
    if shape is not None and any(v.shape[x.axis] != s for x, s in zip(v.dims, shape)):
        return "A"
    if isinstance(d, Ref):
        base = d.order
    elif isinstance(d, View):
        base = "C" if _in_order(d.shape, d.strides, True) else "F" if _in_order(d.shape, d.strides, False) else "A"
    elif getattr(d, "strides", None) is None:
        base = "C"
    else:
        base = "F" if cx.is_fortran(v.data) else "A"
    axes = [x.axis for x in v.dims]
    if axes == list(range(n)):
        return base
    if axes == list(range(n))[::-1] and base in "CF":
        return "F" if base == "C" else "C"
    return "A"


def _in_order(shape: Sequence[Expr], strides: Sequence[Expr], last_fastest: bool) -> bool:
    """Are these certainly the strides of a contiguous array, the last (or first) axis fastest?"""
    step: Expr = Const(1, i64)
    pairs = list(zip(shape, strides))
    for n, stride in reversed(pairs) if last_fastest else pairs:
        if n != Const(1, i64) and stride != step:
            return False
        step = symbolic.mul(step, n)
    return True


def read_name(cx: Lowering, v: Value) -> Value:
    """The present value of what a name is bound to."""
    match v:
        case ScalarVar():
            return Num(cx.read(v.data), v.weak)
        case ArrayVar():
            shape = v.shape
            if shape is not None:
                cx.lengths[v.data] = shape
            else:
                shape = tuple(cx.measure(Extent(v.data, k)) for k in range(v.ndim))
                for s in shape:
                    if isinstance(s, Sym):
                        cx.facts = cx.facts.with_size(s)
            rank = tuple(range(v.ndim)) if v.order != "F" else tuple(range(v.ndim))[::-1]
            return full_view(v.data, v.dtype, shape, rank, v.writable)
        case TupleVar():
            return Tup([read_name(cx, x) for x in v.items], v.cls, v.mutable)
        case ObjectVar():
            return Object(v.data, v.type)
        case MaybeUnbound():
            return read_name(cx, v.value)
    return v


def bind(cx: Lowering, fr: Frame, name: str, v: Value) -> None:
    """`name = v`."""
    if name in fr.outside:
        raise cx.unsupported(
            f"assigning '{name}', a variable of another function or of the module",
            "return the value and let the caller store it",
        )
    old = fr.env.get(name)
    if isinstance(old, MaybeUnbound):
        if isinstance(old.value, VARIABLES):
            assert isinstance(old.bound, Load)  # the flag of a loop variable is a mutable scalar
            cx.write(old.bound.memlet.data, TRUE)
            write_var(cx, fr, name, old.value, v)
            return
        old = None
    if isinstance(old, VARIABLES):
        write_var(cx, fr, name, old, v)
        return
    fr.env[name] = pin(cx, v, name)


def write_var(cx: Lowering, fr: Frame, name: str, var: Value, v: Value) -> None:
    """Assign a loop variable, or ask its loop for a wider type."""
    scope = next(s for s in reversed(fr.loops) if name in s.kinds)
    have = scope.kinds[name]
    try:
        want = join_kinds(cx, have, kind_of(cx, v))
    except CannotMerge as e:
        raise cx.unsupported(
            f"the type of '{name}' changes in a loop: {e.text}", "give it one type before the loop"
        ) from None
    if want != have:
        raise Retype(scope, name, want)
    assign_var(cx, var, v)


def assign_var(cx: Lowering, var: Value, v: Value) -> None:
    """Store a value that fits into a variable."""
    match var, v:
        case ScalarVar(), Num():
            cx.write(var.data, cx.cast(v.expr, var.dtype))
        case ArrayVar(), (Arr() | Lazy()):
            a = materialize(cx, v, var.data)
            window = a.window()
            if window is None or (var.order in "CF" and var.ndim > 0 and order_of(cx, a) != var.order):
                a = _copy(cx, a, var.order)
                window = a.window()
                assert window is not None
            if var.which is not None:
                cx.write(var.which, identity_of(cx, a).which)
            cx.emit(nodes.Bind(var.data, window))
        case TupleVar(), Tup():
            pinned = [pin(cx, x) for x in v.items] if len(v.items) > 1 else v.items
            for x, y in zip(var.items, pinned):
                assign_var(cx, x, y)
        case ObjectVar(), _:
            given = cx.objects.make(cx, v)
            held = cx.objects.hold(cx, given) if given.param else given
            cx.emit(nodes.Bind(var.data, Memlet(held.data)))
        case _:
            return  # a static value that equals the present one


def _copy(cx: Lowering, a: Arr, order: str) -> Arr:

    return copy_array(cx, a, tuple(range(a.ndim))[::-1] if order == "F" else None)


# --- types of variables -----------------------------------------------------------------------------------------------


def kind_of(cx: Lowering, v: Value) -> Kind:
    """The type a variable needs to hold this value."""
    match v:
        case Num():
            return Kind("scalar", v.dtype, v.weak)
        case ScalarVar():
            return Kind("scalar", v.dtype, v.weak)
        case Arr():
            return Kind(
                "array",
                v.dtype,
                ndim=v.ndim,
                order=order_of(cx, v),
                shape=v.shape,
                origins=cx.roots_of(v.data),
                objects=identity_of(cx, v).objects,
                writable=v.writable,
            )
        case Lazy():
            order = (
                "F"
                if v.ndim > 1 and v.rank == tuple(range(v.ndim))[::-1]
                else "C"
                if v.rank == tuple(range(v.ndim))
                else "A"
            )
            return Kind("array", v.dtype, ndim=v.ndim, order=order, shape=v.shape)
        case ArrayVar():
            return Kind(
                "array",
                v.dtype,
                ndim=v.ndim,
                order=v.order,
                shape=v.shape,
                origins=cx.roots_of(v.data),
                objects=cx.identities.get(v.data, ANOTHER).objects,
                writable=v.writable,
            )
        case Tup():
            return Kind("tuple", items=tuple(kind_of(cx, x) for x in v.items), cls=v.cls, mutable=v.mutable)
        case TupleVar():
            return Kind("tuple", items=tuple(kind_of(cx, x) for x in v.items), cls=v.cls, mutable=v.mutable)
        case ObjectVar() | Object():
            return Kind("object", object=v.type)
        case MaybeUnbound():
            return kind_of(cx, v.value)
    return Kind("static", value=v)


def join_kinds(cx: Lowering, a: Kind, b: Kind) -> Kind:
    """The smallest type that holds both."""
    if a == b:
        return a
    texts = (as_text(a), as_text(b))
    if texts[0] is not None and texts[1] is not None:
        return Kind("object", object=join_types(cx.learned, texts[0], texts[1]))
    if a.form != b.form:
        raise CannotMerge(f"{_say(a)} and {_say(b)}")
    if a.form == "scalar":
        return Kind("scalar", *join_numbers((a.dtype, a.weak), (b.dtype, b.weak)))  # type: ignore[arg-type]
    if a.form == "array":
        if a.dtype is not b.dtype or a.ndim != b.ndim or a.writable != b.writable:
            raise CannotMerge(f"{_say(a)} and {_say(b)}")
        same = (
            a.shape is not None
            and b.shape is not None
            and all(x == y or cx.same_size(x, y) for x, y in zip(a.shape, b.shape))
        )
        order = a.order if a.order == b.order or a.ndim < 2 and "A" not in (a.order, b.order) else "A"
        return Kind(
            "array",
            a.dtype,
            ndim=a.ndim,
            order=order,
            shape=a.shape if same else None,
            origins=a.origins | b.origins,
            objects=a.objects | b.objects,
            writable=a.writable,
        )
    if a.form == "tuple":
        if len(a.items) != len(b.items) or a.cls is not b.cls or a.mutable != b.mutable:
            raise CannotMerge(f"{_say(a)} and {_say(b)}")
        return Kind(
            "tuple", items=tuple(join_kinds(cx, x, y) for x, y in zip(a.items, b.items)), cls=a.cls, mutable=a.mutable
        )
    if a.value is b.value or (isinstance(a.value, Static) and a.value == b.value):
        return a
    raise CannotMerge(f"{_say(a)} and {_say(b)}")


def as_text(k: Kind) -> ObjectType | None:
    """The type of an object or of a string that is known."""
    if k.form == "object":
        return k.object
    if k.form == "static" and isinstance(k.value, Static) and isinstance(k.value.obj, str):
        return ObjectType(str)
    return None


def join_numbers(a: tuple[DType, bool], b: tuple[DType, bool]) -> tuple[DType, bool]:
    """Common type of two numbers: Python types widen; a NumPy scalar makes the result a NumPy scalar."""
    if a[1] and b[1]:
        order = [b1, i64, f64, c128]
        if (a[0] is b1) != (b[0] is b1):
            raise CannotMerge("bool and a number")
        return max(a[0], b[0], key=order.index), True
    if a[1] != b[1]:
        weak, strong = (a[0], b[0]) if a[1] else (b[0], a[0])
        level = {b1: 0, i64: 1, f64: 2, c128: 3}[weak]
        have = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}[strong.kind]
        if weak is b1 and strong is not b1:
            raise CannotMerge("bool and a number")
        if level <= have:
            return strong, False
        return promote(weak, strong), False
    if (a[0] is b1) != (b[0] is b1):
        raise CannotMerge("bool and a number")
    return promote(a[0], b[0]), False


def _say(k: Kind) -> str:
    if k.form == "scalar":
        assert k.dtype is not None
        return (
            {b1: "bool", i64: "int", f64: "float", c128: "complex"}.get(k.dtype, str(k.dtype))
            if k.weak
            else f"np.{k.dtype.numpy.name}"
        )
    if k.form == "array":
        assert k.dtype is not None
        return f"array({k.dtype.numpy.name}, {k.ndim}d)"
    if k.form == "tuple":
        return ("list" if k.mutable else "tuple") + " of " + ", ".join(map(_say, k.items))
    return describe(k.value) if k.value is not None else "nothing"


def make_var(cx: Lowering, kind: Kind, hint: str) -> Value:
    """A fresh variable of a type."""
    if kind.form == "scalar":
        assert kind.dtype is not None
        return ScalarVar(cx.scalar(kind.dtype, hint), kind.dtype, kind.weak)
    if kind.form == "array":
        assert kind.dtype is not None
        name = new_ref(cx, kind.dtype, kind.ndim, kind.order, kind.origins, hint)
        cx.rebindable.add(name)
        which = None
        if kind.objects != ANOTHER.objects:
            which = cx.scalar(i64, f"{hint}_which")
            cx.identities[name] = Identity(kind.objects, cx.read(which))
        return ArrayVar(name, kind.dtype, kind.ndim, kind.order, kind.shape, kind.writable, which)
    if kind.form == "tuple":
        return TupleVar([make_var(cx, k, hint) for k in kind.items], kind.cls, kind.mutable)
    if kind.form == "object":
        assert kind.object is not None
        name = cx.objects.new_holder(cx, hint)
        cx.rebindable.add(name)
        return ObjectVar(name, kind.object)
    assert kind.value is not None
    return kind.value


# --- joins ------------------------------------------------------------------------------------------------------------


def merge_values(cx: Lowering, arms: Sequence[tuple[Block, Value]], hint: str) -> Value:
    """One value for what several arms computed; stores are appended to the arms' blocks, the result is read in the present one."""
    first = arms[0][1]
    if all(v is first or v == first for _, v in arms):
        return first
    kind: Kind | None = None
    for _, v in arms:
        k = kind_of(cx, v)
        kind = k if kind is None else join_kinds(cx, kind, k)
    assert kind is not None
    if kind.form == "static":
        return first
    var = make_var(cx, kind, hint)
    for block, v in arms:
        with cx.reopen(block):
            assign_var(cx, var, read_name(cx, v))
    return frozen_var(cx, var, hint)


def frozen_var(cx: Lowering, var: Value, hint: str) -> Value:
    """What a variable holds now, when nothing will assign it again."""
    match var:
        case ScalarVar():
            return Num(cx.let(cx.read(var.data), hint), var.weak)
        case ArrayVar():
            cx.rebindable.discard(var.data)
            if var.which is not None:
                cx.identities[var.data] = Identity(
                    cx.identities[var.data].objects, cx.let(cx.read(var.which), var.which)
                )
            return read_name(cx, var)
        case ObjectVar():
            cx.rebindable.discard(var.data)
            return Object(var.data, var.type)
        case TupleVar():
            return Tup([frozen_var(cx, x, hint) for x in var.items], var.cls, var.mutable)
    return var


def merge_envs(
    cx: Lowering,
    live: set[str],
    then: tuple[Block, dict[str, Value]],
    orelse: tuple[Block, dict[str, Value]],
    exact: bool = False,
) -> dict[str, Value]:
    """The environment after a branch, for the names that may still be read. Raises CannotMerge; with `exact`, also for numbers of
    different types, which have a common type but lose their own in it.
    """
    result: dict[str, Value] = {}
    for name in sorted(set(then[1]) | set(orelse[1])):
        a, b = then[1].get(name), orelse[1].get(name)
        if a is b and a is not None:
            result[name] = a
            continue
        if name not in live:
            continue
        if a is None or b is None:
            present, block = (a, then[0]) if a is not None else (b, orelse[0])
            assert present is not None
            result[name] = _maybe_unbound(cx, name, present, block, then[0] if a is None else orelse[0])
            continue
        if isinstance(a, MaybeUnbound) or isinstance(b, MaybeUnbound):
            result[name] = _merge_maybe(cx, name, (then[0], a), (orelse[0], b))
            continue
        try:
            if exact and isinstance(a, Num) and isinstance(b, Num) and (a.dtype, a.weak) != (b.dtype, b.weak):
                raise CannotMerge(f"{describe(a)} or {describe(b)}")
            if exact and isinstance(a, Static) and isinstance(b, Static) and a != b:
                raise CannotMerge(f"{describe(a)} or {describe(b)}")
            result[name] = merge_values(cx, [(then[0], a), (orelse[0], b)], name)
        except CannotMerge as e:
            raise CannotMerge(f"'{name}' is {e.text}") from None
    return result


def _flag_of(v: Value) -> Expr:
    return v.bound if isinstance(v, MaybeUnbound) else TRUE


def _merge_maybe(cx: Lowering, name: str, a: tuple[Block, Value], b: tuple[Block, Value]) -> Value:
    values = [(blk, v.value if isinstance(v, MaybeUnbound) else v) for blk, v in (a, b)]
    flags: list[tuple[Block, Value]] = [(blk, Num(_flag_of(v), True)) for blk, v in (a, b)]
    flag = merge_values(cx, flags, f"{name}_bound")
    assert isinstance(flag, Num)
    return MaybeUnbound(merge_values(cx, values, name), flag.expr)


def _maybe_unbound(cx: Lowering, name: str, v: Value, block: Block, other: Block) -> Value:
    """A name bound in one arm only."""
    bound = cx.scalar(b1, f"{name}_bound")
    inner = v.value if isinstance(v, MaybeUnbound) else v
    kind = kind_of(cx, inner)
    with cx.reopen(block):
        cx.write(bound, _flag_of(v))
        if kind.form != "static":
            var = make_var(cx, kind, name)
            assign_var(cx, var, read_name(cx, inner))
    with cx.reopen(other):
        cx.write(bound, FALSE)
    flag = cx.let(cx.read(bound), f"{name}_bound")
    if kind.form == "static":
        return MaybeUnbound(inner, flag)
    return MaybeUnbound(frozen_var(cx, var, name), flag)
