"""Which folder is soljit's: the one that it made, with its marker inside.

A folder for compiled code that is new or empty is taken: soljit puts the file `CACHEDIR.TAG` into it, and from then on
it knows the folder by that file's content. A folder with other things in it and without the marker belongs to somebody
else; soljit then lives in a folder `soljit` inside, by the same rule. Where that is not possible either, or where
others may write, there is no folder. (So is a cache of a version that left no marker: it is left as it is.)

Programs that make backups know the marker by its first line (https://bford.info/cachedir/) and leave the folder out.
Folders are made for their owner alone, 0700, whatever the umask is.
"""

from __future__ import annotations

import os
import stat

from soljit.runtime.cache_files import new_part, of_part, read_file

MARKER = "CACHEDIR.TAG"
SUBFOLDER = "soljit"
CONTENT = b"""Signature: 8a477f597d28d172789f06886806bc55
# This folder was made by soljit, which keeps compiled code in it, and removes it again after a while.
# `python -m soljit cache clear` removes all of it. Other files may stand here, and stay.
"""


def own_folder(wanted: str) -> str | None:
    """The real path of the folder for compiled code: `wanted` or the one inside, as the head says; else None."""
    inside = os.path.join(wanted, SUBFOLDER)
    try:
        if not is_safe(wanted):
            return None
        if take(wanted):
            return os.path.realpath(wanted)
        if not os.path.islink(inside) and is_safe(inside) and take(inside):
            return os.path.realpath(inside)
    except OSError:
        pass
    return None


def is_safe(folder: str) -> bool:
    """Is the folder this user's, and nobody else can change what is in it? It is made if it is not there."""
    make_folder(folder)
    info = os.stat(folder)
    return not hasattr(os, "geteuid") or (info.st_uid == os.geteuid() and not info.st_mode & stat.S_IWOTH)


def take(folder: str) -> bool:
    """Is this folder soljit's? An empty one becomes it."""
    if is_marked(folder):
        return True
    if any(of_part(name) != MARKER for name in os.listdir(folder)):
        return is_marked(folder)  # somebody else's, unless another process was faster
    with new_part(os.path.join(folder, MARKER)) as part:
        with open(part, "r+b") as f:
            f.write(CONTENT)
        os.replace(part, os.path.join(folder, MARKER))
    return True


def is_marked(folder: str) -> bool:
    """Is soljit's marker in this folder?"""
    try:
        return read_file(os.path.join(folder, MARKER), links=False) == CONTENT
    except OSError:
        return False


def make_folder(path: str) -> None:
    """Make a folder, and those above it that are missing, which nobody else may enter."""
    if os.path.isdir(path):
        return
    above = os.path.dirname(path)
    if above not in ("", path):
        make_folder(above)
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:  # another process was faster, or it is a file
        if not os.path.isdir(path):
            raise
