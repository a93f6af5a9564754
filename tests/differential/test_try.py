"""try, except, else and finally (PYTEST_DONT_REWRITE): which handler runs, with which values, and what happens on every way out."""

from __future__ import annotations

import contextlib
import math
from typing import Any

import numpy as np

import soljit as sol
from tests import oracle
from tests.oracle import check
from tests.values import grid


def division(a: int, b: int) -> float:
    try:
        return a / b
    except ZeroDivisionError:
        return math.inf


def none_or_value(a: float, b: float) -> Any:
    result = None
    try:
        result = a / b
    except ZeroDivisionError:
        pass
    return result


def which_handler(a: np.ndarray, i: int) -> int:
    try:
        x = a[i]
        if x < 0:
            raise ValueError("negative")
        if x > 2:
            raise KeyError(i)
    except IndexError:
        return 1
    except (ValueError, TypeError):
        return 2
    except Exception:
        return 3
    else:
        return 4


def test_handlers() -> None:
    check(division, 1, 2, also=[(1, 0)])
    check(none_or_value, 1.0, 0.0, also=[(1.0, 2.0)])
    a = np.array([1.0, -1.0, 3.0])
    check(which_handler, a, 0, also=[(a, 1), (a, 2), (a, 3), (a, -4)])


def in_a_loop(a: np.ndarray, b: np.ndarray) -> Any:
    bad = 0
    total = 0.0
    for i in range(len(a)):
        try:
            if b[i] == 0.0:
                raise ZeroDivisionError("zero")
            total += a[i] / b[i]
        except ZeroDivisionError:
            bad += 1
            a[i] = -1.0
    return total, bad


def first_bad(a: np.ndarray) -> int:
    where = -1
    try:
        for i in range(len(a)):
            for j in range(3):
                if a[i] < j - 2:
                    where = 3 * i + j
                    raise ValueError
            a[i] += 1
    except ValueError:
        a[0] = 100.0
    return where


def jumps(a: np.ndarray) -> Any:
    s = 0.0
    seen = 0
    for i in range(len(a)):
        try:
            if a[i] < 0:
                continue
            if a[i] > 5:
                break
            s += math.sqrt(a[i] - 1)
        except ValueError:
            s += 100.0
            continue
        finally:
            seen += 1
        s += 1000.0
    else:
        seen = -seen
    return s, seen


def test_loops() -> None:
    check(in_a_loop, grid(4), np.array([1.0, 0.0, 2.0, 0.0]))
    check(in_a_loop, grid(2), np.array([1.0, 2.0]))
    check(first_bad, np.array([1.0, 1.0, -1.5, 2.0]))
    check(first_bad, np.array([1.0, 1.0]))
    check(jumps, np.array([1.0, -1.0, 0.5, 2.0]))
    check(jumps, np.array([1.0, -1.0, 0.5, 7.0, 2.0]))


def with_finally(a: np.ndarray, n: int) -> Any:
    try:
        if n == 0:
            return a[0] * 2
        if n == 1:
            raise ValueError("one")
        a[1] = 7.0
    finally:
        a[2] += 1.0
    return a.sum()


def everything(a: np.ndarray, n: int) -> Any:
    log = 0
    try:
        log += 1
        if n == 1:
            raise ValueError("v")
        if n == 2:
            raise IndexError("i")
        if n == 3:
            return log
    except ValueError:
        log += 10
    else:
        log += 100
    finally:
        log += 1000
        a[0] = log
    return log


def finally_returns(n: int) -> int:
    try:
        if n == 0:
            raise ValueError
        return 1
    finally:
        if n < 2:
            return 2  # noqa: B012


def test_finally() -> None:
    for n in range(3):
        check(with_finally, grid(4), n, raises=ValueError if n == 1 else None)
    for n in range(4):
        check(everything, grid(4), n, raises=IndexError if n == 2 else None)
    check(finally_returns, 0, also=[(1,), (2,)])


def nested(a: np.ndarray, n: int) -> Any:
    r = 0
    try:
        try:
            if n == 0:
                raise ValueError("inner")
            if n == 1:
                raise KeyError("outer")
            r += 1
            a[n]
        except ValueError:
            r += 10
            if a[0] > 0:
                raise RuntimeError("from the handler")  # noqa: B904
        finally:
            r += 100
    except KeyError:
        r += 1000
    except RuntimeError:
        r += 10000
    except IndexError:
        r = -r
    return r


def raised_again(a: np.ndarray, n: int) -> None:
    try:
        if n > 2:
            raise ValueError(f"n is {n}")
        a[n] = 5.0
    except (ValueError, IndexError):
        a[0] = -1.0
        raise


