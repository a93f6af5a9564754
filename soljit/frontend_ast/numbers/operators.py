"""Python's operators on values: exact Python arithmetic on Python numbers, ufuncs where NumPy values take part.

Python ints are 64-bit with every overflow raised (`OverflowError`) unless ranges show that it can't happen; division by zero
raises; `/` of ints is float; `//` and `%` floor. bool is an int in arithmetic.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable

import numpy as np

from soljit.base.errors import UnsupportedError
from soljit.base.knowledge import pure
from soljit.frontend_ast.arrays.elementwise import apply_ufunc, truth
from soljit.frontend_ast.arrays.exact_comparisons import complex_scalars_in_order
from soljit.frontend_ast.arrays.literals import array_of
from soljit.frontend_ast.arrays.object_identity import same_object
from soljit.frontend_ast.arrays.powers import fast_power
from soljit.frontend_ast.arrays.ufunc_kernels import scalar_op
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.numbers import object_operators
from soljit.frontend_ast.numbers.always_raises import of_operator, raised
from soljit.frontend_ast.numbers.object_operators import is_same_object
from soljit.frontend_ast.numbers.python_numbers import python_binary, python_unary
from soljit.frontend_ast.objects import objects
from soljit.frontend_ast.objects.contents import grow
from soljit.frontend_ast.objects.objects import list_of, make_object
from soljit.frontend_ast.values import numpy_versions
from soljit.frontend_ast.values.constants import constant, member_number
from soljit.frontend_ast.values.descriptions import describe, is_numpys
from soljit.frontend_ast.values.python_operators import COMPARE_IR, PYTHON, message_of
from soljit.frontend_ast.values.values import Arr, Dict, Lazy, Num, Object, OneShot, RangeVal, Static, Tup, Union, Value
from soljit.frontend_ast.values.variables import Kind
from soljit.ir import symbolic
from soljit.ir.core.expr import FALSE, TRUE, Const, Expr, Op, Sym, const
from soljit.ir.core.types import b1, c128, f32, f64, i64

UFUNCS: dict[type[ast.AST], np.ufunc] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.true_divide,
    ast.FloorDiv: np.floor_divide,
    ast.Mod: np.remainder,
    ast.Pow: np.power,
    ast.LShift: np.left_shift,
    ast.RShift: np.right_shift,
    ast.BitAnd: np.bitwise_and,
    ast.BitOr: np.bitwise_or,
    ast.BitXor: np.bitwise_xor,
    ast.Eq: np.equal,
    ast.NotEq: np.not_equal,
    ast.Lt: np.less,
    ast.LtE: np.less_equal,
    ast.Gt: np.greater,
    ast.GtE: np.greater_equal,
    ast.USub: np.negative,
    ast.UAdd: np.positive,
    ast.Invert: np.invert,
}


MOST_STATIC_ITEMS = 16  # a longer list of one value repeated is a Python object


def is_numeric(v: Value) -> bool:
    return isinstance(v, (Num, Arr, Lazy))


_MAY_GROW = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Pow, ast.LShift)


def is_opaque(cx: Lowering, v: Value) -> bool:
    """Tell whether this is an int of Python's, of which Python has to compute here what may be of any length."""
    return cx.loc in cx.learned.opaque and isinstance(v, Num) and v.weak and v.dtype in (b1, i64)


def binary(cx: Lowering, kind: type[ast.AST], left: Value, right: Value) -> Value:
    """`left <op> right` for arithmetic, bit and comparison operators."""
    weak = not is_numpys(left, right)
    left, right = member_number(left, weak), member_number(right, weak)
    special: Value | None = cx.above.binary_special(cx, kind, left, right)
    if special is not None:
        return special
    opaque = kind in _MAY_GROW and is_opaque(cx, left) and is_opaque(cx, right)
    if opaque or isinstance(left, Object) or isinstance(right, Object) or (cx.raising and is_numpys(left, right)):
        return object_operators.binary(cx, kind, left, right)
    if kind is ast.MatMult:
        return _structural(cx, kind, left, right)
    left, right = as_array_beside(cx, left, right), as_array_beside(cx, right, left)
    if is_numeric(left) and is_numeric(right):
        assert isinstance(left, (Num, Arr, Lazy)) and isinstance(right, (Num, Arr, Lazy))
        if isinstance(left, Num) and isinstance(right, Num) and left.weak and right.weak:
            return python_binary(cx, kind, left, right)
        if isinstance(left, Num) and isinstance(right, Num):
            modulo = kind in (ast.FloorDiv, ast.Mod)
            exact = kind in (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.Eq, ast.NotEq)
            ordered = kind in (ast.Lt, ast.LtE, ast.Gt, ast.GtE)  # which complex leaves to NumPy
            if left.weak and left.dtype is c128 and right.dtype is f64 and exact:
                return python_binary(
                    cx, kind, left, Num(right.expr, True)
                )  # a np.float64 is a float: complex comes first
            if modulo and any(v.dtype.is_complex and not v.weak for v in (left, right)):
                function = operator.mod if kind is ast.Mod else operator.floordiv
                ones = [v.dtype.number_class(v.weak)(1) for v in (left, right)]
                cx.raise_("TypeError", message_of(lambda: function(*ones)))
                return left
            scalars = complex_scalars_in_order(cx, UFUNCS[kind], left, right) if ordered else None
            if scalars is not None:
                return scalars
        if kind is ast.Pow and isinstance(left, (Arr, Lazy)) and (fast := fast_power(cx, left, right)) is not None:
            result = apply_ufunc(cx, fast, [left])
        elif kind in (ast.Pow, ast.Mult) and isinstance(left, Num) and isinstance(right, Num):
            result = _of_scalars(cx, kind, left, right)
        else:
            result = apply_ufunc(cx, UFUNCS[kind], [left, right])
        assert isinstance(result, Value)
        return result
    return _structural(cx, kind, left, right)


