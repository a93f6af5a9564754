"""What `explain()` tells: deeds read off the final program, and refusals that passes and the front end noted, as far as they are still true of it.

Nothing here is told because a pass meant to do it: "on threads" is a map whose schedule says so, "one loop with line 8" a map that carries both lines, "stored" an `Alloc` that is left.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from soljit.analysis.explain.calls import call, library, transfer
from soljit.analysis.explain.lines import Lines, Spot, spot
from soljit.analysis.explain.memory import memory
from soljit.analysis.explain.merged import each_once
from soljit.analysis.explain.program_remarks import Origin, Told, home_first
from soljit.analysis.explain.untaken import untaken
from soljit.analysis.explain.wording import Words, is_loop_statement, of_the_user, plain
from soljit.analysis.memory.affine import names_in
from soljit.base.place import Loc, lines_text
from soljit.base.records import dataclass
from soljit.base.sentences import KINDS, Said, said
from soljit.ir.core.data import Array, Ref, Scalar, View
from soljit.ir.core.expr import Op, subexpressions
from soljit.ir.core.nodes import Callback, Copy, LibraryNode, Loop, Map, Node, Program, Raise, Tasklet, While
from soljit.ir.core.types import DType
from soljit.ir.walk.effects import memlets_read, memlets_written
from soljit.ir.walk.spaces import is_transfer
from soljit.ir.walk.tree import exprs, walk


@dataclass(frozen=True, slots=True)
class Processor:
    """What runs a program: its threads, the bits of its vectors, and which functions (operation, type) they do not compute."""

    threads: int
    vector_bits: int
    in_turn: Callable[[str, DType], bool]


def renamed(program: Program, origin: Origin) -> dict[str, dict[str, str]]:
    """What the source calls otherwise: for the program, "", and each of its functions, names → those of the source."""
    found = {"": Words(program, origin.names, origin.program, origin.spellings).renamed()}
    for name, f in program.functions.items():
        found[name] = Words(f, origin.names, origin.program.functions.get(name, f)).renamed()
    return found


def remarks(program: Program, origin: Origin, notes: Sequence[tuple[Loc, Said]], processor: Processor) -> list[Told]:
    """All remarks about a program, as `processor` runs it."""
    words = Words(program, origin.names, origin.program, origin.spellings)
    found: list[Told] = [*_specialized(program, origin, words)]
    lines = Lines(program)
    source = Lines(origin.program)
    found += _of_loops(lines, source, words, processor)
    found += untaken(lines, words, processor.threads)
    found += _of_leaves(lines, words)
    found += memory(lines, source, words, [x for _, x in notes])
    found += _of_checks(lines, source)
    for f in program.functions.values():
        inner = Lines(f)
        theirs = Lines(origin.program.functions.get(f.name, f))
        own = Words(f, origin.names, theirs.program)
        found += [*_of_loops(inner, theirs, own, processor), *_of_leaves(inner, own)]
    found += _of_notes(lines, source, words, notes)
    proved = {t.places[0] for t in found if t.facts.get("id") == "no overflow"}
    found = [t for t in found if not (t.places[0] in proved and t.facts == _NO_OVERFLOW)]
    found += _of_objects(origin, notes)
    order = list(KINDS)
    return sorted(each_once([t for t in found if t.places[0].line], source), key=lambda t: order.index(t.kind))


# --- what the variant is for ------------------------------------------------------------------------------------------


def _specialized(program: Program, origin: Origin, words: Words) -> Iterator[Told]:
    """The conditions under which the program is used, at the lines that asked."""
    asked: dict[tuple[str, int], tuple[Loc, list[str]]] = {}
    for g in program.guards:
        place = of_the_user(origin.asked_at.get(g, program.loc))
        asked.setdefault((place.file, place.line), (place, []))[1].append(words.expr(g))
    for loc, texts in asked.values():
        yield Told("special", f"compiled for calls where {_conditions(texts)}", (loc,), facts={"guards": texts})


_READABLE = 160  # characters of conditions


def _conditions(texts: Sequence[str]) -> str:
    """The conditions; of more than one reads with ease the shortest, and how many others there are."""
    if len(" and ".join(texts)) <= _READABLE or len(texts) == 1:
        return " and ".join(texts)
    kept: list[str] = []
    for text in sorted(texts, key=len):
        if kept and len(" and ".join((*kept, text))) > _READABLE:
            break
        kept.append(text)
    more = len(texts) - len(kept)
    shown = " and ".join(x for x in texts if x in kept)
    return (
        f"{shown} and {more} longer condition{'s' if more > 1 else ''} hold{'' if more > 1 else 's'}" if more else shown
    )


# --- loops ------------------------------------------------------------------------------------------------------------


def _of_loops(lines: Lines, source: Lines, words: Words, processor: Processor) -> Iterator[Told]:
    """Which lines share a loop, and which loops run on threads and in vectors."""
    one: dict[Spot, dict[Spot, None]] = {}
    outer: dict[Spot, dict[Spot, None]] = {}
    where: dict[Spot, Loc] = {}
    for m, _ in lines.loops():
        if not isinstance(m, Map):
            continue
        here = lines.under.get(id(m), {})
        where |= here
        direct = lines.direct.get(id(m), {})
        for a, b in lines.shared(m, source):
            into = one if a in direct and b in direct else outer
            into.setdefault(a, {})[b] = into.setdefault(b, {})[a] = None
        if not here:
            continue
        checks = "checks " if _only_checks(m, words) else ""
        if "threads" in m.schedule:
            told = _on_threads(m, tuple(home_first(here.values())), words, processor.threads)
            yield replace(told, text=f"{checks}{told.text}")
        t = _widest(lines.program, m)
        if "lanes" in m.schedule and direct and t is not None and processor.vector_bits >= 16 * t.size:
            lanes = processor.vector_bits // (8 * t.size)
            by = f"{checks}by " if checks else ""
            text = f"{by}vector code, up to {lanes} {t.numpy.name} at a time"
            if functions := _in_turn(m, processor):
                text = f"{functions}: no vector instruction; the rest is {text}"
            yield Told(
                "vector", text, tuple(home_first(direct.values())), facts={"lanes": lanes, "dtype": t.numpy.name}
            )
    for a, others in one.items():
        yield _fused(where[a], others, "in one loop with", where)
    for a, others in outer.items():
        rest = {b: None for b in others if b not in one.get(a, {})}
        if rest:
            yield _fused(where[a], rest, "under one outer loop with", where)


def _in_turn(m: Map, processor: Processor) -> str:
    """The functions in the innermost loop that are called for one number, or for a strip of numbers, after the other."""
    called = {x.name: x for e in exprs(m.body) for x in subexpressions(e) if isinstance(x, Op)}
    found = sorted(name for name, x in called.items() if processor.in_turn(name, x.dtype))
    return " and ".join(filter(None, [", ".join(found[:-1]), *found[-1:]]))


def _only_checks(m: Map, words: Words) -> bool:
    """Tell whether all that a map finds out is whether one of many checks fails."""
    tasks = [n for n in walk(m.body) if isinstance(n, Tasklet)]
    return bool(tasks) and all(n.out.wcr == "lor" and not n.out.subset and not words.is_own(n.out.data) for n in tasks)


def _fused(loc: Loc, others: Mapping[Spot, None], what: str, where: Mapping[Spot, Loc]) -> Told:
    places = sorted({where[b] for b in others}, key=lambda x: (x.file != loc.file, x.file, x.line))
    return Told("fused", f"{what} {lines_text(loc, places)}", (loc, *places), facts={"loop": what.split()[1]})


def _on_threads(m: Map, places: tuple[Loc, ...], words: Words, threads: int) -> Told:
    """Over what, and from which size on."""
    over: list[str] = []
    where = words.condition(m.when) if m.when is not None else ""
    for v, s, role in zip(m.vars, m.spans, m.schedule):
        if role != "threads":
            continue
        if words.is_own(v):
            over.append(words.name(v))
        elif plain(v) == "thread":
            inner = next((n for n in m.body.nodes if isinstance(n, Map)), None)
            k = 0 if inner is None else _cut_by(inner, v)
            over.append("pieces of " + (words.name(inner.vars[k]) if inner is not None else "the loop"))
        elif plain(v) == "piece":  # of a loop over time
            over.append("pieces of the rows, then over the seams between them")
            where = "there is enough work"
        elif plain(v) == "band":  # of iterations side by side
            over.append("blocks of the iterations, in a pipeline")
            where = "there is enough work"
        else:
            over.append(f"{words.name(v)} ({words.span(s)})")
    when = f", where {where}" if where else ""
    facts = {"threads": threads, "over": over, "where": where}
    return Told("threads", f"on up to {threads} threads over {' and '.join(over)}{when}", places, facts=facts)


def _cut_by(m: Map, thread: str) -> int:
    """The loop of a map of which each thread gets a piece."""
    return next((k for k, s in enumerate(m.spans) if any(thread in names_in(x) for x in s.children)), 0)


def _widest(program: Program, m: Map) -> DType | None:
    """The largest type of elements that the innermost loop of a map reads or writes."""
    touched = [x for n in walk(m.body) for x in (*memlets_read(n), *memlets_written(n))]
    found = [d.dtype for x in touched if isinstance(d := program.data.get(x.data), (Array, Ref, View, Scalar))]
    return max(found, key=lambda t: t.size, default=None)


# --- single nodes -----------------------------------------------------------------------------------------------------


def _is_array(program: Program, n: Copy) -> bool:
    d = program.data[n.dst.data]
    return isinstance(d, Ref) or (isinstance(d, Array) and bool(d.shape))


def _of_leaves(lines: Lines, words: Words) -> Iterator[Told]:
    """Libraries, calls of Python, transfers."""
    made = {out: n for n, _ in lines.nodes if isinstance(n, Callback) for out in n.outs}
    for n, loops in lines.nodes:
        here = (of_the_user(n.loc),)
        match n:
            case Copy() if is_transfer(n, lines.program.data):
                if loops and _is_array(lines.program, n):
                    continue  # "copied again"
                yield Told("device", transfer(lines.program, n, words), here)
            case LibraryNode():
                for text in library(lines.program, n):
                    yield Told("library", text, here, facts={"operation": n.op})
            case Callback():
                told = call(lines.program, n, bool(loops), made, words)
                if isinstance(told, str):
                    yield Told("python", told, here)
                elif told is not None:
                    yield Told("python", told.text, here, False, told.cure, _calls(told.short, bool(loops)))


def _calls(what: str, looped: bool) -> dict[str, object]:
    """The facts of a call of Python."""
    return {"call": what, "often": "at every step" if looped else "once"}


_NO_OVERFLOW = {"exception": "OverflowError", "left": 0}


def _of_checks(lines: Lines, source: Lines) -> Iterator[Told]:
    """Checks that are left, that moved out of loops, and that are proved needless."""
    before, after = _raises(source), _raises(lines)
    apart = _checked_apart(lines)
    for key, (loc, looped) in before.items():
        exception = key[1].rpartition(".")[2]
        if key not in after:
            yield Told("check", f"no check for {exception} is left", (loc,), facts={"exception": exception, "left": 0})
        elif after[key][1] and key in apart:
            text = f"checks all of it before anything is computed, and may raise {exception}"
            yield Told("check", text, (loc,), facts={"exception": exception, "left": 1})
        elif after[key][1]:
            yield Told(
                "check",
                f"checks at every step, and may raise {exception}",
                (loc,),
                False,
                facts={"exception": exception, "left": 2},
            )
        elif looped:
            text = f"checks once, in front of the loop, and may raise {exception}"
            yield Told("check", text, (loc,), facts={"exception": exception, "left": 1})
        else:
            yield Told("check", f"checks, and may raise {exception}", (loc,), facts={"exception": exception, "left": 1})


def _checked_apart(lines: Lines) -> set[tuple[Spot, str]]:
    """What is raised in loops that do nothing else."""
    found: dict[tuple[Spot, str], bool] = {}
    for n, loops in lines.nodes:
        if isinstance(n, Raise) and loops:
            key = (spot(n.loc), n.exception)
            found[key] = not _computes(loops[0]) and found.get(key, True)
    return {key for key, alone in found.items() if alone}


def _computes(n: Node) -> bool:
    """Tell whether a loop does more than checks."""
    return any(isinstance(x, Tasklet | LibraryNode | Copy | Callback) for x in walk(n))


def _raises(lines: Lines) -> dict[tuple[Spot, str], tuple[Loc, bool]]:
    """What may be raised where, but by `raise` and `assert` of the source; and whether that is looked at in a loop."""
    found: dict[tuple[Spot, str], tuple[Loc, bool]] = {}
    for n, loops in lines.nodes:
        if isinstance(n, Raise):
            loc = of_the_user(n.loc)
            if linecache.getline(loc.file, loc.line)[loc.col :].startswith(("raise", "assert")):
                continue
            key = (spot(n.loc), n.exception)
            found[key] = (loc, bool(loops) or found.get(key, (loc, False))[1])
    return found


# --- notes ------------------------------------------------------------------------------------------------------------


def _with_own_names(x: Said, words: Words) -> Said:
    """The sentence; one that names what carries a value or gets memory, where the source has no name for that, says it without.

    What is no argument cannot be passed in another way.
    """

    def plainer(y: object) -> object:
        facts = dict(y.facts) if isinstance(y, Said) else {}
        match y:
            case Said("carries" | "rebinds") if not words.is_own(str(facts["name"])):
                return said("carries on" if y.id == "carries" else "rebinds one")
            case Said("overlap") if not all(words.is_given(str(x)) for x in facts.values()):
                return said("may be one", **facts)
        return y

    whole = plainer(x)
    assert isinstance(whole, Said)
    return Said(whole.id, tuple((k, plainer(y)) for k, y in whole.facts))


_OF_VARIABLES = ("set behind", "no overflow")  # worth telling of variables of the source alone


def _of_notes(lines: Lines, source: Lines, words: Words, notes: Sequence[tuple[Loc, Said]]) -> Iterator[Told]:
    """What passes and the front end noted, where the final program agrees; of several refusals of one thing the last."""
    maps = {spot(n.loc) for n, _ in lines.loops() if isinstance(n, Map)}
    in_order = {
        spot(n.loc)
        for n, _ in lines.loops()
        if isinstance(n, Loop | While) and (_computes(n) or spot(n.loc) not in maps)
    }
    together = {frozenset(p) for m, _ in lines.loops() if isinstance(m, Map) for p in lines.shared(m, source)}
    called = {(spot(n.loc), bool(loops)) for n, loops in lines.nodes if isinstance(n, Callback)}
    last: dict[tuple[object, ...], tuple[Loc, Said]] = {}
    for loc, x in notes:
        other = dict(x.facts).get("first")
        about = x.facts if not x.sentence.when else spot(other) if isinstance(other, Loc) else None
        last[spot(loc), x.id, about] = (loc, x)
    for loc, x in _together(last.values(), words):
        here = spot(loc)
        places: tuple[Loc, ...] = (of_the_user(loc),)
        match x.sentence.when:
            case "loop" if here not in in_order:
                continue
            case "no loop" if here in in_order or not is_loop_statement(loc):
                continue
            case "apart":
                first = dict(x.facts)["first"]
                assert isinstance(first, Loc)
                there = spot(first)
                gone = here not in lines.chains or there not in lines.chains
                if gone or here[0] == there[0] or frozenset((here, there)) in together:
                    continue
                places = (*places, of_the_user(first))
            case "stored" | "copied" | "library":
                continue  # told of the array or the call itself
        x = _with_own_names(x, words)
        text, cure = x.worded(words), x.cure(words)
        if x.id == "order" and not is_loop_statement(loc):
            text, cure = text.replace("iterations stay", "its elements are taken", 1), ""
        named = dict(x.facts).get("name")
        if x.id in _OF_VARIABLES and not (isinstance(named, str) and words.is_own(named)):
            continue
        facts: dict[str, object] = {"id": x.id}
        if x.id == "widened":
            facts |= {k: str(y) for k, y in x.facts if k in ("before", "after", "by")}
        if x.sentence.kind == "python" and (function := dict(x.facts).get("function")):
            looped = (here, True) in called
            text, facts = f"{text}{', at every step' if looped else ''}", facts | _calls(f"{function}()", looped)
        yield Told(x.sentence.kind, text, places, x.sentence.done, cure, facts=facts)


def _together(notes: Collection[tuple[Loc, Said]], words: Words) -> Iterator[tuple[Loc, Said]]:
    """The notes; arrays that are allocated in front of one loop are told in one sentence."""
    groups: dict[Spot, dict[str, object]] = {}
    for loc, x in notes:
        if x.id == "allocated once":
            name = dict(x.facts)["name"]
            groups.setdefault(spot(loc), {}).setdefault(words(name), name)
    for loc, x in notes:
        names = groups.get(spot(loc), {}) if x.id == "allocated once" else {}
        if len(names) < 2:
            yield loc, x
        elif dict(x.facts)["name"] == next(iter(names.values())):
            yield loc, said("allocated together", names=tuple(names.values()))


def _of_objects(origin: Origin, notes: Sequence[tuple[Loc, Said]]) -> Iterator[Told]:
    """Lists and dicts that are Python objects, with the line that needs it."""
    unboxed = {spot(loc) for loc, x in notes if x.id == "list in memory"}
    for site, shown in origin.grown.items():
        loc = of_the_user(site)
        if spot(site) not in unboxed:
            text = f"a list or dict made here is a Python object, since line {of_the_user(shown).line} needs it as one"
            yield Told("object", text, (loc, of_the_user(shown)), False)
