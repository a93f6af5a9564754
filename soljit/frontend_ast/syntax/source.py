"""From a function object to the syntax tree it was compiled from, with the file's own line and column numbers.

The whole file is parsed (once, while it does not change) and the function is found in it by its first line and name;
lambdas, of which a line can hold several, by comparing code objects. What was found is compiled again and must give
the function's own bytecode, so that a file edited after its import is refused rather than compiled. Trees of one
file are shared: nobody may change a node.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import linecache
import warnings
from collections.abc import Iterator, Sequence
from functools import lru_cache
from types import CodeType, FunctionType, MethodType
from typing import Any

from soljit.base.errors import UnsupportedError
from soljit.base.place import Loc
from soljit.base.python import sent_sources
from soljit.base.records import dataclass
from soljit.frontend_ast.syntax.cell_texts import texts_with
from soljit.frontend_ast.syntax.desugar_match import without_match
from soljit.frontend_ast.syntax.mangle import mangle
from soljit.frontend_ast.syntax.rename_handlers import with_own_names

FunctionTree = ast.FunctionDef | ast.Lambda
_PARSED: dict[str, tuple[list[str], ast.Module]] = {}
_SOURCES: dict[int, tuple[CodeType, ast.Module, FunctionSource]] = {}  # what was found, by the identity of the code
_IN_CELLS: dict[
    int, tuple[CodeType, str, int]
] = {}  # where magics of IPython have it from: file, and lines above it there
_MOST_FILES = 64
_MOST_FUNCTIONS = 1024
_Found = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_FUTURE = 0x1FE0000  # the flags of `from __future__` imports, which a compilation takes over


@dataclass(frozen=True)
class FunctionSource:
    """A function's syntax. `digest` depends on the syntax alone: not on place, decorators, comments or layout."""

    tree: FunctionTree
    file: str
    text: str
    qualname: str
    digest: str
    moved: bool = False  # it stands elsewhere than its code says

    def loc(self, node: ast.AST) -> Loc:
        """The place of a node."""
        line, col = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
        end_line, end_col = getattr(node, "end_lineno", line) or line, getattr(node, "end_col_offset", col) or col
        return Loc(
            self.file,
            line,
            _characters(self.file, line, col),
            end_line,
            _characters(self.file, end_line, end_col),
            self.qualname,
        )

    @property
    def body(self) -> list[ast.stmt]:
        """The statements; a lambda's expression as a `return`."""
        if isinstance(self.tree, ast.FunctionDef):
            return self.tree.body
        return [ast.copy_location(ast.Return(value=self.tree.body), self.tree.body)]


def parameter_order(fn: Any) -> list[str]:
    """The names of the parameters, in the order in which a call's arguments are described."""
    code = fn.__code__
    n = code.co_argcount
    names = list(code.co_varnames)
    positional, keyword = names[:n], names[n : n + code.co_kwonlyargcount]
    rest = names[n + code.co_kwonlyargcount :]
    args = rest[:1] if code.co_flags & 4 else []
    kwargs = rest[len(args) : len(args) + 1] if code.co_flags & 8 else []
    return [*positional, *args, *keyword, *kwargs]