def _of_scalars(cx: Lowering, kind: type[ast.AST], left: Num, right: Num) -> Value:
    """`**` and `*` of NumPy's scalars, which call the C library, or round, where a loop over arrays does not.

    They do so if one of the two has the result's type; otherwise NumPy takes its ufunc (`1.5 ** np.int64(7)`).
    """
    result = apply_ufunc(cx, UFUNCS[kind], [left, right])
    assert isinstance(result, Value)
    if not isinstance(result, Num) or not any(v.dtype is result.dtype and not v.weak for v in (left, right)):
        return result
    square = isinstance(right.expr, Const) and right.expr.value == 2
    if result.dtype.is_complex if kind is ast.Mult else result.dtype in (f32, f64) and not square:
        numbers = (cx.cast(v.expr, result.dtype) for v in (left, right))
        return Num(cx.opaque(scalar_op("mul" if kind is ast.Mult else "pow", *numbers)), False)
    return result


def as_array_beside(cx: Lowering, v: Value, other: Value) -> Value:
    """A list, tuple or range that meets an array is converted, as NumPy does."""
    if isinstance(v, (Tup, RangeVal)) and isinstance(other, (Arr, Lazy)):
        return array_of(cx, v)
    return v


def unary(cx: Lowering, kind: type[ast.AST], v: Value) -> Value:
    """`-v`, `+v`, `~v`."""
    v = member_number(v)
    special: Value | None = cx.above.unary_special(cx, kind, v)
    if special is not None:
        return special
    if isinstance(v, Object) or (cx.raising and is_numpys(v)) or kind is ast.USub and is_opaque(cx, v):
        return object_operators.unary(cx, kind, v)
    if isinstance(v, Static) and type(v.obj) is int:
        return constant(PYTHON[kind](v.obj))
    if isinstance(v, Num) and v.weak:
        return python_unary(cx, kind, v)
    if is_numeric(v):
        assert isinstance(v, (Num, Arr, Lazy))
        result = apply_ufunc(cx, UFUNCS[kind], [v])
        assert isinstance(result, Value)
        return result
    if raised(cx, PYTHON[kind], [v]):
        return v
    if isinstance(v, Static):
        try:
            return constant(pure.attempt(PYTHON[kind], (v.obj,)))
        except pure.Impure:
            return object_operators.unary(cx, kind, make_object(cx, v))
        except TypeError as e:
            cx.raise_like(e)
            return v
    raise cx.unsupported(f"bad operand type for unary operator: {describe(v)}")


MIRRORED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Eq: ast.Eq,
    ast.NotEq: ast.NotEq,
    ast.Lt: ast.Gt,
    ast.Gt: ast.Lt,
    ast.LtE: ast.GtE,
    ast.GtE: ast.LtE,
}


def _structural(cx: Lowering, kind: type[ast.AST], a: Value, b: Value) -> Value:
    """Operators on tuples, lists, strings and other compile-time values."""
    if of_operator(cx, kind, a, b):
        return Static(None)
    if isinstance(a, Tup) and isinstance(b, Tup) and (of_both := _of_sequences(cx, kind, a, b)) is not None:
        return of_both
    if kind is ast.Mult and isinstance(b, Tup):
        a, b = b, a
    if kind is ast.Mult and isinstance(a, Tup) and isinstance(b, Num) and b.dtype.kind in "biu":
        return _repeated(cx, a, b)
    a, b = (Static(v.expr.value) if isinstance(v, Num) and v.weak and isinstance(v.expr, Const) else v for v in (a, b))
    if isinstance(a, Static) and isinstance(b, Static):
        return _of_constants(cx, kind, a, b)
    if kind in (ast.Eq, ast.NotEq) and (answer := _equality_of_unlike(cx, kind, a, b)) is not None:
        return answer
    return object_operators.binary(cx, kind, a, b)  # Python says what it thinks of that


