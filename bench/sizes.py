"""Programs as the compiler has them, with the values that their sizes have in one call: for counting what a call takes without running it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from soljit.analysis.memory.accesses import Access, names_written
from soljit.base.settings import Settings
from soljit.driver import compile_function
from soljit.ir.core.data import Array
from soljit.ir.core.expr import Expr, Load, Range, subexpressions, symbols
from soljit.ir.core.nodes import Program
from soljit.ir.core.signature import StaticArg
from soljit.ir.core.types import DType, i64
from soljit.ir.interpret.activation import Activation
from soljit.ir.text.parser import from_text
from soljit.runtime.store.cache import open_cache
from soljit.runtime.values.arguments import describe, leaf_types

GUESS = 16  # turns of a loop whose length only the data tell


def program_of(function: Any, arguments: list[Any], settings: Settings) -> tuple[Program, list[Any]]:
    """The optimized program for a call, and the values of its parameters."""
    code = function.__code__
    call = describe(tuple(arguments), code.co_varnames[: code.co_argcount])
    cache = open_cache(settings)
    record = compile_function(function, call.types, call.leaves, settings, cache).built()
    given = [x for x, t in zip(call.leaves, leaf_types(call.types)) if not isinstance(t, StaticArg)]
    return from_text(cache.text(dict(record.texts)["ir"])), given


class Sizes:
    """Values of sizes, and of other numbers that are known. `guesses` gets what had to be guessed."""

    def __init__(self, program: Program, arguments: list[Any], guesses: list[str]) -> None:
        self.data, self.guesses = program.data, guesses
        self.frame = Activation(program, arguments, program.functions).frame
        self.constant = {p.name for p in program.params} - names_written(program.body)

    def number(self, e: Expr, otherwise: float, what: str) -> float:
        """The value; `otherwise`, noted as a guess, if only the run tells."""
        found = self.known(e)
        if found is None and what not in self.guesses:
            self.guesses.append(what)
        return otherwise if found is None else found

    def known(self, e: Expr) -> float | None:
        """The value; elements of arguments are known if nothing writes them. None if only the run tells."""
        try:
            if all(x.memlet.data in self.constant for x in subexpressions(e) if isinstance(x, Load)):
                return float(self.frame.eval(e))
        except Exception:  # noqa: BLE001 (what is missing has many names)
            pass
        return None

    def define(self, name: str, value: float | None, dtype: DType = i64) -> None:
        """A symbol has this value from now on; None: one that only the run tells."""
        if value is None:
            self.frame.symbols.pop(name, None)
        else:
            self.frame.symbols[name] = dtype.numpy.type(int(value) if dtype.is_int else value)

    def turns(self, span: Range) -> tuple[float, float, float]:
        """Where a loop starts, its step, and how many turns it takes."""
        start = self.number(span.start, 0, "a bound of a loop")
        stop = self.number(span.stop, start + GUESS, "a bound of a loop")
        step = self.number(span.step, 1, "a step of a loop")
        return start, step, max(0.0, -(-(stop - start) // step))

    def bytes_of(self, name: str) -> float:
        """Of all of a container."""
        d = self.data[name]
        size = float(d.dtype.size)
        for length in d.shape if isinstance(d, Array) else ():
            size *= self.number(length, GUESS, f"the size of {name}")
        return size

    def touch(
        self,
        moved: dict[tuple[str, bool], float],
        a: Access,
        turns: Mapping[str, float],
        enter: Callable[[str, Range], float],
    ) -> None:
        """Add the bytes that an access in a nest touches: an element for each turn of the loops in its subscripts, and not more than there are."""
        d = self.data.get(a.data)
        if not isinstance(d, Array):
            return
        inner = dict(turns)
        for var, span in a.loops:
            if var not in inner:
                inner[var] = enter(var, span)
        touched = float(d.dtype.size)
        for var in {s for e in a.subset for s in _names(e)} & inner.keys():
            touched *= inner[var]
        key = (a.data, a.write)
        moved[key] = max(moved.get(key, 0.0), min(touched, self.bytes_of(a.data)))


def _names(e: Expr | Range) -> set[str]:
    if isinstance(e, Range):
        return symbols(e.start) | symbols(e.stop) | symbols(e.step)
    return set(symbols(e))
