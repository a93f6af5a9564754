"""Compile a Program with nothing but a C++ compiler, and call it through cffi: code generation without the runtime.

`Compiled(program).run(*args)` passes NumPy arrays and scalars as words, and turns result words into NumPy values; memory
that results share with nothing else is copied and released. Services refuse calls back.
"""

from __future__ import annotations

import ctypes
import hashlib
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from soljit.codegen.emit import emit
from soljit.codegen.source import Features, Source
from soljit.ir.core.nodes import Program
from soljit.passes.manager import Context, run
from soljit.passes.scheduling.order_sums import order_sums
from soljit.passes.scheduling.prepare_loops import prepare_loops
from soljit.passes.scheduling.thread_parts import with_parts
from soljit.runtime.build.c_interface import interface
from soljit.runtime.build.toolchain import toolchain, words_of
from soljit.runtime.system import library
from soljit.targets import cpp
from soljit.targets.target import Machine

FLAGS = ("-Wall", "-Wextra", "-Werror", "-O1")
_folder = tempfile.TemporaryDirectory(prefix="soljit-codegen-")


_ffi = interface("frame.h", functions="void free(void*);")
_libc = _ffi.dlopen(None)


@_ffi.callback("void(sol_frame*)")
def _let_go(frame: Any) -> None:
    """Kernels run without the GIL."""


@_ffi.callback("int32_t(sol_frame*, int32_t)")
def _look(frame: Any, place: int) -> int:
    """No signal comes."""
    return 0


class Raised(Exception):
    """The kernel left with SOL_RAISE."""

    def __init__(self, exception: str, message: str | None, operands: list[Any]) -> None:
        self.exception, self.message, self.operands = exception, message, operands
        super().__init__(exception, message, operands)


def finished(program: Program) -> Program:
    """The program with what the last passes say of its loops, whose schedules it has."""
    return run(with_parts(program), (order_sums, prepare_loops), Context())


def features() -> Features:
    """What this machine offers."""
    return cpp.features(Machine(1, 512, toolchain()))


def build(text: str, openmp: bool = False, flags: Sequence[str] = FLAGS) -> Path:
    """The shared library of a C++ text; an AssertionError with the compiler's words if it does not compile cleanly."""
    tools = toolchain()
    stem = hashlib.sha256(text.encode() + repr(flags).encode()).hexdigest()[:20]
    path = Path(_folder.name) / f"{stem}.so"
    if not path.exists():
        source = path.with_suffix(".cpp")
        source.write_text(text)
        given = ["-DSOL_ALONE", *(f for f in tools.flags("strict", openmp) if f != "-O3")]
        words = words_of(str(source), str(path), (*given, *flags))
        done = subprocess.run([tools.path, *words], capture_output=True, text=True)
        assert done.returncode == 0, f"{source}\n{done.stderr[:4000]}"
    return path


class Compiled:
    """A program, compiled. device: the address of the table of a device."""

    def __init__(self, program: Program, fp: str = "strict", flags: Sequence[str] = FLAGS, device: int = 0) -> None:
        self.program = program
        self.source: Source = emit(finished(program), fp=fp, features=features())
        self.library = ctypes.CDLL(str(build(self.source.text, self.source.needs_openmp, flags)))
        slots = (ctypes.c_void_p * max(1, len(self.source.imports))).in_dll(self.library, "sol_slots")
        for k, name in enumerate(self.source.imports):
            slots[k] = library.import_address(name) or None
        self.kernel = _ffi.cast("int32_t(*)(sol_frame*)", library.address(self.library, "sol_kernel"))
        self.services = _ffi.new(
            "sol_services*", {"let_go": _let_go, "look": _look, "device": _ffi.cast("void*", device)}
        )

    def words(self, args: Sequence[Any]) -> np.ndarray:
        """Argument words."""
        words: list[int] = []
        for p, a in zip(self.program.params, args, strict=True):
            if p.kind == "array":
                assert a.dtype == self.program.data[p.name].dtype.numpy, (p, a.dtype)
                words += [a.ctypes.data, *a.shape, *a.strides]
            else:
                assert p.dtype is not None
                raw = np.asarray(a, p.dtype.numpy).tobytes()
                words += np.frombuffer(raw.ljust(-(-len(raw) // 8) * 8, b"\0"), np.int64).tolist()
        return np.array(words or [0], np.int64)

    def guard(self, *args: Any) -> bool:
        """Do the guards hold?"""
        words = self.words(args)
        f: Callable[..., int] = self.library.sol_guard
        return bool(f(ctypes.c_void_p(words.ctypes.data)))

    def run(self, *args: Any) -> list[Any]:
        """The results' leaves."""
        words = self.words(args)
        out = np.full(4096, -1, np.int64)
        given, wanted = (_ffi.from_buffer("int64_t[]", w) for w in (words, out))
        frame = _ffi.new("sol_frame*", {"in": given, "out": wanted, "services": self.services})
        status = self.kernel(frame)
        if status:
            assert status == 1, status
            entry = self.source.raises[frame.place]
            at, operands = 0, []
            for t in entry.operands:
                raw = bytes(_ffi.buffer(frame.operands))[8 * at :]
                operands.append(np.frombuffer(raw[: t.size], t.numpy)[0])
                at += 2 if t.name == "c128" else 1
            raise Raised(entry.exception, entry.message, operands)
        return self._results(out)

    def _results(self, out: np.ndarray) -> list[Any]:
        leaves: list[Any] = []
        held = []
        at = 0
        for r in self.program.results:
            t = r.dtype.numpy
            if r.kind != "array":
                leaves.append(np.frombuffer(out[at : at + 2].tobytes()[: r.dtype.size], t)[0])
                at += 2 if r.dtype.name == "c128" else 1
                continue
            shape = tuple(out[at + 2 : at + 2 + r.ndim])
            strides = tuple(out[at + 2 + r.ndim : at + 2 + 2 * r.ndim])
            leaves.append(_array(int(out[at]), shape, strides, t).copy())
            if out[at + 1]:
                held.append(int(out[at + 1]))
            at += 2 + 2 * r.ndim
        for address in held:
            b = _ffi.cast("sol_buffer*", address)
            b.refs -= 1
            if b.refs == 0:
                _libc.free(b.data)
                _libc.free(b)
        return leaves


def _array(address: int, shape: tuple[int, ...], strides: tuple[int, ...], t: np.dtype[Any]) -> np.ndarray:
    class Holder:
        __array_interface__ = {
            "data": (address, False),
            "shape": shape,
            "strides": strides,
            "typestr": t.str,
            "version": 3,
        }

    return np.asarray(Holder())
