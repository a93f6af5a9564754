"""Distributions that compiled code draws itself: a table of the methods and functions of NumPy's and Python's generators."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import NamedTuple

INTEGERS = ("b1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")


class Row(NamedTuple):
    """How numbers of one distribution and one type are drawn.

    function:   of `draws.h` or `shuffles.h`; it takes the routines, the stream, the place of the result and the parameters
    routine:    NumPy's functions that it calls; "@" and who uses it behind it: where NumPy uses it in the known way
    parameters: see `Parameter`, in their order
    dtype:      of the number, or of the elements of an array; "" for that of the array that is drawn from
    form:       "one" number, "many" in an array, "any" of these, a "permutation" in a new array as long as the first parameter says,
                or "place": the elements of the array that is the first parameter change places
    counted:    does the function draw as many numbers as a last argument says? Otherwise it draws one
    """

    function: str
    routine: str = ""
    parameters: str = ""
    dtype: str = "f64"
    form: str = "any"
    counted: bool = False

    @property
    def specification(self) -> list[Parameter]:
        """The parameters."""
        return [Parameter.read(text) for text in self.parameters.split()]


class Parameter(NamedTuple):
    """One parameter: a number with a default, "name" or "name:default".

    "#name" is an integer, "!name" a number of Python's, "name=" must be None or left out, "+name" must be True or left out, "-name" must be False, "?name" is a truth,
    "@name" an array of one dimension, "name.f64" such an array of this type, "@@name" one of two, too; a number stands for itself.
    "size" and "*size" are lengths of the result, "dtype" is its type, "out" an array of one dimension that is filled.
    Where Python's own functions are given numbers of NumPy's, what they compute is NumPy's to compute.
    """

    name: str
    kind: str
    integer: bool
    python: bool
    default: float | None
    dtype: str

    @classmethod
    def read(cls, text: str) -> Parameter:
        """The parameter that is written so."""
        name, _, default = text.strip("#!=+?@-").partition(":")
        name, _, dtype = name.partition(".")
        if text.lstrip("-").isdigit():
            kind = "literal"
        elif text in ("size", "*size", "dtype", "out"):
            kind = text
        elif text[-1] == "=":
            kind = "none"
        else:
            kinds = {"+": "true", "-": "false", "?": "truth", "@": "array"}
            kind = "rows" if text[:2] == "@@" else kinds.get(text[0], "array" if dtype else "number")
        integer = "#" in text or kind in ("literal", "truth")
        return cls(name, kind, integer, "!" in text, float(default) if default else None, dtype)


Rows = dict[str, tuple[Row, ...]]


def _real(routine: str, parameters: str, *checks: str, dtype: str = "f64") -> Row:
    """A function of NumPy that takes the parameters as they are."""
    return Row(f"sol_drawn<{', '.join(f'sol_{c}' for c in checks)}>", routine, parameters, dtype)


def _integers(parameters: str, masked: bool, suffix: str = "", types: Iterable[str] = INTEGERS) -> Sequence[Row]:
    """Integers of each type, which NumPy fills an array with by another routine for each size."""

    def row(t: str) -> Row:
        routine = f"random_bounded_{'bool' if t == 'b1' else f'uint{t[1:]}'}_fill{suffix}"
        function = f"sol_drawn_integers<{str(masked).lower()}>"
        return Row(function, routine, parameters, t, "any", True)

    return [row(t) for t in types]


def _singles(name: str, parameters: str = "size dtype out") -> Row:
    """Numbers of single precision, which NumPy fills an array with."""
    return Row("sol_drawn_singles", f"random_standard_{name}_fill_f", parameters, "f32", "many", True)


def _common(suffix: str) -> Rows:
    """What both kinds of generators draw by the same functions of NumPy's."""
    scaled = "loc:0.0 scale:1.0 size"
    rows = {
        **{n: _real(f"random_{n}{suffix}", scaled, "any", "nonnegative") for n in ("laplace", "logistic", "gumbel")},
        "triangular": Row("sol_drawn_triangular", f"random_triangular{suffix}", "left mode right size"),
        "poisson": _real(f"random_poisson{suffix}", "lam:1.0 size", "rate", dtype="i64"),
        "binomial": Row("sol_drawn_binomial", f"random_binomial{suffix}", "#n p size", "i64"),
        "uniform": Row("sol_drawn_uniform", "random_uniform", "low:0.0 high:1.0 size"),
    }
    return {name: (row,) for name, row in rows.items()}


_DTYPED = "size dtype out"
_GENERATOR: Rows = {
    **_common(""),
    "random": (Row("sol_drawn_unit", "", _DTYPED), _singles("uniform")),
    "standard_normal": (Row("sol_drawn_normal", "random_standard_normal", _DTYPED), _singles("normal")),
    "standard_exponential": (
        Row("sol_drawn_exponential", "random_standard_exponential", "size dtype method= out"),
        _singles("exponential", "size dtype method= out"),
    ),
    "integers": tuple(_integers("#low #high size dtype ?endpoint", masked=False)),
    **{
        name: (row,)
        for name, row in {
            "normal": Row("sol_drawn_normal", "random_standard_normal random_normal", "loc:0.0 scale:1.0 size"),
            "exponential": Row("sol_drawn_exponential", "random_standard_exponential", "scale:1.0 size"),
            "standard_gamma": _real("random_standard_gamma", "shape size dtype out", "nonnegative"),
            "gamma": _real("random_gamma", "shape scale:1.0 size", "nonnegative", "nonnegative"),
            "beta": _real("random_beta", "a b size", "positive", "positive"),
            "chisquare": _real("random_chisquare", "df size", "positive"),
            "f": _real("random_f", "dfnum dfden size", "positive", "positive"),
            "standard_t": _real("random_standard_t", "df size", "positive"),
            "standard_cauchy": _real("random_standard_cauchy", "size"),
            "lognormal": _real("random_lognormal", "mean:0.0 sigma:1.0 size", "any", "nonnegative"),
            "rayleigh": _real("random_rayleigh", "scale:1.0 size", "nonnegative"),
            "weibull": _real("random_weibull", "a size", "nonnegative"),
            "power": _real("random_power", "a size", "positive"),
            "pareto": _real("random_pareto", "a size", "positive"),
            "wald": _real("random_wald", "mean scale size", "positive", "positive"),
            "vonmises": _real("random_vonmises", "mu kappa size", "any", "nonnegative"),
            "geometric": _real("random_geometric", "p size", "chance", dtype="i64"),
        }.items()
    },
}

