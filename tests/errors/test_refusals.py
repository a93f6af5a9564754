"""What soljit does not compile: strict mode says where and what, the default runs Python and warns once."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

from tests import oracle

pytestmark = pytest.mark.skipif(oracle.IDENTITY, reason="needs the compiler")


def generator(a: np.ndarray) -> Any:
    yield a


async def coroutine(a: np.ndarray) -> Any:
    return a


async def async_generator(a: np.ndarray) -> Any:
    yield a


class Held:
    def method(self, a: np.ndarray) -> Any:
        yield from a


NEVER_COMPILED = {
    "generator": generator,
    "coroutine": coroutine,
    "async_generator": async_generator,
    "method": Held.method,
    "<lambda>": lambda a: (yield a),
}


@pytest.mark.parametrize("name", NEVER_COMPILED)
@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited")
def test_what_is_no_plain_function_is_refused_and_by_default_told_once(name: str) -> None:
    import soljit as sol

    f: Any = NEVER_COMPILED[name]
    given = (Held(), np.ones(2))[f is not Held.method :]
    for _ in range(2):
        with pytest.raises(
            sol.UnsupportedError, match=rf"{name} is (a|an async) (generator|function)\nhint: Python runs it"
        ):
            sol.jit(strict=True)(f)(*given)
    jitted = sol.jit(f)
    with pytest.warns(sol.FallbackWarning, match="runs in plain Python"):
        made = jitted(*given)
    assert type(made) is type(f(*given))
    if hasattr(made, "__next__"):
        assert [*map(repr, made)] == [*map(repr, f(*given))]
    with warnings.catch_warnings():
        warnings.simplefilter("error", sol.FallbackWarning)
        jitted(*given)
        assert jitted.__call__(*given) is not None
    with pytest.raises(TypeError):
        jitted()


def test_a_decorated_generator_is_compiled_along_where_a_compiled_function_uses_it_up() -> None:
    import soljit as sol

    items = sol.jit(strict=True)(generator)

    @sol.jit(strict=True)
    def f(a: np.ndarray) -> Any:
        return [x.sum() for x in items(a)]

    assert f(np.ones(3)) == [3.0]


def uses_eval(a: np.ndarray) -> Any:
    b = a + 1
    return eval("b * 2")


def unknown_method(a: np.ndarray) -> Any:
    return a.dumps()


def sets(a: np.ndarray) -> Any:
    s = set()
    for x in a:
        s.add(float(x))
    return len(s)


def opens_file(a: np.ndarray) -> Any:
    with open("/dev/null") as f:
        return f.read(), a


@pytest.mark.parametrize("f", [uses_eval, sets, opens_file, unknown_method], ids=lambda f: f.__name__)
def test_refused_with_a_place_or_right(f: Callable[..., Any]) -> None:
    import soljit as sol

    try:
        got = sol.jit(strict=True)(f)(np.arange(3.0))
    except sol.UnsupportedError as e:
        text = str(e)
        assert "test_refusals.py" in text
        assert "^" in text
        assert f.__name__ in text
    else:
        assert repr(got) == repr(f(np.arange(3.0)))


@pytest.mark.parametrize("f", [uses_eval, sets, opens_file, unknown_method], ids=lambda f: f.__name__)
def test_the_default_runs_python_and_warns_once(f: Callable[..., Any]) -> None:
    import soljit as sol

    jitted = sol.jit(f)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(3):
            assert repr(jitted(np.arange(3.0))) == repr(f(np.arange(3.0)))
    mine = [w for w in caught if issubclass(w.category, sol.FallbackWarning)]
    assert len(mine) <= 1


def test_python_integers_beyond_64_bits() -> None:
    import soljit as sol

    def add(a: int, b: int) -> int:
        return a + b

    def mul(a: int, b: int) -> int:
        return a * b

    def neg(a: int, b: int) -> int:
        return -a - b

    def power(a: int, b: int) -> int:
        return a**b

    def shift(a: int, b: int) -> int:
        return a << b

    top = 2**63 - 1
    for f, args in (
        (add, (top, 1)),
        (mul, (2**40, 2**40)),
        (neg, (-(2**63), 0)),
        (power, (3, 50)),
        (shift, (1, 70)),
        (add, (-(2**63), -1)),
    ):
        with pytest.warns(sol.FallbackWarning) if abs(f(*args)) >= 2**63 else nullcontext():
            assert sol.jit(strict=True)(f)(*args) == f(*args)


def test_strange_arguments() -> None:
    import soljit as sol

    def f(a: Any) -> Any:
        return a + a

    for a in (np.array([(1, 2.0)], dtype="i4,f8"), object()):
        with pytest.raises(TypeError):
            sol.jit(strict=True)(f)(a)


def test_strange_arguments_by_default() -> None:
    import soljit as sol

    def f(a: Any) -> Any:
        return a + a

    for a in (
        np.array([1, 2], dtype=object),
        "text",
        [1, 2],
        np.array(["2020-01-01"], "M8[D]")[:0].astype("m8[D]"),
        2**70,
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert repr(sol.jit(f)(a)) == repr(f(a))
