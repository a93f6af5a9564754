"""A toy target: programs as the text of Python functions over NumPy scalars and arrays, run by `exec`.

It spells what stands in the program after the passes of a processor with threads and vectors, one statement after the other, and decides nothing:
it knows no analysis, asks nothing about schedules, and looks at no node but the one that it spells.
"""

from __future__ import annotations

import json
import types
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from soljit.base.errors import UnsupportedError
from soljit.base.place import NOWHERE
from soljit.base.python.names import find
from soljit.codegen.source import Source
from soljit.ir.callbacks.repeatable import early_limits
from soljit.ir.callbacks.templates import as_scalar, fill, leaves, message
from soljit.ir.core.data import Array, Ref, Scalar, View
from soljit.ir.core.expr import Cast, Const, Expr, Extent, Load, Memlet, Op, Range, Stride, Sym
from soljit.ir.core.nodes import (
    Alloc,
    Bind,
    Branch,
    Break,
    Call,
    Callback,
    Continue,
    Copy,
    Let,
    LibraryNode,
    Loop,
    Map,
    Node,
    Program,
    Raise,
    Region,
    Result,
    Return,
    Tasklet,
    While,
)
from soljit.ir.core.ops import OPS
from soljit.ir.core.types import BY_NAME, obj
from soljit.ir.interpret.error_states import as_wanted, silent
from soljit.ir.interpret.evaluate import convert, viewed
from soljit.ir.interpret.libraries import run_library
from soljit.ir.interpret.memory import COMBINE, holder
from soljit.passes.pipeline import HOST
from soljit.runtime.variants.interpreted import RunInPython
from soljit.runtime.variants.variant import Variant
from soljit.support.declarations import leaves_of
from soljit.support.limits import IntTooLarge, Plainly
from soljit.support.numbers import as_python
from soljit.support.objects import window
from soljit.support.pending import parse
from soljit.targets import in_python
from soljit.targets.target import Target

# --- emit -------------------------------------------------------------------------------------------------------------


def emit(program: Program, *, fp: str, features: None) -> Source:
    """The program as the text of a Python module, in JSON."""
    constants: dict[Const, str] = {}
    functions = {"main": program, **{f"call_{name}": f for name, f in program.functions.items()}}
    limits = early_limits(program)
    parts = ["\n".join(_Writer(f, limits, constants).function(name)) for name, f in functions.items()]
    known = [f"{name} = {_constant(c)}" for c, name in constants.items()]
    return Source(json.dumps("\n".join((*known, *parts))))


def _constant(c: Const) -> str:
    v = c.value
    text = f"complex(float('{v.real!r}'), float('{v.imag!r}'))" if isinstance(v, complex) else repr(v)
    return f"{c.dtype.name}({f'float({text!r})' if isinstance(v, float) else text})"


