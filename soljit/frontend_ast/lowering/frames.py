"""One function while it is lowered: its names, the loops around the present statement, and where it returns."""

from __future__ import annotations

import ast
import copy
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from typing import Any

from soljit.base.place import Loc
from soljit.base.records import dataclass
from soljit.frontend_ast.lowering.blocks import Block
from soljit.frontend_ast.values.retries import Found
from soljit.frontend_ast.values.values import Value
from soljit.frontend_ast.values.variables import Kind
from soljit.ir.core import nodes


class RetypeResult(Exception):
    """A return inside a loop of an inlined function needs a variable of this type; caught where the function is inlined."""

    def __init__(self, frame: Frame, kind: Kind) -> None:
        self.frame, self.kind = frame, kind


@dataclass(eq=False)
class LoopScope:
    """An enclosing loop: its variables (name → Kind) and the block that an `else` or a flag needs."""

    kinds: dict[str, Kind]
    found: Found  # what this attempt finds out
    again: bool = False  # and the loop must be lowered again: its variables need other types
    broke: str | None = None  # flag scalar that `break` sets, if the loop has an else clause
    flags: dict[str, str] = field(default_factory=dict)  # scalars that tell whether names are bound
    names: frozenset[str] = frozenset()  # names that carry values out of an iteration
    outside: frozenset[str] = frozenset()  # symbols and containers that are there before the loop
    returns: bool = False  # an inlined function returns from inside this loop
    attempt: Any = None  # the body of a try, lowered as a loop that runs once (try_regions.Attempt),
    ends: list[dict[str, int | None]] = field(default_factory=list)  # at the ends of iterations: types known of names
    consumer: Any = None  # a loop over a generator (generator_loops.Consumer), whose body is lowered at its yields
    jumps: list[nodes.Break | nodes.Continue] = field(default_factory=list)  # and what leaves it for a loop around it
    place: Loc | None = None
    equal: tuple[tuple[tuple[str, int], ...], ...] = ()  # lengths that stay equal from one iteration to the next


class Step(ast.stmt):
    """A statement of no source: what the lowering of another statement does at its place, and the targets that it binds."""

    _fields = ("targets",)

    def __init__(self, action: Callable[[], None], *targets: ast.expr) -> None:
        super().__init__()
        self.action, self.targets = action, list(targets)


class Given(ast.expr):
    """An expression of which the value is there already."""

    def __init__(self, value: Value) -> None:
        super().__init__()
        self.value = value


@dataclass(eq=False)
class ReturnSite:
    """A `return` of an inlined function: where control left, and with what."""

    block: Block
    value: Value
    attributes: dict[str, Value]  # of instances that are arguments, then


@dataclass(eq=False)
class Frame:
    """One activation of a function. `returns` is None for the entry function, else where an inlined one collects its results."""

    name: str
    file: str
    env: dict[str, Value]
    resolve: Any  # (Lowering, name) -> Value: globals, builtins, closure
    live: dict[ast.AST, set[str]]
    locals: set[str]
    returns: list[ReturnSite] | None = None
    loops: list[LoopScope] = field(default_factory=list)
    parent: Frame | None = None
    tree: ast.FunctionDef | ast.Lambda | None = None  # of the function; None: a comprehension's
    comprehension: ast.AST | None = None  # which one then
    result_kind: Kind | None = None  # type of what is returned from inside loops of an inlined function,
    result: Value | None = None  # its variable,
    returned: str = ""  # and the flag that such a return sets
    goes_on: list[ast.stmt] = field(
        default_factory=list
    )  # how the statement just lowered goes on, in front of what follows it
    left_by_return: bool = False  # the loop just lowered may have been left by a return,
    endless: bool = False  # and, but for exceptions, in no other way
    first: str = ""  # the first parameter, which `super()` speaks of
    statement: ast.stmt | None = None  # what is being lowered
    copies: int = 0  # how often the rest of a block was duplicated
    after: tuple[
        ast.stmt, ...
    ] = ()  # what runs when the block at hand has come to its end, to the end of the function or loop
    leaving: list[tuple[Any, int]] = field(
        default_factory=list
    )  # try statements left by jumps, whose finally runs; loops there
    outside: set[str] = field(default_factory=set)  # names that `nonlocal` declares
    globals: set[str] = field(default_factory=set)  # names that `global` declares
    consumer: Any = None  # of a generator: the loop that takes what it yields
    shared: set[str] = field(default_factory=set)  # names that nested functions assign: variables all the time
    caller: Loc | None = None  # where an inlined function is called
    attributes: dict[str, Value] | None = (
        None  # of instances that are arguments, when it begins (`calls/classes/instance_arguments.py`)
    )
    region: tuple[int, ...] = ()  # of branches and loops, in which the present statement stands
    in_place: bool = False  # a comprehension that Python does not make a function of (since 3.12)

    def first_line(self) -> int:
        """The line of the function's `def`; 0 where there is none."""
        if self.tree is not None:
            return self.tree.lineno
        return self.parent.first_line() if self.parent is not None else 0

    def known_attributes(self) -> dict[str, Value]:
        """The attributes of instances that are arguments, where they are known; their names have a dot."""
        return {} if self.attributes is None else {n: v for n, v in self.env.items() if "." in n}

    def left(self, block: Block, value: Value) -> None:
        """An inlined function is left here, with this value."""
        assert self.returns is not None
        self.returns.append(ReturnSite(block, value, self.known_attributes()))

    def with_arguments(self, env: dict[str, Value]) -> Frame:
        """Another activation of the function, before it begins."""
        own: dict[str, Any] = {
            n: copy.copy(v) for n, v in vars(self).items() if isinstance(v, (list, set)) and n != "locals"
        }
        return replace(self, **own, env=env)

    def live_behind(self, statements: Sequence[ast.stmt]) -> set[str]:
        """Names that may be read behind these statements; all of them, where the last one stands in no source."""
        return self.live.get(statements[-1], self.locals)

    @contextmanager
    def followed_by(self, rest: Sequence[ast.stmt]) -> Iterator[None]:
        """Lower a block that stands inside another one, of which `rest` follows."""
        saved = self.after
        self.after = (*rest, *saved)
        try:
            yield
        finally:
            self.after = saved


def place(fr: Frame, node: ast.AST) -> Loc:
    """The place of a node in the user's file."""
    line, col = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
    return Loc(
        fr.file,
        line,
        col,
        getattr(node, "end_lineno", line) or line,
        getattr(node, "end_col_offset", col) or col,
        fr.name,
        fr.first_line(),
        fr.caller,
    )


def first_parameter(fn: types.FunctionType) -> str:
    """The parameter that `super()` speaks of; "" if there is none."""
    return fn.__code__.co_varnames[0] if fn.__code__.co_argcount else ""
