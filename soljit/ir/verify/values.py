"""Whether expressions, ranges and memlets are what the IR promises. The half of `ir/verify/program.py` below the nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from soljit.ir.core.data import Array, Data, Ref, Scalar, View
from soljit.ir.core.expr import Cast, Const, Expr, Extent, Load, Memlet, Op, Range, Stride, Sym, symbols
from soljit.ir.core.ops import INDEX, OPS
from soljit.ir.core.types import BY_NAME, PYTHON_CLASSES, DType, b1
from soljit.ir.text.spelling import python_class, result_dtype, spell
from soljit.ir.walk import descriptor_exprs

WCR_KINDS = {
    "add": "iufc",
    "mul": "iufc",
    "min": "biufc",
    "max": "biufc",
    "land": "b",
    "lor": "b",
    "band": "biu",
    "bor": "biu",
    "bxor": "biu",
}


def rank(d: Data) -> int:
    """Number of dimensions of a container."""
    match d:
        case Scalar():
            return 0
        case Ref():
            return d.ndim
        case _:
            return len(d.shape)


class ValueVerifier:
    """Checks values against what is declared (`data`) and visible (`scope`: symbol → dtype); tells `fault`."""

    def __init__(self, data: Mapping[str, Data], fault: Callable[[str], None]) -> None:
        self.data = data
        self.scope: dict[str, DType] = {}
        self.missing: Callable[[str], str | None] = lambda name: None
        self.fault = fault

    # --- expressions ---

    def exprs(self, several: Iterable[Expr]) -> None:
        """Check expressions of any types."""
        for e in several:
            self.expr(e)

    def expr(self, e: Expr, dtype: DType | None = None, role: str = "") -> None:
        """Check `e`, and that it has the type that its place asks for."""
        if dtype is not None and e.dtype != dtype:
            self.fault(f"{role} {spell(e)} is {e.dtype}, not {dtype}")
        match e:
            case Const():
                self.constant(e)
            case Sym():
                self.symbol(e)
            case Load():
                self.load(e)
            case Op():
                self.op(e)
            case Cast():
                self.expr(e.arg)
            case Extent() | Stride():
                self.dimension(e)
            case _:
                self.fault(f"{e!r} is no expression")

    def constant(self, e: Const) -> None:
        if BY_NAME.get(e.dtype.name) != e.dtype or python_class(e.value) is not PYTHON_CLASSES[e.dtype.python]:
            self.fault(f"the constant {e.value!r} cannot be {e.dtype}")
        elif e.dtype.is_int and not e.dtype.lowest <= e.value <= e.dtype.highest:  # type: ignore[operator]
            self.fault(f"the constant {e.value!r} does not fit {e.dtype}")

    def symbol(self, e: Sym) -> None:
        if e.name not in self.scope:
            self.fault(f"symbol {e.name} is not defined here")
        elif self.scope[e.name] != e.dtype:
            self.fault(f"symbol {e.name} is {self.scope[e.name]} but used as {e.dtype}")

    def load(self, e: Load) -> None:
        self.memlet(e.memlet, element=True)
        d = self.data.get(e.memlet.data)
        if d is not None and d.dtype != e.dtype:
            self.fault(f"{spell(e)} is {d.dtype} but loaded as {e.dtype}")
        if e.memlet.wcr is not None:
            self.fault(f"{spell(e)} is loaded with a wcr")

    def op(self, e: Op) -> None:
        for a in e.args:
            self.expr(a)
        info = OPS.get(e.name)
        if info is None:
            self.fault(f"there is no operation {e.name}")
            return
        if len(e.args) != info.arity:
            self.fault(f"{e.name} takes {info.arity} arguments, not {len(e.args)}")
            return
        operands = e.args
        if e.name == "select":
            if e.args[0].dtype != b1:
                self.fault(f"the condition of {spell(e)} is {e.args[0].dtype}, not b1")
            operands = e.args[1:]
        types = [a.dtype for a in operands]
        if any(t != types[0] for t in types):
            self.fault(f"{spell(e)} mixes {' and '.join(map(str, types))}")
        elif types[0].kind not in info.args:
            self.fault(f"{e.name} takes no {types[0]}: {spell(e)}")
        elif (derived := result_dtype(e.name, e.args)) != e.dtype:
            self.fault(f"{e.name} of {types[0]} gives {derived}, not {e.dtype}")

    def dimension(self, e: Extent | Stride) -> None:
        d = self.container(e.data)
        if d is not None and not 0 <= e.dim < rank(d):
            self.fault(f"{spell(e)}: {e.data} has {rank(d)} dimensions")

    # --- memlets ---

    def span(self, r: Range) -> None:
        """Check a range."""
        for e in r.children:
            self.expr(e, INDEX, "the bound")
        if isinstance(r.step, Const) and r.step.value == 0:
            self.fault(f"{spell(r)} has the step 0")

    def memlet(self, m: Memlet, *, element: bool = False, written: bool = False) -> None:
        """Check a memlet; with `element`, that it is a single one; with `written`, that it may be."""
        for s in m.subset:
            if isinstance(s, Range):
                self.span(s)
            else:
                self.expr(s, INDEX, "the subscript")
        d = self.container(m.data)
        if d is None:
            return
        if len(m.subset) != rank(d):
            self.fault(f"{spell(m)} has {len(m.subset)} subscripts, {m.data} has {rank(d)} dimensions")
        ranged = [k for k, s in enumerate(m.subset) if isinstance(s, Range)]
        if element and (ranged or m.axes):
            self.fault(f"{spell(m)} is not one element")
        if m.axes is not None and sorted(k for k in m.axes if k >= 0) != ranged:
            self.fault(f"the axes {m.axes} of {spell(m)} are not its ranged dimensions")
        if m.axes is not None and min(m.axes, default=0) < -1:
            self.fault(f"the axes {m.axes} of {spell(m)} are not dimensions")
        if written:
            self.written(m, d)
        elif m.wcr is not None and not element:
            self.fault(f"{spell(m)} is read with a wcr")

    def written(self, m: Memlet, d: Data) -> None:
        if m.wcr is not None and d.dtype.kind not in WCR_KINDS.get(m.wcr, ""):
            self.fault(f"{m.data} of type {d.dtype} cannot be combined with {m.wcr}")
        base = d
        while isinstance(base, View) and base.of in self.data:
            base = self.data[base.of]
        if isinstance(base, Array) and not base.writable:
            self.fault(f"{spell(m)} is written, but {m.data} is read-only")

    def container(self, name: str) -> Data | None:
        """The declaration of a container that is used here; tells what keeps it from being used."""
        d = self.data.get(name)
        if d is None:
            self.fault(f"container {name} is not declared")
            return None
        below: Data | None = d
        while isinstance(below, View):
            self.visible(name, below)
            name, below = below.of, self.data.get(below.of)
        why = self.missing(name)
        if why is not None:
            self.fault(why)
        return d

    def visible(self, name: str, d: Data) -> None:
        """Check that the symbols of a descriptor are defined where it is used."""
        for e in descriptor_exprs(d):
            hidden = sorted(symbols(e) - self.scope.keys())
            if hidden:
                self.fault(f"{name}, declared with {spell(e)}, is used where {', '.join(hidden)} is not defined")
                return
