"""NumPy's functions as the prelude writes them give NumPy's bits in plain Python: a fault there is no fault of the compiler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from soljit.frontend_ast.numpy_api.prelude import formulas

RNG = np.random.default_rng(3)
FLOATS = np.concatenate([RNG.normal(size=300), [0.0, -0.0, 1.0, 1.0, 0.1 + 0.2, 1e-300]])
COUNTS = RNG.integers(0, 20, 300)
WEIGHTS = RNG.random(306)
SORTED = np.sort(np.append(FLOATS, [np.inf, np.nan]))
POINTS = np.linspace(-3.0, 3.0, 11)

CASES: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "bincount": (lambda: formulas.bincount(COUNTS, 0), lambda: np.bincount(COUNTS)),
    "bincount, longer": (lambda: formulas.bincount(COUNTS, 40), lambda: np.bincount(COUNTS, minlength=40)),
    "bincount, weighted": (
        lambda: formulas.weighted_bincount(COUNTS, WEIGHTS[:300], 0),
        lambda: np.bincount(COUNTS, WEIGHTS[:300]),
    ),
    "histogram": (
        lambda: formulas.histogram(FLOATS, 17, *formulas.range_of(FLOATS)),
        lambda: np.histogram(FLOATS, 17),
    ),
    "histogram within": (
        lambda: formulas.histogram_within(FLOATS, 9, *formulas.given_range(-1.0, 0.7)),
        lambda: np.histogram(FLOATS, 9, (-1.0, 0.7)),
    ),
    "histogram, weighted": (
        lambda: formulas.weighted_histogram(FLOATS, WEIGHTS, 17, *formulas.range_of(FLOATS)),
        lambda: np.histogram(FLOATS, 17, weights=WEIGHTS),
    ),
    "searchsorted": (
        lambda: [formulas.place_left(SORTED, x) for x in SORTED],
        lambda: np.searchsorted(SORTED, SORTED).tolist(),
    ),
    "searchsorted, right": (
        lambda: [formulas.place_right(SORTED, x) for x in SORTED],
        lambda: np.searchsorted(SORTED, SORTED, "right").tolist(),
    ),
    "interp": (
        lambda: [formulas.interpolated(x, POINTS, POINTS**2, 9.0, 9.0) for x in SORTED],
        lambda: np.interp(SORTED, POINTS, POINTS**2).tolist(),
    ),
    "trapezoid": (
        lambda: formulas.trapezoid(FLOATS, 0.5, 0),
        lambda: np.trapezoid(FLOATS, dx=0.5),
    ),
    "polyval": (lambda: formulas.polyval(POINTS, FLOATS), lambda: np.polyval(POINTS, FLOATS)),
    "median": (lambda: formulas.median(FLOATS), lambda: np.median(FLOATS)),
    "diff": (lambda: formulas.difference(FLOATS.reshape(6, 51), 1), lambda: np.diff(FLOATS.reshape(6, 51))),
    "gradient": (
        lambda: formulas.gradient(FLOATS.reshape(6, 51), 0.1, 0),
        lambda: np.gradient(FLOATS.reshape(6, 51), 0.1, axis=0),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_formulas_have_numpys_bits(name: str) -> None:
    ours, numpys = (f() for f in CASES[name])
    for a, b in zip(*((x if isinstance(x, tuple) else (x,)) for x in (ours, numpys)), strict=True):
        assert np.asarray(a).dtype == np.asarray(b).dtype
        assert np.asarray(a).tobytes() == np.asarray(b).tobytes()


@pytest.mark.parametrize(
    ("ours", "numpys"),
    [
        (lambda: formulas.bincount(np.array([1, -1]), 0), lambda: np.bincount([1, -1])),
        (lambda: formulas.range_of(np.array([1.0, np.nan])), lambda: np.histogram([1.0, np.nan])),
        (lambda: formulas.given_range(2.0, 1.0), lambda: np.histogram([1.0], range=(2.0, 1.0))),
        (
            lambda: formulas.edges_of(1.0, np.nextafter(1.0, 2.0), 10),
            lambda: np.histogram([1.0], 10, (1.0, 1.0 + 3e-16)),
        ),
    ],
    ids=["negative", "not finite", "range", "too many bins"],
)
def test_formulas_raise_what_numpy_raises(ours: Callable[[], Any], numpys: Callable[[], Any]) -> None:
    with pytest.raises(ValueError) as a:
        ours()
    with pytest.raises(ValueError) as b:
        numpys()
    assert str(a.value) == str(b.value)


def test_histograms_at_the_edges() -> None:
    """Numbers on edges, beside them, tiny ones, and widths that float64 does not hold."""
    for bins in (1, 3, 7, 10, 100):
        edges = np.linspace(-0.3, 0.7, bins + 1)
        near = np.concatenate([edges, np.nextafter(edges, 1.0)[:-1], np.nextafter(edges, -1.0)[1:]])
        for a in (edges, near, near * 1e-308, near * 1e308, near + 1e12, np.array([-0.0])):
            counts, found = formulas.histogram(a, bins, *formulas.range_of(a))
            expected, wanted = np.histogram(a, bins)
            assert counts.tobytes() == expected.tobytes() and found.tobytes() == wanted.tobytes()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_range_without_a_finite_width() -> None:
    ends = -1e308, 1e308
    assert formulas.histogram_within(np.zeros(3), 1, *ends)[0] == np.histogram(np.zeros(3), 1, ends)[0]
    with pytest.raises(IndexError) as ours:
        formulas.histogram_within(np.array(ends), 1, *ends)
    with pytest.raises(IndexError) as numpys:
        np.histogram(np.array(ends), 1)
    assert str(ours.value) == str(numpys.value)
