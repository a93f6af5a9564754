"""The cache on disk: hits in new processes, nothing stale, corruption, folders that cannot be used, several
processes.
"""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.base.settings import Settings
from soljit.runtime.build import toolchain
from soljit.runtime.store.cache import open_cache
from soljit.runtime.store.cache_folder import own_folder
from soljit.runtime.system import guarded_folder
from soljit.runtime.system.fingerprint import digest
from soljit.runtime.variants.variant import LeafRecord, Place, RaiseRecord, Record, RemarkRecord, from_json, to_json
from tests.runtime.handmade import LEAF, f64_scalar, handmade

ROOT = Path(__file__).resolve().parents[2]
HEAD = """
import sys
from soljit.runtime.store import cache
cache.sources_key = lambda: "fixed"  # so that the tests pass while somebody edits soljit
from tests.runtime.handmade import *
compiled = []
NAME = [("global", "K")]
BODY = '''EXPORT int32_t sol_kernel(sol_frame* f) { put(f->out, get<double>(f->in) * %s); return SOL_OK; }'''
"""


def process(folder: Path, text: str, **environment: str) -> str:
    """Run a program in a new process with this cache folder; what it printed."""
    script = folder / "program.py"
    folder.mkdir(exist_ok=True)
    script.write_text(HEAD + textwrap.dedent(text))
    env = os.environ | {"SOL_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": str(ROOT)} | environment
    env["PYTHONDONTWRITEBYTECODE"] = "1"  # Python takes a module that changes twice a second for unchanged
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


USE = """
@handmade(BODY % "{factor}", [f64_scalar], LEAF, compiled=compiled, cache=True, captured={captured})
def f(x):
    return x * {expression}
print(f(2.0), f(2.0), len(compiled), *{{v.origin for v in f._entry.variants}})
"""


def use(factor: str = "3", expression: str = "3", captured: str = "()", before: str = "") -> str:
    return before + USE.format(factor=factor, expression=expression, captured=captured)


def test_hit_in_a_new_process(tmp_path: Path) -> None:
    assert process(tmp_path, use()) == "6.0 6.0 1 compiled\n"
    assert process(tmp_path, use()) == "6.0 6.0 0 cache\n"
    assert process(tmp_path, "\n\n\n# moved\n" + use()) == "6.0 6.0 0 cache\n"


def test_an_edited_function_is_not_found(tmp_path: Path) -> None:
    process(tmp_path, use())
    assert process(tmp_path, use("4", "4")) == "8.0 8.0 1 compiled\n"
    assert process(tmp_path, use()) == "6.0 6.0 0 cache\n"


def test_a_changed_global_is_not_found(tmp_path: Path) -> None:
    for value, origin in [
        ("5", "1 compiled"),
        ("7", "1 compiled"),
        ("5", "0 cache"),
        ("7", "0 cache"),
        ("5.0", "1 compiled"),
    ]:
        text = use(value, "K", '[(("global", "K"),)]', f"K = {value}")
        want = 2.0 * float(value)
        assert process(tmp_path, text) == f"{want} {want} {origin}\n"


def test_an_edited_helper_is_not_found(tmp_path: Path) -> None:
    for value, origin in [("3", "1 compiled"), ("4", "1 compiled"), ("3", "0 cache")]:
        (tmp_path / "helper_of_test.py").write_text(f"\n\ndef helper():\n    return {value}\n")
        text = use(value, "helper()", '[(("global", "helper"),)]', "from helper_of_test import helper\n")
        want = 2.0 * float(value)
        assert process(tmp_path, text) == f"{want} {want} {origin}\n"


def test_a_changed_closure_is_not_found(tmp_path: Path) -> None:
    for value, origin in [("3", "1 compiled"), ("4", "1 compiled"), ("3", "0 cache")]:
        text = f"""
        def make(K):
            @handmade(BODY % K, [f64_scalar], LEAF, compiled=compiled, cache=True, captured=[(("cell", "K"),)])
            def f(x):
                return x * K
            return f
        f = make({value})
        print(f(2.0), len(compiled), f._entry.variants[0].origin)
        """
        assert process(tmp_path, text) == f"{2.0 * float(value)} {origin}\n"


