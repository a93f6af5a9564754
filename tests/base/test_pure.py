"""What may be called while compiling: the very functions that Python and NumPy ship, on operands made for the call."""

from __future__ import annotations

import collections
import decimal
import fractions
import functools
import heapq
import importlib
import itertools
import math
import operator
import os
import pathlib
import pickle
import random
import statistics
import threading
import time
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from soljit.base.knowledge import pure

LISTED: list[Any] = [
    *(
        np.sum,
        np.concatenate,
        np.linalg.norm,
        np.fft.fft,
        np.einsum,
        np.array,
        np.random.normal,
        np.ma.sum,
        np.char.upper,
        np.emath.sqrt,
    ),
    *(
        np.add,
        np.add.reduce,
        np.maximum.accumulate,
        np.matmul,
        np.int64,
        np.bool_,
        np.ndarray.sum,
        np.float64.sum,
        np.ndarray.__getitem__,
    ),
    *(
        np.ma.MaskedArray.sum,
        np.matrix.sum,
        np.random.Generator.normal,
        np.polynomial.Polynomial.fit,
        np.poly1d.deriv,
        np.random.default_rng,
    ),
    *(
        str.upper,
        "a".upper,
        dict.fromkeys,
        str.maketrans,
        int.from_bytes,
        list.append,
        list,
        math.sin,
        operator.add,
        heapq.heappush,
    ),
    *(
        fractions.Fraction,
        fractions.Fraction.from_float,
        decimal.Decimal.from_float,
        np.dtype("f8").newbyteorder,
        functools.reduce,
    ),
]
OTHERS: list[Any] = [
    *(
        np.save,
        np.load,
        np.ndarray.tofile,
        np.ndarray.dump,
        np.memmap,
        np.seterr,
        np.set_printoptions,
        np.vectorize,
        np.frompyfunc,
        np.random.seed,
    ),
    *(
        np.ma.MaskedArray.tofile,
        np.rec.fromfile,
        np.testing.assert_equal,
        np.show_config,
        np.add_newdoc if hasattr(np, "add_newdoc") else np.save,
    ),
    *(
        open,
        print,
        input,
        eval,
        exec,
        compile,
        os.system,
        os.remove,
        time.sleep,
        random.random,
        random.seed,
        pickle.loads,
        operator.methodcaller,
    ),
    *(
        [].append,
        {}.get,
        np.random.default_rng().normal,
        threading.Event().wait,
        pathlib.Path,
        pathlib.Path.unlink,
        importlib.import_module,
    ),
    *(decimal.getcontext, decimal.setcontext, statistics, lambda: None),
]


@pytest.mark.parametrize("function", LISTED)
def test_listed_functions_are_pure(function: Any) -> None:
    assert pure.is_pure(function)


@pytest.mark.parametrize("function", OTHERS)
def test_all_others_are_not(function: Any) -> None:
    assert not pure.is_pure(function)
    with pytest.raises(pure.Impure):
        pure.attempt(function, ())


def wrapper(function: Callable[..., Any]) -> Callable[..., Any]:
    return functools.wraps(function)(lambda *args: function(*args))


def test_what_was_put_in_the_place_of_a_function_is_not_pure(monkeypatch: pytest.MonkeyPatch) -> None:
    assert pure.is_pure(np.sum) and pure.is_pure(np.ma.MaskedArray.sum)
    fake, method = wrapper(np.sum), wrapper(np.ma.MaskedArray.sum)
    monkeypatch.setattr(np, "sum", fake)
    monkeypatch.setattr(np.ma.MaskedArray, "sum", method)
    monkeypatch.setattr(pure, "_loaded", ())
    monkeypatch.setattr(pure, "_seen", (0, ""))
    assert not pure.is_pure(fake) and not pure.is_pure(method) and not pure.is_pure(np.sum)
    monkeypatch.undo()
    monkeypatch.setattr(pure, "_loaded", ())
    monkeypatch.setattr(pure, "_seen", (0, ""))
    assert pure.is_pure(np.sum)


