"""Names of one function while it is lowered: binding, reading, and what happens where paths join.

A name is bound to a `Value`. Inside a loop, a name that carries a value from one iteration to the next is bound to a *variable*:
`ScalarVar` (a mutable Scalar) or `ArrayVar` (a Ref); assigning it writes the container. If an assignment does not fit the type of its
variable, `Retype` unwinds to the loop, which starts again with the merged type. After a branch, names whose values differ are merged
into a fresh Scalar or Ref.
"""

from __future__ import annotations

import ast
import contextlib
import functools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from soljit.base.errors import InternalError
from soljit.frontend_ast.elementwise import copy_array, materialize
from soljit.frontend_ast.identity import ANOTHER, Identity, identity_of, number_of
from soljit.frontend_ast.lowering import Block, Lowering
from soljit.frontend_ast.object_types import ObjectType, join_types
from soljit.frontend_ast.operators import describe
from soljit.frontend_ast.values import (
    Arr,
    Choice,
    Dict,
    DictView,
    Generated,
    Lazy,
    MaybeUnbound,
    Num,
    Object,
    OneShot,
    Static,
    Tup,
    Value,
    full_view,
)
from soljit.ir import nodes, symbolic
from soljit.ir.data import Ref, View
from soljit.ir.expr import FALSE, TRUE, Const, Expr, Extent, Load, Memlet, Sym, const, subexpressions
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


@dataclass(slots=True, eq=False)
class ChoiceVar(Value):
    """A variable for values of several types (choices.py): the scalar `tag` tells which it holds.

    items: a variable for each type, or the only value of that type; () if numbers of all types share `wide`
    """

    tag: str
    kinds: tuple[Kind, ...]
    items: tuple[Value, ...]
    wide: ScalarVar | None


@dataclass(slots=True, eq=False)
class Narrowed(Value):
    """A variable for several types where it is known that it holds the one numbered k."""

    var: ChoiceVar
    k: int


VARIABLES = (ScalarVar, ArrayVar, TupleVar, ObjectVar, ChoiceVar, Narrowed)
MAX_OPTIONS = 6  # how many types a variable can have


@dataclass(frozen=True, slots=True)
class Kind:
    """The type a variable must have: scalars by dtype and weakness, arrays by dtype, rank and order, tuples by their items.

    origins: the containers an array variable may be bound to; objects: the parameters that it may be itself (identity.py).
    """

    form: str  # "scalar" "array" "tuple" "static" "object" "choice" (items: the types to choose from)
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
    wide: bool = True  # of choices: all numbers so far fit one type exactly


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
    outside: frozenset[str] = frozenset()  # symbols and containers that are there before the loop
    returns: bool = False  # an inlined function returns from inside this loop
    attempt: Any = None  # the body of a try, lowered as a loop that runs once (attempts.Attempt),
    ends: list[dict[str, int | None]] = field(default_factory=list)  # at the ends of iterations: types known of names
    consumer: Any = None  # a loop over a generator (generators.Consumer), whose body is lowered at its yields
    jumps: list[nodes.Break | nodes.Continue] = field(default_factory=list)  # and what leaves it for a loop around it
    equal: tuple[tuple[tuple[str, int], ...], ...] = ()  # lengths that stay equal from one iteration to the next


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
    live: dict[ast.AST, set[str]]
    locals: set[str]
    returns: list[ReturnSite] | None = None
    loops: list[LoopScope] = field(default_factory=list)
    parent: Frame | None = None
    result_kind: Kind | None = None  # type of what is returned from inside loops of an inlined function,
    result: Value | None = None  # its variable,
    returned: str = ""  # and the flag that such a return sets
    left_by_return: bool = False  # the loop just lowered may have been left by a return
    statement: ast.stmt | None = None  # what is being lowered
    copies: int = 0  # how often the rest of a block was duplicated
    caught: dict[ast.Raise, Any] = field(default_factory=dict)  # what a `raise` in a handler raises again
    outside: set[str] = field(default_factory=set)  # names that `global` and `nonlocal` declare
    consumer: Any = None  # of a generator: the loop that takes what it yields
    shared: set[str] = field(default_factory=set)  # names that nested functions assign: variables all the time


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
        case OneShot():
            return OneShot([pin(cx, x, hint) for x in v.items])
        case DictView():
            return v
        case Tup() if not v.mutable:
            return Tup([pin(cx, x, hint) for x in v.items], v.cls)
        case Choice() if not v.settled:
            if v.wide is not None:
                return replace(v, tag=cx.let(v.tag, f"{hint}_type"), wide=cx.let(v.wide, hint), settled=True)
            copy = make_var(cx, kind_of(cx, v), hint)
            assign_var(cx, copy, v)
            return frozen_var(cx, copy, hint)
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
        case ChoiceVar():
            return as_choice(cx, v, cx.read(v.tag))
        case Narrowed():
            return narrow(cx, as_choice(cx, v.var, const(v.k)), v.k)
        case MaybeUnbound():
            return read_name(cx, v.value)
    return v


