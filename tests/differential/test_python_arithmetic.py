"""Arithmetic of Python's own bool, int, float: floor division, powers, overflow, errors, short circuits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.oracle import check, check_all

PAIRS = [(7, 2), (-7, 2), (7, -2), (-7, -2), (6, 3), (0, 5), (-1, 3), (2**62, 7), (-(2**63), 2)]


def int_arithmetic(a: int, b: int) -> tuple[Any, ...]:
    return a // b, a % b, divmod(a, b), a / b, a - b, -a // b, a // -b, (a > b, a == b, a != b, a <= b)


def test_integers_floor() -> None:
    check(int_arithmetic, *PAIRS[0], also=PAIRS[1:-1])


def float_arithmetic(a: float, b: float) -> tuple[Any, ...]:
    return a // b, a % b, divmod(a, b), a / b, a * b, a - b, -a, abs(a), +a, a < b, a == a, not a


def test_floats_floor() -> None:
    pairs = [
        (7.5, 2.0),
        (-7.5, 2.0),
        (7.5, -2.0),
        (-0.0, 3.0),
        (0.0, -3.0),
        (1e300, 1e-5),
        (math.inf, 2.0),
        (5.0, math.inf),
        (-5.0, math.inf),
    ]
    check(float_arithmetic, *pairs[0], also=pairs[1:] + [(math.nan, 1.0), (1.0, math.nan)])


def test_mixed_numbers() -> None:
    check_all(
        """
        i + x
        i * b
        b + b
        b * x
        b - b
        -b
        b // i
        i // x
        i % x
        x // i
        i / b
        b & b
        b | (i > 3)
        b ^ b
        b & i
        ~i
        ~i & 255
        i << 3
        i >> 1
        -i >> 1
        i ^ 85
        i == x
        b == 1
        i < x <= 8
        i < 8 < x
        1 < i > 2
        not i
        not x
        not b
        """,
        i=7,
        x=2.5,
        b=True,
    )


def test_conversions() -> None:
    check_all(
        """
        int(x)
        int(-x)
        float(i)
        bool(i)
        bool(x - x)
        int(b)
        float(b)
        complex(x)
        complex(i, x)
        round(x)
        round(-x)
        round(x, 1)
        round(i)
        abs(-i)
        abs(-x)
        min(i, 3)
        max(i, x)
        min(x, i)
        max(1, 2, i)
        min(i, 7)
        max(7.0, i)
        pow(i, 2)
        pow(i, 3, 5)
        sum((i, i, i))
        sum((x, i))
        """,
        i=7,
        x=2.5,
        b=True,
    )


def powers(a: int, n: int) -> tuple[Any, ...]:
    return a**n, a**2, a**0, (-a) ** 3, 2**n


def test_powers_of_integers() -> None:
    check(powers, 3, 5, also=[(0, 0), (-2, 7), (1, 60), (10, 18)])


def test_powers_of_floats() -> None:
    check_all(
        """
        x ** 2
        x ** 3
        x ** 0.5
        x ** -1
        x ** -2
        x ** i
        i ** x
        x ** x
        2.0 ** i
        i ** -1
        i ** 0.5
        x ** 0
        """,
        ulps=1,
        x=2.75,
        i=5,
    )


def power(a: Any, b: Any) -> Any:
    return a**b


def test_powers_that_fail_or_change_type() -> None:
    check(power, 0, -1, raises=ZeroDivisionError)
    check(power, 0.0, -1.0, raises=ZeroDivisionError)
    check(power, 10.0, 400.0, raises=OverflowError)
    check(power, 2, -1, also=[(5, -3), (-2, -3)])


def float_power_of_int_exponent(x: float, n: int) -> float:
    return x**n


def test_float_to_an_integer_power() -> None:
    check(float_power_of_int_exponent, 2.0, 10, also=[(1.5, 3), (-1.5, 3), (0.0, 0), (math.inf, 2), (2.0, -2)], ulps=1)


def divisions(a: Any, b: Any, which: int) -> Any:
    if which == 0:
        return a / b
    if which == 1:
        return a // b
    if which == 2:
        return a % b
    return divmod(a, b)


@pytest.mark.parametrize(("a", "b"), [(1, 0), (1.0, 0.0), (1, 0.0), (True, False)])
def test_division_by_zero_raises(a: Any, b: Any) -> None:
    for which in range(4):
        check(divisions, a, b, which, raises=ZeroDivisionError)


def overflow_add(a: int) -> int:
    return a + 1


def overflow_mul(a: int, b: int) -> int:
    return a * b


def overflow_negative(a: int) -> int:
    return -a


def test_integers_that_stay_inside_64_bits() -> None:
    check(overflow_add, 2**63 - 2)
    check(overflow_mul, 2**31, 2**31, also=[(-(2**31), 2**31), (-(2**62), 2)])
    check(overflow_negative, 2**63 - 1)


def python_loop_sum(n: int) -> int:
    total = 0
    for i in range(n):
        total += i * i
    return total


def factorial(n: int) -> int:
    r = 1
    for i in range(2, n + 1):
        r *= i
    return r


def test_integer_accumulation() -> None:
    check(python_loop_sum, 1000, also=[(0,), (1,)])
    check(factorial, 20, also=[(0,), (5,)])


def shifts(a: int, n: int) -> tuple[int, int]:
    return a >> n, (a & 15) << n


def test_shifts() -> None:
    check(shifts, 1000, 3, also=[(-1000, 3), (5, 0), (-1, 58)])
    check(shifts, 1, -1, raises=ValueError)


def operands(a: Any, b: Any) -> tuple[Any, Any, Any, Any]:
    return a or b, a and b, not a, a or b and a


def test_and_or_return_an_operand() -> None:
    check(operands, 0, 5, also=[(3, 5), (3, 0), (0, 0)])
    check(operands, 0.0, 2.5, also=[(1.5, 2.5)])
    check(operands, False, True)


def guarded_index(a: Any, i: int) -> bool:
    return i > 0 and a[i - 1] > 0


def guarded_division(x: int, y: int) -> bool:
    return y != 0 and x // y > 2 or x == 1


def conditional_value(x: float, y: float) -> float:
    return x / y if y != 0.0 else -1.0


def test_short_circuit() -> None:
    import numpy as np

    check(guarded_index, np.array([1.0, -1.0]), 0, also=[(np.array([1.0, -1.0]), 1), (np.array([1.0, -1.0]), 2)])
    check(guarded_division, 7, 0, also=[(7, 2), (1, 0), (7, 5)])
    check(conditional_value, 1.0, 0.0, also=[(1.0, 4.0)])


def chained(a: int, b: int, c: int) -> tuple[bool, bool, bool]:
    return a < b < c, a < b == c, a != b != c


def test_chained_comparisons() -> None:
    check(chained, 1, 2, 3, also=[(1, 3, 3), (3, 3, 3), (3, 2, 1)])


def by_the_c_library(n: int) -> list[float]:
    out = []
    x = 0.013
    while len(out) < n:
        for y in (math.exp(x), math.log(x), math.log10(x), math.log1p(x), math.expm1(x), math.exp2(x), math.asin(x)):
            out.append(y)
        for y in (math.sinh(x), math.cosh(x), math.tanh(x), math.acos(x), math.atanh(x), math.cbrt(x), x**0.7, x**3):
            out.append(y)
        out.append(math.atan2(x, 0.3) + math.pow(x, x) + np.float64(x) ** 1.3)
        x = math.fmod(x * 3.7, 0.99)
    return out


def test_the_bits_of_the_c_library() -> None:
    check(by_the_c_library, 3000)


def test_math_functions() -> None:
    check_all(
        """
        math.sqrt(x)
        math.floor(x)
        math.ceil(-x)
        math.trunc(-x)
        math.fabs(-x)
        math.copysign(x, -0.0)
        math.isnan(x)
        math.isinf(x)
        math.isfinite(x)
        math.fmod(-x, 2)
        math.hypot(x, 3)
        math.pi
        math.inf
        math.gcd(i, 21)
        math.degrees(x)
        math.radians(x)
        math.floor(i)
        math.sqrt(i)
        math.factorial(i)
        math.isqrt(i)
        """,
        ulps=1,
        x=2.75,
        i=14,
    )
    check_all(
        """
        math.exp(x)
        math.log(x)
        math.log(x, 2)
        math.log10(x)
        math.log2(x)
        math.log1p(x)
        math.expm1(x)
        math.sin(x)
        math.cos(x)
        math.tan(x)
        math.atan(x)
        math.asin(y)
        math.acos(y)
        math.atan2(x, y)
        math.sinh(x)
        math.cosh(x)
        math.tanh(x)
        math.asinh(x)
        math.acosh(x)
        math.atanh(y)
        math.pow(x, y)
        math.erf(x)
        math.gamma(x)
        """,
        ulps=2,
        x=2.75,
        y=0.375,
    )


def math_errors(x: float, which: int) -> float:
    if which == 0:
        return math.sqrt(x)
    if which == 1:
        return math.log(x)
    return math.exp(x)


def test_math_errors() -> None:
    check(math_errors, -1.0, 0, raises=ValueError, message="type")
    check(math_errors, 0.0, 1, raises=ValueError, message="type")
    check(math_errors, 1e6, 2, raises=OverflowError, message="type")


def float_to_int(x: float) -> int:
    return int(x)


def test_floats_that_are_no_integers() -> None:
    check(float_to_int, math.nan, raises=ValueError)
    check(float_to_int, math.inf, raises=OverflowError)
    check(float_to_int, -3.99, also=[(1e15,), (-0.5,)])


def quotient(a: int, b: int) -> float:
    return a / b


def compared(n: int, x: float) -> tuple[Any, ...]:
    return n < x, n <= x, n > x, n >= x, n == x, n != x, x < n, x == n


def test_large_ints_meet_floats_without_rounding() -> None:
    big = 2**53 + 1
    check(quotient, big, 3, also=[(2**63 - 1, 2**62 + 1), (-(2**63), 7), (5, -(2**63)), (0, -3), (big, -1)])
    check(compared, big, float(big), also=[(2**63 - 1, 2.0**63), (-(2**63), -(2.0**63)), (3, math.nan), (3, 3.0)])


def negated_conditions(a: Any, i: int) -> Any:
    hits = 0
    for k in range(i):
        if k > 0 and a[k - 1] > 0 and not (k == 2 or a[k] < 0):
            hits += 1
    return hits if i and a[0] > 0 else -1


def test_conditions_of_mixed_types() -> None:
    import numpy as np

    check(negated_conditions, np.array([1.0, 2.0, -1.0, 3.0]), 4, also=[(np.array([1.0, 2.0]), 0)])


def number_methods(i: int, x: float) -> Any:
    return (
        i.bit_length(),
        (-i).bit_length(),
        i.bit_count(),
        x.is_integer(),
        (x * 2).is_integer(),
        i.conjugate(),
        x.as_integer_ratio(),
        i.numerator,
        x.hex(),
    )


def more_divmod(a: int, b: int) -> Any:
    return divmod(a, b), divmod(-a, b), divmod(a * 1.0, b), divmod(-7.5, 2), pow(a, b, 7), pow(a, -1, 7), round(a, -1)


def rounded(x: float, n: int) -> Any:
    return round(x, 2), round(x, n), round(x, -1), round(x, None), round(x * 2)


def complex_numbers(x: float, n: int) -> Any:
    z = complex(x, n)
    return z / (1 + 2j), 1 / z, z / x, z**2, z**-1, z**3, z**0, z**0.5, z**z, 2**z, abs(z), z == complex(x, n), z * z


def complex_failures(z: complex, which: int) -> Any:
    if which == 0:
        return z / (z - z)
    if which == 1:
        return (z - z) ** -1
    return (z * 1e150) ** 3


def root(x: float) -> Any:
    return x**0.5


def test_methods_and_complex_numbers() -> None:
    check(number_methods, 37, 2.5)
    check(more_divmod, 17, 5)
    check(rounded, 2.675, 2, also=[(1234.5678, -2), (-0.5, 0)])
    check(complex_numbers, 2.5, 3, also=[(0.5, -7)])
    check(complex_failures, 1 + 2j, 0, raises=ZeroDivisionError)
    check(complex_failures, 1 + 2j, 1, raises=ZeroDivisionError)
    check(complex_failures, 1 + 2j, 2, raises=OverflowError)
    check(root, -2.0, also=[(2.0,)])


def in_vector_loops(a: Any, b: Any) -> Any:
    r = np.empty((9, len(a)))
    for k in range(len(a)):
        r[0, k] = math.hypot(a[k], b[k])
        r[1, k] = math.hypot(a[k], b[k], 2) * 2 + a[k]
        r[2, k] = math.dist((a[k], b[k]), (b[k], 1.0))
        r[3, k] = math.tanh(a[k])
        r[4, k] = math.asinh(a[k]) * 2
        r[5, k] = math.atan2(a[k], b[k])
        r[6, k] = math.exp(-abs(a[k])) + 1
        r[7, k] = abs(a[k]) ** 0.3
        r[8, k] = math.cos(1 / (1 + abs(b[k])))
    return r


def test_the_c_library_in_vector_loops() -> None:
    rng = np.random.default_rng(3)
    a = np.concatenate([rng.uniform(-5, 5, 800), [0.0, -0.0, np.inf, np.nan, 1e308, 1e-300, 3.0]])
    check(in_vector_loops, a, np.roll(a, 5), also=[(a[::-3], a[::3])])
    check(
        lambda x, y: (math.hypot(), math.hypot(x), math.hypot(1, 2, x, y), math.dist([x, 2], [4, y])),
        3,
        np.float32(7.5),
    )
    check(lambda x: math.dist((x, 2), (1,)), 2.0, raises=ValueError)


def test_the_length_of_a_range_beyond_64_bits() -> None:
    def f(n):
        return len(range(-n, n))

    check(f, 2**62, raises=OverflowError, plainly=True)
    check(f, 5)


def test_powers_modulo() -> None:
    def power(a, b, n):
        return pow(a, b, n), pow(a % 7, 5, 13)

    ends = [(2, 10, 1000), (-3, 3, 7), (3, 3, -7), (-3, 4, -7), (5, 0, 1), (0, 0, 5), (5, 0, -1), (7, 2**62, 2**63 - 1)]
    ends += [
        (-(2**63), 3, 2**63 - 1),
        (2**63 - 1, 2**63 - 1, -(2**63)),
        (3, -1, 7),
        (3, -2, -7),
        (10**18, 10**18, 10**9 + 7),
    ]
    check(power, *ends[0], also=ends[1:])
    check(power, 2, 3, 0, raises=ValueError)
    check(power, 2, -1, 4, raises=ValueError)
    check(power, *ends[0], also=ends[1:], settings={"target": "interpreter"})


def test_floats_beside_ints_beyond_64_bits() -> None:
    def compared(x):
        return x == 2**63, x != 2**63, 2**63 == x, x == 2**63 + 1, x == 10**400, x < 2**63, x >= 2**64, [x == -(2**64)]

    check(compared, 2.0**63, also=[(1.5,), (-(2.0**64),), (float("inf"),), (float("nan"),)])


def test_lists_that_arrays_are_added_to() -> None:
    def added(a, n):
        q = [1, 2]
        p = q
        q += a
        r = [3]
        r += n
        return q, p, r

    check(
        added, np.arange(2.0), np.int64(3), also=[(np.ones((2, 2)), np.float32(1))], settings={"target": "interpreter"}
    )


def test_powers_of_what_is_not_finite() -> None:
    def powers(x, y, n):
        return x**y, pow(n, y), n**y, y**x

    inf, nan = float("inf"), float("nan")
    calls = [
        (0.0, -inf, 0),
        (-2.0, inf, 1),
        (-2.0, nan, -3),
        (-inf, 0.5, 2),
        (-inf, -0.5, 1),
        (nan, 0.0, 0),
        (inf, -inf, 4),
    ]
    check(powers, *calls[0], also=calls[1:], settings={"target": "interpreter"})
    check(powers, *calls[0], also=calls[1:])


def test_sorted_numbers_keep_their_types() -> None:
    def f(a, n):
        s = sorted([np.uint8(127), np.float16(20), 30, np.int32(2), 2.0, np.bool_(1)], reverse=n > 1)
        return s, sorted([np.bool_(0), 0, -0.0])

    check(f, np.arange(3), 1, also=[(np.arange(3), 2)], settings={"target": "interpreter"})


def test_ints_to_powers_of_either_sign() -> None:
    def powers(a, n):
        out = []
        total = 0
        while n > -3:
            out.append(a**n)
            total += 10**n
            n -= 1
        return out, total, 2**n > 0.2, np.arange(3) * 2**n

    for settings in ({}, {"target": "interpreter"}):
        check(powers, 2, 3, also=[(-3, 2), (5, -7)], settings=settings)
    check(powers, 0, 3, raises=ZeroDivisionError, settings={"target": "interpreter"})

    def length(v, n):
        m = 2 ** (n - 3)
        return v[m], np.zeros(m)

    check(length, np.arange(30), 5, settings={"target": "interpreter"})
    check(length, np.arange(30), 1, raises=IndexError, settings={"target": "interpreter"})


def inverted(n: int) -> Any:
    r: list[Any] = [~n, ~-5]
    for x in (3.75, -0.0, 1j, n / 2, None):
        try:
            r.append(~x)  # type: ignore[operator]
        except TypeError as e:
            r.append(str(e))
    return r


def inverted_int_or_float(n: int) -> int:
    x: Any = 3.5
    if n > 4:
        x = 3
    return ~x  # type: ignore[no-any-return]


def test_what_cannot_be_inverted() -> None:
    check(inverted, 3, settings={"target": "interpreter"})
    check(inverted_int_or_float, 7, settings={"target": "interpreter"})
    check(inverted_int_or_float, 3, raises=TypeError, settings={"target": "interpreter"})


def test_divisors_of_loops() -> None:
    """Loops whose turns, which need each other, divide by a number that stays: of either sign, 0, 1, and large."""

    def digits(first, last, d):
        found, before = [], 0
        for i in range(first, last):
            before = (before * 31 + i % d - i // d) % 1_000_003
            found.append(before)
        return found

    def ring(a, d):
        for i in range(1, len(a)):
            a[i % d] += a[i] - a[i - 1] // d
        return a

    for d in (1, 2, 3, 7, 64, 2**40 + 1, 2**62, -1, -3, -64, -(2**40)):
        check(digits, -20, 20, d)
        check(digits, 2**40 - 5, 2**40 + 5, d)
        check(digits, -(2**62), -(2**62) + 4, d)
    check(digits, 0, 4, 0)
    check(digits, 4, 4, 0)
    for d in (1, 5, -5, 30):
        check(ring, np.arange(30) * 7 - 50, d)
        check(ring, np.arange(30) * 7 - 50, np.int64(d))
    check(ring, np.arange(6), 0)
