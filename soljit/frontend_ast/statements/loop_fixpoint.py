"""The names that carry values from one iteration of a loop to the next: they are kept in variables (`values/variables.py`).

A loop starts again when a variable turns out to need a wider type.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import replace

from soljit.base.errors import InternalError, UnsupportedError
from soljit.frontend_ast.arrays.kinds import kind_of
from soljit.frontend_ast.joins.binding import assign_if_bound, flag_in_loop, frozen_var
from soljit.frontend_ast.joins.new_variables import make_var
from soljit.frontend_ast.joins.type_lattice import (
    fitting,
    kind_outside,
    type_number,
    widen,
    with_type,
    without_type,
)
from soljit.frontend_ast.lowering.frames import Frame, LoopScope
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.statements import equal_lengths
from soljit.frontend_ast.syntax.scopes import assigned_names, deleted_names, names_of_changed_objects
from soljit.frontend_ast.values.retries import Again, Found, covers, numbers_of
from soljit.frontend_ast.values.values import Arr, MaybeUnbound, Num, Value
from soljit.frontend_ast.values.variables import VARIABLES, Kind
from soljit.ir.core.expr import FALSE, TRUE, Const, Load
from soljit.ir.core.types import b1, i64

MAX_RETRIES = 8
MAX_IDLE = 3  # attempts one after the other that find out nothing more


def carried(cx: Lowering, fr: Frame, s: ast.For | ast.While, extra: set[str]) -> set[str]:
    """Names assigned in a loop whose value may be read in a later iteration or after the loop (reached by `break`, too)."""
    live = fr.live.get(s.body[-1], set()) | fr.live.get(s, set())
    assigned = assigned_names(s.body) | names_of_changed_objects(s.body)
    return ((assigned - _changed_in_place(fr, s)) | extra) & live


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
    once: bool = False,
) -> LoopScope:
    """Lower a loop, its carried names in variables; again with wider types as long as an assignment needs them.

    bound: the names that every iteration binds; once: there is one iteration, which starts with what is known before it
    """
    before, place, depth = dict(fr.env), cx.loc, len(fr.loops)
    if fr.attributes is not None:
        names = names | cx.learned.attributes_of_loops.get(place, set())
    found = cx.found.at(place, cx.way, numbers_of(before))
    kinds = _kinds_at_start(cx, names, before, found)
    mark, idle = cx.snapshot(), 0
    known: object = None
    for _ in range(MAX_RETRIES * (1 + len(names))):
        scope = LoopScope(dict(kinds), found, names=frozenset(names), outside=frozenset(cx.taken), place=place)
        fr.env = dict(before)
        for n in sorted(names):
            _enter(cx, fr, scope, kinds, n, before.get(n), once, n in found.deleted)
        if has_else:
            scope.broke = cx.scalar(b1, "broke")
            cx.write(scope.broke, FALSE)
        scope.equal = equal_lengths.groups(cx, before, scope, found.apart)
        fr.loops.append(scope)
        try:
            with cx.finding(found):
                lower()
        except Again as again:
            if again.owner is not scope:
                del fr.loops[depth:]
                raise
        except (UnsupportedError, InternalError):
            if not scope.again:
                raise
        else:
            if not scope.again:
                fr.loops.pop()
                _after(cx, fr, scope, names, before, (at_least_once, once, bound))
                return scope
        del fr.loops[depth:]
        kinds.update({n: found.kinds[n] for n in names if n in found.kinds})
        cx.restore(mark)
        before_that, known = known, (dict(found.kinds), set(found.deleted), set(found.apart))
        idle = idle + 1 if known == before_that else 0
        waiting = next((x for x in fr.loops if x.again), None)
        if (
            idle and waiting is not None
        ):  # what is missing is the variable of a loop around, which has another type when that is lowered again
            raise Again(waiting)
        if idle == MAX_IDLE:
            break
    raise cx.unsupported("the types of the names in this loop do not settle", "give them one type before the loop")


def _kinds_at_start(cx: Lowering, names: set[str], before: Mapping[str, Value], found: Found) -> dict[str, Kind]:
    """Types of the variables when a loop is met: those of what they begin with, or what these became in earlier attempts at what is around it."""
    kinds = {n: kind_of(cx, before[n]) for n in sorted(names) if n in before}
    for n, known in list(found.kinds.items()):
        known = kind_outside(known, cx.taken.__contains__)
        if n in kinds and covers(known, kinds[n]):
            known = replace(known, shape=kinds[n].shape if known.shape is not None else None)
            kinds[n] = found.kinds[n] = widen(cx, known, kinds[n])  # it may be bound to other arrays now
        elif n in names and n not in before:
            kinds[n] = known
    return kinds


def _after(
    cx: Lowering,
    fr: Frame,
    scope: LoopScope,
    names: set[str],
    before: dict[str, Value],
    known: tuple[bool, bool, Set[str]],
) -> None:
    """Names after a loop. known: `at_least_once`, `once` and `bound` of `with_variables`"""
    at_least_once, once, bound = known
    fr.left_by_return = fr.left_by_return or scope.returns
    after, fr.env = fr.env, dict(before)
    for n in sorted(names):
        if n in before and n not in scope.kinds:
            fr.env[n] = _known_after(scope, n, before[n], at_least_once)
        if n in scope.kinds:
            types = at_least_once or (n not in before and not once)  # an attempt is left by exceptions, too
            _leave(cx, fr, scope, n, after.get(n), types, at_least_once and n in bound)


def _enter(
    cx: Lowering,
    fr: Frame,
    scope: LoopScope,
    kinds: dict[str, Kind],
    name: str,
    old: Value | None,
    once: bool,
    deleted: bool,
) -> None:
    """Before a loop: the variable of a name, unless that of a loop around serves. old: what the name stood for before

    kinds: types of the names, as far as they are known; once: as for `with_variables`; deleted: the loop deletes the name
    """
    around = next((x for x in reversed(fr.loops) if name in x.kinds), None)
    kind = kinds.get(name)
    held = old.value if isinstance(old, MaybeUnbound) else old
    if isinstance(held, VARIABLES) and around is not None:  # it serves, once it has the type
        wider = widen(cx, around.kinds[name], kind) if kind is not None else around.kinds[name]
        if wider != around.kinds[name]:
            around.found.kinds[name] = wider
            raise Again(around)
        scope.kinds.pop(name, None)
        if old is not None and not once:
            fr.env[name] = without_type(old)
        return
    if kind is None:
        return
    if around is not None and around.kinds[name].form == "static" and kind != around.kinds[name]:
        around.found.kinds[name] = widen(cx, around.kinds[name], kind)  # a constant in the loop around, until now
        raise Again(around)
    if around is not None and isinstance(old, MaybeUnbound) and isinstance(old.bound, Load):
        scope.kinds.pop(name, None)  # a constant there, whose flag serves here, too
        return
    if old is not None:
        kind = kinds[name] = scope.kinds[name] = fitting(cx, kind, old)
    var = make_var(cx, kind, name)
    if old is not None:
        if isinstance(old, Num) and old.weak and old.dtype is i64 and not isinstance(old.expr, Const):
            cx.learned.from_caller |= cx.is_at_entry(old.expr)
            if cx.learned.moderate:
                cx.moderate(old.expr)
        assign_if_bound(cx, var, old)
    if old is None or isinstance(old, MaybeUnbound) or deleted:
        flag = cx.scalar(b1, f"{name}_bound")
        cx.write(flag, FALSE if old is None else old.bound if isinstance(old, MaybeUnbound) else TRUE)
        scope.flags[name] = flag
        if name not in fr.shared and fr.tree is not None and name not in deleted_names(fr.tree):
            cx.steady.add(flag)
        fr.env[name] = MaybeUnbound(var, cx.read(flag))
    else:
        fr.env[name] = var


def _leave(cx: Lowering, fr: Frame, scope: LoopScope, name: str, v: Value | None, known: bool, is_bound: bool) -> None:
    """After a loop: what the name of one of its variables stands for. v: what it stood for at the end of the body

    known: the loop has run, so that what it says of the type holds; is_bound: it has certainly bound the name
    """
    held = v.value if isinstance(v, MaybeUnbound) else v
    if held is None:
        return
    value: Value = frozen_var(cx, _known_after(scope, name, held, known), name)
    if name in scope.flags and not is_bound:
        value = MaybeUnbound(value, cx.let(cx.read(scope.flags[name]), f"{name}_bound"))
    fr.env[name] = value


def _known_after(scope: LoopScope, name: str, held: Value, at_least_once: bool) -> Value:
    """A variable after its loop: what all ways out of an iteration know of its type is known."""
    types = {e.get(name) for e in scope.ends}
    return with_type(held, next(iter(types)) if len(types) == 1 and at_least_once else None)


def unbind(cx: Lowering, fr: Frame, name: str) -> None:
    """`del name`, of a name that may be bound."""
    old = fr.env.get(name)
    flag = flag_in_loop(fr, name, old) if isinstance(old, MaybeUnbound) else None
    scope = next((s for s in reversed(fr.loops) if name in s.kinds), None)
    if flag is not None:
        cx.write(flag, FALSE)
    elif scope is not None and (isinstance(old, VARIABLES) or scope.kinds[name].form == "static" and old is not None):
        scope.found.deleted.add(name)
        raise Again(scope)
    else:
        fr.env.pop(name, None)


def end_of_iteration(cx: Lowering, fr: Frame, names: Iterable[str], scope: LoopScope | None = None) -> None:
    """Names bound in the body of a loop (the innermost one) that later code reads get variables."""
    scope = fr.loops[-1] if scope is None else scope
    scope.ends.append({n: type_number(v) for n, v in fr.env.items()})
    k = fr.loops.index(scope)
    outer, inner = fr.loops[: k + 1], fr.loops[k + 1 :]
    owners: list[LoopScope] = []
    for n in sorted(names):
        v = fr.env.get(n)
        held = v.value if isinstance(v, MaybeUnbound) else v
        if n in scope.kinds and n not in scope.flags and (v is None or isinstance(v, MaybeUnbound)):
            scope.found.deleted.add(n)
            owners.append(scope)
        elif isinstance(held, VARIABLES):
            if not any(n in x.kinds for x in outer) and any(n in x.kinds for x in inner):  # that of a loop inside
                owners.append(_new_name(cx, outer, n, held))
        elif v is not None and n not in scope.kinds:
            if not isinstance(v, MaybeUnbound) or not any(n in x.kinds for x in outer):
                owners.append(_new_name(cx, outer, n, v))
    if owners:
        raise Again(min(owners, key=fr.loops.index))


def _new_name(cx: Lowering, loops: Sequence[LoopScope], name: str, v: Value) -> LoopScope:
    """A name first bound inside the last of these loops is read later: the outermost loop that carries it needs a variable."""
    k = len(loops) - 1
    while k and name in loops[k - 1].names and loops[k].attempt is loops[k - 1].attempt is None:
        k -= 1
    loops[k].found.kinds[name] = kind_outside(kind_of(cx, v), loops[k].outside.__contains__)
    return loops[k]