def as_choice(cx: Lowering, v: ChoiceVar, tag: Expr, settled: bool = False) -> Choice:
    """The value of a variable for several types."""
    return Choice(tag, v.kinds, v.items, None if v.wide is None else cx.read(v.wide.data), settled)


def narrow(cx: Lowering, v: Choice, k: int) -> Value:
    """The value of a choice where it is the one numbered k."""
    if v.wide is not None:
        return Num(cx.cast(v.wide, v.kinds[k].dtype), v.kinds[k].weak)
    return read_name(cx, v.options[k])


def bind(cx: Lowering, fr: Frame, name: str, v: Value) -> None:
    """`name = v`."""
    if name in fr.outside:
        owner = fr.parent
        while owner is not None and name not in owner.shared:
            owner = owner.parent
        if owner is None:
            raise cx.unsupported(
                f"assigning '{name}', a variable of another function or of the module",
                "return the value and let the caller store it",
            )
        bind(cx, owner, name, v)
        return
    if isinstance(v, Arr) and not v.whole and not v.made:
        v = replace(v, made=f"{cx.loc.line}:{cx.loc.col}:{name}")
    old = fr.env.get(name)
    if isinstance(old, MaybeUnbound):
        in_loop = isinstance(old.bound, Load) and any(name in s.kinds for s in fr.loops)
        if isinstance(old.value, VARIABLES) or in_loop:
            assert isinstance(old.bound, Load)  # the flag of a loop variable is a mutable scalar
            cx.write(old.bound.memlet.data, TRUE)
            write_var(cx, fr, name, old.value, v)
            return
        old = None
    if isinstance(old, VARIABLES):
        var = old.var if isinstance(old, Narrowed) else old
        write_var(cx, fr, name, var, v)
        if isinstance(var, ChoiceVar) and name in fr.shared:
            fr.env[name] = var
        elif isinstance(var, ChoiceVar):
            fr.env[name] = var if isinstance(v, Choice) else Narrowed(var, option_of(cx, var.kinds, v))
        return
    if old is not None and any(name in s.kinds and s.kinds[name].form == "static" for s in fr.loops):
        write_var(cx, fr, name, old, v)  # a constant until now: the loop's variable needs a type for both
        return
    fr.env[name] = pin(cx, v, name)


def write_var(cx: Lowering, fr: Frame, name: str, var: Value, v: Value) -> None:
    """Assign a loop variable, or ask its loop for a wider type."""
    scope = next(s for s in reversed(fr.loops) if name in s.kinds)
    have = scope.kinds[name]
    try:
        want = fitting(cx, widen(cx, have, kind_of(cx, v)), v)
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
            cx.objects.adopt(cx, var.type, v)
            given = cx.objects.make(cx, v)
            held = cx.objects.hold(cx, given) if given.param else given
            cx.emit(nodes.Bind(var.data, Memlet(held.data)))
        case ChoiceVar(), Choice():
            _assign_choice(cx, var, v)
        case ChoiceVar(), _:
            k = option_of(cx, var.kinds, v)
            if var.wide is None:
                assign_var(cx, var.items[k], v)
            else:
                assign_var(cx, var.wide, v)
            cx.write(var.tag, const(k))
        case _:
            return  # a static value that equals the present one


