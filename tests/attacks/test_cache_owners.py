"""What somebody else could have written is not believed: at any level of the cache, at any use, in any kind of place."""

from __future__ import annotations

import ctypes
import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from soljit.runtime.system import guarded_folder
from soljit.runtime.system.guarded_folder import Folder, Unsafe, is_out_of_reach
from tests.attacks.caches import ASKED, BELIEVED, NOBODY, PROGRAM, ask, copy, filled, run

pytestmark = pytest.mark.skipif(not guarded_folder.BY_DESCRIPTOR, reason="owners and modes as POSIX has them")
as_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return filled(tmp_path_factory.mktemp("warm") / "cache")


def place(folder: Path, level: str) -> Path:
    """The file or folder of that level on the way to the code of `doubled`."""
    (environment,) = (p for p in folder.iterdir() if p.is_dir())
    if level in ("environment", "objects", "index"):
        return environment / level if level != "environment" else environment
    if level == "cache":
        return folder
    used = [p for p in (environment / "index").rglob("*.json") if '"doubled"' in p.read_text()]
    (record,) = used
    library = environment / "objects" / f"{record.name[:40]}.so"
    return {"key": record.parent, "record": record, "library": library}[level]


LEVELS = ["cache", "environment", "index", "objects", "key", "record", "library"]


def group_writable(path: Path) -> None:
    path.chmod(stat.S_IMODE(path.stat().st_mode) | 0o020)


def world_writable(path: Path) -> None:
    path.chmod(stat.S_IMODE(path.stat().st_mode) | 0o002)


def somebody_elses(path: Path) -> None:
    os.chown(path, NOBODY, NOBODY)


def link(path: Path) -> None:
    """The same thing behind a link."""
    other = path.with_name("elsewhere")
    path.rename(other)
    path.symlink_to(other)


@pytest.mark.parametrize("way", [group_writable, world_writable, link, pytest.param(somebody_elses, marks=as_root)])
@pytest.mark.parametrize("level", LEVELS)
def test_a_level_that_others_can_change(tmp_path: Path, warm: Path, level: str, way: Callable[[Path], None]) -> None:
    folder = copy(warm, tmp_path / "cache")
    assert ask(folder) == BELIEVED
    way(place(folder, level))
    if level == "cache" and way is link:
        assert ask(folder) == BELIEVED  # the user's own link to the user's own folder
    else:
        assert ask(folder) == ASKED


@as_root
def test_what_root_owns_is_believed(warm: Path) -> None:
    """As a cache in the image of a container is; asked by another user, who has nothing but the right to read."""
    if not all(p.stat().st_mode & stat.S_IXOTH for p in Path(np.__file__).parents):
        pytest.skip("NumPy is installed where other users cannot read")
    with tempfile.TemporaryDirectory(dir="/tmp") as outside:
        os.chmod(outside, 0o755)
        folder = copy(warm, Path(outside) / "cache")
        for p in [folder, *folder.rglob("*")]:
            p.chmod(0o755 if p.is_dir() else 0o644)
        os.seteuid(NOBODY)
        try:
            assert ask(folder) == BELIEVED
        finally:
            os.seteuid(0)


@pytest.mark.parametrize("umask", [0o000, 0o002, 0o022])
def test_folders_that_were_made_under_any_umask(tmp_path: Path, umask: int) -> None:
    """A folder that the user made, empty, is taken only if nobody else can write there."""
    before = os.umask(umask)
    try:
        folder = tmp_path / "cache"
        folder.mkdir()
        done = run(PROGRAM, folder, SOL_TARGET="interpreter")
    finally:
        os.umask(before)
    assert done.stdout == "10.0 ['compiled']\n", done.stderr
    assert bool(list(folder.iterdir())) == (umask == 0o022)
    below = [p for p in folder.rglob("*") if stat.S_IMODE(p.stat().st_mode) & 0o077]
    assert not below
    assert run(PROGRAM, folder, SOL_TARGET="interpreter").stdout.startswith("10.0 ['cache']") == (umask == 0o022)


@as_root
def test_a_cache_in_a_folder_of_somebody_else(tmp_path: Path, warm: Path) -> None:
    """Its owner can put another folder in its place at any time: code is loaded from a copy of what was checked."""
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    folder = copy(warm, theirs / "cache")
    assert is_out_of_reach(str(folder))
    somebody_elses(theirs)
    assert not is_out_of_reach(str(folder))
    loaded: list[str] = []
    opened = ctypes.CDLL.__init__

    def told(self: ctypes.CDLL, name: str, *args: object, **kwargs: object) -> None:
        loaded.append(name)
        opened(self, name, *args, **kwargs)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ctypes.CDLL, "__init__", told)
        assert ask(folder) == BELIEVED
    (path,) = loaded
    assert "/soljit-private-" in path and is_out_of_reach(path)


def test_which_paths_are_out_of_reach(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    path = str(tmp_path / "a" / "b" / "file")
    assert is_out_of_reach(path)
    for mode, safe in [(0o775, False), (0o757, False), (0o1777, True), (0o755, True), (0o700, True)]:
        (tmp_path / "a").chmod(mode)
        assert is_out_of_reach(path) == safe, oct(mode)
    (tmp_path / "link").symlink_to("a")
    assert not is_out_of_reach(str(tmp_path / "link" / "b" / "file"))


def test_a_folder_that_is_swapped_while_it_is_open(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir(mode=0o700)
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "file").write_text("planted")
    with Folder.open(str(tmp_path / "mine")) as folder:
        folder.write_new("file", b"mine")
        (tmp_path / "mine").rename(tmp_path / "old")
        (tmp_path / "theirs").rename(tmp_path / "mine")
        assert folder.read("file") == b"mine"


def test_why_is_told(tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o770)
    with pytest.raises(Unsafe, match=r"others may write in .*cache \(mode 0770\)"):
        Folder.open(str(tmp_path / "cache"))
    done = run("from soljit.cli.main import main\nmain(['cache'])", tmp_path / "cache")
    assert done.stdout.startswith("no cache folder is in use: others may write in ") and "0770" in done.stdout
    done = run("from soljit.cli.main import main\nmain(['cache'])", tmp_path / "cache", SOL_CACHE="0")
    assert done.stdout == "no cache folder is in use: SOL_CACHE=0\n"
