"""How device arrays are made: from arrays, of zeros, and of what jitted functions return."""

from __future__ import annotations

from typing import Any

import numpy as np

from soljit.base.device_arrays import CLASS
from soljit.base.errors import ArgumentError, DeviceError, InternalError
from soljit.base.settings import Settings, current
from soljit.ir.core import types as ir_types
from soljit.runtime.build import native_dispatcher as dispatch
from soljit.runtime.devices import interchange
from soljit.runtime.devices.array_memory import Memory, NdArray, memory_of, view, viewed_memory
from soljit.runtime.devices.arrays import Array, array_over
from soljit.runtime.devices.device import Device, find_device

_DTYPES = frozenset(t.numpy for t in ir_types.ALL)


def asarray(a: Any, dtype: Any = None) -> Array:
    """The array `a` on the current device: an Array as it is, what another library has on this device in place (by `__cuda_array_interface__` or
    `__dlpack__`), anything that NumPy takes as a copy, in the memory order that it has.

    DeviceError if no device is set or it cannot be used; ArgumentError for dtypes that compiled code does not take (bool, integers of 8 to 64 bits,
    float16 to float64, complex64 and complex128 are taken).
    """
    device = current_device()
    found = a if isinstance(a, Array) else interchange.imported(a, device)
    if found is not None:
        if dtype is not None and np.dtype(dtype) != found.dtype:
            return array_of(found._look().astype(dtype), device)
        if found._memory.device.gpu != device.gpu:
            return array_of(found._look(), device)
        return found
    if interchange.speaks_dlpack(a) and not hasattr(a, "__array__"):
        a = np.from_dlpack(a)
    return array_of(np.asarray(a, dtype), device)


def array_of(a: NdArray, device: Device) -> Array:
    """A device array with the elements, strides and order of `a`."""
    made = _unwritten(a.shape, a.dtype, device, a)
    if a.size:
        dense = a if made.strides == a.strides else np.array(a, order="K", copy=True)
        if dense.strides != made.strides:
            dense = np.empty_like(a)
            dense[...] = a
        forwards = tuple(slice(None, None, -1) if s < 0 else slice(None) for s in dense.strides)
        lowest = dense[forwards + (...,)]  # noqa: RUF005 (Python 3.10)
        made._memory.ask("write", 0, made.nbytes, device.layer.ffi.cast("char*", lowest.ctypes.data))
    return made


def empty(shape: Any, dtype: Any = float, order: Any = "C") -> Array:
    """An Array of this shape (an int or a tuple of ints) on the current device, whose elements are not defined."""
    device = current_device()
    return _unwritten(shape, np.dtype(dtype), device, order=order)


def zeros(shape: Any, dtype: Any = float, order: Any = "C") -> Array:
    """An Array of zeros on the current device. Nothing is copied."""
    made = empty(shape, dtype, order)
    made._memory.ask("clear")
    return made


def full(shape: Any, value: Any, dtype: Any = None, order: Any = "C") -> Array:
    """An Array of which all elements are `value`."""
    made = empty(shape, np.asarray(value).dtype if dtype is None else dtype, order)
    made[...] = value
    return made


def ones(shape: Any, dtype: Any = float, order: Any = "C") -> Array:
    """An Array of ones on the current device."""
    return full(shape, 1, dtype, order)


def empty_like(a: Any, dtype: Any = None) -> Array:
    """An Array of the shape, dtype and memory order of `a` (an Array or what NumPy takes), whose elements are not defined."""
    like = _shape_of(a)
    return _unwritten(like.shape, like.dtype if dtype is None else np.dtype(dtype), current_device(), like)


def zeros_like(a: Any, dtype: Any = None) -> Array:
    """An Array of zeros, as `empty_like`."""
    made = empty_like(a, dtype)
    made._memory.ask("clear")
    return made


def full_like(a: Any, value: Any, dtype: Any = None) -> Array:
    """An Array of which all elements are `value`, as `empty_like`."""
    made = empty_like(a, dtype)
    made[...] = value
    return made


def ones_like(a: Any, dtype: Any = None) -> Array:
    """An Array of ones, as `empty_like`."""
    return full_like(a, 1, dtype)


def unpickled(a: NdArray, device: str) -> Array:
    """The array of a pickle, on the device that it was on, or on the current one if that is not there."""
    try:
        found = find_device(device)
    except DeviceError:
        found = current_device()
    return array_of(a, found)


def device_of_results(settings: Settings) -> Device | None:
    """The device on which results stay; None: they do not."""
    wanted = settings.results == "device" and settings.device != "cpu"
    return find_device(settings.device, settings) if wanted else None


