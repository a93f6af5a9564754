"""The dispatcher in Python: the same meaning through ctypes, for interpreters that `native/dispatch.cpp` does not fit.

Slower by some microseconds a call. One difference can be seen: a result array owns a copy of the kernel's memory.
"""

from __future__ import annotations

import ctypes
import threading
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from soljit.base.dependency import resolve
from soljit.base.numbers import as_python
from soljit.base.settings import current
from soljit.ir.signature import ArgType, ArrayArg, ObjectArg, ScalarArg
from soljit.ir.types import BY_NAME, DType
from soljit.runtime.alias_groups import alias_groups
from soljit.runtime.arguments import describe, fits, leaf_types, object_places
from soljit.runtime.attribute_names import AttributeNames
from soljit.runtime.callbacks import caller
from soljit.runtime.dispatch import default_threads
from soljit.runtime.failures import raiser
from soljit.runtime.forks import forks
from soljit.runtime.interpreted import Interpreted
from soljit.runtime.link import assemble, build_code, identify, leaf_places
from soljit.runtime.parameters import parameters_of
from soljit.runtime.variant import LeafRecord, Variant

_OK, _RAISE, _PYTHON = 0, 1, 2


class _Buffer(ctypes.Structure):
    _fields_ = [
        ("refs", ctypes.c_int64),
        ("data", ctypes.c_void_p),
        ("object", ctypes.c_void_p),
        ("bytes", ctypes.c_int64),
    ]


_DROP = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Buffer))
_CALLBACK = ctypes.CFUNCTYPE(
    ctypes.c_int32, ctypes.c_void_p, ctypes.c_int32, ctypes.POINTER(ctypes.c_int64), ctypes.POINTER(ctypes.c_int64)
)

_LET_GO = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_OPEN = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32)


class _Services(ctypes.Structure):
    _fields_ = [
        ("drop", _DROP),
        ("callback", _CALLBACK),
        ("let_go", _LET_GO),
        ("take", ctypes.c_void_p),
        ("give", ctypes.c_void_p),
        ("open", _OPEN),
        ("device", ctypes.c_void_p),
    ]


class _Frame(ctypes.Structure):
    _fields_ = [
        ("in_", ctypes.c_void_p),
        ("out", ctypes.c_void_p),
        ("services", ctypes.POINTER(_Services)),
        ("variant", ctypes.c_void_p),
        ("place", ctypes.c_int32),
        ("operands", ctypes.c_int64 * 32),
        ("streams", ctypes.c_int64 * 24),
    ]


_libc = ctypes.CDLL(None)
_libc.free.argtypes, _libc.malloc.restype, _libc.malloc.argtypes = [ctypes.c_void_p], ctypes.c_void_p, [ctypes.c_size_t]
_KERNEL = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.POINTER(_Frame))
_SET_THREADS = ctypes.CFUNCTYPE(None, ctypes.c_int)
_GUARD = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)
_held: dict[int, Any] = {}  # address of a buffer made here → the object it keeps alive


@_DROP  # type: ignore[untyped-decorator]
def _drop(buffer: Any) -> None:
    address = ctypes.addressof(buffer.contents)
    _held.pop(address, None)
    _libc.free(address)


@_LET_GO  # type: ignore[untyped-decorator]
def _let_go(frame: int) -> None:
    """ctypes took the GIL for each callback only."""


@_OPEN  # type: ignore[untyped-decorator]
def _open(frame: int, generator: int, k: int) -> int:
    """Random numbers are drawn by Python."""
    return 0


def _services(callback: Any) -> _Services:
    """What a kernel is offered. Memory is never kept for another temporary."""
    return _Services(_drop, callback, _let_go, None, None, _open, None)


class Portable:
    """The dispatcher of one function; the interface is that of `NativeDispatcher`."""

    def __init__(self, function: types.FunctionType, slow: Callable[..., Any]) -> None:
        self.function = function
        self.parameters = parameters_of(function)
        self.callable = slow
        self.attributes = AttributeNames(function)
        self.ready: dict[int, Compiled | Interpreted] = {}

    def add(self, v: Variant, leaves: Sequence[object]) -> None:
        """Let `run` use this variant."""
        v.index = len(self.ready)
        make = Interpreted if v.library.interpreted else Compiled
        self.ready[v.index] = make(v, self.function, self.parameters.names)

    def replace(self, v: Variant, leaves: Sequence[object]) -> None:
        """Captured values are compared by the slow path on every call: nothing to do."""

    def trial(self, v: Variant) -> None:
        """There are none: this dispatcher is no measure of compiled code."""

    def given_up(self, v: Variant) -> tuple[int, int]:
        """Not counted."""
        return 0, 0

    def journal(self, v: Variant) -> list[str]:
        """What was written down of the last call of this variant, if it was interpreted."""
        ready = self.ready[v.index]
        return ready.journal.lines() if isinstance(ready, Interpreted) else []

    def run(self, v: Variant, bound: tuple[object, ...]) -> Any:
        """Run it on these arguments; NotImplemented if it does not take them."""
        objects = frozenset(place for k, t in enumerate(v.types) for place in object_places((k,), t))
        call = describe(bound, self.parameters.names, objects, attributes=self.attributes)
        if not v.takes(call.types):
            return NotImplemented
        fetched = [resolve(self.function, path, call.leaves) for path, _ in v.fetched]
        for path, of in v.record.twins:
            if resolve(self.function, path, call.leaves) is not resolve(self.function, of, call.leaves):
                return NotImplemented
        if fetched or v.record.changes_objects:
            whole = describe(bound, self.parameters.names, objects, fetched, v.record.changes_objects, self.attributes)
            if not v.takes(whole.types):
                return NotImplemented
        if any(not fits(x, t) for x, (_, t) in zip(fetched, v.fetched)):
            return NotImplemented
        if v.record.writes and _overlaps(fetched, call.leaves):
            return NotImplemented
        return self.ready[v.index].run(bound, [*call.leaves, *fetched])


