"""Which calls back may run code that changes arrays which others hold."""

from __future__ import annotations

import pytest

from soljit.ir.callbacks.reach import runs_code
from soljit.ir.core.data import Array, Ref
from soljit.ir.core.expr import Memlet, Sym, const
from soljit.ir.core.nodes import Callback, Param
from soljit.ir.core.types import f64, i64, obj
from soljit.support.objects import HERE

PARAMS = (Param("h", "object"), Param("items", "object", container="list"), Param("n", "scalar", i64))
DATA = {"a": Array(f64, (const(3),), transient=False), "o": Ref(obj, 0)}
A, O, H, ITEMS, N = Memlet("a"), Memlet("o"), Sym("h", obj), Sym("items", obj), Sym("n", i64)

RUN = {
    "a method of an argument": Callback("param:h.step", (), ()),
    "a function of the program": Callback("mine.f", (), (A,), ({"$": 0},)),
    "an operator of an object": Callback("operator.add", ("r",), (O,), ({"$": 0}, 1)),
    "numpy's function of an object": Callback("numpy.sin", ("r",), (O,), ({"$": 0},)),
    "truth of an argument": Callback("builtins.bool", ("r",), (H,), ({"$": 0},)),
    "an order of objects": Callback(
        "numpy.random._generator.Generator.permutation", ("r",), (H, O), ({"$": 0}, {"$": 1})
    ),
    "print": Callback("builtins.print", (), (N,), ({"$": 0},)),
    "a function that is given one": Callback("builtins.map", ("r",), (A,), ({"name": "mine.f"}, {"$": 0})),
    "a list with a key that is hashed": Callback(
        HERE + "same", ("r",), (O,), ([{"call": [HERE + "make_dict", [{"$": 0}]]}],)
    ),
    "an item at an object's index": Callback("operator.getitem", ("r",), (ITEMS, O), ({"$": 0}, {"$": 1})),
    "an import": Callback(HERE + "imported", ("r",), (), ("m", "x")),
    "one whose exception is handled": Callback("try:s:builtins.ValueError:mine.f", ("s",), ()),
}
RUN_NOTHING = {
    "numpy's function of arrays": Callback("numpy.sort", ("r",), (A,), ({"$": 0},)),
    "math's function of numbers": Callback("math.gamma", ("r",), (N,), ({"$": 0},)),
    "text of a number": Callback("builtins.str", ("r",), (N,), ({"$": 0},)),
    "a draw": Callback("numpy.random._generator.Generator.normal", ("r",), (H,), ({"$": 0},)),
    "a list of objects": Callback(HERE + "same", ("r",), (O, H), ([{"$": 0}, {"$": 1}],)),
    "an item of a list": Callback("operator.getitem", ("r",), (ITEMS, N), ({"$": 0}, {"$": 1})),
    "the length of a list": Callback("builtins.len", ("r",), (ITEMS,), ({"$": 0},)),
}


@pytest.mark.parametrize("what", RUN)
def test_calls_that_run_code(what: str) -> None:
    assert runs_code(RUN[what], PARAMS, DATA)


@pytest.mark.parametrize("what", RUN_NOTHING)
def test_calls_that_run_none(what: str) -> None:
    assert not runs_code(RUN_NOTHING[what], PARAMS, DATA)
