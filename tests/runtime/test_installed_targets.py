"""A target that another package brings, as docs/adding_targets.md shows it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.architecture.sources import ROOT

PROGRAM = """
import numpy as np
import soljit as sol

@sol.jit(strict=True)
def f(a):
    return a + 1

try:
    print(f(np.ones(2)), f.report()[0]["origin"], f.source().splitlines()[1])
except sol.ToolchainError as e:
    print(e)
"""


def test_the_documented_target(tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(from.*?)```", (ROOT / "docs" / "adding_targets.md").read_text(), re.DOTALL)
    package, about = tmp_path / "my_package.py", tmp_path / "mine-1.dist-info"
    package.write_text(code)
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1\n")
    names = "mine = my_package:TARGET\nbroken = my_package:NOTHING\nwrong = my_package:replace\n"
    (about / "entry_points.txt").write_text(f"[soljit.targets]\n{names}")
    (tmp_path / "program.py").write_text(PROGRAM)

    def output(target: str) -> str:
        env = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}", "SOL_TARGET": target}
        env["SOL_CACHE_DIR"] = str(tmp_path / "cache")
        run = [sys.executable, str(tmp_path / "program.py")]
        done = subprocess.run(run, env=env, capture_output=True, text=True, check=False)
        return (done.stdout or done.stderr).strip().splitlines()[-1]

    assert output("mine") == "[2. 2.] compiled // by my package"
    assert output("mine") == "[2. 2.] cache // by my package"
    package.write_text(code.replace("by my package", "edited"))
    assert output("mine") == "[2. 2.] compiled // edited"
    assert output("broken").startswith("the target 'broken' cannot be loaded: AttributeError: module 'my_package'")
    assert output("wrong") == "entry point 'wrong' of soljit.targets is a function, not a Target"
    assert "'mine', 'broken', 'wrong', not 'other'" in output("other")
