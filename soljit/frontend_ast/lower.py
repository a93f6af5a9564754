"""From a Python function and the types of a call to a program: the entry of the front end.

`lower_function` lowers the function for the given argument types. If guards made symbols equal, it lowers once more with these
equalities as substitutions, so that `A.shape[0]`, `B.shape[0]` and `n` are one symbol in the result.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from soljit.base.classes import answers_for_itself
from soljit.base.dependency import Dependency, Path
from soljit.base.errors import InternalError, UnsupportedError
from soljit.base.place import Loc
from soljit.base.unforeseen import Foreseen
from soljit.frontend_ast import (
    assignments,
    attempts,
    callback_exceptions,
    choices,
    generators,
    lists_of_numbers,
    managers,
    outliving,
    recursion,
    special_methods,
    subset,
    whole_program,
)
from soljit.frontend_ast.blocks import freeze
from soljit.frontend_ast.boxes import with_boxes
from soljit.frontend_ast.calls import call_value
from soljit.frontend_ast.emission import HELD
from soljit.frontend_ast.expressions import consumed, evaluate
from soljit.frontend_ast.frames import Frame
from soljit.frontend_ast.inlining import resolver
from soljit.frontend_ast.liveness import live_after
from soljit.frontend_ast.lowering import Lowering
from soljit.frontend_ast.lowering_state import Note
from soljit.frontend_ast.names import local_names
from soljit.frontend_ast.numpy_api import callback, families, functional, object_functions
from soljit.frontend_ast.object_contents import type_of_argument, type_of_outside
from soljit.frontend_ast.object_types import Learned, Restart, record
from soljit.frontend_ast.python_numbers import constant
from soljit.frontend_ast.results import emit_return
from soljit.frontend_ast.source import function_ast, plain_function
from soljit.frontend_ast.statements import run
from soljit.frontend_ast.values import NONE, Arr, Dict, Num, Object, Tup, Value, full_view
from soljit.ir import nodes, symbolic
from soljit.ir.data import Array, Data, Ref
from soljit.ir.expr import Expr, Extent, Stride, Sym, const
from soljit.ir.repeatable import repeatable, unrepeatable
from soljit.ir.signature import (
    ArgType,
    ArrayArg,
    DictArg,
    ObjectArg,
    ScalarArg,
    StaticArg,
    TupleArg,
    rank_of,
    shares_elements,
    still_axes,
)
from soljit.ir.types import DType, from_numpy, i64
from soljit.ir.walk import substitute

MAX_ROUNDS = 6
MAX_LEARNING = 60


@dataclass
class Lowered:
    """The program, what it relied on outside its arguments, and remarks.

    captures: paths of global and closure arrays that the program takes as extra parameters after the arguments, in order
    identity: the program asks which of its arguments are one object
    twins:    further paths that must lead to the very array of a path among `captures`
    places:   where these arrays were met first
    """

    program: nodes.Program
    dependencies: tuple[Dependency, ...]
    notes: tuple[Note, ...] = ()
    captures: tuple[Path, ...] = field(default=())
    identity: bool = False
    twins: tuple[tuple[Path, Path], ...] = ()
    places: Mapping[Path, Loc] = field(default_factory=dict)
    moved: bool = False  # a function stands elsewhere in its file than its code says


def lower_function(
    function: Any,
    types: Sequence[ArgType],
    leaves: Sequence[Any],
    *,
    undecided: bool = False,
    fp: str = "strict",
    foreseen: Foreseen = MappingProxyType({}),
) -> Lowered:
    """Lower `function` for arguments of these types.

    types:     one tree per parameter of the function, in order (defaults filled in, `*args` as a tuple, `**kwargs` as a dict)
    leaves:    the call's argument values, depth first: the sizes and scalars that `decide` looks at
    undecided: make no guards from values (when there are too many variants)
    foreseen:  what calls back into Python gave that they did not give to samples
    Raises UnsupportedError.
    """
    fn = plain_function(function)
    src = function_ast(fn)
    assert families.LOADED and managers.LOADED
    subset.check(src)
    renamed: dict[str, Expr] = {}
    parsed: dict[Any, Any] = {}
    learned = Learned()
    for _ in range(MAX_ROUNDS):
        cx, result = _lower_and_learn(fn, src, types, leaves, learned, (renamed, undecided, fp, parsed, foreseen))
        if not cx.equalities:
            break
        renamed = {k: symbolic.simplify(_rename(v, cx.equalities)) for k, v in renamed.items()} | cx.equalities
    if cx.possible and (open_sites := cx.possible.keys() - repeatable(result.program)):
        with contextlib.suppress(UnsupportedError):  # then it has to be what it was for examples
            both = {site: cx.possible[site] for site in open_sites}
            return lower_function(fn, types, leaves, undecided=undecided, fp=fp, foreseen={**foreseen, **both})
    for site in cx.doubtful.keys() & unrepeatable(result.program):
        raise cx.doubtful[site]
    return result


def _lower_and_learn(
    fn: Any, src: Any, types: Sequence[ArgType], leaves: Sequence[Any], learned: Learned, options: tuple[Any, ...]
) -> tuple[Lowering, Lowered]:
    """Lower, again as long as something is learned about Python objects that had to be known from the start."""
    renamed, undecided, fp, parsed, foreseen = options
    for _ in range(MAX_LEARNING):
        name = src.tree.name if hasattr(src.tree, "name") else "function"
        cx = Lowering(name, {}, renamed, undecided, fp, parsed=parsed, foreseen=foreseen)
        cx.learned, learned.changed = learned, False
        try:
            result = _lower_once(
                cx, fn, replace(src, tree=with_boxes(src.tree, src.file, learned.boxed)), types, leaves
            )
        except Restart:
            learned.changed = True
        except (UnsupportedError, InternalError):  # of a round that did not know yet what it has learned
            if not learned.changed:
                raise
        record(learned)
        if not learned.changed:
            return cx, result
    raise cx.unsupported("lists or dicts in this function hold values whose types do not settle")


def _rename(e: Expr, names: dict[str, Expr]) -> Expr:
    return substitute(e, names)


def _lower_once(cx: Lowering, fn: Any, src: Any, types: Sequence[ArgType], leaves: Sequence[Any]) -> Lowered:
    cx.objects, cx.consumed = object_functions, consumed
    cx.functional, cx.special, cx.truth_of = functional, special_methods, choices.truth_of
    cx.assign, cx.closed = assignments.assign, generators.closed
    cx.over_generator, cx.give = generators.loop, generators.give
    cx.generated_item = generators.generated_item
    cx.listed, cx.numbered, cx.over_items = generators.listed, generators.numbered, generators.comprehension
    cx.stepped, cx.generator_expression = generators.consume, generators.expression
    cx.guard_callback, cx.after_callback = callback_exceptions.guard_callback, callback_exceptions.after_callback
    cx.share = attempts.share
    cx.evaluate, cx.run, cx.call, cx.call_back = evaluate, run, call_value, callback.call
    cx.raising = cx.learned.errors
    cx.concrete = concrete = dict[str, Any]()
    cx.paths[id(fn)] = ()
    cx.loc = Loc(src.file, getattr(src.tree, "lineno", 0), 0, function=fn.__qualname__)
    arguments = _Arguments(cx, fn, list(leaves), concrete)
    cx.capture = arguments.capture
    ordered = _parameter_order(fn)
    cx.taken |= {"sol", "f", "rt"}
    values: dict[str, Value] = {}
    for k, (n, t) in enumerate(zip(ordered, types)):
        arguments.parameter = k
        values[n] = arguments.value(t, n)
    if any(p.kind == "object" and p.name not in cx.lists_of_numbers for p in cx.params):
        cx.learned.held |= {p.name for p in cx.params if p.kind == "array"}  # any of them may be in the object, too
    for name, e in cx.renamed.items():
        cx.guards.append(symbolic.eq(Sym(name, cx.param_dtype(name)), e))
    frame = Frame(
        fn.__qualname__, src.file, values, resolver(fn), live_after(src.tree), local_names(src.tree), tree=src.tree
    )
    cx.frames.append(frame)
    cx.entry = frame
    cx.active.append(recursion.key_of(cx, recursion.identity_of(fn), values, {}))
    lists_of_numbers.look(cx)
    if hasattr(src.tree, "name"):
        run(cx, frame, src.tree.body)
        if not cx.current.done:
            emit_return(cx, NONE)
    else:
        emit_return(cx, evaluate(cx, frame, src.tree.body))
    cx.declare_held()
    body: nodes.Region = freeze(cx.blocks[0])  # type: ignore[assignment]
    called = recursion.reached(cx, body)
    program = nodes.Program(
        cx.name,
        tuple(cx.params),
        dict(cx.symbols),
        tuple(cx.guards),
        {name: _declared(d, cx.data) for name, d in cx.data.items()},
        cx.returned.leaves,
        cx.returned.structure,
        body,
        {f.name: f.program for f in cx.functions.values() if f.program is not None and f.name in called},
        loc=Loc(src.file, getattr(src.tree, "lineno", 0), 0, function=fn.__qualname__),
    )
    whole_program.check(cx, program)
    return Lowered(
        outliving.kept(program),
        tuple(cx.dependencies.values()),
        tuple(cx.notes),
        tuple(cx.captures),
        cx.identity_asked,
        tuple(cx.twins.items()),
        {path: loc for path, _, loc in cx.captured_objects.values()},
        src.moved or any(isinstance(x, tuple) and getattr(x[0], "moved", False) for x in cx.parsed.values()),
    )


def _declared(d: Data, data: Mapping[str, Data]) -> Data:
    """Without the arrays that a Ref was to be bound to in an attempt that was given up."""
    if isinstance(d, Ref) and not all(name in data for name in d.alias):
        return replace(d, alias=tuple(name for name in d.alias if name in data))
    return d


def _parameter_order(fn: Any) -> list[str]:
    code = fn.__code__
    n = code.co_argcount
    names = list(code.co_varnames)
    positional, keyword = names[:n], names[n : n + code.co_kwonlyargcount]
    rest = names[n + code.co_kwonlyargcount :]
    args = rest[:1] if code.co_flags & 4 else []
    kwargs = rest[len(args) : len(args) + 1] if code.co_flags & 8 else []
    return [*positional, *args, *keyword, *kwargs]


class _Arguments:
    """Makes parameters, symbols and values of the argument types."""

    def __init__(self, cx: Lowering, function: Any, leaves: list[Any], concrete: dict[str, Any]) -> None:
        self.cx, self.function, self.leaves, self.concrete, self.next = cx, function, leaves, concrete, 0
        self.parameter = 0

    def value(self, t: ArgType, name: str) -> Value:
        """The value of one argument."""
        cx = self.cx
        match t:
            case ArrayArg():
                found = self._array(t, cx.fresh(name), self._take())
                cx.argument_objects[found.data] = t.same
                return found
            case ScalarArg():
                return self._scalar(t, cx.fresh(name), self._take())
            case StaticArg():
                leaf = self._take()
                if answers_for_itself(leaf):
                    raise cx.unsupported(
                        f"argument '{name}', a class whose own class decides what it is", "pass a function"
                    )
                cx.follow(self.function, "static", str(self.next - 1), leaf)
                return constant(cx, leaf)
            case ObjectArg():
                leaf = self._take()
                param = cx.fresh(name)
                cx.params.append(nodes.Param(param, "object", container=_container_name(t.type)))
                kind = lists_of_numbers.type_of_list(cx, leaf, param)
                if t.dtype is not None:
                    kind = object_functions.type_of_array(cx, t.dtype, t.ndim)
                return Object(param, kind or type_of_argument(t.type), True)
            case TupleArg():
                made = Tup([self.value(x, f"{name}_{k}") for k, x in enumerate(t.items)], t.cls, t.mutable, None)
                cx.containers.append((made, self.parameter))
                return made
            case DictArg():
                items = {k: self.value(x, f"{name}_{k}") for k, x in zip(t.keys, t.items)}
                given = Dict(items, t.cls, True, None)
                cx.containers.append((given, self.parameter))
                return given

    def _take(self) -> Any:
        self.next += 1
        return self.leaves[self.next - 1]

    def _scalar(self, t: ScalarArg, name: str, value: Any) -> Num:
        cx = self.cx
        cx.params.append(nodes.Param(name, "scalar", t.dtype))
        self.concrete[name] = value
        if name in cx.renamed:
            return Num(cx.renamed[name], t.weak)
        if t.dtype.is_int and t.dtype is not i64:
            cx.facts = cx.facts.with_range(Sym(name, t.dtype), None, None)
        return Num(Sym(name, t.dtype), t.weak)

    def _array(self, t: ArrayArg, name: str, value: np.ndarray[Any, Any]) -> Arr:
        cx = self.cx
        cx.params.append(nodes.Param(name, "array", t.dtype))
        shape: list[Expr] = []
        for k in range(t.ndim):
            size = f"{name}_n{k}" if f"{name}_n{k}" not in cx.taken else cx.fresh(f"{name}_n{k}")
            cx.taken.add(size)
            cx.symbols[size] = Extent(name, k)
            self.concrete[size] = int(value.shape[k])
            cx.facts = cx.facts.with_size(size)
            shape.append(cx.renamed.get(size, Sym(size)))
        rank = tuple(range(t.ndim))
        strides: tuple[Expr, ...] | None = None
        if t.order == "F" and t.ndim > 1:
            rank = rank[::-1]
            step: Expr = const(1)
            steps = []
            for n in shape:
                steps.append(step)
                step = symbolic.mul(step, n)
            strides = tuple(steps)
        elif t.order == "A":
            rank = t.rank or rank
            still = t.rank[t.ndim - t.still :]
            strides = tuple(const(0) if k in still else self._stride(name, k, value) for k in range(t.ndim))
        alias = None if t.alias is None else f"group{t.alias}"
        cx.data[name] = Array(t.dtype, tuple(shape), strides, transient=False, alias=alias, writable=t.writable)
        if t.shared:
            cx.overlapping.add(name)
        return full_view(name, t.dtype, tuple(shape), rank, t.writable)

    def _stride(self, name: str, k: int, value: np.ndarray[Any, Any]) -> Expr:
        symbol = f"{name}_s{k}"
        self.cx.taken.add(symbol)
        self.cx.symbols[symbol] = Stride(name, k)
        self.concrete[symbol] = value.strides[k] // value.itemsize
        return self.cx.renamed.get(symbol, Sym(symbol))

    def capture(self, owner: object, kind: str, name: str, value: np.ndarray[Any, Any]) -> Arr | Object:
        """A global or closure array: an extra parameter, fetched again at each call. It may be any array, so overlap is possible."""
        cx = self.cx
        path = cx.path_to(owner, kind, name)
        if (first := cx.twins.get(path, path)) in cx.captures:
            found: Arr = cx.captures[first]
            return found
        if answers_for_itself(value) or not isinstance(value, np.ndarray):
            return self._container(path, name, value)  # type: ignore[no-any-return]
        dtype = from_numpy(value.dtype)
        if dtype is None or type(value) is not np.ndarray:
            return self._container(path, name, value)  # type: ignore[no-any-return]
        if id(value) in cx.captured_objects:
            cx.twins[path] = cx.captured_objects[id(value)][0]
            return self.capture(owner, kind, name, value)
        cx.captured_objects[id(value)] = path, value, cx.loc
        arr = self._array(_captured_type(value, dtype), cx.fresh(name), value)
        if HELD in cx.data:
            cx.hold_arguments()
        cx.captures[path] = arr
        cx.keep(arr.data)
        return arr

    def _container(self, path: Path, name: str, value: Any) -> Any:
        """A global or closure list, dict or set: Python's own object, whatever it holds at the call."""
        cx = self.cx
        param = cx.fresh(name)
        opaque = answers_for_itself(value)
        cls = object if opaque else type(value)
        cx.params.append(nodes.Param(param, "object", container=_container_name(cls)))
        cx.kept_names.add(param)
        known = cls in (list, dict, set, np.ndarray) and name != "__globals__"
        kind = object_functions.type_of_container(cx, value, str(path)) if known else type_of_outside(cls)
        made = Object(param, kind, True)
        cx.captures[path] = made
        cx.containers_outside[param] = (path, value)
        cx.paths.setdefault(id(value), path)
        cx.hold_arguments()
        return made


def _container_name(cls: type) -> str:
    return cls.__name__ if cls in (list, tuple, dict, set, frozenset) else ""


def _captured_type(a: np.ndarray[Any, Any], dtype: DType) -> ArrayArg:
    """The type of a captured array, as for an argument; a captured array that overlaps another one is refused by the driver."""
    order = "C" if a.flags.c_contiguous else "F" if a.flags.f_contiguous else "A"
    rank, still = (rank_of(a.shape, a.strides), len(still_axes(a.shape, a.strides))) if order == "A" else ((), 0)
    shared = order == "A" and shares_elements(a.shape, a.strides)
    return ArrayArg(dtype, a.ndim, order, rank, bool(a.flags.writeable), still=still, shared=shared)


__all__ = ["Lowered", "lower_function"]
