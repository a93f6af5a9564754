"""Temporary folders of this process: where the compiler works, and where code lives that has no other place.

There is one for a process, made when it is needed first, for this user alone, in a place where nobody else can put
another folder under its name. It goes when the process ends. If that was killed, another process removes it later: it
knows such a folder by its name and its marker (or that there is nothing in it), by its age of an hour, in which nothing was
put into it, and because nobody holds its lock.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import re
import sys
import time
from collections.abc import Iterator
from typing import Any

from soljit.runtime.store.cache_files import of_part
from soljit.runtime.store.cache_folder import MARKER, is_marked, mark
from soljit.runtime.system.guarded_folder import Folder, Unsafe, is_out_of_reach

PREFIX = "soljit-private-"
OLD_SECONDS = 3600
_LOCK = "lock"
_mine: dict[int, tuple[str, int]] = {}  # process: folder and its lock


def private_folder() -> str:
    """The folder of this process; OSError if there can be none."""
    path, _ = _mine.get(os.getpid(), ("", -1))
    if path and os.path.isdir(path):
        return path
    faults: list[OSError] = []
    for place in _places():
        try:
            path = os.path.realpath(_made(place))
        except OSError as e:
            faults.append(e)
            continue
        _remove_left(place)
        return path
    raise faults[0] if faults else FileNotFoundError("there is no temporary folder")


def existing() -> str:
    """The folder of this process if there is one, else ""."""
    return _mine.get(os.getpid(), ("", -1))[0]


def give_back() -> None:
    """Remove the folder of this process now, which ends without Python's last steps."""
    if path := existing():
        _remove(path)


@contextlib.contextmanager
def working_folder() -> Iterator[str]:
    """A new folder inside, for one run of the compiler."""
    folder = _new(private_folder(), "run-")
    try:
        yield folder
    finally:
        _remove(folder)


def _places() -> list[str]:
    """Where temporary folders may be made, the best first. (Not the current folder, which `tempfile` also tries.)"""
    given = [os.environ.get(name, "") for name in ("TMPDIR", "TEMP", "TMP")]
    return [p for p in dict.fromkeys((*given, "/tmp", "/var/tmp", "/dev/shm")) if os.path.isdir(p)]


def _made(place: str) -> str:
    path = _new(os.path.realpath(place), PREFIX)
    try:
        if not is_out_of_reach(path):
            raise Unsafe(f"others can put another folder in the place of {path}")
        with Folder.open(path) as folder:
            mark(folder)
            folder.write_new(_LOCK, b"")
        lock = os.open(os.path.join(path, _LOCK), os.O_RDWR | getattr(os, "O_CLOEXEC", 0))
        _lock(lock)
    except OSError:
        _remove(path)
        raise
    _mine[os.getpid()] = path, lock
    atexit.register(_remove_if_owner, path, os.getpid())
    processes: Any = sys.modules.get("multiprocessing.util")  # whose children do not come to the end of Python
    if processes is not None:
        processes.Finalize(None, _remove_if_owner, (path, os.getpid()), exitpriority=0)
    return path


def _remove_if_owner(path: str, owner: int) -> None:
    if os.getpid() == owner:  # not in a forked child
        _remove(path)


def _remove_left(place: str) -> None:
    """Remove folders of processes that were killed."""
    if os.name != "posix":
        return  # nor does anybody else there remove what is in use
    begin = time.time() - OLD_SECONDS
    with os.scandir(place) as entries:
        for entry in entries:
            if re.fullmatch(re.escape(PREFIX) + "[0-9a-f]{16}", entry.name):
                with contextlib.suppress(OSError):
                    if entry.stat(follow_symlinks=False).st_mtime <= begin:  # few are that old, and are opened
                        _remove_if_left(entry.path)


def _remove_if_left(path: str) -> None:
    with Folder.open(path) as folder:
        names = folder.names()
        started = is_marked(folder) or all(n == _LOCK or of_part(n) == MARKER for n in names)  # or hardly begun
        age = time.time() - (folder.info(_LOCK) if _LOCK in names else os.stat(path)).st_mtime
        if not started or age < OLD_SECONDS:
            return
    if _LOCK not in names:
        _remove(path)
        return
    lock = os.open(os.path.join(path, _LOCK), os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        _lock(lock)  # OSError if its process lives
        _remove(path)
    finally:
        os.close(lock)


def _new(place: str, prefix: str) -> str:
    path = os.path.join(place, prefix + os.urandom(8).hex())
    os.mkdir(path, 0o700)
    return path


def _lock(file: int) -> None:
    """Hold this file's lock until the process ends; OSError if another process holds it."""
    if os.name == "posix":
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _remove(path: str) -> None:
    """Remove a folder; what tells whose it is goes last, since this may be killed, too."""
    import shutil

    with contextlib.suppress(OSError):
        for name in sorted(os.listdir(path), key=lambda n: n in (MARKER, _LOCK)):
            inside = os.path.join(path, name)
            if os.path.isdir(inside) and not os.path.islink(inside):
                shutil.rmtree(inside, ignore_errors=True)
            else:
                os.unlink(inside)
        os.rmdir(path)
