"""NumPy, math and Python builtins, one family a file; importing this module fills the tables of `table.py`."""

from soljit.frontend_ast.numpy_api import (
    attributes,
    builtin_functions,
    containers,
    creation,
    math_functions,
    products,
    reductions,
    selection,
    shape_functions,
)

LOADED = (attributes, builtin_functions, containers, creation, math_functions, products, reductions, selection, shape_functions)
