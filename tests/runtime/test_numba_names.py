"""The names of Numba that `soljit.numba` has, what it makes of options and signatures, and what it says to bad input."""

from __future__ import annotations

import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit import numba as nb
from soljit.numba import errors, extending, njit, options, typed, vectorize
from soljit.numba.experimental import structref


@njit("f8(f8)")
def half(x: Any) -> Any:
    return x / 2


def test_it_is_loaded_when_asked_for() -> None:
    code = "import soljit, sys; assert not [m for m in sys.modules if m.startswith('soljit.numba')]"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    "signature, argument, wanted",
    [
        ("f8(f8)", 1, 2.0),
        ("f8(f8)", True, 2.0),
        ("f8(f8)", np.float32(1.5), 3.0),
        ("i8(i8)", 2.7, 4),
        ("i4(i4)", 2**40 + 1, 2),
        ("i4(i4)", 2**31 - 1, -2),
        ("f4(f8)", 0.1, np.float32(0.2)),
        (["f4(f4)", "f8(f8)"], np.float32(0.1), np.float32(0.2)),
        (["f4(f4)", "f8(f8)"], 1, 2.0),
        (["i8(i8)", "f8(f8)"], 1, 2),
        (["i8(i8)", "f8(f8)"], 1.5, 3.0),
        ((nb.float64,), 1, 2.0),
        (nb.int64(nb.float64), 1.7, 3),
        ("c16(c16)", 1, 2 + 0j),
        ("void(f8)", 1.0, None),
    ],
    ids=str,
)
def test_signatures_convert(signature: Any, argument: Any, wanted: Any) -> None:
    @njit(signature)
    def f(x: Any) -> Any:
        return x * 2

    found = f(argument)
    assert found == wanted and type(found) is type(wanted)


@pytest.mark.parametrize(
    "signature, bad",
    [
        ("f8(f8[:])", np.ones(3, np.float32)),
        ("f8(f8[:])", np.ones((2, 2))),
        ("f8(f8[:])", [1.0]),
        ("f8(f8[::1])", np.ones(6)[::2]),
        ("f8(f8)", 1j),
        ("f8(f8)", "1"),
        (["f4(f4)", "f8(f8)"], None),
    ],
    ids=str,
)
def test_what_no_signature_takes(signature: Any, bad: Any) -> None:
    @njit(signature)
    def f(x: Any) -> Any:
        return x

    with pytest.raises(TypeError, match="No matching definition for these arguments of f: it has float"):
        f(bad)


def test_options() -> None:
    kept = options.options_of
    assert kept({"nopython": True, "nogil": True, "inline": "always", "boundscheck": False}, "") == {}
    assert kept({"fastmath": True, "parallel": False, "cache": True}, "") == {
        "fp": "fast", "parallel": False, "cache": True
    }  # fmt: skip
    assert kept({"fastmath": {"contract"}}, "") == {"fp": "contract"}
    assert kept({"fastmath": {"nnan", "reassoc"}}, "") == {"fp": "fast"}
    assert kept({"fastmath": {"nnan"}}, "") == kept({"fastmath": False}, "") == {"fp": "strict"}
    assert kept({"strict": True, "fp": "fast"}, "") == {"strict": True, "fp": "fast"}


def test_what_is_left_out_is_named_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(options, "_told", set())
    with pytest.warns(errors.NumbaWarning, match="njit.*leaves out locals, debug .locals: leave it out") as found:
        njit(locals={"x": nb.float64}, debug=True)
    assert found[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        njit(locals={"x": nb.float64}, debug=True)


def test_overload_is_named_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extending, "_told", set())

    def f(x: Any) -> Any:
        return x

    with pytest.warns(errors.NumbaWarning, match="overload: soljit compiles what Python would call: the text of f"):
        extending.overload(f)(lambda x: None)
    assert extending.register_jitable(f) is f and extending.register_jitable(inline="always")(f) is f


def test_names_of_dispatchers() -> None:
    assert half(1) == 0.5 and half.py_func(1) == 0.5 and half.python is not half.py_func
    assert (
        half.signatures == ["(int)"]
        and str(half.nopython_signatures) == "[Signature(return_type=float64, args=(float64,))]"
    )
    assert pickle.loads(pickle.dumps(half)) is half and isinstance(half, sol.Jitted)
    assert njit(half).py_func is half.py_func and extending.is_jitted(half) and not extending.is_jitted(len)
    half.recompile()
    assert half.signatures == [] and half(3) == 1.5


