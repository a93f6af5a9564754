"""Call expressions: the function and its arguments are evaluated, in Python's order."""

from __future__ import annotations

import ast
from typing import Any

from soljit.frontend_ast.calls.calls import TAKE_SOME, call_value, is_among
from soljit.frontend_ast.calls.classes.special_methods import super_of
from soljit.frontend_ast.calls.object_calls import call_with_unknown_arguments
from soljit.frontend_ast.expressions.comprehensions import comprehension_for_call
from soljit.frontend_ast.iteration.static_items import iterate_static
from soljit.frontend_ast.joins.binding import pin
from soljit.frontend_ast.joins.operands import point, taken_before
from soljit.frontend_ast.lowering.frames import Frame
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects import captured_contents
from soljit.frontend_ast.syntax.side_effects import may_have_effects
from soljit.frontend_ast.values.values import NONE, Dict, Lazy, Method, Num, Object, Static, Tup, Value


def call_node(cx: Lowering, fr: Frame, node: ast.Call) -> Value:
    """A call expression."""
    f = cx.above.evaluate(cx, fr, node.func)
    if cx.current.done:  # control does not come here
        return NONE
    if isinstance(f, Static) and f.obj is super and len(node.args) in (0, 2) and not node.keywords:
        return super_of(cx, fr, [cx.above.evaluate(cx, fr, a) for a in node.args])
    args: list[Value] = []
    kwargs: dict[str, Value] = {}
    parts: list[Any] = [*node.args, *node.keywords]
    starred = captured_contents.starred(cx, fr, node)
    if starred is None:
        display = ast.copy_location(ast.List(node.args, ast.Load()), node)
        given = cx.above.evaluate(cx, fr, display)
        if isinstance(given, Object):
            named = {k.arg: cx.above.evaluate(cx, fr, k.value) for k in node.keywords if k.arg is not None}
            more = [cx.above.evaluate(cx, fr, k.value) for k in node.keywords if k.arg is None]
            return call_with_unknown_arguments(cx, f, given, named, more)
        args, parts = iterate_static(cx, given), list(node.keywords)
    for k, a in enumerate(parts):
        if any(map(may_have_effects, parts[k:])):  # what is there already is taken before they come about
            args, kwargs = [pin(cx, v) for v in args], {n: pin(cx, v) for n, v in kwargs.items()}
            f = Method(pin(cx, f.owner), f.name) if isinstance(f, Method) and isinstance(f.owner, (Num, Lazy)) else f
        then, before, named = point(cx), list(args), dict(kwargs)
        if isinstance(a, ast.Starred):
            assert starred is not None
            args.extend(starred[k])
        elif isinstance(a, ast.keyword) and a.arg is None:
            extra = cx.above.evaluate(cx, fr, a.value)
            extra = captured_contents.known(cx, extra) or extra
            if isinstance(extra, Object) and k == len(parts) - 1:
                return call_with_unknown_arguments(cx, f, Tup(args), kwargs, [extra])
            if not isinstance(extra, Dict):
                raise cx.unsupported("** of something that is not a dict")
            kwargs.update(extra.items)
        elif isinstance(a, ast.keyword):
            assert a.arg is not None
            kwargs[a.arg] = cx.above.evaluate(cx, fr, a.value)
        elif isinstance(a, ast.ListComp) or (
            isinstance(a, ast.GeneratorExp) and isinstance(f, Static) and is_among(f.obj, TAKE_SOME)
        ):
            args.append(comprehension_for_call(cx, fr, a))
        else:
            args.append(cx.above.evaluate(cx, fr, a))
        args[: len(before)] = taken_before(cx, then, before)
        kwargs.update(zip(named, taken_before(cx, then, list(named.values()))))
        if isinstance(f, Method) and isinstance(f.owner, (Num, Lazy)):
            f = Method(taken_before(cx, then, [f.owner])[0], f.name)
    return call_value(cx, f, args, kwargs)
