"""What a call back into NumPy gives, found by calling the function on small arrays of the operands' types."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from soljit.base.knowledge.pure import Impure, attempt, is_operand
from soljit.base.records import dataclass
from soljit.frontend_ast.arrays.array_variables import still_axes
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.iterators import settled
from soljit.frontend_ast.objects.objects import Operands
from soljit.frontend_ast.values.descriptions import describe, described
from soljit.frontend_ast.values.sample_arrays import array_like
from soljit.frontend_ast.values.values import Arr, Generated, Lazy, Num, Object, SliceVal, Static, Tup, Value
from soljit.ir.callbacks.templates import fill
from soljit.ir.core.expr import Const, Expr
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


Samples = Callable[[Trial], list[Any]]


class NumpyOperands(Operands):
    """Operands of one of NumPy's functions, none of which keeps an array that it is given, and samples of them."""

    def template(self, v: Value) -> Any:  # JSON
        """The template of one argument; flags such as keepdims, which decide what results are, are known."""
        match v:
            case Num() if v.weak and v.dtype is b1 and (flag := self.cx.decide(v.expr)) is not None:
                return flag
            case Generated():
                if not v.is_list:
                    raise self.cx.unsupported(
                        "a generator as an argument of NumPy's functions", "use a list comprehension"
                    )
                return self.template(settled(self.cx, v))
            case Static():
                return self.static(v.obj)
            case Num() | Arr() | Lazy() | Object() | SliceVal() | Tup(cls=None):
                return super().template(v)
        raise self.cx.unsupported(f"passing {describe(v)} to NumPy")

    def array(self, a: Arr, operand: dict[str, int]) -> Any:  # JSON
        """The operand itself."""
        return operand

    def static(self, value: Any) -> Any:
        """The template of a number, a text, a slice or a type of elements."""
        if value is None or value is Ellipsis or type(value) is int or isinstance(value, slice):
            return super().static(value)
        if isinstance(value, (str, bool, int, float)):
            return value
        try:
            dtype = from_numpy(value) if is_operand(value) or isinstance(value, type) else None
        except TypeError:
            dtype = None
        if dtype is None:
            raise self.cx.unsupported(f"passing {described(value)} to NumPy")
        return {"dtype": dtype.name}

    @property
    def arrays(self) -> list[Arr]:
        """The arrays among the operands."""
        return [v for v in self.values if isinstance(v, Arr)]

    @property
    def integers(self) -> list[Expr]:
        """The integers that only the run tells."""
        return [v.expr for v in self.values if isinstance(v, Num) and v.dtype.is_int]

    def samples(self, templates: Sequence[Any], how: Trial) -> list[Any]:
        """Examples of the arguments that have these templates."""
        integers = iter(how.integers)
        made = [self._sample(v, k, integers, how) for k, v in enumerate(self.values)]
        return [fill(t, made) for t in templates]

    def _sample(self, v: Num | Arr | Object, place: int, integers: Iterator[int], how: Trial) -> Any:
        if isinstance(v, Arr):
            return sample(self.cx, v, how)
        if isinstance(v, Object):
            return _object_sample(v, how)
        kind, given = v.dtype.number_class(v.weak), next(integers, None) if v.dtype.is_int else None
        if given is not None:
            return kind(given)
        if how.rising:
            return kind(place)
        now = self.cx.value_now(v.expr) if how.now else how.size + how.lowest - 1
        return kind(how.lowest if now is None else now)


def _object_sample(v: Object, how: Trial) -> Any:
    """An example of an object; the integers of lists and tuples are positions if integers are to be small."""
    made = v.type.sample(how.size or 1)
    if how.lowest == 0 and type(made) in (list, tuple):
        return type(made)(k if type(x) is int else x for k, x in enumerate(made))
    return made


def sample(cx: Lowering, a: Arr, how: Trial) -> Any:
    """A small array like this one (`array_like`); equal symbolic sizes stay equal."""
    sizes = (cx.value_now(s) if how.now else None for s in a.shape)
    unknown = 1 if how.short and a.ndim == 1 else how.size
    shape = [int(s.value.real) if isinstance(s, Const) else unknown if m is None else m for s, m in zip(a.shape, sizes)]
    return array_like(a.dtype.numpy, shape, a.rank, still_axes(cx, a), a.writable, how.lowest)


@dataclass
class Outcome:
    """What the function did to samples."""

    result: Any
    given: list[Any]  # the sample arguments, keywords last
    error: Exception | None = None
    wrote: bool = False  # into one of its arguments
    rearranged: bool = False  # a list among them


def try_once(function: Any, positional: int, names: list[str], samples: Samples, how: Trial) -> Outcome:
    """Call the function on samples."""
    given = samples(how)
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
    function: Any, positional: int, names: list[str], samples: Samples, trials: Sequence[Trial] = TRIALS
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
