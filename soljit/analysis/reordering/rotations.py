"""What the array variables that a loop passes on from step to step stand for in each step: `rotation(loop, …)`.

    for t in range(T):                             step           0        1        2        3        4
        alloc(new)                                 u stands for   u        new      new_1    new      new_1
        for i, j in map(…): new[i, j] = u[…]       new            new      new_1    new      new_1    new
        bind(u, new[…])

*First names* are the variables that a step asks before it binds them, and the arrays that each step makes anew and passes on. The latter get a few *pieces* of memory, which
steps take by turns; if they begin with zeros, a sweep writes these. `names[t]` says what a first name stands for in step t, in the names that there are in front of the loop. As
the loop does nothing to variables but bind them to others, it comes to a step that begins as an earlier one did: behind the last of `names`, those from `names[first]` on are
repeated.

**Theorem.** The loop does what its *sweeps* do, in each step with the names of that step, followed by a loop over the *rest* alone: over what
binds variables, and what is about numbers that no sweep uses. Proof: the rest uses no element of an array, so it does the same without the sweeps.
The sweeps use of the rest only what variables stand for, which `names` says. A piece is taken again when no first name stands for it any more, and
other variables are bound in a step before they are asked; behind the loop they stand for memory of the last step, which nobody has overwritten. ∎
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace

from soljit.analysis.memory.accesses import effects
from soljit.analysis.memory.affine import names_in
from soljit.analysis.memory.zeros import zeros
from soljit.base.records import dataclass
from soljit.base.sentences import Said, said
from soljit.ir.core.data import Array, Data, Scalar, View
from soljit.ir.core.expr import ONE, ZERO, Extent, Load, Memlet, Range, Stride, loads, subexpressions
from soljit.ir.core.nodes import Alloc, Bind, Let, Loop, Node, Program, Region, Tasklet
from soljit.ir.walk import data_used, descriptor_exprs, rename_data, rewrite
from soljit.ir.walk.spaces import HOST, base_of

_MOST = 8  # steps that differ
_PIECES = 4  # of memory, of one array


@dataclass(frozen=True)
class Rotation:
    """A loop whose steps pass on array variables.

    sweeps: what a step does to arrays, in first names
    rest:   what it does besides, in the program's names: bindings, numbers, and the making of arrays that are passed on
    made:   array that is made anew in each step → its pieces of memory, itself the first one
    names:  of step 0, 1, …: first name → name in front of the loop
    first:  from which on they are repeated
    """

    sweeps: Region
    rest: tuple[Node, ...]
    made: Mapping[str, tuple[str, ...]]
    names: tuple[Mapping[str, str], ...]
    first: int

    @property
    def moving(self) -> Mapping[str, tuple[str, ...]]:
        """The first names that do not stand for the same in all steps, each with all that it stands for."""
        found = {x: tuple(dict.fromkeys(names[x] for names in self.names)) for x in self.names[0]}
        return {x: several for x, several in found.items() if len(several) > 1}


def rotation(loop: Loop, program: Program, fresh: Callable[[str], str]) -> Rotation | Said | None:
    """How the steps of a loop of the program pass on array variables, or why that cannot be told; None if they bind none. fresh: for the names of pieces"""
    if not any(isinstance(n, Bind) for n in loop.body.nodes):
        return None
    return _Body(loop, program, fresh).rotation() or said("passes on")


@dataclass
class _Body:
    loop: Loop
    program: Program
    fresh: Callable[[str], str]
    sweeps: list[Node] = field(default_factory=list)
    rest: list[Node] = field(default_factory=list)
    stands: dict[str, str] = field(default_factory=dict)  # array variable → first name, at this place of the body
    asked: set[str] = field(default_factory=set)  # the first names
    made: set[str] = field(default_factory=set)

    @property
    def data(self) -> Mapping[str, Data]:
        return self.program.data

    def rotation(self) -> Rotation | None:
        """The answer, if there is one."""
        if not self._parted():
            return None
        for count in range(2, _PIECES + 1):
            names = self._names({a: (a, *(f"{a} {k}" for k in range(1, count))) for a in sorted(self.made)})
            if names is not None:
                new = {f"{a} {k}": self.fresh(a) for a in sorted(self.made) for k in range(1, count)}
                made = {a: (a, *(new[f"{a} {k}"] for k in range(1, count))) for a in sorted(self.made)}
                steps = tuple({k: new.get(v, v) for k, v in step.items()} for step in names[0])
                return Rotation(
                    Region(tuple(self.sweeps), loc=self.loop.body.loc), tuple(self.rest), made, steps, names[1]
                )
        return None

    # --- sweeps and rest ----------------------------------------------------------------------------------------------

    def _parted(self) -> bool:
        """Part the body; False if its sweeps and its rest need each other."""
        body = self.loop.body.nodes
        bound = {n.ref for n in body if isinstance(n, Bind)}
        sources = {n.source.data for n in body if isinstance(n, Bind)}
        self.made = {n.data for n in body if isinstance(n, Alloc)} & sources
        scalars = {a.data for a in effects(self.loop.body).writes if isinstance(self.data.get(a.data), Scalar)}
        looked_at = {base_of(self.data, k) for k, d in self.data.items() if isinstance(d, View)}
        if not looked_at.isdisjoint(bound | self.made) or not all(map(self._is_lasting, self.made)):
            return False
        numbers: set[str] = set()
        there: set[str] = set()  # what has been made
        for n in body:
            match n:
                case Alloc() if n.data in self.made:
                    d = self.data[n.data]
                    if n.data in there or not isinstance(d, Array):
                        return False
                    there.add(n.data)
                    self.rest.append(replace(n, zero=False))
                    if n.zero:
                        self.sweeps.append(zeros(n, d, self.fresh))
                        self.asked.add(n.data)
                case Bind():
                    if not _is_whole(n.source) or n.source.data in self.made - there:
                        return False
                    self.stands[n.ref] = self._first(n.source.data)
                    self.rest.append(n)
                case Let() if {x.memlet.data for x in loads(n.value)} & scalars or names_in(n.value) & numbers:
                    numbers.add(n.name)
                    self.rest.append(n)
                case Tasklet() if n.out.data in scalars:
                    self.rest.append(n)
                case _:
                    used = data_used(n)
                    if used & (self.made - there):
                        return False
                    first = {x: self._first(x) for x in sorted(used & (bound | self.made))}
                    self.sweeps.append(rename_data(n, {x: f for x, f in first.items() if x != f}))
        return self._is_apart(scalars, numbers, bound | self.made)

    def _first(self, name: str) -> str:
        first = self.stands.get(name, name)
        self.asked.add(first)
        return first

    def _is_apart(self, scalars: set[str], numbers: set[str], variables: set[str]) -> bool:
        sweeps, rest = effects(Region(tuple(self.sweeps))), effects(Region(tuple(self.rest)))
        if sweeps.binds or sweeps.leaves or rest.leaves or rest.python:
            return False
        if any(a.data in scalars for a in sweeps.accesses) or sweeps.asks & variables or sweeps.uses & numbers:
            return False
        touches = {a.data for a in rest.accesses} - scalars - self.made
        of_rest = {n.name for n in self.rest if isinstance(n, Let)}
        ends = {x.memlet.data for e in self.loop.span.children for x in loads(e)}
        return not touches and rest.uses.isdisjoint(sweeps.defines - of_rest) and ends.isdisjoint(scalars)

    def _is_lasting(self, array: str) -> bool:
        """Tell whether an array may as well be made in front of the loop, and is known outside of it by variables only."""
        d = self.data[array]
        if not isinstance(d, Array) or d.storage != HOST or d.mirror is not None:
            return False
        lengths = descriptor_exprs(d)
        if any(isinstance(x, Load | Extent | Stride) for e in lengths for x in subexpressions(e)):
            return False
        inside = effects(self.loop.body).defines | {self.loop.var}
        without = rewrite(self.program.body, lambda n: () if n is self.loop else None)
        return all(names_in(e).isdisjoint(inside) for e in lengths) and array not in data_used(without)

    # --- from step to step --------------------------------------------------------------------------------------------

    def _names(self, pieces: Mapping[str, tuple[str, ...]]) -> tuple[list[dict[str, str]], int] | None:
        """The names of steps that differ, and from which on they are repeated; None if there are too many of them, or too few pieces."""
        given = self.asked - self.made
        after = {x: self.stands.get(x, x) for x in given}
        given |= {f for f in after.values() if f not in self.made}
        step = {x: x for x in sorted(given)}
        steps: list[dict[str, str]] = []
        while len(steps) < _MOST:
            if any(several[len(steps) % len(several)] in step.values() for several in pieces.values()):
                return None
            step |= {a: several[len(steps) % len(several)] for a, several in pieces.items()}
            if step in steps:
                return steps, steps.index(step)
            steps.append(step)
            step = {x: step[after.get(x, x)] for x in sorted(given)}
        return None


def _is_whole(m: Memlet) -> bool:
    """Tell whether what is bound to this has its elements at the same subscripts."""
    return m.axes is None and all(isinstance(s, Range) and s.start == ZERO and s.step == ONE for s in m.subset)
