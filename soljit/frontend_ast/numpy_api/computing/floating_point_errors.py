"""np.seterr: where it makes floating-point errors raise, NumPy does all arithmetic of the function."""

from __future__ import annotations

import numpy as np

from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.registry import implements
from soljit.frontend_ast.values.learned import Restart
from soljit.frontend_ast.values.values import Static, Value


@implements(np.seterr)
def seterr(
    cx: Lowering,
    all: Value | None = None,
    divide: Value | None = None,
    over: Value | None = None,
    under: Value | None = None,
    invalid: Value | None = None,
) -> Value:
    """np.seterr"""
    for v in (all, divide, over, under, invalid):
        quiet = v is None or (isinstance(v, Static) and v.obj in (None, "ignore", "warn"))
        if not quiet and not cx.learned.errors:
            cx.learned.errors = True
            raise Restart
    raise cx.unsupported("np.seterr")  # it is called back
