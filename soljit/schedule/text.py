"""The text of a recipe: one call a line, in Python's grammar.

    function(f, line=12)                    # lines count as in a file where `def f` is on line 12
    fuse(L14.i0, L15.i0)
    contract(lap, L14.i0)
    parallel(L14.i0, when="60000 <= n")

Without the first line, lines are those of the file as it is when the function is decorated.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from soljit.base.errors import ScheduleError
from soljit.schedule.address import Address
from soljit.schedule.recipe import LINE, Operand, Option, Recipe, Step, bare, checked

_HEAD = "function"
_COLUMN = 48  # where comments begin, at the latest, behind steps that are not longer


def to_text(recipe: Recipe, name: str, first: int, remark: Callable[[Step], str] | None = None) -> str:
    """The text, for a function of this name whose `def` is on line `first`. remark: what stands behind a step as a comment"""
    head = f"{_HEAD}({bare(name)}, line={first})"
    steps = [s.text(first) for s in recipe.steps]
    width = max((len(x) for x in steps if len(x) <= _COLUMN), default=0)
    remarks = [remark(s) if remark is not None else "" for s in recipe.steps]
    return "\n".join([head, *(f"{x:{width}}  # {told}" if told else x for x, told in zip(steps, remarks))]) + "\n"


def from_text(text: str, first: int) -> Recipe:
    """The recipe; ScheduleError names the line that is not understood. first: the line of the function's `def`, where the text has none."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError) as e:
        raise ScheduleError(f"line {getattr(e, 'lineno', 1)} of the schedule is not understood: {e}") from None
    steps: list[Step] = []
    lines: list[int] = []
    for node in tree.body:
        try:
            call = _call(node)
            if call.func.id == _HEAD:  # type: ignore[attr-defined]
                if steps:
                    raise ScheduleError(f"{_HEAD}(…) stands on top")
                first = _first(call)
                continue
            step = _step(call, first)
        except ScheduleError as e:
            raise ScheduleError(f"line {node.lineno} of the schedule: {e}") from None
        if steps[-1:] != [step]:
            steps.append(step)
            lines.append(node.lineno)
    return Recipe(tuple(steps), tuple(lines))


def step_of(text: str, first: int) -> Step:
    """The one step of a line; ScheduleError for anything else. first: the line of the function's `def`."""
    steps = from_text(text, first).steps
    if len(steps) != 1:
        raise ScheduleError(f"a step is one line, like fuse(L14.i, L15.i), not {text!r:.80}")
    return steps[0]


def _call(node: ast.stmt) -> ast.Call:
    match node:
        case ast.Expr(ast.Call(func=ast.Name()) as call):
            return call
    raise ScheduleError(f"each line is a step, like fuse(L14.i, L15.i), not {ast.unparse(node)!r:.80}")


def _first(call: ast.Call) -> int:
    match call:
        case ast.Call(args=[_], keywords=[ast.keyword(arg="line", value=ast.Constant(value=int() as line))]):
            return line
    raise ScheduleError(f"the first line is {_HEAD}(name, line=number), not {ast.unparse(call)!r:.80}")


def _step(call: ast.Call, first: int) -> Step:
    options: dict[str, Option] = {}
    for k in call.keywords:
        if k.arg is None:
            raise ScheduleError("** is not understood")
        options[k.arg] = _option(k.value)
    return checked(call.func.id, tuple(_operand(x, first) for x in call.args), options)  # type: ignore[attr-defined]


def _option(x: ast.expr) -> Option:
    match x:
        case ast.Constant(value=int() | str() as value):
            return value
        case ast.Name(id=name):
            return name
    raise ScheduleError(f"options are numbers, texts and names, not {ast.unparse(x)!r:.80}")


def _operand(x: ast.expr, first: int) -> Operand:
    match x:
        case ast.Constant(value=str() as name):
            return name
        case ast.Name(id=name) if not LINE.fullmatch(name):
            return name
        case ast.Subscript(value=value, slice=ast.Constant(value=int() as count)) if count > 0:
            return _address(value, count, first)
        case ast.Attribute() | ast.Name():
            return _address(x, 1, first)
    raise ScheduleError(f"operands are addresses like L14.i and names, not {ast.unparse(x)!r:.80}")


def _address(x: ast.expr, count: int, first: int) -> Address:
    names: list[str] = []
    while isinstance(x, ast.Attribute):
        names.append(x.attr)
        x = x.value
    if isinstance(x, ast.Name):
        names.append(x.id)
    names.reverse()
    at = next((k for k, n in enumerate(names) if LINE.fullmatch(n)), None)
    if not isinstance(x, ast.Name) or at is None or at > 1 or at == len(names) - 1:
        raise ScheduleError(f"an address is a line and the variables of its loop, like L14.i.j, not {'.'.join(names)}")
    line = int(names[at][1:])
    return Address(line - first if line else None, tuple(names[at + 1 :]), count, names[0] if at else "")
