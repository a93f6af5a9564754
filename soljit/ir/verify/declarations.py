"""Whether the parameters, symbols, guards, containers and results of a program are declared as the IR promises.

The part of `ir/verify/program.py` above the nodes.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable

from soljit.ir.core.data import Array, Data, Ref, Scalar, View
from soljit.ir.core.expr import Load, loads
from soljit.ir.core.nodes import Param, Program, Result
from soljit.ir.core.ops import INDEX
from soljit.ir.core.types import b1
from soljit.ir.text.spelling import spell
from soljit.ir.verify.values import ValueVerifier, rank
from soljit.ir.walk import descriptor_exprs

STORAGES = ("host", "register", "cuda", "shared")
RESULT_KINDS = ("array", "scalar", "python", "object")


def check_name(name: str, fault: Callable[[str], None]) -> None:
    """A container or symbol is a Python identifier."""
    if not name.isidentifier() or keyword.iskeyword(name):
        fault(f"{name!r} is no name")


class DeclarationVerifier:
    """Checks what a program declares; `values` gets the symbols that hold in all of it."""

    def __init__(self, program: Program, values: ValueVerifier, fault: Callable[[str], None]) -> None:
        self.program, self.values, self.fault = program, values, fault

    def fault_unless(self, holds: bool, text: str) -> None:
        if not holds:
            self.fault(text)

    def check(self) -> None:
        """Check all declarations; define the symbols that hold everywhere."""
        p = self.program
        for name in {**p.data, **p.symbols, **{a.name: a for a in p.params}}:
            check_name(name, self.fault)
        for name, size in p.symbols.items():
            d = p.data.get(size.data)
            if not isinstance(d, Array) or d.transient or not 0 <= size.dim < rank(d):
                self.fault(f"symbol {name} is {spell(size)}, which is no size of an argument")
            if name in p.data:
                self.fault(f"{name} is a symbol and a container")
            self.values.scope[name] = INDEX
        for a in p.params:
            self.param(a)
        for g in p.guards:
            self.values.expr(g, b1, "the guard")
            if any(isinstance(x, Load) for x in loads(g)):
                self.fault(f"the guard {spell(g)} depends on the contents of an array")
        for name, d in p.data.items():
            self.descriptor(name, d)
        for r in p.results:
            self.result(r)
        self.structure(p.structure)

    def param(self, a: Param) -> None:
        d = self.program.data.get(a.name)
        match a.kind:
            case "array":
                if not isinstance(d, Array) or d.transient or a.dtype not in (None, d.dtype):
                    self.fault(f"the array parameter {a.name} has no descriptor of an argument of its type")
            case "scalar" if a.dtype is not None:
                self.values.scope[a.name] = a.dtype
                if d is not None:
                    self.fault(f"{a.name} is a symbol and a container")
            case "object":
                pass
            case _:
                self.fault(f"parameter {a.name} is a {a.kind} of {a.dtype}")

    def descriptor(self, name: str, d: Data) -> None:
        for e in descriptor_exprs(d):
            if e.dtype != INDEX:
                self.fault(f"{name} is declared with {spell(e)} of type {e.dtype}")
        match d:
            case Array():
                if d.strides is not None and len(d.strides) != len(d.shape):
                    self.fault(f"{name} has {len(d.shape)} dimensions and {len(d.strides)} strides")
                if d.storage not in STORAGES:
                    self.fault(f"{name} has the unknown storage {d.storage}")
                if d.mirror is not None:
                    self.mirror(name, d)
                if not d.transient:
                    self.values.visible(name, d)
                    if all(a.name != name for a in self.program.params):
                        self.fault(f"{name} is declared as an argument but is no parameter")
            case View():
                if d.of not in self.program.data:
                    self.fault(f"{name} looks at {d.of}, which is not declared")
                if len(d.strides) != len(d.shape):
                    self.fault(f"{name} has {len(d.shape)} dimensions and {len(d.strides)} strides")
            case Ref():
                self.fault_unless(d.order in ("C", "F", "A"), f"{name} has the unknown order {d.order}")
                if d.mirror is not None:
                    self.mirrored_ref(name, d)
                for a in d.alias:
                    self.fault_unless(a in self.program.data, f"{name} may stand for {a}, which is not declared")
            case Scalar():
                pass

    def mirror(self, name: str, d: Array) -> None:
        """Device memory stands for a host container of the same dtype, shape and strides."""
        where = (d.dtype, d.shape, d.strides)
        match self.program.data.get(str(d.mirror)):
            case Scalar(dtype):
                alike = where == (dtype, (), None)
            case Array(dtype, shape, strides, storage="host"):
                alike = where == (dtype, shape, strides)
            case _:
                alike = False
        self.fault_unless(d.storage == "cuda" and d.transient, f"{name} mirrors {d.mirror} but is no device memory")
        self.fault_unless(alike, f"{name} mirrors {d.mirror}, which is no host memory of its dtype, shape and strides")

    def mirrored_ref(self, name: str, d: Ref) -> None:
        """An array variable of device memory stands for one of host memory."""
        of = self.program.data.get(str(d.mirror))
        alike = isinstance(of, Ref) and (of.dtype, of.ndim, of.order, of.storage) == (d.dtype, d.ndim, d.order, "host")
        self.fault_unless(d.storage == "cuda", f"{name} mirrors {d.mirror} but is no device memory")
        self.fault_unless(alike, f"{name} mirrors {d.mirror}, which is no such array variable of the host")

    def result(self, r: Result) -> None:
        self.fault_unless(r.kind in RESULT_KINDS, f"a result has the unknown kind {r.kind}")
        self.fault_unless(r.kind == "array" or r.ndim == 0, f"a {r.kind} result has {r.ndim} dimensions")
        arrays = {a.name for a in self.program.params if a.kind == "array"}
        for name in (r.base, r.same):
            self.fault_unless(name is None or name in arrays, f"a result is {name}, which is no array parameter")

    def structure(self, tree: object) -> None:
        if isinstance(tree, dict) and "leaf" in tree:
            ok = isinstance(tree["leaf"], int) and 0 <= tree["leaf"] < len(self.program.results)
            self.fault_unless(ok, f"the structure names the leaf {tree['leaf']}, which is not returned")
        elif isinstance(tree, dict) and "param" in tree:
            ok = any(a.name == tree["param"] for a in self.program.params)
            self.fault_unless(ok, f"the structure names the parameter {tree['param']}, which does not exist")
        elif isinstance(tree, dict) and "either" in tree:
            tag, trees = tree["either"]
            ok = isinstance(tag, int) and 0 <= tag < len(self.program.results)
            ok = ok and (self.program.results[tag].kind, self.program.results[tag].dtype) == ("python", INDEX)
            self.fault_unless(ok, f"the structure chooses by the leaf {tag}, which is no int that is returned")
            self.structure(trees)
        elif isinstance(tree, dict) and "const" not in tree:
            for x in tree.values():
                self.structure(x)
        elif isinstance(tree, (list, tuple)):
            for x in tree:
                self.structure(x)