def function_ast(function: Any) -> FunctionSource:
    """The source of a Python function, method or lambda; UnsupportedError with a hint if there is none."""
    fn = with_text(plain_function(function))
    lines = _lines(fn)
    code = fn.__code__
    place = Loc(code.co_filename, code.co_firstlineno, function=fn.__qualname__)
    if not lines:
        raise UnsupportedError(
            f"the source of {fn.__qualname__} is not available (it was defined in {code.co_filename})",
            Loc(function=fn.__qualname__),
            hint="define the function in a file or a notebook cell; for text given to exec(), put an entry into "
            "linecache.cache under the name given to compile()",
        )
    with warnings.catch_warnings():  # Python gave those about the text when the file was imported
        warnings.simplefilter("ignore")
        tree = _parse(code.co_filename, lines, place)
        known = _SOURCES.get(id(code))
        if known is not None and known[0] is code and known[1] is tree and known[2].qualname == fn.__qualname__:
            return known[2]
        node, moved = _found(tree, fn, place)
    if isinstance(node, ast.AsyncFunctionDef):
        kind = "generator" if code.co_flags & inspect.CO_ASYNC_GENERATOR else "function"
        hint = "Python runs it; compile the functions that it calls"
        raise UnsupportedError(f"{fn.__qualname__} is an async {kind}", place, hint)
    if isinstance(node, ast.FunctionDef) and node.decorator_list:
        node = ast.copy_location(ast.FunctionDef(**{**dict(ast.iter_fields(node)), "decorator_list": []}), node)
    text = "".join(lines[node.lineno - 1 : node.end_lineno])
    digest = syntax_digest(node)
    if isinstance(node, ast.FunctionDef):
        node = with_own_names(without_match(node))
    source = FunctionSource(node, code.co_filename, text, fn.__qualname__, digest, moved)
    if len(_SOURCES) >= _MOST_FUNCTIONS:
        _SOURCES.clear()
    _SOURCES[id(code)] = code, tree, source
    return source


def syntax_digest(node: ast.AST) -> str:
    """A digest of a tree's structure, without places."""
    return hashlib.sha256(ast.dump(node, annotate_fields=False).encode()).hexdigest()[:32]


def plain_function(function: Any) -> FunctionType:
    """The Python function behind a method; UnsupportedError for anything that has no Python source."""
    if isinstance(function, MethodType):
        function = function.__func__
    if isinstance(function, FunctionType):
        return function
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    raise UnsupportedError(
        f"{name} is no Python function ({type(function).__name__}), so it has no source to compile",
        hint="wrap it in a function written with def",
    )


def _lines(fn: FunctionType) -> list[str]:
    file = fn.__code__.co_filename
    if not file.startswith("<"):  # what is no file (a notebook cell, a doctest) has nothing to be checked against
        linecache.checkcache(file)
    return linecache.getlines(file, fn.__globals__)


def with_text(fn: FunctionType) -> FunctionType:
    """The function, or one with its code that names another file, in which its text stands: a helper that came with a jitted function from another process, or
    what a magic of IPython made of a cell.
    """
    code = fn.__code__
    if _lines(fn):
        return fn
    for file in sent_sources.files():
        if _is_in(linecache.getlines(file), file, fn):
            return _in_file(fn, file, 0)
    if code.co_filename.startswith("<"):
        known = _IN_CELLS.get(id(code))
        if known is not None and known[0] is code:
            return _in_file(fn, *known[1:])
        for k, cell in enumerate(texts_with("lambda" if code.co_name == "<lambda>" else code.co_name)):
            if _is_in(cell.lines(), f"<text {k} of a cell>", fn):
                _IN_CELLS[id(code)] = code, cell.keep(), cell.above
                return _in_file(fn, *_IN_CELLS[id(code)][1:])
    return fn


def _is_in(lines: list[str], file: str, fn: FunctionType) -> bool:
    place = Loc(file, fn.__code__.co_firstlineno, function=fn.__qualname__)
    try:
        _found(_parse(file, lines, place), fn, place)
    except UnsupportedError:
        return False
    return True


def _in_file(fn: FunctionType, file: str, below: int) -> FunctionType:
    code = sent_sources.named(fn.__code__, file, below)
    other = FunctionType(code, fn.__globals__, fn.__name__, fn.__defaults__, fn.__closure__)
    other.__qualname__ = fn.__qualname__
    return other


def _characters(file: str, line: int, col: int) -> int:
    """A byte column of the syntax tree, counted in characters."""
    text = linecache.getline(file, line)
    return col if text.isascii() else len(text.encode()[:col].decode(errors="replace"))


