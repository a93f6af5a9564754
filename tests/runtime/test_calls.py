"""Calls: types and layouts that choose a variant, words, guards, binding of arguments."""

from __future__ import annotations

import enum
from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.runtime.variants.variant import LeafRecord
from tests.runtime.handmade import LEAF, f64_scalar, handmade, python_int

ADD = """
EXPORT int32_t sol_kernel(sol_frame* f) {
  double* a = (double*)f->in[0]; double* b = (double*)f->in[3]; double* c = (double*)f->in[6];
  for (int64_t k = 0; k < f->in[1]; k++) c[k] = a[k] + b[k];
  return SOL_OK;
}
"""


def test_three_arrays() -> None:
    @handmade(ADD)
    def add(a: Any, b: Any, c: Any) -> None: ...

    a, b, c = np.arange(4.0), np.ones(4), np.zeros(4)
    assert add(a, b, c) is None
    assert add(a, b=b, c=c) is None
    assert c.tolist() == [1, 2, 3, 4]
    assert add.signatures == ["(float64[:], float64[:], float64[:])"]


SUM = """
EXPORT int32_t sol_kernel(sol_frame* f) {
  char* a = (char*)f->in[0];
  int64_t n = f->in[1], m = f->in[2], s = f->in[3], t = f->in[4];
  double sum = 0;
  for (int64_t i = 0; i < n; i++) for (int64_t j = 0; j < m; j++) sum += (i + 1) * *(double*)(a + i * s + j * t);
  put(f->out, sum);
  return SOL_OK;
}
"""


def test_layouts_are_different_variants() -> None:
    seen: list[Any] = []

    @handmade(SUM, [f64_scalar], LEAF, compiled=seen)
    def weigh(a: Any) -> Any: ...

    base = np.arange(24.0).reshape(4, 6)
    frozen = base.copy()
    frozen.flags.writeable = False
    views = [base, np.asfortranarray(base), base[::2, ::3], base[::-1], base[:, ::2], base.T[::2], frozen, base[:0]]
    for a in [*views, *views]:
        want = (a.sum(axis=1) * np.arange(1, a.shape[0] + 1)).sum()
        got = weigh(a)
        assert type(got) is np.float64 and got == want
    kinds = {(t[0].order, t[0].rank, t[0].writable) for t in seen}
    assert kinds == {
        ("C", (), True), ("F", (), True), ("A", (0, 1), True), ("A", (1, 0), True), ("C", (), False),
    }  # fmt: skip
    assert len(seen) == len(kinds)


ECHO = """
EXPORT int32_t sol_kernel(sol_frame* f) { f->out[0] = f->in[0]; f->out[1] = f->in[1]; return SOL_OK; }
"""
SCALARS = [True, False, 0, -1, 2**63 - 1, -(2**63), 0.0, -0.0, 1.5, float("inf"), 1 + 2j, -0.0 - 0.0j]
SCALARS += [np.dtype(t).type(3) for t in "?bhilqBHILQefdFD"]


@pytest.mark.parametrize("value", SCALARS, ids=lambda v: f"{type(v).__name__} {v}")
def test_scalars_go_in_and_out(value: Any) -> None:
    weak = not isinstance(value, np.generic)
    name = {"b": "b1", "i": f"i{8 * np.asarray(value).itemsize}", "u": f"u{8 * np.asarray(value).itemsize}"}.get(
        np.asarray(value).dtype.kind, np.asarray(value).dtype.kind + str(8 * np.asarray(value).itemsize)
    )

    @handmade(ECHO, [type(f64_scalar)("python" if weak else "scalar", name)], LEAF)
    def echo(x: Any, y: Any = 7) -> Any: ...

    for _ in range(3):
        got = echo(value)
        assert got == value and np.signbit(np.real(got)) == np.signbit(np.real(value))
        assert type(got) is type(value) or np.dtype(type(got)) == np.dtype(type(value))


def test_python_and_numpy_numbers_are_different_types() -> None:
    seen: list[Any] = []

    @handmade(ECHO, [python_int], LEAF, compiled=seen)
    def echo(x: Any, y: Any) -> Any: ...

    for x in (1, np.int64(1), True, 1):
        echo(x, 0)
    assert [t[0].weak for t in seen] == [True, False, True]
    assert [t[0].dtype.name for t in seen] == ["i64", "i64", "b1"]


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_refused_arguments() -> None:
    @handmade(ECHO, [python_int], LEAF)
    def echo(x: Any) -> Any: ...

    for value in [2**63, -(2**63) - 1, np.zeros(2, "f8,i4")["f0"]]:
        with pytest.raises(sol.ArgumentError, match="'x'"):
            echo(value)


