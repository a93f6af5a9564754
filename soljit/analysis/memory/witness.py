"""A dependence shown by example: run two accesses over a small made-up problem and look for a common element.

Proving that accesses never meet is dear, above all when they do. `meets` gives every size a small value and walks the
iterations; if two different iterations of the loop touch one element there, they may be taken to do so in general, and
nobody tries to prove the opposite. An answer of False says nothing. A wrong example (sizes that no call has) can only
keep a loop in order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from soljit.analysis.memory.accesses import Access
from soljit.ir.core.expr import Expr, Range, Sym
from soljit.ir.symbolic import linear

_SIZE = 7  # of whatever has no value
_POINTS = 600  # iterations looked at for one access

Loops = Sequence[tuple[str, Range]]
Touched = dict[tuple[int, ...], set[int]]  # element → iterations of the loop


def meets(a: Access, b: Access, loop: tuple[str, Range], around: Loops) -> bool:
    """Tell whether `a` and `b` touch one element in different iterations of `loop`, in the example."""
    env: dict[str, int] = {}
    try:
        for var, span in around:
            values = _values(span, env)
            env[var] = values[len(values) // 2] if values else 0
    except _Unknown:
        return False
    first = _touched(a, loop, env)
    second = first if b is a else _touched(b, loop, env)
    if first is None or second is None:
        return False
    for element, iterations in first.items():
        others = second.get(element)
        if others and (len(iterations) > 1 or len(others) > 1 or iterations != others):
            return True
    return False


def _touched(a: Access, loop: tuple[str, Range], env: Mapping[str, int]) -> Touched | None:
    """What each iteration touches; None if a subscript has no plain value."""
    out: Touched = {}
    loops = [loop, *a.loops]
    for k, s in enumerate(a.subset):
        if isinstance(s, Range):
            loops.append((f"{k}'", s))
    subset = [Sym(f"{k}'") if isinstance(s, Range) else s for k, s in enumerate(a.subset)]
    try:
        for count, point in enumerate(_points(loops, dict(env))):
            out.setdefault(tuple(_value(s, point) for s in subset), set()).add(point[loop[0]])
            if count >= _POINTS:
                break
    except _Unknown:
        return None
    return out


def _points(loops: Sequence[tuple[str, Range]], env: dict[str, int]) -> Iterator[dict[str, int]]:
    if not loops:
        yield env
        return
    var, span = loops[0]
    for value in _values(span, env):
        env[var] = value
        yield from _points(loops[1:], env)


def _values(span: Range, env: Mapping[str, int]) -> range:
    step = _value(span.step, env)
    return range(_value(span.start, env), _value(span.stop, env), step) if step else range(0)


class _Unknown(Exception):
    """An expression that is no sum of symbols."""


def _value(e: Expr, env: Mapping[str, int]) -> int:
    total = linear(e)
    out = total.const
    for atom, c in total.terms:
        if isinstance(atom, Sym):
            out += c * env.get(atom.name, _SIZE)
        else:
            raise _Unknown
    return out
