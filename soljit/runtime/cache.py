"""Compiled code on disk: found again by content, never trusted blindly, never in the way.

    <folder>/<environment>/index/<key>/<name>.json   records of variants for one function and one list of argument types
    <folder>/<environment>/objects/<name>.so .cpp    libraries and texts, named by the hash of what they were made from

The environment names everything outside a function that matters: Python, NumPy, the compiler, the processor, soljit's own
sources. Files appear complete (written aside, then renamed), so that processes can share a folder. A record carries a checksum, and the
checksum of its library; what does not fit is ignored and made anew. If the folder cannot be used (read-only, owned by somebody else,
full), a private temporary one is used and a line of SOL_DEBUG says so.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import shutil
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from soljit.base.settings import Settings
from soljit.runtime.compiler import compiler_identity, cpu_identity, find_compiler, python_identity
from soljit.runtime.fingerprint import digest
from soljit.runtime.variant import Record, from_json, to_json

FORMAT = "1"
PACKAGE = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Cache:
    """One folder of compiled code. `shared` is False for a private temporary one."""

    root: Path
    environment: str
    shared: bool = True

    @property
    def objects(self) -> Path:
        return self.root / self.environment / "objects"

    def folder_of(self, key: str) -> Path:
        """Where the records of a key are."""
        return self.root / self.environment / "index" / key

    def find(self, key: str) -> list[Record]:
        """All intact records of this key."""
        try:
            names = sorted(n for n in os.listdir(self.folder_of(key)) if n.endswith(".json"))
        except OSError:
            return []
        found = (self._read(self.folder_of(key) / n) for n in names)
        return [r for r in found if r is not None]

    def _read(self, path: Path) -> Record | None:
        try:
            checksum, _, body = path.read_text("utf-8").partition("\n")
            if checksum != digest(body):
                return None
            data = json.loads(body)
            name, library = data["library"].split(" ")
            content = (self.objects / name).read_bytes()
            if digest(content) != library:
                return None
            return from_json(data)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def store(self, key: str, record: Record) -> bool:
        """Keep a record; False if the disk did not want it."""
        body = json.dumps(to_json(record), ensure_ascii=True)
        text = f"{digest(body)}\n{body}"
        folder = self.folder_of(key)
        return write_file(folder / f"{digest(body)}.json", text.encode())

    def library_path(self, record: Record) -> str:
        """Path of the record's library."""
        return str(self.objects / record.library.split(" ")[0])

    def library_name(self, stem: str) -> str:
        """How a record names the library `stem`.so: file name and checksum."""
        return f"{stem}.so {digest((self.objects / f'{stem}.so').read_bytes())}"

    def text(self, name: str) -> str:
        """A text kept beside the libraries; "" if it is gone."""
        try:
            return (self.objects / name).read_text("utf-8")
        except OSError:
            return ""


def write_file(path: Path, content: bytes) -> bool:
    """Write a file so that it appears complete or not at all."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.{os.urandom(4).hex()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(content)
        os.replace(partial, path)
        return True
    except OSError:
        try:
            partial.unlink(missing_ok=True)
        except OSError:
            return False
        return False


def open_cache(settings: Settings) -> Cache:
    """The cache that these settings name, or a private one if that cannot be used."""
    environment = environment_key(find_compiler(settings.cxx) or "")
    if settings.cache:
        root = _usable(settings.cache_dir, environment)
        if root is not None:
            return Cache(root, environment)
    return Cache(private_folder(), environment, False)


@functools.lru_cache(maxsize=16)
def _usable(folder: str, environment: str) -> Path | None:
    root = Path(folder) if folder else default_folder()
    try:
        root.mkdir(parents=True, exist_ok=True, mode=0o700)
        info = root.stat()
        if hasattr(os, "geteuid") and (info.st_uid != os.geteuid() or info.st_mode & stat.S_IWOTH):
            return None  # code of somebody else, or that somebody else can change, is not run
        (root / environment / "objects").mkdir(parents=True, exist_ok=True)
        probe = root / environment / f"probe.{os.getpid()}"
        probe.write_bytes(b"")
        probe.unlink()
    except OSError:
        return None
    return root.resolve()


def default_folder() -> Path:
    """The user's folder for compiled code."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "soljit"


@functools.lru_cache(maxsize=1)
def private_folder() -> Path:
    """A temporary folder of this process, removed at its end."""
    folder = tempfile.mkdtemp(prefix="soljit-")
    atexit.register(_remove_if_owner, folder, os.getpid())
    return Path(folder)


def _remove_if_owner(folder: str, owner: int) -> None:
    if os.getpid() == owner:  # not in a forked child
        shutil.rmtree(folder, ignore_errors=True)


@functools.lru_cache(maxsize=4)
def environment_key(compiler: str) -> str:
    """A name for everything outside the function that compiled code depends on."""
    identity = compiler_identity(compiler) if compiler else "no compiler"
    numpy = f"{np.__version__} {np.__file__} {os.stat(np.__file__).st_mtime_ns}"
    return digest(FORMAT, python_identity(), numpy, identity, cpu_identity(), sources_key())[:20]


@functools.lru_cache(maxsize=1)
def sources_key() -> str:
    """Changes when any file of the package changes: names, sizes and times of its files."""
    parts = []
    for folder, folders, files in os.walk(PACKAGE):
        folders[:] = sorted(f for f in folders if f != "__pycache__")
        for name in sorted(files):
            info = os.stat(os.path.join(folder, name))
            parts.append(f"{os.path.relpath(folder, PACKAGE)}/{name} {info.st_size} {info.st_mtime_ns}")
    return digest(*parts)