def test_methods() -> None:
    class C:
        @njit
        def m(self, x: Any) -> Any:
            return x + 1

        @staticmethod
        @njit
        def s(x: Any) -> Any:
            return x + 2

    assert C().m(1) == 2 and C.s(1) == 3


def test_names_of_ufuncs() -> None:
    @vectorize(["f8(f8,f8)"])
    def add(x: Any, y: Any) -> Any:
        return x + y

    assert (add.nin, add.nout, add.nargs, add.types, add.ntypes) == (2, 1, 3, ["dd->d"], 1)
    a = np.arange(6.0).reshape(2, 3)
    assert (add.reduce(a) == a.sum(0)).all() and (add.reduce(a, axis=1, keepdims=True) == a.sum(1, keepdims=True)).all()
    assert add.reduce(a, None) == 15 and (add.accumulate(a, 1) == a.cumsum(1)).all()
    assert (add.outer(a[0], a[1]) == np.add.outer(a[0], a[1])).all()
    with pytest.raises(AttributeError, match="has no reduceat: write the loop"):
        add.reduceat
    with pytest.raises(ValueError, match="has no identity"):
        add.reduce(np.zeros(0))


@nb.guvectorize(["void(f8[:], f8[:])"], "(n)->()")
def total(a: Any, out: Any) -> None:
    out[0] = a.sum()


@nb.guvectorize(["void(f8[:], f8[:])"], "(n)->(n)")
def running(a: Any, out: Any) -> None:
    out[:] = np.cumsum(a)


def test_keywords_of_generalized_ufuncs() -> None:
    a = np.arange(24.0).reshape(2, 3, 4)
    for axis in (0, 1, -1):
        assert (total(a, axis=axis) == a.sum(axis)).all() and (running(a, axis=axis) == a.cumsum(axis)).all()
        assert (total(a, axes=[(axis,), ()]) == a.sum(axis)).all() and (total(a, axes=[axis]) == a.sum(axis)).all()
        assert (total(a, axis=axis, keepdims=True) == a.sum(axis, keepdims=True)).all()
        out = np.zeros(a.shape)
        assert running(a, out=out, axis=axis) is out and (out == a.cumsum(axis)).all()
    assert (running(a, axes=[0, 1]) == np.moveaxis(a.cumsum(0), 0, 1)).all()
    assert total(a[0, 0]) == 6 and total.signature == "(n)->()" and "total" in total.explain()
    with pytest.raises(TypeError, match="does not support keepdims"):
        running(a, keepdims=True)
    with pytest.raises(TypeError, match="both 'axis' and 'axes'"):
        total(a, axis=0, axes=[0])
    with pytest.raises(ValueError, match="1 core dimensions, but 2 axes are given"):
        total(a, axes=[(0, 1), ()])


@nb.guvectorize(["void(f4[:], i4, f4[:])", "void(f8[:], i8, f8[:])"], "(n),()->()")
def divided(a: Any, k: Any, out: Any) -> None:
    out[0] = a.sum() / k


def test_python_numbers_take_the_type_of_arrays() -> None:
    for a in (np.ones(3, np.float32), np.ones(3, ">f4")):
        assert divided(a, 2).dtype == np.float32 and divided(a, np.int64(2)).dtype == np.float64
    assert (divided(np.ones((2, 3)), np.array([1, 2])) == [3, 1.5]).all()


def test_types() -> None:
    assert (str(nb.f8[:, ::1]), str(nb.f4[::1, :]), str(nb.i8[:])) == ("float64[:, ::1]", "float32[::1, :]", "int64[:]")
    assert nb.typeof(np.ones((2, 2))) == nb.types.Array(nb.f8, 2, "C") and nb.typeof(1) == nb.i8
    assert nb.typeof((1, 2.0)) == nb.types.Tuple((nb.i8, nb.f8)) and nb.typeof(None) == nb.none
    assert nb.from_dtype(np.float32) == nb.f4 and nb.types.as_dtype(nb.f4[:]) == np.float32
    assert (nb.i1.minval, nb.i1.maxval, nb.i1.bitwidth) == (-128, 127, 8)
    assert typed.List[int] | None is typed.List and str(nb.types.FunctionType(nb.f8(nb.f8))).startswith("FunctionType(")
    assert isinstance([], typed.List) and not isinstance((), typed.List) and isinstance({}, typed.Dict)


