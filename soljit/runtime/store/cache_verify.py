"""Whether all that is kept is as it was written: each file of each environment is read, and compared with its digest.

Nothing of this is needed for correctness, since every file is checked when it is used: it tells whether a disk or a
backup has damaged something, and why code is compiled again.
"""

from __future__ import annotations

import contextlib
import json
import re
import stat
from typing import NamedTuple

from soljit.runtime.store.cache_files import is_a_name, is_soljits, of_aside, of_part, read_text
from soljit.runtime.store.cache_limit import folders
from soljit.runtime.store.environment import ENVIRONMENT
from soljit.runtime.system.elf import why_not_whole
from soljit.runtime.system.fingerprint import digest
from soljit.runtime.system.guarded_folder import BY_DESCRIPTOR, Folder
from soljit.runtime.variants.variant import from_json


class Fault(NamedTuple):
    """A file or folder, by its place below the root, and what is wrong."""

    place: str
    why: str


def verify(root: str, remove: bool = False) -> tuple[int, list[Fault]]:
    """The number of files that were looked at, and all faults; `remove`: broken files of soljit's go."""
    count, faults = 0, []
    with Folder.open(root) as opened:
        faults += _unsafe_folders(opened, "")
        for place, folder in folders(opened):
            for name in folder.names():
                here = f"{place}/{name}".lstrip("/")
                with contextlib.suppress(OSError):
                    if not place and not is_a_name(name) or of_part(name) or stat.S_ISDIR(folder.info(name).st_mode):
                        continue
                    count += 1
                    why = _fault(opened, folder, here)
                    if why:
                        faults.append(Fault(here, why))
                        if remove and BY_DESCRIPTOR and (is_a_name(name) or is_a_name(of_aside(name))):
                            folder.remove(name)
    return count, faults


def _fault(root: Folder, folder: Folder, place: str) -> str:
    name = place.rpartition("/")[2]
    if of_aside(name):
        return "was moved aside, because it was not as soljit had written it"
    if not is_a_name(name):
        return "is not soljit's"
    try:
        content = folder.read(name)
    except OSError as e:
        return str(e)
    if not is_soljits(folder, place):
        return "is not as soljit wrote it for this place"
    if name.endswith(".so"):
        return why_not_whole(content)
    return _fault_of_record(root, folder, place) if "/index/" in place else ""


def _fault_of_record(root: Folder, folder: Folder, place: str) -> str:
    try:
        name, _, checksum = from_json(json.loads(read_text(folder, place))).library.partition(" ")
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return "is no record"
    with (
        contextlib.suppress(OSError),
        root.below(place.partition("/")[0]) as environment,
        environment.below("objects") as objects,
    ):
        if digest(objects.read(name)) == checksum:
            return ""
    return f"the library {name} is gone or another one"


def _unsafe_folders(folder: Folder, place: str) -> list[Fault]:
    """Folders of soljit's that are not used, because somebody else could change them."""
    known = {0: f"{ENVIRONMENT}|reports", 1: "objects|index", 2: "[0-9a-f]{40}"}[place.count("/") + bool(place)]
    found = []
    for name in folder.names():
        if re.fullmatch(known, name):
            here = f"{place}/{name}".lstrip("/")
            try:
                with folder.below(name) as inside:
                    deeper = name == "index" or not place and name != "reports"
                    found += _unsafe_folders(inside, here) if deeper else []
            except OSError as e:
                found.append(Fault(here, f"is not used: {e}"))
    return found
