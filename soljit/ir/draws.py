"""Draws of random numbers: which calls back into Python draw one number of a known distribution, so that compiled code can draw it.

`draw(program, callback)` is the question. A draw stays a `Callback`, with all that passes know of those: it has an effect, and happens in order.
Compiled code draws from the generator's own state if the generator is exactly one of NumPy's or Python's and the parameters are fine, and makes the call in
all other cases, which then raises what NumPy raises.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from soljit.ir.expr import Const, Expr, Memlet, const
from soljit.ir.names import is_object
from soljit.ir.nodes import Callback, Program
from soljit.ir.pending import unguarded
from soljit.ir.types import DType, f64, i64


class Row(NamedTuple):
    """How a distribution is drawn.

    function:   of `draws.h`; it takes the routine, the stream, the result and the parameters
    routine:    NumPy's functions that it calls; "@RandomState" behind it: as RandomState uses it
    parameters: "name", "name:default", "#name" for an integer, "!name" for a number of Python's, "name=" for what must be None or left out
    result:     as `Callback.result` declares it

    Where Python's own functions are given numbers of NumPy's, what they compute is NumPy's to compute.
    """

    function: str
    routine: str = ""
    parameters: str = ""
    result: object = "float"

    @property
    def integers(self) -> list[bool]:
        """Of each parameter that is drawn with: is it an integer?"""
        return [p.integer for p in map(_Parameter.read, self.parameters.split()) if not p.fixed]


@dataclass(frozen=True, slots=True)
class Draw:
    """One draw.

    generator: the operand that is the generator, or the name of the function whose owner it is
    arguments: parameters, in the row's order
    """

    row: Row
    generator: Memlet | Expr | str
    arguments: tuple[Expr, ...]

    @property
    def dtype(self) -> DType:
        """The type of the number."""
        return f64 if self.row.result == "float" else i64


_I64 = {"numpy": "i64"}


def _real(routine: str, parameters: str, *checks: str, result: object = "float") -> Row:
    """A function of NumPy that takes the parameters as they are."""
    return Row(f"sol_drawn<{', '.join(f'sol_{c}' for c in checks)}>", routine, parameters, result)


def _common(suffix: str) -> dict[str, Row]:
    """What both kinds of generators draw by the same functions of NumPy's."""
    scaled = "loc:0.0 scale:1.0 size="
    return {
        **{n: _real(f"random_{n}{suffix}", scaled, "any", "nonnegative") for n in ("laplace", "logistic", "gumbel")},
        "triangular": Row("sol_drawn_triangular", f"random_triangular{suffix}", "left mode right size="),
        "poisson": _real(f"random_poisson{suffix}", "lam:1.0 size=", "rate", result="int"),
        "binomial": Row("sol_drawn_binomial", f"random_binomial{suffix}", "#n p size=", "int"),
    }


_GENERATOR = {
    **_common(""),
    "random": Row("sol_drawn_unit", "", "size= dtype= out="),
    "uniform": Row("sol_drawn_uniform", "random_uniform", "low:0.0 high:1.0 size="),
    "integers": Row("sol_drawn_integers", "random_bounded_uint64_fill", "#low #high size= dtype= endpoint=", _I64),
    "standard_normal": Row("sol_drawn_normal", "random_standard_normal", "size= dtype= out="),
    "normal": Row("sol_drawn_normal", "random_standard_normal random_normal", "loc:0.0 scale:1.0 size="),
    "standard_exponential": Row("sol_drawn_exponential", "random_standard_exponential", "size= dtype= method= out="),
    "exponential": Row("sol_drawn_exponential", "random_standard_exponential", "scale:1.0 size="),
    "standard_gamma": _real("random_standard_gamma", "shape size= dtype= out=", "nonnegative"),
    "gamma": _real("random_gamma", "shape scale:1.0 size=", "nonnegative", "nonnegative"),
    "beta": _real("random_beta", "a b size=", "positive", "positive"),
    "chisquare": _real("random_chisquare", "df size=", "positive"),
    "f": _real("random_f", "dfnum dfden size=", "positive", "positive"),
    "standard_t": _real("random_standard_t", "df size=", "positive"),
    "standard_cauchy": _real("random_standard_cauchy", "size="),
    "lognormal": _real("random_lognormal", "mean:0.0 sigma:1.0 size=", "any", "nonnegative"),
    "rayleigh": _real("random_rayleigh", "scale:1.0 size=", "nonnegative"),
    "weibull": _real("random_weibull", "a size=", "nonnegative"),
    "power": _real("random_power", "a size=", "positive"),
    "pareto": _real("random_pareto", "a size=", "positive"),
    "wald": _real("random_wald", "mean scale size=", "positive", "positive"),
    "vonmises": _real("random_vonmises", "mu kappa size=", "any", "nonnegative"),
    "geometric": _real("random_geometric", "p size=", "chance", result="int"),
}
_UNIT = Row("sol_drawn_unit", "", "size=")
_LEGACY = {
    **_common("@RandomState"),
    **dict.fromkeys(("random", "random_sample", "ranf", "sample"), _UNIT),
    "rand": Row("sol_drawn_unit"),
    "randn": Row("sol_drawn_legacy_normal"),
    "uniform": Row("sol_drawn_uniform", "random_uniform", "low:0.0 high:1.0 size="),
    "standard_normal": Row("sol_drawn_legacy_normal", "", "size="),
    "normal": Row("sol_drawn_legacy_normal", "", "loc:0.0 scale:1.0 size="),
    "standard_exponential": Row("sol_drawn_legacy_exponential", "", "size="),
    "exponential": Row("sol_drawn_legacy_exponential", "", "scale:1.0 size="),
    "randint": Row("sol_drawn_legacy_integers", "", "#low #high size= dtype=", "int"),
}
_NORMAL = "!mu:0.0 !sigma:1.0" if sys.version_info >= (3, 11) else "!mu !sigma"
_PYTHON = {
    "random": Row("sol_drawn_fraction"),
    "uniform": Row("sol_drawn_between", "", "!a !b"),
    "randint": Row("sol_drawn_range<true>", "", "#!a #!b", "int"),
    "randrange": Row("sol_drawn_range<false>", "", "#!start #!stop step=", "int"),
    "getrandbits": Row("sol_drawn_bits", "", "#!k", "int"),
    "expovariate": Row("sol_drawn_decay", "", "!lambd"),
    "normalvariate": Row("sol_drawn_ratio_normal", "", _NORMAL),
    "gauss": Row("sol_drawn_angle_normal", "", _NORMAL),
}
_OWNED = {
    "numpy.random._generator.Generator": _GENERATOR,
    "numpy.random.mtrand.RandomState": _LEGACY,
    "random.Random": _PYTHON,
}
_OF_MODULES = {"numpy.random": _LEGACY, "random": _PYTHON}


