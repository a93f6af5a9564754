"""The checks find what they are for, and find nothing in what soljit generates."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import soljit as sol
from soljit.runtime.build.toolchain import toolchain
from tests.sanitize.__main__ import TESTS, environment, run

WRONG = {
    "address": ("((double*)f->in[0])[f->in[1]] = 0;", "heap-buffer-overflow"),
    "undefined": ("f->out[0] = 0x7fffffffffffffff + f->in[1];", "signed integer overflow"),
    "thread": ("int64_t n = 0;\n#pragma omp parallel num_threads(2)\n++n;\nf->in[1] == n ? 0 : 1;", "data race"),
}
PROGRAM = """
import numpy as np
from tests.runtime.handmade import handmade
@handmade('''EXPORT int32_t sol_kernel(sol_frame* f) {{ {body} return SOL_OK; }}''', openmp={openmp}, strict=True)
def f(a): ...
f(np.zeros(5))
"""
needs_gcc = pytest.mark.skipif(toolchain().clang, reason="the sanitizers are those of g++")


@needs_gcc
@pytest.mark.parametrize("check", WRONG)
def test_wrong_code_is_found(check: str, tmp_path: Path) -> None:
    body, report = WRONG[check]
    text = PROGRAM.format(body=body.replace("\n", "\\n"), openmp=check == "thread")
    env = environment(check) | {"SOL_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", text], env=env, capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode != 0 and report in done.stderr, done.stderr[-3000:]


@needs_gcc
def test_a_process_without_the_checkers_library_is_refused() -> None:
    @sol.jit(strict=True)
    def f(a: np.ndarray) -> np.ndarray:
        return a + 1

    with sol.settings(sanitize="address"), pytest.raises(sol.ToolchainError, match="LD_PRELOAD=.*libasan"):
        f(np.ones(3))
    with pytest.raises(ValueError, match="sanitize is made of address, undefined, thread, not 'memory'"):
        sol.settings(sanitize="memory")


@needs_gcc
@pytest.mark.slow
@pytest.mark.parametrize("checks", ["address,undefined", "thread"])
def test_kernels_and_random_programs(checks: str) -> None:
    assert "SOL_SANITIZE" not in os.environ
    assert run(checks, list(TESTS)) == 0
