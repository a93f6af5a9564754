"""soljit: compiles unmodified NumPy functions, with exactly NumPy's meaning.

import soljit as sol

@sol.jit
def f(a, b): ...
"""

from __future__ import annotations

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
    "jit",
    "set_num_threads",
    "settings",
]
