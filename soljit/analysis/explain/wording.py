"""Names and expressions of a program in the words of the function's author.

Sizes are spelled as lengths of arguments, `A_n0` as `A.shape[0]`; names that the author gave lose the number that made them unlike others, `acc_3` is `acc`; what has no name in
the source is told by what it is: "an intermediate array", "axis 0", "the length found at line 7".
"""

from __future__ import annotations

import linecache
import re
from collections.abc import Collection, Mapping
from functools import reduce

from soljit.base.place import Loc, is_ours
from soljit.ir.core.data import Array, Ref, Scalar, View
from soljit.ir.core.expr import Const, Expr, Extent, Load, Op, Range, Stride, Sym, is_const, subexpressions
from soljit.ir.core.nodes import Alloc, Let, Loop, Map, Program
from soljit.ir.symbolic import linear
from soljit.ir.text.spelling import spell
from soljit.ir.walk.tree import walk

_NUMBER = re.compile(r"_\d+$")
_AXIS = re.compile(r"[a-z](\d+)$")
_LONGEST = 120  # characters of an expression that stands in place of a name
_CASTS = (
    (re.compile(r"\b[iuf](?:8|16|32|64)\("), "("),
    (re.compile(r"\(\(([^()]*)\)\)"), r"(\1)"),
    (re.compile(r"(?<!\w)\(([\w.]+)\)"), r"\1"),
)
_BITS = (
    (re.compile(r"-2147483648 <= (.+?) and \1 <= 2147483647"), r"-2**31 <= \1 < 2**31"),
    (re.compile(r"-9223372036854775808 <= (.+?) and \1 <= 9223372036854775807"), r"-2**63 <= \1 < 2**63"),
    (re.compile(r"<= 2147483647\b"), "< 2**31"),
)


def of_the_user(loc: Loc) -> Loc:
    """The place in the user's source: of functions that soljit brings along, that of the call."""
    return next((x for x in loc.chain() if x.line and not is_ours(x.file)), loc)


def is_loop_statement(loc: Loc) -> bool:
    """Does a `for` or `while` begin here?"""
    loc = of_the_user(loc)
    return linecache.getline(loc.file, loc.line)[loc.col :].startswith(("for ", "while "))


def in_source(name: str, own: Collection[str]) -> str:
    """Which of the author's names this is, with numbers behind it that make it unlike others: "u_2_2" is "u"; "" for none of them."""
    while name not in own:
        shorter = plain(name)
        if shorter == name:
            return ""
        name = shorter
    return name


def plain(name: str) -> str:
    """The name without the number that was put behind it."""
    return _NUMBER.sub("", name)


