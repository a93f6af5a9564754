"""A small file of what `python -m bench package` found for several packages: numbers, and what differs, without texts of failures and without places of this machine."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

_PLACE = re.compile(r"(?<![\w.])/[^\s'\",:;()]*/")  # the folders of a whole path
_MOST = 12  # differences of a package that are written out
_LONG = 160


def add(file: Path, results: dict[str, Any]) -> None:
    """Put the row of a package into the file, in place of an earlier one."""
    rows: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    rows[results["package"]] = row(results)
    file.write_text("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(rows.items())) + "\n}\n")


def row(results: dict[str, Any]) -> dict[str, Any]:
    """What is kept of one package."""
    modes, machine = results["modes"], results["machine"]
    kept = {k: machine[k] for k in ("cpu", "cores", "python", "commit", "date") if k in machine}
    return {
        "tests": _short(" ".join(results["tests"]), 600),
        "limits": results.get("limits", {}),
        "machine": kept | {"packages": {k: v for k, v in machine.get("packages", {}).items() if k == "numpy"}},
        **{mode: _mode(found, modes.get("plain", found)) for mode, found in modes.items()},
    }


def _mode(found: dict[str, Any], plain: dict[str, Any]) -> dict[str, Any]:
    tests, before = found["tests"], plain["tests"]
    outcomes = Counter(t["outcome"] for t in tests.values())
    kept: dict[str, Any] = {"outcomes": dict(outcomes), "whole": found["is_whole"]}
    kept |= {"seconds": round(found["seconds"], 1), "processor": round(found["processor"], 1)}
    functions = found.get("functions")
    if functions:
        counts = [sum(bool(f[k]) for f in functions.values()) for k in ("compiled", "refused")]
        kept["functions"] = dict(
            zip(("decorated", "called", "compiled", "refused"), (found["decorated"], len(functions), *counts))
        )
        kept["warnings"] = len(found["warnings"])
    if "checked" in found:
        kept["calls"] = [sum(f[k] for f in found["checked"]) for k in ("checked", "calls")]
        every = [(f["name"], d) for f in found["checked"] for d in f["differences"]]
        kept["differences"] = dict(Counter(d["kind"] for _, d in every))
        large = [(n, d) for n, d in every if d["kind"] != "last places"]
        kept["which"] = [_short(f"{d['kind']} {n} {d['where']}: {d['text']}") for n, d in large[:_MOST]]
    changed = [
        _short(f"{n}: {before[n]['outcome']} → {t['outcome']} {t.get('message', '')}")
        for n, t in tests.items()
        if n in before
        and "cut off" not in (t["outcome"], before[n]["outcome"])
        and t["outcome"] != before[n]["outcome"]
    ]
    return kept | ({"other outcomes": changed[:_MOST]} if changed else {})


def _short(text: str, most: int = _LONG) -> str:
    return " ".join(_PLACE.sub("", text).split())[:most]
