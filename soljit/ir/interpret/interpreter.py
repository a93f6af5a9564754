"""The meaning of a program, on NumPy arrays: slow, plain, and suspicious.

`run` takes one value for each parameter and returns one for each result leaf; `call` also builds the Python result.
What a wrong pass would break shows early: maps are walked backwards, private containers and fresh memory are poisoned,
every subscript is checked against its bounds, guards and declared shapes must hold. Breaking a promise of the IR raises
`InternalError`; a `Raise` node raises the user's exception.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from typing import Any, cast

import numpy as np

from soljit.base.errors import InternalError
from soljit.base.python.names import find
from soljit.ir.callbacks.repeatable import early_limits, repeatable, site_of
from soljit.ir.callbacks.templates import always_returned, as_scalar, assemble, fill, leaves, message, python_type_name
from soljit.ir.core.data import Array, Ref, Scalar
from soljit.ir.core.expr import Expr, Memlet, Sym
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
from soljit.ir.core.types import from_numpy, obj
from soljit.ir.interpret import error_states
from soljit.ir.interpret.activation import Activation
from soljit.ir.interpret.evaluate import NDArray, poisoned
from soljit.ir.interpret.journal import Journal
from soljit.ir.interpret.libraries import run_library
from soljit.ir.interpret.memory import holder, store
from soljit.ir.interpret.spaces import Spaces
from soljit.ir.text.spelling import spell
from soljit.ir.walk.spaces import is_device_call, is_kernel
from soljit.support import pending
from soljit.support.declarations import leaves_of, same_operand
from soljit.support.limits import IntTooLarge, Plainly
from soljit.support.numbers import as_python
from soljit.support.objects import is_seen_elsewhere, window
from soljit.support.unforeseen import Unforeseen


def run(program: Program, args: Sequence[object], journal: Journal | None = None) -> list[object]:
    """Interpret `program` on one value for each parameter; arrays are changed in place. The result leaves.

    journal: where launches, allocations and the like are written down
    """
    with error_states.silent():
        return _Run(program, args, program.functions, journal or Journal()).results()


def call(program: Program, args: Sequence[object]) -> object:
    """`run`, and the Python result that `Program.structure` builds of the leaves."""
    names = {p.name: a for p, a in zip(program.params, args)}
    return assemble(program.structure, run(program, args), names)


def accepts(program: Program, args: Sequence[object]) -> bool:
    """Tell whether the guards, declared shapes and strides of `program` hold for these arguments."""
    try:
        Activation(program, args, program.functions)
    except InternalError:
        return False
    return True


class _Signal(Enum):
    BREAK = "break"
    CONTINUE = "continue"
    RETURN = "return"


class _Run(Activation):
    """Executes an activation."""

    def __init__(
        self, program: Program, args: Sequence[object], functions: Mapping[str, Program], journal: Journal
    ) -> None:
        super().__init__(program, args, functions)
        self.journal, self.whole = journal, program
        self.spaces = Spaces(program, self.frame)

    def results(self) -> list[object]:
        """Execute the body; the leaves that it returned."""
        try:
            self.region(self.program.body)
        except BaseException:
            self.spaces.flush()
            raise
        if self.returned is None:
            if self.program.results:
                raise InternalError(f"{self.program.name} ended without a Return")
            return []
        return self.returned

    # --- control flow ---

    def region(self, r: Region) -> _Signal | None:
        for n in r.nodes:
            signal = self.node(n)
            if signal is not None:
                return signal
        return None

    def node(self, n: Node) -> _Signal | None:
        frame = self.frame
        match n:
            case Region():
                return self.region(n)
            case Loop():
                return self.loop(n)
            case Map():
                self.launch(n)
                return None
            case While():
                while frame.eval(n.cond):
                    signal = self.region(n.body)
                    if signal is _Signal.RETURN:
                        return signal
                    if signal is _Signal.BREAK:
                        break
                return None
            case Branch():
                return self.region(n.then if frame.eval(n.cond) else n.orelse)
            case Break():
                return _Signal.BREAK
            case Continue():
                return _Signal.CONTINUE
            case Return():
                self.returned = self.leaves_of(n)
                return _Signal.RETURN
            case Raise():
                raise self.exception(n)
            case _:
                self.leaf(n)
                self.journal.write(n, frame)
                return None

    def loop(self, n: Loop) -> _Signal | None:
        for k in self.frame.span(n.span):
            self.frame.symbols[n.var] = np.int64(k)
            signal = self.region(n.body)
            if signal is _Signal.RETURN:
                return signal
            if signal is _Signal.BREAK:
                break
        self.frame.symbols.pop(n.var, None)
        return None

    def launch(self, n: Map) -> None:
        """A map, by the device if it is a kernel."""
        self.journal.enter()
        if is_kernel(n):
            self.spaces.inside()
            self.map(n)
            self.spaces.ran(n)
        else:
            self.map(n)
        self.journal.leave(n)

    def map(self, n: Map, depth: int = 0) -> None:
        """All iterations, the last one first."""
        if depth == len(n.vars):
            self.poison(n.private)
            self.journal.run()
            if self.region(n.body) is not None:
                raise InternalError("a map is left by Break, Continue or Return")
            return
        for k in reversed(self.frame.span(n.spans[depth])):
            self.frame.symbols[n.vars[depth]] = np.int64(k)
            self.map(n, depth + 1)
        self.frame.symbols.pop(n.vars[depth], None)
        if depth == 0:
            self.poison(n.private)

    def poison(self, names: Sequence[str]) -> None:
        """Make what private containers hold unusable."""
        for name in names:
            d, memory = self.program.data[name], self.frame.memory
            if isinstance(d, Scalar):
                memory[name] = poisoned(d.dtype, ())
            elif isinstance(d, Array) and d.storage == "register":
                memory[name] = self.frame.allocate(d, zero=False)
            else:
                memory.pop(name, None)

    # --- leaves ---

    def leaf(self, n: Node) -> None:
        frame = self.frame
        match n:
            case Let():
                frame.symbols[n.name] = frame.eval(n.value)
            case Alloc():
                d = self.program.data[n.data]
                assert isinstance(d, Array)
                frame.memory[n.data] = frame.allocate(d, n.zero)
            case Bind():
                self.spaces.between()
                self.bind(n.ref, self.itself(n.source, frame.elements(n.source)), self.owners.get(n.source.data))
                self.spaces.outside()
            case Tasklet():
                value = frame.eval(n.code)
                store(frame.element(n.out), value, n.out)
            case Copy():
                self.copy(n)
            case LibraryNode():
                self.library(n)
            case Call():
                self.call(n)
            case Callback():
                self.callback(n)
            case _:
                raise InternalError(f"unknown node {n!r}")

    def library(self, n: LibraryNode) -> None:
        """A library call, by the device if its operands lie there."""
        if is_device_call(n, self.program.data):
            scale = [None if isinstance(x, Memlet) else self.operand(x) for x in n.ins]
            self.spaces.inside()
            run_library(n, [self.operand(x) if s is None else s for x, s in zip(n.ins, scale)], self.frame)
            self.spaces.ran(n)
        else:
            run_library(n, [self.operand(x) for x in n.ins], self.frame)

    def copy(self, n: Copy) -> None:
        """A copy, in one memory or between the two."""
        self.spaces.between()
        source, out = self.frame.elements(n.src), self.frame.elements(n.dst)
        if source.shape != out.shape:
            raise InternalError(f"copy of {spell(n.src)} {source.shape} to {spell(n.dst)} {out.shape}")
        store(out, source.copy(), n.dst)
        self.spaces.copied(n)

    def bind(self, name: str, a: NDArray, owner: NDArray | None) -> None:
        """Let a Ref stand for `a`, if it is what the Ref declares. owner: the object from Python whose memory that is"""
        d = self.program.data[name]
        assert isinstance(d, Ref)
        contiguous = d.order == "A" or a.flags.c_contiguous if d.order != "F" else a.flags.f_contiguous
        if a.dtype != d.dtype.numpy or a.ndim != d.ndim or not contiguous:
            raise InternalError(f"{name} cannot be bound to a {python_type_name(a)} with strides {a.strides}")
        self.frame.memory[name] = a
        if owner is None:
            self.owners.pop(name, None)
        else:
            self.owners[name] = owner

    def operand(self, x: Expr | Memlet) -> Any:  # NumPy arrays and scalars
        if isinstance(x, Sym) and x.name in self.objects:
            return self.objects[x.name]
        return self.frame.elements(x) if isinstance(x, Memlet) else self.frame.eval(x)

    def given(self, x: Expr | Memlet) -> Any:  # what Python sees of an operand
        """An operand of a callback: the object itself if it is one."""
        value = self.operand(x)
        if isinstance(value, np.ndarray):
            if value.dtype == object:
                return value[()]
            seen = self.itself(x, value)
            self.shown[id(seen)] = seen
            return seen
        return value

    def call(self, n: Call) -> None:
        function = self.functions[n.function]
        pairs = zip(function.params, n.ins)
        given = [self.given(x) if p.kind == "object" else self.operand(x) for p, x in pairs]
        run = _Run(function, given, self.functions, self.journal)
        run.whole = self.whole
        results = run.results()
        self.receive(n.outs, results, run.shown)

    def callback(self, n: Callback) -> None:
        operands = [self.given(x) for x in n.ins]
        guarded = pending.parse(n.target)
        if guarded is not None:
            self.guarded_callback(n, guarded)
            return
        self.callback_of(n, self.target(n.target), operands)

    def guarded_callback(self, n: Callback, guarded: pending.Guarded) -> None:
        """A call whose last result is the status of `support/pending.py`."""
        operands = [self.given(x) for x in n.ins]
        *outs, status = n.outs
        answer = 0
        try:
            self.callback_of(replace(n, outs=tuple(outs)), guarded.around(self.target(guarded.function)), operands)
        except pending.Diverted as e:
            answer = e.status
        store(self.frame.element(Memlet(status)), np.int64(answer), Memlet(status))

    def callback_of(self, n: Callback, target: Callable[..., Any], operands: list[Any]) -> None:
        """Call `target` and take its results."""
        with error_states.as_wanted():
            result = target(*fill(list(n.args), operands), **{k: fill(v, operands) for k, v in n.kwargs.items()})
        try:
            if n.result is None:
                self.receive(n.outs, list(leaves(result)) if n.outs else [])
            elif not same_operand(n.result, result, operands):
                self.receive(n.outs, leaves_of(n.result, result))
        except (IntTooLarge, Unforeseen) as e:
            again = site_of(n) in repeatable(self.program)
            raise e.at(n.loc, again) if isinstance(e, IntTooLarge) else e.at(site_of(n), again, result) from None

    def target(self, name: str) -> Callable[..., Any]:  # any callable
        """What `numpy.sort`, `param:rng` or `param:rng.random` name."""
        if not name.startswith("param:"):
            return cast("Callable[..., Any]", find(name))
        param, *attributes = name[6:].split(".")
        return cast("Callable[..., Any]", functools.reduce(getattr, attributes, self.objects[param]))

    def receive(self, outs: tuple[str, ...], values: list[Any], shown: dict[int, NDArray] | None = None) -> None:
        """Give results to the Scalars and Refs that take them. shown: which arrays Python knows as objects (None: all)"""
        if len(outs) != len(values):
            raise Unforeseen(f"{len(outs)} results were expected, not {len(values)}")
        for name, value in zip(outs, values):
            if not name:
                continue
            d = self.program.data[name]
            if not isinstance(d, Ref):
                store(self.frame.element(Memlet(name)), as_scalar(value, d.dtype), Memlet(name))
                continue
            if d.dtype is obj:
                self.frame.memory[name] = holder(value)
                continue
            a = np.asarray(value)
            if a.dtype != d.dtype.numpy or a.ndim != d.ndim:
                expected = f"{d.ndim}-dimensional array of {d.dtype.numpy}"
                raise Unforeseen(f"a result is a {python_type_name(value)}, expected was a {expected}")
            ordered = d.order == "A" or (a.flags.f_contiguous if d.order == "F" else a.flags.c_contiguous)
            if not ordered and (d.ndim > 1 or is_seen_elsewhere(a)):
                raise Unforeseen(f"a result is an array in another memory order than {d.order}")
            a = a if ordered else np.asarray(a, order="F" if d.order == "F" else "C")
            self.bind(name, a, a if shown is None or id(a) in shown else None)

    # --- the way out ---

    def exception(self, n: Raise) -> BaseException:
        """The Python exception of a Raise, or what asks for plain Python."""
        cls: Callable[..., BaseException] = find(n.exception)
        error = cls() if n.message is None else cls(message(n.message, [self.frame.eval(e) for e in n.operands]))
        return Plainly(error, n.loc) if id(n) in early_limits(self.whole) else error

    def leaves_of(self, n: Return) -> list[object]:
        """The returned values as Python sees them."""
        given = dict(n.numbered())
        if len(given) != len(n.values) or always_returned(
            self.program.structure, [r.itself for r in self.program.results]
        ) - set(given):
            raise InternalError(f"{len(n.values)} values are returned for {len(self.program.results)} results")
        taken: set[int] = set()
        return [self.result(r, given[k], taken) if k in given else r.absent for k, r in enumerate(self.program.results)]

    def result(self, r: Result, v: Expr | Memlet, taken: set[int]) -> object:
        """What a leaf is. taken: the objects from Python that earlier leaves are"""
        value = self.operand(v)
        if r.kind == "object":
            return value[()]
        if from_numpy(value.dtype) is not r.dtype or value.ndim != r.ndim:
            raise InternalError(f"{spell(v)}, a {value.ndim}-dimensional {value.dtype}, is returned as {r}")
        if r.same is not None:
            return self.frame.memory[r.same]
        if isinstance(value, np.ndarray) and isinstance(v, Memlet) and r.writable:
            owner = self.owners.get(v.data)
            if owner is not None and id(owner) not in taken and window(owner) == window(value):
                taken.add(id(owner))
                self.shown[id(owner)] = owner
                return owner
            seen = self.itself(v, value)
            if owner is None and id(seen) in self.shown.keys() - taken and not self.is_argument(seen):
                taken.add(id(seen))
                return seen  # an argument itself would be `same`
        return value if r.kind == "array" else as_python(value) if r.kind == "python" else value[()]
