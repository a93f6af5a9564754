"""A package imports only what stands below it, and an import hides inside a function only where a reason is written."""

from __future__ import annotations

from pathlib import Path

from tests.architecture import sources

# Package or top-level module of soljit → what it may import.
BELOW: dict[str, set[str]] = {
    "base": set(),
    "support": {"base"},
    "ir": {"base", "support"},
    "analysis": {"base", "support", "ir"},
    "schedule": {"base", "ir"},
    "frontend_ast": {"base", "support", "ir"},
    "passes": {"base", "support", "ir", "analysis", "schedule"},
    "codegen": {"base", "support", "ir", "analysis"},
    "runtime": {"base", "support", "ir", "schedule"},
    "targets": {"base", "support", "ir", "passes", "codegen", "runtime"},
    "records": {"base", "support", "ir", "analysis", "frontend_ast", "passes", "codegen", "runtime", "targets"},
    "placement": {"base", "support", "ir", "analysis", "passes"},
    "driver": {
        *("base", "support", "ir", "analysis", "frontend_ast", "passes", "codegen", "runtime"),
        *("targets", "records", "placement", "schedule"),
    },
    "api": {"base", "support", "ir", "runtime", "driver", "schedule"},
    "device": {"base", "runtime"},
    "numba": {"base", "api"},
    "cli": {"base", "support", "ir", "runtime", "driver", "api", ""},
    "arrays": {"runtime"},
    "__main__": {"cli"},
    "": {"api", "base", "device", "arrays", "schedule"},  # soljit/__init__.py
}

