"""One call back into NumPy on its way into the program: what it gives is seen on samples, then the node is emitted and its result read.

Where a result goes is one of four: it is new; it is what was passed as `out`; it is another argument itself; or there is none, since
the samples say that the call raises.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import field, replace
from typing import Any

import numpy as np

from soljit.base.errors import UnsupportedError
from soljit.base.knowledge.pure import Impure, known
from soljit.base.records import dataclass
from soljit.frontend_ast.arrays.elementwise import copy_array, materialize
from soljit.frontend_ast.calls.callbacks.callback_results import (
    Either,
    arrays_in,
    declaration_of,
    has_objects,
    places_in,
    real_or_complex,
    receive,
    structure_of,
)
from soljit.frontend_ast.calls.classes.instance_arguments import before_call
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.contents import grow
from soljit.frontend_ast.objects.foreign_results import escape_into, note_called_back, result_for
from soljit.frontend_ast.objects.objects import call_by_name
from soljit.frontend_ast.objects.probes import NOW, TRIALS, NumpyOperands, Outcome, Samples, Trial, longer, outcome_of
from soljit.frontend_ast.objects.results import result_of
from soljit.frontend_ast.values.values import NONE, Arr, Generated, Lazy, Object, Tup, Value
from soljit.ir import symbolic
from soljit.ir.core import nodes
from soljit.ir.core.expr import Const, Memlet, const
from soljit.support.unforeseen import Site

_REARRANGES = "shuffle"  # lists, too, which a sample may not show
_SMALL = 1000  # elements of samples that cost nothing
_MOST_AXES = 3  # of the run, whose values are tried

Path = tuple[int, ...]  # of an item in nested tuples and lists


@dataclass
class _Call:
    """What is called, with its arguments and what stands for them in the program."""

    cx: Lowering
    function: Any
    target: str
    args: list[Value]
    kwargs: dict[str, Value]
    operands: NumpyOperands = field(init=False)
    given: list[Any] = field(default_factory=list)  # templates of the arguments, keywords last
    foreseen: list[Outcome] = field(default_factory=list)  # what the call is known to have given

    def __post_init__(self) -> None:
        self.operands = NumpyOperands(self.cx)
        self.given = [self.operands.template(v) for v in self.values]
        came = self.cx.foreseen.get(self.site, ())
        self.foreseen = [Outcome(result, self.samples(TRIALS[0])) for result in came]

    @property
    def values(self) -> list[Value]:
        return [*self.args, *self.kwargs.values()]

    @property
    def name(self) -> str:
        return self.target.removeprefix("numpy.")

    @property
    def site(self) -> Site:
        return Site.at(self.cx.loc, self.target)

    def samples(self, how: Trial) -> list[Any]:
        """Examples of the arguments, keywords last."""
        return self.operands.samples(self.given, how)

    def tried(self, *trials: Trial) -> Outcome:
        """What the function does to samples."""
        return self._outcome(self.samples, trials)

    def tried_on(self, given: list[Any]) -> Outcome:
        """What the function does to these arguments."""
        return self._outcome(lambda _: given, (NOW,))

    def _outcome(self, samples: Samples, trials: tuple[Trial, ...]) -> Outcome:
        return outcome_of(self.function, len(self.args), list(self.kwargs), samples, trials)


def emit(
    cx: Lowering,
    function: Any,
    target: str,
    args: list[Value],
    kwargs: dict[str, Value],
    writes: bool,
    why: UnsupportedError | None = None,
    of_copies: bool = False,
) -> Value:
    """The call and its result. writes: into arguments; why: it was refused to be compiled; of_copies: results that are arguments are the caller's matter"""
    call = _Call(cx, function, target, args, kwargs)
    seen = call.foreseen[0] if call.foreseen else _on_samples(call)
    writes = writes or seen.wrote
    if seen.rearranged or getattr(function, "__name__", "") == _REARRANGES:
        _grow_lists(cx, args)
    if seen.error is not None and "read-only" in str(seen.error):
        cx.raise_("ValueError", str(seen.error))
        return NONE
    # does only the run tell whether the shape of `out` fits?
    unlike = isinstance(kwargs.get("out"), Arr) and isinstance(seen.error, ValueError)
    if seen.error is not None and (writes or unlike or isinstance(seen.error, AssertionError)):
        seen = Outcome(None, seen.given)  # it gives nothing, and samples do not tell whether the values raise
    if seen.error is not None and target.startswith("numpy.random."):  # samples may add up to anything
        kind = result_of(cx, function, args, kwargs)
        return call_by_name(cx, target, args, kind, kwargs, changes=writes)
    if not call.foreseen:
        seen = seen if seen.error is not None else _with_sizes_of_now(call, seen)
        if _is_doubtful(call, seen):
            if cx.loc in cx.learned.opaque:
                raise Impure("what it gives was guessed before, and was something else")
            cx.guessed.add(cx.loc)
    seen = _by_numbers(call, seen)
    if seen.error is None and has_objects(seen.result):
        kind = result_for(function, args, result_of(cx, function, args, kwargs))
        escape_into(cx, kind, call.values)
        return call_by_name(cx, target, args, kind, kwargs, changes=writes)
    into = "out" in kwargs and (
        unlike or seen.error is not None or _is_or_holds(_sample_of_out(call, seen), seen.result)
    )
    back = _place_of_argument(call, seen)
    if not into and _is_shared(seen.result, seen):
        if "out" in kwargs:
            raise cx.unsupported(f"np.{call.name} with out= for some of its results")
        if back is None and not of_copies:
            return _with_arguments(call, seen, why)
    if not (into or back is not None or of_copies or seen.error) and _views_of_contiguous(call, seen):
        raise cx.unsupported(f"np.{call.name} of an array whose layout is not known at compile time", "copy it first")
    if not call.target.startswith("numpy.random."):  # which compiled code may draw itself
        note_called_back(cx, f"np.{call.name}", why)
    made = _emit_node(call, seen, into, back, writes)
    if seen.error is not None:
        cx.raise_("TypeError", f"np.{call.name} gave a result where an error was expected when it was compiled")
        return NONE
    if back is not None:
        return call.values[back]
    return _out_of(call, seen) if into else _alike(call, made())


