"""`python -m soljit cache list | clear`: what compiled code is kept on disk."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

from soljit.base import settings
from soljit.cli.screen import print_table
from soljit.runtime.cache import open_cache
from soljit.runtime.cache_files import read_text
from soljit.runtime.cache_removal import clear
from soljit.runtime.inspection import dtype_text
from soljit.runtime.variant import LeafRecord, Record, from_json


def size_of(folder: Path) -> int:
    """Bytes of all files below a folder."""
    return sum(p.lstat().st_size for p in folder.rglob("*") if p.is_file() and not p.is_symlink())


def as_text(size: int) -> str:
    """Bytes for people."""
    return f"{size / 1e6:.1f} MB" if size >= 1e5 else f"{size / 1e3:.1f} kB"


def records(root: Path) -> Iterator[tuple[Path, Record]]:
    """Every readable record of every environment."""
    for path in sorted(root.glob("*/index/*/*.json")):
        try:
            yield path, from_json(json.loads(read_text(str(path))))
        except (OSError, ValueError, KeyError, TypeError):  # also a record of another version
            continue


def cache(action: str) -> int:
    """Show or delete the folder's contents."""
    opened = open_cache(settings.current())
    root = Path(opened.root)
    if not opened.shared:
        print("no cache folder is in use (SOL_CACHE=0, or the folder cannot be used)")
        return 0
    if action == "clear":
        removed = clear(opened.root)
        print(f"{root}: {as_text(removed.size)} freed")
        if removed.left:
            print(f"{len(removed.left)} files and folders that are not soljit's were left, such as {removed.left[0]}")
        return 0
    rows = []
    for path, record in records(root):
        environment = path.relative_to(root).parts[0]
        library = root / environment / "objects" / record.library.split(" ")[0]
        params = ", ".join(describe(p) for p in record.params)
        made = time.strftime("%Y-%m-%d %H:%M", time.localtime(path.stat().st_mtime))
        size = as_text(library.stat().st_size) if library.exists() else "gone"
        here = "yes" if environment == opened.environment else "no"
        rows.append([f"{record.name}({params})", size, made, here])
    print_table(str(root), ["variant", "library", "made", "usable now"], rows)
    print(f"{len(rows)} variants, {as_text(size_of(root))}")
    return 0


def describe(param: LeafRecord) -> str:
    """A parameter's type: "float64[:, :]", "int64"."""
    if not param.dtype:
        return param.kind
    name = dtype_text(param.dtype)
    return f"{name}[{', '.join(':' * param.ndim)}]" if param.kind == "array" else name