def _assign_choice(cx: Lowering, var: ChoiceVar, v: Choice) -> None:
    tag = cx.let(v.tag, "type")
    outer: Block | None = None
    for k in reversed(range(len(v.kinds))):
        with cx.block(symbolic.eq(tag, const(k))) as block:
            assign_var(cx, var, narrow(cx, v, k))
        if outer is None:
            outer = block
            continue
        both = Block()
        cx.blocks.append(both)
        cx.branch(symbolic.eq(tag, const(k)), block, outer)
        cx.blocks.pop()
        outer = both
    assert outer is not None
    for n in outer.items:
        cx.emit(n)


def option_of(cx: Lowering, kinds: Sequence[Kind], v: Value) -> int:
    """Which of the types that a variable can hold a value has."""
    want = kind_of(cx, v)
    for k, kind in enumerate(kinds):
        with contextlib.suppress(CannotMerge):
            if join_kinds(cx, kind, want) == kind:
                return k
    raise InternalError(f"a value of type {_say(want)} does not fit its variable")


def fitting(cx: Lowering, kind: Kind, v: Value) -> Kind:
    """The type of a variable for several numbers: not a shared one, if that does not hold this value exactly."""
    if kind.form == "choice" and kind.wide and not exact_when_widened(cx, v):
        return replace(kind, wide=False)
    return kind


def exact_when_widened(cx: Lowering, v: Value) -> bool:
    """Is the number the same as a float64?"""
    match v:
        case Num():
            if not (v.dtype.is_int and v.dtype.size == 8):
                return not v.dtype.is_complex
            if isinstance(v.expr, Const):
                return abs(v.expr.value) <= 1 << 53
            low, high = cx.facts.bounds(v.expr) if v.dtype is i64 else (None, None)
            return low is not None and high is not None and low >= -(1 << 53) and high <= 1 << 53
        case Choice() | ChoiceVar():
            return v.wide is not None
        case Narrowed():
            return v.var.wide is not None
        case MaybeUnbound():
            return exact_when_widened(cx, v.value)
    return False


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
            items = tuple(kind_of(cx, x) for x in v.items)
            return Kind("tuple", items=items, cls=v.cls, mutable=v.mutable, value=v if v.mutable else None)
        case TupleVar():
            return Kind("tuple", items=tuple(kind_of(cx, x) for x in v.items), cls=v.cls, mutable=v.mutable)
        case ObjectVar() | Object():
            return Kind("object", object=v.type)
        case Choice() | ChoiceVar():
            held = v.options if isinstance(v, Choice) else v.items
            items = tuple(kind_of(cx, x) if isinstance(x, ArrayVar) else k for x, k in zip(held, v.kinds))
            return Kind("choice", items=items or v.kinds, wide=v.wide is not None)
        case Narrowed():
            return kind_of(cx, v.var)
        case MaybeUnbound():
            return kind_of(cx, v.value)
    return Kind("static", value=v)


def kind_outside(kind: Kind, outside: frozenset[str] | set[str]) -> Kind:
    """The type without lengths that are known only where its value was made."""
    if kind.form == "tuple":
        return replace(kind, items=tuple(kind_outside(k, outside) for k in kind.items))
    known = kind.shape is None or all(
        x.name in outside for n in kind.shape for x in subexpressions(n) if isinstance(x, Sym)
    )
    return kind if known else replace(kind, shape=None)


