"""The names under which compiled code is kept: digests of everything outside a function that it depends on.

An environment is made of Python, NumPy, the processor and soljit's own sources, by their content, and of the compiler.
Code of another compiler is as right, so that code of any will do where there is none.
"""

from __future__ import annotations

import functools
import os
import re

import numpy as np

from soljit.base.settings import TARGETS
from soljit.runtime.store.cache_files import read_text, write_text
from soljit.runtime.system.find_compiler import compiler_identity, cpu_identity, python_identity
from soljit.runtime.system.fingerprint import digest
from soljit.runtime.system.guarded_folder import Folder

FORMAT = "3"
PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ENVIRONMENT = "[0-9a-f]{20}"
_WITHOUT_COMPILER = 12  # leading digits of an environment's name that the compiler does not change


def environment_key(compiler: str, root: str, signature: str) -> str:
    """The name of the environment with this compiler; without one (""), of the one in `root` that was used last.

    signature: what `sources_key` says of soljit's own files.
    """
    numpy = f"{np.__version__} {np.__file__} {os.stat(np.__file__).st_mtime_ns}"
    names = "NPY_ENABLE_CPU_FEATURES", "NPY_DISABLE_CPU_FEATURES", "OPENBLAS_CORETYPE"  # other loops, other bits
    limits = [os.environ.get(name, "") for name in names]
    sources = contents_key(signature, root)
    first = digest(FORMAT, python_identity(), numpy, cpu_identity(), *limits, sources)[:_WITHOUT_COMPILER]
    last = digest(compiler_identity(compiler) if compiler else "no compiler")[: 20 - _WITHOUT_COMPILER]
    return first + last if compiler else _last_used(root, first) or first + last


def _last_used(root: str, first: str) -> str:
    """The environment that begins like this and whose libraries changed last; "" if there is none."""
    try:
        with Folder.open(root) as folder:
            names = [n for n in folder.names() if n.startswith(first) and re.fullmatch(ENVIRONMENT, n)]
            return max(names, key=lambda n: folder.info(f"{n}/objects").st_mtime, default="")
    except OSError:
        return ""


@functools.lru_cache(maxsize=4)
def target_key(name: str) -> str:
    """Changes when the installed package changes that brings this target; "" for a target of soljit."""
    if not name or name in TARGETS:
        return ""
    from importlib.metadata import entry_points
    from importlib.util import find_spec

    keys = []
    for e in entry_points(group="soljit.targets"):
        spec = find_spec(e.module.partition(".")[0]) if e.name == name else None
        if spec is not None:
            folders = list(spec.submodule_search_locations or ())
            file = spec.origin if not folders else None
            keys += [_content(_files(f)) for f in folders] + ([_content([file])] if file else [])
    return digest(*keys)


@functools.lru_cache(maxsize=1)
def sources_key() -> str:
    """Changes when any file of soljit may have changed: its path, size, times and number.

    The time of change is among them, which nobody sets: it differs between two installations whose files are dated alike.
    """
    parts, folders = [], [PACKAGE]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for e in entries:
                if e.is_dir():
                    folders += [e.path] if e.name != "__pycache__" else []
                else:
                    i = e.stat()
                    parts.append(f"{e.path} {i.st_size} {i.st_mtime_ns} {i.st_ctime_ns} {i.st_ino}")
    return digest("\n".join(sorted(parts)))


def contents_key(signature: str, root: str) -> str:
    """Changes when the content of any file of soljit changes. Reading them all takes 10 ms, so `root` remembers it."""
    place = f"sources-{digest(signature)[:16]}.json"
    try:
        with Folder.open(root) as folder:
            known, content = read_text(folder, place).split(" ")
            if known == signature:
                return content
    except (OSError, ValueError):
        pass
    content = _content(_files(PACKAGE))
    try:
        with Folder.open(root) as folder:
            write_text(folder, place, f"{signature} {content}")
    except OSError:
        pass  # asked again by the next process
    return content


def _files(package: str) -> list[str]:
    found = []
    for folder, folders, files in os.walk(package):
        folders[:] = [f for f in folders if f != "__pycache__"]
        found += [os.path.join(folder, name) for name in files]
    return sorted(found)


def _content(paths: list[str]) -> str:
    parts: list[str | bytes] = []
    for path in paths:
        with open(path, "rb") as f:
            parts += [os.path.basename(path), f.read()]
    return digest(*parts)
