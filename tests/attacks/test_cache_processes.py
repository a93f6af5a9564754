"""Processes that share a cache, are killed, find the disk full or read-only, have no compiler, or fill the cache."""

from __future__ import annotations

import errno
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import soljit as sol
from soljit.runtime.store import cache_limit, temporary
from soljit.runtime.store.cache_folder import CONTENT, MARKER
from soljit.runtime.store.cache_limit import size_of, tidy
from soljit.runtime.store.cache_verify import verify
from soljit.runtime.system import guarded_folder
from tests.attacks.caches import ASKED, BELIEVED, PROGRAM, ROOT, ask, call, copy, doubled, filled, run, tripled

COMPILED, FOUND = "10.0 ['compiled']\n", "10.0 ['cache']\n"
posix = pytest.mark.skipif(not guarded_folder.BY_DESCRIPTOR, reason="files as POSIX has them")
WITHOUT_COMPILER = {"PATH": "/nowhere", "CXX": "", "SOL_CXX": ""}


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return filled(tmp_path_factory.mktemp("warm") / "cache")


def start(folder: Path, text: str = PROGRAM, **environment: str) -> subprocess.Popen[str]:
    script = folder.parent / "program.py"
    if not script.exists():
        script.write_text(text)
    env = os.environ | {"SOL_CACHE_DIR": str(folder), "PYTHONPATH": str(ROOT)} | environment
    return subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, text=True
    )


def one_entry(folder: Path) -> bool:
    """Is there one record, one library, and nothing half-written or broken?"""
    paths = [p for p in folder.rglob("*") if p.is_file()]
    records = [p for p in paths if "index" in p.parts]
    return (
        len(records) == 1 and not [p for p in paths if p.suffix in (".part", ".aside")] and not verify(str(folder))[1]
    )


# --- at once ----------------------------------------------------------------------------------------------------------


slow = pytest.mark.slow


@pytest.mark.parametrize("count, target", [(4, "interpreter"), pytest.param(16, "", marks=slow)])
def test_many_processes_on_an_empty_cache(tmp_path: Path, count: int, target: str) -> None:
    folder = tmp_path / "cache"
    outputs = [p.communicate(timeout=900) for p in [start(folder, SOL_TARGET=target) for _ in range(count)]]
    assert {out for out, _ in outputs} <= {COMPILED, FOUND}, outputs
    assert one_entry(folder)
    assert run(PROGRAM, folder, SOL_TARGET=target).stdout == FOUND


def killed(folder: Path, count: int, seconds: float, temporary_folder: Path, target: str) -> None:
    """Start processes and kill each at a random moment; the last one ends."""
    draw = random.Random(count)
    for _ in range(count):
        process = start(folder, TMPDIR=str(temporary_folder), SOL_TARGET=target)
        time.sleep(draw.uniform(0.1, seconds))
        process.kill()
        process.communicate()
    out, err = start(folder, TMPDIR=str(temporary_folder), SOL_TARGET=target).communicate(timeout=900)
    assert out in (COMPILED, FOUND), err
    faults = list(verify(str(folder))[1])
    assert not faults, faults


