"""Files of the cache that are not what they were: cut off, with other bits, of another kind, swapped, or of another version."""

from __future__ import annotations

import json
import os
import random
import shutil
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from soljit.runtime.store import environment
from soljit.runtime.store.cache_files import read_text, sealed
from soljit.runtime.store.cache_verify import verify
from soljit.runtime.system import guarded_folder
from soljit.runtime.system.fingerprint import digest
from soljit.runtime.system.guarded_folder import Folder
from tests.attacks.caches import ASKED, BELIEVED, PROGRAM, ask, copy, doubled, filled, run, tripled


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return filled(tmp_path_factory.mktemp("warm") / "cache")


@pytest.fixture
def folder(tmp_path: Path, warm: Path) -> Path:
    return copy(warm, tmp_path / "cache")


def of(folder: Path, function: str = "doubled") -> tuple[Path, Path]:
    """The record and the library of a function."""
    (record,) = (p for p in folder.rglob("index/*/*.json") if f'"{function}"' in p.read_text())
    return record, record.parents[2] / "objects" / f"{record.name[:40]}.so"


def swap(a: Path, b: Path) -> None:
    between = a.with_name("between")
    a.rename(between)
    b.rename(a)
    between.rename(b)


# --- bits -------------------------------------------------------------------------------------------------------------


