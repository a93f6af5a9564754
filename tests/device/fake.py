"""The emulator's driver for tests: memory, copies and launches by the calls of CUDA's driver; counters, faults, planned failures.

`Fake` speaks to the driver as the device layer does, with NumPy arrays in the place of pointers. `fake()` is one for the session.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from soljit.base.settings import current
from soljit.runtime.build.toolchain import toolchain
from soljit.runtime.devices import emulated
from soljit.runtime.store.cache import open_cache

SUCCESS, INVALID_VALUE, OUT_OF_MEMORY, ILLEGAL_ADDRESS, MISALIGNED, LAUNCH_FAILED = 0, 1, 2, 700, 716, 719
ANY, ALLOCATION, LAUNCH, COPY, WAIT, MODULE = range(6)  # kinds of calls, for `failing`
_DRIVER = """
int cuInit(unsigned); int cuDevicePrimaryCtxRetain(void**, int); int cuCtxSetCurrent(void*); int cuCtxGetCurrent(void**);
int cuCtxPushCurrent_v2(void*); int cuCtxPopCurrent_v2(void**); int cuCtxSynchronize(void);
int cuMemAlloc_v2(uint64_t*, size_t); int cuMemFree_v2(uint64_t); int cuMemAllocAsync(uint64_t*, size_t, void*);
int cuMemFreeAsync(uint64_t, void*); int cuMemGetInfo_v2(size_t*, size_t*); int cuMemHostAlloc(void**, size_t, unsigned); int cuMemFreeHost(void*);
int cuMemcpyHtoDAsync_v2(uint64_t, const void*, size_t, void*); int cuMemcpyDtoHAsync_v2(void*, uint64_t, size_t, void*);
int cuMemcpyDtoDAsync_v2(uint64_t, uint64_t, size_t, void*); int cuMemcpyHtoD_v2(uint64_t, const void*, size_t);
int cuMemcpyDtoH_v2(void*, uint64_t, size_t); int cuMemsetD8Async(uint64_t, unsigned char, size_t, void*);
typedef struct { size_t src_x, src_y; int src_type; void* src_host; uint64_t src_device; void* src_array; size_t src_pitch;
  size_t dst_x, dst_y; int dst_type; void* dst_host; uint64_t dst_device; void* dst_array; size_t dst_pitch; size_t width, height; } Rows;
