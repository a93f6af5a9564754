"""What a call back into NumPy gives, found by calling the function on small arrays of the operands' types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from soljit.base.knowledge.pure import Impure, attempt, is_operand
from soljit.frontend_ast.arrays.array_variables import still_axes
from soljit.frontend_ast.arrays.memlets import as_it_is
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.iterators import settled
from soljit.frontend_ast.values.descriptions import describe, described
from soljit.frontend_ast.values.values import Arr, Generated, Lazy, Num, Object, SliceVal, Static, Tup, Value
from soljit.ir.core.expr import Const, Expr, Memlet, Sym
from soljit.ir.core.types import b1, from_numpy


@dataclass(frozen=True)
class Trial:
    """How to make samples.

    size:   stands for every size that is not a constant
    lowest: 0 makes integers 0
    now:    sizes and numbers are those of this call where they are known
    rising: numbers of the run are larger the later they come: a position, then the lengths that it lies within
    integers: values for the integers of the run, in their order
    short:  vectors have one element
    """

    size: int
    lowest: int = 1
    now: bool = False
    rising: bool = False
    integers: tuple[int, ...] = ()
    short: bool = False


NOW = Trial(3, now=True)
RISING = Trial(3, 0, rising=True)
TRIALS = (
    *(Trial(n) for n in (3, 2, 4, 1)),
    NOW,
    *(Trial(n, 0) for n in (3, 2, 4)),
    Trial(3, 0, now=True),
    RISING,
    Trial(0),
)


Sample = Callable[[Trial], Any]

_IRRATIONAL = 0.6180339887498949


class Template:
    """Collects operands and builds the JSON template and the sample arguments."""

    def __init__(self, cx: Lowering) -> None:
        self.cx = cx
        self.ins: list[Memlet | Expr] = []
        self.arrays: list[Arr] = []
        self.integers: list[Expr] = []  # that only the run tells

    def of(self, v: Value) -> tuple[Any, Sample]:
        """(template, sample)."""
        cx = self.cx
        match v:
            case Num():
                if isinstance(v.expr, Const) and v.weak:
                    value = v.expr.value
                    return (
                        {"complex": [value.real, value.imag]} if isinstance(value, complex) else value
                    ), lambda n: value
                # flags such as keepdims decide what results are
                flag = cx.decide(v.expr) if v.weak and v.dtype is b1 else None
                if flag is not None:
                    return flag, lambda n: flag
                self.ins.append(cx.let(v.expr))
                here = {"$": len(self.ins) - 1} | ({"weak": True} if v.weak else {})
                kind = v.dtype.number_class(v.weak)
                place = len(self.ins) - 1
                turn = len(self.integers)
                if v.dtype.is_int:
                    self.integers.append(v.expr)

                def number(n: Trial) -> Any:
                    if v.dtype.is_int and turn < len(n.integers):
                        return kind(n.integers[turn])
                    if n.rising:
                        return kind(place)
                    now = cx.value_now(v.expr) if n.now else n.size + n.lowest - 1
                    return kind(n.lowest if now is None else now)

                return here, number
            case Arr() | Lazy():
                a, window = as_it_is(cx, v)
                self.ins.append(window)
                self.arrays.append(a)
                return {"$": len(self.ins) - 1}, lambda n: sample(cx, a, n)
            case Tup():
                parts = [self.of(x) for x in v.items]
                if v.cls is not None:
                    raise cx.unsupported(f"passing {describe(v)} to NumPy")
                template = [p[0] for p in parts]
                if v.mutable:
                    return template, lambda n: [p[1](n) for p in parts]
                return {"tuple": template}, lambda n: tuple(p[1](n) for p in parts)
            case Generated():
                if not v.is_list:
                    raise cx.unsupported("a generator as an argument of NumPy's functions", "use a list comprehension")
                return self.of(settled(cx, v))
            case Object():
                self.ins.append(Sym(v.data) if v.param else Memlet(v.data))
                return {"$": len(self.ins) - 1}, lambda n: _object_sample(v, n)
            case Static():
                return self._static(v.obj)
            case SliceVal():
                parts = [self.of(x) if x is not None else (None, lambda n: None) for x in (v.start, v.stop, v.step)]
                return {"slice": [p[0] for p in parts]}, lambda n: slice(*[p[1](n) for p in parts])
        raise cx.unsupported(f"passing {describe(v)} to NumPy")

    def _static(self, obj: Any) -> tuple[Any, Sample]:
        if type(obj) is int and not -(1 << 63) <= obj < 1 << 63:
            return {"call": ["int", [str(obj)]]}, lambda n: obj
        if obj is None or isinstance(obj, (str, bool, int, float)):
            return obj, lambda n: obj
        if obj is Ellipsis:
            return {"ellipsis": True}, lambda n: ...
        if isinstance(obj, slice):
            return {"slice": [self._static(x)[0] for x in (obj.start, obj.stop, obj.step)]}, lambda n: obj
        try:
            dtype = from_numpy(obj) if is_operand(obj) or isinstance(obj, type) else None
        except TypeError:
            dtype = None
        if dtype is not None:
            return {"dtype": dtype.name}, lambda n: obj
        raise self.cx.unsupported(f"passing {described(obj)} to NumPy")


def _object_sample(v: Object, how: Trial) -> Any:
    """An example of an object; the integers of lists and tuples are positions if integers are to be small."""
    made = v.type.sample(how.size or 1)
    if how.lowest == 0 and type(made) in (list, tuple):
        return type(made)(k if type(x) is int else x for k, x in enumerate(made))
    return made


def sample(cx: Lowering, a: Arr, how: Trial) -> Any:
    """A small array of the same type: well conditioned, positive, distinct values; equal symbolic sizes stay equal."""
    sizes = (cx.value_now(s) if how.now else None for s in a.shape)
    unknown = 1 if how.short and a.ndim == 1 else how.size
    shape = tuple(
        int(s.value.real) if isinstance(s, Const) else unknown if m is None else m for s, m in zip(a.shape, sizes)
    )
    count = int(np.prod(shape))
    x: Any = np.arange(1, count + 1).reshape(shape)
    if a.dtype is b1:
        x = x % 2 == 1
    if a.dtype.is_int:
        x *= how.lowest
    if a.dtype.kind in "fc":
        x = x / (count + 1.0)
        if count and len(shape) >= 2 and shape[-1] == shape[-2]:
            m = x.reshape(-1, shape[-2], shape[-1])
            x = (m + m.swapaxes(1, 2) + 10 * np.eye(shape[-1])).reshape(shape)
        elif len(shape) > 2:  # `np.linalg.tensorinv` and its like make a matrix of it, whose rows must be independent
            x = np.arange(1, count + 1).reshape(shape) ** 2 * _IRRATIONAL % 1 + 0.1
    out = np.array(x.transpose(a.rank), a.dtype.numpy, order="C").transpose(np.argsort(a.rank))
    if still := still_axes(cx, a):
        once = tuple(slice(1) if k in still else slice(None) for k in range(a.ndim))
        out = np.lib.stride_tricks.as_strided(
            out[once], shape, [0 if k in still else s for k, s in enumerate(out.strides)]
        )
    if not a.writable:
        out.flags.writeable = False
    return out


@dataclass
class Outcome:
    """What the function did to samples."""

    result: Any
    given: list[Any]  # the sample arguments, keywords last
    error: Exception | None = None
    wrote: bool = False  # into one of its arguments
    rearranged: bool = False  # a list among them


def try_once(function: Any, positional: int, names: list[str], samples: list[Sample], how: Trial) -> Outcome:
    """Call the function on samples."""
    given = [s(how) for s in samples]
    before = [(x, x.tobytes()) for x in given if isinstance(x, np.ndarray)]
    lists = [(x, [*map(id, x)]) for x in given if type(x) is list]
    result, error = None, None
    try:
        result = attempt(function, given[:positional], dict(zip(names, given[positional:])))
    except (Impure, RecursionError):
        raise
    except Exception as e:  # whatever NumPy raises for samples of this size
        error = e
    wrote = any(x.tobytes() != held for x, held in before)
    return Outcome(result, given, error, wrote, any([*map(id, x)] != held for x, held in lists))


def outcome_of(
    function: Any, positional: int, names: list[str], samples: list[Sample], trials: Sequence[Trial] = TRIALS
) -> Outcome:
    """What the function gives to samples; its last error if it likes none of them. `Impure`: it may have an effect."""
    for how in trials:
        seen = try_once(function, positional, names, samples, how)
        if seen.error is None:
            break
    return seen


def longer(given: Sequence[Any]) -> list[Trial]:
    """More trials for a call that liked none of the samples `given`: unknown sizes may have to be those of another argument."""
    sizes = set[int]()
    for x in given:
        if isinstance(x, np.ndarray):
            sizes.update(x.shape)
        elif isinstance(x, (list, tuple)):
            sizes |= {len(x)} | {t.size for t in longer(x)}
    return [Trial(n, now=True) for n in sorted(sizes) if n > NOW.size]