def test_killed_at_any_moment(tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()
    killed(tmp_path / "cache", 5, 0.8, tmp_path / "tmp", "interpreter")


@pytest.mark.slow
def test_killed_a_hundred_times(tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()
    for k in range(4):
        killed(tmp_path / "cache", 25, 3.0, tmp_path / "tmp", "")
        shutil.rmtree(tmp_path / "cache")
        for p in (tmp_path / "tmp").rglob("*"):
            os.utime(p, (0, 0))
    run(PROGRAM, tmp_path / "cache", TMPDIR=str(tmp_path / "tmp"))
    assert not list((tmp_path / "tmp").glob("soljit-private-*"))


# --- what killed processes leave ----------------------------------------------------------------------------------------

HOLDS = """
import os, signal, sys
from soljit.runtime.store import temporary
print(temporary.private_folder(), flush=True)
sys.stdin.read()
"""


@posix
def test_private_folders_of_killed_processes_go_later(tmp_path: Path) -> None:
    def hold() -> tuple[subprocess.Popen[str], Path]:
        env = os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
        p = subprocess.Popen(
            [sys.executable, "-c", HOLDS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env
        )
        assert p.stdout is not None
        return p, Path(p.stdout.readline().strip())

    (dead, left), (alive, used), (young_dead, young) = hold(), hold(), hold()
    dead.kill(), young_dead.kill()
    for p in (left / "file", used / "file"):
        p.write_text("x")
    for p in (left / "lock", used / "lock", left, used):
        os.utime(p, (0, 0))
    begun = [tmp_path / f"{temporary.PREFIX}{k:016x}" for k in (1, 2, 3)]  # killed at once
    for p in begun:
        p.mkdir(mode=0o700)
    (begun[1] / "lock").write_bytes(b"")
    (begun[2] / MARKER).write_bytes(CONTENT)
    for p in (*begun, *(q for b in begun for q in b.iterdir())):
        os.utime(p, (0, 0))
    mine = {tmp_path / f"{temporary.PREFIX}{'0' * 16}", tmp_path / f"{temporary.PREFIX}mine", tmp_path / "soljit-tests"}
    for p in mine:
        p.mkdir()
        (p / "lock").write_text("")
        (p / "file").write_text("mine")
        os.utime(p / "lock", (0, 0))
        os.utime(p, (0, 0))
    dead.wait(), young_dead.wait()
    another, new = hold()
    assert set(tmp_path.iterdir()) == {used, young, new} | mine
    for process in (alive, another):
        process.communicate("")
    assert set(tmp_path.iterdir()) == {young} | mine
    assert used.name.startswith(temporary.PREFIX) and signal.SIGKILL == -dead.returncode


# --- disks ------------------------------------------------------------------------------------------------------------


def full(monkeypatch: pytest.MonkeyPatch, place: Path, error: int) -> None:
    """Let nothing be written below this place."""
    write = guarded_folder.Folder.write_new

    def refused(self: guarded_folder.Folder, name: str, content: bytes) -> None:
        if self.path.startswith(str(place)):
            raise OSError(error, os.strerror(error))
        write(self, name, content)

    monkeypatch.setattr(guarded_folder.Folder, "write_new", refused)


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EROFS, errno.EDQUOT, errno.EIO])
def test_a_disk_that_takes_nothing(tmp_path: Path, warm: Path, monkeypatch: pytest.MonkeyPatch, error: int) -> None:
    """What is there is used; what is new is compiled, works, and is kept in the private folder."""
    folder = copy(warm, tmp_path / "cache")
    full(monkeypatch, folder, error)
    assert ask(folder) == BELIEVED
    shutil.rmtree(next(p for p in folder.iterdir() if p.is_dir()))
    with sol.settings(cache_dir=str(folder), strict=True):
        assert [v.origin for v in call(doubled).variants] == ["compiled"]
    assert ask(folder) == ASKED


def test_no_disk_takes_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full(monkeypatch, Path("/"), errno.ENOSPC)
    with sol.settings(cache_dir=str(tmp_path / "cache"), strict=False), pytest.warns(sol.FallbackWarning) as seen:
        entry = call(doubled)
    assert not entry.variants
    assert "No space left on device" in str(seen[0].message) and "bug" not in str(seen[0].message)


MOUNTED = """
import subprocess, sys
folder, script = sys.argv[1:]
done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=%s,mode=0700" % SIZE, "soljit", folder])
sys.exit(done.returncode and 77 or subprocess.call([sys.executable, script]))
"""


@posix
@pytest.mark.parametrize("size", ["8k", "24k,nr_inodes=5"])
def test_a_disk_that_is_really_full(tmp_path: Path, size: str) -> None:
    folder, script = tmp_path / "cache", tmp_path / "program.py"
    folder.mkdir()
    script.write_text(PROGRAM.replace("return x * 2.0", "return x * 2.0 + 0.0"))
    (tmp_path / "mount.py").write_text(MOUNTED.replace("SIZE", repr(size)))
    words = ["unshare", "-m", sys.executable, str(tmp_path / "mount.py"), str(folder), str(script)]
    env = os.environ | {"SOL_CACHE_DIR": str(folder), "PYTHONPATH": str(ROOT), "SOL_TARGET": "interpreter"}
    try:
        done = subprocess.run(words, capture_output=True, text=True, env=env, check=False, timeout=900)
    except FileNotFoundError:
        pytest.skip("no unshare")
    if done.returncode in (1, 77):
        pytest.skip(f"this user cannot mount: {done.stderr[-100:]}")
    assert done.stdout == COMPILED, done.stderr


@posix
def test_a_read_only_cache_is_read(tmp_path: Path, warm: Path) -> None:
    folder, script = copy(warm, tmp_path / "cache"), tmp_path / "program.py"
    script.write_text(PROGRAM)
    assert run(PROGRAM, folder, SOL_TARGET="interpreter").stdout == COMPILED
    text = f"import subprocess, sys\nf = {str(folder)!r}\n" + (
        "done = subprocess.run(['mount', '--bind', f, f]).returncode or subprocess.run(['mount', '-o', 'remount,ro,bind', f]).returncode\n"
        f"sys.exit(done and 77 or subprocess.call([sys.executable, {str(script)!r}]))\n"
    )
    (tmp_path / "mount.py").write_text(text)
    env = os.environ | {"SOL_CACHE_DIR": str(folder), "PYTHONPATH": str(ROOT), "SOL_TARGET": "interpreter"}
    try:
        done = subprocess.run(
            ["unshare", "-m", sys.executable, str(tmp_path / "mount.py")],
            capture_output=True,
            text=True,
            env=env,
            check=False,
        )
    except FileNotFoundError:
        pytest.skip("no unshare")
    if done.returncode in (1, 77):
        pytest.skip(f"this user cannot mount: {done.stderr[-100:]}")
    assert done.stdout == FOUND, done.stderr


# --- without a compiler -----------------------------------------------------------------------------------------------


def test_a_filled_cache_needs_no_compiler(tmp_path: Path) -> None:
    """Whatever compiler filled it, and whatever it was named by."""
    folder, compiler = tmp_path / "cache", tmp_path / "compiler"
    compiler.write_text('#!/bin/sh\nexec g++ "$@"\n')
    compiler.chmod(0o755)
    assert run(PROGRAM, folder, SOL_CXX=str(compiler)).stdout == COMPILED
    assert run(PROGRAM, folder, **WITHOUT_COMPILER).stdout == FOUND
    other = PROGRAM.replace("x * 2.0", "x + x")
    assert "no C++ compiler was found" in run(other, folder, **WITHOUT_COMPILER).stdout


# --- size -------------------------------------------------------------------------------------------------------------


def test_what_was_used_least_lately_goes(tmp_path: Path, warm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_limit, "ENOUGH", 0.95)
    folder = copy(warm, tmp_path / "cache")
    (dead,) = (p for p in folder.rglob("index/*/*.json") if '"doubled"' in p.read_text())
    for p in folder.rglob("*"):
        if p.is_file() and (p.name[:40] == dead.name[:40]):
            os.utime(p, (1e9, 1e9))
    size = size_of(str(folder))
    assert size == sum(p.stat().st_size for p in folder.rglob("*") if p.is_file() and p.name != MARKER) + len(
        (folder / MARKER).read_bytes()
    )
    tidy(str(folder), size)
    tidy(str(folder), size - 1)  # it was looked at just now
    assert ask(folder, tripled) == ask(folder, doubled) == BELIEVED  # which makes it young
    os.utime(dead, (1e9, 1e9))
    tidy(str(folder), size - 1, now=True)
    assert ask(folder, doubled) == ASKED and ask(folder, tripled) == BELIEVED
    assert not [p for p in folder.rglob("*") if p.name.startswith(dead.name[:40])]
    assert size_of(str(folder)) <= size - 1 and not verify(str(folder))[1]


def test_use_makes_young(tmp_path: Path, warm: Path) -> None:
    folder = copy(warm, tmp_path / "cache")
    paths = list(folder.rglob("*"))
    for p in paths:
        os.utime(p, (1e9, 1e9))
    assert ask(folder, doubled) == BELIEVED
    young = {p.name for p in paths if p.stat().st_mtime > 1e9}
    assert len(young) == 2 and "objects" in young
    tidy(str(folder), 0)
    assert ask(folder, tripled) == BELIEVED  # in an environment that is used


def test_the_limit_holds_while_code_is_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_limit, "TIDY_SECONDS", 0)
    folder = tmp_path / "cache"
    with sol.settings(cache_dir=str(folder), cache_size=1, target="interpreter", strict=True):
        filler = tmp_path / "cache" / "reports"
        call(doubled)
        filler.mkdir(exist_ok=True)
        (filler / "f-0123abcd.txt").write_bytes(b"x" * (1 << 20))
        call(tripled)
    assert not [p for p in folder.rglob("*") if "index" in p.parts and p.is_file()]


