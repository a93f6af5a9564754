"""What `explain()` prints: the function's source with remarks under its lines, or in brief, a line for each statement that costs or gains."""

from __future__ import annotations

import linecache
from collections.abc import Sequence
from types import CodeType

from soljit.base.errors import UnsupportedError
from soljit.base.remarks import Remark
from soljit.runtime.calls.brief import brief_lines
from soljit.runtime.calls.dispatchers import Trial
from soljit.runtime.calls.entry import Entry
from soljit.runtime.calls.inspection import not_compiled, remarks_of
from soljit.runtime.values.arguments import type_text
from soljit.runtime.variants.variant import Variant

Line = tuple[str, int]  # a file, and a line of it


def explain(entry: Entry, brief: bool) -> str:
    """The text, variant for variant; of those after the first one only what differs."""
    variants = entry.all_variants()
    if not variants:
        refused = [e for t in entry.tables.values() for _, e in t.refused]
        head = f"{entry.function.__qualname__} has not been compiled:"
        return "\n".join([head, *map(str, refused)]) if refused else not_compiled(entry)
    heads = [f"{entry.function.__qualname__}{v.signature()}" for v in variants]
    parts: list[str] = []
    first: list[Remark] = []
    for k, (v, head) in enumerate(zip(variants, heads)):
        found = remarks_of(entry, v, head)
        same = heads.count(head)
        number = f", variant {heads[: k + 1].count(head)} of {same}" if same > 1 else ""
        lines = [head + number, *(f"  {x}" for x in _calls_so_far(entry, v))]
        body = brief_lines(found, entry.function.__code__) if brief else _whole(entry, found, first if k else None)
        if k and not body:
            lines.append(f"  as {heads[0]}" if head != heads[0] else "  as the first variant")
        parts.append("\n".join([*lines, *body]))
        first = first or found
    return "\n\n".join([*parts, *_refusals(entry, brief)])


def _whole(entry: Entry, found: Sequence[Remark], first: Sequence[Remark] | None) -> list[str]:
    """The source with what is told of each line; `first`: what an earlier text tells, of which only other lines are told again."""
    code = entry.function.__code__
    under, before = _under(found), _under(first or ())
    own = range(code.co_firstlineno, _last_line(code) + 1)
    lines: list[str] = []
    for n in own:
        here = code.co_filename, n
        if first is None or under.get(here) != before.get(here):
            lines += _line(*here, under.get(here, []))
    if first is not None and lines:
        lines.insert(0, "  what differs from the first variant:")
    file = ""
    for here, told in sorted(under.items()):
        if here[0] == code.co_filename and here[1] in own or (first is not None and told == before.get(here)):
            continue
        if here[0] != file:
            file = here[0]
            lines.append(f"functions in {file}" if file != code.co_filename else "functions that it calls")
        lines += _line(*here, told)
    return lines


def _under(found: Sequence[Remark]) -> dict[Line, list[str]]:
    """The texts under each line."""
    under: dict[Line, dict[str, None]] = {}
    for r in found:
        under.setdefault((r.file, r.lines[0]), {})[r.whole] = None
    return {here: list(texts) for here, texts in under.items()}


def _line(file: str, n: int, told: Sequence[str]) -> list[str]:
    """A line of source with what is told of it."""
    return [f"{n:5} | {linecache.getline(file, n).rstrip()}", *(f"      >   {text}" for text in told)]


def _last_line(code: CodeType) -> int:
    """The last line of a function, with those in it."""
    own = [n for _, _, n in code.co_lines() if n]
    return max([code.co_firstlineno, *own, *(_last_line(c) for c in code.co_consts if isinstance(c, CodeType))])


# --- calls so far -----------------------------------------------------------------------------------------------------


def _refusals(entry: Entry, brief: bool) -> list[str]:
    """What was not compiled, each reason with the types of the first call that met it."""
    table = entry.tables.get(entry.settings.compilation())
    found: dict[str, str] = {}
    for types_, error in table.refused if table else ():
        text = str(error)
        if brief and isinstance(error, UnsupportedError) and error.loc.line:
            text = f"{error.loc.file}:{error.loc.line}: {error.message}"
        found.setdefault(text, ", ".join(type_text(t) for t in types_))
    return [f"{entry.function.__qualname__}({t}) runs in plain Python:\n{text}" for text, t in found.items()]


def _calls_so_far(entry: Entry, v: Variant) -> list[str]:
    """Which way calls went."""
    lines = []
    trial = entry.trial(v) if v.tried else None
    if v.tried and (v.record.python_work != "short" or (trial is not None and trial.plainly)):
        lines.append(_trial_text(trial))
    again, at_once = entry.given_up(v)
    if again:
        more = f", {at_once} ran there at once" if at_once else ""
        lines.append(f"{again} calls ran again in plain Python, mostly because an int did not fit 64 bits{more}")
    return lines


def _trial_text(t: Trial | None) -> str:
    """Which way calls go."""
    if t is None:
        return "runs as compiled code"
    if t.watched:
        return "runs as compiled code" + ("" if t.decided else ": how much of its time passes in Python is looked at")
    if not t.decided:
        return (
            "it does hardly anything but call Python: the next calls run in compiled code and in plain Python by turns"
        )
    times = f"{_time(t.compiled)} against {_time(t.python)} in the shortest of some calls of either"
    if t.plainly:
        return f"runs in plain Python (strict=True prevents it), since compiled code was slower: {times}"
    return f"runs as compiled code, which was faster than plain Python: {times}"


def _time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"
