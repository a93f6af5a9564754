"""`sol.Array`: an array whose elements are on a device, and come to the host only when somebody looks at them there."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from soljit.base.errors import TransferWarning
from soljit.runtime.devices import numpy_calls
from soljit.runtime.devices.array_memory import Memory, NdArray, view

_told: list[bool] = []


class Array(NDArrayOperatorsMixin):
    """An array on a device: shape, dtype and strides are those of the NumPy array that it stands for.

    Jitted functions take it wherever they take an array, and give arrays of this class back; between two calls nothing is copied. `asarray`,
    `zeros`, `ones`, `full`, `empty` and their `…_like` make one, `x.numpy()` is the NumPy array: a view, whose elements are
    those of `x` as long as it lives. Basic indexing (`x[1:, 0]`), `T`, `transpose` and `reshape` give views on the device; `x[k] = v` writes there. All
    else of NumPy works on the host: a `TransferWarning` says so once.
    """

    __slots__ = ("__weakref__", "_host", "_keeper", "_memory")
    __array_priority__ = 100.0
    _host: NdArray  # hidden: its elements may be old
    _memory: Memory
    _keeper: object  # of memory of another library

    def __init__(self) -> None:
        raise TypeError(
            "soljit.Array is not made by calling it: soljit.asarray(a), soljit.zeros(shape) and others make one"
        )

    # --- what it is -----------------------------------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""
        shape: tuple[int, ...] = self._host.shape
        return shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of an element."""
        dtype: np.dtype[Any] = self._host.dtype
        return dtype

    @property
    def ndim(self) -> int:
        """How many axes there are."""
        return self._host.ndim

    @property
    def size(self) -> int:
        """How many elements there are."""
        return self._host.size

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self._host.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self._host.nbytes

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one element to the next along each axis, on the device as on the host."""
        return self._host.strides

    @property
    def flags(self) -> Any:  # any: NumPy's flags object
        """Those of the NumPy array; `owndata` is of no meaning."""
        return self._host.flags

    @property
    def device(self) -> str:
        """Where it is: "cuda:1", as `soljit.device.set` takes it."""
        return self._memory.device.text

    @property
    def state(self) -> str:
        """Which side has what counts: "device", "host", "both", or "shared" while somebody holds a NumPy array over the same elements."""
        now = self._memory.state()
        if now.writers:
            return "shared"
        return "both" if now.host and now.device else "host" if now.host else "device"

    # --- elements on the host -------------------------------------------------------------------------------------------------

    def numpy(self) -> NdArray:
        """The NumPy array of the same elements: a view that sees what is written on the device, and whose writes the device sees.

        Copies what is on the device only. While the array lives, or any view of it, each call of a jitted function copies. For memory of another
        library it is a copy. DeviceError if the elements cannot be fetched (in a forked process, say).
        """
        if self._memory.state().outside:
            return np.array(self._look(), order="K", copy=True)
        return view(self._memory, self._host, True)

    def _look(self) -> NdArray:
        """A view for reading."""
        return view(self._memory, self._host, False)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NdArray:
        wanted = self.dtype if dtype is None else np.dtype(dtype)
        if copy or (copy is None and wanted != self.dtype):
            return np.array(self._look(), dtype=wanted, copy=True, order="K")
        if wanted != self.dtype or (copy is False and self._memory.state().outside):
            raise ValueError("this soljit.Array cannot be a NumPy array without a copy")
        return self.numpy()

    def item(self, *where: Any) -> Any:
        """One element as a Python number; only that is copied."""
        if where:
            at = where[0] if len(where) == 1 else where
            if isinstance(at, tuple):
                return self[at].item()
            k = operator.index(at)
            if not -self.size <= k < self.size:
                return np.empty(self.shape, np.bool_).item(k)  # NumPy's error
            return self[tuple(int(i) for i in np.unravel_index(k % self.size, self.shape))].item()
        return self._one().item()

    def tolist(self) -> Any:
        """The elements as Python numbers in nested lists."""
        return self._memory.read(self._host).tolist()

    def _one(self) -> NdArray:
        """The only element, in an array of this shape. If there are more, or none, nothing is copied: NumPy's error is the same."""
        return self._memory.read(self._host) if self.size == 1 else np.empty(self.shape, self.dtype)

    def __float__(self) -> float:
        return float(self._one())

    def __int__(self) -> int:
        return int(self._one())

    def __complex__(self) -> complex:
        return complex(self._one())

    def __index__(self) -> int:
        return operator.index(self._one())

    def __bool__(self) -> bool:
        return bool(self._one())

    def __len__(self) -> int:
        return len(self._host)

    def __iter__(self) -> Iterator[Any]:
        if not self.ndim:
            raise TypeError("iteration over a 0-d array")
        return (self[k] for k in range(len(self)))

    def __contains__(self, value: object) -> bool:
        return value in self._look()

    def __repr__(self) -> str:
        text = repr(numpy_calls.shown(self._memory, self._host))
        return f"Array{text[5:-1]}, device={self.device!r})"

    def __str__(self) -> str:
        return str(numpy_calls.shown(self._memory, self._host))

    def __format__(self, spec: str) -> str:
        return format(self._one(), spec) if not self.ndim else format(str(self), spec)

    # --- views ----------------------------------------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Any:
        """Basic indexing: a view on the device, or one element as a NumPy scalar. Index arrays and masks work on the host and give NumPy arrays."""
        if not _is_basic(key):
            return self._look()[key]
        window = _window(self._host, key)
        if not window.ndim and not _has_ellipsis(key):
            return self._memory.read(window)[()]
        return array_over(window, self._memory, self._keeper)

    def __setitem__(self, key: Any, value: Any) -> None:
        """Write elements: on the device, if they lie without gaps, else on the host."""
        value = value._look() if isinstance(value, Array) else value
        window = _window(self._host, key) if _is_basic(key) else None
        if window is None or not (window.flags.c_contiguous or window.flags.f_contiguous) or self._host.size == 0:
            _writable(self)[key] = value
            return
        if not window.flags.writeable:
            raise ValueError("assignment destination is read-only")
        new = np.empty_like(window)
        new[...] = value
        self._memory.write(window, new)

    @property
    def T(self) -> Array:
        """The view with the axes in the opposite order."""
        return self.transpose()

    def transpose(self, *axes: Any) -> Array:
        """The view with the axes in another order, as `ndarray.transpose`."""
        return array_over(self._host.transpose(*axes), self._memory, self._keeper)

    def reshape(self, *shape: Any, order: Any = "C") -> Array:
        """The view of another shape. ValueError if that needs a copy."""
        found = self._host.reshape(*shape, order=order)
        if not np.may_share_memory(found, self._host) and self.size:
            raise ValueError(
                f"a soljit.Array of strides {self.strides} has no view of shape {found.shape}: reshape it in a jitted function"
            )
        return array_over(found, self._memory, self._keeper)

    def copy(self) -> Array:
        """A new array with memory of its own, on the same device."""
        from soljit.runtime.devices.making import array_of

        return array_of(self._look(), self._memory.device)

    def __copy__(self) -> Array:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Array:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        from soljit.runtime.devices.making import unpickled

        return unpickled, (self._look().copy(order="K"), self.device)

    # --- NumPy and other libraries --------------------------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        tell_once(f"numpy.{ufunc.__name__}")
        return numpy_calls.ufunc(Array, ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if not numpy_calls.asks_for_shapes(function):
            tell_once(f"numpy.{getattr(function, '__name__', function)}")
        return numpy_calls.function(Array, function, args, kwargs)

    def __dlpack__(self, **options: Any) -> Any:
        from soljit.runtime.devices.interchange import to_dlpack

        return to_dlpack(self, **options)

    def __dlpack_device__(self) -> tuple[int, int]:
        from soljit.runtime.devices.interchange import dlpack_device

        return dlpack_device(self)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        from soljit.runtime.devices.interchange import cuda_array_interface

        return cuda_array_interface(self)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and hasattr(np.ndarray, name):
            raise AttributeError(
                f"a soljit.Array has no {name!r}: use it in a jitted function, which works on the device, or x.numpy().{name} on the host"
            )
        raise AttributeError(f"'Array' object has no attribute {name!r}")


def array_over(window: NdArray, memory: Memory, keeper: object = None) -> Array:
    """The device array over a part of hidden memory. keeper: what keeps memory of another library alive."""
    made = Array.__new__(Array)
    made._host, made._memory, made._keeper = window, memory, keeper
    return made


def tell_once(what: str) -> None:
    """The hint that something of NumPy works on the host."""
    if not _told:
        _told.append(True)
        warnings.warn(
            f"{what} works on the host, where device arrays are copied for it; in a function under soljit.jit it works on the device (said once)",
            TransferWarning,
            stacklevel=3,
        )


def _writable(x: Array) -> NdArray:
    """A view to be written, also of memory of other libraries, where it goes back."""
    return view(x._memory, x._host, True)


def _is_basic(key: Any) -> bool:
    parts = key if type(key) is tuple else (key,)
    return all(
        p is None or p is ... or isinstance(p, (slice, int, np.integer)) and not isinstance(p, bool) for p in parts
    )


def _has_ellipsis(key: Any) -> bool:
    return key is ... or (type(key) is tuple and any(p is ... for p in key))


def _window(host: NdArray, key: Any) -> NdArray:
    """The view that a basic key picks, without dimensions for one element."""
    if not _has_ellipsis(key):
        key = (*(key if type(key) is tuple else (key,)), ...)
    found: NdArray = host[key]
    return found