class _Writer:
    """Spells one program."""

    def __init__(self, program: Program, limits: Any, constants: dict[Const, str]) -> None:
        self.program, self.limits, self.constants = program, limits, constants

    def function(self, name: str) -> list[str]:
        """A function that runs it, and for the guards one that tests them."""
        p = self.program
        given = ", ".join(f"{'d' if x.kind == 'array' else 's'}_{x.name}" for x in p.params)
        head = [f"    s_{x.name} = {x.dtype.name}(s_{x.name})" for x in p.params if x.kind == "scalar" and x.dtype]
        head += [f"    s_{name} = {self.expr(size)}" for name, size in p.symbols.items()]
        tests = " and ".join(["True", *(self.expr(g) for g in p.guards)])
        own = [f"    d_{name} = {self.declared(d)}" for name, d in p.data.items() if self.is_own(d)]
        body = [*own, *("    " + line for line in self.region(p.body))]
        accepts = [f"def {name}_accepts({given}):", *head, f"    return {tests}"]
        return [*accepts, f"def {name}({given}):", *head, *body, "    return []"]

    def is_own(self, d: object) -> bool:
        return isinstance(d, (Scalar, Ref)) or (isinstance(d, Array) and d.storage == "register")

    def declared(self, d: object) -> str:
        """What stands for a container at the beginning."""
        if isinstance(d, Scalar):
            return f"np.zeros((), {d.dtype.name})"
        return self.memory(d) if isinstance(d, Array) else "None"

    def memory(self, d: Array) -> str:
        strides = "None" if d.strides is None else self.tuple(d.strides)
        return f"allocate({d.dtype.name}, {self.tuple(d.shape)}, {strides})"

    # --- statements ---

    def region(self, r: Region) -> list[str]:
        return [line for n in r.nodes for line in self.node(n)] or ["pass"]

    def block(self, head: str, r: Region) -> list[str]:
        return [f"{head}:", *("    " + line for line in self.region(r))]

    def node(self, n: Node) -> list[str]:
        match n:
            case Region():
                return self.region(n)
            case Loop():
                return self.block(f"for s_{n.var} in {self.span(n.span)}", n.body)
            case Map():
                lines = self.region(n.body)
                for v, s in reversed([*zip(n.vars, n.spans)]):
                    lines = [f"for s_{v} in {self.span(s)}:", *("    " + line for line in lines)]
                return lines
            case While():
                return self.block(f"while {self.expr(n.cond)}", n.body)
            case Branch():
                return [*self.block(f"if {self.expr(n.cond)}", n.then), *self.block("else", n.orelse)]
            case Break():
                return ["break"]
            case Continue():
                return ["continue"]
            case Raise():
                operands = ", ".join(map(self.expr, n.operands))
                return [f"raise failure({n.exception!r}, {n.message!r}, [{operands}], {id(n) in self.limits})"]
            case Return():
                given = dict(n.numbered())
                numbered = enumerate(self.program.results)
                return [f"return [{', '.join(self.leaf(r, given[k]) if k in given else '0' for k, r in numbered)}]"]
            case Let():
                return [f"s_{n.name} = {self.expr(n.value)}"]
            case Alloc():
                d = self.program.data[n.data]
                assert isinstance(d, Array)
                return [f"d_{n.data} = {self.memory(d)}"]
            case Bind():
                return [f"d_{n.ref} = whole({self.array(n.source.data)}, {self.operand(n.source)})"]
            case Tasklet():
                return [self.store(n.out, self.element(n.out), self.expr(n.code))]
            case Copy():
                return [self.store(n.dst, f"{self.operand(n.dst)}[...]", f"{self.operand(n.src)}.copy()")]
            case LibraryNode():
                outs, ins = (f"[{', '.join(map(self.operand, xs))}]" for xs in (n.outs, n.ins))
                return [f"library({n.op!r}, {outs}, {ins}, {dict(n.attrs)!r})"]
            case Call() | Callback():
                return [self.call(n), *self.receive(n.outs)]
            case _:
                raise NotImplementedError(type(n).__name__)

    def call(self, n: Call | Callback) -> str:
        """Another function of the program, or one of Python's."""
        operands = ", ".join(map(self.given, n.ins))
        if isinstance(n, Call):
            return f"results = call_{n.function}({operands})"
        if parse(n.target) is not None:
            raise UnsupportedError("this target handles no exceptions of calls", n.loc)
        own, _, rest = n.target.partition(".")
        target = f"s_{own[6:]}{'.' if rest else ''}{rest}" if own.startswith("param:") else f"find({n.target!r})"
        said = f"{[*n.args]!r}, {dict(n.kwargs)!r}, {n.result!r}, {len(n.outs)}"
        return f"results = call_python({target}, [{operands}], {said})"

    def store(self, m: Memlet, place: str, value: str) -> str:
        return f"{place} = {value}" if m.wcr is None else f"{place} = combine_{m.wcr}({place}, {value})"

    def receive(self, outs: Sequence[str]) -> list[str]:
        """Scalars and array variables get results."""
        lines = []
        for k, name in enumerate(outs):
            d = self.program.data.get(name)
            if isinstance(d, Ref):
                taken = f"holder(results[{k}])" if d.dtype is obj else f"np.asarray(results[{k}])"
                lines.append(f"d_{name} = {taken}")
            elif d is not None:
                lines.append(f"d_{name}[()] = as_scalar(results[{k}], dtypes[{d.dtype.name!r}])")
        return lines

    def leaf(self, r: Result, v: Expr | Memlet) -> str:
        """A leaf of the result."""
        if r.same is not None:
            return f"d_{r.same}"
        if r.kind == "python":
            return f"as_python({self.operand(v)})"
        if isinstance(v, Memlet) and r.kind == "array":
            return f"whole({self.array(v.data)}, {self.operand(v)})"
        return f"{self.operand(v)}[()]"

    # --- values ---

    def expr(self, e: Expr) -> str:
        match e:
            case Const():
                return self.constants.setdefault(e, f"k{len(self.constants)}")
            case Sym():
                return f"s_{e.name}"
            case Load():
                return self.element(e.memlet)
            case Cast():
                return f"convert({self.expr(e.arg)}, dtypes[{e.dtype.name!r}])"
            case Extent():
                return f"extent({self.array(e.data)}, {e.dim})"
            case Stride():
                return f"stride({self.array(e.data)}, {e.dim})"
            case Op(name="select", args=(test, yes, no)):
                return f"({self.expr(yes)} if {self.expr(test)} else {self.expr(no)})"
            case Op(name="land" | "lor", args=(a, b)):
                return f"np.bool_({self.expr(a)} {e.name[1:]} {self.expr(b)})"
            case Op():
                return f"op_{e.name}({', '.join(map(self.expr, e.args))})"
            case _:
                raise NotImplementedError(type(e).__name__)

    def tuple(self, es: Sequence[Expr]) -> str:
        return f"({''.join(f'int({self.expr(e)}), ' for e in es)})"

    def span(self, r: Range) -> str:
        return f"span({self.expr(r.start)}, {self.expr(r.stop)}, {self.expr(r.step)})"

    def array(self, name: str) -> str:
        """What a container stands for now."""
        d = self.program.data[name]
        if not isinstance(d, View):
            return f"d_{name}"
        where = f"int({self.expr(d.offset)}), {self.tuple(d.shape)}, {self.tuple(d.strides)}"
        return f"viewed({self.array(d.of)}, dtypes[{d.dtype.name!r}], {where})"

    def element(self, m: Memlet) -> str:
        subscripts = "".join(f"{self.expr(s)}, " for s in m.subset if isinstance(s, Expr))
        return f"{self.array(m.data)}[{subscripts or '()'}]"

    def operand(self, x: Expr | Memlet) -> str:
        if isinstance(x, Expr):
            return self.expr(x)
        subscripts = "".join(f"{self.span(s) if isinstance(s, Range) else self.expr(s)}, " for s in x.subset)
        return f"part({self.array(x.data)}, ({subscripts}), {x.axes!r})"

    def given(self, x: Expr | Memlet) -> str:
        """What Python and other functions are given of an operand."""
        return f"given({self.array(x.data)}, {self.operand(x)})" if isinstance(x, Memlet) else self.expr(x)


