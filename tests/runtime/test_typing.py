"""What type checkers say about programs of users."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from soljit.base.settings import KEYWORDS, NAMES

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "soljit"

# A comment tells what mypy must say to the line; nothing may be said to the others.
PROGRAM = """
import soljit as sol


@sol.jit
def scaled(x: float, k: int = 2) -> float:
    return x * k


@sol.jit(strict=True, fp="fast", target="sequential")
def text(x: int) -> str:
    return str(x)


class Model:
    @sol.jit
    def predict(self, x: float) -> float:
        return x

    @sol.jit(parallel=False)
    def score(self, x: float) -> int:
        return 1

    @staticmethod
    @sol.jit
    def fixed(x: float) -> float:
        return x


def user(f: sol.Jitted[[int], str]) -> str:
    return f(1) + f.explain() + f.source("c++") + f.graph() + f.ir() + f.inspect_types()


a: float = scaled(1.0)
b: str = text(3) + user(text)
c: float = Model().predict(1.0) + Model.predict(Model(), 1.0) + Model.fixed(2.0)
d: list[str] = scaled.signatures
e: str = scaled.python.__name__
g: int = Model().score(1.0)
Model().predict.explain()
scaled(1.0, k=3)
scaled("x")  # arg-type
scaled(1.0, 2, 3)  # call-arg
text(1).nothing()  # attr-defined
Model().predict("x")  # arg-type
user(scaled)  # arg-type
sol.jit(fp="quick")  # call-overload
sol.jit(nopython=True)  # call-overload
sol.jit(target="gpu")  # call-overload
sol.settings(strict=True, cache_dir="x", debug=3, fp="contract")
sol.settings(fp="quick")  # arg-type
sol.settings(colour=1)  # call-arg
with sol.settings(parallel=False):
    pass
"""


def said(command: list[str], file: Path) -> dict[int, str]:
    """Lines of `file` and the kind of error that mypy finds there."""
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=os.environ | {"MYPYPATH": str(ROOT)})
    lines = [line for line in done.stdout.splitlines() if line.startswith(str(file)) and ": error: " in line]
    assert lines, done.stdout + done.stderr
    return {int(line.split(":")[1]): line.rpartition("[")[2].rstrip("]") for line in lines}


def test_programs_of_users_are_checked(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    # What users see is annotated in these files; leaving the others out saves ten seconds.
    seen = [str(PACKAGE / name) for name in ("__init__.py", "api.py", "base/settings.py")]
    flags = ["--strict", "--follow-imports=skip", "--cache-dir", str(tmp_path / "cache"), "--config-file", os.devnull]
    loose = ["--allow-any-generics", "--allow-subclassing-any"]
    found = said([sys.executable, "-m", "mypy", *flags, *loose, str(file), *seen], file)
    wanted = {n: line.split("# ")[1] for n, line in enumerate(PROGRAM.splitlines(), 1) if "# " in line}
    assert found == wanted


def test_the_package_says_that_it_is_annotated() -> None:
    assert (PACKAGE / "py.typed").exists()


@pytest.mark.parametrize(
    "file, function, names", [("api.py", "jit", KEYWORDS), ("base/settings.py", "__init__", NAMES)]
)
def test_annotated_keywords_are_those_there_are(file: str, function: str, names: tuple[str, ...]) -> None:
    tree = ast.parse((PACKAGE / file).read_text())
    found = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == function and n.args.kwonlyargs]
    assert [{a.arg for a in n.args.kwonlyargs} for n in found] == [{*names}]
