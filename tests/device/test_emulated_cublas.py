"""What the emulator's cuBLAS finds wrong: each planted mistake is reported by name."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.device import sessions
from tests.device.fake import Fake, fake

FUNCTIONS = """
int cublasCreate_v2(void**);
int cublasSetStream_v2(void*, void*);
int cublasSetMathMode(void*, int);
int cublasSetAtomicsMode(void*, int);
int cublasDgemm_v2_64(void*, int, int, int64_t, int64_t, int64_t, const double*, uint64_t, int64_t, uint64_t, int64_t, const double*, uint64_t, int64_t);
int cublasDgemmStridedBatched_64(void*, int, int, int64_t, int64_t, int64_t, const double*, uint64_t, int64_t, long long, uint64_t, int64_t, long long,
                                 const double*, uint64_t, int64_t, long long, int64_t);
int cublasZgemm_v2_64(void*, int, int, int64_t, int64_t, int64_t, const double*, uint64_t, int64_t, uint64_t, int64_t, const double*, uint64_t, int64_t);
int cublasDgemv_v2_64(void*, int, int64_t, int64_t, const double*, uint64_t, int64_t, uint64_t, int64_t, const double*, uint64_t, int64_t);
"""
OK, INVALID = 0, 7


@functools.cache
def library() -> tuple[Any, Any]:
    from soljit.runtime.devices import emulated

    ffi = emulated.interface(functions=FUNCTIONS)
    return ffi, ffi.dlopen(sessions.driver())


@pytest.fixture
def gpu() -> Iterator[Fake]:
    """The fake driver, alone; the test says which faults it expects."""
    with fake().alone() as f:
        yield f


class Multiplier:
    """A handle, and matrices of 4 by 4 in order of columns: a and b have been written, c has not."""

    def __init__(self, gpu: Fake) -> None:
        self.gpu = gpu
        self.ffi, self.lib = library()
        handle = self.ffi.new("void**")
        assert self.lib.cublasCreate_v2(handle) == OK
        self.handle = handle[0]
        self.a, self.b, self.c = gpu.up(np.ones((4, 4))), gpu.up(np.ones((4, 4))), gpu.take(128)

    def gemm(
        self,
        n: int = 4,
        m: int = 4,
        k: int = 4,
        a: int = 0,
        b: int = 0,
        c: int = 0,
        leads: tuple[int, int, int] = (4, 4, 4),
        beta: float = 0.0,
        handle: Any = None,
    ) -> int:
        alpha, beta_ = self.ffi.new("double[2]", [1.0, 0.0]), self.ffi.new("double[2]", [beta, 0.0])
        given = (a or self.a, leads[0], b or self.b, leads[1], beta_, c or self.c, leads[2])
        return int(self.lib.cublasDgemm_v2_64(handle or self.handle, 0, 0, n, m, k, alpha, *given))

    def fault(self) -> str:
        self.gpu.wait()
        (fault,) = self.gpu.faults()
        return str(fault)


def test_a_right_product(gpu: Fake) -> None:
    m = Multiplier(gpu)
    assert m.gemm() == OK
    assert gpu.down(m.c, np.empty((4, 4))).tolist() == [[4.0] * 4] * 4 and gpu.faults() == []


def test_products_wait_in_the_stream(gpu: Fake) -> None:
    m = Multiplier(gpu)
    assert m.gemm() == OK
    assert m.gemm(a=m.c, c=m.a) == OK, "what was queued will have written it"
    assert gpu.wait() == 0 and gpu.faults() == []


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "a leading dimension": ({"leads": (3, 4, 4)}, "cublasDgemm: the columns of A have 4 elements and lie 3 apart"),
    "a size below 0": ({"n": -1}, "a size below 0"),
    "a sum of nothing": ({"k": 0}, "a sum of nothing"),
    "too many columns": ({"m": 5}, "out of bounds"),
    "a matrix that is too wide": ({"leads": (5, 4, 4)}, "out of bounds"),
    "a place of the host": ({"b": 4096}, "host address"),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG.keys())
def test_calls_that_are_wrong(gpu: Fake, wrong: tuple[dict[str, Any], str]) -> None:
    given, fault = wrong
    m = Multiplier(gpu)
    assert m.gemm(**given) == INVALID
    assert fault in m.fault()


def test_a_place_that_is_no_multiple_of_an_element(gpu: Fake) -> None:
    m = Multiplier(gpu)
    assert m.gemm(n=2, a=m.a + 4) == INVALID
    assert "misaligned" in m.fault()


def test_freed_memory(gpu: Fake) -> None:
    m = Multiplier(gpu)
    gpu.must(gpu.cu.cuMemFree_v2(m.b))
    assert m.gemm() == INVALID
    assert "freed memory" in m.fault()


def test_results_that_overlap_an_operand(gpu: Fake) -> None:
    m = Multiplier(gpu)
    assert m.gemm(n=2, c=m.a) == INVALID
    assert "the result overlaps an operand" in m.fault()


def test_results_between_the_operands_elements(gpu: Fake) -> None:
    m = Multiplier(gpu)
    assert m.gemm(n=2, k=4, c=m.a + 16) == OK
    assert gpu.wait() == 0 and gpu.faults() == []


def test_a_handle_that_is_none(gpu: Fake) -> None:
    m = Multiplier(gpu)
    assert m.gemm(handle=m.ffi.cast("void*", 4711)) == INVALID
    assert "there is no such handle" in m.fault()


@pytest.mark.parametrize("given", [{"a": "new"}, {"beta": 1.0}], ids=["an operand", "a sum"])
def test_what_nobody_has_written_is_not_read(gpu: Fake, given: dict[str, Any]) -> None:
    m = Multiplier(gpu)
    if given.get("a"):
        given = {"a": gpu.take(128)}
    assert m.gemm(**given) == OK
    assert "unwritten: cublasDgemm reads" in m.fault()


def test_results_of_a_stack_at_one_place(gpu: Fake) -> None:
    m = Multiplier(gpu)
    one, zero = m.ffi.new("double*", 1.0), m.ffi.new("double*", 0.0)
    call = m.lib.cublasDgemmStridedBatched_64
    assert call(m.handle, 0, 0, 2, 2, 2, one, m.a, 2, 4, m.b, 2, 4, zero, m.c, 2, 0, 2) == INVALID
    assert "results that lie at one place" in m.fault()


def test_vectors_that_run_backwards(gpu: Fake) -> None:
    m = Multiplier(gpu)
    one, zero = m.ffi.new("double*", 1.0), m.ffi.new("double*", 0.0)
    assert m.lib.cublasDgemv_v2_64(m.handle, 0, 4, 4, one, m.a, 4, m.b, -1, zero, m.c, 1) == INVALID
    assert "a vector with the step -1" in m.fault()


def test_modes_in_which_results_are_less_exact(gpu: Fake) -> None:
    m = Multiplier(gpu)
    assert m.lib.cublasSetMathMode(m.handle, 3) == INVALID, "TF32"
    assert "sums of float32 are not taken in float32" in m.fault()
    gpu.library.sol_fake_reset()
    assert m.lib.cublasSetAtomicsMode(m.handle, 1) == INVALID
    assert "sums are taken in any order" in m.fault()
