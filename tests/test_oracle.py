"""The oracle sees every kind of wrong answer: a faulty twin stands in for the compiled function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests import oracle
from tests.values import layouts


def caught(right: Callable[..., Any], wrong: Callable[..., Any], *args: Any, **options: Any) -> oracle.Mismatch:
    oracle._compiled[right] = {"[]": wrong}
    with pytest.raises(oracle.Mismatch) as e:
        oracle.check(right, *args, **options)
    return e.value


def wrap(f: Callable[..., Any]) -> Callable[..., Any]:
    """A distinct function with the same behaviour, so that faults don't meet in the oracle's table."""
    return lambda *a: f(*a)


X = np.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize(
    ("right", "wrong", "text"),
    [
        (lambda a: a[0, 0], lambda a: float(a[0, 0]), "type float instead of numpy.float64"),
        (lambda a: 1, lambda a: True, "type bool instead of int"),
        (lambda a: (1, 2), lambda a: [1, 2], "type list instead of tuple"),
        (lambda a: None, lambda a: 0, "type int instead of NoneType"),
        (lambda a: 0.0 * a, lambda a: -0.0 * a, "instead of"),
        (lambda a: a + 1, lambda a: (a + 1).astype("f4"), "dtype float32 instead of float64"),
        (lambda a: a + 1, lambda a: (a + 1).reshape(-1), "shape (6,) instead of (2, 3)"),
        (lambda a: a + 1, lambda a: np.asfortranarray(a + 1), "c_contiguous is False"),
        (lambda a: a, lambda a: a.copy(), "is not argument array 0"),
        (lambda a: a[:1], lambda a: a[:1].copy(), "does not share memory with argument array 0"),
        (lambda a: a[:1].copy(), lambda a: a[:1], "shares memory with argument array 0"),
        (lambda a: print(1), lambda a: print(1.0), "printed '1.0\\n' instead of '1\\n'"),
        (lambda a: a[9], lambda a: a[1], "instead of IndexError"),
        (lambda a: a[1], lambda a: a[9], "although Python raises none"),
        (lambda a: a[9], lambda a: a[8], "message 'index 8 is out of bounds"),
        (lambda a: a.sort(), lambda a: a.fill(0), "arguments after the call"),
    ],
)
def test_faults_are_reported(right: Callable[..., Any], wrong: Callable[..., Any], text: str) -> None:
    if text == "instead of":
        right, wrong = (lambda a: np.zeros(3)), (lambda a: -np.zeros(3))
    assert text in str(caught(right, wrong, X))


def test_stray_writes_are_seen() -> None:
    def behind(a: np.ndarray) -> None:
        np.lib.stride_tricks.as_strided(a, (a.size + 1,), (8,))[-1] = 3.0

    assert "outside" in str(caught(lambda a: None, behind, X))

    def gap(a: np.ndarray) -> None:
        np.lib.stride_tricks.as_strided(a, (2,), (8,))[1] = 3.0

    assert "stray write" in str(caught(lambda a: None, gap, np.arange(8.0)[::2]))


def test_tolerance_is_for_values_only() -> None:
    caught(lambda a: a / 3, lambda a: a / 3 + 1e-9, X, rtol=1e-12)
    right = wrap(lambda a: a / 3)
    oracle._compiled[right] = {"[]": lambda a: a / 3 * (1 + 2e-16)}
    oracle.check(right, X, rtol=1e-15)
    caught(lambda a: a * np.nan, lambda a: a * 0, X, rtol=1.0)


def test_copies_keep_layout_and_overlap() -> None:
    def same(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> tuple[Any, ...]:
        return (
            a.strides,
            b.strides,
            a is b,
            np.shares_memory(a, c),
            a.flags.writeable,
            a.flags.aligned,
            a.flags.f_contiguous,
        )

    for name, a in layouts(X).items():
        for guarded in (False, True):
            seen = oracle.observe(same, (a, a, a[1:]), {}, guarded)
            assert seen.result == same(a, a, a[1:]), name
            assert np.array_equal(seen.copies.values[0][0], X), name
            assert not np.shares_memory(seen.copies.values[0][0], a)
    block = np.arange(10.0)
    seen = oracle.observe(lambda a, b: b.__setitem__(0, -1.0), (block[:6], block[4:]), {}, True)
    assert seen.copies.values[0][0][4] == -1.0
    assert block[4] == 4.0


def test_further_calls_are_checked() -> None:
    right = wrap(lambda a: a.sum())
    wrong = {3: 1.0}
    oracle._compiled[right] = {"[]": lambda a: wrong.get(a.size, a.sum())}
    oracle.check(right, X[:, :2])
    with pytest.raises(oracle.Mismatch):
        oracle.check(right, X[:, :2], also=[(X[0],)])


def test_a_group_of_expressions_names_the_guilty_one() -> None:
    twin = {"a - 1": "a + 1"}
    original = oracle._jit

    def faulty(f: Callable[..., Any], settings: Any) -> Callable[..., Any]:
        import inspect

        source = inspect.getsource(f)
        for good, bad in twin.items():
            source = source.replace(good, bad)
        return oracle.function(source)

    oracle._jit = faulty
    try:
        with pytest.raises(oracle.Mismatch) as e:
            oracle.check_all(["a * 2", "a - 1", "a / 2"], a=X)
    finally:
        oracle._jit = original
    assert "1 of 3 expressions differ" in str(e.value)
    assert "  a - 1\n" in str(e.value)
    assert "a * 2" not in str(e.value)


class Pair:
    """Its instances have no `__dict__`."""

    __slots__ = ("left", "right")
    scale: Any = 2

    def __init__(self, left: Any, right: Any) -> None:
        self.left, self.right = left, right

    def __call__(self) -> Any:
        return self.left


def test_instances_are_compared_by_their_attributes() -> None:
    oracle._compiled[right := wrap(lambda a: Pair(a[0], 3))] = {"[]": wrap(lambda a: Pair(a[0], 3))}
    oracle.check(right, X)
    assert "right: 4 instead of 3" in str(caught(right, lambda a: Pair(a[0], 4), X)).replace("['right']", "right")


def test_attributes_of_classes_are_compared_and_put_back() -> None:
    def right(n: int) -> Any:
        Pair.scale += n
        return Pair.scale

    def wrong(n: int) -> Any:
        return Pair.scale + n

    oracle._compiled[right] = {"[]": right}
    assert oracle.check(right, 3, also=[(3,)]) == 5
    assert Pair.scale == 2
    assert "assigned attributes of classes" in str(caught(right, wrong, 3))
