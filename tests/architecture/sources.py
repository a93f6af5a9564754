"""The package's source files as syntax trees, and the imports in them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "soljit"


@dataclass(frozen=True)
class Import:
    """An import of `module` in `file`; `hidden` if it stands inside a function."""

    file: str
    module: str
    line: int
    hidden: bool


def files() -> list[Path]:
    """All Python files of the package."""
    return sorted(p for p in PACKAGE.rglob("*.py") if "__pycache__" not in p.parts)


def tree(path: Path) -> ast.Module:
    """Parsed source."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def module_of(path: Path) -> str:
    """The dotted name by which a file is imported."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def _is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def imports(path: Path) -> Iterator[Import]:
    """Imports that happen at run time, by importlib as well; `from a import b` gives a.b where that is a module."""
    file = path.relative_to(ROOT).as_posix()
    stack: list[tuple[ast.AST, bool]] = [(tree(path), False)]
    while stack:
        node, hidden = stack.pop()
        if _is_type_checking(node):
            continue
        if isinstance(node, ast.Import):
            for name in node.names:
                yield Import(file, name.name, node.lineno, hidden)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = path.relative_to(ROOT).with_suffix("").parts[: -node.level]
                base = ".".join([*parents, *filter(None, [base])])
            for name in node.names:
                part = ROOT.joinpath(*base.split("."), name.name)
                is_module = part.with_suffix(".py").exists() or (part / "__init__.py").exists()
                yield Import(file, f"{base}.{name.name}" if is_module else base, node.lineno, hidden)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in {"import_module", "importlib.import_module"}:
            if node.args and isinstance(node.args[0], ast.Constant):
                yield Import(file, str(node.args[0].value), node.lineno, hidden)
        inside = hidden or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        stack.extend((child, inside) for child in ast.iter_child_nodes(node))
