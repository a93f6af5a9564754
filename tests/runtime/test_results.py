"""Results: who owns the memory, `base`, sharing, trees, identity of arguments."""

from __future__ import annotations

import gc
import sys
from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import soljit as sol
from soljit.runtime.variants.variant import LeafRecord
from tests.runtime.handmade import LEAF, f64_scalar, handmade

Point = namedtuple("Point", "x y")

# a fresh copy of the first argument (one dimension)
COPY = """
EXPORT int32_t sol_kernel(sol_frame* f) {
  int64_t n = f->in[1];
  sol_buffer* b = fresh(8 * n);
  for (int64_t k = 0; k < n; k++) ((double*)b->data)[k] = ((double*)f->in[0])[k];
  int64_t* o = f->out;
  o[0] = (int64_t)b->data; o[1] = (int64_t)b; o[2] = n; o[3] = 8;
  %s
  return SOL_OK;
}
"""
VECTOR = LeafRecord("array", "f64", 1)


def test_new_array_owns_its_memory() -> None:
    @handmade(COPY % "", [VECTOR], LEAF)
    def copy(a: Any) -> Any: ...

    for n in (0, 1, 5, 100_000):
        a = np.arange(float(n))
        b = copy(a)
        assert type(b) is np.ndarray and b.base is None and b.flags.owndata and b.flags.writeable
        assert b.dtype == np.float64 and np.array_equal(a, b)
        assert sys.getrefcount(b) == 2
        b.resize(2 * n, refcheck=False)  # NumPy reallocates the memory it was given


def test_shared_buffer_is_one_memory() -> None:
    tail = "b->refs = 2; o[4] = o[0] + 8; o[5] = o[1]; o[6] = n - 1; o[7] = 8;"

    @handmade(COPY % tail, [VECTOR, VECTOR], {"tuple": [{"leaf": 1}, {"leaf": 0}, {"leaf": 0}]})
    def both(a: Any) -> Any: ...

    part, whole, again = both(np.arange(5.0))
    assert whole is again and whole.base is None and part.base is whole
    part[0] = 7
    assert whole[1] == 7
    del whole, again
    gc.collect()
    assert part.tolist() == [7, 2, 3, 4]


def test_window_of_a_buffer_keeps_it() -> None:
    @handmade(COPY % "o[0] += 8; o[2] = n - 1;", [VECTOR], LEAF)
    def tail(a: Any) -> Any: ...

    b = tail(np.arange(4.0))
    assert b.tolist() == [1, 2, 3] and b.base is not None and b.flags.writeable


VIEW = """
EXPORT int32_t sol_kernel(sol_frame* f) {
  f->out[0] = f->in[0] + 8; f->out[1] = 0; f->out[2] = f->in[1] - 1; f->out[3] = f->in[2];
  return SOL_OK;
}
"""


def test_view_of_an_argument() -> None:
    @handmade(VIEW, [LeafRecord("array", "f64", 1, base="p0")], LEAF)
    def tail(a: Any, b: Any) -> Any: ...

    a, other = np.arange(6.0), np.zeros(3)
    v = tail(a, other)
    assert v.base is a and v.tolist() == [1, 2, 3, 4, 5] and not v.flags.owndata
    part = a[1:]
    assert tail(part, other).base is a  # chains of views are shortened, as in NumPy
    frozen = a.view()
    frozen.flags.writeable = False
    assert not tail(frozen, other).flags.writeable
    before = sys.getrefcount(a)
    w = tail(a, other)
    assert sys.getrefcount(a) == before + 1
    del w
    assert sys.getrefcount(a) == before


def test_view_of_either_argument() -> None:
    either = VIEW.replace("f->out[0] = f->in[0] + 8", "f->out[0] = f->in[6] ? f->in[3] + 8 : f->in[0] + 8")

    @handmade(either, [LeafRecord("array", "f64", 1, base="p0")], LEAF)
    def pick(a: Any, b: Any, which: Any) -> Any: ...

    a, b = np.arange(3.0), np.arange(3.0)
    assert pick(a, b, 0).base is a and pick(a, b, 1).base is b


def test_argument_itself() -> None:
    @handmade(VIEW, [LeafRecord("array", "f64", 1, same="p0")], {"tuple": [LEAF, {"param": "b"}, {"param": "p1"}]})
    def same(a: Any, b: Any) -> Any: ...

    a, b = np.arange(3.0), [np.ones(1)]
    r = same(a, b)
    assert r[0] is a and r[1] is b and r[2] is b[0]


