"""The dispatcher in Python: the same meaning through cffi, for interpreters that `native/dispatch.cpp` does not fit.

Slower by some microseconds a call. One difference can be seen: a result array owns a copy of the kernel's memory.
"""

from __future__ import annotations

import ctypes
import importlib
import threading
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from soljit.base.errors import ToolchainError
from soljit.base.processors import default_threads
from soljit.base.python.dependency import resolve
from soljit.base.settings import Settings, current
from soljit.ir.core.types import BY_NAME, DType
from soljit.runtime.build.c_interface import interface
from soljit.runtime.system.forks import forks
from soljit.runtime.values.alias_groups import alias_groups
from soljit.runtime.values.arguments import describe, fits, leaf_types, object_places
from soljit.runtime.values.attribute_names import AttributeNames
from soljit.runtime.values.device_arrays import on_host, views_of
from soljit.runtime.values.parameters import parameters_of
from soljit.runtime.variants.callbacks import caller
from soljit.runtime.variants.captured import twins_hold
from soljit.runtime.variants.failures import raiser
from soljit.runtime.variants.interpreted import RunInPython
from soljit.runtime.variants.link import argument_words, assemble, build_code, identify, leaf_places
from soljit.runtime.variants.variant import LeafRecord, Variant
from soljit.support.limits import Plainly
from soljit.support.numbers import as_python
from soljit.support.unforeseen import NOT_TAKEN, Repeatable

_OK, _RAISE, _PYTHON = 0, 1, 2


_ffi = interface("frame.h", functions="void* malloc(size_t); void free(void*);")
_libc = _ffi.dlopen(None)
_held: dict[int, Any] = {}  # address of a buffer made here → the object it keeps alive


@_ffi.callback("void(sol_buffer*)")  # type: ignore[untyped-decorator]
def _drop(buffer: Any) -> None:
    _held.pop(_address(buffer), None)
    _libc.free(buffer)


@_ffi.callback("void(sol_frame*)")  # type: ignore[untyped-decorator]
def _let_go(frame: Any) -> None:
    """cffi took the GIL for each callback only."""


@_ffi.callback("int32_t(sol_frame*, void*, int32_t)")  # type: ignore[untyped-decorator]
def _open(frame: Any, generator: Any, k: int) -> int:
    """Random numbers are drawn by Python."""
    return 0


def _services(callback: Any, look: Any, device: int) -> Any:
    """What a kernel is offered. Memory is never kept for another temporary."""
    offered = {"drop": _drop, "callback": callback, "let_go": _let_go, "open": _open, "look": look}
    return _ffi.new("sol_services*", {**offered, "device": _ffi.cast("void*", device)})


class Portable:
    """The dispatcher of one function; the interface is that of `NativeDispatcher`."""

    def __init__(self, function: types.FunctionType, slow: Callable[..., Any]) -> None:
        self.function = function
        self.parameters = parameters_of(function)
        self.callable = slow
        self.attributes = AttributeNames(function)
        self.ready: dict[int, Compiled | RunInPython] = {}

    def add(self, v: Variant, leaves: Sequence[object]) -> None:
        """Let `run` use this variant."""
        v.index = len(self.ready)
        make = _class_of(v.record.load) if v.library.runs_in_python else Compiled
        self.ready[v.index] = make(v, self.function, self.parameters.names)

    def replace(self, v: Variant, leaves: Sequence[object]) -> None:
        """Captured values are compared by the slow path on every call: nothing to do."""

    def keep_results(self, settings: Settings) -> None:
        """Results are NumPy's here."""

    def trial(self, v: Variant) -> None:
        """There are none: this dispatcher is no measure of compiled code."""

    def given_up(self, v: Variant) -> tuple[int, int]:
        """Not counted."""
        return 0, 0

    def journal(self, v: Variant) -> list[str]:
        """What was written down of the last call of this variant, if it runs in Python."""
        ready = self.ready[v.index]
        return ready.journal.lines() if isinstance(ready, RunInPython) else []

    def run(self, v: Variant, bound: tuple[object, ...]) -> Any:
        """Run it on these arguments; NOT_TAKEN if it does not take them."""
        host = on_host(bound, {})
        if host is not None:
            result = self.run(v, host.args)
            return result if result is NOT_TAKEN else host.result(result)
        objects = frozenset(place for k, t in enumerate(v.types) for place in object_places((k,), t))
        call = describe(bound, self.parameters.names, objects, attributes=self.attributes)
        if not v.takes(call.types):
            return NOT_TAKEN
        fetched = views_of([resolve(self.function, path, call.leaves) for path, _ in v.fetched])
        if not twins_hold(v.record.twins, self.function, call.leaves):
            return NOT_TAKEN
        if fetched or v.record.changes_objects:
            whole = describe(bound, self.parameters.names, objects, fetched, v.record.changes_objects, self.attributes)
            if not v.takes(whole.types):
                return NOT_TAKEN
        if any(not fits(x, t) for x, (_, t) in zip(fetched, v.fetched)):
            return NOT_TAKEN
        if v.record.writes and _overlaps(fetched, call.leaves):
            return NOT_TAKEN
        leaves = [*call.leaves, *fetched]
        places = leaf_places(leaf_types(v.types) + [t for _, t in v.fetched], v.record.params)
        arrays = [leaves[places[name]] for name in v.record.put_back]
        before = [a.copy() for a in arrays]
        try:
            return self.ready[v.index].run(bound, leaves)
        except (Plainly, Repeatable):  # the call is made again
            for a, held in zip(arrays, before):
                a[...] = held
            raise


