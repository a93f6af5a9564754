"""Compilers that hang, fail, lie, and print nonsense: an error that names them, in time, and nothing that is remembered."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

import soljit as sol
from soljit.base.errors import CompilerTimeoutError, ToolchainError
from soljit.base.settings import current
from soljit.runtime.build import toolchain
from soljit.runtime.build.native_dispatcher import native
from soljit.runtime.store import temporary
from soljit.runtime.store.cache import Cache, open_cache
from soljit.runtime.store.cache_folder import own_folder
from soljit.runtime.store.cache_removal import clear
from soljit.runtime.system import commands
from soljit.runtime.system.commands import run
from soljit.runtime.system.elf import why_not_whole
from soljit.runtime.system.find_compiler import find_compiler
from tests.attacks.caches import call, doubled

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="compilers as shell scripts")
REAL = find_compiler()
ANSWERS = f'case "$*" in *-O*) ;; *) exec {REAL} "$@";; esac\n'  # to questions as the real one; then lies
OUT = 'out=; for a; do [ "$out" = next ] && out=$a; [ "$a" = -o ] && out=next; done\n'


@pytest.fixture(autouse=True, scope="module")
def dispatcher() -> None:
    """The dispatcher of this process is made by a compiler that works: it is loaded once a process."""
    native(open_cache(current()), current())


def script(folder: Path, text: str) -> str:
    path = folder / "compiler"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


PATIENCE = 600  # seconds, of a slow and busy machine; what hangs here hangs for longer


def failure(folder: Path, text: str, seconds: int = 2) -> str:
    """What the user is told who has this compiler; within the limit, strictly and not."""
    compiler = script(folder, text)
    chosen = {"cxx": compiler, "cache_dir": str(folder / "cache"), "compiler_seconds": seconds, "target": "sequential"}
    start = time.perf_counter()
    with sol.settings(**chosen, strict=True), pytest.raises(ToolchainError) as caught:
        call(doubled)
    assert time.perf_counter() - start < PATIENCE
    with sol.settings(**chosen, strict=False), pytest.warns(sol.FallbackWarning, match="runs in plain Python"):
        call(doubled)
    kept = [p for p in (folder / "cache").rglob("*") if p.suffix == ".so" or "index" in p.parts and p.is_file()]
    assert [p.name for p in kept if "dispatch" not in p.name] == []
    return str(caught.value)


def alive(mark: str) -> list[int]:
    """Processes of which the command line holds this text; those that are being ended get their time."""
    end = time.monotonic() + 60.0
    while (found := _alive(mark)) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def _alive(mark: str) -> list[int]:
    found = []
    for p in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (p / "cmdline").read_text() and p.name != str(os.getpid()):
                found.append(int(p.name))
        except OSError:
            continue
    return found


HANGING = {
    "at the version": ('case "$*" in --version) sleep 987;; esac\nexec ' + f'{REAL} "$@"', "--version"),
    "at questions": ('case "$*" in *-dM*) sleep 987;; esac\nexec ' + f'{REAL} "$@"', "-dM -E"),
    "at the probe": ('case "$*" in *probe*) sleep 987;; esac\nexec ' + f'{REAL} "$@"', "probe.cpp"),
    "at compiling": (ANSWERS + "sleep 987", ".cpp -o "),
    "with signals ignored": (ANSWERS + 'trap "" TERM INT HUP PIPE\nwhile :; do sleep 987; done', ".cpp -o "),
    "while it prints": (ANSWERS + "while :; do echo error: more; sleep 0.1; done", ".cpp -o "),
    "in children": (ANSWERS + "sleep 987 & sleep 987 & wait", ".cpp -o "),
}


@pytest.mark.parametrize("how", HANGING)
def test_a_compiler_that_hangs(tmp_path: Path, how: str) -> None:
    text, words = HANGING[how]
    told = failure(tmp_path, text, 1)
    assert "did not end within 1 s and was stopped" in told and "SOL_COMPILER_SECONDS" in told
    assert str(tmp_path / "compiler") in told and words in told
    if sys.platform == "linux":
        assert not alive(str(tmp_path / "compiler"))


def test_a_compiler_that_hung_is_asked_once(tmp_path: Path) -> None:
    compiler = script(tmp_path, f"echo x >> {tmp_path}/count\nsleep 987")
    for _ in range(3):
        with pytest.raises(CompilerTimeoutError, match="within 1 s"):
            toolchain.toolchain(compiler, None, 1)
    assert (tmp_path / "count").read_text() == "x\n"


def test_a_child_that_holds_the_output_keeps_nobody_waiting(tmp_path: Path) -> None:
    """And is ended with its parent, which went well."""
    compiler = script(tmp_path, f'sleep 986 &\nexec {REAL} "$@"')
    start = time.perf_counter()
    with sol.settings(cxx=compiler, cache_dir=str(tmp_path / "cache"), strict=True, target="sequential"):
        assert len(call(doubled).variants) == 1
    assert time.perf_counter() - start < PATIENCE
    if sys.platform == "linux":
        assert not alive("sleep\x00986")


LYING = {
    "writes nothing": (":", "it is empty"),
    "writes an empty file": (': > "$out"', "it is empty"),
    "writes garbage": ('echo garbage > "$out"', "it is no library"),
    "writes half": (
        f'{REAL} "$@"\nsize=$(wc -c < "$out")\nhead -c $((size / 2)) "$out" > "$out.2"; mv "$out.2" "$out"',
        "it is cut off",
    ),
    "writes all but a byte": (
        f'{REAL} "$@"\nsize=$(wc -c < "$out")\nhead -c $((size - 1)) "$out" > "$out.2"; mv "$out.2" "$out"',
        "it is cut off",
    ),
    "writes a head": ('printf "\\177ELF\\002\\001\\001" > "$out"', "it is cut off"),
    "writes another program": (
        f'echo "int f(){{return 1;}}" > "$out.c"; {REAL} -shared -fPIC "$out.c" -o "$out"',
        "it does not hold",
    ),
    "makes a pipe": ('mkfifo "$out"', "it is empty"),
    "makes a folder": ('mkdir "$out"', "it is empty"),
    "makes a link": ('ln -s /dev/zero "$out"', "it is empty"),
    "prints other bytes and fails": ('printf "error: \\377\\376 \\200\\n" >&2; exit 3', "exit status 3"),
    "is killed": ("kill -SEGV $$", "exit status -11"),
    "fails without a word": ("exit 1", "exit status 1"),
}


@pytest.mark.parametrize("how", LYING)
def test_a_compiler_that_lies(tmp_path: Path, how: str) -> None:
    text, told = LYING[how]
    message = failure(tmp_path, ANSWERS + OUT + text, 60)
    assert message.startswith("the C++ compiler failed") and told in message, message
    assert "command: " in message and "log: " in message


def test_a_compiler_that_does_not_run(tmp_path: Path) -> None:
    for text, told in [
        ("exit 1", "does not work"),
        ("kill -9 $$", "does not work"),
        ("echo v", "tells nothing about itself"),
    ]:
        assert told in failure(tmp_path, text)
    (tmp_path / "compiler").write_bytes(b"\x7fELF garbage")
    with pytest.raises(ToolchainError, match="does not run"):
        toolchain.toolchain(str(tmp_path / "compiler"))


def test_output_without_end_is_read_in_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "MOST_OUTPUT", 100)
    done = run(["/bin/sh", "-c", "yes | head -c 100000"], 10, str(tmp_path))
    assert done == (0, "y\n" * 50, "")
    assert run(["/bin/sh", "-c", "cat; umask; echo $TMPDIR"], 10, str(tmp_path)).out.endswith(f"77\n{tmp_path}\n")


def test_a_run_that_is_interrupted_leaves_nothing(tmp_path: Path) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        with pytest.raises(KeyboardInterrupt):
            run(["/bin/sh", "-c", f"sleep 985; : {tmp_path}"], 60, "")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    if sys.platform == "linux":
        assert not alive(str(tmp_path))


# --- what is remembered -----------------------------------------------------------------------------------------------


def test_a_probe_that_fails_for_want_of_room_is_not_remembered(tmp_path: Path) -> None:
    """No program could be linked at all: that says nothing about OpenMP."""
    compiler = script(tmp_path, f'[ -e {tmp_path}/full ] && case "$*" in *probe*) exit 1;; esac\nexec {REAL} "$@"')
    cache = Cache(own_folder(str(tmp_path / "cache")), "0" * 20)
    (tmp_path / "full").touch()
    with pytest.raises(ToolchainError, match="does not work"):
        toolchain.toolchain(compiler, cache)
    assert not list((tmp_path / "cache").rglob("toolchain-*"))
    (tmp_path / "full").unlink()
    assert toolchain.toolchain(compiler, cache).openmp == toolchain.toolchain().openmp
    (kept,) = (tmp_path / "cache").rglob("toolchain-*")
    assert clear(cache.root).left == [] and not kept.exists()


def test_a_compiler_without_openmp_is_remembered(tmp_path: Path) -> None:
    compiler = script(tmp_path, f'case "$*" in *-fopenmp*) exit 1;; esac\nexec {REAL} "$@"')
    cache = Cache(own_folder(str(tmp_path / "cache")), "0" * 20)
    assert toolchain.toolchain(compiler, cache).openmp is None
    assert list((tmp_path / "cache").rglob("toolchain-*"))


def test_a_full_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another one is taken."""
    temporary._mine.clear()
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "file"))
    with sol.settings(cache_dir=str(tmp_path / "cache"), strict=True):
        assert len(call(doubled).variants) == 1
    assert not str(temporary.private_folder()).startswith(str(tmp_path))


# --- whole libraries --------------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="libraries in ELF")
def test_a_library_that_is_cut_off_anywhere_is_not_whole(tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text("int f(double x) { return x < 1 ? 2 : 3; }\n")
    assert REAL is not None
    assert (
        run([REAL, "-shared", "-fPIC", str(tmp_path / "a.cpp"), "-o", str(tmp_path / "a.so")], 60, str(tmp_path)).status
        == 0
    )
    whole = (tmp_path / "a.so").read_bytes()
    assert why_not_whole(whole) == "" and why_not_whole(whole, ["_Z1fd"]) == ""
    assert why_not_whole(whole, ["sol_kernel"]) == "it does not hold 'sol_kernel'"
    for size in (*range(0, len(whole), 7), *range(len(whole) - 300, len(whole))):
        assert why_not_whole(whole[:size]), size