def _overlaps(fetched: Sequence[Any], leaves: Sequence[Any]) -> bool:
    """Does a captured array share memory with another array?"""
    mine, others = ([x for x in xs if type(x) is np.ndarray and x.dtype.kind in "biufc"] for xs in (fetched, leaves))
    return any(group is not None for group in alias_groups([*mine, *others])[: len(mine)])


class Compiled:
    """A variant with its entry points."""

    def __init__(self, v: Variant, function: types.FunctionType, names: Sequence[str]) -> None:
        self.variant, self.record = v, v.record
        self.leaves = leaf_types(v.types) + [t for _, t in v.fetched]
        self.places = leaf_places(self.leaves, v.record.params)
        self.kernel = _KERNEL(v.library.kernel)
        self.set_threads = _SET_THREADS(v.library.set_threads) if v.library.set_threads else None
        self.guard = _GUARD(v.library.guard) if v.library.guard else None
        self.code, self.constants = build_code(v.record.structure, self.places, {n: k for k, n in enumerate(names)})
        code = function.__code__
        self.fail = raiser(v.record.raises, v.record.callbacks, code.co_filename, code.co_firstlineno)
        self.callers = [caller(c) for c in v.record.callbacks]

    def run(self, bound: tuple[object, ...], leaves: Sequence[Any]) -> Any:
        words = argument_words(leaves, self.leaves)
        if self.guard is not None and not self.guard(words.ctypes.data):
            return NotImplemented
        size = sum(_words(r) for r in self.record.results)
        out = np.zeros(size + 1, np.int64)
        errors: list[tuple[int, BaseException]] = []

        @_CALLBACK  # type: ignore[untyped-decorator]
        def callback(frame: int, number: int, given: Any, wanted: Any) -> int:
            try:
                self._callback(number, ctypes.addressof(given.contents), wanted)
                return _OK
            except BaseException as e:  # noqa: BLE001 (it travels through compiled code)
                errors.append((number, e))
                return _PYTHON

        frame = _Frame(words.ctypes.data, out.ctypes.data, ctypes.pointer(_services(callback)))
        if self.set_threads is not None:
            alone = forks.alone == threading.get_ident()
            self.set_threads(1 if alone else current().num_threads or default_threads())
        status = self.kernel(ctypes.byref(frame))
        if status == _RAISE:
            self.fail(frame.place, bytes(frame.operands))
        if status != _OK:
            if not errors:
                raise SystemError("soljit: compiled code failed without an exception")
            number, error = errors[0]
            self.fail(-1 - number, error)
        values = self._results(out.ctypes.data, leaves)
        return assemble(self.code, self.constants, values, bound, leaves)

    def _results(self, at: int, leaves: Sequence[Any]) -> list[Any]:
        values: list[Any] = []
        buffers: list[int] = []
        windows: dict[int, bytes] = {}  # what array leaves show
        for r in self.record.results:
            if r.kind == "object":
                values.append(_held[_int64(at + 8)])
                buffers.append(_int64(at + 8))
            elif r.kind != "array":
                values.append(_scalar(r, at))
            else:
                buffer = _int64(at + 8)
                if not buffer and not _int64(at):  # another alternative of the structure was chosen
                    values.append(None)
                    at += 8 * _words(r)
                    continue
                windows[len(values)] = ctypes.string_at(at, 8 * _words(r)) + f"{r.dtype}".encode()
                view = _view(r, at)
                if r.same is not None and not buffer:
                    values.append(leaves[self.places[r.same]])
                elif not buffer:
                    values.append(_inside(view, leaves, self.places.get(r.base or "", -1)))
                else:
                    buffers.append(buffer)
                    values.append(np.array(view, order="K"))
                if r.kind == "array" and not r.writable and r.same is None:
                    values[-1].flags.writeable = False
            at += 8 * _words(r)
        for b in buffers:
            _release(b)
        identify(values, self.record.results, windows)
        return values

    def _callback(self, number: int, at: int, wanted: Any) -> None:
        table = self.record.callbacks[number]
        operands: list[Any] = []
        for leaf in table.ins:
            if leaf.kind == "array":
                operands.append(_view(leaf, at))
            elif leaf.kind == "object":
                operands.append(ctypes.cast(_int64(at), ctypes.py_object).value)
            else:
                value = _scalar(leaf, at)
                operands.append(value)
            at += 8 * _words(leaf)
        place = 0
        for leaf, value in zip((o for o in table.outs if o.kind != "drop"), self.callers[number](*operands)):
            if leaf.kind == "array":
                wanted[place], wanted[place + 1] = value.ctypes.data, _keep(value)
                for k in range(leaf.ndim):
                    wanted[place + 2 + k] = value.shape[k]
                    wanted[place + 2 + leaf.ndim + k] = value.strides[k]
            elif leaf.kind == "object":
                wanted[place], wanted[place + 1] = id(value), _keep(value)
            else:
                word: Any = value if isinstance(value, np.generic) else BY_NAME[leaf.dtype or "f64"].numpy.type(value)
                ctypes.memmove(ctypes.addressof(wanted.contents) + 8 * place, word.tobytes(), word.itemsize)
            place += _words(leaf)


