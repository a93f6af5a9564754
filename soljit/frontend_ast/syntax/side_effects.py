"""Whether evaluating an expression could change memory."""

from __future__ import annotations

import ast
import functools
import inspect
import sys
from typing import Any

import numpy as np

from soljit.base.knowledge.table import methods, owners

_OF_SEVERAL = ("max", "min")  # numbers: they take no items then


@functools.cache
def looking_functions() -> frozenset[str]:
    """The names of builtin functions that only look at their arguments."""
    return frozenset(n for n, f in owners()["builtins"].items() if f.tried and f.looks and f.takes == "none") | {
        "tuple"
    }


@functools.cache
def looking_methods() -> frozenset[str]:
    """The names of methods that only look at an array, if they are given nothing to write into."""
    return methods("numpy.ndarray")


def only_looks(node: ast.Call) -> bool:
    """Does a call by the name of a builtin function, or of a method of arrays, only look at what it is given?"""
    match node:
        case ast.Call(func=ast.Name(id=name), keywords=[]):
            return name in looking_functions() or name in _OF_SEVERAL and len(node.args) > 1
        case ast.Call(func=ast.Attribute(attr=name), keywords=[]):
            return name in looking_methods() and len(node.args) < 2
    return False


def may_have_effects(node: ast.AST) -> bool:
    """Tell whether evaluating this could change memory that an earlier operand still reads. Calls (but of plain module functions) and `:=`."""
    for n in ast.walk(node):
        if isinstance(n, ast.NamedExpr):
            return True
        if isinstance(n, ast.Call):
            if only_looks(n):
                continue
            f = n.func
            module = f.value.id if isinstance(f, ast.Attribute) and isinstance(f.value, ast.Name) else ""
            if module not in ("np", "numpy", "math") or any(k.arg == "out" for k in n.keywords):
                return True
            assert isinstance(f, ast.Attribute)
            if module != "math" and _changes_arguments(f.attr, len(n.args)):
                return True
    return False


@functools.cache
def _changes_arguments(name: str, count: int) -> bool:
    """Does a function of NumPy change something when it is given so many arguments, or run functions?"""
    function = getattr(np, name, None)
    if isinstance(function, np.ufunc):
        return count > function.nin
    facts = owners()["numpy"].get(name)
    if facts is None or not (facts.looks and facts.tried):
        return True
    return "into" in facts and count > _place_of_out(function)


def _place_of_out(function: Any) -> int:
    """The place of `out` among the arguments; beyond all where it has none."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # a function that does not tell
        return 2
    places = (k for k, p in enumerate(parameters) if p.name == "out" and p.kind is p.POSITIONAL_OR_KEYWORD)
    return next(places, sys.maxsize)
