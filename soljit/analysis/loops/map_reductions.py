"""Which writes of a map are reductions: every contribution goes to one element that the loops do not move.

Such an element is accumulated in a local while the loops run. That is right if nothing else in the map's body touches it.
"""

from __future__ import annotations

from soljit.analysis.loops.sums import is_touched
from soljit.analysis.memory.homes import Homes, of_iteration
from soljit.base.records import dataclass
from soljit.ir.core.expr import Expr, Load, Memlet, Op, Sym, subexpressions, symbols
from soljit.ir.core.nodes import Alloc, LibraryNode, Map, Node, Program, Tasklet
from soljit.ir.core.types import DType, b1
from soljit.ir.walk import computed, memlets_written, symbols_defined, symbols_of, walk
from soljit.ir.walk.spaces import base_of


@dataclass(frozen=True)
class Reduction:
    """`target` (with its wcr) receives contributions of type `dtype`; loops from number `level` inwards do not move it.

    single: there is one contribution an iteration, written at the top of the body.
    """

    target: Memlet
    dtype: DType
    level: int
    single: bool

    @property
    def wcr(self) -> str:
        assert self.target.wcr is not None
        return self.target.wcr

    @property
    def blocked(self) -> bool:
        """Tell whether it is computed in blocks: floats, for accuracy (add) and for vectors (min and max)."""
        if self.wcr == "add":
            return self.dtype.is_float or self.dtype.is_complex
        return self.wcr in ("min", "max") and self.dtype.name in ("f32", "f64")

    @property
    def undecided(self) -> str | None:
        """The sign before a truth value that further contributions may change (None: any value may change)."""
        return {"lor": "!", "max": "!", "land": "", "min": ""}.get(self.wcr) if self.dtype == b1 else None


def reductions(program: Program, homes: Homes, m: Map) -> list[Reduction]:
    """The reductions of `m`, each element once, in the order of the program."""
    inner = symbols_defined(m.body)
    local = {n for x in walk(m) if isinstance(x, Map) for n in of_iteration(homes, x)}
    local |= {x.data for x in walk(m.body) if isinstance(x, Alloc)}
    found: dict[Memlet, list[Tasklet]] = {}
    for x in walk(m.body):
        if isinstance(x, Tasklet) and x.out.wcr is not None and base_of(program.data, x.out.data) not in local:
            used = symbols_of(x.out)
            if not used & inner and not any(isinstance(y, Load) for e in x.out.children for y in subexpressions(e)):
                found.setdefault(x.out, []).append(x)
    out = []
    for target, writes in found.items():
        if is_touched(program, m, target):
            continue
        used = symbols_of(target)
        level = max((k + 1 for k, v in enumerate(m.vars) if v in used), default=0)
        single = len(writes) == 1 and any(writes[0] is x for x in m.body.nodes)
        out.append(Reduction(target, writes[0].code.dtype, level, single))
    return out


def elements_of(m: Map) -> dict[Memlet, Memlet]:
    """The element that an iteration combines into each target, of those that combine nothing but an element."""
    return {x.out: x.code.memlet for x in m.body.nodes if isinstance(x, Tasklet) and isinstance(x.code, Load)}


def widest(m: Map) -> int:
    """Bits of the widest number that the body of a map reads."""
    loads = (x for e in computed(m.body) for x in subexpressions(e) if isinstance(x, Load))
    return max((8 * x.dtype.numpy.itemsize for x in loads if x.dtype.kind in "iuf"), default=8)


def stays_apart(m: Map, out: Memlet, names: tuple[str, ...]) -> bool:
    """Tell whether iterations with different values of the loops `names` write different elements. For each of them some
    subscript is that variable times a number plus what no loop of the map moves."""
    moving = {*m.vars, *symbols_defined(m.body)}

    def tells(e: object, v: str) -> bool:
        if not isinstance(e, Expr) or symbols(e) & moving != {v}:
            return False
        return sum(isinstance(x, Sym) and x.name == v for x in subexpressions(e)) == 1 and _is_sum(e, v)

    return all(any(tells(e, v) for e in out.subset) for v in names)


def _is_sum(e: Expr, v: str) -> bool:
    if v not in symbols(e):
        return not any(isinstance(x, Load) for x in subexpressions(e))
    if isinstance(e, Sym):
        return True
    return isinstance(e, Op) and e.name in ("add", "sub", "neg") and all(_is_sum(a, v) for a in e.args)


def written_in_place(program: Program, homes: Homes, m: Map) -> list[Memlet]:
    """Combining writes of elements outside the map, in no particular place."""
    local = {n for x in walk(m) if isinstance(x, Map) for n in of_iteration(homes, x)}
    local |= {x.data for x in walk(m.body) if isinstance(x, Alloc)}
    out = []
    for n in walk(m.body):
        out += [w for w in memlets_written(n) if _combines(n, w) and base_of(program.data, w.data) not in local]
    return out


def _combines(n: Node, w: Memlet) -> bool:
    return w.wcr is not None or (isinstance(n, LibraryNode) and (n.op == "ger" or len(n.ins) == 4))
