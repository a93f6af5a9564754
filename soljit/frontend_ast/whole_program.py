"""What can only be asked when the whole function is lowered: whether it leaves alone what was taken for settled, and its loops can end."""

from __future__ import annotations

from soljit.frontend_ast.calls import lists_of_numbers
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects import assigned_outside, captured_contents
from soljit.ir.core.nodes import Program
from soljit.ir.walk.waiting import waiting_loop


def check(cx: Lowering, program: Program) -> None:
    """Lower again (Restart, or `learned.changed`) if something was wrongly taken for settled; UnsupportedError at a loop that waits for other threads."""
    captured_contents.check_unchanged(cx, program)
    lists_of_numbers.check_left_alone(cx, program)
    assigned_outside.note_assigned_by_objects(cx, program)
    for p in (program, *program.functions.values()):
        if (loop := waiting_loop(p, bool(cx.instances))) is not None:
            cx.loc = loop.loc
            raise cx.unsupported(
                "a loop that nothing in it can end: it waits for what another thread changes",
                "wait for a threading.Event, or with time.sleep() in the loop",
            )