int cuMemcpy2DAsync_v2(const Rows*, void*); int cuPointerGetAttribute(void*, int, uint64_t);
int cuStreamCreate(void**, unsigned); int cuStreamDestroy_v2(void*); int cuStreamSynchronize(void*);
int cuEventCreate(void**, unsigned); int cuEventRecord(void*, void*); int cuEventQuery(void*); int cuEventSynchronize(void*); int cuEventDestroy_v2(void*);
int cuModuleLoadData(void**, const void*); int cuModuleUnload(void*); int cuModuleGetFunction(void**, void*, const char*);
int cuFuncGetAttribute(int*, int, void*); int cuFuncSetAttribute(void*, int, int);
int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
int cuDeviceGetAttribute(int*, int, int); int cuGetErrorString(int, const char**); int cuGetProcAddress_v2(const char*, void**, int, uint64_t, int*);
"""


class Fake(emulated.Controls):
    """The emulator's driver; its primary context is current in `alone`."""

    def __init__(self) -> None:
        cache = open_cache(current())
        path = emulated.driver(cache, current())
        super().__init__(path, cache)
        self._images: dict[bytes, Any] = {}
        ffi = emulated.interface(functions=_DRIVER)
        self.cu_ffi, self.cu = ffi, ffi.dlopen(path)  # the same library
        self.must(self.cu.cuInit(0))
        context = ffi.new("void**")
        self.must(self.cu.cuDevicePrimaryCtxRetain(context, 0))
        self.context = context[0]

    def must(self, result: int) -> None:
        assert result == SUCCESS, (result, self.faults())

    def begin(self) -> None:
        """A new test: nothing is counted or queued, nothing has failed, and settings are as they are by themselves."""
        self.library.sol_fake_reset()
        for name, value in (
            ("poison", 0xFF),
            ("seed", 1),
            ("memory", 2 << 30),
            ("defer", 1),
            ("check_unwritten", 1),
            ("ulps", 0),
            ("survive", 0),
        ):
            getattr(self.library, f"sol_fake_{name}")(value)

    @contextlib.contextmanager
    def alone(self) -> Iterator[Fake]:
        """A test that leaves nothing behind."""
        newest = self.library.sol_fake_newest()
        self.must(self.cu.cuCtxSetCurrent(self.context))
        self.begin()
        yield self
        self.library.sol_fake_free_later(newest)
        self.must(self.cu.cuCtxSetCurrent(self.cu_ffi.NULL))
        self.begin()

    def kernels(self, text: str, checked: bool = True, fp: str = "strict") -> Any:
        """The module of a text of kernels."""
        tools = toolchain(current().cxx, self._cache)
        image = emulated.compile_kernels(text, fp, tools, self._cache, checked=checked)
        if image.data not in self._images:
            module, context = self.cu_ffi.new("void**"), self.cu_ffi.new("void**")
            self.must(self.cu.cuCtxPushCurrent_v2(self.context))
            self.must(self.cu.cuModuleLoadData(module, self.cu_ffi.from_buffer(image.data)))
            self.must(self.cu.cuCtxPopCurrent_v2(context))
            self._images[image.data] = module[0]
        return self._images[image.data]

    def take(self, size: int) -> int:
        """The address of new memory."""
        at = self.cu_ffi.new("uint64_t*")
        self.must(self.cu.cuMemAlloc_v2(at, size))
        return int(at[0])

    def up(self, a: np.ndarray[Any, Any]) -> int:
        """New memory with the bytes of a contiguous array."""
        at = self.take(a.nbytes)
        self.must(self.cu.cuMemcpyHtoDAsync_v2(at, self.pointer(a), a.nbytes, self.cu_ffi.NULL))
        return at

    def down(self, at: int, like: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """What stands at an address, as an array like another one."""
        out = np.empty_like(like)
        self.must(self.cu.cuMemcpyDtoHAsync_v2(self.pointer(out), at, out.nbytes, self.cu_ffi.NULL))
        return out

    def launch(
        self, module: Any, name: str, blocks: Sequence[int], width: Sequence[int], *args: Any, shared: int = 0
    ) -> int:
        """Queue a kernel. Arguments: addresses and integers as int, others as NumPy scalars."""
        function = self.cu_ffi.new("void**")
        self.must(self.cu.cuModuleGetFunction(function, module, name.encode()))
        words = [
            np.array(a, dtype=None if isinstance(a, np.generic) else np.uint64 if a >= 0 else np.int64) for a in args
        ]
        given = [self.pointer(w) for w in words]
        sizes = (*blocks, 1, 1)[:3] + (*width, 1, 1)[:3]
        null = self.cu_ffi.NULL
        return int(
            self.cu.cuLaunchKernel(function[0], *sizes, shared, null, self.cu_ffi.new("void*[]", given or [null]), null)
        )

    def wait(self) -> int:
        """Let everything run."""
        return int(self.cu.cuCtxSynchronize())

    def pointer(self, a: np.ndarray[Any, Any]) -> Any:
        """The address of an array's first byte, for calls."""
        return self.cu_ffi.cast("void*", a.ctypes.data)

    @contextlib.contextmanager
    def failing(self, kind: int, k: int = 1, code: int = OUT_OF_MEMORY) -> Iterator[None]:
        """The k-th call of a kind within fails."""
        self.library.sol_fake_fail(kind, k, code)
        try:
            yield
        finally:
            self.library.sol_fake_fail(ANY, 0, 0)


@functools.cache
def fake() -> Fake:
    """The driver of this session."""
    return Fake()
