"""CUDA's driver as the measurements call it: memory, copies, kernels and waits through cffi, on the real one or on the emulated one."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from soljit.base.settings import current
from soljit.runtime.build.c_interface import interface
from soljit.runtime.build.toolchain import toolchain
from soljit.runtime.devices import emulated, nvrtc
from soljit.runtime.devices.device import DRIVER, Device, find_device
from soljit.runtime.store.cache import open_cache

_FUNCTIONS = """
int cuInit(unsigned); int cuDriverGetVersion(int*); int cuDeviceGet(int*, int); int cuDeviceGetAttribute(int*, int, int);
int cuDevicePrimaryCtxRetain(void**, int); int cuCtxSetCurrent(void*); int cuCtxSynchronize(void);
int cuStreamCreate(void**, unsigned); int cuStreamSynchronize(void*);
int cuMemAlloc_v2(uint64_t*, size_t); int cuMemFree_v2(uint64_t); int cuMemAllocAsync(uint64_t*, size_t, void*); int cuMemFreeAsync(uint64_t, void*);
int cuMemHostAlloc(void**, size_t, unsigned); int cuMemFreeHost(void*);
int cuMemcpyHtoD_v2(uint64_t, const void*, size_t); int cuMemcpyDtoH_v2(void*, uint64_t, size_t);
int cuMemcpyHtoDAsync_v2(uint64_t, const void*, size_t, void*); int cuMemcpyDtoHAsync_v2(void*, uint64_t, size_t, void*);
int cuMemcpyDtoDAsync_v2(uint64_t, uint64_t, size_t, void*); int cuMemsetD8Async(uint64_t, unsigned char, size_t, void*);
int cuModuleLoadData(void**, const void*); int cuModuleUnload(void*); int cuModuleGetFunction(void**, void*, const char*);
int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
int cuGetErrorString(int, const char**);
typedef struct { void* kernel; unsigned grid[3], block[3], shared; void **with, **extra; void *other, *context; } node_t;
int cuGraphCreate(void**, unsigned); int cuGraphDestroy(void*); int cuGraphAddKernelNode_v2(void**, void*, void* const*, size_t, const node_t*);
int cuGraphInstantiateWithFlags(void**, void*, unsigned long long); int cuGraphExecDestroy(void*);
int cuGraphExecKernelNodeSetParams_v2(void*, void*, const node_t*); int cuGraphLaunch(void*, void*);
"""
EMPTY = '#include "soljit/kernel.h"\nextern "C" __global__ void __launch_bounds__(256) empty(int64_t n) {}\n'


class Driver:
    """The driver with the device's primary context, which is soljit's, too, and a stream of its own."""

    def __init__(self, device: str) -> None:
        self.device: Device = find_device(device)
        self.ffi: Any = interface(functions=_FUNCTIONS)
        self.lib: Any = self.ffi.dlopen(path_of(device))
        self.must("cuInit", 0)
        number = self.out("int*", "cuDeviceGet", self.device.number)
        self.must("cuCtxSetCurrent", self.out("void**", "cuDevicePrimaryCtxRetain", number))
        self.number = number
        self.stream = self.out("void**", "cuStreamCreate", 0)

    def must(self, name: str, *args: Any) -> None:
        """Call a function that may not fail."""
        if failed := getattr(self.lib, name)(*args):
            words = self.out("char**", "cuGetErrorString", failed, first=False) if name != "cuGetErrorString" else None
            raise RuntimeError(f"{name} failed with {failed}: {self.ffi.string(words).decode() if words else ''}")

    def out(self, kind: str, name: str, *args: Any, first: bool = True) -> Any:
        """What a function writes to its first (or last) argument."""
        place = self.ffi.new(kind if kind != "char**" else "const char**")
        self.must(name, *((place, *args) if first else (*args, place)))
        return place[0]

    def attribute(self, number: int) -> int:
        """An attribute of the device, by CUDA's number; -1 if the driver does not know it."""
        place = self.ffi.new("int*")
        return int(place[0]) if not self.lib.cuDeviceGetAttribute(place, number, self.number) else -1

    def wait(self) -> None:
        self.must("cuStreamSynchronize", self.stream)

    @contextmanager
    def memory(self, size: int) -> Iterator[int]:
        """Memory of the device."""
        at = self.out("uint64_t*", "cuMemAlloc_v2", size)
        try:
            yield at
        finally:
            self.wait()
            self.must("cuMemFree_v2", at)

    @contextmanager
    def pinned(self, size: int) -> Iterator[Any]:
        """Memory of the host that does not move."""
        at = self.out("void**", "cuMemHostAlloc", size, 0)
        try:
            self.ffi.memmove(at, b"\1" * min(size, 4096), min(size, 4096))
            ctypes.memset(int(self.ffi.cast("intptr_t", at)), 1, size)
            yield at
        finally:
            self.wait()
            self.must("cuMemFreeHost", at)

    def image(self, text: str) -> bytes:
        """Kernels, compiled for this device."""
        if self.device.arch == "emulated":
            settings = current()
            cache = open_cache(settings)
            return emulated.compile_kernels(text, "strict", toolchain(settings.cxx, cache), cache).data
        return nvrtc.compile_kernels(text, self.device.arch, "strict").data


def path_of(device: str) -> str:
    """The library of this device's driver."""
    settings = current()
    if device.startswith("emulated"):
        return emulated.driver(open_cache(settings), settings)
    return settings.cuda_driver or DRIVER


def least(call: Callable[[], object], repeat: int) -> float:
    """The least seconds of repeated calls, after one that does not count."""
    call()
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best
