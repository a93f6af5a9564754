"""The state of lowering one program: containers, symbols, guards, facts, and the names that are taken."""

from __future__ import annotations

import keyword
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field
from types import FunctionType, MethodType, ModuleType, NoneType
from typing import Any

from soljit.base.errors import ArgPlace, UnsupportedError
from soljit.base.place import NOWHERE, Loc
from soljit.base.python import unnamed
from soljit.base.python.dependency import MISSING, Dependency, Path, attribute_of_plain, resolve
from soljit.base.python.names import home, whose
from soljit.base.records import dataclass
from soljit.base.sentences import Said, said
from soljit.frontend_ast.lowering.above import Above
from soljit.frontend_ast.lowering.blocks import Block
from soljit.frontend_ast.lowering.result_leaves import Returned
from soljit.frontend_ast.lowering.work import Work
from soljit.frontend_ast.values.learned import Learned
from soljit.frontend_ast.values.object_types import ObjectType
from soljit.frontend_ast.values.retries import Found
from soljit.frontend_ast.values.values import Arr, Object, Value
from soljit.ir.core import nodes
from soljit.ir.core.data import Data
from soljit.ir.core.expr import Expr, Extent, Range, Stride, Sym
from soljit.ir.core.types import DType
from soljit.ir.symbolic import Facts
from soljit.support.unforeseen import Foreseen, Site

TEMPORARY = "<temporary>"  # in place of a name: a value that the source does not name
_TEMPORARIES = ("t", "tmp", "temp", "value")
_PLAIN = (NoneType, bool, int, float, complex, str, bytes, tuple)


@dataclass
class Note:
    """A remark for `explain()` about a place in the user's source."""

    loc: Loc
    said: Said

    def __str__(self) -> str:
        return f"note of line {self.loc.line}: {self.said}"


