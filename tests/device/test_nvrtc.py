"""NVRTC as it is called: what it makes, what it says of it, which arithmetic it is told to keep, and the words where it cannot."""

from __future__ import annotations

import re
import sys
from types import ModuleType

import pytest

from soljit.base.errors import InternalError, ToolchainError
from soljit.runtime.devices import nvrtc
from soljit.runtime.devices.images import Resources
from tests.device.nvrtc import compile_kernels, require

NEWER = "sm_990"  # than any GPU that this NVRTC knows: PTX, which can be read
KERNELS = """
extern "C" __global__ void twice(double* a) { a[threadIdx.x] *= 2.0; }
extern "C" __global__ void shared(float* a) {
  __shared__ float row[64];
  row[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = row[63 - threadIdx.x];
}
"""
ARITHMETIC = """
extern "C" __global__ void f(double* a, float* b) {
  a[0] = a[1] * a[2] + a[3];
  a[4] = a[5] / a[6] + sqrt(a[7]);
  b[0] = b[1] * b[2] + b[3];
  b[4] = b[5] / b[6] + sqrtf(b[7]);
}
"""


def test_an_image_and_what_its_kernels_take() -> None:
    image = compile_kernels(KERNELS, "sm_90", "strict")
    assert image.data[:4] == b"\x7fELF"
    assert image.resources.keys() == {"twice", "shared"}
    assert image.resources["shared"].shared == 64 * 4
    assert image.resources["twice"].shared == 0 < image.resources["twice"].registers < 32


def test_resources_are_read_from_the_log() -> None:
    log = """ptxas info    : 0 bytes gmem, 16 bytes cmem[4]
ptxas info    : Compiling entry function 'k0_f' for 'sm_90'
ptxas info    : Function properties for k0_f
ptxas         .     128 bytes stack frame, 12 bytes spill stores, 24 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 128 bytes cumulative stack size, 2048 bytes smem
ptxas info    : Compile time = 2.1 ms
ptxas info    : Compiling entry function 'k1_g' for 'sm_90'
ptxas info    : Function properties for k1_g
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, 376 bytes cmem[0]
"""
    assert nvrtc.resources(log) == {
        "k0_f": Resources(registers=255, spill_stores=12, spill_loads=24, stack=128, shared=2048),
        "k1_g": Resources(registers=10),
    }
    assert nvrtc.resources("") == {}


def test_a_newer_gpu_gets_text_that_its_driver_compiles() -> None:
    image = compile_kernels(KERNELS, NEWER, "strict")
    newest = max(nvrtc.nvrtc().archs)
    assert f".target sm_{newest}".encode() in image.data and image.data.endswith(b"\0")
    assert image.resources == {}


def test_which_code_for_which_gpu() -> None:
    archs = (75, 80, 90)
    assert nvrtc.target_of("sm_90", archs, (13, 0)) == "sm_90"
    assert nvrtc.target_of("sm_86", archs, (13, 0)) == "compute_80"
    assert nvrtc.target_of("sm_100", archs, (13, 0)) == "compute_90"
    with pytest.raises(
        ToolchainError, match=r"NVRTC 13\.0 makes no code for a GPU as old as sm_61, only from sm_75 on"
    ):
        nvrtc.target_of("sm_61", archs, (13, 0))


@pytest.mark.parametrize("fp", ["strict", "contract", "fast"])
def test_arithmetic_is_as_strict_as_asked_for(fp: str) -> None:
    ptx = compile_kernels(ARITHMETIC, NEWER, fp).data.decode("ascii", "replace")
    fused, exact = fp != "strict", fp != "fast"
    assert bool(re.search(r"\bfma\.rn\.f64\b", ptx)) == fused
    assert bool(re.search(r"\bfma\.rn\.f32\b", ptx)) == fused
    assert "div.rn.f64" in ptx and "sqrt.rn.f64" in ptx  # there are no others
    assert ("div.rn.f32" in ptx and "sqrt.rn.f32" in ptx) == exact
    assert ".ftz" not in ptx


def test_kernels_that_do_not_compile_are_a_bug_of_ours() -> None:
    with pytest.raises(InternalError, match=r"please report this\n.*kernels\.cu\(1\): error: .*nothing"):
        compile_kernels('extern "C" __global__ void f(double* a) { *a = nothing; }', "sm_90", "strict")


@pytest.fixture
def asked_anew() -> object:
    """NVRTC is looked for once in this test, and again after it."""
    nvrtc._loaded.cache_clear()
    yield
    nvrtc._loaded.cache_clear()


@pytest.mark.usefixtures("asked_anew")
def test_without_the_finder_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cuda.pathfinder", None)
    with pytest.raises(
        ToolchainError, match=r"kernels need NVRTC, and cuda-pathfinder to find it: pip install 'soljit\[cuda13\]'"
    ):
        nvrtc.compile_kernels(KERNELS, "sm_90", "strict")


class NotFound(RuntimeError):
    """What the finder raises."""


def finder(found: object) -> ModuleType:
    """A module in the place of cuda.pathfinder; `found` is what it finds, or the exception."""
    module = ModuleType("cuda.pathfinder")

    def load_nvidia_dynamic_lib(name: str) -> object:
        assert name == "nvrtc"
        if isinstance(found, Exception):
            raise found
        return found

    module.DynamicLibNotFoundError = NotFound  # type: ignore[attr-defined]
    module.load_nvidia_dynamic_lib = load_nvidia_dynamic_lib  # type: ignore[attr-defined]
    return module


@pytest.mark.usefixtures("asked_anew")
def test_without_nvrtc_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cuda.pathfinder", finder(NotFound("looked everywhere")))
    assert re.search(
        r"NVRTC, which was not found: pip install 'soljit\[cuda13\]'.*\nlooked everywhere", nvrtc.why_not()
    )


@pytest.mark.usefixtures("asked_anew")
def test_another_library_in_its_place_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    class Found:
        abs_path = "libc.so.6"

    monkeypatch.setitem(sys.modules, "cuda.pathfinder", finder(Found()))
    assert nvrtc.why_not().startswith("NVRTC at libc.so.6 cannot be used: ")


def test_nvrtc_is_found_once() -> None:
    require()
    assert nvrtc.nvrtc() is nvrtc.nvrtc()
    assert nvrtc.nvrtc().version >= (12, 0) and 90 in nvrtc.nvrtc().archs
