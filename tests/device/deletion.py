"""The deletion test: every transfer that is left in a program must matter.

Each copy between host and device is taken out by itself, and the program interpreted: fresh memory is poisoned, so what was not
copied shows. (NaN may show in no comparison, so fresh memory is filled with another number, too.) A copy whose absence changes
nothing on any of the data is superfluous, unless `is_certain` says that the compiler cannot see it (a kernel that writes all of an
array in a way that is not known to; an exception that does not come).
"""

from __future__ import annotations

import unittest.mock
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from soljit.analysis.device.kept_transfers import is_certain, why_kept
from soljit.base.errors import InternalError
from soljit.ir.core.nodes import Copy, Node, Program
from soljit.ir.core.types import DType
from soljit.ir.interpret.evaluate import Frame, NDArray
from soljit.ir.interpret.interpreter import run
from soljit.ir.interpret.journal import Journal
from soljit.ir.text.spelling import spell
from soljit.ir.walk import rewrite, walk
from soljit.ir.walk.spaces import is_transfer

Arguments = Callable[[int], list[object]]  # the arguments of run number k, made anew


def superfluous(program: Program, arguments: Arguments, runs: int = 2) -> list[str]:
    """The transfers whose absence nobody notices although they should matter, with the reasons why they were kept; of those that run on the data."""
    reached: set[Node] = set()
    expected = [observed(program, arguments(k), reached) for k in range(runs)]

    def unnoticed(shorter: Program) -> bool:
        return all(same(expected[k], observed(shorter, arguments(k))) for k in range(runs))

    out = []
    for copy, shorter in without_one(program):
        if copy in reached and is_certain(program, copy) and unnoticed(shorter):
            with unittest.mock.patch("soljit.ir.interpret.evaluate.poisoned", _other_poison):
                if not unnoticed(shorter):
                    continue
            out.append(f"copy({spell(copy.dst)}, {spell(copy.src)}): {why_kept(program, copy)}")
    return out


def without_one(program: Program) -> Iterator[tuple[Copy, Program]]:
    """Each transfer, and the program without it."""
    for copy in [n for n in walk(program.body) if isinstance(n, Copy) and is_transfer(n, program.data)]:
        yield copy, replace(program, body=rewrite(program.body, _dropper(copy)))


def _dropper(copy: Copy) -> Callable[[Node], tuple[Node, ...] | None]:
    return lambda n: () if n is copy else None


def _other_poison(dtype: DType, shape: tuple[int, ...]) -> NDArray:
    return np.full(shape, 0 if dtype.kind == "b" else 97, dtype.numpy)


class _Endless(ValueError):
    """Without the transfer a loop does not end."""


class _Bounded(Journal):
    """Ends a program that launches more than any of these programs does."""

    left = 2000

    def __init__(self, reached: set[Node]) -> None:
        super().__init__()
        self.reached = reached

    def write(self, n: Node, frame: Frame) -> None:
        self.reached.add(n)
        super().write(n, frame)

    def enter(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise _Endless
        super().enter()


def observed(program: Program, arguments: list[object], reached: set[Node] | None = None) -> list[object]:
    """What a caller sees: results or the exception, and the arguments afterwards. reached: gets the transfers and calls that ran"""
    with np.errstate(all="ignore"):
        try:
            out: list[object] = list(run(program, arguments, _Bounded(set() if reached is None else reached)))
        except (ValueError, IndexError, ArithmeticError, InternalError) as e:
            out = [repr(e)]
    return [x.copy() if isinstance(x, np.ndarray) else x for x in (*out, *arguments)]


def same(a: Sequence[object], b: Sequence[object]) -> bool:
    """Are these bit for bit the same observations (any NaN like any other)?"""
    return len(a) == len(b) and all(_equal(x, y) for x, y in zip(a, b))


def _equal(x: object, y: object) -> bool:
    if isinstance(x, (np.ndarray, np.generic)) or isinstance(y, (np.ndarray, np.generic)):
        u, v = np.asarray(x), np.asarray(y)
        nan = u.dtype.kind in "fc" and u.dtype == v.dtype
        return u.dtype == v.dtype and np.array_equal(u, v, equal_nan=nan)
    return type(x) is type(y) and (x == y or x is y or not isinstance(x, (str, int, float, complex)))
