"""NumPy, math and Python builtins, one family a file; importing this module fills the tables of `lowering/registry.py`."""

from soljit.frontend_ast.iteration import static_containers
from soljit.frontend_ast.numpy_api.attributes import array_attributes, array_methods, dtype_questions
from soljit.frontend_ast.numpy_api.computing import (
    applying,
    contractions,
    floating_point_errors,
    linear_systems,
    measures,
    moments,
    products,
    reductions,
    scans,
    selection,
    sorting,
)
from soljit.frontend_ast.numpy_api.making import creation, diagonals, grids, index_arrays, patterns
from soljit.frontend_ast.numpy_api.prelude import nan_functions, written_out
from soljit.frontend_ast.numpy_api.shapes import (
    broadcasting,
    joining,
    layouts,
    padding,
    permutations,
    reinterpreting,
    repeating,
    reshape,
    reversal,
    single_axes,
    splitting,
    trimming,
)
from soljit.frontend_ast.python_api import object_functions
from soljit.frontend_ast.python_api.builtins import arrays_of_items, builtin_functions, builtin_iterables, introspection
from soljit.frontend_ast.python_api.library import (
    distances,
    functools_operator,
    itertools_functions,
    math_functions,
    special_functions,
)
from soljit.frontend_ast.views import flags, flat_elements

LOADED = (
    applying,
    array_attributes,
    array_methods,
    arrays_of_items,
    broadcasting,
    builtin_functions,
    builtin_iterables,
    contractions,
    creation,
    diagonals,
    distances,
    dtype_questions,
    flags,
    flat_elements,
    floating_point_errors,
    functools_operator,
    grids,
    index_arrays,
    introspection,
    itertools_functions,
    joining,
    layouts,
    linear_systems,
    math_functions,
    measures,
    moments,
    object_functions,
    padding,
    patterns,
    permutations,
    products,
    reductions,
    reinterpreting,
    repeating,
    reshape,
    reversal,
    scans,
    selection,
    single_axes,
    sorting,
    special_functions,
    splitting,
    static_containers,
    trimming,
    nan_functions,
    written_out,
)
