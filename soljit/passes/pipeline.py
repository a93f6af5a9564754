"""The order of the passes.

SIMPLIFY makes one plain form; LOCALITY brings what belongs together into one loop and shrinks what lies between.
"""

from __future__ import annotations

from soljit.ir.nodes import Program
from soljit.passes.canonicalize import canonicalize
from soljit.passes.contract_temporaries import contract_temporaries
from soljit.passes.eliminate_dead_code import eliminate_dead_code
from soljit.passes.fuse_maps import fuse_maps
from soljit.passes.hoist_invariants import hoist_invariants
from soljit.passes.inline_producers import inline_producers
from soljit.passes.manager import Context, Pass, run
from soljit.passes.promote_scalars import promote_scalars
from soljit.passes.share_values import share_values

SIMPLIFY: tuple[Pass, ...] = (canonicalize, promote_scalars, canonicalize, eliminate_dead_code)
LOCALITY: tuple[Pass, ...] = (fuse_maps, contract_temporaries, promote_scalars)
RECOMPUTE: tuple[Pass, ...] = (inline_producers, canonicalize, share_values, eliminate_dead_code)

PIPELINE: tuple[Pass, ...] = (
    *SIMPLIFY,
    *LOCALITY,
    *RECOMPUTE,
    *LOCALITY,
    hoist_invariants,
    canonicalize,
    eliminate_dead_code,
)


def optimize(program: Program, cx: Context) -> Program:
    """The program that code is generated from."""
    return run(program, PIPELINE, cx)