def _alike(call: _Call, result: Value) -> Value:
    """A result, which has its argument's shape if that is known of the function."""
    match call.values, result:
        case [Arr() | Lazy() as given], Arr() if given.ndim == result.ndim and "alike" in (known(call.function) or ()):
            return replace(result, shape=given.shape)
    return result


# --- what samples show --------------------------------------------------------------------------------------------------


def _on_samples(call: _Call) -> Outcome:
    """What the function does to samples: the first that it likes, or its last error."""
    seen = call.tried(*TRIALS)
    if seen.error is not None and (more := longer(call.tried(NOW).given)):
        found = call.tried(*more)
        return seen if found.error is not None else found
    return seen


def _with_sizes_of_now(call: _Call, seen: Outcome) -> Outcome:
    """What samples gave, or those of the sizes of this call, if that has another structure; then the sizes are guards."""
    cx, arrays = call.cx, call.operands.arrays
    several = isinstance(seen.result, (tuple, list))
    if not several and sum(cx.value_now(cx.size_of(a.shape)) or 0 for a in arrays) > _SMALL:
        return seen
    now = call.tried(NOW)
    if now.error is not None or structure_of(now.result) == structure_of(seen.result):
        return seen
    for size in (s for a in arrays for s in a.shape):
        if several or (cx.value_now(size) or 0) <= NOW.size:
            cx.static_int(size)
    return now