# Imports inside functions: (file, module) → why it may not stand at the top.
HIDDEN: dict[tuple[str, str], str] = {
    ("soljit/runtime/system/caches.py", "ctypes"): "for macOS only",
    ("soljit/__init__.py", "soljit.device"): "few programs use it",
    ("soljit/__init__.py", "soljit.schedule.recipe"): "few programs use it",
    ("soljit/__init__.py", "soljit.arrays"): "few programs use them",
    ("soljit/numba/__init__.py", "soljit.numba.cuda"): "it raises, for those who ask for it",
    ("soljit/api.py", "soljit.driver"): "the compiler, which a cache hit must not load",
    ("soljit/api.py", "soljit.runtime.calls.explained"): "only for those who look into a function",
    ("soljit/api.py", "soljit.runtime.calls.inspection"): "only for those who look into a function",
    ("soljit/api.py", "soljit.runtime.shadow.shadowed"): "only for those who check",
    ("soljit/api.py", "soljit.runtime.shadow.report"): "only for those who check",
    ("soljit/api.py", "soljit.runtime.profile.profile"): "only for those who watch",
    ("soljit/api.py", "soljit.runtime.profile.recorder"): "only for those who watch",
    ("soljit/runtime/profile/table.py", "rich.table"): "an extra, for tables",
    ("soljit/runtime/profile/table.py", "rich.text"): "an extra, for tables",
    ("soljit/api.py", "soljit.schedule.given"): "only for functions with a schedule",
    ("soljit/api.py", "soljit.base.python.sent_sources"): "only for functions that are sent to another process",
    (
        "soljit/runtime/calls/building.py",
        "soljit.runtime.system.beside",
    ): "only where something is compiled beside the program",
    ("soljit/base/settings.py", "importlib.metadata"): "takes long, and few targets are somebody else's",
    ("soljit/runtime/store/cache.py", "soljit.runtime.store.cache_limit"): "only where something was compiled",
    (
        "soljit/runtime/system/find_compiler.py",
        "llvmlite",
    ): "takes long, and only where the system does not describe the processor",
    (
        "soljit/runtime/build/native_dispatcher.py",
        "soljit.runtime.build.toolchain",
    ): "runs processes, which a cache hit does not",
    (
        "soljit/runtime/build/native_dispatcher.py",
        "soljit.runtime.system.beside",
    ): "runs processes, which a cache hit does not",
    ("soljit/runtime/store/environment.py", "importlib.metadata"): "takes long, and few targets are somebody else's",
    ("soljit/runtime/store/environment.py", "importlib.util"): "only for targets that are somebody else's",
    ("soljit/runtime/devices/attach.py", "soljit.runtime.devices.emulated"): "only for those who emulate",
    ("soljit/runtime/devices/attach.py", "soljit.runtime.devices.nvrtc"): "only where kernels are compiled",
    ("soljit/runtime/devices/attach.py", "soljit.runtime.build.toolchain"): "only where kernels are compiled",
    (
        "soljit/runtime/build/native_dispatcher.py",
        "soljit.runtime.devices.making",
    ): "only where there are device arrays",
    ("soljit/runtime/calls/dispatchers.py", "soljit.runtime.devices.making"): "only where results stay on a device",
    ("soljit/runtime/devices/arrays.py", "soljit.runtime.devices.making"): "it makes objects of this class",
    (
        "soljit/runtime/devices/arrays.py",
        "soljit.runtime.devices.interchange",
    ): "it makes objects of this class, for other libraries",
    ("soljit/runtime/devices/interchange.py", "soljit.runtime.devices.dlpack"): "only for libraries that speak DLPack",
    ("soljit/runtime/devices/device.py", "soljit.runtime.devices.emulated"): "only for those who emulate",
    ("soljit/runtime/devices/events.py", "matplotlib"): "an extra, for pictures",
    ("soljit/runtime/devices/events.py", "matplotlib.figure"): "an extra, for pictures",
    ("soljit/runtime/devices/events.py", "matplotlib.patches"): "an extra, for pictures",
    ("soljit/runtime/devices/layer.py", "soljit.runtime.devices.emulated"): "only for faults of emulated kernels",
    ("soljit/runtime/devices/layer.py", "soljit.runtime.build.toolchain"): "runs processes, which a cache hit does not",
    ("soljit/runtime/store/temporary.py", "fcntl"): "not on Windows, and only for those who use a private folder",
    ("soljit/runtime/store/temporary.py", "shutil"): "only to remove folders",
    ("soljit/runtime/calls/entry.py", "soljit.runtime.calls.inspection"): "only for those who watch",
    ("soljit/runtime/devices/needs.py", "soljit.runtime.devices.attach"): "only for variants that use a device",
    ("soljit/runtime/devices/needs.py", "soljit.runtime.devices.cublas"): "only for variants that use a device",
    ("soljit/runtime/devices/cublas.py", "soljit.runtime.devices.emulated"): "only for those who emulate",
    ("soljit/runtime/devices/cublas.py", "cuda.pathfinder"): "an extra",
    ("soljit/runtime/calls/entry.py", "soljit.runtime.devices.device"): "only for those who use a device",
    ("soljit/runtime/calls/entry.py", "soljit.runtime.values.alignment"): "only for calls with unaligned arrays",
    (
        "soljit/runtime/calls/dispatchers.py",
        "soljit.runtime.calls.portable",
    ): "only where the dispatcher in C does not work",
    ("soljit/runtime/devices/nvrtc.py", "cuda.pathfinder"): "an extra",
    ("soljit/targets/cpp.py", "soljit.runtime.devices.attach"): "only where kernels are compiled",
    ("soljit/targets/table.py", "soljit.runtime.devices.cublas"): "only where a device is compiled for",
    ("soljit/targets/table.py", "importlib.metadata"): "takes long, and few targets are somebody else's",
    ("soljit/analysis/memory/integer_sets.py", "islpy"): "takes 50 ms, and few programs need it",
}

# The rooms of each package, from the lowest to the highest. A room imports itself and those before it; the files beside the rooms import all.
ROOMS: dict[str, tuple[str, ...]] = {
    "base": ("python", "knowledge"),
    "ir": ("core", "symbolic", "walk", "text", "callbacks", "interpret", "verify"),
    "analysis": ("memory", "flow", "loops", "reordering", "cost", "device", "explain", "pictures"),
    "frontend_ast": (
        *("syntax", "values", "lowering", "arrays", "objects", "numbers", "joins", "views", "iteration", "calls"),
        *("expressions", "statements", "python_api", "numpy_api"),
    ),
    "passes": ("simplify", "loops", "fusion", "products", "lists", "scheduling", "reordering", "transfers", "device"),
    "codegen": ("writing", "spelling", "memory", "loops", "routines", "device"),
    "runtime": ("system", "values", "variants", "store", "profile", "build", "devices", "calls", "shadow"),
}


