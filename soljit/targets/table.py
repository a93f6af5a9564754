"""The targets there are: those of soljit, then those that installed packages add."""

from __future__ import annotations

from dataclasses import replace

from soljit.base.errors import ToolchainError
from soljit.base.settings import Settings
from soljit.codegen.emit import emit
from soljit.passes.pipeline import DEVICE, HOST
from soljit.runtime.variants.interpreted import Interpreted
from soljit.targets import cpp, in_python
from soljit.targets.target import Target


def _lacks(settings: Settings, feature: str) -> str:
    from soljit.runtime.devices.cublas import why_without

    return why_without(settings, feature)


OPENMP = Target("openmp", cpp.with_threads, HOST, cpp.features, emit, cpp.build)
SEQUENTIAL = replace(OPENMP, name="sequential", machine=cpp.without_threads)
CUDA = replace(OPENMP, name="cuda", tail=DEVICE, lacks=_lacks)  # for whatever device the settings name
INTERPRETER = Target(
    "interpreter", in_python.one_thread, None, in_python.no_features, in_python.as_json, in_python.keep, Interpreted
)
NULL = replace(INTERPRETER, name="null", machine=in_python.any_machine, tail=HOST)
TARGETS: dict[str, Target] = {t.name: t for t in (OPENMP, SEQUENTIAL, INTERPRETER, NULL)}
DEFAULT = OPENMP


def find_target(name: str, device: str = "cpu") -> Target:
    """The target of this name ("" for the device's own); ToolchainError if there is none, or it cannot be loaded.

    With a device, the target "null" interprets the program that the device would get.
    """
    if not name:
        return DEFAULT if device == "cpu" else CUDA
    if name == NULL.name and device != "cpu":
        return replace(NULL, tail=DEVICE, lacks=_lacks)
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


def on_processor(target: Target) -> Target:
    """The target for calls for which a device does not pay."""
    return replace(target, tail=HOST, lacks=None)
