"""What a jitted function tells about itself: texts, types, times, remarks."""

from __future__ import annotations

import linecache
import os
import re
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from soljit.base.messages import cut
from soljit.base.remarks import Remark
from soljit.base.trace import Trace
from soljit.ir.core import types as ir_types
from soljit.ir.core.data import Data, Ref, Scalar
from soljit.ir.core.nodes import Let, Loop
from soljit.ir.core.types import obj
from soljit.ir.text.parser import from_text
from soljit.ir.walk import walk
from soljit.runtime.calls.entry import Entry
from soljit.runtime.store.cache import open_cache
from soljit.runtime.values.arguments import type_text
from soljit.runtime.variants.inspected_lines import absolute_lines
from soljit.runtime.variants.variant import LeafRecord, Variant
from soljit.schedule.address import Address
from soljit.schedule.given import first_line
from soljit.schedule.recipe import Recipe, Step
from soljit.schedule.text import to_text as recipe_text

_KINDS = {"c++": "cpp", "cpp": "cpp", "cuda": "cu", "ir": "ir", "ir0": "ir0"}


def texts(entry: Entry, kind: str) -> str:
    """A kept text of every variant: "c++", "ir" (optimized) or "ir0" (as the front end made it)."""
    if kind not in _KINDS:
        raise ValueError(f"there is no text {kind!r}; there are {', '.join(sorted(_KINDS))}")
    if not entry.all_variants():
        return not_compiled(entry)
    mark = "#" if kind.startswith("ir") else "//"
    heads = [f"{mark} {entry.function.__qualname__}{signature}\n" for signature in signatures(entry)]
    return "\n".join(
        head + re.sub(r"  # line \d+$", "", text, flags=re.M) for head, text in zip(heads, kept(entry, kind))
    )


def signatures(entry: Entry) -> list[str]:
    """The argument types of each variant."""
    return [v.signature() for v in entry.all_variants()]


def not_compiled(entry: Entry) -> str:
    """Why there is nothing to see yet."""
    head = f"{entry.function.__qualname__} has not been compiled yet"
    if not entry.patience.cost:
        return f"{head}: call it first"
    return f"{head}: {entry.patience.told()}; its method compile(*args) does it now"


def why_plainly(entry: Entry) -> str:
    """Why a call that has ended ran in plain Python, where nothing else has told."""
    settings = entry.settings
    if settings.disable:
        return "soljit is disabled"
    for v in entry.variants:
        if v.library.runs_in_python:
            return f"the target {settings.target!r} runs programs in Python, and takes no times of lines"
        if not v.record.timed:
            return f"code of the target {settings.target!r} takes no times of lines"
        if any(entry.given_up(v)):
            return "compiled code has given up on such calls, which run in plain Python at once"
        if (trial := entry.trial(v)) is not None and trial.runs:
            return "compiled code hardly does more than call Python: it is compared with plain Python, or was slower"
    return entry.plain.why or "nothing is compiled for it yet"


def tell_found(entry: Entry, v: Variant) -> None:
    """What SOL_DEBUG prints of a variant that was found on disk: what a compilation prints, as far as it is kept."""
    say = Trace(entry.function.__qualname__, entry.settings.debug).say
    signature = ", ".join(type_text(t) for t in v.types)
    say(1, f"found in the cache for ({signature}): {v.record.library.split()[0]}")
    times = ", ".join(f"{n} {1000 * s:.1f}" for n, s in v.record.steps if not n.startswith("pass "))
    say(2, f"compiling it took {times} ms")
    cache = open_cache(entry.settings)
    for level, kind, title in ((4, "ir0", "program as lowered"), (4, "ir", "program as optimized"), (5, "cpp", "code")):
        if entry.settings.debug >= level and (name := dict(v.record.texts).get(kind)):
            say(level, f"{title}\n{cache.text(name)}")