def test_half_written_files_go_after_an_hour(tmp_path: Path, warm: Path) -> None:
    folder = copy(warm, tmp_path / "cache")
    library = next(folder.rglob("*.so"))
    old, young = (library.with_name(f"{library.name}.12.{k:08x}.part") for k in range(2))
    for p in (old, young):
        p.write_bytes(b"half")
    os.utime(old, (1e9, 1e9))
    tidy(str(folder), 0, now=True)
    assert not old.exists() and young.exists()


# --- verify -----------------------------------------------------------------------------------------------------------


def test_verify_names_and_removes_what_is_broken(tmp_path: Path, warm: Path) -> None:
    folder = copy(warm, tmp_path / "cache")
    program = "from soljit.cli.main import main\nimport sys\nsys.exit(main(['cache', 'verify', *%r]))"
    assert run(program % [], folder).returncode == 0
    (record,) = (p for p in folder.rglob("index/*/*.json") if '"doubled"' in p.read_text())
    library = record.parents[2] / "objects" / f"{record.name[:40]}.so"
    library.write_bytes(library.read_bytes()[:-1])
    (library.parent / "mine").write_text("mine")
    record.parent.chmod(0o770)
    done = run(program % [], folder)
    assert done.returncode == 1
    for text in (
        f"{library.name}: is not as soljit wrote it",
        "mine: is not soljit's",
        "index/" + record.parent.name + ": is not used",
    ):
        assert text in done.stdout
    record.parent.chmod(0o700)
    assert "is gone or another one" in run(program % [], folder).stdout
    assert "1 left" in run(program % ["--remove"], folder).stdout
    assert (library.parent / "mine").read_text() == "mine" and not library.exists() and not record.exists()
    assert ask(folder, doubled) == ASKED and ask(folder, tripled) == BELIEVED
