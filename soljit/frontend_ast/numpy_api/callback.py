"""Calls that go back into NumPy from inside the compiled function.

What has no handler of its own is called back: the result's types are found by calling the function once, while compiling, on small
arrays of the operands' types. The compiled code checks that the real result has the types found and raises if not.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from soljit.base.errors import UnsupportedError
from soljit.base.objects import ufunc_name
from soljit.base.unforeseen import Site
from soljit.frontend_ast.elementwise import copy_array, materialize
from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.numpy_api.callback_results import (
    Either,
    arrays_in,
    declaration_of,
    declare,
    has_objects,
    places_in,
    read,
    real_or_complex,
    structure_of,
)
from soljit.frontend_ast.numpy_api.trials import NOW, TRIALS, Outcome, Sample, Template, Trial, longer, outcome_of
from soljit.frontend_ast.object_arrays import escape_into, result_for
from soljit.frontend_ast.object_types import Unknown
from soljit.frontend_ast.operators import describe
from soljit.frontend_ast.python_numbers import constant
from soljit.frontend_ast.values import NONE, Arr, Dict, Generated, Lazy, Num, Object, Tup, Value
from soljit.ir import nodes
from soljit.ir.expr import Memlet
from soljit.ir.types import b1, c128, f64, i64

_WRITES = {"copyto", "put", "place", "putmask", "fill_diagonal", "shuffle", "put_along_axis", "at", "fill", "itemset"}


OF_THE_OBJECT = {"setflags", "resize"}  # they change the array object, of which a call back gets another one


_SMALL = 1000  # elements of samples that cost nothing


_WRITING_METHODS = _WRITES | {"sort", "partition", "setfield", "__setitem__"}


Path = tuple[int, ...]  # of an item in nested tuples and lists


def is_numpy(obj: Any) -> bool:
    """Is this one of NumPy's functions (or of math, or a ufunc), so that calling it back means what NumPy means?"""
    module = getattr(obj, "__module__", None) or getattr(getattr(obj, "__self__", None), "__module__", None) or ""
    if isinstance(obj, np.ufunc) or isinstance(getattr(obj, "__self__", None), np.ufunc):
        return True
    return callable(obj) and not isinstance(obj, type) and module.partition(".")[0] in ("numpy", "math", "cmath")


def dotted_name(obj: Any) -> str | None:
    """A name by which the function is found again."""
    name = getattr(obj, "__name__", None)
    owner = getattr(obj, "__self__", None)
    if isinstance(owner, np.ufunc) or isinstance(obj, np.ufunc):
        return ufunc_name(obj)
    if isinstance(owner, type) and getattr(owner, str(name), None) == obj:
        return f"{owner.__module__}.{owner.__qualname__}.{name}"
    module = getattr(obj, "__module__", "numpy") or "numpy"
    for m in (module, "numpy", "numpy.linalg", "numpy.fft", "numpy.random"):
        try:
            found: Any = __import__(m, fromlist=["_"])
        except ImportError:
            continue
        if getattr(found, str(name), None) is obj:
            return f"{m}.{name}"
    if owner is np.random.mtrand._rand:
        return f"numpy.random.{name}"
    return None