def join_kinds(cx: Lowering, a: Kind, b: Kind) -> Kind:
    """The smallest type that holds both."""
    if a == b:
        return a
    if "tuple" in (a.form, b.form) and {a.form, b.form} <= {"tuple", "object"}:
        _make_objects(cx, a, b)
    texts = (as_text(a), as_text(b))
    if texts[0] is not None and texts[1] is not None:
        return Kind("object", object=join_types(cx.learned, texts[0], texts[1]))
    if "choice" in (a.form, b.form):
        return widen(cx, a, b)
    if a.form != b.form:
        raise CannotMerge(f"{_say(a)} and {_say(b)}")
    if a.form == "scalar":
        if (a.dtype, a.weak) != (b.dtype, b.weak):
            raise CannotMerge(f"{_say(a)} and {_say(b)}")
        return a
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
    if a.form == "static" and a.value is b.value or (isinstance(a.value, Static) and a.value == b.value):
        return a
    raise CannotMerge(f"{_say(a)} and {_say(b)}")


def widen(cx: Lowering, a: Kind, b: Kind) -> Kind:
    """The smallest type that holds both, a choice if there is no other."""
    if "choice" not in (a.form, b.form):
        with contextlib.suppress(CannotMerge):
            return join_kinds(cx, a, b)
    options = list(a.items if a.form == "choice" else (a,))
    for k in b.items if b.form == "choice" else (b,):
        for n, have in enumerate(options):
            with contextlib.suppress(CannotMerge):
                options[n] = join_kinds(cx, have, k)
                break
        else:
            options.append(k)
    if len(options) > MAX_OPTIONS or not all(map(_can_be_chosen, options)):
        _make_objects(cx, *options)
        if all(_is_tuple(k) for k in options):
            return Kind("object", object=cx.objects.tuple_of_kinds(cx, options))
        raise CannotMerge(" and ".join(map(_say, options)))
    numbers = all(k.form == "scalar" and k.dtype is not None and k.dtype.kind in "biuf" for k in options)
    return Kind("choice", items=tuple(options), wide=a.wide and b.wide and numbers)


def _make_objects(cx: Lowering, *kinds: Kind) -> None:
    """Different lists or dicts under one name are Python objects: lower again with that in mind, if they can be."""
    for k in kinds:
        v = k.value
        if (
            isinstance(v, (Tup, Dict))
            and v.cls is None
            and (v.site is not None or any(g is v for g, _ in cx.containers))
        ):
            cx.objects.grow(cx, v)


def _is_tuple(k: Kind) -> bool:
    if k.form == "object":
        return k.object is not None and k.object.cls is tuple
    return k.form == "tuple" and not k.mutable and k.cls is None


def _can_be_chosen(k: Kind) -> bool:
    """Can a value of this type be one of several? Compile-time values must be constants, lists must be of one type."""
    if k.form == "tuple":
        return not k.mutable and all(map(_can_be_chosen, k.items))
    return k.form != "static" or isinstance(k.value, Static)


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
    if k.form == "choice":
        return " or ".join(map(_say, k.items))
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
        if len(kind.objects) == 1:
            cx.identities[name] = Identity(kind.objects, const(number_of(cx, *kind.objects)))
        else:
            which = cx.scalar(i64, f"{hint}_which")
            cx.identities[name] = Identity(kind.objects, cx.read(which))
        return ArrayVar(name, kind.dtype, kind.ndim, kind.order, kind.shape, kind.writable, which)
    if kind.form == "tuple":
        return TupleVar([make_var(cx, k, hint) for k in kind.items], kind.cls, kind.mutable)
    if kind.form == "choice":
        tag = cx.scalar(i64, f"{hint}_type")
        if kind.wide:
            dtype = functools.reduce(promote, [k.dtype for k in kind.items if k.dtype is not None])
            shared = ScalarVar(cx.scalar(dtype, hint), dtype, all(k.weak for k in kind.items))
            return ChoiceVar(tag, kind.items, (), shared)
        return ChoiceVar(tag, kind.items, tuple(make_var(cx, k, hint) for k in kind.items), None)
    if kind.form == "object":
        assert kind.object is not None
        name = cx.objects.new_holder(cx, hint)
        cx.rebindable.add(name)
        return ObjectVar(name, kind.object)
    assert kind.value is not None
    return kind.value


