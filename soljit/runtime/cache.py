"""Compiled code on disk: found again by content, never trusted blindly, never in the way.

    <folder>/<environment>/index/<key>/<name>.json   records of variants for one function and one list of argument types
    <folder>/<environment>/objects/<name>.so .cpp    libraries and texts, named by the hash of what they were made from

The environment names everything outside a function that matters: Python, NumPy, the compiler, the processor, soljit's
own sources. Files appear complete, so that processes can share a folder, and with checksums (`cache_files`); what does
not fit is ignored and made anew. Which folder is soljit's says `cache_folder`. If none can be used (read-only, owned by
somebody else, full), a private temporary one is used and a line of SOL_DEBUG says so.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
from collections.abc import Container
from typing import NamedTuple

import numpy as np

from soljit.base.settings import TARGETS, Settings
from soljit.base.trace import say
from soljit.runtime.cache_files import read_file, read_text, whole_library, write_text
from soljit.runtime.cache_folder import is_safe, make_folder, own_folder, take
from soljit.runtime.compiler import compiler_identity, cpu_identity, find_compiler, python_identity
from soljit.runtime.fingerprint import digest
from soljit.runtime.variant import Record, from_json, to_json

FORMAT = "2"
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Cache(NamedTuple):
    """One folder of compiled code. `shared` is False for a private temporary one."""

    root: str
    environment: str
    shared: bool = True

    def object(self, name: str) -> str:
        """Path of a library or text."""
        return os.path.join(self.root, self.environment, "objects", name)

    def folder_of(self, key: str) -> str:
        """Where the records of a key are."""
        return os.path.join(self.root, self.environment, "index", key)

    def find(self, key: str, known: Container[str] = ()) -> list[tuple[str, Record]]:
        """Names ("key/file") and contents of all intact records of this key but the known ones."""
        folder = self.folder_of(key)
        try:
            names = sorted(n for n in os.listdir(folder) if n.endswith(".json"))
        except OSError:
            return []
        found = [(f"{key}/{n}", self._read(os.path.join(folder, n))) for n in names if f"{key}/{n}" not in known]
        return [(n, r) for n, r in found if r is not None]

    def _read(self, path: str) -> Record | None:
        try:
            record = from_json(json.loads(read_text(path)))
            return record if self.intact(record.library) else None
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def store(self, key: str, record: Record) -> str:
        """Keep a record; its name, "" if the disk did not want it."""
        body = json.dumps(to_json(record), ensure_ascii=True)
        name = f"{digest(body)}.json"
        return f"{key}/{name}" if self.write(os.path.join(self.folder_of(key), name), body) else ""

    def intact(self, library: str) -> bool:
        """Is the file there that a record names "file checksum", with that content?"""
        name, _, checksum = library.partition(" ")
        try:
            return digest(read_file(self.object(name))) == checksum
        except OSError:
            return False

    def library_path(self, record: Record) -> str:
        """Path of the record's library."""
        return self.object(record.library.split(" ")[0])

    def library_name(self, stem: str) -> str:
        """How a record names the library `stem`.so, "file checksum"; "" if it is not there or was damaged."""
        return whole_library(self.object(f"{stem}.so"))

    def keep(self, name: str, text: str) -> bool:
        """Keep a text beside the libraries; False if the disk did not want it."""
        return self.write(self.object(name), text)

    def text(self, name: str) -> str:
        """A text kept beside the libraries; "" if it is gone."""
        try:
            return read_text(self.object(name))
        except (OSError, ValueError):
            return ""

    def write(self, path: str, text: str) -> bool:
        """Write a text below the root; False if the disk did not want it."""
        try:
            self.make(os.path.dirname(path))
        except OSError:
            return False
        return write_text(path, text)

    def make(self, folder: str) -> None:
        """See to it that this folder below the root is there: somebody may have removed all since the start."""
        if not is_safe(self.root) or (self.shared and not take(self.root)):
            raise OSError(f"{self.root} is no longer soljit's")
        make_folder(folder)


def open_cache(settings: Settings) -> Cache:
    """The cache that these settings name, or a private one if that cannot be used."""
    return _open(settings.cxx, settings.cache, settings.cache_dir, os.environ.get("XDG_CACHE_HOME", ""))


@functools.lru_cache(maxsize=16)
def _open(cxx: str, shared: bool, folder: str, xdg: str) -> Cache:
    environment = environment_key(find_compiler(cxx) or "")
    wanted = folder or default_folder(xdg)
    root = usable_folder(wanted, environment) if shared else None
    if root is not None:
        return Cache(root, environment)
    if shared:
        say(1, f"the cache folder {wanted} cannot be used; compiled code is kept in a private folder")
    return Cache(private_folder(environment), environment, False)


def usable_folder(wanted: str, environment: str) -> str | None:
    """The folder for code that `wanted` names, if code can be kept there and nobody else can change it; else None."""
    root = own_folder(wanted)
    if root is None:
        return None
    objects = os.path.join(root, environment, "objects")
    try:
        if not os.path.isdir(objects):
            from soljit.runtime.cache_removal import prune

            prune(root)
            make_folder(objects)
    except OSError:
        return None
    return root if os.access(objects, os.W_OK | os.X_OK) else None


def default_folder(xdg: str = "") -> str:
    """The user's folder for compiled code."""
    base = xdg if os.path.isabs(xdg) else os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "soljit")


def private_folder(environment: str) -> str:
    """A temporary folder of this process, removed at its end."""
    import tempfile

    folder = tempfile.mkdtemp(prefix="soljit-")
    make_folder(os.path.join(folder, environment, "objects"))
    atexit.register(_remove_if_owner, folder, os.getpid())
    return folder


def _remove_if_owner(folder: str, owner: int) -> None:
    if os.getpid() == owner:  # not in a forked child
        import shutil

        shutil.rmtree(folder, ignore_errors=True)


@functools.lru_cache(maxsize=4)
def environment_key(compiler: str) -> str:
    """A name for everything outside the function that compiled code depends on."""
    identity = compiler_identity(compiler) if compiler else "no compiler"
    numpy = f"{np.__version__} {np.__file__} {os.stat(np.__file__).st_mtime_ns}"
    limits = [
        os.environ.get(f"NPY_{verb}_CPU_FEATURES", "") for verb in ("ENABLE", "DISABLE")
    ]  # other loops, other bits
    return digest(FORMAT, python_identity(), numpy, identity, cpu_identity(), *limits, sources_key())[:20]


@functools.lru_cache(maxsize=4)
def target_key(name: str) -> str:
    """Changes when the installed package changes that brings this target; "" for a target of soljit."""
    if not name or name in TARGETS:
        return ""
    from importlib.metadata import entry_points
    from importlib.util import find_spec

    keys = []
    for e in entry_points(group="soljit.targets"):
        spec = find_spec(e.module.partition(".")[0]) if e.name == name else None
        if spec is not None:
            folders = list(spec.submodule_search_locations or ())
            file = spec.origin if not folders else None
            keys += [sources_key(f) for f in folders] + ([str(os.stat(file).st_mtime_ns)] if file else [])
    return digest(*keys)


@functools.lru_cache(maxsize=4)
def sources_key(package: str = PACKAGE) -> str:
    """Changes when any file of a package changes: names, sizes and times of its files."""
    parts = []
    for folder, folders, files in os.walk(package):
        folders[:] = sorted(f for f in folders if f != "__pycache__")
        for name in sorted(files):
            info = os.stat(os.path.join(folder, name))
            parts.append(f"{folder[len(package) :]}/{name} {info.st_size} {info.st_mtime_ns}")
    return digest(*parts)
