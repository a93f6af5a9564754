"""Every kind of parameters is bound by the dispatcher in C (`runtime/native/parameters.h`) as Python binds it."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.runtime.build.native_dispatcher import why_not_native


def only(a: Any, b: Any = 2, /, c: Any = 3) -> Any:
    return a + 10 * b + 100 * c


def rest(a: Any, *more: Any) -> Any:
    s = a
    for x in more:
        s = 2 * s + x
    return s, len(more)


def keywords(a: Any, *, b: Any, c: Any = 5) -> Any:
    return a + 10 * b + 100 * c


def anything(a: Any, b: Any = 1, /, *rest: Any, c: Any = 7, **more: Any) -> Any:
    return a, b, rest, c, more


def changed(a: Any, **more: Any) -> Any:
    more["new"] = a
    return more


CALLS: list[tuple[Callable[..., Any], list[tuple[tuple[Any, ...], dict[str, Any]]]]] = [
    (only, [((1.0,), {}), ((1.0, 4), {}), ((1.0, 4, 5), {}), ((1.0,), {"c": 2}), ((1.0,), {"b": 2}), ((), {"a": 1.0}), ((), {})]),
    (rest, [((1.0,), {}), ((1.0, 2.0), {}), ((1.0, 2.0, 3.0), {}), ((), {"a": 2.0}), ((1.0,), {"a": 2.0}), ((), {})]),
    (keywords, [((1.0,), {"b": 2}), ((1.0,), {"c": 1, "b": 2}), ((1.0, 2.0), {"b": 2}), ((1.0,), {}), ((1.0,), {"d": 2, "b": 1})]),
    (anything, [((1,), {}), ((1, 2, 3), {"c": 3}), ((1,), {"a": 2, "b": 3}), ((1,), {"z": 1, "y": 2.5}), ((1,), {"y": 2.5, "z": 1})]),
    (changed, [((1.5,), {}), ((1.5,), {"k": 2}), ((1.5,), {"new": 2}), ((), {"a": 2.5, "k": 1})]),
]  # fmt: skip


def outcome(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    try:
        return repr(f(*args, **kwargs))
    except TypeError as e:
        return str(e)


@pytest.mark.parametrize("function, calls", CALLS, ids=lambda x: getattr(x, "__name__", ""))
def test_calls_are_bound_as_python_does(function: Any, calls: Any) -> None:
    f = sol.jit(function)
    for _ in range(3):
        for args, kwargs in calls:
            made = {
                "".join([*name]): value for name, value in kwargs.items()
            }  # names that are not the very objects in the code
            assert outcome(f, args, made) == outcome(function, args, kwargs)


@pytest.mark.parametrize("function, calls", CALLS, ids=lambda x: getattr(x, "__name__", ""))
def test_the_slow_path_is_left(function: Any, calls: Any) -> None:
    if why_not_native():
        pytest.skip("needs the dispatcher in C")
    f = sol.jit(function)
    args, kwargs = calls[0]
    f(*args, **kwargs)
    assert len(f.signatures) == 1
    f._entry._call = lambda *_: pytest.fail("the slow path")
    for _ in range(3):
        assert repr(f(*args, **kwargs)) == repr(function(*args, **kwargs))


def test_defaults_of_keywords_that_change() -> None:
    f = sol.jit(keywords)
    assert f(1.0, b=2) == 521.0
    before = keywords.__kwdefaults__
    try:
        before["c"] = 6
        assert f(1.0, b=2) == 621.0
        keywords.__kwdefaults__ = {"c": 7}
        assert f(1.0, b=2) == 721.0
    finally:
        before["c"] = 5
        keywords.__kwdefaults__ = before


def test_names_that_are_texts_of_a_class() -> None:
    class Text(str):
        def __eq__(self, other: object) -> bool:
            return str.__eq__(self, "a") or str.__eq__(self, other)

        __hash__ = str.__hash__

    f = sol.jit(changed)
    assert f(1.5) == {"new": 1.5}
    assert f(1.5, **{Text("k"): 3}) == changed(1.5, **{Text("k"): 3})


def test_plain_python_is_tried_with_all_kinds_of_parameters() -> None:
    def f(a: Any, *rest: Any, key: Any = 1, **more: Any) -> Any:
        held = []
        for x in a:
            held.append((x, key, *rest))
        return held, more

    g = sol.jit(f)
    with sol.settings(strict=False), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        a = [str(k) for k in range(100)]
        for _ in range(40):
            assert g(a, 1, 2, key=3, z=4) == f(a, 1, 2, key=3, z=4)
    assert any(g._entry.trial(v) is not None for v in g._entry.variants)


def test_arrays_among_the_rest() -> None:
    def f(*arrays: Any, scale: Any = 1.0) -> Any:
        s = 0.0
        for a in arrays:
            a += 1
            s += a.sum() * scale
        return s

    g = sol.jit(f)
    for n in (1, 2, 3):
        for _ in range(2):
            one, other = [np.arange(4.0) for _ in range(n)], [np.arange(4.0) for _ in range(n)]
            assert g(*one, scale=2.0) == f(*other, scale=2.0)
            assert all((a == b).all() for a, b in zip(one, other))


class Held:
    def __init__(self) -> None:
        self.x = 1.0

    @sol.jit
    def get(self, y: float = 2.0) -> float:
        return self.x + y

    @sol.jit
    @classmethod
    def name(cls) -> str:
        return cls.__name__

    @sol.jit
    @staticmethod
    def twice(x: float) -> float:
        return 2 * x


def test_methods() -> None:
    h = Held()
    for _ in range(20):
        assert h.get() == 3.0 and h.get(y=1.0) == 2.0 and Held.get(h, 5.0) == 6.0
        assert h.name() == Held.name() == "Held" and h.twice(2.0) == Held.twice(2.0) == 4.0
    method = h.get
    assert method.__self__ is h and method.__func__ is Held.get and method == h.get
    assert Held.get is vars(Held)["get"] and Held.get.__get__(None, Held) is Held.get
    assert Held.get.__get__(h)(1.0) == 2.0
    assert type(h.get) is type(h.__init__)
    assert functools.partialmethod(Held.get, 4.0).__get__(h)() == 5.0