def test_threads() -> None:
    with sol.settings():
        nb.set_num_threads(1)
        assert nb.get_num_threads() == 1
    assert nb.get_num_threads() >= 1 and nb.threading_layer() == "omp"


def test_struct_references_are_plain_classes() -> None:
    class Point(structref.StructRefProxy):
        def __new__(cls, x: Any, y: Any) -> Any:
            return structref.StructRefProxy.__new__(cls, x, y)

        @property
        def x(self) -> Any:
            return 0

    structref.define_proxy(Point, structref.register(type("PointType", (), {})), ["x", "y"])
    p: Any = Point(1, 2)
    assert (p.x, p.y) == (1, 2)


@pytest.mark.parametrize(
    "bad, error, text",
    [
        (lambda: njit(1), TypeError, "takes a Python function or signatures, not int 1"),
        (lambda: njit("f8(f9)"), TypeError, "signature 'f8\\(f9\\)' is not understood: name 'f9' is not defined"),
        (lambda: njit("1 + 1"), TypeError, "is no signature: write result"),
        (lambda: njit(foo=1), TypeError, "njit\\(\\) has no keyword 'foo'"),
        (lambda: njit(target="cuda"), TypeError, "no target 'cuda'"),
        (lambda: njit(error_model="c"), TypeError, "error_model is 'python' or 'numpy'"),
        (lambda: njit("f8(f8,f8)")(lambda x: x), TypeError, "has 2 arguments, <lambda> takes 1"),
        (lambda: njit("f8(f8)")(lambda *x: x), TypeError, "leave the signature out"),
        (lambda: vectorize(["f8(f8)"])(lambda x, y: x), TypeError, "<lambda> takes 2 numbers"),
        (lambda: vectorize(lambda *x: x), TypeError, "fixed number of arguments"),
        (lambda: nb.guvectorize(["void(f8[:])"], "(n->n)"), TypeError, "is no layout"),
        (lambda: nb.guvectorize([], "(n)->(m)")(lambda x, y: x), TypeError, "whose length nothing tells"),
        (lambda: nb.guvectorize([], "(n)->(n)")(lambda x: x), TypeError, "takes 1 arguments, the layout"),
        (
            lambda: nb.guvectorize(["void(f8[:])"], "(n)->(n)")(lambda x, y: x),
            TypeError,
            "has 1 arguments, <lambda> takes 2",
        ),
        (lambda: nb.stencil(lambda a: a[0]), TypeError, "write the stencil with slices"),
        (lambda: extending.intrinsic(lambda context: 0)(1), TypeError, "written in LLVM for Numba"),
        (lambda: nb.f8[0], TypeError, "takes slices"),
        (lambda: nb.set_num_threads(0), ValueError, "positive integer, not 0"),
        (lambda: nb.nothing, AttributeError, "soljit.numba has no 'nothing'"),
        (lambda: nb.cuda, ImportError, "write|Write the loops as a plain function"),
        (lambda: __import__("soljit.numba.cuda"), ImportError, "soljit.numba has no cuda"),
        (lambda: nb.experimental.jitclass(3), TypeError, "takes a class or a list of fields, not 3"),
    ],
)
def test_bad_input(bad: Callable[[], object], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        bad()


def test_packages_that_import_numba_themselves() -> None:
    code = """if True:
        import soljit.numba
        soljit.numba.use_as_numba()
        import numba
        from numba import njit, types
        from numba.core import types as core_types
        from numba.core.errors import TypingError
        from numba.core import cgutils
        from numba.np.ufunc.gufunc import GUFunc
        from numba.typed import List
        from numba.experimental import jitclass
        from numba.extending import overload, register_jitable
        assert numba is soljit.numba and types is core_types
        try:
            from numba import cuda
        except ImportError as e:
            assert "has no cuda" in str(e)
        else:
            raise AssertionError
    """
    subprocess.run([sys.executable, "-c", code], check=True)
