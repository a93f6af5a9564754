"""`import soljit` loads only the half that runs compiled code: a cache hit must not pay for the compiler."""

from __future__ import annotations

import subprocess
import sys

COMPILER = (
    "soljit.frontend_ast",
    "soljit.passes",
    "soljit.codegen",
    "soljit.analysis",
    "soljit.records",
    "soljit.driver",
)


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
    assert not loaded("import soljit") & {"islpy", "llvmlite", "rich", "subprocess", "scipy"} - loaded("import numpy")
