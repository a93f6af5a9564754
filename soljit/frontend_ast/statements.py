"""Lowering of statements: assignment, control flow, and how names behave where paths join.

`run(cx, fr, statements)` lowers a block. A branch whose arms leave names with values that have no common type is lowered again with the
rest of the block copied into both arms. Loops keep the names that carry values between iterations in variables
(`frames.py`) and start again when a variable turns out to need a wider type.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import contextmanager
from typing import Any

import numpy as np

from soljit.base.errors import UnsupportedError
from soljit.frontend_ast import equal_lengths, exceptions, iteration
from soljit.frontend_ast.attributes import attribute_of
from soljit.frontend_ast.by_type import by_type, for_each_type, has_types
from soljit.frontend_ast.calls import iterate_static
from soljit.frontend_ast.choices import act, split
from soljit.frontend_ast.elementwise import apply_ufunc, shape_text, store
from soljit.frontend_ast.expressions import (
    binary_operation,
    condition,
    evaluate,
    make_function,
    may_have_effects,
    place,
)
from soljit.frontend_ast.frames import (
    VARIABLES,
    ArrayVar,
    CannotMerge,
    ChoiceVar,
    Frame,
    Kind,
    LoopScope,
    Narrowed,
    ReturnSite,
    Retype,
    RetypeResult,
    assign_var,
    bind,
    branch_that_leaves,
    fitting,
    frozen_var,
    kind_of,
    kind_outside,
    make_var,
    merge_envs,
    narrow,
    pin,
    read_name,
    widen,
)
from soljit.frontend_ast.indexing import delete_item, get_item, set_item
from soljit.frontend_ast.lowering import Block, Lowering, Unreachable
from soljit.frontend_ast.names import assigned_names, names_read, names_shared, own_statements, surely_bound
from soljit.frontend_ast.numpy_api import shape_attribute
from soljit.frontend_ast.numpy_api.creation import array_of
from soljit.frontend_ast.operators import UFUNCS, as_array, describe
from soljit.frontend_ast.python_numbers import py_type
from soljit.frontend_ast.results import emit_return
from soljit.frontend_ast.values import (
    NONE,
    Arr,
    Choice,
    Dict,
    Generated,
    Generator,
    Iteration,
    Lazy,
    MaybeUnbound,
    Num,
    Object,
    Static,
    Tup,
    Value,
)
from soljit.ir import nodes, symbolic
from soljit.ir.expr import FALSE, TRUE, Expr, Load, Sym, const, subexpressions
from soljit.ir.types import b1

MAX_COPIES = 6
MAX_RETRIES = 8
UNROLL = 16  # loops over tuples and other static sequences up to this length are unrolled


def run(cx: Lowering, fr: Frame, statements: Sequence[ast.stmt]) -> None:
    """Lower a block of statements."""
    loops = list(fr.loops)
    try:
        _run(cx, fr, statements)
    except Unreachable:
        fr.loops = loops
        cx.current.finish()
    except UnsupportedError:
        if not cx.current.done:  # else it is about code behind a raise, which is never run
            raise
        fr.loops = loops


def _run(cx: Lowering, fr: Frame, statements: Sequence[ast.stmt]) -> None:
    for k, s in enumerate(statements):
        if cx.current.done:
            return
        cx.loc, fr.statement = place(fr, s), s
        if isinstance(s, ast.FunctionDef) and (shared := (names_shared(s) & fr.locals) - fr.shared):
            with _sharing(fr, shared):
                cx.share(cx, fr, shared, statements[k:])
            return
        with_rest = WITH_REST.get(type(s))
        if with_rest is not None:
            if isinstance(s, ast.If) and not _returns_inline(fr, s) and has_types(fr, s):
                by_type(cx, fr, s, _if_alone)
                continue
            if with_rest(cx, fr, s, statements[k + 1 :]):
                return
            continue
        handler = _HANDLERS.get(type(s))
        if handler is None:
            raise cx.unsupported(f"{type(s).__name__} statements are not supported")
        by_type(cx, fr, s, handler)
        if fr.left_by_return:
            fr.left_by_return = False
            after_returns(cx, fr, statements[k + 1 :])
            return


@contextmanager
def _sharing(fr: Frame, names: set[str]) -> Iterator[None]:
    """Nested functions assign these names of the frame."""
    fr.shared |= names
    try:
        yield
    finally:
        fr.shared -= names


# --- assignment -------------------------------------------------------------------------------------------------------


def _assign(cx: Lowering, fr: Frame, s: ast.Assign) -> None:
    value = evaluate(cx, fr, s.value)
    if len(s.targets) > 1:
        value = pin(cx, value)
    for t in s.targets:
        assign(cx, fr, t, value, s)


def assign(cx: Lowering, fr: Frame, target: ast.expr, value: Value, s: ast.stmt | None = None) -> None:
    """`target = value`, as a part of statement `s`."""
    match target:
        case ast.Name():
            bind(cx, fr, target.id, value)
        case ast.Tuple() | ast.List():
            _unpack(cx, fr, target.elts, value, s)
        case ast.Subscript():
            value = value if isinstance(value, Lazy) and not may_have_effects(target) else pin(cx, value)
            owner = evaluate(cx, fr, target.value)
            index = evaluate(cx, fr, target.slice)
            cx.loc = place(fr, target)
            if isinstance(owner, (Tup, Dict)):
                value = pin(cx, value)
                act(cx, [owner, index], lambda vs: set_item(cx, vs[0], vs[1], value))
                return
            _store_item(cx, owner, index, value)
        case ast.Attribute():
            owner = evaluate(cx, fr, target.value)
            replaced = shape_attribute.set_attribute(cx, owner, target.attr, value)
            if replaced is not None:
                _replace_everywhere(cx, fr, target.value, owner, replaced)
        case ast.Starred():
            assign(cx, fr, target.value, value, s)
        case _:
            raise cx.unsupported(f"assignment to {type(target).__name__}")


def _replace_everywhere(cx: Lowering, fr: Frame, node: ast.expr, old: Value, new: Value) -> None:
    """`a.shape = …` changes the array object: every local name of the object sees it."""
    if not isinstance(node, ast.Name):
        raise cx.unsupported("setting the shape of something that has no name", "use reshape")
    if isinstance(fr.env.get(node.id), ArrayVar):
        bind(cx, fr, node.id, new)
        return
    for name, v in fr.env.items():
        if v is old or v == old:
            fr.env[name] = new


def _unpack(cx: Lowering, fr: Frame, targets: list[ast.expr], value: Value, s: ast.stmt | None) -> None:
    if isinstance(value, Choice):
        choice = value
        for_each_type(cx, fr, s, choice, lambda k: _unpack(cx, fr, targets, narrow(cx, choice, k), s))
        return
    star = [k for k, t in enumerate(targets) if isinstance(t, ast.Starred)]
    if isinstance(value, Object):
        for t, x in zip(targets, cx.objects.unpack(cx, value, len(targets), star[0] if star else -1)):
            assign(cx, fr, t, x)
        return
    if isinstance(value, (Arr, Lazy)) and value.ndim > 0 and not star:
        value = pin(cx, value)
        assert isinstance(value, Arr)
        n = value.shape[0]
        cx.check(
            symbolic.ge(n, const(len(targets))),
            "ValueError",
            f"not enough values to unpack (expected {len(targets)}, got {{0}})",
            [n],
        )
        cx.check(
            symbolic.le(n, const(len(targets))), "ValueError", f"too many values to unpack (expected {len(targets)})"
        )
        items: list[Value] = [get_item(cx, value, Num(const(k), True)) for k in range(len(targets))]
    elif isinstance(value, Num) or (isinstance(value, Static) and value.obj is None):
        cx.raise_("TypeError", f"cannot unpack non-iterable {py_type(value)} object")
        return
    else:
        items = iterate_static(cx, value)
    if star:
        k = star[0]
        after = len(targets) - k - 1
        if len(items) < len(targets) - 1:
            cx.raise_(
                "ValueError", f"not enough values to unpack (expected at least {len(targets) - 1}, got {len(items)})"
            )
            return
        items = [*items[:k], cx.objects.list_of(cx, items[k : len(items) - after]), *items[len(items) - after :]]
    if len(items) > len(targets):
        cx.raise_("ValueError", f"too many values to unpack (expected {len(targets)})")
        return
    if len(items) < len(targets):
        cx.raise_("ValueError", f"not enough values to unpack (expected {len(targets)}, got {len(items)})")
        return
    items = [pin(cx, x) for x in items]
    for t, x in zip(targets, items):
        assign(cx, fr, t, x, s)


def _store_item(cx: Lowering, owner: Value, index: Value, value: Value) -> None:
    if isinstance(value, Choice) and value.wide is not None and isinstance(owner, Arr) and owner.dtype.is_float:
        value = Num(value.wide, False)  # whatever the number's type, it is stored as the same float
    act(cx, [owner, index, value], lambda vs: set_item(cx, *vs))


def _annassign(cx: Lowering, fr: Frame, s: ast.AnnAssign) -> None:
    if s.value is not None:
        assign(cx, fr, s.target, evaluate(cx, fr, s.value))


def _augassign(cx: Lowering, fr: Frame, s: ast.AugAssign) -> None:
    """`target op= value`: in place for arrays (NumPy's `out=` with same-kind casting), rebinding otherwise."""
    match s.target:
        case ast.Name():
            old = evaluate(cx, fr, ast.copy_location(ast.Name(s.target.id, ast.Load()), s.target))
            new = evaluate(cx, fr, s.value)
            if isinstance(old, Arr):
                _in_place(cx, s, old, new)
                return
            if isinstance(old, Object):
                bind(cx, fr, s.target.id, cx.objects.in_place(cx, type(s.op), old, new))
                return
            if isinstance(old, Tup) and old.mutable and isinstance(s.op, ast.Add):
                if isinstance(new, (Object, Generated)) or cx.conditional > old.home:
                    cx.objects.grow(cx, old)
                old.items.extend(pin(cx, x) for x in iterate_static(cx, new))
                return
            bind(cx, fr, s.target.id, _combine(cx, s.op, old, new))
        case ast.Subscript():
            owner = evaluate(cx, fr, s.target.value)
            index = pin(cx, evaluate(cx, fr, s.target.slice))
            old = split(cx, [owner, index], lambda vs: get_item(cx, *vs))
            if isinstance(old, Num) and may_have_effects(s.value):
                old = pin(cx, old)
            new = evaluate(cx, fr, s.value)
            if isinstance(old, Arr) and (not isinstance(owner, Arr) or old.data == owner.data):
                _in_place(cx, s, old, new)
                return
            if isinstance(old, Arr) and isinstance(owner, Arr):  # a copy of chosen elements
                array, copy = owner, old
                act(cx, [new], lambda vs: _update_chosen(cx, s, array, index, copy, vs[0]))
                return
            made = _combine(cx, s.op, old, new)
            _store_item(cx, owner, index, made)
        case ast.Attribute():
            owner = evaluate(cx, fr, s.target.value)
            old = attribute_of(cx, owner, s.target.attr)
            new = evaluate(cx, fr, s.value)
            if isinstance(old, Arr):
                _in_place(cx, s, old, new)
                return
            assign(cx, fr, s.target, _combine(cx, s.op, old, new))
        case _:
            raise cx.unsupported("this augmented assignment")


def _combine(cx: Lowering, op: ast.operator, a: Value, b: Value) -> Value:
    return binary_operation(cx, op, a, b)


def _in_place(cx: Lowering, s: ast.AugAssign, target: Arr, value: Value) -> None:
    act(cx, [value], lambda vs: _in_place_by(cx, s, target, vs[0]))


def _in_place_by(cx: Lowering, s: ast.AugAssign, target: Arr, value: Value) -> None:
    if isinstance(value, Object):
        cx.objects.update_array(cx, type(s.op), target, value)
        return
    result = _updated(cx, s, target, value)
    if result is None:
        return
    if not target.writable:
        cx.raise_("ValueError", "output array is read-only")
        return
    store(cx, target, result)


def _update_chosen(cx: Lowering, s: ast.AugAssign, owner: Arr, index: Value, copy: Arr, value: Value) -> None:
    """`owner[index] op= value` where the index makes a copy, which is changed and put back."""
    result = _combine(cx, s.op, copy, value) if isinstance(value, Object) else _updated(cx, s, copy, value)
    if result is not None:
        _store_item(cx, owner, index, result)


def _updated(cx: Lowering, s: ast.AugAssign, target: Arr, value: Value) -> Num | Arr | Lazy | None:
    """What `target op= value` stores in the target; None if it raises."""
    value = as_array(cx, value, target)
    if isinstance(s.op, ast.MatMult):
        if target.ndim < 1 or not isinstance(value, (Arr, Lazy)) or value.ndim < 2:
            text = "inplace matrix multiplication requires the first operand to have at least one and the second at least two dimensions."
            cx.raise_("ValueError", text)
            return None
        result = _combine(cx, s.op, target, value)
        assert isinstance(result, (Arr, Lazy))
        same = all(cx.same_size(n, m) for n, m in zip(result.shape, target.shape)) and result.ndim == target.ndim
        if not same or not np.can_cast(result.dtype.numpy, target.dtype.numpy, "same_kind"):
            cx.call_back(cx, np.matmul, [target, value], {"out": target})  # which raises
            return None
    else:
        if not isinstance(value, (Num, Arr, Lazy)):
            raise cx.unsupported(f"in-place operation with {describe(value)}")
        found = apply_ufunc(cx, UFUNCS[type(s.op)], [target, value], out=target)
        assert isinstance(found, (Num, Lazy))
        if cx.current.done:
            return None
        if isinstance(found, Lazy) and not _fits_in_place(cx, target, found):
            return None
        result = found
    assert isinstance(result, (Num, Arr, Lazy))
    return result


def _fits_in_place(cx: Lowering, target: Arr, result: Lazy) -> bool:
    """The result of an in-place operation must have the target's own shape."""
    text, operands = shape_text([target.shape, result.shape])
    first, _, second = text.partition(" ")
    message = f"non-broadcastable output operand with shape {first} doesn't match the broadcast shape {second}"
    if result.ndim != target.ndim:
        cx.raise_("ValueError", message, operands)
        return False
    for n, m in zip(target.shape, result.shape):
        if n != m:
            cx.check(symbolic.eq(n, m), "ValueError", message, operands)
    return not cx.current.done


# --- control flow -----------------------------------------------------------------------------------------------------


def _may_return(body: Sequence[ast.stmt]) -> bool:
    return any(isinstance(n, ast.Return) for s in body for n in ast.walk(s))


def _returns_inline(fr: Frame, s: ast.If) -> bool:
    """Does an inlined function return from inside this statement, so that the rest has to go into its branches?"""
    return fr.returns is not None and not fr.loops and (_may_return(s.body) or _may_return(s.orelse))


def _if(cx: Lowering, fr: Frame, s: ast.If, rest: Sequence[ast.stmt]) -> bool:
    """Lower an `if`; True if the rest of the block was lowered along with it."""
    cond = condition(cx, fr, s.test)
    if cx.current.done:
        return True
    known = cx.prove(cond)
    if known is None and _about_sizes(cx, cond):
        known = cx.decide(cond)
    if known is not None:
        run(cx, fr, s.body if known else s.orelse)
        return False
    fact = cond
    cond = cx.let(cond, "cond")
    if not _returns_inline(fr, s):
        exact = not fr.loops and bool(rest) and fr.copies < MAX_COPIES
        mark, env_before = cx.snapshot(), dict(fr.env)
        then, env_then = _arm(cx, fr, fact, s.body)
        orelse, env_else = _arm(cx, fr, symbolic.negate(fact), s.orelse)
        if then.done or orelse.done:
            fr.env = env_else if then.done else env_then
            branch_that_leaves(cx, cond, then, orelse)
            if not (then.done and orelse.done):
                cx.facts = cx.facts.assume(symbolic.negate(fact) if then.done else fact)
            return False
        holder = Block()
        cx.blocks.append(holder)
        try:
            merged = merge_envs(cx, fr.live.get(s, set()), (then, env_then), (orelse, env_else), exact)
        except CannotMerge as e:
            failure: CannotMerge | None = e
        else:
            failure = None
        finally:
            cx.blocks.pop()
        if failure is None:
            cx.branch(cond, then, orelse)
            for n in holder.items:
                cx.emit(n)
            fr.env = merged
            return False
        cx.restore(mark)
        fr.env = env_before
        known = cx.decide(fact)
        if known is not None:
            run(cx, fr, s.body if known else s.orelse)
            return False
        if fr.copies >= MAX_COPIES or not rest:
            raise cx.unsupported(
                f"after this if, {failure.text}, depending on the branch",
                "give the name the same type in both branches",
            )
    fr.copies += 1
    if fr.copies > 8 * MAX_COPIES:
        raise cx.unsupported("too many branches whose rest had to be copied", "return once, at the end of the function")
    env = fr.env
    arms = []
    for block, facts in ((s.body, fact), (s.orelse, symbolic.negate(fact))):
        fr.env = dict(env)
        with cx.block(facts) as b:
            run(cx, fr, block)
            run(cx, fr, rest)
            if not cx.current.done and fr.returns is not None and not fr.loops:
                fr.returns.append(ReturnSite(cx.current, NONE))
                cx.current.finish()
        arms.append((b, fr.env))
    fr.copies -= 1
    (then, env_then), (orelse, env_else) = arms
    if then.done or orelse.done:
        fr.env = env_else if then.done else env_then
        branch_that_leaves(cx, cond, then, orelse)
        return True
    last = rest[-1] if rest else s
    holder = Block()
    cx.blocks.append(holder)
    try:
        fr.env = merge_envs(cx, fr.live.get(last, set()), (then, env_then), (orelse, env_else))
    except CannotMerge as e:
        raise cx.unsupported(
            f"after this if, {e.text}, depending on the branch", "give the name the same type in both branches"
        ) from None
    finally:
        cx.blocks.pop()
    cx.branch(cond, then, orelse)
    for n in holder.items:
        cx.emit(n)
    return True


def _if_alone(cx: Lowering, fr: Frame, s: ast.If) -> None:
    _if(cx, fr, s, ())


def _about_sizes(cx: Lowering, cond: Expr) -> bool:
    names = [x.name for x in subexpressions(cond) if isinstance(x, Sym)]
    return bool(names) and cx.is_pure(cond) and all(n in cx.symbols for n in names)


def _arm(cx: Lowering, fr: Frame, fact: Expr, body: Sequence[ast.stmt]) -> tuple[Block, dict[str, Value]]:
    env = fr.env
    fr.env = dict(env)
    with cx.block(fact) as b:
        run(cx, fr, body)
    result = fr.env
    fr.env = env
    return b, result


def _return(cx: Lowering, fr: Frame, s: ast.Return) -> None:
    value = NONE if s.value is None else evaluate(cx, fr, s.value)
    attempts = [a for a in cx.attempts if a.frame is fr]
    if attempts:
        value = pin(cx, value)
    with _out_of_attempts(cx, fr, attempts):
        if not cx.current.done:
            _return_value(cx, fr, value)


def _return_value(cx: Lowering, fr: Frame, value: Value) -> None:
    if fr.returns is None:
        emit_return(cx, value)
        return
    value = pin(cx, value)
    if fr.loops:
        _return_from_loop(cx, fr, value)
        return
    fr.returns.append(ReturnSite(cx.current, value))
    cx.current.finish()


def _return_from_loop(cx: Lowering, fr: Frame, value: Value) -> None:
    """Leave the loops of an inlined function one by one: a flag tells each that it was left by a return."""
    kind = kind_of(cx, value)
    if fr.result_kind is None:
        raise RetypeResult(fr, kind)
    try:
        want = fitting(cx, widen(cx, fr.result_kind, kind), value)
    except CannotMerge as e:
        raise cx.unsupported(f"'{fr.name}' returns values of different types: {e.text}") from None
    if want != fr.result_kind:
        raise RetypeResult(fr, want)
    assert fr.result is not None
    assign_var(cx, fr.result, value)
    cx.write(fr.returned, TRUE)
    for scope in fr.loops:
        scope.returns = True
    _jump(cx, fr, nodes.Break())


def after_returns(cx: Lowering, fr: Frame, rest: Sequence[ast.stmt]) -> None:
    """The code after a loop that an inlined function may have left by a return."""
    cond = cx.let(cx.read(fr.returned), "returned")
    with cx.block(cond) as leave:
        if fr.loops:
            _jump(cx, fr, nodes.Break())
        else:
            assert fr.returns is not None and fr.result is not None
            fr.returns.append(ReturnSite(cx.current, read_name(cx, fr.result)))
            cx.current.finish()
    with cx.block(symbolic.negate(cond)) as stay:
        run(cx, fr, rest)
        if not cx.current.done and not fr.loops:
            assert fr.returns is not None
            fr.returns.append(ReturnSite(cx.current, NONE))
            cx.current.finish()
    cx.branch(cond, leave, stay)


# --- loops ------------------------------------------------------------------------------------------------------------


def carried(cx: Lowering, fr: Frame, s: ast.For | ast.While, extra: set[str]) -> set[str]:
    """Names assigned in a loop whose value may be read in a later iteration or after the loop (reached by `break`, too)."""
    live = fr.live.get(s.body[-1], set()) | fr.live.get(s, set())
    return ((assigned_names(s.body) - _changed_in_place(fr, s)) | extra) & live


def _changed_in_place(fr: Frame, s: ast.For | ast.While) -> set[str]:
    """Names of arrays that a loop only changes with `op=`: they keep naming the same object."""
    every = [n for x in s.body for n in ast.walk(x)]
    in_place = {n.target.id for n in every if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)}
    stored = [n.id for n in every if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    augmented = [n.target.id for n in every if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)]
    return {n for n in in_place if isinstance(fr.env.get(n), Arr) and stored.count(n) == augmented.count(n)}


