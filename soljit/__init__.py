"""soljit: compiles unmodified NumPy functions, with exactly NumPy's meaning.

import soljit as sol

@sol.jit
def f(a, b): ...
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from soljit.api import Jitted, explain, jit
from soljit.base.errors import (
    ArgumentError,
    DeviceError,
    FallbackWarning,
    InternalError,
    ScheduleError,
    SoljitError,
    ToolchainError,
    UnsupportedError,
)
from soljit.base.remarks import Remark
from soljit.base.settings import set_num_threads, settings
from soljit.base.version import __version__

if TYPE_CHECKING:
    from soljit import device as device
    from soljit.device import freeze as freeze
    from soljit.schedule.recipe import Recipe as Recipe

__all__ = [
    "ArgumentError",
    "DeviceError",
    "FallbackWarning",
    "InternalError",
    "Jitted",
    "Recipe",
    "Remark",
    "ScheduleError",
    "SoljitError",
    "ToolchainError",
    "UnsupportedError",
    "__version__",
    "device",
    "explain",
    "freeze",
    "jit",
    "set_num_threads",
    "settings",
]


def __getattr__(name: str) -> Any:
    """What few programs use is loaded when it is asked for: `soljit.device`, `soljit.freeze`, `soljit.Recipe`."""
    if name == "device":
        return importlib.import_module("soljit.device")
    if name == "freeze":
        return importlib.import_module("soljit.device").freeze
    if name == "Recipe":
        return importlib.import_module("soljit.schedule.recipe").Recipe
    raise AttributeError(f"module 'soljit' has no attribute {name!r}", name=name)
