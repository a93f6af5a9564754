"""The programs of the benchmark kernels: right by the verifier, read back from text and JSON, meaning what NumPy means.

Checked as the front end lowers them and as the passes leave them, by the interpreter, without a C++ compiler.
"""

import inspect

import numpy as np
import pytest

from bench.benchmark import load, names
from bench.check import worst_error
from soljit.base.errors import UnsupportedError
from soljit.frontend_ast.lower import lower_function
from soljit.ir.interpret.interpreter import call
from soljit.ir.text.codec import equal, from_json, to_json
from soljit.ir.text.parser import from_text
from soljit.ir.text.printer import to_text
from soljit.ir.verify.program import faults
from soljit.passes.manager import Context
from soljit.passes.pipeline import optimize
from soljit.runtime.values import arguments

ENDLESS = {"channel_flow", "lenet", "resnet", "scattering_self_energies"}  # minutes in the interpreter


def described_by(benchmark, values):
    """The types and leaves of a call with these values, defaults filled in."""
    bound = inspect.signature(benchmark.function).bind(*values)
    bound.apply_defaults()
    return arguments.describe(list(bound.arguments.values()), list(bound.arguments))


def lowered(benchmark, values):
    described = described_by(benchmark, values)
    try:
        return lower_function(benchmark.function, described.types, described.leaves).program
    except UnsupportedError as e:
        pytest.skip(f"not compiled yet: {e.message}")


def leaves(benchmark, values):
    return described_by(benchmark, values).leaves


@pytest.mark.share(0.4)
@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("tail", ["", "host", "device"], ids=["lowered", "optimized", "device"])
def test_programs_are_right_and_read_back(name, tail):
    benchmark = load(name, "tiny")
    program = lowered(benchmark, benchmark.fresh())
    if tail:
        program = optimize(program, Context(threads=4, tail=tail))
    assert faults(program) == []
    assert equal(from_text(to_text(program)), program)
    assert equal(from_json(to_json(program)), program)


@pytest.mark.share(0.3)
@pytest.mark.parametrize("name", [n for n in names() if n not in ENDLESS])
@pytest.mark.parametrize("tail", ["", "host", "device"], ids=["lowered", "optimized", "device"])
def test_programs_mean_what_numpy_means(name, tail):
    benchmark = load(name, "tiny")
    wanted, given = benchmark.fresh(), benchmark.fresh()
    program = lowered(benchmark, given)
    if tail:
        program = optimize(program, Context(threads=4, tail=tail))
    with np.errstate(all="ignore"):
        expected = benchmark.outcome(wanted, benchmark.function(*wanted))
        got = benchmark.outcome(given, call(program, leaves(benchmark, given)))
    assert worst_error(expected, got) <= max(benchmark.tolerance, 1e-5 if single(wanted) else 0.0)


def single(values):
    """Does the kernel compute in single precision?"""
    return any(isinstance(v, np.ndarray) and v.dtype in (np.float32, np.complex64) for v in values)
