"""Python functions compiled along with their callers: the body is lowered where the function is called, with its own names.

`return` in it records where control left and with what value; the values of all returns are merged at the end.
"""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from soljit.base.errors import UnsupportedError
from soljit.base.messages import escape, unbound_free
from soljit.base.place import is_ours
from soljit.base.python.classes import is_looked_up, is_written_by_dataclass
from soljit.base.python.dependency import MISSING, builtins_of
from soljit.base.sentences import Plain
from soljit.frontend_ast.calls.classes import instance_arguments
from soljit.frontend_ast.calls.classes.dataclass_init import initialized
from soljit.frontend_ast.calls.object_calls import call_python_object
from soljit.frontend_ast.calls.recursion import called_often, recursion
from soljit.frontend_ast.joins.binding import pin
from soljit.frontend_ast.joins.new_variables import make_var
from soljit.frontend_ast.joins.phi import merge_values
from soljit.frontend_ast.joins.type_lattice import CannotMerge, kind_outside
from soljit.frontend_ast.lowering.blocks import Block
from soljit.frontend_ast.lowering.frames import Frame, RetypeResult, first_parameter
from soljit.frontend_ast.lowering.lowering import Lowering
from soljit.frontend_ast.objects.captured_assignments import read_global
from soljit.frontend_ast.objects.captured_attributes import outside_items, outside_value
from soljit.frontend_ast.objects.flat_iterators import refuse_stepped_twice
from soljit.frontend_ast.objects.functions import fetched, function_object
from soljit.frontend_ast.objects.objects import dict_of
from soljit.frontend_ast.syntax import boxes, source
from soljit.frontend_ast.syntax.liveness import live_after
from soljit.frontend_ast.syntax.scopes import cleans_up, local_names, yields
from soljit.frontend_ast.values.constants import constant
from soljit.frontend_ast.values.learned import Restart
from soljit.frontend_ast.values.retries import numbers_of
from soljit.frontend_ast.values.values import NONE, Func, Generator, Object, Tup, Value
from soljit.ir.core.expr import FALSE
from soljit.ir.core.types import b1

MAX_DEPTH = 60


