"""Functions and classes that compiled code gives away have the names and lines that they have where the user wrote them."""

# ruff: noqa (programs as users write them)

from __future__ import annotations

import sys

from tests.cases import case_tests

LATER = sys.version_info >= (3, 11)  # code has a qualified name


def documented(text):
    def decorate(f):
        f.__doc__ = text
        return f

    return decorate


def names_within(x):
    def g(y):
        class C:
            def m(self):
                return lambda: self

            h = lambda self: 2

        def gen():
            yield y

        return [f.__qualname__ for f in ((lambda: y), gen, C, C.m, C.h, C().m())], gen().__qualname__

    made = [g]
    return made[0](x), made[0].__qualname__


def each_calls_the_other(n):
    def a(k):
        return b(k - 1) if k > 0 else (lambda: k)

    def b(k):
        return a(k - 1) if k > 0 else (lambda: k)

    return a(n).__qualname__, b(n).__qualname__, [f.__qualname__ for f in [a, b]]


def gives_itself(n):
    def down(k):
        return down if k == 0 else down(k - 1)

    return down(n).__qualname__


def classes_in_a_class(x):
    class A:
        class B:
            def m(self):
                return (lambda: 1).__qualname__

            @property
            def p(self):
                return x

        def g(self):
            class D:
                pass

            return D

        @staticmethod
        def s():
            return x

    names = [c.__qualname__ for c in (A, A.B, A.B.m, A.B.p.fget, A.g, A.s, A().g())]
    return names, A.B().m(), A.g.__code__.co_qualname if LATER else ""


def lines_of_the_decorated(x):
    @documented("first")
    @documented(
        """second
        line"""
    )
    def g(y):
        return x + y

    def h(y):
        return x - y

    kept = [g, h]
    return [(f.__code__.co_firstlineno, f.__code__.co_name, f.__doc__, f(2)) for f in kept]


CASES = [
    (names_within, [(1,)]),
    (each_calls_the_other, [(0,), (1,)]),
    (gives_itself, [(3,)]),
    (classes_in_a_class, [(1,)]),
    (lines_of_the_decorated, [(1,)]),
]

test_interpreted, test_compiled = case_tests(CASES, {"classes_in_a_class", "lines_of_the_decorated"})
