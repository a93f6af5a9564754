"""One activation of a program in the interpreter: arguments bound, guards and declared shapes checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from soljit.base.errors import InternalError
from soljit.ir.callbacks.templates import python_type_name
from soljit.ir.core.data import Array
from soljit.ir.core.expr import Expr, Memlet
from soljit.ir.core.nodes import Param, Program
from soljit.ir.interpret.evaluate import Frame, NDArray
from soljit.ir.interpret.memory import c_strides
from soljit.ir.text.spelling import spell
from soljit.support.objects import window


class Activation:
    """One activation of a program: its arguments bound, and what the IR promises of them checked."""

    def __init__(self, program: Program, args: Sequence[object], functions: Mapping[str, Program]) -> None:
        if len(args) != len(program.params):
            raise InternalError(f"{program.name} takes {len(program.params)} arguments, not {len(args)}")
        self.program, self.functions = program, functions
        self.frame = Frame(program.data)
        self.objects: dict[str, object] = {}
        self.shown: dict[int, NDArray] = {}  # arrays that Python has seen as objects
        self.owners: dict[str, NDArray] = {}  # the array objects from Python that Refs are bound to, or to a part of
        self.returned: list[object] | None = None
        for p, a in zip(program.params, args):
            self.take(p, a)
        for name, size in program.symbols.items():
            self.frame.symbols[name] = self.frame.eval(size)
        self.check_promises()

    def take(self, p: Param, value: Any) -> None:  # any argument
        """Bind a parameter."""
        match p.kind:
            case "array":
                d = self.program.data[p.name]
                assert isinstance(d, Array)
                if value.dtype != d.dtype.numpy or value.ndim != len(d.shape):
                    raise InternalError(f"argument {p.name} is a {python_type_name(value)}, not as declared")
                self.frame.memory[p.name] = value
            case "scalar":
                assert p.dtype is not None
                self.frame.symbols[p.name] = p.dtype.numpy.type(value)
            case _:
                self.objects[p.name] = value

    def check_promises(self) -> None:
        """Guards hold, arguments have the declared shapes and strides."""
        for g in self.program.guards:
            if not self.frame.eval(g):
                raise InternalError(f"the guard {spell(g)} does not hold for this call")
        for p in self.program.params:
            d = self.program.data.get(p.name)
            if p.kind != "array" or not isinstance(d, Array):
                continue
            a = self.frame.memory[p.name]
            shape = tuple(map(self.frame.index, d.shape))
            if a.shape != shape:
                raise InternalError(f"argument {p.name} has the shape {a.shape}, declared is {shape}")
            strides = c_strides(shape) if d.strides is None else tuple(map(self.frame.index, d.strides))
            actual = tuple(s // a.itemsize for s in a.strides)
            if a.size and any(n > 1 and s != t for n, s, t in zip(shape, actual, strides)):
                raise InternalError(f"argument {p.name} has the strides {actual}, declared are {strides}")

    def is_argument(self, a: object) -> bool:
        return any(p.kind == "array" and self.frame.memory[p.name] is a for p in self.program.params)

    def itself(self, m: Memlet | Expr, view: NDArray) -> NDArray:
        """The array that a container stands for, if the memlet walks all of it as it is."""
        if not isinstance(m, Memlet):
            return view
        a = self.frame.array(m.data)
        return a if window(a) == window(view) else view
