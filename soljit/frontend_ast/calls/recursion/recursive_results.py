"""What functions that call themselves return: how a result is described, given by the function, and received by its caller."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace
from typing import Any

from soljit.base.records import dataclass
from soljit.frontend_ast.arrays.array_variables import order_of
from soljit.frontend_ast.arrays.elementwise import materialize
from soljit.frontend_ast.arrays.strides import strided
from soljit.frontend_ast.joins.binding import read_name
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.contents import element_of, rank_of
from soljit.frontend_ast.objects.objects import declare, hold, make_object, read
from soljit.frontend_ast.values.constants import fold_cast
from soljit.frontend_ast.values.descriptions import describe
from soljit.frontend_ast.values.learned import join_types
from soljit.frontend_ast.values.object_types import Element, ObjectType
from soljit.frontend_ast.values.values import Arr, Lazy, Num, Object, Static, Tup, Union, Value
from soljit.frontend_ast.values.variables import Kind
from soljit.ir.core import nodes
from soljit.ir.core.data import Ref
from soljit.ir.core.expr import Expr, Memlet, Op, const
from soljit.ir.core.types import b1, obj


@dataclass(frozen=True)
class Held:
    """An object of Python; what its type is, is found out like that of a container's items."""

    type: ObjectType = field(compare=False)


@dataclass(frozen=True)
class Leaf:
    """A number, or an array that the function made, or (`views`) a view of its arguments, or (`itself`) one of them."""

    element: Element
    views: bool = False
    itself: bool = False
    shape: tuple[Expr, ...] | None = None  # made of the function's parameters


@dataclass(frozen=True)
class Argument:
    """The array argument of this number."""

    number: int


@dataclass(frozen=True)
class Several:
    items: tuple[Any, ...]
    cls: type | None
    mutable: bool


@dataclass(frozen=True)
class Either:
    """A number whose type depends on the path: a tag, and one leaf for all or one for each that is a number.

    It is a value of several types; of the `Either` of a call back, whose options are any results, the run chooses one.
    """

    tag: Leaf
    kinds: tuple[Kind, ...]
    items: tuple[Any, ...]
    wide: Leaf | None


@dataclass(frozen=True)
class Result:
    tree: Any  # of Leaf, Argument, Several, Either and Static


def describe_result(
    cx: Lowering, v: Value, values: list[Expr | Memlet], results: list[nodes.Result], seen: list[tuple[Arr, Any]]
) -> Any:
    """The result's description; its leaves go to `values` and `results`."""
    match v:
        case Num():
            values.append(v.expr)
            results.append(nodes.Result("python" if v.weak else "scalar", v.dtype))
            return Leaf(element_of(cx, v))
        case Object():
            held = hold(cx, v) if v.param else v
            values.append(Memlet(held.data))
            results.append(nodes.Result("object", obj))
            return Held(v.type)
        case Tup() if v.mutable:
            return describe_result(cx, make_object(cx, v), values, results, seen)
        case Static():
            return v
        case Tup():
            return Several(tuple(describe_result(cx, x, values, results, seen) for x in v.items), v.cls, v.mutable)
        case Union():
            options = [read_name(cx, x) for x in v.options]
            if not all(isinstance(x, (Num, Static)) for x in options):
                return describe_result(cx, make_object(cx, v), values, results, seen)
            return _either(cx, v, options, values, results)
        case Arr() | Lazy():
            arrays = [p.name for p in cx.params if p.kind == "array"]
            a = materialize(cx, v, "result")
            if a.whole and a.data in arrays and not isinstance(cx.data[a.data], Ref):
                return Argument(arrays.index(a.data))
            for other, _ in seen:
                if a.whole and a == other:
                    raise cx.unsupported("one array returned twice from a recursive function", "return a copy")
            seen.append((a, None))
            if a.window() is None:
                a = strided(cx, a)
            window = a.window()
            assert window is not None
            roots = sorted(cx.alias_of(a.data) & set(arrays))
            itself = a.whole and isinstance(cx.data[a.data], Ref) and bool(roots)
            values.append(window)
            results.append(nodes.Result("array", a.dtype, a.ndim, roots[0] if roots else None, None, a.writable))
            rank = rank_of("F" if order_of(cx, a) == "F" else "C", a.ndim)
            return Leaf(replace(element_of(cx, a), rank=rank), bool(roots), itself)
    raise cx.unsupported(f"a recursive function returns {describe(v)}", "return numbers, arrays or tuples of them")