def with_variables(
    cx: Lowering,
    fr: Frame,
    names: set[str],
    at_least_once: bool,
    lower: Callable[[], None],
    has_else: bool = False,
    bound: Set[str] = frozenset(),
) -> LoopScope:
    """Lower a loop, its carried names in variables; again with wider types as long as an assignment needs them.

    bound: the names that every iteration binds
    """
    before = dict(fr.env)
    kinds: dict[str, Kind] = {}
    for n in sorted(names):
        if n in before:
            kinds[n] = kind_of(cx, before[n])
    mark = cx.snapshot()
    apart: set[equal_lengths.Length] = set()
    for _ in range(MAX_RETRIES * (1 + len(names))):
        scope = LoopScope(dict(kinds), names=frozenset(names), outside=frozenset(cx.taken))
        fr.env = dict(before)
        flags: dict[str, str] = {}
        for n in sorted(names):
            old = before.get(n)
            held = old.value if isinstance(old, MaybeUnbound) else old
            if isinstance(held, VARIABLES):
                outer = next((x for x in reversed(fr.loops) if n in x.kinds), None)
                if outer is not None:  # an outer loop's variable serves, once it has the type
                    kind = kinds.get(n)
                    if kind is not None and kind != outer.kinds[n]:
                        raise Retype(outer, n, widen(cx, outer.kinds[n], kind))
                    scope.kinds.pop(n, None)
                    if isinstance(old, Narrowed):
                        fr.env[n] = old.var
                    continue
            kind = kinds.get(n)
            if kind is None:
                continue
            around = next((x for x in reversed(fr.loops) if n in x.kinds), None)
            if around is not None and around.kinds[n].form == "static" and kind != around.kinds[n]:
                raise Retype(around, n, widen(cx, around.kinds[n], kind))  # a constant in the loop around, until now
            if old is not None:
                kind = kinds[n] = scope.kinds[n] = fitting(cx, kind, old)
            var = make_var(cx, kind, n)
            if old is not None:
                plain = old.value if isinstance(old, MaybeUnbound) else old
                assign_var(cx, var, read_name(cx, plain))
            if old is None or isinstance(old, MaybeUnbound):
                flag = cx.scalar(b1, f"{n}_bound")
                cx.write(flag, FALSE if old is None else old.bound)
                flags[n] = flag
                fr.env[n] = MaybeUnbound(var, cx.read(flag))
            else:
                fr.env[n] = var
        if has_else:
            scope.broke = cx.scalar(b1, "broke")
            cx.write(scope.broke, FALSE)
        scope.equal = equal_lengths.groups(cx, before, scope, apart)
        fr.loops.append(scope)
        try:
            lower()
        except Retype as r:
            fr.loops.pop()
            if r.owner is not scope:
                raise
            kinds[r.name] = r.kind
        except _NewName as new:
            fr.loops.pop()
            if new.owner is not scope:
                raise
            kinds[new.name] = new.kind
        except equal_lengths.Differ as d:
            fr.loops.pop()
            if d.owner is not scope:
                raise
            apart.add(d.length)
        else:
            fr.loops.pop()
            fr.left_by_return = fr.left_by_return or scope.returns
            after = fr.env
            fr.env = dict(before)
            for n in names:
                v = after.get(n)
                if isinstance(old := before.get(n), Narrowed) and n not in scope.kinds:
                    fr.env[n] = _known_after(scope, n, old, at_least_once)
                if n in kinds and n in scope.kinds:
                    held = v.value if isinstance(v, MaybeUnbound) else v
                    if held is None:
                        continue
                    if isinstance(held, (ChoiceVar, Narrowed)):
                        held = _known_after(scope, n, held, at_least_once)
                    value = frozen_var(cx, held, n)
                    if n in flags and not (at_least_once and n in bound):
                        value = MaybeUnbound(value, cx.let(cx.read(flags[n]), f"{n}_bound"))
                    fr.env[n] = value
            return scope
        cx.restore(mark)
    raise cx.unsupported("the types of the names in this loop do not settle", "give them one type before the loop")


