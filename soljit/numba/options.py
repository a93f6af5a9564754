"""Numba's keywords as soljit's; what cannot be meant is named in one warning, once."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from soljit.base import other_compilers, settings
from soljit.base.errors import ArgumentError
from soljit.numba.errors import NumbaWarning

# What holds anyway: nothing is lost when the keyword is left out.
_HOLDS = {"nopython", "nogil", "boundscheck", "inline", "looplift", "identity", "_nrt", "no_cpython_wrapper"} | {
    *("no_cfunc_wrapper", "no_rewrites", "forceinline", "lineinfo", "error_model", "locals", "debug", "forceobj"),
    *("pipeline_class", "link", "writable_args"),
}
_TOLD = {"locals", "debug", "forceobj", "pipeline_class", "link"}  # of these, what a program may rely on
_FLAGS_OF_SUMS = {"reassoc", "fast"}
_told: set[str] = set()


def options_of(keywords: Mapping[str, Any], where: str, level: int = 4) -> dict[str, Any]:  # any: the keywords' types
    """soljit's keywords for these of Numba's; soljit's own ones go through."""
    found: dict[str, Any] = {}
    lost = []
    for name, value in keywords.items():
        if name in settings.KEYWORDS and name != "target":
            found[name] = value
        elif name == "fastmath":
            found["fp"] = _fp(value)
        elif name in ("target", "_target", "target_backend"):
            if value not in ("cpu", "parallel", "generic", "npyufunc"):
                raise ArgumentError(f'{where} knows no target {value!r}; GPUs: @sol.jit(device="cuda")')
        elif name in _HOLDS:
            if name in _TOLD and value:
                lost.append(name)
        else:
            raise ArgumentError(f"{where} has no keyword {name!r}")
    _tell([n for n in lost if n not in _told], where, level)
    return found


def _fp(fastmath: Any) -> str:
    """The setting `fp` for `fastmath`: True, False or flags of LLVM."""
    if isinstance(fastmath, Mapping):
        fastmath = {k for k, v in fastmath.items() if v}
    if isinstance(fastmath, (set, frozenset, list, tuple)):
        if _FLAGS_OF_SUMS & {*fastmath}:
            return "fast"
        return "contract" if "contract" in fastmath else "strict"
    return "fast" if fastmath else "strict"


def _tell(names: list[str], where: str, level: int) -> None:
    """One warning for what soljit cannot mean, the first time that a keyword is given."""
    if not names:
        return
    _told.update(names)
    reasons = "; ".join(f"{n}: {other_compilers.for_keyword(n) or 'leave it out'}" for n in names)
    warnings.warn(f"{where}: soljit leaves out {', '.join(names)} ({reasons})", NumbaWarning, stacklevel=level)