def changed(n: int) -> int:
    try:
        if n < 0:
            raise KeyError("negative")
        return 10 // n
    except KeyError as e:
        raise ValueError("no") from e
    except ZeroDivisionError as e:
        raise RuntimeError(f"failed: {e}") from None


def test_nested_and_raised_again() -> None:
    for n in (0, 1, 2, 9):
        check(nested, grid(4), n)
        check(nested, -grid(4), n)
    check(raised_again, grid(2), 5, raises=ValueError)
    check(raised_again, grid(2), 2, raises=IndexError)
    check(raised_again, grid(2), 1)
    check(changed, 5)
    check(changed, -1, raises=ValueError)
    check(changed, 0, raises=RuntimeError)


def solver(a: np.ndarray, b: np.ndarray) -> Any:
    try:
        x = np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        x = np.zeros_like(b)
    return x


def inverse_or_none(a: np.ndarray) -> Any:
    try:
        return np.linalg.inv(a)
    except np.linalg.LinAlgError:
        return np.eye(len(a)) * np.nan


def factor(a: np.ndarray) -> Any:
    shift = 1e-3
    for k in range(20):
        try:
            low = np.linalg.cholesky(a + shift * np.eye(len(a)))
            break
        except np.linalg.LinAlgError:
            shift *= 10
    else:
        raise RuntimeError("not to be mended")
    return low, shift


def cleaned_up(a: np.ndarray, b: np.ndarray) -> Any:
    try:
        b[:] = np.linalg.inv(a)
    finally:
        b += 1.0
    return b


def test_exceptions_of_numpy() -> None:
    good = np.array([[2.0, 1.0], [1.0, 3.0]])
    check(solver, good, np.ones(2), also=[(np.ones((2, 2)), np.ones(2))])
    check(inverse_or_none, good, also=[(np.ones((2, 2)),)])
    check(factor, good, also=[(good - 5.0 * np.eye(2),)])
    check(factor, good - 1e30 * np.eye(2), raises=RuntimeError)
    check(cleaned_up, good, np.zeros((2, 2)))
    check(cleaned_up, np.ones((2, 2)), np.zeros((2, 2)), raises=np.linalg.LinAlgError)


class Trouble(ValueError):
    """An exception of the module's own."""


class Worse(Trouble):
    """And one below it."""


def helper(x: float) -> float:
    for k in range(3):
        if x > k + 1:
            raise Worse(f"{k}")
    if x < 0:
        raise Trouble("negative")
    return x + 1


def own_classes(a: np.ndarray) -> Any:
    out = np.zeros(len(a))
    for i in range(len(a)):
        try:
            out[i] = helper(a[i])
        except Worse:
            out[i] = -2.0
        except Trouble:
            out[i] = -3.0
    return out


def test_functions_that_raise() -> None:
    check(own_classes, np.array([0.5, -1.0, 7.0, 0.25]))


def unbound(n: int) -> int:
    try:
        if n > 0:
            raise ValueError
        x = 3
    except ValueError:
        pass
    return x


def unbound_in_handler(n: int) -> int:
    try:
        y = 10 // n
        z = y // (n - 1)
    except ZeroDivisionError:
        return y
    return z


def test_names_that_may_be_unbound() -> None:
    check(unbound, 0)
    check(unbound, 1, raises=UnboundLocalError)
    check(unbound_in_handler, 3, also=[(1,)])
    check(unbound_in_handler, 0, raises=UnboundLocalError)


def implicit(a: np.ndarray, b: np.ndarray, which: int) -> Any:
    try:
        if which == 0:
            return (a + b).sum()
        if which == 1:
            return a.reshape(7, -1).sum()
        if which == 2:
            assert a[0] > 100, "small"
        if which == 3:
            return math.log(a[0])
        if which == 4:
            return int(a[0] / 0.0)
        if which == 5:
            return a[which] + 0.0
        return 0.0
    except ValueError:
        return -1.0
    except AssertionError:
        return -2.0
    except ArithmeticError:
        return -3.0
    except LookupError:
        return -4.0


def test_implicit_checks() -> None:
    with np.errstate(all="ignore"):
        for which in range(7):
            check(implicit, grid(3), grid(4), which)


def suppressing(a: np.ndarray, i: int) -> Any:
    with contextlib.suppress(IndexError, ZeroDivisionError):
        a[0] = 9.0
        a[i] = 1.0 / i
        a[1] = 8.0
    return a


