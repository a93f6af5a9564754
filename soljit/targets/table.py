"""The targets there are: those of soljit, then those that installed packages add."""

from __future__ import annotations

from dataclasses import replace

from soljit.base.errors import ToolchainError
from soljit.codegen.emit import emit
from soljit.targets.target import Target

OPENMP = Target("openmp", True, emit)
SEQUENTIAL = Target("sequential", False, emit)
INTERPRETER = Target("interpreter", False, None, optimized=False)
NULL = Target("null", True, None)
TARGETS: dict[str, Target] = {t.name: t for t in (OPENMP, SEQUENTIAL, INTERPRETER, NULL)}
DEFAULT = OPENMP
CUDA = Target("cuda", True, emit, tail="device")  # for whatever device the settings name


def find_target(name: str, device: str = "cpu") -> Target:
    """The target of this name ("" for the device's own); ToolchainError if there is none, or it cannot be loaded.

    With a device, the target "null" interprets the program that the device would get.
    """
    if not name:
        return DEFAULT if device == "cpu" else CUDA
    if name == NULL.name and device != "cpu":
        return replace(NULL, tail="device")
    if name in TARGETS:
        return TARGETS[name]
    from importlib.metadata import entry_points

    added = {e.name: e for e in entry_points(group="soljit.targets")}
    if name in added:
        try:
            target = added[name].load()
        except Exception as e:  # whatever a module does when it is imported
            raise ToolchainError(f"the target {name!r} cannot be loaded: {type(e).__name__}: {e}") from e
        if isinstance(target, Target):
            return target
        raise ToolchainError(f"entry point {name!r} of soljit.targets is a {type(target).__name__}, not a Target")
    raise ToolchainError(f"there is no target {name!r}; there are {', '.join([*TARGETS, *added])}")
