"""The cache folder is soljit's by its marker; nothing else is removed or overwritten."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from soljit.runtime.store.cache import Cache
from soljit.runtime.store.cache_files import is_soljits, put_library, read_text, sealed, unsealed, write_text
from soljit.runtime.store.cache_folder import CONTENT, MARKER, own_folder
from soljit.runtime.store.cache_limit import tidy
from soljit.runtime.store.cache_removal import clear
from soljit.runtime.system.fingerprint import digest
from soljit.runtime.system.guarded_folder import Folder
from soljit.runtime.variants.variant import Record

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT, OTHER = "0" * 20, "1" * 20
ELF = b"\x7fELF"
PROGRAM = """
import numpy as np, soljit
from soljit.runtime.store import cache
cache.sources_key = lambda: "fixed"  # so that the tests pass while somebody edits soljit
@soljit.jit(strict=True)
def halves(a):
    return a / 2
print(halves(np.ones(3))[0], halves.report()[0]["origin"], cache.open_cache(halves._entry.settings).root)
"""


def python(cache: Path, *words: str) -> str:
    """Run Python with this cache folder; what it printed."""
    env = os.environ | {"SOL_CACHE_DIR": str(cache), "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def tree(folder: Path, but: str = "") -> dict[str, bytes | None]:
    """Every path below a folder, with the content of files and the target of links."""
    found: dict[str, bytes | None] = {}
    for p in sorted(folder.rglob("*")):
        name = p.relative_to(folder).as_posix()
        if not but or name.split("/")[0] != but:
            found[name] = os.readlink(p).encode() if p.is_symlink() else p.read_bytes() if p.is_file() else None
    return found


def age(folder: Path, days: float = 70) -> None:
    """Let everything below a folder be that old."""
    then = time.time() - days * 86400
    for p in [folder, *folder.rglob("*")]:
        os.utime(p, (then, then), follow_symlinks=False)


def cache_at(folder: Path, environment: str = ENVIRONMENT) -> Cache:
    return Cache(own_folder(str(folder)), environment)


def filled(folder: Path) -> Cache:
    """A cache with one file of each kind."""
    cache = cache_at(folder)
    stem = digest("stem")
    assert cache.keep(f"{stem}.cpp", "int x;\n") and cache.keep(f"{stem}.ir", "x") and cache.keep(f"{stem}.ir0", "x")
    assert cache.keep(f"{stem}.json", "{}") and cache.keep(f"{stem}.log", "failed")
    assert cache.store(digest("key"), Record("f", f"{stem}.so {digest(ELF)}"))
    assert cache.report("f-0123abcd.txt", "a bug")
    assert cache.keep("toolchain-0123456789abcdef.json", "{}")
    cache.put(f"{stem}.so", ELF)
    cache.put("dispatch-0123456789abcdef.so", ELF)
    with Folder.open(cache.root) as root:
        write_text(root, "sources-0123456789abcdef.json", "text")
    return cache


def index(cache: Cache, key: str) -> Path:
    return Path(cache.root, cache.environment, "index", key)


def work_tree(folder: Path) -> Path:
    """A git work tree that somewhere has folders like those of a cache."""
    folder.mkdir()
    (folder / "objects").mkdir()
    (folder / "objects" / "a.so").write_bytes(b"precious")
    (folder / "sub" / "objects").mkdir(parents=True)
    (folder / "sub" / "objects" / "b.cpp").write_text("int main() {}\n")
    (folder / ENVIRONMENT / "objects").mkdir(parents=True)
    (folder / ENVIRONMENT / "objects" / f"{digest('x')}.so").write_bytes(b"precious")
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    subprocess.run(["git", "-C", str(folder), "add", "."], check=True)
    return folder


# --- which folder -----------------------------------------------------------------------------------------------------


def test_a_new_or_empty_folder_is_taken(tmp_path: Path) -> None:
    assert own_folder(str(tmp_path / "deep" / "new")) == str(tmp_path / "deep" / "new")
    (tmp_path / "empty").mkdir()
    for _ in range(2):
        assert own_folder(str(tmp_path / "empty")) == str(tmp_path / "empty")
    assert tree(tmp_path / "empty") == {MARKER: CONTENT}


def test_a_folder_with_other_things_is_used_through_one_inside(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("mine")
    for _ in range(2):
        assert own_folder(str(tmp_path)) == str(tmp_path / "soljit")
    assert tree(tmp_path, but="soljit") == {"notes": b"mine"}


@pytest.mark.parametrize(
    "content", [b"", CONTENT[:-1], CONTENT + b"\n", b"Signature: 8a477f597d28d172789f06886806bc55\n"]
)
def test_another_marker_is_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / MARKER).write_bytes(content)
    assert own_folder(str(tmp_path)) == str(tmp_path / "soljit")
    assert (tmp_path / MARKER).read_bytes() == content


def test_a_marker_that_is_no_plain_file_is_none(tmp_path: Path) -> None:
    (tmp_path / "marker").write_bytes(CONTENT)
    for name, make in {"link": lambda p: p.symlink_to("../marker"), "pipe": os.mkfifo, "folder": Path.mkdir}.items():
        (tmp_path / name).mkdir()
        make(tmp_path / name / MARKER)
        assert own_folder(str(tmp_path / name)) == str(tmp_path / name / "soljit")


def test_where_soljit_stands_already_no_folder_is_used(tmp_path: Path) -> None:
    (tmp_path / "a" / "soljit").mkdir(parents=True)
    (tmp_path / "a" / "soljit" / "__init__.py").write_text("")
    with pytest.raises(OSError, match="is not soljit's"):
        own_folder(str(tmp_path / "a"))
    (tmp_path / "b").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "b" / "soljit").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError):
        own_folder(str(tmp_path / "b"))
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_folder_that_another_process_is_taking(tmp_path: Path) -> None:
    (tmp_path / f"{MARKER}.12.0123abcd.part").write_bytes(b"")
    assert own_folder(str(tmp_path)) == str(tmp_path)


def test_a_folder_that_many_take_at_once(tmp_path: Path) -> None:
    def use(folder: Path) -> str | None:
        return own_folder(str(folder))

    with ThreadPoolExecutor(8) as pool:
        for k in range(40):
            folder = tmp_path / str(k)
            assert set(pool.map(use, [folder] * 8)) == {str(folder)}
            assert sorted(p.name for p in folder.iterdir()) == [MARKER]


def test_a_cache_of_a_version_without_markers_is_left_as_it_is(tmp_path: Path) -> None:
    old = tmp_path / "cache"
    (old / ENVIRONMENT / "objects").mkdir(parents=True)
    (old / ENVIRONMENT / "objects" / f"{digest('x')}.cpp").write_text("old")
    before = tree(old)
    age(old)
    assert cache_at(old).root == str(old / "soljit")
    assert tree(old, but="soljit") == before


def test_a_folder_that_was_removed_meanwhile_is_taken_again(tmp_path: Path) -> None:
    cache = filled(tmp_path / "cache")
    subprocess.run(["rm", "-r", str(tmp_path / "cache")], check=True)
    assert Cache(cache.root, ENVIRONMENT)._write("reports/x", "text")
    assert own_folder(str(tmp_path / "cache")) == str(tmp_path / "cache")
    subprocess.run(["rm", "-r", str(tmp_path / "cache")], check=True)
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "notes").write_text("mine")
    assert not cache._write("reports/x", "text")
    assert tree(tmp_path / "cache") == {"notes": b"mine"}


# --- what is removed --------------------------------------------------------------------------------------------------


def test_a_work_tree_survives_compiling_clearing_and_pruning(tmp_path: Path) -> None:
    work = work_tree(tmp_path / "work")
    before = tree(work)
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    age(work)
    assert python(work, str(script)) == f"0.5 compiled {work}/soljit\n"
    assert python(work, str(script)) == f"0.5 cache {work}/soljit\n"
    assert tree(work, but="soljit") == before
    age(work)
    tidy(str(work / "soljit"), 0)  # what was not used for long goes
    assert tree(work, but="soljit") == before
    assert not [p.name for p in (work / "soljit").iterdir() if p.is_dir()]
    python(work, str(script))
    assert "freed" in python(work, "-m", "soljit", "cache", "clear")
    assert tree(work, but="soljit") == before
    assert tree(work / "soljit") == {MARKER: CONTENT}


def test_clearing_removes_all_that_soljit_made(tmp_path: Path) -> None:
    cache = filled(tmp_path / "cache")
    assert len([p for p in tree(tmp_path / "cache").values() if p is not None]) == 14
    removed = clear(cache.root)
    assert removed.size > 100 and removed.left == []
    assert tree(tmp_path / "cache") == {MARKER: CONTENT}


def test_clearing_leaves_what_others_put_there(tmp_path: Path) -> None:
    cache = filled(tmp_path / "cache")
    root, objects = Path(cache.root), Path(cache.object(""))
    own = {
        root / "notes.txt": b"mine",
        root / "notes-0123abcd.txt": b"named like a report",
        root / "objects" / "a.so": b"mine",
        root / ENVIRONMENT / "readme": b"mine",
        root / OTHER / "objects" / "a.so": b"mine",
        objects / f"{digest('a')}.so": b"no checksum",
        objects / f"{digest('b')}.so": b"another checksum",
        objects / f"{digest('b')}.sum": b"not as soljit writes it",
        objects / f"{digest('c')}.cpp": b"int x;\n",
        objects / f"{digest('d')}.cpp": sealed(f"{ENVIRONMENT}/objects/{digest('d')}.cpp", "int x;\n") + b"int y;\n",
        objects / f"{digest('e')}.cpp": sealed(f"{ENVIRONMENT}/objects/{digest('d')}.cpp", "of another place"),
        objects / "notes.part": b"mine",
        objects / "folder" / "a.cpp": b"mine",
    }
    for path, content in own.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    out = python(root, "-m", "soljit", "cache", "clear")
    assert "13 files and folders that are not soljit's were left, such as " in out
    left = {root / k: v for k, v in tree(root).items() if v is not None and k != MARKER}
    assert left == own


def test_pruning_leaves_what_others_put_there(tmp_path: Path) -> None:
    cache = filled(tmp_path / "cache")
    mine = Path(cache.object("mine.so"))
    mine.write_bytes(b"precious")
    home_made = tmp_path / "cache" / "home" / "objects" / "a.so"
    home_made.parent.mkdir(parents=True)
    home_made.write_bytes(b"precious")
    age(tmp_path / "cache")
    tidy(cache.root, 0)
    assert [p.name for p in (tmp_path / "cache" / ENVIRONMENT).rglob("*")] == ["objects", "mine.so"]
    assert mine.read_bytes() == home_made.read_bytes() == b"precious"


def test_links_are_not_followed(tmp_path: Path) -> None:
    elsewhere = filled(tmp_path / "elsewhere")  # even code of soljit's stays, behind a link
    before = tree(tmp_path / "elsewhere")
    cache = filled(tmp_path / "cache")
    root = Path(cache.root)
    (root / OTHER).symlink_to(Path(elsewhere.root) / ENVIRONMENT)
    (root / ("2" * 20)).mkdir()
    (root / ("2" * 20) / "objects").symlink_to(elsewhere.object(""))
    (root / ENVIRONMENT / "index" / digest("other")).symlink_to(index(elsewhere, digest("key")))
    Path(cache.object(f"{digest('link')}.cpp")).symlink_to(elsewhere.object(f"{digest('stem')}.cpp"))
    age(tmp_path / "elsewhere")
    tidy(str(root), 0)
    removed = clear(str(root))
    assert tree(tmp_path / "elsewhere") == before
    assert len(removed.left) == 4 and all((root / name).is_symlink() for name in removed.left)


def test_a_folder_without_its_marker_is_not_cleared(tmp_path: Path) -> None:
    cache = filled(tmp_path / "cache")
    (tmp_path / "cache" / MARKER).unlink()
    before = tree(tmp_path / "cache")
    assert clear(cache.root).size == 0 and tree(tmp_path / "cache") == before


def test_files_that_are_being_written_are_left_for_an_hour(tmp_path: Path) -> None:
    cache = filled(tmp_path / "cache")
    young, old = (Path(cache.object(f"{digest(n)}.so.12.0123abcd.part")) for n in ("young", "old"))
    young.write_bytes(b"half")
    old.write_bytes(b"half")
    os.utime(old, (0, 0))
    removed = clear(cache.root)
    assert young.exists() and not old.exists() and removed.left == []


# --- what is overwritten ----------------------------------------------------------------------------------------------


def test_other_files_are_moved_aside(tmp_path: Path) -> None:
    cache = cache_at(tmp_path / "cache")
    text, lib = cache.object(f"{digest('a')}.cpp"), cache.object(f"{digest('b')}.so")
    assert cache.keep(f"{digest('c')}.cpp", "int x;\n")
    Path(text).write_text("mine")
    Path(lib).write_bytes(b"mine, too")
    assert cache.keep(os.path.basename(text), "int x;\n")
    cache.put(os.path.basename(lib), ELF)
    aside = sorted(Path(cache.object("")).glob("*.aside"), key=lambda p: p.suffixes)
    assert sorted(p.read_bytes() for p in aside) == [b"mine", b"mine, too"]
    assert cache.text(os.path.basename(text)) == "int x;\n" and cache.library_name(digest("b"))


def test_own_files_are_overwritten(tmp_path: Path) -> None:
    cache = filled(tmp_path / "cache")
    before = tree(tmp_path / "cache").keys()
    filled(tmp_path / "cache")
    cache.put(f"{digest('stem')}.so", b"\x7fELF of another compiler")
    assert tree(tmp_path / "cache").keys() == before


# --- how a file is known ----------------------------------------------------------------------------------------------


def test_texts_begin_with_a_line_of_soljits(tmp_path: Path) -> None:
    for name, first in [("x.cpp", "// soljit "), ("x.ir", "# soljit "), ("x.json", "soljit "), ("x.sum", "soljit ")]:
        for text in ("", "a", "täxt\n\n", "soljit\n"):
            content = sealed(name, text)
            assert content.decode().startswith(first) and unsealed(name, content) == text
            for damaged in (
                content.replace(b"soljit ", b"", 1),
                content[:-1],
                content + b"\n",
                content[1:],
                text.encode(),
            ):
                with pytest.raises(ValueError):
                    unsealed(name, damaged)
            with pytest.raises(ValueError):
                unsealed("y" + name, content)


def test_a_file_is_known_by_its_name_its_place_and_its_content(tmp_path: Path) -> None:
    stem = digest("x")
    with Folder.open(str(tmp_path)) as folder:
        for name in (f"{stem}.cpp", f"{stem}.ir0", f"{stem}.json", "f-0123abcd.txt", "toolchain-0123456789abcdef.json"):
            place = f"{ENVIRONMENT}/objects/{name}"
            write_text(folder, place, "text")
            assert is_soljits(folder, place) and read_text(folder, place) == "text"
            assert not is_soljits(folder, f"{OTHER}/objects/{name}")
            (tmp_path / name).write_bytes((tmp_path / name).read_bytes() + b"\n")
            assert not is_soljits(folder, place)
        for name in ("x.cpp", f"{stem}.CPP", f"{stem}.py", f"{stem[1:]}.cpp", f"{stem}.cpp\n", "notes.txt"):
            write_text(folder, name, "text")
            assert not is_soljits(folder, name)
        put_library(folder, f"{stem}.so", ELF)
        assert is_soljits(folder, f"{stem}.so")
        os.replace(tmp_path / f"{stem}.so", tmp_path / f"{digest('y')}.so")
        assert not is_soljits(folder, f"{digest('y')}.so")
