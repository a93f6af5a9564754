"""What calls back into Python do to objects: which come before everything that a caller could see, so that up to there a call can be
made again; does any change an object?
"""

from __future__ import annotations

import operator

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
_OF_CONTAINERS = {
    "operator.getitem",
    "operator.setitem",
    "operator.contains",
    "builtins.len",
    "builtins.dict.get",
    "builtins.tuple",
    "builtins.list",
} | {f"builtins.list.{name}" for name in ("append", "extend", "insert", "pop", "reverse", "copy")}
_LOOKING = {
    *(HERE + name for name in ("same", "view", "frozen", "frozen_view", "is_integer", "index_array", "make_dict", "contains")),
    *(HERE + name for name in ("steps", "has_next", "take", "unpack", "ordered", "largest", "smallest", "make_exception", "throw")),
    *(f"builtins.{name}" for name in ("len", "float", "int", "bool", "complex", "str", "repr", "format", "abs", "round", "print")),
    *(f"builtins.{name}" for name in ("list", "tuple", "set", "frozenset", "sorted", "sum", "min", "max", "any", "all", "isinstance")),
    *(f"builtins.dict.{name}" for name in ("get", "keys", "values", "items", "copy")),
    *(f"builtins.list.{name}" for name in ("copy", "index", "count")),
    *(f"operator.{name}" for name in dir(operator) if not (name[:1] == "i" and hasattr(operator, name[1:]))),
} - {"operator.setitem", "operator.delitem"}  # fmt: skip


def site_of(n: Callback) -> Site:
    """Where a call stands."""
    return Site.at(n.loc, unguarded(n.target))


def repeatable(program: Program) -> set[Site]:
    """The sites of which every call comes before the first effect."""
    early, late = _sorted(program)
    return early - late


def unrepeatable(program: Program) -> set[Site]:
    """The sites of which a call comes after the first effect."""
    return _sorted(program)[1]


def _sorted(program: Program) -> tuple[set[Site], set[Site]]:
    early: set[Site] = set()
    late: set[Site] = set()
    _sort(program, fresh_objects(program), program.body, early, late, False)
    return early, late


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


def changes_objects(program: Program) -> bool:
    """May a call change an object that others have, too?"""
    for p in (program, *program.functions.values()):
        fresh = fresh_objects(p)
        for n in walk(p.body):
            if isinstance(n, Callback) and not only_looks(unguarded(n.target)) and not on_own(fresh, n):
                return True
    return False


def only_looks(target: str) -> bool:
    """Is this a function that changes none of its arguments?"""
    return target in _LOOKING or (target.startswith("numpy.") and not target.startswith(_SETTERS))
