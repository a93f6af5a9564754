"""What an optimized program does at the user's lines, for `explain()`: threads and vectors, libraries, calls of Python, and what may help."""

from __future__ import annotations

import re
from collections.abc import Iterator

from soljit.analysis.device.kept_transfers import why_kept
from soljit.base.place import Loc
from soljit.ir.callbacks.distributions import distributions
from soljit.ir.callbacks.draws import draw
from soljit.ir.core.data import Array, Ref, Scalar, View
from soljit.ir.core.expr import Const, Expr, Op, const
from soljit.ir.core.nodes import Callback, Copy, LibraryNode, Loop, Map, Node, Program, While
from soljit.ir.core.types import DType
from soljit.ir.symbolic import linear
from soljit.ir.text.spelling import spell
from soljit.ir.walk import children_nodes, memlets_read, memlets_written, walk
from soljit.ir.walk.spaces import is_device_call, is_transfer, on_device
from soljit.support.pending import unguarded

_BLAS = ("f32", "f64", "c64", "c128")

# Functions that are called → what that is in the user's words, and what to try where it happens at every step of a loop.
_CALLS: dict[str, tuple[str, str]] = {
    "operator.getitem": ("an item of a Python object is read", "numbers in arrays are read without Python"),
    "operator.setitem": ("an item of a Python object is written", "numbers in arrays are written without Python"),
    "operator.delitem": ("an item of a Python object is deleted", ""),
    "operator.contains": ("Python looks for an item", ""),
    "builtins.getattr": ("an attribute of a Python object is read", "read it into a variable before the loop"),
    "builtins.setattr": ("an attribute of a Python object is written", "write it after the loop"),
    "builtins.list.append": ("a Python list grows", "fill an array whose length is known before the loop"),
    "builtins.print": ("Python prints", ""),
}
_GENERATORS = re.compile(
    r"(numpy\.random(?:\._generator\.Generator|\.mtrand\.RandomState)?|random(?:\.Random)?)\.([a-z]\w+)$"
)
_OWN = "soljit."  # what the front end itself calls: no words of the user


def remarks(program: Program, threads: int, vector_bits: int) -> list[tuple[Loc, str]]:
    """Remarks with their places, in the order of the program."""
    sizes = {name: spell(e) for name, e in program.symbols.items()}
    bodies = [(program, program.body), *((f, f.body) for f in program.functions.values())]
    return [
        (n.loc, text)
        for owner, body in bodies
        for n, looped in _nodes(body, False)
        for text in _remark(owner, n, looped, threads, vector_bits, sizes)
    ]


def _nodes(node: Node, looped: bool) -> Iterator[tuple[Node, bool]]:
    """Every node below, and whether a loop is around it."""
    yield node, looped
    for n in children_nodes(node):
        yield from _nodes(n, looped or isinstance(node, (Loop, While, Map)))


def _remark(
    program: Program, n: Node, looped: bool, threads: int, vector_bits: int, sizes: dict[str, str]
) -> Iterator[str]:
    match n:
        case Map():
            if "threads" in n.schedule:
                yield f"runs on up to {threads} threads" + (f" if {_size(n.when, sizes)}" if n.when is not None else "")
            if "lanes" in n.schedule and (t := _widest(program, n)) is not None and vector_bits >= 16 * t.size:
                yield f"vector code, up to {vector_bits // (8 * t.size)} {t.numpy.name} at a time"
        case Copy() if is_transfer(n, program.data):
            yield _transfer(program, n)
        case LibraryNode():
            yield from _library(program, n)
        case Callback():
            yield from _call(program, n, looped)


def _transfer(program: Program, n: Copy) -> str:
    """What is copied to or from the device, and why."""
    there = on_device(program.data, n.dst.data)
    name = n.src.data if there else n.dst.data
    d = program.data[name]
    what = name if isinstance(d, Ref) or (isinstance(d, Array) and d.shape) else "a number"
    return f"{what} is copied {'to the device' if there else 'back from the device'}: {why_kept(program, n)}"


def _size(condition: Expr, sizes: dict[str, str]) -> str:
    """A condition `least <= work` in the user's names, with the work of one step divided out."""
    match condition:
        case Op("le", (Const(value=least), total)):
            sum_ = linear(total)
            if not sum_.const and len(sum_.terms) == 1:
                ((atom, steps),) = sum_.terms
                condition = Op("le", (const(-(-int(least.real) // steps)), atom), condition.dtype)
    return re.sub(r"[A-Za-z_]\w*", lambda m: sizes.get(m[0], m[0]), spell(condition))


def _widest(program: Program, m: Map) -> DType | None:
    """The largest type of elements that the innermost loop of a map reads or writes."""
    touched = [x for n in walk(m.body) for x in (*memlets_read(n), *memlets_written(n))]
    found = [d.dtype for x in touched if isinstance(d := program.data.get(x.data), (Array, Ref, View, Scalar))]
    return max(found, key=lambda t: t.size, default=None)


def _library(program: Program, n: LibraryNode) -> Iterator[str]:
    d = program.data.get(n.outs[0].data) if n.outs else None
    if is_device_call(n, program.data):
        yield "cuBLAS multiplies on the device"
        return
    match n.op:
        case "matmul" | "ger" if d is not None and d.dtype.name in _BLAS:
            yield "NumPy's own BLAS multiplies"
        case "loop":
            function = str(n.attrs["function"]).rpartition(".")[2]
            yield f"NumPy's own routine {function} is called, without Python"
        case "sort" | "argsort" | "argmin" | "argmax":
            yield f"NumPy's own {n.op} is called, without Python"


def _call(program: Program, n: Callback, looped: bool) -> Iterator[str]:
    target = unguarded(n.target)
    if target.startswith((_OWN, "param:")):
        return
    generator = _GENERATORS.match(target)
    drawn = draw(program, n)
    if drawn is not None:
        what = "a random number" if drawn.lengths is None and drawn.dtype is not None else "random numbers"
        yield f"draws {what} without Python, from the generator's own state"
        return
    if generator is not None:
        what, cure = f"calls Python: {generator[2]}() of a random generator", ""
        if generator[2] in distributions(generator[1]):
            cure = "it draws without Python where the parameters are plain numbers"
    elif target.startswith("numpy."):
        return  # the front end says so
    else:
        name = target.removeprefix("builtins.")
        other = f"an operator on Python objects ({name[9:]})" if name.startswith("operator.") else f"{name}() is called"
        text, cure = _CALLS.get(target, (other, ""))
        what = f"calls Python: {text}"
    yield what + (f", at every step{f' ({cure})' if cure else ''}" if looped else "")
