"""Python's operators by the nodes of the syntax tree: as functions, as operations of the IR, and as messages spell them."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from soljit.ir import symbolic


def name_of_operator(kind: type[ast.AST], in_place: bool = False) -> str:
    """The function of the module `operator` that computes it."""
    name = "matmul" if kind is ast.MatMult else PYTHON[kind].__name__
    return f"i{name.rstrip('_')}" if in_place else name


PYTHON: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}
COMPARE_IR: dict[type[ast.AST], str] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
}
COMPARE_INT = {
    "eq": symbolic.eq,
    "ne": symbolic.ne,
    "lt": symbolic.lt,
    "le": symbolic.le,
    "gt": symbolic.gt,
    "ge": symbolic.ge,
}
SYMBOL = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**", ast.LShift: "<<",
    ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.MatMult: "@", ast.Eq: "==", ast.NotEq: "!=",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip


def message_of(f: Callable[[], object]) -> str:
    """The text of the exception that this Python version raises."""
    try:
        f()
    except RecursionError:
        raise
    except Exception as e:
        return str(e)
    raise AssertionError
