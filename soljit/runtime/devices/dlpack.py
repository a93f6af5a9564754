"""DLPack's capsules, read and written by hand: a tensor, and what to call when nobody needs it any more."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from soljit.base.errors import ArgumentError

NdArray = np.ndarray[Any, Any]
_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
_KINDS = {code: kind for kind, code in _CODES.items()}
_TAKEN = {"b8", "f16", "f32", "f64", "c64", "c128", *(f"{k}{bits}" for k in "iu" for bits in (8, 16, 32, 64))}
_READ_ONLY = 1
_MAJOR = 1
_PLAIN, _VERSIONED = b"dltensor", b"dltensor_versioned"


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_kind", ctypes.c_int32),
        ("device_number", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
    ]


_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]


class _ManagedVersioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", _Deleter),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    ]


_api = ctypes.pythonapi
_capsule_is = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_IsValid", _api))
_pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", _api))
_rename = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_SetName", _api))
# The same for a capsule that is going away: nothing may hold it any more, not even for a moment.
_dying_is = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", _api))
_dying_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", _api))
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(("PyCapsule_New", _api))
_names = {
    name: ctypes.create_string_buffer(b"used_" + name) for name in (_PLAIN, _VERSIONED)
}  # capsules keep the pointer
_fresh = {name: ctypes.create_string_buffer(name) for name in (_PLAIN, _VERSIONED)}


class Opened:
    """The tensor of a capsule, which is used up; as long as this lives, so does the memory."""

    def __init__(self, managed: Any, tensor: Any, read_only: bool) -> None:
        self._managed = managed
        kind = _KINDS.get(tensor.code, "")
        if tensor.lanes != 1 or f"{kind}{tensor.bits}" not in _TAKEN:
            raise ArgumentError(
                f"a DLPack tensor of type code {tensor.code} with {tensor.bits} bits in {tensor.lanes} lanes is not taken: compiled code has no such elements"
            )
        self.dtype = np.dtype("?" if kind == "b" else f"{kind}{tensor.bits // 8}")
        self.shape = tuple(tensor.shape[k] for k in range(tensor.ndim))
        strides = [tensor.strides[k] * self.dtype.itemsize for k in range(tensor.ndim)] if tensor.strides else None
        self.strides = None if strides is None else tuple(strides)
        self.at = int(tensor.data or 0) + int(tensor.offset)
        self.device = int(tensor.device_kind), int(tensor.device_number)
        self.read_only = read_only

    def __del__(self) -> None:
        managed = self._managed
        if managed.deleter:
            managed.deleter(ctypes.addressof(managed))


def opened(capsule: Any) -> Opened:
    """Take the tensor out of a capsule; ArgumentError if that was done before, or the tensor is of a kind that is not taken."""
    for name, kind in ((_VERSIONED, _ManagedVersioned), (_PLAIN, _Managed)):
        if _capsule_is(capsule, name):
            managed: Any = kind.from_address(_pointer_of(capsule, name))
            if name == _VERSIONED and managed.major > _MAJOR:
                raise ArgumentError(
                    f"a DLPack capsule of version {managed.major}.{managed.minor} is not taken: soljit reads version {_MAJOR}"
                )
            _rename(capsule, ctypes.cast(_names[name], ctypes.c_char_p))
            return Opened(managed, managed.tensor, name == _VERSIONED and bool(managed.flags & _READ_ONLY))
    if type(capsule).__name__ != "PyCapsule":
        raise ArgumentError(
            f"__dlpack__ gave an object of type {type(capsule).__name__}, which is not a DLPack capsule"
        )
    raise ArgumentError("a DLPack capsule can be used once only, and this one was used")


_exported: dict[int, tuple[Any, ...]] = {}  # by address: what lives as long as a consumer needs it


@_Deleter  # type: ignore[untyped-decorator]
def _delete(address: int) -> None:
    _exported.pop(address, None)


@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)  # type: ignore[untyped-decorator]
def _capsule_died(address: int) -> None:
    """A capsule that nobody has used."""
    for name in (_PLAIN, _VERSIONED):
        if _dying_is(address, name):
            _exported.pop(_dying_pointer(address, name), None)


def capsule(like: NdArray, at: int, device: tuple[int, int], keeper: object, versioned: bool) -> Any:
    """A capsule over memory at `at`, of the shape, strides and dtype of `like`."""
    n = like.ndim
    shape = (ctypes.c_int64 * max(1, n))(*like.shape)
    strides = (ctypes.c_int64 * max(1, n))(*(s // like.itemsize for s in like.strides))
    tensor = _Tensor(at, *device, n, _CODES[like.dtype.kind], 8 * like.itemsize, 1, shape, strides, 0)
    if versioned:
        flags = 0 if like.flags.writeable else _READ_ONLY
        managed: Any = _ManagedVersioned(_MAJOR, 0, None, _delete, flags, tensor)
    else:
        managed = _Managed(tensor, None, _delete)
    address = ctypes.addressof(managed)
    _exported[address] = managed, shape, strides, keeper
    name = _fresh[_VERSIONED if versioned else _PLAIN]
    return _new(address, ctypes.cast(name, ctypes.c_char_p), ctypes.cast(_capsule_died, ctypes.c_void_p))
