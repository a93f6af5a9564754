"""Statements on the elements of a sum that is taken in parts, in front of it and behind, become part of the kernel that adds up the parts.

    for i in map(range(m)): s[i] = 0.0
    if …:                                                     if …:
        for p, i in map(range(P), range(m)): parts[p, i] = …      for p, i in map(range(P), range(m)): parts[p, i] = …
        for i in map(range(m)):                                   for i in map(range(m)):
            s[i] += sum(parts[:, i])                     →            s[i] = 0.0
    else:                                                             s[i] += sum(parts[:, i])
        for i in map(range(m)): …                                     out[i] = s[i]
    for i in map(range(m)): out[i] = s[i]                     else:
                                                                  for i in map(range(m)): s[i] = 0.0
                                                                  for i in map(range(m)): …
                                                                  for i in map(range(m)): out[i] = s[i]

Each kernel less is two or three microseconds in which the device has nothing to do. The proof is that of the fusion of loops (`fuse_maps.py`), and that
what moves has nothing to do with the kernel that it passes. A helper of `split_sums`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeGuard

from soljit.analysis.device.offload import why_not_on_device
from soljit.analysis.loops.iteration_spaces import common_depth
from soljit.ir.core.expr import Const, Load, Op
from soljit.ir.core.nodes import Alloc, Branch, Let, Map, Node, Program, Region, Tasklet
from soljit.ir.walk import FreshNames, data_used
from soljit.ir.walk.spaces import has_blocks
from soljit.passes.fusion.fuse_maps import Fuser, fused
from soljit.passes.manager import Context


def with_neighbours(
    program: Program, cx: Context, fresh: FreshNames, front: list[Node], made: list[Node], behind: Sequence[Node]
) -> int:
    """Take maps from the end of `front` and the beginning of `behind` into the sum at the end of `made`; how many of those behind there are.

    made: ends in the kernel of the parts and the one that adds them up, alone or as the first choice of two. New containers: `program.data` has them
    """
    choice = made[-1] if isinstance(made[-1], Branch) else None
    both = choice.then.nodes if choice else made[-2:]
    first, second = both[-2:] if len(both) == 2 else (None, None)
    if not (isinstance(first, Map) and isinstance(second, Map) and has_blocks(second) and not has_blocks(first)):
        return 0
    fuser = Fuser(program, cx, partly=False)
    before: list[Map] = []
    while front and _is_plain(n := front[-1]) and fuser.may_swap(n, first):
        whole = _fused(program, fuser, n, second, second.threads)
        if whole is None:
            break
        before.insert(0, n)
        second = whole
        front.pop()
    taken: list[Map] = []
    for x in behind:
        whole = _fused(program, fuser, second, x, second.threads) if _is_plain(x) else None
        if not _is_plain(x) or whole is None:
            break
        taken.append(x)
        second = whole
    if choice is None:
        made[-1] = second
    elif before or taken:
        other = Region(
            (
                *(fresh.other_symbols(n) for n in before),
                *choice.orelse.nodes,
                *(fresh.other_symbols(n) for n in taken),
            ),
            loc=choice.loc,
        )
        made[-1] = replace(choice, then=replace(choice.then, nodes=(first, second)), orelse=other)
    return len(taken)


def begin_with(nodes: list[Node]) -> None:
    """Let a number that is a constant in front of the maps of its sum get constant and sum at once, at the end of `nodes`."""
    last = nodes[-1]
    if not isinstance(last, Tasklet) or last.out.wcr is None or not isinstance(last.code, Load):
        return
    for k in range(len(nodes) - 2, -1, -1):
        n = nodes[k]
        if isinstance(n, Tasklet) and n.out == replace(last.out, wcr=None) and isinstance(n.code, Const):
            t = last.code.dtype
            if n.code.dtype == t:
                nodes[-1] = replace(last, out=n.out, code=Op(last.out.wcr, (n.code, last.code), t))
                del nodes[k]
            return
        if not isinstance(n, (Let, Alloc, Map)) or last.out.data in data_used(n):
            return


def _is_plain(n: Node) -> TypeGuard[Map]:
    """Tell whether it is a map of single statements that nothing was decided of, without names of its own that a copy would share.

    One thread of a block does them, the others wait: loops are better off with a thread for each element.
    """
    if not isinstance(n, Map) or n.schedule or n.threads or n.private:
        return False
    return all(isinstance(x, Let) or (isinstance(x, Tasklet) and x.out.wcr is None) for x in n.body.nodes)


def _fused(program: Program, fuser: Fuser, a: Map, b: Map, threads: tuple[int, ...]) -> Map | None:
    """The two maps as one kernel; None if they cannot be one."""
    depth = common_depth(a, b)
    if not depth == len(a.vars) == len(b.vars) or fuser.why_not_fuse(a, b, depth, ()) is not None:
        return None
    whole = replace(fused(a, b, depth), threads=threads)
    return whole if why_not_on_device(program, whole) is None else None