def _class_of(place: str) -> type[RunInPython]:
    """The class at "module:name"."""
    module, _, name = place.partition(":")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as e:
        raise ToolchainError(f"{place}, which runs code for this target, cannot be loaded: {e}") from e
    if isinstance(found, type) and issubclass(found, RunInPython):
        return found
    raise ToolchainError(f"{place} is no class for code that runs in Python")


def _overlaps(fetched: Sequence[Any], leaves: Sequence[Any]) -> bool:
    """Tell whether a captured array shares memory with another array."""
    mine, others = ([x for x in xs if type(x) is np.ndarray and x.dtype.kind in "biufc"] for xs in (fetched, leaves))
    return any(group is not None for group in alias_groups([*mine, *others])[: len(mine)])


class Compiled:
    """A variant with its entry points."""

    def __init__(self, v: Variant, function: types.FunctionType, names: Sequence[str]) -> None:
        self.variant, self.record = v, v.record
        self.leaves = leaf_types(v.types) + [t for _, t in v.fetched]
        self.places = leaf_places(self.leaves, v.record.params)
        self.kernel = _ffi.cast("int32_t(*)(sol_frame*)", v.library.kernel)
        self.set_threads = _ffi.cast("void(*)(int)", v.library.set_threads)
        self.guard = _ffi.cast("int32_t(*)(const int64_t*)", v.library.guard)
        self.code, self.constants = build_code(v.record.structure, self.places, {n: k for k, n in enumerate(names)})
        code = function.__code__
        self.fail = raiser(v.record, code.co_filename, code.co_firstlineno)
        self.callers = [caller(c) for c in v.record.callbacks]

    def run(self, bound: tuple[object, ...], leaves: Sequence[Any]) -> Any:
        words = argument_words(leaves, self.leaves)
        given = _ffi.from_buffer("int64_t[]", words)
        if self.guard and not self.guard(given):
            return NOT_TAKEN
        size = sum(_words(r) for r in self.record.results)
        out = np.zeros(size + 1, np.int64)
        errors: list[tuple[int, BaseException]] = []  # with their places

        @_ffi.callback("int32_t(sol_frame*, int32_t, const int64_t*, int64_t*)")  # type: ignore[untyped-decorator]
        def callback(frame: Any, number: int, given: Any, wanted: Any) -> int:
            try:
                self._callback(number, _address(given), wanted)
                return _OK
            except BaseException as e:  # noqa: BLE001 (it travels through compiled code)
                errors.append((-1 - number, e))
                return _PYTHON

        def raised(kind: type, error: BaseException, traceback: types.TracebackType) -> int:
            """The handler of a signal has raised: Python runs handlers when it enters a function, in the main thread."""
            given = traceback.tb_frame.f_locals
            errors.append((given["place"], error))
            given["frame"].stopped = 1
            return _PYTHON

        @_ffi.callback("int32_t(sol_frame*, int32_t)", onerror=raised)  # type: ignore[untyped-decorator]
        def look(frame: Any, place: int) -> int:
            return _OK

        services = _services(callback, look, self.variant.device)
        words_out = _ffi.from_buffer("int64_t[]", out)
        frame = _ffi.new("sol_frame*", {"in": given, "out": words_out, "services": services})
        if self.set_threads:
            alone = forks.alone == threading.get_ident()
            self.set_threads(1 if alone else current().num_threads or default_threads())
        status = self.kernel(frame)
        through = bytes(_ffi.buffer(frame.through))[: 4 * frame.passed]
        if status == _RAISE:
            self.fail(frame.place, bytes(_ffi.buffer(frame.operands)), through)
        if status != _OK:
            if not errors:
                raise SystemError("soljit: compiled code failed without an exception")
            place, error = errors[0]
            self.fail(place, error, through)
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
                windows[len(values)] = bytes(_memory(at, 8 * _words(r))) + f"{r.dtype}".encode()
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
                _ffi.memmove(wanted + place, word.tobytes(), word.itemsize)
            place += _words(leaf)


def _words(leaf: LeafRecord) -> int:
    if leaf.kind == "array" or (leaf.kind == "object" and leaf.dtype is not None):  # held objects have owners
        return 2 + 2 * leaf.ndim
    return 2 if leaf.dtype == "c128" else 1


def _dtype(leaf: LeafRecord) -> DType:
    return BY_NAME[leaf.dtype or "b1"]


def _address(pointer: Any) -> int:
    return int(_ffi.cast("intptr_t", pointer))


def _memory(address: int, size: int) -> Any:
    """Memory that can be read and written."""
    return _ffi.buffer(_ffi.cast("char*", address), size)


def _int64(address: int) -> int:
    return int(_ffi.cast("int64_t*", address)[0])


def _scalar(leaf: LeafRecord, at: int) -> Any:
    t = _dtype(leaf)
    value = np.frombuffer(bytes(_memory(at, t.size)), t.numpy)[0]
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
    return np.ndarray(shape, t.numpy, _memory(data + low, size), -low, strides)


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
    b = _ffi.cast("sol_buffer*", _libc.malloc(_ffi.sizeof("sol_buffer")))
    b.refs, b.bytes, b.object = 1, 0, _ffi.cast("void*", id(value))
    b.data = _ffi.cast("void*", value.ctypes.data if isinstance(value, np.ndarray) else 0)
    _held[_address(b)] = value
    return _address(b)


def _release(address: int) -> None:
    """Give back one reference to a buffer."""
    b = _ffi.cast("sol_buffer*", address)
    b.refs -= 1
    if b.refs == 0:
        if b.object:
            _held.pop(address, None)
        else:
            _libc.free(b.data)
        _libc.free(b)
