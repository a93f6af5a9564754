"""Reads expressions, memlets and literals from Python's `ast`: the inverse of `ir/text/spelling.py`."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from soljit.base.errors import InternalError
from soljit.ir.core.data import Data
from soljit.ir.core.expr import ONE, Cast, Const, Expr, Extent, Load, Memlet, Op, Range, Stride, Sym
from soljit.ir.core.ops import OPS
from soljit.ir.core.types import BY_NAME, DType, b1, f64, i64
from soljit.ir.text.spelling import BINARY, PREFIX, result_dtype

_BINOPS: dict[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.BitAnd: "band",
    ast.BitOr: "bor",
    ast.BitXor: "bxor",
    ast.LShift: "shl",
    ast.RShift: "shr",
    ast.And: "land",
    ast.Or: "lor",
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
}
_UNOPS: dict[type[ast.AST], str] = {ast.Not: "lnot", ast.USub: "neg", ast.Invert: "invert"}
assert set(_BINOPS.values()) == set(BINARY) and set(_UNOPS.values()) == set(PREFIX)


def fault(node: ast.AST, message: str) -> InternalError:
    """The error for text that is no program."""
    return InternalError(f"IR text, line {getattr(node, 'lineno', '?')}: {message}: {ast.unparse(node)}")


class Reader:
    """Reads expressions by what is declared so far: `data` and `symbols` (name → dtype)."""

    def __init__(self, data: Mapping[str, Data], symbols: dict[str, DType]) -> None:
        self.data = data
        self.symbols = symbols

    def expr(self, x: ast.expr) -> Expr:
        """An expression."""
        match x:
            case ast.Constant():
                return _plain(x)
            case ast.Name():
                return Load(Memlet(x.id), self.data[x.id].dtype) if x.id in self.data else self.symbol(x.id)
            case ast.Subscript(value=ast.Attribute(value=ast.Name(id=name), attr="shape" | "strides" as what)):
                dim = number(x.slice)
                return Extent(name, dim) if what == "shape" else Stride(name, dim)
            case ast.Subscript() | ast.Attribute():
                return self.load(x)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant() as positive):
                c = _plain(positive)
                return Const(-c.value, c.dtype)
            case ast.UnaryOp():
                return self.op(_UNOPS[type(x.op)], (self.expr(x.operand),), x)
            case ast.BinOp():
                return self.op(_BINOPS[type(x.op)], (self.expr(x.left), self.expr(x.right)), x)
            case ast.BoolOp():
                first, *rest = map(self.expr, x.values)
                for y in rest:
                    first = self.op(_BINOPS[type(x.op)], (first, y), x)
                return first
            case ast.Compare(ops=[op]):
                return self.op(_BINOPS[type(op)], (self.expr(x.left), self.expr(x.comparators[0])), x)
            case ast.IfExp():
                return self.op("select", (self.expr(x.test), self.expr(x.body), self.expr(x.orelse)), x)
            case ast.Call():
                return self.call(x)
            case _:
                raise fault(x, "no expression of the IR")

    def symbol(self, name: str) -> Sym:
        """A symbol of the type that its definition gave it, i64 if it has none."""
        return Sym(name, self.symbols.get(name, i64))

    def op(self, name: str, args: tuple[Expr, ...], x: ast.expr, dtype: DType | None = None) -> Expr:
        """An operation with its derived type."""
        derived = dtype or result_dtype(name, args)
        if derived is None:
            raise fault(x, "no such operation")
        return Op(name, args, derived)

    def load(self, x: ast.expr, dtype: DType | None = None) -> Expr:
        """The value of an element."""
        m = self.memlet(x)
        if dtype is None and m.data not in self.data:
            raise fault(x, f"{m.data} is not declared")
        return Load(m, dtype or self.data[m.data].dtype)

    def call(self, x: ast.Call) -> Expr:
        """A cast, a typed constant, or an operation by name."""
        if not isinstance(x.func, ast.Name):
            return self.load(x)
        name, args = x.func.id, x.args
        match name, args:
            case "cast", [ast.Name(id=t), arg]:
                return Cast(BY_NAME[t], self.expr(arg))
            case "const", [value, ast.Name(id=t)]:
                return Const(literal_value(value), BY_NAME[t])  # type: ignore[arg-type]
            case "sym", [ast.Constant(value=str(n)), ast.Name(id=t)]:
                return Sym(n, BY_NAME[t])
            case "typed", [ast.Name(id=t), inner]:
                return self.typed(inner, BY_NAME[t])
            case _ if name in BY_NAME:
                return self.typed_constant(BY_NAME[name], args) or Cast(BY_NAME[name], self.expr(args[0]))
            case _:
                return self.op(name, tuple(map(self.expr, args)), x)

    def typed(self, x: ast.expr, dtype: DType) -> Expr:
        """`typed(f32, a + b)`: the outermost operation has this type."""
        match x:
            case ast.Call(func=ast.Name(id="load"), args=[m]):
                return self.load(m, dtype)
            case ast.Call(func=ast.Name(id=name)) if name not in OPS:
                return Op(name, tuple(map(self.expr, x.args)), dtype)
            case _:
                e = self.expr(x)
                if not isinstance(e, Op):
                    raise fault(x, "not an operation")
                return Op(e.name, e.args, dtype)

    def typed_constant(self, t: DType, args: list[ast.expr]) -> Const | None:
        """`f32(1.0)`, `f64("nan")`, `c64(1.0, -0.0)`; None if the arguments are no literals."""
        parts = [_number(a) for a in args]
        numbers = [p for p in parts if p is not None]
        if len(numbers) < len(parts):
            return None
        if t.is_complex:
            return Const(complex(*map(float, numbers)), t) if len(numbers) == 2 else None
        (value,) = numbers
        return Const(float(value) if t.is_float else int(value), t)

    def operand(self, x: ast.expr) -> Expr | Memlet:
        """A memlet (with ranges, `.axes`, `.wcr`, or in `memlet(…)`) or an expression."""
        match x:
            case ast.Call(func=ast.Name(id="memlet"), args=[m]):
                return self.memlet(m)
            case ast.Call(func=ast.Attribute(attr="axes" | "wcr")):
                return self.memlet(x)
            case ast.Subscript() if any(isinstance(s, ast.Slice) for s in _entries(x.slice)):
                return self.memlet(x)
            case _:
                return self.expr(x)

    def memlet(self, x: ast.expr) -> Memlet:
        """Elements of a container."""
        match x:
            case ast.Name():
                return Memlet(x.id)
            case ast.Subscript(value=ast.Name(id=name)):
                return Memlet(name, tuple(map(self.entry, _entries(x.slice))))
            case ast.Call(func=ast.Attribute(value=inner, attr="axes")):
                m = self.memlet(inner)
                return Memlet(m.data, m.subset, tuple(map(number, x.args)), m.wcr)
            case ast.Call(func=ast.Attribute(value=inner, attr="wcr"), args=[ast.Constant(value=str(wcr))]):
                m = self.memlet(inner)
                return Memlet(m.data, m.subset, m.axes, wcr)
            case _:
                raise fault(x, "no memlet")

    def entry(self, x: ast.expr) -> Expr | Range:
        """One dimension of a memlet."""
        if not isinstance(x, ast.Slice):
            return self.expr(x)
        if x.lower is None or x.upper is None:
            raise fault(x, "a range needs both bounds")
        return Range(self.expr(x.lower), self.expr(x.upper), ONE if x.step is None else self.expr(x.step))

    def span(self, x: ast.expr) -> Range:
        """`range(start, stop[, step])`."""
        match x:
            case ast.Call(func=ast.Name(id="range"), args=[a, b]):
                return Range(self.expr(a), self.expr(b), ONE)
            case ast.Call(func=ast.Name(id="range"), args=[a, b, c]):
                return Range(self.expr(a), self.expr(b), self.expr(c))
            case _:
                raise fault(x, "no range")


def _entries(x: ast.expr) -> list[ast.expr]:
    return x.elts if isinstance(x, ast.Tuple) else [x]


def _plain(x: ast.Constant) -> Const:
    v = x.value
    if isinstance(v, bool):
        return Const(v, b1)
    if isinstance(v, int):
        return Const(v, i64)
    if isinstance(v, float):
        return Const(v, f64)
    raise fault(x, "no constant of the IR")


def _number(x: ast.expr) -> int | float | bool | None:
    """A literal number, or a string that spells one."""
    match x:
        case ast.Constant(value=bool() | int() | float() as v):
            return v
        case ast.Constant(value=str(s)):
            return float(s)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as v)):
            return -v
        case _:
            return None


def number(x: ast.expr) -> int:
    """A literal integer."""
    v = _number(x)
    if not isinstance(v, int):
        raise fault(x, "no integer")
    return v


def literal_value(x: ast.expr) -> object:
    """JSON-able data; the inverse of `spelling.literal`."""
    match x:
        case ast.Constant():
            return x.value
        case ast.Name(id="inf" | "nan" as name):
            return float(name)
        case ast.UnaryOp(op=ast.USub()):
            v = literal_value(x.operand)
            assert isinstance(v, (int, float))
            return -v
        case ast.List():
            return [literal_value(e) for e in x.elts]
        case ast.Tuple():
            return tuple(literal_value(e) for e in x.elts)
        case ast.Dict():
            return {literal_value(k): literal_value(v) for k, v in zip(x.keys, x.values) if k is not None}
        case ast.Call(func=ast.Name(id="complex"), args=[re, im]):
            return complex(literal_value(re), literal_value(im))  # type: ignore[call-overload]
        case _:
            raise fault(x, "no literal")
