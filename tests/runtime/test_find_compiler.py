"""What is found out about the machine without running a compiler."""

from __future__ import annotations

import builtins
import platform
import sys
from typing import Any

import pytest

from soljit.runtime.system import find_compiler


@pytest.mark.parametrize("llvm", [True, False])
def test_the_processor_is_named_without_the_systems_description(monkeypatch: pytest.MonkeyPatch, llvm: bool) -> None:
    if llvm:
        pytest.importorskip("llvmlite")
    else:
        monkeypatch.setitem(sys.modules, "llvmlite", None)
    opened = builtins.open

    def without_description(path: Any, *args: Any, **kwargs: Any) -> Any:
        if path == "/proc/cpuinfo":
            raise FileNotFoundError(path)
        return opened(path, *args, **kwargs)

    monkeypatch.setattr(builtins, "open", without_description)
    machine, processor = find_compiler.cpu_identity.__wrapped__().split("\n")
    assert machine == platform.machine()
    assert len(processor.split()) > 1  # a name and features, or a name and whose
    assert llvm or processor.endswith(f"of {platform.node()}")
