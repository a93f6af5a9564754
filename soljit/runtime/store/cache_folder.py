"""Which folder is soljit's: the one that it made, with its marker inside.

A folder for compiled code that is new or empty is taken: soljit puts the file `CACHEDIR.TAG` into it, and from then on
it knows the folder by that file's content. A folder with other things in it and without the marker belongs to somebody
else; soljit then lives in a folder `soljit` inside, by the same rule. Where that is not possible either, or where
others may write, there is no folder. (So is a cache of a version that left no marker: it is left as it is.) A folder
with the marker need not be writable: what is in it is used.

Programs that make backups know the marker by its first line (https://bford.info/cachedir/) and leave the folder out.
Folders are made for their owner alone, 0700, whatever the umask is.
"""

from __future__ import annotations

import os

from soljit.runtime.store.cache_files import of_part
from soljit.runtime.system.guarded_folder import Folder, Unsafe

MARKER = "CACHEDIR.TAG"
SUBFOLDER = "soljit"
CONTENT = b"""Signature: 8a477f597d28d172789f06886806bc55
# This folder was made by soljit, which keeps compiled code in it, and removes it again after a while.
# `python -m soljit cache clear` removes all of it. Other files may stand here, and stay.
"""


def own_folder(wanted: str) -> str:
    """The real path of the folder for compiled code: `wanted` or the one inside, as the head says; else OSError."""
    make_folder(wanted)
    path = os.path.realpath(wanted)
    with Folder.open(path) as folder:
        if take(folder):
            return path
        with folder.below(SUBFOLDER, make=True) as inside:
            if take(inside):
                return inside.path
    raise Unsafe(f"{inside.path} is not soljit's")


def take(folder: Folder) -> bool:
    """Tell whether this folder is soljit's. An empty one becomes it."""
    if is_marked(folder):
        return True
    if any(of_part(name) != MARKER for name in folder.names()):
        return is_marked(folder)  # somebody else's, unless another process was faster
    mark(folder)
    return True


def mark(folder: Folder) -> None:
    """Put soljit's marker into this folder."""
    part = f"{MARKER}.{os.getpid()}.{os.urandom(4).hex()}.part"
    folder.write_new(part, CONTENT)
    folder.rename(part, MARKER)


def is_marked(folder: Folder) -> bool:
    """Tell whether soljit's marker is in this folder."""
    try:
        return folder.read(MARKER) == CONTENT
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
