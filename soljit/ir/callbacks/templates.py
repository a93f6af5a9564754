"""Templates and Python objects: arguments of a `Callback`, the leaves of its result, the structure of a returned value.

Arguments: `{"$": k}` is operand k (with `"weak": true` as a Python number), `{"dtype": "f64"}` a NumPy dtype,
`{"slice": [a, b, c]}`, `{"tuple": […]}`, `{"ellipsis": true}`, `{"complex": [re, im]}` what they say, `{"name": dotted}` what has this
name, `{"call": [dotted, […]]}` what it gives for these arguments; any other dict,
list, string, number, bool and None is itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from soljit.base.errors import InternalError
from soljit.base.messages import fill_in
from soljit.base.python.names import find
from soljit.ir.core.types import BY_NAME, PYTHON_CLASSES, DType, u64
from soljit.support.limits import IntTooLarge
from soljit.support.numbers import as_python
from soljit.support.unforeseen import Unforeseen


def fill(template: object, operands: Sequence[Any]) -> Any:  # Python values of any type
    """The Python value of an argument template."""
    match template:
        case {"$": int() as k, "weak": True}:
            return as_python(operands[k]) if isinstance(operands[k], np.generic) else operands[k]
        case {"$": int() as k}:
            return operands[k]
        case {"dtype": str() as name}:
            return BY_NAME[name].numpy if name in BY_NAME else np.dtype(name)
        case {"slice": [a, b, c]}:
            return slice(fill(a, operands), fill(b, operands), fill(c, operands))
        case {"tuple": list() as items}:
            return tuple(fill(x, operands) for x in items)
        case {"ellipsis": True}:
            return ...
        case {"complex": [re, im]}:
            return complex(re, im)
        case {"name": str() as name}:
            return find(name)
        case {"call": [str() as name, list() as parts]}:
            return find(name)(*(fill(x, operands) for x in parts))
        case dict():
            return {k: fill(v, operands) for k, v in template.items()}
        case list() | tuple():
            return [fill(x, operands) for x in template]
        case float() if template != template:
            return np.nan
        case _:
            return template


def weak_operands(template: object) -> set[int]:
    """The operands that a template gives as Python numbers."""
    match template:
        case {"$": int() as k, "weak": True}:
            return {k}
        case dict():
            return set().union(*map(weak_operands, template.values()))
        case list() | tuple():
            return set().union(*map(weak_operands, template))
        case _:
            return set()


def leaves(value: object) -> Iterator[object]:
    """The leaves of what a callback returned: items of tuples and lists, depth first."""
    if isinstance(value, (tuple, list)):
        for x in value:
            yield from leaves(x)
    else:
        yield value


def as_scalar(value: object, dtype: DType) -> Any:  # a NumPy scalar
    """A number that a callback returned, as one of the declared type; a TypeError if that would change its value."""
    if isinstance(value, int) and dtype.kind == "i" and not -(1 << 63) <= value < 1 << 63:
        raise IntTooLarge
    given, t = np.asarray(value), dtype.numpy
    if given.ndim == 0 and given.dtype.kind in "biufc":
        if np.can_cast(given.dtype, t, "same_kind") or (given.dtype.kind in "biu" and t.kind in "biu"):
            made = given.astype(t)
            if np.array_equal(made, given, equal_nan=True):
                return made[()]
    raise Unforeseen(f"a result is a {python_type_name(value)}, expected was a number of type {t}")


def assemble(structure: object, results: Sequence[object], arguments: Mapping[str, object]) -> object:
    """The Python result of a program from the leaves that it returned and the arguments by parameter name."""

    def build(t: object) -> object:
        match t:
            case None:
                return None
            case {"leaf": int() as k}:
                return results[k]
            case {"const": {"name": str() as name}}:
                return find(name)
            case {"const": value}:
                return fill(value, ())
            case {"tuple": list() as items}:
                return tuple(map(build, items))
            case {"list": list() as items}:
                return list(map(build, items))
            case {"dict": list() as items}:
                return {k: build(v) for k, v in items}
            case {"namedtuple": [str() as name, list() as items]}:
                cls: Callable[..., object] = find(name)
                return cls(*map(build, items))
            case {"param": str() as name}:
                return arguments[name]
            case {"either": [int() as k, list() as trees]}:
                chosen: Any = results[k]
                return build(trees[int(chosen)])
            case _:
                raise InternalError(f"unknown structure {t!r}")

    return build(structure)


def always_returned(structure: object, itself: Sequence[int | None]) -> set[int]:
    """The leaves that every Return gives: all but those that belong to an alternative of the structure.

    itself: for each leaf the one that tells which object it is
    """
    sometimes: set[int] = set()

    def visit(tree: object, inside: bool) -> None:
        match tree:
            case {"leaf": int() as k}:
                if inside:
                    sometimes.add(k)
            case {"either": [int() as k, list() as trees]}:
                sometimes.add(k)
                for x in trees:
                    visit(x, True)
            case dict():
                for x in tree.values():
                    visit(x, inside)
            case list() | tuple():
                for x in tree:
                    visit(x, inside)

    visit(structure, False)
    sometimes |= {which for k, which in enumerate(itself) if which is not None and k in sometimes}
    return set(range(len(itself))) - sometimes


def message(template: str, operands: Sequence[Any]) -> str:
    """The text of an exception. Operands are NumPy scalars; those of Python's own types print as Python numbers."""
    return fill_in(template, [x.item() if x.dtype in _PYTHONS else x for x in operands])


_PYTHONS = {t.numpy for t in (*PYTHON_CLASSES, u64)}


def python_type_name(x: object) -> str:
    """How messages call the type of a value: with dtype and number of dimensions for arrays."""
    if isinstance(x, np.ndarray):
        return f"{x.ndim}-dimensional array of {x.dtype}"
    return type(x).__name__


def operands_of(template: object) -> Iterator[int]:
    """The operands that a template of arguments names."""
    match template:
        case {"$": int() as k}:
            yield k
        case Mapping():
            for x in template.values():
                yield from operands_of(x)
        case list() | tuple():
            for x in template:
                yield from operands_of(x)


def names_in(template: object) -> Iterator[str]:
    """The functions and classes that a template of arguments names, or calls."""
    match template:
        case {"name": str() as name}:
            yield name
        case {"call": [str() as name, list() as parts]}:
            yield name
            yield from names_in(parts)
        case Mapping():
            for x in template.values():
                yield from names_in(x)
        case list() | tuple():
            for x in template:
                yield from names_in(x)
