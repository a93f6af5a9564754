"""`try` in `finally` clauses and in handlers: such clauses are lowered once, whichever way control comes to them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.cases import Case, case_tests


class Own(ValueError):
    pass


class Guard:
    def __init__(self, u: np.ndarray, quiet: bool) -> None:
        self.u, self.quiet = u, quiet

    def __enter__(self) -> Guard:
        self.u[0] += 10
        return self

    def __exit__(self, kind: Any, error: Any, at: Any) -> bool:
        self.u[0] -= 5
        return self.quiet and kind is not None


def _names_of_the_clause(a: np.ndarray, b: np.ndarray, n: int) -> Any:
    y = 0
    try:
        y = a[n] * 0.5
        b = a
        z = 1 // (2 - n)
    except ZeroDivisionError:
        y = n
        z = 2.5
    finally:
        try:
            y = y + [1, a[0]][n]
            if y > 2:
                b = b[::-1]
        except IndexError as e:
            y = len(str(e))
            print(e)
        finally:
            a[0] += 1
            w = y
    return y, z, w, b


def names_of_the_clause(a: np.ndarray, b: np.ndarray, n: int) -> Any:
    try:
        return _names_of_the_clause(a, b, n)
    except (IndexError, ValueError) as e:
        return str(e), a, b


def in_a_loop(a: np.ndarray, b: np.ndarray, n: int) -> Any:
    s, log = 0, []
    for i in range(4):
        try:
            if i == n:
                continue
            s += a[i + n]
            if i > 2:
                break
        except IndexError as e:
            s = -1
            log.append(str(e))
        finally:
            try:
                log.append(i)
                s += int("12x"[: i + 1])
            except ValueError as e:
                print(e)
                with Guard(a, True):
                    s += b[i + 5]
            finally:
                s += 100
    return s, log, a


def returns(a: np.ndarray, b: np.ndarray, n: int) -> Any:
    y = 1
    try:
        if n == 1:
            return y, a
        y = b[n]
        if n == 2:
            raise Own("two")
    finally:
        try:
            a[n] = 7
            y = float("nope"[n:])
        except (IndexError, ValueError) as e:
            try:
                print(type(e).__name__, e, y)
                b[5] = 0
            except IndexError:
                y = -1
        finally:
            if n == 4:
                return "last", y  # noqa: B012
    return y, b


def raised_again(a: np.ndarray, b: np.ndarray, n: int) -> Any:
    try:
        try:
            a[n] = 1
            b[n + 1] = 2
        finally:
            try:
                a[0] = 1 // n
            except ZeroDivisionError:
                a[0] = -1
                if a[1] > 1:
                    raise
            finally:
                a[1] += 1
    except (IndexError, ZeroDivisionError) as e:
        return type(e).__name__, e.args, a
    return a


def many_texts(a: np.ndarray, b: np.ndarray, n: int) -> Any:
    s = 0
    try:
        s += a[n]
        s += b[n + 1]
        s += int("x" * n + "1")
        s += [1, 2, 3][n]
        raise Own(f"n is {n}")
    except (IndexError, ValueError) as e:
        s += len(str(e))
        try:
            s += b[n]
            s += a[n - 4]
        except IndexError as d:
            s -= len(str(d))
            print(f"{e} then {d}")
            try:
                s += {"a": 1}["ab"[n % 2]]
            except KeyError as k:
                print(k, e)
                raise d from None
    return s


def calls_of_python(a: np.ndarray, b: np.ndarray, n: int) -> Any:
    log = []
    for t in ("1", "x", "2.5", "[3"):
        try:
            log.append(int(t))
            log.append(float(t[n:]))
            log.append([n, t].index(t * n))
        except ValueError as e:
            log.append(str(e))
            try:
                log.append(float(t))
            except ValueError as d:
                log += [str(e), str(d)]
    return log


def _calls() -> list[tuple[Any, ...]]:
    return [(np.array([3.0, 1.0, 2.0, 5.0]), np.array([1.0, 4.0, 0.5]), n) for n in range(6)]


FUNCTIONS = [names_of_the_clause, in_a_loop, returns, raised_again, many_texts, calls_of_python]
CASES: list[Case] = [(f, _calls()) for f in FUNCTIONS]
test_interpreted, test_compiled = case_tests(CASES, {f.__name__ for f in FUNCTIONS})
