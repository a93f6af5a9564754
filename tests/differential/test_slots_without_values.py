"""Attributes that `__slots__` names and that have no value yet: the class has a place for them, the instance no attribute."""

# ruff: noqa (programs as users write them)

from __future__ import annotations

from tests.cases import case_tests


class Slots:
    __slots__ = ("x", "y")
    w = 3


class Sub(Slots):
    __slots__ = ("z",)


class Open(Slots):
    pass


def made(cls, **values):
    s = object.__new__(cls)
    for name, v in values.items():
        setattr(s, name, v)
    return s


def sets_once(s):
    if hasattr(s, "x"):
        raise RuntimeError("twice")
    s.x = 2


def asked_before_and_after(s, v):
    a = hasattr(s, "x"), hasattr(s, "y"), hasattr(s, "w")
    s.x = v
    return a, hasattr(s, "x"), hasattr(s, "y")


def set_on_one_path(s, v):
    if v > 2:
        s.x = v
    return hasattr(s, "x")


def only_asked(s):
    return hasattr(s, "x"), hasattr(s, "y"), hasattr(s, "z")


def helper(s):
    return hasattr(s, "x")


def asked_by_a_helper(s, v):
    a = helper(s)
    s.x = v
    return a, helper(s)


def matched(s, v):
    match s:
        case Slots(x=n):
            found = n
        case _:
            found = -1
    s.y = v
    return found


def read_with_a_handler(s, v):
    try:
        a = s.x
    except AttributeError:
        a = -1
    s.x = v
    return a


def made_here(v):
    s = Slots()
    a = hasattr(s, "x"), hasattr(s, "w")
    s.x = v
    return a, hasattr(s, "x"), hasattr(s, "y")


KINDS = [(cls, {}) for cls in (Slots, Sub, Open)] + [(Slots, {"x": 1}), (Sub, {"z": 1, "x": 2})]


def calls(*more):
    return [(made(cls, **values), *rest) for rest in (more or ((),)) for cls, values in KINDS]


test_interpreted, test_compiled = case_tests(
    [
        (sets_once, calls()),
        (asked_before_and_after, calls((3,))),
        (set_on_one_path, calls((3,), (1,))),
        (only_asked, calls()),
        (asked_by_a_helper, calls((3,))),
        (matched, calls((3,))),
        (read_with_a_handler, calls((3,))),
        (made_here, [(3,)]),
    ],
    {"asked_before_and_after"},
)
