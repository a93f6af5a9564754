"""The order of the passes.

SIMPLIFY makes one plain form; LOOPS finds what is independent and orders it as memory lies; RECOMPUTE makes
one loop of a chain of elementwise statements and stencils. COMMON is what all targets share; the tail of the target follows
(`targets/target.py`). HOST is for processors: LOCALITY brings what belongs together under common outer loops and shrinks what lies between,
schedule_maps decides about threads and vectors, order_sums and prepare_loops about what its loops do besides. The tail for GPUs is
in `device_pipeline.py`.
"""

from __future__ import annotations

from soljit.ir.core.nodes import Program
from soljit.passes.fusion.contract_temporaries import contract_temporaries
from soljit.passes.fusion.fuse_maps import fuse_equal_maps, fuse_maps
from soljit.passes.fusion.inline_producers import inline_producers
from soljit.passes.fusion.inline_selections import inline_selections
from soljit.passes.lists.unbox_lists import unbox_lists
from soljit.passes.loops.collapse_maps import collapse_maps
from soljit.passes.loops.gather_marks import gather_marks
from soljit.passes.loops.interchange_maps import interchange_maps
from soljit.passes.loops.move_loops_inward import move_loops_inward
from soljit.passes.loops.parallelize_loops import parallelize_loops
from soljit.passes.loops.split_maps import split_maps
from soljit.passes.loops.tabulate_functions import tabulate_functions
from soljit.passes.manager import Context, Pass, Tail, run
from soljit.passes.products.batch_products import batch_products
from soljit.passes.products.expand_products import expand_products
from soljit.passes.products.recognize_products import recognize_products
from soljit.passes.products.store_products import store_products
from soljit.passes.scheduling.choose_functions import choose_functions
from soljit.passes.scheduling.order_sums import order_sums
from soljit.passes.scheduling.prepare_loops import prepare_loops
from soljit.passes.scheduling.privatize_sums import privatize_sums
from soljit.passes.scheduling.schedule_maps import schedule_maps
from soljit.passes.scheduling.tile_maps import tile_maps
from soljit.passes.simplify.canonicalize import canonicalize
from soljit.passes.simplify.drop_overflow_checks import drop_overflow_checks
from soljit.passes.simplify.eliminate_dead_code import eliminate_dead_code
from soljit.passes.simplify.hoist_invariants import hoist_invariants
from soljit.passes.simplify.promote_scalars import promote_scalars
from soljit.passes.simplify.resolve_refs import resolve_refs
from soljit.passes.simplify.share_maps import share_maps
from soljit.passes.simplify.share_values import share_values

SIMPLIFY: tuple[Pass, ...] = (
    unbox_lists,
    canonicalize,
    resolve_refs,
    promote_scalars,
    canonicalize,
    eliminate_dead_code,
)
SELECT: tuple[Pass, ...] = (share_maps, share_values, canonicalize, inline_selections, eliminate_dead_code)
LOOPS: tuple[Pass, ...] = (parallelize_loops, collapse_maps, interchange_maps)
RECOMPUTE: tuple[Pass, ...] = (
    fuse_equal_maps,
    contract_temporaries,
    promote_scalars,
    inline_producers,
    canonicalize,
    share_values,
    eliminate_dead_code,
)
LOCALITY: tuple[Pass, ...] = (move_loops_inward, fuse_maps, contract_temporaries, promote_scalars)

COMMON: tuple[Pass, ...] = (
    *SIMPLIFY,
    *SELECT,
    batch_products,
    expand_products,
    promote_scalars,
    drop_overflow_checks,
    gather_marks,
    *LOOPS,
    recognize_products,
    store_products,
    *RECOMPUTE,
)
HOST = Tail(
    (
        *LOCALITY,
        parallelize_loops,
        collapse_maps,
        split_maps,
        interchange_maps,
        tile_maps,
        tabulate_functions,
        hoist_invariants,
        canonicalize,
        eliminate_dead_code,
        privatize_sums,
        choose_functions,
        schedule_maps,
        order_sums,
        prepare_loops,
    )
)


def tail(name: str) -> Tail:
    """The tail of this name: "host" or "device", whose passes are imported only if they are wanted."""
    if name == "host":
        return HOST
    from soljit.passes.device_pipeline import DEVICE

    return DEVICE


def optimize(program: Program, cx: Context) -> Program:
    """The program that code is generated from: the common passes, then the tail that the context names."""
    last = tail(cx.tail) if isinstance(cx.tail, str) else cx.tail
    cx.options = {**last.options, **cx.options}
    return run(program, (*COMMON, *last.passes), cx)
