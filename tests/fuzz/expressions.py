"""Random expressions, kept honest by evaluating them: what raises or has an odd type is thrown away and tried again."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

MAX_SIZE = 300
BINARY = ["+", "-", "*", "+", "-", "*", "/"]
INTEGER_BINARY = ["//", "%", "&", "|", "^"]
COMPARE = ["<", "<=", ">", ">=", "==", "!="]
UNARY = [
    "-{x}",
    "np.abs({x})",
    "np.sqrt(np.abs({x}))",
    "np.floor({x})",
    "{x} * {x}",
    "{x} ** 2",
    "np.square({x})",
    "np.sign({x})",
    "1.0 / ({x} + 2)",
]
MATH = ["np.exp(-np.abs({x}))", "np.sin({x})", "np.tanh({x})", "np.log(np.abs({x}) + 1)"]
REARRANGE = [
    "{x}[::-1]",
    "{x}.copy()",
    "{x}[::2]",
    "{x}[1:]",
    "{x}[:-1]",
    "{x}[1:-1]",
    "{x}.reshape(-1)",
    "np.roll({x}, 1)",
    "{x}.T",
    "{x}[-3:]",
    "{x}[2:]",
]
REDUCE = [
    "{x}.sum()",
    "{x}.max()",
    "{x}.min()",
    "np.sum({x} > 0)",
    "{x}.mean()",
    "{x}.any()",
    "np.dot({x}, {x})",
    "{x}.argmax()",
    "np.count_nonzero({x})",
]
REDUCE_AXIS = [
    "{x}.sum(axis=0)",
    "{x}.max(axis=1)",
    "{x}.min(axis=0)",
    "{x}.mean(axis=1)",
    "{x}[0]",
    "{x}[:, -1]",
    "{x}.sum(axis=1, keepdims=True)",
]
MAKE = [
    "np.zeros(len({x}))",
    "np.arange(len({x}))",
    "np.ones_like({x})",
    "np.zeros_like({x})",
    "np.full(len({x}), {s})",
    "{x}.astype(np.float32)",
    "{x}.astype(np.float64)",
]
INEXACT = ("sum", "mean", "dot", "@", "cumsum", "exp", "sin", "tanh", "log", "std", "prod")


class Scope:
    """Names with their present values; makes expression texts over them."""

    def __init__(self, rng: random.Random, values: dict[str, Any], helpers: dict[str, Any]) -> None:
        self.rng, self.values, self.helpers = rng, values, helpers

    # -- values --------------------------------------------------------------------------------------------------------

    def evaluate(self, text: str) -> Any:
        """The value of an expression now, or None if it raises or is undefined behaviour of C."""
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            warnings.filterwarnings("error", message=".*in cast")
            try:
                return eval(text, {"np": np} | self.helpers, self.values)
            except Exception:
                return None

    def names(self, test: Callable[[Any], bool]) -> list[str]:
        return [n for n, v in self.values.items() if test(v)]

    def arrays(self, ndim: int | None = None) -> list[str]:
        return self.names(lambda v: isinstance(v, np.ndarray) and (ndim is None or v.ndim == ndim))

    def numbers(self, integer: bool = False) -> list[str]:
        kinds = (int, np.integer) if integer else (int, float, np.number)
        return self.names(lambda v: isinstance(v, kinds) and not isinstance(v, (bool, np.bool_)))

    def _accept(self, make: Callable[[], str], good: Callable[[Any], bool], fallback: Callable[[], str]) -> str:
        for _ in range(6):
            text = make()
            value = self.evaluate(text)
            if value is not None and good(value):
                return text
        return fallback()

    # -- arrays --------------------------------------------------------------------------------------------------------

    def array(self, depth: int = 2, good: Callable[[Any], bool] = lambda v: True) -> str:
        """An expression with an array value for which `good` holds (some variable if none is found)."""

        def fine(v: Any) -> bool:
            return (
                isinstance(v, np.ndarray)
                and v.size <= MAX_SIZE
                and 1 <= v.ndim <= 2
                and v.dtype.kind in "biufc"
                and good(v)
            )

        def variable() -> str:
            known = [n for n in self.arrays() if good(self.values[n])] or self.arrays()
            return self.rng.choice(known)

        if depth <= 0:
            return variable()
        return self._accept(lambda: self._array(depth), fine, variable)

    def _array(self, depth: int) -> str:
        r, sub = self.rng, lambda: self.array(depth - 1)
        match r.randrange(16):
            case 0 | 1 | 2 | 3:
                return f"({sub()} {r.choice(BINARY)} {sub()})"
            case 4 | 5:
                return f"({sub()} {r.choice(BINARY)} {self.number(1)})"
            case 6:
                return f"({self.number(0)} {r.choice(BINARY)} {sub()})"
            case 7:
                return "(" + r.choice(UNARY if r.random() < 0.8 else MATH).format(x=sub()) + ")"
            case 8 | 9:
                return r.choice(REARRANGE).format(x=sub())
            case 10:
                return f"np.where({self.mask(depth - 1)}, {sub()}, {r.choice([sub, lambda: self.number(1)])()})"
            case 11:
                return f"np.{r.choice(['maximum', 'minimum'])}({sub()}, {r.choice([sub, lambda: self.number(1)])()})"
            case 12:
                return r.choice(MAKE).format(x=sub(), s=self.number(0))
            case 13:
                return r.choice(REDUCE_AXIS).format(x=sub())
            case 14:
                x = sub()
                return f"{x}[{self.mask(0)}]" if r.random() < 0.5 else f"{x}[{self.indices(x)}]"
            case _:
                forms = [
                    f"np.concatenate(({sub()}, {sub()}))",
                    f"np.cumsum({sub()})",
                    f"({sub()} @ {sub()})",
                    f"{sub()}[:, None]",
                ]
                forms += [
                    f"np.clip({sub()}, -1, 2)",
                    f"np.sort({sub()})",
                    f"({sub()} {r.choice(INTEGER_BINARY)} {r.randint(1, 5)})",
                ]
                return r.choice(forms)

    def mask(self, depth: int) -> str:
        r = self.rng
        text = f"({self.array(depth)} {r.choice(COMPARE)} {self.number(0)})"
        if r.random() < 0.2:
            text = f"({text} {r.choice('&|')} {self.mask(0)})"
        return f"~{text}" if r.random() < 0.1 else text

    def indices(self, x: str) -> str:
        """An expression with valid integer indices for array expression `x`."""
        ints = self.names(lambda v: isinstance(v, np.ndarray) and v.dtype.kind in "iu" and v.ndim == 1)
        forms = [
            f"np.arange(len({x}))[::-1]",
            "[0, -1]",
            f"np.argsort({self.array(0)})",
            f"np.nonzero({self.mask(0)})[0]",
        ]
        return self.rng.choice(forms + ints * 3)

    # -- numbers -------------------------------------------------------------------------------------------------------

    def number(self, depth: int = 1, good: Callable[[Any], bool] = lambda v: True) -> str:
        def fine(v: Any) -> bool:
            number = isinstance(v, (int, float, np.number)) and not isinstance(v, complex)
            return number and abs(float(v)) < 2**40 and good(v)

        def simple() -> str:
            known = [n for n in self.numbers() if good(self.values[n])]
            literals = [t for t in ("2", "0.5", "3", "1", "-1.5", "0", "4.0") if good(eval(t))]
            return self.rng.choice(known * 2 + literals or ["1"])

        if depth <= 0:
            return simple()
        return self._accept(lambda: self._number(depth), fine, simple)

    def _number(self, depth: int) -> str:
        r = self.rng
        if self.arrays() and r.random() < 0.5:
            x = self.array(0)
            if r.random() < 0.5:
                return r.choice(REDUCE).format(x=x)
            return r.choice([f"{x}[{self.index(x)}]", f"len({x})", f"{x}.shape[0]", f"{x}.size"])
        a, b = self.number(depth - 1), self.number(depth - 1)
        forms = [f"({a} {r.choice(BINARY)} {b})"] * 4 + [
            f"({a} // {b})",
            f"({a} % {b})",
            f"abs({a})",
            f"min({a}, {b})",
            f"max({a}, {b})",
        ]
        forms += [f"({a} if {self.condition()} else {b})", f"-{a}", f"float({a})", f"np.sqrt(abs({a}))"]
        return r.choice(forms)

    def index(self, x: str) -> str:
        """Integer subscripts that are mostly in bounds for array expression `x`."""
        value = self.evaluate(x)
        ndim = value.ndim if isinstance(value, np.ndarray) else 1
        one = ["0", "-1", "1", f"len({x}) // 2"]
        for n in self.numbers(integer=True):
            one += [n, n, f"{n} - 1", f"{n} + 1", f"-{n}"]
        return ", ".join(self.rng.choice(one) for _ in range(ndim))

    def condition(self) -> str:
        r = self.rng
        left = r.choice(self.numbers() or [self.number(1)])
        if self.arrays() and r.random() < 0.5:
            x = self.array(0)
            left = r.choice([f"{x}[{self.index(x)}]", f"len({x})", f"{x}.max()", f"{x}.sum()"])
        text = f"{left} {r.choice(COMPARE)} {self.number(0)}"
        if r.random() < 0.25:
            text = f"{text} {r.choice(['and', 'or'])} {self.number(0)} {r.choice(COMPARE)} {self.number(0)}"
        return f"not ({text})" if r.random() < 0.1 else text
