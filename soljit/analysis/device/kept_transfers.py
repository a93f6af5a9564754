"""Why a transfer is still there: one sentence in the user's names and lines, for `explain()` and for tests.

`why_kept(program, copy)` says who needs the data on the other side, and why they are not there already. `is_certain` tells whether the
copy is known to matter: a kernel that is not known to write a whole array may do so after all, and a download in front of host code
that writes an argument matters only if an exception follows.
"""

from __future__ import annotations

from collections.abc import Iterator

from soljit.analysis.device.pairs import Pairs, Transfer, pairs_of
from soljit.analysis.device.residency import Need, needed_after
from soljit.analysis.memory.accesses import below
from soljit.base.place import Loc
from soljit.base.sentences import Plain, Said, said
from soljit.ir.core.nodes import Alloc, Copy, Loop, Map, Node, Program, Return, While
from soljit.ir.walk.spaces import DEVICE, HOST


def why_kept(program: Program, copy: Copy) -> Said | None:
    """The reason as a sentence without a full stop; None for what is no transfer between a container and its mirror."""
    pairs = pairs_of(program)
    moved = pairs.transfer(copy)
    if moved is None:
        return None
    need = _need(program, copy, moved)
    chain = next((above for n, above in below(program.body) if n is copy), ())
    wanted = _wanted(pairs, moved, need, chain)
    if moved.space == DEVICE:
        return said("for a reason", wanted=wanted, origin=_origin(program, pairs, copy, moved.home, chain))
    return wanted


def is_certain(program: Program, copy: Copy) -> bool:
    """Tell whether the copy is known to matter, whatever kernels do that the compiler cannot see, and if no exception comes."""
    moved = pairs_of(program).transfer(copy)
    need = None if moved is None else _need(program, copy, moved)
    return need is not None and need.deed not in ("part", "write")


def _need(program: Program, copy: Copy, moved: Transfer) -> Need | None:
    return needed_after(program).get(copy, {}).get(moved.home, {}).get(moved.space)


def _wanted(pairs: Pairs, moved: Transfer, need: Need | None, chain: tuple[Node, ...]) -> Said:
    """Who needs the destination."""
    name, where = moved.home, Plain("device" if moved.space == DEVICE else "host")
    if need is None:
        return said("shown by an object" if name in pairs.held else "not needed", name=name)
    who = _who(need.node)
    match need.deed:
        case "escapes":
            return said("held by an object" if name in pairs.held else "seen by the caller", name=name)
        case "read" if isinstance(need.node, Return):
            return said("returned", name=name)
        case "read":
            reason = said("read there", who=who, name=name, where=where)
        case "copy":
            reason = said("copied there", name=name, where=Plain("host" if moved.space == DEVICE else "device"))
        case "part":
            reason = said("written in part", who=who, name=name, where=where)
        case _:
            reason = said("written there", who=who, name=name, where=where)
    return said("in every iteration", what=reason) if _share_a_loop(chain, need.node) else reason


def _who(n: Node) -> Loc | Plain:
    return n.loc if n.loc.line else Plain("a loop" if isinstance(n, (Map, Loop, While)) else "a statement")


def _origin(program: Program, pairs: Pairs, copy: Copy, home: str, chain: tuple[Node, ...]) -> Said:
    """Why an upload finds the device without the data."""
    for around in reversed(chain):
        if isinstance(around, (Loop, While)):
            for n in _host_writes(pairs, around.body, home):
                return said("in every iteration", what=said("written on the host", who=_who(n)))
    before: Node | None = None
    for n, _ in below(program.body):
        if n is copy:
            break
        if any(True for _ in _host_writes(pairs, n, home, below_it=False)):
            before = n
    if before is not None:
        return said("written on the host", who=_who(before))
    return said("from the caller" if home in pairs.arguments else "made on the host")


def _host_writes(pairs: Pairs, node: Node, home: str, below_it: bool = True) -> Iterator[Node]:
    for n, _ in below(node) if below_it else [(node, ())]:
        if pairs.transfer(n) is None and not isinstance(n, Alloc):
            if any(t.home == home and t.space == HOST and t.writes for t in pairs.touches(n)):
                yield n


def _share_a_loop(chain: tuple[Node, ...], node: Node) -> bool:
    """Tell whether the innermost loop around the copy holds this node, too (or the node is the condition of that loop)."""
    loop = next((n for n in reversed(chain) if isinstance(n, (Loop, While))), None)
    return loop is not None and any(n is node for n, _ in below(loop))
