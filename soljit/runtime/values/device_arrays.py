"""Calls with device arrays (`devices/arrays.py`) that run in plain Python, or without the dispatcher in C.

They get views of host memory that is made current, and their array results become device arrays. Nothing is loaded for that before
there are device arrays.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from soljit.base.device_arrays import CLASS

_MODULE = "soljit.runtime.devices.making"


class OnHost:
    """The arguments of a call with NumPy's arrays in the place of device arrays."""

    def __init__(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        self._given = [x for x in (*args, *kwargs.values()) if type(x) in CLASS]
        self._others = [x for x in (*args, *kwargs.values()) if type(x) is np.ndarray]
        self._views = dict(zip(map(id, self._given), views_of(self._given)))
        self.args = tuple(self._views.get(id(x), x) for x in args)
        self.kwargs = {k: self._views.get(id(x), x) for k, x in kwargs.items()}

    def result(self, value: Any) -> Any:  # any: the user's object
        """What the function gave, with device arrays in the place of arrays."""
        views = [self._views[id(x)] for x in self._given]
        return sys.modules[_MODULE].result_of_python(value, self._given, views, self._others)


def on_host(args: Sequence[Any], kwargs: Mapping[str, Any]) -> OnHost | None:
    """None if there is no device array among the arguments."""
    if not CLASS or not any(type(x) in CLASS for x in (*args, *kwargs.values())):
        return None
    return OnHost(args, kwargs)


def views_of(arrays: Sequence[Any]) -> Sequence[Any]:
    """NumPy arrays of the elements of device arrays; what is none of them stays."""
    given = tuple(x for x in arrays if type(x) in CLASS)
    views = iter(sys.modules[_MODULE].host_views(given) if given else ())
    return [next(views) if type(x) in CLASS else x for x in arrays]
