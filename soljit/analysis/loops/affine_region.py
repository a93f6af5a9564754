"""What a loop, or the body of one, touches, as subscripts over loop variables: `region_of(node)`, the record that the steps which reorder iterations ask.

It is gathered once and remembered for as long as the node lives. What each step asks besides is its own theorem: how far rows are apart (`sweeps.py`), iterations of two
loops (`wavefronts.py`), what is row k (`panel_parts.py`), what is at most row i (`jams.py`). These are differences of sums, which need no integer sets; those are made, by isl, only where
`dependence.py` has nothing better.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from weakref import WeakKeyDictionary

from soljit.analysis.memory.accesses import Access, Effects, effects
from soljit.analysis.memory.affine import names_in
from soljit.base.sentences import Said, said
from soljit.ir.core.expr import Expr, Extent, Load, Stride, loads, subexpressions
from soljit.ir.core.nodes import Let, Loop, Map, Region
from soljit.ir.symbolic import is_index
from soljit.ir.walk import substitute, walk

Overlap = Callable[[str, str], bool]  # tells whether two arrays may share memory


class AffineRegion:
    """A piece of a program. lets: index symbols that it defines by others, in terms of what is defined outside and of loop variables"""

    def __init__(self, found: Effects, lets: Mapping[str, Expr]) -> None:
        self.effects, self.lets = found, lets

    @cached_property
    def accesses(self) -> tuple[Access, ...]:
        """All of them, each once, without the symbols that are defined inside."""
        return tuple(substituted(a, self.lets) for a in dict.fromkeys(self.effects.accesses))

    @cached_property
    def written(self) -> frozenset[str]:
        """Containers that are written."""
        return frozenset(a.data for a in self.effects.writes)

    @cached_property
    def touched(self) -> frozenset[str]:
        """Containers that are read or written."""
        return frozenset(a.data for a in self.effects.accesses)

    def touching(self, names: Collection[str]) -> list[Access]:
        """The accesses of these containers."""
        return [a for a in self.accesses if a.data in names]


_REGIONS: WeakKeyDictionary[Region | Loop | Map, AffineRegion] = WeakKeyDictionary()


def region_of(node: Region | Loop | Map) -> AffineRegion:
    """What the node touches. Of a loop or a map, its variables are loops around the accesses."""
    known = _REGIONS.get(node)
    if known is None:
        body = node if isinstance(node, Region) else node.body
        known = _REGIONS[node] = AffineRegion(effects(node), _written_out(body))
    return known


def _written_out(body: Region) -> dict[str, Expr]:
    out: dict[str, Expr] = {}
    lets = [n for n in walk(body) if isinstance(n, Let)]
    times = Counter(n.name for n in lets)
    for n in lets:
        if is_index(n.value) and times[n.name] == 1 and next(loads(n.value), None) is None:
            out[n.name] = substitute(n.value, out)
    return out


def substituted(a: Access, lets: Mapping[str, Expr]) -> Access:
    """The access with these symbols replaced by what they stand for."""
    if not lets:
        return a
    subset = tuple(substitute(s, lets) if isinstance(s, Expr) else substitute(s, lets) for s in a.subset)
    return replace(a, subset=subset, loops=tuple((v, substitute(s, lets)) for v, s in a.loops))


def stays(e: Expr, changing: Collection[str] = ()) -> bool:
    """Tell whether the expression has one value, known in front: it reads nothing that changes, and none of these symbols."""
    moving = any(isinstance(x, Load | Extent | Stride) for x in subexpressions(e))
    return not moving and names_in(e).isdisjoint(changing)


def why_overlapping(written: Iterable[str], touched: Iterable[str], overlap: Overlap) -> Said | None:
    """Why an array that is written is not alone in its memory among those that are touched; None if each is."""
    others = sorted(touched)
    for a in sorted(written):
        other = next((b for b in others if b != a and overlap(a, b)), None)
        if other is not None:
            return said("overlap", name=a, other=other)
    return None
