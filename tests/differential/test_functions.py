"""Calls (PYTEST_DONT_REWRITE): helpers, closures, globals, defaults, lambdas, recursion, functions as values."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from math import sqrt as root
from typing import Any

import numpy as np

from tests import oracle
from tests.oracle import check
from tests.values import grid

SCALE = 2.5
TABLE = np.array([1.0, 2.0, 4.0])
OFFSETS = (1, 2.5)


def helper(x: Any, y: Any = 2.0) -> Any:
    return x * y + SCALE


def writes_argument(a: np.ndarray, k: int) -> None:
    a[k] = a[k] + 100


def two_results(a: np.ndarray) -> tuple[np.ndarray, Any]:
    if a[0] > 0:
        return a + 1, a.sum()
    return a - 1, a.max()


def calls(a: np.ndarray) -> Any:
    writes_argument(a, 1)
    b, s = two_results(a)
    c = helper(a) + helper(a, 3.0) + helper(y=4.0, x=b)
    return c, s, helper(2), helper(2.0, y=1)


def test_helpers() -> None:
    check(calls, grid(4), also=[(grid(4) + 1,)])


def early(a: np.ndarray, i: int) -> float:
    for k in range(i, len(a)):
        if a[k] > 2:
            return k * 10.0
        if a[k] < 0:
            break
    return -1.0


def helper_with_returns_in_loops(a: np.ndarray) -> np.ndarray:
    out = np.zeros(len(a))
    for i in range(len(a)):
        out[i] = early(a, i)
    return out


def test_helpers_with_several_returns() -> None:
    check(helper_with_returns_in_loops, np.array([1.0, 3.0, -1.0, 0.0, 5.0]))


def reads_globals(a: np.ndarray) -> Any:
    return a * SCALE + TABLE, OFFSETS[1] * a, len(OFFSETS), root(4.0)


def test_globals() -> None:
    check(reads_globals, grid(3))


def test_changed_globals_are_seen() -> None:
    f = oracle.function(
        "K = 2.0\nT = np.array([1.0, 2.0])\ndef g(x):\n    return x + K\ndef f(a):\n    return a * K + T, g(a)\n", "f"
    )
    check(f, grid(2))
    f.__globals__["K"] = 5.0
    check(f, grid(2))
    f.__globals__["K"] = 5
    check(f, grid(2))
    f.__globals__["T"][1] = -7.0
    check(f, grid(2))
    f.__globals__["T"] = np.array([1.0, 2.0], np.float32)
    check(f, grid(2))
    exec("def g(x):\n    return x - K\n", f.__globals__)


def test_redefined_helper_is_seen() -> None:
    f = oracle.function("def g(x):\n    return x + 1\ndef f(a):\n    return g(a) * 2\n", "f")
    check(f, grid(2))
    f.__globals__["g"] = oracle.function("def g(x):\n    return x - 1\n")
    check(f, grid(2))
    f.__globals__["g"] = np.sqrt
    check(f, grid(2))


def make(k: Any, table: np.ndarray) -> Callable[..., Any]:
    def closure(a: np.ndarray) -> Any:
        return a * k + table

    return closure


def make_counter() -> tuple[Callable[..., Any], Callable[[float], None]]:
    level = 1.0

    def read(a: np.ndarray) -> Any:
        return a + level

    def change(x: float) -> None:
        nonlocal level
        level = x

    return read, change


def test_closures() -> None:
    check(make(2, np.ones(3)), grid(3))
    check(make(2.5, np.arange(3)), grid(3))
    read, change = make_counter()
    check(read, grid(3))
    change(7.0)
    check(read, grid(3))


def defaults(a: np.ndarray, b: float = 2.0, *, c: int = 3, d: Any = None) -> Any:
    if d is None:
        return a * b + c
    return a + d


def test_defaults_and_keywords() -> None:
    check(defaults, grid(3))
    check(defaults, grid(3), 4.0)
    check(defaults, grid(3), c=5)
    check(defaults, grid(3), b=1, c=2)
    check(defaults, grid(3), d=grid(3))
    check(defaults, grid(3), 1.0, d=2)


def wrong_call(a: np.ndarray) -> Any:
    return a


def test_wrong_calls() -> None:
    check(wrong_call, grid(3), grid(3), raises=TypeError)
    check(wrong_call, raises=TypeError)
    check(wrong_call, grid(3), b=1, raises=TypeError)
    check(wrong_call, grid(3), a=1, raises=TypeError)


def star(*args: Any, **kw: Any) -> Any:
    s = 0.0
    for x in args:
        s = s + x
    return s * kw["w"], len(args)


def test_star_arguments() -> None:
    check(star, 1.0, grid(2), 3, w=2)
    check(star, w=2.0)


def uses_lambda(a: np.ndarray) -> Any:
    f = lambda x: x * 2 + a[0]  # noqa: E731
    g = lambda x, y=3: f(x) - y  # noqa: E731
    return f(a), g(1.0), (lambda: 5)(), [f(k) for k in range(3)]


def nested(a: np.ndarray) -> Any:
    k = 2.0

    def inner(x: Any) -> Any:
        return x * k + a[0]

    k = 3.0

    def inner2(x: Any) -> Any:
        return inner(inner(x))

    return inner2(a)


def test_lambdas_and_nested_functions() -> None:
    check(uses_lambda, grid(3) + 1)
    check(nested, grid(3) + 1)


def factorial(n: int) -> int:
    return 1 if n <= 1 else n * factorial(n - 1)


def fibonacci(n: int) -> int:
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


def tree_sum(a: np.ndarray, lo: int, hi: int) -> float:
    if hi - lo == 1:
        return a[lo]
    mid = (lo + hi) // 2
    return tree_sum(a, lo, mid) + tree_sum(a, mid, hi)


def is_even(n: int) -> bool:
    return True if n == 0 else is_odd(n - 1)


def is_odd(n: int) -> bool:
    return False if n == 0 else is_even(n - 1)


def test_recursion() -> None:
    check(factorial, 10, also=[(0,), (20,)])
    check(fibonacci, 12)
    check(tree_sum, np.cos(grid(9)), 0, 9)
    check(is_even, 7, also=[(8,)])


def apply(f: Callable[..., Any], a: np.ndarray) -> Any:
    return f(a) + 1


def integrate(f: Callable[[float], float], lo: float, hi: float, n: int) -> float:
    h = (hi - lo) / n
    s = 0.0
    for i in range(n):
        s += f(lo + (i + 0.5) * h)
    return s * h


def square(x: Any) -> Any:
    return x * x


def test_functions_as_arguments() -> None:
    check(apply, square, grid(3))
    check(apply, np.sqrt, grid(3))
    check(apply, helper, grid(3))
    check(integrate, square, 0.0, 1.0, 50, rtol=1e-14)


@dataclasses.dataclass
class Body:
    mass: float
    place: np.ndarray

    def kick(self, f: float) -> float:
        self.place += f / self.mass
        return self.mass * f


def moves(b: Body, f: float) -> float:
    b.place[0] -= 1
    r = b.kick(f) if f > 0 else 0.0
    return r + b.mass


class Model:
    def __init__(self, w: np.ndarray) -> None:
        self.w = w

    def forward(self, x: np.ndarray) -> np.ndarray:
        return np.maximum(x @ self.w, 0)


def test_dataclass_arguments() -> None:
    check(moves, Body(2.0, grid(3)), 4.0)
    check(moves, Body(2.0, grid(3)), -4.0)


def local_imports(x: float) -> Any:
    import math as m
    from math import cos, sin

    import numpy

    return m.floor(x), sin(x) ** 2 + cos(x) ** 2, numpy.sqrt(x)


def test_local_imports() -> None:
    check(local_imports, 2.5, ulps=2)


def docstring_and_annotations(a: np.ndarray) -> np.ndarray:
    """Doubles."""
    b: np.ndarray = a * 2  # a comment
    n: int
    n = 3
    pass
    assert n == 3, "never"
    del n
    return b


def test_harmless_statements() -> None:
    check(docstring_and_annotations, grid(3))


def global_statement(x: float) -> float:
    global SCALE
    return x * SCALE


def test_global_statement_for_reading() -> None:
    check(global_statement, 2.0)


def constant() -> int:
    return 42


def nothing() -> None:
    pass


def strings(a: np.ndarray, mode: str) -> Any:
    if mode == "double":
        return a * 2
    elif mode in ("half", "halve"):
        return a / 2
    return mode


def test_odd_signatures() -> None:
    check(constant)
    check(nothing)
    for mode in ("double", "half", "other"):
        check(strings, grid(3), mode)


def counter(n: int) -> int:
    c = 0

    def add(k: int) -> int:
        nonlocal c
        c += k
        return c

    for i in range(n):
        add(i)
    return c


def observer(a: np.ndarray) -> Any:
    count = 0
    best = None

    def see(x: float) -> None:
        nonlocal count, best
        count += 1
        if best is None or x < best:
            best = x

    def maybe(x: float) -> int:
        if x > 0:
            see(x)
        return count

    t = 0
    for x in a:
        t += maybe(x)
    return count, best, t


def state_of_arrays(a: np.ndarray, n: int) -> Any:
    s = a * 1.0

    def step() -> None:
        nonlocal s
        s = s * 0.5 + a

    for _ in range(n):
        step()
    if n > 2:
        step()
        return s.sum()
    return s


def nested_counters(n: int) -> int:
    def f() -> int:
        x = 0

        def g() -> int:
            nonlocal x
            x += 2
            return x

        while g() < n:
            pass
        return x

    return f() + f()


def recursive_counter(n: int) -> Any:
    total = 0

    def go(k: int) -> int:
        nonlocal total
        if k == 0:
            return 0
        total += k
        return go(k - 1) + 1

    return go(n), total


def test_variables_of_enclosing_functions() -> None:
    check(counter, 5, also=[(0,)])
    check(observer, np.array([3.0, -1.0, 2.0, 5.0, 1.0]), also=[(np.array([-1.0]),)])
    check(state_of_arrays, grid(3), 2, also=[(grid(3), 4)])
    check(nested_counters, 7)
    check(recursive_counter, 30, or_refused=True)


def two(a: Any, b: Any, *, c: Any, d: Any = 1) -> Any:
    return a


def opt(a, b=2, /, e: Any = 3) -> Any:
    return a


class M:
    def go(self, x: Any) -> Any:
        return x


def k1(n: Any) -> Any:
    return two(n)


def k2(n: Any) -> Any:
    return two()


def k3(n: Any) -> Any:
    return two(1, 2, 3, c=1)


def k4(n: Any) -> Any:
    return two(1, 2)


def k5(n: Any) -> Any:
    return opt()


def k6(n: Any) -> Any:
    return opt(1, 2, 3, 4)


def k7(n: Any) -> Any:
    return opt(1, b=2)


def k8(n: Any) -> Any:
    return opt(1, e=2, q=4)


def k9(n: Any) -> Any:
    return opt(1, 2, 3, e=4)


def k10(n: Any) -> Any:
    return (lambda a: a)()


def k11(n: Any) -> Any:

    def f(a, b):
        return a

    return f(1, 2, 3)


def k12(n: Any) -> Any:
    return M().go()


def k13(n: Any) -> Any:

    def f(a, b=2, *r, k=1, **q):
        return (a, b, r, k, sorted(q.items()))

    return (f(1), f(1, n), f(1, 2, 3, 4), f(a=1, k=3, z=4), f(*[1, 2], **{"k": n}))


def test_calls_that_do_not_fit() -> None:
    check(k1, *(3,))
    check(k2, *(3,))
    check(k3, *(3,))
    check(k4, *(3,))
    check(k5, *(3,))
    check(k6, *(3,))
    check(k7, *(3,))
    check(k8, *(3,))
    check(k9, *(3,))
    check(k10, *(3,))
    check(k11, *(3,))
    check(k12, *(3,))
    check(k13, *(3,))


def _past_a_branch(a: Any) -> Any:
    if a[1] > 0:
        if a[0] != 0:
            return 1.0
        b = 5.0
    else:
        b = 3.0
        if a[0] > 2:
            if a[0] > 3:
                return 7.0
            b = 9.0
    return b


def _past_a_loop(a: Any, n: int) -> Any:
    if n > 1:
        for i in range(n):
            if a[i] > 3:
                return float(i)
    for q in (a[0], 2.0):
        if q > 2:
            return q
    else:
        if a[1] > 2:
            return 11.0
    with np.errstate(all="ignore"):
        if a[0] > 1:
            return 8.0
    return -1.0


def _else_and_types(a: Any, n: int) -> Any:
    for _ in range(n):
        if a[0] > 2:
            return 3.0
    else:
        a[1] += 1
    if a[1] > 0:
        x = 1 if n else 2
        if a[0] > 1:
            x = np.zeros(2)
        y = 2
    else:
        x, y = 0, 1
    return np.sum(x) + y


def test_helpers_that_return_early() -> None:
    def f(a: Any, n: int) -> Any:
        return _past_a_branch(a), _past_a_loop(a, n), _else_and_types(a, n), a

    values = ([0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [2.5, 0.0], [4.0, 0.0], [4.0, 1.0], [0.0, 5.0])
    calls = [(np.array(x), n) for x in values for n in (0, 2)]
    check(f, *calls[0], also=calls[1:])


def test_imports_of_the_package() -> None:
    def f(x: Any) -> Any:
        from . import elsewhere
        from .elsewhere import K as k

        return elsewhere.K * x + k, elsewhere.__name__

    check(f, 2.0)
    check(f, np.arange(3))