def kept(entry: Entry, kind: str) -> list[str]:
    """The same texts one by one, "" where none was kept; programs with the user's lines as remarks, counted from the function's first."""
    cache = open_cache(entry.settings)
    return [cache.text(dict(v.record.texts).get(_KINDS[kind], "")) for v in entry.all_variants()]


def programs(entry: Entry) -> list[tuple[str, dict[str, dict[str, str]]]]:
    """The optimized programs, and what the source calls otherwise."""
    return [(text, v.record.renamed) for text, v in zip(kept(entry, "ir"), entry.all_variants())]


def remarks(entry: Entry) -> list[Remark]:
    """The remarks about all variants."""
    name = entry.function.__qualname__
    return [r for v in entry.all_variants() for r in remarks_of(entry, v, name + v.signature())]


def remarks_of(entry: Entry, v: Variant, name: str) -> list[Remark]:
    """The remarks about a variant, which is called by this name in them."""
    code = entry.function.__code__
    rows = []
    for r in v.record.remarks:
        file = r.places[0][0] or code.co_filename
        lines = tuple(n + (0 if f else code.co_firstlineno) for f, n in r.places if (f or code.co_filename) == file)
        text, cure = (absolute_lines(x, code.co_firstlineno) for x in (r.text, r.cure))
        rows.append(Remark(r.kind, text, file, lines, r.done, cure, r.facts, name))
    return rows


def report(entry: Entry) -> list[dict[str, Any]]:  # any: texts and numbers
    """One row a variant."""
    rows = []
    for v, signature in zip(entry.all_variants(), signatures(entry)):
        rows.append(
            {
                "signature": signature,
                "origin": v.origin,
                "guards": list(v.record.guards),
                "captured": [".".join(name for _, name in d.path) for d in v.captured],
                "milliseconds": {name: round(1000 * s, 3) for name, s in v.record.steps},
                "journal": entry.journal(v),
                "kernels": _kernels(entry, v),
            }
        )
    return rows


def _kernels(entry: Entry, v: Variant) -> list[dict[str, Any]]:  # any: texts and numbers
    """The kernels of a variant: name, the user's line, and what each takes on the device (`devices.images.Resources`)."""
    first = entry.function.__code__.co_firstlineno
    rows: list[dict[str, Any]] = []
    for name, file, line in v.record.kernels:
        taken = v.resources.get(name)
        place = {"file": file, "line": line} if file else {"line": line + first}
        rows.append({"name": name, **place, **(asdict(taken) if taken else {})})
    return rows


def types_text(entry: Entry) -> str:
    """Types of parameters, variables and results."""
    parts = []
    for v, program in zip(entry.all_variants(), kept(entry, "ir0")):
        parts.append(entry.function.__qualname__)
        parts += [f"  {n}: {type_text(t)}" for n, t in zip(entry.parameters.names, v.types)]
        for name, types_ in _variables(entry, program).items():
            parts.append(f"  {name} = {' | '.join(types_)}")
        parts.append(f"  -> {result_text(v.record.structure, v.record.results)}")
    return "\n".join(parts) or not_compiled(entry)


def schedule(entry: Entry, variant: int | None) -> str:
    """The steps of each variant as text, with the lines that they are about as comments; of one, if its number is given."""
    if not entry.all_variants():
        return f"# {not_compiled(entry)}\n"
    name, first = entry.function.__name__, first_line(entry.function.__code__)
    texts = [
        f"# {entry.function.__qualname__}{signature}\n{recipe_text(recipe, name, first, _lines_of_steps(entry, v, first))}"
        for v, signature, recipe in zip(entry.all_variants(), signatures(entry), recipes(entry))
    ]
    return "\n".join(texts) if variant is None else texts[variant]


_LONGEST = 48  # characters of a line in a comment


