"""Device arrays of other libraries: `__cuda_array_interface__` and DLPack, in both directions and without a copy.

Memory of another library may be written by it at any time, so nothing of it is kept on the host; so it is with our memory from the moment
that it is shown to another library. Arrays of one allocation of the driver share one range of host addresses, so that compiled code sees
which of them overlap.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from soljit.base.errors import ArgumentError, DeviceError
from soljit.ir.core import types as ir_types
from soljit.runtime.devices.array_memory import Memory, NdArray, known
from soljit.runtime.devices.arrays import Array, array_over
from soljit.runtime.devices.device import Device

CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13  # DLPack's numbers of kinds of devices
_LEGACY = 1  # CUDA's default stream, for which ours waits by itself


# --- in -------------------------------------------------------------------------------------------------------------------------


def imported(x: Any, device: Device) -> Array | None:
    """The array of another library on this device; None if it is none, or on the host. DeviceError if it is on another device."""
    if isinstance(x, (np.ndarray, np.generic)):
        return None
    interface = getattr(x, "__cuda_array_interface__", None)
    if isinstance(interface, dict):
        return _from_interface(x, interface, device)
    if speaks_dlpack(x):
        kind, number = x.__dlpack_device__()
        if int(kind) in (CPU, CUDA_HOST):
            return None
        if int(kind) not in (CUDA, CUDA_MANAGED) or device.kind != "cuda" or number != device.number:
            raise DeviceError(
                f"a {type(x).__name__} on DLPack's device ({int(kind)}, {number}) is not on the device '{device.text}' that is set"
            )
        return _from_dlpack(x, device)
    return None


def speaks_dlpack(x: Any) -> bool:
    """Has an object DLPack's methods?"""
    return hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__")


def _from_interface(x: Any, interface: dict[str, Any], device: Device) -> Array:
    if interface.get("version", 0) < 2 or interface.get("mask") is not None:
        raise ArgumentError(
            f"a {type(x).__name__} with a mask, or of version {interface.get('version')} of __cuda_array_interface__, is not taken"
        )
    try:
        dtype, shape = np.dtype(interface["typestr"]), tuple(map(operator.index, interface["shape"]))
        at, read_only = operator.index(interface["data"][0] or 0), bool(interface["data"][1])
        strides = None if interface.get("strides") is None else tuple(map(operator.index, interface["strides"]))
        if min(shape, default=0) < 0 or (strides is not None and len(strides) != len(shape)):
            raise ValueError(f"shape {shape}, strides {strides}")
    except (KeyError, TypeError, ValueError, IndexError) as e:
        raise ArgumentError(f"the __cuda_array_interface__ of a {type(x).__name__} cannot be read: {e!r}") from None
    stream = interface.get("stream")
    if stream == 0:
        raise ArgumentError(
            f"the __cuda_array_interface__ of a {type(x).__name__} names stream 0, which may be one or the other"
        )
    if stream is not None and stream != _LEGACY:
        device.layer.check(device.layer.lib.sol_gpu_wait_for(device.gpu, stream))
    return _over(x, device, at, shape, dtype, strides, read_only)


def _over(
    keeper: object,
    device: Device,
    at: int,
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    strides: Sequence[int] | None,
    read_only: bool,
) -> Array:
    """The Array over memory of the device that `keeper` keeps alive."""
    if not dtype.isnative or all(dtype != t.numpy for t in ir_types.ALL):
        raise ArgumentError(
            f"an array of dtype {dtype} of another library is not taken: compiled code has no such elements"
        )
    if strides is None:
        strides = [dtype.itemsize * math.prod(shape[k + 1 :]) for k in range(len(shape))]
    if 0 in shape:
        memory = _memory(device, 0, 0)
        return array_over(np.ndarray(shape, dtype, memory.host), memory, keeper)
    reach = [(n - 1) * s for n, s in zip(shape, strides)]
    low, high = sum(min(r, 0) for r in reach), sum(max(r, 0) for r in reach) + dtype.itemsize
    memory = _memory(device, at + low, high - low)
    host: NdArray = np.ndarray(shape, dtype, memory.host, at - memory.state().at, strides)
    if not host.flags.aligned:
        raise ArgumentError(
            f"an array at the address {at:#x}, which is not aligned to its {dtype.name} elements, is not taken"
        )
    host.flags.writeable = not read_only
    return array_over(host, memory, keeper)


