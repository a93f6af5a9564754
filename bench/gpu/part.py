"""One part of the measurement in a process of its own: `python -m bench.gpu.part NAME JSON`. Each record is a line that starts with "@@".

What a part cannot do is a record with the reason; the parts after it go on.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

from bench.gpu import rates
from bench.gpu.rates import Record
from bench.run import ROOT

TESTS = (  # tests of devices that need no emulator, and differential ones: about two minutes
    "tests/device/test_operations.py", "tests/device/test_kernels_on_device.py", "tests/device/test_placement.py", "tests/differential/test_reductions.py",
    "tests/differential/test_slices.py", "tests/differential/test_broadcasting.py", "tests/differential/test_control_flow.py",
    "tests/differential/test_masks.py", "tests/differential/test_products.py", "tests/differential/test_empty.py", "tests/differential/test_exceptions.py",
)  # fmt: skip
TIMES = ("seconds", "made", "changed", "rate", "first", "most", "median", "least", "numpy", "of_copy")
FEW_TESTS = ("tests/differential/test_empty.py",)
PARTS: dict[str, Callable[[Any, bool], Iterator[Record]]] = {
    "facts": rates.facts,
    "link": rates.link,
    "latency": rates.latency,
    "memory": rates.memory,
    "modules": rates.modules,
}


def records(name: str, options: dict[str, Any]) -> Iterator[Record]:
    """The records of a part. options: device, quick, preset, npbench."""
    device, quick = options["device"], options["quick"]
    if name == "tests":
        yield from tests(device, quick)
        return
    if name.startswith("kernel:"):
        from bench.gpu.kernels import kernels

        yield from kernels(name.partition(":")[2], device, options["preset"], options.get("npbench", ""))
        return
    from bench.gpu.driver import Driver

    if name == "bars":
        from bench.gpu.bars import bars

        yield from bars(Driver(device), quick)
        return
    if name == "compilers":
        from bench.gpu.compilers import compilers

        yield from compilers(Driver(device), quick)
        return
    yield from PARTS[name](Driver(device), quick)


def tests(device: str, quick: bool) -> Iterator[Record]:
    """Tests of devices on this one; the last lines of what pytest says."""
    files = FEW_TESTS if quick else TESTS
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x" if quick else "--maxfail=20",
        "-p",
        "no:cacheprovider",
        *files,
    ]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, env=os.environ | {"ORACLE_DEVICE": device}, check=False
    )
    lines = done.stdout.strip().splitlines()
    failures = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    said: Record = {"what": "tests", "status": done.returncode, "summary": lines[-1] if lines else done.stderr[-300:]}
    yield said | ({"failed": "\n".join(failures)[:2000] or said["summary"]} if done.returncode else {})


def main(name: str, options: dict[str, Any]) -> None:
    """Print the records of a part. Those of the emulated device have no times: they would say nothing."""
    emulated = options["device"].startswith("emulated")
    try:
        for record in records(name, options):
            if emulated:
                record = {k: v for k, v in record.items() if k not in TIMES}
            print("@@" + json.dumps({"part": name} | record), flush=True)
    except Exception as e:  # noqa: BLE001 (it is told)
        print("@@" + json.dumps({"part": name, "failed": f"{type(e).__name__}: {e}"[:1000]}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], json.loads(sys.argv[2]))
