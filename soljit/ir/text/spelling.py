"""How expressions and memlets are written: Python's own operators, with the types that Python leaves out.

* `1` is i64, `1.0` is f64, `True` is b1; any other constant names its type: `f32(1.0)`, `f64("nan")`, `c128(1.0, -0.0)`
* `f32(x)` of anything but a literal is a cast; a cast of a constant is `cast(f32, 1.0)`
* an operation has the type that `ops.OPS` derives, a name the type that its definition gave it; where the tree says
  something else (a faulty program must be printable, too) it is wrapped: `typed(f32, a + b)`, `sym("n", f32)`
* `A.shape[0]` and `A.strides[0]` are lengths and strides in elements; in `A[0:n, 4:-1:-1]` both bounds are what they
  are, -1 is not the last element
* `A[0:n, i, 0:m].axes(1, -1, 0)` and `.wcr("add")` are what they are in `Memlet`; an operand that is a memlet without
  ranges is `memlet(A[i])`, for `A[i]` is its value
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from soljit.base.errors import InternalError
from soljit.ir.core.data import Data, Scalar
from soljit.ir.core.expr import Cast, Const, Expr, Extent, Load, Memlet, Op, Range, Stride, Sym
from soljit.ir.core.ops import OPS
from soljit.ir.core.types import PYTHON_CLASSES, PYTHON_TYPES, DType, b1, f64, i64

# How tightly an expression binds, from the loosest; both operands of a binary operator must bind at least as tightly.
TERNARY, OR, AND, NOT, COMPARE, UNARY, POWER, ATOM = 1, 2, 3, 4, 5, 12, 13, 14

# op → (sign, how tightly it binds)
BINARY: dict[str, tuple[str, int]] = {
    "lor": ("or", OR),
    "land": ("and", AND),
    "eq": ("==", COMPARE),
    "ne": ("!=", COMPARE),
    "lt": ("<", COMPARE),
    "le": ("<=", COMPARE),
    "gt": (">", COMPARE),
    "ge": (">=", COMPARE),
    "bor": ("|", 6),
    "bxor": ("^", 7),
    "band": ("&", 8),
    "shl": ("<<", 9),
    "shr": (">>", 9),
    "add": ("+", 10),
    "sub": ("-", 10),
    "mul": ("*", 11),
    "div": ("/", 11),
    "floordiv": ("//", 11),
    "mod": ("%", 11),
    "pow": ("**", POWER),
}
PREFIX: dict[str, tuple[str, int]] = {"lnot": ("not ", NOT), "neg": ("-", UNARY), "invert": ("~", UNARY)}
AUGMENTED: dict[str, str] = {"add": "+", "mul": "*", "band": "&", "bor": "|", "bxor": "^"}


def result_dtype(name: str, args: tuple[Expr, ...]) -> DType | None:
    """The type that an operation on these arguments has, or None if there is no such operation."""
    info = OPS.get(name)
    if info is None or len(args) != info.arity:
        return None
    return info.result(args[1].dtype if name == "select" else args[0].dtype)


class Speller:
    """Writes expressions. With `data` and `symbols` it marks types that a reader could not know."""

    def __init__(self, data: Mapping[str, Data] | None = None, symbols: dict[str, DType] | None = None) -> None:
        self.data = data
        self.symbols = symbols

    def expr(self, e: Expr, at_least: int = 0) -> str:
        """The text of `e`, in parentheses if it binds less tightly than `at_least`."""
        text, tightness = self._spell(e)
        return f"({text})" if tightness < at_least else text

    def operand(self, v: Expr | Memlet) -> str:
        """A memlet or expression where both may stand."""
        if not isinstance(v, Memlet):
            return self.expr(v)
        text = self.memlet(v)
        ambiguous = v.axes is None and v.wcr is None and not any(isinstance(s, Range) for s in v.subset)
        return f"memlet({text})" if ambiguous else text

    def memlet(self, m: Memlet) -> str:
        """Elements of a container, with `.axes` and `.wcr` where they say something."""
        text = self.elements(m)
        if m.axes is not None:
            text += f".axes({', '.join(map(str, m.axes))})"
        return text if m.wcr is None else text + f'.wcr("{m.wcr}")'

    def elements(self, m: Memlet) -> str:
        """`A[i, 0:n]`."""
        if m.subset:
            return f"{m.data}[{', '.join(self._entry(s) for s in m.subset)}]"
        scalar = self.data is None or isinstance(self.data.get(m.data), Scalar)
        return m.data if scalar else f"{m.data}[()]"

    def span(self, r: Range) -> str:
        """`range(0, n)`."""
        step = [] if r.step == Const(1, i64) else [r.step]
        return f"range({', '.join(self.expr(x) for x in (r.start, r.stop, *step))})"

    def _entry(self, s: Expr | Range) -> str:
        if not isinstance(s, Range):
            return self.expr(s)
        step = [] if s.step == Const(1, i64) else [s.step]
        return ":".join(self.expr(x) for x in (s.start, s.stop, *step))

    def _spell(self, e: Expr) -> tuple[str, int]:
        match e:
            case Const():
                return constant(e)
            case Sym():
                return self._symbol(e), ATOM
            case Load():
                return self._load(e), ATOM
            case Cast():
                arg = self.expr(e.arg)
                return (f"cast({e.dtype}, {arg})" if isinstance(e.arg, Const) else f"{e.dtype}({arg})"), ATOM
            case Extent():
                return f"{e.data}.shape[{e.dim}]", ATOM
            case Stride():
                return f"{e.data}.strides[{e.dim}]", ATOM
            case Op():
                text, tightness = self._op(e)
                if result_dtype(e.name, e.args) is e.dtype:
                    return text, tightness
                return f"typed({e.dtype}, {text})", ATOM
            case _:
                raise InternalError(f"unknown expression {e!r}")

    def _symbol(self, e: Sym) -> str:
        known = self.symbols is None or (self.symbols.get(e.name, i64) is e.dtype and e.name not in (self.data or ()))
        return e.name if known else f'sym("{e.name}", {e.dtype})'

    def _load(self, e: Load) -> str:
        text = self.memlet(e.memlet)
        declared = e.memlet.data if self.data is None else self.data.get(e.memlet.data)
        known = isinstance(declared, str) or (declared is not None and declared.dtype is e.dtype)
        return text if known else f"typed({e.dtype}, load({text}))"

    def _op(self, e: Op) -> tuple[str, int]:
        if e.name == "select" and len(e.args) == 3:
            test, yes, no = e.args
            return f"{self.expr(yes, OR)} if {self.expr(test, OR)} else {self.expr(no, TERNARY)}", TERNARY
        if e.name in PREFIX and len(e.args) == 1 and not isinstance(e.args[0], Const):
            sign, tightness = PREFIX[e.name]
            return sign + self.expr(e.args[0], tightness), tightness
        if e.name in BINARY and len(e.args) == 2:
            sign, tightness = BINARY[e.name]
            # Python groups `**` from the right and chains comparisons: neither is used.
            left = tightness + (tightness == COMPARE) if tightness != POWER else ATOM
            right = tightness + 1
            return f"{self.expr(e.args[0], left)} {sign} {self.expr(e.args[1], right)}", tightness
        return f"{e.name}({', '.join(map(self.expr, e.args))})", ATOM


def constant(e: Const) -> tuple[str, int]:
    """A constant and how tightly its text binds."""
    v, t = e.value, e.dtype
    if python_class(v) is not PYTHON_CLASSES[t.python]:
        return f"const({literal(v)}, {t})", ATOM
    if isinstance(v, complex):
        return f"{t}({_float(v.real)}, {_float(v.imag)})", ATOM
    if isinstance(v, float):
        text = _float(v)
        if t is f64 and not text.startswith('"'):
            return text, UNARY if text.startswith("-") else ATOM
        return f"{t}({text})", ATOM
    text = str(bool(v) if t is b1 else int(v))
    if t is b1 or t is i64:
        return text, UNARY if text.startswith("-") else ATOM
    return f"{t}({text})", ATOM


def _float(v: float) -> str:
    text = repr(float(v))
    return text if text.lstrip("-")[0].isdigit() else f'"{text}"'


def python_class(value: object) -> type:
    """The class of Python's numbers that a value of a constant is of."""
    return next(cls for cls in PYTHON_TYPES if isinstance(value, cls))


def literal(x: object) -> str:
    """JSON-able data as Python text; `inf` and `nan` stand for the floats that JSON lacks."""
    match x:
        case dict():
            return "{" + ", ".join(f"{literal(k)}: {literal(v)}" for k, v in x.items()) + "}"
        case list():
            return "[" + ", ".join(map(literal, x)) + "]"
        case tuple():
            return "(" + ", ".join(map(literal, x)) + ("," if len(x) == 1 else "") + ")"
        case complex():
            return f"complex({literal(x.real)}, {literal(x.imag)})"
        case float():
            return repr(float(x))
        case str():
            return json.dumps(x, ensure_ascii=False)
        case _:
            return repr(x)


def spell(e: Expr | Memlet | Range) -> str:
    """The text of a value by itself, for messages."""
    speller = Speller()
    if isinstance(e, Range):
        return speller.span(e)
    return speller.memlet(e) if isinstance(e, Memlet) else speller.expr(e)
