"""Finding the syntax of functions, wherever they come from."""

from __future__ import annotations

import ast
import functools
import linecache
import marshal
import math
import sys
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from soljit.base.errors import UnsupportedError
from soljit.frontend_ast.syntax.source import function_ast


def same(fn: Any, *args: Any, **kwargs: Any) -> Any:  # a decorator that takes anything
    return fn


def decorate(*args: Any, **kwargs: Any) -> Callable[[Any], Any]:
    return same


def plain(a: int, b: int = 2) -> int:
    return a + b


@same
@decorate(
    option=(lambda x: x),
    other="text",
)
def decorated(a: int) -> int:
    """Documentation."""
    return a * 3


def outer(n: int) -> Callable[[int], int]:
    def inner(x: int) -> int:
        return x + n

    return inner


class Model:
    @staticmethod
    def fixed(x: int) -> int:
        return x

    def method(self, x: int) -> int:
        return x + 1

    @property
    def prop(self) -> int:
        return 5


add, mul = (lambda x, y: x + y), (lambda x, y: x * y)
two, three = (lambda x: x + 2), (lambda x: x + 3)
nested = lambda f=lambda x: x: f  # noqa: E731
broken = (  # noqa: E731
    lambda a, b: a - b
)


def test_places_are_those_of_the_file() -> None:
    source = function_ast(plain)
    lines = Path(__file__).read_text().splitlines()
    assert isinstance(source.tree, ast.FunctionDef) and source.tree.name == "plain" and source.file == __file__
    assert lines[source.tree.lineno - 1].startswith("def plain")
    loc = source.loc(source.body[0])
    assert lines[loc.line - 1][loc.col : loc.end_col] == "return a + b" and loc.function == "plain"
    assert source.text == "def plain(a: int, b: int = 2) -> int:\n    return a + b\n"


def test_decorators_are_stripped() -> None:
    source = function_ast(decorated)
    assert isinstance(source.tree, ast.FunctionDef)
    assert source.tree.decorator_list == [] and source.tree.name == "decorated"
    assert source.text.startswith("def decorated")
    assert ast.parse(Path(__file__).read_text()).body  # the shared tree is not the one that was changed
    again = function_ast(decorated)
    assert again.digest == source.digest


def test_nested_functions_and_methods() -> None:
    assert function_ast(outer(1)).qualname == "outer.<locals>.inner"
    assert function_ast(Model().method).qualname == "Model.method"
    assert function_ast(Model.fixed).tree.args.args[0].arg == "x"
    assert function_ast(Model.prop.fget).qualname == "Model.prop"


@pytest.mark.parametrize(
    ("fn", "text"),
    [
        (add, "x + y"),
        (mul, "x * y"),
        (two, "x + 2"),
        (three, "x + 3"),
        (nested, "f"),
        (nested(), "x"),
        (broken, "a - b"),
    ],
)
def test_lambdas(fn: Any, text: str) -> None:
    source = function_ast(fn)
    assert isinstance(source.tree, ast.Lambda) and ast.unparse(source.tree.body) == text
    assert isinstance(source.body[0], ast.Return)


def test_lambdas_that_differ_only_in_their_closure_mean_the_same() -> None:
    n, m = 1, 2
    f, g = (lambda x: x + n), (lambda x: x + m)
    assert ast.unparse(function_ast(f).tree) == "lambda x: x + n"
    assert ast.unparse(function_ast(g).tree) == "lambda x: x + m"


def test_digest_depends_on_syntax_alone() -> None:
    def twice(x):  # type: ignore[no-untyped-def]
        # with a comment
        return (x *
                2)  # fmt: skip

    first = function_ast(twice).digest

    def twice(x):  # type: ignore[no-untyped-def]  # noqa: F811
        return x * 2

    second = function_ast(twice).digest

    def twice(x):  # type: ignore[no-untyped-def]  # noqa: F811
        return x * 3

    assert first == second != function_ast(twice).digest


def _module(path: Path, text: str) -> types.ModuleType:
    path.write_text(text)
    module = types.ModuleType(path.stem)
    exec(compile(text, str(path), "exec"), module.__dict__)
    return module


