"""The names that carry values from one iteration of a loop to the next: they are kept in variables (`values/variables.py`).

A loop starts again when a variable turns out to need a wider type.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Set

from soljit.frontend_ast.arrays.kinds import kind_of
from soljit.frontend_ast.joins.binding import assign_if_bound, flag_in_loop, frozen_var, make_var
from soljit.frontend_ast.joins.type_lattice import (
    fitting,
    kind_outside,
    type_number,
    widen,
    with_type,
    without_type,
)
from soljit.frontend_ast.lowering.frames import Frame, LoopScope, Retype, Unbinds
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.statements import equal_lengths
from soljit.frontend_ast.syntax.scopes import assigned_names, deleted_names, names_of_changed_objects
from soljit.frontend_ast.values.values import Arr, MaybeUnbound, Num, Value
from soljit.frontend_ast.values.variables import VARIABLES, Kind
from soljit.ir.core.expr import FALSE, TRUE, Load
from soljit.ir.core.types import b1, i64

MAX_RETRIES = 8


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
    before, place = dict(fr.env), cx.loc
    if fr.attributes is not None:
        names = names | cx.learned.attributes_of_loops.get(place, set())
    kinds: dict[str, Kind] = {}
    for n in sorted(names):
        if n in before:
            kinds[n] = kind_of(cx, before[n])
    mark = cx.snapshot()
    apart: set[equal_lengths.Length] = set()
    deleted: set[str] = set()
    for _ in range(MAX_RETRIES * (1 + len(names))):
        scope = LoopScope(dict(kinds), names=frozenset(names), outside=frozenset(cx.taken), place=place)
        fr.env = dict(before)
        for n in sorted(names):
            _enter(cx, fr, scope, kinds, n, before.get(n), once, n in deleted)
        if has_else:
            scope.broke = cx.scalar(b1, "broke")
            cx.write(scope.broke, FALSE)
        scope.equal = equal_lengths.groups(cx, before, scope, apart)
        fr.loops.append(scope)
        try:
            lower()
        except (Retype, _NewName, Unbinds, equal_lengths.Differ) as found:
            fr.loops.pop()
            if found.owner is not scope:
                raise
            match found:
                case Retype() | _NewName():
                    kinds[found.name] = found.kind
                case Unbinds():
                    deleted.add(found.name)
                case equal_lengths.Differ():
                    apart.add(found.length)
        else:
            fr.loops.pop()
            fr.left_by_return = fr.left_by_return or scope.returns
            after, fr.env = fr.env, dict(before)
            for n in sorted(names):
                if n in before and n not in scope.kinds:
                    fr.env[n] = _known_after(scope, n, before[n], at_least_once)
                if n in kinds and n in scope.kinds:
                    known = at_least_once or (n not in before and not once)  # an attempt is left by exceptions, too
                    _leave(cx, fr, scope, n, after.get(n), known, at_least_once and n in bound)
            return scope
        cx.restore(mark)
    raise cx.unsupported("the types of the names in this loop do not settle", "give them one type before the loop")


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
            raise Retype(around, name, wider)
        scope.kinds.pop(name, None)
        if old is not None and not once:
            fr.env[name] = without_type(old)
        return
    if kind is None:
        return
    if around is not None and around.kinds[name].form == "static" and kind != around.kinds[name]:
        raise Retype(around, name, widen(cx, around.kinds[name], kind))  # a constant in the loop around, until now
    if around is not None and isinstance(old, MaybeUnbound) and isinstance(old.bound, Load):
        scope.kinds.pop(name, None)  # a constant there, whose flag serves here, too
        return
    if old is not None:
        kind = kinds[name] = scope.kinds[name] = fitting(cx, kind, old)
    var = make_var(cx, kind, name)
    if old is not None:
        if cx.learned.moderate and isinstance(old, Num) and old.weak and old.dtype is i64:
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


class _NewName(Exception):
    """A name first bound inside a loop is read later: it needs a variable."""

    def __init__(self, owner: LoopScope, name: str, kind: Kind) -> None:
        self.owner, self.name, self.kind = owner, name, kind


def unbind(cx: Lowering, fr: Frame, name: str) -> None:
    """`del name`, of a name that may be bound."""
    old = fr.env.get(name)
    flag = flag_in_loop(fr, name, old) if isinstance(old, MaybeUnbound) else None
    scope = next((s for s in reversed(fr.loops) if name in s.kinds), None)
    if flag is not None:
        cx.write(flag, FALSE)
    elif scope is not None and (isinstance(old, VARIABLES) or scope.kinds[name].form == "static" and old is not None):
        raise Unbinds(scope, name)
    else:
        fr.env.pop(name, None)


def end_of_iteration(cx: Lowering, fr: Frame, names: Iterable[str], scope: LoopScope | None = None) -> None:
    """Names bound in the body of a loop (the innermost one) that later code reads get variables."""
    scope = fr.loops[-1] if scope is None else scope
    scope.ends.append({n: type_number(v) for n, v in fr.env.items()})
    k = fr.loops.index(scope)
    outer, inner = fr.loops[: k + 1], fr.loops[k + 1 :]
    for n in sorted(names):
        v = fr.env.get(n)
        held = v.value if isinstance(v, MaybeUnbound) else v
        if n in scope.kinds and n not in scope.flags and (v is None or isinstance(v, MaybeUnbound)):
            raise Unbinds(scope, n)
        if isinstance(held, VARIABLES) and not any(n in x.kinds for x in outer) and any(n in x.kinds for x in inner):
            raise _NewName(
                scope, n, kind_outside(kind_of(cx, held), scope.outside.__contains__)
            )  # the variable of a loop inside
        if v is not None and n not in scope.kinds and not isinstance(v, VARIABLES):
            if isinstance(v, MaybeUnbound) and (isinstance(v.value, VARIABLES) or any(n in x.kinds for x in outer)):
                continue
            raise _NewName(scope, n, kind_outside(kind_of(cx, v), scope.outside.__contains__))
