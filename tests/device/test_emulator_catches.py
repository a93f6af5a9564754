"""The emulator is no kinder than a GPU: planted faults are reported by name, in every order; good kernels pass in every order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from tests.device import nvrtc
from tests.device.fake import ILLEGAL_ADDRESS, INVALID_VALUE, LAUNCH_FAILED, MISALIGNED, SUCCESS, Fake, fake

SEEDS = (0, 1, 2, 3)
TEXT = r"""
#include "soljit/kernel.h"

// good: elementwise, stencil, block sums, transpose, sums of a whole grid, counts
extern "C" __global__ void __launch_bounds__(256) scale(double* __restrict__ B, const double* __restrict__ A, const double s, const int64_t n) {
  const int64_t i = sol_thread_x();
  if (i >= n) return;
  B[i] = A[i] * s;
}
extern "C" __global__ void __launch_bounds__(256) stencil(double* __restrict__ B, const double* __restrict__ A, const int64_t n) {
  const int64_t i = sol_thread_x();
  // line 4
  if (i < n - 2) B[i + 1] = 0.33333 * (A[i] + A[i + 1] + A[i + 2]);
}
extern "C" __global__ void __launch_bounds__(256) sums(double* out, const double* A, const int64_t n) {
  const int64_t i = sol_thread_x();
  const double s = sol_block_sum(i < n ? A[i] : -0.0);
  const double t = sol_block_max(i < n ? A[i] : -SOL_INF(double));
  if (sol_lane() == 0) out[2 * sol_block_x()] = s, out[2 * sol_block_x() + 1] = t;
}
extern "C" __global__ void __launch_bounds__(256) transpose(float* B, const float* A, const int64_t n) {
  SOL_SHARED(float, tile, 16 * 17);
  const int64_t x = sol_thread_x(), y = sol_thread_y(), lx = x - 16 * sol_block_x(), ly = y - 16 * sol_block_y();
  if (x < n && y < n) tile[ly * 17 + lx] = A[y * n + x];
  sol_barrier();
  const int64_t tx = 16 * sol_block_y() + lx, ty = 16 * sol_block_x() + ly;
  if (tx < n && ty < n) B[ty * n + tx] = tile[lx * 17 + ly];
}
extern "C" __global__ void __launch_bounds__(128) whole(double* out, double* parts, uint32_t* tickets, const double* A, const int64_t n) {
  const int64_t i = sol_thread_x();
  const double s = sol_block_sum(i < n ? A[i] : -0.0);
  if (sol_lane() == 0) parts[sol_block_x()] = s;
  if (!sol_last_block(tickets)) return;
  const double t = sol_block_sum(sol_lane() < sol_blocks_x() ? parts[sol_lane()] : -0.0);
  if (sol_lane() == 0) out[0] = t;
}
extern "C" __global__ void __launch_bounds__(256) count(int64_t* counts, const uint8_t* A, const int64_t n) {
  const int64_t i = sol_thread_x();
  if (i < n) sol_atomic_add(counts + A[i] % 8, (int64_t)1);
}
extern "C" __global__ void __launch_bounds__(256) later(int32_t* out, const int64_t n) {
  SOL_SHARED_AT(int32_t, first, 0);
  SOL_SHARED_AT(int32_t, second, 4 * n);
  const int32_t k = sol_lane();
  first[k] = k;
  sol_barrier();
  second[n - 1 - k] = first[k];
  sol_barrier();
  out[k] = second[k];
}
extern "C" __global__ void __launch_bounds__(256) least(int64_t* at, const float* A) {
  const sol_found<float> f = sol_block_argmin(sol_found<float>{A[sol_lane()], sol_lane()});
  if (sol_lane() == 0) at[0] = f.at;
}

