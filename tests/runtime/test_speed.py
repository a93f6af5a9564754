"""What a call and a cache hit cost. The limits are loose: machines are noisy."""

from __future__ import annotations

import os
import subprocess
import sys
import timeit
from pathlib import Path
from typing import Any

import numpy as np

from tests.runtime.handmade import handmade
from tests.runtime.test_cache import HEAD, use
from tests.runtime.test_calls import ADD

ROOT = Path(__file__).resolve().parents[2]


def best(f: Any) -> float:
    """Seconds of one call, the least of several measurements."""
    return min(timeit.repeat(f, number=2000, repeat=15)) / 2000


def test_dispatch() -> None:
    @handmade(ADD)
    def add(a: Any, b: Any, c: Any) -> None: ...

    a, b, c = np.ones(4), np.ones(4), np.ones(4)
    add(a, b, c)
    ratio = best(lambda: add(a, b, c)) / best(lambda: np.add(a, b, out=c))
    assert ratio < 1.5, f"dispatch takes {ratio:.2f} times one np.add"


def test_cache_hit(tmp_path: Path) -> None:
    clock = "time.process_time()"
    parts = f"t = {clock}\nimport numpy as np\nt0 = {clock}\nimport soljit\nt1 = {clock}"
    program = HEAD.replace("import sys", f"import sys, time\n{parts}")
    program += use().replace("print(", f"t2 = {clock}\nf(2.0)\nt3 = {clock}\nprint(")
    program += "\nCOMPILER = ('soljit.frontend', 'soljit.passes', 'islpy')"
    program += "\nprint((t1 - t0) / (t0 - t), (t3 - t2) / (t0 - t), [m for m in sys.modules if m.startswith(COMPILER)])"
    script = tmp_path / "program.py"
    script.write_text(program)
    env = os.environ | {"SOL_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
    outputs = [
        subprocess.run([sys.executable, str(script)], capture_output=True, text=True, env=env, check=True).stdout
        for _ in range(4)
    ]
    rows = [out.split("\n")[1].split() for out in outputs[1:]]
    assert all(row[2] == "[]" for row in rows)
    start, hit = (min(float(row[k]) for row in rows) for k in (0, 1))
    assert start < 2 and hit < 0.5, f"{start:.2f} and {hit:.2f} times the import of NumPy"
