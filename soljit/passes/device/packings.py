"""Loops that write elements one behind the other where a condition holds, as boolean masks and `nonzero` do: a number counts, and is the place of the next one.

    for i in range(n):
        if mask[i]:
            out[k] = x[i]
            k = k + 1

Proof that iterations write apart from each other: the number only grows, with each iteration that writes, so it is another one in each of these, as the
loop's variable is. With that variable in its place the ordinary analysis can be asked; nothing else may touch the arrays that are written so. Array variables
do not if the array's memory has been made since they got theirs.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from soljit.analysis.loops.reductions import as_accumulation
from soljit.analysis.memory.accesses import Aliases
from soljit.base.records import dataclass
from soljit.ir.core.data import Data, Ref, Scalar
from soljit.ir.core.expr import Const, Expr, Load, Memlet, Op, Sym, zero_of
from soljit.ir.core.nodes import Branch, Let, Loop, Node, Region, Tasklet
from soljit.ir.walk import memlets_read, memlets_written, substitute, walk


@dataclass(frozen=True)
class Packing:
    """What a loop counts by: `carried` grows by `value`, over the loop's variable, in each iteration.

    apart: the body with other places for what is written, and without the counting
    new:   of the arrays that are written so, those that no array variable can stand for
    """

    carried: str
    value: Expr
    apart: Region
    new: frozenset[str]


def packing(loop: Loop, data: dict[str, Data], aliases: Aliases, new: Collection[str]) -> Packing | None:
    """The loop as a packing, if it is one. new: arrays whose memory has been made, and bound to no array variable since"""
    *before, branch = loop.body.nodes or (Region(),)
    if not isinstance(branch, Branch) or branch.orelse.nodes or not branch.then.nodes:
        return None
    *writes, update = branch.then.nodes
    found = as_accumulation(update) if isinstance(update, Tasklet) else None
    if not isinstance(update, Tasklet) or not isinstance(data.get(update.out.data), Scalar) or found is None:
        return None
    k, (operation, step) = update.out, found
    if operation != "add" or not isinstance(step, Const) or float(step.value.real) <= 0 or not step.dtype.is_int:
        return None
    if not all(isinstance(n, Let) for n in before) or not all(isinstance(n, (Let, Tasklet)) for n in writes):
        return None
    values: dict[str, Expr] = {}
    for n in before:
        if isinstance(n, Let):
            values[n.name] = substitute(n.value, values)
    condition = substitute(branch.cond, values)
    if any(m.data == k.data for n in (*before, replace(branch, then=Region())) for m in memlets_read(n)):
        return None
    if any(m.data == k.data for n in writes for m in memlets_written(n)):
        return None
    moved = [n for n in writes if isinstance(n, Tasklet) and any(_is_number(s, k) for s in n.out.subset)]
    if any(n.out.wcr is not None for n in moved) or _touched_otherwise(loop, moved, data, aliases, new):
        return None
    apart = tuple(_elsewhere(n, k, loop.var) if n in moved else n for n in writes)
    body = Region((*before, replace(branch, then=replace(branch.then, nodes=apart))), loc=loop.loc)
    value = Op("select", (condition, step, zero_of(step.dtype)), step.dtype)
    return Packing(k.data, value, body, frozenset(n.out.data for n in moved).intersection(new))


def _is_number(s: object, k: Memlet) -> bool:
    return isinstance(s, Load) and s.memlet == k


def _elsewhere(n: Node, k: Memlet, var: str) -> Node:
    """A statement that writes where the loop's variable says, in place of the number."""
    assert isinstance(n, Tasklet)
    return replace(n, out=replace(n.out, subset=tuple(Sym(var) if _is_number(s, k) else s for s in n.out.subset)))


def _touched_otherwise(
    loop: Loop, moved: list[Tasklet], data: Mapping[str, Data], aliases: Aliases, new: Collection[str]
) -> bool:
    """Tell whether the arrays that these statements write are touched by anything else in the loop."""
    ours = {n.out.data for n in moved}
    others = {m.data for n in walk(loop.body) for m in (*memlets_read(n), *(() if n in moved else memlets_written(n)))}

    def meet(a: str, b: str) -> bool:
        made = (a in new and isinstance(data.get(b), Ref)) or (b in new and isinstance(data.get(a), Ref))
        return aliases.may_alias(a, b) and not made

    return any(meet(a, b) for a in ours for b in ours if a < b) or any(meet(a, b) for a in ours for b in others)