def test_refused_arguments_fall_back() -> None:
    @handmade(ECHO, [python_int], LEAF, strict=False)
    def double(x: Any) -> Any:
        return x * 2

    with pytest.warns(sol.FallbackWarning, match="beyond 64 bits"):
        assert double(2**63) == 2**64
    assert double(2**64) == 2**65  # warned once: what is told names no value
    assert double(21) == 21  # compiled: the kernel only echoes


GUARD = """
EXPORT int32_t sol_guard(const int64_t* in) { return in[1] == %d; }
EXPORT int32_t sol_kernel(sol_frame* f) { f->out[0] = %d; return SOL_OK; }
"""


def test_guards_choose() -> None:
    sizes: list[int] = []

    def compiler(n: int) -> Any:
        return handmade(GUARD % (n, 100 + n), [python_int], LEAF)

    @compiler(3)
    def f(a: Any) -> Any: ...

    first = f._entry.maker.compile_variant

    def by_size(function: Any, types: Any, leaves: Any, settings: Any, cache: Any, undecided: bool) -> Any:
        sizes.append(len(leaves[0]))
        made = compiler(len(leaves[0]))(function)._entry.maker.compile_variant
        return made(function, types, leaves, settings, cache, undecided)

    assert first is not by_size
    f._entry.maker.compile_variant = by_size
    for n in (3, 4, 3, 5, 4, 3):
        assert f(np.zeros(n)) == 100 + n
    assert sizes == [3, 4, 5]


def test_static_arguments() -> None:
    seen: list[Any] = []

    @handmade(ECHO, [python_int], LEAF, compiled=seen)
    def f(x: Any, how: Any) -> Any: ...

    for how in ("sum", "mean", "s" + "um", None, np.dtype("f8"), np.float64, len, slice(0, 2), slice(0, 2), ...):
        assert f(5, how) == 5
    assert len(seen) == 8


def test_overlap() -> None:
    seen: list[Any] = []

    @handmade(ADD, compiled=seen)
    def add(a: Any, b: Any, c: Any) -> None: ...

    x, y, z = np.ones(8), np.ones(8), np.ones(8)
    for _ in range(2):
        add(x, y, z)
        add(x, x, z)
        add(x, y, x)
        add(x[:4], x[4:], z[:4])
        add(x[:4], x[3:7], z[:4])
        add(x[:0], x, z)
    groups = [tuple(t.alias for t in types) for types in seen]
    assert groups == [(None, None, None), (0, 0, None), (0, None, 0)]
    frozen = x.view()
    frozen.flags.writeable = False
    add(frozen, frozen, z)
    assert [t.alias for t in seen[-1]] == [None, None, None]


def test_overlap_does_not_matter_where_nothing_is_written() -> None:
    seen: list[Any] = []

    @handmade(ADD, compiled=seen, writes=False)
    def add(a: Any, b: Any, c: Any) -> None: ...

    x = np.ones(4)
    add(x, np.ones(4), np.ones(4))
    add(x, x, np.ones(4))
    assert len(seen) == 1


Pair = namedtuple("Pair", "first second")


@dataclass
class Box:
    low: float
    items: Any


def test_nested_arguments() -> None:
    @handmade(
        "EXPORT int32_t sol_kernel(sol_frame* f) {"
        " put(f->out, *(double*)f->in[0] * get<double>(f->in + 3)); return SOL_OK; }",
        [f64_scalar],
        LEAF,
    )
    def f(p: Any) -> Any: ...

    a = np.array([3.0])
    for p in [(a, 2.0), [a, 2.0], Pair(a, 2.0), {"a": a, "b": 2.0}, (None, (a, [2.0])), ((a,), 2.0)]:
        for _ in range(2):
            assert f(p) == 6
    assert f(p=(a, 4.0)) == 12
    assert f({"a": a, "b": 5.0}) == 15
    assert len(f.signatures) == 6

    @handmade(
        "EXPORT int32_t sol_kernel(sol_frame* f) {"
        " put(f->out, *(double*)f->in[0] * get<double>(f->in + 4)); return SOL_OK; }",
        [f64_scalar],
        LEAF,
    )
    def g(p: Any) -> Any: ...

    assert g(({"c": a}, Box(2.0, 1))) == 6  # an instance is a word of its own, before its attributes