// planted faults
extern "C" __global__ void in_place(double* A, const int64_t n) {
  const int64_t i = sol_thread_x();
  // line 9
  if (i < n - 2) A[i + 1] = 0.5 * (A[i] + A[i + 2]);
}
extern "C" __global__ void same_place(double* A, const int64_t n) { A[sol_thread_x() % n] = 1.0; }
extern "C" __global__ void across_blocks(double* A, double* B) {
  A[sol_thread_x()] = 1.0;
  sol_barrier();
  B[sol_thread_x()] = A[(sol_thread_x() + sol_width()) % (sol_width() * sol_blocks_x())];
}
extern "C" __global__ void bytes_of_words(uint8_t* A, const uint32_t* B) {
  const int64_t i = sol_thread_x();
  A[i] = 1;
  if (i == 5) A[0] = (uint8_t)*(const uint32_t*)(A + 4);
}
extern "C" __global__ void no_barrier(double* out, const double* A) {
  SOL_SHARED(double, s, 64);
  s[sol_lane()] = A[sol_lane()];
  out[sol_lane()] = s[63 - sol_lane()];
}
extern "C" __global__ void used_again(double* out) {
  SOL_SHARED(double, s, 1);
  for (int k = 0; k < 2; ++k) {
    if (sol_lane() == k) s[0] = k;
    sol_barrier();
    out[sol_lane()] = s[0];
  }
}
extern "C" __global__ void half_barrier(double* A) {
  if (sol_lane() < 32) sol_barrier();
  A[sol_lane()] = 1;
}
extern "C" __global__ void two_barriers(double* A) {
  if (sol_lane() < 32) {
    sol_barrier();
    A[sol_lane()] = 2;
  } else {
    sol_barrier();
    A[sol_lane()] = 1;
  }
}
extern "C" __global__ void half_shuffle(double* A) {
  if (sol_lane() % 32 < 16) A[sol_lane()] = sol_shuffle_down(A[sol_lane()], 1);
}
extern "C" __global__ void mixed_shuffle(double* A) {
  const double a = A[sol_lane()];
  A[sol_lane()] = sol_lane() % 2 ? sol_shuffle_down(a, 1) : sol_shuffle_down(a, 2);
}
extern "C" __global__ void shuffle_and_barrier(double* A) {
  if (sol_lane() < 16) A[sol_lane()] = sol_shuffle_down(1.0, 1);
  else sol_barrier();
}
extern "C" __global__ void half_meeting(double* A) {
  if (sol_lane() < 16) sol_meet();
}
extern "C" __global__ void meeting_and_barrier(double* A) {
  if (sol_lane() < 32) sol_meet();
  else sol_barrier();
}
extern "C" __global__ void meeting(double* A) { sol_meet(); }
extern "C" __global__ void over_the_end(double* B, const double* A, const int64_t n) {
  const int64_t i = sol_thread_x();
  if (i <= n) B[i] = 1.0;
}
extern "C" __global__ void before_the_start(double* B, const double* A, const int64_t n) {
  const int64_t i = sol_thread_x();
  if (i < n) B[i] = A[i - 1];
}
extern "C" __global__ void far_away(double* B, const double* A, const int64_t n) { B[0] = A[n]; }
extern "C" __global__ void over_the_array(double* out) {
  SOL_SHARED(double, s, 32);
  s[sol_lane() + 1] = 1.0;
}
extern "C" __global__ void misaligned(double* A) { *(double*)((char*)A + 4) = 1.0; }
extern "C" __global__ void copy(double* B, const double* A) { B[sol_lane()] = A[sol_lane()]; }
extern "C" __global__ void empty_array(double* out) {
  SOL_SHARED(double, s, 64);
  out[sol_lane()] = s[sol_lane()];
}
double kept;
extern "C" __global__ void in_a_global(double* A) { kept = A[0]; }
extern "C" __global__ void plain_beside_atomic(int64_t* A) {
  if (sol_lane() == 7) A[0] = 1;
  else sol_atomic_add(A, (int64_t)1);
}
extern "C" __global__ void too_much_shared(double* A) {
  SOL_SHARED(double, s, 6000);
  SOL_SHARED(double, t, 6000);
  s[0] = t[0] = A[0];
}
extern "C" __global__ void deep(double* A) {
  volatile char large[1 << 20];
  large[0] = (char)A[0];
  A[0] = large[0];
}
"""
N = 500
GRID, BLOCK = (4,), (128,)


@pytest.fixture
def device() -> Iterator[Fake]:
    with fake().alone() as f:
        yield f


@pytest.fixture(scope="module")
def module() -> Any:
    return fake().kernels(TEXT)


A = np.arange(1.0, N + 1)

# Arguments are made by functions of the driver: what stands on the device is new for each test.
Arguments = Callable[[Fake], tuple[Any, ...]]


def _zeros(f: Fake, n: int = N) -> int:
    return f.up(np.zeros(n))


def _freed(f: Fake) -> int:
    at = f.up(A)
    f.must(f.cu.cuMemFree_v2(at))
    return at


def _apart(f: Fake) -> tuple[Any, ...]:
    """Two allocations, and how many numbers lie between their beginnings."""
    a, other = f.up(A), f.up(A)
    return _zeros(f), a, (other - a) // 8


FAULTS: list[tuple[str, str, int, tuple[int, ...], tuple[int, ...], Arguments]] = [
    ("in_place", "race", LAUNCH_FAILED, GRID, BLOCK, lambda f: (f.up(A), N)),
    ("same_place", "race: writes", LAUNCH_FAILED, (1,), (128,), lambda f: (f.up(A), 64)),
    ("same_place", "race: writes", LAUNCH_FAILED, (128,), (1,), lambda f: (f.up(A), 64)),
    ("across_blocks", "race", LAUNCH_FAILED, (2,), (32,), lambda f: (f.up(A), _zeros(f))),
    ("bytes_of_words", "race", LAUNCH_FAILED, (1,), (32,), lambda f: (f.up(A), f.up(A))),
    ("no_barrier", "race", LAUNCH_FAILED, (1,), (64,), lambda f: (_zeros(f), f.up(A))),
    ("used_again", "race", LAUNCH_FAILED, (1,), (64,), lambda f: (_zeros(f),)),
    ("plain_beside_atomic", "race", LAUNCH_FAILED, (1,), (64,), lambda f: (_zeros(f),)),
    ("half_barrier", "barrier not reached", LAUNCH_FAILED, (1,), (64,), lambda f: (_zeros(f),)),
    ("two_barriers", "divergent barrier", LAUNCH_FAILED, (1,), (64,), lambda f: (_zeros(f),)),
    ("shuffle_and_barrier", "divergent barrier", LAUNCH_FAILED, (1,), (32,), lambda f: (_zeros(f),)),
    ("half_meeting", "barrier not reached", LAUNCH_FAILED, (1,), (64,), lambda f: (_zeros(f),)),
    ("meeting_and_barrier", "divergent barrier", LAUNCH_FAILED, (1,), (64,), lambda f: (_zeros(f),)),
    ("meeting", "deadlock: blocks wait for each other that were not launched so", LAUNCH_FAILED, (2,), (32,), lambda f: (_zeros(f),)),
    ("half_shuffle", "lane mask", LAUNCH_FAILED, (1,), (64,), lambda f: (_zeros(f),)),
    ("mixed_shuffle", "lane mask", LAUNCH_FAILED, (1,), (64,), lambda f: (_zeros(f),)),
    ("over_the_end", "out of bounds: writes 8 bytes at byte 4000 of `B`", ILLEGAL_ADDRESS, GRID, BLOCK, lambda f: (_zeros(f), f.up(A), N)),
    ("before_the_start", "out of bounds: reads 8 bytes at byte -8 of `A`", ILLEGAL_ADDRESS, GRID, BLOCK, lambda f: (_zeros(f), f.up(A), N)),
    ("far_away", "foreign allocation", ILLEGAL_ADDRESS, (1,), (1,), _apart),
    ("over_the_array", "out of bounds: writes 8 bytes at byte 256 of an array of the block", ILLEGAL_ADDRESS, (1,), (32,), lambda f: (_zeros(f),)),
    ("misaligned", "misaligned", MISALIGNED, (1,), (1,), lambda f: (_zeros(f),)),
    ("copy", "host address", ILLEGAL_ADDRESS, (1,), (64,), lambda f: (_zeros(f), A.ctypes.data)),
    ("copy", "freed memory", ILLEGAL_ADDRESS, (1,), (64,), lambda f: (_zeros(f), _freed(f))),
    ("copy", "null pointer", ILLEGAL_ADDRESS, (1,), (64,), lambda f: (_zeros(f), 0)),
    ("copy", "unwritten", LAUNCH_FAILED, (1,), (64,), lambda f: (_zeros(f), f.take(512))),
    ("empty_array", "unwritten", LAUNCH_FAILED, (1,), (64,), lambda f: (_zeros(f),)),
    ("in_a_global", "static variable", ILLEGAL_ADDRESS, (1,), (1,), lambda f: (f.up(A),)),
    ("too_much_shared", "shared memory", 701, (1,), (1,), lambda f: (f.up(A),)),
    ("deep", "stack", LAUNCH_FAILED, (1,), (1,), lambda f: (f.up(A),)),
]  # fmt: skip


@pytest.mark.parametrize(
    "name, says, code, grid, block, arguments", FAULTS, ids=[f"{k}-{x[0]}" for k, x in enumerate(FAULTS)]
)
def test_a_planted_fault_is_reported_in_every_order(
    device: Fake,
    module: Any,
    name: str,
    says: str,
    code: int,
    grid: tuple[int, ...],
    block: tuple[int, ...],
    arguments: Arguments,
) -> None:
    for seed in SEEDS:
        device.begin()
        device.library.sol_fake_seed(seed)
        assert device.launch(module, name, grid, block, *arguments(device)) == SUCCESS
        assert device.wait() == code, device.faults()
        assert says in device.faults()[0] and f"kernel {name}" in device.faults()[0]
        assert device.wait() == code  # and again, as with CUDA


def test_a_fault_tells_the_line_of_the_user(device: Fake, module: Any) -> None:
    device.launch(module, "in_place", GRID, BLOCK, device.up(A), N)
    assert device.wait() == LAUNCH_FAILED
    assert "[line 9: `if (i < n - 2) A[i + 1]" in device.faults()[0]


def test_a_launch_that_is_too_large(device: Fake, module: Any) -> None:
    args = (_zeros(device), device.up(A), np.float64(2), N)
    for grid, block, shared in (
        ((1,), (257,), 0),
        ((1,), (1, 1, 65), 0),
        ((1, 70000), (1,), 0),
        ((0,), (1,), 0),
        ((1,), (1,), 60000),
    ):
        assert device.launch(module, "scale", grid, block, *args, shared=shared) == INVALID_VALUE
    assert device.counters()["launches"] == 0 and len(device.faults()) == 5
    assert all("launch" in f for f in device.faults())


def test_the_memory_that_a_launch_asked_for_ends(device: Fake, module: Any) -> None:
    out = device.up(np.zeros(64, np.int32))
    device.launch(module, "later", (1,), (64,), out, 64, shared=511)
    assert device.wait() == ILLEGAL_ADDRESS and "out of bounds" in device.faults()[0]


@pytest.mark.parametrize("name, says, arguments", [
    ("copy", "host address", lambda f: (_zeros(f), A.ctypes.data)),
    ("copy", "freed memory", lambda f: (_zeros(f), _freed(f))),
    ("half_barrier", "barrier not reached", lambda f: (_zeros(f),)),
    ("over_the_end", "out of bounds", lambda f: (f.up(np.zeros(512)), f.up(A), 1 << 30)),
])  # fmt: skip
def test_kernels_that_tell_nothing_are_caught_by_pages(
    device: Fake, name: str, says: str, arguments: Arguments
) -> None:
    blind = device.kernels(TEXT, checked=False)
    grid = (1 << 12,) if name == "over_the_end" else (1,)
    device.launch(blind, name, grid, (64,), *arguments(device))
    assert device.wait() in (ILLEGAL_ADDRESS, LAUNCH_FAILED)
    assert says in device.faults()[0]


# --- good kernels ---------------------------------------------------------------------------------------------------------


@pytest.fixture(params=[True, False], ids=["checked", "blind"])
def good(request: pytest.FixtureRequest, device: Fake) -> Any:
    return device.kernels(TEXT, checked=request.param)


def _in_every_order(f: Fake, run: Callable[[], np.ndarray[Any, Any]], expected: np.ndarray[Any, Any]) -> None:
    for seed in range(8):
        f.library.sol_fake_seed(seed)
        f.library.sol_fake_poison(0x7F if seed % 2 else 0xFF)
        got = run()
        f.must(f.wait())
        np.testing.assert_array_equal(got, expected)
    assert not f.faults()


def test_elementwise(device: Fake, good: Any) -> None:
    def run() -> np.ndarray[Any, Any]:
        out = device.take(A.nbytes)
        device.must(device.launch(good, "scale", GRID, BLOCK, out, device.up(A), np.float64(3), N))
        return device.down(out, A)

    _in_every_order(device, run, A * 3)


def test_stencil(device: Fake, good: Any) -> None:
    def run() -> np.ndarray[Any, Any]:
        out = device.up(np.zeros(N))
        device.must(device.launch(good, "stencil", GRID, BLOCK, out, device.up(A), N))
        return device.down(out, A)

    expected = np.zeros(N)
    expected[1:-1] = 0.33333 * (A[:-2] + A[1:-1] + A[2:])
    _in_every_order(device, run, expected)


@pytest.mark.parametrize("width", [32, 100, 128, 1])
def test_block_sums(device: Fake, good: Any, width: int) -> None:
    blocks = -(-N // width)

    def run() -> np.ndarray[Any, Any]:
        out = device.take(16 * blocks)
        device.must(device.launch(good, "sums", (blocks,), (width,), out, device.up(A), N))
        return device.down(out, np.empty((blocks, 2)))

    parts = [A[k : k + width] for k in range(0, N, width)]
    _in_every_order(device, run, np.array([[p.sum(), p.max()] for p in parts]))  # sums of whole numbers are exact


def test_transpose_with_memory_of_the_block(device: Fake, good: Any) -> None:
    a = np.arange(37 * 37, dtype=np.float32).reshape(37, 37)

    def run() -> np.ndarray[Any, Any]:
        out = device.take(a.nbytes)
        device.must(device.launch(good, "transpose", (3, 3), (16, 16), out, device.up(a), 37))
        return device.down(out, a)

    _in_every_order(device, run, a.T)


def test_the_block_that_comes_last_sees_all_others(device: Fake, good: Any) -> None:
    def run() -> np.ndarray[Any, Any]:
        tickets, out, parts = device.up(np.zeros(1, np.uint32)), device.take(8), device.take(64)
        for _ in range(2):  # the tickets are as before
            device.must(device.launch(good, "whole", (8,), (64,), out, parts, tickets, device.up(A), N))
        return device.down(out, A[:1])

    _in_every_order(device, run, A.sum(keepdims=True))


def test_counts(device: Fake, good: Any) -> None:
    a = (np.arange(N) * 7 % 256).astype(np.uint8)

    def run() -> np.ndarray[Any, Any]:
        counts = device.up(np.zeros(8, np.int64))
        device.must(device.launch(good, "count", GRID, BLOCK, counts, device.up(a), N))
        return device.down(counts, np.empty(8, np.int64))

    _in_every_order(device, run, np.bincount(a % 8, minlength=8))


def test_memory_that_the_launch_asked_for(device: Fake, good: Any) -> None:
    expected = np.arange(64, dtype=np.int32)[::-1]

    def run() -> np.ndarray[Any, Any]:
        out = device.take(256)
        device.must(device.launch(good, "later", (1,), (64,), out, 64, shared=512))
        return device.down(out, expected)

    _in_every_order(device, run, expected)


@pytest.mark.parametrize("nan", [False, True])
def test_the_place_of_the_least(device: Fake, good: Any, nan: bool) -> None:
    a = (np.arange(100) * 37 % 50).astype(np.float32)
    a[[70, 80]] = np.nan if nan else -1

    def run() -> np.ndarray[Any, Any]:
        out = device.take(8)
        device.must(device.launch(good, "least", (1,), (100,), out, device.up(a)))
        return device.down(out, np.empty(1, np.int64))

    _in_every_order(device, run, np.array([np.argmin(a)]))


def test_good_kernels_are_for_a_gpu_too() -> None:
    image = nvrtc.compile_kernels(TEXT.split("// planted faults")[0], "sm_90", "strict")
    assert len(image.resources) == 8
    assert all(r.spill_stores == r.spill_loads == r.stack == 0 and r.registers <= 40 for r in image.resources.values())
