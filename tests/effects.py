"""What compiling does to the world: an audit hook over the whole suite, and a check that no code of the program runs.

While a function is lowered and optimized nothing may happen but reading source files and importing modules that Python, NumPy or soljit
ship; while it is built, the cache writes into its own folder and the C++ compiler is started. Everything else is a violation, and the
test during which it happened fails (`conftest.py`).

`SOL_TEST_CALLS=1` also watches every call: none may run Python code that Python, NumPy or soljit do not ship. (Slow.)
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

from soljit import driver
from soljit.base.knowledge.pure import is_shipped_code
from soljit.base.python.names import whose
from soljit.runtime.system.continuation import Continuation

violations: list[str] = []
_LOWERING = {driver.lower_function.__code__, driver.optimize.__code__}
_IN_COMPILE = {c.co_name: c for c in driver._compile.__code__.co_consts if isinstance(c, CodeType)}
_BUILDING_CODE = {
    driver.compile_function.__code__,
    driver._compile.__code__,
    _IN_COMPILE["build"],
}  # the others alone in threads of their own
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_HARMLESS = (
    *(
        "compile",
        "object.",
        "code.__new__",
        "sys._getframe",
        "marshal.",
        "gc.",
        "builtins.id",
        "function.__new__",
        "ctypes.",
    ),
    *(
        "sys.setprofile",
        "sys.settrace",
        "cpython.",
        "os.listdir",
        "os.scandir",
        "sys.unraisablehook",
        "array.__new__",
        "sqlite3.",
    ),
    *("os.add_dll_directory", "re.", "random.", "sys.excepthook", "os.fwalk", "os.walk"),
)
_BUILDING = (
    "os.mkdir",
    "os.rename",
    "os.chmod",
    "os.remove",
    "os.rmdir",
    "os.truncate",
    "os.link",
    "os.utime",
    "open",
    "tempfile.",
    "shutil.",
)
_STARTING = (
    "subprocess.Popen",
    "os.posix_spawn",
    "os.fork",
    "_winapi.",
    "fcntl.",
    "os.kill",
    "os.umask",
    "signal.",
    "_thread.start",
)


def _hook(event: str, args: tuple[Any, ...]) -> None:
    if event.startswith(_HARMLESS):
        return
    stage, root = _stage()
    if not stage:
        return
    if event == "import":
        allowed = whose(args[0]) != "program" or args[0].partition(".")[0] in ("islpy", "llvmlite", "_distutils_hack")
    elif event == "os.fork" and _goes_on_elsewhere():
        allowed = True
    elif event == "exec":
        allowed = is_shipped_code(args[0]) or _is_called_by_soljit()
    elif event == "open" and _only_reads(*args):
        allowed = stage == "build" or _is_source(args[0])
    elif stage == "build":
        allowed = (
            event.startswith(_STARTING)
            or event.startswith(_BUILDING)
            and all(_is_own(p, root) for p in _paths(event, args))
        )
    else:
        allowed = False
    if not allowed:
        violations.append(f"{event}{tuple(map(_short, args))} while a function was compiled ({stage}), by {_where()}")


def _where() -> str:
    """The frames of soljit that led to an event, innermost first."""
    found = []
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and len(found) < 4:
        if f"{os.sep}soljit{os.sep}" in frame.f_code.co_filename:
            found.append(f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}")
        frame = frame.f_back
    return " < ".join(found)


def _short(x: object) -> str:
    return repr(x)[:120]


def _only_reads(path: object, mode: str | None, flags: int | None = 0) -> bool:
    return not (set(mode or "") & set("wax+")) and not ((flags or 0) & _WRITING)


def _is_source(path: object) -> bool:
    return isinstance(path, (str, bytes, int)) and (
        isinstance(path, int) or os.fsdecode(path).endswith((".py", ".pyc", ".so", "cpuinfo", ">"))
    )


def _paths(event: str, args: tuple[Any, ...]) -> list[str]:
    """The files and folders that an event is about."""
    count = 2 if event in ("os.rename", "os.link") else 1
    return [
        os.fspath(p) if not isinstance(p, bytes) else os.fsdecode(p)
        for p in args[:count]
        if isinstance(p, (str, bytes, os.PathLike))
    ]


def _is_own(path: str, root: str) -> bool:
    """Is this in the cache's folder, or in a temporary folder of soljit's? (What has no folder is below an open one.)"""
    name = os.path.abspath(path)
    return not os.path.isabs(path) or name.startswith(root) or f"{os.sep}soljit" in name or path == os.devnull


def _is_called_by_soljit() -> bool:
    frame: FrameType | None = sys._getframe(2)
    return frame is not None and f"{os.sep}soljit{os.sep}" in frame.f_code.co_filename


def _goes_on_elsewhere() -> bool:
    """Is this the fork that goes on when a call has waited enough?"""
    return sys._getframe(2).f_code is Continuation.begin.__code__


def _profile(frame: FrameType, event: str, arg: object) -> None:
    if event == "call" and not is_shipped_code(frame.f_code) and _is_code_of_a_program(frame):
        by = frame.f_back.f_code if frame.f_back is not None else None
        violations.append(
            f"{frame.f_code.co_filename}:{frame.f_code.co_qualname} was run by {by} while a function was compiled"
        )


def _is_code_of_a_program(frame: FrameType) -> bool:
    name = frame.f_globals.get("__name__", "")
    return (
        not frame.f_code.co_filename.startswith("<")
        and frame.f_code.co_name != "find_spec"  # the import system asks what is installed in it
        and name != __name__
        and name.partition(".")[0] not in ("islpy", "_pytest", "pluggy")
    )


def _stage() -> tuple[str, str]:
    """What is being done to a function in this thread: "lower", "build" or nothing; and the folder of the cache."""
    frame: FrameType | None = sys._getframe(2)
    stage = ""
    while frame is not None and frame.f_code not in _BUILDING_CODE:
        stage = "lower" if frame.f_code in _LOWERING else stage
        frame = frame.f_back
    return ("", "") if frame is None else (stage or "build", frame.f_locals["cache"].root)


def _with_calls_watched(function: Callable[..., Any]) -> Callable[..., Any]:
    def run(*args: Any, **kwargs: Any) -> Any:
        before = sys.getprofile()
        sys.setprofile(_profile)
        try:
            return function(*args, **kwargs)
        finally:
            sys.setprofile(before)

    return run


def install() -> None:
    """Watch from now on."""
    importlib.import_module("islpy")  # which soljit loads when it needs it
    with contextlib.suppress(ImportError):
        import cuda.pathfinder  # noqa: F401 (what finds NVIDIA's libraries may be loaded while something is compiled)
    sys.addaudithook(_hook)
    if os.environ.get("SOL_TEST_CALLS"):
        driver.lower_function = _with_calls_watched(driver.lower_function)  # type: ignore[assignment]


def taken() -> list[str]:
    """The violations since the last time."""
    found = violations[:]
    violations.clear()
    return found