def _known_after(scope: LoopScope, name: str, held: ChoiceVar | Narrowed, at_least_once: bool) -> Value:
    """A variable for several types after its loop: what all ways out of an iteration know of it is known."""
    var = held.var if isinstance(held, Narrowed) else held
    types = {e.get(name) for e in scope.ends}
    k = next(iter(types)) if len(types) == 1 and at_least_once else None
    return var if k is None else Narrowed(var, k)


class _NewName(Exception):
    """A name first bound inside a loop is read later: it needs a variable."""

    def __init__(self, owner: LoopScope, name: str, kind: Kind) -> None:
        self.owner, self.name, self.kind = owner, name, kind


def end_of_iteration(cx: Lowering, fr: Frame, names: Iterable[str], scope: LoopScope | None = None) -> None:
    """Names bound in the body of a loop (the innermost one) that later code reads get variables."""
    scope = fr.loops[-1] if scope is None else scope
    scope.ends.append({n: v.k if isinstance(v, Narrowed) else None for n, v in fr.env.items()})
    k = fr.loops.index(scope)
    outer, inner = fr.loops[: k + 1], fr.loops[k + 1 :]
    for n in sorted(names):
        v = fr.env.get(n)
        held = v.value if isinstance(v, MaybeUnbound) else v
        if isinstance(held, VARIABLES) and not any(n in x.kinds for x in outer) and any(n in x.kinds for x in inner):
            raise _NewName(scope, n, kind_outside(kind_of(cx, held), scope.outside))  # the variable of a loop inside
        if v is not None and n not in scope.kinds and not isinstance(v, VARIABLES):
            if isinstance(v, MaybeUnbound) and isinstance(v.value, VARIABLES):
                continue
            if isinstance(v, (Num, Arr, Tup, MaybeUnbound, Object, Choice, Static)) and not _unchanging(v):
                raise _NewName(scope, n, kind_outside(kind_of(cx, v), scope.outside))


