"""What people write who come from Numba or JAX: errors say what it is called here, and helpers work."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests.oracle import check

WRITTEN = """
class prange:
    def __new__(cls, *args):
        return range(*args)


class CPUDispatcher:
    def __init__(self, f):
        self.py_func = f

    def __call__(self, *args):
        return self.py_func(*args)


class Signature:
    pass
"""


@pytest.fixture
def numba() -> Iterator[Any]:
    """Something whose names are Numba's, since Numba itself need not be here."""
    parts = {
        name: types.ModuleType(name) for name in ("numba.misc.special", "numba.core.registry", "numba.core.typing")
    }
    for name, module in parts.items():
        exec(compile(WRITTEN, "<numba>", "exec"), vars(module) | {"__name__": name}, vars(module))  # noqa: S102
    before = {name: sys.modules.get(name) for name in parts}
    sys.modules.update(parts)
    yield types.SimpleNamespace(
        prange=parts["numba.misc.special"].prange,
        njit=parts["numba.core.registry"].CPUDispatcher,
        Signature=parts["numba.core.typing"].Signature,
    )
    for name, module in before.items():
        if module is None:
            del sys.modules[name]
        else:
            sys.modules[name] = module


@pytest.mark.parametrize(
    "options, hint",
    [
        ({"nopython": True}, "nopython: leave it out: nothing is ever compiled halfway, and strict=True"),
        ({"fastmath": True}, 'fastmath: write fp="fast"'),
        ({"nogil": True}, "nogil: leave it out: compiled code always runs without the GIL"),
        ({"static_argnums": 0}, "static_argnums: leave it out"),
        ({"fastmath": True, "boundscheck": False}, "boundscheck: leave it out: indices are always checked"),
    ],
    ids=lambda x: "" if isinstance(x, str) else "+".join(x),
)
def test_keywords_of_other_compilers(options: dict[str, Any], hint: str) -> None:
    with pytest.raises(sol.ArgumentError, match="jit\\(\\) has no keyword .*\nhint: ") as e:
        sol.jit(**options)
    assert f"hint: {hint}" in str(e.value)


def test_an_unknown_keyword_has_no_hint() -> None:
    with pytest.raises(sol.ArgumentError) as e:
        sol.jit(colour=1)  # type: ignore[call-overload]
    assert (
        str(e.value)
        == "jit() has no keyword 'colour'; it takes device, strict, parallel, fp, cache, target, offload, results, schedule"
    )


def test_signatures_are_not_needed(numba: Any) -> None:
    for given in ("float64(float64[:])", ["f8(f8)", "i8(i8)"], numba.Signature(), (numba.Signature(),)):
        with pytest.raises(sol.ArgumentError, match="hint: signatures are not needed: write @sol.jit alone"):
            sol.jit(given)
        with pytest.raises(sol.ArgumentError, match="hint: signatures are not needed"):
            sol.jit(given, nopython=True)


def test_what_another_compiler_made(numba: Any) -> None:
    def f(x: Any) -> Any:
        return x

    with pytest.raises(sol.ArgumentError, match="hint: it is compiled by Numba already: .* or take .py_func"):
        sol.jit(numba.njit(f))
    with pytest.raises(sol.ArgumentError, match="hint: decorate the methods that compute"):
        sol.jit(int)


def test_prange_is_range(numba: Any) -> None:
    prange = numba.prange

    def f(a):
        s = 0.0
        for i in prange(1, a.shape[0]):
            s += a[i] * a[i - 1]
        return s

    check(f, np.arange(9.0))
    compiled = sol.jit(strict=True, target="null")(f)
    compiled(np.arange(9.0))
    assert "iterations are independent" in compiled.explain() or "parallel" in compiled.explain()


def test_helpers_of_numba_are_compiled_along(numba: Any) -> None:
    helper = numba.njit(lambda x: 2 * x)

    def f(a):
        s = 0.0
        for i in range(a.shape[0]):
            s += helper(a[i])
        return s

    check(f, np.arange(5.0))
    compiled = sol.jit(strict=True, target="null")(f)
    assert compiled(np.arange(5.0)) == 20.0
    assert "Python" not in compiled.explain()
    helper = numba.njit(lambda x: 3 * x)
    assert compiled(np.arange(5.0)) == 30.0
    helper.py_func = lambda x: 4 * x
    assert compiled(np.arange(5.0)) == 40.0


@pytest.mark.parametrize("changed", [{"_can_compile": False}, {"targetoptions": {"error_model": "numpy"}}], ids=str)
def test_helpers_of_numba_with_a_meaning_of_their_own_are_called_as_they_are(
    numba: Any, changed: dict[str, Any]
) -> None:
    helper = numba.njit(lambda x: 2 * x)
    helper.py_func.__name__ = "helper"
    vars(helper).update(changed)

    def f(a):
        s = 0.0
        for i in range(a.shape[0]):
            s += helper(a[i])
        return s

    check(f, np.arange(5.0))
    compiled = sol.jit(strict=True, target="null")(f)
    compiled(np.arange(5.0))
    assert (
        "helper is compiled by another compiler and called by Python; undecorated it is compiled along"
        in compiled.explain()
    )


def test_real_numba() -> None:
    numba = pytest.importorskip("numba")
    helper = numba.njit(lambda x: 2 * x + 1)

    def f(a):
        s = 0.0
        for i in numba.prange(a.shape[0]):
            s += helper(a[i])
        return s

    check(f, np.arange(5.0))
    compiled = sol.jit(strict=True, target="null")(f)
    compiled(np.arange(5.0))
    assert "Python" not in compiled.explain()
