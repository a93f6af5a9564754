"""A package imports only what stands below it, and an import hides inside a function only where a reason is written."""

from __future__ import annotations

from tests.architecture import sources

# Package or top-level module of soljit → what it may import.
BELOW: dict[str, set[str]] = {
    "base": set(),
    "ir": {"base"},
    "analysis": {"base", "ir"},
    "frontend_ast": {"base", "ir"},
    "passes": {"base", "ir", "analysis"},
    "codegen": {"base", "ir", "analysis"},
    "runtime": {"base", "ir"},
    "targets": {"base", "ir", "passes", "codegen", "runtime"},
    "driver": {"base", "ir", "analysis", "frontend_ast", "passes", "codegen", "runtime", "targets"},
    "api": {"base", "ir", "runtime", "driver"},
    "cli": {"base", "ir", "runtime", "driver", "api", ""},
    "__main__": {"cli"},
    "": {"api", "base"},  # soljit/__init__.py
}

# Imports inside functions: (file, module) → why it may not stand at the top.
HIDDEN: dict[tuple[str, str], str] = {
    ("soljit/api.py", "soljit.driver"): "the compiler, which a cache hit must not load",
    ("soljit/api.py", "soljit.runtime.inspection"): "only for those who look into a function",
    ("soljit/runtime/cache.py", "shutil"): "only to remove folders",
    ("soljit/runtime/cache.py", "tempfile"): "only for those who use a private folder",
    ("soljit/runtime/dispatch.py", "soljit.runtime.toolchain"): "runs processes, which a cache hit does not",
    ("soljit/runtime/entry.py", "soljit.runtime.alignment"): "only for calls with unaligned arrays",
    ("soljit/runtime/entry.py", "soljit.runtime.portable"): "only where the dispatcher in C does not work",
    ("soljit/targets/table.py", "importlib.metadata"): "takes long, and few targets are somebody else's",
    ("soljit/analysis/integer_sets.py", "islpy"): "a cycle between neighbours, to be untangled",
    (
        "soljit/frontend_ast/calls.py",
        "soljit.frontend_ast.indexing",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/calls.py",
        "soljit.frontend_ast.numpy_api.creation",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/calls.py",
        "soljit.frontend_ast.numpy_api.flat",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/frames.py",
        "soljit.frontend_ast.elementwise",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/indexing.py",
        "soljit.frontend_ast.elementwise",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/indexing.py",
        "soljit.frontend_ast.numpy_api.creation",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/indexing.py",
        "soljit.frontend_ast.numpy_api.flat",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/indexing.py",
        "soljit.frontend_ast.numpy_api.grids",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/indexing.py",
        "soljit.frontend_ast.numpy_api.selection",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/iteration.py",
        "soljit.frontend_ast.numpy_api.creation",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/iteration.py",
        "soljit.frontend_ast.numpy_api.flat",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/lower.py",
        "soljit.ir.walk",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/lowering.py",
        "numpy",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/lowering.py",
        "soljit.ir.types",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/numpy_api/attributes.py",
        "soljit.frontend_ast.numpy_api.shaping",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/numpy_api/attributes.py",
        "soljit.ir.data",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/numpy_api/attributes.py",
        "soljit.ir.expr",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/numpy_api/builtin_functions.py",
        "soljit.frontend_ast.indexing",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/numpy_api/creation.py",
        "soljit.frontend_ast.elementwise",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/numpy_api/diagonals.py",
        "soljit.frontend_ast.numpy_api.reductions",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/numpy_api/products.py",
        "dataclasses",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/numpy_api/products.py",
        "soljit.frontend_ast.elementwise",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/numpy_api/products.py",
        "soljit.frontend_ast.numpy_api.shaping",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/numpy_api/products.py",
        "soljit.frontend_ast.values",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/numpy_api/reductions.py",
        "soljit.frontend_ast.elementwise",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/numpy_api/reductions.py",
        "soljit.frontend_ast.lowering",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/numpy_api/reductions.py",
        "soljit.frontend_ast.numpy_api.shaping",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/numpy_api/selection.py",
        "soljit.frontend_ast.elementwise",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/numpy_api/selection.py",
        "soljit.frontend_ast.numpy_api.shaping",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/numpy_api/shape_attribute.py",
        "soljit.frontend_ast.frames",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/numpy_api/shape_attribute.py",
        "soljit.frontend_ast.numpy_api.flat",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/numpy_api/table.py",
        "soljit.frontend_ast.numpy_api.creation",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/numpy_api/table.py",
        "soljit.ir.symbolic",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/numpy_api/ufunc_methods.py",
        "soljit.frontend_ast.elementwise",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/numpy_api/ufunc_methods.py",
        "soljit.frontend_ast.indexing",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/numpy_api/ufunc_methods.py",
        "soljit.frontend_ast.numpy_api.reductions",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/numpy_api/ufunc_methods.py",
        "soljit.ir.expr",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/operators.py",
        "soljit.frontend_ast.numpy_api.creation",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/statements.py",
        "importlib",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/statements.py",
        "soljit.frontend_ast.calls",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/statements.py",
        "soljit.frontend_ast.numpy_api.creation",
    ): "a cycle: families of handlers and what they build on call one another",
    (
        "soljit/frontend_ast/statements.py",
        "soljit.frontend_ast.operators",
    ): "a cycle: families of handlers and what they build on call one another",
}


def part(module: str) -> str:
    """The package or top-level module a dotted name belongs to: "soljit.ir.ops" → "ir"."""
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
    assert found == HIDDEN.keys(), f"not listed: {found - HIDDEN.keys()}, no longer there: {HIDDEN.keys() - found}"
