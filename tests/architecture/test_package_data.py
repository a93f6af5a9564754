"""What is no Python is installed, too: an installation from a wheel has every file that the package reads."""

from __future__ import annotations

import re

from tests.architecture.sources import PACKAGE, ROOT


def test_a_source_distribution_holds_what_the_repository_holds() -> None:
    grafted = set(re.findall(r"^graft (.*)$", (ROOT / "MANIFEST.in").read_text(), re.MULTILINE))
    folders = {p.name for p in ROOT.iterdir() if p.is_dir() and any(p.glob("**/*.py"))}
    assert {"bench", "docs", "examples", "tests"} <= grafted
    assert not {f for f in folders if (ROOT / f / "__init__.py").exists()} - grafted - {"soljit"}


def test_every_file_is_part_of_the_package() -> None:
    (listed,) = re.findall(r"^soljit = \[(.*)\]$", (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    found = {p for pattern in re.findall(r'"([^"]+)"', listed) for p in PACKAGE.glob(pattern)}
    files = {p for p in PACKAGE.rglob("*") if p.is_file() and p.suffix not in (".py", ".pyc")}
    assert files and not files - found, f"not in [tool.setuptools.package-data]: {sorted(files - found)}"


def test_every_folder_with_modules_is_a_package() -> None:
    """setuptools installs packages only, and tests run in the checkout would not notice."""
    folders = {p.parent for p in PACKAGE.rglob("*.py")}
    assert not [f for f in folders if not (f / "__init__.py").exists()]