def _by_numbers(call: _Call, seen: Outcome) -> Outcome:
    """What is given for the axes and the lengths of this call, where those decide what the result is or how it lies in memory.

    Where nothing tells them while compiling, `call.foreseen` has a result of each kind.
    """
    cx, integers = call.cx, call.operands.integers
    ndim = max((x.ndim for x in arrays_in([seen.given, seen.result])), default=0)
    vectors = [a.shape[0] for a in call.operands.arrays if a.ndim == 1 and not isinstance(a.shape[0], Const)]
    if seen.error is not None or ndim < 2:
        return seen
    along = itertools.product(range(ndim), repeat=len(integers)) if len(integers) <= _MOST_AXES else ()
    shorts = (False, True) if vectors else (False,)
    outcomes = [_with_numbers(call, axes, short) for axes in along for short in shorts]
    tried = [o for o in outcomes if o.error is None] if len(outcomes) > 1 else []
    different = {repr(declaration_of(cx, o.result, ordered=True)): o for o in (*call.foreseen, *tried)}
    if len(different) < 2:
        return seen
    known = [cx.static_int(e) for e in integers]
    short = {cx.decide(symbolic.eq(n, const(1))) for n in dict.fromkeys(vectors)} or {False}
    if None not in known and len(short) == 1 and None not in short:
        now = _with_numbers(call, tuple(k for k in known if k is not None), short == {True})
        return now if now.error is None else seen
    for e, k in zip(integers, known):
        if k is None:
            cx.unroll_for(e)
    call.foreseen = list(different.values())
    return call.foreseen[0]


def _with_numbers(call: _Call, axes: tuple[int, ...], short: bool) -> Outcome:
    """What is given for these axes; short: and vectors of one element."""
    return call.tried(*(Trial(3, lowest, integers=axes, short=short) for lowest in (1, 0)))


def _is_doubtful(call: _Call, seen: Outcome) -> bool:
    """Tell whether the result may be something else: every example raises, or what it is depends on lists that only the run tells."""
    listed = any(isinstance(v, (Object, Generated)) for v, _ in _leaves(call.values, seen.given))
    if listed and seen.error is None:
        several = [call.tried(how) for how in TRIALS if not how.now]  # an empty list may give something else
        return len({repr(structure_of(o.result)) for o in several if o.error is None}) > 1
    if listed:
        call.cx.unroll_short_loops()  # then such lists as tuple(range(k)) are known
    return seen.error is not None and not isinstance(seen.error, TypeError)  # which types decide, not values


def _grow_lists(cx: Lowering, args: list[Value]) -> None:
    for v in args:
        if isinstance(v, Tup) and v.mutable:
            grow(cx, v)


def _leaves(values: list[Value], samples: list[Any]) -> list[tuple[Value, Any]]:
    """The arguments with their samples, those in tuples and lists one by one."""
    out: list[tuple[Value, Any]] = []
    for v, s in zip(values, samples):
        out += _leaves(v.items, s) if isinstance(v, Tup) else [(v, s)]
    return out


# --- results that are arguments, or show their memory -------------------------------------------------------------------


def _sample_of_out(call: _Call, seen: Outcome) -> Any:
    return seen.given[len(call.args) + list(call.kwargs).index("out")]


def _is_or_holds(out: Any, result: Any) -> bool:
    """Tell whether the result is what was passed as `out`, or one of the arrays in it. Some functions take `out` and give another array."""
    if out is result or isinstance(out, tuple) and any(x is result for x in out):
        return True
    return isinstance(out, tuple) and isinstance(result, tuple) and [*map(id, out)] == [*map(id, result)]


def _place_of_argument(call: _Call, seen: Outcome) -> int | None:
    """Which argument, an array, the result is."""
    places = (k for k, v in enumerate(call.values) if seen.given[k] is seen.result and isinstance(v, Arr))
    return next(places, None)


def _is_shared(result: Any, seen: Outcome) -> bool:
    return any(np.shares_memory(x, y) for x in arrays_in(result) for y in arrays_in(seen.given))


def _views_of_contiguous(call: _Call, seen: Outcome) -> bool:
    """Tell whether the function gives a view where it is given contiguous arrays, though it copied those of the samples that are not."""
    if all(x.flags.c_contiguous for x in arrays_in(seen.given)):
        return False
    again = call.tried_on([np.ascontiguousarray(x) if isinstance(x, np.ndarray) and x.ndim else x for x in seen.given])
    return _is_shared(again.result, again)


