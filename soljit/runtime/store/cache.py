"""Compiled code on disk: found again by content, never trusted blindly, never in the way.

    <folder>/<environment>/index/<key>/<name>.json   records of variants for one function and one list of argument types
    <folder>/<environment>/objects/<name>.so .cpp    libraries and texts, named by the hash of what they were made from
    <folder>/<environment>/objects/<name>.o          parts of libraries that many programs have
    <folder>/<environment>/objects/<name>-<arch>.cubin .json    kernels for one kind of device, and what is known of them

The environment names everything outside a function that matters (`environment`). Files appear complete, so that
processes can share a folder, and with checksums of their place and content (`cache_files`); what does not fit is
ignored and made anew. Every folder on the way is opened and looked at for each use (`guarded_folder`): what somebody else
could have changed is neither read nor written. Which folder is soljit's says `cache_folder`.

What cannot be kept there (read-only, somebody else's, full) is kept in a private temporary folder (`temporary`), and a
line of SOL_DEBUG says so.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import time
from collections.abc import Callable, Container, Iterator
from typing import NamedTuple, TypeVar

from soljit.base.errors import ToolchainError
from soljit.base.settings import Settings
from soljit.base.trace import say
from soljit.runtime.store import temporary
from soljit.runtime.store.cache_files import put_library, read_text, unsealed, whole_content, whole_library, write_text
from soljit.runtime.store.cache_folder import own_folder, take
from soljit.runtime.store.environment import environment_key, sources_key
from soljit.runtime.system.find_compiler import find_compiler
from soljit.runtime.system.fingerprint import digest
from soljit.runtime.system.guarded_folder import Folder, Unsafe, is_out_of_reach
from soljit.runtime.system.library import Library, load
from soljit.runtime.variants.variant import Record, from_json, to_json

T = TypeVar("T")
USED_SECONDS = 3600  # how exactly it is known when code was used last


class Cache(NamedTuple):
    """One folder of compiled code. `shared` is False for a private temporary one."""

    root: str
    environment: str
    shared: bool = True

    # --- records ------------------------------------------------------------------------------------------------------

    def find(self, key: str, known: Container[str] = ()) -> list[tuple[str, Record]]:
        """Names ("key/file") and contents of all records of this key but the known ones; `load` asks for their libraries."""
        place = f"{self.environment}/index/{key}"
        found = []
        try:
            with self._opened(place) as folder:
                for name in folder.names():
                    if name.endswith(".json") and f"{key}/{name}" not in known:
                        record = _record(folder, f"{place}/{name}")
                        if record is not None:
                            found.append((f"{key}/{name}", record))
                            self._used(folder, name)
        except OSError:
            pass
        return found

    def has(self, key: str) -> bool:
        """Tell whether records of this key are kept here."""
        try:
            with self._opened(f"{self.environment}/index/{key}") as folder:
                return any(name.endswith(".json") for name in folder.names())
        except OSError:
            return False

    def is_empty(self) -> bool:
        """Tell whether no records are kept here."""
        try:
            with self._opened(f"{self.environment}/index") as folder:
                return not folder.names()
        except OSError:
            return True

    def store(self, key: str, record: Record, limit: int = 0) -> str:
        """Keep a record, and no more than `limit` MiB in all; its name, "" if the disk did not want it."""
        from soljit.runtime.store.cache_limit import tidy

        body, same = (json.dumps(to_json(r), ensure_ascii=True) for r in (record, record._replace(steps=())))
        name = f"{record.library.partition('.')[0]}-{digest(same)[:16]}.json"  # whatever the times are
        if not self._write(f"{self.environment}/index/{key}/{name}", body):
            return ""
        tidy(self.root, limit << 20)
        return f"{key}/{name}"

    def _used(self, folder: Folder, name: str) -> None:
        """Note that a record was used: what was not for the longest time goes first."""
        with contextlib.suppress(OSError):
            if time.time() - folder.info(name).st_mtime > USED_SECONDS:
                folder.touch(name)
                with self._opened(self.environment) as above:
                    above.touch("objects")

    # --- libraries ----------------------------------------------------------------------------------------------------

    def put(self, name: str, content: bytes) -> str:
        """Keep a library or an image, here or in the private folder; how records name it. OSError if it can be kept nowhere."""
        place = f"{self.environment}/objects/{name}"
        try:
            with self._opened(f"{self.environment}/objects", make=True) as folder:
                put_library(folder, place, content)
        except OSError as e:
            say(1, f"compiled code is kept in a private folder: {e}")
            with self._private(make=True)._opened(f"{self.environment}/objects", make=True) as folder:
                put_library(folder, place, content)
        return f"{name} {digest(content)}"

    def library_name(self, stem: str) -> str:
        """How a record names the library `stem`.so, "file checksum"; "" if it is not there or was damaged."""
        place = f"{self.environment}/objects/{stem}.so"
        for cache in self._places():
            with contextlib.suppress(OSError), cache._opened(f"{self.environment}/objects") as folder:
                name = whole_library(folder, place)
                if name and cache is not self:  # there may be room for it by now
                    return self.put(f"{stem}.so", folder.read(f"{stem}.so"))
                if name:
                    return name
        return ""

    def program_name(self, stem: str) -> str:
        """The same of a program to interpret, `stem`.json."""
        with contextlib.suppress(OSError):
            return f"{stem}.json {digest(self._content(f'{stem}.json')[1])}"
        return ""

    def load(self, library: str) -> Library:
        """Load what a record names "file checksum"; OSError if that does not work."""
        name, _, checksum = library.partition(" ")
        if not name.endswith(".json"):
            return self.load_with(library, load)
        try:
            cache, content = self._content(name, checksum)
            return Library.of_program(cache.object(name), unsealed(f"{self.environment}/objects/{name}", content))
        except ValueError as e:
            raise OSError(f"{name}: {e}") from e

    def load_new(self, library: str) -> Library:
        """`load` what was just compiled; what does not load is not kept."""
        try:
            return self.load(library)
        except OSError as e:
            self.forget(library)
            raise ToolchainError(f"compiled code cannot be loaded: {e}") from e

    def load_with(self, library: str, loaded: Callable[[str], T]) -> T:
        """What `loaded` makes of the path of a library that a record names "file checksum"; OSError if that does not work.

        It is the library's own path if nobody else can change what that leads to, else that of a copy of the content
        that was checked.
        """
        name, _, checksum = library.partition(" ")
        cache, content = self._content(name, checksum)
        with contextlib.suppress(OSError):
            if is_out_of_reach(cache.root):
                return loaded(cache.object(name))
        private = self._private(make=True)  # also where the system runs nothing from the shared folder
        with private._opened(f"{self.environment}/objects", make=True) as folder:
            if whole_library(folder, f"{self.environment}/objects/{name}") != library:
                put_library(folder, f"{self.environment}/objects/{name}", content)
        return loaded(private.object(name))

    def forget(self, library: str) -> None:
        """Remove a library that cannot be loaded."""
        for cache in self._places():
            with contextlib.suppress(OSError), cache._opened(f"{self.environment}/objects") as folder:
                folder.remove(library.partition(" ")[0])

    def _content(self, name: str, checksum: str = "") -> tuple[Cache, bytes]:
        for cache in self._places():
            with contextlib.suppress(OSError), cache._opened(f"{self.environment}/objects") as folder:
                content = folder.read(name)
                if checksum in ("", digest(content)):
                    return cache, content
        raise FileNotFoundError(f"{self.object(name)} is gone or was changed")

    def content(self, name: str) -> bytes:
        """What `put` has kept; OSError if it is gone or was changed."""
        place = f"{self.environment}/objects/{name}"
        for cache in self._places():
            with contextlib.suppress(OSError, ValueError), cache._opened(f"{self.environment}/objects") as folder:
                content = whole_content(folder, place)
                cache._used(folder, name)
                return content
        raise FileNotFoundError(f"{self.object(name)} is gone or was changed")

    # --- texts --------------------------------------------------------------------------------------------------------

    def keep(self, name: str, text: str) -> bool:
        """Keep a text beside the libraries; False if no disk wanted it."""
        place = f"{self.environment}/objects/{name}"
        try:
            return self._write(place, text) or self._private(make=True)._write(place, text)
        except OSError:
            return False

    def text(self, name: str) -> str:
        """A text kept beside the libraries; "" if it is gone."""
        for cache in self._places():
            with contextlib.suppress(OSError, ValueError), cache._opened(f"{self.environment}/objects") as folder:
                return read_text(folder, f"{self.environment}/objects/{name}")
        return ""

    def report(self, name: str, text: str) -> str:
        """Keep a text for people; its path, "" if the disk did not want it."""
        return os.path.join(self.root, "reports", name) if self._write(f"reports/{name}", text) else ""

    def object(self, name: str) -> str:
        """Path of a library or text, for people."""
        return os.path.join(self.root, self.environment, "objects", name)

    # --- folders ------------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _opened(self, place: str, make: bool = False) -> Iterator[Folder]:
        """A folder below the root, each on the way looked at; made if need be (somebody may have removed all meanwhile)."""
        if make and self.shared and not os.path.isdir(self.root):
            own_folder(self.root)
        with contextlib.ExitStack() as opened:
            folder = opened.enter_context(Folder.open(self.root))
            if make and self.shared and not take(folder):
                raise Unsafe(f"{self.root} is no longer soljit's")
            for name in place.split("/"):
                folder = opened.enter_context(folder.below(name, make))
            yield folder

    def _write(self, place: str, text: str) -> bool:
        try:
            with self._opened(os.path.dirname(place), make=True) as folder:
                write_text(folder, place, text)
        except OSError:
            return False
        return True

    def _places(self) -> list[Cache]:
        """Where to look: here, then in the private folder, if there is one."""
        return [self, self._private()] if temporary.existing() not in ("", self.root) else [self]

    def _private(self, make: bool = False) -> Cache:
        root = temporary.private_folder() if make else temporary.existing()
        return Cache(root, self.environment, False)


def _record(folder: Folder, place: str) -> Record | None:
    try:
        return from_json(json.loads(read_text(folder, place)))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def open_cache(settings: Settings) -> Cache:
    """The cache that these settings name, or a private one if that cannot be used."""
    return _open(settings.cxx, settings.cache, settings.cache_dir, os.environ.get("XDG_CACHE_HOME", ""))[0]


def why_private(settings: Settings) -> str:
    """Why no cache folder is used; "" if one is."""
    return _open(settings.cxx, settings.cache, settings.cache_dir, os.environ.get("XDG_CACHE_HOME", ""))[1]


@functools.lru_cache(maxsize=16)
def _open(cxx: str, shared: bool, folder: str, xdg: str) -> tuple[Cache, str]:
    compiler, reason = find_compiler(cxx) or "", "SOL_CACHE=0"
    wanted = folder or default_folder(xdg)
    if shared:
        try:
            if not folder and not os.path.isabs(wanted):
                raise FileNotFoundError("this user has no home folder")
            root = own_folder(wanted)
            return Cache(root, environment_key(compiler, root, sources_key())), ""
        except OSError as e:
            reason = str(e)
            say(1, f"the cache folder {wanted} cannot be used; compiled code is kept in a private folder: {reason}")
    try:
        root = temporary.private_folder()
    except OSError:
        root = ""  # whoever wants to keep something is told
    return Cache(root, environment_key(compiler, root, sources_key()), False), reason


def default_folder(xdg: str = "") -> str:
    """The user's folder for compiled code."""
    base = xdg if os.path.isabs(xdg) else os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "soljit")
