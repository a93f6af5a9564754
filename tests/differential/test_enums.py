"""Members of enumerations: constants, numbers where Python takes them as such, arguments and results."""

from __future__ import annotations

import enum
import http.client
import operator
import re
import signal
import socket
import sys
from typing import Any

import numpy as np
import pytest

import soljit as sol
from tests.oracle import check, function


class L(enum.IntEnum):
    LOW = 1
    HIGH = 3


class C(enum.Enum):
    A = 1
    B = "b"


class Fl(enum.IntFlag):
    R = 1
    W = 2


R, FLAGS = Fl.R, Fl.R | Fl.W  # under names of the module


class P(enum.Flag):
    R = 1
    W = 2
    X = 4


class Q(enum.Flag):
    R = 1
    W = 2


class S(str, enum.Enum):
    X = "x"
    Y = "y"


class FE(float, enum.Enum):
    H = 0.5


def a1(n: Any) -> Any:
    return (L.LOW, L.LOW + n, L.HIGH - L.LOW, -L.HIGH, L.LOW == 1, L.LOW is L.LOW, L.HIGH > n, L.LOW.name, L.LOW.value)


def a2(n: Any) -> Any:
    return ([n, 2, 3][L.LOW], np.arange(5)[L.HIGH], np.zeros(L.HIGH), range(L.HIGH), list(range(L.HIGH)))


def a3(a: Any) -> Any:
    return (a[L.LOW] + L.HIGH, a * L.HIGH, a[L.LOW : L.HIGH], a.sum() * L.HIGH)


def a4(n: Any) -> Any:
    x = L.LOW
    for i in range(n):
        x = x + 1
    return x


def a5(l: Any) -> Any:
    return (l, l + 1, l == L.LOW, l is L.HIGH)


def a6(c: Any) -> Any:
    if c is C.A:
        return 1
    return c.value


def a7(n: Any) -> Any:
    return ([c.value for c in C], [int(l) for l in L], len(L), C["A"], L(3))


def a8(n: Any) -> Any:
    return ({L.LOW: 1, L.HIGH: n}[L.HIGH], max(L.LOW, L.HIGH), int(L.LOW), float(L.LOW), min(L.LOW, n))


def a10(n: Any) -> Any:
    s = L.LOW if n > 1 else L.HIGH
    if s == L.LOW:
        s = L.HIGH
    return s


def a11(n: Any) -> Any:
    state = C.A
    k = 0
    for i in range(n):
        if state is C.A:
            state = C.B
        elif state == C.B:
            state = C.A
            k += 1
    return (k, state)


def a12(p: Any) -> Any:
    return (p | P.X, p & P.W, ~p, p ^ P.R, not p, P.R in p, Fl(p.value) | Fl.R, ~Fl.R, p & ~P.W)


def a13(p: Any) -> Any:
    return ([q.name for q in p], sum(q.value for q in p), len(p))


def test_flags() -> None:
    check(a12, P.R, also=[(P.R | P.W,), (P(0),)])
    if sys.version_info >= (3, 11):
        check(a13, P.R | P.X, also=[(P.W,), (P(0),)])


def test_the_first_complement_of_a_flag() -> None:
    def f(n: int) -> Any:
        return ~Q.R, ~Q(n)

    assert sol.jit(strict=True)(f)(2) == (Q.W, Q.R)


def test_members() -> None:
    check(a1, *(2,))
    check(a2, *(2,))
    check(a3, *(np.arange(5.0),))
    check(a4, *(2,))
    check(a5, *(L.LOW,), also=[(L.HIGH,)])
    check(a6, *(C.A,), also=[(C.B,)])
    check(a7, *(2,))
    check(a8, *(2,))
    check(a10, *(2,), also=[(1,)])
    check(a11, *(3,))


HTTP_OK = http.client.OK


def exported(s: str) -> Any:
    return [signal.SIGINT, re.A, re.I, socket.AF_INET, http.client.NOT_FOUND, HTTP_OK, FLAGS, R, s]


def exported_as_operands(s: str) -> Any:
    found = re.match("(.*)x", s, re.DOTALL), re.compile("b", re.I | re.M).flags
    return found[0].group(), found[1], re.I.value, re.RegexFlag.DOTALL, int(http.client.OK), http.client.OK.phrase


def exported_in_branches(s: str) -> Any:
    kind = signal.SIGINT if s == "abx" else signal.SIGTERM
    return kind, kind == signal.SIGINT, int(kind), {signal.SIGINT: 3}.get(kind), f"{kind!r} {signal.SIGINT}"


def exported_as_default(s: str, flag: Any = re.I) -> Any:
    return [flag, re.findall("B", s, flag)]


def test_members_that_modules_export() -> None:
    for f in (exported, exported_as_operands, exported_in_branches, exported_as_default):
        check(f, "abx", also=[("by",)] if f is exported_in_branches else [])


BITS = Fl.R | Fl.W
FUNCTIONS_OF_NUMBERS = (
    "abs({m})", "-abs({m})", "round({m})", "round({m}, 1)", "divmod({m}, 2)", "divmod(7, {m})", "pow({m}, 2)", "pow(2, {m})", "range({m})",
    "operator.abs({m})", "operator.index({m})", "math.sqrt({m})", "math.floor({m})", "math.gcd({m}, 4)", "int({m})", "float({m})", "-{m}", "+{m}",
    "~{m}", "{m} + 1", "{m} * 1.5", "{m} & 1", "{m} | 4", "{m} << 1", "a * {m}", "a[{m} - 1]", "np.abs({m})", "np.zeros({m})", "list(range({m}))",
    "type(abs({m}))", "type(~{m})", "min({m}, 2)", "sum([{m}, {m}])", "bool({m})", "hash({m})", "hex({m})", "'%d' % {m}", "[0] * {m}",
)  # fmt: skip


@pytest.mark.parametrize("member", ["L.LOW", "Fl.R", "Fl.W", "BITS"])
def test_what_takes_numbers_takes_members(member: str) -> None:
    for expression in FUNCTIONS_OF_NUMBERS:
        text = expression.replace("{m}", member)
        f = function(f"def f(a):\n    return {text}\n", L=L, Fl=Fl, BITS=BITS, operator=operator)
        check(f, np.arange(6.0), settings={"target": "interpreter"})
