"""Exceptions of compiled code: type, message, operands as Python prints them, the user's line in the traceback."""

from __future__ import annotations

import gc
import sys
import traceback
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.base.messages import fill_in
from soljit.runtime.variants.variant import Place, RaiseRecord
from tests.runtime.handmade import handmade

BODY = """
EXPORT int32_t sol_kernel(sol_frame* f) {
  f->place = f->in[0];
  put(f->operands, (int64_t)-3); put(f->operands + 1, 0.1); put(f->operands + 2, 0.1f);
  put(f->operands + 3, (uint8_t)200); put(f->operands + 4, true); put(f->operands + 5, 1.0); put(f->operands + 6, -2.0);
  return SOL_RAISE;
}
"""
TYPES = ("i64", "f64", "f32", "u8", "b1", "c128")
WHERE = Place("", 1, "fail")


@handmade(
    BODY,
    raises=[
        RaiseRecord("builtins.IndexError", "index {0} of {1} {2} {3} {4} {5}", TYPES, WHERE),
        RaiseRecord("numpy.linalg.LinAlgError", "Singular matrix", (), WHERE),
        RaiseRecord("builtins.ValueError", None, (), WHERE),
        RaiseRecord("builtins.AssertionError", "{0!s}: { no format", TYPES, WHERE),
    ],
)
def fail(which: Any) -> None: ...


def test_type_and_message() -> None:
    with pytest.raises(IndexError) as e:
        fail(0)
    assert str(e.value) == f"index -3 of 0.1 {np.float32(0.1)} 200 True (1-2j)"
    with pytest.raises(np.linalg.LinAlgError, match="^Singular matrix$"):
        fail(1)
    with pytest.raises(ValueError) as v:
        fail(2)
    assert v.value.args == ()
    with pytest.raises(AssertionError) as a:
        fail(3)
    assert str(a.value) == "-3: { no format"


def test_traceback_ends_at_the_users_line() -> None:
    try:
        fail(0)
    except IndexError as e:
        first, last = traceback.extract_tb(e.__traceback__)
    assert first.name == "test_traceback_ends_at_the_users_line"  # nothing of soljit stands between them
    assert last.filename == __file__ and last.name == "fail"
    assert last.lineno == fail.python.__code__.co_firstlineno + 1


def test_fill_in() -> None:
    assert fill_in("{0} {0!r} {1!s}", ["a", 1]) == "a 'a' 1"
    assert fill_in("shapes ({0},{1}) {", [2, 3]) == "shapes (2,3) {"


def test_exceptions_in_a_row_leak_nothing() -> None:
    a = np.ones(3)

    @handmade(BODY.replace("f->in[0]", "2"), raises=[RaiseRecord("builtins.ValueError", None, (), WHERE)] * 3)
    def g(a: Any) -> None: ...

    before = sys.getrefcount(a)
    for _ in range(50):
        with pytest.raises(ValueError):
            g(a)
    gc.collect()
    assert sys.getrefcount(a) == before


KEEPS_FRAMES = pytest.mark.skipif(sys.version_info < (3, 11), reason="`raise` gives back the traceback that there was")


@KEEPS_FRAMES
def test_traceback_of_a_first_call_is_the_users() -> None:
    def f(a: Any, i: int) -> Any:
        b = a * 2
        return b[i] / (i - 3)

    def shown(g: Any) -> list[str]:
        try:
            g(np.arange(5), 7)
        except IndexError as e:
            lines = traceback.format_exception(e)
        return lines

    jitted = sol.jit(f, strict=True)
    assert shown(jitted) == shown(f) == shown(jitted)  # the first call compiles, the second does not


@KEEPS_FRAMES
def test_traceback_of_a_refusal_is_the_callers() -> None:
    def f(a: Any) -> Any:
        return eval("a + 1")  # noqa: S307

    with pytest.raises(sol.UnsupportedError) as e:
        sol.jit(f, strict=True)(np.arange(5))
    assert [entry.name for entry in traceback.extract_tb(e.value.__traceback__)] == [
        "test_traceback_of_a_refusal_is_the_callers"
    ]