# --- joins ------------------------------------------------------------------------------------------------------------


def merge_values(cx: Lowering, arms: Sequence[tuple[Block, Value]], hint: str, exact: bool = False) -> Value:
    """One value for what several arms computed; stores are appended to the arms' blocks, the result is read in the present one.

    exact: of one type, no choice
    """
    first = arms[0][1]
    if all(v is first or v == first for _, v in arms):
        return first
    kind: Kind | None = None
    for _, v in arms:
        k = kind_of(cx, v)
        kind = k if kind is None else (join_kinds if exact else widen)(cx, kind, k)
    assert kind is not None
    for _, v in arms:
        kind = fitting(cx, kind, v)
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
        case Narrowed():
            if var.var.wide is not None:
                kind = var.var.kinds[var.k]
                return Num(cx.let(cx.cast(cx.read(var.var.wide.data), kind.dtype or f64), hint), kind.weak)
            return frozen_var(cx, var.var.items[var.k], hint)
        case TupleVar():
            return Tup([frozen_var(cx, x, hint) for x in var.items], var.cls, var.mutable)
        case ChoiceVar():
            for item in var.items:
                settle(cx, item)
            return as_choice(cx, var, cx.let(cx.read(var.tag), var.tag), True)
    return var


def settle(cx: Lowering, var: Value) -> None:
    """Nothing assigns the variable any more."""
    match var:
        case ArrayVar() | ObjectVar():
            cx.rebindable.discard(var.data)
        case TupleVar() | ChoiceVar():
            for item in var.items:
                settle(cx, item)


def branch_that_leaves(cx: Lowering, cond: Expr, then: Block, orelse: Block) -> None:
    """A branch of which one arm (or both) does not reach its end: the other arm goes on here, with the names that it bound."""
    if then.done and orelse.done:
        cx.branch(cond, then, orelse)
        return
    leaves, stays = (then, orelse) if then.done else (orelse, then)
    cx.branch(cond if then.done else symbolic.negate(cond), leaves)
    for n in stays.items:
        cx.emit(n)


def merge_envs(
    cx: Lowering,
    live: set[str],
    then: tuple[Block, dict[str, Value]],
    orelse: tuple[Block, dict[str, Value]],
    exact: bool = False,
) -> dict[str, Value]:
    """The environment after a branch, for the names that may still be read. Raises CannotMerge; with `exact`, also for values of
    different types that could become a choice.
    """
    result: dict[str, Value] = {}
    for name in sorted(set(then[1]) | set(orelse[1])):
        a, b = then[1].get(name), orelse[1].get(name)
        if a is b and a is not None:
            result[name] = a
            continue
        if isinstance(a, (ChoiceVar, Narrowed)) and isinstance(b, (ChoiceVar, Narrowed)):
            result[name] = _merge_narrowed(a, b)
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
            if exact and isinstance(a, Static) and isinstance(b, Static) and a != b:
                raise CannotMerge(f"{describe(a)} or {describe(b)}")
            result[name] = merge_values(cx, [(then[0], a), (orelse[0], b)], name, exact)
        except CannotMerge as e:
            raise CannotMerge(f"'{name}' is {e.text}") from None
    return result


def _merge_narrowed(a: ChoiceVar | Narrowed, b: ChoiceVar | Narrowed) -> Value:
    """What is known of a variable after paths on which different things are known of it."""
    if isinstance(a, Narrowed) and isinstance(b, Narrowed) and a.k == b.k:
        return a
    return a.var if isinstance(a, Narrowed) else a


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
