"""Iterators whose items can be seen to be computed: each item is computed once, in order, when it is asked for.

What `itertools` makes of such is written in Python here, and compiled.
"""

from __future__ import annotations

import ast
import inspect
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from soljit.base.knowledge.pure import known
from soljit.frontend_ast.calls import calls
from soljit.frontend_ast.calls.attribute_reads import class_of
from soljit.frontend_ast.calls.inlining import inline_function
from soljit.frontend_ast.iteration.thunks import is_once
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.iterators import needed
from soljit.frontend_ast.syntax.side_effects import may_have_effects
from soljit.frontend_ast.values.values import Func, Method, Static, Value


def does_something(f: Value) -> bool:
    """Tell whether calling a function could change anything, or give something else the next time."""
    match f:
        case Func():
            return not isinstance(f.tree, ast.Lambda) or may_have_effects(f.tree)
        case Method():
            return _method_does_something(f)
        case Static():
            facts = known(f.obj)
            if facts is None:
                return not isinstance(f.obj, (type, np.ufunc))
            return not (facts.looks and facts.tried)
    return True


def _method_does_something(f: Method) -> bool:
    owner = class_of(f.owner)
    facts = None if owner is None else known(inspect.getattr_static(owner, f.name, None))
    return facts is None or not (facts.looks and facts.tried)


def listed(cx: Lowering, *vs: Value) -> list[Value]:
    """The same, with lists of what can be taken only once."""
    return [calls.call_object(cx, list, [v]) if is_once(v) else v for v in vs]


def by_python(cx: Lowering, *vs: Value) -> None:
    """Have Python make what can be taken only once."""
    for v in vs:
        if is_once(v):
            needed(cx, v)
            raise cx.unsupported("this iterator of what changes something", "make a list of its items first")


def taken_once(cx: Lowering, function: Any, *args: Value) -> Value:
    """`function(*args)`, a function of `itertools`, item by item."""
    return inline_function(cx, _WRITTEN[function], list(args), {})  # type: ignore[arg-type]


def _pairwise(items: Any) -> Any:
    """pairwise, in Python: this is compiled, as the following are."""
    before, first = None, True
    for x in items:
        if not first:
            yield before, x
        before, first = x, False


def _islice(items: Any, start: int, stop: int, step: int) -> Any:
    k, wanted = 0, start
    if stop > 0:
        for x in items:
            if k == wanted:
                wanted += step
                yield x
            k += 1
            if k >= stop:
                break


def _cycle(items: Any) -> Any:
    saved = []
    for x in items:
        yield x
        saved.append(x)
    while saved:
        yield from saved


def _starmap(function: Any, items: Any) -> Any:
    for x in items:
        yield function(*x)


def _flat(items: Any) -> Any:
    for x in items:
        yield from x


def _chain(one: Any, two: Any) -> Any:
    yield from one
    yield from two


_WRITTEN: dict[Any, Callable[..., Any]] = {
    itertools.pairwise: _pairwise,
    itertools.islice: _islice,
    itertools.cycle: _cycle,
    itertools.starmap: _starmap,
    itertools.chain: _chain,
    itertools.chain.from_iterable: _flat,
}
