"""The tables of handlers hold what Python and NumPy have under these names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from soljit.frontend_ast import handlers
from soljit.frontend_ast.lowering import registry
from soljit.frontend_ast.python_api.builtins.object_builtins import BUILTINS

assert handlers.LOADED
ITEMS = (list, tuple, set, dict, sum, min, max, sorted, any, all, enumerate, zip, map, filter, reversed, len)


def test_methods_and_attributes_of_arrays_are_numpys() -> None:
    assert not {n for n in registry.METHODS if not hasattr(np.ndarray, n)}
    assert not {n for n in registry.ATTRIBUTES if not hasattr(np.ndarray, n)}


def test_methods_of_containers_are_pythons() -> None:
    assert {name for _, name in registry.CONTAINER_METHODS} >= {"append", "pop", "get", "items", "index", "_replace"}


@pytest.mark.parametrize("f", ITEMS, ids=lambda f: f.__name__)
def test_whatever_takes_items_takes_objects(f: Any) -> None:
    assert f in BUILTINS or registry.find(f) is not None
