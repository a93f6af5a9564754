"""Variants of the targets "interpreter" and "null": the program is run by the interpreter of the IR, on NumPy arrays,
without a compiler. What a device would have been told during the last call stands in the journal.
"""

from __future__ import annotations

import types
from collections.abc import Sequence
from typing import Any

import numpy as np

from soljit.ir.core.signature import StaticArg
from soljit.ir.interpret import interpreter
from soljit.ir.interpret.journal import Journal
from soljit.ir.text import codec
from soljit.runtime.values.arguments import leaf_types
from soljit.runtime.variants.link import assemble, build_code, identify, leaf_places
from soljit.runtime.variants.variant import Variant


class Interpreted:
    """A variant whose library is a program in JSON; the interface is that of `portable.Compiled`."""

    def __init__(self, v: Variant, function: types.FunctionType, names: Sequence[str]) -> None:
        self.leaves = leaf_types(v.types) + [t for _, t in v.fetched]
        self.program = codec.from_json(v.library.program)
        self.results = v.record.results
        self.journal = Journal()
        places = leaf_places(self.leaves, v.record.params)
        self.code, self.constants = build_code(v.record.structure, places, {n: k for k, n in enumerate(names)})

    def run(self, bound: tuple[object, ...], leaves: Sequence[Any]) -> Any:
        """The result, or NotImplemented if a guard does not hold."""
        arguments = [x for x, t in zip(leaves, self.leaves) if not isinstance(t, StaticArg)]
        if not interpreter.accepts(self.program, arguments):
            return NotImplemented
        self.journal = Journal()
        values = interpreter.run(self.program, arguments, self.journal)
        for k, r in enumerate(self.program.results):
            if not r.writable and r.same is None and values[k] is not None and np.asarray(values[k]).flags.writeable:
                view: Any = np.asarray(values[k]).view()
                view.flags.writeable = False
                values[k] = view
        identify(values, self.results)
        return assemble(self.code, self.constants, values, bound, leaves)