def _memory(device: Device, at: int, size: int) -> Memory:
    """The memory that holds these bytes of the device: all of the driver's allocation, which several arrays may share."""
    lib, ffi = device.layer.lib, device.layer.ffi
    first, length = ffi.new("uint64_t*", at), ffi.new("int64_t*", size)
    if size:
        holds = lib.sol_gpu_allocation(device.gpu, at, first, length)
        if not holds:
            raise DeviceError(f"the address {at:#x} is no memory of the device '{device.text}'")
        if at + size > first[0] + length[0]:
            raise DeviceError(
                f"an array of {size} bytes at the address {at:#x} is larger than the memory that the driver has there, or lies in several pieces of it"
            )
    low, high = int(first[0]), int(first[0] + length[0])
    for other in list(known.values()) if size else ():
        begin = other.state().at if other.device.gpu == device.gpu else 0
        end = begin + other.size
        if begin and begin <= at and at + size <= end:
            return _shared(other)
        if begin and begin < high and low < end:
            raise DeviceError(
                f"the array at the address {at:#x} cannot be taken: some of its memory belongs to a soljit.Array, and some does not"
            )
    return Memory.outside(device, low, high - low)


# --- out ------------------------------------------------------------------------------------------------------------------------


def cuda_array_interface(x: Array) -> dict[str, Any]:
    """Version 3. What was queued is done, so there is no stream to wait for."""
    device = x._memory.device
    if device.arch == "emulated":
        raise AttributeError(
            "this soljit.Array is on the emulated device, whose addresses are of no use to other libraries: x.numpy() is on the host"
        )
    return {
        "version": 3,
        "shape": x.shape,
        "strides": x.strides,
        "typestr": x.dtype.str,
        "data": (_shown(x), not x._host.flags.writeable),
        "stream": None,
    }


def _shown(x: Array) -> int:
    """The address of the first element, from now on known to others."""
    return _shared(x._memory).state().at + x._host.ctypes.data - x._memory.lo if x.size else 0


def _shared(memory: Memory) -> Memory:
    """The memory, which other libraries may write from now on."""
    state = memory.state()
    if not state.outside:
        if state.writers or state.viewers:
            raise DeviceError(
                "this soljit.Array cannot be shown to another library while there are NumPy arrays over its elements: delete those first"
            )
        memory.ask("show")
    return memory


def dlpack_device(x: Array) -> tuple[int, int]:
    """Where `__dlpack__` says the array is: an emulated device's memory is shown as the host's."""
    device = x._memory.device
    return (CPU, 0) if device.arch == "emulated" else (CUDA, device.number)


def to_dlpack(
    x: Array,
    stream: Any = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """The capsule that DLPack wants: over the device's memory, or over the host's for the CPU."""
    kind = dlpack_device(x)
    if dl_device is not None and tuple(dl_device) != kind and dl_device[0] != CPU:
        raise BufferError(f"a soljit.Array on {kind} cannot be exported to DLPack's device {tuple(dl_device)}")
    if kind[0] == CPU or (dl_device is not None and dl_device[0] == CPU):
        a = x._look().copy(order="K") if copy else x.numpy()
        more: dict[str, Any] = {} if max_version is None else {"max_version": max_version}
        return a.__dlpack__(**more)
    from soljit.runtime.devices import dlpack

    if copy:
        x = x.copy()
    versioned = max_version is not None and max_version[0] >= 1
    if not versioned and not x._host.flags.writeable:
        raise BufferError("a read-only soljit.Array needs DLPack 1.0 or newer: pass max_version=(1, 0)")
    return dlpack.capsule(x._host, _shown(x), kind, x, versioned)


def _from_dlpack(x: Any, device: Device) -> Array:
    """An array of another library on a CUDA device."""
    from soljit.runtime.devices import dlpack

    try:
        capsule = x.__dlpack__(stream=1, max_version=(1, 0))
    except TypeError:
        capsule = x.__dlpack__(stream=1)
    tensor = dlpack.opened(capsule)
    if tensor.device != tuple(map(int, x.__dlpack_device__())):
        raise DeviceError(
            f"the DLPack capsule of a {type(x).__name__} is for the device {tensor.device}, which is not what it said before"
        )
    return _over(tensor, device, tensor.at, tensor.shape, tensor.dtype, tensor.strides, tensor.read_only)