def current_device() -> Device:
    """The device that is set; DeviceError if there is none."""
    if current().device == "cpu":
        raise DeviceError("device arrays need a device: soljit.device.set('cuda') sets one")
    return find_device(current().device)


def _shape_of(a: Any) -> NdArray:
    found: NdArray = a._host if isinstance(a, Array) else np.asarray(a)
    return found


def _unwritten(
    shape: Any, dtype: np.dtype[Any], device: Device, like: NdArray | None = None, order: Any = "C"
) -> Array:
    """An Array whose elements nobody has written. Its memory on the host is one run of bytes; no page of it is touched."""
    if dtype not in _DTYPES:
        raise ArgumentError(
            f"a soljit.Array of dtype {dtype} cannot be: compiled code takes {', '.join(t.numpy.name for t in ir_types.ALL)}"
        )
    shaped = np.empty(shape, dtype, order) if like is None else np.empty_like(like, dtype, subok=False)
    host: NdArray = np.empty(shaped.nbytes, np.uint8) if not shaped.flags.c_contiguous else shaped
    made = shaped if host is shaped else np.ndarray(shaped.shape, dtype, host, 0, shaped.strides)
    return array_over(made, Memory(device, host, False))


# --- calls ----------------------------------------------------------------------------------------------------------------------


def host_views(arrays: tuple[Array, ...], writes: bool = True) -> tuple[NdArray, ...]:
    """What a program gets that does not run where these arrays are: NumPy arrays, one for each Array object. May it write them?"""
    views: dict[int, NdArray] = {}
    for x in arrays:
        if id(x) not in views:
            views[id(x)] = view(x._memory, x._host, writes)
    return tuple(views[id(x)] for x in arrays)


def wrap_result(result: NdArray, fresh: bool, like: Any) -> Any:  # any: Arrays or a Device; an Array or `result`
    """The Array in the place of an array that compiled code returns. `like`: the arguments that are Arrays, or the device on which results stay.

    A view of an argument that is an Array becomes a view of it; one of an ndarray stays what it is.
    """
    memory = memory_of(result)
    if memory is None and (memory := viewed_memory(result)) is not None:
        result = _over(memory, result)
    arrays = like if isinstance(like, tuple) else ()
    if memory is None:
        if not fresh or result.dtype not in _DTYPES:
            return result
        root = result
        while type(root.base) is np.ndarray:
            root = root.base
        return array_over(result, Memory(arrays[0]._memory.device if arrays else like, root, True))
    return array_over(result, memory, next((x._keeper for x in arrays if x._memory is memory), None))


def result_of_python(
    value: Any, arrays: list[Array], views: list[NdArray], others: list[NdArray]
) -> Any:  # any: the user's objects
    """A result of plain Python, which got `views` of `arrays`: those are the arrays again, views of them are views, and other
    arrays are copied to new ones, unless they are or share memory with arguments (`others`).
    """
    if type(value) in (tuple, list):
        return type(value)(result_of_python(x, arrays, views, others) for x in value)
    if type(value) is not np.ndarray:
        return value
    root = value
    while type(root.base) is np.ndarray:
        root = root.base
    for x, v in zip(arrays, views):
        if value is v:
            return x
        if root is v:
            return array_over(_over(x._memory, value), x._memory, x._keeper)
    if value.dtype not in _DTYPES or any(np.may_share_memory(value, x) for x in others):
        return value
    return array_over(copied := np.array(value, order="K", copy=True), Memory(arrays[0]._memory.device, copied, True))


def _over(memory: Memory, like: NdArray) -> NdArray:
    """The part of the hidden memory that `like`, another array over the same addresses, shows."""
    host = memory.host if memory.host.flags.c_contiguous else memory.host.T
    made: NdArray = np.ndarray(like.shape, like.dtype, host, like.ctypes.data - memory.lo, like.strides)
    made.flags.writeable = like.flags.writeable
    return made


def watch(library: dispatch.Native) -> None:
    """Let the dispatcher in C take device arrays."""
    sample = Array.__new__(Array)
    sample._host = np.empty(0)
    offset = NDARRAY_AT
    if not library.watch_arrays(Array, offset, sample, sample._host, host_views, wrap_result):
        raise InternalError("the layout of soljit.Array is not what it is expected to be")


NDARRAY_AT = object.__basicsize__  # of `_host`, the first of the slots by name
CLASS.append(Array)
if (_library := dispatch.loaded()) is not None:
    watch(_library)
