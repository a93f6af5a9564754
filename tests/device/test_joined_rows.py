"""Statements on the same rows, which one kernel computes: right, without races, and apart where rows are not the same."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.passes.device import give_rows_to_blocks
from soljit.runtime.devices.device import Device
from soljit.runtime.devices.emulated import Controls

LONG = give_rows_to_blocks.LEAST + 3


@pytest.fixture(autouse=True)
def few_rows_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(give_rows_to_blocks, "MANY", 4)
    monkeypatch.setattr(give_rows_to_blocks, "SHORT", LONG + 20)


def softmax(x: Any) -> Any:
    t = np.max(x, axis=-1, keepdims=True)
    e = np.exp(x - t)
    s = np.sum(e, axis=-1, keepdims=True)
    return e / s


def layer_norm(x: Any, g: Any, b: Any) -> Any:
    d = x - x.mean(axis=1, keepdims=True)
    v = (d * d).mean(axis=1, keepdims=True)
    return d / np.sqrt(v + 1e-5) * g + b


def in_place(x: Any) -> None:
    x -= x.mean(axis=1)[:, None]
    x /= np.abs(x).max(axis=1)[:, None]


def neighbours(x: Any) -> Any:
    y = x * x.sum(axis=1)[:, None]
    y[:, 1:-1] += y[:, :-2] + y[:, 2:]
    return y, y.min(axis=1)


def of_integers(x: Any) -> Any:
    n = np.count_nonzero(x > 2, axis=1)
    y = x * n[:, None]
    return y, y.sum(axis=1), n


def other_rows(x: Any) -> Any:
    y = x * x.sum(axis=1)[::-1][:, None]
    return y, y.max(axis=1)


def of_all_rows(x: Any) -> Any:
    s = x.sum(axis=1)
    y = x / s.sum()
    return y, y.max(axis=1)


def transposed(x: Any) -> Any:
    y = x.T * x.sum(axis=1)
    return y, y.max(axis=1)


def nothing_in_common(x: Any, y: Any) -> Any:
    return x.sum(axis=1), y.max(axis=1)


def rows(count: int = 6, length: int = LONG) -> Any:
    return np.random.default_rng(length).standard_normal((count, length))


JOINED: dict[Callable[..., Any], tuple[Any, ...]] = {
    softmax: (rows(),),
    layer_norm: (rows(), rows(1)[0], rows(1)[0]),
    in_place: (rows(),),
    neighbours: (rows(),),
    of_integers: (rows().astype(np.int64),),
}


def compared(f: Callable[..., Any], args: tuple[Any, ...]) -> int:
    """Compare a function on the device and in Python; the number of launches."""
    jitted = sol.jit(device="emulated", offload="always", strict=True)(f)
    mine, theirs = copy.deepcopy(args), copy.deepcopy(args)
    before = sol.device.stats()["launches"]
    got, want = jitted(*mine), f(*theirs)
    launches = sol.device.stats()["launches"] - before
    results = zip(got, want) if isinstance(want, tuple) else [(got, want)] if want is not None else []
    for g, w in (*results, *zip(mine, theirs)):
        assert g.dtype == w.dtype and g.shape == w.shape
        np.testing.assert_allclose(g, w, rtol=1e-12, atol=1e-12)
    return launches


@pytest.mark.parametrize("f", JOINED, ids=lambda f: f.__name__)
def test_one_kernel_walks_a_row_through_all_statements(gpu: Device, fake: Controls, f: Callable[..., Any]) -> None:
    assert compared(f, JOINED[f]) == 1
    for seed in (3, 4):
        fake.library.sol_fake_seed(seed)
        assert compared(f, JOINED[f]) == 1
    fake.library.sol_fake_seed(0)


@pytest.mark.parametrize("shape", [(3, LONG), (3, LONG + 30), (6, LONG - 40), (4, 300), (0, LONG), (2, 5, LONG)])
def test_few_and_short_and_no_rows(gpu: Device, fake: Controls, shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(3).standard_normal(shape)
    launches = compared(softmax, (x,))
    together = shape[-1] >= LONG and (np.prod(shape[:-1]) >= 4 or shape[-1] <= LONG + 20)
    assert launches == (0 if x.size == 0 else 1 if together else 4)


@pytest.mark.parametrize("f", [other_rows, of_all_rows, transposed], ids=lambda f: f.__name__)
def test_statements_on_other_rows_stay_apart(gpu: Device, fake: Controls, f: Callable[..., Any]) -> None:
    assert compared(f, (rows(LONG),)) > 1


def test_statements_without_a_common_array_stay_apart(gpu: Device, fake: Controls) -> None:
    assert compared(nothing_in_common, (rows(), rows(6, LONG + 9))) == 2
    assert compared(nothing_in_common, (rows(), rows())) == 2


def test_explain_tells_which_statements_are_one_kernel(gpu: Device, fake: Controls) -> None:
    jitted = sol.jit(device="emulated", offload="always", strict=True)(softmax)
    jitted(rows())
    (told,) = [r for r in sol.explain(jitted) if "one kernel" in r.text]
    first = softmax.__code__.co_firstlineno
    assert told.lines[0] == first + 1
    lines = f"lines {first + 2}, {first + 3} and {first + 4}"
    assert told.text.startswith(
        f"in one kernel with {lines} where the rows are long, and many or not too long: a block of threads"
    )
