"""Run a command as on a machine without AVX-512: `python -m bench.narrow COMMAND…`.

    python -m bench.narrow python -m bench ufuncs
    python -m bench.narrow python -m pytest tests/codegen

soljit's code has vectors of 256 bits (`SOL_VECTORS`), and NumPy's own loops are those for such machines (`NPY_DISABLE_CPU_FEATURES`). OpenBLAS, and what
libraries choose by themselves, stay as they are. On a machine without AVX-512 nothing changes.
"""

from __future__ import annotations

import os
import subprocess
import sys

from numpy._core import _multiarray_umath  # type: ignore[attr-defined]


def environment() -> dict[str, str]:
    """The variables that hide AVX-512 from soljit and from NumPy."""
    features = _multiarray_umath.__cpu_features__
    names = [x for x in _multiarray_umath.__cpu_dispatch__ if "AVX512" in x or x == "X86_V4"]
    return {
        "SOL_VECTORS": "256",
        "NPY_DISABLE_CPU_FEATURES": " ".join(x for x in names if features.get(x)),
    }


def main() -> int:
    """The exit status of the command."""
    if not sys.argv[1:]:
        raise SystemExit(__doc__)
    return subprocess.run(sys.argv[1:], env=os.environ | environment(), check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main())