def test_suppress() -> None:
    check(suppressing, grid(4), 2, also=[(grid(4), 7), (grid(4), 0)])


def types_change(a: np.ndarray, i: int) -> Any:
    x = 0
    y = None
    try:
        x = 1.5
        if i == 7:
            raise KeyError
        y = a[i]
        x = a[i + 1]
        y = a * 2
        a[i + 2] += 1
    except IndexError:
        return x, y
    except KeyError:
        y = "key"
    return y, x


def reports(a: np.ndarray, i: int) -> str:
    try:
        if i < 0:
            raise ValueError("fixed text")
        if i == 3:
            raise RuntimeError
        assert i < 3, "less than three"
        return "fine"
    except (ValueError, AssertionError) as e:
        return str(e)
    except RuntimeError as error:
        print("caught", error, 1)
        return type(error).__name__


def messages(a: np.ndarray, i: int) -> None:
    try:
        a[i] = 1
        raise TypeError(
            f"{i} is too {'small' if i < 2 else 'large'}",
        )
    except (IndexError, TypeError) as e:
        raise ValueError(f"<{e}> in {len(a)}")  # noqa: B904


def test_types_and_texts() -> None:
    for i in range(8):
        check(types_change, grid(4), i)
    check(reports, grid(3), 1, also=[(grid(3), -1), (grid(3), 3), (grid(3), 5)])
    check(messages, grid(3), 1, raises=ValueError)
    check(messages, grid(3), 5, raises=ValueError)


def while_true(a: np.ndarray) -> int:
    i = 0
    while True:
        try:
            a[i] += 1.0
            i += 1
        except IndexError:
            break
    return i


def returned_from_loop(a: np.ndarray, x: float) -> int:
    def find(x: float) -> int:
        for i in range(len(a)):
            try:
                if a[i] == x:
                    return i
                if a[i] > 100:
                    raise OverflowError
            except OverflowError:
                return -2
            finally:
                a[i] += 0.5
        return -1

    return find(x) * 2


def keeps_rows(n: int) -> Any:
    out = np.zeros(n)
    for i in range(n):
        try:
            out[i] = 1.0 / (i - 2)
        except ZeroDivisionError:
            out[i] = np.nan
    return out


def test_more_loops() -> None:
    check(while_true, grid(3))
    check(returned_from_loop, grid(4), 2.0, also=[(grid(4), 77.0), (grid(4) + 99.0, 1.0)])
    check(keeps_rows, 5)


class Coded(Exception):
    """An exception with an attribute."""

    def __init__(self, code: int, text: str = "x") -> None:
        super().__init__(f"{text} ({code})")
        self.code = code


def coded(a: np.ndarray, n: int) -> Any:
    try:
        if n > 2:
            raise Coded(n, "bad")
        raise KeyError(n)
    except Coded as e:
        return e.code, str(e)
    except KeyError as e:
        return e.args, str(e)


def described(n: int) -> Any:
    try:
        raise ValueError("text", n)
    except ValueError as e:
        return e.args, str(e), repr(e), type(e).__name__, isinstance(e, ValueError), len(e.args)


def uncaught(a: np.ndarray, n: int) -> None:
    a[0] = 9
    if n == 0:
        raise KeyError(n)
    if n == 1:
        assert a.sum() < 0, "the sum is %g" % a.sum()
    raise Coded(n)


def texts(a: np.ndarray, which: int) -> Any:
    try:
        if which == 0:
            np.linalg.inv(np.ones((2, 2)))
        if which == 1:
            return (a + np.ones(7)).sum()
        if which == 2:
            assert a.sum() < 0, "the sum is %g" % a.sum()
        if which == 3:
            x, y = a
        if which == 4:
            return {"a": 1}["b"]
    except (ValueError, AssertionError, np.linalg.LinAlgError, KeyError) as e:
        message = f"error: {e}"
        return message


def collected(a: np.ndarray) -> Any:
    out = []
    log = []
    for i in range(len(a) + 2):
        try:
            out.append(a[i] * 2)
        except IndexError:
            out.append(-1.0)
        finally:
            log.append(i)
    return out, log


def counted(a: np.ndarray) -> int:
    it = iter(a)
    n = 0
    try:
        while True:
            next(it)
            n += 1
    except StopIteration:
        pass
    return n


def test_exceptions_as_values() -> None:
    check(coded, grid(3), 3, also=[(grid(3), 2)])
    check(described, 3)
    check(uncaught, grid(3), 0, raises=KeyError)
    check(uncaught, grid(3), 1, raises=AssertionError)
    check(uncaught, grid(3), 2, raises=Coded)
    for which in range(5):
        check(texts, grid(3), which)
    check(collected, grid(3))
    check(counted, grid(3))


