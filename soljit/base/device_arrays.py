"""What is known of device arrays (`soljit.Array`) where they are not loaded: compiled code is made for the hidden array in host memory that each has."""

from __future__ import annotations

from typing import Any

CLASS: list[type] = []  # `soljit.Array`, once it is loaded


def host_array(value: Any) -> Any:  # any: the user's object
    """The hidden array of a device array, whose elements may be old; anything else as it is."""
    return value._host if type(value) in CLASS else value
