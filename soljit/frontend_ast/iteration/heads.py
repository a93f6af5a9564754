"""What stands in the head of a loop: texts there, and what `enumerate`, `zip` and `reversed` make of them, are stepped through by number."""

from __future__ import annotations

import ast

from soljit.frontend_ast.iteration import counted_loops
from soljit.frontend_ast.lowering.frames import Frame, Given
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.characters import is_text
from soljit.frontend_ast.syntax.side_effects import may_have_effects
from soljit.frontend_ast.values.values import Object, Static, Value


def steps_through(cx: Lowering, fr: Frame, e: ast.Call) -> bool:
    """Tell whether the call makes an iterator, of arguments whose order of evaluation does not matter."""
    if e.keywords or not isinstance(e.func, ast.Name) or any(isinstance(a, ast.Starred) for a in e.args):
        return False
    made = cx.above.evaluate(cx, fr, e.func)
    known = isinstance(made, Static) and any(made.obj is f for f in (enumerate, zip, reversed))
    return known and not any(map(may_have_effects, e.args[1:]))


def evaluate_head(cx: Lowering, fr: Frame, e: ast.expr) -> Value:
    """The value of what a loop steps through, at once and to its end."""
    if not (isinstance(e, ast.Call) and e.args and steps_through(cx, fr, e)):
        value: Value = cx.above.evaluate(cx, fr, e)
        return _by_number(cx, value) if is_text(value) else value
    args = [_argument(cx, fr, a) for a in e.args]
    texts = [is_text(v) for v in args]
    if any(texts) and not any(isinstance(v, Object) and not text for v, text in zip(args, texts)):
        args = [_by_number(cx, v) if text else v for v, text in zip(args, texts)]
    made: Value = cx.above.evaluate(cx, fr, ast.copy_location(ast.Call(e.func, [Given(v) for v in args], []), e))
    return made


def _argument(cx: Lowering, fr: Frame, e: ast.expr) -> Value:
    """A value that is given to a function of a head: another one of these, or a text, or anything."""
    if isinstance(e, ast.Call) and e.args and steps_through(cx, fr, e):
        return evaluate_head(cx, fr, e)
    value: Value = cx.above.evaluate(cx, fr, e)
    return value


def _by_number(cx: Lowering, v: Value) -> Value:
    made = counted_loops.iteration_of(cx, v)
    assert made is not None
    return made
