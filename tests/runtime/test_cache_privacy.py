"""What soljit keeps is for its user alone, and holds no captured value that the code does not need."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from soljit.runtime.system.fingerprint import fingerprint, has_fingerprint

ROOT = Path(__file__).resolve().parents[2]
HEAD = """
import os, sys
os.umask(int(os.environ.get("UMASK", "077"), 8))
import numpy as np, soljit
from soljit.runtime.store import cache
cache.sources_key = lambda: "fixed"  # so that the tests pass while somebody edits soljit
"""
TOKEN = "hunter2-very-secret"
PRIVATE = """
@soljit.jit(strict=True)
def halves(a):
    return a / 2

@soljit.jit
def broken(a):
    return a + 1

print(halves(np.ones(3))[0], halves.report()[0]["origin"])
from soljit import driver
driver.optimize = None
print(broken(np.ones(3))[0])
root = cache.open_cache(halves._entry.settings).root
for folder, folders, files in os.walk(root):
    for name in [".", *files]:
        path = os.path.join(folder, name)
        print(oct(os.stat(path).st_mode & 0o777), os.path.relpath(path, root))
"""


def process(folder: Path, text: str, **environment: str) -> str:
    """Run a program in a new process with a cache folder below `folder`; what it printed."""
    (folder / "program.py").write_text(HEAD + textwrap.dedent(text))
    env = os.environ | {"SOL_CACHE_DIR": str(folder / "deep" / "cache"), "PYTHONPATH": str(ROOT)} | environment
    command = [sys.executable, "-W", "ignore", "program.py"]
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.share(0.4)
@pytest.mark.parametrize("shared", ["1", "0"])
@pytest.mark.parametrize("umask", ["000", "002", "022", "077"])
def test_files_and_folders_are_private(tmp_path: Path, umask: str, shared: str) -> None:
    out = process(tmp_path, PRIVATE, UMASK=umask, SOL_CACHE=shared).splitlines()
    assert out[:2] == ["0.5 compiled", "2.0"]
    modes = {tuple(line.split()) for line in out[2:]}
    folders = {mode for mode, path in modes if path == "." or path.endswith("/.")}
    assert {mode for mode, path in modes if os.path.splitext(path)[1]} == {"0o600"} and folders <= {"0o700"}
    kinds = {os.path.splitext(path)[1] for _, path in modes} - {""}
    assert {".so", ".cpp", ".ir", ".ir0", ".sum", ".json", ".txt"} - ({".json"} if shared == "0" else set()) <= kinds
    made = [p for p in (tmp_path / "deep", *(tmp_path / "deep").rglob("*")) if shared == "1"]
    assert all(not stat.S_IMODE(p.stat().st_mode) & 0o077 for p in made)
    if shared == "1":
        assert process(tmp_path, PRIVATE, UMASK=umask).startswith("0.5 cache\n")


def test_logs_of_a_failing_compiler_are_private(tmp_path: Path) -> None:
    compiler = tmp_path / "compiler"
    compiler.write_text('#!/bin/sh\ncase "$*" in *-O3*) echo "error: no" >&2; exit 1;; esac\nexec g++ "$@"\n')
    compiler.chmod(0o755)
    text = "@soljit.jit\ndef f(a):\n    return a + 1\nprint(f(1.0))\n"
    assert process(tmp_path, text, SOL_CXX=str(compiler), UMASK="000") == "2.0\n"
    (log,) = (tmp_path / "deep").rglob("*.log")
    assert stat.S_IMODE(log.stat().st_mode) == 0o600 and "error: no" in log.read_text()


USES = {
    "a global": f"""
        TOKEN = "{TOKEN}"
        @soljit.jit(strict=True)
        def f(x):
            return x + 1 if TOKEN else x
        """,
    "a global that is compared": f"""
        TOKEN = "{TOKEN}"
        @soljit.jit(strict=True)
        def f(x):
            return x + len(TOKEN) if TOKEN is not None and TOKEN != "none" else x
        """,
    "a global of bytes": f"""
        TOKEN = b"{TOKEN}"
        @soljit.jit(strict=True)
        def f(x):
            return x + len(TOKEN)
        """,
    "a closure variable": f"""
        def make(token):
            @soljit.jit(strict=True)
            def f(x):
                return x + len(token)
            return f
        f = make("{TOKEN}")
        """,
    "a default": f"""
        @soljit.jit(strict=True)
        def f(x, token="{TOKEN}"):
            return x + len(token)
        """,
    "a default of a helper": f"""
        def helper(x, token="{TOKEN}", *, other="{TOKEN}"):
            return x if token == "" else x + 2
        @soljit.jit(strict=True)
        def f(x):
            return helper(x)
        """,
    "an attribute of a dataclass": f"""
        import dataclasses
        @dataclasses.dataclass(frozen=True)
        class Config:
            token: str = "{TOKEN}"
            width: int = 3
        config = Config()
        @soljit.jit(strict=True)
        def f(x):
            return x + config.width if config.token else x
        """,
    "an attribute of an instance": f"""
        class Config:
            TOKEN = "{TOKEN}"
            def __init__(self):
                self.token, self.width = "{TOKEN}", 3
        config = Config()
        @soljit.jit(strict=True)
        def f(x):
            return x + config.width if config.token else x
        """,
    "an instance as an argument": f"""
        import dataclasses
        @dataclasses.dataclass
        class Config:
            token: str
            width: int
        config = Config("{TOKEN}", 3)
        @soljit.jit(strict=True)
        def g(x, config):
            return x + config.width
        class f:
            report = g.report
            def __new__(cls, x):
                return g(x, config)
        """,
    "a dict": f"""
        CONFIG = {{"token": "{TOKEN}", "width": 3}}
        @soljit.jit(strict=True)
        def f(x):
            return x + CONFIG["width"] if CONFIG["token"] else x
        """,
    "a dict that is gone through": f"""
        CONFIG = {{"token": "{TOKEN}", "other": "b"}}
        @soljit.jit(strict=True)
        def f(x):
            for k in CONFIG:
                x += 1
            return x + len(CONFIG)
        """,
    "a tuple": f"""
        PAIR = ("{TOKEN}", 3)
        @soljit.jit(strict=True)
        def f(x):
            return x + PAIR[1]
        """,
    "an environment variable": """
        @soljit.jit
        def f(x):
            return x + len(os.environ["SECRET"])
        """,
}


OF_ONE_PROCESS = {"an attribute of a dataclass", "an attribute of an instance"}  # objects have no fingerprint
WHATEVER_THE_TOKEN = {"an instance as an argument", "a dict that is gone through", "an environment variable"}


@pytest.mark.share(0.3)
@pytest.mark.parametrize("use", USES)
def test_values_that_the_code_does_not_need_are_not_kept(tmp_path: Path, use: str) -> None:
    text = textwrap.dedent(USES[use]) + "print(f(1.0), [r['origin'] for r in f.report()])\n"
    first, second = (process(tmp_path, text, SECRET=TOKEN) for _ in range(2))
    assert second.split(" ")[0] == first.split(" ")[0] and "compiled" in first
    assert ("cache" in second) == (use not in OF_ONE_PROCESS), second
    files = [p for p in (tmp_path / "deep").rglob("*") if p.is_file()]
    assert len(files) > 5
    forms = [TOKEN.encode(), TOKEN.encode("utf-16-le"), TOKEN.encode("utf-32-le"), TOKEN.encode().hex().encode()]
    assert [p.name for p in files if any(form in p.read_bytes() for form in forms)] == []
    changed = process(tmp_path, text.replace(TOKEN, "other-" + TOKEN), SECRET="")
    assert "cache" not in changed or use in WHATEVER_THE_TOKEN


def test_reports_do_not_hold_texts_that_were_given(tmp_path: Path) -> None:
    text = f"""
    import warnings
    from soljit import driver
    driver.optimize = None
    @soljit.jit
    def f(x, token):
        return x + len(token)
    with warnings.catch_warnings(record=True) as w:
        warnings.simplefilter("always")
        print(f(1.0, "-".join("{TOKEN}".split("-"))), w[0].message)
    """
    out = process(tmp_path, text)
    assert "a bug in soljit while compiling f(float, static str)" in out
    (report,) = (tmp_path / "deep").rglob("*.txt")
    assert "function\nf(float, static str)\n" in report.read_text() and TOKEN not in report.read_text() + out


def test_fingerprints_are_digests() -> None:
    for value in (TOKEN, TOKEN.encode(), (TOKEN, 1), {"a": TOKEN}, 3, 3.0, None):
        text = fingerprint(value)
        assert len(text) == 40 and set(text) <= set("0123456789abcdef")
        assert has_fingerprint(value, text) and not has_fingerprint([value], text)
    assert not has_fingerprint(object(), "?")


def test_records_of_older_versions_are_not_believed(tmp_path: Path) -> None:
    text = """
    K = 3
    @soljit.jit(strict=True)
    def f(x):
        return x * K
    print(f(2.0), f.report()[0]["origin"])
    """
    assert process(tmp_path, text) == "6.0 compiled\n"
    (record,) = (tmp_path / "deep").glob("cache/*/index/*/*.json")
    head, _, body = record.read_text().partition("\n")
    assert head.startswith("soljit ")
    for content in (f"{head.removeprefix('soljit ')}\n{body}", body, "[]", "soljit\n", f"soljit {'0' * 40}\n{body}"):
        for old in record.parent.iterdir():
            old.unlink()
        record.write_text(content)
        assert process(tmp_path, text) == "6.0 compiled\n"
        assert process(tmp_path, text) == "6.0 cache\n"
        assert content in [p.read_text() for p in record.parent.iterdir()]  # moved aside