def _unchanging(v: Value) -> bool:
    return isinstance(v, Tup) and not v.items


def _for(cx: Lowering, fr: Frame, s: ast.For) -> None:
    seq = evaluate(cx, fr, s.iter)
    if cx.current.done:
        return
    if isinstance(seq, Generator):
        cx.over_generator(cx, fr, s, seq)
        return
    if isinstance(seq, Choice):
        for_each_type(cx, fr, s, seq, lambda k: _for_in(cx, fr, s, narrow(cx, seq, k)))
        return
    _for_in(cx, fr, s, seq)


def _for_in(cx: Lowering, fr: Frame, s: ast.For, seq: Value) -> None:
    if isinstance(seq, Object):
        _for_object(cx, fr, s, seq)
        return
    it = iteration.iteration_of(cx, seq)
    if it is None:
        items = iterate_static(cx, seq)
        if not cx.current.done:
            _unrolled(cx, fr, s, items)
        return
    runs = cx.decide(symbolic.gt(it.length, const(0)))
    if runs is False:
        run(cx, fr, s.orelse)
        return
    targets = assigned_names([ast.copy_location(ast.Assign([s.target], ast.Constant(None)), s)])
    names = carried(cx, fr, s, targets)

    def lower() -> None:
        with iteration.counted(cx, it, _hint(s.target)) as (body, item):
            equal_lengths.assume(cx, fr)
            assign(cx, fr, s.target, item)
            run(cx, fr, s.body)
            if not body.done:
                end_of_iteration(cx, fr, names)
                equal_lengths.confirm(cx, fr)

    bound = targets | surely_bound(s.body)
    scope = with_variables(cx, fr, names, runs is True, lower, bool(s.orelse), bound)
    loop_else(cx, fr, s, scope)