def test_binding_of_arguments() -> None:
    @handmade(ECHO.replace("f->in[0]", "f->in[0] * 100 + f->in[1] * 10 + f->in[2]", 1), [python_int], LEAF)
    def f(a: Any, b: Any = 2, *, c: Any = 3) -> Any:
        return a, b, c

    assert [f(1), f(1, 5), f(1, c=7), f(b=4, a=1), f(1, 9, c=0)] == [123, 153, 127, 143, 190]
    for args, kwargs in [((), {}), ((1, 2, 3), {}), ((1,), {"d": 1}), ((1,), {"a": 1})]:
        for g in (f, f.python):
            with pytest.raises(TypeError) as e:
                g(*args, **kwargs)
            assert "f() " in str(e.value)


def test_variadic() -> None:
    @handmade(ECHO.replace("f->in[0]", "f->in[0] * 100 + f->in[1] * 10 + f->in[2]", 1), [python_int], LEAF)
    def f(a: Any, *rest: Any, **more: Any) -> Any: ...

    assert f(1, 2, 3) == 123
    assert f(1, 2, k=4) == 124
    assert f(1, x=2, y=5) == 125
    assert f.signatures[0] == "(int, tuple(int, int), dict())"


def test_methods() -> None:
    class Model:
        def __init__(self) -> None:
            self.k = 1

        @handmade(ECHO, [python_int], LEAF)
        def f(x: Any, self: Any) -> Any: ...  # noqa: B902, N805 (the kernel echoes the first leaf)

    assert Model.f(7, None) == 7
    with pytest.raises(sol.SoljitError):
        Model().f(2**70)


def unaligned(n: int) -> Any:
    return np.zeros(8 * n + 1, np.int8)[1:].view(np.float64)


def test_unaligned_arrays() -> None:
    @handmade(ADD)
    def add(a: Any, b: Any, c: Any) -> None: ...

    memory = unaligned(12)
    memory[:] = range(12)
    a, b, c = memory[:4], memory[4:8], memory[8:]
    for _ in range(2):
        add(a, b, c)
        assert not c.flags.aligned and c.tolist() == [4, 6, 8, 10] and a.tolist() == [0, 1, 2, 3]
    with pytest.raises(sol.ArgumentError, match="'a' is an array with unaligned memory"):
        add(a, b, a)
    view = """EXPORT int32_t sol_kernel(sol_frame* f) {
      f->out[0] = f->in[0] + f->in[2]; f->out[1] = 0; f->out[2] = f->in[1] - 1; f->out[3] = f->in[2];
      return SOL_OK; }"""

    @handmade(view, [LeafRecord("array", "f64", 1, base="p0")], {"tuple": [LEAF, {"param": "a"}]})
    def tail(a: Any) -> Any: ...

    for x in (a, memory[::2], memory[::-1]):
        part, same = tail(x)
        assert same is x and part.tolist() == x[1:].tolist() and np.shares_memory(part, x)
        part[0] = -1
        assert x[1] == -1
    with pytest.raises(sol.ArgumentError):
        tail(np.zeros(2, "i1,f8")["f1"])


class Lazy(enum.Enum):
    ONE, TWO = 1, 2

    def __eq__(self, other: object) -> bool:
        raise AssertionError("nobody asks")

    __hash__ = None  # type: ignore[assignment]


def test_static_arguments_are_the_same_only_if_nothing_tells_them_apart() -> None:
    @sol.jit(strict=True)
    def which(e: Lazy) -> int:
        return 1 if e is Lazy.ONE else 2

    @sol.jit(strict=True)
    def ends(r: range) -> tuple[int, int]:
        return r.stop, len(r)

    @sol.jit(strict=True)
    def piece(a: np.ndarray, s: slice, t: np.dtype) -> np.ndarray:
        return a[s].astype(t)

    assert [which(e) for e in (Lazy.ONE, Lazy.TWO, Lazy.ONE)] == [1, 2, 1]
    assert [ends(r) for r in (range(0, 3, 2), range(0, 4, 2), range(0, 3, 2))] == [(3, 2), (4, 2), (3, 2)]
    a = np.arange(4.0)
    for _ in range(2):
        for s in (slice(0, 2), slice(1, 3), slice(None), slice(0, 2, None)):
            for t in ("f4", "i8", np.dtype("f4")):
                found = piece(a, s, np.dtype(t))
                np.testing.assert_array_equal(found, a[s].astype(t))
                assert found.dtype == t
