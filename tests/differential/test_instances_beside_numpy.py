"""Operators between instances and single numbers of NumPy: whose method is called, and with what."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.instance_classes import Dual
from tests.oracle import check

A = np.linspace(-1.0, 2.0, 12)


class RM:
    def __init__(self, x: Any) -> None:
        self.x = x

    def __rmatmul__(self, o: Any) -> Any:
        return o * self.x

    def __rpow__(self, o: Any) -> Any:
        return o**self.x

    def __rmod__(self, o: Any) -> Any:
        return type(o).__name__, o % self.x

    def __rfloordiv__(self, o: Any) -> Any:
        return o // self.x

    def __rtruediv__(self, o: Any) -> Any:
        return o / self.x

    def __rand__(self, o: Any) -> Any:
        return "and", type(o).__name__

    def __rlshift__(self, o: Any) -> Any:
        return "lshift", type(o).__name__

    def __rdivmod__(self, o: Any) -> Any:
        return 1, 2

    def __gt__(self, o: Any) -> Any:
        return "gt"

    def __lt__(self, o: Any) -> Any:
        return "lt"

    def __rmul__(self, o: Any) -> Any:
        return [o]


class RM2:
    def __matmul__(self, o: Any) -> Any:
        return type(o).__name__


class Raises:
    def __rmul__(self, o: Any) -> Any:
        raise KeyError("no")

    def __radd__(self, o: Any) -> Any:
        return None

    def __rsub__(self, o: Any) -> Any:
        return np.zeros(3)

    def __rtruediv__(self, o: Any) -> Any:
        return (1, 2)


class Idx:
    def __index__(self) -> Any:
        return 2

    def __rmul__(self, o: Any) -> Any:
        return "rmul"


class Flt:
    def __float__(self) -> Any:
        return 2.0

    def __radd__(self, o: Any) -> Any:
        return "radd"


class Int_:
    def __int__(self) -> Any:
        return 2

    def __radd__(self, o: Any) -> Any:
        return "radd"


class Bool_:
    def __bool__(self) -> Any:
        return False

    def __radd__(self, o: Any) -> Any:
        return "radd"


class It:
    def __iter__(self) -> Any:
        return iter([1.0])

    def __radd__(self, o: Any) -> Any:
        return "radd"


class Prio:
    __array_priority__ = 1000

    def __radd__(self, o: Any) -> Any:
        return "radd", type(o).__name__


class Ufn:
    __array_ufunc__ = None

    def __radd__(self, o: Any) -> Any:
        return "radd", type(o).__name__


class Arr_:
    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.ones(3)

    def __radd__(self, o: Any) -> Any:
        return "radd", type(o).__name__


class Hashless:
    __hash__ = None

    def __radd__(self, o: Any) -> Any:
        return "radd"


class FloatSub(float):
    def __radd__(self, o: Any) -> Any:
        return "radd", type(o).__name__


class IntE(enum.IntEnum):
    A = 1

    def __radd__(self, o: Any) -> Any:
        return "radd", type(o).__name__


class BaseAdd:
    def __init__(self, x: Any) -> None:
        self.x = x

    def __add__(self, o: Any) -> Any:
        return SubAdd(self.x + o) if isinstance(o, float) else NotImplemented


class SubAdd(BaseAdd):
    def __add__(self, o: Any) -> Any:
        return super().__add__(o)


class NIRet:
    def __init__(self, x: Any) -> None:
        self.x = x

    def __add__(self, o: Any) -> Any:
        return helper_ni(o)

    def __radd__(self, o: Any) -> Any:
        return helper_ni(o)


def helper_ni(o):
    return NotImplemented


class InPlace:
    def __init__(self, x: Any) -> None:
        self.x = x

    def __iadd__(self, o: Any) -> Any:
        self.x += o
        return self

    def __add__(self, o: Any) -> Any:
        return InPlace(self.x - o)


def np_matmul_left(a: Any) -> Any:
    return a[0] @ RM(2.0)


def np_matmul2(a: Any) -> Any:
    return np.int64(3) @ RM(2.0), np.float32(3) @ RM(2.0), RM2() @ a[0]


def np_left_all(a: Any) -> Any:
    r = RM(2.0)
    x = a[1]
    return x**r, x % r, x // r, x / r, x & r, x * r


def np_left_int(a: Any) -> Any:
    r = RM(2.0)
    x = np.int32(3)
    return x**r, x % r, x // r, x / r, x & r, x << r, x * r


def np_left_bool(a: Any) -> Any:
    r = RM(2.0)
    x = np.bool_(True)
    return x**r, x % r, x // r, x / r, x & r, x * r


def np_left_u8(a: Any) -> Any:
    r = RM(2.0)
    x = np.uint8(3)
    return x % r, x & r, x << r, x * r


def np_left_f16(a: Any) -> Any:
    r = RM(2.0)
    x = np.float16(3)
    return x % r, x & r, x * r


def np_left_c(a: Any) -> Any:
    r = RM(2.0)
    x = np.complex128(3)
    return x * r


def np_left_u64(a: Any) -> Any:
    r = RM(2.0)
    x = np.uint64(3)
    return x * r


def np_left_divmod(a: Any) -> Any:
    return divmod(a[0], RM(2.0))


def np_left_cmp(a: Any) -> Any:
    r = RM(2.0)
    return a[0] < r, a[0] > r, np.int64(3) < r


def np_left_raises(a: Any) -> Any:
    return a[0] * Raises()


def np_left_returns(a: Any) -> Any:
    r = Raises()
    return a[0] + r, a[0] - r, a[0] / r


def np_left_kinds(a: Any) -> Any:
    return a[0] * Idx(), a[0] + Flt(), a[0] + Int_(), a[0] + Bool_(), a[0] + It(), np.int64(2) * Idx()


def np_left_kinds2(a: Any) -> Any:
    return a[0] + Prio(), a[0] + Ufn(), a[0] + Arr_(), a[0] + Hashless()


def np_left_sub(a: Any) -> Any:
    return a[0] + FloatSub(2.0)


def np_left_enum(a: Any) -> Any:
    return np.int64(3) + IntE.A


def super_add(a: Any) -> Any:
    p = SubAdd(1.0)
    for x in a:
        p = p + x
    return p.x


def ni_via_helper(a: Any) -> Any:
    return NIRet(1.0) + a[0]


def ni_via_helper_r(a: Any) -> Any:
    return a[0] + NIRet(1.0)


def in_place_np(a: Any) -> Any:
    p = InPlace(1.0)
    q = p
    for x in a:
        p += x
    return p.x, q.x, p is q


def in_place_np_left(a: Any) -> Any:
    s = a[0]
    s += Dual(2.0)
    return s.v


def in_place_array_elem(a: Any) -> Any:
    b = np.zeros(3)
    b[0] += Flt()
    return b


def dual_np_left(a: Any) -> Any:
    s = Dual(0.0)
    for x in a:
        s = x * s + x
    return s.v, s.d


REFUSED = (ni_via_helper, ni_via_helper_r)
PROGRAMS = (
    np_matmul_left,
    np_matmul2,
    np_left_all,
    np_left_int,
    np_left_bool,
    np_left_u8,
    np_left_f16,
    np_left_c,
    np_left_u64,
    np_left_divmod,
    np_left_cmp,
    np_left_raises,
    np_left_returns,
    np_left_kinds,
    np_left_kinds2,
    np_left_sub,
    np_left_enum,
    super_add,
    ni_via_helper,
    ni_via_helper_r,
    in_place_np,
    in_place_np_left,
    in_place_array_elem,
    dual_np_left,
)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_same(f: Callable[..., Any]) -> None:
    check(f, A, also=[(-A,), (A[:3],), (A + 3.0,), (A * 0.1,)], rtol=1e-12, or_refused=f in REFUSED)
