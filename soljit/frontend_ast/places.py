"""The place of a syntax node in the user's file."""

from __future__ import annotations

import ast

from soljit.base.place import Loc
from soljit.frontend_ast.frames import Frame


def place(fr: Frame, node: ast.AST) -> Loc:
    """The place of a node in the user's file."""
    line, col = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
    return Loc(
        fr.file,
        line,
        col,
        getattr(node, "end_lineno", line) or line,
        getattr(node, "end_col_offset", col) or col,
        fr.name,
        fr.caller,
    )
