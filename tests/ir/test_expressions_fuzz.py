"""Random expressions: written and read back without loss, right by the verifier, and evaluated as NumPy does."""

import warnings

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from soljit.ir.core.data import Array
from soljit.ir.core.expr import Cast, Const, Load, Memlet, Op, Sym, const
from soljit.ir.core.nodes import Param, Program, Region, Result, Return
from soljit.ir.core.ops import LIBM, OPS
from soljit.ir.core.types import ALL, BY_NAME, b1, i64
from soljit.ir.interpret.interpreter import run
from soljit.ir.text.codec import equal, from_json, to_json
from soljit.ir.text.parser import from_text
from soljit.ir.text.printer import to_text
from soljit.ir.text.spelling import result_dtype
from soljit.ir.verify.program import faults

PARAMS = tuple(Param(f"x_{t}", "scalar", t) for t in ALL)
ARRAYS = tuple(Param(f"a_{t}", "array", t) for t in ALL)


def data():
    return {f"a_{t}": Array(t, (const(3),), transient=False) for t in ALL}


def numbers(t):
    """Values of a type, as Python numbers of the right class."""
    match t.kind:
        case "b":
            return st.booleans()
        case "f":
            return st.floats(width=t.size * 8)
        case "c":
            return st.complex_numbers(width=t.size * 8, allow_nan=True, allow_infinity=True)
        case _:
            return st.integers(t.lowest, t.highest)


def leaves(t):
    element = st.integers(0, 2).map(lambda k: Load(Memlet(f"a_{t}", (const(k),)), t))
    return st.one_of(numbers(t).map(lambda v: Const(v, t)), st.just(Sym(f"x_{t}", t)), element)


# Powers of integers may fail in NumPy (a negative exponent), and the overflow tests need no fuzz of their own text.
FREE = [i for i in OPS.values() if not (i.name == "pow" or i.name == "spacing")]


def operations(t):
    """(op, argument type) pairs that give type t."""
    out = []
    for info in FREE:
        for a in ALL:
            if a.kind in info.args and info.result(a) is t:
                out.append((info, a))
    return out


GIVES = {t: operations(t) for t in ALL}


def exprs(t, depth=3):
    if depth == 0:
        return leaves(t)

    def apply(pair):
        info, a = pair
        args = [exprs(a, depth - 1)] * info.arity
        if info.name == "select":
            args[0] = exprs(b1, depth - 1)
        return st.tuples(*args).map(lambda xs: Op(info.name, xs, t))

    cast = st.sampled_from(ALL).flatmap(lambda s: exprs(s, depth - 1)).map(lambda e: Cast(t, e))
    return st.one_of(leaves(t), st.sampled_from(GIVES[t]).flatmap(apply) if GIVES[t] else leaves(t), cast)


def program(e):
    results = (Result("scalar", e.dtype),)
    return Program("p", PARAMS + ARRAYS, data=data(), results=results, body=Region((Return((e,)),)))


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(ALL).flatmap(exprs))
def test_expressions_are_read_back_and_right(e):
    p = program(e)
    assert faults(p) == []
    assert equal(from_text(to_text(p)), p)
    assert from_text(to_text(p)).body.nodes[0].values[0] == e
    assert equal(from_json(to_json(p)), p)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_expressions_mean_what_their_operations_mean(draw):
    t = draw.draw(st.sampled_from(ALL))
    e = draw.draw(exprs(t, 2))
    scalars = [draw.draw(numbers(p.dtype)) for p in PARAMS]
    arrays = [np.array([draw.draw(numbers(p.dtype)) for _ in range(3)], p.dtype.numpy) for p in ARRAYS]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        got = run(program(e), [*scalars, *arrays])[0]
        expected = vectorized(e, dict(zip((p.name for p in PARAMS + ARRAYS), [*scalars, *arrays])))
    assert got.dtype == t.numpy
    np.testing.assert_array_equal(got, np.asarray(expected)[0])


def vectorized(e, values):
    """The same value by NumPy's loops over arrays of length 1, where nothing is lazy."""
    with np.errstate(all="ignore"):
        match e:
            case Const():
                return np.array([e.value], e.dtype.numpy)
            case Sym():
                return np.array([values[e.name]], e.dtype.numpy)
            case Load():
                k = e.memlet.subset[0].value
                return values[e.memlet.data][k : k + 1]
            case Cast():
                a = vectorized(e.arg, values)
                return (a.real if a.dtype.kind == "c" and e.dtype.kind in "iuf" else a).astype(e.dtype.numpy)
            case Op():
                args = [vectorized(a, values) for a in e.args]
                if e.name in LIBM:  # another function of single numbers than of arrays
                    return np.array([OPS[e.name].evaluate(*(a[0] for a in args))], e.dtype.numpy)
                return np.asarray(OPS[e.name].evaluate(*args), e.dtype.numpy)


def test_every_operation_derives_its_result():
    for info in OPS.values():
        for a in (t for t in ALL if t.kind in info.args):
            args = (Sym("c", b1),) * (info.name == "select") + (Sym("x", a),) * (info.arity - (info.name == "select"))
            assert result_dtype(info.name, args) in BY_NAME.values()
    assert result_dtype("add", (Sym("x", i64),)) is None
