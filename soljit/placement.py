"""Whether a call runs on the device. Its program has been optimized for that; here it is compared with the processor's.

Where a condition over sizes decides, it becomes a guard of the variant, and its negation one of the processor's: the dispatcher chooses
between the two as between any variants, and each is compiled when the first call needs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from soljit.analysis.cost.worth import worth
from soljit.base.errors import InternalError
from soljit.base.sentences import said
from soljit.ir.core.expr import Expr, Op
from soljit.ir.core.nodes import Program
from soljit.ir.core.types import b1
from soljit.ir.interpret.activation import Activation
from soljit.ir.walk.spaces import device_work
from soljit.passes.device.place_on_device import place_on_device
from soljit.passes.manager import Context, Note
from soljit.passes.pipeline import optimize


def placed(
    lowered: Program, offloaded: Program, cx: Context, on_host: Context, given: Sequence[Any] | None
) -> tuple[Program, Context]:
    """The program that runs a call, and what its passes told.

    lowered:   the program before the passes; offloaded: after those for the device, with the context `cx`
    on_host:   a context for the processor
    given:     the arguments of the call, one for each parameter; None: the device runs whatever it can
    """
    on_host.asked.update(cx.asked)  # a feature more, and the device may be faster
    if not any(True for _ in device_work(offloaded)):
        on_host.notes += _reasons(cx)
        return optimize(lowered, on_host), on_host
    if given is None:
        return offloaded, cx
    condition = worth(offloaded, threads=on_host.threads, vector_bits=on_host.vector_bits)
    if condition is not None and _holds(condition, lowered, given):
        return replace(offloaded, guards=(*offloaded.guards, condition)), cx
    if condition is None:
        why = "unknown worth"
    else:
        why = "too small"
        lowered = replace(lowered, guards=(*lowered.guards, Op("lnot", (condition,), b1)))
    on_host.notes.append(Note(lowered.loc, place_on_device.__name__, said(why)))
    return optimize(lowered, on_host), on_host


def _reasons(cx: Context) -> list[Note]:
    """Why loops cannot run on the device."""
    return [n for n in cx.notes if not n.done and n.step == place_on_device.__name__]


def _holds(condition: Expr, program: Program, given: Sequence[Any]) -> bool:
    """The condition's value for these arguments."""
    try:
        return bool(Activation(program, given, program.functions).frame.eval(condition))
    except InternalError:
        return False
