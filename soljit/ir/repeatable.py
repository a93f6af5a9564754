"""Which calls back into Python come before everything that a caller could see: up to there a call can be made again."""

from __future__ import annotations

from soljit.base.objects import HERE
from soljit.base.unforeseen import Site
from soljit.ir.data import Array, Ref, View
from soljit.ir.effects import memlets_written
from soljit.ir.expr import Memlet
from soljit.ir.nodes import Bind, Branch, Callback, Node, Program, Region
from soljit.ir.pending import unguarded
from soljit.ir.tree import walk

_SETTERS = ("numpy.set", "numpy.random.", "numpy.save")
_GENERATORS = ("numpy.random._generator.Generator.", "numpy.random.mtrand.RandomState.")  # their methods
_NEW_GENERATORS = {"numpy.random.default_rng", *(name.rstrip(".") for name in _GENERATORS)}
_MAKER = HERE + "same"  # makes a list, a dict or a set
_OF_CONTAINERS = {"operator.getitem", "operator.setitem", "operator.contains", "builtins.len", "builtins.dict.get"} | {
    f"builtins.list.{name}" for name in ("append", "extend", "insert", "pop", "reverse", "copy")
}


def site_of(n: Callback) -> Site:
    """Where a call stands."""
    return Site.at(n.loc, unguarded(n.target))


def repeatable(program: Program) -> set[Site]:
    """The sites of which every call comes before the first effect."""
    early: set[Site] = set()
    late: set[Site] = set()
    _sort(program, fresh_objects(program), program.body, early, late, False)
    return early - late


def fresh_objects(program: Program) -> set[str]:
    """Objects that the program makes: nobody else has them yet."""
    made: set[str] = set()
    other: set[str] = set()
    for n in walk(program.body):
        new = isinstance(n, Callback) and _makes(n)
        outs = n.outs if isinstance(n, Callback) else [m.data for m in memlets_written(n)]
        (made if new else other).update([n.ref] if isinstance(n, Bind) else outs)
    return made - other


def _makes(n: Callback) -> bool:
    """Does this make a container, or a generator of random numbers from a seed?"""
    if n.target in _NEW_GENERATORS:
        return not n.ins and bool(n.args or n.kwargs)
    return n.target == _MAKER and (not n.ins or isinstance(n.args[0], list))


def _sort(program: Program, fresh: set[str], node: Node, early: set[Site], late: set[Site], begun: bool) -> bool:
    """Sort the calls below a node; was anything done before its end? Loops count as a whole."""
    match node:
        case Region():
            for n in node.nodes:
                begun = _sort(program, fresh, n, early, late, begun)
            return begun
        case Branch():
            then = _sort(program, fresh, node.then, early, late, begun)
            return _sort(program, fresh, node.orelse, early, late, begun) or then
    done = begun or any(_seen(program, fresh, n) for n in walk(node))
    calls = {site_of(n) for n in walk(node) if isinstance(n, Callback)}
    alone = isinstance(node, Callback) and not begun
    (early if alone or not done else late).update(calls)
    return done


def _seen(program: Program, fresh: set[str], n: Node) -> bool:
    """Does this node itself do something that a caller can see, or that another run would do once more?"""
    if isinstance(n, Callback) and n.target != _MAKER and not _makes(n) and not on_own(fresh, n):
        target = unguarded(n.target)
        if not target.startswith("numpy.") or target.startswith(_SETTERS):
            return True
    for m in memlets_written(n):
        d = program.data.get(m.data)
        while isinstance(d, View):
            d = program.data.get(d.of)
        if m.data in fresh or isinstance(n, Callback) and m.data in n.outs:
            continue
        if isinstance(d, Ref) and type(n).__name__ not in ("Bind", "Alloc"):
            return True
        if isinstance(d, Array) and not d.transient:
            return True
    return bool(program.functions) and type(n).__name__ == "Call"


def on_own(fresh: set[str], n: Callback) -> bool:
    """Does this only look at or change a container or a generator that nobody else has yet?"""
    target = unguarded(n.target)
    match n.args:
        case ({"$": int() as k}, *_) if target in _OF_CONTAINERS or target.startswith(_GENERATORS):
            owner = n.ins[k]
            return isinstance(owner, Memlet) and owner.data in fresh
    return False