# --- what the text calls ----------------------------------------------------------------------------------------------


def allocate(t: type, shape: tuple[int, ...], strides: tuple[int, ...] | None) -> Any:
    """Memory full of zeros."""
    if strides is None:
        return np.zeros(shape, t)
    steps = [(n - 1) * s for n, s in zip(shape, strides)] if 0 not in shape else []
    first = -sum(k for k in steps if k < 0)
    flat = np.zeros(1 + first + sum(k for k in steps if k > 0), t)
    return viewed(flat, BY_NAME[next(k for k, x in BY_NAME.items() if x.numpy == flat.dtype)], first, shape, strides)


class span:  # noqa: N801
    """The numbers of a range, one after the other."""

    def __init__(self, start: Any, stop: Any, step: Any) -> None:
        self.range = range(int(start), int(stop), int(step))

    def __iter__(self) -> Iterator[np.int64]:
        return map(np.int64, self.range)

    @property
    def slice(self) -> slice:
        r = self.range
        stop = r[-1] + (1 if r.step > 0 else -1) if r else 0
        return slice(r[0], stop if stop >= 0 else None, r.step) if r else slice(0, 0)


def part(a: Any, subset: tuple[Any, ...], axes: tuple[int, ...] | None) -> Any:
    """What a memlet walks."""
    walked = a[tuple(s.slice if isinstance(s, span) else s for s in subset) + (...,)]
    if axes is None:
        return walked
    ranged = [k for k, s in enumerate(subset) if isinstance(s, span)]
    order = [ranged.index(k) for k in axes if k >= 0]
    return walked.transpose(order)[tuple(None if k < 0 else slice(None) for k in axes)]