def _for_object(cx: Lowering, fr: Frame, s: ast.For, seq: Object) -> None:
    """A loop over an object, whose items Python gives one by one."""
    targets = assigned_names([ast.copy_location(ast.Assign([s.target], ast.Constant(None)), s)])
    names = carried(cx, fr, s, targets)

    def lower() -> None:
        with cx.objects.steps(cx, seq) as (body, item):
            equal_lengths.assume(cx, fr)
            assign(cx, fr, s.target, item)
            run(cx, fr, s.body)
            if not body.done:
                end_of_iteration(cx, fr, names)
                equal_lengths.confirm(cx, fr)

    scope = with_variables(cx, fr, names, False, lower, bool(s.orelse))
    loop_else(cx, fr, s, scope)


def _hint(target: ast.expr) -> str:
    return target.id if isinstance(target, ast.Name) and target.id != "_" else "i"


def loop_else(cx: Lowering, fr: Frame, s: ast.For | ast.While, scope: LoopScope) -> None:
    if not s.orelse:
        return
    assert scope.broke is not None
    env = dict(fr.env)
    cond = cx.let(cx.read(scope.broke), "broke")
    with cx.block() as nothing:
        pass
    orelse, env_else = _arm(cx, fr, symbolic.negate(cond), s.orelse)
    if orelse.done:
        cx.branch(symbolic.negate(cond), orelse, nothing)
        return
    holder = Block()
    cx.blocks.append(holder)
    try:
        merged = merge_envs(cx, fr.live.get(s, set()), (orelse, env_else), (nothing, env))
    except CannotMerge as e:
        raise cx.unsupported(f"after this loop, {e.text}") from None
    finally:
        cx.blocks.pop()
    cx.branch(symbolic.negate(cond), orelse, nothing)
    for n in holder.items:
        cx.emit(n)
    fr.env = merged