def distributions(owner: str) -> frozenset[str]:
    """The functions of a module, or the methods of a class, of which compiled code draws one number itself."""
    return frozenset(_OF_MODULES.get(owner) or _OWNED.get(owner) or ())


def draw(program: Program, n: Callback) -> Draw | None:
    """The draw that a call is; None: another call."""
    owner, _, name = unguarded(n.target).rpartition(".")
    args = list(n.args)
    generator: Memlet | Expr | str = owner
    if owner in _OWNED:
        first = _operand(n, args.pop(0)) if args else None
        if first is None or not is_object(first, program.params, program.data):
            return None
        row, generator = _OWNED[owner].get(name), first
    else:
        row = _OF_MODULES.get(owner, {}).get(name)
    if row is None or n.result != row.result:
        return None
    found = _bound(program, n, row, args)
    return None if found is None else Draw(row, generator, found)


def _operand(n: Callback, template: object) -> Memlet | Expr | None:
    match template:
        case {"$": int() as k, **rest} if rest.keys() <= {"weak"}:
            return n.ins[k]
    return None


def _number(program: Program, n: Callback, template: object, spec: _Parameter) -> Expr | None:
    """The number that an argument is; None: something else."""
    found: Memlet | Expr | None = _operand(n, template)
    match template:
        case bool():
            return None
        case int() if -(1 << 63) <= template < 1 << 63:
            found = const(template)
        case float():
            found = Const(template, f64)
    if not isinstance(found, Expr) or is_object(found, program.params, program.data):
        return None
    t = found.dtype
    fits = t.is_int and t.name != "u64" if spec.integer else t.is_int or t.is_float
    weak = not spec.python or not isinstance(template, dict) or bool(template.get("weak"))
    return found if fits and weak else None


def _bound(program: Program, n: Callback, row: Row, args: Sequence[object]) -> tuple[Expr, ...] | None:
    """The parameters that a call gives; None: one of them is not for compiled code."""
    given, specs = dict(n.kwargs), [_Parameter.read(text) for text in row.parameters.split()]
    for spec, a in zip(specs, args):
        if spec.name in given:
            return None
        given[spec.name] = a
    if len(args) > len(specs) or not given.keys() <= {spec.name for spec in specs}:
        return None
    out: list[Expr] = []
    for spec in specs:
        value = given.get(spec.name)
        if spec.fixed:
            if value is not None:
                return None
        elif spec.integer and spec.name in ("high", "stop") and value is None:  # integers(high)
            out.insert(0, const(0))
        else:
            found = _number(program, n, value if spec.name in given else spec.default, spec)
            if found is None:
                return None
            out.append(found)
    return tuple(out)


class _Parameter(NamedTuple):
    name: str
    integer: bool
    fixed: bool
    python: bool
    default: float | None

    @classmethod
    def read(cls, text: str) -> _Parameter:
        name, _, default = text.strip("#!=").partition(":")
        number = float(default) if default else None
        return cls(name, "#" in text, text[-1] == "=", "!" in text, number)