def part(module: str) -> str:
    """The package or top-level module a dotted name belongs to: "soljit.ir.core.ops" → "ir"."""
    return (module.split(".") + [""])[1]


def test_imports_go_down_the_ladder() -> None:
    wrong = []
    for path in sources.files():
        here = path.relative_to(sources.PACKAGE).with_suffix("").parts[0]
        here = "" if here == "__init__" else here
        for found in sources.imports(path):
            if found.module.split(".")[0] != "soljit":
                continue
            there = part(found.module)
            if there != here and there not in BELOW[here]:
                wrong.append(f"{found.file}:{found.line}: {here or 'soljit'} may not import {found.module}")
    assert not wrong, "\n".join(wrong)


def test_every_package_has_its_line() -> None:
    names = {p.stem for p in sources.PACKAGE.glob("*.py")} | {
        p.parent.name for p in sources.PACKAGE.glob("*/__init__.py")
    }
    assert names - {"__init__"} <= BELOW.keys()


def test_hidden_imports_are_listed() -> None:
    found = {(i.file, i.module) for path in sources.files() for i in sources.imports(path) if i.hidden}
    assert found == set(HIDDEN), f"not listed: {found - set(HIDDEN)}, no longer there: {set(HIDDEN) - found}"


def room(module: str) -> tuple[str, str]:
    """Package and room that a dotted name belongs to: "soljit.frontend_ast.values.types" → ("frontend_ast", "values"); ("ir", "") for a file beside the rooms."""
    package, inside = [*module.split(".")[1:3], "", ""][:2]
    return package, inside if inside in ROOMS.get(package, ()) else ""


def _imports_rooms(path: Path) -> bool:
    """Is this a file beside the rooms of its package that imports some of them?"""
    package, here = room(sources.module_of(path))
    return not here and any(room(i.module)[0] == package and room(i.module)[1] for i in sources.imports(path))


def test_rooms_import_what_stands_below_them() -> None:
    wrong = []
    above = {sources.module_of(p) for p in sources.files() if _imports_rooms(p)}
    for path in sources.files():
        package, here = room(sources.module_of(path))
        for found in sources.imports(path):
            other, there = room(found.module)
            if not here or other != package or found.hidden:
                continue
            order = ROOMS[package]
            if order.index(there) > order.index(here) if there else found.module in above:
                wrong.append(f"{found.file}:{found.line}: {here} may not import {found.module}")
    assert not wrong, "\n".join(wrong)


def test_every_room_has_its_place() -> None:
    for package, rooms in ROOMS.items():
        assert {p.parent.name for p in (sources.PACKAGE / package).glob("*/__init__.py")} == set(rooms)


def test_rooms_hold_what_one_can_overlook() -> None:
    """At most twenty files in a folder."""
    folders = [p.parent for package in ROOMS for p in (sources.PACKAGE / package).rglob("__init__.py")]
    counts = {p.relative_to(sources.PACKAGE).as_posix(): len([*p.glob("*.py")]) - 1 for p in folders}
    assert not {name: n for name, n in counts.items() if n > 20}


def test_no_import_leads_back_to_its_file() -> None:
    """Modules of the package that import each other in a circle, however long."""
    imports = {sources.module_of(p): {i.module for i in sources.imports(p) if not i.hidden} for p in sources.files()}
    left = {m: {i for i in found if i in imports and i != m} for m, found in imports.items()}
    while free := {m for m, found in left.items() if not found & left.keys()}:
        left = {m: found for m, found in left.items() if m not in free}
    assert not left, f"circles among, or above circles of: {sorted(left)}"