def call(cx: Lowering, function: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """Emit a call back to `function`; its result types are those of a call on samples."""
    target = dotted_name(function)
    if target is None:
        raise cx.unsupported(f"calling {getattr(function, '__name__', function)!r}")
    args, kwargs = _out_by_name(function, args, kwargs)
    return _call(cx, function, target, args, kwargs, getattr(function, "__name__", "") in _WRITES)


def _out_by_name(function: Any, args: list[Value], kwargs: dict[str, Value]) -> tuple[list[Value], dict[str, Value]]:
    """The arguments with `out`, and what stands behind it, as keywords."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # a function that does not tell
        return args, kwargs
    named = itertools.takewhile(lambda p: p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD), parameters)
    names = [p.name for p in named][: len(args)]
    k = names.index("out") if "out" in names else len(args)
    return args[:k], {**dict(zip(names[k:], args[k:])), **kwargs}


def call_method(cx: Lowering, owner: Value, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """Emit a call of a method of an array or a NumPy scalar."""
    cls: Any = owner.dtype.numpy.type if isinstance(owner, Num) else np.ndarray
    function = getattr(cls, name, None)
    if function is None or not callable(function) or name in OF_THE_OBJECT:
        raise cx.unsupported(f"method '{name}' of {describe(owner)}")
    return _call(cx, function, f"numpy.{cls.__name__}.{name}", [owner, *args], kwargs, name in _WRITING_METHODS)


def _call(cx: Lowering, function: Any, target: str, args: list[Value], kwargs: dict[str, Value], writes: bool) -> Value:
    """The call, whose result is one of numbers, or an array of something else, which is a Python object."""
    kwargs = {k: _made(cx, v) if k == "out" else v for k, v in kwargs.items()}
    mark = cx.snapshot()
    try:
        return _emit(cx, function, target, args, kwargs, writes)
    except (UnsupportedError, Unknown) as e:
        cx.restore(mark)
        made: Value | None = cx.objects.call_for_object(cx, function, target, args, kwargs, writes)
        if made is None and isinstance(e, Unknown):
            raise cx.unsupported(f"{target} of an object of which only the run tells what it is") from None
        if made is None:
            raise
        return made


def _made(cx: Lowering, out: Value) -> Value:
    """What the function writes into and may give back."""
    if isinstance(out, Tup):
        return replace(out, items=[_made(cx, x) for x in out.items])
    return materialize(cx, out) if isinstance(out, Lazy) else out


def _emit(
    cx: Lowering,
    function: Any,
    target: str,
    args: list[Value],
    kwargs: dict[str, Value],
    writes: bool,
    of_copies: bool = False,
) -> Value:
    name = target.removeprefix("numpy.")
    t = Template(cx)
    parts = [t.of(a) for a in args]
    named = {k: t.of(v) for k, v in kwargs.items()}
    samples = [p[1] for p in (*parts, *named.values())]
    foreseen = _foreseen(cx, target, samples)

    def tried(*trials: Trial) -> Outcome:
        return outcome_of(function, target, len(parts), list(named), samples, trials)

    seen = foreseen[0] if foreseen else tried(*TRIALS)
    if seen.error is not None and (more := longer(tried(NOW).given)) and (found := tried(*more)).error is None:
        seen = found
    error, writes = seen.error, writes or seen.wrote
    if seen.rearranged or name == "random.shuffle":
        for v in args:
            if isinstance(v, Tup) and v.mutable:
                cx.objects.grow(cx, v)
    if error is not None and "read-only" in str(error):
        cx.raise_("ValueError", str(error))
        return NONE
    unlike = isinstance(kwargs.get("out"), Arr) and isinstance(error, ValueError)  # the shape that only the run tells
    if error is not None and (writes or unlike or isinstance(error, AssertionError)):
        seen, error = (
            Outcome(None, seen.given),
            None,
        )  # it gives nothing, and samples do not tell whether the values raise
    if not foreseen and error is None:
        seen = _with_sizes_of_now(cx, seen, t.arrays, tried)
    values = [*args, *kwargs.values()]
    if not foreseen and any(isinstance(v, (Object, Generated)) for v, _ in _leaves(values, seen.given)):
        several = [tried(how) for how in TRIALS if how.size and not how.now]
        if error is not None or len({repr(structure_of(o.result)) for o in several if o.error is None}) > 1:
            doubt = cx.unsupported(
                f"np.{name} of a list on which the type of the result depends, after something was changed"
            )
            cx.doubtful[Site.at(cx.loc, target)] = doubt
    if error is None and has_objects(seen.result):
        kind = result_for(function, args, cx.objects.result_of(cx, function, args, kwargs))
        escape_into(cx, kind, values)
        return cx.objects.call(cx, target, args, kind, kwargs, changes=writes)  # type: ignore[no-any-return]
    into = "out" in kwargs and (
        unlike or error is not None or _is_or_holds(seen.given[len(args) + list(kwargs).index("out")], seen.result)
    )
    back = [v for g, v in zip(seen.given, values) if g is seen.result and isinstance(v, Arr)]
    shared = any(np.shares_memory(x, y) for x in arrays_in(seen.result) for y in arrays_in(seen.given))
    if "out" in kwargs and not into and shared:
        raise cx.unsupported(f"np.{name} with out= for some of its results")
    if not into and not back and shared and not of_copies:
        if (returned := _returned(values, seen)) is not None:
            return _with_arguments(cx, function, target, args, kwargs, returned)
        raise cx.unsupported(f"np.{name} in this form, which may give a view of its argument")

    def of_these(given: list[Any]) -> Outcome:
        return outcome_of(function, target, len(parts), list(named), [lambda _, x=x: x for x in given], (NOW,))  # type: ignore[misc]

    if not (into or back or of_copies or error) and _views_of_contiguous(seen, of_these):
        raise cx.unsupported(f"np.{name} of an array whose layout is not known at compile time", "copy it first")
    cx.note(f"np.{name} is called back")
    outs: list[str] = []
    effects = {w.data for w in t.ins if isinstance(w, Memlet)} if writes or back or into else set()
    if effects and any(v.window() is None for v in values if isinstance(v, Arr) and v.writable):
        raise cx.unsupported(f"np.{name} on an array that repeats elements")
    result = None if into or back or error else _example(cx, function, target, seen, foreseen)
    value = declare(cx, result, outs, name)
    declared = "never" if error is not None else declaration_of(result) if value is not None else None
    if back and not into:
        place = [k for k, g in enumerate(seen.given) if g is seen.result][0]
        template = [p[0] for p in (*parts, *named.values())][place]
        declared = {"operand": template["$"]}
    cx.emit(
        nodes.Callback(
            target,
            tuple(outs),
            tuple(t.ins),
            tuple(p[0] for p in parts),
            {k: p[0] for k, p in named.items()},
            tuple(sorted(effects)),
            declared,
        )
    )
    if error is not None:
        cx.raise_("TypeError", f"np.{name} gave a result where an error was expected when it was compiled")
        return NONE
    if back:
        return back[0]
    if into:
        out = kwargs["out"]
        if not isinstance(out, Tup) or isinstance(seen.result, tuple) and len(out.items) == 1:
            return out
        if any(not isinstance(x, Arr) for x in out.items):
            raise cx.unsupported(f"np.{name} with out= for some of its results")
        return out.items[0] if len(out.items) == 1 else out
    return read(cx, value)


def _views_of_contiguous(seen: Outcome, tried: Callable[[list[Any]], Outcome]) -> bool:
    """Does the function give a view where it is given contiguous arrays, though it copied those of the samples that are not?"""
    if all(x.flags.c_contiguous for x in arrays_in(seen.given)):
        return False
    given = [np.ascontiguousarray(x) if isinstance(x, np.ndarray) and x.ndim else x for x in seen.given]
    again = tried(given)
    return any(np.shares_memory(x, y) for x in arrays_in(again.result) for y in arrays_in(given))


def _is_or_holds(out: Any, result: Any) -> bool:
    """Is the result what was passed as `out`, or one of the arrays in it? Some functions take `out` and give another array."""
    if out is result or isinstance(out, tuple) and any(x is result for x in out):
        return True
    return isinstance(out, tuple) and isinstance(result, tuple) and [*map(id, out)] == [*map(id, result)]


def _leaves(values: list[Value], samples: list[Any]) -> list[tuple[Value, Any]]:
    """The arguments with their samples, those in tuples and lists one by one."""
    out: list[tuple[Value, Any]] = []
    for v, s in zip(values, samples):
        out += _leaves(v.items, s) if isinstance(v, Tup) else [(v, s)]
    return out


def _returned(values: list[Value], seen: Outcome) -> dict[Path, int] | None:
    """Which items of the result are arguments, if no other shares memory with one."""
    if type(seen.result) is not tuple:
        return None
    given = [s for _, s in _leaves(values, seen.given)]
    found = {p: k for p, x in places_in(seen.result) for k, g in enumerate(given) if x is g}
    others = [x for p, x in places_in(seen.result) if p not in found]
    shared = any(np.shares_memory(x, y) for x in arrays_in(others) for y in arrays_in(seen.given))
    return None if shared else found


def _with_arguments(
    cx: Lowering, function: Any, target: str, args: list[Value], kwargs: dict[str, Value], returned: dict[Path, int]
) -> Value:
    """A tuple of which some items are arguments: NumPy gets copies of those."""
    given: list[Value] = []

    def copied(v: Value) -> Value:
        if isinstance(v, Tup):
            return replace(v, items=[copied(x) for x in v.items])
        given.append(v)
        k = len(given) - 1
        if k not in returned.values():
            return v
        if not isinstance(v, (Arr, Lazy)):
            raise cx.unsupported(
                f"np.{target.removeprefix('numpy.')} in this form, which may give a view of its argument"
            )
        given[k] = array = materialize(cx, v)
        return copy_array(cx, array, array.rank)

    copies = [copied(v) for v in (*args, *kwargs.values())]
    named = dict(zip(kwargs, copies[len(args) :]))
    result = _emit(cx, function, target, copies[: len(args)], named, False, of_copies=True)

    def filled(x: Value, path: Path) -> Value:
        if path in returned:
            return given[returned[path]]
        return replace(x, items=[filled(y, (*path, k)) for k, y in enumerate(x.items)]) if isinstance(x, Tup) else x

    return filled(result, ())  # which is no tuple if it raised


def _with_sizes_of_now(cx: Lowering, seen: Outcome, arrays: list[Arr], tried: Callable[..., Outcome]) -> Outcome:
    """What samples gave, or those of the sizes of this call, if that has another structure; then the sizes are guards."""
    several = isinstance(seen.result, (tuple, list))
    if not several and sum(cx.value_now(cx.size_of(a.shape)) or 0 for a in arrays) > _SMALL:
        return seen
    now = tried(NOW)
    if now.error is not None or structure_of(now.result) == structure_of(seen.result):
        return seen
    for size in (s for a in arrays for s in a.shape):
        if several or (cx.value_now(size) or 0) <= NOW.size:
            cx.static_int(size)
    return now


def _foreseen(cx: Lowering, target: str, samples: list[Sample]) -> list[Outcome]:
    """What this call is known to have given."""
    return [Outcome(result, [s(TRIALS[0]) for s in samples]) for result in cx.foreseen.get(Site.at(cx.loc, target), ())]


def _example(cx: Lowering, function: Any, target: str, seen: Outcome, foreseen: list[Outcome]) -> Any:
    """What the result is like; one of several examples where the call is known to give both."""
    different = {repr(declaration_of(o.result)): o.result for o in foreseen}
    if len(different) > 1:
        return Either(tuple(different.values()))
    if not foreseen and (possible := real_or_complex(function, seen.result, seen.given)) is not None:
        cx.possible[Site.at(cx.loc, target)] = possible.options
    return seen.result


def call_python(cx: Lowering, dotted: str, args: list[Value], like: Any) -> Num:
    """Call a Python function of numbers by its dotted name; `like` has the type of its result."""
    t = Template(cx)
    parts = [t.of(a)[0] for a in args]
    name = cx.scalar({bool: b1, int: i64, float: f64, complex: c128}[type(like)], dotted.rpartition(".")[2])
    cx.emit(nodes.Callback(dotted, (name,), tuple(t.ins), tuple(parts), result=type(like).__name__))
    return Num(cx.let(cx.read(name), name), True)


__all__ = ["Dict", "call", "call_method", "constant", "dotted_name", "is_numpy"]
