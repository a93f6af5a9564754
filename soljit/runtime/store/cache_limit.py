"""How much compiled code is kept: up to a limit, and what is used.

`tidy` looks after something new was kept, once an hour. It removes what nobody will finish (files that were being
written an hour ago), environments that were not used for 60 days, and, while there is more than the limit allows, the
programs that were used least lately: their records, then their libraries and texts. When a program was used says the
time of its records (`Cache.find` sets it), to an hour.
"""

from __future__ import annotations

import contextlib
import re
import stat
import time
from collections.abc import Iterator
from dataclasses import field

from soljit.base.records import dataclass
from soljit.runtime.store.cache_files import of_part
from soljit.runtime.store.cache_folder import MARKER, is_marked
from soljit.runtime.store.cache_removal import WRITING_SECONDS, Removed, remove_environment, remove_file
from soljit.runtime.store.environment import ENVIRONMENT
from soljit.runtime.system.guarded_folder import BY_DESCRIPTOR, Folder

KEEP_SECONDS = 60 * 86400  # of code of an environment that was not used meanwhile
TIDY_SECONDS = 3600
ENOUGH = 0.8  # of the limit is left, so that not each new program removes one
_STEM = "[0-9a-f]{40}"


@dataclass
class Program:
    """What is kept of one program: folders (below the root) and names of its files, when it was used, its bytes."""

    files: list[tuple[str, str]] = field(default_factory=list)
    used: float = 0.0
    size: int = 0


def tidy(root: str, limit: int, now: bool = False) -> None:
    """Remove what is not needed; `limit` in bytes, 0 for none. Does nothing if it was done during the last hour."""
    with contextlib.suppress(OSError), Folder.open(root) as folder:
        if not BY_DESCRIPTOR or not is_marked(folder):
            return
        if not now and time.time() - folder.info(MARKER).st_mtime < TIDY_SECONDS:
            return
        folder.touch(MARKER)
        _remove_old(folder)
        programs, others = contents(folder)
        size = others + sum(p.size for p in programs.values())
        if limit and size > limit:
            _remove_least_used(folder, list(programs.values()), size - int(limit * ENOUGH))


def size_of(root: str) -> int:
    """Bytes of all that is kept in soljit's folder."""
    with contextlib.suppress(OSError), Folder.open(root) as folder:
        programs, others = contents(folder)
        return others + sum(p.size for p in programs.values())
    return 0


def contents(root: Folder) -> tuple[dict[tuple[str, str], Program], int]:
    """What is kept of each program, by environment and name; bytes of all else."""
    programs: dict[tuple[str, str], Program] = {}
    others = 0
    for place, folder in folders(root):
        for name in folder.names():
            with contextlib.suppress(OSError):
                info = folder.info(name)
                stem = re.match(_STEM, name)
                if stem is None or not stat.S_ISREG(info.st_mode):
                    others += info.st_size if stat.S_ISREG(info.st_mode) else 0
                    continue
                p = programs.setdefault((place.partition("/")[0], stem[0]), Program())
                p.files.append((place, name))
                p.size += info.st_size
                p.used = max(p.used, info.st_mtime)
    return programs, others


def folders(root: Folder) -> Iterator[tuple[str, Folder]]:
    """Places and open folders of all that hold files of soljit's."""
    yield "", root
    for name in [n for n in root.names() if re.fullmatch(ENVIRONMENT, n) or n == "reports"]:
        with contextlib.suppress(OSError), root.below(name) as folder:
            if name == "reports":
                yield name, folder
                continue
            with contextlib.suppress(OSError), folder.below("objects") as objects:
                yield f"{name}/objects", objects
            with contextlib.suppress(OSError), folder.below("index") as index:
                for key in index.names():
                    with contextlib.suppress(OSError), index.below(key) as records:
                        yield f"{name}/index/{key}", records


def _remove_old(root: Folder) -> None:
    for name in root.names():
        if re.fullmatch(ENVIRONMENT, name):
            with contextlib.suppress(OSError):
                if time.time() - root.info(f"{name}/objects").st_mtime > KEEP_SECONDS:
                    remove_environment(root, name)
    for place, folder in folders(root):
        for name in folder.names():
            with contextlib.suppress(OSError):
                if of_part(name) and time.time() - folder.info(name).st_mtime > WRITING_SECONDS:
                    remove_file(folder, f"{place}/{name}".lstrip("/"), Removed())


def _remove_least_used(root: Folder, programs: list[Program], excess: int) -> None:
    for p in sorted(programs, key=lambda p: p.used):
        if excess <= 0:
            return
        removed = Removed()
        # records first, so that none is without its library; then libraries, whose checksums are in files beside them
        for place, name in sorted(p.files, key=lambda f: ("/index/" not in f[0], not f[1].endswith(".so"), f[1])):
            with contextlib.suppress(OSError), _opened(root, place) as folder:
                remove_file(folder, f"{place}/{name}", removed)
        excess -= removed.size


@contextlib.contextmanager
def _opened(root: Folder, place: str) -> Iterator[Folder]:
    with contextlib.ExitStack() as opened:
        folder = root
        for name in place.split("/"):
            folder = opened.enter_context(folder.below(name))
        yield folder
