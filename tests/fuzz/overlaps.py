"""NumPy itself mixes old and new values in `b[::2] = b[:4]` (one dimension, overlapping, other steps): no such programs."""

from __future__ import annotations

import ast
import contextlib
import io
import warnings
from typing import Any

import numpy as np


class _Copying(ast.NodeTransformer):
    """`a[...] = value` becomes `a[...] = fresh(value)`."""

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        if isinstance(node.targets[0], ast.Subscript):
            node.value = ast.Call(ast.Name("fresh", ast.Load()), [node.value], [])
        return node


def depends_on_overlaps(source: str) -> bool:
    """Does plain NumPy give something else where values are copied before they are stored?"""
    copying = ast.unparse(ast.fix_missing_locations(_Copying().visit(ast.parse(source))))
    return copying.count("fresh(") > 0 and _outcomes(source) != _outcomes(copying)


def _outcomes(source: str) -> list[str]:
    names: dict[str, Any] = {"fresh": lambda v: v.copy() if isinstance(v, np.ndarray) else v}
    exec(source, names)
    out = []
    for args in names["calls"]():
        with warnings.catch_warnings(), np.errstate(all="ignore"), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            try:
                result = names["f"](*args)
            except Exception as e:
                result = repr(e)
        out.append(repr((result, args)))
    return out
