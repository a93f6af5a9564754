"""`explain(brief=True)`: one line for each statement that calls Python, was refused something, computes in wider floats, needs memory or runs on threads or in vectors; what costs most first."""

from __future__ import annotations

import linecache
import os
from collections.abc import Callable, Sequence
from types import CodeType

from soljit.base.messages import cut
from soljit.base.remarks import Remark

_SOURCE, _TEXT, _SIZE = 44, 88, 56  # characters of a line of source, of a sentence, and of what stands beside others


def brief_lines(remarks: Sequence[Remark], code: CodeType) -> list[str]:
    """The lines for one variant, each with its statement."""
    statements: dict[tuple[str, int], list[Remark]] = {}
    for r in remarks:
        statements.setdefault((r.file, r.lines[0]), []).append(r)
    found = []
    for (file, line), told in statements.items():
        costs = [(k, text) for k, tell in enumerate(_PARTS) if (text := tell(told))]
        if costs:
            own = file == code.co_filename
            found.append((costs[0][0], not own, file, line, "; ".join(text for _, text in costs)))
    width = max((min(_SOURCE, len(linecache.getline(f, n).strip())) for _, _, f, n, _ in found), default=0)
    return [
        f"{line if not other else f'{os.path.basename(file)}:{line}':>5} | {cut(linecache.getline(file, line).strip(), _SOURCE):{width}} > {text}"
        for _, other, file, line, text in sorted(found)
    ]


def _calls(often: str) -> Callable[[Sequence[Remark]], str]:
    """What calls Python so often."""

    def tell(told: Sequence[Remark]) -> str:
        counts: dict[str, int] = {}
        for r in told:
            if r.kind == "python" and not r.done and r.facts.get("often") == often:
                what, count = str(r.facts["call"]), r.facts.get("count", 1)
                assert isinstance(count, int)
                counts[what] = counts.get(what, 0) + count
        counts = {what: n for what, n in counts.items() if f"{what}()" not in counts}  # a method is read and called
        names = [f"{what}{f' × {n}' if n > 1 else ''}" for what, n in counts.items()]
        return f"Python {often}: {', '.join(names)}" if names else ""

    return tell


def _wider(told: Sequence[Remark]) -> str:
    """Floats that become wider."""
    found = [r.facts for r in told if r.kind == "types" and "by" in r.facts]
    return ", ".join(dict.fromkeys(f"{x['before']} becomes {x['after']} by {x['by']}" for x in found))


_REFUSED = ("loop", "device", "vector", "threads", "fused", "check", "object")


def _refused(told: Sequence[Remark]) -> str:
    """What was not done: the weightiest, and how many others."""
    found = {r.text: r for r in told if not r.done and r.kind in _REFUSED}
    texts = sorted(found, key=lambda x: _REFUSED.index(found[x].kind))
    more = f" (and {len(texts) - 1} more)" if len(texts) > 1 else ""
    return cut(texts[0], _TEXT) + more if texts else ""


def _stored(told: Sequence[Remark]) -> str:
    """Arrays that are in memory."""
    sizes = [
        f"{r.facts['dtype']}[{', '.join(map(str, shape))}]"
        for r in told
        if r.kind in ("memory", "copy") and r.facts.get("stored") and isinstance(shape := r.facts["shape"], list)
    ]
    if not sizes:
        return ""
    return f"stores {cut(sizes[0], _SIZE)}" + (f" and {len(sizes) - 1} more" if len(sizes) > 1 else "")


def _fast(told: Sequence[Remark]) -> str:
    """What runs on threads, in vectors, on a device."""
    parts = []
    threads = [r for r in told if r.kind == "threads" and "threads" in r.facts]
    if threads:
        parts.append(f"threads where {where}" if (where := threads[0].facts["where"]) else "threads")
    vectors = {
        f"{r.facts['lanes']} {r.facts['dtype']}": None for r in told if r.kind == "vector" and "lanes" in r.facts
    }
    if vectors:
        parts.append(f"vectors of {', '.join(vectors)}")
    parts += dict.fromkeys(r.text for r in told if r.kind == "device" and r.done and r.text.startswith("runs on"))
    return "; ".join(cut(x, _SIZE) for x in parts)


_PARTS: tuple[Callable[[Sequence[Remark]], str], ...] = (
    _calls("at every step"),
    _calls("once"),
    _wider,
    _refused,
    _stored,
    _fast,
)
