"""Removing compiled code: files that are soljit's, and folders that are empty then; nothing else, and through no link.

Whose a file is says `cache_files.is_soljits`, whose a folder is `cache_folder`. The walk enters only folders that have
the names and places of soljit's, goes from one open folder to the next, and does not follow symbolic links. A file
that was being written is removed when it is an hour old.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from soljit.runtime.cache_files import is_a_name, is_soljits, of_part
from soljit.runtime.cache_folder import MARKER, is_marked

KEEP_SECONDS = 60 * 86400  # of code of an environment in which nothing was compiled meanwhile
WRITING_SECONDS = 3600  # that writing a file may take
ENVIRONMENT = "[0-9a-f]{20}"
FOLDERS = {  # kind of folder: names and kinds of those that it may hold
    "root": ((ENVIRONMENT, "environment"), ("reports", "reports")),
    "environment": (("objects", "objects"), ("index", "index")),
    "index": (("[0-9a-f]{40}", "key"),),
}
_POSSIBLE = os.unlink in os.supports_dir_fd  # not on Windows: nothing is removed there


@dataclass
class Removed:
    """How much was removed, in bytes, and the paths of what was left because it is not soljit's."""

    size: int = 0
    left: list[str] = field(default_factory=list)


def clear(root: str) -> Removed:
    """Remove all that soljit has put into its folder but the marker."""
    removed = Removed()
    if is_marked(root) and _POSSIBLE:
        with _opened(root) as folder:
            _empty(folder, "root", "", removed)
    return removed


def prune(root: str) -> None:
    """Remove what environments left behind that nothing was compiled in for a while: old versions, say."""
    if not (is_marked(root) and _POSSIBLE):
        return
    with _opened(root) as folder:
        for name in os.listdir(folder):
            if re.fullmatch(ENVIRONMENT, name):
                with contextlib.suppress(OSError):
                    objects = os.stat(f"{name}/objects", dir_fd=folder, follow_symlinks=False)
                    if time.time() - objects.st_mtime > KEEP_SECONDS:
                        _remove_folder(folder, name, "environment", name, Removed())


@contextlib.contextmanager
def _opened(path: str, above: int | None = None) -> Iterator[int]:
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=above)
    try:
        yield folder
    finally:
        os.close(folder)


def _empty(folder: int, kind: str, path: str, removed: Removed) -> None:
    """Remove what is soljit's in an open folder."""
    for name in sorted(os.listdir(folder), key=lambda n: (not n.endswith(".so"), n)):  # checksums prove libraries
        if kind == "root" and name == MARKER:
            continue
        here = f"{path}/{name}" if path else name
        try:
            if stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                below = next((k for pattern, k in FOLDERS.get(kind, ()) if re.fullmatch(pattern, name)), "")
                gone = bool(below) and _remove_folder(folder, name, below, here, removed)
            else:
                gone = _remove_file(folder, name, removed)
        except FileNotFoundError:
            continue  # another process removed it
        except OSError:
            gone = False
        if not gone:
            removed.left.append(here)


def _remove_folder(above: int, name: str, kind: str, path: str, removed: Removed) -> bool:
    """Was it one of soljit's? Then what it holds is gone or among `removed.left`."""
    with _opened(name, above) as folder:
        _empty(folder, kind, path, removed)
    with contextlib.suppress(OSError):  # something is left in it
        os.rmdir(name, dir_fd=above)
    return True


def _remove_file(folder: int, name: str, removed: Removed) -> bool:
    """Was it one of soljit's? Then it is gone, or is being written."""
    info = os.stat(name, dir_fd=folder, follow_symlinks=False)
    wanted = of_part(name)
    if stat.S_ISREG(info.st_mode) and (wanted == MARKER or is_a_name(wanted)):
        if time.time() - info.st_mtime < WRITING_SECONDS:
            return True
    elif not is_soljits(name, folder):
        return False
    os.unlink(name, dir_fd=folder)
    removed.size += info.st_size
    return True
