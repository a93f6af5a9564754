"""The benchmark kernels under the oracle, on arguments in C and in Fortran order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bench.benchmark import load, names
from tests.oracle import check


def fortran(x: Any) -> Any:
    return np.asfortranarray(x) if isinstance(x, np.ndarray) and x.ndim > 1 else x


@pytest.mark.slow
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("name", names())
def test_kernel(name: str, order: str) -> None:
    benchmark = load(name, "tiny")
    arguments = list(benchmark.arguments.values())
    if order == "F":
        arguments = [fortran(a) for a in arguments]
    tolerance = max(benchmark.tolerance, 1e-10)
    check(benchmark.function, *arguments, rtol=tolerance, atol=tolerance)
