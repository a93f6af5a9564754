"""`import soljit` loads only the half that runs compiled code: a cache hit must not pay for the compiler."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

COMPILER = (
    "soljit.frontend_ast",
    "soljit.passes",
    "soljit.codegen",
    "soljit.analysis",
    "soljit.records",
    "soljit.driver",
)


C_INTERFACES = ("cffi", "_cffi_backend", "pycparser", "cuda")
PROGRAM = """
import numpy as np
import soljit as sol

@sol.jit(strict=True)
def f(a):
    return a + 1

f(np.ones(3)), f(np.ones(3))
"""


def loaded(statement: str) -> set[str]:
    """Names of the modules that a new process has loaded after `statement`."""
    program = f"import sys; {statement}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_import_loads_no_compiler() -> None:
    modules = loaded("import soljit")
    assert "soljit" in modules
    assert not [m for m in modules if m.startswith(COMPILER)]


def test_import_loads_no_heavy_library() -> None:
    assert not loaded("import soljit") & {"islpy", "llvmlite", "rich", "subprocess", "scipy", *C_INTERFACES} - loaded(
        "import numpy"
    )


def test_compiled_code_from_the_cache_loads_no_heavy_library(tmp_path: Path) -> None:
    source = tmp_path / "program.py"
    source.write_text(PROGRAM)
    first, again = (loaded(f"sys.path.insert(0, {str(tmp_path)!r}); import program") for _ in range(2))
    assert any(m.startswith(COMPILER) for m in first)
    assert not [m for m in again if m.startswith((*COMPILER, "soljit.runtime.shadow"))]
    assert not again & {"islpy", "subprocess", *C_INTERFACES} - loaded("import numpy")