def _unrolled(cx: Lowering, fr: Frame, s: ast.For, items: list[Value]) -> None:
    """A loop over a static sequence: its body once for each item."""
    if any(isinstance(n, (ast.Break, ast.Continue)) for n in own_statements(s.body)):
        _unrolled_with_jumps(cx, fr, s, items)
        return
    for x in items:
        assign(cx, fr, s.target, x)
        run(cx, fr, s.body)
        if cx.current.done:
            return
    run(cx, fr, s.orelse)


def _unrolled_with_jumps(cx: Lowering, fr: Frame, s: ast.For, items: list[Value]) -> None:
    """break and continue in an unrolled loop: rewritten into nested ifs is not possible in general, so the items must be numbers of one type."""
    numbers = [x for x in items if isinstance(x, Num)]
    if len(numbers) != len(items) or len({(x.dtype, x.weak) for x in numbers}) > 1:
        raise cx.unsupported("break or continue in a loop over items of different types", "loop over a range")
    if not items:
        run(cx, fr, s.orelse)
        return

    weak = numbers[0].weak
    values = array_of(cx, Tup(list(items)))
    again = copy.copy(s)
    again.iter = ast.Constant(None)
    fr.live[again] = fr.live.get(s, set())
    it = Iteration(const(len(items)), lambda k: Num(values.element((k,)), weak))
    targets = assigned_names([ast.copy_location(ast.Assign([s.target], ast.Constant(None)), s)])
    names = carried(cx, fr, s, targets)

    def lower() -> None:
        with iteration.counted(cx, it, _hint(s.target)) as (body, item):
            equal_lengths.assume(cx, fr)
            assign(cx, fr, s.target, item)
            run(cx, fr, s.body)
            if not body.done:
                end_of_iteration(cx, fr, names)
                equal_lengths.confirm(cx, fr)

    bound = targets | surely_bound(s.body)
    scope = with_variables(cx, fr, names, True, lower, bool(s.orelse), bound)
    loop_else(cx, fr, s, scope)


