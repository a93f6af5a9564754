"""Kernels as NVRTC sees them: the golden ones, and all that the threads of a block do together, for every type."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from soljit.codegen.spelling.types import cpp_type
from soljit.ir.core.types import ALL, DType
from tests.device.nvrtc import compile_kernels

GOLDEN = sorted((Path(__file__).resolve().parents[1] / "golden" / "cuda").glob("*.cu"))
ARCHS = ["sm_90", *(pytest.param(a, marks=pytest.mark.slow) for a in ("sm_75", "sm_80", "sm_89", "sm_100", "sm_120"))]


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("path", GOLDEN, ids=lambda p: p.stem)
def test_golden_kernels(path: Path, arch: str) -> None:
    text = path.read_text()
    image = compile_kernels(text, arch, "strict")
    assert len(image.resources) == text.count("__global__") > 0
    assert "warning" not in image.log, image.log
    bodies = dict(re.findall(r"__global__ .*?(k\d+_\w+)\((.*?\n)}\n", text, re.DOTALL))
    for name, taken in image.resources.items():
        spilled = (
            32 if "sol_barrier" in bodies[name] else 0
        )  # a whole loop in one block may keep a few numbers elsewhere
        assert max(taken.spill_stores, taken.stack) <= spilled, f"{name} does not fit into registers: {taken}"


def folds(t: DType) -> str:
    """A kernel for each fold of values of type `t` over a block, and one for the last block."""
    names = ["sum", "product"] if t.kind in "iufc" else []
    names += ["min", "max"] if t.kind in "iuf" else []
    names += ["and", "or"] if t.kind in "biu" else []
    of, kernels = cpp_type(t), []
    for name in names:
        kernels.append(f"fold_{name}({of}* x) {{ x[sol_block_x()] = sol_block_{name}<{of}>(x[sol_thread_x()]); }}")
    if t.kind in "iuf":
        for name in ("argmin", "argmax"):
            found = f"sol_block_{name}(sol_found<{of}>{{x[sol_thread_x()], sol_thread_x()}})"
            kernels.append(f"fold_{name}({of}* x, int64_t* at) {{ at[sol_block_x()] = {found}.at; }}")
    kernels.append(f"last({of}* x, uint32_t* tickets) {{ if (sol_last_block(tickets)) x[0] = x[1]; }}")
    return "".join(f'extern "C" __global__ void __launch_bounds__(256) {k}\n' for k in kernels)


@pytest.mark.parametrize("t", [t for t in ALL if t.name != "f16"], ids=str)  # halves are summed as floats
def test_what_the_threads_of_a_block_do_together(t: DType) -> None:
    text = folds(t)
    image = compile_kernels(f'#include "soljit/kernel.h"\n{text}', "sm_90", "strict")
    assert len(image.resources) == text.count("__global__")
    assert "warning" not in image.log, image.log
    assert all(r.shared >= 32 * t.size for name, r in image.resources.items() if name != "last")
