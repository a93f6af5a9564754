"""The benchmark kernels on the emulated device, or on the GPU that ORACLE_DEVICE names, through the public API: right, checked for races, and with few transfers.

`transfers.txt` says for each kernel what a call takes: launches; arrays copied to the device and back; numbers sent and fetched; loops that stay on
the host. `pytest tests/device --update-golden -m ''` writes it anew; look at the diff before committing it.
"""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import soljit as sol
from bench.benchmark import load, names
from tests.compare import Tolerance, differences
from tests.device.sessions import DEVICE

TABLE = Path(__file__).with_name("transfers.txt")
QUICK = (
    "adi",
    "azimint_naive",
    "cholesky",
    "covariance",
    "durbin",
    "floyd_warshall",
    "go_fast",
    "lu",
    "mlp",
    "softmax",
)
COLUMNS = ("launches", "h2d_calls", "d2h_calls", "poke_calls", "fetch_calls")


def on_device(name: str, **sizes: Any) -> tuple[dict[str, int], list[str]]:
    """Run a kernel of preset "tiny" on the device and compare; what the call took, and the loops that stay on the host."""
    benchmark = load(name, "tiny")
    given = {**benchmark.arguments, **sizes}
    wanted, first, again = (copy.deepcopy(list(given.values())) for _ in range(3))
    result = benchmark.function(*wanted)
    jitted = sol.jit(device=DEVICE, offload="always", strict=True)(benchmark.function)
    jitted(*first)
    sol.device.stats(reset=True)
    got = jitted(*again)
    stats = sol.device.stats()
    tolerance = max(benchmark.tolerance, 1e-10)
    near = Tolerance(rtol=tolerance, atol=tolerance, infinities=False)
    assert list(differences("result", (result, wanted), (got, again), near)) == []
    hosts = sorted(set(re.findall(r"this loop stays on the host: (.*)", jitted.explain())))
    return {k: stats.get(k, 0) for k in COLUMNS}, hosts


@pytest.mark.parametrize("name", [pytest.param(n, marks=() if n in QUICK else pytest.mark.slow) for n in names()])
def test_kernel_is_right_and_takes_what_the_table_says(name: str, request: pytest.FixtureRequest) -> None:
    counts, hosts = on_device(name)
    row = " ".join([f"{name:25}", *(f"{counts[k]:6}" for k in COLUMNS), *(f" | {h}" for h in hosts)]).rstrip()
    rows = {line.split()[0]: line for line in TABLE.read_text().splitlines() if line and not line.startswith("#")}
    if request.config.getoption("--update-golden"):
        rows[name] = row
        head = (
            "# kernel (preset tiny)    " + " ".join(f"{k.split('_')[0]:>6}" for k in COLUMNS) + "  | loops on the host"
        )
        TABLE.write_text("\n".join([head, *(rows[k] for k in sorted(rows))]) + "\n")
    else:
        assert row == rows[name]


STEPS: dict[str, tuple[str, Any, Any]] = {
    "jacobi_1d": ("TSTEPS", 3, 9),
    "jacobi_2d": ("TSTEPS", 3, 9),
    "heat_3d": ("TSTEPS", 3, 8),
    "fdtd_2d": ("TMAX", 2, 4),
    "cavity_flow": ("nt", 2, 5),
}


@pytest.mark.parametrize("name", STEPS)
def test_the_number_of_transfers_does_not_depend_on_the_number_of_steps(name: str) -> None:
    parameter, few, many = STEPS[name]
    short, _ = on_device(name, **{parameter: few})
    long, _ = on_device(name, **{parameter: many})
    assert short == long and long["launches"] == 1, "one block runs all steps"
    changed = len(load(name, "tiny").changes)
    assert (long["d2h_calls"], long["fetch_calls"]) == (changed, 0)


@pytest.mark.parametrize("name", ["durbin", "lu", "cholesky", "trisolv", "gramschmidt"])
def test_loops_around_single_elements_transfer_nothing_in_an_iteration(name: str) -> None:
    counts, hosts = on_device(name)
    benchmark = load(name, "tiny")
    arrays = sum(isinstance(a, np.ndarray) for a in benchmark.arguments.values())
    assert hosts == []
    assert counts["h2d_calls"] <= arrays + 1 and counts["d2h_calls"] <= 3 and counts["fetch_calls"] == 0