def inner_loop_variable(a: np.ndarray) -> Any:
    v = None
    try:
        j = 0
        for j in range(2):
            v = j
            if a[j] > 0:
                raise ZeroDivisionError("m")
    except ArithmeticError:
        return j, v
    return v


def known_no_more(a: np.ndarray, n: int) -> Any:
    v = 0.5
    for j in range(3):
        v += a[j]
        for _ in range(1):
            try:
                v = 10 // n
                v = -1
            except ZeroDivisionError:
                pass
    return v


def test_variables_of_loops() -> None:
    check(inner_loop_variable, grid(3), also=[(-grid(3),)])
    check(known_no_more, grid(3), 2, also=[(grid(3), 0)])


def many_places(a: np.ndarray, n: int) -> Any:
    try:
        for k in range(1, 16):
            if n == k and k % 2 == 0:
                raise ValueError(f"even {k}")
        if n == 1:
            raise ValueError("1")
        if n == 3:
            raise ValueError("3")
        if n == 5:
            raise ValueError("5")
        if n == 7:
            raise KeyError("7")
        if n == 9:
            raise KeyError("9")
        if n == 11:
            raise RuntimeError("11")
        if n == 13:
            raise RuntimeError("13")
        if n == 15:
            raise OverflowError("15")
        if n == 17:
            raise OverflowError("17")
        if n == 19:
            raise TypeError("19")
        if n == 21:
            raise TypeError("21")
        if n == 23:
            raise AssertionError("23")
        if n == 25:
            raise AssertionError("25")
        return a[n] // 0 if n < 30 else n // (n - 30)
    except Exception as e:
        return str(e), type(e).__name__


def test_exceptions_from_many_places() -> None:
    check(many_places, grid(3), 4, also=[(grid(3), n) for n in (7, 9, 15, 30, 29, 25)])


def _nest(depth: int) -> str:
    lines = ["def f(a, log):", *("    " * (k + 1) + "try:" for k in range(depth))]
    lines.append("    " * (depth + 1) + "log.append(1 // a[0])")
    for k in reversed(range(depth)):
        lines += ["    " * (k + 1) + "finally:", "    " * (k + 2) + f"log.append({k})"]
    return "\n".join(lines) + "\n"


def test_programs_of_nested_finally_clauses_stay_small() -> None:
    sizes = []
    for depth in (3, 6):
        f = oracle.function(_nest(depth), "f")
        check(f, np.array([2]), [], also=[(np.array([0]), [])], settings={"target": "interpreter"})
        jitted = sol.jit(f, target="interpreter", strict=True)
        jitted(np.array([2]), [])
        sizes.append(len(jitted.ir().split("\n")))
    assert sizes[1] < 4 * sizes[0]


def of_other_rank(a: Any, b: np.ndarray, w: Any, n: int) -> Any:
    try:
        if n:
            a[n] += 1
    except (IndexError, TypeError):
        if b:
            pass
        else:
            w = w[0]
    return w[0]


def test_names_that_a_branch_of_a_handler_binds() -> None:
    w = np.arange(4.0).reshape(2, 2)
    calls = [
        (1, np.array(0.25), w, 3),
        (1, np.array(0.0), w, 3),
        (1, np.array(0.25), w, 0),
        (w[0].copy(), np.array(0.0), w, 1),
    ]
    check(of_other_rank, *calls[0], also=calls[1:], settings={"target": "interpreter"})


def rank_in_a_handler_that_leaves(x: np.ndarray, y: np.ndarray) -> Any:
    v: Any = None
    out = 0
    for i in range(3):
        out += 1 if v is None else 2
        v = x + i
        try:
            w = 1 // int(y[i])
            v = 3
        except ZeroDivisionError:
            raise ValueError("no") from None
        out += w + v
    return out


def rank_with_a_finally(x: np.ndarray, y: np.ndarray) -> Any:
    v: Any = None
    out = 0
    for i in range(3):
        v = x + i
        try:
            v = v[None]
            w = 1 // int(y[i])
            v = v[None]
        except ZeroDivisionError:
            continue
        finally:
            out += 1
        out += v.ndim + w
    return v, out


def test_types_that_the_body_changes_are_known_behind_it() -> None:
    x = np.arange(3.0)
    for y in (np.ones(3), np.array([1, 0, 2]), np.zeros(3)):
        check(rank_in_a_handler_that_leaves, x, y)
        check(rank_with_a_finally, x, y)
