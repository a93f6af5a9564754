"""The differential suite on the emulated device: a share of it, drawn by a seed, and all of it where slow tests run. The kernels that it makes are
compiled by NVRTC.

SOL_TEST_DEVICE_SHARE is the share (a thirtieth in `.ci/run`), SOL_TEST_SEED draws other tests. All of it is also
`ORACLE_DEVICE=emulated python -m pytest -n auto tests/differential`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from soljit.runtime.devices import emulated
from tests import under_nvrtc
from tests.architecture.sources import ROOT
from tests.device import nvrtc
from tests.shares import SEED, drawn

SHARE = os.environ.get("SOL_TEST_DEVICE_SHARE", "0.02")
pytestmark = pytest.mark.skipif(bool(emulated.why_not()), reason=emulated.why_not())


def run(share: str, kernels: Path) -> None:
    """A share of the suite in a process of its own, on the emulated device; what fails is told. Kernels are kept in a folder."""
    command = [sys.executable, "-m", "pytest", "-q", "-rfE", "--tb=short", "-p", "no:cacheprovider", "-p", "no:xdist"]
    own = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "ORACLE_"))}
    own |= {"ORACLE_DEVICE": "emulated", "SOL_TEST_KERNELS": str(kernels)}
    done = subprocess.run(
        [*command, "tests/differential", "--share", share, "--share-seed", SEED],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env=own,
    )
    assert done.returncode == 0, f"{done.stdout[-20000:]}\n{done.stderr[-2000:]}"


def test_a_share(tmp_path: Path) -> None:
    run(SHARE, tmp_path)
    compiled_by_nvrtc(tmp_path)


@pytest.mark.slow
def test_all_of_it(tmp_path: Path) -> None:
    run("1", tmp_path)
    compiled_by_nvrtc(tmp_path)


def compiled_by_nvrtc(folder: Path) -> None:
    """Every kernel compiles for three kinds of GPU, and flat maps stay in registers."""
    nvrtc.require()
    assert list(folder.glob("*.cu")), "kernels were kept"
    assert under_nvrtc.check(folder) == []


def test_shares_are_drawn_by_name_and_seed() -> None:
    names = [f"test_{k}" for k in range(1000)]
    tenth = [n for n in names if drawn(n, "1") < 0.1]
    assert 60 < len(tenth) < 140
    assert tenth == [n for n in names if drawn(n, "1") < 0.1] != [n for n in names if drawn(n, "2") < 0.1]


def test_flat_kernels_are_told_from_others() -> None:
    flat = 'extern "C" __global__ void __launch_bounds__(256) k0_f(double* a, const int64_t n) {\n  const int64_t i = sol_thread_x();\n}\n'
    loop = 'extern "C" __global__ void __launch_bounds__(256) k1_f(double* a) {\n  for (int64_t k = 0; k < 3; ++k) {\n  }\n}\n'
    rest = 'extern "C" __global__ void __launch_bounds__(256) k2_f(double* a) {\n  for (int64_t i0 = sol_thread_y(); i0 < 9; i0 += 8) {\n  }\n}\n'
    found = {name: under_nvrtc.is_flat(body) for name, body in under_nvrtc.bodies(flat + loop + rest).items()}
    assert found == {"k0_f": True, "k1_f": False, "k2_f": True}


def test_what_spills_is_a_fault() -> None:
    assert under_nvrtc.too_much(under_nvrtc.Resources(registers=64)) == ""
    assert under_nvrtc.too_much(under_nvrtc.Resources(registers=65)) == "takes 65 registers"
    assert under_nvrtc.too_much(under_nvrtc.Resources(spill_loads=8)) == "spills 0 and 8 bytes"