def argument_words(leaves: Sequence[Any], leaf_types_: Sequence[ArgType]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The words of a call's arguments."""
    parts: list[Any] = []
    for value, t in zip(leaves, leaf_types_):
        match t:
            case ArrayArg():
                parts.append(np.array([value.__array_interface__["data"][0], *value.shape, *value.strides], np.int64))
            case ScalarArg():
                raw = np.zeros(2 if t.dtype.size > 8 else 1, np.int64)
                raw.view(np.uint8)[: t.dtype.size] = np.frombuffer(np.array(value, t.dtype.numpy).tobytes(), np.uint8)
                parts.append(raw)
            case ObjectArg():
                parts.append(np.array([id(value)], np.int64))
    return np.concatenate([*parts, np.zeros(1, np.int64)]).astype(np.int64)


def _words(leaf: LeafRecord) -> int:
    if leaf.kind == "array" or (leaf.kind == "object" and leaf.dtype is not None):  # held objects have owners
        return 2 + 2 * leaf.ndim
    return 2 if leaf.dtype == "c128" else 1


def _dtype(leaf: LeafRecord) -> DType:
    return BY_NAME[leaf.dtype or "b1"]


def _int64(address: int) -> int:
    return ctypes.c_int64.from_address(address).value


def _scalar(leaf: LeafRecord, at: int) -> Any:
    t = _dtype(leaf)
    value = np.frombuffer(ctypes.string_at(at, t.size), t.numpy)[0]
    return as_python(value) if leaf.kind == "python" else value


def _view(leaf: LeafRecord, at: int) -> Any:
    """A NumPy array over the words of an array leaf."""
    t, nd = _dtype(leaf), leaf.ndim
    data = _int64(at)
    shape = tuple(_int64(at + 16 + 8 * k) for k in range(nd))
    strides = tuple(_int64(at + 16 + 8 * (nd + k)) for k in range(nd))
    if 0 in shape:
        return np.empty(shape, t.numpy)
    reach = [(n - 1) * s for n, s in zip(shape, strides)]
    low = sum(r for r in reach if r < 0)
    size = sum(abs(r) for r in reach) + t.size
    memory = (ctypes.c_char * size).from_address(data + low)
    return np.ndarray(shape, t.numpy, memory, -low, strides)  # type: ignore[arg-type]


def _inside(view: Any, leaves: Sequence[Any], first: int) -> Any:
    """The same window as a view of the argument that holds it, so that it keeps that argument alive."""
    arrays = [x for k, x in sorted(enumerate(leaves), key=lambda kx: kx[0] != first) if isinstance(x, np.ndarray)]
    for a in arrays:
        if view.size == 0 or np.may_share_memory(a, view):
            lo, _ = np.lib.array_utils.byte_bounds(a)
            span = np.lib.array_utils.byte_bounds(a)[1] - lo
            if view.size == 0:
                return np.ndarray(view.shape, view.dtype, a, 0) if a.size else view
            offset = view.__array_interface__["data"][0] - lo
            flat = np.lib.stride_tricks.as_strided(_lowest(a).view(np.uint8), (span,), (1,))
            out = np.ndarray(view.shape, view.dtype, flat, offset, view.strides)
            out.flags.writeable = a.flags.writeable
            return out
    return view


def _lowest(a: Any) -> Any:
    """The element of `a` at the lowest address, as a one-element array."""
    index = tuple(slice(-1, None) if s < 0 else slice(0, 1) for s in a.strides)
    return np.lib.stride_tricks.as_strided(a[index], (1,), (a.itemsize,))


def _keep(value: Any) -> int:
    buffer = _libc.malloc(ctypes.sizeof(_Buffer))
    b = _Buffer.from_address(buffer)
    b.refs, b.bytes, b.object = 1, 0, id(value)
    b.data = value.ctypes.data if isinstance(value, np.ndarray) else None
    _held[buffer] = value
    return int(buffer)


def _release(address: int) -> None:
    """Give back one reference to a buffer."""
    b = _Buffer.from_address(address)
    b.refs -= 1
    if b.refs == 0:
        if b.object:
            _held.pop(address, None)
        else:
            _libc.free(b.data)
        _libc.free(address)
