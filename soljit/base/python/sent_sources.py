"""Source text that travels with a function to another process.

Picklers such as cloudpickle send the functions of `__main__` and of notebooks by value: their bytecode, but not the text that soljit
compiles. So a jitted function takes along the text of what is sent with it: of itself, and of the functions and classes that it reaches.
Of a file only imports and the statements that hold those functions are sent, each with its line, and blank lines stand for the rest.
"""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from types import CodeType, FunctionType, MethodType
from typing import Any, NamedTuple

from soljit.base.python.dependency import unwrap
from soljit.base.python.object_names import is_from_a_statement

_MOST_VALUES = 2000  # that are looked at for functions
_CLOUDPICKLES = ("cloudpickle", "joblib.externals.cloudpickle")


class Piece(NamedTuple):
    """Some lines of a file, the first of which is line `line`."""

    file: str
    line: int
    text: str


# --- the sender -------------------------------------------------------------------------------------------------------


def goes_by_value(module: str | None, qualname: str, value: object) -> bool:
    """Tell whether a pickler that can do so sends this function or class by value. Other processes have another `__main__`."""
    found: Any = sys.modules.get(module or "")
    if found is None or module in ("__main__", "__mp_main__") or _registered(module or ""):
        return True
    for part in qualname.split("."):
        found = getattr(found, part, None)
    return unwrap(found) is not value


def _registered(module: str) -> bool:
    """Tell whether the user has told cloudpickle to send this module by value."""
    for name in _CLOUDPICKLES:
        registry = getattr(sys.modules.get(name), "list_registry_pickle_by_value", None)
        if registry is not None and any(module == m or module.startswith(f"{m}.") for m in registry()):
            return True
    return False


def pieces(function: FunctionType) -> tuple[Piece, ...]:
    """The text of `function` and of what is sent with it."""
    lines: dict[str, set[int]] = {}
    for f in _reached(function):
        lines.setdefault(f.__code__.co_filename, set()).add(f.__code__.co_firstlineno)
    return tuple(p for file, firsts in lines.items() for p in _pieces_of(file, firsts, function.__globals__))


def _pieces_of(file: str, firsts: set[int], space: dict[str, Any]) -> Iterator[Piece]:
    text = linecache.getlines(file, space)
    for first, last, is_import in _statements(file, text):
        if is_import or any(first <= n <= last for n in firsts):
            yield Piece(file, first, "".join(text[first - 1 : last]))


_known: dict[str, tuple[list[str], list[tuple[int, int, bool]]]] = {}


def _statements(file: str, text: list[str]) -> list[tuple[int, int, bool]]:
    """First and last line of every statement of a file, and whether it imports."""
    if file in _known and _known[file][0] == text:
        return _known[file][1]
    try:
        body = ast.parse("".join(text)).body
    except (SyntaxError, ValueError):
        return []
    found = [(_first_line(s), s.end_lineno or s.lineno, isinstance(s, ast.Import | ast.ImportFrom)) for s in body]
    if len(_known) > 100:
        _known.clear()
    _known[file] = (list(text), found)
    return found


def _first_line(s: ast.stmt) -> int:
    if isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and s.decorator_list:
        return min(s.lineno, s.decorator_list[0].lineno)
    return s.lineno


def _reached(function: FunctionType) -> list[FunctionType]:
    """The function, and functions by value to which its globals, closure and default values lead."""
    found: list[FunctionType] = []
    seen: set[int] = set()
    waiting: list[Any] = [function]
    while waiting and len(seen) < _MOST_VALUES:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, (list, tuple, set, frozenset, dict)):
            items = value.values() if isinstance(value, dict) else value
            waiting += islice(items, _MOST_VALUES)
        elif isinstance(value, MethodType):
            waiting += [value.__func__, value.__self__]
        elif isinstance(value, property):
            waiting += [value.fget, value.fset, value.fdel]
        elif isinstance(plain := unwrap(value), FunctionType):
            if value is function or goes_by_value(plain.__module__, plain.__qualname__, plain):
                found.append(plain)
                waiting += _outside(plain)
        elif isinstance(value, type):
            if is_from_a_statement(value) and goes_by_value(value.__module__, value.__qualname__, value):
                waiting += [*vars(value).values(), *value.__bases__]
        elif is_from_a_statement(type(value)):
            waiting.append(type(value))
    return found


def _outside(f: FunctionType) -> list[Any]:
    """Values of a function's globals, closure and defaults."""
    names: set[str] = set()
    codes = [f.__code__]
    while codes:
        code = codes.pop()
        names.update(code.co_names)
        codes.extend(c for c in code.co_consts if isinstance(c, CodeType))
    values = [f.__globals__[n] for n in names if n in f.__globals__]
    for cell in f.__closure__ or ():
        try:
            values.append(cell.cell_contents)
        except ValueError:  # the variable has no value yet
            continue
    return [*values, *(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values()]


# --- the receiver -----------------------------------------------------------------------------------------------------

_files: dict[str, None] = {}  # names under which what was sent is known
_sent: dict[str, list[str]] = {}  # and the text of those that are not here


def receive(function: FunctionType, file: str, text: tuple[Piece, ...]) -> None:
    """Make the text known to Python under the name of its file, and let the function's code name `file` again."""
    names = {name: _receive(name, [p for p in text if p.file == name]) for name in dict.fromkeys(p.file for p in text)}
    _files.update(dict.fromkeys(names.values()))
    restore(function, names.get(file, file))


def _receive(file: str, text: list[Piece]) -> str:
    """The name under which the text is known from now on: that of the file, if nothing else has it."""
    linecache.checkcache(file)
    here = linecache.getlines(file)
    if file not in _sent and here:
        if all(here[p.line - 1 : p.line - 1 + len(rows)] == rows for p in text for rows in [_rows(p)]):
            return file
        return _receive(f"<{file} as sent>", text)
    lines = list(_sent.get(file, ()))
    for p in text:
        rows = _rows(p)
        lines += ["\n"] * (p.line - 1 + len(rows) - len(lines))
        for k, row in enumerate(rows, p.line - 1):
            if lines[k] not in ("\n", row):
                return _receive(f"<{file} as sent>", text)
            lines[k] = row
    _sent[file] = lines
    linecache.cache[file] = (sum(map(len, lines)), None, lines, file)
    return file


def _rows(p: Piece) -> list[str]:
    rows = p.text.splitlines(keepends=True)
    return [*rows[:-1], rows[-1] if rows[-1].endswith("\n") else rows[-1] + "\n"]


def files() -> list[str]:
    """Names of files whose text was sent, the newest first."""
    return [*_files][::-1]


def restore(function: FunctionType, file: str, below: int = 0) -> None:
    """Let a function's code name `file` as the place where it was defined, so many lines below where it says."""
    if function.__code__.co_filename != file:
        function.__code__ = named(function.__code__, file, below)


@lru_cache(maxsize=256)
def named(code: CodeType, file: str, below: int = 0) -> CodeType:
    """The code, and that of functions inside, as defined in `file`, so many lines below."""
    constants = tuple(named(c, file, below) if isinstance(c, CodeType) else c for c in code.co_consts)
    return code.replace(co_filename=file, co_consts=constants, co_firstlineno=code.co_firstlineno + below)
