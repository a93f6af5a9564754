"""The order of the passes.

SIMPLIFY makes one plain form; LOOPS finds what is independent and orders it as memory lies; RECOMPUTE makes
one loop of a chain of elementwise statements and stencils. COMMON is what all targets share; the tail of the target follows
(`targets/target.py`). AGAIN and the first part of the tail run again as long as steps of a schedule are left that come
behind those that were taken. HOST is for processors: lay_out_arrays stores local arrays as loops walk them, LOCALITY brings what belongs together under common outer loops and shrinks what lies
between, mirror_maps overwrites from both ends, delay_loops and jam_loops run loops over rows in blocks, skew_loops loops over time, stream_rows runs statements a few rows at a time,
strip_maps lets columns go through loops together, share_reads lets sums read arrays together, peel_ends takes conditions out of long loops, hold_sums keeps
short rows of sums in registers, schedule_maps decides about threads and vectors, interleave_loops runs rows of recurrences side by side,
compute_ahead runs by vectors what loops in order can have earlier, order_sums and prepare_loops decide what loops do besides. DEVICE is for GPUs: it keeps
loops apart and wide, makes kernels of them, and then takes transfers away.
"""

from __future__ import annotations

from soljit.ir.core.nodes import Program
from soljit.passes.device.allocate_once import allocate_once
from soljit.passes.device.coarsen_threads import coarsen_threads
from soljit.passes.device.give_rows_to_blocks import give_rows_to_blocks
from soljit.passes.device.persist_loops import persist_loops
from soljit.passes.device.place_on_device import place_on_device
from soljit.passes.device.share_scratch import share_scratch
from soljit.passes.device.split_folds import split_folds
from soljit.passes.device.split_scans import split_scans
from soljit.passes.device.split_sums import split_sums
from soljit.passes.device.widen_triangles import widen_triangles
from soljit.passes.device.wrap_elements import wrap_elements
from soljit.passes.fusion.contract_temporaries import contract_temporaries
from soljit.passes.fusion.fuse_maps import fuse_equal_maps, fuse_maps
from soljit.passes.fusion.inline_producers import inline_producers
from soljit.passes.fusion.inline_selections import inline_selections
from soljit.passes.lists.unbox_lists import unbox_lists
from soljit.passes.loops.check_arrays import check_arrays
from soljit.passes.loops.collapse_maps import collapse_maps
from soljit.passes.loops.compare_remainders import compare_remainders
from soljit.passes.loops.gather_extremes import gather_extremes
from soljit.passes.loops.gather_marks import gather_marks
from soljit.passes.loops.hoist_checks import hoist_checks
from soljit.passes.loops.interchange_maps import interchange_maps
from soljit.passes.loops.lay_out_arrays import lay_out_arrays
from soljit.passes.loops.lift_checks import lift_checks
from soljit.passes.loops.mirror_maps import mirror_maps
from soljit.passes.loops.move_loops_inward import move_loops_inward
from soljit.passes.loops.parallelize_loops import parallelize_loops
from soljit.passes.loops.peel_ends import peel_ends
from soljit.passes.loops.push_reductions import push_reductions
from soljit.passes.loops.sink_last_values import sink_last_values
from soljit.passes.loops.split_maps import split_maps
from soljit.passes.loops.tabulate_bits import tabulate_bits
from soljit.passes.loops.tabulate_functions import tabulate_functions
from soljit.passes.manager import Context, Pass, Tail, run
from soljit.passes.products.batch_products import batch_products
from soljit.passes.products.expand_products import expand_products
from soljit.passes.products.recognize_products import recognize_products
from soljit.passes.products.store_products import store_products
from soljit.passes.products.write_out_products import write_out_products
from soljit.passes.reordering.choose_stores import choose_stores
from soljit.passes.reordering.choose_values import choose_values
from soljit.passes.reordering.delay_loops import delay_loops
from soljit.passes.reordering.hold_sums import hold_sums
from soljit.passes.reordering.interleave_loops import interleave_loops
from soljit.passes.reordering.jam_loops import jam_loops
from soljit.passes.reordering.share_reads import share_reads
from soljit.passes.reordering.skew_loops import skew_loops
from soljit.passes.reordering.stream_rows import stream_rows
from soljit.passes.reordering.strip_maps import strip_maps
from soljit.passes.scheduling.choose_functions import choose_functions
from soljit.passes.scheduling.compute_ahead import compute_ahead
from soljit.passes.scheduling.order_sums import order_sums
from soljit.passes.scheduling.prepare_loops import prepare_loops
from soljit.passes.scheduling.privatize_sums import privatize_sums
from soljit.passes.scheduling.schedule_maps import schedule_maps
from soljit.passes.scheduling.tile_maps import tile_maps
from soljit.passes.simplify.canonicalize import canonicalize
from soljit.passes.simplify.drop_overflow_checks import drop_overflow_checks
from soljit.passes.simplify.eliminate_dead_code import eliminate_dead_code
from soljit.passes.simplify.forward_stores import forward_stores
from soljit.passes.simplify.hoist_invariants import hoist_invariants
from soljit.passes.simplify.narrow_scalars import narrow_scalars
from soljit.passes.simplify.promote_scalars import promote_scalars
from soljit.passes.simplify.resolve_refs import resolve_refs
from soljit.passes.simplify.share_maps import share_maps
from soljit.passes.simplify.share_values import share_values
from soljit.passes.simplify.unbox_instances import unbox_instances
from soljit.passes.transfers.cancel_transfers import cancel_transfers
from soljit.passes.transfers.drop_dead_transfers import drop_dead_transfers
from soljit.passes.transfers.drop_host_copies import drop_host_copies
from soljit.passes.transfers.hoist_transfers import hoist_transfers

