"""What a class holds under a name, as the program wrote it: functions that `jit` has wrapped stand for themselves."""

from __future__ import annotations

from typing import Any

from soljit.base.python.dependency import MISSING, jitted, member


def written_member(cls: type, name: str, otherwise: Any = None) -> Any:  # any: whatever a class holds
    """What instances of the class find under this name; no descriptor and no metaclass is asked, and a jitted function is the one that it wraps."""
    found = member(cls, name)
    return otherwise if found is MISSING else as_written(found)


def as_written(found: Any) -> Any:  # any: whatever a class holds
    """The same of a jitted function that is held already, also in a property, a static or a class method."""
    if type(found) in (staticmethod, classmethod):
        plain = jitted(found.__func__)
        return found if plain is None else type(found)(plain)
    if type(found) is property:
        get, set_, delete = found.fget, found.fset, found.fdel
        if all(jitted(f) is None for f in (get, set_, delete)):
            return found
        return property(jitted(get) or get, jitted(set_) or set_, jitted(delete) or delete)
    return jitted(found) or found