def _while(cx: Lowering, fr: Frame, s: ast.While) -> None:
    names = carried(cx, fr, s, assigned_names([ast.copy_location(ast.Expr(s.test), s)]))
    names |= assigned_names(s.body) & names_read([ast.copy_location(ast.Expr(s.test), s)])
    endless = False

    def lower() -> None:
        nonlocal endless
        with cx.block(TRUE) as body:
            equal_lengths.assume(cx, fr)
            cond = condition(cx, fr, s.test)
            known = cx.prove(cond)
            endless = known is True
            if known is False:
                cx.emit(nodes.Break())
            simple = not body.items and known is None
            if known is None and not simple:
                with cx.block() as leave:
                    cx.emit(nodes.Break())
                cx.branch(symbolic.negate(cond), leave)
            cx.facts = cx.facts.assume(cond)
            run(cx, fr, s.body)
            if not body.done:
                end_of_iteration(cx, fr, names)
                equal_lengths.confirm(cx, fr)
        cx.emit(nodes.While(cond if simple else TRUE, body))  # type: ignore[arg-type]

    scope = with_variables(cx, fr, names, False, lower, bool(s.orelse))
    if endless and not any(isinstance(n, ast.Break) for n in own_statements(s.body)):
        cx.current.finish()
        return
    loop_else(cx, fr, s, scope)


def _break(cx: Lowering, fr: Frame, s: ast.Break) -> None:
    _leave_iteration(cx, fr, nodes.Break())


def _continue(cx: Lowering, fr: Frame, s: ast.Continue) -> None:
    _leave_iteration(cx, fr, nodes.Continue())


def _leave_iteration(cx: Lowering, fr: Frame, node: nodes.Break | nodes.Continue) -> None:
    """`break` or `continue` of the innermost loop, from inside try statements that stand in it."""
    k = max(k for k, scope in enumerate(fr.loops) if scope.attempt is None)
    loop, crossed = fr.loops[k], fr.loops[k + 1 :]
    with _out_of_attempts(cx, fr, [scope.attempt for scope in crossed]):
        if cx.current.done:
            return
        if isinstance(node, nodes.Break) and loop.broke is not None:
            cx.write(loop.broke, TRUE)
        if isinstance(node, nodes.Continue):
            equal_lengths.confirm(cx, fr)
        if not crossed:
            _jump(cx, fr, node)
            return
        if loop.consumer is not None:
            raise cx.unsupported("break or continue in a try in a loop over a generator", "make a list of its items")
        end_of_iteration(cx, fr, loop.names, loop)
        for scope in crossed:
            if not any(type(n) is type(node) for n in scope.jumps):
                scope.jumps.append(node)
            cx.write(scope.attempt.state, const(-1 if isinstance(node, nodes.Break) else -2))
        cx.emit(nodes.Break())


