"""A call that goes back into NumPy is told with what the handler refused; a fault of a handler is no refusal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.frontend_ast.lowering import registry
from tests import oracle

pytestmark = pytest.mark.skipif(oracle.IDENTITY, reason="needs the compiler")

CALLS: dict[str, tuple[Callable[[np.ndarray], Any], str]] = {
    "a method of a ufunc": (lambda a: np.minimum.reduce(a, where=a > 1, initial=3.0), "or with where or initial"),
    "a keyword that a method of a ufunc does not know": (
        lambda a: np.add.outer(a, a, order="F"),
        "np.add with order=",
    ),
    "a keyword of a ufunc": (lambda a: np.add(a, a, order="F"), "np.add with order="),
    "a keyword of a function": (lambda a: np.median(a, overwrite_input=True), "np.median with overwrite_input="),
    "a function of a submodule": (
        lambda a: np.linalg.inv(np.stack([a.reshape(2, 2)] * 2)),
        "something else than one square matrix",
    ),
    "a method of an array": (lambda a: a.round(1, np.empty(4)), "np.round in this form"),
    "a function by a helper": (lambda a: np.std(a, mean=np.array([1.0])), "np.var with where, mean or correction"),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_reason_is_told(name: str) -> None:
    f, reason = CALLS[name]
    compiled = sol.jit(target="null", strict=True)(f)
    a = np.array([4.0, 1.0, 2.0, 3.0])
    expected = f(a.copy())
    assert np.array_equal(compiled(a.copy()), expected)
    told = [r.text for r in sol.explain(compiled) if r.kind == "python"]
    assert any("is called back (not compiled: " in text and reason in text for text in told), told


def test_what_has_no_handler_is_told_without_a_reason() -> None:
    compiled = sol.jit(target="null", strict=True)(lambda a: np.kaiser(4, a[0]))
    compiled(np.ones(3))
    assert [r.text for r in sol.explain(compiled) if r.kind == "python"] == ["np.kaiser is called back"]


def _of_two_arguments(x: object, y: object) -> None: ...


@pytest.mark.parametrize("text", ["", "an argument is wrong"])
def test_a_type_error_inside_a_handler_is_an_internal_error(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def handler(cx: Any, m: Any) -> Any:
        if text:
            raise TypeError(text)
        _of_two_arguments(m)  # type: ignore[call-arg]

    monkeypatch.setitem(registry.FUNCTIONS, id(np.fliplr), (np.fliplr, registry.Entry(handler)))
    compiled = sol.jit(target="null", strict=True)(lambda a: np.fliplr(a))
    with pytest.raises(sol.InternalError):
        compiled(np.ones((2, 2)))
