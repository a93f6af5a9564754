"""Whether the iterations of a loop may run in any order: `Parallelism(program).verdict(loop, …)`.

They may, if control stays inside an iteration, Python is not called, no array variable is bound anew, and whatever an
iteration writes is either

* its own: a scalar that it writes before it reads and that nobody reads afterwards; memory that it allocates; or
* an accumulation, which every access to the container in the loop takes part in, by the same operation; or
* touched by no other iteration (`dependence`). Array variables that stand for different memory in front of the loop (`flow/apart`) do so in it, as it binds none.

The reason against it is a sentence for the user (`base/sentences.py`), about names of the program.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

from soljit.analysis.flow.apart import NONE, Pairs, apart
from soljit.analysis.flow.liveness import exposed
from soljit.analysis.flow.program_point import Situation, facts_of
from soljit.analysis.loops.affine_region import region_of
from soljit.analysis.loops.dependence import Dependences
from soljit.analysis.memory.accesses import Access, Aliases, Effects, aliases, effects
from soljit.base.records import dataclass
from soljit.base.sentences import Plain, Said, said
from soljit.ir.callbacks.random_draws import draw
from soljit.ir.core.data import Scalar
from soljit.ir.core.expr import loads
from soljit.ir.core.nodes import Branch, Call, Callback, Loop, Map, Node, Program, Raise, Region, While
from soljit.ir.walk import walk


@dataclass(frozen=True, slots=True)
class Verdict:
    """reason: why the iterations must stay in order, or None. private: scalars of which each needs its own."""

    reason: Said | None
    private: tuple[str, ...] = ()


@dataclass
class Parallelism:
    """Questions about the loops of one program. A body may be asked about in a changed form (see `verdict`)."""

    program: Program
    alias: Aliases = field(init=False)
    dependences: Dependences = field(init=False)
    _apart: Mapping[Node, Pairs] | None = None

    def __post_init__(self) -> None:
        self.alias = aliases(self.program)
        self.dependences = Dependences(self.alias)

    def verdict(self, loop: Loop, body: Region, around: Situation, live: frozenset[str]) -> Verdict:
        """Tell whether `body` may run for the values of `loop`, which stands in the program, in any order. `live`: scalars that are read after the loop."""
        e = effects(body)
        reason = _leaves(self.program, e, body)
        if reason is not None:
            return Verdict(reason)
        private: list[str] = []
        for name in sorted({a.data for a in e.writes} - e.allocs):
            accesses = list(dict.fromkeys(e.touching((name,))))
            if _accumulates_only(accesses) and not self._others(name, e):
                continue
            if isinstance(self.program.data.get(name), Scalar):
                if name in inner_private(body, name):
                    continue
                if name in exposed(body):
                    return Verdict(said("carries", name=name))
                if name in live:
                    return Verdict(said("last value", name=name))
                private.append(name)
        reason = self._conflict(loop, body, e, around)
        return Verdict(reason, tuple(private))

    def _others(self, name: str, e: Effects) -> bool:
        """Tell whether the memory of `name` is touched under another name."""
        return any(a.data != name and self.alias.may_alias(a.data, name) for a in e.accesses)

    def _conflict(self, loop: Loop, body: Region, e: Effects, around: Situation) -> Said | None:
        """A pair of accesses in different iterations that may meet."""
        region = region_of(body)
        loops = {v for n in walk(body) for v in _variables(n)}
        unstable = frozenset(e.defines - loops - region.lets.keys())
        by_home: dict[str, list[Access]] = {}
        private = inner_privates(body)
        for a in region.accesses:
            if isinstance(self.program.data.get(a.data), Scalar) or a.data in private:
                continue
            homes = self.alias.homes(a.data)
            if homes <= e.allocs:
                continue
            for home in homes:
                by_home.setdefault(home, []).append(a)
        span = (loop.var, loop.span)
        found = dict.fromkeys(p for home in sorted(by_home) for p in _pairs(by_home[home]))
        pairs = sorted(found, key=lambda p: p[0].data != p[1].data)  # what one array tells is the better reason
        dear = []
        for a, b in pairs:
            answer = self.dependences.settled(a, b, span, around, unstable)
            if answer is False or self._are_apart(loop, a.data, b.data):
                continue
            if answer:
                return _clash(a, b)
            dear.append((a, b))
        for a, b in dear:
            if self.dependences.carried(a, b, span, around, unstable):
                return _clash(a, b)
        return None

    def _are_apart(self, loop: Loop, a: str, b: str) -> bool:
        """Tell whether two names stand for different memory in the loop."""
        if a == b:
            return False
        if self._apart is None:
            self._apart = apart(self.program, facts_of(self.program))
        return frozenset((a, b)) in self._apart.get(loop, NONE)


def _clash(a: Access, b: Access) -> Said:
    if a.data != b.data:
        return said("overlap", name=a.data, other=b.data)
    if a.write and b.write:
        return said("same element", name=a.data)
    return said("others' elements", name=a.data)


def _pairs(accesses: Sequence[Access]) -> Iterator[tuple[Access, Access]]:
    """All pairs of which one is a write, each once; accumulations of one kind do not disturb each other."""
    for k, a in enumerate(accesses):
        for b in accesses[: k + 1]:
            if (a.write or b.write) and not (a.wcr is not None and a.wcr == b.wcr and a.data == b.data):
                yield a, b


def _leaves(program: Program, e: Effects, body: Region) -> Said | None:
    if "return" in e.leaves:
        return said("returns")
    if e.python:
        calls = [n for n in walk(body) if isinstance(n, Callback)]
        drawn = calls and all(draw(program, n) for n in calls)
        return said("draws" if drawn else "calls")
    if "raise" in e.leaves:
        if any(isinstance(n, Call) for n in walk(body)):
            return said("calls function")
        raised = {n.exception.rpartition(".")[2] for n in walk(body) if isinstance(n, Raise)}
        if raised == {"IndexError"}:
            return said("subscripts")
        return said("raises", exceptions=Plain(" or ".join(sorted(raised)) or "an exception"))
    if "break" in e.leaves:
        return said("breaks")
    if e.binds:
        return said("rebinds", name=min(e.binds))
    return None


def _accumulates_only(accesses: Sequence[Access]) -> bool:
    first = accesses[0].wcr
    return first is not None and all(a.write and a.wcr == first for a in accesses)


def inner_privates(body: Region) -> frozenset[str]:
    """Containers that maps in `body` have for themselves and that nothing else in it touches."""
    e = effects(body)
    return frozenset(n for n in e.private if n in inner_private(body, n))


def inner_private(body: Region, name: str) -> frozenset[str]:
    """{name} if all of `name` happens below maps that have it private."""

    def outside(n: Node) -> bool:
        match n:
            case Region():
                return any(outside(c) for c in n.nodes)
            case Map() if name in n.private:
                return False
            case Loop() | Map() | While():
                return outside(n.body) or any(a.data == name for a in effects(replace(n, body=Region())).accesses)
            case Branch():
                cond = any(x.memlet.data == name for x in loads(n.cond))
                return cond or outside(n.then) or outside(n.orelse)
            case _:
                return any(a.data == name for a in effects(n).accesses)

    if name not in effects(body).private or outside(body):
        return frozenset()
    return frozenset((name,))


def _variables(n: Node) -> tuple[str, ...]:
    match n:
        case Loop():
            return (n.var,)
        case Map():
            return n.vars
        case _:
            return ()
