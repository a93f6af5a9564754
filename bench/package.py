"""The test suite of a package plain, with all its functions and methods decorated, and with each call compared: what becomes other."""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from bench import package_summary
from bench.run import ROOT, machine, warm_up
from soljit.cli.screen import print_table

MODES = ("plain", "decorated", "checked")
OUTCOMES = ("passed", "failed", "error", "skipped")
_AS = {"xfailed": "skipped", "xpassed": "passed"}
_MARKS = ("pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini")
_HEADS = (
    *("tests passed", "failed", "errors", "skipped", "seconds", "processor seconds", "functions decorated", "called"),
    *("compiled", "fell back", "warnings", "calls checked", "of", "differences", "last places", "not the same twice"),
)
_ALL_PLAIN = (
    "nothing was compiled. Where the tests make warnings errors, all runs in plain Python, since compiled arithmetic gives no "
    'RuntimeWarning: add -W default::RuntimeWarning to --tests="…"'
)
_WHERE = re.compile(r":\d+: in ")
_ONE_PLACE = re.compile(r"a copy of .* is not like it .*")
_MOST = 30  # lines of each list that are printed; the file has all


def package(options: argparse.Namespace) -> int:
    """The command `package`; the exit status tells whether decorating changed anything."""
    modes = options.modes.split(",")
    if unknown := [m for m in modes if m not in MODES]:
        raise SystemExit(f"unknown mode: {', '.join(unknown)}; there are {', '.join(MODES)}")
    words, place = arguments(options.tests, options.package.split(","))
    out = Path(options.out or f"package-{options.package.replace(',', '-')}.json")
    out.parent.mkdir(parents=True, exist_ok=True)
    results: dict[str, Any] = {"package": options.package, "tests": words, "jit": json.loads(options.jit)}
    limits = {"compile_limit": options.compile_limit, "compiler_seconds": options.compiler_seconds}
    results |= {"limits": limits | {"timeout": options.timeout}, "machine": machine(), "modes": {}}
    with tempfile.TemporaryDirectory(prefix="bench-package-") as folder:
        path = Path(folder) / "path"  # only what the tests need: this repository has a folder `tests`, too
        path.mkdir()
        for name in ("bench", "soljit"):
            (path / name).symlink_to(ROOT / name)
        cache = Path(folder) / "cache"
        cache.mkdir()
        if modes != ["plain"]:
            warm_up(options.python, str(cache))
        for mode in modes:
            print(f"-- {mode}", end="", flush=True)
            found = results["modes"][mode] = run_mode(mode, options, words, place or folder, Path(folder))
            outcomes = Counter(t["outcome"] for t in found["tests"].values())
            print(f": {', '.join(f'{n} {o}' for o, n in outcomes.items())} in {found['seconds']:.0f} s", flush=True)
            out.write_text(json.dumps(results, indent=1) + "\n")
    if options.summary:
        package_summary.add(Path(options.summary), results)
    bad = show(results["modes"])
    print(f"\n{out}")
    return 1 if bad else 0


def arguments(tests: str, packages: list[str]) -> tuple[list[str], str]:
    """What pytest is given, with whole paths, and the folder where it runs: the one of the project. "": anywhere."""
    words = shlex.split(tests) or ["--pyargs", *packages]
    place = ""
    for k, word in enumerate(words):
        file, colons, name = word.partition("::")
        if not word.startswith("-") and Path(file).exists():
            whole = Path(file).resolve()
            words[k] = f"{whole}{colons}{name}"
            folders = [whole, *whole.parents] if whole.is_dir() else [*whole.parents]
            found = next((p for p in folders if any((p / m).exists() for m in _MARKS)), folders[0])
            if whole.is_dir() or whole.suffix == ".py":  # not the file of an option
                place = place or str(found)
    return words, place


