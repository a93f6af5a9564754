"""The steps of schedules: what each is called, what it is about, and which passes take it.

Steps are taken in the order in which they are written (`policy.py`): each is done to the program that those in front of it have made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from soljit.base.records import dataclass


@dataclass(frozen=True)
class Form:
    """How a step is written.

    usage:    an example
    does:     what it does, as a sentence about the loop
    passes:   the passes that take it
    operands: their kinds, "loop", "call", "array" or "variable"; "?" behind a kind: may be left out; "*": any number
    needs:    what must be true where it is taken, for steps that no pass came across
    key:      how many of the first operands tell what the step is about
    options:  keyword → type; "*": any keyword
    last:     it tells how a loop that is there in the end runs: it is taken behind all that change loops
    """

    usage: str
    does: str
    passes: tuple[str, ...]
    operands: tuple[str, ...]
    needs: str
    key: int = 1
    options: Mapping[str, type] = field(default_factory=dict)
    last: bool = False


_A_MAP = "a map, that is, a loop whose iterations are independent"
FORMS: dict[str, Form] = {
    "loops": Form(
        "loops(L31.matmul)",
        "A product with a vector becomes loops, which can be fused with others; otherwise the library is called.",
        ("expand_products",),
        ("call",),
        "a product of a vector and a matrix, or of two vectors, in floats",
    ),
    "map": Form(
        "map(L14.i)",
        "The loop becomes a map: its iterations may run in any order.",
        ("parallelize_loops",),
        ("loop",),
        "a for loop over a range",
    ),
    "collapse": Form(
        "collapse(L14.i)",
        "The map and the map that is all of its body become one map of several loops.",
        ("collapse_maps",),
        ("loop",),
        f"{_A_MAP}, with another map as all of its body",
    ),
    "interchange": Form(
        "interchange(L14.i.j, j, i)",
        "The loops of a map go in this order, outermost first.",
        ("interchange_maps",),
        ("loop", "variable*"),
        f"{_A_MAP}, of several loops",
    ),
    "library": Form(
        "library(L31.i.j.k)",
        "A map that multiplies matrices becomes a call of the library.",
        ("recognize_products",),
        ("loop",),
        f"{_A_MAP} outside of all other loops, which adds products of two elements to an element",
    ),
    "fuse": Form(
        "fuse(L14.i, L15.i)",
        "The second map runs inside the first; loops=1: only the outermost loop is shared.",
        ("fuse_equal_maps", "fuse_maps"),
        ("loop", "loop"),
        "two maps of one block over equal ranges, the first in front of the second, with nothing between them that must stay there",
        key=2,
        options={"loops": int},
    ),
    "contract": Form(
        "contract(lap, L14.i)",
        "The array is kept in a register, or in a smaller buffer, in each iteration of the loop.",
        ("contract_temporaries",),
        ("array", "loop?"),
        "an array that only this function sees, all of whose uses are in the loop",
    ),
    "inline": Form(
        "inline(lap)",
        "The array is not stored: its elements are computed where they are read.",
        ("inline_producers",),
        ("array",),
        "an array that only this function sees, filled by one map in front of the maps that read it",
    ),
    "layout": Form(
        'layout(p, axes="1, 0")',
        "The axes of the array lie in memory in this order, outermost first.",
        ("lay_out_arrays",),
        ("array",),
        "an array of several dimensions that the function makes",
        options={"axes": str},
    ),
    "inward": Form(
        "inward(L14.k)",
        "The loop runs inside the map that is its body; rows=True: around the map's innermost loop.",
        ("move_loops_inward",),
        ("loop",),
        "a loop in order with one map as its body",
        options={"rows": bool},
    ),
    "split": Form(
        "split(L14.j, L15.k)",
        "The map becomes several: the inner loops named go around its own, what stands between them stays inside.",
        ("split_maps",),
        ("loop", "loop*"),
        f"{_A_MAP}, with other maps and single statements in it",
    ),
    "tile": Form(
        "tile(L14.i.j, i=128, j=8)",
        "These loops of the map run in pieces of these lengths, tile by tile; of the others, those in front of the last one that is cut run around the tiles.",
        ("tile_maps",),
        ("loop",),
        _A_MAP,
        options={"*": int},
    ),
    "push": Form(
        "push(L12.k)",
        "What the map combines of the elements that earlier iterations of the loop around it found is combined when they are found, for all later iterations at once.",
        ("push_reductions",),
        ("loop",),
        "a map in a loop, that combines one term for each earlier iteration into an integer",
    ),
    "mirror": Form(
        "mirror(L14.i0)",
        "Each iteration of the map runs together with its mirror image in the range, so that both overwrite what they have read, without an array in between.",
        ("mirror_maps",),
        ("loop",),
        f"{_A_MAP}, which computes into an array that the next map only copies",
    ),
    "delay": Form(
        "delay(L4.k, steps=8)",
        "So many steps of a loop that updates an array by one of its rows are taken at once by each element; the rows and columns of these steps come first.",
        ("delay_loops",),
        ("loop",),
        "a for loop whose body updates rows of an array by the row of the step",
        options={"steps": int},
    ),
    "jam": Form(
        "jam(L4.i, blocks=16, rows=4)",
        "So many rows go through the loop, or the sum, at the beginning of the loop over rows together, as far as all of them do; of sums, so many blocks of rows before the first of them goes on.",
        ("jam_loops",),
        ("loop",),
        "a for loop over rows that begins with a loop, or a sum, up to the row",
        options={"rows": int, "blocks": int},
    ),
    "skew": Form(
        "skew(L6.t, rows=8, steps=16)",
        "So many steps of a loop over time run for so many rows, then for the next rows; threads share the rows. Without options the sizes of the call decide.",
        ("skew_loops",),
        ("loop",),
        "a for loop whose body is a sequence of maps over arrays, or of statements about one row",
        options={"rows": int, "steps": int},
    ),
    "stream": Form(
        "stream(L8.i0, L14.i0, rows=8)",
        "The loops from the first to the last one run so many rows at a time, one after the other; of temporaries between them only the rows in use are stored. Without rows= their lengths decide.",
        ("stream_rows",),
        ("loop", "loop"),
        "two maps of one block with nothing but maps between them, which walk the same rows of the arrays that they write",
        key=2,
        options={"rows": int},
    ),
    "strip": Form(
        "strip(L14.j, columns=256)",
        "So many iterations of the map go through the loops in order in it together, in vectors.",
        ("strip_maps",),
        ("loop",),
        f"{_A_MAP}, with for loops in it",
        options={"columns": int},
    ),
    "share": Form(
        "share(L14.i, rows=16)",
        "So many iterations of the map, each of which adds up over the same arrays, go over these together, a piece after the other.",
        ("share_reads",),
        ("loop",),
        f"{_A_MAP}, outside of others, each iteration of which adds up over one range",
        options={"rows": int},
    ),
    "peel": Form(
        "peel(L26.i0.i1)",
        "A few iterations at both ends of the map's innermost loop, for which conditions on its variable differ, run behind the others.",
        ("peel_ends",),
        ("loop",),
        f"{_A_MAP}, without loops in it, where comparisons of the innermost variable with a number change at its ends",
    ),
    "hold": Form(
        "hold(L29.i.j.i0, lanes=16, rows=4)",
        "Sums that each iteration of the map has an array of its own for stay in registers: so many neighbours, for so many iterations of one of its loops together.",
        ("hold_sums",),
        ("loop",),
        f"{_A_MAP}, each iteration of which makes a small array",
        options={"rows": int, "lanes": int},
    ),
    "privatize": Form(
        "privatize(L14.i)",
        "Each thread adds to arrays of its own, which are added up in the end.",
        ("privatize_sums",),
        ("loop",),
        f"{_A_MAP}, whose iterations add to the same elements",
        last=True,
    ),
    "parallel": Form(
        'parallel(L14.i.j, when="60000 <= n")',
        "Threads share the iterations of the outermost loop, or of the outermost loops=2, if `when` holds; "
        'pieces="equal" or "interleaved": each thread gets one piece, of the loop along="j".',
        ("schedule_maps",),
        ("loop",),
        f"{_A_MAP}, that no threads run around already",
        options={"loops": int, "pieces": str, "along": str, "when": str},
        last=True,
    ),
    "vectorize": Form(
        "vectorize(L14.i.j)",
        "The innermost loop of the map runs in vector instructions.",
        ("schedule_maps",),
        ("loop",),
        f"{_A_MAP}",
        last=True,
    ),
    "interleave": Form(
        "interleave(L5.i, rows=4)",
        "So many iterations of the loop run at the same time, each some iterations of the inner loop behind the one before, or none in a map; threads share blocks of them.",
        ("interleave_loops",),
        ("loop",),
        "a for loop whose body is one for loop, or a map with for loops in it",
        options={"rows": int},
        last=True,
    ),
}
STEPS_OF: dict[str, tuple[str, ...]] = {}  # the steps that each pass takes
for _name, _form in FORMS.items():
    for _pass in _form.passes:
        STEPS_OF[_pass] = (*STEPS_OF.get(_pass, ()), _name)
