"""Functions that cloudpickle and joblib send by value are compiled where they arrive: their source text goes with them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

SENDER = '''
import linecache, pickle, sys
import cloudpickle
import numpy as np
import soljit as sol

K = 3.0
UNUSED = """%s"""

def scaled(x):
    return K * x

@sol.jit(strict=True)
def shifted(x):
    return x + 1

@sol.jit(strict=True)
def total(a):
    s = 0.0
    for i in range(a.shape[0]):
        s += scaled(a[i]) + shifted(a[i])
    return s

@sol.jit(strict=True)
def depth(n):
    return 0 if n < 1 else 1 + depth(n // 2)

def maker(k):
    square = lambda x: x * x

    @sol.jit(strict=True)
    def closure(a):
        return k * square(a).sum()

    return closure

class Model:
    def __init__(self, w):
        self.w = w

    def weight(self):
        return 2 * self.w

    @sol.jit(strict=True)
    def predict(self, a):
        return self.weight() * a

# Two cells of a notebook: text that is no file. A helper of another cell goes along.
for name, text in (
    ("<cell 1>", "def clipped(x):\\n    return min(x, 2.0)\\n"),
    ("<cell 2>", "\\n\\n@sol.jit(strict=True)\\ndef noted(a):\\n    return clipped(a[1]) + OPS['double'](a[2])\\n"),
    ("<cell 3>", "OPS = {'double': lambda x: 2 * x}\\n"),
):
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    exec(compile(text, name, "exec"), globals())

data = cloudpickle.dumps([total, depth, maker(4.0), Model(1.5), noted])
assert len(data) < 20_000 and b"not needed" not in data
open(sys.argv[1], "wb").write(data)
'''

RECEIVER = """
import pickle, sys
import numpy as np

total, depth, closure, model, noted = pickle.load(open(sys.argv[1], "rb"))
a = np.arange(4.0)
print(total(a), depth(9), closure(a), model.predict(a), noted(a))
print(total.explain())
"""


def run(script: Path, *arguments: str) -> str:
    env = os.environ | {"PYTHONPATH": str(ROOT), "SOL_TARGET": "null"}
    command = [sys.executable, str(script), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout


def test_functions_that_cloudpickle_sends(tmp_path: Path) -> None:
    pytest.importorskip("cloudpickle")
    sender, receiver, data = tmp_path / "sender.py", tmp_path / "receiver.py", str(tmp_path / "data")
    sender.write_text(SENDER % ("not needed\n" * 5000))
    receiver.write_text(RECEIVER)
    run(sender, data)
    sender.unlink()  # another machine has no such file
    said = run(receiver, data)
    assert said.splitlines()[0] == "28.0 4 56.0 [0. 3. 6. 9.] 5.0"
    line = SENDER.split("def total")[0].count("\n") + 5001
    assert f" {line} | def total(a):\n" in said
    assert "|         s += scaled(a[i]) + shifted(a[i])\n      >   " in said and "vector code" in said


def test_a_file_that_is_another_one_at_the_receiver(tmp_path: Path) -> None:
    pytest.importorskip("cloudpickle")
    sender, receiver, data = tmp_path / "sender.py", tmp_path / "receiver.py", str(tmp_path / "data")
    sender.write_text(SENDER % "")
    receiver.write_text(RECEIVER)
    run(sender, data)
    sender.write_text("# edited\n" + SENDER.replace("K * x", "K - x") % "")
    assert run(receiver, data).splitlines()[0] == "28.0 4 56.0 [0. 3. 6. 9.] 5.0"


LOKY = """
import numpy as np
from joblib import Parallel, delayed
import soljit as sol

def helper(x):
    return 3 * x

@sol.jit(strict=True)
def f(a):
    return helper(a).sum()

class Model:
    @sol.jit(strict=True)
    def predict(self, a):
        return helper(a)

def origins(a):
    return f(a), [row["origin"] for row in f.report()]

if __name__ == "__main__":
    a = np.arange(4.0)
    pool = Parallel(2)
    print(pool(delayed(f)(a) for _ in range(3)), pool([delayed(Model().predict)(a)]))
    f(a)
    print(Parallel(1, backend="loky")([delayed(origins)(a)]), Parallel(2)([delayed(origins)(np.arange(4))]))
"""


def test_joblib_runs_functions_of_scripts(tmp_path: Path) -> None:
    pytest.importorskip("joblib")
    script = tmp_path / "program.py"
    script.write_text(LOKY)
    assert run(script).splitlines()[0] == (
        "[np.float64(18.0), np.float64(18.0), np.float64(18.0)] [array([0., 3., 6., 9.])]"
    )


SPAWN = """
import multiprocessing
import numpy as np
import soljit as sol

def helper(x):
    return 3 * x

class Pair:
    def __init__(self, x):
        self.x = x

@sol.jit(strict=True)
def f(a):
    return Pair(helper(a).sum())

def origin(a):
    return f(a).x, f.report()[-1]["origin"]

if __name__ == "__main__":
    print(origin(np.arange(4.0)))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.apply(origin, [np.arange(4.0)]), pool.apply(origin, [np.arange(4)]))
    print(origin(np.arange(4)))
"""


def test_the_cache_serves_children_that_call_the_program_by_another_name(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(SPAWN)
    assert run(script).splitlines() == [
        "(np.float64(18.0), 'compiled')",
        "(np.float64(18.0), 'cache') (np.int64(18), 'compiled')",
        "(np.int64(18), 'cache')",
    ]
