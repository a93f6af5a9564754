"""Command line of the harness: `python -m bench run | table | plot | compare | latency | compile | operations | ufuncs | draws | classes | roofline | gpu | package | list`."""

from __future__ import annotations

import argparse
import sys

from bench.benchmark import SUITES, Source, names
from bench.classes import classes
from bench.compare import compare
from bench.compile_time import compile_time
from bench.draws import draws
from bench.first_calls import first_calls
from bench.gpu.command import gpu
from bench.latency import latency
from bench.operations import operations
from bench.package import add_options as add_package_options
from bench.plot import plot
from bench.roofline.command import add_options as add_roofline_options
from bench.run import run
from bench.table import table
from bench.ufuncs import ufuncs


def parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    p = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    commands = p.add_subparsers(dest="command", required=True)
    c = commands.add_parser("run", help="time kernels under frameworks, check the results, write JSON lines")
    c.add_argument("--preset", default="S", choices=["tiny", "S", "M", "L", "paper"])
    c.add_argument(
        "--frameworks",
        default="soljit",
        help="comma-separated: numpy,soljit,soljit-default,numba,jax,pythran,dace,docc",
    )
    c.add_argument("--kernels", default="", help="comma-separated; all by default")
    c.add_argument(
        "--suite",
        default="kernels",
        choices=SUITES,
        help="which folder of bench/: kernels, whole programs, objects and text",
    )
    c.add_argument("--file", default="", metavar="FILE.py:FUNCTION", help="a function of your own")
    c.add_argument("--args", default="", help='its arguments as expressions: "np.random.rand(1000), 3"')
    c.add_argument("--npbench", default="", help="a checkout of NPBench whose kernels are used, unmodified")
    c.add_argument("--out", default="bench/results/latest.jsonl")
    c.add_argument("--python", action="append", default=[], metavar="FRAMEWORK=PYTHON", help="another interpreter")
    c.add_argument("--jit", default="{}", help="keyword arguments of sol.jit, as JSON")
    c.add_argument("--timeout", type=float, default=150, help="seconds for one kernel under one framework")
    c.add_argument("--budget", type=float, default=1.5, help="seconds of repeated calls")
    c.add_argument("--repeat", type=int, default=15, help="most repeated calls")
    c.set_defaults(function=run)
    c = commands.add_parser("table", help="print a file of results")
    c.add_argument("results")
    c.add_argument("--markdown", action="store_true")
    c.add_argument("--verbose", action="store_true", help="whole error texts")
    c.set_defaults(function=table)
    c = commands.add_parser("plot", help="draw a file of results")
    c.add_argument("results")
    c.add_argument("--kind", default="heatmap", choices=["heatmap", "bars"])
    c.add_argument("--out", default="", help="a file that ends in .png, .svg or .pdf")
    c.set_defaults(function=plot)
    c = commands.add_parser("compare", help="print two files of results side by side")
    c.add_argument("old")
    c.add_argument("new")
    c.add_argument("--all", action="store_true", help="unchanged ones, too")
    c.set_defaults(function=compare)
    c = commands.add_parser("latency", help="import, first call, cache hit and dispatch, as ratios")
    c.add_argument("--repeat", type=int, default=5)
    c.add_argument("--markdown", action="store_true")
    c.add_argument("--out", default="")
    c.set_defaults(function=latency)
    c = commands.add_parser(
        "first", help="first calls of kernels in new processes with an empty cache, import included"
    )
    c.add_argument("--preset", default="S")
    c.add_argument("--npbench", default="", help="a checkout of NPBench instead of this repository's kernels")
    c.add_argument("--only", default="", help="comma-separated names")
    c.add_argument("--repeat", type=int, default=2)
    c.add_argument("--markdown", action="store_true")
    c.add_argument("--out", default="")
    c.set_defaults(function=first_calls)
    c = commands.add_parser("compile", help="what compiling costs, and how it grows with the program")
    c.add_argument("--statements", default="50,100,200,400,800", help="comma-separated lengths of generated programs")
    c.add_argument("--kinds", default="all", help="comma-separated kinds of generated programs; none: no program")
    c.add_argument("--shapes", default="all", help="comma-separated programs of bench/shapes; none: no program")
    c.add_argument(
        "--steps",
        default="",
        help="kernels and programs, comma-separated or all: what steps add that reorder iterations",
    )
    c.add_argument("--repeat", type=int, default=1)
    c.add_argument("--markdown", action="store_true")
    c.add_argument("--out", default="")
    c.set_defaults(function=compile_time)
    c = commands.add_parser("operations", help="single operations of NumPy that are slower when compiled")
    c.add_argument("--sizes", default="1000,100000,1000000", help="comma-separated numbers of elements")
    c.add_argument("--only", default="", help="those with this text in them")
    c.add_argument("--below", type=float, default=0.93, help="print ratios below this")
    c.set_defaults(function=operations)
    c = commands.add_parser("ufuncs", help="each ufunc of one operand alone, of a power and as a factor, as ratios")
    c.add_argument("--only", default="", help="comma-separated names")
    c.add_argument("--below", type=float, default=0.93, help="list ratios below this")
    c.add_argument("--markdown", action="store_true")
    c.set_defaults(function=ufuncs)
    c = commands.add_parser("draws", help="random numbers, arrays and choices, in Python, by soljit and by Numba")
    c.add_argument("--number", type=int, default=100_000, help="numbers in one call")
    c.add_argument("--repeat", type=int, default=20)
    c.add_argument("--only", default="", help="those with this text in them")
    c.set_defaults(function=draws)
    c = commands.add_parser("classes", help="programs as methods of a class and as functions, in Python and compiled")
    c.add_argument("--repeat", type=int, default=15)
    c.add_argument("--only", default="", help="those with this text in them")
    c.set_defaults(function=classes)
    add_roofline_options(
        commands.add_parser("roofline", help="each kernel beside what the machine allows: picture and table")
    )
    c = commands.add_parser("gpu", help="what a GPU can do, and what soljit makes of it, in ten minutes")
    c.add_argument("--device", default="cuda", help='"cuda", "cuda:1", or "emulated": counts, and no speeds')
    c.add_argument("--quick", action="store_true", help="tiny sizes, to see that everything works")
    c.add_argument("--preset", default="L", choices=["tiny", "S", "M", "L", "paper"], help="of the kernels")
    c.add_argument(
        "--npbench", default="", help="a checkout of NPBench: its kernels, and its versions for CuPy and JAX"
    )
    c.add_argument("--parts", default="", help="comma-separated; all by default")
    c.add_argument("--seconds", type=float, default=600, help="for everything")
    c.add_argument(
        "--expect", default="", metavar="GPU", help="no measurement, but what is expected of this GPU: H100, say"
    )
    c.add_argument("--out", default="")
    c.set_defaults(function=gpu)
    add_package_options(
        commands.add_parser("package", help="a package's own tests: plain, decorated, and each call compared")
    )
    c = commands.add_parser("list", help="print the names of the kernels")
    c.add_argument("--suite", default="kernels", choices=SUITES)
    c.set_defaults(function=lambda options: print("\n".join(names(Source(options.suite)))) or 0)
    return p


def main(words: list[str] | None = None) -> int:
    """Run one command."""
    options = parser().parse_args(words)
    status: int = options.function(options)
    return status


if __name__ == "__main__":
    sys.exit(main())