def whole(a: Any, view: Any) -> Any:
    """The array itself, if all of it is walked as it is."""
    return a if window(a) == window(view) else view


def given(a: Any, view: Any) -> Any:
    return view[()] if view.dtype == object or not view.ndim else whole(a, view)


def extent(a: Any, dim: int) -> np.int64:
    return np.int64(0 if a is None else a.shape[dim])


def stride(a: Any, dim: int) -> np.int64:
    return np.int64(0 if a is None else a.strides[dim] // a.itemsize)


def failure(name: str, template: str | None, operands: list[Any], again: bool) -> BaseException:
    cls: Any = find(name)
    error = cls() if template is None else cls(message(template, operands))
    return Plainly(error, NOWHERE) if again else error


def library(op: str, outs: list[Any], ins: list[Any], attrs: dict[str, Any]) -> None:
    run_library(LibraryNode(op, tuple(outs), tuple(ins), attrs), ins, types.SimpleNamespace(elements=lambda a: a))  # type: ignore[arg-type]


def call_python(target: Any, operands: list[Any], args: list[Any], kwargs: Any, declared: Any, count: int) -> list[Any]:
    with as_wanted():
        result = target(*fill(args, operands), **{k: fill(v, operands) for k, v in kwargs.items()})
    try:
        found = list(leaves_of(declared, result)) if declared is not None else list(leaves(result)) if count else []
    except IntTooLarge as e:
        raise e.at(NOWHERE, False) from None
    return found


NAMES = {name: t.numpy.type for name, t in BY_NAME.items()} | {"dtypes": BY_NAME, "np": np}
NAMES |= {f"op_{name}": row.evaluate for name, row in OPS.items()}
NAMES |= {f"combine_{name}": f for name, f in COMBINE.items()}
HELPERS = (allocate, span, part, whole, given, extent, stride, failure, library, call_python)
HELPERS += (find, as_python, as_scalar, convert, holder, viewed)


class PythonText(RunInPython):
    """A variant whose text is a Python module."""

    def __init__(self, v: Variant, function: types.FunctionType, names: Sequence[str]) -> None:
        super().__init__(v, function, names)
        self.module: dict[str, Any] = {**NAMES, **{f.__name__: f for f in HELPERS}}
        exec(compile(json.loads(v.library.program), f"<{v.record.name}>", "exec"), self.module)

    def accepts(self, arguments: Sequence[Any]) -> bool:
        with silent():
            return bool(self.module["main_accepts"](*arguments))

    def values(self, arguments: Sequence[Any]) -> list[Any]:
        with silent():
            return list(self.module["main"](*arguments))


TARGET = Target("python_text", in_python.any_machine, HOST, in_python.no_features, emit, in_python.keep, PythonText)