@dataclass
class LoweringState:
    """What there is so far of the program that is being made, and what is known about it.

    concrete:  values of this call's sizes and scalar parameters, by symbol name
    renamed:   symbols that guards made equal to other expressions (from an earlier attempt)
    undecided: answer no questions by the call's values (bounds the number of variants)
    """

    name: str
    concrete: Mapping[str, Any]
    renamed: dict[str, Expr]
    undecided: bool = False
    fp: str = "strict"
    data: dict[str, Data] = field(default_factory=dict)
    params: list[nodes.Param] = field(default_factory=list)
    symbols: dict[str, Extent | Stride] = field(default_factory=dict)
    guards: list[Expr] = field(default_factory=list)
    defined: dict[str, Expr] = field(default_factory=dict)  # symbols made of sizes and scalar parameters alone
    equalities: dict[str, Expr] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    asked_at: dict[Expr, Loc] = field(default_factory=dict)  # guards → the place that asked first
    # parameters that are parts of arguments, and arrays that got another name → what the source calls them
    spellings: dict[str, str] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)  # of variables in functions of the user's
    dependencies: dict[Path, Dependency] = field(default_factory=dict)
    captures: dict[Path, Any] = field(
        default_factory=dict
    )  # global and closure arrays and containers: extra parameters
    captured_objects: dict[int, tuple[Path, Any, Loc]] = field(
        default_factory=dict
    )  # the arrays among them by id, with where they were met first
    twins: dict[Path, Path] = field(default_factory=dict)  # other ways to them: one object is one parameter
    # (owner, kind, name, array or container) → what stands for it: set by lower.py
    capture: Callable[[Any, str, str, Any], Value] = field(init=False)
    containers_outside: dict[str, tuple[Path, Any]] = field(
        default_factory=dict
    )  # lists and dicts among them, by parameter
    relied: set[str] = field(default_factory=set)  # those of which the contents are part of what is compiled
    kept: dict[str, Data] = field(default_factory=dict)
    kept_names: set[str] = field(default_factory=set)
    paths: dict[int, Path] = field(default_factory=dict)  # how functions, modules and classes are reached, by id
    owners: dict[int, tuple[object, str, str]] = field(default_factory=dict)  # the last step to such an object
    function_objects: dict[int, tuple[Value, Any]] = field(default_factory=dict)  # of nested functions, by id
    made_at: dict[int, tuple[Value, Loc]] = field(default_factory=dict)  # lazy iterators, by id
    loc: Loc = NOWHERE
    facts: Facts = field(default_factory=Facts)
    taken: set[str] = field(default_factory=set)
    numbers: dict[str, int] = field(default_factory=dict)  # behind the last name that was made like this one
    origins: dict[str, frozenset[str]] = field(default_factory=dict)  # Ref → parameters it may be bound to
    rebindable: set[str] = field(default_factory=set)  # Refs that a loop may bind again
    way: str = ""  # the calls and the iterations of unrolled loops that we are in: tells visits of one line apart
    copied: int = 1  # how often the statement at hand is lowered, because branches around it copied what followed them
    copies: int = 1  # of the statement that is being lowered, made by the unrolled loops around it
    view_numbers: dict[str, int] = field(
        default_factory=dict
    )  # place where a view got its name → number (`arrays/object_identity.py`)
    identities: dict[str, Any] = field(
        default_factory=dict
    )  # Ref → array_identity.Identity, if it may be a parameter itself
    argument_objects: dict[str, int | None] = field(default_factory=dict)  # array argument → `ArrayArg.same`
    identity_asked: bool = False  # which arguments are one object is part of what is compiled
    overlapping: set[str] = field(default_factory=set)  # arrays whose own elements may lie at one place
    short_loops: dict[str, Loc] = field(default_factory=dict)  # variable of a loop of few steps → where the loop stands

    returned: Returned = field(default_factory=Returned)
    above: Above = field(init=False)
    attempts: list[Any] = field(
        default_factory=list
    )  # the try statements (try_regions.Attempt) around what is being lowered
    containers: list[tuple[Value, ArgPlace]] = field(
        default_factory=list
    )  # lists and dicts in arguments, with the place
    instances: list[Any] = field(default_factory=list)  # arguments that are taken apart (values.Instance)
    initial: dict[str, Value] = field(default_factory=dict)  # their attributes at the call
    writing_back: bool = False
    learned: Learned = field(default_factory=Learned)  # by earlier rounds
    work: Work = field(default_factory=Work)  # in all rounds
    spans: dict[str, Range] = field(default_factory=dict)  # enclosing loops with constant steps, outermost first
    foreseen: Foreseen = field(default_factory=dict)  # what calls back gave that samples did not show
    possible: dict[Site, tuple[object, ...]] = field(default_factory=dict)  # what calls may give as values are
    guessed: set[Loc] = field(default_factory=set)  # where calls may give something else than examples did
    parsed: dict[Any, Any] = field(default_factory=dict)  # code object or AST → (source, liveness, local names)
    entry: Any = None  # the frame of the function that is compiled
    depth: int = 0  # nesting of inlined calls
    active: list[Any] = field(default_factory=list)  # the functions being lowered (`recursion.key_of`)
    entered: list[object] = field(default_factory=list)  # the same, whatever their arguments are, in all programs
    unrolled: dict[int, int] = field(default_factory=dict)  # recursive calls lowered in place so far
    circles: dict[int, int] = field(default_factory=dict)  # functions that call one another → calls lowered in place
    functions: dict[Any, Any] = field(default_factory=dict)  # of the program (`recursive_functions.Recursive`), by keys
    region: tuple[int, ...] = ()  # numbers of the branches and loops that we are in
    regions: int = 0  # so many there have been
    object_classes: set[type] = field(default_factory=set)  # of objects that are arguments, or outside
    lists_of_numbers: dict[str, ObjectType] = field(default_factory=dict)  # parameters
    texts: dict[str, tuple[Object, DType]] = field(default_factory=dict)  # parameters; the type of their codes
    codes: dict[object, Arr] = field(default_factory=dict)  # of some of them, and of constants (`characters.Key`)
    repeating: int = 0  # nesting of loops
    raising: bool = False  # floating-point errors may raise here: NumPy does all arithmetic of its values
    frames: list[Any] = field(default_factory=list)  # the functions being lowered, innermost last
    outside: dict[str, Expr] = field(
        default_factory=dict
    )  # of a function of the program: what its sizes are, made of those of the program's arguments
    # (instance, name) → an attribute of an argument of the program, in a function of the program that may ask for it
    attribute_outside: Callable[[Any, str], Value] | None = None
    found: Found = field(default_factory=Found)  # by attempts at the loop or function around

    def __post_init__(self) -> None:
        self.blocks: list[Block] = [Block()]
        self._saved: list[Facts] = []
        self._guarded: set[Expr] = set()
        self.lengths: dict[str, tuple[Expr, ...]] = {}  # of Refs whose every binding has this shape
        self.still: dict[str, frozenset[int]] = {}  # axes of Refs whose stride is 0 in every binding
        self.counts: dict[
            object, tuple[Block, nodes.Node, Sym]
        ] = {}  # of true elements: mask → where and what was counted
        self.held: dict[str, Expr] = {}  # what mutable scalars hold here: constants and symbols
        self._held_outside: list[dict[str, Expr]] = []  # where blocks around this place go on
        self.steady: set[str] = set()  # flags of names that are never deleted: what is bound stays bound
        self._measures: dict[Extent | Stride, tuple[Block, nodes.Node, Expr]] = {}
        self._measured: set[tuple[Extent | Stride, Expr]] = set()

    def fresh(self, base: str) -> str:
        """A name that nothing has yet, like `base`. What is no name stands for one that the source does not use either."""
        if not base.isidentifier():
            base = next((x for x in _TEMPORARIES if x not in self.names), "t")
        elif keyword.iskeyword(base):
            base += "_"
        name, k = base, self.numbers.get(base, 1)
        while name in self.taken:
            k += 1
            name = f"{base}_{k}"
        self.numbers[base] = k
        self.taken.add(name)
        return name

    def function_name(self, base: str) -> str:
        """A name for a function of the program."""
        names = {f.name for f in self.functions.values()} | {self.name}
        base = base if base.isidentifier() else "function"
        return next(n for n in (base, *(f"{base}_{k}" for k in range(2, len(names) + 3))) if n not in names)

    @contextmanager
    def finding(self, found: Found) -> Iterator[None]:
        """An attempt at a part of the program, of which this has been found so far."""
        saved, self.found = self.found, found
        found.met.clear()
        try:
            yield
        finally:
            self.found = saved

    def unsupported(self, message: str, hint: str = "") -> UnsupportedError:
        """The error to raise for what cannot be compiled at the present place."""
        return UnsupportedError(message, self.loc, hint)

    def note(self, sentence: str, **facts: object) -> None:
        """Remember a remark for `explain()`: the id of a sentence of `base/sentences.py`, and what fills it."""
        self.notes.append(Note(self.loc, said(sentence, **facts)))

    def depend(self, owner: object, kind: str, name: str, value: object) -> Path:
        """This variant is right only while `name` of `owner` (a global, cell or attr) is `value`."""
        path = self.path_to(owner, kind, name)
        self.dependencies.setdefault(path, Dependency(path, value))
        self.follow(owner, kind, name, value)
        return path

    def follow(self, owner: object, kind: str, name: str, value: object) -> None:
        """Remember where this value is found, and what is in it."""
        self._follow(value, self.path_to(owner, kind, name))
        if type(value) not in _PLAIN:
            self.owners.setdefault(id(value), (owner, kind, name))

    def path_to(self, owner: object, kind: str, name: str) -> Path:
        """The path to `name` of `owner`, by which every call finds what is there then."""
        path = self.paths.get(id(owner))
        if path is not None:
            return (*path, (kind, name))
        module = sys.modules.get(getattr(owner, "__module__", None) or "")
        if kind == "global" and module is not None and vars(module) is getattr(owner, "__globals__", None):
            return (("module", module.__name__), ("attr", name))
        raise self.unsupported(f"'{name}' of {owner!r}, to which no name leads", "give it a name of its own")

    def _follow(self, value: object, path: Path) -> None:
        """Remember that `path` leads to this object, and on to the function in it; of a function, its code may be exchanged."""
        if isinstance(value, tuple):
            for k, x in enumerate(tuple.__iter__(value)):
                self._follow(x, (*path, ("item", str(k))))
        if type(value) not in _PLAIN:
            self.paths.setdefault(id(value), path)
        plain = attribute_of_plain(value)
        parts: tuple[str, ...] = (plain,) if plain else ()
        if isinstance(value, MethodType):
            parts = ("__func__", "__self__")
        elif isinstance(value, (staticmethod, classmethod)):
            parts = ("__func__",)
        elif isinstance(value, property):
            parts = tuple(n for n in ("fget", "fset") if getattr(value, n) is not None)
        for name in parts:
            part = getattr(value, name)
            self._follow(part, (*path, ("attr", name)))
            self.owners.setdefault(id(part), (value, "attr", name))
        if isinstance(value, FunctionType) and whose(value.__module__) not in ("python", "numpy"):
            code = value.__code__
            defaults = ("__defaults__",) if code.co_argcount else ()
            keywords = ("__kwdefaults__",) if code.co_kwonlyargcount else ()
            for name in ("__code__", *defaults, *keywords):
                self._depend_on((*path, ("attr", name)), getattr(value, name))
            if value.__kwdefaults__:  # a dict, which may be changed in place
                for name in code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]:
                    here = (*path, ("attr", "__kwdefaults__"), ("key", name))
                    self._depend_on(here, value.__kwdefaults__.get(name, MISSING))

    def _depend_on(self, path: Path, value: object) -> None:
        self.dependencies.setdefault(path, Dependency(path, value))

    def can_follow(self, value: object) -> bool:
        """Tell whether a path leads to this object."""
        return id(value) in self.paths

    def follow_named(self, value: type | ModuleType) -> None:
        """Let its name lead to a class, as that of an argument or of an object that the function makes, or to a module. A class that has
        none gets one, in this process.
        """
        if id(value) in self.paths:
            return
        if isinstance(value, ModuleType):
            path: Path = (("module", value.__name__),)
        else:
            path = (("class", f"{home(value.__module__)}:{value.__qualname__}"),)
            if resolve(None, path) is not value:
                module, _, name = unnamed.name_of(value).rpartition(".")
                path = (("class", f"{module}:{name}"),)
        if resolve(None, path) is value:
            self.paths[id(value)] = path
