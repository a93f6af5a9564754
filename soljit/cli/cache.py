"""`python -m soljit cache list | verify | clear`: what compiled code is kept on disk."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

from soljit.base import settings
from soljit.cli.screen import print_table
from soljit.runtime.calls.inspection import dtype_text
from soljit.runtime.store.cache import Cache, open_cache, why_private
from soljit.runtime.store.cache_files import read_text
from soljit.runtime.store.cache_limit import folders, size_of
from soljit.runtime.store.cache_removal import clear
from soljit.runtime.store.cache_verify import verify
from soljit.runtime.system.guarded_folder import Folder
from soljit.runtime.variants.variant import LeafRecord, Record, from_json

MOST_LINES = 50  # about faults


def as_text(size: int) -> str:
    """Bytes for people."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.1f} MB" if size >= 1e5 else f"{size / 1e3:.1f} kB"


def usage(opened: Cache) -> str:
    """How much is kept, and how much may be."""
    limit = settings.current().cache_size
    return f"{as_text(size_of(opened.root))} of {as_text(limit << 20) if limit else 'any number'}"


def records(root: Folder) -> Iterator[tuple[str, float, Record]]:
    """Environment, time of the last use, and content of every readable record."""
    for place, folder in folders(root):
        for name in folder.names() if "/index/" in place else ():
            try:
                record = from_json(json.loads(read_text(folder, f"{place}/{name}")))
                yield place.partition("/")[0], folder.info(name).st_mtime, record
            except (OSError, ValueError, KeyError, TypeError):  # also a record of another version
                continue


def cache(action: str, remove: bool = False) -> int:
    """Show, check or delete the folder's contents; the exit status is 1 if something is broken."""
    opened = open_cache(settings.current())
    if not opened.shared:
        print(f"no cache folder is in use: {why_private(settings.current())}")
        return 0
    if action == "clear":
        removed = clear(opened.root)
        print(f"{opened.root}: {as_text(removed.size)} freed")
        if removed.left:
            print(f"{len(removed.left)} files and folders that are not soljit's were left, such as {removed.left[0]}")
        return 0
    return check(opened, remove) if action == "verify" else show(opened)


def check(opened: Cache, remove: bool) -> int:
    """Tell what is broken, and remove it, if that is wanted."""
    count, faults = verify(opened.root, remove)
    for fault in faults[:MOST_LINES]:
        print(f"{fault.place}: {fault.why}")
    if len(faults) > MOST_LINES:
        print(f"and {len(faults) - MOST_LINES} more")
    left = verify(opened.root)[1] if remove else faults
    print(f"{opened.root}: {count} files, {len(faults)} faults" + (f", {len(left)} left" if remove else ""))
    return 1 if left else 0


def show(opened: Cache) -> int:
    """List the variants."""
    rows = []
    with Folder.open(opened.root) as root:
        for environment, used, record in records(root):
            params = ", ".join(describe(p) for p in record.params)
            when = time.strftime("%Y-%m-%d %H:%M", time.localtime(used))
            here = "yes" if environment == opened.environment else "no"
            size = library_size(root, f"{environment}/objects/{record.library.split(' ')[0]}")
            rows.append([f"{record.name}({params})", size, when, here])
    print_table(opened.root, ["variant", "library", "last used", "usable now"], rows)
    print(f"{len(rows)} variants, {usage(opened)}")
    return 0


def library_size(root: Folder, place: str) -> str:
    """Bytes of a library."""
    try:
        return as_text(root.info(place).st_size)
    except OSError:
        return "gone"


def describe(param: LeafRecord) -> str:
    """A parameter's type: "float64[:, :]", "int64"."""
    if not param.dtype:
        return param.kind
    name = dtype_text(param.dtype)
    return f"{name}[{', '.join(':' * param.ndim)}]" if param.kind == "array" else name
