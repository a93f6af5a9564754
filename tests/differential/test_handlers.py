"""What a handler handles (PYTEST_DONT_REWRITE): which exception a bare `raise` raises again, how long the exception's name lives; `del`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests.cases import Case, case_tests


def raised_again_in_finally(a: np.ndarray, n: int) -> Any:
    try:
        try:
            int("x")
        except ValueError:
            try:
                a[n] += 1
            finally:
                if a[0] > 2:
                    raise
                a[0] += 7
            raise
    except Exception as e:
        return repr(e), a
    return a


def raised_again_on_many_ways(a: np.ndarray, n: int) -> Any:
    while True:
        try:
            try:
                try:
                    int("x")
                except ValueError:
                    if n == 1:
                        return 4
                    try:
                        if n == 2:
                            break
                        if n == 3:
                            return 5
                        a[n] += 1
                    finally:
                        if a[0] > 2:
                            raise
                        a[0] += 7
                    raise
            finally:
                a[0] += 20
        except Exception as e:
            return repr(e), a
    return a


def gone_behind_a_loop(a: np.ndarray, n: int) -> Any:
    e = 5
    for k in range(n):
        try:
            a[k] = 0
        except IndexError as e:
            pass
    return e


def gone_in_finally(a: np.ndarray, n: int) -> None:
    e = 5
    try:
        try:
            a[n] = 0
        except IndexError as e:
            a[n] = 2
        finally:
            print(e)
    except NameError as x:
        print(repr(x))


def gone_by_jumps(a: np.ndarray, n: int) -> Any:
    for k in range(4):
        try:
            a[k + n] = 0
            e: Any = 3
        except IndexError as e:
            if n == 4:
                e = 7
            if n:
                continue
            if a[0] == 0:
                break
    return e


def gone_in_the_next_iteration(a: np.ndarray, n: int) -> np.ndarray:
    e = 0.0
    for k in range(4):
        e += 1
        try:
            a[k + n] = 0
        except IndexError as e:
            if n == 4:
                e = 7
        else:
            e += 2
    return a


def gone_by_an_exception(a: np.ndarray, n: int) -> Any:
    try:
        try:
            a[n] = 0
            e: Any = 5
        except IndexError as e:
            e = 6
            a[n] = 2
        except ValueError as e:
            pass
    except IndexError:
        return e
    return e


def text_or_gone(a: np.ndarray, n: int) -> Any:
    e = "text"
    for k in range(n):
        for j in range(2):
            try:
                a[k + j] = 0
            except IndexError as e:  # noqa: F811
                if k > 7:
                    return 5
        if k == 6:
            e = "other"
    return e


def array_or_gone(a: np.ndarray, n: int) -> Any:
    e: Any = a
    for k in range(n):
        try:
            a[k] = 0
        except IndexError as e:  # noqa: F811
            pass
        if k > 4:
            e = a[1:]
    return e


def handler_in_handler(a: np.ndarray, e: Any) -> Any:
    try:
        a[e] = 0
    except IndexError as e:
        try:
            a[5] = 1
        except Exception as e:
            a[0] = len(str(e))
        try:
            print(e)
        except NameError as x:
            print(x)
    return e


def handlers_in_finally(a: np.ndarray, n: int) -> Any:
    r = []
    for k in range(n):
        try:
            try:
                a[k] = 6 // (k - 1)
            except ZeroDivisionError as e:
                r.append(str(e))
                raise ValueError(k)  # noqa: B904
            finally:
                r.append(k)
        except (ValueError, IndexError) as e:
            r.append(str(e))
            try:
                [1, 2][k]
            except IndexError as e:
                r.append(repr(e))
                continue
            finally:
                try:
                    a[k + 1] = 3
                except LookupError as e:
                    r.append(str(e))
            r.append(repr(e))
    return r


def seen_by_a_lambda(a: np.ndarray, n: int) -> Any:
    f = lambda: e  # noqa: E731
    e = 4
    for k in range(n):
        try:
            a[k] = 1
        except IndexError as e:
            a[0] += len(str(f()))
    return f()


def as_loop_variable(a: np.ndarray, n: int) -> Any:
    for e in range(n):
        try:
            a[e] = 1
        except IndexError as e:
            if e.args:
                continue
    return e


def deleted_in_a_loop(a: np.ndarray, n: int) -> Any:
    x: Any = 3
    for k in range(n):
        if k == 3:
            del x
        for _ in range(2):
            if k == 2:
                x = 3.5
            if k == 4:
                x = "s"
    return x


def constant_deleted_in_a_loop(a: np.ndarray, n: int) -> Any:
    x = None
    for k in range(n):
        if k == 1:
            del x
        elif k == 3:
            x = k
    return x


def tuple_deleted_in_a_loop(a: np.ndarray, n: int) -> Any:
    x = (1, a)
    for k in range(n):
        if k == 1:
            del x
        elif k == 3:
            x = (k, a[1:])
    return x


def deleted_in_a_try(a: np.ndarray, n: int) -> Any:
    x = 1
    try:
        if n > 1:
            del x
        if n > 4:
            a[n] = 3
    except IndexError:
        return 5
    return x


FUNCTIONS = (
    gone_behind_a_loop, gone_in_finally, gone_by_jumps, gone_in_the_next_iteration, gone_by_an_exception, text_or_gone, array_or_gone,
    handler_in_handler, handlers_in_finally, seen_by_a_lambda, as_loop_variable, deleted_in_a_loop, constant_deleted_in_a_loop,
    tuple_deleted_in_a_loop, deleted_in_a_try,
)  # fmt: skip
CASES: list[Case] = [
    (raised_again_in_finally, [(np.array([x, 2.0]), n) for x, n in ((1, 4), (4, 4), (4, 0), (1, 1))]),
    (raised_again_on_many_ways, [(np.array([x, 2.0, 3, 4]), n) for x in (1, 4) for n in (0, 1, 2, 3, 7)]),
    *((f, [(np.zeros(3), n) for n in (0, 1, 2, 4, 6)]) for f in FUNCTIONS),
]
test_interpreted, test_compiled = case_tests(CASES, ("raised_again_in_finally", "gone_by_jumps", "gone_behind_a_loop"))


def assigned_by_a_function(a: np.ndarray, n: int) -> Any:
    def g() -> None:
        nonlocal e
        e = n

    e: Any = 1
    try:
        a[n] = 3
    except IndexError as e:
        g()
    return e


def test_names_that_nested_functions_assign_are_refused() -> None:
    with pytest.raises(sol.UnsupportedError, match="'e', an exception's name that a nested function assigns"):
        sol.jit(assigned_by_a_function, strict=True, target="interpreter")(np.zeros(3), 5)
