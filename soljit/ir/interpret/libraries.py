"""What a `LibraryNode` means, by NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from soljit.base.errors import InternalError
from soljit.base.python.names import find
from soljit.ir.core.nodes import LibraryNode
from soljit.ir.interpret.evaluate import Frame


def run_library(n: LibraryNode, ins: list[Any], frame: Frame) -> None:  # ins: NumPy arrays and scalars
    """Run the operation on operands that have been looked up."""
    if n.op == "loop":
        _loop_of_ufunc(n, ins, frame)
        return
    out = frame.elements(n.outs[0])
    match n.op:
        case "matmul":
            a, b, *scale = ins
            value = np.asarray(np.matmul(a, b), out.dtype)
            if scale:
                alpha, beta = scale
                value = beta * out + (alpha * value if a.shape[-1] else 0)
            part = n.attrs.get("triangle")
            if part is not None:
                mask = np.tri(*out.shape) != 0
                value = np.where(mask if part == "lower" else mask.T, value, out)
        case "ger":
            alpha, x, y = ins
            value = out + np.multiply.outer(alpha * x, y)
        case "sort":
            value = np.sort(out, kind=n.attrs["kind"])  # type: ignore[call-overload]
        case "argmin" | "argmax":
            value = np.asarray(getattr(np, n.op)(ins[0]))
        case "argsort":
            value = np.argsort(ins[0], kind=n.attrs["kind"])  # type: ignore[arg-type]
        case _:
            raise InternalError(f"unknown library operation {n.op}")
    if value.shape != out.shape:
        raise InternalError(f"{n.op} gives the shape {value.shape}, not {out.shape}")
    out[...] = value


def _loop_of_ufunc(n: LibraryNode, ins: list[Any], frame: Frame) -> None:
    """One call of a generalized ufunc; the last output says whether there is a result."""
    failed: list[str] = []
    with np.errstate(all="ignore", invalid="call", call=lambda kind, flag: failed.append(kind)):
        results = find(str(n.attrs["function"]))(*ins, signature=n.attrs["types"])
    for m, value in zip(n.outs, (*(results if isinstance(results, tuple) else (results,)), not failed)):
        frame.elements(m)[...] = value