def _parse(file: str, lines: list[str], place: Loc) -> ast.Module:
    known = _PARSED.get(file)
    if known is not None and known[0] == lines:
        return known[1]
    try:
        tree = ast.parse("".join(lines), file)
        mangle(tree)
    except SyntaxError as error:
        raise _changed(place, f"line {error.lineno} of it cannot be parsed now") from error
    if len(_PARSED) >= _MOST_FILES:
        _PARSED.clear()
    _PARSED[file] = (list(lines), tree)
    return tree


def _changed(place: Loc, why: str) -> UnsupportedError:
    return UnsupportedError(
        f"the file of {place.function} is not what was imported: {why}",
        place,
        hint="import the module again, or restart Python; a function that an import hook rewrites cannot be compiled",
    )


# --- finding the function ---------------------------------------------------------------------------------------------


@lru_cache(maxsize=_MOST_FILES)
def _functions(tree: ast.Module) -> dict[str, list[_Found]]:
    """The functions of a file by name."""
    out: dict[str, list[_Found]] = {}
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, _Found):
            out.setdefault("<lambda>" if isinstance(node, ast.Lambda) else node.name, []).append(node)
        stack.extend(ast.iter_child_nodes(node))
    return out


def _candidates(tree: ast.Module, code: CodeType) -> Iterator[_Found]:
    """Functions of that name that begin on the code's first line."""
    first = code.co_firstlineno
    for node in _functions(tree).get(code.co_name, ()):
        if isinstance(node, ast.Lambda):
            if node.lineno <= first <= (node.end_lineno or first):
                yield node
        elif first in (node.lineno, *(d.lineno for d in node.decorator_list)):
            yield node


def _found(tree: ast.Module, fn: FunctionType, place: Loc) -> tuple[_Found, bool]:
    """The function where its code says it stands, else one of its name with its code: the file was edited above it, or the code was made of the function's
    text alone (so IPython does when it takes over what was edited). Does it stand elsewhere?
    """
    try:
        return _choose(list(_candidates(tree, fn.__code__)), fn, tree, place), False
    except UnsupportedError:
        imports = [s for s in tree.body if isinstance(s, ast.Import | ast.ImportFrom) and not _is_future(s)]
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name == fn.__code__.co_name:
                if any(_same_code(_compiled(node, fn.__code__, around), fn.__code__) for around in (imports, [])):
                    return node, True
        raise


def _choose(found: list[_Found], fn: FunctionType, tree: ast.Module, place: Loc) -> _Found:
    """The one that compiles to the function's code. Two that do mean the same."""
    arguments = _argument_names(fn.__code__)
    found = [n for n in found if _parameters(n.args) == arguments]
    if not found:
        raise _changed(place, f"{fn.__name__} does not begin on line {place.line} with these parameters")
    if isinstance(found[0], ast.AsyncFunctionDef):
        return found[0]
    imports = [s for s in tree.body if isinstance(s, ast.Import | ast.ImportFrom) and not _is_future(s)]
    alone = [(n, _compiled(n, fn.__code__, around)) for around in (imports, []) for n in found]
    same = [(n, c) for n, c in alone if _same_code(c, fn.__code__)]
    if same:
        placed = [n for n, c in same if _positions(c) == _positions(fn.__code__)]
        return placed[0] if placed else same[0][0]
    if len(found) == 1 and (_is_rewritten(fn.__code__) or _in_whole_file(fn.__code__, tree)):
        return found[0]
    raise _changed(place, f"the text of {fn.__name__} compiles to something else")


def _in_whole_file(code: CodeType, tree: ast.Module) -> bool:
    """Tell whether the file as a whole holds the function's code. What surrounds a function can bear on its bytecode."""
    there = _codes(tree, code.co_filename, code.co_flags & _FUTURE).get((code.co_name, code.co_firstlineno), ())
    return any(_same_code(c, code) for c in there)