SIMPLIFY: tuple[Pass, ...] = (
    unbox_instances,
    unbox_lists,
    canonicalize,
    resolve_refs,
    sink_last_values,
    promote_scalars,
    canonicalize,
    narrow_scalars,
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
    gather_extremes,
    gather_marks,
    hoist_checks,
    *LOOPS,
    recognize_products,
    store_products,
    *RECOMPUTE,
)
AGAIN: tuple[Pass, ...] = (
    expand_products,
    promote_scalars,
    *LOOPS,
    recognize_products,
    store_products,
    *RECOMPUTE,
)
HOST = Tail(
    (
        lay_out_arrays,
        *LOCALITY,
        parallelize_loops,
        collapse_maps,
        split_maps,
        interchange_maps,
        tile_maps,
        push_reductions,
        tabulate_functions,
        tabulate_bits,
        hoist_invariants,
        canonicalize,
        eliminate_dead_code,
        check_arrays,
        mirror_maps,
        compare_remainders,
        forward_stores,
        delay_loops,
        jam_loops,
        skew_loops,
        stream_rows,
        strip_maps,
        share_reads,
        peel_ends,
        hold_sums,
    ),
    (
        privatize_sums,
        choose_functions,
        choose_values,
        choose_stores,
        schedule_maps,
        interleave_loops,
        compute_ahead,
        order_sums,
        prepare_loops,
    ),
)
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
    (),
    (
        lift_checks,
        parallelize_loops,
        collapse_maps,
        split_folds,
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
        widen_triangles,
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
TAILS: dict[str, Tail] = {"host": HOST, "device": DEVICE}
PASSES: tuple[Pass, ...] = tuple(dict.fromkeys((*COMMON, *(p for t in TAILS.values() for p in (*t.passes, *t.last)))))


def optimize(program: Program, cx: Context) -> Program:
    """The program that code is generated from: the common passes, then the tail that the context names."""
    tail = TAILS[cx.tail] if isinstance(cx.tail, str) else cx.tail
    cx.options = {**tail.options, **cx.options}
    program = run(program, (*COMMON, *tail.passes), cx)
    again = (*AGAIN, *tail.passes)
    while not cx.stopped and cx.policy.goes_on([p.__name__ for p in tail.last]):
        program = run(program, again, cx)
    if cx.policy.asked and cx.policy.replays:
        with cx.policy.looking_aside():
            run(program, again, cx)
    return run(program, tail.last, cx)
