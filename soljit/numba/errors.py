"""Numba's errors and warnings. soljit raises what Python would raise; these are here for `except` and `warnings`."""

from __future__ import annotations


class NumbaWarning(UserWarning):
    """Something of Numba's has no meaning here."""


class NumbaPerformanceWarning(NumbaWarning): ...


class NumbaDeprecationWarning(NumbaWarning, DeprecationWarning): ...


class NumbaPendingDeprecationWarning(NumbaWarning, PendingDeprecationWarning): ...


class NumbaExperimentalFeatureWarning(NumbaWarning): ...


class NumbaTypeSafetyWarning(NumbaWarning): ...


class NumbaError(Exception): ...


class UnsupportedError(NumbaError): ...


class TypingError(NumbaError, TypeError): ...


class NumbaTypeError(TypingError): ...


class NumbaValueError(TypingError, ValueError): ...


class LoweringError(NumbaError): ...


class RequireLiteralValue(TypingError): ...
