"""Results: arguments and views returned as such, kinds of Python values, nested containers."""

from __future__ import annotations

import collections
import dataclasses
import warnings
from typing import Any, NamedTuple

import numpy as np
import pytest

import soljit as sol
from tests.oracle import check
from tests.values import grid, layouts


def identity(a: Any) -> Any:
    return a


def returns_argument(a: np.ndarray, b: np.ndarray) -> Any:
    b += a
    return b, a, b


def returns_views(a: np.ndarray) -> Any:
    return a[1:], a.T, a[::-1, 0], a.reshape(-1), a[None], a[0], a[...], a[:, :0], a.ravel()


def test_arguments_and_views() -> None:
    for value in (
        grid(3),
        5,
        2.5,
        True,
        None,
        1 + 2j,
        np.float64(2),
        np.int8(3),
        np.bool_(True),
        "text",
        (1, grid(2)),
        [1, 2.5],
        {"x": 1},
    ):
        check(identity, value)
    check(returns_argument, grid(3), grid(3))
    same = grid(3)
    check(returns_argument, same, same)
    for a in layouts(grid(3, 4)).values():
        check(returns_views, a)


def view_of_temporary(a: np.ndarray) -> Any:
    b = a * 2
    return b[1:], b, b.T, b[::2, 0]


def scalars(a: np.ndarray, i: np.ndarray) -> Any:
    return (
        a[0],
        i[0],
        a[0] + 1,
        float(a[0]),
        int(i[0]),
        a[0] > 1,
        bool(a[0] > 1),
        a.sum(),
        len(a),
        a.shape,
        a[0] * 2.0,
        i[0] + 1,
        i.max(),
        -a[0],
        abs(a[0]),
        a[0] ** 2,
        i[0] // 2,
        i[0] % 2,
        i[0] / 2,
        not a[0],
        a[0] == a[0],
        a.mean(),
        np.sqrt(a[0]),
        round(a[0]),
        max(a[0], 2.0),
        min(a[0], a[1]),
    )


def test_kinds_of_scalars() -> None:
    check(view_of_temporary, grid(3, 4))
    check(scalars, grid(3) + 0.5, np.arange(1, 4))
    check(scalars, (grid(3) + 0.5).astype(np.float32), np.arange(1, 4, dtype=np.uint8))


class Point(NamedTuple):
    x: float
    y: Any = 0


Other = collections.namedtuple("Other", "p q")


def containers(a: np.ndarray, n: int) -> Any:
    return {"sum": a.sum(), "parts": [a[:1], (n, n + 1)], "none": None, "flag": n > 2}, [], (), {}, [[n]], ((),)


def named(a: np.ndarray, p: Point) -> Any:
    q = Point(p.y, p.x)
    x, y = q
    return q, Other(a + x, y), p.x + q[1], Point(3.0), p


def nested_argument(d: Any) -> Any:
    a, (b, n) = d["pair"]
    a += n
    b[0] = d["scale"] * a[0]
    return a, d["scale"]


def test_containers() -> None:
    check(containers, grid(3), 3)
    check(nested_argument, {"pair": (grid(3), (grid(2), 4)), "scale": 2.5})
    check(nested_argument, {"pair": [grid(3), [grid(2), 4]], "scale": 2.5})


def test_named_tuples() -> None:
    check(named, grid(3), Point(1.0, 2))


@dataclasses.dataclass
class Pair:
    left: np.ndarray
    right: float


def makes_dataclass(a: np.ndarray) -> Pair:
    return Pair(a * 2, a[0])


def test_dataclass_results() -> None:
    check(makes_dataclass, grid(3))


def list_argument(x: list[float], a: np.ndarray) -> Any:
    s = 0.0
    for k in range(len(x)):
        s += x[k] * a[k]
    return s, sum(x), np.array(x), x[-1]


def changes_list(x: list[float]) -> None:
    x[0] = 5.0
    x[1] += 1


def changes_dict(d: dict[str, float]) -> None:
    d["x"] = 5.0


def test_lists_and_dicts_as_arguments() -> None:
    check(list_argument, [1.0, 2.0, 3.0], grid(3), also=[([1.0], grid(3))])
    check(changes_list, [1.0, 2.0])
    check(changes_dict, {"x": 1.0})


def sizes(a: np.ndarray) -> Any:
    return a.shape[0], a.size, a.ndim, len(a), a.shape[0] * 2.0, a.shape[0] // 2, range(a.shape[0])[-1]


def test_sizes_are_python_integers() -> None:
    check(sizes, grid(4, 2))


def argument_changed_then_returned(a: np.ndarray) -> np.ndarray:
    a[0] = 1.0
    b = a
    b[1] = 2.0
    return b


def test_identity_through_variables() -> None:
    check(argument_changed_then_returned, grid(3))


def adds_or_not(a: np.ndarray, k: float) -> Any:
    a[0] += 1.0
    print("once")
    if k > 0.0:
        return a[0] * k
    return NotImplemented


def test_not_implemented_is_a_result() -> None:
    """It does not say that a variant does not take the call: nothing is done twice."""
    check(adds_or_not, np.zeros(2), -1.0, also=[(np.zeros(2), 2.0), (np.zeros(2), -2.0)])


@pytest.mark.parametrize("target", ["", "interpreter"])
def test_not_implemented_is_a_result_in_default_mode(target: str, capsys: pytest.CaptureFixture[str]) -> None:
    f, a = sol.jit(strict=False, target=target)(adds_or_not), np.zeros(2)
    assert f(a, -1.0) is NotImplemented and f(a, -2.0) is NotImplemented
    assert a[0] == 2.0 and capsys.readouterr().out == "once\nonce\n" and f.signatures


def added(a: np.ndarray, b: np.ndarray) -> Any:
    return a + b


def test_results_of_broadcast_arrays_are_arguments_without_a_warning() -> None:
    """Of such an array `flags.writeable` warns, to whoever reads it."""
    f = sol.jit(added)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for shape in ((2, 3), (3, 2)):
            a, b = np.broadcast_arrays(np.arange(float(shape[1])), np.ones(shape))
            assert np.array_equal(f(a, b), added(a, b))
            assert np.array_equal(f(a.T, b.T), added(a.T, b.T))
    assert not seen and f.signatures