class Words:
    """Writes what a program names.

    own: the names of variables in the source; source: the program as it was lowered; spellings: what the source calls otherwise
    """

    def __init__(
        self, program: Program, own: Collection[str], source: Program, spellings: Mapping[str, str] | None = None
    ) -> None:
        self.program, self.own, self.spellings = program, own, spellings or {}
        self.data = {**program.data, **source.data}
        self.made = {
            n.data: of_the_user(n.loc).line for p in (program, source) for n in walk(p.body) if isinstance(n, Alloc)
        }
        self._params = {p.name for p in program.params}
        self._lets: dict[str, Let] = {}
        self._loops: set[str] = {n.var for n in walk(source.body) if isinstance(n, Loop)}
        self._written = {n.var for n in walk(source.body) if isinstance(n, Loop) and is_loop_statement(n.loc)}
        for n in walk(program.body):
            if isinstance(n, Let):
                self._lets.setdefault(n.name, n)
            elif isinstance(n, Loop):
                self._loops.add(n.var)
            elif isinstance(n, Map):
                self._loops |= {*n.vars}
        self._known: dict[str, str] = {}

    def __call__(self, x: object) -> str:
        """A name of the program, or an expression."""
        return self.name(x) if isinstance(x, str) else self.expr(x) if isinstance(x, Expr) else str(x)

    def is_own(self, name: str) -> bool:
        """Did the author give it this name?"""
        if name in self.spellings:
            return True
        if name in self._loops and name not in self._written:
            return False  # a loop of the compiler's, whose variable may be called like one of the source
        return name in self._params or bool(in_source(name, self.own))

    def is_given(self, name: str) -> bool:
        """Is it an argument?"""
        return name in self._params

    def name(self, name: str) -> str:
        """A container, symbol or loop variable."""
        if (size := self.program.symbols.get(name)) is not None:
            return spell(size).replace(size.data, self.name(size.data), 1)
        if name in self.spellings:
            return self.spellings[name]
        if self.is_own(name):
            return name if name in self._params else in_source(name, self.own)
        match self.data.get(name):
            case Array() | View() | Ref():
                return f"the array made at line {self.made[name]}" if self.made.get(name) else "an intermediate array"
            case Scalar():
                return "an intermediate result"
        if name in self._lets:
            return self._let(name)
        axis = _AXIS.match(plain(name))
        return f"axis {axis[1]}" if axis else "an inner loop" if name in self._loops else "an intermediate result"

    def renamed(self) -> dict[str, str]:
        """What of the program the source calls otherwise."""
        loops = (v for n in walk(self.program.body) if isinstance(n, Map) for v in n.vars)
        names = [*self.program.data, *self.program.symbols, *self._lets, *self._loops, *loops]
        known = {n: self.name(n) for n in names if n in self.program.symbols or self.is_own(n)}
        return {n: said for n, said in known.items() if n != said}

    def expr(self, e: Expr) -> str:
        """An expression."""
        text = re.sub(r"[A-Za-z_]\w*(?!\w*\()", lambda m: self._atom(m[0]), spell(e))
        for pattern, better in (*_CASTS, *_BITS):
            text = pattern.sub(better, text)
        return text

    def _atom(self, name: str) -> str:
        if name in self.program.symbols or self.is_own(name):
            return self.name(name)
        return self._let(name) if name in self._lets else name

    def _let(self, name: str) -> str:
        """What a symbol stands for: its expression, if that is short and made of what the author knows; else where it was found."""
        if name not in self._known:
            let = self._lets[name]
            self._known[name] = found = f"(the length found at line {of_the_user(let.loc).line})"
            if isinstance(let.value, Op) and let.value.name == "threads":
                found = "threads"
            elif self.knows(let.value) and len(text := self.expr(let.value)) <= _LONGEST:
                found = text if re.fullmatch(r"[\w.]+(\[\d+\])?", text) else f"({text})"
            self._known[name] = found
        return self._known[name]

    def knows(self, e: Expr) -> bool:
        """Does the author know all names in it?"""
        for x in subexpressions(e):
            match x:
                case Sym(name=name) if name in self._lets and not self.is_own(name):
                    if "found at line" in self._let(name):
                        return False
                case Sym(name=name) if name not in self.program.symbols and not self.is_own(name):
                    return False
                case Load() | Extent() | Stride():
                    name = x.memlet.data if isinstance(x, Load) else x.data
                    if not self.is_own(name):
                        return False
        return True

    def shape(self, shape: Collection[Expr]) -> str:
        """The lengths of an array; those that only the run tells are "…"."""
        return ", ".join(self.expr(e) if self.knows(e) else "…" for e in shape)

    def span(self, r: Range) -> str:
        """How long a range is, or from where to where it goes."""
        return (
            self.expr(r.stop)
            if is_const(r.start, 0) and is_const(r.step, 1)
            else f"{self.expr(r.start)} to {self.expr(r.stop)}"
        )

    def condition(self, c: Expr) -> str:
        """A condition; of `least <= work` the work of one step is divided out, and the size stands in front."""
        match c:
            case Op("le", (Const(value=least), total)):
                factor, rest = _factored(total)
                return f"{self.expr(rest)} >= {-(-int(least.real) // factor)}"
        return self.expr(c)


def _factored(e: Expr) -> tuple[int, Expr]:
    """A constant factor, and the rest."""
    if isinstance(e, Op) and e.name == "mul":
        parts = list(_factors(e))
        numbers = [int(x.value.real) for x in parts if isinstance(x, Const)]
        rest = [linear(x).expr for x in parts if not isinstance(x, Const)]
        factor = reduce(lambda a, b: a * b, numbers, 1)
        if rest and factor > 0:
            return factor, reduce(lambda a, b: Op("mul", (a, b), e.dtype), rest)
    sum_ = linear(e)
    if not sum_.const and len(sum_.terms) == 1:
        ((atom, steps),) = sum_.terms
        if steps > 0:
            return steps, atom
    return 1, e


def _factors(e: Expr) -> list[Expr]:
    return [x for a in e.args for x in _factors(a)] if isinstance(e, Op) and e.name == "mul" else [e]
