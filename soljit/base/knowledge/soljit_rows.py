"""Rows of the table for what compiled code calls of soljit itself. `table.py` says how they are written."""

from __future__ import annotations

ROWS = """
here
    contains has_index index_array is_integer largest make_dict ordered smallest unpack unpacker
    [blind] steps
    [changes=0] delete_item in_place set_attribute set_flat set_item
    [holds] frozen frozen_view is_same is_seen_elsewhere same view window
    [outside] new read_global throw_object
    [outside calls] call call_it call_method call_with close enter leave
    [outside imports] imported of_module
    [outside raises] throw
    [raises] make_exception
    [steps] has_next take
soljit.support.texts
    codes known_codes wide_codes
    [gives=text] character
soljit.base.knowledge.pure
    first_item nothing
    [operand] Anything
"""
