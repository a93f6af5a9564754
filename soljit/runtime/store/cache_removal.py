"""Removing compiled code: files that are soljit's, and folders that are empty then; nothing else, and through no link.

Whose a file is says `cache_files.is_soljits`, whose a folder is `cache_folder`. The walk enters only folders that have
the names and places of soljit's, goes from one open folder to the next, and does not follow symbolic links. A file
that was being written is removed when it is an hour old.
"""

from __future__ import annotations

import contextlib
import re
import stat
import time
from dataclasses import field

from soljit.base.records import dataclass
from soljit.runtime.store.cache_files import is_a_name, is_soljits, of_part
from soljit.runtime.store.cache_folder import MARKER, is_marked
from soljit.runtime.store.environment import ENVIRONMENT
from soljit.runtime.system.guarded_folder import BY_DESCRIPTOR, Folder

WRITING_SECONDS = 3600  # that writing a file may take
FOLDERS = {  # kind of folder: names and kinds of those that it may hold
    "root": ((ENVIRONMENT, "environment"), ("reports", "reports")),
    "environment": (("objects", "objects"), ("index", "index")),
    "index": (("[0-9a-f]{40}", "key"),),
}


@dataclass
class Removed:
    """How much was removed, in bytes, and the paths of what was left because it is not soljit's."""

    size: int = 0
    left: list[str] = field(default_factory=list)


def clear(root: str) -> Removed:
    """Remove all that soljit has put into its folder but the marker."""
    removed = Removed()
    with Folder.open(root) as folder:
        if is_marked(folder) and BY_DESCRIPTOR:  # not on Windows: nothing is removed there
            _empty(folder, "root", "", removed)
    return removed


def remove_environment(root: Folder, name: str) -> None:
    """Remove all that soljit has kept under one environment."""
    _remove_folder(root, name, "environment", name, Removed())


def _empty(folder: Folder, kind: str, path: str, removed: Removed) -> None:
    """Remove what is soljit's in an open folder."""
    for name in sorted(folder.names(), key=lambda n: (not n.endswith(".so"), n)):  # checksums prove libraries
        if kind == "root" and name == MARKER:
            continue
        here = f"{path}/{name}" if path else name
        try:
            if stat.S_ISDIR(folder.info(name).st_mode):
                below = next((k for pattern, k in FOLDERS.get(kind, ()) if re.fullmatch(pattern, name)), "")
                gone = bool(below) and _remove_folder(folder, name, below, here, removed)
            else:
                gone = remove_file(folder, here, removed)
        except FileNotFoundError:
            continue  # another process removed it
        except OSError:
            gone = False
        if not gone:
            removed.left.append(here)


def _remove_folder(above: Folder, name: str, kind: str, path: str, removed: Removed) -> bool:
    """Remove a folder of soljit's; tell whether it was one. What it holds is gone then, or among `removed.left`."""
    with above.below(name) as folder:
        _empty(folder, kind, path, removed)
    with contextlib.suppress(OSError):  # something is left in it
        above.remove_folder(name)
    return True


def remove_file(folder: Folder, place: str, removed: Removed) -> bool:
    """Remove a file of soljit's; tell whether it was one. It is gone then, or is being written."""
    name = place.rpartition("/")[2]
    info = folder.info(name)
    wanted = of_part(name)
    if stat.S_ISREG(info.st_mode) and (wanted == MARKER or is_a_name(wanted)):
        if time.time() - info.st_mtime < WRITING_SECONDS:
            return True
    elif not is_soljits(folder, place):
        return False
    folder.remove(name)
    removed.size += info.st_size
    return True