def damaged(content: bytes, seed: int) -> Iterator[bytes]:
    """Cut off, emptied, with more at the end, with other bits."""
    draw = random.Random(seed)
    yield from (b"", content[:1], content[: len(content) // 2], content[:-1], content + b"\n", b"\0" * len(content))
    for _ in range(12):
        k = draw.randrange(len(content))
        yield content[:k] + bytes([content[k] ^ 1 << draw.randrange(8)]) + content[k + 1 :]


@pytest.mark.parametrize("which", [0, 1], ids=["record", "library"])
def test_every_damage_is_seen(folder: Path, which: int) -> None:
    path = of(folder)[which]
    whole = path.read_bytes()
    for content in damaged(whole, which):
        path.write_bytes(content)
        assert ask(folder) == ASKED, content[:100]
    path.write_bytes(whole)
    assert ask(folder) == BELIEVED


@pytest.mark.parametrize("name", ["CACHEDIR.TAG", "sources", "toolchain", ".sum", ".cpp", ".ir"])
def test_damage_to_other_files_does_no_harm(folder: Path, name: str) -> None:
    paths = [p for p in folder.rglob("*") if p.is_file() and name in p.name]
    assert paths
    for path in paths:
        for content in list(damaged(path.read_bytes(), 3))[:8]:
            path.write_bytes(content)
            assert ask(folder) in (BELIEVED, ASKED)


@pytest.mark.slow
def test_flipping_each_byte_of_a_record(folder: Path) -> None:
    path = of(folder)[0]
    whole = path.read_bytes()
    for k in range(len(whole)):
        path.write_bytes(whole[:k] + bytes([whole[k] ^ 4]) + whole[k + 1 :])
        assert ask(folder) == ASKED, k


# --- kinds ------------------------------------------------------------------------------------------------------------


def pipe(path: Path) -> None:
    os.mkfifo(path)


def unix_socket(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # names of sockets are short
    try:
        with socket.socket(socket.AF_UNIX) as s:
            s.bind(path.name)
    finally:
        os.chdir(here)


def full_folder(path: Path) -> None:
    path.mkdir()
    (path / "file").write_text("mine")


def device(path: Path) -> None:
    try:
        os.mknod(path, 0o600 | 0o020000, os.makedev(1, 5))  # /dev/zero, which never ends
    except OSError:
        pytest.skip("this user makes no devices")


def dangling(path: Path) -> None:
    path.symlink_to("nowhere")


def to_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def endless(path: Path) -> None:
    path.write_bytes(b"soljit ")
    os.truncate(path, 1 << 40)


KINDS = [pipe, unix_socket, full_folder, device, dangling, to_device, endless]


@pytest.mark.skipif(not guarded_folder.BY_DESCRIPTOR, reason="kinds of files as POSIX has them")
@pytest.mark.parametrize("kind", KINDS)
def test_something_else_in_the_place_of_a_file(folder: Path, kind: Callable[[Path], None]) -> None:
    """Nothing waits, nothing is told to be a bug, and code can be kept again afterwards."""
    believed = []
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        keep = path.read_bytes()
        path.unlink()
        kind(path)
        believed.append(ask(folder))
        verify(str(folder))
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        path.write_bytes(keep)
        path.chmod(0o600)
    assert ASKED in believed and ask(folder) == BELIEVED
    record, library = of(folder)
    for path in (record, library):
        path.unlink()
        kind(path)
    filled(folder)
    assert ask(folder) == BELIEVED and not library.is_symlink() and library.is_file()


@pytest.mark.parametrize("level", ["", "index", "objects", "key"])
@pytest.mark.parametrize("kind", [pipe, dangling, endless])
def test_something_else_in_the_place_of_a_folder(folder: Path, kind: Callable[[Path], None], level: str) -> None:
    record, library = of(folder)
    path = {"": folder, "index": record.parents[1], "objects": library.parent, "key": record.parent}[level]
    shutil.rmtree(path)
    kind(path)
    assert ask(folder) == ASKED
    filled(folder)  # partly in a private folder: nothing fails


# --- swaps ------------------------------------------------------------------------------------------------------------


def test_swapped_records(folder: Path) -> None:
    (a, _), (b, _) = of(folder, "doubled"), of(folder, "tripled")
    swap(a, b)
    assert ask(folder, doubled) == ask(folder, tripled) == ASKED


def test_records_under_the_name_of_another(folder: Path) -> None:
    (a, _), (b, _) = of(folder, "doubled"), of(folder, "tripled")
    shutil.copy(a, b.parent / a.name)
    b.unlink()
    assert ask(folder, tripled) == ASKED and ask(folder, doubled) == BELIEVED
    shutil.copy(a, b)
    assert ask(folder, tripled) == ASKED


def test_swapped_keys(folder: Path) -> None:
    (a, _), (b, _) = of(folder, "doubled"), of(folder, "tripled")
    swap(a.parent, b.parent)
    assert ask(folder, doubled) == ask(folder, tripled) == ASKED


def test_swapped_libraries(folder: Path) -> None:
    (_, a), (_, b) = of(folder, "doubled"), of(folder, "tripled")
    swap(a, b)
    assert ask(folder, doubled) == ask(folder, tripled) == ASKED
    swap(a.with_suffix(".sum"), b.with_suffix(".sum"))
    assert ask(folder, doubled) == ask(folder, tripled) == ASKED


def test_an_environment_under_the_name_of_another(folder: Path) -> None:
    """A cache of another machine, whose processor has other instructions, say."""
    record = of(folder)[0]
    environment = record.parents[2]
    shutil.copytree(environment, other := environment.with_name("0" * 20))
    shutil.rmtree(environment)
    other.rename(environment)
    assert ask(folder) == BELIEVED  # nothing has changed
    for path in environment.rglob("*"):
        if path.is_file() and path.suffix in (".json", ".sum"):
            place = f"{'1' * 20}/{path.relative_to(environment).as_posix()}"
            with Folder.open(str(path.parent)) as opened:
                text = read_text(opened, path.relative_to(folder).as_posix())
            path.write_bytes(sealed(place, text))
    assert ask(folder) == ASKED


def test_a_record_that_names_the_library_of_another(folder: Path) -> None:
    """Even with right digests everywhere, a library that was replaced is not that of the record."""
    (record, library), (_, other) = of(folder, "doubled"), of(folder, "tripled")
    shutil.copy(other, library)
    name = library.relative_to(folder).with_suffix(".sum").as_posix()
    library.with_suffix(".sum").write_bytes(sealed(name, f"{library.name} {digest(library.read_bytes())}"))
    assert ask(folder, doubled) == ASKED
    assert json.loads(record.read_text().partition("\n")[2])["library"].startswith(library.name)


# --- versions ---------------------------------------------------------------------------------------------------------


def test_another_version_with_files_of_equal_sizes_and_times(tmp_path: Path) -> None:
    ours = tmp_path / "soljit"
    shutil.copytree(Path(environment.PACKAGE), ours, ignore=shutil.ignore_patterns("__pycache__"))
    source = ours / "base" / "version.py"
    assert (text := source.read_text()).count('"0.') == 1
    for p in ours.rglob("*"):
        os.utime(p, (1, 1))
    new = {"PYTHONPATH": str(tmp_path), "SOL_TARGET": "interpreter"}
    program = PROGRAM.replace('cache.sources_key = lambda: "fixed"', "")
    assert run(program, tmp_path / "cache", **new).stdout == "10.0 ['compiled']\n"
    assert run(program, tmp_path / "cache", **new).stdout == "10.0 ['cache']\n"
    source.write_text(text.replace('"0.', '"9.'))
    os.utime(source, (1, 1))
    assert run(program, tmp_path / "cache", **new).stdout == "10.0 ['compiled']\n"
    source.write_text(text)
    os.utime(source, (1, 1))
    assert run(program, tmp_path / "cache", **new).stdout == "10.0 ['cache']\n"  # by content: the first one's code
