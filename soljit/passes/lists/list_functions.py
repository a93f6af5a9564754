"""Functions of Python and NumPy that look at an unboxed list, on its arrays: sum, min, max, any, all, np.array. Helpers of `unbox_lists`.

A list on which Python would raise, or give a number of another type, is left to Python: the call stands in the other branch.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from soljit.ir.core.data import Scalar
from soljit.ir.core.expr import ONE, ZERO, Const, Expr, Load, Memlet, Op, Range, Sym
from soljit.ir.core.nodes import Branch, Break, Callback, Copy, Let, Loop, Node, Region, Tasklet
from soljit.ir.core.types import b1, f64, i64
from soljit.ir.symbolic import add, gt
from soljit.passes.lists.list_memory import ListMemory

Otherwise = Callable[[], list[Node]]  # makes the call of Python's function


def looked_at(m: ListMemory, name: str, n: Callback, otherwise: Otherwise) -> list[Node] | None:
    """What stands for a call of such a function; None if it has to be Python's."""
    one = m.lists[name]
    if one.rows or len(n.args) != 1 or n.args[0] != {"$": 0} or n.kwargs or len(n.ins) != 1 or len(one.dtypes) != 1:
        return None
    weak, t = isinstance(one.form, str), one.dtypes[0]
    match n.target:
        case "builtins.sum" if one.form in ("int", "float") and n.result == one.form:
            return _sum(m, name, n, otherwise)
        case "builtins.min" | "builtins.max" if one.form in ("int", "float") and n.result == one.form:
            return _extreme(m, name, n, "lt" if n.target.endswith("min") else "gt", otherwise)
        case "builtins.any" | "builtins.all" if one.form in ("int", "bool", "float") and n.result == "bool":
            return _found(m, name, n)
        case "numpy.array" | "numpy.asarray" if weak and n.result == {"array": [t.name, 1]}:
            return _copied(m, name, n)
    return None


def _over(m: ListMemory, name: str, start: Expr, step: Callable[[Expr], list[Node]]) -> list[Node]:
    """A loop over the items from a position on."""
    out: list[Node] = []
    s, k = m.at(name, out), Sym(m.fresh("k"), i64)
    (item,) = m.loads(name, s, k, out)
    return [*out, Loop(k.name, Range(start, s.size, ONE), Region(tuple(step(item))))]


def _extreme(m: ListMemory, name: str, n: Callback, better: str, otherwise: Otherwise) -> list[Node]:
    """The first of the best items, as Python finds it: NaN is never better."""
    out, before, inside = Memlet(n.outs[0]), list[Node](), list[Node]()
    s = m.at(name, before)
    (first,) = m.loads(name, s, ZERO, inside)

    def step(item: Expr) -> list[Node]:
        found = Op(better, (item, Load(out, item.dtype)), b1)
        return [Branch(found, Region((Tasklet(out, item),)), Region())]

    native = (*inside, Tasklet(out, first), *_over(m, name, ONE, step))
    return [*before, Branch(gt(s.size, ZERO), Region(native), Region(tuple(otherwise())))]


def _sum(m: ListMemory, name: str, n: Callback, otherwise: Otherwise) -> list[Node]:
    """Of ints unless it overflows; of floats in order, from Python 3.12 on with the rounding errors added up, too (Neumaier, 1974)."""
    out, t, before = Memlet(n.outs[0]), m.lists[name].dtypes[0], list[Node]()
    total = Load(out, t)
    if t is i64:
        fits = Memlet(m.new("fits", Scalar(b1)))

        def step(item: Expr) -> list[Node]:
            too_large = Region((Tasklet(fits, Const(False, b1)), Break()))
            over = Op("add_overflows", (total, item), b1)
            return [Branch(over, too_large, Region()), Tasklet(out, add(total, item))]

        native = [Tasklet(fits, Const(True, b1)), Tasklet(out, ZERO), *_over(m, name, ZERO, step)]
        return [*native, Branch(Op("lnot", (Load(fits, b1),), b1), Region(tuple(otherwise())), Region())]
    native = [Tasklet(out, Const(0.0, f64)), *(_compensated if sys.version_info >= (3, 12) else _plain)(m, name, out)]
    filled = gt(m.at(name, before).size, ZERO)
    return [*before, Branch(filled, Region(tuple(native)), Region(tuple(otherwise())))]


def _plain(m: ListMemory, name: str, out: Memlet) -> list[Node]:
    """In order: a loop that may end is no sum that the passes behind would take apart, and a NaN stays."""

    def step(item: Expr) -> list[Node]:
        total = Load(out, f64)
        settled = Branch(Op("isnan", (total,), b1), Region((Break(),)), Region())
        return [settled, Tasklet(out, Op("add", (total, item), f64))]

    return _over(m, name, ZERO, step)


def _compensated(m: ListMemory, name: str, out: Memlet) -> list[Node]:
    rest, total = Memlet(m.new("rest", Scalar(f64))), Load(out, f64)

    def step(item: Expr) -> list[Node]:
        x, t = Sym(m.fresh("item"), f64), Sym(m.fresh("total"), f64)
        larger = Op("ge", (Op("abs", (total,), f64), Op("abs", (x,), f64)), b1)
        big, small = (Op("select", (larger, *pair), f64) for pair in ((total, x), (x, total)))
        lost = Op("add", (Op("sub", (big, t), f64), small), f64)
        lets: list[Node] = [Let(x.name, item), Let(t.name, Op("add", (total, x), f64))]
        return [*lets, Tasklet(rest, Op("add", (Load(rest, f64), lost), f64)), Tasklet(out, t)]

    kept = Load(rest, f64)
    counts = Op("land", (Op("ne", (kept, Const(0.0, f64)), b1), Op("isfinite", (kept,), b1)), b1)
    corrected = Tasklet(out, Op("add", (total, kept), f64))
    return [Tasklet(rest, Const(0.0, f64)), *_over(m, name, ZERO, step), Branch(counts, Region((corrected,)), Region())]


def _found(m: ListMemory, name: str, n: Callback) -> list[Node]:
    """Tell whether any item is true, or all are."""
    out, every = Memlet(n.outs[0]), n.target.endswith("all")

    def step(item: Expr) -> list[Node]:
        true = item if item.dtype is b1 else Op("ne", (item, Const(item.dtype.numpy.type(0).item(), item.dtype)), b1)
        found = Op("lnot", (true,), b1) if every else true
        return [Branch(found, Region((Tasklet(out, Const(not every, b1)), Break())), Region())]

    return [Tasklet(out, Const(every, b1)), *_over(m, name, ZERO, step)]


def _copied(m: ListMemory, name: str, n: Callback) -> list[Node]:
    """A new array of the items."""
    one, ref, out = m.lists[name], n.outs[0], list[Node]()
    s = m.at(name, out)
    size = m.let("length", s.size, out)
    array = m.fresh(f"{ref}_items")
    (items,) = m.windows(s, out)
    out += [*m.arrays(one, [array], size), Copy(Memlet(array, (Range(ZERO, size, ONE),)), items)]
    return [*out, *m.bind([ref], [array], size)]