def test_trees() -> None:
    here = f"{__name__}.Point"
    tree = {
        "dict": [
            ["list", {"list": [{"leaf": 0}, None]}],
            ["point", {"namedtuple": [here, [{"leaf": 1}, {"const": 3}]]}],
            ["none", None],
            ["deep", {"tuple": [{"tuple": []}, {"tuple": [{"const": "text"}, {"const": {"complex": [0, 1]}}]}]}],
        ]
    }

    @handmade("EXPORT int32_t sol_kernel(sol_frame* f) { put(f->out, 1.5); put(f->out + 1, 2.5); return SOL_OK; }",
              [f64_scalar, LeafRecord("python", "f64")], tree)  # fmt: skip
    def f() -> Any: ...

    for _ in range(3):
        r = f()
        assert r == {"list": [1.5, None], "point": Point(2.5, 3), "none": None, "deep": ((), ("text", 1j))}
        assert type(r["list"][0]) is np.float64 and type(r["point"].x) is float and type(r["point"]) is Point
        r["list"].append(1)  # a new list each time


def test_nothing_and_constants() -> None:
    nothing = "EXPORT int32_t sol_kernel(sol_frame* f) { return SOL_OK; }"
    for tree, want in [(None, None), ({"const": 5}, 5), ({"tuple": []}, ()), ({"list": []}, []), ({"dict": []}, {})]:

        @handmade(nothing, [], tree)
        def f() -> Any: ...

        assert f() == want and type(f()) is type(want)


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (3, 0, 2), (1, 1, 1, 1)])
@pytest.mark.parametrize("order", "CF")
def test_order_of_new_arrays(shape: tuple[int, ...], order: str) -> None:
    strides = np.zeros(shape, np.int16, order).strides  # type: ignore[call-overload]
    code = "".join(f"f->out[{2 + k}] = {n}; f->out[{2 + len(shape) + k}] = {s};" for k, (n, s) in
                   enumerate(zip(shape, strides)))  # fmt: skip
    body = "EXPORT int32_t sol_kernel(sol_frame* f) { sol_buffer* b = fresh(64); memset(b->data, 1, 64);"
    body += "f->out[0] = (int64_t)b->data; f->out[1] = (int64_t)b;" + code + "return SOL_OK; }"

    @handmade(body, [LeafRecord("array", "i16", len(shape))], LEAF)
    def f() -> Any: ...

    a = f()
    want = np.full(shape, 257, np.int16, order)  # type: ignore[call-overload]
    assert a.shape == shape and a.flags.owndata and np.array_equal(a, want)
    assert (a.flags.c_contiguous, a.flags.f_contiguous) == (want.flags.c_contiguous, want.flags.f_contiguous)


def _resident() -> int:
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_nothing_leaks() -> None:
    @handmade(COPY % "b->refs = 2; o[4] = o[0] + 8; o[5] = o[1]; o[6] = n - 1; o[7] = 8;",
              [VECTOR, VECTOR], {"tuple": [{"list": [{"leaf": 1}]}, {"leaf": 0}]})  # fmt: skip
    def f(a: Any, more: Any = ()) -> Any: ...

    a = np.arange(2000.0)
    marker = (np.ones(2), 5.0)
    for _ in range(300):
        f(a, marker)
    gc.collect()
    references, blocks, memory = sys.getrefcount(a), len(gc.get_objects()), _resident()
    for _ in range(10_000):
        f(a, marker)
    gc.collect()
    assert sys.getrefcount(a) == references
    count = sys.getrefcount(marker[0])
    assert count == 2
    assert len(gc.get_objects()) < blocks + 500
    assert _resident() < memory + 60_000_000  # 10 000 results have 160 MB


def test_functions_are_collected() -> None:
    import weakref

    @handmade("EXPORT int32_t sol_kernel(sol_frame* f) { return SOL_OK; }")
    def f(a: Any) -> Any: ...

    f(1)
    entry = weakref.ref(f._entry)
    del f
    gc.collect()
    assert entry() is None


def test_new_arrays_without_elements_have_numpys_strides() -> None:
    def f(a: Any, n: int) -> Any:
        return np.zeros((3, n, 2)), a[:n] + 1, np.empty((n, 4)), np.concatenate([a[:n], a[:n]], axis=1)

    a = np.ones((4, 3))
    got = sol.jit(strict=True)(f)(a, 0)
    assert [x.strides for x in got] == [x.strides for x in f(a, 0)]