def test_a_file_edited_after_import_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "edited.py"
    module = _module(path, "def f(x):\n    return x + 1\n\ndef g(x):\n    return x\n")
    assert function_ast(module.f).text == "def f(x):\n    return x + 1\n"
    path.write_text("def f(x):\n    return x + 222\n\n\ndef g(x):\n    return x\n")
    with pytest.raises(UnsupportedError, match="is not what was imported") as found:
        function_ast(module.f)
    assert "import the module again" in str(found.value)
    assert (function_ast(module.g).tree.lineno, function_ast(module.g).moved) == (
        5,
        True,
    )  # it is what it was, elsewhere
    path.write_text("def f(x:\n")
    with pytest.raises(UnsupportedError, match="line 1 of it cannot be parsed now"):
        function_ast(module.f)


@pytest.mark.parametrize("line", ["assert x", "x.__name", "__debug__"])
def test_an_edited_file_is_refused_whatever_the_function_does(line: str, tmp_path: Path) -> None:
    path = tmp_path / "edited_below.py"
    module = _module(path, f"def f(x):\n    {line}\n    return x + 1\n")
    path.write_text(f"def f(x):\n    {line}\n    return x + 222\n")
    with pytest.raises(UnsupportedError, match="is not what was imported"):
        function_ast(module.f)


def test_the_warnings_of_a_file_are_not_given_again(tmp_path: Path) -> None:
    file = tmp_path / "warned.py"
    file.write_text("def f(a):\n    return '\\d', a is 1\n")
    space: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(file.read_text(), str(file), "exec"), space)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert function_ast(space["f"]).tree.name == "f"


def test_a_module_read_from_bytecode_may_have_its_sets_in_another_order(tmp_path: Path) -> None:
    path = tmp_path / "sets.py"
    text = "def f(x):\n    return x in {70, 6, 38, 102, 134, -1, -2}, (x in {'a', 'b'} for _ in x)\n"
    module = _module(path, text)
    again = types.ModuleType("sets")
    exec(marshal.loads(marshal.dumps(compile(text, str(path), "exec"))), again.__dict__)
    assert function_ast(module.f).text == function_ast(again.f).text == text
    path.write_text(text.replace("102", "103"))
    with pytest.raises(UnsupportedError, match="is not what was imported"):
        function_ast(again.f)


def test_columns_count_characters(tmp_path: Path) -> None:
    module = _module(tmp_path / "wide.py", 'def f(x):\n    ä = "äöü"; return x\n')
    source = function_ast(module.f)
    assert source.loc(source.body[1]).col == len('    ä = "äöü"; ')


def test_a_notebook_cell_that_imports_is_compiled_statement_by_statement() -> None:
    text = "import math\ndef f(x):\n    return math.sin(x) + math.cos(x)\ng = lambda x: math.tan(x)\n"
    name = "<cell that imports>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space: dict[str, object] = {}
    for statement in ast.parse(text).body:
        exec(compile(ast.Module([statement], []), name, "exec"), space)
    assert "math.sin(x)" in function_ast(space["f"]).text
    assert "math.tan(x)" in function_ast(space["g"]).text


def test_executed_text_with_and_without_a_linecache_entry() -> None:
    text = "def f(x):\n    return x + 1\n"
    space: dict[str, Any] = {}
    exec(compile(text, "<nowhere>", "exec"), space)  # "<string>" may be the command line of Python, from 3.13 on
    with pytest.raises(UnsupportedError, match="source of f is not available") as found:
        function_ast(space["f"])
    assert "linecache" in found.value.hint
    name = "<made for this test>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec"), space)
    assert function_ast(space["f"]).text == text


def test_things_without_source() -> None:
    for thing in (math.sin, len, int, functools.partial(plain, 1)):
        with pytest.raises(UnsupportedError, match="is no Python function"):
            function_ast(thing)

    async def later() -> None:
        pass

    with pytest.raises(UnsupportedError, match="async"):
        function_ast(later)


def test_functions_with_assertions() -> None:  # pytest has rewritten the bytecode of this one
    def checked(x: int) -> int:
        assert x > 0
        return x

    assert function_ast(checked).qualname.endswith("checked")


@pytest.mark.skipif(sys.version_info < (3, 11), reason="co_positions")
def test_equal_lambdas_are_told_apart_by_place() -> None:
    f, g = (lambda x: x + 1), (lambda x: x + 1)
    assert function_ast(f).tree.col_offset < function_ast(g).tree.col_offset
