"""Folders that nobody but this user and root can change, reached from one open folder to the next.

A `Folder` is open: what it holds is read, written and removed through its descriptor, so that it stays the folder that
was looked at, whatever happens to its path. It is opened only if it is no link, belongs to this user or to root, and
gives nobody else the right to write; and so each folder and each file below it. That is asked at every use: modes
change. `Unsafe` says what is wrong.

Where the system has no descriptors of folders (Windows), paths take their place, and whose a file is is not asked.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from types import TracebackType
from typing import Any

BY_DESCRIPTOR = (
    {os.open, os.stat, os.mkdir, os.rename, os.unlink, os.rmdir} <= os.supports_dir_fd
    and os.listdir in os.supports_fd
    and sys.platform != "win32"
)
ROOT = 0
MOST_BYTES = 1 << 28  # of one file
_HERE = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _HERE
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | _HERE  # a pipe does not wait
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | _HERE
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


class Unsafe(OSError):
    """Somebody else could change this file or folder, or it is of another kind."""


class Folder:
    """See the head of this file. `path` is for people, and for those that know no descriptors."""

    __slots__ = ("fd", "path")

    def __init__(self, path: str, fd: int | None) -> None:
        self.path, self.fd = path, fd

    @classmethod
    def open(cls, path: str) -> Folder:
        """The folder at this path, whatever is above it; the last part is no link."""
        return cls(path, _open_checked(path, path, None))

    def below(self, name: str, make: bool = False) -> Folder:
        """The folder `name` inside, made for this user alone if it is not there and `make` says so."""
        path = os.path.join(self.path, name)
        try:
            return Folder(path, _open_checked(self._at(name), path, self.fd))
        except FileNotFoundError:
            if not make:
                raise
        with contextlib.suppress(FileExistsError):  # another process was faster
            os.mkdir(self._at(name), 0o700, dir_fd=self.fd)
        return Folder(path, _open_checked(self._at(name), path, self.fd))

    def __enter__(self) -> Folder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.fd is not None:
            os.close(self.fd)

    def _at(self, name: str) -> str:
        return name if self.fd is not None else os.path.join(self.path, name)

    def names(self) -> list[str]:
        """What is in the folder, in order."""
        return sorted(os.listdir(self.path if self.fd is None else self.fd))

    def info(self, name: str) -> os.stat_result:
        """Kind, size, times of one thing inside, not through a link."""
        return os.stat(self._at(name), dir_fd=self.fd, follow_symlinks=False)

    def has(self, name: str) -> bool:
        """Tell whether there is anything of this name."""
        try:
            self.info(name)
        except OSError:
            return False
        return True

    def read(self, name: str) -> bytes:
        """A whole plain file that nobody else can change."""
        path = os.path.join(self.path, name)
        _check_file(self.info(name), path)  # devices are not even opened
        fd = os.open(self._at(name), _READ, dir_fd=self.fd)
        try:
            _check_file(os.fstat(fd), path)
            with open(fd, "rb", buffering=0, closefd=False) as f:
                return f.read()
        finally:
            os.close(fd)

    def write_new(self, name: str, content: bytes) -> None:
        """Write a file that was not there, for this user alone."""
        fd = os.open(self._at(name), _NEW, 0o600, dir_fd=self.fd)
        with open(fd, "wb") as f:
            if hasattr(os, "fchmod"):
                os.fchmod(fd, 0o600)  # whatever the umask takes away
            f.write(content)

    def rename(self, old: str, new: str) -> None:
        """Give a thing another name; a file that has it is replaced."""
        os.replace(self._at(old), self._at(new), src_dir_fd=self.fd, dst_dir_fd=self.fd)

    def remove(self, name: str) -> None:
        """Remove a file, or a link and not what it leads to."""
        os.unlink(self._at(name), dir_fd=self.fd)

    def remove_folder(self, name: str) -> None:
        """Remove an empty folder."""
        os.rmdir(self._at(name), dir_fd=self.fd)

    def touch(self, name: str) -> None:
        """Let a thing be as young as can be."""
        if self.fd is None or os.utime in os.supports_dir_fd:  # not every system does this by descriptor
            os.utime(self._at(name), dir_fd=self.fd, **_no_link)


_no_link: dict[str, Any] = {"follow_symlinks": False} if os.utime in os.supports_follow_symlinks else {}


def _open_checked(name: str, path: str, above: int | None) -> int | None:
    if not BY_DESCRIPTOR:
        if not os.path.isdir(path):
            raise FileNotFoundError(path) if not os.path.lexists(path) else NotADirectoryError(path)
        return None
    fd = os.open(name, _FOLDER, dir_fd=above)
    try:
        check_owner(os.fstat(fd), path)
    except BaseException:
        os.close(fd)
        raise
    return fd


def _check_file(info: os.stat_result, path: str) -> None:
    if not stat.S_ISREG(info.st_mode):
        raise Unsafe(f"{path} is no plain file")
    if info.st_size > MOST_BYTES:
        raise Unsafe(f"{path} is too large")
    check_owner(info, path)


def check_owner(info: os.stat_result, path: str) -> None:
    """Unsafe, if somebody other than this user and root can change what `info` is about."""
    if not hasattr(os, "geteuid") or sys.platform == "win32":
        return
    if info.st_uid not in (os.geteuid(), ROOT):
        raise Unsafe(f"{path} belongs to the user {info.st_uid}")
    if info.st_mode & _OTHERS_WRITE:
        raise Unsafe(f"others may write in {path} (mode {stat.S_IMODE(info.st_mode):04o})")


def is_out_of_reach(path: str) -> bool:
    """Tell whether nobody but this user and root can change which file this path names. For paths whose last folders were checked."""
    if not hasattr(os, "geteuid") or sys.platform == "win32":
        return True
    trusted = {os.geteuid(), ROOT, os.stat(os.sep).st_uid}  # root has another number where users are mapped
    while (above := os.path.dirname(path)) != path:
        path = above
        info = os.lstat(path)
        shared = info.st_mode & _OTHERS_WRITE and not info.st_mode & stat.S_ISVTX
        if not stat.S_ISDIR(info.st_mode) or info.st_uid not in trusted or shared:
            return False
    return True
