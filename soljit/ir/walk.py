"""Recursion over programs: the one import for all of it.

`tree` walks and rebuilds, `effects` tells what is read and written, `names` substitutes and renames.
"""

from soljit.ir.effects import (
    data_read,
    data_used,
    data_written,
    memlets_read,
    memlets_written,
    symbols_of,
)
from soljit.ir.names import (
    fresh_name,
    names_taken,
    rename_data,
    rename_symbols,
    substitute,
    substitute_in,
    symbols_defined,
    symbols_used,
)
from soljit.ir.tree import (
    Value,
    children_nodes,
    descriptor_exprs,
    exprs,
    map_descriptor,
    map_exprs,
    map_memlets,
    map_values,
    rewrite,
    rewrite_expr,
    rewrite_value,
    same,
    value_exprs,
    values,
    walk,
    with_fields,
)

__all__ = [
    "Value",
    "children_nodes",
    "data_read",
    "data_used",
    "data_written",
    "descriptor_exprs",
    "exprs",
    "fresh_name",
    "map_descriptor",
    "map_exprs",
    "map_memlets",
    "map_values",
    "memlets_read",
    "memlets_written",
    "names_taken",
    "rename_data",
    "rename_symbols",
    "rewrite",
    "rewrite_expr",
    "rewrite_value",
    "same",
    "substitute",
    "substitute_in",
    "symbols_defined",
    "symbols_of",
    "symbols_used",
    "value_exprs",
    "values",
    "walk",
    "with_fields",
]