@lru_cache(maxsize=_MOST_FILES)
def _codes(tree: ast.Module, file: str, flags: int) -> dict[tuple[str, int], list[CodeType]]:
    """All code of a file, by name and first line."""
    out: dict[tuple[str, int], list[CodeType]] = {}
    stack = [compile(tree, file, "exec", flags=flags, dont_inherit=True)]
    while stack:
        c = stack.pop()
        out.setdefault((c.co_name, c.co_firstlineno), []).append(c)
        stack.extend(x for x in c.co_consts if isinstance(x, CodeType))
    return out


def _argument_names(code: CodeType) -> list[str]:
    stars = bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)  # *args, **kwargs
    return list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + stars])


def _parameters(args: ast.arguments) -> list[str]:
    named = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    return [a.arg for a in (*named, *(x for x in (args.vararg, args.kwarg) if x))]


def _is_rewritten(code: CodeType) -> bool:
    """pytest rewrites `assert`: then the bytecode cannot be compared."""
    return "@pytest_ar" in code.co_names or any(_is_rewritten(c) for c in code.co_consts if isinstance(c, CodeType))


def _compiled(node: _Found, like: CodeType, imports: Sequence[ast.stmt]) -> CodeType | None:
    """The code object of a function, compiled with the same variables free as in `like`.

    imports: those of the file, since Python compiles calls of `module.function` differently for names that are imported; notebooks
    compile the statements of a cell one by one, hence without.
    """
    inner: ast.stmt
    if isinstance(node, ast.Lambda):
        inner = ast.Expr(value=node)
    else:
        kind = type(node)
        inner = kind(**{**dict(ast.iter_fields(node)), "decorator_list": [], "returns": None})
    ast.copy_location(inner, node)
    bindings: list[ast.stmt] = [
        ast.Assign(targets=[ast.Name(id=n, ctx=ast.Store())], value=ast.Constant(value=None)) for n in like.co_freevars
    ]
    outer = ast.parse("def outer(): pass").body[0]
    assert isinstance(outer, ast.FunctionDef)
    outer.body = [*bindings, inner]
    module = ast.fix_missing_locations(ast.Module(body=[*imports, outer], type_ignores=[]))
    try:
        code = compile(module, like.co_filename, "exec", flags=like.co_flags & _FUTURE, dont_inherit=True)
    except (SyntaxError, ValueError):
        return None
    inside = [c for part in code.co_consts if isinstance(part, CodeType) for c in part.co_consts]
    named = [c for c in inside if isinstance(c, CodeType) and c.co_name == like.co_name]
    return named[-1] if named else None  # functions in default values come before it


def _is_future(s: ast.Import | ast.ImportFrom) -> bool:
    return isinstance(s, ast.ImportFrom) and s.module == "__future__"


def _same_code(a: CodeType | None, b: CodeType) -> bool:
    """Tell whether two code objects do the same, apart from where they stand."""
    if a is None or a.co_code != b.co_code or a.co_names != b.co_names or len(a.co_consts) != len(b.co_consts):
        return False
    for x, y in zip(a.co_consts, b.co_consts):
        if isinstance(x, CodeType) and isinstance(y, CodeType):
            if not _same_code(x, y):
                return False
        elif not _same_constant(x, y):
            if not isinstance(x, str) or ".<locals>." not in x + str(y):  # qualified names of nested functions
                return False
    return a.co_varnames == b.co_varnames and a.co_freevars == b.co_freevars


def _same_constant(x: object, y: object) -> bool:
    """Sets of one module are not in one order when it was compiled now and when it was read from a file of bytecode."""
    if type(x) is not type(y):
        return False
    if isinstance(x, frozenset) and isinstance(y, frozenset):
        return sorted(map(repr, x)) == sorted(map(repr, y))
    if isinstance(x, tuple) and isinstance(y, tuple):
        return len(x) == len(y) and all(map(_same_constant, x, y))
    return repr(x) == repr(y)


def _positions(code: CodeType | None) -> list[object]:
    positions = getattr(code, "co_positions", None)  # Python 3.11 and later
    return list(positions()) if positions is not None else []
