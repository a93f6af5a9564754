"""Nests of loops with the same text, up to names: a C++ function that all of them call.

A loop over time stands beside its blocks, a region of threads beside the loops of one, and what is unrolled or inlined stands there several times. Compilers
take as long for each of them as for the first, so it is written once:

    for (int64_t i = 0; i < n - 2; ++i) {              template <class T0, class T1, class T2>
      for (int64_t j = 0; j < m - 2; ++j) {            SOL_APART static void sol_nest(const int64_t sol_first, const int64_t sol_stop, …) {
        b[i * m + j] = …a…                        →      for (int64_t i = sol_first; i < sol_stop; ++i) {
      }                                                  …
    }                                                  sol_nest(0, n - 2, m, b, a);
    for (int64_t i_1 = first; i_1 < last; ++i_1) {     sol_nest(first, last, m, a, b);
      …with a and b in each other's place

While a function is written, `candidate` marks where nests begin and end. When all of it is there, `share` looks for equal ones. Names that come from outside are parameters,
in the order in which the text names them first; where the outermost loop begins and ends are two more. What is reduced goes in and comes out by a copy, so that no address of a local leaves it.

Not shared: what may leave the function or asks the runtime for something, loops of which a compiler knows more where they stand, and short loops that other loops run through, for which a call counts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from soljit.analysis.loops.map_reductions import Reduction
from soljit.base.records import dataclass
from soljit.codegen.memory.containers import memory_of
from soljit.codegen.memory.placement import local_names
from soljit.codegen.writing.context import Context
from soljit.codegen.writing.tables import Nest
from soljit.ir.core.data import Array, Scalar
from soljit.ir.core.expr import Const, Op, Range, subexpressions
from soljit.ir.core.nodes import Map
from soljit.ir.walk import exprs, is_straight, symbols_defined, walk

SUMS = 4  # side by side, as `jam` makes them, for which a call does not count, also if a loop enters them often
SHORT = 12  # expressions: of fewer a call is no less for the compiler
LONG = 40  # expressions of loops in loops for which it does not either
_MARK = "\0"
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_PART = re.compile(r"(.+)_(?:few|n\d+|s\d+)")
_HEAD = re.compile(r"( *)for \(int64_t (\w+) = (.+); \2 < (.+); \+\+\2\) \{")
_CONSTANT = re.compile(r" *const int64_t (\w+) = (.+);")
_CHANGED = re.compile(
    r"(?<![\w.\])])(\w+) [-+*/%&|^]?= |(?:\+\+|--)(\w+)|(?<![\w.])(\w+)\.\w+\(|(?<![\w&] )&(\w+)(?!\w|\[)"
)
_BOUND = re.compile(r"\b(?:frame|services|out|return|goto)\b|#pragma omp parallel")


@dataclass
class _Function:
    """A nest as a function: what callers work out, its lines, the same with names by number, its parameters in order ("&": reduced, "*": nothing else points there)
    and the bounds of its first loop.
    """

    before: list[str]
    lines: list[str]
    key: str
    parameters: dict[str, str]
    bounds: tuple[str, ...]


@contextmanager
def candidate(cx: Context, m: Map, first: int, found: Sequence[Reduction]) -> Iterator[None]:
    """What is written inside is the nest of `m` from loop number `first` inwards, with these reductions."""
    if not _pays(cx, m, first, sum(r.blocked for r in found)):
        yield
        return
    number, before = len(cx.nests), len(cx.names.given)
    reduced = {a.text for a in cx.accumulators if a.kind == "variable" and any(r.target == a.target for r in found)}
    reduced |= {cx.names.data(r.target.data) for r in found if isinstance(cx.data(r.target.data), Scalar)}
    cx.nests.append(Nest(frozenset(), frozenset(reduced)))
    cx.out.lines.append(f"{_MARK}{number}")
    yield
    cx.out.lines.append(_MARK)
    own = {*cx.names.given[before:]} | {cx.names.symbol(s) for s in symbols_defined(m) - {*m.vars[:first]}}
    own |= {cx.names.data(d) for x in walk(m) if isinstance(x, Map) for d in local_names(cx, x)}
    cx.nests[number].own = frozenset(own)


def _pays(cx: Context, m: Map, first: int, sums: int) -> bool:
    """Tell whether a call instead of the nest costs nothing that counts, and saves something."""
    if cx.tables.places is not None or not _is_plain(m):
        return False
    size = sum(1 for e in exprs(m) for _ in subexpressions(e))
    outside = not cx.in_loop and cx.in_map == 1
    if size < SHORT or outside:
        return outside and size >= SHORT
    deep = _depth(m, first)
    return (sums >= SUMS or deep > 2 or (deep == 2 and size >= LONG)) and not _divides(m, first)


def _is_plain(m: Map) -> bool:
    """Tell whether loops lie in each other with straight code inside: of other nests compilers know more where they stand."""
    match m.body.nodes:
        case (Map() as inner,):
            return _is_plain(inner)
        case _:
            return is_straight(m.body)


def _divides(m: Map, first: int) -> bool:
    """Tell whether bounds of inner loops are quotients: the compiler may know a divisor where the nest stands, as that of the work among threads that are one."""
    inner = [*m.spans[first + 1 :], *(s for x in walk(m.body) if isinstance(x, Map) for s in x.spans)]
    parts = (x for s in inner for e in (s.start, s.stop) for x in subexpressions(e))
    return any(isinstance(x, Op) and x.name in ("floordiv", "mod") for x in parts)


def _depth(m: Map, first: int = 0) -> int:
    """How many loops lie in each other, those of few iterations left out."""
    inner = sum(_depth(x) for x in m.body.nodes if isinstance(x, Map))
    return sum(not _is_few(s) for s in m.spans[first:]) + inner


def _is_few(span: Range) -> bool:
    return isinstance(span.start, Const) and isinstance(span.stop, Const)


# --- when all of a function is written ------------------------------------------------------------------------------------


def share(cx: Context, lines: list[str]) -> list[str]:
    """The lines of a function, with calls in the place of nests that are in it more than once."""
    if not cx.nests:
        return lines
    lines = _without_marks(cx.nests, lines)
    parts = [_parts(_lines(lines, n)) for n in cx.nests]
    shapes = [_NAME.sub("", "".join(map(str.strip, text))) for _, text, _ in parts]
    often = Counter(shapes)
    found: dict[str, list[tuple[Nest, _Function]]] = {}
    for n, shape, part in zip(cx.nests, shapes, parts):
        if often[shape] > 1 and (f := _function(cx, n, *part)) is not None:
            found.setdefault(f.key, []).append((n, f))
    calls: dict[int, tuple[int, list[str]]] = {}  # by the line where they begin: where they end
    for key in sorted(found, key=len, reverse=True):
        alike = [(n, f) for n, f in found[key] if not any(a <= n.start < b for a, (b, _) in calls.items())]
        if len(alike) > 1:
            name = _define(cx, alike[0][1])
            calls |= {n.start: (n.stop, _call(cx, name, f)) for n, f in alike}
    out: list[str] = []
    at = 0
    for start in sorted(calls):
        stop, call = calls[start]
        out += [*lines[at:start], *call]
        at = stop
    return [*out, *lines[at:]]


def _without_marks(nests: Sequence[Nest], lines: list[str]) -> list[str]:
    """The lines as they are written, after telling the nests where theirs are."""
    out: list[str] = []
    inside: list[Nest] = []
    for line in lines:
        if line == _MARK:
            inside.pop().stop = len(out)
        elif line.startswith(_MARK):
            inside.append(nests[int(line[len(_MARK) :])])
            inside[-1].start = len(out)
        else:
            out.append(line)
    return out


def _lines(lines: list[str], n: Nest) -> list[str]:
    """Its lines without comments."""
    return [x for x in lines[n.start : n.stop] if not x.lstrip().startswith("//")]


def _function(cx: Context, n: Nest, before: list[str], text: list[str], bounds: tuple[str, ...]) -> _Function | None:
    """The nest as a function; None if it cannot be one."""
    if any(_BOUND.search(x) for x in text):
        return None
    own = n.own.difference(_CONSTANT.fullmatch(x)[1] for x in before)  # type: ignore[index]

    def is_own(name: str) -> bool:
        part = _PART.fullmatch(name)
        return name in own or (part is not None and part[1] in own)

    changed = {next(filter(None, m.groups())) for x in text for m in _CHANGED.finditer(x)}
    if any(cx.names.is_known(x) and not is_own(x) and x not in n.reduced for x in changed):
        return None
    kinds = dict.fromkeys(changed & n.reduced, "&") | _pointers(cx)
    parameters: dict[str, str] = {}
    numbers: dict[str, str] = {}

    def number(m: re.Match[str]) -> str:
        name = m[0]
        if name not in numbers:
            if is_own(name):
                numbers[name] = f"${len(numbers)}"
            elif cx.names.is_known(name):
                parameters[name] = kinds.get(name, "")
                numbers[name] = f"${len(numbers)}{parameters[name]}"
            else:
                return name
        return numbers[name]

    key = "\n".join(x if x.startswith("#") else _NAME.sub(number, x) for x in map(str.strip, text))
    return _Function(before, text, key, parameters, bounds)


def _parts(text: list[str]) -> tuple[list[str], list[str], tuple[str, ...]]:
    """The constants with which a nest begins, its other lines with parameters for the bounds of the outermost loop, and what these are. Of constants a compiler
    may know more in front of a call."""
    count = next((k for k, x in enumerate(text) if not _CONSTANT.fullmatch(x)), 0)
    before, text = text[:count], text[count:]
    m = _HEAD.fullmatch(text[0])
    return (before, text, ()) if m is None else (before, [_head(m), *text[1:]], (m[3], m[4]))


def _head(m: re.Match[str]) -> str:
    return f"{m[1]}for (int64_t {m[2]} = sol_first; {m[2]} < sol_stop; ++{m[2]}) {{"


def _pointers(cx: Context) -> dict[str, str]:
    """Arrays into which no other name of the function points."""
    arrays = ((k, d) for k, d in cx.program.data.items() if isinstance(d, Array))
    return {cx.names.data(k): "*" for k, d in arrays if d.storage == "host" and memory_of(cx).restrict(k)}


def _define(cx: Context, f: _Function) -> str:
    """Write the function into the file, if it is not there; its name."""
    known = cx.tables.nests
    if f.key in known:
        return known[f.key][0]
    name = f"sol_nest_{len(known) + 1}"
    parameters = [f"const int64_t {x}" for x, _ in zip(("sol_first", "sol_stop"), f.bounds)]
    for k, (x, kind) in enumerate(f.parameters.items()):
        parameters.append(f"T{k}& {x}" if kind == "&" else f"const T{k} {'__restrict ' if kind else ''}{x}")
    types = ", ".join(f"class T{k}" for k in range(len(f.parameters)))
    indent = len(f.lines[0]) - len(f.lines[0].lstrip()) - 2
    known[f.key] = (
        name,
        [
            *([f"template <{types}>"] if types else []),
            f"SOL_APART static void {name}({', '.join(parameters)}) {{",
            *(x[indent:] for x in f.lines),
            "}",
        ],
    )
    return name


def _call(cx: Context, name: str, f: _Function) -> list[str]:
    """The lines of a call."""
    indent = " " * (len(f.lines[0]) - len(f.lines[0].lstrip()))
    now = {x: cx.names.fresh(f"{x}_now") for x, kind in f.parameters.items() if kind == "&"}
    call = f"{name}({', '.join([*f.bounds, *(now.get(x, x) for x in f.parameters)])});"
    if not now and not f.before:
        return [f"{indent}{call}"]
    inside = [*map(str.strip, f.before), *(f"auto {y} = {x};" for x, y in now.items()), call]
    inside += [f"{x} = {y};" for x, y in now.items()]
    return [f"{indent}{{", *(f"{indent}  {x}" for x in inside), f"{indent}}}"]
