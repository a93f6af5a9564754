"""Exceptions that are made, kept, looked at and raised again (PYTEST_DONT_REWRITE): each is one object, with what it was made of."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np
import pytest

from tests.cases import case_tests
from tests.oracle import check


class Pair(NamedTuple):
    a: int
    b: float


class Coded(ValueError):
    def __init__(self, code: int, extra: int = 2) -> None:
        print("made", code)
        self.code, self.extra = code, extra

    def __str__(self) -> str:
        return f"<{self.code}, {self.extra}>"


def computed_argument(n: Any) -> Any:
    raise ValueError(n + 1)


def arguments_of_any_type(n: Any, which: int) -> Any:
    try:
        if which == 0:
            raise ValueError((n, 1))
        if which == 1:
            raise ValueError(None)
        if which == 2:
            raise KeyError([n] + [2])
        if which == 3:
            raise ValueError("a" + 1)  # type: ignore[operator]
        assert which < 5, (n, which)
        assert which < 4, 3
    except (ValueError, KeyError, TypeError, AssertionError) as e:
        return e.args


def a_list_that_changes(n: int) -> Any:
    xs = [n]
    e = ValueError(xs)
    xs.append(3)
    raise e


def keywords_and_attributes(n: int) -> Any:
    try:
        if n:
            raise Coded(n, extra=5)
        raise Coded(n)
    except Coded as e:
        return str(e), e.code, e.extra, e.args, repr(e)


def made_when_raised(n: int) -> Any:
    try:
        if n:
            raise Coded(n)
    except Coded:
        print("handled")
    raise Coded(7)


def the_same_object(n: int) -> Any:
    e = KeyError("k")
    try:
        raise e
    except KeyError as g:
        same = g is e
    try:
        try:
            raise KeyError(n)
        except KeyError as a:
            b = a
            raise ValueError("v") from a
    except ValueError as c:
        return same, c.__cause__ is b, repr(b)


def cause_of_a_class(n: int) -> Any:
    try:
        raise ValueError("x") from KeyError
    except ValueError as e:
        return repr(e.__cause__)


def kept(n: int) -> Any:
    errors = []
    last = None
    for i in range(n):
        try:
            if i % 2:
                raise ValueError(i)
            [][i]  # type: ignore[var-annotated]
        except (ValueError, IndexError) as e:
            errors.append(e)
            last = e
    return [repr(e) for e in errors], last is None, errors[-1:] == [last]


def given_back(v: int) -> Any:
    def looked(v: int) -> Any:
        return (ValueError(f"bad {v}"), None) if v < 0 else (None, v)

    error, value = looked(v)
    if error:
        raise error
    return value


def made_by_a_function(n: int) -> Any:
    def made(n: int) -> ValueError:
        return ValueError(f"made {n}")

    raise made(n)


def changed_and_raised_again(n: int) -> Any:
    try:
        if n > 2:
            raise KeyError(n)
        if n == 1:
            raise ValueError("one")
        [1][n]
    except (ValueError, LookupError) as e:
        e.args = (*e.args, 1)
        raise


def one_of_two_classes(n: int) -> Any:
    try:
        raise (ValueError if n else KeyError)("msg")
    except Exception as e:
        return type(e).__name__, str(e)


def no_exception(n: Any) -> Any:
    try:
        raise n
    except TypeError as e:
        return str(e)


def noted(n: int) -> Any:
    e = ValueError("x")
    e.extra = n  # type: ignore[attr-defined]
    try:
        raise e
    except ValueError as g:
        return g.extra, g is e, "%s" % g, len([g])  # type: ignore[attr-defined]


def one_name_in_nested_handlers(n: int) -> Any:
    try:
        try:
            x = 10 // n
        except ZeroDivisionError as e:
            raise ValueError("bad " + str(e)) from e
        else:
            x += 1
        finally:
            print("inner")
    except ValueError as e:
        print("caught", e, type(e.__cause__).__name__)
        return -1
    finally:
        print("outer")
    return x


def missing_module(n: int) -> Any:
    try:
        import no_such_module  # type: ignore[import-not-found]
    except ImportError as e:
        return str(e), n
    return no_such_module


def texts_of_values(n: int, x: Any) -> Any:
    raise ValueError(f"{x} {[x]} {x!r} {[n, x]} {Pair(n, 1.5)}")


def what_was_missing(v):
    try:
        return v.nope
    except AttributeError as e:
        return e.name, e.obj is v, str(e)


CASES = [
    (what_was_missing, [(np.arange(3.0),)]),
    (computed_argument, [(1,), (2.5,)]),
    (arguments_of_any_type, [(1, k) for k in range(6)]),
    (a_list_that_changes, [(1,)]),
    (keywords_and_attributes, [(0,), (1,)]),
    (made_when_raised, [(0,), (1,)]),
    (the_same_object, [(1,)]),
    (cause_of_a_class, [(1,)]),
    (kept, [(0,), (3,)]),
    (given_back, [(-1,), (2,)]),
    (made_by_a_function, [(1,)]),
    (changed_and_raised_again, [(0,), (1,), (2,), (3,)]),
    (one_of_two_classes, [(0,), (1,)]),
    (no_exception, [(0,), ("a",)]),
    (noted, [(3,)]),
    (missing_module, [(3,)]),
    (one_name_in_nested_handlers, [(0,), (2,)]),
    (texts_of_values, [(0, np.float32(1.5)), (1, "s"), (0, np.arange(2))]),
]

test_interpreted, test_compiled = case_tests(
    CASES, ["keywords_and_attributes", "missing_module", "kept", "changed_and_raised_again"]
)


def test_the_exception_being_handled_is_left_to_python() -> None:
    def f(n: int) -> Any:
        try:
            return 1 / n
        except ZeroDivisionError:
            return sys.exc_info()[0]

    with pytest.raises(AssertionError, match="calling 'exc_info'"):
        check(f, 0)
