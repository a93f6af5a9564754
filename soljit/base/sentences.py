"""The sentences that tell users what was made of their code, and why not better: one table, id → text, and what would change it.

Passes, analyses and the front end say `said("order", why=…)`; who tells it to users puts the user's own names in (`analysis/explain/wording.py`).

facts: text is a name of the program (a container, a symbol, a loop variable), `Plain` text stands as it is, a `Loc` is a line, a `Said` is a sentence in the sentence,
a tuple has several of these; anything else (numbers, expressions) is written by whoever tells it.
"""

from __future__ import annotations

from collections.abc import Callable

from soljit.base.place import Loc, lines_text
from soljit.base.records import dataclass


class Plain(str):
    """Text that is no name of the program."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Sentence:
    """One row of the table.

    kind: what it is about (`KINDS`)
    text: the sentence, with the names of facts in braces
    done: a deed; else a refusal
    cure: what would change a refusal
    when: what must be so in the final program for the sentence to be true: "loop": its loop runs in order; "no loop": it does not; "apart": no
          loop does both statements; "stored", "copied", "library": told of the array or the call itself; "" for what stays true
    """

    kind: str
    text: str
    done: bool = True
    cure: str = ""
    when: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence of the table with its facts."""

    id: str
    facts: tuple[tuple[str, object], ...] = ()

    @property
    def sentence(self) -> Sentence:
        """Its row."""
        return SENTENCES[self.id]

    @property
    def text(self) -> str:
        """The text in the program's own names."""
        return self.worded(str)

    def cure(self, word: Callable[[object], str]) -> str:
        """What would change it: the innermost sentence knows best."""
        inner = next((c for _, x in self.facts if isinstance(x, Said) and (c := x.cure(word))), "")
        return inner or self.sentence.cure.format(**{k: _written(x, word) for k, x in self.facts})

    def worded(self, word: Callable[[object], str]) -> str:
        """The text; `word` writes names and expressions."""
        return self.sentence.text.format(**{k: _written(x, word) for k, x in self.facts})

    def __str__(self) -> str:
        return self.text


def said(id: str, **facts: object) -> Said:
    """A sentence of the table."""
    return Said(id, tuple(facts.items()))


def _written(x: object, word: Callable[[object], str]) -> str:
    match x:
        case Plain():
            return str(x)
        case Said():
            return x.worded(word)
        case Loc():
            return f"line {x.line}"
        case (Loc() as first, *_) if len(places := [i for i in x if isinstance(i, Loc)]) == len(x):
            return lines_text(first, places)
        case tuple():
            return ", ".join(dict.fromkeys(_written(i, word) for i in x))
        case _:
            return word(x)


KINDS = {
    "loop": "a loop of the source: in order, or iterations independent; exchanged, tiled, unrolled",
    "fused": "lines that share a loop",
    "threads": "loops on threads",
    "vector": "loops with vector instructions",
    "library": "calls of a library",
    "python": "calls of Python",
    "types": "floats that become wider",
    "memory": "arrays that are not in the source: stored, or not",
    "copy": "copies that overlapping memory makes necessary",
    "check": "checks before something raises",
    "object": "Python objects, and lists that need none",
    "device": "what runs on a device, and what is copied to and from it",
    "special": "what the program relies on: sizes and values of arguments",
}

