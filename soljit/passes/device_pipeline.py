"""The order of the passes that end the pipeline for GPUs.

They keep loops apart and wide, make kernels of them, and then take transfers away. What comes before is in `pipeline.py`.
"""

from __future__ import annotations

from soljit.passes.device.allocate_once import allocate_once
from soljit.passes.device.cancel_transfers import cancel_transfers
from soljit.passes.device.coarsen_threads import coarsen_threads
from soljit.passes.device.drop_dead_transfers import drop_dead_transfers
from soljit.passes.device.drop_host_copies import drop_host_copies
from soljit.passes.device.give_rows_to_blocks import give_rows_to_blocks
from soljit.passes.device.hoist_transfers import hoist_transfers
from soljit.passes.device.persist_loops import persist_loops
from soljit.passes.device.place_on_device import place_on_device
from soljit.passes.device.share_scratch import share_scratch
from soljit.passes.device.split_scans import split_scans
from soljit.passes.device.split_sums import split_sums
from soljit.passes.device.wrap_elements import wrap_elements
from soljit.passes.loops.collapse_maps import collapse_maps
from soljit.passes.loops.interchange_maps import interchange_maps
from soljit.passes.loops.lift_checks import lift_checks
from soljit.passes.loops.parallelize_loops import parallelize_loops
from soljit.passes.manager import Pass, Tail
from soljit.passes.pipeline import COMMON, HOST
from soljit.passes.products.write_out_products import write_out_products
from soljit.passes.scheduling.choose_functions import choose_functions
from soljit.passes.scheduling.order_sums import order_sums
from soljit.passes.scheduling.prepare_loops import prepare_loops
from soljit.passes.scheduling.schedule_maps import schedule_maps
from soljit.passes.simplify.canonicalize import canonicalize
from soljit.passes.simplify.eliminate_dead_code import eliminate_dead_code
from soljit.passes.simplify.hoist_invariants import hoist_invariants

TRANSFERS: tuple[Pass, ...] = (
    cancel_transfers,
    hoist_transfers,
    cancel_transfers,
    drop_dead_transfers,
    eliminate_dead_code,
    drop_host_copies,
    allocate_once,
)
DEVICE = Tail(
    (
        lift_checks,
        parallelize_loops,
        collapse_maps,
        interchange_maps,
        share_scratch,
        hoist_invariants,
        persist_loops,
        write_out_products,
        split_scans,
        give_rows_to_blocks,
        share_scratch,
        split_sums,
        hoist_invariants,
        canonicalize,
        eliminate_dead_code,
        wrap_elements,
        place_on_device,
        *TRANSFERS,
        coarsen_threads,
        choose_functions,
        schedule_maps,
        order_sums,
        prepare_loops,
    ),
    {"contract_temporaries": {"registers_only": True}},
)
PASSES: tuple[Pass, ...] = tuple(dict.fromkeys((*COMMON, *HOST.passes, *DEVICE.passes)))
