"""Floats that become wider because something of another type takes part: told, since twice the bytes is half the speed, and often not meant."""

from __future__ import annotations

import linecache
from collections.abc import Sequence

from soljit.base.place import Loc, is_ours
from soljit.base.sentences import Plain
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.values import promotion
from soljit.frontend_ast.values.values import Array, Num
from soljit.ir.core.types import DType

_LONGEST = 60  # characters of an expression that is shown


def note_widened(cx: Lowering, operands: Sequence[Num | Array], types: Sequence[DType]) -> None:
    """Tell, if a float becomes wider in a computation that takes its operands in these types, and what makes it so."""
    if is_ours(cx.loc.file):
        return
    narrow = [x.dtype for x, t in zip(operands, types) if not _is_weak(x) and _is_wider(t, x.dtype)]
    if not narrow:
        return
    before, after = max(narrow, key=_bytes), types[0]
    for x in operands:
        if not _is_weak(x) and _is_wider(promotion.result_type([(before, False), (x.dtype, False)]), before):
            cx.note(
                "widened",
                before=Plain(before.numpy.name),
                after=Plain(after.numpy.name),
                text=Plain(_text(cx.loc)),
                by=Plain(f"{'a NumPy number' if isinstance(x, Num) else 'an array'} of type {x.dtype.numpy.name}"),
                cure=Plain(_cure(x, before)),
            )
            return


def _is_weak(x: Num | Array) -> bool:
    return isinstance(x, Num) and x.weak


def _is_wider(t: DType, than: DType) -> bool:
    """Tell whether floats of type `t` have more digits."""
    return t is not than and t.kind in "fc" and than.kind in "fc" and _bytes(t) > _bytes(than)


def _bytes(t: DType) -> int:
    """Those of a real number, or of the real part of a complex one."""
    return t.size // 2 if t.is_complex else t.size


def _cure(x: Num | Array, before: DType) -> str:
    if not isinstance(x, Num):
        return f"an array of type {before.numpy.name}: dtype= where it is made, or astype"
    to = "int" if x.dtype.is_int else "complex" if x.dtype.is_complex else "float"
    other = ", or a function of math in place of NumPy's" if to == "float" else ""
    return f"a Python number leaves {before.numpy.name} as it is: {to}(…) of it{other}"


def _text(loc: Loc) -> str:
    """The expression, as it stands in the source."""
    if loc.line != loc.end_line or not loc.end_col:
        return "this expression"
    line = linecache.getline(loc.file, loc.line).encode()
    text = line[loc.col : loc.end_col].decode(errors="replace")
    return text if 0 < len(text) <= _LONGEST else "this expression"
