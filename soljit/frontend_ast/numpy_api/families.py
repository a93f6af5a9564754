"""NumPy, math and Python builtins, one family a file; importing this module fills the tables of `table.py`."""

from soljit.frontend_ast.numpy_api import (
    attributes,
    builtin_functions,
    containers,
    contractions,
    creation,
    diagonals,
    flat,
    grids,
    joining,
    math_functions,
    padding,
    products,
    reductions,
    selection,
    shape_functions,
    splitting,
)

LOADED = (
    attributes,
    builtin_functions,
    containers,
    contractions,
    creation,
    diagonals,
    flat,
    grids,
    joining,
    math_functions,
    padding,
    products,
    reductions,
    selection,
    shape_functions,
    splitting,
)
