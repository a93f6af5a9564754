"""What a function does when the device fails."""

from __future__ import annotations

from soljit.base.place import Loc
from soljit.codegen.writing.context import Context
from soljit.ir.core.types import i64

_FAILED = "the device failed (CUresult {0})"
_ERROR = "soljit.runtime.devices.layer.device_error"  # a DeviceError that also tells what the driver said


def check(cx: Context, call: str, loc: Loc) -> None:
    """Leave the function if this CUresult is no success."""
    memory = cx.tables.raising("builtins.MemoryError", None, (), loc)
    other = cx.tables.raising(_ERROR, _FAILED, (i64,), loc)
    cx.out.line(f"if (const int32_t failed = {call}) return sol_device_failed(frame, failed, {memory}, {other});")