SENTENCES: dict[str, Sentence] = {
    # --- loops that stay in order -------------------------------------------------------------------------------------
    "order": Sentence("loop", "iterations stay in order: {why}", False, when="loop"),
    "returns": Sentence(
        "loop", "it returns from inside", False, "keep the result in a variable, and return behind the loop"
    ),
    "breaks": Sentence(
        "loop", "it may end early (break)", False, "a loop over all elements, with a condition in place of the break"
    ),
    "raises": Sentence(
        "loop",
        "it may raise {exceptions}, and Python would raise for the first such iteration",
        False,
    ),
    "subscripts": Sentence(
        "loop",
        "it may raise IndexError, and Python would raise for the first such iteration",
        False,
        "subscripts that provably fit: loop over the length of the array, or ask in front, if 0 <= k < len(a)",
    ),
    "draws": Sentence(
        "loop", "it draws random numbers, whose order counts", False, "draw all of them at once, in front of the loop"
    ),
    "calls": Sentence("loop", "it calls back into Python", False, "do that before or after the loop"),
    "calls function": Sentence("loop", "it calls a function that was not inlined", False),
    "rebinds": Sentence(
        "loop",
        "the array variable {name} gets other memory in each iteration",
        False,
        "assign to its elements: {name}[:] = …",
    ),
    "rebinds one": Sentence("loop", "an array made here gets other memory in each iteration", False),
    "carries": Sentence("loop", "{name} carries a value from one iteration to the next", False),
    "carries on": Sentence("loop", "each step needs what the one before found", False),
    "last value": Sentence("loop", "the last value of {name} is used after the loop", False),
    "counted": Sentence("loop", "{name} is counted in equal steps: a loop over a range"),
    "overlap": Sentence(
        "loop",
        "{name} and {other} may overlap in memory",
        False,
        "pass arrays that share no memory, or copy one of them",
    ),
    "may be one": Sentence("loop", "{name} and {other} may overlap in memory", False),
    "same element": Sentence("loop", "different iterations may write the same element of {name}", False),
    "others' elements": Sentence("loop", "an iteration may need elements of {name} that others write", False),
    "independent": Sentence("loop", "iterations are independent", when="no loop"),
    # --- loops that do not share --------------------------------------------------------------------------------------
    "not fused": Sentence("fused", "does not share its loop with {first}: {why}", False, when="apart"),
    "too long": Sentence("fused", "the loop would get too long", False),
    "order of a sum": Sentence("fused", "a sum over all its loops would be taken in another order than NumPy's", False),
    "leaves": Sentence("fused", "it binds arrays or may leave early", False),
    "other ranges": Sentence("fused", "the two loops do not run over equal ranges", False),
    "other loops": Sentence("fused", "the first {depth} of {count} loops run over equal ranges: loops={depth}", False),
    "own lengths": Sentence("fused", "the length of an array that it makes depends on its loop", False),
    "elements of others": Sentence("fused", "it needs elements of {name} that other iterations touch", False),
    # --- arrays that are stored -----------------------------------------------------------------------------------------
    "stored": Sentence("memory", "{name} is computed once and stored: {why}", False, when="stored"),
    "sources change": Sentence("memory", "what it is computed from changes before the last use", False),
    "used whole": Sentence("memory", "it is used as a whole array", False),
    "read again": Sentence("memory", "it is read again and again in a loop", False),
    "small table": Sentence("memory", "it is a small table that is looked up often", False),
    "dear again": Sentence("memory", "computing it again would cost more than storing it", False),
    "allocated once": Sentence("memory", "{name} is allocated once, in front of the loop"),
    "allocated together": Sentence("memory", "{names} are allocated once, in front of the loop"),
    "device allocated once": Sentence("memory", "a temporary array on the device is made once, as long as the longest"),
    "selected in place": Sentence("memory", "selected elements are used where they stand, not gathered"),
    "same as before": Sentence(
        "memory", "part of it is the same as what was computed before, and is not computed again"
    ),
    # --- loops that changed -------------------------------------------------------------------------------------------
    "tiled": Sentence("loop", "runs in tiles: {pieces}"),
    "skewed": Sentence(
        "loop",
        "runs in blocks of its steps, a few rows of {names} at a time, where they are larger than the caches or threads pay",
    ),
    "interleaved": Sentence(
        "loop",
        "{count} iterations run side by side, each {skew} of the loop over {inner} behind the one before",
    ),
    "beside": Sentence("loop", "{count} iterations run side by side"),
    "no rows beside": Sentence(
        "loop", "there is no loop in order in it, whose iterations could run side by side", False
    ),
    "no plain rows": Sentence("loop", "there is more in it than loops over ranges and plain statements", False),
    "combined": Sentence("loop", "several iterations add to the same elements of {name}", False),
    "mirrored": Sentence("loop", "elements of {name} from both ends are computed together, and overwritten in place"),
    "no mirror": Sentence(
        "loop", "it needs elements of {name} beside those that it and its mirror image overwrite", False
    ),
    "in strips": Sentence("loop", "up to {count} iterations go through the loops in it together"),
    "bits by tables": Sentence(
        "loop",
        "what it makes of each byte is looked up in tables, from {count} iterations of the loop around it on",
    ),
    "reads shared": Sentence(
        "loop", "up to {count} iterations go over {names} together, a piece after the other, where these are large"
    ),
    "no shared reads": Sentence(
        "loop", "there are no sums in it over one range, which could be taken in pieces", False
    ),
    "pushed": Sentence(
        "loop",
        "elements of {name} are combined with those of later iterations as soon as they are known, along the memory",
    ),
    "no pull": Sentence("loop", "it does not combine one term for each earlier iteration of the loop around it", False),
    "order of terms": Sentence("loop", "the order in which the terms are combined counts", False),
    "no nest": Sentence("loop", "its body is not one loop with plain statements, in steps of 1", False),
    "any wave": Sentence(
        "loop",
        "how many iterations of the inner loop lie between accesses to one element of {name} is not constant",
        False,
    ),
    "far waves": Sentence("loop", "an iteration needs elements that lie far ahead in the one before", False),
    "streamed": Sentence(
        "loop",
        "runs a few rows at a time with the loops behind it that read these; of {names} only the rows that are still needed are kept",
    ),
    "nothing kept": Sentence("loop", "there is no temporary of which they need a few rows at a time only", False),
    "other rows": Sentence("loop", "the rows are not the outermost loop", False),
    "computed twice": Sentence(
        "loop", "threads would have to compute rows of {name} twice, which others can see", False
    ),
    "delayed": Sentence(
        "loop",
        "elements of {names} take several of its steps at once, each in its order; rows that others need come first",
    ),
    "rows together": Sentence("loop", "several iterations of {loop} go through this loop together"),
    "no rows together": Sentence(
        "loop",
        "it does not begin with a loop, or a sum, up to its row",
        False,
    ),
    "held sums": Sentence(
        "loop", "sums in {names} stay in registers, blocks of neighbours, for {count} iterations of {loop} together"
    ),
    "no held sums": Sentence(
        "loop",
        "its body is not a sequence of loops over all elements of arrays of its own, without others in it",
        False,
    ),
    "no panels": Sentence("loop", "it does not update the rows of an array by one of them", False),
    "by the pivot": Sentence(
        "loop", "an element of {name} needs more than itself and elements of the row and the column of the step", False
    ),
    "in its order": Sentence("loop", "its steps run one after the other: {why}", False, when="loop"),
    "no sweeps": Sentence("loop", "it is no sequence of sweeps over arrays", False),
    "passes on": Sentence("loop", "which arrays its steps pass on to the next ones is not known", False),
    "far rows": Sentence("loop", "a sweep needs rows that are far away", False),
    "between sweeps": Sentence("loop", "an element of {name} is needed as a number between the sweeps", False),
    "row by row": Sentence(
        "loop", "not all accesses to {name} are a constant number of rows from the row of their sweep", False
    ),
    "rows change": Sentence("loop", "which rows are swept depends on the step, or on memory", False),
    "peeled": Sentence("loop", "the ends of the loop over {name}, where conditions differ, run by themselves"),
    "no ends": Sentence("loop", "no condition changes near its ends only", False),
    "exchanged": Sentence("loop", "loops exchanged: {name} goes inside"),
    "reordered": Sentence("loop", "loops reordered: {names}"),
    "split": Sentence("loop", "split, so that the loop over {name} can go inside"),
    "laid out": Sentence("memory", "its axes lie in memory in the order {axes}, as loops walk them", when="stored"),
    "memory seen": Sentence("memory", "others see its memory: it is returned, given to a function, or viewed", False),
    "memory summed": Sentence("memory", "a loop adds up numbers in the order in which it lies in memory", False),
    "goes inside": Sentence("loop", "this loop runs inside the parallel one, {how}"),
    "stays outside": Sentence("loop", "this loop stays outside the parallel one in it: {why}", False, when="loop"),
    "no rows": Sentence(
        "loop", "the map in it has one loop only, so that there are no rows", False, "leave rows=True out"
    ),
    "range depends": Sentence("loop", "the range of the inner loop depends on it", False),
    "reads memory": Sentence("loop", "it reads memory", False),
    "range from memory": Sentence("loop", "its range is read from memory", False),
    "others write": Sentence("loop", "it needs elements of {name} that other iterations write", False),
    "set behind": Sentence("loop", "{name} is set once, behind the loop"),
    "one thread": Sentence("threads", "on one thread: iterations of {loop} add to the same elements of {names}", False),
    "no lanes": Sentence(
        "vector",
        "no vector code: neighbouring iterations of {loop} touch elements of {names} that lie apart in memory",
        False,
        "a copy in which they are neighbours, or another order of the loops",
    ),
    "own sums": Sentence("threads", "each thread sums {names} by itself"),
    "computed ahead": Sentence("loop", "what needs nothing of iterations before is computed ahead, by vector code"),
    "tabulated": Sentence("loop", "{functions}: computed once for each argument, and looked up"),
    # --- products -----------------------------------------------------------------------------------------------------
    "products at once": Sentence("library", "products of all iterations are computed at once, in front of the loop"),
    "rows at once": Sentence("library", "products of rows are computed at once"),
    "product found": Sentence("library", "a product of matrices: the library's routine is called", when="library"),
    "product with vector": Sentence(
        "library", "a product with a vector: the library's routine is called", when="library"
    ),
    # --- checks ---------------------------------------------------------------------------------------------------------
    "no overflow": Sentence("check", "{name} cannot overflow: no check"),
    "looked for before": Sentence("check", "what raises in it is looked for before it runs"),
    # --- copies, sizes, objects ---------------------------------------------------------------------------------------
    "copied for overlap": Sentence(
        "copy", "{name} is a copy, since what is written may overlap what is read", when="copied"
    ),
    "instances in columns": Sentence(
        "object", "instances made here are rows of arrays, one array for each attribute, without Python objects"
    ),
    "instances stay objects": Sentence("object", "instances made here are Python objects: {why}", False),
    "instances of several classes": Sentence(
        "object", "a variable or a list holds instances of several classes", False
    ),
    "attributes unset": Sentence(
        "object", "an attribute may be read, or the instance be seen elsewhere, before it is set", False
    ),
    "attributes of several types": Sentence("object", "an attribute does not hold numbers of one type", False),
    "instances in circles": Sentence("object", "they may lead to themselves", False),
    "instances needed": Sentence("object", "line {line} needs them as such", False),
    "lists of objects": Sentence(
        "object", "a list that holds them holds other things, too, or is needed as an object", False
    ),
    "lists not known": Sentence("object", "only the run tells which lists there are when one is made", False),
    "list in memory": Sentence("object", "the numbers of the list lie in memory, without Python objects"),
    "unrolled": Sentence("loop", "unrolled: its {count} steps are written out, one after the other"),
    "widened": Sentence("types", "{before} becomes {after} in {text}: {by} takes part", False, "{cure}"),
    # --- calls of Python ----------------------------------------------------------------------------------------------
    "called back": Sentence("python", "{function} is called back", False),
    "called back since": Sentence("python", "{function} is called back (not compiled: {why})", False, cure="{cure}"),
    "called by Python": Sentence("python", "'{function}' is called by Python", False),
    "other compiler": Sentence(
        "python",
        "{function} is compiled by another compiler and called by Python; undecorated it is compiled along",
        False,
    ),
    # --- devices ------------------------------------------------------------------------------------------------------
    "on the device": Sentence("device", "runs on the device"),
    "on the host": Sentence("device", "this loop stays on the host: {why}", False),
    "too small": Sentence(
        "device",
        "runs on the processor for these sizes: transfers and launches would cost more than a device saves",
        False,
    ),
    "unknown worth": Sentence(
        "device",
        "runs on the processor: what a device would save depends on more than sizes (offload='always' does not ask)",
        False,
    ),
    "copied again": Sentence("device", "{name} is copied to the {where} again and again: {why}", False),
    "one number": Sentence("device", "all iterations give one number, {name}"),
    "own arrays": Sentence("device", "every iteration has an array of its own, {name}"),
    "is an object": Sentence("device", "{name} is an object"),
    "shared with another": Sentence("device", "{name} and another argument share memory"),
    "given memory": Sentence("device", "a call gives {name} its memory"),
    "shared by a variable": Sentence(
        "device", "{array}, which {name} may stand for, shares memory with another argument"
    ),
    "known to others": Sentence("device", "{name} may stand for memory that others know"),
    "shown by an object": Sentence("device", "an object may hold {name}, and show it at any time"),
    "held by an object": Sentence("device", "an object may hold {name}"),
    "not needed": Sentence("device", "nothing needs {name}"),
    "seen by the caller": Sentence("device", "the caller sees {name}"),
    "returned": Sentence("device", "{name} is returned"),
    "read there": Sentence("device", "{who} reads {name} on the {where}"),
    "copied there": Sentence("device", "{name} is copied to the {where} again"),
    "written in part": Sentence("device", "{who} is not known to write all of {name} on the {where}"),
    "written there": Sentence("device", "{who} writes {name} on the {where}"),
    "from the caller": Sentence("device", "it comes from the caller"),
    "made on the host": Sentence("device", "it is made on the host"),
    "written on the host": Sentence("device", "{who} writes it on the host"),
    "in every iteration": Sentence("device", "{what} in every iteration"),
    "for a reason": Sentence("device", "{wanted}; {origin}"),
    "one block": Sentence("device", "one block of threads runs this loop{where}"),
    "blocks together": Sentence("device", "blocks of threads that wait for each other run this loop{where}"),
    "no block": Sentence("device", "this loop is not run by one block of threads: {why}", False),
    "lives on": Sentence(
        "device", "what {name} is at the end of a step is needed in the next one, or behind the loop", False
    ),
    "length unknown": Sentence("device", "the length of {name} is not known in front of it", False),
    "used outside": Sentence("device", "{name} is used outside of it", False),
    "rows by blocks": Sentence("device", "a block of threads walks each row{where}"),
    "rows joined": Sentence(
        "device", "in one kernel with {others}{where}: a block of threads takes each row through all of them"
    ),
    "scan in pieces": Sentence("device", "{name} is carried through pieces of the loop by a thread each"),
    "product by loops": Sentence("device", "a product is computed by loops{why}"),
    "product by cuBLAS": Sentence(
        "device", "a product is computed by cuBLAS, or by loops if cuBLAS cannot address the operands"
    ),
}
