"""The texts of NumPy's functions that leave NaN out, for floats, as NumPy has them; compiled where they are called.

NumPy copies the array and puts a number in place of each NaN. Here that is an expression of each element.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np


def without_nan(a: Any, instead: float) -> Any:
    """The array with a number in place of each NaN."""
    return np.where(np.isnan(a), instead, a)


def nanmean(a: Any, axis: Any, keepdims: bool) -> Any:
    """np.nanmean"""
    count = np.sum(~np.isnan(a), axis=axis, keepdims=keepdims)
    mean = (np.sum(np.where(np.isnan(a), 0.0, a), axis=axis, keepdims=keepdims) / count).astype(a.dtype)
    if np.any(count == 0):
        warnings.warn("Mean of empty slice", RuntimeWarning, stacklevel=2)
    return mean


def nanvar(a: Any, axis: Any, ddof: Any, keepdims: bool) -> Any:
    """np.nanvar"""
    count = np.sum(~np.isnan(a), axis=axis, keepdims=True)
    total = np.sum(np.where(np.isnan(a), 0.0, a), axis=axis, keepdims=True)
    deviation = a - (total / count).astype(a.dtype)
    squares = np.sum(np.where(np.isnan(a), 0.0, deviation * deviation), axis=axis, keepdims=keepdims)
    freedom = np.sum(~np.isnan(a), axis=axis, keepdims=keepdims) - ddof
    var = (squares / freedom).astype(a.dtype)
    if np.any(freedom <= 0):
        warnings.warn("Degrees of freedom <= 0 for slice.", RuntimeWarning, stacklevel=2)
    if np.ndim(var) == 0:
        return a.dtype.type(np.nan) if freedom <= 0 else var
    return np.where(freedom <= 0, np.nan, var)


def nanmin(a: Any, axis: Any, keepdims: bool) -> Any:
    """np.nanmin"""
    none = np.all(np.isnan(a), axis=axis, keepdims=keepdims)
    least = np.min(np.where(np.isnan(a), np.inf, a), axis=axis, keepdims=keepdims)
    return nan_where(none, least)


def nanmax(a: Any, axis: Any, keepdims: bool) -> Any:
    """np.nanmax"""
    none = np.all(np.isnan(a), axis=axis, keepdims=keepdims)
    largest = np.max(np.where(np.isnan(a), -np.inf, a), axis=axis, keepdims=keepdims)
    return nan_where(none, largest)


def nan_where(none: Any, found: Any) -> Any:
    """NaN, with a warning, where there was no number."""
    if np.any(none):
        warnings.warn("All-NaN slice encountered", RuntimeWarning, stacklevel=2)
    if np.ndim(found) == 0:
        return found.dtype.type(np.nan) if none else found
    return np.where(none, np.nan, found)


def nanargmin(a: Any, axis: Any, keepdims: bool) -> Any:
    """np.nanargmin"""
    if a.size > 0 and np.any(np.all(np.isnan(a), axis=axis)):
        raise ValueError("All-NaN slice encountered")
    return np.argmin(np.where(np.isnan(a), np.inf, a), axis=axis, keepdims=keepdims)


def nanargmax(a: Any, axis: Any, keepdims: bool) -> Any:
    """np.nanargmax"""
    if a.size > 0 and np.any(np.all(np.isnan(a), axis=axis)):
        raise ValueError("All-NaN slice encountered")
    return np.argmax(np.where(np.isnan(a), -np.inf, a), axis=axis, keepdims=keepdims)
