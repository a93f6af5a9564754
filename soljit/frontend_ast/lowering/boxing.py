"""Which variables need a box (`syntax/boxes.py`): that shows while the function is lowered, which is lowered again then."""

from __future__ import annotations

import ast

from soljit.frontend_ast.lowering.frames import Frame
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.syntax.boxes import (
    is_boxable,
    key_of,
    own_nodes,
    place_in_file,
    shared_names,
    stores_of,
    targets_of,
)
from soljit.frontend_ast.syntax.desugar_comprehensions import can_be_spelled
from soljit.frontend_ast.syntax.scopes import COMPREHENSIONS
from soljit.frontend_ast.values.learned import Restart


def box(cx: Lowering, fr: Frame, name: str) -> None:
    """Lower again, with this variable of the frame in a box."""
    tree: ast.AST | None = fr.tree
    if fr.comprehension is not None and name in targets_of(fr.comprehension):
        around = fr.parent.tree if fr.parent is not None else None
        tree = fr.comprehension if around is not None and can_be_spelled(around, fr.comprehension) else None
    if not isinstance(tree, COMPREHENSIONS) and not (isinstance(tree, ast.FunctionDef) and is_boxable(tree, name)):
        raise cx.unsupported(
            f"'{name}', a variable that changes while a function that uses it is kept or calls itself",
            f"give the function its value as an argument: `lambda …, {name}={name}: …`",
        )
    assert tree is not None
    known: set[str] = cx.learned.boxed.setdefault(key_of(fr.file, tree), set())
    if name in known:
        raise cx.unsupported(f"'{name}', which is read before it is assigned", "assign it first")
    known.add(name)
    cx.parsed.clear()
    raise Restart


def defined_once(fr: Frame, name: str) -> bool:
    """Tell whether this is the name of a nested function and of nothing else."""
    return fr.tree is not None and len(stores_of(fr.tree, name)) == 1


def assigned_later(fr: Frame, name: str, function: ast.AST) -> bool:
    """Tell whether a variable of the frame may be assigned again after `function`, which stands in it, was made."""
    if fr.tree is None:  # a comprehension
        return name in fr.env
    here = place_in_file(function)
    if name in shared_names(fr.tree):
        return True
    again = [n for n in own_nodes(fr.tree) if isinstance(n, _REPEATED_OR_BINDING_LAST)]
    for s in stores_of(fr.tree, name):
        if place_in_file(s) > here or s is function:
            return True
        if any(_holds(n, s) and (_holds(n, function) or _defines_class(n, here)) for n in again):
            return True
    return False


_REPEATED_OR_BINDING_LAST = (ast.For, ast.While, ast.Assign, ast.AnnAssign, ast.NamedExpr)


def _holds(n: ast.AST, part: ast.AST) -> bool:
    return any(x is part for x in ast.walk(n))


def _defines_class(n: ast.AST, place: tuple[int, int]) -> bool:
    """Tell whether a class statement stands there, whose maker (`calls/classes/local_classes.py`) is in no tree."""
    return any(isinstance(x, ast.ClassDef) and place_in_file(x) == place for x in ast.walk(n))
