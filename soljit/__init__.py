"""soljit: compiles unmodified NumPy functions, with exactly NumPy's meaning.

import soljit as sol

@sol.jit
def f(a, b): ...
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from soljit.api import Jitted, jit
from soljit.base.errors import (
    ArgumentError,
    DeviceError,
    FallbackWarning,
    InternalError,
    SoljitError,
    ToolchainError,
    UnsupportedError,
)
from soljit.base.settings import set_num_threads, settings
from soljit.base.version import __version__

if TYPE_CHECKING:
    from soljit import device as device

__all__ = [
    "ArgumentError",
    "DeviceError",
    "FallbackWarning",
    "InternalError",
    "Jitted",
    "SoljitError",
    "ToolchainError",
    "UnsupportedError",
    "__version__",
    "device",
    "jit",
    "set_num_threads",
    "settings",
]


def __getattr__(name: str) -> Any:
    """`soljit.device`, which few programs use, is loaded when it is asked for."""
    if name != "device":
        raise AttributeError(f"module 'soljit' has no attribute {name!r}", name=name)
    return importlib.import_module("soljit.device")