_ORDER = "random_interval"
_FILL = "random_bounded_uint64_fill"
_CHANCE = "random_standard_uniform"


def _choices(row: Row) -> tuple[Row, Row]:
    """From the first integers, and from the elements of an array."""
    return row._replace(dtype="i64"), row._replace(parameters=row.parameters.replace("#", "@"), dtype="")


_GENERATOR |= {
    "choice": (
        Row(
            "sol_drawn_integers<false>", f"{_FILL}@choice", "0 #a 0 size +replace p= axis= +shuffle", "i64", "any", True
        ),
        Row("sol_chosen<false>", f"{_FILL}@choice", "@a size +replace p= axis= +shuffle", "", "any", True),
        *_choices(Row("sol_weighted", f"{_CHANCE}@choice", "#a size +replace p.f64 axis= +shuffle", counted=True)),
        *_choices(
            Row("sol_distinct", "random_bounded_uint64@choice", "#a size -replace p= axis= +shuffle", "", "many", True)
        ),
    ),
    "permutation": _choices(Row("sol_permutation", f"{_ORDER}@choice", "#x axis=", "", "permutation", True)),
    "shuffle": (Row("sol_shuffled", f"{_ORDER}@choice", "@@x axis=", "", "place"),),
}
_UNIT = Row("sol_drawn_legacy_unit", "", "size", form="one")
_UNITS = Row("sol_drawn_legacy_units", "", "size", form="many", counted=True)
_NORMAL = Row("sol_drawn_legacy_normal", "", "size")
_LEGACY: Rows = {
    **_common("@RandomState"),
    **dict.fromkeys(("random", "random_sample", "ranf", "sample"), (_UNIT, _UNITS)),
    "rand": (_UNIT._replace(parameters="*size"), _UNITS._replace(parameters="*size")),
    "randn": (_NORMAL._replace(parameters="*size"),),
    "standard_normal": (_NORMAL,),
    "normal": (_NORMAL._replace(parameters="loc:0.0 scale:1.0 size"),),
    "standard_exponential": (Row("sol_drawn_legacy_exponential", "", "size"),),
    "exponential": (Row("sol_drawn_legacy_exponential", "", "scale:1.0 size"),),
    "randint": (
        Row("sol_drawn_legacy_integers", "", "#low #high size dtype", "i64", "one"),
        *_integers("#low #high size dtype 0", masked=True, suffix="@RandomState"),
    ),
    "choice": (
        Row("sol_drawn_legacy_integers", "", "0 #a size +replace p=", "i64", "one"),
        Row("sol_drawn_integers<true>", f"{_FILL}@RandomState", "0 #a 0 size +replace p=", "i64", "many", True),
        Row("sol_chosen<true>", f"{_FILL}@RandomState", "@a size +replace p=", "", "any", True),
        *_choices(Row("sol_weighted", f"{_CHANCE}@RandomState", "#a size +replace p.f64", counted=True)),
        *_choices(Row("sol_distinct_legacy", f"{_ORDER}@RandomState", "#a size -replace p=", "", "many", True)),
    ),
    "permutation": _choices(Row("sol_permutation", f"{_ORDER}@RandomState", "#x", "", "permutation", True)),
    "shuffle": (Row("sol_shuffled", f"{_ORDER}@RandomState", "@@x", "", "place"),),
}
_PYTHON_NORMAL = "!mu:0.0 !sigma:1.0" if sys.version_info >= (3, 11) else "!mu !sigma"
_PYTHON: Rows = {
    "random": (Row("sol_drawn_fraction"),),
    "uniform": (Row("sol_drawn_between", "", "!a !b"),),
    "randint": (Row("sol_drawn_range<true>", "", "#!a #!b", "i64"),),
    "randrange": (
        Row("sol_drawn_range<false>", "", "#!start #!stop step=", "i64"),
        Row("sol_drawn_steps", "", "#!start #!stop #!step", "i64"),
    ),
    "getrandbits": (Row("sol_drawn_bits", "", "#!k", "i64"),),
    "expovariate": (Row("sol_drawn_decay", "", "!lambd"),),
    "normalvariate": (Row("sol_drawn_ratio_normal", "", _PYTHON_NORMAL),),
    "gauss": (Row("sol_drawn_angle_normal", "", _PYTHON_NORMAL),),
}
OWNED = {
    "numpy.random._generator.Generator": _GENERATOR,
    "numpy.random.mtrand.RandomState": _LEGACY,
    "random.Random": _PYTHON,
}
OF_MODULES = {"numpy.random": _LEGACY, "random": _PYTHON}


def distributions(owner: str) -> frozenset[str]:
    """The functions of a module, or the methods of a class, by which compiled code draws itself."""
    return frozenset(OF_MODULES.get(owner) or OWNED.get(owner) or ())
