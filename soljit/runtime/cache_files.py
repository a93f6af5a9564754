"""Files of the cache: private, there as a whole or not at all, and soljit's by what is in them.

Every text begins with a line of soljit's own, with the digest of all that follows: `soljit 3f0c…`, as a comment in
C++ (`// soljit 3f0c…`) and in programs (`# soljit 3f0c…`). A library has no such line: beside `name.so` stands the text
`name.sum` with the library's name and digest. So each file says by itself that soljit wrote it, and that nobody changed
it since:

    a file is soljit's if its name is one that soljit gives, it is a plain file, and its digest fits

(`is_soljits`). A file that is being written is named `name.PROCESS.RANDOM.part`; of a half-written one only this name
can tell whose it is. A file that is not soljit's is never overwritten: it is moved aside, to `name.RANDOM.aside`.
Files are made for their owner alone, 0600, whatever the umask is.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterator

from soljit.runtime.fingerprint import digest

_NOT_THROUGH_LINKS = getattr(os, "O_NOFOLLOW", 0)
_PLAIN = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _PLAIN  # a pipe without a writer waits for none
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOT_THROUGH_LINKS | _PLAIN
_COMMENTS = {".cpp": "// ", ".ir": "# ", ".ir0": "# "}
_LIBRARY = r"(?:[0-9a-f]{40}|dispatch-[0-9a-f]{16})\.so"  # compiled when used: a cache hit does not need them
_TEXT = (
    r"[0-9a-f]{40}\.(?:cpp|ir|ir0|json|sum|log)"  # of a program; records
    r"|dispatch-[0-9a-f]{16}\.(?:sum|log)"
    r"|toolchain-[0-9a-f]{16}\.json"
    r"|.+-[0-9a-f]{8}\.txt"  # reports
)
_PART = r"(.+)\.[0-9]+\.[0-9a-f]{8}\.part"


def read_file(path: str, folder: int | None = None, links: bool = True) -> bytes:
    """The whole plain file; `path` starts at the open folder `folder`, if one is given."""
    f = os.open(path, _READ | (0 if links else _NOT_THROUGH_LINKS), dir_fd=folder)
    try:
        if not stat.S_ISREG(os.fstat(f).st_mode):
            raise OSError(f"{path} is no plain file")
        with open(f, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(f)


def read_text(path: str) -> str:
    """A text of soljit's without its first line; OSError or ValueError if it is not there or not as it was written."""
    return unsealed(read_file(path, links=False))


def unsealed(content: bytes) -> str:
    """The text below the first line; ValueError if that does not fit."""
    head, end, text = content.partition(b"\n")
    comment, mark, seal = head.rpartition(b"soljit ")
    if not end or not mark or comment not in (b"", b"// ", b"# ") or seal.decode("ascii", "replace") != digest(text):
        raise ValueError("not as soljit wrote it")
    return text.decode("utf-8")


def sealed(name: str, text: str) -> bytes:
    """A text with its first line, as the file `name` holds it."""
    comment = _COMMENTS.get(os.path.splitext(name)[1], "")
    return f"{comment}soljit {digest(text)}\n{text}".encode()


def write_text(path: str, text: str) -> bool:
    """Write a text that appears as a whole or not at all; False if the disk did not want it."""
    content = sealed(path, text)
    try:
        with new_part(path) as part:
            with open(part, "r+b") as f:
                f.write(content)
            _make_way(path)
            os.replace(part, path)
    except OSError:
        return False
    return True


@contextlib.contextmanager
def new_part(path: str) -> Iterator[str]:
    """The name of a new empty file for what will be `path`; it is gone afterwards, unless it was renamed."""
    part = f"{path}.{os.getpid()}.{os.urandom(4).hex()}.part"
    os.close(os.open(part, _NEW, 0o600))
    try:
        yield part
    finally:
        with contextlib.suppress(OSError):
            os.unlink(part)


def put_library(part: str, path: str) -> None:
    """Give a new library its name; its digest is there first, so that no library is without."""
    if not os.path.getsize(part):
        raise OSError(f"the compiler wrote nothing into {part}")
    os.chmod(part, 0o600)
    _make_way(path)
    if not write_text(_sum(path), f"{os.path.basename(path)} {digest(read_file(part))}"):
        raise OSError(f"{_sum(path)} cannot be written")
    os.replace(part, path)


def whole_library(path: str) -> str:
    """What records call the library at `path`, "name digest"; "" if it is not there or not as it was made."""
    try:
        name = read_text(_sum(path))
        return name if name == f"{os.path.basename(path)} {digest(read_file(path))}" else ""
    except (OSError, ValueError):
        return ""


def is_soljits(path: str, folder: int | None = None) -> bool:
    """Did soljit write this file, and nobody change it? `path` starts at the open folder `folder`, if one is given."""
    name = os.path.basename(path)
    try:
        if re.fullmatch(_TEXT, name):
            unsealed(read_file(path, folder, links=False))
            return True
        if re.fullmatch(_LIBRARY, name):
            wanted = unsealed(read_file(_sum(path), folder, links=False))
            return wanted == f"{name} {digest(read_file(path, folder, links=False))}"
    except (OSError, ValueError):
        pass
    return False


def of_part(name: str) -> str:
    """What the half-written file `name` was to become; "" if it is none."""
    found = re.fullmatch(_PART, name)
    return found[1] if found else ""


def is_a_name(name: str) -> bool:
    """Is it a name that soljit gives to files?"""
    return bool(re.fullmatch(_TEXT, name) or re.fullmatch(_LIBRARY, name))


def _sum(path: str) -> str:
    return os.path.splitext(path)[0] + ".sum"


def _make_way(path: str) -> None:
    """Move aside what has the name of a new file and is not soljit's."""
    if os.path.lexists(path) and not is_soljits(path):
        os.rename(path, f"{path}.{os.urandom(4).hex()}.aside")
