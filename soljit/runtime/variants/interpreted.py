"""Variants that run in Python instead of being a shared library: `RunInPython`, and for the targets "interpreter" and "null" `Interpreted`:
the program is run by the interpreter of the IR, on NumPy arrays, without a compiler. What a device would have been told during the last
call stands in the journal.
"""

from __future__ import annotations

import types
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from soljit.base.python.arrays import is_writable
from soljit.ir.core.signature import StaticArg
from soljit.ir.interpret import interpreter
from soljit.ir.interpret.journal import Journal
from soljit.ir.text import codec
from soljit.runtime.values.arguments import leaf_types
from soljit.runtime.variants.link import assemble, build_code, identify, leaf_places
from soljit.runtime.variants.variant import Variant
from soljit.support.unforeseen import NOT_TAKEN


class RunInPython(ABC):
    """A variant whose artifact is a text that Python runs, `v.library.program`; the interface is that of `portable.Compiled`."""

    def __init__(self, v: Variant, function: types.FunctionType, names: Sequence[str]) -> None:
        self.leaves = leaf_types(v.types) + [t for _, t in v.fetched]
        self.results = v.record.results
        self.journal = Journal()
        places = leaf_places(self.leaves, v.record.params)
        self.code, self.constants = build_code(v.record.structure, places, {n: k for k, n in enumerate(names)})

    @abstractmethod
    def accepts(self, arguments: Sequence[Any]) -> bool:
        """Do the guards hold for these arguments, one for each parameter of the program?"""

    @abstractmethod
    def values(self, arguments: Sequence[Any]) -> list[Any]:
        """The leaves of the result. What the program changes, it changes in `arguments`."""

    def run(self, bound: tuple[object, ...], leaves: Sequence[Any]) -> Any:
        """The result, or NOT_TAKEN if a guard does not hold."""
        arguments = [x for x, t in zip(leaves, self.leaves) if not isinstance(t, StaticArg)]
        if not self.accepts(arguments):
            return NOT_TAKEN
        self.journal = Journal()
        values = self.values(arguments)
        for k, r in enumerate(self.results):
            if not r.writable and r.same is None and values[k] is not None and is_writable(np.asarray(values[k])):
                view: Any = np.asarray(values[k]).view()
                view.flags.writeable = False
                values[k] = view
        identify(values, self.results)
        return assemble(self.code, self.constants, values, bound, leaves)


class Interpreted(RunInPython):
    """A program in JSON, which the interpreter of the IR runs."""

    def __init__(self, v: Variant, function: types.FunctionType, names: Sequence[str]) -> None:
        super().__init__(v, function, names)
        self.program = codec.from_json(v.library.program)

    def accepts(self, arguments: Sequence[Any]) -> bool:
        return interpreter.accepts(self.program, arguments)

    def values(self, arguments: Sequence[Any]) -> list[Any]:
        return interpreter.run(self.program, arguments, self.journal)
