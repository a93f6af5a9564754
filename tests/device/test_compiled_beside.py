"""Kernels are compiled beside the program, and the layer beside the emulated driver: neither waits for the other, and failures say what they said."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.base.errors import InternalError, ToolchainError
from soljit.runtime.build import toolchain
from soljit.runtime.devices import attach, emulated
from soljit.runtime.devices.device import Device
from soljit.runtime.devices.emulated import Controls
from soljit.runtime.system import commands
from soljit.runtime.system.beside import Beside
from tests.oracle import function

LONG = 600.0  # seconds after which a test has failed, on a slow and busy machine, too


def jitted() -> Any:
    """A function that no cache knows."""
    f = function(f"def f(a):\n    return a * 2.0 + {time.time_ns() % 10**9}.5\n")
    return sol.jit(device="emulated", offload="always", strict=True)(f)


def replaced(monkeypatch: pytest.MonkeyPatch, where: Any, name: str, instead: Callable[..., Any]) -> Callable[..., Any]:
    before: Callable[..., Any] = getattr(where, name)
    monkeypatch.setattr(where, name, instead)
    return before


def is_program(text: str) -> bool:
    """Is this what the C++ compiler gets, and not what the compiler of kernels or the dispatcher's does?"""
    return "sol_kernel(sol_frame" in text


def test_both_compilers_work_at_one_time(gpu: Device, fake: Controls, monkeypatch: pytest.MonkeyPatch) -> None:
    kernels, program = threading.Event(), threading.Event()

    def compile_kernels(*args: Any) -> Any:
        kernels.set()
        assert program.wait(LONG)
        return old_kernels(*args)

    def compile_text(tools: Any, stem: str, text: str, *args: Any, **parts: Any) -> Any:
        if is_program(text):
            program.set()
            assert kernels.wait(LONG)
        return old_text(tools, stem, text, *args, **parts)

    old_kernels = replaced(monkeypatch, emulated, "compile_kernels", compile_kernels)
    old_text = replaced(monkeypatch, toolchain, "compile_text", compile_text)
    f, a = jitted(), np.arange(5.0)
    assert np.array_equal(f(a), f.python(a))
    assert kernels.is_set() and program.is_set()


def test_where_the_program_does_not_compile_the_compiler_of_kernels_is_ended(
    gpu: Device, fake: Controls, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, outcomes = threading.Event(), list[commands.Outcome]()

    def compile_kernels(*args: Any) -> Any:
        begun.set()
        outcomes.append(commands.run(["sleep", str(int(LONG))], 0, ""))
        raise ToolchainError("not told")

    def compile_text(tools: Any, stem: str, text: str, *args: Any, **parts: Any) -> Any:
        if not is_program(text):
            return old(tools, stem, text, *args, **parts)
        assert begun.wait(LONG)
        while not any(p.args[0] == "sleep" for p in commands._running):  # type: ignore[index]
            threading.Event().wait(0.01)  # no event for the audit hook
        raise ToolchainError("the C++ compiler failed, say")

    monkeypatch.setattr(emulated, "compile_kernels", compile_kernels)
    old = replaced(monkeypatch, toolchain, "compile_text", compile_text)
    start = time.monotonic()
    with pytest.raises(ToolchainError, match="^the C.. compiler failed, say$"):
        jitted()(np.arange(5.0))
    assert time.monotonic() - start < LONG and outcomes[0].status < 0 and not attach._begun


def test_what_the_compiler_of_kernels_says_is_told(
    gpu: Device, fake: Controls, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def compile_kernels(*args: Any) -> Any:
        calls.append(1)
        raise InternalError("refuses kernels that soljit made")

    monkeypatch.setattr(emulated, "compile_kernels", compile_kernels)
    with pytest.raises(InternalError, match="^refuses kernels that soljit made$"):
        jitted()(np.arange(5.0))
    assert calls == [1], "it is not asked twice"


def test_what_a_call_beside_gives() -> None:
    assert Beside(lambda: 3).result() == 3
    failing = Beside(lambda: [][1])
    with pytest.raises(IndexError):
        failing.result()


def test_without_a_thread_the_call_is_made_later(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    calls: list[int] = []
    beside = Beside(lambda: calls.append(1))
    assert calls == []
    beside.wait()
    beside.stop()
    beside.result()
    assert calls == [1]
