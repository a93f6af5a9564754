"""How long an iteration waits for the one before: `latency(body, var)`, in cycles of the chain of operations from what the iteration before has written to what this one writes.

a[j] = (a[j - 1] + r[j]) / 9.0      an addition and a division: 17 cycles, though a processor can begin several others in each of them
"""

from __future__ import annotations

from soljit.ir.core.expr import Cast, Expr, Load, Memlet, Op, Sym, const
from soljit.ir.core.nodes import Branch, Let, Node, Region, Tasklet
from soljit.ir.symbolic import equal, sub
from soljit.ir.walk import substitute, walk

_FLOATS = {"add": 4, "sub": 4, "mul": 4, "div": 13, "sqrt": 16, "min": 3, "max": 3, "select": 3, "neg": 1, "abs": 1}
_FREE = {
    "lt": 0,
    "le": 0,
    "gt": 0,
    "ge": 0,
    "eq": 0,
    "ne": 0,
    "land": 1,
    "lor": 1,
    "lnot": 0,
}  # counted with what they choose
_INTEGERS = {"mul": 3, "floordiv": 14, "mod": 14}
_FUNCTION = 20


def latency(body: Region, var: str, step: int = 1) -> int:
    """The cycles of the longest such chain, through elements that neighbours in the loop over `var` write and read; 0 if there is none."""
    stores = [n.out for n in walk(body) if isinstance(n, Tasklet) and n.out.subset]
    carried = [(m.data, _back(m, var, k * step)) for m in stores for k in (1, 2)]
    return _Chain(carried).through(body)


def operations_done(body: Region) -> int:
    """How many operations a run of the body is, without those of subscripts, and without those of loops in it."""
    return sum(_operations(e) for n in walk(body) for e in _computed(n))


def _computed(n: Node) -> tuple[Expr, ...]:
    match n:
        case Let():
            return (n.value,)
        case Tasklet():
            return (n.code,)
        case Branch():
            return (n.cond,)
        case _:
            return ()


def _operations(e: Expr) -> int:
    if isinstance(e, Load):
        return 1
    return isinstance(e, Op | Cast) + sum(map(_operations, e.children))


def _back(m: Memlet, var: str, steps: int) -> tuple[Expr, ...]:
    return tuple(s for s in substitute(m, {var: sub(Sym(var), const(steps))}).subset if isinstance(s, Expr))


class _Chain:
    def __init__(self, carried: list[tuple[str, tuple[Expr, ...]]]) -> None:
        self.carried = carried
        self._known: dict[
            str, int
        ] = {}  # definitions and scalars → cycles after which they are there; others wait for nothing

    def through(self, region: Region) -> int:
        """The longest chain to an element that is stored."""
        longest = 0
        for n in region.nodes:
            match n:
                case Let():
                    self._keep(n.name, self.of(n.value))
                case Tasklet():
                    found = self.of(n.code)
                    if n.out.subset:
                        longest = max(longest, found or 0)
                    else:
                        self._keep(n.out.data, found)
                case Branch():
                    longest = max(longest, self.through(n.then), self.through(n.orelse))
                case _:
                    pass
        return longest

    def _keep(self, name: str, found: int | None) -> None:
        if found is not None:
            self._known[name] = max(found, self._known.get(name, 0))

    def of(self, e: Expr) -> int | None:
        """After how many cycles the value is there; None if it waits for nothing."""
        match e:
            case Sym():
                return self._known.get(e.name)
            case Load() if not e.memlet.subset:
                return self._known.get(e.memlet.data)
            case Load() if any(e.memlet.data == name and _same(e.memlet, at) for name, at in self.carried):
                return 0
        found = [x for x in map(self.of, e.children) if x is not None]
        return max(found) + _cycles(e) if found else None


def _same(m: Memlet, at: tuple[Expr, ...]) -> bool:
    return len(m.subset) == len(at) and all(isinstance(s, Expr) and equal(s, t) for s, t in zip(m.subset, at))


def _cycles(e: Expr) -> int:
    if not isinstance(e, Op):
        return 5 if isinstance(e, Load) else 3
    if e.name in _FREE:
        return _FREE[e.name]
    if e.args[-1].dtype.kind in "fc":
        return _FLOATS.get(e.name, _FUNCTION)
    return _INTEGERS.get(e.name, 1)