def _of_sequences(cx: Lowering, kind: type[ast.AST], a: Tup, b: Tup) -> Value | None:
    """Sums and comparisons of lists and tuples; None for all other operators."""
    if kind is ast.Add and a.mutable == b.mutable:
        items = [*a.items, *b.items]
        return list_of(cx, items) if a.mutable else Tup(items)
    if kind in (ast.Eq, ast.NotEq):
        same = _equal_items(cx, a, b)
        return Num(same if kind is ast.Eq else symbolic.negate(same), True)
    if kind in COMPARE_IR and a.mutable == b.mutable and len(a.items) and len(b.items):
        return _lexicographic(cx, kind, a, b)
    return None


def _repeated(cx: Lowering, a: Tup, count: Num) -> Value:
    """`a * count`: written out if there are few items."""
    now, dynamic = cx.value_now(count.expr), a.mutable and cx.loc in cx.learned.dynamic
    few = not dynamic and (now is None or now * len(a.items) <= MOST_STATIC_ITEMS)
    n = cx.static_int(count.expr) if few else None
    if n is None:
        if a.mutable and a.site is not None and a.home is not None:
            grow(cx, a)
        return object_operators.binary(cx, ast.Mult, make_object(cx, a) if a.mutable else a, count)
    items = list(a.items) * max(n, 0)
    return list_of(cx, items) if a.mutable else Tup(items)


def _of_constants(cx: Lowering, kind: type[ast.AST], a: Static, b: Static) -> Value:
    """An operator on two objects that are known while compiling: computed now, if that has no effect."""
    try:
        return constant(pure.attempt(PYTHON[kind], (a.obj, b.obj)))
    except (UnsupportedError, RecursionError):
        raise
    except pure.Impure:
        return object_operators.binary(cx, kind, make_object(cx, a), b)
    except Exception as e:
        cx.raise_like(e)
        return Static(None)


def _equality_of_unlike(cx: Lowering, kind: type[ast.AST], a: Value, b: Value) -> Value | None:
    """`==` and `!=` of values that cannot be equal for what they are, or of a number and an int beyond 64 bits; None: Python has to say."""
    unequal = FALSE if kind is ast.Eq else TRUE
    for x, y in ((a, b), (b, a)):
        if isinstance(x, Static) and isinstance(y, Num) and (y.weak or not isinstance(x.obj, int)):
            if type(x.obj) is int and y.dtype in (f64, c128) and (near := _exact_float(x.obj)) is not None:
                return binary(cx, kind, y, Num(Const(near, f64), True))
            return Num(unequal, y.weak or not isinstance(x.obj, (str, bytes)))
        if isinstance(x, Static) and x.obj is None and isinstance(y, (Arr, Lazy)):
            return Lazy(b1, y.shape, lambda _: unequal, y.rank)
    if isinstance(a, Tup) != isinstance(b, Tup) and not (is_numeric(a) or is_numeric(b)):
        return Num(unequal, True)
    return None


def _exact_float(n: int) -> float | None:
    """The float that equals an int beyond 64 bits, if there is one."""
    try:
        return float(n) if float(n) == n else None
    except OverflowError:
        return None


def _equal_items(cx: Lowering, a: Tup, b: Tup) -> Expr:
    if a.mutable != b.mutable or len(a.items) != len(b.items):
        return FALSE
    return _first_difference(cx, list(zip(a.items, b.items)), lambda x, y: (FALSE, TRUE), TRUE)[0]


Answer = tuple[Expr, Expr]  # of a comparison: what it is, and whether that is a bool of Python


def _first_difference(
    cx: Lowering, pairs: list[tuple[Value, Value]], differ: Callable[[Value, Value], Answer], same: Expr
) -> Answer:
    """What `differ` says of the first items that are not equal, `same` if all are. Items behind those are not looked at."""
    if not pairs:
        return same, TRUE
    (x, y), rest = pairs[0], pairs[1:]
    equal = equal_item(cx, x, y)
    if isinstance(equal, Const):
        return _first_difference(cx, rest, differ, same) if equal.value else differ(x, y)
    equal = cx.let(equal, "equal")
    if all(isinstance(v, (Num, Static)) for pair in pairs for v in pair):
        behind, here = _first_difference(cx, rest, differ, same), differ(x, y)
        value, weak = (p if p == q else Op("select", (equal, p, q), b1) for p, q in zip(behind, here))
        return value, weak
    names = cx.scalar(b1, "found"), cx.scalar(b1, "of_python")
    with cx.block(equal) as then:
        behind = _first_difference(cx, rest, differ, same)
        _write_all(cx, names, behind)
    with cx.block(symbolic.negate(equal)) as otherwise:
        here = differ(x, y)
        _write_all(cx, names, here)
    cx.branch(equal, then, otherwise)
    return cx.read(names[0]), behind[1] if behind[1] == here[1] in (TRUE, FALSE) else cx.read(names[1])


