"""Fills the holes of templates, and keeps the result honest by evaluating it: what raises is thrown away."""

from __future__ import annotations

import math
import random
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.fuzz import forms

MAX_SIZE = 300
TRIES = 8
HOLE = re.compile(r"\{(\w)\}")


class NoName(Exception):
    """A template needs a variable of a kind that there is none of."""


def table(text: str) -> list[str]:
    """The templates, one a line."""
    return [line for line in text.split("\n") if line]


ARRAYS, NUMBERS, CONDITIONS = table(forms.ARRAYS), table(forms.NUMBERS), table(forms.CONDITIONS)
STORES, IN_LOOP = table(forms.STORES), table(forms.IN_LOOP)


class Scope:
    """Names with their present values; makes texts over them."""

    def __init__(self, rng: random.Random, values: dict[str, Any], helpers: dict[str, Any]) -> None:
        self.rng, self.values, self.helpers = rng, values, helpers
        self.loop_names: list[str] = []

    # -- values --------------------------------------------------------------------------------------------------------

    def evaluate(self, text: str) -> Any:
        """The value of an expression now, or None if it raises or is undefined behaviour of C."""
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            warnings.filterwarnings("error", message=".*in cast")
            try:
                return eval(text, {"np": np, "math": math} | self.helpers | self.values)
            except Exception:
                return None

    def names(self, test: Callable[[Any], bool]) -> list[str]:
        return [n for n, v in self.values.items() if test(v)]

    def arrays(self, ndim: int | None = None) -> list[str]:
        return self.names(lambda v: isinstance(v, np.ndarray) and (ndim is None or v.ndim == ndim))

    def numbers(self, integer: bool = False) -> list[str]:
        kinds = (int, np.integer) if integer else (int, float, complex, np.number)
        return self.names(lambda v: isinstance(v, kinds) and not (integer and isinstance(v, (bool, np.bool_))))

    def known(self, names: list[str]) -> str:
        if not names:
            raise NoName
        return self.rng.choice(names)

    # -- texts ---------------------------------------------------------------------------------------------------------

    def fill(self, template: str, depth: int = 1) -> str:
        """The template with its holes filled; NoName if some variable is missing."""
        chosen: dict[str, str] = {}

        def text(match: re.Match[str]) -> str:
            key = match[1]
            if key.isupper() and key != "M":
                if key not in chosen:
                    chosen[key] = self._variable(key)
                return chosen[key]
            if key in "el":
                inner = self.rng.choice(forms.SLICES) if key == "l" else self._element(chosen)
                return HOLE.sub(text, inner)
            return self._hole(key, depth)

        return HOLE.sub(text, template)

    def _variable(self, key: str) -> str:
        match key:
            case "A" | "B":
                return self.known(self.arrays())
            case "V" | "W":
                return self.known(self.arrays(1))
            case "Q":
                return self.known(self.arrays(2))
            case "N":
                return self.known(self.numbers(integer=True))
            case "I" | "J":
                return self.known(self.loop_names)
            case _:
                return self.known(self.numbers())

    def _hole(self, key: str, depth: int) -> str:
        r, below = self.rng, depth - 1
        match key:
            case "x":
                return self.array(below)
            case "v":
                return self.array(below, lambda v: v.ndim == 1)
            case "M":
                return self.array(below, lambda v: v.ndim == 2)
            case "m":
                return self.mask(below)
            case "i":
                return self.indices()
            case "s":
                return self.number(below)
            case "c":
                return self.condition(below)
            case "k":
                return r.choice(["0", "1", "-1", "0", "None", "(0, 1)"])
            case "d":
                return self.fill(r.choice(forms.DTYPES))
            case "n":
                return r.choice("01233")
            case "b":
                return r.choice("01")
            case "o":
                return r.choice(forms.ARITHMETIC)
            case "g":
                return r.choice(forms.IN_PLACE)
            case _:
                return r.choice(forms.COMPARE)

    def _element(self, chosen: dict[str, str]) -> str:
        name = self.known(self.arrays())
        ndim = self.values[name].ndim
        if not ndim:
            return f"{name}[()]"
        one = ["0", "-1", "1", f"len({name}) // 2", *self.loop_names * 3]
        for n in self.numbers(integer=True):
            one += [n, f"{n} - 1", f"-{n}"]
        return f"{name}[{', '.join(self.rng.choice(one) for _ in range(ndim))}]"

    def _accept(self, make: Callable[[], str], good: Callable[[Any], bool], fallback: Callable[[], str]) -> str:
        for _ in range(TRIES):
            try:
                text = make()
            except NoName:
                continue
            value = self.evaluate(text)
            if value is not None and good(value):
                return text
        return fallback()

    def array(self, depth: int = 2, good: Callable[[Any], bool] = lambda v: True) -> str:
        """An expression with an array value for which `good` holds (some variable if none is found)."""

        def fine(v: Any) -> bool:
            return (
                isinstance(v, np.ndarray) and v.size <= MAX_SIZE and v.ndim <= 3 and v.dtype.kind in "biufc" and good(v)
            )

        def variable() -> str:
            return self.known([n for n in self.arrays() if good(self.values[n])] or self.arrays())

        if depth <= 0:
            return variable()
        return self._accept(lambda: self.fill(self.rng.choice(ARRAYS), depth), fine, variable)

    def mask(self, depth: int) -> str:
        r = self.rng
        text = f"({self.array(depth)} {r.choice(forms.COMPARE)} {self.number(0)})"
        if r.random() < 0.2:
            text = f"({text} {r.choice('&|^')} {self.mask(0)})"
        booleans = self.names(lambda v: isinstance(v, np.ndarray) and v.dtype == bool)
        if booleans and r.random() < 0.4:
            text = r.choice(booleans)
        return f"~{text}" if r.random() < 0.1 else text

    def indices(self) -> str:
        """An expression with integer indices that suit most arrays."""
        ints = self.names(lambda v: isinstance(v, np.ndarray) and v.dtype.kind in "iu" and v.ndim == 1)
        name = self.known(self.arrays())
        forms_ = [f"np.arange(len({name}))[::-1]", "[0, -1]", "[0, 2, 0]", f"np.argsort({name}, kind='stable')"]
        forms_ += [f"np.nonzero({self.mask(0)})[0]", "np.array([1, 1, 0])", "[-1]"]
        return self.rng.choice(forms_ + ints * 3)

    def number(self, depth: int = 1, good: Callable[[Any], bool] = lambda v: True) -> str:
        """An expression with a number as its value."""

        def fine(v: Any) -> bool:
            if not isinstance(v, (int, float, complex, np.number, np.bool_)):
                return False
            return not (abs(v) if isinstance(v, int) else np.abs(complex(v))) > 2**40 and good(v)

        def simple() -> str:
            known = [n for n in self.numbers() if good(self.values[n])]
            literals = [t for t in ("2", "0.5", "3", "1", "-1.5", "0", "4.0") if good(eval(t))]
            return self.rng.choice(known * 2 + literals or ["1"])

        if depth <= 0:
            return simple()
        return self._accept(lambda: self.fill(self.rng.choice(NUMBERS), depth), fine, simple)

    def condition(self, depth: int = 1) -> str:
        def fine(v: Any) -> bool:
            return isinstance(v, (bool, np.bool_, int, float, np.number))

        def simple() -> str:
            return f"{self.number(0)} {self.rng.choice(forms.COMPARE)} {self.number(0)}"

        return self._accept(lambda: self.fill(self.rng.choice(CONDITIONS), max(1, depth)), fine, simple)
