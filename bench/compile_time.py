"""How long soljit's own part of a first call takes: the import of the compiler, and front end, passes and code for generated functions.

Seconds are of the processor, in one process, and of each step the least of several runs. The C++ compiler is not among them. The second
column counts steps of lowering over all rounds for each statement: a number that is the same on each machine, and shows what is
lowered more than once.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import subprocess
import sys
import tempfile
import time
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from bench.run import ROOT, machine
from soljit.cli.screen import print_table

IMPORT = """
import time
import numpy, soljit
start = time.process_time()
import soljit.driver, soljit.frontend_ast.lower, soljit.targets.table
print(time.process_time() - start)
"""


def chain(statements: int) -> list[str]:
    """Elementwise statements, each on the result of the one before."""
    lines = [f"x{k + 1} = x{k} * {1 + k % 3}.5 + {'ab'[k % 2]}" for k in range(statements - 2)]
    return ["x0 = a + b", *lines, f"return x{statements - 2}"]


def loops(statements: int) -> list[str]:
    """Loops over single elements, and numbers between them."""
    lines = ["s = 0.0"]
    for k in range(statements // 4):
        lines += [
            "for i in range(1, n):",
            f"    t{k} = a[i - 1] * {k}.5",
            f"    b[i] = b[i] + t{k}",
            f"s = s + b[{k % 7}]",
        ]
    return [*lines, "return s"]


def branches(statements: int) -> list[str]:
    """Branches on numbers."""
    lines = ["x, y = a[0], b[1]"]
    for k in range(statements // 4):
        lines += [f"if x > {k}.0 * y:", f"    x = x * 0.5 + {k}.0", "else:", f"    y = y + x * {k}.25"]
    return [*lines, "return x, y"]


KINDS: dict[str, Callable[[int], list[str]]] = {"chain": chain, "loops": loops, "branches": branches}


def generated(lines: list[str], folder: str) -> Any:
    """A function `f(a, b, n)` of these lines."""
    file = Path(folder) / "generated.py"
    file.write_text("def f(a, b, n):\n" + "".join(f"    {x}\n" for x in lines))
    module = types.ModuleType("generated")
    exec(compile(file.read_text(), str(file), "exec"), module.__dict__)
    return module.f


def in_new_process(*words: str, **more: str) -> str:
    """What Python prints that is run with these words in a new process. Bytecode is kept, as for a user; more: of the environment"""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | more
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, env=environment, check=True).stdout


def import_seconds() -> float:
    """Seconds that the compiler's modules take after `import soljit`, in a new process with bytecode at hand."""
    return float(in_new_process("-c", IMPORT))


@contextmanager
def counted_work() -> Iterator[list[Any]]:
    """The `Work` of each lowering that begins in the body."""
    from soljit.frontend_ast import lower

    works: list[Any] = []
    usual = lower.Work

    def begin() -> Any:
        works.append(usual())
        return works[-1]

    lower.Work = begin  # type: ignore[misc,assignment]
    try:
        yield works
    finally:
        lower.Work = usual  # type: ignore[misc]


def lowered(function: Any, values: Sequence[Any]) -> Any:
    """What the front end makes of a function for such arguments."""
    from soljit.frontend_ast.lower import lower_function
    from soljit.runtime.values import arguments

    described = arguments.describe(list(values), list(inspect.signature(function).parameters))
    return lower_function(function, described.types, described.leaves)


def steps(function: Any) -> dict[str, float]:
    """Seconds of each step for `function`, and the steps of its lowering."""
    from soljit.codegen.emit import emit
    from soljit.codegen.source import Features
    from soljit.passes.manager import Context
    from soljit.passes.pipeline import optimize

    with counted_work() as works:
        times = [time.process_time()]
        program = lowered(function, [np.ones(50), np.ones(50), 50]).program
        times.append(time.process_time())
    program = optimize(program, Context(threads=4, tail="host"))
    times.append(time.process_time())
    emit(program, features=Features(avx512=True, fma=True))
    times.append(time.process_time())
    front, passes, code = (b - a for a, b in zip(times, times[1:]))
    return {"front": front, "passes": passes, "code": code, "work": sum(w.total + w.steps for w in works)}


def compile_time(options: argparse.Namespace) -> int:
    """The command `compile`."""
    imported = min(import_seconds() for _ in range(options.repeat + 1))
    print(f"import of the compiler: {imported:.3f} s")
    found: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        steps(generated(chain(4), folder))
        for statements in (int(x) for x in options.statements.split(",")):
            for kind, lines in KINDS.items():
                runs = [steps(generated(lines(statements), folder)) for _ in range(options.repeat)]
                found.append({"kind": kind, "statements": statements, **{k: min(r[k] for r in runs) for k in runs[0]}})
    head = [
        "function",
        "statements",
        "steps of lowering for each",
        "front end s",
        "passes s",
        "code s",
        "front end and passes s",
    ]
    rows = [
        [x["kind"], str(x["statements"]), f"{x['work'] / x['statements']:.2f}"]
        + [f"{s:.3f}" for s in (x["front"], x["passes"], x["code"], x["front"] + x["passes"])]
        for x in found
    ]
    print_table("compile time", head, rows, options.markdown)
    if options.out:
        record = {"machine": machine(), "import": imported, "functions": found}
        Path(options.out).write_text(json.dumps(record, indent=1) + "\n")
    return 0