def _returned(call: _Call, seen: Outcome) -> dict[Path, int] | None:
    """Which items of the result are arguments, if no other shares memory with one."""
    if type(seen.result) is not tuple:
        return None
    given = [s for _, s in _leaves(call.values, seen.given)]
    found = {p: k for p, x in places_in(seen.result) for k, g in enumerate(given) if x is g}
    others = [x for p, x in places_in(seen.result) if p not in found]
    return None if _is_shared(others, seen) else found


def _with_arguments(call: _Call, seen: Outcome, why: UnsupportedError | None) -> Value:
    """A tuple of which some items are arguments: NumPy gets copies of those."""
    cx, returned = call.cx, _returned(call, seen)
    view = cx.unsupported(f"np.{call.name} in this form, which may give a view of its argument")
    if returned is None:
        raise view
    given: list[Value] = []

    def copied(v: Value) -> Value:
        if isinstance(v, Tup):
            return replace(v, items=[copied(x) for x in v.items])
        given.append(v)
        k = len(given) - 1
        if k not in returned.values():
            return v
        if not isinstance(v, (Arr, Lazy)):
            raise view
        given[k] = array = materialize(cx, v)
        return copy_array(cx, array, array.rank)

    copies = [copied(v) for v in call.values]
    args, named = copies[: len(call.args)], dict(zip(call.kwargs, copies[len(call.args) :]))
    result = emit(cx, call.function, call.target, args, named, False, why, of_copies=True)

    def filled(x: Value, path: Path) -> Value:
        if path in returned:
            return given[returned[path]]
        return replace(x, items=[filled(y, (*path, k)) for k, y in enumerate(x.items)]) if isinstance(x, Tup) else x

    return filled(result, ())  # which is no tuple if it raised


# --- the node -----------------------------------------------------------------------------------------------------------


def _emit_node(call: _Call, seen: Outcome, into: bool, back: int | None, writes: bool) -> Callable[[], Value]:
    """Emit the call; how its result is read where it is new."""
    cx, ins = call.cx, call.operands.ins
    effects = {w.data for w in ins if isinstance(w, Memlet)} if writes or back is not None or into else set()
    if effects and any(v.window() is None for v in call.values if isinstance(v, Arr) and v.writable):
        raise cx.unsupported(f"np.{call.name} on an array that repeats elements")
    outs: list[str] = []
    result = None if into or back is not None or seen.error else _example(call, seen)
    made = receive(cx, result, outs, call.name)
    declared = "never" if seen.error is not None else declaration_of(cx, result) if result is not None else None
    if back is not None and not into:
        declared = {"operand": call.given[back]["$"]}
    n = len(call.args)
    positional, named = tuple(call.given[:n]), dict(zip(call.kwargs, call.given[n:]))
    before_call(cx, call.target, call.values)
    cx.emit(nodes.Callback(call.target, tuple(outs), tuple(ins), positional, named, tuple(sorted(effects)), declared))
    return made


def _example(call: _Call, seen: Outcome) -> Any:
    """What the result is like; one of several examples where the call is known to give both."""
    different = {repr(declaration_of(call.cx, o.result, ordered=True)): o.result for o in call.foreseen}
    if len(different) > 1:
        return Either(tuple(different.values()))
    if not call.foreseen and (possible := real_or_complex(call.function, seen.result, seen.given)) is not None:
        call.cx.possible[call.site] = possible.options
    return seen.result


def _out_of(call: _Call, seen: Outcome) -> Value:
    """What was passed as `out`, as the function gives it back."""
    out = call.kwargs["out"]
    if not isinstance(out, Tup) or isinstance(seen.result, tuple) and len(out.items) == 1:
        return out
    if any(not isinstance(x, Arr) for x in out.items):
        raise call.cx.unsupported(f"np.{call.name} with out= for some of its results")
    return out.items[0] if len(out.items) == 1 else out