@contextmanager
def _out_of_attempts(cx: Lowering, fr: Frame, attempts: Sequence[Any]) -> Iterator[None]:
    """What a jump or return does outside of try statements, after their finally clauses."""
    saved = cx.attempts
    try:
        for a in reversed(attempts):
            cx.attempts = cx.attempts[: cx.attempts.index(a)] if a in cx.attempts else cx.attempts
            if not cx.current.done and a.finalbody:
                a.run_finally(cx)
        yield
    finally:
        cx.attempts = saved


def _jump(cx: Lowering, fr: Frame, node: nodes.Break | nodes.Continue) -> None:
    """A jump ends the iteration: names bound so far that are read later need variables."""
    if fr.loops[-1].consumer is not None:
        fr.loops[-1].consumer.jump(cx, node)
        return
    end_of_iteration(cx, fr, fr.loops[-1].names)
    cx.emit(node)


# --- the rest ---------------------------------------------------------------------------------------------------------


def _expr(cx: Lowering, fr: Frame, s: ast.Expr) -> None:
    if isinstance(s.value, ast.Constant):
        return
    if isinstance(s.value, (ast.Yield, ast.YieldFrom)):
        cx.give(cx, fr, s.value)
        return
    evaluate(cx, fr, s.value)


def _pass(cx: Lowering, fr: Frame, s: ast.stmt) -> None:
    return


def _declaration(cx: Lowering, fr: Frame, s: ast.Global | ast.Nonlocal) -> None:
    fr.outside |= set(s.names)


def _function(cx: Lowering, fr: Frame, s: ast.FunctionDef) -> None:
    if s.decorator_list:
        raise cx.unsupported("a decorated function inside a compiled function")
    fr.env[s.name] = make_function(cx, fr, s)


def _assert(cx: Lowering, fr: Frame, s: ast.Assert) -> None:
    if not __debug__:
        return
    cond = condition(cx, fr, s.test)
    known = cx.prove(cond)
    if known is True:
        return
    with cx.block(symbolic.negate(cond)) as failed:
        exceptions.raise_assertion(cx, fr, s.msg)
    cx.branch(symbolic.negate(cond), failed)
    cx.facts = cx.facts.assume(cond)


def _raise(cx: Lowering, fr: Frame, s: ast.Raise) -> None:
    exceptions.raise_statement(cx, fr, s)


def _import(cx: Lowering, fr: Frame, s: ast.Import) -> None:
    import importlib

    for a in s.names:
        module: Any = importlib.import_module(a.name)
        bound = a.asname or a.name.partition(".")[0]
        fr.env[bound] = Static(module if a.asname else importlib.import_module(bound))


def _import_from(cx: Lowering, fr: Frame, s: ast.ImportFrom) -> None:
    import importlib

    if s.level or s.module is None:
        raise cx.unsupported("a relative import inside a function", "import at the top of the module")
    module = importlib.import_module(s.module)
    for a in s.names:
        fr.env[a.asname or a.name] = attribute_of(cx, Static(module), a.name)


def _delete(cx: Lowering, fr: Frame, s: ast.Delete) -> None:
    for t in s.targets:
        if isinstance(t, ast.Subscript):
            delete_item(cx, evaluate(cx, fr, t.value), evaluate(cx, fr, t.slice))
        elif isinstance(t, ast.Name):
            evaluate(cx, fr, ast.copy_location(ast.Name(t.id, ast.Load()), t))  # raises if it is not bound
            _unbind(cx, fr, t.id)
        else:
            raise cx.unsupported("del of something that is not a name or an item")


def _unbind(cx: Lowering, fr: Frame, name: str) -> None:
    """`del name`."""
    old = fr.env.get(name)
    if isinstance(old, MaybeUnbound) and isinstance(old.value, VARIABLES):
        assert isinstance(old.bound, Load)  # the flag of a loop variable is a mutable scalar
        cx.write(old.bound.memlet.data, FALSE)
    elif isinstance(old, VARIABLES):
        raise cx.unsupported(f"del of '{name}', which was bound before the loop", "bind it in the loop only")
    else:
        fr.env.pop(name, None)


class Step(ast.stmt):
    """A statement of no source: what the lowering of another statement does at its place."""

    def __init__(self, action: Callable[[], None]) -> None:
        super().__init__()
        self.action = action


def _step(cx: Lowering, fr: Frame, s: Step) -> None:
    s.action()


_HANDLERS: dict[type[ast.stmt], Callable[[Lowering, Frame, Any], None]] = {
    ast.Assign: _assign,
    ast.AnnAssign: _annassign,
    ast.AugAssign: _augassign,
    ast.Return: _return,
    ast.For: _for,
    ast.While: _while,
    ast.Break: _break,
    ast.Continue: _continue,
    ast.Expr: _expr,
    ast.Pass: _pass,
    ast.FunctionDef: _function,
    ast.Assert: _assert,
    ast.Raise: _raise,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.Delete: _delete,
    Step: _step,
    ast.Global: _declaration,
    ast.Nonlocal: _declaration,
}

# Statements whose lowering may take in the rest of the block: (…, the statements behind) -> was the rest lowered?
WITH_REST: dict[type[ast.stmt], Callable[[Lowering, Frame, Any, Sequence[ast.stmt]], bool]] = {ast.If: _if}
