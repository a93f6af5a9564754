"""Programs that a run of tests lowers, kept as text: `SOL_TEST_PROGRAMS=folder` writes those of each test to a file of the folder.

With `ORACLE_TARGET=lowered`, that is all that happens to them: the function then runs in plain Python, as if it were refused.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from soljit.frontend_ast.lower import Lowered

FOLDER = os.environ.get("SOL_TEST_PROGRAMS", "")
LOWERED = "lowered"  # no target of soljit's
ROOT = str(Path(__file__).resolve().parent.parent)
_kept: list[str] = []


def install() -> None:
    """Keep what is lowered from now on."""
    if not FOLDER:
        return
    from soljit import driver
    from soljit.base.errors import UnsupportedError

    Path(FOLDER).mkdir(parents=True, exist_ok=True)
    lower_function = driver.lower_function

    def kept(function: Any, *args: Any, **options: Any) -> Lowered:
        try:
            lowered = lower_function(function, *args, **options)
        except UnsupportedError as e:
            _kept.append(str(e))
            raise
        _kept.append(lowered_text(lowered))
        if os.environ.get("ORACLE_TARGET") == LOWERED:
            raise UnsupportedError("this function is only lowered", lowered.program.loc)
        return lowered

    driver.lower_function = kept


def lowered_text(lowered: Lowered) -> str:
    """All that the front end tells of a function."""
    from soljit.ir.text.printer import to_text

    told = (
        *(f"# {n}" for n in lowered.notes),
        *(f"# depends on {d.path}" for d in lowered.dependencies),
        *(f"# captures {path}" for path in lowered.captures),
        *(f"# twin {path} of {other}" for path, other in lowered.twins),
        *(f"# {name}" for name in ("identity", "moved") if getattr(lowered, name)),
    )
    return "\n".join((to_text(lowered.program, lines=True), *told))


def readable(text: str) -> str:
    """Without what differs between two processes: addresses, folders, numbers of temporary files and of classes without a name."""
    text = re.sub(r"0x[0-9a-f]{6,}", "0x…", text.replace(ROOT, "."))
    text = re.sub(r"/\S*?soljit-oracle-\w+/text_\d+_\d+\.py", "text.py", text)
    text = re.sub(r"\btext_\d+_\d+\b", "text", text)
    return re.sub(r"(soljit\.base\.python\.unnamed\.\w+?)_\d+\b", r"\1", text)


def write(nodeid: str) -> None:
    """Write what a test lowered. (While it is lowered nothing may be written: `tests/effects.py`.)"""
    if _kept:
        name = re.sub(r"[^\w.\[\]-]+", "-", nodeid.replace(ROOT, "").removeprefix("tests/"))[:180]
        Path(FOLDER, f"{name}.txt").write_text("\n\n".join(map(readable, _kept)) + "\n", errors="backslashreplace")
        _kept.clear()
