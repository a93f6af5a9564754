"""cuBLAS, NVIDIA's library of products of matrices: where it is, and why there is none.

It comes with `soljit[cuda13-linalg]` or `soljit[cuda12-linalg]`, with a CUDA toolkit, and with other packages for CUDA; cuda-pathfinder finds it, or
the setting `cublas` names it. The emulated device has one of its own. What is compiled asks for it when there is a product of matrices, and
not before: finding it loads it, which takes a while.
"""

from __future__ import annotations

import functools

from soljit.base.errors import DeviceError, ToolchainError
from soljit.base.settings import Settings
from soljit.runtime.devices.device import find_device
from soljit.runtime.store.cache import open_cache

NONE = "none"  # as a setting: kernels multiply
CURE = "pip install 'soljit[cuda13-linalg]' (or soljit[cuda12-linalg] for a driver older than 580)"


def why_without(settings: Settings, feature: str) -> str:
    """Why passes cannot count on this feature of the device that is set, "cublas"; "" if they can."""
    if feature != "cublas":
        return f"there is no {feature}"
    if settings.device.startswith("emulated") and not settings.cublas:
        return ""
    try:
        path = cublas(settings)
        if settings.target:
            return ""  # no device will run it
        return find_device(settings.device, settings).why_without_cublas(path)
    except (DeviceError, ToolchainError) as e:
        return str(e)


def cublas(settings: Settings) -> str:
    """The path of the library for the device that is set; DeviceError with a whole sentence if there is none."""
    if settings.cublas == NONE:
        raise DeviceError(f"the setting cublas is {NONE!r}")
    if settings.cublas:
        return settings.cublas
    if settings.device.startswith("emulated"):
        from soljit.runtime.devices import emulated

        return emulated.driver(open_cache(settings), settings)
    path, reason = _found()
    if reason:
        raise DeviceError(reason)
    return path


@functools.lru_cache(maxsize=1)
def _found() -> tuple[str, str]:
    """Where it is, and why there is none."""
    try:
        from cuda.pathfinder import DynamicLibNotFoundError, load_nvidia_dynamic_lib
    except ImportError:
        return "", f"cuBLAS was not looked for, as there is no cuda-pathfinder: {CURE}"
    try:
        return load_nvidia_dynamic_lib("cublas").abs_path or "libcublas.so", ""
    except (DynamicLibNotFoundError, RuntimeError, OSError):
        return "", f"cuBLAS was not found: {CURE}"