def run_mode(mode: str, options: argparse.Namespace, words: list[str], place: str, folder: Path) -> dict[str, Any]:
    """One run of the tests in a process of its own, ended after the time limit."""
    own = folder / mode
    own.mkdir()
    jit = None if mode == "plain" else json.loads(options.jit)
    task = {"packages": options.package.split(","), "jit": jit, "folder": str(own)}
    environment = {k: v for k, v in os.environ.items() if k != "SOL_CHECK"}
    environment |= {"BENCH_PACKAGE": json.dumps(task), "SOL_CACHE_DIR": str(folder / "cache"), "SOL_PROGRESS": "0"}
    given = [Path(p).resolve() for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]
    others = [str(p) for p in given if p != ROOT]
    environment["PYTHONPATH"] = os.pathsep.join([str(folder / "path"), *others])
    limits = {"SOL_COMPILE_LIMIT": options.compile_limit, "SOL_COMPILER_SECONDS": options.compiler_seconds}
    environment |= {name: str(n) for name, n in limits.items() if n is not None}
    if mode == "checked":
        environment["SOL_CHECK"] = "shadow"
    command = [options.python, "-m", "pytest", "-p", "bench.package_plugin", "-o", f"cache_dir={own}/cache", *words]
    begun, used = time.perf_counter(), _processor_seconds()
    log = own / "log.txt"
    with log.open("w") as file:
        run = subprocess.Popen(
            command, cwd=place, env=environment, stdout=file, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            status, is_whole = run.wait(options.timeout), True
        except (subprocess.TimeoutExpired, KeyboardInterrupt) as e:
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()
            if isinstance(e, KeyboardInterrupt):
                raise
            status, is_whole = run.returncode, False
    found = {
        "status": status,
        "is_whole": is_whole,
        "seconds": time.perf_counter() - begun,
        "processor": _processor_seconds() - used,
    }
    return found | _read(own, is_whole) | {"log": log.read_text(errors="replace").splitlines()[-60:]}


def _processor_seconds() -> float:
    """Of all processes that were started and have ended."""
    t = os.times()
    return t.children_user + t.children_system


def _read(folder: Path, is_whole: bool) -> dict[str, Any]:
    """What the plugin wrote, however far it came. A test that did not end was cut off, or has ended the process."""
    tests: dict[str, dict[str, str]] = {}
    lines = folder / "tests.jsonl"
    for line in lines.read_text().splitlines() if lines.exists() else ():
        try:
            record = json.loads(line)
        except ValueError:
            continue  # the process ended while it wrote
        name = record.pop("test")
        if record["outcome"] == "begun":
            record |= {"outcome": "error", "message": "it ended the process"} if is_whole else {"outcome": "cut off"}
        tests[name] = record
    state = folder / "state.json"
    known: dict[str, Any] = json.loads(state.read_text()) if state.exists() else {}
    return {"tests": tests, **known}


def show(modes: dict[str, Any]) -> int:
    """Print all; how many tests and results are other than in the plain run."""
    rows = [_row(mode, found) for mode, found in modes.items()]
    print_table("test suite", ["", *modes], [[head, *(r[k] for r in rows)] for k, head in enumerate(_HEADS)])
    if "decorated" in modes:
        print("seconds of decorated include those of the compiler; checked finds what it made in the cache")
    bad = 0
    for mode, found in modes.items():
        if not found["is_whole"]:
            at = next((n for n, t in found["tests"].items() if t["outcome"] == "cut off"), "no test")
            print(f"{mode}: took longer than the time limit, in {at}")
        elif found["status"] not in (0, 1):
            print(f"{mode}: pytest ended with status {found['status']}: {' / '.join(found['log'][-3:])}")
        if not found["tests"]:
            print(f"{mode}: no test ran: {' / '.join(found['log'][-5:])}")
            bad += 1
        if mode != "plain" and found.get("decorated") and not found["functions"]:
            print(f"{mode}: {_ALL_PLAIN}")
        if found.get("early") and mode != "plain":
            print(f"{mode}: loaded before they could be decorated: {', '.join(found['early'])}")
        if mode != "plain" and "plain" in modes:
            bad += _show_changes(mode, found, modes["plain"])
        if mode == "decorated":
            reasons: dict[str, list[str]] = {}
            for function, text in found.get("warnings", []):
                reasons.setdefault(reason(text), []).append(function)
            _list("why calls ran in plain Python", [f"{r}: {', '.join(dict.fromkeys(f))}" for r, f in reasons.items()])
        bad += _show_differences(found)
    return bad


def _row(mode: str, found: dict[str, Any]) -> list[str]:
    """The column of a mode, as `_HEADS` names it."""
    counts = Counter(_AS.get(t["outcome"], t["outcome"]) for t in found["tests"].values())
    row = [*(str(counts[o]) for o in OUTCOMES), f"{found['seconds']:.1f}", f"{found['processor']:.1f}"]
    functions, checked = found.get("functions", {}).values(), found.get("checked", [])
    if mode != "plain":
        numbers = [
            found.get("decorated", 0),
            len(functions),
            *(sum(bool(f[k]) for f in functions) for k in ("compiled", "refused")),
        ]
        row += map(str, [*numbers, len(found.get("warnings", []))])
    if mode == "checked":
        kinds = Counter(d["kind"] for f in checked for d in f["differences"])
        small = [kinds.pop(k, 0) for k in ("last places", "not the same twice")]
        row += map(str, [sum(f["checked"] for f in checked), sum(f["calls"] for f in checked), kinds.total(), *small])
    return row + [""] * (len(_HEADS) - len(row))


def _show_changes(mode: str, found: dict[str, Any], plain: dict[str, Any]) -> int:
    """Tests whose outcome is another one; how many are."""
    changed = []
    for name, before in plain["tests"].items():
        now = found["tests"].get(name, {"outcome": "not run" if found["is_whole"] else "cut off", "message": ""})
        if now["outcome"] != before["outcome"] and "cut off" not in (now["outcome"], before["outcome"]):
            changed.append(f"{name}: {before['outcome']} → {now['outcome']} {_one_line(now.get('message', ''))}")
    if plain["is_whole"]:
        changed += [f"{n}: not run → {t['outcome']}" for n, t in found["tests"].items() if n not in plain["tests"]]
    _list(f"tests that differ when {mode}", changed)
    return len(changed)


def _show_differences(found: dict[str, Any]) -> int:
    """What the checked calls found; how much of it is not only in the last places."""
    lines, bad = [], 0
    for f in sorted(found.get("checked", []), key=lambda f: f["name"]):
        for d in f["differences"]:
            bad += d["kind"] not in ("last places", "not the same twice")
            often = f" ({d['often']} times)" if d["often"] > 1 else ""
            lines.append(
                f"{d['kind'].upper()} {f['name']}({d['arguments']}) {d['where']}: {_one_line(d['text'])}{often}"
            )
    _list("differences", sorted(lines))
    reasons = Counter[str]()
    for f in found.get("checked", []):
        for reason, n in f["unchecked"].items():
            reasons[_ONE_PLACE.sub("a copy is not like the original", reason)] += n
    _list("calls that were not checked", [f"{n} {reason}" for reason, n in reasons.most_common()])
    return bad


def reason(text: str) -> str:
    """A warning without the line of the program, the hint and the command of the compiler."""
    lines = (line for line in text.splitlines() if line and not line[0].isspace())
    return next((line for line in lines if not _WHERE.search(line)), text)


def _one_line(text: str) -> str:
    return " ".join(text.split())[:300]


def _list(title: str, lines: list[str]) -> None:
    if lines:
        print(f"\n{title}: {len(lines)}")
        print("\n".join(f"  {line}" for line in lines[:_MOST]))
        if len(lines) > _MOST:
            print(f"  … and {len(lines) - _MOST} more, in the file")


def add_options(c: argparse.ArgumentParser) -> None:
    """The options of the command."""
    c.add_argument("package", help="its name as it is imported, or several, comma-separated")
    c.add_argument(
        "--tests", default="", metavar="DIR_OR_ARGS", help="what pytest is given; --pyargs PACKAGE by default"
    )
    c.add_argument("--modes", default=",".join(MODES), help="comma-separated; all by default")
    c.add_argument("--python", default=sys.executable, help="the interpreter that has the package and pytest")
    c.add_argument("--jit", default="{}", help="keyword arguments of sol.jit, as JSON")
    c.add_argument("--compile-limit", type=int, default=None, help="the setting `compile_limit`")
    c.add_argument("--compiler-seconds", type=int, default=None, help="the setting `compiler_seconds`")
    c.add_argument("--timeout", type=float, default=3600, help="seconds for the suite in one mode")
    c.add_argument("--out", default="", help="a file for all results; package-NAME.json by default")
    c.add_argument(
        "--summary", default="", help="a small file that gets a row for this package, beside those of others"
    )
    c.set_defaults(function=package)