def inline_function(cx: Lowering, fn: types.FunctionType, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """Lower a Python function's body here."""
    if is_written_by_dataclass(fn) and (done := initialized(cx, fn, args, kwargs)) is not None:
        return done
    if fn.__code__ not in cx.parsed:
        src = source.function_ast(fn)
        src = replace(src, tree=boxes.with_boxes(src.tree, src.file, cx.learned.boxed))
        cx.parsed[fn.__code__] = (src, live_after(src.tree), local_names(src.tree))
        cx.work.add_source(src.tree)
    src, live, names = cx.parsed[fn.__code__]
    defaults = _defaults(cx, fn)
    kw_defaults = {k: _constant_default(cx, v) for k, v in (fn.__kwdefaults__ or {}).items()}
    env = bind_arguments(cx, src.tree.args, fn.__qualname__, args, kwargs, defaults, kw_defaults)
    frame = Frame(fn.__qualname__, src.file, env, resolver(fn), live, names, returns=[], tree=src.tree, caller=cx.loc)
    frame.first = first_parameter(fn)
    if fn.__code__.co_flags & inspect.CO_GENERATOR:
        by_python = cx.loc in cx.learned.dynamic or not (cleans_up(src.tree) or cx.work.compiles_in_place(src.tree))
        if by_python and (made := fetched(cx, fn)) is not None:
            return call_python_object(cx, made, args, kwargs)
        return Generator(frame, src.tree)
    identity = recursion.identity_of(fn)
    return _entered(cx, frame, src.tree, identity, lambda: fetched(cx, fn), args, kwargs)


def _defaults(cx: Lowering, fn: types.FunctionType) -> list[Value]:
    """Default values, which are made once, with the function: what can be changed in place is one object for all calls."""
    values = fn.__defaults__ or ()
    if not values or not cx.can_follow(fn):
        return [_constant_default(cx, v) for v in values]
    return outside_items(cx, values, (*cx.paths[id(fn)], ("attr", "__defaults__"))).items


def _constant_default(cx: Lowering, value: Any) -> Value:
    if isinstance(value, np.ndarray):
        raise cx.unsupported("an array as default value", "pass it as an argument")
    return constant(value)


def inline_closure(cx: Lowering, f: Func, args: list[Value], kwargs: dict[str, Value]) -> Value:
    name = getattr(f.tree, "name", "<lambda>")
    qualified = f"{f.frame.name}.<locals>.{name}"
    env = bind_arguments(cx, f.tree.args, qualified, args, kwargs, list(f.defaults), f.kw_defaults)
    if f.tree not in cx.parsed:
        cx.parsed[f.tree] = (None, live_after(f.tree), local_names(f.tree))
    _, live, names = cx.parsed[f.tree]
    frame = Frame(qualified, f.frame.file, env, f.frame.resolve, live, names, returns=[], parent=f.frame, tree=f.tree)
    frame.caller = cx.loc
    if yields(f.tree):
        if cx.loc in cx.learned.dynamic or not (cleans_up(f.tree) or cx.work.compiles_in_place(f.tree)):
            return call_python_object(cx, function_object(cx, f), args, kwargs)
        return Generator(frame, f.tree)
    return _entered(cx, frame, f.tree, f.tree, lambda: function_object(cx, f), args, kwargs)


def _entered(
    cx: Lowering,
    frame: Frame,
    tree: ast.FunctionDef | ast.Lambda,
    identity: object,
    as_object: Callable[[], Object | None],
    args: list[Value],
    kwargs: dict[str, Value],
) -> Value:
    """Call a function that is compiled along; one that calls itself, and cannot be a function of the program, is called by Python."""
    place = boxes.key_of(frame.file, tree)
    if place in cx.learned.by_python:
        made = as_object()
        if made is not None:
            cx.note("called by Python", function=Plain(frame.name))
            return call_python_object(cx, made, args, kwargs)
    often = called_often.key_of(cx, frame, tree, identity)
    if often is not None and (done := called_often.called(cx, frame, tree, identity, often, run_inline)) is not None:
        return done
    before, here = cx.work.cost, cx.loc
    try:
        value = recursion.enter(cx, frame, tree, identity, run_inline)
        called_often.note(cx, often, here, cx.work.cost - before)
        return value
    except UnsupportedError:
        outermost = not any(f is identity for f in cx.entered)
        if not outermost or place not in cx.learned.recursive or place in cx.learned.by_python:
            raise
    cx.learned.by_python.add(place)
    raise Restart


def run_inline(cx: Lowering, frame: Frame, tree: ast.FunctionDef | ast.Lambda) -> Value:
    """Lower a function's body here; its arguments are bound in `frame`."""
    cx.depth += 1
    if cx.depth > MAX_DEPTH:
        raise cx.unsupported(
            f"'{frame.name}' calls itself to a depth that is not known at compile time", "write the recursion as a loop"
        )
    saved = cx.loc
    instance_arguments.enter(cx, frame)
    cx.frames.append(frame)
    if not is_ours(frame.file):
        cx.names |= {*frame.locals, *frame.env}
    try:
        with cx.on_way(f"{saved.line}:{saved.col}"):
            value, changed = _run_body(cx, frame, tree)
    finally:
        cx.frames.pop()
        cx.depth -= 1
        cx.loc = saved
    instance_arguments.give_back(cx, changed)
    return value


def _run_body(cx: Lowering, frame: Frame, tree: ast.FunctionDef | ast.Lambda) -> tuple[Value, dict[str, Value]]:
    """Its value, and the attributes of instances that it has changed."""
    if isinstance(tree, ast.Lambda):
        value = cx.above.evaluate(cx, frame, tree.body)
        return value, {n: v for n, v in frame.known_attributes().items() if v is not (frame.attributes or {}).get(n)}
    arguments = dict(frame.env)
    for name, v in arguments.items():
        refuse_stepped_twice(cx, frame, name, v)
    found = cx.found.at(cx.loc, cx.way, numbers_of(arguments))
    mark = cx.snapshot()
    while True:
        for kind in found.kinds.values():  # of what is returned from inside loops
            frame.result_kind = kind_outside(kind, cx.taken.__contains__)
            frame.result = make_var(cx, frame.result_kind, "returned_value")
            frame.returned = cx.scalar(b1, "returned")
            cx.write(frame.returned, FALSE)
        try:
            with cx.block() as body, cx.finding(found):
                cx.above.run(cx, frame, tree.body)
                if not cx.current.done:
                    frame.left(cx.current, NONE)
                facts = cx.facts
            return _join_returns(cx, frame, body, facts)
        except RetypeResult as r:
            if r.frame is not frame:
                raise
            cx.restore(mark)
            frame.env, frame.loops, frame.returns, frame.after = dict(arguments), [], [], ()
            found.kinds["return"] = r.kind


def _join_returns(cx: Lowering, frame: Frame, body: Block, facts: Any) -> tuple[Value, dict[str, Value]]:
    """Splice the inlined body and give the merged value of its returns, and changed attributes of instances."""
    sites = frame.returns
    assert sites is not None
    if not sites:  # it always raises
        for n in body.items:
            cx.emit(n)
        cx.current.finish()
        return NONE, {}
    try:
        with cx.aside() as holder:
            apart = len(sites) == 1 and sites[0].block is not body
            hint = f"{frame.name.rpartition('.')[2]}_result"
            value = merge_values(cx, [(s.block, s.value) for s in sites], hint, apart=apart)
            changed = instance_arguments.changed_by(cx, frame, apart)
    except CannotMerge as e:
        raise cx.unsupported(f"'{frame.name}' returns values of different types: {e.text}") from None
    cx.append(body)
    cx.append(holder)
    if len(sites) == 1 and sites[0].block is body:
        cx.facts = facts
    return value, changed


def bind_arguments(
    cx: Lowering,
    spec: ast.arguments,
    name: str,
    args: list[Value],
    kwargs: dict[str, Value],
    defaults: list[Value],
    kw_defaults: dict[str, Value],
) -> dict[str, Value]:
    """Parameters bound as Python does; wrong calls raise TypeError at run time."""
    given, kwargs = len(args), dict(kwargs)
    text = wrong_call(spec, name, given, list(kwargs), len(defaults), set(kw_defaults))
    if text:
        cx.raise_("TypeError", text)
    positional = [*spec.posonlyargs, *spec.args]
    env: dict[str, Value] = {}
    for p, v in zip(positional, args):
        env[p.arg] = pin(cx, v, p.arg)
    if spec.vararg is not None:
        env[spec.vararg.arg] = Tup([pin(cx, v) for v in args[len(positional) :]])
    for k, p in enumerate(positional):
        if p.arg in env:
            continue
        d = k - (len(positional) - len(defaults))
        if p.arg in kwargs and p not in spec.posonlyargs:
            env[p.arg] = pin(cx, kwargs.pop(p.arg), p.arg)
        else:
            env[p.arg] = defaults[d] if d >= 0 else NONE
    for p in spec.kwonlyargs:
        if p.arg in kwargs:
            env[p.arg] = pin(cx, kwargs.pop(p.arg), p.arg)
        else:
            env[p.arg] = kw_defaults.get(p.arg, NONE)
    if spec.kwarg is not None:
        site = replace(cx.loc, end_col=-1)  # where no display stands
        env[spec.kwarg.arg] = dict_of(cx, {k: pin(cx, v) for k, v in kwargs.items()}, site)
    return env


def wrong_call(
    spec: ast.arguments, name: str, given: int, keywords: list[str], defaults: int, kw_defaults: set[str]
) -> str:
    """What Python says of a call with so many positional arguments and these keywords; "": it fits. A function of that signature is asked."""
    none = ast.Constant(None)
    like = ast.arguments(
        [ast.arg(a.arg) for a in spec.posonlyargs],
        [ast.arg(a.arg) for a in spec.args],
        None if spec.vararg is None else ast.arg(spec.vararg.arg),
        [ast.arg(a.arg) for a in spec.kwonlyargs],
        [none if a.arg in kw_defaults else None for a in spec.kwonlyargs],
        None if spec.kwarg is None else ast.arg(spec.kwarg.arg),
        [none] * defaults,
    )
    tree = ast.fix_missing_locations(ast.Expression(ast.Lambda(like, none)))
    asked: Any = eval(compile(tree, "<call>", "eval"))  # noqa: S307 (a lambda that returns None)
    asked.__qualname__ = name
    try:
        asked(*[None] * given, **dict.fromkeys(keywords))
    except TypeError as e:
        return escape(str(e))
    return ""


def resolver(fn: types.FunctionType) -> Any:
    """Reads a global, closure cell or builtin of `fn`, and records that the variant depends on it.

    What soljit's own texts mention changes with soljit only.
    """
    own = (fn.__module__ or "").startswith("soljit.")
    cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or ()))

    def resolve(cx: Lowering, name: str) -> Value:
        if name in cells:
            try:
                value = cells[name].cell_contents
            except ValueError:
                cx.raise_("NameError", unbound_free(name))
                return NONE
            kind = "cell"
        elif not own and (now := read_global(cx, fn, name)) is not None:
            return now
        elif name in fn.__globals__:
            value, kind = fn.__globals__[name], "global"
        elif name in (space := builtins_of(fn)):
            value, kind = space[name], "global"
            if is_looked_up(value):
                raise cx.unsupported(f"'{name}', which the program has put among the builtins", "give it to the module")
        else:
            cx.depend(fn, "global", name, MISSING)
            cx.raise_("NameError", f"name '{name}' is not defined")
            return NONE
        return constant(value) if own else outside_value(cx, fn, kind, name, value)

    resolve.function = None if own else fn  # type: ignore[attr-defined]
    return resolve
