"""The targets there are: those of soljit, then those that installed packages add."""

from __future__ import annotations

from soljit.codegen.emit import emit
from soljit.targets.target import Target

OPENMP = Target("openmp", True, emit)
SEQUENTIAL = Target("sequential", False, emit)
INTERPRETER = Target("interpreter", False, None)
TARGETS: dict[str, Target] = {t.name: t for t in (OPENMP, SEQUENTIAL, INTERPRETER)}
DEFAULT = OPENMP


def find_target(name: str) -> Target:
    """The target of this name ("" for the default); ValueError names those there are."""
    if not name:
        return DEFAULT
    if name in TARGETS:
        return TARGETS[name]
    from importlib.metadata import entry_points

    added = {e.name: e for e in entry_points(group="soljit.targets")}
    if name in added:
        target = added[name].load()
        if isinstance(target, Target):
            return target
        raise TypeError(f"entry point {name!r} of soljit.targets is a {type(target).__name__}, not a Target")
    raise ValueError(f"there is no target {name!r}; there are {', '.join([*TARGETS, *added])}")