def _lines_of_steps(entry: Entry, v: Variant, first: int) -> Callable[[Step], str]:
    """What tells the lines that a step is about, `14: b = a + 1`; `first`: the line of the function's `def`."""
    code = entry.function.__code__
    made = {
        name: (file or code.co_filename, line + (0 if file else code.co_firstlineno))
        for name, file, line in v.record.made_at
    }

    def text(file: str, line: int) -> str:
        source = linecache.getline(file, line).strip()
        where = f"{line}" if file == code.co_filename else f"{os.path.basename(file)}:{line}"
        return f"{where}: {cut(source, _LONGEST)}" if source else ""

    def lines(s: Step) -> str:
        found: dict[tuple[str, int], None] = {}
        for x in s.operands:
            if isinstance(x, str) and x in made:
                found[made[x]] = None
            elif isinstance(x, Address) and x.line is not None:
                file = made[x.function][0] if x.function in made else code.co_filename
                found[file, first + x.line] = None
        return " | ".join(filter(None, (text(*here) for here in found)))

    return lines


def recipes(entry: Entry) -> list[Recipe]:
    """The steps of each variant."""
    return [Recipe.from_json(v.record.schedule) for v in entry.all_variants()]


def _variables(entry: Entry, text: str) -> dict[str, dict[str, None]]:
    """The types that the function's own variables have in a program, in the order in which they are met."""
    code = entry.function.__code__
    own = code.co_varnames[code.co_argcount + code.co_kwonlyargcount :] + code.co_cellvars
    found: dict[str, dict[str, None]] = {}
    program = from_text(text) if text else None
    if program is None:
        return found
    scalars = [(n.name, dtype_text(n.value.dtype.name)) for n in walk(program.body) if isinstance(n, Let)]
    loops = [
        (v, "int") for n in walk(program.body) for v in ([n.var] if isinstance(n, Loop) else getattr(n, "vars", ()))
    ]
    for name, type_ in [*((n, _data_text(d)) for n, d in program.data.items()), *scalars, *loops]:
        plain = re.sub(r"_\d+$", "", name)
        if plain in own:
            found.setdefault(plain, {})[type_] = None
    return {n: found[n] for n in own if n in found}


def _data_text(d: Data) -> str:
    if d.dtype is obj:
        return "a Python object"
    if isinstance(d, Scalar):
        return dtype_text(d.dtype.name)
    ndim = d.ndim if isinstance(d, Ref) else len(d.shape)
    return f"{dtype_text(d.dtype.name)}[{', '.join(':' * ndim)}]"


def dtype_text(name: str | None) -> str:
    """What NumPy calls an element type."""
    return next((t.numpy.name for t in ir_types.ALL if t.name == name), str(name))


def result_text(tree: Any, results: tuple[LeafRecord, ...]) -> str:  # any: JSON
    """The type of what is returned."""
    match tree:
        case None:
            return "None"
        case {"leaf": k}:
            r = results[k]
            if r.kind == "python":
                return ir_types.PYTHON_NAMES[ir_types.BY_NAME[r.dtype or "f64"].python]
            name = dtype_text(r.dtype)
            return f"{name}[{', '.join(':' * r.ndim)}]" if r.kind == "array" else name
        case {"const": value}:
            return repr(value)
        case {"either": [_, trees]}:
            return " | ".join(result_text(i, results) for i in trees)
        case {"param": name}:
            return f"the argument {name}"
        case {"tuple": items}:
            return "(" + ", ".join(result_text(i, results) for i in items) + ")"
        case {"list": items}:
            return "[" + ", ".join(result_text(i, results) for i in items) + "]"
        case {"dict": pairs}:
            return "{" + ", ".join(f"{k!r}: {result_text(i, results)}" for k, i in pairs) + "}"
        case {"namedtuple": [name, items]}:
            return f"{name}(" + ", ".join(result_text(i, results) for i in items) + ")"
        case {"dataclass": [name, fields]}:
            return f"{name}(" + ", ".join(f"{n}={result_text(i, results)}" for n, i in fields) + ")"
    return repr(tree)