def _either(
    cx: Lowering, v: Union, options: list[Value], values: list[Expr | Memlet], results: list[nodes.Result]
) -> Either:
    def leaf(e: Expr) -> Leaf:
        values.append(e)
        results.append(nodes.Result("python", e.dtype))
        return Leaf(Element("number", e.dtype, True))

    tag = cx.let(v.tag, "type")
    if v.wide is not None:
        return Either(leaf(tag), v.kinds, (), leaf(v.wide))
    first = leaf(tag)
    items: list[Leaf | Static] = []
    for k, x in enumerate(options):
        if isinstance(x, Num):
            here = Op("eq", (tag, const(k)), b1)
            items.append(leaf(Op("select", (here, x.expr, fold_cast(const(0), x.dtype)), x.dtype)))
        else:
            assert isinstance(x, Static)
            items.append(x)
    return Either(first, v.kinds, tuple(items), None)


def join_result_types(cx: Lowering, old: Any, new: Any) -> None:
    """What a function returns is of one type, whichever round found it."""
    match old, new:
        case Held(), Held():
            join_types(cx.learned, old.type, new.type)
        case Several(), Several():
            for x, y in zip(old.items, new.items):
                join_result_types(cx, x, y)


def leaves(tree: Any) -> Iterator[Any]:
    """The leaves of a result's description, and what received them."""
    match tree:
        case Several():
            for x in tree.items:
                yield from leaves(x)
        case Either():
            yield from (tree.tag, *tree.items, tree.wide)
        case _:
            yield tree


def receive(cx: Lowering, tree: Any, outs: list[str], arrays: list[Arr], roots: frozenset[str]) -> Any:
    """Containers for the leaves, and the tree with them in the leaves' places."""
    match tree:
        case Leaf(element=e):
            if tree.itself and any(a.whole and (a.dtype, a.ndim) == (e.dtype, e.ndim) for a in arrays):
                raise cx.unsupported(
                    "a recursive function returns an array that may or may not be its argument", "return a copy"
                )
            return declare(cx, e, outs, "returned", roots if tree.views else frozenset())
        case Held():
            return declare(cx, Element("object", object=tree.type), outs, "returned")
        case Several():
            items = tuple(receive(cx, x, outs, arrays, roots) for x in tree.items)
            return Several(items, tree.cls, tree.mutable)
        case Either():
            parts = [receive(cx, x, outs, arrays, roots) for x in (tree.tag, *tree.items)]
            wide = None if tree.wide is None else receive(cx, tree.wide, outs, arrays, roots)
            return Either(parts[0], tree.kinds, tuple(parts[1:]), wide)
        case Argument():
            return arrays[tree.number]
    return tree


def read_result(cx: Lowering, tree: Any) -> Value:
    """The value that containers received."""
    match tree:
        case (Element(), _):
            return read(cx, tree)
        case Several():
            return Tup([read_result(cx, x) for x in tree.items], tree.cls, tree.mutable, cx.region)
        case Either():
            tag = read_result(cx, tree.tag)
            assert isinstance(tag, Num)
            if tree.wide is not None:
                wide = read_result(cx, tree.wide)
                assert isinstance(wide, Num)
                return Union(tag.expr, tree.kinds, (), wide.expr, True)
            options = tuple(_typed(read_result(cx, x), kind) for x, kind in zip(tree.items, tree.kinds))
            return Union(tag.expr, tree.kinds, options, None, True)
    assert isinstance(tree, Value)
    return tree


def _typed(v: Value, kind: Kind) -> Value:
    return Num(v.expr, kind.weak) if isinstance(v, Num) else v
