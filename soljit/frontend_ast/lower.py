"""From a Python function and the types of a call to a program: the entry of the front end.

`lower_function` lowers the function for the given argument types. If guards made symbols equal, it lowers once more with these
equalities as substitutions, so that `A.shape[0]`, `B.shape[0]` and `n` are one symbol in the result.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from types import MappingProxyType
from typing import Any

from soljit.base.errors import InternalError, UnsupportedError
from soljit.base.place import Loc
from soljit.base.python.dependency import Dependency, Path
from soljit.base.records import dataclass
from soljit.frontend_ast import handlers, whole_program
from soljit.frontend_ast.calls import lists_of_numbers
from soljit.frontend_ast.calls.callbacks.callback import call_back
from soljit.frontend_ast.calls.calls import call_value
from soljit.frontend_ast.calls.classes import instance_arguments
from soljit.frontend_ast.calls.classes.instance_arguments import before_call, write_back
from soljit.frontend_ast.calls.classes.special_methods import binary_special, call_special, truth_special, unary_special
from soljit.frontend_ast.calls.inlining import resolver
from soljit.frontend_ast.calls.object_calls import call_python_object
from soljit.frontend_ast.calls.object_methods import call_object_method
from soljit.frontend_ast.calls.recursion import recursion
from soljit.frontend_ast.entry_arguments import Arguments
from soljit.frontend_ast.expressions.conditionals import condition
from soljit.frontend_ast.expressions.expressions import evaluate
from soljit.frontend_ast.iteration.object_lists import list_of_steps
from soljit.frontend_ast.joins.unions import held_union, truth_of
from soljit.frontend_ast.lowering import dominance, scalar_conversions
from soljit.frontend_ast.lowering.above import Above
from soljit.frontend_ast.lowering.blocks import freeze
from soljit.frontend_ast.lowering.frames import Frame, first_parameter, place
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.lowering.state import Note
from soljit.frontend_ast.lowering.work import TOO_LARGE, TooMuch, Work
from soljit.frontend_ast.objects import characters
from soljit.frontend_ast.objects.functions import fetched, function_object
from soljit.frontend_ast.python_api.object_functions import call_function, call_of_the_library
from soljit.frontend_ast.statements import with_statements
from soljit.frontend_ast.statements.assignments import assign
from soljit.frontend_ast.statements.callback_exceptions import after_callback, guard_callback
from soljit.frontend_ast.statements.returns import emit_return
from soljit.frontend_ast.statements.statements import run
from soljit.frontend_ast.statements.try_statements import share
from soljit.frontend_ast.syntax import subset
from soljit.frontend_ast.syntax.boxes import with_boxes
from soljit.frontend_ast.syntax.liveness import live_after
from soljit.frontend_ast.syntax.scopes import local_names
from soljit.frontend_ast.syntax.source import function_ast, parameter_order, plain_function
from soljit.frontend_ast.values.learned import Learned, Restart, record
from soljit.frontend_ast.values.values import NONE, Value
from soljit.ir import symbolic
from soljit.ir.callbacks.repeatable import repeatable
from soljit.ir.core import nodes
from soljit.ir.core.data import Data, Ref
from soljit.ir.core.expr import Const, Expr, Sym
from soljit.ir.core.signature import ArgType
from soljit.ir.walk import substitute
from soljit.support.unforeseen import Foreseen

MAX_ROUNDS = 6
MAX_LEARNING = 300  # `Work` bounds what they cost


@dataclass
class Known:
    """What all rounds of lowering a function for one call have in common. renamed: symbols that guards made equal to other expressions"""

    learned: Learned = field(default_factory=Learned)
    renamed: dict[str, Expr] = field(default_factory=dict)


@dataclass
class Lowered:
    """The program, what it relied on outside its arguments, and remarks.

    captures: paths of global and closure arrays that the program takes as extra parameters after the arguments, in order
    identity: the program asks which of its arguments are one object
    twins:    further paths that must lead to the very array of a path among `captures`
    places:   where these arrays were met first
    asked_at: guards → the place that asked; names: of variables in the user's source
    spellings: parameters that are parts of arguments, and arrays → what the source calls them, "tank.h"
    grown:    where lists and dicts are made that are Python objects → what showed it
    guessed:  where calls may give something else than examples did
    """

    program: nodes.Program
    dependencies: tuple[Dependency, ...]
    notes: tuple[Note, ...] = ()
    captures: tuple[Path, ...] = field(default=())
    identity: bool = False
    twins: tuple[tuple[Path, Path], ...] = ()
    places: Mapping[Path, Loc] = field(default_factory=dict)
    asked_at: Mapping[Expr, Loc] = field(default_factory=dict)
    names: frozenset[str] = frozenset()
    grown: Mapping[Loc, Loc] = field(default_factory=dict)
    spellings: Mapping[str, str] = field(default_factory=dict)
    guessed: frozenset[Loc] = frozenset()
    moved: bool = False  # a function stands elsewhere in its file than its code says


def lower_function(
    function: Any,
    types: Sequence[ArgType],
    leaves: Sequence[Any],
    *,
    undecided: bool = False,
    fp: str = "strict",
    foreseen: Foreseen = MappingProxyType({}),
    shares: bool = True,
    known: Known | None = None,
) -> Lowered:
    """Lower `function` for arguments of these types.

    types:     one tree per parameter of the function, in order (defaults filled in, `*args` as a tuple, `**kwargs` as a dict)
    leaves:    the call's argument values, depth first: the sizes and scalars that `decide` looks at
    undecided: make no guards from values (when there are too many variants)
    foreseen:  what calls back into Python gave that they did not give to samples
    shares:    functions that are called often may become functions of the program
    known:     what was found out when the function was lowered for this call before; what is found out now is added
    Raises UnsupportedError.
    """
    fn = plain_function(function)
    src = function_ast(fn)
    if fn.__code__.co_flags & inspect.CO_GENERATOR:
        place = Loc(src.file, fn.__code__.co_firstlineno, function=fn.__qualname__)
        hint = "Python runs it; compile the functions that it calls, or the one that uses up its items"
        raise UnsupportedError(f"{fn.__qualname__} is a generator", place, hint)
    assert handlers.LOADED and with_statements.LOADED
    subset.check(src)
    known = Known() if known is None else known
    work = Work()
    work.shares = shares
    work.add_source(src.tree)
    parsed: dict[Any, Any] = {}
    for _ in range(MAX_ROUNDS):
        cx, result = _lower_and_learn(fn, src, types, leaves, known, (undecided, fp, parsed, foreseen, work))
        if not cx.equalities:
            break
        _rename(known.renamed, cx.equalities)
    if cx.possible and (open_sites := cx.possible.keys() - repeatable(result.program, taken_back=shares)):
        with contextlib.suppress(UnsupportedError):  # then it has to be what it was for examples
            both = {site: cx.possible[site] for site in open_sites}
            both = {**foreseen, **both}
            return lower_function(
                fn,
                types,
                leaves,
                undecided=undecided,
                fp=fp,
                foreseen=both,
                shares=shares,
                known=known,
            )
    return result


def _lower_and_learn(
    fn: Any, src: Any, types: Sequence[ArgType], leaves: Sequence[Any], known: Known, options: tuple[Any, ...]
) -> tuple[Lowering, Lowered]:
    """Lower, again as long as something is learned about Python objects that had to be known from the start."""
    undecided, fp, parsed, foreseen, work = options
    learned, renamed = known.learned, known.renamed
    for _ in range(MAX_LEARNING):
        name = src.tree.name if hasattr(src.tree, "name") else "function"
        cx = Lowering(name, {}, renamed, undecided, fp, parsed=parsed, foreseen=foreseen)
        cx.learned, cx.work, learned.changed = learned, work, False
        work.new_round(learned.compact)
        whole = True
        try:
            result = _lower_once(
                cx, fn, replace(src, tree=with_boxes(src.tree, src.file, learned.boxed)), types, leaves
            )
        except Restart:
            learned.changed, whole = True, False
        except TooMuch:
            if learned.compact:
                cx.loc = place(cx.entry, cx.entry.statement or src.tree) if cx.entry is not None else cx.loc
                raise cx.unsupported(*TOO_LARGE) from None
            learned.compact = learned.changed = True
        except (UnsupportedError, InternalError):  # of a round that did not know yet what it has learned
            if not (learned.changed or learned.unknown):
                instance_arguments.give_up(cx)
                raise
        record(learned, whole)
        if not learned.changed:
            return cx, result
        # what became a constant for the sake of an attempt need not be one
        _rename(renamed, {name: e for name, e in cx.equalities.items() if not isinstance(e, Const)})
    raise cx.unsupported("lists or dicts in this function hold values whose types do not settle")


def _rename(renamed: dict[str, Expr], equalities: Mapping[str, Expr]) -> None:
    """From the next round on the names that were found to be equal to others are those."""
    for name, e in renamed.items():
        renamed[name] = symbolic.simplify(substitute(e, equalities))
    renamed.update(equalities)


ABOVE = Above(
    evaluate=evaluate,
    condition=condition,
    run=run,
    share=share,
    assign=assign,
    call=call_value,
    call_back=call_back,
    call_function=call_function,
    call_of_the_library=call_of_the_library,
    call_python_object=call_python_object,
    call_object_method=call_object_method,
    call_special=call_special,
    binary_special=binary_special,
    unary_special=unary_special,
    truth_special=truth_special,
    truth_of=truth_of,
    held_union=held_union,
    fetched=fetched,
    function_object=function_object,
    list_of_steps=list_of_steps,
    guard_callback=guard_callback,
    after_callback=after_callback,
    write_back=write_back,
    before_call=before_call,
)


def _lower_once(cx: Lowering, fn: Any, src: Any, types: Sequence[ArgType], leaves: Sequence[Any]) -> Lowered:
    cx.above = ABOVE
    cx.raising = cx.learned.errors
    cx.concrete = concrete = dict[str, Any]()
    cx.paths[id(fn)] = ()
    cx.loc = Loc(src.file, getattr(src.tree, "lineno", 0), 0, function=fn.__qualname__)
    arguments = Arguments(cx, fn, list(leaves), concrete)
    cx.capture = arguments.capture
    ordered = parameter_order(fn)
    cx.taken |= {"sol", "f", "rt"}
    values: dict[str, Value] = {}
    for k, (n, t) in enumerate(zip(ordered, types)):
        arguments.place = (k,)
        values[n] = arguments.value(t, n)
    arguments.leaves = []  # nobody holds the arguments longer than the call
    if any(name not in cx.lists_of_numbers and name not in cx.texts for name in arguments.objects):
        cx.learned.held |= {p.name for p in cx.params if p.kind == "array"}  # any of them may be in the object, too
    for name, e in cx.renamed.items():
        cx.guards.append(symbolic.eq(Sym(name, cx.param_dtype(name)), e))
        cx.asked_at.setdefault(cx.guards[-1], cx.learned.equal_at.get(name, cx.loc))
    frame = Frame(
        fn.__qualname__, src.file, values, resolver(fn), live_after(src.tree), local_names(src.tree), tree=src.tree
    )
    frame.first = first_parameter(fn)
    cx.frames.append(frame)
    cx.names |= {*frame.locals, *ordered}
    cx.entry = frame
    instance_arguments.begin(cx, frame, arguments.instances, arguments.attributes)
    cx.active.append(recursion.key_of(cx, recursion.identity_of(fn), values, {}))
    lists_of_numbers.look(cx)
    characters.look(cx)
    if hasattr(src.tree, "name"):
        run(cx, frame, src.tree.body)
        if not cx.current.done:
            emit_return(cx, NONE)
    else:
        emit_return(cx, evaluate(cx, frame, src.tree.body))
    cx.declare_held()
    guards = []
    for guard, number in symbolic.without_implied(cx.guards):
        guards.append(guard)
        if (asked := cx.asked_at.get(cx.guards[number])) is not None:
            cx.asked_at.setdefault(guard, asked)
    body: nodes.Region = freeze(cx.blocks[0])  # type: ignore[assignment]
    called = recursion.reached(cx, body)
    program = nodes.Program(
        cx.name,
        tuple(cx.params),
        dict(cx.symbols),
        tuple(guards),
        {name: _declared(d, cx.data) for name, d in cx.data.items()},
        cx.returned.leaves,
        cx.returned.structure,
        body,
        {f.name: f.program for f in cx.functions.values() if f.program is not None and f.name in called},
        loc=Loc(src.file, getattr(src.tree, "lineno", 0), 0, function=fn.__qualname__),
    )
    whole_program.check(cx, program)
    return Lowered(
        scalar_conversions.explicit(dominance.kept(program)),
        tuple(cx.dependencies.values()),
        tuple(cx.notes),
        tuple(cx.captures),
        cx.identity_asked,
        tuple(cx.twins.items()),
        {path: loc for path, _, loc in cx.captured_objects.values()},
        dict(cx.asked_at),
        frozenset(cx.names),
        dict(cx.learned.grown),
        dict(cx.spellings),
        frozenset(cx.guessed),
        src.moved or any(isinstance(x, tuple) and getattr(x[0], "moved", False) for x in cx.parsed.values()),
    )


def _declared(d: Data, data: Mapping[str, Data]) -> Data:
    """Without the arrays that a Ref was to be bound to in an attempt that was given up."""
    if isinstance(d, Ref) and not all(name in data for name in d.alias):
        return replace(d, alias=tuple(name for name in d.alias if name in data))
    return d
