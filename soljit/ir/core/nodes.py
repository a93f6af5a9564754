"""The program tree: control flow as structure, data movement at the leaves.

Nodes are compared by identity; each carries the `Loc` of the user's line. A tree is never changed: a pass builds a
new one and shares what it did not touch (`dataclasses.replace`, `ir/walk.py`).

Scope: a `Let` symbol is visible in the rest of its region and in regions below it. `Alloc` makes memory that lives until the end of
the enclosing region, unless a `Ref` or the result still holds it. Loop and map variables are visible in the body.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field

from soljit.base.place import NOWHERE, Loc
from soljit.base.records import dataclass
from soljit.ir.core.data import Data
from soljit.ir.core.expr import Expr, Extent, Memlet, Op, Range, Stride
from soljit.ir.core.types import DType


@dataclass(frozen=True, eq=False, kw_only=True)
class Node:
    """Base of all nodes."""

    loc: Loc = NOWHERE


@dataclass(frozen=True, eq=False)
class Region(Node):
    """Nodes in order."""

    nodes: tuple[Node, ...] = ()


# --- control flow -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Loop(Node):
    """`for var in span`, in order. The span is evaluated once. `var` is an i64 symbol, immutable in the body.

    divisors: 64-bit integers, the same in all iterations, by which iterations divide: what makes that quick is worked out before the first one.
    words:    the body is one branch on an element of an array of bools, which stays as it is: 64 of them are looked at together, as bits of a word.
    """

    var: str
    span: Range
    body: Region
    divisors: tuple[Expr, ...] = ()
    words: bool = False


@dataclass(frozen=True, eq=False)
class Map(Node):
    """Iterations proved independent (apart from `wcr` writes): a fact, not a wish.

    vars, spans: one a dimension, outermost first; a span may use earlier variables (triangular).
    schedule:    a choice made by passes: the role of each variable; () means not chosen yet.
                 "seq": its iterations run one after the other. "unrolled", "rolled": they do, in a kernel, and the compiler writes all of them
                 out, of which there is a constant number, or writes out none. "threads": they are spread over the threads of a processor; only outer
                 variables. "lanes": several run at a time in the lanes of vectors; only the innermost variable.
                 "grid": the outermost map with it is a kernel, which a device runs: without "block" maps in it an iteration of the
                 "grid" variables is a thread of the device, with them a block of threads, among which the "block" maps spread theirs. In a
                 kernel of a cluster of blocks, "cluster" maps are spread over the threads of all blocks, "block" maps over those of the first
                 block; those that combine values into one element or number are done by each of the blocks.
    threads:     of a kernel: how many threads a block has along its last "grid" variables, (256,) or (8, 32).
    cluster:     of a kernel of one iteration with such maps: how many blocks do it together, at most; a device may give it fewer.
    when:        with "threads": run in parallel only if this holds (threads pay only above a size); TRUE or FALSE before that: a map beside blocks for large sizes, which threads may or may not share.
    watched:     `when` is `least <= work`; a region of moderate work watches whether threads pay at present.
    parts:       with "threads": elements, with their wcr, into which iterations combine values and which nothing else in the map touches. Each
                 thread has a part of its own, and the parts are combined in the order of the threads.
    private:     containers of which every iteration has its own, without a value on entry or exit.
    blocks:      of how many innermost loops sums of floats, minima and maxima are taken in blocks of iterations; with 0, each iteration gives
                 one term. Sums add up their terms in pairs, as NumPy does. None: there are no such sums, or they are combined one by one.
    in_place:    with `blocks`: of how many innermost loops, at most those, all terms are elements that lie next to each other in memory and
                 have the type in which they are combined; a block of these loops is read where it is.
    buffered:    of sums in blocks over all loops, which NumPy reads through the buffer of its iterators, and adds up a buffer at a time: how
                 many elements apart the iterations of each loop read. () if it needs no buffer.
    converted:   with `buffered`: the elements are converted on their way into the buffer.
    until:       truth values of which the innermost loop computes nothing else: it ends once they are decided.
    counted:     numbers of truth values that the innermost loop counts in integers as narrow as the numbers that it compares.
    few:         with `blocks` of one loop or `until`: data tell how often the innermost loop runs, and often it is a few times, which are done one by one.
    divisors:    as of a Loop, for all loops of the map.
    The body contains no Break, Continue or Return out of the map and no Raise.
    """

    vars: tuple[str, ...]
    spans: tuple[Range, ...]
    body: Region
    schedule: tuple[str, ...] = ()
    when: Expr | None = None
    private: tuple[str, ...] = ()
    threads: tuple[int, ...] = ()
    cluster: Expr | None = None
    parts: tuple[Memlet, ...] = ()
    watched: bool = False
    blocks: int | None = None
    in_place: int = 0
    buffered: tuple[Expr, ...] = ()
    converted: bool = False
    until: tuple[Memlet, ...] = ()
    counted: tuple[Memlet, ...] = ()
    few: bool = False
    divisors: tuple[Expr, ...] = ()

    @property
    def threshold(self) -> tuple[Expr, Expr]:
        """Of a watched map: the least work for which threads pay, and the work that there is."""
        assert isinstance(self.when, Op) and self.when.name == "le"
        least, work = self.when.args
        return least, work


@dataclass(frozen=True, eq=False)
class While(Node):
    """`while cond`, `cond` evaluated before each iteration."""

    cond: Expr
    body: Region


@dataclass(frozen=True, eq=False)
class Branch(Node):
    """`if cond: then else: orelse`."""

    cond: Expr
    then: Region
    orelse: Region = Region()


@dataclass(frozen=True, eq=False)
class Break(Node):
    """Leave the innermost Loop or While."""


@dataclass(frozen=True, eq=False)
class Continue(Node):
    """Next iteration of the innermost Loop or While."""


@dataclass(frozen=True, eq=False)
class Raise(Node):
    """Leave the program with a Python exception.

    exception: dotted name, "builtins.IndexError" or "numpy.linalg.LinAlgError".
    message:   template; "{0}" stands for operand 0 as Python prints it, "{0!s}" likewise; None raises without arguments.
    """

    exception: str
    message: str | None = None
    operands: tuple[Expr, ...] = ()


@dataclass(frozen=True, eq=False)
class Return(Node):
    """Leave the program with these values, one for each leaf of `Program.results`, in order.

    A scalar leaf takes an Expr, an array leaf a Memlet (what it walks becomes the result's shape and strides).
    leaves: where paths return different leaves ("either" in `Program.structure`), the numbers of those that get values;
            () means the first ones. A number that gets none is 0, an array that gets none does not exist.
    """

    values: tuple[Expr | Memlet, ...] = ()
    leaves: tuple[int, ...] = ()

    def numbered(self) -> Iterator[tuple[int, Expr | Memlet]]:
        """The values with the numbers of their leaves."""
        return zip(self.leaves or range(len(self.values)), self.values)


# --- leaves -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Let(Node):
    """Define the immutable symbol `name` as the present value of `value`."""

    name: str
    value: Expr


@dataclass(frozen=True, eq=False)
class Alloc(Node):
    """Make the memory of transient Array `data`: filled with zeros, or with anything."""

    data: str
    zero: bool = False


@dataclass(frozen=True, eq=False)
class Bind(Node):
    """Let Ref `ref` stand for the elements that `source` walks (all `source.dims` become its dimensions)."""

    ref: str
    source: Memlet


@dataclass(frozen=True, eq=False)
class Tasklet(Node):
    """Write the value of `code` to the one element `out` (combining, if `out.wcr`)."""

    out: Memlet
    code: Expr


@dataclass(frozen=True, eq=False)
class LibraryNode(Node):
    """An operation with a library routine or a special algorithm; `ir/core/libraries.py` lists the ops and their attributes."""

    op: str
    outs: tuple[Memlet, ...]
    ins: tuple[Memlet | Expr, ...]
    attrs: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Copy(Node):
    """Elementwise copy; source and destination walk equal lengths and do not overlap."""

    dst: Memlet
    src: Memlet


@dataclass(frozen=True, eq=False)
class Call(Node):
    """Run `Program.functions[function]`; `outs` (Scalars and Refs by name) receive its results, leaf by leaf.

    effects: names of containers that it may read and write without being given them (see `Callback`).
    """

    function: str
    outs: tuple[str, ...]
    ins: tuple[Memlet | Expr, ...]
    effects: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Callback(Node):
    """Call back into Python.

    target:  dotted name ("numpy.linalg.eigh") or "param:<name>" for an object parameter.
    args, kwargs: a JSON-able template; {"$": k} stands for operand `ins[k]`; {"dtype": "f64"}, {"slice": [a, b, c]},
             {"tuple": [...]}, {"ellipsis": true}, {"complex": [re, im]} for what JSON lacks.
    outs:    names of Scalars and Refs that receive the leaves of the result (a tuple result has several leaves;
             "" drops one). A result whose dtype or number of dimensions differs from the declaration raises TypeError.
    effects: names of containers that the callee may write: some of `ins`, and others that it may read and write without being
             given them, because Python objects hold their memory, too (`ir/callbacks/reach.py`).
    result:  what the result must be, a tree as in `support/objects.py`; None: its leaves are the items of nested tuples and lists.
    """

    target: str
    outs: tuple[str, ...]
    ins: tuple[Memlet | Expr, ...]
    args: tuple[object, ...] = ()
    kwargs: Mapping[str, object] = field(default_factory=dict)
    effects: tuple[str, ...] = ()
    result: object = None


# --- the whole --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Param:
    """One leaf of the arguments, in order. Arrays have their descriptor in `Program.data`.

    kind: "array", "scalar" (a symbol of that dtype; "weak" Python numbers and NumPy scalars look the same here), or
    "object" (an opaque Python object that only callbacks use).
    container: of an object that is a list, tuple, dict or set, and of no class derived from these: "list", …
    """

    name: str
    kind: str
    dtype: DType | None = None
    container: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """One leaf of what is returned.

    kind:   "array" (a NumPy array), "scalar" (a NumPy scalar), "python" (int, float, bool or complex),
            "object" (what a Ref of Python objects holds)
    base:   for arrays: name of the parameter whose memory it may share; None: memory the program made
    same:   for arrays: name of the parameter that is itself returned (`f(x) is x`)
    writable: False for an array that NumPy makes read-only (a diagonal, a broadcast view)
    itself: for arrays: the int leaf that tells which object it is; leaves that agree in it and show the same memory alike are
            one object
    """

    kind: str
    dtype: DType
    ndim: int = 0
    base: str | None = None
    same: str | None = None
    writable: bool = True
    itself: int | None = None

    @property
    def absent(self) -> object:
        """What the leaf is that a Return gives no value."""
        return None if self.kind in ("array", "object") else 0


@dataclass(frozen=True, eq=False)
class Program(Node):
    """A compiled function.

    params:    argument leaves in the order in which the entry point receives them
    symbols:   where the size symbols come from: name → Extent/Stride of a parameter
    guards:    conditions over symbols and scalar parameters that hold whenever this variant runs
    data:      name → descriptor, arguments and temporaries
    results:   leaves of the returned value
    structure: JSON-able tree that tells how leaves form the Python result: {"leaf": k}, {"const": …},
               {"tuple": […]}, {"list": […]}, {"dict": [[key, tree], …]}, {"namedtuple": [dotted name, […]]}, {"dataclass": [dotted name, [[field, tree], …]]}, {"param": name}, None,
               {"either": [k, [tree, …]]}: the tree whose number the Python int of leaf k is
    functions: other programs that `Call` names
    """

    name: str
    params: tuple[Param, ...] = ()
    symbols: Mapping[str, Extent | Stride] = field(default_factory=dict)
    guards: tuple[Expr, ...] = ()
    data: Mapping[str, Data] = field(default_factory=dict)
    results: tuple[Result, ...] = ()
    structure: object = None
    body: Region = Region()
    functions: Mapping[str, Program] = field(default_factory=dict)
