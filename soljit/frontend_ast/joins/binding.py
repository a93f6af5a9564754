"""Names bound, variables made, assigned and read.

If an assignment does not fit the type of its variable, the loop is lowered again with the merged type (`values/retries.py`).
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import replace

from soljit.base.place import is_ours
from soljit.frontend_ast.arrays.array_variables import bound_array, new_ref, order_of, rank_of_walk, still_axes
from soljit.frontend_ast.arrays.elementwise import copy_array, materialize
from soljit.frontend_ast.arrays.kinds import kind_of
from soljit.frontend_ast.arrays.object_identity import identity_of
from soljit.frontend_ast.arrays.strides import strided
from soljit.frontend_ast.joins.new_variables import make_var
from soljit.frontend_ast.joins.tagged_numbers import tag_among
from soljit.frontend_ast.joins.type_lattice import (
    CannotMerge,
    fitting,
    kind_outside,
    option_of,
    widen,
    without_type,
)
from soljit.frontend_ast.lowering.blocks import Block
from soljit.frontend_ast.lowering.frames import Frame
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.state import TEMPORARY
from soljit.frontend_ast.objects import characters
from soljit.frontend_ast.objects.captured_assignments import assign_global
from soljit.frontend_ast.objects.container_methods import adopt_items
from soljit.frontend_ast.objects.flat_iterators import refuse_stepped_twice
from soljit.frontend_ast.objects.iterators import copied
from soljit.frontend_ast.objects.objects import hold, make_object
from soljit.frontend_ast.values.array_identity import AGAIN, ANOTHER, Identity
from soljit.frontend_ast.values.composites import class_of_parts, of_parts, parts_of
from soljit.frontend_ast.values.constants import constant
from soljit.frontend_ast.values.retries import Again
from soljit.frontend_ast.values.values import (
    Arr,
    Dict,
    DictView,
    Flat,
    Generated,
    Lazy,
    MaybeUnbound,
    Method,
    Num,
    Object,
    OneShot,
    RangeVal,
    SliceVal,
    Tup,
    Union,
    Value,
    full_view,
)
from soljit.frontend_ast.values.variables import (
    VARIABLES,
    ArrayVar,
    Kind,
    Narrowed,
    ObjectVar,
    ScalarVar,
    TupleVar,
    UnionVar,
)
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.data import Array, Ref
from soljit.ir.core.expr import TRUE, Expr, Load, Memlet, const
from soljit.ir.core.types import f64


def pin(cx: Lowering, v: Value, hint: str = TEMPORARY) -> Value:
    """A value that later statements cannot change: loads are taken now, deferred arrays are computed."""
    match v:
        case Num():
            e = cx.let(v.expr, hint)
            return v if e is v.expr else Num(e, v.weak)
        case Lazy():
            return materialize(cx, v, hint)
        case Arr() if isinstance(cx.data.get(v.data), Ref) and v.data in cx.rebindable:
            return rebound(cx, v, hint)
        case Object() if v.data in cx.rebindable:
            return hold(cx, v)
        case Generated() if v.is_list:
            return cx.above.list_of_steps(cx, v)
        case OneShot():
            pinned = OneShot([pin(cx, x, hint) for x in v.steps], v.watched, v.generator, v.again)
            return copied(cx, v, pinned)
        case DictView():
            return v
        case Tup(mutable=False) | SliceVal() | RangeVal() | Flat() | Method():
            parts = parts_of(v)
            items = [pin(cx, x, hint) for x in parts]
            return v if all(map(operator.is_, items, parts)) else copied(cx, v, of_parts(items, class_of_parts(v)))
        case Union() if not v.settled:
            if v.wide is not None:
                return replace(v, tag=cx.let(v.tag, f"{hint}_type"), wide=cx.let(v.wide, hint), settled=True)
            copy = make_var(cx, kind_of(cx, v), hint)
            assign_var(cx, copy, v)
            return frozen_var(cx, copy, hint)
    return v


def rebound(cx: Lowering, v: Arr, hint: str) -> Arr:
    """The same memory under a Ref of its own, which nothing binds again."""
    name = new_ref(cx, v.dtype, v.ndim, order_of(cx, v), cx.roots_of(v.data), hint, still_axes(cx, v))
    identity = identity_of(cx, v)
    if identity is not ANOTHER:
        cx.identities[name] = Identity(identity.objects, cx.let(identity.which, "which"))
    cx.emit(nodes.Bind(name, _window(cx, v)))
    cx.lengths[name] = v.shape
    return Arr(name, v.dtype, v.shape, full_view(name, v.dtype, v.shape, v.rank).dims, v.rank, v.whole, v.writable)


def read_name(cx: Lowering, v: Value) -> Value:
    """The present value of what a name is bound to."""
    match v:
        case ScalarVar():
            return Num(cx.present(cx.read(v.data)), v.weak)
        case ArrayVar():
            rank = rank_of_walk(v.walk, v.ndim)
            if v.shape is None:
                return bound_array(cx, v.data, v.dtype, rank, v.writable)
            cx.lengths[v.data] = v.shape
            return full_view(v.data, v.dtype, v.shape, rank, v.writable)
        case TupleVar():
            made = of_parts([read_name(cx, x) for x in v.items], v.cls)
            return pin(cx, made) if isinstance(made, RangeVal) else made  # a loop over it may assign the variable
        case ObjectVar():
            return characters.held(cx, v) if v.code else Object(v.data, v.type)
        case UnionVar():
            return as_union(cx, v, cx.read(v.tag))
        case Narrowed():
            return narrow(cx, as_union(cx, v.var, const(v.k)), v.k)
        case MaybeUnbound():
            return read_name(cx, v.value)
        case DictView(source=Dict() as d):
            return dict_view(cx, d, v.name)
    return v


def dict_view(cx: Lowering, d: Dict, name: str) -> DictView:
    """The view `name` ("keys", "values" or "items") of a dict as it is now."""
    keys = [constant(k) for k in d.items]
    if name == "keys":
        return DictView(keys, source=d, name=name)
    values = list(d.items.values())
    return DictView(values if name == "values" else [Tup([k, v]) for k, v in zip(keys, values)], source=d, name=name)


def as_union(cx: Lowering, v: UnionVar, tag: Expr, settled: bool = False) -> Union:
    """The value of a variable for several types."""
    return Union(tag, v.kinds, v.items, None if v.wide is None else cx.read(v.wide.data), settled)


def narrow(cx: Lowering, v: Union, k: int) -> Value:
    """The value of a union where it is the one numbered k."""
    if v.wide is not None:
        return Num(cx.cast(v.wide, v.kinds[k].dtype), v.kinds[k].weak)
    return read_name(cx, v.options[k])


def named(cx: Lowering, v: Value, name: str) -> Value:
    """The value; a view that gets its first name here is told from other views of the same elements."""
    return named_array(cx, v, name) if isinstance(v, Arr) else v


def named_array(cx: Lowering, a: Arr, name: str) -> Arr:
    """`named` of an array."""
    if a.whole or a.made:
        return a
    again = AGAIN if cx.repeating else ""
    return replace(a, made=f"{cx.way}{cx.loc.line}:{cx.loc.col}:{name}{again}")


def items_of(cx: Lowering, values: Iterable[Value]) -> list[Value]:
    """Values that become items of a tuple or list."""
    return [named(cx, pin(cx, x), str(k)) for k, x in enumerate(values)]


def bind(cx: Lowering, fr: Frame, name: str, v: Value) -> None:
    """`name = v`."""
    if name in fr.globals and fr.resolve.function is not None:
        assign_global(cx, fr.resolve.function, name, v)
        return
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
    v = named(cx, v, name)
    refuse_stepped_twice(cx, fr, name, v)
    old = fr.env.get(name)
    if isinstance(old, MaybeUnbound):
        flag = flag_in_loop(fr, name, old)
        if flag is not None:
            cx.write(flag, TRUE)
            fr.env[name] = replace(old, value=_write_and_narrow(cx, fr, name, old.value, v))
            return
        old = None
    if isinstance(old, VARIABLES):
        fr.env[name] = _write_and_narrow(cx, fr, name, old, v)
        return
    if old is not None and any(name in s.kinds and s.kinds[name].form == "static" for s in fr.loops):
        fr.env[name] = write_var(
            cx, fr, name, old, v
        )  # a constant until now: the loop's variable needs a type for both
        return
    v = pin(cx, v, name)
    if isinstance(v, Arr) and v.whole and isinstance(d := cx.data.get(v.data), Array) and d.transient:
        if not is_ours(fr.file) and name.isidentifier():
            cx.spellings.setdefault(v.data, name)
    fr.env[name] = v


def _write_and_narrow(cx: Lowering, fr: Frame, name: str, old: Value, v: Value) -> Value:
    """Assign a loop variable: what is known of it from here on."""
    var = write_var(cx, fr, name, without_type(old), v)
    if not isinstance(var, UnionVar) or name in fr.shared or isinstance(v, Union):
        return var
    return Narrowed(var, option_of(cx, var.kinds, v))


def flag_in_loop(fr: Frame, name: str, held: MaybeUnbound) -> str | None:
    """The scalar that tells whether a variable of a loop is bound, or a constant that a loop around knows of; None for other names."""
    if isinstance(held.value, VARIABLES) or (isinstance(held.bound, Load) and any(name in s.kinds for s in fr.loops)):
        assert isinstance(held.bound, Load)  # it is a mutable scalar
        return held.bound.memlet.data
    return None


def write_var(cx: Lowering, fr: Frame, name: str, var: Value, v: Value) -> Value:
    """Assign a loop variable; if that needs a wider type, another one, and the loop is lowered again when all is found that it needs."""
    scope = next(s for s in reversed(fr.loops) if name in s.kinds)
    have = scope.kinds[name]
    try:
        want = kind_outside(fitting(cx, widen(cx, have, kind_of(cx, v)), v), scope.outside.__contains__)
    except CannotMerge as e:
        raise cx.unsupported(
            f"the type of '{name}' changes in a loop: {e.text}", "give it one type before the loop"
        ) from None
    if want != have:
        scope.found.kinds[name] = want
        if not _is_plain(want):
            raise Again(scope)
        scope.kinds[name], scope.again = want, True
    if scope.again and _is_plain(want) and kind_of(cx, var) != want:
        var = make_var(cx, want, "wider")
    assign_var(cx, var, v)
    return var


def _is_plain(kind: Kind) -> bool:
    """Tell whether lowering can go on with a variable of this type before the loop is lowered again with it: it stands for no constant."""
    if kind.form in ("tuple", "union"):
        return all(map(_is_plain, kind.items))
    return kind.form in ("scalar", "array", "object")


def assign_if_bound(cx: Lowering, var: Value, old: Value) -> None:
    """Give a variable the value that a name has, if it has one."""
    if not isinstance(old, MaybeUnbound):
        assign_var(cx, var, read_name(cx, old))
        return
    with cx.block(old.bound) as bound:
        assign_var(cx, var, read_name(cx, old.value))
    cx.branch(old.bound, bound)


def assign_var(cx: Lowering, var: Value, v: Value) -> None:
    """Store a value that fits into a variable."""
    match var, v:
        case ScalarVar(), Num():
            cx.write(var.data, cx.cast(v.expr, var.dtype))
        case ArrayVar(), (Arr() | Lazy()):
            a = materialize(cx, v, var.data)
            if var.order in "CF" and var.ndim > 0 and order_of(cx, a) != var.order:
                a = copy_array(cx, a, rank_of_walk(var.walk, var.ndim))
            if var.which is not None:
                cx.write(var.which, identity_of(cx, a).which)
            cx.emit(nodes.Bind(var.data, _window(cx, a)))
        case TupleVar(), (Tup() | SliceVal() | RangeVal() | Flat() | Method()):
            parts = parts_of(v)
            pinned = [pin(cx, x) for x in parts] if len(parts) > 1 else parts
            for x, y in zip(var.items, pinned):
                assign_var(cx, x, y)
        case ObjectVar(), _:
            adopt_items(cx, var.type, v)
            if var.code:
                cx.write(var.code, characters.known_code(cx, v))
            if not var.data:
                return
            given = make_object(cx, v)
            held = hold(cx, given) if given.param else given
            cx.emit(nodes.Bind(var.data, Memlet(held.data)))
        case UnionVar(), Union():
            _assign_union(cx, var, v)
        case UnionVar(), _:
            k = option_of(cx, var.kinds, v)
            if var.wide is None:
                assign_var(cx, var.items[k], v)
            else:
                assign_var(cx, var.wide, v)
            cx.write(var.tag, const(k))
        case _:
            return  # a static value that equals the present one


def _window(cx: Lowering, a: Arr) -> Memlet:
    """The memory of an array, also if it repeats elements."""
    window = a.window() or strided(cx, a).window()
    assert window is not None
    return window


def _assign_union(cx: Lowering, var: UnionVar, v: Union) -> None:
    if var.wide is not None and v.wide is not None:
        number = cx.let(v.wide)
        cx.write(var.tag, tag_among(var.kinds, v))
        cx.write(var.wide.data, cx.cast(number, var.wide.dtype))
        return
    tag = cx.let(v.tag, "type")
    outer: Block | None = None
    for k in reversed(range(len(v.kinds))):
        with cx.block(symbolic.eq(tag, const(k))) as block:
            assign_var(cx, var, narrow(cx, v, k))
        if outer is None:
            outer = block
            continue
        with cx.aside() as both:
            cx.branch(symbolic.eq(tag, const(k)), block, outer)
        outer = both
    assert outer is not None
    cx.append(outer)


def frozen_var(cx: Lowering, var: Value, hint: str) -> Value:
    """What a variable holds now, when nothing will assign it again."""
    match var:
        case ScalarVar():
            return Num(cx.let(cx.read(var.data), hint), var.weak)
        case ArrayVar():
            cx.rebindable.discard(var.data)
            return read_name(cx, var)
        case ObjectVar():
            cx.rebindable.discard(var.data)
            return characters.held(cx, var) if var.code else Object(var.data, var.type)
        case Narrowed():
            if var.var.wide is not None:
                kind = var.var.kinds[var.k]
                return Num(cx.let(cx.cast(cx.read(var.var.wide.data), kind.dtype or f64), hint), kind.weak)
            return frozen_var(cx, var.var.items[var.k], hint)
        case TupleVar():
            return of_parts([frozen_var(cx, x, hint) for x in var.items], var.cls)
        case UnionVar():
            for item in var.items:
                settle(cx, item)
            return as_union(cx, var, cx.let(cx.read(var.tag), var.tag), True)
    return var


def settle(cx: Lowering, var: Value) -> None:
    """Nothing assigns the variable any more."""
    match var:
        case ArrayVar() | ObjectVar():
            cx.rebindable.discard(var.data)
        case TupleVar() | UnionVar():
            for item in var.items:
                settle(cx, item)
