"""What soljit makes of many functions, as text: `python -m tests.dump FOLDER`. Two dumps show whether a change of soljit changed a program.

FOLDER gets, for each kernel and program of the harness, the program as lowered (with remarks and dependencies), as optimized for processors
and for a device, and the C++ of both. `--tests tests/differential` also runs these tests, in which functions are only lowered and then run
by Python, and writes the programs of each test to a file. `diff -r BEFORE AFTER` compares.
"""

from __future__ import annotations

import argparse
import inspect
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from bench.benchmark import SUITES, Benchmark, Source, load, names
from soljit.base.errors import UnsupportedError
from soljit.codegen.emit import emit
from soljit.codegen.source import Features
from soljit.frontend_ast.lower import lower_function
from soljit.ir.text.printer import to_text
from soljit.passes.manager import Context
from soljit.passes.pipeline import TAILS, optimize
from soljit.runtime.values import arguments
from tests.kept_programs import lowered_text, readable

MACHINE = Features(avx512=True, fma=True)  # not this one: dumps of two machines are alike


def _fused(*product: object) -> str:
    """A BLAS that adds up all small products by fused operations."""
    return "fused"


def texts(benchmark: Benchmark) -> Iterator[tuple[str, str]]:
    """The forms of a benchmark's function: ending of the file, text."""
    bound = inspect.signature(benchmark.function).bind(*benchmark.fresh())
    bound.apply_defaults()
    described = arguments.describe(list(bound.arguments.values()), list(bound.arguments))
    try:
        lowered = lower_function(benchmark.function, described.types, described.leaves)
    except UnsupportedError as e:
        yield "refused.txt", str(e)
        return
    yield "lowered.sol", lowered_text(lowered)
    for tail in TAILS:
        program = optimize(lowered.program, Context(threads=4, tail=tail, order_of=_fused if tail == "host" else None))
        source = emit(program, features=MACHINE)
        yield f"{tail}.sol", to_text(program)
        yield f"{tail}.cpp", source.text
        if source.device_text:
            yield f"{tail}.cu", source.device_text


def dump_harness(folder: Path) -> None:
    """Write all forms of all kernels and programs."""
    for suite in SUITES:
        (folder / suite).mkdir(parents=True, exist_ok=True)
        for name in names(Source(suite)):
            for ending, text in texts(load(name, "tiny", Source(suite))):
                (folder / suite / f"{name}.{ending}").write_text(readable(text) + "\n")


def dump_tests(folder: Path, tests: list[str], processes: str) -> None:
    """Write what is lowered in these tests. A test may fail, since nothing is compiled: what counts are the files."""
    env = os.environ | {"SOL_TEST_PROGRAMS": str(folder.absolute() / "tests"), "ORACLE_TARGET": "lowered"}
    command = [sys.executable, "-m", "pytest", "-q", "--tb=no", "-p", "no:cacheprovider", "-n", processes, *tests]
    subprocess.run(command, env=env, check=False)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.dump", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--tests", nargs="*", default=[], metavar="TEST", help="files or folders of tests, besides the harness"
    )
    parser.add_argument("-n", default="auto", dest="processes", help="processes for tests, as of pytest-xdist")
    given = parser.parse_args()
    dump_harness(given.folder)
    if given.tests:
        dump_tests(given.folder, given.tests, given.processes)


if __name__ == "__main__":
    main()
