"""The emulator finds a race exactly if there is one: random programs of accesses and barriers against the definition, pair by pair."""

from __future__ import annotations

import itertools
import random
from typing import Any, NamedTuple

import numpy as np
import pytest

from tests.device.fake import LAUNCH_FAILED, SUCCESS, fake

TEXT = r"""
#include "soljit/kernel.h"
template <class T> SOL_INLINE int64_t one(uint8_t* p, int64_t does) {
  if (does == 1) return (int64_t)*(T*)p;
  *(T*)p = 1;
  return 0;
}
// What each thread does is read from `program`: at each step what to do (nothing, read, write, change), where, and how many bytes.
extern "C" __global__ void __launch_bounds__(8) play(uint8_t* A, int64_t* sums, const int64_t* program, const int64_t* barriers, const int64_t steps) {
  int64_t sum = 0;
  for (int64_t k = 0; k < steps; ++k) {
    const int64_t* const p = program + (sol_thread_x() * steps + k) * 3;
    uint8_t* const at = A + p[1];
    if (p[0] == 3) sum += sol_atomic_add((uint32_t*)at, (uint32_t)1);
    else if (p[0]) sum += p[2] == 1 ? one<uint8_t>(at, p[0]) : p[2] == 2 ? one<uint16_t>(at, p[0]) : p[2] == 4 ? one<uint32_t>(at, p[0]) : one<uint64_t>(at, p[0]);
    if (barriers[k]) sol_barrier();
  }
  sums[sol_thread_x()] = sum;
}
"""
READ, WRITE, CHANGE = 1, 2, 3


class Access(NamedTuple):
    block: int
    thread: int
    epoch: int
    does: int
    first: int
    last: int


def _are_a_race(a: Access, b: Access) -> bool:
    if (a.block, a.thread) == (b.block, b.thread) or a.last < b.first or b.last < a.first:
        return False
    if a.does == b.does != WRITE or (a.block == b.block and a.epoch != b.epoch):
        return False
    return True


def _program(
    draw: random.Random, blocks: int, width: int, steps: int
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], bool]:
    """What threads do, where barriers are, and whether that races."""
    barriers = np.array([draw.random() < 0.4 for _ in range(steps)], np.int64)
    room, busy, sizes = draw.choice([16, 64, 256]), draw.choice([0.1, 0.3]), draw.choice([(8,), (4, 8), (1, 2, 4, 8)])
    reads = draw.choice([0.5, 0.9])
    program = np.zeros((blocks, width, steps, 3), np.int64)
    accesses = []
    for b, t, k in itertools.product(range(blocks), range(width), range(steps)):
        if draw.random() < busy:
            does = READ if draw.random() < reads else draw.choice([WRITE, CHANGE])
            size = 4 if does == CHANGE else draw.choice(sizes)
            at = draw.randrange(room // size) * size
            program[b, t, k] = does, at, size
            accesses.append(Access(b, t, int(barriers[:k].sum()), does, at, at + size - 1))
    return program, barriers, any(_are_a_race(a, b) for a, b in itertools.combinations(accesses, 2))


@pytest.fixture(scope="module")
def module() -> Any:
    return fake().kernels(TEXT)


@pytest.mark.parametrize("seed", range(6))
def test_random_programs(module: Any, seed: int) -> None:
    draw = random.Random(seed)
    found = []
    with fake().alone() as device:
        for k in range(100):
            blocks, width, steps = draw.choice([1, 2, 4]), draw.choice([1, 2, 8]), draw.choice([2, 5])
            program, barriers, races = _program(draw, blocks, width, steps)
            device.begin()
            device.library.sol_fake_seed(k % 7)
            memory, sums = device.up(np.ones(256, np.uint8)), device.take(8 * blocks * width)
            arguments = memory, sums, device.up(program), device.up(barriers), steps
            device.must(device.launch(module, "play", (blocks,), (width,), *arguments))
            assert device.wait() == (LAUNCH_FAILED if races else SUCCESS), (seed, k, device.faults())
            assert [f.startswith("race") for f in device.faults()] == [True] * races
            found.append(races)
    assert 20 < sum(found) < 80
