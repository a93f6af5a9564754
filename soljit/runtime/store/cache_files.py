"""Files of the cache: private, there as a whole or not at all, soljit's by what is in them, and each for its place.

Every text begins with a line of soljit's own, with the digest of its place and of all that follows: `soljit 3f0c…`, as a
comment in C++ (`// soljit 3f0c…`) and in programs (`# soljit 3f0c…`). The place is the path below the cache's folder:
a file that was moved or swapped with another is nobody's. A library has no such line, an object file and an image of kernels have none: beside `name.so`,
`name.o` or `name.cubin` stands the text `name.sum` with its name and digest. So each file says by itself that soljit wrote it, for what, and that
nobody changed it since:

    a file is soljit's if its name is one that soljit gives, it is a plain file, and its digest fits

(`is_soljits`). A file that is being written is named `name.PROCESS.RANDOM.part`; of a half-written one only this name
can tell whose it is. A file that is not soljit's is never overwritten: it is moved aside, to `name.RANDOM.aside`.

Functions take the open folder (`guarded_folder`) that a file is in, and its place, which ends in its name.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator

from soljit.runtime.system.fingerprint import digest
from soljit.runtime.system.guarded_folder import Folder

_COMMENTS = {".cpp": "// ", ".cu": "// ", ".ir": "# ", ".ir0": "# "}
_OF_DEVICE = r"[0-9a-f]{40}-(?:sm_[0-9]{2,4}|emulated)"  # a program's kernels, for one kind of device
_OF_ALL = r"(?:dispatch|device|emulator|emulated)-[0-9a-f]{16}"  # the dispatcher, the layer above a driver, the emulated driver and its kernels
_LIBRARY = rf"(?:[0-9a-f]{{40}}|{_OF_ALL})\.so|[0-9a-f]{{40}}\.o|{_OF_DEVICE}\.cubin"  # compiled when used: a cache hit does not need them
_TEXT = (
    r"[0-9a-f]{40}\.(?:cpp|cu|ir|ir0|json|sum|log|later|object)"  # of a program; notes of `runtime/calls/maker.py`
    r"|[0-9a-f]{40}-[0-9a-f]{16}\.json"  # a record: the program's name, and its own
    rf"|{_OF_ALL}\.(?:sum|log)|emulated-[0-9a-f]{{16}}\.cu"
    rf"|{_OF_DEVICE}\.(?:sum|json)"
    r"|(?:toolchain|sources)-[0-9a-f]{16}\.json"
    r"|.+-[0-9a-f]{8}\.txt"  # reports
)
_PART = r"(.+)\.[0-9]+\.[0-9a-f]{8}\.part"
_ASIDE = r"(.+)\.[0-9a-f]{8}\.aside"


def read_text(folder: Folder, place: str) -> str:
    """A text of soljit's without its first line; OSError or ValueError if it is not there or not as it was written."""
    return unsealed(place, folder.read(os.path.basename(place)))


def unsealed(place: str, content: bytes) -> str:
    """The text below the first line; ValueError if that does not fit."""
    head, end, text = content.partition(b"\n")
    comment, mark, seal = head.rpartition(b"soljit ")
    fits = seal.decode("ascii", "replace") == digest(place, text)
    if not end or not mark or comment not in (b"", b"// ", b"# ") or not fits:
        raise ValueError("not as soljit wrote it")
    return text.decode("utf-8", "surrogatepass")


def sealed(place: str, text: str) -> bytes:
    """A text with its first line, as the file at `place` holds it."""
    comment = _COMMENTS.get(os.path.splitext(place)[1], "")
    return f"{comment}soljit {digest(place, text)}\n{text}".encode("utf-8", "surrogatepass")


def write_text(folder: Folder, place: str, text: str) -> None:
    """Write a text that appears as a whole or not at all; OSError if the disk does not want it."""
    write(folder, place, sealed(place, text))


def write(folder: Folder, place: str, content: bytes) -> None:
    """Write a file that appears as a whole or not at all; OSError if the disk does not want it."""
    with _part(folder, place, content) as part:
        folder.rename(part, os.path.basename(place))


def put_library(folder: Folder, place: str, content: bytes) -> None:
    """Write a library or an image; its digest is there first, so that none is without."""
    with _part(folder, place, content) as part:
        write_text(folder, _sum(place), f"{os.path.basename(place)} {digest(content)}")
        folder.rename(part, os.path.basename(place))


@contextlib.contextmanager
def _part(folder: Folder, place: str, content: bytes) -> Iterator[str]:
    """The name of a file with this content, which can be renamed then: what is not soljit's has made way."""
    name = os.path.basename(place)
    part = f"{name}.{os.getpid()}.{os.urandom(4).hex()}.part"
    try:
        folder.write_new(part, content)
        if folder.has(name) and not is_soljits(folder, place):
            folder.rename(name, f"{name}.{os.urandom(4).hex()}.aside")
        yield part
    except BaseException:  # also if somebody interrupts it
        with contextlib.suppress(OSError):
            folder.remove(part)
        raise


def whole_library(folder: Folder, place: str) -> str:
    """What records call the library at `place`, "name digest"; "" if it is not there or not as it was made."""
    try:
        return f"{os.path.basename(place)} {digest(whole_content(folder, place))}"
    except (OSError, ValueError):
        return ""


def whole_content(folder: Folder, place: str) -> bytes:
    """The library at `place`; OSError or ValueError if it is not there or not as it was made."""
    name = os.path.basename(place)
    told, content = read_text(folder, _sum(place)), folder.read(name)
    if told != f"{name} {digest(content)}":
        raise ValueError(f"{name} is not as soljit made it")
    return content


def is_soljits(folder: Folder, place: str) -> bool:
    """Tell whether soljit wrote this file for this place, and nobody changed it."""
    name = os.path.basename(place)
    if re.fullmatch(_LIBRARY, name):
        return bool(whole_library(folder, place))
    if not re.fullmatch(_TEXT, name):
        return False
    try:
        read_text(folder, place)
    except (OSError, ValueError):
        return False
    return True


def of_part(name: str) -> str:
    """What the half-written file `name` was to become; "" if it is none."""
    found = re.fullmatch(_PART, name)
    return found[1] if found else ""


def of_aside(name: str) -> str:
    """The name that a file had before it was moved aside; "" if it is none."""
    found = re.fullmatch(_ASIDE, name)
    return found[1] if found else ""


def is_a_name(name: str) -> bool:
    """Tell whether it is a name that soljit gives to files."""
    return bool(re.fullmatch(_TEXT, name) or re.fullmatch(_LIBRARY, name))


def _sum(place: str) -> str:
    return os.path.splitext(place)[0] + ".sum"
