"""soljit: compiles unmodified NumPy functions, with exactly NumPy's meaning.

import soljit as sol

@sol.jit
def f(a, b): ...
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from soljit.api import Jitted, explain, jit, profile, shadow_report
from soljit.base.errors import (
    ArgumentError,
    DeviceError,
    FallbackWarning,
    InternalError,
    ScheduleError,
    SoljitError,
    ToolchainError,
    TransferWarning,
    UnsupportedError,
)
from soljit.base.remarks import Remark
from soljit.base.settings import set_num_threads, settings
from soljit.base.version import __version__

if TYPE_CHECKING:
    from soljit import device as device
    from soljit import numba as numba
    from soljit import schedule as schedule
    from soljit.arrays import Array as Array
    from soljit.arrays import asarray as asarray
    from soljit.arrays import empty as empty
    from soljit.arrays import empty_like as empty_like
    from soljit.arrays import full as full
    from soljit.arrays import full_like as full_like
    from soljit.arrays import ones as ones
    from soljit.arrays import ones_like as ones_like
    from soljit.arrays import zeros as zeros
    from soljit.arrays import zeros_like as zeros_like
    from soljit.device import freeze as freeze
    from soljit.schedule.recipe import Recipe as Recipe

__all__ = [
    "ArgumentError",
    "Array",
    "DeviceError",
    "FallbackWarning",
    "InternalError",
    "Jitted",
    "Recipe",
    "Remark",
    "ScheduleError",
    "SoljitError",
    "ToolchainError",
    "TransferWarning",
    "UnsupportedError",
    "__version__",
    "asarray",
    "device",
    "empty",
    "empty_like",
    "explain",
    "freeze",
    "full",
    "full_like",
    "jit",
    "ones",
    "ones_like",
    "profile",
    "schedule",
    "set_num_threads",
    "settings",
    "shadow_report",
    "zeros",
    "zeros_like",
]

_MODULES = ("device", "numba", "schedule")
_MAKING = ("asarray", "empty", "empty_like", "full", "full_like", "ones", "ones_like", "zeros", "zeros_like")


def __getattr__(name: str) -> Any:
    """What few programs use is loaded when it is asked for: `soljit.device`, `soljit.numba`, `soljit.schedule`, `soljit.Array` and what makes arrays, `soljit.Recipe`."""
    if name in _MODULES:
        return importlib.import_module(f"soljit.{name}")
    if name == "freeze":
        return importlib.import_module("soljit.device").freeze
    if name == "Recipe":
        return importlib.import_module("soljit.schedule.recipe").Recipe
    if name == "Array" or name in _MAKING:
        return getattr(importlib.import_module("soljit.arrays"), name)
    raise AttributeError(f"module 'soljit' has no attribute {name!r}", name=name)


def __dir__() -> list[str]:
    """The public names, loaded or not, and none of the modules that soljit consists of."""
    return sorted({*__all__, *_MODULES, *(n for n in globals() if n.startswith("__"))})
