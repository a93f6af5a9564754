"""The record of the machine: what is found where the system tells much, little or nonsense, and how settings change it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import soljit as sol
from soljit.base.machine import MachineModel
from soljit.base.settings import from_environment
from soljit.runtime.system.caches import CacheLevel, _from_names, caches, machine, model_of

USUAL = MachineModel()
FILES = ("level", "type", "size", "coherency_line_size", "shared_cpu_list")


def core(folder: Path, *rows: str) -> dict[int, CacheLevel]:
    """The caches of a core that has these files: "1 Data 48K 64 0-1"."""
    for k, row in enumerate(rows):
        place = folder / "cache" / f"index{k}"
        place.mkdir(parents=True)
        for name, text in zip(FILES, row.split(" "), strict=False):
            (place / name).write_text(f"{text}\n")
    return caches(str(folder))


@pytest.mark.skipif(sys.platform != "linux", reason="files of Linux")
def test_caches_are_read_from_the_files_of_the_system(tmp_path: Path) -> None:
    found = core(tmp_path, "1 Data 48K 64 0-1", "1 Instruction 32K 64 0-1", "3 Unified 32M 64 0-7,16-23")
    assert found == {1: CacheLevel(48 << 10, 64, 2), 3: CacheLevel(32 << 20, 64, 16)}
    assert caches(str(tmp_path / "none")) == {}


MACHINES = {
    "server": (("1 Data 48K 64 0,56", "2 Unified 2048K 64 0,56", "3 Unified 105M 64 0-111"), (1 << 15, 1 << 21, 1 << 21)),
    "desktop": (("1 Data 32K 64 0,8", "2 Unified 512K 64 0,8", "3 Unified 32M 64 0-15"), (1 << 15, 1 << 19, 1 << 22)),
    "shared second cache": (("1 Data 128K 128 0", "2 Unified 12M 128 0-3"), (1 << 17, 1 << 21, 1 << 21)),
    "virtual": (("1 Data 32K 64 0", "2 Unified 4096K 64 0", "3 Unified 1G 64 0"), (1 << 15, 1 << 21, 1 << 22)),
    "small": (("1 Data 4K 64 0", "2 Unified 1K 64 0"), (1 << 14, 1 << 17, 1 << 17)),
    "first only": (("1 Data 64K 64 0",), (1 << 16, USUAL.l2, USUAL.l3)),
    "nonsense": (("1 Data big 64 0", "x Unified 1M 64 0", "2 Unified -1K 7 0"), (USUAL.l1, USUAL.l2, USUAL.l3)),
    "no line, no list": (("1 Data 32K", "2 Unified 256K", "3 Unified 8M"), (1 << 15, 1 << 18, 1 << 22)),
    "ragged list": (("1 Data 32K 64 0-", "2 Unified 256K 64 ,x-3", "3 Unified 8M 64 9-2"), (1 << 15, 1 << 18, 1 << 22)),
}  # fmt: skip


@pytest.mark.skipif(sys.platform != "linux", reason="files of Linux")
@pytest.mark.parametrize("name", MACHINES)
def test_sizes_are_those_of_one_core(name: str, tmp_path: Path) -> None:
    rows, sizes = MACHINES[name]
    found = model_of(core(tmp_path, *rows))
    assert (found.l1, found.l2, found.l3) == sizes
    assert found.line == (128 if name == "shared second cache" else 64)
    assert (found.parallel, found.trip) == (USUAL.parallel, USUAL.trip)


def test_the_smallest_of_different_cores_counts() -> None:
    fast = {1: CacheLevel(48 << 10, 64, 2), 2: CacheLevel(1 << 20, 64, 2), 3: CacheLevel(24 << 20, 64, 16)}
    slow = {1: CacheLevel(32 << 10, 64, 1), 2: CacheLevel(2 << 20, 64, 4), 3: CacheLevel(24 << 20, 64, 16)}
    assert model_of(fast, slow) == MachineModel(1 << 15, 1 << 19, 1 << 20)
    assert model_of({}, fast) == model_of(fast)
    assert model_of({}) == model_of() == USUAL


def test_numbers_by_name() -> None:
    numbers = {"hw.cachelinesize": 128, "hw.perflevel0.l1dcachesize": 131072, "hw.l1dcachesize": 65536}
    numbers |= {"hw.perflevel0.l2cachesize": 16 << 20, "hw.perflevel0.cpusperl2": 4}
    found = _from_names(lambda name: numbers.get(name, 0))
    assert found == {1: CacheLevel(1 << 17, 128, 1), 2: CacheLevel(16 << 20, 128, 4)}
    assert _from_names(lambda name: 0) == {}


def test_this_machine_has_a_record() -> None:
    m = machine()
    assert m.l1 <= m.l2 <= m.l3 and m is machine()


# --- the setting ------------------------------------------------------------------------------------------------------


def test_values_of_the_setting() -> None:
    with sol.settings(machine=" parallel=0,l2=256KiB ") as now:
        assert now.machine == "l2=256K, parallel=0"
        assert USUAL.changed(now.machine) == MachineModel(l2=1 << 18, parallel=0)
        assert "machine='l2=256K, parallel=0'" in repr(sol.settings())
    assert from_environment({"SOL_MACHINE": "per_cycle=3.5"}) == {"machine": "per_cycle=3.5"}
    assert USUAL.changed(str(USUAL)) == USUAL == USUAL.changed("")
    for text, reason in {
        "l4=1M": "machine is made of l1, l2, l3, line, parallel, trip, function, per_cycle, not 'l4'",
        "l2": "machine is a text such as 'l2=256K, parallel=0', not l2=''",
        "l2=0": "not l2='0'",
        "l2=1=2": "not l2='1=2'",
        "trip=many": "not trip='many'",
        "per_cycle=2K": "not per_cycle='2K'",
        "parallel=-1": "not parallel='-1'",
        "l1=1024G": "",
        "l1=1025G": "not l1='1025G'",
    }.items():
        if reason:
            with pytest.raises(ValueError, match=reason):
                sol.settings(machine=text)
        else:
            with sol.settings(machine=text):
                pass


def test_schedules_follow_the_setting() -> None:
    def f(a):  # type: ignore[no-untyped-def]
        return a * 2.0 + 1.0

    compiled, a = sol.jit(f, strict=True), np.arange(100.0)
    with sol.settings(machine="parallel=1000", parallel=True):
        np.testing.assert_array_equal(compiled(a), f(a))
        assert "when='1000 <= " in str(compiled.schedule(0))
    with sol.settings(machine="parallel=2000"):
        np.testing.assert_array_equal(compiled(a), f(a))
        assert "when='2000 <= " in str(compiled.schedule(0))


PROGRAM = """
import numpy as np, soljit as sol

@sol.jit(strict=True)
def f(a):
    return a * 2.0 + 1.0

f(np.arange(100.0))
print([v["origin"] for v in f.report()], str(f.schedule(0)).count("when='1000 <="))
"""


def test_code_on_disk_is_kept_for_each_setting(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    outputs = []
    for setting in ("parallel=1000", "", "parallel=1000"):
        environment = {**os.environ, "SOL_CACHE_DIR": str(tmp_path / "cache"), "SOL_MACHINE": setting}
        done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, env=environment, check=True)
        outputs.append(done.stdout.strip())
    assert outputs == ["['compiled'] 1", "['compiled'] 0", "['cache'] 1"]