def test_ufuncs_of_the_program_are_not_pure(monkeypatch: pytest.MonkeyPatch) -> None:
    made = np.frompyfunc(lambda x: x, 1, 1)
    assert not pure.is_pure(made) and not pure.is_pure(made.reduce)
    monkeypatch.setattr(np, "tanh", made)
    assert not pure.is_pure(np.tanh)


class Sub(np.ndarray):
    pass


class Text(str):
    pass


class Pair(collections.namedtuple("Pair", "a b")):
    __slots__ = ()

    def __iter__(self) -> Any:
        raise AssertionError


Point = collections.namedtuple("Point", "x y")


@pytest.mark.parametrize(
    "x",
    [None, 1, 2.5, "a", b"a", (1, [2.0, {"k": {3}}]), np.ones(2), np.float32(1), np.ma.ones(2), slice(1, None), range(5), Point(1, 2), np.dtype("f8"), len]
    + [fractions.Fraction(1, 2), decimal.Decimal(1), collections.deque([1]), np.random.default_rng(0), itertools.chain([1]), functools.partial(len), int]
    + [ValueError, np.add, collections.defaultdict(list), np.array([None, 1.0], object), np.poly1d([1, 2])],

)  # fmt: skip
def test_operands_of_python_and_numpy(x: Any) -> None:
    assert pure.is_operand(x)


@pytest.mark.parametrize(
    "x",
    [lambda: None, print, open, Sub(2), Text("a"), Pair(1, 2), [Text("a")], {"k": print}, np.array([Text("a")], object), pathlib.Path(), threading.Lock()]
    + [itertools.count(), functools.partial(print), collections.defaultdict(print), types.SimpleNamespace(), np.vectorize(len), range(10**12)],

)  # fmt: skip
def test_operands_of_the_program(x: Any) -> None:
    assert not pure.is_operand(x)
    with pytest.raises(pure.Impure):
        pure.attempt(str, (x,))


def test_what_may_change_is_copied() -> None:
    given = [1, {"k": [2]}]
    made = pure.copied(given)
    assert made == given and made is not given and made[1]["k"] is not given[1]["k"]
    for x in (np.random.default_rng(0), collections.deque(), np.ones(2), Sub(2)):
        with pytest.raises(pure.Impure):
            pure.copied(x)


def test_streams_flags_and_warnings_stay_what_they_are(recwarn: pytest.WarningsRecorder) -> None:
    before = np.random.get_state()[1].tobytes(), random.getstate()  # type: ignore[index, union-attr]
    decimal.getcontext().clear_flags()
    assert pure.attempt(np.random.normal, (0.0, 1.0, 3)).shape == (3,)
    assert pure.attempt(operator.truediv, (decimal.Decimal(1), decimal.Decimal(3))) < 1
    assert np.isinf(pure.attempt(np.divide, (1.0, 0.0)))
    assert (np.random.get_state()[1].tobytes(), random.getstate()) == before  # type: ignore[index, union-attr]
    assert not any(decimal.getcontext().flags.values()) and not recwarn.list


@pytest.mark.parametrize(
    ("function", "args"),
    [
        *((operator.pow, (9, 9**9)), (operator.lshift, (1, 10**9)), (operator.mul, ("a", 10**10)), (operator.mul, (10**10, [0])), (math.factorial, (10**6,))),
        *((np.zeros, (10**12,)), (np.ones, ((10**4, 10**4),)), (np.tile, (np.ones(2), 10**9)), (str.ljust, ("a", 10**11)), (bytes, (10**11,))),
        *((list, (itertools.count(),)), (sum, (itertools.repeat(1),)), (max, (itertools.cycle([1]),))),
    ],

)  # fmt: skip
def test_calls_without_end_or_measure_are_not_made(function: Any, args: tuple[Any, ...]) -> None:
    with pytest.raises(pure.Impure):
        pure.attempt(function, args)


def test_endless_iterators_are_given_to_what_stops() -> None:
    assert pure.attempt(next, (itertools.count(3),)) == 3
    assert pure.attempt(operator.pow, (2, 60)) == 2**60 and pure.attempt(operator.mul, ("ab", 2)) == "abab"