def test_corrupted_entries_are_made_anew(tmp_path: Path) -> None:
    process(tmp_path, use())
    files = sorted(
        p for p in (tmp_path / "cache").rglob("*") if p.suffix in (".json", ".so") and "dispatch" not in p.name
    )
    index, library = (p for p in files if p.suffix == ".so" or "index" in p.parts)
    for content in (b"", b"{}", index.read_bytes()[:-20], index.read_bytes().replace(b"p0", b"p1")):
        index.write_bytes(content)
        assert process(tmp_path, use()) == "6.0 6.0 1 compiled\n"
        assert process(tmp_path, use()) == "6.0 6.0 0 cache\n"
    library.write_bytes(library.read_bytes()[:500])
    library.with_suffix(".cpp").unlink()
    assert "6.0 6.0" in process(tmp_path, use())
    (dispatcher,) = (tmp_path / "cache").rglob("dispatch-*.so")
    whole = dispatcher.read_bytes()
    dispatcher.write_bytes(whole[: len(whole) // 2])
    assert process(tmp_path, use()) == "6.0 6.0 0 cache\n"
    assert len(dispatcher.read_bytes()) == len(whole)


def test_several_processes_at_once(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(HEAD + use())
    env = os.environ | {"SOL_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
    running = [
        subprocess.Popen(
            [sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, text=True
        )
        for _ in range(4)
    ]
    outputs = [p.communicate() for p in running]
    assert [out.split()[:2] for out, _ in outputs] == [["6.0", "6.0"]] * 4, outputs
    assert not list((tmp_path / "cache").rglob("*.part"))


def test_a_library_that_another_process_made_meanwhile_stays(tmp_path: Path) -> None:
    """A record names it by its checksum, and what two processes link of one text may differ in a path or a date."""
    cache = open_cache(Settings(cache_dir=str(tmp_path / "cache")))
    text = 'extern "C" __attribute__((visibility("default"))) int sol_kernel() { return 1; }'
    tools, stem = toolchain.toolchain(), digest("a text")
    flags = tools.flags("strict", False, "")
    first = toolchain.compile_text(tools.path, stem, text, flags, cache)
    assert toolchain.compile_text(tools.path, stem, text, (*flags, "-Wl,-soname,another"), cache) == first
    cache.load_new(first)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_read_only_folder(tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o500)
    assert process(tmp_path, use()) == "6.0 6.0 1 compiled\n"


def test_folders_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    text = use() + "\nfrom soljit.runtime.store.cache import open_cache\nprint(open_cache(f._entry.settings).shared)"
    assert process(tmp_path, text, SOL_CACHE_DIR=str(tmp_path / "file")) == "6.0 6.0 1 compiled\nFalse\n"
    everybody = tmp_path / "everybody"
    everybody.mkdir()
    everybody.chmod(0o777)
    assert process(tmp_path, text, SOL_CACHE_DIR=str(everybody)) == "6.0 6.0 1 compiled\nFalse\n"


def test_foreign_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    monkeypatch.setattr(guarded_folder, "ROOT", 12346)
    with pytest.raises(OSError, match="belongs to the user"):
        own_folder(str(tmp_path))


def test_private_folder_goes_away(tmp_path: Path) -> None:
    text = use() + "\nfrom soljit.runtime.store.cache import open_cache\nprint(open_cache(f._entry.settings).root)"
    text = text.replace("cache=True", "cache=False")
    out = process(tmp_path, text).split("\n")
    assert out[0] == "6.0 6.0 1 compiled" and not os.path.exists(out[1])


def test_cache_off_for_one_function(tmp_path: Path) -> None:
    text = use().replace("cache=True", "cache=False")
    for _ in range(2):
        assert process(tmp_path, text) == "6.0 6.0 1 compiled\n"


def test_places_follow_the_function(tmp_path: Path) -> None:
    text = """
    BODY = "EXPORT int32_t sol_kernel(sol_frame* f) { f->place = 0; return SOL_RAISE; }"
    @handmade(BODY, compiled=compiled, cache=True,
              raises=[RaiseRecord("builtins.ValueError", "no", (), Place("", 3, "f"))])
    def f(x):
        return x
    import traceback
    from soljit.runtime.variants.variant import *
    try:
        f(1)
    except ValueError as e:
        print(traceback.extract_tb(e.__traceback__)[-1].line, len(compiled))
    """
    text = "from soljit.runtime.variants.variant import *\n" + textwrap.dedent(text)
    assert process(tmp_path, text) == "return x 1\n"
    assert process(tmp_path, "# more\n# lines\n" + text) == "return x 0\n"


def test_what_other_settings_compiled_is_not_found(tmp_path: Path) -> None:
    process(tmp_path, use())
    assert process(tmp_path, use(), SOL_FP="fast") == "6.0 6.0 1 compiled\n"
    assert process(tmp_path, use(), SOL_PARALLEL="0") == "6.0 6.0 1 compiled\n"


def test_unknown_static_values_are_not_kept(tmp_path: Path) -> None:
    text = """
    class Odd:
        def __hash__(self): return 1
    K = Odd()
    @handmade(BODY % "3", [f64_scalar], LEAF, compiled=compiled, cache=True)
    def f(x, how=None):
        return x
    print(f(2.0, how=lambda: 0), f(2.0), len(compiled))
    """
    assert process(tmp_path, text) == "6.0 6.0 2\n"
    assert process(tmp_path, text) == "6.0 6.0 0\n"


def test_records_survive_json() -> None:
    import json

    place = Place("", 3, "f")
    record = Record(
        "f", "a.so 12", "", (LeafRecord("array", "f64", 2, "a", base="b"),), (f64_scalar,), {"tuple": [LEAF, None]},
        (RaiseRecord("builtins.ValueError", None, ("i64",), place),), (), False, ("n == 1",), (RemarkRecord("threads", "text", (("", 3),)),),
        (("lower", 0.5),), (((("global", "K"),), "int 3"),), (), (("cpp", "a.cpp"),),
        twins=(((("global", "h"), ("global", "K")), (("global", "K"),)),), schedule=[],
    )  # fmt: skip
    assert from_json(json.loads(json.dumps(to_json(record)))) == record


def test_folder_is_private(tmp_path: Path) -> None:
    library = open_cache(Settings(cache_dir=str(tmp_path / "new")))
    assert library.shared and stat.S_IMODE(os.stat(library.root).st_mode) == 0o700


def test_changed_globals_in_one_process() -> None:
    seen: list[Any] = []
    space: dict[str, Any] = {}
    exec(compile("K = 3\ndef f(x): return x * K\n", "<test>", "exec"), space)
    body = "EXPORT int32_t sol_kernel(sol_frame* f) { put(f->out, get<double>(f->in)); return SOL_OK; }"
    f = handmade(body, [f64_scalar], LEAF, compiled=seen, captured=[(("global", "K"),)])(space["f"])
    for value, count in [(3, 1), (4, 2), (3, 2), (3.0, 3), (4, 3), (0.0, 4), (-0.0, 5), (True, 6), ((1, 2), 7)]:
        space["K"] = value
        for _ in range(2):
            f(1.0)
        assert len(seen) == count, value
    space["K"] = (1, np.int64(2).item())  # equal, but another object
    assert f(1.0) == 1 and len(seen) == 7
    del space["K"]
    assert f(1.0) == 1 and len(seen) == 8


def test_array_globals_are_compared_by_content(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sol.settings().__class__.__name__ == "settings"
    from soljit.runtime.system.fingerprint import value_text

    a = np.arange(3.0)
    assert value_text(a) == value_text(a.copy()) != value_text(a.astype("f4"))
    assert value_text(a) != value_text(a + 1)
    assert value_text(0.0) != value_text(-0.0) and value_text(1) != value_text(True) != value_text(1.0)
