"""Objects that are None or a number or array of one known type, as attributes are that are None at first.

What Python does with None raises almost always, and what it does with the other type can be compiled: where such an object is an operand,
it becomes a choice between the two. Elsewhere it stays the object that it is, which costs nothing.
"""

from __future__ import annotations

from soljit.base.objects import HERE
from soljit.frontend_ast.choices import choose
from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.object_contents import BOOL
from soljit.frontend_ast.objects import call
from soljit.frontend_ast.values import NONE, Num, Object, Value
from soljit.ir.expr import Op, const
from soljit.ir.types import i64


def of_either_type(cx: Lowering, v: Value) -> Value:
    """The value; one that is None or of a known type as a choice."""
    if not isinstance(v, Object) or v.beside_none is None:
        return v
    there, found = v, v.beside_none
    is_none = call(cx, HERE + "is_same", [there, NONE], BOOL)
    assert isinstance(is_none, Num)
    tag = cx.let(Op("select", (is_none.expr, const(0), const(1)), i64), "type")
    return choose(cx, tag, 2, lambda k: call(cx, HERE + "same", [there], found) if k else NONE)