def _write_all(cx: Lowering, names: tuple[str, str], answer: Answer) -> None:
    for name, e in zip(names, answer):
        cx.write(name, e)


def equal_item(cx: Lowering, x: Value, y: Value) -> Expr:
    """Tell whether a container that holds x holds y. As in Python: if they are one object or equal."""
    if isinstance(x, Static) and isinstance(y, Static):
        return TRUE if x.obj is y.obj or x.obj == y.obj else FALSE
    if isinstance(x, Num) and isinstance(y, Num) and (x.dtype, x.weak) == (y.dtype, y.weak) and x.dtype.kind in "fc":
        a, b = x.expr, y.expr
        one = isinstance(a, Sym) and a == b  # only NaN is not equal to itself
        if one or (isinstance(a, Const) and isinstance(b, Const) and a.value is b.value):
            return TRUE
    if isinstance(x, Arr) and isinstance(y, Arr):
        same = same_object(cx, x, y)
        if same is None or not isinstance(same, Const):
            raise cx.unsupported("comparing containers of arrays that may or may not be one object")
        if same == TRUE:
            return TRUE
    if x is y and isinstance(x, Dict):
        return TRUE
    if isinstance(x, Object) and isinstance(y, Object):
        found: Expr = same_or_equal(cx, x, y)
        return found
    return to_bool(cx, binary(cx, ast.Eq, x, y))


def _lexicographic(cx: Lowering, kind: type[ast.AST], a: Tup, b: Tup) -> Value:
    if len(a.items) == len(b.items):
        same: Expr = FALSE if kind in (ast.Lt, ast.Gt) else TRUE
    else:
        same = TRUE if (len(a.items) < len(b.items)) == (kind in (ast.Lt, ast.LtE)) else FALSE

    def differ(x: Value, y: Value) -> Answer:
        order = binary(cx, kind, x, y)
        if isinstance(order, Union):
            return to_bool(cx, order), symbolic.eq(order.tag, const(0))
        return to_bool(cx, order), FALSE if isinstance(order, Num) and not order.weak else TRUE

    value, of_python = _first_difference(cx, list(zip(a.items, b.items)), differ, same)
    if isinstance(of_python, Const):
        return Num(value, bool(of_python.value))
    tag = Op("select", (of_python, const(0), const(1)), i64)
    return Union(tag, (Kind("scalar", b1, True), Kind("scalar", b1)), (), value)


def to_bool(cx: Lowering, v: Value) -> Expr:
    """Python's truth value as a b1 expression; raises for arrays of several elements."""
    special: Expr | None = cx.above.truth_special(cx, v)
    if special is not None:
        return special
    match v:
        case Num():
            return truth(cx, v.expr)
        case Static():
            return TRUE if v.obj else FALSE
        case OneShot():
            return TRUE
        case Tup():
            return TRUE if v.items else FALSE
        case Dict():
            return TRUE if v.items or v.cls is not None else FALSE
        case Arr() | Lazy():
            size = cx.size_of(v.shape)
            text = "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
            cx.check(symbolic.le(size, const(1)), "ValueError", text)
            some, first = symbolic.ge(size, const(1)), tuple(const(0) for _ in v.shape)
            if not numpy_versions.EMPTY_IS_FALSE:
                text = "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an array is not empty."
                cx.check(some, "ValueError", text)
                return truth(cx, v.element(first))
            name = cx.scalar(b1, "truth")
            cx.write(name, FALSE)
            with cx.block() as found:
                cx.write(name, truth(cx, v.element(first)))
            cx.branch(some, found)
            return cx.read(name)
        case RangeVal():
            return symbolic.gt(cx.range_length(v.start, v.stop, v.step), const(0))
        case Object():
            return objects.truth(cx, v)
        case Union():
            return cx.above.truth_of(cx, v)
    return TRUE


def same_or_equal(cx: Lowering, x: Object, y: Object) -> Expr:
    """Tell whether two instances are one object, or equal."""
    same = to_bool(cx, is_same_object(cx, x, y))
    if same == TRUE:
        return TRUE
    equal = cx.scalar(b1, "equal")
    cx.write(equal, TRUE)
    with cx.block(symbolic.negate(same)) as others:
        cx.write(equal, to_bool(cx, binary(cx, ast.Eq, x, y)))
    cx.branch(symbolic.negate(same), others)
    return cx.let(cx.read(equal), "equal")
